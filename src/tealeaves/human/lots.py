"""Drawing lots: which of several things is taken, and in which order, by a hash of what is drawn for whom."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T", str, int)


class Lots:
    """Draws for one purpose, such as one topic of one model; another purpose has draws of its own.

    Each thing's lot is a hash of the purpose and the thing, and the smallest lots win. So a draw depends on
    neither the order in which things come, nor on what was drawn before for other topics, nor on the version
    of a library; and leaving one thing out changes nothing but its own place.

    Examples
    --------
    >>> lots = Lots(3, "word_intrusion", "lda", 0)
    >>> lots.order(["oil", "gas", "tax"]) == lots.order(["tax", "gas", "oil"])
    True
    >>> lots.order(["oil", "gas", "tax"]), lots.of("again").order(["oil", "gas", "tax"])
    (['tax', 'oil', 'gas'], ['oil', 'tax', 'gas'])
    """

    def __init__(self, *purpose: object) -> None:
        self.purpose = purpose
        self._start = hashlib.sha256(json.dumps([*map(str, purpose)]).encode())

    def of(self, *more: object) -> "Lots":
        """Other lots, for a part of the same purpose."""
        return Lots(*self.purpose, *more)

    def order(self, things: Iterable[T]) -> list[T]:
        """All things in random order."""
        return sorted(things, key=self._lot)

    def one(self, things: Iterable[T]) -> T:
        """One of the things."""
        return min(things, key=self._lot)

    def numbers(self, n: int) -> Iterator[int]:
        """The numbers from 0 to n - 1 in random order, drawn one by one: for n of any size."""
        seen: set[int] = set()
        turn = 0
        while len(seen) < n:
            number = int.from_bytes(self._lot(turn)) % n  # 256 bits: no number is favoured
            turn += 1
            if number not in seen:
                seen.add(number)
                yield number

    def _lot(self, thing: str | int) -> bytes:
        lot = self._start.copy()
        lot.update(str(thing).encode("utf-8", "surrogatepass"))
        return lot.digest()
