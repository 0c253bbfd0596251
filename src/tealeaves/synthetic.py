"""Planted corpora with the model that made them: the right answer is known."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.model import TopicModel


def lda(
    k: int,
    documents: int,
    length: int,
    vocabulary: int,
    *,
    alpha: float | Sequence[float] = 0.1,
    beta: float = 0.05,
    seed: int = 0,
) -> "tuple[Corpus, TopicModel]":
    """A corpus drawn from latent Dirichlet allocation, and the true model with the topic of each token.

    Parameters
    ----------
    k : int
        Topics, each drawn from a symmetric Dirichlet(beta) over the words.
    documents, length : int
        Number of documents, and the mean of their Poisson lengths (at least one token each).
    vocabulary : int
        Words, named ``w0``, ``w1``, …
    alpha : float or sequence of k floats
        Dirichlet parameter of topics in a document: one for all, or one each for topics of unlike sizes.
    beta : float
        Dirichlet parameter of words in a topic.
    seed : int
        Same seed, same corpus.

    Returns
    -------
    corpus, model
        The model's ``doc_topic`` and ``assignments`` are the true ones.

    Raises
    ------
    InputError
        If a size is below 1, or a parameter is not positive.

    Examples
    --------
    >>> corpus, truth = lda(k=3, documents=20, length=30, vocabulary=50, seed=1)
    >>> len(corpus), truth.n_topics, len(truth.assignments) == corpus.n_tokens
    (20, 3, True)
    """
    from tealeaves.model import TopicModel

    _check(k=k, documents=documents, length=length, vocabulary=vocabulary)
    given = np.asarray(alpha, dtype=np.float64)
    if given.shape not in ((), (k,)):
        raise InputError(f"alpha must be one number or {k}, one for each topic; got {given.size}")
    if not ((given > 0).all() and beta > 0):
        raise InputError(f"alpha and beta must be above 0; got {alpha} and {beta}")
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(vocabulary, beta), size=k)
    theta = rng.dirichlet(np.broadcast_to(given, (k,)), size=documents)
    corpus, z = _drawn(rng, phi, theta, length)
    words = corpus.vocabulary
    return corpus, TopicModel(
        words, topic_word=phi, doc_topic=theta, assignments=z, alpha=given, eta=beta, name=f"truth-{k}"
    )


def correlated(
    k: int,
    documents: int,
    length: int,
    vocabulary: int,
    *,
    correlation: float = 0.8,
    spread: float = 2.0,
    beta: float = 0.05,
    seed: int = 0,
) -> "tuple[Corpus, TopicModel]":
    """A corpus whose topics go in pairs (0 with 1, 2 with 3, …), and the true model.

    Shares of topics are the softmax of normal numbers of variance ``spread``; the two of a pair correlate.

    Parameters
    ----------
    k : int
        Topics, each drawn from a symmetric Dirichlet(beta) over the words.
    documents, length : int
        Number of documents, and the mean of their Poisson lengths (at least one token each).
    vocabulary : int
        Words, named ``w0``, ``w1``, …
    correlation : float
        Of the two topics of a pair, from -1 to 1.
    spread : float
        The larger, the fewer topics a document has.
    beta : float
        Dirichlet parameter of words in a topic.
    seed : int
        Same seed, same corpus.

    Returns
    -------
    corpus, model
        The model's ``doc_topic`` and ``assignments`` are the true ones.

    Raises
    ------
    InputError
        If a size is below 1, a parameter is not positive, or the correlation is none.

    Examples
    --------
    >>> corpus, truth = correlated(k=4, documents=500, length=30, vocabulary=50, seed=1)
    >>> together = np.corrcoef(truth.doc_topic.T)
    >>> bool(together[0, 1] > 0 > together[0, 2])
    True
    """
    from tealeaves.model import TopicModel

    _check(k=k, documents=documents, length=length, vocabulary=vocabulary)
    if not -1 <= correlation <= 1:
        raise InputError(f"correlation must be from -1 to 1; got {correlation}")
    if spread <= 0 or beta <= 0:
        raise InputError(f"spread and beta must be above 0; got {spread} and {beta}")
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(vocabulary, beta), size=k)
    covariance = spread * np.eye(k)
    for first in range(0, k - 1, 2):
        covariance[[first, first + 1], [first + 1, first]] = spread * correlation
    theta = np.exp(rng.multivariate_normal(np.zeros(k), covariance, size=documents))
    theta /= theta.sum(axis=1, keepdims=True)
    corpus, z = _drawn(rng, phi, theta, length)
    words = corpus.vocabulary
    return corpus, TopicModel(
        words, topic_word=phi, doc_topic=theta, assignments=z, eta=beta, name=f"truth-{k}"
    )


def drifting(
    k: int,
    documents: int,
    length: int,
    vocabulary: int,
    slices: int,
    *,
    drift: float = 0.5,
    alpha: float = 0.1,
    beta: float = 0.05,
    seed: int = 0,
) -> "tuple[Corpus, DynamicTopicModel]":
    """A corpus over time, drawn from topics whose words change by equal steps, and the true model.

    Each topic goes from one draw of a symmetric Dirichlet(beta) towards another: in slice t of T it is
    ``(1 - w) * first + w * second`` with ``w = drift * t / (T - 1)``.

    Parameters
    ----------
    k : int
        Topics.
    documents, length : int
        Number of documents, spread evenly over the slices in their order, and the mean of their Poisson
        lengths (at least one token each).
    vocabulary : int
        Words, named ``w0``, ``w1``, …
    slices : int
        T, called ``0``, ``1``, …
    drift : float
        The share of a topic's probability that is another's by the last slice: 0 is no drift.
    alpha, beta : float
        Dirichlet parameters of topics in a document and of words in a topic.
    seed : int
        Same seed, same corpus.

    Returns
    -------
    corpus, model
        The model's ``doc_topic`` is the true one.

    Raises
    ------
    InputError
        If a size is below 1, a parameter is not positive, or ``drift`` is not a share.

    Examples
    --------
    >>> corpus, truth = drifting(k=2, documents=30, length=20, vocabulary=40, slices=3, seed=1)
    >>> len(corpus), corpus.slice_labels, truth.topic_word.shape
    (30, ('0', '1', '2'), (3, 2, 40))
    """
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel

    _check(k=k, documents=documents, length=length, vocabulary=vocabulary, slices=slices)
    if alpha <= 0 or beta <= 0:
        raise InputError(f"alpha and beta must be above 0; got {alpha} and {beta}")
    if not 0 <= drift <= 1:
        raise InputError(f"drift must be a share from 0 to 1; got {drift}")
    rng = np.random.default_rng(seed)
    first, last = rng.dirichlet(np.full(vocabulary, beta), size=(2, k))
    moved = (drift * np.arange(slices) / max(slices - 1, 1))[:, None, None]
    phi = (1 - moved) * first + moved * last
    slice_of = (np.arange(documents) * slices // documents).astype(np.int32)
    theta = rng.dirichlet(np.full(k, alpha), size=documents)
    lengths, z = _topics_of_tokens(rng, theta, length)
    source = np.repeat(slice_of, lengths) * k + z  # which of the T * K distributions a token is drawn from
    tokens = np.empty(len(z), dtype=np.int32)
    for t, topic in np.ndindex(slices, k):
        places = np.flatnonzero(source == t * k + topic)
        tokens[places] = rng.choice(vocabulary, size=len(places), p=phi[t, topic] / phi[t, topic].sum())
    words = tuple(f"w{i}" for i in range(vocabulary))
    labels = tuple(map(str, range(slices)))
    corpus = Corpus(
        vocabulary=words,
        tokens=tokens,
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        slice_of=slice_of,
        slice_labels=labels,
    )
    model = DynamicTopicModel(
        words,
        phi,
        "time topic word",
        slice_labels=labels,
        doc_topic=theta,
        slice_of=slice_of,
        name=f"truth-{k}",
    )
    return corpus, model


def _check(**sizes: int) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise InputError(f"{name} must be at least 1; got {size}")


def _topics_of_tokens(
    rng: np.random.Generator, theta: NDArray[np.float64], length: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """How long each document is, and the topic of each token."""
    lengths = np.maximum(rng.poisson(length, size=len(theta)), 1)
    up_to = np.cumsum(theta, axis=1)[np.repeat(np.arange(len(theta)), lengths)]
    z = (rng.random((len(up_to), 1)) > up_to).sum(axis=1).clip(max=theta.shape[1] - 1)
    return lengths, z.astype(np.int32)


def _drawn(
    rng: np.random.Generator, phi: NDArray[np.float64], theta: NDArray[np.float64], length: int
) -> "tuple[Corpus, NDArray[np.int32]]":
    """Documents with these shares of topics, and the topic of each token."""
    from tealeaves.corpus import Corpus

    lengths, z = _topics_of_tokens(rng, theta, length)
    n_topics, n_words = phi.shape
    tokens = np.empty(len(z), dtype=np.int32)
    for topic in range(n_topics):
        places = np.flatnonzero(z == topic)
        tokens[places] = rng.choice(n_words, size=len(places), p=phi[topic])
    words = tuple(f"w{i}" for i in range(n_words))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Corpus(vocabulary=words, tokens=tokens, offsets=offsets), z
