"""Estimators of log p(w | topics, alpha) of a document, its topic proportions integrated out.

A document is ``tokens``, ids of rows of ``topics`` (V, K); every word has a topic. A draw of a document's
topics is ``z``, with ``n`` tokens of each topic. Each kernel works on documents ``first`` to ``last``.
"""

from math import lgamma

import numpy as np
from numba import njit

from tealeaves._kernels.draws import below, log_gamma_draw, pick, start, uniform
from tealeaves._kernels.inference import ESTIMATE, conditional, gibbs_start, gibbs_sweep

WARM, CLIMB = 20, 20  # sweeps before and while Chib's special state is sought
MOVES = 4  # of topics before a token that each particle draws again
ROUNDS = 10  # of the pseudo-counts of importance sampling


@njit(nogil=True, cache=True)
def possible(tokens, topics):  # type: ignore[no-untyped-def]
    """Whether every token has a topic."""
    for w in tokens:  # noqa: SIM110 (numba has no all())
        if topics[w].sum() <= 0.0:
            return False
    return True


@njit(nogil=True, cache=True)
def log_mean(logs):  # type: ignore[no-untyped-def]
    """The logarithm of the mean of exp(logs), and its jackknife standard error.

    The jackknife looks at the logarithm itself: where few of ``logs`` make the mean, the delta method would
    tell an error below 1 however far the mean is off.
    """
    n, first = len(logs), logs.argmax()
    top = logs[first]
    if top == -np.inf:
        return -np.inf, 0.0
    second = -np.inf
    for i in range(n):
        if i != first:
            second = max(second, logs[i])
    rest = 0.0  # of all but the first, in units of the second: else it could be lost beside the first
    for i in range(n):
        if i != first and second > -np.inf:
            rest += np.exp(logs[i] - second)
    if n < 2:
        return top, np.nan
    others = second + np.log(rest) if rest > 0.0 else -np.inf
    total = 1.0 + np.exp(others - top)
    whole = np.log(total)
    mean = top + whole - np.log(n)
    if others == -np.inf:
        return mean, np.inf
    sums, squares = 0.0, 0.0  # of what leaving each out changes
    for i in range(n):
        without = (others - top if i == first else np.log(total - np.exp(logs[i] - top))) - whole
        sums += without
        squares += without * without
    return mean, np.sqrt(max(squares - sums * sums / n, 0.0) * (n - 1) / n)


# --- exact


@njit(nogil=True, cache=True)
def count_vectors(n_states, n_topics, longest, choose):  # type: ignore[no-untyped-def]
    """Counts of the topics but the last, sum at most ``longest``, in an order by sum; and their predecessors.

    The rank of counts with partial sums s_1 <= s_2 <= … is the sum over j of choose(s_j + j - 1, j): those
    with sum at most t are the first choose(t + K - 1, K - 1). ``before[r, k]`` is the rank with one token
    less of topic k, or -1.
    """
    free = n_topics - 1
    counts = np.zeros((n_states, free), np.int32)
    before = np.full((n_states, free), -1, np.int32)
    partial = np.zeros(free, np.int64)
    for r in range(n_states):
        for k in range(free):
            counts[r, k] = partial[k] - (partial[k - 1] if k > 0 else 0)
        for k in range(free):
            if counts[r, k] > 0:
                rank = 0
                for j in range(free):
                    rank += choose[partial[j] - (1 if j >= k else 0) + j, j + 1]
                before[r, k] = rank
        for j in range(free):  # the next in order: raise the first that its successor lets rise
            if j == free - 1 or partial[j] < partial[j + 1]:
                partial[j] += 1
                partial[:j] = 0
                break
    return counts, before


