"""Reader of Parquet: a row for each document."""

import io
from collections.abc import Iterator
from pathlib import Path

from tealeaves._watch import tell
from tealeaves.readers._files import read_bytes
from tealeaves.readers._frames import chosen_columns, rows_of, whole
from tealeaves.readers._rows import Fields, Row

ROWS = 50_000
PACKED = (".gz", ".zst", ".bz2", ".xz")


def read_parquet_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """The rows of a Parquet file; only the columns that are wanted are read."""
    import polars as pl

    source = io.BytesIO(read_bytes(path)) if path.suffix in PACKED else path
    with whole(path, "Parquet file"):
        names = chosen_columns(path, fields, pl.read_parquet_schema(source))
        table = pl.scan_parquet(source).select(list(dict.fromkeys(names.values())))
        n_rows = table.select(pl.len()).collect().item()
    for start in range(0, n_rows, ROWS):  # so many are held at a time
        with whole(path, "Parquet file"):
            frame = table.slice(start, ROWS).collect()
        yield from rows_of(frame, names)
        tell(min(start + ROWS, n_rows), n_rows)
