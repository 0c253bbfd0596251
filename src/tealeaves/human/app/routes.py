"""The addresses raters use. Each handler asks `flow` and renders a page; it knows no SQL and no HTML.

::

    GET      /                                the one study, or a list of those that are open
    GET      /s/{study}/                      consent; the platform's link comes here, and who comes back
    POST     /s/{study}/consent
    GET      /s/{study}/next                  wherever the rater is (POST: after feedback)
    GET POST /s/{study}/screening | instructions | quiz | break | withdraw | thanks
    GET      /s/{study}/practice/{n} | item/{n}
    POST     /s/{study}/practice/{n}/answer | item/{n}/answer
    GET      /s/{study}/pause | end
    GET      /s/{study}/resume/{token}        a rater's own link

Nothing in an address names an item: n counts in the rater's own list. What is another's and what does not
exist is answered alike.
"""

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from tealeaves.human.app import flow, security, sessions
from tealeaves.human.app.security import TooMuch

if TYPE_CHECKING:
    from sqlalchemy import Row

    from tealeaves.human.app.server import Served, Site
    from tealeaves.human.items import Item
    from tealeaves.human.study import Study

AHEAD = 3  # pages of items a browser may fetch early
REMARK = 2000  # letters
KEY = 64  # letters of an idempotency key
OPEN = ("draft", "pilot", "live")  # states in which raters may begin


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


class NoRater(Exception):
    """The page is for raters, and the browser is none's."""


Handler = Callable[..., Response]


def routes(site: "Site") -> list[BaseRoute]:
    """All of the raters' routes."""

    def at(path: str, get: Handler | None = None, post: Handler | None = None) -> BaseRoute:
        async def endpoint(request: Request) -> Response:
            handler = post if request.method == "POST" else get
            form = await security.read_form(request) if request.method == "POST" else {}
            if handler is None:
                return await run_in_threadpool(site.not_found)
            return await run_in_threadpool(_serve, site, request, handler, form)

        handler = get or post
        endpoint.__name__ = handler.__name__ if handler else path  # what the log says
        return Route(f"/s/{{study}}/{path}", endpoint, methods=["GET", "POST"])

    async def front(request: Request) -> Response:
        return await run_in_threadpool(home, site)

    return [
        Route("/", front),
        at("", enter),
        at("consent", enter_again, consent),
        at("next", onward, onward),
        at("screening", screening, screened),
        at("instructions", instructions, instructed),
        at("practice/{n:int}", practice),
        at("practice/{n:int}/answer", practice, practised),
        at("quiz", quiz, quizzed),
        at("item/{n:int}", item),
        at("item/{n:int}/answer", item, answered),
        at("break", rest, rested),
        at("pause", pause),
        at("withdraw", leave, left),
        at("thanks", end, thanks),
        at("end", end),
        at("resume/{token}", resume),
    ]


def _serve(site: "Site", request: Request, handler: Handler, form: Mapping[str, str]) -> Response:
    served = site.find(str(request.path_params.pop("study")))
    if served is None:
        return site.not_found()
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


def home(site: "Site") -> Response:
    """The one study there is, or those that are open."""
    found = [(served, served.study()) for served in site.all()]
    if len(found) == 1:
        return RedirectResponse(f"/s/{found[0][1].name}/", 303)
    listed = [
        {"title": study.settings.title, "url": f"/s/{study.name}/"}
        for _, study in found
        if study.state in ("pilot", "live") and study.settings.platform is None
    ]
    return HTMLResponse(site.pages.render("home", {"studies": listed, "static": "/static"}, "en"))


# Before consent


def enter(call: Call) -> Response:
    """The first page. The platform's parameters are put into the cookie and leave the address at once."""
    study, store = call.study, call.served.store
    if call.request.query_params:
        platform = sessions.parameters(study, call.request.query_params)
        return _arrive_from(call, platform) if platform else call.to("")
    if call.visitor is not None and call.visitor.rater is not None:
        here = flow.arrive(study, store, call.visitor.rater.id)
        if here.rater.ended or not here.done:
            return call.to(_path(study, here))
        return call.page("resume", **_stay(call, here))
    if study.state not in OPEN:
        return call.page("ended-closed")
    visitor = call.visitor or sessions.new_visitor(study)
    if study.settings.platform and study.phase != "draft" and not visitor.platform:
        return call.page("not-found", 404)  # without an id nobody could be paid
    response = _consent_page(replace(call, visitor=visitor))
    sessions.set_cookie(response, study, visitor.cookie, secure=call.served.site.secure(call.request))
    return response


