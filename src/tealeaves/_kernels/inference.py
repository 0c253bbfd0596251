"""Topics of documents under fixed topics: expectation maximisation, variational Bayes, Gibbs sampling.

``topics`` is p(word | topic) as (V, K), a word's row in one piece of memory; ``words``, ``counts`` and
``bounds`` are documents as bags (``bags``). A word that no topic has takes no part.
"""

import numpy as np
from numba import njit

from tealeaves._kernels.draws import pick, shuffle, start

FREELY = {"reassoc", "contract", "nsz", "arcp"}  # sums in any order: these loops are vectorised
TOPICS, SPLIT, ESTIMATE = 1, 2, 3  # purposes of draws


@njit(nogil=True, cache=True)
def bags(tokens, offsets, words, counts, bounds):  # type: ignore[no-untyped-def]
    """Fill ``words`` and ``counts`` with each document's words, sorted; -1 is none. Returns how many."""
    at = 0
    bounds[0] = 0
    for d in range(len(offsets) - 1):
        document = np.sort(tokens[offsets[d] : offsets[d + 1]])
        for i in range(len(document)):
            if document[i] < 0:
                continue
            if i > 0 and document[i] == document[i - 1]:
                counts[at - 1] += 1.0
            else:
                words[at], counts[at] = document[i], 1.0
                at += 1
        bounds[d + 1] = at
    return at


@njit(nogil=True, cache=True, fastmath=FREELY)
def _responsible(words, counts, begin, end, weight, topics, found):  # type: ignore[no-untyped-def]
    """found_k = sum over words of n_w topics_wk / sum_j weight_j topics_wj."""
    n_topics = len(weight)
    for k in range(n_topics):
        found[k] = 0.0
    for i in range(begin, end):
        row = topics[words[i]]
        total = 0.0
        for k in range(n_topics):
            total += weight[k] * row[k]
        if total > 0.0:
            share = counts[i] / total
            for k in range(n_topics):
                found[k] += share * row[k]


@njit(nogil=True, cache=True)
def em(words, counts, bounds, topics, iterations, tolerance, first, last, theta, used):  # type: ignore[no-untyped-def]  # fmt: skip
    """Fill ``theta`` (D, K): the proportions of most likelihood, from equal ones on.

    It ends when a topic's expected tokens change by less than ``tolerance`` in the mean.
    """
    n_topics = topics.shape[1]
    weight, found = np.empty(n_topics), np.empty(n_topics)
    for d in range(first, last):
        size = 0.0
        for i in range(bounds[d], bounds[d + 1]):
            size += counts[i]
        weight[:] = 1.0 / n_topics
        step = 0
        while step < iterations and size > 0.0:
            step += 1
            _responsible(words, counts, bounds[d], bounds[d + 1], weight, topics, found)
            total = 0.0
            for k in range(n_topics):
                found[k] *= weight[k]
                total += found[k]
            if total == 0.0:
                break
            change = 0.0
            for k in range(n_topics):
                found[k] /= total
                change += abs(found[k] - weight[k])
                weight[k] = found[k]
            if change * total < tolerance * n_topics:
                break
        theta[d] = weight
        used[d] = step


@njit(nogil=True, cache=True)
def digamma(x):  # type: ignore[no-untyped-def]
    """The derivative of log gamma, for x > 0."""
    found = 0.0
    while x < 6.0:
        found -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    tail = y * (
        1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * (691 / 32760 - y / 12)))))
    )
    return found + np.log(x) - 0.5 / x - tail


@njit(nogil=True, cache=True)
def vb(words, counts, bounds, topics, alpha, iterations, tolerance, first, last, gamma, used):  # type: ignore[no-untyped-def]  # fmt: skip
    """Fill ``gamma`` (D, K): the Dirichlet nearest to the posterior of theta, from ones on.

    It ends when gamma changes by less than ``tolerance`` in the mean.
    """
    n_topics = topics.shape[1]
    weight, found, now = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    for d in range(first, last):
        now[:] = 1.0
        for k in range(n_topics):
            weight[k] = np.exp(digamma(now[k]))
        step = 0
        while step < iterations:
            step += 1
            _responsible(words, counts, bounds[d], bounds[d + 1], weight, topics, found)
            change = 0.0
            for k in range(n_topics):
                new = alpha[k] + weight[k] * found[k]
                change += abs(new - now[k])
                now[k] = new
                weight[k] = np.exp(digamma(new))
            if change < tolerance * n_topics:
                break
        gamma[d] = now
        used[d] = step


@njit(nogil=True, cache=True, fastmath=FREELY)
def conditional(n, alpha, row, p):  # type: ignore[no-untyped-def]
    """Fill ``p`` (K,) with what a token's topics are drawn by, given the others' counts ``n``; their sum."""
    total = 0.0
    for k in range(len(p)):
        p[k] = (n[k] + alpha[k]) * row[k]
        total += p[k]
    return total


@njit(nogil=True, cache=True)
def gibbs_start(state, tokens, topics, alpha, z, n, p):  # type: ignore[no-untyped-def]
    """Draw the topics of a document's tokens from left to right; -1 for a word that no topic has."""
    n[:] = 0.0
    for i in range(len(tokens)):
        z[i] = -1
        if tokens[i] < 0:
            continue
        total = conditional(n, alpha, topics[tokens[i]], p)
        if total > 0.0:
            z[i] = pick(state, p, total)
            n[z[i]] += 1.0


