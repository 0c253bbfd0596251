"""Correlation of two scores over the same topics, with its bootstrap interval."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.stats.bootstrap import ENOUGH, FEWEST, Estimate, check_draws, interval, resampled

Floats = NDArray[np.float64]
METHODS = ("spearman", "pearson")


def correlate(
    x: ArrayLike,
    y: ArrayLike,
    method: str = "spearman",
    resamples: int = 20_000,
    seed: int = 0,
    level: float = 0.95,
) -> Estimate:
    """The correlation of ``x`` and ``y``, -1 to 1, with a percentile interval over resampled pairs.

    Parameters
    ----------
    x, y : array of shape (n,)
        Two numbers for each of n things, in the same order.
    method : "spearman" or "pearson"
        Spearman's is Pearson's of the ranks; things that tie share the mean of their ranks.
    resamples, seed : int
        How many times n pairs are drawn again, and what draws them.
    level : float
        The share of the draws that the interval holds.

    Returns
    -------
    Estimate
        nan if ``x`` or ``y`` has one value only, or there are fewer than three pairs: two have a correlation
        of 1 or -1 whatever they are. No interval with fewer than five, or where fewer than half of the
        resamples have a correlation, as in `correlation_matrix`. Below twenty an interval is too narrow.

    Raises
    ------
    InputError
        If the shapes differ, a value is nan or infinite (which pairs to leave out is for the caller to say),
        or the method is unknown.

    Examples
    --------
    >>> correlate([1, 2, 3, 4], [1, 3, 2, 4], resamples=100).value
    0.8
    """
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(f"correlate needs two arrays of one length; got the shapes {a.shape} and {b.shape}")
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    check_draws(resamples, level)
    missing = ~(np.isfinite(a) & np.isfinite(b))
    if missing.any():
        found = f"{missing.sum()} of {len(a)} pairs have a nan or an infinite number"
        raise InputError(f"{found}, the first at {missing.argmax()}; leave them out first")
    if len(a) < FEWEST:
        return interval(np.nan, np.full(resamples, np.nan), level)
    draw = _spearman if method == "spearman" else _pearson
    value = float(draw(a, b, np.arange(len(a), dtype=np.int32)[None])[0])
    rng = np.random.default_rng(seed)
    draws = np.concatenate([draw(a, b, index) for index in resampled(len(a), resamples, rng)])
    if len(a) < ENOUGH or 2 * np.isfinite(draws).sum() < resamples:
        return Estimate(value, np.nan, np.nan, level, draws)
    return interval(value, draws, level)


def _spearman(x: Floats, y: Floats, index: NDArray[np.int32]) -> Floats:
    from tealeaves._kernels.ranks import spearman_draws

    places_x, places_y = (np.unique(side, return_inverse=True) for side in (x, y))
    draws = np.empty(len(index))
    spearman_draws(places_x[1], places_y[1], len(places_x[0]), len(places_y[0]), index, draws)
    return draws


def _pearson(x: Floats, y: Floats, index: NDArray[np.int32]) -> Floats:
    a, b = (side[index] for side in (x, y))
    constant = (a == a[:, :1]).all(axis=1) | (b == b[:, :1]).all(axis=1)  # rounding would hide it below
    with np.errstate(divide="ignore", invalid="ignore"):
        for side in (a, b):
            side -= side.mean(axis=1, keepdims=True)
            side /= np.abs(side).max(axis=1, keepdims=True)  # squares of very small numbers would be 0
        both, spread_a, spread_b = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (a, a), (b, b)))
        draws = both / (np.sqrt(spread_a) * np.sqrt(spread_b))
    return np.where(constant, np.nan, np.clip(draws, -1, 1))
