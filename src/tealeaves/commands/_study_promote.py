"""``tealeaves study promote``: test questions out of a pilot, and the rules that go with them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import FILE, check_exists, print_json, subcommand
from tealeaves.commands._study_common import DATABASE
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.human.answers import Answers
    from tealeaves.human.item_sets import ItemSet
    from tealeaves.human.study import Study


@subcommand(
    """
    tealeaves study promote oil
    tealeaves study promote oil --most 6 --apply
    tealeaves study promote oil --out with-checks.jsonl
    """,
    name="promote",
)
@click.argument("folder", metavar="FOLDER", type=FILE)
@click.option(
    "--fewest", type=click.IntRange(min=2), default=3, show_default=True, help="Answers an item must have."
)
@click.option(
    "--agreement",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="Share that said the same.",
)
@click.option(
    "--sure", type=click.FloatRange(0, 1), default=1.0, show_default=True, help="Share that knew the words."
)
@click.option("--most", metavar="N", type=click.IntRange(min=1), help="At most so many, of all models alike.")
@click.option(
    "--apply",
    "applied",
    is_flag=True,
    help="Make them checks of this study, and set the rules of Lund et al.",
)
@click.option("--keep-rules", is_flag=True, help="With --apply: leave the rules as they are.")
@click.option(
    "--out", metavar="FILE", type=FILE, help="Write the items with these checks, for a further study."
)
@DATABASE
def promote(
    folder: Path,
    fewest: int,
    agreement: float,
    sure: float,
    most: int | None,
    applied: bool,
    keep_rules: bool,
    out: Path | None,
    database: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find test questions in the pilot of a study in FOLDER: items on which all agreed, were sure and right.

    With --apply they become checks, hidden among the others, which count for no model any more. Rules are
    then those of Lund et al. (2019): at least 70% of the checks right, and 30 seconds for ten items.
    """
    from tealeaves.human.app.organiser_data import opened
    from tealeaves.human.pilot import as_checks, evenly, promoted, rules_of_pilots

    check_exists(folder)
    if keep_rules and not applied:
        raise InputError("--keep-rules goes with --apply: without it no rule is touched")
    with opened(folder, database) as (study, store):
        answers = _of_pilot(study, store)
    found = evenly(promoted(answers, fewest, agreement, sure), study.items, most)
    if not found and (applied or out is not None):
        raise InputError(
            f"{folder}: in the pilot no {fewest} raters or more agree on an item and are right and sure; "
            "ask more raters, or lower --agreement or --sure"
        )
    before, items = study.items, as_checks(study.items, found)
    if out is not None:
        items.save(out)
    if applied:
        study = study.replace_items(items)
        if not keep_rules:
            study = study.change(rules=rules_of_pilots(study.settings.rules))
    if as_json:
        left = {model: list(pair) for model, pair in _counting(before, items).items()}
        rules = study.settings.rules
        print_json({"promoted": list(found), "applied": applied, "out": out and str(out), "left": left,
                    "rules": rules, "raters": len(answers.raters)})  # fmt: skip
        return
    _say(folder, before, items, found, answers, quiet)
    if out is not None:
        click.echo(f"{out}: the items, with these checks")
    if applied:
        _say_applied(study, keep_rules)
    elif found and not quiet and out is None:
        click.echo(f"\nNext: tealeaves study promote {folder} --apply")


def _of_pilot(study: "Study", store: Any) -> "Answers":
    """The answers of the pilot."""
    import time

    from tealeaves.human.answers import Answers
    from tealeaves.human.app.organiser_data import load

    rows = [row for row in load(study, store, time.time()).answers if row["form"] == "pilot"]
    if not rows:
        raise InputError(
            f"{study.folder}: nobody has answered in a pilot; first: tealeaves study status {study.folder} "
            "--move pilot"
        )
    return Answers.from_rows(rows, study.items)


def _say(
    folder: Path, before: "ItemSet", items: "ItemSet", found: tuple[str, ...], answers: "Answers", quiet: bool
) -> None:
    """Which items they are, and what is left of each model."""
    click.echo(f"{folder}: {len(found)} test questions out of a pilot of {len(answers.raters)} raters")
    for name in () if quiet else found:
        item = before.by_id[name]
        click.echo(f"  {name} ({item.model} {item.topic}): {item.key}, of {'; '.join(item.options)}")
    for model, (left, there) in _counting(before, items).items():
        if left < there:
            click.echo(f"  {model}: {left} of {there} items still count; those left out were easy ones")


def _counting(before: "ItemSet", after: "ItemSet") -> dict[str, tuple[int, int]]:
    """How many items of each model count after and before."""
    from collections import Counter

    first, then = (Counter(item.model for item in of if item.role == "item") for of in (before, after))
    return {model: (then[model], n) for model, n in first.items()}


def _say_applied(study: "Study", keep_rules: bool) -> None:
    from tealeaves.human.app.organiser_quality import sentences

    checks = sum(item.role == "check" for item in study.items)
    each = study.settings.checks
    click.echo(f"applied: the study has {checks} checks now, of which a rater gets {each or 'all'}")
    if not keep_rules:
        click.echo("a rater is left out of the scores with")
        for rule in sentences(study.settings.rules):
            click.echo(f"  - {rule}")
