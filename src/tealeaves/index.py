"""A positional index of a reference corpus: any topics, any window, later, in milliseconds, without the text.

    index.json            what it is, checksums
    vocabulary.json       the words
    positions.npy         places of tokens in the corpus, word by word, 4 bytes each
    bounds.npy            word i has positions[bounds[i]:bounds[i + 1]]
    offsets.npy           where documents begin
    document_frequency.npy

The folder is mapped into memory when it is opened: only the pages of the words asked for are read.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._watch import tell
from tealeaves.blocks import dealt, n_blocks
from tealeaves.corpus import Corpus
from tealeaves.counting_plan import ngram_parts
from tealeaves.counts import KINDS, Asked, Found, Job, PairCounts, Unit, refuse_without_order
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import (
    Kind,
    check_files,
    file_digest,
    missing,
    read_array,
    read_json,
    read_manifest,
    save_folder,
    write_json,
    write_manifest,
)

if TYPE_CHECKING:
    from tealeaves.distributed import Cluster

Ints = NDArray[np.int64]
Positions = NDArray[np.uint32]
Keys = NDArray[np.uint64]
INDEX = Kind("index", version=1)
MOST_TOKENS = 2**32  # that a position of 4 bytes can tell apart
CHUNK = 1 << 22  # tokens looked at in one step
ARRAYS = ("positions", "bounds", "offsets", "document_frequency")
ABOUT = ("fingerprint", "ordered", "gaps", "preprocess", "notes")


@dataclass(frozen=True, eq=False)
class Index:
    """The places of each word of a corpus of D documents and N tokens: it counts what the corpus would count.

    Made by ``build_index`` or ``load_index``; hand it to ``tl.evaluate`` as ``reference=``.

    Attributes
    ----------
    vocabulary : tuple of V str
        The words.
    positions : uint32 array
        The places of the words' tokens in the corpus: those of word i, ascending, are
        ``positions[bounds[i]:bounds[i + 1]]``.
    bounds : int64 array of shape (V + 1,)
    offsets : int64 array of shape (D + 1,)
        Document d begins at ``offsets[d]``.
    fingerprint, ordered, gaps, preprocess, notes
        Those of the corpus.
    """

    vocabulary: tuple[str, ...]
    positions: Positions
    bounds: Ints
    offsets: Ints
    frequency: Ints
    fingerprint: str
    ordered: bool = True
    gaps: str = "kept"
    preprocess: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Index: {len(self):,} documents, {self.n_tokens:,} tokens, {len(self.vocabulary):,} words>"

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus, those outside the vocabulary included."""
        return int(self.offsets[-1])

    @cached_property
    def index(self) -> dict[str, int]:
        """The id of each word of the vocabulary."""
        return {word: i for i, word in enumerate(self.vocabulary)}

    def word_counts(self) -> Ints:
        """How many tokens each word has; shape (V,)."""
        return np.diff(self.bounds)

    def document_frequency(self) -> Ints:
        """How many documents hold each word; shape (V,)."""
        return self.frequency

    def mean_frequencies(self) -> NDArray[np.float64]:
        """The sum over documents of two tokens or more of the words' frequencies in them; shape (V,)."""
        lengths = np.zeros(len(self), np.int64)
        for _, _, documents in self._runs():
            lengths += np.bincount(documents, minlength=len(self))
        weights = np.where(lengths >= 2, 1 / np.maximum(lengths, 1), 0.0)
        total = np.zeros(len(self.vocabulary))
        for first, last, documents in self._runs():
            words = np.searchsorted(self.bounds, np.arange(first, last), side="right") - 1
            total += np.bincount(words, weights[documents], minlength=len(total))
        return total

    def _runs(self) -> Iterator[tuple[int, int, Ints]]:
        """The documents of all positions, a run of them at a time."""
        for first in range(0, len(self.positions), CHUNK):
            last = min(first + CHUNK, len(self.positions))
            yield first, last, np.searchsorted(self.offsets, self.positions[first:last], side="right") - 1

    def places(self, word: str) -> Positions:
        """Where a word begins in the corpus, ascending; an n-gram is one of adjacent tokens of a document.

        Examples
        --------
        >>> index = build_index(Corpus.from_tokens([["oil", "gas", "oil"], ["gas"]]))
        >>> index.places("oil").tolist(), index.places("gas oil").tolist(), index.places("tin").tolist()
        ([0, 2], [1], [])
        """
        if word in self.index:
            return self._places(self.index[word])
        parts = ngram_parts(word, self.index)
        if not parts:
            return np.empty(0, np.uint32)
        found = self._places(parts[0]).astype(np.int64)
        for step, part in enumerate(parts[1:], start=1):
            found = np.intersect1d(found, self._places(part).astype(np.int64) - step, assume_unique=True)
        ends = self.offsets[np.searchsorted(self.offsets, found, side="right")]
        return found[found + len(parts) <= ends].astype(np.uint32)

    def _places(self, word: int) -> Positions:
        return self.positions[self.bounds[word] : self.bounds[word + 1]]

    def count_pairs(
        self,
        words: Sequence[str],
        topics: Sequence[Sequence[int]],
        units: Sequence[Unit],
        *,
        blocks: int = 0,
        workers: int | None = None,
    ) -> dict[Unit, PairCounts]:
        """Count as ``tealeaves.counts.count_pairs`` does, with the same numbers, from the words' places.

        Parameters
        ----------
        words, topics, units, blocks
            As there.
        workers : int, optional
            Accepted for the sake of the same call; the counting of few topics is done before a thread starts.

        Raises
        ------
        InputError
            If windows are asked of a corpus that has no order of tokens.
        """
        return self._counted(Asked(words, topics, units, blocks))

    def count_all(
        self, asked: Sequence[Asked], *, workers: int | None = None
    ) -> list[dict[Unit, PairCounts]]:
        """Several counts."""
        return [self._counted(one) for one in asked]

    def _counted(self, asked: Asked) -> dict[Unit, PairCounts]:
        from tealeaves._kernels.cooccurrence import count_occurrences

        words, _, units, blocks = asked
        refuse_without_order(self.ordered, units)
        needed = {self.index[word] for word in words if word in self.index}
        for word in words:
            if word not in self.index:
                needed.update(ngram_parts(word, self.index))
        ids = {self.vocabulary[i]: local for local, i in enumerate(sorted(needed))}  # far fewer than V
        job = Job.of(asked, ids)
        plan, n_parts = job.plan, n_blocks(len(self), blocks) if blocks else 1
        n = np.zeros((n_parts, len(units)), dtype=np.int64)
        sizes = np.array([unit.size for unit in units], dtype=np.int64)
        kinds = np.array([KINDS[u.kind, u.fault] for u in units], dtype=np.int64)
        single = np.zeros((n_parts, len(units), plan.n_words), dtype=np.int64)
        joint = np.zeros((n_parts, len(units), plan.n_cells), dtype=np.int64)
        # at one place the plain words come first and then the n-grams, as a pass over the tokens meets them
        found = [(i, self.places(words[i])) for i in plan.local[plan.local >= 0]]
        found += [(i, self.places(words[i])) for i in plan.ngram_local]
        word_of = np.array([i for i, _ in found], dtype=np.int64)
        for first, last in _runs_of_documents(self.offsets):
            offsets, part_of = self.offsets[first : last + 1], dealt(len(self), blocks, first, last)
            for u, unit in enumerate(units):
                n[:, u] += _units(unit, offsets, part_of, n_parts)
            keys = _merged([places for _, places in found], offsets[0], offsets[-1])
            if len(keys):
                count_occurrences(
                    keys, word_of, part_of, offsets, plan.per_token, plan.ngram_local.size > 0,
                    plan.topics, sizes, kinds, single, joint,
                )  # fmt: skip
        return job.counts(Found(n, single, joint))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to the folder ``path``; one saved there before gives way once this one is whole.

        Raises
        ------
        InputError
            If ``path`` is something else than a saved index.
        """
        save_folder(Path(path), INDEX, self._write)

    def _write(self, folder: Path) -> None:
        np.save(folder / "positions.npy", self.positions)
        np.save(folder / "bounds.npy", self.bounds)
        np.save(folder / "offsets.npy", self.offsets)
        np.save(folder / "document_frequency.npy", self.frequency)
        write_json(folder / "vocabulary.json", self.vocabulary)
        about = {name: getattr(self, name) for name in ABOUT}
        about["files"] = {file.name: file_digest(file) for file in sorted(folder.iterdir())}
        write_manifest(folder, INDEX, about)


def build_index(
    corpus: Corpus, vocabulary: Sequence[str] | None = None, *, cluster: "str | Cluster | None" = None
) -> Index:
    """Index the places of the words of a corpus, to be asked again and again without it.

    It takes 4 bytes a token. One topic is counted from it in milliseconds, whatever the corpus' size; a pass
    over the corpus itself is faster from some fifteen topics.

    Parameters
    ----------
    corpus : Corpus
        The reference.
    vocabulary : sequence of str, optional
        Index only these words, and those that n-grams among them are made of: the index is that of the
        corpus with all other tokens outside the vocabulary, and so is its fingerprint.
    cluster : str, optional
        Sort the places of each partition on Dask, as `tealeaves.evaluate` counts.

    Raises
    ------
    InputError
        If the corpus has more tokens than 4 bytes can count, or ``vocabulary`` has no word of it.

    Examples
    --------
    >>> import tealeaves as tl
    >>> corpus = tl.Corpus.from_tokens([["oil", "gas"]] * 5 + [["tax", "law"]] * 5)
    >>> index = tl.build_index(corpus)
    >>> model = tl.TopicModel.from_words([["oil", "gas"], ["tax", "gas"]])
    >>> tl.evaluate(model, reference=index, measures="npmi@2", ci=None).topics("npmi@2")
    array([ 1., -1.])
    """
    if corpus.n_tokens > MOST_TOKENS:
        raise InputError(
            f"an index holds at most {MOST_TOKENS:,} tokens, but this corpus has {corpus.n_tokens:,}: "
            "count in the corpus itself, or index a sample of its documents"
        )
    if vocabulary is not None:
        corpus = _restricted(corpus, vocabulary)
    bounds = np.concatenate([[0], np.cumsum(corpus.word_counts())]).astype(np.int64)
    details = {name: getattr(corpus, name) for name in ABOUT}
    positions = _postings(corpus.tokens, bounds) if cluster is None else _gathered(corpus, bounds, cluster)
    return Index(corpus.vocabulary, positions, bounds, corpus.offsets, corpus.document_frequency(), **details)


def _postings(tokens: NDArray[np.int32], bounds: Ints) -> Positions:
    """The positions of each word, word by word: a counting sort."""
    from tealeaves._kernels.cooccurrence import postings

    place, positions = bounds[:-1].copy(), np.empty(bounds[-1], np.uint32)
    for first in range(0, len(tokens), CHUNK):
        postings(tokens[first : first + CHUNK], first, place, positions)
        tell(min(first + CHUNK, len(tokens)), len(tokens))
    return positions


def _gathered(corpus: Corpus, bounds: Ints, cluster: "str | Cluster") -> Positions:
    """The places that workers found in their parts, put together: those of a word stand in order of parts."""
    from tealeaves.distributed import connect, in_order

    with connect(cluster) as connected:
        if connected is None:
            return _postings(corpus.tokens, bounds)
        parts = connected.parts_of(corpus)
        found = in_order(connected.map(postings_of, parts, len(corpus.vocabulary)))
    positions = np.empty(int(bounds[-1]), np.uint32)
    start = bounds[:-1].copy()  # where the next place of each word goes
    for part, (places, counts) in zip(parts, found, strict=True):
        shift = start - np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        positions[np.arange(len(places)) + np.repeat(shift, counts)] = places + corpus.offsets[part.first]
        start += counts
    return positions


def postings_of(part: Any, n_words: int) -> tuple[Positions, Ints]:
    """The places of a part's words, word by word, from its first token on, and how many each word has."""
    tokens = part.open().tokens
    counts = np.bincount(tokens[tokens >= 0], minlength=n_words).astype(np.int64)
    return _postings(tokens, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)), counts


