"""Words of letters and marks straight from UTF-8 to ids: the fast twin of ``tealeaves.letters.words``.

Words of ASCII letters are read, put in lower case and looked up eight bytes at a time. A stretch between
blanks that holds anything else is gone through by character; what needs more than a look at one character
(composition, a capital sigma, ...) is only noted, for the caller to cut by ``re``.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

OTHER, LETTER, MARK, ODD = 0, 1, 2, 3  # classes of characters
DONE, FULL = 0, 1
# the places of ``state``: where to go on, and how much of the arrays is in use
DOCUMENT, POSITION, TOKENS, ODDS, WORDS, BYTES = range(6)

ENTRY = (
    4  # numbers of a slot: the word's first 24 bytes, then its id and one; two slots are a line of a cache
)
BATCH = 64  # words looked up one after the other: so the processor waits for many slots at once
KEY = 24  # bytes of a word that are its key; longer ones are compared in full

_ONE, _BYTE, _SEVEN, _TOP = np.uint64(1), np.uint64(8), np.uint64(7), np.uint64(56)
_NONE, _ALL = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_HIGH = np.uint64(0x8080808080808080)
_LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_CASE = np.uint64(0x2020202020202020)  # what makes capitals small
_FROM_A = np.uint64(0x1F1F1F1F1F1F1F1F)  # added to a byte: its high bit is set from "a" on
_PAST_Z = np.uint64(0x0505050505050505)  # the same, from the one after "z" on
_COUNT = np.uint64(0x0001020304050607)  # times 1 << 8k, the top byte is k
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_FIRST, _SECOND, _THIRD = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
)


@njit(nogil=True, inline="always")
def _letters(eight):  # type: ignore[no-untyped-def]
    """The high bit of each of eight bytes that is an ASCII letter."""
    small = (eight | _CASE) & _LOW
    return (small + _FROM_A) & ~(small + _PAST_Z) & ~eight & _HIGH


@njit(nogil=True, inline="always")
def _first(marks):  # type: ignore[no-untyped-def]
    """1 << 8k for the first byte k of which the high bit is set; there is one."""
    return (marks & (~marks + _ONE)) >> _SEVEN


@njit(nogil=True, inline="always")
def _up_to(n):  # type: ignore[no-untyped-def]
    """A mask of the first n bytes of eight."""
    if n >= 8:
        return _ALL
    return (_ONE << (_BYTE * np.uint64(max(n, 0)))) - _ONE


@njit(nogil=True, inline="always")
def _eight(wide, p, end):  # type: ignore[no-untyped-def]
    """The bytes from p on, zeros from ``end`` on."""
    if p + 8 <= end:
        return wide[p]
    return wide[p] & _up_to(end - p) if p < end else _NONE


@intrinsic
def _fetch(typing: Any, array: Any, row: Any) -> Any:
    """Have the processor bring a row of an array near, and go on meanwhile."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = signature.args[0]
        there = context.make_array(kind)(context, builder, given[0])
        zero = context.get_constant(types.intp, 0)
        place = cgutils.get_item_pointer(context, builder, kind, there, [given[1], zero])
        pointer = builder.bitcast(place, cgutils.voidptr_t)
        flag = cgutils.int32_t
        function = builder.module.declare_intrinsic(
            "llvm.prefetch",
            [cgutils.voidptr_t],
            ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, flag, flag, flag]),
        )
        builder.call(function, [pointer, flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@njit(nogil=True, inline="always")
def _place(a, b, c):  # type: ignore[no-untyped-def]
    """Where a key is looked for, before this is cut to the length of the table."""
    hashed = (a * _FIRST) ^ (b * _SECOND) ^ (c * _THIRD)
    hashed = (hashed ^ (hashed >> np.uint64(29))) * _MIX
    return np.int64(hashed >> np.uint64(32))


@njit(nogil=True, inline="always")
def _slot(a, b, c, place, slots):  # type: ignore[no-untyped-def]
    """The slot that holds a key, or the empty one where it belongs."""
    mask = len(slots) - 1
    slot = place & mask
    while slots[slot, 3] != _NONE and (slots[slot, 0] != a or slots[slot, 1] != b or slots[slot, 2] != c):
        slot = (slot + 1) & mask
    return slot


@njit(nogil=True, inline="always")
def _enter(a, b, c, n, slot, buffer, state, slots, ends, pool):  # type: ignore[no-untyped-def]
    """The id of a new word of n bytes, which stands in ``buffer``; -1 if there is no room."""
    word, used = state[WORDS], state[BYTES]
    if 2 * (word + 1) > len(slots) or word + 1 >= len(ends) or used + n > len(pool):
        return np.int64(-1)
    for j in range(n):
        pool[used + j] = buffer[j]
    ends[word + 1] = used + n
    slots[slot, 0], slots[slot, 1], slots[slot, 2], slots[slot, 3] = a, b, c, np.uint64(word + 1)
    state[WORDS], state[BYTES] = word + 1, used + n
    return word


@njit(nogil=True)
def _look_up(buffer, n, state, slots, ends, pool):  # type: ignore[no-untyped-def]
    """The id of the word of n bytes in ``buffer``, entered if new; -1 if there is no room."""
    eights = buffer.view(np.uint64)
    a, b, c = eights[0] & _up_to(n), eights[1] & _up_to(n - 8), eights[2] & _up_to(n - 16)
    if n > KEY:  # its hash and length in their place, and bytes that no text has
        for j in range(n):
            b = (b ^ np.uint64(buffer[j])) * _MIX
        c = ~np.uint64(n)
    slot = _slot(a, b, c, _place(a, b, c), slots)
    while n > KEY and slots[slot, 3] != _NONE and not _is_word(buffer, n, slots[slot, 3], ends, pool):
        b += _ONE  # two long words with one hash
        slot = _slot(a, b, c, _place(a, b, c), slots)
    if slots[slot, 3] != _NONE:
        return np.int64(slots[slot, 3]) - 1
    return _enter(a, b, c, n, slot, buffer, state, slots, ends, pool)


@njit(nogil=True)
def _is_word(buffer, n, number, ends, pool):  # type: ignore[no-untyped-def]
    begin = ends[np.int64(number) - 1]
    for j in range(n):  # noqa: SIM110 (a generator is no loop for numba)
        if pool[begin + j] != buffer[j]:
            return False
    return True


@njit(nogil=True, cache=True)
def fill_slots(old, slots):  # type: ignore[no-untyped-def]
    """Enter what is in the table already into a longer, empty one."""
    for i in range(len(old)):
        if old[i, 3] != _NONE:
            a, b, c = old[i, 0], old[i, 1], old[i, 2]
            slots[_slot(a, b, c, _place(a, b, c), slots)] = old[i]


@njit(nogil=True)
def _stretch(data, p, begin):  # type: ignore[no-untyped-def]
    """Where the stretch between blanks that p is in begins, and how many ASCII words end in it before p."""
    first = p
    n_words = np.int64(0)
    inside = False
    while first > begin and data[first - 1] > 32:
        first -= 1
        small = data[first] | 32
        letter = 97 <= small <= 122
        n_words += letter and not inside
        inside = letter
    return first, n_words


@njit(nogil=True)
def _cut(data, wide, p, end, case, slots, words):  # type: ignore[no-untyped-def]
    """Cut words of ASCII letters from p on, until something else is met or ``words`` is full.

    Returns where it stopped, how many words there are (a row each: three of key, place, where it begins and
    how long it is), and whether the rest of the stretch must be gone through by character.
    """
    n_words = 0
    while p < end and n_words < len(words):
        eight = _eight(wide, p, end)
        marks = _letters(eight) | (eight & _HIGH)
        if marks == _NONE:
            p += 8
            continue
        p += np.int64((_first(marks) * _COUNT) >> _TOP)
        a, b, c = _eight(wide, p, end), _NONE, _NONE
        n, last = np.int64(0), a
        stop = ~_letters(a) & _HIGH
        if stop == _NONE:
            a |= case
            n, last = np.int64(8), _eight(wide, p + 8, end)
            stop = ~_letters(last) & _HIGH
            if stop == _NONE:
                b = last | case
                n, last = np.int64(16), _eight(wide, p + 16, end)
                stop = ~_letters(last) & _HIGH
        if stop == _NONE:
            return p, n_words, True  # longer than a key
        one = _first(stop)
        if (last >> _SEVEN) & one != _NONE:
            return p, n_words, True  # another character follows
        last = (last | case) & (one - _ONE)
        if n == 0:
            a = last
        elif n == 8:
            b = last
        else:
            c = last
        n += np.int64((one * _COUNT) >> _TOP)
        place = _place(a, b, c)
        _fetch(slots, place & (len(slots) - 1))
        row = words[n_words]
        row[0], row[1], row[2], row[3] = a, b, c, np.uint64(place)
        row[4], row[5] = np.uint64(p), np.uint64(n)
        n_words += 1
        p += n
    return p, n_words, False


@njit(nogil=True)
def _number(words, n_words, buffer, state, slots, ends, pool, out):  # type: ignore[no-untyped-def]
    """Write the ids of words that were cut; how many there was room for."""
    eights = buffer.view(np.uint64)
    first = state[TOKENS]
    for i in range(n_words):
        a, b, c = words[i, 0], words[i, 1], words[i, 2]
        slot = _slot(a, b, c, np.int64(words[i, 3]), slots)
        word = np.int64(slots[slot, 3]) - 1
        if word < 0:
            eights[0], eights[1], eights[2] = a, b, c
            word = _enter(a, b, c, np.int64(words[i, 5]), slot, buffer, state, slots, ends, pool)
            if word < 0:
                n_words = i
                break
        out[first + i] = word
    state[TOKENS] = first + n_words
    return n_words


@njit(nogil=True)
def _go_through(  # type: ignore[no-untyped-def]
    data, p, begin, end, state, plain, classes, shifts, orders, slots, ends, pool, buffer, out, odd_bounds
):
    """Cut the stretch between blanks that p is in, by character; where it ends, -1 if there was no room."""
    n_out, n_odd = state[TOKENS], state[ODDS]
    stretch, n_before = _stretch(data, p, begin)
    n_before = n_out - n_before
    p, n_out = stretch, n_before
    n = 0  # bytes of the word so far
    order_before = 0  # combining class of the character before
    odd = False
    full = False
    while p < end:
        byte = data[p]
        if byte < 128:
            p += 1
            order_before = 0
            letter = plain[byte]
            if letter != 0:
                if n + 4 > len(buffer):
                    odd = True
                    break
                buffer[n] = letter
                n += 1
                continue
            kind = OTHER
        else:
            if byte < 0xE0:
                code = ((byte & 0x1F) << 6) | (data[p + 1] & 0x3F)
                p += 2
            elif byte < 0xF0:
                code = ((byte & 0x0F) << 12) | ((data[p + 1] & 0x3F) << 6) | (data[p + 2] & 0x3F)
                p += 3
            else:
                code = ((byte & 0x07) << 18) | ((data[p + 1] & 0x3F) << 12)
                code |= ((data[p + 2] & 0x3F) << 6) | (data[p + 3] & 0x3F)
                p += 4
            kind = classes[code]
            order = orders[code]
            if kind == ODD or (order != 0 and order < order_before) or n + 4 > len(buffer):
                odd = True
                break
            order_before = order
            if kind == LETTER or (kind == MARK and n > 0):
                code += shifts[code]
                if code < 0x80:
                    buffer[n] = code
                    n += 1
                elif code < 0x800:
                    buffer[n] = 0xC0 | (code >> 6)
                    buffer[n + 1] = 0x80 | (code & 0x3F)
                    n += 2
                elif code < 0x10000:
                    buffer[n] = 0xE0 | (code >> 12)
                    buffer[n + 1] = 0x80 | ((code >> 6) & 0x3F)
                    buffer[n + 2] = 0x80 | (code & 0x3F)
                    n += 3
                else:
                    buffer[n] = 0xF0 | (code >> 18)
                    buffer[n + 1] = 0x80 | ((code >> 12) & 0x3F)
                    buffer[n + 2] = 0x80 | ((code >> 6) & 0x3F)
                    buffer[n + 3] = 0x80 | (code & 0x3F)
                    n += 4
                continue
        if n > 0:
            word = _look_up(buffer, n, state, slots, ends, pool)
            if word < 0:
                full = True
                break
            out[n_out] = word
            n_out += 1
            n = 0
        if byte <= 32:
            break
    if odd:
        n_out = n_before
        while p < end and data[p] > 32:
            p += 1
        full = n_odd >= len(odd_bounds)
        if not full:
            odd_bounds[n_odd, 0] = stretch
            odd_bounds[n_odd, 1] = p
            out[n_out] = -1 - n_odd
            n_odd += 1
            n_out += 1
    elif n > 0 and not full:  # the document's last word
        word = _look_up(buffer, n, state, slots, ends, pool)
        full = word < 0
        if not full:
            out[n_out] = word
            n_out += 1
    if full:
        state[TOKENS], state[POSITION] = n_before, stretch
        return -1
    state[TOKENS], state[ODDS] = n_out, n_odd
    return p


@njit(nogil=True, cache=True)
def tokenize(  # type: ignore[no-untyped-def]
    data,
    wide,
    bounds,
    state,
    plain,
    classes,
    shifts,
    orders,
    slots,
    ends,
    pool,
    buffer,
    out,
    out_ends,
    odd_bounds,
):
    """Write the word ids of the documents of ``data`` to ``out``, from where ``state`` says.

    Parameters
    ----------
    data : uint8 array
        Documents in UTF-8; document i is ``data[bounds[i]:bounds[i + 1]]``.
    wide : uint64 array
        The same: entry i is the eight bytes from i on. It reaches to the last byte of the last document.
    plain : uint8 array of shape (128,)
        What an ASCII letter becomes; 0 for what is no letter.
    classes, shifts, orders : arrays over all code points
        The class, what lower case adds to the code point, the canonical combining class.
    slots, ends, pool
        The table of words: word i is ``pool[ends[i]:ends[i + 1]]``.
    buffer : uint8 array
        Room for a word; its length is divisible by eight.
    out, out_ends : int32 and int64 arrays
        Ids and where each document's end; ``-1 - k`` stands for the words of odd stretch k.
    odd_bounds : int64 array of shape (_, 2)
        Where the odd stretches are in ``data``.

    Returns
    -------
    int
        FULL if the table must grow first (then call again), else DONE.
    """
    case = _CASE if plain[65] == 97 else _NONE
    words = np.empty((BATCH, 6), np.uint64)
    p = state[POSITION]
    for document in range(state[DOCUMENT], len(bounds) - 1):
        begin, end = bounds[document], bounds[document + 1]
        state[DOCUMENT] = document
        while p < end:
            p, n_words, slow = _cut(data, wide, p, end, case, slots, words)
            entered = _number(words, n_words, buffer, state, slots, ends, pool, out)
            if entered < n_words:
                state[POSITION] = np.int64(words[entered, 4])
                return FULL
            if slow:
                p = _go_through(
                    data, p, begin, end, state, plain, classes, shifts, orders, slots, ends, pool,
                    buffer, out, odd_bounds,
                )  # fmt: skip
                if p < 0:
                    return FULL
        p = end
        out_ends[document] = state[TOKENS]
    return DONE