def enter_again(call: Call) -> Response:
    """The consent form's own address, typed or reloaded."""
    return call.to("")


def _arrive_from(call: Call, platform: dict[str, str]) -> Response:
    study, store = call.study, call.served.store
    with store.reading() as connection:
        rater_id = sessions.known(study, store, connection, platform)
    if rater_id is None:
        cookie = sessions.new_visitor(study, platform).cookie
    elif call.visitor is not None and call.visitor.rater is not None and call.visitor.rater.id == rater_id:
        return call.to("")
    else:
        with store.writing() as connection:
            cookie = sessions.begin(study, connection, rater_id)
    response = call.to("")
    sessions.set_cookie(response, study, cookie, secure=call.served.site.secure(call.request))
    return response


def _consent_page(call: Call, status: int = 200, **more: Any) -> Response:
    settings = call.study.settings
    roles = [item.role for item in call.study.items]
    extra = sum(
        roles.count(role) if most is None else min(most, roles.count(role))
        for role, most in (("check", settings.checks), ("control", settings.controls))
    )
    return call.page(
        "consent",
        status,
        action=call.url("consent"),
        task=call.study.task,
        items=min(settings.items_per_rater, roles.count("item")) + extra,
        minutes=settings.minutes or None,
        payment=settings.payment or None,
        hours=_short(settings.session_hours),
        checks=extra > 0,
        platform=settings.platform is not None,
        more=settings.more,
        **more,
    )


def consent(call: Call) -> Response:
    """Consent given or refused."""
    study, pages = call.study, call.served.site.pages
    assert_visitor = call.visitor
    if assert_visitor is None or assert_visitor.rater is not None:
        return call.to("next")
    try:
        given = pages.parse_consent(call.form)
    except pages.AnswerError as error:
        errors = error.messages(call.served.text(study))
        return _consent_page(call, 422, errors=errors, kept=call.form)
    if not given["agree"]:
        return call.page("ended-declined", **_way_back(study, "withdrew"))
    if study.state not in OPEN:
        return call.page("ended-closed")
    if study.settings.platform and study.phase != "draft" and not assert_visitor.platform:
        return call.not_found()
    if not call.served.site.starts.take(security.address(call.request.scope)):
        raise TooMuch(429, "too-many")
    rater_id, cookie = flow.consent(study, call.served.store, assert_visitor.platform, given["stop"])
    response = call.to(_path(study, flow.arrive(study, call.served.store, rater_id)))
    sessions.set_cookie(response, study, cookie, secure=call.served.site.secure(call.request))
    return response


def resume(call: Call, token: str) -> Response:
    """A rater's own link, on whatever device."""
    study, store = call.study, call.served.store
    rater_id = sessions.by_resume_link(store, token)
    if rater_id is None:
        return call.not_found()
    with store.writing() as connection:
        cookie = sessions.begin(study, connection, rater_id)
    response = call.to("")
    sessions.set_cookie(response, study, cookie, secure=call.served.site.secure(call.request))
    return response


# Steps before the items


def onward(call: Call) -> Response:
    """To wherever the rater is."""
    return call.to(_path(call.study, _here(call)))


def screening(call: Call) -> Response:
    """Questions on who the rater is."""
    if _elsewhere(call, "screening"):
        return onward(call)
    return call.page("screening", action=call.url("screening"), questions=_screening(call.study))


def screened(call: Call) -> Response:
    """Their answers."""
    pages = call.served.site.pages
    if _elsewhere(call, "screening"):
        return onward(call)
    questions = _screening(call.study)
    try:
        given = pages.parse_choices(call.form, questions)
    except pages.AnswerError as error:
        errors = error.messages(call.served.text(call.study))
        again = {"action": call.url("screening"), "questions": questions}
        return call.page("screening", 422, **again, errors=errors, kept=call.form)
    flow.screened(call.study, call.served.store, call.rater.id, given)
    return onward(call)


