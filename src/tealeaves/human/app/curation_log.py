"""Logs of curators in the database of a study: read, and added to."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import func, select

from tealeaves.errors import InputError
from tealeaves.human.app import flow, sessions
from tealeaves.human.app.tables import events, raters
from tealeaves.human.curation import Curation
from tealeaves.human.curation_events import TASK

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study

KIND = "curation"
STEPS_A_MINUTE = 600  # of one curator; an outbox that comes back to the network sends many at once
Steps = Callable[[Curation], Sequence[Mapping[str, Any]]]


class Taken(NamedTuple):
    """Steps on disk: the log with them, and when they were committed."""

    curation: Curation
    at: float


def name_of(number: int) -> str:
    """What a curator is called."""
    return f"R-{number:03d}"


def read(study: "Study", store: "Store", connection: "Connection", rater_id: int, number: int) -> Curation:
    """The log of one curator."""
    rows = _rows(store, connection, rater_id)
    return Curation.of_checked(study.items.by_id, [event for _, event in rows], name_of(number))


def take(study: "Study", store: "Store", rater_id: int, key: str, steps: Steps) -> Taken:
    """Add steps to a curator's log, all or none. When this returns, they are on disk.

    Parameters
    ----------
    study, store
        Where.
    rater_id : int
        Whose log.
    key : str
        Of the request: what comes again under the same key is there already.
    steps : callable
        From the log as it is now, the events to be added.

    Raises
    ------
    Refused
        Of `tealeaves.human.curation`, if a step is not possible; of `flow`, if the curator has ended.
    TooFast
        If more comes than anybody can do.
    """
    now = time.time()
    with store.writing() as connection:
        store.lock_rater(connection, rater_id)
        rater = connection.execute(select(raters).where(raters.c.id == rater_id)).one()
        rows = _rows(store, connection, rater_id)
        known = [event for _, event in rows]
        curation = Curation.of_checked(study.items.by_id, known, name_of(rater.number))
        if any(one == key for one, _ in rows):
            return Taken(curation, now)
        if rater.ended is not None or flow.late(study, rater, now) is not None:
            raise flow.Refused
        if _of_last_minute(connection, rater_id, now) >= STEPS_A_MINUTE:
            raise flow.TooFast
        curation = curation.do(*steps(curation))
        for event in curation.events[len(rows) :]:
            store.note(connection, KIND, {"key": key, "event": event}, rater_id)
        sessions.prolong(study, connection, rater, now)
    return Taken(curation, now)


def curations(study: "Study", store: "Store", *, draft: bool = False) -> dict[str, Curation]:
    """The logs of all curators who have done something, by name.

    Parameters
    ----------
    draft : bool
        Those who tried the study out while it was a draft, instead of the others.

    Raises
    ------
    InputError
        If the study is of another task.
    """
    if study.task != TASK:
        raise InputError(f"{study.folder}: asks {study.task}, but reference topics come of {TASK}")
    phase = raters.c.phase == "draft" if draft else raters.c.phase != "draft"
    with store.reading() as connection:
        found = connection.execute(
            select(raters.c.id, raters.c.number)
            .where(raters.c.study_id == store.study_id, phase)
            .order_by(raters.c.number)
        ).all()
        logs = [read(study, store, connection, row.id, row.number) for row in found]
    return {log.curator: log for log in logs if log.events}


def progress(study: "Study", store: "Store") -> list[dict[str, Any]]:
    """How far each curator is, as plain numbers."""
    logs = curations(study, store, draft=study.phase == "draft").values()
    return [
        {
            "curator": log.curator,
            "reference_topics": len(log.state.topics),
            "done": len(log.state.done),
            "topics": len(log.items),
            "judged": len(log.state.judgements),
            "steps": len(log.events),
        }
        for log in logs
    ]


def _rows(store: "Store", connection: "Connection", rater_id: int) -> list[tuple[str, dict[str, Any]]]:
    """The key and the event of each row, in the order they were committed."""
    found = connection.execute(
        select(events.c.value)
        .where(events.c.study_id == store.study_id, events.c.rater_id == rater_id, events.c.kind == KIND)
        .order_by(events.c.id)
    ).scalars()
    return [(row["key"], row["event"]) for row in map(json.loads, found)]


def _of_last_minute(connection: "Connection", rater_id: int, now: float) -> int:
    n = connection.execute(
        select(func.count())
        .select_from(events)
        .where(events.c.rater_id == rater_id, events.c.kind == KIND, events.c.at > now - 60)
    ).scalar()
    return int(n or 0)
