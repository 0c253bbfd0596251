"""Readers of MALLET's tables: topics of documents, weights of words in topics, counts of words in topics."""

import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers._files import plausible, read_bytes, read_text

COUNTS = re.compile(r"(\d{1,9}) (.+?)((?: \d{1,9}:\d{1,9})*)\s*")
TOPIC = re.compile(r"\d{1,9}")  # proportions have a point or an exponent, numbers of topics never
NAMELESS = ("no-name", "null-source")  # what MALLET writes for documents without a name


@dataclass(frozen=True)
class DocTopics:
    """The topics of D documents: ``shares`` (D, K), ``ids`` if each document has a name of its own, notes."""

    shares: NDArray[np.float64]
    ids: tuple[str, ...] | None
    notes: tuple[str, ...] = ()


def read_doc_topics(path: str | Path, n_topics: int | None = None) -> DocTopics:
    """Read ``--output-doc-topics``: a document a line, with its number, its name and its topics.

    Newer releases of MALLET write a proportion for each topic in turn, older ones (and newer ones with a
    threshold) pairs of a topic and its proportion, the largest first; then ``n_topics`` says how many
    topics there are, or else the largest number does.

    Raises
    ------
    FormatError
        If a line does not fit the others, or its proportions do not add up; it names the line.
    """
    path = Path(path)
    names: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, text in _whole_lines(path):
        if text.startswith("#") or not text.strip():
            continue
        cells = text.rstrip().split("\t" if "\t" in text else None)
        if len(cells) < 3 or cells[0] != str(len(rows)):
            wanted = f"document {len(rows)}, its name and topics were expected"
            raise FormatError(path, f"{wanted}, but found {text[:60]!r}", line=line)
        names.append(cells[1].strip())
        rows.append(cells[2:])
        lines.append(line)
    if not rows:
        raise FormatError(path, "holds no documents")
    pairs = all(len(row) % 2 == 0 and all(map(TOPIC.fullmatch, row[::2])) for row in rows)
    shares = _pairs(path, rows, lines, n_topics) if pairs else _dense(path, rows, lines)
    if n_topics is not None and shares.shape[1] != n_topics:
        raise FormatError(path, f"has {shares.shape[1]} topics a document, but there are {n_topics}")
    named = len(set(names)) == len(names) and not set(names) & set(NAMELESS)
    notes = []
    if least := int((shares.sum(axis=1) < 0.999).sum()):
        left = f"{path.name} leaves topics of {least} documents out, as below its threshold"
        notes.append(f"{left}: they count as 0, and the others are not scaled up")
    return DocTopics(shares, tuple(names) if named else None, tuple(notes))


def _whole_lines(path: Path) -> list[tuple[int, str]]:
    text = read_text(path)
    if text and not text.endswith("\n"):
        raise FormatError(path, "is cut off: its last line does not end", line=text.count("\n") + 1)
    return list(enumerate(text.split("\n")[:-1], start=1))


def _dense(path: Path, rows: list[list[str]], lines: list[int]) -> NDArray[np.float64]:
    result = np.zeros((len(rows), len(rows[0])))
    for i, (row, line) in enumerate(zip(rows, lines, strict=True)):
        if len(row) != len(rows[0]):
            found = f"{len(row)} topics were found, but the first document has {len(rows[0])}"
            raise FormatError(path, found, line=line)
        result[i] = _shares(path, row, line)
        if result[i].sum() < 0.99:
            found = f"the proportions of all topics sum to {result[i].sum():.6g}, not 1"
            raise FormatError(path, found, line=line)
    return result


def _pairs(path: Path, rows: list[list[str]], lines: list[int], n_topics: int | None) -> NDArray[np.float64]:
    topics = [list(map(int, row[::2])) for row in rows]
    met = set().union(*topics)
    result = np.zeros((len(rows), n_topics or plausible(path, "topics", max(met), len(met))))
    for i, (row, line) in enumerate(zip(rows, lines, strict=True)):
        if len(set(topics[i])) != len(topics[i]):
            raise FormatError(path, "a topic comes twice in a document", line=line)
        if max(topics[i]) >= result.shape[1]:
            found = f"topic {max(topics[i])} was found, but there are {result.shape[1]}"
            raise FormatError(path, found, line=line)
        result[i, topics[i]] = _shares(path, row[1::2], line)
    return result