def instructions(call: Call) -> Response:
    """What is to be done; also to be looked up again later."""
    here = _here(call)
    now = flow.step(call.study, here).name
    if here.rater.ended or now == "screening":
        return onward(call)
    again = now != "instructions"
    way: dict[str, Any] = {"next": call.url("next")} if again else {"action": call.url("instructions")}
    return call.page("instructions", task=call.study.task, practice=len(here.practice), again=again, **way)


def instructed(call: Call) -> Response:
    """They were read."""
    if not _elsewhere(call, "instructions"):
        flow.instructed(call.study, call.served.store, call.rater.id)
    return onward(call)


def quiz(call: Call) -> Response:
    """Questions on the instructions."""
    if _elsewhere(call, "quiz"):
        return onward(call)
    questions, _ = _quiz(call)
    return call.page("quiz", action=call.url("quiz"), questions=questions, task=call.study.task)


def quizzed(call: Call) -> Response:
    """Their answers: all right, or a try less."""
    pages = call.served.site.pages
    if _elsewhere(call, "quiz"):
        return onward(call)
    questions, right = _quiz(call)
    again = {"action": call.url("quiz"), "questions": questions, "task": call.study.task, "kept": call.form}
    try:
        given = pages.parse_choices(call.form, questions)
    except pages.AnswerError as error:
        return call.page("quiz", 422, **again, errors=error.messages(call.served.text(call.study)))
    wrong = pages.wrong_answers(given, right)
    flow.quizzed(call.study, call.served.store, call.rater.id, given, not wrong)
    here = _here(call)
    if not wrong or here.rater.ended or flow.step(call.study, here).name != "quiz":
        return onward(call)
    tries_left = call.study.settings.quiz_tries - here.rater.quiz_tries
    return call.page("quiz", 422, **again, wrong=wrong, tries_left=tries_left)


# Items


def practice(call: Call, n: int) -> Response:
    """A practice item; once it is answered, what would have been right."""
    here = _here(call)
    row = here.at("practice", n)
    if here.rater.ended or here.rater.instructed_at is None:
        return onward(call)
    if row is None:
        return call.not_found()
    if row.state == "done":
        return _feedback(call, here, row)
    return call.page("practice", **_question(call, here, row))


def practised(call: Call, n: int) -> Response:
    """The answer to a practice item."""
    return _save(call, "practice", n)


def item(call: Call, n: int) -> Response:
    """An item to judge; one that was answered can be changed until the end."""
    here = _here(call)
    at = flow.step(call.study, here)
    if here.rater.ended or at.name in ("screening", "instructions", "practice", "quiz"):
        return onward(call)
    row = here.at("items", n)
    if row is None:
        return call.not_found()
    return call.page("item", **_question(call, here, row))


def answered(call: Call, n: int) -> Response:
    """The answer to an item."""
    return _save(call, "items", n)


def rest(call: Call) -> Response:
    """A break."""
    here = _here(call)
    if flow.step(call.study, here).name != "break":
        return onward(call)
    return call.page(
        "break", done=here.done, total=here.total, next=call.url("break"), action=call.url("break")
    )


def rested(call: Call) -> Response:
    """On after a break."""
    flow.rested(call.study, call.served.store, call.rater.id)
    return onward(call)


def pause(call: Call) -> Response:
    """How to come back later."""
    here = _here(call)
    if here.rater.ended:
        return onward(call)
    token = sessions.resume_token(call.study, here.rater.number)
    link = f"{str(call.request.base_url).rstrip('/')}{call.url(f'resume/{token}')}"
    return call.page("paused", **_stay(call, here), resume=link)


def leave(call: Call) -> Response:
    """Whether to stop, and what becomes of the answers."""
    here = _here(call)
    if here.rater.ended:
        return onward(call)
    kept = {"stop": here.rater.stop}
    return call.page(
        "withdraw", action=call.url("withdraw"), done=here.done, next=call.url("next"), kept=kept
    )


def left(call: Call) -> Response:
    """The rater stops."""
    stop = call.form.get("stop")
    if stop not in ("keep", "delete"):
        return call.to("withdraw")
    flow.withdraw(call.study, call.served.store, call.rater.id, stop)
    return onward(call)


