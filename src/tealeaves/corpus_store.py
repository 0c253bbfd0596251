"""A Corpus on disk: a folder of JSON and plain arrays with checksums, mapped into memory when opened.

    corpus.json       what it is, checksums, bounds of the partitions
    vocabulary.json   the words
    documents.json    ids, labels and slice labels
    tokens.npy, offsets.npy, slice_of.npy
    texts.utf8, text_offsets.npy    the raw texts one after the other, if there are any

A partition is a range of documents: whoever opens one maps and checks its part of ``tokens.npy`` alone.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError

MANIFEST = "corpus.json"
FORMAT = "tealeaves corpus"
VERSION = 1
CHUNK = 1 << 22


class StoredTexts(Sequence[str]):
    """Texts that stay on disk until one is asked for."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._data, self._offsets = data, offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"text {i} of {len(self)}")
        start, end = self._offsets[i % len(self)], self._offsets[i % len(self) + 1]
        return bytes(self._data[start:end]).decode("utf-8", "surrogatepass")


def is_saved_corpus(path: Path) -> bool:
    """Whether ``path`` looks like a folder that `save_corpus` wrote, whole or not."""
    try:
        with (path / MANIFEST).open("rb") as file:
            return FORMAT.encode() in file.read(200)
    except OSError:
        return False


