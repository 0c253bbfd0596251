"""``tealeaves study``: create, change, serve, status, export, score, rounds."""

import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.cli import Commands
from tealeaves.commands._common import (
    FILE,
    check_exists,
    corpus_options,
    note,
    print_json,
    read_corpus,
    read_models,
    read_words,
    seed_option,
    subcommand,
)
from tealeaves.commands._study_change import change, read_settings
from tealeaves.commands._study_results import export, forget, rounds, score
from tealeaves.errors import FormatError, InputError, TealeavesError

if TYPE_CHECKING:
    from tealeaves.human.item_sets import ItemSet
    from tealeaves.human.study import Study

TASKS = (
    "word_intrusion", "topic_intrusion", "word_set_intrusion", "topic_word_matching",
    "temporal_word_intrusion", "word_set_rating", "temporal_rating", "topic_pair_matching",
    "topic_labelling", "reference_topic_curation",
)  # fmt: skip
STATES = ("pilot", "live", "paused", "closed")
CHECKS, PRACTICE, CONTROLS = 4, 2, 2  # where the task has such items and the pages are English


@click.group("study", cls=Commands)
def command() -> None:
    """Let people judge topics: on your own server, scored with honest intervals.

    1. `create` makes items of models and a folder for the study; `change` sets anew what is not frozen yet.

    2. `serve` shows the items to raters, and to you how far they are.

    3. `status`, `export` and `score` say what came of it; `rounds` leads through rounds of topic pairs.
    """


