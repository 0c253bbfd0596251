"""What trainers are handed: counts of words in documents, or the words; and what they refuse."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Progress = Callable[[str, int, int], None]  # what is done, how much of it, and of how much
Floats = NDArray[np.float64]


def need_tokens(corpus: object) -> None:
    """Raise InputError if it is no corpus, or no document holds a word of the vocabulary."""
    from tealeaves.corpus import Corpus

    if not isinstance(corpus, Corpus):
        fix = "make one with Corpus.from_texts(texts) or Corpus.from_tokens(docs)"
        raise InputError(f"a model is fitted to a Corpus, not to {type(corpus).__name__}: {fix}")
    if not (corpus.tokens >= 0).any():
        raise InputError("no model can be fitted: the corpus has no token that is in its vocabulary")


def need_topics(corpus: "Corpus", k: int) -> None:
    """Raise InputError if the corpus is too small for k topics to be told apart."""
    need_tokens(corpus)
    n_documents = int((np.add.reduceat(corpus.tokens >= 0, _starts(corpus)) > 0).sum())
    if n_documents < 2:
        raise InputError(
            "topics are told apart by the documents they are in, but only 1 document "
            f"of {len(corpus)} has a word of the vocabulary"
        )
    n_words = int((corpus.word_counts() > 0).sum())
    if k > n_words:
        raise InputError(f"k={k} topics cannot be told apart by {n_words} different words")


def need_at_least(**given: tuple[float, float]) -> None:
    """Raise InputError for a setting below its least value: ``iterations=(given, least)``."""
    for name, (value, least) in given.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InputError(f"{name} must be {least} or more; got {value!r}")


def need_positive(**given: float) -> None:
    """Raise InputError for a setting that is no number above 0."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
            raise InputError(f"{name} must be a number above 0; got {value!r}")


def document_term(corpus: "Corpus") -> Any:
    """A sparse (D, V) matrix of float64: how often each word stands in each document.

    Raises
    ------
    InputError
        If no document holds a word of the vocabulary.
    """
    from scipy.sparse import csr_matrix

    need_tokens(corpus)
    documents = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    known = corpus.tokens >= 0
    cells = (documents[known], corpus.tokens[known])
    # Equal cells are added up.
    return csr_matrix((np.ones(int(known.sum())), cells), shape=(len(corpus), len(corpus.vocabulary)))


def word_texts(corpus: "Corpus") -> tuple[list[int], list[list[str]]]:
    """The documents that have a word, and their words as numbers written out.

    Numbers, so that no library cuts or strips a word, or takes one for another.
    """
    given, texts = [], []
    for i in range(len(corpus)):
        words = corpus.document(i)
        if (known := words[words >= 0]).size:
            given.append(i)
            texts.append([str(word) for word in known.tolist()])
    return given, texts


def in_all_documents(rows: Floats, given: list[int], n_documents: int, otherwise: Floats) -> Floats:
    """The rows of the documents that have words, and for all others what is expected of any."""
    result = np.tile(otherwise, (n_documents, 1)).astype(np.float64)
    result[given] = rows
    return result


def _starts(corpus: "Corpus") -> NDArray[np.int64]:
    """Where each document that has a token begins: what reduceat takes."""
    starts: NDArray[np.int64] = corpus.offsets[:-1][np.diff(corpus.offsets) > 0]
    return starts
