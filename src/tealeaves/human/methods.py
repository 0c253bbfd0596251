"""The methods section of a paper, as far as a study can write it itself."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tealeaves.human.app.organiser_answers import alpha, kept
from tealeaves.human.app.organiser_raters import rules_said
from tealeaves.human.app.organiser_results import FURTHER
from tealeaves.human.app.organiser_words import (
    MEASURES,
    TASKS,
    count,
    interval,
    moment,
    money,
    seconds,
    signed,
)
from tealeaves.human.serving import ONCE, lengths

if TYPE_CHECKING:
    from tealeaves.human.app.organiser_data import Data
    from tealeaves.human.app.organiser_quality import Quality
    from tealeaves.human.scoring import Result

_ABOUT = re.compile(r"^\w+, \w+: ")  # what a note of scores is about
LISTED = 4  # looks that are named one by one
# What raters did, as a reader who does not know the task must be told.
DID = {
    "word_intrusion": "Raters saw the five most probable words of a topic and one word that does not "
    "belong to it, in an order drawn anew for each rater, and chose the word that does not belong "
    "(Chang et al. 2009).",
    "topic_intrusion": "Raters read a document and chose, among the topics it has most of and one it "
    "has hardly any of, the topic that does not belong (Chang et al. 2009).",
    "word_set_intrusion": "Raters chose, among sets of words of which all but one are of one topic, "
    "the set that does not belong.",
    "topic_word_matching": "Raters saw a word in its text and chose, among five topics, the one that "
    "the word is used in: the topic that the model assigned, the three most probable others and one "
    "drawn at random.",
    "temporal_word_intrusion": "Raters saw a topic at five points in time and chose the word that belongs to "
    "another topic.",
    "word_set_rating": "Raters saw the ten most probable words of a topic and said how well they "
    "belong together, from 1 (not) to 3 (very well).",
    "temporal_rating": "Raters saw a topic at five points in time and said, each from 1 to 3, how well "
    "its words belong together and how smoothly they change.",
    "topic_pair_matching": "Raters saw the words and documents of two topics, named the concept of "
    "each, and said whether they are the same (1), nearly the same (0.5) or not (0) (Korenčić et al. 2021).",
    "topic_labelling": "Raters saw the words and documents of a topic and named its concept, or said "
    "that there is none.",
    "reference_topic_curation": "Raters made reference topics out of topics of models: they ticked words and "
    "documents, merged, split and named them.",
}  # fmt: skip


def methods(data: "Data", quality: "Sequence[Quality]", result: "Result | str | None" = None) -> str:
    """The text: task, items, raters, exclusions, agreement; results only once they are opened.

    Parameters
    ----------
    data : Data
        The study at one moment.
    quality : sequence of Quality
        Of its raters.
    result : Result, str or None
        Scores; why there are none; or None where they are still hidden.
    """
    parts = [
        f"# Methods: {_line(data.study.settings.title)}",
        _task(data),
        _items(data),
        _raters(data, quality),
        _exclusions(data, quality),
        _agreement(data, quality),
        _looks(data),
    ]
    if result is not None:
        parts.append(_results(data, result))
    parts.append(_how(data))
    return "\n\n".join(part for part in parts if part) + "\n"


def _task(data: "Data") -> str:
    return f"Task: {TASKS[data.study.task].lower()}. {DID[data.study.task]}"


def _items(data: "Data") -> str:
    items = data.study.items
    roles = Counter(item.role for item in items)
    models = Counter(item.model for item in data.counting if item.model)
    of = ", ".join(f"{n} of {_line(name)}" for name, n in models.items())
    extra = [
        f"{roles[role]} {name}"
        for role, name in (
            ("practice", "for practice"),
            ("check", "with an obvious answer"),
            ("control", "of random words"),
        )
        if roles[role]
    ]
    more = f" Items that do not count: {', '.join(extra)}." if extra else ""
    lacking = (
        f" No valid item could be made of {count(len(items.without), 'topic')}, which are missing from "
        f"every score."
        if items.without
        else ""
    )
    return (
        f"Items: {count(len(data.counting), 'item')}{f' ({of})' if of else ''}, drawn with seed "
        f"{items.seed} by tealeaves {items.version}.{more}{lacking} The item set has the SHA-256 "
        f"digest {items.digest}."
    )


def _raters(data: "Data", quality: "Sequence[Quality]") -> str:
    """Who came, what each got, and what there is of answers."""
    settings = data.study.settings
    states = Counter(row["state"] for row in data.people)
    ended = ", ".join(f"{states[state]} {said}" for state, said in _ENDS.items() if states[state])
    where = f" through {settings.platform.capitalize()}" if settings.platform else ""
    pay = f" Each was paid {_line(settings.payment)}." if money(settings.payment) else ""
    each = lengths(data.study.items, settings)
    times = [row["seconds"] for row in data.latest if row["role"] == "item" and row["seconds"] is not None]
    middle = sorted(times)[len(times) // 2] if times else math.nan
    answers = len(data.placed)
    lost = sum(row["role"] == "item" for row in data.latest) - answers
    besides = f", and {lost:,} besides of raters whose places went to others" if lost else ""
    return (
        f"Raters: {len(data.people)} people came{where} ({ended or 'nobody yet'}), about "
        f"{len(each) + len(data.replaced)} were needed.{pay} Each item was to get "
        f"{count(settings.answers_per_item, 'answer')}; a rater got at most "
        f"{count(max(each, default=0), 'item')}, {ONCE.get(data.study.task, 'each once')}. There are "
        f"{count(answers, 'answer')} of {data.wanted:,}{besides}, with a median time of "
        f"{seconds(middle)} an item."
    )


_ENDS = {
    "completed": "finished",
    "waiting": "have no items yet",
    "working": "are at work",
    "away": "are away",
    "withdrew": "withdrew",
    "timed_out": "ran out of time",
    "quiz": "failed the quiz",
    "screened_out": "were screened out",
    "full": "came too late",
    "closed": "were stopped by the end",
}


def _exclusions(data: "Data", quality: "Sequence[Quality]") -> str:
    rules = rules_said(data, quality)
    if not rules:
        return "Exclusions: none; there were no rules of exclusion."
    frozen = (
        f"frozen on {moment(data.study.frozen['at'])}, before the first answer"
        if data.study.frozen
        else "not frozen yet"
    )
    out = [one for one in quality if one.excluded]
    reasons = Counter(reason for one in out for reason in one.excluded)
    why = f" ({', '.join(f'{reason}: {n}' for reason, n in reasons.items())})" if reasons else ""
    return (
        f"Exclusions: the rules, {frozen}, leave out raters with {'; '.join(rules)}. They leave out "
        f"{len(out)} of {len(quality)}{why}.{_replaced(data)}"
    )


def _replaced(data: "Data") -> str:
    """Whether others got the places of those who are left out."""
    if not data.study.settings.replace_excluded:
        return ""
    return (
        " Each rater was judged once, on coming to an end, and the places of those left out were given to "
        f"others: of {count(len(data.replaced), 'rater')}."
    )


def _agreement(data: "Data", quality: "Sequence[Quality]") -> str:
    rows = kept(data, quality)
    value, said = alpha(data, rows)
    if math.isnan(value):
        return f"Agreement: Krippendorff’s alpha is undefined ({said.removeprefix('none: ')})."
    return (
        f"Agreement: Krippendorff’s {said} coding; coefficients of other codings of the same answers differ."
    )


def _looks(data: "Data") -> str:
    closed = data.study.state == "closed"
    opened = [moment(one["at"]) for one in data.looks if one["show"]]
    taken = [moment(one["at"]) for one in data.looks if one.get("how") == "exported"]
    if not opened and not taken:
        if closed:
            return "Results were not looked at before the study was closed."
        return "Results have not been looked at so far; the study is not closed."
    said = [f"on {_times(opened)}"] if opened else []
    if taken:
        said.append(f"answers were exported on {_times(taken)}")
    return f"Results were looked at before the study was closed: {'; '.join(said)}."


def _times(moments: Sequence[str]) -> str:
    if len(moments) <= LISTED:
        return "; ".join(moments)
    return f"{moments[0]} and {len(moments) - 1} times more until {moments[-1]}"


def _results(data: "Data", result: "Result | str") -> str:
    if isinstance(result, str):
        return f"Results: none. {result}"
    measures = dict.fromkeys(result.models["measure"])
    names = {**FURTHER, next(iter(measures)): MEASURES[data.study.task]}
    text = " ".join(_measured(result, measure, names.get(measure, measure)) for measure in measures)
    notes = dict.fromkeys(_ABOUT.sub("", note) for note in result.notes)  # one task, and each said once
    return f"Results: {text} {' '.join(f'{note[:1].upper()}{note[1:]}.' for note in notes)}"


def _measured(result: "Result", measure: str, name: str) -> str:
    """Each model's score by one measure, and the differences."""
    said = [
        f"{_line(row['model'] or 'all')} {signed(row['value'])} "
        f"{interval(row['low'], row['high']) or '(' + row['reason'] + ')'}"
        for row in result.models.to_dicts()
        if row["measure"] == measure
    ]
    told = [
        f"{_line(row['a'])} − {_line(row['b'])} {signed(row['difference'])} "
        f"{interval(row['low'], row['high'])} (p = {row['p_holm']:.2g} by Holm)"
        for row in result.differences.to_dicts()
        if row["measure"] == measure
    ]
    differences = f" Differences: {'; '.join(told)}." if told else ""
    return f"{name.lower()} is {'; '.join(said)}.{differences}"


def _how(data: "Data") -> str:
    return (
        f"Software: tealeaves {data.study.about['tealeaves']}. Items, answers, settings and this text "
        f"are exported "
        "by `tealeaves study export`; the same items come again from the same models, seed and version."
    )


def _line(text: str) -> str:
    """A text that stays in its line and is no Markdown."""
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in flat)
