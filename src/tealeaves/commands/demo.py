"""``tealeaves demo``: everything once, on text that needs no download."""

from pathlib import Path

import click

from tealeaves.commands._common import FILE, seed_option, subcommand, workers_option


@subcommand(
    """
    tealeaves demo
    tealeaves demo --out my-first-scores
    """
)
@click.option(
    "--out", metavar="DIR", type=FILE, default=Path("tealeaves-demo"), show_default=True, help="Save there."
)
@seed_option
@workers_option
def command(out: Path, seed: int, workers: int | None, as_json: bool, quiet: bool) -> None:
    """Fit small models to real text, evaluate them with everything there is, and write the report."""
