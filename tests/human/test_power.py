"""How many topics and raters: the formula beside simulated studies, and beside published answers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from human.people import right
from tealeaves.errors import InputError
from tealeaves.human import Spread, power, read_answers, spread
from tealeaves.human.power import power_table, simulated_power


@pytest.mark.parametrize("design", [{"topics": 50, "raters": 8}, {"topics": 100, "raters": 5}])
def test_simulated_studies_find_the_difference_as_often_as_the_formula_says(design):
    found = simulated_power(power(**design), studies=200)
    assert found == pytest.approx(0.8, abs=0.08)


def test_without_a_difference_one_study_in_twenty_finds_one():
    nothing = replace(power(topics=50, raters=8), difference=0.0)
    assert simulated_power(nothing, studies=200) <= 0.10


def test_five_times_the_raters_help_less_than_twice_the_topics():
    """As the mock-up of the organiser's page has it, for the spread of Hoyle's New York Times answers."""
    often = {"sided": 1, "spread": Spread(mean=0.7, topics=0.226, answers=0.397)}
    few, many, wide = (power(topics=t, raters=r, **often) for t, r in ((50, 5), (50, 26), (100, 8)))
    assert few.difference == pytest.approx(0.15, abs=0.006)
    assert many.difference == pytest.approx(0.12, abs=0.006)
    assert wide.difference == pytest.approx(0.09, abs=0.006)
    assert (few.these, many.these) == pytest.approx((0.09, 0.04), abs=0.006)


def test_the_spread_of_hoyle_s_answers(data):
    answers = read_answers(data / "human" / "hoyle2021_topics.jsonl", dataset="nytimes")
    found = spread(answers.select(task="word_intrusion"))
    assert (found.mean, found.topics, found.answers) == pytest.approx((0.701, 0.226, 0.397), abs=5e-4)
    with pytest.raises(InputError, match="is of one task"):
        spread(answers)


def test_a_spread_that_was_put_in_comes_out():
    rng = np.random.default_rng(0)
    shares = np.clip(rng.normal(0.6, 0.15, 400), 0, 1)
    found = spread(right(rng.random((12, 400)) < shares))
    assert (found.mean, found.topics) == pytest.approx((0.6, 0.15), abs=0.02)


def test_what_is_left_out_is_what_is_found():
    needed = power(difference=0.1, raters=8)
    assert power(topics=needed.topics, raters=8).difference <= 0.1
    assert power(topics=needed.topics - 1, raters=8).difference > 0.1
    assert power(topics=needed.topics, raters=8, difference=0.1).power == pytest.approx(0.8, abs=0.01)


def test_cost_is_people_s_time_and_the_platform_s_fee():
    found = power(topics=50, raters=8, models=3, per_rater=40, seconds=30, pay=12, fee=0.25)
    assert (found.answers, found.people, found.hours) == (1200, 30, 10.0)
    assert found.cost == pytest.approx(150)


def test_more_models_need_larger_differences_as_more_pairs_are_tested():
    assert power(topics=50, models=4).difference > power(topics=50, models=2).difference


def test_a_table_of_designs_has_a_row_for_each():
    table = power_table((20, 50), (5, 8))
    assert table.select("raters", "topics").rows() == [(5, 20), (5, 50), (8, 20), (8, 50)]
    assert (table["these"] < table["difference"]).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "say how many topics there are, or which"),
        ({"topics": 1}, "at least 2"),
        ({"topics": 9, "raters": 0}, "raters must be at least 1"),
        ({"difference": -1.0}, "difference must be above 0"),
        ({"difference": 1e-9}, "no number of topics up to 1,000,000"),
        ({"topics": 9, "power": 1.5}, "between 0 and 1"),
        ({"topics": 9, "sided": 3}, "sided must be 1 or 2"),
        ({"topics": 9, "models": 1}, "models must be at least 2"),
    ],
)
def test_designs_that_are_none_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        power(**given)


def test_spreads_that_are_none_are_refused():
    with pytest.raises(InputError, match="spread of topics must be at least 0"):
        Spread(topics=-1)
    with pytest.raises(InputError, match=r"cannot spread by 0\.6"):
        simulated_power(power(topics=9), Spread(topics=0.6), studies=1)
    with pytest.raises(InputError, match="at least two topics"):
        spread(right([[1.0], [0.0]]))


@given(st.integers(2, 300), st.integers(1, 50))
def test_more_topics_or_raters_never_find_less(topics, raters):
    here = power(topics=topics, raters=raters, per_rater=10_000).difference
    assert power(topics=topics + 1, raters=raters, per_rater=10_000).difference < here
    assert power(topics=topics, raters=raters + 1, per_rater=10_000).difference < here
