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
    from tealeaves.human.power import Design, Spread
    from tealeaves.human.study import Settings, Study

RATERS = (5, 8, 15, 26)
SECONDS = 15.0  # an item, before anybody has been timed; texts take longer
SLOW = {"topic_intrusion": 60.0, "topic_word_matching": 40.0, "topic_pair_matching": 120.0,
        "temporal_word_intrusion": 30.0, "temporal_rating": 30.0, "topic_labelling": 60.0}  # fmt: skip
READING = 2.0  # minutes for the pages before the first item
MANY = 50  # topics from which on the share of studies is what it is by the formula; below it is less
# Where nobody has answered yet, the spread is that of Hoyle et al. (2021): of intrusion, or of ratings.
RATED = {"mean": 2.52, "topics": 0.42, "answers": 0.50}


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
    quota = settings.answers_per_item
    got = lengths(items, settings)
    added = extras(items, settings)
    minutes = READING + (max(got, default=0) + len(added)) * SLOW.get(items.task, SECONDS) / 60
    lines = [_work(got, sum(item.role != "practice" for item in added), minutes)]
    cost = money(settings.payment, len(got))
    if cost is not None:
        lines += _money(settings, len(got), cost, minutes)
    alone = max(quota, -(-sum(got) // settings.items_per_rater))
    if len(got) > alone:
        mark, n = shared(items)
        lines.append(
            f"{alone} raters would do, but nobody is to see a thing twice, and {n} items share one ({mark})"
        )
    if lacking := sum(item.role == "item" for item in items) * quota - sum(got):
        lines.append(f"{count(lacking, 'answer')} will be lacking: there are no raters for the last items")
    found, doubled, why = _differences(items, settings, lines)
    return Estimate(sum(got), len(got), minutes, cost, found, doubled, why, tuple(lines))


def _work(got: Sequence[int], beside: int, minutes: float) -> str:
    """How many answers, by how many raters, and how long each needs."""
    low, high = min(got, default=0) + beside, max(got, default=0) + beside
    each = count(high, "item") if low == high else f"{low} to {high} items"
    return (
        f"{count(sum(got), 'answer')} by about {count(len(got), 'rater')}, each with {each}: about "
        f"{count(max(1, round(minutes)), 'minute')} a rater, as far as can be said before a pilot"
    )


def _money(settings: "Settings", raters: int, cost: str, minutes: float) -> list[str]:
    """What raters get, in all and by the hour, and what is not in it."""
    hourly = money(settings.payment, 60 / minutes)
    pilot = money(settings.payment, settings.pilot_raters)
    fee = "the platform’s fee (Prolific’s is a third and more)" if settings.platform else "a platform’s fee"
    return [
        f"cost: about {cost} ({raters} × {settings.payment}), which is {hourly} an hour; not in it: {fee}, "
        f"{pilot} for a pilot of {settings.pilot_raters}, and raters who are left out or stop early"
    ]


def _differences(items: "ItemSet", settings: "Settings", lines: list[str]) -> tuple[float, float, str]:
    """The difference that is found, with twice the topics, and why not; a line of it is added."""
    topics, quota = _topics(items), settings.answers_per_item
    why = _unknown(items.task, topics)
    if why:
        lines.append(why)
        return math.nan, math.nan, why
    models = _models(items)
    found, doubled, more = (
        _found(items, settings, t, r) for t, r in ((topics, quota), (2 * topics, quota), (topics, 2 * quota))
    )
    unit = BY_ITEM.get(items.task, "topics")
    which = "two models" if models == 2 else f"two of {models} models"
    lines.append(
        f"a difference of {signed(found)} in {_measure(items.task)} between {which} is found in "
        f"{_often(topics)} of such studies; with twice the {unit} {signed(doubled)}, with twice the raters "
        f"{signed(more)}"
    )
    return found, doubled, ""


def _found(items: "ItemSet", settings: "Settings", topics: int, raters: int) -> float:
    from tealeaves.human.power import power

    each, models = settings.items_per_rater, _models(items)
    spread = _usual(items.task)
    return power(topics=topics, raters=raters, per_rater=each, models=models, spread=spread).difference


def _usual(task: str) -> "Spread":
    """How much topics and answers differed in earlier studies of intrusion, or of ratings."""
    from tealeaves.human.power import Spread

    return Spread(**RATED) if task == "word_set_rating" else Spread()


def _models(items: "ItemSet") -> int:
    """How many models are compared; one alone is thought to have a rival like it."""
    return max(2, len({item.model for item in items if item.role == "item"}))


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
    topics, measured = _topics(items), _spread(items, answers)
    why = _unknown(items.task, topics) if measured is None or topics < 2 else ""
    if why:
        said = f"{why[:1].upper()}{why[1:]}."
        return {
            "heading": "Design",
            "sub": "",
            "why": said,
            "rows": [],
            "columns": [],
            "cost": "",
            "read": "",
        }
    unit = BY_ITEM.get(items.task, "topics")
    models = _models(items)
    numbers = sorted({*RATERS, settings.answers_per_item})
    designs = {n: _designs(n, topics, models, settings, measured or _usual(items.task)) for n in numbers}
    low, high = numbers[0], numbers[-1]
    few, many, wide = (designs[n][i].difference for n, i in ((low, 0), (high, 0), (low, 1)))
    hardly = f"more {unit} help, more raters hardly" if wide <= many + 0.005 else ""
    pairs = count(models * (models - 1) // 2, "pair")
    source = "of these answers" if measured is not None else _source(items.task)
    return {
        "heading": f"Design: {hardly or f'both more {unit} and more raters help'}",
        "sub": f"Smallest difference in {_measure(items.task)} of two models that a study finds in "
        f"{_often(topics)} of cases (two-sided 5%, corrected for {pairs} of models), by "
        f"the spread {source}.",
        "why": "",
        "columns": [f"{n} {unit} a model" for n in (topics, 2 * topics)] + [f"Only these {topics} {unit}"],
        "rows": [
            {
                "raters": n,
                "cells": [signed(x) for x in (here.difference, twice.difference, here.these)],
                "cost": money(settings.payment, _people(items, settings, n)) or "—",
            }
            for n, (here, twice) in designs.items()
        ],
        "cost": f"Cost with {topics} {unit}" if money(settings.payment) is not None else "",
        "read": f"With {topics} {unit}, {high} raters an item instead of {low} find {signed(many)} instead "
        f"of {signed(few)}. Twice the {unit} at {low} raters find {signed(wide)}. The column of only these "
        f"{unit} is for claims about them and no others.",
    }


def _designs(
    raters: int, topics: int, models: int, settings: "Settings", spread: "Spread"
) -> tuple["Design", "Design"]:
    """What is found with these topics, and with twice as many."""
    from tealeaves.human.power import power

    of: dict[str, Any] = {"raters": raters, "models": models, "per_rater": settings.items_per_rater}
    return power(topics=topics, spread=spread, **of), power(topics=2 * topics, spread=spread, **of)


def _people(items: "ItemSet", settings: "Settings", raters: int) -> int:
    """How many raters it takes if so many answer each item."""
    return raters_needed(items, replace(settings, answers_per_item=raters))


def _measure(task: str) -> str:
    """What answers are scored by, within a sentence."""
    return MEASURES.get(task, "score").lower().partition(",")[0]


def _often(topics: int) -> str:
    """In how many studies the difference is found: simulated, 73 to 77% with 10 or 20 topics, 80 with 50."""
    return "about 80%" if topics >= MANY else "70 to 80%"


def _source(task: str) -> str:
    """Whose spread it is, before there are answers."""
    kind = "ratings" if task == "word_set_rating" else "word intrusion"
    own = "" if task in ("word_set_rating", "word_intrusion") else ", for want of any of this task"
    return f"in Hoyle et al.’s {kind} of 2021{own}"


def _topics(items: "ItemSet") -> int:
    """How many items the model with the fewest has: what limits a comparison."""
    models = Counter(item.model for item in items if item.role == "item")
    return min(models.values(), default=0)


def _unknown(task: str, topics: int) -> str:
    if topics < 2:
        unit = BY_ITEM.get(task, "topics")
        return f"which difference is found cannot be said of fewer than two {unit} a model"
    if task == "reference_topic_curation":
        return "every curator gets all topics; nothing is compared"
    if task not in CHOICES and task != "word_set_rating":
        return "which difference is found depends on how far answers spread: a pilot tells"
    return ""


def _spread(items: "ItemSet", answers: Sequence[Mapping[str, Any]]) -> "Spread | None":
    """How much these answers differ; None where that is not known."""
    from tealeaves.human.answers import Answers
    from tealeaves.human.power import spread

    rows = [row for row in answers if row["role"] == "item"]
    if not rows or items.task not in MEASURES:
        return None
    try:
        found = spread(Answers.from_rows(rows, items))
    except InputError:  # too few to tell
        return None
    return found if found.topics or found.answers else None  # all alike: few answers, and not nothing to find