@njit(nogil=True, cache=True)
def exact(tokens, offsets, topics, alpha, counts, before, choose, first, last, log_p, mean):  # type: ignore[no-untyped-def]  # fmt: skip
    """Fill ``log_p`` (D,) by summing over count vectors, and ``mean`` (D, K) with E[theta | w]."""
    n_topics, total_alpha = topics.shape[1], alpha.sum()
    free = n_topics - 1
    f = np.zeros(len(counts))
    for d in range(first, last):
        size = offsets[d + 1] - offsets[d]
        f[0], log_p[d] = 1.0, 0.0
        for t in range(size):
            row = topics[tokens[offsets[d] + t]]
            old, new = choose[t + free, free], choose[t + 1 + free, free]
            norm = 0.0
            for r in range(new - 1, -1, -1):  # from above, as a state is made of those below it
                total = 0.0
                if r < old:
                    in_last = t
                    for k in range(free):
                        in_last -= counts[r, k]
                    total = f[r] * (in_last + alpha[free]) * row[free]
                for k in range(free):
                    if before[r, k] >= 0:
                        total += f[before[r, k]] * (counts[r, k] - 1 + alpha[k]) * row[k]
                f[r] = total
                norm += total
            if norm == 0.0:
                log_p[d] = -np.inf
                break
            log_p[d] += np.log(norm / (t + total_alpha))
            f[:new] /= norm
        states = choose[size + free, free]
        for k in range(n_topics):
            mean[d, k] = 0.0
        if log_p[d] == -np.inf:
            f[:states] = 0.0
            continue
        for r in range(states):
            in_last = size
            for k in range(free):
                in_last -= counts[r, k]
                mean[d, k] += f[r] * (counts[r, k] + alpha[k]) / (size + total_alpha)
            mean[d, free] += f[r] * (in_last + alpha[free]) / (size + total_alpha)
        f[:states] = 0.0


# --- left to right


@njit(nogil=True, cache=True)
def _extend(state, i, tokens, topics, alpha, total_alpha, z, n, p):  # type: ignore[no-untyped-def]
    """p(w_i | the topics before), and a draw of z_i."""
    total = conditional(n, alpha, topics[tokens[i]], p)
    z[i] = pick(state, p, total)
    n[z[i]] += 1.0
    return total / (i + total_alpha)


@njit(nogil=True, cache=True)
def left_to_right(tokens, offsets, keys, topics, alpha, samples, moves, of_means, seed, first, last,
                  log_p, error):  # type: ignore[no-untyped-def]  # fmt: skip
    """Wallach and others' estimator: log of the mean of products (unbiased), or of the product of means.

    With ``moves`` every earlier topic is drawn again before each token.
    """
    n_topics, total_alpha = topics.shape[1], alpha.sum()
    state = np.empty(2, np.uint64)
    n, p = np.empty(n_topics), np.empty(n_topics)
    for d in range(first, last):
        start(state, seed, ESTIMATE, keys[d])
        document = tokens[offsets[d] : offsets[d + 1]]
        if not possible(document, topics):
            log_p[d], error[d] = -np.inf, 0.0
            continue
        z = np.empty(len(document), np.int32)
        found = np.empty((samples, len(document)))
        for s in range(samples):
            n[:] = 0.0
            for i in range(len(document)):
                if moves:
                    gibbs_sweep(state, document[:i], topics, alpha, z[:i], n, p)
                found[s, i] = _extend(state, i, document, topics, alpha, total_alpha, z, n, p)
        if not of_means:
            products = np.empty(samples)
            for s in range(samples):
                products[s] = np.log(found[s]).sum()
            log_p[d], error[d] = log_mean(products)
            continue
        log_p[d] = 0.0
        influence = np.zeros(samples)
        for i in range(len(document)):
            mean = found[:, i].mean()
            log_p[d] += np.log(mean)
            influence += found[:, i] / mean - 1.0
        error[d] = (
            np.sqrt((influence * influence).sum() / max(samples - 1, 1) / samples) if samples > 1 else np.nan
        )


# --- importance sampling


@njit(nogil=True, cache=True)
def importance_prior(tokens, offsets, keys, topics, alpha, samples, seed, first, last, log_p, error):  # type: ignore[no-untyped-def]  # fmt: skip
    """The mean over theta ~ Dirichlet(alpha) of p(w | theta)."""
    n_topics = topics.shape[1]
    state = np.empty(2, np.uint64)
    theta, found = np.empty(n_topics), np.empty(samples)
    for d in range(first, last):
        start(state, seed, ESTIMATE, keys[d])
        for s in range(samples):
            for k in range(n_topics):
                theta[k] = log_gamma_draw(state, alpha[k])
            theta = np.exp(theta - theta.max())
            theta /= theta.sum()
            found[s] = 0.0
            for i in range(offsets[d], offsets[d + 1]):
                row, total = topics[tokens[i]], 0.0
                for k in range(n_topics):
                    total += theta[k] * row[k]
                found[s] += np.log(total)
        log_p[d], error[d] = log_mean(found)


