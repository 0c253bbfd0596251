"""Scores of topics, and whether people could read them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.human.scoring.data import TaskData
from tealeaves.human.scoring.measures import BOUNDS, Floats, within
from tealeaves.stats.crossed import wilson

GUESSING = 0.05  # a topic is told from guessing if so many would be right with a smaller chance than this


def of_topics(
    data: TaskData, name: str, level: float, guess: Mapping[str, float]
) -> Iterable[dict[str, Any]]:
    familiar = data.part.numbers("familiar")
    order = np.argsort(data.unit, kind="stable")
    cuts = np.searchsorted(data.unit[order], np.arange(len(data.units) + 1))
    items = list(data.part.frame["item"])
    topics = list(data.part.frame["topic"])
    for u, (model, _, _) in enumerate(data.units):
        mine = order[cuts[u] : cuts[u + 1]]
        given = mine[data.there[mine]]
        values = data.numbers[given]
        by_rater = np.bincount(data.rater[given])
        once = by_rater.max() == 1
        if name in ("correct", "named") and once:
            low, high = (float(end) for end in wilson(values.sum(), len(values), level))
        else:
            low, high = _mean_interval(values, data.rater[given], level, BOUNDS[name])
        known = familiar[mine][~np.isnan(familiar[mine])]
        names = {items[n] for n in given}
        yield {
            "model": model,
            "topic": topics[given[0]],
            "item": items[given[0]] if len(names) == 1 else "",
            "value": float(values.mean()),
            "low": low,
            "high": high,
            "n": len(values),
            "known": float(known.mean()) if len(known) else np.nan,
            "unreadable": _unreadable(values, name, [guess[item] for item in names if item in guess]),
        }


def _unreadable(values: Floats, name: str, guess: list[float]) -> bool | None:
    """Whether people could not read a topic; None where that cannot be told."""
    if name == "correct":
        share = float(np.mean(guess)) if guess else np.nan
        if np.isnan(share):
            return None
        from scipy.special import bdtrc

        right = int(values.sum())
        return bool(right == 0 or bdtrc(right - 1, len(values), share) > GUESSING)
    if name in ("rating", "relatedness", "smoothness") and within(values, 1.0, 3.0):
        return bool((values == 1).mean() > 0.5)
    return None


def _mean_interval(
    values: Floats, raters: NDArray[np.intp], level: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Student's interval of a mean, over the raters' own means."""
    from scipy.special import stdtrit

    counts = np.bincount(raters)
    means = np.bincount(raters, weights=values)[counts > 0] / counts[counts > 0]
    n = len(means)
    if n < 2 or means.std() == 0:
        return np.nan, np.nan
    half = float(stdtrit(n - 1, (1 + level) / 2)) * means.std(ddof=1) / np.sqrt(n)
    low, high = bounds if within(values, *bounds) else (-np.inf, np.inf)
    return max(low, float(values.mean() - half)), min(high, float(values.mean() + half))
