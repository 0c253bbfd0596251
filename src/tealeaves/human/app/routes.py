"""The addresses raters use. Each handler asks `flow` and renders a page; it knows no SQL and no HTML.

::

    GET      /                                the one study, or a list of those that are open
    GET      /s/{study}/                      consent; the platform's link comes here, and who comes back
    POST     /s/{study}/consent
    GET      /s/{study}/next                  wherever the rater is (POST: after feedback)
    GET POST /s/{study}/screening | instructions | quiz | break | withdraw | thanks
    GET      /s/{study}/practice/{n} | item/{n}
    POST     /s/{study}/practice/{n}/answer | item/{n}/answer
    GET      /s/{study}/wait | pause | end
    GET      /s/{study}/resume/{token}        a rater's own link
             /s/{study}/curate…               the workspace of curators: `curation_routes`

Nothing in an address names an item: n counts in the rater's own list. What is another's and what does not
exist is answered alike.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from tealeaves.human.app import answering, curation_routes, entering, leaving, security, sessions
from tealeaves.human.app.calls import Call, NoRater, onward

if TYPE_CHECKING:
    from tealeaves.human.app.server import Served, Site

Handler = Callable[..., Response]


class Place(Convertor[int]):
    """A place in a rater's list. Numbers that are none, however long, are places that nobody has."""

    regex = "[0-9]+"

    def convert(self, value: str) -> int:
        """The number; Python itself reads none of thousands of digits."""
        return int(value) if len(value) <= 6 else 10**6

    def to_string(self, value: int) -> str:
        """As it stands in an address."""
        return str(value)


register_url_convertor("place", Place())


def routes(site: "Site") -> list[BaseRoute]:
    """All of the raters' routes."""

    def at(path: str, get: Handler | None = None, post: Handler | None = None) -> BaseRoute:
        async def endpoint(request: Request) -> Response:
            handler = post if request.method == "POST" else get
            request.scope["tealeaves.page"] = handler.__name__ if handler else "-"  # what the log says
            form = await security.read_form(request) if request.method == "POST" else {}
            if handler is None:
                return await run_in_threadpool(site.not_found, request)
            return await run_in_threadpool(_serve, site, request, handler, form)

        return Route(f"/s/{{study}}/{path}", endpoint, methods=["GET", "POST"])

    async def front(request: Request) -> Response:
        return await run_in_threadpool(home, site, request)

    return [
        Route("/", front),
        at("", entering.enter),
        at("consent", entering.enter_again, entering.consent),
        at("next", onward, onward),
        at("screening", entering.screening, entering.screened),
        at("wait", entering.wait),
        at("instructions", entering.instructions, entering.instructed),
        at("practice/{n:place}", answering.practice),
        at("practice/{n:place}/answer", answering.practice, answering.practised),
        at("quiz", entering.quiz, entering.quizzed),
        at("item/{n:place}", answering.item),
        at("item/{n:place}/answer", answering.item, answering.answered),
        at("break", leaving.rest),
        at("pause", leaving.pause),
        at("withdraw", leaving.leave, leaving.left),
        at("thanks", leaving.end, leaving.thanks),
        at("end", leaving.end),
        at("resume/{token}", entering.resume),
        *(at(path, get, post) for path, get, post in curation_routes.PATHS),
    ]


def _serve(site: "Site", request: Request, handler: Handler, form: Mapping[str, str]) -> Response:
    served = site.find(str(request.path_params.pop("study")))
    if served is None:
        return site.not_found(request)
    with served.store.alone():
        return _answer(served, request, handler, form)


def _answer(served: "Served", request: Request, handler: Handler, form: Mapping[str, str]) -> Response:
    study = served.study()
    visitor = sessions.visitor_of(study, served.store, request)
    call = Call(request, served, study, visitor, form)
    if request.method == "POST" and not _ours(call):
        return _expired(call, 403)
    try:
        return handler(call, **request.path_params)
    except NoRater:
        return _expired(call, 401) if request.method == "POST" else call.to("")


def _ours(call: Call) -> bool:
    """Whether a form was made for this browser, and sent by it from our own page."""
    if security.from_elsewhere(call.request):
        return False
    given = call.form.get("csrf", "")
    return call.visitor is not None and security.same(given, call.visitor.csrf(call.study.secret))


def _expired(call: Call, status: int) -> Response:
    if call.wants_json:
        return JSONResponse({"saved": False, "next": call.url()}, status)
    return call.page("error", status, kind="expired", next=call.url())


def home(site: "Site", request: Request) -> Response:
    """The one study there is, or those that are open."""
    found = [(served, served.study()) for served in site.all()]
    if len(found) == 1:
        return RedirectResponse(f"/s/{found[0][1].name}/", 303)
    listed = [
        {"title": study.settings.title, "url": f"/s/{study.name}/"}
        for _, study in found
        if study.state in ("pilot", "live") and study.settings.platform is None
    ]
    return HTMLResponse(site.page("home", request.headers, studies=listed))
