"""A request of a rater, and what every handler does with one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from tealeaves.human.app import flow, sessions
from tealeaves.human.app.progress import Progress, step

if TYPE_CHECKING:
    from sqlalchemy import Row

    from tealeaves.human.app.server import Served
    from tealeaves.human.study import Study


@dataclass(frozen=True)
class Call:
    """One request to one study, and what a handler needs to answer it."""

    request: Request
    served: "Served"
    study: "Study"
    visitor: sessions.Visitor | None
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def wants_json(self) -> bool:
        """Whether a script asks, with the same form."""
        return "application/json" in self.request.headers.get("accept", "")

    @property
    def rater(self) -> "Row[Any]":
        """The rater who asks.

        Raises
        ------
        NoRater
            If nobody has given consent in this browser, or the session has run out.
        """
        if self.visitor is None or self.visitor.rater is None:
            raise NoRater
        return self.visitor.rater

    def url(self, path: str = "") -> str:
        """An address in this study."""
        return f"/s/{self.study.name}/{path}"

    def page(self, name: str, status: int = 200, **context: Any) -> Response:
        """A page of raters."""
        settings = self.study.settings
        about = {"title": settings.title, "host": settings.host, "contact": settings.contact}
        known = {
            "study": {**about, "words_language": settings.words_language},
            "csrf": self.visitor.csrf(self.study.secret) if self.visitor else "",
            "static": "/static",
            **context,
        }
        html = self.served.site.pages.render(name, known, self.served.text(self.study))
        return HTMLResponse(html, status)

    def to(self, path: str) -> Response:
        """On to another page, which is asked for anew."""
        return RedirectResponse(self.url(path), 303)

    def not_found(self) -> Response:
        """What is not there, or not for this rater."""
        if self.wants_json:
            return JSONResponse({"saved": False, "next": self.url("next")}, 404)
        return self.page("not-found", 404)

    def came(self) -> Progress:
        """How far the rater had come when he asked: what this request changes is not in it."""
        return self._arrive(self.visitor.here if self.visitor else None)

    def here(self) -> Progress:
        """How far the rater has come now."""
        return self._arrive(None)

    def elsewhere(self, name: str) -> bool:
        """Whether the rater was at another step when he asked."""
        return step(self.study, self.came()).name != name

    def _arrive(self, known: Progress | None) -> Progress:
        return flow.arrive(self.study, self.served.store, self.rater.id, known)


class NoRater(Exception):
    """The page is for raters, and the browser is none's."""


def onward(call: Call) -> Response:
    """To wherever the rater is."""
    return call.to(path_of(call.study, call.here()))


def path_of(study: "Study", here: Progress, answered: int | None = None) -> str:
    """Where a rater is, as his address ends."""
    at = step(study, here, answered)
    return "end" if at.name.startswith("ended-") else at.path


def way_back(study: "Study", code: str) -> dict[str, Any]:
    """The completion code of an end, and where to go with it."""
    settings = study.settings
    code = settings.codes[code]
    return {"code": code, "return_url": settings.link(quote(code)), "platform": settings.platform}


def stay(call: Call, here: Progress) -> dict[str, Any]:
    """What the pages of who goes on later want."""
    until = here.rater.seen_at + 3600 * call.study.settings.session_hours
    limit = call.study.settings.time_limit_minutes
    if limit is not None:
        until = min(until, flow.began(here.rater, here.rater.seen_at) + 60 * limit)
    links = {"next": call.url("next"), "withdraw": call.url("withdraw")}
    return {"done": here.done, "total": here.total, "until": iso(until), **links}


def gone(call: Call, here: Progress) -> Response:
    """An answer to what the rater does not have: another's, given away, or never there."""
    url = call.url(path_of(call.study, here))
    if call.wants_json:
        return JSONResponse({"saved": False, "next": url}, 409)
    return RedirectResponse(url, 303)


def iso(at: float) -> str:
    """A time as pages have it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
