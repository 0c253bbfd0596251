"""Coherence: how often a topic's top words share a document or a window."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tealeaves.measures.compat as others
from tealeaves.counts import PairCounts
from tealeaves.errors import InputError
from tealeaves.measures._table import Values, measure

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]
OOV = ("undefined", "drop", "zero")
COMPAT = (None, "gensim", "palmetto")
CHOICES = {"oov": OOV, "compat": COMPAT}
NEEDS = ("pair_counts", "top_words")


def usable_words(
    counts: PairCounts, top_words: Ids, oov: str = "undefined"
) -> tuple[Ids, NDArray[np.bool_], Ids]:
    """The words to score, which topics hold an absent word, and how many words each is left with.

    With ``oov="drop"`` absent words (in no unit) are taken out and the rest moves up, -1 behind.
    """
    if oov not in OOV:
        raise InputError(f"oov must be one of {', '.join(OOV)}; got {oov!r}")
    if np.ndim(top_words) != 2:
        raise InputError(f"top_words must be ids of shape (K, N); got {np.ndim(top_words)} dimensions")
    absent = (top_words >= 0) & (counts.single(top_words) == 0)
    if oov == "drop":
        everywhere = absent.all(axis=tuple(range(absent.ndim - 2)))
        top_words = pack(np.where(everywhere, -1, top_words))
        absent = (top_words >= 0) & (counts.single(top_words) == 0)
    if oov == "zero":
        absent = np.zeros_like(absent)
    return top_words, absent.any(axis=-1), (top_words >= 0).sum(axis=-1)


def pack(top_words: Ids) -> Ids:
    """Words moved to the front of each row, in their order, with -1 behind."""
    order = np.argsort(top_words < 0, axis=-1, kind="stable")
    return np.take_along_axis(top_words, order, axis=-1)


def _judged(
    value: Floats, n_terms: NDArray[Any], absent: NDArray[np.bool_], n_words: Ids, unclear: str = ""
) -> Values:
    """Values with the reason where there is none: an absent word, fewer than two words, or ``unclear``."""
    reason = np.where(absent, "absent word", np.where(n_words < 2, "one word", ""))
    if unclear:
        reason = np.where((reason == "") & np.isnan(value), unclear, reason)
    return Values(np.where(reason == "", value, np.nan), np.broadcast_to(n_terms, value.shape), reason)


def _pairs(counts: PairCounts, top_words: Ids) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """P(first), P(second), P(both) of every pair of ranks i < j, (…, K, pairs), and which pairs are there."""
    i, j = np.triu_indices(top_words.shape[1], k=1)
    first, second = top_words[:, i], top_words[:, j]
    n = np.asarray(counts.n_units)[..., None, None]
    with np.errstate(divide="ignore", invalid="ignore"):  # no unit at all: no document, or none that long
        single, both = counts.single(top_words) / n, counts.joint(first, second) / n
    return single[..., i], single[..., j], both, (first >= 0) & (second >= 0)


def _mean(terms: Floats, there: NDArray[np.bool_]) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(there, terms, 0.0).sum(axis=-1) / there.sum(axis=-1)
    return result


def pmi_of(first: Floats, second: Floats, both: Floats, smoothing: float) -> Floats:
    """log((P(u,v) + s) / (P(u) P(v))); -inf for a pair that never meets if s = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.log(both + smoothing) - np.log(first) - np.log(second)
    return result


