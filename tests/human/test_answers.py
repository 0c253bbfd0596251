"""The table of answers: what is kept, what is checked, and the way to a file and back."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from human.people import chosen, items, oil_item
from tealeaves.errors import FormatError, InputError
from tealeaves.human import Answers, Item, ItemSet, read_answers
from tealeaves.human.answers import log_odds

TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=12)


def test_7_of_8_who_find_the_intruder_of_003_s_item():
    answers = Answers.from_rows(
        chosen("i0001", ["dividend"] * 7 + ["gulf"]), ItemSet("word_intrusion", [oil_item()])
    )
    assert answers.matrix("correct").mean() == 0.875
    assert answers.frame["model"].unique().to_list() == ["lda-20"]
    assert answers.frame["topic"].unique().to_list() == [0]


def test_the_last_revision_of_an_answer_is_the_one_that_counts():
    rows = [
        {"rater": "R1", "item": "i", "task": "word_set_rating", "value": {"rating": n}, "revision": revision}
        for revision, n in ((0, 1), (2, 3), (1, 2))
    ]
    answers = Answers.from_rows(rows)
    assert len(answers) == 1
    assert answers.numbers("rating").tolist() == [3.0]


def test_a_matrix_has_a_row_per_rater_and_nan_where_one_did_not_answer():
    rows = [
        {"rater": r, "item": i, "task": "word_set_rating", "value": {"rating": n}}
        for r, i, n in (("ana", "a", 1), ("ana", "b", 2), ("ben", "b", 3))
    ]
    answers = Answers.from_rows(rows)
    np.testing.assert_equal(answers.matrix("rating"), [[1, 2], [np.nan, 3]])
    assert (answers.raters, answers.item_ids()) == (("ana", "ben"), ("a", "b"))


def test_checks_and_practice_are_no_columns_of_the_matrix_unless_asked_for():
    rows = chosen("i", "ab") + chosen("c", "aa", role="check") + chosen("p", "ab", role="practice")
    answers = Answers.from_rows(rows)
    assert answers.matrix().shape == (2, 1)
    assert answers.matrix(role=None).shape == (2, 3)
    assert answers.item_ids("check") == ("c",)


def test_items_of_two_tasks_with_one_id_stay_apart():
    answers = Answers.from_rows(chosen("i1", "ab") + chosen("i1", "aa", "topic_intrusion"))
    assert answers.item_ids() == ("word_intrusion/i1", "topic_intrusion/i1")
    assert answers.matrix().shape == (2, 2)


def test_a_check_that_is_rated_is_right_by_what_is_expected_of_it():
    item = Item("c1", "word_set_rating", "", None, role="check", hidden={"expected": {"rating": [3]}})
    rows = [{"rater": r, "item": "c1", "value": {"rating": n}} for r, n in (("ana", 3), ("ben", 1))]
    assert Answers.from_rows(rows, ItemSet("word_set_rating", [item])).frame["correct"].to_list() == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"item": "i0001", "value": {}}, "has no rater"),
        ({"rater": "R1", "value": {}}, "has no item"),
        ({"rater": "R1", "item": "i0001", "value": "crude"}, "must be a JSON object"),
        ({"rater": "R1", "item": "i0001", "value": [1]}, "must be a JSON object"),
        ({"rater": "R1", "item": "i9", "value": {}}, "item 'i9' is not among the 1 items"),
        ({"rater": "R1", "item": "i0001", "value": {"choice": "tea"}}, "'tea' is no option of item i0001"),
        (
            {"rater": "R1", "item": "i0001", "value": {"choice": "gulf"}, "correct": True},
            "says right, but by the key .* is wrong",
        ),
        ({"rater": "R1", "item": "i0001", "role": "boss"}, "role must be one of"),
        ({"rater": "R1", "item": "i0001", "seconds": "long"}, "answer 1 .rater R1, item i0001."),
        ({"rater": "R1", "item": "i0001", "task": "guessing"}, "item 'i0001' is not among"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_and_it_is_said_which(row, message):
    with pytest.raises(InputError, match=message):
        Answers.from_rows([row], ItemSet("word_intrusion", [oil_item()]))


def test_no_answers_and_an_unknown_task_are_refused():
    with pytest.raises(InputError, match="there are no answers"):
        Answers.from_rows([])
    with pytest.raises(InputError, match="there is no task 'guessing'; there are word_intrusion"):
        Answers.from_rows([{"rater": "a", "item": "b", "task": "guessing"}])


def test_a_number_that_no_answer_has_is_refused_with_those_there_are():
    answers = Answers.from_rows(chosen("i", "ab"))
    with pytest.raises(InputError, match="no answer has a number 'rating'; values have choice"):
        answers.numbers("rating")


def test_familiarity_is_known_where_most_or_enough_words_are():
    rows = [
        {"rater": f"R{n}", "item": "i", "task": "word_set_rating", "value": {"rating": 1, **more}}
        for n, more in enumerate(
            ({"familiarity": "most"}, {"familiarity": "sure"}, {"familiarity": "unsure"}, {})
        )
    ]
    np.testing.assert_equal(Answers.from_rows(rows).numbers("familiar"), [1, 1, 0, np.nan])


def test_log_odds_are_0_for_the_intruder_even_if_it_has_no_share_and_minus_infinity_for_others_then():
    options = {"options": ("oil", "tea", "war"), "key": "tea"}
    some = Item("i", "topic_intrusion", "m", 0, hidden={"theta": [0.5, 0.05, 0.2]}, **options)
    none = Item("i", "topic_intrusion", "m", 0, hidden={"theta": [0.5, 0.0, 0.2]}, **options)
    assert log_odds(some, "tea") == log_odds(none, "tea") == 0
    assert log_odds(some, "war") == pytest.approx(np.log(0.05) - np.log(0.2))
    assert log_odds(none, "oil") == -np.inf
    assert np.isnan(log_odds(oil_item(), "gulf"))


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_answers_come_back_from_every_file_as_they_were(tmp_path, suffix):
    rows = chosen("i1", ["=1+1", "'tis", 'a "b", c', "-x"])
    rows += [{"rater": "R9", "item": "i1", "task": "word_intrusion", "seconds": 2.5, "position": 3}]
    answers = Answers.from_rows(rows)
    answers.save(tmp_path / f"a{suffix}")
    again = read_answers(tmp_path / f"a{suffix}")
    assert again.frame.equals(answers.frame)
    assert again.values == answers.values


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=8))
def test_any_text_comes_back_from_csv(tmp_path_factory, triples):
    path = tmp_path_factory.mktemp("answers") / "a.csv"
    rows = [
        {"rater": f"r{rater}", "item": f"i{item}", "task": "topic_labelling", "value": {"label": label}}
        for rater, item, label in triples
    ]
    answers = Answers.from_rows(rows)
    answers.save(path)
    assert read_answers(path).values == answers.values


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"written as \.jsonl, \.csv or \.parquet"):
        Answers.from_rows(chosen("i", "ab")).save(tmp_path / "a.xlsx")


def test_a_model_s_answers_join_the_study_that_is_there_and_none_may_be_in_both():
    people = Answers.from_rows(chosen("i1", "ab", study="s"))
    model = Answers.from_rows(
        [{"rater": "gpt", "item": "i1", "task": "word_intrusion", "value": {"choice": "a"}}]
    )
    both = people.with_rater(model)
    assert both.frame["study"].to_list() == ["s"] * 3
    with pytest.raises(InputError, match="rater 'R1' is in both"):
        people.with_rater(people)


def test_two_item_sets_are_used_together_and_one_id_for_two_items_is_refused():
    first, second = items(2), items(2, task="topic_intrusion")
    answers = Answers.from_rows(
        chosen("lda000", "af") + chosen("lda001", "f", "topic_intrusion"), [first, second]
    )
    assert answers.frame["correct"].to_list() == [False, True, True]
    with pytest.raises(InputError, match="two different items of word_intrusion are called lda000"):
        Answers.from_rows(chosen("lda000", "a"), [first, items(2, key="a")])


def test_what_is_no_json_is_told_with_its_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"rater": "R1", "item": "i", "task": "word_intrusion"}) + "\n{oops\n", "utf-8")
    with pytest.raises(FormatError, match=r"a\.jsonl:2: is no JSON"):
        read_answers(path)
