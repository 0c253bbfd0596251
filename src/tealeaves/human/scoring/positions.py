"""Whether answers depend on where on the page something stood: the order was drawn anew for every answer."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from tealeaves.human.answers import Answers
from tealeaves.human.item_sets import CHOICES
from tealeaves.human.scoring.data import Draws
from tealeaves.human.scoring.measures import Floats
from tealeaves.human.scoring.tables import mean_of
from tealeaves.stats.bootstrap import bootstrap

SURE = 0.01  # an effect of the place is told in a note if chance alone is rarer


def of_positions(part: Answers, study: str, task: str, draws: Draws) -> Iterable[dict[str, Any]]:
    """Rows of places on the page, and a row of the test over all; none where places are not known."""
    if task in CHOICES:
        rows = _of_choices(part)
    elif task == "topic_pair_matching":
        rows = _of_pairs(part, draws)
    else:
        rows = []
    for row in rows:
        yield {"study": study, "task": task, **row}


def notes_of(rows: Iterable[dict[str, Any]]) -> list[str]:
    """What whoever reads scores should know of places."""
    said = []
    for row in rows:
        if not row.get("p", 1.0) < SURE:
            continue
        if "effect" in row:
            what = f"labels change by {row['effect']:+.2f} where a pair's first topic stands first"
        else:
            what = "some places on the page are chosen more often than others"
        said.append(f"{row['task']}: {what} (p = {row['p']:.2g}); as orders are drawn, no model gains by it")
    return said


def _of_choices(part: Answers) -> list[dict[str, Any]]:
    """How often each place was chosen, and a chi-square test that all are chosen alike.

    Options stand in an order drawn for each rater and item, so that whatever people choose, each place is as
    likely as the others, and answers are independent in this, if the place itself is no reason.
    """
    numbers, right = part.numbers("position"), part.numbers("correct")
    n_options = [_n_options(part, key) for key in part.frame.select("task", "item").iter_rows()]
    there = ~np.isnan(numbers) & ~np.isnan(n_options)
    if not there.any():
        return []
    places, options = numbers[there].astype(int), np.array(n_options)[there]
    counts = Counter(places.tolist())
    expected = {at: float((1 / options[options >= at]).sum()) for at in range(1, int(options.max()) + 1)}
    rows: list[dict[str, Any]] = [
        {
            "position": at,
            "n": counts[at],
            "share": counts[at] / len(places),
            "expected": wanted / len(places),
            "value": mean_of(right[there][places == at]),
            "reason": "",
        }
        for at, wanted in expected.items()
    ]
    return [*rows, {"n": len(places), **_uniform(counts, expected)}]


def _uniform(counts: Counter[int], expected: dict[int, float]) -> dict[str, Any]:
    """p of the chi-square test; undefined where fewer than five are expected at a place."""
    from scipy.special import chdtrc

    if min(expected.values()) < 5:
        return {"reason": "fewer than 5 answers are expected at a place"}
    distance = sum((counts[at] - wanted) ** 2 / wanted for at, wanted in expected.items())
    return {"p": float(chdtrc(len(expected) - 1, distance)), "reason": ""}


def _of_pairs(part: Answers, draws: Draws) -> list[dict[str, Any]]:
    """Labels by which topic of the pair stood first, and the effect of that within pairs."""
    turned, labels = part.numbers("turned"), part.numbers("label")
    there = ~np.isnan(turned) & ~np.isnan(labels)
    if not there.any():
        return []
    side, said = turned[there], labels[there]
    rows: list[dict[str, Any]] = [
        {
            "position": at,
            "n": int((side == at - 1).sum()),
            "share": float((side == at - 1).mean()),
            "expected": 0.5,
            "value": mean_of(said[side == at - 1]),
            "reason": "",
        }
        for at in (1, 2)
    ]
    items, raters = (np.array(part.frame[name])[there] for name in ("item", "rater"))
    return [*rows, {"n": len(said), **_effect(side, said, items, raters, draws)}]


def _effect(side: Floats, said: Floats, items: Any, raters: Any, draws: Draws) -> dict[str, Any]:
    """How much larger the label of one pair is where its first topic stood first; raters are drawn again.

    ``p`` is of the draw of sides itself: signs are drawn anew, answers stay.
    """
    near, far = _centred(-side, items), _centred(said, items)
    if not (near**2).sum() > 0:
        return {"reason": "no pair was shown in both orders"}
    _, who = np.unique(raters, return_inverse=True)
    sums = np.stack([np.bincount(who, near * far), np.bincount(who, near**2)], axis=1)
    found = bootstrap(sums, _slope, *draws.of)
    rng, asked = np.random.default_rng(draws.seed), abs(float(np.where(side == 0, 1.0, -1.0) @ far))
    chance = np.array([rng.choice((-1.0, 1.0), len(far)) @ far for _ in range(draws.resamples)])
    reached = np.abs(chance) >= asked - 1e-9
    p = (1 + int(reached.sum())) / (1 + draws.resamples)
    return {"effect": found.value, "low": found.low, "high": found.high, "p": p, "reason": ""}


def _slope(sums: Floats, axis: int = 0) -> Any:
    """Products by squares, summed over raters."""
    total = sums.sum(axis=axis)
    with np.errstate(divide="ignore", invalid="ignore"):
        return total[..., 0] / total[..., 1]


def _centred(values: Floats, items: Any) -> Floats:
    """Values less the mean of their item."""
    _, code = np.unique(items, return_inverse=True)
    means = np.bincount(code, values) / np.bincount(code)
    return values - means[code]


def _n_options(part: Answers, key: tuple[str, str]) -> float:
    item = part.items.get(key)
    return float(len(item.options)) if item is not None and item.options else np.nan
