"""Documents as readers of texts hand them over: some at a time, by columns, made in any thread."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tealeaves.encoding import is_missing
from tealeaves.errors import FormatError
from tealeaves.letters import Texts
from tealeaves.readers._rows import Fields, Row

PIECE = 4_000_000  # bytes of texts handed to a thread at a time


@dataclass
class About:
    """What files say of documents, besides their texts."""

    ids: list[object] = field(default_factory=list)
    times: list[object] = field(default_factory=list)
    labels: list[object] = field(default_factory=list)
    empty: int = 0

    def add(self, other: "About") -> None:
        """Add what is known of the documents that follow."""
        self.ids += other.ids
        self.times += other.times
        self.labels += other.labels
        self.empty += other.empty


class Documents(NamedTuple):
    """Some documents: their texts, or lists of words where these are cut already."""

    texts: Texts | list[list[str]]
    about: About


Job = Callable[[], Documents]  # what reads some documents, called in any thread


def jobs_of_rows(
    path: Path, fields: Fields, rows: Iterable[Row], size: int, *, tokenized: bool = False
) -> Iterator[Job]:
    """Documents of about ``size`` bytes at a time; a stream of rows is never held as a whole."""
    texts: list[str | list[str]] = []
    about, held = About(), 0
    for row in rows:
        text = _text(row, path, fields, tokenized, about)
        _take(row, path, fields, about)
        texts.append(text)
        held += 64 + (len(text) if isinstance(text, str) else sum(map(len, text)) + 50 * len(text))
        if held >= size:
            yield partial(_made, texts, about)
            texts, about, held = [], About(), 0
    if texts:
        yield partial(_made, texts, about)


def _made(texts: list[str | list[str]], about: About) -> Documents:
    """Texts of Python as kernels take them; lists of words stay what they are."""
    words = [text for text in texts if isinstance(text, list)]
    return Documents(words or Texts.of(text for text in texts if isinstance(text, str)), about)


def check_time(path: Path, fields: Fields, time: object, line: int = 0) -> None:
    """Refuse a document without a time, or with several."""
    name = fields["time"]
    if is_missing(time) or time == "":
        raise FormatError(path, f"field {name!r} (time=) is empty", line)
    if isinstance(time, list | dict):
        raise FormatError(path, f"field {name!r} (time=) holds no one time but {time!r}"[:90], line)


def _take(row: Row, path: Path, fields: Fields, about: About) -> None:
    about.ids.append(row.id)
    if fields.get("time"):
        check_time(path, fields, row.time, row.line)
        about.times.append(row.time)
    if fields.get("label"):
        about.labels.append(row.label)


def _text(row: Row, path: Path, fields: Fields, tokenized: bool, about: About) -> str | list[str]:
    text = row.text
    if text is None:
        about.empty += 1
        return [] if tokenized else ""
    if isinstance(text, str):
        return text.split() if tokenized else text
    name = fields.get("text") or "text"
    if not tokenized:
        hint = "; pass tokenized=True if these are its words" if isinstance(text, list) else ""
        raise FormatError(path, f"field {name!r} holds no text but {text!r}"[:90] + hint, row.line)
    if not isinstance(text, list) or not all(isinstance(word, str) for word in text):
        raise FormatError(path, f"field {name!r} holds no list of words but {text!r}"[:90], row.line)
    return text
