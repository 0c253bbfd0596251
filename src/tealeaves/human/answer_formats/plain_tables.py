"""Any table: an answer a row, or a rater a row and an item a column."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars

from tealeaves.errors import FormatError, InputError
from tealeaves.human.answer_formats.cells import cell_value
from tealeaves.human.answer_formats.files import ANSWER, ITEM, RATER, Rows, number_or_none, one_of, table_of
from tealeaves.human.answers import FIELDS
from tealeaves.human.item_sets import TASKS


def read_long(
    paths: list[Path],
    known: Any,
    rater: str | None = None,
    item: str | None = None,
    answer: str | None = None,
    task: str | None = None,
    seconds: str | None = None,
    model: str | None = None,
    topic: str | None = None,
) -> Rows:
    """An answer a row; columns are found by usual names, or said."""
    names = {one.id: one for one in known.values()}
    rows: list[dict[str, Any]] = []
    for path in paths:
        table = table_of(path)
        who, what, said = (
            _column(path, table, given, options, name)
            for given, options, name in (
                (rater, RATER, "rater"),
                (item, ITEM, "item"),
                (answer, ANSWER, "answer"),
            )
        )
        for line, cells in enumerate(table.iter_rows(named=True), start=2):
            if cells[said] in (None, ""):
                continue
            one = names.get(str(cells[what]))
            if names and one is None:
                raise FormatError(path, f"there is no item {cells[what]!r}", line=line)
            row = {"rater": cells[who], "item": str(cells[what]), "task": one.task if one else task}
            if said.casefold() == "correct":
                row["correct"] = cells[said]
            else:
                row["value"] = cell_value(path, line, cells[said], one, task)
            extras = (("seconds", seconds), ("model", model), ("topic", topic))
            for column, given in extras:
                name = given or next((n for n in table.columns if n.casefold() == column), None)
                if name is not None:
                    row[column] = cells[_column(path, table, name, (), column)]
            rows.append(row)
    return rows, None, []


def read_wide(
    paths: list[Path], known: Any, task: str | None = None, field: str | None = None, by: str = "rater"
) -> Rows:
    """Numbers, a rater a row and an item a column, or turned around."""
    if task not in TASKS:
        raise InputError(f"a wide table needs task= one of {', '.join(TASKS)}; got {task!r}")
    if by not in ("rater", "item"):
        raise InputError(f"by must be rater (a row each) or item; got {by!r}")
    name = field or FIELDS[task][0]
    rows = []
    for path in paths:
        table = table_of(path)
        head, *others = table.columns
        numbered = head.strip() == "" or head.casefold() in (*RATER, *ITEM)
        columns = others if numbered else table.columns
        for line, cells in enumerate(table.iter_rows(named=True), start=2):
            row = str(cells[head]) if numbered else str(line - 1)
            for column in columns:
                if cells[column] in (None, "", "NA"):
                    continue
                number = number_or_none(cells[column])
                if number is None:
                    raise FormatError(path, f"{cells[column]!r} in column {column!r} is no number", line=line)
                who, what = (row, column) if by == "rater" else (column, row)
                said = {"correct": bool(number)} if name == "correct" else {"value": {name: number}}
                rows.append({"rater": who, "item": what, "task": task, **said})
    return rows, None, []


def _column(
    path: Path, table: "polars.DataFrame", given: str | None, wanted: Sequence[str], what: str
) -> str:
    name = given if given is not None else one_of(table.columns, wanted)
    if name is None or name not in table.columns:
        there = ", ".join(table.columns)
        raise FormatError(path, f"which column is the {what}? say {what}= one of {there}", line=1)
    return name
