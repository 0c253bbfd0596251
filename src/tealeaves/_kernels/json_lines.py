"""JSON Lines read where they stand: the strings of some fields, without an object of Python for each line.

Exactly what ``json.loads`` takes is taken, and less: a line with anything that is rare (an escaped name, NaN,
deep nesting, a mistake) is odd, and left to ``json.loads``, which also says what is wrong with it.
"""

import numpy as np
from numba import njit

MISSING, NULL, STRING, OTHER = 0, 1, 2, 3  # kinds of values; what is escaped, a number or nested is OTHER
DEEPEST = 60  # of nesting
LONGEST = 4000  # characters of a number

_NONE, _ONE, _SEVEN, _TOP = np.uint64(0), np.uint64(1), np.uint64(7), np.uint64(56)
_HIGH, _LOW = np.uint64(0x8080808080808080), np.uint64(0x7F7F7F7F7F7F7F7F)
_QUOTES, _SLASHES = np.uint64(0x2222222222222222), np.uint64(0x5C5C5C5C5C5C5C5C)
_FROM_BLANK = np.uint64(0x6060606060606060)  # added to a byte: its high bit is set from the blank on
_COUNT = np.uint64(0x0001020304050607)
_QUOTE, _SLASH, _COMMA, _COLON = 0x22, 0x5C, 0x2C, 0x3A
_OBJECT, _ARRAY = 0x7B, 0x5B  # they end two code points further on
_PLAIN = np.zeros(128, np.uint8)  # what stands for itself, or for a control character, after a backslash
for _written, _meant in zip(b'"\\/bfnrt', b'"\\/\b\f\n\r\t', strict=True):
    _PLAIN[_written] = _meant


@njit(nogil=True, inline="always")
def _ordinary(eight):  # type: ignore[no-untyped-def]
    """How many of eight bytes come before a quote, a backslash, a control or a byte of no ASCII character."""
    low = eight & _LOW
    quotes = ((eight ^ _QUOTES) & _LOW) + _LOW
    slashes = ((eight ^ _SLASHES) & _LOW) + _LOW
    marks = (~(quotes & slashes & (low + _FROM_BLANK)) | eight) & _HIGH
    if marks == _NONE:
        return 8
    return np.int64((((marks & (~marks + _ONE)) >> _SEVEN) * _COUNT) >> _TOP)


@njit(nogil=True)
def _character(data, p):  # type: ignore[no-untyped-def]
    """The bytes of the character at p, which is not ASCII; 0 if it is no UTF-8."""
    first, second = data[p], data[p + 1]
    low, high = 0x80, 0xBF
    if 0xC2 <= first <= 0xDF:
        n = 2
    elif 0xE0 <= first <= 0xEF:
        n = 3
        low = 0xA0 if first == 0xE0 else 0x80
        high = 0x9F if first == 0xED else 0xBF  # no surrogates
    elif 0xF0 <= first <= 0xF4:
        n = 4
        low = 0x90 if first == 0xF0 else 0x80
        high = 0x8F if first == 0xF4 else 0xBF
    else:
        return 0
    if not low <= second <= high:
        return 0
    for j in range(2, n):
        if data[p + j] & 0xC0 != 0x80:
            return 0
    return n


@njit(nogil=True)
def _hex(data, p):  # type: ignore[no-untyped-def]
    """The number that four digits are; -1 if they are none."""
    code = np.int64(0)
    for j in range(4):
        digit = np.int64(data[p + j])
        if 48 <= digit <= 57:
            digit -= 48
        elif 97 <= digit | 32 <= 102:
            digit = (digit | 32) - 87
        else:
            return -1
        code = 16 * code + digit
    return code


@njit(nogil=True)
def _escape(data, p):  # type: ignore[no-untyped-def]
    """What the escape at p stands for and where it ends; -1 if it is none. Pairs of surrogates are one."""
    kind = data[p + 1]
    if kind != 0x75:
        code = np.int64(_PLAIN[kind]) if kind < 128 else 0
        return (code if code else -1), p + 2
    code = _hex(data, p + 2)
    if 0xD800 <= code < 0xDC00 and data[p + 6] == _SLASH and data[p + 7] == 0x75:
        second = _hex(data, p + 8)
        if 0xDC00 <= second < 0xE000:
            return 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00), p + 12
    return code, p + 6


