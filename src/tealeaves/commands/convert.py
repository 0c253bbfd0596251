"""``tealeaves convert``: a model or a corpus in another form."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import (
    FILE,
    check_folder_for,
    corpus_options,
    kind_of_folder,
    print_json,
    read_corpus,
    read_words,
    shape_options,
    subcommand,
)
from tealeaves.errors import InputError, TealeavesError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.model import TopicModel

DOCUMENTS = (".jsonl", ".ndjson", ".parquet")  # endings that no model has


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
    "--to", metavar="NAME", help="Format of OUT, where its name does not tell; --to list lists them."
)
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
    words = None if vocabulary is None else read_words(vocabulary)
    known = _formats()
    if to is not None and to not in {name for names in known.values() for name in names}:
        listed = "; ".join(f"of {kind}: {', '.join(names)}" for kind, names in known.items())
        raise InputError(f"--to takes a format's name, not {to!r}; there are, {listed}")
    found: Any
    if _is_corpus(source, target, to, reading, known):
        found = read_corpus(source, reading)
        notes = [*found.notes, *_write_corpus(found, target, to)]
        said = {"documents": len(found), "words": len(found.vocabulary)}
    else:
        from tealeaves.model import read_model

        found = read_model(source, format=reading["format"], trust=trust, vocabulary=words, **shape)
        notes = [*found.notes, *_write_model(found, target, to, top)]
        said = {"topics": found.n_topics}
    if as_json:
        print_json({"written": str(target), **said, "notes": notes})
    elif not quiet:
        parts = ", ".join(f"{value:,} {name}" for name, value in said.items())
        click.echo(f"{target}: {parts} of {source}")
        for text in notes:
            click.echo(f"Note: {text}", err=True)


def _formats() -> dict[str, list[str]]:
    from tealeaves.writers import corpora, models

    return {"models": [*models.WRITERS, "slices"], "corpora": list(corpora.WRITERS)}


def _is_corpus(
    source: Path, target: Path, to: str | None, reading: Mapping[str, Any], known: Mapping[str, list[str]]
) -> bool:
    """Whether IN is documents: what it is kept as, how it is to be read, or where it is to go tells."""
    from tealeaves.readers._formats import FORMATS
    from tealeaves.writers import corpora, models

    saved = kind_of_folder(source)
    if saved:
        return saved == "corpus"
    if any(value for name, value in reading.items() if name != "format"):
        return True
    if reading["format"] is not None:
        return reading["format"] not in FORMATS
    if to is not None and (to in known["corpora"]) != (to in known["models"]):
        return to in known["corpora"]
    ending = target.suffix.lower()
    if ending and (ending in corpora.ENDINGS) != (ending in models.ENDINGS):
        return ending in corpora.ENDINGS
    return bool(set(source.suffixes) & set(DOCUMENTS)) or not _may_be_model(source)


def _may_be_model(path: Path) -> bool:
    from tealeaves.readers._recognise import recognise_model

    try:
        recognise_model(path)
    except (TealeavesError, OSError):
        return not path.exists() or path.is_file()  # then the reader of models says what is wrong
    return True


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
        return write_model(model, target, to, top=top)
    return write_dynamic(model, target, to, top=top)
