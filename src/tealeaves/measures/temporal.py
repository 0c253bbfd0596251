"""Topics over time: how smoothly and how sensibly a topic's words change from slice to slice."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

import tealeaves.measures.compat as others
from tealeaves.counts import PairCounts
from tealeaves.errors import InputError
from tealeaves.measures._table import Levels, Spec, Values, measure, parse
from tealeaves.measures.coherence import npmi_of, pmi_of

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]
SOURCE = "james2024"
PAIRED = ("npmi", "uci")  # coherence that is a mean over pairs of words, each with a value of its own
COMPAT = (None, "authors")
REFERENCES = ("corpus", "slice")
GAP, NOWHERE, NO_WINDOW = "missing in a slice", "missing in every slice", "no window"


def _is_paired(coherence: Any) -> bool:
    return isinstance(coherence, str) and "@" not in coherence and parse(coherence).name in PAIRED


SPAN = {"window": (lambda w: w is not None and w >= 2, "a whole number of slices of at least 2")}
PAIRS = {
    "coherence": (
        _is_paired,
        "'npmi' or 'uci', with parameters if need be (TTC is a mean over pairs of words, and c_v, c_p, c_a "
        "and umass have no value of one unordered pair; tq, b_tc and dtq take any coherence)",
    )
}


class Pairs(NamedTuple):
    """How two words of different slices are compared."""

    kind: str  # npmi or uci
    smoothing: float
    oov: str
    compat: str | None


def pairs_of(coherence: str = "npmi", compat: str | None = None) -> Pairs:
    """The comparison of two words under a coherence measure; NPMI for one that has no value of a pair."""
    settings = confirmation(coherence, compat).settings
    name = confirmation(coherence, compat).name
    smoothing = settings.get("smoothing", 0.0) if name not in ("umass", "u_mass") else 0.0
    return Pairs(name if name in PAIRED else "npmi", smoothing, settings["oov"], settings.get("compat"))


def confirmation(coherence: str = "npmi", compat: str | None = None) -> Spec:
    """The coherence measure underneath; the authors' is by windows of 10 tokens, smoothed by 1e-12."""
    if compat not in COMPAT:
        raise InputError(f"compat must be None or 'authors'; got {compat!r}")
    return parse("c_npmi" if compat == "authors" and coherence == "npmi" else coherence)


