"""What sub-commands share: their options, reading what the options name, and printing."""

import functools
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tealeaves.cli import Sections
from tealeaves.errors import InputError, TealeavesError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.preprocess import Preprocess

Function = TypeVar("Function", bound=Callable[..., Any])
# The file by which a folder that tealeaves saved is known.
MARKS = {
    "corpus": "corpus.json",
    "model": "model.json",
    "dynamic": "dynamic.json",
    "scores": "scores.json",
    "index": "index.json",
}
KINDS = {
    "corpus": "a corpus",
    "model": "a model",
    "dynamic": "a model over time",
    "scores": "scores",
    "index": "an index",
}


class _PathOrUrl(click.Path):
    """A path, or the URL of a corpus in an object store, which stays text."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if isinstance(value, str) and "://" in value else super().convert(value, param, ctx)


PLACE = _PathOrUrl(path_type=Path)
NUMBERS = (type(click.INT), type(click.FLOAT))  # with a range, too
FILE = click.Path(path_type=Path)  # existence is the reader's to check: a missing file is status 1, not 2


def complete_measures(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The measures, other names and groups that begin so, for the Tab key; of several, the last."""
    from tealeaves.measures._table import ALIASES, GROUPS, measures

    before, comma, last = begun.rpartition(",")
    names = [*(measure.name for measure in measures()), *ALIASES, *GROUPS]
    return [before + comma + name for name in dict.fromkeys(names) if name.startswith(last)]


def subcommand(examples: str, name: str | None = None) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a sub-command with ``--json`` and ``--quiet``, whose help ends with ``examples``."""
    epilog = "Examples:\n" + "\n".join(f"  {line.strip()}" for line in examples.strip().splitlines())

    def make(function: Callable[..., Any]) -> click.Command:
        for option in (
            click.option("--quiet", "-q", is_flag=True, help="No progress and no notes on stderr."),
            click.option(
                "--json", "as_json", is_flag=True, help="Print JSON on stdout and nothing else there."
            ),
        ):
            function = option(function)
        function = in_options(function)
        made = click.command(name, cls=Sections, epilog=epilog)(function)
        for param in made.params:
            if isinstance(param, click.Option) and isinstance(param.type, NUMBERS) and not param.metavar:
                param.metavar = "N"  # click's own would be "INTEGER RANGE"
        made.params.sort(key=lambda param: param.name in ("as_json", "quiet"))  # last in the help
        return made

    return make


def in_options(function: Function) -> Function:
    """Make what an error says of arguments, ``trust=True``, say it of the command's options, ``--trust``."""

    @functools.wraps(function)
    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TealeavesError as error:
            context = click.get_current_context(silent=True)
            if context is not None and len(error.args) == 1 and isinstance(error.args[0], str):
                names = {str(param.name): param.opts[0] for param in context.command.params}
                names = {name: option for name, option in names.items() if option.startswith("--")}
                error.args = (as_options(error.args[0], names),)
            raise

    return told  # type: ignore[return-value]


def as_options(message: str, names: Mapping[str, str]) -> str:
    """A message with options, by the names of the arguments that they stand for.

    Examples
    --------
    >>> names = {"trust": "--trust", "vocabulary": "--vocabulary", "axes": "--axes"}
    >>> as_options("say trust=True, vocabulary= or axes='word topic'", names)
    "say --trust, --vocabulary or --axes 'word topic'"
    >>> as_options("hand over vocabulary= (--vocabulary)", names)
    'hand over --vocabulary'
    """

    def option(match: "re.Match[str]") -> str:
        name, value = names.get(match[1]), match[2] or ""
        if name is None:
            return match[0]
        if value in ("", "True"):
            return name
        return f"{name} {value if ' ' in value else value.strip(chr(34) + chr(39))}"

    said = re.sub(r"(?<![\w-])([a-z_]+)=(True\b|\"[^\"]*\"|'[^']*'|)(?![\w=])", option, message)
    return re.sub(r"(--[a-z-]+) \(\1\)", r"\1", said)  # a message that had named both


