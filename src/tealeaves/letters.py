"""Words of letters with their marks: the plain way by ``re``, and the same over UTF-8 by a kernel.

A word is a letter (Unicode category L) followed by letters, marks (M) and the joiners U+200C and U+200D.
The text is normalised first: soft hyphens go, characters are composed (NFC), then lower case if wanted.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SOFT_HYPHEN = "\u00ad"
JOINERS = "\u200c\u200d"  # Persian, Malayalam, Sinhala ... spell words with them
FINAL_SIGMA = "\u03a3"  # its lower case depends on what follows
N_CODES = 0x110000
ROOM = 8  # bytes that the kernel reads at a time
LONGEST = 1024  # bytes of a word that the kernel takes; longer ones go through ``re``
# All letters and marks lie in planes 0-3, but for the variation selectors of plane 14 (a test sees to it).
BLOCK = 256
WRITTEN = (range(0x40000), range(0xE0000, 0xE1000))


def normalise(text: str, *, lower: bool = True) -> str:
    """The text without soft hyphens, composed (NFC), and in lower case if wanted.

    >>> normalise("Cafe\u0301 CO\u00adOP")
    'café coop'
    """
    text = unicodedata.normalize("NFC", text.replace(SOFT_HYPHEN, ""))
    return text.lower() if lower else text


def words(text: str, *, lower: bool = True) -> list[str]:
    """The words of a text, one by one through ``re``.

    >>> words("Don't fear 2 naïve cafés!")
    ['don', 't', 'fear', 'naïve', 'cafés']
    """
    return letters_pattern().findall(normalise(text, lower=lower))


@cache
def letters_pattern() -> re.Pattern[str]:
    """A letter, then letters, marks and joiners: classes without a name in ``re``, so they are spelt out."""
    categories = [(code, unicodedata.category(chr(code))[0]) for code in chain(*WRITTEN)]
    letters = _ranges([code for code, category in categories if category == "L"])
    marks = _ranges([code for code, category in categories if category == "M"])
    # The first part only saves time: blanks and signs need not be looked for in the long classes.
    return re.compile(rf"(?![\W\d_])[{letters}][{letters}{marks}{JOINERS}]*")


class Tables(NamedTuple):
    """What the kernel has to know of each code point."""

    plain: NDArray[np.uint8]
    classes: NDArray[np.uint8]
    shifts: NDArray[np.int32]
    orders: NDArray[np.uint8]


@cache
def tables(lower: bool) -> Tables:
    """Tables for the kernel, from Python's own Unicode data."""
    from tealeaves._kernels.tokenize import LETTER, MARK, ODD, OTHER

    classes, shifts = np.zeros(N_CODES, np.uint8), np.zeros(N_CODES, np.int32)
    orders = np.zeros(N_CODES, np.uint8)
    kinds = {"L": LETTER, "M": MARK}
    melting: list[int] = []
    for block in (codes[i : i + BLOCK] for codes in WRITTEN for i in range(0, len(codes), BLOCK)):
        text = "".join(map(chr, block))
        categories = [unicodedata.category(character)[0] for character in text]
        classes[block.start : block.stop] = [kinds.get(category, OTHER) for category in categories]
        composed = all(unicodedata.is_normalized(form, text) for form in ("NFC", "NFD"))
        if composed and "M" not in categories and not (lower and text.lower() != text):
            continue  # most blocks: nothing composes, nothing has a case
        for code, character in zip(block, text, strict=True):
            small = character.lower() if lower else character
            if len(small) != 1 or not unicodedata.is_normalized("NFC", character):
                classes[code] = ODD
            elif small != character:
                classes[code] = kinds.get(unicodedata.category(small)[0], OTHER)
                shifts[code] = ord(small) - code
            orders[code] = unicodedata.combining(character)
            parts = unicodedata.decomposition(character).split()
            if len(parts) == 2 and not parts[0].startswith("<"):
                melting.append(int(parts[1], 16))  # into the character before it
    classes[melting] = ODD
    classes[[ord(joiner) for joiner in JOINERS]] = MARK
    classes[0x1161:0x1176] = classes[0x11A8:0x11C3] = ODD  # so may the vowels and finals of Hangul
    classes[ord(SOFT_HYPHEN)] = ODD
    if lower:
        classes[ord(FINAL_SIGMA)] = ODD
    ascii_letter = classes[:128] == LETTER
    plain = np.where(ascii_letter, np.arange(128) + shifts[:128], 0).astype(np.uint8)
    return Tables(plain, classes, shifts, orders)


@dataclass(frozen=True)
class Texts:
    """Texts in UTF-8: text i is ``data[bounds[i] : bounds[i + 1]]``, and ``data`` has `ROOM` bytes more.

    Examples
    --------
    >>> texts = Texts.of(["Oil", "", "gas"])
    >>> len(texts), texts.bounds.tolist(), list(texts)
    (3, [0, 3, 3, 6], ['Oil', '', 'gas'])
    """

    data: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Texts":
        """Texts of Python; half a surrogate pair, as JSON may hold, is kept."""
        pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
        data = np.frombuffer(b"".join([*pieces, bytes(ROOM)]), np.uint8)
        return cls.cut(data, np.fromiter(map(len, pieces), np.int64, len(pieces)))

    @classmethod
    def cut(cls, data: NDArray[np.uint8], lengths: NDArray[np.int64]) -> "Texts":
        """Texts of these lengths one after the other."""
        bounds = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=bounds[1:])
        data = data.view()
        data.flags.writeable = False  # kernels are compiled once for each kind of array
        return cls(data, bounds)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __iter__(self) -> Iterator[str]:
        for first, end in pairwise(self.bounds.tolist()):
            yield self.data[first:end].tobytes().decode("utf-8", "surrogatepass")

    @property
    def wide(self) -> NDArray[np.uint64]:
        """The eight bytes from each byte on."""
        return np.ndarray(len(self.data) - ROOM + 1, np.uint64, self.data, strides=(1,))


