"""Who gets which items: quotas that hold whoever comes at once, and nobody sees a topic or an intruder twice.

A rater gets all items at once, and they are his while he goes on answering. Open items of one who stays away
longer than the lease go to others. Every change of places happens behind one lock of the study.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, and_, delete, func, insert, or_, select, update

from tealeaves.human.app import security
from tealeaves.human.app.store import assignments, dump, events, platform_ids, raters, sessions
from tealeaves.human.curation import TASK as CURATION

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
    most = {"live": study.settings.max_raters, "pilot": study.settings.pilot_raters}.get(rater.phase)
    if most is not None and not holds and _begun(store, connection, rater.phase, now) >= most:
        return 0
    if study.task == CURATION:  # all of the set is before every curator, and nothing is handed out
        until = now + 3600 * study.settings.session_hours
        values = {"placed_at": rater.placed_at or now, "lease_until": until}
        connection.execute(update(raters).where(raters.c.id == rater.id).values(values))
        return len(study.items)
    taken = _taken(store, connection, rater.phase)
    quota = study.settings.answers_per_item
    by_id = study.items.by_id
    back = [
        r.id for r in own.values() if r.state == "returned" and (r.role != "item" or taken[r.item] < quota)
    ]
    counted = [r for r in own.values() if r.role == "item" and (r.state != "returned" or r.id in back)]
    length = min(study.settings.items_per_rater, sum(item.role == "item" for item in study.items))
    first = rater.placed_at is None
    extras = _extras(study) if first else []
    seen = [by_id[name] for name in own if name in by_id]
    draw = random.Random(security.seal(study.secret, "draw", rater.number))
    lots = {item.id: draw.random() for item in study.items}
    chosen = choose(
        [
            item
            for item in study.items
            if item.role == "item" and item.id not in own and taken[item.id] < quota
        ],
        length - len(counted),
        taken,
        [*seen, *(item for item in extras if item.role != "practice")],
        lambda item: lots[item.id],
    )
    n = len(counted) + len(chosen)
    answered = sum(r.state == "done" for r in counted)
    if n < (1 if answered else min(study.settings.fewest_items, length)):
        return 0
    if back:
        connection.execute(
            update(assignments).where(assignments.c.id.in_(back)).values(state="open", given_at=now)
        )
    _lay_out(study, connection, rater, chosen, extras, own.values(), now)
    values = {"placed_at": rater.placed_at or now, "lease_until": now + 60 * study.settings.lease_minutes}
    connection.execute(update(raters).where(raters.c.id == rater.id).values(values))
    return n


def choose(
    candidates: Iterable["Item"],
    n: int,
    taken: Mapping[str, int],
    seen: Iterable["Item"] = (),
    lot: "Callable[[Item], float]" = lambda _: 0.0,
) -> list["Item"]:
    """At most n items, those with the fewest raters first, models in turn, no topic and no intruder twice.

    Parameters
    ----------
    candidates : iterable of Item
        What may be chosen.
    n : int
        How many are wanted.
    taken : mapping
        How many raters have each item, by id.
    seen : iterable of Item
        What the rater has seen: nothing of the same topic or with the same intruder is chosen.
    lot : callable
        Decides between items that are equal otherwise.

    Examples
    --------
    >>> from tealeaves.human.items import Item
    >>> a, b, c = (Item(f"i{i}", "word_intrusion", "lda", topic, hidden={"intruder": word})
    ...            for i, (topic, word) in enumerate([(0, "tax"), (0, "rain"), (1, "goal")]))
    >>> [item.id for item in choose([a, b, c], 3, {"i0": 2, "i1": 1, "i2": 1})]
    ['i1', 'i2']
    """
    marks = {mark for item in seen for mark in marks_of(item)}
    waiting: dict[int, dict[str, list[tuple[float, Item]]]] = {}
    for item in candidates:
        models = waiting.setdefault(taken.get(item.id, 0), {})
        models.setdefault(item.model, []).append((lot(item), item))
    had: Counter[str] = Counter()
    chosen: list[Item] = []
    for _, models in sorted(waiting.items()):
        queues = {model: sorted(some, key=lambda pair: pair[0])[::-1] for model, some in models.items()}
        while queues and len(chosen) < n:
            model = min(queues, key=lambda name: (had[name], queues[name][-1][0]))
            _, item = queues[model].pop()
            if not queues[model]:
                del queues[model]
            if marks.isdisjoint(marks_of(item)):
                chosen.append(item)
                had[model] += 1
                marks |= marks_of(item)
    return chosen


def marks_of(item: "Item") -> set[Hashable]:
    """What a rater must not meet twice: the topic of a model, and the intruder, wherever it is from."""
    marks: set[Hashable] = set()
    if item.topic is not None:
        marks.add(("topic", item.model, item.topic))
    intruder = item.hidden.get("intruder")
    if isinstance(intruder, str):
        marks.add(("intruder", intruder.casefold()))
    elif intruder is not None:
        marks.add(("intruder", item.model, dump(intruder)))
    return marks


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
    for table in (events, assignments, sessions, platform_ids):
        connection.execute(delete(table).where(table.c.rater_id.in_(tried)))
    connection.execute(delete(raters).where(raters.c.study_id == store.study_id, raters.c.phase == "draft"))


def _begun(store: "Store", connection: "Connection", phase: str, now: float) -> int:
    """How many raters hold a place of the study: at work, or done."""
    found = connection.execute(
        select(func.count())
        .select_from(raters)
        .where(
            raters.c.study_id == store.study_id,
            raters.c.phase == phase,
            raters.c.placed_at.is_not(None),
            or_(raters.c.ended == "completed", and_(raters.c.ended.is_(None), raters.c.lease_until >= now)),
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


def _taken(store: "Store", connection: "Connection", phase: str) -> Counter[str]:
    """How many raters have each item, checks included: by an answer, or because they are at work."""
    rows = connection.execute(
        select(assignments.c.item, func.count())
        .where(
            assignments.c.study_id == store.study_id,
            assignments.c.phase == phase,
            assignments.c.state.in_(("open", "done")),
        )
        .group_by(assignments.c.item)
    ).all()
    return Counter({item: int(n) for item, n in rows})


def _extras(study: "Study") -> list["Item"]:
    """Practice, check and control items: each rater gets the same number."""
    found: list[Item] = []
    settings = study.settings
    for role, most in (
        ("practice", settings.practice),
        ("check", settings.checks),
        ("control", settings.controls),
    ):
        found += [item for item in study.items if item.role == role][:most]
    return found


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
            drawn = security.order(study.secret, len(item.options), rater.number, item.id)
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
