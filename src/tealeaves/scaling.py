"""Rows scaled to sum 1: weights as shares, counts as proportions."""

import numpy as np
from numpy.typing import NDArray


def rows_to_one(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows that sum to 1; a row of zeros stays one.

    Examples
    --------
    >>> rows_to_one(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.  , 0.  ]])
    """
    sums = rows.sum(axis=1, keepdims=True)
    result: NDArray[np.float64] = np.divide(rows, sums, out=np.zeros(rows.shape), where=sums > 0)
    return result
