"""DynamicTopicModel: topics over time, as arrays with named axes, or as lists of words for each slice."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError, MissingInput
from tealeaves.model import EXACTLY_ONE, ROUGHLY_ONE, SHOWN, TopicModel
from tealeaves.top_words import judged, top_ids

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Floats = NDArray[np.float64]
AXES = ("time", "topic", "word")
LISTS = "slices of topics of words: [[[word, …] of topic 0, [word, …] of topic 1], …]"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class DynamicTopicModel:
    """K topics in each of T slices of time over a vocabulary of V words. It is not changed by anything.

    A topic may be missing in a slice: a gap.

    Parameters
    ----------
    vocabulary : sequence of str
        The V words, each once; blanks at their ends are stripped.
    topic_word : array of three axes
        Weights of the words in each topic in each slice; kept as (T, K, V). A row whose numbers are all 0
        or all nan is a gap. Rows are normalised to sum to 1 and ``notes`` say so where they did not;
        negative weights are kept as they are, but such a model has no ``probabilities()``.
    axes : str, optional
        The order of ``topic_word``'s axes, such as "time topic word" or "topic time word". It may be left
        out where ``vocabulary`` and ``slice_labels`` leave one reading only.
    slice_labels : sequence, optional
        What the slices are called, in order, each once; made text. By default "0", "1", …
    doc_topic : array of shape (D, K), optional
        Weights of the topics in each document.
    slice_of : int array of shape (D,), optional
        The slice of each document; taken from ``corpus`` if it has the same slices.
    corpus : Corpus, optional
        The D documents it was trained on.
    name, source, topic_names, notes
        As `TopicModel` has them.
    word_lists : sequence over slices of sequences over topics of words
        Instead of ``vocabulary`` and ``topic_word``: lists of words, best first, None or an empty one for a
        gap. `from_words` reads them in many shapes.

    Raises
    ------
    InputError
        If shapes do not fit together or can be read in two ways, a number is infinite or only some of a
        row are nan, or two slices have one name.

    Examples
    --------
    >>> model = DynamicTopicModel(
    ...     ["gas", "oil"], [[[1, 3], [0, 0]], [[1, 1], [4, 0]]], "time topic word", [1990, 1991]
    ... )
    >>> model.top_words(1)
    [[['oil'], []], [['gas'], ['gas']]]
    >>> model.present.tolist(), model.slice_labels
    ([[True, False], [True, True]], ('1990', '1991'))
    """

    vocabulary: tuple[str, ...]
    topic_word: Floats | None
    word_lists: tuple[tuple[tuple[str, ...], ...], ...] | None
    axes: str  # of topic_word as it is kept, whatever it was handed over as
    present: NDArray[np.bool_] = field(init=False)
    slice_labels: tuple[str, ...]
    doc_topic: Floats | None
    slice_of: NDArray[np.int32] | None
    corpus: "Corpus | None"
    name: str
    source: str
    topic_names: tuple[str, ...] | None
    notes: tuple[str, ...]
    _top: dict[str, NDArray[np.int32]] = field(init=False)  # the longest lists made so far

    def __init__(
        self,
        vocabulary: Sequence[str] | None = None,
        topic_word: ArrayLike | None = None,
        axes: str | None = None,
        slice_labels: Iterable[Any] | None = None,
        doc_topic: ArrayLike | None = None,
        slice_of: ArrayLike | None = None,
        corpus: "Corpus | None" = None,
        name: str = "model",
        source: str = "",
        word_lists: Iterable[Iterable[Sequence[str] | None]] | None = None,
        topic_names: Sequence[str] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        labels = None if slice_labels is None else _labels(slice_labels)
        weights: Floats | None = None
        lists: tuple[tuple[tuple[str, ...], ...], ...] | None = None
        remarks: list[str] = []
        if topic_word is not None:
            if word_lists is not None:
                raise InputError("hand over topic_word or word_lists, not both")
            if vocabulary is None:
                raise InputError("topic_word needs a vocabulary: vocabulary=[word of each column]")
            if not isinstance(vocabulary, str | dict):  # which are told below
                vocabulary = tuple(vocabulary)
            array = _numbers(topic_word)
            weights = _turned(array, _order(array.shape, axes, len(vocabulary), labels))
            labels = tuple(map(str, range(len(weights)))) if labels is None else labels
            if len(labels) != len(weights):
                raise InputError(f"there are {len(labels)} slice_labels, but {len(weights)} slices of topics")
            present = _present(weights, labels)
        elif word_lists is not None:
            lists = _lists(word_lists, labels)
            labels = tuple(map(str, range(len(lists)))) if labels is None else labels
            present = np.array([[any(topic) for topic in topics] for topics in lists], dtype=bool)
        else:
            raise InputError("a dynamic topic model needs topic_word (with its vocabulary) or word_lists")
        if not present.any():
            raise InputError("no topic has a word in any slice")
        if not present.all():
            remarks.append(_gaps(present))
        if weights is not None:
            weights = _normalised(weights, present, remarks)
        # What is the same in a static model is judged there: words, topics of documents, names.
        like = TopicModel(
            vocabulary=None if weights is None else vocabulary,
            topic_word=None if weights is None else _one_row(weights, present),
            word_lists=None if lists is None else lists[0],
            doc_topic=doc_topic,
            corpus=corpus,
            topic_names=topic_names,
        )
        remarks += [note for note in like.notes if "differ only by blanks" in note]
        values: dict[str, Any] = {
            "vocabulary": like.vocabulary if lists is None else _words(lists),
            "topic_word": None if weights is None else _locked(weights),
            "axes": " ".join(AXES),
            "word_lists": lists,
            "present": _locked(present),
            "slice_labels": labels,
            "doc_topic": like.doc_topic,
            "slice_of": _slice_of(slice_of, labels, like.doc_topic, corpus),
            "corpus": corpus,
            "name": str(name),
            "source": str(source),
            "topic_names": like.topic_names,
            "notes": tuple(dict.fromkeys([*notes, *remarks])),
            "_top": {},
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @classmethod
    def from_words(
        cls,
        slices: Any,
        *,
        slice_labels: Iterable[Any] | None = None,
        name: str = "model",
        outliers: str = "drop",
        source: str = "",
    ) -> "DynamicTopicModel":
        """A model that is lists of words alone, for each slice.

        Parameters
        ----------
        slices
            For each slice its topics, in any form that `TopicModel.from_words` takes; None for a topic, or a
            whole slice, that is missing. Or a dict of these by slice, whose keys are the labels. Where
            topics are dicts, equal keys are one topic, and one that a slice lacks is a gap in it.
        slice_labels
            What the slices are called, in order.
        outliers : {"drop", "keep"}
            What becomes of a topic -1.

        Raises
        ------
        InputError
            If ``slices`` is none of these, or slices have different numbers of topics; it names the slice.

        Examples
        --------
        >>> model = DynamicTopicModel.from_words(
        ...     [[["oil", "gas"], None], [["oil", "gas"], ["tax", "law"]]], slice_labels=[1990, 1991]
        ... )
        >>> model.n_slices, model.n_topics, model.top_words(2)[0]
        (2, 2, [['oil', 'gas'], []])
        """
        from tealeaves.word_lists import read_word_lists

        if isinstance(slices, Mapping):
            if slice_labels is not None:
                raise InputError("slices are a dict, whose keys are their labels: hand over no slice_labels")
            slice_labels, slices = list(slices), list(slices.values())
        given = _series(slices)
        labels = tuple(map(str, range(len(given)))) if slice_labels is None else _labels(slice_labels)
        if len(labels) != len(given):
            raise InputError(f"there are {len(labels)} slice_labels, but {len(given)} slices of topics")
        read: list[dict[str, list[str]] | None] = []
        named, notes = False, []
        for label, topics in zip(labels, given, strict=True):
            if topics is None or (isinstance(topics, Mapping | Sequence) and not len(topics)):
                read.append(None)
                continue
            try:
                lists, names, remarks = read_word_lists(_without_gaps(topics), outliers=outliers)
            except InputError as error:
                raise InputError(f"slice {label}: {error}") from None
            named |= isinstance(topics, Mapping) or names is not None
            keys = names or [str(i) for i in range(len(lists))]
            if len(set(keys)) < len(keys):
                raise InputError(f"slice {label} holds two topics of one name: {', '.join(keys[:SHOWN])}")
            read.append(dict(zip(keys, lists, strict=True)))
            notes += [f"slice {label}: {note}" if "do not fall" in note else note for note in remarks]
        found = [topics for topics in read if topics is not None]
        if not found:
            raise InputError(f"there is no topic in any slice: {LISTS} was wanted")
        if named:
            keys = _in_order(dict.fromkeys(key for topics in found for key in topics))
        else:
            _same_number(labels, read)
            keys = list(found[0])
        counted = keys == [str(i) for i in range(len(keys))]
        return cls(
            word_lists=[[(topics or {}).get(key) for key in keys] for topics in read],
            slice_labels=labels,
            name=name,
            source=source,
            topic_names=None if counted else keys,
            notes=notes,
        )

    @classmethod
    def from_slices(
        cls,
        models: Iterable[Any],
        *,
        slice_labels: Iterable[Any] | None = None,
        name: str = "model",
        source: str = "",
    ) -> "DynamicTopicModel":
        """A model from a static one for each slice, whose topics are the same by their position.

        Parameters
        ----------
        models
            A `TopicModel` for each slice, or whatever `read_model` takes; None for a slice without one.
            Their vocabularies may differ: the union is taken, and a word that a slice lacks weighs 0 there.
            If one of them is lists of words alone, lists are made of all.

        Raises
        ------
        InputError
            If they have different numbers of topics; it names the slice.

        Examples
        --------
        >>> models = [TopicModel(["gas", "oil"], [[1, 3]]), TopicModel(["oil", "tar"], [[1, 1]])]
        >>> DynamicTopicModel.from_slices(models, slice_labels=["a", "b"]).topic_word.tolist()
        [[[0.25, 0.75, 0.0]], [[0.0, 0.5, 0.5]]]
        """
        from tealeaves.model import read_model

        given: list[Any] = [
            model if model is None or isinstance(model, TopicModel) else read_model(model)
            for model in _series(models)
        ]
        labels = tuple(map(str, range(len(given)))) if slice_labels is None else _labels(slice_labels)
        if len(labels) != len(given):
            raise InputError(f"there are {len(labels)} slice_labels, but {len(given)} models")
        for label, model in zip(labels, given, strict=True):
            if isinstance(model, DynamicTopicModel):
                raise InputError(f"slice {label} has topics over time itself: hand over one static model")
        there: list[TopicModel] = [model for model in given if model is not None]
        if not there:
            raise InputError("there is no model in any slice")
        _same_number(labels, [None if model is None else range(model.n_topics) for model in given])
        about: dict[str, Any] = {"slice_labels": labels, "name": name, "source": source}
        if len({model.topic_names for model in there}) == 1:
            about["topic_names"] = there[0].topic_names
        n_topics = there[0].n_topics
        if any(model.topic_word is None for model in there):
            n = max(len(model.vocabulary) for model in there)
            gap: list[None] = [None] * n_topics
            return cls(word_lists=[gap if m is None else m.top_words(n) for m in given], **about)
        words = tuple(dict.fromkeys(word for model in there for word in model.vocabulary))
        column = {word: i for i, word in enumerate(words)}
        weights = np.zeros((len(given), n_topics, len(words)))
        for t, model in enumerate(given):
            if model is not None:
                weights[t][:, [column[word] for word in model.vocabulary]] = model.topic_word
        return cls(words, weights, "time topic word", **about)

    @property
    def n_topics(self) -> int:
        """K, the number of topics."""
        return int(self.present.shape[1])

    @property
    def n_slices(self) -> int:
        """T, the number of slices."""
        return int(self.present.shape[0])

    def top_words(self, n: int = 10) -> list[list[list[str]]]:
        """For each slice, the first n words of each topic, best first; an empty list for a gap.

        Ties, blanks and repeated words go as `TopicModel.top_words` says.
        """
        return [[judged(words, n)[0] for words in topics] for topics in self._first(n)]

    def top_words_report(self, n: int = 10) -> list[list[list[str]]]:
        """For each slice and topic, why its list of n top words is not n different words.

        Examples
        --------
        >>> DynamicTopicModel.from_words([[["oil", "gas", ""]], [None]]).top_words_report(3)
        [[['1 blank word dropped', '2 words only']], [['no words']]]
        """
        return [[judged(words, n)[1] for words in topics] for topics in self._first(n)]

    def probabilities(self) -> Floats:
        """p(word | topic, slice), of shape (T, K, V): rows sum to 1, a gap's are 0.

        Raises
        ------
        MissingInput
            If the model is lists of words alone.
        InputError
            If weights are negative: they are no probabilities up to a factor.
        """
        if self.topic_word is None:
            wanted = "needs word weights (topic_word), but"
            raise MissingInput(f"{wanted} model {self.name!r} is lists of words alone")
        if (self.topic_word < 0).any():
            found = f"model {self.name!r} has negative weights"
            raise InputError(f"{found}, which cannot be made probabilities; use top words only")
        return self.topic_word

    def slice(self, t: int | str) -> TopicModel:
        """The topics of one slice, a static model of all K; a gap is a topic without words.

        Parameters
        ----------
        t
            The slice's number, from 0, or its label.

        Raises
        ------
        InputError
            If there is no such slice.
        """
        t = self._position(t)
        of_slice = None if self.slice_of is None else np.flatnonzero(self.slice_of == t)
        empty = np.flatnonzero(~self.present[t]).tolist()
        return TopicModel(
            vocabulary=None if self.topic_word is None else self.vocabulary,
            topic_word=None if self.topic_word is None else self.topic_word[t],
            word_lists=None if self.word_lists is None else self.word_lists[t],
            doc_topic=None if self.doc_topic is None or of_slice is None else self.doc_topic[of_slice],
            corpus=None if self.corpus is None or of_slice is None else self.corpus.select(of_slice),
            name=f"{self.name} {self.slice_labels[t]}",
            source=self.source,
            topic_names=self.topic_names,
            notes=[f"missing in slice {self.slice_labels[t]}: {_named('topic', empty)}"] if empty else [],
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a folder of JSON and .npy files; `load_model` makes the same again from it."""
        from tealeaves.dynamic_store import save

        save(self, path)

    def __repr__(self) -> str:
        size = f"{_count(self.n_topics, 'topic')} in {_count(self.n_slices, 'slice')}"
        over = f"{len(self.vocabulary)} words" if self.topic_word is not None else "lists of words alone"
        gaps = int((~self.present).sum())
        missing = f", {_count(gaps, 'gap')}" if gaps else ""
        return f"<DynamicTopicModel {self.name!r}: {size}, {over}{missing}>"

    def _repr_html_(self) -> str:
        from tealeaves.html_table import html_table

        slices = self.top_words(6)
        ends = (slices[0], slices[-1])
        rows = [(k, *(" ".join(words[k]) for words in ends)) for k in range(self.n_topics)]
        head = ("topic", f"in {self.slice_labels[0]}", f"in {self.slice_labels[-1]}")
        return html_table(repr(self).strip("<>"), rows, head=head)

    def _position(self, t: int | str) -> int:
        if isinstance(t, str):
            if t not in self.slice_labels:
                raise InputError(f"there is no slice {t!r}; there are {_named('slice', self.slice_labels)}")
            return self.slice_labels.index(t)
        if not -self.n_slices <= t < self.n_slices:
            raise InputError(f"slice {t} was asked for, but there are {self.n_slices} (name one by its text)")
        return int(t) % self.n_slices

    def _first(self, n: int) -> list[list[Sequence[str]]]:
        """The first n words of each topic in each slice, not judged yet."""
        if n < 1:
            raise InputError(f"the number of top words must be at least 1, got {n}")
        if self.topic_word is None:
            return [[words[:n] for words in topics] for topics in self.word_lists or ()]
        ids = self._top.get("ids")
        if ids is None or ids.shape[2] < n:
            flat = self.topic_word.reshape(-1, len(self.vocabulary))
            ids = self._top["ids"] = top_ids(flat, n).reshape(self.n_slices, self.n_topics, n)
        return [
            [[self.vocabulary[i] for i in row if i >= 0] for row in topics]
            for topics in ids[:, :, :n].tolist()
        ]