def corpus_options(function: Function) -> Function:
    """The options that say how a corpus is to be read; the function gets them as ``reading=``."""
    options = {
        "text": click.option("--text", metavar="FIELD", help="Field or column that holds the text."),
        "id": click.option("--id", metavar="FIELD", help="Field that names the document."),
        "time": click.option("--time", metavar="FIELD", help="Field that holds the time slice."),
        "label": click.option("--label", metavar="FIELD", help="Field that holds the label(s)."),
        "tokenized": click.option("--tokenized", is_flag=True, help="Tokens stand already apart, by blanks."),
        "stop_words": click.option(
            "--stop-words",
            metavar="LANG|FILE",
            help="Words to leave out: a language (english) or a file, one a line.",
        ),
        "min_length": click.option(
            "--min-length",
            metavar="N",
            type=click.IntRange(min=1),
            help='Leave out words of fewer letters: 3 leaves out the "s" of "court\'s".',
        ),
        "min_df": click.option(
            "--min-df",
            metavar="N|SHARE",
            type=count,
            help="Leave out words in fewer documents: 5, or 0.01.",
        ),
        "max_df": click.option(
            "--max-df",
            metavar="N|SHARE",
            type=count,
            help="Leave out words in more documents: 900, or 0.5.",
        ),
        "format": click.option(
            "--format",
            metavar="NAME",
            help="Format of the corpus, where neither its content nor its name tells: text, tokens, folder, "
            "csv, tsv, jsonl, parquet, arrow, mallet, low, octis; of counts: uci, ldac, svmlight, mm, npz.",
        ),
        "partition": click.option(
            "--partition", metavar="NAME", help="Only this part of an OCTIS folder, or split of a dataset."
        ),
    }

    @functools.wraps(function)
    def gathered(*args: Any, **kwargs: Any) -> Any:
        return function(*args, reading={name: kwargs.pop(name) for name in options}, **kwargs)

    for option in reversed(options.values()):
        gathered = option(gathered)
    return gathered  # type: ignore[return-value]


def count(value: str) -> int | float:
    """Read a number of documents (whole) or a share of them (with a point)."""
    if re.fullmatch(r"[0-9]+", value):
        return int(value)
    try:
        share = float(value)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        wanted = "a whole number of documents or a share from 0.0 to 1.0"
        raise click.BadParameter(f"{value!r} is not {wanted}")
    return share


def seed_option(function: Function) -> Function:
    """``--seed``: the same seed gives the same numbers."""
    text = "Same seed, same numbers, on any number of workers."
    return click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help=text)(
        function
    )


def workers_option(function: Function) -> Function:
    """``--workers``: threads that count."""
    text = "Threads to use; as many as there are cores if not given."
    return click.option("--workers", type=click.IntRange(min=1), help=text)(function)


def cluster_option(function: Function) -> Function:
    """``--cluster``: where to work instead of here."""
    text = "Work on Dask: local:N starts N processes, tcp://HOST:PORT is a scheduler."
    return click.option("--cluster", metavar="ADDRESS", help=text)(function)


def read_corpus(path: Path, reading: Mapping[str, Any]) -> "Corpus":
    """The corpus at ``path``: one that tealeaves saved, or any file that ``read_corpus`` reads."""
    from tealeaves import corpus as corpora

    refuse_other(path, "corpus")
    given = reading_options(path, reading)
    if is_saved_corpus(path):
        return corpora.load_corpus(path)
    from tealeaves.terminal import progress

    context = click.get_current_context(silent=True)
    with progress("Reading", quiet=context is None or bool(context.params.get("quiet"))):
        return corpora.read_corpus(path, **given)


def reading_options(path: Path, reading: Mapping[str, Any]) -> dict[str, Any]:
    """What the options say of how a corpus is to be read; one that tealeaves saved is read as it is."""
    fields = ("text", "id", "time", "label", "format", "partition", "vocabulary")
    given = {key: reading[key] for key in fields if reading.get(key) is not None}
    preprocess = preprocessing(reading)
    if is_saved_corpus(path) and (given or preprocess or reading["tokenized"]):
        unread = "is a corpus that tealeaves saved; it is read as it is, without --text or --min-df"
        raise InputError(f"{path}: {unread}")
    tokenized = reading["tokenized"] and preprocess is None  # else the preprocessing cuts at the blanks
    return {
        **given,
        "preprocess": preprocess,
        "tokenized": tokenized,
        "trust": reading.get("trust", False),
    }


