from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tealeaves.errors import InputError
from tealeaves.stats import significance_letters

_ = np.nan


def matrix(n, different):
    p = np.ones((n, n))
    for i, j in different:
        p[i, j] = p[j, i] = 0.01
    return p


def test_the_clique_cover_of_gramm_and_others():
    """Gramm et al. (2007), figure 2: five treatments of which 1-5, 2-3, 2-5 and 3-5 differ."""
    pairs = [(1, 5), (2, 3), (2, 5), (3, 5)]
    found = significance_letters("12345", matrix(5, [(i - 1, j - 1) for i, j in pairs]))
    assert found == {"1": "ab", "2": "a", "3": "b", "4": "abc", "5": "c"}


def test_the_example_of_the_r_package():
    """multcompView's dif3: of A, B and C only B and C differ."""
    assert significance_letters("ABC", matrix(3, [(1, 2)])) == {"A": "ab", "B": "a", "C": "b"}


def test_the_best_one_has_the_first_letter():
    found = significance_letters("xyz", matrix(3, [(0, 2), (1, 2)]))
    assert found == {"x": "a", "y": "a", "z": "b"}


def test_where_nothing_differs_all_share_one_letter_and_where_all_differ_none_is_shared():
    assert set(significance_letters("wxyz", np.ones((4, 4))).values()) == {"a"}
    every = matrix(4, combinations(range(4), 2))
    assert list(significance_letters("wxyz", every).values()) == list("abcd")


def test_a_pair_that_was_not_tested_is_not_shown_to_differ():
    assert significance_letters("xy", [[_, _], [_, _]]) == {"x": "a", "y": "a"}


def test_p_of_exactly_alpha_is_no_difference():
    assert significance_letters("xy", [[1, 0.05], [0.05, 1]]) == {"x": "a", "y": "a"}
    assert significance_letters("xy", [[1, 0.05], [0.05, 1]], alpha=0.1) == {"x": "a", "y": "b"}


def test_one_name_and_none():
    assert significance_letters(["x"], [[_]]) == {"x": "a"}
    assert significance_letters([], []) == {}


def test_more_than_52_groups_are_numbered():
    names = [f"m{i}" for i in range(54)]
    found = significance_letters(names, matrix(54, combinations(range(54), 2)))
    assert [found[n] for n in ("m0", "m25", "m26", "m51", "m52", "m53")] == [
        "a",
        "z",
        "A",
        "Z",
        "(53)",
        "(54)",
    ]


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2)) or [(0, 0)])))
    )
)
def test_two_names_share_a_letter_if_and_only_if_they_do_not_differ(drawn):
    n, different = drawn
    different = {pair for pair in different if pair != (0, 0)}
    found = significance_letters(range(n), matrix(n, different))
    assert all(found.values())
    for i, j in combinations(range(n), 2):
        assert bool(set(found[i]) & set(found[j])) == ((i, j) not in different)


@pytest.mark.parametrize(
    ("names", "p", "message"),
    [
        ("xy", np.ones((3, 3)), "2 names need a matrix of 2 × 2 p; got the shape"),
        ("xx", np.ones((2, 2)), "each name must stand once"),
        ("xy", [[1, 2], [2, 1]], "p must be from 0 to 1; one is 2"),
        ("xy", [[1, 0.2], [0.3, 1]], "0, 1 have 0.2 and 0.3"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(names, p, message):
    with pytest.raises(InputError, match=message):
        significance_letters(names, p)


def test_alpha_must_be_a_share():
    with pytest.raises(InputError, match="alpha must be between 0 and 1"):
        significance_letters("xy", np.ones((2, 2)), alpha=5)
