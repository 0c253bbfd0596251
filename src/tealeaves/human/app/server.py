"""The application, and the server that runs it.

Starlette alone: forms have fields that depend on the task and are read by it, so there is nothing for FastAPI
to check, and no description of the addresses is wanted on a server for raters.
"""

import contextlib
import ipaddress
import json
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from tealeaves.errors import InputError, TealeavesError
from tealeaves.human.app import routes
from tealeaves.human.app.security import LOG, Broken, Buckets, Guard
from tealeaves.human.app.store import Store
from tealeaves.human.study import Study, slug

ENVIRONMENT = "TEALEAVES_STUDY"  # how `run` tells its workers what to serve
STARTS_A_MINUTE = 120.0  # raters who begin from one address: a class of students shares one
REQUESTS_A_SECOND = 200.0  # of one address in the long run, and ten times as many at once


class Served:
    """A study that is served: its folder, its database, and what the folder says at the moment."""

    def __init__(self, site: "Site", folder: Path, database: str | None) -> None:
        self.site, self.folder = site, folder
        self._study, self._stamp = Study.open(folder), self._stat()
        self._text: tuple[Study, Any] | None = None
        _ = self._study.items  # a study whose items cannot be read is refused now, not by its first rater
        self.store = Store.open(self._study, database)

    def study(self) -> Study:
        """The study as its folder says now: another worker or the command line may have changed its state.

        Raises
        ------
        FormatError
            If the folder cannot be read any more: half written, or changed by hand after it was frozen.
        """
        stamp = self._stat()
        if stamp != self._stamp:
            fresh = Study.open(self.folder)
            if fresh.about["items"] == self._study.about["items"]:
                fresh.__dict__["items"] = self._study.items  # not read again
            self._study, self._stamp = fresh, stamp
        return self._study

    def text(self, study: Study) -> Any:
        """The sentences of the study's pages."""
        known = self._text
        if known is None or known[0] is not study:
            known = study, self.site.pages.wording(study.settings.language, study.settings.words)
            self._text = known
        return known[1]

    def _stat(self) -> "Stamp":
        return _stamp(self.folder / "study.json")


