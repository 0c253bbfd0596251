"""What a study takes and what it can find: raters, time, money, and the smallest difference of two models."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human.app.organiser_words import MEASURES, count, money, signed
from tealeaves.human.item_sets import CHOICES
from tealeaves.human.scoring import BY_ITEM
from tealeaves.human.serving import extras, lengths, raters_needed, shared

if TYPE_CHECKING:
    from tealeaves.human.item_sets import ItemSet
    from tealeaves.human.power import Spread
    from tealeaves.human.study import Settings, Study

RATERS = (5, 8, 15, 26)
SECONDS = 15.0  # an item, before anybody has been timed; texts take longer
SLOW = {"topic_intrusion": 60.0, "topic_word_matching": 40.0, "topic_pair_matching": 120.0,
        "temporal_word_intrusion": 30.0, "temporal_rating": 30.0, "topic_labelling": 60.0}  # fmt: skip
POWER = 0.8


@dataclass(frozen=True)
class Estimate:
    """What a study takes. ``difference`` is nan, and ``why`` says so, where it cannot be known yet."""

    answers: int
    raters: int
    minutes: float
    cost: str | None
    difference: float
    difference_doubled: float
    why: str
    lines: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "lines": list(self.lines)}


def estimate(study: "Study") -> Estimate:
    """What a study takes before anybody has answered, and which difference of two models it finds.

    The spread of topics and answers is that of earlier studies of intrusion (`tealeaves.human.power`); for
    tasks that nobody has such figures of, a pilot must give them.
    """
    return estimate_of(study.items, study.settings)


def estimate_of(items: "ItemSet", settings: "Settings") -> Estimate:
    """The same of items and settings that are no study yet."""
    from tealeaves.human.power import power

    quota = settings.answers_per_item
    got = lengths(items, settings)
    raters, answers = len(got), sum(got)
    added = extras(items, settings)
    beside = sum(item.role != "practice" for item in added)
    low, high = min(got, default=0) + beside, max(got, default=0) + beside
    minutes = (max(got, default=0) + len(added)) * SLOW.get(items.task, SECONDS) / 60
    cost = money(settings.payment, raters)
    lines = [
        f"{count(answers, 'answer')} by about {count(raters, 'rater')}, each with "
        f"{count(high, 'item') if low == high else f'{low} to {high} items'}: about "
        f"{count(max(1, round(minutes)), 'minute')} a rater"
    ]
    if cost is not None:
        lines.append(f"cost: about {cost} ({raters} × {settings.payment})")
    alone = max(quota, -(-answers // settings.items_per_rater))
    if raters > alone:
        mark, n = shared(items)
        lines.append(
            f"{alone} raters would do, but nobody is to see a thing twice, and {n} items share one ({mark})"
        )
    if lacking := sum(item.role == "item" for item in items) * quota - answers:
        lines.append(f"{count(lacking, 'answer')} will be lacking: there are no raters for the last items")
    topics = _topics(items)
    unit = BY_ITEM.get(items.task, "topics")
    why = _unknown(items.task, topics)
    found = doubled = math.nan
    if not why:
        found = power(topics=topics, raters=quota, per_rater=settings.items_per_rater).difference
        doubled = power(topics=2 * topics, raters=quota, per_rater=settings.items_per_rater).difference
        more = power(topics=topics, raters=2 * quota, per_rater=settings.items_per_rater).difference
        lines.append(
            f"a difference of {signed(found)} in {MEASURES[items.task].lower()} between two models is found "
            f"in {POWER:.0%} of such studies; with twice the {unit} {signed(doubled)}, with twice the raters "
            f"{signed(more)}"
        )
    else:
        lines.append(why)
    return Estimate(answers, raters, minutes, cost, found, doubled, why, tuple(lines))


def power_table(study: "Study", answers: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """The smallest difference found, by topics and raters, as the page shows it.

    Parameters
    ----------
    study : Study
        Its items and settings.
    answers : sequence of dict
        What counts so far: with answers to two topics of a model the spread is theirs.
    """
    return power_table_of(study.items, study.settings, answers)


def power_table_of(
    items: "ItemSet", settings: "Settings", answers: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The same of items and settings that are no study yet."""
    from tealeaves.human.power import power

    topics = _topics(items)
    spread = _spread(items, answers)
    measure = MEASURES.get(items.task, "score").lower().partition(",")[0]
    page: dict[str, Any] = {
        "rows": [],
        "why": "",
        "read": "",
        "columns": [],
        "cost": False,
        "heading": "Design",
    }
    why = _unknown(items.task, topics) if spread is None or topics < 2 else ""
    if why:
        return {**page, "sub": "", "why": f"{why[:1].upper()}{why[1:]}."}
    unit = BY_ITEM.get(items.task, "topics")
    models = max(2, len({item.model for item in items if item.role == "item"}))
    rows, found = [], {}
    for raters in sorted({*RATERS, settings.answers_per_item}):
        options: dict[str, Any] = {
            "raters": raters, "models": models, "per_rater": settings.items_per_rater, "spread": spread,
        }  # fmt: skip
        here, twice = power(topics=topics, **options), power(topics=2 * topics, **options)
        found[raters] = (here.difference, twice.difference)
        cells = [signed(here.difference), signed(twice.difference), signed(here.these)]
        people = raters_needed(items, replace(settings, answers_per_item=raters))
        rows.append({"raters": raters, "cells": cells, "cost": money(settings.payment, people) or "—"})
    low, high = min(found), max(found)
    source = (
        "from the spread of these answers" if spread is not None else "from the spread in earlier studies"
    )
    return {
        **page,
        "heading": f"Design: more {unit} help, more raters hardly"
        if found[low][1] <= found[high][0] + 0.005
        else f"Design: both more {unit} and more raters help",
        "sub": f"Smallest difference in {measure} of two models that a study finds in {POWER:.0%} of cases "
        f"(two-sided 5%, corrected for {count(models * (models - 1) // 2, 'pair')} of models), {source}.",
        "columns": [
            f"{topics} {unit} a model",
            f"{2 * topics} {unit} a model",
            f"Only these {topics} {unit}",
        ],
        "rows": rows,
        "cost": money(settings.payment) is not None,
        "read": f"With {topics} {unit}, {high} raters an item instead of {low} find {signed(found[high][0])} "
        f"instead of {signed(found[low][0])}. Twice the {unit} at {low} raters find {signed(found[low][1])}. "
        f"The column of only these {unit} is for claims about them and no others.",
    }


def _topics(items: "ItemSet") -> int:
    """How many items the model with the fewest has: what limits a comparison."""
    models = Counter(item.model for item in items if item.role == "item")
    return min(models.values(), default=0)


def _unknown(task: str, topics: int) -> str:
    if topics < 2:
        unit = BY_ITEM.get(task, "topics")
        return f"which difference is found cannot be said of fewer than two {unit} a model"
    if task not in CHOICES:
        return "which difference is found depends on how far answers spread: a pilot tells"
    return ""


def _spread(items: "ItemSet", answers: Sequence[Mapping[str, Any]]) -> "Spread | None":
    from tealeaves.human.answers import Answers
    from tealeaves.human.power import spread

    rows = [row for row in answers if row["role"] == "item"]
    if not rows or items.task not in MEASURES:
        return None
    try:
        return spread(Answers.from_rows(rows, items))
    except InputError:  # too few to tell
        return None
