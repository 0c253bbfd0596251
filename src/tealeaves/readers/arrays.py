"""Reader of NumPy arrays: an .npz with topic_word and vocabulary, or an .npy of topic_word alone."""

import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import DENSEST, SMALL
from tealeaves.readers._matrices import has_matrix, model_of
from tealeaves.readers._octis import is_octis, octis_model
from tealeaves.readers.dynamic_arrays import from_arrays, has_slices

Arrays = dict[str, NDArray[np.generic]]
PICKLED = "holds pickled Python objects, which is not to be trusted: save words as np.array(words, dtype=str)"


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
    """Every array of a file by its name; that of an .npy is called topic_word.

    Raises
    ------
    FormatError
        If one is cut off or pickled, or would take far more memory than the file.
    """
    try:
        with path.open("rb") as file:
            if file.read(2) != b"PK":
                file.seek(0)
                return {"topic_word": _array(path, file, path.stat().st_size)}
        arrays: Arrays = {}
        with ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.filename.endswith(".npy"):
                    continue
                if entry.file_size > max(SMALL, DENSEST * entry.compress_size):
                    found = f"{entry.filename} would unpack to {entry.file_size:,} bytes"
                    raise FormatError(path, f"{found}: it is damaged, or meant to do harm")
                content = archive.read(entry)
                name = entry.filename.removesuffix(".npy")
                arrays[name] = _array(path, io.BytesIO(content), len(content))
        return arrays
    except FormatError:
        raise
    except (
        BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        MemoryError,
        ValueError,
        NotImplementedError,
    ) as error:
        raise FormatError(path, f"is no whole .npz or .npy: {error}") from None
    except (RuntimeError, OverflowError, SyntaxError, TokenError, TypeError, OSError) as error:  # headers
        if isinstance(error, OSError) and error.errno is not None and error.filename:
            raise
        raise FormatError(path, f"is no whole .npz or .npy: {error}") from None


def _array(path: Path, file: IO[bytes], size: int) -> NDArray[np.generic]:
    """The array of an .npy, once its header is seen to fit its size."""
    version = npy.read_magic(file)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read_header(file)
    if dtype.hasobject:
        raise FormatError(path, PICKLED)
    count = 1
    for length in shape:
        count *= int(length)
    if count < 0 or count * dtype.itemsize > size - file.tell():
        found = f"is cut off: {count * dtype.itemsize:,} bytes were expected after the header"
        raise FormatError(path, f"{found}, but there are {size - file.tell():,}")
    content = file.read(count * dtype.itemsize)
    if dtype.itemsize == 0:
        raise FormatError(path, f"holds an array of {dtype}, which has no content")
    array = np.frombuffer(content, dtype=dtype, count=count)
    return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)
