"""``tealeaves controls``: a dynamic model beside its shuffled, repeated and intruded selves."""

from collections.abc import Mapping
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
    read_reference,
    read_words,
    seed_option,
    shape_options,
    subcommand,
    workers_option,
)
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.controls import Controls


@subcommand(
    """
    tealeaves controls topics-over-time.json --corpus docs.jsonl --text text --time year
    tealeaves controls dtm-folder --corpus docs.jsonl --time year --out controls
    tealeaves controls slices/ --corpus docs.jsonl --time year --measures "ttc(window=3)@10,tts(window=3)@10"
    tealeaves controls slices/ --corpus docs.jsonl --time year --draws 10 --levels 5 --json > controls.json
    """
)
@click.argument("model", metavar="MODEL", type=FILE)
@click.option("--corpus", metavar="PATH", type=FILE, help="The corpus the model is of; counts come from it.")
@click.option(
    "--reference", metavar="PATH", type=FILE, help="Another corpus, or an index, to count in instead."
)
@click.option(
    "--vocabulary", metavar="PATH", type=FILE, help="Words of models that are bare matrices, one a line."
)
@click.option(
    "--measures",
    "-m",
    metavar="SPECS",
    multiple=True,
    help="Measures, by commas. [npmi, diversity, tq, ttc, tts, ttq, dtq]",
)
@click.option(
    "--draws",
    metavar="N",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Shuffles, and topics that are repeated in place of all.",
)
@click.option(
    "--levels",
    metavar="N",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Words that intrusion replaces at most.",
)
@click.option(
    "--topics",
    metavar="N",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Topics that words intrude upon, drawn where there are more.",
)
@click.option("--out", metavar="DIR", type=FILE, help="Save the tables there, with controls.html.")
@click.option(
    "--trust", is_flag=True, help="Open files that can run code (pickles); only of people you trust."
)
@shape_options
@corpus_options
@seed_option
@workers_option
def command(
    model: Path,
    corpus: Path | None,
    reference: Path | None,
    vocabulary: Path | None,
    measures: tuple[str, ...],
    draws: int,
    levels: int,
    topics: int,
    out: Path | None,
    trust: bool,
    shape: Mapping[str, Any],
    reading: Mapping[str, Any],
    seed: int,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """See whether measures of topics over time react as they should, on your own data.

    Three controls: the topics of each slice in random order (measures within slices stay, those over time
    fall to chance); one topic in place of all (diversity falls to 0, measures over time stay); and words of
    other topics that intrude upon one slice of a topic, 1, 2, … of them (measures over time fall with each).
    """
    from tealeaves.measures._table import parse_all

    specs = [str(spec) for spec in parse_all(list(measures))] if measures else None
    for path in (model, corpus, reference, vocabulary):
        check_exists(path)
    if out is not None and out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file, but the tables need a folder; name another")
    words = None if vocabulary is None else read_words(vocabulary)
    read: Any = next(iter(read_models([model], trust=trust, vocabulary=words, shape=shape).values()))
    if not hasattr(read, "slice_labels"):
        raise InputError(
            f"{model}: has no topics over time, which controls are about; "
            "`tealeaves inspect` says what it is taken for"
        )
    given = None if corpus is None else read_corpus(corpus, reading)
    other = None if reference is None else read_reference(reference, reading)
    from tealeaves.controls import MEASURES, controls
    from tealeaves.terminal import progress

    with progress("Counting", quiet=quiet) as advance:
        found = controls(
            read,
            given,
            other,
            measures=specs or MEASURES,
            draws=draws,
            levels=levels,
            topics=topics,
            seed=seed,
            workers=workers,
            progress=advance,
        )
    for warning in found.about["warnings"]:
        note(warning, quiet)
    if out is not None:
        found.save(out)
        note(f"tables saved in {out}; open {out / 'controls.html'} in a browser", quiet)
    if as_json:
        print_json(found.to_dict())
    elif out is None or not quiet:
        print_rich(*shown(found))


def shown(found: "Controls") -> list[Any]:
    """The tables as they stand in a terminal, and what they show."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tealeaves.report.controls import KINDS, beside, says
    from tealeaves.report.controls import shown as cell

    specs = list(found.table["measure"].unique(maintain_order=True))
    wide = Table(box=box.SIMPLE_HEAD)
    for heading in ("", *specs):
        wide.add_column(Text(heading), overflow="fold")
    rows = {(row["model"], row["measure"]): row for row in found.table.iter_rows(named=True)}
    for model in KINDS:
        of = [rows[model, spec] for spec in specs]
        cells = []
        for row in of:
            text = Text(cell(row["value"]))
            for line in beside(row, found.about["topics"]):
                text.append(f"\n{line}", style="dim")
            cells.append(text)
        draws = max(row["draws"] for row in of)
        name = Text(model)
        name.append("" if model == "original" else f"\n{draws} draw{'s' if draws != 1 else ''}", style="dim")
        wide.add_row(name, *cells)
    parts: list[Any] = [wide]
    if len(found.reactions):
        n = len(found.about["intruded"])
        title = f"Words of other topics in one slice of {n} topic{'s' if n != 1 else ''}"
        parts += [Text(title), _levels(found)]
    return [*parts, *[Text(f"- {sentence}", style="dim") for sentence in says(found)]]


def _levels(found: "Controls") -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tealeaves.report.controls import level_means, rho_words
    from tealeaves.report.controls import shown as cell

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("words", *map(str, range(found.about["levels"] + 1)), "Spearman's rho"):
        table.add_column(Text(heading))
    for row in found.reactions.iter_rows(named=True):
        means = [Text(cell(mean)) for mean in level_means(found, row["measure"])]
        table.add_row(Text(row["measure"]), *means, Text(rho_words(row)))
    return table
