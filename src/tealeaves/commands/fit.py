"""``tealeaves fit``: a topic model of a corpus."""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tealeaves.commands._common import (
    FILE,
    check_folder_for,
    corpus_options,
    note,
    print_json,
    read_corpus,
    seed_option,
    subcommand,
    workers_option,
)


def setting(value: str) -> tuple[str, Any]:
    """Read ``iterations=500``; a value that is no literal of Python is a text."""
    name, equals, text = value.partition("=")
    if not equals or not name.isidentifier():
        raise click.BadParameter(
            f"{value!r} is no setting: write a name, = and a value, as in iterations=500"
        )
    try:
        return name, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return name, text


def complete(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The families that begin so, for the Tab key."""
    from tealeaves.fit import FAMILIES

    return [family for family in FAMILIES if family.startswith(begun)]


@subcommand(
    """
    tealeaves fit lda docs.txt lda-20 -k 20
    tealeaves fit nmf news.jsonl.gz nmf-10 -k 10 --text body --stop-words english --min-df 5
    tealeaves fit lda docs.txt lda-20 -k 20 --set method=variational --set alpha=0.5 --seed 1
    tealeaves fit hdp docs.txt hdp -k 100
    """
)
@click.argument("family", metavar="FAMILY", shell_complete=complete)
@click.argument("corpus", type=FILE)
@click.argument("out", type=FILE)
@click.option(
    "--topics",
    "-k",
    "k",
    metavar="K",
    type=click.IntRange(min=1),
    required=True,
    help="Number of topics; the most, where the family finds it.",
)
@click.option(
    "--set", "settings", metavar="NAME=VALUE", type=setting, multiple=True, help="A setting of the trainer."
)
@corpus_options
@seed_option
@workers_option
def command(
    family: str,
    corpus: Path,
    out: Path,
    k: int,
    settings: tuple[tuple[str, Any], ...],
    reading: Mapping[str, Any],
    seed: int,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit a model of FAMILY (lda, nmf, dlda, …) with K topics to CORPUS and save it in the folder OUT."""
    from tealeaves.commands.inspect import first_and_last, tell_topics
    from tealeaves.fit import OVER_TIME, fit

    check_folder_for(out, "dynamic" if family in OVER_TIME else "model")
    read = read_corpus(corpus, reading)
    for text in read.notes:
        note(text, quiet)
    from tealeaves.terminal import progress

    with progress(f"Fitting {family}", quiet=quiet) as advance:
        model = fit(family, read, k=k, seed=seed, workers=workers, progress=advance, **dict(settings))
    for text in model.notes:
        note(text, quiet)
    model.save(out)
    topics = first_and_last(model) if family in OVER_TIME else model.top_words(10)
    if as_json:
        print_json({"model": str(out), "topics": topics, "notes": list(model.notes)})
    elif not quiet:
        click.echo(f"{out}: {model.n_topics} topics of {len(read):,} documents")
        tell_topics(topics)