class Tokenizer:
    """Cuts texts into ids of words; it keeps its own table of words and serves one thread at a time.

    Examples
    --------
    >>> tokenizer = Tokenizer()
    >>> ids, lengths = tokenizer.encode(["Oil and gas", "", "GAS, cafe\u0301s"])
    >>> ids.tolist(), lengths.tolist()
    ([0, 1, 2, 2, -1], [3, 0, 2])
    >>> tokenizer.words()
    ['oil', 'and', 'gas', 'cafés']
    """

    def __init__(self, *, lower: bool = True) -> None:
        self._lower, self._tables = lower, tables(lower)
        self._slots = _empty_slots(1 << 15)
        self._ends = np.zeros((1 << 15) + 1, np.int64)
        self._pool = np.zeros(1 << 18, np.uint8)
        self._n_words = self._n_bytes = 0
        self._buffer = np.zeros(LONGEST, np.uint8)
        self._odd_words: dict[str, int] = {}  # words met in odd stretches: id -1 - i
        self._odd_stretches: dict[bytes, list[int]] = {}

    def words(self) -> list[str]:
        """The words, so placed that an id is an index: negative ids count from the end."""
        pool, ends = self._pool.tobytes(), self._ends[: self._n_words + 1].tolist()
        usual = [pool[i:j].decode() for i, j in pairwise(ends)]
        return usual + list(self._odd_words)[::-1]

    def encode(self, texts: Texts | Iterable[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Ids of the words of all texts in a row, and how many each text has."""
        from tealeaves._kernels.tokenize import BYTES, DONE, ODDS, TOKENS, WORDS, tokenize

        if not isinstance(texts, Texts):
            texts = Texts.of(texts)
        data, wide, bounds = texts.data, texts.wide, texts.bounds
        out = np.empty(
            int(bounds[-1]) // 2 + len(bounds), np.int32
        )  # a word and a gap are two bytes at least
        ends = np.zeros(len(bounds) - 1, np.int64)
        odd = np.zeros((1024, 2), np.int64)
        state = np.zeros(6, np.int64)
        state[WORDS], state[BYTES] = self._n_words, self._n_bytes
        while True:
            table = (self._slots, self._ends, self._pool)
            code = tokenize(data, wide, bounds, state, *self._tables, *table, self._buffer, out, ends, odd)
            self._n_words, self._n_bytes = int(state[WORDS]), int(state[BYTES])
            if code == DONE:
                break
            if state[ODDS] >= len(odd):
                odd = np.concatenate([odd, np.zeros_like(odd)])
            else:
                self._grow()
        ids, n_odd = out[: state[TOKENS]], int(state[ODDS])
        if n_odd:
            cut = [self._cut(data[i:j].tobytes()) for i, j in odd[:n_odd].tolist()]
            ids, ends = _put_in(ids, ends, cut)
        else:
            ids = ids.copy()  # let the long array go
        return ids, np.diff(ends, prepend=0)

    def _cut(self, stretch: bytes) -> list[int]:
        known = self._odd_stretches.get(stretch)
        if known is None:
            found = words(stretch.decode("utf-8", "surrogatepass"), lower=self._lower)
            known = [-1 - self._odd_words.setdefault(word, len(self._odd_words)) for word in found]
            self._odd_stretches[stretch] = known
        return known

    def _grow(self) -> None:
        from tealeaves._kernels.tokenize import fill_slots

        slots = _empty_slots(2 * len(self._slots))
        fill_slots(self._slots, slots)
        self._slots = slots
        self._ends = np.concatenate([self._ends, np.zeros(len(self._ends) - 1, np.int64)])
        self._pool = np.concatenate([self._pool, np.zeros(len(self._pool), np.uint8)])


def _empty_slots(n: int) -> NDArray[np.uint64]:
    """Room for n words, each within one line of the processor's cache."""
    from tealeaves._kernels.tokenize import ENTRY

    room = np.zeros((n + 2) * ENTRY, np.uint64)
    first = -(room.ctypes.data // 8) % (2 * ENTRY)
    return room[first : first + n * ENTRY].reshape(n, ENTRY)


def _put_in(
    ids: NDArray[np.int32], ends: NDArray[np.int64], cut: list[list[int]]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Replace each stand-in for an odd stretch, ``-1 - k``, by the ids of its words."""
    places = np.flatnonzero(ids < 0)
    times = np.ones(len(ids), np.int64)
    times[places] = [len(found) for found in cut]
    reach = np.concatenate([[0], np.cumsum(times)])
    out = np.repeat(ids, times)
    out[np.repeat(ids < 0, times)] = np.fromiter(chain.from_iterable(cut), np.int32)
    return out, reach[ends]


def _ranges(codes: Sequence[int]) -> str:
    """Sorted code points as the inside of a character class."""
    array = np.array(codes)
    breaks = np.flatnonzero(np.diff(array) != 1) + 1
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in np.split(array, breaks))
