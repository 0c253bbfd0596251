"""Words of letters and marks straight from UTF-8 to ids: the fast twin of ``tealeaves.letters.words``.

What needs more than a look at one character (composition, a capital sigma, ...) is not done here: a stretch
between blanks that holds such a character is only noted, for the caller to cut by ``re``.
"""

import numpy as np
from numba import njit

OTHER, LETTER, MARK, ODD = 0, 1, 2, 3  # classes of characters
DONE, FULL = 0, 1
# the places of ``state``: where to go on, and how much of the arrays is in use
DOCUMENT, POSITION, TOKENS, ODDS, WORDS, BYTES = range(6)

TAG = np.uint64(0xFFFFFFFF00000000)  # a slot holds half of a word's hash and, below, its id
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)  # no word has this id

_START = np.uint64(0xCBF29CE484222325)  # FNV-1a, which takes a byte at a time
_PRIME = np.uint64(0x100000001B3)


@njit(nogil=True, cache=True)
def spread(hashed):  # type: ignore[no-untyped-def]
    """Mix the high bits into the low ones, which choose the slot."""
    hashed ^= hashed >> np.uint64(29)
    hashed *= np.uint64(0xBF58476D1CE4E5B9)
    return hashed ^ (hashed >> np.uint64(32))


@njit(nogil=True, inline="always")  # a call with so many arrays costs as much as the look-up
def _look_up(buffer, n, hashed, state, slots, hashes, ends, pool):  # type: ignore[no-untyped-def]
    """The id of the word of n bytes in ``buffer``, entered if new; -1 if there is no room."""
    hashed = spread(hashed)
    mask = np.uint64(len(slots) - 1)
    slot = hashed & mask
    while True:
        entry = slots[slot]
        if entry == EMPTY:
            break
        if (entry ^ hashed) & TAG == 0:
            word = np.int64(entry & ~TAG)
            begin = ends[word]
            if ends[word + 1] - begin == n:
                same = True
                for j in range(n):
                    if pool[begin + j] != buffer[j]:
                        same = False
                        break
                if same:
                    return word
        slot = (slot + np.uint64(1)) & mask
    word = state[WORDS]
    used = state[BYTES]
    if 2 * (word + 1) > len(slots) or word + 1 >= len(ends) or used + n > len(pool):
        return np.int64(-1)
    for j in range(n):
        pool[used + j] = buffer[j]
    ends[word + 1] = used + n
    hashes[word] = hashed
    slots[slot] = (hashed & TAG) | np.uint64(word)
    state[WORDS] = word + 1
    state[BYTES] = used + n
    return word


@njit(nogil=True, inline="always")
def _find(data, begin, end, hashed, plain, slots, ends, pool):  # type: ignore[no-untyped-def]
    """The id of the word that these ASCII letters are once they are ``plain``; -1 if it is not known yet."""
    hashed = spread(hashed)
    mask = np.uint64(len(slots) - 1)
    slot = hashed & mask
    found = np.int64(-1)
    while slots[slot] != EMPTY:
        entry = slots[slot]
        if (entry ^ hashed) & TAG == 0:
            word = np.int64(entry & ~TAG)
            first = ends[word]
            if ends[word + 1] - first == end - begin:
                same = True
                for j in range(end - begin):
                    if pool[first + j] != plain[data[begin + j]]:
                        same = False
                        break
                if same:
                    found = word
                    break
        slot = (slot + np.uint64(1)) & mask
    return found


@njit(nogil=True, cache=True)
def fill_slots(slots, hashes, n_words):  # type: ignore[no-untyped-def]
    """Enter words that are in the table already into a longer, empty ``slots``."""
    mask = np.uint64(len(slots) - 1)
    for word in range(n_words):
        slot = hashes[word] & mask
        while slots[slot] != EMPTY:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = (hashes[word] & TAG) | np.uint64(word)


@njit(nogil=True, cache=True)
def tokenize(  # type: ignore[no-untyped-def]
    data,
    bounds,
    state,
    plain,
    classes,
    shifts,
    orders,
    slots,
    hashes,
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
    plain : uint8 array of shape (128,)
        What an ASCII letter becomes; 0 for what is no letter.
    classes, shifts, orders : arrays over all code points
        The class, what lower case adds to the code point, the canonical combining class.
    slots, hashes, ends, pool
        The table of words: word i is ``pool[ends[i]:ends[i + 1]]``.
    out, out_ends : int32 and int64 arrays
        Ids and where each document's end; ``-1 - k`` stands for the words of odd stretch k.
    odd_bounds : int64 array of shape (_, 2)
        Where the odd stretches are in ``data``.

    Returns
    -------
    int
        FULL if the table must grow first (then call again), else DONE.
    """
    n_out = state[TOKENS]
    n_odd = state[ODDS]
    p = state[POSITION]
    for document in range(state[DOCUMENT], len(bounds) - 1):
        end = bounds[document + 1]
        while p < end:
            stretch, n_before = p, n_out
            n = 0  # bytes of the word so far
            hashed = _START
            last = 0  # combining class of the character before
            odd = False
            full = False
            while p < end:
                byte = data[p]
                if n == 0 and byte < 128 and plain[byte] != 0:
                    # a run of ASCII letters, as most words are: looked up where it stands
                    q = p
                    while q < end and data[q] < 128 and plain[data[q]] != 0:
                        hashed = (hashed ^ np.uint64(plain[data[q]])) * _PRIME
                        q += 1
                    if q == end or data[q] < 128:  # no mark follows
                        word = _find(data, p, q, hashed, plain, slots, ends, pool)
                        if word >= 0:
                            out[n_out] = word
                            n_out += 1
                            p, last, hashed = q, 0, _START
                            continue
                    hashed = _START
                if byte < 128:
                    p += 1
                    last = 0
                    letter = plain[byte]
                    if letter != 0:
                        if n + 4 > len(buffer):
                            odd = True
                            break
                        buffer[n] = letter
                        n += 1
                        hashed = (hashed ^ np.uint64(letter)) * _PRIME
                        continue
                    if n > 0:
                        word = _look_up(buffer, n, hashed, state, slots, hashes, ends, pool)
                        if word < 0:
                            full = True
                            break
                        out[n_out] = word
                        n_out += 1
                        n = 0
                        hashed = _START
                    if byte <= 32:
                        break
                    continue
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
                if kind == ODD or (order != 0 and order < last) or n + 4 > len(buffer):
                    odd = True
                    break
                last = order
                if kind == LETTER or (kind == MARK and n > 0):
                    code += shifts[code]
                    before = n
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
                    for j in range(before, n):
                        hashed = (hashed ^ np.uint64(buffer[j])) * _PRIME
                elif n > 0:
                    word = _look_up(buffer, n, hashed, state, slots, hashes, ends, pool)
                    if word < 0:
                        full = True
                        break
                    out[n_out] = word
                    n_out += 1
                    n = 0
                    hashed = _START
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
                word = _look_up(buffer, n, hashed, state, slots, hashes, ends, pool)
                full = word < 0
                if not full:
                    out[n_out] = word
                    n_out += 1
            if full:
                state[DOCUMENT], state[POSITION], state[TOKENS], state[ODDS] = (
                    document,
                    stretch,
                    n_before,
                    n_odd,
                )
                return FULL
        out_ends[document] = n_out
    state[DOCUMENT], state[POSITION], state[TOKENS], state[ODDS] = len(bounds) - 1, p, n_out, n_odd
    return DONE
