"""ReferenceTopics: the topics an analyst looks for, as words and, where known, documents."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.measures.distances import norms_of
from tealeaves.model import TopicModel
from tealeaves.scaling import rows_to_one

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Floats = NDArray[np.float64]
VOCABULARIES = 8  # of models, whose columns are kept: those of one corpus are all alike
SPARSE = 0.03  # of the weights: a product of whole matrices is faster where more are not 0
PREFERENCES = {"words": (0.8, 0.2), "docs": (0.2, 0.8), None: (0.5, 0.5)}  # shares of words and of documents


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ReferenceTopics:
    """R topics that somebody knows to be in the texts: what a model's topics are held against.

    Parameters
    ----------
    vocabulary : sequence of str
        V words, the columns of ``topic_word``.
    topic_word : array of shape (R, V)
        Weights of words, at least 0; a 1 for each word of a plain list.
    labels : sequence of str, optional
        A name for each topic, all different; "0", "1", … if not said.
    topic_document : array of shape (R, D), optional
        Weights of documents, at least 0.
    document_ids : sequence of str, optional
        The documents of those columns.
    sizes : array of shape (R,), optional
        How large each topic is, in any unit: documents, tokens.
    categories : mapping of str to sequence of str, optional
        By the name of a division, the class of each topic in it; "" for none.
    name : str
        What tables call the set.

    Examples
    --------
    >>> reference = ReferenceTopics.from_words({"energy": ["oil", "gas"], "law": ["court", "law", "judge"]})
    >>> reference
    <ReferenceTopics: 2 topics over 5 words>
    >>> reference.top_words(2)
    [['gas', 'oil'], ['court', 'judge']]
    """

    vocabulary: tuple[str, ...]
    topic_word: Floats
    labels: tuple[str, ...] = ()
    topic_document: Floats | None = None
    document_ids: tuple[str, ...] | None = None
    sizes: Floats | None = None
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    name: str = "reference"
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        vocabulary: Sequence[str],
        topic_word: ArrayLike,
        labels: Sequence[Any] | None = None,
        *,
        topic_document: ArrayLike | None = None,
        document_ids: Sequence[Any] | None = None,
        sizes: ArrayLike | None = None,
        categories: Mapping[str, Sequence[Any]] | None = None,
        name: str = "reference",
        notes: Sequence[str] = (),
    ) -> None:
        if len(getattr(topic_word, "shape", None) or np.shape(topic_word)) and not _rows(topic_word):
            raise InputError("there are no reference topics: topic_word has no rows")
        model = TopicModel(vocabulary, topic_word=topic_word, normalized=False)  # judges words and weights
        weights = model.topic_word
        if weights is None or (weights < 0).any():
            raise InputError("weights of words of reference topics must be at least 0")
        n = len(weights)
        remarks = list(notes)
        if empty := np.flatnonzero(~weights.any(axis=1)).tolist():
            remarks.append(f"{len(empty)} reference topics have no word: the first is {empty[0]}")
        given: dict[str, Any] = {
            "vocabulary": model.vocabulary,
            "topic_word": weights,
            "labels": _labels(labels, n),
            "topic_document": _documents(topic_document, n),
            "sizes": _sizes(sizes, n),
            "categories": {str(k): _category(k, v, n) for k, v in (categories or {}).items()},
            "name": str(name),
            "notes": tuple(remarks),
        }
        documents = given["topic_document"]
        given["document_ids"] = None if document_ids is None else tuple(map(str, document_ids))
        if document_ids is not None and (documents is None or documents.shape[1] != len(document_ids)):
            found = "no topic_document" if documents is None else f"{documents.shape[1]} columns of documents"
            raise InputError(f"there are {len(document_ids)} document_ids, but {found}")
        for key, value in given.items():
            object.__setattr__(self, key, value)  # frozen for everyone else

    @cached_property
    def fingerprint(self) -> str:
        """Of the labels and their words and weights, in whatever order words stand."""
        digest = hashlib.blake2b(digest_size=16)
        order = sorted(range(len(self.vocabulary)), key=self.vocabulary.__getitem__)
        used = [i for i in order if self.topic_word[:, i].any()]
        digest.update("\0".join([*self.labels, "\n", *(self.vocabulary[i] for i in used)]).encode())
        digest.update(np.ascontiguousarray(self.topic_word[:, used]).tobytes())
        return digest.hexdigest()

    @cached_property
    def sparse(self) -> Any:
        """The weights of words as a sparse matrix, (R, V); None where products are faster without."""
        if np.count_nonzero(self.topic_word) > SPARSE * self.topic_word.size:
            return None
        from scipy.sparse import csr_array

        return csr_array(self.topic_word)

    @cached_property
    def lengths(self) -> Floats:
        """The length of each topic's weights of words."""
        return norms_of(self.topic_word)

    @cached_property
    def of_words(self) -> tuple[Floats, Floats]:
        """What each word weighs in all topics together, and the most that it weighs in one."""
        return self.topic_word.sum(axis=0), self.topic_word.max(axis=0, initial=0.0)

    def over(self, words: tuple[str, ...]) -> Floats:
        """The weights over another vocabulary, (R, W), without the words that it lacks; kept for the next."""
        if words == self.vocabulary:
            return self.topic_word
        if words not in self._over:
            self._over.clear()  # large: that of the last vocabulary alone
            columns = self.columns_in(words)
            known = columns >= 0
            wide = np.zeros((len(self), len(words)))
            wide[:, columns[known]] = self.topic_word[:, known]
            self._over[words] = wide
        return self._over[words]

    def columns_in(self, words: tuple[str, ...]) -> NDArray[np.int64]:
        """The column that each word of the reference topics has in a vocabulary; -1 where it has none."""
        if words == self.vocabulary:
            return np.arange(len(words))
        if words not in self._columns:
            if len(self._columns) >= VOCABULARIES:
                self._columns.clear()
            place = {word: i for i, word in enumerate(words)}
            found = (place.get(word, -1) for word in self.vocabulary)
            self._columns[words] = np.fromiter(found, np.int64, len(self.vocabulary))
        return self._columns[words]

    @cached_property
    def _over(self) -> dict[tuple[str, ...], Floats]:
        return {}

    @cached_property
    def _columns(self) -> dict[tuple[str, ...], NDArray[np.int64]]:
        return {}

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        documents = "" if self.topic_document is None else f" and {self.topic_document.shape[1]} documents"
        return f"<ReferenceTopics: {len(self)} topics over {len(self.vocabulary)} words{documents}>"

    @classmethod
    def from_words(
        cls,
        words: "Mapping[str, Sequence[str] | Mapping[str, float]]",
        *,
        documents: "Mapping[str, Sequence[str] | Mapping[str, float]] | None" = None,
        sizes: Mapping[str, float] | None = None,
        categories: Mapping[str, Mapping[str, str]] | None = None,
        name: str = "reference",
    ) -> "ReferenceTopics":
        """From lists of words, or words with weights, by label.

        ``documents`` (ids, or ids with weights), ``sizes`` and each of ``categories`` are by label, too; a
        label without one has none.
        """
        given: Any = words
        if not isinstance(given, Mapping):
            wanted = "{label: [words]} or {label: {word: weight}}"
            raise InputError(f"reference topics are {wanted}; got {type(given).__name__}")
        weighted = {str(label): _weighted(str(label), topic) for label, topic in words.items()}
        vocabulary = sorted({word for topic in weighted.values() for word in topic})
        if not vocabulary:
            raise InputError("the reference topics hold no words")
        column = {word: i for i, word in enumerate(vocabulary)}
        matrix = np.zeros((len(weighted), len(vocabulary)))
        for row, topic in zip(matrix, weighted.values(), strict=True):
            for word, weight in topic.items():
                row[column[word]] = weight
        labels = list(weighted)
        told: dict[str, Mapping[str, Any]] = {"documents": documents or {}, "sizes": sizes or {}}
        for what, of in [*told.items(), *(categories or {}).items()]:
            if unknown := [label for label in of if str(label) not in weighted]:
                raise InputError(f"{what} names {unknown[0]!r}, but there is no such reference topic")
        held = {str(label): _weighted(str(label), topic) for label, topic in (documents or {}).items()}
        ids = list(dict.fromkeys(one for topic in held.values() for one in topic))
        of_documents = np.array([[held.get(label, {}).get(one, 0.0) for one in ids] for label in labels])
        return cls(
            vocabulary,
            matrix,
            labels,
            topic_document=of_documents if documents is not None else None,
            document_ids=ids if documents is not None else None,
            sizes=None if sizes is None else [float(sizes.get(label, np.nan)) for label in labels],
            categories={k: [of.get(label, "") for label in labels] for k, of in (categories or {}).items()},
            name=name,
        )

    @classmethod
    def from_model(
        cls, model: TopicModel, keep: Sequence[int] | None = None, labels: Sequence[str] | None = None
    ) -> "ReferenceTopics":
        """The topics of a model that somebody chose, all if ``keep`` is not said.

        Parameters
        ----------
        model : TopicModel
            With weights of words, or lists of words alone (each word then weighs 1).
        keep : sequence of int, optional
            Topics, from 0.
        labels : sequence of str, optional
            A name for each kept topic; by default the model's own names, or the numbers.
        """
        n = model.n_topics
        chosen = list(range(n)) if keep is None else [int(k) for k in keep]
        if wrong := [k for k in chosen if not 0 <= k < n]:
            raise InputError(f"keep names topic {wrong[0]}, but the model has topics 0 to {n - 1}")
        if len(set(chosen)) != len(chosen):
            raise InputError("keep names a topic twice")
        own = getattr(model, "topic_names", None)
        names = labels if labels is not None else [own[k] if own else str(k) for k in chosen]
        if model.topic_word is None:
            lists = model.top_words(10_000)
            if len(names) != len(chosen):
                raise InputError(f"there are {len(names)} labels for {len(chosen)} topics")
            return cls.from_words({label: lists[k] for label, k in zip(names, chosen, strict=True)})
        theta = model.doc_topic
        return cls(
            model.vocabulary,
            model.topic_word[chosen],
            names,
            topic_document=None if theta is None else theta[:, chosen].T,
            document_ids=None if theta is None or model.corpus is None else model.corpus.ids,
            name=model.name,
        )

    @classmethod
    def from_labels(
        cls, corpus: "Corpus", weights: str = "counts", name: str = "labels"
    ) -> "ReferenceTopics":
        """A topic for each class of labelled documents: the words in them, and the documents.

        The size is the number of documents. A document with several labels counts for each of them. With
        ``weights="tf_idf"`` words are the sum of the documents' tf-idf rows, each scaled to sum 1, as in
        `from_annotations`: words that all classes share weigh less, and classes are farther apart.
        """
        if weights not in ("counts", "tf_idf"):
            raise InputError(f"weights must be 'counts' or 'tf_idf'; got {weights!r}")
        if corpus.labels is None:
            raise InputError("the corpus has no labels: read it with label=")
        members: dict[str, list[int]] = {}
        for d, label in enumerate(corpus.labels):
            for one in (label,) if isinstance(label, str) else label or ():
                if one:
                    members.setdefault(one, []).append(d)
        if not members:
            raise InputError("no document of the corpus has a label")
        labels = sorted(members)
        words = np.zeros((len(labels), len(corpus.vocabulary)))
        documents = np.zeros((len(labels), len(corpus)))
        rows = _tf_idf_shares(corpus) if weights == "tf_idf" else None
        for r, label in enumerate(labels):
            documents[r, members[label]] = 1.0
            if rows is not None:
                words[r] = rows.T @ documents[r]
                continue
            for d in members[label]:
                tokens = corpus.document(d)
                np.add.at(words[r], tokens[tokens >= 0], 1.0)
        return cls(
            corpus.vocabulary,
            rows_to_one(words),
            labels,
            topic_document=documents,
            document_ids=corpus.ids if corpus.ids is not None else [str(d) for d in range(len(corpus))],
            sizes=[float(len(members[label])) for label in labels],
            name=name,
        )

    @classmethod
    def from_annotations(
        cls,
        words: Mapping[str, Sequence[str]],
        documents: Mapping[str, Sequence[Any]],
        corpus: "Corpus",
        *,
        dominant: Mapping[str, str | None] | None = None,
        name: str = "annotations",
    ) -> "ReferenceTopics":
        """From words and documents that annotators chose for each topic, merged as Korenčić et al. (2021) do.

        The weights of words are ``w_w * words + w_d * tfidf``: a 1 for each chosen word, and the sum of the
        tf-idf rows of the chosen documents (each scaled to sum 1), both scaled to sum 1. The shares are
        .8 and .2 where the words tell the topic better (``dominant[label] == "words"``), .2 and .8 where the
        documents do ("docs"), .5 and .5 where neither.

        Parameters
        ----------
        words, documents : mapping of str to sequence
            By label, words and ids of documents; a topic needs at least one of either.
        corpus : Corpus
            The documents, named by ``corpus.ids``; its words are the columns.
        dominant : mapping of str to {"words", "docs", None}, optional
            By label.
        """
        labels = list(dict.fromkeys([*words, *documents]))
        ids = corpus.ids if corpus.ids is not None else tuple(str(d) for d in range(len(corpus)))
        place = {one: d for d, one in enumerate(ids)}
        rows = _tf_idf_shares(corpus)
        matrix = np.zeros((len(labels), len(corpus.vocabulary)))
        held = np.zeros((len(labels), len(corpus)))
        lost: dict[str, None] = {}
        for r, label in enumerate(labels):
            binary, summed = np.zeros(matrix.shape[1]), np.zeros(matrix.shape[1])
            for word in words.get(label, ()):
                if word in corpus.index:
                    binary[corpus.index[word]] = 1.0
                else:
                    lost[word] = None
            for one in documents.get(label, ()):
                if str(one) not in place:
                    raise InputError(
                        f"topic {label!r} names document {one!r}, which the corpus does not have"
                    )
                held[r, place[str(one)]] = 1.0
                summed += rows[[place[str(one)]]].toarray()[0]
            preference = (dominant or {}).get(label)
            if preference not in PREFERENCES:
                raise InputError(f"dominant of {label!r} must be 'words', 'docs' or None; got {preference!r}")
            matrix[r] = merged(binary, summed, preference)
        notes = [f"chosen words that the corpus does not have: {', '.join(lost)}"] if lost else []
        return cls(
            corpus.vocabulary,
            matrix,
            labels,
            topic_document=held,
            document_ids=ids,
            sizes=held.sum(axis=1),
            name=name,
            notes=notes,
        )

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The first n words of each topic, heaviest first, equal weights in the order of the vocabulary."""
        return self._model.top_words(n)

    @cached_property
    def _model(self) -> TopicModel:
        return TopicModel(self.vocabulary, topic_word=self.topic_word, normalized=False)

    def select(self, keep: Sequence[int]) -> "ReferenceTopics":
        """Some of the topics, in this order."""
        rows = [int(r) for r in keep]
        return ReferenceTopics(
            self.vocabulary,
            self.topic_word[rows],
            [self.labels[r] for r in rows],
            topic_document=None if self.topic_document is None else self.topic_document[rows],
            document_ids=self.document_ids,
            sizes=None if self.sizes is None else self.sizes[rows],
            categories={k: [v[r] for r in rows] for k, v in self.categories.items()},
            name=self.name,
        )

    def with_sizes(self, corpus: "Corpus", **options: Any) -> "ReferenceTopics":
        """The same, each with the number of documents of a corpus that it is in: `tealeaves.topic_sizes`."""
        from tealeaves.topic_sizes import with_sizes

        return with_sizes(self, corpus, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to a folder; `read_reference_topics` reads the same again."""
        from tealeaves.reference_store import save

        save(self, path)


