"""``tealeaves regress``: how much of a human score measures explain."""

from pathlib import Path

import click

from tealeaves.commands._common import FILE, print_json, print_rich, seed_option, subcommand


@subcommand(
    """
    tealeaves regress models.csv --human agreement
    tealeaves regress models.csv --human agreement --by dataset --measures consistency,npmi@10
    tealeaves regress models.parquet --human rating --json
    """
)
@click.argument("table", type=FILE)
@click.option("--human", metavar="COLUMN", required=True, help="Column of the human score.")
@click.option("--measures", metavar="COLUMNS", help="Columns to judge, by commas; else all with numbers.")
@click.option("--by", metavar="COLUMN", help="Column that groups models, such as by data set.")
@click.option(
    "--resamples", type=click.IntRange(min=10), default=20_000, show_default=True, help="Of models."
)
@seed_option
def command(
    table: Path,
    human: str,
    measures: str | None,
    by: str | None,
    resamples: int,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say how much of a human score each measure explains over models: r², slope, and what differs.

    TABLE is CSV, TSV, JSON lines or Parquet with a row per model and a column per measure.
    """
    from tealeaves.stats import explained

    columns = read_columns(table)
    asked = [name.strip() for name in measures.split(",") if name.strip()] if measures is not None else None
    found = explained(columns, human, asked, by, resamples, seed)
    if as_json:
        return print_json({"r2": found.frame.to_dicts(), "differences": found.differences.to_dicts()})
    from rich import box
    from rich.table import Table

    shown = Table(*([by] if by else []), "measure", "models", "r²", "95 % interval", "slope", "intercept",
                  box=box.SIMPLE_HEAD, pad_edge=False)  # fmt: skip
    for row in found.frame.iter_rows(named=True):
        cells = [row["group"]] if by else []
        if row["reason"]:
            shown.add_row(*cells, row["measure"], str(row["n"]), "–", row["reason"], "", "")
            continue
        numbers = (f"{row['r2']:.4f}", f"[{row['low']:.4f}, {row['high']:.4f}]")
        line = (f"{row['slope']:.4g}", f"{row['intercept']:.4g}")
        shown.add_row(*cells, row["measure"], str(row["n"]), *numbers, *line)
    print_rich(shown)
    apart = found.differences.filter(found.differences["p_holm"] < 0.05)
    if quiet or not len(found.differences):
        return None
    click.echo(
        f"Pairs of measures whose r² differs (paired bootstrap over models, p by Holm < 0.05): {len(apart)}"
    )
    for row in apart.iter_rows(named=True):
        where = f"{row['group']}: " if row["group"] else ""
        ends = f"[{row['low']:.4f}, {row['high']:.4f}]"
        click.echo(f"  {where}{row['a']} over {row['b']} by {row['difference']:.4f} {ends}")
    return None


def read_columns(path: Path) -> dict[str, list[object]]:
    """The columns of a table by the ending of its name."""
    import polars as pl

    from tealeaves.errors import FormatError

    path.stat()  # a missing file is Python's own FileNotFoundError
    readers = {
        ".csv": pl.read_csv,
        ".tsv": lambda file: pl.read_csv(file, separator="\t"),
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
