"""``tealeaves inspect``: what a file or folder is, and what is in it."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands import corpus as corpora
from tealeaves.commands._common import (
    FILE,
    corpus_options,
    kind_of_folder,
    note,
    print_json,
    print_rich,
    read_corpus,
    shape_options,
    subcommand,
)
from tealeaves.errors import InputError, TealeavesError

if TYPE_CHECKING:
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.model import TopicModel
    from tealeaves.scores import Scores

# Endings that are of documents, not of topics; of the others, a model is the better guess.
DOCUMENTS = (".txt", ".jsonl", ".ndjson", ".tsv", ".parquet")

# Formats of corpora that are told by their content and no model has.
SURE = ("uci", "ldac", "svmlight", "mm", "low", "octis", "arrow", "mallet", "tokens")

SHOWN = 6  # words of a topic in a slice
SMALL = 1 << 16  # bytes: a longer file is no list of topics


@subcommand(
    """
    tealeaves inspect topics.json
    tealeaves inspect news.jsonl.gz --text body
    tealeaves inspect scores
    tealeaves inspect topic-state.gz --diagnostics
    """
)
@click.argument("path", type=FILE, metavar="FILE")
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
    trust: bool,
    diagnostics: bool,
    shape: Mapping[str, Any],
    reading: Mapping[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Say what FILE is - a corpus, a model, an index or a folder of scores - and what is in it."""
    kind, found = open_any(path, trust, reading, shape)
    if diagnostics:
        show_diagnostics(path, kind, found, as_json)
        return
    topics = also_topics(path) if kind == "corpus" else 0
    if topics:
        note(f"as a model it would be {topics} topics, one a line: `tealeaves evaluate {path}`", quiet)
    if as_json:
        print_json({"path": str(path), "kind": kind, **describe(kind, found)})
        return
    over_time = kind == "model" and hasattr(found, "slice_labels")
    article = "an" if kind == "index" else "a folder of" if kind == "scores" else "a"
    click.echo(f"{path}: {article} {'dynamic ' if over_time else ''}{kind}")
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


def open_any(
    path: Path, trust: bool, reading: Mapping[str, Any], shape: Mapping[str, Any]
) -> tuple[str, Any]:
    """Open ``path`` as what it is: (kind, what was read)."""
    saved = kind_of_folder(path)
    if saved == "scores":
        from tealeaves.scores import load_scores

        return saved, load_scores(path)
    if saved == "index":
        from tealeaves.index import load_index

        return saved, load_index(path)
    ways: list[tuple[str, Callable[..., Any]]] = [
        ("model", partial(_model, shape=shape)),
        ("corpus", _corpus),
    ]
    documents = set(path.suffixes) & set(DOCUMENTS) or any(reading.values()) or is_sure_corpus(path)
    if saved == "corpus" or (not saved and documents and not any(shape.values())):
        ways.reverse()
    if saved:
        ways = ways[:1]
    failures = []
    for kind, read in ways:
        try:
            return kind, read(path, trust, reading)
        except (TealeavesError, UnicodeError) as error:
            failures.append(f"as a {kind}: {error}")
    raise InputError(f"{path}: is nothing that tealeaves can read;\n  " + ";\n  ".join(failures))


def is_sure_corpus(path: Path) -> bool:
    """Whether ``path`` is of a format that only corpora have."""
    from tealeaves.readers._recognise_corpus import recognise_corpus

    try:
        return recognise_corpus(path) in SURE
    except (TealeavesError, OSError):
        return False


def also_topics(path: Path) -> int:
    """How many topics a small text file would be; 0 for what can only be a corpus."""
    from tealeaves.model import read_model

    if not path.is_file() or path.stat().st_size > SMALL:
        return 0
    try:
        return read_model(path).n_topics
    except (TealeavesError, UnicodeError):
        return 0


def _model(path: Path, trust: bool, reading: Mapping[str, Any], shape: Mapping[str, Any]) -> Any:
    from tealeaves.model import read_model

    return read_model(path, trust=trust, **shape)


def _corpus(path: Path, trust: bool, reading: Mapping[str, Any]) -> Any:
    return read_corpus(path, {**reading, "trust": trust})


def describe(kind: str, found: Any) -> dict[str, Any]:
    """What there is to say of it."""
    if kind == "corpus":
        return corpora.describe(found)
    if kind == "model":
        from tealeaves.dynamic import DynamicTopicModel

        return describe_dynamic(found) if isinstance(found, DynamicTopicModel) else describe_model(found)
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
