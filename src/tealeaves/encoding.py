"""Documents as they are handed over, made arrays: ids of words, time slices, names; and what is refused."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.preprocess import Ids, Ints

Label = str | tuple[str, ...]
T = TypeVar("T")
BATCH = 20_000  # documents encoded at a time: an iterator is never held in memory as a whole


def encode_tokens(docs: Iterable[Iterable[str]]) -> tuple[Ids, Ints, list[str]]:
    """Tokens as ids, bounds of documents and the words in order of appearance: one pass, any iterable."""
    if isinstance(docs, str):
        raise InputError(
            "docs must be a list of lists of tokens, but is a string; use Corpus.from_texts([text])"
        )
    check_ordered("docs", docs)
    index: defaultdict[Any, int] = defaultdict()
    index.default_factory = index.__len__  # an unseen word gets the next id: the fastest way in plain Python
    lengths: list[NDArray[np.int64]] = []
    parts: list[Ids] = []
    first = 0
    for some in batches(docs):
        known = len(index)
        batch: list[Sequence[str]] = [
            doc if isinstance(doc, list | tuple) else _document(doc, first + i) for i, doc in enumerate(some)
        ]
        sizes = np.fromiter(map(len, batch), np.int64, len(batch))
        try:
            ids = map(index.__getitem__, chain.from_iterable(batch))
            parts.append(np.fromiter(ids, np.int32, int(sizes.sum())))
        except TypeError:  # something that cannot be a dictionary's key
            raise InputError(_wrong_token(batch, first)) from None
        if not all(isinstance(word, str) for word in islice(index, known, None)):
            raise InputError(_wrong_token(batch, first))
        lengths.append(sizes)
        first += len(batch)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))])
    return np.concatenate([np.zeros(0, np.int32), *parts]), offsets.astype(np.int64), list(index)


def places_of(
    words: Sequence[str], vocabulary: Iterable[object] | None
) -> tuple[Ids, tuple[str, ...], tuple[str, ...]]:
    """The place of each word in a vocabulary, by default its own in order; -1: none. Then that, and notes."""
    stripped = [str(word).strip() for word in words]
    padded = [word for word, bare in zip(words, stripped, strict=True) if word != bare and bare]
    notes: tuple[str, ...] = ()
    if padded:
        notes += (f"blanks at the ends of words were stripped ({len(padded)} words, such as {padded[0]!r})",)
    if "" in stripped:
        notes += ("tokens that are empty or blank count as outside the vocabulary and keep their place",)
    if vocabulary is not None:
        kept = check_vocabulary(vocabulary)
    else:
        kept = tuple(word for word in sorted(dict.fromkeys(stripped)) if word)  # mostly sorted before: quick
        if len(kept) == len(stripped) and kept == tuple(stripped):
            return np.arange(len(kept), dtype=np.int32), kept, notes
    index = {word: i for i, word in enumerate(kept)}
    new = np.fromiter(map(index.get, stripped, [-1] * len(stripped)), np.int32, len(stripped))
    return new, kept, notes


def order_slices(slices: Iterable[object]) -> tuple[Ids, tuple[str, ...]]:
    """The slice of each document and the labels of the slices, in order.

    Dates and numbers sort as such, text as text, but text that is whole numbers throughout as numbers.
    """
    given: list[Any] = [value.item() if isinstance(value, np.generic) else value for value in slices]
    for i, value in enumerate(given):
        if is_missing(value):
            raise InputError(f"document {i} (counted from 0) has no slice; leave it out or give it one")
    distinct = set(given)
    try:
        if all(isinstance(value, str) for value in distinct) and all(map(_is_whole, distinct)):
            ordered = sorted(distinct, key=lambda text: (int(text), text))
        else:
            ordered = sorted(distinct)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in distinct}))
        raise InputError(f"slices must be of one kind that can be put in order, but are {kinds}") from None
    shown = tuple(str(value) for value in ordered)
    if all(text.endswith(" 00:00:00") for text in shown):  # dates that a data frame keeps as times
        shown = tuple(text.removesuffix(" 00:00:00") for text in shown)
    place = {value: i for i, value in enumerate(ordered)}
    return np.fromiter(map(place.__getitem__, given), np.int32, len(given)), shown


def check_vocabulary(vocabulary: Iterable[object]) -> tuple[str, ...]:
    """The words, stripped of blanks at their ends; an error if one is empty, given twice or no string."""
    if isinstance(vocabulary, str):
        raise InputError(f"vocabulary must be a list of words, but is the string {vocabulary!r}")
    words: list[str] = []
    for i, word in enumerate(vocabulary):
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"the vocabulary holds {word!r} at {i} (counted from 0), which is no word")
        words.append(word.strip())
    repeated = _first_repeated(words)
    if repeated is not None:
        raise InputError(f"the vocabulary holds {repeated!r} twice")
    return tuple(words)


def check_ids(ids: Iterable[object]) -> tuple[str, ...]:
    """The names of documents as text; an error if one is missing or given twice."""
    names = []
    for i, name in enumerate(ids):
        if is_missing(name):
            raise InputError(f"document {i} (counted from 0) has no id")
        names.append(str(name))
    repeated = _first_repeated(names)
    if repeated is not None:
        raise InputError(f"two documents have the id {repeated!r}; ids must be unique")
    return tuple(names)


def as_label(value: object) -> Label:
    """A category as text, several as a tuple of them; none is ()."""
    if is_missing(value):
        return ()
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return tuple(str(one) for one in value)
    return str(value)


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """So many of them at a time."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def check_ordered(name: str, given: object) -> None:
    """Raise InputError for what cannot be gone through, or not in the same order each time."""
    if isinstance(given, bytes) or (not isinstance(given, Iterable) and not hasattr(given, "__getitem__")):
        raise InputError(f"{name} must be a list, but is {given!r:.60}")
    if isinstance(given, set | frozenset):
        raise InputError(
            f"{name} must be in an order, but a set has none: hand over a list, or sorted({name})"
        )