def window_values(
    counts: PairCounts, first: Ids, last: Ids, pairs: Pairs, *, self_pairs: bool = True
) -> Values:
    """The mean over all ordered pairs of a word of ``first`` and a word of ``last``.

    Both are word ids of shape (..., n), padded with -1.
    """
    wanted, place, used = _pairs_used(counts, first, last, self_pairs)
    terms, lost = _compared(counts, wanted, pairs)
    if pairs.oov == "drop":
        used, lost = used & ~lost[place], np.zeros_like(lost)
    n_terms = used.sum((-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(used, terms[place], 0.0).sum((-2, -1)) / n_terms
    reason = np.where(n_terms == 0, "no pair of words is left", "")
    reason = np.where((used & lost[place]).any((-2, -1)), "absent word", reason)
    reason = np.where((reason == "") & ~np.isfinite(value), "undefined pair", reason)
    reason = np.where((first >= 0).any(-1) & (last >= 0).any(-1), reason, GAP)
    return Values(np.where(reason == "", value, np.nan), n_terms, reason)


def window_draws(
    counts: PairCounts, first: Ids, last: Ids, pairs: Pairs, *, self_pairs: bool = True
) -> Floats:
    """`window_values` of some windows, (W, n), on resampled counts: (R, W); nan where a word was not drawn.

    Each pair of words is compared once, however many windows hold it.
    """
    wanted, place, used = _pairs_used(counts, first, last, self_pairs)
    terms, lost = _compared(counts, wanted, pairs)
    if pairs.oov == "drop":  # absent from the whole, not from a resample
        gone = np.asarray(lost.all(axis=0))
        used, lost = used & ~gone[place], lost & ~gone
    holds = np.zeros((len(wanted), len(first)))
    window = np.broadcast_to(np.arange(len(first))[:, None, None], used.shape)
    np.add.at(holds, (place[used], window[used]), 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        draws = np.where(np.isfinite(terms), terms, 0.0) @ holds / holds.sum(0)
    undefined = (lost | ~np.isfinite(terms)).astype(np.float64) @ holds
    return np.where(undefined > 0, np.nan, draws)


def _pairs_used(
    counts: PairCounts, first: Ids, last: Ids, self_pairs: bool
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.bool_]]:
    """The pairs of words to compare, each once, as keys; the place of each pair there, and which count."""
    a, b = np.broadcast_arrays(first[..., :, None], last[..., None, :])
    used = (a >= 0) & (b >= 0) & (True if self_pairs else a != b)
    keys = np.minimum(a, b).astype(np.int64) * counts.singles.shape[-1] + np.maximum(a, b)
    wanted, place = np.unique(np.where(used, keys, -1), return_inverse=True)
    return wanted, place.reshape(used.shape), used


def _compared(
    counts: PairCounts, wanted: NDArray[np.int64], pairs: Pairs
) -> tuple[Floats, NDArray[np.bool_]]:
    """The value of each pair of words, (…, P), and whether one of the two is absent."""
    counts, _, oov = others.prepared(pairs.compat, counts, np.empty(0, np.int32), pairs.oov)
    u, v = np.divmod(np.maximum(wanted, 0), max(counts.singles.shape[-1], 1))
    n = np.asarray(counts.n_units)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        p_u, p_v, both = counts.single(u) / n, counts.single(v) / n, counts.joint(u, v) / n
    p_u, p_v = np.minimum(p_u, p_v), np.maximum(p_u, p_v)  # the same to the last digit either way round
    if pairs.kind == "uci":
        terms = pmi_of(p_u, p_v, both, pairs.smoothing)
    elif pairs.compat == "gensim":
        terms = others.npmi_of_gensim(p_u, p_v, both, pairs.smoothing)
    else:
        terms = npmi_of(p_u, p_v, both, pairs.smoothing)
        terms = np.where((u == v) & (p_u > 0), 1.0, terms)  # a word with itself, whatever the smoothing
    lost: NDArray[np.bool_] = ((p_u == 0) | (p_v == 0)) & (wanted >= 0)
    if oov == "zero":
        terms, lost = np.where(lost, 0.0, terms), np.zeros_like(lost)
    return np.where(wanted >= 0, terms, 0.0), lost


def ends(slice_words: Ids, window: int) -> tuple[Ids, Ids]:
    """The words of each topic at the first and at the last slice of each window, (K, W, n) each."""
    if np.ndim(slice_words) != 3:
        raise InputError(f"slice_words must be ids of shape (T, K, n); got {np.ndim(slice_words)} dimensions")
    by_topic = slice_words.transpose(1, 0, 2)
    n_windows = max(by_topic.shape[1] - window + 1, 0)
    return by_topic[:, :n_windows], by_topic[:, window - 1 : window - 1 + n_windows]


def over_windows(windows: Values) -> Values:
    """Each topic's mean over the windows that it has."""
    defined = windows.reason == ""
    n = defined.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(defined, windows.value, 0.0).sum(-1) / n
    return Values(np.where(n > 0, value, np.nan), n, _why(windows.reason, n))


def over_topics(values: Values) -> Values:
    """Each slice's mean over its topics, (T,), the same to the last digit in any order of them."""
    defined = values.reason == ""
    n = defined.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.sort(np.where(defined, values.value, 0.0)).sum(-1) / n
    return Values(value, n, _why(values.reason, n))


def _why(reasons: NDArray[Any], n: NDArray[Any]) -> NDArray[np.str_]:
    """Why a topic has no value in any window: what is said most of them."""
    said = []
    for row, count in zip(reasons, n, strict=True):
        labels, times = np.unique(row, return_counts=True)
        said.append("" if count else str(labels[times.argmax()]) if len(labels) else NO_WINDOW)
    return np.array(said, dtype=np.str_)


def mean_over(values: Values, what: str) -> Values:
    """The mean of what is defined, the same to the last digit in any order; ``n_terms`` says of how many."""
    defined = values.reason == ""
    if defined.any():
        mean = np.sort(values.value[defined]).mean()
        return Values(np.array(mean), np.array(defined.sum()), np.array(""))
    reasons = [str(reason) for reason in values.reason]
    why = max(reasons, key=reasons.count) if reasons else "there is none"
    return Values(np.array(np.nan), np.array(0), np.array(f"no {what} is defined: {why}"))


def _levels(windows: Values, span: int) -> Levels:
    topics = over_windows(windows)
    return Levels(mean_over(topics, "topic"), topics, windows=windows, span=span)


def coherence_of_windows(
    counts: PairCounts | Sequence[PairCounts | None],
    slice_words: Ids,
    *,
    window: int = 2,
    pairs: Pairs,
    self_pairs: bool = True,
) -> Values:
    """What `ttc` gives each topic and window, (K, W)."""
    first, last = ends(slice_words, window)
    if isinstance(counts, PairCounts):
        return window_values(counts, first, last, pairs, self_pairs=self_pairs)
    shape = first.shape[:2]
    found = Values(np.full(shape, np.nan), np.zeros(shape, np.int64), np.full(shape, GAP, dtype="<U64"))
    if len(counts) != shape[1]:
        raise InputError(f"there are {shape[1]} windows, but counts of {len(counts)}")
    for t, here in enumerate(counts):
        if here is None or not np.asarray(here.n_units).any():
            found.reason[:, t] = "no documents"
            continue
        column = window_values(here, first[:, t], last[:, t], pairs, self_pairs=self_pairs)
        for whole, part in zip(found, column, strict=True):
            whole[:, t] = part
    return found


@measure(
    "ttc",
    needs=("slice_counts", "slice_words"),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="that of the coherence",
    choices={"compat": COMPAT, "reference": REFERENCES},
    conditions={**SPAN, **PAIRS},
)
def ttc(
    counts: PairCounts | Sequence[PairCounts | None],
    slice_words: Ids,
    *,
    window: int = 2,
    coherence: str = "npmi",
    self_pairs: bool = True,
    reference: str = "corpus",
    compat: str | None = None,
) -> Levels:
    """Temporal topic coherence: how well a topic's words go with those of a later slice; higher is better.

    ``TTC_kt = (1 / n^2) * sum_i sum_j npmi(w_i of slice t, w_j of slice t + L - 1)``: all ordered pairs
    across the two slices, a word with itself as 1. A topic that stays as it is earns 1/n by that alone, and
    ``self_pairs=False`` leaves it out. A topic is the mean over its windows, the model that over topics.

    Parameters
    ----------
    counts : PairCounts, or a sequence of them
        Counts in one reference corpus; or, with ``reference="slice"``, those of each window's documents.
    slice_words : int array of shape (T, K, n)
        Word ids of K topics in T slices, padded with -1; a topic without words in a slice is a gap.
    window : int
        L, the number of slices from the first to the last; 2 compares neighbours.
    coherence : str
        How two words are compared: ``"npmi"`` or ``"uci"``, with parameters such as ``"npmi(window=10)"``.
    self_pairs : bool
        False leaves out pairs of a word with itself.
    reference : {"corpus", "slice"}
        Count words in the whole reference, or in the documents of the window's slices alone. The counts
        are made accordingly by ``evaluate``.
    compat : {None, "authors"}
        "authors": NPMI by windows of 10 tokens, smoothed by 1e-12, as their program has it.

    Returns
    -------
    Levels
        Of windows (K, T - L + 1), topics and the model. A window is nan where the topic is missing at one of
        its ends, or a word is in no document; ``n_terms`` counts pairs, windows and topics.

    Raises
    ------
    InputError
        If there are not as many counts as windows.

    References
    ----------
    Karakkaparambil James et al. (2024), Evaluating Dynamic Topic Models, equation 3. The print lacks 1/n^2,
    which its tables imply.

    Examples
    --------
    >>> from tealeaves.counts import count_documents
    >>> counts = count_documents([[0, 1], [0, 1], [2]], n_words=3)
    >>> ttc(counts, np.array([[[0]], [[1]], [[2]]])).windows.value  # 0 and 1 always together, 1 and 2 never
    array([[ 1., -1.]])
    """
    pairs = pairs_of(coherence, compat)
    found = coherence_of_windows(counts, slice_words, window=window, pairs=pairs, self_pairs=self_pairs)
    return _levels(found, window)


def overlaps(slice_words: Ids, window: int, variant: str = "pairwise") -> Values:
    """What `tts` gives each topic and window, (K, W)."""
    first, last = ends(slice_words, window)
    by_topic = slice_words.transpose(1, 0, 2)
    length = (by_topic >= 0).sum(-1)
    n_windows = first.shape[1]
    total, n = np.zeros(first.shape[:2]), np.zeros(first.shape[:2], dtype=np.int64)
    for apart in range(1, window if n_windows else 1):
        a, b = by_topic[:, :-apart], by_topic[:, apart:]
        both = (length[:, :-apart] > 0) & (length[:, apart:] > 0)
        shared = ((a[..., :, None] == b[..., None, :]) & (a[..., :, None] >= 0)).sum((-2, -1))
        forth = np.where(both, shared / np.maximum(length[:, :-apart], 1), 0.0)
        if variant == "anchor":
            total += forth[:, :n_windows]
            n += both[:, :n_windows]
            continue
        back = np.where(both, shared / np.maximum(length[:, apart:], 1), 0.0)
        total += sliding_window_view(forth + back, window - apart, axis=1).sum(-1)
        n += 2 * sliding_window_view(both, window - apart, axis=1).sum(-1)
    there = (first >= 0).any(-1) & (last >= 0).any(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(there, total / n, np.nan)
    return Values(value, np.where(there, n, 0), np.where(there, "", GAP))


@measure(
    "tts",
    needs=("slice_words",),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="[0, 1]",
    choices={"variant": ("pairwise", "anchor")},
    conditions=SPAN,
)
def tts(slice_words: Ids, *, window: int = 2, variant: str = "pairwise") -> Levels:
    """Temporal topic smoothness: how many words a topic keeps from slice to slice; higher is better.

    ``TTS_kt = mean over ordered pairs of different slices s, u in t..t+L-1 of |V_s & V_u| / |V_s|``: 1 for a
    topic that keeps its words, 0 for one that changes all. A topic is the mean over its windows, the model
    that over topics. It reads no corpus: topics of nonsense that stay as they are score 1.

    Parameters
    ----------
    slice_words : int array of shape (T, K, n)
        Word ids of K topics in T slices, padded with -1; a topic without words in a slice is a gap.
    window : int
        L, the number of slices in a window.
    variant : {"pairwise", "anchor"}
        "anchor": the window's first list against each of the others. Both are the same for L = 2.

    Returns
    -------
    Levels
        Of windows (K, T - L + 1), topics and the model. A window is nan where the topic is missing at one of
        its ends; slices inside it that lack the topic are passed over. ``n_terms`` counts pairs of slices,
        windows and topics.

    References
    ----------
    Karakkaparambil James et al. (2024), Evaluating Dynamic Topic Models, section 4.2. The printed
    redundancy lacks 1/n, which its tables imply.

    Examples
    --------
    >>> tts(np.array([[[0, 1]], [[0, 2]], [[0, 2]]])).windows.value
    array([[0.5, 1. ]])
    """
    return _levels(overlaps(slice_words, window, variant), window)


@measure(
    "b_ts",
    needs=("slice_words",),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="[0, 1]",
    choices={"variant": ("pairwise", "anchor")},
)
def b_ts(slice_words: Ids, *, variant: str = "pairwise") -> Levels:
    """Baseline of smoothness: a topic's lists of all slices against each other; higher is better.

    ``B-TS_k``: `tts` with one window, from the topic's first slice to its last.

    Parameters
    ----------
    slice_words, variant
        As for `tts`.

    Returns
    -------
    Levels
        Of topics and the model. A topic is nan if it is in fewer than two slices.

    References
    ----------
    Karakkaparambil James et al. (2024), Evaluating Dynamic Topic Models, section 6.4.

    Examples
    --------
    >>> b_ts(np.array([[[0, 1]], [[0, 2]], [[0, 2]]])).topics.value.round(3)  # (.5 + .5 + 1) / 3
    array([0.667])
    """
    found = []
    for words in slice_words.transpose(1, 0, 2):
        slices = np.flatnonzero((words >= 0).any(-1))
        own = words[slices][:, None]
        alone = len(slices) < 2
        one = None if alone else overlaps(own, len(own), variant)
        found.append((np.nan, 0, "in one slice" if len(slices) else GAP) if one is None else one)
    value, n_terms, reason = (np.array([np.ravel(x)[0] for x in part]) for part in zip(*found, strict=True))
    topics = Values(value.astype(np.float64), n_terms.astype(np.int64), reason.astype(str))
    return Levels(mean_over(topics, "topic"), topics)


def quality_of_windows(of_ttc: Values, of_tts: Values) -> Values:
    """The product in each window, (K, W)."""
    reason = np.where(of_ttc.reason != "", of_ttc.reason, of_tts.reason)
    return Values(np.where(reason == "", of_ttc.value * of_tts.value, np.nan), of_ttc.n_terms, reason)


def quality_of_topics(of_ttc: Values, of_tts: Values, variant: str) -> Values:
    """`ttq` of each topic, (K,): the mean of products, or the authors' product of means."""
    if variant != "authors":
        return over_windows(quality_of_windows(of_ttc, of_tts))
    c, s = over_windows(of_ttc), over_windows(of_tts)
    reason = np.where(c.reason != "", c.reason, s.reason)
    return Values(np.where(reason == "", c.value * s.value, np.nan), c.n_terms, reason)


@measure(
    "ttq",
    needs=("slice_counts", "slice_words"),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="that of the coherence",
    choices={"compat": COMPAT, "reference": REFERENCES, "variant": ("product", "authors")},
    conditions={**SPAN, **PAIRS},
)
def ttq(
    counts: PairCounts | Sequence[PairCounts | None],
    slice_words: Ids,
    *,
    window: int = 2,
    coherence: str = "npmi",
    self_pairs: bool = True,
    variant: str = "product",
    reference: str = "corpus",
    compat: str | None = None,
) -> Levels:
    """Temporal topic quality: coherence across slices times smoothness; higher is better.

    ``TTQ_k = mean over windows of TTC_kt * TTS_kt`` (`ttc`, `tts`); the model is the mean over topics.

    Parameters
    ----------
    counts, slice_words, window, coherence, self_pairs, reference, compat
        As for `ttc`.
    variant : {"product", "authors"}
        "authors": of each topic the product of its two means, as their program has it; it has no windows.

    Returns
    -------
    Levels
        Of windows (K, T - L + 1), topics and the model; nan where `ttc` is.

    References
    ----------
    Karakkaparambil James et al. (2024), Evaluating Dynamic Topic Models, section 4.3.

    Examples
    --------
    >>> from tealeaves.counts import count_documents
    >>> counts = count_documents([[0, 1], [0, 1], [2]], n_words=3)
    >>> ttq(counts, np.array([[[0, 1]], [[0, 1]], [[0, 2]]])).windows.value  # 1 * 1; 0 * 1/2
    array([[1., 0.]])
    """
    pairs = pairs_of(coherence, compat)
    c = coherence_of_windows(counts, slice_words, window=window, pairs=pairs, self_pairs=self_pairs)
    s = overlaps(slice_words, window)
    topics = quality_of_topics(c, s, variant)
    windows = None if variant == "authors" else quality_of_windows(c, s)
    return Levels(mean_over(topics, "topic"), topics, windows=windows, span=window)


@measure(
    "b_tc",
    needs=("slice_coherence",),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="that of the coherence",
    choices={"compat": COMPAT, "reference": REFERENCES},
)
def b_tc(
    slice_coherence: Values, *, coherence: str = "npmi", reference: str = "corpus", compat: str | None = None
) -> Levels:
    """Baseline of coherence: a topic's ordinary coherence, slice by slice, averaged; higher is better.

    ``B-TC_k = mean over slices of coherence_kt``; the model is the mean over topics. It does not see whether
    a topic stays one subject.

    Parameters
    ----------
    slice_coherence : Values of shape (T, K)
        The coherence measure of K topics in T slices.
    coherence : str
        The coherence measure, any, as a spec without ``@n``.
    reference : {"corpus", "slice"}
        Count words in the whole reference, or for each slice in its own documents alone.
    compat : {None, "authors"}
        As for `ttc`.

    Returns
    -------
    Levels
        Of topics, slices (the mean over their topics) and the model.

    References
    ----------
    Karakkaparambil James et al. (2024), Evaluating Dynamic Topic Models, section 6.4.

    Examples
    --------
    >>> b_tc(Values(np.array([[0.25], [0.5]]), np.ones((2, 1), int), np.array([[""], [""]]))).topics.value
    array([0.375])
    """
    value, n_terms, reason = slice_coherence
    topics = over_windows(Values(value.T, n_terms.T, reason.T))
    return Levels(mean_over(topics, "topic"), topics, slices=over_topics(slice_coherence))


def quality_of_slices(of_coherence: Values, of_diversity: Values, variant: str) -> Values:
    """TQ of each slice, (T,), over the topics that are in it."""
    c, d = of_coherence, of_diversity
    reason = np.where(c.reason != "", c.reason, d.reason)
    if variant != "authors":
        return over_topics(Values(c.value * d.value, c.n_terms, reason))
    a, b = (over_topics(Values(x.value, x.n_terms, reason)) for x in (c, d))
    return Values(a.value * b.value, a.n_terms, a.reason)


@measure(
    "dtq",
    needs=("slice_counts", "slice_words", "slice_coherence", "slice_diversity"),
    axes=(),
    best="high",
    source=SOURCE,
    range="that of the coherence",
    choices={"compat": COMPAT, "reference": REFERENCES, "variant": ("product", "authors")},
    conditions=SPAN,
)
def dtq(
    counts: PairCounts | Sequence[PairCounts | None],
    slice_words: Ids,
    slice_coherence: Values,
    slice_diversity: Values,
    *,
    window: int = 2,
    coherence: str = "npmi",
    variant: str = "product",
    reference: str = "corpus",
    compat: str | None = None,
) -> Levels:
    """Dynamic topic quality: the mean of quality within slices and quality over time; higher is better.

    ``DTQ = (mean_t TQ_t + mean_k TTQ_k) / 2`` (`tq` of each slice, over the topics in it; `ttq`).

    Parameters
    ----------
    counts, slice_words, window, reference, compat
        As for `ttc`.
    slice_coherence, slice_diversity : Values of shape (T, K)
        The coherence measure and `diversity` of K topics in T slices.
    coherence : str
        The coherence measure, any, as a spec without ``@n``. The half over time compares pairs of words: by
        this measure if it does so too (``npmi``, ``uci``), else by NPMI counted and smoothed as it is.
    variant : {"product", "authors"}
        "authors": each half from products of means, as their program has it.

    Returns
    -------
    Levels
        Of the model alone; nan where a half is. ``n_terms`` counts slices and topics.

    References
    ----------
    Karakkaparambil James et al. (2024), Evaluating Dynamic Topic Models, section 4.4.

    Examples
    --------
    >>> from tealeaves.counts import count_documents
    >>> counts = count_documents([[0, 1], [0, 1], [2, 3]], n_words=4)
    >>> words = np.array([[[0, 1], [2, 3]], [[0, 1], [2, 3]]])
    >>> one = Values(np.ones((2, 2)), np.ones((2, 2), int), np.full((2, 2), ""))
    >>> dtq(counts, words, one, one).model.value
    array(1.)
    """
    within, over = dtq_halves(
        counts,
        slice_words,
        slice_coherence,
        slice_diversity,
        window=window,
        pairs=pairs_of(coherence, compat),
        variant=variant,
    )
    a, b = mean_over(within, "slice"), mean_over(over, "topic")
    reason = np.where(a.reason != "", a.reason, b.reason)
    value = np.where(reason == "", (a.value + b.value) / 2, np.nan)
    return Levels(Values(value, np.where(reason == "", a.n_terms + b.n_terms, 0), reason))


def dtq_halves(
    counts: PairCounts | Sequence[PairCounts | None],
    slice_words: Ids,
    slice_coherence: Values,
    slice_diversity: Values,
    *,
    window: int,
    pairs: Pairs,
    variant: str,
) -> tuple[Values, Values]:
    """What `dtq` is the mean of: TQ of each slice (T,), and TTQ of each topic (K,)."""
    c = coherence_of_windows(counts, slice_words, window=window, pairs=pairs)
    over = quality_of_topics(c, overlaps(slice_words, window), variant)
    return quality_of_slices(slice_coherence, slice_diversity, variant), over


def chance_smoothness(slice_words: Ids, window: int = 2) -> float:
    """What `tts` is on average where the topics of each slice are put in random order; nan if there is none.

    Exact, without a draw: the mean overlap of any topic of one slice with any of another.
    """
    sums, lists = [], (slice_words >= 0).sum(-1)
    n_words = int(slice_words.max(initial=-1)) + 1
    weight, held = np.zeros((2, len(slice_words), max(n_words, 1)))
    for t, words in enumerate(slice_words):
        k, i = np.nonzero(words >= 0)
        n_topics = max((lists[t] > 0).sum(), 1)
        np.add.at(weight[t], words[k, i], 1 / lists[t][k] / n_topics)
        np.add.at(held[t], words[k, i], 1 / n_topics)
    there = (lists > 0).any(-1)
    for t in range(len(slice_words) - window + 1):
        inside = [s for s in range(t, t + window) if there[s]]
        if len(inside) < 2 or not (there[t] and there[t + window - 1]):
            continue
        shares = weight[inside] @ held[inside].T
        np.fill_diagonal(shares, 0.0)
        sums.append(shares.sum() / (len(inside) * (len(inside) - 1)))
    return float(np.mean(sums)) if sums else float("nan")
