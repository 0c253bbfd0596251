"""Which of two models is better, and whether the difference is real: three questions, told apart.

"Real" has three meanings. *Blocks*: would it hold on other documents? *Topics*: would it hold for other
topics of such models? *Runs*: would it hold if both were fitted again? Only that is about the kind of model.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.runs import base_name
from tealeaves.stats.bootstrap import bootstrap
from tealeaves.stats.tests import holm, permutation, sign_flips

if TYPE_CHECKING:
    import polars

    from tealeaves.scores import Scores

Floats = NDArray[np.float64]
RESAMPLES = 20_000


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a model, or the runs "x#1", "x#2" of one."""

    name: str
    values: Floats  # one a run
    draws: Floats | None  # means over the runs, if of the same documents
    documents: dict[str, float]
    topics: Floats  # of all runs, where defined
    n_topics: int  # of all runs, defined or not
    unit: str = ""  # what the draws drew again


@dataclass(frozen=True)
class Verdict:
    """A difference, its interval, and p with the least that so many repetitions can give."""

    difference: float
    low: float
    high: float
    p: float
    smallest_p: float
    n: int | None
    test: str
    reason: str = ""


@dataclass(frozen=True)
class Rule:
    """How an interval is made: its level, and the seed of what is drawn."""

    level: float
    seed: int


def compare(scores: "Scores", spec: str, test: str | None = None) -> "polars.DataFrame":
    """Compare every pair of models by one measure.

    Models named "x#1", "x#2" ... are runs of x and are compared as one. Means over different shares of the
    topics are not compared: a model that has a score for some of its topics only gets no test. Of the tests
    that the scores allow, the first of this list is made, and the column ``test`` names it:

    - "runs", with at least two runs of both: an exact permutation of the runs; interval by Welch's t.
    - "blocks", where both were resampled on the same blocks of documents: the difference ± z times the
      standard deviation of the paired differences of the draws, and p from that z.
    - "documents", where both have a score for the same documents: flips of the sign of the differences;
      interval by bootstrap.
    - "topics": an unpaired permutation of the topics of both (of all their runs); bootstrap interval.
    - "none": the measure has no repetition here, an infinite value, undefined topics or draws, or no spread;
      interval and p are undefined, and ``reason`` says why.

    Parameters
    ----------
    scores : Scores
        Those of all documents are compared, not those of groups.
    spec : str
        A measure of ``scores``, canonical.
    test : "runs", "blocks", "documents" or "topics", optional
        Make this one, for every pair that allows it; the others get "none".

    Returns
    -------
    polars.DataFrame
        ``model_a``, ``model_b``, ``difference`` (a - b), ``low``, ``high``, ``p`` (two-sided), ``p_holm``
        (Holm's correction over this table), ``test``, ``n`` (repetitions of both together; null for
        blocks), ``smallest_p`` (the least p that so many can give), ``n_topics_a`` and ``n_topics_b`` (topics
        that have a score, of all runs; null if the measure scores no topics), ``reason`` (why there is no
        test).

    Raises
    ------
    InputError
        If there are fewer than two models, or no such test.
    """
    import polars

    if test is not None and test not in TESTS:
        raise InputError(f"test must be one of {', '.join(TESTS)}; got {test!r}")
    sides = _sides(scores, spec)
    if len(sides) < 2:
        names = ", ".join(side.name for side in sides)
        raise InputError(f"comparing by {spec} needs at least two models; there is {names or 'none'}")
    settings = scores.details.settings
    rule = Rule(settings.get("ci") or 0.95, settings.get("seed") or 0)
    pairs = list(combinations(sides, 2))
    found = [_verdict(a, b, rule, [test] if test else list(TESTS)) for a, b in pairs]
    return polars.DataFrame(
        {
            "model_a": [a.name for a, _ in pairs],
            "model_b": [b.name for _, b in pairs],
            "difference": [v.difference for v in found],
            "low": [v.low for v in found],
            "high": [v.high for v in found],
            "p": [v.p for v in found],
            "p_holm": holm([v.p for v in found]).tolist(),
            "test": [v.test for v in found],
            "n": polars.Series([v.n for v in found], dtype=polars.Int64),
            "smallest_p": [v.smallest_p for v in found],
            "n_topics_a": polars.Series([_defined(a) for a, _ in pairs], dtype=polars.Int64),
            "n_topics_b": polars.Series([_defined(b) for _, b in pairs], dtype=polars.Int64),
            "reason": [v.reason for v in found],
        }
    )


def _sides(scores: "Scores", spec: str) -> list[Side]:
    """The models that have this measure, runs of one model together."""
    frame = scores.frame
    rows = frame.filter((frame["measure"] == spec) & (frame["group"] == "") & frame["slice"].is_null())
    members: dict[str, list[str]] = {}
    for model in rows["model"].unique(maintain_order=True):
        members.setdefault(base_name(model), []).append(model)
    sides = []
    for name, runs in members.items():
        of = {level: [rows.filter((rows["model"] == r) & (rows["level"] == level)) for r in runs]
              for level in ("model", "document", "topic")}  # fmt: skip
        draws = [scores.draws.get((run, spec)) for run in runs]
        usable = [draw for draw in draws if draw is not None]
        unit = scores.units.get(spec)
        paired = unit in ("blocks", "documents") and len({len(d) for d in usable}) == 1
        topics = np.concatenate([f["value"].to_numpy() for f in of["topic"]])
        documents = of["document"][0] if len(runs) == 1 else rows.clear()
        scored = documents.filter(documents["value"].is_not_nan())
        sides.append(
            Side(
                name if len(runs) > 1 else runs[0],
                np.array([f["value"][0] if len(f) else np.nan for f in of["model"]]),
                np.mean(usable, axis=0) if paired and len(usable) == len(runs) else None,
                dict(zip(scored["document"], scored["value"], strict=True)),
                topics[~np.isnan(topics)],
                len(topics),
                unit or "",
            )
        )
    return sides


