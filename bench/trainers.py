"""Compare trainers on planted corpora: the table of decision 0011.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python bench/trainers.py [name …]

Each row: how well the true topics are recovered (the mean over topics and seeds of the cosine with the best
one-to-one match, and in brackets the worst seed; a topic without a match counts 0), the number of topics
found, and the median of the CPU seconds of a fit.
Libraries that are not installed are passed over: gensim, lda and anchortopics are no dependency.
"""

import logging
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

import tealeaves as tl
from tealeaves import synthetic
from tealeaves.fit._matrix import document_term, word_texts

K, V, SWEEPS = 8, 400, 200
SIZES = {"k": K, "documents": 400, "length": 60, "vocabulary": V}
UNLIKE = (1.0, 0.6, 0.35, 0.2, 0.12, 0.07, 0.04, 0.025)  # sizes of topics from 42% of the tokens to 1%
CORPORA = {
    "plain": partial(synthetic.lda, **SIZES),
    "unlike": partial(synthetic.lda, **SIZES, alpha=UNLIKE),
    "correlated": partial(synthetic.correlated, **SIZES),
}
SEEDS = (1, 2)
Found = np.ndarray
Trainer = Callable[[tl.Corpus, int], Found]


def recovered(found: Found, truth: Found) -> float:
    """The mean cosine of the true topics with the found ones that match them best one to one."""
    a, b = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300) for x in (truth, found))
    cosine = a @ b.T
    rows, columns = linear_sum_assignment(-cosine)
    return float(cosine[rows, columns].sum() / len(truth))


def in_order(topics: Any, words: Any) -> Found:
    """Columns put where the words, which are numbers written out, say."""
    placed = np.zeros((len(topics), V))
    placed[:, [int(word) for word in words]] = np.abs(topics)
    return placed


def ours(family: str, corpus: tl.Corpus, seed: int, **options: Any) -> Found:
    k = 40 if family in ("hdp", "pyp") else K
    if family in ("lda", "alda", "hdp", "pyp") and options.get("method") != "variational":
        options["iterations"] = SWEEPS
    return np.abs(tl.fit(family, corpus, k, seed, workers=1, **options).topic_word)


def tomotopy(model: str, corpus: tl.Corpus, seed: int, **options: Any) -> Found:
    trainer = getattr(import_module("tomotopy"), model)(seed=seed, **options)
    for text in word_texts(corpus)[1]:
        trainer.add_doc(text)
    trainer.train(SWEEPS, workers=1)
    alive = getattr(trainer, "is_live_topic", lambda k: True)
    topics = [trainer.get_topic_word_dist(k) for k in range(trainer.k) if alive(k)]
    return in_order(topics, trainer.used_vocabs)


def topica(
    model: str, corpus: tl.Corpus, seed: int, fit: dict[str, Any] | None = None, **options: Any
) -> Found:
    trainer = getattr(import_module("topica"), model)(seed=seed, **options)
    trainer.fit(word_texts(corpus)[1], **(fit or {}))
    return in_order(trainer.topic_word, trainer.vocabulary)


def sklearn_kl(corpus: tl.Corpus, seed: int) -> Found:
    trainer = import_module("sklearn.decomposition").NMF(
        K, init="random", solver="mu", beta_loss="kullback-leibler", max_iter=500, random_state=seed
    )
    return trainer.fit(document_term(corpus)).components_


def gensim(model: str, corpus: tl.Corpus, seed: int, **options: Any) -> Found:
    counts = import_module("gensim.matutils").Sparse2Corpus(document_term(corpus).T)
    named = {i: str(i) for i in range(V)}
    trainer = getattr(import_module("gensim.models"), model)(
        list(counts), id2word=named, **options, **({} if model == "LsiModel" else {"random_state": seed})
    )
    return np.abs(trainer.get_topics())


def lda_package(corpus: tl.Corpus, seed: int) -> Found:
    trainer = import_module("lda").LDA(K, n_iter=SWEEPS, random_state=seed, alpha=0.1, eta=0.01)
    return trainer.fit(document_term(corpus).astype(int)).topic_word_


