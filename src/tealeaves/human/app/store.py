"""The database of studies: its tables, and how it is opened, read and written.

One database holds one study or many. SQLite is a file in the study's folder; PostgreSQL is named by a URL.
Nothing that matters is kept in the memory of a process, so several may work on one database.
"""

import contextlib
import json
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    Engine,
    create_engine,
    event,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError

from tealeaves.errors import InputError
from tealeaves.human.app import turns
from tealeaves.human.app.tables import METADATA, SCHEMA_VERSION, events, raters, schema, studies
from tealeaves.human.app.turns import BATON, Busy, Queue

if TYPE_CHECKING:
    from tealeaves.human.study import Study


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
                raw.execute(f"PRAGMA busy_timeout={turns.BUSY_SECONDS * 1000}")
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


def engine(database: str | Path) -> Engine:
    """An engine on a SQLite file or a URL, in which a commit is on disk before it returns.

    Raises
    ------
    InputError
        If the URL is none that can be used.
    """
    url = f"sqlite:///{database}" if isinstance(database, Path) else _url(database)
    options: dict[str, Any] = {"pool_size": 20, "max_overflow": 20, "pool_timeout": turns.BUSY_SECONDS}
    options["hide_parameters"] = True  # values never stand in an error, so never in a log
    if url.startswith("sqlite"):
        made = create_engine(
            url, connect_args={"timeout": turns.BUSY_SECONDS, "check_same_thread": False}, **options
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
    for setting in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={turns.BUSY_SECONDS * 1000}",
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
