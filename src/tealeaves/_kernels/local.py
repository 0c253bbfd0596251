"""One pass over the tokens of documents, each with a topic: switches, windows, divergences.

A word or topic of -1 is none. Every pass takes the documents from ``first`` to ``last``, so that threads
share them, and writes only to the places of its own tokens or documents.
"""

import numpy as np
from numba import njit

ANY, WITHIN, ACROSS = 0, 1, 2  # which neighbours make a pair: all, of one sentence, of two


@njit(nogil=True, cache=True)
def _pair(topics, sentences, bounds, t, end):  # type: ignore[no-untyped-def]
    """Whether token t and the next are a pair."""
    if t + 1 >= end or topics[t] < 0 or topics[t + 1] < 0:
        return False
    if bounds == ANY:
        return True
    return (sentences[t] == sentences[t + 1]) == (bounds == WITHIN)


@njit(nogil=True, cache=True)
def same_as_next(topics, offsets, sentences, bounds, first, last, out):  # type: ignore[no-untyped-def]
    """Write 1 where a token and the next have one topic, 0 where two, nan where they are no pair."""
    for d in range(first, last):
        end = offsets[d + 1]
        for t in range(offsets[d], end):
            if not _pair(topics, sentences, bounds, t, end):
                out[t] = np.nan
            else:
                out[t] = 1.0 if topics[t] == topics[t + 1] else 0.0


@njit(nogil=True, cache=True)
def window_terms(words, topics, offsets, word_topic, s, printed, first, last, out):  # type: ignore[no-untyped-def]
    """Write the mean of p(word | topic of a neighbour) over the neighbours up to s places away and itself."""
    for d in range(first, last):
        begin, end = offsets[d], offsets[d + 1]
        for t in range(begin, end):
            if words[t] < 0 or topics[t] < 0:
                out[t] = np.nan
                continue
            total, there = 0.0, 0
            for j in range(max(begin, t - s), min(end, t + s + 1)):
                if topics[j] >= 0:
                    total += word_topic[words[t], topics[j]]
                    there += 1
            out[t] = total / (2 * s + 1 if printed else there)


@njit(nogil=True, cache=True)
def by_document(terms, offsets, first, last, total, count):  # type: ignore[no-untyped-def]
    """Sum and number of the terms of each document that are not nan."""
    for d in range(first, last):
        for t in range(offsets[d], offsets[d + 1]):
            if not np.isnan(terms[t]):
                total[d] += terms[t]
                count[d] += 1


@njit(nogil=True, cache=True)
def by_topic(terms, topics, offsets, group_of, total, count):  # type: ignore[no-untyped-def]
    """Sum and number of the terms of each group of documents and topic, (G, K), that are not nan."""
    for d in range(len(offsets) - 1):
        g = group_of[d]
        for t in range(offsets[d], offsets[d + 1]):
            if topics[t] >= 0 and not np.isnan(terms[t]):
                total[g, topics[t]] += terms[t]
                count[g, topics[t]] += 1


@njit(nogil=True, cache=True)
def pair_table(topics, offsets, sentences, bounds, n_topics):  # type: ignore[no-untyped-def]
    """How often each topic is followed by each, (K, K)."""
    table = np.zeros((n_topics, n_topics), np.int64)
    for d in range(len(offsets) - 1):
        end = offsets[d + 1]
        for t in range(offsets[d], end):
            if _pair(topics, sentences, bounds, t, end):
                table[topics[t], topics[t + 1]] += 1
    return table


@njit(nogil=True, cache=True)
def pairs_by_group(topics, offsets, sentences, bounds, n_topics, cell_of, group_of, counts):  # type: ignore[no-untyped-def]
    """Add the pairs of each group of documents to ``counts`` (G, cells), by the cell of each pair."""
    for d in range(len(offsets) - 1):
        end = offsets[d + 1]
        for t in range(offsets[d], end):
            if _pair(topics, sentences, bounds, t, end):
                counts[group_of[d], cell_of[topics[t] * np.int64(n_topics) + topics[t + 1]]] += 1.0


@njit(nogil=True, cache=True)
def variation(counts, before, after, value, topics):  # type: ignore[no-untyped-def]
    """Variation of information of each row of ``counts`` (R, cells): (R,), and of topics, (R, K).

    Cell i counts pairs of topic ``before[i]`` and topic ``after[i]``. The model's is the entropy of what
    follows given the topic, plus that of what precedes; nan without a pair.
    """
    n_topics = topics.shape[1]
    number, spread = np.empty((2, n_topics)), np.empty((2, n_topics))
    for r in range(len(counts)):
        number[:] = 0.0
        spread[:] = 0.0
        n = 0.0
        for i in range(counts.shape[1]):
            c = counts[r, i]
            if c > 0.0:
                x = c * np.log(c)
                number[0, before[i]] += c
                spread[0, before[i]] += x
                number[1, after[i]] += c
                spread[1, after[i]] += x
                n += c
        total = 0.0
        for k in range(n_topics):
            topics[r, k] = 0.0 if number[0, k] + number[1, k] > 0.0 else np.nan
            for side in range(2):
                c = number[side, k]
                if c > 0.0:
                    open_ = max(c * np.log(c) - spread[side, k], 0.0)
                    topics[r, k] += open_ / c
                    total += open_
        value[r] = total / n if n > 0.0 else np.nan


