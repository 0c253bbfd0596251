"""Known ways to make models worse: of topics, of topics of tokens, and of topics over time."""

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.dynamic import DynamicTopicModel

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Random = np.random.Generator
POOL = 30  # most frequent words that stop-word topics are made of
RARE = 5  # rare words are in so many documents at most, or are the rarest there are
WORDS = 20  # of a topic of rare words

# --- topics: (K, V) probabilities, how often each word is in how many documents, strength, generator


def shuffled_words(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """In each topic a share of the words trade their probabilities at random."""
    result = phi.copy()
    n = phi.shape[1]
    for row in result:
        moved = rng.permutation(n)[: round(strength * n)]
        row[moved] = row[rng.permutation(moved)]
    return result


def mixed_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """Each topic is mixed with another, half and half at the most."""
    other = _derangement(len(phi), rng)
    return (1 - strength / 2) * phi + strength / 2 * phi[other]


def duplicated_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """A share of the topics, three quarters at the most, are replaced by copies of the others."""
    order = rng.permutation(len(phi))
    n = min(round(0.75 * strength * len(phi)), len(phi) - 1)
    result = phi.copy()
    result[order[:n]] = phi[rng.choice(order[n:], n)]
    return result


def random_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """A share of the topics are replaced by nearly even ones: a draw of a Dirichlet(1) over all words."""
    return _replaced(phi, strength, rng, lambda: rng.dirichlet(np.ones(phi.shape[1])))


def stop_word_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """A share of the topics are replaced by words that most documents hold, about as frequent as there."""
    pool = np.argsort(-frequency, kind="stable")[: min(POOL, phi.shape[1] // 4)]
    # each its own list: the frequent words in an order that differs a little from topic to topic
    return _replaced(
        phi,
        strength,
        rng,
        lambda: _weighted(pool, frequency[pool] * rng.gamma(3.0, size=len(pool)), phi.shape[1]),
    )


def rare_word_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """A share of the topics are replaced by lists of words that hardly any document holds."""
    order = np.argsort(frequency, kind="stable")
    order = order[frequency[order] > 0]
    rare = order[frequency[order] <= RARE]
    pool = rare if len(rare) >= 2 * WORDS else order[: 2 * WORDS]
    ranks = 1.0 / np.arange(1, WORDS + 1)
    return _replaced(
        phi, strength, rng, lambda: _weighted(rng.permutation(pool)[:WORDS], ranks, phi.shape[1])
    )


def _replaced(phi: Floats, strength: float, rng: Random, draw: Callable[[], Floats]) -> Floats:
    result = phi.copy()
    for k in rng.permutation(len(phi))[: round(strength * len(phi))]:
        result[k] = draw()
    return result


def _weighted(words: NDArray[np.intp], weights: Floats, n_words: int) -> Floats:
    """A topic of these words, with a little for all others."""
    row = np.full(n_words, 1e-6)
    row[words] = weights[: len(words)] / weights[: len(words)].sum()
    return np.asarray(row / row.sum())


def _derangement(n: int, rng: Random) -> NDArray[np.intp]:
    """Another topic for each: the next of a circle drawn at random."""
    order = rng.permutation(n)
    other = np.empty(n, dtype=np.intp)
    other[order] = np.roll(order, 1)
    return other


# --- topics of tokens: topics, offsets of documents, K, strength, generator


def random_tokens(topics: Ids, offsets: Any, k: int, strength: float, rng: Random) -> Ids:
    """A share of the tokens get any topic."""
    moved = rng.random(len(topics)) < strength
    return np.where(moved, rng.integers(k, size=len(topics)), topics).astype(np.int32)


def flipped_tokens(topics: Ids, offsets: Any, k: int, strength: float, rng: Random) -> Ids:
    """A share of the tokens of each document trade topics with each other: the document's shares stay."""
    result = topics.copy()
    for first, last in pairwise(offsets):
        places = first + np.flatnonzero(rng.random(last - first) < strength)
        result[places] = result[rng.permutation(places)]
    return result


def one_topic_documents(topics: Ids, offsets: Any, k: int, strength: float, rng: Random) -> Ids:
    """In a share of the documents all tokens get the topic that most of them have."""
    result = topics.copy()
    for first, last in pairwise(offsets):
        if last > first and rng.random() < strength:
            result[first:last] = np.bincount(topics[first:last].clip(0), minlength=k).argmax()
    return result


# --- topics over time: the model, strength, generator


def shuffled_slices(model: "DynamicTopicModel", strength: float, rng: Random) -> "DynamicTopicModel":
    """In a share of the slices topics stand in a random order."""
    phi = _phi(model)
    for t in rng.permutation(len(phi))[: round(strength * len(phi))]:
        phi[t] = phi[t][_derangement(phi.shape[1], rng)]
    return _over_time(model, phi)


def repeated_topics(model: "DynamicTopicModel", strength: float, rng: Random) -> "DynamicTopicModel":
    """A share of the topics are replaced by one of the others, in all slices."""
    phi = _phi(model)
    order = rng.permutation(phi.shape[1])
    phi[:, order[: min(round(strength * len(order)), len(order) - 1)]] = phi[:, order[-1:]]
    return _over_time(model, phi)


def intruded_words(model: "DynamicTopicModel", strength: float, rng: Random) -> "DynamicTopicModel":
    """In one slice of each topic a share of its ten top words are replaced by those of other topics."""
    from tealeaves.temporal import highest_level, intrude

    return intrude(model, round(strength * min(10, highest_level(model))), int(rng.integers(2**31)))


def frozen_topics(model: "DynamicTopicModel", strength: float, rng: Random) -> "DynamicTopicModel":
    """A share of the slices, the last ones, have the topics of the slice before: nothing moves any more."""
    phi = _phi(model)
    first = len(phi) - round(strength * (len(phi) - 1))
    phi[first:] = phi[first - 1]
    return _over_time(model, phi)


def _phi(model: "DynamicTopicModel") -> Floats:
    if model.topic_word is None:
        raise InputError(f"model {model.name!r} is lists of words alone: degradations need weights")
    return np.array(model.topic_word)


def _over_time(model: "DynamicTopicModel", phi: Floats) -> "DynamicTopicModel":
    from tealeaves.dynamic import DynamicTopicModel

    return DynamicTopicModel(
        model.vocabulary, phi, "time topic word", slice_labels=model.slice_labels, name=model.name
    )


TOPICS: dict[str, Callable[..., Floats]] = {
    "shuffled words": shuffled_words,
    "mixed topics": mixed_topics,
    "duplicated topics": duplicated_topics,
    "random topics": random_topics,
    "stop-word topics": stop_word_topics,
    "rare-word topics": rare_word_topics,
}
TOKENS: dict[str, Callable[..., Ids]] = {
    "random topics of tokens": random_tokens,
    "flips within documents": flipped_tokens,
    "one topic a document": one_topic_documents,
}
TIME: dict[str, Callable[..., Any]] = {
    "shuffled slices": shuffled_slices,
    "repeated topics": repeated_topics,
    "intruded words": intruded_words,
    "frozen topics": frozen_topics,
}
