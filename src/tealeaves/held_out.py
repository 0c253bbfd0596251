"""Held-out likelihood: how probable a model finds documents that it was not trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError, MissingInput
from tealeaves.infer import (
    BURN_IN,
    ITERATIONS,
    STATES,
    TOLERANCE,
    dirichlet,
    exact,
    exact_size,
    fixed_topics,
    geometric,
    over_documents,
    prior_of,
    proportions,
    too_long,
    word_ids,
)

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
ESTIMATORS = ("chib", "smc", "left_to_right", "importance", "exact")
INFERENCE = ("auto", "vb", "em", "gibbs", "posterior_mean")
PARTS = 10  # chains, or islands of particles, whose spread tells the error of Chib and SMC
ONE_WORD, NO_WORD, IMPOSSIBLE = "fewer than two words", "no word", "probability 0"
SHOWN = 3  # words named in a reason


@dataclass(frozen=True, eq=False)
class Documents:
    """D documents in the words of a model, to be scored by it.

    Attributes
    ----------
    tokens : int32 array of shape (N,)
        Ids of the model's words, in order; words that it does not have are left out.
    offsets : int64 array of shape (D + 1,)
        Document d is ``tokens[offsets[d]:offsets[d + 1]]``.
    unknown : int64 array of shape (D,)
        Tokens left out of each.
    words : sequence of str
        The model's words, for messages.
    slice_of : int array of shape (D,), optional
        The slice of each document, for topics over time.
    unigram : array of shape (V,), optional
        Probabilities of words without any topics, to compare with.
    seed, workers
        Each document has a generator of its own, so that the number of threads changes nothing.
    """

    tokens: Ids
    offsets: Ints
    unknown: Ints
    words: Sequence[str] = ()
    slice_of: Ids | None = None
    unigram: Floats | None = None
    seed: int = 0
    workers: int | None = None
    keys: Ints | None = None  # numbers of the documents, where these are some of more
    # what was computed already: perplexity and bits per word are of the same probabilities
    scored: dict[tuple[Any, ...], "Scored"] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        """How many known words each has."""
        return np.diff(self.offsets)

    def select(self, chosen: NDArray[np.bool_]) -> "Documents":
        """Some of the documents, with the generators they had."""
        kept = np.repeat(chosen, self.lengths)
        keys = np.arange(len(self)) if self.keys is None else self.keys
        return replace(
            self,
            tokens=self.tokens[kept],
            offsets=np.concatenate([[0], np.cumsum(self.lengths[chosen])]).astype(np.int64),
            unknown=self.unknown[chosen],
            slice_of=None if self.slice_of is None else self.slice_of[chosen],
            keys=keys[chosen],
            scored={},
        )


@dataclass(frozen=True, eq=False)
class Scored:
    """Log probabilities of D documents, and what they make together.

    Attributes
    ----------
    documents : array of shape (D,)
        log p in nats; nan where a document is left out.
    n_words : int64 array of shape (D,)
        Words scored in each.
    error : array of shape (D,)
        Monte Carlo standard error of ``documents``; nan where one run cannot tell it.
    reason : array of str, of shape (D,)
        Why a document is left out or impossible; "" where it is neither.
    unknown : int64 array of shape (D,)
        Tokens outside the model's words, which are not scored; ``known`` are the others.
    unigram : array of shape (D,), or None
        log p of the same words without topics.
    splits : array of shape (S,)
        The log likelihood of each split, where documents were split.
    how : str
        The method, as it was used.
    unbiased : bool
        Whether it is an estimate of p that is right in the mean, so that its logarithm lies low.
    """

    documents: Floats
    n_words: Ints
    error: Floats
    reason: NDArray[np.str_]
    unknown: Ints
    known: Ints
    unigram: Floats | None = None
    splits: Floats = field(default_factory=lambda: np.empty(0))
    how: str = ""
    unbiased: bool = False

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which documents are scored."""
        return np.asarray(~np.isnan(self.documents))

    @property
    def total_words(self) -> int:
        """Words scored."""
        return int(self.n_words[self.kept].sum())

    @property
    def left_out(self) -> int:
        """Documents that are not scored."""
        return int((~self.kept).sum())

    @property
    def unknown_share(self) -> float:
        """The share of tokens that the model has no word for."""
        all_tokens = int(self.unknown.sum() + self.known.sum())
        return float(self.unknown.sum() / all_tokens) if all_tokens else float("nan")

    @property
    def log_likelihood(self) -> float:
        """The sum of log p over documents, in nats; nan if none is scored."""
        return float(self.documents[self.kept].sum()) if self.total_words else float("nan")

    @property
    def log_likelihood_error(self) -> float:
        """Monte Carlo standard error of ``log_likelihood``."""
        with np.errstate(invalid="ignore"):  # where a document is impossible
            if len(self.splits) > 1:
                return float(self.splits.std(ddof=1) / np.sqrt(len(self.splits)))
            return float(np.sqrt((self.error[self.kept] ** 2).sum()))

    @property
    def log_bias(self) -> float:
        """By about how much ``log_likelihood`` lies low: the sum of squared errors, halved; nan if unknown.

        The mean of log of an unbiased estimate of p is below log p, by half its variance to second order.
        Noise averages out over documents; this adds up.
        """
        return float((self.error[self.kept] ** 2).sum() / 2) if self.unbiased else float("nan")

    @property
    def perplexity(self) -> float:
        """exp(-log likelihood / words)."""
        with np.errstate(over="ignore"):
            return float(np.exp(-np.float64(self.log_likelihood) / max(self.total_words, 1)))

    @property
    def perplexity_error(self) -> float:
        """Monte Carlo standard error of ``perplexity``."""
        return self.perplexity * self.log_likelihood_error / max(self.total_words, 1)

    @property
    def bits_per_word(self) -> float:
        """-log2 likelihood / words."""
        return float(-self.log_likelihood / max(self.total_words, 1) / np.log(2))


