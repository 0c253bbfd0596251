"""Reader of tables with a column of time: BERTopic's topics_over_time, or a word a row with its slice."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.readers._slices import in_time

TIME = ("slice", "time_slice", "timeslice", "timepoint", "time", "timestamp", "period", "year", "date")
TOPIC = ("topic", "topic_id", "topic_index")
WORD = ("word", "term", "token")
WORDS = ("words", "representation")
RANK, WEIGHT = ("rank",), ("weight", "probability", "prob", "score", "beta", "p")
MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?$")

Columns = Mapping[str, list[Any]]


def has_time(names: Any) -> bool:
    """Whether columns of these names are topics over time: a time, a topic, and a word or words.

    Examples
    --------
    >>> has_time(["Topic", "Words", "Frequency", "Timestamp"]), has_time(["topic", "word", "weight"])
    (True, False)
    """
    there = {str(name).strip().lower() for name in names}
    return all(there & set(wanted) for wanted in (TIME, TOPIC, (*WORD, *WORDS)))


def read_table(
    columns: Columns, *, outliers: str = "drop", lines: list[int] | None = None
) -> DynamicTopicModel:
    """Read named columns.

    With a column ``words`` (BERTopic's ``topics_over_time``) a row is a topic in a slice, its words separated
    by commas or in a list. With ``word`` a row is one word: best are those of highest ``weight``, else of
    lowest ``rank``, else the first. Slices go by time where labels are numbers or dates, else as they come.

    Parameters
    ----------
    lines
        Of the rows in their file, for messages.

    Raises
    ------
    InputError
        If a cell is not what its column should hold, or a topic comes twice in a slice.

    Examples
    --------
    >>> table = {"Topic": [0, 1, 0], "Words": ["oil, gas", "tax", "oil"], "Timestamp": [1990, 1990, 1991]}
    >>> read_table(table).top_words(2)
    [[['oil', 'gas'], ['tax']], [['oil'], []]]
    """
    by_name = {str(name).strip().lower(): cells for name, cells in columns.items()}
    time, topic = _first(by_name, TIME), _first(by_name, TOPIC)
    words, word = _first(by_name, WORDS), _first(by_name, WORD)
    if time is None or topic is None or (words is None and word is None):
        found = ", ".join(list(columns)[:8])
        raise InputError(f"a table of topics over time has columns slice, topic and word, not: {found}")
    rank, weight = _first(by_name, RANK), _first(by_name, WEIGHT)
    rows: dict[str, dict[str, list[tuple[float, str]]]] = {}
    for i, (when, what) in enumerate(zip(time, topic, strict=True)):
        where = f"row {i + 1}" if lines is None else f"line {lines[i]}"
        label, key = _label(when, where), _key(what, where)
        topics = rows.setdefault(label, {})
        if word is None:
            if key in topics:
                raise InputError(f"{where}: topic {key} comes twice in slice {label}")
            topics[key] = [(0.0, entry) for entry in _listed((words or [])[i], where)]
        else:
            order = -_number(weight[i], where) if weight is not None else 0.0
            if weight is None and rank is not None:
                order = _number(rank[i], where)
            topics.setdefault(key, []).append((order, _text(word[i], where)))
    slices = {
        label: {key: [word for _, word in sorted(entries, key=lambda e: e[0])] for key, entries in at.items()}
        for label, at in ((label, rows[label]) for label in in_time(rows))
    }
    return DynamicTopicModel.from_words(slices, outliers=outliers)


def read_dynamic_csv(
    path: Path, header: list[str], rows: list[tuple[int, list[str]]], *, outliers: str = "drop"
) -> DynamicTopicModel:
    """Read the rows of a CSV file, each with its line number.

    Raises
    ------
    FormatError
        As `read_table`, with the file.
    """
    for line, row in rows:
        if len(row) != len(header):
            raise FormatError(path, f"{len(header)} cells were expected, but found {len(row)}", line=line)
    columns = {name: [row[i] for _, row in rows] for i, name in enumerate(header)}
    try:
        return read_table(columns, outliers=outliers, lines=[line for line, _ in rows])
    except InputError as error:
        raise FormatError(path, str(error)) from None


def _first(columns: Columns, names: tuple[str, ...]) -> list[Any] | None:
    return next((columns[name] for name in names if name in columns), None)


def _label(cell: Any, where: str) -> str:
    if cell is None or cell != cell or not str(cell).strip():
        raise InputError(f"{where}: the slice is missing")
    whole = isinstance(cell, float) and cell.is_integer()
    text = str(int(cell)) if whole else str(cell).strip()
    return MIDNIGHT.sub("", text)


def _key(cell: Any, where: str) -> str:
    if cell is None or cell != cell or not str(cell).strip():
        raise InputError(f"{where}: the topic is missing")
    text = str(cell).strip()
    return text.removesuffix(".0") if re.fullmatch(r"-?\d+\.0", text) else text


def _text(cell: Any, where: str) -> str:
    if cell is None or cell != cell:
        return ""
    if not isinstance(cell, str):
        raise InputError(f"{where}: a word was expected, but found {cell!r}")
    return cell.strip()


def _listed(cell: Any, where: str) -> list[str]:
    if isinstance(cell, str):
        return [word.strip() for word in cell.split(",")]
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if isinstance(cell, list | tuple):
        return [_text(word, where) for word in cell]
    return [_text(cell, where)]


def _number(cell: Any, where: str) -> float:
    try:
        number = float(cell)
    except (TypeError, ValueError):
        number = float("nan")
    if number != number:
        raise InputError(f"{where}: a number was expected, but found {cell!r}")
    return number
