"""How raters work: checks, time, agreement with the others, places chosen; and whom the rules leave out."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human.answers import KNOWN, Answers

if TYPE_CHECKING:
    from tealeaves.human.filters import Rules
    from tealeaves.human.item_sets import ItemSet
    from tealeaves.human.study import Settings

Row = Mapping[str, Any]
UNLIKELY = 0.001  # a place on the page chosen so often that chance alone would be rarer than this
FEWEST_CONTROLS = 4  # without any check: one slip leaves 0.75 of them right
# What each rule is, as a form asks for it: label, what it is, largest value, step.
RULES = {
    "checks": ("Checks right, at least", "share of the check items, from 0 to 1", 1.0, 0.05),
    "speed": (
        "Median time, beside the others’",
        "at least this share of the study’s own median time, such as 0.33",
        1.0,
        0.01,
    ),
    "seconds": ("Median time, in seconds", "at least so many an item", 600.0, 0.5),
    "position": ("One place on the page, at most", "share of a rater’s answers, from 0 to 1", 1.0, 0.01),
    "known": ("Words known, at least", "share of a rater’s items, from 0 to 1", 1.0, 0.05),
}
# What a table says of a rater who breaks a rule.
BROKEN = {
    "checks": "checks", "seconds": "time", "speed": "time", "page_seconds": "time", "position": "position",
    "known": "words",
}  # fmt: skip


@dataclass(frozen=True)
class Quality:
    """One rater's work. Shares and times are nan where there is nothing to take them of.

    ``agreement`` is how often the rater chose what most of the others did, or the correlation of ratings.
    ``chance``: how likely one place comes so often by chance. ``excluded`` names the rules that are broken,
    and ``why`` says what was found.
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
    why: str = ""


def judge(
    answers: Sequence[Row], raters: Iterable[Row], rules: Mapping[str, Any], items: "ItemSet | None" = None
) -> list[Quality]:
    """The work of each rater, and which rules it breaks: by the same numbers as `tealeaves.human.filters`.

    Parameters
    ----------
    answers : sequence of dict
        The answers that count, one for each rater and item; of all roles.
    raters : iterable of dict
        ``rater`` and ``state``; also those without an answer.
    rules : dict
        Thresholds by the names of `tealeaves.human.filters.Rules`.
    items : ItemSet, optional
        What was asked, with keys.

    Raises
    ------
    InputError
        If there is no such rule, or a threshold is not what was wanted.

    Examples
    --------
    >>> rows = [{"rater": "R-001", "item": "i1", "task": "word_intrusion", "role": "check", "correct": False,
    ...          "value": {"choice": "a"}, "seconds": 2.0, "position": 1}]
    >>> judge(rows, [{"rater": "R-001", "state": "completed"}], {"checks": 0.75})[0].excluded
    ('checks',)
    """
    from tealeaves.human.scoring import agreement_with_rest, checks_right

    told = rules_of(rules)
    people = list(raters)
    if not answers:
        return [Quality(p["rater"], p["state"], 0, 0, 0, math.nan, math.nan, 0, 0, 0, 0) for p in people]
    whole = Answers.from_rows(answers, items)
    part = whole.select(role="item")
    checks = checks_right(whole)
    agreement = agreement_with_rest(part, part.tasks[0]) if len(part) else {}
    broken = _broken(whole, told)
    by_rater: dict[str, list[Row]] = defaultdict(list)
    for row in answers:
        if row["role"] == "item":
            by_rater[row["rater"]].append(row)
    most = max((row["position"] for row in answers if row.get("position") is not None), default=0)
    found = []
    for person in people:
        name, rows = person["rater"], by_rater.get(person["rater"], [])
        places = Counter(row["position"] for row in rows if row.get("position") is not None)
        familiar = [value["familiarity"] for row in rows if "familiarity" in (value := row["value"])]
        seconds = [row["seconds"] for row in rows if row["seconds"] is not None]
        same = max(places.values(), default=0)
        one = Quality(
            name,
            person["state"],
            len(rows),
            *checks.get(name, (0, 0)),
            median(seconds) if seconds else math.nan,
            agreement.get(name, math.nan),
            same,
            places.total(),
            sum(said in KNOWN for said in familiar),
            len(familiar),
            by_chance(same, places.total(), most),
        )
        reasons = broken.get(name, {})
        names = tuple(dict.fromkeys(BROKEN.get(rule, rule) for rule in reasons))
        found.append(replace(one, excluded=names, why="; ".join(reasons.values())))
    return found


