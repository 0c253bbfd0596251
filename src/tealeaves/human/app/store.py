"""The database of studies: its tables, and how it is opened, read and written.

One database holds one study or many. SQLite is a file in the study's folder; PostgreSQL is named by a URL.
Nothing that matters is kept in the memory of a process, so several may work on one database.
"""

import contextlib
import json
import math
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Double,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.human.study import Study

SCHEMA_VERSION = 2
BUSY_SECONDS = 30  # how long a writer waits for another; each holds the lock for a few milliseconds
METADATA = MetaData()


def _key() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _of(table: str, *, null: bool = False, **options: Any) -> Column[int]:
    """A reference to a row of another table, which goes when that row goes."""
    return Column(
        f"{table.removesuffix('s')}_id",
        ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=null,
        **options,
    )


# Times are seconds since 1970 in UTC; JSON is text, so that both databases give back what was put in.
schema = Table("tealeaves_schema", METADATA, Column("version", Integer, nullable=False))

studies = Table(
    "studies",
    METADATA,
    _key(),
    Column("name", String(80), nullable=False, unique=True),
    Column("digest", String(64), nullable=False),  # of the items
    Column("created_at", Double, nullable=False),
    sqlite_autoincrement=True,
)

raters = Table(
    "raters",
    METADATA,
    _key(),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("phase", String(8), nullable=False),  # draft, pilot or live: "form" of the exported answers
    Column("fingerprint", String(64)),  # keyed hash of the platform's id or the browser's cookie
    Column("visit", String(64)),  # keyed hash of the platform's session: who has it is let in again
    Column("resume_hash", String(64), nullable=False, unique=True),
    Column("stop", String(8), nullable=False),  # keep or delete: what becomes of answers if the rater stops
    Column("created_at", Double, nullable=False),  # when consent was given
    Column("seen_at", Double, nullable=False),
    Column("screened_at", Double),
    Column("placed_at", Double),  # when items were laid out for the rater
    Column("instructed_at", Double),
    Column("quiz_tries", Integer, nullable=False, default=0),
    Column("quiz_at", Double),  # when it was passed
    Column("lease_until", Double, nullable=False),  # until when the open items are the rater's own
    Column("ended", String(16)),  # completed, screened_out, quiz, full, timed_out, withdrew, closed
    Column("ended_at", Double),
    Column("erased_at", Double),  # when the rater's answers were deleted
    UniqueConstraint("study_id", "number"),
    UniqueConstraint("study_id", "phase", "fingerprint"),
    CheckConstraint("stop IN ('keep', 'delete')"),
    sqlite_autoincrement=True,
)

# Apart from everything else, so that it can be deleted and leaves nothing behind.
platform_ids = Table(
    "platform_ids",
    METADATA,
    Column("rater_id", ForeignKey("raters.id", ondelete="CASCADE"), primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("external", String(128), nullable=False),  # PROLIFIC_PID or workerId
    Column("details", Text, nullable=False),  # JSON: STUDY_ID and SESSION_ID, or assignmentId and hitId
)

sessions = Table(
    "sessions",
    METADATA,
    Column("token_hash", String(64), primary_key=True),
    _of("raters", index=True),
    Column("expires_at", Double, nullable=False),
)

assignments = Table(
    "assignments",
    METADATA,
    _key(),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    _of("raters"),
    Column("phase", String(8), nullable=False),
    Column("item", String(64), nullable=False),
    Column("role", String(16), nullable=False),
    Column("series", String(8), nullable=False),  # practice or items
    Column("position", Integer, nullable=False),  # 1, 2, … in its series
    Column("order", Text, nullable=False),  # JSON: place on the page -> position among the item's options
    Column("state", String(8), nullable=False),  # open, done, returned
    Column("given_at", Double, nullable=False),
    Column("done_at", Double),
    UniqueConstraint("rater_id", "item"),
    UniqueConstraint("rater_id", "series", "position"),
    CheckConstraint("state IN ('open', 'done', 'returned')"),
    Index("assignments_places", "study_id", "phase", "state", "item"),
    sqlite_autoincrement=True,
)

# Only ever added to; the answer that counts is the one of the highest revision.
answers = Table(
    "answers",
    METADATA,
    _key(),
    _of("assignments"),
    Column("revision", Integer, nullable=False),  # 1, 2, …
    Column("key", String(64), nullable=False),  # the page's idempotency key
    Column("change", Integer, nullable=False),  # 0, or how often the answer was changed on that very page
    Column("value", Text, nullable=False),  # JSON
    Column("seconds", Double),
    Column("saved_at", Double, nullable=False),
    UniqueConstraint("assignment_id", "revision"),
    UniqueConstraint("assignment_id", "key", "change"),
    sqlite_autoincrement=True,
)

TOLD = ("screening", "quiz", "remark")  # kinds of events that hold what a rater told, besides answers
# Whether an ended rater keeps his places, or they went to others since the rules leave him out.
COUNTED, REPLACED = "counted", "replaced"
# What happened besides: TOLD, COUNTED and REPLACED, steps of curation.
events = Table(
    "events",
    METADATA,
    _key(),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True),
    _of("raters", null=True, index=True),
    Column("kind", String(24), nullable=False),
    Column("value", Text, nullable=False),  # JSON
    Column("at", Double, nullable=False),
    sqlite_autoincrement=True,
)

