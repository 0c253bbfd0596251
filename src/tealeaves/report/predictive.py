"""Held-out likelihood beside its baselines."""

import math
from typing import TYPE_CHECKING

from tealeaves.report.rows import Row, measure_facts, pick, whole
from tealeaves.runs import base_name
from tealeaves.verdicts import number

if TYPE_CHECKING:
    from tealeaves.scores import Scores

MEASURES = ("perplexity", "bits_per_word", "log_likelihood")
BESIDE = ("uniform", "unigram", "mc_error", "mc_bias", "words", "left_out", "unknown_share", "how")
BOUNDS = ("bound_sklearn", "bound_gensim")


def predictive(scores: "Scores", rows: list[Row], details: Row) -> Row | None:
    """What the section shows; None where nothing of it was measured."""
    found = whole(pick(rows, level="model"))
    companions = details.get("companions") or {}
    tables, bounds = [], []
    for spec in dict.fromkeys(row["measure"] for row in found):
        name = measure_facts(spec)["name"]
        mine = [row for row in found if row["measure"] == spec]
        if name in MEASURES:
            tables.append(_table(spec, mine, companions))
        elif name in BOUNDS:
            bounds.append(_bound(spec, mine, companions))
    if not any(table["rows"] for table in tables) and not any(bound["rows"] for bound in bounds):
        return None
    return {"tables": tables, "bounds": bounds, "heading": _heading(tables)}


def _table(spec: str, rows: list[Row], companions: Row) -> Row:
    """Scores of one measure, each beside what word frequencies alone and no knowledge at all give."""
    single = []
    for row in rows:
        beside = (companions.get(row["model"]) or {}).get(spec) or {}
        single.append({**row, **{key: beside.get(key) for key in BESIDE}})
    by_model: dict[str, list[Row]] = {}
    for row in single:
        by_model.setdefault(base_name(row["model"]), []).append(row)
    shown = [_of_runs(name, runs) for name, runs in by_model.items()]
    facts = measure_facts(spec)
    return {
        "spec": spec,
        "rows": shown,
        "title": facts["title"],
        "arrow": facts["arrow"],
        "best": facts["best"],
        "unlike": _unlike(shown),
    }


def _of_runs(name: str, runs: list[Row]) -> Row:
    """Runs of one model as one row: their mean, the lowest and highest, and what they were scored on."""
    first = runs[0]
    if len(runs) == 1:
        ends = None if first["low"] is None or first["high"] is None else (first["low"], first["high"])
        return {**first, "runs": 1, "range": f"[{number(ends[0])}, {number(ends[1])}]" if ends else ""}
    values = [row["value"] for row in runs if row["value"] is not None]
    errors = [row["mc_error"] for row in runs if row["mc_error"] is not None]
    finite = bool(values) and all(map(math.isfinite, values))
    why = next((row for row in runs if row["value"] is None), first)
    reason = why["reason"].partition(f"{why['model']!r}: ")[2] or why["reason"]
    if values and len(values) < len(runs):
        reason = f"{len(values)} of {len(runs)} runs have a value: {reason}"
    return {
        **first,
        "reason": reason,
        "model": name,
        "runs": len(runs),
        "value": sum(values) / len(values) if values else None,
        "range": f"{number(min(values))} – {number(max(values))}" if finite else "",
        "mc_error": max(errors, default=None),
        "mc_bias": max((row["mc_bias"] or 0.0 for row in runs), key=abs) or None,
    }


def _bound(spec: str, rows: list[Row], companions: Row) -> Row:
    keys = ("documents_part", "topic_term", "perplexity", "perplexity_of_documents", "gensim_logs")
    shown = []
    for row in rows:
        beside = (companions.get(row["model"]) or {}).get(spec) or {}
        shown.append({**row, **{key: beside.get(key) for key in keys}})
    return {"spec": spec, "rows": shown}


def _heading(tables: list[Row]) -> str:
    """The best value and whose it is; no verdict: the table of models says whether runs settle it."""
    table = next((t for t in tables if t["best"] and any(r["value"] is not None for r in t["rows"])), None)
    if table is None:
        return "On new documents"
    known = [row for row in table["rows"] if row["value"] is not None]
    if not any(math.isfinite(row["value"]) for row in known):
        return "On new documents: no model allows for every word"
    pick_best = max if table["best"] == "high" else min
    top = pick_best(known, key=lambda row: row["value"])
    if len(known) == 1:
        base = top["unigram"] if top["unigram"] is not None else top["uniform"]
        against = "" if base is None else f", against {number(base)} without topics"
        return f"On new documents: {table['title'].lower()} {number(top['value'])}{against}"
    end = "highest" if table["best"] == "high" else "lowest"
    return f"On new documents: {table['title'].lower()} is {end} for {top['model']} ({number(top['value'])})"


def _unlike(rows: list[Row]) -> str:
    """The ways in which the models of a table were scored, where these are not the same; else nothing."""
    by_way: dict[str, list[str]] = {}
    for row in rows:
        if row["how"]:
            by_way.setdefault(row["how"], []).append(row["model"])
    if len(by_way) < 2:
        return ""
    return "; ".join(f"{', '.join(models)}: {way}" for way, models in by_way.items())
