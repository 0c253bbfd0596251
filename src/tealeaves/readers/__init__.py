"""Readers of foreign formats, one file each; `read_model_from` finds out which one is wanted."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import missing
from tealeaves.model import TopicModel
from tealeaves.readers._formats import FORMATS, OBJECTS, object_format
from tealeaves.readers._recognise import recognise_model
from tealeaves.readers._vocabulary import words_of


def read_model_from(
    path_or_object: Any,
    format: str | None,
    trust: bool,
    vocabulary: Any,
    name: str | None,
    outliers: str,
    axes: str | None = None,
) -> TopicModel | DynamicTopicModel:
    """What `tealeaves.read_model` does."""
    options = {"vocabulary": words_of(vocabulary), "outliers": outliers, "axes": axes}
    if isinstance(path_or_object, str | os.PathLike):
        model = _read_path(Path(path_or_object), format, trust, options)
        found = Path(path_or_object).name.removesuffix(".gz").partition(".")[0]
    else:
        model = _read_object(path_or_object, options)
        found = type(path_or_object).__name__
    if name is not None or model.name == "model":
        model = replace(model, name=name or found or "model")
    return model


def takes_vocabulary(path: Path) -> bool:
    """Whether the model at ``path`` is of a format whose words may be handed over."""
    return "vocabulary" in FORMATS[recognise_model(path)].takes


def _read_path(
    path: Path, name: str | None, trust: bool, options: dict[str, Any]
) -> TopicModel | DynamicTopicModel:
    if not path.exists():
        raise missing(path)
    if name is None:
        name = recognise_model(path)
    elif name not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, got {name!r}")
    format = FORMATS[name]
    if options["vocabulary"] is not None and "vocabulary" not in format.takes:
        raise InputError(f"{path} is read as {format.what}, which has its own words: no vocabulary=")
    if options["axes"] is not None and "axes" not in format.takes:
        raise InputError(f"{path} is read as {format.what}, whose axes are known: no axes=")
    if format.pickled and not trust:
        found = f"is {format.what}, which can run any code when opened"
        raise FormatError(path, f"{found}: if you trust it, trust=True")
    try:
        model: TopicModel | DynamicTopicModel = format.read(path, options)
    except FormatError:
        raise
    except InputError as error:  # what it holds fits no model
        raise FormatError(path, f"was read as {format.what}, but {error}") from None
    return model if model.source else replace(model, source=f"{path.name} ({format.what})")


def _read_object(thing: Any, options: dict[str, Any]) -> TopicModel | DynamicTopicModel:
    if isinstance(thing, TopicModel | DynamicTopicModel):
        return thing
    format = object_format(thing)
    if format is None:
        found = f"{type(thing).__module__}.{type(thing).__qualname__}"
        known = ", ".join(OBJECTS)
        raise InputError(f"read_model takes a path or a fitted object of {known}, but this is a {found}")
    for name, has in (("vocabulary", "words"), ("axes", "axes")):
        if options[name] is not None and name not in format.takes:
            raise InputError(f"a {type(thing).__name__} has its own {has}: no {name}=")
    model: TopicModel | DynamicTopicModel = format.read(thing, options)
    return model
