"""The hidden topic Markov model: a sentence often keeps the topic of the one before. Our own sampler."""

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from tealeaves.fit._matrix import Progress
from tealeaves.fit._sentences import fit_sentences
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def htmm(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    sentences: str | int | ArrayLike = "texts",
    alpha: float = 0.1,
    eta: float = 0.01,
    iterations: int = 500,
    restarts: int = 4,
    progress: Progress | None = None,
) -> TopicModel:
    """Fit topics of sentences of which each keeps the one before with probability ``1 - epsilon``.

    Otherwise it is drawn from the document's shares, and may be the same again. The source maximises by EM;
    this samples, as models of tokens here do. Epsilon is learnt, and ``source`` says it. With ``sentences=1``
    every token may draw or stay.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words, with the order of their tokens.
    k : int
        The number of topics.
    seed : int
        Of the draws.
    sentences : "texts", int, or int array of shape (N,)
        Where sentences end: as `tealeaves.tokens.sentence_ids` finds it in the texts; after so many tokens;
        or where the number of a token differs from that of the one before.
    alpha : float
        Prior of each topic in a document, which is counted in draws.
    eta : float
        Prior of each word in a topic.
    iterations : int
        Sweeps over the corpus; the first half is made from each start.
    restarts : int
        Random starts, of which the most probable goes on: a single one often ends with two topics in one.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    TopicModel
        The last state: topics, the topic of each token, and of documents the shares that topics are drawn
        from, as in the source: a topic that was drawn once and stayed counts once.

    Raises
    ------
    InputError
        If the corpus does not tell where sentences end, or is too small.

    References
    ----------
    Gruber, Rosen-Zvi and Weiss (2007), Hidden topic Markov models, AISTATS, 163-170.

    Examples
    --------
    >>> from tealeaves.corpus import Corpus
    >>> corpus = Corpus.from_texts(["Oil. Gas. Oil and gas. Law. Law and tax."] * 10 + ["Gas. Oil."] * 10)
    >>> model = htmm(corpus, 2, iterations=20)
    >>> len(set(model.assignments[:4].tolist())), "epsilon 0." in model.source
    (1, True)
    """
    return fit_sentences(
        corpus,
        k,
        seed,
        sentences,
        family="htmm",
        what="HTMM",
        alpha=alpha,
        eta=eta,
        iterations=iterations,
        restarts=restarts,
        progress=progress,
    )