def save_corpus(corpus: Corpus, path: Path, partitions: int = 1) -> None:
    """Write ``corpus`` to the folder ``path``; a corpus saved there before gives way once this one is whole.

    Raises
    ------
    InputError
        If ``path`` is something else than a saved corpus.
    """
    if partitions < 1:
        raise InputError(f"a corpus has at least one partition, but {partitions} were asked for")
    if path.exists() and not is_saved_corpus(path) and not (path.is_dir() and not any(path.iterdir())):
        raise InputError(f"{path} is there already and is no saved corpus: name another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        new = scratch / "new"
        new.mkdir()
        _write(corpus, new, partitions)
        if path.exists():
            path.rename(scratch / "old")
        new.rename(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def open_corpus(path: Path, partition: int | None = None, *, verify: bool = True) -> Corpus:
    """The corpus in the folder ``path``, or one partition of it; see `tealeaves.load_corpus`."""
    path.stat()  # a missing folder is Python's own FileNotFoundError
    about = _read_manifest(path)
    try:
        sums, bounds, digests = about["files"], about["partitions"], about["tokens"]
        if partition is not None and not 0 <= partition < len(digests):
            raise InputError(f"{path} has {len(digests)} partitions, from 0; {partition} was asked for")
        for name in sums:
            if not (path / name).is_file():
                raise FormatError(path / name, "is missing from the saved corpus")
            if verify and _file_digest(path / name) != sums[name]:
                raise FormatError(path / name, "is torn or was changed: its checksum is another")
        vocabulary = _read_json(path / "vocabulary.json")
        documents = _read_json(path / "documents.json")
        offsets = _read_array(path / "offsets.npy")
        tokens = _read_array(path / "tokens.npy")
        if len(tokens) != offsets[-1]:
            raise FormatError(path / "tokens.npy", f"has {len(tokens)} tokens, not {offsets[-1]}")
        chosen = range(len(digests)) if partition is None else [partition]
        for i in chosen:
            part = tokens[offsets[bounds[i]] : offsets[bounds[i + 1]]]
            if verify and _digest(part) != digests[i]:
                raise FormatError(path / "tokens.npy", f"is torn or was changed: partition {i} of it")
        first, last = (0, len(offsets) - 1) if partition is None else bounds[partition : partition + 2]
        span, begin = slice(first, last), offsets[first]
        texts = None
        if "texts.utf8" in sums:
            text_offsets = _read_array(path / "text_offsets.npy")[first : last + 1]
            data = (
                np.memmap(path / "texts.utf8", np.uint8, "r") if text_offsets[-1] else np.zeros(0, np.uint8)
            )
            texts = StoredTexts(data, text_offsets)
        corpus = Corpus(
            tuple(vocabulary),
            tokens[begin : offsets[last]],
            offsets[first : last + 1] - begin if begin else offsets[first : last + 1],
            slice_of=_read_array(path / "slice_of.npy")[span] if "slice_of.npy" in sums else None,
            slice_labels=_tuple(documents["slice_labels"]),
            ids=_tuple(documents["ids"], span),
            labels=_tuple(documents["labels"], span),
            texts=texts,
            ordered=about["ordered"],
            gaps=about["gaps"],
            preprocess=about["preprocess"],
            notes=tuple(about["notes"]),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise FormatError(path / MANIFEST, f"lacks a part that was expected: {error}") from None
    except FormatError:
        raise
    except InputError as error:
        if partition is not None and "was asked for" in str(error):
            raise
        raise FormatError(path, f"is no whole corpus: {error}") from None
    if partition is None:
        corpus.__dict__["fingerprint"] = about["fingerprint"]  # of the content that the checksums vouch for
    return corpus


def _write(corpus: Corpus, folder: Path, partitions: int) -> None:
    np.save(folder / "tokens.npy", corpus.tokens)
    np.save(folder / "offsets.npy", corpus.offsets)
    if corpus.slice_of is not None:
        np.save(folder / "slice_of.npy", corpus.slice_of)
    _write_json(folder / "vocabulary.json", corpus.vocabulary)
    of_documents = {"ids": corpus.ids, "labels": corpus.labels, "slice_labels": corpus.slice_labels}
    _write_json(folder / "documents.json", of_documents)
    if corpus.texts is not None:
        ends = [0]
        with (folder / "texts.utf8").open("wb") as file:
            for text in corpus.texts:
                ends.append(ends[-1] + file.write(text.encode("utf-8", "surrogatepass")))
        np.save(folder / "text_offsets.npy", np.array(ends, np.int64))
    # Parts of about as many tokens each; a part may be empty where one document is most of the corpus.
    cuts = np.searchsorted(corpus.offsets[1:], np.linspace(0, corpus.n_tokens, partitions + 1)[1:-1])
    bounds = [0, *cuts.tolist(), len(corpus)]
    tokens = [_digest(corpus.tokens[corpus.offsets[a] : corpus.offsets[b]]) for a, b in pairwise(bounds)]
    files = sorted(file.name for file in folder.iterdir() if file.name != "tokens.npy")
    about = {
        "ordered": corpus.ordered,
        "gaps": corpus.gaps,
        "preprocess": corpus.preprocess,
        "notes": corpus.notes,
        "fingerprint": corpus.fingerprint,
        "partitions": bounds,
        "tokens": tokens,
        "files": {name: _file_digest(folder / name) for name in files},
    }
    head = {"format": FORMAT, "version": VERSION, "checksum": _json_digest(about)}
    _write_json(folder / MANIFEST, head | about)


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        raise FormatError(folder, f"is no saved corpus: a folder with {MANIFEST} was expected")
    about = _read_json(path)
    if not isinstance(about, dict) or about.pop("format", None) != FORMAT:
        raise FormatError(path, f"was not written by tealeaves: it does not say {FORMAT!r} as its format")
    version = about.pop("version", None)
    if version != VERSION:
        raise FormatError(path, f"is of version {version!r} of the format, but this release reads {VERSION}")
    if about.pop("checksum", None) != _json_digest(about):
        raise FormatError(path, "is torn or was changed: its checksum is another")
    return about


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FormatError(path, "is missing from the saved corpus") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"is not whole: JSON was expected, but {error}") from None


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), "ascii")  # ASCII: half a surrogate pair survives, too


def _read_array(path: Path) -> NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise FormatError(path, "is missing from the saved corpus") from None
    except (ValueError, OSError, EOFError) as error:
        try:
            array = np.load(path, allow_pickle=False)  # an array without elements cannot be mapped
        except (ValueError, OSError, EOFError):
            raise FormatError(path, f"is torn or no array: {error}") from None
        if array.size:
            raise FormatError(path, f"cannot be mapped into memory: {error}") from None
    if array.ndim != 1 or array.dtype.kind != "i":
        raise FormatError(path, f"holds {array.dtype} of {array.ndim} axes, not a list of whole numbers")
    return np.asarray(array)


def _tuple(values: list[Any] | None, span: slice = slice(None)) -> tuple[Any, ...] | None:
    if values is None:
        return None
    return tuple(tuple(value) if isinstance(value, list) else value for value in values[span])


def _digest(array: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    for start in range(0, len(array), CHUNK):
        digest.update(np.ascontiguousarray(array[start : start + CHUNK]).data)
    return digest.hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _json_digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
