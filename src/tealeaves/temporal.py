"""Topics over time: verdicts on them, and models made worse in a known way to try what measures react to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.verdicts_over_time import TimeThresholds, verdicts

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["TimeThresholds", "highest_level", "intrude", "repeat_topic", "shuffle_topics", "verdicts"]


def shuffle_topics(model: DynamicTopicModel, seed: int = 0) -> DynamicTopicModel:
    """The same topics in a random order in each slice: nothing goes on from slice to slice.

    Measures within slices stay as they are, to the last digit; smoothness falls to what chance gives. A gap
    stays where it is.

    Examples
    --------
    >>> model = DynamicTopicModel.from_words([[["oil"], ["tax"]]] * 3)
    >>> shuffle_topics(model, seed=1).top_words(1)
    [[['oil'], ['tax']], [['oil'], ['tax']], [['tax'], ['oil']]]
    """
    _check(model, seed)
    rng = np.random.default_rng(seed)
    place = np.tile(np.arange(model.n_topics), (model.n_slices, 1))
    for topics, here in zip(place, model.present, strict=True):
        there = np.flatnonzero(here)
        topics[there] = rng.permutation(there)
    return _taken(model, place, f"topics shuffled within slices (seed {seed})")


def repeat_topic(model: DynamicTopicModel, topic: int | None = None, seed: int = 0) -> DynamicTopicModel:
    """One topic, drawn at random if not named, in place of all: components that collapsed.

    Diversity and quality within slices fall to 0; measures over time are those of the one topic.

    Examples
    --------
    >>> model = DynamicTopicModel.from_words([[["oil"], ["tax"]], [["gas"], ["tax"]]])
    >>> repeat_topic(model, 0).top_words(1)
    [[['oil'], ['oil']], [['gas'], ['gas']]]
    """
    _check(model, seed)
    if topic is None:
        there = np.flatnonzero(model.present.any(0))
        topic = int(np.random.default_rng(seed).choice(there))
    if not isinstance(topic, int | np.integer) or not 0 <= topic < model.n_topics:
        raise InputError(f"topic must be a number from 0 to {model.n_topics - 1}; got {topic!r}")
    if not model.present[:, topic].any():
        raise InputError(f"topic {topic} is missing in every slice of model {model.name!r}")
    place = np.full((model.n_slices, model.n_topics), topic)
    return _taken(model, place, f"topic {topic} repeated in place of all")


def intrude(
    model: DynamicTopicModel,
    level: int,
    seed: int = 0,
    *,
    slices: Sequence[int | str] | int | str | None = None,
    topics: Sequence[int] | int | None = None,
    top: int = 10,
) -> DynamicTopicModel:
    """Temporal word intrusion: in one slice of a topic, some words are replaced by words of other topics.

    Parameters
    ----------
    model : DynamicTopicModel
        At least two topics.
    level : int
        How many words are replaced, at most ``top`` and the words that a topic has: `highest_level`. Words
        replaced at a level are so at those above.
    seed : int
        Draws the slice of each topic, the words that go and the words that come. Each topic has draws of its
        own: others beside it move nothing.
    slices : slice or sequence of them, by number or label, optional
        Where topics are intruded upon; by default one slice of each topic, drawn at random.
    topics : int or sequence of int, optional
        Which topics; all by default.
    top : int
        The length of the lists of words that the result consists of.

    Returns
    -------
    DynamicTopicModel
        Lists of words. Intruders are top words of other topics, of the same slice where it has enough, and
        never words that the topic itself has in any slice.

    Raises
    ------
    InputError
        If level is not 0 to ``top``, there is no such topic or slice, a list is shorter than the level, or
        there are too few other words.

    Examples
    --------
    >>> model = DynamicTopicModel.from_words([[["oil", "gas"], ["tax", "law"]]] * 2)
    >>> intrude(model, 1, topics=0).top_words(2)
    [[['oil', 'gas'], ['tax', 'law']], [['law', 'gas'], ['tax', 'law']]]
    """
    _check(model, seed)
    if not isinstance(level, int | np.integer) or not 0 <= level <= top:
        raise InputError(f"level must be a whole number of words from 0 to {top}; got {level!r}")
    before, lists = model.top_words(top), model.top_words(top)  # intruders come from topics as they were
    chosen = _topics(model, topics)
    for k in chosen:
        rng = np.random.default_rng([seed, int(k)])
        there = np.flatnonzero(model.present[:, k])
        drawn = int(rng.choice(there)) if len(there) else -1
        if not len(there):
            continue
        for t in [drawn] if slices is None else _slices(model, slices):
            if model.present[t, k]:
                lists[t][k] = _intruded(before, t, int(k), level, rng, model.slice_labels[t])
    note = f"{level} of {top} words of {len(chosen)} topics replaced in one slice (seed {seed})"
    return DynamicTopicModel(
        word_lists=lists,
        slice_labels=model.slice_labels,
        name=model.name,
        source=model.source,
        topic_names=model.topic_names,
        notes=[*model.notes, note],
    )


def highest_level(model: DynamicTopicModel, topics: Sequence[int] | int | None = None, top: int = 10) -> int:
    """How many words of each topic can be replaced in any slice: its shortest list, or as many strangers.

    Parameters
    ----------
    model, topics, top
        As for `intrude`.

    Examples
    --------
    >>> highest_level(DynamicTopicModel.from_words([[["oil", "gas"], ["tax", "law", "court"]]]))
    2
    """
    _check(model, 0)
    lists = model.top_words(top)
    every = {word for here in lists for words in here for word in words}
    level = top
    for k in _topics(model, topics):
        mine = [here[k] for here in lists if here[k]]
        own = {word for words in mine for word in words}
        level = min([level, len(every - own), *map(len, mine)])
    return level


def _intruded(
    lists: list[list[list[str]]], t: int, k: int, level: int, rng: "Generator", label: str
) -> list[str]:
    own = {word for topics in lists for word in topics[k]}
    if level > len(lists[t][k]):
        raise InputError(
            f"topic {k} in slice {label}: {level} words are to go, but it has only {len(lists[t][k])}"
        )
    places = rng.permutation(len(lists[t][k]))
    same = sorted({w for q, words in enumerate(lists[t]) if q != k for w in words} - own)
    more = sorted({w for topics in lists for q, words in enumerate(topics) if q != k for w in words} - own)
    rest = sorted(set(more) - set(same))
    intruders = [words[i] for words in (same, rest) for i in rng.permutation(len(words))]
    if level > len(intruders):
        raise InputError(
            f"topic {k} in slice {label}: {level} words of other topics are wanted, but they have only "
            f"{len(intruders)} that are not its own"
        )
    words = list(lists[t][k])
    for place, word in zip(places[:level], intruders, strict=False):
        words[place] = word
    return words


def _topics(model: DynamicTopicModel, topics: Sequence[int] | int | None) -> NDArray[np.intp]:
    chosen = np.atleast_1d(np.arange(model.n_topics) if topics is None else np.asarray(topics))
    if chosen.dtype.kind not in "iu" or ((chosen < 0) | (chosen >= model.n_topics)).any():
        raise InputError(f"topics must be numbers from 0 to {model.n_topics - 1}; got {topics!r}")
    return chosen


def _slices(model: DynamicTopicModel, slices: Sequence[int | str] | int | str) -> list[int]:
    given = [slices] if isinstance(slices, str | int | np.integer) else list(slices)
    found = []
    for one in given:
        if isinstance(one, str) and one in model.slice_labels:
            found.append(model.slice_labels.index(one))
        elif not isinstance(one, str) and 0 <= one < model.n_slices:
            found.append(int(one))
        else:
            raise InputError(
                f"there is no slice {one!r}: number one from 0 to {model.n_slices - 1}, or name one, "
                f"such as {model.slice_labels[0]!r}"
            )
    return found


def _check(model: DynamicTopicModel, seed: int) -> None:
    if not isinstance(model, DynamicTopicModel):
        raise InputError(f"a DynamicTopicModel was wanted; got {type(model).__name__}")
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0; got {seed!r}")


def _taken(model: DynamicTopicModel, place: NDArray[np.intp], note: str) -> DynamicTopicModel:
    """In slice t, topic k is topic ``place[t, k]`` of the model."""
    rows = np.arange(model.n_slices)[:, None]
    notes = [*model.notes, note]
    if model.topic_word is not None:
        return DynamicTopicModel(
            model.vocabulary,
            model.topic_word[rows, place],
            "time topic word",
            model.slice_labels,
            name=model.name,
            source=model.source,
            notes=notes,
        )
    lists = model.word_lists or ()
    return DynamicTopicModel(
        word_lists=[[topics[k] for k in here] for topics, here in zip(lists, place, strict=True)],
        slice_labels=model.slice_labels,
        name=model.name,
        source=model.source,
        notes=notes,
    )
