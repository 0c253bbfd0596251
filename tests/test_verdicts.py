from dataclasses import replace

import numpy as np
import pytest

from tealeaves.verdicts import (
    VERDICTS,
    Neighbour,
    Thresholds,
    TopicFacts,
    judge,
    number,
    odd_words,
    two_groups,
)

WORDS = ("dutch", "guilders", "court", "hughes", "baker", "bonus", "credit", "turkey", "export", "crop")
CHANCE = (-0.15, -0.02, 0.12)


def matrix(level=0.3, n=10):
    pairs = np.full((n, n), level)
    np.fill_diagonal(pairs, 1.0)
    return pairs


def set_pair(pairs, i, j, value):
    pairs[i, j] = pairs[j, i] = value


def facts(**given):
    usual = {"words": WORDS, "npmi": 0.3, "low": 0.25, "high": 0.35, "pairs": matrix(), "chance": CHANCE}
    return TopicFacts(**{**usual, **given})


def test_a_coherent_topic_is_kept_and_the_sentence_gives_the_numbers():
    verdict = judge(facts())
    assert verdict.name == "keep"
    assert verdict.sentence.startswith("The words go together (NPMI 0.30; random words reach 0.12).")


def test_the_sentence_names_the_pair_that_goes_together_and_the_one_that_never_meets():
    pairs = matrix()
    set_pair(pairs, 0, 1, 0.7)
    set_pair(pairs, 3, 1, -1.0)
    sentence = judge(facts(pairs=pairs)).sentence
    assert "dutch and guilders go together; guilders shares no document with hughes." in sentence


def test_an_absent_word_comes_before_every_other_rule():
    verdict = judge(facts(absent=("turkey",), npmi=-0.9))
    assert verdict.name == "unknown"
    assert verdict.sentence == "turkey is in no document of the reference, so the topic cannot be judged."


def test_an_undefined_topic_cannot_be_judged_and_the_reason_is_given():
    verdict = judge(facts(npmi=float("nan"), reason="one word"))
    assert (verdict.name, verdict.sentence) == ("unknown", "The topic cannot be judged: one word.")


@pytest.mark.parametrize(("npmi", "name"), [(-0.02, "drop"), (-0.019, "check")])
def test_a_topic_is_dropped_up_to_the_median_of_random_lists(npmi, name):
    assert judge(facts(npmi=npmi, low=npmi - 0.05)).name == name


def test_the_sentence_of_a_dropped_topic_counts_the_pairs_that_never_meet():
    pairs = matrix(-0.3)
    set_pair(pairs, 2, 3, -1.0)
    set_pair(pairs, 2, 4, -1.0)
    set_pair(pairs, 0, 1, 0.5)
    sentence = judge(facts(npmi=-0.3, pairs=pairs)).sentence
    assert "2 of their 45 pairs never share a document" in sentence
    assert "(−0.15 to 0.12). Only one pair goes together: dutch and guilders." in sentence


@pytest.mark.parametrize(
    ("shared", "cosine", "name"), [(5, 0.1, "merge"), (4, 0.8, "merge"), (4, 0.79, "keep")]
)
def test_a_topic_is_merged_from_five_shared_words_or_a_cosine_of_eight_tenths(shared, cosine, name):
    assert judge(facts(neighbours=[Neighbour(13, shared, cosine)])).name == name


def test_merging_names_the_most_similar_topic():
    near = [Neighbour(2, 5), Neighbour(13, 7), Neighbour(4, 1)]
    assert (
        judge(facts(neighbours=near)).sentence == "Says the same as topic 13: seven of ten words are shared."
    )


def two_subjects(within, across, first=2):
    pairs = matrix(within)
    pairs[:first, first:] = pairs[first:, :first] = across
    return pairs


@pytest.mark.parametrize(
    ("within", "across", "name"),
    [(0.1, 0.0, "split"), (0.5, 0.19, "split"), (0.5, 0.21, "keep"), (0.09, -0.01, "keep")],
)
def test_a_topic_is_split_when_two_groups_hang_together_and_not_with_each_other(within, across, name):
    assert judge(facts(pairs=two_subjects(within, across))).name == name


def test_one_odd_word_is_no_second_subject_but_is_named():
    pairs = two_subjects(0.5, -1.0, first=1)
    mean = float(pairs[np.triu_indices(10, 1)].mean())
    verdict = judge(facts(pairs=pairs, npmi=mean, low=mean - 0.02))
    assert (verdict.name, verdict.odd) == ("keep", ("dutch",))
    assert "NPMI 0.50 without dutch" in verdict.sentence
    assert "Ignore dutch: it shares no document with nine of nine others." in verdict.sentence


def test_no_more_than_two_words_are_called_odd_and_the_worst_comes_first():
    pairs = matrix(0.3)
    for k, value in ((2, -0.6), (5, -0.9), (7, -0.5)):
        pairs[k, :] = pairs[:, k] = value
    assert odd_words(pairs, 0.0, 2) == [5, 2]


@pytest.mark.parametrize(("low", "name"), [(0.12, "check"), (0.121, "keep")])
def test_a_topic_is_checked_when_its_interval_reaches_what_random_lists_reach(low, name):
    verdict = judge(facts(low=low))
    assert verdict.name == name


