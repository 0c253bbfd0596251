"""Inference with fixed topics: the topic proportions of documents, and the topic of each token."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves._watch import tell
from tealeaves.errors import InputError, MissingInput

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
METHODS = ("vb", "em", "gibbs")
ITERATIONS, TOLERANCE = 100, 1e-3
BURN_IN, SAMPLES = 50, 50
STATES = 2_000_000  # count vectors that an exact sum may go through
CHUNK = 20_000  # tokens that a thread takes at a time


@dataclass(frozen=True, eq=False)
class Inferred:
    """What `infer` found of D documents with N tokens, for K topics.

    Attributes
    ----------
    doc_topic : array of shape (D, K)
        Topic proportions: rows sum to 1. Of a document without known words it is the prior's mean
        (with ``em``, equal shares).
    assignments : int32 array of shape (N,)
        The topic of each token of the corpus; -1 for a token that the model has no word for.
    unknown : int64 array of shape (D,)
        How many tokens of each document the model has no word for.
    iterations : int64 array of shape (D,)
        Rounds that a document took; as many as asked for where it did not settle.
    vocabulary, topic_word
        The model's words, and the K topics over them: those fixed first, then those learnt.
    alpha : array of shape (K,), or None
        The prior that was used.
    method : str
        What was done, with every setting.
    """

    doc_topic: Floats
    assignments: Ids
    unknown: Ints
    iterations: Ints
    vocabulary: tuple[str, ...]
    topic_word: Floats
    alpha: Floats | None
    method: str

    def model(self, corpus: "Corpus", name: str = "model") -> "TopicModel":
        """The model of these documents: its topics, with their proportions and assignments."""
        from tealeaves.model import TopicModel

        return TopicModel(
            self.vocabulary,
            self.topic_word,
            doc_topic=self.doc_topic,
            assignments=self.assignments,
            alpha=self.alpha,
            corpus=corpus,
            name=name,
            source=f"inferred with fixed topics: {self.method}",
        )


def infer(
    model: "TopicModel",
    corpus: "Corpus",
    method: str | None = None,
    *,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    burn_in: int = BURN_IN,
    samples: int = SAMPLES,
    alpha: ArrayLike | None = None,
    free_topics: int = 0,
    beta: float = 0.01,
    topics: str = "mean",
    seed: int = 0,
    workers: int | None = None,
) -> Inferred:
    """Topic proportions and token topics of documents, with the topics of a model held fixed.

    Parameters
    ----------
    model : TopicModel
        Any with weights of words that can be made probabilities.
    corpus : Corpus
        The documents; words that the model does not have take no part, and are counted.
    method : {"vb", "em", "gibbs"}, optional
        ``vb``: variational Bayes of LDA: the mean of the Dirichlet nearest to the posterior. ``em``: the
        proportions of most likelihood (the folding-in of pLSA), which needs no prior. ``gibbs``: collapsed
        Gibbs sampling, the mean over draws of (n_k + alpha_k) / (N + sum alpha). By default ``vb`` if the
        model has a prior, else ``em``.
    iterations : int
        Rounds of ``vb`` and ``em`` at most.
    tolerance : float
        They end when a topic's expected tokens in a document change by less, in the mean over topics.
    burn_in, samples : int
        Sweeps of ``gibbs`` before those that count, and how many count.
    alpha : float or array of shape (K,), optional
        Another prior than the model's.
    free_topics : int
        So many topics more are learnt from the corpus beside the fixed ones, by one chain over all of it.
        ``gibbs`` only.
    beta : float
        Dirichlet prior of the words of free topics.
    topics : {"mean", "geometric"}
        ``geometric``: the model's weights are pseudo-counts of words, and a word counts in ``vb`` with exp
        of its expected log probability, as in scikit-learn and gensim; ``mean``: with its probability.
    seed : int
        Each document has its own generator: same seed, same numbers, on any number of ``workers``.
    workers : int, optional
        Threads; all cores if not said.

    Returns
    -------
    Inferred
        ``assignments`` are the likeliest topics, argmax_k theta_dk phi_kw, with ``vb`` and ``em``, and the
        last draw with ``gibbs``.

    Raises
    ------
    MissingInput
        If the model is lists of words alone, or ``vb`` or ``gibbs`` has no prior.
    InputError
        If the model's weights are negative, as LSI's are, or an argument is none of these.

    Examples
    --------
    >>> import tealeaves as tl
    >>> model = tl.TopicModel(["gas", "law", "oil"], [[0.4, 0, 0.6], [0.1, 0.9, 0]], alpha=0.1)
    >>> found = tl.infer(model, tl.Corpus.from_tokens([["oil", "gas", "tin"], ["law"]]), method="em")
    >>> found.doc_topic.round(2), found.assignments, found.unknown
    (array([[1., 0.],
           [0., 1.]]), array([ 0,  0, -1,  1], dtype=int32), array([1, 0]))
    """
    phi, prior = fixed_topics(model), prior_of(model, alpha, free_topics)
    if method is None:
        method = "gibbs" if free_topics else "em" if prior is None else "vb"
    check(method=method, iterations=iterations, tolerance=tolerance, burn_in=burn_in, samples=samples)
    if prior is None and method != "em":
        raise MissingInput(
            f"{method!r} needs a Dirichlet prior of topics in a document, and model {model.name!r} has none: "
            "hand over alpha=, or use method='em'"
        )
    ids, unknown = word_ids(model.vocabulary, corpus)
    weights = geometric(model) if topics == "geometric" else phi
    if topics not in ("mean", "geometric") or (topics == "geometric" and method != "vb"):
        raise InputError(f"topics must be 'mean', or with method='vb' 'geometric'; got {topics!r}")
    said = {"iterations": iterations, "tolerance": tolerance}
    if method == "gibbs":
        said = {"burn_in": burn_in, "samples": samples, "seed": seed}
    if free_topics:
        if method != "gibbs" or free_topics < 0 or not beta > 0:
            raise InputError("free_topics= is a number of topics learnt by method='gibbs', with beta above 0")
        theta, phi, z = _with_free(phi, prior, ids, corpus.offsets, free_topics, beta, burn_in, samples, seed)
        used = np.full(len(corpus), burn_in + samples)
        said |= {"free_topics": free_topics, "beta": beta}
    else:
        theta, used, z = proportions(
            ids, corpus.offsets, weights, prior, method, iterations=iterations, tolerance=tolerance,
            burn_in=burn_in, samples=samples, seed=seed, workers=workers,
        )  # fmt: skip
        if method != "gibbs":
            z = np.empty(len(ids), np.int32)
            _likeliest(ids, corpus.offsets, phi, theta, z, workers)
    shown = ", ".join(f"{key}={value:g}" for key, value in said.items())
    return Inferred(theta, z, unknown, used, model.vocabulary, phi, prior, f"{method}({shown})")


def fixed_topics(model: "TopicModel") -> Floats:
    """p(word | topic) of a model whose topics are distributions over words; else an error that says why."""
    if getattr(model, "n_slices", None) is not None:
        raise InputError(
            f"model {model.name!r} has topics over time: infer with those of one slice, model.slice(t)"
        )
    return model.probabilities()


def prior_of(model: "TopicModel", alpha: ArrayLike | None = None, free_topics: int = 0) -> Floats | None:
    """The Dirichlet prior of topics in a document: alpha= if given, else the model's, or None."""
    found = model.alpha if alpha is None else np.asarray(alpha, dtype=np.float64)
    if found is None:
        return None
    if found.ndim == 0 or len(found) == 1:
        found = np.full(model.n_topics + free_topics, float(found.ravel()[0]))
    if len(found) == model.n_topics and free_topics:
        found = np.concatenate([found, np.full(free_topics, found.mean())])
    if found.shape != (model.n_topics + free_topics,) or not (np.isfinite(found) & (found > 0)).all():
        wanted = f"one number above 0, or {model.n_topics + free_topics} of them"
        raise InputError(f"alpha must be {wanted}; got {found.tolist() if alpha is None else alpha}")
    return found