def score(topic_word: Floats, prior: Floats | None, documents: Documents, **settings: Any) -> Scored:
    """Log probabilities of documents; settings are those of the measure `perplexity`, which explains them.

    ``topic_word`` is (K, V), or (T, K, V) where each document is scored with the topics of its slice.
    """
    given = [topic_word] if prior is None else [topic_word, prior]
    digest = b"".join(blake2b(np.ascontiguousarray(array).data).digest() for array in given)
    key = (digest, *sorted(settings.items()))
    found = documents.scored.get(key)
    if found is None:
        if topic_word.ndim == 3:
            found = _by_slice(topic_word, prior, documents, settings)
        else:
            found = _score(topic_word, prior, documents, settings)
        documents.scored[key] = found
    return found


def completion(
    model: "TopicModel",
    observed: "Corpus",
    scored: "Corpus",
    method: str | None = None,
    *,
    topics: str = "mean",
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    samples: int = 1000,
    smoothing: float = 0.0,
    seed: int = 0,
    workers: int | None = None,
) -> Scored:
    """Document completion with halves that are given: proportions from one, probabilities of the other.

    Parameters
    ----------
    model : TopicModel
        Any whose topics are distributions over words.
    observed, scored : Corpus
        The first and the second part of each document, in the same order.
    method : {"vb", "em", "gibbs", "posterior_mean"}, optional
        How the proportions of a document are inferred; by default ``vb`` if the model has a prior, else
        ``em``.
    topics : {"mean", "geometric"}
        As for `infer`: ``geometric`` is the inference of scikit-learn and gensim.
    iterations, tolerance, samples, smoothing
        As for the measure `perplexity`.
    seed, workers
        As for `infer`.

    Returns
    -------
    Scored
        With ``perplexity``, ``log_likelihood``, ``bits_per_word``, and ``documents``: log p of each. A
        document of which nothing is observed, or nothing scored, is left out.

    Raises
    ------
    InputError
        If the two parts are not of as many documents.

    Examples
    --------
    >>> import tealeaves as tl
    >>> model = tl.TopicModel(["gas", "law", "oil"], [[0.4, 0, 0.6], [0.1, 0.9, 0]], alpha=0.1)
    >>> halves = tl.Corpus.from_tokens([["oil", "gas"]]), tl.Corpus.from_tokens([["oil"]])
    >>> round(completion(model, *halves, method="em").perplexity, 3)  # theta is (1, 0), so 1 / 0.6
    1.667
    """
    if len(observed) != len(scored):
        raise InputError(
            f"observed has {len(observed)} documents, but scored has {len(scored)}: they are to be parts of "
            "the same documents"
        )
    phi, prior = fixed_topics(model), prior_of(model)
    parts = [
        documents_of(model.vocabulary, corpus, seed=seed, workers=workers) for corpus in (observed, scored)
    ]
    settings = {"iterations": iterations, "tolerance": tolerance, "samples": samples}
    inference = _inference(method or "auto", prior)
    if topics == "geometric" and inference != "vb":
        raise InputError("topics='geometric' is variational: it goes with method='vb'")
    weights = geometric(model) if topics == "geometric" else smoothed(phi, smoothing)
    theta = _theta(weights, prior, parts[0], inference, settings, 0)
    log_p = _completed(parts[1], theta, smoothed(phi, smoothing))
    enough = (parts[0].lengths > 0) & (parts[1].lengths > 0)
    error = np.where(inference == "gibbs", np.nan, np.zeros(len(log_p)))
    found = _scored(phi, parts[1], log_p, error, enough, np.empty(0), f"completion by {inference}")
    unknown, known = (a + b for a, b in zip(*((part.unknown, part.lengths) for part in parts), strict=True))
    return replace(found, unknown=unknown, known=known)


