"""Readers of gensim: fitted models, for which it is not imported, and saved ones, for which it must be.

A save is a pickle, and so a pickled model of any other library is read here too.
"""

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from tealeaves._optional import require
from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_bytes
from tealeaves.readers._formats import object_format
from tealeaves.readers._objects import attribute, called, kind_of, numbers, optional
from tealeaves.readers._slices import words_by_number
from tealeaves.readers.dynamic_gensim import read_ldaseq

SIGNED = (
    "signed weights: top words are those of the largest positive weight, for the sign of an axis is chance"
)
WITH_PARTS, PARTS = ("LdaModel", "LdaMulticore", "AuthorTopicModel"), ("state", "id2word")
BESIDE = {"LdaModel": (".state",), "LsiModel": (".projection",)}  # files that a save of it must have
JOBLIB, HEAD = b"joblib.numpy_pickle", 1 << 12  # what joblib's pickles name near their beginning
EXTRAS = {"gensim": "gensim", "sklearn": "fit", "tomotopy": "fit", "topica": "fit"}
PSEUDO_COUNTS = ("LdaModel", "LdaMulticore")
USED = 0.99  # of an HdpModel's stick weights, held by the topics that it uses


def read_gensim(fitted: Any, vocabulary: tuple[str, ...] | None = None) -> TopicModel | DynamicTopicModel:
    """Read a fitted LdaModel, LdaMulticore, AuthorTopicModel, EnsembleLda, HdpModel, Nmf or LsiModel.

    An LdaSeqModel has topics over time: it becomes a DynamicTopicModel.

    ``topic_word`` is what ``get_topics()`` gives, of an LdaModel before it is divided by its sums; of an
    EnsembleLda the stable topics, of an HdpModel all of its T, with their stick weights as ``alpha``. gensim
    keeps no topics of documents: `tealeaves.infer` makes them.

    Raises
    ------
    InputError
        If it is of another kind or has no topics yet.
    """
    kind = kind_of(fitted, "gensim")
    owner = f"gensim's {kind}"
    if kind == "LdaSeqModel":
        return read_ldaseq(fitted, vocabulary)
    if not hasattr(fitted, "get_topics"):
        raise InputError(f"{owner} is no topic model: it has no get_topics()")
    if kind == "LsiModel" and getattr(fitted.projection, "u", None) is None:
        raise InputError("this LsiModel is not fitted: it has seen no documents")
    # what get_topics() divides by its sums: pseudo-counts, of which bounds are made
    counted = optional(fitted, "state") if kind in PSEUDO_COUNTS else None
    get = "get_topics" if not hasattr(counted, "get_lambda") else "get_lambda"
    found = called(fitted if get == "get_topics" else counted, get, "topics × words", owner)
    if kind == "EnsembleLda" and not len(found):
        raise InputError("this EnsembleLda found no stable topic: train more models, or with other settings")
    topic_word = numbers(found, f"{get}()", owner, (None, None)).astype(np.float64)
    notes: list[str] = []
    if kind == "Nmf":  # it divides by the sums of rows, of which an empty one has 0
        topic_word[np.isnan(topic_word).all(axis=1)] = 0
    if (topic_word < 0).any():
        notes.append(SIGNED)
    if vocabulary is None:
        id2word = attribute(fitted, "id2word", "a Dictionary, or a dict from id to word", owner)
        if type(id2word).__name__ == "FakeDict":  # gensim's own, for a model that was given no words
            notes.append("it was trained without id2word: words are their numbers; hand over vocabulary=")
            vocabulary = tuple(map(str, range(topic_word.shape[1])))
        else:
            vocabulary = words_by_number(id2word, topic_word.shape[1], notes)
    alpha: Any = optional(fitted, "alpha")
    eta: Any = optional(fitted, "eta")
    if kind == "HdpModel":
        alpha, eta = fitted.hdp_to_lda()[0], fitted.m_eta
        used = 1 + int(np.searchsorted(np.cumsum(np.sort(alpha)[::-1] / alpha.sum()), USED))
        notes.append(
            f"all {len(alpha)} topics HdpModel allows for; {used} hold {USED:.0%} of its stick weights"
        )
    return TopicModel(
        vocabulary,
        topic_word,
        alpha=alpha if _is_prior(alpha, (len(topic_word),)) else None,
        eta=eta if _is_prior(eta, (), (topic_word.shape[1],)) else None,
        source=owner,
        notes=notes,
    )


