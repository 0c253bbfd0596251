"""From the link to the first item: consent, screening, instructions, quiz; and coming back."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from tealeaves.human.app import flow, security, sessions
from tealeaves.human.app.calls import Call, iso, onward, path_of, stay, way_back
from tealeaves.human.app.progress import step
from tealeaves.human.app.security import TooMuch
from tealeaves.human.curation_events import TASK as CURATION
from tealeaves.human.serving import extras, most_items

if TYPE_CHECKING:
    from tealeaves.human.study import Study

OPEN = ("draft", "pilot", "live")  # states in which raters may begin


def enter(call: Call) -> Response:
    """The first page. The platform's parameters are put into the cookie and leave the address at once."""
    study = call.study
    if call.request.query_params:
        platform = sessions.parameters(study, call.request.query_params)
        if platform is None and sessions.is_preview(study, call.request.query_params):
            return _consent_page(replace(call, visitor=None))
        return _arrive_from(call, platform) if platform else call.to("")
    if call.visitor is not None and call.visitor.rater is not None:
        here = call.came()
        if here.rater.ended or not here.done:
            return call.to(path_of(study, here))
        return call.page("resume", **stay(call, here))
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
        rater_id = sessions.known(study, store, connection, sessions.fingerprint(study, platform))
    if rater_id is None:
        cookie = sessions.new_visitor(study, platform).cookie
    elif call.visitor is not None and call.visitor.rater is not None and call.visitor.rater.id == rater_id:
        return call.to("")
    else:
        with store.writing() as connection:
            if not sessions.is_same(connection, rater_id, sessions.visit(study, platform)):
                return call.page("ended-again")
            cookie = sessions.begin(study, connection, rater_id)
    response = call.to("")
    sessions.set_cookie(response, study, cookie, secure=call.served.site.secure(call.request))
    return response


def _consent_page(call: Call, status: int = 200, **more: Any) -> Response:
    settings = call.study.settings
    curation = call.study.task == CURATION
    extra = sum(item.role != "practice" for item in extras(call.study.items, settings))
    return call.page(
        "consent",
        status,
        action=call.url("consent"),
        task=call.study.task,
        items=(len(call.study.items) if curation else most_items(call.study.items, settings)) + extra,
        minutes=settings.minutes or None,
        payment=settings.payment or None,
        hours=None if curation else _short(settings.session_hours),  # weeks
        checks=extra > 0,
        platform=settings.platform is not None,
        more=settings.more,
        **more,
    )


def consent(call: Call) -> Response:
    """Consent given or refused."""
    study, pages = call.study, call.served.site.pages
    visitor = call.visitor
    if visitor is None or visitor.rater is not None:
        return call.to("next")
    try:
        given = pages.parse_consent(call.form)
    except pages.AnswerError as error:
        errors = error.messages(call.served.text(study))
        return _consent_page(call, 422, errors=errors, kept=call.form)
    if not given["agree"]:
        return call.page("ended-declined", **way_back(study, "withdrew"))
    if study.state not in OPEN:
        return call.page("ended-closed")
    if study.settings.platform and study.phase != "draft" and not visitor.platform:
        return call.not_found()
    if not call.served.site.starts.take(security.address(call.request.scope)):
        raise TooMuch(429, "too-many")
    store = call.served.store
    try:
        rater_id, cookie = flow.consent(study, store, visitor.platform, given["stop"], visitor.cookie)
    except flow.TakesPart:
        return call.page("ended-again")
    response = call.to(path_of(study, flow.arrive(study, store, rater_id)))
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


def screening(call: Call) -> Response:
    """Questions on who the rater is."""
    if call.elsewhere("screening"):
        return onward(call)
    return call.page("screening", action=call.url("screening"), questions=_screening(call.study))


def screened(call: Call) -> Response:
    """Their answers."""
    pages = call.served.site.pages
    if call.elsewhere("screening"):
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


def wait(call: Call) -> Response:
    """Others hold all places: when one may be free again."""
    if call.elsewhere("wait"):
        return onward(call)
    until = flow.opens(call.study, call.served.store, call.rater)
    return call.page("wait", next=call.url("next"), until=iso(until) if until else None)


def instructions(call: Call) -> Response:
    """What is to be done; also to be looked up again later."""
    here = call.came()
    now = step(call.study, here).name
    if here.rater.ended or now == "screening":
        return onward(call)
    again = now != "instructions"
    way: dict[str, Any] = {"next": call.url("next")} if again else {"action": call.url("instructions")}
    return call.page("instructions", task=call.study.task, practice=len(here.practice), again=again, **way)


def instructed(call: Call) -> Response:
    """They were read."""
    if not call.elsewhere("instructions"):
        flow.instructed(call.study, call.served.store, call.rater.id)
    return onward(call)


def quiz(call: Call) -> Response:
    """Questions on the instructions."""
    if call.elsewhere("quiz"):
        return onward(call)
    questions, _ = _quiz(call)
    return call.page("quiz", action=call.url("quiz"), questions=questions, task=call.study.task)


def quizzed(call: Call) -> Response:
    """Their answers: all right, or a try less."""
    pages = call.served.site.pages
    if call.elsewhere("quiz"):
        return onward(call)
    questions, right = _quiz(call)
    again = {"action": call.url("quiz"), "questions": questions, "task": call.study.task, "kept": call.form}
    try:
        given = pages.parse_choices(call.form, questions)
    except pages.AnswerError as error:
        return call.page("quiz", 422, **again, errors=error.messages(call.served.text(call.study)))
    wrong = pages.wrong_answers(given, right)
    flow.quizzed(call.study, call.served.store, call.rater.id, given, not wrong)
    here = call.here()
    if not wrong or here.rater.ended or step(call.study, here).name != "quiz":
        return onward(call)
    tries_left = call.study.settings.quiz_tries - here.rater.quiz_tries
    return call.page("quiz", 422, **again, wrong=wrong, tries_left=tries_left)


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


def _short(number: float) -> float | int:
    return int(number) if number == int(number) else number
