"""Reader of topics in Markdown, as language models list them: bullets, numbers or headings with words."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_lines
from tealeaves.readers._named import named_model, split_words

HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*")
ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,4}[.)]|\[\d{1,4}\])\s+(.*)")
# "**Energy**: oil, gas", "**Energy:** oil, gas", "**Energy** - oil, gas", "Energy: oil, gas", "Energy:"
BOLD = re.compile(r"(?:\*\*|__)(.+?)(?:\*\*|__)\s*[:–—-]?\s*(.*)")
ALONE = re.compile(r"((?:\*\*|__)[^*_]+(?:\*\*|__):?)")
PLAIN = re.compile(r"([^,;:]{1,80}):(?:\s+(.*))?")
NOTHING = re.compile(r"\s*(?:```.*|[-*_]{3,}\s*)?")  # blank lines, fences and rules
KEYS = re.compile(r"(?:key|top)?[ _-]?(?:words|terms|keywords)", re.IGNORECASE)
PROSE = re.compile(r"description|summary|explanation|interpretation|theme|note|label", re.IGNORECASE)
PHRASE = 4  # words: what has more is a sentence, not a word of a topic
NUMBERED = re.compile(r"(?:topic|theme)?\s*#?\d+\s*[:.)–—-]\s*(?=\S)", re.IGNORECASE)


def read_topics_markdown(path: str | Path, *, outliers: str = "drop") -> TopicModel:
    """Read topics in Markdown; what the topics are called becomes their names.

    A topic is a bullet or numbered item, ``- **Energy**: oil, gas``, or a line of that kind without a
    bullet; or a heading, or an item that only names it, with its words below: a line of them with commas,
    or a word an item. What is neither, such as a sentence before the list, is left out and said so.

    Raises
    ------
    FormatError
        If most lines are no topics, or a topic has no words; it names the line.
    """
    path = Path(path)
    listed = _Listed()
    for line, text in enumerate(read_lines(path), start=1):
        if not NOTHING.fullmatch(text):
            listed.add(line, text)
    topics = listed.topics
    if not topics or listed.left > listed.used:
        found = f"{listed.left} of {listed.left + listed.used} lines are neither names of topics nor words"
        raise FormatError(path, f"topics in Markdown were expected (- **Name**: word, word), but {found}")
    if len(topics) > 1 and not topics[0].words:  # the title of them all
        topics = topics[1:]
    if (empty := next((topic for topic in topics if not topic.words), None)) is not None:
        raise FormatError(path, f"the topic {empty.name!r} has no words below it", line=empty.line)
    told = next(
        (topic for topic in topics if 2 * sum(map(_is_sentence, topic.words)) > len(topic.words)), None
    )
    if told is not None:
        found = f"topic {told.name!r} has a sentence ({told.words[0]:.40}…), but its words were expected"
        raise FormatError(path, f"{found}: a topic is scored by its words", line=told.line)
    nameless = all(not topic.name for topic in topics)
    items = [(str(k) if nameless else topic.name, topic.words) for k, topic in enumerate(topics)]
    try:
        model = named_model(items, outliers)
    except InputError as error:
        raise FormatError(path, str(error)) from None
    if not listed.left:
        return model
    lines, were = ("line that is", "was") if listed.left == 1 else ("lines that are", "were")
    note = f"{listed.left} {lines} neither topic nor words {were} left out"
    return replace(model, notes=(*model.notes, note))


@dataclass
class _Topic:
    name: str
    words: list[str]
    line: int
    heading: bool = False  # its words stand below it, until the next heading


@dataclass
class _Listed:
    """The topics of the lines so far, how many lines were used for them, and how many were not."""

    topics: list[_Topic] = field(default_factory=list)
    used: int = 0
    left: int = 0

    def add(self, line: int, text: str) -> None:
        heading, item = HEADING.fullmatch(text.strip()) or ALONE.fullmatch(text.strip()), ITEM.fullmatch(text)
        last = self.topics[-1] if self.topics else None
        self.used += 1
        if heading:
            self.topics.append(_Topic(_clean(heading[1]), [], line, heading=True))
            return
        name, rest = _parts(item[1] if item else text.strip())
        words = split_words(rest)
        if last and (KEYS.fullmatch(name) or (not name and self._belongs(text, item is not None, words))):
            last.words.extend(words)
        elif name and not PROSE.fullmatch(name) and (item or len(words) > 1):
            if last and last.heading and not last.words:
                self.topics.pop()  # the title of a list, not a topic
            self.topics.append(_Topic(name, words, line))
        elif item and not name:
            self.topics.append(_Topic("", words if len(words) > 1 else rest.split(), line))
        else:
            self.used, self.left = self.used - 1, self.left + 1

    def _belongs(self, text: str, item: bool, words: list[str]) -> bool:
        """Whether words without a name are those of the topic before them."""
        last = self.topics[-1]
        if not item:
            return len(words) > 1 and max(map(_length, words)) <= PHRASE and not last.words
        return last.heading or text[:1].isspace() or not last.words


def _parts(text: str) -> tuple[str, str]:
    """The name of a topic, "" if there is none, and the text after it."""
    match = BOLD.fullmatch(text) or PLAIN.fullmatch(text)
    return (_clean(match[1]), match[2] or "") if match else ("", text)


def _length(word: str) -> int:
    return len(word.split())


def _is_sentence(word: str) -> bool:
    return _length(word) > PHRASE


def _clean(name: str) -> str:
    """A name without emphasis, and without the number before it unless that is all."""
    bare = re.sub(r"[*_`]{1,3}", "", name).strip().rstrip(":").strip()
    return NUMBERED.sub("", bare, count=1) or bare
