"""A Corpus on disk: a folder of plain arrays and texts, mapped into memory when opened, that can grow.

    corpus.json       what it is, how much of each file belongs to it, checksums, bounds of the partitions
    vocabulary.json   the words
    tokens.npy, offsets.npy, slice_of.npy
    counts.npy        tokens of each word, then documents that hold it
    ids.utf8, labels.utf8, texts.utf8    one after the other, with id_ends.npy, label_ends.npy, text_ends.npy

A partition is a range of documents: whoever opens one maps and checks its part of ``tokens.npy`` alone.
Documents are added behind what is there; what ``corpus.json`` does not count was left by a process that was
killed.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.encoding import order_slices
from tealeaves.errors import FormatError, InputError
from tealeaves.fingerprints import fingerprint_of
from tealeaves.folders import (
    Kind,
    digest,
    is_saved,
    missing,
    read_array,
    read_json,
    read_manifest,
    save_folder,
    write_json,
    write_manifest,
)
from tealeaves.growing import GrowingArray, GrowingBytes, exclusive

CORPUS = Kind("corpus", version=2)
BATCH = 1 << 14  # documents written at a time
MOST = 1_000_000  # partitions: each has a line in the manifest
CHECKED = (
    1 << 28
)  # bytes: a corpus of up to this size is checked whole when it is opened, in a fraction of a second
OF_ARRAYS: dict[str, type] = {
    "tokens": np.int32, "offsets": np.int64, "slice_of": np.int32,
    "id_ends": np.int64, "label_ends": np.int64, "text_ends": np.int64,
}  # fmt: skip
NAME = re.compile(r"[a-z_]+(\.[0-9a-z]+)?\.(npy|utf8|json)")
CHECKED_PARTS: set[Any] = set()  # partitions that this process has compared with their checksums
TEXTS = {"ids": "id_ends", "labels": "label_ends", "texts": "text_ends"}


class Stored(NamedTuple):
    """Where a corpus lies; the first document of each partition, then how many there are; their checksums."""

    path: Path | str
    bounds: tuple[int, ...]
    digests: tuple[str, ...]


class StoredTexts(Sequence[Any]):
    """Texts, or what ``decode`` makes of them, that stay on disk until one is asked for."""

    def __init__(
        self, data: NDArray[np.uint8], ends: NDArray[np.int64], decode: Callable[[str], Any] = str
    ) -> None:
        self._data, self._ends, self._decode = data, ends, decode

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return tuple(self[j] for j in range(*i.indices(len(self))))
        if not -len(self) <= i < len(self):
            raise IndexError(f"text {i} of {len(self)}")
        start, end = self._ends[i % len(self)], self._ends[i % len(self) + 1]
        return self._decode(bytes(self._data[start:end]).decode("utf-8", "surrogatepass"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        for first in range(0, len(self), BATCH):
            ends = self._ends[first : first + BATCH + 1].tolist()
            some = bytes(self._data[ends[0] : ends[-1]])
            for start, end in pairwise(ends):
                yield self._decode(some[start - ends[0] : end - ends[0]].decode("utf-8", "surrogatepass"))


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
    check_partitions(partitions)
    save_folder(path, CORPUS, lambda folder: _write(corpus, folder, partitions))


def check_partitions(partitions: int) -> None:
    """Refuse a number of partitions that there cannot be."""
    if not 1 <= partitions <= MOST:
        raise InputError(f"a corpus has at least one partition, at most {MOST:,}; got {partitions}")


def open_corpus(path: Path, partition: int | None = None, *, verify: bool | None = None) -> Corpus:
    """The corpus in the folder ``path``, or one partition of it; see `tealeaves.load_corpus`."""
    if not path.exists():
        raise missing(path)
    about = read_manifest(path, CORPUS)
    try:
        return _opened(path, about, partition, verify)
    except (KeyError, TypeError, IndexError) as error:
        raise FormatError(path / CORPUS.manifest, f"lacks a part that was expected: {error}") from None


def _opened(path: Path, about: dict[str, Any], partition: int | None, verify: bool | None) -> Corpus:
    bounds, files = about["partitions"], about["files"]
    if partition is not None and not 0 <= partition < len(bounds) - 1:
        raise InputError(f"{path} has {len(bounds) - 1} partitions, from 0; {partition} was asked for")
    arrays = {name: _array(path, entry) for name, entry in files.items()}
    offsets, tokens = arrays["offsets"], arrays["tokens"]
    if partition is None:
        whole = sum(array.nbytes for array in arrays.values())
        if verify or (verify is None and whole <= CHECKED):
            _check(path, about, arrays, set(files) - {"tokens"}, range(len(bounds) - 1))
    elif verify is not False:  # of a partition, its tokens and what is small
        small = {name for name in files if arrays[name].nbytes <= CHECKED}
        _check(path, about, arrays, small - {"tokens", "offsets"}, [partition])
    words = about["vocabulary"]
    vocabulary = read_json(path / _name(words))
    if digest_of_words(vocabulary) != words["digest"]:
        raise FormatError(path / words["file"], "is torn or was changed: its checksum is another")
    first, last = (0, bounds[-1]) if partition is None else bounds[partition : partition + 2]
    begin, end = int(offsets[first]), int(offsets[last])

    def texts(name: str, decode: Callable[[str], Any]) -> StoredTexts | None:
        ends = arrays.get(TEXTS[name])
        return None if ends is None else StoredTexts(arrays[name], ends[first : last + 1], decode)

    slice_of = arrays.get("slice_of")
    corpus = Corpus.of_checked(
        vocabulary=tuple(vocabulary),
        tokens=tokens[begin:end],
        offsets=offsets[first : last + 1] - begin if begin else offsets[first : last + 1],
        slice_of=None if slice_of is None else slice_of[first:last],
        slice_labels=None if slice_of is None else tuple(about["slice_labels"]),
        ids=texts("ids", str),
        labels=texts("labels", _label),
        texts=texts("texts", str),
        ordered=about["ordered"],
        gaps=about["gaps"],
        preprocess=about["preprocess"],
        notes=tuple(about["notes"]),
    )
    if partition is None:
        known = corpus.__dict__
        if about["fingerprint"] is not None:  # of the content that the checksums vouch for
            known["fingerprint"] = about["fingerprint"]
        known["_word_counts"], known["_document_frequency"] = arrays["counts"].reshape(2, -1)
        known["stored"] = Stored(path.absolute(), tuple(bounds), tuple(about["tokens"]))
    return corpus


def _array(path: Path, entry: dict[str, Any]) -> NDArray[Any]:
    """What belongs to the corpus of one file."""
    file, n = path / _name(entry), entry["length"]
    if file.suffix != ".npy":
        if not file.is_file():
            raise FormatError(file, "is missing from the folder that was saved")
        found = np.memmap(file, np.uint8, "r") if file.stat().st_size else np.zeros(0, np.uint8)
    else:
        found = read_array(file)
    if len(found) < n:
        raise FormatError(file, f"is torn: it holds {len(found):,} of {n:,} entries")
    return np.asarray(found[:n])


def _name(entry: dict[str, Any]) -> str:
    """The name of a file of the folder: a manifest that someone else wrote must lead to no other place."""
    name = entry["file"]
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise FormatError(CORPUS.manifest, f"names {name!r}, which is no file of a corpus")
    return name


def _check(
    path: Path, about: dict[str, Any], arrays: dict[str, NDArray[Any]], whole: set[str], parts: Sequence[int]
) -> None:
    """Compare some arrays and some partitions with their checksums."""
    for name in sorted(whole):
        entry = about["files"][name]
        if digest(arrays[name]) != entry["digest"]:
            raise FormatError(path / entry["file"], "is torn or was changed: its checksum is another")
    bounds, tokens, offsets = about["partitions"], arrays["tokens"], arrays["offsets"]
    for i in parts:
        some = offsets[bounds[i] : bounds[i + 1] + 1]
        if digest_of_part(tokens[some[0] : some[-1]], some) != about["tokens"][i]:
            file = path / about["files"]["tokens"]["file"]
            raise FormatError(file, f"is torn or was changed: partition {i} of it, or of its offsets")


def digest_of_part(tokens: NDArray[np.int32], offsets: NDArray[np.int64]) -> str:
    """The checksum of a partition: of its tokens, and of where its documents begin."""
    return digest(tokens) + digest(offsets - offsets[0])


def open_part(path: Path, number: int, expected: str) -> tuple[NDArray[np.int32], NDArray[np.int64], bool]:
    """The tokens and offsets of one partition, and whether they are in order: all that counting takes.

    Raises
    ------
    FormatError
        If it is not what has the checksum ``expected``.
    """
    about = read_manifest(path, CORPUS)
    try:
        first, last = about["partitions"][number : number + 2]
        offsets = _array(path, about["files"]["offsets"])[first : last + 1]
        tokens = _array(path, about["files"]["tokens"])[offsets[0] : offsets[-1]]
        ordered, there = bool(about["ordered"]), about["tokens"][number]
    except (KeyError, TypeError, IndexError, ValueError):
        raise FormatError(
            path, f"has no partition {number} any more: it was written anew meanwhile"
        ) from None
    if there != expected:
        raise FormatError(path, "was written anew since it was opened: open it again")
    files = [path / _name(about["files"][name]) for name in ("tokens", "offsets")]
    seen = (expected, number, *((str(file), *_state(file)) for file in files))
    if seen not in CHECKED_PARTS:  # a worker that counts a part again need not read all of it twice
        if digest_of_part(tokens, offsets) != expected:
            raise FormatError(
                files[0], f"is torn or was changed: partition {number} of it, or of its offsets"
            )
        CHECKED_PARTS.add(seen)
    return tokens, offsets - offsets[0], ordered


def _state(file: Path) -> tuple[int, int, int]:
    """What is another once a file was written to, or is another file."""
    about = file.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


def _label(text: str) -> Any:
    found = json.loads(text)
    return tuple(found) if isinstance(found, list) else found


def digest_of_words(vocabulary: Any) -> str:
    """The checksum of a list of words."""
    return digest(np.frombuffer(json.dumps(vocabulary).encode("ascii"), np.uint8))


class Writer:
    """Documents written behind those that a folder holds; what is written counts once `finish` is called."""

    def __init__(self, folder: Path, about: dict[str, Any] | None = None) -> None:
        self.folder, self.about = folder, about
        self._arrays: dict[str, GrowingArray] = {}
        self._texts: dict[str, GrowingBytes] = {}
        self._offset = 0 if about is None else about["files"]["tokens"]["length"]
        self.n_documents = 0 if about is None else about["partitions"][-1]
        self.generation = 0 if about is None else about["generation"] + 1
        for name in () if about is None else about["files"]:
            if name in OF_ARRAYS:
                self._array(name)
            elif name in TEXTS:
                self._bytes(name)

    def add(
        self,
        tokens: NDArray[np.int32],
        lengths: NDArray[np.int64],
        *,
        slice_of: NDArray[np.int32] | None = None,
        ids: Iterable[str] | None = None,
        labels: Iterable[Any] | None = None,
        texts: Iterable[str] | None = None,
    ) -> None:
        """Write some documents: their tokens one after the other, and how many each has."""
        self._array("tokens").extend(tokens)
        offsets = self._array("offsets")
        if not offsets.length:
            offsets.extend(np.zeros(1, np.int64))
        ends = self._offset + np.cumsum(lengths)
        offsets.extend(ends)
        self._offset = int(ends[-1]) if len(ends) else self._offset
        self.n_documents += len(lengths)
        if slice_of is not None:
            self._array("slice_of").extend(slice_of)
        for name, values in (("ids", ids), ("labels", labels), ("texts", texts)):
            if values is not None:
                self.add_texts(name, values)

    def add_encoded(self, name: str, data: NDArray[np.uint8], lengths: NDArray[np.int64]) -> None:
        """Write texts that are UTF-8 already, one after the other."""
        file, ends = self._bytes(name), self._array(TEXTS[name])
        if not ends.length:
            ends.extend(np.zeros(1, np.int64))
        ends.extend(file.length + np.cumsum(lengths))
        file.extend(data.tobytes())

    def mapped(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The tokens and offsets that were written so far, all of them on the disk."""
        self.add(np.zeros(0, np.int32), np.zeros(0, np.int64))  # a corpus without documents has files, too
        self.close()
        tokens, offsets = (self._arrays[name] for name in ("tokens", "offsets"))
        found = [_array(self.folder, {"file": f.path.name, "length": f.length}) for f in (tokens, offsets)]
        return found[0], found[1]

    def replace(self, name: str, values: NDArray[Any]) -> None:
        """Put other values in the place of an array, in a file of its own until `finish`."""
        self._arrays[name].close()
        file = self.folder / f"{name}.{self.generation}.npy"
        self._arrays[name] = GrowingArray(file, OF_ARRAYS[name])
        self._arrays[name].extend(values)

    def add_texts(self, name: str, values: Iterable[Any]) -> None:
        encode = json.dumps if name == "labels" else str
        pieces = [encode(value).encode("utf-8", "surrogatepass") for value in values]
        lengths = np.array([len(piece) for piece in pieces], np.int64)
        self.add_encoded(name, np.frombuffer(b"".join(pieces), np.uint8), lengths)

    def _array(self, name: str) -> GrowingArray:
        if name not in self._arrays:
            file, length = self._place(name, "npy")
            self._arrays[name] = GrowingArray(file, OF_ARRAYS[name], length)
        return self._arrays[name]

    def _bytes(self, name: str) -> GrowingBytes:
        if name not in self._texts:
            file, length = self._place(name, "utf8")
            self._texts[name] = GrowingBytes(file, length)
        return self._texts[name]

    def _place(self, name: str, ending: str) -> tuple[Path, int]:
        """The file of a part, and how much of it belongs to the corpus."""
        entry = None if self.about is None else self.about["files"].get(name)
        file, length = (f"{name}.{ending}", 0) if entry is None else (_name(entry), entry["length"])
        if (self.folder / file).is_symlink():
            raise InputError(f"{self.folder / file} is a link: what it leads to would be written over")
        return self.folder / file, length

    def close(self) -> None:
        """Put everything on the disk."""
        for array in self._arrays.values():
            array.close()
        for text in self._texts.values():
            text.close()

    def finish(self, vocabulary: Sequence[str], bounds: Sequence[int], **about: Any) -> None:
        """Say what the folder holds now, in one step: until then it holds what it held before."""
        tokens, offsets = self.mapped()
        before = {} if self.about is None else self.about
        with ThreadPoolExecutor(1) as pool:
            made = None
            if "fingerprint" not in about:
                made = pool.submit(fingerprint_of, vocabulary, tokens, offsets, about["ordered"])
            content = self._content(vocabulary, bounds, tokens, offsets, before)  # meanwhile
        if made:
            about["fingerprint"] = made.result()
        write_manifest(self.folder, CORPUS, {**about, **content})
        self._let_go({*_files(content), *(_files(before) if before else ())})

    def _content(
        self,
        vocabulary: Sequence[str],
        bounds: Sequence[int],
        tokens: NDArray[np.int32],
        offsets: NDArray[np.int64],
        before: dict[str, Any],
    ) -> dict[str, Any]:
        """Write counts and vocabulary; which files there are now, and their checksums."""
        written: dict[str, GrowingArray | GrowingBytes] = {**self._arrays, **self._texts}
        files = {name: {"file": f.path.name, "length": f.length} for name, f in written.items()}
        arrays = {name: _array(self.folder, entry) for name, entry in files.items()}
        del arrays["tokens"]  # whose checksums are those of the partitions
        mark = f".{self.generation}" if self.generation else ""
        first, digests = (before["partitions"][-1], before["tokens"]) if before else (0, [])
        counts = _counts(tokens[offsets[first] :], offsets[first:] - offsets[first], len(vocabulary))
        if before:
            old = _array(self.folder, before["files"]["counts"]).reshape(2, -1)
            counts.reshape(2, -1)[:, : old.shape[1]] += old
        _synced(self.folder / f"counts{mark}.npy", lambda file: np.save(file, counts))
        files["counts"] = {"file": f"counts{mark}.npy", "length": len(counts)}
        for name, array in (*arrays.items(), ("counts", counts)):
            files[name]["digest"] = digest(array)
        _synced(self.folder / f"vocabulary{mark}.json", lambda file: write_json(file, list(vocabulary)))
        new = list(pairwise(bounds))[len(digests) :]
        return {
            "generation": self.generation,
            "partitions": [int(bound) for bound in bounds],
            "tokens": digests
            + [digest_of_part(tokens[offsets[a] : offsets[b]], offsets[a : b + 1]) for a, b in new],
            "files": files,
            "vocabulary": {"file": f"vocabulary{mark}.json", "digest": digest_of_words(list(vocabulary))},
        }

    def _let_go(self, kept: set[str]) -> None:
        """Delete what neither this state needs nor the one before, which a reader may be about to open."""
        ours = {*OF_ARRAYS, *TEXTS, "counts", "vocabulary"}
        for file in self.folder.iterdir():
            if file.name not in kept and NAME.fullmatch(file.name) and file.name.split(".")[0] in ours:
                file.unlink()


