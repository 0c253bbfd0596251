"""Rules for leaving raters out, fixed before the start, and what they change: always before and after."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human.answers import Answers
from tealeaves.human.scoring.raters import checks_right, same_position
from tealeaves.human.scoring.tables import frame_of, median_of, schema_of

if TYPE_CHECKING:
    import polars


FEWEST_PLACES = 10  # answers of a rater from which the place chosen most often says something


@dataclass(frozen=True)
class Rules:
    """Whom to leave out; None is no rule. Fix them before the first answer, not after a look at the scores.

    Parameters
    ----------
    checks : float, optional
        The least share of check and control items with a right answer that must be right (001 asks 0.7).
    seconds : float, optional
        The least median time of an item.
    speed : float, optional
        The least median time as a share of the median of all raters' (1/3 is a common choice).
    page_seconds : float, optional
        The least median time of a page of ``page_items`` items (001 asks 30 seconds for a page of 10).
    page_items : int
        How many items stand on a page.
    position : float, optional
        The largest share of items at which a rater may choose the same place on the page, from 10 items
        on: of five answers at six places three are at one in a fifth of all cases.
    known : float, optional
        The least share of items whose words the rater must know.
    """

    checks: float | None = None
    seconds: float | None = None
    speed: float | None = None
    page_seconds: float | None = None
    page_items: int = 10
    position: float | None = None
    known: float | None = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise InputError(f"{name} must be a number; got {value!r}")
        for name in ("checks", "position", "known"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                raise InputError(f"{name} is a share, from 0 to 1; got {share!r}")
        for name in ("seconds", "speed", "page_seconds"):
            if (least := getattr(self, name)) is not None and not least >= 0:
                raise InputError(f"{name} must be at least 0; got {least!r}")
        if self.page_items < 1:
            raise InputError(f"page_items must be at least 1; got {self.page_items!r}")

    def to_dict(self) -> dict[str, Any]:
        """The rules that are set, as JSON has them."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Rules":
        """The reverse of `to_dict`.

        Raises
        ------
        InputError
            If there is no such rule.
        """
        names = [f.name for f in fields(cls)]
        if unknown := [name for name in given if name not in names]:
            raise InputError(f"there is no rule {unknown[0]!r}; there are {', '.join(names)}")
        return cls(**given)


FIGURE_EIGHT = Rules(checks=0.7, page_seconds=30, page_items=10)  # what 001 asked of its contributors


@dataclass(frozen=True, eq=False, repr=False)
class Filtered:
    """Answers of the raters that are kept, and what leaving out the others changes.

    Attributes
    ----------
    answers : Answers
        Of those who are kept.
    raters : polars.DataFrame
        A row per rater: ``kept``, and ``why`` not: which rules, with what was found.
    effect : polars.DataFrame
        A row per score of a model: ``before``, ``after``, ``n_before`` and ``n_after`` answers.
    notes : tuple of str
        Rules that could not be applied to some raters.
    """

    answers: Answers
    raters: "polars.DataFrame"
    effect: "polars.DataFrame"
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kept = int(self.raters["kept"].sum())
        return f"<Filtered: {kept} of {len(self.raters)} raters kept>"


def filtered(answers: Answers, rules: Rules) -> Filtered:
    """Leave out raters by rules, and show the scores before and after.

    A rater of whom a rule's number is not known (no checks, no times) is kept, and a note says so.

    Raises
    ------
    InputError
        If a rule's number is known of no rater, or nobody would be left.

    Examples
    --------
    >>> rows = [{"rater": r, "item": f"i{i}", "task": "word_intrusion", "model": "lda", "topic": i,
    ...          "correct": r == "ana", "seconds": 9 if r == "ana" else 1}
    ...         for r in ("ana", "ben") for i in (1, 2)]
    >>> found = filtered(Answers.from_rows(rows), Rules(seconds=3))
    >>> found.raters.select("rater", "kept", "why").rows()
    [('ana', True, ''), ('ben', False, 'seconds: 1 < 3')]
    >>> found.effect.select("before", "after").rows()
    [(0.5, 1.0)]
    """
    told = facts(answers)
    notes = []
    whole = median_of(np.array([fact["seconds"] for fact in told.values()], np.float64))
    tests = tests_of(rules, whole)
    why: dict[str, list[str]] = {rater: [] for rater in told}
    for name, number, fails, says in tests:
        known = {rater: fact[number] for rater, fact in told.items() if not np.isnan(fact[number])}
        if not known:
            raise InputError(f"the rule {name} needs {WORDS[number]}, which these answers do not have")
        if len(known) < len(told):
            notes.append(f"rule {name}: {len(told) - len(known)} raters without {WORDS[number]} are kept")
        for rater, found in known.items():
            if fails(found):
                why[rater].append(f"{name}: {says(found)}")
    kept = [rater for rater, reasons in why.items() if not reasons]
    if not kept:
        raise InputError(f"no rater is left by these rules; {_most(why)}")
    left = answers.select(raters=kept)
    rows = [
        {"rater": rater, "kept": not reasons, "why": "; ".join(reasons), **told[rater]}
        for rater, reasons in why.items()
    ]
    schema = {"rater": "String", "kept": "Boolean", "why": "String"} | schema_of(
        "", "checks seconds position known", "n"
    )
    return Filtered(left, frame_of(rows, schema), effect(answers, left), tuple(notes))


