"""Collapsed Gibbs sampling where a whole sentence has one topic, and may keep that of the one before.

Sentence s has the tokens ``bounds[s]`` to ``bounds[s + 1]``, document d the sentences ``docs[d]`` to
``docs[d + 1]``. ``by_word`` (V, K) and ``by_topic`` (K,) count tokens, ``drawn`` (D, K) how often a document
drew each topic from its own shares. A sentence of topic -1 was not seen yet.
"""

import numpy as np
from numba import njit

from tealeaves._kernels.draws import log_gamma_draw, pick


@njit(nogil=True, cache=True)
def _count(words, k, by, by_word, by_topic):  # type: ignore[no-untyped-def]
    """Enter words in the counts of a topic (``by`` 1), or take them out (-1)."""
    for w in words:
        by_word[w, k] += by
    by_topic[k] += by * len(words)


@njit(nogil=True, cache=True)
def _fits(words, by_word, by_topic, eta, weight, log_p):  # type: ignore[no-untyped-def]
    """``weight`` times log p(words | topic, its other words) of each topic: words join one by one."""
    n_words, n_topics = by_word.shape
    for k in range(n_topics):
        log_p[k] = 0.0
        p = 1.0
        for i in range(len(words)):
            w = words[i]
            p *= (by_word[w, k] + eta) / (by_topic[k] + i + eta * n_words)
            by_word[w, k] += 1  # so that a word that comes again counts
            if p < 1e-250:
                log_p[k] += np.log(p)
                p = 1.0
        log_p[k] = weight * (log_p[k] + np.log(p))
        for w in words:
            by_word[w, k] -= 1


@njit(nogil=True, cache=True)
def _chosen(state, log_p):  # type: ignore[no-untyped-def]
    """An index drawn in proportion to the exponentials of ``log_p``, which are lost."""
    best = log_p.max()
    total = 0.0
    for k in range(len(log_p)):
        log_p[k] = np.exp(log_p[k] - best)
        total += log_p[k]
    return pick(state, log_p, total)


@njit(nogil=True, cache=True)
def one_topic_each(  # type: ignore[no-untyped-def]
    tokens, bounds, docs, topic, drawn, by_word, by_topic, alpha, eta, weight, state
):
    """Choose the topic of each sentence once: ``p(z) ~ (drawn_dz + alpha) p(words | z)``."""
    log_p = np.empty(len(by_topic))
    for d in range(len(docs) - 1):
        for s in range(docs[d], docs[d + 1]):
            words = tokens[bounds[s] : bounds[s + 1]]
            if topic[s] >= 0:
                _count(words, topic[s], -1, by_word, by_topic)
                drawn[d, topic[s]] -= 1
            _fits(words, by_word, by_topic, eta, weight, log_p)
            for k in range(len(log_p)):
                log_p[k] += np.log(drawn[d, k] + alpha)
            topic[s] = _chosen(state, log_p)
            _count(words, topic[s], 1, by_word, by_topic)
            drawn[d, topic[s]] += 1


@njit(nogil=True, cache=True)
def stay_or_draw(  # type: ignore[no-untyped-def]
    tokens, bounds, docs, topic, new, drawn, by_word, by_topic, alpha, eta, weight, epsilon, state
):
    """Choose of each sentence its topic, whether that was drawn, and whether the next one's was.

    ``new[s]`` is 1 where the topic was drawn from the document's shares, with probability epsilon, and 0
    where it is that of the sentence before; a document begins with a draw. All three are chosen at once, for
    a topic may only change where it and the next one are drawn.
    """
    n_topics = len(by_topic)
    log_p, log_w = np.empty(n_topics), np.empty(4 * n_topics)
    draw, stay = np.log(epsilon), np.log(1.0 - epsilon)
    for d in range(len(docs) - 1):
        n = drawn[d].sum()
        for s in range(docs[d], docs[d + 1]):
            words = tokens[bounds[s] : bounds[s + 1]]
            before = topic[s - 1] if s > docs[d] else -1
            # of a first pass, the next one is not there yet
            after = topic[s + 1] if s + 1 < docs[d + 1] else -1
            if topic[s] >= 0:
                _count(words, topic[s], -1, by_word, by_topic)
                if new[s]:
                    drawn[d, topic[s]] -= 1
                    n -= 1
            if after >= 0 and new[s + 1]:
                drawn[d, after] -= 1
                n -= 1
            _fits(words, by_word, by_topic, eta, weight, log_p)
            whole = alpha * n_topics + n
            for k in range(n_topics):
                for own in range(2):
                    for then in range(2):
                        at = 4 * k + 2 * own + then
                        log_w[at] = -np.inf
                        if own == 0 and before != k:
                            continue
                        if (then == 0 and after >= 0 and after != k) or (then == 1 and after < 0):
                            continue
                        log_w[at] = log_p[k]
                        if own == 1:
                            log_w[at] += np.log((drawn[d, k] + alpha) / whole)
                        if before >= 0:
                            log_w[at] += draw if own == 1 else stay
                        if after >= 0:
                            if then == 1:
                                same = 1.0 if own == 1 and after == k else 0.0
                                log_w[at] += np.log((drawn[d, after] + same + alpha) / (whole + own))
                            log_w[at] += draw if then == 1 else stay
            at = _chosen(state, log_w)
            topic[s], new[s] = at // 4, (at // 2) % 2
            _count(words, topic[s], 1, by_word, by_topic)
            if new[s]:
                drawn[d, topic[s]] += 1
                n += 1
            if after >= 0:
                new[s + 1] = at % 2
                if new[s + 1]:
                    drawn[d, after] += 1
                    n += 1


@njit(nogil=True, cache=True)
def whole_runs(  # type: ignore[no-untyped-def]
    tokens, bounds, docs, topic, new, drawn, by_word, by_topic, alpha, eta, weight, state
):
    """Choose the topic of each run of sentences that stayed together: moves that one by one take long."""
    log_p = np.empty(len(by_topic))
    for d in range(len(docs) - 1):
        s = docs[d]
        while s < docs[d + 1]:
            end = s + 1
            while end < docs[d + 1] and not new[end]:
                end += 1
            words = tokens[bounds[s] : bounds[end]]
            _count(words, topic[s], -1, by_word, by_topic)
            drawn[d, topic[s]] -= 1
            _fits(words, by_word, by_topic, eta, weight, log_p)
            for k in range(len(log_p)):
                log_p[k] += np.log(drawn[d, k] + alpha)
            k = _chosen(state, log_p)
            topic[s:end] = k
            _count(words, k, 1, by_word, by_topic)
            drawn[d, k] += 1
            s = end


@njit(nogil=True, cache=True)
def share_of_draws(docs, new, state):  # type: ignore[no-untyped-def]
    """Epsilon given where topics were drawn; its prior is uniform, and first sentences do not count."""
    drew, stayed = 1.0, 1.0
    for d in range(len(docs) - 1):
        for s in range(docs[d] + 1, docs[d + 1]):
            drew += new[s]
            stayed += 1 - new[s]
    a, b = log_gamma_draw(state, drew), log_gamma_draw(state, stayed)
    return min(max(1.0 / (1.0 + np.exp(b - a)), 1e-12), 1.0 - 1e-12)
