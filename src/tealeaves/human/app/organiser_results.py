"""Results as the organiser's page shows them: hidden until they are opened, and every opening is kept."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human.app.organiser_answers import kept
from tealeaves.human.app.organiser_data import Data
from tealeaves.human.app.organiser_plots import axis_of, dot_plot, mark_of
from tealeaves.human.app.organiser_quality import Quality
from tealeaves.human.app.organiser_relations import automatic
from tealeaves.human.app.organiser_words import MEASURES, count, interval, is_nan, moment, signed

if TYPE_CHECKING:
    from tealeaves.human.scoring import Result
    from tealeaves.scores import Scores

RESAMPLES = 1000
WORST = 8  # topics listed of those that people could not read
COEFFICIENTS = {"alpha": "Krippendorff’s α", "brennan prediger": "Brennan–Prediger", "human f1": "Human F1"}
# What a measure is on the page: the ends of its scale, and the words for its axis.
SCALES: dict[str, tuple[float, float, str]] = {
    "model_precision": (0.0, 1.0, "share of raters who found the intruder"),
    "share_matched": (0.0, 1.0, "share of raters who found the topic"),
    "rating": (1.0, 3.0, "mean rating"),
    "relatedness": (1.0, 3.0, "mean relatedness"),
    "smoothness": (1.0, 3.0, "mean smoothness"),
    "match": (0.0, 1.0, "mean label"),
    "named": (0.0, 1.0, "share of raters who found a label"),
}


# What each measure is called above its table; the first of a task is in `organiser_words.MEASURES`.
FURTHER = {"smoothness": "Mean smoothness, 1 to 3", "topic_log_odds": "Mean topic log odds, at most 0"}


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


def results(data: Data, quality: Sequence[Quality], scores: "Scores | str | None" = None) -> dict[str, Any]:
    """The part of the page on results; nothing is computed while they are hidden.

    Parameters
    ----------
    data, quality
        The study and its raters at one moment.
    scores : Scores, or str, optional
        Automatic scores of the same models, which are set beside people's; or why they cannot be read.
    """
    if not is_open(data):
        waits = (
            "Whoever stops a study when its result looks good makes the result wrong. You may open them now; "
            "the time is kept, and the methods text will say so."
        )
        sub = "There are none in a draft." if data.study.state == "draft" else waits
        return {"open": False, "heading": "Results wait until the study is closed", "sub": sub}
    found = scored(data, quality)
    page: dict[str, Any] = {
        "open": True,
        "interim": _interim(data),
        "heading": "Results",
        "sub": "",
        "why": "",
    }
    page |= {"parts": [], "agreement": None, "places": None, "automatic": None}
    if isinstance(found, str):
        return {**page, "why": found}
    measures = list(dict.fromkeys(found.models["measure"]))
    parts = [_part(found, data, measure, first=n == 0) for n, measure in enumerate(measures)]
    answers = sum(row["n_answers"] for row in found.models.to_dicts() if row["measure"] == measures[0])
    raters = len({row["rater"] for row in kept(data, quality)})
    return {
        **page,
        "heading": parts[0]["heading"],
        "sub": f"From {count(answers, 'answer')} of {count(raters, 'rater')}.{parts[0]['guess']}",
        "parts": parts,
        "agreement": _agreement(found),
        "places": _places(found),
        "automatic": None if scores is None else automatic(found, scores),
    }


def _part(found: "Result", data: Data, measure: str, *, first: bool) -> dict[str, Any]:
    """The models, their differences, every topic, and the lowest, by one measure."""
    models = [row for row in found.models.to_dicts() if row["measure"] == measure]
    differences = [row for row in found.differences.to_dicts() if row["measure"] == measure]
    unit = str(models[0]["unit"])
    chance = next((row["chance"] for row in models if not is_nan(row["chance"])), None)
    scale = SCALES.get(measure, (*_reach(models), measure.replace("_", " ")))
    axis = axis_of([row[name] for row in models for name in ("low", "high", "value")], scale[:2])
    name = FURTHER.get(measure, MEASURES.get(data.study.task, measure.replace("_", " ").capitalize()))
    heading = _heading(models, differences, unit)
    return {
        "id": measure.replace("_", "-"),
        "measure": name,
        "heading": heading if first else heading.replace("Results", name.partition(",")[0], 1),
        "guess": "" if chance is None else f" Guessing gives {signed(chance)}.",
        "models": [
            {
                "name": row["model"] or "all",
                "value": signed(row["value"]),
                "interval": interval(row["low"], row["high"]) or row["reason"],
                "binomial": interval(row["binomial_low"], row["binomial_high"]),
                "mark": mark_of(row["value"], row["low"], row["high"], axis),
            }
            for row in sorted(models, key=lambda row: -row["value"])
        ],
        "binomial": any(not is_nan(row["binomial_low"]) for row in models),
        "differences": _differences(differences),
        "difference_names": [f"These {unit}", f"Such {unit} (a new fit or draw)"],
        "plot": dot_plot(found, measure, scale, chance) if unit == "topics" and measure in SCALES else None,
        **_worst(found, data, measure),
    }


def _heading(models: Sequence[Mapping[str, Any]], differences: Sequence[Mapping[str, Any]], unit: str) -> str:
    """The finding: which model is best, and whether that would hold again."""
    ranked = sorted((row for row in models if not is_nan(row["value"])), key=lambda row: -row["value"])
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
    axis = axis_of([*ends, 0.0], (-math.inf, math.inf))
    found = []
    for row in rows:
        turned = row["difference"] < 0  # the better one first, so that the sign need not be read
        a, b = (row["b"], row["a"]) if turned else (row["a"], row["b"])
        sign = -1.0 if turned else 1.0
        cells = []
        for low, high in (("low_these", "high_these"), ("low", "high")):
            ends_ = (
                sorted((sign * row[low], sign * row[high])) if not is_nan(row[low]) else [math.nan, math.nan]
            )
            value = sign * row["difference"]
            said = f"{signed(value)} {interval(*ends_) or row['reason']}"
            cells.append({"mark": mark_of(value, ends_[0], ends_[1], axis, zero=True), "text": said})
        found.append({"name": f"{a} − {b}", "cells": cells})
    return found


def _worst(found: "Result", data: Data, measure: str) -> dict[str, Any]:
    """The topics that people could not read, the lowest first; all of them where that cannot be told."""
    words = {item.id: item for item in data.counting}
    rows = [row for row in found.topics.to_dicts() if row["measure"] == measure and not is_nan(row["value"])]
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
    if "slices" in item.shown:
        first, last = item.shown["slices"][0], item.shown["slices"][-1]
        return " … ".join(f"{one['label']}: {' '.join(one['words'])}" for one in (first, last))
    joined = [option for option in item.options if option != item.key]
    return " ".join(joined) if item.task == "word_intrusion" else "; ".join(joined)[:160]


def _places(found: "Result") -> str:
    """Whether it mattered where on the page something stood; nothing where that is not known."""
    for row in found.positions.to_dicts():
        if row["position"] is None and not is_nan(row["p"]):
            p = "p < 0.001" if row["p"] < 0.001 else f"p = {row['p']:.2g}"
            if is_nan(row["effect"]):
                most = max(found.positions.drop_nulls("position").to_dicts(), key=lambda one: one["share"])
                return (
                    f"place {most['position']} was chosen most, in {most['share']:.0%} of the answers, where "
                    f"{most['expected']:.0%} are expected; all places alike: {p}"
                )
            ends = interval(row["low"], row["high"])
            return f"labels change by {signed(row['effect'])} {ends} with the topic that stands first; {p}"
    return ""


def _agreement(found: "Result") -> list[tuple[str, str]]:
    """Each coefficient with its coding, for one without the other says nothing."""
    said = []
    for row in found.agreement.to_dicts():
        value = row["reason"] if is_nan(row["value"]) else signed(row["value"])
        coding = ", ".join(str(row[name]) for name in ("coding", "level") if row[name])
        name = str(row["coefficient"])
        said.append((COEFFICIENTS.get(re.sub(r"[^a-z0-9]+", " ", name.lower()), name), f"{value} ({coding})"))
    return said


def _reach(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    values = [row["value"] for row in rows if not is_nan(row["value"])]
    return (min(values) - 1.0, max(values) + 1.0) if values else (0.0, 1.0)
