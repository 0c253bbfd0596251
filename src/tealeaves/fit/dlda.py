"""D-LDA, the dynamic topic model of Blei and Lafferty, fitted by variational Kalman smoothing with topica."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tealeaves._optional import require
from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.fit._matrix import in_all_documents, need_at_least, need_positive, need_topics, word_texts

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def dlda(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    chain_variance: float = 0.05,
    alpha: float = 0.01,
    iterations: int = 20,
) -> DynamicTopicModel:
    """Fit topics whose words drift from slice to slice; the same seed gives the same model.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words, each in a slice of time. A slice in which no document has a word is a gap
        in every topic, and its neighbours follow one another.
    k : int
        The number of topics, 2 or more.
    seed : int
        Of the static model that it starts from.
    chain_variance : float
        How far a topic may move from one slice to the next: the variance of the step of each word's natural
        parameter. The authors' program has .005 by default, which on planted topics follows a third of
        the drift; .05 follows two thirds of it and invents little where there is none.
    alpha : float
        Prior of each topic in a document.
    iterations : int
        Of variational expectation-maximisation at most.

    Returns
    -------
    DynamicTopicModel
        With the topics of the corpus' documents.

    Raises
    ------
    InputError
        If documents have no slices, or the corpus is too small for k topics.

    References
    ----------
    Blei and Lafferty (2006), ICML, 113-120.
    """
    need_positive(chain_variance=chain_variance, alpha=alpha)
    need_at_least(iterations=(iterations, 1))
    given, texts, times, used = slices_of_texts(corpus, k)
    trainer = require("topica", "fit").DTM(k, alpha=alpha, chain_variance=chain_variance, seed=seed)
    trainer.fit(texts, times, iters=iterations, progress=_quiet)
    weights = np.zeros((len(used), k, len(corpus.vocabulary)))
    columns = [int(word) for word in trainer.vocabulary]
    for t in np.flatnonzero(used):
        weights[t][:, columns] = trainer.topic_word(int(used[:t].sum()))
    settings = f"chain_variance={chain_variance}, alpha={alpha}, iterations={iterations}"
    return DynamicTopicModel(
        corpus.vocabulary,
        weights,
        "time topic word",
        slice_labels=corpus.slice_labels,
        doc_topic=in_all_documents(trainer.doc_topic, given, len(corpus), np.full(k, 1 / k)),
        slice_of=corpus.slice_of,
        corpus=corpus,
        name=f"dlda-{k}",
        source=f"tealeaves.fit: topica DTM, k={k}, seed={seed}, {settings}",
    )


def slices_of_texts(
    corpus: "Corpus", k: int
) -> tuple[list[int], list[list[str]], list[int], NDArray[np.bool_]]:
    """Documents with words, their texts and slices, counted without those that have none; which have any.

    Raises
    ------
    InputError
        If documents have no slices, or are too few for k topics.
    """
    need_topics(corpus, k)
    if k < 2:
        raise InputError(f"a model over time has at least 2 topics here; got k={k}")
    if corpus.slice_of is None or corpus.slice_labels is None:
        fix = "read_corpus(path, time=field), or Corpus.from_tokens(tokens, slices=[...])"
        raise InputError(f"a model over time needs the slice of each document: {fix}")
    given, texts = word_texts(corpus)
    of_given = corpus.slice_of[given]
    used: NDArray[np.bool_] = np.bincount(of_given, minlength=len(corpus.slice_labels)) > 0
    position = np.cumsum(used) - 1
    return given, texts, position[of_given].tolist(), used


def _quiet(iteration: int, total: int, about: object) -> None:
    """No bar of progress."""
