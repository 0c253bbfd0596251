"""``tealeaves study create``: items made of models, and a folder for the study."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
from tealeaves.commands._study_change import read_settings
from tealeaves.errors import FormatError, InputError, TealeavesError, meant

if TYPE_CHECKING:
    from tealeaves.human.item_sets import ItemSet
    from tealeaves.human.study import Study

TASKS = (
    "word_intrusion", "topic_intrusion", "word_set_intrusion", "topic_word_matching",
    "temporal_word_intrusion", "word_set_rating", "temporal_rating", "topic_pair_matching",
    "topic_labelling", "reference_topic_curation",
)  # fmt: skip
CHECKS, PRACTICE, CONTROLS = 4, 2, 2  # where the task has such items and the pages are English


def complete(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The tasks that begin so, for the Tab key."""
    return [task for task in TASKS if task.startswith(begun)]


@subcommand(
    """
    tealeaves study create oil --task word_intrusion --model lda-20 --corpus docs.jsonl --seed 1
    tealeaves study create which --task word_set_rating --model lda-20 --model nmf-20 --raters-per-item 8
    tealeaves study create who --task word_intrusion --model lda-20 --screen "Do you speak French? +Yes -No"
    tealeaves study create pairs --task topic_pair_matching --pairs pairs.json --settings study.toml
    """,
    name="create",
)
@click.argument("folder", metavar="FOLDER", type=FILE)
@click.option("--task", metavar="TASK", shell_complete=complete, help=f"One of {', '.join(TASKS)}.")
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
@click.option(
    "--controls",
    type=click.IntRange(min=0),
    help=f"Topics of random words. [{CONTROLS}; {CHECKS}, where there are no checks]",
)
@click.option("--title", metavar="TEXT", help="What raters read above the first page. [by the task]")
@click.option("--language", metavar="LANG", help="Of the pages: en. [en]")
@click.option("--payment", metavar="TEXT", help="What each rater gets: £2.00. Gives the cost.")
@click.option("--platform", type=click.Choice(["prolific", "mturk"]), help="Where raters come from.")
@click.option(
    "--settings", metavar="FILE.toml", type=FILE, help="All other settings; a table [items] is for the items."
)
@click.option(
    "--screen",
    metavar="QUESTION",
    multiple=True,
    help='Who may take part: "Is English your first language? +Yes -No". Repeat it.',
)
@click.option(
    "--replace-excluded", is_flag=True, help="Give the places of raters whom the rules leave out to others."
)
@click.option(
    "--scores",
    metavar="FOLDER",
    type=FILE,
    help="Scores of `evaluate`, shown beside people's with the results.",
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
    screen: tuple[str, ...],
    replace_excluded: bool,
    scores: Path | None,
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
    from tealeaves.human.item_sets import ItemSet
    from tealeaves.human.measured import keep_scores
    from tealeaves.human.screening import question
    from tealeaves.human.study import Study, settings_of

    for path in (*models, corpus, pairs, made, settings, vocabulary, scores):
        check_exists(path)
    if folder.exists() and (folder.is_file() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already: name another folder for the study")
    told, of_items = _told(settings, given)
    if screen:
        told["screening"] = [*told.get("screening", ()), *map(question, screen)]
    again = told.pop("replace_excluded", False) or replace_excluded
    if made is not None:
        paths = {"--model": models, "--pairs": pairs, "--corpus": corpus, "--vocabulary": vocabulary}
        others = {"--task": task, **paths, **{f"{name} (of items)": True for name in of_items}}
        if idle := [name for name, value in others.items() if value]:
            raise InputError(f"--items are whole, and nothing is made of {', '.join(idle)}: leave that out")
        items = ItemSet.load(made)
    else:
        if task not in TASKS:
            said = f"there is no task {task!r}" if task else "name a task with --task"
            raise InputError(f"{said}; {meant(task or '', TASKS)}")
        words = None if vocabulary is None else read_words(vocabulary)
        read = read_models(models, trust=trust, vocabulary=words)
        documents = None if corpus is None else read_corpus(corpus, {**reading, "trust": trust})
        items = _items(task, read, documents, pairs, seed, of_items, str(told.get("language", "en")))
    told.setdefault("rules", usual_rules(items, settings_of(told), replacing=bool(again)))
    study = Study.create(folder, items, **told, replace_excluded=again)
    for text in (*items.notes, *_unchecked(items, study.settings.language)):
        note(text, quiet)
    if scores is not None:
        try:
            keep_scores(study, scores)
        except TealeavesError as error:
            note(f"{error}; the study is made without scores (`change --scores` sets others)", quiet)
    _say(study, as_json, quiet)


def _told(settings: Path | None, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings, and the options of items, of the file and of the command line, which goes before it."""
    told = read_settings(settings)
    of_items = told.pop("items", {})
    if not isinstance(of_items, dict):
        raise FormatError(settings or "", "items must be a table, [items], of options of the task")
    of_items = {**of_items, **{name: x for name in _OF_ITEMS if (x := given.pop(name)) is not None}}
    names = {"raters_per_item": "answers_per_item"}
    told.update({names.get(name, name): value for name, value in given.items() if value is not None})
    return told, of_items


def _say(study: "Study", as_json: bool, quiet: bool) -> None:
    """What was made, what it takes and what it can find."""
    from tealeaves.human.app.organiser_preview import without
    from tealeaves.human.estimate import estimate

    items, folder, guess = study.items, study.folder, estimate(study)
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
    if not quiet:
        for text in without(items):
            click.echo(text)
        for text in () if items.task == "reference_topic_curation" else guess.lines:
            click.echo(text)
        click.echo(f"\nNext: tealeaves study serve {folder}")


_OF_ITEMS = ("n", "checks", "practice", "controls")


def _items(
    task: str,
    models: Any,
    documents: Any,
    pairs: Path | None,
    seed: int,
    options: dict[str, Any],
    language: str,
) -> "ItemSet":
    from tealeaves import human
    from tealeaves.matcher_files import read_pairs

    if not models and pairs is None:
        raise InputError("items are made of models: name one with --model")
    module = import_module(f"tealeaves.human.tasks.{task}")
    english = language.split("-")[0] == "en"
    obvious = hasattr(module, "obvious") and (english or "obvious" in options)
    controls = CONTROLS if obvious or not hasattr(module, "obvious") else CHECKS  # instead of checks
    asked = {
        "checks": CHECKS if obvious else 0,
        "practice": PRACTICE if obvious else 0,
        "controls": controls if hasattr(module, "control") and models else 0,
        **options,
    }
    drawn = None if pairs is None else read_pairs(pairs)
    return human.items(task, models or None, corpus=documents, pairs=drawn, seed=seed, **asked)


def _unchecked(items: "ItemSet", language: str) -> list[str]:
    """That there are no checks, where English pages would have some."""
    roles, there = _roles(items), import_module(f"tealeaves.human.tasks.{items.task}")
    if language.split("-")[0] == "en" or not hasattr(there, "obvious") or roles.get("check"):
        return []
    instead = f"; {n} topics of random words stand in for them" if (n := roles.get("control")) else ""
    return [
        "no checks, as those that come with tealeaves are English: a table [items.obvious] in the file of "
        f"settings takes subjects of your own, at least eight, each with 15 words{instead}"
    ]


def _roles(items: "ItemSet") -> dict[str, int]:
    from collections import Counter

    return dict(Counter(item.role for item in items))
