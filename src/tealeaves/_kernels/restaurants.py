"""The Chinese restaurant franchise of Pitman and Yor: Gibbs sampling of topics whose number is not given.

A document is a restaurant whose tables serve topics; its tables are the customers of one restaurant above.
Document d has the table slots ``offsets[d]`` to ``offsets[d] + slots[d]``; a slot of size 0 is free.
"""

import numpy as np
from numba import njit

from tealeaves._kernels.draws import log_gamma_draw, pick, uniform


@njit(nogil=True, cache=True)
def sweep(  # type: ignore[no-untyped-def]
    tokens,
    offsets,
    table,
    size,
    dish,
    slots,
    by_word,
    by_topic,
    served,
    eta,
    document_prior,
    root_prior,
    state,
):
    """Seat every token once, given where all others sit; a token of table -1 was not seated yet.

    ``table`` (N,) is a token's slot; ``size`` and ``dish`` (N,) are of slots; ``by_word`` (V, K) and
    ``by_topic`` (K,) count tokens, ``served`` (K,) tables; priors are (concentration, discount).
    """
    n_words, n_topics = by_word.shape
    concentration, discount = document_prior
    root_concentration, root_discount = root_prior
    tables, live = served.sum(), (served > 0).sum()
    fits, opens = np.empty(n_topics), np.empty(n_topics)
    for d in range(len(offsets) - 1):
        here = 0
        for j in range(offsets[d], offsets[d] + slots[d]):
            here += size[j] > 0
        for i in range(offsets[d], offsets[d + 1]):
            w, j = tokens[i], table[i]
            if j >= 0:
                k = dish[j]
                size[j] -= 1
                by_word[w, k] -= 1
                by_topic[k] -= 1
                if size[j] == 0:
                    here -= 1
                    tables -= 1
                    served[k] -= 1
                    live -= served[k] == 0
            new, unused = 0.0, -1
            for k in range(n_topics):
                opens[k] = 0.0
                if served[k] > 0:
                    fits[k] = (by_word[w, k] + eta) / (by_topic[k] + eta * n_words)
                    opens[k] = (served[k] - root_discount) * fits[k]
                    new += opens[k]
                elif unused < 0:
                    unused = k
            if unused >= 0:
                opens[unused] = (root_concentration + root_discount * live) / n_words
                new += opens[unused]
            weight = (concentration + discount * here) / (root_concentration + tables)
            old = 0.0
            for j in range(offsets[d], offsets[d] + slots[d]):
                if size[j] > 0:
                    old += (size[j] - discount) * fits[dish[j]]
            left = uniform(state) * (old + weight * new)
            chosen = -1
            if left < old:
                for j in range(offsets[d], offsets[d] + slots[d]):
                    if size[j] > 0:
                        chosen = j
                        left -= (size[j] - discount) * fits[dish[j]]
                        if left < 0.0:
                            break
            if chosen < 0:
                left = max(left - old, 0.0) / weight
                topic = -1
                for k in range(n_topics):
                    if opens[k] > 0.0:
                        topic = k
                        left -= opens[k]
                        if left < 0.0:
                            break
                chosen = offsets[d]
                while chosen < offsets[d] + slots[d] and size[chosen] > 0:
                    chosen += 1
                if chosen == offsets[d] + slots[d]:
                    slots[d] += 1
                dish[chosen] = topic
                here += 1
                tables += 1
                live += served[topic] == 0
                served[topic] += 1
            table[i] = chosen
            size[chosen] += 1
            by_word[w, dish[chosen]] += 1
            by_topic[dish[chosen]] += 1


@njit(nogil=True, cache=True)
def serve(  # type: ignore[no-untyped-def]
    tokens, offsets, table, size, dish, slots, by_word, by_topic, served, eta, root_prior, state
):
    """Choose the topic of every table again, given its words: moves that token by token take long."""
    n_words, n_topics = by_word.shape
    root_concentration, root_discount = root_prior
    live = (served > 0).sum()
    log_p = np.empty(n_topics)
    longest = 0
    for d in range(len(slots)):
        longest = max(longest, offsets[d + 1] - offsets[d])
    words, first = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    for d in range(len(slots)):
        base, n = offsets[d], slots[d]
        first[0] = 0
        for j in range(n):
            first[j + 1] = first[j] + size[base + j]
        for i in range(offsets[d], offsets[d + 1]):
            j = table[i] - base
            words[first[j]] = tokens[i]
            first[j] += 1  # now where the next table begins
        for j in range(n):
            m = size[base + j]
            if m == 0:
                continue
            mine = words[first[j] - m : first[j]]
            k = dish[base + j]
            for w in mine:
                by_word[w, k] -= 1
            by_topic[k] -= m
            served[k] -= 1
            live -= served[k] == 0
            unused, best = -1, -np.inf
            for k in range(n_topics):
                log_p[k] = -np.inf
                if served[k] > 0:
                    log_p[k] = np.log(served[k] - root_discount)
                elif unused < 0:
                    unused = k
                    log_p[k] = np.log(root_concentration + root_discount * live)
                else:
                    continue
                p = 1.0
                for i in range(m):  # words join one after another, so that repeated ones count
                    w = mine[i]
                    p *= (by_word[w, k] + eta) / (by_topic[k] + i + eta * n_words)
                    by_word[w, k] += 1
                    if p < 1e-250:
                        log_p[k] += np.log(p)
                        p = 1.0
                for w in mine:
                    by_word[w, k] -= 1
                log_p[k] += np.log(p)
                best = max(best, log_p[k])
            total = 0.0
            for k in range(n_topics):
                log_p[k] = np.exp(log_p[k] - best)
                total += log_p[k]
            k = pick(state, log_p, total)
            dish[base + j] = k
            live += served[k] == 0
            served[k] += 1
            by_topic[k] += m
            for w in mine:
                by_word[w, k] += 1


@njit(nogil=True, cache=True)
def _beta(state, a, b):  # type: ignore[no-untyped-def]
    x, y = log_gamma_draw(state, a), log_gamma_draw(state, b)
    return 1.0 / (1.0 + np.exp(y - x))


@njit(nogil=True, cache=True)
def prior(state, offsets, size, slots, concentration, discount, learn_discount):  # type: ignore[no-untyped-def]
    """Draw (concentration, discount) given the tables of all restaurants, by Teh's auxiliary variables.

    Their priors are Gamma(1, 1/10) and Beta(1, 1); the discount stays if it is not to be learnt.
    """
    shape, rate, kept, opened = 1.0, 0.1, 1.0, 1.0
    for d in range(len(slots)):
        customers, tables = 0, 0
        for j in range(offsets[d], offsets[d] + slots[d]):
            if size[j] > 0:
                if tables > 0:
                    if uniform(state) * (concentration + discount * tables) < concentration:
                        shape += 1.0
                    else:
                        opened += 1.0
                if learn_discount:
                    for c in range(1, size[j]):
                        if uniform(state) * (c - discount) >= c - 1.0:
                            kept += 1.0
                customers += size[j]
                tables += 1
        if customers > 1:
            rate -= np.log(max(_beta(state, concentration + 1.0, customers - 1.0), 1e-300))
    concentration = max(np.exp(log_gamma_draw(state, shape)) / rate, 1e-6)
    if learn_discount:
        discount = min(_beta(state, opened, kept), 0.99)
    return concentration, discount
