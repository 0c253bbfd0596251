"""The organiser's addresses. Nobody sees any of them without the token that was printed at the start.

::

    GET POST /organiser/login                     the token, in a form or in the printed link
    POST     /organiser/logout
    GET      /organiser/                          all studies
    GET POST /organiser/new                       a further study of models that are served
    GET      /organiser/{study}/                  progress, raters, results, items, design, export
    GET      /organiser/{study}/items
    GET      /organiser/{study}/rater/{rater}
    GET      /organiser/{study}/export/{file}
    POST     /organiser/{study}/state | settings | rules | results | scores | rater/{rater}/erase | forget
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

import tealeaves
from tealeaves.errors import TealeavesError
from tealeaves.human.app import (
    curation_log,
    organiser_answers,
    organiser_head,
    organiser_new,
    organiser_progress,
    organiser_raters,
    organiser_results,
    security,
)
from tealeaves.human.app import organiser_actions as actions
from tealeaves.human.app import organiser_auth as auth
from tealeaves.human.app.organiser_data import Data, load
from tealeaves.human.app.organiser_preview import preview
from tealeaves.human.app.security import Broken, Buckets, TooMuch
from tealeaves.human.app.sessions import forget_platform_ids
from tealeaves.human.curation_events import TASK as CURATION
from tealeaves.human.measured import keep_scores, kept_scores, scores_name

if TYPE_CHECKING:
    from tealeaves.human.app.server import Served, Site
    from tealeaves.scores import Scores

TRIES_A_MINUTE = 20.0  # tokens that one address may try, for each worker
# What a page says after a form was sent; addresses hold the names only.
SAID = {
    "moved": "Done: the study is now {state}.",
    "rules": "The rules are saved.",
    "settings": "The settings are saved.",
    "opened": "The results are open, and the time is kept.",
    "hidden": "The results are hidden.",
    "scores": "The scores are kept with the study, and stand beside people’s once results are open.",
    "forgotten": "Deleted: nothing here says any more who was who on the platform.",
    "erased": "Erased: nothing here links the rater to a person any more. Exports made before still have "
    "what was in them: delete them and export anew.",
    "made": "The study is made, as a draft. Look at its items, then start the pilot.",
}


@dataclass(frozen=True)
class Call:
    """One request of somebody who has signed in."""

    site: "Site"
    request: Request
    session: auth.Session
    door: "Served"  # the study whose token let them in
    form: Mapping[str, list[str]] = field(default_factory=dict)

    def one(self, name: str) -> str:
        """A field of the form, or nothing."""
        return self.form.get(name, [""])[-1]

    @property
    def served(self) -> "Served":
        """The study of the address.

        Raises
        ------
        Missing
            If there is none of this name.
        """
        found = self.site.find(self.request.path_params["study"])
        if found is None:
            raise Missing
        return found

    def page(self, template: str, status: int = 200, **context: Any) -> Response:
        """A page of the organiser."""
        said = SAID.get(self.request.query_params.get("said", ""), "")
        if "{state}" in said:
            named = "study" in self.request.path_params
            said = said.format(state=self.served.study().state) if named else ""
        return _page(template, status, csrf=self.session.csrf, said=said, **context)

    def back(self, said: str, part: str = "") -> Response:
        """On to the study's page, after a form."""
        return RedirectResponse(f"/organiser/{quote(self.served.study().name)}/?said={said}{part}", 303)


class Missing(Exception):
    """There is no such study, rater or file."""


Handler = Callable[[Call], Response]


