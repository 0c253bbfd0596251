"""Verdicts held against people: what is counted, and that no more is said than the numbers allow."""

import pytest

from tealeaves.experiments.replications.verdicts import agreement, better, by_verdict, conclusion


def topics(verdict, ratings, intrusion=0.8):
    return [{"verdict": verdict, "rating": r, "intrusion": intrusion} for r in ratings]


GOOD = topics("keep", [3.0] * 40) + topics("drop", [1.0] * 40)
SAME = topics("keep", [1.0, 3.0] * 20) + topics("drop", [1.0, 3.0] * 20)


def test_a_row_has_the_mean_and_how_many_people_read():
    [keep, drop] = by_verdict(topics("keep", [3.0, 2.0]) + topics("drop", [1.0, 1.0]), 200)
    assert (keep["verdict"], keep["topics"], drop["topics"]) == ("Keep", 2, 2)
    assert keep["mean rating (1 to 3)"].startswith("2.50")
    assert keep["rated 2.5 or more"].startswith("50%")


def test_intrusion_is_left_out_where_nobody_looked_for_intruders():
    assert "found the intruder" not in by_verdict(topics("keep", [3.0, 2.0], None), 100)[0]


def test_topics_that_are_always_rated_higher_win_every_pair():
    assert better(GOOD, 100)[:3] == (1.0, 1.0, 1.0)


def test_equal_ratings_are_half_of_the_pairs():
    value, low, high, n = better(SAME, 500)
    assert (value, n) == (0.5, 1600)
    assert low < 0.5 < high


def test_too_few_topics_are_not_held_against_each_other():
    assert better(topics("keep", [3.0] * 9) + topics("drop", [1.0] * 2), 10) is None


def test_agreement_counts_drops_that_people_do_not_read():
    rows = {row["claim"].split(",")[0]: row for row in agreement("x", GOOD, 100)}
    assert rows["Drop"]["share"].startswith("100%")
    assert rows["Drop"]["of all topics judged"] == "50%"


@pytest.mark.parametrize(
    ("given", "said", "never"),
    [
        (GOOD, "a difference beyond chance", "no sure difference"),
        (SAME, "no sure difference", "a difference beyond chance"),
    ],
)
def test_a_conclusion_says_no_more_than_its_interval(given, said, never):
    text = " ".join(conclusion("x", given, 300))
    assert said in text
    assert never not in text
    assert ("may be chance" in text) == (given is SAME)


def test_topics_that_could_not_be_judged_are_in_no_share():
    text = " ".join(conclusion("x", GOOD + topics("unknown", [3.0] * 500), 100))
    assert "of all that were judged 50%" in text
