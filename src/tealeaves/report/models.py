"""The report's first part: the table of models, the one that leads, and whether that is real."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.report import chance
from tealeaves.report.rows import Row, clean, fixed, measure_facts, names_of, pick, unique, whole
from tealeaves.scores_export import resampled, topics_defined
from tealeaves.verdicts import number

if TYPE_CHECKING:
    from tealeaves.scores import Scores

ALPHA = 0.05
TESTS = ("blocks", "documents", "topics", "runs")  # the first two both ask for other documents
COMPARED = 10  # with more models than this the table of differences is left out


def model_table(scores: "Scores", rows: list[Row], runs: dict[str, list[str]], details: Row) -> Row:
    model_rows = whole(pick(rows, level="model"))
    by_key = {(row["model"], row["measure"]): row for row in model_rows}
    columns: list[Row] = []
    missing: list[Row] = []
    counts, over = topics_defined(scores), resampled(scores)
    defined = _defined(rows)
    for spec in unique(row["measure"] for row in model_rows):
        about = measure_facts(spec)
        found = [by_key[run, spec] for group in runs.values() for run in group if (run, spec) in by_key]
        digits = _digits([row[key] for row in found for key in ("value", "low", "high")])
        cells = {name: _cell(by_key, name, group, spec, digits) for name, group in runs.items()}
        for name, group in runs.items():
            _tell_topics(cells[name], [counts[run, "", spec] for run in group if (run, "", spec) in counts])
            cells[name].update(_beside_chance(details, defined, group, spec, digits))
        if all(cell["value"] is None for cell in cells.values()):
            reasons = unique(cell["reason"] for cell in cells.values() if cell["reason"])
            why = "; ".join(reason.removeprefix(f"{about['name']} ") for reason in reasons) or "undefined"
            same = next((one for one in missing if one["reason"] == why), None)
            if same is None:
                missing.append({"title": about["title"], "spec": spec, "reason": why})
            else:  # one reason for many is said once
                same.update(spec=f"{same['spec']}, {spec}", measures=same.get("measures", 1) + 1)
                same["title"] = f"{same['measures']} measures"
            continue
        _mark(scores, spec, about["best"], cells, runs)
        _strip([c for c in cells.values() if c["value"] is not None], about["limits"])
        column = {"spec": spec, "cells": cells, "unit": over.get(spec, ""), "digits": digits}
        drawn = any(cell["chance"] for cell in cells.values())
        columns.append({**about, **column, "chance": drawn})
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
        "reasons": _reasons(columns),
        "chance": any(column["chance"] for column in columns),
        "units": {
            unit: [c["spec"] for c in columns if c["unit"] == unit]
            for unit in unique(c["unit"] for c in columns if c["unit"])
        },
        "heading": _table_heading(columns, runs),
        "repeated": sum(len(g) > 1 for g in runs.values()),
        "most_runs": max((len(g) for g in runs.values()), default=0),
        "smallest_p": _smallest_p(runs),
    }


def _reasons(columns: Sequence[Row]) -> list[Row]:
    """Why some models have no value of a measure that others have; each reason once."""
    titles: dict[tuple[str, str], list[str]] = {}
    for column in columns:
        without: dict[str, list[str]] = {}
        for name, cell in column["cells"].items():
            if cell["value"] is None and cell["reason"]:
                reason = cell["reason"].removeprefix(f"{column['name']} ").removeprefix("of the model: ")
                without.setdefault(reason, []).append(name)
        for reason, names in without.items():
            titles.setdefault((names_of(names), reason), []).append(column["title"])
    return [
        {"models": models, "titles": names_of(of), "reason": reason}
        for (models, reason), of in titles.items()
    ]


def _topic_count(details: Row, group: Sequence[str]) -> int | None:
    found = [(details.get("models") or {}).get(name, {}).get("n_topics") for name in group]
    return next((int(k) for k in found if k is not None), None)


def _digits(numbers: Sequence[float | None]) -> int:
    """Decimals of a column: two, or as many as show two digits of its largest number; none from 100 on."""
    most = max((abs(x) for x in numbers if x is not None and math.isfinite(x)), default=0.0)
    if most >= 100:
        return 0
    return max(2, 1 - math.floor(math.log10(most))) if 1e-6 < most < 0.1 else 2


def _decimals(differences: Sequence[float | None]) -> int:
    """Decimals of differences that stand in one table: as many as show the smallest, at most four."""
    sizes = [abs(x) for x in differences if x and math.isfinite(x)]
    if not sizes or max(sizes) >= 100:
        return 0 if sizes else 2
    return min(4, max(2, -math.floor(math.log10(min(sizes)))))


def _cell(
    by_key: Mapping[tuple[str, str], Row], name: str, group: Sequence[str], spec: str, digits: int = 2
) -> Row:
    found = [by_key[run, spec] for run in group if (run, spec) in by_key]
    if not found and (name, spec) in by_key:
        found = [by_key[name, spec]]
    values = [row["value"] for row in found if row["value"] is not None]
    reason = next((_shared_reason(row) for row in found if row["reason"]), "")
    cell: Row = {
        "value": None,
        "low": None,
        "high": None,
        "points": [],
        "tag": "",
        "range": "",
        "partial": "",
        "some": "",
        "share": 1.0,
    }
    cell["reason"] = reason if found else "not asked for"
    if not values:
        return cell
    if not np.isfinite(values).all():
        why = f": {reason}" if reason else ""
        return {**cell, "reason": f"{number(float(np.mean(values)))}, not finite{why}"}
    cell["value"] = float(np.mean(values))
    low, high = found[0].get("low"), found[0].get("high")
    if len(values) > 1:
        cell.update(low=min(values), high=max(values), points=values)
        cell["range"] = f"{fixed(min(values), digits)} – {fixed(max(values), digits)}"
    elif low is not None and high is not None:
        cell.update(low=low, high=high, range=f"[{fixed(low, digits)}, {fixed(high, digits)}]")
    if len(values) < len(found):
        cell["partial"] = f"{len(values)} of {len(found)} runs have a value: {reason}"
    elif reason:
        cell["partial"] = reason
    return cell


def _tell_topics(cell: Row, counts: Sequence[tuple[int, int]]) -> None:
    """Say over how many topics the value is, if not over all."""
    defined, topics = sum(d for d, _ in counts), sum(k for _, k in counts)
    if cell["value"] is None or defined == topics:
        return
    cell.update(some=f"{defined} of {topics} topics", share=defined / topics)
    over = f"over {cell['some']}" + (" of all runs" if len(counts) > 1 else "")
    cell["partial"] = f"{over}; {cell['partial']}" if cell["partial"] else over


def _defined(rows: Sequence[Row]) -> dict[tuple[str, str], list[int]]:
    """The topics that have a score, by model and spec: what the model's score is a mean of."""
    found: dict[tuple[str, str], list[int]] = {}
    for row in whole(pick(rows, level="topic")):
        if row["value"] is not None and row["topic"] is not None and not row["slice"]:
            found.setdefault((row["model"], row["measure"]), []).append(int(row["topic"]))
    return found