@njit(nogil=True, cache=True)
def log_joint(document, topics, alpha, z, n):  # type: ignore[no-untyped-def]
    """log p(w, z); fills ``n``."""
    found = lgamma(alpha.sum()) - lgamma(alpha.sum() + len(document))
    n[:] = 0.0
    for i in range(len(document)):
        n[z[i]] += 1.0
        found += np.log(topics[document[i], z[i]])
    for k in range(len(n)):
        if n[k] > 0.0:
            found += lgamma(alpha[k] + n[k]) - lgamma(alpha[k])
    return found


@njit(nogil=True, cache=True)
def importance_pseudo_counts(tokens, offsets, keys, topics, alpha, samples, seed, first, last, log_p, error):  # type: ignore[no-untyped-def]  # fmt: skip
    """The mean of p(w, z) / q(z) over z_i ~ q_i; q_ik as topics_wk (alpha_k + the others' sum of q_k)."""
    n_topics = topics.shape[1]
    state = np.empty(2, np.uint64)
    n, found = np.empty(n_topics), np.empty(samples)
    for d in range(first, last):
        start(state, seed, ESTIMATE, keys[d])
        document = tokens[offsets[d] : offsets[d + 1]]
        if not possible(document, topics):
            log_p[d], error[d] = -np.inf, 0.0
            continue
        size = len(document)
        z, q = np.empty(size, np.int32), np.empty((size, n_topics))
        for i in range(size):
            q[i] = topics[document[i]] * alpha
            q[i] /= q[i].sum()
        for _ in range(ROUNDS):
            total = np.zeros(n_topics)
            for i in range(size):
                total += q[i]
            for i in range(size):
                q[i] = topics[document[i]] * np.maximum(alpha + total - q[i], 0.0)
                q[i] /= q[i].sum()
        for s in range(samples):
            log_q = 0.0
            for i in range(size):
                z[i] = pick(state, q[i], 1.0)
                log_q += np.log(q[i, z[i]])
            found[s] = log_joint(document, topics, alpha, z, n) - log_q
        log_p[d], error[d] = log_mean(found)


# --- Chib


@njit(nogil=True, cache=True)
def _climb(document, topics, alpha, z, n):  # type: ignore[no-untyped-def]
    """Give each token its likeliest topic in turn, until none changes."""
    for _ in range(CLIMB):
        changed = False
        for i in range(len(document)):
            n[z[i]] -= 1.0
            row, best, top = topics[document[i]], z[i], -1.0
            for k in range(len(n)):
                p = (n[k] + alpha[k]) * row[k]
                if p > top:
                    best, top = k, p
            changed |= best != z[i]
            z[i] = best
            n[best] += 1.0
        if not changed:
            return


@njit(nogil=True, cache=True)
def _log_transition(document, topics, alpha, special, z, n, p):  # type: ignore[no-untyped-def]
    """log of the probability that a sweep to the right leads from ``z``, counts ``n``, to ``special``."""
    found, product = 0.0, 1.0
    for i in range(len(document)):
        n[z[i]] -= 1.0
        total = conditional(n, alpha, topics[document[i]], p)
        s = special[i]
        product *= p[s] / total
        if product < 1e-200:
            found += np.log(product)
            product = 1.0
        n[s] += 1.0
    for i in range(len(document)):  # as it was
        n[special[i]] -= 1.0
        n[z[i]] += 1.0
    return found + np.log(product)


@njit(nogil=True, cache=True)
def _sweep_back(state, document, topics, alpha, z, n, p):  # type: ignore[no-untyped-def]
    """The sweep whose steps are those of ``gibbs_sweep`` the other way round."""
    for i in range(len(document) - 1, -1, -1):
        n[z[i]] -= 1.0
        total = conditional(n, alpha, topics[document[i]], p)
        z[i] = pick(state, p, total)
        n[z[i]] += 1.0


