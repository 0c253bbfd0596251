"""What is counted beside the scores, in the same pass: pairs of top words, and random words as frequent."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tealeaves.counting_plan import GROUP
from tealeaves.counts import DOCUMENT, Asked, PairCounts, Unit
from tealeaves.measures._table import Spec, parse
from tealeaves.word_pool import WordPool, padded, unit_of

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Bands = dict[str, dict[str, list[float | None]]]
PAIR_WORDS = 10
NEAR = 60  # ranks of document frequency within which a random word is as frequent


class Pairs:
    """NPMI by documents of every two of a model's ten top words, by topic: why a topic is what it is."""

    def __init__(self, name: str, model: "TopicModel") -> None:
        self.pool = WordPool({name: model}, [parse(f"npmi@{PAIR_WORDS}")])
        self.top_words = self.pool.top_words(name, PAIR_WORDS)
        self.asked = Asked(self.pool.words, self.pool.topics, [DOCUMENT])

    def made(self, counts: dict[Unit, PairCounts]) -> dict[str, dict[str, Any]]:
        """What the counts say of each topic."""
        from tealeaves.measures.coherence import npmi_matrix

        words, by_document = self.pool.words, counts[DOCUMENT]
        found = {}
        for k, row in enumerate(self.top_words):
            ids = row[row >= 0]
            found[str(k)] = {
                "words": [words[i] for i in ids],
                "npmi": npmi_matrix(by_document, ids).tolist(),
                "joint": by_document.joint(ids[:, None], ids[None, :]).tolist(),
                "single": by_document.single(ids).tolist(),
            }
        return found


class Frequent:
    """The words of a reference by their document frequency, the most frequent first."""

    def __init__(self, reference: "Corpus") -> None:
        frequency = reference.document_frequency()
        by_rank = np.argsort(-frequency, kind="stable")
        self.by_rank = by_rank[frequency[by_rank] > 0]
        self.vocabulary = reference.vocabulary
        self.rank = {self.vocabulary[word]: rank for rank, word in enumerate(self.by_rank)}


class Chance:
    """Percentiles 5, 50, 95 of measures over random words as frequent, by topic and spec.

    Each word of a topic is replaced by one within 60 ranks of document frequency in the reference.
    """

    def __init__(
        self,
        name: str,
        model: "TopicModel",
        specs: Sequence[Spec],
        frequent: Frequent,
        draws: int,
        seed: int,
    ) -> None:
        self.draws = draws
        self.top = max(spec.top or 0 for spec in specs)
        self.unit_by = {spec: unit for spec in specs if (unit := unit_of(spec)) is not None}
        self.rng = np.random.default_rng([seed, crc32(name.encode())])  # whatever models stand beside it
        rank, n_ranks = frequent.rank, len(frequent.by_rank)
        candidates = [
            random_candidates([rank[word] for word in words if word in rank], n_ranks, self.top, self.rng)
            for words in model.top_words(self.top)
        ]
        flat = [topic for words in candidates for topic in words]
        used = np.unique(np.concatenate(flat)) if flat else np.empty(0, np.int64)
        self.topics = [[np.searchsorted(used, few) for few in topic] for topic in candidates]
        self.asked = Asked(
            [frequent.vocabulary[frequent.by_rank[r]] for r in used],
            [np.concatenate(topic).tolist() if topic else [] for topic in self.topics],
            list(dict.fromkeys(self.unit_by.values())),
        )

    def made(self, counts: dict[Unit, PairCounts]) -> Bands:
        """The bands of each topic."""
        found: Bands = {}
        for k, topic in enumerate(self.topics):
            drawn = random_lists(topic, self.draws, self.rng).tolist() if topic else []
            lists = padded(drawn, self.top)
            found[str(k)] = {
                str(spec): _band(_values(spec, counts[unit], lists), self.draws)
                for spec, unit in self.unit_by.items()
            }
        return found


def _band(values: Floats, draws: int) -> list[float | None]:
    """Percentiles 5, 50 and 95, if at least half of the lists have a value."""
    known = values[np.isfinite(values)]
    return np.percentile(known, [5, 50, 95]).tolist() if len(known) >= max(draws / 2, 1) else [None] * 3


def random_candidates(
    ranks: Sequence[int], n_ranks: int, top: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """For each rank some others near it, all different: at most as many as one bit mask holds.

    All lists of a topic are drawn from the same few candidates, so that counting their pairs costs what a
    topic of 60 words costs, not what 200 topics do. Empty where the reference has too few such words.
    """
    taken, found = set(ranks), []
    per_word = max(2, GROUP // max(top, 1))
    for rank in ranks:
        near = range(max(rank - NEAR, 0), min(rank + NEAR, n_ranks - 1) + 1)
        free = [other for other in near if other not in taken]
        if len(free) < 2:
            return []
        chosen = rng.choice(free, size=min(per_word, len(free)), replace=False)
        taken.update(chosen.tolist())
        found.append(np.sort(chosen))
    return found


def random_lists(
    candidates: Sequence[NDArray[np.int64]], draws: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Lists of one candidate for each word, (draws, words)."""
    return np.stack([rng.choice(few, size=draws) for few in candidates], axis=1)


def _values(spec: Spec, counts: Any, top_words: Ids) -> Floats:
    settings = spec.arguments
    top = top_words[:, : spec.top]
    step = max(1, 2_000_000 // max(top.shape[1] ** 2, 1))
    parts = [
        spec.measure.function(counts, top[first : first + step], **settings).value
        for first in range(0, len(top), step)
    ]
    return np.concatenate(parts) if parts else np.empty(0)
