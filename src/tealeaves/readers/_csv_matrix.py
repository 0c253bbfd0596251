"""A matrix of weights in a table: a row a topic under a header of words, or the other way round."""

import re
from pathlib import Path

import numpy as np

from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._matrices import LOGS, TOPIC_WORD, WORD_TOPIC, over_words, word_axes

COUNTED = re.compile(r"(?:topic|t|v|x|k|term)?[ ._-]?\d+", re.IGNORECASE)  # a topic's number, not a word
CORNER = "topic \\ word"  # what our own writer has in the first cell
SHORT = 8  # columns
Rows = list[tuple[int, list[str]]]


def is_matrix(rows: Rows) -> bool:
    """Whether below a header there are numbers alone, but for a first column of names.

    A short table with a topic and a word column is none, even if all its words are numbers.
    """
    header, body = rows[0][1], rows[1:2]
    if header[0] == CORNER:
        return bool(body)
    if len(header) < 3 or not body or all(map(_is_number, header[1:])):
        return False
    if len(header) <= SHORT and {"topic", "word"} <= {cell.strip().lower() for cell in header}:
        return False
    return all(len(row) == len(header) and all(map(_is_value, row[1:])) for _, row in body)


def read_matrix(path: Path, rows: Rows, axes: str | None = None) -> TopicModel:
    """Read the rows of a table that `is_matrix`, such as R's ``write.csv(m, file)`` writes.

    Raises
    ------
    FormatError
        If a cell is no number, with its line; or it cannot be told whether a row is a topic or a word.
    """
    header, body = [cell.strip() for cell in rows[0][1]], rows[1:]
    if header[0] == CORNER and axes is None:
        axes = " ".join(TOPIC_WORD)
    labelled = (
        not header[0]
        or header[0] == CORNER
        or header[0].lower() in {"topic", "topics", "word", "term", "name", "rownames"}
    )
    labelled = labelled or not all(_is_number(row[0]) for _, row in body)
    start = 1 if labelled else 0
    columns = header[start:]
    labels = [row[0].strip() for _, row in body] if labelled else [str(i) for i in range(len(body))]
    weights = np.empty((len(body), len(columns)))
    for i, (line, row) in enumerate(body):
        if len(row) != len(header):
            found = f"{len(header)} cells were expected, but found {len(row)}"
            raise FormatError(path, found, line=line)
        bad = next((cell for cell in row[start:] if not _is_number(cell)), None)
        if bad is not None:
            hint = f": {LOGS}" if bad.strip().lower() == "-inf" else ""
            raise FormatError(path, f"a weight was expected, but found {bad[:40]!r}{hint}", line=line)
        weights[i] = [float(cell) for cell in row[start:]]
    try:
        if _orientation(columns, labels, weights, axes) == WORD_TOPIC:
            columns, labels, weights = labels, columns, np.ascontiguousarray(weights.T)
        notes: list[str] = []
        names = None if all(map(COUNTED.fullmatch, labels)) else labels
        return TopicModel(columns, over_words(weights, notes), topic_names=names, notes=notes)
    except InputError as error:
        raise FormatError(path, f"was read as a matrix of weights, but {error}") from None


def _orientation(
    columns: list[str],
    labels: list[str],
    weights: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    axes: str | None,
) -> tuple[str, str]:
    """Which axis is which: by the names, one side of which only counts; else by what sums to 1."""
    if axes is not None:
        return word_axes(axes)
    across, down = (all(map(COUNTED.fullmatch, names)) for names in (columns, labels))
    if across and down:
        fix = "give the columns the words as names (R: colnames(m) <- fit$vocab)"
        raise InputError(f"neither its rows nor its columns are called after words: {fix}")
    if across != down:
        return TOPIC_WORD if down else WORD_TOPIC
    rows_sum = np.allclose(weights.sum(axis=1), 1, atol=1e-2)
    columns_sum = np.allclose(weights.sum(axis=0), 1, atol=1e-2)
    if rows_sum == columns_sum:
        found = f"rows ({labels[0]}, …) and columns ({columns[0]}, …) could both be topics"
        raise InputError(f"{found}; which are? Say axes='topic word' or 'word topic'")
    return TOPIC_WORD if rows_sum else WORD_TOPIC


def _is_value(cell: str) -> bool:
    return _is_number(cell) or cell.strip().lower() in {"na", "nan", "inf", "-inf"}


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False