def geometric(model: "TopicModel") -> Floats:
    """exp(E log phi) of Dirichlet topics whose parameters are the model's weights, (K, V)."""
    from scipy.special import digamma

    weights = model.topic_word
    if weights is None or model.normalized or (weights <= 0).any():
        raise MissingInput(
            f"model {model.name!r} has probabilities, where pseudo-counts of words above 0 are needed "
            "(scikit-learn's components_, gensim's lambda)"
        )
    found: Floats = np.exp(digamma(weights) - digamma(weights.sum(axis=1, keepdims=True)))
    return found


def word_ids(vocabulary: "tuple[str, ...]", corpus: "Corpus") -> tuple[Ids, Ints]:
    """The tokens of a corpus as ids of ``vocabulary``, -1 for others; how many others each document has."""
    index = {word: i for i, word in enumerate(vocabulary)}
    new = np.array([index.get(word, -1) for word in corpus.vocabulary] + [-1], dtype=np.int32)
    ids = new[corpus.tokens]
    before = np.concatenate([[0], np.cumsum(ids < 0)])
    return ids, before[corpus.offsets[1:]] - before[corpus.offsets[:-1]]


def proportions(
    tokens: Ids,
    offsets: Ints,
    topic_word: Floats,
    prior: Floats | None,
    method: str,
    *,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    burn_in: int = BURN_IN,
    samples: int = SAMPLES,
    keys: Ints | None = None,
    seed: int = 0,
    workers: int | None = None,
) -> tuple[Floats, Ints, Ids]:
    """Topic proportions (D, K) of documents, the rounds they took, and the drawn topics if there are any.

    ``keys`` number the documents for their generators. ``method`` may be "posterior_mean" too: the exact
    mean of theta, for few topics and short documents.
    """
    from tealeaves._kernels import inference as kernels

    topics = np.ascontiguousarray(topic_word.T)
    n, k = len(offsets) - 1, topics.shape[1]
    theta, used = np.empty((n, k)), np.zeros(n, np.int64)
    z = np.empty(len(tokens) if method == "gibbs" else 0, np.int32)
    if method == "gibbs":
        keys = np.arange(n) if keys is None else keys

        def run(first: int, last: int) -> None:
            kernels.gibbs(
                tokens, offsets, keys, topics, prior, burn_in, samples, np.uint64(seed), first, last, theta, z
            )

        over_documents(run, offsets, workers)
        return theta, used + burn_in + samples, z
    if method == "posterior_mean":
        known = tokens >= 0
        ends = np.concatenate([[0], np.cumsum(known)])[offsets]
        return exact(tokens[known], ends, topic_word, _given(prior), workers)[1], used, z
    if method == "vb":
        gamma, used = dirichlet(tokens, offsets, topic_word, _given(prior), iterations, tolerance, workers)
        return gamma / gamma.sum(axis=1, keepdims=True), used, z
    words, counts, bounds = _bags(tokens, offsets)

    def fold_in(first: int, last: int) -> None:
        kernels.em(words, counts, bounds, topics, iterations, tolerance, first, last, theta, used)

    over_documents(fold_in, bounds, workers)
    return theta, used, z