def routes(site: "Site") -> list[BaseRoute]:
    """Every address of the organiser."""
    house = _House(site)
    gets = [
        ("/organiser/", studies),
        ("/organiser/new", new),
        ("/organiser/{study}/", study),
        ("/organiser/{study}/items", items),
        ("/organiser/{study}/rater/{rater}", rater),
        ("/organiser/{study}/export/{file}", exported),
    ]
    posts = [
        ("/organiser/logout", house.sign_out),
        ("/organiser/new", new),
        ("/organiser/{study}/state", state),
        ("/organiser/{study}/settings", settings),
        ("/organiser/{study}/rules", rules),
        ("/organiser/{study}/results", results),
        ("/organiser/{study}/scores", scores),
        ("/organiser/{study}/rater/{rater}/erase", erase),
        ("/organiser/{study}/forget", forget),
    ]
    return [
        Route("/organiser", lambda request: RedirectResponse("/organiser/", 303)),
        Route("/organiser/login", house.show_login, methods=["GET"]),
        Route("/organiser/login", house.login, methods=["POST"]),
        *(Route(path, house.guarded(handler), methods=["GET"]) for path, handler in gets),
        *(Route(path, house.guarded(handler, posted=True), methods=["POST"]) for path, handler in posts),
    ]


class _House:
    """Who is let in. Every study's token opens all of them, and the study it is of signs the session.

    So it does not matter which studies come, or go, besides.
    """

    def __init__(self, site: "Site") -> None:
        self.site = site
        self.tries = Buckets(TRIES_A_MINUTE / 60, TRIES_A_MINUTE)

    def session(self, request: Request) -> "tuple[auth.Session, Served] | None":
        """The session of the request's cookie, and the study whose token opened it."""
        given = request.cookies.get(auth.COOKIE)
        for served in self.site.all() if given else ():
            found = auth.session(served.study(), given)
            if found is not None:
                return None if actions.is_signed_out(served.store, found.name) else (found, served)
        return None

    def guarded(self, handler: Handler, *, posted: bool = False) -> Callable[[Request], Any]:
        """The handler, for whoever has signed in; a form must come from our own page."""

        async def guarded(request: Request) -> Response:
            form: Mapping[str, list[str]] = {}
            if posted:
                form = _fields(await request.body())
            return await run_in_threadpool(self._answer, handler, request, form, posted)

        guarded.__name__ = getattr(handler, "__name__", "organiser")  # as the log names it
        return guarded

    def _answer(
        self, handler: Handler, request: Request, form: Mapping[str, list[str]], posted: bool
    ) -> Response:
        found = self.session(request)
        if found is None:
            return RedirectResponse("/organiser/login", 303)
        session, door = found
        given = form.get("csrf", [""])[-1]
        if posted and (security.from_elsewhere(request) or not security.same(given, session.csrf)):
            text = "This form is not of a page that is open now. Go back, load the page again and repeat it."
            return _message("Not done", text, 403, session.csrf)
        try:
            return handler(Call(self.site, request, session, door, form))
        except Missing:
            return _message("Not found", "There is no such page.", 404, session.csrf)
        except Broken as broken:
            text = f"This study cannot be served: {broken.reason}."
            return _message("Not served", text, 422, session.csrf)
        except TealeavesError as error:
            text = f"{str(error)[:1].upper()}{str(error)[1:]}."
            return _message("Not done", text, 422, session.csrf)

    async def show_login(self, request: Request) -> Response:
        """The form; or, with the token in the printed link, straight in."""
        token = request.query_params.get("token")
        if token is None:
            return _page("login", wrong="")
        return await run_in_threadpool(self._let_in, request, token)

    async def login(self, request: Request) -> Response:
        """The form, sent."""
        if security.from_elsewhere(request):
            raise TooMuch(403, "bad")
        form = _fields(await request.body())
        return await run_in_threadpool(self._let_in, request, form.get("token", [""])[-1].strip())

    def _let_in(self, request: Request, token: str) -> Response:
        if not self.tries.take(security.address(request.scope)):
            raise TooMuch(429, "too-many")
        door = next((one for one in self.site.all() if auth.is_token(one.study(), token)), None)
        if door is None:
            wrong = "This is not the token of this server. Each start of the server makes a new one."
            return _page("login", 403, wrong=wrong)
        # After the printed link a page of our own leads on: a browser that came from elsewhere, such as from
        # a mail, keeps a strict cookie to itself until then.
        linked = request.method == "GET"
        response = _page("welcome") if linked else RedirectResponse("/organiser/", 303)
        response.set_cookie(
            auth.COOKIE,
            auth.cookie(door.study()),
            max_age=auth.HOURS * 3600,
            path="/organiser",
            secure=self.site.secure(request),
            httponly=True,
            samesite="strict",
        )
        return response

    def sign_out(self, call: Call) -> Response:
        """Out: the cookie goes, and a copy of it is worth nothing."""
        actions.sign_out(call.door.store, call.session.name)
        response = RedirectResponse("/organiser/login", 303)
        response.delete_cookie(auth.COOKIE, path="/organiser")
        return response


