"""TopicModel: what a topic model has learnt, as arrays, or as lists of words alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError, MissingInput
from tealeaves.scaling import rows_to_one
from tealeaves.top_words import judged, top_ids

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel

Floats = NDArray[np.float64]
SHOWN = 5  # topics or words named in a message before "…"
ROUGHLY_ONE = 0.01  # rows this near to 1 are probabilities that lost some digits, or their rare words
EXACTLY_ONE = 1e-6  # rows this near to 1 need no remark


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TopicModel:
    """K topics over a vocabulary of V words, from whatever made them. It is not changed by anything.

    Parameters
    ----------
    vocabulary : sequence of str
        The V words, each once; blanks at their ends are stripped.
    topic_word : array of shape (K, V)
        Weights of the words in each topic: probabilities, or anything proportional to them. Rows need
        not sum to 1; ``notes`` name those that should but do not, and the empty ones. Negative weights
        (LSI) are kept, but such a model has no ``probabilities()``.
    doc_topic : array of shape (D, K), optional
        Weights of the topics in each document.
    assignments : int array of shape (N,), optional
        The topic of each token of ``corpus``; -1 for a token without one.
    alpha : float or array of shape (K,), optional
        Dirichlet prior of topics in a document; one number stands for K equal ones.
    eta : float or array of shape (V,), optional
        Dirichlet prior of words in a topic.
    name : str
        What tables call the model.
    normalized : bool, optional
        Whether rows of ``topic_word`` sum to 1; found from the rows if not said.
    corpus : Corpus, optional
        The corpus it was trained on, where the format carries its tokens.
    source : str
        Where it came from, for the report.
    word_lists : sequence of sequences of str
        Instead of ``vocabulary`` and ``topic_word``: K lists of words, best first. `from_words` reads them
        in many shapes.
    topic_names : sequence of str, optional
        What the source calls its topics; tables count them from 0.
    notes : sequence of str
        Remarks of a reader that a user should see.

    Raises
    ------
    InputError
        If shapes do not fit together, a number is not finite, or the vocabulary holds a word twice.

    Examples
    --------
    >>> model = TopicModel(["gas", "law", "oil"], topic_word=[[2, 0, 3], [0, 1, 0]])
    >>> model.top_words(2)
    [['oil', 'gas'], ['law']]
    >>> model.probabilities()
    array([[0.4, 0. , 0.6],
           [0. , 1. , 0. ]])
    """

    vocabulary: tuple[str, ...]
    topic_word: Floats | None
    word_lists: tuple[tuple[str, ...], ...] | None
    doc_topic: Floats | None
    assignments: NDArray[np.int32] | None
    alpha: Floats | None
    eta: float | Floats | None
    name: str
    corpus: "Corpus | None"
    source: str
    normalized: bool
    topic_names: tuple[str, ...] | None
    notes: tuple[str, ...]
    _top: dict[str, NDArray[np.int32]] = field(init=False)  # the longest lists made so far

    def __init__(
        self,
        vocabulary: Sequence[str] | None = None,
        topic_word: ArrayLike | None = None,
        doc_topic: ArrayLike | None = None,
        assignments: ArrayLike | None = None,
        alpha: ArrayLike | None = None,
        eta: ArrayLike | None = None,
        name: str = "model",
        normalized: bool | None = None,
        corpus: "Corpus | None" = None,
        source: str = "",
        word_lists: Iterable[Sequence[str]] | None = None,
        topic_names: Sequence[str] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        remarks = list(notes)
        weights: Floats | None = None
        lists: tuple[tuple[str, ...], ...] | None = None
        if topic_word is not None:
            if word_lists is not None:
                raise InputError("hand over topic_word or word_lists, not both")
            if vocabulary is None:
                raise InputError("topic_word needs a vocabulary: vocabulary=[word of each column]")
            words = _vocabulary(vocabulary, remarks)
            if not words:
                raise InputError("the vocabulary is empty: topics need at least one word")
            weights = _matrix("topic_word", topic_word)
            if weights.shape[1] != len(words):
                columns = f"topic_word has {weights.shape[1]} columns"
                found = f"{columns}, but the vocabulary has {len(words)} words"
                turned = "; it looks transposed: hand over topic_word.T" if len(weights) == len(words) else ""
                raise InputError(found + turned)
            normalized = _judge_rows(weights, normalized, remarks)
        elif word_lists is not None:
            lists = _word_lists(word_lists)
            words = tuple(dict.fromkeys(word for topic in lists for word in topic if word))
            normalized = False
        else:
            raise InputError("a topic model needs topic_word (with its vocabulary) or word_lists")
        n_topics = len(weights if weights is not None else lists or ())
        if n_topics == 0:
            raise InputError("a topic model needs at least one topic, but there is none")
        if topic_names is not None and len(topic_names) != n_topics:
            raise InputError(f"topic_names has {len(topic_names)} names, but there are {n_topics} topics")
        values: dict[str, Any] = {
            "vocabulary": words,
            "topic_word": weights,
            "word_lists": lists,
            "doc_topic": None if doc_topic is None else _doc_topic(doc_topic, n_topics, corpus),
            "assignments": None if assignments is None else _assignments(assignments, n_topics, corpus),
            "alpha": None if alpha is None else _alpha(alpha, n_topics),
            "eta": None if eta is None else _eta(eta, len(words)),
            "name": str(name),
            "corpus": corpus,
            "source": str(source),
            "normalized": normalized,
            "topic_names": None if topic_names is None else tuple(map(str, topic_names)),
            "notes": tuple(dict.fromkeys(remarks)),
            "_top": {},
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @classmethod
    def from_words(
        cls, topics: Any, *, name: str = "model", outliers: str = "drop", source: str = ""
    ) -> "TopicModel":
        """A model that is lists of words alone: enough for every measure that needs only top words.

        Parameters
        ----------
        topics
            One list of words per topic, best first; or of (word, weight) pairs; or a string such as
            ``'0.3*"cat" + 0.2*"dog"'``; or a dict of these by topic, with BERTopic's ``get_topics()`` among
            them; or what gensim's ``show_topics`` and ``top_topics`` return; or a pandas or polars frame
            with columns ``topic``, ``word`` and perhaps ``weight``.
        outliers : {"drop", "keep"}
            What becomes of a topic -1, where BERTopic puts the documents that fit no topic.

        Raises
        ------
        InputError
            If ``topics`` is none of these; it says what was found and what to do.

        Examples
        --------
        >>> TopicModel.from_words({0: [("oil", 0.3), ("gas", 0.2)], -1: [("the", 0.5)]}).top_words(2)
        [['oil', 'gas']]
        """
        from tealeaves.word_lists import read_word_lists

        lists, names, notes = read_word_lists(topics, outliers=outliers)
        return cls(word_lists=lists, topic_names=names, notes=notes, name=name, source=source)

    @property
    def n_topics(self) -> int:
        """K, the number of topics."""
        return len(self.topic_word if self.topic_word is not None else self.word_lists or ())

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The first n words of each topic, best first, as every measure sees them.

        Equal weights go by the smaller word id; only weights above 0 count. Each list is cut to its
        own first n, then blank words are dropped and repeated ones count once, so that it may be
        shorter than n: `top_words_report` says why.
        """
        return [judged(words, n)[0] for words in self._first(n)]

    def top_words_report(self, n: int = 10) -> list[list[str]]:
        """For each topic, why its list of n top words is not n different words; mostly empty.

        Examples
        --------
        >>> TopicModel.from_words([["cat", "dog", ""], ["oil", "gas", "tax"]]).top_words_report(3)
        [['1 blank word dropped', '2 words only'], []]
        """
        return [judged(words, n)[1] for words in self._first(n)]

    def probabilities(self) -> Floats:
        """p(word | topic), of shape (K, V): rows sum to 1. An empty row stays 0 and ``notes`` name it.

        Raises
        ------
        MissingInput
            If the model is lists of words alone.
        InputError
            If weights are negative, as LSI's are: they are no probabilities up to a factor.
        """
        if self.topic_word is None:
            wanted = "needs word weights (topic_word), but"
            raise MissingInput(f"{wanted} model {self.name!r} is lists of words alone")
        negative = np.flatnonzero((self.topic_word < 0).any(axis=1))
        if negative.size:
            found = f"model {self.name!r} has negative weights in {_named(negative)}"
            raise InputError(f"{found}, as LSI has: they cannot be made probabilities; use top words only")
        return rows_to_one(self.topic_word)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a folder of JSON and .npy files; `load_model` makes the same again from it."""
        from tealeaves.model_store import save

        save(self, path)

    def __repr__(self) -> str:
        size = f"{self.n_topics} {'topic' if self.n_topics == 1 else 'topics'}"
        over = f"{len(self.vocabulary)} words" if self.topic_word is not None else "lists of words alone"
        return f"<TopicModel {self.name!r}: {size}, {over}>"

    def _repr_html_(self) -> str:
        from tealeaves.html_table import html_table

        rows = enumerate(" ".join(words) for words in self.top_words(10))
        return html_table(repr(self).strip("<>"), rows, head=("topic", "words"))

    def _first(self, n: int) -> list[Sequence[str]]:
        """The first n words of each topic, not judged yet."""
        if n < 1:
            raise InputError(f"the number of top words must be at least 1, got {n}")
        if self.topic_word is None:
            return [words[:n] for words in self.word_lists or ()]
        ids = self._top.get("ids")
        if ids is None or ids.shape[1] < n:
            ids = self._top["ids"] = top_ids(self.topic_word, n)
        return [[self.vocabulary[i] for i in row if i >= 0] for row in ids[:, :n].tolist()]


def load_model(path: str | PathLike[str]) -> "TopicModel | DynamicTopicModel":
    """The model that its `save` wrote to the folder ``path``: static, or over time.

    Raises
    ------
    FormatError
        If the folder is not such a model, or is not whole.
    """
    from pathlib import Path

    from tealeaves import dynamic_store, model_store

    if dynamic_store.is_saved_dynamic(Path(path)):
        return dynamic_store.load(path)
    return model_store.load(path)


def read_model(
    path_or_object: Any,
    format: str | None = None,
    trust: bool = False,
    vocabulary: Any = None,
    name: str | None = None,
    outliers: str = "drop",
    axes: str | None = None,
    slice_labels: Any = None,
) -> "TopicModel | DynamicTopicModel":
    """Read a model from a file, a folder or the fitted object of another library.

    Parameters
    ----------
    path_or_object
        A path: our own folder; topics or matrices in JSON, CSV or TSV; topics in plain text or Markdown;
        NumPy arrays (.npz, .npy), those of OCTIS too; what MALLET writes, the whole folder or a file of it;
        an lda-c folder; a run of OpenHTMM; a BERTopic folder; R objects (.RDS, .RData); what gensim and
        tomotopy save; pickles of SentenceLDA and CopulaLDA. Or a fitted object of these or of scikit-learn,
        gensim, tomotopy, topica, BERTopic, Top2Vec, Turftopic, contextualized-topic-models, TopMost or
        FASTopic.
    format : str, optional
        What the file is, if its content does not tell.
    trust : bool
        Open files that can run code when opened, which only the library that wrote them can read.
    vocabulary : sequence of str, path or fitted vectorizer, optional
        The words of the columns, where the model does not carry them.
    name : str, optional
        What tables call the model; by default after the file or the class.
    outliers : {"drop", "keep"}
        What becomes of BERTopic's topic -1.
    axes : str, optional
        What the axes of a bare array are, where its shape does not tell: "topic word" or "word topic"; over
        time such as "time topic word".
    slice_labels : sequence, optional
        What the slices of topics over time are called, in order, where the model does not know: those of
        gensim, dtm and tomotopy are called 0, 1, …

    Raises
    ------
    FormatError
        If the file is not what it seems, is cut off, or is of an unknown kind.
    InputError
        If the object is not known or not fitted, or the labels are not of its slices.
    """
    from tealeaves.readers import read_model_from

    return read_model_from(path_or_object, format, trust, vocabulary, name, outliers, axes, slice_labels)


def _word_lists(word_lists: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    lists = []
    for k, topic in enumerate(word_lists):
        if isinstance(topic, str | set | frozenset):
            from tealeaves.word_lists import ORDER

            kind = "one string" if isinstance(topic, str) else "a set, which has no order"
            raise InputError(f"topic {k} of word_lists is {kind}: {ORDER}")
        lists.append(tuple(word.strip() for word in topic))
    return tuple(lists)


def _vocabulary(vocabulary: Sequence[str], remarks: list[str]) -> tuple[str, ...]:
    if isinstance(vocabulary, str):
        raise InputError("vocabulary must be a list of words, but it is one string")
    if isinstance(vocabulary, dict):
        raise InputError("vocabulary must be a list of words in the order of columns, but it is a dict")
    words = tuple(vocabulary)
    for i, word in enumerate(words):
        if not isinstance(word, str):
            raise InputError(f"vocabulary must be words, but entry {i} is {word!r} ({type(word).__name__})")
    words = tuple(map(str, words))  # numpy's own strings become plain ones
    if twice := _repeated(words):
        raise InputError(f"the vocabulary holds words more than once: {_listed(twice)}")
    stripped = tuple(word.strip() for word in words)
    if not (clash := set(_repeated(stripped))):
        return stripped
    # "de" and "de " are two columns: both stay as they are, for one name cannot mean both
    remarks.append(f"words that differ only by blanks at their ends were left so: {_listed(sorted(clash))}")
    return tuple(a if b in clash else b for a, b in zip(words, stripped, strict=True))


def _repeated(words: Sequence[str]) -> list[str]:
    if len(set(words)) == len(words):
        return []
    seen: set[str] = set()
    return list(dict.fromkeys(word for word in words if word in seen or seen.add(word)))  # type: ignore[func-returns-value]


def _matrix(name: str, values: Any) -> Floats:
    """A finite float64 matrix that cannot be written to; the caller's own memory where that will do."""
    dense = values.toarray() if hasattr(values, "toarray") else values  # scipy's sparse ones
    try:
        array = np.ascontiguousarray(dense, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be an array of numbers: {error}") from None
    if np.ndim(dense) != 2:
        raise InputError(f"{name} must have two dimensions, but has shape {np.shape(dense)}")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise InputError(f"{name} holds nan or infinite numbers, first in row {bad[0]}")
    return _frozen(array)


def _frozen(array: Floats) -> Floats:
    view = array.view()
    view.flags.writeable = False
    return view


def _judge_rows(weights: Floats, normalized: bool | None, remarks: list[str]) -> bool:
    """Whether rows are probabilities; remarks tell what a user should know of them."""
    with np.errstate(over="ignore"):
        sums = weights.sum(axis=1)
    if not np.isfinite(sums).all():
        raise InputError("topic_word holds weights too large to be summed; divide them by a constant")
    empty = ~weights.any(axis=1)
    if empty.any():
        remarks.append(f"empty, no word has any weight: {_named(np.flatnonzero(empty))}")
    if (weights < 0).any():
        if normalized:
            raise InputError("normalized=True, but topic_word has negative weights")
        remarks.append("topic_word has negative weights: there are no probabilities, only top words")
        return False
    off = np.abs(sums - 1)
    near = bool((off[~empty] <= ROUGHLY_ONE).all()) and not empty.all()
    if normalized and not near:
        worst = int(np.argmax(np.where(empty, 0, off)))
        raise InputError(f"normalized=True, but topic {worst} of topic_word sums to {sums[worst]:.6g}, not 1")
    if normalized is False:
        return False
    if near and (slightly := np.flatnonzero(~empty & (off > EXACTLY_ONE))).size:
        worst = int(slightly[np.argmax(off[slightly])])
        found = f"probabilities sum to 1 only roughly in {_named(slightly)}"
        remarks.append(f"{found} (topic {worst}: {sums[worst]:.7g}); they are normalised where used")
    if not near and not empty.all():
        span = f"{sums[~empty].min():.6g} to {sums[~empty].max():.6g}"
        remarks.append(f"topic_word holds weights, with sums of {span}; they are normalised where used")
    return near


def _doc_topic(values: ArrayLike, n_topics: int, corpus: "Corpus | None") -> Floats:
    array = _matrix("doc_topic", values)
    if array.shape[1] != n_topics:
        found = f"doc_topic has shape {array.shape}, but must be documents × {n_topics} topics"
        turned = "; it looks transposed: hand over doc_topic.T" if len(array) == n_topics else ""
        raise InputError(found + turned)
    if corpus is not None and len(array) != len(corpus):
        raise InputError(f"doc_topic has {len(array)} rows, but the corpus has {len(corpus)} documents")
    return array


def _assignments(values: ArrayLike, n_topics: int, corpus: "Corpus | None") -> NDArray[np.int32]:
    wanted = "one integer per token, documents one after another"
    try:
        array = np.asarray(values)
    except ValueError:  # a list of lists of unequal length
        raise InputError(f"assignments must be {wanted}, not a list for each document") from None
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"assignments must be {wanted}, not {array.dtype} of shape {array.shape}")
    if array.size and (array.min() < -1 or array.max() >= n_topics):
        found = f"{array.min()} to {array.max()}"
        raise InputError(f"assignments must be topics 0 to {n_topics - 1}, or -1 for none, but are {found}")
    if corpus is not None and len(array) != len(corpus.tokens):
        found = f"{len(array)} tokens, but the corpus has {len(corpus.tokens)}"
        raise InputError(f"assignments are of {found}")
    result = np.ascontiguousarray(array, dtype=np.int32).view()
    result.flags.writeable = False
    return result


def _alpha(values: ArrayLike, n_topics: int) -> Floats:
    array = _numbers("alpha", values)
    if array.shape not in {(), (n_topics,)}:
        raise InputError(f"alpha must be one number or {n_topics} (one per topic), not shape {array.shape}")
    return _frozen(np.ascontiguousarray(np.broadcast_to(array, (n_topics,))))


def _eta(values: ArrayLike, n_words: int) -> float | Floats:
    array = _numbers("eta", values)
    if array.shape not in {(), (n_words,)}:
        raise InputError(f"eta must be one number or {n_words} (one per word), not shape {array.shape}")
    return float(array) if array.ndim == 0 else _frozen(array)


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers, but is {values!r}") from None
    if not np.isfinite(array).all() or (array < 0).any():
        raise InputError(f"{name} must be finite and not negative, but is {values!r}")
    return array


def _named(topics: NDArray[np.intp]) -> str:
    names = _listed([str(i) for i in topics.tolist()])
    return f"{'topic' if len(topics) == 1 else 'topics'} {names}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f", … ({len(names)} in all)" if len(names) > SHOWN else "")
