import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from tealeaves.errors import InputError
from tealeaves.stats import holm, permutation, sign_flips, smallest_p
from tealeaves.stats.tests import permutations

numbers = st.lists(st.integers(-9, 9), min_size=1, max_size=5).map(np.array)


def gap(a, b, axis=-1):
    return np.abs(a.mean(axis=axis) - b.mean(axis=axis))


@given(numbers, numbers)
def test_the_exact_permutation_is_scipy_s(a, b):
    if len(a) > 1 and len(b) > 1:  # scipy takes no single values
        theirs = permutation_test((a, b), gap, alternative="greater", vectorized=True, n_resamples=np.inf)
        assert permutation(a, b).p == pytest.approx(theirs.pvalue)


@given(numbers)
def test_the_exact_sign_flips_are_scipy_s(differences):
    if len(differences) > 1:
        theirs = permutation_test(
            (differences,),
            lambda d, axis=-1: np.abs(d.mean(axis=axis)),
            permutation_type="samples",
            alternative="greater",
            vectorized=True,
            n_resamples=np.inf,
        )
        assert sign_flips(differences).p == pytest.approx(theirs.pvalue)


def test_drawn_rearrangements_come_near_the_exact_p():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.9, size=9), rng.normal(size=8)
    for exact, drawn in (
        (permutation(a, b, resamples=24_310), permutation(a, b, resamples=20_000)),
        (sign_flips(a[:8] - b), sign_flips(a[:8] - b, resamples=200)),
    ):
        assert exact.exact
        assert not drawn.exact
        assert drawn.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p / 200) if drawn.n == 8 else 0.01)


def test_without_a_difference_small_p_is_as_rare_as_it_says():
    rng = np.random.default_rng(3)
    p = [permutation(rng.normal(size=30), rng.normal(size=30), resamples=99, seed=i).p for i in range(400)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.033)


def test_five_runs_each_cannot_fall_below_two_in_252():
    found = permutation(np.arange(5) + 100, np.arange(5))
    assert found.p == found.smallest_p == smallest_p(5, 5) == pytest.approx(2 / 252)


def test_many_pairs_at_once_are_tested_as_each_alone():
    rng = np.random.default_rng(1)
    pairs = [(rng.normal(size=n), rng.normal(size=m)) for n, m in ((5, 5), (4, 6), (10, 10), (5, 5))]
    assert permutations(pairs) == [permutation(a, b) for a, b in pairs]


def test_two_runs_each_can_show_nothing():
    assert permutation([9.0, 9.1], [1.0, 1.1]).smallest_p == pytest.approx(1 / 3)


@given(numbers, numbers)
def test_no_permutation_falls_below_its_smallest_p(a, b):
    found = permutation(a, b)
    assert found.smallest_p - 1e-12 <= found.p <= 1
    assert found.n == len(a) + len(b)
    assert permutation(b, a).p == pytest.approx(found.p)


@given(numbers)
def test_no_sign_flip_falls_below_its_smallest_p(differences):
    found = sign_flips(differences)
    assert found.smallest_p - 1e-12 <= found.p <= 1


def test_equal_values_differ_by_nothing():
    assert permutation([1.1] * 4, [1.1] * 3).p == 1
    assert sign_flips([0.0, 0.0]).p == 1


def test_holm_is_r_s():
    # p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm"), and in another order with a missing one
    np.testing.assert_allclose(holm([0.01, 0.02, 0.03, 0.04, 0.05]), [0.05, 0.08, 0.09, 0.09, 0.09])
    np.testing.assert_allclose(holm([0.04, np.nan, 0.01]), [0.04, np.nan, 0.02])
    assert holm([]).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8).map(np.array))
def test_holm_raises_p_keeps_its_order_and_stays_within_bonferroni(p):
    found = holm(p)
    assert (found >= p).all()
    assert (found <= np.minimum(1, p * len(p)) + 1e-15).all()
    assert (np.diff(found[np.argsort(p, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("test", [lambda v: permutation(v, [1.0]), sign_flips])
@pytest.mark.parametrize(("values", "message"), [([], "at least one number"), ([1, np.nan], "1 of 2 values")])
def test_nothing_and_nan_are_refused(test, values, message):
    with pytest.raises(InputError, match=message):
        test(values)


@pytest.mark.parametrize("test", [lambda values: permutation(values, [2, 3]), sign_flips])
@pytest.mark.parametrize("wrong", [np.inf, -np.inf])
def test_an_infinite_value_is_refused_and_has_no_p_of_0(test, wrong):
    with pytest.raises(InputError, match=r"1 of 2 values of .* are nan or infinite"):
        test([wrong, 1])


@pytest.mark.parametrize("wrong", [2, -1, np.inf])
def test_a_p_outside_0_to_1_is_refused(wrong):
    with pytest.raises(InputError, match=f"p must be a list of numbers from 0 to 1; got {wrong:g}"):
        holm([0.5, wrong])
