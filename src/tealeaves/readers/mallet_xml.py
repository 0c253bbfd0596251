"""Readers of MALLET's XML: diagnostics, phrases, and words of topics. No entity is ever expanded."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
import polars as pl

from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_bytes

ROOTS = {"model": "mallet-diagnostics", "topics": "mallet-phrases", "topicModel": "mallet-phrases"}


@dataclass
class _Topic:
    values: dict[str, str]
    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)


def read_mallet_diagnostics(path: str | Path) -> TopicModel:
    """Read the topics of ``--diagnostics-file``; `read_diagnostics` reads its values.

    Raises
    ------
    FormatError
        If the file is not whole, or is other XML.
    """
    topics = _topics(Path(path), "model")
    note = (
        'has diagnostics of MALLET: tl.diagnostics(path) or "tealeaves inspect FILE --diagnostics" show them'
    )
    return TopicModel(word_lists=[topic.words for topic in topics], notes=[note])


def read_mallet_phrases(path: str | Path) -> TopicModel:
    """Read the words of topics of ``--xml-topic-report`` or ``--xml-topic-phrase-report``, with alpha.

    Raises
    ------
    FormatError
        If the file is not whole, or is other XML.
    """
    path = Path(path)
    topics = _topics(path, "topics", "topicModel")
    alpha = [_number(path, i, topic.values, "alpha") for i, topic in enumerate(topics)]
    phrases = sum(len(topic.phrases) for topic in topics)
    notes = [f"{phrases} phrases were left out: the topics are their single words"] if phrases else []
    return TopicModel(word_lists=[topic.words for topic in topics], alpha=alpha, notes=notes)


def read_diagnostics(path: str | Path) -> pl.DataFrame:
    """The diagnostics that MALLET printed, a row a topic: topic, tokens, document_entropy and so on.

    Raises
    ------
    FormatError
        If the file is not whole, or holds none.
    """
    path = Path(path)
    topics = _topics(path, "model")
    names = [name for name in topics[0].values if name != "id"]
    columns: dict[str, Any] = {"topic": np.arange(len(topics), dtype=np.int32)}
    for name in names:
        columns[name] = [_number(path, i, topic.values, name) for i, topic in enumerate(topics)]
    if not names:
        raise FormatError(path, "holds topics, but no diagnostics of them")
    return pl.DataFrame(columns)


def _number(path: Path, topic: int, values: dict[str, str], name: str) -> float:
    try:
        return float(values[name])
    except (KeyError, ValueError):
        found = f"{name}={values[name]!r}" if name in values else f"no {name}"
        raise FormatError(path, f"topic {topic} must have a number as its {name}, but has {found}") from None


def _topics(path: Path, *roots: str) -> list[_Topic]:
    """The topics of one of MALLET's three kinds of XML, whose outermost element is one of ``roots``."""
    parser = expat.ParserCreate()
    topics: list[_Topic] = []
    inside: list[str] = []
    text: list[str] = []

    def wrong(message: str) -> FormatError:
        return FormatError(path, message, line=parser.CurrentLineNumber)

    def start(name: str, values: dict[str, str]) -> None:
        if not inside and name not in roots:
            raise wrong(f"XML of MALLET with <{'> or <'.join(roots)}> was expected, but found <{name}>")
        if len(inside) == 1:
            if name != "topic" or values.get("id") != str(len(topics)):
                expected = f"<topic id='{len(topics)}'> was expected"
                raise wrong(f"{expected}, but found <{name} id={values.get('id')!r}>")
            topics.append(_Topic(values))
        inside.append(name)
        text.clear()

    def end(name: str) -> None:
        inside.pop()
        if len(inside) == 2 and name in {"word", "phrase"}:
            getattr(topics[-1], f"{name}s").append("".join(text).strip())

    def refuse(*_: object) -> None:
        raise wrong("has a document type, which MALLET's XML never has: refused, for it can do harm")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(read_bytes(path), True)
    except expat.ExpatError as error:
        said = expat.errors.messages[error.code]
        raise FormatError(path, f"is no whole XML: {said}", line=error.lineno) from None
    except (ValueError, LookupError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(path, f"is no XML that can be read: {error}") from None
    if not topics:
        raise FormatError(path, "is XML of MALLET, but holds no topics")
    return topics
