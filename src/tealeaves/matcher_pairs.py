"""Pairs of topics for people to judge: drawn so that near and far ones are as many."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.reference_topics import ReferenceTopics
from tealeaves.topic_pairs import (
    BINS,
    DISTANCES,
    FEATURES,
    SAME,
    WORD_FEATURES,
    Topics,
    distance_bins,
    on_same_documents,
    on_same_words,
    row_distances,
    why_no_documents,
)

Floats = NDArray[np.float64]
SHOWN = 15  # words and documents that people see of a topic
COPIES = 3  # a reference topic stands in the pool so often
KIND, VERSION = "tealeaves topic pairs", 1
SIDES = ("first", "second")
JOINED = "; "


@dataclass(frozen=True)
class ShownTopic:
    """One topic of a pair, as people see it: where it is from, its top words and documents, best first."""

    model: str
    topic: int
    label: str
    words: tuple[str, ...]
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class TopicPair:
    """Two topics, and how far they are apart: 8 ``features``, or 4 where documents are not known."""

    first: ShownTopic
    second: ShownTopic
    features: tuple[float, ...]

    @property
    def cosine_distance(self) -> float:
        """Of their words."""
        return self.features[0]


class TopicPairs(Sequence[TopicPair]):
    """Pairs in the order in which they are to be judged, with labels where there are some.

    ``features`` is (n, 8) or (n, 4), named by ``feature_names``; ``labels`` (raters, n) or None.
    """

    def __init__(
        self, pairs: Iterable[TopicPair], *, labels: ArrayLike | None = None, notes: Sequence[str] = ()
    ) -> None:
        self.pairs, self.notes = tuple(pairs), tuple(notes)
        widths = {len(pair.features) for pair in self.pairs}
        if not widths <= {4} and not widths <= {8}:
            raise InputError(
                f"every pair needs 8 features, or every one 4 (words alone); there are {sorted(widths)}"
            )
        self.labels = None if labels is None else np.asarray(labels, dtype=np.float64)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """What the columns of ``features`` are."""
        return FEATURES if self.pairs and len(self.pairs[0].features) == len(FEATURES) else WORD_FEATURES

    @property
    def features(self) -> Floats:
        """One row for each pair."""
        return np.array([pair.features for pair in self.pairs]).reshape(-1, len(self.feature_names))

    @overload
    def __getitem__(self, index: int) -> TopicPair: ...
    @overload
    def __getitem__(self, index: slice) -> "TopicPairs": ...
    def __getitem__(self, index: int | slice) -> "TopicPair | TopicPairs":
        """One pair, or some with their labels."""
        if isinstance(index, slice):
            labels = None if self.labels is None else self.labels[:, index]
            return TopicPairs(self.pairs[index], labels=labels, notes=self.notes)
        return self.pairs[index]

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        labels = "" if self.labels is None else f", labels of {len(self.labels)} raters"
        return f"<TopicPairs: {len(self)} pairs, {len(self.feature_names)} features{labels}>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything: JSON, or CSV if the name ends so."""
        path = Path(path)
        if path.suffix.lower() == ".csv":
            with path.open("w", encoding="utf-8", newline="") as file:
                rows = csv.writer(file)
                rows.writerow(["pair", *_CSV_SIDES, *self.feature_names, *self._label_names()])
                for i, pair in enumerate(self.pairs):
                    sides = [x for topic in (pair.first, pair.second) for x in _cells(topic)]
                    labels = [] if self.labels is None else [_written(x) for x in self.labels[:, i]]
                    rows.writerow([i, *sides, *map(repr, map(float, pair.features)), *labels])
            return
        content = {
            "format": KIND,
            "version": VERSION,
            "features": self.feature_names,
            "notes": self.notes,
            "labels": None
            if self.labels is None
            else [[None if np.isnan(x) else float(x) for x in row] for row in self.labels],
            "pairs": [
                {
                    "first": vars(pair.first),
                    "second": vars(pair.second),
                    "features": [float(x) for x in pair.features],
                }
                for pair in self.pairs
            ],
        }
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1), "utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "TopicPairs":
        """Read what `save` wrote."""
        return read_pairs(path)

    def save_sheet(self, path: str | PathLike[str]) -> None:
        """Write a CSV for one rater to fill in: words and documents, not which model or how far apart."""
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(
                ["pair", "first_words", "first_documents", "second_words", "second_documents", "label"]
            )
            for i, pair in enumerate(self.pairs):
                sides = (JOINED.join(x) for t in (pair.first, pair.second) for x in (t.words, t.documents))
                rows.writerow([i, *sides, ""])

    def _label_names(self) -> list[str]:
        return [] if self.labels is None else [f"label_{r}" for r in range(len(self.labels))]


