"""Qualtrics' CSV, with Prolific's export of who submitted what."""

import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError
from tealeaves.human.answer_formats.cells import cell_value, familiarity_of
from tealeaves.human.answer_formats.files import Rows, number_or_none, table_of
from tealeaves.human.item_sets import Item

# Qualtrics' own columns: not questions, and some of them (addresses, places) not to be kept.
QUALTRICS = {
    "startdate", "enddate", "status", "ipaddress", "progress", "duration (in seconds)", "finished",
    "recordeddate", "responseid", "recipientlastname", "recipientfirstname", "recipientemail",
    "externalreference", "locationlatitude", "locationlongitude", "distributionchannel", "userlanguage",
    "prolific_pid", "study_id", "session_id", "prolific", "workerid", "assignmentid", "hitid",
}  # fmt: skip
IDENTITY = ("prolific_pid", "workerid", "prolific", "responseid")
NOT_ANSWERED = ("survey preview", "spam", "survey test")
NO_SUBMISSION = ("returned", "rejected", "timed-out", "timed out")


def read_qualtrics(
    paths: list[Path],
    known: Any,
    columns: Mapping[str, str] | None = None,
    task: str | None = None,
    prolific: str | PathLike[str] | None = None,
    keep_ids: bool = False,
) -> Rows:
    """A rater a row, a question a column; each file has its own headings."""
    names = {item.id: item for item in known.values()}
    people = _People(_prolific(Path(prolific)) if prolific else {}, keep_ids)
    rows: list[dict[str, Any]] = []
    for path in paths:
        table = table_of(path)
        questions = {
            name: item for name in table.columns if (item := _question(name, columns, names)) is not None
        }
        if not questions:
            there = ", ".join(name for name in table.columns if name.casefold() not in QUALTRICS)
            wanted = "name questions by the items' ids (i0001), or say columns={'Q12': 'i0001'}"
            raise FormatError(path, f"no column is an item: {wanted}; there are {there}", line=1)
        for line, cells in enumerate(table.iter_rows(named=True), start=2):
            if line <= 3 and _is_heading(cells):
                continue
            rater = people.name_of({name.casefold(): cell for name, cell in cells.items()}, line)
            if rater is not None:
                rows += [
                    {"rater": rater, **row} for row in _of_row(path, line, cells, questions, names, task)
                ]
    return rows, None, people.notes()


class _People:
    """Who is kept, under which name, and how many are not."""

    def __init__(self, statuses: Mapping[str, str], keep_ids: bool) -> None:
        self.statuses, self.keep_ids = statuses, keep_ids
        self.pseudonyms: dict[str, str] = {}
        self.previews = self.without = 0

    def name_of(self, cells: Mapping[str, Any], line: int) -> str | None:
        """What the rater of a row is called; None for a preview, or who submitted nothing."""
        if str(cells.get("status", "")).casefold() in NOT_ANSWERED:
            self.previews += 1
            return None
        who = next((name for name in IDENTITY if name in cells), None)
        identity = str((cells[who] if who else None) or f"row {line}")
        if self.statuses.get(identity, "") in NO_SUBMISSION:
            self.without += 1
            return None
        if self.keep_ids:
            return identity
        return self.pseudonyms.setdefault(identity, f"R-{len(self.pseudonyms) + 1:03d}")

    def notes(self) -> list[str]:
        said = (
            (self.previews, "rows of previews or spam were left out"),
            (self.without, "people whose submission was returned, rejected or timed out were left out"),
        )
        return [f"{n} {what}" for n, what in said if n]


def _of_row(
    path: Path,
    line: int,
    cells: Mapping[str, Any],
    questions: Mapping[str, str],
    names: Mapping[str, Item],
    task: str | None,
) -> list[dict[str, Any]]:
    """The answers of one rater: time of each page where it was measured, else a share of the whole."""
    answered = [name for name in questions if cells[name] not in (None, "")]
    whole = next((number_or_none(cells[n]) for n in cells if n.casefold() == "duration (in seconds)"), None)
    rows = []
    for name in answered:
        item = names.get(questions[name])
        timed = number_or_none(cells.get(f"{name}_Page Submit"))
        value = cell_value(path, line, cells[name], item, task)
        if known_words := cells.get(f"{name}_familiarity"):
            value["familiarity"] = familiarity_of(str(known_words))
        seconds = timed if timed is not None else whole and whole / len(answered)
        about = {"item": questions[name], "task": item.task if item else task}
        rows.append({**about, "value": value, "seconds": seconds})
    return rows


def _question(name: str, columns: Mapping[str, str] | None, names: Mapping[str, Item]) -> str | None:
    if columns is not None:
        return columns.get(name)
    return name if name in names or (not names and re.fullmatch(r"i\d{4,}", name)) else None


def _is_heading(cells: Mapping[str, Any]) -> bool:
    """Whether a row is the second or third of Qualtrics' headings: texts of questions, or ImportIds."""
    lower = {name.casefold(): str(value or "") for name, value in cells.items()}
    texts = ("response id", "finished", "start date", "end date")
    return any("ImportId" in v for v in lower.values()) or any(
        lower.get(n, "").casefold() in texts for n in ("responseid", "finished", "startdate", "enddate")
    )


def _prolific(path: Path) -> dict[str, str]:
    """The status of each participant in Prolific's own export."""
    table = table_of(path)
    lower = {name.casefold(): name for name in table.columns}
    who, status = (lower.get(name) for name in ("participant id", "status"))
    if who is None or status is None:
        raise FormatError(
            path,
            f"Prolific's export has Participant id and Status; here are {', '.join(table.columns)}",
            line=1,
        )
    return {str(row[who]): str(row[status]).casefold() for row in table.iter_rows(named=True)}
