"""What an organiser does to a study: each is one step that is on disk before it is said to be done."""

import hashlib
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from tealeaves.errors import InputError
from tealeaves.human.app import tables
from tealeaves.human.app.assignment import end, throw_away_draft
from tealeaves.human.app.flow import settle
from tealeaves.human.app.organiser_data import pseudonym
from tealeaves.human.app.organiser_quality import RULES, rules_of
from tealeaves.human.app.security import hashed, new_token
from tealeaves.human.app.store import dump

if TYPE_CHECKING:
    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study


def move(study: "Study", store: "Store", state: str) -> "Study":
    """Take a study on to another state.

    What was tried out in the draft is thrown away; what is closed is settled: whoever wanted answers deleted
    on stopping has them deleted.
    """
    was_draft = study.state == "draft"
    moved = study.move(state)
    if was_draft and state != "draft":
        with store.writing() as connection:
            throw_away_draft(store, connection)
    if state == "closed":
        settle(moved, store)
    return moved


def set_rules(study: "Study", given: Mapping[str, str]) -> "Study":
    """Take the rules of a form, before they are frozen; 0 or nothing is no rule.

    Raises
    ------
    InputError
        If a number is none, or the study is frozen.
    """
    rules = {name: x for name, x in study.settings.rules.items() if name not in RULES}
    for name in RULES:
        written = given.get(name, "").strip().replace(",", ".")
        try:
            value = float(written) if written else 0.0
        except ValueError:
            raise InputError(f"the rule {name} must be a number; got {written!r}") from None
        if value:
            rules[name] = value
    rules_of(rules)
    return study.change(rules=rules)


def look(store: "Store", show: bool) -> None:
    """Write down that results were opened before the end, or hidden again."""
    row = {"study_id": store.study_id, "kind": "results", "value": dump({"show": show}), "at": time.time()}
    with store.writing() as connection:
        connection.execute(insert(tables.rules).values(row))


def exports(study: "Study", store: "Store", names: Iterable[str]) -> None:
    """Write down that answers leave a live study: whoever has them can score them.

    A pilot's are no results of the study, and after the end there is nothing to hide.
    """
    if study.state == "closed" or study.phase != "live" or not any(n.startswith("answers.") for n in names):
        return
    a, s = tables.assignments, tables.answers
    with store.writing() as connection:
        there = connection.execute(
            select(s.c.id)
            .join(a, a.c.id == s.c.assignment_id)
            .where(a.c.study_id == store.study_id, a.c.phase == "live")
            .limit(1)
        ).first()
        if there is not None:
            value = dump({"show": False, "how": "exported"})
            row = {"study_id": store.study_id, "kind": "results", "value": value, "at": time.time()}
            connection.execute(insert(tables.rules).values(row))


def erase(store: "Store", name: str, answers: bool) -> bool:
    """Delete what links a rater to a person, and the answers, too, if that is wanted.

    The number of the platform goes, its keyed hash, the link to come back, all sessions, and what the rater
    told besides: remarks, and the answers to screening and quiz. Names and labels that were typed as answers
    stay where answers do. Returns whether there is such a rater.
    """
    t = tables.raters
    with store.writing() as connection:
        found = connection.execute(
            select(t).where(t.c.study_id == store.study_id, t.c.phase != "draft")
        ).all()
        row = next((row for row in found if pseudonym(row.number) == name), None)
        if row is None:
            return False
        now = time.time()
        if answers or row.ended is None:
            end(store, connection, row.id, row.ended or "withdrew", row.ended_at or now, erase=answers)
        for table in (tables.platform_ids, tables.sessions):
            connection.execute(delete(table).where(table.c.rater_id == row.id))
        e = tables.events
        connection.execute(delete(e).where(e.c.rater_id == row.id, e.c.kind.in_(tables.TOLD)))
        unlinked = {"fingerprint": None, "visit": None, "resume_hash": hashed(new_token())}
        connection.execute(update(t).where(t.c.id == row.id).values(unlinked))
        store.note(connection, "erased", {"answers": answers}, row.id)
    store.scrub()
    return True


def sign_out(store: "Store", session: str) -> None:
    """Make a session of the organiser worth nothing, whoever has its cookie."""
    with store.writing() as connection:
        store.note(connection, "organiser_out", _mark(session))


def is_signed_out(store: "Store", session: str) -> bool:
    """Whether somebody has signed out of this session."""
    e = tables.events
    with store.reading() as connection:
        found = connection.execute(
            select(e.c.id).where(
                e.c.study_id == store.study_id, e.c.kind == "organiser_out", e.c.value == dump(_mark(session))
            )
        ).first()
    return found is not None


def platform_numbers(store: "Store") -> list[dict[str, str]]:
    """Pseudonyms with the platform's numbers, for payment: to be kept apart from every answer."""
    t, p = tables.raters, tables.platform_ids
    with store.reading() as connection:
        rows = connection.execute(
            select(t.c.number, t.c.phase, t.c.ended, p.c.platform, p.c.external, p.c.details)
            .join(p, p.c.rater_id == t.c.id)
            .where(t.c.study_id == store.study_id, t.c.phase != "draft")
            .order_by(t.c.phase, t.c.number)
        ).all()
    return [
        {
            "rater": pseudonym(row.number),
            "state": row.ended or "",
            "platform": row.platform,
            "number": row.external,
            "details": row.details,
        }
        for row in rows
    ]


def _mark(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()
