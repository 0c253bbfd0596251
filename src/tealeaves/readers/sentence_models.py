"""Readers of SentenceLDA and CopulaLDA, as their program and the one that compared local topics leave them.

The program keeps nothing but its objects. They, and what was pickled of them, are read without its code:
an unpickler that knows plain data alone runs none.
"""

import pickle
from collections import namedtuple
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_bytes
from tealeaves.readers._objects import attribute, numbers

CLASSES = {"lda_gibbs_sampling1": "SentenceLDA", "lda_gibbs_sampling_copula": "CopulaLDA"}
TOPICS, CORPUS = ".topics.pickle", ".corpus.pickle"
# What a pickle of plain data names: how numpy arrays and numbers are made again.
PLAIN = {
    *((f"numpy.{core}.multiarray", "_reconstruct") for core in ("core", "_core")),
    *((f"numpy.{core}.multiarray", "scalar") for core in ("core", "_core")),
    *((f"numpy.{core}.numeric", "_frombuffer") for core in ("core", "_core")),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("_codecs", "encode"),
    ("copyreg", "_reconstructor"),
    ("builtins", "object"),
}  # fmt: skip
# The records of ankura, whose corpora the comparison pickled.
RECORDS = {
    "TokenLoc": namedtuple("TokenLoc", "token loc"),
    "Document": namedtuple("Document", "text tokens metadata"),
    "Corpus": namedtuple("Corpus", "documents vocabulary metadata"),
}


def read_sentence_model(fitted: Any, vocabulary: Sequence[str] | None = None) -> TopicModel:
    """Read a fitted ``lda_gibbs_sampling1`` (SentenceLDA) or ``lda_gibbs_sampling_copula`` (CopulaLDA).

    ``topic_word`` is counted anew from the topics of tokens, with beta added: the program counts a word that
    stands twice in a sentence once.

    Raises
    ------
    InputError
        If it is not fitted, or there is no vocabulary: the object knows words by their numbers alone.
    """
    owner = CLASSES[next(cls.__name__ for cls in type(fitted).__mro__ if cls.__name__ in CLASSES)]
    if vocabulary is None:
        raise InputError(
            f"{owner} knows words by number alone: hand over vocabulary=, its program's voca.vocas"
        )
    n_words = int(attribute(fitted, "V", "the number of words", owner))
    if len(vocabulary) != n_words:
        raise InputError(f"{owner} has {n_words} words, but the vocabulary has {len(vocabulary)}")
    shares = numbers(attribute(fitted, "n_m_z", "documents × topics", owner), "n_m_z", owner, (None, None))
    documents = attribute(fitted, "docs", "sentences of each document", owner)
    chosen = attribute(fitted, "z_m_n", "topics of sentences or tokens", owner)
    if len(chosen) != len(documents):
        raise InputError(f"{owner} has topics of {len(chosen)} documents, but there are {len(documents)}")
    tokens: list[int] = []
    topics: list[int] = []
    lengths = []
    for i, (document, of_document) in enumerate(zip(documents, chosen, strict=True)):
        before = len(tokens)
        if len(of_document) != len(document):
            found = f"document {i} has {len(document)} sentences, but topics of {len(of_document)}"
            raise InputError(f"{owner} is not whole: {found}")
        for sentence, topic in zip(document, of_document, strict=True):
            words = np.asarray(sentence).astype(np.int64).ravel().tolist()
            tokens += words
            topics += np.broadcast_to(np.asarray(topic).astype(np.int64), len(words)).tolist()
        lengths.append(len(tokens) - before)
        if len(topics) != len(tokens):
            raise InputError(f"{owner} has not a topic for each word of document {i}")
    corpus = Corpus(
        vocabulary=tuple(vocabulary),
        tokens=np.array(tokens, np.int32),
        offsets=np.cumsum([0, *lengths]).astype(np.int64),
        gaps="closed",
        preprocess=f"as handed to {owner}",
    )
    beta = float(attribute(fitted, "beta", "the prior of words", owner))
    counts = np.full((shares.shape[1], n_words), beta)
    np.add.at(counts, (np.array(topics, np.int64), np.array(tokens, np.int64)), 1)
    return TopicModel(
        vocabulary,
        counts / counts.sum(axis=1, keepdims=True),
        doc_topic=shares / shares.sum(axis=1, keepdims=True),
        assignments=np.array(topics, np.int32),
        alpha=float(attribute(fitted, "alpha", "the prior of topics", owner)),
        eta=beta,
        corpus=corpus,
        source=owner,
    )


