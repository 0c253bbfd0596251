"""Many raters at once, over real HTTP: for tests of races and load, and for `bench.study`."""

import asyncio
import contextlib
import json
import math
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import httpx

HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
ACTION = re.compile(r'<form method="post" action="([^"]+)"')
START = (
    "import json, sys; from tealeaves.human.app.server import run; "
    "folder, port, workers, database, more = sys.argv[1:]; "
    "run([folder], database or None, port=int(port), workers=int(workers), **json.loads(more))"
)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Server:
    """Uvicorn with several workers on a study, as `tealeaves study serve` runs it."""

    def __init__(
        self, folder: Path, workers: int = 2, database: str | None = None, **more: float | bool
    ) -> None:
        self.folder, self.workers, self.database = folder, workers, database
        # All raters come from one address here, so that what one address may is no limit.
        self.more = {"starts_a_minute": 1e6, "requests_a_second": 1e6, **more}
        self.port = free_port()
        self.log = folder.parent / "server.log"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "Server":
        call = [
            sys.executable,
            "-c",
            START,
            str(self.folder),
            str(self.port),
            str(self.workers),
            self.database or "",
            json.dumps(self.more),
        ]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(call, stdout=log, stderr=log, start_new_session=True)
        for _ in range(600):
            try:
                httpx.get(f"{self.url}/", timeout=5, verify=False)
                return self
            except httpx.HTTPError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.kill()
        raise RuntimeError(f"the server does not answer: {self.log.read_text('utf-8')[-2000:]}")

    def kill(self) -> None:
        """At once, workers included, as a power cut would."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def cpu_seconds(self) -> float:
        """What the server and its workers have taken of the processors so far."""
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = path.read_text().rpartition(")")[2].split()
                if self.process is not None and int(fields[2]) == self.process.pid:  # its group
                    ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()


@dataclass
class Crowd:
    """What simulated raters saw."""

    seconds: list[float] = field(default_factory=list)  # of each request
    statuses: dict[int, int] = field(default_factory=dict)
    acknowledged: list[tuple[str, str, str]] = field(default_factory=list)  # (assignment token, key, choice)
    pending: list[tuple[str, dict[str, str], str]] = field(default_factory=list)  # sent, not confirmed
    ends: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        ordered = sorted(self.seconds) or [math.nan]
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(frozen=True)
class Reply:
    """What came back: nothing of it is parsed before it is asked for, as clients share the server's cores."""

    status_code: int
    head: str
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def header(self, name: str) -> str | None:
        found = re.search(rf"(?im)^{name}: *(.*?)\r?$", self.head)
        return found[1] if found else None


class Browser:
    """One kept connection that speaks as much HTTP as our server: no redirects, no chunks, no parsing."""

    def __init__(self, url: str) -> None:
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port = int(port)
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(
        self, method: str, path: str, headers: str = "", form: dict[str, str] | None = None
    ) -> Reply:
        body = b"" if form is None else urlencode(form).encode()
        if form is not None:
            headers += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        if self.streams is None or self.streams[0].at_eof():
            self.close()
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{headers}\r\n".encode() + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"(?i)content-length: *(\d+)", head)
        return Reply(int(head[9:12]), head, await reader.readexactly(int(length[1]) if length else 0))

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


class AsyncRater:
    """One simulated rater, with a connection of his own, as a browser has."""

    def __init__(self, url: str, crowd: Crowd, study: str = "study", seed: int = 0) -> None:
        self.browser, self.crowd, self.study = Browser(url), crowd, study
        self.draw = random.Random(seed)
        self.cookie = ""
        self.path, self.html = "", ""

    async def request(
        self, method: str, path: str, headers: str = "", form: dict[str, str] | None = None
    ) -> Reply:
        if self.cookie:
            headers += f"Cookie: {self.cookie}\r\n"
        began = time.perf_counter()
        reply = await self.browser.request(method, path, headers, form)
        self.crowd.seconds.append(time.perf_counter() - began)
        self.crowd.statuses[reply.status_code] = self.crowd.statuses.get(reply.status_code, 0) + 1
        if (cookie := reply.header("set-cookie")) is not None:
            self.cookie = cookie.partition(";")[0]
        return reply

    async def get(self, path: str) -> None:
        reply = await self.request("GET", path)
        for _ in range(5):
            if reply.status_code != 303:
                break
            path = reply.header("location") or ""
            reply = await self.request("GET", path)
        self.path, self.html = path.removeprefix(f"/s/{self.study}/"), reply.text

    async def send(self, **given: str) -> None:
        form = {**dict(HIDDEN.findall(self.html)), **given}
        reply = await self.request("POST", self.action, form=form)
        if reply.status_code == 303:
            await self.get(reply.header("location") or "")
        else:
            self.path, self.html = "", reply.text

    @property
    def action(self) -> str:
        found = ACTION.search(self.html)
        assert found, f"no form on {self.path}: {self.html[:2000]}"
        return found[1]

    async def to_items(self, query: str = "") -> None:
        await self.get(f"/s/{self.study}/{query}")
        await self.send(agree="1", stop="keep")
        if self.path == "instructions":
            await self.send()

    async def answer(self) -> None:
        """Answer the item on the page as the script of the page does, and open the next."""
        await self.confirm(self.action, self.filled_in())
        await self.get(self.next)

    def filled_in(self) -> dict[str, str]:
        hidden = dict(HIDDEN.findall(self.html))
        return {**hidden, "choice": str(self.draw.randint(1, 6)), "familiarity": "most"}

    async def confirm(self, action: str, form: dict[str, str]) -> None:
        sent = (action, form, self.cookie)
        self.crowd.pending.append(sent)
        reply = await self.request("POST", action, "Accept: application/json\r\n", form)
        said = json.loads(reply.body)
        if said["saved"]:
            self.crowd.acknowledged.append((form["assignment"], form["idempotency"], form["choice"]))
        self.crowd.pending.remove(sent)
        self.next = said["next"]

    async def finish(self, think: float = 0.0, most: int = 1000, until: float | None = None) -> None:
        """Answer everything, or so many items, thinking for about so many seconds before each answer."""
        for _ in range(most):
            if self.path == "break":
                await self.get(re.search(r'href="([^"]*/item/\d+)"', self.html)[1])
            if not self.path.startswith("item/"):
                break
            if think:
                await asyncio.sleep(self.draw.uniform(0.5, 1.5) * think)
            if until is not None and time.monotonic() > until:
                return
            await self.answer()
        self.crowd.ends.append(self.path)
