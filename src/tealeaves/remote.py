"""A saved corpus in an object store, by its URL: its words are counted partition by partition, where it lies.

What fsspec opens can hold one: ``s3://``, ``gs://``, ``abfs://``, ``https://``, each with the library that
fsspec wants for it.
"""

import json
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._optional import require
from tealeaves.corpus_store import CORPUS, NAME, Stored, digest_of_part, digest_of_words
from tealeaves.counts import Asked, PairCounts, TokenLists, Unit, added, jobs_of, scan
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import json_digest, read_manifest, write_manifest

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Ints = NDArray[np.int64]
PREAMBLE = 10  # bytes of a .npy file before its header, whose length the last two of them are


@dataclass(frozen=True, eq=False)
class RemoteCorpus:
    """A corpus that stays where it is: it counts what the corpus would count; hand it over as ``reference=``.

    Made by ``tl.load_corpus(url)``. What needs its documents at hand (tokens, texts) is refused: copy the
    folder here for that.
    """

    url: str
    about: dict[str, Any]
    vocabulary: tuple[str, ...]

    def __len__(self) -> int:
        return int(self.about["partitions"][-1])

    def __repr__(self) -> str:
        return f"<RemoteCorpus {self.url}: {len(self):,} documents, {self.n_tokens:,} tokens>"

    @property
    def n_tokens(self) -> int:
        """Tokens, those outside the vocabulary included."""
        return int(self.about["files"]["tokens"]["length"])

    @property
    def stored(self) -> Stored:
        """Where it lies."""
        return Stored(self.url, tuple(self.about["partitions"]), tuple(self.about["tokens"]))

    @property
    def ordered(self) -> bool:
        """Whether tokens are in order."""
        return bool(self.about["ordered"])

    @property
    def gaps(self) -> str:
        """Whether words that were left out left gaps."""
        return str(self.about["gaps"])

    @property
    def preprocess(self) -> str:
        """How texts were cut."""
        return str(self.about["preprocess"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of it."""
        return tuple(self.about["notes"])

    @property
    def fingerprint(self) -> str:
        """That of the corpus."""
        found = self.about["fingerprint"]
        if found is None:
            fix = "open it once where it was added to, ask for .fingerprint, and save it"
            raise InputError(f"{self.url}: documents were added after its fingerprint was taken: {fix}")
        return str(found)

    @cached_property
    def index(self) -> dict[str, int]:
        """The id of each word of the vocabulary."""
        return {word: i for i, word in enumerate(self.vocabulary)}

    @cached_property
    def _counts(self) -> Ints:
        entry = self.about["files"]["counts"]
        found: Ints = _read_array(self.url, entry, 0, entry["length"]).reshape(2, -1)
        return found

    def word_counts(self) -> Ints:
        """How many tokens each word has; shape (V,)."""
        counts: Ints = self._counts[0]
        return counts

    def document_frequency(self) -> Ints:
        """How many documents hold each word; shape (V,)."""
        counts: Ints = self._counts[1]
        return counts

    def mean_frequencies(self) -> NDArray[np.float64]:
        """The sum over documents of two tokens or more of the words' frequencies in them; shape (V,)."""
        total = np.zeros(len(self.vocabulary))
        for number in range(len(self.about["partitions"]) - 1):
            part = open_partition(self.url, number, self.about)
            there = part.tokens >= 0
            documents = np.repeat(np.arange(len(part.offsets) - 1), np.diff(part.offsets))[there]
            lengths = np.bincount(documents, minlength=len(part.offsets) - 1)
            weights = np.where(lengths >= 2, 1 / np.maximum(lengths, 1), 0.0)
            total += np.bincount(part.tokens[there], weights[documents], minlength=len(total))
        return total

    def count_pairs(
        self,
        words: Sequence[str],
        topics: Sequence[Sequence[int]],
        units: Sequence[Unit],
        *,
        blocks: int = 0,
        workers: int | None = None,
    ) -> dict[Unit, PairCounts]:
        """Count as ``tealeaves.counts.count_pairs`` does, with one partition in memory at a time."""
        return self.count_all([Asked(words, topics, units, blocks)], workers=workers)[0]

    def count_all(
        self, asked: Sequence[Asked], *, workers: int | None = None
    ) -> list[dict[Unit, PairCounts]]:
        """Several counts, for which each partition is fetched once."""
        jobs = jobs_of(self, asked)
        found = (
            scan(
                open_partition(self.url, number, self.about),
                jobs,
                workers,
                first=first,
                n_documents=len(self),
            )
            for number, first in enumerate(self.about["partitions"][:-1])
        )
        return [job.counts(counted) for job, counted in zip(jobs, added(found), strict=True)]


def is_url(path: object) -> bool:
    """Whether it names a place that is not a path of this machine.

    >>> is_url("s3://bucket/corpus"), is_url("corpus")
    (True, False)
    """
    return isinstance(path, str) and "://" in path


def open_remote(url: str) -> RemoteCorpus:
    """The corpus at ``url``; only its manifest and its words are read.

    Raises
    ------
    FormatError
        If there is no saved corpus, or a part of it was changed.
    """
    about = _manifest(url)
    words = about["vocabulary"]
    vocabulary = json.loads(_read(url, words["file"]))
    if digest_of_words(vocabulary) != words["digest"]:
        raise FormatError(f"{url}/{words['file']}", "is torn or was changed: its checksum is another")
    return RemoteCorpus(url, about, tuple(vocabulary))


def open_partition(
    url: str, number: int, about: dict[str, Any] | None = None, expected: str | None = None
) -> TokenLists:
    """The tokens of one partition, checked against their checksum, which is ``expected`` if that is known."""
    about = _manifest(url) if about is None else about
    if expected is not None and about["tokens"][number : number + 1] != [expected]:
        raise FormatError(url, "was written anew since it was opened: open it again")
    first, last = about["partitions"][number : number + 2]
    offsets = _read_array(url, about["files"]["offsets"], first, last + 1, np.int64)
    entry = about["files"]["tokens"]
    tokens = _read_array(url, entry, int(offsets[0]), int(offsets[-1]), np.int32)
    if digest_of_part(tokens, offsets) != about["tokens"][number]:
        found = f"is torn or was changed: partition {number} of it, or of its offsets"
        raise FormatError(f"{url}/{entry['file']}", found)
    return TokenLists(tokens, offsets - offsets[0], (), bool(about["ordered"]))


def save_remote(corpus: "Corpus", url: str, partitions: int) -> None:
    """Write ``corpus`` to an object store: under names that nothing has there, and the manifest last.

    Until then a corpus that was there is what it was; its files are taken away afterwards.
    """
    fs, root = _place(url)
    mark = secrets.token_hex(4)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "corpus"
        corpus.save(folder, partitions=partitions)
        about = read_manifest(folder, CORPUS)
        for entry in (*about["files"].values(), about["vocabulary"]):
            stem, ending = entry["file"].split(".")
            here, entry["file"] = folder / entry["file"], f"{stem}.{mark}.{ending}"
            here.rename(folder / entry["file"])
        write_manifest(folder, CORPUS, about)
        fs.makedirs(root, exist_ok=True)
        before = {Path(name).name for name in fs.ls(root, detail=False)} if fs.exists(root) else set()
        for file in sorted(folder.iterdir(), key=lambda file: file.name == CORPUS.manifest):
            fs.put_file(str(file), f"{root}/{file.name}")
        for name in before:
            if NAME.fullmatch(name) and name != CORPUS.manifest:
                fs.rm_file(f"{root}/{name}")


def _place(url: str) -> tuple[Any, str]:
    fsspec = require("fsspec.core", "cluster")
    try:
        fs, root = fsspec.url_to_fs(url)
    except (ImportError, ValueError) as error:  # which library it wants, or that it knows no such protocol
        raise InputError(f"{url}: {error}") from None
    return fs, root.rstrip("/")


def _manifest(url: str) -> dict[str, Any]:
    path = f"{url}/{CORPUS.manifest}"
    content = _read(url, CORPUS.manifest)
    try:
        about = json.loads(content)
    except ValueError:
        about = None
    if not isinstance(about, dict) or about.pop("format", None) != CORPUS.format:
        raise FormatError(path, f"was not written by tealeaves: it does not say {CORPUS.format!r}")
    if (version := about.pop("version", None)) != CORPUS.version:
        raise FormatError(path, f"is of version {version!r}, but this release reads {CORPUS.version}")
    if about.pop("checksum", None) != json_digest(about):
        raise FormatError(path, "is torn or was changed: its checksum is another")
    return about


def _read(url: str, name: str, start: int | None = None, end: int | None = None) -> bytes:
    fs, root = _place(url)
    try:
        found: bytes = fs.cat_file(f"{root}/{name}", start=start, end=end)
    except FileNotFoundError:
        raise FormatError(f"{url}/{name}", "is not there: a corpus saved by tealeaves was expected") from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"{url}/{name}: cannot be read: {str(error).splitlines()[0] if str(error) else error!r}"
        ) from None
    return found


def _read_array(
    url: str, entry: dict[str, Any], first: int, last: int, dtype: type = np.int64
) -> NDArray[Any]:
    """A range of the entries of a ``.npy`` file."""
    size = np.dtype(dtype).itemsize
    header = PREAMBLE + int.from_bytes(_read(url, entry["file"], PREAMBLE - 2, PREAMBLE), "little")
    if first == last:
        return np.zeros(0, dtype)
    content = _read(url, entry["file"], header + size * first, header + size * last)
    if len(content) != size * (last - first):
        raise FormatError(f"{url}/{entry['file']}", "is torn: it ends before its last entry")
    return np.frombuffer(content, np.dtype(dtype).newbyteorder("<")).astype(dtype, copy=False)
