"""What changes at each step of a rater, from consent to thanks; `progress` says which step he is at.

What decides is in the database alone, so any worker can answer any request, and every step may come twice.
"""

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Row, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from tealeaves.human.app import assignment as places
from tealeaves.human.app import replacing, security, sessions
from tealeaves.human.app.progress import RATER, Progress, progress, step
from tealeaves.human.app.store import dump
from tealeaves.human.app.tables import answers, assignments, raters

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study

ANSWERS_A_MINUTE = 120  # of one rater; an outbox that comes back to the network sends many at once

# What every answer asks, made once: to make a statement costs more than to run it.
_ASSIGNMENT = select(assignments).where(
    assignments.c.id == bindparam("assignment"), assignments.c.rater_id == bindparam("rater")
)
_ANSWERS = (
    select(answers).where(answers.c.assignment_id == bindparam("assignment")).order_by(answers.c.revision)
)
_SINCE = (
    select(func.count())
    .select_from(answers.join(assignments, assignments.c.id == answers.c.assignment_id))
    .where(assignments.c.rater_id == bindparam("rater"), answers.c.saved_at > bindparam("then"))
)
_DONE = (
    update(assignments)
    .where(assignments.c.id == bindparam("assignment"), assignments.c.state != "returned")
    .values(state="done", done_at=bindparam("at"))
)
_ADD = insert(answers)


class Refused(Exception):
    """An answer is not taken: the item is not the rater's, or was given to another in the meantime."""


class TakesPart(Exception):
    """Whoever has this id of the platform takes part already, and this is another browser."""


class TooFast(Exception):
    """A rater saves more answers than anybody can give."""


def settle(study: "Study", store: "Store", now: float | None = None) -> int:
    """End raters who cannot come back: their session or time has run out, or the study is closed.

    Answers of those who wanted them deleted if they stop are deleted: call it before answers are exported.
    Returns how many raters ended.
    """
    now = time.time() if now is None else now
    with store.reading() as connection:
        at_work = connection.execute(
            select(raters).where(
                raters.c.study_id == store.study_id, raters.c.phase != "draft", raters.c.ended.is_(None)
            )
        ).all()
    gone = [rater.id for rater in at_work if late(study, rater, now)]
    for rater_id in gone:
        with store.writing() as connection:
            store.lock_rater(connection, rater_id)
            here = progress(connection, rater_id)
            how = late(study, here.rater, now)
            if here.rater.ended or how is None:  # he has come back in the meantime
                continue
            if step(study, here).name == "thanks" and not here.lost:
                how = "completed"  # he has only not looked at the last page
            erase = how == "timed_out" and here.rater.stop == "delete"
            places.end(store, connection, rater_id, how, now, erase=erase)
    if gone:
        store.scrub()
    replacing.judge_ended(study, store)
    return len(gone)


def late(study: "Study", rater: Row[Any], now: float) -> str | None:
    """Why a rater who has not ended has come to an end by now; None: he has not."""
    limit = study.settings.time_limit_minutes
    if study.state == "closed":
        return "closed"
    if limit is not None and now > began(rater, now) + 60 * limit:
        return "timed_out"
    if now > rater.seen_at + 3600 * study.settings.session_hours:
        return "timed_out"
    return None


def began(rater: Row[Any], now: float) -> float:
    """When a rater's time began: with his items, for which he may have had to wait."""
    return float(rater.placed_at or (now if rater.screened_at else rater.created_at))


def arrive(study: "Study", store: "Store", rater_id: int, here: Progress | None = None) -> Progress:
    """Where a rater is who opens a page. Only what time has changed is written: an end, or places lost.

    ``here`` is what was read of him in this moment; it is read again before anything is written.
    """
    now = time.time()
    if here is None:
        with store.reading() as connection:
            here = progress(connection, rater_id)
    rater = here.rater
    if rater.ended:
        return here
    how = late(study, rater, now)
    lapsed = _lapsed(here, now)
    at = step(study, here).name
    finished = at == "thanks" and not lapsed
    if how is None and not lapsed and not finished and at != "wait":
        return here
    if at == "wait":  # what a server that was killed left undecided nobody waits for
        replacing.judge_ended(study, store)
    with store.writing() as connection:
        store.lock_rater(connection, rater_id)
        here = progress(connection, rater_id)
        if here.rater.ended:
            return here
        if how is None and step(study, here).name == "wait":
            _first_places(study, store, connection, rater_id, now)
            return progress(connection, rater_id)
        how = how or _places_again(study, store, connection, here, now)
        here = progress(connection, rater_id)
        if how is None and step(study, here).name == "thanks":
            how = "completed"
        if how is not None:
            erase = how == "timed_out" and here.rater.stop == "delete"
            places.end(store, connection, rater_id, how, now, erase=erase)
            here = progress(connection, rater_id)
    if how is not None:
        replacing.judge_ended(study, store, [rater_id])
    return here