def npmi_of(first: Floats, second: Floats, both: Floats, smoothing: float) -> Floats:
    """PMI over -log(P(u,v) + s), with its limits: -1 for a pair never together, 1 for one always so."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log_both = np.log(both + smoothing)
        result = (log_both - np.log(first) - np.log(second)) / -log_both
    if smoothing == 0:
        result = np.where((both == 0) & (first > 0) & (second > 0), -1.0, result)
    return np.where(both >= 1, 1.0, result)


def _average(
    counts: PairCounts, top_words: Ids, oov: str, term: Callable[[Floats, Floats, Floats], Floats]
) -> Values:
    """The mean of ``term`` over the pairs of each topic."""
    top_words, absent, n_words = usable_words(counts, top_words, oov)
    first, second, both, there = _pairs(counts, top_words)
    terms = term(first, second, both)
    if oov == "zero":
        terms = np.where((first > 0) & (second > 0), terms, 0.0)
    return _judged(_mean(terms, there), there.sum(axis=-1), absent, n_words, "undefined pair")


@measure(
    "umass",
    needs=NEEDS,
    axes=("topic",),
    best="high",
    source="mimno2011",
    range="(-inf, n(n-1)/2 log 2]",
    window=None,
    choices={"oov": OOV, "window": (None,)},
)
def umass(counts: PairCounts, top_words: Ids, *, smoothing: float = 1.0, oov: str = "undefined") -> Values:
    """UMass coherence of each topic, in nats; higher is better.

    The sum over ranks i < j of ``log((D(w_i, w_j) + smoothing) / D(w_i))``, where D counts the
    documents that hold a word, or both. Being a sum, it grows with N: compare equal N only.

    Parameters
    ----------
    counts : PairCounts
        Counts of documents over a vocabulary of V words.
    top_words : int array of shape (K, N)
        Word ids of K topics, best first, padded with -1 where a topic is shorter; an absent
        word keeps an id whose count is 0. The order matters: UMass is not symmetric.
    smoothing : float
        Added to each joint count. 1 is the source's; with 0 a pair that never meets is -inf.
    oov : {"undefined", "drop", "zero"}
        What an absent word does: the topic is undefined, the word is left out, or its pairs add 0.

    Returns
    -------
    Values
        ``value``, ``n_terms`` and ``reason``, of shape (K,). A topic is nan ("absent word",
        "one word") if one of its words is in no document or fewer than two are left: a sum
        that left pairs out would look better than it is; ``n_terms`` counts the pairs.

    Raises
    ------
    InputError
        If the counts are not of documents.

    References
    ----------
    Mimno, Wallach, Talley, Leenders and McCallum (2011), EMNLP, 262-272.

    Examples
    --------
    >>> from tealeaves.counts import count_documents
    >>> counts = count_documents([[0, 1], [0], [0]], n_words=2)
    >>> umass(counts, np.array([[0, 1]])).value.round(3)  # log((1 + 1) / 3)
    array([-0.405])
    """
    if counts.unit != "document":
        raise InputError(f"umass needs counts of documents, but these are of {counts.unit!r}")
    top_words, absent, n_words = usable_words(counts, top_words, oov)
    i, j = np.triu_indices(top_words.shape[1], k=1)  # every pair of ranks i < j
    first, second = top_words[:, i], top_words[:, j]
    alone = counts.single(first)  # 0 for an absent word, and for the padding
    with np.errstate(divide="ignore", invalid="ignore"):  # log 0 only where the topic is undefined anyway
        terms = np.log(counts.joint(first, second) + smoothing) - np.log(alone)
    there = (first >= 0) & (second >= 0)
    scored = there & (alone > 0) & (counts.single(second) > 0) if oov == "zero" else there
    value = np.where(scored, terms, 0.0).sum(axis=-1)
    return _judged(value, there.sum(axis=-1), absent, n_words)


@measure(
    "u_mass",
    needs=NEEDS,
    axes=("topic",),
    best="high",
    source="roeder2015",
    range="[log smoothing, log(1 + D smoothing)]",
    window=None,
    choices={**CHOICES, "window": (None,)},
)
def u_mass(
    counts: PairCounts,
    top_words: Ids,
    *,
    smoothing: float = 1e-12,
    oov: str = "undefined",
    compat: str | None = None,
) -> Values:
    """UMass as gensim and Palmetto have it: the mean log conditional probability, in nats; higher is better.

    The mean over ranks i < j of ``log((P(w_i, w_j) + smoothing) / P(w_i))`` with P over documents. Not
    comparable with ``umass``: a mean, not a sum, and smoothed by 1e-12, so a pair that never meets
    adds about -25.

    Parameters
    ----------
    counts, top_words, oov
        As for ``umass``.
    smoothing : float
        Added to each joint probability.
    compat : {None, "gensim", "palmetto"}
        Their faults too; see ``tealeaves.measures.compat``.

    Returns
    -------
    Values
        Of shape (K,); undefined as ``umass``.

    References
    ----------
    Röder, Both and Hinneburg (2015), WSDM, 399-408.

    Examples
    --------
    >>> from tealeaves.counts import count_documents
    >>> counts = count_documents([[0, 1], [0], [0]], n_words=2)
    >>> u_mass(counts, np.array([[0, 1]])).value.round(3)  # log((1/3) / 1)
    array([-1.099])
    """
    if counts.unit != "document":
        raise InputError(f"u_mass needs counts of documents, but these are of {counts.unit!r}")

    def term(first: Floats, second: Floats, both: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Floats = np.log(both + smoothing) - np.log(first)
        return result

    counts, top_words, oov = others.prepared(compat, counts, top_words, oov)
    result = _average(counts, top_words, oov, term)
    return others.u_mass_of_gensim(result, counts, top_words, smoothing) if compat == "gensim" else result


@measure(
    "uci",
    needs=NEEDS,
    axes=("topic",),
    best="high",
    source="newman2010",
    range="(-inf, inf)",
    window=10,
    choices=CHOICES,
)
def uci(
    counts: PairCounts,
    top_words: Ids,
    *,
    smoothing: float = 1e-12,
    oov: str = "undefined",
    compat: str | None = None,
) -> Values:
    """UCI coherence: mean pointwise mutual information of a topic's pairs, in nats; higher is better.

    The mean over pairs of ``log((P(u, v) + smoothing) / (P(u) P(v)))``, P over sliding windows. PMI has
    no limit for a pair that never meets, so such pairs (about -25 each) rule the mean.

    Parameters
    ----------
    counts, top_words, oov, compat
        As for ``u_mass``, but counted by windows.
    smoothing : float
        Added to each joint probability.

    Returns
    -------
    Values
        Of shape (K,); nan for an absent word or fewer than two words.

    References
    ----------
    Newman, Lau, Grieser and Baldwin (2010), NAACL, 100-108.

    Examples
    --------
    >>> from tealeaves.counts import count_windows
    >>> counts = count_windows([[0, 1], [2, 3]], n_words=4, window=2)
    >>> uci(counts, np.array([[0, 1]])).value.round(4)  # log((1/2) / (1/2 * 1/2)) = log 2
    array([0.6931])
    """

    def term(first: Floats, second: Floats, both: Floats) -> Floats:
        return pmi_of(first, second, both, smoothing)

    counts, top_words, oov = others.prepared(compat, counts, top_words, oov)
    result = _average(counts, top_words, oov, term)
    return others.pairs_of_gensim(result, counts, top_words, term) if compat == "gensim" else result


@measure(
    "npmi",
    needs=NEEDS,
    axes=("topic",),
    best="high",
    source="bouma2009",
    range="[-1, 1]",
    window=None,
    choices=CHOICES,
)
def npmi(
    counts: PairCounts,
    top_words: Ids,
    *,
    smoothing: float = 0.0,
    oov: str = "undefined",
    compat: str | None = None,
) -> Values:
    """Normalised PMI: the mean over a topic's pairs, from -1 to 1; higher is better.

    ``log((P(u, v) + s) / (P(u) P(v))) / -log(P(u, v) + s)``: 1 where two words always stand together, 0
    where they meet as often as chance has it, -1 where they never meet (the limit, taken when s = 0).
    ``c_npmi`` is this with ``window=10, smoothing=1e-12``.

    Parameters
    ----------
    counts, top_words, oov, compat
        As for ``u_mass``.
    smoothing : float
        Added to each joint probability; 0 takes the limits.

    Returns
    -------
    Values
        Of shape (K,); nan for an absent word or fewer than two words.

    References
    ----------
    Bouma (2009), GSCL, 31-40; Lau, Newman and Baldwin (2014), EACL, 530-539.

    Examples
    --------
    >>> from tealeaves.counts import count_documents
    >>> counts = count_documents([[0, 1]] * 5 + [[2]], n_words=3)
    >>> npmi(counts, np.array([[0, 1], [0, 2]])).value
    array([ 1., -1.])
    """

    def term(first: Floats, second: Floats, both: Floats) -> Floats:
        return npmi_of(first, second, both, smoothing)

    counts, top_words, oov = others.prepared(compat, counts, top_words, oov)
    if compat != "gensim":
        return _average(counts, top_words, oov, term)

    def with_faults(first: Floats, second: Floats, both: Floats) -> Floats:
        return others.npmi_of_gensim(first, second, both, smoothing)

    return others.pairs_of_gensim(
        _average(counts, top_words, oov, with_faults), counts, top_words, with_faults
    )


def npmi_matrix(counts: PairCounts, topic: Ids, smoothing: float = 0.0) -> Floats:
    """The NPMI of every two words of one topic, (n, n): it shows why a topic is junk; nan where undefined."""
    words = np.asarray(topic)
    n = np.asarray(counts.n_units)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):  # as in _pairs
        single, both = counts.single(words) / n, counts.joint(words[:, None], words[None, :]) / n[..., None]
    return npmi_of(single[..., :, None], single[..., None, :], both, smoothing)


def _vectors(counts: PairCounts, top_words: Ids, smoothing: float, gamma: int) -> Floats:
    """Each word's NPMI with each word of its topic, itself included: (…, K, n, n); 0 for padding."""
    first, second = top_words[:, :, None], top_words[:, None, :]
    n = np.asarray(counts.n_units)[..., None, None, None]
    with np.errstate(divide="ignore", invalid="ignore"):  # as in _pairs
        single, both = counts.single(top_words) / n[..., 0], counts.joint(first, second) / n
    vector = npmi_of(single[..., :, None], single[..., None, :], both, smoothing)
    missing = (first < 0) | (second < 0)
    return np.where(missing | np.isnan(vector) | np.isinf(vector), 0.0, vector**gamma)


