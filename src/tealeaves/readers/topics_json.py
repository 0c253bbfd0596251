"""Reader of topics in JSON: lists of words, of (word, weight) pairs, or a dict of these by topic."""

import json
from pathlib import Path

from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_text

INSIDE = (
    "topic_representations",
    "topics",
)  # BERTopic's, whose "topics" are of documents, and OCTIS's


def read_topics_json(path: str | Path, *, outliers: str = "drop") -> TopicModel:
    """Read topics in any form that `TopicModel.from_words` takes; also within the key "topics".

    Raises
    ------
    FormatError
        If the file is no JSON, with the line, or holds no topics.
    """
    path = Path(path)
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise FormatError(path, f"is not whole JSON: {error.msg}", line=error.lineno) from None
    except RecursionError:
        raise FormatError(path, "is nested too deeply to be topics") from None
    if isinstance(content, dict):
        content = next((content[key] for key in INSIDE if isinstance(content.get(key), list | dict)), content)
    try:
        return TopicModel.from_words(content, outliers=outliers)
    except InputError as error:
        raise FormatError(path, f"holds JSON, but {error}") from None
