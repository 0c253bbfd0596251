"""``tealeaves inspect``: what a file or folder is, and what is in it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands import corpus as corpora
from tealeaves.commands._common import (
    FILE,
    corpus_options,
    note,
    print_json,
    print_rich,
    read_corpus,
    read_words,
    shape_options,
    subcommand,
)
from tealeaves.commands._kind import kind_option, what_is
from tealeaves.commands._ours import described
from tealeaves.errors import FormatError, InputError

if TYPE_CHECKING:
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.model import TopicModel
    from tealeaves.readers._kinds import Told
    from tealeaves.scores import Scores

AEIOU = "aeiou"
SMALL = 1 << 16  # bytes: larger files of documents are never meant to be topics
SHOWN = 6  # words of a topic in a slice


@subcommand(
    """
    tealeaves inspect topics.json
    tealeaves inspect news.jsonl.gz --text body
    tealeaves inspect scores
    tealeaves inspect topic-state.gz --diagnostics
    """
)
@click.argument("path", type=FILE, metavar="FILE")
@kind_option
@click.option(
    "--vocabulary", metavar="PATH", type=FILE, help="Words of a bare matrix or of counts, one a line."
)
@click.option(
    "--trust", is_flag=True, help="Open files that can run code (pickles); only of people you trust."
)
@click.option(
    "--diagnostics", is_flag=True, help="Of a model: twelve numbers for each topic, as MALLET's diagnostics."
)
@shape_options
@corpus_options
def command(
    path: Path,
    kind: str | None,
    vocabulary: Path | None,
    trust: bool,
    diagnostics: bool,
    shape: Mapping[str, Any],
    reading: Mapping[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Say what FILE is - a corpus, a model, an index, scores, reference topics, a matcher, a study, an
    experiment - and what is in it.

    Content that only one of them has decides. Of text and tables, which can be documents or topics, the look
    of the lines does; a note says so, and --as reads it as the other.
    """
    if kind is None and (ours := described(path)) is not None:
        kind, content = ours
        if as_json:
            print_json({"path": str(path), "kind": kind, **content})
        else:
            click.echo(
                f"{path}: {'' if kind == 'reference topics' else 'an ' if kind[0] in AEIOU else 'a '}{kind}"
            )
            tell(content)
        return
    told = what_is(path, kind, {**shape, "vocabulary": vocabulary}, reading)
    found = open_as(told, path, trust, {**shape, "vocabulary": vocabulary}, reading)
    kind = told.kind
    if diagnostics:
        show_diagnostics(path, kind, found, as_json)
        return
    if told.why and (kind == "model" or path.stat().st_size <= SMALL):
        other = "corpus" if kind == "model" else "model"
        note(f"taken for {told.what}, as {told.why}; `--as {other}` reads it as a {other}", quiet)
    if as_json:
        print_json({"path": str(path), "kind": kind, **describe(kind, found)})
        return
    over_time = kind == "model" and hasattr(found, "slice_labels")
    article = "an" if kind == "index" else "a folder of" if kind == "scores" else "a"
    click.echo(
        f"{path}: {article} {'dynamic ' if over_time else ''}{kind}{' of words' if kind == 'list' else ''}"
    )
    if kind == "corpus":
        corpora.tell(found)
        for text in found.notes:
            note(text, quiet)
    elif kind == "scores":
        from tealeaves.terminal import scores_table

        tell(describe(kind, found))
        print_rich(scores_table(found))
    else:
        tell(describe(kind, found))


def show_diagnostics(path: Path, kind: str, found: Any, as_json: bool) -> None:
    """Print the diagnostics of a model's topics; of MALLET's diagnostics.xml those that it holds."""
    from tealeaves.measures.diagnostics import diagnostics
    from tealeaves.model import TopicModel

    if not isinstance(found, TopicModel):
        raise InputError(f"{path}: --diagnostics is for models of one time, but this is a {kind}")
    table = diagnostics(path if "MALLET's diagnostics" in found.source else found)
    if as_json:
        rows = [{k: None if v != v else v for k, v in row.items()} for row in table.to_dicts()]
        print_json({"path": str(path), "kind": kind, "diagnostics": rows})
        return
    click.echo("\t".join(table.columns))
    for topic, *values in table.rows():
        click.echo("\t".join([str(topic), *(f"{value:.4f}" for value in values)]))


def open_as(
    told: "Told", path: Path, trust: bool, shape: Mapping[str, Any], reading: Mapping[str, Any]
) -> Any:
    """What is in ``path``, read as what it was told to be; an error of that reader is final."""
    if told.kind == "scores":
        from tealeaves.scores import load_scores

        return load_scores(path)
    if told.kind == "index":
        from tealeaves.index import load_index

        return load_index(path)
    if told.kind == "list":
        from tealeaves.readers._files import read_text

        return [line.strip() for line in read_text(path).splitlines() if line.strip()]
    try:
        return _read(told, path, trust, shape, reading)
    except FormatError as error:
        if not told.why:
            raise
        other = "corpus" if told.kind == "model" else "model"
        raise InputError(f"{error} (taken for {told.what}, as {told.why}; or `--as {other}`)") from None


