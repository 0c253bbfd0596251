"""The database: what it refuses, and that a commit is on disk."""

import contextlib
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from study_client import new_study, word_items
from tealeaves.errors import InputError
from tealeaves.human.app import flow, tables, turns
from tealeaves.human.app.store import Store
from tealeaves.human.study import Study


def test_sqlite_waits_writes_ahead_and_syncs_each_commit(tmp_path):
    kept = Store.open(new_study(tmp_path))
    with kept.reading() as connection:
        found = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "busy_timeout", "foreign_keys", "secure_delete")
        }
    kept.close()
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "busy_timeout": 30_000,
        "foreign_keys": 1,
        "secure_delete": 1,
    }
    assert found == wanted


def test_a_writer_waits_for_another_instead_of_failing(tmp_path):
    kept = Store.open(new_study(tmp_path))
    order = []
    inside = threading.Event()

    def slow():
        with kept.writing():
            inside.set()
            threading.Event().wait(0.3)
            order.append("slow")

    thread = threading.Thread(target=slow)
    thread.start()
    inside.wait()
    with kept.writing() as connection:
        order.append("quick")
        kept.note(connection, "x", 1)
    thread.join()
    kept.close()
    assert order == ["slow", "quick"]


def together(kept, jobs):
    """Run jobs in threads that all wait while another writes; what became of each."""
    done = [None] * len(jobs)

    def one(n, job):
        try:
            with kept.writing() as connection:
                job(connection)
            done[n] = "saved"
        except Exception as error:
            done[n] = type(error).__name__

    threads = [threading.Thread(target=one, args=pair) for pair in enumerate(jobs)]
    with contextlib.suppress(turns.Busy), kept.writing():
        for thread in threads:
            thread.start()
        while kept._queue._waiting < len(jobs):
            threading.Event().wait(0.01)
    for thread in threads:
        thread.join()
    return done


def notes(kept):
    with kept.reading() as connection:
        return sorted(connection.execute(select(tables.events.c.kind)).scalars())


def test_writers_that_wait_share_a_commit_and_each_is_on_disk_when_it_returns(tmp_path):
    kept = Store.open(new_study(tmp_path))
    commits = []
    event.listen(kept.engine, "commit", commits.append)
    assert together(kept, [lambda c, n=n: kept.note(c, f"k{n}", 1) for n in range(6)]) == ["saved"] * 6
    assert notes(kept) == [f"k{n}" for n in range(6)]
    assert len(commits) == 1
    kept.close()


def test_a_writer_that_fails_takes_nobody_else_with_it(tmp_path):
    kept = Store.open(new_study(tmp_path))

    def fail(connection):
        kept.note(connection, "bad", 1)
        raise ZeroDivisionError

    def twice(connection):
        kept.note(connection, "bad", 1)
        connection.execute(insert(tables.studies).values(name="study", digest="", created_at=0.0))

    jobs = [lambda c: kept.note(c, "a", 1), fail, lambda c: kept.note(c, "b", 1), twice]
    assert together(kept, jobs) == ["saved", "ZeroDivisionError", "saved", "IntegrityError"]
    assert notes(kept) == ["a", "b"]
    kept.close()


def test_all_who_share_a_commit_that_fails_are_told_and_nothing_is_stored(tmp_path):
    kept = Store.open(new_study(tmp_path))

    def full(_connection):
        raise sqlite3.OperationalError("database or disk is full")

    event.listen(kept.engine, "commit", full)
    assert together(kept, [lambda c, n=n: kept.note(c, f"k{n}", 1) for n in range(3)]) == ["Busy"] * 3
    event.remove(kept.engine, "commit", full)
    assert notes(kept) == []
    with kept.writing() as connection:  # and the next writer is as welcome as ever
        kept.note(connection, "later", 1)
    assert notes(kept) == ["later"]
    kept.close()


