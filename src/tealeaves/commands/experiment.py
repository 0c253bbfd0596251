"""``tealeaves experiment``: run a grid of models, see how far it is, make its tables."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from tealeaves.cli import Commands
from tealeaves.commands._common import FILE, check_exists, note, print_json, print_markdown, subcommand
from tealeaves.errors import InputError

EVERY = 30  # seconds between two lines of progress, where there is no terminal


@click.group("experiment", cls=Commands)
def command() -> None:
    """Fit and measure a whole grid of models; resume, and make its tables.

    A TOML file says which: corpora, preprocessing, families of models, numbers of topics, seeds, measures.
    """


@subcommand(
    """
    tealeaves experiment run spec.toml --out results
    tealeaves experiment run spec.toml --out results --dry-run
    tealeaves experiment run spec.toml --out results --cluster tcp://10.0.0.1:8786
    tealeaves experiment run results/spec.toml --out again --base data
    """,
    name="run",
)
@click.argument("spec", type=FILE, metavar="SPEC")
@click.option("--out", type=FILE, metavar="DIR", help="Keeps models and scores; goes on from there.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Processes; all cores if not given.")
@click.option(
    "--cluster", metavar="ADDRESS", help="Dask instead: local:N, or tcp://host:port of a scheduler."
)
@click.option("--base", type=FILE, metavar="DIR", help="What paths in SPEC are relative to.")
@click.option("--retry-failed", is_flag=True, help="Make again what failed before, too.")
@click.option(
    "--figures", metavar="FORMATS", default="svg", show_default=True, help="svg, png, pdf by commas, or none."
)
@click.option("--dry-run", is_flag=True, help="Only say what there is to do, and the disk it takes.")
def run(
    spec: Path,
    out: Path | None,
    workers: int | None,
    cluster: str | None,
    base: Path | None,
    retry_failed: bool,
    figures: str,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit and score all models of SPEC; what is in DIR already is not made again.

    Stop it when you like, even by kill -9: the next run goes on, and ends with the same bytes. In DIR are
    then scores.parquet, tables/, figures/, models/ (for `tealeaves evaluate`), and spec.toml with
    manifest.json, from which another makes all of it again.
    """
    from tealeaves.experiments.experiment import SPEC
    from tealeaves.experiments.figures import FORMATS
    from tealeaves.experiments.run import run_experiment

    check_exists(spec)
    check_exists(base)
    formats = [one.strip() for one in figures.split(",") if one.strip() not in ("", "none")]
    for one in formats:
        if one not in FORMATS:
            raise click.BadParameter(f"{one!r} is none of {', '.join(FORMATS)}", param_hint="--figures")
    with _progress(quiet) as advance:
        found = run_experiment(
            spec,
            out,
            workers=workers,
            cluster=cluster,
            base=base,
            retry_failed=retry_failed,
            figures=formats,
            dry_run=dry_run,
            progress=advance,
            note=lambda message: note(message, quiet),
        )
    if dry_run:
        about = {name: found.about[name] for name in ("fits", "needed", "free")}
        about |= {"models": len(found.about["cells"]), "scores": len(found.about["scores"])}
        if as_json:
            print_json(about)
        else:
            click.echo("{models} models, {fits} to make; {scores} scores".format(**about))
            click.echo(f"about {_size(about['needed'])} more on disk, {_size(about['free'])} are free")
        return
    note(f"kept in {found.folder}; to make it again: tealeaves experiment run {found.folder / SPEC}", quiet)
    if as_json:
        print_json({"folder": str(found.folder), "manifest": found.about, **found.table().to_dict()})
    else:
        print_markdown(found.table().to_markdown())


@subcommand("tealeaves experiment status results\ntealeaves experiment status results --json", name="status")
@click.argument("folder", type=FILE, metavar="DIR")
def status(folder: Path, as_json: bool, quiet: bool) -> None:
    """Say how far the experiment in DIR is, what failed and why, and what disk it takes."""
    from tealeaves.experiments.experiment import status as status_of
    from tealeaves.terminal import span

    found = status_of(folder)
    if as_json:
        print_json(found)
        return
    failed = len({one["model"] for one in found["failed"]})
    click.echo(f"{found['title']}: {found['made']} of {found['models']} models made, {failed} failed")
    click.echo(f"{found['scores']} of {found['scores_planned']} scores made; {_size(found['bytes'])} on disk")
    if found["left"]:
        when = "" if found["seconds_left"] is None else f", about {span(found['seconds_left'])} of fitting"
        click.echo(f"{found['left']} models are left{when}")
    elif not found["finished"]:
        click.echo("all models are made; run it again to score them")
    for one in found["failed"]:
        name = " ".join(
            str(one[key]) for key in ("corpus", "preprocessing", "family", "k", "options") if one[key]
        )
        click.echo(f"failed: {name}, seed {one['seed']}: {one['reason']}")


@subcommand(
    """
    tealeaves experiment table results
    tealeaves experiment table results --format latex --measures npmi@10,topic_diversity@10
    tealeaves experiment table results --rows family --columns k --measures npmi@10 --format html
    tealeaves experiment table results --rows family,k --where corpus=news
    """,
    name="table",
)
@click.argument("folder", type=FILE, metavar="DIR")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "latex", "html"]),
    default="markdown",
    show_default=True,
)
@click.option("--measures", "-m", metavar="SPECS", help="Which, by commas, in this order; all if not given.")
@click.option("--rows", metavar="NAMES", help="Of corpus, preprocessing, family, k, options, measure, group.")
@click.option("--columns", metavar="NAMES", default="measure", show_default=True, help="Of the same.")
@click.option("--where", metavar="NAME=VALUE", multiple=True, help="Only these, as corpus=news.")
def table(
    folder: Path,
    form: str,
    measures: str | None,
    rows: str | None,
    columns: str,
    where: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Print a table of the experiment in DIR: means over seeds, intervals, the best in bold, letters.

    What has several values and is named neither by --rows nor by --columns becomes a row.
    """
    from tealeaves.experiments.experiment import load_experiment

    only = {}
    for one in where:
        name, equals, value = one.partition("=")
        if not equals:
            raise InputError(f"--where: wanted a name, = and a value, such as corpus=news; found {one!r}")
        only[name.strip()] = value.strip()
    found = load_experiment(folder).table(
        None if measures is None else _parts(measures),
        None if rows is None else _parts(rows),
        _parts(columns),
        only,
    )
    if as_json:
        print_json(found.to_dict())
        return
    made = {"markdown": found.to_markdown, "latex": found.to_latex, "html": found.to_html}
    click.echo(made[form]())


command.add_command(run)
command.add_command(status)
command.add_command(table)


def _parts(value: str) -> list[str]:
    """Texts by commas, but not by those within brackets: ``npmi@10,c_v(window=5,eps=1)``."""
    parts, depth = [""], 0
    for sign in value:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar with the time that is left; into a file, as of a cluster, a line now and then."""
    from tealeaves.terminal import Pace, progress

    if quiet or sys.stderr.isatty():
        with progress("Reading", quiet=quiet) as advance:
            yield advance
        return
    pace, last = Pace(), time.monotonic()

    def say(what: str, done: int, total: int) -> None:
        nonlocal last
        pace.note(what, done, total)
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            share = f" {done} of {total}" if total else ""
            click.echo(f"{what}{share}{', ' * bool(pace.left())}{pace.left()}", err=True)

    yield say


def _size(n: Any) -> str:
    from tealeaves.experiments.run import in_bytes

    return in_bytes(n)
