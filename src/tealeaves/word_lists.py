"""Topics as people have them in Python: lists of words, of pairs, strings of gensim, dicts, frames."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from numbers import Real
from typing import Any

from tealeaves.errors import InputError

OUTLIERS = -1  # BERTopic's topic for documents that fit none
TERM = re.compile(r'\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*\*\s*(?:"(.*)"|(.*?))\s*', re.DOTALL)
PLUS = re.compile(r"\s\+\s(?=[-+]?[\d.])")  # a word may hold a plus of its own
WANTED = "one list of words per topic"
ORDER = "hand over a list, best word first (sorted(words) if no word is better)"

Lists = tuple[list[list[str]], list[str] | None, list[str]]


def read_word_lists(topics: Any, outliers: str = "drop") -> Lists:
    """The lists of words of ``topics``, what the topics are called (None: 0, 1, …), and notes.

    Every form that `TopicModel.from_words` names is understood. A blank at a word's end is stripped; None
    and nan, with which frames pad short topics, become blank words.

    Examples
    --------
    >>> read_word_lists(['0.3*"cat" + 0.2*"dog"'])
    ([['cat', 'dog']], None, [])
    """
    if outliers not in {"drop", "keep"}:
        raise InputError(f"outliers must be 'drop' or 'keep', got {outliers!r}")
    if is_frame(topics):
        topics = _from_frame(topics)
    if isinstance(topics, str | bytes):
        fix = "to read a file: tl.read_model(path)"
        raise InputError(f"topics must be {WANTED}, but they are one string; {fix}")
    if isinstance(topics, Mapping):
        items = list(topics.items())
    elif isinstance(topics, set | frozenset):
        raise InputError(f"topics must be {WANTED}, but a set has no order: hand over a list of topics")
    elif isinstance(topics, Iterable):
        items = _listed(list(topics))
    else:
        raise InputError(f"topics must be {WANTED}, not {type(topics).__name__}")
    notes: list[str] = []
    if outliers == "drop" and any(_is_outlier(key) for key, _ in items):
        items = [(key, topic) for key, topic in items if not _is_outlier(key)]
        notes.append('topic -1 (documents that fit no topic) was left out; outliers="keep" keeps it')
    if not items:
        raise InputError("there is no topic: topics must be " + WANTED)
    lists = [_words(topic, key, notes) for key, topic in items]
    names = [str(key) for key, _ in items]
    counted = names == [str(i) for i in range(len(names))]
    return lists, None if counted else names, notes


def is_frame(thing: Any) -> bool:
    """Whether it is a frame of pandas or polars; neither is imported."""
    return type(thing).__module__.partition(".")[0] in {"pandas", "polars"} and hasattr(thing, "columns")


def _is_outlier(key: Any) -> bool:
    return str(key) == str(OUTLIERS)


def _is_number(thing: Any) -> bool:
    return isinstance(thing, Real) and not isinstance(thing, bool)


def _listed(items: list[Any]) -> list[tuple[Any, Any]]:
    """Topics of a list, each with what it is called."""
    plain = [item for item in items if isinstance(item, str) and not _is_formula(item)]
    if plain:
        phrases = any(" " in topic.strip() for topic in plain)
        fix = "[t.split() for t in topics]" if phrases else "[topics] for one topic"
        raise InputError(f"topics must be {WANTED}, but {plain[0]!r} is a string; did you mean {fix}?")
    if items and all(_is_pair(item, _is_number, _is_topic) for item in items):  # show_topics
        return [(key, topic) for key, topic in items]
    if items and all(_is_pair(item, _is_topic, _is_number) for item in items):  # top_topics
        return [(i, topic) for i, (topic, _) in enumerate(items)]
    if items and all(_is_pair(item, lambda x: isinstance(x, str), _is_number) for item in items):
        raise InputError(f"topics must be {WANTED}, but these are one topic's pairs; did you mean [topics]?")
    return list(enumerate(items))


def _is_pair(item: Any, first: Any, second: Any) -> bool:
    return isinstance(item, tuple | list) and len(item) == 2 and first(item[0]) and second(item[1])


def _is_topic(thing: Any) -> bool:
    return isinstance(thing, list | tuple | Mapping) or (isinstance(thing, str) and _is_formula(thing))


def _is_formula(text: str) -> bool:
    return all(TERM.fullmatch(term) for term in PLUS.split(text))


def _words(topic: Any, key: Any, notes: list[str]) -> list[str]:
    """The words of one topic, best first."""
    if isinstance(topic, str):
        if not _is_formula(topic):
            fix = f"{{{key!r}: {topic.split()[:2]}, ...}}"
            raise InputError(f"topic {key} must be a list of words, but is {topic!r}; did you mean {fix}?")
        return [_term(term) for term in PLUS.split(topic)]
    if isinstance(topic, Mapping):  # word: weight, in no order that means anything
        heaviest = sorted(topic.items(), key=lambda item: -_weight(item[1], item[0], key))
        return [_word(word, key) for word, _ in heaviest]
    if topic is False or not isinstance(topic, Iterable):  # BERTopic answers False for a missing topic
        raise InputError(f"topic {key} must be a list of words, but is {topic!r}")
    if isinstance(topic, set | frozenset):
        raise InputError(f"topic {key} is a set, which has no best word first: {ORDER}")
    entries = [entry.tolist() if hasattr(entry, "tolist") else entry for entry in topic]
    if not any(isinstance(entry, tuple | list) for entry in entries):
        return [_word(entry, key) for entry in entries]
    words, weights = [], []
    for entry in entries:
        if not isinstance(entry, tuple | list) or len(entry) != 2:
            raise InputError(f"topic {key} must be words or (word, weight) pairs, but holds {entry!r}")
        swapped = isinstance(entry[1], str) and not isinstance(entry[0], str)  # gensim's top_topics
        word, weight = reversed(entry) if swapped else entry
        words.append(_word(word, key))
        weights.append(abs(_weight(weight, word, key)))
    if any(a < b for a, b in pairwise(weights)):
        notes.append(f"the weights of topic {key} do not fall; its words were kept in the order given")
    return words


def _term(term: str) -> str:
    match = TERM.fullmatch(term)
    if match is None:
        raise InputError(f'{term!r} is no term such as 0.3*"cat"')
    return (match[3] if match[2] is None else match[2]).strip()


def _word(word: Any, key: Any) -> str:
    if word is None or (isinstance(word, float) and word != word):
        return ""
    if not isinstance(word, str):
        hint = "; if these are word ids, look them up in the vocabulary first" if _is_number(word) else ""
        raise InputError(f"topic {key} must hold words, but holds {word!r} ({type(word).__name__}){hint}")
    return str(word).strip()


def _weight(weight: Any, word: Any, key: Any) -> float:
    if not _is_number(weight):
        raise InputError(f"topic {key} must be words or (word, weight) pairs, but {weight!r} is no weight")
    if weight != weight:
        raise InputError(f"topic {key} has nan as the weight of {word!r}: leave the word out, or weigh it 0")
    return float(weight)


def _from_frame(frame: Any) -> Mapping[Any, Any]:
    """Topics of a frame: long (topic, word, weight), BERTopic's get_topic_info, or a column per topic."""
    columns = {str(name): _cells(frame[name]) for name in frame.columns}
    return from_columns(columns)


