"""The bootstrap: how much a statistic varies when its values, or whole groups of them, are drawn again."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError

CHUNK = 4_000_000  # draws held at once: bounds memory to some tens of megabytes
FEWEST = 3  # things for a correlation or a line: two have one of 1 or -1 whatever they are
ENOUGH = 5  # things or clusters for an interval of it: resamples of fewer are mostly of two or three of them


@dataclass(frozen=True, eq=False)
class Estimate:
    """A statistic, its percentile interval and the draws it is from; nan where undefined."""

    value: float
    low: float
    high: float
    level: float = 0.95
    draws: NDArray[np.float64] = field(default_factory=lambda: np.empty(0), repr=False)


def bootstrap(
    values: ArrayLike,
    statistic: Callable[..., Any] = np.mean,
    resamples: int = 20_000,
    seed: int = 0,
    level: float = 0.95,
    groups: ArrayLike | None = None,
) -> Estimate:
    """A statistic with its percentile interval over resamples of the rows of ``values``.

    Parameters
    ----------
    values : array of shape (n,) or (n, ...)
        What is resampled, by rows: the rows of an (n, 2) array are n pairs that stay together.
    statistic : callable
        From such an array to a number. One that takes ``axis=``, as numpy's do, is called on many
        resamples at once; the draws are the same either way.
    resamples, seed : int
        How many resamples, and what draws them.
    level : float
        The share of the draws that the interval holds.
    groups : array of shape (n,), optional
        A label for each row: whole groups are drawn, for rows that are not independent (the topics
        of one model, the answers of one person). A resample then need not have n rows.

    Returns
    -------
    Estimate
        ``low`` and ``high`` are nan with fewer than two rows (or groups): one shows no variation.
        Draws for which the statistic is nan take no part; if ``value`` is nan, so is the interval.

    Raises
    ------
    InputError
        If there are no values, or an argument is out of range.

    Examples
    --------
    >>> estimate = bootstrap([1.0, 2.0, 3.0, 4.0], np.mean, seed=0)
    >>> estimate.value, estimate.low, estimate.high
    (2.5, 1.5, 3.5)
    """
    rows = np.asarray(values, np.float64)
    if rows.ndim == 0 or not len(rows):
        raise InputError(f"bootstrap needs an array of at least one value; got the shape {rows.shape}")
    check_draws(resamples, level)
    value, rng = float(statistic(rows)), np.random.default_rng(seed)
    members = _members(groups, len(rows))
    draws = np.full(resamples, np.nan)
    if len(members) >= 2:
        at = 0
        for index in resampled(len(members), resamples, rng):
            draws[at : at + len(index)] = _statistics(rows, members, index, statistic)
            at += len(index)
    return interval(value, draws, level)


def interval(value: float, draws: NDArray[np.float64], level: float) -> Estimate:
    """The percentile interval of draws; undefined draws take no part."""
    defined = draws[~np.isnan(draws)]
    if np.isnan(value) or not len(defined):
        return Estimate(value, np.nan, np.nan, level, draws)
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Estimate(value, float(low), float(high), level, draws)


def check_draws(resamples: int, level: float) -> None:
    """Refuse numbers of resamples and levels that mean nothing."""
    if resamples < 1:
        raise InputError(f"resamples must be a whole number of at least 1; got {resamples!r}")
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1, as 0.95; got {level!r}")


def resampled(n: int, resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """Chunks of shape (some, n): the places that each resample draws, with replacement."""
    step = max(1, CHUNK // n)
    for start in range(0, resamples, step):
        yield rng.integers(n, size=(min(step, resamples - start), n), dtype=np.int32)


def _members(groups: ArrayLike | None, n: int) -> list[NDArray[np.intp]] | NDArray[np.intp]:
    """The rows of each group; a matrix where all groups have as many."""
    if groups is None:
        return np.arange(n)[:, None]
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise InputError(f"groups must be one label for each of the {n} rows; got the shape {labels.shape}")
    _, code = np.unique(labels, return_inverse=True)
    members = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])
    same = len({len(rows) for rows in members}) == 1
    return np.array(members) if same else members


def _statistics(rows: NDArray[np.float64], members: Any, index: NDArray[np.int32], statistic: Any) -> Any:
    """The statistic of each resample of a chunk."""
    if isinstance(members, np.ndarray) and rows.ndim == 1 and _takes_axis(statistic):
        found = np.asarray(statistic(rows[members[index].reshape(len(index), -1)], axis=1))
        if found.shape == (len(index),):
            return found
    if isinstance(members, np.ndarray):
        return [statistic(rows[members[one].reshape(-1)]) for one in index]
    return [statistic(rows[np.concatenate([members[g] for g in one])]) for one in index]


def _takes_axis(statistic: Any) -> bool:
    try:
        return "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):  # written in C without a signature
        return False
