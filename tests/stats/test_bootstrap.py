import numpy as np
import pytest
from scipy import stats as scipy_stats

from tealeaves.errors import InputError
from tealeaves.stats import bootstrap

VALUES = np.random.default_rng(5).normal(size=40)


def test_the_interval_is_scipy_s():
    wanted = scipy_stats.bootstrap(
        (VALUES,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    found = bootstrap(VALUES, np.mean)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=0.01)
    assert found.value == VALUES.mean()


def test_it_covers_the_mean_as_often_as_it_says():
    rng, hits = np.random.default_rng(0), 0
    for i in range(300):
        found = bootstrap(rng.normal(size=60), np.mean, resamples=600, seed=i)
        hits += found.low <= 0 <= found.high
    assert 0.90 <= hits / 300 <= 0.98


def test_a_statistic_without_axis_gives_the_draws_of_one_with_it():
    at_once = bootstrap(VALUES, np.mean, resamples=200, seed=3)
    one_by_one = bootstrap(VALUES, lambda values: np.mean(values), resamples=200, seed=3)
    np.testing.assert_allclose(at_once.draws, one_by_one.draws, rtol=1e-14)


def test_rows_of_pairs_stay_together():
    pairs = np.column_stack([VALUES, VALUES + 1])
    found = bootstrap(pairs, lambda rows: np.mean(rows[:, 1] - rows[:, 0]), resamples=100)
    np.testing.assert_allclose(found.draws, 1)


def test_whole_groups_are_drawn():
    found = bootstrap([0, 0, 0, 6, 6], np.sum, groups=["a", "a", "a", "b", "b"], resamples=300)
    assert set(found.draws) == {0, 12, 24}


def test_groups_of_one_size_and_of_several_are_drawn_alike():
    even = bootstrap(VALUES, np.mean, groups=np.arange(40) // 4, resamples=50, seed=1)
    alone = bootstrap(VALUES.reshape(10, 4).mean(axis=1), np.mean, resamples=50, seed=1)
    np.testing.assert_allclose(even.draws, alone.draws)


def test_rows_of_one_group_vary_together_so_their_interval_is_wider():
    values = np.repeat(VALUES, 10)
    apart, together = bootstrap(values), bootstrap(values, groups=np.repeat(np.arange(40), 10))
    ratio = (together.high - together.low) / (apart.high - apart.low)
    assert ratio == pytest.approx(np.sqrt(10), rel=0.05)


def test_the_seed_decides():
    first, again, other = (bootstrap(VALUES, resamples=100, seed=seed) for seed in (1, 1, 2))
    assert (first.low, first.high) == (again.low, again.high) != (other.low, other.high)


def test_one_value_or_one_group_has_no_interval():
    for found in (bootstrap([3.0]), bootstrap([3.0, 3.0], groups=[1, 1])):
        assert found.value == 3
        assert np.isnan([found.low, found.high]).all()


def test_an_undefined_value_has_no_interval_and_undefined_draws_take_no_part():
    assert np.isnan(bootstrap([1.0, np.nan], resamples=50).low)
    found = bootstrap([0.0, 1.0], lambda v: np.nan if v.sum() == 0 else v.mean(), resamples=100)
    assert (found.low, found.high) == (0.5, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": []}, r"at least one value; got the shape \(0,\)"),
        ({"values": [1, 2], "resamples": 0}, "at least 1; got 0"),
        ({"values": [1, 2], "level": 95}, "between 0 and 1, as 0.95; got 95"),
        ({"values": [1, 2], "groups": [1]}, "each of the 2 rows"),
    ],
)
def test_what_cannot_be_resampled_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        bootstrap(**given)