def rules_of(rules: Mapping[str, Any]) -> "Rules":
    """The rules as `tealeaves.human.filters` has them."""
    from tealeaves.human.filters import Rules

    try:
        return Rules.from_dict(rules)
    except TypeError as error:
        raise InputError(f"a rule is not what was wanted: {error}") from None


def _broken(answers: Answers, rules: "Rules") -> dict[str, dict[str, str]]:
    """By rater, the rules that are broken and what was found; whoever has no number for a rule is kept."""
    from tealeaves.human.filters import facts, tests_of

    told = facts(answers)
    times = [fact["seconds"] for fact in told.values() if not math.isnan(fact["seconds"])]
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for name, number, fails, says in tests_of(rules, median(times) if times else math.nan):
        for rater, fact in told.items():
            if not math.isnan(fact[number]) and fails(fact[number]):
                found[rater][name] = says(fact[number])
    return found


def defaults(of: int, places: int) -> dict[str, float]:
    """Rules that suit a study in which a rater gives so many answers, with so many places on a page.

    Examples
    --------
    >>> defaults(38, 6)
    {'checks': 0.75, 'speed': 0.33, 'position': 0.43}
    """
    rules = {"checks": 0.75, "speed": 0.33}
    times = next((n for n in range(of + 1) if by_chance(n, of, places) < UNLIKELY), None)
    return rules if times is None else {**rules, "position": math.ceil(100 * (times - 1) / of) / 100}


def usual_rules(items: "ItemSet", settings: "Settings", *, replacing: bool = False) -> dict[str, float]:
    """`defaults` of a set of items, none of which can be broken by what raters do not have.

    The place on the page is judged by as many answers as the raters get who get the fewest, of those who get
    enough for it to be judged at all. Where places are given out again (``replacing``), nobody is judged by
    the time of others.
    """
    from tealeaves.human.filters import FEWEST_PLACES
    from tealeaves.human.serving import lengths

    counting = [item for item in items if item.role == "item"]
    places = max((len(item.options) for item in counting), default=0)
    each = lengths(items, settings) if counting and places else ()
    enough = [n for n in each if n >= FEWEST_PLACES]
    rules = defaults(min(enough, default=0), places)
    idle = {"speed"} if replacing else set()
    controls = sum(item.role == "control" and "expected" in item.hidden for item in items)
    given = controls if settings.controls is None else min(controls, settings.controls)
    # Controls are judged like checks, but who slips at one of few is no bad rater yet.
    if given < FEWEST_CONTROLS and not any(item.role == "check" for item in items):
        idle.add("checks")
    return {name: x for name, x in rules.items() if name not in idle}


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


def sentences(rules: Mapping[str, Any], middle: float = math.nan) -> list[str]:
    """The rules as the page and the methods text say them: a rater is left out with …

    Parameters
    ----------
    rules : dict
        As in `judge`.
    middle : float
        The raters' median of median times, where it is known.

    Examples
    --------
    >>> for text in sentences({"checks": 0.75, "speed": 0.33, "position": 0.4}, 11.2):
    ...     print(text)
    fewer than 75% of the checks right
    a median time under 0.33 of the other raters’ (3.7 s)
    one place on the page in more than 40% of the answers, from 10 answers on
    """
    from tealeaves.human.filters import FEWEST_PLACES

    seconds = "" if math.isnan(middle) else f" ({rules.get('speed', 0) * middle:.1f} s)"
    page, n = rules.get("page_seconds", 0), rules.get("page_items", 10)
    said = {
        "checks": f"fewer than {rules.get('checks', 0):.0%} of the checks right",
        "speed": f"a median time under {rules.get('speed', 0):g} of the other raters’{seconds}",
        "seconds": f"a median time under {rules.get('seconds', 0):g} s an item",
        "page_seconds": f"a median time under {page:g} s a page of {n} items",
        "position": f"one place on the page in more than {rules.get('position', 0):.0%} of the answers, "
        f"from {FEWEST_PLACES} answers on",
        "known": f"fewer than {rules.get('known', 0):.0%} of the words known",
    }
    return [text for name, text in said.items() if rules.get(name) is not None]


def number(value: Mapping[str, Any], part: str = "") -> float:
    """What a rating, or a label of a pair, is as a number, or one part of it; nan for a choice or words.

    Examples
    --------
    >>> number({"rating": 3}), number({"relatedness": 3, "smoothness": 1}, "smoothness")
    (3.0, 1.0)
    """
    for name in (part,) if part else ("rating", "label"):
        found = value.get(name)
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            return float(found)
    return math.nan