def test_what_sqlite_undoes_by_itself_is_acknowledged_to_nobody(tmp_path):
    kept = Store.open(new_study(tmp_path))

    def undone(connection):  # as on a full disk
        connection.connection.driver_connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("database or disk is full")

    found = together(kept, [lambda c: kept.note(c, "before", 1), undone, lambda c: kept.note(c, "after", 1)])
    acknowledged = [
        name for name, what in zip(("before", "undone", "after"), found, strict=True) if what == "saved"
    ]
    assert notes(kept) == sorted(acknowledged)
    assert "undone" not in acknowledged
    kept.close()


@pytest.fixture
def stopped(tmp_path):
    """Stop another process, which holds what the code given takes, and let it go on, and go."""
    began = []

    def stop(code):
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=tmp_path / "study")
        began.append(child)
        assert child.stdout.readline() == b"held\n"
        child.send_signal(signal.SIGSTOP)
        return child

    yield stop
    for child in began:
        child.kill()
        child.wait()
        child.stdout.close()


TURN = "import fcntl; f = open('study.db.turn', 'ab'); fcntl.flock(f, fcntl.LOCK_EX)"
BEGIN = "import sqlite3; f = sqlite3.connect('study.db', isolation_level=None); f.execute('BEGIN IMMEDIATE')"


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals and locks of files")
@pytest.mark.parametrize("code", [TURN, BEGIN])
def test_writers_who_wait_for_a_stopped_process_are_told_together_that_it_is_busy(
    tmp_path, stopped, monkeypatch, code
):
    monkeypatch.setattr(turns, "BUSY_SECONDS", 1)
    kept = Store.open(new_study(tmp_path))
    child = stopped(f"{code}; print('held', flush=True); import time; time.sleep(60)")

    def write(n):
        try:
            with kept.writing() as connection:
                kept.note(connection, f"n{n}", n)
        except turns.Busy:
            return "busy"
        return "written"

    began = time.monotonic()
    with ThreadPoolExecutor(5) as pool:
        assert list(pool.map(write, range(5))) == ["busy"] * 5
    assert time.monotonic() - began < 4  # not a second each
    assert write(5) == "busy"
    child.kill()
    child.wait()
    assert [write(6), write(7)] == ["written"] * 2
    assert notes(kept) == ["n6", "n7"]
    kept.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals and locks of files")
def test_a_turn_that_comes_when_nobody_waits_any_more_is_given_back(tmp_path, stopped, monkeypatch):
    monkeypatch.setattr(turns, "BUSY_SECONDS", 0.2)
    kept = Store.open(new_study(tmp_path))
    child = stopped(f"{TURN}; print('held', flush=True); import time; time.sleep(60)")
    with pytest.raises(turns.Busy), kept.writing():
        pass
    child.kill()
    child.wait()
    other = turns.Turn(tmp_path / "study" / "study.db.turn")
    for _ in range(50):  # the thread that waited has a moment to give it back
        with contextlib.suppress(turns.Busy), other:
            break
    else:
        raise AssertionError("it is never given back")
    with kept.writing() as connection:
        kept.note(connection, "x", 1)
    kept.close()


def test_no_more_than_so_many_writers_share_a_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(turns.Queue, "MOST", 3)
    kept = Store.open(new_study(tmp_path))
    commits = []
    event.listen(kept.engine, "commit", commits.append)
    together(kept, [lambda c, n=n: kept.note(c, f"k{n}", 1) for n in range(8)])
    assert len(commits) == 3  # of the first, who let eight wait, and of these
    assert len(notes(kept)) == 8
    kept.close()


def test_requests_read_one_at_a_time_but_none_waits_for_the_disk_of_another(tmp_path):
    kept = Store.open(new_study(tmp_path))
    came = threading.Event()

    def other():
        with kept.alone():
            came.set()

    thread = threading.Thread(target=other)
    with kept.alone():
        thread.start()
        assert not came.wait(0.2)
        with kept.writing():
            assert came.wait(10)
        thread.join()
        again = threading.Thread(target=other)
        came.clear()
        again.start()
        assert not came.wait(0.2)  # after it has written, a request is alone again
    again.join()
    assert came.is_set()
    kept.close()


