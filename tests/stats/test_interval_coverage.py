"""Intervals hold the truth about as often as they say: small simulations of what bench has at length."""

import numpy as np
import pytest

from tealeaves.stats import bootstrap, correlate, correlation_matrix

SAMPLES, RESAMPLES = 300, 400
ERROR = 0.035  # quick: 2.8 standard errors of a share of 300 samples, when the truth is 0.95
MANY = 4000  # slow: a standard error of 0.0034, so that .93 to .97 is told from what lies outside


def spearman_of(r):
    """Spearman's correlation of normal numbers whose Pearson's is r."""
    return 6 / np.pi * np.arcsin(r / 2)


def normal_pair(rng, n, r=0.5):
    x = rng.normal(size=n)
    return x, r * x + np.sqrt(1 - r * r) * rng.normal(size=n)


def held(interval, truth, samples=SAMPLES):
    """How often ``interval(rng, seed)`` holds the truth."""
    rng = np.random.default_rng(5)
    ends = [interval(rng, i) for i in range(samples)]
    return np.mean([low <= truth <= high for low, high in ends])


def ends(found):
    return found.low, found.high


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_of_a_correlation_of_a_hundred_things(method):
    truth = spearman_of(0.5) if method == "spearman" else 0.5

    def interval(rng, seed):
        return ends(correlate(*normal_pair(rng, 100), method=method, resamples=RESAMPLES, seed=seed))

    assert held(interval, truth) == pytest.approx(0.95, abs=ERROR)


def test_of_a_difference_of_paired_means():
    def interval(rng, seed):
        x, y = normal_pair(rng, 100, 0.7)
        return ends(bootstrap(x - y, np.mean, RESAMPLES, seed))

    assert held(interval, 0) == pytest.approx(0.95, abs=ERROR)


def test_of_a_difference_of_two_correlations():
    def interval(rng, seed):
        z = rng.normal(size=100)
        table = {"x": z + rng.normal(size=100), "y": z + 2 * rng.normal(size=100), "z": z}
        found = correlation_matrix(table, resamples=RESAMPLES, seed=seed)
        return ends(found.difference(("x", "z"), ("y", "z")))

    truth = spearman_of(np.sqrt(1 / 2)) - spearman_of(np.sqrt(1 / 5))
    assert held(interval, truth) == pytest.approx(0.95, abs=ERROR)


def test_of_a_mean_over_groups_only_if_groups_are_drawn():
    def interval(known):
        def one(rng, seed):
            group = np.repeat(np.arange(60), 5)
            values = rng.normal(size=60)[group] + rng.normal(size=300)
            return ends(bootstrap(values, np.mean, RESAMPLES, seed, groups=group if known else None))

        return one

    assert held(interval(known=True), 0) == pytest.approx(0.95, abs=ERROR)
    assert held(interval(known=False), 0) < 0.85


def test_of_a_correlation_over_topics_only_if_models_are_drawn():
    def interval(known):
        def one(rng, seed):
            model = np.repeat(np.arange(50), 8)
            levels, own = normal_pair(rng, 50), normal_pair(rng, 400)
            table = {"x": levels[0][model] + own[0], "y": levels[1][model] + own[1]}
            labels = model if known else None
            return ends(
                correlation_matrix(table, clusters=labels, resamples=RESAMPLES, seed=seed).between("x", "y")
            )

        return one

    assert held(interval(known=True), spearman_of(0.5)) == pytest.approx(0.95, abs=ERROR)
    assert held(interval(known=False), spearman_of(0.5)) < 0.85


@pytest.mark.slow
@pytest.mark.parametrize(
    ("interval", "truth"),
    [
        (
            lambda rng, i: ends(correlate(*normal_pair(rng, 60), resamples=RESAMPLES, seed=i)),
            spearman_of(0.5),
        ),
        (lambda rng, i: ends(bootstrap(rng.normal(size=100), np.mean, RESAMPLES, i)), 0),
        (
            lambda rng, i: ends(
                bootstrap(np.diff(normal_pair(rng, 100, 0.7), axis=0)[0], np.mean, RESAMPLES, i)
            ),
            0,
        ),
    ],
    ids=["spearman of 60", "mean of 100", "paired difference of 100"],
)
def test_nominal_95_percent_holds_the_truth_93_to_97_times_in_a_hundred(interval, truth):
    assert 0.93 <= held(interval, truth, MANY) <= 0.97
