"""Spearman's correlation of many resamples, without sorting any of them.

The values are sorted once, before: ``x`` and ``y`` hold for each pair the place of its value among the
distinct ones. A resample is then counted by place, and one running sum over the places gives its ranks.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(nogil=True, cache=True)
def spearman_draws(x, y, n_x, n_y, index, draws):  # type: ignore[no-untyped-def]
    """Fill ``draws`` (R,) with the correlation of the pairs named by ``index`` (R, n); nan for a constant."""
    n = index.shape[1]
    middle = 0.5 * (n + 1)
    count_x, count_y = np.empty(n_x, np.int64), np.empty(n_y, np.int64)
    rank_x, rank_y = np.empty(n_x), np.empty(n_y)
    for r in range(index.shape[0]):
        count_x[:] = 0
        count_y[:] = 0
        for i in range(n):
            count_x[x[index[r, i]]] += 1
            count_y[y[index[r, i]]] += 1
        spread_x = _ranks(count_x, middle, rank_x)
        spread_y = _ranks(count_y, middle, rank_y)
        both = 0.0
        for i in range(n):
            both += rank_x[x[index[r, i]]] * rank_y[y[index[r, i]]]
        draws[r] = both / np.sqrt(spread_x * spread_y) if spread_x > 0 and spread_y > 0 else np.nan


@njit(nogil=True, cache=True)
def _ranks(count, middle, rank):  # type: ignore[no-untyped-def]
    """Midranks less their mean, by place; returns their sum of squares."""
    before, spread = 0, 0.0
    for place in range(len(count)):
        rank[place] = before + 0.5 * (count[place] + 1) - middle
        spread += count[place] * rank[place] * rank[place]
        before += count[place]
    return spread


@njit(nogil=True, cache=True)
def correlation_draws(x, places, n_places, group, n_groups, index, ranked, draws):  # type: ignore[no-untyped-def]
    """Fill ``draws`` (R, m, m) with the correlations of m columns in each resample of groups of rows.

    ``x`` (n, m) holds values and ``places`` (n, m) where each stands among the ``n_places`` (m,) distinct
    ones of its column; ``group`` (n,) is the group of each row, and ``index`` (R, any) the groups drawn.
    Spearman's if ``ranked``. A column that is constant in a resample has no correlation there: nan.
    """
    n, m = x.shape
    often_group = np.empty(n_groups, np.int64)
    often = np.empty(n, np.int64)
    z = np.empty((n, m))
    count, rank = np.empty(n_places.max(), np.int64), np.empty(n_places.max())
    spread = np.empty(m)
    for r in range(index.shape[0]):
        often_group[:] = 0
        for i in range(index.shape[1]):
            often_group[index[r, i]] += 1
        total = 0
        for i in range(n):
            often[i] = often_group[group[i]]
            total += often[i]
        middle = 0.5 * (total + 1)
        for j in range(m):
            count[: n_places[j]] = 0
            for i in range(n):
                count[places[i, j]] += often[i]
            distinct = 0
            for place in range(n_places[j]):
                distinct += count[place] > 0
            if ranked:
                spread[j] = _ranks(count[: n_places[j]], middle, rank)
                for i in range(n):
                    z[i, j] = rank[places[i, j]]
            else:
                mean = 0.0
                for i in range(n):
                    mean += often[i] * x[i, j]
                mean /= max(total, 1)
                spread[j] = 0.0
                for i in range(n):
                    z[i, j] = x[i, j] - mean
                    spread[j] += often[i] * z[i, j] * z[i, j]
            if distinct < 2:
                spread[j] = 0.0
        draws[r] = 0.0
        for i in range(n):
            if often[i] > 0:
                for a in range(m):
                    weighed = often[i] * z[i, a]
                    for b in range(a):
                        draws[r, a, b] += weighed * z[i, b]
        for a in range(m):
            draws[r, a, a] = 1.0 if spread[a] > 0 else np.nan
            for b in range(a):
                both = np.sqrt(spread[a]) * np.sqrt(spread[b])
                found = draws[r, a, b] / both if both > 0 else np.nan
                draws[r, a, b] = min(1.0, max(-1.0, found)) if both > 0 else np.nan
                draws[r, b, a] = draws[r, a, b]


def spearman_draws_plain(
    x: NDArray[np.float64], y: NDArray[np.float64], index: NDArray[np.int32]
) -> NDArray[np.float64]:
    """What ``spearman_draws`` must give, from ranking every resample: for the tests."""
    from scipy.stats import rankdata

    draws = np.full(len(index), np.nan)
    for r, one in enumerate(index):
        a, b = (rankdata(side[one]) - 0.5 * (len(one) + 1) for side in (x, y))
        spread = (a @ a) * (b @ b)
        draws[r] = a @ b / np.sqrt(spread) if spread > 0 else np.nan
    return draws
