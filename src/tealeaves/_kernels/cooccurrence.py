"""Counting words and pairs by document or boolean sliding window, in one pass over the tokens.

A word's occurrences are intervals of window starts; where a merged interval ends, the overlap with the
words of the same topic that are still open is added to their pair. The cost does not depend on the window.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def _lowest_bit(context: Any, word: Any) -> Any:
    """The place of the lowest set bit of a uint64: one machine instruction."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@njit(nogil=True, cache=True)
def _end(x, end, start, single, joint, owner_bounds, owner_group, owner_bit, mask, members, base):  # type: ignore[no-untyped-def]
    """Word x's interval ends: count it, and its overlap with the open words of each of its topics."""
    begun = start[x]
    single[x] += end - begun
    for o in range(owner_bounds[x], owner_bounds[x + 1]):
        group, bit = owner_group[o], owner_bit[o]
        others = mask[group] & ~(np.uint64(1) << np.uint64(bit))
        mask[group] = others
        while others:
            other = np.int64(_lowest_bit(others))
            others &= others - np.uint64(1)
            low, high = min(bit, other), max(bit, other)
            overlap = end - max(begun, start[members[group, other]])
            joint[base[group] + high * (high - 1) // 2 + low] += overlap


@njit(nogil=True, cache=True)
def _open(x, at, start, is_open, owner_bounds, owner_group, owner_bit, mask):  # type: ignore[no-untyped-def]
    """Word x's interval begins: mark it in each of its topics."""
    start[x] = at
    is_open[x] = True
    for o in range(owner_bounds[x], owner_bounds[x + 1]):
        mask[owner_group[o]] |= np.uint64(1) << np.uint64(owner_bit[o])


@njit(nogil=True, cache=True)
def _order_by_last(first, word, span, n, order):  # type: ignore[no-untyped-def]
    """Insertion sort of occurrences by their last token: they are nearly sorted, as n-grams are short."""
    for i in range(n):
        key = first[i] + span[word[i]]
        j = i
        while j > 0 and first[order[j - 1]] + span[word[order[j - 1]]] > key:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i


@njit(nogil=True, cache=True)
def _sweep(first, word, n, order, length, window, forget, span, start, latest, is_open, single, joint,
           owner_bounds, owner_group, owner_bit, mask, members, base):  # type: ignore[no-untyped-def]  # fmt: skip
    """Count one document, given as n occurrences of relevant words; returns its number of windows."""
    windows = max(1, length - window + 1) if window > 0 else 1
    leaving = 0
    for i in range(n):
        e = order[i]
        x = word[e]
        at = 0
        if windows > 1:
            if span[x] >= window:
                continue  # an n-gram longer than the window is in none
            at = max(0, first[e] + span[x] - window + 1)
            while leaving < n and first[leaving] + 1 <= at:
                y = word[leaving]
                if is_open[y] and (forget or latest[y] == first[leaving]):
                    is_open[y] = False
                    _end(y, first[leaving] + 1, start, single, joint, owner_bounds, owner_group, owner_bit,
                         mask, members, base)  # fmt: skip
                leaving += 1
        if not is_open[x]:
            _open(x, at, start, is_open, owner_bounds, owner_group, owner_bit, mask)
            latest[x] = first[e]
        else:
            latest[x] = max(latest[x], first[e])
    for i in range(leaving, n):
        y = word[i]
        if is_open[y] and (forget or latest[y] == first[i] or windows == 1):
            is_open[y] = False
            _end(y, min(first[i] + 1, windows), start, single, joint, owner_bounds, owner_group, owner_bit,
                 mask, members, base)  # fmt: skip
    return windows


@njit(nogil=True, cache=True)
def _contexts(first, word, n, length, distance, signed, single, joint, owner_bounds, owner_group, owner_bit,
              base):  # type: ignore[no-untyped-def]  # fmt: skip
    """Count pairs of occurrences at most ``distance`` tokens apart; returns the document's units."""
    for i in range(n):
        x = word[i]
        single[x] += 1
        j = i + 1
        while j < n and first[j] - first[i] <= distance:
            y = word[j]
            j += 1
            a, b = owner_bounds[x], owner_bounds[y]
            while a < owner_bounds[x + 1] and b < owner_bounds[y + 1]:  # both lists of topics are sorted
                if owner_group[a] < owner_group[b]:
                    a += 1
                elif owner_group[a] > owner_group[b]:
                    b += 1
                else:
                    if x != y:
                        low, high = min(owner_bit[a], owner_bit[b]), max(owner_bit[a], owner_bit[b])
                        joint[base[owner_group[a]] + high * (high - 1) // 2 + low] += 1
                    a += 1
                    b += 1
    return length - distance + 1 if signed else max(0, length - distance + 1)


@njit(nogil=True, cache=True)
def _scratch(n_words, n_groups):  # type: ignore[no-untyped-def]
    """What a sweep keeps of each word and topic: open intervals, last occurrences, open words."""
    return (np.zeros(n_words, np.int64), np.zeros(n_words, np.int64), np.zeros(n_words, np.bool_),
            np.zeros(n_groups, np.uint64))  # fmt: skip


@njit(nogil=True, cache=True, inline="always")  # a call for each document would cost a tenth of the time
def _count_document(first, word, n, order, length, has_ngrams, span, windows, kinds, owner_bounds,
                    owner_group, owner_bit, members, base, start, latest, is_open, mask, units, single,
                    joint):  # type: ignore[no-untyped-def]  # fmt: skip
    """Count one document, given as n occurrences of relevant words by place, by every unit."""
    if has_ngrams:
        _order_by_last(first, word, span, n, order)
    for u in range(windows.size):
        if kinds[u] >= 2:
            units[u] += _contexts(first, word, n, length, windows[u], kinds[u] == 3, single[u], joint[u],
                                  owner_bounds, owner_group, owner_bit, base)  # fmt: skip
        else:
            units[u] += _sweep(first, word, n, order, length, windows[u], kinds[u] == 1, span, start, latest,
                               is_open, single[u], joint[u], owner_bounds, owner_group, owner_bit, mask,
                               members, base)  # fmt: skip


@njit(nogil=True, cache=True)
def count_tokens(tokens, offsets, documents, local, ngram_bounds, ngram_words, ngram_sizes, ngram_local,
                 span, windows, kinds, owner_bounds, owner_group, owner_bit, members, base, capacity, units,
                 single, joint):  # type: ignore[no-untyped-def]  # fmt: skip
    """Add the counts of ``documents`` (their places in ``offsets``) to ``units``, ``single``, ``joint``.

    ``local`` maps a token to its relevant word or -1; n-grams that begin with token t are those from
    ``ngram_bounds[t]``. ``windows`` and ``kinds`` (0 exact, 1 as gensim forgets repeats, 2 contexts, 3 as
    Palmetto counts contexts) have a row of ``single`` (units, M) and of ``joint`` (units, cells) each.
    ``capacity`` bounds a document's occurrences.
    """
    start, latest, is_open, mask = _scratch(span.size, base.size)
    first = np.empty(capacity, np.int64)
    word = np.empty(capacity, np.int64)
    order = np.arange(capacity)
    has_ngrams = ngram_local.size > 0
    for d in documents:
        begin, length = offsets[d], offsets[d + 1] - offsets[d]
        n = 0
        for p in range(length):
            token = tokens[begin + p]
            if token < 0 or token >= local.size:  # of a torn file that nobody checked
                continue
            x = local[token]
            if x >= 0:
                first[n], word[n] = p, x
                n += 1
            if has_ngrams:
                for g in range(ngram_bounds[token], ngram_bounds[token + 1]):
                    size = ngram_sizes[g]
                    if p + size > length:
                        continue
                    same = True
                    for q in range(1, size):
                        if tokens[begin + p + q] != ngram_words[g, q]:
                            same = False
                            break
                    if same:
                        first[n], word[n] = p, ngram_local[g]
                        n += 1
        _count_document(first, word, n, order, length, has_ngrams, span, windows, kinds, owner_bounds,
                        owner_group, owner_bit, members, base, start, latest, is_open, mask, units, single,
                        joint)  # fmt: skip


@njit(nogil=True, cache=True)
def _document_at(place, offsets, low):  # type: ignore[no-untyped-def]
    """The document that holds a place, not before ``low``: by doubled steps, then by halves."""
    step = 1
    while low + step < offsets.size and offsets[low + step] <= place:
        low += step
        step *= 2
    high = min(low + step, offsets.size)
    while high - low > 1:
        middle = (low + high) // 2
        if offsets[middle] <= place:
            low = middle
        else:
            high = middle
    return low


@njit(nogil=True, cache=True)
def count_occurrences(keys, word_of, part_of, offsets, document, per_token, span, has_ngrams, windows, kinds,
                      owner_bounds, owner_group, owner_bit, members, base, single,
                      joint):  # type: ignore[no-untyped-def]  # fmt: skip
    """Add the counts of occurrences, sorted by place, to ``single`` and ``joint`` of their documents' parts.

    A key holds the place in the corpus in its upper half and in its lower one where ``word_of`` has the
    word; none lies before ``document``. The units are not counted: most documents have no occurrence.
    ``single`` and ``joint`` have a leading axis of parts, ``part_of`` each document's.
    """
    start, latest, is_open, mask = _scratch(span.size, base.size)
    capacity = 0
    first = np.empty(capacity, np.int64)
    word = np.empty(capacity, np.int64)
    order = np.arange(capacity)
    units = np.zeros(windows.size, np.int64)
    half = np.uint64(32)
    low_half = np.uint64(0xFFFFFFFF)
    i = 0
    while i < keys.size:
        document = _document_at(np.int64(keys[i] >> half), offsets, document)
        begin, end = offsets[document], offsets[document + 1]
        if (end - begin) * per_token > capacity:
            capacity = 2 * (end - begin) * per_token
            first = np.empty(capacity, np.int64)
            word = np.empty(capacity, np.int64)
            order = np.arange(capacity)
        n = 0
        while i < keys.size:
            place = np.int64(keys[i] >> half)
            if place >= end:
                break
            first[n] = place - begin
            word[n] = word_of[np.int64(keys[i] & low_half)]
            n += 1
            i += 1
        part = part_of[document]
        _count_document(first, word, n, order, end - begin, has_ngrams, span, windows, kinds, owner_bounds,
                        owner_group, owner_bit, members, base, start, latest, is_open, mask, units,
                        single[part], joint[part])  # fmt: skip


@njit(nogil=True, cache=True)
def postings(tokens, bounds):  # type: ignore[no-untyped-def]
    """The positions of each word in the corpus, word by word: a counting sort; bounds has V + 1 entries."""
    place = bounds[:-1].copy()
    positions = np.empty(bounds[-1], np.uint32)
    for p in range(tokens.size):
        token = tokens[p]
        if token >= 0:
            positions[place[token]] = p
            place[token] += 1
    return positions