def preprocessing(reading: Mapping[str, Any]) -> "Preprocess | None":
    """The preprocessing that the options ask for; None where they ask for none."""
    names = ("min_df", "max_df", "min_length")
    asked = {key: reading[key] for key in names if reading.get(key) is not None}
    if reading["stop_words"] is not None:
        named = Path(reading["stop_words"])
        asked["stop_words"] = named if named.is_file() else reading["stop_words"]
    if not asked:
        return None
    from tealeaves.preprocess import Preprocess

    if reading["tokenized"]:
        return Preprocess(tokenizer=str.split, lower=False, **asked)
    return Preprocess(**asked)


def shape_options(function: Function) -> Function:
    """``--slices``, ``--axes`` and ``--outliers`` of models; the function gets those given as ``shape=``."""
    options = {
        "slices": click.option(
            "--slices",
            metavar="FILE|LIST",
            help="Names of the slices of a model over time, one a line or by commas, in order.",
        ),
        "axes": click.option(
            "--axes",
            metavar="AXES",
            help="Axes of a bare array where its shape does not tell: 'word topic', 'time topic word'.",
        ),
        "outliers": click.option(
            "--outliers",
            type=click.Choice(["drop", "keep"]),
            help="Topic -1, which BERTopic has for documents that fit none. [drop]",
        ),
    }

    @functools.wraps(function)
    def gathered(*args: Any, **kwargs: Any) -> Any:
        slices, axes, outliers = (kwargs.pop(name) for name in options)
        labels = None if slices is None else read_slices(slices)
        shape = {"axes": axes, "slice_labels": labels}
        return function(*args, shape=shape if outliers is None else {**shape, "outliers": outliers}, **kwargs)

    for option in reversed(options.values()):
        gathered = option(gathered)
    return gathered  # type: ignore[return-value]


def read_slices(value: str) -> list[str]:
    """The names of slices in a file, one a line, or by commas.

    Examples
    --------
    >>> read_slices("1990, 1991")
    ['1990', '1991']
    """
    if Path(value).is_file():
        return read_words(Path(value))
    if "," not in value:
        check_exists(Path(value))  # meant as a file, most likely
    return [label.strip() for label in value.split(",") if label.strip()]


def read_words(path: Path) -> list[str]:
    """The words of a file, one a line; blank lines are none."""
    return [line.strip() for line in path.read_text("utf-8-sig").splitlines() if line.strip()]


def read_models(
    paths: Iterable[Path],
    *,
    trust: bool = False,
    vocabulary: "list[str] | None" = None,
    shape: Mapping[str, Any] | None = None,
) -> "dict[str, Any]":
    """The models at ``paths``, also those over time, by distinct names.

    A name is the file's stem, with its folder's where two are the same.

    The vocabulary, and the axes of ``shape``, are for those that may lack them, its slice_labels for those
    over time; that there is none of these is an error.
    """
    from tealeaves.model import read_model
    from tealeaves.readers import NoSlices, takes

    paths = list(paths)
    for path in paths:
        refuse_other(path, "model", "dynamic")
    given = {"vocabulary": vocabulary, **(shape or {})}
    of: dict[Path, dict[str, Any]] = {path: {} for path in paths}
    for argument, value in given.items():
        everywhere = value is None or argument in ("slice_labels", "outliers")
        lacking = paths if everywhere else [path for path in paths if takes(path, argument)] or paths
        for path in lacking:
            of[path][argument] = value
    models: dict[str, Any] = {}
    static: list[NoSlices] = []
    for name, path in zip(distinct_names(paths), paths, strict=True):
        try:
            models[name] = read_model(path, trust=trust, **of[path])
        except NoSlices as error:
            static.append(error)
            models[name] = read_model(path, trust=trust, **{**of[path], "slice_labels": None})
    if static and len(static) == len(models):
        raise static[0]
    return models


