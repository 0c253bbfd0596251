"""Which reference topics of two curators are the same, and how well both agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.human.curation import Curation
from tealeaves.human.curation_state import CuratedTopic

if TYPE_CHECKING:
    import polars

ALIKE = 0.25  # two topics of different names are one from this likeness on
KINDS = ("items", "words", "documents")


@dataclass(frozen=True)
class Match:
    """What may be one reference topic of two curators; either side is None where only one made it.

    ``likeness`` is the mean of the shares of model topics, words and documents that both have, of those that
    either has; nan where there is one side only. ``kept``: whether it is in the merged set, and ``why`` not.
    """

    first: CuratedTopic | None
    second: CuratedTopic | None
    likeness: float
    kept: bool = True
    why: str = ""

    @property
    def label(self) -> str:
        """The name in the merged set: the first curator's, if there is one."""
        return next((side.label for side in (self.first, self.second) if side is not None and side.label), "")


def named(curation: Curation) -> list[CuratedTopic]:
    return [topic for topic in curation.state.topics.values() if topic.label]


def likeness(first: CuratedTopic, second: CuratedTopic) -> float:
    """The mean share of model topics, words and documents of both, of those that either has."""
    shares = []
    for kind in KINDS:
        one, two = set(getattr(first, kind)), set(getattr(second, kind))
        if one | two:
            shares.append(len(one & two) / len(one | two))
    return float(np.mean(shares)) if shares else 0.0


def paired(first: Sequence[CuratedTopic], second: Sequence[CuratedTopic], alike: float) -> list[Match]:
    """Topics of both, then of one: those of one name, then the best one-to-one choice of the others."""
    from scipy.optimize import linear_sum_assignment

    by_name = {topic.label.casefold(): topic for topic in second}
    found = [(one, by_name[one.label.casefold()]) for one in first if one.label.casefold() in by_name]
    taken = {topic.id for pair in found for topic in pair[:1]}, {pair[1].id for pair in found}
    ones = [topic for topic in first if topic.id not in taken[0]]
    twos = [topic for topic in second if topic.id not in taken[1]]
    table = np.array([[likeness(one, two) for two in twos] for one in ones]).reshape(len(ones), len(twos))
    for i, j in zip(*linear_sum_assignment(table, maximize=True), strict=True):
        if table[i, j] >= alike:
            found.append((ones[i], twos[j]))
    both = sorted((Match(a, b, likeness(a, b)) for a, b in found), key=lambda match: match.likeness)
    matched = {a.id for a, _ in found}, {b.id for _, b in found}
    alone = [Match(topic, None, np.nan) for topic in first if topic.id not in matched[0]]
    alone += [Match(None, topic, np.nan) for topic in second if topic.id not in matched[1]]
    return [*both, *alone]


def agreement(matches: Sequence[Match], first: Curation, second: Curation) -> "polars.DataFrame":
    import polars as pl

    both = [(m.first, m.second) for m in matches if m.first is not None and m.second is not None]
    n = len(named(first)) + len(named(second))
    same = [a.label.casefold() == b.label.casefold() for a, b in both]
    rows = [
        _share("reference topics", 2 * len(both), n, "there are none"),
        _share("names", sum(same), len(same), "no topic is of both"),
        *(_alpha(kind, _ticks(both, kind, first)) for kind in ("words", "documents")),
        _alpha("model topics", _uses(first, second)),
    ]
    kinds = {"of": pl.String, "coefficient": pl.String, "value": pl.Float64, "n": pl.Int64}
    return pl.DataFrame(rows, schema={**kinds, "reason": pl.String})


def _share(of: str, part: int, whole: int, none: str) -> dict[str, Any]:
    value = part / whole if whole else np.nan
    return {"of": of, "coefficient": "share", "value": value, "n": whole, "reason": "" if whole else none}


def _alpha(of: str, pairs: Sequence[tuple[bool, bool]]) -> dict[str, Any]:
    from tealeaves.stats.agreement import krippendorff_alpha, why_no_alpha

    matrix = np.array(pairs, np.float64).reshape(-1, 2).T
    value, why = krippendorff_alpha(matrix, "nominal"), why_no_alpha(matrix)
    return {"of": of, "coefficient": "alpha", "value": value, "n": len(pairs), "reason": why}


def _ticks(
    both: Iterable[tuple[CuratedTopic, CuratedTopic]], kind: str, curation: Curation
) -> list[tuple[bool, bool]]:
    """Of every word or document that both could tick in a topic of both: whether each did."""
    found = []
    for one, two in both:
        shown: dict[str, None] = {}
        for item in (item for item in one.items if item in two.items):
            here = curation.items[item].shown
            shown |= dict.fromkeys(
                here["words"] if kind == "words" else [str(d["id"]) for d in here["documents"]]
            )
        found += [(name in getattr(one, kind), name in getattr(two, kind)) for name in shown]
    return found


def _uses(first: Curation, second: Curation) -> list[tuple[bool, bool]]:
    """Of every model topic that both have done: whether each used it, or set it aside."""
    done = first.state.done & second.state.done
    return [(bool(first.state.of(i)), bool(second.state.of(i))) for i in first.items if i in done]


def pairs_of(logs: Mapping[str, Curation]) -> list[tuple[Curation, Curation]]:
    """Every two curators who have made a topic with a name."""
    made = [log for log in logs.values() if named(log)]
    return [(one, two) for n, one in enumerate(made) for two in made[n + 1 :]]
