"""A planted corpus over time."""

from typing import TYPE_CHECKING

import numpy as np

from tealeaves.synthetic._draws import check, check_between, check_positive, topics_of_tokens

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel


def drifting(
    k: int,
    documents: int,
    length: int,
    vocabulary: int,
    slices: int,
    *,
    drift: float = 0.5,
    alpha: float = 0.1,
    beta: float = 0.05,
    seed: int = 0,
) -> "tuple[Corpus, DynamicTopicModel]":
    """A corpus over time, drawn from topics whose words change by equal steps, and the true model.

    Each topic goes from one draw of a symmetric Dirichlet(beta) towards another: in slice t of T it is
    ``(1 - w) * first + w * second`` with ``w = drift * t / (T - 1)``.

    Parameters
    ----------
    k : int
        Topics.
    documents, length : int
        Number of documents, spread evenly over the slices in their order, and the mean of their Poisson
        lengths (at least one token each).
    vocabulary : int
        Words, named ``w0``, ``w1``, …
    slices : int
        T, called ``0``, ``1``, …
    drift : float
        The share of a topic's probability that is another's by the last slice: 0 is no drift.
    alpha, beta : float
        Dirichlet parameters of topics in a document and of words in a topic.
    seed : int
        Same seed, same corpus.

    Returns
    -------
    corpus, model
        The model's ``doc_topic`` is the true one.

    Raises
    ------
    InputError
        If a size is below 1, a parameter is not positive, or ``drift`` is not a share.

    Examples
    --------
    >>> corpus, truth = drifting(k=2, documents=30, length=20, vocabulary=40, slices=3, seed=1)
    >>> len(corpus), corpus.slice_labels, truth.topic_word.shape
    (30, ('0', '1', '2'), (3, 2, 40))
    """
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel

    check(seed, k=k, documents=documents, length=length, vocabulary=vocabulary, slices=slices)
    check_positive(alpha=alpha, beta=beta)
    check_between(0, 1, drift=drift)
    rng = np.random.default_rng(seed)
    first, last = rng.dirichlet(np.full(vocabulary, beta), size=(2, k))
    moved = (drift * np.arange(slices) / max(slices - 1, 1))[:, None, None]
    phi = (1 - moved) * first + moved * last
    slice_of = (np.arange(documents) * slices // documents).astype(np.int32)
    theta = rng.dirichlet(np.full(k, alpha), size=documents)
    lengths, z = topics_of_tokens(rng, theta, length)
    source = np.repeat(slice_of, lengths) * k + z  # which of the T * K distributions a token is drawn from
    tokens = np.empty(len(z), dtype=np.int32)
    for t, topic in np.ndindex(slices, k):
        places = np.flatnonzero(source == t * k + topic)
        tokens[places] = rng.choice(vocabulary, size=len(places), p=phi[t, topic] / phi[t, topic].sum())
    words = tuple(f"w{i}" for i in range(vocabulary))
    labels = tuple(map(str, range(slices)))
    corpus = Corpus(
        vocabulary=words,
        tokens=tokens,
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        slice_of=slice_of,
        slice_labels=labels,
    )
    model = DynamicTopicModel(
        words,
        phi,
        "time topic word",
        slice_labels=labels,
        doc_topic=theta,
        slice_of=slice_of,
        name=f"truth-{k}",
    )
    return corpus, model
