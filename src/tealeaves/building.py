"""Corpora larger than memory: read once in pieces, each kept on disk, then put together.

A piece is what one thread cuts into words at a time; its file holds the ids of its words in the numbering of
the thread, the words that were new to it, and what is known of its documents. When all are there the
numberings become one, words leave by the choices of preprocessing, and the pieces are written one after the
other. A run that is killed leaves its pieces beside the target: the next one with the same choices goes on.
"""

import hashlib
import json
import os
import re
import shutil
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tealeaves import letters
from tealeaves.corpus import Corpus, as_label, check_ids, check_vocabulary, is_grouped, order_slices
from tealeaves.corpus_store import CORPUS, Writer, cuts
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import save_folder
from tealeaves.preprocess import Preprocess, renumber
from tealeaves.readers.corpora import GROUPED, Collected, Source, look

Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
Progress = Callable[[str, int, int], None]
BASE = 400 << 20  # bytes that Python, its libraries and compiled kernels take before the first text
PER_CHARACTER = 16  # bytes that a character of a piece takes until its file is written
LARGEST = 16 << 20  # characters: larger pieces are no faster
PART = 25_000_000  # tokens, 100 MB, of a partition where no number of them was asked for
FORMAT = "tealeaves pieces 1"
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]i?B?|B)", re.IGNORECASE)
UNITS = {"B": 1} | {f"{u}{end}": 1024**n for n, u in enumerate("KMGT", 1) for end in ("", "B", "IB")}


class Cutter(Protocol):
    """What cuts texts into ids of words, in a numbering of its own."""

    def encode(self, texts: Sequence[Any]) -> tuple[Ids, Ints]: ...
    def usual_and_odd(self) -> tuple[list[str], list[str]]: ...


class PlainCutter:
    """Texts cut by a function of Python, numbered in the order in which words appear."""

    def __init__(self, cut: Callable[[Any], list[str]]) -> None:
        self._cut = cut
        self._index: dict[str, int] = {}

    def encode(self, texts: Sequence[Any]) -> tuple[Ids, Ints]:
        """Ids of the words of all texts in a row, and how many each has."""
        docs = [self._cut(text) for text in texts]
        index = self._index
        ids = [index.setdefault(word, len(index)) for word in chain.from_iterable(docs)]
        return np.array(ids, np.int32), np.array([len(doc) for doc in docs], np.int64)

    def usual_and_odd(self) -> tuple[list[str], list[str]]:
        """The words; none is numbered from the end."""
        return list(self._index), []


class LetterCutter(letters.Tokenizer):
    """Texts cut into words of letters by the kernel."""

    def usual_and_odd(self) -> tuple[list[str], list[str]]:
        """The words numbered from the front, and those numbered -1, -2, … from the back."""
        odd = list(self._odd_words)
        return self.words()[: len(self.words()) - len(odd)], odd


@dataclass
class Piece:
    """Some documents as they were read."""

    number: int
    texts: list[Any]
    ids: list[Any]
    times: list[Any]
    labels: list[Any]


@dataclass
class Numbering:
    """The words of one cutter, as its pieces on disk tell them."""

    usual: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)


