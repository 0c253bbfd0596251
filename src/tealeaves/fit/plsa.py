"""Probabilistic latent semantic analysis: maximum likelihood by our own EM, from several random starts."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.fit._matrix import Progress, document_term, need_at_least, need_positive, need_topics
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Floats = NDArray[np.float64]


def plsa(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    restarts: int = 10,
    iterations: int = 500,
    tolerance: float = 1e-7,
    workers: int | None = None,
    progress: Progress | None = None,
) -> TopicModel:
    """Fit ``p(w | d) = sum_k p(k | d) p(w | k)`` by EM, and keep the best of several random starts.

    EM climbs to the nearest summit of the likelihood: many starts end lower than others.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics.
    seed : int
        Of the random starts.
    restarts : int
        Random starts; each costs as much as the first.
    iterations : int
        Steps of each at most.
    tolerance : float
        A start ends where a step gains less than this share of the log-likelihood.
    workers : int, optional
        Threads, a start each; they do not change the model.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    TopicModel
        Topics and those of the corpus' documents. There is no prior, and a word may have probability 0.

    References
    ----------
    Hofmann (1999), Probabilistic latent semantic indexing, SIGIR, 50-57.
    """
    need_at_least(restarts=(restarts, 1), iterations=(iterations, 1))
    need_positive(tolerance=tolerance)
    need_topics(corpus, k)
    from tealeaves._kernels.plsa import fit

    counts = document_term(corpus)
    counts.sum_duplicates()
    done = 0

    def climb(start: int) -> tuple[float, int, Floats, Floats]:
        nonlocal done
        draw = np.random.default_rng([seed, start])
        doc_topic = draw.dirichlet(np.ones(k), size=counts.shape[0])
        word_topic = np.ascontiguousarray(draw.dirichlet(np.ones(counts.shape[1]), size=k).T)
        reached, steps = fit(*_parts(counts), doc_topic, word_topic, iterations, tolerance)
        done += 1
        if progress is not None:
            progress(f"fitting plsa-{k}", done, restarts)
        return reached, steps, doc_topic, word_topic

    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        best = max(pool.map(climb, range(restarts)), key=lambda found: found[0])  # of equals the first
    _, steps, doc_topic, word_topic = best
    unfinished = f"the fit had not converged after {iterations} iterations; set iterations= higher"
    settings = f"k={k}, seed={seed}, restarts={restarts}, iterations={iterations}, tolerance={tolerance:g}"
    return TopicModel(
        corpus.vocabulary,
        topic_word=word_topic.T,
        doc_topic=doc_topic,
        name=f"plsa-{k}",
        corpus=corpus,
        notes=[unfinished] if steps >= iterations else [],
        source=f"tealeaves.fit: pLSA by EM, {settings}",
    )


def _parts(counts: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Where each document begins, the words and how often they stand there."""
    return counts.indptr.astype(np.int64), counts.indices.astype(np.int64), counts.data


def fold_in(counts: Any, topic_word: Floats, steps: int = 50) -> Floats:
    """The most likely topic proportions of documents where topics are given, by EM from equal shares."""
    from tealeaves._kernels.plsa import fold_in as improve

    shares: Floats = np.full((counts.shape[0], len(topic_word)), 1 / len(topic_word))
    improve(*_parts(counts), shares, np.ascontiguousarray(topic_word.T), steps)
    return shares
