"""What the report says, as plain data: Scores in, one dictionary out, no HTML."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.verdicts import DEFAULTS, LABELS, VERDICTS, Neighbour, Thresholds, TopicFacts, judge, number

if TYPE_CHECKING:
    from tealeaves.scores import Scores

Row = dict[str, Any]
RUN = re.compile(r"(?P<name>.*)#(?P<run>\d+)")
ALPHA = 0.05
LEVELS = ("Stop", "Look", "Note")
ORDER = ("drop", "unknown", "split", "merge", "check", "keep")  # what needs attention first
MATRIX = 10  # the pair matrix is of so many top words
SHOWN_TWINS = 200
COMPARED = 10  # with more models than this the table of differences is left out

# The plain name of a measure and the question it answers; the spec stands in the note beside it.
PLAIN = {
    "npmi": ("Coherence", "Do the top words share documents more than chance?"),
    "c_v": ("Coherence by company", "Do the top words keep the same company?"),
    "c_p": ("Coherence by confirmation", "Does a word make the words before it likelier?"),
    "c_a": ("Coherence by context", "Do the top words stand in the same contexts?"),
    "uci": ("Coherence, rare pairs first", "Do the top words meet near each other? Rare pairs weigh most."),
    "umass": ("Coherence by rank", "Is a word found where the words ranked above it are?"),
    "u_mass": ("Coherence by rank, mean", "Is a word found where the words ranked above it are?"),
    "doc_coherence": ("Documents alike", "Are the documents of a topic about the same thing?"),
    "we_coherence": ("Words alike", "Do the top words have similar vectors?"),
    "topic_diversity": ("Distinct words", "What share of all top words is unique?"),
    "diversity": ("Words of their own", "How few top words does a topic share with others?"),
    "topic_overlap": ("Shared words", "How many top words does a topic share with others?"),
    "inverted_rbo": ("Distinct rankings", "How different are the ranked lists?"),
    "average_jaccard": ("Alike rankings", "How much do the ranked lists overlap?"),
    "exclusivity": ("Exclusive words", "Do the top words belong to one topic only?"),
    "frex": ("Frequent and exclusive", "Are the top words frequent and of one topic only?"),
    "topic_distance": ("Distance of topics", "How far apart are the topics' words?"),
    "tq": ("Coherent and distinct", "Coherence times distinct words, topic by topic."),
    "sig_uni": ("Far from a flat list", "Does a topic favour some words over all others?"),
    "sig_vac": ("Far from the whole corpus", "Does a topic differ from the corpus' own words?"),
    "sig_back": ("Far from background", "Is a topic at home in some documents only?"),
    "perplexity": ("Held-out perplexity", "How surprising are words it has not seen?"),
    "log_likelihood": ("Held-out likelihood", "How likely are words it has not seen?"),
    "au_cdc": ("Coverage", "Are the reference topics found?"),
    "consistency": ("Consistency", "Do neighbouring words stay in one topic?"),
    "instance_stabil": ("Found again", "Do other runs find the same topics?"),
}


def summarize(scores: "Scores", against: "Scores | None" = None, thresholds: Thresholds = DEFAULTS) -> Row:
    """Everything the report shows, as a dictionary of plain values (nan is None).

    Parameters
    ----------
    scores : Scores
        What `evaluate` returned.
    against : Scores, optional
        Other scores; the summary says for each measure which part of the signatures differs.
    thresholds : Thresholds
        Of the verdicts.
    """
    rows = [_clean(row) for row in scores.frame.to_dicts()]
    details = _plain(scores.details)
    runs = _runs(details.get("models") or {}, rows)
    table = _table(scores, rows, runs, details)
    models = [_model(name, rows, runs, details, thresholds) for name in _opened(runs, details)]
    lead = _lead(table)
    opened = next((m for m in models if m["base"] == lead["name"]), models[0] if models else None)
    warnings = _warnings(details, models, table)
    return {
        "title": _title(runs, models),
        "facts": _facts(details, runs),
        "answer": _answer(table, lead, opened, warnings),
        "table": table,
        "real": _real(scores, table, lead),
        "groups": _groups(rows),
        "models": models,
        "opened": opened["name"] if opened else "",
        "twins": _twins(details, thresholds),
        "warnings": warnings,
        "method": _method(rows, details, runs, thresholds),
        "against": _against(rows, [_clean(r) for r in against.frame.to_dicts()])
        if against is not None
        else None,
        "version": str((details.get("settings") or {}).get("version") or ""),
    }


def differences(one: str, other: str) -> list[tuple[str, str, str]]:
    """Return the parts in which two signatures differ, as (part, in this one, in the other).

    Examples
    --------
    >>> differences("npmi|top:10|docs:7769|v:0.1.0", "npmi|top:20|docs:7769|v:0.1.0")
    [('top', '10', '20')]
    """
    a, b = _parts(one), _parts(other)
    return [
        (key, a.get(key, "not said"), b.get(key, "not said"))
        for key in {**a, **b}
        if a.get(key) != b.get(key)
    ]


def _parts(signature: str) -> dict[str, str]:
    name, *rest = signature.split("|")
    found = {"measure": name}
    for part in rest:
        key, _, value = part.partition(":")
        found[key] = value
    return found


def _plain(details: Any) -> Row:
    if isinstance(details, Mapping):
        return dict(details)
    return {k: v for k, v in vars(details).items() if not k.startswith("_")}


def _clean(row: Row) -> Row:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}


def _base(model: str) -> str:
    found = RUN.fullmatch(model)
    return found["name"] if found else model


def _runs(models: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the runs of each model; a model that was fitted once is its own only run."""
    runs: dict[str, list[str]] = {}
    for name in [*models, *(row["model"] for row in rows)]:
        group = runs.setdefault(_base(name), [])
        if name not in group and (name != _base(name) or name in models or not group):
            group.append(name)
    return {base: [r for r in group if r != base] or [base] for base, group in runs.items()}


