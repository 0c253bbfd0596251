"""What R's ldatuning draws against the number of topics: four rules of thumb, known rather than proven.

The group ``ldatuning`` gives R's numbers of a model, but for ``griffiths2004``, which is of one state here.
"""

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.measures._table import Values, measure
from tealeaves.measures.diversity import pairwise_distances

Floats = NDArray[np.float64]
ALONE = "one topic"


def _scalar(value: float, n_terms: int, reason: str = "") -> Values:
    return Values(np.array(np.nan if reason else value), np.array(n_terms), np.array(reason))


@measure("cao2009", needs=("topic_word",), axes=(), best="low", source="cao2009", range="[0, 1]")
def cao2009(topic_word: Floats) -> Values:
    """Mean cosine similarity of all pairs of topics over the whole vocabulary; lower is better.

    The mean over pairs j < k of ``cos(phi_j, phi_k)``; ``1 - topic_distance``.

    Parameters
    ----------
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.

    Returns
    -------
    Values
        One value over ``n_terms`` pairs; nan for a model of one topic, or with an empty row ("empty topic").

    References
    ----------
    Cao, Xia, Li, Zhang and Tang (2009), Neurocomputing 72, 1775-1781.

    Examples
    --------
    >>> cao2009(np.array([[1.0, 0.0], [0.0, 1.0]])).value
    array(0.)
    """
    if len(topic_word) < 2:
        return _scalar(np.nan, 0, ALONE)
    if (topic_word.sum(1) == 0).any():
        return _scalar(np.nan, 0, "empty topic")
    distances = pairwise_distances(topic_word, "cosine")[np.tril_indices(len(topic_word), k=-1)]
    return _scalar(float(1 - distances.mean()), len(distances))


