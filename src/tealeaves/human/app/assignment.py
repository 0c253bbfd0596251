"""Who gets which items: quotas that hold whoever comes at once; `serving` says which they are.

A rater gets all items at once, and they are his while he goes on answering. Open items of one who stays away
longer than the lease go to others. Every change of places happens behind one lock of the study.
"""

import json
import math
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, and_, delete, func, insert, or_, select, update

from tealeaves.human.app import replacing, security
from tealeaves.human.app.tables import REPLACED, assignments, events, platform_ids, raters, sessions
from tealeaves.human.curation_events import TASK as CURATION
from tealeaves.human.serving import choose, extras, turn

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from tealeaves.human.app.store import Store
    from tealeaves.human.items import Item
    from tealeaves.human.study import Study


def place(study: "Study", store: "Store", connection: "Connection", rater: Row[Any], now: float) -> int:
    """Lay out items for a rater: at the start, and again when he comes back after his lease.

    Returns how many items he has now, answered ones included; 0 if the study is full for him.
    """
    store.lock(connection)
    _return_lapsed(store, connection, rater, now)
    own = {
        row.item: row
        for row in connection.execute(select(assignments).where(assignments.c.rater_id == rater.id)).all()
    }
    holds = rater.placed_at is not None and rater.lease_until >= now  # else others may have come meanwhile
    most = _most(study, rater.phase)
    if most is not None and not holds and _begun(store, connection, rater.phase, now) >= most:
        return 0
    if study.task == CURATION:  # all of the set is before every curator, and nothing is handed out
        until = now + 3600 * study.settings.session_hours
        values = {"placed_at": rater.placed_at or now, "lease_until": until}
        connection.execute(update(raters).where(raters.c.id == rater.id).values(values))
        return len(study.items)
    quota = study.settings.answers_per_item
    taken = _taken(store, connection, rater.phase)
    by_id = study.items.by_id
    back = [
        r.id for r in own.values() if r.state == "returned" and (r.role != "item" or taken[r.item] < quota)
    ]
    mine = [r for r in own.values() if r.role == "item"]
    kept = [r for r in mine if r.state != "returned" or r.id in back]
    first = rater.placed_at is None
    added = extras(study.items, study.settings) if first else []
    seen = [by_id[name] for name in own if name in by_id]
    seen += [item for item in added if item.role != "practice"]
    chosen, longest = _chosen(study, rater, taken, seen, None if first else len(mine) - len(kept))
    n = len(kept) + len(chosen)
    answered = sum(r.state == "done" for r in kept)
    if n < (1 if answered else min(study.settings.fewest_items, longest)):
        return 0
    if back:
        connection.execute(
            update(assignments).where(assignments.c.id.in_(back)).values(state="open", given_at=now)
        )
    _lay_out(study, connection, rater, chosen, added, own.values(), now)
    values = {"placed_at": rater.placed_at or now, "lease_until": now + 60 * study.settings.lease_minutes}
    connection.execute(update(raters).where(raters.c.id == rater.id).values(values))
    return n


def opens(
    study: "Study", store: "Store", connection: "Connection", rater: Row[Any], now: float
) -> float | None:
    """When a place may come back for a rater who has none: as the first lease of others runs out.

    None if the study is full for good: answered, or by raters who have finished. Those of whom the rules have
    still to say whether they count keep it open, too: that takes a moment.
    """
    undecided = replacing.undecided(study, store, connection)
    at_work = [
        raters.c.study_id == store.study_id,
        raters.c.phase == rater.phase,
        raters.c.placed_at.is_not(None),
        raters.c.ended.is_(None),
        raters.c.lease_until >= now,
    ]
    first = connection.execute(select(func.min(raters.c.lease_until)).where(*at_work)).scalar()
    if undecided and rater.phase == "live":
        first = now
    if first is None:
        return None
    most = _most(study, rater.phase)
    if most is not None and _begun(store, connection, rater.phase, math.inf, undecided) >= most:
        return None
    # Who is at work may still be left out by the rules, and then what he has answered comes back, too.
    ended = study.settings.replace_excluded
    answered = _taken(store, connection, rater.phase, ("done",), ended=ended, without=undecided)
    seen = [item for item in extras(study.items, study.settings) if item.role != "practice"]
    left, longest = _chosen(study, rater, answered, seen, None)
    return float(first) if len(left) >= max(1, min(study.settings.fewest_items, longest)) else None


