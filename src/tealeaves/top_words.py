"""Top words: the heaviest words of each row of weights, and what is left of a list after judging it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def top_ids(weights: NDArray[np.float64], n: int) -> NDArray[np.int32]:
    """The ids of the n heaviest words of each of K topics, best first, padded with -1: shape (K, n).

    Only weights above 0 count. Equal weights go by the smaller id, also where the list is cut.

    Examples
    --------
    >>> top_ids(np.array([[0.2, 0.4, 0.2, 0.2], [0.0, 1.0, 0.0, 0.0]]), 2).tolist()
    [[1, 0], [1, -1]]
    """
    result = np.full((len(weights), n), -1, dtype=np.int32)
    for row, ids in zip(weights, result, strict=True):
        best = _top_of(row, n)
        ids[: len(best)] = best
    return result


def _top_of(row: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    if n <= 0:
        return np.zeros(0, dtype=np.intp)
    if n < len(row):  # sort only what reaches the n-th weight: far fewer than V, ties included
        least = np.partition(row, len(row) - n)[len(row) - n]
        candidates = np.flatnonzero(row >= least if least > 0 else row > 0)
    else:
        candidates = np.flatnonzero(row > 0)
    return candidates[np.argsort(-row[candidates], kind="stable")[:n]]


def judged(words: Sequence[str], n: int) -> tuple[list[str], list[str]]:
    """What is left of a list of words cut to its first n, and remarks on what is not.

    Blank words are dropped and a repeated word counts once, both after the cut.

    Examples
    --------
    >>> judged(["oil", "gas", "", "oil", "tax"], 4)
    (['oil', 'gas'], ['1 blank word dropped', 'repeated: oil', '2 words only'])
    """
    cut = words[:n]
    kept = list(dict.fromkeys(word for word in cut if word))
    remarks = []
    if blank := sum(not word for word in cut):
        remarks.append(f"{blank} blank {'word' if blank == 1 else 'words'} dropped")
    if len(kept) + blank < len(cut):
        remarks.append("repeated: " + ", ".join(word for word in kept if cut.count(word) > 1))
    if not kept:
        remarks.append("no words")
    elif len(kept) < n:
        remarks.append(f"{len(kept)} {'word' if len(kept) == 1 else 'words'} only")
    return kept, remarks
