"""What stands on the organiser's pages: every number of them, made from one moment of a study."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.human.app.organiser_data import Data
from tealeaves.human.app.organiser_quality import (
    RULES,
    UNLIKELY,
    Quality,
    judge,
    number,
    sentences,
    usual_rules,
)
from tealeaves.human.app.organiser_words import (
    MEASURES,
    STATES,
    TASKS,
    count,
    moment,
    money,
    plain,
    seconds,
    signed,
)
from tealeaves.human.item_sets import CHOICES
from tealeaves.human.serving import ONCE, lengths, raters_needed

if TYPE_CHECKING:
    from tealeaves.human.study import Study

BEHIND = 0.25  # an item is behind if it lacks so much more of its answers than the middle item
BAD_CHECK = 0.15  # a check item failed by more raters than this may be a bad item
FEW_CHECKS = 0.75  # a share of checks right under which a rater stands out
LISTED_RATERS = 12  # shown at once; the others are folded up
LISTED = 6  # of raters or items in one sentence
STEPS = (
    ("draft", "Items made"),
    ("pilot", "Pilot"),
    ("frozen", "Rules frozen"),
    ("live", "Live"),
    ("closed", "Closed"),
)


def overview(data: Data, quality: Sequence[Quality]) -> dict[str, Any]:
    """A study's row in the list of studies."""
    study = data.study
    answers = len([row for row in data.latest if row["role"] == "item"])
    states = Counter(row["state"] for row in data.people)
    out = sum(bool(one.excluded) for one in quality)
    parts = [(states["completed"], "done"), (states["working"], "at work"), (out, "left out")]
    said = ", ".join(f"{n} {what}" for n, what in parts if n)
    wanted = f"of {data.wanted:,}" + (" in the pilot" if data.phase == "pilot" else "")
    return {
        "slug": study.name,
        "title": study.settings.title,
        "models": ", ".join(dict.fromkeys(item.model for item in data.counting if item.model)),
        "task": TASKS[study.task],
        "n_items": len(data.counting),
        "answers": f"{answers:,} {wanted}" if answers else "none yet",
        "share": answers / data.wanted if answers and data.wanted else None,
        "raters": said,
        "agreement": alpha(data, kept(data, quality))[1] if answers else "",
        "state": study.state,
    }


def head(data: Data, link: str) -> dict[str, Any]:
    """Title, stages, what can be done next, and where raters come in."""
    study = data.study
    settings = study.settings
    models = list(dict.fromkeys(item.model for item in data.counting if item.model))
    of = f" of {count(len(models), 'model')}" if models else ""
    invite = {
        "draft": "In a draft everything can be tried out here; what is answered is thrown away.",
        "pilot": f"For the pilot: at most {count(settings.pilot_raters, 'rater')}.",
        "live": "Give it to raters, or to the platform they come from.",
        "paused": "The study is paused: nobody begins, and whoever is at work may finish.",
        "closed": "The study is closed: the link leads to a page that says so.",
    }
    return {
        "slug": study.name,
        "title": settings.title,
        "about": f"{TASKS[study.task]}: {count(len(data.counting), 'item')}{of}, "
        f"{count(settings.answers_per_item, 'answer')} an item.",
        "state": study.state,
        "steps": _steps(study),
        "acts": _acts(study),
        "link": link,
        "invite": invite[study.state],
    }


def _steps(study: "Study") -> list[dict[str, Any]]:
    reached = {entry.get("state") for entry in study.about["history"]} | {"draft"}
    if study.frozen:
        reached.add("frozen")
    here = {"paused": study.phase}.get(study.state, study.state)
    steps = []
    for name, label in STEPS:
        if name == "frozen" and study.frozen:
            label = f"Frozen {moment(study.frozen['at']).split(',')[0]}"
        if name == here and study.state == "paused":
            label = f"{label}, paused"
        steps.append({"label": label, "done": name in reached, "now": name == here})
    return steps


def _acts(study: "Study") -> list[dict[str, Any]]:
    ways = {
        "draft": [("pilot", "Start the pilot", True), ("live", "Freeze and go live", False)],
        "pilot": [
            ("live", "Freeze and go live", True),
            ("paused", "Pause", False),
            ("closed", "Close", False),
        ],
        "live": [("paused", "Pause", False), ("closed", "Close the study", False)],
        "paused": [(study.phase, "Resume", True), ("closed", "Close the study", False)],
        "closed": [],
    }
    return [{"state": state, "label": label, "main": main} for state, label, main in ways[study.state]]


