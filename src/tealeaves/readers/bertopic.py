"""Readers of BERTopic, fitted or saved as a folder; neither BERTopic nor safetensors is imported.

The words that BERTopic shows are the model. Its c-TF-IDF weights are kept where they give the same words,
which they do unless a representation model (KeyBERT, MMR, a language model) chose others.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_text
from tealeaves.readers._objects import CELLS, attribute, called, clusters, numbers, optional, words
from tealeaves.readers._safetensors import read_safetensors
from tealeaves.word_lists import read_word_lists

OUTLIERS = -1  # the topic of documents that fit none
ROUND = 1e-6  # by which probabilities of float32 may exceed 1
LISTED = 100  # words of a topic, where weights are too many
PICKLED = "no weights were kept: ctfidf.bin is a pickle of PyTorch, which is not opened (use safetensors)"
PARTS = ("data", "indices", "indptr", "shape")
WEIGHTS = "topic_word holds c-TF-IDF weights, which are no probabilities"
CHOSEN = "no weights were kept: a representation model chose other words than c-TF-IDF would"


@dataclass(frozen=True)
class Weights:
    """c-TF-IDF: a sparse matrix (K, V), rows by topic from -1 or 0 on, and the V words."""

    matrix: Any
    vocabulary: list[str]


@dataclass(frozen=True)
class Parts:
    """What is read of a BERTopic, wherever it came from."""

    shown: Mapping[int, Sequence[tuple[str, float]]]  # the words of each topic
    topics: Any  # the topic of each document, or None
    probabilities: Any  # documents × topics without -1, or None, or one number a document
    labels: Any  # custom labels in the order of topics, or None
    weights: Weights | None


def read_bertopic_object(fitted: Any, *, outliers: str = "drop") -> TopicModel:
    """Read a fitted BERTopic: what ``get_topics()`` shows, c-TF-IDF, documents' topics and custom labels.

    ``doc_topic`` holds ``probabilities_`` where they are documents × topics (``calculate_probabilities``);
    else it is 1 for the one topic of a document. Documents of topic -1, if that is left out, are rows of 0.

    Raises
    ------
    InputError
        If it is not fitted, or its parts do not fit together.
    """
    owner = "a BERTopic"
    shown = _shown(called(fitted, "get_topics", "a dict from topic to (word, weight) pairs", owner))
    weights = None
    matrix = optional(fitted, "c_tf_idf_")
    if matrix is not None:
        vectorizer = attribute(
            fitted, "vectorizer_model", "the vectorizer with the words of c_tf_idf_", owner
        )
        names = called(vectorizer, "get_feature_names_out", "the words of c_tf_idf_", "its vectorizer_model")
        weights = Weights(matrix, words(names, "get_feature_names_out()", owner))
    return _model(
        Parts(
            shown,
            optional(fitted, "topics_"),
            optional(fitted, "probabilities_"),
            optional(fitted, "custom_labels_"),
            weights,
        ),
        outliers,
        "BERTopic",
    )


def read_bertopic(path: str | Path, *, outliers: str = "drop") -> TopicModel:
    """Read a folder that BERTopic saved with ``serialization="safetensors"`` or ``"pytorch"``.

    topics.json has the words, the documents' topics and labels; ctfidf.safetensors with ctfidf_config.json,
    if they are there, the c-TF-IDF weights. Of the weights alone the topics are read too, but whether the
    first of them is topic -1 is not known then.

    Raises
    ------
    FormatError
        If both are missing, or a file is damaged or does not fit the others.
    """
    path = Path(path)
    config = path / "ctfidf_config.json"
    tensors = path / "ctfidf.safetensors"
    weights = _saved_weights(tensors, config) if tensors.is_file() and config.is_file() else None
    if not (path / "topics.json").is_file():
        if weights is None:
            wanted = "topics.json, or ctfidf.safetensors with ctfidf_config.json"
            raise FormatError(path, f"has not {wanted}: copy them here from where the model was saved")
        return _of_weights(weights)
    saved = _json(path / "topics.json")
    if not isinstance(saved.get("topic_representations"), dict):
        fix = "to read it as lists of words: the path of topics.json itself"
        raise FormatError(path / "topics.json", f"holds no topic_representations, as BERTopic's does; {fix}")
    try:
        shown = _shown(saved["topic_representations"])
        parts = Parts(shown, saved.get("topics") or None, None, saved.get("custom_labels"), weights)
        model = _model(parts, outliers, "a saved BERTopic")
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(path, str(error)) from None
    if weights is None and (path / "ctfidf.bin").is_file():
        model = replace(model, notes=(*model.notes, PICKLED))
    return model


def _model(parts: Parts, outliers: str, source: str) -> TopicModel:
    lists, _, notes = read_word_lists(dict(parts.shown), outliers=outliers)
    ids = sorted(parts.shown)
    kept = [topic for topic in ids if topic != OUTLIERS or outliers == "keep"]
    names = _names(parts.labels, ids, kept, notes)
    doc_topic = None
    if parts.topics is not None:
        doc_topic, told = _documents(parts, ids, kept)
        notes += told
    common: dict[str, Any] = {"doc_topic": doc_topic, "topic_names": names, "source": source}
    if parts.weights is not None:
        rows = _rows(parts.weights, ids)
        if not all(_gives(rows, k, parts.shown[topic], parts.weights) for k, topic in enumerate(ids)):
            notes.append(CHOSEN)
        elif len(kept) * rows.shape[1] > CELLS:
            notes.append(_too_many(rows))
        else:
            dense = rows[[ids.index(topic) for topic in kept]].toarray()
            return TopicModel(parts.weights.vocabulary, dense, notes=[*notes, WEIGHTS], **common)
    return TopicModel(word_lists=lists, notes=notes, **common)


def _of_weights(weights: Weights) -> TopicModel:
    """The topics of c-TF-IDF weights without the file that says which they are."""
    matrix = weights.matrix
    first = "topics.json is missing: whether topic 0 is BERTopic's topic -1 (outliers) is not known"
    source = "a saved BERTopic"
    if matrix.shape[0] * matrix.shape[1] > CELLS:
        rows = (_heaviest(matrix, k, weights.vocabulary, LISTED) for k in range(matrix.shape[0]))
        lists = [[word for word, _ in row] for row in rows]
        return TopicModel(word_lists=lists, source=source, notes=[first, _too_many(matrix)])
    return TopicModel(weights.vocabulary, matrix.toarray(), source=source, notes=[first, WEIGHTS])


def _too_many(matrix: Any) -> str:
    found = f"{matrix.shape[0]:,} topics × {matrix.shape[1]:,} words are too many weights to keep"
    return f"{found}: only the words of the topics are"


def _shown(topics: Any) -> dict[int, list[tuple[str, float]]]:
    """BERTopic's words by topic, topics in rising order; the checks of words come later."""
    if not isinstance(topics, Mapping):
        raise InputError(f"BERTopic's topics must be a dict from topic to words, not {type(topics).__name__}")
    try:
        result = {int(topic): topics[topic] for topic in sorted(topics, key=int)}
    except (TypeError, ValueError):
        result = {}
    if len(result) != len(topics):
        found = ", ".join(map(str, topics))[:60]
        raise InputError(f"BERTopic's topics must be different numbers, but are {found}")
    return result


