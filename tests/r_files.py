"""Files as R writes them with ``saveRDS(x, file, ascii = TRUE)``: no R is needed to test their reader."""

import numpy as np

NULL, SYMBOL, PAIRS, CHARS, INTEGERS, DOUBLES, STRINGS, LIST, S4 = 254, 1, 2, 9, 13, 14, 16, 19, 25
ATTRIBUTES, TAG, OBJECT = 1 << 9, 1 << 10, 1 << 8


class Slots(dict):
    """An S4 object: its slots, with its class under "class"."""


def matrix(values, rows=None, columns=None):
    """A matrix with dimnames."""
    return np.asarray(values), rows, columns


def rds(thing) -> str:
    """The object as an ASCII .rds file of version 2."""
    return "A\n2\n262144\n131840\n" + "".join(f"{line}\n" for line in _lines(thing))


def _lines(thing):
    if thing is None:
        return [NULL]
    if isinstance(thing, tuple):
        values, rows, columns = thing
        named = [] if rows is None and columns is None else [("dimnames", [rows, columns])]
        dims = np.array(values.shape, dtype=np.int32)
        return _vector(values.T.ravel(), [("dim", dims), *named])
    if isinstance(thing, Slots):
        return [S4 | ATTRIBUTES | OBJECT | (1 << 16), *_pairs(list(thing.items()))]
    if isinstance(thing, dict):
        parts = [line for value in thing.values() for line in _lines(value)]
        return [LIST | ATTRIBUTES, len(thing), *parts, *_pairs([("names", list(thing))])]
    if isinstance(thing, list) and (not thing or all(isinstance(item, str) for item in thing)):
        return [STRINGS, len(thing), *(line for item in thing for line in _chars(item))]
    if isinstance(thing, list):
        return [LIST, len(thing), *(line for value in thing for line in _lines(value))]
    if isinstance(thing, str):
        return _lines([thing])
    values = np.atleast_1d(np.asarray(thing))
    if values.ndim == 2:
        return _lines((values, None, None))
    return _vector(values, [])


def _vector(values, attributes):
    whole = values.dtype.kind in "iu"
    flags = (INTEGERS if whole else DOUBLES) | (ATTRIBUTES if attributes else 0)
    return [flags, len(values), *map(repr, values.tolist()), *(_pairs(attributes) if attributes else [])]


def _pairs(items):
    lines = []
    for name, value in items:
        lines += [PAIRS | TAG, SYMBOL, *_chars(name), *_lines(value)]
    return [*lines, NULL]


def _chars(text):
    return [CHARS | (1 << 12 << 3), len(text.encode()), text]
