"""Pieces of a corpus that is being built: cut into words by a thread, and kept on disk, each in a file.

A piece's file holds the ids of its words in the numbering of its thread, the words that were new to it, and
what is known of its documents.
"""

import json
import zipfile
from collections.abc import Callable, Iterable
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tealeaves.encoding import as_label, is_missing
from tealeaves.letters import Texts, Tokenizer
from tealeaves.readers._documents import About, Documents, Job

Ids = NDArray[np.int32]
Ints = NDArray[np.int64]


class Cutter(Protocol):
    """What cuts texts into ids of words, in a numbering of its own."""

    def encode(self, texts: Any) -> tuple[Ids, Ints]: ...
    def since(self, usual: int, odd: int) -> tuple[list[str], list[str]]: ...


class PlainCutter:
    """Texts cut by a function of Python, numbered in the order in which words appear."""

    def __init__(self, cut: Callable[[Any], list[str]]) -> None:
        self._cut = cut
        self._index: dict[str, int] = {}

    def encode(self, texts: Iterable[Any]) -> tuple[Ids, Ints]:
        """Ids of the words of all texts in a row, and how many each has."""
        index, stream = self._index, map(self._cut, texts)
        ids, lengths = [np.zeros(0, np.int32)], list[int]()
        while docs := list(islice(stream, 256)):  # lists of words take many times what their text takes
            lengths += map(len, docs)
            ids.append(
                np.array([index.setdefault(w, len(index)) for w in chain.from_iterable(docs)], np.int32)
            )
        return np.concatenate(ids), np.array(lengths, np.int64)

    def since(self, usual: int, odd: int) -> tuple[list[str], list[str]]:
        """The words from number ``usual`` on; none is numbered from the end."""
        return list(islice(self._index, usual, None)), []


class LetterCutter(Tokenizer):
    """Texts cut into words of letters by the kernel."""

    def since(self, usual: int, odd: int) -> tuple[list[str], list[str]]:
        """The words from number ``usual`` on, and from ``odd`` on those numbered -1, -2, … from the back."""
        ends = self._ends[usual : self._n_words + 1].tolist()
        new = self._pool[ends[0] : ends[-1]].tobytes()
        words = [new[i - ends[0] : j - ends[0]].decode() for i, j in pairwise(ends)]
        return words, list(islice(self._odd_words, odd, None))


class Piece(NamedTuple):
    """Some documents that are still to be read."""

    number: int
    job: Job


class Told(NamedTuple):
    """What is kept in memory of a piece: documents without text, and its times as they first appear."""

    empty: int
    times: list[Any]


def file_of(pieces: Path, number: int) -> Path:
    """The file of a piece."""
    return pieces / f"{number:08}.npz"


def tell_of(about: About) -> Told:
    """What is told of a piece; its times give way to their places among those that differ."""
    places: dict[Any, int] = {}
    given = (value.item() if isinstance(value, np.generic) else value for value in about.times)
    about.times = [places.setdefault(time, len(places)) for time in given]
    return Told(about.empty, list(places))


def write_piece(
    pieces: Path,
    piece: Piece,
    documents: Documents,
    told: Told,
    name: str,
    cutter: Cutter,
    known: list[int],
    texts: bool,
) -> None:
    """Cut a piece and write its file, whole or not at all."""
    written, about = documents
    ids, lengths = cutter.encode(written)
    usual, odd = cutter.since(*known)
    named = any(value is not None for value in about.ids)
    content = {
        "about": _packed(
            {
                "cutter": name,
                "first": list(known),
                "new": [len(usual), len(odd)],
                "named": named,
                "labelled": any(value is not None for value in about.labels),
            }
        ),
        "words": _packed([usual, odd]),
        "ids": ids,
        "lengths": lengths,
        "names": _packed([None if is_missing(value) else str(value) for value in about.ids if named]),
        "times": np.array(about.times, np.int32),
        "labels": _packed([as_label(value) for value in about.labels]),
    }
    if texts and isinstance(written, Texts):
        content["text_lengths"] = np.diff(written.bounds)
        content["texts"] = written.data[: written.bounds[-1]]
    new = pieces / f"{piece.number:08}.new"
    with new.open("wb") as file:  # not synced: if the machine stops, what is torn is found and cut again
        np.savez(file, **content)  # type: ignore[arg-type]
    new.rename(file_of(pieces, piece.number))
    known[:] = known[0] + len(usual), known[1] + len(odd)


def _packed(content: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(content).encode("ascii"), np.uint8)


def unpacked(file: Path, part: str) -> Any:
    """A part of a piece's file that is JSON."""
    with np.load(file) as content:
        return json.loads(content[part].tobytes())


def _whole(file: Path) -> dict[str, Any] | None:
    """What a piece says of itself, if it is on disk as it was written; a torn one is cut again."""
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.testzip() is not None:
                return None
        about: dict[str, Any] = unpacked(file, "about")
        usual, odd = unpacked(file, "words")
        return about if about["new"] == [len(usual), len(odd)] and len(about["first"]) == 2 else None
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError):
        return None


def let_go_of_torn(pieces: Path) -> None:
    """Delete pieces that are not whole, and those that lack words which one of these told."""
    told: dict[str, list[tuple[list[int], int, int, Path]]] = {}
    for file in pieces.glob("*.npz"):
        about = _whole(file)
        if about is None:
            file.unlink()
        else:
            told.setdefault(about["cutter"], []).append((about["first"], *about["new"], file))
    for parts in told.values():
        known = [0, 0]
        for first, usual, odd, file in sorted(parts):  # that without new words first
            if first != known:
                file.unlink()
            else:
                known = [known[0] + usual, known[1] + odd]