def load_index(path: str | os.PathLike[str], *, verify: bool = True) -> Index:
    """The index that was saved in the folder ``path``, mapped into memory.

    Parameters
    ----------
    path : path
        The folder.
    verify : bool
        Check the files against their checksums, which reads them once.

    Raises
    ------
    FormatError
        If the folder is no saved index, or a part of it is missing, torn or changed.
    """
    folder = Path(path)
    if not folder.exists():
        raise missing(folder)
    about = read_manifest(folder, INDEX)
    try:
        check_files(folder, about["files"], verify=verify)
        words = tuple(read_json(folder / "vocabulary.json"))
        positions, bounds, offsets, frequency = (read_array(folder / f"{name}.npy") for name in ARRAYS)
        if len(bounds) != len(words) + 1 or bounds[-1] != len(positions) or len(frequency) != len(words):
            raise FormatError(folder, "is no whole index: its parts do not belong together")
        details = {name: about[name] for name in ABOUT} | {"notes": tuple(about["notes"])}
    except (KeyError, TypeError, IndexError) as error:
        raise FormatError(folder / INDEX.manifest, f"lacks a part that was expected: {error}") from None
    return Index(words, positions, bounds, offsets, frequency, **details)


def _restricted(corpus: Corpus, vocabulary: Sequence[str]) -> Corpus:
    """The corpus with all but these words outside the vocabulary."""
    if isinstance(vocabulary, str):
        raise InputError(f"vocabulary must be a list of words, but is one text, {vocabulary[:40]!r}")
    kept: set[int] = set()
    unknown = []
    for word in dict.fromkeys(vocabulary):
        parts = [corpus.index[word]] if word in corpus.index else ngram_parts(word, corpus.index)
        kept.update(parts)
        if not parts:
            unknown.append(word)
    if not kept:
        raise InputError(f"none of the {len(unknown)} words to index is in the corpus, such as {unknown[:3]}")
    ids = np.array(sorted(kept))
    renumbered = np.full(len(corpus.vocabulary) + 1, -1, dtype=np.int32)  # the last is where -1 points
    renumbered[ids] = np.arange(len(ids))
    notes = corpus.notes
    if unknown:
        more = " …" if len(unknown) > 5 else ""
        notes += (f"words to index that are not in the corpus: {', '.join(unknown[:5])}{more}",)
    words = tuple(corpus.vocabulary[i] for i in ids)
    return replace(corpus, vocabulary=words, tokens=renumbered[corpus.tokens], notes=notes)


