"""Found again? Which topics come back in other runs of a model."""

from collections.abc import Mapping, Sequence

from tealeaves.report.rows import Row, count_of
from tealeaves.verdicts import Thresholds

LARGEST = 200  # topics of a model that are shown
SHOWN_WORDS = 4
FIRST = 15  # rows shown before "all"


def found_again(
    details: Row, runs: Mapping[str, Sequence[str]], lead: str, thresholds: Thresholds
) -> Row | None:
    """What the section shows; None where no model has two runs whose topics can be matched."""
    models = details.get("models") or {}
    limit = thresholds.match
    shown = []
    for base in sorted(runs, key=lambda name: name != lead):
        about = models.get(base) or {}
        if about.get("alignment"):
            shown.append(_aligned(base, about["alignment"]))
            continue
        first = next((run for run in runs[base] if (models.get(run) or {}).get("matches")), None)
        if first is not None:
            others = [run for run in runs[base] if run != first and (models.get(run) or {}).get("matches")]
            shown.append(_matched(base, first, others, models[first], limit))
    shown = [model for model in shown if model["rows"]]
    if not shown:
        return None
    return {"heading": _heading(shown[0]), "models": shown, "limit": limit, "first": FIRST}


def _matched(base: str, first: str, others: Sequence[str], about: Row, limit: float) -> Row:
    """The topics of the first run, and how alike the topic is that each other run has for it."""
    rows = []
    for topic, cosines in about["matches"].items():
        known = [c for c in cosines if c is not None]
        rows.append(
            {
                "id": int(topic),
                "words": list(about["topics"][int(topic)][:SHOWN_WORDS]),
                "cells": [{"text": None, "value": c, "q": _step(c, limit)} for c in cosines],
                "mean": sum(known) / len(known) if known else None,
                "back": sum(c >= limit for c in known),
            }
        )
    rows.sort(key=lambda row: (-(row["mean"] or 0.0), row["id"]))
    n = len(others)
    return {
        "name": base,
        "run": first,
        "columns": list(others),
        "aligned": False,
        "rows": rows[:LARGEST],
        "left_out": max(len(rows) - LARGEST, 0),
        "n": len(rows),
        "back": sum(2 * row["back"] >= n for row in rows),
        "mean": sum(row["mean"] or 0.0 for row in rows) / max(len(rows), 1),
        "n_runs": n + 1,
    }


def _aligned(base: str, alignment: Row) -> Row:
    """The topics of all runs put together, and the number that each has in every run."""
    n = len(alignment["runs"])
    rows = [
        {
            "id": g,
            "words": list(group["words"][:SHOWN_WORDS]),
            "cells": [
                {"text": "–" if k is None else str(k), "value": k, "q": 0 if k is None else 2}
                for k in group["topics"]
            ],
            "mean": group["stability"],
            "back": group["runs"] - 1,
        }
        for g, group in enumerate(alignment["groups"])
    ]
    return {
        "name": base,
        "run": "",
        "columns": list(alignment["runs"]),
        "aligned": True,
        "rows": rows[:LARGEST],
        "left_out": max(len(rows) - LARGEST, 0),
        "n": len(rows),
        "back": sum(row["back"] == n - 1 for row in rows),
        "mean": None,
        "n_runs": n,
    }


def _step(cosine: float | None, limit: float) -> int:
    """The shade of a cell: pale where the topic did not come back."""
    if cosine is None or cosine < limit:
        return 0
    return 1 + sum(cosine >= limit + part * (1 - limit) for part in (1 / 3, 2 / 3))


def _heading(model: Row) -> str:
    told = f"{model['back']} of {count_of(model['n'], 'topic')}"
    if model["aligned"]:
        n = model["n_runs"]
        return f"Found again? {told} are in {'both' if n == 2 else f'all {n}'} runs"
    others = model["n_runs"] - 1
    where = "the other run" if others == 1 else "at least half of the other runs"
    return f"Found again? {told} of {model['name']} come back in {where}"
