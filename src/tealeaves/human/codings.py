"""Agreement of raters on one task, by every coding that makes sense: no coefficient without its coding."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.human.agreement import human_f1
from tealeaves.human.answers import FIELDS, Answers
from tealeaves.human.item_sets import CHOICES
from tealeaves.stats.agreement import krippendorff_alpha, why_no_alpha

Floats = NDArray[np.float64]
RIGHT = "right or wrong"
OPTIONS = "options, each item's its own"
PLACES = "options by number, the right one last"


def agreement(part: Answers, task: str) -> Iterable[dict[str, Any]]:
    """Rows of coefficient, coding, level, value, ``n_items`` and ``n_raters`` (with two answers), reason.

    Of choices: alpha of right or wrong, which is what to report; of the options, each item's its own, and of
    options by number, which papers have used and which differ widely; and Brennan and Prediger's coefficient,
    whose chance is one over the number of options. Of ratings and labels: alpha at three levels. Of labels of
    pairs also human F1.
    """
    if task in CHOICES:
        yield from _of_choices(part)
        return
    for name in FIELDS[task]:
        coding = name if name != "named" else "a label or none"
        matrix = _matrix(part, name)
        levels = ("nominal",) if name == "named" else ("nominal", "ordinal", "interval")
        for level in levels:
            value, reason = krippendorff_alpha(matrix, level), why_no_alpha(matrix)
            yield _row("alpha", coding, level, value, reason, part.frame["item"], part.frame["rater"])
    if task == "topic_pair_matching":
        yield from _human_f1(_matrix(part, "label"), part)


def nominal_alpha(items: Sequence[Hashable], codes: Sequence[Hashable]) -> tuple[float, str]:
    """Krippendorff's alpha of one code per answer, and why it is undefined ("" where it is not).

    As `tealeaves.stats.krippendorff_alpha` at the nominal level, without a matrix of raters, items and
    codes: each of a thousand items may have codes of its own.

    Examples
    --------
    >>> round(nominal_alpha(["a", "a", "b", "b", "c", "c"], [1, 1, 2, 2, 1, 2])[0], 3)
    0.444
    """
    by_item: dict[Hashable, Counter[Hashable]] = {}
    for item, code in zip(items, codes, strict=True):
        by_item.setdefault(item, Counter())[code] += 1
    paired = [counts for counts in by_item.values() if counts.total() > 1]
    if not paired:
        return float("nan"), "no item has two labels"
    totals: Counter[Hashable] = Counter()
    for counts in paired:
        totals.update(counts)
    n = totals.total()
    if len(totals) == 1:
        return float("nan"), "all labels are the same"
    observed = sum((c.total() ** 2 - sum(k * k for k in c.values())) / (c.total() - 1) for c in paired)
    expected = (n * n - sum(k * k for k in totals.values())) / (n - 1)
    return float(1 - observed / expected), ""


def _of_choices(part: Answers) -> Iterable[dict[str, Any]]:
    items, raters = list(part.frame["item"]), list(part.frame["rater"])
    right = part.numbers("correct")
    there = [n for n in range(len(items)) if not np.isnan(right[n])]
    names, who = [items[n] for n in there], [raters[n] for n in there]
    yield _row("alpha", RIGHT, "nominal", *nominal_alpha(names, [right[n] for n in there]), names, who)
    said = [value.get("choice") for value in part.values]
    there = [n for n in range(len(items)) if said[n] is not None]
    if not there:
        return
    names, who = [items[n] for n in there], [raters[n] for n in there]
    own = nominal_alpha(names, [(items[n], said[n]) for n in there])
    yield _row("alpha", OPTIONS, "nominal", *own, names, who)
    known = [part.items.get((task, item)) for task, item in zip(part.frame["task"], items, strict=True)]
    sizes = {len(item.options) if item is not None and item.key is not None else 0 for item in known}
    if len(sizes) == 1 and (k := sizes.pop()):
        places = [_place(known[n], str(said[n])) for n in there]
        yield _row("alpha", PLACES, "nominal", *nominal_alpha(names, places), names, who)
        share = _pairs_alike(names, [said[n] for n in there])
        value, reason = (share - 1 / k) / (1 - 1 / k), "" if share == share else "no item has two labels"
        yield _row("brennan prediger", f"{k} options", "nominal", value, reason, names, who)


def _place(item: Any, choice: str) -> int:
    """The number of an option among those of its item, the right one after the others."""
    others = [option for option in item.options if option != item.key]
    return others.index(choice) if choice in others else len(others)


def _pairs_alike(items: Sequence[Hashable], codes: Sequence[Hashable]) -> float:
    """The mean over items of the share of pairs of answers that are the same; nan if no item has a pair."""
    by_item: dict[Hashable, Counter[Hashable]] = {}
    for item, code in zip(items, codes, strict=True):
        by_item.setdefault(item, Counter())[code] += 1
    shares = [
        sum(k * (k - 1) for k in c.values()) / (c.total() * (c.total() - 1))
        for c in by_item.values()
        if c.total() > 1
    ]
    return float(np.mean(shares)) if shares else float("nan")


def _human_f1(labels: Floats, part: Answers) -> Iterable[dict[str, Any]]:
    items, raters = part.frame["item"], part.frame["rater"]
    if len(labels) < 2:
        yield _row("human F1", "labels from .75", "", np.nan, "one rater", items, raters)
        return
    found = human_f1(labels)
    yield {
        **_row("human F1", "labels from .75", "", found.mean, found.reason, items, raters),
        "sd": found.sd,
    }


def _matrix(part: Answers, name: str) -> Floats:
    """Raters × items; where a rater answers each once, the order of raters within an item is no matter.

    People who each judged one topic would make a row each: alpha does not depend on who said what, so
    answers are put into as few rows as the fullest item needs. Human F1 does, and gets the raters' own rows.
    """
    if name == "label":
        return part.matrix(name)
    numbers = part.numbers(name)
    there = ~np.isnan(numbers)
    _, code = np.unique(np.array(part.frame["item"])[there], return_inverse=True)
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(code.max() + 1 if len(code) else 0))
    depth = np.arange(len(order)) - starts[code[order]] if len(order) else np.zeros(0, int)
    found = np.full((int(depth.max()) + 1 if len(depth) else 0, len(starts)), np.nan)
    found[depth, code[order]] = numbers[there][order]
    return found


def _row(
    coefficient: str, coding: str, level: str, value: float, reason: str, items: Any, raters: Any
) -> dict[str, Any]:
    several = {item for item, n in Counter(items).items() if n > 1}
    who = {rater for item, rater in zip(items, raters, strict=True) if item in several}
    return {
        "coefficient": coefficient,
        "coding": coding,
        "level": level,
        "value": float(value),
        "reason": reason,
        "n_items": len(several),
        "n_raters": len(who),
    }