def _is_prior(value: Any, *shapes: tuple[int, ...]) -> bool:
    return value is not None and not isinstance(value, str) and np.shape(value) in shapes


def read_gensim_save(
    path: str | Path, vocabulary: tuple[str, ...] | None = None
) -> TopicModel | DynamicTopicModel:
    """Read what ``model.save(path)`` of gensim wrote, or a pickle of another library's model; trust it first.

    Raises
    ------
    FormatError
        If files that gensim saved beside it are missing, or it holds something else than a topic model.
    """
    path = Path(path)
    first = _unpickle(path)
    if not any(cls.__module__.startswith("gensim.") for cls in type(first).__mro__):
        return _other(path, first, vocabulary)
    missing = _missing(path, first, words_wanted=vocabulary is None)
    if missing:
        found = f"is not whole without the files saved beside it: there is no {' and no '.join(missing)}"
        raise FormatError(path, f"{found}; gensim's save() writes them all, so copy them all")
    try:
        loaded = type(first).load(str(path))
    except Exception as error:  # a damaged file beside it
        raise FormatError(path, f"gensim cannot open it: {type(error).__name__}: {error}") from None
    for part in PARTS:  # gensim goes on without those that it cannot open
        lost = kind_of(first, "gensim") in WITH_PARTS and getattr(loaded, part, None) is None
        if lost and (part != "id2word" or vocabulary is None):
            raise FormatError(f"{path}.{part}", "is damaged: gensim cannot open it")
    return read_gensim(loaded, vocabulary)


def _unpickle(path: Path) -> Any:
    """What the pickle holds, also one that joblib wrote; the files beside it are not opened."""
    content = read_bytes(path)
    try:
        if JOBLIB in content[:HEAD]:
            return require("joblib", extra="fit").load(path)
        return pickle.loads(content, encoding="latin1")  # as gensim does, for what Python 2 wrote
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library in EXTRAS:
            require(library, extra=EXTRAS[library])
        raise FormatError(path, f"can be opened only with {error.name}, which is not installed") from None
    except Exception as error:  # an unpickler may raise anything
        raise FormatError(path, f"cannot be opened: {type(error).__name__}: {error}") from None


def _other(path: Path, thing: Any, vocabulary: tuple[str, ...] | None) -> TopicModel | DynamicTopicModel:
    """The model of another library that was pickled."""
    format = object_format(thing)
    if format is None:
        kind = type(thing).__name__
        raise FormatError(path, f"holds a {kind}; hand over the object itself, opened by what wrote it")
    options = {"vocabulary": vocabulary, "outliers": "drop", "axes": None}
    if vocabulary is not None and "vocabulary" not in format.takes:
        raise FormatError(path, f"holds a {type(thing).__name__}, which has its own words: no vocabulary=")
    model: TopicModel | DynamicTopicModel = format.read(thing, options)
    return model


def _missing(path: Path, first: Any, words_wanted: bool) -> list[str]:
    """The names of files that belong to the save at ``path`` and are not there."""
    from gensim.utils import SaveLoad, smart_extension

    classes = [cls.__name__ for cls in type(first).__mro__]
    beside = [smart_extension(str(path), end) for kind in classes for end in BESIDE.get(kind, ())]
    if words_wanted and "LdaModel" in classes and getattr(first, "id2word", None) is None:
        beside.append(smart_extension(str(path), ".id2word"))
    compressed, name_of = SaveLoad._adapt_by_suffix(str(path))
    beside += [name_of(str(path), name) for name in getattr(first, "__numpys", [])]
    for name in getattr(first, "__scipys", []):
        parts = ("sparse",) if compressed else ("data", "indptr", "indices")
        beside += [name_of(str(path), name), *(name_of(str(path), name, part) for part in parts)]
    return [Path(file).name for file in beside if not Path(file).exists()]
