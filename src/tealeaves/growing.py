"""Files that grow at their end: arrays of one axis as NumPy keeps them, and bytes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Alone with a folder: another process that wants to write there is refused.

    A lock goes with the process that holds it. Where the system has none (Windows), nothing is refused.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            alone = folder.exists() and os.path.samestat(os.fstat(handle), folder.stat())
        except BlockingIOError:
            alone = False
        if not alone:  # or it was done with the folder, and took it away, since it was opened here
            raise InputError(f"{folder}: another process is writing there; wait until it is done")
        yield
    finally:
        os.close(handle)


class GrowingBytes:
    """A file of which the first ``length`` bytes count; whatever stands behind them is written over."""

    def __init__(self, path: Path, length: int = 0) -> None:
        self.path, self.length = path, length
        self._file = path.open("r+b" if path.exists() else "w+b")
        self._file.truncate(length)
        self._file.seek(length)

    def extend(self, data: bytes) -> None:
        """Write ``data`` behind what is there."""
        self._file.write(data)
        self.length += len(data)

    def close(self) -> None:
        """Put it on the disk; nothing more can be written."""
        if self._file.closed:
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()


class GrowingArray:
    """A ``.npy`` file of which the first ``length`` entries count.

    NumPy leaves room in the header for a length of 21 digits, so that it can be written over in place; a
    reader that was told another length takes that many entries.
    """

    def __init__(self, path: Path, dtype: type, length: int = 0) -> None:
        self.path, self.length = path, length
        self._dtype = np.dtype(dtype).newbyteorder("<")
        self._file: Any = path.open("r+b" if path.exists() else "w+b")
        self._header()
        self._file.truncate(self._file.tell() + length * self._dtype.itemsize)
        self._file.seek(0, os.SEEK_END)

    def extend(self, values: NDArray[Any]) -> None:
        """Write ``values`` behind what is there."""
        if not len(values):
            return
        self._file.write(np.ascontiguousarray(values, self._dtype).data)
        self.length += len(values)

    def close(self) -> None:
        """Say in the header how many entries there are, and put it on the disk: the end of writing."""
        if self._file.closed:
            return
        self._on_disk()
        self._header()  # never of more than there is, should the power fail
        self._on_disk()
        self._file.close()

    def _on_disk(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def _header(self) -> None:
        self._file.seek(0)
        about = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False}
        np.lib.format.write_array_header_1_0(self._file, {**about, "shape": (self.length,)})
