"""What commands of `tealeaves study` share."""

import click

DATABASE = click.option(
    "--database", metavar="URL", envvar="TEALEAVES_DATABASE", help="Where `serve` keeps the answers."
)
