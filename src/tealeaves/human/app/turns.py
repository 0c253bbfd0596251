"""Who writes next in SQLite: threads and processes one after the other, several in one commit."""

import contextlib
import math
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.engine import Connection

BUSY_SECONDS = 30  # how long a writer waits for another; each holds the lock for a few milliseconds


class Busy(Exception):
    """The database cannot be reached or is overloaded: to be tried again in a moment."""


class Baton:
    """One request at a time, besides who writes.

    Threads of Python run one at a time anyway, but SQLite lets go of the interpreter with every row: where
    ten threads read, they hand it on a hundred times a page, which costs more than the page.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mine = threading.local()

    @contextmanager
    def held(self) -> Iterator[None]:
        """A block during which no other thread holds it."""
        with self._lock:
            self._mine.held = True
            try:
                yield
            finally:
                self._mine.held = False

    @contextmanager
    def put_down(self) -> Iterator[None]:
        """A block during which another may hold it, as this thread waits for a disk; or nobody holds it."""
        if not getattr(self._mine, "held", False):
            yield
            return
        self._mine.held = False
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()
            self._mine.held = True


BATON = Baton()


class Queue:
    """Writers of a SQLite file, of all threads and processes, one after the other.

    Threads that wait while another writes go on in its transaction, each behind a savepoint of its own, and
    the last of them commits for all: a disk takes as long for one commit as for many. None comes out of
    `writing` before that commit, so that what it acknowledges then is on disk.

    Processes take turns by a lock of the system, which wakes who waits and goes with a process that dies.
    Inside SQLite they would sleep and try again, so that who has waited longest is not the next.

    Where nothing can be begun for ``BUSY_SECONDS``, all who have waited meanwhile are told, not one after the
    other.
    """

    MOST = 32  # writers of one transaction: the first does not wait for ever

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = threading.Lock()  # who has it writes
        self._counting = threading.Lock()
        self._waiting = 0
        self._failed_at = -math.inf  # when a transaction could not be begun
        self._shared: Shared | None = None  # what is begun and not committed
        self._turn = Turn(Path(f"{engine.url.database}.turn")) if engine.url.database else None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A part of a transaction; what is written is on disk once the block is left without an error."""
        self._count(1)
        came = time.monotonic()
        with self._lock:
            self._count(-1)
            shared = self._shared or self._begin(came)
            try:
                with shared.part():
                    yield shared.connection
            finally:
                if not self._waiting or shared.parts >= self.MOST or shared.lost:
                    self._finish()
        shared.wait()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody writes, and nothing is begun."""
        with self._lock:
            self._finish()
            with self._turn or contextlib.nullcontext():
                yield

    def _count(self, step: int) -> None:
        with self._counting:
            self._waiting += step

    def _begin(self, came: float) -> "Shared":
        if came < self._failed_at:
            raise Busy("another has waited in vain")
        try:
            with ExitStack() as held:
                held.enter_context(self._turn or contextlib.nullcontext())
                connection = held.enter_context(self.engine.connect().execution_options(tealeaves_write=True))
                connection.begin()
                self._shared = Shared(connection, held.pop_all())
        except Exception:
            self._failed_at = time.monotonic()
            raise
        return self._shared

    def _finish(self) -> None:
        shared, self._shared = self._shared, None
        if shared is not None:
            shared.commit()


class Shared:
    """A transaction in which several write, one after the other, and which one of them commits."""

    def __init__(self, connection: Connection, held: ExitStack) -> None:
        self.connection, self.parts = connection, 0
        self._held = held  # the turn, and the connection, until it is committed
        self._raw: Any = connection.connection.driver_connection
        self._done = threading.Event()
        self._error: Exception | None = Busy("not committed")

    @property
    def lost(self) -> bool:
        """Whether SQLite has undone all of it, such as on a full disk."""
        return not self._raw.in_transaction

    @contextmanager
    def part(self) -> Iterator[None]:
        """What one writer does: all of it or nothing, whatever others do."""
        self.parts += 1
        self._raw.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if not self.lost:
                self._raw.execute("ROLLBACK TO part")
                self._raw.execute("RELEASE part")
            raise
        self._raw.execute("RELEASE part")

    def commit(self) -> None:
        """Write it to the disk, and tell who waits for that."""
        try:
            with self._held:
                try:
                    if self.lost:
                        raise Busy("undone")
                    self.connection.commit()
                except Exception:
                    self.connection.invalidate()  # whatever is half done goes with the connection
                    raise
            self._error = None
        except Exception as error:
            self._error = error
        finally:
            self._done.set()

    def wait(self) -> None:
        """Until it is on the disk.

        Raises
        ------
        Busy
            If it is not.
        """
        self._done.wait(BUSY_SECONDS)
        if self._error is not None:
            cause = getattr(self._error, "orig", None) or self._error
            raise Busy(type(cause).__name__) from self._error


class Turn:
    """One process after the other: a lock on a file. One thread of a process at a time may want it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: Any = None
        self._asked: Asked | None = None

    def __enter__(self) -> None:
        with contextlib.suppress(ImportError, OSError):  # Windows, or a folder to read only: SQLite waits
            import fcntl

            if self._file is None:
                self._file = self._path.open("ab")
            if self._asked is None:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
            if self._asked is None or not self._asked.again():
                self._asked = Asked(self._file)
            if not self._asked.wait(BUSY_SECONDS):
                raise Busy("another process holds the turn")
            self._asked = None

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            if self._file is not None:
                fcntl.flock(self._file, fcntl.LOCK_UN)


class Asked:
    """Somebody waits for a lock on a file as long as he likes: the system knows no limit, so a thread waits.

    If he has gone when the lock comes, it is given back; and he may come again.
    """

    def __init__(self, file: Any) -> None:
        self._file, self._wanted, self._over = file, True, False
        self._deciding, self._got = threading.Lock(), threading.Event()
        threading.Thread(target=self._ask, daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Whether the lock came in time; else he goes."""
        self._got.wait(seconds)
        with self._deciding:
            self._wanted = self._got.is_set()
            return self._wanted

    def again(self) -> bool:
        """Whether the lock is still waited for, for whoever comes back."""
        with self._deciding:
            self._wanted = not self._over
            return self._wanted

    def _ask(self) -> None:
        import fcntl

        with contextlib.suppress(OSError, ValueError):
            fcntl.flock(self._file, fcntl.LOCK_EX)
        with self._deciding:
            self._over = True
            if self._wanted:
                self._got.set()
            else:
                fcntl.flock(self._file, fcntl.LOCK_UN)