def _cells(column: Any) -> list[Any]:
    return list(column.to_list())


def from_columns(columns: Mapping[str, list[Any]]) -> Mapping[Any, Any]:
    """Topics of named columns: long (topic, word, weight), BERTopic's get_topic_info, or a column a topic.

    Examples
    --------
    >>> dict(from_columns({"topic": [0, 0, 1], "word": ["oil", "gas", "tax"]}))
    {0: ['oil', 'gas'], 1: ['tax']}
    """
    by_name = {name.strip().lower(): cells for name, cells in columns.items()}
    topic = _first_of(by_name, "topic", "topic_id", "topic_index")
    word = _first_of(by_name, "word", "term", "token", "words")
    weight = _first_of(by_name, "weight", "probability", "prob", "score", "beta", "p")
    if topic is not None and word is not None:
        return _long(topic, word, weight)
    if topic is not None and "representation" in by_name:
        return dict(zip(topic, by_name["representation"], strict=True))
    if columns and all(re.match(r"topic\W*.", name.strip(), re.IGNORECASE) for name in columns):
        return dict(enumerate(columns.values()))
    found = ", ".join(list(columns)[:8])
    wanted = "columns topic and word (and weight), or one column named 'topic …' for each topic"
    raise InputError(f"a table of topics must have {wanted}, but has: {found}")


def _first_of(columns: Mapping[str, list[Any]], *names: str) -> list[Any] | None:
    return next((columns[name] for name in names if name in columns), None)


def _long(topic: list[Any], word: list[Any], weight: list[Any] | None) -> Mapping[Any, Any]:
    rows: dict[Any, list[tuple[Any, float]]] = {}
    for i, key in enumerate(topic):
        value = 0.0 if weight is None else weight[i]
        if not _is_number(value) or value != value:
            raise InputError(f"row {i} of the table: the weight of {word[i]!r} is {value!r}, not a number")
        rows.setdefault(key, []).append((word[i], float(value)))
    keys = sorted(rows) if all(map(_is_number, rows)) else list(rows)
    return {key: [w for w, _ in sorted(rows[key], key=lambda row: -row[1])] for key in keys}
