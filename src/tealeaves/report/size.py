"""Quality against diversity and against the number of topics: a scatter of fits, and a panel a measure."""

import json
import math
import re
from collections.abc import Mapping, Sequence

from tealeaves.report.people_plot import ticks
from tealeaves.report.rows import Row, count_of, fixed, names_of
from tealeaves.runs import base_name

QUALITY = ("npmi", "c_v", "uci", "umass", "u_mass", "we_coherence")  # the first that is there is drawn
DIVERSITY = ("topic_diversity", "diversity", "inverted_rbo", "exclusivity", "topic_overlap")
LEFT, RIGHT, TOP, BOTTOM = 54.0, 448.0, 22.0, 290.0  # of the scatter, in a picture of 460 by 330
WIDTH, HEIGHT = (62.0, 328.0), (170.0, 12.0)  # of a panel, in a picture of 340 by 200
MARKS = 6  # models, or kinds of models, that have a colour of their own
RADIUS, LETTER, SHOWN = 3.8, 7.0, 28  # of a circle; a letter's width, and letters shown, of a label
PICTURE = 460.0
HEAD = ["kind", "topics", "measure", "model", "run", "value"]
FEWEST = 3  # numbers of topics that make a curve


def balance(table: Row) -> Row | None:
    """The scatter of coherence against distinct words; None without both, or with one fit only."""
    y, x = (_first(table["columns"], names) for names in (QUALITY, DIVERSITY))
    if x is None or y is None:
        return None
    fits = [fit for model in table["models"] for fit in _fits(model["name"], x["cells"], y["cells"])]
    if len(fits) < 2:
        return None
    across = ticks(min(f["x"] for f in fits), max(f["x"] for f in fits))
    up = ticks(min(f["y"] for f in fits), max(f["y"] for f in fits))
    groups = _groups(table["models"], fits, across, up)
    return {
        "heading": _balance_heading(x, y, table["models"]),
        "x_name": _toward(x),
        "y_name": _toward(y),
        "specs": (x["spec"], y["spec"]),
        "groups": groups,
        "x": [{"at": _at(v, across, LEFT, RIGHT), "label": _tick(v, across)} for v in across],
        "y": [{"at": _at(v, up, BOTTOM, TOP), "label": _tick(v, up)} for v in up],
        "said": f"{y['title']} against {x['title'].lower()}, {count_of(len(fits), 'fit')} "
        f"of {count_of(len(groups), 'model')}",
        "rows": json.dumps(_lines(groups, x["spec"], y["spec"])),
    }


def _first(columns: Sequence[Row], names: Sequence[str]) -> Row | None:
    found = [c for name in names for c in columns if c["name"] == name]
    return found[0] if found else None


def _fits(name: str, across: Mapping[str, Row], up: Mapping[str, Row]) -> list[Row]:
    """Each run of a model with both values; the means where runs that lack one cannot be paired."""
    x, y = across[name], up[name]
    if x["value"] is None or y["value"] is None:
        return []
    paired = len(x["points"]) == len(y["points"])
    xs, ys = (_runs(x), _runs(y)) if paired else ([x["value"]], [y["value"]])
    return [{"model": name, "x": a, "y": b} for a, b in zip(xs, ys, strict=True)]


def _groups(
    models: Sequence[Row], fits: Sequence[Row], across: Sequence[float], up: Sequence[float]
) -> list[Row]:
    """The fits of each model as circles, and its name beside that one of them where it has most room."""
    for fit in fits:
        fit["cx"], fit["cy"] = _at(fit["x"], across, LEFT, RIGHT), _at(fit["y"], up, BOTTOM, TOP)
    taken = [(fit["cx"] - RADIUS, fit["cy"] - RADIUS, fit["cx"] + RADIUS, fit["cy"] + RADIUS) for fit in fits]
    groups = []
    for i, model in enumerate(models):
        mine = [fit for fit in fits if fit["model"] == model["name"]]
        if mine:
            wide = LETTER * min(len(model["name"]), SHOWN)
            places = [
                (fit["cx"] + side * (RADIUS + 3), fit["cy"] + 4, side, wide)
                for fit in mine
                for side in (1, -1)
            ]
            x, y, side, _ = place = max(places, key=lambda place: _room(_box(*place), taken))
            taken.append(_box(*place))
            label = {"x": round(x, 1), "y": round(y, 1), "anchor": "start" if side > 0 else "end"}
            about = {"name": model["name"], "topics": model["topics"], "fits": mine}
            groups.append({"cls": f"l{i % MARKS + 1}", **about, **label})
    return groups


