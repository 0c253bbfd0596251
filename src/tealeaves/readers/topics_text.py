"""Reader of plain text: one topic a line, its words separated by blanks."""

import re
from pathlib import Path

from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_lines

LABEL = re.compile(r"\s*(?:topic\s*)?#?\d+\s*[:.)]\s+", re.IGNORECASE)
NUMBER = re.compile(r"[-+]?[\d.,]+(?:e[-+]?\d+)?|\d+:[\d.]+")  # 3:2 is an id with a count


def read_topics_text(path: str | Path) -> TopicModel:
    """Read the topics of a file, best word first; a number at the start ("Topic 3:", "3.") is no word.

    Raises
    ------
    FormatError
        If a line is made of numbers rather than words.
    """
    path = Path(path)
    topics: list[list[str]] = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        words = LABEL.sub("", line, count=1).split()
        if 2 * sum(NUMBER.fullmatch(word) is not None for word in words) > len(words):
            raise FormatError(path, "words of a topic were expected, but found mostly numbers", line=number)
        topics.append(words)
    if not topics:
        raise FormatError(path, "is empty, but a topic a line was expected")
    return TopicModel(word_lists=topics)