def _units(unit: Unit, offsets: Ints, part_of: NDArray[np.int32], n_parts: int) -> Ints:
    """How many units each part of some documents has: those without a word of interest have some, too."""
    lengths, size = np.diff(offsets), unit.size
    if unit.kind == "context":
        each = lengths - size + 1
        each = each if unit.fault == "palmetto" else np.maximum(each, 0)
    elif size:
        each = np.maximum(lengths - size + 1, 1)
    else:
        each = np.ones_like(lengths)
    if n_parts == 1:
        return np.array([each.sum()])
    return np.bincount(part_of, each, minlength=n_parts).astype(np.int64)  # exact below 2**53


def _runs_of_documents(offsets: Ints) -> Iterator[tuple[int, int]]:
    """Runs of documents of about so many tokens that their occurrences fit the memory of any machine."""
    n_documents, first = len(offsets) - 1, 0
    while first < n_documents:
        last = int(np.searchsorted(offsets, offsets[first] + 16 * CHUNK, side="right")) - 1
        last = min(max(last, first + 1), n_documents)
        yield first, last
        first = last


def _merged(lists: Sequence[Positions], begin: int, end: int) -> Keys:
    """Ascending places of several words between two places: the place, then the list, in 32 bits each."""
    parts = []
    for i, places in enumerate(lists):
        low, high = np.searchsorted(places, [begin, end])
        parts.append((places[low:high].astype(np.uint64) << np.uint64(32)) | np.uint64(i))
    keys = np.concatenate(parts) if parts else np.empty(0, np.uint64)
    keys.sort()
    return keys