def studies(call: Call) -> Response:
    """All studies, a row each."""
    rows = []
    for served in call.site.all():
        data = _data(served)
        rows.append(organiser_head.overview(data, organiser_answers.judged(data)))
    bad = [{"name": folder.name, "why": why} for folder, why in call.site.bad.items()]
    return call.page("studies", studies=rows, bad=bad)


def study(call: Call) -> Response:
    """All of one study."""
    from tealeaves.human.app.organiser_settings import form as settings_form
    from tealeaves.human.estimate import power_table
    from tealeaves.human.export import FILES
    from tealeaves.human.record import told_by_raters

    data = _data(call.served)
    quality = organiser_answers.judged(data)
    numbers = len(actions.platform_numbers(call.served.store)) if data.study.state == "closed" else 0
    return call.page(
        "study",
        numbers=numbers,
        study=organiser_head.head(data, f"{_origin(call)}/s/{data.study.name}/"),
        **_curators(call.served),
        progress=organiser_progress.progress(data, quality),
        raters=organiser_raters.raters(data, quality),
        results=organiser_results.results(data, quality, _scores(data) if data.is_open else None),
        scores={"there": organiser_new.there()["scores"], "kept": scores_name(data.study)},
        preview=preview(data.study.items),
        power=power_table(data.study, organiser_answers.kept(data, quality)),
        remarks=[row for row in told_by_raters(call.served.store) if row["kind"] == "remark"],
        design=organiser_head.design(data),
        settings=None if data.study.frozen else settings_form(data.study.settings),
        files=[{"name": name, "about": about} for name, about in FILES.items()],
    )


def _scores(data: Data) -> "Scores | str | None":
    """The automatic scores that the study keeps; or why not, as all else of the page can be shown."""
    try:
        return kept_scores(data.study)
    except TealeavesError as error:
        return f"The scores that the study keeps cannot be read: {error}."


def _curators(served: "Served") -> dict[str, Any]:
    """How far curators are, and where every two of them differ; None where the study is of another task."""
    from tealeaves.human.app.organiser_curators import differences

    made, store = served.study(), served.store
    if made.task != CURATION:
        return {"curators": None, "merged": []}
    logs = curation_log.curations(made, store, draft=made.phase == "draft")
    return {"curators": curation_log.progress(made, store), "merged": differences(made.name, logs)}


def items(call: Call) -> Response:
    """Every item with its key, a page at a time."""
    found = call.served.study()
    page = call.request.query_params.get("page", "1")
    number = int(page) if page.isdecimal() and len(page) < 7 else 1
    return call.page(
        "items",
        study={"slug": found.name, "title": found.settings.title},
        preview=preview(found.items, number),
    )


def rater(call: Call) -> Response:
    """One rater: what was answered, how well, and the way to be forgotten."""
    from tealeaves.human.record import screening_answers, told_by_raters

    data = _data(call.served)
    found = organiser_raters.one_rater(
        data, organiser_answers.judged(data), call.request.path_params["rater"]
    )
    if found is None:
        raise Missing
    for row in told_by_raters(call.served.store):
        if row["rater"] == found["name"] and row["kind"] == "screening":
            found["facts"] += screening_answers(data.study, row["value"]).items()
        elif row["rater"] == found["name"] and row["kind"] == "remark":
            found["facts"].append(("Remark", row["value"]))
    about = {"slug": data.study.name, "title": data.study.settings.title}
    return call.page("rater", study=about, rater=found)