def end(call: Call) -> Response:
    """The last page, one for each way of coming to an end."""
    here = _here(call)
    if not here.rater.ended:
        return onward(call)
    name, code = flow.ENDED[here.rater.ended]
    way = _way_back(call.study, code)
    if name == "thanks":
        sent = "sent" in call.request.query_params
        return call.page("thanks", total=here.total, action=call.url("thanks"), remark_sent=sent, **way)
    kept = here.rater.erased_at is None if name in ("ended-withdrew", "ended-timeout") else None
    return call.page(name, kept_answers=kept, **way)


def thanks(call: Call) -> Response:
    """A remark at the end."""
    here = _here(call)
    text = call.form.get("remark", "").strip()[:REMARK]
    if here.rater.ended == "completed" and text:
        flow.remark(call.study, call.served.store, here.rater.id, text)
        return call.to("thanks?sent=1")
    return onward(call)


# What the handlers share


def _here(call: Call) -> flow.Progress:
    return flow.arrive(call.study, call.served.store, call.rater.id)


def _elsewhere(call: Call, name: str) -> bool:
    return flow.step(call.study, _here(call)).name != name


def _path(study: "Study", here: flow.Progress) -> str:
    step = flow.step(study, here)
    return "end" if step.name.startswith("ended-") else step.path


def _way_back(study: "Study", code: str) -> dict[str, Any]:
    code = study.settings.codes[code]
    return {"code": code, "return_url": study.settings.link(quote(code))}


def _stay(call: Call, here: flow.Progress) -> dict[str, Any]:
    until = here.rater.seen_at + 3600 * call.study.settings.session_hours
    limit = call.study.settings.time_limit_minutes
    if limit is not None:
        until = min(until, here.rater.created_at + 60 * limit)
    links = {"next": call.url("next"), "withdraw": call.url("withdraw")}
    return {"done": here.done, "total": here.total, "until": _iso(until), **links}


def _screening(study: "Study") -> list[dict[str, Any]]:
    return [
        {"name": f"s{i}", "question": q["question"], "options": q["options"]}
        for i, q in enumerate(study.settings.screening, start=1)
    ]


def _quiz(call: Call) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The questions as they are shown, and with what is right: options in an order of the rater's own."""
    pages = call.served.site.pages
    shown, right = [], []
    for question in pages.quiz(call.study.task, call.served.text(call.study)):
        options = question["options"]
        drawn = security.order(call.study.secret, len(options), "quiz", call.rater.number, question["name"])
        ordered = [options[i] for i in drawn]
        right.append({**question, "options": ordered, "right": drawn.index(question["right"])})
        shown.append({"name": question["name"], "question": question["question"], "options": ordered})
    return shown, right


def _item(call: Call, row: "Row[Any]") -> "Item":
    return call.study.items.by_id[row.item]


