"""Slices of time as files and tables name them, and word lists nested by slice."""

import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from tealeaves.word_lists import PLUS, TERM

DATE = re.compile(r"\d{4}(?:[-/]\d{1,2}){1,2}(?:[T ][\d:.+Z]*)?")
DIGITS = re.compile(r"(\d+)")
WORD, TOPIC, TOPICS, SLICES = -1, 0, 1, 2  # how deep a nested list is
# Keys under which a dict holds topics: they are no labels of slices.
HOLD_TOPICS = {"topics", "top_words", "word_lists", "topic_representations"}


def in_time(labels: Iterable[str]) -> list[str]:
    """Labels of slices by time: numbers by their size and dates by theirs; others stay as they come.

    Examples
    --------
    >>> in_time(["1999", "800"]), in_time(["2001-10", "2001-2"]), in_time(["late", "early"])
    (['800', '1999'], ['2001-2', '2001-10'], ['late', 'early'])
    """
    given = list(labels)
    if all(map(_is_number, given)):
        return sorted(given, key=float)
    if all(map(DATE.fullmatch, given)):
        return sorted(given, key=natural)
    return given


def natural(text: str) -> list[Any]:
    """What texts are sorted by so that 2 comes before 10."""
    return [int(part) if part.isdecimal() else part for part in DIGITS.split(text)]


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def depth(thing: Any) -> int | None:
    """How nested lists of words are: 0 is a topic, 1 topics, 2 slices of topics, -1 a word; None: nothing.

    Examples
    --------
    >>> depth([["oil", "gas"], ["tax"]]), depth([[["oil", 0.3], ["gas", 0.2]]]), depth([[["oil"], None]])
    (1, 1, 2)
    """
    if isinstance(thing, str):
        return TOPIC if all(TERM.fullmatch(term) for term in PLUS.split(thing)) else WORD
    if isinstance(thing, Mapping):
        if any(isinstance(value, Real) and not isinstance(value, bool) for value in thing.values()):
            return TOPIC  # word: weight
        return _above(thing.values())
    if isinstance(thing, list | tuple):
        numbers = [isinstance(part, Real) and not isinstance(part, bool) for part in thing]
        if len(thing) == 2 and sum(numbers) == 1:  # a word or a topic with its number
            return depth(thing[numbers.index(False)])
        return _above(thing)
    return None


def _above(parts: Iterable[Any]) -> int | None:
    below = next((found for part in parts if (found := depth(part)) is not None), None)
    return None if below is None else below + 1


def over_time(thing: Any) -> bool:
    """Whether lists or dicts are slices of topics rather than topics, or topics beside other things."""
    if isinstance(thing, Mapping) and not HOLD_TOPICS.isdisjoint(thing):
        return False
    return isinstance(thing, list | tuple | Mapping) and depth(thing) == SLICES


def words_by_number(id2word: Any, n_words: int, notes: list[str]) -> tuple[str, ...]:
    """The words of gensim's id2word; one without a word is called after its number, which a note says."""
    known = {i: id2word[i] for i in id2word.keys()} if hasattr(id2word, "keys") else {}  # noqa: SIM118
    missing = [i for i in range(n_words) if i not in known]
    if missing:
        notes.append(f"{len(missing)} of {n_words} ids have no word in id2word; they are called #0, #1, …")
    return tuple(str(known.get(i, f"#{i}")) for i in range(n_words))
