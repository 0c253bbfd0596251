"""How raters work: checks, time, agreement with the others, places chosen; and whom the rules leave out."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.human.answers import KNOWN

Row = Mapping[str, Any]
Floats = NDArray[np.float64]
UNLIKELY = 0.01  # a place on the page chosen so often that chance alone would be rarer than this
# What each rule is, as a form and a sentence say it: label, what it is, largest value, step.
RULES = {
    "checks_right": (
        "Checks right, at least",
        "share of the check items from 0 to 1; 0 is no rule",
        1.0,
        0.05,
    ),
    "time_share": (
        "Median time, at least",
        "share of the study’s own median time, such as 0.33; 0 is no rule",
        1.0,
        0.01,
    ),
    "seconds": ("Median time in seconds, at least", "0 is no rule", 600.0, 0.5),
    "same_position": (
        "One place on the page, chance at most",
        "left out if chance would choose one place so often in fewer than this share of raters, such as "
        "0.001; 0 is no rule",
        0.05,
        0.0001,
    ),
    "answers": ("Answers, at least", "of items that count; 0 is no rule", 1000.0, 1.0),
}
DEFAULTS = {"checks_right": 0.75, "time_share": 0.33, "seconds": 0, "same_position": 0.001, "answers": 0}


@dataclass(frozen=True)
class Quality:
    """One rater's work. Shares and times are nan where there is nothing to take them of.

    ``agreement`` is the share of the others' answers to the same items that are the same, for choices, and
    the correlation with the mean of the others, for ratings. ``chance``: how likely one place comes so
    often by chance. ``excluded`` names the rules that are broken.
    """

    rater: str
    state: str
    answers: int
    checks: int
    checks_right: int
    seconds: float
    agreement: float
    same_position: int
    placed: int
    known: int
    asked: int
    chance: float = 1.0
    excluded: tuple[str, ...] = ()


def judge(answers: Sequence[Row], raters: Iterable[Row], rules: Mapping[str, float]) -> list[Quality]:
    """The work of each rater, and which rules it breaks.

    Parameters
    ----------
    answers : sequence of dict
        The answers that count, one for each rater and item; of all roles.
    raters : iterable of dict
        ``rater`` and ``state``; also those without an answer.
    rules : dict
        Thresholds by the names of ``RULES``; 0 is no rule.

    Raises
    ------
    InputError
        If there is no such rule, or a threshold is no number.

    Examples
    --------
    >>> rows = [{"rater": "R-001", "item": "i1", "role": "check", "value": {"choice": "a"}, "correct": False,
    ...          "seconds": 2.0, "position": 1}]
    >>> judge(rows, [{"rater": "R-001", "state": "completed"}], {"checks_right": 0.75})[0].excluded
    ('checks',)
    """
    check_rules(rules)
    by_rater: dict[str, list[Row]] = defaultdict(list)
    for row in answers:
        by_rater[row["rater"]].append(row)
    agreement = agreements(answers)
    every = [row["seconds"] for row in answers if row["role"] == "item" and row["seconds"] is not None]
    middle = median(every) if every else math.nan
    most = max((row["position"] for row in answers if row.get("position") is not None), default=0)
    found = []
    for person in raters:
        rows = by_rater.get(person["rater"], [])
        of_items = [row for row in rows if row["role"] == "item"]
        checks = [row for row in rows if row["role"] == "check" and row["correct"] is not None]
        seconds = [row["seconds"] for row in of_items if row["seconds"] is not None]
        places = Counter(row["position"] for row in of_items if row.get("position") is not None)
        familiar = [value["familiarity"] for row in of_items if "familiarity" in (value := row["value"])]
        one = Quality(
            person["rater"],
            person["state"],
            len(of_items),
            len(checks),
            sum(bool(row["correct"]) for row in checks),
            median(seconds) if seconds else math.nan,
            agreement.get(person["rater"], math.nan),
            max(places.values(), default=0),
            places.total(),
            sum(said in KNOWN for said in familiar),
            len(familiar),
            by_chance(max(places.values(), default=0), places.total(), most),
        )
        found.append(_with_rules(one, rules, middle))
    return found


def by_chance(times: int, of: int, places: int) -> float:
    """How likely (at most) any one of so many places comes so often, if each is as likely as the others.

    Examples
    --------
    >>> round(by_chance(6, 20, 6), 2), round(by_chance(11, 20, 6), 4)
    (0.61, 0.0006)
    """
    if places < 2 or not of:
        return 1.0
    p = 1 / places
    tail = sum(math.comb(of, n) * p**n * (1 - p) ** (of - n) for n in range(times, of + 1))
    return min(1.0, places * tail)


def check_rules(rules: Mapping[str, float]) -> None:
    """Refuse rules that there are not."""
    for name, value in rules.items():
        if name not in RULES:
            raise InputError(f"there is no rule {name!r}; there are {', '.join(RULES)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= RULES[name][2]:
            raise InputError(f"the rule {name} must be a number from 0 to {RULES[name][2]:g}; got {value!r}")


def sentences(
    rules: Mapping[str, float], middle: float = math.nan, of: int = 0, places: int = 0
) -> list[str]:
    """The rules as the page and the methods text say them: a rater is left out with …

    Parameters
    ----------
    rules : dict
        As in `judge`.
    middle : float
        The study's median time, where it is known.
    of, places : int
        The answers of a rater who gives all, and the places on a page.

    Examples
    --------
    >>> rules = {"checks_right": 0.75, "time_share": 0.33, "same_position": 0.001}
    >>> for text in sentences(rules, 11.2, 38, 6):
    ...     print(text)
    fewer than 75% of the checks right
    a median time under 0.33 of the study’s median (3.7 s)
    one place on the page so often as chance has it in fewer than 0.1% of raters (16 of 38)
    """
    said = []
    if share := rules.get("checks_right", 0):
        said.append(f"fewer than {share:.0%} of the checks right")
    if share := rules.get("time_share", 0):
        seconds = "" if math.isnan(middle) else f" ({share * middle:.1f} s)"
        said.append(f"a median time under {share:g} of the study’s median{seconds}")
    if least := rules.get("seconds", 0):
        said.append(f"a median time under {least:g} s")
    if share := rules.get("same_position", 0):
        times = next((n for n in range(of + 1) if by_chance(n, of, places) < share), None)
        many = f" ({times} of {of})" if times is not None else ""
        said.append(
            f"one place on the page so often as chance has it in fewer than {100 * share:g}% of raters{many}"
        )
    if n := rules.get("answers", 0):
        said.append(f"fewer than {n:g} answers")
    return said


def number(value: Mapping[str, Any]) -> float:
    """What a rating, or a label of a pair, is as a number; nan for a choice or words.

    Examples
    --------
    >>> number({"rating": 3}), number({"label": 0.5, "names": ["oil", "gas"]})
    (3.0, 0.5)
    """
    for name in ("rating", "relatedness", "label"):
        found = value.get(name)
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            return float(found)
    return math.nan


def agreements(answers: Iterable[Row]) -> dict[str, float]:
    """How far each rater's answers are those of the others; nan where nobody else answered."""
    by_item: dict[str, list[Row]] = defaultdict(list)
    for row in answers:
        if row["role"] == "item":
            by_item[row["item"]].append(row)
    same: dict[str, list[float]] = defaultdict(list)
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for rows in by_item.values():
        if len(rows) < 2:
            continue
        choices = Counter(row["value"].get("choice") for row in rows)
        numbers = np.array([number(row["value"]) for row in rows])
        for row, own in zip(rows, numbers.tolist(), strict=True):
            choice = row["value"].get("choice")
            if choice is not None:
                same[row["rater"]].append((choices[choice] - 1) / (len(rows) - 1))
            elif not math.isnan(own):
                pairs[row["rater"]].append((own, float((np.nansum(numbers) - own) / (len(rows) - 1))))
    found = {rater: float(np.mean(shares)) for rater, shares in same.items()}
    for rater, both in pairs.items():
        own, others = np.array(both).T
        flat = len(both) < 3 or own.std() == 0 or others.std() == 0
        found[rater] = math.nan if flat else float(np.corrcoef(own, others)[0, 1])
    return found


def _with_rules(one: Quality, rules: Mapping[str, float], middle: float) -> Quality:
    broken = []
    if one.checks and one.checks_right / one.checks < rules.get("checks_right", 0) - 1e-9:
        broken.append("checks")
    if one.seconds < max(rules.get("time_share", 0) * middle, rules.get("seconds", 0)):
        broken.append("time")
    if one.chance < rules.get("same_position", 0):
        broken.append("position")
    if one.answers < rules.get("answers", 0) and one.state != "working":
        broken.append("few answers")
    return Quality(**{**vars(one), "excluded": tuple(broken)})
