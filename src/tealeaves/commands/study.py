"""``tealeaves study``: create, change, serve, status, promote, export, score, rounds, forget."""

import click

from tealeaves.cli import Commands
from tealeaves.commands._study_change import change
from tealeaves.commands._study_create import create
from tealeaves.commands._study_export import export, forget
from tealeaves.commands._study_promote import promote
from tealeaves.commands._study_rounds import rounds
from tealeaves.commands._study_score import score
from tealeaves.commands._study_serve import serve
from tealeaves.commands._study_status import status


@click.group("study", cls=Commands)
def command() -> None:
    """Let people judge topics: on your own server, scored with honest intervals.

    1. `create` makes items of models and a folder for the study; `change` sets anew what is not frozen yet.

    2. `serve` shows the items to raters, and to you how far they are; `promote` makes checks out of a pilot.

    3. `status`, `export` and `score` say what came of it; `rounds` leads through rounds of topic pairs.
    """


for part in (create, change, serve, status, promote, export, score, rounds, forget):
    command.add_command(part)
