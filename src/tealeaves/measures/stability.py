"""Stability: whether other runs of the same model find the same topics."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

Floats = NDArray[np.float64]


def matched_similarity(a: Floats, b: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """The best one-to-one matching of the topics of two runs: (topics of a, topics of b, their cosine).

    It maximises the sum of cosines over min(K_a, K_b) pairs.

    Parameters
    ----------
    a, b : float arrays of shape (K_a, V) and (K_b, V)
        Topics over the same words, whatever they sum to; an empty row is like nothing (cosine 0).

    Examples
    --------
    >>> i, j, cosine = matched_similarity(np.eye(2), np.eye(2)[::-1])
    >>> i.tolist(), j.tolist(), cosine.tolist()
    ([0, 1], [1, 0], [1.0, 1.0])
    """
    from scipy.optimize import linear_sum_assignment

    cosine = unit_rows(a) @ unit_rows(b).T
    i, j = linear_sum_assignment(-cosine)
    return i, j, np.clip(cosine[i, j], -1.0, 1.0)


def unit_rows(rows: Floats) -> Floats:
    """Rows scaled to length 1; an empty one stays empty."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    result: Floats = np.divide(rows, norms, out=np.zeros(rows.shape), where=norms > 0)
    return result


def instance_stability(runs: Sequence[Floats]) -> Floats:
    """How alike each two runs of a model are, (pairs,); higher is better.

    The mean cosine similarity over the min(K_a, K_b) pairs of the best one-to-one matching; the model's
    ``instance_stabil`` is the mean over pairs of runs.

    Parameters
    ----------
    runs : sequence of float arrays of shape (K, V)
        The topics of each run, over the same words.

    Returns
    -------
    float array
        One value for each pair of runs, in the order of ``itertools.combinations``; empty for one run.

    Raises
    ------
    InputError
        If the runs are not over the same number of words.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), "A Topic Coverage Approach to Evaluation of Topic Models".

    Examples
    --------
    >>> instance_stability([np.eye(2), np.eye(2), np.ones((2, 2))]).round(3)
    array([1.   , 0.707, 0.707])
    """
    if len({run.shape[1] for run in runs}) > 1:
        raise InputError("the runs must be over the same words, but their numbers of words differ")
    return np.array([matched_similarity(a, b)[2].mean() for a, b in combinations(runs, 2)])
