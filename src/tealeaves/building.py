"""Corpora larger than memory: read once in pieces, each kept on disk, then put together.

A piece is what one thread cuts into words at a time; its file holds the ids of its words in the numbering of
the thread, the words that were new to it, and what is known of its documents. When all are there the
numberings become one, words leave by the choices of preprocessing, and the pieces are written one after the
other. A run that is killed leaves its pieces beside the target: the next one with the same choices goes on.
"""

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import sys
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice, pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tealeaves import __version__, letters
from tealeaves._watch import watched
from tealeaves.corpus import (
    Corpus,
    as_label,
    check_ids,
    is_grouped,
    is_missing,
    order_slices,
    places_of,
)
from tealeaves.corpus_store import CORPUS, Writer, check_partitions, cuts
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import save_folder
from tealeaves.growing import exclusive
from tealeaves.letters import Texts
from tealeaves.preprocess import Preprocess, renumber
from tealeaves.readers._documents import About, Documents, Job
from tealeaves.readers.corpora import GROUPED, Source, look
from tealeaves.readers.corpus_text import left_out

Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
Progress = Callable[[str, int, int], None]
BASE = 400 << 20  # bytes that Python, its libraries and compiled kernels take before the first text
PER_BYTE = 10  # bytes that one of a piece's texts takes until its file is written, in each thread
SMALLEST, LARGEST = 1 << 16, 16 << 20  # bytes of texts in a piece: larger ones are no faster
PART = 25_000_000  # tokens, 100 MB, of a partition where no number of them was asked for
FORMAT = "tealeaves pieces 1"
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]i?B?|B)", re.IGNORECASE)
UNITS = {"B": 1} | {f"{u}{end}": 1024**n for n, u in enumerate("KMGT", 1) for end in ("", "B", "IB")}


class Cutter(Protocol):
    """What cuts texts into ids of words, in a numbering of its own."""

    def encode(self, texts: Any) -> tuple[Ids, Ints]: ...
    def since(self, usual: int, odd: int) -> tuple[list[str], list[str]]: ...


class PlainCutter:
    """Texts cut by a function of Python, numbered in the order in which words appear."""

    def __init__(self, cut: Callable[[Any], list[str]]) -> None:
        self._cut = cut
        self._index: dict[str, int] = {}

    def encode(self, texts: Iterable[Any]) -> tuple[Ids, Ints]:
        """Ids of the words of all texts in a row, and how many each has."""
        index, stream = self._index, map(self._cut, texts)
        ids, lengths = [np.zeros(0, np.int32)], list[int]()
        while docs := list(islice(stream, 256)):  # lists of words take many times what their text takes
            lengths += map(len, docs)
            ids.append(
                np.array([index.setdefault(w, len(index)) for w in chain.from_iterable(docs)], np.int32)
            )
        return np.concatenate(ids), np.array(lengths, np.int64)

    def since(self, usual: int, odd: int) -> tuple[list[str], list[str]]:
        """The words from number ``usual`` on; none is numbered from the end."""
        return list(islice(self._index, usual, None)), []


class LetterCutter(letters.Tokenizer):
    """Texts cut into words of letters by the kernel."""

    def since(self, usual: int, odd: int) -> tuple[list[str], list[str]]:
        """The words from number ``usual`` on, and from ``odd`` on those numbered -1, -2, … from the back."""
        ends = self._ends[usual : self._n_words + 1].tolist()
        new = self._pool[ends[0] : ends[-1]].tobytes()
        words = [new[i - ends[0] : j - ends[0]].decode() for i, j in pairwise(ends)]
        return words, list(islice(self._odd_words, odd, None))


class Piece(NamedTuple):
    """Some documents that are still to be read."""

    number: int
    job: Job


