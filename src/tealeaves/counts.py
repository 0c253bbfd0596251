"""Counts of words and pairs of words by document or by window: made in one pass, and they add up."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.blocks import dealt, n_blocks
from tealeaves.counting_plan import Plan, plan_of
from tealeaves.errors import InputError, MissingInput

Ints = NDArray[np.int64]
Progress = Callable[[int, int], None]
DOCUMENTS = 1 << 18  # looked at in one step, at most
TOKENS = 1 << 25  # the same, unless one document has more


class Source(Protocol):
    """What can be counted: a ``Corpus``, or a partition of one."""

    @property
    def tokens(self) -> NDArray[np.int32]: ...
    @property
    def offsets(self) -> Ints: ...
    @property
    def vocabulary(self) -> Sequence[str]: ...
    @property
    def ordered(self) -> bool: ...


@dataclass(frozen=True)
class Unit:
    """What a word is counted in: ``document``, ``window:w`` or ``context:w``.

    ``fault`` counts as another tool does: "gensim" loses a word that occurs twice in a window when its
    first copy leaves; "palmetto" lets documents shorter than a context lower the number of contexts.
    """

    kind: str = "document"
    size: int = 0
    fault: str = ""

    def __str__(self) -> str:
        return self.kind + (f":{self.size}" if self.size else "") + (f":{self.fault}" if self.fault else "")

    @property
    def ordered(self) -> bool:
        """Whether counting by it needs the order of tokens."""
        return self.kind != "document"


DOCUMENT = Unit()


KINDS = {
    ("document", ""): 0,
    ("window", ""): 0,
    ("window", "gensim"): 1,
    ("context", ""): 2,
    ("context", "palmetto"): 3,
}


def window_unit(window: int | None, fault: str = "") -> Unit:
    """The unit of ``window=w``; None is the whole document."""
    return DOCUMENT if window is None else Unit("window", window, fault)


@dataclass(frozen=True, eq=False)
class PairCounts:
    """In how many units each of M words is, and each of P pairs of them: no words × words matrix.

    Attributes
    ----------
    unit : str
        ``"document"``, ``"window:10"``, ``"context:5"`` …
    n_units : int array of shape (...)
        How many units there are, also those without any of the words.
    singles : int array of shape (..., M)
        Units that hold a word.
    keys : int array of shape (P,)
        The pairs (a, b), a < b, as ``a * M + b``, ascending.
    joints : int array of shape (..., P)
        Units that hold both words of a pair. Leading axes, if any, are resamples.
    """

    unit: str
    n_units: Ints
    singles: Ints
    keys: Ints
    joints: Ints

    @classmethod
    def from_matrix(cls, unit: str, n_units: int, joint: ArrayLike) -> "PairCounts":
        """From a symmetric (M, M) matrix of joint counts whose diagonal counts the words."""
        matrix = np.asarray(joint, dtype=np.int64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or (matrix != matrix.T).any():
            raise InputError(
                f"joint counts must be a symmetric matrix, words × words; got shape {matrix.shape}"
            )
        a, b = np.triu_indices(len(matrix), k=1)
        return cls(unit, np.int64(n_units), matrix.diagonal(), a * len(matrix) + b, matrix[a, b])  # type: ignore[arg-type]

    def single(self, words: ArrayLike) -> Ints:
        """Units that hold each word, of shape (..., *words.shape); 0 for -1."""
        words = np.asarray(words)
        if not self.singles.shape[-1]:  # topics without any word: there is only padding
            return np.zeros((*self.singles.shape[:-1], *words.shape), np.int64)
        there = words >= 0
        found = self.singles[..., np.where(there, words, 0)]
        return found if there.all() else np.where(there, found, 0)

    def joint(self, first: ArrayLike, second: ArrayLike) -> Ints:
        """Units that hold both words, of shape (..., *first.shape); 0 where one is -1.

        Raises
        ------
        InputError
            If a pair was not counted: 0 would be a wrong number.
        """
        first, second = np.broadcast_arrays(np.asarray(first), np.asarray(second))
        n_words = self.singles.shape[-1]
        missing, same = (first < 0) | (second < 0), first == second
        keys = np.minimum(first, second).astype(np.int64) * n_words + np.maximum(first, second)
        place = np.searchsorted(self.keys, keys)
        known = np.zeros(keys.shape, bool)
        inside = place < len(self.keys)
        known[inside] = self.keys[place[inside]] == keys[inside]
        if not (known | missing | same).all():
            a, b = (int(x[~(known | missing | same)][0]) for x in (first, second))
            raise InputError(
                f"the pair of words {a} and {b} was not counted; count the topics that hold it first"
            )
        place = np.where(known, place, 0)
        pairs = (
            self.joints[..., place]
            if len(self.keys)
            else np.zeros((*self.joints.shape[:-1], *place.shape), np.int64)
        )
        if (same & ~missing).any():
            pairs = np.where(same, self.single(first), pairs)
        return np.where(missing, 0, pairs) if missing.any() else pairs

    def __add__(self, other: "PairCounts") -> "PairCounts":
        if self.unit != other.unit or not np.array_equal(self.keys, other.keys):
            raise InputError(
                f"only counts of the same pairs by the same unit add up; got {self.unit!r} and {other.unit!r}"
            )
        joints, singles = self.joints + other.joints, self.singles + other.singles
        return PairCounts(self.unit, self.n_units + other.n_units, singles, self.keys, joints)

    def resampled(self, weights: NDArray[np.int64]) -> "PairCounts":
        """Counts of blocks (B, …) added up with (R, B) weights: how often each block was drawn."""
        # float64 multiplies by BLAS, and is exact for counts below 2**53
        w = weights.astype(np.float64)
        n, singles, joints = ((w @ x.astype(np.float64)) for x in (self.n_units, self.singles, self.joints))
        return PairCounts(self.unit, n, singles, self.keys, joints)  # type: ignore[arg-type]

    def total(self) -> "PairCounts":
        """Blocks added up: the counts of the whole corpus."""
        return PairCounts(self.unit, self.n_units.sum(0), self.singles.sum(0), self.keys, self.joints.sum(0))

    def restricted(self, top_words: NDArray[np.int32]) -> tuple["PairCounts", NDArray[np.int32]]:
        """Only what these topics need, with their words renumbered: a bootstrap by chunks of topics."""
        words = np.unique(top_words[top_words >= 0])
        local = np.searchsorted(words, top_words) if len(words) else np.zeros_like(top_words)
        local = np.where(top_words >= 0, local, -1).astype(np.int32)
        pairs = _pairs_of(local, len(words))
        n_words = self.singles.shape[-1]
        a, b = np.divmod(pairs, max(len(words), 1))
        place = np.searchsorted(self.keys, words[a] * np.int64(n_words) + words[b])
        return PairCounts(
            self.unit, self.n_units, self.singles[..., words], pairs, self.joints[..., place]
        ), local


def _pairs_of(top_words: NDArray[np.int32], n_words: int) -> Ints:
    """The keys of all pairs of words that share a topic, ascending."""
    i, j = np.triu_indices(top_words.shape[1], k=1)
    a, b = top_words[:, i].ravel().astype(np.int64), top_words[:, j].ravel().astype(np.int64)
    given = (a >= 0) & (b >= 0) & (a != b)
    return np.unique(np.minimum(a, b)[given] * n_words + np.maximum(a, b)[given])


class Asked(NamedTuple):
    """What is to be counted: words, the topics whose pairs are, what in, and in how many blocks (0: none)."""

    words: Sequence[str]
    topics: Sequence[Sequence[int]]
    units: Sequence[Unit]
    blocks: int = 0


class Found(NamedTuple):
    """What a pass counted: units (parts, U), words (parts, U, M) and cells of pairs (parts, U, C)."""

    n: Ints
    single: Ints
    joint: Ints


@dataclass(frozen=True)
class Job:
    """What a pass counts, made ready; it can be sent to another process."""

    plan: Plan
    units: tuple[Unit, ...]
    blocks: int

    @classmethod
    def of(cls, asked: Asked, index: Mapping[str, int]) -> "Job":
        """To be counted in a corpus whose words have these ids."""
        return cls(plan_of(index, asked.words, asked.topics), tuple(asked.units), asked.blocks)

    def counts(self, found: Found) -> dict[Unit, PairCounts]:
        """What a pass found, as the counts of each unit."""
        result = {}
        for u, unit in enumerate(self.units):
            joint = found.joint[:, u][:, self.plan.cell_of_key]
            counts = PairCounts(str(unit), found.n[:, u], found.single[:, u], self.plan.keys, joint)
            result[unit] = counts if self.blocks else counts.total()
        return result


def count_pairs(
    source: Source,
    words: Sequence[str],
    topics: Sequence[Sequence[int]],
    units: Sequence[Unit],
    *,
    blocks: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[Unit, PairCounts]:
    """Count words and the pairs that share a topic, by all units, in one pass over the tokens.

    Parameters
    ----------
    source : Corpus
        The reference corpus.
    words : sequence of M str
        The words of interest; one that is not in the vocabulary is matched as an n-gram of adjacent
        tokens, split at blanks or underscores, or counts as absent.
    topics : sequence of sequences of int
        Ids into ``words``; the pairs inside a topic are counted.
    units : sequence of Unit
        What to count in.
    blocks : int
        With B > 0 the counts have a leading axis of B blocks of whole documents, for a bootstrap.
    workers : int, optional
        Threads; the counts are the same on any number.

    Raises
    ------
    InputError
        If windows are asked of a corpus that has no order of tokens.
    """
    asked = [Asked(words, topics, units, blocks)]
    return count_all(source, asked, workers=workers, progress=progress)[0]


def count_all(
    source: Source, asked: Sequence[Asked], *, workers: int | None = None, progress: Progress | None = None
) -> list[dict[Unit, PairCounts]]:
    """Several counts in one pass over the tokens; see `count_pairs`."""
    jobs = jobs_of(source, asked)
    return [job.counts(found) for job, found in zip(jobs, scan(source, jobs, workers, progress), strict=True)]


def jobs_of(source: Any, asked: Sequence[Asked]) -> list[Job]:
    """What is to be counted in a corpus, made ready.

    Raises
    ------
    InputError
        If windows are asked of a corpus that has no order of tokens.
    """
    for one in asked:
        refuse_without_order(source.ordered, one.units)
    index = getattr(source, "index", None) or {word: i for i, word in enumerate(source.vocabulary)}
    return [Job.of(one, index) for one in asked]


def scan(
    source: Source,
    jobs: Sequence[Job],
    workers: int | None = None,
    progress: Progress | None = None,
    *,
    first: int = 0,
    n_documents: int | None = None,
) -> list[Found]:
    """One pass over the tokens, some documents at a time: what each job finds, by block if it has blocks.

    ``source`` may be a part of a corpus of ``n_documents``, from document ``first`` on.
    """
    offsets = np.ascontiguousarray(source.offsets, dtype=np.int64)
    threads = max(1, workers or os.cpu_count() or 1)
    whole = len(offsets) - 1 if n_documents is None else n_documents
    tallies = [_Tally(source, offsets, job, threads, first, whole) for job in jobs]
    with ThreadPoolExecutor(threads) as pool:  # which starts no thread before there is work
        for begin, end in _runs(offsets, len(source.tokens)):
            works = [work for tally in tallies for work in tally.works(begin, end)]
            if threads == 1:
                for work in works:
                    work()
            else:
                list(pool.map(lambda work: work(), works))
            if progress:
                progress(end, len(offsets) - 1)
    return [tally.found() for tally in tallies]


class _Tally:
    """The counts of one job while a pass goes on; each thread adds to parts of its own."""

    def __init__(
        self, source: Source, offsets: Ints, job: Job, threads: int, first: int, n_documents: int
    ) -> None:
        self.tokens = np.ascontiguousarray(source.tokens, dtype=np.int32)
        self.offsets, self.job, self.threads = offsets, job, threads
        self.first, self.n_documents = first, n_documents
        units, plan = job.units, job.plan
        parts = n_blocks(n_documents, job.blocks) if job.blocks else threads
        self.n = np.zeros((parts, len(units)), dtype=np.int64)
        self.single = np.zeros((parts, len(units), plan.n_words), dtype=np.int64)
        self.joint = np.zeros((parts, len(units), plan.n_cells), dtype=np.int64)
        self.sizes = np.array([unit.size for unit in units], dtype=np.int64)
        self.kinds = np.array([KINDS[unit.kind, unit.fault] for unit in units], dtype=np.int64)

    def works(self, begin: int, end: int) -> list[Callable[[], None]]:
        """What the threads have to do for the documents from ``begin`` to before ``end``."""
        documents = np.arange(begin, end)
        capacity = int(np.diff(self.offsets[begin : end + 1]).max()) * self.job.plan.per_token + 1
        if self.job.blocks:
            block_of = dealt(self.n_documents, self.job.blocks, self.first + begin, self.first + end)
            documents = documents[np.argsort(block_of, kind="stable")]
            bounds = np.concatenate([[0], np.cumsum(np.bincount(block_of, minlength=len(self.n)))])
        else:  # about as many tokens each
            inner = np.linspace(self.offsets[begin], self.offsets[end], self.threads + 1)[1:-1]
            bounds = np.concatenate(
                [[0], np.searchsorted(self.offsets[begin : end + 1], inner), [end - begin]]
            )
        parts = [thread * len(self.n) // self.threads for thread in range(self.threads + 1)]
        return [
            partial(self._add, documents, bounds.astype(np.int64), a, b, capacity)
            for a, b in pairwise(parts)
            if bounds[a] < bounds[b]
        ]

    def _add(self, documents: Ints, bounds: Ints, a: int, b: int, capacity: int) -> None:
        from tealeaves._kernels.cooccurrence import count_tokens

        plan = self.job.plan
        count_tokens(
            self.tokens, self.offsets, documents, bounds[a : b + 1], plan.local, plan.ngram_bounds,
            plan.ngram_words, plan.ngram_sizes, plan.ngram_local, plan.topics, self.sizes, self.kinds,
            capacity, self.n[a:b], self.single[a:b], self.joint[a:b],
        )  # fmt: skip

    def found(self) -> Found:
        """The counts, by block; without blocks they are added up to one."""
        if self.job.blocks or len(self.n) == 1:
            return Found(self.n, self.single, self.joint)
        return Found(*(counts.sum(axis=0)[None] for counts in (self.n, self.single, self.joint)))


def added(found: Iterable[Sequence[Found]]) -> list[Found]:
    """What several parts of a corpus counted for each job, added up; only two of them are held at a time."""
    parts = iter(found)
    total = [Found(*(np.array(counts) for counts in of_job)) for of_job in next(parts)]
    for more in parts:
        for mine, theirs in zip(total, more, strict=True):
            for sums, counts in zip(mine, theirs, strict=True):
                sums += counts
    return total


def refuse_without_order(ordered: bool, units: Sequence[Unit]) -> None:
    """Windows of bags of words would be windows of nothing."""
    asked = [unit for unit in units if unit.ordered]
    if asked and not ordered:
        raise MissingInput(
            f"counting by {asked[0]} needs the order of tokens, but this corpus was made from a "
            "document-term matrix; use window=None, or hand the corpus over as tokens or texts"
        )


def _runs(offsets: Ints, n_tokens: int) -> Iterator[tuple[int, int]]:
    """Runs of neighbouring documents that are looked at in one step: no list is as long as the corpus."""
    first, n_documents = 0, len(offsets) - 1
    while first < n_documents:
        some = offsets[first : first + DOCUMENTS + 1]
        last = first + max(int(np.searchsorted(some, some[0] + TOKENS, side="right")) - 1, 1)
        if some[0] < 0 or offsets[last] > n_tokens or (np.diff(offsets[first : last + 1]) < 0).any():
            raise InputError(
                "the corpus is torn: documents begin where no tokens are; see `tealeaves corpus verify`"
            )
        yield first, last
        first = last


@dataclass(frozen=True, eq=False)
class TokenLists:
    """Documents given as lists of word ids: the least that can be counted."""

    tokens: NDArray[np.int32]
    offsets: Ints
    vocabulary: Sequence[str]
    ordered: bool = True


def _from_lists(documents: Sequence[Sequence[int]], n_words: int) -> TokenLists:
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])]).astype(np.int64)
    tokens = np.array([w for d in documents for w in d], dtype=np.int32)
    if len(tokens) and not -1 <= tokens.min() <= tokens.max() < n_words:
        raise InputError(f"word ids must be -1 to {n_words - 1}; got {tokens.min()} to {tokens.max()}")
    return TokenLists(tokens, offsets, [str(i) for i in range(n_words)])


def count_documents(documents: Sequence[Sequence[int]], n_words: int) -> PairCounts:
    """Counts by document of all pairs of ``n_words`` words, from lists of word ids (-1: outside)."""
    return count_windows(documents, n_words, None)


def count_windows(documents: Sequence[Sequence[int]], n_words: int, window: int | None) -> PairCounts:
    """Counts by boolean sliding window of all pairs of ``n_words`` words, from lists of word ids."""
    source, unit = _from_lists(documents, n_words), window_unit(window)
    return count_pairs(source, source.vocabulary, [range(n_words)], [unit], workers=1)[unit]


def count_contexts(documents: Sequence[Sequence[int]], n_words: int, distance: int = 5) -> PairCounts:
    """Counts of tokens at most ``distance`` apart, per occurrence, of all pairs of ``n_words`` words."""
    source, unit = _from_lists(documents, n_words), Unit("context", distance)
    return count_pairs(source, source.vocabulary, [range(n_words)], [unit], workers=1)[unit]
