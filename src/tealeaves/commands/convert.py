"""``tealeaves convert``: a model in another form."""

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tealeaves.commands._common import FILE, check_folder_for, print_json, read_words, subcommand, write_text
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.model import TopicModel


@subcommand(
    """
    tealeaves convert topic-state.gz lda-20
    tealeaves convert lda-20 topics.json --top 20
    tealeaves convert lda-20 topics.csv
    """
)
@click.argument("source", type=FILE, metavar="IN")
@click.argument("target", type=FILE, metavar="OUT")
@click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Words of a topic in JSON or CSV.",
)
@click.option(
    "--vocabulary", metavar="PATH", type=FILE, help="Words of a bare matrix, one a line, in its order."
)
@click.option("--format", "form", metavar="NAME", help="Format of IN, where its name does not tell.")
@click.option(
    "--trust", is_flag=True, help="Open files that can run code (pickles); only of people you trust."
)
def command(
    source: Path,
    target: Path,
    top: int,
    vocabulary: Path | None,
    form: str | None,
    trust: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Turn the model IN into OUT: topics.json (lists of words), topics.csv (topic, rank, word, weight) or,
    for a name without an ending, a folder that keeps everything."""
    from tealeaves.model import read_model

    if target.exists() and source.exists() and target.samefile(source):
        raise InputError(f"{target}: is what would be read; give OUT another name")
    words = None if vocabulary is None else read_words(vocabulary)
    model = read_model(source, format=form, trust=trust, vocabulary=words)
    ending = target.suffix.lower()
    if ending == ".json":
        write_text(target, json.dumps(model.top_words(top), ensure_ascii=False, indent=1) + "\n")
    elif ending == ".csv":
        write_text(target, as_csv(model, top))
    elif ending:
        raise InputError(
            f"{target}: cannot write {ending}; name it .json, .csv, or without an ending for a folder"
        )
    else:
        check_folder_for(target, "model")
        model.save(target)
    if as_json:
        print_json({"written": str(target), "topics": model.n_topics, "notes": list(model.notes)})
    elif not quiet:
        click.echo(f"{target}: {model.n_topics} topics of {source}")
        for text in model.notes:
            click.echo(f"Note: {text}", err=True)


def as_csv(model: "TopicModel", top: int) -> str:
    """A row for each top word: topic, rank from 1, word, and its weight unless the model has words alone."""
    index = {word: i for i, word in enumerate(model.vocabulary)}
    weights = model.topic_word
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["topic", "rank", "word"] + ([] if weights is None else ["weight"]))
    for topic, words in enumerate(model.top_words(top)):
        for rank, word in enumerate(words, start=1):
            weight = [] if weights is None else [repr(float(weights[topic, index[word]]))]
            rows.writerow([topic, rank, word, *weight])
    return file.getvalue()
