"""Reader of gensim's LdaSeqModel, for which gensim is not imported."""

from typing import Any

import numpy as np

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.readers._slices import words_by_number


def read_ldaseq(fitted: Any, vocabulary: tuple[str, ...] | None = None) -> DynamicTopicModel:
    """Read a fitted LdaSeqModel: exp of each topic's ``e_log_prob`` (V, T), whose columns sum to about .95.

    Its slices have no names: they are called 0, 1, … A slice without documents is a gap.

    Raises
    ------
    InputError
        If it is not fitted.
    """
    chains, counts = getattr(fitted, "topic_chains", None), getattr(fitted, "time_slice", None)
    if not chains or counts is None or getattr(fitted, "gammas", None) is None:
        raise InputError("this LdaSeqModel is not fitted: it has seen no documents")
    weights = np.exp(np.array([chain.e_log_prob for chain in chains], dtype=np.float64))
    notes: list[str] = []
    if vocabulary is None:
        vocabulary = words_by_number(fitted.id2word, weights.shape[1], notes)
    counts = np.asarray(counts, dtype=np.int64)
    weights[:, :, counts == 0] = 0.0
    gammas = np.asarray(fitted.gammas, dtype=np.float64)
    slice_of = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return DynamicTopicModel(
        vocabulary,
        weights,
        "topic word time",
        doc_topic=gammas / gammas.sum(axis=1, keepdims=True),
        slice_of=slice_of if len(slice_of) == len(gammas) else None,
        source="gensim's LdaSeqModel",
        notes=notes,
    )
