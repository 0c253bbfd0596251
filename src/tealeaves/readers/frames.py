"""Reader of topics in lists, dicts and frames of pandas or polars, neither of which is imported."""

from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.model import TopicModel
from tealeaves.readers.dynamic_lists import has_slices, read_slices
from tealeaves.readers.dynamic_tables import has_time, read_table
from tealeaves.word_lists import is_frame


def read_frame(
    topics: Any, *, outliers: str = "drop", axes: str | None = None
) -> TopicModel | DynamicTopicModel:
    """Read whatever `TopicModel.from_words` takes, or the same for each slice of time.

    Raises
    ------
    InputError
        If it is nothing of that.
    """
    if is_frame(topics) and has_time(topics.columns):
        columns = {str(name): list(topics[name].to_list()) for name in topics.columns}
        return read_table(columns, outliers=outliers)
    if not is_frame(topics) and has_slices(topics):
        return read_slices(topics, outliers=outliers, axes=axes)
    return TopicModel.from_words(topics, outliers=outliers)