@cache
def _about(spec: str) -> Row:
    """Plain name, question, direction and needs of a measure; unknown ones keep their spec as name."""
    from tealeaves.errors import TealeavesError
    from tealeaves.measures._table import parse

    name, best, question = re.split(r"[(@]", spec)[0], None, ""
    try:
        parsed = parse(spec)
        name, best, question = parsed.name, parsed.measure.best, parsed.measure.summary
    except TealeavesError:
        pass  # a measure of another version: its numbers are still shown
    title, asks = PLAIN.get(name, (spec, question))
    arrow = {"high": "↑ higher is better", "low": "↓ lower is better"}.get(
        best or "", "neither end is better"
    )
    return {"name": name, "title": title, "asks": asks, "best": best, "arrow": arrow}


def _pick(rows: Iterable[Row], **where: Any) -> list[Row]:
    return [row for row in rows if all(row.get(k) == v for k, v in where.items())]


def _whole(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if not row.get("group")]


def _unique(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


# --- the table of models -------------------------------------------------------------------------


def _table(scores: "Scores", rows: list[Row], runs: dict[str, list[str]], details: Row) -> Row:
    model_rows = _whole(_pick(rows, level="model"))
    by_key = {(row["model"], row["measure"]): row for row in model_rows}
    columns, missing = [], []
    for spec in _unique(row["measure"] for row in model_rows):
        about = _about(spec)
        cells = {name: _cell(by_key, name, group, spec) for name, group in runs.items()}
        if all(cell["value"] is None for cell in cells.values()):
            reasons = _unique(cell["reason"] for cell in cells.values() if cell["reason"])
            missing.append(
                {"title": about["title"], "spec": spec, "reason": "; ".join(reasons) or "undefined"}
            )
            continue
        _mark(scores, spec, about["best"], cells, runs)
        _strip([c for c in cells.values() if c["value"] is not None])
        unit = (_units(scores).get(spec)) or ""
        columns.append({**about, "spec": spec, "cells": cells, "unit": unit})
    names = [
        {
            "name": n,
            "topics": _topic_count(details, g),
            "runs": len(g),
            "note": "one run" if len(g) == 1 else f"{len(g)} runs",
        }
        for n, g in runs.items()
    ]
    return {
        "columns": columns,
        "models": names,
        "missing": missing,
        "heading": _table_heading(columns, runs),
        "repeated": sum(len(g) > 1 for g in runs.values()),
        "most_runs": max((len(g) for g in runs.values()), default=0),
        "smallest_p": _smallest_p(runs),
    }


def _units(scores: "Scores") -> Mapping[str, str]:
    return getattr(scores, "units", None) or {}


def _topic_count(details: Row, group: Sequence[str]) -> int | None:
    found = [(details.get("models") or {}).get(name, {}).get("n_topics") for name in group]
    return next((int(k) for k in found if k is not None), None)


def _cell(by_key: Mapping[tuple[str, str], Row], name: str, group: Sequence[str], spec: str) -> Row:
    found = [by_key[r, spec] for r in group if (r, spec) in by_key] or [
        by_key[k] for k in [(name, spec)] if k in by_key
    ]
    values = [row["value"] for row in found if row["value"] is not None]
    reason = next((row["reason"] for row in found if row["reason"]), "not asked for" if not found else "")
    cell: Row = {
        "value": None,
        "low": None,
        "high": None,
        "points": [],
        "tag": "",
        "reason": reason,
        "range": "",
    }
    if not values or not np.isfinite(values).all():
        if values:
            cell["reason"] = f"{number(float(np.mean(values)))}, not finite" + (
                f": {reason}" if reason else ""
            )
        return cell
    cell["value"] = float(np.mean(values))
    if len(values) > 1:
        cell.update(low=min(values), high=max(values), points=values)
        cell["range"] = f"{number(min(values))} – {number(max(values))}"
    elif found[0].get("low") is not None and found[0].get("high") is not None:
        cell.update(low=found[0]["low"], high=found[0]["high"])
        cell["range"] = f"[{number(cell['low'])}, {number(cell['high'])}]"
    terms = found[0].get("n_terms")
    cell["n_terms"] = int(terms) if terms is not None else None
    cell["partial"] = reason if reason and found[0]["value"] is not None else ""
    if len(values) < len(found):
        cell["partial"] = f"{len(values)} of {len(found)} runs have a value" + (
            f": {reason}" if reason else ""
        )
    return cell


def _mark(
    scores: "Scores", spec: str, best: str | None, cells: dict[str, Row], runs: dict[str, list[str]]
) -> None:
    """Mark the best model, and those that cannot be told from it or would need more runs."""
    known = {name: cell["value"] for name, cell in cells.items() if cell["value"] is not None}
    if best is None or len(known) < 2:
        return
    top = (max if best == "high" else min)(known, key=lambda n: known[n])
    p = _p_values(scores, spec)
    for name, cell in cells.items():
        if cell["value"] is None:
            continue
        if cell["value"] == known[top]:
            cell["tag"] = "best"
        elif len(runs[name]) > 1 and len(runs[top]) > 1:
            p_here = p.get(frozenset((name, top)))
            cell["p"] = p_here
            cell["tag"] = "≈ best" if p_here is not None and p_here >= ALPHA else ""
        elif _overlap(cell, cells[top]):
            cell["tag"] = "needs more runs"


def _p_values(scores: "Scores", spec: str) -> dict[frozenset[str], float]:
    """Corrected p of each two models over their runs, where there are runs."""
    rows = _compared(scores, spec, "runs")
    return {frozenset((row["model_a"], row["model_b"])): row["p_holm"] for row in rows}


def _compared(scores: "Scores", spec: str, test: str) -> list[Row]:
    """Return the rows of one test of ``scores.compare``, or none where nothing can be compared."""
    from tealeaves.errors import InputError

    try:
        rows = [_clean(row) for row in scores.compare(spec, test).to_dicts()]
    except InputError:
        return []
    return [row for row in rows if row["test"] == test and row["p_holm"] is not None]


def _real(scores: "Scores", table: Row, lead: Row) -> Row | None:
    """Each model against the leading one, by what would be repeated: documents, topics, the fit."""
    if lead["column"] is None or not 1 < len(table["models"]) <= COMPARED:
        return None
    spec, top = lead["column"]["spec"], lead["name"]
    rows: dict[str, Row] = {
        n: {"name": n} for n, c in lead["column"]["cells"].items() if n != top and c["value"] is not None
    }
    for test in ("blocks", "topics", "runs"):
        for found in _compared(scores, spec, test):
            a, b = found["model_a"], found["model_b"]
            if top not in (a, b) or (other := b if a == top else a) not in rows:
                continue
            sign = 1 if b == top else -1
            ends = sorted(sign * x for x in (found["low"], found["high"]) if x is not None)
            cell = {
                "value": sign * found["difference"],
                "p": found["p_holm"],
                "smallest": found.get("smallest_p"),
            }
            cell.update(low=ends[0] if len(ends) == 2 else None, high=ends[1] if len(ends) == 2 else None)
            rows[other][test] = cell
    tests = [t for t in ("blocks", "topics", "runs") if any(t in row for row in rows.values())]
    cells = [row[t] for row in rows.values() for t in tests if t in row]
    if not cells:
        return None
    _strip([*cells, {"value": 0.0, "low": None, "high": None}])
    for row in rows.values():
        runs = row.get("runs")
        row["answer"] = "Needs more runs" if runs is None else "Yes" if runs["p"] < ALPHA else "Cannot say"
    settled = sum(row["answer"] == "Yes" for row in rows.values())
    if settled:
        heading = f"Over runs, {top} differs from {settled} of {len(rows)} other models"
    elif "runs" in tests:
        heading = f"No difference from {top} is settled over runs"
    else:
        heading = "Is a difference real? One run a model cannot say"
    return {
        "top": top,
        "spec": spec,
        "title": lead["column"]["title"],
        "tests": tests,
        "rows": list(rows.values()),
        "heading": heading,
    }


def _overlap(a: Row, b: Row) -> bool:
    if a["low"] is None or b["low"] is None:
        return True  # without an interval nothing says that they differ
    return bool(a["low"] <= b["high"] and b["low"] <= a["high"])


def _strip(cells: Sequence[Row]) -> None:
    """Give the cells of a column one scale for their interval strips."""
    ends = [x for c in cells for x in (c["value"], c["low"], c["high"]) if x is not None]
    low, high = min(ends), max(ends)
    pad = 0.08 * (high - low) or abs(high) * 0.1 or 1.0
    for c in cells:
        c["min"], c["max"] = low - pad, high + pad


def _smallest_p(runs: Mapping[str, Sequence[str]]) -> float | None:
    """Return the smallest corrected p that an exact permutation of two models' runs can give."""
    many = sorted((len(g) for g in runs.values() if len(g) > 1), reverse=True)
    if len(many) < 2:
        return None
    comparisons = math.comb(len(runs), 2)
    return min(1.0, comparisons * 2 / math.comb(many[0] + many[1], many[0]))


def _lead(table: Row) -> Row:
    """Return the model that leads in coherence (or in the first measure that has a best end)."""
    columns = [c for c in table["columns"] if c["best"]]
    column = next((c for c in columns if c["name"] == "npmi"), columns[0] if columns else None)
    if column is None:
        return {"name": table["models"][0]["name"] if table["models"] else "", "column": None}
    known = {n: c["value"] for n, c in column["cells"].items() if c["value"] is not None}
    top = (max if column["best"] == "high" else min)(known, key=lambda n: known[n])
    tied = [
        n
        for n, c in column["cells"].items()
        if n != top and c["tag"] in ("best", "≈ best", "needs more runs")
    ]
    beaten = [n for n, c in column["cells"].items() if n != top and (c.get("p") or 1.0) < ALPHA]
    return {"name": top, "column": column, "tied": tied, "beaten": beaten, "others": len(known) - 1}


def _table_heading(columns: Sequence[Row], runs: Mapping[str, Any]) -> str:
    if len(runs) < 2:
        return "The model's numbers"
    winners = [
        {n for n, c in column["cells"].items() if c["tag"] == "best"} for column in columns if column["best"]
    ]
    common = set.intersection(*winners) if winners else set()
    if len(common) == 1:
        return f"{common.pop()} has the best value in every column"
    return "No model is best in everything"


# --- the topics of one model ---------------------------------------------------------------------


def _opened(runs: Mapping[str, Sequence[str]], details: Row) -> list[str]:
    known = details.get("models") or {}
    return [next((r for r in group if r in known), group[0]) for group in runs.values()]


def _model(name: str, rows: list[Row], runs: dict[str, list[str]], details: Row, t: Thresholds) -> Row:
    detail = (details.get("models") or {}).get(name, {})
    own = _whole(_pick(rows, model=name, level="topic"))
    specs = _unique(row["measure"] for row in own)
    by_topic: dict[int, list[Row]] = {}
    for row in own:
        if row.get("topic") is not None and not row.get("slice"):
            by_topic.setdefault(int(row["topic"]), []).append(row)
    lists = detail.get("topics") or []
    main = next(
        (s for s in specs if s == "npmi@10"), next((s for s in specs if _about(s)["name"] == "npmi"), None)
    )
    count = int(detail.get("n_topics") or max(len(lists), len(by_topic)))
    topics = [_topic(name, k, by_topic.get(k, []), lists, main, details, t) for k in range(count)]
    _scale(topics)
    order = {v: i for i, v in enumerate(ORDER)}
    ranked = sorted(
        topics, key=lambda x: (order[x["verdict"]], x["npmi"] if x["npmi"] is not None else -9.0, x["id"])
    )
    for rank, topic in enumerate(ranked):
        topic["rank"] = rank
    counts = {v: sum(x["verdict"] == v for x in topics) for v in VERDICTS}
    band = any(x["band"] for x in topics)
    shown = name if name == _base(name) else f"{_base(name)}, first run"
    return {
        "name": name,
        "base": _base(name),
        "shown": shown,
        "run": "" if name == _base(name) else f"first of {len(runs[_base(name)])} runs",
        "topics": ranked,
        "specs": specs,
        "main": main or "NPMI of the pair matrix",
        "counts": counts,
        "labels": LABELS,
        "above": sum(x["above"] for x in topics) if band else None,
        "judged": sum(x["npmi"] is not None for x in topics),
        "sizes": any(x["size"] is not None for x in topics),
        "weights": any(x["weights"] for x in topics),
        "band": band,
        "notes": list(detail.get("notes") or []),
        "source": str(detail.get("source") or ""),
        "heading": _model_heading(shown, counts, len(topics)),
        "why": _why_no_columns(topics),
    }


def _why_no_columns(topics: Sequence[Row]) -> str:
    missing = [
        word
        for word, there in (("size", "size"), ("weights", "weights"))
        if not any(t[there] for t in topics)
    ]
    if not missing:
        return ""
    why = "the model is word lists only" if len(missing) == 2 else "the model does not say it"
    return f"No {' and no '.join(missing)} of topics: {why}."


def _model_heading(name: str, counts: Mapping[str, int], total: int) -> str:
    if counts["keep"] == total:
        return f"{name}: keep all {total} topics"
    rest = [f"{LABELS[v].lower()} {counts[v]}" for v in ORDER if v not in ("keep", "unknown") and counts[v]]
    if counts["unknown"]:
        rest.append(f"{counts['unknown']} cannot be judged")
    return f"{name}: keep {counts['keep']} of {total} topics, {', '.join(rest)}"


def _topic(
    model: str,
    k: int,
    rows: list[Row],
    lists: Sequence[Sequence[str]],
    main: str | None,
    details: Row,
    t: Thresholds,
) -> Row:
    pairs = _of_topic(details, "pairs", model, k)
    unknown = _of_topic(details, "unknown", model, k)
    chance = _of_topic(details, "chance", model, k)
    detail = (details.get("models") or {}).get(model, {})
    words = [str(w) for w in (lists[k] if k < len(lists) else pairs.get("words") or [])]
    judged = [str(w) for w in (pairs.get("words") or words[:MATRIX])]
    matrix = _matrix(pairs.get("npmi"), len(judged))
    row = next((r for r in rows if r["measure"] == main), None)
    npmi, low, high, reason = (
        (row["value"], row["low"], row["high"], row["reason"]) if row else (None, None, None, "")
    )
    if row is None and len(matrix) > 1 and not np.isnan(matrix).any():
        npmi = float(matrix[np.triu_indices(len(matrix), 1)].mean())
    band = chance.get(main) if main else None
    facts = TopicFacts(
        judged,
        _nan(npmi),
        _nan(low),
        _nan(high),
        matrix,
        tuple(map(float, band)) if band and None not in band else None,  # type: ignore[arg-type]
        _neighbours(details, model, k),
        [str(w) for w in unknown.get("absent") or []],
        [float(x) for x in ((detail.get("matches") or {}).get(str(k)) or [])],
        reason=reason or ("no coherence was asked for" if row is None else ""),
    )
    verdict = judge(facts, t)
    weights = detail.get("weights") or []
    sizes = detail.get("size") or []
    return {
        "id": k,
        "verdict": verdict.name,
        "label": verdict.label,
        "sentence": verdict.sentence,
        "odd": list(verdict.odd),
        "words": words,
        "judged": judged,
        "npmi": npmi,
        "low": low,
        "high": high,
        "reason": reason,
        "band": list(facts.chance) if facts.chance else None,
        "above": facts.chance is not None
        and npmi is not None
        and (low if low is not None else npmi) > facts.chance[2],
        "matrix": [[None if math.isnan(x) else round(float(x), 3) for x in line] for line in matrix.tolist()],
        "joint": pairs.get("joint"),
        "single": pairs.get("single"),
        "weights": [float(x) for x in weights[k][: len(words)]] if k < len(weights) and weights[k] else None,
        "size": float(sizes[k]) if k < len(sizes) and sizes[k] is not None else None,
        "scores": [
            {**_score(r), "band": list(chance[r["measure"]]) if r["measure"] in chance else None}
            for r in rows
        ],
        "absent": facts.absent,
        "coverage": unknown.get("coverage"),
        "hints": {str(w): _hint(h) for w, h in (unknown.get("hints") or {}).items()},
        "nearest": _nearest(details, model, k),
    }


def _score(row: Row) -> Row:
    about = _about(row["measure"])
    kept = {key: row[key] for key in ("value", "low", "high", "n_terms", "reason")}
    return {"spec": row["measure"], "title": about["title"], "arrow": about["arrow"], **kept}


def _hint(hint: Any) -> str:
    if isinstance(hint, str):
        return hint
    return ", ".join(map(str, hint)) if isinstance(hint, Sequence) else str(hint)


def _nan(x: float | None) -> float:
    return float("nan") if x is None else float(x)


def _matrix(npmi: Any, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    if not npmi or len(npmi) != n:
        return np.full((0, 0), np.nan)
    return np.array([[_nan(x) for x in line] for line in npmi], dtype=np.float64)


def _of_topic(details: Row, part: str, model: str, k: int) -> Row:
    topics = (details.get(part) or {}).get(model) or {}
    found = topics.get(str(k), topics.get(k))
    return dict(found) if found else {}


def _alike(details: Row, model: str, k: int) -> list[tuple[int, Row]]:
    found = []
    for pair in details.get("similar") or []:
        if pair["model_a"] != model or pair["model_b"] != model:
            continue
        if pair["topic_a"] == k:
            found.append((int(pair["topic_b"]), pair))
        elif pair["topic_b"] == k:
            found.append((int(pair["topic_a"]), pair))
    return found


def _neighbours(details: Row, model: str, k: int) -> list[Neighbour]:
    return [Neighbour(q, int(p["shared"]), _nan(p.get("cosine"))) for q, p in _alike(details, model, k)]


def _nearest(details: Row, model: str, k: int) -> Row | None:
    found = max(
        _alike(details, model, k), key=lambda x: (x[1]["shared"], _nan(x[1].get("cosine"))), default=None
    )
    return (
        {"topic": found[0], "shared": found[1]["shared"], "cosine": found[1].get("cosine")} if found else None
    )


def _scale(topics: Sequence[Row]) -> None:
    ends = [x for t in topics for x in (t["npmi"], t["low"], t["high"], *(t["band"] or ())) if x is not None]
    low, high = min([*ends, 0.0]), max([*ends, 0.1])
    low, high = math.floor(low * 10 - 0.3) / 10, math.ceil(high * 10 + 0.3) / 10
    for t in topics:
        t["min"], t["max"] = max(low, -1.05), min(high, 1.05)


# --- the rest ------------------------------------------------------------------------------------


def _title(runs: Mapping[str, Any], models: Sequence[Row]) -> str:
    if len(runs) == 1:
        name = next(iter(runs))
        return f"{name}: which of its {len(models[0]['topics'])} topics to trust?"
    count = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return f"Which of {count[len(runs) - 2] if len(runs) < 11 else len(runs)} topic models?"


def _facts(details: Row, runs: Mapping[str, Sequence[str]]) -> list[str]:
    facts = []
    for role, corpus in (details.get("corpora") or {}).items():
        if corpus:
            says = {"corpus": "Corpus", "reference": "Reference"}.get(
                role, role.replace("_", " ").capitalize()
            )
            facts.append(
                f"{says}: {_count(corpus.get('docs'), 'document')}, {_count(corpus.get('tokens'), 'word')}"
            )
    fits = sum(len(g) for g in runs.values())
    facts.append(f"{_count(fits, 'fit')} of {_count(len(runs), 'model')}")
    settings = details.get("settings") or {}
    if settings.get("date"):
        facts.append(str(settings["date"])[:10])
    if settings.get("version"):
        facts.append(f"tealeaves {settings['version']}")
    return facts


def _count(n: Any, noun: str) -> str:
    if n is None:
        return f"? {noun}s"
    return f"{int(n):,} {noun}" + ("" if int(n) == 1 else "s")


def _names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _answer(table: Row, lead: Row, opened: Row | None, warnings: Sequence[Row]) -> list[Row]:
    answers = []
    column = lead["column"]
    if column is None:
        answers.append(
            {
                "asks": "How good is it?",
                "says": ["No measure that has a best end is defined here."],
                "to": "models",
            }
        )
    elif len(table["models"]) == 1:
        cell = column["cells"][lead["name"]]
        said = f"{column['title']} ({column['spec']}) is {number(cell['value'])}"
        said += f" {cell['range']}" if cell["range"] else ""
        more = ""
        if opened and opened["above"] is not None:
            more = f" {opened['above']} of its {len(opened['topics'])} topics are clearly above random lists of equally frequent words."
        answers.append(
            {
                "asks": "How good is it?",
                "says": [said + "." + more, "One model: there is nothing to compare it with."],
                "to": "models",
            }
        )
    else:
        answers.append(
            {
                "asks": "Which model is it, and is the difference real?",
                "says": _which(table, lead),
                "to": "models",
            }
        )
    if opened:
        answers.append({"asks": "Which topics to trust?", "says": _trust(opened), "to": "topics"})
    sure = []
    if table["most_runs"] < 2:
        sure.append(
            "Each model was fitted once: how much another random start would move these numbers is not known."
        )
    elif table["smallest_p"] is not None:
        sure.append(
            f"With {table['most_runs']} runs a model the smallest corrected p that can come out is {_p(table['smallest_p'])}."
        )
    sure.append(
        "Coherence agrees with people's judgement only in part, so read the topics before you decide."
    )
    count = _count(len(warnings), "warning")
    stops = sum(w["level"] == "Stop" for w in warnings)
    sure.append(f"{count}" + (f", {stops} of them serious." if stops else "."))
    answers.append({"asks": "How sure is this?", "says": [" ".join(sure)], "to": "warnings"})
    answers.append(
        {
            "asks": "How to repeat it?",
            "says": ["The call and the signature of every number are at the end."],
            "to": "method",
        }
    )
    return answers


def _p(p: float) -> str:
    return "under 0.01" if p < 0.01 else number(p)


def _which(table: Row, lead: Row) -> list[str]:
    column, name = lead["column"], lead["name"]
    value = number(column["cells"][name]["value"])
    what = column["title"].lower() if column["title"] != column["spec"] else column["spec"]
    if lead["tied"]:
        group = [name, *lead["tied"]]
        values = [number(column["cells"][n]["value"]) for n in group]
        said = f"In {what}, {_names(group)} lead and cannot be told apart ({_names(values)})."
    elif lead["beaten"] and len(lead["beaten"]) == lead["others"]:
        said = f"In {what}, {name} is better ({value}), and that is real: over runs every corrected p is under 0.05."
    else:
        said = f"In {what}, {name} has the {'highest' if column['best'] == 'high' else 'lowest'} value ({value})."
    says = [said]
    if table["repeated"] < 2:
        says.append(
            "Whether that is more than a lucky start cannot be said from one run a model: fit each at least five times."
        )
    others = {}
    for c in table["columns"]:
        best = [n for n, x in c["cells"].items() if x["tag"] == "best"]
        if c["best"] and c is not column and len(best) == 1 and best[0] != name:
            others.setdefault(best[0], []).append(c["title"].lower())
    says += [f"{n} has the best value in {_names(titles)}." for n, titles in others.items()]
    return says


def _trust(model: Row) -> list[str]:
    counts, total = model["counts"], len(model["topics"])
    says = [model["heading"] + "."]
    for verdict in ("drop", "split", "merge"):
        shown = [t for t in model["topics"] if t["verdict"] == verdict][:2]
        if shown and counts[verdict] <= total / 2:
            named = "; ".join(f"topic {t['id']} ({', '.join(t['words'][:4])} …)" for t in shown)
            says.append(f"{LABELS[verdict]}: {named}" + (" and others." if counts[verdict] > 2 else "."))
    return [" ".join(says)]


def _groups(rows: Sequence[Row]) -> list[Row]:
    """Return the model-level values of each group, where `by=` was given."""
    return [
        {k: r[k] for k in ("group", "model", "measure", "value", "low", "high", "reason")}
        for r in _pick(rows, level="model")
        if r.get("group")
    ]


def _twins(details: Row, t: Thresholds) -> Row:
    found = sorted(
        (p for p in details.get("similar") or [] if p["model_a"] == p["model_b"]),
        key=lambda p: (-int(p["shared"]), -(p.get("cosine") or 0.0)),
    )
    lists = {name: m.get("topics") or [] for name, m in (details.get("models") or {}).items()}
    rows = []
    for p in found[:SHOWN_TWINS]:
        a, b = (lists.get(p[f"model_{x}"], []) for x in "ab")
        one = list(a[p["topic_a"]][:MATRIX]) if p["topic_a"] < len(a) else []
        two = set(b[p["topic_b"]][:MATRIX]) if p["topic_b"] < len(b) else set()
        merge = p["shared"] >= t.shared_words or (p.get("cosine") or 0.0) >= t.cosine
        rows.append({**p, "words": [w for w in one if w in two], "merge": merge})
    merges = sum(r["merge"] for r in rows)
    if not rows:
        heading = "No two topics share a top word"
    elif not merges:
        heading = "No near-duplicate topics"
    else:
        heading = (
            "One near-duplicate pair of topics" if merges == 1 else f"{merges} near-duplicate pairs of topics"
        )
    return {"heading": heading, "rows": rows, "left_out": max(0, len(found) - SHOWN_TWINS)}


def _warnings(details: Row, models: Sequence[Row], table: Row) -> list[Row]:
    found: list[Row] = []

    def warn(level: str, title: str, says: str) -> None:
        found.append({"level": level, "title": title, "says": says})

    for column in table["missing"]:
        warn("Look", f"{column['title']} ({column['spec']}) has no value.", f"{_capital(column['reason'])}.")
    for model in models:
        unknown = model["counts"]["unknown"]
        total = len(model["topics"])
        absent = _unique(w for t in model["topics"] for w in t["absent"])
        if unknown:
            level = "Stop" if unknown > total / 2 else "Look"
            words = (
                f" Absent from the reference: {', '.join(absent[:8])}{' …' if len(absent) > 8 else ''}."
                if absent
                else ""
            )
            advice = ' Give a reference that was prepared like the model\'s text, or judge without these words: npmi(oov="drop")@10.'
            warn(
                level,
                f"{model['shown']}: {unknown} of {total} topics cannot be judged.",
                (words + advice).strip(),
            )
    if table["most_runs"] < 2 and len(table["models"]) > 1:
        warn(
            "Look",
            "Every model was fitted once.",
            "Another random start can reverse a ranking. Fit each model at least five times and pass the runs together.",
        )
    if models and not any(m["band"] for m in models):
        warn(
            "Look",
            "No random word lists were drawn.",
            "Verdicts compare with 0, which is independence, instead of what lists of equally frequent words reach. Evaluate with chance=200.",
        )
    for text in details.get("warnings") or []:
        level, _, rest = str(text).partition(":")
        known = level.strip().capitalize()
        if known in LEVELS and rest:
            warn(known, "", rest.strip())
        else:
            warn("Look", "", str(text))
    for role, corpus in (details.get("corpora") or {}).items():
        for note in (corpus or {}).get("notes") or []:
            warn("Note", f"{role.capitalize()}.", str(note))
    for model in models:
        for note in model["notes"]:
            warn("Note", f"{model['shown']}.", str(note))
    return sorted(found, key=lambda w: LEVELS.index(w["level"]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _method(rows: Sequence[Row], details: Row, runs: Mapping[str, Sequence[str]], t: Thresholds) -> Row:
    signatures = []
    for spec in _unique(row["measure"] for row in rows):
        own = _unique(row["signature"] for row in _whole(_pick(rows, measure=spec)) if row.get("signature"))
        signatures.append({**_about(spec), "spec": spec, "signatures": own})
    settings = {k: v for k, v in (details.get("settings") or {}).items() if v is not None}
    specs = [s["spec"] for s in signatures]
    paths = _paths(runs, details)
    reference = bool((details.get("corpora") or {}).get("reference"))
    return {
        "settings": {str(k): _say(v) for k, v in settings.items()},
        "thresholds": asdict(t),
        "signatures": signatures,
        "corpora": {
            role: {k: _say(v) for k, v in c.items() if k != "notes" and v not in (None, "")}
            for role, c in (details.get("corpora") or {}).items()
            if c
        },
        "command": _command(paths, specs, settings, reference),
        "python": _python(paths, specs, settings, reference),
    }


def _say(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def _paths(runs: Mapping[str, Sequence[str]], details: Row) -> dict[str, list[str]]:
    """Where each model was read from; its name in capitals where the scores do not say."""
    known = details.get("models") or {}
    return {
        name: [
            str((known.get(run) or {}).get("source") or "") or run.upper().replace("#", "-") for run in group
        ]
        for name, group in runs.items()
    }


def _command(paths: Mapping[str, Sequence[str]], specs: Sequence[str], settings: Row, reference: bool) -> str:
    import shlex

    parts = [
        "tealeaves evaluate "
        + " ".join(shlex.quote(p) for p in _unique(p for g in paths.values() for p in g))
    ]
    parts.append("--corpus CORPUS")
    if reference:
        parts.append("--reference REFERENCE")
    parts.append("--measures " + shlex.quote(" ".join(specs)))
    if "seed" in settings:
        parts.append(f"--seed {settings['seed']}")
    parts.append("--out REPORT_DIR")
    return " \\\n    ".join(parts)


def _python(paths: Mapping[str, Sequence[str]], specs: Sequence[str], settings: Row, reference: bool) -> str:
    lines = ["import tealeaves as tl", "", 'corpus = tl.read_corpus("CORPUS")']
    if reference:
        lines.append('reference = tl.read_corpus("REFERENCE")')
    lines.append("models = {")
    for name, group in paths.items():
        reads = [f"tl.read_model({_quoted(path)})" for path in group]
        lines.append(f"    {_quoted(name)}: " + (f"{reads[0]}," if len(reads) == 1 else "["))
        if len(reads) > 1:
            lines += [*(f"        {read}," for read in reads), "    ],"]
    lines += [
        "}",
        "scores = tl.evaluate(",
        f"    models, corpus{', reference' if reference else ''},",
        "    measures=[",
    ]
    lines += [f"        {_quoted(spec)}," for spec in specs]
    options = "".join(
        f" {k}={settings[k]!r}," for k in ("ci", "resamples", "seed", "chance") if k in settings
    )
    lines += [f"    ],{options}", ")", 'scores.report("report.html")']
    return "\n".join(lines)


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


def _against(rows: Sequence[Row], others: Sequence[Row]) -> Row:
    here, there = _signatures(rows), _signatures(others)
    values = {(r["model"], r["measure"]): r["value"] for r in _whole(_pick(others, level="model"))}
    said = []
    for spec in _unique([*here, *there]):
        about = {**_about(spec), "spec": spec}
        if spec not in here or spec not in there:
            where = "only in the other scores" if spec not in here else "only in these scores"
            said.append({**about, "differs": [], "only": where, "values": []})
            continue
        differs = _unique(d for a in here[spec] for b in there[spec][:1] for d in differences(a, b))
        pairs = [
            {"model": r["model"], "here": r["value"], "there": values[r["model"], spec]}
            for r in _whole(_pick(rows, level="model", measure=spec))
            if (r["model"], spec) in values
        ]
        said.append({**about, "differs": differs, "only": "", "values": pairs})
    same = sum(not s["differs"] and not s["only"] for s in said)
    both = sum(not s["only"] for s in said)
    if same == len(said):
        heading = "All signatures agree: the numbers can be compared"
    else:
        heading = f"{same} of {both} measures in both have equal signatures; only those can be compared"
    return {"heading": heading, "measures": said}


def _signatures(rows: Sequence[Row]) -> dict[str, list[str]]:
    return {
        spec: _unique(r["signature"] for r in _whole(_pick(rows, measure=spec)))
        for spec in _unique(r["measure"] for r in rows)
    }
