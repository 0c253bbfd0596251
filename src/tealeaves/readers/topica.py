"""Readers of topica: fitted models, for which it is not imported, and saved ones, which only it can open."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._optional import require
from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError, TealeavesError
from tealeaves.model import TopicModel
from tealeaves.readers._objects import attribute, kind_of, numbers, optional, tried, words
from tealeaves.readers.dynamic_topica import KINDS, read_topica_dynamic

MAGIC = b"TOPICA"
SAVED_BY = re.compile(r"saved by model (\w+)")  # what topica says when another class is to open a save
NUMBERED = re.compile(r"topic_\d+")  # a name that topica gives to a topic without one
LANGUAGES = "has topics in several languages: make a TopicModel of one of them from its arrays"
SIGNED = "signed weights: top words are those of the largest positive weight"


def read_topica(fitted: Any) -> TopicModel | DynamicTopicModel:
    """Read any fitted model of topica that has ``topic_word``: its words, documents and names of topics.

    A DTM or DETM becomes a DynamicTopicModel. topica keeps no tokens: for the topics of tokens read what
    ``save_state`` of an LDA writes, which is MALLET's state.

    Raises
    ------
    InputError
        If it is not fitted, or of a kind without topics of words.
    """
    kind = kind_of(fitted, "topica")
    owner = f"topica's {kind}"
    if kind in KINDS:
        return read_topica_dynamic(fitted)
    found = attribute(fitted, "topic_word", "topics × words", owner)
    if callable(found):
        raise InputError(f"{owner} {LANGUAGES}")
    vocabulary = words(attribute(fitted, "vocabulary", "its words", owner), "vocabulary", owner)
    topic_word = numbers(found, "topic_word", owner, (None, len(vocabulary)))
    n_topics = len(topic_word)
    doc_topic = optional(fitted, "doc_topic")
    if doc_topic is not None:
        doc_topic = numbers(doc_topic, "doc_topic", owner, (None, n_topics))
    alpha, eta = optional(fitted, "alpha"), optional(fitted, "beta")
    notes = [SIGNED] if (topic_word < 0).any() else []
    return TopicModel(
        vocabulary,
        topic_word,
        doc_topic=doc_topic,
        alpha=alpha if np.shape(alpha) == (n_topics,) else None,
        eta=eta if isinstance(eta, int | float) else None,
        topic_names=_names(fitted, n_topics),
        source=owner,
        notes=notes,
    )


def _names(fitted: Any, n_topics: int) -> list[str] | None:
    """What topics are called, if not all by their numbers; labels of a LabeledLDA."""
    for name in ("topic_names", "labels"):
        names = optional(fitted, name)
        if not isinstance(names, list | tuple) or len(names) != n_topics:
            continue
        if not all(NUMBERED.fullmatch(str(name)) for name in names):
            return [str(name) for name in names]
    return None


def read_topica_save(path: str | Path) -> TopicModel | DynamicTopicModel:
    """Read what ``model.save(path)`` of topica wrote; topica opens it. It holds no code.

    Raises
    ------
    FormatError
        If topica cannot open it, or it is of a kind without topics of words.
    """
    path = Path(path)
    topica = require("topica", extra="fit")
    fitted, said = _open(topica.LDA, path)
    other = SAVED_BY.search(said)
    if fitted is None and other is not None and hasattr(topica, other[1]):
        fitted, said = _open(getattr(topica, other[1]), path)
    if fitted is None:
        raise FormatError(path, f"is damaged or of another version: topica said {said!r}")
    model, error = tried(lambda: read_topica(fitted))  # damage may show only now
    if isinstance(error, TealeavesError):
        raise error
    if error is not None:
        raise FormatError(path, f"is damaged: topica said {str(error)!r}")
    result: TopicModel | DynamicTopicModel = model
    return result


def _open(kind: Any, path: Path) -> tuple[Any, str]:
    """The model that a class of topica finds in the file, or None and what it says."""
    fitted, error = tried(lambda: kind.load(str(path)))
    return fitted, str(error)


def anchor_save(arrays: Mapping[str, Any]) -> dict[str, NDArray[np.str_]]:
    """The vocabulary and names of topics in the .npz that an AnchorLDA of topica saves; {} if it is none."""
    try:
        meta = json.loads(str(arrays["meta"]))
        names = [str(name) for name in meta.get("topic_names") or []]
        found = {"vocabulary": np.array([str(word) for word in meta["vocabulary"]], dtype=str)}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return {}
    if names and not all(NUMBERED.fullmatch(name) for name in names):
        found["topic_names"] = np.array(names, dtype=str)
    return found
