"""Reference topics on disk: our own folder, and tables, JSON and folders of text that people write."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from tealeaves.errors import FormatError, InputError
from tealeaves.folders import (
    DAMAGED,
    Kind,
    check_files,
    file_digest,
    is_saved,
    missing,
    read_manifest,
    save_folder,
    write_manifest,
)
from tealeaves.readers._files import read_lines, read_text
from tealeaves.reference_topics import ReferenceTopics

REFERENCE = Kind("reference", version=1)
ARRAYS = ("topic_word", "topic_document", "sizes")
TEXTS = ("vocabulary", "labels", "document_ids", "categories", "name", "notes")
TOPIC, WORD, WORDS = ("topic", "label"), ("word", "term"), "words"
PARTING = str.maketrans(",;", "  ")
NOT_CATEGORIES = {*TOPIC, *WORD, WORDS, "weight", "size", "document", "documents"}


@dataclass
class Entry:
    """What a file says of one reference topic."""

    words: dict[str, float] = field(default_factory=dict)
    documents: dict[str, float] = field(default_factory=dict)
    size: float | None = None
    categories: dict[str, str] = field(default_factory=dict)


def save(reference: ReferenceTopics, path: str | PathLike[str]) -> None:
    """Write ``reference`` to the folder ``path``, which reference topics saved before give way to.

    Raises
    ------
    InputError
        If ``path`` is something else.
    """
    save_folder(Path(path), REFERENCE, lambda folder: _write(reference, folder))


def load(path: str | PathLike[str]) -> ReferenceTopics:
    """Read back what `save` wrote.

    Raises
    ------
    FormatError
        If the folder is nothing of the kind, or a part of it is missing or was changed.
    """
    folder = Path(path)
    if not folder.exists():
        raise missing(folder)
    about = read_manifest(folder, REFERENCE)
    check_files(folder, about["files"], verify=True)
    arrays = {}
    for name in ARRAYS:
        if f"{name}.npy" in about["files"]:
            try:
                arrays[name] = np.load(folder / f"{name}.npy", allow_pickle=False)
            except DAMAGED as error:
                raise FormatError(folder / f"{name}.npy", f"is torn or no array: {error}") from None
    try:
        return ReferenceTopics(**about["reference"], **arrays)
    except (InputError, TypeError, AttributeError) as error:
        raise FormatError(folder, f"holds no whole reference topics: {error}") from None


def _write(reference: ReferenceTopics, folder: Path) -> None:
    files = {}
    for name in ARRAYS:
        if (array := getattr(reference, name)) is not None:
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
            files[f"{name}.npy"] = file_digest(folder / f"{name}.npy")
    texts = {name: getattr(reference, name) for name in TEXTS}
    write_manifest(folder, REFERENCE, {"reference": json.loads(json.dumps(texts)), "files": files})


def read(path: str | PathLike[str]) -> ReferenceTopics:
    """Reference topics from whatever `read_reference_topics` takes."""
    path = Path(path)
    if not path.exists():
        raise missing(path)
    if path.is_dir():
        return load(path) if is_saved(path, REFERENCE) else _assembled(path, _folder(path))
    text = read_text(path)
    if not text.strip():
        raise FormatError(path, "is empty, but reference topics were expected")
    if text.lstrip()[:1] in "{[":
        return _assembled(path, _json(path, text))
    return _assembled(path, _table(path, text))


def _assembled(path: Path, entries: dict[str, Entry]) -> ReferenceTopics:
    names = dict.fromkeys(name for entry in entries.values() for name in entry.categories)
    sizes = {label: entry.size for label, entry in entries.items() if entry.size is not None}
    documents = {label: entry.documents for label, entry in entries.items() if entry.documents}
    try:
        return ReferenceTopics.from_words(
            {label: entry.words for label, entry in entries.items()},
            documents=documents or None,
            sizes=sizes or None,
            categories={
                name: {label: entry.categories.get(name, "") for label, entry in entries.items()}
                for name in names
            },
            name=path.name.partition(".")[0] or "reference",
        )
    except InputError as error:
        raise FormatError(path, str(error)) from None


# --- a folder of text files, one a topic


def _folder(path: Path) -> dict[str, Entry]:
    files = sorted(one for one in path.glob("*.txt") if not one.name.startswith("."))
    if not files:
        wanted = "a folder of text files, one for each topic, or one that was saved"
        raise FormatError(path, f"has no .txt file, but {wanted} was expected")
    entries = {}
    for file in files:
        entry = entries[file.stem] = Entry()
        for number, line in enumerate(read_lines(file), start=1):
            word, tab, weight = line.strip().partition("\t")
            if word:
                _add(file, entry.words, word, _number(file, number, "weight", weight) if tab else 1.0)
    return entries


# --- tables


def _table(path: Path, text: str) -> dict[str, Entry]:
    first = next(line for line in text.splitlines() if line.strip())
    delimiter = max("\t,;", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise FormatError(path, f"is no whole table: {error}", line=reader.line_num) from None
    header = [cell.strip().lower() for cell in rows[0][1]]
    named = [name for name in TOPIC if name in header]
    held = [name for name in (*WORD, WORDS, "document", "documents") if name in header]
    if not named or not held:
        wanted = "columns topic and word (a row for each word), or topic and words (a row for each topic)"
        raise FormatError(path, f"{wanted} were expected, but found {', '.join(header)}", line=rows[0][0])
    if twice := [name for name in header if header.count(name) > 1]:
        raise FormatError(path, f"has two columns {twice[0]!r}", line=rows[0][0])
    entries: dict[str, Entry] = {}
    for line, row in rows[1:]:
        if len(row) != len(header):
            raise FormatError(path, f"{len(header)} cells were expected, but found {len(row)}", line=line)
        _row(path, line, dict(zip(header, (cell.strip() for cell in row), strict=True)), named[0], entries)
    if not entries:
        raise FormatError(path, "has a header, but no topics")
    return entries


def _row(path: Path, line: int, cells: dict[str, str], topic: str, entries: dict[str, Entry]) -> None:
    if not cells[topic]:
        raise FormatError(path, f"a row has no {topic}", line=line)
    if WORDS in cells and cells[topic] in entries:
        raise FormatError(path, f"topic {cells[topic]!r} has a second row", line=line)
    entry = entries.setdefault(cells[topic], Entry())
    weight = _number(path, line, "weight", cells["weight"]) if cells.get("weight") else 1.0
    for name, group in ((WORD[0], entry.words), (WORD[1], entry.words), ("document", entry.documents)):
        if cells.get(name):
            _add(path, group, cells[name], weight, line)
    for name, group in ((WORDS, entry.words), ("documents", entry.documents)):
        for one in cells.get(name, "").translate(PARTING).split():
            _add(path, group, one, 1.0, line)
    if cells.get("size"):
        size = _number(path, line, "size", cells["size"])
        if entry.size not in (None, size):
            raise FormatError(path, f"topic {cells[topic]!r} has two sizes", line=line)
        entry.size = size
    for name, value in cells.items():
        if name not in NOT_CATEGORIES and value:
            if entry.categories.setdefault(name, value) != value:
                raise FormatError(path, f"topic {cells[topic]!r} has two values of {name!r}", line=line)
        elif name not in NOT_CATEGORIES:
            entry.categories.setdefault(name, "")


def _add(path: Path, group: dict[str, float], name: str, weight: float, line: int | None = None) -> None:
    if weight < 0 or not np.isfinite(weight):
        raise FormatError(path, f"the weight of {name!r} must be at least 0; found {weight:g}", line=line)
    group[name] = max(group.get(name, 0.0), weight)


def _number(path: Path, line: int, column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FormatError(path, f"{column} must be a number, but found {text!r}", line=line) from None


# --- JSON


def _json(path: Path, text: str) -> dict[str, Entry]:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"is not whole: JSON was expected, but {error}") from None
    if isinstance(found, Mapping) and isinstance(found.get("topics"), list):
        found = found["topics"]
    if isinstance(found, Mapping):
        pairs: Iterable[tuple[str, Any]] = found.items()
        return {
            label: _entry(path, label, topic if _is_object(topic) else {"words": topic})
            for label, topic in pairs
        }
    entries: dict[str, Entry] = {}
    for i, topic in enumerate(found):
        if not isinstance(topic, Mapping) or not ("label" in topic or "topic" in topic):
            raise FormatError(path, f"item {i} must be an object with label and words; found {topic!r:.60}")
        label = str(topic.get("label", topic.get("topic")))
        if label in entries:
            raise FormatError(path, f"topic {label!r} comes twice")
        entries[label] = _entry(path, label, topic)
    return entries


def _is_object(topic: Any) -> bool:
    """Whether a topic is told by fields, not by words with weights."""
    return isinstance(topic, Mapping) and isinstance(topic.get("words"), list | Mapping)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"{twice!r} comes twice in one object")
    return made


def _entry(path: Path, label: str, topic: Mapping[str, Any]) -> Entry:
    entry = Entry()
    for what, group in (("words", entry.words), ("documents", entry.documents)):
        given = topic.get(what, [])
        if not isinstance(given, list | Mapping):
            raise FormatError(path, f"{what} of topic {label!r} must be a list, or weights by {what[:-1]}")
        for one in given.items() if isinstance(given, Mapping) else given:
            name, weight = one if isinstance(one, list | tuple) and len(one) == 2 else (one, 1.0)
            if what == "documents" and isinstance(name, int):
                name = str(name)
            good = isinstance(weight, int | float) and not isinstance(weight, bool)
            if not isinstance(name, str) or not good:
                raise FormatError(path, f"{what} of topic {label!r} hold {one!r:.60}")
            _add(path, group, name, float(weight))
    size = topic.get("size")
    if size is not None:
        if isinstance(size, bool) or not isinstance(size, int | float):
            raise FormatError(path, f"size of topic {label!r} must be a number; found {size!r:.60}")
        entry.size = float(size)
    categories = topic.get("categories") or {}
    if not isinstance(categories, Mapping):
        raise FormatError(path, f"categories of topic {label!r} must be an object of name and class")
    entry.categories = {str(k): "" if v is None else str(v) for k, v in categories.items()}
    return entry
