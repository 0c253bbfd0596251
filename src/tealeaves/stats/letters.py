"""Compact letters: which of several models differ, said by letters beside their scores."""

from collections.abc import Sequence
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError


def significance_letters(names: Sequence[str], p_matrix: ArrayLike, alpha: float = 0.05) -> dict[str, str]:
    """Letters for each name, so that two names share a letter if and only if they do not differ.

    Parameters
    ----------
    names : sequence of str
        What was compared, best first: ``a`` goes to the first, and letters follow this order.
    p_matrix : array of shape (n, n)
        Corrected p of each pair, such as by `holm`; symmetric, and the diagonal is not looked at. nan, a
        pair that could not be tested, counts as not different: nothing shows that it is.
    alpha : float
        Two names differ where p is below this.

    Returns
    -------
    dict of str
        The letters of each name, in the order of ``names``; after ``a`` to ``z`` come ``A`` to ``Z``, then
        numbers in brackets.

    Raises
    ------
    InputError
        If the matrix does not fit the names, is not symmetric or holds what is no p, or a name stands twice.

    References
    ----------
    Piepho (2004), Journal of Computational and Graphical Statistics 13, 456-466: insert, absorb, sweep.

    Examples
    --------
    >>> significance_letters(["lda", "nmf", "lsi"], [[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]])
    {'lda': 'a', 'nmf': 'ab', 'lsi': 'b'}
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be between 0 and 1, as 0.05; got {alpha!r}")
    if len(set(names)) < len(names):
        raise InputError(f"each name must stand once; got {', '.join(map(repr, names))}")
    differ = _differ(p_matrix, len(names), alpha)
    groups = [set(range(len(names)))] if names else []
    for i, j in zip(*np.nonzero(np.triu(differ)), strict=True):
        parts = []
        for group in groups:  # insert: no group may hold both
            parts += [group - {i}, group - {j}] if {i, j} <= group else [group]
        groups = _absorbed(parts)
    groups = sorted(_swept(groups, differ), key=sorted)
    letters = [_letter(g) for g in range(len(groups))]
    return {
        name: "".join(a for a, group in zip(letters, groups, strict=True) if i in group)
        for i, name in enumerate(names)
    }


def _differ(p_matrix: ArrayLike, n: int, alpha: float) -> NDArray[np.bool_]:
    p = np.array(p_matrix, np.float64).reshape(0, 0) if n == 0 else np.array(p_matrix, np.float64)
    if p.shape != (n, n):
        raise InputError(f"{n} names need a matrix of {n} × {n} p; got the shape {p.shape}")
    np.fill_diagonal(p, 1.0)
    if ((p < 0) | (p > 1)).any():
        raise InputError(f"p must be from 0 to 1; one is {p[(p < 0) | (p > 1)][0]:g}")
    if not np.array_equal(p, p.T, equal_nan=True):
        i, j = np.argwhere((p != p.T) & ~(np.isnan(p) & np.isnan(p.T)))[0]
        raise InputError(
            f"the p of a pair must be the same both ways, but {i}, {j} have {p[i, j]:g} and {p[j, i]:g}"
        )
    return np.asarray(p < alpha)


def _absorbed(groups: list[set[int]]) -> list[set[int]]:
    """The groups that lie in no other one, each once."""
    kept: list[set[int]] = []
    for group in sorted(groups, key=len, reverse=True):
        if not any(group <= other for other in kept):
            kept.append(group)
    return kept


def _swept(groups: list[set[int]], differ: NDArray[np.bool_]) -> list[set[int]]:
    """Without groups that say nothing the others do not: each pair that does not differ stays together."""
    kept = list(groups)
    together = np.zeros(differ.shape, np.int64)
    for group in groups:
        together[np.ix_(sorted(group), sorted(group))] += 1
    for group in sorted(groups, key=lambda g: (len(g), sorted(g))):
        cells = np.ix_(sorted(group), sorted(group))
        if (together[cells] > 1).all():
            together[cells] -= 1
            kept.remove(group)
    return kept


def _letter(i: int) -> str:
    return ascii_letters[i] if i < len(ascii_letters) else f"({i + 1})"