def _cosines(a: Floats, b: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    return result


@measure(
    "c_v",
    needs=NEEDS,
    axes=("topic",),
    best="high",
    source="roeder2015",
    range="[-1, 1]",
    window=110,
    choices=CHOICES,
)
def c_v(
    counts: PairCounts,
    top_words: Ids,
    *,
    smoothing: float = 1e-12,
    gamma: int = 1,
    oov: str = "undefined",
    compat: str | None = None,
) -> Values:
    """C_V: how alike the top words' NPMI vectors are, about 0 to 1; higher is better.

    The vector of a word holds its NPMI (to the power ``gamma``) with each of the topic's n words, itself
    included; the score is the mean cosine of each vector with the sum of all. Words that never meet any
    other still point at themselves, so junk scores above 0: read it beside NPMI.

    Parameters
    ----------
    counts, top_words, oov, compat
        As for ``u_mass``, but counted by windows.
    smoothing : float
        Added to each joint probability.
    gamma : int
        Power of each entry; an odd one keeps its sign. Palmetto had 2 before 2022.

    Returns
    -------
    Values
        Of shape (K,), ``n_terms`` words each; nan for an absent word or fewer than two words.

    References
    ----------
    Röder, Both and Hinneburg (2015), WSDM, 399-408.

    Examples
    --------
    >>> from tealeaves.counts import count_windows
    >>> counts = count_windows([[0, 1]] * 5 + [[2]], n_words=3, window=110)
    >>> c_v(counts, np.array([[0, 1]])).value.round(6)
    array([1.])
    """
    counts, top_words, oov = others.prepared(compat, counts, top_words, oov)
    top_words, absent, n_words = usable_words(counts, top_words, oov)
    if compat == "gensim":
        return others.c_v_of_gensim(counts, top_words, smoothing)
    vectors = _vectors(counts, top_words, smoothing, gamma)
    cosine = _cosines(vectors, vectors.sum(axis=-2, keepdims=True))
    there = top_words >= 0
    if oov == "zero":
        cosine = np.where(counts.single(top_words) == 0, 0.0, cosine)
    return _judged(_mean(cosine, there), n_words, absent, n_words, "undefined vector")


@measure(
    "c_p",
    needs=NEEDS,
    axes=("topic",),
    best="high",
    source="roeder2015",
    range="[-1, 1]",
    window=70,
    choices={"oov": OOV, "compat": (None, "palmetto")},
)
def c_p(counts: PairCounts, top_words: Ids, *, oov: str = "undefined", compat: str | None = None) -> Values:
    """C_P: how much a higher ranked word confirms each lower one, from -1 to 1; higher is better.

    The mean over ranks j < i of Fitelson's ``(P(i|j) - P(i|not j)) / (P(i|j) + P(i|not j))``, P over
    sliding windows.

    Parameters
    ----------
    counts, top_words, oov, compat
        As for ``u_mass``, but counted by windows. The order matters.

    Returns
    -------
    Values
        Of shape (K,); nan for an absent word, fewer than two words, or a higher ranked word that is in
        every window ("word everywhere": there is no window without it to compare with).

    References
    ----------
    Fitelson (2003), Analysis 63, 194-199; Röder, Both and Hinneburg (2015), WSDM, 399-408.

    Examples
    --------
    >>> from tealeaves.counts import count_windows
    >>> counts = count_windows([[0, 1], [0, 1], [2]], n_words=3, window=70)
    >>> c_p(counts, np.array([[0, 1], [0, 2]])).value  # always together; never
    array([ 1., -1.])
    """
    counts, top_words, oov = others.prepared(compat, counts, top_words, oov)
    top_words, absent, n_words = usable_words(counts, top_words, oov)
    higher, lower, both, there = _pairs(counts, top_words)
    with np.errstate(divide="ignore", invalid="ignore"):
        given, without = both / higher, (lower - both) / (1 - higher)
        terms = (given - without) / (given + without)
    if oov == "zero":
        terms = np.where(lower == 0, 0.0, np.where(higher == 0, -1.0, terms))  # as Palmetto has it
    return _judged(_mean(terms, there), there.sum(axis=-1), absent, n_words, "word everywhere")


@measure(
    "c_a",
    needs=NEEDS,
    axes=("topic",),
    best="high",
    source="roeder2015",
    range="[-1, 1]",
    choices={"oov": OOV, "compat": (None, "palmetto")},
)
def c_a(
    counts: PairCounts,
    top_words: Ids,
    *,
    distance: int = 5,
    smoothing: float = 1e-12,
    oov: str = "undefined",
    compat: str | None = None,
) -> Values:
    """C_A: how alike the contexts of a topic's words are, word by word, about 0 to 1; higher is better.

    Pairs of tokens at most ``distance`` apart are counted per occurrence and divided by the sum over
    documents of ``max(L - distance + 1, 0)``; each word's vector is its NPMI with the topic's words,
    and the score is the mean cosine over the pairs of words.

    Parameters
    ----------
    counts, top_words, oov, compat
        As for ``u_mass``, but counted by contexts.
    distance : int
        How far apart two tokens may stand.
    smoothing : float
        Added to each joint probability.

    Returns
    -------
    Values
        Of shape (K,); nan for an absent word, fewer than two words, or if every document is shorter
        than a context ("no context").

    References
    ----------
    Aletras and Stevenson (2013), IWCS, 13-22; Röder, Both and Hinneburg (2015), WSDM, 399-408.

    Examples
    --------
    >>> from tealeaves.counts import count_contexts
    >>> counts = count_contexts([[0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 7]], n_words=8, distance=5)
    >>> bool(c_a(counts, np.array([[0, 1]])).value > c_a(counts, np.array([[6, 7]])).value)
    True
    """
    counts, top_words, oov = others.prepared(compat, counts, top_words, oov)
    top_words, absent, n_words = usable_words(counts, top_words, oov)
    vectors = _vectors(counts, top_words, smoothing, 1)
    i, j = np.triu_indices(top_words.shape[1], k=1)
    cosine = _cosines(vectors[..., i, :], vectors[..., j, :])
    there = (top_words[:, i] >= 0) & (top_words[:, j] >= 0)
    if oov == "zero":
        cosine = np.where(np.isnan(cosine), 0.0, cosine)
    value = np.where(np.asarray(counts.n_units)[..., None] > 0, _mean(cosine, there), np.nan)
    unclear = "undefined vector" if (np.asarray(counts.n_units) > 0).all() else "no context"
    return _judged(value, there.sum(axis=-1), absent, n_words, unclear)
