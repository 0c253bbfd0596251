"""A vocabulary in whatever form it is handed over: words, a file, a fitted vectorizer, a dictionary."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tealeaves.errors import InputError
from tealeaves.readers._files import read_lines


def words_of(vocabulary: Any) -> tuple[str, ...] | None:
    """The words of ``vocabulary`` in the order of their ids, or None for None.

    It may be a list of words; the path of a file with a word a line; anything with
    ``get_feature_names_out``; or a dict from id to word or from word to id, gensim's ``Dictionary`` too.

    Examples
    --------
    >>> words_of({"oil": 1, "gas": 0})
    ('gas', 'oil')
    """
    if vocabulary is None:
        return None
    if isinstance(vocabulary, str | os.PathLike):
        return read_vocabulary(Path(vocabulary))
    if hasattr(vocabulary, "get_feature_names_out"):
        try:
            return tuple(map(str, vocabulary.get_feature_names_out()))
        except Exception as error:  # of a foreign class, NotFittedError among them
            kind = type(vocabulary).__name__
            raise InputError(f"this {kind} cannot tell its words: {error}; is it fitted?") from None
    if isinstance(vocabulary, Mapping) or hasattr(vocabulary, "keys"):
        return words_by_id(vocabulary)
    if hashes(vocabulary):
        raise InputError(no_words(vocabulary))
    if not isinstance(vocabulary, Iterable):
        kind = type(vocabulary).__name__
        wanted = "words in the order of columns, a path, a fitted vectorizer or a dict"
        raise InputError(f"vocabulary must be {wanted}, not {kind}")
    return tuple(vocabulary)


def hashes(vectorizer: Any) -> bool:
    """Whether it is a vectorizer that hashes words, as scikit-learn's HashingVectorizer does."""
    return hasattr(vectorizer, "n_features") and hasattr(vectorizer, "alternate_sign")


def no_words(vectorizer: Any) -> str:
    """Why a vectorizer that hashes cannot name its columns, and what to do."""
    why = f"a {type(vectorizer).__name__} keeps no words, only numbers made of them"
    return f"{why}; fit a CountVectorizer or TfidfVectorizer instead"


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """The words of a file with one a line."""
    return tuple(read_lines(path))


def words_by_id(dictionary: Any) -> tuple[str, ...]:
    """The words of a dict from id to word or from word to id; every id from 0 on must be there."""
    items = [(key, dictionary[key]) for key in list(dictionary.keys())]  # gensim's need keys()
    if items and isinstance(items[0][0], str):
        items = [(i, word) for word, i in items]
    try:
        words = {int(i): word for i, word in items}
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            "the dictionary must be from id to word or from word to id, ids whole numbers"
        ) from None
    missing = next((i for i in range(len(words)) if i not in words), None)
    if missing is not None:
        raise InputError(f"the dictionary has {len(words)} words, but none with the id {missing}")
    return tuple(words[i] for i in range(len(words)))
