"""``tealeaves stability``: whether the runs of a model find the same topics, and which topics return."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import (
    FILE,
    check_exists,
    check_folder_for,
    complete_measures,
    note,
    print_json,
    print_rich,
    read_models,
    read_words,
    seed_option,
    subcommand,
)

if TYPE_CHECKING:
    from tealeaves.alignment import Alignment
    from tealeaves.scores import Scores

SHOWN = 30  # topics in the terminal
ALIGNMENT = "alignment.csv"


@subcommand(
    """
    tealeaves stability lda#1 lda#2 lda#3
    tealeaves stability runs/*.json --reference-topics themes.csv --out stable
    tealeaves stability lda#1 lda#2 nmf#1 nmf#2 --json > stability.json
    """
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=FILE)
@click.option(
    "--reference-topics",
    metavar="PATH",
    type=FILE,
    help="Topics that are looked for: which do two runs find?",
)
@click.option("--matcher", metavar="PATH", type=FILE, help="A matcher that says which topics are the same.")
@click.option(
    "--measures",
    "-m",
    metavar="SPECS",
    multiple=True,
    shell_complete=complete_measures,
    help="Measures, by commas. [what the runs allow]",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Topics farther apart than this cosine distance are not the same.",
)
@click.option(
    "--vocabulary", metavar="PATH", type=FILE, help="Words of runs that are bare matrices, one a line."
)
@click.option("--out", metavar="DIR", type=FILE, help="Save the scores there, with alignment.csv.")
@click.option(
    "--trust", is_flag=True, help="Open files that can run code (pickles); only of people you trust."
)
@click.option("--ci/--no-ci", default=True, help="95% intervals over runs, or none. [ci]")
@seed_option
def command(
    runs: tuple[Path, ...],
    reference_topics: Path | None,
    matcher: Path | None,
    measures: tuple[str, ...],
    threshold: float,
    vocabulary: Path | None,
    out: Path | None,
    trust: bool,
    ci: bool,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure whether RUNs of a model, fitted with other seeds, find the same topics.

    Files lda#1, lda#2, … are runs of one model "lda"; without such names all are runs of one. The table has
    a number for each model; below it stand its topics, the ones that return in most runs first.
    """
    from tealeaves.measures._table import parse_all

    specs = [str(spec) for spec in parse_all(list(measures))] if measures else None
    for path in (*runs, reference_topics, matcher, vocabulary):
        check_exists(path)
    if out is not None:
        check_folder_for(out, "scores")
    words = None if vocabulary is None else read_words(vocabulary)
    named = read_models(runs, trust=trust, vocabulary=words)
    from tealeaves.alignment import align
    from tealeaves.stability import stability
    from tealeaves.terminal import progress

    sets = sets_of(named)
    wanted = read_topics(reference_topics)
    matching = read_matcher(matcher)
    with progress("Comparing runs", quiet=quiet) as advance:
        scores = stability(
            {name: list(models.values()) for name, models in sets.items()},
            wanted,
            matching,
            measures=specs,
            threshold=threshold,
            ci=0.95 if ci else None,
            seed=seed,
            progress=advance,
        )
    alignments = {
        name: align(models, threshold=threshold) for name, models in sets.items() if len(models) > 1
    }
    alone = [name for name, models in sets.items() if len(models) == 1]
    if alone:
        note(f"one run of {alone[0]}: others are needed to see what returns", quiet)
    if out is not None:
        scores.save(out)
        for name, found in alignments.items():
            file = ALIGNMENT if len(alignments) == 1 else f"alignment-{name.replace('/', '-')}.csv"
            found.frame.write_csv(out / file)
        note(f"scores and alignment saved in {out}", quiet)
    if as_json:
        content = {name: found.to_dict() for name, found in alignments.items()}
        print_json({"scores": scores.frame.to_dicts(), "alignment": content})
    elif out is None or not quiet:
        show(scores, alignments)


def sets_of(named: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The runs of each model; where no name says which model it is of, all are of one."""
    from tealeaves.runs import base_name

    if all(base_name(name) == name for name in named):
        return {"runs": dict(named)}
    found: dict[str, dict[str, Any]] = {}
    for name, model in named.items():
        found.setdefault(base_name(name), {})[name] = model
    return found


def read_topics(path: Path | None) -> Any:
    """The reference topics at a path; None where there is no path."""
    if path is None:
        return None
    from tealeaves.reference_topics import read_reference_topics

    return read_reference_topics(path)


def read_matcher(path: Path | None) -> Any:
    """The matcher at a path; None where there is no path."""
    if path is None:
        return None
    from tealeaves.matcher import Matcher

    return Matcher.load(path)


def show(scores: "Scores", alignments: "Mapping[str, Alignment]") -> None:
    """Print the table, and the topics of each model with how often they return."""
    from tealeaves.terminal import scores_table

    print_rich(scores_table(scores), *[table(name, found) for name, found in alignments.items()])


def table(name: str, found: "Alignment") -> Any:
    """Topics, the runs that have them, how alike they are, and their words."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tealeaves.terminal import number

    n = len(found.runs)
    title = f"{name}: {len(found.in_all)} topics return in all {n} runs, of {len(found.groups)}"
    shown = Table(box=box.SIMPLE_HEAD, title=Text(title, style="bold"), title_justify="left")
    for heading in ("runs", "stability", "words", "its number in each run"):
        shown.add_column(Text(heading), overflow="fold")
    words = found.top_words(8)
    for group, row in list(zip(found.groups, words, strict=True))[:SHOWN]:
        numbers = " ".join("·" if k < 0 else str(k) for k in group.topics)
        stability = number(group.stability) if group.n_runs > 1 else "0"
        shown.add_row(Text(f"{group.n_runs}/{n}"), Text(stability), Text(" ".join(row)), Text(numbers))
    if len(found.groups) > SHOWN:
        shown.caption = Text(f"… and {len(found.groups) - SHOWN} more; --out saves all of them")
    return shown