class PseudoCounts(NamedTuple):
    """Dirichlet topics: the parameters of each (K, V), and of their prior (V,)."""

    weights: Floats
    prior: Floats


def bound_parts(topics: PseudoCounts, prior: Floats, documents: Documents, *, iterations: int,
                tolerance: float) -> tuple[Floats, float]:  # fmt: skip
    """The variational lower bound of log p: the part of each document (D,), and the term of the topics.

    The term does not depend on the documents: -KL between the topics' Dirichlets and their prior.
    """
    from scipy.special import digamma, gammaln

    from tealeaves._kernels.inference import log_mixture

    weights, eta = topics
    sums = weights.sum(axis=1)
    log_phi = digamma(weights) - digamma(sums)[:, None]
    phi = np.exp(log_phi)
    gamma = dirichlet(
        documents.tokens, documents.offsets, phi, prior, iterations, tolerance, documents.workers
    )[0]
    log_theta = digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True))
    words = np.empty(len(documents))
    theta, topic_rows = np.exp(log_theta), np.ascontiguousarray(phi.T)
    log_mixture(documents.tokens, documents.offsets, topic_rows, theta, 0, len(words), words)
    per_topic = (prior - gamma) * log_theta + gammaln(gamma) - gammaln(prior)
    parts = words + per_topic.sum(axis=1) + gammaln(prior.sum()) - gammaln(gamma.sum(axis=1))
    inside = ((eta - weights) * log_phi + gammaln(weights) - gammaln(eta)).sum()
    return parts, float(inside + (gammaln(eta.sum()) - gammaln(sums)).sum())


def documents_of(
    vocabulary: "tuple[str, ...]",
    corpus: "Corpus",
    *,
    slice_labels: Sequence[str] = (),
    train: "Corpus | None" = None,
    seed: int = 0,
    workers: int | None = None,
) -> Documents:
    """A corpus in the words of a model, in its slices if it has any, with the unigram of ``train``."""
    ids, unknown = word_ids(vocabulary, corpus)
    known = ids >= 0
    ends = np.concatenate([[0], np.cumsum(known)])[corpus.offsets]
    unigram = None
    if train is not None:
        index, counts = train.index, train.word_counts()
        unigram = np.array([counts[index[word]] if word in index else 0 for word in vocabulary]) + 1.0
        unigram /= unigram.sum()
    slice_of = _slices(slice_labels, corpus) if len(slice_labels) else None
    return Documents(ids[known], ends, unknown, vocabulary, slice_of, unigram, seed, workers)


