"""Planted corpora of topics that stay: plain, unequal in size, correlated, and duplicated."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.synthetic._draws import check, check_between, check_positive, drawn

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
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

    check(seed, k=k, documents=documents, length=length, vocabulary=vocabulary)
    several = isinstance(alpha, list | tuple | np.ndarray) and np.ndim(alpha)
    each: list[Any] = list(alpha) if several else [alpha]  # type: ignore[arg-type]
    for one in each:
        check_positive(alpha=one)
    check_positive(beta=beta)
    given = np.asarray(alpha, dtype=np.float64)
    if given.shape not in ((), (k,)):
        raise InputError(f"alpha must be one number or {k}, one for each topic; got {given.size}")
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(vocabulary, beta), size=k)
    theta = rng.dirichlet(np.broadcast_to(given, (k,)), size=documents)
    corpus, z = drawn(rng, phi, theta, length)
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

    check(seed, k=k, documents=documents, length=length, vocabulary=vocabulary)
    check_between(-1, 1, correlation=correlation)
    check_positive(spread=spread, beta=beta)
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(vocabulary, beta), size=k)
    covariance = spread * np.eye(k)
    for first in range(0, k - 1, 2):
        covariance[[first, first + 1], [first + 1, first]] = spread * correlation
    theta = np.exp(rng.multivariate_normal(np.zeros(k), covariance, size=documents))
    theta /= theta.sum(axis=1, keepdims=True)
    corpus, z = drawn(rng, phi, theta, length)
    words = corpus.vocabulary
    return corpus, TopicModel(
        words, topic_word=phi, doc_topic=theta, assignments=z, eta=beta, name=f"truth-{k}"
    )


def skewed(
    k: int,
    documents: int,
    length: int,
    vocabulary: int,
    *,
    ratio: float = 30.0,
    alpha: float = 0.1,
    beta: float = 0.05,
    seed: int = 0,
) -> "tuple[Corpus, TopicModel]":
    """A corpus of topics of very unequal sizes, the largest first, and the true model.

    Expected sizes fall by the same factor from topic to topic; see `lda` for sizes of your own.

    Parameters
    ----------
    k : int
        Topics, each drawn from a symmetric Dirichlet(beta) over the words.
    documents, length : int
        Number of documents, and the mean of their Poisson lengths (at least one token each).
    vocabulary : int
        Words, named ``w0``, ``w1``, …
    ratio : float
        How many times as large as the smallest topic the largest is expected to be; 1 makes all alike.
    alpha : float
        Mean Dirichlet parameter of topics in a document; each topic's is in proportion to its size.
    beta : float
        Dirichlet parameter of words in a topic.
    seed : int
        Same seed, same corpus.

    Returns
    -------
    corpus, model
        The model's ``doc_topic``, ``assignments`` and ``alpha`` are the true ones.

    Raises
    ------
    InputError
        If a size is below 1, a parameter is not positive, or ``ratio`` is below 1.

    Examples
    --------
    >>> corpus, truth = skewed(k=3, documents=500, length=30, vocabulary=50, ratio=100, seed=1)
    >>> sizes = np.bincount(truth.assignments)
    >>> truth.alpha.round(3).tolist(), bool(sizes[0] > 5 * sizes[1] > 25 * sizes[2])
    ([0.27, 0.027, 0.003], True)
    """
    check(seed, k=k)
    check_between(1, np.inf, ratio=ratio)
    check_positive(alpha=alpha, ratio=ratio)
    sizes = ratio ** -np.linspace(0, 1, k)
    each = alpha * k * sizes / sizes.sum()
    return lda(k, documents, length, vocabulary, alpha=each.tolist(), beta=beta, seed=seed)


def duplicated(
    k: int,
    documents: int,
    length: int,
    vocabulary: int,
    *,
    copies: int = 1,
    alike: float = 1.0,
    alpha: float = 0.1,
    beta: float = 0.05,
    seed: int = 0,
) -> "tuple[Corpus, TopicModel]":
    """A corpus in which some topics stand twice, and the true model.

    Topic ``k - copies + i`` is topic i again: ``alike`` of the first and the rest a draw of its own.

    Parameters
    ----------
    k : int
        Topics, the copies among them.
    documents, length : int
        Number of documents, and the mean of their Poisson lengths (at least one token each).
    vocabulary : int
        Words, named ``w0``, ``w1``, …
    copies : int
        How many topics are copies; at most half of them.
    alike : float
        From 0, no copy at all, to 1, the same topic.
    alpha, beta : float
        Dirichlet parameters of topics in a document and of words in a topic.
    seed : int
        Same seed, same corpus.

    Returns
    -------
    corpus, model
        The model's ``doc_topic`` and ``assignments`` are the true ones.

    Raises
    ------
    InputError
        If a size is below 1, a parameter is not positive, or there are too many copies.

    Examples
    --------
    >>> corpus, truth = duplicated(k=3, documents=20, length=30, vocabulary=50, copies=1, seed=1)
    >>> bool((truth.topic_word[0] == truth.topic_word[2]).all())
    True
    """
    from tealeaves.model import TopicModel

    check(seed, k=k, documents=documents, length=length, vocabulary=vocabulary)
    check_positive(alpha=alpha, beta=beta)
    if isinstance(copies, bool) or not isinstance(copies, int | np.integer) or not 0 <= copies <= k // 2:
        raise InputError(f"copies must be a whole number from 0 to half of k, {k // 2}; got {copies!r}")
    check_between(0, 1, alike=alike)
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(vocabulary, beta), size=k)
    phi[k - copies :] = alike * phi[:copies] + (1 - alike) * phi[k - copies :]
    theta = rng.dirichlet(np.full(k, alpha), size=documents)
    corpus, z = drawn(rng, phi, theta, length)
    return corpus, TopicModel(
        corpus.vocabulary,
        topic_word=phi,
        doc_topic=theta,
        assignments=z,
        alpha=alpha,
        eta=beta,
        name=f"truth-{k}",
    )
