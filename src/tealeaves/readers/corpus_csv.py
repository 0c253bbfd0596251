"""Readers of tables of text, CSV and TSV: a row for each document under a line of names."""

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tealeaves.errors import FormatError
from tealeaves.readers._lines import LONGEST, opened, text_lines
from tealeaves.readers._rows import ROLES, Fields, Row, named, no_field


def read_csv_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """Cells parted by commas, or by semicolons."""
    return _read_table(path, fields, ",")


def read_tsv_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """Cells parted by tabs."""
    return _read_table(path, fields, "\t")


def _read_table(path: Path, fields: Fields, delimiter: str) -> Iterator[Row]:
    names = named(fields)
    former = csv.field_size_limit(LONGEST)  # far above that of csv: a long document is no error
    try:
        with opened(path) as raw:
            lines = text_lines(path, raw)
            head = next(lines, "")
            if delimiter == "," and ";" in head and "," not in head:
                delimiter = ";"  # where a comma is in decimal numbers, spreadsheets write this
            table = csv.reader(chain([head], lines), delimiter=delimiter, strict=True)
            columns = next(table, [])
            places: dict[str, int] = {}
            for role, name in names.items():
                if columns.count(name) > 1:
                    raise FormatError(path, f"two columns are called {name!r}", 1)
                if name in columns:
                    places[role] = columns.index(name)
                elif role != "id" or fields.get("id") is not None:
                    hint = " (the first line must name the columns)"
                    raise FormatError(path, no_field(role, name, columns) + hint, 1)
            for cells in table:
                if not cells:
                    continue
                if len(cells) != len(columns):
                    found = f"{len(cells)} cells, but the first line names {len(columns)} columns"
                    raise FormatError(path, found, table.line_num)
                yield Row(
                    table.line_num, *(cells[places[role]] if role in places else None for role in ROLES)
                )
    except csv.Error as error:
        raise FormatError(path, f"is no whole table: {error}", table.line_num) from None
    finally:
        csv.field_size_limit(former)
