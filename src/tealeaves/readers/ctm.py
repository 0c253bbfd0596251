"""Reader of fitted contextualized topic models (CombinedTM, ZeroShotTM), whose library is not imported."""

from typing import Any

import numpy as np

from tealeaves.model import TopicModel
from tealeaves.readers._objects import attribute, called, kind_of, numbers, optional, softmax, words

SOFTMAX = "probabilities are the softmax of its weights, as get_topic_word_distribution() gives them"
SHOWN = "probabilities are get_topic_word_matrix(); get_topics() shows words by the weights before them"


def read_ctm(fitted: Any) -> TopicModel:
    """Read a fitted CombinedTM or ZeroShotTM: the topics of its last epoch and those of its documents.

    The weights of a prodLDA are no probabilities until softmax makes them so; with ``model_type="LDA"`` the
    model normalises them in its own way. ``doc_topic`` is there after a fit with ``do_train_predictions``.

    Raises
    ------
    InputError
        If it is not fitted, or its parts do not fit together.
    """
    kind = kind_of(fitted, "contextualized_topic_models")
    owner = f"contextualized-topic-models' {kind}"
    found = attribute(fitted, "best_components", "the topics × words of the last epoch", owner)
    tokens = attribute(fitted, "idx2token", "a dict from column to word", owner)
    vocabulary = words(tokens, "idx2token", owner)
    weights = numbers(found, "best_components", owner, (None, len(vocabulary))).astype(np.float64)
    notes = []
    if optional(fitted, "model_type") == "LDA":
        found = called(fitted, "get_topic_word_matrix", "topics × words", owner)
        weights = numbers(found, "get_topic_word_matrix()", owner, weights.shape).astype(np.float64)
        notes.append(SHOWN)
    else:
        weights = softmax(weights)
        notes.append(SOFTMAX)
    doc_topic = optional(fitted, "training_doc_topic_distributions")
    if doc_topic is not None:
        doc_topic = numbers(doc_topic, "training_doc_topic_distributions", owner, (None, len(weights)))
    return TopicModel(vocabulary, weights, doc_topic=doc_topic, source=owner, notes=notes)
