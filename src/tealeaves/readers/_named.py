"""Topics with names, in the shapes in which language models write them as JSON."""

import re
from collections.abc import Mapping
from typing import Any

from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.word_lists import read_word_lists

WORDS = ("words", "keywords", "top_words", "terms", "top_terms", "key_terms", "key_words", "representation")
NAMES = ("name", "label", "title", "topic_name", "topic_label", "topic", "topic_id", "id")
OUTLIERS = "-1"

Named = list[tuple[str, Any]]


def named_topics(content: Any) -> Named | None:
    """The name of each topic with its words, or None where the content has another shape.

    Examples
    --------
    >>> named_topics([{"topic": "Energy", "words": ["oil", "gas"]}, {"topic": "Law", "words": "tax, court"}])
    [('Energy', ['oil', 'gas']), ('Law', ['tax', 'court'])]
    >>> named_topics({"Topic 1": "oil, gas", "Topic 2": "tax, court"})
    [('Topic 1', ['oil', 'gas']), ('Topic 2', ['tax', 'court'])]
    """
    if isinstance(content, Mapping):
        inner = [content[key] for key in ("topics", "Topics") if isinstance(content.get(key), list | Mapping)]
        if len(inner) == 1:
            return named_topics(inner[0])
        items: Named = [(str(name), _words(value)) for name, value in content.items()]
        loose = [value for value in content.values() if isinstance(value, str | Mapping)]
        fits = bool(items) and bool(loose) and all(words is not None for _, words in items)
        return items if fits else None
    if not isinstance(content, list) or not content or not all(isinstance(item, Mapping) for item in content):
        return None
    if all(len(item) == 1 and not set(item) & set(WORDS) for item in content):
        pairs = [next(iter(item.items())) for item in content]
        if len({str(name) for name, _ in pairs}) < len(pairs):
            return None  # the same topic again and again, as in slices of time
        items = [(str(name), value if isinstance(value, list) else _words(value)) for name, value in pairs]
    else:
        items = [(_name(item, i), _words(item)) for i, item in enumerate(content)]
    return items if all(words is not None for _, words in items) else None


def named_model(items: Named, outliers: str = "drop") -> TopicModel:
    """A model of topics with names; names that only count them from 0 are none.

    Raises
    ------
    InputError
        If what a topic holds is no words.
    """
    kept = [(name, words) for name, words in items if outliers == "keep" or name.strip() != OUTLIERS]
    if not kept:
        raise InputError("there is no topic")
    lists, _, notes = read_word_lists([words for _, words in kept])
    names = [name.strip() for name, _ in kept]
    if len(kept) < len(items):
        notes.append('topic -1 (documents that fit no topic) was left out; outliers="keep" keeps it')
    counted = names == [str(i) for i in range(len(names))]
    return TopicModel(word_lists=lists, topic_names=None if counted else names, notes=notes)


def split_words(text: str) -> list[str]:
    """The words of "oil, gas and so on", parted by commas or semicolons, without quotes and emphasis.

    Examples
    --------
    >>> split_words('**oil**, "natural gas", `pipeline`.')
    ['oil', 'natural gas', 'pipeline']
    """
    words = [re.sub(r"^[\s*_`\"'“”‘’]+|[\s*_`\"'“”‘’]+$", "", word) for word in re.split(r"[,;]", text)]
    if words:
        words[-1] = re.sub(r"^and\s+(?=\S)|[\s*_`\"'“”‘’]*[.…]+$", "", words[-1])
    return [word for word in words if word]


def _words(value: Any) -> Any:
    """The words of a topic: a list, a string with commas, or a dict that holds either; None if none is."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in WORDS if key in value), None)
    if isinstance(value, str):
        words = split_words(value)
        return words if len(words) > 1 or (words and " " not in words[0]) else None
    return value if isinstance(value, list) else None


def _name(item: Mapping[str, Any], i: int) -> str:
    return next((str(item[key]) for key in NAMES if isinstance(item.get(key), str | int)), f"{i}")
