"""Sums of absolute differences between a few rows, mostly empty, and many."""

from numba import njit


@njit(nogil=True, cache=True)
def l1_from_sparse(indptr, indices, values, columns, totals, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` (R, K) with the L1 distance of R sparse rows to K rows, given by column: (V, K).

    ``totals`` (K,) are the sums of the K rows: where the sparse row is empty, they are what differs.
    """
    n_rows, n_others = out.shape
    for r in range(n_rows):
        out[r, :] = totals
        for i in range(indptr[r], indptr[r + 1]):
            value, column = values[i], columns[indices[i]]
            for k in range(n_others):
                out[r, k] += abs(value - column[k]) - column[k]
