"""Opening files whether or not they are compressed, with one clear error where one is not whole."""

import bz2
import gzip
import lzma
import stat
import zlib
from pathlib import Path
from typing import IO

from tealeaves.errors import FormatError

SMALL, DENSEST = 1 << 26, 250  # bytes always unpacked; beyond them, how many times the packed ones at most
PACKED = GZIP, BZIP2, XZ, ZSTANDARD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def check_regular(path: Path) -> None:
    """Refuse what is neither a file nor a folder, before anything waits for it or reads without end.

    Readers open a file more than once: first to see what it is. A pipe can be read only once.

    Raises
    ------
    FormatError
        If it is a pipe, a device or a socket; one that is not there is left to whoever opens it.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return
    kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
    raise FormatError(path, f"is {kind}, not a file: write what comes out of it to a file, and name that")


def most_bytes(path: Path) -> int:
    """How many bytes a file may unpack to; for a plain one, more than it has."""
    return max(SMALL, DENSEST * path.stat().st_size)


def bomb(path: Path, most: int) -> FormatError:
    """The error that a file unpacks to more than ``most`` bytes."""
    return FormatError(path, f"unpacks to more than {most:,} bytes: it is damaged, or meant to do harm")


def read_bytes(path: Path, limit: int = -1) -> bytes:
    """The content of a file, decompressed; at most its first ``limit`` bytes.

    Raises
    ------
    FormatError
        If it is no file, compressed but cut off or damaged, or would unpack to far more than text ever does.
    """
    check_regular(path)
    with path.open("rb") as raw:
        start = raw.read(6)
        if not start.startswith(PACKED):
            return (start + raw.read(limit))[: limit if limit >= 0 else None]
    most = most_bytes(path)
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
        raise bomb(path, most)
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
                stream = zstandard.ZstdDecompressor().stream_reader(file)
                return io.BytesIO(stream.read(most_bytes(path) + 1))
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


def read_lines(path: Path) -> list[str]:
    r"""The lines of a UTF-8 file, each of which ends at ``\n`` or ``\r\n``.

    `str.splitlines` ends lines at ten other characters too, such as U+0085 and U+2028, which words of real
    vocabularies hold: every word after one would be taken for the word before.
    """
    *lines, rest = read_text(path).split("\n")
    return [line.removesuffix("\r") for line in ([*lines, rest] if rest else lines)]