def _box(x: float, y: float, side: int, wide: float) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a label that begins, or ends, at x."""
    left = x if side > 0 else x - wide
    return left, y - 10, left + wide, y + 3


def _room(box: tuple[float, float, float, float], taken: Sequence[tuple[float, ...]]) -> float:
    """How far a label is from what stands there; negative where it lies on it, or leaves the picture."""
    left, top, right, bottom = box
    apart = [max(left - r, x - right, top - b, y - bottom) for x, y, r, b in taken]
    return min([*apart, left - LEFT, PICTURE - right]) if apart else 0.0


def _balance_heading(x: Row, y: Row, models: Sequence[Row]) -> str:
    names = [m["name"] for m in models if x["cells"][m["name"]]["value"] is not None]
    names = [name for name in names if y["cells"][name]["value"] is not None]
    if len(names) < 2:
        return f"{y['title']} and {x['title'].lower()} of each run"
    best = {c["spec"]: _best(c, names) for c in (x, y)}
    of = {c["spec"]: f"the best {c['title'].lower()}" for c in (x, y)}
    if both := [name for name in names if all(name in those for those in best.values())]:
        return f"{names_of(both)} {'has' if len(both) == 1 else 'have'} {of[y['spec']]} and {of[x['spec']]}"
    quality, diversity = (f"{of[c['spec']]} ({names_of(best[c['spec']])})" for c in (y, x))
    return f"No model has both {quality} and {diversity}"


def _best(column: Row, names: Sequence[str]) -> list[str]:
    """The models with the best value: several may have it, such as topics that share no word."""
    values = {name: column["cells"][name]["value"] for name in names}
    end = (min if column["best"] == "low" else max)(values.values())
    return [name for name, value in values.items() if math.isclose(value, end)]


def _toward(column: Row) -> str:
    return f"{column['title'].lower()}, {column['arrow'].split(' ', 1)[-1]}"


def _lines(groups: Sequence[Row], x: str, y: str) -> list[list[object]]:
    lines: list[list[object]] = [["model", "topics", "run", x, y]]
    for group in groups:
        for i, fit in enumerate(group["fits"], start=1):
            lines.append([group["name"], group["topics"], i, fit["x"], fit["y"]])
    return lines


def sweep(table: Row) -> Row | None:
    """Every measure against the number of topics; None if no kind of model has three of them."""
    kinds: dict[str, list[Row]] = {}
    for model in table["models"]:
        if model["topics"]:
            kinds.setdefault(kind_of(model["name"]), []).append(model)
    kinds = {kind: of for kind, of in kinds.items() if len({m["topics"] for m in of}) >= FEWEST}
    if not kinds:
        return None
    ks = sorted({m["topics"] for of in kinds.values() for m in of})
    panels = [panel for c in table["columns"] if (panel := _panel(c, kinds, ks))]
    return {
        "heading": _sweep_heading(table["columns"], kinds),
        "panels": panels,
        "lines": list(kinds),
        "rows": json.dumps([HEAD, *(row for panel in panels for row in panel["rows"])]),
        "repeated": any(m["runs"] > 1 for of in kinds.values() for m in of),
    }


def kind_of(name: str) -> str:
    """What models of different numbers of topics have in common in their names.

    Examples
    --------
    >>> kind_of("lda-20#3"), kind_of("lda k=40"), kind_of("20")
    ('lda', 'lda', 'model')
    """
    return re.sub(r"[-_ =]?(k=?)?\d+$", "", base_name(name)) or "model"


def _panel(column: Row, kinds: Mapping[str, Sequence[Row]], ks: Sequence[int]) -> Row | None:
    """One measure: a line a kind of model, its runs as circles; of a single run also its interval."""
    cells, digits = column["cells"], column["digits"]
    shown = {kind: [m for m in of if cells[m["name"]]["value"] is not None] for kind, of in kinds.items()}
    if all(len({m["topics"] for m in of}) < FEWEST for of in shown.values()):
        return None
    values = [
        v
        for of in shown.values()
        for m in of
        for v in (cells[m["name"]][key] for key in ("value", "low", "high"))
        if v is not None
    ]
    up = ticks(min(values), max(values))
    said = [f"{m['name']} {fixed(cells[m['name']]['value'], digits)}" for of in shown.values() for m in of]
    return {
        "title": column["title"],
        "measure": column["spec"],
        "arrow": column["arrow"],
        "asks": column["asks"],
        "lines": [
            {"cls": f"l{i % MARKS + 1}", **_line(of, cells, digits, ks, up)}
            for i, of in enumerate(shown.values())
            if of
        ],
        "x": [{"at": _log_at(k, ks), "k": k} for k in ks],
        "y": [{"at": _at(v, up, *HEIGHT), "value": _tick(v, up)} for v in up],
        "said": f"{column['title']} by number of topics: {', '.join(said)}",
        "rows": [
            [kind, m["topics"], column["spec"], m["name"], run, value]
            for kind, of in shown.items()
            for m in of
            for run, value in enumerate(_runs(cells[m["name"]]), start=1)
        ],
    }


def _runs(cell: Row) -> list[float]:
    return cell["points"] or [cell["value"]]


def _line(
    models: Sequence[Row], cells: Mapping[str, Row], digits: int, ks: Sequence[int], up: Sequence[float]
) -> Row:
    points, runs, ends = [], [], []
    for model in sorted(models, key=lambda m: int(m["topics"])):
        cell, x = cells[model["name"]], _log_at(model["topics"], ks)
        points.append(f"{x},{_at(cell['value'], up, *HEIGHT)}")
        for value in _runs(cell):
            said = f"{model['name']}, {model['topics']} topics: {fixed(value, digits)}"
            runs.append({"x": x, "y": _at(value, up, *HEIGHT), "said": said})
        if not cell["points"] and cell["low"] is not None:
            ends.append({"x": x, "from": _at(cell["low"], up, *HEIGHT), "to": _at(cell["high"], up, *HEIGHT)})
    return {"points": " ".join(points), "runs": runs, "ends": ends}


def _sweep_heading(columns: Sequence[Row], kinds: Mapping[str, Sequence[Row]]) -> str:
    """Where the first measures that have a best end are best; of one kind of model, since kinds differ."""
    if len(kinds) > 1:
        return f"How many topics? {names_of(list(kinds))}, measure by measure"
    models = next(iter(kinds.values()))
    said: dict[int, list[str]] = {}
    for column in columns:
        known = {m["topics"]: column["cells"][m["name"]]["value"] for m in models}
        known = {k: v for k, v in known.items() if v is not None}
        if column["best"] and len(known) >= FEWEST:
            best = (max if column["best"] == "high" else min)(known, key=lambda k: known[k])
            said.setdefault(best, []).append(column["title"].lower())
    if not said:
        return "How many topics?"
    parts = [f"{titles[0]} is best with {k}" for k, titles in list(said.items())[:3]]
    return f"How many topics? In these models {names_of(parts)}"


def _log_at(k: int, ks: Sequence[int]) -> float:
    if len(ks) == 1:
        return sum(WIDTH) / 2
    share = math.log(k / ks[0]) / math.log(ks[-1] / ks[0])
    inner = (WIDTH[0] + 14, WIDTH[1] - 14)
    return round(inner[0] + share * (inner[1] - inner[0]), 1)


def _at(value: float, scale: Sequence[float], start: float, end: float) -> float:
    return round(start + (end - start) * (value - scale[0]) / (scale[-1] - scale[0]), 1)


def _tick(value: float, scale: Sequence[float]) -> str:
    """A number of an axis, with as many decimals as the others have."""
    decimals = max(len(f"{v:.10g}".partition(".")[2]) for v in scale)
    return f"{value:,.{decimals}f}".replace("-", "−")
