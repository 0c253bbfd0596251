"""Whole numbers out of the bytes of a text file: what corpora of counts are written as.

Each kernel fills the arrays that it is handed, whose length bounds what it reads, and returns how far it
came: how much it filled, the byte where it stopped and why (0 at the end of the text).
"""

import numpy as np
from numba import njit

NOT_A_NUMBER, NOT_WHOLE, TOO_LARGE, NEGATIVE, NO_COLON = range(1, 6)
NOT_AS_MANY, MORE, LEFT_OVER, NO_SUCH_DOC, NO_SUCH_WORD = range(6, 11)

LARGEST = 10**17
BLANK, TAB, RETURN, LINE, COLON, HASH, POINT, PLUS, MINUS = 32, 9, 13, 10, 58, 35, 46, 43, 45


@njit(nogil=True, cache=True)
def is_blank(byte):  # type: ignore[no-untyped-def]
    """Whether a byte is a blank inside a line."""
    return byte in (BLANK, TAB, RETURN)


@njit(nogil=True, cache=True)
def after_blanks(text, at):  # type: ignore[no-untyped-def]
    """The next byte of the line that is no blank, or its end."""
    while at < len(text) and is_blank(text[at]):
        at += 1
    return at


@njit(nogil=True, cache=True)
def number(text, at):  # type: ignore[no-untyped-def]
    """The whole number at a byte, written in any way ("4", "4.0", "4e+00"): (number, byte after it, code)."""
    n = len(text)
    sign = text[at] if at < n else 0
    if sign in (PLUS, MINUS):
        at += 1
    value, digits, behind, shift = np.int64(0), 0, False, 0
    while at < n:
        byte = text[at]
        if 48 <= byte <= 57:
            digits += 1
            if value < LARGEST // 10:
                value = value * 10 + np.int64(byte - 48)
                shift -= behind
            elif not behind:
                return value, at, TOO_LARGE
            elif byte != 48:
                return value, at, NOT_WHOLE
        elif byte == POINT and not behind:
            behind = True
        else:
            break
        at += 1
    if digits == 0:
        return value, at, NOT_A_NUMBER
    if at < n and (text[at] == 101 or text[at] == 69):  # e, E
        at += 1
        down = at < n and text[at] == MINUS
        if at < n and (text[at] == PLUS or text[at] == MINUS):
            at += 1
        exponent, digits = 0, 0
        while at < n and 48 <= text[at] <= 57:
            exponent = 10 * exponent + (text[at] - 48)
            if exponent > 1000:  # beyond any number; and no overflow
                exponent = 1000
            digits += 1
            at += 1
        if digits == 0:
            return value, at, NOT_A_NUMBER
        shift += -exponent if down else exponent
    if at < n and not (is_blank(text[at]) or text[at] == LINE or text[at] == COLON or text[at] == HASH):
        return value, at, NOT_A_NUMBER
    while value and shift < 0:
        if value % 10:
            return value, at, NOT_WHOLE
        value //= 10
        shift += 1
    while value and shift > 0:
        if value >= LARGEST // 10:
            return value, at, TOO_LARGE
        value *= 10
        shift -= 1
    return value, at, NEGATIVE if sign == MINUS and value else 0


@njit(nogil=True, cache=True)
def triples(text, at, n_docs, n_words, docs, words, counts, counted):  # type: ignore[no-untyped-def]
    """Lines "document word count", counted from 1, or without the count; -> (filled, byte, code)."""
    filled = 0
    while True:
        while at < len(text) and (is_blank(text[at]) or text[at] == LINE):
            at += 1
        if at == len(text):
            return filled, at, 0
        if filled == len(docs):
            return filled, at, MORE
        start = at
        doc, at, code = number(text, at)
        if code:
            return filled, at, code
        if doc < 1 or doc > n_docs:
            return filled, start, NO_SUCH_DOC
        at = after_blanks(text, at)
        start = at
        word, at, code = number(text, at)
        if code:
            return filled, at, code
        if word < 1 or word > n_words:
            return filled, start, NO_SUCH_WORD
        count = np.int64(1)
        at = after_blanks(text, at)
        if counted:
            start = at
            count, at, code = number(text, at)
            if code:
                return filled, start, code
            at = after_blanks(text, at)
        if at < len(text) and text[at] != LINE:
            return filled, at, LEFT_OVER
        docs[filled], words[filled], counts[filled] = doc - 1, word - 1, count
        filled += 1


@njit(nogil=True, cache=True)
def pairs(text, at, words, counts, filled):  # type: ignore[no-untyped-def]
    """Pairs "word:count" up to the end of a line or a #; -> (filled, byte, code)."""
    while True:
        at = after_blanks(text, at)
        if at == len(text) or text[at] == LINE or text[at] == HASH:
            return filled, at, 0
        word, at, code = number(text, at)
        if code:
            return filled, at, code
        if at == len(text) or text[at] != COLON:
            return filled, at, NO_COLON
        if word > 2**31 - 2:
            return filled, at, TOO_LARGE
        start = at + 1
        count, at, code = number(text, start)
        if code:
            return filled, start, code
        words[filled], counts[filled] = word, count
        filled += 1


@njit(nogil=True, cache=True)
def ldac(text, words, counts, ends):  # type: ignore[no-untyped-def]
    """Lines "M word:count word:count ..."; -> (documents, byte, code). ``ends``: of documents."""
    filled, docs, at = 0, 0, 0
    while True:
        while at < len(text) and (is_blank(text[at]) or text[at] == LINE):
            at += 1
        if at == len(text):
            return docs, at, 0
        start = at
        said, at, code = number(text, at)
        if code:
            return docs, at, code
        before = filled
        filled, at, code = pairs(text, at, words, counts, filled)
        if code:
            return docs, at, code
        if at < len(text) and text[at] == HASH:
            return docs, at, NOT_A_NUMBER
        if filled - before != said:
            ends[docs] = filled - before
            return docs, start, NOT_AS_MANY
        ends[docs] = filled
        docs += 1


@njit(nogil=True, cache=True)
def svmlight(text, words, counts, ends, labels, comments):  # type: ignore[no-untyped-def]
    """Lines "label word:count ... # comment"; -> (documents, byte, code).

    ``labels`` and ``comments`` take the first byte and the end of each, equal where there is none.
    """
    filled, docs, at = 0, 0, 0
    while True:
        while at < len(text) and (is_blank(text[at]) or text[at] == LINE):
            at += 1
        if at == len(text):
            return docs, at, 0
        if text[at] == HASH:  # a line of nothing but a comment
            while at < len(text) and text[at] != LINE:
                at += 1
            continue
        end, has_label = at, True
        while end < len(text) and not (is_blank(text[end]) or text[end] == LINE or text[end] == HASH):
            has_label = has_label and text[end] != COLON
            end += 1
        labels[docs, 0], labels[docs, 1] = at, end if has_label else at
        at = after_blanks(text, end if has_label else at)
        if at + 4 <= len(text) and text[at] == 113 and text[at + 1] == 105 and text[at + 2] == 100:  # qid:
            while at < len(text) and not (is_blank(text[at]) or text[at] == LINE):
                at += 1
        filled, at, code = pairs(text, at, words, counts, filled)
        if code:
            return docs, at, code
        comments[docs, 0] = comments[docs, 1] = at
        if at < len(text) and text[at] == HASH:
            while at < len(text) and text[at] != LINE:
                at += 1
            comments[docs, 0] += 1
            comments[docs, 1] = at
        ends[docs] = filled
        docs += 1