def _files(about: dict[str, Any]) -> set[str]:
    return {entry["file"] for entry in (*about["files"].values(), about["vocabulary"])}


def _synced(path: Path, write: Callable[[Path], None]) -> None:
    """Write a file and put it on the disk."""
    write(path)
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _counts(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> NDArray[np.int64]:
    """Tokens of each word, then documents that hold it."""
    from tealeaves._kernels.documents import occurrences

    return np.asarray(occurrences(tokens, offsets, n_words)).ravel()


def append(path: Path, corpus: Corpus, *, grow: bool = True) -> None:
    """Write documents behind those in the folder ``path``; see `tealeaves.append_corpus`."""
    with exclusive(path):
        _append(path, corpus, open_corpus(path), grow)


def _append(path: Path, corpus: Corpus, old: Corpus, grow: bool) -> None:
    _refuse_other(path, corpus, old)
    about = read_manifest(path, CORPUS)
    known = old.index
    more = [word for word in corpus.vocabulary if word not in known] if grow else []
    words = [*old.vocabulary, *more]
    place = known | {word: len(known) + i for i, word in enumerate(more)}
    new = np.array([*(place.get(word, -1) for word in corpus.vocabulary), -1], np.int32)  # -1 stays -1
    writer = Writer(path, about)
    labels, slice_of = about["slice_labels"], None
    if old.slice_of is not None and corpus.slice_of is not None:
        both = [*(old.slice_labels or ()), *(corpus.slice_labels or ())]
        of_label, ordered = order_slices(both)
        labels, n_old = list(ordered), len(old.slice_labels or ())
        if not np.array_equal(of_label[:n_old], np.arange(n_old)):
            writer.replace("slice_of", of_label[:n_old][old.slice_of])
        slice_of = of_label[n_old:][corpus.slice_of]
    for first in range(0, len(corpus), BATCH):
        some = slice(first, first + BATCH)
        bounds = corpus.offsets[first : first + BATCH + 1]
        writer.add(
            new[corpus.tokens[bounds[0] : bounds[-1]]],
            np.diff(bounds),
            slice_of=None if slice_of is None else slice_of[some],
            ids=None if corpus.ids is None else corpus.ids[some],
            labels=None if corpus.labels is None else corpus.labels[some],
            texts=None if corpus.texts is None else corpus.texts[some],
        )
    said = {name: about[name] for name in ("ordered", "gaps", "preprocess")}
    notes = list(dict.fromkeys([*about["notes"], *corpus.notes]))
    # The fingerprint is that of the whole, which is read when somebody asks for it.
    writer.finish(
        words,
        [*about["partitions"], writer.n_documents],
        **said,
        notes=notes,
        slice_labels=labels,
        fingerprint=None,
    )


def _refuse_other(path: Path, corpus: Corpus, old: Corpus) -> None:
    """Refuse documents that are not of the same kind as those that are there."""
    for name in ("ids", "labels", "texts", "slice_of"):
        here, there = getattr(corpus, name) is not None, getattr(old, name) is not None
        if here != there:
            what = name.replace("slice_of", "slices")
            has, has_not = (f"has no {what}", "has") if here else (f"has {what}", "has none")
            raise InputError(f"{path}: the corpus {has}, and what is to be added to it {has_not}")
    for name, what in (("preprocess", "cut as"), ("gaps", "gaps"), ("ordered", "in order")):
        if getattr(corpus, name) != getattr(old, name):
            found = f"{getattr(old, name)!r}, but what is to be added {getattr(corpus, name)!r}"
            raise InputError(f"{path}: the corpus is {what} {found}")
    if corpus.ids is not None and old.ids is not None:
        fresh = set(corpus.ids)
        twice = next((name for name in old.ids if name in fresh), None)
        if twice is not None:
            raise InputError(f"{path}: the corpus has a document {twice!r} already; ids must be unique")


def _write(corpus: Corpus, folder: Path, partitions: int) -> None:
    writer = Writer(folder)
    writer.add(
        corpus.tokens,
        np.diff(corpus.offsets),
        slice_of=corpus.slice_of,
        ids=corpus.ids,
        labels=corpus.labels,
    )
    if corpus.texts is not None:
        for start in range(0, len(corpus), BATCH):
            writer.add_texts("texts", corpus.texts[start : start + BATCH])
    writer.finish(corpus.vocabulary, cuts(corpus.offsets, partitions), **described(corpus))


def described(corpus: Corpus) -> dict[str, Any]:
    """What a manifest says of a corpus besides its files."""
    return {
        "ordered": corpus.ordered,
        "gaps": corpus.gaps,
        "preprocess": corpus.preprocess,
        "notes": list(corpus.notes),
        "slice_labels": None if corpus.slice_labels is None else list(corpus.slice_labels),
        "fingerprint": corpus.fingerprint,
    }


def cuts(offsets: NDArray[np.int64], partitions: int) -> list[int]:
    """Bounds of parts of about as many tokens each; one may be empty where one document is most of it."""
    inner = np.searchsorted(offsets[1:], np.linspace(0, offsets[-1], partitions + 1)[1:-1])
    return [0, *inner.tolist(), len(offsets) - 1]
