"""LDA in which a whole sentence has one topic, by our own Gibbs sampler."""

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from tealeaves.fit._matrix import Progress
from tealeaves.fit._sentences import fit_sentences
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def sentence_lda(
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
    """Fit LDA with one topic for all tokens of a sentence, drawn from the document's shares of topics.

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
        Prior of each topic in a document, which is counted in sentences.
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
        The last state: topics, the topic of each token, and of documents the expected shares of sentences.

    Raises
    ------
    InputError
        If the corpus does not tell where sentences end, or is too small.

    References
    ----------
    Balikas, Amini and Clausel (2016), On a topic model for sentences, SIGIR, 921-924.

    Examples
    --------
    >>> from tealeaves.corpus import Corpus
    >>> corpus = Corpus.from_texts(["Oil, gas, oil. Law and tax.", "Gas, gas, oil.", "Tax law. Law."] * 10)
    >>> topics = sentence_lda(corpus, 2, iterations=20).assignments[:6].tolist()
    >>> topics in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    True
    """
    return fit_sentences(
        corpus,
        k,
        seed,
        sentences,
        family="sentence_lda",
        what="SentenceLDA",
        alpha=alpha,
        eta=eta,
        iterations=iterations,
        restarts=restarts,
        progress=progress,
    )
