"""Tables in columns, Parquet and Arrow, as rows of documents."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tealeaves.errors import FormatError
from tealeaves.readers._rows import ROLES, Fields, Row, named, no_field

if TYPE_CHECKING:
    import polars as pl

ROWS = 10_000  # rows turned into Python objects at a time


@contextmanager
def whole(path: Path, what: str) -> Iterator[None]:
    """Turn what polars says of a damaged file into one FormatError, and keep its panics off the screen."""
    import polars as pl

    try:
        with _silence():
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        if isinstance(error, FormatError) or (isinstance(error, OSError) and error.errno is not None):
            raise
        raise FormatError(path, f"is no whole {what}: {str(error).splitlines()[0]:.200}") from None


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing on standard error: where polars meets a damaged file, its threads print tracebacks of Rust."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)


def chosen_columns(path: Path, fields: Fields, columns: Iterable[str]) -> dict[str, str]:
    """The column of each role; an error where one that was asked for is not there."""
    there = list(columns)
    names = named(fields)
    for role, name in list(names.items()):
        if name in there:
            continue
        if role != "id" or fields.get("id") is not None:
            raise FormatError(path, no_field(role, name, there))
        del names[role]
    return names


def rows_of(
    frame: "pl.DataFrame", names: dict[str, str], shown: Callable[[str, object], object] | None = None
) -> Iterator[Row]:
    """The rows of a frame; ``shown`` turns the value of a role into another."""
    for part in frame.iter_slices(ROWS):
        columns = [part[names[role]].to_list() if role in names else [None] * part.height for role in ROLES]
        for values in zip(*columns, strict=True):
            if shown is not None:
                values = tuple(map(shown, ROLES, values))
            yield Row(0, *values)
