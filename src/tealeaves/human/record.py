"""A served study as the plain record that is exported."""

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from tealeaves.human.export import Record

if TYPE_CHECKING:
    from tealeaves.human.app.organiser_data import Data
    from tealeaves.human.app.organiser_quality import Quality
    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study


def record(study: "Study", store: "Store") -> Record:
    """Everything there is to export of a study, after raters who cannot come back have been ended.

    Answers of raters who wanted them deleted on stopping are deleted first, so that no export holds them.
    """
    from tealeaves.human.app.flow import settle
    from tealeaves.human.app.organiser_answers import judged
    from tealeaves.human.app.organiser_data import load
    from tealeaves.human.app.organiser_results import is_open, scored
    from tealeaves.human.methods import methods

    settle(study, store)
    data = load(study, store, time.time())
    quality = judged(data)
    result = scored(data, quality) if is_open(data) else None
    told = told_by_raters(store)
    out = {(one.rater, data.phase): ", ".join(one.excluded) for one in quality}
    return Record(
        answers=[{**row, "excluded": out.get((row["rater"], row["form"]), "")} for row in data.answers],
        items=study.items,
        raters=_raters(data, quality, told),
        design=design(data),
        methods=methods(data, quality, result),
        remarks=[
            {name: row[name] for name in ("rater", "form", "at")} | {"remark": row["value"]}
            for row in told
            if row["kind"] == "remark"
        ],
    )


def told_by_raters(store: "Store") -> list[dict[str, Any]]:
    """What raters told besides answers, outside drafts: ``rater``, ``form``, ``kind``, ``value``, ``at``."""
    from tealeaves.human.app.organiser_data import iso, pseudonym
    from tealeaves.human.app.tables import TOLD, events, raters

    with store.reading() as connection:
        found = connection.execute(
            select(events.c.kind, events.c.value, events.c.at, raters.c.number, raters.c.phase)
            .join(raters, raters.c.id == events.c.rater_id)
            .where(events.c.study_id == store.study_id, raters.c.phase != "draft", events.c.kind.in_(TOLD))
            .order_by(events.c.id)
        ).all()
    return [
        {
            "rater": pseudonym(row.number),
            "form": row.phase,
            "kind": row.kind,
            "value": json.loads(row.value),
            "at": iso(row.at),
        }
        for row in found
    ]


def screening_answers(study: "Study", given: Mapping[str, int]) -> dict[str, str]:
    """What was answered to each question of the screening."""
    asked = enumerate(study.settings.screening, start=1)
    return {q["question"]: q["options"][given[f"s{i}"]] for i, q in asked if f"s{i}" in given}


def _raters(data: "Data", quality: "Sequence[Quality]", told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row per rater, with what was answered to the screening and the quiz."""
    by_name = {one.rater: one for one in quality}
    asked = [question["question"] for question in data.study.settings.screening]
    raters = []
    for person in data.raters:
        mine = [row for row in told if row["rater"] == person["rater"]]
        row: dict[str, Any] = {
            "rater": person["rater"],
            "form": person["phase"],
            **{name: person[name] for name in ("state", "joined_at", "left_at")},
        }
        one = by_name.get(person["rater"])
        if one is not None:
            row |= {
                "answers": one.answers,
                "checks": one.checks,
                "checks_right": one.checks_right,
                "median_seconds": _or_none(one.seconds),
                "same_position": one.same_position if one.placed else None,
                "agreement": _or_none(one.agreement),
                "excluded": ", ".join(one.excluded),
            }
        if data.study.settings.quiz:
            row["quiz_tries"] = sum(event["kind"] == "quiz" for event in mine)
        screened: dict[str, str] = {}
        for event in mine:
            if event["kind"] == "screening":
                screened = screening_answers(data.study, event["value"])
        raters.append(row | {f"screening: {name}": screened.get(name, "") for name in asked})
    return raters


def design(data: "Data") -> dict[str, Any]:
    """All of ``study.json`` but completion codes, and when results were opened before the end."""
    about = dict(data.study.about)
    settings = {name: value for name, value in about["settings"].items() if name != "codes"}
    items = data.study.items
    return {
        **about,
        "settings": settings,
        "items": {**about["items"], "settings": items.settings, "notes": list(items.notes),
                  "without": [list(one) for one in items.without]},
        "results_opened": data.looks,
        "exported_at": data.moment,
    }  # fmt: skip


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)
