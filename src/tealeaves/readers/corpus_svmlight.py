"""Reader of SVMlight: "label word:count word:count ... # name" for each document."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._kernels import numbers
from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError
from tealeaves.readers import _counts
from tealeaves.readers._beside import names_for, packed, read_words, words_for
from tealeaves.readers._files import read_bytes

NO_LABEL = "0"  # what gensim writes where there are none


def read_svmlight(path: Path, vocabulary: Any = None, *, trust: bool = False) -> Corpus:
    """Read a file of SVMlight or LIBSVM with its words beside it.

    Words are counted from 1, as the format has it, unless a word 0 is there (scikit-learn counts from 0).
    Labels stay, "1,3" is two; where ``.labels`` is beside the file, label k is its line k. A comment is the
    name of its document.

    Raises
    ------
    FormatError
        If a line is none of the format, or a word has no number in the vocabulary.
    """
    content = read_bytes(path)
    room, lines = content.count(b":"), content.count(b"\n") + 1
    of_word, counts = np.empty(room, np.int64), np.empty(room, np.int64)
    ends, heads, tails = (np.empty(shape, np.int64) for shape in (lines, (lines, 2), (lines, 2)))
    n_docs, at, code = numbers.svmlight(_counts.as_bytes(content), of_word, counts, ends, heads, tails)
    if code:
        raise _counts.wrong(path, content, at, _counts.WHY[code])
    if not n_docs:
        raise FormatError(path, "holds no documents")
    ends = ends[:n_docs]
    filled = int(ends[-1])
    of_word, counts = of_word[:filled], counts[:filled]
    first = 0 if filled and int(of_word.min()) == 0 else 1
    of_word = of_word - first
    used = int(of_word.max(initial=-1)) + 1
    words, notes = words_for(path, vocabulary, n_words=None, used=used, trust=trust)
    if first == 1 and used < len(words):
        notes += (f"the words of {path.name} were taken as counted from 1: it has no word 0",)
    labels = _labels(path, content, heads[:n_docs])
    ids = names_for(path, n_docs) or _names(content, tails[:n_docs])
    return _counts.bag_corpus(path, words, ends, of_word, counts, ids=ids, labels=labels, notes=notes)


def _texts(content: bytes, bounds: NDArray[np.int64]) -> list[str]:
    return [content[a:b].decode("utf-8", "replace").strip() for a, b in bounds.tolist()]


def _names(content: bytes, tails: NDArray[np.int64]) -> list[str] | None:
    """The comments, if each document has one of its own."""
    names = _texts(content, tails)
    return names if all(names) and len(set(names)) == len(names) else None


def _labels(path: Path, content: bytes, heads: NDArray[np.int64]) -> list[object] | None:
    found = _texts(content, heads)
    beside = packed(path.with_name(f"{path.name}.labels"))
    if beside is not None:
        known = read_words(beside)
        return [_class(beside, known, text) for text in found]
    if set(found) <= {"", NO_LABEL}:
        return None
    return [_several(text.split(",")) for text in found]


def _class(path: Path, known: tuple[str, ...], text: str) -> object:
    """What the numbers of a line stand for; 0 is none."""
    numbers = [cell for cell in text.split(",") if cell not in ("", NO_LABEL)]
    for cell in numbers:
        if not (cell.isascii() and cell.isdecimal() and len(cell) < 10 and int(cell) <= len(known)):
            raise FormatError(path, f"has {len(known)} labels, but none for {cell[:20]!r}")
    return _several([known[int(cell) - 1] for cell in numbers])


def _several(labels: list[str]) -> object:
    """One label as text, several as a tuple, none as ()."""
    there = [label for label in labels if label]
    return there[0] if len(there) == 1 else tuple(there)
