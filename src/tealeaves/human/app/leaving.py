"""Breaks, pauses, and every way of coming to an end."""

from starlette.responses import Response

from tealeaves.human.app import flow, sessions
from tealeaves.human.app.calls import Call, onward, stay, way_back
from tealeaves.human.app.organiser_data import pseudonym
from tealeaves.human.app.progress import ENDED, fits, step

REMARK = 2000  # letters


def rest(call: Call) -> Response:
    """A break; it is over when the rater opens the next item."""
    here = call.came()
    if step(call.study, here).name != "break":
        return onward(call)
    following = next(row for row in here.items if row.state != "done" and fits(call.study, row))
    return call.page("break", done=here.done, total=here.total, next=call.url(f"item/{following.position}"))


def pause(call: Call) -> Response:
    """How to come back later."""
    here = call.came()
    if here.rater.ended:
        return onward(call)
    token = sessions.resume_token(call.study, here.rater.number)
    link = f"{call.served.site.origin(call.request)}{call.url(f'resume/{token}')}"
    return call.page("paused", **stay(call, here), resume=link, pseudonym=pseudonym(here.rater.number))


def leave(call: Call) -> Response:
    """Whether to stop, and what becomes of the answers."""
    here = call.came()
    if here.rater.ended:
        return onward(call)
    return call.page(
        "withdraw",
        action=call.url("withdraw"),
        done=here.done,
        next=call.url("next"),
        kept={"stop": here.rater.stop},
        pseudonym=pseudonym(here.rater.number),
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
    here = call.came()
    if not here.rater.ended:
        return onward(call)
    name, code = ENDED[here.rater.ended]
    way = {**way_back(call.study, code), "pseudonym": pseudonym(here.rater.number)}
    if name == "thanks":
        sent = "sent" in call.request.query_params
        return call.page("thanks", total=here.total, action=call.url("thanks"), remark_sent=sent, **way)
    kept = here.rater.erased_at is None if name in ("ended-withdrew", "ended-timeout") else None
    return call.page(name, kept_answers=kept, **way)


def thanks(call: Call) -> Response:
    """A remark at the end."""
    here = call.came()
    text = call.form.get("remark", "").strip()[:REMARK]
    if here.rater.ended == "completed" and text:
        flow.remark(call.study, call.served.store, here.rater.id, text)
        return call.to("thanks?sent=1")
    return onward(call)