@njit(nogil=True, cache=True)
def _chain(state, document, topics, alpha, samples, n, p):  # type: ignore[no-untyped-def]
    """log of an unbiased estimate of p(w): p(w, z*) / the mean of T(z -> z*) over ``samples`` states.

    One of them, in a random place of the chain, is reached from z* by a reversed sweep.
    """
    special = np.empty(len(document), np.int32)
    gibbs_start(state, document, topics, alpha, special, n, p)
    for _ in range(WARM):
        gibbs_sweep(state, document, topics, alpha, special, n, p)
    _climb(document, topics, alpha, special, n)
    joint = log_joint(document, topics, alpha, special, n)
    found = np.empty(samples)
    place = min(int(uniform(state) * samples), samples - 1)
    middle = special.copy()
    _sweep_back(state, document, topics, alpha, middle, n, p)
    found[place] = _log_transition(document, topics, alpha, special, middle, n, p)
    z = middle.copy()
    middle_n = n.copy()
    for s in range(place + 1, samples):
        gibbs_sweep(state, document, topics, alpha, z, n, p)
        found[s] = _log_transition(document, topics, alpha, special, z, n, p)
    z[:] = middle
    n[:] = middle_n
    for s in range(place - 1, -1, -1):
        _sweep_back(state, document, topics, alpha, z, n, p)
        found[s] = _log_transition(document, topics, alpha, special, z, n, p)
    return joint - log_mean(found)[0]


@njit(nogil=True, cache=True)
def chib(tokens, offsets, keys, topics, alpha, samples, chains, seed, first, last, log_p, error):  # type: ignore[no-untyped-def]  # fmt: skip
    """The mean of independent chains of Murray and Salakhutdinov's (2009), whose spread is the error.

    Each seeks a z* of its own: a chain that does not leave the mode of its z* cannot tell that there are
    others, but several of them can.
    """
    n_topics = topics.shape[1]
    state = np.empty(2, np.uint64)
    n, p = np.empty(n_topics), np.empty(n_topics)
    for d in range(first, last):
        start(state, seed, ESTIMATE, keys[d])
        document = tokens[offsets[d] : offsets[d + 1]]
        if not possible(document, topics):
            log_p[d], error[d] = -np.inf, 0.0
            continue
        found = np.zeros(chains)
        if len(document) > 0:
            for c in range(chains):
                share = samples // chains + (1 if c < samples % chains else 0)
                found[c] = _chain(state, document, topics, alpha, share, n, p)
        log_p[d], error[d] = log_mean(found)


# --- sequential Monte Carlo


@njit(nogil=True, cache=True)
def _island(state, document, topics, alpha, particles, moves):  # type: ignore[no-untyped-def]
    """log of an unbiased estimate of p(w) by particles that are drawn again when their weights differ."""
    n_topics, total_alpha = topics.shape[1], alpha.sum()
    size = len(document)
    z, z_new = np.zeros((particles, size), np.int32), np.zeros((particles, size), np.int32)
    n, n_new = np.zeros((particles, n_topics)), np.zeros((particles, n_topics))
    weight, p = np.ones(particles), np.empty(n_topics)
    found = 0.0
    for i in range(size):
        for r in range(particles):
            if moves:  # in every round: moves only where weights differ would bias the estimate
                for _ in range(min(i, MOVES)):
                    j = below(state, i)
                    gibbs_sweep(state, document[j : j + 1], topics, alpha, z[r, j : j + 1], n[r], p)
            weight[r] *= _extend(state, i, document, topics, alpha, total_alpha, z[r], n[r], p)
        total, square = weight.sum(), (weight * weight).sum()
        if total * total >= 0.5 * particles * square and i < size - 1 and total > 1e-100:
            continue
        found += np.log(total / particles)
        if i == size - 1:
            break
        step, at, up_to = total / particles, 0, weight[0]
        offset = uniform(state) * step
        for r in range(particles):  # systematic: equal steps along the weights
            while offset + r * step > up_to and at < particles - 1:
                at += 1
                up_to += weight[at]
            z_new[r, : i + 1] = z[at, : i + 1]
            n_new[r] = n[at]
        z, z_new = z_new, z
        n, n_new = n_new, n
        weight[:] = 1.0
    return found


@njit(nogil=True, cache=True)
def smc(tokens, offsets, keys, topics, alpha, samples, moves, islands, seed, first, last, log_p, error):  # type: ignore[no-untyped-def]  # fmt: skip
    """The mean of independent islands of particles, whose spread is the error."""
    state = np.empty(2, np.uint64)
    for d in range(first, last):
        start(state, seed, ESTIMATE, keys[d])
        document = tokens[offsets[d] : offsets[d + 1]]
        if not possible(document, topics):
            log_p[d], error[d] = -np.inf, 0.0
            continue
        found = np.zeros(islands)
        if len(document) > 0:
            for b in range(islands):
                share = samples // islands + (1 if b < samples % islands else 0)
                found[b] = _island(state, document, topics, alpha, share, moves)
        log_p[d], error[d] = log_mean(found)
