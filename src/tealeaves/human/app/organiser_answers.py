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


def parts(task: str) -> tuple[str, ...]:
    """What an answer is scored by, where that is more than one number; else one part without a name."""
    return ("relatedness", "smoothness") if task == "temporal_rating" else ("",)


def score(row: Mapping[str, Any], part: str = "") -> float:
    """An answer, or a part of it, as the number it is scored by; nan where it is none."""
    if row["correct"] is not None:
        return float(row["correct"])
    if row["task"] == "topic_labelling":
        return float(not row["value"].get("none"))
    return number(row["value"], part)


def means(answers: Sequence[Mapping[str, Any]], part: str = "") -> dict[str, float]:
    """Each model's score: the mean over its items of the mean answer."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in answers:
        value = score(row, part)
        if row["role"] == "item" and not math.isnan(value):
            found.setdefault(row["model"], {}).setdefault(row["item"], []).append(value)
    return {model: float(np.mean([np.mean(one) for one in items.values()])) for model, items in found.items()}


def alpha(data: Data, answers: Sequence[Mapping[str, Any]]) -> tuple[float, str]:
    """Krippendorff's alpha of these answers, and how a page says it: with the coding, or why not.

    Of an answer of several parts the first is the number, and all are said.
    """
    coding = "right/wrong" if data.study.task in (*CHOICES, "topic_labelling") else "ordinal"
    level = "nominal" if coding == "right/wrong" else "ordinal"
    rows = [row for row in answers if row["role"] == "item"]
    found = {part: _alpha(rows, part, level) for part in parts(data.study.task)}
    value, why = next(iter(found.values()))
    if all(math.isnan(one) for one, _ in found.values()):
        nobody = "every rater is left out by the rules" if data.latest and not answers else "no answers"
        return value, f"none: {why or nobody}"
    said = ", ".join(f"{signed(one)} {part}".rstrip() for part, (one, _) in found.items())
    return value, f"α {said}, {coding}"


def _alpha(rows: Sequence[Mapping[str, Any]], part: str, level: str) -> tuple[float, str]:
    """Alpha of one part, and why there is none; without a word on that where there is no answer."""
    from tealeaves.stats.agreement import krippendorff_alpha, why_no_alpha

    scored = [(row, value) for row in rows if not math.isnan(value := score(row, part))]
    if not scored:
        return math.nan, ""
    people = {name: r for r, name in enumerate(dict.fromkeys(row["rater"] for row, _ in scored))}
    items = {name: c for c, name in enumerate(dict.fromkeys(row["item"] for row, _ in scored))}
    matrix = np.full((len(people), len(items)), np.nan)
    for row, value in scored:
        matrix[people[row["rater"]], items[row["item"]]] = value
    return krippendorff_alpha(matrix, level), why_no_alpha(matrix)
