"""``tealeaves convert``: a model or a corpus in another form."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import (
    FILE,
    check_folder_for,
    corpus_options,
    print_json,
    read_corpus,
    read_words,
    shape_options,
    subcommand,
)
from tealeaves.commands._kind import kind_option, what_is
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.model import TopicModel
    from tealeaves.readers._kinds import Told


def list_formats(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """``--to list``: print the formats and leave, before IN and OUT are asked for."""
    if value == "list" and not context.resilient_parsing:
        for kind, names in _formats().items():
            click.echo(f"{kind}: {', '.join(names)}")
        context.exit()
    return value


OVER_TIME = ["slices"]  # formats that only topics over time have


@subcommand(
    """
    tealeaves convert topic-state.gz lda-20
    tealeaves convert lda-20 topics.json --top 20
    tealeaves convert lda-20 vis.json --to pyldavis
    tealeaves convert news.jsonl news.ldac --text body --min-df 5
    """
)
@click.argument("source", type=FILE, metavar="IN")
@click.argument("target", type=FILE, metavar="OUT")
@click.option(
    "--to",
    metavar="NAME",
    is_eager=True,
    callback=list_formats,
    help="Format of OUT, where its name does not tell; --to list lists them.",
)
@kind_option
@click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Words of a topic in lists.",
)
@click.option(
    "--vocabulary", metavar="PATH", type=FILE, help="Words of a bare matrix, one a line, in its order."
)
@click.option(
    "--trust", is_flag=True, help="Open files that can run code (pickles); only of people you trust."
)
@shape_options
@corpus_options
def command(
    source: Path,
    target: Path,
    to: str | None,
    kind: str | None,
    top: int,
    vocabulary: Path | None,
    trust: bool,
    shape: Mapping[str, Any],
    reading: Mapping[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Turn the model or corpus IN into OUT, in the format that its name tells or --to names.

    A model: .json or .csv (lists of words), .npz (OCTIS), or without an ending a folder that keeps
    everything; with --to also json-weights, csv-weights, octis-json, mallet (a folder) and pyldavis. A
    corpus: .txt, .jsonl, .parquet, .ldac, .uci, .svmlight, .mm, .low, .mallet, or a folder.
    """
    if target.exists() and source.exists() and target.samefile(source):
        raise InputError(f"{target}: is what would be read; give OUT another name")
    target_kind, named = _kind_of_target(target, to)
    told = _told(source, kind, {**shape, "vocabulary": vocabulary}, reading, target_kind)
    if target_kind is not None and told.kind != target_kind:
        holds = f"a {told.kind}" + (f" ({told.what})" if told.what else "")
        fix = f"for {PLURAL[told.kind]} there are {', '.join(_formats()[PLURAL[told.kind]])}"
        raise InputError(f"{source}: is {holds}, but {named} is for {PLURAL[target_kind]}; {fix}")
    found: Any
    if told.kind == "corpus":
        found = read_corpus(
            source, {**reading, "format": told.format, "vocabulary": vocabulary, "trust": trust}
        )
        notes = [*found.notes, *_write_corpus(found, target, to)]
        said = {"documents": len(found), "words": len(found.vocabulary)}
    else:
        from tealeaves.model import read_model

        words = None if vocabulary is None else read_words(vocabulary)
        found = read_model(source, format=told.format, trust=trust, vocabulary=words, **shape)
        notes = [*found.notes, *_write_model(found, target, to, top)]
        said = {"topics": found.n_topics}
    if as_json:
        print_json({"written": str(target), **said, "notes": notes})
    elif not quiet:
        parts = ", ".join(f"{value:,} {name}" for name, value in said.items())
        click.echo(f"{target}: {parts} of {source}")
        for text in notes:
            click.echo(f"Note: {text}", err=True)


PLURAL = {"model": "models", "corpus": "corpora"}


def _formats() -> dict[str, list[str]]:
    from tealeaves.writers import corpora, models

    return {"models": [*models.WRITERS, *OVER_TIME], "corpora": list(corpora.WRITERS)}


def _kind_of_target(target: Path, to: str | None) -> tuple[str | None, str]:
    """The one kind that can go to OUT, and what says so; None where both can, or its name tells nothing."""
    from tealeaves.writers import corpora, models

    known = _formats()
    if to is not None and to not in {name for names in known.values() for name in names}:
        listed = "; ".join(f"of {kind}: {', '.join(names)}" for kind, names in known.items())
        raise InputError(f"--to takes a format's name, not {to!r}; there are, {listed}")
    if to is not None:
        kinds = [kind for kind, names in PLURAL.items() if to in known[names]]
        return (kinds[0] if len(kinds) == 1 else None), f"--to {to}"
    ending = target.suffix.lower()
    endings = {"model": models.ENDINGS, "corpus": corpora.ENDINGS}
    kinds = [kind for kind, of in endings.items() if ending in of]
    return (kinds[0] if len(kinds) == 1 else None), ending


def _told(
    source: Path,
    kind: str | None,
    shape: Mapping[str, Any],
    reading: Mapping[str, Any],
    target_kind: str | None,
) -> "Told":
    """What IN is; where it could be either, what OUT is for."""
    told = what_is(source, kind, shape, reading)
    if told.why and target_kind is not None and told.kind != target_kind:
        told = what_is(source, target_kind, shape, {**reading, "format": None})._replace(
            format=reading["format"]
        )
    if told.kind not in PLURAL:
        holds = told.what or {"scores": "a folder of scores", "index": "an index"}[told.kind]
        raise InputError(f"{source}: is {holds}, but a model or a corpus was expected")
    return told


def _write_corpus(corpus: "Corpus", target: Path, to: str | None) -> tuple[str, ...]:
    from tealeaves.writers.corpora import write_corpus

    if to is None and not target.suffix:
        check_folder_for(target, "corpus")
        corpus.save(target)
        return ()
    return write_corpus(corpus, target, to)


def _write_model(
    model: "TopicModel | DynamicTopicModel", target: Path, to: str | None, top: int
) -> tuple[str, ...]:
    from tealeaves.model import TopicModel
    from tealeaves.writers.dynamic import write_dynamic
    from tealeaves.writers.models import ENDINGS, write_model

    if (to or ENDINGS.get(target.suffix.lower())) == "tealeaves":
        check_folder_for(target, "model" if isinstance(model, TopicModel) else "dynamic")
    if isinstance(model, TopicModel):
        if to in OVER_TIME:
            raise InputError(f"--to {to} is for topics over time, but model {model.name!r} has one time")
        return write_model(model, target, to, top=top)
    return write_dynamic(model, target, to, top=top)