class Told(NamedTuple):
    """What is kept in memory of a piece: documents without text, and its times as they first appear."""

    empty: int
    times: list[Any]


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
        About how many bytes may be used: "512MB", "2GB". What cannot be bounded by it are the distinct
        words, some 30 bytes a document, and the longest document.
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
    check_partitions(partitions or 1)
    workers = max(1, workers or os.cpu_count() or 1)
    size = (memory - BASE) // (PER_BYTE * (workers + 1))
    if size < SMALLEST:
        least = (BASE + PER_BYTE * (workers + 1) * SMALLEST) >> 20
        raise InputError(
            f"memory must be at least {least + 1} MB for {workers} workers; got {memory >> 20} MB"
        )
    size = min(LARGEST, size)
    pieces = out.parent / f".{out.name}.pieces"
    if pieces.is_symlink():
        raise InputError(f"{pieces} is a link, and what is read would be kept there: take it away")
    pieces.mkdir(parents=True, exist_ok=True)
    notes: list[str] = []
    with exclusive(pieces):
        _begin(pieces, source, size, texts)
        try:
            found = _cut_all(source, pieces, size, workers, texts, progress)
            save_folder(
                out,
                CORPUS,
                lambda folder: notes.extend(_assemble(source, pieces, found, folder, partitions, progress)),
                scratch=out.parent / f".{out.name}-build",
            )
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            kept = f"the disk is full; what was read is kept in {pieces}: make room and run it again"
            raise OSError(errno.ENOSPC, kept, str(out)) from None
        shutil.rmtree(pieces, ignore_errors=True)
    return tuple(notes)


