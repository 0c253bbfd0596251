"""What is handed over of topics over time, read and checked: axes, names of slices, gaps, lists of words."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.model import EXACTLY_ONE, ROUGHLY_ONE, SHOWN, TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Floats = NDArray[np.float64]
AXES = ("time", "topic", "word")
LISTS = "slices of topics of words: [[[word, …] of topic 0, [word, …] of topic 1], …]"


def labels_of(slice_labels: Iterable[Any]) -> tuple[str, ...]:
    """The names of slices as text, each once."""
    if isinstance(slice_labels, str | bytes) or not isinstance(slice_labels, Iterable):
        raise InputError(f"slice_labels must be a list with a name for each slice, not {slice_labels!r}")
    if isinstance(slice_labels, set | frozenset | Mapping):
        raise InputError(f"slice_labels must be a list in order, not a {type(slice_labels).__name__}")
    labels = tuple(_label(label) for label in slice_labels)
    for i, label in enumerate(labels):
        if not label:
            raise InputError(f"slice {i} has an empty label: every slice needs a name")
    if len(set(labels)) < len(labels):
        twice = list(dict.fromkeys(label for label in labels if labels.count(label) > 1))
        raise InputError(f"slice_labels name a slice more than once: {listed('label', twice)}")
    return labels


def _label(label: Any) -> str:
    """A slice's name as text: 1990.0, as frames hold years beside gaps, is 1990."""
    plain = label.item() if isinstance(label, np.generic) and label.dtype.kind in "fiub" else label
    if plain is None or plain != plain:
        return ""
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain).strip()


def weights_of(
    topic_word: Any, axes: str | None, n_words: int, labels: tuple[str, ...] | None
) -> tuple[Floats, tuple[str, ...], NDArray[np.bool_]]:
    """The weights as time by topic by word, the slices' names, and which topics are there."""
    array = numbers(topic_word)
    weights = turned(array, order_of(array.shape, axes, n_words, labels))
    labels = tuple(map(str, range(len(weights)))) if labels is None else labels
    if len(labels) != len(weights):
        raise InputError(f"there are {len(labels)} slice_labels, but {len(weights)} slices of topics")
    return weights, labels, present_in(weights, labels)


def numbers(topic_word: Any) -> Floats:
    """An array of numbers with three axes."""
    try:
        array = np.asarray(topic_word, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"topic_word must be an array of numbers with three axes: {error}") from None
    if array.ndim != 3:
        found = f"has shape {array.shape}"
        raise InputError(f"topic_word must have three axes, time, topic and word, but {found}")
    return array


def order_of(
    shape: tuple[int, ...], axes: str | None, n_words: int, labels: tuple[str, ...] | None
) -> tuple[int, int, int]:
    """Where time, topic and word stand among the axes."""
    sizes = f"shape {shape}, a vocabulary of {n_words} words"
    sizes += "" if labels is None else f" and {len(labels)} slice_labels"
    if axes is not None:
        named = axes.split() if isinstance(axes, str) else list(axes)
        if sorted(named) != sorted(AXES):
            raise InputError(f'axes must name time, topic and word, such as "time topic word"; got {axes!r}')
        order = (named.index("time"), named.index("topic"), named.index("word"))
        if shape[order[2]] != n_words or (labels is not None and shape[order[0]] != len(labels)):
            raise InputError(f'topic_word does not fit axes="{" ".join(named)}": there are {sizes}')
        return order
    fitting = [
        order
        for order in permutations(range(3))
        if shape[order[2]] == n_words and (labels is None or shape[order[0]] == len(labels))
    ]
    if not fitting:
        raise InputError(f"topic_word does not fit: there are {sizes}")
    if len(fitting) > 1:
        readings = " or ".join(f'axes="{_spelt(order)}"' for order in fitting)
        raise InputError(f"topic_word can be read in more than one way ({sizes}): say which, {readings}")
    return fitting[0]  # type: ignore[return-value]


def _spelt(order: tuple[int, ...]) -> str:
    return " ".join(name for _, name in sorted(zip(order, AXES, strict=True)))


