"""``tealeaves correlate``: how measures go together."""

from math import isfinite
from pathlib import Path
from typing import Any

import click

from tealeaves.commands._common import (
    FILE,
    check_exists,
    note,
    print_json,
    print_rich,
    seed_option,
    subcommand,
)


def names(value: str | None) -> list[str] | None:
    """What stands between commas, but for those within brackets."""
    if value is None:
        return None
    found, depth = [""], 0
    for sign in value:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [name.strip() for name in found if name.strip()]


@subcommand(
    """
    tealeaves correlate scores/
    tealeaves correlate scores/ --of topic --clusters model --measures "npmi@10,c_v@10,au_cdc"
    tealeaves correlate scores/ stability/ --of set --given n_topics
    tealeaves correlate experiment/ --of topic --clusters model
    tealeaves correlate models.csv --rows npmi,c_v --columns agreement --markdown
    """
)
@click.argument("tables", metavar="SCORES...", type=FILE, nargs=-1, required=True)
@click.option(
    "--of",
    type=click.Choice(["topic", "model", "set"]),
    default="model",
    show_default=True,
    help="What is correlated over; a set is the runs x#1, x#2, … of one model.",
)
@click.option("--measures", metavar="NAMES", help="By commas; else all with numbers.")
@click.option("--rows", metavar="NAMES", help="Show these against --columns.")
@click.option("--columns", metavar="NAMES", help="Show --rows against these.")
@click.option("--given", metavar="NAMES", help="What to take out of both first, such as n_topics.")
@click.option(
    "--method",
    type=click.Choice(["spearman", "pearson"]),
    default="spearman",
    show_default=True,
    help="Of ranks or of values.",
)
@click.option("--clusters", metavar="COLUMN", help="Draw these again as a whole; 'model' for topics.")
@click.option(
    "--resamples",
    type=click.IntRange(min=10),
    default=20_000,
    show_default=True,
    help="Of topics, models, sets or clusters.",
)
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@seed_option
def command(
    tables: tuple[Path, ...],
    of: str,
    measures: str | None,
    rows: str | None,
    columns: str | None,
    given: str | None,
    method: str,
    clusters: str | None,
    resamples: int,
    markdown: bool,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say how measures correlate over topics, models or sets of runs, with intervals.

    SCORES are folders that evaluate, stability or experiment wrote, put together by the names of models (of
    an experiment, a model is a run, and a set its seeds); or one table (CSV, TSV, JSON lines or Parquet) with
    a row per thing and a column per measure.
    """
    from tealeaves.errors import InputError
    from tealeaves.stats import correlation_matrix

    if (rows is None) != (columns is None):
        raise InputError("--rows and --columns go together: measures down, and measures across")
    down, across = names(rows), names(columns)
    asked = names(measures)
    if asked is None and down is not None and across is not None:
        asked = [*down, *across]
    found = correlation_matrix(
        read(tables),
        asked,
        of=of,
        method=method,
        clusters=clusters,
        given=names(given) or (),
        resamples=resamples,
        seed=seed,
    )
    if found.left_out:
        left = ", ".join(f"{name} ({value!r})" for name, value in found.left_out.items())
        note(f"left out, for they hold no numbers: {left}", quiet)
    if as_json:
        return print_json({"correlations": found.frame.to_dicts(), "left_out": list(found.left_out)})
    if markdown or down is not None:
        return click.echo(found.to_markdown(down, across))
    from rich import box
    from rich.table import Table

    shown = Table("", "", "n", "correlation", "95 % interval", box=box.SIMPLE_HEAD, pad_edge=False)
    for row in found.frame.iter_rows(named=True):
        pair = (row["a"], row["b"], str(row["n"]))
        if row["reason"]:
            shown.add_row(*pair, "–", row["reason"])
        else:
            ends = f"[{row['low']:.3f}, {row['high']:.3f}]" if isfinite(row["low"]) else "–"
            shown.add_row(*pair, f"{row['value']:.3f}", ends)
    print_rich(shown)
    if of == "topic" and clusters is None and not quiet:
        click.echo("Topics of one model are alike: --clusters model says what other models would move.")
    return None


def read(tables: tuple[Path, ...]) -> Any:
    """Folders of scores and experiments, or the columns of one table."""
    from tealeaves.commands.regress import read_columns
    from tealeaves.errors import InputError
    from tealeaves.experiments.experiment import PLAN, load_experiment
    from tealeaves.scores import load_scores

    for path in tables:
        check_exists(path)
    if all(path.is_dir() for path in tables):
        return [load_experiment(path) if (path / PLAN).is_file() else load_scores(path) for path in tables]
    if len(tables) > 1:
        raise InputError("several tables cannot be put together: hand over folders of scores, or one table")
    return read_columns(tables[0])