def consent(
    study: "Study",
    store: "Store",
    platform: Mapping[str, str] | None,
    stop: str,
    browser: str | None = None,
) -> tuple[int, str]:
    """Write a new rater down and begin a session: his row's id and the cookie.

    Who came with the same platform id before, in another tab or at the same moment, is the same rater; and
    where there is no platform, who sends the form of one browser twice.

    Raises
    ------
    TakesPart
        If the platform's id is known, but this is not the session of the platform with which it came first.
    """
    mark = None if browser is None else security.seal(study.secret, "browser", browser)
    if platform:
        mark = sessions.fingerprint(study, platform)
    try:
        return _consent(study, store, platform, stop, mark)
    except IntegrityError:  # the other tab was quicker
        return _consent(study, store, platform, stop, mark)


def _consent(
    study: "Study", store: "Store", platform: Mapping[str, str] | None, stop: str, mark: str | None
) -> tuple[int, str]:
    now = time.time()
    with store.writing() as connection:
        store.lock(connection)
        if study.phase != "draft":
            places.throw_away_draft(store, connection)
        rater_id = sessions.known(study, store, connection, mark) if mark else None
        visit = sessions.visit(study, platform) if platform else None
        if rater_id is not None:
            if platform and not sessions.is_same(connection, rater_id, visit):
                raise TakesPart
            return rater_id, sessions.begin(study, connection, rater_id)
        last = select(func.max(raters.c.number)).where(raters.c.study_id == store.study_id)
        number = int(connection.execute(last).scalar() or 0) + 1
        row = {
            "study_id": store.study_id,
            "number": number,
            "phase": study.phase,
            "fingerprint": mark,
            "visit": visit,
            "resume_hash": security.hashed(sessions.resume_token(study, number)),
            "stop": stop,
            "created_at": now,
            "seen_at": now,
            "quiz_tries": 0,
            "lease_until": now + 60 * study.settings.lease_minutes,
        }
        rater_id = int(connection.execute(insert(raters).values(row).returning(raters.c.id)).scalar_one())
        if platform:
            sessions.remember_platform(study, connection, rater_id, platform)
        if not study.settings.screening:
            _first_places(study, store, connection, rater_id, now)
        return rater_id, sessions.begin(study, connection, rater_id)


def screened(study: "Study", store: "Store", rater_id: int, given: Mapping[str, int]) -> None:
    """The answers to the screening: in, with items laid out, or screened out."""
    now = time.time()
    with store.writing() as connection:
        rater = _changing(study, store, connection, rater_id, now)
        if rater is None or rater.screened_at is not None:
            return
        store.note(connection, "screening", dict(given), rater_id)
        connection.execute(update(raters).where(raters.c.id == rater_id).values(screened_at=now))
        fits = all(given[f"s{i}"] in q["accept"] for i, q in enumerate(study.settings.screening, start=1))
        if not fits:
            places.end(store, connection, rater_id, "screened_out", now, erase=False)
        else:
            _first_places(study, store, connection, rater_id, now)


def instructed(study: "Study", store: "Store", rater_id: int) -> None:
    """The rater has read the instructions."""
    now = time.time()
    with store.writing() as connection:
        rater = _changing(study, store, connection, rater_id, now)
        if rater is not None and rater.instructed_at is None:
            connection.execute(update(raters).where(raters.c.id == rater_id).values(instructed_at=now))


def quizzed(study: "Study", store: "Store", rater_id: int, given: Mapping[str, int], right: bool) -> None:
    """The answers to the quiz: passed, one try less, or the end."""
    now = time.time()
    with store.writing() as connection:
        rater = _changing(study, store, connection, rater_id, now)
        if rater is None or rater.quiz_at is not None:
            return
        store.note(connection, "quiz", {"given": dict(given), "right": right}, rater_id)
        tries = rater.quiz_tries + 1
        values: dict[str, Any] = {"quiz_tries": tries, "quiz_at": now if right else None}
        connection.execute(update(raters).where(raters.c.id == rater_id).values(values))
        if not right and tries >= study.settings.quiz_tries:
            places.end(store, connection, rater_id, "quiz", now, erase=False)


def withdraw(study: "Study", store: "Store", rater_id: int, stop: str) -> None:
    """The rater stops, and his answers are kept or deleted as he says."""
    now = time.time()
    with store.writing() as connection:
        store.lock_rater(connection, rater_id)
        rater = connection.execute(RATER, {"rater": rater_id}).one()
        if rater.ended is None:
            places.end(store, connection, rater_id, "withdrew", now, erase=stop == "delete")
    if stop == "delete":
        store.scrub()
    else:
        replacing.judge_ended(study, store, [rater_id])


