"""Time measures over time: `python -m bench.temporal [counts.npz]`; 50 topics × 51 slices × 8,000 documents.

With a file of counts (CSR parts data, indices, indptr, shape; vocab; years) these are the documents, and
topics are made of their words; without one, documents are drawn.
"""

import sys
import time

import numpy as np
from scipy import sparse

import tealeaves as tl

TOPICS, SLICES, TOP = 50, 51, 10
# share of a topic's words that it keeps from slice to slice: as D-LDA's, as D-ETM's, none
KEPT = {"D-LDA (0.98)": 0.98, "D-ETM (0.72)": 0.72, "unrelated (0.0)": 0.0}
MEASURES = ("ttc@10,tts@10,ttq@10,dtq@10", "temporal", "temporal,c_v@10")


def drawn_corpus(documents: int = 8000, length: int = 1000, words: int = 6000) -> tl.Corpus:
    """Documents of Zipf's words, in slices."""
    rng = np.random.default_rng(0)
    p = 1 / np.arange(1, words + 1)
    counts = sparse.csr_matrix(rng.multinomial(length, p / p.sum(), size=documents).astype(np.int32))
    years = [1970 + d * SLICES // documents for d in range(documents)]
    return tl.Corpus.from_matrix(counts, [f"w{i:04}" for i in range(words)], slices=years)


def read_corpus(path: str) -> tl.Corpus:
    """Counts by year."""
    with np.load(path, allow_pickle=False) as z:
        parts = z["data"], z["indices"].astype(np.int64), z["indptr"]
        matrix = sparse.csr_matrix(parts, shape=tuple(z["shape"]))
        return tl.Corpus.from_matrix(matrix, z["vocab"].tolist(), slices=z["years"].tolist())


def drifting(corpus: tl.Corpus, kept: float) -> tl.DynamicTopicModel:
    """Topics of the corpus's words; each word of a topic is replaced with probability 1 - kept a slice."""
    rng = np.random.default_rng(1)
    vocabulary = np.array(corpus.vocabulary)
    now = [rng.choice(len(vocabulary), TOP, replace=False) for _ in range(TOPICS)]
    slices = []
    for _ in range(SLICES):
        slices.append([vocabulary[topic].tolist() for topic in now])
        for topic in now:
            for i in np.flatnonzero(rng.random(TOP) > kept):
                others = np.setdiff1d(rng.choice(len(vocabulary), 2 * TOP, replace=False), topic)
                topic[i] = others[0]
    return tl.DynamicTopicModel.from_words(slices, slice_labels=range(1970, 1970 + SLICES))


def main(paths: list[str]) -> None:
    """Print one table."""
    corpus = read_corpus(paths[0]) if paths else drawn_corpus()
    warm = drifting(corpus, 1.0)
    tl.evaluate(warm, corpus, measures="npmi@10", ci=None)
    print(f"{len(corpus):,} documents, {corpus.n_tokens / 1e6:.1f}M tokens")
    print("| topics | measures | intervals | s | CPU s |")
    print("| --- | --- | --- | ---: | ---: |")
    for name, kept in KEPT.items():
        model = drifting(corpus, kept)
        for measures in MEASURES:
            if not corpus.ordered and "c_v" in measures:
                measures = measures.replace("c_v@10", "umass@10")
            for ci in (None, 0.95) if measures == MEASURES[0] else (None,):
                start, cpu = time.perf_counter(), time.process_time()
                tl.evaluate(model, corpus, measures=measures, ci=ci, chance=0)
                seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
                print(f"| {name} | {measures} | {ci or 'none'} | {seconds:.1f} | {cpu:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