def _names(labels: Any, ids: list[int], kept: list[int], notes: list[str]) -> list[str] | None:
    """Custom labels; without them, topics are numbered, and named only if their numbers are not 0, 1, …"""
    if labels is not None:
        if isinstance(labels, list | tuple) and len(labels) == len(ids):
            return [str(labels[ids.index(topic)]) for topic in kept]
        notes.append("custom labels were left out: there is not one for each topic")
    return None if kept == list(range(len(kept))) else [str(topic) for topic in kept]


def _documents(parts: Parts, ids: list[int], kept: list[int]) -> tuple[NDArray[np.float64] | None, list[str]]:
    """Documents × topics kept, and what it is."""
    hard, notes = clusters(parts.topics, kept, "topics", "BERTopic")
    if hard is None or parts.probabilities is None or np.ndim(parts.probabilities) != 2:
        return hard, notes
    regular = len(ids) - (OUTLIERS in ids)
    soft = numbers(parts.probabilities, "probabilities_", "BERTopic", (len(hard), None)).astype(np.float64)
    if soft.shape[1] != regular:
        found = f"it has {soft.shape[1]} columns for {regular} topics"
        return hard, [*notes, f"probabilities_ was left out: {found}"]
    if OUTLIERS in kept:
        rest = 1 - soft.sum(axis=1, keepdims=True)
        if (rest < -ROUND).any():
            found = "rows above 1 leave nothing for topic -1"
            return hard, [*notes, f"probabilities_ was left out: {found}"]
        soft = np.hstack([np.clip(rest, 0, None), soft])
    return soft, ["doc_topic holds BERTopic's probabilities_; what a row lacks to 1 is topic -1's"]