def merged(words: Floats, documents: Floats, dominant: str | None = None) -> Floats:
    """Words and documents of a topic as one vector of words: each scaled to sum 1, then weighed.

    Where a topic has only one of both, that is all of it.

    Examples
    --------
    >>> merged(np.array([1.0, 1.0, 0.0]), np.array([0.25, 0.5, 1.25]), "words").round(3)
    array([0.425, 0.45 , 0.125])
    """
    share_words, share_documents = PREFERENCES[dominant]
    a, b = rows_to_one(words[None, :])[0], rows_to_one(documents[None, :])[0]
    if not a.any() or not b.any():
        only: Floats = a + b
        return only
    result: Floats = share_words * a + share_documents * b
    return result


def read_reference_topics(path: str | PathLike[str]) -> ReferenceTopics:
    """Read reference topics from CSV, JSON, a folder of text files, or a folder that was saved.

    - CSV or TSV with the columns ``topic`` and ``word`` and, if wanted, ``weight``, ``document``, ``size``
      and any other, which is a category of the topic: one row for each word or document. Or ``topic``,
      ``words`` and perhaps ``documents``, parted by blanks, commas or semicolons: one row for each topic.
    - JSON: ``{"label": ["word", …]}``, ``{"label": {"word": weight}}``, or a list of objects with ``label``,
      ``words`` and, if wanted, ``documents``, ``size`` and ``categories``.
    - A folder of text files, one for each topic, named after it, a word on each line, perhaps with a tab and
      its weight.

    Raises
    ------
    FormatError
        If it is none of these; it says where and what was found.
    """
    from tealeaves.reference_store import read

    return read(path)


