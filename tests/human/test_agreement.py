"""Raters together: the worked cases, the released labels, and edges."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import InputError
from tealeaves.human import aggregate, human_f1

LABELS = st.sampled_from([0.0, 0.5, 1.0])
MATRICES = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(LABELS, min_size=n, max_size=n), min_size=2, max_size=5)
)


def test_three_raters_worked_by_hand():
    found = human_f1([[1, 0, 0.5, 1], [1, 0, 1, 0.5], [1, 0, 1, 1]])
    assert found.per_rater == pytest.approx((0.8, 0.8, 1.0), abs=1e-15)
    assert found.mean == pytest.approx(0.8666666666666667, abs=1e-15)
    assert found.sd == pytest.approx(0.11547005383792514, abs=1e-15)


def test_two_must_say_yes_and_the_third_at_least_half():
    columns = np.array([[1, 1, 0.5], [1, 1, 0], [1, 0.5, 0.5], [1, 1, 1], [0.5, 0.5, 0.5]])
    assert aggregate(columns.T).tolist() == [True, False, False, True, False]


def test_a_mean_on_the_threshold_is_a_yes():
    assert aggregate([[1, 0.7], [1, 0.8], [0.25, 0.75]]).tolist() == [True, True]


@pytest.mark.parametrize(
    ("name", "positive", "mean", "sd"),
    [
        ("news", 85, 0.8539749470270562, 0.03363354684439637),
        ("bio", 66, 0.8167429611556485, 0.03151847569401719),
    ],
)
def test_the_released_labels_give_the_paper_s_table(data, name, positive, mean, sd):
    lines = (data / "coverage" / f"{name}_pairs.jsonl").read_text("utf-8").splitlines()
    labels = np.array([json.loads(line)["labels"] for line in lines]).T
    found = tl.human.human_f1(labels, threshold=0.75)
    assert (found.mean, found.sd) == pytest.approx((mean, sd), abs=1e-12)
    assert aggregate(labels).sum() == positive


def test_who_says_yes_to_nothing_has_no_f1_and_it_is_said():
    found = human_f1([[0, 0], [0, 0.5]])
    assert np.isnan(found.mean)
    assert found.reason == "rater 0 and the others say yes to nothing"


def test_items_that_a_rater_did_not_label_do_not_count():
    assert human_f1([[1, 0, np.nan], [1, np.nan, 1], [1, 0, 1]]).per_rater == (1.0, 1.0, 1.0)
    assert aggregate([[np.nan, np.nan], [1, np.nan]]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[1, 0]], "two or more are needed, got 1"),
        ([1, 0], "matrix of raters × items"),
        ([[1, 2], [0, 1]], "one is 2"),
        ([["yes"], ["no"]], "numbers from 0 to 1"),
    ],
)
def test_labels_that_are_none_are_refused(labels, message):
    with pytest.raises(InputError, match=message):
        human_f1(labels)


@given(MATRICES)
def test_the_order_of_raters_and_items_does_not_matter(labels):
    matrix = np.array(labels)
    here, there = human_f1(matrix), human_f1(matrix[::-1, ::-1])
    assert here.per_rater == pytest.approx(there.per_rater[::-1], nan_ok=True)


@given(st.lists(LABELS, min_size=1, max_size=9).filter(lambda row: max(row) == 1), st.integers(2, 4))
def test_raters_of_one_mind_foretell_each_other_perfectly(row, raters):
    assert human_f1([row] * raters).mean == 1
