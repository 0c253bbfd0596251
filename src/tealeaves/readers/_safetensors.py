"""Reader of .safetensors files: a length, a header in JSON, and the numbers as they lie in memory.

The library is not needed for that. A header is believed only as far as the file's own size bears it out.
"""

import json
import math
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError

DTYPES = {
    **{f"F{8 * n}": f"<f{n}" for n in (2, 4, 8)},
    **{f"I{8 * n}": f"<i{n}" for n in (1, 2, 4, 8)},
    **{f"U{8 * n}": f"<u{n}" for n in (1, 2, 4, 8)},
    "BOOL": "|b1",
    "BF16": "<u2",  # the upper half of a float32
}
LENGTH = 8  # bytes of the header's length
LONGEST = 100_000_000  # bytes of a header: the format's own limit
DEEPEST, LARGEST = 8, 1 << 63  # dimensions, and their length


def read_safetensors(path: Path, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """The arrays called ``names`` of a .safetensors file; nothing else of it is read.

    Raises
    ------
    FormatError
        If the file is cut off, its header is no such header, or an array is missing.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        header, start = _header(file, path, size)
        arrays = {}
        for name in names:
            if name not in header:
                there = ", ".join(key for key in header if key != "__metadata__") or "nothing"
                raise FormatError(path, f"has no array {name!r}; there are: {there}")
            arrays[name] = _array(file, path, name, header[name], start, size)
    return arrays


def _header(file: BinaryIO, path: Path, size: int) -> tuple[dict[str, Any], int]:
    """The header and where the numbers begin."""
    length = int.from_bytes(file.read(LENGTH), "little")
    if size < LENGTH or length > min(size - LENGTH, LONGEST):
        found = f"says that its header has {length:,} bytes, but the file has {size:,}"
        raise FormatError(
            path, f"is no whole .safetensors file: it {found if size >= LENGTH else 'is cut off'}"
        )
    try:
        header = json.loads(file.read(length))
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"is no whole .safetensors file: its header is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise FormatError(path, "is no .safetensors file: its header is not a JSON object")
    return header, LENGTH + length


def _array(file: BinaryIO, path: Path, name: str, entry: Any, start: int, size: int) -> NDArray[Any]:
    """One array, once its entry in the header is seen to fit the file."""
    entry = entry if isinstance(entry, dict) else {}
    kind, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(kind, str) or kind not in DTYPES:
        raise FormatError(path, f"array {name!r} is of dtype {_short(kind)}, not one of {', '.join(DTYPES)}")
    if not _whole(shape) or len(shape) > DEEPEST or not _whole(offsets) or len(offsets) != 2:
        raise FormatError(
            path,
            f"array {name!r} has shape {_short(shape)} and data_offsets {_short(offsets)}: no such array",
        )
    dtype = np.dtype(DTYPES[kind])
    begin, end = offsets
    needed = math.prod(shape) * dtype.itemsize  # of Python's numbers, which do not overflow
    if not begin <= end <= size - start or end - begin != needed:
        found = f"should take {needed:,} bytes, but takes {begin:,} to {end:,} of {size - start:,}"
        raise FormatError(
            path, f"array {name!r} of {kind} and shape {shape} {found}: the file is cut off or damaged"
        )
    file.seek(start + begin)
    flat = np.frombuffer(file.read(needed), dtype=dtype)
    if kind == "BF16":
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    try:
        return flat.reshape(shape)
    except ValueError as error:  # such as 0 × 10^18
        raise FormatError(path, f"array {name!r} has shape {shape}: {error}") from None


def _short(thing: Any) -> str:
    return repr(thing)[:60]


def _whole(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(type(n) is int and 0 <= n < LARGEST for n in numbers)
