"""``tealeaves evaluate``: models and a corpus in, a table of scores out."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import (
    FILE,
    PLACE,
    check_exists,
    check_folder_for,
    cluster_option,
    complete_measures,
    corpus_options,
    note,
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
from tealeaves.commands.stability import read_matcher, read_topics
from tealeaves.errors import FormatError, InputError

if TYPE_CHECKING:
    from tealeaves.measures._table import Spec
    from tealeaves.scores import Scores


def limit(value: str) -> tuple[str, float]:
    """Read ``npmi@10=0.1``, cut at the last "=": those before it belong to the spec."""
    spec, _, number = value.rpartition("=")
    try:
        bound = float(number)
    except ValueError:
        bound = math.nan
    if not spec.strip() or math.isnan(bound):
        raise click.BadParameter(f"{value!r} is no limit: write a measure, = and a number, as in npmi@10=0.1")
    return spec.strip(), bound


@subcommand(
    """
    tealeaves evaluate topics.json --corpus docs.txt
    tealeaves evaluate lda-20 nmf-20 --corpus news.jsonl.gz --text body --stop-words english --out scores
    tealeaves evaluate topics.csv --reference wikipedia-index --measures "npmi@10,npmi(window=10)@10"
    tealeaves evaluate topics.json --corpus docs.txt --measures coherence,diversity --json > scores.json
    tealeaves evaluate lda-20 --corpus train.jsonl --held-out test.jsonl --measures held_out
    tealeaves evaluate lda-50 lda-100 --reference-topics themes.csv --measures au_cdc
    tealeaves evaluate lda-20 --reference wikipedia --cluster tcp://10.0.0.5:8786
    tealeaves evaluate topics.json --corpus docs.txt --fail-under "npmi@10=0.1" --quiet
    """
)
@click.argument("models", nargs=-1, required=True, metavar="MODEL...", type=FILE)
@click.option(
    "--corpus", metavar="PATH", type=FILE, help="The corpus the models are of; counts come from it."
)
@click.option(
    "--reference",
    metavar="PATH|URL",
    type=PLACE,
    help="Another corpus, or an index, to count in instead; also s3://bucket/corpus.",
)
@click.option(
    "--held-out", metavar="PATH", type=FILE, help="Documents not trained on, for perplexity and its kin."
)
@click.option(
    "--reference-topics", metavar="PATH", type=FILE, help="Topics that are looked for, for coverage."
)
@click.option(
    "--matcher", metavar="PATH", type=FILE, help="What says which topics are the same, for sup_cov."
)
@click.option(
    "--vocabulary", metavar="PATH", type=FILE, help="Words of models that are bare matrices, one a line."
)
@click.option(
    "--vectors", metavar="PATH", type=FILE, help="Word vectors as text (word2vec, GloVe), for we_coherence."
)
@click.option(
    "--measures",
    "-m",
    metavar="SPECS",
    multiple=True,
    shell_complete=complete_measures,
    help="Measures or groups, by commas. [standard]",
)
@click.option("--by", metavar="FIELD", help="Score each group of documents too: slice, label, or a field.")
@click.option(
    "--fail-under", metavar="SPEC=N", type=limit, multiple=True, help="Status 1 if a model is worse."
)
@click.option("--out", metavar="DIR", type=FILE, help="Save the scores there, with report.html.")
@click.option(
    "--trust", is_flag=True, help="Open files that can run code (pickles); only of people you trust."
)
@click.option(
    "--resamples",
    metavar="N",
    type=click.IntRange(min=10),
    default=2000,
    show_default=True,
    help="Resamples behind an interval.",
)
@click.option("--ci/--no-ci", default=True, help="95% intervals, or none (faster). [ci]")
@click.option(
    "--chance/--no-chance", default=None, help="Score random words as frequent too. [up to 200 topics]"
)
@shape_options
@corpus_options
@seed_option
@workers_option
@cluster_option
def command(
    models: tuple[Path, ...],
    corpus: Path | None,
    reference: Path | str | None,
    held_out: Path | None,
    reference_topics: Path | None,
    matcher: Path | None,
    vocabulary: Path | None,
    vectors: Path | None,
    measures: tuple[str, ...],
    by: str | None,
    fail_under: tuple[tuple[str, float], ...],
    out: Path | None,
    trust: bool,
    resamples: int,
    ci: bool,
    chance: bool | None,
    shape: Mapping[str, Any],
    reading: Mapping[str, Any],
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Score topic models: coherence, diversity, significance, with intervals and reasons.

    MODEL is a file or folder of topics: lists of words as JSON or CSV, a folder that tealeaves
    saved, a MALLET state, …; `tealeaves inspect MODEL` says what it is taken for. Files lda#1, lda#2, … are
    runs of one model.

    The exit status is 0, or 1 if a model misses a --fail-under: below it where higher is better,
    above it where lower is better, or undefined.
    """
    from tealeaves.measures._table import parse, parse_all

    specs = list(
        parse_all(list(measures) or ["standard"])
    )  # a misspelt measure is told before anything is read
    limits = [(parse(spec), bound) for spec, bound in fail_under]
    specs += [spec for spec, _ in limits if spec not in specs]
    for path in (*models, corpus, reference, held_out, reference_topics, matcher, vocabulary, vectors):
        check_exists(path)
    if out is not None:
        check_folder_for(out, "scores")
    by, reading = groups(by, reading)
    words = None if vocabulary is None else read_words(vocabulary)
    try:
        read = read_models(models, trust=trust, vocabulary=words, shape=shape)
    except FormatError as error:
        if corpus is None and reference is None and len(models) > 1:
            hint = f"{error}; if {error.path} holds the documents, write --corpus {error.path}"
            raise InputError(hint) from None
        raise
    given = None if corpus is None else read_corpus(corpus, reading)
    other = None if reference is None else read_reference(reference, reading)
    unseen = None if held_out is None else read_corpus(held_out, reading)
    wanted = None if reference_topics is None else read_topics(reference_topics)
    matching = None if matcher is None else read_matcher(matcher)
    check_words(read, other or given)
    from tealeaves.readers.vectors import read_vectors

    embedded = None if vectors is None else read_vectors(vectors)
    from tealeaves.evaluate import evaluate  # after what can fail fast: it brings the kernels
    from tealeaves.terminal import progress

    with progress("Counting", quiet=quiet) as advance:
        scores = evaluate(
            read,
            given,
            reference=other,
            held_out=unseen,
            reference_topics=wanted,
            matcher=matching,
            measures=[str(spec) for spec in specs],
            by=by,
            ci=0.95 if ci else None,
            resamples=resamples,
            seed=seed,
            workers=workers,
            cluster=cluster,
            chance={None: None, True: 200, False: 0}[chance],
            progress=advance,
            vectors=embedded,
        )
    for warning in scores.details.warnings:
        note(warning, quiet)
    if out is not None:
        scores.save(out)
        scores.report(out / "report.html")
        note(f"scores saved in {out}; open {out / 'report.html'} in a browser", quiet)
    if as_json:
        click.echo(scores.to_json())
    elif out is None or not quiet:
        show(scores)
    missed = [line for spec, bound in limits for line in misses(scores, spec, bound)]
    for line in missed:
        click.echo(f"Failed: {line}", err=True)
    if missed:
        raise click.exceptions.Exit(1)


