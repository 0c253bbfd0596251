"""The arrays of .npz and .npy files, believed only as far as header and size bear each other out."""

import io
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tealeaves.errors import FormatError
from tealeaves.readers._files import check_regular, most_bytes

ENDING = ".npy"
# What zipfile and NumPy raise where an archive is not whole.
DAMAGE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
)
DAMAGE += (NotImplementedError, RuntimeError, KeyError, OverflowError, TypeError, MemoryError)


class Archive:
    """The arrays of an open .npz by their names; one that nobody asks for is not unpacked."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path, self._zip = path, archive
        self._left = most_bytes(path)  # of the whole archive: entries may share what is packed
        self.names = [name.removesuffix(ENDING) for name in archive.namelist() if name.endswith(ENDING)]

    def __getitem__(self, name: str) -> NDArray[Any]:
        entry = self._zip.getinfo(name + ENDING)
        self._left -= entry.file_size
        if self._left < 0:
            found = f"the array {name!r} says {entry.file_size:,} bytes, which is more than its file can hold"
            raise FormatError(self._path, f"{found}: it is damaged, or meant to do harm")
        return read_npy(self._path, self._zip.read(entry), f"the array {name!r}")


@contextmanager
def open_npz(path: Path) -> Iterator[Archive]:
    """Open an archive; whatever goes wrong with it meanwhile is one FormatError."""
    check_regular(path)
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            yield Archive(path, archive)
    except DAMAGE as error:
        unreadable = isinstance(error, OSError) and error.filename is not None  # the system's own error
        if isinstance(error, FormatError) or unreadable:
            raise
        raise FormatError(path, f"is no whole archive of NumPy (.npz): {error}") from None


def read_npy(path: Path, content: bytes, what: str) -> NDArray[Any]:
    """The array that the bytes of an .npy hold; ``what`` names it in an error.

    Raises
    ------
    FormatError
        If it is cut off or damaged, or holds Python objects.
    """
    stream = io.BytesIO(content)
    try:
        with warnings.catch_warnings(action="ignore"):
            old = npy.read_magic(stream) < (2, 0)
            read = npy.read_array_header_1_0 if old else npy.read_array_header_2_0
            shape, by_columns, dtype = read(stream)
    except Exception as error:  # what Python's own parser raises, of a header that is no dictionary
        raise FormatError(path, f"{what} is damaged, no whole .npy: {error}") from None
    if dtype.hasobject:
        found = f"{what} holds Python objects, which can run any code when opened"
        raise FormatError(path, f"{found}: save words as np.array(words, dtype=str)")
    if dtype.itemsize == 0:
        raise FormatError(path, f"{what} is of {dtype}, which has no content")
    size, there = dtype.itemsize, len(content) - stream.tell()
    for length in shape:
        size *= int(length)
    if not 0 <= size <= there:
        found = f"{what} is cut off: {size:,} bytes were expected after its header, but there are {there:,}"
        raise FormatError(path, found)
    try:
        if not size:
            return np.empty(shape, dtype)
        array = np.frombuffer(content, dtype, size // dtype.itemsize, offset=stream.tell())
        if dtype.kind == "U" and int(array.view(f"{dtype.byteorder}u4").max()) > sys.maxunicode:
            raise FormatError(path, f"{what} holds what are no letters")
        return array.reshape(shape, order="F" if by_columns else "C")
    except (ValueError, OverflowError, MemoryError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(path, f"{what} is damaged: {error}") from None
