"""Means over raters and units: the variance they have, and how often their intervals hold the truth."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tealeaves.errors import InputError
from tealeaves.stats import crossed, wilson

TABLES = st.integers(2, 6).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=n, max_size=n), min_size=2, max_size=6)
)


def logistic(x):
    return 1 / 6 + 5 / 6 / (1 + np.exp(-x))


def truth(base, of_raters, of_topics):
    draws = np.random.default_rng(1).normal(0, np.hypot(of_raters, of_topics), 200_000)
    return logistic(base + draws).mean()


def coverage(raters, topics, of_raters, of_topics, per=None, studies=300, base=1.0):
    """How often 95% intervals hold the truth, of such topics and of these; raters and topics are Rasch's."""
    rng, goal = np.random.default_rng(0), truth(base, of_raters, of_topics)
    such = these = binomial = 0
    people = np.random.default_rng(2).normal(0, of_raters, 4_000)
    for study in range(studies):
        ability, easiness = rng.normal(0, of_raters, raters), rng.normal(0, of_topics, topics)
        right = rng.random((raters, topics)) < logistic(base + ability[:, None] + easiness)
        asked = np.ones((raters, topics))
        if per is not None:  # each topic is judged by so many
            asked = (np.argsort(rng.random((topics, raters)), axis=1) < per).T * 1.0
        found = crossed(right * asked, asked, resamples=400, seed=study, bounds=(0, 1)).estimate("")
        here = logistic(base + people[:, None] + easiness).mean()
        such += found.such.low <= goal <= found.such.high
        these += found.these.low <= here <= found.these.high
        low, high = wilson((right * asked).sum(), asked.sum())
        binomial += low <= goal <= high
    return such / studies, these / studies, binomial / studies


@pytest.mark.parametrize(
    ("raters", "topics", "of_raters", "of_topics", "per"),
    [(8, 50, 0.5, 1.2, None), (26, 50, 0.5, 1.2, None), (15, 20, 1.2, 0.3, None), (40, 40, 0.5, 1.2, 8)],
)
def test_95_percent_intervals_hold_the_truth_of_rasch_s_raters_90_to_98_times_in_100(
    raters, topics, of_raters, of_topics, per
):
    such, these, binomial = coverage(raters, topics, of_raters, of_topics, per)
    assert 0.90 <= such <= 0.98
    assert 0.90 <= these <= 0.98
    assert binomial < 0.85  # answers are not independent


def test_an_interval_of_raters_and_topics_has_the_width_that_its_variance_says():
    rng = np.random.default_rng(3)
    widths, means = [], []
    for seed in range(200):
        values = rng.normal(0, 0.3, (12, 1)) + rng.normal(0, 0.5, (1, 40)) + rng.normal(0, 1.0, (12, 40))
        found = crossed(values, np.ones((12, 40)), resamples=300, seed=seed).estimate("")
        widths.append(found.such.high - found.such.low)
        means.append(found.such.value)
    variance = 0.3**2 / 12 + 0.5**2 / 40 + 1.0 / (12 * 40)
    assert np.std(means) == pytest.approx(variance**0.5, rel=0.15)
    assert np.mean(widths) == pytest.approx(2 * 2.0 * variance**0.5, rel=0.15)  # 2.0: about Student's


def test_units_of_one_answer_each_vary_as_independent_ones_do():
    rng = np.random.default_rng(0)
    right = np.diag((rng.random(400) < 0.6).astype(float))
    found = crossed(right, np.eye(400), bounds=(0, 1)).estimate("").such
    low, high = wilson(np.diag(right).sum(), 400)
    assert (found.low, found.high) == pytest.approx((float(low), float(high)), abs=0.01)


