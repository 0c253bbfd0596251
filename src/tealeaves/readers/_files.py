"""Opening files whether or not they are compressed, with one clear error where one is not whole."""

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import IO

from tealeaves.errors import FormatError

SMALL, DENSEST = 1 << 26, 250  # bytes always unpacked; beyond them, how many times the packed ones at most
GZIP, BZIP2, XZ, ZSTANDARD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def read_bytes(path: Path, limit: int = -1) -> bytes:
    """The content of a file, decompressed; at most its first ``limit`` bytes.

    Raises
    ------
    FormatError
        If it is compressed but cut off or damaged, or would unpack to far more than text ever does.
    """
    with path.open("rb") as raw:
        start = raw.read(6)
    most = max(SMALL, DENSEST * path.stat().st_size)  # for a plain file never reached
    try:
        with _open(path, start) as file:
            content = file.read(limit if 0 <= limit <= most else most + 1)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(path, f"is compressed, but cut off or damaged: {error}") from None
    except OSError as error:
        if error.errno is not None:  # the system's own, such as a file that may not be read
            raise
        raise FormatError(path, f"is compressed, but damaged: {error}") from None
    if len(content) > most:
        raise FormatError(path, f"unpacks to more than {most:,} bytes: it is damaged, or meant to do harm")
    return content


def plausible(path: Path, what: str, highest: int, seen: int) -> int:
    """How many there are of what is numbered from 0 to ``highest``, of which ``seen`` have been met.

    Raises
    ------
    FormatError
        If nearly all would be missing: a number is damaged, and memory for them all is not to be had.

    Examples
    --------
    >>> plausible(Path("state"), "topics", 19, 18)
    20
    """
    if highest >= 1000 + 100 * seen:
        raise FormatError(
            path, f"has {what} numbered up to {highest}, but only {seen} of them: is it damaged?"
        )
    return highest + 1


def _open(path: Path, start: bytes) -> IO[bytes] | gzip.GzipFile:
    if start.startswith(GZIP):
        return gzip.open(path)
    if start.startswith(BZIP2):
        return bz2.open(path)
    if start.startswith(XZ):
        return lzma.open(path)
    if start.startswith(ZSTANDARD):
        import io

        import zstandard

        try:
            with path.open("rb") as file:
                most = max(SMALL, DENSEST * path.stat().st_size)
                return io.BytesIO(zstandard.ZstdDecompressor().stream_reader(file).read(most + 1))
        except zstandard.ZstdError as error:
            raise EOFError(str(error)) from None
    return path.open("rb")


def read_text(path: Path) -> str:
    """The content of a UTF-8 file, decompressed, without a byte-order mark."""
    content = read_bytes(path)
    if b"\x00" in content[:4096]:
        raise FormatError(path, "is not text: it holds zero bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"byte {content[error.start]:#04x} is no UTF-8"
        raise FormatError(path, f"{found}: save the file as UTF-8", line=line) from None
