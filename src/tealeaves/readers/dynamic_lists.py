"""Reader of word lists by slice: nested lists and dicts, as JSON or Python has them."""

from collections.abc import Mapping
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.readers._slices import SLICES, depth, over_time

LABELS = ("slice_labels", "slices", "time_slices", "times", "timestamps", "years", "periods")
TOPICS = ("topics", "top_words", "word_lists")


def has_slices(content: Any) -> bool:
    """Whether it is word lists by slice, or a dict that holds them beside other things."""
    return over_time(content) or (isinstance(content, Mapping) and _key_of_topics(content) is not None)


def read_slices(
    content: Any, *, outliers: str = "drop", axes: str | None = None, slice_labels: Any = None
) -> DynamicTopicModel:
    """Read slices of topics of words.

    Parameters
    ----------
    content
        A list of slices, or a dict of them by label, each what `TopicModel.from_words` takes, None where a
        topic is missing. Or a dict with these under "topics", "top_words" or "word_lists", and the labels
        under "slice_labels", "times" or a name like it: then slices of topics or topics of slices, whichever
        the number of labels tells; what the dict says under "axes" goes before.
    axes : {"time topic", "topic time"}, optional
        Which it is, where it cannot be told.

    Raises
    ------
    InputError
        If it is nothing of that, or can be read in two ways.

    Examples
    --------
    >>> read_slices({"times": [1990, 1991], "top_words": [[["oil"], ["gas"]]]}).top_words(1)
    [[['oil']], [['gas']]]
    """
    if over_time(content):
        if isinstance(content, Mapping):
            return DynamicTopicModel.from_words(content, outliers=outliers)
        return DynamicTopicModel.from_words(
            _in_slices(list(content), slice_labels, axes or "time topic"),
            slice_labels=slice_labels,
            outliers=outliers,
        )
    key = _key_of_topics(content) if isinstance(content, Mapping) else None
    if key is None:
        raise InputError("there are no slices of topics of words")
    topics, said = content[key], content.get("axes")
    if isinstance(topics, Mapping):
        return DynamicTopicModel.from_words(topics, outliers=outliers)
    if slice_labels is None:
        slice_labels = next((content[name] for name in LABELS if isinstance(content.get(name), list)), None)
    if axes is None and isinstance(said, str) and set(said.split()) <= {"time", "topic", "word"}:
        axes = said
    names = content.get("topic_names")
    slices = _in_slices(topics, slice_labels, axes)
    model = DynamicTopicModel.from_words(slices, slice_labels=slice_labels, outliers=outliers)
    if isinstance(names, list) and len(names) == model.n_topics and model.topic_names is None:
        from dataclasses import replace

        model = replace(model, topic_names=tuple(map(str, names)))
    return model


def _key_of_topics(content: Mapping[Any, Any]) -> Any:
    """The key of the topics; where all three axes are named, a word that looks like 0.3*"cat" is a word."""
    said = content.get("axes")
    if isinstance(said, str) and {"time", "topic", "word"} == set(said.split()):
        return next((key for key in TOPICS if isinstance(content.get(key), list)), None)
    return next((key for key in TOPICS if depth(content.get(key)) == SLICES), None)


def _in_slices(topics: list[Any], labels: Any, axes: str | None) -> list[Any]:
    """Slices of topics, whichever of the two comes first."""
    first = None if axes is None else [name for name in axes.split() if name in ("time", "topic")]
    if first is not None and sorted(first) != ["time", "topic"]:
        raise InputError(f'axes must be "time topic" or "topic time", got {axes!r}')
    if first is None and labels is not None:
        inner = {len(part) for part in topics if isinstance(part, list | tuple)}
        outer_fits, inner_fits = len(topics) == len(labels), inner == {len(labels)}
        if outer_fits and inner_fits and len(topics) > 1:
            found = f"there are {len(labels)} slices and as many topics"
            raise InputError(f'{found}: say which comes first, axes="time topic" or axes="topic time"')
        if inner_fits and not outer_fits:
            first = ["topic", "time"]
    if first == ["topic", "time"]:
        lengths = {len(part) for part in topics if isinstance(part, list | tuple)}
        if len(lengths) != 1 or not all(isinstance(part, list | tuple) for part in topics):
            raise InputError("every topic must have an entry for each slice, null where it is missing")
        return [list(slice) for slice in zip(*topics, strict=True)]
    return topics
