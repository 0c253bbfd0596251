"""What is drawn of topics over time: lanes of words, curves with their scale, cells of the heat map."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tealeaves.report.rows import Row

LANES = 24  # words of a timeline; those that stay longest first
EDGE = 4  # percent of a curve's height left free above and below

Points = Mapping[float, float]  # value by place: 0 is the middle of the first slice, 0.5 the first step


def lanes(lists: Sequence[Sequence[str]]) -> tuple[list[Row], int]:
    """For each word the slices that it is a top word in, as runs of percent of the whole time; and how many
    words are left out, those of the fewest slices."""
    n = len(lists)
    there: dict[str, list[int]] = {}
    for i, words in enumerate(lists):
        for word in dict.fromkeys(words):
            there.setdefault(word, []).append(i)
    present = [i for i, words in enumerate(lists) if words]
    first, last = (present[0], present[-1]) if present else (0, 0)
    found: list[Row] = []
    for word, slices in there.items():
        runs: list[list[int]] = []
        for i in slices:
            if runs and runs[-1][1] == i - 1:
                runs[-1][1] = i
            else:
                runs.append([i, i])
        kind = "stay" if len(slices) == len(present) else "in" if slices[-1] == last else "out"
        if kind == "in" and slices[0] == first:
            kind = "back"
        bars = [{"left": 100 * a / n, "width": 100 * (b - a + 1) / n} for a, b in runs]
        found.append({"word": word, "kind": kind, "slices": len(slices), "since": slices[0], "bars": bars})
    found.sort(key=lambda lane: (-lane["slices"], lane["since"], lane["word"]))
    groups = {"out": 0, "back": 1, "in": 1.5, "stay": 2}
    shown = sorted(found[:LANES], key=lambda lane: (groups[lane["kind"]], lane["since"], lane["word"]))
    return shown, max(len(found) - LANES, 0)


def scale(values: Sequence[float], share: bool = False) -> tuple[float, float]:
    """The ends of an axis: 0 to 1 for a share, otherwise from the least to the most, with 0 on it."""
    if share:
        return 0.0, 1.0
    low, high = min([0.0, *values]), max([0.0, *values])
    return low, high if high > low else low + 0.1


def line(points: Points, n: int, ends: tuple[float, float], step: float = 1.0) -> Row:
    """A curve over n slices: ``lines`` of neighbouring points, ``dots`` for a point alone, in percent."""
    low, high = ends
    drawn: list[list[tuple[str, str]]] = []
    before = None
    for at, value in sorted(points.items()):
        x, y = 100 * (at + 0.5) / n, 100 - EDGE - (100 - 2 * EDGE) * (value - low) / (high - low)
        if before is None or at - before > step + 1e-9:
            drawn.append([])
        drawn[-1].append((f"{x:.2f}", f"{y:.1f}"))
        before = at
    return {
        "lines": [" ".join(f"{x},{y}" for x, y in part) for part in drawn if len(part) > 1],
        "dots": [part[0] for part in drawn if len(part) == 1],
        "mean": float(np.mean(list(points.values()))) if points else None,
        "low": low,
        "high": high,
        "zero": 100 - EDGE + (100 - 2 * EDGE) * low / (high - low) if low < 0 else None,
    }


def cells(values: Sequence[float], broken: Sequence[bool], most: float) -> list[Row | None]:
    """A row of the heat map: how strong each cell is, in percent, its sign, and whether it is a break."""
    return [
        None
        if np.isnan(value)
        else {"strong": round(100 * min(abs(value) / most, 1.0)), "under": bool(value < 0), "cut": cut}
        for value, cut in zip(values, broken, strict=True)
    ]


def ticks(labels: Sequence[Any]) -> list[Row]:
    """At most five slices to name under an axis: the first, the last and some between."""
    n = len(labels)
    places = sorted({round(i * (n - 1) / min(4, n - 1)) for i in range(min(5, n))})
    return [{"left": 100 * (i + 0.5) / n, "label": labels[i]} for i in places]
