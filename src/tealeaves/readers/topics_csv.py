"""Reader of topics in a CSV or TSV table: a topic a line, or long with columns topic, word, weight."""

import csv
import io
import re
from pathlib import Path

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._csv_matrix import CORNER, is_matrix, read_matrix
from tealeaves.readers._files import read_text
from tealeaves.readers.dynamic_tables import has_time, read_dynamic_csv
from tealeaves.readers.topics_text import LABEL, NUMBER
from tealeaves.word_lists import from_columns

LONG = ({"topic", "topic_id", "topic_index"}, {"word", "term", "token", "words"})
WEIGHT = ("weight", "probability", "prob", "score", "beta", "p")
NAME = re.compile(r"topic\W*_?\d+", re.IGNORECASE)
RANK = re.compile(r"(?:word|term|rank|top|w|v)?[ _.]?\d+", re.IGNORECASE)


def read_topics_csv(
    path: str | Path, *, outliers: str = "drop", axes: str | None = None
) -> TopicModel | DynamicTopicModel:
    """Read the topics of a table; with a column of time besides, topics over time.

    With a header that names a topic and a word column it is long: a word a row, perhaps with a weight. With
    a header of ``topic 1, topic 2, …`` a column is a topic. Else a row is a topic, best word first;
    a first cell that is a number or "topic 3" is its name, a header of ranks is left out.

    Numbers alone below a header are a matrix of weights: a topic a row under words, or a word a row under
    topics. Where names do not tell which, ``axes`` must.

    Raises
    ------
    FormatError
        If a row does not fit, with its line.
    """
    path = Path(path)
    text = read_text(path)
    rows = _rows(path, text)
    header = [cell.strip().lower() for cell in rows[0][1]]
    if is_matrix(rows):
        surely = axes is not None or rows[0][1][0] == CORNER
        return _checked(path, read_matrix(path, rows, axes), surely)
    if has_time(header):
        return read_dynamic_csv(path, header, rows[1:], outliers=outliers)
    if all(names & set(header) for names in LONG):
        columns = _long(path, header, rows[1:])
        topics = from_columns(columns)
    elif len(header) > 1 and all(NAME.fullmatch(cell) for cell in header):
        topics = {i: [row[i] if i < len(row) else "" for _, row in rows[1:]] for i in range(len(header))}
    else:
        topics = _wide(path, rows)
    try:
        return TopicModel.from_words(topics, outliers=outliers)
    except InputError as error:
        raise FormatError(path, str(error)) from None


def _checked(path: Path, model: TopicModel, surely: bool) -> TopicModel:
    """The model of a matrix, unless it has so many topics for its words that it holds other things."""
    words = len(model.vocabulary)
    if not surely and model.n_topics > 2 * words:
        shown = ", ".join(model.vocabulary[:3])
        found = f"would be a matrix of {model.n_topics} topics, but of {words} words only ({shown}, …)"
        raise FormatError(path, f"{found}: if that is so, say axes='topic word' or 'word topic'")
    return model


def _rows(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """The rows that are not blank, with their line numbers."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    ours = first.startswith(CORNER)  # whatever its words hold, our own writer parts them by commas
    delimiter = "," if ours else max("\t;,", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise FormatError(path, f"is no whole table: {error}", line=reader.line_num) from None
    if not rows:
        raise FormatError(path, "is empty, but a table of topics was expected")
    return rows


def _long(path: Path, header: list[str], rows: list[tuple[int, list[str]]]) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = {name: [] for name in header}
    for line, row in rows:
        if len(row) != len(header):
            raise FormatError(path, f"{len(header)} cells were expected, but found {len(row)}", line=line)
        for name, cell in zip(header, row, strict=True):
            try:
                columns[name].append(float(cell) if name in WEIGHT else _topic(cell))
            except ValueError:
                raise FormatError(
                    path, f"column {name} must hold numbers, but found {cell!r}", line=line
                ) from None
    for name in LONG[1] & set(header):  # a word may be a number: it stays a word
        position = header.index(name)
        columns[name] = [row[position] for _, row in rows]
    return columns


def _topic(cell: str) -> object:
    return int(cell) if re.fullmatch(r"-?\d{1,9}", cell.strip()) else cell


def _wide(path: Path, rows: list[tuple[int, list[str]]]) -> dict[object, list[str]]:
    cells = [cell.strip() for cell in rows[0][1]]
    if len(cells) > 1 and all(RANK.fullmatch(cell) for cell in cells[1:]) and not cells[0].isdecimal():
        rows = rows[1:]  # a header of ranks: word 1, word 2, …
    elif len(cells) > 1 and cells == [str(i) for i in range(len(cells))]:
        rows = rows[1:]  # as frames number their columns
    if not rows:
        raise FormatError(path, "has a header, but no topics")
    if all(LABEL.match(row[0]) for _, row in rows):  # "Topic 1: oil,gas"
        rows = [(line, [LABEL.sub("", row[0], count=1), *row[1:]]) for line, row in rows]
    named = all(row[0].strip().lstrip("-").isdecimal() or NAME.fullmatch(row[0].strip()) for _, row in rows)
    topics: dict[object, list[str]] = {}
    for line, row in rows:
        words = row[1:] if named else row
        given = [word for word in words if word.strip()]
        if 2 * sum(NUMBER.fullmatch(word.strip()) is not None for word in given) > len(given):
            raise FormatError(path, "words of a topic were expected, but found mostly numbers", line=line)
        key: object = _topic(row[0].strip()) if named else len(topics)
        if key in topics:
            raise FormatError(path, f"topic {key} comes twice", line=line)
        topics[key] = words
    if named and sorted(topics, key=str) == sorted(range(1, len(topics) + 1), key=str):
        return dict(enumerate(topics.values()))  # counted from 1
    return topics
