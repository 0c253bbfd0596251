"""Reader of R's saved objects (.RDS, .RData): models of its packages, and matrices; rdata opens them."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._optional import require
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_bytes
from tealeaves.readers._matrices import over_words

EXPORT = "write it as CSV from R (docs: Use a model of R)"
WANTED = (
    "a model of stm, topicmodels, lda, seededlda, keyATM or textmineR, or a matrix of probabilities, topics "
    "× words, whose columns have names"
)
NAME_IT = "save the one meant alone: saveRDS(model, file)"


def read_r(path: str | Path) -> TopicModel:
    """Read a topic model of R; of an .RData the only one in it.

    Read are models of stm, of topicmodels (LDA by VEM or Gibbs, CTM, and what ``posterior`` returns), of
    lda (topics, document_sums), of seededlda, keyATM and textmineR (phi, theta), and a matrix of topics ×
    words whose columns are named by words.

    Raises
    ------
    FormatError
        If the file is cut off, or holds no such model, or several; it names them.
    """
    path = Path(path)
    content = _load(path)
    kind = kind_of(content)
    if kind is None and isinstance(content, Mapping):
        models = {str(name): kind_of(thing) for name, thing in content.items() if kind_of(thing)}
        if len(models) > 1:
            found = ", ".join(f"{name} ({kind})" for name, kind in models.items())
            raise FormatError(path, f"holds {len(models)} models, {found}: {NAME_IT}")
        if not models:
            there = ", ".join(f"{name} ({_what(thing)})" for name, thing in list(content.items())[:8])
            raise FormatError(path, f"{WANTED} was expected, but there are: {there or 'no objects'}")
        name, kind = models.popitem()
        content = content[name]
    if kind is None:
        raise FormatError(path, f"{WANTED} was expected, but it is {_what(content)}")
    try:
        with np.errstate(over="ignore"):
            model: TopicModel = READERS[kind](content)
    except (KeyError, AttributeError, TypeError, IndexError, ValueError) as error:
        said = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise FormatError(path, f"was read as a model of {kind}, but {said}; or {EXPORT}") from None
    return replace(model, source=f"{path.name} (R {kind})")


def _load(path: Path) -> Any:
    rdata = require("rdata", extra="r")
    read_bytes(path)  # a file that is cut off, or packed to do harm, is told here
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes that it does not know and that are not needed
            return rdata.conversion.convert(rdata.parser.parse_file(path))
    except Exception as error:  # a damaged file may raise anything there
        said = f"{type(error).__name__}: {str(error)[:200]}"
        raise FormatError(
            path, f"is no whole R file, or holds what cannot be read ({said}); {EXPORT}"
        ) from None


def kind_of(thing: Any) -> str | None:
    """The package whose model an object of R is, by its parts; None for what is none."""
    if isinstance(thing, Mapping):
        return next((kind for kind, parts in PARTS.items() if parts <= set(thing)), None)
    if all(hasattr(thing, slot) for slot in ("terms", "beta", "gamma")):
        return "topicmodels"
    return (
        "matrix"
        if len(getattr(thing, "shape", ())) == 2 and _names(thing, 1) is not None and _adds_up(thing)
        else None
    )


def _adds_up(matrix: Any) -> bool:
    """Whether rows or columns sum to 1, as those of probabilities do and those of counts do not."""
    try:
        numbers = _numbers(matrix)
    except (TypeError, ValueError):
        return False
    return any(numbers.size and np.allclose(numbers.sum(axis=axis), 1, atol=1e-2) for axis in (0, 1))


def _what(thing: Any) -> str:
    if isinstance(thing, Mapping):
        return f"a list of {', '.join(map(str, list(thing)[:5])) or 'nothing'}"
    shape = getattr(thing, "shape", None)
    kind = getattr(thing, "class", None)  # the slot where rdata keeps the class of an S4 object
    if shape is None and kind is not None:
        return f"a {np.ravel(kind)[0]}"
    return type(thing).__name__ if shape is None else f"{' × '.join(map(str, shape))} values"


def _names(thing: Any, axis: int) -> tuple[str, ...] | None:
    """The names of a matrix's rows (0) or columns (1), which rdata keeps as coordinates."""
    if hasattr(thing, "columns"):  # a data.frame
        return tuple(map(str, thing.columns if axis == 1 else thing.index))
    if not hasattr(thing, "coords") or thing.dims[axis] not in thing.coords:
        return None
    return tuple(map(str, np.asarray(thing.coords[thing.dims[axis]]).tolist()))


def _numbers(thing: Any) -> NDArray[np.float64]:
    return np.asarray(getattr(thing, "values", thing), dtype=np.float64)


