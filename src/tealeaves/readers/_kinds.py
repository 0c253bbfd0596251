"""Whether a file or folder is a model or a corpus: one rule, which `inspect` and `convert` go by.

Content that only one of the two has tells for sure. Text and tables can be either: then the look of the
lines tells, the reason is said, and whoever knows better says so. See decision 9.
"""

import csv
import json
import re
import zipfile
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tealeaves.errors import FormatError, InputError, TealeavesError
from tealeaves.folders import missing
from tealeaves.readers._beside import bare
from tealeaves.readers._files import read_bytes
from tealeaves.readers._formats import FORMATS
from tealeaves.readers._named import WORDS
from tealeaves.readers._parts import is_list, is_numbers, refuse_part
from tealeaves.readers._recognise import by_head, recognise_folder, recognise_model, sure_lines
from tealeaves.readers._recognise_corpus import (
    BY_ENDING,
    CORPUS_FORMATS,
    HEAD,
    recognise_corpus,
    sure_corpus,
)
from tealeaves.readers.topics_text import LABEL

MANY = 2000  # topics at most, where a line is one
LONG = 100  # words of a topic at most, where a line is one
SEVERAL = 20  # files of a folder that are looked at
ENDS = re.compile(r".*[.,;:!?]")  # a word at the end of a clause
TOPIC = re.compile(r"\s*(?:topic|theme)\s*#?\d+\s*[:.)]", re.IGNORECASE)
LISTED = re.compile(
    r"\s*(?:(?:[-*+•]|\d+[.)])\s+(?:.*,.*,|[^,:]+:.*,|\*\*)|\[\d+\]\s+\S|#{1,6} \S|\*\*.+?\*\*)"
)
NAMED = re.compile(r"[^,;:\t]{1,80}:\s+\S[^.]*,")
# Columns that tables of documents have.
FIELDS = {
    *("text", "body", "content", "abstract", "title", "headline", "document", "doc", "tweet", "message"),
    *("review", "id", "doc_id", "docid", "date", "year", "time", "label", "category", "author", "source"),
    *("url", "split"),
}  # fmt: skip
TEXTS = {"text", "body", "content", "abstract", "document", "tweet", "message", "review"}


class Told(NamedTuple):
    """What something is: its kind, the name of its format where the reader needs it, and why if not sure."""

    kind: Literal["model", "corpus", "list", "scores", "index"]
    format: str | None = None
    what: str = ""
    why: str = ""  # "" if nothing else can be meant


def kind_of(path: Path) -> Told:
    """What ``path`` is: topics, documents or a list of words.

    Raises
    ------
    FormatError
        If it is part of something else, or nothing that is known.
    """
    if not path.exists():
        raise missing(path)
    if path.is_dir():
        return _folder(path)
    head = read_bytes(path, HEAD)
    if not head.strip():
        raise FormatError(path, "is empty, but topics or documents were expected")
    return _sure(path, head) or _loose(path, head)


def _sure(path: Path, head: bytes) -> Told | None:
    """What its content alone tells, or a name that only one format has."""
    refuse_part(path, head)
    format = by_head(path, head)
    if format == "arrays":
        return Told("corpus", "npz", CORPUS_FORMATS["npz"]) if _is_sparse(path) else _model("arrays")
    corpus = sure_corpus(path, head)
    if format is None and corpus is None:
        format = sure_lines(head)
    if format is not None:
        return _model(format)
    return None if corpus is None else Told("corpus", None, CORPUS_FORMATS[corpus])


def _model(format: str, why: str = "") -> Told:
    return Told("model", format, FORMATS[format].what, why)


def _loose(path: Path, head: bytes) -> Told:
    """What the look of JSON, a table or text tells."""
    name = bare(path).lower()
    ending = name[name.rfind(".") :] if "." in name else ""
    lines = _lines(head)
    if not lines:
        raise FormatError(path, "holds blanks alone, but topics or documents were expected")
    if BY_ENDING.get(ending) == "jsonl" or _is_json_lines(lines):
        return _json_lines(lines)
    if ".mallet" in name:
        return Told("corpus", None, CORPUS_FORMATS["mallet"])
    if ending in BY_ENDING and BY_ENDING[ending] not in ("text", "csv", "tsv", "tokens", "npz"):
        return Told("corpus", None, CORPUS_FORMATS[BY_ENDING[ending]])  # whose reader says what is wrong
    format = recognise_model(path, lists=True)
    if format not in ("text", "csv", "markdown"):
        return _model(format)
    if is_list(lines):
        return Told("list", None, "a list of words or names, one a line")
    if is_numbers(lines):
        raise FormatError(path, "holds numbers alone, but words are what topics and documents are made of")
    if ending in (".csv", ".tsv", ".tab") or (lines and all("\t" in line for line in lines)):
        return _table(path, lines, ending)
    if format == "markdown" and (ending in (".md", ".markdown") or _share(lines, LISTED) > 0.5):
        return _model("markdown", "its lines are items of a list")
    return _text(path, lines, ending)


