"""Results as the organiser's page shows them: hidden until they are opened, and every opening is kept."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human.app.organiser_data import Data
from tealeaves.human.app.organiser_quality import Quality
from tealeaves.human.app.organiser_views import kept
from tealeaves.human.app.organiser_words import MEASURES, count, interval, moment, signed

if TYPE_CHECKING:
    from tealeaves.human.scoring import Result

RESAMPLES = 1000
WORST = 8  # topics listed of those that people could not read
LEFT, RIGHT, LANE, DOT = 0.0, 450.0, 49, 6.4  # of the dot plot, in its own units
COEFFICIENTS = {"alpha": "Krippendorff’s α", "brennan prediger": "Brennan–Prediger", "human f1": "Human F1"}
# What a measure is on the page: the ends of its scale, and the words for its axis.
SCALES = {
    "model_precision": (0.0, 1.0, "share of raters who found the intruder"),
    "share_matched": (0.0, 1.0, "share of raters who found the topic"),
    "rating": (1.0, 3.0, "mean rating"),
    "relatedness": (1.0, 3.0, "mean relatedness"),
    "smoothness": (1.0, 3.0, "mean smoothness"),
    "match": (0.0, 1.0, "mean label"),
    "named": (0.0, 1.0, "share of raters who found a label"),
}


def scored(data: Data, quality: Sequence[Quality]) -> "Result | str":
    """Scores of the answers that count, without raters that the rules leave out; or why there are none."""
    from tealeaves.human.answers import Answers
    from tealeaves.human.scoring import score

    rows = [row for row in kept(data, quality) if row["role"] == "item"]
    if not rows:
        return "No answer counts yet."
    try:
        return score(Answers.from_rows(rows, data.study.items), resamples=RESAMPLES)
    except InputError as error:
        return f"{str(error)[:1].upper()}{str(error)[1:]}."


def is_open(data: Data) -> bool:
    """Whether results are shown: once the study is closed, or where the organiser has opened them."""
    return data.is_open


def results(data: Data, quality: Sequence[Quality]) -> dict[str, Any]:
    """The part of the page on results; nothing is computed while they are hidden."""
    study = data.study
    if not is_open(data):
        return {
            "open": False,
            "heading": "Results wait until the study is closed",
            "sub": "Whoever stops a study when its result looks good makes the result wrong. You may open "
            "them now; the time is kept, and the methods text will say so."
            if study.state != "draft"
            else "There are none in a draft.",
        }
    found = scored(data, quality)
    page: dict[str, Any] = {
        "open": True,
        "interim": _interim(data),
        "measure": MEASURES.get(study.task, "Score"),
        "why": found if isinstance(found, str) else "",
        "heading": "Results",
        "sub": "",
        **dict.fromkeys(("models", "differences", "difference_names", "worst", "agreement", "automatic")),
        "binomial": False,
        "plot": None,
        "worst_heading": "",
        "worst_measure": "",
    }
    if isinstance(found, str):
        return page
    rows = found.models.to_dicts()
    measure = str(rows[0]["measure"])
    first = [row for row in rows if row["measure"] == measure]
    chance = next((row["chance"] for row in first if not _is_nan(row["chance"])), None)
    differences = [row for row in found.differences.to_dicts() if row["measure"] == measure]
    scale = SCALES.get(measure, (*_reach(first), measure.replace("_", " ")))
    axis = _axis([row[name] for row in first for name in ("low", "high", "value")], scale[:2])
    guess = f" Guessing gives {signed(chance)}." if chance is not None else ""
    answers = sum(row["n_answers"] for row in first)
    raters = len({row["rater"] for row in kept(data, quality)})
    of = f"from {count(answers, 'answer')} of {count(raters, 'rater')}"
    unit = str(first[0]["unit"])
    return {
        **page,
        "heading": _heading(first, differences, unit),
        "sub": f"{MEASURES.get(study.task, measure)}, {of}.{guess}",
        "models": [
            {
                "name": row["model"] or "all",
                "value": signed(row["value"]),
                "interval": interval(row["low"], row["high"]) or row["reason"],
                "binomial": interval(row["binomial_low"], row["binomial_high"]),
                "mark": _mark(row["value"], row["low"], row["high"], axis),
            }
            for row in sorted(first, key=lambda row: -row["value"])
        ],
        "binomial": any(not _is_nan(row["binomial_low"]) for row in first),
        "differences": _differences(differences),
        "difference_names": [f"These {unit}", f"Such {unit} (a new fit or draw)"],
        "plot": _plot(found, measure, scale, chance) if unit == "topics" else None,
        **_worst(found, data, measure),
        "agreement": _agreement(found),
    }


def _heading(models: Sequence[Mapping[str, Any]], differences: Sequence[Mapping[str, Any]], unit: str) -> str:
    """The finding: which model is best, and whether that would hold again."""
    ranked = sorted((row for row in models if not _is_nan(row["value"])), key=lambda row: -row["value"])
    if len(ranked) < 2:
        return f"Results: {signed(ranked[0]['value'])}" if ranked else "Results"
    best = ranked[0]["model"]
    against = {
        next(iter({row["a"], row["b"]} - {best})): row for row in differences if best in (row["a"], row["b"])
    }
    again = [name for name, row in against.items() if row["p_holm"] < 0.05]
    here = [name for name, row in against.items() if row["p_these_holm"] < 0.05]
    if len(again) == len(against):
        return f"Results: {best} is best, and would be for other {unit} like these"
    if again:
        return f"Results: {best} comes first; only its lead over {_and(again)} would hold for other {unit}"
    if here:
        lead = f"Results: {best} comes first, ahead of {_and(here)} in these {unit}"
        return f"{lead}; whether it would be in others cannot be told"
    return "Results: the models cannot be told apart"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _interim(data: Data) -> str:
    if data.study.state == "closed":
        return ""
    opened = [one["at"] for one in data.looks if one["show"]]
    times = (
        f", and {len(opened) - 1} times before"
        if len(opened) > 2
        else ", and once before"
        if len(opened) > 1
        else ""
    )
    return (
        f"The study is {data.study.state}. You opened them on {moment(opened[-1])}{times}; the methods text "
        "will say so, because stopping when a result looks good makes it wrong."
    )


def _differences(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    ends = [row[name] for row in rows for name in ("low", "high", "low_these", "high_these", "difference")]
    axis = _axis([*ends, 0.0], (-math.inf, math.inf))
    found = []
    for row in rows:
        turned = row["difference"] < 0  # the better one first, so that the sign need not be read
        a, b = (row["b"], row["a"]) if turned else (row["a"], row["b"])
        sign = -1.0 if turned else 1.0
        cells = []
        for low, high in (("low_these", "high_these"), ("low", "high")):
            ends_ = (
                sorted((sign * row[low], sign * row[high])) if not _is_nan(row[low]) else [math.nan, math.nan]
            )
            value = sign * row["difference"]
            said = f"{signed(value)} {interval(*ends_) or row['reason']}"
            cells.append({"mark": _mark(value, ends_[0], ends_[1], axis, zero=True), "text": said})
        found.append({"name": f"{a} − {b}", "cells": cells})
    return found


def _plot(
    found: "Result", measure: str, scale: tuple[float, float, str], chance: float | None
) -> dict[str, Any] | None:
    """Every topic as a dot, a lane for each model; dots of one value stand on each other."""
    rows = [row for row in found.topics.to_dicts() if row["measure"] == measure and not _is_nan(row["value"])]
    if not rows:
        return None
    low, high, axis = scale
    models = list(dict.fromkeys(row["model"] for row in rows))
    left = 16 + 6.6 * min(14, max(len(model) for model in models))
    stacks: dict[str, dict[int, int]] = {model: defaultdict(int) for model in models}
    step = (RIGHT - left) / DOT
    for row in rows:  # how high each lane must be
        stacks[row["model"]][round((row["value"] - low) / (high - low) * step)] += 1
    heights = [max(LANE, 12 + round(DOT * max(stacks[model].values()))) for model in models]
    base = sum(heights) + 6
    lanes, bottom = [], base
    for model, height in zip(reversed(models), reversed(heights), strict=True):
        seen: dict[int, int] = defaultdict(int)
        dots = []
        for row in sorted((row for row in rows if row["model"] == model), key=lambda row: row["value"]):
            place = round((row["value"] - low) / (high - low) * step)
            dots.append({"x": round(left + place * DOT, 1), "y": round(bottom - 7.4 - DOT * seen[place], 1)})
            seen[place] += 1
        name = model if len(model) <= 14 else model[:13] + "…"
        lanes.append({"name": name, "y": bottom - 17, "dots": dots})
        bottom -= height
    ticks = [low + part * (high - low) / 4 for part in range(5)]
    at = {value: round(left + (value - low) / (high - low) * (RIGHT - left), 1) for value in ticks}
    guess = "" if chance is None else " Dots left of the dashed line: raters did no better than guessing."
    return {
        "height": base + 36,
        "base": base,
        "left": left,
        "ticks": [{"x": x, "text": f"{value:.2f}"} for value, x in at.items()],
        "axis": axis,
        "chance": None if chance is None else round(left + (chance - low) / (high - low) * (RIGHT - left), 1),
        "lanes": lanes,
        "label": f"Dot plot of {count(len(rows), 'topic')} by {axis}",
        "read": f"Each dot is a topic.{guess}",
    }


def _worst(found: "Result", data: Data, measure: str) -> dict[str, Any]:
    """The topics that people could not read, the lowest first; all of them where that cannot be told."""
    words = {item.id: item for item in data.counting}
    rows = [row for row in found.topics.to_dicts() if row["measure"] == measure and not _is_nan(row["value"])]
    bad = [row for row in rows if row["unreadable"]]
    told = any(row["unreadable"] is not None for row in rows)
    listed = sorted(bad if told else rows, key=lambda row: (row["value"], row["model"]))[:WORST]
    first = {(item.model, item.topic): item for item in reversed(data.counting)}
    table = []
    for row in listed:
        item = words.get(row["item"]) or first.get((row["model"], row["topic"]))
        name = f"{row['model']} {row['topic']}" if row["topic"] is not None else row["item"]
        table.append(
            {"name": name, "words": _words(item), "value": signed(row["value"]), "answers": row["n"]}
        )
    heading = f"{count(len(bad), 'topic')} people could not read" if told else "The lowest"
    if told and len(bad) > WORST:
        heading += f"; the lowest {WORST}"
    if told and not bad:
        heading = "No topic that people could not read"
    return {
        "worst": table,
        "worst_heading": heading,
        "worst_measure": "Found" if told and measure == "model_precision" else "Mean",
    }


def _words(item: Any) -> str:
    if item is None:
        return ""
    if "words" in item.shown:
        return " ".join(item.shown["words"])
    joined = [option for option in item.options if option != item.key]
    return " ".join(joined) if item.task == "word_intrusion" else "; ".join(joined)[:160]


def _agreement(found: "Result") -> list[tuple[str, str]]:
    """Each coefficient with its coding, for one without the other says nothing."""
    said = []
    for row in found.agreement.to_dicts():
        value = row["reason"] if _is_nan(row["value"]) else signed(row["value"])
        coding = ", ".join(str(row[name]) for name in ("coding", "level") if row[name])
        name = str(row["coefficient"])
        said.append((COEFFICIENTS.get(re.sub(r"[^a-z0-9]+", " ", name.lower()), name), f"{value} ({coding})"))
    return said


def _axis(values: Sequence[float], scale: Sequence[float]) -> tuple[float, float]:
    """The ends of an interval's strip: what is shown, with some air, and no farther than the scale."""
    there = [value for value in values if not _is_nan(value)]
    if not there:
        return 0.0, 1.0
    low, high = min(there), max(there)
    air = 0.08 * (high - low) or 0.1
    low, high = max(scale[0], low - air), min(scale[1], high + air)
    return (low, high) if high > low else (low - 0.1, high + 0.1)


def _mark(
    value: float, low: float, high: float, axis: tuple[float, float], zero: bool = False
) -> dict[str, float | None]:
    """An interval's places on its strip, in percent."""

    def place(x: float) -> float:
        return round(100 * min(1.0, max(0.0, (x - axis[0]) / (axis[1] - axis[0]))), 2)

    defined = not _is_nan(low) and not _is_nan(high)
    return {
        "value": 0.0 if _is_nan(value) else place(value),
        "low": place(low) if defined else None,
        "high": place(high) if defined else None,
        "zero": place(0.0) if zero and axis[0] <= 0 <= axis[1] else None,
    }


def _reach(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    values = [row["value"] for row in rows if not _is_nan(row["value"])]
    return (min(values) - 1.0, max(values) + 1.0) if values else (0.0, 1.0)


def _is_nan(value: float | None) -> bool:
    return value is None or math.isnan(value)
