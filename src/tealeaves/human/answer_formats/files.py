"""Lines of JSON and tables, as readers of answers open them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.errors import FormatError

if TYPE_CHECKING:
    import polars

RATER = ("rater", "rater_id", "worker", "workerid", "worker_id", "annotator", "coder", "participant", "user")
ITEM = ("item", "item_id", "question", "unit", "unit_id", "task_id", "hitid", "id")
ANSWER = ("answer", "choice", "response", "rating", "label", "correct", "score")
Rows = tuple[list[dict[str, Any]], Any, list[str]]  # rows, items, notes


def lines_of(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, with the number of their line."""
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, f"is not UTF-8: {error.reason}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(path, f"is no JSON: {error}", line=number) from None
        if not isinstance(record, dict):
            raise FormatError(path, f"wanted is a JSON object; got {line:.40}", line=number)
        yield number, record


def table_of(path: Path) -> "polars.DataFrame":
    """A table of texts: CSV, or parted by tabs; or Parquet with its own types."""
    import polars as pl

    try:
        if path.suffix.lower() == ".parquet":
            return pl.read_parquet(path)
        tabs = path.suffix.lower() in (".tsv", ".txt")
        # Lau and Baldwin's words hold lone quotes: a table parted by tabs has none that mean anything.
        return pl.read_csv(
            path, separator="\t" if tabs else ",", quote_char=None if tabs else '"', infer_schema_length=0
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(path, f"is no table: {str(error).splitlines()[0]}") from None


def lowered(columns: Sequence[str]) -> set[str]:
    """Names of columns, however they are written."""
    return {name.casefold() for name in columns}


def one_of(columns: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The first column of these names there is."""
    lower = {name.casefold(): name for name in columns}
    return next((lower[name] for name in wanted if name in lower), None)


def number_or_none(value: Any) -> float | None:
    """A cell as a number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if number == number else None  # nan is not itself
