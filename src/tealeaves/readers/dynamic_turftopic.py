"""Reader of Turftopic's models over time, for which turftopic is not imported."""

from datetime import datetime
from typing import Any

import numpy as np

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError


def is_over_time(fitted: Any) -> bool:
    """Whether a model of Turftopic was fitted with ``fit_dynamic``."""
    return getattr(fitted, "temporal_components_", None) is not None


def read_turftopic_dynamic(fitted: Any, *, outliers: str = "drop") -> DynamicTopicModel:
    """Read ``temporal_components_`` (T, K, V); a slice is called after the start of its bin of time.

    A topic that Turftopic holds for not present in a bin (all nan or 0) is a gap; a single nan is a word that
    is not in the bin. Topic -1, of documents that fit none, is left out unless ``outliers="keep"``.

    Raises
    ------
    InputError
        If it was not fitted over time.
    """
    if not is_over_time(fitted):
        kind = type(fitted).__name__
        raise InputError(f"this {kind} was not fitted over time: call fit_dynamic(texts, timestamps=…)")
    weights = np.array(fitted.temporal_components_, dtype=np.float64)
    if weights.ndim != 3:
        raise InputError(f"temporal_components_ must be slices × topics × words, not {weights.shape}")
    weights[np.isnan(weights)] = 0.0
    classes = getattr(fitted, "classes_", None)
    names = getattr(fitted, "topic_names", None)
    names = None if names is None or len(names) != weights.shape[1] else [str(name) for name in names]
    notes = []
    if outliers == "drop" and classes is not None and len(classes) == weights.shape[1]:
        kept = [k for k, label in enumerate(classes) if int(label) != -1]
        if len(kept) < len(classes):
            notes.append('topic -1 (documents that fit no topic) was left out; outliers="keep" keeps it')
        weights = weights[:, kept]
        names = None if names is None else [names[k] for k in kept]
    return DynamicTopicModel(
        [str(word) for word in fitted.get_vocab()],
        weights,
        "time topic word",
        slice_labels=_labels(getattr(fitted, "time_bin_edges", None), len(weights)),
        topic_names=names,
        source=f"Turftopic's {type(fitted).__name__}",
        notes=notes,
    )


def _labels(edges: Any, n_slices: int) -> list[str] | None:
    """The start of each bin, by its date alone if all begin on different days."""
    if edges is None or len(edges) != n_slices + 1:
        return None
    starts = list(edges)[:-1]
    if not all(isinstance(start, datetime) for start in starts):
        return [str(start) for start in starts]
    days = [start.date().isoformat() for start in starts]
    return days if len(set(days)) == len(days) else [start.isoformat() for start in starts]