def check_words(models: Mapping[str, Any], reference: Any) -> None:
    """Refuse a reference that has no word of any model: another text, or one made into words otherwise."""
    if reference is None:
        return
    known = set(reference.vocabulary)
    if not known:
        hint = "is it empty, or do --stop-words, --min-df and the like leave out all of them?"
        raise InputError(f"the corpus holds no words: {hint}")
    words = [word for model in models.values() for word in model.vocabulary]
    parts = (part for word in words for part in (word, *re.split("[ _]", word)))  # of n-grams
    if known.isdisjoint(parts):
        theirs, ours = (", ".join(map(repr, some[:3])) for some in (words, reference.vocabulary))
        raise InputError(
            f"no word of the models ({theirs} …) is in the corpus ({ours} …): is it of the same text? "
            "Words are looked for as they are written: language, capitals and stems must be the same"
        )


def groups(by: str | None, reading: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any]]:
    """``--by FIELD`` as `evaluate` has it, "slice" or "label", with the field read as what it is."""
    if by is None or by in ("slice", "label"):
        return by, reading
    if by == reading["time"]:
        return "slice", reading
    if reading["label"] not in (None, by):
        raise InputError(
            f"--by {by}: the labels are read from {reading['label']!r} already; leave --label out"
        )
    return "label", {**reading, "label": by}


def show(scores: "Scores") -> None:
    """Print the table of models and their worst topics."""
    from tealeaves.terminal import scores_table, worst_topics

    print_rich(scores_table(scores), worst_topics(scores))


def misses(scores: "Scores", spec: "Spec", bound: float) -> Sequence[str]:
    """A line for each model that is worse than ``bound`` by ``spec``, or undefined."""
    from tealeaves.terminal import number

    lines = []
    for model in dict.fromkeys(scores.frame["model"].to_list()):
        value = scores.value(str(spec), model=model)
        if math.isnan(value):
            lines.append(f"{spec} of {model} is undefined")
        elif spec.best == "low" and value > bound:
            lines.append(f"{spec} of {model} is {number(value)}, above {bound:g} (lower is better)")
        elif spec.best != "low" and value < bound:
            lines.append(f"{spec} of {model} is {number(value)}, under {bound:g}")
    return lines
