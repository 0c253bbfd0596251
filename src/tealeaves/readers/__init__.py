"""Readers of foreign formats, one file each; `read_model_from` finds out which one is wanted."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, InputError
from tealeaves.folders import missing
from tealeaves.model import TopicModel
from tealeaves.readers._recognise import MODEL_FORMATS, recognise_model
from tealeaves.readers._vocabulary import words_of

OBJECTS = (
    "sklearn",
    "gensim",
    "tomotopy",
    "bertopic",
    "pandas",
    "polars",
)  # libraries whose objects are known
PICKLED = ("gensim", "tomotopy")  # opened only by their own library, and only if trusted
TAKES_VOCABULARY = ("arrays", "lda-c", "sklearn", "gensim")


def read_model_from(
    path_or_object: Any, format: str | None, trust: bool, vocabulary: Any, name: str | None, outliers: str
) -> TopicModel:
    """What `tealeaves.read_model` does."""
    words = words_of(vocabulary)
    if isinstance(path_or_object, str | os.PathLike):
        model = _read_path(Path(path_or_object), format, trust, words, outliers)
        found = Path(path_or_object).name.removesuffix(".gz").partition(".")[0]
    else:
        model = _read_object(path_or_object, words, outliers)
        found = type(path_or_object).__name__
    if name is not None or model.name == "model":
        model = replace(model, name=name or found or "model")
    return model


def takes_vocabulary(path: Path) -> bool:
    """Whether the model at ``path`` is of a format whose words may be handed over."""
    return recognise_model(path) in TAKES_VOCABULARY


def _read_path(
    path: Path, format: str | None, trust: bool, words: tuple[str, ...] | None, outliers: str
) -> TopicModel:
    if not path.exists():
        raise missing(path)
    if format is None:
        format = recognise_model(path)
    elif format not in MODEL_FORMATS:
        raise InputError(f"format must be one of {', '.join(MODEL_FORMATS)}, got {format!r}")
    if words is not None and format not in TAKES_VOCABULARY:
        raise InputError(
            f"{path} is read as {MODEL_FORMATS[format]}, which has its own words: no vocabulary="
        )
    if format in PICKLED and not trust:
        what = MODEL_FORMATS[format]
        raise FormatError(path, f"is {what}, which can run any code when opened: if you trust it, trust=True")
    try:
        model = _reader(format, path, words, outliers)
    except FormatError:
        raise
    except InputError as error:  # what it holds fits no model
        raise FormatError(path, f"was read as {MODEL_FORMATS[format]}, but {error}") from None
    return model if model.source else replace(model, source=f"{path.name} ({MODEL_FORMATS[format]})")


def _reader(format: str, path: Path, words: tuple[str, ...] | None, outliers: str) -> TopicModel:
    """The model, by the reader of its format; each is imported only here."""
    match format:
        case "tealeaves":
            from tealeaves.model_store import load

            return load(path)
        case "json":
            from tealeaves.readers.topics_json import read_topics_json

            return read_topics_json(path, outliers=outliers)
        case "csv":
            from tealeaves.readers.topics_csv import read_topics_csv

            return read_topics_csv(path, outliers=outliers)
        case "text":
            from tealeaves.readers.topics_text import read_topics_text

            return read_topics_text(path)
        case "arrays":
            from tealeaves.readers.arrays import read_arrays

            return read_arrays(path, words)
        case "mallet-state":
            from tealeaves.readers.mallet import read_mallet_state

            return read_mallet_state(path)
        case "mallet-keys":
            from tealeaves.readers.mallet import read_mallet_keys

            return read_mallet_keys(path)
        case "lda-c":
            from tealeaves.readers.ldac import read_ldac

            return read_ldac(path, words)
        case "bertopic":
            from tealeaves.readers.bertopic import read_bertopic

            return read_bertopic(path, outliers=outliers)
        case "gensim":
            from tealeaves.readers.gensim import read_gensim_save

            return read_gensim_save(path, words)
        case "tomotopy":
            from tealeaves.readers.tomotopy import read_tomotopy_save

            return read_tomotopy_save(path)
        case "r":
            from tealeaves.readers.r import read_r

            return read_r(path)
    raise InputError(f"there is no reader of {format!r}")


def _read_object(thing: Any, words: tuple[str, ...] | None, outliers: str) -> TopicModel:
    """A model from a library's object, which is known by the module of its class: nothing is imported."""
    if isinstance(thing, TopicModel):
        return thing
    modules = {cls.__module__.partition(".")[0] for cls in type(thing).__mro__}
    if "sklearn" in modules:
        from tealeaves.readers.sklearn import read_sklearn

        return read_sklearn(thing, words)
    if "gensim" in modules:
        from tealeaves.readers.gensim import read_gensim

        return read_gensim(thing, words)
    if words is not None:
        raise InputError(f"a {type(thing).__name__} has its own words: no vocabulary=")
    if "tomotopy" in modules or "_tomotopy" in "".join(modules):
        from tealeaves.readers.tomotopy import read_tomotopy

        return read_tomotopy(thing)
    if "bertopic" in modules:
        return TopicModel.from_words(thing.get_topics(), outliers=outliers, source="BERTopic")
    if modules & {"pandas", "polars"} or isinstance(thing, list | tuple | dict):
        return TopicModel.from_words(thing, outliers=outliers)
    known = ", ".join(OBJECTS)
    found = f"{type(thing).__module__}.{type(thing).__qualname__}"
    raise InputError(f"read_model takes a path or a fitted object of {known}, but this is a {found}")