@measure("deveaud2014", needs=("topic_word",), axes=(), best="high", source="deveaud2014", range="[0, inf)")
def deveaud2014(topic_word: Floats) -> Values:
    """Mean divergence of all pairs of topics, as Deveaud et al. sum it; higher is better.

    ``1 / (K (K - 1)) * sum_{j < k} (KL(phi_j || phi_k) + KL(phi_k || phi_j)) / 2``, in nats: a symmetric
    Kullback-Leibler divergence, although its authors call it Jensen-Shannon's; half the mean over pairs.

    Parameters
    ----------
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.

    Returns
    -------
    Values
        One value over ``n_terms`` pairs; nan for a model of one topic, with an empty row ("empty topic"), or
        where a topic has a word that another has not ("a word of probability 0"): its divergence is infinite.

    References
    ----------
    Deveaud, SanJuan and Bellot (2014), Document numérique 17(1), 61-84.

    Examples
    --------
    >>> round(float(deveaud2014(np.array([[0.5, 0.5], [0.25, 0.75]])).value), 4)  # log(3) / 4 / 4
    0.0687
    """
    k = len(topic_word)
    if k < 2:
        return _scalar(np.nan, 0, ALONE)
    if (topic_word.sum(1) == 0).any():
        return _scalar(np.nan, 0, "empty topic")
    used = topic_word[:, topic_word.any(axis=0)]
    if (used == 0).any():
        return _scalar(np.nan, 0, "a word of probability 0 in one of the topics")
    logs = np.log(used)
    cross = used @ logs.T  # sum_w phi_j log phi_k
    own = np.diag(cross)
    both = (own[:, None] - cross) + (own[None, :] - cross.T)
    total = float(np.clip(both, 0, None)[np.tril_indices(k, k=-1)].sum() / 2)
    return _scalar(total / (k * (k - 1)), k * (k - 1) // 2)


@measure(
    "arun2010",
    needs=("topic_word", "doc_topic", "lengths"),
    axes=(),
    best="low",
    source="arun2010",
    range="[0, inf)",
    choices={"variant": ("sorted", "ldatuning")},
)
def arun2010(
    topic_word: Floats, doc_topic: Floats, lengths: NDArray[np.int64], *, variant: str = "sorted"
) -> Values:
    """Divergence of the topics' singular values from the tokens they hold; lower is better.

    ``KL(p || q) + KL(q || p)`` in nats, where p are the singular values of the topic-word matrix and q the
    documents' lengths times their topic proportions, both sorted and scaled to sum 1.

    Parameters
    ----------
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    doc_topic : float array of shape (D, K)
        Topic proportions of documents.
    lengths : int array of shape (D,)
        Tokens of each document.
    variant : {"sorted", "ldatuning"}
        The source's; or what R's ldatuning computes, and the group ``ldatuning`` so asks for: q in the order
        of the topics and divided by the longest document, neither scaled to sum 1. Either is 0 or more, but
        ldatuning's is of another size: it grows with the number of documents.

    Returns
    -------
    Values
        One value over ``n_terms`` topics; nan where p or q has a 0 ("a topic without tokens", "topics that
        depend on each other").

    References
    ----------
    Arun, Suresh, Veni Madhavan and Narasimha Murthy (2010), PAKDD, 391-402.

    Examples
    --------
    >>> theta = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> round(float(arun2010(np.eye(2), theta, np.array([3, 1])).value), 4)  # p = 1/2, 1/2; q = 3/4, 1/4
    0.2747
    """
    if len(doc_topic) != len(lengths):
        raise InputError(f"doc_topic has {len(doc_topic)} documents, but there are {len(lengths)} lengths")
    k = len(topic_word)
    p = np.zeros(k)
    values = np.linalg.svd(topic_word, compute_uv=False)  # falling; as many as the smaller side
    p[: len(values)] = values
    q = lengths @ doc_topic
    if (q <= 0).any():
        return _scalar(np.nan, 0, "a topic without tokens")
    if (p <= 1e-12 * p.max()).any():
        return _scalar(np.nan, 0, "topics that depend on each other: a singular value is 0")
    if variant == "ldatuning":
        q = q / lengths.max()
    else:
        p, q = p / p.sum(), np.sort(q)[::-1] / q.sum()
    value = float(((p - q) * (np.log(p) - np.log(q))).sum())
    return _scalar(value, k)


@measure(
    "griffiths2004",
    needs=("token_topics", "word_prior"),
    axes=(),
    best="high",
    source="griffiths2004",
    range="(-inf, 0]",
    choices={"assign": ("model", "map", "gibbs")},
)
def griffiths2004(tokens: "object", word_prior: Floats, *, assign: str = "model") -> Values:
    """Log probability of the training words given their topics, in nats; higher is better.

    ``sum_k [lgamma(sum_w b_w) - sum_w lgamma(b_w) + sum_w lgamma(n_kw + b_w) - lgamma(n_k + sum_w b_w)]``:
    log p(w | z) with the topics integrated out, of one state. Its source, and R's ldatuning, take the
    harmonic mean over states of one chain, another number; over runs `tealeaves.sweep` shows each state. The
    words are those that the model was fitted to: it is no test of prediction.

    Parameters
    ----------
    tokens : TokenTopics
        The word and the topic of each token; tokens without either are left out.
    word_prior : float array of shape (V,)
        b: the Dirichlet prior of the words of a topic.
    assign : {"model", "map", "gibbs"}
        Where topics of tokens come from; ``evaluate`` acts on it.

    Returns
    -------
    Values
        One value over ``n_terms`` tokens; nan where no token has a topic ("no tokens").

    References
    ----------
    Griffiths and Steyvers (2004), PNAS 101, 5228-5235.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tokens = SimpleNamespace(words=np.array([0, 1]), topics=np.array([0, 0]), n_topics=1)
    >>> round(float(griffiths2004(tokens, np.ones(2)).value), 4)  # log(1/2 * 1/3)
    -1.7918
    """
    from scipy.special import gammaln

    words, topics = np.asarray(tokens.words), np.asarray(tokens.topics)  # type: ignore[attr-defined]
    known = (words >= 0) & (topics >= 0)
    if not known.any():
        return _scalar(np.nan, 0, "no tokens")
    n_topics, n_words = int(tokens.n_topics), len(word_prior)  # type: ignore[attr-defined]
    counts = np.bincount(
        topics[known].astype(np.int64) * n_words + words[known], minlength=n_topics * n_words
    ).reshape(n_topics, n_words)
    total = word_prior.sum()
    value = gammaln(counts + word_prior).sum() - n_topics * gammaln(word_prior).sum()
    value += n_topics * gammaln(total) - gammaln(counts.sum(1) + total).sum()
    return _scalar(float(value), int(known.sum()))
