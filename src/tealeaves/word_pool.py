"""What a counting pass counts: the words of many models as ids, and the units that specs count them in."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tealeaves.counting_plan import GROUP
from tealeaves.counts import Asked, PairCounts, Unit, count_all, window_unit
from tealeaves.errors import InputError
from tealeaves.measures._table import Spec, parse

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.distributed import Cluster
    from tealeaves.dynamic import DynamicTopicModel
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
    """The coherence measure under one such as tq or ttc, with the same top words."""
    if {"coherence", "slice_coherence", "slice_counts"}.isdisjoint(spec.measure.needs):
        return None
    coherence = spec.settings["coherence"]
    if spec.settings.get("compat") == "authors" and coherence == "npmi":
        coherence = "c_npmi"
    inner = parse(f"{coherence}@{spec.top}")
    if "pair_counts" not in inner.measure.needs:
        raise InputError(
            f"{spec}: coherence must be a coherence measure such as 'npmi' or 'c_v'; got {inner.name!r}"
        )
    return inner


class WordPool:
    """The words of many models with one id each, and their topics as ids: what a counting pass counts."""

    def __init__(self, models: "Mapping[str, TopicModel | DynamicTopicModel]", specs: Iterable[Spec]) -> None:
        self._models = models
        self._ids: dict[str, int] = {}
        self._lists: dict[tuple[str, int], Ids] = {}
        self.kept: dict[Any, Any] = {}  # what several measures of these models need, made once
        specs = [spec for spec in specs if counts_words(spec)]
        longest = max((spec.top for spec in specs if spec.top), default=0)
        spans = {spec.settings["window"] for spec in specs if "slice_counts" in spec.measure.needs}
        self.topics: list[list[int]] = []
        for name in models if longest else ():
            self.topics += groups_of(self.top_words(name, longest), sorted(spans))

    @property
    def words(self) -> list[str]:
        """The word of each id."""
        return list(self._ids)

    def top_words(self, name: str, n: int) -> Ids:
        """The first n words of a model's topics as ids, (K, n), padded with -1; over time, (T, K, n)."""
        if (name, n) not in self._lists:
            found: list[Any] = self._models[name].top_words(n)
            if is_dynamic(self._models[name]):
                rows = padded([self._known(topic) for topics in found for topic in topics], n)
                self._lists[name, n] = rows.reshape(len(found), -1, n)
            else:
                self._lists[name, n] = padded([self._known(topic) for topic in found], n)
        return self._lists[name, n]

    def _known(self, words: Sequence[str]) -> list[int]:
        return [self._ids.setdefault(word, len(self._ids)) for word in words]


def is_dynamic(model: Any) -> bool:
    """Whether a model has topics over time."""
    return hasattr(model, "slice_labels")


def groups_of(top_words: Ids, spans: Sequence[int] = ()) -> list[list[int]]:
    """The groups of words whose pairs are to be counted: topics, or over time windows of them.

    The words at both ends of a window of a topic must share a group. Neighbouring windows share most words,
    so as many as fit one bit mask are one group. Where topics change so much that a word would be in more
    groups than if every two words of the model were counted, every two are.
    """
    if top_words.ndim == 2:
        return [[int(w) for w in row if w >= 0] for row in top_words]
    found: list[frozenset[int]] = []
    for rows in top_words.transpose(1, 0, 2):
        slices = [frozenset(int(w) for w in row if w >= 0) for row in rows]
        own: list[frozenset[int]] = []
        for span in (*spans, 1):
            windows = [a | b for a, b in zip(slices, slices[span - 1 :], strict=False)]
            own += _merged([words for words in windows if not any(words <= group for group in own)])
        found += own
    distinct = list(dict.fromkeys(found))
    words = sorted(frozenset[int]().union(*distinct))
    memberships = sum(map(len, distinct))
    if memberships > len(words) * max(2 * len(words) // GROUP, 1):
        return [words]
    return [sorted(group) for group in distinct]


def _merged(windows: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Neighbouring windows put together while their words fit one group."""
    found: list[frozenset[int]] = []
    for words in windows:
        if found and len(found[-1] | words) <= GROUP:
            found[-1] |= words
        else:
            found.append(words)
    return [group for group in found if group]


def counted(
    reference: "Corpus | Index",
    asked: Sequence[Asked],
    *,
    workers: int | None = None,
    cluster: "Cluster | None" = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[Unit, PairCounts]]:
    """Counts of a reference: a corpus is scanned, here or on a cluster; an index counts by itself."""
    counter = getattr(reference, "count_all", None)
    if cluster is not None and (counter is None or hasattr(reference, "stored")):  # also one elsewhere
        return cluster.count_all(reference, asked, progress=progress)
    if counter is not None:
        found: list[dict[Unit, PairCounts]] = counter(asked, workers=workers)
        return found
    return count_all(cast("Corpus", reference), asked, workers=workers, progress=progress)


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
