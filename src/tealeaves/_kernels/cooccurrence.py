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


@intrinsic  # type: ignore[untyped-decorator]
def _highest_bit(context: Any, word: Any) -> Any:
    """The place of the highest set bit of a uint64."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        leading = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), leading)

    return types.uint64(types.uint64), generate


@njit(nogil=True, cache=True)
def _end(x, end, start, single, joint, owner_bounds, owner_ends, owner_group, owner_bit, mask, members,
         base):  # type: ignore[no-untyped-def]  # fmt: skip
    """Word x's interval ends: count it, and its overlap with the open words of each of its topics."""
    begun = start[x]
    single[x] += end - begun
    for o in range(owner_bounds[x], owner_ends[x]):
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
def _open(x, at, start, is_open, owner_bounds, owner_ends, owner_group, owner_bit,
          mask):  # type: ignore[no-untyped-def]  # fmt: skip
    """Word x's interval begins: mark it in each of its topics."""
    start[x] = at
    is_open[x] = True
    for o in range(owner_bounds[x], owner_ends[x]):
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
           owner_bounds, owner_ends, owner_group, owner_bit, mask, members,
           base):  # type: ignore[no-untyped-def]  # fmt: skip
    """Count the windows of a document longer than one, given as n occurrences of relevant words."""
    windows = length - window + 1
    leaving = 0
    for i in range(n):
        e = order[i]
        x = word[e]
        if span[x] >= window:
            continue  # an n-gram longer than the window is in none
        at = max(0, first[e] + span[x] - window + 1)
        while leaving < n and first[leaving] + 1 <= at:
            y = word[leaving]
            if is_open[y] and (forget or latest[y] == first[leaving]):
                is_open[y] = False
                _end(y, first[leaving] + 1, start, single, joint, owner_bounds, owner_ends, owner_group,
                     owner_bit, mask, members, base)  # fmt: skip
            leaving += 1
        if not is_open[x]:
            _open(x, at, start, is_open, owner_bounds, owner_ends, owner_group, owner_bit, mask)
            latest[x] = first[e]
        else:
            latest[x] = max(latest[x], first[e])
    for i in range(leaving, n):
        y = word[i]
        if is_open[y] and (forget or latest[y] == first[i]):
            is_open[y] = False
            _end(y, min(first[i] + 1, windows), start, single, joint, owner_bounds, owner_ends, owner_group,
                 owner_bit, mask, members, base)  # fmt: skip


@njit(nogil=True, cache=True)
def _alone(first, word, n, length, window, span, until, single):  # type: ignore[no-untyped-def]
    """Count the windows of words that share no topic with another word of the document.

    ``until`` has where the windows of a word that were counted end; it is 0 before and after.
    """
    windows = length - window + 1
    for i in range(n):
        x = word[i]
        if span[x] < window:
            end = min(first[i] + 1, windows)
            single[x] += end - max(first[i] + span[x] - window + 1, until[x])
            until[x] = end
    for i in range(n):
        until[word[i]] = 0


@njit(nogil=True, cache=True)
def _contexts(first, word, n, distance, joint, owner_bounds, owner_ends, owner_group, owner_bit,
              base):  # type: ignore[no-untyped-def]  # fmt: skip
    """Count pairs of occurrences at most ``distance`` tokens apart."""
    for i in range(n):
        x = word[i]
        j = i + 1
        while j < n and first[j] - first[i] <= distance:
            y = word[j]
            j += 1
            a, b = owner_bounds[x], owner_bounds[y]
            while a < owner_ends[x] and b < owner_ends[y]:  # both lists of topics are sorted
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


@njit(nogil=True, cache=True)
def _meet(word, n, owner_bounds, owner_group, owner_bit, there, distinct, mask,
          shared):  # type: ignore[no-untyped-def]  # fmt: skip
    """The distinct words of a document and, in ``mask``, those of each topic that has two of them or more.

    Returns how many words there are in ``distinct``, and how many such topics in ``shared``.
    """
    n_distinct, n_touched, n_shared = 0, 0, 0
    for i in range(n):
        x = word[i]
        if there[x]:
            continue
        there[x] = True
        distinct[n_distinct] = x
        n_distinct += 1
        for o in range(owner_bounds[x], owner_bounds[x + 1]):
            group = owner_group[o]
            shared[n_touched] = group
            n_touched += mask[group] == 0
            mask[group] |= np.uint64(1) << np.uint64(owner_bit[o])
    for i in range(n_touched):
        group = shared[i]
        if mask[group] & (mask[group] - np.uint64(1)):
            shared[n_shared] = group
            n_shared += 1
        else:
            mask[group] = 0
    return n_distinct, n_shared


