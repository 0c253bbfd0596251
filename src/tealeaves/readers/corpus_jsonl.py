"""Reader of JSON Lines: an object for each document."""

import io
import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tealeaves.errors import FormatError
from tealeaves.letters import ROOM, Texts
from tealeaves.readers._documents import About, Documents, Job, check_time, jobs_of_rows
from tealeaves.readers._lines import blocks, decoded, opened
from tealeaves.readers._rows import Fields, Row, in_roles, named, no_field


def read_jsonl_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """A JSON object a line; blank lines are none."""
    with opened(path) as raw:
        for number, block in blocks(path, raw):
            yield from _rows(path, fields, number, block)


def read_jsonl(path: Path, fields: Fields, size: int) -> Iterator[Job]:
    """The same, as jobs of about ``size`` bytes of whole lines."""
    with opened(path) as raw:
        for number, block in blocks(path, raw, size):
            yield partial(_documents, path, fields, number, block)


def _rows(path: Path, fields: Fields, number: int, block: bytes) -> Iterator[Row]:
    """The documents of some lines, of which the first has this number."""
    names = named(fields)
    for at, line in enumerate(decoded(path, number, io.BytesIO(block)), start=number):
        if line.isspace():
            continue
        line = line.removesuffix("\n").removesuffix("\r")
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(path, f"is no JSON: {error}", at) from None
        if not isinstance(record, dict):
            hint = "; is the file one JSON array rather than JSONL?" if at == 1 else ""
            raise FormatError(path, f"a JSON object was expected, not {type(record).__name__}{hint}", at)
        for role, name in names.items():
            if name not in record and not (role == "id" and fields.get("id") is None):
                raise FormatError(path, no_field(role, name, record), at)
        yield Row(at, *in_roles(record, names))


def _documents(path: Path, fields: Fields, number: int, block: bytes) -> Documents:
    """The documents of some lines: by the kernel or, if one line is odd, one by one."""
    found = _read(path, fields, block)
    if found is not None:
        return found
    rows = _rows(path, fields, number, block)
    job = next(jobs_of_rows(path, fields, rows, sys.maxsize), None)
    return Documents(Texts.of([]), About()) if job is None else job()


def _read(path: Path, fields: Fields, block: bytes) -> Documents | None:
    """What the kernel reads of some lines, None if one of them is odd in any way."""
    from tealeaves._kernels.json_lines import MISSING, NULL, STRING, read_lines

    names = named(fields)
    columns = list(dict.fromkeys(names.values()))  # the text's is the first
    try:
        called = [name.encode() for name in columns]
    except UnicodeEncodeError:
        return None
    most = block.count(b"\n") + 1
    lines = Texts.cut(np.frombuffer(block + bytes(ROOM), np.uint8), np.array([len(block)]))
    out = np.empty(len(lines.data), np.uint8)
    wide = np.ndarray(len(out) - ROOM + 1, np.uint64, out, strides=(1,))
    kinds = np.zeros((most, len(columns)), np.uint8)
    spans = np.zeros((most, len(columns), 2), np.int64)
    ends = np.zeros(most, np.int64)
    name_ends = np.cumsum(list(map(len, called)))
    joined = np.frombuffer(b"".join(called), np.uint8)
    n = read_lines(lines.data, lines.wide, joined, name_ends, kinds, spans, out, wide, ends)
    asked = [columns.index(name) for role, name in names.items() if role != "id" or fields.get("id")]
    if n < 0 or (kinds[:n, asked] == MISSING).any() or (kinds[:n, 0] > STRING).any():
        return None

    def values(role: str) -> list[Any]:
        column = columns.index(names[role])
        found = zip(kinds[:n, column].tolist(), spans[:n, column].tolist(), strict=True)
        plain = STRING if column else -1  # texts are read even where they are escaped
        return [
            None
            if kind in (MISSING, NULL)
            else block[first + 1 : end - 1].decode()
            if kind == plain
            else json.loads(block[first:end].decode())
            for kind, (first, end) in found
        ]

    about = About(values("id"), empty=int((kinds[:n, 0] == NULL).sum()))
    if "time" in names:
        about.times = values("time")
        try:
            for time in about.times:
                check_time(path, fields, time)
        except FormatError:  # which does not know the line
            return None
    if "label" in names:
        about.labels = values("label")
    return Documents(Texts.cut(out, np.diff(ends[:n], prepend=0)), about)
