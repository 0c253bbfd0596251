"""Readers of plain text: a document a line, or a folder with a file for each."""

from collections.abc import Iterator
from pathlib import Path

from tealeaves._watch import tell
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
    """A document a ``.txt`` file, in the order of their names, which are the ids.

    A link that leads out of the folder is left out, as `left_out` says: a folder that someone else packed
    must not make a document of any other file on this machine.
    """
    if not path.is_dir():
        raise FormatError(path, "is no folder")
    found = _texts(path)
    root = path.resolve()
    files = {name: file for name, file in found.items() if file.resolve().is_relative_to(root)}
    if not files:
        links = f": {len(found)} .txt files are links out of it; copy what they lead to" if found else ""
        raise FormatError(path, f"holds no .txt files; a folder is read as one document a file{links}")
    for done, name in enumerate(sorted(files), start=1):
        yield Row(0, read_text(files[name]), id=name)
        tell(done, len(files))


def left_out(path: Path) -> list[str]:
    """What there is to say of the links that `read_folder_rows` leaves out; nothing if there are none."""
    root = path.resolve()
    links = sorted(name for name, file in _texts(path).items() if not file.resolve().is_relative_to(root))
    if not links:
        return []
    shown = ", ".join(links[:3]) + (", …" if links[3:] else "")
    return [f"{len(links)} links out of the folder are left out ({shown}): copy what they lead to"]


def _texts(path: Path) -> dict[str, Path]:
    endings = (".txt", *(f".txt{packed}" for packed in PACKED))
    return {
        file.relative_to(path).as_posix().partition(".txt")[0]: file
        for file in path.rglob("*.txt*")
        if file.name.endswith(endings) and file.is_file()
    }
