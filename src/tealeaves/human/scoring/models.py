"""Scores of models, and their differences, with intervals over raters and topics."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from tealeaves.human.answers import Answers
from tealeaves.human.scoring.data import Draws, TaskData
from tealeaves.human.scoring.measures import BOUNDS, BY_ITEM, measure_of, within
from tealeaves.human.scoring.topics import of_topics
from tealeaves.stats.crossed import CrossedEstimate, CrossedMeans, crossed, wilson
from tealeaves.stats.tests import holm

NARROW = (
    "binomial intervals take answers for independent, which those of one rater or to one topic are "
    "not: they are too narrow, and here only to compare with papers"
)


def of_field(
    part: Answers,
    study: str,
    task: str,
    name: str,
    draws: Draws,
    rows: dict[str, list[dict[str, Any]]],
) -> list[str]:
    """Rows of models, topics and differences of one number of the answers; notes."""
    numbers, notes = part.numbers(name), []
    infinite = np.isinf(numbers)
    lost = set(np.array(part.frame["model"])[infinite])
    if lost:
        notes.append(
            f"topic log odds of {', '.join(sorted(lost))} are not defined: an intruder has no share at all "
            f"in its document in {int(infinite.sum())} answers, and others were chosen"
        )
    data = TaskData(part, task, numbers)
    if not len(data.units):
        return notes
    low, high = BOUNDS[name]
    if name in ("rating", "relatedness", "smoothness") and not within(numbers, low, high):
        low, high = -np.inf, np.inf  # of another scale than ours
    means = crossed(data.sums, data.counts, data.models, *draws.of, (low, high))
    measure = measure_of(task, name)
    head = {"study": study, "task": task, "measure": measure}
    unit = BY_ITEM.get(task, "topics")
    guess = data.chance(draws.chance) if name == "correct" else {}
    for model in means.groups:
        row = _model(data, means, model, guess, lost=model in lost)
        if name in ("correct", "named"):
            row |= _binomial(data, model, draws.level)
        rows["models"].append({**head, "model": model, "unit": unit, **row})
    rows["topics"] += [{**head, **row} for row in of_topics(data, name, draws.level, guess)]
    rows["differences"] += [{**head, **row} for row in _differences(means, lost)]
    notes.append(
        f"{task}, {measure}: low and high are of such {unit} (of a new fit, or another draw), judged by such "
        f"people: {draws.level:.0%} intervals with raters and {unit} drawn again; low_these and high_these "
        f"are of these very {unit}, judged by such people: raters alone drawn again"
    )
    return [*notes, *([NARROW] if name in ("correct", "named") else [])]


def _differences(means: CrossedMeans, lost: set[str]) -> list[dict[str, Any]]:
    """A row per pair of models whose scores are defined, with p as it is and by Holm over all pairs."""
    rows: list[dict[str, Any]] = []
    for a, b in combinations(means.groups, 2):
        if a in lost or b in lost:
            continue
        found = means.difference(a, b)
        row = {"a": a, "b": b, "difference": found.such.value, **_ends(found)}
        rows.append({**row, "p": found.p, "p_these": found.p_these, "reason": found.reason})
    for of in ("p", "p_these"):
        for row, p in zip(rows, holm([row[of] for row in rows]), strict=True):
            row[f"{of}_holm"] = float(p)
    return rows


def _ends(found: CrossedEstimate) -> dict[str, float]:
    """Both intervals, as tables have them."""
    such, these = found.such, found.these
    return {"low": such.low, "high": such.high, "low_these": these.low, "high_these": these.high}


def _model(
    data: TaskData, means: CrossedMeans, model: str, guess: Mapping[str, float], *, lost: bool
) -> dict[str, Any]:
    """A row of a model: its value with both intervals, what it is of, and what guessing gives."""
    mine = data.of_model(model)
    found = means.estimate(model)
    row: dict[str, Any] = {
        "value": found.such.value,
        **_ends(found),
        "n_answers": int(mine.sum()),
        "n_raters": len(set(data.rater[mine])),
        "n_units": len(set(data.unit[mine])),
        "reason": found.reason,
    }
    if guess:
        items = {item for item, kept in zip(data.part.frame["item"], mine, strict=True) if kept}
        row["chance"] = float(np.mean([guess[item] for item in items]))
    if lost:
        numbers = dict.fromkeys(("value", "low", "high", "low_these", "high_these"), np.nan)
        row |= {**numbers, "reason": "an intruder has no share of its document"}
    return row


def _binomial(data: TaskData, model: str, level: float) -> dict[str, float]:
    """Wilson's interval of the share, as if all answers were independent."""
    mine = data.of_model(model)
    low, high = wilson(data.numbers[mine].sum(), mine.sum(), level)
    return {"binomial_low": float(low), "binomial_high": float(high)}
