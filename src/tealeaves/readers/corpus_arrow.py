"""Reader of datasets that Hugging Face's ``datasets`` saved on disk, and of single Arrow files."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, InputError
from tealeaves.readers._files import read_bytes
from tealeaves.readers._frames import chosen_columns, rows_of, whole
from tealeaves.readers._rows import Fields, Row

FILE = b"ARROW1"  # the random-access form begins with it; the streaming form, which datasets writes, does not
PACKED = (".gz", ".zst", ".bz2", ".xz")
STREAM = b"\xff\xff\xff\xff"
STATE, INFO, SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"


def is_arrow_folder(path: Path) -> bool:
    """Whether ``save_to_disk`` wrote the folder: one dataset, or several by the names of their splits."""
    return any((path / name).is_file() for name in (STATE, SPLITS))


def read_arrow_rows(path: Path, fields: Fields, partition: str | None) -> Iterator[Row]:
    """The rows of a dataset; with ``partition``, of that split only. Class labels are told by their names."""
    for folder, files in _parts(path, partition):
        classes = _classes(folder, fields) if folder is not None else {}

        def shown(role: str, value: object, classes: dict[str, list[str]] = classes) -> object:
            known = classes.get(role)
            if known is None or not isinstance(value, int) or not -1 <= value < len(known):
                return value
            return None if value == -1 else known[value]

        for file in files:
            yield from _read_file(file, fields, shown if classes else None)


def _read_file(path: Path, fields: Fields, shown: Any) -> Iterator[Row]:
    import polars as pl

    if not path.is_file():
        raise FormatError(path, "is missing from the dataset")
    source = io.BytesIO(read_bytes(path)) if path.suffix in PACKED else path
    with whole(path, "Arrow file"):
        if read_bytes(path, len(FILE)) == FILE:
            names = chosen_columns(path, fields, pl.read_ipc_schema(source))
            frame = pl.read_ipc(source, columns=list(dict.fromkeys(names.values())))
        else:
            frame = pl.read_ipc_stream(source)
            names = chosen_columns(path, fields, frame.columns)
    yield from rows_of(frame, names, shown)


def _parts(path: Path, partition: str | None) -> Iterator[tuple[Path | None, list[Path]]]:
    """The datasets to read: folder, files."""
    if not path.is_dir():
        if partition is not None:
            raise InputError(f"{path} is one file, so partition={partition!r} cannot be met")
        yield None, [path]
        return
    if (path / STATE).is_file():
        if partition is not None:
            raise InputError(f"{path} is one dataset without splits: partition={partition!r} cannot be met")
        yield path, _files(path)
        return
    splits = _json(path / SPLITS).get("splits")
    if not isinstance(splits, list) or not all(isinstance(split, str) for split in splits):
        raise FormatError(path / SPLITS, "a list of splits was expected")
    if partition is not None and partition not in splits:
        there = ", ".join(map(repr, splits))
        raise InputError(f"{path} has no partition {partition!r}; there are: {there}")
    for split in splits if partition is None else [partition]:
        folder = path / _inside(path / SPLITS, split)
        yield folder, _files(folder)


def _files(folder: Path) -> list[Path]:
    """The files of one dataset, in order."""
    state = _json(folder / STATE)
    if state.get("_indices_data_files"):
        what = "keeps its rows in another order (indices): save it again after .flatten_indices()"
        raise FormatError(folder / STATE, what)
    files = state.get("_data_files")
    if not isinstance(files, list) or not all(isinstance(file, dict) for file in files):
        raise FormatError(folder / STATE, "a list of _data_files was expected")
    return [folder / _inside(folder / STATE, file.get("filename")) for file in files]


def _inside(path: Path, name: object) -> str:
    """The name of a file or folder, which must lie in that of ``path``."""
    plain = isinstance(name, str) and name.isprintable() and 0 < len(name.encode()) < 256
    if not isinstance(name, str) or not plain or name in (".", "..") or set(name) & set("/\\"):
        raise FormatError(path, f"the name of a file beside it was expected, but found {name!r:.60}")
    return name


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise FormatError(path, "is missing from the dataset")
    try:
        content = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"is no JSON: {error}") from None
    if not isinstance(content, dict):
        raise FormatError(path, f"a JSON object was expected, not {type(content).__name__}")
    return content


def _classes(folder: Path, fields: Fields) -> dict[str, list[str]]:
    """The names of the classes of each role whose field is numbered ones."""
    if not (folder / INFO).is_file():
        return {}
    features = _json(folder / INFO).get("features")
    found = {}
    for role, name in fields.items():
        feature = features.get(name) if isinstance(features, dict) and name is not None else None
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel":
            names = feature.get("names")
            if isinstance(names, list) and all(isinstance(one, str) for one in names):
                found[role] = names
    return found
