"""Documents dealt to blocks at random, always alike: what a bootstrap draws are blocks of whole documents."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
DEALT = 1 << 18  # documents that are dealt at once; of more, so many at a time, each on its own


def blocks_of(n_documents: int, blocks: int) -> list[Ints]:
    """The documents of each block: the order of a corpus must not move the spread."""
    order = np.random.default_rng(0).permutation(n_documents)
    return [np.sort(part) for part in np.array_split(order, max(1, min(blocks, n_documents)))]


def n_blocks(n_documents: int, blocks: int) -> int:
    """How many blocks there are: 1 where none are asked for."""
    return max(1, min(blocks, n_documents))


def dealt(n_documents: int, blocks: int, first: int, last: int) -> NDArray[np.int32]:
    """The block of each document from ``first`` to before ``last``; of 0 blocks, all is one.

    Up to `DEALT` documents are dealt as `blocks_of` does, in blocks of equal size. Of more, each falls into
    any block, so that neither a list of all documents is needed nor what was dealt before.
    """
    if n_blocks(n_documents, blocks) == 1:
        return np.zeros(last - first, np.int32)
    if n_documents <= DEALT:
        return _permuted(n_documents, blocks)[first:last]
    runs = range(first // DEALT, -(-last // DEALT))
    found = [np.random.default_rng([0, run]).integers(blocks, size=DEALT, dtype=np.int32) for run in runs]
    return np.concatenate(found)[first - runs[0] * DEALT :][: last - first]


@lru_cache(maxsize=4)
def _permuted(n_documents: int, blocks: int) -> NDArray[np.int32]:
    block_of = np.empty(n_documents, np.int32)
    for block, documents in enumerate(blocks_of(n_documents, blocks)):
        block_of[documents] = block
    block_of.flags.writeable = False
    return block_of
