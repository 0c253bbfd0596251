"""``tealeaves replicate``: a published table computed again, our numbers beside the printed ones."""

import os
from pathlib import Path

import click

from tealeaves.commands._common import FILE, note, print_json, print_rich, subcommand, write_text


@subcommand(
    """
    tealeaves replicate
    tealeaves replicate two_topics --data data
    tealeaves replicate reuters --data data --seeds 5 --out reuters.md
    tealeaves replicate all --data data --out results
    """
)
@click.argument("name", required=False)
@click.option("--data", metavar="DIR", type=FILE, help="Where its data are. [$TEALEAVES_DATA]")
@click.option(
    "--seeds", metavar="N", type=click.IntRange(min=1), help="Random starts; each table has its default."
)
@click.option("--full", is_flag=True, help="All models and starts of the source: hours instead of minutes.")
@click.option(
    "--out",
    metavar="PATH",
    type=FILE,
    help="Write the table there, too, as Markdown, figures beside it. With all: a folder.",
)
@click.option("--again", is_flag=True, help="With all: also what the folder has already.")
def command(
    name: str | None,
    data: Path | None,
    seeds: int | None,
    full: bool,
    out: Path | None,
    again: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute the table NAME of a paper again and print it beside what was printed.

    Without a NAME: list what there is. "all" computes what the folder --out does not have yet, and writes its
    page replications.md.
    """
    from tealeaves.experiments.replications import replicate
    from tealeaves.terminal import progress

    if name is None:
        return _list(as_json)
    folder = data if data is not None else Path(os.environ.get("TEALEAVES_DATA", "."))
    if name == "all":
        from tealeaves.experiments.replications.summary import replicate_all

        if out is None:
            raise click.UsageError("all needs a folder to keep its results in: --out DIR")
        with progress("Replicating", quiet=quiet) as advance:
            page, failed = replicate_all(folder, out, full=full, again=again, progress=advance)
        for lost, reason in failed.items():
            click.echo(f"Failed: {lost}: {reason}", err=True)
        note(f"written to {page}", quiet)
        if failed:
            raise click.exceptions.Exit(1)
        return None
    with progress("Replicating", quiet=quiet) as advance:
        found = replicate(name, folder, seeds=seeds, full=full, progress=advance)
    if out is not None:
        for chart, file in zip(found.figures.values(), found.files(), strict=True):
            chart.save(str(out.parent / file))
        write_text(out, found.to_markdown())
        note(f"written to {out}", quiet)
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(found.to_markdown())
    return None


def _list(as_json: bool) -> None:
    from tealeaves.experiments.replications import REPLICATIONS

    if as_json:
        return print_json({name: vars(entry) for name, entry in REPLICATIONS.items()})
    from rich import box
    from rich.table import Table

    shown = Table("name", "tables of", "what", "how far", box=box.SIMPLE_HEAD, pad_edge=False)
    for name, entry in REPLICATIONS.items():
        shown.add_row(name, entry.source, entry.what, entry.status)
    return print_rich(shown)
