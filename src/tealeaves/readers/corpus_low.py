"""Reader of GibbsLDA's "low" format: the number of documents, then the words of one on each line."""

from collections.abc import Iterator
from pathlib import Path

from tealeaves.errors import FormatError
from tealeaves.readers._lines import lines
from tealeaves.readers._rows import Fields, Row


def read_low_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """The lines after the first, as many as it says."""
    found = lines(path)
    number, first = next(found, (1, ""))
    said = first.strip()
    if not (said.isascii() and said.isdecimal() and len(said) < 12):
        raise FormatError(path, f"the number of documents was expected, but found {first[:40]!r}", 1)
    n_docs = int(said)
    for number, line in found:
        if number - 1 > n_docs:
            if not line.strip():
                continue  # blank lines at the end are no documents
            raise FormatError(path, f"the first line says {n_docs} documents, but here is another", number)
        yield Row(number, line)
    if number - 1 < n_docs:
        more = f"the first line says {n_docs} documents, but the file ends after {number - 1}"
        raise FormatError(path, f"{more}: it is cut off", number)
