import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from tealeaves._kernels.ranks import spearman_draws, spearman_draws_plain
from tealeaves.errors import InputError
from tealeaves.stats import correlate, correlation_matrix

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=30).map(np.array)


def many(n):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n).round(2)
    return x, (x + rng.normal(size=n)).round(2)


def test_spearman_of_many_topics_is_scipy_s_and_its_interval_takes_seconds():
    x, y = many(13_500)
    correlate(x[:50], y[:50], resamples=2)  # compiles
    began = time.process_time()
    found = correlate(x, y, resamples=20_000)
    assert time.process_time() - began < 10
    assert found.value == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert found.high - found.low == pytest.approx(0.0202, rel=0.1)


def test_hoyle_2021_is_reproduced(data):
    lines = (data / "human" / "hoyle2021_topics.jsonl").read_text("utf-8").splitlines()
    topics = [json.loads(line) for line in lines]
    for corpus, rating, intrusion in (("wikitext", 0.430, 0.381), ("nytimes", 0.378, 0.284)):
        rows = [topic for topic in topics if topic["dataset"] == corpus]
        npmi = [row["published"]["c_npmi_10_full"] for row in rows]
        for key, wanted in (("ratings", rating), ("intrusion_correct", intrusion)):
            found = correlate(npmi, [np.mean(row[key]) for row in rows], resamples=200)
            assert found.value == pytest.approx(wanted, abs=6e-4)
            assert found.low < found.value < found.high


@given(pairs)
def test_both_methods_are_scipy_s_also_with_ties(rows):
    x, y = rows.T
    for method, theirs in (("spearman", spearmanr), ("pearson", pearsonr)):
        found = correlate(x, y, method=method, resamples=5).value
        if len(set(x)) == 1 or len(set(y)) == 1:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(theirs(x, y).statistic, abs=1e-12)


@given(pairs, st.integers(0, 9))
def test_the_kernel_gives_what_ranking_each_resample_gives(rows, seed):
    x, y = (np.unique(side, return_inverse=True)[1] for side in rows.T)
    index = np.random.default_rng(seed).integers(len(x), size=(20, len(x)), dtype=np.int32)
    draws = np.empty(20)
    spearman_draws(x, y, x.max() + 1, y.max() + 1, index, draws)
    np.testing.assert_allclose(draws, spearman_draws_plain(x, y, index), atol=1e-12)


@given(pairs)
def test_swapping_keeps_it_and_turning_one_around_changes_the_sign(rows):
    x, y = rows.T
    for method in ("spearman", "pearson"):
        found, swapped, turned = (
            correlate(a, b, method=method, resamples=20) for a, b in ((x, y), (y, x), (x, -y))
        )
        np.testing.assert_allclose([found.low, found.high], [swapped.low, swapped.high], atol=1e-9)
        np.testing.assert_allclose([found.value, found.low], [-turned.value, -turned.high], atol=1e-9)


def test_pearson_s_interval_is_that_of_resampled_pairs():
    x, y = many(60)
    found = correlate(x, y, method="pearson", resamples=50, seed=4)
    index = np.random.default_rng(4).integers(60, size=(50, 60), dtype=np.int32)
    np.testing.assert_allclose(found.draws, [pearsonr(x[i], y[i]).statistic for i in index], atol=1e-12)


def test_a_constant_side_or_too_few_pairs_have_no_correlation():
    for x, y in (([0.1] * 3, [1, 2, 3]), ([1], [2]), ([], [])):
        for method in ("spearman", "pearson"):
            found = correlate(x, y, method=method, resamples=10)
            assert np.isnan([found.value, found.low, found.high]).all()


def test_numbers_of_any_size_correlate():
    for scale in (1e-200, 1e150):
        assert correlate([scale, 3 * scale, 2 * scale], [1, 2, 3], "pearson", 5).value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("x", "y", "method", "message"),
    [
        ([1, 2], [1, 2, 3], "spearman", r"one length; got the shapes \(2,\) and \(3,\)"),
        ([1, np.nan, 2], [1, 2, np.nan], "spearman", "2 of 3 pairs have a nan or .* first at 1"),
        ([1, 2], [1, 2], "kendal", "one of spearman, pearson; got 'kendal'"),
    ],
)
def test_what_cannot_be_correlated_is_refused(x, y, method, message):
    with pytest.raises(InputError, match=message):
        correlate(x, y, method=method)


@pytest.mark.parametrize("method", ["spearman", "pearson"])
@pytest.mark.parametrize("n", range(2, 9))
def test_how_few_are_too_few_is_what_the_matrix_says(method, n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    alone = correlate(x, y, method=method, resamples=200)
    together = correlation_matrix({"x": x, "y": y}, method=method, resamples=200).between("x", "y")
    for end in ("value", "low", "high"):
        assert getattr(alone, end) == pytest.approx(getattr(together, end), nan_ok=True)
    assert np.isnan(alone.value) == (n < 3)
    assert np.isnan(alone.low) == (n < 5)


def test_a_value_that_nearly_all_share_has_no_interval_either_way():
    x, y = [0, 0, 0, 0, 0, 0, 0, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    assert correlate(x[-5:], y[-5:], resamples=2000).low < 1
    few = correlate([0, 0, 0, 0, 1], [0, 0, 0, 1, 0], resamples=2000)
    assert np.isnan(few.low) == (2 * np.isfinite(few.draws).sum() < 2000)


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_an_infinite_number_is_refused_not_ranked(method):
    with pytest.raises(InputError, match="1 of 3 pairs have a nan or an infinite number, the first at 2"):
        correlate([1, 2, np.inf], [1, 2, 3], method=method)
