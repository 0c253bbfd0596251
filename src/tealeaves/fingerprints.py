"""What tells two corpora apart or alike: fingerprints of all of it, or of its counts alone."""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from tealeaves.encoding import BATCH, batches
from tealeaves.preprocess import Ids, Ints

CHUNK = 1 << 20  # tokens hashed or counted at a time
REPEATS = 20  # words beside the same word: fewer are no sign that a text was written from counts


def fingerprint_of(vocabulary: Sequence[str], tokens: Ids, offsets: Ints, ordered: bool) -> str:
    """The digest of all that can change a score: words, tokens, bounds of documents, ordered or not."""
    digest = hashlib.sha256(b"tealeaves corpus 1 " + (b"ordered" if ordered else b"bags"))
    order = sorted(range(len(vocabulary)), key=vocabulary.__getitem__)
    for words in batches((vocabulary[i] for i in order), BATCH):
        digest.update("".join(f"{len(word)} {word} " for word in words).encode("utf-8", "surrogatepass"))
    for some in chunks(offsets):
        digest.update(some.astype("<i8", copy=False).data)
    rank = np.empty(len(order) + 1, "<i4")
    rank[order] = np.arange(len(order))
    rank[-1] = -1  # where the id -1 points
    sorted_words = bool((rank[:-1] == np.arange(len(order))).all())  # as nearly always
    for chunk in chunks(tokens):
        digest.update(chunk.astype("<i4", copy=False).data if sorted_words else rank[chunk].data)
    return digest.hexdigest()


def bag_fingerprint_of(vocabulary: Sequence[str], tokens: Ids, offsets: Ints, counts: Ints) -> str:
    """The digest of the counts alone; ``counts`` says how many tokens each word has in the whole corpus."""
    order = sorted(np.flatnonzero(counts).tolist(), key=vocabulary.__getitem__)
    digest = hashlib.sha256(b"tealeaves bags 1 ")
    for words in batches((vocabulary[i] for i in order), BATCH):
        digest.update("".join(f"{len(word)} {word} " for word in words).encode("utf-8", "surrogatepass"))
    rank = np.full(len(vocabulary) + 1, -1, np.int64)
    rank[order] = np.arange(len(order))
    sizes, pairs = hashlib.sha256(), hashlib.sha256()
    for size, of_word, n in bags(tokens, offsets, rank):
        sizes.update(size.astype("<i8").data)
        pairs.update(np.stack([of_word, n], axis=1).astype("<i8").data)
    digest.update(sizes.digest() + pairs.digest())
    return digest.hexdigest()


def bags(tokens: Ids, offsets: Ints, rank: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """The counts of documents, about a million tokens at a time: pairs a document, words, counts.

    Words are told by ``rank[token]`` and stand in its order; those of rank -1 are left out.
    """
    first = 0
    n_words = max(len(rank), 1)
    while first < len(offsets) - 1:
        last = max(int(np.searchsorted(offsets, offsets[first] + CHUNK, side="right")) - 1, first + 1)
        words = rank[tokens[offsets[first] : offsets[last]]]
        docs = np.repeat(np.arange(last - first), np.diff(offsets[first : last + 1]))
        keys = (docs * n_words + words)[words >= 0]
        keys.sort()
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(starts, append=len(keys))
        kept = keys[starts]
        yield np.bincount(kept // n_words, minlength=last - first), kept % n_words, counts
        first = last


def is_grouped(tokens: Ids, offsets: Ints) -> bool:
    """Whether the same words stand side by side in every document, as only counts written out do.

    A few repeated words may do so by chance: at least `REPEATS` are needed.
    """
    rank = np.arange(int(tokens.max(initial=-1)) + 2, dtype=np.int64)  # -1, the last, is a word here, too
    done, repeats = 0, 0
    for sizes, _, _ in bags(tokens, offsets, rank):
        bounds = offsets[done : done + len(sizes) + 1]
        part = tokens[bounds[0] : bounds[-1]]
        begins = np.diff(part, prepend=-2) != 0
        starts = bounds[:-1] - bounds[0]
        begins[starts[starts < len(part)]] = True
        runs = np.diff(np.concatenate([[0], np.cumsum(begins)])[bounds - bounds[0]])
        if (runs != sizes).any():  # a word comes back after another one
            return False
        done += len(sizes)
        repeats += len(part) - int(runs.sum())
    return repeats >= REPEATS


def chunks(array: Ints | Ids) -> Iterator[Ints | Ids]:
    """So many entries at a time."""
    return (array[start : start + CHUNK] for start in range(0, len(array), CHUNK))
