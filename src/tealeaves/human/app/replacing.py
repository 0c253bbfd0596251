"""Raters whom the study's rules leave out, so that others get their places: judged once, when they end.

Only a live study, in which the rules are frozen, and only where ``replace_excluded`` is set. What is found is
an event of the rater; `assignment` counts no place of those whose event is ``REPLACED``.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, select

from tealeaves.human.app.progress import RATER
from tealeaves.human.app.tables import COUNTED, REPLACED, answers, assignments, events, raters

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study


def judge_ended(study: "Study", store: "Store", rater_ids: Iterable[int] | None = None) -> int:
    """Judge raters who have ended and were not judged yet, by default all there are; how many were left out.

    It is done after the end itself, as it takes longer than anybody who wants to write should wait.
    """
    with store.reading() as connection:
        ended = undecided(study, store, connection, rater_ids)
    return sum(_judge(study, store, rater_id) for rater_id in ended)


def undecided(
    study: "Study", store: "Store", connection: "Connection", rater_ids: Iterable[int] | None = None
) -> Sequence[int]:
    """Raters who have ended and were not judged yet; none where no place is given out again."""
    if not study.settings.replace_excluded or study.phase != "live":
        return []
    judged = select(events.c.rater_id).where(
        events.c.study_id == store.study_id, events.c.kind.in_((COUNTED, REPLACED))
    )
    found = select(raters.c.id).where(
        raters.c.study_id == store.study_id,
        raters.c.phase == "live",
        raters.c.ended.is_not(None),
        raters.c.erased_at.is_(None),
        raters.c.placed_at.is_not(None),
        raters.c.id.not_in(judged),
    )
    if rater_ids is not None:
        found = found.where(raters.c.id.in_(list(rater_ids)))
    return connection.execute(found.order_by(raters.c.id)).scalars().all()


def _judge(study: "Study", store: "Store", rater_id: int) -> bool:
    """Whether the rules leave the rater out, which is written down."""
    broken = _broken(study, store, rater_id)
    with store.writing() as connection:
        store.lock_rater(connection, rater_id)
        rater = connection.execute(RATER, {"rater": rater_id}).one()
        mine = select(events.c.id).where(
            events.c.rater_id == rater_id, events.c.kind.in_((COUNTED, REPLACED))
        )
        if rater.erased_at is not None or connection.execute(mine).first() is not None:
            return False
        store.note(connection, REPLACED if broken else COUNTED, list(broken), rater_id)
    return bool(broken)


def _broken(study: "Study", store: "Store", rater_id: int) -> tuple[str, ...]:
    """The rules that the rater breaks, by the same numbers as the scores."""
    from tealeaves.human.app.organiser_data import answer_row, pseudonym
    from tealeaves.human.app.organiser_quality import judge

    items = study.items.by_id
    last: dict[str, Row[Any]] = {}
    with store.reading() as connection:
        saved = connection.execute(
            select(answers, assignments.c.item, assignments.c.order, raters.c.number, raters.c.phase)
            .join(assignments, assignments.c.id == answers.c.assignment_id)
            .join(raters, raters.c.id == assignments.c.rater_id)
            .where(assignments.c.rater_id == rater_id)
            .order_by(answers.c.id)
        ).all()
    for row in saved:
        last[row.item] = row
    if not last:
        return ()
    name = pseudonym(saved[0].number)
    rows = [answer_row(study, items[item], row) for item, row in last.items() if item in items]
    found = judge(rows, [{"rater": name, "state": "ended"}], study.settings.rules, study.items)
    return found[0].excluded
