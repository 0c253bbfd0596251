"""LDA with an asymmetric prior of topics that is learnt, fitted by collapsed Gibbs sampling with tomotopy."""

from typing import TYPE_CHECKING

from tealeaves._optional import require
from tealeaves.fit._matrix import Progress, need_at_least, need_positive, need_topics
from tealeaves.fit._tomotopy import fitted, train
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

EVERY = 10  # sweeps between two fits of alpha


def alda(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    alpha: float = 0.1,
    eta: float = 0.01,
    burn_in: int = 50,
    iterations: int = 1000,
    progress: Progress | None = None,
) -> TopicModel:
    """Fit LDA whose topics may be large or small; in one thread, reproducible by its seed.

    Every 10 sweeps after the burn-in alpha is fitted to the counts of topics in documents (Minka's fixed
    point), each topic's on its own.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics.
    seed : int
        Of the draws.
    alpha : float
        Where the prior of every topic in a document starts.
    eta : float
        Prior of each word in a topic; it stays as it is.
    burn_in : int
        Sweeps before alpha is first fitted.
    iterations : int
        Sweeps over the corpus, those of the burn-in among them.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    TopicModel
        The last state: topics, those of the corpus' documents and of its tokens, and the learnt alpha.

    References
    ----------
    Wallach, Mimno and McCallum (2009), Rethinking LDA: why priors matter, NIPS 22, 1973-1981.
    """
    need_positive(alpha=alpha, eta=eta)
    need_at_least(iterations=(iterations, 1), burn_in=(burn_in, 0))
    need_topics(corpus, k)
    trainer = require("tomotopy", "fit").LDAModel(k=k, alpha=alpha, eta=eta, seed=seed)
    trainer.optim_interval, trainer.burn_in = EVERY, burn_in
    given = train(trainer, corpus, iterations, f"alda-{k}", progress)
    settings = f"k={k}, seed={seed}, eta={eta:g}, burn_in={burn_in}, iterations={iterations}"
    source = f"tealeaves.fit: tomotopy LDA with learnt alpha, {settings}"
    return fitted(trainer, corpus, given, name=f"alda-{k}", alpha=None, eta=eta, source=source)
