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


@subcommand(
    """
    tealeaves fit lda docs.txt lda-20 -k 20
    tealeaves fit nmf news.jsonl.gz nmf-10 -k 10 --text body --stop-words english --min-df 5
    tealeaves fit lda docs.txt lda-20 -k 20 --set iterations=500 --seed 1
    """
)
@click.argument("family", metavar="FAMILY")
@click.argument("corpus", type=FILE)
@click.argument("out", type=FILE)
@click.option(
    "--topics", "-k", "k", metavar="K", type=click.IntRange(min=1), required=True, help="Number of topics."
)
@click.option(
    "--set", "settings", metavar="NAME=VALUE", type=setting, multiple=True, help="A setting of the trainer."
)
@corpus_options
@seed_option
def command(
    family: str,
    corpus: Path,
    out: Path,
    k: int,
    settings: tuple[tuple[str, Any], ...],
    reading: Mapping[str, Any],
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit a model of FAMILY (lda, nmf, …) with K topics to CORPUS and save it in the folder OUT."""
    from tealeaves.fit import fit

    check_folder_for(out, "model")
    read = read_corpus(corpus, reading)
    for text in read.notes:
        note(text, quiet)
    model = fit(family, read, k=k, seed=seed, **dict(settings))
    model.save(out)
    if as_json:
        print_json({"model": str(out), "topics": model.top_words(10), "notes": list(model.notes)})
    elif not quiet:
        click.echo(f"{out}: {model.n_topics} topics of {len(read):,} documents")
        for topic, words in enumerate(model.top_words(10)):
            click.echo(f"{topic:>3} {' '.join(words)}")
