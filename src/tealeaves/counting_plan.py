"""What a counting pass looks for, as flat arrays: words and n-grams, and topics whose pairs are counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
GROUP = 64  # words of a topic that fit one bit mask
LONGEST_NGRAM = 16


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

    @property
    def topics(self) -> tuple[Ints, ...]:
        """What a kernel needs of the words and the topics they are in."""
        owners = (self.owner_bounds, self.owner_group, self.owner_bit)
        return (self.span, *owners, self.members, self.base)


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


def plan_of(index: Mapping[str, int], words: Sequence[str], topics: Sequence[Sequence[int]]) -> Plan:
    """What to look for in the tokens of a corpus whose words have these ids, and where to count it."""
    local = np.full(len(index) + 1, -1, dtype=np.int32)  # the last is of what is no word
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


def ngram_parts(word: str, index: Mapping[str, int]) -> list[int]:
    """The words an n-gram is made of, split at blanks or else at underscores; [] if one is unknown."""
    for separator in (None, "_"):
        parts = word.split(separator)
        if 1 < len(parts) <= LONGEST_NGRAM and all(part in index for part in parts):
            return [index[part] for part in parts]
    return []
