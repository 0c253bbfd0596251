"""Reader of topics in JSON: lists of words, of (word, weight) pairs, or a dict of these by topic."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_text
from tealeaves.readers._matrices import has_matrix, model_of
from tealeaves.readers._named import WORDS, Named, named_model, named_topics
from tealeaves.readers._octis import is_octis, octis_model
from tealeaves.readers.dynamic_lists import has_slices, read_slices

FENCED = re.compile(r"```(?:json)?[^\S\n]*\n(.*?)(?:\n\s*```|\Z)", re.DOTALL | re.IGNORECASE)
LONGEST = 300  # letters of a message that shows what was found
INSIDE = (
    "topic_representations",
    "topics",
)  # BERTopic's, whose "topics" are of documents, and OCTIS's


def read_topics_json(
    path: str | Path,
    *,
    outliers: str = "drop",
    axes: str | None = None,
    vocabulary: Sequence[str] | None = None,
) -> TopicModel | DynamicTopicModel:
    """Read topics in any form that `TopicModel.from_words` takes; also within the key "topics".

    Read as well are topics with names, as language models write them, also between ```json and ```;
    matrices by their names (topic_word, vocabulary, doc_topic, …), and what OCTIS puts out.
    What is such topics for each slice of time is read by `read_slices`.

    Raises
    ------
    FormatError
        If the file is no JSON, with the line, or holds no topics.
    """
    path = Path(path)
    content = read_json(path)
    if isinstance(content, list) and content and all(map(_is_document, content)):
        fix = "for a corpus write them as JSON Lines, an object a line"
        raise FormatError(path, f"holds documents (objects with 'text'), but topics were expected; {fix}")
    try:
        if isinstance(content, dict) and is_octis(content):
            return octis_model(content, vocabulary, axes)
        if isinstance(content, dict) and has_matrix(content):
            return model_of(content, vocabulary, axes)
    except InputError as error:
        raise FormatError(path, f"holds matrices in JSON, but {error}") from None
    if vocabulary is not None:
        raise FormatError(path, "holds topics with words of their own: no vocabulary=")
    try:
        if (named := named_topics(content)) is not None:
            _check_once(path, named, content)
            return named_model(named, outliers)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(path, f"holds topics with names in JSON, but {error}") from None
    try:
        if has_slices(content):
            return read_slices(content, outliers=outliers, axes=axes)
    except InputError as error:
        raise FormatError(path, f"holds topics by slice in JSON, but {error}") from None
    if isinstance(content, dict):
        content = next((content[key] for key in INSIDE if isinstance(content.get(key), list | dict)), content)
    try:
        return TopicModel.from_words(content, outliers=outliers)
    except InputError as error:
        raise FormatError(path, f"holds JSON, but {_short(str(error))}") from None


def _short(message: str) -> str:
    return message if len(message) <= LONGEST else message[:LONGEST] + "…"


def lacks_words(path: Path) -> bool:
    """Whether a file of JSON holds matrices, whose words may be elsewhere, rather than lists of words."""
    content = read_json(path)
    return isinstance(content, dict) and (is_octis(content) or has_matrix(content))


def _is_document(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("text"), str) and not set(WORDS) & set(item)


def _check_once(path: Path, named: Named, content: Any) -> None:
    """Refuse topics of several models in one file, which have a field that tells the models apart."""
    names = [name for name, _ in named]
    again = next((name for i, name in enumerate(names) if name in names[:i]), None)
    models = isinstance(content, list) and any({"model", "run", "dataset"} & set(item) for item in content)
    if again is not None and models:
        fix = "write those of one model to a file"
        raise FormatError(path, f"holds topic {again!r} more than once, so topics of several models: {fix}")


def read_json(path: Path) -> Any:
    """The content of a JSON file, or of the first block of JSON in a text that is fenced off by ```.

    JSON Lines are a list of what the lines hold.

    Raises
    ------
    FormatError
        If it is no JSON, with the line.
    """
    text, before = read_text(path), 0
    if (match := FENCED.search(text)) and not text.lstrip().startswith(("[", "{")):
        text, before = match[1], text.count("\n", 0, match.start(1))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        read = text[: error.pos]
        if error.msg == "Extra data" and "\n" in read and "\n" not in read.strip():
            return _read_lines(path, text, before)
        raise FormatError(path, f"is not whole JSON: {error.msg}", line=error.lineno + before) from None
    except RecursionError:
        raise FormatError(path, "is nested too deeply to be topics") from None
    except ValueError as error:  # a whole number of thousands of digits
        raise FormatError(path, f"is no JSON that can be read: {error}") from None


def _read_lines(path: Path, text: str, before: int) -> list[Any]:
    """What the lines of JSON Lines hold."""
    content = []
    for number, line in enumerate(text.split("\n"), start=before + 1):
        if not line.strip():
            continue
        try:
            content.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            said = getattr(error, "msg", "too deep, or a number of too many digits")
            raise FormatError(
                path, f"is JSON Lines, but this line is not whole: {said}", line=number
            ) from None
    return content
