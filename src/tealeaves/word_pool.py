"""What a counting pass counts: the words of many models as ids, and the units that specs count them in."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from tealeaves.counts import PairCounts, Unit, count_pairs, window_unit
from tealeaves.errors import InputError
from tealeaves.measures._table import Spec, parse

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.index import Index
    from tealeaves.model import TopicModel

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]


def unit_of(spec: Spec) -> Unit | None:
    """What a spec counts words in; None if it counts none."""
    settings = spec.settings
    compat = settings.get("compat") or ""
    if "pair_counts" not in spec.measure.needs:
        inner = inner_coherence(spec)
        return unit_of(inner) if inner else None
    if "distance" in settings:
        return Unit("context", settings["distance"], "palmetto" if compat == "palmetto" else "")
    return window_unit(settings["window"], "gensim" if compat == "gensim" else "")


def counts_words(spec: Spec) -> bool:
    """Whether a spec needs a reference corpus."""
    return unit_of(spec) is not None


def inner_coherence(spec: Spec) -> Spec | None:
    """The coherence measure under one such as tq, with the same top words."""
    if "coherence" not in spec.measure.needs:
        return None
    inner = parse(f"{spec.settings['coherence']}@{spec.top}")
    if "pair_counts" not in inner.measure.needs:
        raise InputError(
            f"{spec}: coherence must be a coherence measure such as 'npmi' or 'c_v'; got {inner.name!r}"
        )
    return inner


class WordPool:
    """The words of many models with one id each, and their topics as ids: what a counting pass counts."""

    def __init__(self, models: "Mapping[str, TopicModel]", specs: Iterable[Spec]) -> None:
        self._models = models
        self._ids: dict[str, int] = {}
        self._lists: dict[tuple[str, int], Ids] = {}
        longest = max((spec.top for spec in specs if spec.top and counts_words(spec)), default=0)
        self.topics: list[list[int]] = []
        if longest:
            for name in models:
                rows = self.top_words(name, longest)
                self.topics += [[int(w) for w in row if w >= 0] for row in rows]

    @property
    def words(self) -> list[str]:
        """The word of each id."""
        return list(self._ids)

    def top_words(self, name: str, n: int) -> Ids:
        """The first n words of a model's topics as ids, (K, n), padded with -1."""
        if (name, n) not in self._lists:
            self._lists[name, n] = padded(
                [
                    [self._ids.setdefault(word, len(self._ids)) for word in topic]
                    for topic in self._models[name].top_words(n)
                ],
                n,
            )
        return self._lists[name, n]


def counted(
    reference: "Corpus | Index",
    words: Sequence[str],
    topics: Sequence[Sequence[int]],
    units: Sequence[Unit],
    *,
    blocks: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Unit, PairCounts]:
    """Counts of a reference, whichever it is: a corpus is scanned, an index counts by itself."""
    counter = getattr(reference, "count_pairs", None)
    if counter is not None:
        found: dict[Unit, PairCounts] = counter(words, topics, units, blocks=blocks, workers=workers)
        return found
    source = cast("Corpus", reference)
    return count_pairs(source, words, topics, units, blocks=blocks, workers=workers, progress=progress)


def same_words(models: "Sequence[TopicModel]") -> list[Floats]:
    """The topics of several models over the words of all of them."""
    index = {w: i for i, w in enumerate(dict.fromkeys(w for model in models for w in model.vocabulary))}
    found = []
    for model in models:
        matrix = np.zeros((model.n_topics, len(index)))
        matrix[:, [index[word] for word in model.vocabulary]] = model.topic_word
        found.append(matrix)
    return found


def padded(lists: Sequence[Sequence[int]], n: int) -> Ids:
    """Lists of ids as rows of n, with -1 behind."""
    rows = np.full((len(lists), n), -1, dtype=np.int32)
    for row, items in zip(rows, lists, strict=True):
        row[: len(items)] = items
    return rows