def remark(study: "Study", store: "Store", rater_id: int, text: str) -> None:
    """What the rater wants to tell, once."""
    with store.writing() as connection:
        store.note(connection, "remark", text, rater_id)


class Saved(NamedTuple):
    """An answer on disk: its revision, when it was committed, and whether it had been there already."""

    revision: int
    at: float
    repeated: bool


def save(
    study: "Study",
    store: "Store",
    rater_id: int,
    assignment_id: int,
    key: str,
    value: Mapping[str, Any],
    seconds: float | None,
) -> Saved:
    """Save an answer. When this returns, it is on disk; the same answer of the same page is saved once.

    Parameters
    ----------
    study, store
        Where.
    rater_id, assignment_id : int
        Whose answer to what.
    key : str
        The page's idempotency key. The newest answer under it with the same value is the same answer.
    value : dict
        The answer.
    seconds : float or None
        How long the page could be seen.

    Raises
    ------
    Refused
        If the rater has ended, or the item was given to another in the meantime.
    TooFast
        If the rater has saved more in the last minute than anybody can.
    """
    now = time.time()
    text = dump(value)
    with store.writing() as connection:
        store.lock_rater(connection, rater_id)
        row = connection.execute(_ASSIGNMENT, {"assignment": assignment_id, "rater": rater_id}).first()
        if row is None:
            raise Refused
        before = connection.execute(_ANSWERS, {"assignment": assignment_id}).all()
        same_page = max((one for one in before if one.key == key), key=lambda one: one.change, default=None)
        if same_page is not None and same_page.value == text:
            return Saved(same_page.revision, same_page.saved_at, True)
        rater = connection.execute(RATER, {"rater": rater_id}).one()
        if rater.ended is not None or late(study, rater, now) is not None:
            raise Refused
        last = connection.execute(_SINCE, {"rater": rater_id, "then": now - 60}).scalar_one()
        if last >= ANSWERS_A_MINUTE:
            raise TooFast
        if row.state == "returned" and not places.take_back(study, store, connection, row):
            raise Refused
        done = {"assignment": assignment_id, "at": row.done_at or now}
        if connection.execute(_DONE, done).rowcount != 1:  # others may return lapsed items at this moment
            raise Refused
        revision = 1 + max((one.revision for one in before), default=0)
        change = 0 if same_page is None else same_page.change + 1
        new = {"assignment_id": assignment_id, "revision": revision, "key": key, "change": change}
        connection.execute(_ADD, new | {"value": text, "seconds": seconds, "saved_at": now})
        sessions.prolong(study, connection, rater, now)
    return Saved(revision, now, False)


def latest(connection: "Connection", assignment_id: int) -> Any:
    """The value of the answer that counts; None where there is none."""
    found = connection.execute(_ANSWERS, {"assignment": assignment_id}).all()
    return json.loads(found[-1].value) if found else None


def _lapsed(here: Progress, now: float) -> bool:
    """Whether the rater's open items may be, or have been, given to others."""
    rater = here.rater
    unfinished = here.lost > 0 or here.done < here.total
    return rater.placed_at is not None and rater.lease_until < now and unfinished


def _changing(
    study: "Study", store: "Store", connection: "Connection", rater_id: int, now: float
) -> Row[Any] | None:
    """The rater's row, locked and prolonged; None if he has ended."""
    store.lock_rater(connection, rater_id)
    rater = connection.execute(RATER, {"rater": rater_id}).one()
    if rater.ended is not None or late(study, rater, now) is not None:
        return None
    sessions.prolong(study, connection, rater, now)
    return rater


def _first_places(
    study: "Study", store: "Store", connection: "Connection", rater_id: int, now: float
) -> None:
    """Places for a rater who has none yet. He waits while others only hold them; else the study is full.

    A platform hands out places itself and pays by the code of an end: there nobody waits.
    """
    rater = connection.execute(RATER, {"rater": rater_id}).one()
    if places.place(study, store, connection, rater, now):
        return
    if study.settings.platform or places.opens(study, store, connection, rater, now) is None:
        places.end(store, connection, rater_id, "full", now, erase=False)


def opens(study: "Study", store: "Store", rater: Row[Any]) -> float | None:
    """When a place may come back for a rater who waits for one; None if that is not known."""
    with store.reading() as connection:
        return places.opens(study, store, connection, rater, time.time())


def _places_again(
    study: "Study", store: "Store", connection: "Connection", here: Progress, now: float
) -> str | None:
    """Places for a rater whose lease has run out; how he ends if there are none any more."""
    if not _lapsed(here, now):
        return None
    if places.place(study, store, connection, here.rater, now) == 0:
        return "timed_out"
    after = progress(connection, here.rater.id)
    return "timed_out" if after.lost and after.done == after.total else None
