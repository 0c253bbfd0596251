"""``tealeaves report``: the page of saved scores, and what makes two sets of scores different."""

from pathlib import Path
from typing import Any

import click

from tealeaves.commands._common import FILE, check_exists, print_json, refuse_other, subcommand


@subcommand(
    """
    tealeaves report scores
    tealeaves report scores --out paper/report.html
    tealeaves report scores --against colleague/scores
    """
)
@click.argument("scores", type=FILE, metavar="SCORES_DIR")
@click.option(
    "--against", metavar="OTHER", type=FILE, help="Other saved scores: say whether the numbers compare."
)
@click.option("--out", metavar="FILE", type=FILE, help="Where to write. [SCORES_DIR/report.html]")
def command(scores: Path, against: Path | None, out: Path | None, as_json: bool, quiet: bool) -> None:
    """Write the report of scores that were saved: one HTML file that needs no network.

    With --against, page and output say also for each measure which part of the two signatures differs:
    where none does, the numbers can be compared, and how they differ is said.
    """
    from tealeaves.report import write_report
    from tealeaves.report.summary import summarize
    from tealeaves.scores import load_scores

    for path in (scores, against):
        check_exists(path)
        if path is not None:
            refuse_other(path, "scores")
    loaded = load_scores(scores)
    other = None if against is None else load_scores(against)
    page = out or scores / "report.html"
    write_report(loaded, page, other)
    compared = None if other is None else summarize(loaded, other)["against"]
    if as_json:
        print_json({"report": str(page), "against": compared})
        return
    if not quiet:
        click.echo(f"{page} is written; open it in a browser")
    if compared is not None:
        click.echo(f"Against {against}: {compared['heading']}")
        for row in compared["measures"]:
            click.echo(f"  {tell(row)}")
        for key, where in (("only_here", "these scores"), ("only_there", "the other scores")):
            if compared[key]:
                click.echo(f"  only in {where}: {', '.join(compared[key])}")


def tell(row: dict[str, Any]) -> str:
    """A measure of two sets of scores as a line: comparable or not, and where not, why."""
    from tealeaves.terminal import number

    def shown(value: float | None) -> str:
        return "—" if value is None else number(value)

    if row["only"]:
        return f"{row['spec']}: {row['only']}"
    if row["differs"]:
        parts = "; ".join(f"{part} {here} / {there}" for part, here, there in row["differs"])
        return f"{row['spec']}: not comparable: {parts}"
    values = ", ".join(
        f"{v['model']} {shown(v['here'])} / {shown(v['there'])}"
        + ("" if v["change"] == 0 else f" (differs{', ' + v['topics'] if v['topics'] else ''})")
        for v in row["values"]
    )
    return f"{row['spec']}: comparable" + (f": {values}" if values else "")
