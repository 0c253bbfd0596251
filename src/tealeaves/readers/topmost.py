"""Reader of trainers of TopMost and of FASTopic, neither of which is imported."""

from typing import Any

import numpy as np

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.readers._objects import attribute, called, kind_of, numbers, optional, words

WRAPPED = ("BERTopicTrainer", "FASTopicTrainer")  # trainers of another library's model


def read_topmost(trainer: Any) -> TopicModel | DynamicTopicModel:
    """Read a trained trainer of TopMost: ``get_beta()`` (``export_beta()`` in old ones) over its words.

    Its words are its data set's ``vocab``; an old trainer was handed the data set and did not keep it: make
    a TopicModel of ``export_beta()`` then. A trainer of topics over time gives a DynamicTopicModel.

    Raises
    ------
    InputError
        If it is not trained, or has a matrix for each of several languages or levels.
    """
    kind = kind_of(trainer, "topmost")
    owner = f"TopMost's {kind}"
    if kind in WRAPPED:  # its words are not those of the data set
        return _wrapped(attribute(trainer, "model", "the model that was trained", owner), owner)
    method = "get_beta" if hasattr(trainer, "get_beta") else "export_beta"
    beta = called(trainer, method, "topics × words", owner)
    if isinstance(beta, list | tuple) or np.asarray(beta).dtype == object:
        found = "matrices of topics × words for each level or language"
        raise InputError(f"{owner} has {found}: make a TopicModel of one of them")
    data = attribute(trainer, "dataset", "the data set with the words, vocab", owner)
    vocabulary = words(attribute(data, "vocab", "its words", f"the data set of {owner}"), "vocab", owner)
    if np.ndim(beta) == 3:
        weights = numbers(beta, f"{method}()", owner, (None, None, len(vocabulary))).astype(np.float64)
        return DynamicTopicModel(vocabulary, weights, "time topic word", source=owner)
    return TopicModel(vocabulary, numbers(beta, f"{method}()", owner, (None, len(vocabulary))), source=owner)


def _wrapped(model: Any, owner: str) -> TopicModel:
    from tealeaves.readers._formats import object_format

    format = object_format(model)
    if format is None:
        raise InputError(f"the model of {owner} is a {type(model).__name__}, which is not known")
    found: TopicModel = format.read(model, {"outliers": "drop"})
    return found


def read_fastopic(fitted: Any) -> TopicModel:
    """Read a fitted FASTopic: ``beta`` over ``vocab``, and ``train_theta``.

    Raises
    ------
    InputError
        If it is not fitted, or its parts do not fit together.
    """
    vocabulary = words(attribute(fitted, "vocab", "its words", "FASTopic"), "vocab", "FASTopic")
    beta = attribute(fitted, "beta", "topics × words", "FASTopic")
    topic_word = numbers(beta, "beta", "FASTopic", (None, len(vocabulary)))
    doc_topic = optional(fitted, "train_theta")
    if doc_topic is not None:
        doc_topic = numbers(doc_topic, "train_theta", "FASTopic", (None, len(topic_word)))
    return TopicModel(vocabulary, topic_word, doc_topic=doc_topic, source="FASTopic")