@njit(nogil=True, cache=True)
def gibbs_sweep(state, tokens, topics, alpha, z, n, p):  # type: ignore[no-untyped-def]
    """Draw each token's topic again, given those of all others."""
    for i in range(len(tokens)):
        if z[i] < 0:
            continue
        n[z[i]] -= 1.0
        total = conditional(n, alpha, topics[tokens[i]], p)
        z[i] = pick(state, p, total)
        n[z[i]] += 1.0


@njit(nogil=True, cache=True)
def gibbs(tokens, offsets, keys, topics, alpha, burn_in, samples, seed, first, last, theta, z):  # type: ignore[no-untyped-def]  # fmt: skip
    """Fill ``theta`` (D, K) with the mean of (n_k + alpha_k) / (N + sum alpha); ``z`` is the last draw."""
    n_topics = topics.shape[1]
    state = np.empty(2, np.uint64)
    n, p, mean = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    for d in range(first, last):
        start(state, seed, TOPICS, keys[d])
        a, b = offsets[d], offsets[d + 1]
        gibbs_start(state, tokens[a:b], topics, alpha, z[a:b], n, p)
        mean[:] = 0.0
        for s in range(burn_in + samples):
            gibbs_sweep(state, tokens[a:b], topics, alpha, z[a:b], n, p)
            if s >= burn_in:
                mean += n
        mean = mean / samples + alpha
        theta[d] = mean / mean.sum()


@njit(nogil=True, cache=True, fastmath=FREELY)
def _mixed_weights(n, alpha, fixed, free, sizes, beta, total_beta, p):  # type: ignore[no-untyped-def]
    n_fixed, total = len(fixed), 0.0
    for k in range(n_fixed):
        p[k] = (n[k] + alpha[k]) * fixed[k]
        total += p[k]
    for f in range(len(free)):
        k = n_fixed + f
        p[k] = (n[k] + alpha[k]) * (free[f] + beta) / (sizes[f] + total_beta)
        total += p[k]
    return total


@njit(nogil=True, cache=True)
def sweep_with_free(tokens, offsets, fixed, alpha, beta, begins, state,
                    by_document, by_word, sizes, z):  # type: ignore[no-untyped-def]  # fmt: skip
    """Once over a corpus: ``fixed`` topics (V, K) stay, F more are learnt with prior ``beta``.

    Moves ``z`` (N,), the counts ``by_document`` (D, K + F), ``by_word`` (V, F) and ``sizes`` (F,), and the
    generator's ``state``. The first time, which ``begins``, tokens have no topic yet.
    """
    n_words, n_fixed = fixed.shape
    p = np.empty(by_document.shape[1])
    for d in range(len(offsets) - 1):
        n = by_document[d]
        for i in range(offsets[d], offsets[d + 1]):
            w = tokens[i]
            if w < 0:
                z[i] = -1
                continue
            if not begins:
                n[z[i]] -= 1.0
                if z[i] >= n_fixed:
                    by_word[w, z[i] - n_fixed] -= 1.0
                    sizes[z[i] - n_fixed] -= 1.0
            total = _mixed_weights(n, alpha, fixed[w], by_word[w], sizes, beta, beta * n_words, p)
            k = pick(state, p, total)
            z[i] = k
            n[k] += 1.0
            if k >= n_fixed:
                by_word[w, k - n_fixed] += 1.0
                sizes[k - n_fixed] += 1.0


@njit(nogil=True, cache=True)
def likeliest(tokens, offsets, topics, theta, first, last, z):  # type: ignore[no-untyped-def]
    """Fill ``z`` (N,) with argmax_k theta_dk topics_wk; the first of equals; -1 for a word of no topic."""
    for d in range(first, last):
        for i in range(offsets[d], offsets[d + 1]):
            z[i] = -1
            if tokens[i] < 0:
                continue
            row, best = topics[tokens[i]], 0.0
            for k in range(topics.shape[1]):
                p = theta[d, k] * row[k]
                if p > best:
                    best = p
                    z[i] = k


@njit(nogil=True, cache=True, fastmath=FREELY)
def _mixture(weight, row):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(len(row)):
        total += weight[k] * row[k]
    return total


@njit(nogil=True, cache=True)
def log_mixture(tokens, offsets, topics, theta, first, last, log_p):  # type: ignore[no-untyped-def]
    """Fill ``log_p`` (D,) with the sum over tokens of log sum_k theta_dk topics_wk."""
    for d in range(first, last):
        found = 0.0
        for i in range(offsets[d], offsets[d + 1]):
            found += np.log(_mixture(theta[d], topics[tokens[i]]))
        log_p[d] = found


@njit(nogil=True, cache=True)
def shuffled(tokens, offsets, keys, seed, repetition, first, last):  # type: ignore[no-untyped-def]
    """Put each document's tokens in a random order, in place."""
    state = np.empty(2, np.uint64)
    for d in range(first, last):
        start(state, seed, SPLIT + 16 * (1 + repetition), keys[d])
        shuffle(state, tokens[offsets[d] : offsets[d + 1]])