def _document(doc: object, i: int) -> Sequence[str]:
    """A document that is neither list nor tuple, as a list of tokens."""
    if isinstance(doc, str | bytes):
        shown = doc[:40]
        raise InputError(
            f"document {i} (counted from 0) is a string, {shown!r}, where a list of tokens is wanted; "
            "use Corpus.from_texts for texts, or cut them yourself: [text.split() for text in texts]"
        )
    if isinstance(doc, set | frozenset):
        raise InputError(
            f"document {i} (counted from 0) is a set, whose tokens have no order: hand over the list of all "
            "its tokens in the order of the text, or sorted(document) if there is none"
        )
    if not isinstance(doc, Iterable):
        raise InputError(f"document {i} (counted from 0) is {doc!r}, where a list of tokens is wanted")
    return list(doc)


def _wrong_token(batch: Sequence[Sequence[object]], first: int) -> str:
    for i, doc in enumerate(batch, start=first):
        for token in doc:
            if not isinstance(token, str):
                kind = type(token).__name__
                return (
                    f"document {i} (counted from 0) has the token {token!r} ({kind}); tokens must be strings"
                )
    return "tokens must be strings"


def columns_of(frame: Any) -> list[str]:
    """The names of a data frame's columns."""
    if hasattr(frame, "collect") and not hasattr(frame, "to_dict"):
        raise InputError("from_frame wants a data frame, but this is a lazy one; call .collect() first")
    if not hasattr(frame, "columns") and not isinstance(frame, Mapping):
        raise InputError(f"from_frame wants a pandas or polars data frame, but got {type(frame).__name__}")
    return list(frame.columns if hasattr(frame, "columns") else frame)


def values_of(column: Any) -> list[object]:
    """A column as a list."""
    for name in ("to_list", "to_pylist", "tolist"):  # polars and pandas, pyarrow, numpy
        if hasattr(column, name):
            return cast("list[object]", getattr(column, name)())
    return list(column)


def is_missing(value: object) -> bool:
    """None, nan, or pandas' NA and NaT, which are not equal to themselves."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return type(value).__name__ in ("NAType", "NaTType")


def _is_whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()


def _first_repeated(values: Iterable[Hashable]) -> Hashable | None:
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