@subcommand(
    """
    tealeaves study create oil --task word_intrusion --model lda-20 --corpus docs.jsonl --seed 1
    tealeaves study create which --task word_set_rating --model lda-20 --model nmf-20 --raters-per-item 8
    tealeaves study create pairs --task topic_pair_matching --pairs pairs.json --settings study.toml
    """,
    name="create",
)
@click.argument("folder", metavar="FOLDER", type=FILE)
@click.option("--task", metavar="TASK", help=f"One of {', '.join(TASKS)}.")
@click.option("--model", "models", metavar="PATH", type=FILE, multiple=True, help="A model. Repeat it.")
@click.option("--corpus", metavar="PATH", type=FILE, help="Documents: shown, or for frequencies of words.")
@click.option("--pairs", metavar="FILE", type=FILE, help="Pairs of `tealeaves matcher sample`.")
@click.option(
    "--items", "made", metavar="FILE", type=FILE, help="Items made before, instead of all the above."
)
@click.option("-n", "n", metavar="N", type=click.IntRange(min=1), help="Items. [one for each topic]")
@click.option("--raters-per-item", metavar="R", type=click.IntRange(min=1), help="Answers an item. [5]")
@click.option("--items-per-rater", metavar="I", type=click.IntRange(min=1), help="At most. [40]")
@click.option("--checks", type=click.IntRange(min=0), help=f"Check items. [{CHECKS}, where there are some]")
@click.option("--practice", type=click.IntRange(min=0), help=f"Practice items. [{PRACTICE}]")
@click.option("--controls", type=click.IntRange(min=0), help=f"Topics of random words. [{CONTROLS}]")
@click.option("--title", metavar="TEXT", help="What raters read above the first page.")
@click.option("--language", metavar="LANG", help="Of the pages: en. [en]")
@click.option("--payment", metavar="TEXT", help="What each rater gets: £2.00. Gives the cost.")
@click.option("--platform", type=click.Choice(["prolific", "mturk"]), help="Where raters come from.")
@click.option(
    "--settings", metavar="FILE.toml", type=FILE, help="All other settings; a table [items] is for the items."
)
@click.option("--vocabulary", metavar="PATH", type=FILE, help="Words of models that are bare matrices.")
@click.option("--trust", is_flag=True, help="Open files that can run code (pickles).")
@corpus_options
@seed_option
def create(
    folder: Path,
    task: str | None,
    models: tuple[Path, ...],
    corpus: Path | None,
    pairs: Path | None,
    made: Path | None,
    settings: Path | None,
    vocabulary: Path | None,
    trust: bool,
    reading: dict[str, Any],
    seed: int,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Make the items of a study and its FOLDER, as a draft. Nothing is shown to anybody yet."""
    from tealeaves.human.app.organiser_quality import usual_rules
    from tealeaves.human.estimate import estimate
    from tealeaves.human.item_sets import ItemSet
    from tealeaves.human.study import Study, settings_of

    for path in (*models, corpus, pairs, made, settings, vocabulary):
        check_exists(path)
    if folder.exists() and (folder.is_file() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already: name another folder for the study")
    told = read_settings(settings)
    of_items = told.pop("items", {})
    if not isinstance(of_items, dict):
        raise FormatError(settings or "", "items must be a table, [items], of options of the task")
    of_items = {**of_items, **{name: x for name in _OF_ITEMS if (x := given.pop(name)) is not None}}
    names = {"raters_per_item": "answers_per_item"}
    told.update({names.get(name, name): value for name, value in given.items() if value is not None})
    if made is not None:
        paths = {"--model": models, "--pairs": pairs, "--corpus": corpus, "--vocabulary": vocabulary}
        others = {"--task": task, **paths, **{f"{name} (of items)": True for name in of_items}}
        if idle := [name for name, value in others.items() if value]:
            raise InputError(f"--items are whole, and nothing is made of {', '.join(idle)}: leave that out")
        items = ItemSet.load(made)
    else:
        if task not in TASKS:
            said = f"there is no task {task!r}" if task else "name a task with --task"
            raise InputError(f"{said}; there are {', '.join(TASKS)}")
        words = None if vocabulary is None else read_words(vocabulary)
        read = read_models(models, trust=trust, vocabulary=words)
        documents = None if corpus is None else read_corpus(corpus, {**reading, "trust": trust})
        items = _items(task, read, documents, pairs, seed, of_items, str(told.get("language", "en")))
    told.setdefault("title", _title(items))
    told.setdefault("rules", usual_rules(items, settings_of(told)))
    study = Study.create(folder, items, **told)
    guess = estimate(study)
    for text in items.notes:
        note(text, quiet)
    if as_json:
        print_json(
            {"folder": str(folder), "task": items.task, "items": _roles(items), "digest": items.digest,
             "seed": items.seed, "without": [list(one) for one in items.without], "notes": list(items.notes),
             "settings": study.about["settings"], "estimate": guess.as_dict(),
             "next": f"tealeaves study serve {folder}"}
        )  # fmt: skip
        return
    kinds = ", ".join(
        f"{n} {role}{'s' if n > 1 and role != 'practice' else ''}" for role, n in _roles(items).items()
    )
    click.echo(f"{folder}: {items.task}, {kinds} (seed {items.seed})")
    from tealeaves.human.app.organiser_preview import without

    if not quiet:
        for text in without(items):
            click.echo(text)
        for text in () if items.task == "reference_topic_curation" else guess.lines:
            click.echo(text)
        click.echo(f"\nNext: tealeaves study serve {folder}")


_OF_ITEMS = ("n", "checks", "practice", "controls")


@subcommand(
    """
    tealeaves study serve oil
    tealeaves study serve oil wheat --host 0.0.0.0 --port 443 --workers 2 --url https://studies.example.org
    tealeaves study serve oil --database postgresql://me@db.example.org/studies
    """,
    name="serve",
)
@click.argument("folders", metavar="FOLDER...", type=FILE, nargs=-1, required=True)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="0.0.0.0: everybody who reaches this computer."
)
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that serve."
)
@click.option("--url", metavar="URL", help="The address raters see, where a proxy stands in front.")
@click.option("--log", is_flag=True, help="A line a request on standard error, without anything of a rater.")
@click.option(
    "--database",
    metavar="URL",
    envvar="TEALEAVES_DATABASE",
    help="PostgreSQL instead of a file in each folder; or in the environment, as TEALEAVES_DATABASE.",
)
@click.option(
    "--models", metavar="FOLDER", type=FILE, help="Models of which the organiser may make further studies."
)
def serve(
    folders: tuple[Path, ...],
    host: str,
    port: int,
    workers: int,
    url: str | None,
    log: bool,
    database: str | None,
    models: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Serve the studies in FOLDERs until Ctrl-C stops it. Whoever has the printed link is the organiser.

    A FOLDER may hold one study or many; further ones can be made on the organiser's pages in the latter.
    """
    from tealeaves.human.app.organiser_auth import mint
    from tealeaves.human.app.organiser_new import MODELS
    from tealeaves.human.app.server import run
    from tealeaves.human.study import Study

    for path in (*folders, models):
        check_exists(path)
    inside = [one for folder in folders for one in _studies(folder)]
    if url is not None and not re.fullmatch(r"https?://[^/\s?#@]+/?", url):
        raise InputError(f"--url is an address such as https://studies.example.org; got {url!r}")
    studies = []
    for folder in inside:
        try:
            studies.append(Study.open(folder))
        except TealeavesError as error:
            if folder in folders or len(inside) == 1:  # else it is one of many, and the others are served
                raise
            note(f"not served: {error}", quiet)
    if not studies:
        raise InputError(f"no study of {', '.join(map(str, folders))} can be served")
    address = (
        url or f"http://{'localhost' if host in ('127.0.0.1', '0.0.0.0', '::') else host}:{port}"
    ).rstrip("/")
    token = mint(inside)
    links = {study.name: f"{address}/s/{study.name}/" for study in studies}
    organiser = f"{address}/organiser/login?token={token}"
    if as_json:
        print_json({"raters": links, "organiser": organiser, "host": host, "port": port, "workers": workers})
    else:
        for study in studies:
            click.echo(
                f"{study.settings.title} ({study.name}, {study.state}), for raters: {links[study.name]}"
            )
        click.echo(f"For you alone, the organiser:\n{organiser}")
        if not quiet:
            click.echo("Stop with Ctrl-C. The link above is new at each start.")
    if models is not None:
        os.environ[MODELS] = str(models.resolve())
    behind_proxy = address.startswith("https://")
    run(
        folders,
        database,
        host=host,
        port=port,
        workers=workers,
        behind_proxy=behind_proxy,
        url=url,
        log=log,
    )
    note("stopped; every answer is saved", quiet)


@subcommand(
    """
    tealeaves study status oil
    tealeaves study status oil --json
    tealeaves study status oil --move live
    """,
    name="status",
)
@click.argument("folders", metavar="FOLDER...", type=FILE, nargs=-1, required=True)
@click.option(
    "--database", metavar="URL", envvar="TEALEAVES_DATABASE", help="Where `serve` keeps the answers."
)
@click.option("--move", "state", type=click.Choice(STATES), help="Take the study there first.")
def status(
    folders: tuple[Path, ...], database: str | None, state: str | None, as_json: bool, quiet: bool
) -> None:
    """Say how far the studies in FOLDERs are, and what needs you. It may be asked while they are served."""
    from tealeaves.human.app.organiser_actions import move
    from tealeaves.human.app.organiser_data import opened

    for path in folders:
        check_exists(path)
    found = []
    for folder in folders:
        with opened(folder, database) as (study, store):
            if state is not None:
                study = move(study, store, state)
            found.append(_status(study, store))
    if as_json:
        print_json(found)
        return
    for one in found:
        click.echo(f"{one['title']} ({one['study']}): {one['state']}")
        if "curators" in one:
            for log in one["curators"]:
                click.echo(
                    f"  {log['curator']}: {log['reference_topics']} reference topics, "
                    f"{log['done']} of {log['topics']} topics looked through, "
                    f"{log['judged']} of others judged"
                )
            if not one["curators"]:
                click.echo("  nobody has curated yet")
            continue
        click.echo(f"  answers: {one['answers']} of {one['wanted']}; {one['leased']} items before raters now")
        people = ", ".join(f"{n} {what}" for what, n in one["raters"].items())
        click.echo(f"  raters: {people or 'none yet'}; about {one['raters_needed']} needed")
        click.echo(f"  agreement: {one['agreement']}")
        if one["platform_numbers"]:
            click.echo(
                f"  platform: {one['platform_numbers']} numbers of raters are kept; `forget` deletes them"
            )
        if not quiet:
            for look in one["look"]:
                click.echo(f"  {'-' if look['ok'] else '!'} {look['title']}. {look['text']}")


for part in (create, change, serve, status, export, score, rounds, forget):
    command.add_command(part)


def _studies(folder: Path) -> list[Path]:
    """The study in a folder, or those in the folders in it."""
    if (folder / "study.json").is_file() or not folder.is_dir():
        return [folder]
    found = sorted(path.parent for path in folder.glob("*/study.json"))
    if not found:
        raise FormatError(folder, "holds no study; make one with `tealeaves study create`")
    return found


def _status(study: "Study", store: Any) -> dict[str, Any]:
    import time
    from collections import Counter

    from tealeaves.human.app import organiser_views as views
    from tealeaves.human.app.organiser_actions import platform_numbers
    from tealeaves.human.app.organiser_data import load
    from tealeaves.human.app.organiser_words import STATES
    from tealeaves.human.serving import raters_needed

    data = load(study, store, time.time())
    if study.task == "reference_topic_curation":
        from tealeaves.human.app.curation_log import progress as of_curators

        about = {"study": study.name, "title": study.settings.title, "state": study.state}
        curators = of_curators(study, store)
        return {**about, "task": study.task, "items": len(study.items), "curators": curators}
    quality = views.judged(data)
    value, said = views.alpha(data, views.kept(data, quality))
    settings = study.settings
    progress = views.progress(data, quality)
    return {
        "study": study.name,
        "title": settings.title,
        "state": study.state,
        "task": study.task,
        "items": len(data.counting),
        "answers": len([row for row in data.latest if row["role"] == "item"]),
        "wanted": data.wanted,
        "leased": sum(data.leased.values()),
        "complete": sum(strip["complete"] for strip in progress["strips"]),
        "raters": dict(Counter(STATES.get(row["state"], row["state"]) for row in data.people)),
        "raters_needed": raters_needed(study.items, settings),
        "platform_numbers": len(platform_numbers(store)),
        "left_out": {one.rater: list(one.excluded) for one in quality if one.excluded},
        "alpha": None if math.isnan(value) else value,
        "agreement": said,
        "look": progress["look"],
    }


def _items(
    task: str,
    models: Any,
    documents: Any,
    pairs: Path | None,
    seed: int,
    options: dict[str, Any],
    language: str,
) -> "ItemSet":
    from importlib import import_module

    from tealeaves import human
    from tealeaves.matcher_pairs import read_pairs

    if not models and pairs is None:
        raise InputError("items are made of models: name one with --model")
    module = import_module(f"tealeaves.human.tasks.{task}")
    english = language.split("-")[0] == "en"
    asked = {
        "checks": CHECKS if hasattr(module, "obvious") and english else 0,
        "practice": PRACTICE if hasattr(module, "obvious") and english else 0,
        "controls": CONTROLS if hasattr(module, "control") and models else 0,
        **options,
    }
    drawn = None if pairs is None else read_pairs(pairs)
    return human.items(task, models or None, corpus=documents, pairs=drawn, seed=seed, **asked)


def _title(items: "ItemSet") -> str:
    return {
        "topic_pair_matching": "Pairs of topics",
        "topic_labelling": "Names for topics",
        "reference_topic_curation": "Topics to look through",
    }.get(items.task, "Word lists")


def _roles(items: "ItemSet") -> dict[str, int]:
    from collections import Counter

    return dict(Counter(item.role for item in items))
