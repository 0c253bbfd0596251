"""Readers of plain text: a document a line, or a folder with a file for each."""

from collections.abc import Iterator
from pathlib import Path

from tealeaves.errors import FormatError
from tealeaves.readers._files import read_text
from tealeaves.readers._lines import lines
from tealeaves.readers._rows import Fields, Row

PACKED = (".gz", ".zst", ".bz2", ".xz")


def read_text_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """A document a line."""
    for number, line in lines(path):
        yield Row(number, line)


def read_folder_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """A document a ``.txt`` file, in the order of their names, which are the ids."""
    if not path.is_dir():
        raise FormatError(path, "is no folder")
    endings = (".txt", *(f".txt{packed}" for packed in PACKED))
    files = {
        file.relative_to(path).as_posix().partition(".txt")[0]: file
        for file in path.rglob("*.txt*")
        if file.name.endswith(endings) and file.is_file()
    }
    if not files:
        raise FormatError(path, "holds no .txt files; a folder is read as one document a file")
    for name in sorted(files):
        yield Row(0, read_text(files[name]), id=name)
