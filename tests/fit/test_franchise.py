"""The sampler of HDP and Pitman-Yor models, against exact posteriors that are enumerated or integrated."""

from collections import defaultdict

import numpy as np
import pytest
from scipy.special import gammaln

from tealeaves._kernels.draws import start
from tealeaves._kernels.restaurants import prior, serve, sweep

ETA = 0.5


def exact(documents, n_words, of_documents, of_root):
    """The posterior of which tokens share a topic: every seating, with its probability."""
    tokens = [(d, w) for d, words in enumerate(documents) for w in words]
    (b, a), (root_b, root_a) = of_documents, of_root
    found = defaultdict(float)

    def seat(i, p, tables, topics):
        """``tables[d]`` lists (size, topic); ``topics`` lists (tables, words so far)."""
        if i == len(tokens):
            found[tuple(z for z in labels)] += p
            return
        d, w = tokens[i]
        here = tables[d]
        n = sum(size for size, _ in here)
        total = sum(count for count, _ in topics)

        def fits(k):
            seen = topics[k][1]
            return (seen.count(w) + ETA) / (len(seen) + ETA * n_words)

        def with_word(k, more):
            count, seen = topics[k]
            return [*topics[:k], (count + more, [*seen, w]), *topics[k + 1 :]]

        for j, (size, k) in enumerate(here):
            labels.append(k)
            other = [*here[:j], (size + 1, k), *here[j + 1 :]]
            seat(i + 1, p * (size - a) / (b + n) * fits(k), {**tables, d: other}, with_word(k, 0))
            labels.pop()
        new = p * (b + a * len(here)) / (b + n)
        for k in range(len(topics)):
            labels.append(k)
            chosen = (topics[k][0] - root_a) / (root_b + total)
            seat(i + 1, new * chosen * fits(k), {**tables, d: [*here, (1, k)]}, with_word(k, 1))
            labels.pop()
        labels.append(len(topics))
        chosen = (root_b + root_a * len(topics)) / (root_b + total)
        grown = [*topics, (1, [w])]
        seat(i + 1, new * chosen / n_words, {**tables, d: [*here, (1, len(topics))]}, grown)
        labels.pop()

    labels = []
    seat(0, 1.0, {d: [] for d in range(len(documents))}, [])
    whole = sum(found.values())
    return {key: p / whole for key, p in found.items()}


@pytest.mark.parametrize(
    ("of_documents", "of_root"), [((0.7, 0.0), (1.5, 0.0)), ((0.5, 0.4), (0.8, 0.3))], ids=["hdp", "pyp"]
)
@pytest.mark.parametrize("whole_tables", [False, True])
def test_states_are_visited_as_often_as_they_are_probable(of_documents, of_root, whole_tables):
    documents, n_words, rounds = [[0, 0, 1], [1, 2]], 3, 60_000
    expected = exact(documents, n_words, of_documents, of_root)
    tokens = np.array([w for words in documents for w in words], np.int32)
    offsets = np.array([0, 3, 5])
    table, size, dish = np.array([0, 0, 0, 3, 3]), np.array([3, 0, 0, 2, 0]), np.zeros(5, np.int64)
    slots, served, by_topic = np.array([1, 1]), np.array([2, 0, 0, 0, 0]), np.array([5, 0, 0, 0, 0])
    by_word = np.zeros((n_words, 5), np.int64)
    by_word[:, 0] = np.bincount(tokens)
    state = np.empty(2, np.uint64)
    start(state, 1, 0, 0)
    seats = (tokens, offsets, table, size, dish, slots, by_word, by_topic, served, ETA)
    visits = defaultdict(int)
    for _ in range(rounds):
        sweep(*seats, of_documents, of_root, state)
        if whole_tables:
            serve(*seats, of_root, state)
        numbers: dict[int, int] = {}
        visits[tuple(numbers.setdefault(int(k), len(numbers)) for k in dish[table])] += 1
    assert by_word.sum() == by_topic.sum() == 5
    for key, p in expected.items():
        assert visits[key] / rounds == pytest.approx(p, abs=6 * np.sqrt(p / rounds) + 1e-3), key


def log_seating(sizes, concentration, discount):
    """The probability of tables of these sizes in one restaurant (Pitman 1995)."""
    c, a, n = concentration, discount, sum(sizes)
    opened = sum(np.log(c + a * i) for i in range(1, len(sizes)))
    kept = sum(gammaln(size - a) - gammaln(1 - a) for size in sizes)
    return opened + kept - (gammaln(c + n) - gammaln(c + 1))


@pytest.mark.parametrize("learn_discount", [False, True])
def test_priors_are_drawn_from_their_posterior(learn_discount):
    restaurants = [[5, 2, 1, 1], [3, 1], [7, 1, 1]]
    c, a = np.meshgrid(np.linspace(0.005, 60, 3000), np.linspace(0.0025, 0.9975, 200), indexing="ij")
    a = a if learn_discount else np.full_like(a, 0.25)
    log_p = -c / 10 + sum(log_seating(sizes, c, a) for sizes in restaurants)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    offsets = np.array([0, 4, 8, 12])
    size = np.array([5, 0, 2, 1, 3, 1, 0, 0, 7, 1, 1, 0])  # a free slot counts for nothing
    size[3], slots = 1, np.array([4, 2, 4])
    size = np.array([5, 2, 1, 1, 3, 1, 0, 0, 7, 0, 1, 1])
    state = np.empty(2, np.uint64)
    start(state, 3, 0, 0)
    at, draws = (1.0, 0.25), []
    for _ in range(40_000):
        at = prior(state, offsets, size, slots, *at, learn_discount)
        draws.append(at)
    mean = np.mean(draws[500:], axis=0)
    assert mean[0] == pytest.approx((p * c).sum(), rel=0.05)
    assert mean[1] == pytest.approx((p * a).sum(), abs=0.01)