def _read(told: "Told", path: Path, trust: bool, shape: Mapping[str, Any], reading: Mapping[str, Any]) -> Any:
    if told.kind == "model":
        from tealeaves.model import read_model

        words = None if shape["vocabulary"] is None else read_words(shape["vocabulary"])
        return read_model(path, format=told.format, trust=trust, **{**shape, "vocabulary": words})
    how = {**reading, "format": told.format, "trust": trust, "vocabulary": shape["vocabulary"]}
    corpus = read_corpus(path, how)
    if told.why and not corpus.n_tokens:
        raise FormatError(
            path, f"as a corpus it would be {len(corpus):,} documents, all of them without words"
        )
    return corpus


def describe(kind: str, found: Any) -> dict[str, Any]:
    """What there is to say of it."""
    if kind == "corpus":
        return corpora.describe(found)
    if kind == "model":
        from tealeaves.dynamic import DynamicTopicModel

        return describe_dynamic(found) if isinstance(found, DynamicTopicModel) else describe_model(found)
    if kind == "list":
        return {"words": len(found), "first": found[:10]}
    return describe_scores(found) if kind == "scores" else describe_index(found)


def describe_model(model: "TopicModel") -> dict[str, Any]:
    """What there is to say of a model."""
    has = {
        "word weights": model.topic_word is not None,
        "topics of documents": model.doc_topic is not None,
        "topics of tokens": model.assignments is not None,
        "corpus": model.corpus is not None,
    }
    return {
        "source": model.source,
        "n_topics": model.n_topics,
        "vocabulary": len(model.vocabulary),
        "holds": [name for name, there in has.items() if there] or ["lists of words alone"],
        "topics": model.top_words(10),
        "notes": list(model.notes),
    }


def describe_dynamic(model: "DynamicTopicModel") -> dict[str, Any]:
    """What there is to say of topics over time: the words of each in its first slice and in its last."""
    has = {
        "word weights": model.topic_word is not None,
        "topics of documents": model.doc_topic is not None,
        "corpus": model.corpus is not None,
    }
    return {
        "source": model.source,
        "n_topics": model.n_topics,
        "n_slices": model.n_slices,
        "slices": list(model.slice_labels),
        "gaps": int((~model.present).sum()),
        "vocabulary": len(model.vocabulary),
        "holds": [name for name, there in has.items() if there] or ["lists of words alone"],
        "topics": first_and_last(model),
        "notes": list(model.notes),
    }


def first_and_last(model: "DynamicTopicModel") -> list[dict[str, list[str]]]:
    """The top words of each topic by slice: the first and the last that it is in."""
    words = model.top_words(SHOWN)
    topics = []
    for k in range(model.n_topics):
        there = [t for t in range(model.n_slices) if model.present[t, k]]
        topics.append({model.slice_labels[t]: words[t][k] for t in there[:1] + there[-1:]})
    return topics


def describe_scores(scores: "Scores") -> dict[str, Any]:
    """What there is to say of saved scores."""
    return {
        "models": scores.frame["model"].unique(maintain_order=True).to_list(),
        "measures": scores.frame["measure"].unique(maintain_order=True).to_list(),
        "rows": scores.frame.height,
        "settings": scores.details.settings,
        "warnings": list(scores.details.warnings),
    }


def describe_index(index: Any) -> dict[str, Any]:
    """What there is to say of an index."""
    return {
        name: getattr(index, name)
        for name in ("n_documents", "n_tokens", "fingerprint")
        if hasattr(index, name)
    }


def tell(it: Mapping[str, Any]) -> None:
    """Print it, a line for each thing."""
    for name, value in it.items():
        if name == "topics":
            tell_topics(value)
        elif isinstance(value, list | tuple):
            if value:
                click.echo(f"{name.replace('_', ' ')}: {', '.join(map(str, value))}")
        elif isinstance(value, Mapping):
            click.echo(f"{name}: {', '.join(f'{key} {item}' for key, item in value.items())}")
        elif value != "":
            click.echo(
                f"{name.replace('_', ' ')}: {value:,}" if isinstance(value, int) else f"{name}: {value}"
            )


def tell_topics(topics: Iterable[list[str] | dict[str, list[str]]]) -> None:
    """Print the words of topics, a line for each; those over time by slice."""
    for topic, words in enumerate(topics):
        if isinstance(words, dict):
            words = [" → ".join(f"{label}: {' '.join(top)}" for label, top in words.items())]
        click.echo(f"{topic:>3} {' '.join(words)}")