def _begin(pieces: Path, source: Source, size: int, texts: bool) -> None:
    """Keep the pieces of a run with the same choices on the same files; delete all others."""
    files = (
        [source.path] if source.path.is_file() else sorted(p for p in source.path.rglob("*") if p.is_file())
    )
    state = [(str(file.absolute()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    cutting = [__version__, sys.version, _code(source.preprocess.tokenizer)]
    said = [FORMAT, source.describe(), size, texts, cutting, state]
    job = hashlib.sha256(json.dumps(said, default=str).encode("utf-8", "surrogatepass")).hexdigest()
    mark = pieces / "job"
    if mark.is_file() and mark.read_text("ascii", "replace") == job:
        _let_go_of_torn(pieces)
        return
    for file in pieces.iterdir():
        file.unlink()
    mark.write_text(job, "ascii")


def _code(function: Any) -> list[str]:
    """What a function of Python does: pieces cut by what it was before it was edited are of no use."""
    code = getattr(function, "__code__", None)
    return [] if code is None else [code.co_code.hex(), repr(code.co_names), repr(code.co_consts)]


def _let_go_of_torn(pieces: Path) -> None:
    """Delete pieces that are not whole, and those that lack words which one of these told."""
    told: dict[str, list[tuple[list[int], int, int, Path]]] = {}
    for file in pieces.glob("*.npz"):
        about = _whole(file)
        if about is None:
            file.unlink()
        else:
            told.setdefault(about["cutter"], []).append((about["first"], *about["new"], file))
    for parts in told.values():
        known = [0, 0]
        for first, usual, odd, file in sorted(parts):  # that without new words first
            if first != known:
                file.unlink()
            else:
                known = [known[0] + usual, known[1] + odd]


def _cut_all(
    source: Source, pieces: Path, size: int, workers: int, texts: bool, progress: Progress | None
) -> list[Told]:
    """Read every piece, and cut those that are not on disk yet."""
    plain = (
        source.tokenized or source.preprocess.tokenizer is not None or source.preprocess.pattern is not None
    )
    threads = 1 if plain else workers  # Python's own functions gain nothing from more
    free: SimpleQueue[tuple[str, Cutter, list[int]]] = SimpleQueue()
    for _ in range(threads):
        free.put((secrets.token_hex(8), _cutter(source, plain), [0, 0]))  # a name that no other run has

    def cut(piece: Piece) -> Told:
        documents = piece.job()
        told = _told(documents.about)
        if not _file(pieces, piece.number).exists():
            name, cutter, known = free.get()  # there are as many as threads: it never waits
            try:
                _write(pieces, piece, documents, told, name, cutter, known, texts)
            finally:
                free.put((name, cutter, known))
        return told

    found: list[Told] = []
    running: deque[Future[Told]] = deque()
    with watched() as watch, ThreadPoolExecutor(threads) as pool:
        try:
            for number, job in enumerate(source.jobs(size)):
                running.append(pool.submit(cut, Piece(number, job)))
                del job  # the thread has it: here, its documents would be in memory for longer
                while len(running) > threads:  # no more at a time than keeps the threads busy
                    found.append(running.popleft().result())
                if progress:
                    progress("reading", *watch.look())
            found += [task.result() for task in running]
            if progress:
                progress("reading", *watch.look())
        finally:
            for task in running:
                task.cancel()
    if not found:
        raise FormatError(source.path, "holds no documents")
    return found


def _cutter(source: Source, plain: bool) -> Cutter:
    if not plain:
        return LetterCutter(lower=source.preprocess.lower)
    return PlainCutter(list if source.tokenized else source.preprocess.words)


def _file(pieces: Path, number: int) -> Path:
    return pieces / f"{number:08}.npz"


def _told(about: About) -> Told:
    """What is told of a piece; its times give way to their places among those that differ."""
    places: dict[Any, int] = {}
    given = (value.item() if isinstance(value, np.generic) else value for value in about.times)
    about.times = [places.setdefault(time, len(places)) for time in given]
    return Told(about.empty, list(places))


def _write(
    pieces: Path,
    piece: Piece,
    documents: Documents,
    told: Told,
    name: str,
    cutter: Cutter,
    known: list[int],
    texts: bool,
) -> None:
    """Cut a piece and write its file, whole or not at all."""
    written, about = documents
    ids, lengths = cutter.encode(written)
    usual, odd = cutter.since(*known)
    named = any(value is not None for value in about.ids)
    content = {
        "about": _packed(
            {
                "cutter": name,
                "first": list(known),
                "new": [len(usual), len(odd)],
                "named": named,
                "labelled": any(value is not None for value in about.labels),
            }
        ),
        "words": _packed([usual, odd]),
        "ids": ids,
        "lengths": lengths,
        "names": _packed([None if is_missing(value) else str(value) for value in about.ids if named]),
        "times": np.array(about.times, np.int32),
        "labels": _packed([as_label(value) for value in about.labels]),
    }
    if texts and isinstance(written, Texts):
        content["text_lengths"] = np.diff(written.bounds)
        content["texts"] = written.data[: written.bounds[-1]]
    new = pieces / f"{piece.number:08}.new"
    with new.open("wb") as file:
        np.savez(file, **content)  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
    new.rename(_file(pieces, piece.number))
    known[:] = known[0] + len(usual), known[1] + len(odd)


def _packed(content: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(content).encode("ascii"), np.uint8)


def _unpacked(file: Path, part: str) -> Any:
    with np.load(file) as content:
        return json.loads(content[part].tobytes())


def _whole(file: Path) -> dict[str, Any] | None:
    """What a piece says of itself, if it is on disk as it was written; a torn one is cut again."""
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.testzip() is not None:
                return None
        about: dict[str, Any] = _unpacked(file, "about")
        usual, odd = _unpacked(file, "words")
        return about if about["new"] == [len(usual), len(odd)] and len(about["first"]) == 2 else None
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError):
        return None


class _Read:
    """The pieces on disk, with one numbering for all."""

    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*.npz"))
        self._about = {file: _unpacked(file, "about") for file in self.files}
        self.named = any(about["named"] for about in self._about.values())
        self.labelled = any(about["labelled"] for about in self._about.values())
        index: dict[str, int] = {}
        self._places: dict[str, Ids] = {}
        for name in sorted({about["cutter"] for about in self._about.values()}):
            usual: list[str] = []
            odd: list[str] = []
            for _, file in sorted(
                (a["first"] + a["new"], f) for f, a in self._about.items() if a["cutter"] == name
            ):
                new = _unpacked(file, "words")
                usual += new[0]
                odd += new[1]
            numbers = [index.setdefault(word, len(index)) for word in usual + odd[::-1]]
            self._places[name] = np.array(numbers, np.int32)
        self.words = list(index)

    def tokens(self, file: Path) -> tuple[Ids, Ints]:
        """The tokens of a piece in the numbering of all, and the lengths of its documents."""
        with np.load(file) as content:
            ids, lengths = content["ids"], content["lengths"]
        return (self._places[self._about[file]["cutter"]][ids] if len(ids) else ids), lengths

    def renumber(self, new: Ids) -> None:
        """Put another numbering in the place of that of all, once for all tokens of a word."""
        self._places = {name: new[places] for name, places in self._places.items()}


def _assemble(
    source: Source,
    pieces: Path,
    told: list[Told],
    folder: Path,
    partitions: int | None,
    progress: Progress | None,
) -> list[str]:
    """Write the corpus that the pieces make to ``folder``; returns its notes."""
    read, choices = _Read(pieces), source.preprocess
    of_time, slice_labels = _slices(source, told)
    empty = sum(piece.empty for piece in told)
    notes = [f"{empty} documents have no text and are kept as empty ones"] if empty else []
    has_ids, has_labels = _ids_are_good(source, read, notes), source.has_labels(read.labelled)
    words, tokens_of = read.words, read.tokens
    final: Ids | None = None
    if not source.tokenized:
        new, words = choices.refine(read.words)
        phrases = choices.phrases(read.words)
        if phrases or (new < 0).any():  # some tokens go

            def tokens_of(file: Path) -> tuple[Ids, Ints]:
                return choices.kept(*read.tokens(file), new, phrases)

        else:
            read.renumber(new)
        if choices.limits:
            final, words = _limited(choices, read.files, words, tokens_of, notes, progress)
    places, vocabulary, said = places_of(words, source.vocabulary)
    final = places if final is None else renumber(final, places)
    notes += said
    if tokens_of == read.tokens:
        read.renumber(final)
        final = None
    writer = Writer(folder)
    for i, file in enumerate(read.files):
        if progress:
            progress("writing", i, len(read.files))
        tokens, lengths = tokens_of(file)
        writer.add(
            tokens if final is None else renumber(tokens, final),
            lengths,
            slice_of=None if of_time is None else of_time[i][_array(file, "times")],
            ids=_unpacked(file, "names") if has_ids else None,
            labels=_unpacked(file, "labels") if has_labels else None,
        )
        with np.load(file) as content:
            if "texts" in content:
                writer.add_encoded("texts", content["texts"], content["text_lengths"])
    tokens, offsets = writer.mapped()
    notes += left_out(source.path) if source.name == "folder" else []
    grouped = is_grouped(tokens, offsets)
    notes += [GROUPED] if grouped else []
    if progress:
        progress("checking", 0, 0)
    writer.finish(
        vocabulary,
        cuts(offsets, partitions or max(1, len(tokens) // PART)),
        ordered=not grouped,
        gaps="kept" if source.tokenized else choices.gaps,
        preprocess="" if source.tokenized else choices.describe(),
        notes=notes,
        slice_labels=None if slice_labels is None else list(slice_labels),
    )
    return notes


def _array(file: Path, part: str) -> NDArray[Any]:
    with np.load(file) as content:
        found: NDArray[Any] = content[part]
    return found


def _slices(source: Source, told: list[Told]) -> tuple[list[Ids] | None, tuple[str, ...] | None]:
    """The slice of each time of each piece, and the labels of slices in order."""
    if not source.fields.get("time"):
        return None, None
    try:
        of_time, labels = order_slices(time for piece in told for time in piece.times)
    except InputError as error:
        raise FormatError(source.path, f"field {source.fields['time']!r} (time=): {error}") from None
    return np.split(of_time, np.cumsum([len(piece.times) for piece in told])[:-1]), labels


def _limited(
    choices: Preprocess,
    files: Sequence[Path],
    words: list[str],
    tokens_of: Callable[[Path], tuple[Ids, Ints]],
    notes: list[str],
    progress: Progress | None,
) -> tuple[Ids, list[str]]:
    """What becomes of each word by the documents that hold it, and the words that stay."""
    from tealeaves._kernels.documents import document_frequency

    held, n_documents = np.zeros(len(words), np.int64), 0
    for i, file in enumerate(files):
        if progress:
            progress("counting documents", i, len(files))
        tokens, lengths = tokens_of(file)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        held += document_frequency(tokens, offsets, len(words))
        n_documents += len(lengths)
    stays = choices.stays(held, n_documents)
    if words and not stays.any():
        notes.append("min_df and max_df leave no word in the vocabulary")
    final = np.where(stays, np.cumsum(stays) - 1, -1).astype(np.int32)
    return final, [word for word, stay in zip(words, stays, strict=True) if stay]


def _ids_are_good(source: Source, read: _Read, notes: list[str]) -> bool:
    """Whether documents have names that tell them apart; if not, names nobody asked for are left out."""
    wanted = source.fields["id"] is not None
    if not wanted and not read.named:
        return False
    try:
        _check_names(read.files)
    except InputError as error:
        if wanted:
            raise FormatError(source.path, str(error)) from None
        notes.append(f"the field 'id' was not used: {error}")
        return False
    return True


def _check_names(files: Sequence[Path]) -> None:
    """Refuse documents without a name, or with that of another; 8 bytes of each are held."""
    hashes, first = [], 0
    for file in files:
        names = _unpacked(file, "names")
        if None in names:
            raise InputError(f"document {first + names.index(None)} (counted from 0) has no id")
        hashes.append(np.fromiter(map(hash, names), np.int64, len(names)))
        first += len(names)
    seen = np.sort(np.concatenate(hashes))
    suspects = set(seen[1:][seen[1:] == seen[:-1]].tolist())
    if suspects:  # 64 bits may agree by chance: look at the names themselves
        check_ids(name for file in files for name in _unpacked(file, "names") if hash(name) in suspects)
