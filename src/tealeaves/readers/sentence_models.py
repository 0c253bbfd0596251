"""Readers of SentenceLDA and CopulaLDA, as their program and the one that compared local topics leave them.

The program keeps nothing but its objects. They, and what was pickled of them, are read without its code:
an unpickler that knows plain data alone runs none.
"""

import pickle
from collections import namedtuple
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_bytes
from tealeaves.readers._objects import SHOWN, attribute, numbers

CLASSES = {"lda_gibbs_sampling1": "SentenceLDA", "lda_gibbs_sampling_copula": "CopulaLDA"}
TOPICS, CORPUS = ".topics.pickle", ".corpus.pickle"
LARGEST = 1e100  # of a prior or a count: sums of larger ones would be infinite
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
    n_words = _whole(attribute(fitted, "V", "the number of words", owner), "V", owner)
    if len(vocabulary) != n_words:
        raise InputError(f"{owner} has {n_words} words, but the vocabulary has {len(vocabulary)}")
    shares = _shares(attribute(fitted, "n_m_z", "documents × topics", owner), owner)
    documents = _sequence(attribute(fitted, "docs", "sentences of each document", owner), "docs", owner)
    chosen = _sequence(attribute(fitted, "z_m_n", "topics of sentences or tokens", owner), "z_m_n", owner)
    for name, found in (("z_m_n", chosen), ("n_m_z", shares)):
        if len(found) != len(documents):
            raise InputError(
                f"{owner} has topics of {len(found)} documents, but there are {len(documents)} ({name})"
            )
    tokens: list[int] = []
    topics: list[int] = []
    lengths = []
    for i, (document, of_document) in enumerate(zip(documents, chosen, strict=True)):
        where = f"document {i} of {owner}"
        words, its = _document(document, of_document, n_words, shares.shape[1], where)
        tokens += words
        topics += its
        lengths.append(len(words))
    corpus = Corpus(
        vocabulary=tuple(vocabulary),
        tokens=np.array(tokens, np.int32),
        offsets=np.cumsum([0, *lengths]).astype(np.int64),
        gaps="closed",
        preprocess=f"as handed to {owner}",
    )
    alpha = _prior(attribute(fitted, "alpha", "the prior of topics", owner), "alpha", owner)
    beta = _prior(attribute(fitted, "beta", "the prior of words", owner), "beta", owner)
    counts = np.full((shares.shape[1], n_words), beta)
    np.add.at(counts, (np.array(topics, np.int64), np.array(tokens, np.int64)), 1)
    return TopicModel(
        vocabulary,
        counts / counts.sum(axis=1, keepdims=True),
        doc_topic=shares / shares.sum(axis=1, keepdims=True),
        assignments=np.array(topics, np.int32),
        alpha=alpha,
        eta=beta,
        corpus=corpus,
        source=owner,
    )


def _shares(value: Any, owner: str) -> NDArray[np.float64]:
    """Documents × topics: what each document has of each, alpha added."""
    shares = numbers(value, "n_m_z", owner, (None, None)).astype(np.float64)
    wrong = ~((shares >= 0) & (shares < LARGEST)).all(axis=1) | (shares.sum(axis=1) <= 0)
    if wrong.any():
        i = int(wrong.argmax())
        found = ", ".join(f"{share:g}" for share in shares[i, :SHOWN])
        raise InputError(f"n_m_z of document {i} of {owner} must be counts from 0, but is {found}")
    return shares


def _document(document: Any, chosen: Any, n_words: int, n_topics: int, where: str) -> tuple[Any, Any]:
    """The words of a document and the topic of each; a sentence has one topic, or one for each word."""
    sentences, of_sentences = _sequence(document, "docs", where), _sequence(chosen, "z_m_n", where)
    if len(of_sentences) != len(sentences):
        raise InputError(f"{where} has {len(sentences)} sentences, but topics of {len(of_sentences)}")
    tokens: list[int] = []
    topics: list[int] = []
    for sentence, topic in zip(sentences, of_sentences, strict=True):
        words = _numbers_below(sentence, n_words, "words", where)
        its = _numbers_below(topic, n_topics, "topics", where)
        one = np.ndim(topic) == 0
        if not one and len(its) != len(words):
            raise InputError(f"{where} has a sentence of {len(words)} words with {len(its)} topics")
        tokens += words
        topics += its * len(words) if one else its
    return tokens, topics


