"""Answers of our own studies, as they were exported."""

from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError
from tealeaves.human.answer_formats.files import Rows, lines_of, table_of


def read_tealeaves(paths: list[Path], known: Any, pilot: bool = False, all_raters: bool = False) -> Rows:
    """Rows of files that a study of ours exported; a spreadsheet's apostrophes are taken away."""
    from tealeaves.human.export import plain_cell

    rows: list[dict[str, Any]] = []
    for path in paths:
        if path.suffix in (".jsonl", ".ndjson", ".json"):
            rows += [row for _, row in lines_of(path)]
        elif path.suffix == ".parquet":
            rows += table_of(path).to_dicts()
        else:  # a spreadsheet's apostrophe before what it would take for a formula
            table = table_of(path).to_dicts()
            rows += [{k: plain_cell(v) if isinstance(v, str) else v for k, v in row.items()} for row in table]
    notes: list[str] = []
    if not pilot:
        rows = _without_pilots(rows, notes)
    if not all_raters:
        rows = _without_excluded(rows, notes, paths[0])
    return rows, None, notes


def _without_pilots(rows: list[dict[str, Any]], notes: list[str]) -> list[dict[str, Any]]:
    """The answers without those of the pilots of studies that have been live."""
    live = {row.get("study") for row in rows if row.get("form") == "live"}
    of_pilots = [row.get("form") == "pilot" for row in rows]
    kept = [
        row for row, tried in zip(rows, of_pilots, strict=True) if not tried or row.get("study") not in live
    ]
    if len(kept) < len(rows):
        notes.append(f"{len(rows) - len(kept)} answers of a pilot are left out (pilot=True keeps them)")
    if rows and all(of_pilots):
        notes.append("all answers are of a pilot: they count for nothing in the study itself")
    return kept


def _without_excluded(rows: list[dict[str, Any]], notes: list[str], path: Path) -> list[dict[str, Any]]:
    """The answers of the raters whom the rules of their study keep, as its export has written down."""
    kept = [row for row in rows if not row.get("excluded")]
    raters = sorted({str(row.get("rater")) for row in rows if row.get("excluded")})
    keeps = "(all_raters=True, or --all-raters, keeps them)"
    if rows and not kept:
        raise FormatError(path, f"all {len(raters)} raters are left out by the rules of the study {keeps}")
    if raters:
        shown = ", ".join(raters[:8]) + (", …" if len(raters) > 8 else "")
        notes.append(f"{len(raters)} raters are left out by the rules of the study: {shown} {keeps}")
    return kept
