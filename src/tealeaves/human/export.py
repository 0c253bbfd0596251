"""A study as files: answers, items with their keys, raters, the design, and words for a paper.

Cells of CSV that a spreadsheet would take for a formula (they begin with ``=``, ``+``, ``-``, ``@``, a tab or
a line break) get an apostrophe in front, and so do those that begin with apostrophes and then such a sign;
`plain_cell` takes it away again. Numbers stay as they are. JSON lines and Parquet hold every text untouched.
"""

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human.answers import COLUMNS

if TYPE_CHECKING:
    from tealeaves.human.items import ItemSet

# Columns of exported answers: and by which of the study's rules the rater is left out, if so.
EXPORTED = {**COLUMNS, "excluded": "String"}
ANSWERS = tuple(EXPORTED)
RATERS = (
    "rater", "state", "form", "joined_at", "left_at", "answers", "checks", "checks_right", "median_seconds",
    "same_position", "agreement", "excluded",
)  # fmt: skip
REMARKS = ("rater", "form", "at", "remark")
# Every file there is: its name, and what is in it.
FILES = {
    "answers.jsonl": "every saved answer, one a line",
    "answers.csv": "the same, for a spreadsheet",
    "answers.parquet": "the same, typed",
    "items.jsonl": "the items with their keys: not for raters",
    "raters.csv": "one line a rater: pseudonym, checks, time, answers to screening, and why left out, if so",
    "remarks.csv": "what raters told at the end: look for names before you pass it on",
    "design.json": "all settings, the item set's digest, the frozen rules",
    "methods.md": "what was done, in words for a paper",
}
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")


@dataclass(frozen=True)
class Record:
    """All that is exported of a study, as plain data; no token and no platform's number is in it.

    ``answers`` have the columns ``ANSWERS``, ``raters`` those of ``RATERS`` and perhaps further ones, such as
    a question of the screening, and ``remarks`` those of ``REMARKS``; ``design`` is what ``design.json``
    holds, and ``methods`` the text of ``methods.md``.
    """

    answers: Sequence[Mapping[str, Any]]
    items: "ItemSet"
    raters: Sequence[Mapping[str, Any]] = ()
    design: Mapping[str, Any] = field(default_factory=dict)
    methods: str = ""
    remarks: Sequence[Mapping[str, Any]] = ()


def export(record: Record, folder: str | Path, files: Iterable[str] = FILES) -> list[Path]:
    """Write the files into a folder, which is made if it is not there; earlier exports are replaced.

    Only the user who exports can read them, whatever the folder lets others do: keys are in them, and what
    people wrote.

    Parameters
    ----------
    record : Record
        What to write.
    folder : path
        Where.
    files : iterable of str
        Names out of ``FILES``; all by default.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    InputError
        If a file is asked for that there is not, or the folder is a file.
    """
    names = list(files)
    if unknown := [name for name in names if name not in FILES]:
        raise InputError(f"there is no export {unknown[0]!r}; there are {', '.join(FILES)}")
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file, but an export needs a folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in names:
        part = folder / f"{name}.part"  # whole or not at all
        _write(part, as_bytes(record, name))
        part.replace(folder / name)
        written.append(folder / name)
    return written


def _write(path: Path, content: bytes) -> None:
    """A file for whoever exports alone, wherever it stands: the study's own folder is so as well."""
    path.unlink(missing_ok=True)  # what a killed export left may be open to others
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def as_bytes(record: Record, name: str) -> bytes:
    """One of ``FILES`` as it stands on disk or is downloaded."""
    if name == "answers.jsonl":
        rows = [{column: row.get(column) for column in ANSWERS} for row in record.answers]
        return jsonl(rows).encode()
    if name == "answers.csv":
        return csv_text(record.answers, ANSWERS).encode()
    if name == "answers.parquet":
        return _parquet(record.answers)
    if name == "items.jsonl":
        return _items(record.items)
    if name == "raters.csv":
        return csv_text(record.raters, tuple(dict.fromkeys([*RATERS, *chain(*record.raters)]))).encode()
    if name == "remarks.csv":
        return csv_text(record.remarks, REMARKS).encode()
    if name == "design.json":
        return (json.dumps(record.design, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
    return record.methods.encode()


def jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON lines."""
    return "".join(json.dumps(dict(row), ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def csv_text(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    r"""Rows as CSV with a heading, safe to open in a spreadsheet.

    Examples
    --------
    >>> csv_text([{"rater": "R-001", "value": "=1+1", "seconds": -1.5}], ["rater", "value", "seconds"])
    "rater,value,seconds\r\nR-001,'=1+1,-1.5\r\n"
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")  # else a carriage return in a cell would end the row
    table.writerow(columns)
    for row in rows:
        table.writerow([_cell(row.get(column)) for column in columns])
    return text.getvalue()


def safe_cell(text: str) -> str:
    """A text as a spreadsheet may see it: what it would take for a formula begins with an apostrophe.

    Examples
    --------
    >>> safe_cell("@SUM(A1)"), safe_cell("oil - gas"), safe_cell("'-1")
    ("'@SUM(A1)", 'oil - gas', "''-1")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def plain_cell(text: str) -> str:
    """The text that `safe_cell` made safe.

    Examples
    --------
    >>> plain_cell("'@SUM(A1)"), plain_cell("'tis")
    ('@SUM(A1)', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (dict, list, tuple)):
        value = json.dumps(value, ensure_ascii=False)
    return safe_cell(str(value))


def _items(items: "ItemSet") -> bytes:
    """The item set as it saves itself: with its first line of settings, so that it can be loaded again."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        items.save(path)
        return path.read_bytes()


def _parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    import polars as pl

    schema = {name: getattr(pl, kind) for name, kind in EXPORTED.items()}
    plain = [{name: _typed(row.get(name), kind) for name, kind in EXPORTED.items()} for row in rows]
    buffer = io.BytesIO()
    pl.DataFrame(plain, schema=schema).write_parquet(buffer)
    return buffer.getvalue()


def _typed(value: Any, kind: str) -> Any:
    if value is None or kind != "String":
        return value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
