"""Answers to one task as sums and counts, raters × units; and how what is drawn again is drawn."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tealeaves.human.answers import Answers
from tealeaves.human.scoring.measures import BY_ITEM, Floats


@dataclass(frozen=True)
class Draws:
    """How intervals are drawn, and what guessing gives where the options are not known."""

    resamples: int
    seed: int
    level: float
    chance: float | None = None

    @property
    def of(self) -> tuple[int, int, float]:
        """As functions of `tealeaves.stats` take them, in a row."""
        return self.resamples, self.seed, self.level


class TaskData:
    """Answers to one task as sums and counts, raters × units."""

    def __init__(self, part: Answers, task: str, numbers: Floats) -> None:
        from scipy import sparse

        frame = part.frame
        there = np.isfinite(numbers)
        self.part, self.numbers, self.there = part, numbers, there
        models, topics, items = (list(frame[name]) for name in ("model", "topic", "item"))
        by_item = task in BY_ITEM
        keys = [
            (model, None if by_item else topic, item if by_item or topic is None else "")
            for model, topic, item in zip(models, topics, items, strict=True)
        ]
        self.units = list(dict.fromkeys(key for key, kept in zip(keys, there, strict=True) if kept))
        place = {key: n for n, key in enumerate(self.units)}
        raters = {name: n for n, name in enumerate(part.raters)}
        self.rater = np.array([raters[name] for name in frame["rater"]])
        self.unit = np.array([place.get(key, -1) for key in keys])
        self.models = [unit[0] for unit in self.units]
        shape = (len(raters), len(self.units))
        at = (self.rater[there], self.unit[there])
        self.sums = sparse.csr_matrix((numbers[there], at), shape=shape)
        self.counts = sparse.csr_matrix((np.ones(int(there.sum())), at), shape=shape)

    def chance(self, given: float | None) -> dict[str, float]:
        """What guessing gives, by item: one over the number of its options."""
        found = {}
        for task, name in zip(self.part.frame["task"], self.part.frame["item"], strict=True):
            item = self.part.items.get((task, name))
            share = 1 / len(item.options) if item is not None and item.options else np.nan
            found[name] = share if given is None else given
        return found

    def of_model(self, model: str) -> NDArray[np.bool_]:
        """Which answers count and are of this model's items."""
        mine: NDArray[np.bool_] = self.there & (np.array(self.part.frame["model"]) == model)
        return mine

    def means(self) -> dict[tuple[str, int | None, str], float]:
        """The mean answer by unit: (model, topic, item)."""
        sums, counts = (np.asarray(of.sum(axis=0)).ravel() for of in (self.sums, self.counts))
        return dict(zip(self.units, (sums / counts).tolist(), strict=True))
