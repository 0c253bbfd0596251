"""Damage for readers: files changed at random, always the same way for the same seed.

The everyday run gives each reader a few dozen inputs; ``TEALEAVES_FUZZ=10000`` sets another number.
"""

import os
import random
import re
import resource
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import pytest

from tealeaves.errors import TealeavesError

NUMBERS = (b"1e308", b"-1", b"0", b"1" + b"0" * 18, b"99999999999999999999999", b"nan", b"0.5", b"4294967296")
RUBBISH = (
    b"\x00",
    b"\xff\xfe",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\r",
    b"\n\n",
    b"\t",
    b":",
    b'"',
    b"{",
    b"\x1f\x8b",
    b"../",
)
NUMBER = re.compile(rb"\d+")
SLOWEST = 20.0  # seconds for one small file: a hang, even on a machine with much else to do
MOST = 600_000  # KiB that the process may grow by while it reads small files

ASKED = int(os.environ.get("TEALEAVES_FUZZ", "0"))  # inputs for each reader
LONG = ASKED > 1000  # then real files are damaged as well: they are larger, and not everywhere

Folder = dict[str, bytes]


def times(everyday: int) -> int:
    """How many inputs a reader gets."""
    return ASKED or everyday


def damaged(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The content after one to three mishaps."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(MISHAPS)(content, others, rng)
    return content


def _cut(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _flip(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(min(len(changed), rng.choice((1, 1, 2, 8)))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _bytes(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(min(len(changed), rng.choice((1, 4)))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _lines(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[i]
        case 1:
            lines.insert(j, lines[i])
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case 3:
            lines[i] = b""
    return b"\n".join(lines)


def _number(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Another number, mostly in the first lines, where sizes stand."""
    found = list(NUMBER.finditer(content[: rng.choice((40, 400, 4000))]))
    if not found:
        return content
    start, end = rng.choice(found).span()
    return content[:start] + rng.choice(NUMBERS) + content[end:]


def _insert(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(RUBBISH) * rng.choice((1, 1, 1, 50)) + content[at:]


def _drop(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + content[at + rng.choice((1, 2, 30, 300)) :]


def _repeat(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    piece = content[at : at + rng.choice((1, 8, 64))]
    return content[:at] + piece * rng.choice((2, 10, 100)) + content[at:]


def _other(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    return rng.choice(others)


def _splice(content: bytes, others: list[bytes], rng: random.Random) -> bytes:
    other = rng.choice(others)
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


MISHAPS = (_cut, _flip, _bytes, _lines, _number, _number, _insert, _drop, _repeat, _other, _splice)

_opened: list[str] | None = None


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if _opened is not None and event in ("open", "os.remove", "os.rename", "os.mkdir", "shutil.rmtree"):
        _opened.append(str(arguments[0]))


sys.addaudithook(_hear)


@contextmanager
def listening():
    """What Python opens, deletes or renames meanwhile."""
    global _opened
    _opened = heard = []
    try:
        yield heard
    finally:
        _opened = None


def fuzz(
    tmp_path: Path,
    name: str,
    seeds: list[tuple[Folder, str]],
    read: Callable[[Path, random.Random], object],
    check: Callable[[object], None],
    n: int,
    links: tuple[str, ...] = (),
) -> dict[str, int]:
    """Damage one file of a folder n times and read it: a result that ``check`` likes, or one of our errors.

    Each seed is a folder of files and what of it is read ("" is the folder itself). ``links`` are names in
    the folder that lead to a file outside, which nobody may open. How often what came out is returned.
    """
    others = [content for folder, _ in seeds for content in folder.values()]
    others += [b"", b"\n", b"oil gas\n", b"{}", b"[]", b"PK\x03\x04", b"\x80\x04]"]
    home, outside = tmp_path / "home", tmp_path / "outside"
    for folder in (home, outside):
        folder.mkdir()
    secret = outside / "secret.arrow"
    secret.write_bytes(b"nobody may read this")
    outcomes: dict[str, int] = {}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for i in range(n):
        rng = random.Random(f"{name} {i}")
        folder, target = rng.choice(seeds)
        damage = rng.choice(sorted(folder)) if rng.random() < 0.3 else target or rng.choice(sorted(folder))
        place = home / f"{i}"
        place.mkdir()
        files = dict(folder)
        files[damage] = damaged(files[damage], others, rng)
        for file, content in files.items():
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_bytes(content)
        for link in links:
            (place / link).symlink_to(secret)
        start = time.monotonic()
        with listening() as heard:
            try:
                result = read(place / target, rng)
                check(result)
                outcome = "read"
            except (TealeavesError, FileNotFoundError) as error:
                outcome = type(error).__name__
                if not str(error).strip():
                    pytest.fail(f"{name} {i}: an error without a message")
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt | SystemExit):
                    raise
                pytest.fail(f"{name} {i} ({place / damage}): {type(error).__name__}: {error}")
        assert time.monotonic() - start < SLOWEST, f"{name} {i} took {time.monotonic() - start:.0f} s"
        ours = [os.path.realpath(path) for path in heard if str(tmp_path) in path]
        assert not [path for path in ours if str(outside) in path], f"{name} {i} went outside"
        for link in links:
            (place / link).unlink()
        there = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
        assert there == set(files), f"{name} {i} left or deleted files"
        assert all((place / file).read_bytes() == content for file, content in files.items())
        for file in files:
            (place / file).unlink()
        for below in sorted((p for p in place.rglob("*")), reverse=True):
            below.rmdir()
        place.rmdir()
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{name}: {n} inputs, {outcomes}, {grown // 1024} MiB more")
    assert grown < MOST, f"{name}: the process grew by {grown // 1024} MiB"
    return outcomes