def _shares(path: Path, cells: list[str], line: int) -> NDArray[np.float64]:
    try:
        shares = np.array(cells, dtype=np.float64)
    except ValueError as error:
        raise FormatError(path, f"proportions of topics were expected: {error}", line=line) from None
    if not ((shares >= 0).all() and shares.sum() <= 1.01):
        raise FormatError(path, f"proportions of topics were expected, but found {cells[:4]}", line=line)
    return shares


def read_doc_topics_alone(path: str | Path) -> TopicModel:
    """Read the topics of documents as a model whose topics have no words: enough to compare with labels.

    Raises
    ------
    FormatError
        If the file is no such table.
    """
    found = read_doc_topics(path)
    note = "topics of documents alone, without words: read MALLET's whole folder as one model"
    n_topics = found.shares.shape[1]
    return TopicModel(word_lists=[[]] * n_topics, doc_topic=found.shares, notes=[note, *found.notes])


def read_topic_word_weights(path: str | Path) -> TopicModel:
    """Read ``--topic-word-weights-file``: a line for each topic and word, with n_kw + beta.

    Raises
    ------
    FormatError
        If a topic lacks a word or has another order of them, or the file is cut off; it names the line.
    """
    path = Path(path)
    content = read_bytes(path)
    if not content.endswith(b"\n"):
        cut = content.count(b"\n") + 1
        raise FormatError(path, "is cut off: its last line does not end", line=cut)
    if not content[:1].isdigit():  # polars would unpack what begins as a compressed file does
        raise FormatError(path, "topic, word and weight, parted by tabs, were expected", line=1)
    schema = {"topic": pl.Int32, "word": pl.String, "weight": pl.Float64}
    try:
        table = pl.read_csv(
            io.BytesIO(content), has_header=False, separator="\t", quote_char=None, schema=schema
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, UnicodeError, OSError) as error:
        said = str(error).splitlines()[0]
        raise FormatError(path, f"topic, word and weight, parted by tabs, were expected: {said}") from None
    bad = table.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if not len(table) or bad.any():
        line = int(bad.arg_true()[0]) + 1 if len(table) else 1
        raise FormatError(path, "topic, word and weight, parted by tabs, were expected", line=line)
    topic, weight = table["topic"].to_numpy(), table["weight"].to_numpy()
    n_words = int(np.argmax(topic != topic[0])) if (topic != topic[0]).any() else len(topic)
    words = table["word"][:n_words].to_list()
    n_topics = -(-len(table) // n_words)
    wanted = pl.Series(words * n_topics)[: len(table)]
    odd = np.flatnonzero((topic != np.arange(len(table)) // n_words) | (table["word"] != wanted).to_numpy())
    if odd.size:
        at, pair = int(odd[0]) + 1, table.row(int(odd[0]))[:2]
        expected = f"topic {odd[0] // n_words} and word {wanted[int(odd[0])]!r} were expected"
        raise FormatError(path, f"{expected}, as in topic 0, but found {pair}", line=at)
    if len(table) % n_words:
        short = f"is cut off: topic {n_topics - 1} has {len(table) % n_words} of {n_words} words"
        raise FormatError(path, short, line=len(table))
    return TopicModel(words, weight.reshape(n_topics, n_words))


def read_word_topic_counts(path: str | Path) -> TopicModel:
    """Read ``--word-topic-counts-file``: a line for each word, with its number of tokens in each topic.

    Raises
    ------
    FormatError
        If a line is not one of such counts, or the file is cut off; it names the line.
    """
    path = Path(path)
    words: list[str] = []
    cells: list[tuple[int, int, int]] = []
    for line, text in _whole_lines(path):
        match = COUNTS.fullmatch(text)
        if match is None or int(match[1]) != len(words):
            wanted = f"word {len(words)} and its counts (topic:count …) were expected"
            raise FormatError(path, f"{wanted}, but found {text[:60]!r}", line=line)
        counts = [pair.split(":") for pair in match[3].split()]
        cells += [(int(topic), len(words), int(count)) for topic, count in counts]
        words.append(match[2])
    if not cells:
        raise FormatError(path, "holds no counts of words in topics")
    topic, word, count = np.array(cells, dtype=np.int64).T
    n_topics = plausible(path, "topics", int(topic.max()), len(np.unique(topic)))
    topic_word = np.zeros((n_topics, len(words)))
    np.add.at(topic_word, (topic, word), count)
    return TopicModel(words, topic_word, notes=["counts of words in topics, not smoothed by a prior"])
