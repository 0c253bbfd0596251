"""Reader of NumPy arrays: an .npz with topic_word and vocabulary, or an .npy of one matrix alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import check_regular
from tealeaves.readers._matrices import has_matrix, model_of
from tealeaves.readers._npz import open_npz, read_npy
from tealeaves.readers._octis import is_octis, octis_model
from tealeaves.readers.dynamic_arrays import from_arrays, has_slices

Arrays = dict[str, NDArray[Any]]
BARE = "phi"  # what the one array of an .npy is called: a name that says nothing of its axes


def read_arrays(
    path: str | Path,
    vocabulary: Sequence[str] | None = None,
    axes: str | None = None,
    slice_labels: Sequence[Any] | None = None,
) -> TopicModel | DynamicTopicModel:
    """Read ``topic_word`` (K, V) and ``vocabulary`` (V,), and what else a TopicModel has, if it is there.

    Other tools' names are known too: phi, beta, components_, theta, vocab, and those of OCTIS, whose topics
    alone will do. A ``vocabulary`` that is handed over goes before one in the file.

    Raises
    ------
    FormatError
        If an array is missing, cut off or pickled, with a list of what is there; or its axes can be
        meant either way, and ``axes`` does not say.
    """
    path = Path(path)
    arrays = load_arrays(path)
    if "meta" in arrays:
        from tealeaves.readers.topica import anchor_save

        arrays |= anchor_save(arrays)
    try:
        if has_slices(arrays):
            return from_arrays(arrays, vocabulary, axes, slice_labels)
        if is_octis(arrays) or ("topics" in arrays and not has_matrix(arrays)):
            return octis_model(arrays, vocabulary, axes)
        return model_of(arrays, vocabulary, axes)
    except InputError as error:
        raise FormatError(path, str(error)) from None


def load_arrays(path: Path) -> Arrays:
    """Every array of a file by its name; that of an .npy has none and is called phi.

    Raises
    ------
    FormatError
        If one is cut off or pickled, or would take far more memory than the file.
    """
    check_regular(path)
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            file.seek(0)
            return {BARE: read_npy(path, file.read(), "its array")}
    with open_npz(path) as archive:
        return {name: archive[name] for name in archive.names}