@njit(nogil=True, cache=True)
def _together(shared, n_shared, mask, joint, base):  # type: ignore[no-untyped-def]
    """Count the pairs of each topic that are in a document, or in its only window."""
    for i in range(n_shared):
        group = shared[i]
        rest = mask[group]
        while rest:
            high = np.int64(_highest_bit(rest))
            rest &= ~(np.uint64(1) << np.uint64(high))
            row = base[group] + high * (high - 1) // 2
            others = rest
            while others:
                joint[row + np.int64(_lowest_bit(others))] += 1
                others &= others - np.uint64(1)


@njit(nogil=True, cache=True)
def _scratch(n_words, n_groups, n_owners):  # type: ignore[no-untyped-def]
    """What is kept of each word, topic and place of a word in a topic while a document is counted."""
    return (np.zeros(n_words, np.int64), np.zeros(n_words, np.int64), np.zeros(n_words, np.bool_),
            np.zeros(n_words, np.bool_), np.empty(n_words, np.int64), np.zeros(n_groups, np.uint64),
            np.zeros(n_groups, np.uint64), np.empty(n_groups + 1, np.int64), np.zeros(n_words, np.int64),
            np.zeros(n_words, np.int64), np.zeros(n_words, np.int64), np.empty(n_owners, np.int64),
            np.empty(n_owners, np.int64))  # fmt: skip


@njit(nogil=True, cache=True)
def _room(capacity):  # type: ignore[no-untyped-def]
    """For the occurrences of a document, and for two kinds of them apart: places, words; and an order."""
    return (np.empty((3, capacity), np.int32), np.empty((3, capacity), np.int32), np.arange(capacity))


@njit(nogil=True, cache=True, inline="always")  # a call for each document would cost a tenth of the time
def _count_document(room, n, length, has_ngrams, plan, windows, kinds, scratch, units, single,
                    joint):  # type: ignore[no-untyped-def]  # fmt: skip
    """Count one document, given as n occurrences of relevant words by place, by every unit.

    Most words meet no other word of any of their topics in a document. They are told apart first, and the
    sweep goes over the few others, with the topics that they share.
    """
    span, owner_bounds, owner_group, owner_bit, members, base = plan
    (start, latest, is_open, there, distinct, opened, mask, shared, until, begins, ends, own_group,
     own_bit) = scratch  # fmt: skip
    first, word, order = room[0][0], room[1][0], room[2]
    n_distinct, n_shared = _meet(word, n, owner_bounds, owner_group, owner_bit, there, distinct, mask, shared)
    parted = False
    n_alone, n_others = 0, 0
    for u in range(windows.size):
        if kinds[u] < 2 and (windows[u] == 0 or length <= windows[u]):
            units[u] += 1
            for i in range(n_distinct):
                single[u, distinct[i]] += 1
            _together(shared, n_shared, mask, joint[u], base)
            continue
        if not parted:
            parted = True
            count = 0
            for i in range(n_distinct):
                x = distinct[i]
                begins[x] = count
                if n_shared:
                    for o in range(owner_bounds[x], owner_bounds[x + 1]):
                        own_group[count], own_bit[count] = owner_group[o], owner_bit[o]
                        count += mask[owner_group[o]] != 0
                ends[x] = count
            for i in range(n):
                x = word[i]
                kind = 1 if begins[x] == ends[x] else 2
                place = n_alone if kind == 1 else n_others
                room[0][kind, place], room[1][kind, place] = first[i], x
                n_alone += kind == 1
                n_others += kind == 2
        if kinds[u] >= 2:
            for i in range(n):
                single[u, word[i]] += 1
            contexts = length - windows[u] + 1
            units[u] += contexts if kinds[u] == 3 else max(0, contexts)
            _contexts(room[0][2], room[1][2], n_others, windows[u], joint[u], begins, ends, own_group,
                      own_bit, base)  # fmt: skip
            continue
        units[u] += length - windows[u] + 1
        forget = kinds[u] == 1
        if not forget:
            _alone(room[0][1], room[1][1], n_alone, length, windows[u], span, until, single[u])
        swept = 0 if forget else 2  # as gensim forgets words, also those that are alone have to be swept
        n_swept = n if forget else n_others
        if has_ngrams and n_swept:
            _order_by_last(room[0][swept], room[1][swept], span, n_swept, order)
        if n_swept:
            _sweep(room[0][swept], room[1][swept], n_swept, order, length, windows[u], forget, span, start,
                   latest, is_open, single[u], joint[u], begins, ends, own_group, own_bit, opened, members,
                   base)  # fmt: skip
    for i in range(n_distinct):
        there[distinct[i]] = False
    for i in range(n_shared):
        mask[shared[i]] = 0


