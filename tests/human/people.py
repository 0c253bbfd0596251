"""Raters made for tests: of known ability, and small studies by hand."""

import numpy as np

from tealeaves.human.answers import Answers
from tealeaves.human.item_sets import Item, ItemSet

OIL = ("crude", "dividend", "gulf", "oil", "bpd", "opec")  # 003's item, as it is shown there


def oil_item(**given):
    return Item("i0001", "word_intrusion", "lda-20", 0, options=OIL, key="dividend", **given)


def chosen(item, choices, task="word_intrusion", **more):
    """An answer of each rater R1, R2, … to one item."""
    return [
        {"rater": f"R{r}", "item": item, "task": task, "value": {"choice": choice}, **more}
        for r, choice in enumerate(choices, start=1)
    ]


def items(n, model="lda", task="word_intrusion", options="abcdef", key="f"):
    """A set of n items, a topic each, with options a to f; f is right."""
    made = [Item(f"{model}{k:03d}", task, model, k, options=tuple(options), key=key) for k in range(n)]
    return ItemSet(task, made)


def ratings(matrix, task="word_set_rating", name="rating", model="lda", **more):
    """Answers of raters × topics; nan is none."""
    return Answers.from_rows(
        {
            "rater": f"R{r}",
            "item": f"{model}{k}",
            "task": task,
            "model": model,
            "topic": k,
            "value": {name: float(number)},
            **more,
        }
        for r, row in enumerate(np.asarray(matrix, float))
        for k, number in enumerate(row)
        if not np.isnan(number)
    )


def right(matrix, task="word_intrusion", models=None, **more):
    """Answers of raters × topics of which only right (1) or wrong (0) is known."""
    names = ["lda"] * np.shape(matrix)[1] if models is None else models
    return Answers.from_rows(
        {
            "rater": f"R{r}",
            "item": f"{names[k]}/{k}",
            "task": task,
            "model": names[k],
            "topic": k,
            "correct": bool(number),
            **more,
        }
        for r, row in enumerate(np.asarray(matrix, float))
        for k, number in enumerate(row)
        if not np.isnan(number)
    )


def rasch(abilities, easiness, rng, guess=1 / 6):
    """Right or wrong, raters × topics: who does not know guesses."""
    logit = np.asarray(abilities)[:, None] + np.asarray(easiness)[None, :]
    return (rng.random(logit.shape) < guess + (1 - guess) / (1 + np.exp(-logit))).astype(float)
