"""How far a rater has come, as the database says at one moment: nothing here changes anything."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Row, bindparam, select

from tealeaves.human.app.tables import assignments, raters, sessions
from tealeaves.human.curation_events import TASK as CURATION

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from tealeaves.human.study import Study

# How raters end: the page they see, and whose completion code they get.
ENDED = {
    "completed": ("thanks", "completed"),
    "screened_out": ("ended-screened", "screened_out"),
    "quiz": ("ended-quiz", "screened_out"),
    "full": ("ended-full", "full"),
    "timed_out": ("ended-timeout", "timed_out"),
    "withdrew": ("ended-withdrew", "withdrew"),
    "closed": ("ended-closed", "full"),
}

# What every page asks, made once: to make a statement costs more than to run it.
RATER = select(raters).where(raters.c.id == bindparam("rater"))
_OF_SESSION = (
    select(raters)
    .join(sessions, sessions.c.rater_id == raters.c.id)
    .where(
        sessions.c.token_hash == bindparam("token"),
        sessions.c.expires_at > bindparam("now"),
        raters.c.study_id == bindparam("study"),
    )
)
_LAID_OUT = (
    select(assignments)
    .where(assignments.c.rater_id == bindparam("rater"))
    .order_by(assignments.c.series, assignments.c.position)  # as the index has them
)


@dataclass(frozen=True)
class Progress:
    """One rater at one moment: his row, and his assignments in the order of their places."""

    rater: Row[Any]
    practice: Sequence[Row[Any]]
    items: Sequence[Row[Any]]
    lost: int = 0  # items that were returned, because the rater stayed away

    @cached_property
    def done(self) -> int:
        """How many items are answered."""
        return sum(row.state == "done" for row in self.items)

    @property
    def total(self) -> int:
        """How many items there are for this rater."""
        return len(self.items)

    def at(self, series: str, position: int) -> Row[Any] | None:
        """The assignment at a place of a series."""
        rows = self.practice if series == "practice" else self.items
        return next((row for row in rows if row.position == position), None)

    def rank(self, row: Row[Any]) -> int:
        """Which of the rater's items this is, counted from 1."""
        return [one.id for one in self.items].index(row.id) + 1


class Step(NamedTuple):
    """Where a rater is: the name of a page, and for items and practice the place."""

    name: str
    position: int = 0

    @property
    def path(self) -> str:
        """The end of its address."""
        return f"{self.name}/{self.position}" if self.position else self.name


def progress(connection: "Connection", rater_id: int) -> Progress:
    """What the database says of a rater now."""
    return _progress(connection, connection.execute(RATER, {"rater": rater_id}).one())


def of_session(connection: "Connection", study_id: int, token_hash: str, now: float) -> Progress | None:
    """The same of the rater whose session this is; None where it is nobody's, or no longer good."""
    asked = {"token": token_hash, "now": now, "study": study_id}
    rater = connection.execute(_OF_SESSION, asked).first()
    return None if rater is None else _progress(connection, rater)


def _progress(connection: "Connection", rater: Row[Any]) -> Progress:
    laid_out = connection.execute(_LAID_OUT, {"rater": rater.id}).all()
    rows = [row for row in laid_out if row.state != "returned"]
    practice = [row for row in rows if row.series == "practice"]
    items = [row for row in rows if row.series == "items"]
    return Progress(rater, practice, items, len(laid_out) - len(rows))


def fits(study: "Study", row: Row[Any]) -> bool:
    """Whether the study still has the item that was laid out: those of a pilot may be replaced by others."""
    item = study.items.by_id.get(row.item)
    return item is not None and item.places == len(json.loads(row.order))


def step(study: "Study", here: Progress, answered: int | None = None) -> Step:
    """The next step. It is a function of what is written down, and of nothing else.

    ``answered`` is an assignment that was answered since ``here`` was read.
    """
    rater, settings = here.rater, study.settings
    if rater.ended:
        return Step(ENDED[rater.ended][0])
    if settings.screening and rater.screened_at is None:
        return Step("screening")
    if rater.placed_at is None:
        return Step("wait")  # others hold all places
    if rater.instructed_at is None:
        return Step("instructions")
    if study.task == CURATION:
        return Step("curate")  # until the curator leaves or the study is closed
    for row in here.practice:
        if row.state != "done" and row.id != answered and fits(study, row):
            return Step("practice", row.position)
    if settings.quiz and rater.quiz_at is None:
        return Step("quiz")
    now_done = sum(row.id == answered and row.state != "done" for row in here.items) if answered else 0
    done, every = here.done + now_done, settings.break_every
    for row in here.items:
        if row.state != "done" and row.id != answered and fits(study, row):
            due = every and done and done % every == 0
            return Step("break") if due else Step("item", row.position)
    return Step("thanks")
