"""Reader of UCI's bag of words: the numbers of documents, words and lines, then "document word count"."""

from pathlib import Path
from typing import Any

import numpy as np

from tealeaves._kernels import numbers
from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError
from tealeaves.readers import _counts
from tealeaves.readers._beside import names_for, words_for
from tealeaves.readers._files import read_bytes

HEADER = ("documents (D)", "words (W)", "lines that follow (NNZ)")


def read_uci(path: Path, vocabulary: Any = None, *, trust: bool = False) -> Corpus:
    """Read ``docword.txt`` with its words (``vocab.txt`` beside it) and, if they are there, names (``.ids``).

    Raises
    ------
    FormatError
        If a number is missing or out of bounds, or there are not as many lines as the file says.
    """
    content = read_bytes(path)
    at, header = 0, []
    for number, what in enumerate(HEADER, start=1):
        end = content.find(b"\n", at)
        line = content[at : len(content) if end < 0 else end].strip()
        if not line.isdigit() or len(line) > 18:
            shown = line[:40].decode("utf-8", "replace")
            raise FormatError(path, f"the number of {what} was expected, but found {shown!r}", number)
        header.append(int(line))
        at = len(content) if end < 0 else end + 1
    n_docs, n_words, n_pairs = header
    docs, of_word, counts = triples(path, content, at, n_docs, n_words, n_pairs, header_line=3)
    words, notes = words_for(path, vocabulary, n_words=n_words, used=n_words, trust=trust)
    return from_triples(path, n_docs, docs, of_word, counts, words, notes)


def triples(
    path: Path,
    content: bytes,
    at: int,
    n_docs: int,
    n_words: int,
    n_pairs: int,
    *,
    header_line: int,
    counted: bool = True,
) -> tuple[_counts.Ints, _counts.Ints, _counts.Ints]:
    """The ``n_pairs`` lines "document word count" after byte ``at``, the first two counted from 0."""
    room = min(n_pairs, content.count(b"\n", at) + 1)
    docs, words, counts = (np.empty(room, np.int64) for _ in range(3))
    filled, end, code = numbers.triples(
        _counts.as_bytes(content), at, n_docs, n_words, docs, words, counts, counted
    )
    if code == numbers.MORE:
        what = f"says {n_pairs:,} lines of counts, but here is another"
        raise FormatError(path, what, _counts.line_of(content, end))
    if code == numbers.NO_SUCH_DOC:
        raise _counts.wrong(path, content, end, f"a document from 1 to {n_docs:,} was expected")
    if code == numbers.NO_SUCH_WORD:
        raise _counts.wrong(path, content, end, f"a word from 1 to {n_words:,} was expected")
    if code:
        raise _counts.wrong(path, content, end, _counts.WHY[code])
    if filled < n_pairs:
        what = f"says {n_pairs:,} lines of counts, but ends after {filled:,}: it is cut off"
        raise FormatError(path, what, content.count(b"\n", 0, end) + (not content.endswith(b"\n")))
    _counts.check_documents(path, n_docs, n_pairs, header_line)
    return docs, words, counts


def from_triples(
    path: Path,
    n_docs: int,
    docs: _counts.Ints,
    of_word: _counts.Ints,
    counts: _counts.Ints,
    words: tuple[str, ...],
    notes: tuple[str, ...],
) -> Corpus:
    """The corpus of such lines, whatever order they are in."""
    ends, order = _counts.by_document(docs, n_docs)
    if order is not None:
        of_word, counts = of_word[order], counts[order]
    ids = names_for(path, n_docs)
    return _counts.bag_corpus(path, words, ends, of_word, counts, ids=ids, notes=notes)
