"""``tealeaves degrade``: models made worse in known ways, and which measures notice."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import (
    FILE,
    check_exists,
    corpus_options,
    note,
    print_json,
    print_rich,
    read_corpus,
    read_models,
    seed_option,
    subcommand,
)
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.experiments.degradations import Bench, Degradations

PARTS = ("topics", "runs", "tokens", "time")


@subcommand(
    """
    tealeaves degrade
    tealeaves degrade --on news --part topics --out which-measure
    tealeaves degrade seed-1.json seed-2.json seed-3.json --corpus docs.jsonl --text text
    tealeaves degrade over-time-1 over-time-2 --corpus docs.jsonl --time year --part time
    """
)
@click.argument("models", metavar="[MODEL]...", nargs=-1, type=FILE)
@click.option("--corpus", metavar="PATH", type=FILE, help="The corpus that the models are of.")
@click.option(
    "--held-out", metavar="PATH", type=FILE, help="Documents for perplexity, read as the corpus is."
)
@click.option(
    "--on",
    type=click.Choice(["planted", "news"]),
    default="planted",
    show_default=True,
    help="Without models: planted topics, or news that come with gensim.",
)
@click.option(
    "--part",
    type=click.Choice(PARTS),
    default="topics",
    show_default=True,
    help="What is made worse: topics, the topics of all runs, topics of tokens, topics over time.",
)
@click.option(
    "--measures", "-m", metavar="SPECS", multiple=True, help="Measures, by commas. [all that apply]"
)
@click.option(
    "--draws", metavar="N", type=click.IntRange(min=1), default=3, show_default=True, help="Of each."
)
@click.option("--out", metavar="DIR", type=FILE, help="Save tables and the figure there.")
@corpus_options
@seed_option
def command(
    models: tuple[Path, ...],
    corpus: Path | None,
    held_out: Path | None,
    on: str,
    part: str,
    measures: tuple[str, ...],
    draws: int,
    out: Path | None,
    reading: dict[str, Any],
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a model worse in known ways, a little and a lot, and see which measures notice.

    MODELs are fits of one kind with different seeds, two or more: the first is made worse, and how much all
    differ tells what luck does. Without any, models are fitted to planted topics or to news.
    """
    from tealeaves.experiments.degradations import degrade, planted, shipped
    from tealeaves.measures._table import parse_all
    from tealeaves.terminal import progress

    specs = [str(spec) for spec in parse_all(list(measures))] if measures else None
    for path in (*models, corpus, held_out):
        check_exists(path)
    with progress("Degrading", quiet=quiet) as advance:
        if models:
            bench = _own(models, corpus, held_out, reading)
        else:
            bench = planted(part) if on == "planted" else shipped(part)
        found = degrade(
            bench.models,
            bench.corpus,
            of=part,
            held_out=bench.held_out,
            reference_topics=bench.reference_topics,
            matcher=bench.matcher,
            measures=specs,
            draws=draws,
            seed=seed,
            progress=advance,
        )
    if out is not None:
        found.save(out, part)
        note(f"tables and figure saved in {out}", quiet)
    if as_json:
        return print_json({"about": found.about, "reactions": found.reactions.to_dicts()})
    return _show(found)


def _own(
    models: tuple[Path, ...], corpus: Path | None, held_out: Path | None, reading: dict[str, Any]
) -> "Bench":
    from tealeaves.experiments.degradations import Bench

    if corpus is None:
        raise InputError("models of your own need the documents that they are of: --corpus PATH")
    rest = None if held_out is None else read_corpus(held_out, reading)
    return Bench(list(read_models(models).values()), read_corpus(corpus, reading), rest)


def _show(found: "Degradations") -> None:
    from rich import box
    from rich.table import Table

    frame = found.table()
    shown = Table(*frame.columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in frame.iter_rows():
        shown.add_row(*map(str, row))
    told = (
        "A number is the least strength (0 to 1) from which on a score is worse by more than two standard "
        "deviations over fits with other seeds. Wrong way: it gets better. Not steady: it moves as far at "
        "less strength, but not at the full one."
    )
    print_rich(shown, told)