# Rules of exclusion as they were when first applied, and when results were looked at before the end.
rules = Table(
    "rules",
    METADATA,
    _key(),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(24), nullable=False),
    Column("value", Text, nullable=False),  # JSON
    Column("at", Double, nullable=False),
    sqlite_autoincrement=True,
)


class Busy(Exception):
    """The database cannot be reached or is overloaded: to be tried again in a moment."""


class Store:
    """One study's part of a database.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        As `engine` makes it.
    study_id : int
        The row of ``studies``.

    Examples
    --------
    >>> import tempfile
    >>> from tealeaves.human.items import Item, ItemSet
    >>> from tealeaves.human.study import Study
    >>> item = Item("i0001", "word_intrusion", "lda", 0, options=("oil", "gas", "dividend"), key="dividend")
    >>> study = Study.create(Path(tempfile.mkdtemp()) / "oil", ItemSet("word_intrusion", [item]))
    >>> store = Store.open(study)
    >>> with store.reading() as connection:
    ...     connection.execute(select(studies.c.name)).scalar()
    'oil'
    >>> store.close()
    """

    def __init__(self, engine: Engine, study_id: int) -> None:
        self.engine, self.study_id = engine, study_id
        self._queue = Queue(engine) if engine.dialect.name == "sqlite" else None
        self._scrubbing = threading.Lock()
        self._unscrubbed = False  # whether something deleted may still stand in the write-ahead log

    @classmethod
    def open(cls, study: "Study", database: str | None = None) -> "Store":
        """Open the database of a study, and make tables and the study's row where they are not there yet.

        Parameters
        ----------
        study : Study
            Whose answers are kept.
        database : str, optional
            A URL, such as ``postgresql://user:password@host/name``; by default ``study.db`` in its folder.

        Raises
        ------
        InputError
            If the database cannot be opened, is of another version, or holds a study of this name with
            other items.
        """
        opened = engine(database or study.folder / "study.db")
        try:
            return cls(opened, _enter(opened, study))
        except BaseException:
            opened.dispose()
            raise

    def alone(self) -> AbstractContextManager[None]:
        """A request of a rater: with SQLite one at a time, but while it writes. See `Baton`."""
        return BATON.held() if self._queue is not None else contextlib.nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with: it sees one moment of the database."""
        with _told(), self.engine.connect() as connection:
            yield connection
        self._scrub_again()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction. Once the block is left without an error, all of it is on disk."""
        with _told():
            if self._queue is not None:
                with BATON.put_down(), self._queue.writing() as connection:
                    yield connection
            else:
                with self.engine.begin() as connection:
                    yield connection
        self._scrub_again()

    def scrub(self) -> bool:
        """Take what was deleted out of SQLite's write-ahead log, too; whether it is out.

        Deleted rows are overwritten (``secure_delete``), but in the log first; the database's own pages hold
        them until the log is written back. Where a reader is in the way that is not waited for: the next
        request tries again, and so does `close`. PostgreSQL is left to its own cleaning up.
        """
        if self._queue is None:
            return True
        # A checkpoint that another thread began before must not say afterwards that nothing is left.
        with self._scrubbing:
            self._unscrubbed = True
            with contextlib.suppress(Busy), self._queue.alone():  # what is busy is tried again
                self._checkpoint(milliseconds=200)
            return not self._unscrubbed

    def _scrub_again(self) -> None:
        if self._unscrubbed and self._scrubbing.acquire(blocking=False):
            try:
                self._checkpoint()
            finally:
                self._scrubbing.release()

    def _checkpoint(self, milliseconds: int = 0) -> None:
        with self.engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute(f"PRAGMA busy_timeout={milliseconds}")
            try:
                [(busy, _, _)] = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                raw.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
        if not busy:
            self._unscrubbed = False

    def lock(self, connection: Connection) -> None:
        """Let nobody else give out or take back places of this study until the transaction ends.

        On SQLite a writer is alone anyway.
        """
        if connection.dialect.name != "sqlite":
            connection.execute(
                select(studies.c.id).where(studies.c.id == self.study_id).with_for_update(key_share=True)
            )

    def lock_rater(self, connection: Connection, rater_id: int) -> None:
        """Let requests of one rater change things one after the other."""
        if connection.dialect.name != "sqlite":
            connection.execute(
                select(raters.c.id).where(raters.c.id == rater_id).with_for_update(key_share=True)
            )

    def note(self, connection: Connection, kind: str, value: Any, rater_id: int | None = None) -> None:
        """Write down an event."""
        row = {
            "study_id": self.study_id,
            "rater_id": rater_id,
            "kind": kind,
            "value": dump(value),
            "at": time.time(),
        }
        connection.execute(insert(events).values(row))

    def close(self) -> None:
        """Close all connections."""
        with contextlib.suppress(SQLAlchemyError):  # such as of a file that is gone
            self._scrub_again()
        self.engine.dispose()


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


