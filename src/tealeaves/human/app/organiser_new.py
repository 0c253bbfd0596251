"""Making a further study on the organiser's pages: of saved models of one folder, shown before it is made."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from tealeaves.errors import InputError, TealeavesError
from tealeaves.human.app.organiser_auth import share
from tealeaves.human.app.organiser_preview import preview, without
from tealeaves.human.app.organiser_quality import usual_rules
from tealeaves.human.app.organiser_settings import LONG, MOST, languages, long_fields, long_settings
from tealeaves.human.app.organiser_words import TASKS, count
from tealeaves.human.curation_events import TASK as CURATION
from tealeaves.human.estimate import estimate_of, power_table_of
from tealeaves.human.measured import keep_scores
from tealeaves.human.study import PLATFORMS, Settings, Study

if TYPE_CHECKING:
    from tealeaves.human.app.organiser import Call
    from tealeaves.human.app.server import Site
    from tealeaves.human.item_sets import ItemSet

MODELS = "TEALEAVES_STUDY_MODELS"  # the folder of models, as `tealeaves study serve --models` hands it on
MARKS = {"model.json": "models", "dynamic.json": "models", "corpus.json": "corpora", "scores.json": "scores"}
CURATORS = (
    "Every curator gets all topics, and may come back for weeks. Two who work apart show how far the themes "
    "depend on who looks; their sets can be put together."
)
CHECKS, PRACTICE, CONTROLS = 4, 2, 2  # where the task has such items
# Name, label, least, by default, and what it is.
NUMBERS = (
    ("n", "Items", 0, 0, "0: one for each topic"),
    ("seed", "Seed", 0, 0, "the same seed makes the same items"),
    ("answers_per_item", "Raters an item", 1, 8, "answers to each item; never one more"),
    ("items_per_rater", "Items a rater", 1, 40, "at most; checks come on top"),
)


@dataclass(frozen=True)
class Form:
    """What was filled in."""

    title: str
    task: str
    models: Sequence[str]
    corpus: str
    payment: str
    contact: str
    minutes: str
    platform: str
    language: str
    scores: str
    replace_excluded: bool
    long: dict[str, str]
    numbers: dict[str, int]


def make(call: "Call") -> Response:
    """The form; the form with a preview; or, made, on to the study."""
    found, form = there(), _form(call)
    page = _page(form, found)
    if call.request.method != "POST":
        return call.page("new", **page)
    try:
        items = _items(form, found)
        settings = _settings(form, items)
        if call.one("step") == "create":
            made = _create(call, items, settings)
            if form.scores:
                keep_scores(made, _one_of(found["scores"], form.scores, "scores"))
            return RedirectResponse(f"/organiser/{quote(made.name)}/?said=made", 303)
        return call.page("new", **{**page, **_previewed(items, Settings(**settings))})
    except TealeavesError as error:
        return call.page("new", 422, **{**page, "wrong": f"{str(error)[:1].upper()}{str(error)[1:]}."})


def _page(form: Form, found: dict[str, list[str]]) -> dict[str, Any]:
    """What the form shows."""
    return {
        **found,
        "tasks": list(TASKS.items()),
        "form": vars(form),
        "platforms": PLATFORMS,
        "languages": languages(),
        "numbers": [
            {"name": name, "label": label, "min": least, "value": form.numbers[name], "hint": hint}
            for name, label, least, _, hint in NUMBERS
        ],
        "long": long_fields(vars(Settings()), form.long),
        "long_open": any(form.long.values()),
        "wrong": "",
        "preview": None,
        "estimate": (),
        "power": None,
    }


def _previewed(items: "ItemSet", settings: Settings) -> dict[str, Any]:
    """The items, and what the study takes and can find."""
    curated = items.task == CURATION
    lines = () if curated else estimate_of(items, settings).lines
    what = "topics to look through" if curated else "items"
    shown = {
        **preview(items),
        "heading": f"{count(len(items), 'item').partition(' ')[0]} {what}, as "
        f"{'curators' if curated else 'raters'} will see them",
        "notes": [*items.notes, *without(items)],
    }
    return {
        "preview": shown,
        "estimate": [f"{line[:1].upper()}{line[1:]}." for line in lines] or [CURATORS],
        "power": None if curated else power_table_of(items, settings),
    }


def home(site: "Site") -> Path | None:
    """The folder of studies into which a further one can be put; None where single studies are served."""
    return next(
        (path for path in site.folders if path.is_dir() and not (path / "study.json").is_file()), None
    )


def folder() -> Path:
    """The folder of models, corpora and scores that is served."""
    return Path(os.environ[MODELS])


def there() -> dict[str, list[str]]:
    """What is saved in that folder, by kind and name; a name is all a form may say."""
    found: dict[str, list[str]] = {"models": [], "corpora": [], "scores": []}
    if MODELS not in os.environ:
        return found
    for path in sorted(folder().iterdir()):
        kind = next((kind for mark, kind in MARKS.items() if (path / mark).is_file()), None)
        if kind is not None:
            found[kind].append(path.name)
    return found


def _form(call: "Call") -> Form:
    numbers = {}
    for name, _, least, usual, _ in NUMBERS:
        written = call.one(name).strip()
        numbers[name] = max(least, int(written)) if written.isdecimal() and len(written) < 10 else usual
    return Form(
        call.one("title").strip()[:200],
        call.one("task"),
        call.form.get("model", []),
        call.one("corpus"),
        call.one("payment").strip()[:60],
        call.one("contact").strip()[:200],
        call.one("minutes").strip()[:60],
        call.one("platform"),
        call.one("language") or "en",
        call.one("scores"),
        call.one("replace_excluded") == "yes",
        {name: call.one(name)[: MOST + 1] for name in LONG},
        numbers,
    )


def _items(form: Form, there: dict[str, list[str]]) -> "ItemSet":
    from tealeaves import human
    from tealeaves.corpus import load_corpus
    from tealeaves.model import read_model

    if form.task not in TASKS:
        raise InputError("choose a task")
    if not form.models:
        raise InputError("choose at least one model")
    models = {name: read_model(_one_of(there["models"], name, "model")) for name in form.models}
    corpus = load_corpus(_one_of(there["corpora"], form.corpus, "corpus")) if form.corpus else None
    module = import_module(f"tealeaves.human.tasks.{form.task}")
    obvious = hasattr(module, "obvious") and form.language.split("-")[0] == "en"  # they are of English words
    controls = CONTROLS if obvious or not hasattr(module, "obvious") else CHECKS  # instead of checks
    return human.items(
        form.task,
        models,
        corpus=corpus,
        n=form.numbers["n"] or None,
        seed=form.numbers["seed"],
        checks=CHECKS if obvious else 0,
        practice=PRACTICE if obvious else 0,
        controls=controls if hasattr(module, "control") else 0,
    )


def _one_of(names: Sequence[str], name: str, what: str) -> Path:
    """The folder of this name; a name is all a form may say."""
    if name not in names:
        raise InputError(f"there is no {what} {name!r} in the folder")
    return folder() / name


def _settings(form: Form, items: "ItemSet") -> dict[str, Any]:
    if not form.title:
        raise InputError("the study needs a title")
    counted = () if form.task == CURATION else ("answers_per_item", "items_per_rater")  # curators get all
    numbers = {name: form.numbers[name] for name in counted}
    texts = ("title", "payment", "contact", "minutes", "language")
    told: dict[str, Any] = {name: getattr(form, name) for name in texts}
    told |= {"platform": form.platform or None, **numbers, **long_settings(form.long)}
    again = form.replace_excluded
    rules = usual_rules(items, Settings(**told), replacing=again)
    return {**told, "rules": rules, "replace_excluded": again}


def _create(call: "Call", items: "ItemSet", settings: dict[str, Any]) -> Study:
    where = home(call.site)
    if where is None:
        raise InputError(
            "single studies are served: start the server with the folder that holds them, and a further one "
            "can be put there"
        )
    name = re.sub(r"[^a-z0-9]+", "-", settings["title"].lower()).strip("-")[:50] or "study"
    place, number = where / name, 2
    while place.exists() or call.site.find(place.name) is not None:
        place, number = where / f"{name}-{number}", number + 1
    made = Study.create(place, items, **settings)
    share(call.door.study(), made)
    return made