@pytest.mark.parametrize(
    ("runs", "name"),
    [
        ((0.7, 0.69), "keep"),
        ((0.69, 0.69), "check"),
        ((0.1,), "keep"),
        ((0.9, 0.1, 0.2), "check"),
        ((), "keep"),
    ],
)
def test_a_topic_is_checked_when_fewer_than_half_of_two_or_more_runs_find_it(runs, name):
    assert judge(facts(runs=runs)).name == name


def test_the_runs_that_find_a_topic_are_said():
    assert "and three of four other runs find it again." in judge(facts(runs=(0.9, 0.8, 0.7, 0.1))).sentence
    assert "but no other run finds it (best match 0.47)" in judge(facts(runs=(0.47, 0.2))).sentence


def test_without_random_lists_zero_stands_in_and_none_are_mentioned():
    assert judge(facts(chance=None, npmi=0.0)).name == "drop"
    assert judge(facts(chance=None, npmi=0.1, low=0.0)).name == "check"
    kept = judge(facts(chance=None))
    assert kept.name == "keep"
    assert "random" not in kept.sentence


def test_without_an_interval_the_value_itself_is_compared():
    nan = float("nan")
    assert judge(facts(low=nan, high=nan)).name == "keep"
    assert judge(facts(npmi=0.12, low=nan, high=nan)).name == "check"


def test_two_words_that_always_meet_are_not_said_to_go_together_only_a_little():
    pair = {"words": ("oil", "opec"), "npmi": 1.0, "high": 1.0, "pairs": matrix(1.0, 2)}
    assert judge(facts(**pair, low=0.05)).sentence == (
        "The words go together (NPMI 1.00), but that may be as low as 0.05, "
        "and random words of the same frequency reach 0.12: oil and opec go together."
    )
    sentence = judge(facts(**pair, low=1.0, chance=(0.0, 0.2, 1.0))).sentence
    assert "The words go together (NPMI 1.00), but random words of the same frequency reach 1.00" in sentence


def test_without_pair_counts_the_sentence_says_that_there_are_none():
    sentence = judge(facts(npmi=0.05, low=0.0, pairs=np.zeros((0, 0)))).sentence
    assert sentence.endswith(": pair counts were not made.")
    assert "no two of them" not in judge(facts(pairs=np.zeros((0, 0)))).sentence


def test_a_threshold_moves_the_verdict():
    assert judge(facts(neighbours=[Neighbour(1, 3)])).name == "keep"
    assert judge(facts(neighbours=[Neighbour(1, 3)]), Thresholds(shared_words=3)).name == "merge"


def test_what_people_said_is_added_and_overrides_nothing():
    plain = judge(facts())
    rated = judge(replace(facts(), people="15 people rate it 1.1 of 3."))
    assert (rated.name, rated.sentence) == (plain.name, f"{plain.sentence} 15 people rate it 1.1 of 3.")


def test_a_word_written_from_right_to_left_is_fenced_in():
    assert judge(facts(absent=("שלום",))).sentence.startswith("\u2068שלום\u2069 is in no document")


def test_the_smaller_group_is_read_first():
    assert two_groups(two_subjects(0.5, 0.0, first=3)) == ([0, 1, 2], [3, 4, 5, 6, 7, 8, 9])
    assert two_groups(two_subjects(0.5, 0.0, first=8)) == ([8, 9], [0, 1, 2, 3, 4, 5, 6, 7])


def test_an_undefined_pair_leaves_no_groups_and_no_odd_words():
    pairs = matrix()
    set_pair(pairs, 0, 1, np.nan)
    assert two_groups(pairs) is None
    assert odd_words(pairs, 0.0, 2) == []


def test_the_order_of_the_rules_is_that_of_the_design():
    absent = {"absent": ("dutch",)}
    dropped = {"npmi": -0.5, "low": -0.6}
    merged = {"neighbours": [Neighbour(1, 9)]}
    split = {"pairs": two_subjects(0.5, -0.1)}
    checked = {"low": 0.0}
    given, names = {}, []
    for rule in (checked, split, merged, dropped, absent):
        given.update(rule)
        names.append(judge(facts(**given)).name)
    assert names == ["check", "split", "merge", "drop", "unknown"]
    assert {*names, "keep"} == set(VERDICTS)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.45, "−0.45"),
        (-0.00123, "−0.0012"),
        (0.0098, "0.0098"),
        (0.012, "0.01"),
        (-1e-17, "0.00"),
        (0.000021, "2.1e−05"),
        (1234.5, "1,234"),
        (float("inf"), "∞"),
        (None, "–"),
        (-150.0, "−150"),
    ],
)
def test_numbers_are_written_for_people(value, text):
    assert number(value) == text


def test_more_digits_are_shown_of_small_numbers_only():
    assert [number(x, 4) for x in (0.0051, 0.51, 51.0)] == ["0.0051", "0.5100", "51.0000"]
    assert [number(x, 0) for x in (0.004, 0.4, 4)] == ["0", "0", "4"]
