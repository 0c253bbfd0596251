"""Tests of a difference by rearrangement, and Holm's correction for a table of them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.stats.bootstrap import CHUNK, check_draws

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """A difference of means and its two-sided p.

    ``smallest_p`` is the least p that so many values can give: a test that cannot fall below 0.05 shows
    nothing by staying above it. ``exact`` says whether every rearrangement was tried.
    """

    difference: float
    p: float
    smallest_p: float
    n: int
    exact: bool


def permutation(a: ArrayLike, b: ArrayLike, resamples: int = 20_000, seed: int = 0) -> Difference:
    """Whether two independent groups differ in their mean, by exchanging the labels of their values.

    Parameters
    ----------
    a, b : array of shape (n_a,) and (n_b,)
        The values of each group, such as the topics of two models or several runs of each.
    resamples : int
        All ``comb(n_a + n_b, n_a)`` labellings are tried if they are no more than this; otherwise so
        many are drawn, and the labelling that was found counts as one of them.
    seed : int
        What draws them.

    Returns
    -------
    Difference
        p is the share of labellings whose difference is at least as far from 0 as the one found.

    Raises
    ------
    InputError
        If a group is empty or holds a nan or an infinite number.

    Examples
    --------
    >>> permutation([3.0, 4.0, 5.0], [0.0, 1.0, 2.0]).p  # 2 of 20 labellings are as extreme
    0.1
    """
    return permutations([(a, b)], resamples, seed)[0]


def permutations(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]], resamples: int = 20_000, seed: int = 0
) -> list[Difference]:
    """`permutation` of each of many pairs of groups; those of one size share their labellings.

    Examples
    --------
    >>> [found.p for found in permutations([([3, 4, 5], [0, 1, 2]), ([1, 1, 1], [1, 1, 1])])]
    [0.1, 1.0]
    """
    check_draws(resamples, 0.5)
    pooled, places = [], defaultdict(list)
    for place, (a, b) in enumerate(pairs):
        first, second = _values(a, "a"), _values(b, "b")
        pooled.append(np.concatenate([first, second]))
        places[len(first), len(second)].append(place)
    found: dict[int, Difference] = {}
    for (size, rest), of_size in places.items():
        tested = _exchanged(np.array([pooled[place] for place in of_size]), size, rest, resamples, seed)
        found.update(zip(of_size, tested, strict=True))
    return [found[place] for place in range(len(pooled))]


def sign_flips(differences: ArrayLike, resamples: int = 20_000, seed: int = 0) -> Difference:
    """Whether the mean of paired differences is 0, by flipping their signs.

    Parameters
    ----------
    differences : array of shape (n,)
        Score of one model less that of the other on the same thing, such as a document.
    resamples : int
        All ``2 ** n`` choices of signs are tried if they are no more than this; otherwise so many are
        drawn, and the signs that were found count as one of them.
    seed : int
        What draws them.

    Returns
    -------
    Difference
        p is the share of choices whose mean is at least as far from 0 as the one found.

    Raises
    ------
    InputError
        If there are none, or one is nan or infinite.

    Examples
    --------
    >>> sign_flips([1.0, 2.0, 3.0]).p  # all signs alike: 2 of 8
    0.25
    """
    values = _values(differences, "differences")
    check_draws(resamples, 0.5)
    n = len(values)
    exact = n < 63 and 2**n <= resamples
    if exact:
        signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        means = signs @ values / n
    else:
        rng, step = np.random.default_rng(seed), max(1, CHUNK // n)
        sizes = [min(step, resamples - start) for start in range(0, resamples, step)]
        means = np.concatenate([(1.0 - 2.0 * rng.integers(2, size=(size, n))) @ values / n for size in sizes])
    difference = float(values.mean())
    floor = 2.0 ** (1 - n) if exact else 1 / (1 + resamples)
    return Difference(difference, _p(means, difference, values, exact), floor, n, exact)


def holm(p: ArrayLike) -> Floats:
    """Holm's correction: p of each test, made to hold for the whole family; nan stays nan and is not counted.

    Raises
    ------
    InputError
        If a p is not from 0 to 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    """
    given = np.asarray(p, np.float64)
    wrong = (given < 0) | (given > 1)
    if given.ndim != 1 or wrong.any():
        found = f"{given[wrong][0]:g}" if wrong.any() else f"the shape {given.shape}"
        raise InputError(f"p must be a list of numbers from 0 to 1; got {found}")
    adjusted = np.full(given.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(given))
    order = tested[np.argsort(given[tested], kind="stable")]
    factor = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(given[order] * factor))
    return adjusted


def smallest_p(n_a: int, n_b: int) -> float:
    """The least two-sided p that a permutation of ``n_a`` and ``n_b`` values without ties can give.

    Groups of one size can also be exchanged as a whole, which makes two labellings as extreme.

    Examples
    --------
    >>> round(smallest_p(5, 5), 4), smallest_p(2, 3)
    (0.0079, 0.1)
    """
    if n_a < 1 or n_b < 1:
        raise InputError(f"each group needs at least one value; got {n_a} and {n_b}")
    return min(1.0, (2 if n_a == n_b else 1) / comb(n_a + n_b, n_a))


def _values(given: ArrayLike, name: str) -> Floats:
    values = np.asarray(given, np.float64)
    if values.ndim != 1 or not len(values):
        raise InputError(f"{name} must be a list of at least one number; got the shape {values.shape}")
    wrong = ~np.isfinite(values)
    if wrong.any():
        raise InputError(
            f"{wrong.sum()} of {len(values)} values of {name} are nan or infinite; leave them out first"
        )
    return values


def _exchanged(pooled: Floats, size: int, rest: int, resamples: int, seed: int) -> list[Difference]:
    """Test each row: its first ``size`` values against the ``rest`` others."""
    exact = comb(size + rest, size) <= resamples
    sums = np.concatenate(
        [pooled @ chosen.T for chosen in _labellings(size + rest, size, resamples, seed, exact)], axis=1
    )
    found = sums / size - (pooled.sum(axis=1, keepdims=True) - sums) / rest
    floor = smallest_p(size, rest) if exact else 1 / (1 + resamples)
    real = [float(row[:size].mean() - row[size:].mean()) for row in pooled]
    return [
        Difference(own, _p(those, own, values, exact), floor, size + rest, exact)
        for own, those, values in zip(real, found, pooled, strict=True)
    ]


def _labellings(n: int, size: int, resamples: int, seed: int, exact: bool) -> Iterator[Floats]:
    """Choices of ``size`` of n things, a row of ones and zeros each, in pieces that bound memory."""
    rng, step = np.random.default_rng(seed), max(1, CHUNK // n)
    every = np.array(list(combinations(range(n), size))) if exact else np.empty((0, size), np.int64)
    for start in range(0, len(every) if exact else resamples, step):
        if exact:
            chosen = every[start : start + step]
        else:
            rows = np.broadcast_to(np.arange(n), (min(step, resamples - start), n))
            chosen = rng.permuted(rows, axis=1)[:, :size]
        ones = np.zeros((len(chosen), n))
        np.put_along_axis(ones, chosen, 1.0, axis=1)
        yield ones


def _p(found: Floats, difference: float, values: Floats, exact: bool) -> float:
    """The share of rearrangements at least as extreme; sums in another order may differ by rounding."""
    slack = 1e-12 * (np.abs(values).max() + abs(difference))
    extreme = int((np.abs(found) >= abs(difference) - slack).sum())
    return extreme / len(found) if exact else (1 + extreme) / (1 + len(found))