def _slices(slice_labels: Sequence[str], corpus: "Corpus") -> Ids:
    """The number of the model's slice that each document is of."""
    if corpus.slice_of is None or corpus.slice_labels is None:
        raise MissingInput("topics over time score each document in its slice: read the documents with time=")
    index = {label: t for t, label in enumerate(slice_labels)}
    used = np.unique(corpus.slice_of)
    lost = [corpus.slice_labels[t] for t in used if corpus.slice_labels[t] not in index]
    if lost:
        raise MissingInput(
            f"documents are of the slice {lost[0]!r}, for which the model has no topics; it has "
            f"{', '.join(map(repr, list(slice_labels)[:SHOWN]))} …"
        )
    places = np.array([index.get(label, -1) for label in corpus.slice_labels], dtype=np.int32)
    found: Ids = places[corpus.slice_of]
    return found


def smoothed(topic_word: Floats, smoothing: float) -> Floats:
    """Topics with ``smoothing`` added to each probability; rows sum to 1 again."""
    return topic_word if not smoothing else (topic_word + smoothing) / (1 + smoothing * topic_word.shape[-1])


def _by_slice(
    topic_word: Floats, prior: Floats | None, documents: Documents, settings: Mapping[str, Any]
) -> Scored:
    if documents.slice_of is None:
        raise MissingInput("topics over time score each document in its slice: it has to be known")
    n = len(documents)
    columns: dict[str, Any] = {
        "documents": np.full(n, np.nan),
        "n_words": np.zeros(n, np.int64),
        "error": np.full(n, np.nan),
        "reason": np.full(n, NO_WORD, dtype=object),
        "unknown": documents.unknown,
        "unigram": None if documents.unigram is None else np.zeros(n),
        "known": documents.lengths,
    }
    splits: list[Floats] = []
    how, unbiased = "", False
    for t in np.unique(documents.slice_of):
        chosen = documents.slice_of == t
        part = _score(topic_word[t], prior, documents.select(chosen), settings)
        for name in ("documents", "n_words", "error", "reason", "unigram"):
            if columns[name] is not None:
                columns[name][chosen] = getattr(part, name)
        splits.append(part.splits)
        how, unbiased = part.how, part.unbiased
    total = np.sum(splits, axis=0) if splits else np.empty(0)
    columns["reason"] = columns["reason"].astype(str)
    return Scored(**columns, splits=total, how=how, unbiased=unbiased)


def _score(
    topic_word: Floats, prior: Floats | None, documents: Documents, settings: Mapping[str, Any]
) -> Scored:
    present = topic_word.sum(axis=1) > 0  # a topic without words, or one missing in a slice, takes no part
    if not present.any():
        return _nothing(documents)
    phi = np.ascontiguousarray(smoothed(topic_word[present], settings["smoothing"]))
    alpha = None if prior is None else np.ascontiguousarray(prior[present])
    if settings["method"] == "completion":
        return _completion(phi, alpha, documents, settings)
    if alpha is None:
        raise MissingInput(
            f"method={settings['method']!r} needs a Dirichlet prior of topics in a document (alpha), and the "
            "model has none: use method='completion', or say alpha= when the model is made"
        )
    return _estimate(phi, alpha, documents, settings)


def _nothing(documents: Documents) -> Scored:
    """What topics without any word make of documents."""
    undefined = np.full(len(documents), np.nan)
    return Scored(
        documents=undefined,
        n_words=np.zeros(len(documents), np.int64),
        error=undefined,
        reason=np.full(len(documents), "no topic has any word"),
        unknown=documents.unknown,
        known=documents.lengths,
        how="nothing",
    )


