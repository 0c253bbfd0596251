"""What a number of an answer is called as a score, what it can be, and what would be drawn again."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# What a number of an answer is called as a score, and what such a number can be.
MEASURES = {
    "correct": "model_precision",
    "log_odds": "topic_log_odds",
    "rating": "rating",
    "relatedness": "relatedness",
    "smoothness": "smoothness",
    "label": "match",
    "named": "named",
}
BOUNDS = {
    "correct": (0.0, 1.0),
    "log_odds": (-np.inf, 0.0),
    "label": (0.0, 1.0),
    "named": (0.0, 1.0),
    **dict.fromkeys(("rating", "relatedness", "smoothness"), (1.0, 3.0)),
}
# Tasks whose items are documents, tokens or pairs: these, not topics, are what would be drawn again.
BY_ITEM = {"topic_intrusion": "documents", "topic_word_matching": "tokens", "topic_pair_matching": "pairs"}


def measure_of(task: str, name: str) -> str:
    return "share_matched" if task == "topic_word_matching" and name == "correct" else MEASURES[name]


def within(values: Floats, low: float, high: float) -> bool:
    given = values[~np.isnan(values)]
    return bool(((given >= low) & (given <= high)).all())
