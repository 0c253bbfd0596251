"""Scores of people's answers: of models, topics, items, raters; each interval says what would be repeated."""

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np

from tealeaves._watch import tell
from tealeaves.errors import InputError
from tealeaves.human.answers import FIELDS, Answers, read_answers
from tealeaves.human.codings import agreement
from tealeaves.human.scoring.apart import beside_people, scored_apart
from tealeaves.human.scoring.data import Draws
from tealeaves.human.scoring.models import of_field
from tealeaves.human.scoring.positions import notes_of, of_positions
from tealeaves.human.scoring.raters import of_items, of_raters
from tealeaves.human.scoring.result import Result
from tealeaves.human.scoring.tables import SCHEMAS, frame_of


def score(
    answers: "Answers | str | PathLike[str]",
    resamples: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
    chance: float | None = None,
    apart: Iterable[str] | None = None,
) -> Result:
    """Score what people said of models, topics and items.

    Model precision is the share of answers that found the intruder or the model's own topic; topic log odds
    the mean of ``log(theta[d, intruder]) - log(theta[d, chosen])``. A topic's score is the mean of its
    answers, a model's the mean of its topics' (of documents', tokens' or pairs' in tasks about these).

    Parameters
    ----------
    answers : Answers, or a file of them
        Practice items and checks do not count; controls neither.
    resamples, seed, level
        As for `tealeaves.stats.crossed`: raters and topics are drawn again together.
    chance : float, optional
        What guessing gives, where the options are not known; by default one over their number.
    apart : iterable of str, optional
        Raters who are scored beside the others and not among them; by default, models whose answers were read
        as those of a model.

    Returns
    -------
    Result
        Tables of models, topics, items, raters, agreement, differences and positions.

    Raises
    ------
    InputError
        If no answer counts: all are to practice, check or control items, or of a model as rater.

    References
    ----------
    Chang, Boyd-Graber, Gerrish, Wang and Blei (2009), NIPS, equations 1 and 2.

    Examples
    --------
    >>> rows = [{"rater": f"R{r}", "item": "i1", "task": "word_intrusion", "model": "lda", "topic": 0,
    ...          "correct": r > 0} for r in range(8)]
    >>> score(Answers.from_rows(rows)).value("model_precision")  # 7 of 8
    0.875
    """
    if not isinstance(answers, Answers):
        answers = read_answers(answers)
    draws = Draws(resamples, seed, level, chance)
    aside = scored_apart(answers, apart)
    people = answers.select(raters=[rater for rater in answers.raters if rater not in aside])
    counted = people.select(role="item").frame
    if not len(counted):
        raise InputError(_why_none(aside, people))
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
    notes: list[str] = []
    parts = list(dict.fromkeys(zip(counted["study"], counted["task"], strict=True)))
    for done, (study, task) in enumerate(parts):
        tell(done, len(parts))
        frame = people.frame.filter((people.frame["study"] == study) & (people.frame["task"] == task))
        whole = Answers(frame, people.items)
        part = whole.select(role="item")
        for name in _fields(part, task):
            notes += of_field(part, study, task, name, draws, rows)
            rows["apart"] += beside_people(answers, aside, part, study, task, name, draws)
        rows["items"] += of_items(part, study, task)
        rows["raters"] += of_raters(whole, study, task)
        rows["agreement"] += [{"study": study, "task": task, **row} for row in agreement(part, task)]
        places = list(of_positions(part, study, task, draws))
        rows["positions"] += places
        notes += notes_of(places)
    tables = {name: frame_of(rows[name], schema) for name, schema in SCHEMAS.items()}
    settings = {"resamples": resamples, "seed": seed, "level": level}
    return Result(**tables, settings=settings, notes=(*people.notes, *dict.fromkeys(notes)))


def _fields(part: Answers, task: str) -> list[str]:
    """The numbers of answers to a task that can be scored."""
    found = []
    for name in FIELDS.get(task, ()):
        known = name not in ("correct", "log_odds") or not np.isnan(part.numbers(name)).all()
        if not known and name == "correct":
            raise InputError(
                f"whether answers to {task} are right is not known: hand over the items with their keys"
            )
        found += [name] if known else []
    return found


def _why_none(aside: set[str], others: Answers) -> str:
    if aside and not len(others):
        return (
            f"all answers are of {', '.join(sorted(aside))}, scored beside people: add these to people's, "
            "people.with_rater(these), or say apart=() to score them as people's are"
        )
    return "no answer is to an item that counts: all are to practice, checks or controls"
