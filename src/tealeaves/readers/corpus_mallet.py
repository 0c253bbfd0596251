"""Reader of the lines that MALLET imports: a name, a label and the text of one document on each."""

import re
from collections.abc import Iterator
from pathlib import Path

from tealeaves.errors import FormatError
from tealeaves.readers._lines import lines
from tealeaves.readers._rows import Fields, Row

BLANKS = re.compile(r"[ \t]+")
UNKNOWN = "__unknown__"  # the label that gensim writes where there is none
JAVA = b"\xac\xed\x00\x05"  # how MALLET's binary instances begin


def read_mallet_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """A document a line, parted by blanks or tabs as MALLET parts them by default; blank lines are none."""
    for number, line in lines(path):
        cells = BLANKS.split(line.strip(" \t"), maxsplit=2)
        if cells == [""]:
            continue
        if len(cells) < 2:
            found = f"a name, a label and the text were expected, but found {line[:40]!r}"
            raise FormatError(path, found, number)
        name, label, text = (*cells, "")[:3]
        yield Row(number, text, id=name, label=None if label == UNKNOWN else label)
