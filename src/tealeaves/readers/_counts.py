"""A corpus out of counts: which word is how often in which document."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._kernels import numbers
from tealeaves.corpus import Corpus
from tealeaves.encoding import as_label, check_ids, order_slices
from tealeaves.errors import FormatError, InputError

Ints = NDArray[np.int64]
# Beyond these a file is damaged or holds no counts: the tokens are kept one by one in memory.
TOKENS_A_PAIR, TOKENS = 1_000, 10_000_000
EMPTY_A_PAIR, DOCUMENTS = 100, 1_000_000
WHY = {
    numbers.NOT_A_NUMBER: "a number was expected",
    numbers.NOT_WHOLE: "a whole number was expected: does the file hold weights (tf-idf) rather than counts?",
    numbers.TOO_LARGE: "the number is too large for a count or the number of a word",
    numbers.NEGATIVE: "the number is negative, but counts and numbers of words are not",
    numbers.NO_COLON: "word:count was expected",
    numbers.LEFT_OVER: "the line goes on after its last number",
}


def as_bytes(content: bytes) -> NDArray[np.uint8]:
    """The bytes of a file as the kernels take them."""
    return np.frombuffer(content, np.uint8)


def wrong(path: Path, content: bytes, at: int, what: str) -> FormatError:
    """The error that ``what`` is wrong at a byte; it names the line and shows what is there."""
    start = content.rfind(b"\n", 0, at) + 1
    shown = content[max(start, at - 10) : at + 30].partition(b"\n")[0].decode("utf-8", "replace").strip()
    found = f", but found {shown!r}" if shown else ", but the line ends"
    return FormatError(path, what + (found if "expected" in what else f" ({shown!r})"), line_of(content, at))


def line_of(content: bytes, at: int) -> int:
    """The line that a byte is in, counted from 1."""
    return content.count(b"\n", 0, at) + 1


def check_documents(path: Path, n_docs: int, n_pairs: int, line: int) -> None:
    """Refuse more documents than a file of so many pairs can be of."""
    if n_docs > DOCUMENTS + EMPTY_A_PAIR * n_pairs:
        raise FormatError(
            path, f"says {n_docs:,} documents, but holds no more than {n_pairs:,} numbers", line
        )


def bag_corpus(
    path: Path,
    words: Sequence[str],
    ends: Ints,
    of_word: NDArray[Any],
    counts: Ints,
    *,
    ids: Sequence[object] | None = None,
    labels: Sequence[object] | None = None,
    slices: Sequence[object] | None = None,
    notes: tuple[str, ...] = (),
) -> Corpus:
    """A corpus without order: document i has ``counts[j]`` tokens of ``of_word[j]`` for j up to ``ends[i]``.

    Raises
    ------
    FormatError
        If the counts add up to more tokens than a corpus of so many pairs has.
    """
    total = float(counts.sum(dtype=np.float64))
    if total > TOKENS + TOKENS_A_PAIR * len(counts):
        most = int(counts.max())
        what = f"says {total:,.0f} tokens in only {len(counts):,} counts (the largest is {most:,})"
        raise FormatError(path, f"{what}: it is damaged, or these are no counts")
    tokens = np.repeat(of_word.astype(np.int32), counts)
    offsets = np.concatenate([[0], np.concatenate([[0], np.cumsum(counts)])[ends]])
    try:
        slice_of, slice_labels = (None, None) if slices is None else order_slices(slices)
        return Corpus(
            tuple(words),
            tokens,
            offsets,
            slice_of=slice_of,
            slice_labels=slice_labels,
            ids=None if ids is None else check_ids(ids),
            labels=None if labels is None else tuple(map(as_label, labels)),
            ordered=False,
            notes=notes,
        )
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(path, str(error)) from None


def by_document(docs: NDArray[np.int64], n_docs: int) -> tuple[Ints, NDArray[np.int64] | None]:
    """Where each document's pairs end once they are sorted, and the order that sorts them if they are not."""
    order = np.argsort(docs, kind="stable") if (np.diff(docs) < 0).any() else None
    return np.cumsum(np.bincount(docs, minlength=n_docs)), order
