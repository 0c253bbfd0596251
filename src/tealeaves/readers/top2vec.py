"""Reader of a fitted Top2Vec, which is not imported."""

from typing import Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.readers._objects import attribute, clusters, numbers, optional

OWNER = "Top2Vec"
DISTANCES = "words by their nearness (cosine) to the topic's vector: there are no probabilities"
REDUCED = "its own topics: those of hierarchical_topic_reduction() were left out (get_topics(reduced=True))"


def read_top2vec(fitted: Any) -> TopicModel:
    """Read the 50 words nearest to each topic, and the topics of documents.

    A topic of Top2Vec is a vector among words, no distribution over them: it becomes a list of words. Of a
    contextual Top2Vec ``doc_topic`` is its distribution; else it is 1 for the one topic of a document.

    Raises
    ------
    InputError
        If it is not fitted, or its parts do not fit together.
    """
    listed = attribute(fitted, "topic_words", "topics × their nearest words", OWNER)
    lists = [[str(word) for word in topic] for topic in _rows(listed, "topic_words")]
    scores = [
        list(topic)
        for topic in _rows(attribute(fitted, "topic_word_scores", "the same shape", OWNER), "scores")
    ]
    vectors = numbers(
        attribute(fitted, "topic_vectors", "topics × dimensions", OWNER), "topic_vectors", OWNER, (None, None)
    )
    if [len(topic) for topic in scores] != [len(topic) for topic in lists] or len(vectors) != len(lists):
        found = f"{len(lists)} lists of words, {len(scores)} of scores and {len(vectors)} vectors"
        raise InputError(f"topic_words, topic_word_scores and topic_vectors of {OWNER} do not fit: {found}")
    notes = [DISTANCES]
    shares = optional(fitted, "doc_topic_distribution")
    if shares is not None:
        doc_topic: Any = numbers(shares, "doc_topic_distribution", OWNER, (None, len(lists)))
    else:
        labels = attribute(fitted, "doc_top", "the topic of each document", OWNER)
        doc_topic, told = clusters(np.asarray(labels), range(len(lists)), "doc_top", OWNER)
        notes += told
    if optional(fitted, "topic_words_reduced") is not None:
        notes.append(REDUCED)
    return TopicModel(word_lists=lists, doc_topic=doc_topic, source=OWNER, notes=notes)


def _rows(value: Any, name: str) -> list[Any]:
    if isinstance(value, str) or np.ndim(value) < 1:
        raise InputError(f"{name} of {OWNER} must be a list for each topic, but is a {type(value).__name__}")
    return list(value)
