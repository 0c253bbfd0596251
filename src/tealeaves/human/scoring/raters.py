"""What is known of each rater and of each item: checks, times, agreement with the rest."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from tealeaves.human.answers import FIELDS, Answers
from tealeaves.human.item_sets import CHOICES
from tealeaves.human.scoring.measures import Floats
from tealeaves.human.scoring.tables import mean_of, median_of


def of_items(part: Answers, study: str, task: str) -> Iterable[dict[str, Any]]:
    """A row per item: how many said what."""
    numbers = {name: part.numbers(name) for name in ("correct", "familiar", "seconds")}
    if task not in CHOICES:
        numbers["value"] = part.numbers(FIELDS[task][0])
    else:
        numbers["value"] = numbers["correct"]
    places: dict[str, list[int]] = {}
    for n, item in enumerate(part.frame["item"]):
        places.setdefault(item, []).append(n)
    models, topics = list(part.frame["model"]), list(part.frame["topic"])
    for item, mine in places.items():
        said = Counter(str(c) for n in mine if (c := part.values[n].get("choice")) is not None)
        top = said.most_common(2)
        tie = len(top) == 2 and top[0][1] == top[1][1]
        yield {
            "study": study,
            "task": task,
            "item": item,
            "model": models[mine[0]],
            "topic": topics[mine[0]],
            "n": len(mine),
            "value": mean_of(numbers["value"][mine]),
            "known": mean_of(numbers["familiar"][mine]),
            "seconds": median_of(numbers["seconds"][mine]),
            "majority": None if tie or not top else top[0][0],
            "majority_share": top[0][1] / sum(said.values()) if top else np.nan,
        }


def of_raters(whole: Answers, study: str, task: str) -> Iterable[dict[str, Any]]:
    """A row per rater: checks are of ``whole``, all else of items that count."""
    part = whole.select(role="item")
    numbers = {name: part.numbers(name) for name in ("familiar", "seconds", "position")}
    numbers["value"] = part.numbers(FIELDS[task][0])
    agrees = agreement_with_rest(part, task)
    places: dict[str, list[int]] = {}
    for n, rater in enumerate(part.frame["rater"]):
        places.setdefault(rater, []).append(n)
    right = checks_right(whole)
    for rater in whole.raters:
        mine = places.get(rater, [])
        checks, passed = right.get(rater, (0, 0))
        yield {
            "study": study,
            "task": task,
            "rater": rater,
            "n": len(mine),
            "value": mean_of(numbers["value"][mine]),
            "checks": checks,
            "checks_right": passed,
            "agreement": agrees.get(rater, np.nan),
            "seconds": median_of(numbers["seconds"][mine]),
            "known": mean_of(numbers["familiar"][mine]),
            "same_position": same_position(numbers["position"][mine]),
        }


def checks_right(answers: Answers) -> dict[str, tuple[int, int]]:
    """How many check and control items with a right answer each rater had, and how many were right."""
    frame = answers.frame.filter(answers.frame["role"].is_in(["check", "control"]))
    frame = frame.filter(frame["correct"].is_not_null())
    found: dict[str, tuple[int, int]] = {}
    for rater, right in zip(frame["rater"], frame["correct"], strict=True):
        had, passed = found.get(rater, (0, 0))
        found[rater] = had + 1, passed + int(right)
    return found


def same_position(positions: Floats) -> int | None:
    """How often a rater chose the place chosen most often; None where places are not known."""
    given = positions[~np.isnan(positions)].astype(int)
    return int(np.bincount(given).max()) if len(given) else None


def agreement_with_rest(part: Answers, task: str) -> dict[str, float]:
    """How well each rater agrees with the others.

    The share of items where the rater chose what most of the others did (half where these tie); of ratings
    and labels, Pearson's correlation with the mean of the others. nan where there are none, or no variation.
    """
    numbers = part.numbers(FIELDS[task][0])
    items, raters = list(part.frame["item"]), list(part.frame["rater"])
    if task not in CHOICES:
        return _correlations(items, raters, numbers)
    said = [
        value.get("choice", None if np.isnan(c) else c) for value, c in zip(part.values, numbers, strict=True)
    ]
    counts: dict[str, Counter[Any]] = {}
    for item, choice in zip(items, said, strict=True):
        if choice is not None:
            counts.setdefault(item, Counter())[choice] += 1
    shares: dict[str, list[float]] = {}
    for item, rater, choice in zip(items, raters, said, strict=True):
        if choice is None:
            continue
        others = counts[item].copy()
        others[choice] -= 1
        most = max(others.values())
        if most > 0:
            first = [option for option, n in others.items() if n == most]
            shares.setdefault(rater, []).append(float(choice in first) / len(first))
    return {rater: float(np.mean(given)) for rater, given in shares.items()}


def _correlations(items: list[str], raters: list[str], numbers: Floats) -> dict[str, float]:
    there = ~np.isnan(numbers)
    _, code = np.unique(items, return_inverse=True)
    sums = np.bincount(code[there], weights=numbers[there], minlength=code.max() + 1)
    counts = np.bincount(code[there], minlength=code.max() + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = (sums[code] - np.where(there, numbers, 0)) / (counts[code] - 1)
    found: dict[str, float] = {}
    names = np.array(raters)
    for rater in dict.fromkeys(raters):
        mine = (names == rater) & there & np.isfinite(others)
        own, rest = numbers[mine], others[mine]
        varied = len(own) > 2 and own.std() > 0 and rest.std() > 0
        found[rater] = float(np.corrcoef(own, rest)[0, 1]) if varied else np.nan
    return found