@njit(nogil=True)
def _string(data, wide, p):  # type: ignore[no-untyped-def]
    """Where the quote is that closes the string whose first character is at p, and whether it is escaped.

    -1 if there is none, or the string holds what is no UTF-8, a control character or a wrong escape.
    """
    escaped = False
    while True:
        n = _ordinary(wide[p])
        p += n
        if n == 8:
            continue
        byte = data[p]
        if byte == _QUOTE:
            return p, escaped
        if byte >= 128:
            n = _character(data, p)
            if n == 0:
                return -1, escaped
            p += n
        elif byte == _SLASH:
            escaped = True
            code, p = _escape(data, p)
            if code < 0:
                return -1, escaped
        else:
            return -1, escaped


@njit(nogil=True)
def _copy(data, wide, p, end, escaped, out, wide_out, used):  # type: ignore[no-untyped-def]
    """Write what the string from p to ``end`` says behind what is used of ``out``; how much is used then."""
    while p < end:
        n = _ordinary(wide[p]) if escaped else 8
        wide_out[used] = wide[p]
        n = min(n, end - p)
        p += n
        used += n
        if n == 8 or p >= end:
            continue
        if data[p] == _SLASH:
            code, p = _escape(data, p)
            used = _write(code, out, used)
        else:
            out[used] = data[p]
            p += 1
            used += 1
    return used


@njit(nogil=True)
def _write(code, out, used):  # type: ignore[no-untyped-def]
    """Write a code point as UTF-8, half a surrogate pair too."""
    if code < 0x80:
        out[used] = code
        return used + 1
    if code < 0x800:
        out[used] = 0xC0 | (code >> 6)
        out[used + 1] = 0x80 | (code & 0x3F)
        return used + 2
    if code < 0x10000:
        out[used] = 0xE0 | (code >> 12)
        out[used + 1] = 0x80 | ((code >> 6) & 0x3F)
        out[used + 2] = 0x80 | (code & 0x3F)
        return used + 3
    out[used] = 0xF0 | (code >> 18)
    out[used + 1] = 0x80 | ((code >> 12) & 0x3F)
    out[used + 2] = 0x80 | ((code >> 6) & 0x3F)
    out[used + 3] = 0x80 | (code & 0x3F)
    return used + 4


@njit(nogil=True)
def _blank(data, p):  # type: ignore[no-untyped-def]
    """Where blanks end."""
    while data[p] == 32 or data[p] == 9 or data[p] == 13:
        p += 1
    return p


@njit(nogil=True)
def _digits(data, p):  # type: ignore[no-untyped-def]
    """Where digits end; -1 if there are none."""
    first = p
    while 48 <= data[p] <= 57:
        p += 1
    return p if first < p <= first + LONGEST else -1


@njit(nogil=True)
def _is(data, p, word):  # type: ignore[no-untyped-def]
    for j in range(len(word)):  # noqa: SIM110 (a generator is no loop for numba)
        if data[p + j] != word[j]:
            return False
    return True


_TRUE, _FALSE, _NULL = (np.frombuffer(word, np.uint8) for word in (b"true", b"false", b"null"))


@njit(nogil=True)
def _scalar(data, wide, p):  # type: ignore[no-untyped-def]
    """Where the string, number or name at p ends; -1 if it is none."""
    byte = data[p]
    if byte == _QUOTE:
        p, _ = _string(data, wide, p + 1)
        return p + 1 if p >= 0 else -1
    if byte == 0x74:
        return p + 4 if _is(data, p, _TRUE) else -1
    if byte == 0x66:
        return p + 5 if _is(data, p, _FALSE) else -1
    if byte == 0x6E:
        return p + 4 if _is(data, p, _NULL) else -1
    if byte == 0x2D:
        p += 1
    p = p + 1 if data[p] == 48 else _digits(data, p)
    if p >= 0 and data[p] == 0x2E:
        p = _digits(data, p + 1)
    if p >= 0 and data[p] | 32 == 0x65:
        p += 2 if data[p + 1] == 0x2B or data[p + 1] == 0x2D else 1
        p = _digits(data, p)
    return p