def dirichlet(
    tokens: Ids, offsets: Ints, topic_word: Floats, prior: Floats, iterations: int, tolerance: float,
    workers: int | None,
) -> tuple[Floats, Ints]:  # fmt: skip
    """The Dirichlet nearest to the posterior of each document's proportions, (D, K), and its rounds, (D,)."""
    from tealeaves._kernels.inference import vb

    words, counts, bounds = _bags(tokens, offsets)
    topics = np.ascontiguousarray(topic_word.T)
    gamma, used = np.empty((len(offsets) - 1, topics.shape[1])), np.zeros(len(offsets) - 1, np.int64)

    def run(first: int, last: int) -> None:
        vb(words, counts, bounds, topics, prior, iterations, tolerance, first, last, gamma, used)

    over_documents(run, bounds, workers)
    return gamma, used


def _bags(tokens: Ids, offsets: Ints) -> tuple[Ids, Floats, Ints]:
    from tealeaves._kernels.inference import bags

    words, counts = np.empty(len(tokens), np.int32), np.empty(len(tokens))
    bounds = np.empty(len(offsets), np.int64)
    bags(tokens, offsets, words, counts, bounds)
    return words, counts, bounds


def exact(
    tokens: Ids, offsets: Ints, topic_word: Floats, prior: Floats, workers: int | None = None
) -> tuple[Floats, Floats]:
    """log p(w) of each document, exactly, and the exact posterior mean of its proportions.

    A sum over the vectors that say how many tokens each topic has: few topics and short documents only,
    `exact_size` of at most `STATES`.
    """
    from tealeaves._kernels import likelihood as kernels

    longest = int(np.diff(offsets).max(initial=0))
    k = len(topic_word)
    if exact_size(longest, k) > STATES:
        raise InputError(too_long(longest, k))
    choose = np.array([[comb(i, j) for j in range(k + 1)] for i in range(longest + k + 1)], dtype=np.float64)
    choose = np.minimum(choose, 2.0**62).astype(np.int64)
    counts, before = kernels.count_vectors(exact_size(longest, k), k, longest, choose)
    log_p, mean = np.empty(len(offsets) - 1), np.empty((len(offsets) - 1, k))
    topics = np.ascontiguousarray(topic_word.T)

    def run(first: int, last: int) -> None:
        kernels.exact(tokens, offsets, topics, prior, counts, before, choose, first, last, log_p, mean)

    over_documents(run, offsets, workers)
    return log_p, mean


