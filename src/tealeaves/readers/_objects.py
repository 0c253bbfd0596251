"""What the readers of fitted objects share: attributes that must be there, arrays whose shapes must fit."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

SHOWN = 5  # topics in a message before "…"
CELLS = 1 << 28  # of a matrix of documents × topics or topics × words, 2 GiB: no larger one is made


def kind_of(thing: Any, library: str) -> str:
    """The name of the class of ``library`` that ``thing`` is of, also through a class derived from it."""
    classes = type(thing).__mro__
    own = [cls for cls in classes if cls.__module__.partition(".")[0] == library]
    return (own or classes)[0].__name__


def attribute(thing: Any, name: str, expected: str, owner: str) -> Any:
    """``thing.name``, which the fitted ``owner`` must have.

    Raises
    ------
    InputError
        If it is missing, None or cannot be asked for, as before fitting.
    """
    value, error = tried(lambda: getattr(thing, name))
    if value is None:
        why = "" if error is None or isinstance(error, AttributeError) else f" ({error})"
        raise InputError(f"{owner} should have {name} ({expected}), but has none{why}: is it fitted?")
    return value


def optional(thing: Any, name: str) -> Any:
    """``thing.name``, or None where there is none, or asking for it fails."""
    return tried(lambda: getattr(thing, name))[0]


def tried(call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    """What a call of foreign code returns, or None and what it raised, which may be anything.

    A panic of a library in Rust is no Exception; only what is meant to end the process goes on.
    """
    try:
        return call(), None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return None, error


def called(thing: Any, name: str, expected: str, owner: str) -> Any:
    """What the method ``thing.name()`` of the fitted ``owner`` returns.

    Raises
    ------
    InputError
        If there is no such method, or it fails, as before fitting.
    """
    method = attribute(thing, name, expected, owner)
    if not callable(method):
        found = f"but {name} is a {type(method).__name__}"
        raise InputError(f"{owner} should have {name}() ({expected}), {found}")
    value, error = tried(method)
    if error is not None:
        why = f"{type(error).__name__}: {error}"
        raise InputError(f"{name}() of {owner} ({expected}) failed: {why}; is it fitted?")
    return value


def numbers(value: Any, name: str, owner: str, shape: Sequence[int | None]) -> NDArray[Any]:
    """``value`` as an array of this shape, None for any length; sparse matrices and tensors become arrays.

    Raises
    ------
    InputError
        If it holds no numbers or has another shape.
    """
    for step in ("detach", "cpu", "numpy", "toarray"):  # a tensor's way to NumPy; a sparse matrix's
        if not isinstance(value, np.ndarray) and callable(optional(value, step)):
            value, error = tried(getattr(value, step))
            if error is not None:
                raise InputError(f"{name} of {owner} cannot be made an array: {error}")
    try:
        array = np.asarray(value)
        array = array if array.dtype.kind in "iuf" else array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} of {owner} must be an array of numbers, but is {_shown(value)}") from None
    wanted = tuple("any" if n is None else n for n in shape)
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits:
        names = " × ".join(map(str, wanted))
        raise InputError(f"{name} of {owner} must have shape {names}, but has {array.shape}")
    return array


def softmax(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities in proportion to the exponentials of weights, row by row.

    Examples
    --------
    >>> softmax(np.log([[1.0, 3.0]]))
    array([[0.25, 0.75]])
    """
    shares: NDArray[np.float64] = np.exp(weights - weights.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def words(value: Any, name: str, owner: str) -> list[str]:
    """The words of a vocabulary: a list or array of them, or a dict from word to id or from id to word.

    Raises
    ------
    InputError
        If it is none of these.
    """
    from tealeaves.readers._vocabulary import words_by_id

    if hasattr(value, "keys"):
        return list(words_by_id(value))
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        raise InputError(f"{name} of {owner} must be a list of words, but is {_shown(value)}")
    return [word if isinstance(word, str) else str(word) for word in value]


def clusters(
    labels: Any, topics: Sequence[int], name: str, owner: str
) -> tuple[NDArray[np.float64] | None, list[str]]:
    """Documents × topics of a clustering: 1 for the topic of a document, 0 for the others; and notes.

    ``labels`` holds the topic of each document, one of ``topics`` or, for none of them, -1.

    Raises
    ------
    InputError
        If a document is in a topic that is none of these.
    """
    found = numbers(labels, name, owner, (None,))
    known = {topic: k for k, topic in enumerate(topics)}
    distinct, at = np.unique(found, return_inverse=True)  # of numbers, nan and infinite ones too
    columns = [known.get(label, -1) for label in distinct.tolist()]
    unknown = [f"{label:g}" for label in distinct.tolist() if label not in known and label != -1]
    if unknown:
        listed = ", ".join(unknown[:SHOWN]) + (", …" if len(unknown) > SHOWN else "")
        raise InputError(f"{name} of {owner} puts documents into topic {listed}, which it has not")
    if len(found) * len(topics) > CELLS:
        size = f"{len(found):,} documents × {len(topics):,} topics"
        return None, [f"the topics of documents were left out: {size} are too many to keep"]
    topic = np.array(columns, dtype=np.int64)[at.reshape(-1)]
    inside = topic >= 0
    doc_topic = np.zeros((len(found), len(topics)))
    doc_topic[np.flatnonzero(inside), topic[inside]] = 1
    notes = ["doc_topic tells clusters: 1 for the one topic of a document, 0 for the others"]
    if not inside.all():
        outside = f"{int((~inside).sum())} of {len(found)} documents"
        notes.append(f"{outside} are in no topic (-1): their rows of doc_topic are 0")
    return doc_topic, notes


def _shown(value: Any) -> str:
    return f"a {type(value).__name__}"
