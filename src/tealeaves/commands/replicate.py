"""``tealeaves replicate``: a published table computed again, our numbers beside the printed ones."""

import os
from pathlib import Path

import click

from tealeaves.commands._common import FILE, note, print_json, subcommand, write_text


@subcommand(
    """
    tealeaves replicate reuters --data data/reuters
    tealeaves replicate reuters --data data/reuters --seeds 5 --out reuters.md
    """
)
@click.argument("name")
@click.option("--data", metavar="DIR", type=FILE, help="Where its data are. [$TEALEAVES_DATA]")
@click.option(
    "--seeds", metavar="N", type=click.IntRange(min=1), default=1, show_default=True, help="Random starts."
)
@click.option("--out", metavar="FILE", type=FILE, help="Write the table there, too, as Markdown.")
def command(name: str, data: Path | None, seeds: int, out: Path | None, as_json: bool, quiet: bool) -> None:
    """Compute the table NAME of a paper again and print it beside what was printed: reuters, estimators."""
    from tealeaves.experiments.replications import replicate
    from tealeaves.terminal import progress

    with progress("Replicating", quiet=quiet) as advance:
        folder = data if data is not None else Path(os.environ.get("TEALEAVES_DATA", "."))
        found = replicate(name, folder, seeds=seeds, progress=advance)
    if out is not None:
        write_text(out, found.to_markdown())
        note(f"written to {out}", quiet)
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(found.to_markdown())
