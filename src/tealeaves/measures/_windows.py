"""Windows of slices: what is compared in each, and means over windows, slices and topics."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

import tealeaves.measures.compat as others
from tealeaves.counts import PairCounts
from tealeaves.errors import InputError
from tealeaves.measures._table import Levels, Spec, Values, parse
from tealeaves.measures.coherence import npmi_of, pmi_of

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]
PAIRED = ("npmi", "uci")  # coherence that is a mean over pairs of words, each with a value of its own
COMPAT = (None, "authors")
GAP, NOWHERE, NO_WINDOW = "missing in a slice", "missing in every slice", "no window"


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


def levels(windows: Values, span: int) -> Levels:
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
