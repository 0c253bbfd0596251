"""Rules for raters, trust, one answer out of many, and test questions out of a pilot."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from human.people import chosen, items, ratings, right
from tealeaves.errors import InputError, MissingExtra
from tealeaves.human import (
    Answers,
    Rules,
    aggregates,
    as_checks,
    dawid_skene,
    filtered,
    majority,
    promoted,
    trusted,
)
from tealeaves.human.filters import FIGURE_EIGHT
from tealeaves.human.trust import trust_of


def study(seconds=(10, 2, 9), passed=(4, 4, 1), positions=None):
    """Three raters, ten topics and four checks: ana is right, ben and cy wrong."""
    rows = []
    for r, rater in enumerate(("ana", "ben", "cy")):
        common = {"rater": rater, "task": "word_intrusion", "model": "lda", "seconds": seconds[r]}
        for k in range(10):
            place = None if positions is None else positions[r][k]
            rows.append({**common, "item": f"i{k}", "topic": k, "correct": r == 0, "position": place})
        rows += [{**common, "item": f"c{k}", "role": "check", "correct": k < passed[r]} for k in range(4)]
    return Answers.from_rows(rows)


def test_the_effect_of_rules_is_shown_before_and_after():
    found = filtered(study(), Rules(checks=0.7))
    assert found.raters.select("rater", "kept", "why").rows() == [
        ("ana", True, ""),
        ("ben", True, ""),
        ("cy", False, "checks: 0.25 < 0.7"),
    ]
    [row] = found.effect.to_dicts()
    assert (row["before"], row["after"]) == (pytest.approx(1 / 3), 0.5)
    assert (row["n_before"], row["n_after"]) == (30, 20)
    assert found.answers.raters == ("ana", "ben")


@pytest.mark.parametrize(
    ("rules", "out"),
    [
        (Rules(seconds=3), {"ben"}),
        (Rules(speed=1 / 3), {"ben"}),  # of a median of 9: 3 seconds
        (FIGURE_EIGHT, {"ben", "cy"}),  # 70% of test questions, and 30 seconds a page of 10
        (Rules(), set()),
        (Rules(checks=0.25), set()),  # on the line is in
    ],
)
def test_rules_leave_out_whom_they_say(rules, out):
    table = filtered(study(), rules).raters
    assert set(table.filter(~pl.col("kept"))["rater"]) == out


def test_who_always_takes_the_same_place_is_left_out():
    places = [[1, 2, 3, 4, 5, 6, 1, 2, 3, 4], [2] * 10, [1, 1, 1, 1, 1, 1, 2, 3, 4, 5]]
    found = filtered(study(positions=places), Rules(position=0.6))
    assert found.raters["why"].to_list() == ["", "position: 1 > 0.6", ""]


def test_who_has_no_number_for_a_rule_is_kept_and_it_is_said():
    answers = study(seconds=(10, None, 9))
    found = filtered(answers, Rules(seconds=9.5))
    assert found.raters["kept"].to_list() == [True, True, False]
    assert found.notes == ("rule seconds: 1 raters without times are kept",)
    with pytest.raises(InputError, match="the rule position needs places on the page"):
        filtered(answers, Rules(position=0.5))


def test_rules_that_leave_nobody_say_which_does_it():
    with pytest.raises(InputError, match="no rater is left by these rules; seconds alone leaves out 3 of 3"):
        filtered(study(), Rules(seconds=99))


def test_rules_survive_json_and_unknown_ones_are_refused():
    rules = Rules(checks=0.7, position=0.4)
    assert Rules.from_dict(rules.to_dict()) == rules
    with pytest.raises(InputError, match="there is no rule 'iq'"):
        Rules.from_dict({"iq": 120})
    for wrong, message in (({"checks": 70}, "is a share"), ({"seconds": -1}, "at least 0")):
        with pytest.raises(InputError, match=message):
            Rules(**wrong)


def test_trust_outweighs_numbers():
    """Two who fail test questions against one who does not: 1 against 2 × .25."""
    rows = []
    for rater, choice, passed in (("ana", "f", 4), ("ben", "a", 1), ("cy", "a", 1)):
        rows += [{"rater": rater, "item": "lda000", "value": {"choice": choice}}]
        rows += [
            {
                "rater": rater,
                "item": f"lda{k:03d}",
                "role": "check",
                "value": {"choice": "f" if k <= passed else "b"},
            }
            for k in range(1, 5)
        ]
    answers = Answers.from_rows(rows, items(5))
    assert trust_of(answers) == {"ana": 1.0, "ben": 0.25, "cy": 0.25}
    assert majority(answers)["answer"].to_list() == ["a"]
    [row] = trusted(answers).to_dicts()
    assert (row["answer"], row["correct"], row["confidence"]) == ("f", 1.0, pytest.approx(1 / 1.5))
    table = aggregates(answers).to_dicts()[0]
    assert (table["mean"], table["majority"], table["trusted"]) == (pytest.approx(1 / 3), 0.0, 1.0)


def test_trust_needs_test_questions_or_is_given():
    answers = Answers.from_rows(chosen("i", "aab"))
    with pytest.raises(InputError, match="no answer is to a check item with a key"):
        trusted(answers)
    assert trusted(answers, {"R1": 0, "R2": 0, "R3": 1})["answer"].to_list() == ["b"]
    with pytest.raises(InputError, match="rater 'R2' has no trust"):
        trusted(answers, {"R1": 1})


def test_a_tie_has_no_answer_and_counts_in_part():
    [row] = majority(Answers.from_rows(chosen("lda000", "fa"), items(1))).to_dicts()
    assert (row["answer"], row["reason"], row["correct"]) == (None, "tie", 0.5)


@given(st.lists(st.sampled_from("abf"), min_size=1, max_size=7), st.randoms())
def test_the_order_of_raters_does_not_decide(said, random):
    mixed = list(said)
    random.shuffle(mixed)
    here, there = (majority(Answers.from_rows(chosen("lda000", s), items(1))) for s in (said, mixed))
    assert here["correct"].to_list() == there["correct"].to_list()
    assert here["answer"].to_list() == there["answer"].to_list()


def test_dawid_and_skene_s_model_finds_the_truth_that_many_bad_raters_hide():
    pytest.importorskip("crowdkit")
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 4, 60)
    good = [np.where(rng.random(60) < 0.95, truth, rng.integers(1, 4, 60)) for _ in range(3)]
    bad = [rng.integers(1, 4, 60) for _ in range(6)]
    found = dawid_skene(ratings(np.array([*good, *bad])))
    said = found["answer"].cast(int).to_numpy()
    most = majority(ratings(np.array([*good, *bad])))["answer"].cast(int, strict=False).fill_null(0)
    assert (said == truth).mean() > max(0.9, (most.to_numpy() == truth).mean())


def test_dawid_and_skene_s_model_takes_options_that_differ_from_item_to_item():
    pytest.importorskip("crowdkit")
    answers = Answers.from_rows(
        [row for k, said in enumerate(("fffa", "ffbf", "fafb")) for row in chosen(f"lda{k:03d}", said)],
        items(3),
    )
    found = dawid_skene(answers)
    assert found["answer"].to_list() == ["f", "f", "f"]
    assert found["correct"].to_list() == [1.0, 1.0, 1.0]
    assert aggregates(answers, with_dawid_skene=True)["dawid_skene"].to_list() == [1.0]


def test_without_crowd_kit_it_is_said_which_extra_brings_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "crowdkit.aggregation", None)
    with pytest.raises(MissingExtra, match=r"tealeaves\[crowd\]"):
        dawid_skene(Answers.from_rows(chosen("i", "ab")))


def test_a_pilot_promotes_items_on_which_all_agreed_were_sure_and_right():
    said = {"lda000": "fff", "lda001": "ffa", "lda002": "aaa", "lda003": "ff"}
    rows = [row for item, choices in said.items() for row in chosen(item, choices)]
    for row in chosen("lda004", "fff"):
        row["value"]["familiarity"] = "unsure" if row["rater"] == "R1" else "most"
        rows.append(row)
    answers = Answers.from_rows(rows, items(5))
    assert promoted(answers) == ("lda000",)
    assert promoted(answers, fewest=2, confidence=0.6) == ("lda000", "lda003", "lda004")
    assert promoted(answers, right=False) == ("lda000", "lda002")
    assert promoted(answers, agreement=0.6) == ("lda000", "lda001")


def test_what_a_pilot_promoted_is_hidden_as_checks_in_the_study_and_tests_its_raters():
    made = as_checks(items(3), ["lda001"])
    assert [item.role for item in made] == ["item", "check", "item"]
    assert made.settings["promoted"] == ["lda001"]
    assert made.digest != items(3).digest
    rows = [row for item in made for row in chosen(item.id, "fa")]
    kept = filtered(Answers.from_rows(rows, made), Rules(checks=0.7))
    assert kept.raters["kept"].to_list() == [True, False]
    with pytest.raises(InputError, match="no item 'x' to make a check of"):
        as_checks(items(3), ["x"])
    with pytest.raises(InputError, match="has no right answer"):
        as_checks(items(1, task="word_set_rating", options="", key=None), ["lda000"])


def test_test_questions_need_right_answers_and_several_raters():
    with pytest.raises(InputError, match="test questions have a right answer"):
        promoted(ratings([[1, 2]]))
    with pytest.raises(InputError, match="one rater always agrees"):
        promoted(right(np.ones((3, 3))), fewest=1)


def test_where_it_is_not_known_what_is_right_nothing_is_called_right_or_wrong():
    assert np.isnan(majority(Answers.from_rows(chosen("i", "aab")))["correct"].to_list()).all()
    assert majority(Answers.from_rows(chosen("i", "aab", correct=False)))["correct"].to_list() == [0.0]
