"""``tealeaves version``."""

import sys
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of

import click

from tealeaves.commands._common import print_json, subcommand

UNDER = ("numpy", "scipy", "numba", "polars", "scikit-learn", "tomotopy", "topica", "gensim")


@subcommand(
    """
    tealeaves version
    tealeaves version --json
    """,
    name="version",
)
def command(as_json: bool, quiet: bool) -> None:
    """Print the version of tealeaves, of Python and of the libraries it stands on."""
    from tealeaves import __version__

    found: dict[str, str | None] = {"tealeaves": __version__, "python": sys.version.split()[0]}
    for name in UNDER:
        try:
            found[name] = version_of(name)
        except PackageNotFoundError:
            found[name] = None
    if as_json:
        print_json(found)
    elif quiet:
        click.echo(__version__)
    else:
        for name, number in found.items():
            click.echo(f"{name} {number or 'not installed'}")
