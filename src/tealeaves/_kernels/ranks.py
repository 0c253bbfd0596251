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