def _text(path: Path, lines: list[str], ending: str) -> Told:
    """Lines of text: topics if they look like nothing else, documents if the name says text."""
    bare_lines = [LABEL.sub("", line, count=1) for line in lines]
    commas = all("," in line for line in lines)
    rows = [line.split(",") if commas else line.split() for line in bare_lines]
    if len(lines) <= MANY and max(map(len, rows)) <= LONG:
        if all(map(TOPIC.match, lines)):
            return Told("model", None, "topics, a line each", "each line begins with the number of a topic")
        if all(map(NAMED.match, lines)):
            return Told("model", None, "topics, a line each", "each line is a name and words between commas")
        if len(rows) > 1 and len(rows[0]) > 2 and all(len(row) == len(rows[0]) for row in rows):
            distinct = all(len(set(row)) == len(row) for row in rows)
            short = all(len(cell.split()) <= 3 for row in rows for cell in row)
            if distinct and short and not any(ENDS.match(cell) for row in rows for cell in row):
                why = f"each line has {len(rows[0])} words, none of them twice"
                return Told("model", None, "topics, a line each", why)
        if ending not in BY_ENDING and not _is_prose(rows):
            return Told("model", None, "topics, a line each", "its lines are no sentences")
    format = None if ending in BY_ENDING else "text"
    return Told(
        "corpus", format, "text, a document a line", "its lines have different lengths or read like sentences"
    )


def _is_prose(rows: list[list[str]]) -> bool:
    """Whether lines have marks of clauses, or words again and again."""
    said = sum(len(set(row)) < len(row) or any(map(ENDS.match, row)) for row in rows)
    return 3 * said > len(rows)


def _table(path: Path, lines: list[str], ending: str) -> Told:
    """A table: documents if it has a column of texts or is headed so; else topics."""
    delimiter = max("\t;,", key=lines[0].count)
    try:
        rows = [row for row in csv.reader(lines[:MANY], delimiter=delimiter) if row]
    except csv.Error:
        rows = [line.split(delimiter) for line in lines[:MANY]]
    header = [cell.strip().lower() for cell in rows[0]]
    format = BY_ENDING.get(ending, "tsv" if delimiter == "\t" else "csv")
    format = format if format in ("csv", "tsv") else "tsv" if delimiter == "\t" else "csv"
    named = len(set(header)) == len(header) > 1
    if named and set(header) <= FIELDS and TEXTS | {"title", "headline"} & set(header):
        return Told("corpus", format, CORPUS_FORMATS[format], f"its columns are {', '.join(header)}")
    if len(rows) > 1 and len(header) > 1:
        for i, column in enumerate(header):
            cells = [row[i] for row in rows[1:] if i < len(row)]
            if sum(len(cell.split()) for cell in cells) > 2 * len(cells) and (named or column):
                return Told("corpus", format, CORPUS_FORMATS[format], f"its column {i + 1} holds texts")
    return _model("csv", "none of its columns holds texts")


def _is_json_lines(lines: list[str]) -> bool:
    if len(lines) < 2 or not all(line.startswith("{") for line in lines[:2]):
        return False
    return _parsed(lines[0]) is not None


def _json_lines(lines: list[str]) -> Told:
    """JSON Lines are documents, but for objects that hold the words of a topic and no text."""
    first = _parsed(lines[0])
    held = [key for key in WORDS if isinstance(first, dict) and isinstance(first.get(key), list | str)]
    texts = isinstance(first, dict) and [key for key in TEXTS if isinstance(first.get(key), str)]
    if held and not texts:
        return _model("json", f"its objects have {held[0]!r}, and no text")
    return Told("corpus", "jsonl", CORPUS_FORMATS["jsonl"])


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_sparse(path: Path) -> bool:
    """Whether an archive of NumPy holds a sparse matrix, as corpora are kept, rather than topics."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"data.npy", "indices.npy", "indptr.npy"} <= set(archive.namelist())
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return False


def _folder(path: Path) -> Told:
    """A folder: what one of the formats of folders says, else documents where all its files are texts."""
    try:
        format = recognise_folder(path)
    except FormatError as error:
        return _corpus_folder(path, error)
    if format != "slices":
        return _model(format)
    files = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))[:SEVERAL]
    if any(is_numbers(_lines(read_bytes(file, HEAD))) for file in files):
        return _corpus_folder(path, None)
    return _model(format, "its text files have short lines, which are topics of a slice each")


def _corpus_folder(path: Path, no_model: FormatError | None) -> Told:
    format = recognise_corpus(path)
    if format != "folder":
        return Told("corpus", None, CORPUS_FORMATS[format])
    held: dict[str, str] = {}
    texts = 0
    files = sorted(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))
    for file in files[:SEVERAL]:
        try:
            told = kind_of(file)
        except (TealeavesError, OSError, UnicodeError):
            continue
        if told.kind == "corpus" and told.format in (None, "text") and told.why:
            texts += 1
        else:
            held[file.name] = told.what
    if len(held) > texts:
        shown = ", ".join(f"{name} ({what})" for name, what in held.items())
        raise InputError(f"{path}: is a folder with things of their own; name one: {shown}")
    if no_model is not None and not any(".txt" in file.suffixes for file in files):
        raise no_model
    return Told("corpus", "folder", CORPUS_FORMATS["folder"])


def _lines(head: bytes) -> list[str]:
    """The lines of a head that are whole and not blank."""
    lines = [line for line in head.decode("utf-8-sig", "replace").splitlines() if line.strip()]
    return lines if len(head) < HEAD or len(lines) < 2 else lines[:-1]


def _share(lines: list[str], pattern: "re.Pattern[str]") -> float:
    return sum(pattern.match(line) is not None for line in lines) / max(1, len(lines))
