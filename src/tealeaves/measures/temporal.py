"""Topics over time: how smoothly and how sensibly a topic's words change from slice to slice."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.counts import PairCounts
from tealeaves.measures._table import Levels, Values, measure, parse
from tealeaves.measures._windows import (
    COMPAT,
    GAP,
    NOWHERE,
    PAIRED,
    Pairs,
    chance_smoothness,
    coherence_of_windows,
    confirmation,
    ends,
    levels,
    mean_over,
    over_topics,
    over_windows,
    overlaps,
    pairs_of,
    window_draws,
    window_values,
)

__all__ = [
    "GAP",
    "NOWHERE",
    "PAIRED",
    "Pairs",
    "b_tc",
    "b_ts",
    "chance_smoothness",
    "confirmation",
    "dtq",
    "dtq_halves",
    "ends",
    "mean_over",
    "over_topics",
    "over_windows",
    "overlaps",
    "pairs_of",
    "quality_of_slices",
    "quality_of_topics",
    "quality_of_windows",
    "ttc",
    "ttq",
    "tts",
    "window_draws",
    "window_values",
]
Ids = NDArray[np.int32]
SOURCE = "james2024"
REFERENCES = ("corpus", "slice")


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
    return levels(found, window)


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
    return levels(overlaps(slice_words, window, variant), window)


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
