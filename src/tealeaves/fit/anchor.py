"""Anchor words: topics from the geometry of pairs of words, without sampling; our own, in dense algebra."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.fit._matrix import document_term, need_at_least, need_topics
from tealeaves.fit.plsa import fold_in
from tealeaves.model import TopicModel
from tealeaves.scaling import rows_to_one

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Floats = NDArray[np.float64]
SETTLED = 1e-5  # relative change of the pairs at which rectifying ends
STEPS = 500  # of the shares of topics in words, at most


def anchor(
    corpus: "Corpus", k: int, seed: int = 0, *, min_df: float = 0.01, words: int = 5000, iterations: int = 30
) -> TopicModel:
    """Find k words that are in one topic each, and the topics from the words they stand with.

    Counts of pairs are first rectified: made non-negative, of rank k and positive semi-definite in turns.
    Rare words make bad anchors and are left out of all this; they join the topics of their documents.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics, below the number of words that are frequent enough.
    seed : int
        Not used: nothing is drawn.
    min_df : float
        The least share of documents that a word must be in to help make topics.
    words : int
        The most words that do, those in most documents; all pairs of them are held in memory.
    iterations : int
        Steps of rectifying at most; with 0 pairs stay as counted.

    Returns
    -------
    TopicModel
        Topics named by their anchors, and for the corpus' documents the most likely shares of these.

    Raises
    ------
    InputError
        If too few words are frequent enough.

    References
    ----------
    Arora et al. (2013), A practical algorithm for topic modeling with provable guarantees, ICML, 280-288.
    Lee, Bindel and Mimno (2015), Robust spectral inference for joint stochastic matrix factorization, NIPS.
    """
    if isinstance(min_df, bool) or not isinstance(min_df, int | float) or not 0 <= min_df < 1:
        raise InputError(f"min_df must be a share of documents from 0 to below 1; got {min_df!r}")
    need_at_least(words=(words, 2), iterations=(iterations, 0))
    need_topics(corpus, k)
    counts = document_term(corpus)
    in_documents = np.diff(counts.tocsc().indptr)
    least = max(min_df * int((np.diff(counts.indptr) > 0).sum()), 1)
    frequent = np.sort(np.argsort(-in_documents, kind="stable")[:words])
    frequent = frequent[in_documents[frequent] >= least]
    if len(frequent) <= k:
        raise InputError(
            f"anchor makes k={k} topics of more than {k} words, but only {len(frequent)} are in "
            f"{min_df:.2%} of the documents or more; set min_df lower, or k"
        )
    common = counts[:, frequent]
    together = rectified(pairs(common), k, iterations)
    anchors, topics = topics_of(together, k)
    doc_topic = fold_in(common, topics)
    topic_word = np.asarray((counts.T @ doc_topic).T)  # where a document's words go, if all went alike
    topic_word[:, frequent] = topics * topic_word[:, frequent].sum(axis=1, keepdims=True)
    settings = f"k={k}, min_df={min_df:g}, words={words}, iterations={iterations}"
    return TopicModel(
        corpus.vocabulary,
        topic_word=rows_to_one(topic_word),
        doc_topic=doc_topic,
        name=f"anchor-{k}",
        corpus=corpus,
        topic_names=[corpus.vocabulary[frequent[word]] for word in anchors],
        source=f"tealeaves.fit: anchor words, {settings}",
    )


def pairs(counts: Any) -> Floats:
    """How probable it is that two tokens of a document are these two words, (V, V); documents count alike."""
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    counts, lengths = counts[lengths > 1], lengths[lengths > 1]  # a word alone stands with none
    weighted = counts.multiply((1 / (lengths * (lengths - 1)))[:, None]).tocsr()
    result: Floats = np.asarray((counts.T @ weighted).todense(), dtype=np.float64)
    result[np.diag_indices_from(result)] -= np.asarray(weighted.sum(axis=0)).ravel()  # a token with itself
    total = result.sum()
    if not total > 0:
        raise InputError("anchor words need documents of two words or more that are frequent enough")
    result /= total
    return result


def rectified(joint: Floats, k: int, iterations: int) -> Floats:
    """The pairs of a model of k topics: alternating projections to rank k, to sum 1, and to no negatives."""
    from scipy.sparse.linalg import eigsh

    n = len(joint)
    if not iterations:
        return np.maximum(joint, 0)
    # A fixed start: scipy would draw one.
    _, basis = eigsh(joint, k, which="LA", v0=np.full(n, n**-0.5))
    for _ in range(iterations):
        values, turn = np.linalg.eigh(basis.T @ joint @ basis)
        half = (basis @ turn) * np.sqrt(np.maximum(values, 0))
        new = half @ half.T
        new = np.maximum(new + (1 - new.sum()) / n**2, 0)
        change = np.linalg.norm(new - joint) / np.linalg.norm(joint)
        joint = new
        if change < SETTLED:
            break
        basis, _ = np.linalg.qr(joint @ basis)  # follows the slowly moving eigenvectors
    joint /= joint.sum()
    return joint


def topics_of(joint: Floats, k: int) -> tuple[list[int], Floats]:
    """The anchors, and the (k, V) topics: each word is a mixture of the anchors' companies."""
    share = joint.sum(axis=1)
    company = np.divide(joint, share[:, None], out=np.zeros_like(joint), where=share[:, None] > 0)
    anchors, left = [], company.copy()
    for _ in range(k):  # the word farthest from the span of those before
        anchors.append(int(np.einsum("ij,ij->i", left, left).argmax()))
        direction = left[anchors[-1]] / max(float(np.linalg.norm(left[anchors[-1]])), 1e-300)
        left -= np.outer(left @ direction, direction)
    basis = company[anchors]
    mixture = _on_the_simplex(basis @ basis.T, company @ basis.T)
    mixture[anchors] = np.eye(k)
    return anchors, rows_to_one((mixture * share[:, None]).T)


def _on_the_simplex(gram: Floats, target: Floats) -> Floats:
    """Rows of shares that minimise the squared distance, by exponentiated gradient."""
    shares: Floats = np.full(target.shape, 1 / len(gram))
    step = 1 / max(float(np.linalg.eigvalsh(gram)[-1]), 1e-300)
    for _ in range(STEPS):
        slope = shares @ gram - target
        slope -= slope.min(axis=1, keepdims=True)
        if (shares * slope).sum(axis=1).max() * step < SETTLED:
            break
        shares *= np.exp(-step * slope)
        shares /= shares.sum(axis=1, keepdims=True)
    return shares