def _columns(thing: Any, of: str) -> tuple[str, ...]:
    names = _names(thing, 1)
    if names is None:
        raise InputError(f"the columns of {of} have no names, but the words were expected there")
    return names


def _topic_names(thing: Any) -> tuple[str, ...] | None:
    """What rows of topics are called, if more than their number."""
    names = _names(thing, 0)
    if names is None or all(name.removeprefix("topic").removeprefix("t_").isdecimal() for name in names):
        return None
    return names


def _alpha(value: Any, n_topics: int) -> NDArray[np.float64] | float | None:
    """One number or one a topic; anything else is another model's alpha, not a Dirichlet prior."""
    if value is None:
        return None
    numbers = np.ravel(_numbers(value))
    if not np.isfinite(numbers).all():
        return None
    return float(numbers[0]) if numbers.size == 1 else numbers if numbers.size == n_topics else None


def _stm(model: Mapping[str, Any]) -> TopicModel:
    beta = model["beta"]
    logs = beta["logbeta"]
    if len(logs) != 1:
        levels = model.get("settings", {}).get("covariates", {}).get("yvarlevels")
        named = "" if levels is None else f" ({', '.join(map(str, np.ravel(levels)[:6]))})"
        found = f"has a content covariate of {len(logs)} levels{named}, each with topics of its own"
        raise InputError(f"it {found}: choose one, fit$beta$logbeta[[i]], and write that")
    return TopicModel(
        np.asarray(model["vocab"]).tolist(), np.exp(_numbers(logs[0])), doc_topic=_numbers(model["theta"])
    )


def _topicmodels(model: Any) -> TopicModel:
    topic_word = np.exp(_numbers(model.beta))
    return TopicModel(
        np.asarray(model.terms).tolist(),
        topic_word,
        doc_topic=_numbers(model.gamma),
        alpha=_alpha(getattr(model, "alpha", None), len(topic_word)),
        eta=_alpha(getattr(model, "delta", None), -1),
    )


def _posterior(model: Mapping[str, Any]) -> TopicModel:
    words = _columns(model["terms"], "terms")
    return TopicModel(words, _numbers(model["terms"]), doc_topic=_numbers(model["topics"]))


def _lda(model: Mapping[str, Any]) -> TopicModel:
    """Of the package lda: counts of words in topics, and of topics in documents (topics × documents)."""
    topics, sums = model["topics"], _numbers(model["document_sums"])
    counts = _numbers(topics)
    if counts.shape[0] != sums.shape[0]:
        found = f"topics has {counts.shape[0]} rows, but document_sums has {sums.shape[0]}"
        raise InputError(f"{found}: both should be topics")
    notes = ["counts of words in topics and of topics in documents, not smoothed by a prior"]
    assignments = None
    if isinstance(listed := model.get("assignments"), list | Mapping):
        parts = [np.ravel(part) for part in (listed.values() if isinstance(listed, Mapping) else listed)]
        joined = np.concatenate(parts) if parts else np.zeros(0)
        if joined.size == sums.sum():  # else a word that comes several times in a document has one entry
            assignments = joined.astype(np.int64)
        else:
            notes.append("assignments were left out: they are one a word of a document, not one a token")
    return TopicModel(
        _columns(topics, "topics"), counts, doc_topic=sums.T, assignments=assignments, notes=notes
    )


def _phi(model: Mapping[str, Any]) -> TopicModel:
    """Of seededlda, keyATM and textmineR: phi (topics × words) and theta (documents × topics)."""
    phi, notes = _numbers(model["phi"]), list[str]()
    return TopicModel(
        _columns(model["phi"], "phi"),
        over_words(phi, notes),
        doc_topic=_numbers(model["theta"]),
        alpha=_alpha(model.get("alpha"), len(phi)),
        eta=_alpha(model.get("beta"), -1),
        topic_names=_topic_names(model["phi"]),
        notes=notes,
    )


def _matrix(matrix: Any) -> TopicModel:
    notes: list[str] = []
    topic_word = over_words(_numbers(matrix), notes)
    words = _columns(matrix, "the matrix")
    return TopicModel(words, topic_word, topic_names=_topic_names(matrix), notes=notes)


PARTS: dict[str, set[str]] = {
    "stm": {"beta", "vocab", "theta"},
    "lda": {"topics", "document_sums"},
    "seededlda, keyATM or textmineR": {"phi", "theta"},
    "topicmodels' posterior": {"terms", "topics"},
}
READERS: dict[str, Callable[[Any], TopicModel]] = {
    "stm": _stm,
    "lda": _lda,
    "seededlda, keyATM or textmineR": _phi,
    "topicmodels' posterior": _posterior,
    "topicmodels": _topicmodels,
    "matrix": _matrix,
}