def _weighted(label: str, topic: Any) -> dict[str, float]:
    if isinstance(topic, str):
        raise InputError(f"reference topic {label!r} is one string: a list of words is wanted")
    pairs = list(topic.items()) if isinstance(topic, Mapping) else [(word, 1.0) for word in topic]
    found: dict[str, float] = {}
    for word, weight in pairs:
        if not isinstance(word, str):
            raise InputError(f"reference topic {label!r} holds {word!r}, which is no word")
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number):
            raise InputError(f"reference topic {label!r}: the weight of {word!r} is no number: {weight!r}")
        if not np.isfinite(weight) or weight < 0:
            raise InputError(f"reference topic {label!r}: the weight of {word!r} must be at least 0")
        if word.strip():
            found[word.strip()] = max(found.get(word.strip(), 0.0), float(weight))
    return found


def _tf_idf_shares(corpus: "Corpus") -> Any:
    """The tf-idf rows of documents, each scaled to sum 1, as a sparse matrix."""
    from scipy.sparse import diags_array

    from tealeaves.measures.document_coherence import tf_idf

    rows = tf_idf(corpus.tokens, corpus.offsets, len(corpus.vocabulary))
    sums = np.asarray(rows.sum(axis=1)).ravel()
    scale = np.divide(1.0, sums, out=np.zeros(sums.shape), where=sums > 0)
    return (diags_array(scale) @ rows).tocsr()