_CSV_SIDES = [
    f"{side}_{name}" for side in SIDES for name in ("model", "topic", "label", "words", "documents")
]


def draw(
    models: Any, n: int = 300, seed: int = 0, reference_topics: "ReferenceTopics | None" = None
) -> TopicPairs:
    """Draw pairs as `tealeaves.Matcher.sample` says."""
    if n < 1:
        raise InputError(f"the number of pairs must be at least 1; got {n}")
    sources = _named(models)
    sets = [Topics.of(source, name) for name, source in sources.items()]
    shown: list[TopicModel | ReferenceTopics] = list(sources.values())
    if reference_topics is not None:
        name = reference_topics.name
        while name in sources:
            name += "'"
        sets.append(Topics.of(reference_topics, name))
        shown.append(reference_topics)
    notes: list[str] = []
    drawn = _drawn(sets, n, np.random.default_rng(seed), reference_topics is not None, notes)
    lacking = next(
        (why for a, b in combinations_with_replacement(sets, 2) if (why := why_no_documents(a, b))), ""
    )
    if lacking:
        notes.append(f"words only, no documents: {lacking}")
    features = np.zeros((len(drawn), len(WORD_FEATURES if lacking else FEATURES)))
    for i, j in sorted({(i, j) for i, _, j, _ in drawn}):
        rows = [row for row, (a, _, b, _) in enumerate(drawn) if (a, b) == (i, j)]
        ks, ls = [drawn[row][1] for row in rows], [drawn[row][3] for row in rows]
        a, b = on_same_words(sets[i], sets[j])
        features[rows, :4] = row_distances(a[ks], b[ls])
        if not lacking:
            a, b = on_same_documents(sets[i], sets[j])
            features[rows, 4:] = row_distances(a[ks], b[ls])
    words = [source.top_words(SHOWN) for source in shown]

    def topic(i: int, k: int) -> ShownTopic:
        return ShownTopic(sets[i].name, k, sets[i].labels[k], tuple(words[i][k]), _top_documents(sets[i], k))

    pairs = [
        TopicPair(topic(i, k), topic(j, m), tuple(map(float, row)))
        for (i, k, j, m), row in zip(drawn, features, strict=True)
    ]
    return TopicPairs(pairs, notes=notes)


