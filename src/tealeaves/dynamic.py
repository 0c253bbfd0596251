"""DynamicTopicModel: topics over time, as arrays with named axes, or as lists of words for each slice."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.dynamic_parts import (
    AXES,
    LISTS,
    count_of,
    gaps_of,
    in_order,
    labels_of,
    listed,
    lists_of,
    locked,
    normalised,
    one_row,
    same_number,
    series,
    slices_of,
    weights_of,
    without_gaps,
    words_of,
)
from tealeaves.errors import InputError, MissingInput
from tealeaves.model import SHOWN, TopicModel
from tealeaves.top_words import judged, top_ids

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Floats = NDArray[np.float64]


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
        asked = None if slice_labels is None else labels_of(slice_labels)
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
            weights, labels, present = weights_of(topic_word, axes, len(vocabulary), asked)
        elif word_lists is not None:
            lists, labels, present = lists_of(word_lists, asked)
        else:
            raise InputError("a dynamic topic model needs topic_word (with its vocabulary) or word_lists")
        if not present.any():
            raise InputError("no topic has a word in any slice")
        if not present.all():
            remarks.append(gaps_of(present))
        if weights is not None:
            weights = normalised(weights, present, remarks)
        # What is the same in a static model is judged there: words, topics of documents, names.
        like = TopicModel(
            vocabulary=None if weights is None else vocabulary,
            topic_word=None if weights is None else one_row(weights, present),
            word_lists=None if lists is None else lists[0],
            doc_topic=doc_topic,
            corpus=corpus,
            topic_names=topic_names,
        )
        remarks += [note for note in like.notes if "differ only by blanks" in note]
        values: dict[str, Any] = {
            "vocabulary": like.vocabulary if lists is None else words_of(lists),
            "topic_word": None if weights is None else locked(weights),
            "axes": " ".join(AXES),
            "word_lists": lists,
            "present": locked(present),
            "slice_labels": labels,
            "doc_topic": like.doc_topic,
            "slice_of": slices_of(slice_of, labels, like.doc_topic, corpus),
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
        given = series(slices)
        labels = tuple(map(str, range(len(given)))) if slice_labels is None else labels_of(slice_labels)
        if len(labels) != len(given):
            raise InputError(f"there are {len(labels)} slice_labels, but {len(given)} slices of topics")
        read: list[dict[str, list[str]] | None] = []
        named, notes = False, []
        for label, topics in zip(labels, given, strict=True):
            if topics is None or (isinstance(topics, Mapping | Sequence) and not len(topics)):
                read.append(None)
                continue
            try:
                lists, names, remarks = read_word_lists(without_gaps(topics), outliers=outliers)
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
            keys = in_order(dict.fromkeys(key for topics in found for key in topics))
        else:
            same_number(labels, read)
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
            for model in series(models)
        ]
        labels = tuple(map(str, range(len(given)))) if slice_labels is None else labels_of(slice_labels)
        if len(labels) != len(given):
            raise InputError(f"there are {len(labels)} slice_labels, but {len(given)} models")
        for label, model in zip(labels, given, strict=True):
            if isinstance(model, DynamicTopicModel):
                raise InputError(f"slice {label} has topics over time itself: hand over one static model")
        there: list[TopicModel] = [model for model in given if model is not None]
        if not there:
            raise InputError("there is no model in any slice")
        same_number(labels, [None if model is None else range(model.n_topics) for model in given])
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
            notes=[f"missing in slice {self.slice_labels[t]}: {listed('topic', empty)}"] if empty else [],
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a folder of JSON and .npy files; `load_model` makes the same again from it."""
        from tealeaves.dynamic_store import save

        save(self, path)

    def __repr__(self) -> str:
        size = f"{count_of(self.n_topics, 'topic')} in {count_of(self.n_slices, 'slice')}"
        over = f"{len(self.vocabulary)} words" if self.topic_word is not None else "lists of words alone"
        gaps = int((~self.present).sum())
        missing = f", {count_of(gaps, 'gap')}" if gaps else ""
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
                raise InputError(f"there is no slice {t!r}; there are {listed('slice', self.slice_labels)}")
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