def test_what_all_models_share_in_a_rater_drops_out_of_their_difference():
    rng = np.random.default_rng(0)
    mild = rng.normal(0, 5, (20, 1))  # how high a rater rates, whatever the model
    values = mild + rng.normal(0, 0.1, (20, 30)) + np.repeat([0.0, 0.5], 15)
    found = crossed(values, np.ones((20, 30)), ["a"] * 15 + ["b"] * 15)
    difference, one = found.difference("b", "a"), found.estimate("a")
    assert difference.such.value == pytest.approx(0.5, abs=0.05)
    assert difference.such.high - difference.such.low < 0.1
    assert one.such.high - one.such.low > 2
    assert difference.p < 0.01


def test_a_difference_turned_around_changes_its_sign_only():
    rng = np.random.default_rng(0)
    found = crossed(rng.random((6, 20)), np.ones((6, 20)), ["a", "b"] * 10)
    here, there = found.difference("a", "b"), found.difference("b", "a")
    assert (here.such.low, here.such.high) == pytest.approx((-there.such.high, -there.such.low))
    assert here.p == there.p


def test_wilson_s_interval_is_scipy_s():
    for k, n in ((0, 5), (7, 8), (26, 26), (600, 1000)):
        theirs = binomtest(k, n).proportion_ci(method="wilson")
        assert tuple(map(float, wilson(k, n))) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert np.isnan(wilson(0, 0)).all()


def test_26_raters_and_300_topics_take_well_under_two_seconds():
    right = np.random.default_rng(0).random((26, 300)) < 0.7
    crossed(right[:, :9], np.ones((26, 9)), resamples=10)
    began = time.process_time()
    found = crossed(right, np.ones((26, 300)), ["a", "b", "c"] * 100, resamples=2_000)
    found.difference("a", "b")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("values", "counts", "reason"),
    [
        (np.ones((1, 5)), np.ones((1, 5)), "one rater shows no variation of raters"),
        (np.ones((5, 1)), np.ones((5, 1)), "one unit shows no variation of units"),
        (np.zeros((5, 4)), np.zeros((5, 4)), "no answers"),
        (np.ones((5, 4)), np.ones((5, 4)), "all answers are alike"),
    ],
)
def test_without_variation_to_see_there_is_no_interval_and_it_is_said_why(values, counts, reason):
    found = crossed(values, counts, ["a"] * values.shape[1]) if counts.any() else crossed(values, counts)
    estimate = found.estimate(found.groups[0])
    assert estimate.reason == reason
    assert np.isnan([estimate.such.low, estimate.such.high, estimate.p]).all()


def test_a_unit_that_nobody_answered_takes_no_part():
    values, counts = np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, 0]]), np.array([[1, 1, 0]] * 3)
    assert crossed(values, counts).estimate("").such.value == pytest.approx(2 / 3)


def test_shapes_that_differ_and_unknown_groups_are_refused():
    with pytest.raises(InputError, match="one shape"):
        crossed(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(InputError, match="each of 3 units; got 2"):
        crossed(np.ones((2, 3)), np.ones((2, 3)), ["a", "b"])
    with pytest.raises(InputError, match="no group 'z'; there are a"):
        crossed(np.ones((2, 3)), np.ones((2, 3)), ["a"] * 3).estimate("z")
    with pytest.raises(InputError, match="must be finite"):
        crossed(np.full((2, 3), np.nan), np.ones((2, 3)))


@given(TABLES, st.integers(0, 9))
def test_intervals_stay_within_bounds_around_the_value_and_repeat_with_the_seed(table, seed):
    values = np.array(table)
    one, two = (
        crossed(values, np.ones_like(values), resamples=50, seed=seed, bounds=(0, 1)).estimate("")
        for _ in "ab"
    )
    assert one.such.value == pytest.approx(values.mean())
    if np.isfinite(one.such.low):
        assert 0 <= one.such.low <= one.such.value + 1e-9
        assert one.such.value - 1e-9 <= one.such.high <= 1
        assert (one.such.low, one.p) == (two.such.low, two.p)


@given(TABLES)
def test_the_order_of_raters_does_not_change_the_value(table):
    values = np.array(table)
    here, there = (crossed(v, np.ones_like(v), resamples=5).estimate("").such for v in (values, values[::-1]))
    assert here.value == pytest.approx(there.value)
