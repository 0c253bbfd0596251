"""What stands between the network and the pages: headers, limits, tokens, and a log that names nobody."""

import asyncio
import hashlib
import hmac
import json
import logging
import random
import secrets
import time
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers

from tealeaves.human.app.turns import Busy

if TYPE_CHECKING:
    from starlette.requests import Request

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOG = logging.getLogger("tealeaves.study")
BODY = 64 * 1024  # bytes a form may have, whoever sends it: no page takes a file
BODY_SECONDS = 30.0  # within which a body must have come
FIELDS = 400
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # "no-referrer" would make browsers send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
STRICT_TRANSPORT = "max-age=31536000"


class TooMuch(Exception):
    """A request that is refused before anything is looked up: its status, and the kind of error page."""

    def __init__(self, status: int, kind: str) -> None:
        super().__init__(kind)
        self.status, self.kind = status, kind


class Broken(TooMuch):
    """A study that is there and cannot be read: its raters get the page of an error, its organiser why."""

    def __init__(self, reason: str) -> None:
        super().__init__(503, "server")
        self.reason = reason


class Guard:
    """Everything a request passes through before it comes to a route, and an answer before it leaves.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    refuse : callable (status, kind, headers) -> (body, media type)
        The page of a refusal.
    behind_proxy : bool
        Whether a proxy that speaks https stands in front.
    per_second, burst : float
        Requests of one address that are let through.
    """

    def __init__(
        self,
        app: App,
        refuse: Callable[[int, str, Mapping[str, str]], tuple[str, str]],
        behind_proxy: bool = False,
        per_second: float = 200.0,
        burst: float = 2000.0,
    ) -> None:
        self.app, self.refuse, self.behind_proxy = app, refuse, behind_proxy
        self.buckets = Buckets(per_second, burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        began, status = time.perf_counter(), 0
        secure = self.behind_proxy or scope.get("scheme") == "https"

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": _with_headers(message["headers"], secure)}
            await send(message)

        try:
            try:
                if not self.buckets.take(address(scope)):
                    raise TooMuch(429, "too-many")
                body = await _body(scope, receive)
                await self.app(scope, body, sending)
            except TooMuch as refused:
                await self._refused(refused, scope, sending)
            except Busy as busy:
                LOG.error("the database cannot be used: %s", busy)
                await self._refused(TooMuch(503, "server"), scope, sending)
        except Exception as error:  # the log gets where, and never what: messages may hold what people wrote
            LOG.error("%s at %s", type(error).__name__, _where(error))
            if status == 0:
                await self._refused(TooMuch(500, "server"), scope, sending)
        finally:
            name = scope.get("tealeaves.page", "-")
            LOG.info("%s %s %d %.1f ms", scope["method"], name, status, 1000 * (time.perf_counter() - began))

    async def _refused(self, refused: TooMuch, scope: Scope, send: Send) -> None:
        body, media = self.refuse(refused.status, refused.kind, Headers(scope=scope))
        headers = [(b"content-type", media.encode()), (b"content-length", str(len(body.encode())).encode())]
        headers.append((b"connection", b"close"))  # the rest of a refused body is not read
        if refused.status in (429, 503):
            headers.append((b"retry-after", b"10"))
        await send({"type": "http.response.start", "status": refused.status, "headers": headers})
        await send({"type": "http.response.body", "body": body.encode()})


class Buckets:
    """How fast each address may come: forgotten when the process ends, and never written anywhere.

    Parameters
    ----------
    per_second : float
        How many requests in the long run.
    burst : float
        How many at once.

    Examples
    --------
    >>> buckets = Buckets(per_second=1, burst=2)
    >>> [buckets.take("192.0.2.1", now=0.0) for _ in range(3)], buckets.take("192.0.2.1", now=1.5)
    ([True, True, False], True)
    """

    SIZE = 20_000  # addresses remembered; the one that was quiet longest is forgotten first

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second, self.burst = per_second, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float | None = None) -> bool:
        """Whether one more is let through."""
        now = time.monotonic() if now is None else now
        left, then = self._left.pop(address, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.per_second)
        allowed = left >= 1
        self._left[address] = (left - 1 if allowed else left, now)
        if len(self._left) > self.SIZE:
            self._left.popitem(last=False)
        return allowed


def address(scope: Scope) -> str:
    """Where a request comes from: for limits only, in memory only."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """What the database keeps of a token: who reads the database can use none."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def seal(secret: bytes, purpose: str, *parts: object) -> str:
    """A mark that only who has the secret can make, of a purpose and what belongs to it.

    Examples
    --------
    >>> mark = seal(b"secret", "csrf", "a")
    >>> mark == seal(b"secret", "csrf", "a"), mark == seal(b"secret", "other", "a")
    (True, False)
    """
    text = json.dumps([purpose, *map(str, parts)]).encode()
    return hmac.new(secret, text, hashlib.sha256).hexdigest()[:40]


def same(first: str, second: str) -> bool:
    """Whether two marks are the same, in a time that tells nothing of where they differ."""
    return hmac.compare_digest(
        first.encode("utf-8", "surrogatepass"), second.encode("utf-8", "surrogatepass")
    )


def order(secret: bytes, n: int, *purpose: object) -> list[int]:
    """0 to n - 1 in an order drawn from the secret: another one for each purpose, the same each time.

    Examples
    --------
    >>> sorted(order(b"s", 6, "rater 1", "i0001"))
    [0, 1, 2, 3, 4, 5]
    """
    return random.Random(seal(secret, "order", *purpose)).sample(range(n), n)


async def read_form(request: "Request") -> dict[str, str]:
    """A form's fields; of a field that comes several times the last.

    Raises
    ------
    TooMuch
        If it is no form, or has too many fields.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if body and kind != "application/x-www-form-urlencoded":
        raise TooMuch(415, "bad")
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:
        raise TooMuch(400, "bad") from None


def from_elsewhere(request: "Request") -> bool:
    """Whether the browser says that another site sent the form."""
    return request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")


async def _body(scope: Scope, receive: Receive) -> Receive:
    """The body, read whole before anybody parses it, and not one byte more than is allowed."""
    if scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return receive
    told = dict(scope["headers"]).get(b"content-length", b"0")
    if not told.isdigit() or len(told) > 9 or int(told) > BODY:
        raise TooMuch(413, "too-large")
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise TooMuch(400, "bad")
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > BODY:
                    raise TooMuch(413, "too-large")
                if not message.get("more_body"):
                    break
    except TimeoutError:
        raise TooMuch(408, "bad") from None
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": b"".join(parts), "more_body": False}

    return again


def _with_headers(headers: Sequence[tuple[bytes, bytes]], secure: bool) -> list[tuple[bytes, bytes]]:
    there = {name.lower() for name, _ in headers}
    more = {
        **HEADERS,
        "Cache-Control": "no-store",
        **({"Strict-Transport-Security": STRICT_TRANSPORT} if secure else {}),
    }
    added = [(name.lower().encode(), value.encode()) for name, value in more.items()]
    return [*headers, *(pair for pair in added if pair[0] not in there)]


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "tealeaves" in frame.filename] or list(frames)
    return " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(ours[-4:]))
