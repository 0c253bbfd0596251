"""Posterior predictive checks: calm on what the model made, alarmed at a planted violation."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tealeaves import synthetic
from tealeaves.errors import InputError
from tealeaves.measures.local import TokenTopics
from tealeaves.measures.predictive_check import ppc, predictive_check


def plain_information(words, groups):
    """The kernel's twin, from the definition."""
    n, joint, w, g = len(words), Counter(zip(words, groups, strict=True)), Counter(words), Counter(groups)
    return sum(c / n * math.log(c * n / (w[a] * g[b])) for (a, b), c in joint.items())


@pytest.fixture(scope="module")
def planted():
    corpus, truth = synthetic.lda(k=6, documents=300, length=80, vocabulary=200, alpha=0.3, seed=5)
    tokens = TokenTopics(corpus.tokens, truth.assignments, corpus.offsets, 6)
    return corpus, truth, tokens


def test_checks_are_calm_on_a_corpus_that_the_model_made(planted):
    _, truth, tokens = planted
    assert np.abs(ppc(tokens, truth.topic_word).value).max() < 3.5
    tail = ppc(tokens, truth.topic_word, score="tail").value
    assert ((tail > 0) & (tail <= 1)).all()


def test_a_topic_whose_words_come_in_bursts_is_flagged_and_no_other(planted):
    corpus, truth, _ = planted
    rng = np.random.default_rng(0)
    words = corpus.tokens.copy()
    burst = 2
    for d in range(len(corpus)):
        mine = np.arange(corpus.offsets[d], corpus.offsets[d + 1])
        mine = mine[truth.assignments[mine] == burst]
        repeated = mine[rng.random(len(mine)) < 0.3]
        words[repeated] = words[mine[0]] if len(mine) else -1
    z = ppc(TokenTopics(words, truth.assignments, corpus.offsets, 6), truth.topic_word).value
    assert z[burst] > 10
    assert np.abs(np.delete(z, burst)).max() < 3.5


def test_words_that_depend_on_a_label_are_flagged_when_grouped_by_it(planted):
    corpus, truth, _ = planted
    label = np.repeat(np.arange(len(corpus)) % 2, np.diff(corpus.offsets))
    words, mixed = corpus.tokens.copy(), truth.assignments == 3
    half = np.argsort(-truth.topic_word[3])[:2]  # two words that stand for one another, by label
    either = mixed & np.isin(words, half)
    words[either] = half[label[either]]
    check = predictive_check(words, truth.assignments, label, truth.topic_word)
    assert check.z[3] > 10
    assert check.tail[3] == pytest.approx(1 / 101)
    assert np.abs(np.delete(check.z, 3)).max() < 4


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40))
def test_the_observed_is_the_mutual_information_by_definition(pairs):
    words, groups = (np.array(x) for x in zip(*pairs, strict=True))
    check = predictive_check(words, np.zeros(len(words), int), groups, np.full((1, 5), 0.2), replicates=2)
    assert check.observed[0] == pytest.approx(plain_information(words.tolist(), groups.tolist()), abs=1e-12)


def test_replicates_are_drawn_from_the_topic():
    """Their mean is that of the same check made with numpy's own draws."""
    p = np.array([0.6, 0.25, 0.1, 0.05, 0.0])
    groups = np.repeat(np.arange(30), 7)
    check = predictive_check(
        np.zeros(210, int), np.zeros(210, int), groups, p[None], replicates=400, seed=2
    ).replicates[:, 0]
    rng = np.random.default_rng(0)
    plain = [plain_information(rng.choice(5, 210, p=p).tolist(), groups.tolist()) for _ in range(400)]
    assert check.mean() == pytest.approx(np.mean(plain), abs=4 * np.std(plain) / math.sqrt(200))
    assert check.std() == pytest.approx(np.std(plain), rel=0.2)


def test_the_same_seed_gives_the_same_draws_on_one_thread_and_two(planted):
    corpus, truth, tokens = planted
    groups = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    one, two, other = (
        predictive_check(tokens.words, tokens.topics, groups, truth.topic_word, seed=s, workers=w)
        for s, w in ((4, 1), (4, 2), (5, 2))
    )
    np.testing.assert_array_equal(one.replicates, two.replicates)
    assert not np.array_equal(one.replicates, other.replicates)


def test_what_cannot_be_checked_is_undefined_with_its_reason():
    words, topics = np.array([0, 1, 0, 1, -1], np.int32), np.array([0, 0, 3, 3, 2], np.int32)
    phi = np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0, 0]])
    result = ppc(TokenTopics(words, topics, np.array([0, 5]), 4), phi)
    assert np.isnan(result.value).all()
    assert result.reason.tolist() == ["one document or one word", "no token", "no token", "empty topic"]
    assert result.n_terms.tolist() == [2, 0, 0, 2]


def test_arrays_that_do_not_belong_together_are_refused():
    with pytest.raises(InputError, match="as long, but are 2, 1 and 2"):
        predictive_check(np.zeros(2, int), np.zeros(1, int), np.zeros(2, int), np.ones((1, 1)))
    with pytest.raises(InputError, match="replicates must be 2 or more; got 1"):
        predictive_check(np.zeros(1, int), np.zeros(1, int), np.zeros(1, int), np.ones((1, 1)), replicates=1)