def progress(data: Data, quality: Sequence[Quality]) -> dict[str, Any]:
    """How far the study is, item by item, and what needs the organiser now."""
    settings = data.study.settings
    quota = settings.answers_per_item
    answers = [row for row in data.latest if row["role"] == "item"]
    states = Counter(row["state"] for row in data.people)
    needed = raters_needed(data.study.items, settings)
    times = [row["seconds"] for row in answers if row["seconds"] is not None]
    behind = _behind(data)
    left = sum(states[state] for state in ("withdrew", "timed_out", "away"))
    facts = [
        {
            "name": "Answers",
            "value": f"{len(answers):,}",
            "note": f"of {data.wanted:,} ({_share(len(answers), data.wanted)})",
        },
        {
            "name": "Raters finished",
            "value": f"{states['completed']:,}",
            "note": f"of about {needed:,} needed; {states['working']} at work, {left} left",
        },
        {
            "name": "Median time an item",
            "value": seconds(median(times) if times else math.nan),
            "note": _middle(times),
        },
        _spent(data, states["completed"], needed),
    ]
    look = _look(data, quality, behind)
    return {
        "heading": _progress_heading(
            data, len(answers), _counted(data, quality), sum(not one["ok"] for one in look), len(behind)
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
        return "No answer is in yet"
    if not counted:
        are = count(answers, "answer is", "answers are")
        return f"{are} in, and none counts: the rules leave out every rater"
    if state == "closed":
        fewer = f", of which {counted:,} of {answers:,} count" if counted < answers else ""
        return f"Closed with {_share(answers, data.wanted)} of the answers{fewer}"
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


def _lengths(study: "Study") -> str:
    """How many items each of the raters gets who are needed."""
    each = lengths(study.items, study.settings)
    low, high = min(each, default=0), max(each, default=0)
    return count(high, "item") if low == high else f"{low} to {count(high, 'item')}"


def _middle(times: Sequence[float]) -> str:
    if len(times) < 4:
        return count(len(times), "answer")
    low, _, high = quantiles(times, n=4)
    return f"middle half {low:.1f} to {seconds(high)}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "0%"


def _behind(data: Data) -> list[str]:
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


def _look(data: Data, quality: Sequence[Quality], behind: Sequence[str]) -> list[dict[str, Any]]:
    """Sentences, those that need something first."""
    found: list[dict[str, Any]] = []
    if behind:
        waits = [item for item in behind if not data.leased.get(item)]
        again = (
            f"{len(behind) - len(waits)} of them are before raters now. " if len(waits) < len(behind) else ""
        )
        what = count(len(behind), "item is", "items are")
        found.append(
            _one(
                f"{what} behind",
                f"{again}New raters get them first; nothing to do.",
                "#items",
                "See items",
                ok=True,
            )
        )
    for one in quality:
        if not one.excluded and _stands_out(one)["position"]:
            said = f"Rater {one.rater} chose the same place in {one.same_position} of {one.placed} items"
            found.append(_one(said, "No rule is broken, so the answers count.", "#raters", "See raters"))
    for place, (item, failed, asked) in enumerate(failed_checks(data, quality)):
        said = f"Check item {item} is failed by {failed} of {asked}"
        if failed / asked > BAD_CHECK and asked >= 4:
            text = "That many good raters failing suggests a bad item: look at it."
            found.append(_one(said, text, "#items", "See items"))
        elif failed and place == 0:
            found.append(_one(said, f"Below the {BAD_CHECK:.0%} that would suggest a bad item.", ok=True))
    out = [one.rater for one in quality if one.excluded]
    if out:
        named = ", ".join(out[:LISTED]) + (" and others" if len(out) > LISTED else "")
        what = count(len(out), "rater falls", "raters fall")
        found.append(
            _one(
                f"{what} under the rules",
                f"{named}: left out of the scores, not deleted.",
                "#raters",
                "See raters",
                ok=True,
            )
        )
        if lacking := _lacking(data, quality):
            said = "Items are full and have too few answers that count"
            text = f"Places of raters who are left out are not given out again. {lacking}."
            found.append(_one(said, text, "#raters", "See raters"))
    gone = [row for row in data.people if row["state"] in ("withdrew", "timed_out")]
    if len(data.people) >= 10 and len(gone) > len(data.people) / 5:
        said = f"{len(gone)} of {len(data.people)} raters left before the end"
        found.append(_one(said, "Is the study longer than it says, or a page unclear?"))
    refused = [row for row in data.people if row["state"] == "quiz"]
    if len(data.people) >= 5 and len(refused) > len(data.people) / 4:
        said = f"{len(refused)} of {len(data.people)} raters failed the quiz"
        found.append(_one(said, "So many suggest that the instructions are not clear."))
    return sorted(found, key=lambda one: one["ok"])


def _lacking(data: Data, quality: Sequence[Quality]) -> str:
    """By model, how many answers that count are lacking of items that take no more; nothing where none is."""
    quota = data.study.settings.answers_per_item
    counting = Counter(row["item"] for row in kept(data, quality))
    lacks: dict[str, list[int]] = {}
    for item in data.counting:
        lost = quota - counting[item.id] if data.counts[item.id] >= quota else 0
        lacks.setdefault(item.model or "all models", []).append(lost)
    return "; ".join(
        f"{model}: {sum(lost)} lacking, of {count(sum(map(bool, lost)), 'item')}"
        for model, lost in lacks.items()
        if any(lost)
    )


def _one(title: str, text: str, href: str = "", link: str = "", *, ok: bool = False) -> dict[str, Any]:
    return {"title": title, "text": text, "href": href, "link": link, "ok": ok}


def failed_checks(data: Data, quality: Sequence[Quality]) -> list[tuple[str, int, int]]:
    """Each check item: how many good raters failed it, of how many; those failed most first.

    Good is who got at least half of the other checks right and breaks no rule but that of checks: whoever
    fails all of them says nothing of one, and whoever is left out for a bad check must be heard about it.
    """
    rows = [row for row in data.latest if row["role"] == "check" and row["correct"] is not None]
    had, right = Counter[str](), Counter[str]()
    for row in rows:
        had[row["rater"]] += 1
        right[row["rater"]] += row["correct"]
    out = {one.rater for one in quality if set(one.excluded) - {"checks"}}
    asked, failed = Counter[str](), Counter[str]()
    for row in rows:
        rater = row["rater"]
        others = had[rater] - 1
        if rater not in out and 2 * (right[rater] - row["correct"]) >= others:
            asked[row["item"]] += 1
            failed[row["item"]] += not row["correct"]
    return sorted(
        ((item, failed[item], n) for item, n in asked.items()), key=lambda one: (-one[1] / one[2], one[0])
    )


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
    usual = usual_rules(data.study.items, data.study.settings)
    agreements = [one.agreement for one in quality if not math.isnan(one.agreement)]
    middle = median(agreements) if agreements else math.nan
    change = _change(data, quality) if out and data.is_open else []
    lost = len([row for row in data.latest if row["role"] == "item"]) - _counted(data, quality)
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
        "measure": MEASURES.get(data.study.task, "Mean"),
        "all": f"All {len(quality)} raters",
        "kept": f"Without {out}",
    }  # fmt: skip


def _change(data: Data, quality: Sequence[Quality]) -> list[dict[str, str]]:
    """Each model's score with all raters, and without those whom the rules leave out."""
    before, after = means(data), means(data, kept(data, quality))
    return [
        {"name": name, "before": signed(before[name]), "after": signed(after.get(name, math.nan))}
        for name in before
    ]


def _counted(data: Data, quality: Sequence[Quality]) -> int:
    """How many answers count: those to items, of raters whom no rule leaves out."""
    return len([row for row in kept(data, quality) if row["role"] == "item"])


def _first(one: Quality, middle: float) -> tuple[bool, bool, bool, str]:
    """Those who are left out or stand out come first, then who is at work, then the others by name."""
    return (
        not one.excluded,
        not any(_stands_out(one, middle).values()),
        one.state != "working",
        one.rater,
    )


def rules_said(data: Data, quality: Sequence[Quality]) -> list[str]:
    """The study's rules as sentences."""
    times = [one.seconds for one in quality if not math.isnan(one.seconds)]
    return sentences(data.study.settings.rules, median(times) if times else math.nan)


def _rater_row(one: Quality, middle: float = math.nan) -> dict[str, Any]:
    flags = _stands_out(one, middle)
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


def _stands_out(one: Quality, agreement: float = math.nan) -> dict[str, bool]:
    """What stands out of a rater's work, whether or not a rule is broken; beside the middle agreement."""
    return {
        "checks": bool(one.checks) and one.checks_right / one.checks < FEW_CHECKS,
        "time": "time" in one.excluded,
        "agreement": one.agreement < agreement / 2,
        "position": one.chance < UNLIKELY,
    }


def kept(data: Data, quality: Sequence[Quality]) -> list[dict[str, Any]]:
    """The answers of raters whom no rule leaves out."""
    out = {one.rater for one in quality if one.excluded}
    return [row for row in data.latest if row["rater"] not in out]


def judged(data: Data, rules: Mapping[str, float] | None = None) -> list[Quality]:
    """The work of every rater of this phase who has answered or may yet, by the study's rules or others."""
    wanted = data.study.settings.rules if rules is None else rules
    answered = {row["rater"] for row in data.latest}
    people = [row for row in data.people if row["rater"] in answered or row["state"] in ("working", "away")]
    return judge(data.latest, people, wanted, data.study.items)


def score(row: Mapping[str, Any]) -> float:
    """An answer as the number it is scored by; nan where it is none."""
    if row["correct"] is not None:
        return float(row["correct"])
    if row["task"] == "topic_labelling":
        return float(not row["value"].get("none"))
    return number(row["value"])


def means(data: Data, answers: Sequence[Mapping[str, Any]] | None = None) -> dict[str, float]:
    """Each model's score: the mean over its items of the mean answer."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in data.latest if answers is None else answers:
        value = score(row)
        if row["role"] == "item" and not math.isnan(value):
            found.setdefault(row["model"], {}).setdefault(row["item"], []).append(value)
    return {model: float(np.mean([np.mean(one) for one in items.values()])) for model, items in found.items()}


def alpha(data: Data, answers: Sequence[Mapping[str, Any]]) -> tuple[float, str]:
    """Krippendorff's alpha of these answers, and how a page says it: with the coding, or why not."""
    from tealeaves.stats.agreement import krippendorff_alpha, why_no_alpha

    rows = [row for row in answers if row["role"] == "item" and not math.isnan(score(row))]
    people = {name: r for r, name in enumerate(dict.fromkeys(row["rater"] for row in rows))}
    items = {name: c for c, name in enumerate(dict.fromkeys(row["item"] for row in rows))}
    matrix = np.full((len(people), len(items)), np.nan)
    for row in rows:
        matrix[people[row["rater"]], items[row["item"]]] = score(row)
    choice = data.study.task in CHOICES
    level, coding = (
        ("nominal", "right/wrong")
        if choice or data.study.task == "topic_labelling"
        else ("ordinal", "ordinal")
    )
    value = krippendorff_alpha(matrix, level) if len(rows) else math.nan
    if math.isnan(value):
        nobody = "every rater is left out by the rules" if data.latest and not answers else "no answers"
        return value, f"none: {why_no_alpha(matrix) if len(rows) else nobody}"
    return value, f"α {signed(value)}, {coding}"


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


def design(data: Data) -> list[tuple[str, str]]:
    """What was decided, as the page lists it."""
    study, settings = data.study, data.study.settings
    roles = Counter(item.role for item in study.items)
    extra = [
        f"{roles[role]} {name}"
        for role, name in (("practice", "practice"), ("check", "checks"), ("control", "controls"))
        if roles[role]
    ]
    beside = f", and {', '.join(extra)}" if extra else ""
    frozen = (
        f"{moment(study.frozen['at'])}. Later changes make a new study."
        if study.frozen
        else "when it goes live"
    )
    return [
        ("Items", f"{roles['item']}{beside}"),
        ("Answers an item", f"{settings.answers_per_item}; never one more"),
        ("A rater gets", f"{_lengths(study)}; {ONCE.get(study.task, 'each once')}"),
        ("Order", "drawn on the server for each rater and item"),
        ("Abandoned", f"returned after {settings.lease_minutes:g} minutes"),
        ("Language", settings.language),
        ("Platform", settings.platform or "a plain link"),
        ("Codes", "; ".join(f"{end.replace('_', ' ')} {code}" for end, code in settings.codes.items())),
        ("Seed", str(study.items.seed)),
        ("Item set", f"sha256 {study.items.digest}"),
        ("Frozen", frozen),
        ("Made with", f"tealeaves {study.about['tealeaves']}, {moment(study.about['created'])}"),
    ]