class Site:
    """What an application serves.

    Parameters
    ----------
    folders : iterable of path
        Folders of studies, or of folders of studies; what is added to these later is found.
    database : str, optional
        The URL of a database for all of them; by default each has a SQLite file of its own.
    behind_proxy : bool
        Whether a proxy that speaks https stands in front.
    starts_a_minute : float
        How many raters may begin from one address.
    pages : module, optional
        What renders; `tealeaves.human.app.pages` by default.
    url : str, optional
        The address raters see; by default the one that a request came to.

    Attributes
    ----------
    starts : Buckets
        Who may begin now.
    bad : dict
        By folder, why a study that is there cannot be served. The others are.
    """

    def __init__(
        self,
        folders: Iterable[str | Path],
        database: str | None = None,
        *,
        behind_proxy: bool = False,
        starts_a_minute: float = STARTS_A_MINUTE,
        pages: ModuleType | None = None,
        url: str | None = None,
    ) -> None:
        self.url = url.rstrip("/") if url else None
        self.folders = [Path(folder) for folder in folders]
        self.database, self.behind_proxy = database, behind_proxy
        self.starts = Buckets(starts_a_minute / 60, starts_a_minute)
        if pages is None:
            from tealeaves.human.app import pages as ours

            pages = ours
        self.pages: Any = pages
        self._served: dict[str, Served] = {}
        self._bad: dict[Path, tuple[tuple[Stamp, Stamp], TealeavesError]] = {}
        self._open()

    def find(self, name: str) -> Served | None:
        """The study of this name; None where there is none.

        Raises
        ------
        Broken
            If there is one that cannot be read: it must not look like one that never was.
        """
        if name not in self._served or not _is_study(self._served[name].folder):
            self._open()
        served = self._served.get(name)
        if served is not None:
            try:
                served.study()
            except TealeavesError as error:
                raise self._broken(served.folder, error) from None
            return served
        for folder, (_, reason) in self._bad.items():
            if name == slug(folder.resolve().name):
                raise Broken(self._reason(folder, reason))
        return None

    def all(self) -> list[Served]:
        """All studies that can be served, by name; what is wrong with others stands in ``bad``."""
        self._open()
        good = []
        for name in sorted(self._served):
            try:
                self._served[name].study()
                good.append(self._served[name])
            except TealeavesError as error:
                self._broken(self._served[name].folder, error)
        return good

    @property
    def bad(self) -> dict[Path, str]:
        """By folder, why it is not served, without saying where on this computer it is."""
        return {folder: self._reason(folder, error) for folder, (_, error) in sorted(self._bad.items())}

    def problem(self) -> TealeavesError | None:
        """The first reason why something is not served."""
        return next((error for _, error in self._bad.values()), None)

    def origin(self, request: Request) -> str:
        """The address raters have: the one told at the start, else where this request came in.

        What a browser says it asked for is believed only if it names this computer: else a link in a page
        could lead to a server of somebody else's, with a rater's own token behind it.
        """
        if self.url is not None:
            return self.url
        scheme = "https" if self.secure(request) else request.url.scheme
        host, port = request.scope.get("server") or ("localhost", None)
        asked = urlsplit(f"//{request.headers.get('host', '')}")
        with contextlib.suppress(ValueError):  # of a port that is none
            if (asked.hostname or "") in _names(host) and asked.port in (port, None):
                host, port = str(asked.hostname), asked.port
        shown = f"[{host}]" if ":" in host else host
        usual = port in (None, {"http": 80, "https": 443}.get(scheme))
        return f"{scheme}://{shown}" if usual else f"{scheme}://{shown}:{port}"

    def secure(self, request: Request) -> bool:
        """Whether the browser speaks https with us."""
        return self.behind_proxy or request.url.scheme == "https"

    def page(self, name: str, headers: Mapping[str, str], **context: Any) -> str:
        """A page outside all studies, in the language that the browser asks for."""
        language = self.pages.preferred(headers.get("accept-language", ""))
        return str(self.pages.render(name, {"static": "/static", **context}, language))

    def not_found(self, request: Request) -> Response:
        """The page of what is not there."""
        return HTMLResponse(self.page("not-found", request.headers), 404)

    def refusal(self, status: int, kind: str, headers: Mapping[str, str]) -> tuple[str, str]:
        """The body and media type of a request refused before it came to a page."""
        if "application/json" in headers.get("accept", ""):
            return json.dumps({"saved": False, "error": kind}), "application/json"
        return self.page("error", headers, kind=kind), "text/html; charset=utf-8"

    def close(self) -> None:
        """Close all databases."""
        for served in self._served.values():
            served.store.close()

    def _open(self) -> None:
        """Take in what is new in the folders, and forget what is no longer there."""
        for name, served in list(self._served.items()):
            if not _is_study(served.folder):
                del self._served[name]
                served.store.close()
        known = {served.folder for served in self._served.values()}
        there = list(self._studies())
        self._bad = {folder: found for folder, found in self._bad.items() if folder in there}
        for folder in there:
            stamps = _stamp(folder / "study.json"), _stamp(folder / "items.jsonl")
            if folder in known:
                if folder in self._bad and self._bad[folder][0] != stamps:
                    del self._bad[folder]
                continue
            if folder in self._bad and self._bad[folder][0] == stamps:
                continue
            self._bad.pop(folder, None)
            try:
                self._take(folder)
            except TealeavesError as error:
                self._broken(folder, error)

    def _take(self, folder: Path) -> None:
        served = Served(self, folder, self.database)
        try:
            study = served.study()
            served.text(study)  # a language or a sentence that does not exist is told now
            if study.name in self._served:
                other = self._served[study.name].folder
                said = f"{folder} and {other} are both named {study.name!r}: rename one of the folders"
                raise InputError(said)
        except TealeavesError:
            served.store.close()
            raise
        self._served[study.name] = served

    def _broken(self, folder: Path, error: TealeavesError) -> Broken:
        """Keep what is wrong with a study, and say it once."""
        stamps = _stamp(folder / "study.json"), _stamp(folder / "items.jsonl")
        if folder not in self._bad or self._bad[folder][0] != stamps:
            LOG.error("a study is not served: %s", error)
        self._bad[folder] = (stamps, error)
        return Broken(self._reason(folder, error))

    def _reason(self, folder: Path, error: TealeavesError) -> str:
        said = str(error)
        for path in {str(folder.parent), str(folder.parent.resolve())}:
            said = said.replace(f"{path}{os.sep}", "")
        return said

    def _studies(self) -> Iterator[Path]:
        for folder in self.folders:
            if (folder / "study.json").is_file():
                yield folder
            elif folder.is_dir():
                yield from sorted(path.parent for path in folder.glob("*/study.json"))


Stamp = tuple[int, int, int]


