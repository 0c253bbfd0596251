"""Test questions out of a pilot: items on which all agreed, and were sure."""

from collections import Counter

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human.answers import Answers
from tealeaves.human.item_sets import CHOICES

MOST_RIGHT = 0.7  # what 001 asks of a contributor's test questions
PAGE_SECONDS = 30  # and of a page of ten annotations


def promoted(
    answers: Answers, fewest: int = 3, agreement: float = 1.0, confidence: float = 1.0, right: bool = True
) -> tuple[str, ...]:
    """The items of a pilot that can be test questions: their ids, in order.

    Parameters
    ----------
    answers : Answers
        Of the pilot: choice tasks only.
    fewest : int
        How many raters must have answered an item. Two people who guess among six agree one time in six.
    agreement : float
        The least share that must have said the same (1: all).
    confidence : float
        The least share that must know the words, or be sure, where that was asked.
    right : bool
        Whether what they agreed on must be the key: else an item on which the model, not the rater, is wrong
        would become a test that only raters who are wrong pass.

    Returns
    -------
    tuple of str
        001 adds these to test questions picked by hand, asks that `MOST_RIGHT` of a rater's be right and
        `PAGE_SECONDS` be spent on a page: ``filtered(answers, FIGURE_EIGHT)``.

    Raises
    ------
    InputError
        If the pilot has no answers to a choice task.

    Examples
    --------
    >>> rows = [{"rater": r, "item": i, "task": "word_intrusion", "value": {"choice": c}, "correct": c == "a"}
    ...         for i, said in (("i1", "aaa"), ("i2", "aab"), ("i3", "bbb")) for r, c in zip("xyz", said)]
    >>> promoted(Answers.from_rows(rows))
    ('i1',)
    """
    if fewest < 2:
        raise InputError(f"fewest must be at least 2: one rater always agrees; got {fewest!r}")
    tasks = [task for task in answers.tasks if task in CHOICES]
    if not tasks:
        raise InputError(
            f"test questions have a right answer: a pilot of one of {', '.join(CHOICES)} is needed"
        )
    found = []
    for task in tasks:
        part = answers.select(task=task, role="item")
        familiar, correct = part.numbers("familiar"), part.numbers("correct")
        places: dict[str, list[int]] = {}
        for n, item in enumerate(part.frame["item"]):
            if part.values[n].get("choice") is not None or not np.isnan(correct[n]):
                places.setdefault(item, []).append(n)
        for item, mine in places.items():
            said = Counter(part.values[n].get("choice", correct[n]) for n in mine)
            choice, n_same = said.most_common(1)[0]
            same = [n for n in mine if part.values[n].get("choice", correct[n]) == choice]
            sure = familiar[mine][~np.isnan(familiar[mine])]
            if (
                len(mine) >= fewest
                and n_same / len(mine) >= agreement - 1e-9
                and (not len(sure) or sure.mean() >= confidence - 1e-9)
                and (not right or correct[same[0]] == 1)
            ):
                found.append(item)
    return tuple(found)
