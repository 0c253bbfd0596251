"""How far a study is, item by item."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import median, quantiles
from typing import Any

import numpy as np

from tealeaves.human.app.organiser_answers import counted
from tealeaves.human.app.organiser_data import Data
from tealeaves.human.app.organiser_looks import looks
from tealeaves.human.app.organiser_quality import Quality
from tealeaves.human.app.organiser_words import count, moment, money, seconds
from tealeaves.human.serving import raters_needed

BEHIND = 0.25  # an item is behind if it lacks so much more of its answers than the middle item


def progress(data: Data, quality: Sequence[Quality]) -> dict[str, Any]:
    """How far the study is, item by item, and what needs the organiser now."""
    settings = data.study.settings
    quota = settings.answers_per_item
    answers, again = data.placed, len(data.replaced)
    states = Counter(row["state"] for row in data.people)
    needed = raters_needed(data.study.items, settings) + again
    instead = f", {again} of them instead of raters left out" if again else ""
    times = [row["seconds"] for row in answers if row["seconds"] is not None]
    behind = behind_others(data)
    left = sum(states[state] for state in ("withdrew", "timed_out", "away"))
    facts = [
        {
            "name": "Answers",
            "value": f"{len(answers):,}",
            "note": f"of {data.wanted:,} ({share_of(len(answers), data.wanted)})",
        },
        {
            "name": "Raters finished",
            "value": f"{states['completed']:,}",
            "note": f"of about {needed:,} needed{instead}; {states['working']} at work, {left} left",
        },
        {
            "name": "Median time an item",
            "value": seconds(median(times) if times else math.nan),
            "note": _middle(times),
        },
        _spent(data, states["completed"], needed),
    ]
    look = looks(data, quality, behind)
    return {
        "heading": _progress_heading(
            data, len(answers), counted(data, quality), sum(not one["ok"] for one in look), len(behind)
        ),
        "sub": _progress_sub(data),
        "facts": facts,
        "strips": _strips(data, behind),
        "legend": _legend(quota, bool(behind)),
        "look": look,
    }


def _progress_heading(data: Data, answers: int, counted: int, looks: int, behind: int) -> str:
    state = data.study.state
    if state == "draft":
        return "A draft: nothing is counted yet"
    if not answers:
        return "No answer is in yet" + (" of a rater who counts" if data.replaced else "")
    if not counted:
        are = count(answers, "answer is", "answers are")
        return f"{are} in, and none counts: the rules leave out every rater"
    if state == "closed":
        fewer = f", of which {counted:,} of {answers:,} count" if counted < answers else ""
        return f"Closed with {share_of(answers, data.wanted)} of the answers{fewer}"
    if answers >= data.wanted:
        return "All answers are in" + (f", and {counted:,} of {answers:,} count" if counted < answers else "")
    said = {0: "Yes", 1: "One thing needs a look"}.get(looks, f"{looks} things need a look")
    items = f"; {count(behind, 'item')} {'waits' if behind == 1 else 'wait'} for answers" if behind else ""
    return f"Is it going well? {said}{items}"


def _progress_sub(data: Data) -> str:
    leased = sum(data.leased.values())
    where = f"{count(leased, 'item')} before raters now" if leased else "no item is before a rater now"
    pilot = "Answers of the pilot count for no quota of the study. " if data.phase == "pilot" else ""
    return f"{pilot}As of {moment(data.moment)}; {where}."


def _spent(data: Data, done: int, needed: int) -> dict[str, str]:
    settings = data.study.settings
    total = money(settings.payment, needed)
    if total is None:
        said = settings.payment or "payment is not set"
        return {"name": "Spent", "value": "—", "note": f"no sum: {said}"}
    return {
        "name": "Spent",
        "value": str(money(settings.payment, done)),
        "note": f"of about {total}; {settings.payment} a rater",
    }


def _middle(times: Sequence[float]) -> str:
    if len(times) < 4:
        return count(len(times), "answer")
    low, _, high = quantiles(times, n=4)
    return f"middle half {low:.1f} to {seconds(high)}"


def share_of(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "0%"


def behind_others(data: Data) -> list[str]:
    quota = data.study.settings.answers_per_item
    done = [min(1.0, data.counts[item.id] / quota) for item in data.counting]
    if not done:
        return []
    middle = float(np.median(done))
    return [item.id for item, share in zip(data.counting, done, strict=True) if share < middle - BEHIND]


def _strips(data: Data, behind: Sequence[str]) -> list[dict[str, Any]]:
    quota, late = data.study.settings.answers_per_item, set(behind)
    strips: dict[str, list[int]] = {}
    for item in data.counting:
        n = data.counts[item.id]
        level = 4 if n >= quota else 1 if item.id in late else 3 if 3 * n >= 2 * quota else 2 if n else 0
        strips.setdefault(item.model or "all models", []).append(level)
    return [{"name": name, "cells": cells, "complete": cells.count(4)} for name, cells in strips.items()]


def _legend(quota: int, behind: bool) -> list[tuple[int, str]]:
    two_thirds = -(-2 * quota // 3)
    found = [(4, f"all {quota}")]
    if two_thirds < quota:
        found.append((3, f"{two_thirds} to {quota - 1}" if two_thirds < quota - 1 else f"{two_thirds}"))
    if two_thirds > 1:
        found.append((2, f"1 to {two_thirds - 1}" if two_thirds > 2 else "1"))
    found.append((0, "none"))
    if behind:
        found.append((1, "behind the others"))
    return found
