"""How far long work is, told by who does it to whoever shows it, through whatever lies between."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO


class Watch:
    """What is done of a whole: bytes of a file as it lies, files, rows, documents, …"""

    def __init__(self) -> None:
        self.done = self.whole = 0
        self.file: IO[bytes] | None = None

    def forget(self) -> None:
        """What was told is of a step that is over."""
        self.file, self.done, self.whole = None, 0, 0

    def look(self) -> tuple[int, int]:
        """What is done now, and the whole; 0 where that is not known."""
        with suppress(ValueError):  # the file was closed: it has been read
            file = self.file
            self.done = self.done if file is None else file.tell()
        return self.done, self.whole


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch what is done in this thread until the end of the block."""
    watch = Watch()
    before = _WATCH.set(watch)
    try:
        yield watch
    finally:
        _WATCH.reset(before)


def tell(done: int, whole: int) -> None:
    """Say how much is done, if somebody watches."""
    if (watch := _WATCH.get()) is not None:
        watch.file, watch.done, watch.whole = None, done, whole


def tell_of(file: IO[bytes], path: Path) -> None:
    """Have whoever watches look at the place in ``file``, which is ``path`` as it lies, packed or not."""
    if (watch := _WATCH.get()) is not None:
        watch.file, watch.whole = file, path.stat().st_size
