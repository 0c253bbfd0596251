"""Counts over documents of word ids."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def occurrences(tokens, offsets, n_words):  # type: ignore[no-untyped-def]
    """How many tokens are each word, and how many documents hold it: an array of shape (2, n_words).

    A word remembers, beside its counts, the last document that it was counted in.
    """
    seen = np.zeros((n_words, 3), np.int64)
    for i in range(len(offsets) - 1):
        for t in range(offsets[i], offsets[i + 1]):
            word = tokens[t]
            if word >= 0:
                seen[word, 0] += 1
                seen[word, 1] += seen[word, 2] != i + 1  # no branch, which would wait for the memory
                seen[word, 2] = i + 1
    return np.ascontiguousarray(seen[:, :2].T)


@njit(nogil=True, cache=True)
def document_frequency(tokens, offsets, n_words):  # type: ignore[no-untyped-def]
    """How many documents hold each word."""
    return occurrences(tokens, offsets, n_words)[1].copy()