def exact_size(length: int, k: int) -> int:
    """How many count vectors a document of so many tokens has for k topics."""
    return comb(length + k - 1, k - 1)


def too_long(length: int, k: int) -> str:
    """Why a document cannot be summed over exactly."""
    return (
        f"exact sums are for few topics and short documents: {length} words and {k} topics "
        f"have {exact_size(length, k):.3g} count vectors, more than {STATES:,}"
    )


def over_documents(run: Callable[[int, int], None], offsets: Ints, workers: int | None) -> None:
    """Call ``run(first, last)`` for stretches of documents with about as many tokens, on threads."""
    n = len(offsets) - 1
    if n <= 0:
        return
    sizes = np.arange(
        0, int(offsets[-1]) + n, CHUNK
    )  # a document costs a token more, so that empty ones count
    starts = np.unique(np.searchsorted(offsets[:-1] + np.arange(n), sizes))
    cuts = [*starts[starts < n].tolist(), n]
    if cuts[0] != 0:
        cuts.insert(0, 0)
    pairs = list(pairwise(cuts))
    threads = min(max(1, workers or os.cpu_count() or 1), len(pairs))
    if threads == 1:
        for pair in pairs:
            run(*pair)
            tell(pair[1], n)
        return
    with ThreadPoolExecutor(threads) as pool:
        for pair, _ in zip(pairs, pool.map(lambda pair: run(*pair), pairs), strict=True):
            tell(pair[1], n)


def check(**given: Any) -> None:
    """Refuse settings of inference that mean nothing."""
    if given["method"] not in METHODS:
        raise InputError(f"method must be one of {', '.join(map(repr, METHODS))}; got {given['method']!r}")
    for name in ("iterations", "samples"):
        if not isinstance(given[name], int | np.integer) or given[name] < 1:
            raise InputError(f"{name} must be a whole number of at least 1; got {given[name]!r}")
    if not isinstance(given["burn_in"], int | np.integer) or given["burn_in"] < 0:
        raise InputError(f"burn_in must be a whole number of at least 0; got {given['burn_in']!r}")
    if not isinstance(given["tolerance"], int | float | np.floating) or not given["tolerance"] >= 0:
        raise InputError(f"tolerance must be a number of at least 0; got {given['tolerance']!r}")


def _given(prior: Floats | None) -> Floats:
    if prior is None:
        raise MissingInput("the posterior of topics in a document needs a Dirichlet prior: hand over alpha=")
    return prior


def _likeliest(tokens: Ids, offsets: Ints, phi: Floats, theta: Floats, z: Ids, workers: int | None) -> None:
    from tealeaves._kernels.inference import likeliest

    topics = np.ascontiguousarray(phi.T)
    over_documents(
        lambda first, last: likeliest(tokens, offsets, topics, theta, first, last, z), offsets, workers
    )


def _with_free(
    phi: Floats, prior: Floats | None, ids: Ids, offsets: Ints, free: int, beta: float, burn_in: int,
    samples: int, seed: int,
) -> tuple[Floats, Floats, Ids]:  # fmt: skip
    """Proportions, topics (the fixed ones first) and last draws of a chain over the whole corpus."""
    from tealeaves._kernels.draws import start
    from tealeaves._kernels.inference import TOPICS, sweep_with_free

    (k, n_words), n, rounds = phi.shape, len(offsets) - 1, burn_in + samples
    by_document, by_word, sizes = np.zeros((n, k + free)), np.zeros((n_words, free)), np.zeros(free)
    theta, learnt = np.zeros_like(by_document), np.full_like(by_word, beta * samples)
    state, z = np.empty(2, np.uint64), np.empty(len(ids), np.int32)
    start(state, np.uint64(seed), TOPICS, 0)
    prior = _given(prior)
    given = (ids, offsets, np.ascontiguousarray(phi.T), prior, float(beta))
    for done in range(rounds + 1):  # the first round only begins
        tell(done, rounds + 1)
        sweep_with_free(*given, done == 0, state, by_document, by_word, sizes, z)
        if done > burn_in:
            theta += by_document
            learnt += by_word
    theta = theta / samples + prior
    found = learnt.T / learnt.sum(axis=0)[:, None]
    return theta / theta.sum(axis=1, keepdims=True), np.concatenate([phi, found]), z
