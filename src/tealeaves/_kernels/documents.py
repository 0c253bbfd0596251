"""Counts over documents of word ids."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def document_frequency(tokens, offsets, n_words):  # type: ignore[no-untyped-def]
    """How many documents hold each word: a word remembers the last document that it was counted in."""
    counts = np.zeros(n_words, np.int64)
    last = np.full(n_words, -1, np.int64)
    for i in range(len(offsets) - 1):
        for t in range(offsets[i], offsets[i + 1]):
            word = tokens[t]
            if word >= 0 and last[word] != i:
                last[word] = i
                counts[word] += 1
    return counts
