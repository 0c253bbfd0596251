"""``tealeaves sweep``: models over a range of K and of other parameters, measured and compared."""

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tealeaves.commands._common import (
    FILE,
    check_exists,
    cluster_option,
    complete_measures,
    corpus_options,
    note,
    print_json,
    print_markdown,
    read_corpus,
    read_models,
    seed_option,
    subcommand,
    workers_option,
)
from tealeaves.errors import InputError


def numbers(value: str) -> list[int]:
    """Read ``5,10,20``."""
    try:
        return [int(part) for part in value.split(",") if part.strip()]
    except ValueError:
        raise click.BadParameter(f"{value!r} is no list of whole numbers such as 5,10,20") from None


def axes(value: str) -> dict[str, list[Any]]:
    """Read ``alpha=0.1;0.5,min_df=5``: parameters, and the values each takes."""
    found: dict[str, list[Any]] = {}
    for part in re.split(r",(?=\s*[A-Za-z_]\w*\s*=)", value):
        name, equals, text = part.partition("=")
        if not equals or not name.strip().isidentifier() or not text.strip():
            wanted = "a name, = and values parted by semicolons, as in alpha=0.1;0.5;1"
            raise click.BadParameter(f"{value!r} is no grid: write {wanted}")
        found.setdefault(name.strip(), []).extend(_literal(one.strip()) for one in text.split(";"))
    return found


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


@subcommand(
    """
    tealeaves sweep --corpus docs.txt --models lda,nmf --k 5,10,20,40,80 --seeds 5 --holdout 0.2 --out sweep
    tealeaves sweep --corpus news.jsonl --text body --k 10,20 --grid "alpha=0.1;0.5" --grid "min_df=5;20"
    tealeaves sweep --corpus news --models lda --k 50,100,200 --out /shared/sweep --cluster tcp://10.0.0.5:8786
    tealeaves sweep lda-10 lda-20 lda-40 --corpus docs.txt --held-out test.txt --out sweep
    """
)
@click.argument("fitted", nargs=-1, metavar="[MODEL...]", type=FILE)
@click.option("--corpus", metavar="PATH", type=FILE, required=True, help="What to fit to, and to count in.")
@click.option(
    "--held-out", metavar="PATH", type=FILE, help="Documents to score, instead of a share of the corpus."
)
@click.option(
    "--reference-topics", metavar="PATH", type=FILE, help="Topics that are looked for: coverage, too."
)
@click.option("--models", metavar="FAMILIES", default="lda", show_default=True, help="Families, by commas.")
@click.option("--k", metavar="NUMBERS", type=numbers, default="5,10,20,40,80", show_default=True)
@click.option(
    "--seeds", metavar="N", type=click.IntRange(min=1), default=5, show_default=True, help="Runs of each."
)
@click.option(
    "--holdout",
    metavar="SHARE",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    help="Share of the documents kept back to be scored.",
)
@click.option(
    "--grid", metavar="NAME=A;B,...", type=axes, multiple=True, help="Other parameters and their values."
)
@click.option(
    "--measures",
    "-m",
    metavar="SPECS",
    multiple=True,
    shell_complete=complete_measures,
    help="Measures or groups, by commas.",
)
@click.option("--out", metavar="DIR", type=FILE, help="Keeps fits, scores and the page; goes on from there.")
@click.option(
    "--trust", is_flag=True, help="Open files that can run code (pickles); only of people you trust."
)
@corpus_options
@seed_option
@workers_option
@cluster_option
def command(
    fitted: tuple[Path, ...],
    corpus: Path,
    held_out: Path | None,
    reference_topics: Path | None,
    models: str,
    k: list[int],
    seeds: int,
    holdout: float,
    grid: tuple[dict[str, list[Any]], ...],
    measures: tuple[str, ...],
    out: Path | None,
    trust: bool,
    reading: Mapping[str, Any],
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit models over numbers of topics (and other parameters), several times each, and measure all.

    Prints a table and what it says: where each measure is best, what is beyond noise, why measures
    disagree. With --out also sweep.html, sweep.csv and sweep.svg. With MODEL... nothing is fitted: --models,
    --k and --seeds mean nothing. --seed draws the documents that are held out; runs have seeds 0, 1, 2, …
    """
    from tealeaves.measures._table import parse_all

    for path in (*fitted, corpus, held_out, reference_topics):
        check_exists(path)
    if out is not None and out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file: name a folder for the sweep")
    asked = [str(spec) for spec in parse_all(list(measures))] if measures else None
    merged: dict[str, list[Any]] = {}
    for part in grid:
        for name, values in part.items():
            merged.setdefault(name, []).extend(values)
    looked_for = None
    if reference_topics is not None:
        from tealeaves.reference_topics import read_reference_topics

        looked_for = read_reference_topics(reference_topics)
    read = read_corpus(corpus, reading)
    other = None if held_out is None else read_corpus(held_out, reading)
    families: Any = [part.strip() for part in models.split(",") if part.strip()]
    from tealeaves.sweep import sweep
    from tealeaves.terminal import progress

    with progress("Fitting", quiet=quiet) as advance:
        found = sweep(
            read,
            read_models(fitted, trust=trust, vocabulary=None) if fitted else families,
            k,
            seeds,
            holdout=holdout,
            held_out=other,
            reference_topics=looked_for,
            grid=merged,
            measures=asked,
            out=out,
            seed=seed,
            workers=workers,
            cluster=cluster,
            progress=advance,
        )
    if out is not None:
        found.save(out)
        found.report(out / "sweep.html")
        if found.table()["mean"].is_not_null().any():
            found.chart().save(str(out / "sweep.svg"))
        note(f"saved in {out}; open {out / 'sweep.html'} in a browser", quiet)
    if as_json:
        rows = found.table().to_dicts()
        peaks = found.peaks().to_dicts()
        print_json({"about": found.about, "advice": found.advice(), "peaks": peaks, "table": rows})
        return
    print_markdown(found.to_markdown())
    for sentence in found.advice():
        click.echo(f"- {sentence}")