def turned(array: Floats, order: tuple[int, int, int]) -> Floats:
    """The same with time, topic and word in this order."""
    if not array.size:
        raise InputError(f"topic_word is empty: its shape is {array.shape}")
    return np.ascontiguousarray(array.transpose(order))


def present_in(weights: Floats, labels: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which topics are there in which slice: not those whose weights are all 0 or all nan."""
    unknown = np.isnan(weights)
    gap: NDArray[np.bool_] = unknown.all(axis=2) | (weights == 0).all(axis=2)
    bad = np.argwhere(~np.isfinite(weights).all(axis=2) & ~unknown.all(axis=2))
    if len(bad):
        t, k = bad[0]
        found = f"topic {k} in slice {labels[t]} has"
        raise InputError(f"{found} infinite numbers, or nan beside numbers; a gap is nan or 0 throughout")
    return ~gap


def normalised(weights: Floats, present: NDArray[np.bool_], remarks: list[str]) -> Floats:
    """Rows that sum to 1 wherever there are no negative weights; gaps become 0."""
    if not present.all():
        weights = np.where(present[:, :, None], weights, 0.0)
    if (weights < 0).any():
        remarks.append("topic_word has negative weights: there are no probabilities, only top words")
        return weights
    with np.errstate(over="ignore"):
        sums = weights.sum(axis=2)
    if not np.isfinite(sums).all():
        raise InputError("topic_word holds weights too large to be summed; divide them by a constant")
    off = np.abs(sums - 1)[present]
    if (off <= EXACTLY_ONE).all():
        return weights
    some, low, high = int((off > EXACTLY_ONE).sum()), sums[present].min(), sums[present].max()
    whole = present.all(axis=1)  # only where no topic is missing can all of them share a word
    if weights.shape[1] > 1 and whole.any() and (np.abs(weights[whole].sum(axis=1) - 1) <= ROUGHLY_ONE).all():
        remarks.append(
            "WARNING: weights of each word sum to 1 over the topics, not over the words (as CFDTM's do): "
            "they were renormalised over words"
        )
    else:
        roughly = "sum to 1 only roughly" if (off <= ROUGHLY_ONE).all() else "do not sum to 1"
        span = f"{low:.7g} to {high:.7g}"
        remarks.append(f"the words of {some} of {off.size} rows {roughly} ({span}): they were renormalised")
    wrong = np.abs(sums - 1) > EXACTLY_ONE
    return weights / np.where(wrong & present, sums, 1.0)[:, :, None]


def gaps_of(present: NDArray[np.bool_]) -> str:
    """How many topics are missing, for notes."""
    gaps = int((~present).sum())
    verb = "is" if gaps == 1 else "are"
    return f"{gaps} of {present.size} topics in slices {verb} missing: no word has a weight there"


def lists_of(
    word_lists: Iterable[Any], labels: tuple[str, ...] | None
) -> tuple[tuple[Any, ...], tuple[str, ...], NDArray[np.bool_]]:
    """The lists of words of each slice and topic, the slices' names, and which topics are there."""
    slices = []
    for t, topics in enumerate(series(word_lists)):
        label = str(t) if labels is None or t >= len(labels) else labels[t]
        try:
            # checked as a static model's; a gap is an empty list
            checked = TopicModel(word_lists=[() if topic is None else topic for topic in topics])
        except (InputError, TypeError, AttributeError) as error:
            raise InputError(f"slice {label}: {error}; {LISTS} was wanted") from None
        lists = checked.word_lists or ()
        slices.append(tuple(words if any(words) else () for words in lists))
        if len(slices[-1]) != len(slices[0]):
            same_number(labels or tuple(map(str, range(t + 1))), slices)
    if labels is not None and len(labels) != len(slices):
        raise InputError(f"there are {len(labels)} slice_labels, but {len(slices)} slices of topics")
    labels = tuple(map(str, range(len(slices)))) if labels is None else labels
    return tuple(slices), labels, np.array([[any(topic) for topic in topics] for topics in slices], bool)


def series(slices: Any) -> list[Any]:
    """What is given of each slice, as a list."""
    if isinstance(slices, str | bytes | set | frozenset | Mapping) or not isinstance(slices, Iterable):
        raise InputError(f"topics over time must be {LISTS}, not {type(slices).__name__}")
    given = list(slices)
    if not given:
        raise InputError(f"there is no slice: {LISTS} was wanted")
    return given


def same_number(labels: Sequence[str], slices: Sequence[Any]) -> None:
    """Raise InputError if slices have different numbers of topics; None is a gap."""
    first = next((t for t, topics in enumerate(slices) if topics is not None), 0)
    for t, topics in enumerate(slices):
        if topics is not None and len(topics) != len(slices[first]):
            wanted = f"slice {labels[first]} has {count_of(len(slices[first]), 'topic')}"
            fix = "put None where a topic is missing, so that each keeps its place"
            raise InputError(f"{wanted}, but slice {labels[t]} has {len(topics)}: {fix}")


def without_gaps(topics: Any) -> Any:
    """The same with an empty list for None, which marks a missing topic."""
    if isinstance(topics, Mapping):
        return {key: [] if topic is None else topic for key, topic in topics.items()}
    if isinstance(topics, list | tuple):
        return [[] if topic is None else topic for topic in topics]
    return topics


def in_order(keys: Iterable[str]) -> list[str]:
    """Numbers by their size, anything else as it came."""
    known = list(keys)
    return sorted(known, key=int) if all(key.removeprefix("-").isdecimal() for key in known) else known


def one_row(weights: Floats, present: NDArray[np.bool_]) -> Floats:
    """A topic's row in the place of each of the K topics."""
    t, k = np.unravel_index(int(present.argmax()), present.shape)
    return np.broadcast_to(weights[t, k], weights.shape[1:])


def words_of(lists: tuple[tuple[tuple[str, ...], ...], ...]) -> tuple[str, ...]:
    """All words of the lists, in the order in which they come."""
    return tuple(dict.fromkeys(word for topics in lists for topic in topics for word in topic if word))


def slices_of(
    slice_of: Any, labels: tuple[str, ...], doc_topic: Floats | None, corpus: "Corpus | None"
) -> NDArray[np.int32] | None:
    """The slice of each document: as given, or as the corpus has it where its slices are the model's."""
    if slice_of is None:
        if corpus is None or corpus.slice_of is None or corpus.slice_labels is None:
            return None
        places = {label: t for t, label in enumerate(labels)}
        if set(corpus.slice_labels) != set(labels):  # other slices than the model's
            return None
        slice_of = np.array([places[label] for label in corpus.slice_labels])[corpus.slice_of]
    array = np.asarray(slice_of)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        found = f"{array.dtype} of shape {array.shape}"
        raise InputError(f"slice_of must be the number of the slice of each document, not {found}")
    if array.size and (array.min() < 0 or array.max() >= len(labels)):
        found = f"{array.min()} to {array.max()}"
        raise InputError(f"slice_of must be slices 0 to {len(labels) - 1}, but goes from {found}")
    for name, documents in (("doc_topic", doc_topic), ("corpus", corpus)):
        if documents is not None and len(documents) != len(array):
            raise InputError(f"slice_of is of {len(array)} documents, but {name} of {len(documents)}")
    found_of: NDArray[np.int32] = locked(array.astype(np.int32))
    return found_of


def locked(array: Any) -> Any:
    """The same numbers, which cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def listed(what: str, names: Iterable[Any]) -> str:
    """The first of some names, for messages."""
    shown = [str(name) for name in names]
    more = f", … ({len(shown)} in all)" if len(shown) > SHOWN else ""
    return f"{what if len(shown) == 1 else what + 's'} {', '.join(shown[:SHOWN])}{more}"


def count_of(n: int, what: str) -> str:
    """A number with its noun."""
    return f"{n} {what if n == 1 else what + 's'}"
