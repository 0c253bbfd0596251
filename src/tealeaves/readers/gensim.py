"""Readers of gensim: fitted models, for which it is not imported, and saved ones, for which it must be."""

from pathlib import Path
from typing import Any

import numpy as np

from tealeaves._optional import require
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel


def read_gensim(fitted: Any, vocabulary: tuple[str, ...] | None = None) -> TopicModel:
    """Read a fitted LdaModel, LdaMulticore, Nmf, LsiModel, HdpModel or EnsembleLda.

    Raises
    ------
    InputError
        If it is of another kind or has no topics yet.
    """
    kind = type(fitted).__name__
    if kind == "LdaSeqModel":
        raise InputError("an LdaSeqModel has topics over time, which a TopicModel has not")
    if not hasattr(fitted, "get_topics"):
        raise InputError(f"gensim's {kind} is no topic model: it has no get_topics()")
    if kind == "LsiModel" and getattr(fitted.projection, "u", None) is None:
        raise InputError("this LsiModel is not fitted: it has seen no documents")
    topic_word = np.asarray(fitted.get_topics(), dtype=np.float64)
    notes: list[str] = []
    if vocabulary is None:
        vocabulary = _words(fitted.id2word, topic_word.shape[1], notes)
    alpha: Any = getattr(fitted, "alpha", None)
    eta: Any = getattr(fitted, "eta", None)
    if kind == "HdpModel":
        alpha, eta = fitted.hdp_to_lda()[0], fitted.m_eta
    is_prior = np.ndim(eta) == 0 or np.shape(eta) == (topic_word.shape[1],)
    return TopicModel(
        vocabulary,
        topic_word,
        alpha=alpha if np.shape(alpha) == (len(topic_word),) else None,
        eta=eta if is_prior and not isinstance(eta, str) else None,
        source=f"gensim's {kind}",
        notes=notes,
    )


def _words(id2word: Any, n_words: int, notes: list[str]) -> tuple[str, ...]:
    known = {i: id2word[i] for i in id2word.keys()} if hasattr(id2word, "keys") else {}  # noqa: SIM118
    missing = [i for i in range(n_words) if i not in known]
    if missing:
        notes.append(f"{len(missing)} of {n_words} ids have no word in id2word; they are called #0, #1, …")
    return tuple(str(known.get(i, f"#{i}")) for i in range(n_words))


def read_gensim_save(path: str | Path, vocabulary: tuple[str, ...] | None = None) -> TopicModel:
    """Read what ``model.save(path)`` of gensim wrote. It is a pickle: gensim opens it, so trust it first.

    Raises
    ------
    FormatError
        If it holds something else than a topic model of gensim.
    """
    path = Path(path)
    require("gensim", extra="gensim")
    from gensim.utils import SaveLoad

    try:
        with path.open("rb") as file:
            kind = _class_of(file.read(1 << 12))
        loaded = (getattr(require(kind[0], extra="gensim"), kind[1]) if kind else SaveLoad).load(str(path))
    except FileNotFoundError as error:
        raise FormatError(path, f"is not whole without the files saved beside it: {error}") from None
    except Exception as error:  # an unpickler may raise anything
        raise FormatError(path, f"gensim cannot open it: {type(error).__name__}: {error}") from None
    if not type(loaded).__module__.startswith("gensim."):
        raise FormatError(path, f"a gensim model was expected, but it holds a {type(loaded).__name__}")
    return read_gensim(loaded, vocabulary)


def _class_of(head: bytes) -> tuple[str, str] | None:
    """The module and class that a pickle of gensim names first; the class's own load() finds its parts."""
    import pickletools

    names: list[str] = []
    try:
        for opcode, argument, _ in pickletools.genops(head):
            if opcode.name == "GLOBAL":
                names = str(argument).split(" ")
            elif "UNICODE" in opcode.name:
                names.append(str(argument))
            if len(names) >= 2 or len(names) > 4:
                break
    except ValueError:
        return None
    if len(names) >= 2 and names[0].startswith("gensim.models."):
        return names[0], names[1]
    return None
