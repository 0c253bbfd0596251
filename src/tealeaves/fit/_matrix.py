"""What trainers are handed: the counts of words in documents."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def need_tokens(corpus: object) -> None:
    """Raise InputError if it is no corpus, or no document holds a word of the vocabulary."""
    from tealeaves.corpus import Corpus

    if not isinstance(corpus, Corpus):
        fix = "make one with Corpus.from_texts(texts) or Corpus.from_tokens(docs)"
        raise InputError(f"a model is fitted to a Corpus, not to {type(corpus).__name__}: {fix}")
    if not (corpus.tokens >= 0).any():
        raise InputError("no model can be fitted: the corpus has no token that is in its vocabulary")


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
