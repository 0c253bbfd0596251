"""``tealeaves index``: positions of every word of a reference corpus."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tealeaves.commands._common import (
    FILE,
    check_folder_for,
    cluster_option,
    corpus_options,
    note,
    print_json,
    read_corpus,
    read_words,
    subcommand,
)


@subcommand(
    """
    tealeaves index wikipedia.jsonl.gz wikipedia-index --text text
    tealeaves index wikipedia.jsonl.gz small-index --text text --vocabulary words.txt
    tealeaves evaluate topics.json --reference wikipedia-index
    """
)
@click.argument("corpus", type=FILE)
@click.argument("out", type=FILE)
@click.option("--vocabulary", metavar="PATH", type=FILE, help="Index these words only, one a line.")
@corpus_options
@cluster_option
def command(
    corpus: Path,
    out: Path,
    vocabulary: Path | None,
    reading: Mapping[str, Any],
    cluster: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Index CORPUS into the folder OUT, to be asked again: any topics, any window, without the text."""
    from tealeaves.index import build_index

    check_folder_for(out, "index")
    words = None if vocabulary is None else read_words(vocabulary)
    read = read_corpus(corpus, reading)
    for text in read.notes:
        note(text, quiet)
    from tealeaves.terminal import progress

    with progress("Indexing", quiet=quiet):
        build_index(read, vocabulary=words, cluster=cluster).save(out)
    if as_json:
        print_json(
            {
                "index": str(out),
                "documents": len(read),
                "tokens": read.n_tokens,
                "fingerprint": read.fingerprint,
            }
        )
    elif not quiet:
        click.echo(f"{out}: an index of {len(read):,} documents, {read.n_tokens:,} tokens")
