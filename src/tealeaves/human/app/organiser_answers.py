"""Which answers count, and what they come to in one number."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tealeaves.human.app.organiser_data import Data
from tealeaves.human.app.organiser_quality import Quality, judge, number
from tealeaves.human.app.organiser_words import signed
from tealeaves.human.item_sets import CHOICES


def counted(data: Data, quality: Sequence[Quality]) -> int:
    """How many answers count: those to items, of raters whom no rule leaves out."""
    return len([row for row in kept(data, quality) if row["role"] == "item"])


def kept(data: Data, quality: Sequence[Quality]) -> list[dict[str, Any]]:
    """The answers of raters whom no rule leaves out."""
    out = {one.rater for one in quality if one.excluded}
    return [row for row in data.latest if row["rater"] not in out]


def judged(data: Data, rules: Mapping[str, float] | None = None) -> list[Quality]:
    """The work of every rater of this phase who has answered or may yet, by the study's rules or others."""
    wanted = data.study.settings.rules if rules is None else rules
    answered = {row["rater"] for row in data.latest}
    people = [row for row in data.people if row["rater"] in answered or row["state"] in ("working", "away")]
    return judge(data.latest, people, wanted, data.study.items)


def score(row: Mapping[str, Any]) -> float:
    """An answer as the number it is scored by; nan where it is none."""
    if row["correct"] is not None:
        return float(row["correct"])
    if row["task"] == "topic_labelling":
        return float(not row["value"].get("none"))
    return number(row["value"])


def means(data: Data, answers: Sequence[Mapping[str, Any]] | None = None) -> dict[str, float]:
    """Each model's score: the mean over its items of the mean answer."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in data.latest if answers is None else answers:
        value = score(row)
        if row["role"] == "item" and not math.isnan(value):
            found.setdefault(row["model"], {}).setdefault(row["item"], []).append(value)
    return {model: float(np.mean([np.mean(one) for one in items.values()])) for model, items in found.items()}


def alpha(data: Data, answers: Sequence[Mapping[str, Any]]) -> tuple[float, str]:
    """Krippendorff's alpha of these answers, and how a page says it: with the coding, or why not."""
    from tealeaves.stats.agreement import krippendorff_alpha, why_no_alpha

    rows = [row for row in answers if row["role"] == "item" and not math.isnan(score(row))]
    people = {name: r for r, name in enumerate(dict.fromkeys(row["rater"] for row in rows))}
    items = {name: c for c, name in enumerate(dict.fromkeys(row["item"] for row in rows))}
    matrix = np.full((len(people), len(items)), np.nan)
    for row in rows:
        matrix[people[row["rater"]], items[row["item"]]] = score(row)
    choice = data.study.task in CHOICES
    level, coding = (
        ("nominal", "right/wrong")
        if choice or data.study.task == "topic_labelling"
        else ("ordinal", "ordinal")
    )
    value = krippendorff_alpha(matrix, level) if len(rows) else math.nan
    if math.isnan(value):
        nobody = "every rater is left out by the rules" if data.latest and not answers else "no answers"
        return value, f"none: {why_no_alpha(matrix) if len(rows) else nobody}"
    return value, f"α {signed(value)}, {coding}"