def _completion(
    phi: Floats, prior: Floats | None, documents: Documents, settings: Mapping[str, Any]
) -> Scored:
    """Infer the proportions of each document from one half, score the other; the mean over splits."""
    inference = _inference(settings["inference"], prior)
    enough = documents.lengths >= 2
    random = settings["split"] == "random"
    rounds = settings["splits"] if random or inference == "gibbs" else 1
    log_p = np.empty((rounds, len(documents)))
    unigrams: list[Floats] = []
    half = documents
    for r in range(rounds):
        seen, half = split(documents, settings["split"], r)
        theta = _theta(phi, prior, seen, inference, settings, r)
        log_p[r] = _completed(half, theta, phi)
        unigrams += [one for one in [_unigram(half)] if one is not None]
    mean = log_p.mean(axis=0)
    spread = np.zeros(len(mean))
    with np.errstate(invalid="ignore"):  # of an impossible document
        if rounds > 1:
            spread = log_p.std(axis=0, ddof=1) / np.sqrt(rounds)
        elif random or inference == "gibbs":
            spread = np.full(len(mean), np.nan)
        totals = log_p[:, enough].sum(axis=1) if rounds > 1 else np.empty(0)
    what = f"completion by {inference}, {rounds} {settings['split']} split{'s' if rounds > 1 else ''}"
    found = _scored(phi, half, mean, spread, enough, totals, what, documents.lengths)
    return replace(found, unigram=np.mean(unigrams, axis=0) if unigrams else None)


