"""Reader of arrays of three axes: .npz and .npy, and the .mat files of DETM."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError

LABELS = ("slice_labels", "slices", "times", "time_slices", "timestamps", "years")
DETM = "values"  # what DETM calls its beta, topics × times × words
MOST = 1100  # times that zlib can shrink numbers


def from_arrays(
    arrays: Mapping[str, NDArray[Any]],
    topic_word: NDArray[Any],
    words: Sequence[str],
    *,
    axes: str | None = None,
    slice_labels: Sequence[Any] | None = None,
) -> DynamicTopicModel:
    """A dynamic model from an array of three axes and what lies beside it in the file.

    Raises
    ------
    InputError
        If shapes do not fit together, or can be read in two ways and ``axes`` is not said.
    """
    if slice_labels is None:
        slice_labels = next((arrays[name].tolist() for name in LABELS if name in arrays), None)
    if axes is None and "axes" in arrays and arrays["axes"].ndim == 0:
        axes = str(arrays["axes"])
    doc_topic = next((arrays[name] for name in ("doc_topic", "theta") if name in arrays), None)
    return DynamicTopicModel(
        list(words),
        topic_word,
        axes,
        slice_labels=slice_labels,
        doc_topic=doc_topic if doc_topic is not None and doc_topic.ndim == 2 else None,
        slice_of=arrays.get("slice_of"),
    )


def read_mat(path: str | Path) -> tuple[dict[str, NDArray[Any]], str | None]:
    """The arrays of numbers of a .mat file, and the axes of ``values`` if it is DETM's beta.

    Raises
    ------
    FormatError
        If it is no .mat file of MATLAB 5 to 7.2, or is cut off.
    """
    path = Path(path)
    from scipy.io import loadmat, whosmat

    try:
        listed = whosmat(str(path), appendmat=False)
        most = MOST * path.stat().st_size  # more numbers cannot be in it
        numbers = [
            name
            for name, shape, kind in listed
            if kind in ("double", "single", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
            and 0 < np.prod([float(size) for size in shape]) <= most
        ]
        loaded = loadmat(
            str(path), appendmat=False, variable_names=numbers, verify_compressed_data_integrity=True
        )
    except NotImplementedError:
        fix = "save it with -v7, or beta as .npz in Python"
        raise FormatError(path, f"is of MATLAB 7.3, which is another format (HDF5): {fix}") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise FormatError(path, f"is no whole .mat file: {error}") from None
    except Exception as error:  # scipy's reader of MATLAB files lets through whatever its parts raise
        raise FormatError(path, f"is no whole .mat file: {type(error).__name__}: {error}") from None
    arrays = {name: np.asarray(loaded[name]) for name in numbers if name in loaded}
    if not arrays:
        raise FormatError(
            path, f"holds no array of numbers, only: {[name for name, *_ in listed] or 'nothing'}"
        )
    axes = "topic time word" if DETM in arrays and arrays[DETM].ndim == 3 else None
    return arrays, axes
