"""Planted corpora with the model that made them: the right answer is known."""

from typing import TYPE_CHECKING

import numpy as np

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel


def lda(
    k: int,
    documents: int,
    length: int,
    vocabulary: int,
    *,
    alpha: float = 0.1,
    beta: float = 0.05,
    seed: int = 0,
) -> "tuple[Corpus, TopicModel]":
    """A corpus drawn from latent Dirichlet allocation, and the true model with the topic of each token.

    Parameters
    ----------
    k : int
        Topics, each drawn from a symmetric Dirichlet(beta) over the words.
    documents, length : int
        Number of documents, and the mean of their Poisson lengths (at least one token each).
    vocabulary : int
        Words, named ``w0``, ``w1``, …
    alpha, beta : float
        Dirichlet parameters of topics in a document and of words in a topic.
    seed : int
        Same seed, same corpus.

    Returns
    -------
    corpus, model
        The model's ``doc_topic`` and ``assignments`` are the true ones.

    Raises
    ------
    InputError
        If a size is below 1, or a parameter is not positive.

    Examples
    --------
    >>> corpus, truth = lda(k=3, documents=20, length=30, vocabulary=50, seed=1)
    >>> len(corpus), truth.n_topics, len(truth.assignments) == corpus.n_tokens
    (20, 3, True)
    """
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

    sizes = {"k": k, "documents": documents, "length": length, "vocabulary": vocabulary}
    for name, size in sizes.items():
        if size < 1:
            raise InputError(f"{name} must be at least 1; got {size}")
    if alpha <= 0 or beta <= 0:
        raise InputError(f"alpha and beta must be above 0; got {alpha} and {beta}")
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(vocabulary, beta), size=k)
    theta = rng.dirichlet(np.full(k, alpha), size=documents)
    lengths = np.maximum(rng.poisson(length, size=documents), 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    topic_up_to = np.cumsum(theta, axis=1)[np.repeat(np.arange(documents), lengths)]
    z = (rng.random((len(topic_up_to), 1)) > topic_up_to).sum(axis=1).clip(max=k - 1).astype(np.int32)
    tokens = np.empty(len(z), dtype=np.int32)
    for topic in range(k):
        places = np.flatnonzero(z == topic)
        tokens[places] = rng.choice(vocabulary, size=len(places), p=phi[topic])
    words = tuple(f"w{i}" for i in range(vocabulary))
    corpus = Corpus(vocabulary=words, tokens=tokens, offsets=offsets)
    model = TopicModel(
        words, topic_word=phi, doc_topic=theta, assignments=z, alpha=alpha, eta=beta, name=f"truth-{k}"
    )
    return corpus, model