def _verdict(a: Side, b: Side, rule: Rule, tests: Sequence[str]) -> Verdict:
    """The first test that the two allow."""
    missing = [
        f"{side.n_topics - len(side.topics)} of {side.n_topics} topics of {side.name} are undefined"
        for side in (a, b)
        if len(side.topics) < side.n_topics and side.unit != "documents"  # then it is no mean over topics
    ]
    if missing:
        return _untested(a, b, "; ".join(missing))
    for name in tests:
        found = TESTS[name](a, b, rule)
        if found is not None:
            return found if found.reason else replace(found, test=name)
    finite = np.isfinite([*a.values, *b.values]).all()
    return _untested(a, b, "nothing here was repeated" if finite else "a value is undefined or infinite")


def _untested(a: Side, b: Side, reason: str) -> Verdict:
    with np.errstate(invalid="ignore"):  # of two infinite values
        difference = float(a.values.mean() - b.values.mean())
    return Verdict(difference, np.nan, np.nan, np.nan, np.nan, None, "none", reason)


def _defined(side: Side) -> int | None:
    return len(side.topics) if side.n_topics else None


def _by_runs(a: Side, b: Side, rule: Rule) -> Verdict | None:
    first, second = a.values[~np.isnan(a.values)], b.values[~np.isnan(b.values)]
    if min(len(first), len(second)) < 2 or not np.isfinite([*first, *second]).all():
        return None
    from scipy.stats import t

    found = permutation(first, second, RESAMPLES, rule.seed)
    parts = [(values.var(ddof=1) / len(values), len(values) - 1) for values in (first, second)]
    spread = sum(part for part, _ in parts)
    if not spread:
        return _untested(a, b, "the runs of each have one and the same value")
    freedom = spread**2 / sum(part**2 / df for part, df in parts)
    half = float(t.ppf((1 + rule.level) / 2, freedom) * np.sqrt(spread))
    d = found.difference
    return Verdict(d, d - half, d + half, found.p, found.smallest_p, found.n, "")


def _by_blocks(a: Side, b: Side, rule: Rule) -> Verdict | None:
    if (
        "blocks" not in (a.unit, b.unit)
        or a.draws is None
        or b.draws is None
        or a.draws.shape != b.draws.shape
    ):
        return None
    with np.errstate(invalid="ignore"):  # of two infinite draws
        paired = a.draws - b.draws
    difference = float(a.values.mean()) - float(b.values.mean())
    if len(paired) < 2 or not np.isfinite(difference):
        return None
    undefined = int((~np.isfinite(paired)).sum())
    if undefined:
        return _untested(a, b, f"{undefined} of {len(paired)} draws of documents are undefined")
    spread, normal = float(paired.std(ddof=1)), NormalDist()
    if spread <= 1e-12 * float(np.abs([a.draws, b.draws]).max()):  # rounding alone
        return _untested(a, b, "the difference is the same in every draw of documents")
    half = normal.inv_cdf((1 + rule.level) / 2) * spread
    smallest = 1 / (len(paired) + 1)  # what so many draws could tell at best
    p = max(2 * normal.cdf(-abs(difference) / spread), smallest)
    return Verdict(difference, difference - half, difference + half, p, smallest, None, "")


def _by_documents(a: Side, b: Side, rule: Rule) -> Verdict | None:
    shared = [document for document in a.documents if document in b.documents]
    differences = np.array([a.documents[document] - b.documents[document] for document in shared])
    if len(shared) < 2 or not np.isfinite(differences).all():
        return None
    found = sign_flips(differences, RESAMPLES, rule.seed)
    if a.draws is not None and b.draws is not None and a.draws.shape == b.draws.shape:
        # of the models' own scores: a mean over documents weighs a short one as much as a long one
        with np.errstate(invalid="ignore"):
            paired = a.draws - b.draws
        if np.isfinite(paired).all():
            low, high = np.quantile(paired, [(1 - rule.level) / 2, (1 + rule.level) / 2])
            difference = float(a.values.mean() - b.values.mean())
            return Verdict(difference, float(low), float(high), found.p, found.smallest_p, found.n, "")
    spread = bootstrap(differences, np.mean, RESAMPLES, rule.seed, rule.level)
    return Verdict(found.difference, spread.low, spread.high, found.p, found.smallest_p, found.n, "")


def _by_topics(a: Side, b: Side, rule: Rule) -> Verdict | None:
    if min(len(a.topics), len(b.topics)) < 2 or not np.isfinite([*a.topics, *b.topics]).all():
        return None
    if not a.topics.std() and not b.topics.std():
        return _untested(a, b, "the topics of each have one and the same value")
    found = permutation(a.topics, b.topics, RESAMPLES, rule.seed)
    first, second = (
        bootstrap(side.topics, np.mean, RESAMPLES, rule.seed + i, rule.level).draws
        for i, side in enumerate((a, b))
    )
    tail = (1 - rule.level) / 2
    low, high = np.quantile(first - second, [tail, 1 - tail])
    return Verdict(found.difference, float(low), float(high), found.p, found.smallest_p, found.n, "")


TESTS: dict[str, Callable[[Side, Side, Rule], Verdict | None]] = {
    "runs": _by_runs,
    "blocks": _by_blocks,
    "documents": _by_documents,
    "topics": _by_topics,
}