def _most(study: "Study", phase: str) -> int | None:
    """How many raters may begin; None: as many as come."""
    return {"live": study.settings.max_raters, "pilot": study.settings.pilot_raters}.get(phase)


def _chosen(
    study: "Study", rater: Row[Any], taken: Mapping[str, int], seen: Sequence["Item"], n: int | None
) -> tuple[list["Item"], int]:
    """New items of a rater, n of them or as many as the study plans, and how many anybody gets at most."""
    settings = study.settings
    quota, each = settings.answers_per_item, settings.items_per_rater
    counted = [item for item in study.items if item.role == "item"]
    longest = turn(counted, {}, quota, each).n
    now = turn(counted, taken, quota, each)
    draw = random.Random(security.seal(study.secret, "draw", rater.number))
    lots = {item.id: draw.random() for item in study.items}
    known = {item.id for item in seen}
    free = [item for item in counted if item.id not in known and taken.get(item.id, 0) < quota]
    most = min(now.n, longest) if n is None else n
    return choose(free, most, taken, seen, lambda item: lots[item.id], now.pressing), longest


def take_back(study: "Study", store: "Store", connection: "Connection", assignment: Row[Any]) -> bool:
    """Give a rater an item again that was returned, if there is still a place; whether there was."""
    store.lock(connection)
    if assignment.role == "item":
        taken = _taken(store, connection, assignment.phase)
        if taken[assignment.item] >= study.settings.answers_per_item:
            return False
    connection.execute(update(assignments).where(assignments.c.id == assignment.id).values(state="open"))
    return True


def end(
    store: "Store", connection: "Connection", rater_id: int, how: str, now: float, *, erase: bool
) -> None:
    """A rater has come to an end: open items go to others, and with ``erase`` the answers are deleted."""
    store.lock(connection)
    values: dict[str, Any] = {"ended": how, "ended_at": now}
    if erase:
        values["erased_at"] = now
        connection.execute(delete(assignments).where(assignments.c.rater_id == rater_id))  # and their answers
        connection.execute(delete(events).where(events.c.rater_id == rater_id))
        connection.execute(delete(platform_ids).where(platform_ids.c.rater_id == rater_id))
    else:
        connection.execute(
            update(assignments)
            .where(assignments.c.rater_id == rater_id, assignments.c.state == "open")
            .values(state="returned")
        )
    connection.execute(update(raters).where(raters.c.id == rater_id).values(values))


def throw_away_draft(store: "Store", connection: "Connection") -> None:
    """Delete whoever tried the study out while it was a draft."""
    tried = select(raters.c.id).where(raters.c.study_id == store.study_id, raters.c.phase == "draft")
    if connection.execute(tried.limit(1)).first() is None:
        return
    for table in (events, assignments, sessions, platform_ids):
        connection.execute(delete(table).where(table.c.rater_id.in_(tried)))
    connection.execute(delete(raters).where(raters.c.study_id == store.study_id, raters.c.phase == "draft"))


def _begun(
    store: "Store", connection: "Connection", phase: str, now: float, without: Sequence[int] = ()
) -> int:
    """How many raters hold a place of the study: at work, or done, with answers that were not deleted."""
    found = connection.execute(
        select(func.count())
        .select_from(raters)
        .where(
            raters.c.study_id == store.study_id,
            raters.c.phase == phase,
            raters.c.placed_at.is_not(None),
            or_(raters.c.ended == "completed", and_(raters.c.ended.is_(None), raters.c.lease_until >= now)),
            raters.c.erased_at.is_(None),
            raters.c.id.not_in([*_replaced(store, connection), *without]),
        )
    ).scalar()
    return int(found or 0)