def _labels(slice_labels: Iterable[Any]) -> tuple[str, ...]:
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
        raise InputError(f"slice_labels name a slice more than once: {_named('label', twice)}")
    return labels


def _label(label: Any) -> str:
    """A slice's name as text: 1990.0, as frames hold years beside gaps, is 1990."""
    plain = label.item() if isinstance(label, np.generic) and label.dtype.kind in "fiub" else label
    if plain is None or plain != plain:
        return ""
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain).strip()


def _numbers(topic_word: Any) -> Floats:
    try:
        array = np.asarray(topic_word, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"topic_word must be an array of numbers with three axes: {error}") from None
    if array.ndim != 3:
        found = f"has shape {array.shape}"
        raise InputError(f"topic_word must have three axes, time, topic and word, but {found}")
    return array


def _order(
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


def _turned(array: Floats, order: tuple[int, int, int]) -> Floats:
    if not array.size:
        raise InputError(f"topic_word is empty: its shape is {array.shape}")
    return np.ascontiguousarray(array.transpose(order))


def _present(weights: Floats, labels: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which topics are there in which slice: not those whose weights are all 0 or all nan."""
    unknown = np.isnan(weights)
    gap: NDArray[np.bool_] = unknown.all(axis=2) | (weights == 0).all(axis=2)
    bad = np.argwhere(~np.isfinite(weights).all(axis=2) & ~unknown.all(axis=2))
    if len(bad):
        t, k = bad[0]
        found = f"topic {k} in slice {labels[t]} has"
        raise InputError(f"{found} infinite numbers, or nan beside numbers; a gap is nan or 0 throughout")
    return ~gap


def _normalised(weights: Floats, present: NDArray[np.bool_], remarks: list[str]) -> Floats:
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


def _gaps(present: NDArray[np.bool_]) -> str:
    gaps = int((~present).sum())
    verb = "is" if gaps == 1 else "are"
    return f"{gaps} of {present.size} topics in slices {verb} missing: no word has a weight there"


def _lists(word_lists: Iterable[Any], labels: tuple[str, ...] | None) -> tuple[Any, ...]:
    slices = []
    for t, topics in enumerate(_series(word_lists)):
        label = str(t) if labels is None or t >= len(labels) else labels[t]
        try:
            # checked as a static model's; a gap is an empty list
            checked = TopicModel(word_lists=[() if topic is None else topic for topic in topics])
        except (InputError, TypeError, AttributeError) as error:
            raise InputError(f"slice {label}: {error}; {LISTS} was wanted") from None
        lists = checked.word_lists or ()
        slices.append(tuple(words if any(words) else () for words in lists))
        if len(slices[-1]) != len(slices[0]):
            _same_number(labels or tuple(map(str, range(t + 1))), slices)
    if labels is not None and len(labels) != len(slices):
        raise InputError(f"there are {len(labels)} slice_labels, but {len(slices)} slices of topics")
    return tuple(slices)


def _series(slices: Any) -> list[Any]:
    if isinstance(slices, str | bytes | set | frozenset | Mapping) or not isinstance(slices, Iterable):
        raise InputError(f"topics over time must be {LISTS}, not {type(slices).__name__}")
    given = list(slices)
    if not given:
        raise InputError(f"there is no slice: {LISTS} was wanted")
    return given


def _same_number(labels: Sequence[str], slices: Sequence[Any]) -> None:
    """Raise InputError if slices have different numbers of topics; None is a gap."""
    first = next((t for t, topics in enumerate(slices) if topics is not None), 0)
    for t, topics in enumerate(slices):
        if topics is not None and len(topics) != len(slices[first]):
            wanted = f"slice {labels[first]} has {_count(len(slices[first]), 'topic')}"
            fix = "put None where a topic is missing, so that each keeps its place"
            raise InputError(f"{wanted}, but slice {labels[t]} has {len(topics)}: {fix}")


def _without_gaps(topics: Any) -> Any:
    """The same with an empty list for None, which marks a missing topic."""
    if isinstance(topics, Mapping):
        return {key: [] if topic is None else topic for key, topic in topics.items()}
    if isinstance(topics, list | tuple):
        return [[] if topic is None else topic for topic in topics]
    return topics


def _in_order(keys: Iterable[str]) -> list[str]:
    """Numbers by their size, anything else as it came."""
    known = list(keys)
    return sorted(known, key=int) if all(key.removeprefix("-").isdecimal() for key in known) else known


def _one_row(weights: Floats, present: NDArray[np.bool_]) -> Floats:
    """A topic's row in the place of each of the K topics."""
    t, k = np.unravel_index(int(present.argmax()), present.shape)
    return np.broadcast_to(weights[t, k], weights.shape[1:])


def _words(lists: tuple[tuple[tuple[str, ...], ...], ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for topics in lists for topic in topics for word in topic if word))


def _slice_of(
    slice_of: Any, labels: tuple[str, ...], doc_topic: Floats | None, corpus: "Corpus | None"
) -> NDArray[np.int32] | None:
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
    locked: NDArray[np.int32] = _locked(array.astype(np.int32))
    return locked


def _locked(array: Any) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view


def _named(what: str, names: Iterable[Any]) -> str:
    shown = [str(name) for name in names]
    more = f", … ({len(shown)} in all)" if len(shown) > SHOWN else ""
    return f"{what if len(shown) == 1 else what + 's'} {', '.join(shown[:SHOWN])}{more}"


def _count(n: int, what: str) -> str:
    return f"{n} {what if n == 1 else what + 's'}"
