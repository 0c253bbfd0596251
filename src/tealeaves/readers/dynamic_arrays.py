"""Reader of arrays of three axes: .npz and .npy, and the .mat files of DETM."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel

LABELS = ("slice_labels", "slices", "times", "time_slices", "timestamps", "years")
DETM = "values"  # what DETM calls its beta, topics × times × words, and ETM its own
NAMES = ("topic_word", "beta", "phi", "topic_word_over_time", "temporal_components_", DETM)
VOCABULARY = ("vocabulary", "vocab", "words", "terms", "feature_names")
KINDS = ("double", "single", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
MOST = 1100  # times that zlib can shrink numbers


def has_slices(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Whether one of a file's arrays holds topics over time: a name for topics, and three axes."""
    return any(name in arrays and arrays[name].ndim == 3 for name in NAMES)


def from_arrays(
    arrays: Mapping[str, NDArray[Any]],
    vocabulary: Sequence[str] | None = None,
    axes: str | None = None,
    slice_labels: Sequence[Any] | None = None,
) -> DynamicTopicModel:
    """A dynamic model from an array of three axes and what lies beside it in the file.

    Besides topic_word (beta, phi, …) and vocabulary there may be slice_labels (times, …), axes, doc_topic
    (theta) and slice_of. TopMost's beta is slices × topics × words, DETM's topics × slices × words: where
    labels do not tell, ``axes`` must.

    Raises
    ------
    InputError
        If the words are missing, shapes do not fit together, or can be read in two ways.
    """
    topic_word = next(arrays[name] for name in NAMES if name in arrays and arrays[name].ndim == 3)
    if vocabulary is None:
        vocabulary = next((arrays[name].tolist() for name in VOCABULARY if name in arrays), None)
    if vocabulary is None:
        there = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InputError(f"there is no vocabulary beside topic_word: hand it over; there are: {there}")
    labels = slice_labels or next((arrays[name].tolist() for name in LABELS if name in arrays), None)
    if axes is None and "axes" in arrays and arrays["axes"].ndim == 0:
        axes = str(arrays["axes"])
    doc_topic = next((arrays[name] for name in ("doc_topic", "theta") if name in arrays), None)
    return DynamicTopicModel(
        list(vocabulary),
        topic_word,
        axes,
        slice_labels=labels,
        doc_topic=doc_topic if doc_topic is not None and doc_topic.ndim == 2 else None,
        slice_of=arrays.get("slice_of"),
    )


def read_mat(
    path: str | Path,
    vocabulary: Sequence[str] | None = None,
    axes: str | None = None,
    slice_labels: Sequence[Any] | None = None,
) -> TopicModel | DynamicTopicModel:
    """Read topics of a .mat file: DETM's ``values`` are topics × times × words, ETM's topics × words.

    Any other array must be called topic_word, beta or phi. MATLAB has no words: hand over ``vocabulary``.

    Raises
    ------
    FormatError
        If it is no .mat file of MATLAB 5 to 7.2, is cut off, or holds no such array.
    InputError
        If shapes do not fit together.
    """
    path = Path(path)
    arrays = _load(path)
    name = next((name for name in NAMES if name in arrays), None)
    if name is None or vocabulary is None:
        there = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        wanted = f"an array called one of {', '.join(NAMES)}" if name is None else "a vocabulary: vocabulary="
        raise FormatError(path, f"needs {wanted}; there are: {there}")
    if arrays[name].ndim == 2:
        return TopicModel(vocabulary, arrays[name].T if axes == "word topic" else arrays[name])
    if arrays[name].ndim != 3:
        raise FormatError(path, f"{name} has shape {arrays[name].shape}, but two or three axes were expected")
    known = "topic time word" if name == DETM and axes is None else axes
    model = from_arrays({**arrays, "topic_word": arrays[name]}, vocabulary, known, slice_labels)
    return replace(model, source="DETM") if name == DETM else model


def _load(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of numbers of a .mat file; none is made that is larger than the file can hold."""
    from scipy.io import loadmat, whosmat

    try:
        most = MOST * path.stat().st_size
        listed = whosmat(str(path), appendmat=False)
        numbers = [
            name
            for name, shape, kind in listed
            if kind in KINDS and 0 < np.prod([float(size) for size in shape]) <= most
        ]
        loaded = loadmat(str(path), appendmat=False, variable_names=numbers) if numbers else {}
    except NotImplementedError:
        fix = "save it with -v7, or beta as .npz in Python"
        raise FormatError(path, f"is of MATLAB 7.3, which is another format (HDF5): {fix}") from None
    except Exception as error:  # scipy lets through whatever the parts of its reader raise
        raise FormatError(path, f"is no whole .mat file: {type(error).__name__}: {error}") from None
    arrays = {name: np.asarray(loaded[name]) for name in numbers if name in loaded}
    if not arrays:
        names = ", ".join(name for name, *_ in listed) or "nothing"
        raise FormatError(path, f"holds no array of numbers; there is: {names}")
    return arrays
