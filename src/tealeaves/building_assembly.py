"""The corpus that pieces make: one numbering for all, words that leave, and the files one after the other."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.building_pieces import Told, unpacked
from tealeaves.corpus_store import Writer, cuts
from tealeaves.encoding import check_ids, order_slices, places_of
from tealeaves.errors import FormatError, InputError
from tealeaves.fingerprints import is_grouped
from tealeaves.preprocess import Preprocess, renumber
from tealeaves.readers.corpora import GROUPED, Source
from tealeaves.readers.corpus_text import left_out

Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
Progress = Callable[[str, int, int], None]
PART = 25_000_000  # tokens, 100 MB, of a partition where no number of them was asked for


class Read:
    """The pieces on disk, with one numbering for all."""

    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*.npz"))
        self._about = {file: unpacked(file, "about") for file in self.files}
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
                new = unpacked(file, "words")
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


def assemble(
    source: Source,
    pieces: Path,
    told: list[Told],
    folder: Path,
    partitions: int | None,
    progress: Progress | None,
) -> list[str]:
    """Write the corpus that the pieces make to ``folder``; returns its notes."""
    read, choices = Read(pieces), source.preprocess
    of_time, slice_labels = _slices(source, told)
    empty = sum(piece.empty for piece in told)
    notes = [f"{empty} documents have no text and are kept as empty ones"] if empty else []
    has_ids, has_labels = _ids_are_good(source, read, notes), source.has_labels(read.labelled)
    tokens_of, final, vocabulary = _numbered(source, read, notes, progress)
    writer = Writer(folder)
    for i, (file, (tokens, lengths)) in enumerate(_ahead(tokens_of, read.files)):
        if progress:
            progress("writing", i, len(read.files))
        writer.add(
            tokens if final is None else renumber(tokens, final),
            lengths,
            slice_of=None if of_time is None else of_time[i][_array(file, "times")],
            ids=unpacked(file, "names") if has_ids else None,
            labels=unpacked(file, "labels") if has_labels else None,
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


def _ahead(made: Callable[[Path], Any], files: Sequence[Path]) -> Iterator[tuple[Path, Any]]:
    """Each file and what is made of it, the next one in a thread while one is in use."""
    with ThreadPoolExecutor(1) as pool:
        coming: deque[tuple[Path, Future[Any]]] = deque()
        for file in files:
            coming.append((file, pool.submit(made, file)))
            if len(coming) > 1:
                ready, task = coming.popleft()
                yield ready, task.result()
        for ready, task in coming:
            yield ready, task.result()


def _numbered(
    source: Source, read: Read, notes: list[str], progress: Progress | None
) -> tuple[Callable[[Path], tuple[Ids, Ints]], Ids | None, tuple[str, ...]]:
    """What reads the tokens of a piece, what they are numbered by after that (if at all), and the words."""
    choices = source.preprocess
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
    return tokens_of, final, vocabulary


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


def _ids_are_good(source: Source, read: Read, notes: list[str]) -> bool:
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
        names = unpacked(file, "names")
        if None in names:
            raise InputError(f"document {first + names.index(None)} (counted from 0) has no id")
        hashes.append(np.fromiter(map(hash, names), np.int64, len(names)))
        first += len(names)
    seen = np.sort(np.concatenate(hashes))
    suspects = set(seen[1:][seen[1:] == seen[:-1]].tolist())
    if suspects:  # 64 bits may agree by chance: look at the names themselves
        check_ids(name for file in files for name in unpacked(file, "names") if hash(name) in suspects)
