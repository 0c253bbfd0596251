"""Mutual information of words and groups among the tokens of one topic, observed and replicated."""

import numpy as np
from numba import njit

from tealeaves._kernels.draws import start, uniform

PURPOSE = 4  # of the draws, beside those of other kernels


@njit(nogil=True, cache=True)
def information(words, bounds, in_group, by_word):  # type: ignore[no-untyped-def]
    """Nats of the tokens ``words``, whose group g is ``bounds[g]:bounds[g + 1]``.

    ``in_group`` and ``by_word`` are scratch of one entry a word, zero before and after.
    """
    total = 0.0
    for g in range(len(bounds) - 1):
        for i in range(bounds[g], bounds[g + 1]):
            in_group[words[i]] += 1
            by_word[words[i]] += 1
        for i in range(bounds[g], bounds[g + 1]):
            n = in_group[words[i]]
            if n:
                total += n * np.log(n)
                in_group[words[i]] = 0
        size = bounds[g + 1] - bounds[g]
        if size:
            total -= size * np.log(size)
    for i in range(len(words)):
        n = by_word[words[i]]
        if n:
            total -= n * np.log(n)
            by_word[words[i]] = 0
    return max(total / len(words) + np.log(len(words)), 0.0)


@njit(nogil=True, cache=True)
def alias_table(p, keep, other):  # type: ignore[no-untyped-def]
    """Walker's table by Vose: word i stays with probability ``keep[i]``, else it is ``other[i]``."""
    n = len(p)
    small, large = np.empty(n, np.int64), np.empty(n, np.int64)
    n_small = n_large = 0
    scale = n / p.sum()
    for i in range(n):
        keep[i] = p[i] * scale
        other[i] = i
        if keep[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small and n_large:
        n_small -= 1
        low, high = small[n_small], large[n_large - 1]
        other[low] = high
        keep[high] -= 1.0 - keep[low]
        if keep[high] < 1.0:
            n_large -= 1
            small[n_small] = high
            n_small += 1
    for i in range(n_small):  # what rounding left over; a word of probability 0 is never left alone
        if keep[small[i]] > 0.0:
            keep[small[i]] = 1.0
    for i in range(n_large):
        keep[large[i]] = 1.0


@njit(nogil=True, cache=True)
def replicated(p, bounds, seed, found):  # type: ignore[no-untyped-def]
    """Fill ``found`` with the information of tokens whose words are drawn again from ``p``.

    The draws are the same for every topic, so that none depends on which others there are.
    """
    n, v = bounds[-1], len(p)
    keep, other = np.empty(v), np.empty(v, np.int64)
    alias_table(p, keep, other)
    words = np.empty(n, np.int64)
    in_group, by_word = np.zeros(v, np.int64), np.zeros(v, np.int64)
    state = np.empty(2, np.uint64)
    for r in range(len(found)):
        start(state, seed, PURPOSE, r)
        for i in range(n):
            at = uniform(state) * v
            w = min(int(at), v - 1)
            words[i] = w if at - w < keep[w] else other[w]
        found[r] = information(words, bounds, in_group, by_word)
