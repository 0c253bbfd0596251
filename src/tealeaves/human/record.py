"""A served study as the plain record that is exported."""

import math
import time
from typing import TYPE_CHECKING, Any

from tealeaves.human.export import Record

if TYPE_CHECKING:
    from tealeaves.human.app.organiser_data import Data
    from tealeaves.human.app.store import Store
    from tealeaves.human.study import Study


def record(study: "Study", store: "Store") -> Record:
    """Everything there is to export of a study, after raters who cannot come back have been ended.

    Answers of raters who wanted them deleted on stopping are deleted first, so that no export holds them.
    """
    from tealeaves.human.app import organiser_views as views
    from tealeaves.human.app.flow import settle
    from tealeaves.human.app.organiser_data import load
    from tealeaves.human.app.organiser_results import is_open, scored
    from tealeaves.human.methods import methods

    settle(study, store)
    data = load(study, store, time.time())
    quality = views.judged(data)
    result = scored(data, quality) if is_open(data) else None
    by_name = {one.rater: one for one in quality}
    raters = []
    for person in data.raters:
        one = by_name.get(person["rater"])
        row: dict[str, Any] = {
            "rater": person["rater"],
            "form": person["phase"],
            **{name: person[name] for name in ("state", "joined_at", "left_at")},
        }
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
        raters.append(row)
    return Record(
        answers=data.answers,
        items=study.items,
        raters=raters,
        design=design(data),
        methods=methods(data, quality, result),
    )


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
