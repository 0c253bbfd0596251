"""D-ETM, the dynamic embedded topic model of Dieng, Ruiz and Blei, fitted with topica."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._optional import require
from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.fit._matrix import document_term, in_all_documents, need_at_least, need_positive, need_tokens
from tealeaves.fit.dlda import slices_of_texts

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Floats = NDArray[np.float64]
DENSE = 400  # words: below, all of the decomposition costs nothing


def detm(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    vectors: Any = None,
    dimensions: int = 50,
    delta: float = 0.005,
    iterations: int = 100,
    batch: int | None = None,
    rate: float = 0.02,
    hidden: int = 50,
    restarts: int = 4,
) -> DynamicTopicModel:
    """Fit topics as drifting points among word vectors; the same seed gives the same model.

    It often ends with two subjects in one topic, hence the restarts, and takes far more time than D-LDA
    (``dlda``), which finds planted topics better.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words, each in a slice of time. A slice in which no document has a word is a gap.
    k : int
        The number of topics, 2 or more.
    seed : int
        Of the network's first weights and of the batches.
    vectors : mapping, pair or KeyedVectors, optional
        Of the words, as `tealeaves.vectors.WordVectors` takes them; a word without one stands at the mean.
        By default they are made of the corpus itself: a truncated SVD of the positive pointwise mutual
        information of words in documents.
    dimensions : int
        Of vectors made of the corpus.
    delta : float
        Variance of a topic's step from slice to slice.
    iterations : int
        Epochs.
    batch : int
        Documents for each step of the optimiser; by default a twentieth of them, 25 at least. More steps
        (smaller batches, more epochs) find planted topics better.
    rate : float
        Of learning, of the optimiser (Adam).
    hidden : int
        Width of the network that infers a document's topics.
    restarts : int
        How many times it is fitted, each from other first weights: the fit of the highest bound is taken.

    Returns
    -------
    DynamicTopicModel
        With the topics of the corpus' documents.

    Raises
    ------
    InputError
        If documents have no slices, the corpus is too small for k topics, or no word has a vector.

    References
    ----------
    Dieng, Ruiz and Blei (2019), arXiv:1907.05545.
    """
    need_positive(delta=delta, rate=rate)
    need_tokens(corpus)
    batch = max(25, len(corpus) // 20) if batch is None else batch
    need_at_least(
        iterations=(iterations, 1),
        restarts=(restarts, 1),
        batch=(batch, 1),
        hidden=(hidden, 1),
        dimensions=(dimensions, 2),
    )
    given, texts, times, used = slices_of_texts(corpus, k)
    ids = np.flatnonzero(corpus.word_counts() > 0)
    points = _points(corpus, ids, seed, dimensions) if vectors is None else _given(corpus, ids, vectors)
    words = [str(i) for i in ids.tolist()]
    trainers = []
    for start in np.random.SeedSequence(seed).generate_state(restarts).tolist():
        trainer = require("topica", "fit").DETM(
            k,
            delta=delta,
            hidden_size=hidden,
            eta_hidden_size=hidden,
            eta_nlayers=1,
            batch_size=batch,
            lr=rate,
            grad_clip=2.0,
            seed=start,
        )
        trainer.fit(texts, points, words, times=times, iters=iterations, progress=_quiet)
        trainers.append(trainer)
    trainer = max(trainers, key=lambda fitted: float(fitted.bound))
    weights = np.zeros((len(used), k, len(corpus.vocabulary)))
    columns = np.array([int(word) for word in trainer.vocabulary])
    weights[np.ix_(np.flatnonzero(used), np.arange(k), columns)] = trainer.beta_over_time
    settings = f"delta={delta}, iterations={iterations}, batch={batch}, rate={rate}, hidden={hidden}"
    settings += f", restarts={restarts}"
    by = f"dimensions={dimensions}" if vectors is None else "vectors given"
    return DynamicTopicModel(
        corpus.vocabulary,
        weights,
        "time topic word",
        slice_labels=corpus.slice_labels,
        doc_topic=in_all_documents(trainer.doc_topic, given, len(corpus), np.full(k, 1 / k)),
        slice_of=corpus.slice_of,
        corpus=corpus,
        name=f"detm-{k}",
        source=f"tealeaves.fit: topica DETM, k={k}, seed={seed}, {settings}, {by}",
    )


def _points(corpus: "Corpus", ids: NDArray[np.int64], seed: int, dimensions: int) -> Floats:
    """Vectors of words that share documents more often than by chance, of mean 0 and variance 1."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import svds

    there = (document_term(corpus)[:, ids] > 0).astype(np.float64)
    joint = csr_matrix(there.T @ there).tocoo()
    alone = np.asarray(there.sum(axis=0)).ravel()
    information = np.log(joint.data * there.shape[0] / (alone[joint.row] * alone[joint.col]))
    positive = csr_matrix((np.maximum(information, 0.0), (joint.row, joint.col)), shape=joint.shape)
    if len(ids) <= max(DENSE, dimensions + 1):
        vectors, values, _ = np.linalg.svd(positive.toarray())
        vectors, values = vectors[:, :dimensions], values[:dimensions]
    else:
        start = np.random.default_rng(seed).normal(size=len(ids))
        vectors, values, _ = svds(positive, k=dimensions, v0=start)
    return _standard(vectors * np.sqrt(values))


def _given(corpus: "Corpus", ids: NDArray[np.int64], vectors: Any) -> Floats:
    from tealeaves.vectors import WordVectors

    rows = WordVectors(vectors).rows([corpus.vocabulary[i] for i in ids.tolist()])
    known = np.isfinite(rows).all(axis=1)
    if rows.shape[1] == 0 or known.sum() < 2:
        raise InputError("fewer than 2 words of the corpus have a vector: are the vectors of its language?")
    rows[~known] = rows[known].mean(axis=0)
    return _standard(rows)


def _standard(rows: Floats) -> Floats:
    """Mean 0 and variance 1 in each dimension: the optimiser's steps are made for vectors of this size."""
    spread = rows.std(axis=0)
    standard: Floats = (rows - rows.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    return standard


def _quiet(iteration: int, total: int, about: object) -> None:
    """No bar of progress."""