def _stamp(path: Path) -> Stamp:
    """What changes when a file does; zeros where there is none."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


def _is_study(folder: Path) -> bool:
    return (folder / "study.json").is_file()


def _names(host: str) -> set[str]:
    """What a browser may call the address at which a request came in."""
    names = {host, socket.gethostname().lower()}
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            names |= {"localhost", "127.0.0.1", "::1"}
    return names


class Static(StaticFiles):
    """Files that never change under one address: templates add a few letters of their content to it."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """The file, to be kept by the browser."""
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "public, max-age=86400"
        return response


def create_app(
    studies: Iterable[str | Path],
    database: str | None = None,
    *,
    behind_proxy: bool = False,
    starts_a_minute: float = STARTS_A_MINUTE,
    requests_a_second: float = REQUESTS_A_SECOND,
    pages: ModuleType | None = None,
    organiser: bool = True,
    url: str | None = None,
) -> Starlette:
    """The application that serves studies to raters and, where there is one, to their organiser.

    Parameters
    ----------
    studies, database, behind_proxy, starts_a_minute, pages, url
        As `Site` takes them.
    requests_a_second : float
        How many requests of one address are let through.
    organiser : bool
        Whether the organiser's pages are served: ``tealeaves.human.app.organiser.routes(site)``.

    Returns
    -------
    starlette.applications.Starlette
        ``app.state.site`` is the `Site`.

    Raises
    ------
    InputError
        If there is no study that can be served: none in the folders, or each of them, or its database, cannot
        be read. Where others can, the organiser's pages say what is wrong with it.
    """
    site = Site(
        studies,
        database,
        behind_proxy=behind_proxy,
        starts_a_minute=starts_a_minute,
        pages=pages,
        url=url,
    )
    if not site.all():
        if (problem := site.problem()) is not None:
            raise problem
        named = ", ".join(map(str, site.folders)) or "no folder"
        raise InputError(f"there is no study in {named}: make one with `tealeaves study create`")

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            site.close()

    every: list[BaseRoute] = [*routes.routes(site)]
    if organiser:
        from tealeaves.human.app import organiser as pages_of_organiser

        every += pages_of_organiser.routes(site)
    if static := getattr(site.pages, "STATIC", None):
        every.append(Mount("/static", Static(directory=static)))

    def missing(request: Request, _error: Exception) -> Response:
        return site.not_found(request)

    app = Starlette(
        routes=every,
        lifespan=lifespan,
        exception_handlers={HTTPException: missing},
        middleware=[
            Middleware(
                Guard,
                refuse=site.refusal,
                behind_proxy=behind_proxy,
                per_second=requests_a_second,
                burst=10 * requests_a_second,
            )
        ],
    )
    app.state.site = site
    return app


def listen(host: str, port: int) -> socket.socket:
    """A socket at this address: before anybody is told of it, for another program may have it.

    Raises
    ------
    InputError
        If it cannot be had; it says why.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        why = str(error.strerror or error).partition(" (while")[0].lower()
        raise InputError(
            f"nothing can be served at {host}, port {port}, as it is said: {why}; name another with --port"
        ) from None
    # This socket does not say that it is TCP, so asyncio leaves Nagle's algorithm on, and each answer
    # waits 40 ms for the browser's acknowledgement of its headers. Connections inherit this from the socket.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def run(
    studies: Iterable[str | Path],
    database: str | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    behind_proxy: bool = False,
    starts_a_minute: float = STARTS_A_MINUTE,
    requests_a_second: float = REQUESTS_A_SECOND,
    url: str | None = None,
    log: bool = False,
    listening: socket.socket | None = None,
) -> None:
    """Serve studies until the process is told to stop.

    Parameters
    ----------
    studies, database, behind_proxy, url
        As `create_app` takes them.
    starts_a_minute, requests_a_second : float
        What one address may, all workers together: each lets through its part.
    host, port : str, int
        Where to listen.
    listening : socket, optional
        What `listen` has opened there already.
    workers : int
        Processes on one database.
    log : bool
        Whether every request is a line on standard error: its page, status and time, and nothing of a rater.
    """
    from tealeaves._optional import require

    uvicorn = require("uvicorn", "study")
    told = {
        "studies": [str(Path(folder).resolve()) for folder in studies],
        "database": database,
        "behind_proxy": behind_proxy,
        "starts_a_minute": starts_a_minute / workers,
        "requests_a_second": requests_a_second / workers,
        "url": url,
        "log": log,
    }
    os.environ[ENVIRONMENT] = json.dumps(told)
    config = uvicorn.Config(
        "tealeaves.human.app.server:from_environment",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        access_log=False,  # it would hold addresses and tokens: with ``log`` the guard writes one without
        server_header=False,
        proxy_headers=behind_proxy,  # else anybody could say where he comes from
        log_level="warning",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
        limit_concurrency=1000,
    )
    opened = listening or listen(host, port)
    with contextlib.suppress(KeyboardInterrupt):
        if workers == 1:
            uvicorn.Server(config).run(sockets=[opened])
        else:
            _run_workers(config, opened)


def _run_workers(config: Any, listening: socket.socket) -> None:
    """Several processes on one socket, which are started anew when they die."""
    from uvicorn import Server
    from uvicorn.supervisors import Multiprocess

    target = {"target": Server(config).run} if "target" in signature(Multiprocess).parameters else {}
    Multiprocess(config, sockets=[listening], **target).run()


def from_environment() -> Starlette:
    """The application that `run` describes to its workers."""
    told = json.loads(os.environ[ENVIRONMENT])
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    if told.pop("log", False):
        LOG.setLevel(logging.INFO)
    return create_app(**told)
