"""Means of what raters said of units: intervals when both are drawn again, not the answers alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError, meant
from tealeaves.stats.bootstrap import CHUNK, Estimate, check_draws, interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrossedEstimate:
    """A mean, or a difference of means, and how far it would move.

    Attributes
    ----------
    such : Estimate
        Were raters and units drawn again: of such topics, judged by such people.
    these : Estimate
        Were only raters drawn again: of these very topics, judged by such people.
    p, p_these : float
        Two-sided: twice the share of the draws on the other side of 0. nan without an interval.
    reason : str
        Why there is no value or no interval; "" where there are both.
    """

    such: Estimate
    these: Estimate
    p: float
    p_these: float
    reason: str = ""


@dataclass(frozen=True, eq=False)
class CrossedMeans:
    """Means over units (topics, documents) of groups (models), of answers by raters; see `crossed`."""

    groups: tuple[str, ...]
    values: Floats  # (G,)
    draws: Floats = field(repr=False)  # (B, G): raters and units drawn again
    draws_these: Floats = field(repr=False)  # (B, G): raters alone
    by_rater: Floats = field(repr=False)  # (R, G): how far each rater moves each mean
    of_units: Floats = field(repr=False)  # (G,): variance of the mean over units
    of_cells: Floats = field(repr=False)  # (G,): the part of it that answers, not units, bring
    judged: NDArray[np.bool_] = field(repr=False)  # (R, G)
    n_units: NDArray[np.int64] = field(repr=False)  # (G,)
    level: float = 0.95
    bounds: tuple[float, float] = (-np.inf, np.inf)

    def estimate(self, group: str) -> CrossedEstimate:
        """The mean of one group."""
        return self._of(np.eye(len(self.groups))[self._place(group)])

    def difference(self, a: str, b: str) -> CrossedEstimate:
        """The mean of ``a`` less that of ``b``: who judged both is drawn for both, units for each apart."""
        unit = np.eye(len(self.groups))
        return self._of(unit[self._place(a)] - unit[self._place(b)])

    def _place(self, group: str) -> int:
        if group not in self.groups:
            raise InputError(f"there is no group {group!r}; {meant(group, self.groups)}")
        return self.groups.index(group)

    def _of(self, contrast: Floats) -> CrossedEstimate:
        used = np.flatnonzero(contrast)
        signs = contrast[used]
        value = float(self.values[used] @ signs)
        none = Estimate(value, np.nan, np.nan, self.level, np.empty(0))
        if np.isnan(value):
            return CrossedEstimate(none, none, np.nan, np.nan, "no answers")
        judged = self.judged[:, used]
        if judged.sum(axis=0).min() < 2:
            return CrossedEstimate(none, none, np.nan, np.nan, "one rater shows no variation of raters")
        raters, units = int(judged.any(axis=1).sum()), self.n_units[used]
        moves = self.by_rater[:, used] @ signs
        of_raters = float((moves**2).sum()) * raters / (raters - 1)
        these = self._scaled(value, self.draws_these[:, used] @ signs, of_raters, raters - 1.0, len(used))
        if units.min() < 2:
            return CrossedEstimate(none, these, np.nan, _p(these), "one unit shows no variation of units")
        by_group = self.of_units[used]
        of_units, of_cells = float(by_group.sum()), float(self.of_cells[used].sum())
        # Both parts hold the noise of single answers, which counts once, and is the least there is.
        variance = max(of_raters + of_units - of_cells, of_cells)
        parts = of_raters**2 / (raters - 1) + float((by_group**2 / (units - 1)).sum())
        freedom = variance**2 / parts if parts > 0 else np.inf
        such = self._scaled(value, self.draws[:, used] @ signs, variance, freedom, len(used))
        reason = "all answers are alike" if np.isnan(such.low) else ""
        return CrossedEstimate(such, these, _p(such), _p(these), reason)

    def _scaled(self, value: float, draws: Floats, variance: float, freedom: float, groups: int) -> Estimate:
        """The interval of draws about the value, of this variance, widened for few degrees of freedom."""
        from scipy.special import stdtrit

        defined = draws[~np.isnan(draws)]
        spread = float(np.sqrt(((defined - value) ** 2).mean())) if len(defined) else 0.0
        if spread < 1e-12 or variance <= 0:
            return Estimate(value, np.nan, np.nan, self.level, draws)
        tail = (1 + self.level) / 2
        wide = float(stdtrit(max(freedom, 1.0), tail)) / float(stdtrit(1e9, tail))
        low, high = self.bounds
        if groups > 1:
            low, high = low - high, high - low
        moved = value + (draws - value) * (np.sqrt(variance) * wide / spread)
        return interval(value, np.clip(moved, low, high), self.level)


def crossed(
    sums: Any,
    counts: Any,
    groups: Sequence[str] | None = None,
    resamples: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> CrossedMeans:
    """Means of answers over units, with intervals for such raters and such units.

    A unit's score is the mean of its answers, a group's the mean of its units'. Answers of one rater, or to
    one unit, are alike: taking them for independent (a binomial interval) makes intervals too narrow.

    Parameters
    ----------
    sums, counts : array or scipy.sparse matrix of shape (raters, units)
        The sum of the answers that a rater gave to a unit, and how many they are: 0 where none.
    groups : sequence of str, optional
        The group of each unit, such as its model; by default all are one group, "".
    resamples, seed : int
        How many times raters and units (of each group apart) are drawn again, and what draws them.
    level : float
        The share of the draws that an interval holds.
    bounds : (low, high)
        What an answer can be, such as (0, 1): no interval leaves it.

    Returns
    -------
    CrossedMeans
        ``.estimate(group)`` and ``.difference(a, b)``. A unit that nobody answered takes no part; a resample
        in which none of a group's units has an answer neither. nan with a reason where there are fewer than
        two raters or two units, or no answer differs from another.

    Notes
    -----
    Draws are of raters and units together (Owen 2007). These count the noise of single answers three times
    over, so they are drawn together about the mean until their variance is that of raters plus that of units
    less that of cells (Cameron, Gelbach and Miller 2011), with Student's factor for few raters or units.

    References
    ----------
    Owen (2007), The pigeonhole bootstrap, Annals of Applied Statistics 1, 386-411.
    Cameron, Gelbach and Miller (2011), Robust inference with multiway clustering, JBES 29, 238-249.

    Examples
    --------
    >>> right = np.array([[1, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 1]])
    >>> found = crossed(right, np.ones((3, 4)), bounds=(0, 1)).estimate("").such
    >>> round(found.value, 3), round(found.low, 2), round(found.high, 2)
    (0.75, 0.0, 1.0)
    """
    from scipy import sparse

    check_draws(resamples, level)
    s, n = (sparse.csr_matrix(given, dtype=np.float64) for given in (sums, counts))
    if s.shape != n.shape:
        raise InputError(f"sums and counts must be of one shape; got {s.shape} and {n.shape}")
    labels = [""] * s.shape[1] if groups is None else [str(group) for group in groups]
    if len(labels) != s.shape[1]:
        raise InputError(f"groups must name the group of each of {s.shape[1]} units; got {len(labels)}")
    names = tuple(dict.fromkeys(labels))
    if not np.isfinite(s.data).all():
        raise InputError("sums of answers must be finite; leave out what is undefined, and count it 0 times")
    rng = np.random.default_rng(seed)
    raters = s.shape[0]
    weights = _weights(raters, resamples, rng)
    size = (raters, len(names))
    parts: dict[str, Floats] = {
        "values": np.full(len(names), np.nan),
        "draws": np.full((resamples, len(names)), np.nan),
        "draws_these": np.full((resamples, len(names)), np.nan),
        "by_rater": np.zeros(size),
        "of_units": np.zeros(len(names)),
        "of_cells": np.zeros(len(names)),
    }
    judged, n_units = np.zeros(size, np.bool_), np.zeros(len(names), np.int64)
    for g, name in enumerate(names):
        mine = np.flatnonzero([label == name for label in labels])
        mine = mine[np.asarray(n[:, mine].sum(axis=0)).ravel() > 0]
        if not len(mine):
            continue
        _one(s[:, mine], n[:, mine], weights, rng, g, parts)
        n_units[g] = len(mine)
        judged[:, g] = np.asarray(n[:, mine].sum(axis=1)).ravel() > 0
    return CrossedMeans(names, **parts, judged=judged, n_units=n_units, level=level, bounds=bounds)


def wilson(k: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's binomial interval of k of n; nan where n is 0.

    Right for answers that are independent, as those of different people to one topic are; too narrow for a
    model, whose answers share topics and raters.

    Examples
    --------
    >>> low, high = wilson(7, 8)
    >>> round(float(low), 3), round(float(high), 3)
    (0.529, 0.978)
    """
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1 + level) / 2)
    count, total = np.asarray(k, np.float64), np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = count / total
        middle = (share + z**2 / (2 * total)) / (1 + z**2 / total)
        half = z / (1 + z**2 / total) * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def _weights(n: int, resamples: int, rng: np.random.Generator) -> NDArray[np.uint16]:
    """How often each of n is drawn in each resample, (B, n); in 16 bits, as there may be thousands."""
    found = np.empty((resamples, n), np.uint16)
    step = max(1, CHUNK // max(n, 1))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        index = rng.integers(n, size=(size, n)) + np.arange(size)[:, None] * n
        found[start : start + size] = np.bincount(index.ravel(), minlength=size * n).reshape(size, n)
    return found


def _one(s: Any, n: Any, weights: Any, rng: np.random.Generator, g: int, parts: dict[str, Floats]) -> None:
    """Value, draws and variances of one group, entered at place ``g``."""
    counts = np.asarray(n.sum(axis=0)).ravel()
    means = np.asarray(s.sum(axis=0)).ravel() / counts
    units, resamples = len(means), len(weights)
    value = float(means.mean())
    step = max(1, CHUNK // max(units, s.shape[0]))
    for start in range(0, resamples, step):
        rows = slice(start, min(start + step, resamples))
        drawn_raters = weights[rows].T.astype(np.float64)
        total, given = (s.T @ drawn_raters).T, (n.T @ drawn_raters).T
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = np.where(given > 0, total / given, 0.0)
            there = (given > 0).astype(np.float64)
            parts["draws_these"][rows, g] = drawn.sum(axis=1) / there.sum(axis=1)
            often = _weights(units, len(total), rng)
            parts["draws"][rows, g] = (drawn * often).sum(axis=1) / (there * often).sum(axis=1)
    share = 1.0 / (units * counts)  # of each answer in the mean
    parts["values"][g] = value
    parts["by_rater"][:, g] = s @ share - n @ (means * share)
    parts["of_units"][g] = ((means - value) ** 2).sum() / (units * max(units - 1, 1))
    parts["of_cells"][g] = float((_noise(s, n, means) / counts).sum()) / units**2


def _noise(s: Any, n: Any, means: Floats) -> Floats:
    """The variance of an answer about its unit's mean, (U,), as far as it makes means of units differ.

    A rater who judges all units moves them alike, and one who judges a single one moves it alone: what raters
    have in themselves counts for a unit as far as its raters are not everybody.
    """
    pairs = n.tocoo()
    rater, unit, size = pairs.row, pairs.col, pairs.data
    apart = np.asarray(s[rater, unit]).ravel() / size - means[unit]  # the answers of a cell are one
    judges, judged = np.bincount(unit, minlength=len(means)), np.bincount(rater, minlength=s.shape[0])
    squares = np.bincount(unit, weights=size * apart**2, minlength=len(means))
    several = judges > 1
    within = np.divide(squares, judges - 1, out=np.zeros(len(means)), where=several)
    within = np.where(several, within, within[several].mean() if several.any() else 0.0)
    own = np.bincount(rater, weights=size * apart, minlength=s.shape[0])
    own = np.where(judged > 1, own / np.maximum(np.asarray(n.sum(axis=1)).ravel(), 1), 0.0)
    freedom = (judges[several] - 1).sum()
    left = freedom - max(int((judged > 1).sum()) - 1, 0)
    total = squares[several].sum()
    if total <= 0 or left <= 0:
        return within
    share = float((size * (apart - own[rater]) ** 2).sum() / left) / (total / freedom)
    of_raters = 1 - min(1.0, share)
    result: Floats = within * (1 - of_raters * judges / (judged > 0).sum())
    return result


def _p(found: Estimate) -> float:
    draws = found.draws[~np.isnan(found.draws)]
    if not len(draws) or np.isnan(found.low):
        return float("nan")
    tail = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
    return min(1.0, 2 * (1 + tail) / (1 + len(draws)))
