"""The lines of text files, plain or compressed, one after the other."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from tealeaves._watch import tell_of
from tealeaves.errors import FormatError
from tealeaves.readers._files import BZIP2, GZIP, XZ, ZSTANDARD, bomb, check_regular, most_bytes

BLOCK = 1 << 23  # bytes of lines read at a time
LONGEST = 1 << 27  # bytes of a line: more than any document has, and what memory must hold at once
BOM = b"\xef\xbb\xbf"


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers, without their ends."""
    with opened(path) as raw:
        for number, line in enumerate(text_lines(path, raw), start=1):
            yield number, line.removesuffix("\n").removesuffix("\r")


def text_lines(path: Path, raw: IO[bytes]) -> Iterator[str]:
    """The lines of a UTF-8 stream, read in blocks; only a line feed ends one."""
    for number, block in blocks(path, raw):
        yield from decoded(path, number, io.BytesIO(block))


def decoded(path: Path, first: int, lines: Iterable[bytes]) -> Iterator[str]:
    """Lines as text; ``first`` is the number of the first one."""
    for number, line in enumerate(lines, start=first):
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            found = f"byte {line[error.start]:#04x} is no UTF-8"
            raise FormatError(path, f"{found}; save the file as UTF-8", number) from None


def blocks(path: Path, raw: IO[bytes], size: int = sys.maxsize) -> Iterator[tuple[int, bytes]]:
    """Whole lines of a stream, about ``size`` bytes at a time, ``BLOCK`` at most; the first one's number."""
    number = 1
    try:
        for block in _blocks(path, raw, min(size, BLOCK)):
            if number == 1:
                if block.startswith((b"\xff\xfe", b"\xfe\xff")):
                    raise FormatError(path, "is UTF-16; save the file as UTF-8", 1)
                block = block.removeprefix(BOM)
            yield number, block
            number += block.count(b"\n")
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(path, f"is compressed, but cut off or damaged: {error}", number) from None
    except Exception as error:
        damaged = isinstance(error, OSError) and error.errno is None  # bz2's own
        if not damaged and type(error).__name__ != "ZstdError":  # which is imported only where needed
            raise
        raise FormatError(path, f"is compressed, but cut off or damaged: {error}", number) from None


def _blocks(path: Path, raw: IO[bytes], size: int) -> Iterator[bytes]:
    """Whole lines; only so much is held as is handed over, or the longest line."""
    most, seen, number = most_bytes(path), 0, 1
    rest: list[bytes] = []  # of a line of which the end is not read yet
    held = 0
    while chunk := raw.read(size):
        seen += len(chunk)
        if seen > most:
            raise bomb(path, most)
        end = chunk.rfind(b"\n") + 1
        if end:
            block = b"".join([*rest, memoryview(chunk)[:end]])
            number += block.count(b"\n")
            yield block
            rest, held = [], 0
        rest.append(chunk[end:])
        held += len(chunk) - end
        if held > LONGEST:
            wanted = f"is longer than {LONGEST:,} bytes, but a document a line was expected"
            raise FormatError(path, f"this line {wanted}: is it one line by mistake?", number)
    if held:
        yield b"".join(rest)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A stream of the bytes of a file, decompressed."""
    check_regular(path)
    with path.open("rb") as raw:
        start = raw.read(6)
        raw.seek(0)
        tell_of(raw, path)
        for mark, library in ((GZIP, gzip), (BZIP2, bz2), (XZ, lzma)):
            if start.startswith(mark) and (mark != BZIP2 or start[3:4].isdigit()):
                with library.open(raw) as unpacked:
                    yield cast("IO[bytes]", unpacked)
                return
        if start.startswith(ZSTANDARD):
            import zstandard

            stream = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
            with io.BufferedReader(stream, 1 << 20) as unpacked:
                yield unpacked
            return
        yield raw
