"""A model from matrices that go by names, as NumPy, JSON and R files hold them; no axis is ever guessed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.readers._vocabulary import words_of

Matrix = NDArray[np.float64]

TOPIC_WORD, WORD_TOPIC = ("topic", "word"), ("word", "topic")
DOC_TOPIC, TOPIC_DOC = ("document", "topic"), ("topic", "document")
# What tools call their matrices, and the axes that the name says. A name that says none is of either.
NAMES: dict[str, tuple[str, str] | None] = {
    **dict.fromkeys(("topic_word", "topic-word-matrix", "topic_term_dists"), TOPIC_WORD),
    **dict.fromkeys(("components", "components_", "terms"), TOPIC_WORD),
    **dict.fromkeys(("word_topic", "word-topic-matrix", "word_topic_matrix"), WORD_TOPIC),
    **dict.fromkeys(("phi", "beta"), None),
}
DOCUMENTS: dict[str, tuple[str, str] | None] = {
    **dict.fromkeys(("doc_topic", "document_topic", "doc_topic_dists", "document-topic-matrix"), DOC_TOPIC),
    **dict.fromkeys(("topic_doc", "topic_document", "topic-document-matrix", "document_sums"), TOPIC_DOC),
    **dict.fromkeys(("theta", "train_theta"), None),
}
VOCABULARY = ("vocabulary", "vocab", "words", "feature_names")
NAMED = ("topic_names", "topic_labels")
LEFT = ("test-topic-document-matrix", "test-topic-word-matrix", "test_theta")  # of other documents
AXES = {" ".join(axes): axes for axes in (TOPIC_WORD, WORD_TOPIC, DOC_TOPIC, TOPIC_DOC)}

LOGS = "are they logarithms? Write exp(...) of them"


def has_matrix(things: Mapping[str, Any]) -> bool:
    """Whether there is a matrix of words and topics among named things."""
    return any(name in things for name in NAMES)


def model_of(
    things: Mapping[str, Any], vocabulary: Sequence[str] | None = None, axes: str | None = None
) -> TopicModel:
    """The model whose matrices are ``things``, as `NAMES`, `DOCUMENTS` and `VOCABULARY` call them.

    A ``vocabulary`` that is handed over goes before one among the things, as ``axes`` does: "topic word" or
    "word topic", and "document topic" or "topic document", parted by a comma.

    Raises
    ------
    InputError
        If a matrix is missing or fits no other, or could be meant either way: then it asks.

    Examples
    --------
    >>> model_of({"phi": [[0.75, 0.25, 0]], "vocab": ["oil", "gas", "tax"]}).top_words(2)
    [['oil', 'gas']]
    """
    notes: list[str] = []
    said = _axes(axes if axes is not None else things.get("axes"))
    name, topic_word = _matrix(things, NAMES)
    words = _words(things) if vocabulary is None else tuple(vocabulary)
    if topic_word is None or words is None:
        missing = "topic_word" if topic_word is None else "vocabulary"
        fix = "name it so" if topic_word is None else "name it so, or hand it over as vocabulary="
        raise InputError(f"has no array called {missing}: {fix}; there are: {_shown(things)}")
    turned = _turned(name, topic_word, said, NAMES[name], ("topic", "word"), len(words), notes)
    doc_name, doc_topic = _matrix(things, DOCUMENTS)
    if doc_topic is not None:
        axes_of = DOCUMENTS[doc_name]
        doc_topic = _turned(doc_name, doc_topic, said, axes_of, ("document", "topic"), len(turned), notes)
    notes += [f"{left} was left out: it is of other documents" for left in LEFT if left in things]
    names = next((things[key] for key in NAMED if key in things), None)
    return TopicModel(
        words,
        over_words(turned, notes),
        doc_topic=doc_topic,
        assignments=_given(things, "assignments"),
        alpha=_given(things, "alpha"),
        eta=_given(things, "eta"),
        topic_names=None if names is None else [str(name) for name in names],
        notes=notes,
    )


def over_words(topic_word: Matrix, notes: list[str]) -> Matrix:
    """The same; but where each word's weights sum to 1 over topics, rows are made to sum to 1 instead.

    Raises
    ------
    InputError
        If all weights are negative, as logarithms are.
    """
    if topic_word.size and (topic_word < 0).all():  # their topics would have no words at all
        raise InputError(f"all its weights are negative: {LOGS}")
    with np.errstate(over="ignore", invalid="ignore"):
        rows, columns = topic_word.sum(axis=1), topic_word.sum(axis=0)
    if len(rows) < 2 or np.allclose(rows, 1, atol=1e-3) or not np.allclose(columns, 1, atol=1e-3):
        return topic_word
    if not (rows > 0).all() or (topic_word < 0).any():
        return topic_word
    found = "each word's weights sum to 1 over the topics, as CFDTM of TopMost has them"
    notes.append(f"{found}: they were divided by their sums over words, to be p(word | topic)")
    result: Matrix = topic_word / rows[:, None]
    return result


def word_axes(said: str) -> tuple[str, str]:
    """The order of topics and words that ``axes`` says.

    Raises
    ------
    InputError
        If it says none.
    """
    axes = _axes(said).get("word")
    if axes is None:
        raise InputError(f"axes must say 'topic word' or 'word topic', got {said!r}")
    return axes


def _axes(said: Any) -> dict[str, tuple[str, str]]:
    """What is said of axes: by "word" for words and topics, by "document" for documents and topics."""
    if said is None:
        return {}
    parts = [" ".join(part.split()) for part in str(said).split(",")]
    wrong = [part for part in parts if part not in AXES]
    if wrong:
        raise InputError(f"axes must be {' or '.join(map(repr, AXES))}, got {wrong[0]!r}")
    return {("word" if "word" in AXES[part] else "document"): AXES[part] for part in parts}


def _turned(
    name: str,
    matrix: Matrix,
    said: Mapping[str, tuple[str, str]],
    named: tuple[str, str] | None,
    wanted: tuple[str, str],
    size: int,
    notes: list[str],
) -> Matrix:
    """The matrix with the axes ``wanted``, the second of which has ``size`` entries."""
    other = wanted[1] if wanted[1] != "topic" else wanted[0]
    kind = "words" if wanted[1] == "word" else "topics"
    upright, lying = matrix.shape[1] == size, matrix.shape[0] == size
    if not upright and not lying:
        found = f"{name} has shape {matrix.shape}, but there are {size} {kind}"
        raise InputError(f"{found}, and no axis has as many")
    axes = said.get(other)
    if axes is None and upright and lying and matrix.size > 1:
        if named is None or named == TOPIC_DOC:  # tools that say so do not all do so
            both = " or ".join(repr(" ".join(order)) for order in (wanted, wanted[::-1]))
            found = f"{name} has shape {matrix.shape}: its rows and columns are as many"
            raise InputError(f"{found}; which are which? Say axes={both}")
        axes = named
    if axes is None:
        axes = wanted if upright else wanted[::-1]
        if named is not None and named != axes:
            meant, is_ = " × ".join(named), " × ".join(axes)
            notes.append(f"{name} was expected to be {meant}, but is {is_} by its shape, and was read so")
    if not (upright if axes == wanted else lying):
        found = f"{name} has shape {matrix.shape}, which cannot be {axes[0]} × {axes[1]} of {size} {kind}"
        raise InputError(found)
    return matrix if axes == wanted else np.ascontiguousarray(matrix.T)


def _matrix(things: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[str, Matrix | None]:
    name = next((name for name in names if name in things), "")
    if not name:
        return "", None
    try:
        matrix = np.asarray(things[name], dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be a matrix of numbers: {error}") from None
    if matrix.ndim != 2:
        raise InputError(f"{name} must have two axes, but has shape {matrix.shape}")
    return name, matrix


def _words(things: Mapping[str, Any]) -> tuple[str, ...] | None:
    name = next((name for name in VOCABULARY if name in things), None)
    if name is None:
        return None
    given = things[name]
    if isinstance(given, Mapping):
        return words_of(given)
    array = np.asarray(given)
    if array.ndim != 1:
        raise InputError(f"{name} must be a list of words, but has shape {array.shape}")
    try:
        return tuple(word.decode("utf-8") if isinstance(word, bytes) else word for word in array.tolist())
    except UnicodeDecodeError:
        raise InputError(f"{name} holds bytes that are no UTF-8") from None


def _given(things: Mapping[str, Any], name: str) -> Any:
    """A vector or a number; a list of one number is that number, as R has no others."""
    value = things.get(name)
    if value is None:
        return None
    array = np.asarray(value)
    return array.ravel()[0] if array.size == 1 and name != "assignments" else array


def _shown(things: Mapping[str, Any]) -> str:
    def shape(thing: Any) -> str:
        return f" {thing.shape}" if hasattr(thing, "shape") else ""

    names = [f"{name}{shape(thing)}" for name, thing in list(things.items())[:12]]
    return ", ".join(names) or "nothing"
