"""What models of OCTIS put out: lists of words, and matrices that come without their words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.readers._matrices import VOCABULARY, model_of

AGREE = (
    0.5  # of the words of the lists must be among the heaviest of the matrix, if the vocabulary is its own
)


def is_octis(things: Mapping[str, Any]) -> bool:
    """Whether there are lists of words, and a matrix by a name of OCTIS."""
    return "topics" in things and bool({"topic-word-matrix", "topic-document-matrix"} & set(things))


def octis_model(
    things: Mapping[str, Any], vocabulary: Sequence[str] | None = None, axes: str | None = None
) -> TopicModel:
    """The lists of words, or the matrix where its words are known; topics of documents are turned to D × K.

    Raises
    ------
    InputError
        If the words are not those of the matrix, or topics and documents are as many and ``axes`` does not
        say which are which.
    """
    lists = things["topics"]
    rows = lists.tolist() if hasattr(lists, "tolist") else lists
    topics = [_without_padding(topic) for topic in rows]
    known = vocabulary is not None or any(name in things for name in VOCABULARY)
    if known and "topic-word-matrix" in things:
        model = model_of(things, vocabulary, axes)
        _check(model, topics)
        return model
    model = TopicModel.from_words(topics)
    notes = list(model.notes)
    if "topic-word-matrix" in things:
        fix = "hand over vocabulary= in the order of its columns"
        notes.append(f"topic-word-matrix was left out, for its words are not in the file: {fix}")
    if "topic-document-matrix" in things:
        shares = model_of(
            {
                "topic_word": np.ones((len(topics), 1)),
                "vocabulary": ["-"],
                **{name: things[name] for name in things if name.endswith("document-matrix")},
            },
            axes=axes,
        )
        turned = [note for note in shares.notes if "document" in note]
        return replace(model, doc_topic=shares.doc_topic, notes=(*notes, *turned))
    return replace(model, notes=tuple(notes))


def _without_padding(topic: Any) -> list[str]:
    """The words of a topic; in an array a short one is filled up with blanks."""
    if not isinstance(topic, list | tuple):
        raise InputError(f"topics must be lists of words, but one is {topic!r:.60}")
    words = list(map(str, topic))
    while words and not words[-1]:
        words.pop()
    return words


def _check(model: TopicModel, topics: list[list[str]]) -> None:
    """See that the vocabulary is in the order of the columns: the lists must be of the heaviest words."""
    if len(topics) != model.n_topics:
        raise InputError(f"has {len(topics)} lists of words, but {model.n_topics} topics in its matrix")
    n = max(map(len, topics), default=0)
    if not n:
        return
    best = model.top_words(n)
    shared = sum(len(set(a) & set(b)) for a, b in zip(topics, best, strict=True))
    if shared < AGREE * sum(map(len, topics)):
        found = f"topic 0 begins with {' '.join(topics[0][:4])!r} in the lists"
        other = f"with {' '.join(best[0][:4])!r} by matrix and vocabulary"
        raise InputError(f"{found}, but {other}: the vocabulary is not in the order of the columns")