def anchortopics(corpus: tl.Corpus, seed: int) -> Found:
    return np.maximum(import_module("anchortopics").OTFR(K).fit(document_term(corpus)).components_, 0)


TRAINERS: dict[str, Trainer] = {
    "lda: tealeaves (tomotopy)": partial(ours, "lda"),
    "lda: topica": partial(
        topica, "LDA", num_topics=K, alpha_sum=0.1 * K, optimize_interval=0, fit={"iters": SWEEPS}
    ),
    "lda: lda": lda_package,
    "lda variational: tealeaves (scikit-learn)": partial(ours, "lda", method="variational"),
    "lda variational: gensim": partial(gensim, "LdaModel", num_topics=K, passes=20),
    "alda: tealeaves (tomotopy)": partial(ours, "alda"),
    "alda: topica": partial(topica, "LDA", num_topics=K, alpha_sum=0.1 * K, fit={"iters": SWEEPS}),
    "hdp: tealeaves": partial(ours, "hdp"),
    "hdp: tomotopy": partial(tomotopy, "HDPModel", initial_k=K, alpha=0.1, eta=0.01),
    "hdp: topica": partial(topica, "HDP", fit={"iters": SWEEPS}),
    "hdp: gensim": partial(gensim, "HdpModel"),
    "pyp: tealeaves": partial(ours, "pyp"),
    "ctm: tealeaves (topica)": partial(ours, "ctm"),
    "ctm: tomotopy": partial(tomotopy, "CTModel", k=K),
    "plsa: tealeaves, one start": partial(ours, "plsa", restarts=1),
    "plsa: tealeaves, ten starts": partial(ours, "plsa"),
    "plsa: scikit-learn NMF, KL loss": sklearn_kl,
    "nmf: tealeaves (scikit-learn)": partial(ours, "nmf"),
    "nmf: topica": partial(topica, "NMF", num_topics=K, fit={"num_threads": 1}),
    "nmf: gensim": partial(gensim, "Nmf", num_topics=K, passes=10),
    "lsi: tealeaves (scikit-learn)": partial(ours, "lsi"),
    "lsi: topica": partial(topica, "LSA", num_topics=K, fit={"num_threads": 1}),
    "lsi: gensim": partial(gensim, "LsiModel", num_topics=K),
    "anchor: tealeaves": partial(ours, "anchor"),
    "anchor: anchortopics": anchortopics,
    "anchor: topica": partial(topica, "AnchorLDA", num_topics=K),
}


def row(name: str, trainer: Trainer, planted: dict[str, list[tuple[tl.Corpus, tl.TopicModel]]]) -> str:
    """A line of the table."""
    cells, seconds, numbers = [], [], []
    for worlds in planted.values():
        cosines = []
        for seed, (corpus, truth) in zip(SEEDS, worlds, strict=True):
            before = time.process_time()
            topics = trainer(corpus, seed)
            seconds.append(time.process_time() - before)
            cosines.append(recovered(topics, truth.topic_word))
            numbers.append(len(topics))
        cells.append(f"{np.mean(cosines):.3f} ({min(cosines):.3f})")
    found = f"{min(numbers)}–{max(numbers)}" if min(numbers) < max(numbers) else str(numbers[0])
    return f"| {name} | {' | '.join(cells)} | {found} | {np.median(seconds):.2f} |"


def main(asked: list[str]) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    libraries = ("scikit-learn", "tomotopy", "topica")
    print(", ".join(f"{library} {version(library)}" for library in libraries), file=sys.stderr)
    planted = {name: [draw(seed=seed) for seed in SEEDS] for name, draw in CORPORA.items()}
    for family in ("lda", "plsa", "hdp"):  # kernels and libraries, once
        tl.fit(family, planted["plain"][0][0], 2, iterations=1)
    print(f"| family: library | {' | '.join(planted)} | topics | CPU s |")
    print("| --- |" + " --- |" * len(planted) + " ---: | ---: |")
    for name, trainer in TRAINERS.items():
        if asked and not any(name.startswith(one) for one in asked):
            continue
        try:
            print(row(name, trainer, planted), flush=True)
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
