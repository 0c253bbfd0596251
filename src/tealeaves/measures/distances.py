"""Distances between topics: every row of one matrix against every row of another, from 0 to 1."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.scaling import rows_to_one

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
IDENTICAL = 1e-12  # a distance below is rounding: the topics are the same
SPARSE = 0.3  # of the columns: where fewer have any weight, only those are multiplied


def topic_distances(a: Floats, b: Floats, distance: str = "cosine", top: int = 10) -> Floats:
    """How far each topic of ``a`` is from each of ``b``, (K_a, K_b), from 0 (the same) to 1.

    Parameters
    ----------
    a, b : float arrays of shape (K_a, V) and (K_b, V)
        Weights of the same words (or documents), at least 0, whatever they sum to. An empty row is at 1
        from everything, also from another empty row.
    distance : str
        "cosine"; "hellinger": the norm of the difference of square roots, over the root of 2;
        "total_variation": half the sum of absolute differences; "jensen_shannon": the root of the divergence
        in bits; "rescaled_dot": 1 - (p.q - least) / (most - least), with what orderings of the weights can
        give (Chuang et al. 2013); "average_jaccard": 1 - the mean over depths of the Jaccard index of the
        first words (Greene et al. 2014). All but the cosine and the last after scaling to sum 1.
    top : int
        Words of a topic that "average_jaccard" looks at; equal weights go by the smaller id.

    Examples
    --------
    >>> topic_distances(np.array([[1.0, 0.0]]), np.array([[5.0, 12.0], [1.0, 0.0]])).round(4)
    array([[0.6154, 0.    ]])
    >>> p, q = np.array([[0.5, 0.3, 0.2]]), np.array([[0.2, 0.5, 0.3]])
    >>> topic_distances(p, q, "rescaled_dot").round(4)
    array([[0.7778]])
    """
    if distance == "average_jaccard":
        found = _average_jaccard(a, b, top)
    elif distance in KINDS:
        found = KINDS[distance](a, b)
    else:
        raise InputError(f"distance must be one of {', '.join(map(repr, DISTANCES))}; got {distance!r}")
    found = np.clip(found, 0.0, 1.0)
    found[found < IDENTICAL] = 0.0
    found[~a.any(axis=1), :] = 1.0
    found[:, ~b.any(axis=1)] = 1.0
    result: Floats = found
    return result


def norms_of(rows: Floats) -> Floats:
    """The length of each row."""
    lengths: Floats = np.sqrt(np.einsum("kv,kv->k", rows, rows))
    return lengths


def _cosine(a: Floats, b: Floats) -> Floats:
    norms = norms_of(a), norms_of(b)
    used = a.any(axis=0)  # a reference topic has few words: the other's further words only make its norm
    if used.mean() < SPARSE:
        a, b = a[:, used], b[:, used]
    return from_products(a @ b.T, *norms)


def from_products(products: Floats, a: Floats, b: Floats) -> Floats:
    """Cosine distances of scalar products and the lengths of rows, 1 where a length is 0."""
    length = np.outer(a, b)
    distances = 1.0 - np.divide(products, length, out=np.zeros(length.shape), where=length > 0)
    distances = np.clip(distances, 0.0, 1.0)
    distances[distances < IDENTICAL] = 0.0
    result: Floats = distances
    return result


def _hellinger(a: Floats, b: Floats) -> Floats:
    squared = 1.0 - np.sqrt(rows_to_one(a)) @ np.sqrt(rows_to_one(b)).T
    squared[squared < IDENTICAL] = 0.0  # before the root, which makes 1e-8 of 1e-16
    result: Floats = np.sqrt(squared)
    return result


def _total_variation(a: Floats, b: Floats) -> Floats:
    from scipy.spatial.distance import cdist

    result: Floats = cdist(rows_to_one(a), rows_to_one(b), "cityblock") / 2
    return result


def _jensen_shannon(a: Floats, b: Floats) -> Floats:
    p, q = rows_to_one(a), rows_to_one(b)
    entropies = [_entropy(rows) for rows in (p, q)]
    result = np.empty((len(p), len(q)))
    for i, row in enumerate(p):
        result[i] = _entropy((row + q) / 2) - (entropies[0][i] + entropies[1]) / 2
    result[result < IDENTICAL] = 0.0
    return np.sqrt(result)


def _entropy(rows: Floats) -> Floats:
    from scipy.special import xlogy

    result: Floats = -xlogy(rows, rows).sum(axis=-1) / np.log(2)
    return result


def _rescaled_dot(a: Floats, b: Floats) -> Floats:
    p, q = rows_to_one(a), rows_to_one(b)
    up, down = np.sort(p, axis=1), np.sort(q, axis=1)
    most, least = up @ down.T, up @ down[:, ::-1].T
    room = most - least  # none where a topic has all words alike: it is like no other
    similarity = np.divide(p @ q.T - least, room, out=np.zeros(room.shape), where=room > 0)
    result: Floats = 1.0 - similarity
    return result


def _average_jaccard(a: Floats, b: Floats, top: int) -> Floats:
    mine, theirs = top_rows(a, top), top_rows(b, top)
    ranks = np.full((len(b), b.shape[1] + 1), top)  # the last column is for the padding
    for row, words in zip(ranks, theirs, strict=True):
        row[words[words >= 0]] = np.flatnonzero(words >= 0)
    depth = np.arange(1, top + 1)
    lengths = (theirs >= 0).sum(axis=1)
    result = np.ones((len(a), len(b)))
    for i, words in enumerate(mine):
        shared_at = np.maximum(ranks[:, words], np.arange(top))  # the depth at which both have the word
        shared = (shared_at[:, :, None] < depth).sum(axis=1)
        union = np.minimum(depth, (words >= 0).sum()) + np.minimum(depth, lengths[:, None]) - shared
        result[i] = 1.0 - (shared / np.maximum(union, 1)).mean(axis=1)
    return result


def top_rows(rows: Floats, top: int) -> Ids:
    """Ids of the heaviest words of each row, (K, top), -1 where fewer have any weight.

    Examples
    --------
    >>> top_rows(np.array([[0.1, 0.0, 0.9]]), 3)
    array([[ 2,  0, -1]])
    """
    n = min(top, rows.shape[1])
    order = np.argsort(-rows, axis=1, kind="stable")[:, :n]
    kept = np.where(np.take_along_axis(rows, order, axis=1) > 0, order, -1)
    return np.pad(kept, ((0, 0), (0, top - n)), constant_values=-1)


KINDS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "cosine": _cosine,
    "hellinger": _hellinger,
    "total_variation": _total_variation,
    "jensen_shannon": _jensen_shannon,
    "rescaled_dot": _rescaled_dot,
}
DISTANCES = (*KINDS, "average_jaccard")
