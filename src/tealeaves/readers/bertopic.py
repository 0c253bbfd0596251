"""Reader of a saved BERTopic folder, without BERTopic: the words of its topics, from topics.json."""

from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers.topics_json import read_topics_json


def read_bertopic(path: str | Path, *, outliers: str = "drop") -> TopicModel:
    """Read the words of each topic as BERTopic shows them; topic -1 is left out unless kept.

    Raises
    ------
    FormatError
        If topics.json is missing or damaged.
    """
    path = Path(path)
    if not (path / "topics.json").is_file():
        found = "has no topics.json, where BERTopic keeps the words of its topics"
        raise FormatError(path, f"{found}: copy it here from where the model was saved")
    return read_topics_json(path / "topics.json", outliers=outliers)


def read_bertopic_object(fitted: Any, *, outliers: str = "drop") -> TopicModel:
    """Read the words of a fitted BERTopic, as its ``get_topics()`` gives them."""
    return TopicModel.from_words(fitted.get_topics(), outliers=outliers, source="BERTopic")
