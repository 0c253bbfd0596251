"""Counts of words and pairs of words by document or by window: made in one pass, and they add up."""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError, MissingInput

Ints = NDArray[np.int64]
GROUP = 64  # words of a topic that fit one bit mask
LONGEST_NGRAM = 16
DOCUMENTS = 1 << 18  # looked at in one step


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


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything a counting pass needs to know of the words and topics, as flat arrays."""

    n_words: int
    local: NDArray[np.int32]
    ngram_bounds: Ints
    ngram_words: NDArray[np.int32]
    ngram_sizes: Ints
    ngram_local: Ints
    span: Ints
    owner_bounds: Ints
    owner_group: Ints
    owner_bit: Ints
    members: Ints
    base: Ints
    keys: Ints
    cell_of_key: Ints
    n_cells: int
    per_token: int


def _groups(topics: Sequence[Sequence[int]]) -> list[list[int]]:
    """Topics as groups of at most 64 distinct words, so that each pair of a topic is in a group."""
    found: dict[tuple[int, ...], None] = {}
    for topic in topics:
        words = sorted(set(topic))
        if len(words) <= GROUP:
            found.setdefault(tuple(words))
            continue
        parts = [words[i : i + GROUP // 2] for i in range(0, len(words), GROUP // 2)]
        for i, part in enumerate(parts):
            for other in parts[i + 1 :]:
                found.setdefault(tuple(part + other))
    return [list(group) for group in found if group]


def plan_of(
    vocabulary: Sequence[str] | dict[str, int], words: Sequence[str], topics: Sequence[Sequence[int]]
) -> Plan:
    """What to look for in the tokens, and where to count it."""
    index = vocabulary if isinstance(vocabulary, dict) else {word: i for i, word in enumerate(vocabulary)}
    local = np.full(max(len(index), 1), -1, dtype=np.int32)
    span = np.zeros(len(words), dtype=np.int64)
    ngrams: list[tuple[int, list[int], int]] = []
    for i, word in enumerate(words):
        if word in index:
            local[index[word]] = i
        elif parts := ngram_parts(word, index):
            ngrams.append((parts[0], parts, i))
            span[i] = len(parts) - 1
    ngrams.sort()
    starts = np.array([first for first, _, _ in ngrams], dtype=np.int64)
    longest = max((len(parts) for _, parts, _ in ngrams), default=1)
    table = np.full((len(ngrams), longest), -1, dtype=np.int32)
    for row, (_, parts, _) in zip(table, ngrams, strict=True):
        row[: len(parts)] = parts
    groups = _groups(topics)
    members = np.full((len(groups), GROUP), -1, dtype=np.int64)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    for g, group in enumerate(groups):
        members[g, : len(group)] = group
    owner_group, owner_bit = np.nonzero(members >= 0)
    owned = members[owner_group, owner_bit]
    order = np.argsort(owned, kind="stable")
    bounds = np.searchsorted(owned[order], np.arange(len(words) + 1))
    cells = sizes * (sizes - 1) // 2
    base = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
    keys, cell_of_key = _cells(members, sizes, base, len(words))
    by_first = np.bincount(starts, minlength=len(local)) if len(starts) else np.zeros(len(local), np.int64)
    return Plan(
        len(words),
        local,
        np.concatenate([[0], np.cumsum(by_first)]).astype(np.int64),
        table,
        np.array([len(parts) for _, parts, _ in ngrams], dtype=np.int64),
        np.array([i for _, _, i in ngrams], dtype=np.int64),
        span,
        bounds.astype(np.int64),
        owner_group[order].astype(np.int64),
        owner_bit[order].astype(np.int64),
        members,
        base[:-1],
        keys,
        cell_of_key,
        int(base[-1]),
        1 + int(by_first.max(initial=0)),
    )


def _cells(members: Ints, sizes: Ints, base: Ints, n_words: int) -> tuple[Ints, Ints]:
    """The pair that each cell counts; a pair in several topics is counted in each, the first is read."""
    high = np.repeat(np.arange(GROUP), np.arange(GROUP))
    low = np.concatenate([np.arange(h) for h in range(GROUP)]).astype(np.int64)
    keys = np.empty(int(base[-1]), dtype=np.int64)
    for size in np.unique(sizes):
        rows = np.nonzero(sizes == size)[0]
        n = size * (size - 1) // 2
        a, b = members[rows][:, low[:n]], members[rows][:, high[:n]]
        keys[base[rows][:, None] + np.arange(n)] = np.minimum(a, b) * n_words + np.maximum(a, b)
    return np.unique(keys, return_index=True)


def ngram_parts(word: str, index: dict[str, int]) -> list[int]:
    """The words an n-gram is made of, split at blanks or else at underscores; [] if one is unknown."""
    for separator in (None, "_"):
        parts = word.split(separator)
        if 1 < len(parts) <= LONGEST_NGRAM and all(part in index for part in parts):
            return [index[part] for part in parts]
    return []


def count_pairs(
    source: Source,
    words: Sequence[str],
    topics: Sequence[Sequence[int]],
    units: Sequence[Unit],
    *,
    blocks: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
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
    refuse_without_order(source.ordered, units)
    plan = plan_of(getattr(source, "index", None) or source.vocabulary, words, topics)
    threads = max(1, workers or os.cpu_count() or 1)
    parts: Sequence[Ints | range] = (
        blocks_of(len(source.offsets) - 1, blocks) if blocks else _runs(source.offsets, threads)
    )
    n, single, joint = scan(source, plan, units, parts, workers=threads, progress=progress)
    return counts_of(plan, units, n, single, joint, blocks=bool(blocks))


def scan(
    source: Source,
    plan: Plan,
    units: Sequence[Unit],
    parts: Sequence[Ints | range],
    *,
    workers: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Ints, Ints, Ints]:
    """One pass over the documents of each part: (parts, units), (…, words) and (…, cells) of counts."""
    from tealeaves._kernels.cooccurrence import count_tokens

    tokens = np.ascontiguousarray(source.tokens, dtype=np.int32)
    offsets = np.ascontiguousarray(source.offsets, dtype=np.int64)
    sizes = np.array([unit.size for unit in units], dtype=np.int64)
    kinds = np.array([KINDS[u.kind, u.fault] for u in units], dtype=np.int64)
    capacity = _longest(offsets, len(tokens)) * plan.per_token + 1
    n = np.zeros((len(parts), len(units)), dtype=np.int64)
    single = np.zeros((len(parts), len(units), plan.n_words), dtype=np.int64)
    joint = np.zeros((len(parts), len(units), plan.n_cells), dtype=np.int64)

    def run(part: int) -> None:
        for first in range(0, len(parts[part]), DOCUMENTS):  # no list as long as the corpus
            count_tokens(
                tokens,
                offsets,
                np.asarray(parts[part][first : first + DOCUMENTS]),
                plan.local,
                plan.ngram_bounds,
                plan.ngram_words,
                plan.ngram_sizes,
                plan.ngram_local,
                plan.span,
                sizes,
                kinds,
                plan.owner_bounds,
                plan.owner_group,
                plan.owner_bit,
                plan.members,
                plan.base,
                capacity,
                n[part],
                single[part],
                joint[part],
            )

    _run_all(run, len(parts), workers, progress)
    return n, single, joint


def added(found: Iterable[tuple[Ints, Ints, Ints]]) -> tuple[Ints, Ints, Ints]:
    """What several parts of a corpus counted, added up; only two of them are held at a time."""
    parts = iter(found)
    n, single, joint = (np.array(counts) for counts in next(parts))
    for more in parts:
        for total, counts in zip((n, single, joint), more, strict=True):
            total += counts
    return n, single, joint


def counts_of(
    plan: Plan, units: Sequence[Unit], n: Ints, single: Ints, joint: Ints, *, blocks: bool
) -> dict[Unit, PairCounts]:
    """What a pass counted, (parts, units, …), as the counts of each unit: by block, or added up."""
    cell = plan.cell_of_key
    if not blocks:
        n, single, joint = n.sum(0)[None], single.sum(0)[None], joint.sum(0)[None]
    result = {}
    for u, unit in enumerate(units):
        counts = PairCounts(str(unit), n[:, u], single[:, u], plan.keys, joint[:, u][:, cell])
        result[unit] = counts if blocks else counts.total()
    return result


def refuse_without_order(ordered: bool, units: Sequence[Unit]) -> None:
    """Windows of bags of words would be windows of nothing."""
    asked = [unit for unit in units if unit.ordered]
    if asked and not ordered:
        raise MissingInput(
            f"counting by {asked[0]} needs the order of tokens, but this corpus was made from a "
            "document-term matrix; use window=None, or hand the corpus over as tokens or texts"
        )


def blocks_of(n_documents: int, blocks: int) -> list[Ints]:
    """Documents dealt to blocks at random, always alike: the order of a corpus must not move the spread."""
    order = np.random.default_rng(0).permutation(n_documents)
    return [np.sort(part) for part in np.array_split(order, max(1, min(blocks, n_documents)))]


@lru_cache(maxsize=4)
def blocks_by_document(n_documents: int, blocks: int) -> tuple[NDArray[np.int32], int]:
    """The block of each document as `blocks_of` deals them, and how many there are; of 0, all is one."""
    block_of = np.zeros(n_documents, dtype=np.int32)
    if not blocks:
        return block_of, 1
    parts = blocks_of(n_documents, blocks)
    for i, part in enumerate(parts):
        block_of[part] = i
    return block_of, len(parts)


def _longest(offsets: Ints, n_tokens: int) -> int:
    """The tokens of the longest document."""
    longest = 0
    for first in range(0, len(offsets) - 1, DOCUMENTS):
        lengths = np.diff(offsets[first : first + DOCUMENTS + 1])
        if lengths.min() < 0 or offsets[0] < 0 or offsets[-1] > n_tokens:
            raise InputError(
                "the corpus is torn: documents begin where no tokens are; see `tealeaves corpus verify`"
            )
        longest = max(longest, int(lengths.max()))
    return longest


def _runs(offsets: Ints, parts: int) -> list[range]:
    """Runs of neighbouring documents with about the same number of tokens."""
    wanted = offsets[0] + (offsets[-1] - offsets[0]) * np.arange(1, parts) // parts
    inner = np.searchsorted(offsets, wanted, side="left").tolist()
    return [range(a, b) for a, b in pairwise([0, *inner, len(offsets) - 1])]


def _run_all(
    run: Callable[[int], None], n: int, threads: int, progress: Callable[[int, int], None] | None
) -> None:
    if threads == 1 or n <= 1:
        for i in range(n):
            run(i)
            if progress:
                progress(i + 1, n)
        return
    with ThreadPoolExecutor(min(threads, n)) as pool:
        for i, _ in enumerate(pool.map(run, range(n))):
            if progress:
                progress(i + 1, n)


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
