"""Scores on disk: a Parquet table and an archive of draws, named by ``scores.json``.

The two data files carry their digest in their name and are never overwritten; ``scores.json``, which names
them, is replaced last and in one step. So the folder holds the earlier scores or the new ones at any time.
"""

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError
from tealeaves.scores import COLUMNS, Details, Scores

HEAD = "scores.json"
KIND, FORMAT = "tealeaves scores", 1


def save(scores: Scores, path: Path) -> None:
    """Write scores to a folder; other files in it stay."""
    path.mkdir(parents=True, exist_ok=True)
    earlier = _files(path)
    table = io.BytesIO()
    scores.frame.write_parquet(table)
    draws = io.BytesIO()
    np.savez_compressed(draws, **{str(i): draw for i, draw in enumerate(scores.draws.values())})  # type: ignore[arg-type]
    head = {
        "kind": KIND,
        "format": FORMAT,
        "table": _write_named(path, "scores", ".parquet", table.getvalue()),
        "draws": _write_named(path, "draws", ".npz", draws.getvalue()),
        "draws_of": [list(key) for key in scores.draws],
        "units": scores.units,
        "details": scores.details.to_dict(),
    }
    _write(path / HEAD, json.dumps(head, ensure_ascii=False, allow_nan=False, indent=1).encode())
    for name in earlier - {head["table"], head["draws"]}:
        (path / name).unlink(missing_ok=True)


def load(path: Path) -> Scores:
    """Read scores from a folder, checking every file against its digest."""
    import polars

    head = _head(path)
    with _as_format_error(path / HEAD):
        table, draws = head["table"], head["draws"]
        details, units = Details.from_dict(head["details"]), dict(head["units"])
        keys = [(model, spec) for model, spec in head["draws_of"]]
    with _as_format_error(path / table):
        frame = polars.read_parquet(_read_named(path, table))
    if {name: str(kind) for name, kind in frame.schema.items()} != COLUMNS:
        raise FormatError(path / table, f"has not the columns of scores: {', '.join(COLUMNS)}")
    with _as_format_error(path / draws):
        found = _arrays(_read_named(path, draws), len(keys))
    return Scores(frame, details, dict(zip(keys, found, strict=True)), units)


def _head(path: Path) -> dict[str, Any]:
    if path.exists() and not (path / HEAD).is_file():
        raise FormatError(path, f"holds no scores: there is no {HEAD} in it; evaluate --out writes one")
    with _as_format_error(path / HEAD):
        head = json.loads((path / HEAD).read_text("utf-8"))
        if not isinstance(head, dict) or head.get("kind") != KIND:
            raise FormatError(path / HEAD, "was not written by tealeaves for scores")
        if head["format"] < 1:
            raise FormatError(path / HEAD, f"is of format {head['format']}, which there never was")
        if head["format"] > FORMAT:
            raise FormatError(
                path / HEAD, f"is of format {head['format']}; this tealeaves reads up to {FORMAT}"
            )
        return head


def _files(path: Path) -> set[str]:
    """The data files of the scores that are in the folder, if any."""
    try:
        head = _head(path)
        return {Path(head["table"]).name, Path(head["draws"]).name}
    except (FormatError, KeyError, TypeError):
        return set()  # what was not recognised is not removed either


def _arrays(data: io.BytesIO, n: int) -> list[NDArray[np.float64]]:
    with np.load(data, allow_pickle=False) as archive:
        return [archive[str(i)] for i in range(n)]


def _write_named(folder: Path, stem: str, suffix: str, data: bytes) -> str:
    name = f"{stem}-{_digest(data)}{suffix}"
    _write(folder / name, data)
    return name


def _read_named(folder: Path, name: str) -> io.BytesIO:
    if Path(name).name != name:  # a path that leads out of the folder
        raise FormatError(folder / HEAD, f"names {name!r}, which is not in this folder")
    try:
        data = (folder / name).read_bytes()
    except FileNotFoundError:
        raise FormatError(
            folder / name, f"is missing, but {HEAD} names it; was the folder copied whole?"
        ) from None
    if _digest(data) not in name:
        raise FormatError(folder / name, "has changed since it was written; score again")
    return io.BytesIO(data)


def _write(path: Path, data: bytes) -> None:
    """Write a file so that it is never seen half written."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)  # mkstemp lets nobody else read it
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


@contextmanager
def _as_format_error(path: Path) -> Iterator[None]:
    """Whatever a damaged file makes its parser raise becomes one `FormatError`."""
    import polars

    wrong = (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        EOFError,
        BadZipFile,
        polars.exceptions.PolarsError,
    )
    try:
        yield
    except FormatError:
        raise
    except wrong as error:
        raise FormatError(path, f"cannot be read as scores ({error})") from error
