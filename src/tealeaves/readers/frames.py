"""Reader of topics in lists, dicts and frames of pandas or polars, neither of which is imported."""

from typing import Any

from tealeaves.model import TopicModel


def read_frame(topics: Any, *, outliers: str = "drop") -> TopicModel:
    """Read whatever `TopicModel.from_words` takes.

    Raises
    ------
    InputError
        If it is nothing of that.
    """
    return TopicModel.from_words(topics, outliers=outliers)
