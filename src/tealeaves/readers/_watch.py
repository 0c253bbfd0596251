"""How far the reading of a file is, for whoever shows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO


class Watch:
    """What is done of a whole, in a unit of the reader's own: bytes of the file as it lies, files, rows."""

    def __init__(self) -> None:
        self.done = self.whole = 0
        self.file: IO[bytes] | None = None

    def look(self) -> tuple[int, int]:
        """What is done now, and the whole; 0 where that is not known."""
        if self.file is not None and not self.file.closed:
            self.done = self.file.tell()
        return self.done, self.whole


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch what is read until the end of the block."""
    watch = Watch()
    before = _WATCH.set(watch)
    try:
        yield watch
    finally:
        _WATCH.reset(before)


def tell(done: int, whole: int) -> None:
    """Say how much is read, if somebody watches."""
    if (watch := _WATCH.get()) is not None:
        watch.done, watch.whole = done, whole


def tell_of(file: IO[bytes], path: Path) -> None:
    """Have whoever watches look at the place in ``file``, which is ``path`` as it lies, packed or not."""
    if (watch := _WATCH.get()) is not None:
        watch.file, watch.whole = file, path.stat().st_size
