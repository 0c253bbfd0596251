"""``tealeaves regress``: how much of a human score measures explain."""

from math import isfinite
from pathlib import Path
from typing import Any

import click

from tealeaves.commands._common import FILE, print_json, print_rich, seed_option, subcommand

# What tables write for no value: R, pandas, spreadsheets and people.
MISSING = ["", "NA", "N/A", "n/a", "na", "nan", "NaN", "NAN", "null", "NULL", "None", "-", "–", "—"]


@subcommand(
    """
    tealeaves regress models.csv --human agreement
    tealeaves regress models.csv --human agreement --by dataset --measures consistency,npmi@10
    tealeaves regress models.parquet --human rating --json
    tealeaves regress scores/ --people people.csv --human agreement
    """
)
@click.argument("table", type=FILE)
@click.option("--human", metavar="COLUMN", required=True, help="Column of the human score.")
@click.option(
    "--people",
    type=FILE,
    metavar="TABLE",
    help="With a folder of scores: table of a model and a score a row.",
)
@click.option("--measures", metavar="COLUMNS", help="Columns to judge, by commas; else all with numbers.")
@click.option("--by", metavar="COLUMN", help="Column that groups models, such as by data set.")
@click.option(
    "--resamples", type=click.IntRange(min=10), default=20_000, show_default=True, help="Of models."
)
@seed_option
def command(
    table: Path,
    human: str,
    people: Path | None,
    measures: str | None,
    by: str | None,
    resamples: int,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say how much of a human score each measure explains over models: r², slope, and what differs.

    TABLE is CSV, TSV, JSON lines or Parquet with a row per model and a column per measure; or the folder that
    evaluate wrote, with --people, a table with the columns "model" and that of the human score.
    """
    from tealeaves.stats import explained

    columns: Any = read_columns(table) if people is None else None
    given: Any = human
    if people is not None:
        from tealeaves.scores import load_scores

        columns, given = load_scores(table), by_model(people, human)
    asked = [name.strip() for name in measures.split(",") if name.strip()] if measures is not None else None
    found = explained(columns, given, asked, by, resamples, seed)
    if as_json:
        return print_json({"r2": found.frame.to_dicts(), "differences": found.differences.to_dicts()})
    from rich import box
    from rich.table import Table

    heads = ("measure", "models", "r²", "95 % interval", "slope", "95 % interval")
    shown = Table(*([by] if by else []), *heads, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in found.frame.iter_rows(named=True):
        cells = [row["group"]] if by else []
        if row["reason"]:
            shown.add_row(*cells, row["measure"], str(row["n"]), "–", row["reason"])
            continue
        r2 = (f"{row['r2']:.4f}", _ends(row["low"], row["high"], ".4f"))
        slope = (f"{row['slope']:.4g}", _ends(row["slope_low"], row["slope_high"], ".4g"))
        shown.add_row(*cells, row["measure"], str(row["n"]), *r2, *slope)
    print_rich(shown)
    apart = found.differences.filter(found.differences["p_holm"] < 0.05)
    if quiet or not len(found.differences):
        return None
    click.echo(
        f"Pairs of measures whose r² differs (paired bootstrap over models, p by Holm < 0.05): {len(apart)}"
    )
    for row in apart.iter_rows(named=True):
        where = f"{row['group']}: " if row["group"] else ""
        ends = _ends(row["low"], row["high"], ".4f")
        click.echo(f"  {where}{row['a']} over {row['b']} by {row['difference']:.4f} {ends}")
    return None


def _ends(low: float, high: float, digits: str) -> str:
    """An interval; too few models have none."""
    return f"[{low:{digits}}, {high:{digits}}]" if isfinite(low) and isfinite(high) else "–"


def by_model(path: Path, human: str) -> dict[str, float]:
    """The human score of each model, of a table with a column of their names."""
    from tealeaves.errors import InputError, meant
    from tealeaves.stats._columns import required_numbers

    columns = read_columns(path)
    for name in ("model", human):
        if name not in columns:
            raise InputError(f"{path}: there is no column {name!r}; {meant(name, columns)}")
    found: dict[str, float] = {}
    try:
        values = required_numbers(columns, human)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    for model, value in zip(columns["model"], values.tolist(), strict=True):
        if str(model) in found:
            raise InputError(f"{path}: model {str(model)!r} has two rows: one is wanted for each model")
        found[str(model)] = value
    return found


def read_columns(path: Path) -> dict[str, list[Any]]:
    """The columns of a table by the ending of its name."""
    import polars as pl

    from tealeaves.errors import FormatError

    path.stat()  # a missing file is Python's own FileNotFoundError
    if path.is_dir():
        raise FormatError(path, "is a folder: scores need the human score of each model, --people TABLE")
    readers: dict[str, Any] = {
        ".csv": lambda file: pl.read_csv(file, null_values=MISSING),
        ".tsv": lambda file: pl.read_csv(file, separator="\t", null_values=MISSING),
        ".jsonl": pl.read_ndjson,
        ".ndjson": pl.read_ndjson,
        ".parquet": pl.read_parquet,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise FormatError(path, f"must be one of {', '.join(readers)}, by the ending of its name")
    try:
        frame = reader(path)
    except (pl.exceptions.PolarsError, UnicodeError, ValueError) as error:
        raise FormatError(path, f"cannot be read as a table: {str(error).splitlines()[0]}") from None
    return {name: frame[name].to_list() for name in frame.columns}
