"""Latent Dirichlet allocation, fitted by variational Bayes with scikit-learn."""

from typing import TYPE_CHECKING

from tealeaves._optional import require
from tealeaves.errors import InputError
from tealeaves.fit._matrix import document_term
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def lda(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    alpha: float | None = None,
    eta: float | None = None,
    iterations: int = 50,
) -> TopicModel:
    """Fit LDA to the whole corpus at once, in one process.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics.
    seed : int
        Of the random start.
    alpha, eta : float, optional
        Priors of topics in a document and of words in a topic, the same for each; 1/k if not given.
    iterations : int
        Passes over the corpus.

    Returns
    -------
    TopicModel
        With the topics of the corpus' documents, and both priors.

    References
    ----------
    Hoffman, Blei and Bach (2010), NIPS 23.
    """
    for name, value in (("alpha", alpha), ("eta", eta)):
        if value is not None and not value > 0:
            raise InputError(f"{name} must be a number above 0; got {value!r}")
    if iterations < 1:
        raise InputError(f"iterations must be 1 or more; got {iterations!r}")
    trainer = require("sklearn.decomposition", "fit").LatentDirichletAllocation(
        n_components=k,
        doc_topic_prior=alpha,
        topic_word_prior=eta,
        max_iter=iterations,
        learning_method="batch",
        random_state=seed,
        n_jobs=1,
    )
    matrix = document_term(corpus)
    doc_topic = trainer.fit_transform(matrix)
    weights = trainer.components_
    return TopicModel(
        corpus.vocabulary,
        topic_word=weights / weights.sum(axis=1, keepdims=True),
        doc_topic=doc_topic,
        alpha=1 / k if alpha is None else alpha,
        eta=1 / k if eta is None else eta,
        name=f"lda-{k}",
        source=f"tealeaves.fit: scikit-learn LDA, k={k}, seed={seed}, iterations={iterations}",
    )
