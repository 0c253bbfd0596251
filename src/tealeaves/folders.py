"""Folders of JSON and plain arrays with checksums: how our types are kept on disk, whole or not at all."""

import errno
import glob
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError, InputError

CHUNK = 1 << 22
MAGIC = b"\x93NUMPY"
# What NumPy lets through of an array that is damaged: its header is read as Python's own notation.
DAMAGED = (ValueError, OSError, EOFError, TypeError, OverflowError, MemoryError, SyntaxError, TokenError)
OLD = "old"  # where a folder waits while its successor takes its place


class Kind(NamedTuple):
    """What a folder holds, and the version of the format it is written in."""

    name: str
    version: int

    @property
    def manifest(self) -> str:
        """The file that says what the folder is."""
        return f"{self.name}.json"

    @property
    def format(self) -> str:
        """What the manifest calls the format."""
        return f"tealeaves {self.name}"


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, "utf-8", newline="\n")
        part.replace(path)
    except OSError as error:  # about the file that was asked for, not the part of it
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        part.unlink(missing_ok=True)


def is_saved(path: Path, kind: Kind) -> bool:
    """Whether ``path`` looks like a folder of this kind, whole or not."""
    manifest = path / kind.manifest
    if not manifest.is_file():  # a pipe of this name would keep who opens it waiting
        return False
    try:
        with manifest.open("rb") as file:
            return kind.format.encode() in file.read(200)
    except OSError:
        return False


def save_folder(path: Path, kind: Kind, write: Callable[[Path], None], scratch: Path | None = None) -> None:
    """Have a new folder written and put it at ``path``; one of its kind gives way once the new one is whole.

    Whatever goes wrong, the folder that was there is put back. A process killed between the two renames
    leaves it in a hidden folder beside ``path``, which `missing` names. That folder has a name of its own, or
    is ``scratch``: then what a killed process left there is put back or deleted.

    Raises
    ------
    InputError
        If ``path`` is something else.
    OSError
        If it cannot be written; named is ``path``, not what was to become it.
    """
    if scratch is not None and (scratch / OLD).exists() and not path.exists():
        (scratch / OLD).rename(path)
    if path.exists() and not is_saved(path, kind) and not (path.is_dir() and not any(path.iterdir())):
        raise InputError(f"{path} is there already and is no saved {kind.name}: name another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if scratch is None:
            scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
        else:
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
    except OSError as error:
        raise _about(path, error) from None
    new, old = scratch / "new", scratch / OLD
    try:
        new.mkdir()
        write(new)
        if path.exists():
            path.rename(old)
        new.rename(path)
    except OSError as error:
        ours = error.errno is not None and str(error.filename or "").startswith(str(scratch))
        raise (_about(path, error) if ours else error) from None
    finally:
        if old.exists() and not path.exists():
            old.rename(path)  # if even this fails, nothing is deleted
        shutil.rmtree(scratch, ignore_errors=True)


def missing(path: Path) -> FileNotFoundError:
    """The error that ``path`` is not there; it says where a save that was killed has left it.

    Examples
    --------
    >>> str(missing(Path("no-such-model")))
    "[Errno 2] No such file or directory: 'no-such-model'"
    """
    said = os.strerror(errno.ENOENT)
    for left in sorted(path.parent.glob(f".{glob.escape(path.name)}-*/{OLD}")):
        said += f" (a save was killed halfway; what was there is in {left}: move it back)"
    return FileNotFoundError(errno.ENOENT, said, str(path))


def _about(path: Path, error: OSError) -> OSError:
    """The same error, about ``path``."""
    return OSError(error.errno, error.strerror, str(path))


def write_manifest(folder: Path, kind: Kind, about: dict[str, Any]) -> None:
    """Say what the folder is, last of all and in one step: until then it is what it was."""
    head = {"format": kind.format, "version": kind.version, "checksum": json_digest(about)}
    new = folder / f".{kind.manifest}.new"
    write_json(new, head | about)
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(folder / kind.manifest)


def read_manifest(folder: Path, kind: Kind) -> dict[str, Any]:
    """What `write_manifest` wrote.

    Raises
    ------
    FormatError
        If the folder is none of this kind or version, or its manifest was changed.
    """
    path = folder / kind.manifest
    if not path.is_file():
        raise FormatError(folder, f"is no saved {kind.name}: a folder with {kind.manifest} was expected")
    about = read_json(path)
    if not isinstance(about, dict) or about.pop("format", None) != kind.format:
        raise FormatError(
            path, f"was not written by tealeaves: it does not say {kind.format!r} as its format"
        )
    version = about.pop("version", None)
    if version != kind.version:
        raise FormatError(
            path, f"is of version {version!r} of the format, but this release reads {kind.version}"
        )
    if about.pop("checksum", None) != json_digest(about):
        raise FormatError(path, "is torn or was changed: its checksum is another")
    return about


def check_files(folder: Path, sums: dict[str, str], *, verify: bool) -> None:
    """See that every file of ``sums`` is there and, with ``verify``, is what was written."""
    for name in sums:
        if not (folder / name).is_file():
            raise FormatError(folder / name, "is missing from the folder that was saved")
        if verify and file_digest(folder / name) != sums[name]:
            raise FormatError(folder / name, "is torn or was changed: its checksum is another")


def read_json(path: Path) -> Any:
    """The content of a JSON file."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FormatError(path, "is missing from the folder that was saved") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"is not whole: JSON was expected, but {error}") from None


def write_json(path: Path, content: object) -> None:
    """Write a JSON file."""
    path.write_text(json.dumps(content), "ascii")  # ASCII: half a surrogate pair survives, too


def read_array(path: Path) -> NDArray[Any]:
    """A list of whole numbers, mapped into memory."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:  # NumPy would open an archive or a pickle, too
                raise FormatError(path, "is torn or no array: it does not begin as arrays do")
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise FormatError(path, "is missing from the folder that was saved") from None
    except FormatError:
        raise
    except DAMAGED as error:
        try:
            array = np.load(path, allow_pickle=False)  # an array without elements cannot be mapped
        except DAMAGED:
            raise FormatError(path, f"is torn or no array: {error}") from None
        if array.size:
            raise FormatError(path, f"cannot be mapped into memory: {error}") from None
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise FormatError(path, f"holds {array.dtype} of {array.ndim} axes, not a list of whole numbers")
    return np.asarray(array)


def digest(array: NDArray[Any]) -> str:
    """The checksum of an array's content."""
    total = hashlib.sha256()
    for start in range(0, len(array), CHUNK):
        total.update(np.ascontiguousarray(array[start : start + CHUNK]).data)
    return total.hexdigest()


def file_digest(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def json_digest(content: object) -> str:
    """The checksum of what a JSON file says."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
