"""Vectors of words that somebody hands over: word embeddings."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

Floats = NDArray[np.float64]
WANTED = "a mapping word -> vector, a pair (words, matrix) or gensim's KeyedVectors"
SAMPLE = 1000  # words whose vectors tell one set of embeddings from another


class WordVectors:
    """Vectors by word, all of one length; none of a word is a fact, not an error.

    Parameters
    ----------
    given : mapping, pair or KeyedVectors
        ``{word: vector}``, ``(words, matrix)`` with a row for each word, or what gensim loads.

    Raises
    ------
    InputError
        If it is none of these, or words and rows are not as many.

    Examples
    --------
    >>> vectors = WordVectors({"oil": [1.0, 0.0], "gas": [0.0, 1.0]})
    >>> vectors.rows(["gas", "tin"])
    array([[ 0.,  1.],
           [nan, nan]])
    """

    def __init__(self, given: Any) -> None:
        if hasattr(given, "index_to_key") and hasattr(given, "vectors"):
            given = (given.index_to_key, given.vectors)
        self._rows: Mapping[str, Any] | Sequence[Any] | NDArray[Any]
        self._place: dict[str, int] | None = None
        if isinstance(given, Mapping):
            self._rows = given
        elif isinstance(given, tuple) and len(given) == 2:
            words, matrix = list(given[0]), np.asarray(given[1])
            if matrix.ndim != 2 or len(matrix) != len(words):
                raise InputError(
                    f"vectors=(words, matrix) needs a row for each word; got {len(words)} words "
                    f"and a matrix of shape {matrix.shape}"
                )
            self._rows = matrix
            self._place = {word: i for i, word in enumerate(words)}
        else:
            raise InputError(f"vectors must be {WANTED}; got {type(given).__name__}")

    def _vector(self, word: str) -> Floats | None:
        given: Any = None
        if self._place is None:
            given = self._rows.get(word)  # type: ignore[union-attr]
        elif word in self._place:
            given = self._rows[self._place[word]]  # type: ignore[index]
        if given is None:
            return None
        try:
            vector = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"the vector of {word!r} is no list of numbers") from None
        if vector.ndim != 1 or not np.isfinite(vector).all():
            raise InputError(f"the vector of {word!r} is no list of finite numbers")
        return vector

    def rows(self, words: Sequence[str]) -> Floats:
        """The vectors of ``words``, (W, dimensions); nan for a word that has none.

        Raises
        ------
        InputError
            If a vector is no list of finite numbers, or not as long as the others.
        """
        found = {i: vector for i, word in enumerate(words) if (vector := self._vector(word)) is not None}
        lengths = {len(vector): words[i] for i, vector in found.items()}
        if len(lengths) > 1:
            (a, first), (b, second) = list(lengths.items())[:2]
            raise InputError(f"vectors must be of one length, but {first!r} has {a} numbers, {second!r} {b}")
        result = np.full((len(words), next(iter(lengths), 1)), np.nan)
        for i, vector in found.items():
            result[i] = vector
        return result

    @cached_property
    def fingerprint(self) -> str:
        """64 hexadecimal digits of how many words there are and of a sample of their vectors."""
        words = sorted(map(str, self._place if self._place is not None else self._rows))
        digest = hashlib.sha256(f"tealeaves vectors 1 {len(words)} ".encode())
        for word in words[:: max(1, len(words) // SAMPLE)]:
            digest.update(f"{len(word)} {word} ".encode("utf-8", "surrogatepass"))
            vector = self._vector(word)
            if vector is not None:
                digest.update(vector.astype("<f8").tobytes())
        return digest.hexdigest()