def _numbers_below(value: Any, end: int, name: str, where: str) -> list[int]:
    """Whole numbers from 0 to below ``end``: of numpy's indices, -1 would be the last one."""
    try:
        found = np.asarray(value).ravel()
        given = np.empty(0) if found.dtype.kind == "c" else found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} of {where} must be whole numbers, but are {value!r:.60}") from None
    if found.dtype.kind in "bcSU" or not (given == np.trunc(given)).all():
        raise InputError(f"{name} of {where} must be whole numbers, but are {value!r:.60}")
    outside = (given < 0) | (given >= end)
    if outside.any():
        raise InputError(f"{name} of {where} must be from 0 to {end - 1}, but one is {given[outside][0]:g}")
    return [int(number) for number in given.tolist()]


def _whole(value: Any, name: str, owner: str) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InputError(f"{name} of {owner} must be a whole number, but is {value!r:.60}")
    return int(value)


def _prior(value: Any, name: str, owner: str) -> float:
    number = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
    plain = isinstance(number, int | float | np.integer | np.floating) and not isinstance(number, bool)
    if not plain or not 0 < number < LARGEST:
        raise InputError(f"{name} of {owner} must be a number over 0, but is {value!r:.60}")
    return float(number)


def _sequence(value: Any, name: str, owner: str) -> list[Any]:
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        return list(value)
    raise InputError(f"{name} of {owner} must be a list, but is {value!r:.60}")


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
    with _named(path):
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
    with _named(beside):
        return _ankura_model(topics.astype(np.float64), held, stem, path.name)


def _ankura_model(topics: NDArray[np.float64], held: Any, stem: str, file: str) -> TopicModel:
    n_words, n_topics = topics.shape
    vocabulary = _sequence(held.vocabulary, "the vocabulary", "the corpus")
    if len(vocabulary) != n_words:
        raise InputError(f"has {len(vocabulary)} words, but {file} has {n_words}")
    documents = _sequence(held.documents, "documents", "the corpus")
    for i, document in enumerate(documents):
        if type(document).__name__ != "Document" or not isinstance(document.metadata, dict):
            raise InputError(f"document {i} is no document of ankura, but {document!r:.60}")
    tokens = [
        _numbers_below([token.token for token in document.tokens], n_words, "words", f"document {i}")
        for i, document in enumerate(documents)
    ]
    chosen = _of_documents(documents, f"{stem}_z")
    shares = _of_documents(documents, f"{stem}_theta")
    assignments = None
    if chosen is not None:
        of_tokens = [_numbers_below(z, n_topics, "topics", f"document {i}") for i, z in enumerate(chosen)]
        assignments = np.array([z for of_document in of_tokens for z in of_document], np.int32)
    corpus = Corpus(
        vocabulary=tuple(map(str, vocabulary)),
        tokens=np.array([word for of_document in tokens for word in of_document], np.int32),
        offsets=np.cumsum([0, *map(len, tokens)]).astype(np.int64),
        texts=[str(document.text) for document in documents],
        preprocess="as ankura made it",
    )
    return TopicModel(
        corpus.vocabulary,
        topics.T,
        doc_topic=None if shares is None else numbers(shares, f"{stem}_theta", "documents", (None, n_topics)),
        assignments=assignments,
        corpus=corpus,
        notes=[] if chosen is not None else [f"its documents have no topics of tokens under {stem}_z"],
    )


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """What is wrong with an object from a file is told with the file; anything may be in a pickle."""
    try:
        yield
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(path, str(error)) from None
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise FormatError(path, f"is not whole: {type(error).__name__}: {error}") from None


def _of_documents(documents: Sequence[Any], key: str) -> list[Any] | None:
    """What each document's metadata has under a key; None if one has not."""
    if not documents or not all(key in document.metadata for document in documents):
        return None
    return [document.metadata[key] for document in documents]


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
