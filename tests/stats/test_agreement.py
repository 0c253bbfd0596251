import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tealeaves.errors import InputError
from tealeaves.stats import krippendorff_alpha, why_no_alpha

_ = np.nan
# Krippendorff (2011), example C: four observers, twelve units, missing data.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
shapes = array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6)
labels = arrays(np.float64, shapes, elements=st.sampled_from([1.0, 2.0, 3.0, _]))


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_s_own_example(level, alpha):
    assert krippendorff_alpha(KRIPPENDORFF, level=level) == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize(("name", "nominal", "ordinal"), [("news", 0.6897, 0.8649), ("bio", 0.6481, 0.7974)])
def test_the_released_labels_of_topic_pairs(data, name, nominal, ordinal):
    lines = (data / "coverage" / f"{name}_pairs.jsonl").read_text("utf-8").splitlines()
    given = np.array([json.loads(line)["labels"] for line in lines], float).T
    assert krippendorff_alpha(given) == pytest.approx(nominal, abs=6e-5)
    assert krippendorff_alpha(given, level="ordinal") == pytest.approx(ordinal, abs=6e-5)


def test_unanimous_raters_who_use_one_label_have_no_alpha():
    assert np.isnan(krippendorff_alpha([[1, 1], [1, 1]]))
    assert why_no_alpha([[1, 1], [1, 1]]) == "all labels are the same"


def test_items_with_one_label_give_no_alpha():
    for rows in ([[1, _], [_, 2]], [[1, 2, 3]], np.empty((2, 0))):
        assert np.isnan(krippendorff_alpha(rows))
        assert why_no_alpha(rows) == "no item has two labels"


def test_raters_who_always_agree_have_one_and_who_never_do_less_than_nothing():
    assert krippendorff_alpha([[1, 2, 3], [1, 2, 3]], level="ordinal") == 1
    assert krippendorff_alpha([[1, 2], [2, 1]]) == pytest.approx(-0.5)


@given(labels, st.randoms())
def test_the_order_of_raters_and_items_does_not_matter(given, random):
    rows, columns = list(range(given.shape[0])), list(range(given.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    for level in ("nominal", "ordinal", "interval"):
        same = krippendorff_alpha(given[rows][:, columns], level)
        np.testing.assert_allclose(same, krippendorff_alpha(given, level), atol=1e-12)


@given(labels)
def test_alpha_is_at_most_one_and_undefined_only_with_a_reason(given):
    alpha = krippendorff_alpha(given, "interval")
    assert np.isnan(alpha) if why_no_alpha(given) else alpha <= 1


@given(labels)
def test_ordinal_alpha_depends_on_the_order_of_labels_only(given):
    np.testing.assert_allclose(krippendorff_alpha(given**3, "ordinal"), krippendorff_alpha(given, "ordinal"))


@given(labels)
def test_interval_alpha_does_not_depend_on_the_unit(given):
    moved = krippendorff_alpha(10 - 2 * given, "interval")
    np.testing.assert_allclose(moved, krippendorff_alpha(given, "interval"), atol=1e-12)


def test_what_is_no_matrix_or_no_level_is_refused():
    with pytest.raises(InputError, match=r"raters × items; got the shape \(2,\)"):
        krippendorff_alpha([1, 2])
    with pytest.raises(InputError, match="one of nominal, ordinal, interval; got 'ratio'"):
        krippendorff_alpha([[1, 2], [1, 2]], level="ratio")
