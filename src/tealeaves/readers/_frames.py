"""Tables in columns, Parquet and Arrow, as rows of documents."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tealeaves.errors import FormatError
from tealeaves.letters import ROOM, Texts
from tealeaves.readers._documents import About, Documents, Job, check_time, jobs_of_rows
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


def jobs_of_frame(
    path: Path, fields: Fields, frame: "pl.DataFrame", names: dict[str, str], size: int
) -> Iterator[Job]:
    """The rows of a frame as jobs of about ``size`` bytes of texts."""
    import polars as pl

    texts = frame[names["text"]]
    if texts.dtype != pl.String:  # lists of words, or what is no text: the rows tell
        yield from jobs_of_rows(path, fields, rows_of(frame, names), size)
        return
    ends = np.cumsum(texts.str.len_bytes().fill_null(0).to_numpy(), dtype=np.int64)
    first = done = 0
    while first < frame.height:
        last = max(first + 1, int(np.searchsorted(ends, done + size)))
        yield partial(_documents, path, fields, frame[first:last], names)
        first, done = last, int(ends[last - 1])


def _documents(path: Path, fields: Fields, frame: "pl.DataFrame", names: dict[str, str]) -> Documents:
    import polars as pl

    texts = frame[names["text"]]
    joined = texts.str.join("").cast(pl.Binary).item()
    lengths = texts.str.len_bytes().fill_null(0).to_numpy().astype(np.int64)
    values = {role: frame[name].to_list() for role, name in names.items() if role != "text"}
    about = About(values.get("id", [None] * frame.height), empty=texts.null_count())
    about.times, about.labels = values.get("time", []), values.get("label", [])
    for time in about.times:
        check_time(path, fields, time)
    return Documents(Texts.cut(np.frombuffer(joined + bytes(ROOM), np.uint8), lengths), about)