def _rows(matrix: Any) -> int:
    """How many rows a matrix has, which may be sparse."""
    return int(matrix.shape[0]) if hasattr(matrix, "shape") else len(matrix)


def _labels(labels: Sequence[Any] | None, n: int) -> tuple[str, ...]:
    if isinstance(labels, str):
        raise InputError("labels must be a list of names, but they are one string")
    named = tuple(map(str, range(n))) if labels is None else tuple(map(str, labels))
    if len(named) != n:
        raise InputError(f"there are {len(named)} labels for {n} reference topics")
    if twice := sorted({label for label in named if named.count(label) > 1}):
        raise InputError(f"two reference topics are called {twice[0]!r}")
    return named


def _documents(values: ArrayLike | None, n: int) -> Floats | None:
    if values is None:
        return None
    dense = values.toarray() if hasattr(values, "toarray") else values
    array = np.asarray(dense, dtype=np.float64)
    if array.ndim != 2 or len(array) != n:
        raise InputError(f"topic_document must be {n} topics × documents; got the shape {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any():
        raise InputError("weights of documents must be finite and at least 0")
    return array


def _sizes(values: ArrayLike | None, n: int) -> Floats | None:
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n,) or (array < 0).any() or np.isinf(array).any():
        raise InputError(f"sizes must be {n} numbers of at least 0, nan where unknown")
    return array


def _category(name: Any, values: Sequence[Any], n: int) -> tuple[str, ...]:
    if isinstance(values, str) or len(values) != n:
        raise InputError(f"category {name!r} must have a class for each of {n} reference topics")
    return tuple("" if value is None else str(value) for value in values)
