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
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tealeaves import __version__
from tealeaves._watch import watched
from tealeaves.building_assembly import PART, Progress, assemble
from tealeaves.building_pieces import (
    Cutter,
    LetterCutter,
    Piece,
    PlainCutter,
    Told,
    file_of,
    let_go_of_torn,
    tell_of,
    write_piece,
)
from tealeaves.corpus import Corpus
from tealeaves.corpus_store import CORPUS, check_partitions
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import save_folder
from tealeaves.growing import exclusive
from tealeaves.preprocess import Preprocess
from tealeaves.readers.corpora import Source, look

BASE = 400 << 20  # bytes that Python, its libraries and compiled kernels take before the first text
PER_BYTE = 10  # bytes that one of a piece's texts takes until its file is written, in each thread
SMALLEST, LARGEST = 1 << 16, 16 << 20  # bytes of texts in a piece: larger ones are no faster
SLOWEST = 1 << 20  # bytes of a piece that Python's own functions cut: a second's work, so that a bar moves
FORMAT = "tealeaves pieces 1"
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]i?B?|B)", re.IGNORECASE)
UNITS = {"B": 1} | {f"{u}{end}": 1024**n for n, u in enumerate("KMGT", 1) for end in ("", "B", "IB")}


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
    size = min(size, LARGEST, SLOWEST if _plain(source) else LARGEST)
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
                lambda folder: notes.extend(assemble(source, pieces, found, folder, partitions, progress)),
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
    files = [source.path] if source.path.is_file() else source.path.rglob("*")
    state = sorted(
        (str(file.absolute()), file.stat().st_size, file.stat().st_mtime_ns)
        for file in files
        if file.is_file()
    )
    cutting = [__version__, sys.version, _code(source.preprocess.tokenizer)]
    said = [FORMAT, source.describe(), size, texts, cutting, state]
    job = hashlib.sha256(json.dumps(said, default=str).encode("utf-8", "surrogatepass")).hexdigest()
    mark = pieces / "job"
    if mark.is_file() and mark.read_text("ascii", "replace") == job:
        let_go_of_torn(pieces)
        return
    for file in pieces.iterdir():
        file.unlink()
    mark.write_text(job, "ascii")


def _code(function: Any) -> list[str]:
    """What a function of Python does: pieces cut by what it was before it was edited are of no use."""
    code = getattr(function, "__code__", None)
    return [] if code is None else [code.co_code.hex(), repr(code.co_names), repr(code.co_consts)]


def _cut_all(
    source: Source, pieces: Path, size: int, workers: int, texts: bool, progress: Progress | None
) -> list[Told]:
    """Read every piece, and cut those that are not on disk yet."""
    plain = _plain(source)
    threads = 1 if plain else workers  # Python's own functions gain nothing from more
    free: SimpleQueue[tuple[str, Cutter, list[int]]] = SimpleQueue()
    for _ in range(threads):
        free.put((secrets.token_hex(8), _cutter(source, plain), [0, 0]))  # a name that no other run has

    def cut(piece: Piece) -> Told:
        documents = piece.job()
        told = tell_of(documents.about)
        if not file_of(pieces, piece.number).exists():
            name, cutter, known = free.get()  # there are as many as threads: it never waits
            try:
                write_piece(pieces, piece, documents, told, name, cutter, known, texts)
            finally:
                free.put((name, cutter, known))
        return told

    found: list[Told] = []
    running: deque[tuple[Future[Told], int]] = deque()  # and how far the file was read for it
    with watched() as watch, ThreadPoolExecutor(threads) as pool:

        def finish() -> None:
            """Wait for the oldest piece: what is cut is done, not what was read ahead."""
            task, read = running[0]
            found.append(task.result())
            running.popleft()
            if progress:
                progress("reading", read, watch.look()[1])

        try:
            for number, job in enumerate(source.jobs(size)):
                running.append((pool.submit(cut, Piece(number, job)), watch.look()[0]))
                del job  # the thread has it: here, its documents would be in memory for longer
                while len(running) > threads:  # no more at a time than keeps the threads busy
                    finish()
            while running:
                finish()
            if progress:
                progress("reading", *watch.look())
        finally:
            for task, _ in running:
                task.cancel()
    if not found:
        raise FormatError(source.path, "holds no documents")
    return found


def _plain(source: Source) -> bool:
    """Whether a function of Python cuts the texts."""
    return (
        source.tokenized or source.preprocess.tokenizer is not None or source.preprocess.pattern is not None
    )


def _cutter(source: Source, plain: bool) -> Cutter:
    if not plain:
        return LetterCutter(lower=source.preprocess.lower)
    return PlainCutter(list if source.tokenized else source.preprocess.words)