def test_a_transaction_that_fails_leaves_nothing(tmp_path, database):
    kept = Store.open(new_study(tmp_path), database)

    def fail():
        with kept.writing() as connection:
            kept.note(connection, "x", 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with kept.reading() as connection:
        assert connection.execute(select(tables.events)).all() == []
    kept.close()


def test_a_schema_that_is_not_known_is_refused(tmp_path, database):
    study = new_study(tmp_path)
    kept = Store.open(study, database)
    with kept.writing() as connection:
        connection.execute(update(tables.schema).values(version=99))
    kept.close()
    with pytest.raises(
        InputError, match=r"schema is of version 99, but this release knows 2; use the tealeaves"
    ):
        Store.open(study, database)


def test_opening_twice_at_once_makes_one_study(tmp_path, database):
    study = new_study(tmp_path)
    opened, errors = [], []

    def one():
        try:
            opened.append(Store.open(study, database))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len({kept.study_id for kept in opened}) == 1
    for kept in opened:
        kept.close()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_several_studies_share_one_database(tmp_path, database):
    one = Study.create(tmp_path / "one", word_items(2))
    two = Study.create(tmp_path / "two", word_items(3))
    first, second = Store.open(one, database), Store.open(two, database)
    assert first.study_id != second.study_id
    first.close()
    second.close()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_study_of_the_same_name_with_other_items_is_refused(tmp_path, database):
    one = Study.create(tmp_path / "a" / "study", word_items(2)).move("live")
    two = Study.create(tmp_path / "b" / "study", word_items(3)).move("live")
    Store.open(one, database).close()
    with pytest.raises(InputError, match="holds a study named 'study' with other items"):
        Store.open(two, database)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://a:b@c/d", "not in mysql"),
        ("no url", "cannot be read; wanted: postgresql://"),
        ("postgresql://anna:rosebud@127.0.0.1:1/none", "cannot be opened"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused_without_telling_the_password(tmp_path, url, said):
    with pytest.raises(InputError, match=said) as caught:
        Store.open(new_study(tmp_path), url)
    assert "rosebud" not in str(caught.value)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    study = new_study(tmp_path)
    (study.folder / "study.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(InputError, match=r"study\.db: the database cannot be opened: file is not a database"):
        Store.open(study)


def test_answers_cannot_be_stored_twice_whoever_writes(tmp_path, database):
    kept = Store.open(new_study(tmp_path), database)
    flow.consent(Study.open(tmp_path / "study"), kept, None, "keep")
    with kept.reading() as connection:
        first = connection.execute(select(tables.assignments.c.id)).scalars().first()
    row = {"assignment_id": first, "key": "k", "change": 0, "value": "1", "saved_at": 0.0}
    with kept.writing() as connection:
        connection.execute(insert(tables.answers).values(row | {"revision": 1}))
    with pytest.raises(IntegrityError), kept.writing() as connection:
        connection.execute(insert(tables.answers).values(row | {"revision": 2}))
    kept.close()


def test_the_file_can_be_read_while_it_is_written(tmp_path):
    kept = Store.open(new_study(tmp_path))
    with kept.writing() as connection:
        kept.note(connection, "x", 1)
        reader = sqlite3.connect(tmp_path / "study" / "study.db", timeout=0)
        assert reader.execute("SELECT count(*) FROM events").fetchone() == (0,)
        reader.close()
    kept.close()


def test_what_is_deleted_while_somebody_reads_leaves_the_log_as_soon_as_nobody_does(tmp_path):
    study = new_study(tmp_path)
    kept = Store.open(study)
    with kept.writing() as connection:
        kept.note(connection, "remark", "rosebud")
    assert kept.scrub()  # out of the log, so that the row is in the database's own pages
    reader = sqlite3.connect(study.folder / "study.db")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM events").fetchone()
    with kept.writing() as connection:
        connection.execute(tables.events.delete())
    assert not kept.scrub()
    assert b"rosebud" in b"".join(path.read_bytes() for path in study.folder.glob("study.db*"))
    reader.rollback()
    with kept.reading() as connection:
        connection.execute(select(tables.events)).all()
    assert b"rosebud" not in b"".join(path.read_bytes() for path in study.folder.glob("study.db*"))
    reader.close()
    kept.close()