def state(call: Call) -> Response:
    """Take the study on to another state."""
    wanted = call.one("state")
    if wanted == "closed" and call.one("sure") != "yes":
        return _message(
            "Not done", "Tick the box: a study that is closed stays closed.", 422, call.session.csrf
        )
    served = call.served
    actions.move(served.study(), served.store, wanted)
    return call.back("moved")


def settings(call: Call) -> Response:
    """Change settings, before they are frozen."""
    from tealeaves.human.app.organiser_settings import change

    change(call.served.study(), {name: values[-1] for name, values in call.form.items()})
    return call.back("settings", "#settings")


def rules(call: Call) -> Response:
    """Set the rules, before they are frozen."""
    actions.set_rules(call.served.study(), {name: values[-1] for name, values in call.form.items()})
    return call.back("rules", "#raters")


def results(call: Call) -> Response:
    """Open results before the end, or hide them again; both are written down."""
    show = call.one("show") == "yes"
    if call.served.study().state != "closed":
        actions.look(call.served.store, show)
    return call.back("opened" if show else "hidden", "#results")


def scores(call: Call) -> Response:
    """Keep automatic scores with the study: those of a folder that is served with the models."""
    name = call.one("scores")
    if name not in organiser_new.there()["scores"]:
        raise Missing
    keep_scores(call.served.study(), organiser_new.folder() / name)
    return call.back("scores", "#results")


def erase(call: Call) -> Response:
    """Forget a rater."""
    if call.one("sure") != "yes":
        return _message("Not done", "Tick the box: this cannot be undone.", 422, call.session.csrf)
    name = call.request.path_params["rater"]
    if not actions.erase(call.served.store, name, call.one("answers") == "yes"):
        raise Missing
    return call.back("erased", "#raters")


def forget(call: Call) -> Response:
    """Delete the platform's numbers of all raters, once the study is closed."""
    if call.one("sure") != "yes" or call.served.study().state != "closed":
        said = "Close the study first, and tick the box: afterwards nobody can be found to be paid."
        return _message("Not done", said, 422, call.session.csrf)
    forget_platform_ids(call.served.store)
    return call.back("forgotten", "#export")


def exported(call: Call) -> Response:
    """One file."""
    from tealeaves.human.export import FILES, as_bytes, csv_text
    from tealeaves.human.record import record

    name = call.request.path_params["file"]
    served = call.served
    if name == "platform-numbers.csv":
        rows = actions.platform_numbers(served.store)
        body = csv_text(rows, ("rater", "state", "platform", "number", "details")).encode()
    elif name in FILES:
        actions.exports(served.study(), served.store, [name])
        body = as_bytes(record(served.study(), served.store), name)
    else:
        raise Missing
    kind = {
        "csv": "text/csv; charset=utf-8",
        "md": "text/markdown; charset=utf-8",
        "json": "application/json",
    }
    media = kind.get(name.rpartition(".")[2], "application/octet-stream")
    saved = f'attachment; filename="{served.study().name}-{name}"'
    return Response(body, media_type=media, headers={"Content-Disposition": saved})


def new(call: Call) -> Response:
    """Make a further study: first a preview of its items, then its folder."""
    return organiser_new.make(call)


def _data(served: "Served") -> Data:
    return load(served.study(), served.store, time.time())


def _origin(call: Call) -> str:
    """The address raters see."""
    return call.site.origin(call.request)


def _fields(body: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=security.FIELDS)
    except ValueError:
        raise TooMuch(400, "bad") from None


def _message(heading: str, text: str, status: int, csrf: str) -> Response:
    return _page("message", status, csrf=csrf, heading=heading, text=text, back="")


def _page(template: str, status: int = 200, **context: Any) -> Response:
    from tealeaves.human.app.pages.rendering import environment

    known = {"csrf": "", "said": "", "release": tealeaves.__version__, **context}
    return HTMLResponse(environment().get_template(f"organiser/{template}.html").render(known), status)
