"""Many raters at once, over real HTTP: for tests of races and load, and for `bench.study`."""

import asyncio
import contextlib
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

import httpx

HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
ACTION = re.compile(r'<form method="post" action="([^"]+)"')
START = (
    "import sys; from tealeaves.human.app.server import run; "
    "folder, port, workers, database = sys.argv[1:]; "
    "run([folder], database or None, port=int(port), workers=int(workers), starts_a_minute=1e6)"
)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Server:
    """Uvicorn with several workers on a study, as `tealeaves study serve` runs it."""

    def __init__(self, folder: Path, workers: int = 2, database: str | None = None) -> None:
        self.folder, self.workers, self.database = folder, workers, database
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
    pending: list[tuple[str, dict[str, str], dict[str, str]]] = field(
        default_factory=list
    )  # sent, not confirmed
    ends: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class AsyncRater:
    """One simulated rater. The client is shared by all, cookies are his own."""

    def __init__(self, client: httpx.AsyncClient, crowd: Crowd, study: str = "study", seed: int = 0) -> None:
        self.client, self.crowd, self.study = client, crowd, study
        self.draw = random.Random(seed)
        self.cookies: dict[str, str] = {}
        self.path, self.html = "", ""

    async def request(self, method: str, path: str, **options: object) -> httpx.Response:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": cookie, **options.pop("headers", {})}  # type: ignore[dict-item]
        began = time.perf_counter()
        reply = await self.client.request(method, path, headers=headers, **options)
        self.crowd.seconds.append(time.perf_counter() - began)
        self.crowd.statuses[reply.status_code] = self.crowd.statuses.get(reply.status_code, 0) + 1
        for line in reply.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply

    async def get(self, path: str) -> None:
        reply = await self.request("GET", path)
        for _ in range(5):
            if reply.status_code != 303:
                break
            path = reply.headers["location"]
            reply = await self.request("GET", path)
        self.path, self.html = path.removeprefix(f"/s/{self.study}/"), reply.text

    async def send(self, **given: str) -> None:
        form = {**dict(HIDDEN.findall(self.html)), **given}
        reply = await self.request("POST", self.action, data=form)
        if reply.status_code == 303:
            await self.get(reply.headers["location"])
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
        form = {
            **dict(HIDDEN.findall(self.html)),
            "choice": str(self.draw.randint(1, 6)),
            "familiarity": "most",
        }
        action = self.action
        await self.confirm(action, form)
        await self.get(self.next)

    async def confirm(self, action: str, form: dict[str, str]) -> None:
        sent = (action, form, dict(self.cookies))
        self.crowd.pending.append(sent)
        reply = await self.request("POST", action, data=form, headers={"Accept": "application/json"})
        said = reply.json()
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


def client(url: str, connections: int = 400) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    return httpx.AsyncClient(base_url=url, timeout=60, limits=limits, verify=False)
