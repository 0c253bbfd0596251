"""Test questions out of a pilot: items on which all agreed, and were sure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human.answers import Answers
from tealeaves.human.item_sets import CHOICES, ItemSet

MOST_RIGHT = 0.7  # what 001 asks of a contributor's test questions
PAGE_SECONDS = 30  # and of a page of ten annotations
PAGE_ITEMS = 10
EASY = (
    "items on which raters of a pilot agreed are checks and count for no model: what is left is harder "
    "than the models as a whole"
)


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


def evenly(ids: Iterable[str], items: ItemSet, most: int | None = None) -> tuple[str, ...]:
    """At most so many of the items, taken in turns from each model, so that none loses more than others.

    Examples
    --------
    >>> from tealeaves.human.item_sets import Item
    >>> task = "word_set_rating"
    >>> made = ItemSet(task, [Item(f"i{n}", task, model, n) for n, model in enumerate("aab")])
    >>> evenly(["i0", "i1", "i2"], made, 2)
    ('i0', 'i2')
    """
    by_model: dict[str, list[str]] = {}
    for name in ids:
        by_model.setdefault(items.by_id[name].model, []).append(name)
    longest = max(map(len, by_model.values()), default=0)
    turns = [of[turn] for turn in range(longest) for of in by_model.values() if turn < len(of)]
    return tuple(turns if most is None else turns[:most])


def rules_of_pilots(rules: Mapping[str, Any]) -> dict[str, Any]:
    """A study's rules with those of 001 on test questions and time; others stay.

    Examples
    --------
    >>> rules_of_pilots({"checks": 0.75, "position": 0.4})
    {'checks': 0.7, 'position': 0.4, 'page_seconds': 30, 'page_items': 10}
    """
    return {**rules, "checks": MOST_RIGHT, "page_seconds": PAGE_SECONDS, "page_items": PAGE_ITEMS}


def as_checks(items: ItemSet, ids: Iterable[str]) -> ItemSet:
    """The items of the final study, in which those that a pilot promoted are checks, hidden among the others.

    They no longer count for their models. ``settings["promoted"]`` keeps which they are.

    Raises
    ------
    InputError
        If an id is no item's, or an item has no right answer.

    Examples
    --------
    >>> from tealeaves.human.item_sets import Item
    >>> one, two = (Item(i, "word_intrusion", "lda", 0, options=("a", "b"), key="b") for i in ("i1", "i2"))
    >>> [item.role for item in as_checks(ItemSet("word_intrusion", [one, two]), ["i2"])]
    ['item', 'check']
    """
    wanted = list(dict.fromkeys(ids))
    for name in wanted:
        if name not in items.by_id:
            raise InputError(f"there is no item {name!r} to make a check of")
        if items.by_id[name].key is None:
            raise InputError(f"item {name!r} has no right answer, so that it cannot be a check")
    chosen = set(wanted)
    made = [replace(item, role="check") if item.id in chosen else item for item in items]
    before = items.settings.get("promoted", [])
    settings = {**items.settings, "promoted": list(dict.fromkeys([*before, *wanted]))}
    told = [note for note in items.notes if not note.endswith(EASY)]
    if settings["promoted"]:
        told.append(f"{len(settings['promoted'])} {EASY}")
    return ItemSet(items.task, made, items.seed, settings, told, items.without, items.version)
