"""What `inspect` and `convert` take a file for: what is said of it, else what `readers._kinds` tells."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tealeaves.commands._common import kind_of_folder
from tealeaves.errors import FormatError, InputError

if TYPE_CHECKING:
    from tealeaves.readers._kinds import Told

Function = TypeVar("Function", bound=Callable[..., Any])


def kind_option(function: Function) -> Function:
    """``--as``: what to take a file for that could be either."""
    help = "What to take a file for that could be either."
    return click.option("--as", "kind", type=click.Choice(["model", "corpus"]), help=help)(function)


def what_is(path: Path, kind: str | None, shape: Mapping[str, Any], reading: Mapping[str, Any]) -> "Told":
    """What ``path`` is to be read as.

    In this order: what tealeaves saved; ``--as``; a ``--format`` that only one kind has; options that only
    one kind has (``--text`` and the like, ``--axes`` and the like); what the content tells.

    Raises
    ------
    InputError
        If the format does not exist or is of the other kind; or nothing that is known is there.
    """
    from tealeaves.readers._formats import FORMATS
    from tealeaves.readers._kinds import Told, kind_of
    from tealeaves.readers._recognise_corpus import CORPUS_FORMATS

    saved = kind_of_folder(path)
    if saved:
        return Told("model" if saved == "dynamic" else saved)  # type: ignore[arg-type]
    format = reading["format"]
    of = [name for name, known in (("model", FORMATS), ("corpus", CORPUS_FORMATS)) if format in known]
    if format is not None and not of:
        known = f"of models: {', '.join(FORMATS)}; of corpora: {', '.join(CORPUS_FORMATS)}"
        raise InputError(f"--format takes a format's name, not {format!r}; there are, {known}")
    if format is not None and kind is not None and kind not in of:
        raise InputError(f"--format {format} is of a {of[0]}, but --as says {kind}")
    if kind is None and len(of) == 1:
        kind = of[0]
    if kind is None and any(value for name, value in reading.items() if name != "format"):
        kind = "corpus"
    if kind is None and any(value for name, value in shape.items() if name != "vocabulary"):
        kind = "model"
    if kind is None:
        told = kind_of(path)
        return told if format is None else told._replace(format=format)
    if kind == "corpus" and format is None and path.is_file():
        format = _of_corpus(path)
    return Told(kind, format)  # type: ignore[arg-type]


def _of_corpus(path: Path) -> str | None:
    """The format of what is said to be a corpus: text where nothing tells; None: its reader finds out."""
    from tealeaves.readers._recognise_corpus import recognise_corpus

    try:
        recognise_corpus(path)
    except FormatError:
        return None
    except InputError:
        return "text"
    return None
