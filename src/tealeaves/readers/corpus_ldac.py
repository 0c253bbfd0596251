"""Reader of LDA-C: "M word:count word:count ..." for each document, words counted from 0."""

from pathlib import Path
from typing import Any

import numpy as np

from tealeaves._kernels import numbers
from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError
from tealeaves.readers import _counts
from tealeaves.readers._beside import names_for, packed, stem, words_for
from tealeaves.readers._files import read_bytes, read_text


def read_ldac_corpus(path: Path, vocabulary: Any = None, *, trust: bool = False) -> Corpus:
    """Read a file of lda-c, hdp or dtm with its words (``.vocab``, ``.tokens``) and what else is beside it.

    Names of documents are those of ``.ids`` or ``.titles``; slices of ``x-mult.dat`` are in ``x-seq.dat``.

    Raises
    ------
    FormatError
        If a line has not as many pairs as it says, or a word has no number in the vocabulary.
    """
    content = read_bytes(path)
    room, lines = content.count(b":"), content.count(b"\n") + 1
    of_word, counts = np.empty(room, np.int64), np.empty(room, np.int64)
    ends = np.empty(lines, np.int64)
    n_docs, at, code = numbers.ldac(_counts.as_bytes(content), of_word, counts, ends)
    if code == numbers.NOT_AS_MANY:
        said = content[at : at + 18].split()[0].decode("utf-8", "replace")
        what = f"says {said} pairs word:count, but {ends[n_docs]} follow"
        raise FormatError(path, what, _counts.line_of(content, at))
    if code:
        raise _counts.wrong(path, content, at, _counts.WHY[code])
    if not n_docs:
        raise FormatError(path, "holds no documents")
    ends = ends[:n_docs]
    filled = int(ends[-1])
    of_word, counts = of_word[:filled], counts[:filled]
    words, notes = words_for(
        path, vocabulary, n_words=None, used=int(of_word.max(initial=-1)) + 1, trust=trust
    )
    slices = _slices(path, n_docs)
    ids = names_for(path, n_docs)
    return _counts.bag_corpus(path, words, ends, of_word, counts, ids=ids, slices=slices, notes=notes)


def _slices(path: Path, n_docs: int) -> list[int] | None:
    """The slice of each document, counted from 0, if dtm's file of them is there."""
    if not stem(path).endswith("-mult"):
        return None
    beside = packed(path.with_name(stem(path).removesuffix("-mult") + "-seq.dat"))
    if beside is None:
        return None
    said = read_text(beside).split()
    if not all(word.isascii() and word.isdecimal() and len(word) < 10 for word in said):
        raise FormatError(beside, "the number of slices, then of documents in each, was expected")
    sizes = list(map(int, said[1:]))
    if not said or int(said[0]) != len(sizes):
        raise FormatError(beside, f"says {said[0] if said else 'no'} slices, but {len(sizes)} numbers follow")
    if sum(sizes) != n_docs:
        raise FormatError(beside, f"says {sum(sizes):,} documents in all, but {path.name} has {n_docs:,}")
    return [t for t, size in enumerate(sizes) for _ in range(size)]
