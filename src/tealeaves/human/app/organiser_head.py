"""A study's row in the list, the head of its page, and its design."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.human.app.organiser_answers import alpha, kept
from tealeaves.human.app.organiser_data import Data
from tealeaves.human.app.organiser_quality import Quality
from tealeaves.human.app.organiser_words import TASKS, count, moment
from tealeaves.human.curation_events import TASK as CURATION
from tealeaves.human.serving import ONCE, lengths

if TYPE_CHECKING:
    from tealeaves.human.study import Study

UNSAID = ("— (no answers)", "— (of two curators, on its page)")  # in place of a number, by what is asked
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
    answers, curated = len(data.placed), study.task == CURATION
    states = Counter(row["state"] for row in data.people)
    out = sum(bool(one.excluded) for one in quality)
    gone = states["withdrew"] + states["timed_out"] + states["away"]
    parts = [
        (states["completed"], "done"),
        (states["working"], "at work"),
        (gone, "gone"),
        (out, "left out"),
    ]
    said = ", ".join(f"{n} {what}" for n, what in parts if n)
    wanted = f"of {data.wanted:,}" + (" in the pilot" if data.phase == "pilot" else "")
    return {
        "slug": study.name,
        "title": study.settings.title,
        "models": ", ".join(dict.fromkeys(item.model for item in data.counting if item.model)),
        "task": TASKS[study.task],
        "n_items": len(data.counting),
        "answers": "— (reference topics)" if curated else f"{answers:,} {wanted}" if answers else "none yet",
        "share": answers / data.wanted if answers and data.wanted else None,
        "raters": said or "none yet",
        "agreement": alpha(data, kept(data, quality))[1] if answers else UNSAID[curated],
        "state": study.state,
    }


def head(data: Data, link: str) -> dict[str, Any]:
    """Title, stages, what can be done next, and where raters come in."""
    study = data.study
    settings = study.settings
    models = list(dict.fromkeys(item.model for item in data.counting if item.model))
    of = f" of {count(len(models), 'model')}" if models else ""
    quota = f"{count(settings.answers_per_item, 'answer')} an item"
    each = "all of them before each curator" if study.task == CURATION else quota
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
        "about": f"{TASKS[study.task]}: {count(len(data.counting), 'item')}{of}, {each}.",
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


def _lengths(study: "Study") -> str:
    """How many items each of the raters gets who are needed."""
    each = lengths(study.items, study.settings)
    low, high = min(each, default=0), max(each, default=0)
    return count(high, "item") if low == high else f"{low} to {count(high, 'item')}"


def design(data: Data) -> list[tuple[str, str]]:
    """What was decided, as the page lists it."""
    study, settings = data.study, data.study.settings
    frozen = (
        f"{moment(study.frozen['at'])}. Later changes make a new study."
        if study.frozen
        else "when it goes live"
    )
    return [
        *_handed_out(study),
        ("Language", settings.language),
        ("Platform", settings.platform or "a plain link"),
        ("Codes", "; ".join(f"{end.replace('_', ' ')} {code}" for end, code in settings.codes.items())),
        ("Seed", str(study.items.seed)),
        ("Item set", f"sha256 {study.items.digest}"),
        ("Frozen", frozen),
        ("Made with", f"tealeaves {study.about['tealeaves']}, {moment(study.about['created'])}"),
    ]


def _handed_out(study: "Study") -> list[tuple[str, str]]:
    """Who gets which items; curators all get all."""
    settings = study.settings
    roles = Counter(item.role for item in study.items)
    if study.task == CURATION:
        return [("Topics of models", f"{roles['item']}, all of them before each curator")]
    names = (("practice", "practice"), ("check", "checks"), ("control", "controls"))
    extra = [f"{roles[role]} {name}" for role, name in names if roles[role]]
    again = "; places of raters whom the rules leave out go to others" if settings.replace_excluded else ""
    return [
        ("Items", f"{roles['item']}{', and ' if extra else ''}{', '.join(extra)}"),
        ("Answers an item", f"{settings.answers_per_item}; never one more{again}"),
        ("A rater gets", f"{_lengths(study)}; {ONCE.get(study.task, 'each once')}"),
        ("Order", "drawn on the server for each rater and item"),
        ("Abandoned", f"returned after {settings.lease_minutes:g} minutes"),
    ]
