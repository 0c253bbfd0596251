"""The hierarchical Dirichlet process: LDA that finds its number of topics, by our own Gibbs sampler."""

from typing import TYPE_CHECKING

from tealeaves.fit._franchise import fit_franchise
from tealeaves.fit._matrix import Progress, need_at_least, need_positive, need_topics
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def hdp(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    eta: float = 0.01,
    concentration: float = 1.0,
    iterations: int = 500,
    progress: Progress | None = None,
) -> TopicModel:
    """Fit the hierarchical Dirichlet process with at most k topics.

    Gibbs sampling in the Chinese restaurant franchise, from a single topic up; both concentrations are
    sampled, too.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The most topics there can be; the model has as many as it finds, and is named after them.
    seed : int
        Of the draws.
    eta : float
        Prior of each word in a topic: the smaller, the more and the narrower topics.
    concentration : float
        Where both concentrations start: that of documents and that of the root.
    iterations : int
        Sweeps over the corpus.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    TopicModel
        The last state, largest topic first: topics, those of documents and tokens, and as ``alpha`` what
        a document is expected to have of each.

    References
    ----------
    Teh, Jordan, Beal and Blei (2006), Journal of the American Statistical Association 101, 1566-1581.
    """
    need_positive(eta=eta, concentration=concentration)
    need_at_least(iterations=(iterations, 1))
    need_topics(corpus, min(k, 1))
    return fit_franchise(
        corpus,
        k,
        seed,
        family="hdp",
        eta=eta,
        concentration=concentration,
        discount=None,
        iterations=iterations,
        progress=progress,
    )
