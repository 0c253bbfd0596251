"""Reader of Matrix Market, as gensim's MmCorpus and SciPy write it: a row of counts for each document."""

import re
from pathlib import Path
from typing import Any

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError
from tealeaves.readers._beside import words_for
from tealeaves.readers._files import read_bytes
from tealeaves.readers.corpus_uci import from_triples, triples

MARK = b"%%MatrixMarket"
SIZES = re.compile(rb"[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*")


def read_mm(path: Path, vocabulary: Any = None, *, trust: bool = False) -> Corpus:
    """Read a matrix of documents (rows) by words (columns) whose words stand beside it.

    Raises
    ------
    FormatError
        If it is no sparse matrix of counts, or there are not as many lines as it says.
    """
    content = read_bytes(path)
    at = content.find(b"\n") + 1 or len(content)
    said = content[:at].decode("utf-8", "replace").split()
    if not content.startswith(MARK) or len(said) != 5:
        found = content[: min(at, 40)].decode("utf-8", "replace").strip()
        raise FormatError(
            path, f"a line that begins with %%MatrixMarket was expected, but found {found!r}", 1
        )
    kind = [word.lower() for word in said[1:]]
    if (
        kind[:2] != ["matrix", "coordinate"]
        or kind[2] not in ("real", "integer", "pattern")
        or kind[3] != "general"
    ):
        wanted = '"matrix coordinate real general" (or integer, pattern)'
        raise FormatError(path, f"{wanted} was expected, but it is {' '.join(kind)!r:.60}", 1)
    line = 2
    while content.startswith(b"%", at) or (at < len(content) and not _line(content, at).strip()):
        at = content.find(b"\n", at) + 1 or len(content)
        line += 1
    sizes = SIZES.fullmatch(_line(content, at))
    if sizes is None:
        shown = _line(content, at)[:40].decode("utf-8", "replace")
        raise FormatError(
            path, f"numbers of rows, columns and lines were expected, but found {shown!r}", line
        )
    n_docs, n_words, n_pairs = map(int, sizes.groups())
    at = min(at + len(_line(content, at)) + 1, len(content))
    counted = kind[2] != "pattern"
    docs, of_word, counts = triples(
        path, content, at, n_docs, n_words, n_pairs, header_line=line, counted=counted
    )
    try:
        words, notes = words_for(path, vocabulary, n_words=n_words, used=n_words, trust=trust)
    except FormatError as error:
        if f"has {n_docs:,}" not in str(error) or n_docs == n_words:
            raise
        turned = "are its rows words and its columns documents? Turn it round"
        raise FormatError(error.path, f"{str(error).removeprefix(f'{error.path}: ')}; {turned}") from None
    if not counted:
        notes += ("the matrix says only which words are in a document: each is counted once",)
    return from_triples(path, n_docs, docs, of_word, counts, words, notes)


def _line(content: bytes, at: int) -> bytes:
    end = content.find(b"\n", at)
    return content[at : len(content) if end < 0 else end]
