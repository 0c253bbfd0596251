"""Agreement of raters beyond chance."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError

Floats = NDArray[np.float64]
LEVELS = ("nominal", "ordinal", "interval")


def krippendorff_alpha(labels: ArrayLike, level: str = "nominal") -> float:
    """Krippendorff's alpha: 1 where raters agree, 0 where they agree as by chance, negative where less.

    ``1 - observed / expected`` disagreement, over all pairs of labels of one item and over all pairs of
    labels whatever their item. Items with one label take no part.

    Parameters
    ----------
    labels : array of shape (raters, items)
        Numbers; nan where a rater did not label an item.
    level : "nominal", "ordinal" or "interval"
        What disagreement is: any difference; how many labels lie between, squared; the difference, squared.

    Returns
    -------
    float
        nan where undefined: no item has two labels, or all labels are the same, so that chance alone
        would give the same. `why_no_alpha` says which.

    Raises
    ------
    InputError
        If ``labels`` is no matrix, or the level is unknown.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> round(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, 4]]), 3)
    0.696
    """
    if level not in LEVELS:
        raise InputError(f"level must be one of {', '.join(LEVELS)}; got {level!r}")
    values, counts = _counts(labels)
    if _reason(values, counts):
        return float("nan")
    distance = _distances(values, counts.sum(axis=0), level)
    per_item = counts.sum(axis=1)
    pairs = counts.T @ (
        counts / (per_item - 1)[:, None]
    )  # a label with itself lies at distance 0, so may stay
    totals = counts.sum(axis=0)
    observed = float((pairs * distance).sum())
    expected = float(totals @ distance @ totals) / (totals.sum() - 1)
    return float(1 - observed / expected)


def why_no_alpha(labels: ArrayLike) -> str:
    """Why alpha of these labels is undefined; "" where it is defined.

    Examples
    --------
    >>> why_no_alpha([[1, 1], [1, 1]])
    'all labels are the same'
    """
    return _reason(*_counts(labels))


def _reason(values: Floats, counts: Floats) -> str:
    if not len(counts):
        return "no item has two labels"
    return "" if len(values) > 1 else "all labels are the same"


def _counts(labels: ArrayLike) -> tuple[Floats, Floats]:
    """The distinct labels, ascending, and how often each item (with two labels or more) has them."""
    given = np.asarray(labels, np.float64)
    if given.ndim != 2:
        raise InputError(f"labels must be a matrix of raters × items; got the shape {given.shape}")
    paired = given[:, (~np.isnan(given)).sum(axis=0) >= 2]
    values = np.unique(paired[~np.isnan(paired)])
    return values, (paired[:, :, None] == values).sum(axis=0).astype(np.float64)


def _distances(values: Floats, totals: Floats, level: str) -> Floats:
    """Squared distance of each pair of distinct labels."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    # An ordinal label sits in the middle of the labels equal to it, as a midrank does.
    place = np.cumsum(totals) - totals / 2 if level == "ordinal" else values
    return np.asarray((place[:, None] - place[None, :]) ** 2)