def _question(
    call: Call, here: flow.Progress, row: "Row[Any]", form: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What the page of an item or a practice item wants."""
    pages, study = call.served.site.pages, call.study
    one, drawn = _item(call, row), json.loads(row.order)
    task = pages.TASKS[one.task]
    text = call.served.text(study)
    kept: Mapping[str, str] = form or {}
    if form is None and row.state == "done":
        with call.served.store.reading() as connection:
            value = flow.latest(connection, row.id)
        kept = task.form(value, one, drawn) if value is not None else {}
    series = "practice" if row.series == "practice" else "item"
    context = {
        "action": call.url(f"{series}/{row.position}/answer"),
        "task": one.task,
        "question": task.context(one, drawn, text, study.settings.familiarity),
        "assignment": _assignment(study, row),
        "idempotency": security.new_token()[:32],
        "started": _started(study, row),
        "kept": kept,
        "withdraw": call.url("withdraw"),
    }
    if series == "practice":
        return {**context, "practice": _practice(here, row), "position": 1, "total": here.total}
    rank = here.rank(row)
    places = [other.position for other in here.items]
    saved = max((other.done_at for other in here.items if other.done_at), default=None)
    return {
        **context,
        "position": rank,
        "total": here.total,
        "saved_at": None if saved is None else _iso(saved),
        "back": call.url(f"item/{places[rank - 2]}") if rank > 1 else None,
        "pause": call.url("pause"),
        "ahead": [call.url(f"item/{place}") for place in places[rank : rank + AHEAD]],
    }


def _practice(here: flow.Progress, row: "Row[Any]") -> dict[str, int]:
    return {"number": [other.id for other in here.practice].index(row.id) + 1, "of": len(here.practice)}


def _feedback(call: Call, here: flow.Progress, row: "Row[Any]") -> Response:
    one = _item(call, row)
    with call.served.store.reading() as connection:
        value = flow.latest(connection, row.id) or {}
    task, drawn = call.served.site.pages.TASKS[one.task], json.loads(row.order)
    return call.page(
        "feedback",
        action=call.url("next"),
        task=one.task,
        question=task.context(one, drawn, call.served.text(call.study), call.study.settings.familiarity),
        kept=task.form(value, one, drawn),
        practice=_practice(here, row),
        position=1,
        total=here.total,
        frozen=True,
        right=right_of(one, value),
        answer=one.key,
        why=one.hidden.get("feedback"),
        next=call.url("next"),
    )


def right_of(one: "Item", value: Mapping[str, Any]) -> bool | None:
    """Whether a practice item was answered well; None where no answer is right or wrong."""
    if one.key is not None:
        return bool(value.get("choice") == one.key)
    expected = one.hidden.get("expected")
    if not isinstance(expected, dict):
        return None
    return all(value.get(name) in wanted for name, wanted in expected.items())


def _save(call: Call, series: str, n: int) -> Response:
    """Save an answer and go on. Whatever is answered with 200 or a redirect to the next item is on disk."""
    study, store, pages = call.study, call.served.store, call.served.site.pages
    here = _here(call)
    row = here.at(series, n)
    if row is None or not security.same(call.form.get("assignment", ""), _assignment(study, row)):
        return _gone(call, here)  # lost, another's, or never there
    key = call.form.get("idempotency", "")[:KEY]
    if not key:
        raise TooMuch(400, "bad")
    one, drawn = _item(call, row), json.loads(row.order)
    try:
        value = pages.TASKS[one.task].parse(call.form, one, drawn, study.settings.familiarity)
    except pages.AnswerError as error:
        errors = error.messages(call.served.text(study))
        if call.wants_json:
            return JSONResponse({"saved": False, "errors": errors}, 422)
        name = "practice" if series == "practice" else "item"
        return call.page(name, 422, **_question(call, here, row, call.form), errors=errors)
    if flow.too_fast(store, here.rater.id):
        raise TooMuch(429, "too-many")
    try:
        saved = flow.save(study, store, here.rater.id, row.id, key, value, _seconds(study, row, call.form))
    except flow.Refused:
        return _gone(call, _here(call))
    if series == "practice" and not call.wants_json:
        return call.to(f"practice/{n}")
    url = call.url(_path(study, _after(call, row)))
    if call.wants_json:
        return JSONResponse({"saved": True, "next": url, "saved_at": _iso(saved.at)})
    return RedirectResponse(url, 303)


def _after(call: Call, row: "Row[Any]") -> flow.Progress:
    with call.served.store.reading() as connection:
        return flow.progress(call.served.store, connection, row.rater_id)


def _gone(call: Call, here: flow.Progress) -> Response:
    url = call.url(_path(call.study, here))
    if call.wants_json:
        return JSONResponse({"saved": False, "next": url}, 409)
    return RedirectResponse(url, 303)


def _assignment(study: "Study", row: "Row[Any]") -> str:
    """What a form calls the assignment: says nothing, and is good for this rater only."""
    return security.seal(study.secret, "assignment", row.rater_id, row.id)


def _started(study: "Study", row: "Row[Any]") -> str:
    at = str(int(1000 * time.time()))
    return f"{at}.{security.seal(study.secret, 'started', row.id, at)}"


def _seconds(study: "Study", row: "Row[Any]", form: Mapping[str, str]) -> float | None:
    """How long the item was looked at: what the browser says, but no longer than the page has been out."""
    at, _, mark = form.get("started", "").partition(".")
    if not security.same(mark, security.seal(study.secret, "started", row.id, at)):
        return None
    out = max(0.0, time.time() - int(at) / 1000)
    try:
        seen = float(form.get("seconds", ""))
    except ValueError:
        return round(out, 3)
    return round(min(seen, out), 3) if math.isfinite(seen) and seen >= 0 else round(out, 3)


def _short(number: float) -> float | int:
    return int(number) if number == int(number) else number


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