def read_sentence_save(path: str | Path, vocabulary: Sequence[str] | None = None) -> TopicModel:
    """Read a pickle of such an object, of Python 2 or 3; nothing in it is run.

    Raises
    ------
    FormatError
        If it is damaged, or holds what is not plain data.
    """
    path = Path(path)
    fitted = _unpickled(path)
    if type(fitted).__name__ not in CLASSES:
        raise FormatError(path, f"holds a {type(fitted).__name__}, not a fitted SentenceLDA or CopulaLDA")
    return read_sentence_model(fitted, vocabulary)


def read_ankura(path: str | Path) -> TopicModel:
    """Read NAME.topics.pickle and NAME.corpus.pickle, as source 001's program writes them; nothing is run.

    Its topics are words × topics; the topics of tokens and documents are in the metadata of the documents,
    under NAME_z and NAME_theta.

    Raises
    ------
    FormatError
        If there is no corpus beside the topics, one of the two is damaged or holds what is not plain data, or
        they are of different models.
    """
    path = Path(path)
    stem = path.name.removesuffix(TOPICS)
    beside = path.with_name(stem + CORPUS)
    if not beside.is_file():
        raise FormatError(
            path, f"has topics without words, and {beside.name} with the words is not beside it"
        )
    topics, held = _unpickled(path), _unpickled(beside)
    if not isinstance(topics, np.ndarray) or topics.ndim != 2 or topics.dtype.kind != "f":
        raise FormatError(path, "a matrix of words × topics was expected")
    if type(held).__name__ != "Corpus":
        raise FormatError(beside, f"a corpus of ankura was expected, but it holds a {type(held).__name__}")
    if len(held.vocabulary) != len(topics):
        found = f"has {len(held.vocabulary)} words, but {path.name} has {len(topics)}"
        raise FormatError(beside, found)
    corpus = Corpus(
        vocabulary=tuple(map(str, held.vocabulary)),
        tokens=np.array([t.token for d in held.documents for t in d.tokens], np.int32),
        offsets=np.cumsum([0, *(len(d.tokens) for d in held.documents)]).astype(np.int64),
        texts=[d.text for d in held.documents],
        preprocess="as ankura made it",
    )
    chosen = _of_documents(held.documents, f"{stem}_z")
    shares = _of_documents(held.documents, f"{stem}_theta")
    return TopicModel(
        corpus.vocabulary,
        topics.T,
        doc_topic=None if shares is None else np.array(shares, np.float64),
        assignments=None if chosen is None else np.concatenate([[], *chosen]).astype(np.int32),
        corpus=corpus,
        notes=[] if chosen is not None else [f"its documents have no topics of tokens under {stem}_z"],
    )


def _of_documents(documents: Sequence[Any], key: str) -> list[NDArray[Any]] | None:
    """What each document's metadata has under a key; None if one has not."""
    if not documents or not all(key in document.metadata for document in documents):
        return None
    return [np.asarray(document.metadata[key]) for document in documents]


class _Plain(pickle.Unpickler):
    """An unpickler that makes arrays, plain data and the records of two programs, and calls nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """The class of this name, or a stand-in; raise for any other."""
        module = {"copy_reg": "copyreg", "__builtin__": "builtins"}.get(module, module)
        if name in CLASSES:
            return type(name, (), {})
        if module.startswith("ankura") and name in RECORDS:
            return RECORDS[name]
        if (module, name) not in PLAIN:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is no plain data")
        return super().find_class(module, name)


def _unpickled(path: Path) -> Any:
    try:
        return _Plain(BytesIO(read_bytes(path)), encoding="latin1").load()  # as numpy wrote it in Python 2
    except Exception as error:  # an unpickler may raise anything
        raise FormatError(path, f"cannot be read as plain data: {error}") from None
