"""Reader of topica's DTM and DETM, for which topica is not imported."""

from typing import Any

import numpy as np

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError

KINDS = ("DTM", "DETM")


def read_topica_dynamic(fitted: Any) -> DynamicTopicModel:
    """Read a fitted DTM or DETM of topica; the slices, which it numbers, are called 0, 1, …

    Raises
    ------
    InputError
        If it is not fitted.
    """
    kind = type(fitted).__name__
    if kind not in KINDS:
        raise InputError(f"topica's {kind} has no topics over time; those with them are {', '.join(KINDS)}")
    try:
        words, n_slices = list(fitted.vocabulary), int(fitted.num_times)
        if kind == "DETM":
            weights = np.asarray(fitted.beta_over_time, dtype=np.float64)
        else:
            weights = np.array([fitted.topic_word(t) for t in range(n_slices)], dtype=np.float64)
        doc_topic = np.asarray(fitted.doc_topic, dtype=np.float64)
    except (RuntimeError, ValueError, AttributeError) as error:
        raise InputError(f"this {kind} of topica is not fitted: {error}") from None
    if weights.ndim != 3 or not weights.size:
        raise InputError(f"this {kind} of topica is not fitted: it has no topics yet")
    return DynamicTopicModel(
        words, weights, "time topic word", doc_topic=doc_topic, source=f"topica's {kind}"
    )
