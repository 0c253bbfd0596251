"""A TopicModel on disk: a folder of a JSON file and plain .npy arrays with checksums; no pickle."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError, InputError
from tealeaves.folders import Kind, is_saved, missing, save_folder
from tealeaves.model import TopicModel

MODEL = Kind("model", version=1)
MANIFEST, FORMAT, VERSION = MODEL.manifest, MODEL.format, MODEL.version
ARRAYS = ("topic_word", "doc_topic", "assignments", "alpha", "eta")
TEXTS = ("vocabulary", "word_lists", "name", "source", "normalized", "topic_names", "notes")


def save(model: TopicModel, path: str | os.PathLike[str]) -> None:
    """Write ``model`` to the folder ``path``, which a model saved before gives way to.

    The folder appears when it is whole: a killed run leaves what was there.

    Raises
    ------
    InputError
        If ``path`` is something else than a saved model.
    """
    save_folder(Path(path), MODEL, lambda folder: _write(model, folder))


def load(path: str | os.PathLike[str]) -> TopicModel:
    """Read back the model that `save` wrote to ``path``.

    Raises
    ------
    FormatError
        If the folder is no saved model, or a part of it is missing or was changed.
    """
    folder = Path(path)
    if not folder.exists():
        raise missing(folder)
    manifest = _read_manifest(folder)
    fields: dict[str, Any] = {name: manifest["model"].get(name) for name in TEXTS}
    if fields["word_lists"] is not None:
        fields["vocabulary"] = None  # made from the lists
    checksums = manifest["arrays"]
    for name in ARRAYS:
        fields[name] = _read_array(folder, name, checksums[name]) if name in checksums else None
    if manifest["corpus"]:
        from tealeaves.corpus import load_corpus

        fields["corpus"] = load_corpus(folder / "corpus")
    try:
        return TopicModel(**fields)
    except (InputError, TypeError, AttributeError) as error:
        raise FormatError(folder, f"is no whole model: {error}") from None


def is_saved_model(path: Path) -> bool:
    """Whether ``path`` looks like a folder that `save` wrote, whole or not."""
    return is_saved(path, MODEL)


def _write(model: TopicModel, folder: Path) -> None:
    checksums = {}
    for name in ARRAYS:
        if (array := getattr(model, name)) is not None:
            np.save(folder / f"{name}.npy", np.asarray(array), allow_pickle=False)
            checksums[name] = _checksum_of_file(folder / f"{name}.npy")
    if model.corpus is not None:
        model.corpus.save(folder / "corpus")
    content = {
        "model": {name: getattr(model, name) for name in TEXTS},
        "arrays": checksums,
        "corpus": model.corpus is not None,
    }
    head = {"format": FORMAT, "version": VERSION, "checksum": _checksum_of_json(content)}
    (folder / MANIFEST).write_text(json.dumps(head | content), "utf-8")


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        raise FormatError(folder, f"is no saved model: a folder with {MANIFEST} was expected")
    try:
        manifest = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"is not whole: JSON was expected, but {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise FormatError(path, f"was not written by tealeaves: it does not say {FORMAT!r} as its format")
    if manifest.get("version") != VERSION:
        found = f"is of version {manifest.get('version')!r} of the format"
        raise FormatError(path, f"{found}, but this tealeaves reads {VERSION}: update it")
    content = {name: manifest.get(name) for name in ("model", "arrays", "corpus")}
    if manifest.get("checksum") != _checksum_of_json(content):
        raise FormatError(path, "was changed after it was written: its checksum does not fit")
    return manifest


def _read_array(folder: Path, name: str, checksum: str) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    if not path.is_file():
        raise FormatError(path, f"is missing, but {MANIFEST} says that the model has it")
    if _checksum_of_file(path) != checksum:
        raise FormatError(path, "was cut off or changed after it was written: its checksum does not fit")
    try:
        array: NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        raise FormatError(path, f"is no array: {error}") from None
    return array


def _checksum_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, hashlib.blake2b).hexdigest()[:32]


def _checksum_of_json(content: Any) -> str:
    plain = json.dumps(content, sort_keys=True)
    return hashlib.blake2b(plain.encode()).hexdigest()[:32]