def _rows(weights: Weights, ids: list[int]) -> Any:
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(weights.matrix, dtype=np.float64)
    wanted = (len(ids), len(weights.vocabulary))
    if matrix.shape != wanted:
        raise InputError(
            f"c-TF-IDF must be {wanted[0]} topics × {wanted[1]} words, but has shape {matrix.shape}"
        )
    return matrix


def _gives(rows: Any, k: int, shown: Any, weights: Weights) -> bool:
    """Whether the heaviest words of row k are those shown, up to the order of equal weights."""
    pairs = [tuple(pair) for pair in shown]
    if any(len(pair) != 2 or not isinstance(pair[1], int | float) for pair in pairs):
        return False
    words = [(str(word).strip(), float(weight)) for word, weight in pairs if str(word).strip()]
    heaviest = _heaviest(rows, k, weights.vocabulary, len(words))
    if len(heaviest) != len(words):
        return False
    row = dict(_heaviest(rows, k, weights.vocabulary, None))
    own = np.array([row.get(word, np.nan) for word, _ in words])
    top = np.array([weight for _, weight in heaviest])
    return bool(np.allclose(own, top, rtol=1e-5) and np.allclose(own, [w for _, w in words], rtol=1e-5))


def _heaviest(rows: Any, k: int, vocabulary: list[str], n: int | None) -> list[tuple[str, float]]:
    """The first n words of row k of a sparse matrix with their weights, best first."""
    start, end = rows.indptr[k], rows.indptr[k + 1]
    data, columns = rows.data[start:end], rows.indices[start:end]
    order = np.lexsort((columns, -data))
    order = order[data[order] > 0][:n]
    return [(vocabulary[columns[i]], float(data[i])) for i in order]


def _saved_weights(tensors: Path, config: Path) -> Weights:
    """The c-TF-IDF weights of a folder, every part checked against the others before it is used."""
    from scipy.sparse import csr_matrix

    saved = _json(config)
    vectorizer = saved.get("vectorizer_model")
    vocabulary = vectorizer.get("vocab") if isinstance(vectorizer, dict) else None
    if not isinstance(vocabulary, dict) or not vocabulary:
        raise FormatError(config, "holds no words: vectorizer_model.vocab must be a dict from word to column")
    columns = list(vocabulary.values())
    if not all(type(i) is int for i in columns) or sorted(columns) != list(range(len(columns))):
        raise FormatError(
            config, f"the columns of its {len(columns)} words must be 0 to {len(columns) - 1}, each once"
        )
    arrays = read_safetensors(tensors, PARTS)
    data, indices, indptr, shape = (arrays[name] for name in PARTS)
    if data.dtype.kind != "f" or any(a.dtype.kind not in "iu" for a in (indices, indptr, shape)):
        raise FormatError(tensors, "data must be floats, and indices, indptr and shape whole numbers")
    if any(array.ndim != 1 for array in (data, indices, indptr, shape)):
        raise FormatError(tensors, "data, indices, indptr and shape must have one dimension each")
    wanted = [max(len(indptr) - 1, 0), len(columns)]
    if shape.tolist() != wanted or not len(indptr):
        found = f"is a matrix of {' × '.join(map(str, shape.tolist()))}"
        raise FormatError(tensors, f"{found}, but indptr and {config.name} say {wanted[0]} × {wanted[1]}")
    ends = indptr.astype(np.int64)
    if ends[0] != 0 or (np.diff(ends) < 0).any() or not ends[-1] == len(data) == len(indices):
        raise FormatError(
            tensors, f"indptr must rise from 0 to the {len(data)} weights, each with its column"
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= len(columns)):
        raise FormatError(tensors, f"indices must be columns 0 to {len(columns) - 1}")
    matrix = csr_matrix((data.astype(np.float64), indices.astype(np.int64), ends), shape=tuple(wanted))
    if not np.isfinite(matrix.data).all():
        raise FormatError(tensors, "data holds nan or infinite weights")
    matrix.sum_duplicates()
    return Weights(matrix, sorted(vocabulary, key=vocabulary.__getitem__))


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise FormatError(path, f"is not whole JSON: {error.msg}", line=error.lineno) from None
    except (RecursionError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(path, f"is no JSON that BERTopic writes: {error}") from None
    if not isinstance(content, dict):
        raise FormatError(path, f"must be a JSON object, but is {type(content).__name__}")
    return content
