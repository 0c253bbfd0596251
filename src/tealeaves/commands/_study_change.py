"""``tealeaves study change``: settings, and items, of a study that is not frozen yet."""

import tomllib
from pathlib import Path
from typing import Any

import click

from tealeaves.commands._common import FILE, check_exists, print_json, subcommand
from tealeaves.errors import FormatError, InputError


@subcommand(
    """
    tealeaves study change oil --settings study.toml
    tealeaves study change oil --scores scores
    tealeaves study change oil --items with-checks.jsonl
    """,
    name="change",
)
@click.argument("folder", metavar="FOLDER", type=FILE)
@click.option("--settings", metavar="FILE.toml", type=FILE, help="What is to be set anew; the rest stays.")
@click.option(
    "--scores", metavar="FOLDER", type=FILE, help="Other automatic scores beside people's; at any time."
)
@click.option("--items", "made", metavar="FILE", type=FILE, help="Other items of the same task, in a draft.")
def change(
    folder: Path, settings: Path | None, scores: Path | None, made: Path | None, as_json: bool, quiet: bool
) -> None:
    """Set anew what is not frozen yet: of a study in FOLDER that is a draft or a pilot.

    FILE.toml is as for `create`. A table is replaced as a whole, such as [rules]; of codes, those it names.
    """
    from tealeaves.human.item_sets import ItemSet
    from tealeaves.human.measured import keep_scores
    from tealeaves.human.study import Study

    for path in (folder, settings, scores, made):
        check_exists(path)
    if settings is None and made is None and scores is None:
        raise InputError("name what is to change: --settings FILE.toml, --scores FOLDER, or --items FILE")
    told = read_settings(settings)
    if "items" in told:
        raise InputError("items are made once: for others, make them anew and name them with --items FILE")
    study = Study.open(folder)
    items = None if made is None else ItemSet.load(made)
    before = study.about["settings"]
    if told:
        codes = {**study.settings.codes, **_table(told, "codes", settings)}
        study = study.change(**{**told, **({"codes": codes} if "codes" in told else {})})
    if items is not None:
        study = study.replace_items(items)
    if scores is not None:
        keep_scores(study, scores)
    after = study.about["settings"]
    changed = {name: after[name] for name in after if after[name] != before.get(name)}
    if as_json:
        print_json(
            {"folder": str(folder), "state": study.state, "changed": changed, "items": len(study.items)}
        )
        return
    for name, value in changed.items():
        click.echo(f"{name}: {before.get(name)!r} → {value!r}")
    if items is not None:
        click.echo(f"items: {len(items)} now, digest {items.digest}")
    if scores is not None:
        click.echo(f"scores: those of {scores} are kept, and stand beside people's with the results")
    if not changed and items is None and scores is None:
        click.echo("nothing changed: all of it was so before")


def read_settings(path: Path | None) -> dict[str, Any]:
    """A file of settings."""
    if path is None:
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(path, f"is not TOML: {error}") from None


def _table(told: dict[str, Any], name: str, path: Path | None) -> dict[str, Any]:
    found = told.get(name, {})
    if not isinstance(found, dict):
        raise FormatError(path or "", f"{name} must be a table, [{name}]")
    return found
