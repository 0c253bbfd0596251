"""Files of topic pairs, and of labels that raters filled in."""

import csv
import io
import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from tealeaves.errors import FormatError, InputError
from tealeaves.matcher_pairs import (
    CSV_SIDES,
    JOINED,
    KIND,
    SIDES,
    VERSION,
    Floats,
    ShownTopic,
    TopicPair,
    TopicPairs,
)
from tealeaves.topic_pairs import DISTANCES, FEATURES, WORD_FEATURES, row_distances


def read_pairs(path: str | PathLike[str], *, list_weights: str = "equal") -> TopicPairs:
    """Read pairs: JSON or CSV that `TopicPairs.save` wrote, or JSON lines of pairs of lists.

    A line of JSON is ``{"topics": [{"words": […], "docs": […]}, …], "labels": […]}``, labels by rater. Such
    lists have no weights: features are made of the lists alone (``list_weights``), which loses much.

    Parameters
    ----------
    path : path
        The file.
    list_weights : {"equal", "rank"}
        What a word or document of a list weighs: 1, or 1 / its rank.

    Raises
    ------
    FormatError
        If it is none of these; it says where.
    """
    path = Path(path)
    text = path.read_text("utf-8-sig")
    if path.suffix.lower() == ".csv":
        return _from_csv(path, text)
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return _from_lists(path, text, list_weights)
    try:
        content = json.loads(text)
        if content["format"] != KIND or content["version"] != VERSION:
            raise ValueError
        pairs = [
            TopicPair(_shown(one["first"]), _shown(one["second"]), tuple(map(float, one["features"])))
            for one in content["pairs"]
        ]
        labels = content["labels"]
        if labels is not None:
            labels = [[np.nan if x is None else float(x) for x in row] for row in labels]
        return TopicPairs(pairs, labels=labels, notes=content["notes"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        what = f"is no file of pairs that `tealeaves matcher sample` writes (version {VERSION})"
        raise FormatError(path, f"{what}: {error}" if str(error) else what) from None


def _shown(topic: Any) -> ShownTopic:
    words, documents = tuple(map(str, topic["words"])), tuple(map(str, topic["documents"]))
    return ShownTopic(str(topic["model"]), int(topic["topic"]), str(topic["label"]), words, documents)


def _from_csv(path: Path, text: str) -> TopicPairs:
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    columns = list(rows[0]) if rows else []
    names = FEATURES if "doc_cosine" in columns else WORD_FEATURES
    if missing := [name for name in [*CSV_SIDES, *names] if name not in columns]:
        raise FormatError(
            path, f"has no column {missing[0]!r}: `tealeaves matcher sample --out pairs.csv` writes it"
        )
    pairs = []
    for line, row in enumerate(rows, start=2):
        try:
            topics = [
                ShownTopic(
                    row[f"{side}_model"],
                    int(row[f"{side}_topic"]),
                    row[f"{side}_label"],
                    tuple(w for w in row[f"{side}_words"].split(JOINED) if w),
                    tuple(d for d in row[f"{side}_documents"].split(JOINED) if d),
                )
                for side in SIDES
            ]
            pairs.append(TopicPair(topics[0], topics[1], tuple(float(row[name]) for name in names)))
        except (TypeError, ValueError, AttributeError) as error:
            raise FormatError(
                path, f"a topic number or distance cannot be read: {error}", line=line
            ) from None
    found = [name for name in columns if name == "label" or name.startswith("label_")]
    labels = [[_label(path, row[name], i + 2) for i, row in enumerate(rows)] for name in found]
    known = bool(labels) and not np.isnan(labels).all()
    return TopicPairs(pairs, labels=labels if known else None)


def _from_lists(path: Path, text: str, list_weights: str) -> TopicPairs:
    if list_weights not in ("equal", "rank"):
        raise InputError(f"list_weights must be 'equal' or 'rank'; got {list_weights!r}")
    records: list[tuple[list[ShownTopic], list[float]]] = []
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        try:
            record = json.loads(written)
            topics = [
                ShownTopic(
                    str(t.get("model", "")),
                    int(t.get("topic", 0)),
                    str(t.get("label", t.get("topic", ""))),
                    tuple(map(str, t["words"])),
                    tuple(map(str, t.get("docs") or t.get("documents") or ())),
                )
                for t in record["topics"]
            ]
            labels = [np.nan if x is None else float(x) for x in record.get("labels", [])]
            if len(topics) != 2 or not all(t.words for t in topics):
                raise ValueError("two topics with words are wanted")
            if records and len(labels) != len(records[0][1]):
                raise ValueError(f"{len(labels)} labels, but {len(records[0][1])} on the first line")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            wanted = '{"topics": [{"words": [...]}, {"words": [...]}], "labels": [...]} is wanted'
            raise FormatError(path, f"{wanted}; {type(error).__name__}: {error}", line=line) from None
        records.append((topics, labels))
    if not records:
        raise FormatError(path, "holds no pairs")
    documents = all(topic.documents for topics, _ in records for topic in topics)
    kinds = ("words", "documents") if documents else ("words",)
    pairs = [
        TopicPair(
            first,
            second,
            tuple(
                float(x)
                for kind in kinds
                for x in _list_distances(getattr(first, kind), getattr(second, kind), list_weights)
            ),
        )
        for (first, second), _ in records
    ]
    lengths = max(len(topic.words) for topics, _ in records for topic in topics)
    notes = [f"features of lists of up to {lengths} words, not of whole topics; weights are {list_weights}"]
    if not documents:
        notes.append("words only, no documents: not every topic of the file has some")
    has_labels = bool(records[0][1])
    return TopicPairs(
        pairs, labels=np.array([labels for _, labels in records]).T if has_labels else None, notes=notes
    )


def _list_distances(a: Sequence[str], b: Sequence[str], list_weights: str) -> Floats:
    index = {x: i for i, x in enumerate(dict.fromkeys([*a, *b]))}
    rows = np.zeros((2, len(index)))
    for row, items in zip(rows, (a, b), strict=True):
        for rank, x in reversed(list(enumerate(items, start=1))):  # a repeated one keeps its best rank
            row[index[x]] = 1.0 if list_weights == "equal" else 1.0 / rank
    return np.asarray(row_distances(rows[:1], rows[1:])[0][: len(DISTANCES)])


def read_labels(paths: Sequence[Path], n: int) -> Floats:
    """Labels of ``n`` pairs, (raters, n), of files that raters filled in; nan where one did not say.

    CSV with ``pair`` and ``label`` (one rater a file), or ``label_…`` columns (a rater each), or ``rater``
    beside ``label``; or JSON: a list of numbers, or one for each rater.
    """
    raters: list[list[float]] = []
    for path in paths:
        text = path.read_text("utf-8-sig")
        if path.suffix.lower() == ".json":
            try:
                given = json.loads(text)
                given = given if given and isinstance(given[0], list) else [given]
                raters += [[np.nan if x is None else float(x) for x in row] for row in given]
            except (ValueError, TypeError, KeyError, RecursionError):
                raise FormatError(path, "is no list of labels, nor one for each rater") from None
            if wrong := [len(row) for row in raters if len(row) != n]:
                raise FormatError(path, f"has {wrong[0]} labels, but there are {n} pairs")
            continue
        found: dict[str, list[float]] = {}
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        columns = list(rows[0]) if rows else []
        names = [name for name in columns if name and (name == "label" or name.startswith("label_"))]
        if "pair" not in columns or not names:
            raise FormatError(path, "needs the columns 'pair' and 'label' (or 'label_…', one for each rater)")
        for line, row in enumerate(rows, start=2):
            try:
                pair = int(row["pair"])
            except (TypeError, ValueError):
                pair = -1
            if not 0 <= pair < n:
                raise FormatError(path, f"pair {row['pair']!r} is none of 0 to {n - 1}", line=line)
            for name in names:
                key = f"{row.get('rater')}" if len(names) == 1 and "rater" in columns else name
                labels = found.setdefault(key, [np.nan] * n)
                if not np.isnan(labels[pair]):
                    raise FormatError(path, f"pair {pair} has a second label of the same rater", line=line)
                labels[pair] = _label(path, row[name], line)
        raters += found.values()
    return np.array(raters, dtype=np.float64).reshape(-1, n)


def _label(path: Path, written: str | None, line: int) -> float:
    if written is None or not written.strip():
        return float("nan")
    try:
        label = float(written)
    except ValueError:
        label = -1.0
    if not 0 <= label <= 1:
        raise FormatError(path, f"label {written!r} is no number from 0 to 1", line=line)
    return label
