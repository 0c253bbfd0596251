"""The page of a sweep: the answer in words, a panel for each measure, the table, and how to repeat it."""

import base64
import hashlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.report.render import environment, template_file
from tealeaves.report.rows import measure_facts
from tealeaves.sweep.words import SECONDS, STABILITY, best_end
from tealeaves.verdicts import number

if TYPE_CHECKING:
    from tealeaves.sweep import Sweep

Row = dict[str, Any]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 340, 200, 62, 12, 12, 30  # the template's numbers, too
TICKS = 4
MARKS = 6  # lines that have a colour and a dash of their own


def render(found: "Sweep") -> str:
    """The page as one HTML text."""
    table = found.table()
    lines = list(dict.fromkeys(zip(table["family"], table["setting"], strict=True)))
    panels = [panel for measure in _drawn(table) if (panel := _panel(found, table, measure, lines))]
    script = template_file("figures.js") + "\n" + template_file("sweep.js")
    style = "\n".join(template_file(name) for name in ("report.css", "size.css", "sweep.css"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        environment()
        .get_template("sweep.html")
        .render(
            about=found.about,
            advice=found.advice(),
            panels=panels,
            lines=[_line_name(*line) for line in lines],
            peaks=_peaks(found),
            rows=_rows(table),
            measures=_drawn(table),
            style=style,
            script=script,
            script_hash=digest,
            title=_title(table),
        )
    )


def _title(table: Any) -> str:
    k = sorted(set(table["k"]))
    families = " and ".join(dict.fromkeys(f.upper() for f in table["family"]))
    return f"How many topics? {families} with {', '.join(map(str, k))}"


def _drawn(table: Any) -> list[str]:
    there = table.filter(table["mean"].is_finite())["measure"].unique(maintain_order=True).to_list()
    return [measure for measure in there if measure != SECONDS]


def _line_name(family: str, setting: str) -> str:
    return f"{family.upper()} {setting}".strip()


def _panel(found: "Sweep", table: Any, measure: str, lines: Sequence[tuple[str, str]]) -> Row | None:
    mine = table.filter((table["measure"] == measure) & table["mean"].is_not_null())
    finite = mine.filter(mine["mean"].is_finite())
    runs = found.frame.filter((found.frame["measure"] == measure) & found.frame["value"].is_finite())
    ends = [
        v
        for column in ("mean", "low", "high")
        for v in finite[column].to_list()
        if v is not None and math.isfinite(v)
    ] + runs["value"].to_list()
    if not ends:
        return None
    low, high = min(ends), max(ends)
    pad = 0.06 * (high - low) or abs(high) * 0.1 or 1.0
    low, high = low - pad, high + pad
    ks: list[int] = sorted(set(table["k"]))

    def x(k: int) -> float:
        if len(ks) == 1:
            return (LEFT + WIDTH - RIGHT) / 2
        share = math.log(k / ks[0]) / math.log(ks[-1] / ks[0])
        return round(float(LEFT + share * (WIDTH - LEFT - RIGHT)), 1)

    def y(value: float) -> float:
        at: float = TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return round(at, 1)

    drawn = []
    for i, (family, setting) in enumerate(lines):
        here = finite.filter((finite["family"] == family) & (finite["setting"] == setting)).sort("k")
        if not len(here):
            continue
        single = runs.filter((runs["family"] == family) & (runs["setting"] == setting))
        banded = here.filter(here["low"].is_not_null())
        up = [f"{x(k)},{y(v)}" for k, v in zip(banded["k"], banded["high"], strict=True)]
        down = [f"{x(k)},{y(v)}" for k, v in zip(banded["k"], banded["low"], strict=True)]
        last = here.row(len(here) - 1, named=True)
        drawn.append(
            {
                "cls": f"l{i % MARKS + 1}",
                "name": _line_name(family, setting),
                "points": " ".join(f"{x(k)},{y(v)}" for k, v in zip(here["k"], here["mean"], strict=True)),
                "band": " ".join(up + down[::-1]) if len(up) > 1 else "",
                "runs": [
                    {"x": x(row["k"]), "y": y(row["value"]), "said": _said(row)}
                    for row in single.iter_rows(named=True)
                ],
                "end": y(last["mean"]),
            }
        )
    facts = _facts(measure)
    steps = [low + (high - low) * (i + 0.5) / TICKS for i in range(TICKS)]
    return {
        **facts,
        "measure": measure,
        "lines": drawn,
        "x": [{"at": x(k), "k": k} for k in ks],
        "y": [{"at": y(v), "value": number(v)} for v in steps],
        "said": _summary(finite, measure),
    }


def _said(row: Row) -> str:
    seed = "" if row["seed"] is None else f", seed {row['seed']}"
    return f"{_line_name(row['family'], row['setting'])}, K = {row['k']}{seed}: {number(row['value'])}"


def _summary(rows: Any, measure: str) -> str:
    parts = [
        f"{_line_name(row['family'], row['setting'])} K {row['k']}: {number(row['mean'])}"
        for row in rows.iter_rows(named=True)
    ]
    return f"{measure} against the number of topics. " + "; ".join(parts)


def _facts(measure: str) -> Row:
    if measure == STABILITY:
        return {
            "title": "Found again",
            "asks": "Do other runs find the same topics?",
            "arrow": "↑ higher is better",
        }
    facts = measure_facts(measure)
    return {key: facts[key] for key in ("title", "asks", "arrow")}


def _finite(row: Row) -> Row:
    """The cell of a table: a spread that is not finite is none."""
    sd = row["sd"]
    return {**row, "sd": sd if sd is not None and math.isfinite(sd) else None}


def _peaks(found: "Sweep") -> list[Row]:
    rows = found.peaks().to_dicts()
    top = max((k for k in found.frame["k"]), default=0)
    for row in rows:
        row["line"] = _line_name(row["family"], row["setting"])
        row["end"] = "largest" if row["k"] == top else "smallest"
    return rows


def _rows(table: Any) -> list[Row]:
    found = []
    for (family, k, setting), group in table.group_by(["family", "k", "setting"], maintain_order=True):
        cells = {row["measure"]: _finite(row) for row in group.iter_rows(named=True)}
        n = next((c["n_topics_most"] for c in cells.values() if c["n_topics_most"] is not None), k)
        found.append({"family": family.upper(), "k": k, "found": n, "setting": setting, "cells": cells})
    for measure in table["measure"].unique():
        end = best_end(measure)
        alike: dict[tuple[str, str], list[Row]] = {}
        for row in found:  # other families are inferred otherwise, other words are another task
            cell = row["cells"].get(measure)
            if end is not None and cell is not None and cell["mean"] is not None:
                words = ", ".join(
                    part for part in row["setting"].split(", ") if part[:6] in ("min_df", "max_df")
                )
                alike.setdefault((row["family"], words), []).append(row)
        for rows in alike.values():
            if len(rows) > 1:
                pick = max if end == "high" else min
                best = pick(rows, key=lambda row: row["cells"][measure]["mean"])
                best["cells"][measure] = {**best["cells"][measure], "best": True}
    return found