@njit(nogil=True, cache=True)
def count_tokens(tokens, offsets, documents, bounds, local, ngram_bounds, ngram_words, ngram_sizes,
                 ngram_local, plan, windows, kinds, capacity, units, single,
                 joint):  # type: ignore[no-untyped-def]  # fmt: skip
    """Add the counts of documents to ``units``, ``single``, ``joint``, which have a leading axis of parts.

    Those of part i are ``documents[bounds[i]:bounds[i + 1]]``, places in ``offsets``. ``local`` maps a token
    to its relevant word or -1 and ends with a -1 for what is no token; n-grams that begin with token t are
    those from ``ngram_bounds[t]``. ``windows`` and ``kinds`` (0 exact, 1 as gensim forgets repeats, 2
    contexts, 3 as Palmetto counts contexts) have a row of ``single`` (parts, units, M) and of ``joint``
    (parts, units, cells) each. ``capacity`` exceeds the occurrences of any document.
    """
    span, _, owner_group, _, _, base = plan
    scratch = _scratch(span.size, base.size, owner_group.size + 1)
    room = _room(capacity)
    first, word = room[0][0], room[1][0]
    has_ngrams = ngram_local.size > 0
    outside = np.uint32(local.size - 1)
    for part in range(bounds.size - 1):
        for i in range(bounds[part], bounds[part + 1]):
            begin, end = offsets[documents[i]], offsets[documents[i] + 1]
            n = 0
            if has_ngrams:
                n = _with_ngrams(tokens[begin:end], local, ngram_bounds, ngram_words, ngram_sizes,
                                 ngram_local, first, word)  # fmt: skip
            else:
                for p in range(begin, end):  # written always, kept if relevant: there is no jump to foresee
                    first[n] = p - begin
                    word[n] = local[min(np.uint32(tokens[p]), outside)]  # also of a torn file
                    n += word[n] >= 0
            _count_document(room, n, end - begin, has_ngrams, plan, windows, kinds, scratch, units[part],
                            single[part], joint[part])  # fmt: skip


@njit(nogil=True, cache=True)
def _with_ngrams(tokens, local, ngram_bounds, ngram_words, ngram_sizes, ngram_local, first,
                 word):  # type: ignore[no-untyped-def]  # fmt: skip
    """The occurrences of relevant words and n-grams in a document, by place; returns how many there are."""
    n = 0
    for p in range(tokens.size):
        token = tokens[p]
        if token < 0 or token >= local.size - 1:
            continue
        if local[token] >= 0:
            first[n], word[n] = p, local[token]
            n += 1
        for g in range(ngram_bounds[token], ngram_bounds[token + 1]):
            size = ngram_sizes[g]
            same = p + size <= tokens.size
            q = 1
            while same and q < size:
                same = tokens[p + q] == ngram_words[g, q]
                q += 1
            if same:
                first[n], word[n] = p, ngram_local[g]
                n += 1
    return n


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
def count_occurrences(keys, word_of, part_of, offsets, per_token, has_ngrams, plan, windows, kinds, single,
                      joint):  # type: ignore[no-untyped-def]  # fmt: skip
    """Add the counts of occurrences, sorted by place, to ``single`` and ``joint`` of their documents' parts.

    A key holds the place in the corpus in its upper half and in its lower one where ``word_of`` has the
    word; ``offsets`` are of the documents that hold them. The units are not counted: most documents have no
    occurrence. ``single`` and ``joint`` have a leading axis of parts, ``part_of`` each document's.
    """
    span, _, owner_group, _, _, base = plan
    scratch = _scratch(span.size, base.size, owner_group.size + 1)
    capacity = 1
    room = _room(capacity)
    units = np.zeros(windows.size, np.int64)
    half = np.uint64(32)
    low_half = np.uint64(0xFFFFFFFF)
    i, document = 0, 0
    while i < keys.size:
        document = _document_at(np.int64(keys[i] >> half), offsets, document)
        begin, end = offsets[document], offsets[document + 1]
        if (end - begin) * per_token > capacity:
            capacity = 2 * (end - begin) * per_token
            room = _room(capacity)
        n = 0
        while i < keys.size:
            place = np.int64(keys[i] >> half)
            if place >= end:
                break
            room[0][0, n] = place - begin
            room[1][0, n] = word_of[np.int64(keys[i] & low_half)]
            n += 1
            i += 1
        part = part_of[document]
        _count_document(room, n, end - begin, has_ngrams, plan, windows, kinds, scratch, units, single[part],
                        joint[part])  # fmt: skip


@njit(nogil=True, cache=True)
def postings(tokens, first, place, positions):  # type: ignore[no-untyped-def]
    """Put positions of tokens, the first of which is ``first``, where ``place`` has those of each word."""
    for p in range(tokens.size):
        token = tokens[p]
        if token >= 0:
            positions[place[token]] = first + p
            place[token] += 1
