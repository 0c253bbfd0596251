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
WEIGHED = "the score weighs its parts, so that their mean would be another number; ci= draws documents again"


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a model, or the runs "x#1", "x#2" of one."""

    name: str
    values: Floats  # one a run
    draws: Floats | None  # means over the runs, if of the same documents
    documents: dict[str, float]  # of one run, where defined
    names: tuple[str, ...]  # of all its documents
    judged: frozenset[str]  # which corpora they are of, as signatures say
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

    ``difference``, interval and p are of the score itself, never of a mean that weighs its parts otherwise.
    Models named "x#1", "x#2" ... are runs of x and are compared as one. Means over different shares of the
    topics are not compared: a model that has a score for some of its topics only gets no test. Of the tests
    that the scores allow, the first of this list is made, and the column ``test`` names it:

    - "runs", with at least two runs of both: an exact permutation of the runs; interval by Welch's t.
    - "blocks", where both were resampled on the same blocks of documents: the difference ± z times the
      standard deviation of the paired differences of the draws, and p from that z.
    - "documents", where the same documents were drawn again for both: interval of the paired differences of
      the draws, and p twice the share of them on the other side of 0 than it, but no less than flips of the
      sign of so many documents could give. Without draws, flips of the sign of the documents' differences
      and a bootstrap interval, where the score is the mean over documents.
    - "topics", where the score is a mean over topics: an unpaired permutation of the topics of both (of all
      their runs); bootstrap interval.
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
        documents = of["document"][0]
        scored = documents.filter(documents["value"].is_not_nan()) if len(runs) == 1 else documents.clear()
        sides.append(
            Side(
                name if len(runs) > 1 else runs[0],
                np.array([f["value"][0] if len(f) else np.nan for f in of["model"]]),
                np.mean(usable, axis=0) if paired and len(usable) == len(runs) else None,
                dict(zip(scored["document"], scored["value"], strict=True)),
                tuple(documents["document"]),
                frozenset(part for f in of["model"] for one in f["signature"] for part in _judged_on(one)),
                topics[~np.isnan(topics)],
                len(topics),
                unit or "",
            )
        )
    return sides


def _judged_on(signature: str) -> list[str]:
    """The corpora that a signature names."""
    return [part for part in signature.split("|") if part.startswith(("corpus:", "held_out:"))]


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
    if not np.isfinite([*a.values, *b.values]).all():
        return _untested(a, b, "a value is undefined or infinite")
    parts = len(a.topics) > 1 or len(a.documents) > 1
    return _untested(a, b, WEIGHED if parts else "nothing here was repeated")


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
    difference = float(a.values.mean()) - float(b.values.mean())
    if not np.isfinite(difference):
        return None
    if "documents" in (a.unit, b.unit) and a.draws is not None and b.draws is not None:
        return _by_drawn_documents(a, b, rule, difference)
    shared = [document for document in a.documents if document in b.documents]
    sides = [np.array([side.documents[document] for document in shared]) for side in (a, b)]
    if len(shared) < 2 or not np.isfinite(sides).all():
        return None
    if not np.isclose(sides[0].mean() - sides[1].mean(), difference, rtol=1e-9, atol=1e-12):
        return None  # the score weighs documents otherwise: the test would be of another number
    differences = sides[0] - sides[1]
    found = sign_flips(differences, RESAMPLES, rule.seed)
    spread = bootstrap(differences, np.mean, RESAMPLES, rule.seed, rule.level)
    return Verdict(found.difference, spread.low, spread.high, found.p, found.smallest_p, found.n, "")


def _by_drawn_documents(a: Side, b: Side, rule: Rule, difference: float) -> Verdict | None:
    """Of the scores themselves on the same documents drawn again, however these are weighed."""
    if a.draws is None or b.draws is None:
        return None
    if a.draws.shape != b.draws.shape or a.names != b.names or a.judged != b.judged:
        return _untested(a, b, "they are scored on other documents")
    with np.errstate(invalid="ignore"):  # of two infinite draws
        paired = a.draws - b.draws
    kept = paired[np.isfinite(paired)]
    if 2 * len(kept) < len(paired):
        return _untested(a, b, f"{len(paired) - len(kept)} of {len(paired)} draws of documents are undefined")
    low, high = np.quantile(kept, [(1 - rule.level) / 2, (1 + rule.level) / 2])
    low, high = min(low, difference), max(high, difference)  # where resampling moves the score
    n = len(a.names) or None
    smallest = max(2 / (len(kept) + 1), 0.0 if n is None else 2.0 ** (1 - n))  # a sign for each document
    others = int((kept * np.sign(difference) <= 0).sum())  # all of them where the difference is 0
    p = min(1.0, max(2 * (1 + others) / (1 + len(kept)), smallest))
    return Verdict(difference, float(low), float(high), p, min(1.0, smallest), n, "")


def _by_topics(a: Side, b: Side, rule: Rule) -> Verdict | None:
    if min(len(a.topics), len(b.topics)) < 2 or not np.isfinite([*a.topics, *b.topics]).all():
        return None
    if not all(np.isclose(side.topics.mean(), side.values.mean(), rtol=1e-9, atol=1e-12) for side in (a, b)):
        return None  # no mean over topics: the test would be of another number
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