def _return_lapsed(store: "Store", connection: "Connection", rater: Row[Any], now: float) -> None:
    """Open items of other raters who stayed away are free; check and practice items have no quota."""
    found = select(raters.c.id).where(
        raters.c.study_id == store.study_id,
        raters.c.phase == rater.phase,
        raters.c.ended.is_(None),
        raters.c.lease_until < now,
        raters.c.id != rater.id,
        raters.c.placed_at.is_not(None),
    )
    away = connection.execute(found).scalars().all()
    if not away:
        return
    connection.execute(
        update(assignments)
        .where(
            assignments.c.study_id == store.study_id,
            assignments.c.phase == rater.phase,
            assignments.c.state == "open",
            assignments.c.role == "item",
            assignments.c.rater_id.in_(away),
        )
        .values(state="returned")
    )


def _taken(
    store: "Store",
    connection: "Connection",
    phase: str,
    states: Sequence[str] = ("open", "done"),
    *,
    ended: bool = False,
    without: Sequence[int] = (),
) -> Counter[str]:
    """How many raters have each item, checks included: by an answer, or because they are at work.

    None in a draft, in which whoever tries it out gets what the first rater will get. Who was replaced has
    nothing, nor has who is in ``without``; with ``ended`` only those who have come to an end count.
    """
    if phase == "draft":
        return Counter()
    query = (
        select(assignments.c.item, func.count())
        .where(
            assignments.c.study_id == store.study_id,
            assignments.c.phase == phase,
            assignments.c.state.in_(states),
        )
        .group_by(assignments.c.item)
    )
    if replaced := [*_replaced(store, connection), *without]:  # without it, the index alone answers
        query = query.where(assignments.c.rater_id.not_in(replaced))
    if ended:
        query = query.where(
            assignments.c.rater_id.in_(
                select(raters.c.id).where(raters.c.study_id == store.study_id, raters.c.ended.is_not(None))
            )
        )
    return Counter({item: int(n) for item, n in connection.execute(query).all()})


def _replaced(store: "Store", connection: "Connection") -> Sequence[int]:
    """Raters whom the rules leave out, and whose places are given out again: see `replacing`."""
    found = select(events.c.rater_id).where(events.c.study_id == store.study_id, events.c.kind == REPLACED)
    return [int(rater_id) for rater_id in connection.execute(found).scalars()]


def _lay_out(
    study: "Study",
    connection: "Connection",
    rater: Row[Any],
    chosen: Sequence["Item"],
    extras: Sequence["Item"],
    own: Collection[Row[Any]],
    now: float,
) -> None:
    """Write down new assignments: checks and controls among the items, each with its order of options."""
    draw = random.Random(security.seal(study.secret, "lay out", rater.number, len(own)))
    items = draw.sample(chosen, len(chosen))
    apart = [item for item in extras if item.role != "practice"]
    draw.shuffle(apart)
    for i, item in enumerate(
        apart
    ):  # one somewhere in each of as many equal parts, never at a place one can know
        low, high = (part * (len(items) + 1) // len(apart) for part in (i, i + 1))
        items.insert(draw.randrange(low, max(high, low + 1)), item)
    practice = [item for item in extras if item.role == "practice"]
    rows = []
    for series, some in (("practice", practice), ("items", items)):
        start = max((row.position for row in own if row.series == series), default=0)
        for position, item in enumerate(some, start=start + 1):
            drawn = security.order(study.secret, item.places, rater.number, item.id)
            rows.append(
                {
                    "study_id": rater.study_id,
                    "rater_id": rater.id,
                    "phase": rater.phase,
                    "item": item.id,
                    "role": item.role,
                    "series": series,
                    "position": position,
                    "order": json.dumps(drawn),
                    "state": "open",
                    "given_at": now,
                }
            )
    if rows:
        connection.execute(insert(assignments), rows)