WORDS = {
    "checks": "check items",
    "seconds": "times",
    "position": "places on the page",
    "known": "familiarity",
}


def facts(answers: Answers) -> dict[str, dict[str, Any]]:
    """What rules look at, by rater: ``checks`` (share right), ``seconds`` (median), ``position`` (share), …

    ``n`` counts answers to items that count; what is not known is nan.
    """
    right = checks_right(answers)
    part = answers.select(role="item")
    numbers = {name: part.numbers(name) for name in ("seconds", "position", "familiar")}
    places: dict[str, list[int]] = {rater: [] for rater in answers.raters}
    for n, rater in enumerate(part.frame["rater"]):
        places[rater].append(n)
    found = {}
    for rater, mine in places.items():
        had, passed = right.get(rater, (0, 0))
        where = numbers["position"][mine]
        same, n = same_position(where), int((~np.isnan(where)).sum())
        known = numbers["familiar"][mine]
        known = known[~np.isnan(known)]
        found[rater] = {
            "checks": passed / had if had else np.nan,
            "seconds": median_of(numbers["seconds"][mine]),
            "position": same / n if same is not None and n >= FEWEST_PLACES else np.nan,
            "known": float(known.mean()) if len(known) else np.nan,
            "n": len(mine),
        }
    return found


def effect(before: Answers, after: Answers) -> "polars.DataFrame":
    """The scores of models by all answers and by those that are left."""
    rows = []
    first, second = (_means(answers) for answers in (before, after))
    for key, (value, n) in first.items():
        left, fewer = second.get(key, (np.nan, 0))
        names = dict(zip(("study", "task", "measure", "model"), key, strict=True))
        rows.append({**names, "before": value, "after": left, "n_before": n, "n_after": fewer})
    return frame_of(rows, schema_of("study task measure model", "before after", "n_before n_after"))


def _means(answers: Answers) -> dict[tuple[str, ...], tuple[float, int]]:
    """The score of each model, as `score` has it, and the number of its answers."""
    from tealeaves.human.scoring import score

    found = score(answers, resamples=2).models
    names = ("study", "task", "measure", "model")
    return {tuple(row[n] for n in names): (row["value"], row["n_answers"]) for row in found.to_dicts()}


def tests_of(rules: Rules, whole: float) -> list[tuple[str, str, Any, Any]]:
    """(rule, number, whether a number fails it, how that is said) of each rule that is set."""
    least: list[tuple[str, str, float | None]] = [
        ("checks", "checks", rules.checks),
        ("seconds", "seconds", rules.seconds),
        ("speed", "seconds", None if rules.speed is None else rules.speed * whole),
        (
            "page_seconds",
            "seconds",
            None if rules.page_seconds is None else rules.page_seconds / rules.page_items,
        ),
        ("known", "known", rules.known),
    ]
    tests: list[tuple[str, str, Any, Any]] = [
        (name, number, lambda v, x=bound: v < x - 1e-9, lambda v, x=bound: f"{v:.3g} < {x:.3g}")
        for name, number, bound in least
        if bound is not None
    ]
    if rules.position is not None:
        most = rules.position
        tests.append(("position", "position", lambda v: v > most + 1e-9, lambda v: f"{v:.3g} > {most:.3g}"))
    return tests


def _most(why: Mapping[str, list[str]]) -> str:
    names = [reason.split(":")[0] for reasons in why.values() for reason in reasons]
    worst = max(set(names), key=names.count)
    return f"{worst} alone leaves out {names.count(worst)} of {len(why)}"
