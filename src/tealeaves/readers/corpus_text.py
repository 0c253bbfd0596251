"""Readers of plain text: a document a line, or a folder with a file for each."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tealeaves._watch import tell
from tealeaves.errors import FormatError
from tealeaves.letters import Texts
from tealeaves.readers._documents import About, Documents, Job
from tealeaves.readers._files import read_text
from tealeaves.readers._lines import lines
from tealeaves.readers._rows import Fields, Row

PACKED = (".gz", ".zst", ".bz2", ".xz")
ENDINGS = (".txt", *(f".txt{packed}" for packed in PACKED))


def read_text_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """A document a line."""
    for number, line in lines(path):
        yield Row(number, line)


class TextFile(NamedTuple):
    """A document of a folder; files sort by name, which is the path below the folder without the ending."""

    name: str
    path: str
    is_link: bool


def read_folder_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """A document a ``.txt`` file, in the order of their names, which are the ids.

    A link that leads out of the folder is left out, as `left_out` says: a folder that someone else packed
    must not make a document of any other file on this machine.
    """
    files = _within(path)
    for done, file in enumerate(files, start=1):
        yield Row(0, read_text(Path(file.path)), id=file.name)
        tell(done, len(files))


def read_folder(path: Path, fields: Fields, size: int) -> Iterator[Job]:
    """The same, as jobs of files of about ``size`` bytes."""
    files = _within(path)
    first, held = 0, 0
    for last, file in enumerate(files, start=1):
        held += 64 + os.stat(file.path).st_size
        if held >= size or last == len(files):
            yield partial(_read, files[first:last])
            tell(last, len(files))
            first, held = last, 0


def _read(files: list[TextFile]) -> Documents:
    texts = Texts.of(read_text(Path(file.path)) for file in files)
    return Documents(texts, About(ids=[file.name for file in files]))


def left_out(path: Path) -> list[str]:
    """What there is to say of the links that `read_folder_rows` leaves out; nothing if there are none."""
    root = path.resolve()
    links = sorted(file.name for file in _texts(path) if not _is_within(file, root))
    if not links:
        return []
    shown = ", ".join(links[:3]) + (", …" if links[3:] else "")
    return [f"{len(links)} links out of the folder are left out ({shown}): copy what they lead to"]


def _within(path: Path) -> list[TextFile]:
    """The files of all documents, in order."""
    if not path.is_dir():
        raise FormatError(path, "is no folder")
    found, root = _texts(path), path.resolve()
    files = sorted(file for file in found if _is_within(file, root))
    if not files:
        links = f": {len(found)} .txt files are links out of it; copy what they lead to" if found else ""
        raise FormatError(path, f"holds no .txt files; a folder is read as one document a file{links}")
    return files


def _is_within(file: TextFile, root: Path) -> bool:
    """Whether a file is no link out of the folder; folders that are links are not entered at all."""
    return not file.is_link or Path(file.path).resolve().is_relative_to(root)


def _texts(path: Path) -> list[TextFile]:
    """Every file of text in a folder and those below it."""
    found, folders = [], [(str(path), "")]
    while folders:
        folder, below = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name = below + entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, f"{name}/"))
                elif name.endswith(ENDINGS) and entry.is_file():
                    ending = next(ending for ending in ENDINGS if name.endswith(ending))
                    found.append(TextFile(name.removesuffix(ending), entry.path, entry.is_symlink()))
    return found
