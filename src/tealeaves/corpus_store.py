"""A Corpus on disk: a folder of JSON and plain arrays with checksums, mapped into memory when opened.

    corpus.json       what it is, checksums, bounds of the partitions
    vocabulary.json   the words
    documents.json    ids, labels and slice labels
    tokens.npy, offsets.npy, slice_of.npy
    texts.utf8, text_offsets.npy    the raw texts one after the other, if there are any

A partition is a range of documents: whoever opens one maps and checks its part of ``tokens.npy`` alone.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import (
    Kind,
    check_files,
    digest,
    file_digest,
    is_saved,
    missing,
    read_array,
    read_json,
    read_manifest,
    save_folder,
    write_json,
    write_manifest,
)

CORPUS = Kind("corpus", version=1)


class Stored(NamedTuple):
    """Where a corpus lies, and the first document of each partition, then how many documents there are."""

    path: Path
    bounds: tuple[int, ...]


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
    return is_saved(path, CORPUS)


def save_corpus(corpus: Corpus, path: Path, partitions: int = 1) -> None:
    """Write ``corpus`` to the folder ``path``; a corpus saved there before gives way once this one is whole.

    Raises
    ------
    InputError
        If ``path`` is something else than a saved corpus.
    """
    if partitions < 1:
        raise InputError(f"a corpus has at least one partition, but {partitions} were asked for")
    save_folder(path, CORPUS, lambda folder: _write(corpus, folder, partitions))


def open_corpus(path: Path, partition: int | None = None, *, verify: bool = True) -> Corpus:
    """The corpus in the folder ``path``, or one partition of it; see `tealeaves.load_corpus`."""
    if not path.exists():
        raise missing(path)
    about = read_manifest(path, CORPUS)
    try:
        sums, bounds, digests = about["files"], about["partitions"], about["tokens"]
        if partition is not None and not 0 <= partition < len(digests):
            raise InputError(f"{path} has {len(digests)} partitions, from 0; {partition} was asked for")
        check_files(path, sums, verify=verify)
        vocabulary = read_json(path / "vocabulary.json")
        documents = read_json(path / "documents.json")
        offsets = read_array(path / "offsets.npy")
        tokens = read_array(path / "tokens.npy")
        if len(tokens) != offsets[-1]:
            raise FormatError(path / "tokens.npy", f"has {len(tokens)} tokens, not {offsets[-1]}")
        chosen = range(len(digests)) if partition is None else [partition]
        for i in chosen:
            part = tokens[offsets[bounds[i]] : offsets[bounds[i + 1]]]
            if verify and digest(part) != digests[i]:
                raise FormatError(path / "tokens.npy", f"is torn or was changed: partition {i} of it")
        first, last = (0, len(offsets) - 1) if partition is None else bounds[partition : partition + 2]
        span, begin = slice(first, last), offsets[first]
        texts = None
        if "texts.utf8" in sums:
            text_offsets = read_array(path / "text_offsets.npy")[first : last + 1]
            data = (
                np.memmap(path / "texts.utf8", np.uint8, "r") if text_offsets[-1] else np.zeros(0, np.uint8)
            )
            texts = StoredTexts(data, text_offsets)
        corpus = Corpus(
            tuple(vocabulary),
            tokens[begin : offsets[last]],
            offsets[first : last + 1] - begin if begin else offsets[first : last + 1],
            slice_of=read_array(path / "slice_of.npy")[span] if "slice_of.npy" in sums else None,
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
        raise FormatError(path / CORPUS.manifest, f"lacks a part that was expected: {error}") from None
    except FormatError:
        raise
    except InputError as error:
        if partition is not None and "was asked for" in str(error):
            raise
        raise FormatError(path, f"is no whole corpus: {error}") from None
    if partition is None:
        corpus.__dict__["fingerprint"] = about["fingerprint"]  # of the content that the checksums vouch for
        corpus.__dict__["stored"] = Stored(path.absolute(), tuple(bounds))
    return corpus


def _write(corpus: Corpus, folder: Path, partitions: int) -> None:
    np.save(folder / "tokens.npy", corpus.tokens)
    np.save(folder / "offsets.npy", corpus.offsets)
    if corpus.slice_of is not None:
        np.save(folder / "slice_of.npy", corpus.slice_of)
    write_json(folder / "vocabulary.json", corpus.vocabulary)
    of_documents = {"ids": corpus.ids, "labels": corpus.labels, "slice_labels": corpus.slice_labels}
    write_json(folder / "documents.json", of_documents)
    if corpus.texts is not None:
        ends = [0]
        with (folder / "texts.utf8").open("wb") as file:
            for text in corpus.texts:
                ends.append(ends[-1] + file.write(text.encode("utf-8", "surrogatepass")))
        np.save(folder / "text_offsets.npy", np.array(ends, np.int64))
    # Parts of about as many tokens each; a part may be empty where one document is most of the corpus.
    cuts = np.searchsorted(corpus.offsets[1:], np.linspace(0, corpus.n_tokens, partitions + 1)[1:-1])
    bounds = [0, *cuts.tolist(), len(corpus)]
    tokens = [digest(corpus.tokens[corpus.offsets[a] : corpus.offsets[b]]) for a, b in pairwise(bounds)]
    files = sorted(file.name for file in folder.iterdir() if file.name != "tokens.npy")
    about = {
        "ordered": corpus.ordered,
        "gaps": corpus.gaps,
        "preprocess": corpus.preprocess,
        "notes": corpus.notes,
        "fingerprint": corpus.fingerprint,
        "partitions": bounds,
        "tokens": tokens,
        "files": {name: file_digest(folder / name) for name in files},
    }
    write_manifest(folder, CORPUS, about)


def _tuple(values: list[Any] | None, span: slice = slice(None)) -> tuple[Any, ...] | None:
    if values is None:
        return None
    return tuple(tuple(value) if isinstance(value, list) else value for value in values[span])