def engine(database: str | Path) -> Engine:
    """An engine on a SQLite file or a URL, in which a commit is on disk before it returns.

    Raises
    ------
    InputError
        If the URL is none that can be used.
    """
    url = f"sqlite:///{database}" if isinstance(database, Path) else _url(database)
    options: dict[str, Any] = {"pool_size": 20, "max_overflow": 20, "pool_timeout": BUSY_SECONDS}
    options["hide_parameters"] = True  # values never stand in an error, so never in a log
    if url.startswith("sqlite"):
        made = create_engine(
            url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}, **options
        )
        event.listen(made, "connect", _prepare_sqlite)
        event.listen(made, "begin", _begin_sqlite)
        return made
    return create_engine(url, pool_pre_ping=True, isolation_level="READ COMMITTED", **options)


def dump(value: Any) -> str:
    """A value as JSON text; the same value is the same text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def without_password(database: str) -> str:
    """A URL as it may be shown and kept.

    Examples
    --------
    >>> without_password("postgresql://anna:secret@db/studies")
    'postgresql://anna:***@db/studies'
    """
    return make_url(database).render_as_string(hide_password=True)


def _url(database: str) -> str:
    try:
        url = make_url(database)
    except SQLAlchemyError:
        raise InputError(
            "the database's URL cannot be read; wanted: postgresql://user:password@host/name"
        ) from None
    if url.get_backend_name() == "sqlite":
        return database
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise InputError(f"a study is kept in SQLite or PostgreSQL, not in {url.get_backend_name()}")
    from tealeaves._optional import require

    require("psycopg", "study")
    return url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we say ourselves when a transaction begins
    for setting in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_SECONDS * 1000}",
                    "foreign_keys=ON", "secure_delete=ON"):  # fmt: skip
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: Connection) -> None:
    # A writer takes the lock at once: one that reads first and then wants to write could only fail.
    write = connection.get_execution_options().get("tealeaves_write")
    raw: Any = connection.connection.driver_connection
    raw.execute("BEGIN IMMEDIATE" if write else "BEGIN")


def _enter(opened: Engine, study: "Study") -> int:
    """The row of the study; tables and row are made where they are not there."""
    shown = without_password(str(opened.url)) if opened.dialect.name != "sqlite" else str(opened.url.database)
    try:
        with opened.connect().execution_options(tealeaves_write=True) as connection, connection.begin():
            if opened.dialect.name == "postgresql":
                connection.exec_driver_sql(
                    "SELECT pg_advisory_xact_lock(7460122)"
                )  # two workers start at once
            if not inspect(connection).has_table(schema.name):
                METADATA.create_all(connection)
                connection.execute(insert(schema).values(version=SCHEMA_VERSION))
            versions = list(connection.execute(select(schema.c.version)).scalars())
            if versions != [SCHEMA_VERSION]:
                found = ", ".join(map(str, versions)) or "none"
                raise InputError(
                    f"{shown}: the database's schema is of version {found}, but this release knows "
                    f"{SCHEMA_VERSION}; use the tealeaves that made it, or another database"
                )
            digest = study.about["items"]["digest"]
            row = connection.execute(
                select(studies.c.id, studies.c.digest).where(studies.c.name == study.name)
            ).first()
            if row is None:
                values = {"name": study.name, "digest": digest, "created_at": time.time()}
                made = insert(studies).values(values).returning(studies.c.id)
                return int(connection.execute(made).scalar_one())
            before = {entry.get("was") for entry in study.about["history"]}  # items that were replaced
            if row.digest != digest and study.frozen and row.digest not in before:
                raise InputError(
                    f"{shown}: holds a study named {study.name!r} with other items: use another database"
                )
            if row.digest != digest:
                connection.execute(studies.update().where(studies.c.id == row.id).values(digest=digest))
            return int(row.id)
    except (sqlite3.Error, SQLAlchemyError) as error:
        said = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        said = re.sub(r"password=\S+", "password=***", said)
        raise InputError(f"{shown}: the database cannot be opened: {said}") from None


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise
    except (OperationalError, sqlite3.OperationalError) as error:
        raise Busy(type(getattr(error, "orig", error)).__name__) from error