def _beside_chance(
    details: Row, defined: Mapping[tuple[str, str], list[int]], group: Sequence[str], spec: str, digits: int
) -> Row:
    """What random lists would get in place of the runs, as a band and in words; of coherence only."""
    bands = details.get("chance") or {}
    runs = [chance.of_model(bands.get(run) or {}, defined.get((run, spec), []), spec) for run in group]
    found = chance.of_runs(runs)
    if found is None:
        return {"chance": None, "by_chance": ""}
    low, _, high = found["band"]
    some = f", over {found['some']}" if found["some"] else ""
    return {"chance": found["band"], "by_chance": f"{fixed(low, digits)} to {fixed(high, digits)}{some}"}


def _shared_reason(row: Row) -> str:
    """The reason without the model's name, so that the same reason of several models is said once."""
    name = f"model {row['model']!r}"
    return str(row["reason"]).replace(f"of {name}", "of the model").replace(name, "the model")


def _mark(
    scores: "Scores", spec: str, best: str | None, cells: dict[str, Row], runs: dict[str, list[str]]
) -> None:
    """Mark the best model, and those that cannot be told from it or would need more runs."""
    known = _comparable(cells)
    if best is None or len(known) < 2:
        return
    top = (max if best == "high" else min)(known, key=lambda n: known[n])
    p = _p_values(scores, spec)
    for name, cell in cells.items():
        if name not in known:
            continue
        if cell["value"] == known[top]:
            cell["tag"] = "best"
        elif len(runs[name]) > 1 and len(runs[top]) > 1:
            p_here = p.get(frozenset((name, top)))
            cell["p"] = p_here
            cell["tag"] = "≈ best" if p_here is not None and p_here >= ALPHA else ""
        elif not _apart(cell, cells[top]):
            cell["tag"] = "needs more runs"


def _comparable(cells: Mapping[str, Row]) -> dict[str, float]:
    """The values over the largest share of a model's topics: those over fewer are not compared with them."""
    defined = {name: cell for name, cell in cells.items() if cell["value"] is not None}
    most = max((cell["share"] for cell in defined.values()), default=1.0)
    return {name: cell["value"] for name, cell in defined.items() if cell["share"] == most}


