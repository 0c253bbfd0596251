"""Latent Dirichlet allocation with fixed priors: by Gibbs sampling or variational Bayes."""

from typing import TYPE_CHECKING

from tealeaves._optional import require
from tealeaves.errors import InputError
from tealeaves.fit._matrix import (
    Progress,
    document_term,
    need_at_least,
    need_positive,
    need_topics,
)
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

METHODS = {"gibbs": 1000, "variational": 100}  # and the iterations of each


def lda(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    method: str = "gibbs",
    alpha: float = 0.1,
    eta: float = 0.01,
    iterations: int | None = None,
    progress: Progress | None = None,
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
    method : {"gibbs", "variational"}
        Collapsed Gibbs sampling, whose last state is the model; or variational Bayes over the whole
        corpus at each step, which gives no topics of tokens.
    alpha : float
        Prior of each topic in a document, the same for all and fixed (``alda`` learns it). Griffiths and
        Steyvers take 50 / k.
    eta : float
        Prior of each word in a topic.
    iterations : int, optional
        Sweeps over the corpus: 1,000 of Gibbs sampling, 100 variational.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    TopicModel
        Topics, those of the corpus' documents, both priors, and by Gibbs sampling those of its tokens.
        Variational topics are pseudo-counts of words (scikit-learn's ``components_``), which are made
        probabilities where these are used.

    References
    ----------
    Blei, Ng and Jordan (2003), Journal of Machine Learning Research 3, 993-1022.
    Griffiths and Steyvers (2004), PNAS 101, 5228-5235.
    """
    if method not in METHODS:
        raise InputError(f"method must be 'gibbs' or 'variational'; got {method!r}")
    iterations = METHODS[method] if iterations is None else iterations
    need_positive(alpha=alpha, eta=eta)
    need_at_least(iterations=(iterations, 1))
    need_topics(corpus, k)
    settings = f"k={k}, seed={seed}, alpha={alpha:g}, eta={eta:g}, iterations={iterations}"
    if method == "variational":
        return _variational(corpus, k, seed, alpha, eta, iterations, settings)
    from tealeaves.fit._tomotopy import fitted, train

    trainer = require("tomotopy", "fit").LDAModel(k=k, alpha=alpha, eta=eta, seed=seed)
    trainer.optim_interval = 0  # alpha stays
    given = train(trainer, corpus, iterations, f"lda-{k}", progress)
    source = f"tealeaves.fit: tomotopy LDA, {settings}"
    return fitted(trainer, corpus, given, name=f"lda-{k}", alpha=alpha, eta=eta, source=source)


def _variational(
    corpus: "Corpus", k: int, seed: int, alpha: float, eta: float, iterations: int, settings: str
) -> TopicModel:
    trainer = require("sklearn.decomposition", "fit").LatentDirichletAllocation(
        n_components=k,
        doc_topic_prior=alpha,
        topic_word_prior=eta,
        max_iter=iterations,
        learning_method="batch",
        random_state=seed,
    )
    doc_topic = trainer.fit_transform(document_term(corpus))
    return TopicModel(
        corpus.vocabulary,
        topic_word=trainer.components_,  # pseudo-counts, which bounds and topics="geometric" need
        doc_topic=doc_topic,
        alpha=alpha,
        eta=eta,
        normalized=False,
        name=f"lda-{k}",
        corpus=corpus,
        source=f"tealeaves.fit: scikit-learn variational LDA, {settings}",
    )
