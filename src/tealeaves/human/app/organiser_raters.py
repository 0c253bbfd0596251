"""Raters on the organiser's pages: their work, the rules, and what these change."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from tealeaves.human.app.organiser_answers import alpha, counted, kept, means, parts
from tealeaves.human.app.organiser_data import Data
from tealeaves.human.app.organiser_quality import RULES, UNLIKELY, Quality, sentences, usual_rules
from tealeaves.human.app.organiser_words import MEASURES, STATES, count, moment, plain, seconds, signed

FEW_CHECKS = 0.75  # a share of checks right under which a rater stands out
LISTED_RATERS = 12  # shown at once; the others are folded up


def raters(data: Data, quality: Sequence[Quality]) -> dict[str, Any]:
    """The table of raters, the rules, and what these change."""
    rules = data.study.settings.rules
    out = sum(bool(one.excluded) for one in quality)
    frozen = data.study.frozen
    if not quality:
        heading = "Raters"
    elif out:
        since = " set before the start" if frozen else ""
        heading = f"Raters: {count(out, 'falls', 'fall')} under the rules{since}"
    else:
        heading = (
            f"Raters: none of {len(quality)} falls under the rules"
            if rules
            else f"Raters: {len(quality)} so far"
        )
    usual = usual_rules(data.study.items, data.study.settings, replacing=data.study.settings.replace_excluded)
    agreements = [one.agreement for one in quality if not math.isnan(one.agreement)]
    middle = median(agreements) if agreements else math.nan
    agreement = alpha(data, kept(data, quality))[1]
    several = len(parts(data.study.task)) > 1
    change = _change(data, quality) if out and data.is_open else []
    lost = len([row for row in data.latest if row["role"] == "item"]) - counted(data, quality)
    if out:
        no_change = (
            f"They leave out {count(lost, 'answer')} of {count(out, 'rater')}. What that does to the scores "
            "is shown with the results."
        )
    else:
        no_change = "Nothing: nobody is left out." if quality else "Nothing yet."
    listed = sorted(quality, key=lambda one: _first(one, middle))
    silent = Counter(row["state"] for row in data.people if row["rater"] not in {q.rater for q in quality})
    none = ", ".join(f"{n} {STATES.get(state, state)}" for state, n in silent.items())
    return {
        "heading": heading,
        "agreement": f"Agreement of those who count: {agreement}." if quality else "",
        "silent": f"Besides, {silent.total()} came and gave no answer: {none}." if silent else "",
        "rows": [_rater_row(one, middle) for one in listed[:LISTED_RATERS]],
        "others": [_rater_row(one, middle) for one in listed[LISTED_RATERS:]],
        "frozen": moment(frozen["at"]) if frozen else "",
        "rules": rules_said(data, quality),
        "form": [
            {"name": name, "label": label, "hint": hint, "max": f"{most:g}", "step": f"{step:g}",
             "value": f"{(rules or usual).get(name, 0):g}"}
            for name, (label, hint, most, step) in RULES.items()
        ],
        "change": change,
        "no_change": no_change,
        "measure": "Mean, 1 to 3" if several else MEASURES.get(data.study.task, "Mean"),
        "all": f"All {len(quality)} raters",
        "kept": f"Without {out}",
    }  # fmt: skip


def _change(data: Data, quality: Sequence[Quality]) -> list[dict[str, str]]:
    """Each model's score with all raters, and without those whom the rules leave out."""
    rows, found = kept(data, quality), []
    for part in parts(data.study.task):
        before, after = means(data.latest, part), means(rows, part)
        found += [
            {
                "name": f"{name}: {part}" if part else name,
                "before": signed(before[name]),
                "after": signed(after.get(name, math.nan)),
            }
            for name in before
        ]
    return found


def _first(one: Quality, middle: float) -> tuple[bool, bool, bool, str]:
    """Those who are left out or stand out come first, then who is at work, then the others by name."""
    return (
        not one.excluded,
        not any(stands_out(one, middle).values()),
        one.state != "working",
        one.rater,
    )


def rules_said(data: Data, quality: Sequence[Quality]) -> list[str]:
    """The study's rules as sentences."""
    times = [one.seconds for one in quality if not math.isnan(one.seconds)]
    return sentences(data.study.settings.rules, median(times) if times else math.nan)


def _rater_row(one: Quality, middle: float = math.nan) -> dict[str, Any]:
    flags = stands_out(one, middle)
    cells = [
        {"text": f"{one.checks_right} of {one.checks}" if one.checks else "—", "flag": flags["checks"]},
        {"text": seconds(one.seconds), "flag": flags["time"]},
        {"text": signed(one.agreement), "flag": flags["agreement"]},
        {"text": f"{one.same_position} of {one.placed}" if one.placed else "—", "flag": flags["position"]},
        {"text": f"{one.known} of {one.asked}" if one.asked else "—", "flag": False},
    ]
    return {
        "name": one.rater,
        "answers": one.answers,
        "cells": cells,
        "state": STATES.get(one.state, one.state),
        "excluded": ", ".join(one.excluded),
    }


def stands_out(one: Quality, agreement: float = math.nan) -> dict[str, bool]:
    """What stands out of a rater's work, whether or not a rule is broken; beside the middle agreement."""
    return {
        "checks": bool(one.checks) and one.checks_right / one.checks < FEW_CHECKS,
        "time": "time" in one.excluded,
        "agreement": one.agreement < agreement / 2,
        "position": one.chance < UNLIKELY,
    }


def one_rater(data: Data, quality: Sequence[Quality], name: str) -> dict[str, Any] | None:
    """All that is known of a rater; None where there is no such one."""
    person = next((row for row in data.raters if row["rater"] == name), None)
    if person is None:
        return None
    one = next((one for one in quality if one.rater == name), None)
    facts = [
        ("Is", STATES.get(person["state"], person["state"])),
        ("Came", moment(person["joined_at"])),
        ("Left", moment(person["left_at"]) or "—"),
    ]
    if one is not None:
        row = _rater_row(one)
        names = ("Checks right", "Median time", "Agrees with rest", "Same position", "Words known")
        facts += [(label, cell["text"]) for label, cell in zip(names, row["cells"], strict=True)]
        facts.append(("In the scores", f"No: {row['excluded']}" if one.excluded else "Yes"))
    if name in data.replaced:
        facts.append(("Places", "Given to others"))
    if person["erased"]:
        facts.append(("Erased", "Yes: the answers were deleted"))
    last = {row["item"]: row for row in data.answers if row["rater"] == name}
    answers = [
        {
            "item": row["item"],
            "role": row["role"],
            "value": plain(row["value"]),
            "correct": _right(row, data.is_open or row["role"] != "item"),
            "seconds": seconds(math.nan if row["seconds"] is None else row["seconds"]),
            "saved_at": moment(row["saved_at"]),
        }
        for row in last.values()
    ]
    return {"name": name, "facts": facts, "answers": answers}


def _right(row: Mapping[str, Any], told: bool) -> str:
    """Whether an answer is right; of items that count only where results are open."""
    if row["correct"] is None or not told:
        return "—"
    return "yes" if row["correct"] else "no"
