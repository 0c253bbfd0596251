"""Which reference topics are found: curves, scores, categories, what is missing, how topics match."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tealeaves.report.rows import Row, count_of, names_of, pick
from tealeaves.verdicts import number

if TYPE_CHECKING:
    from tealeaves.scores import Scores

ALL = "all"
COLOURS = 6  # lines told apart; more models are thin and grey
NAMED = 3  # reference topics at most in the heading
UNCOVERED, ROWS = 12, 400  # rows shown before "all", and then
MATRICES = 6
LEFT, RIGHT, TOP, BOTTOM = 42.0, 392.0, 22.0, 262.0  # of the plot, in a picture of 400 by 300
LETTER, LINE = 6.8, 13.0  # size of a label's letter, about
LONGEST = 24  # letters of a label
MARGIN = 5.0  # between a label and a line that is not its own
Box = tuple[float, float, float, float]  # left, top, right, bottom
TITLES = {
    "au_cdc": ("AuCDC", "area under the curve"),
    "sup_cov": ("SupCov", "reference topics matched"),
    "precision": ("Precision", "topics that match"),
}
CONCEPTS = ("resolved", "fused", "repeated", "missing")
KINDS = ("single", "fused", "junk")


def coverage(scores: "Scores", rows: list[Row], details: Row) -> Row | None:
    """What the section shows; None where no reference topics were looked for."""
    found = details.get("coverage") or {}
    if not found.get("table"):
        return None
    table, by = [_known(row) for row in found["table"]], found["by"]
    area = {row["model"]: row["value"] or 0.0 for row in pick(table, measure="au_cdc", division=ALL)}
    names = sorted(area, key=lambda name: -area[name])
    lead = names[0]
    missed = _uncovered(found, names)
    return {
        "heading": _heading(found, lead, missed),
        "lead": lead,
        "reference": found["reference"]["name"],
        "n": len(found["reference"]["topics"]),
        "by": _by(by),
        "matcher": by == "sup_cov",
        "ci": found.get("ci"),
        "over": _over(table),
        "most_runs": max(len(runs) for runs in found["runs"].values()),
        "plot": _plot(found["curve"], names, len(found["reference"]["topics"])),
        "columns": [{"measure": m, "title": t, "says": s} for m, (t, s) in _titles(by).items()],
        "table": [_model(name, table, found, _titles(by)) for name in names],
        "left_out": [{"name": name, "why": why} for name, why in (found.get("left_out") or {}).items()],
        "lost": [
            {"name": name, "share": share}
            for name, share in (found.get("shared_weight") or {}).items()
            if 0 < share < 1
        ],
        "all": [row for name in names for row in pick(table, model=name)],
        "thresholds": [f"{i / 50:g}" for i in range(51)],
        "curves": [{"name": name, "values": _triples(found["curve"][name])} for name in names[:COLOURS]],
        "divisions": _divisions(table, names, by),
        "uncovered": missed[:ROWS],
        "left_rows": max(len(missed) - ROWS, 0),
        "first": UNCOVERED,
        "relations": [
            {
                "name": name,
                "concepts": [row[f"{kind} reference topics"] for kind in CONCEPTS],
                "topics": [row[f"{kind} topics"] for kind in KINDS],
                "runs": len(found["runs"][name]),
            }
            for name in names
            for row in pick(found["relations"], model=name)
        ],
        "matrices": [
            {"name": name, **_matrix(found["matrix"][name], found["reference"]["topics"])}
            for name in names
            if name in found["matrix"]
        ][:MATRICES],
        "spearman": found.get("spearman"),
    }


def _known(row: Mapping[str, Any]) -> Row:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}


def _by(by: str) -> str:
    if by == "sup_cov":
        return "the matcher says that a topic is the same"
    return f"a topic is within a cosine distance of {by.partition('=')[2].rstrip(')')}"


def _titles(by: str) -> dict[str, tuple[str, str]]:
    limit = by.partition("=")[2].rstrip(")")
    matched = TITLES["sup_cov"] if by == "sup_cov" else ("Covered", f"within a distance of {limit}")
    return {"au_cdc": TITLES["au_cdc"], by: matched, "precision": TITLES["precision"]}


def _over(table: Sequence[Row]) -> str:
    """What was drawn again for the intervals."""
    kinds = {row["over"] for row in table if row["low"] is not None}
    said = []
    if "runs" in kinds:
        said.append(
            "runs drawn again, and with two or three runs little more than the lowest and the highest"
        )
    if kinds - {"runs", ""}:
        one = "for a model of one run, " if said else ""
        said.append(
            f"{one}reference topics drawn again (for precision, its topics), which says nothing of runs"
        )
    return "; ".join(said)


def _heading(found: Row, lead: str, missed: Sequence[Row]) -> str:
    n = len(found["reference"]["topics"])
    own = [row["label"] for row in missed if row["model"] == lead]
    if not own:
        return f"What is not found? Nothing: {lead} has a topic for each of {n} reference topics"
    more = f" and {len(own) - NAMED} more" if len(own) > NAMED else ""
    named = ", ".join(own[:NAMED]) + more if more else names_of(own)
    return f"What is not found? {lead} has no topic for {named}, {len(own)} of {n} reference topics"


def _model(name: str, table: Sequence[Row], found: Row, titles: Mapping[str, Any]) -> Row:
    topics = sorted(set(found["topics"][name]))
    size = f"{topics[0]}" if len(topics) == 1 else f"{topics[0]} to {topics[-1]}"
    return {
        "name": name,
        "note": f"{size} topics, {count_of(len(found['runs'][name]), 'run')}",
        "cells": [pick(table, model=name, measure=m, division=ALL)[0] for m in titles],
    }


def _divisions(table: Sequence[Row], names: Sequence[str], by: str) -> list[Row]:
    """Coverage by category: a table for each division of the reference topics."""
    shown = []
    for division in dict.fromkeys(row["division"] for row in table if row["division"] != ALL):
        first = pick(table, model=names[0], measure="au_cdc", division=division)
        classes = [{"name": row["category"], "n": row["n"]} for row in first]
        rows = [
            {
                "name": name,
                "title": title,
                "cells": [
                    pick(table, model=name, measure=measure, division=division, category=c["name"])[0]
                    for c in classes
                ],
            }
            for measure, (title, _) in _titles(by).items()
            if measure != "precision"
            for name in names
        ]
        title = "size, from the smallest quarter to the largest" if division == "size" else division
        shown.append({"title": title, "classes": classes, "rows": rows})
    return shown


def _uncovered(found: Row, names: Sequence[str]) -> list[Row]:
    """The reference topics that no run of a model covers, those of the best model first, farthest first."""
    shown = []
    for name in names:
        pairs = zip(found["reference"]["topics"], found["nearest"][name], strict=True)
        own = [{"model": name, **topic, **near} for topic, near in pairs if not near["covered"]]
        shown += sorted(own, key=lambda row: -row["distance"])
    return shown


def _matrix(matrix: Row, topics: Sequence[Row]) -> Row:
    """Rows of reference topics and columns of topics, with those that match near the diagonal."""
    cosine, n = matrix["cosine"], len(matrix["words"])
    best = [row.index(max(row)) for row in cosine]
    order = sorted(range(len(cosine)), key=lambda r: -cosine[r][best[r]])
    columns = list(dict.fromkeys(best[r] for r in order))
    columns += [k for k in range(n) if k not in columns]
    return {
        "run": matrix["run"],
        "columns": [{"id": k, "words": matrix["words"][k], "kind": matrix["topics"][k]} for k in columns],
        "rows": [
            {
                "label": topics[r]["label"],
                "kind": matrix["concepts"][r],
                "cells": [
                    {"value": cosine[r][k], "match": bool(matrix["matches"][r][k]), "q": _step(cosine[r][k])}
                    for k in columns
                ],
            }
            for r in order
        ],
    }


def _step(cosine: float) -> int:
    """The shade of a cell."""
    return sum(cosine >= edge for edge in (0.25, 0.5, 0.75))


def _plot(curves: Mapping[str, Row], names: Sequence[str], n: int) -> Row:
    """The CD-curves as points of a picture, with a label at each of the first lines."""
    lines: list[Row] = []
    for i, name in enumerate(names):
        values = curves[name]
        lines.append(
            {
                "name": name,
                "cls": f"l{i + 1}" if i < COLOURS else "rest",
                "xy": _points(values["coverage"]),
                "points": _text(_points(values["coverage"])),
                "band": _band(values),
                "half": _first(values["coverage"], 0.5),
                "label": None,
            }
        )
    _label(lines)
    halves = ", ".join(
        f"{line['name']} {'never' if line['half'] is None else 'at ' + number(line['half'])}"
        for line in lines[:COLOURS]
    )
    return {
        "lines": lines,
        "x": [{"at": round(_x(v), 1), "label": f"{v:g}"} for v in (0, 0.25, 0.5, 0.75, 1)],
        "y": [{"at": round(_y(v), 1), "label": f"{v:.0%}"} for v in (0, 0.25, 0.5, 0.75, 1)],
        "said": f"Curves of coverage by distance allowed, {count_of(n, 'reference topic')}; "
        f"distance at which half is covered: {halves}",
        "rest": max(len(lines) - COLOURS, 0),
    }


def _triples(values: Row) -> list[list[float | None]]:
    """Coverage, and its interval where there is one, at each threshold."""
    nothing = [None] * len(values["coverage"])
    ends = (values.get("low") or nothing, values.get("high") or nothing)
    found = zip(values["coverage"], *ends, strict=True)
    return [[None if v is None or v != v else v for v in triple] for triple in found]


def _x(threshold: float) -> float:
    return LEFT + (RIGHT - LEFT) * threshold


def _y(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share


def _points(values: Sequence[float]) -> list[tuple[float, float]]:
    last = max(len(values) - 1, 1)
    return [(_x(i / last), _y(v)) for i, v in enumerate(values)]


def _text(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _band(values: Row) -> str:
    low, high = values.get("low"), values.get("high")
    if not low or not high or any(v is None or v != v for v in (*low, *high)):
        return ""
    return _text(_points(high) + _points(low)[::-1])


def _first(values: Sequence[float], share: float) -> float | None:
    """The least threshold at which so large a share is covered."""
    return next((i / max(len(values) - 1, 1) for i, v in enumerate(values) if v >= share), None)


def _label(lines: Sequence[Row]) -> None:
    """Put the name of each line beside it, where no other line or name is near, if there is room."""
    placed: list[Box] = []
    points = [_filled(line["xy"]) for line in lines[:COLOURS]]
    for i, line in enumerate(lines[:COLOURS]):
        width = LETTER * min(len(line["name"]), LONGEST)
        others = [point for k, own in enumerate(points) if k != i for point in own]
        best: tuple[tuple[int, float], Box, Row] | None = None
        for x, y in points[i]:
            for side in (1, -1):
                near, far, base = x + 5 * side, x + (5 + width) * side, y + (10 if side > 0 else -3)
                box = (min(near, far), base - LINE + 2, max(near, far), base + 3)
                if box[0] < LEFT or box[2] > RIGHT + 6 or box[1] < TOP - 12 or box[3] > BOTTOM:
                    continue
                if any(_overlap(box, other) for other in placed):
                    continue
                around = (box[0] - MARGIN, box[1], box[2] + MARGIN, box[3])
                hidden = sum(_inside(p, around) for p in others) + sum(_inside(p, box) for p in points[i])
                cost = hidden, abs(y - (TOP + BOTTOM) / 2)
                if best is None or cost < best[0]:
                    anchor = "start" if side > 0 else "end"
                    best = cost, box, {"x": round(near, 1), "y": round(base, 1), "anchor": anchor}
        if best is not None:
            placed.append(best[1])
            line["label"] = best[2]


def _filled(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points between those of a line, so that a steep step is not a gap."""
    found = []
    for (x, y), (u, v) in pairwise(points):
        n = max(int(abs(v - y) // 6), 1)
        found += [(x + (u - x) * i / n, y + (v - y) * i / n) for i in range(n)]
    return found


def _inside(point: tuple[float, float], box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