def _p_values(scores: "Scores", spec: str) -> dict[frozenset[str], float]:
    """Corrected p of each two models over their runs, where there are runs."""
    rows = _compared(scores, spec, "runs")
    return {frozenset((row["model_a"], row["model_b"])): row["p_holm"] for row in rows}


def _compared(scores: "Scores", spec: str, test: str) -> list[Row]:
    """Return the rows of one test of ``scores.compare``, or none where nothing can be compared."""
    from tealeaves.errors import InputError

    try:
        rows = [clean(row) for row in scores.compare(spec, test).to_dicts()]
    except InputError:
        return []
    return [row for row in rows if row["test"] == test and row["p_holm"] is not None]


def real_differences(scores: "Scores", table: Row, lead: Row) -> Row | None:
    """Each model against the leading one, by what would be repeated: documents, topics, the fit."""
    if lead["column"] is None or not 1 < len(table["models"]) <= COMPARED:
        return None
    spec, top = lead["column"]["spec"], lead["name"]
    rows: dict[str, Row] = {
        n: {"name": n} for n, c in lead["column"]["cells"].items() if n != top and c["value"] is not None
    }
    for test in TESTS:
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
    tests = [t for t in TESTS if any(t in row for row in rows.values())]
    cells = [row[t] for row in rows.values() for t in tests if t in row]
    if not cells:
        return None
    _strip([*cells, {"value": 0.0, "low": None, "high": None}], None)
    for row in rows.values():
        runs = row.get("runs")
        row["answer"] = "Needs more runs" if runs is None else "Yes" if runs["p"] < ALPHA else "Cannot say"
        some = lead["column"]["cells"][row["name"]]["some"]
        if runs is None and some:
            row["answer"] = f"Cannot say: over {some} only"
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
        "digits": _decimals([cell["value"] for cell in cells]),
    }


def _apart(a: Row, b: Row) -> bool:
    """Whether two values differ by more than their intervals together, taken as independent."""
    if a["low"] is None or b["low"] is None:
        return False  # without an interval nothing says that they differ
    halves = (np.array([a["high"], b["high"]]) - np.array([a["low"], b["low"]])) / 2
    return bool(abs(a["value"] - b["value"]) > np.hypot(*halves))


def _strip(cells: Sequence[Row], limits: tuple[float, float] | None) -> None:
    """Give the cells of a column one scale; a cell alone gets the measure's own, if that has one.

    With neither another value nor a band of chance beside it there is nothing to see: no strip at all.
    """
    ends = [x for c in cells for x in (c["value"], c["low"], c["high"]) if x is not None]
    bands = [x for c in cells for x in c.get("chance") or ()]
    low, high = min([*ends, *bands]), max([*ends, *bands])
    pad = 0.08 * (high - low) or abs(high) * 0.1 or 1.0
    scale: tuple[float | None, float | None] = (low - pad, high + pad)
    if len(cells) == 1 and len(cells[0]["points"]) < 2:
        scale = limits or (scale if bands else (None, None))
    for c in cells:
        c["min"], c["max"] = scale


def _smallest_p(runs: Mapping[str, Sequence[str]]) -> float | None:
    """Return the smallest corrected p that an exact permutation of two models' runs can give."""
    many = sorted((len(g) for g in runs.values() if len(g) > 1), reverse=True)
    if len(many) < 2:
        return None
    comparisons = math.comb(len(runs), 2)
    return min(1.0, comparisons * 2 / math.comb(many[0] + many[1], many[0]))


def leading(table: Row) -> Row:
    """Return the model that leads in coherence (or in the first measure that has a best end)."""
    columns = [c for c in table["columns"] if c["best"]]
    column = next((c for c in columns if c["name"] == "npmi"), columns[0] if columns else None)
    if column is None:
        return {"name": table["models"][0]["name"] if table["models"] else "", "column": None}
    known = _comparable(column["cells"])
    partial = [n for n, c in column["cells"].items() if c["value"] is not None and n not in known]
    top = (max if column["best"] == "high" else min)(known, key=lambda n: known[n])
    others = sorted((n for n in known if n != top), key=lambda n: known[n], reverse=column["best"] == "high")
    tags = {n: c["tag"] for n, c in column["cells"].items()}
    found = {"name": top, "column": column, "others": len(others), "partial": partial}
    found["tied"] = [n for n in others if tags[n] in ("best", "≈ best")]
    found["open"] = [n for n in others if tags[n] == "needs more runs"]
    found["beaten"] = [n for n in others if (p := column["cells"][n].get("p")) is not None and p < ALPHA]
    return found


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
