"""``tealeaves report``: the page of saved scores, and what makes two sets of scores different."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import FILE, print_json, subcommand

if TYPE_CHECKING:
    from tealeaves.scores import Scores


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

    With --against, say also for each measure which part of the two signatures differs: where none
    does, the numbers can be compared.
    """
    from tealeaves.scores import load_scores

    loaded = load_scores(scores)
    other = None if against is None else load_scores(against)
    page = out or scores / "report.html"
    loaded.report(page)
    differences = None if other is None else compare(loaded, other)
    if as_json:
        print_json({"report": str(page), **({} if differences is None else {"against": differences})})
        return
    if not quiet:
        click.echo(f"{page} is written; open it in a browser")
    for row in differences or []:
        click.echo(tell(row))


def compare(one: "Scores", other: "Scores") -> list[dict[str, Any]]:
    """For each measure of either: the parts of the signatures that differ, and values of models of both."""
    from tealeaves.measures._table import parse

    mine, theirs = signatures(one), signatures(other)
    rows: list[dict[str, Any]] = []
    met = set()
    for spec, signature in mine.items():
        same_name = [s for s in theirs if parse(s).name == parse(spec).name and s not in mine]
        twin = spec if spec in theirs else next(iter(same_name), None)
        if twin is None:
            rows.append({"measure": spec, "only_in": "first"})
            continue
        met.add(twin)
        models = [m for m in one.frame["model"].unique(maintain_order=True) if m in set(other.frame["model"])]
        values = {m: [one.value(spec, model=m), other.value(twin, model=m)] for m in models}
        rows.append(
            {"measure": spec, "other": twin, "differs": parts(signature, theirs[twin]), "values": values}
        )
    return rows + [{"measure": spec, "only_in": "second"} for spec in theirs if spec not in met]


def signatures(scores: "Scores") -> dict[str, str]:
    """The signature of each measure."""
    frame = scores.frame.unique("measure", keep="first", maintain_order=True)
    return dict(zip(frame["measure"].to_list(), frame["signature"].to_list(), strict=True))


def parts(one: str, other: str) -> dict[str, list[str | None]]:
    """Where two signatures differ: part -> what it is in each, None where it is missing."""

    def cut(signature: str) -> dict[str, str]:
        name, *rest = signature.split("|")
        return {"measure": name, **dict(part.partition(":")[::2] for part in rest)}

    mine, theirs = cut(one), cut(other)
    return {
        key: [mine.get(key), theirs.get(key)]
        for key in {**mine, **theirs}
        if mine.get(key) != theirs.get(key)
    }


def tell(row: dict[str, Any]) -> str:
    """A row of the comparison as a line."""
    from tealeaves.terminal import number

    if "only_in" in row:
        return f"{row['measure']}: only in the {row['only_in']}"
    if row["differs"]:
        told = "; ".join(
            f"{key} {a or 'not said'} / {b or 'not said'}" for key, (a, b) in row["differs"].items()
        )
        return f"{row['measure']}: not comparable: {told}"
    values = [
        f"{model} {number(a)} / {number(b)}"
        + ("" if a == b or (math.isnan(a) and math.isnan(b)) else " (differs)")
        for model, (a, b) in row["values"].items()
    ]
    return f"{row['measure']}: comparable" + (f": {', '.join(values)}" if values else "")
