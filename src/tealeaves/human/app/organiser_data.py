"""What the organiser's pages, the status and the exports know of a study: its database as plain rows."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from tealeaves.human.app import tables

if TYPE_CHECKING:
    from tealeaves.human.app.store import Store
    from tealeaves.human.item_sets import Item
    from tealeaves.human.study import Study

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Data:
    """One moment of a study.

    Attributes
    ----------
    study : Study
        Its settings, items and state.
    answers : list of dict
        Every saved answer outside drafts, in the columns of ``export.ANSWERS``, in the order of saving.
        ``position`` is the place on the page that was chosen, from 1; ``turned`` whether the second topic of
        a pair stood first.
    raters : list of dict
        Whoever gave consent outside drafts: ``rater`` (R-001), ``phase``, ``state``, ``joined_at``,
        ``left_at`` and ``erased``; nothing of the platform.
    leased : dict
        How many raters have each item before them now, in the phase the study is in.
    looks : list of dict
        When results were opened or hidden before the end, or answers exported: ``at``, ``show`` and ``how``
        (opened, hidden or exported).
    replaced : frozenset of str
        Raters whom the rules leave out and whose places were given to others: see `replacing`.
    """

    study: "Study"
    answers: list[Row]
    raters: list[Row]
    leased: Mapping[str, int]
    looks: list[Row]
    now: float
    replaced: frozenset[str] = frozenset()

    @property
    def phase(self) -> str:
        """Whose answers are looked at: the pilot's while there is no other, else the study's."""
        return "pilot" if self.study.phase == "pilot" else "live"

    @property
    def is_open(self) -> bool:
        """Whether results are shown: once the study is closed, or where the organiser has opened them."""
        said = [one["show"] for one in self.looks if one.get("how") != "exported"]
        return self.study.state == "closed" or bool(said and said[-1])

    @property
    def moment(self) -> str:
        """When this was, as exports have it."""
        return str(iso(self.now))

    @cached_property
    def latest(self) -> list[Row]:
        """The answers of this phase that count: the last revision of each rater and item."""
        last = {(row["rater"], row["item"]): row for row in self.answers if row["form"] == self.phase}
        return list(last.values())

    @cached_property
    def people(self) -> list[Row]:
        """The raters of this phase."""
        return [row for row in self.raters if row["phase"] == self.phase]

    @cached_property
    def placed(self) -> list[Row]:
        """The answers to items that take a place: without those of raters who were replaced."""
        return [row for row in self.latest if row["role"] == "item" and row["rater"] not in self.replaced]

    @cached_property
    def counts(self) -> Counter[str]:
        """How many places of each item are taken by answers in this phase."""
        return Counter(row["item"] for row in self.placed)

    @cached_property
    def counting(self) -> "list[Item]":
        """The items whose answers are scored."""
        return [item for item in self.study.items if item.role == "item"]

    @cached_property
    def wanted(self) -> int:
        """How many answers the study wants in all."""
        return len(self.counting) * self.study.settings.answers_per_item


@contextmanager
def opened(folder: str | Path, database: str | None = None) -> "Iterator[tuple[Study, Store]]":
    """A study and its database, which is closed afterwards."""
    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study

    study = Study.open(folder)
    store = Store.open(study, database)
    try:
        yield study, store
    finally:
        store.close()


def load(study: "Study", store: "Store", now: float) -> Data:
    """All of a study that is not a draft's, at the time ``now`` (seconds since 1970)."""
    a, r, s, k, e = tables.assignments, tables.raters, tables.answers, tables.rules, tables.events
    with store.reading() as connection:
        people = connection.execute(
            select(r)
            .where(r.c.study_id == store.study_id, r.c.phase != "draft")
            .order_by(r.c.phase, r.c.number)
        ).all()
        saved = connection.execute(
            select(s, a.c.item, a.c.order, r.c.number, r.c.phase)
            .join(a, a.c.id == s.c.assignment_id)
            .join(r, r.c.id == a.c.rater_id)
            .where(a.c.study_id == store.study_id, r.c.phase != "draft")
            .order_by(s.c.id)
        ).all()
        open_ = connection.execute(
            select(a.c.item)
            .join(r, r.c.id == a.c.rater_id)
            .where(
                a.c.study_id == store.study_id, a.c.phase == study.phase, a.c.state == "open",
                r.c.lease_until > now, r.c.ended.is_(None),
            )
        ).scalars()  # fmt: skip
        leased = Counter(open_)
        looks = connection.execute(
            select(k.c.value, k.c.at)
            .where(k.c.study_id == store.study_id, k.c.kind == "results")
            .order_by(k.c.id)
        ).all()
        replaced = connection.execute(
            select(r.c.number)
            .join(e, e.c.rater_id == r.c.id)
            .where(e.c.study_id == store.study_id, e.c.kind == tables.REPLACED)
        ).scalars()
        places = frozenset(map(pseudonym, replaced))
    items = study.items.by_id
    answers = [answer_row(study, items[row.item], row) for row in saved if row.item in items]
    raters = [_rater(row, now) for row in people]
    opened = [_look(json.loads(row.value), row.at) for row in looks]
    return Data(study, answers, raters, leased, opened, now, places)


def pseudonym(number: int) -> str:
    """A rater's name in tables and files.

    Examples
    --------
    >>> pseudonym(14)
    'R-014'
    """
    return f"R-{number:03d}"


def iso(seconds: float | None) -> str | None:
    """A time as it stands in exports: UTC, whole seconds."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def answer_row(study: "Study", item: "Item", row: Any) -> Row:
    """A saved answer in the columns of ``export.ANSWERS``."""
    value = json.loads(row.value)
    choice = value.get("choice") if isinstance(value, dict) else None
    order = json.loads(row.order) or []
    position = None
    if choice in item.options and item.options.index(choice) in order:
        position = order.index(item.options.index(choice)) + 1
    return {
        "study": study.name,
        "rater": pseudonym(row.number),
        "item": item.id,
        "task": item.task,
        "model": item.model,
        "topic": item.topic,
        "role": item.role,
        "form": row.phase,
        "value": value,
        "correct": _correct(item, value),
        "seconds": row.seconds,
        "revision": row.revision,
        "saved_at": iso(row.saved_at),
        "position": position,
        "turned": bool(order and order[0] == 1) if item.task == "topic_pair_matching" else None,
    }


def _correct(item: "Item", value: Any) -> bool | None:
    """Whether an answer is right: by the key, or by what is expected of a check that is rated."""
    if not isinstance(value, dict):
        return None
    if item.key is not None:
        return value.get("choice") == item.key if "choice" in value else None
    expected = item.hidden.get("expected")
    if not isinstance(expected, dict):
        return None
    return all(value.get(name) in allowed for name, allowed in expected.items())


def _look(value: Mapping[str, Any], at: float) -> Row:
    show = bool(value.get("show"))
    return {"at": iso(at), "show": show, "how": value.get("how", "opened" if show else "hidden")}


def _rater(row: Any, now: float) -> Row:
    at_work = "working" if row.lease_until > now else "away"
    state = row.ended or ("waiting" if row.placed_at is None else at_work)
    return {
        "rater": pseudonym(row.number),
        "phase": row.phase,
        "state": state,
        "joined_at": iso(row.created_at),
        "left_at": iso(row.ended_at),
        "erased": row.erased_at is not None,
    }
