"""``tealeaves corpus``: build, info, verify."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.cli import Commands
from tealeaves.commands._common import (
    FILE,
    check_exists,
    check_folder_for,
    corpus_options,
    note,
    print_json,
    read_corpus,
    reading_options,
    subcommand,
    workers_option,
)

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


vocabulary_option = click.option(
    "--vocabulary",
    metavar="PATH",
    type=FILE,
    help="Words of a corpus of counts in the order of their numbers, one a line, or a dictionary of gensim.",
)


@click.group("corpus", cls=Commands)
def command() -> None:
    """Build, describe and verify corpora."""


@subcommand(
    """
    tealeaves corpus build news.jsonl.gz news --text body --time date --stop-words english --min-df 5
    tealeaves corpus build wikipedia.jsonl.zst wikipedia --min-df 20 --memory 2GB --no-texts
    tealeaves corpus build docs.txt docs --tokenized
    tealeaves corpus build docword.nytimes.txt.gz nytimes --vocabulary vocab.nytimes.txt
    tealeaves corpus build 20NewsGroup train --partition train
    """,
    name="build",
)
@click.argument("source", type=FILE, metavar="IN")
@click.argument("out", type=FILE)
@click.option(
    "--partitions",
    metavar="N",
    type=click.IntRange(min=1),
    help="Parts on disk. [one for 25 million tokens]",
)
@click.option(
    "--memory",
    metavar="SIZE",
    default="1GB",
    show_default=True,
    help="About how much to use, as 512MB or 2GB.",
)
@click.option("--texts/--no-texts", default=True, help="Keep the texts for display. [texts]")
@vocabulary_option
@corpus_options
@workers_option
def build(
    source: Path,
    out: Path,
    partitions: int | None,
    memory: str,
    texts: bool,
    vocabulary: Path | None,
    reading: Mapping[str, Any],
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read IN - text, a table, or a corpus of another tool, see --format - once and save it in the folder
    OUT, ready to count.

    IN may be larger than memory. A run that was killed goes on where it was when it is started again.
    """
    from tealeaves.building import build_corpus
    from tealeaves.building_assembly import PART
    from tealeaves.corpus import load_corpus
    from tealeaves.terminal import progress

    check_folder_for(out, "corpus")
    given = reading_options(source, {**reading, "vocabulary": vocabulary})
    with progress("Reading", quiet=quiet or as_json) as advance:
        notes = build_corpus(
            source,
            out,
            **given,
            memory=memory,
            partitions=partitions,
            texts=texts,
            workers=workers,
            progress=advance,
        )
    for text in notes:
        note(text, quiet)
    corpus = load_corpus(out)
    counts = corpus.n_tokens <= PART  # of a large one its fingerprint takes minutes; `info` gives it
    if as_json:
        print_json({"corpus": str(out), **describe(corpus, counts)})
    elif not quiet:
        click.echo(f"{out} is written")
        tell(corpus, counts)


@subcommand(
    """
    tealeaves corpus append news today.jsonl --text body --time date --stop-words english
    tealeaves corpus append news today.jsonl --text body --fixed
    """,
    name="append",
)
@click.argument("folder", type=FILE, metavar="CORPUS")
@click.argument("source", type=FILE, metavar="IN")
@click.option("--fixed", is_flag=True, help="Leave the vocabulary as it is: new words are outside it.")
@vocabulary_option
@corpus_options
def append(
    folder: Path,
    source: Path,
    fixed: bool,
    vocabulary: Path | None,
    reading: Mapping[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Add the documents of IN to CORPUS, a folder that tealeaves saved; read them as it was read."""
    from tealeaves.corpus import append_corpus, load_corpus

    check_exists(folder)
    more = read_corpus(source, {**reading, "vocabulary": vocabulary})
    append_corpus(folder, more, grow=not fixed)
    corpus = load_corpus(folder)
    if as_json:
        print_json({"corpus": str(folder), "added": len(more), "documents": len(corpus)})
    elif not quiet:
        click.echo(f"{folder}: {len(more):,} documents added, {len(corpus):,} in all")


@subcommand(
    """
    tealeaves corpus info news
    tealeaves corpus info news.jsonl.gz --text body
    """,
    name="info",
)
@click.argument("source", type=FILE, metavar="CORPUS")
@vocabulary_option
@corpus_options
def info(
    source: Path, vocabulary: Path | None, reading: Mapping[str, Any], as_json: bool, quiet: bool
) -> None:
    """Print what is in CORPUS: documents, tokens, words, slices, labels, preprocessing, fingerprints."""
    corpus = read_corpus(source, {**reading, "vocabulary": vocabulary})
    for text in corpus.notes:
        note(text, quiet)
    print_json(describe(corpus)) if as_json else tell(corpus)


@subcommand(
    """
    tealeaves corpus verify news
    """,
    name="verify",
)
@click.argument("source", type=FILE, metavar="CORPUS")
def verify(source: Path, as_json: bool, quiet: bool) -> None:
    """Check that a saved corpus is whole: every file there, and as it was written."""
    from tealeaves.corpus import load_corpus

    corpus = load_corpus(source, verify=True)  # checks every file against its checksum
    found = corpus.fingerprint
    if as_json:
        print_json({"corpus": str(source), "whole": True, "fingerprint": found})
    elif not quiet:
        click.echo(f"{source}: whole; {len(corpus):,} documents, fingerprint {found}")


for _sub in (build, append, info, verify):
    command.add_command(_sub)


def describe(corpus: "Corpus", counts: bool = True) -> dict[str, Any]:
    """What there is to say of a corpus; with ``counts`` also the fingerprint of its counts."""
    import numpy as np

    lengths = np.diff(corpus.offsets)
    times = corpus.word_counts()
    often = np.argsort(-times, kind="stable")[:10]
    return {
        "documents": len(corpus),
        "empty_documents": int((lengths == 0).sum()),
        "tokens": corpus.n_tokens,
        "tokens_outside_vocabulary": int(corpus.n_tokens - times.sum()),
        "vocabulary": len(corpus.vocabulary),
        "median_length": float(np.median(lengths)) if len(lengths) else None,
        "longest": int(lengths.max(initial=0)),
        "frequent_words": {corpus.vocabulary[i]: int(times[i]) for i in often},
        "slices": list(corpus.slice_labels or ()),
        "labels": labels(corpus),
        "ordered": corpus.ordered,
        "gaps": corpus.gaps,
        "preprocess": corpus.preprocess,
        "fingerprint": corpus.fingerprint,
        **({"bag_fingerprint": corpus.bag_fingerprint} if counts else {}),
        "notes": list(corpus.notes),
    }


def labels(corpus: "Corpus") -> list[str]:
    """Every label that a document has."""
    found: set[str] = set()
    for label in corpus.labels or ():
        found.update((label,) if isinstance(label, str) else label)
    return sorted(found)


def tell(corpus: "Corpus", counts: bool = True) -> None:
    """Print what there is to say of a corpus."""
    it = describe(corpus, counts)
    click.echo(
        f"documents     {it['documents']:,}"
        + (f" ({it['empty_documents']:,} empty)" if it["empty_documents"] else "")
    )
    outside = it["tokens_outside_vocabulary"]
    click.echo(
        f"tokens        {it['tokens']:,}" + (f" ({outside:,} outside the vocabulary)" if outside else "")
    )
    click.echo(f"words         {it['vocabulary']:,}; most frequent: {', '.join(it['frequent_words'])}")
    if it["median_length"] is not None:
        click.echo(f"length        median {it['median_length']:.0f}, longest {it['longest']:,} tokens")
    for name in ("slices", "labels"):
        if it[name]:
            click.echo(f"{name:<13} {len(it[name]):,}: {some(it[name])}")
    if not it["ordered"]:
        click.echo("order         not known (a matrix of counts): measures over windows are refused")
    click.echo(f"preprocessing {it['preprocess'] or 'none'}; gaps {it['gaps']}")
    click.echo(f"fingerprint   {it['fingerprint']}")
    if counts:
        click.echo(f"  of counts   {it['bag_fingerprint']}")


def some(names: list[str], n: int = 6) -> str:
    """The first few of many names."""
    return ", ".join(names[:n]) + (", …" if len(names) > n else "")
