"""A DynamicTopicModel on disk: a folder of a JSON file and plain .npy arrays with checksums; no pickle."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import (
    Kind,
    check_files,
    file_digest,
    is_saved,
    missing,
    read_manifest,
    save_folder,
    write_manifest,
)

DYNAMIC = Kind("dynamic", version=1)
ARRAYS = ("topic_word", "doc_topic", "slice_of")
TEXTS = ("vocabulary", "word_lists", "slice_labels", "name", "source", "topic_names", "notes")


def save(model: DynamicTopicModel, path: str | os.PathLike[str]) -> None:
    """Write ``model`` to the folder ``path``, which a dynamic model saved before gives way to.

    The folder appears when it is whole: a killed run leaves what was there.

    Raises
    ------
    InputError
        If ``path`` is something else.
    """
    save_folder(Path(path), DYNAMIC, lambda folder: _write(model, folder))


def load(path: str | os.PathLike[str]) -> DynamicTopicModel:
    """Read back the model that `save` wrote to ``path``.

    Raises
    ------
    FormatError
        If the folder is no saved dynamic model, or a part of it is missing or was changed.
    """
    folder = Path(path)
    if not folder.exists():
        raise missing(folder)
    about = read_manifest(folder, DYNAMIC)
    try:
        fields = {name: about["model"].get(name) for name in TEXTS}
        sums, has_corpus = dict(about["arrays"]), about["corpus"]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(folder / DYNAMIC.manifest, f"is no whole manifest: {error!r}") from None
    if fields["word_lists"] is not None:
        fields["vocabulary"] = None  # made from the lists
    check_files(folder, {f"{name}.npy": digest for name, digest in sums.items()}, verify=True)
    arrays: dict[str, Any] = {name: _array(folder / f"{name}.npy") for name in ARRAYS if name in sums}
    if has_corpus:
        from tealeaves.corpus import load_corpus

        fields["corpus"] = load_corpus(folder / "corpus")
    try:
        return DynamicTopicModel(**fields, **arrays, axes="time topic word")
    except (InputError, TypeError, AttributeError) as error:
        raise FormatError(folder, f"is no whole dynamic model: {error}") from None


def is_saved_dynamic(path: Path) -> bool:
    """Whether ``path`` looks like a folder that `save` wrote, whole or not."""
    return is_saved(path, DYNAMIC)


def _write(model: DynamicTopicModel, folder: Path) -> None:
    sums = {}
    for name in ARRAYS:
        if (array := getattr(model, name)) is not None:
            np.save(folder / f"{name}.npy", np.asarray(array), allow_pickle=False)
            sums[name] = file_digest(folder / f"{name}.npy")
    if model.corpus is not None:
        model.corpus.save(folder / "corpus")
    texts = {name: getattr(model, name) for name in TEXTS}
    write_manifest(folder, DYNAMIC, {"model": texts, "arrays": sums, "corpus": model.corpus is not None})


def _array(path: Path) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        raise FormatError(path, f"is no array: {error}") from None
    return array
