"""One tool, one measure, one size, in a process of its own: prints seconds and peak memory as JSON.

Used by `python -m bench`; by hand: `python -m bench.one tealeaves c_v 3000000 50 10`.
"""

import json
import resource
import sys
import time
from itertools import pairwise

import numpy as np

VOCABULARY, LENGTH, HEAD = 50_000, 150, 5_000


def inputs(tokens: int, k: int, n: int) -> tuple[np.ndarray, np.ndarray, list[list[str]]]:
    """Zipf-Mandelbrot tokens in documents of 150, and topics of words from the 5,000 most frequent."""
    rng = np.random.default_rng(0)
    p = 1 / (np.arange(VOCABULARY) + 2.7)
    ids = rng.choice(VOCABULARY, size=tokens, p=p / p.sum()).astype(np.int32)
    offsets = np.arange(0, tokens + 1, LENGTH, dtype=np.int64)
    topics = [[f"w{w}" for w in rng.choice(np.arange(50, HEAD), size=n, replace=False)] for _ in range(k)]
    return ids[: offsets[-1]], offsets, topics


def lists(ids: np.ndarray, offsets: np.ndarray) -> list[list[str]]:
    """The documents as lists of strings, one object a word as a tokeniser would share them."""
    words = [f"w{w}" for w in range(VOCABULARY)]
    return [[words[w] for w in ids[a:b]] for a, b in pairwise(offsets)]


def tealeaves(measure: str, ids: np.ndarray, offsets: np.ndarray, topics: list[list[str]], n: int) -> dict:
    import tealeaves as tl

    specs = {"c_v": [f"c_v@{n}"], "c_npmi": [f"c_npmi@{n}"], "u_mass": [f"u_mass@{n}"]}
    asked = specs.get(measure) or [spec for one in specs.values() for spec in one]
    corpus = tl.Corpus(tuple(f"w{w}" for w in range(VOCABULARY)), ids, offsets)
    model = tl.TopicModel.from_words(topics)
    tl.evaluate(
        tl.TopicModel.from_words([["w1", "w2"]]), corpus.select([0]), measures=asked, ci=None
    )  # compiled
    start, cpu = time.perf_counter(), time.process_time()
    scores = tl.evaluate(model, corpus, measures=asked, ci=None)
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "value": scores.value(asked[0]),
    }


def tealeaves_lists(
    measure: str, ids: np.ndarray, offsets: np.ndarray, topics: list[list[str]], n: int
) -> dict:
    import tealeaves as tl

    documents = lists(ids, offsets)
    spec = f"{measure}@{n}"
    tl.evaluate(
        tl.TopicModel.from_words([["a", "b"]]), tl.Corpus.from_tokens([["a", "b"]]), measures=[spec], ci=None
    )
    start, cpu = time.perf_counter(), time.process_time()
    corpus = tl.Corpus.from_tokens(documents)
    scores = tl.evaluate(tl.TopicModel.from_words(topics), corpus, measures=[spec], ci=None)
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "value": scores.value(spec),
    }


def gensim(measure: str, ids: np.ndarray, offsets: np.ndarray, topics: list[list[str]], n: int) -> dict:
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    documents = lists(ids, offsets)
    dictionary = Dictionary(documents)
    given = (
        {"corpus": [dictionary.doc2bow(d) for d in documents]}
        if measure == "u_mass"
        else {"texts": documents}
    )
    start, cpu = time.perf_counter(), time.process_time()
    model = CoherenceModel(
        topics=topics, dictionary=dictionary, coherence=measure, topn=n, processes=1, **given
    )
    value = model.get_coherence()
    return {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu, "value": float(value)}


def tomotopy(measure: str, ids: np.ndarray, offsets: np.ndarray, topics: list[list[str]], n: int) -> dict:
    import tomotopy as tp

    corpus = tp.utils.Corpus()
    for document in lists(ids, offsets):
        corpus.add_doc(document)
    start, cpu = time.perf_counter(), time.process_time()
    words = sorted({word for topic in topics for word in topic})
    coherence = tp.coherence.Coherence(corpus, coherence=measure, top_n=n, targets=words)
    values = [coherence.get_score(words=topic) for topic in topics]
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "value": float(np.mean(values)),
    }


def topica(measure: str, ids: np.ndarray, offsets: np.ndarray, topics: list[list[str]], n: int) -> dict:
    import topica

    documents = lists(ids, offsets)
    start, cpu = time.perf_counter(), time.process_time()
    values = topica.coherence(topics, documents, coherence_type=measure, n=n)
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "value": float(np.mean(values)),
    }


TOOLS = {f.__name__: f for f in (tealeaves, tealeaves_lists, gensim, tomotopy, topica)}


if __name__ == "__main__":
    tool, measure, *sizes = sys.argv[1:]
    tokens, k, n = map(int, sizes)
    ids, offsets, topics = inputs(tokens, k, n)
    result = TOOLS[tool](measure, ids, offsets, topics, n)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        json.dumps(
            {
                "tool": tool,
                "measure": measure,
                "tokens": len(ids),
                "k": k,
                "n": n,
                "peak_mb": round(peak),
                **result,
            }
        )
    )