@njit(nogil=True)
def _name(data, wide, p):  # type: ignore[no-untyped-def]
    """Where the value begins of which the name is at p; -1 if there is no name and colon."""
    if data[p] != _QUOTE:
        return -1
    p = _scalar(data, wide, p)
    if p < 0:
        return -1
    p = _blank(data, p)
    return _blank(data, p + 1) if data[p] == _COLON else -1


@njit(nogil=True)
def _value(data, wide, p):  # type: ignore[no-untyped-def]
    """Where the value at p and blanks after it end; -1 if it is odd."""
    depth, objects = 0, _NONE  # a bit for each bracket that is open: whether it is that of an object
    while True:
        byte = data[p]
        if byte == _OBJECT or byte == _ARRAY:  # noqa: SIM109 (the same)
            depth += 1
            if depth > DEEPEST:
                return -1
            objects = (objects << _ONE) | (_ONE if byte == _OBJECT else _NONE)
            p = _blank(data, p + 1)
            if data[p] != byte + 2:
                if byte == _OBJECT:
                    p = _name(data, wide, p)
                    if p < 0:
                        return -1
                continue
        else:
            p = _scalar(data, wide, p)
            if p < 0:
                return -1
            p = _blank(data, p)
        while depth > 0:
            inside = objects & _ONE != _NONE
            if data[p] == _COMMA:
                p = _blank(data, p + 1)
                if inside:
                    p = _name(data, wide, p)
                    if p < 0:
                        return -1
                break
            if data[p] != (_OBJECT if inside else _ARRAY) + 2:
                return -1
            depth -= 1
            objects >>= _ONE
            p = _blank(data, p + 1)
        if depth == 0:
            return p


@njit(nogil=True, cache=True)
def read_lines(  # type: ignore[no-untyped-def]
    data, wide, names, name_ends, kinds, spans, out, wide_out, ends
):
    """Read the objects of a block of lines: the first name's strings to ``out``, where the others' stand.

    Parameters
    ----------
    data, wide : uint8 and uint64 arrays
        The lines, and the eight bytes from each byte of them on; zeros follow the last line.
    names, name_ends : uint8 and int64 arrays
        The names of the fields that are wanted, one after the other.
    kinds, spans : arrays of shape (lines, fields) and (lines, fields, 2)
        What each value is, and where: a string from its quote to the next.
    out, wide_out, ends : uint8, uint64 and int64 arrays
        The strings of the first field as UTF-8 one after the other, and where each ends.

    Returns
    -------
    int
        How many objects there are; -1 if one is odd.
    """
    n = used = p = 0
    size = len(data) - 8
    n_names = len(name_ends)
    while True:
        p = _blank(data, p)
        if p >= size:
            return n
        if data[p] == 10:
            p += 1
            continue
        if data[p] != _OBJECT:
            return -1
        start = used
        p = _blank(data, p + 1)
        more = data[p] != _OBJECT + 2
        while more:
            if data[p] != _QUOTE:
                return -1
            name = p + 1
            p, escaped = _string(data, wide, name)
            if p < 0 or escaped:
                return -1
            length = p - name
            p = _blank(data, p + 1)
            if data[p] != _COLON:
                return -1
            p = _blank(data, p + 1)
            first = -1  # of the wanted fields that are called so
            begin = 0
            for field in range(n_names):
                if name_ends[field] - begin == length and _is(data, name, names[begin : name_ends[field]]):
                    first = field if first < 0 else first
                begin = name_ends[field]
            value = p
            kind = NULL if data[p] == 0x6E else OTHER
            if first == 0:
                used = start  # should the name come twice, its last value counts
            if data[p] == _QUOTE:
                end, escaped = _string(data, wide, p + 1)
                if end < 0:
                    return -1
                if first == 0:
                    used = _copy(data, wide, p + 1, end, escaped, out, wide_out, used)
                if first == 0 or not escaped:
                    kind = STRING
                end += 1
                p = _blank(data, end)
            else:
                end = p = _value(data, wide, p)
                if end < 0:
                    return -1
            if first >= 0:
                kinds[n, first] = kind
                spans[n, first, 0], spans[n, first, 1] = value, end
            more = data[p] == _COMMA
            if more:
                p = _blank(data, p + 1)
            elif data[p] != _OBJECT + 2:
                return -1
        p = _blank(data, p + 1)
        if p < size and data[p] != 10:
            return -1
        ends[n] = used
        n += 1
