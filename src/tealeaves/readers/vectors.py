"""Reader of word vectors as text: a word and its numbers on a line, as word2vec and GloVe write them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError
from tealeaves.readers._files import read_text


def read_vectors(path: str | Path) -> tuple[list[str], NDArray[np.float64]]:
    """The words and their vectors, a row each; a first line of two whole numbers (word2vec's) is passed over.

    Raises
    ------
    FormatError
        If a line is not a word and numbers, or not as many as the first; it names the file and line.
    """
    path = Path(path)
    words: list[str] = []
    rows: list[NDArray[np.float64]] = []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        word, *fields = line.rstrip().split(" ")
        if not line.strip() or (number == 1 and len(fields) == 1 and word.isdigit() and fields[0].isdigit()):
            continue
        try:
            row = np.array(fields, dtype=np.float64)
        except ValueError:
            wanted = "wanted a word and its numbers, parted by single blanks"
            raise FormatError(path, f"{wanted}; found {line[:40]!r}", line=number) from None
        if not len(row) or (rows and len(row) != len(rows[0])):
            wanted = f"{len(rows[0])} numbers as on the lines before" if rows else "numbers after the word"
            raise FormatError(path, f"wanted {wanted}; found {len(row)}", line=number)
        words.append(word)
        rows.append(row)
    if not rows:
        raise FormatError(path, "holds no word vectors")
    return words, np.array(rows)
