"""Databases for studies: SQLite, and a PostgreSQL server of this test run's own."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import pytest


def binaries() -> Path | None:
    """Where initdb and postgres are; the newest, if there are several."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[-3]))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).parent if named else None


@pytest.fixture(scope="session")
def postgres():
    """The URL of a PostgreSQL server that runs as long as the tests, without its database's name."""
    where = binaries()
    if where is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL is not installed, and in CI these tests must run")
        pytest.skip("PostgreSQL is not installed: initdb was not found")
    folder = Path(tempfile.mkdtemp(prefix="tealeaves-postgres-"))
    who: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = next((name for name in ("postgres", "nobody") if _there(name)), None)
        if user is None or shutil.which("runuser") is None:
            pytest.skip("PostgreSQL does not run as root, and there is no user to run it as")
        who = ["runuser", "-u", user, "--"]
        shutil.chown(folder, user)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "data"
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder, "timeout": 60}
    subprocess.run(
        [*who, where / "initdb", "-D", data, "-A", "trust", "-U", "tea", "-N", "-E", "UTF8"], **quiet
    )
    options = f"-h 127.0.0.1 -p {port} -k {folder} -c max_connections=200 -c shared_buffers=32MB"
    server = [*who, where / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    subprocess.run([*server, "-o", options, "start"], **quiet)
    try:
        yield f"postgresql://tea@127.0.0.1:{port}/"
    finally:
        # Not waited for: in a container there may be nobody to bury the process, and pg_ctl waits for that.
        subprocess.run([*server, "-W", "-m", "immediate", "stop"], **(quiet | {"check": False}))
        time.sleep(0.3)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request):
    """None for a study's own SQLite file, then the URL of a new PostgreSQL database."""
    if request.param == "sqlite":
        return None
    import psycopg

    server = request.getfixturevalue("postgres")
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}{name}"


def _there(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True
