"""Pairs of topics for people to judge, with their labels."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.topic_pairs import FEATURES, WORD_FEATURES

Floats = NDArray[np.float64]
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
                rows.writerow(["pair", *CSV_SIDES, *self.feature_names, *self._label_names()])
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
        from tealeaves.matcher_files import read_pairs

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


CSV_SIDES = [f"{side}_{name}" for side in SIDES for name in ("model", "topic", "label", "words", "documents")]


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