def split(documents: Documents, how: str, repetition: int = 0) -> tuple[Documents, Documents]:
    """Two halves of each document: floor(N/2) tokens that are seen, and the rest.

    ``even_odd``: seen are the tokens at places 1, 3, 5, … counted from 0; ``random``: any, drawn by the
    document's own generator.
    """
    from tealeaves._kernels.inference import shuffled

    lengths, tokens = documents.lengths, documents.tokens
    place = np.arange(len(tokens)) - np.repeat(documents.offsets[:-1], lengths)
    if how == "random":
        tokens = tokens.copy()
        keys = np.arange(len(documents)) if documents.keys is None else documents.keys
        seed = np.uint64(documents.seed)
        run = partial(shuffled, tokens, documents.offsets, keys, seed, repetition)
        over_documents(run, documents.offsets, documents.workers)
        seen = place < np.repeat(lengths // 2, lengths)
    else:
        seen = place % 2 == 1
    half = lengths // 2
    parts = []
    for chosen, sizes in ((seen, half), (~seen, lengths - half)):
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        parts.append(replace(documents, tokens=tokens[chosen], offsets=offsets, scored={}))
    return parts[0], parts[1]


def _inference(asked: str, prior: Floats | None) -> str:
    if asked not in INFERENCE:
        raise InputError(
            f"documents are folded in by one of {', '.join(map(repr, INFERENCE[1:]))}; got {asked!r}"
        )
    if asked == "auto":
        return "em" if prior is None else "vb"
    if asked != "em" and prior is None:
        raise MissingInput(
            f"{asked!r} needs a Dirichlet prior of topics in a document (alpha), and the model has none: "
            "use 'em'"
        )
    return asked


def _theta(
    weights: Floats,
    prior: Floats | None,
    seen: Documents,
    inference: str,
    settings: Mapping[str, Any],
    r: int,
) -> Floats:
    longest = int(seen.lengths.max(initial=0))
    if inference == "posterior_mean" and exact_size(longest, len(weights)) > STATES:
        raise MissingInput(f"inference='posterior_mean': {too_long(longest, len(weights))}; use 'gibbs'")
    samples = settings["samples"]
    return proportions(
        seen.tokens, seen.offsets, weights, prior, inference, iterations=settings["iterations"],
        tolerance=settings["tolerance"], burn_in=max(samples // 10, BURN_IN), samples=samples, keys=seen.keys,
        seed=(seen.seed + r * 1_000_003) % 2**64, workers=seen.workers,
    )[0]  # fmt: skip


def _completed(half: Documents, theta: Floats, phi: Floats) -> Floats:
    from tealeaves._kernels.inference import log_mixture

    log_p = np.empty(len(half))
    run = partial(log_mixture, half.tokens, half.offsets, np.ascontiguousarray(phi.T), theta)
    over_documents(lambda first, last: run(first, last, log_p), half.offsets, half.workers)
    return log_p


def _unigram(documents: Documents) -> Floats | None:
    """log p of each document without topics, if the frequencies of words are known."""
    if documents.unigram is None:
        return None
    before = np.concatenate([[0.0], np.cumsum(np.log(documents.unigram)[documents.tokens])])
    found: Floats = before[documents.offsets[1:]] - before[documents.offsets[:-1]]
    return found


def _estimate(phi: Floats, prior: Floats, documents: Documents, settings: Mapping[str, Any]) -> Scored:
    """log p with the proportions integrated out."""
    from tealeaves._kernels import likelihood as kernels

    method, samples, moves = settings["method"], settings["samples"], settings["moves"]
    enough = documents.lengths > 0
    longest = int(documents.lengths.max(initial=0))
    log_p, error = np.zeros(len(documents)), np.zeros(len(documents))
    if method == "exact":
        if exact_size(longest, len(phi)) > STATES:
            raise MissingInput(f"method='exact': {too_long(longest, len(phi))}; use method='chib'")
        log_p = exact(documents.tokens, documents.offsets, phi, prior, documents.workers)[0]
        found = _scored(phi, documents, log_p, error, enough, np.empty(0), method)
        return replace(found, unigram=_unigram(documents))
    keys = np.arange(len(documents)) if documents.keys is None else documents.keys
    given = documents.tokens, documents.offsets, keys, np.ascontiguousarray(phi.T), prior, samples
    seed = np.uint64(documents.seed)
    parts = max(min(PARTS, samples // 2), 1)  # of two draws at least
    run: Any
    if method == "chib":
        run = partial(kernels.chib, *given, parts, seed)
    elif method == "smc":
        run = partial(kernels.smc, *given, moves, parts, seed)
    elif method == "left_to_right":
        run = partial(kernels.left_to_right, *given, moves, settings["variant"] == "log_of_means", seed)
    elif settings["proposal"] == "prior":
        run = partial(kernels.importance_prior, *given, seed)
    else:
        run = partial(kernels.importance_pseudo_counts, *given, seed)
    over_documents(lambda first, last: run(first, last, log_p, error), documents.offsets, documents.workers)
    what = method
    usual = method == "left_to_right" and settings["variant"] == "log_of_means"
    if method == "left_to_right":
        what += f" ({settings['variant']}, {'with' if moves else 'without'} moves)"
        what += ", which is not consistent" if usual else ""
    if method in ("chib", "smc"):
        what += f", {parts} {'chains' if method == 'chib' else 'islands'}"
    found = _scored(phi, documents, log_p, error, enough, np.empty(0), f"{what}, {samples} samples")
    return replace(found, unigram=_unigram(documents), unbiased=not usual)


def _scored(
    phi: Floats,
    documents: Documents,
    log_p: Floats,
    error: Floats,
    enough: NDArray[np.bool_],
    splits: Floats,
    how: str,
    lengths: Ints | None = None,
) -> Scored:
    """The result, with a reason for each document that is left out or impossible."""
    completing = how.startswith("completion")
    reason = np.full(len(log_p), "", dtype=object)
    reason[~enough] = ONE_WORD if completing else NO_WORD
    possible = phi.sum(axis=0) > 0
    for d in np.flatnonzero(enough & np.isneginf(log_p)):
        tokens = documents.tokens[documents.offsets[d] : documents.offsets[d + 1]]
        lost = dict.fromkeys(tokens[~possible[tokens]].tolist())
        named = [documents.words[w] if len(documents.words) else f"word {w}" for w in list(lost)[:SHOWN]]
        what = f"{', '.join(named)}{' …' if len(lost) > SHOWN else ''} of no topic" if lost else (
            "a word that none of the document's inferred topics has"
        )  # fmt: skip
        reason[d] = f"{IMPOSSIBLE}: {what}"
    return Scored(
        documents=np.where(enough, log_p, np.nan),
        n_words=np.where(enough, documents.lengths, 0),
        error=np.where(enough, error, np.nan),
        reason=reason.astype(str),
        unknown=documents.unknown,
        splits=splits,
        how=how,
        known=documents.lengths if lengths is None else lengths,
    )
