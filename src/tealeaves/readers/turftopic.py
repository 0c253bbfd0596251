"""Reader of fitted models of Turftopic, which is not imported."""

from typing import Any

import numpy as np

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.readers._objects import attribute, called, kind_of, numbers, optional, softmax, words
from tealeaves.readers.dynamic_turftopic import is_over_time, read_turftopic_dynamic

OUTLIERS = -1
DECODERS = ("AutoEncodingTopicModel",)  # whose components_ are weights before a softmax
LEFT_OUT = 'topic -1 (documents that fit no topic) was left out; outliers="keep" keeps it'
IMPORTANCE = "topic_word holds Turftopic's word importance, which is no probability"
SIGNED = "signed weights: top words are those of the largest positive weight; the negative side is left out"


def read_turftopic(fitted: Any, *, outliers: str = "drop") -> TopicModel | DynamicTopicModel:
    """Read a fitted model of Turftopic, or its TopicData: ``components_`` over ``get_vocab()``.

    Topics keep the names they were given (``rename_topics``, ``analyze_topics``). ``doc_topic`` is there
    where the model has kept it. A model fitted over time becomes a DynamicTopicModel.

    Raises
    ------
    InputError
        If it is not fitted, or its parts do not fit together.
    """
    kind = kind_of(fitted, "turftopic")
    owner = f"Turftopic's {kind}"
    if is_over_time(fitted):
        return read_turftopic_dynamic(fitted, outliers=outliers)
    found = attribute(fitted, "components_", "topics × words", owner)
    vocabulary = words(called(fitted, "get_vocab", "the words of components_", owner), "get_vocab()", owner)
    weights = numbers(found, "components_", owner, (None, len(vocabulary))).astype(np.float64)
    n_topics = len(weights)
    classes = optional(fitted, "classes_")
    labels = [str(label) for label in (range(n_topics) if classes is None else classes)]
    if len(labels) != n_topics:
        raise InputError(f"classes_ of {owner} must name {n_topics} topics, but names {len(labels)}")
    names = optional(fitted, "topic_names_")
    doc_topic = optional(fitted, "document_topic_matrix")
    if doc_topic is not None:
        doc_topic = numbers(doc_topic, "document_topic_matrix", owner, (None, n_topics))
    kept = [k for k in range(n_topics) if outliers == "keep" or labels[k] != str(OUTLIERS)]
    notes = [] if len(kept) == n_topics else [LEFT_OUT]
    called_so = [str(names[k]) for k in kept] if names is not None and len(names) == n_topics else None
    if called_so is None and [labels[k] for k in kept] != [str(k) for k in range(len(kept))]:
        called_so = [labels[k] for k in kept]
    weights = weights[kept]
    if kind in DECODERS:
        weights = softmax(weights)
        notes.append("probabilities are the softmax of the weights of its decoder")
    else:
        notes.append(SIGNED if (weights < 0).any() else IMPORTANCE)
    return TopicModel(
        vocabulary,
        weights,
        doc_topic=None if doc_topic is None else doc_topic[:, kept],
        topic_names=called_so,
        source=owner,
        notes=notes,
    )
