"""Readers of foreign formats, one file each; `read_model_from` finds out which one is wanted."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import missing
from tealeaves.model import TopicModel
from tealeaves.readers._files import check_regular
from tealeaves.readers._formats import FORMATS, OBJECTS, object_format
from tealeaves.readers._recognise import recognise_model
from tealeaves.readers._vocabulary import words_of

LOOSE = ("text", "csv", "markdown")  # formats that other things may look like


class NoSlices(InputError):
    """Names of slices were handed over for a model without topics over time."""


def read_model_from(
    path_or_object: Any,
    format: str | None,
    trust: bool,
    vocabulary: Any,
    name: str | None,
    outliers: str,
    axes: str | None = None,
    slice_labels: Any = None,
) -> TopicModel | DynamicTopicModel:
    """What `tealeaves.read_model` does."""
    labels = None if slice_labels is None else _labels(slice_labels)
    options = {
        "vocabulary": words_of(vocabulary),
        "outliers": outliers,
        "axes": axes,
        "slice_labels": labels,
    }
    found_at = isinstance(path_or_object, str | os.PathLike)
    if found_at:
        model = _read_path(Path(path_or_object), format, trust, options)
        found = Path(path_or_object).name.removesuffix(".gz").partition(".")[0]
    else:
        model = _read_object(path_or_object, options)
        found = type(path_or_object).__name__
    if labels is not None:
        model = _relabelled(model, labels, str(path_or_object) if found_at else f"the {found}")
    if name is not None or model.name == "model":
        model = replace(model, name=name or found or "model")
    return model


def takes(path: Path, argument: str) -> bool:
    """Whether the model at ``path`` is of a format that its words or axes may be handed over for."""
    format = recognise_model(path)
    if format == "json" and argument == "vocabulary":
        from tealeaves.readers.topics_json import lacks_words

        return lacks_words(path)
    return argument in FORMATS[format].takes


def _labels(slice_labels: Any) -> tuple[Any, ...]:
    if isinstance(slice_labels, str) or not isinstance(slice_labels, Iterable):
        raise InputError(f"slice_labels must be a list with a name for each slice, not {slice_labels!r}")
    return tuple(slice_labels)


def _relabelled(
    model: TopicModel | DynamicTopicModel, labels: tuple[Any, ...], what: str
) -> TopicModel | DynamicTopicModel:
    """The model with other names of its slices, and those of its documents' the same."""
    if not isinstance(model, DynamicTopicModel):
        raise NoSlices(f"{what}: has no topics over time, so that there are no slices to name")
    if len(labels) != model.n_slices:
        had = ", ".join(model.slice_labels[:3]) + (", …" if model.n_slices > 3 else "")
        raise InputError(f"{what}: has {model.n_slices} slices ({had}), but {len(labels)} names for them")
    corpus = model.corpus
    if corpus is None or corpus.slice_labels != model.slice_labels:
        return replace(model, slice_labels=labels)
    named = replace(model, slice_labels=labels, corpus=None)
    return replace(named, corpus=replace(corpus, slice_labels=named.slice_labels))


def _refuse_corpus(path: Path) -> None:
    """Say of counts of words, which could only be read as text, that they are a corpus."""
    from tealeaves.readers._files import read_bytes
    from tealeaves.readers._recognise_corpus import CORPUS_FORMATS, HEAD, sure_corpus

    corpus = sure_corpus(path, read_bytes(path, HEAD))
    if corpus is not None:
        raise FormatError(path, f"is a corpus, {CORPUS_FORMATS[corpus]}, but topics were expected")


def _read_path(
    path: Path, name: str | None, trust: bool, options: dict[str, Any]
) -> TopicModel | DynamicTopicModel:
    if not path.exists():
        raise missing(path)
    check_regular(path)
    if name is None:
        name = recognise_model(path)
        if name in LOOSE:
            _refuse_corpus(path)
    elif name not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, got {name!r}")
    format = FORMATS[name]
    if options["vocabulary"] is not None and "vocabulary" not in format.takes:
        raise InputError(f"{path} is read as {format.what}, which has its own words: no vocabulary=")
    if options["axes"] is not None and "axes" not in format.takes:
        raise InputError(f"{path} is read as {format.what}, whose axes are known: no axes=")
    if format.pickled and not trust:
        found = f"is {format.what}, which can run any code when opened"
        raise FormatError(path, f"{found}: if you trust it, say trust=True")
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
