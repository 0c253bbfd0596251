"""Significance: how far a topic is from one that says nothing."""

import numpy as np
from numpy.typing import NDArray

from tealeaves.measures._table import Values, measure

Floats = NDArray[np.float64]


def kl_divergence(p: Floats, q: Floats) -> Floats:
    """KL(p || q) along the last axis, in nats; inf where q is 0 and p is not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * (np.log(p) - np.log(q)), 0.0)
    result: Floats = terms.sum(-1)
    return np.where(result < 0, 0.0, result)  # never below 0 but for rounding


def _judged(value: Floats, topics: Floats, infinite: str) -> Values:
    reason = np.where(topics.sum(1) == 0, "empty topic", np.where(np.isinf(value), infinite, ""))
    return Values(np.where(reason == "", value, np.nan), (topics > 0).sum(1), reason)


@measure(
    "sig_uni", needs=("topic_word",), axes=("topic",), best="high", source="alsumait2009", range="[0, log V]"
)
def sig_uni(topic_word: Floats) -> Values:
    """How far each topic is from the uniform distribution over words, in nats; higher is better.

    ``KL(phi_k || 1/V)``: 0 for a topic in which every word is as likely, log V for a single word.

    Parameters
    ----------
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.

    Returns
    -------
    Values
        Of shape (K,), ``n_terms`` words of positive probability; nan for an empty row.

    References
    ----------
    AlSumait, Barbará, Gentle and Domeniconi (2009), ECML PKDD, 67-82.

    Examples
    --------
    >>> sig_uni(np.array([[0.5, 0.5], [1.0, 0.0]])).value.round(4)
    array([0.    , 0.6931])
    """
    uniform = np.full(topic_word.shape[1], 1 / topic_word.shape[1])
    return _judged(kl_divergence(topic_word, uniform), topic_word, "")


@measure(
    "sig_vac",
    needs=("topic_word", "background"),
    axes=("topic",),
    best="high",
    source="alsumait2009",
    range="[0, inf)",
    choices={"variant": ("corpus", "topics", "document_mean")},
)
def sig_vac(topic_word: Floats, background: Floats, *, variant: str = "corpus") -> Values:
    """How far each topic is from the corpus as a whole, in nats; higher is better.

    ``KL(phi_k || background)``: near 0 for a vacuous topic that repeats the overall word frequencies.

    Parameters
    ----------
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    background : float array of shape (V,)
        What a vacuous topic would look like; ``evaluate`` makes it by ``variant``.
    variant : {"corpus", "topics", "document_mean"}
        The corpus' token frequencies; ``sum_k p(k) phi_k`` (OCTIS); or the mean over documents of two
        tokens or more of their word frequencies.

    Returns
    -------
    Values
        Of shape (K,); nan for an empty row, or where a topic has a word the background has not.

    References
    ----------
    AlSumait, Barbará, Gentle and Domeniconi (2009), ECML PKDD, 67-82.

    Examples
    --------
    >>> sig_vac(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0.5, 0.5])).value.round(4)
    array([0.    , 0.6931])
    """
    return _judged(kl_divergence(topic_word, background), topic_word, "word absent from the background")


@measure(
    "sig_back", needs=("doc_topic",), axes=("topic",), best="high", source="alsumait2009", range="[0, log D]"
)
def sig_back(doc_topic: Floats) -> Values:
    """How unevenly each topic is spread over the documents, in nats; higher is better.

    ``KL(theta_.k / sum_d theta_dk || 1/D)``: 0 for a background topic that is in every document alike.

    Parameters
    ----------
    doc_topic : float array of shape (D, K)
        Topic proportions of documents.

    Returns
    -------
    Values
        Of shape (K,), ``n_terms`` documents with the topic; nan for a topic that is in no document.

    References
    ----------
    AlSumait, Barbará, Gentle and Domeniconi (2009), ECML PKDD, 67-82.

    Examples
    --------
    >>> sig_back(np.array([[1.0, 0.0], [1.0, 1.0]])).value.round(4)
    array([0.    , 0.6931])
    """
    total = doc_topic.sum(0)
    columns = np.divide(doc_topic, total, out=np.zeros_like(doc_topic, dtype=float), where=total > 0).T
    return _judged(kl_divergence(columns, np.full(len(doc_topic), 1 / len(doc_topic))), columns, "")
