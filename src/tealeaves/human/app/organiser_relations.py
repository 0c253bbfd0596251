"""How automatic measures go along with people's scores, as the organiser's page shows it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human.app.organiser_plots import mark_of
from tealeaves.human.app.organiser_words import interval, is_nan, signed

if TYPE_CHECKING:
    from tealeaves.human.relate import Relations
    from tealeaves.human.scoring import Result
    from tealeaves.scores import Scores

RESAMPLES = 1000
FEWEST_MODELS = 5  # for r² with an interval: a line through three explains nearly all by chance
OTHERS = (
    "familiar topics",
    "familiarity held constant",
)  # further correlations, where words were asked about
Row = Mapping[str, Any]


def automatic(found: "Result", scores: "Scores | str") -> dict[str, Any]:
    """A table for each score of people, measures by rows: over topics, and over models where they are enough.

    The measure that goes along best comes first; each of the others has the difference from it, on the same
    resamples of the same topics.
    """
    from tealeaves.human.relate import relate

    if isinstance(scores, str):  # why there are none
        return {"why": scores, "tables": [], "models": []}
    try:
        relations = relate(scores, found, resamples=RESAMPLES)
    except InputError as error:
        return {"why": f"{str(error)[:1].upper()}{str(error)[1:]}.", "tables": [], "models": []}
    humans = list(dict.fromkeys(relations.frame["human"]))
    return {
        "why": "",
        "tables": [_over_topics(relations, human) for human in humans],
        "models": [table for human in humans if (table := _over_models(found, scores, human))],
    }


def _over_topics(relations: "Relations", human: str) -> dict[str, Any]:
    """Spearman's and Pearson's correlations and r² of every measure with one score of people."""
    rows = [row for row in relations.frame.to_dicts() if row["human"] == human]
    whole = [row for row in rows if row["topics"] not in OTHERS]
    defined = {row["topics"] for row in rows if not is_nan(row["spearman"])}
    others = [topics for topics in OTHERS if topics in defined]
    ranked = sorted(whole, key=_strength)
    best = next((row["measure"] for row in ranked if not is_nan(row["spearman"])), None)
    apart = [row for row in relations.differences.to_dicts() if row["human"] == human]
    further = {(row["measure"], row["topics"]): row for row in rows}
    return {
        "human": human.replace("_", " "),
        "n": max(row["n"] for row in whole),
        "others": [f"Spearman’s ρ, {topics}" for topics in others],
        "best": best,
        "rows": [
            {
                **_row(row),
                "others": [_said(further.get((row["measure"], topics)), "spearman") for topics in others],
                "behind": _behind(apart, best, row["measure"]),
            }
            for row in ranked
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    mark = mark_of(row["spearman"], row["spearman_low"], row["spearman_high"], (-1.0, 1.0), zero=True)
    return {
        "measure": row["measure"],
        "n": row["n"],
        "why": row["reason"],
        "mark": None if is_nan(row["spearman"]) else mark,
        **{method: _said(row, method) for method in ("spearman", "pearson", "r2")},
    }


def _said(row: Row | None, method: str) -> str:
    """A correlation with its interval, as text."""
    if row is None or is_nan(row[method]):
        return "—"
    return f"{signed(row[method])} {interval(row[f'{method}_low'], row[f'{method}_high'])}".rstrip()


def _behind(apart: Sequence[Row], best: str | None, measure: str) -> str:
    """How much smaller the correlation is than that of the best measure, and whether that would hold."""
    for row in apart:
        if {row["a"], row["b"]} == {best, measure}:
            sign = 1 if row["a"] == best else -1
            low, high = sorted((sign * row["low"], sign * row["high"]))
            p = "" if is_nan(row["p_holm"]) else f", p {_p(row['p_holm'])}"
            return f"{signed(sign * row['difference'])} {interval(low, high)}{p}"
    return "" if measure == best else "—"


def _over_models(found: "Result", scores: "Scores", human: str) -> dict[str, Any] | None:
    """r² of every measure with people's score of whole models; None where there are too few models."""
    from tealeaves.human.relate import relate_models

    frame = scores.frame
    judged = set(found.models.filter(found.models["measure"] == human)["model"])
    frame = frame.filter((frame["level"] == "model") & frame["model"].is_in(list(judged)))
    if frame["model"].n_unique() < FEWEST_MODELS:
        return None
    rows: list[dict[str, Any]] = []
    for measure in dict.fromkeys(frame["measure"]):
        one = relate_models(scores, found, human, RESAMPLES, measures=[measure])
        rows += one.frame.to_dicts()
    ranked = sorted(rows, key=lambda row: (is_nan(row["r2"]), -row["r2"] if not is_nan(row["r2"]) else 0))
    return {
        "human": human.replace("_", " "),
        "n": max(row["n"] for row in rows),
        "rows": [
            {
                "measure": row["measure"],
                "r2": row["reason"] if is_nan(row["r2"]) else signed(row["r2"]),
                "interval": interval(row["low"], row["high"]),
                "rises": "—" if is_nan(row["slope"]) else "rises" if row["slope"] > 0 else "falls",
            }
            for row in ranked
        ],
    }


def _strength(row: Row) -> tuple[bool, float]:
    undefined = is_nan(row["spearman"])
    return undefined, 0.0 if undefined else -abs(row["spearman"])


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.2g}"
