"""Reader of tomotopy's DTModel."""

from typing import Any

import numpy as np

from tealeaves.corpus import Corpus
from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError


def read_dtmodel(trained: Any) -> DynamicTopicModel:
    """Read a trained DTModel with its documents and their time points.

    A time point without documents is a gap. The model must be trained for its topics to mean anything; this
    sampler has been seen to leave planted topics unseparated, so look at the shuffled control.

    Raises
    ------
    InputError
        If it is not trained: it has no words.
    """
    words = list(trained.used_vocabs)
    if not words:
        raise InputError("this DTModel is not trained: it has no words")
    n_slices = trained.num_timepoints
    weights = np.array(
        [[trained.get_topic_word_dist(k, timepoint=t) for k in range(trained.k)] for t in range(n_slices)],
        dtype=np.float64,
    )
    weights[np.asarray(trained.num_docs_by_timepoint)[:n_slices] == 0] = 0.0
    labels = tuple(map(str, range(n_slices)))
    about: dict[str, Any] = {}
    if len(trained.docs):
        tokens, lengths = [], []
        for document in trained.docs:
            ids = np.asarray(document.words, dtype=np.int64)
            tokens.append(np.where(ids < len(words), ids, -1))
            lengths.append(len(ids))
        slice_of = np.array([document.timepoint for document in trained.docs], dtype=np.int32)
        about["slice_of"] = slice_of
        about["doc_topic"] = np.array([d.get_topic_dist() for d in trained.docs], dtype=np.float64)
        about["corpus"] = Corpus(
            vocabulary=tuple(words),
            tokens=np.concatenate(tokens).astype(np.int32),
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            slice_of=slice_of,
            slice_labels=labels,
            preprocess="as added to tomotopy",
        )
    return DynamicTopicModel(
        words, weights, "time topic word", slice_labels=labels, source="tomotopy's DTModel", **about
    )