def distinct_names(paths: "list[Path]") -> list[str]:
    """A short name for each path, no two the same."""

    def stem(path: Path) -> str:
        name = path.resolve().name
        while Path(name).suffix.lower() in {
            ".gz",
            ".zst",
            ".json",
            ".jsonl",
            ".csv",
            ".tsv",
            ".txt",
            ".npz",
            ".npy",
        }:
            name = Path(name).stem
        return name or str(path)

    names = [stem(path) for path in paths]
    if len(set(names)) < len(names):  # the folder tells them apart: runs/1/topics.json, runs/2/topics.json
        names = [
            f"{path.resolve().parent.name}/{name}" if names.count(name) > 1 else name
            for path, name in zip(paths, names, strict=True)
        ]
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return unique


def is_saved_corpus(path: Path) -> bool:
    """Whether ``path`` is a folder that ``Corpus.save`` wrote."""
    return kind_of_folder(path) == "corpus"


def kind_of_folder(path: Path) -> str:
    """What tealeaves saved in a folder: corpus, model, scores or index; "" if it saved nothing there."""
    return next((kind for kind, file in MARKS.items() if (path / file).is_file()), "")


def refuse_other(path: Path, *kinds: str) -> None:
    """Refuse a folder in which tealeaves saved something else than what is wanted."""
    found = kind_of_folder(path)
    if found and found not in kinds:
        indexed = "; count in it by --reference" if found == "index" else ""
        raise InputError(f"{path}: holds {KINDS[found]} that tealeaves saved, not {KINDS[kinds[0]]}{indexed}")


def check_exists(path: Path | str | None) -> None:
    """Miss a file at once, not after minutes of reading the others."""
    if isinstance(path, Path) and not path.exists():
        from tealeaves.folders import missing

        raise missing(path)


def check_folder_for(path: Path, kind: str) -> None:
    """Refuse, before the long work, to write into a file or into a folder that holds something else."""
    if path.is_symlink() and not path.exists():
        raise InputError(f"{path}: is a link that leads nowhere")
    if path.exists() and not path.is_dir():
        raise InputError(f"{path}: is a file; name a new folder for the {kind}")
    saved = kind_of_folder(path)
    if saved and saved != kind:
        raise InputError(f"{path}: holds {KINDS[saved]}; name a new folder for the {kind}")
    if path.is_dir() and not saved:
        # Scores may lie beside other files; a model, corpus or index takes its folder's place.
        theirs = path / "report.html" if kind == "scores" else next(path.iterdir(), None)
        if theirs is not None and theirs.exists():
            raise InputError(f"{theirs}: would be lost; name a new folder for the {kind}")
    above = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not above.is_dir():
        raise InputError(f"{path}: cannot be made, because {above} is a file")
    if not os.access(above, os.W_OK):
        raise InputError(f"{path}: cannot be written, no permission in {above}")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    from tealeaves.folders import write_text

    write_text(path, text)


def read_reference(path: Path | str, reading: Mapping[str, Any]) -> Any:
    """What to count in: an index that tealeaves saved, or a corpus, also one in an object store."""
    if isinstance(path, str):
        from tealeaves.corpus import load_corpus

        return load_corpus(path)
    if kind_of_folder(path) == "index":
        from tealeaves.index import load_index

        return load_index(path)
    return read_corpus(path, reading)


def print_json(value: Any) -> None:
    """Print strict JSON: what is no number is null, letters are escaped where stdout is not UTF-8."""
    from tealeaves.scores_export import plain

    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    click.echo(json.dumps(plain(value), ensure_ascii=not unicode, allow_nan=False, indent=2))


def note(message: str, quiet: bool) -> None:
    """Say something on stderr that the reader of stdout did not ask for."""
    if not quiet:
        click.echo(f"Note: {message}", err=True)


def print_rich(*renderables: Any) -> None:
    """Print on stdout, as wide as the terminal; into a pipe or file, wide enough for a table."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    for renderable in renderables:
        console.print(renderable)


def print_markdown(text: str) -> None:
    """Print a page of Markdown: drawn on a terminal, as it stands into a pipe or file."""
    if not sys.stdout.isatty():
        return click.echo(text)
    from rich.markdown import Markdown

    return print_rich(Markdown(text))
