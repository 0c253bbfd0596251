"""What several raters say together, and how well one of them foretells the others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
ROUNDING = 1e-9  # a mean this near below the threshold is on it: (1 + 1 + .25) / 3 must be .75


@dataclass(frozen=True)
class HumanF1:
    """How well raters foretell each other: the measure that a machine's F1 is read beside.

    ``mean`` and ``sd`` (with n - 1) are over raters, ``per_rater`` has each one's. A rater's is nan where
    neither the rater nor the others say yes to anything; ``reason`` says why ``mean`` is nan, else it is "".
    """

    mean: float
    sd: float
    per_rater: tuple[float, ...]
    reason: str = ""


def aggregate(labels: ArrayLike, threshold: float = 0.75) -> Bools:
    """Whether the raters together say yes to each item: the mean of their labels is at least ``threshold``.

    Parameters
    ----------
    labels : array of shape (raters, items)
        From 0 to 1; nan where a rater did not label an item. An item that nobody labelled is no yes.

    Examples
    --------
    >>> aggregate([[1, 1, 1], [1, 1, 0.5], [0.5, 0, 0.5]])
    array([ True, False, False])
    """
    return np.asarray(mean_label(_matrix(labels)) >= threshold - ROUNDING)


def human_f1(labels: ArrayLike, threshold: float = 0.75) -> HumanF1:
    """F1 of each rater against the mean of the others, both cut at ``threshold``; higher is better.

    Parameters
    ----------
    labels : array of shape (raters, items)
        From 0 to 1; nan where a rater did not label an item. A rater is judged on the items that this rater
        and another one labelled.
    threshold : float
        A label, or a mean of labels, from here on is a yes.

    Raises
    ------
    InputError
        If there are fewer than two raters, or a label is not from 0 to 1.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312, Table II.

    Examples
    --------
    >>> found = human_f1([[1, 0, 0.5, 1], [1, 0, 1, 0.5], [1, 0, 1, 1]])
    >>> [round(f1, 3) for f1 in found.per_rater], round(found.mean, 3), round(found.sd, 3)
    ([0.8, 0.8, 1.0], 0.867, 0.115)
    """
    given = _matrix(labels)
    if len(given) < 2:
        raise InputError(
            f"human F1 is of one rater against the others: two or more are needed, got {len(given)}"
        )
    scores = []
    for r, own in enumerate(given):
        others = mean_label(np.delete(given, r, axis=0))
        shared = ~np.isnan(own) & ~np.isnan(others)
        scores.append(_f1(own[shared] >= threshold - ROUNDING, others[shared] >= threshold - ROUNDING))
    reason = ""
    if np.isnan(scores).any():
        reason = f"rater {int(np.flatnonzero(np.isnan(scores))[0])} and the others say yes to nothing"
    return HumanF1(float(np.mean(scores)), float(np.std(scores, ddof=1)), tuple(scores), reason)


def mean_label(labels: Floats) -> Floats:
    """The mean label of each item over those who labelled it, (items,); nan where nobody did."""
    given = ~np.isnan(labels)
    counts = given.sum(axis=0)
    sums = np.where(given, labels, 0.0).sum(axis=0)
    result: Floats = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return result


def _f1(found: Bools, true: Bools) -> float:
    said = int(found.sum() + true.sum())
    return 2 * int((found & true).sum()) / said if said else float("nan")


def _matrix(labels: ArrayLike) -> Floats:
    try:
        given = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("labels must be numbers from 0 to 1, raters × items, nan for missing") from None
    if given.ndim != 2:
        raise InputError(f"labels must be a matrix of raters × items; got the shape {given.shape}")
    if (wrong := given[(given < 0) | (given > 1)]).size:
        raise InputError(f"labels must be from 0 (no) to 1 (yes); one is {wrong[0]:g}")
    return given