def build_corpus(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    text: str | None = None,
    id: str | None = None,
    time: str | None = None,
    label: str | None = None,
    preprocess: Preprocess | None = None,
    tokenized: bool = False,
    format: str | None = None,
    vocabulary: Any = None,
    partition: str | None = None,
    trust: bool = False,
    memory: int | str = "1GB",
    partitions: int | None = None,
    texts: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[str, ...]:
    """Read a corpus that need not fit into memory, and save it in the folder ``out``.

    What comes out is what ``read_corpus(path, …).save(out)`` writes, whatever the memory and the number of
    workers. A run that was killed goes on where it was when it is called again with the same choices.

    Parameters
    ----------
    path : path
        A file or folder of texts; see `tealeaves.read_corpus`, also for what is not named here.
    out : path
        The folder; a corpus saved there before gives way once this one is whole.
    memory : int or str
        About how many bytes may be used: "512MB", "2GB". What cannot be bounded by it are the distinct words.
    partitions : int, optional
        Parts on disk; by default one for 25 million tokens.
    texts : bool
        Whether the texts are kept for display.
    workers : int, optional
        Threads; all cores if not said.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much (0 if that is not known).

    Returns
    -------
    tuple of str
        What is to be said of it: the notes of the corpus.

    Raises
    ------
    InputError
        If the memory is too little, or n-grams are asked for, which are joined in memory alone.
    FormatError
        As `tealeaves.read_corpus` does.

    Examples
    --------
    >>> import tempfile
    >>> from tealeaves.corpus import load_corpus
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "docs.txt").write_text("Oil and gas.\\nGas!\\n")
    >>> build_corpus(folder / "docs.txt", folder / "corpus", format="text")
    ()
    >>> load_corpus(folder / "corpus").vocabulary
    ('and', 'gas', 'oil')
    """
    path, out = Path(path), Path(out)
    found = look(
        path,
        fields={"text": text, "id": id, "time": time, "label": label},
        preprocess=preprocess,
        tokenized=tokenized,
        format=format,
        vocabulary=vocabulary,
        partition=partition,
        trust=trust,
    )
    if isinstance(found, Corpus):  # counts, or saved before: there is nothing to cut
        found.save(out, partitions=partitions or max(1, found.n_tokens // PART))
        return found.notes
    if not found.tokenized and found.preprocess.joins:
        raise InputError("n-grams are joined in memory: use tl.read_corpus(…).save(…) for them")
    return build(
        found,
        out,
        memory=bytes_of(memory),
        workers=workers,
        partitions=partitions,
        texts=texts,
        progress=progress,
    )


def bytes_of(memory: int | str) -> int:
    """Bytes, as "512MB" or "2 GB" say it.

    >>> bytes_of("1.5GB")
    1610612736
    """
    if isinstance(memory, int) and not isinstance(memory, bool):
        return memory
    match = SIZE.fullmatch(memory.strip()) if isinstance(memory, str) else None
    if match is None:
        raise InputError(f"memory must be a size such as '512MB' or '2GB'; got {memory!r}")
    return int(float(match[1]) * UNITS[match[2].upper()])


def build(
    source: Source,
    out: Path,
    *,
    memory: int,
    workers: int | None = None,
    partitions: int | None = None,
    texts: bool = True,
    progress: Progress | None = None,
) -> tuple[str, ...]:
    """Read ``source`` in pieces and save the corpus in the folder ``out``; returns its notes."""
    workers = max(1, workers or os.cpu_count() or 1)
    size = (memory - BASE) // (PER_CHARACTER * (workers + 1))
    if size < 1 << 16:
        least = (BASE + PER_CHARACTER * (workers + 1) * (1 << 16)) >> 20
        raise InputError(
            f"memory must be at least {least + 1} MB for {workers} workers; got {memory >> 20} MB"
        )
    size = min(LARGEST, size)
    pieces = out.parent / f".{out.name}.pieces"
    _begin(pieces, source, size)
    found = _cut_all(source, pieces, size, workers, texts, progress)
    notes: list[str] = []
    save_folder(
        out,
        CORPUS,
        lambda folder: notes.extend(_assemble(source, pieces, found, folder, partitions, progress)),
    )
    shutil.rmtree(pieces, ignore_errors=True)
    return tuple(notes)


def _begin(pieces: Path, source: Source, size: int) -> None:
    """Make the folder of pieces, or keep that of a run with the same choices on the same file."""
    files = (
        [source.path] if source.path.is_file() else sorted(p for p in source.path.rglob("*") if p.is_file())
    )
    state = [(str(file.absolute()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    said = [FORMAT, source.describe(), size, state]
    job = hashlib.sha256(json.dumps(said, default=str).encode("utf-8", "surrogatepass")).hexdigest()
    mark = pieces / "job"
    if mark.is_file() and mark.read_text("ascii", "replace") == job:
        _let_go_of_torn(pieces)
        return
    shutil.rmtree(pieces, ignore_errors=True)
    pieces.mkdir(parents=True)
    mark.write_text(job, "ascii")


def _let_go_of_torn(pieces: Path) -> None:
    """Delete pieces that are not whole, and those that lack words which one of these told."""
    told: dict[str, list[tuple[list[int], int, int, Path]]] = {}
    for file in pieces.glob("*.npz"):
        if not _is_whole(file):
            file.unlink()
            continue
        about = _Read.about(file)
        entry = about["first"], len(about["usual"]), len(about["odd"]), file
        told.setdefault(about["cutter"], []).append(entry)
    for parts in told.values():
        known = [0, 0]
        for first, usual, odd, file in sorted(parts):  # that without new words first
            if first != known:
                file.unlink()
            else:
                known = [known[0] + usual, known[1] + odd]


def _cut_all(
    source: Source, pieces: Path, size: int, workers: int, texts: bool, progress: Progress | None
) -> Collected:
    """Cut every piece that is not on disk yet."""
    kept = Collected(source.path, source.fields, source.tokenized)
    plain = (
        source.tokenized or source.preprocess.tokenizer is not None or source.preprocess.pattern is not None
    )
    threads = 1 if plain else workers
    free: SimpleQueue[tuple[str, Cutter, list[int]]] = SimpleQueue()
    run = f"{os.getpid()}-{len(list(pieces.iterdir()))}"  # cutters of an earlier run are other ones
    for i in range(threads):
        free.put((f"{run}-{i}", _cutter(source, plain), [0, 0]))

    def cut(piece: Piece) -> int:
        name, cutter, told = free.get()
        try:
            _write(pieces, piece, name, cutter, told, texts)
        finally:
            free.put((name, cutter, told))
        return sum(map(len, piece.texts))

    running: deque[Future[int]] = deque()
    done, whole = 0, _characters(source.path)
    with ThreadPoolExecutor(threads) as pool:
        try:
            for piece in _pieces(source, kept, size):
                if (pieces / f"{piece.number:08}.npz").exists():
                    done += sum(map(len, piece.texts))
                else:
                    running.append(pool.submit(cut, piece))
                while len(running) > threads:  # no more at a time than keeps the threads busy
                    done += running.popleft().result()
                if progress:
                    progress("reading", done, max(whole, done) if whole else 0)
            while running:
                done += running.popleft().result()
        finally:
            for task in running:
                task.cancel()
    return kept


def _cutter(source: Source, plain: bool) -> Cutter:
    if not plain:
        return LetterCutter(lower=source.preprocess.lower)
    return PlainCutter(list if source.tokenized else source.preprocess.words)


def _pieces(source: Source, kept: Collected, size: int) -> Iterator[Piece]:
    """The documents, some at a time; ``kept`` counts those without text."""
    number, held = 0, 0
    texts: list[Any] = []

    def piece() -> Piece:
        found = Piece(number, texts, kept.ids, kept.times, kept.labels)
        kept.ids, kept.times, kept.labels = [], [], []
        return found

    for text in kept.collect(source.rows()):
        texts.append(text)
        held += (len(text) if isinstance(text, str) else sum(map(len, text))) + 64  # empty ones add up, too
        if held >= size:
            yield piece()
            number, held, texts = number + 1, 0, []
    if texts or not number:
        yield piece()


def _write(pieces: Path, piece: Piece, name: str, cutter: Cutter, told: list[int], texts: bool) -> None:
    """Cut a piece and write its file, whole or not at all."""
    ids, lengths = cutter.encode(piece.texts)
    usual, odd = cutter.usual_and_odd()
    about = {
        "cutter": name,
        "first": list(told),
        "usual": usual[told[0] :],
        "odd": odd[told[1] :],
        "ids": [None if value is None else str(value) for value in piece.ids],
        "times": [_plain_time(value) for value in piece.times],
        "labels": [as_label(value) for value in piece.labels],
        "labelled": any(value is not None for value in piece.labels),
    }
    content = {"ids": ids, "lengths": lengths, "about": _bytes(json.dumps(about))}
    if texts and isinstance(next(iter(piece.texts), ""), str):
        encoded = [text.encode("utf-8", "surrogatepass") for text in piece.texts]
        content["texts"] = np.frombuffer(b"".join(encoded), np.uint8)
        content["text_lengths"] = np.array([len(one) for one in encoded], np.int64)
    new = pieces / f"{piece.number:08}.new"
    with new.open("wb") as file:
        np.savez(file, **content)  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
    new.rename(pieces / f"{piece.number:08}.npz")
    told[:] = len(usual), len(odd)


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("ascii"), np.uint8)


def _plain_time(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | int | float) else str(value)


def _is_whole(file: Path) -> bool:
    """Whether a piece is on disk as it was written; a torn one is cut again."""
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.testzip() is None
    except (OSError, zipfile.BadZipFile):
        return False


def _characters(path: Path) -> int:
    """About how many there are to read, 0 where that is not known: what a compressed file says of itself."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(4)
        if not start.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zX", b"\x28\xb5\x2f\xfd", b"PAR1")):
            return size
        if start.startswith(b"\x1f\x8b") and size < 1 << 29:
            file.seek(-4, os.SEEK_END)
            return int.from_bytes(file.read(4), "little")
    return 0


class _Read:
    """The pieces on disk, with one numbering for all."""

    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*.npz"))
        self._numberings: dict[str, Numbering] = {}
        told: dict[str, list[tuple[list[int], dict[str, Any]]]] = {}
        self.times: dict[Any, None] = {}
        self.has_labels = self.has_ids = False
        for file in self.files:
            about = self.about(file)
            told.setdefault(about["cutter"], []).append((about["first"], about))
            self.times.update(dict.fromkeys(about["times"]))
            self.has_labels = self.has_labels or about["labelled"]
            self.has_ids = self.has_ids or any(value is not None for value in about["ids"])
        for name, parts in told.items():
            numbering = self._numberings.setdefault(name, Numbering())
            for _, about in sorted(parts, key=lambda part: part[0]):
                numbering.usual += about["usual"]
                numbering.odd += about["odd"]
        index: dict[str, int] = {}
        self._places = {
            name: np.array(
                [index.setdefault(word, len(index)) for word in numbering.usual + numbering.odd[::-1]],
                np.int32,
            )
            for name, numbering in self._numberings.items()
        }
        self.words = list(index)

    @staticmethod
    def about(file: Path) -> dict[str, Any]:
        """What a piece says of its documents."""
        with np.load(file) as content:
            found: dict[str, Any] = json.loads(content["about"].tobytes())
        return found

    def tokens(self, file: Path) -> tuple[Ids, Ints]:
        """The tokens of a piece in the numbering of all, and the lengths of its documents."""
        with np.load(file) as content:
            ids, lengths = content["ids"], content["lengths"]
        return (self._places[self.about(file)["cutter"]][ids] if len(ids) else ids), lengths


def _assemble(
    source: Source,
    pieces: Path,
    found: Collected,
    folder: Path,
    partitions: int | None,
    progress: Progress | None,
) -> list[str]:
    read = _Read(pieces)
    choices = source.preprocess
    notes: list[str] = []
    if source.tokenized:
        new, kept = _stripped(read.words, notes)
        phrases: list[Any] = []
        drops = False
    else:
        new, kept = choices.refine(read.words)
        phrases, drops = choices.phrases(read.words), True

    def tokens_of(file: Path) -> tuple[Ids, Ints]:
        tokens, lengths = read.tokens(file)
        return choices.kept(tokens, lengths, new, phrases) if drops else (renumber(tokens, new), lengths)

    final, vocabulary = _limited(source, read, kept, tokens_of, notes, progress)
    of_time, slice_labels = {}, None
    if source.fields.get("time"):
        try:
            codes, slice_labels = order_slices(list(read.times))
        except InputError as error:
            raise FormatError(source.path, f"field {source.fields['time']!r} (time=): {error}") from None
        of_time = dict(zip(read.times, codes.tolist(), strict=True))
    has_ids = _ids_are_good(source, read, notes)
    has_labels = source.has_labels(read.has_labels)
    writer = Writer(folder)
    for i, file in enumerate(read.files):
        if progress:
            progress("writing", i, len(read.files))
        tokens, lengths = tokens_of(file)
        about = read.about(file)
        writer.add(
            tokens if final is None else renumber(tokens, final),
            lengths,
            slice_of=np.array([of_time[t] for t in about["times"]], np.int32) if slice_labels else None,
            ids=about["ids"] if has_ids else None,
            labels=about["labels"] if has_labels else None,
        )
        with np.load(file) as content:
            if "texts" in content:
                writer.add_encoded("texts", content["texts"], content["text_lengths"])
    tokens, offsets = writer.mapped()
    grouped = is_grouped(tokens, offsets)
    notes = [
        *(f"{found.empty} documents have no text and are kept as empty ones" for _ in range(found.empty > 0)),
        *notes,
    ]
    writer.finish(
        vocabulary,
        cuts(offsets, partitions or max(1, len(tokens) // PART)),
        ordered=not grouped,
        gaps="kept" if source.tokenized else choices.gaps,
        preprocess="" if source.tokenized else choices.describe(),
        notes=[*notes, *([GROUPED] if grouped else [])],
        slice_labels=None if slice_labels is None else list(slice_labels),
    )
    return notes


def _stripped(words: Sequence[str], notes: list[str]) -> tuple[Ids, list[str]]:
    """Words that were cut before, without blanks at their ends; what is blank is outside the vocabulary."""
    bare = [word.strip() for word in words]
    padded = [word for word, other in zip(words, bare, strict=True) if word != other and other]
    if padded:
        notes.append(
            f"blanks at the ends of words were stripped ({len(padded)} words, such as {padded[0]!r})"
        )
    if "" in bare:
        notes.append("tokens that are empty or blank count as outside the vocabulary and keep their place")
    kept = sorted(set(bare) - {""})
    index = {word: i for i, word in enumerate(kept)}
    return np.array([index.get(word, -1) for word in bare], np.int32), kept


def _limited(
    source: Source,
    read: _Read,
    kept: list[str],
    tokens_of: Callable[[Path], tuple[Ids, Ints]],
    notes: list[str],
    progress: Progress | None,
) -> tuple[Ids | None, Sequence[str]]:
    """What becomes of each word by the documents that hold it, and by a vocabulary that was handed over."""
    from tealeaves._kernels.documents import document_frequency

    final, words = None, list(kept)
    if not source.tokenized and source.preprocess.limits:
        held, n_documents = np.zeros(len(kept), np.int64), 0
        for i, file in enumerate(read.files):
            if progress:
                progress("counting documents", i, len(read.files))
            tokens, lengths = tokens_of(file)
            offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            held += document_frequency(tokens, offsets, len(kept))
            n_documents += len(lengths)
        stays = source.preprocess.stays(held, n_documents)
        if not stays.all():
            final = np.where(stays, np.cumsum(stays) - 1, -1).astype(np.int32)
            words = [word for word, stay in zip(kept, stays, strict=True) if stay]
            if kept and not words:
                notes.append("min_df and max_df leave no word in the vocabulary")
    if source.vocabulary is None:
        return final, words
    given = check_vocabulary(source.vocabulary)
    index = {word: i for i, word in enumerate(given)}
    places = np.array([index.get(word, -1) for word in words], np.int32)
    return (places if final is None else renumber(final, places)), given


def _ids_are_good(source: Source, read: _Read, notes: list[str]) -> bool:
    """Whether documents have names that tell them apart; if not, names nobody asked for are left out."""
    wanted = source.fields["id"] is not None
    if not wanted and not read.has_ids:
        return False
    seen = np.zeros(0, np.uint64)
    try:
        parts, first = [], 0
        for file in read.files:
            names = read.about(file)["ids"]
            if None in names:
                raise InputError(f"document {first + names.index(None)} (counted from 0) has no id")
            parts.append(np.fromiter(map(_hash, names), np.uint64, len(names)))
            first += len(names)
        seen = np.concatenate(parts)
        distinct, times = np.unique(seen, return_counts=True)
        suspects = set(distinct[times > 1].tolist())
        if suspects:  # 64 bits may agree by chance: look at the names themselves
            check_ids(n for file in read.files for n in read.about(file)["ids"] if _hash(n) in suspects)
    except InputError as error:
        if wanted:
            raise FormatError(source.path, str(error)) from None
        notes.append(f"the field 'id' was not used: {error}")
        return False
    return True


def _hash(name: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )
