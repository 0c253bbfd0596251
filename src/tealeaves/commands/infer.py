"""``tealeaves infer``: topics of documents, with those of a model held fixed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tealeaves.commands._common import (
    FILE,
    check_exists,
    check_folder_for,
    corpus_options,
    note,
    print_json,
    read_corpus,
    read_models,
    read_words,
    seed_option,
    subcommand,
    workers_option,
)
from tealeaves.errors import InputError


@subcommand(
    """
    tealeaves infer lda-20 --corpus new.jsonl.gz --out lda-20-new
    tealeaves infer topic-state.gz --corpus news.csv --text body --method gibbs --seed 1 --out news-topics
    tealeaves infer themes.npz --corpus docs.txt --method gibbs --alpha 0.1 --free-topics 20 --out mixed
    """
)
@click.argument("model", type=FILE)
@click.option("--corpus", metavar="PATH", type=FILE, required=True, help="The documents.")
@click.option("--out", metavar="DIR", type=FILE, required=True, help="Folder for the model of them.")
@click.option(
    "--method",
    type=click.Choice(["vb", "em", "gibbs"]),
    help="How; vb if the model has a prior of topics, else em.",
)
@click.option("--iterations", type=click.IntRange(min=1), default=100, show_default=True, help="Of vb, em.")
@click.option("--burn-in", type=click.IntRange(min=0), default=50, show_default=True, help="Gibbs sweeps.")
@click.option(
    "--samples", type=click.IntRange(min=1), default=50, show_default=True, help="Gibbs sweeps that count."
)
@click.option("--alpha", type=float, help="Prior of topics in a document, if not the model's.")
@click.option(
    "--free-topics", type=click.IntRange(min=0), default=0, help="Learn so many topics more (gibbs)."
)
@click.option("--beta", type=float, default=0.01, show_default=True, help="Prior of words in free topics.")
@click.option("--vocabulary", metavar="PATH", type=FILE, help="Words of a model that is a bare matrix.")
@click.option("--trust", is_flag=True, help="Open files that can run code (pickles).")
@corpus_options
@seed_option
@workers_option
def command(
    model: Path,
    corpus: Path,
    out: Path,
    method: str | None,
    iterations: int,
    burn_in: int,
    samples: int,
    alpha: float | None,
    free_topics: int,
    beta: float,
    vocabulary: Path | None,
    trust: bool,
    reading: Mapping[str, Any],
    seed: int,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the topics of documents, with the topics of MODEL fixed; save them as a model of these documents.

    The folder DIR has the proportions of each document and the topic of each token: measures of tokens and
    documents then score them, as `tealeaves evaluate DIR --corpus PATH --measures local`.
    """
    from tealeaves.infer import infer

    for path in (model, corpus, vocabulary):
        check_exists(path)
    check_folder_for(out, "model")
    words = None if vocabulary is None else read_words(vocabulary)
    ((name, fixed),) = read_models([model], trust=trust, vocabulary=words).items()
    documents = read_corpus(corpus, reading)
    for text in documents.notes:
        note(text, quiet)
    from tealeaves.terminal import progress

    with progress("Inferring", quiet=quiet):
        found = infer(
            fixed, documents, method, iterations=iterations, burn_in=burn_in, samples=samples, alpha=alpha,
            free_topics=free_topics, beta=beta, seed=seed, workers=workers,
        )  # fmt: skip
    unknown, known = int(found.unknown.sum()), len(found.assignments) - int(found.unknown.sum())
    if not known:
        raise InputError(
            f"no word of {corpus} is in {model}: is it of the same kind of text, and made into words alike?"
        )
    found.model(documents, name=name).save(out)
    if unknown:
        note(f"{unknown:,} of {unknown + known:,} tokens are words that the model does not have", quiet)
    mean = found.doc_topic.mean(axis=0)
    if as_json:
        shares = [float(share) for share in mean]
        print_json({"model": str(out), "method": found.method, "unknown_tokens": unknown, "topics": shares})
    elif not quiet:
        click.echo(f"{out}: {len(documents):,} documents, {len(mean)} topics, by {found.method}")
        tops = found.model(documents).top_words(6)
        for k, (share, top) in enumerate(zip(mean, tops, strict=True)):
            click.echo(f"{k:>3} {share:6.1%} {' '.join(top)}")
