"""Places of intervals and dots on the page: every length in percent, or in the plot's own units."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.human.app.organiser_words import count, is_nan

if TYPE_CHECKING:
    from tealeaves.human.scoring import Result

RIGHT, LANE, DOT = 450.0, 49, 6.4  # of the dot plot, in its own units
NAME = 14  # letters of a model's name beside its lane


def axis_of(values: Sequence[float], scale: Sequence[float]) -> tuple[float, float]:
    """The ends of an interval's strip: what is shown, with some air, and no farther than the scale."""
    there = [value for value in values if not is_nan(value)]
    if not there:
        return 0.0, 1.0
    low, high = min(there), max(there)
    air = 0.08 * (high - low) or 0.1
    low, high = max(scale[0], low - air), min(scale[1], high + air)
    return (low, high) if high > low else (low - 0.1, high + 0.1)


def mark_of(
    value: float, low: float, high: float, axis: tuple[float, float], zero: bool = False
) -> dict[str, float | None]:
    """An interval's places on its strip, in percent."""

    def place(x: float) -> float:
        return round(100 * min(1.0, max(0.0, (x - axis[0]) / (axis[1] - axis[0]))), 2)

    defined = not is_nan(low) and not is_nan(high)
    return {
        "value": 0.0 if is_nan(value) else place(value),
        "low": place(low) if defined else None,
        "high": place(high) if defined else None,
        "zero": place(0.0) if zero and axis[0] <= 0 <= axis[1] else None,
    }


def dot_plot(
    found: "Result", measure: str, scale: tuple[float, float, str], chance: float | None
) -> dict[str, Any] | None:
    """Every topic as a dot, a lane for each model; dots of one value stand on each other."""
    rows = [row for row in found.topics.to_dicts() if row["measure"] == measure and not is_nan(row["value"])]
    if not rows:
        return None
    low, high, axis = scale
    models = list(dict.fromkeys(row["model"] for row in rows))
    left = 16 + 6.6 * min(NAME, max(len(model) for model in models))

    def share(value: float) -> float:
        return (value - low) / (high - low)

    places = {model: Counter[int]() for model in models}
    for row in rows:
        places[row["model"]][round(share(row["value"]) * (RIGHT - left) / DOT)] += 1
    heights = {model: max(LANE, 12 + round(DOT * max(of.values()))) for model, of in places.items()}
    base = sum(heights.values()) + 6
    lanes, bottom = [], base
    for model in reversed(models):
        name = model if len(model) <= NAME else model[: NAME - 1] + "…"
        lanes.append({"name": name, "y": bottom - 17, "dots": _stacked(places[model], left, bottom)})
        bottom -= heights[model]
    guess = "" if chance is None else " Dots left of the dashed line: raters did no better than guessing."
    return {
        "height": base + 36,
        "base": base,
        "left": left,
        "ticks": [
            {"x": round(left + part / 4 * (RIGHT - left), 1), "text": f"{low + part * (high - low) / 4:.2f}"}
            for part in range(5)
        ],
        "axis": axis,
        "chance": None if chance is None else round(left + share(chance) * (RIGHT - left), 1),
        "lanes": lanes,
        "label": f"Dot plot of {count(len(rows), 'topic')} by {axis}",
        "read": f"Each dot is a topic.{guess}",
    }


def _stacked(places: Counter[int], left: float, bottom: float) -> list[dict[str, float]]:
    """A dot for each topic, those of one place above each other."""
    return [
        {"x": round(left + place * DOT, 1), "y": round(bottom - 7.4 - DOT * height, 1)}
        for place, n in sorted(places.items())
        for height in range(n)
    ]
