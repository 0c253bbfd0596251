"""A scatter of what people said of topics against NPMI, as points of a picture."""

from collections.abc import Sequence

import numpy as np

from tealeaves.report.rows import Row, count_of
from tealeaves.verdicts import number

LEFT, RIGHT, TOP, BOTTOM = 40.0, 392.0, 24.0, 256.0  # of the plot, in a picture of 400 by 296
KINDS = {
    "read": "read by people",
    "strange": "most did not know the words",
    "unread": "people could not read it",
}
FEWEST = 3
SHARES = ("model_precision", "share_matched", "match", "named")
LABELLED = 2


def scatter(key: str, topics: Sequence[Row], title: tuple[str, str]) -> Row | None:
    """One picture; None where fewer than three topics have both numbers."""
    mine = [t for t in topics if t["measure"] == key and t["x"] is not None]
    if len(mine) < FEWEST:
        return None
    xs = [v for t in mine for v in (t["x"], t["x_low"], t["x_high"]) if v is not None]
    ys = [v for t in mine for v in (t["value"], t["low"], t["high"]) if v is not None]
    across, up = ticks(min(xs), max(xs)), ticks(*_limits(key, min(ys), max(ys)))
    marks = [_mark(t, across, up) for t in mine]
    for mark in _extremes(mine, marks):
        mark["anchor"] = "end" if mark["x"] > (LEFT + RIGHT) / 2 else "start"
    kinds = [k for k in KINDS if any(m["kind"] == k for m in marks)]
    models = {t["model"] for t in mine}
    return {
        "key": key,
        "title": title[0],
        "says": title[1],
        "x_name": mine[0]["x_name"],
        "n": len(mine),
        "marks": marks,
        "labels": [m for m in marks if m["anchor"]],
        "kinds": [{"kind": k, "says": KINDS[k], "n": sum(m["kind"] == k for m in marks)} for k in kinds],
        "x": [{"at": _at(v, across, LEFT, RIGHT), "label": _label("", v)} for v in across],
        "y": [{"at": _at(v, up, BOTTOM, TOP), "label": _label(key, v)} for v in up],
        "intervals": any(m["line"] for m in marks),
        "said": f"{title[0]} by people against NPMI, {count_of(len(mine), 'topic')} of "
        f"{count_of(len(models), 'model')}; from {number(min(xs))} to {number(max(xs))} across",
    }


def _limits(key: str, low: float, high: float) -> tuple[float, float]:
    if key in SHARES:
        return 0.0, 1.0
    if key in ("rating", "relatedness", "smoothness") and low >= 1 and high <= 3:
        return 1.0, 3.0
    return low, high


def _label(key: str, value: float) -> str:
    return f"{value:.0%}" if key in SHARES else f"{value:g}".replace("-", "−")


def ticks(low: float, high: float) -> list[float]:
    """Round numbers, three to six of them, the first at most ``low`` and the last at least ``high``.

    Examples
    --------
    >>> ticks(-0.13, 0.52)
    [-0.2, 0.0, 0.2, 0.4, 0.6]
    >>> ticks(1, 3)
    [1.0, 1.5, 2.0, 2.5, 3.0]
    >>> ticks(2e10, 4e10)  # such as perplexities of a model that fits badly
    [20000000000.0, 25000000000.0, 30000000000.0, 35000000000.0, 40000000000.0]
    """
    span = max(high - low, 1e-9 * max(1.0, abs(low), abs(high)))  # so that ticks of equal values differ
    size = int(np.floor(np.log10(span)))
    step = next(
        s * 10.0**e
        for e in range(max(size - 1, -9), size + 3)
        for s in (1, 2, 2.5, 5)
        if np.ceil(round(high / (s * 10.0**e), 6)) - np.floor(round(low / (s * 10.0**e), 6)) <= 5
        and s * 10.0**e * 6 > span
    )
    first, last = np.floor(round(low / step, 6)), np.ceil(round(high / step, 6))
    return [round(float(i) * step, 10) for i in np.arange(first, max(last, first + 1) + 1)]


def _at(value: float, ticks: Sequence[float], start: float, end: float) -> float:
    return round(start + (end - start) * (value - ticks[0]) / (ticks[-1] - ticks[0]), 1)


def _mark(t: Row, across: Sequence[float], up: Sequence[float]) -> Row:
    strange = t["known"] is not None and t["known"] < 0.5
    kind = "unread" if t["unreadable"] else "strange" if strange else "read"
    x, y = _at(t["x"], across, LEFT, RIGHT), _at(t["value"], up, BOTTOM, TOP)
    line = None
    if t["low"] is not None and t["high"] is not None:
        line = [_at(t["low"], up, BOTTOM, TOP), _at(t["high"], up, BOTTOM, TOP)]
    knew = "" if t["known"] is None else f", {t['known']:.0%} knew the words"
    said = f"{t['model']}, topic {t['topic']}: {t['words']}; {t['title'].lower()} {number(t['value'])}, "
    said += f"NPMI {number(t['x'])}{knew}"
    return {"x": x, "y": y, "kind": kind, "line": line, "said": said, "words": t["words"], "anchor": None}


def _extremes(topics: Sequence[Row], marks: Sequence[Row]) -> list[Row]:
    """The topics that people and NPMI put furthest apart, two each way at most, well away from others."""
    x, y = (np.argsort(np.argsort([t[k] for t in topics])) for k in ("x", "value"))
    apart = (x - y) / max(len(topics) - 1, 1)
    order = [*np.argsort(-apart)[:6], *np.argsort(apart)[:6]]
    chosen: list[Row] = []
    for i in order:
        mark = marks[i]
        room = all(abs(mark["y"] - c["y"]) > 18 or abs(mark["x"] - c["x"]) > 150 for c in chosen)
        same = sum((apart[i] > 0) == c["high"] for c in chosen)
        if abs(apart[i]) > 0.5 and room and same < LABELLED and mark["words"]:
            mark["high"] = bool(apart[i] > 0)
            chosen.append(mark)
    return chosen
