"""Rounds of annotation of topic pairs: agreement after each, what to talk about, which pairs come next."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tealeaves import TopicModel
from tealeaves.errors import InputError
from tealeaves.human.agreement import mean_label
from tealeaves.human.rounds import SIZES, judge, merged, next_pairs, next_size, pair_key
from tealeaves.matcher import Matcher

LABELS = st.lists(st.sampled_from([0.0, 0.5, 1.0, np.nan]), min_size=6, max_size=6)


def model(seed: int = 0, k: int = 30, v: int = 80) -> TopicModel:
    rng = np.random.default_rng(seed)
    base = np.random.default_rng(9).dirichlet(np.full(v, 0.1), k)
    noise = rng.dirichlet(np.full(v, 0.1), k) * rng.random((k, 1))
    return TopicModel([f"word{i}" for i in range(v)], topic_word=base + noise)


@pytest.fixture(scope="module")
def pool():
    return Matcher.sample({"a": model(1), "b": model(2)}, n=300, seed=4)


def test_the_rounds_are_the_source_s():
    assert list(SIZES.items()) == [("pilot", 15), ("calibration", 50), ("test", 50), ("final", 250)]
    assert next_size(2) == ("test", 50)
    assert SIZES["test"] + SIZES["final"] == 300  # the pairs that the source kept


@pytest.mark.parametrize(
    ("name", "nominal", "ordinal", "f1"),
    [("news", 0.6897, 0.8649, 0.8540), ("bio", 0.6481, 0.7974, 0.8167)],
)
def test_the_published_pairs_have_the_published_agreement(data, name, nominal, ordinal, f1):
    rows = (data / "coverage" / f"{name}_pairs.jsonl").read_text("utf-8").splitlines()
    labels = np.array([json.loads(row)["labels"] for row in rows], float).T
    found = judge("final", labels)
    assert (found.pairs, found.raters, found.complete) == (300, 3, 300)
    assert found.alpha_nominal == pytest.approx(nominal, abs=5e-5)
    assert found.alpha_ordinal == pytest.approx(ordinal, abs=5e-5)
    assert found.human_f1 == pytest.approx(f1, abs=5e-5)


def test_the_worst_disagreements_come_first_with_what_each_rater_said():
    labels = [[1, 0, 0.5, 1, 1], [1, 0, 0, 0, 0], [1, 0.5, 0, np.nan, 1]]
    worst = judge("pilot", labels, ["ana", "ben", "eva"]).worst
    assert [one.index for one in worst] == [3, 4, 1, 2]
    assert worst[0].labels == {"ana": 1.0, "ben": 0.0}
    assert worst[0].spread == 1.0


def test_a_round_without_two_labels_on_a_pair_says_why_it_has_no_agreement():
    found = judge("pilot", [[1, 0, np.nan], [np.nan, np.nan, 1]])
    assert np.isnan(found.alpha_ordinal)
    assert found.reason == "no item has two labels"
    assert judge("pilot", [[1, 1], [1, 1]]).reason == "all labels are the same"
    assert judge("pilot", np.empty((0, 3))).reason == "no item has two labels"


def test_the_next_pairs_are_new_and_the_ones_a_matcher_is_least_sure_of(pool):
    judged = pool[:80]
    labels = np.array([[float(pair.cosine_distance < 0.5) for pair in judged]] * 2)
    found = next_pairs(pool, judged, labels, n=20, seed=1)
    assert len(found) == 20
    assert not {pair_key(pair) for pair in found} & {pair_key(pair) for pair in judged}
    doubts = np.abs(Matcher.train(judged, labels, 1).of_pairs(found) - 0.5)
    assert (np.diff(doubts) >= 0).all()
    rest = [pair for pair in pool[80:] if pair_key(pair) not in {pair_key(one) for one in found}]
    assert doubts.max() <= np.abs(Matcher.train(judged, labels, 1).of_pairs(rest) - 0.5).min()


def test_with_few_labels_the_next_pairs_are_the_pool_s_own_and_a_note_says_so(pool):
    found = next_pairs(pool, pool[:6], [[1, 0, 0, 0, 0, 0]], n=15)
    assert [pair_key(pair) for pair in found] == [pair_key(pair) for pair in pool[6:21]]
    assert "only 1 pairs match and 5 do not" in found.notes[-1]


def test_a_pool_that_is_used_up_is_an_error(pool):
    with pytest.raises(InputError, match="every pair of the pool was judged before"):
        next_pairs(pool[:10], pool[:10])


@given(st.lists(LABELS, min_size=2, max_size=5))
def test_raters_can_be_named_in_any_order(rows):
    labels = np.array(rows)
    one, other = judge("r", labels), judge("r", labels[::-1])
    np.testing.assert_allclose(one.alpha_ordinal, other.alpha_ordinal, rtol=1e-9)
    assert [(d.index, d.spread) for d in one.worst] == [(d.index, d.spread) for d in other.worst]


def test_raters_of_one_number_in_two_rounds_are_two_people_unless_told_otherwise():
    rounds = [{"R-001": [1.0, 0.0], "R-002": [1.0, 1.0]}, {"R-002": [0.5], "R-003": [0.0]}]
    apart = merged(rounds, [2, 1])
    np.testing.assert_array_equal(
        apart, [[1, 0, np.nan], [1, 1, np.nan], [np.nan, np.nan, 0.5], [np.nan, np.nan, 0]]
    )
    one = merged(rounds, [2, 1], same_raters=True)
    np.testing.assert_array_equal(one, [[1, 0, np.nan], [1, 1, 0.5], [np.nan, np.nan, 0]])
    # What trains the matcher is the mean of a pair's labels, which is the same either way.
    np.testing.assert_array_equal(mean_label(apart), mean_label(one))
