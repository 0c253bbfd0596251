"""Items and practice items: their pages, and the answers to them."""

import json
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, RedirectResponse, Response

from tealeaves.human.app import flow, security
from tealeaves.human.app.calls import Call, gone, iso, onward, path_of
from tealeaves.human.app.progress import Progress, fits, step
from tealeaves.human.app.security import TooMuch

if TYPE_CHECKING:
    from sqlalchemy import Row

    from tealeaves.human.items import Item
    from tealeaves.human.study import Study

AHEAD = 3  # pages of items a browser may fetch early
KEY = 64  # letters of an idempotency key


def practice(call: Call, n: int) -> Response:
    """A practice item; once it is answered, what would have been right."""
    here = call.came()
    row = _row(call, here, "practice", n)
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
    here = call.came()
    at = step(call.study, here)
    if here.rater.ended or at.name in ("screening", "instructions", "practice", "quiz"):
        return onward(call)
    row = _row(call, here, "items", n)
    if row is None:
        return call.not_found()
    return call.page("item", **_question(call, here, row))


def answered(call: Call, n: int) -> Response:
    """The answer to an item."""
    return _save(call, "items", n)


def _row(call: Call, here: Progress, series: str, n: int) -> "Row[Any] | None":
    """The assignment at a place of a series, if its item is still there."""
    row = here.at(series, n)
    return row if row is not None and fits(call.study, row) else None


def item_of(call: Call, row: "Row[Any]") -> "Item":
    return call.study.items.by_id[row.item]


def _question(
    call: Call, here: Progress, row: "Row[Any]", form: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What the page of an item or a practice item wants."""
    pages, study = call.served.site.pages, call.study
    one, drawn = item_of(call, row), json.loads(row.order)
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
        "saved_at": None if saved is None else iso(saved),
        "back": call.url(f"item/{places[rank - 2]}") if rank > 1 else None,
        "pause": call.url("pause"),
        "ahead": [call.url(f"item/{place}") for place in places[rank : rank + AHEAD]],
    }


def _practice(here: Progress, row: "Row[Any]") -> dict[str, int]:
    return {"number": [other.id for other in here.practice].index(row.id) + 1, "of": len(here.practice)}


def _feedback(call: Call, here: Progress, row: "Row[Any]") -> Response:
    one = item_of(call, row)
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
    here = call.came()
    row = _row(call, here, series, n)
    if row is None or not security.same(call.form.get("assignment", ""), _assignment(study, row)):
        return gone(call, here)  # lost, another's, or never there
    key = call.form.get("idempotency", "")[:KEY]
    if not key:
        raise TooMuch(400, "bad")
    one, drawn = item_of(call, row), json.loads(row.order)
    try:
        value = pages.TASKS[one.task].parse(call.form, one, drawn, study.settings.familiarity)
    except pages.AnswerError as error:
        errors = error.messages(call.served.text(study))
        if call.wants_json:
            return JSONResponse({"saved": False, "errors": errors}, 422)
        name = "practice" if series == "practice" else "item"
        return call.page(name, 422, **_question(call, here, row, call.form), errors=errors)
    try:
        saved = flow.save(study, store, here.rater.id, row.id, key, value, _seconds(study, row, call.form))
    except flow.Refused:
        return gone(call, call.here())
    except flow.TooFast:
        raise TooMuch(429, "too-many") from None
    if series == "practice" and not call.wants_json:
        return call.to(f"practice/{n}")
    url = call.url(path_of(study, here, row.id))
    if call.wants_json:
        return JSONResponse({"saved": True, "next": url, "saved_at": iso(saved.at)})
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
