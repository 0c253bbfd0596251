"""Latent Dirichlet allocation, fitted by collapsed Gibbs sampling with tomotopy."""

from typing import TYPE_CHECKING

import numpy as np

from tealeaves._optional import require
from tealeaves.errors import InputError
from tealeaves.fit._matrix import need_tokens
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def lda(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    alpha: float = 0.1,
    eta: float = 0.01,
    iterations: int = 1000,
) -> TopicModel:
    """Fit LDA in one thread; the same seed gives the same model on processors of the same kind.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics.
    seed : int
        Of the draws.
    alpha : float
        Prior of each topic in a document, where it starts: it is fitted as sampling goes on.
    eta : float
        Prior of each word in a topic.
    iterations : int
        Sweeps over the corpus.

    Returns
    -------
    TopicModel
        The last state: topics, those of the corpus' documents and of its tokens, and both priors.

    References
    ----------
    Griffiths and Steyvers (2004), PNAS 101, 5228-5235.
    """
    for name, value in (("alpha", alpha), ("eta", eta)):
        if not value > 0:
            raise InputError(f"{name} must be a number above 0; got {value!r}")
    if iterations < 1:
        raise InputError(f"iterations must be 1 or more; got {iterations!r}")
    need_tokens(corpus)
    trainer = require("tomotopy", "fit").LDAModel(k=k, alpha=alpha, eta=eta, seed=seed)
    known = corpus.tokens >= 0
    given = []  # documents with a word: tomotopy takes no others
    for i in range(len(corpus)):
        words = corpus.document(i)
        # Words go in as numbers, so that none is cut, stripped or taken for another.
        if trainer.add_doc([str(word) for word in words[words >= 0]]) is not None:
            given.append(i)
    trainer.train(iterations, workers=1, show_progress=False)

    topic_word = np.zeros((k, len(corpus.vocabulary)))
    columns = [int(word) for word in trainer.used_vocabs]
    topic_word[:, columns] = [trainer.get_topic_word_dist(topic) for topic in range(k)]
    fitted_alpha = np.asarray(trainer.alpha, dtype=np.float64)
    doc_topic = np.tile(fitted_alpha / fitted_alpha.sum(), (len(corpus), 1))
    doc_topic[given] = [document.get_topic_dist() for document in trainer.docs]
    assignments = np.full(len(corpus.tokens), -1, dtype=np.int32)
    assignments[known] = np.concatenate([document.topics for document in trainer.docs])
    return TopicModel(
        corpus.vocabulary,
        topic_word=topic_word / topic_word.sum(axis=1, keepdims=True),  # tomotopy counts in float32
        doc_topic=doc_topic / doc_topic.sum(axis=1, keepdims=True),
        assignments=assignments,
        alpha=fitted_alpha,
        eta=eta,
        name=f"lda-{k}",
        corpus=corpus,
        source=f"tealeaves.fit: tomotopy LDA, k={k}, seed={seed}, iterations={iterations}",
    )
