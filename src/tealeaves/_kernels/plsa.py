"""One step of EM for probabilistic latent semantic analysis, over the counts of a sparse matrix."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def step(first, words, counts, doc_topic, word_topic, new_doc_topic, new_word_topic):  # type: ignore[no-untyped-def]
    """Fill the new parameters, and return the log-likelihood (nats) of the old ones.

    Document d has the words ``words[first[d]:first[d + 1]]``; rows of ``doc_topic`` (D, K) and columns of
    ``word_topic`` (V, K) sum to 1. A document without words keeps its row.
    """
    n_documents, n_topics = doc_topic.shape
    new_word_topic[:] = 0.0
    shares = np.empty(n_topics)
    log_likelihood = 0.0
    for d in range(n_documents):
        row = new_doc_topic[d]
        row[:] = 0.0
        size = 0.0
        for i in range(first[d], first[d + 1]):
            w = words[i]
            total = 0.0
            for k in range(n_topics):
                shares[k] = doc_topic[d, k] * word_topic[w, k]
                total += shares[k]
            if total <= 0.0:
                continue  # underflow: the word waits for a topic that has it
            weight = counts[i] / total
            for k in range(n_topics):
                row[k] += shares[k] * weight
                new_word_topic[w, k] += shares[k] * weight
            size += counts[i]
            log_likelihood += counts[i] * np.log(total)
        for k in range(n_topics):
            row[k] = row[k] / size if size > 0.0 else doc_topic[d, k]
    for k in range(n_topics):
        total = 0.0
        for w in range(len(word_topic)):
            total += new_word_topic[w, k]
        if total > 0.0:
            for w in range(len(word_topic)):
                new_word_topic[w, k] /= total
    return log_likelihood


@njit(nogil=True, cache=True)
def fit(first, words, counts, doc_topic, word_topic, steps, tolerance):  # type: ignore[no-untyped-def]
    """Improve the parameters in place by at most ``steps``; (log-likelihood before the last, steps made).

    It ends where a step gains less than ``tolerance`` of the log-likelihood.
    """
    other_doc, other_word = doc_topic.copy(), word_topic.copy()
    last = -np.inf
    for s in range(steps):
        found = step(first, words, counts, doc_topic, word_topic, other_doc, other_word)
        doc_topic[:], word_topic[:] = other_doc, other_word
        if found - last < tolerance * abs(found):
            return found, s + 1
        last = found
    return last, steps


@njit(nogil=True, cache=True)
def fold_in(first, words, counts, doc_topic, word_topic, steps):  # type: ignore[no-untyped-def]
    """Improve the rows of ``doc_topic`` alone, in place: topics stay as they are."""
    n_documents, n_topics = doc_topic.shape
    row = np.empty(n_topics)
    for d in range(n_documents):
        for _ in range(steps):
            row[:] = 0.0
            size = 0.0
            for i in range(first[d], first[d + 1]):
                total = 0.0
                for k in range(n_topics):
                    total += doc_topic[d, k] * word_topic[words[i], k]
                if total > 0.0:
                    for k in range(n_topics):
                        row[k] += doc_topic[d, k] * word_topic[words[i], k] * counts[i] / total
                    size += counts[i]
            if size == 0.0:
                break
            for k in range(n_topics):
                doc_topic[d, k] = row[k] / size
