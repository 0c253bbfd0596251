"""``tealeaves demo``: everything once, on text that needs no download."""

import sys
from pathlib import Path

import click

from tealeaves.commands._common import (
    FILE,
    check_folder_for,
    print_json,
    seed_option,
    subcommand,
    workers_option,
)


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
    from tealeaves.demo import run_demo

    check_folder_for(out / "scores", "scores")
    page = run_demo(out, seed=seed, workers=workers, quiet=quiet, file=sys.stderr if as_json else sys.stdout)
    if as_json:
        print_json({"report": str(page), "scores": str(out / "scores")})