@njit(nogil=True, cache=True)
def variation_by_document(topics, offsets, sentences, bounds, n_topics, first, last, value, count):  # type: ignore[no-untyped-def]
    """Variation of information of the pairs of each document; tables are cleared by what was touched."""
    joint = np.zeros((n_topics, n_topics), np.int64)
    before, after = np.zeros(n_topics, np.int64), np.zeros(n_topics, np.int64)
    for d in range(first, last):
        end, n = offsets[d + 1], 0
        for t in range(offsets[d], end):
            if _pair(topics, sentences, bounds, t, end):
                joint[topics[t], topics[t + 1]] += 1
                before[topics[t]] += 1
                after[topics[t + 1]] += 1
                n += 1
        total = 0.0
        for t in range(offsets[d], end):
            if _pair(topics, sentences, bounds, t, end):
                a, b = topics[t], topics[t + 1]
                total += _log_share(before, a) + _log_share(after, b)
                if joint[a, b] > 0:
                    total -= 2.0 * joint[a, b] * np.log(joint[a, b])
                    joint[a, b] = 0
        count[d] = n
        value[d] = max(total / n, 0.0) if n else np.nan


@njit(nogil=True, cache=True)
def _log_share(counts, k):  # type: ignore[no-untyped-def]
    """Return c log c of a topic, once: its count is cleared."""
    c = counts[k]
    counts[k] = 0
    return c * np.log(c) if c > 0 else 0.0


@njit(nogil=True, cache=True)
def alike_by_document(topics, offsets, n_topics, first, last, value):  # type: ignore[no-untyped-def]
    """Write the share of pairs of different tokens of a document, anywhere in it, that have one topic."""
    counts = np.zeros(n_topics, np.int64)
    for d in range(first, last):
        n = 0
        for t in range(offsets[d], offsets[d + 1]):
            if topics[t] >= 0:
                counts[topics[t]] += 1
                n += 1
        same = 0.0
        for t in range(offsets[d], offsets[d + 1]):
            k = topics[t]
            if k >= 0 and counts[k] > 0:
                same += counts[k] * (counts[k] - 1.0)
                counts[k] = 0
        value[d] = same / (n * (n - 1.0)) if n > 1 else np.nan


@njit(nogil=True, cache=True)
def divergence_by_document(  # type: ignore[no-untyped-def]
    words, topics, offsets, word_topic, mass, theta, own, first, last, value, count, shares
):
    """Jensen-Shannon divergence of theta . phi from the words of each document, in nats.

    Only the document's own words are visited: where it has no token of a word, the word adds half of its
    probability times log 2, and all such words together add what is left of the whole mass.

    Parameters
    ----------
    word_topic : float64 array of shape (V, K)
        Topics as columns; ``mass`` (K,) are their sums.
    theta : float64 array of shape (D, K) or (0, K)
        Proportions, used unless ``own``: then they are shares among the document's own topics.
    value, count : arrays of shape (D,)
        Filled; nan where a document has no token that counts. ``shares`` (D,) is the mass of theta . phi.
    """
    n_words, n_topics = word_topic.shape
    tokens_of = np.zeros(n_words, np.int64)
    weight = np.zeros(n_topics)
    used = np.empty(n_topics, np.int64)
    for d in range(first, last):
        begin, end = offsets[d], offsets[d + 1]
        n, n_used = 0, 0
        for t in range(begin, end):
            if words[t] >= 0 and (topics[t] >= 0 or not own):
                tokens_of[words[t]] += 1
                n += 1
                if own:
                    if weight[topics[t]] == 0.0:
                        used[n_used] = topics[t]
                        n_used += 1
                    weight[topics[t]] += 1.0
        count[d] = n
        if n == 0:
            value[d] = np.nan
            shares[d] = np.nan
            continue
        whole = 0.0
        if own:
            for i in range(n_used):
                weight[used[i]] /= n
        else:
            for k in range(n_topics):
                if theta[d, k] > 0.0:
                    used[n_used] = k
                    weight[k] = theta[d, k]
                    n_used += 1
        for i in range(n_used):
            whole += weight[used[i]] * mass[used[i]]
        seen, total = 0.0, 0.0
        for t in range(begin, end):
            w = words[t]
            if w < 0 or tokens_of[w] == 0:
                continue
            q = tokens_of[w] / n
            tokens_of[w] = 0
            p = 0.0
            for i in range(n_used):
                p += weight[used[i]] * word_topic[w, used[i]]
            middle = 0.5 * (p + q)
            total += q * np.log(q / middle)
            if p > 0.0:
                total += p * np.log(p / middle)
            seen += p
        total += max(whole - seen, 0.0) * np.log(2.0)
        value[d] = max(0.5 * total, 0.0)
        shares[d] = whole
        for i in range(n_used):
            weight[used[i]] = 0.0
