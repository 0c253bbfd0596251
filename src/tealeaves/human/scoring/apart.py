"""Raters who are scored beside people and not among them, such as a model."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human.answers import MODEL, Answers
from tealeaves.human.scoring.data import Draws, TaskData
from tealeaves.human.scoring.measures import Floats, measure_of
from tealeaves.human.scoring.raters import agreement_with_rest
from tealeaves.stats.bootstrap import bootstrap


def scored_apart(answers: Answers, given: Iterable[str] | None) -> set[str]:
    """Whom to score beside the others: those named, or models whose answers were read as a model's."""
    if given is None:
        return set(answers.frame.filter(answers.frame["form"] == MODEL)["rater"])
    named = set(given)
    if unknown := named - set(answers.raters):
        raise InputError(f"there is no rater {min(unknown)!r} to score apart")
    return named


def beside_people(
    answers: Answers, aside: set[str], people: Answers, study: str, task: str, name: str, draws: Draws
) -> Iterable[dict[str, Any]]:
    """Rows of raters scored beside people: on the units that both judged."""
    theirs = TaskData(people, task, people.numbers(name)).means()
    for rater in sorted(aside):
        own = _of_rater(answers, rater, study, task)
        if not len(own):
            continue
        mine = TaskData(own, task, own.numbers(name)).means()
        agrees = agreement_with_rest(people.with_rater(own), task).get(rater, np.nan)
        head = {"study": study, "task": task, "measure": measure_of(task, name), "rater": rater}
        for model in dict.fromkeys(unit[0] for unit in mine):
            both = [unit for unit in mine if unit[0] == model and unit in theirs]
            if both:
                values = np.array([(mine[unit], theirs[unit]) for unit in both])
                yield {**head, "model": model, "agreement": agrees, **_compared(values, draws)}


def _of_rater(answers: Answers, rater: str, study: str, task: str) -> Answers:
    """What one rater said of items that count; a model's answers may name no study."""
    frame = answers.frame.filter(
        (answers.frame["rater"] == rater)
        & (answers.frame["task"] == task)
        & (answers.frame["study"].is_in([study, ""]))
        & (answers.frame["role"] == "item")
    )
    return Answers(frame, answers.items)


def _compared(values: Floats, draws: Draws) -> dict[str, Any]:
    """The rater's mean and people's, and the difference with its interval over units."""
    found = bootstrap(values[:, 0] - values[:, 1], np.mean, *draws.of)
    ends = {"difference": found.value, "low": found.low, "high": found.high}
    mine, theirs = values.mean(axis=0).tolist()
    return {"value": mine, "people": theirs, **ends, "n_units": len(values)}
