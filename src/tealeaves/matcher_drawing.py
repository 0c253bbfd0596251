"""Pairs of topics drawn so that near and far ones are as many."""

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.matcher_pairs import Floats, ShownTopic, TopicPair, TopicPairs
from tealeaves.model import TopicModel
from tealeaves.reference_topics import ReferenceTopics
from tealeaves.topic_pairs import (
    BINS,
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

SHOWN = 15  # words and documents that people see of a topic
COPIES = 3  # a reference topic stands in the pool so often


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
