"""Reader of Parquet: a row for each document."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tealeaves._watch import tell
from tealeaves.readers._documents import Job
from tealeaves.readers._files import read_bytes
from tealeaves.readers._frames import chosen_columns, jobs_of_frame, rows_of, whole
from tealeaves.readers._rows import Fields, Row

if TYPE_CHECKING:
    import polars as pl

ROWS = 50_000
PACKED = (".gz", ".zst", ".bz2", ".xz")


def read_parquet_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """The rows of a Parquet file; only the columns that are wanted are read."""
    for frame, names in _frames(path, fields):
        yield from rows_of(frame, names)


def read_parquet(path: Path, fields: Fields, size: int) -> Iterator[Job]:
    """The same, as jobs of about ``size`` bytes of texts."""
    for frame, names in _frames(path, fields):
        yield from jobs_of_frame(path, fields, frame, names, size)


def _frames(path: Path, fields: Fields) -> Iterator[tuple["pl.DataFrame", dict[str, str]]]:
    """The columns that are wanted, some rows at a time, and what each role's is called."""
    import polars as pl

    source = io.BytesIO(read_bytes(path)) if path.suffix in PACKED else path
    with whole(path, "Parquet file"):
        names = chosen_columns(path, fields, pl.read_parquet_schema(source))
        table = pl.scan_parquet(source).select(list(dict.fromkeys(names.values())))
        n_rows = table.select(pl.len()).collect().item()
    for start in range(0, n_rows, ROWS):  # so many are held at a time
        with whole(path, "Parquet file"):
            frame = table.slice(start, ROWS).collect()
        yield frame, names
        tell(min(start + ROWS, n_rows), n_rows)