def _drawn(
    sets: Sequence[Topics], n: int, rng: np.random.Generator, has_reference: bool, notes: list[str]
) -> list[tuple[int, int, int, int]]:
    """(set, topic, set, topic) of each drawn pair, in random order."""
    best: list[NDArray[np.float64]] = [np.empty((0, 5)) for _ in range(BINS)]  # key, set, topic, set, topic
    available = np.zeros(BINS, dtype=np.int64)
    same = 0
    for i, j in combinations_with_replacement(range(len(sets)), 2):
        a, b = on_same_words(sets[i], sets[j])
        distances = _cosine(a, b)
        copies = 1
        if has_reference:
            copies = (COPIES if i == len(sets) - 1 else 1) * (COPIES if j == len(sets) - 1 else 1)
        # the n smallest of exponential times, at the rate of its copies, are a draw without replacement
        keys = rng.exponential(1 / copies, distances.shape)
        once = np.outer(a.any(axis=1), b.any(axis=1))
        if i == j:
            once = np.triu(once, 1)
        same += int((once & (distances < SAME)).sum())
        ks, ms = np.nonzero(once & (distances >= SAME))
        bins = distance_bins(distances[ks, ms])
        available += np.bincount(bins, minlength=BINS)
        for x in range(BINS):
            inside = bins == x
            k, m = ks[inside], ms[inside]
            found = np.stack([keys[k, m], np.full(len(k), i), k, np.full(len(k), j), m], axis=1)
            together = np.concatenate([best[x], found])
            best[x] = together[np.argsort(together[:, 0], kind="stable")[:n]]
    empty = sum(int((~topics.weights.any(axis=1)).sum()) for topics in sets)
    if empty:
        notes.append(f"{empty} topics without words left out")
    if same:
        notes.append(f"{same} pairs of identical topics left out")
    quota = _shares(n, available)
    if not quota.sum():
        raise InputError("there is no pair of two different topics with words to draw")
    if quota.sum() < n:
        notes.append(f"only {quota.sum()} different pairs there are, fewer than {n}")
    elif short := np.flatnonzero(available < n // BINS).tolist():
        named = ", ".join(f"{x / BINS:.1f}–{(x + 1) / BINS:.1f} ({available[x]})" for x in short)
        notes.append(f"too few pairs at a cosine distance of {named}; the other intervals give more")
    chosen = np.concatenate([best[x][: quota[x], 1:] for x in range(BINS)]).astype(np.int64)
    return [(int(i), int(k), int(j), int(m)) for i, k, j, m in chosen[rng.permutation(len(chosen))]]


def _shares(n: int, available: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of ``n`` each interval gives: as many each, and what one lacks the others share.

    Examples
    --------
    >>> _shares(10, np.array([1, 9, 9])).tolist()
    [1, 5, 4]
    """
    shares = np.zeros(len(available), dtype=np.int64)
    while (left := n - int(shares.sum())) > 0 and (open_ := np.flatnonzero(shares < available)).size:
        if left < len(open_):
            shares[open_[:left]] += 1
        else:
            shares[open_] = np.minimum(shares[open_] + left // len(open_), available[open_])
    return shares


def _cosine(a: Floats, b: Floats) -> Floats:
    """Cosine distances, 1 from what is empty; rounding near 0 is 0."""
    norms = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)[None, :]
    dot = a @ b.T
    distances = np.clip(1 - np.divide(dot, norms, out=np.zeros(dot.shape), where=norms > 0), 0.0, 1.0)
    distances[distances < SAME] = 0.0
    result: Floats = distances
    return result


def _top_documents(topics: Topics, k: int) -> tuple[str, ...]:
    if topics.documents is None:
        return ()
    weights = topics.documents[k]
    order = [d for d in np.argsort(-weights, kind="stable")[:SHOWN].tolist() if weights[d] > 0]
    ids = topics.document_ids
    return tuple(str(d) if ids is None else ids[d] for d in order)


def _named(models: Any) -> dict[str, Any]:
    """Models by distinct names, whatever they came in."""
    if isinstance(models, Mapping):
        return {str(name): model for name, model in models.items()}
    listed = [models] if isinstance(models, TopicModel | ReferenceTopics) else list(models)
    if not listed:
        raise InputError("at least one model is needed to draw pairs of topics from")
    names: dict[str, Any] = {}
    for model in listed:
        name = base = str(getattr(model, "name", "model"))
        number = 2
        while name in names:
            name, number = f"{base}-{number}", number + 1
        names[name] = model
    return names


def _cells(topic: ShownTopic) -> list[str]:
    return [
        topic.model,
        str(topic.topic),
        topic.label,
        JOINED.join(topic.words),
        JOINED.join(topic.documents),
    ]


def _written(label: float) -> str:
    return "" if np.isnan(label) else f"{label:g}"


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
    rows = list(csv.DictReader(text.splitlines()))
    columns = list(rows[0]) if rows else []
    names = FEATURES if "doc_cosine" in columns else WORD_FEATURES
    if missing := [name for name in [*_CSV_SIDES, *names] if name not in columns]:
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
    for line, written in enumerate(text.splitlines(), start=1):
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
        rows = list(csv.DictReader(text.splitlines()))
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
