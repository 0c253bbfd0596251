"""Whole models slice by slice: what a slice scores alone, beside what it and its neighbour score together."""

from collections.abc import Sequence

from tealeaves.report.over_time_marks import line, scale, ticks
from tealeaves.report.rows import Row, pick
from tealeaves.verdicts_over_time import OverTime

SHOWN = 4  # models in one picture
MOST = 400  # rows of the table of numbers
ALONE, ACROSS = ("TC", "TD", "TQ"), ("TTC", "TTS", "TTQ")


def by_slice(models: Sequence[OverTime], rows: Sequence[Row], columns: Sequence[Row]) -> Row | None:
    """Small pictures, the measures of slices alone in the first row and those across slices in the second.

    A slice's value across slices is the mean over topics of the windows that begin with it. Only models of
    the same slices as the first are drawn, at most four.
    """
    drawn = [m for m in models if m.labels == models[0].labels][:SHOWN]
    panels, numbers = [], {}
    for short in (*ALONE, *ACROSS):
        column = next((c for c in columns if c["short"] == short), None)
        if column is None:
            continue
        values = {m.name: _values(m, column, rows) for m in drawn}
        known = [v for points in values.values() for v in points.values()]
        if not known:
            continue
        ends = scale(known, share=short in ("TD", "TTS"))
        lines = [{"name": m.name, **line(_middle(values[m.name]), len(m.labels), ends)} for m in drawn]
        numbers[short] = values
        panels.append({**column, "lines": lines, "low": ends[0], "high": ends[1], "zero": lines[0]["zero"]})
    if not panels:
        return None
    table = [
        {
            "name": m.name,
            "slice": label,
            "cells": [_from(numbers[p["short"]][m.name], i) for p in panels],
        }
        for m in drawn
        for i, label in enumerate(m.labels)
    ]
    return {
        "panels": panels,
        "models": [m.name for m in drawn],
        "left_out": len(models) - len(drawn),
        "ticks": ticks(drawn[0].labels),
        "first": drawn[0].labels[0],
        "last": drawn[0].labels[-1],
        "table": table[:MOST],
        "more": max(len(table) - MOST, 0),
    }


def _values(m: OverTime, column: Row, rows: Sequence[Row]) -> dict[tuple[int, int], float]:
    """The model's value by the first and last slice that it is of."""
    place = {label: i for i, label in enumerate(m.labels)}
    if column["short"] in ALONE:
        found = pick(rows, model=m.name, measure=column["spec"], level="slice")
        return {
            (place[r["slice"]],) * 2: r["value"]
            for r in found
            if r["value"] is not None and r["slice"] in place
        }
    topics: dict[tuple[int, int], list[float]] = {}
    for r in pick(rows, model=m.name, measure=column["spec"], level="window"):
        if r["value"] is not None and r["slice"] in place and r["slice_end"] in place:
            topics.setdefault((place[r["slice"]], place[r["slice_end"]]), []).append(r["value"])
    return {window: sum(values) / len(values) for window, values in topics.items()}


def _middle(values: dict[tuple[int, int], float]) -> dict[float, float]:
    return {(a + b) / 2: value for (a, b), value in values.items()}


def _from(values: dict[tuple[int, int], float], i: int) -> float | None:
    return next((value for (a, _), value in values.items() if a == i), None)
