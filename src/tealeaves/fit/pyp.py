"""A topic model with Pitman-Yor priors, which finds its number of topics, by our own Gibbs sampler."""

from typing import TYPE_CHECKING

from tealeaves.errors import InputError
from tealeaves.fit._franchise import fit_franchise
from tealeaves.fit._matrix import Progress, need_at_least, need_positive, need_topics
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def pyp(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    eta: float = 0.01,
    concentration: float = 10.0,
    discount: float = 0.5,
    iterations: int = 500,
    progress: Progress | None = None,
) -> TopicModel:
    """Fit the hierarchical Pitman-Yor process with at most k topics: a few large ones and many small.

    As ``hdp``, but shares of topics fall off by a power law where the discount is above 0. Both the
    concentrations and the discounts, of documents and of the root, are sampled. The model is the topic
    side of Buntine and Mishra's NP-LDA; words of a topic keep a Dirichlet prior.

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
        Where both concentrations start.
    discount : float
        Where both discounts start, between 0 and 1.
    iterations : int
        Sweeps over the corpus.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    TopicModel
        The last state, largest topic first: topics and those of documents and tokens.

    References
    ----------
    Buntine and Mishra (2014), Experiments with non-parametric topic models, KDD, 881-890.
    Teh (2006), A Bayesian interpretation of interpolated Kneser-Ney, NUS technical report TRA2/06.
    """
    need_positive(eta=eta, concentration=concentration)
    if isinstance(discount, bool) or not isinstance(discount, int | float) or not 0 < discount < 1:
        raise InputError(f"discount must be a number between 0 and 1; got {discount!r}")
    need_at_least(iterations=(iterations, 1))
    need_topics(corpus, min(k, 1))
    return fit_franchise(
        corpus,
        k,
        seed,
        family="pyp",
        eta=eta,
        concentration=concentration,
        discount=discount,
        iterations=iterations,
        progress=progress,
    )
