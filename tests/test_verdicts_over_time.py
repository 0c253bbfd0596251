"""Verdicts over time: what each rule says of topics whose history is known, and that no number is made up."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.verdicts_over_time import (
    DEFAULTS,
    LABELS,
    TimeThresholds,
    judge_model,
    judged,
    kept_by,
    percent,
)

OIL = ["oil", "gas", "barrel", "crude", "well", "rig", "opec", "pipe", "fuel", "price"]
SPORT = ["cup", "goal", "team", "match", "coach", "league", "pitch", "score", "fan", "ball"]
CORPUS = tl.Corpus.from_tokens([OIL] * 10 + [SPORT] * 10)  # a subject's words share each document of it


def scores_of(slices, measures, corpus=CORPUS, labels=None):
    """Scores of one topic over time, given its words by slice."""
    labels = labels or [str(2000 + t) for t in range(len(slices))]
    model = tl.DynamicTopicModel.from_words([[words] for words in slices], slice_labels=labels, name="m")
    return tl.evaluate(model, corpus, measures=list(measures), ci=None)


def verdict(slices, measures=("ttc@10", "tts@10"), corpus=CORPUS):
    return judged(scores_of(slices, measures, corpus))[0].topics[0]


def told(slices, across, thresholds=DEFAULTS):
    """The verdict where NPMI across neighbouring slices is known to be ``across``."""
    about = {"slice_labels": range(len(slices)), "slice_topics": [[words] for words in slices]}
    rows = [{"model": "m", "measure": "ttc@10", "level": "window", "topic": 0, "slice": "0", "value": None}]
    beside = {"ttc@10": {"without_self_pairs_by_window": [across]}}
    return judge_model("m", about, rows, ["ttc@10"], beside, thresholds).topics[0]


# --- rules


def test_one_subject_that_stays_is_steady_and_coherent():
    found = verdict([OIL] * 4)
    assert (found.verdict, found.kept, found.across) == ("steady", 1.0, pytest.approx(1.0))
    assert found.sentence == (
        "100% of its words stay from slice to slice, and they go together across slices (NPMI 1.00)."
    )


def test_one_list_of_strangers_repeated_is_repeated_but_incoherent():
    apart = tl.Corpus.from_tokens([[word] for word in OIL] * 3)
    found = verdict([OIL] * 3, corpus=apart)
    assert (found.verdict, found.across) == ("repeated", pytest.approx(-1.0))


def test_a_break_between_two_subjects_is_a_jump_however_steady_the_rest_is():
    found = verdict([OIL] * 6 + [SPORT] * 6)
    assert found.kept == pytest.approx(10 / 11)
    assert found.across > 0.5
    assert (found.verdict, found.label) == ("jumps", "Jumps subject (2005 → 2006)")
    assert found.sentence.startswith("From 2005 to 2006 none of its words stay, and the old words do not go")
    assert "oil, gas, barrel … left; cup, goal, team … came" in found.sentence


def test_a_short_topic_that_goes_from_oil_to_sport_jumps_and_does_not_drift():
    found = verdict([OIL, OIL, SPORT, SPORT])
    assert found.verdict == "jumps"
    assert (found.jump.start, found.jump.end, found.jump.kept) == ("2001", "2002", 0.0)


def test_one_subject_in_ever_new_words_drifts():
    words = [f"w{i}" for i in range(30)]
    together = tl.Corpus.from_tokens([words] * 5 + [["other"]] * 5)
    found = verdict([words[t * 5 : t * 5 + 10] for t in range(4)], corpus=together)
    assert (found.verdict, found.kept) == ("drifts", 0.5)
    assert found.sentence == (
        "Only 50% of its words stay from slice to slice, yet old and new words go together (NPMI 1.00): one "
        "subject in other words."
    )


def test_a_subject_that_changes_all_its_words_at_once_drifts_too():
    words = [f"w{i}" for i in range(20)]
    together = tl.Corpus.from_tokens([words] * 5 + [["other"]] * 5)
    found = verdict([words[:10]] * 5 + [words[10:]] * 5, corpus=together)
    assert found.verdict == "drifts"
    assert ", and none from 2004 to 2005, yet old and new words go together" in found.sentence


def test_few_words_that_stay_and_do_not_go_together_jump_without_any_break():
    lists = [["a", "b", "c", "d"], ["c", "d", "e", "f"], ["e", "f", "g", "h"]]
    found = told(lists, [0.0, 0.02])
    assert (found.verdict, found.jump, found.label) == ("jumps", None, "Jumps subject")


@pytest.mark.parametrize("across", [0.0451, 0.0499, 0.05])
def test_what_is_shown_as_the_threshold_reaches_it(across):
    assert told([OIL] * 3, [across] * 2).verdict == "steady"
    assert told([OIL] * 3, [0.0449] * 2).verdict == "repeated"


def test_thresholds_are_parameters():
    strict = TimeThresholds(together=0.5)
    assert told([OIL] * 3, [0.3] * 2).verdict == "steady"
    assert told([OIL] * 3, [0.3] * 2, strict).verdict == "repeated"
    scores = scores_of([OIL] * 3, ["ttc@10"])
    assert tl.temporal.verdicts(scores, TimeThresholds(together=2.0))["verdict"].to_list() == ["repeated"]


def test_a_steady_topic_says_how_little_is_left_in_the_end():
    words = [f"w{i}" for i in range(30)]
    found = told([words[t : t + 10] for t in range(7)], [0.4] * 6)
    assert (found.verdict, found.whole) == ("steady", 0.4)
    assert found.sentence.endswith("Yet its first and its last list share only 40%.")


# --- nothing is made up


def test_without_coherence_across_slices_nothing_is_said_of_it():
    for measures in (["tts@10"], ["npmi@10"], ["ttq@10"]):
        found = verdict([OIL] * 3, measures)
        assert (found.verdict, found.label) == ("stays", "Words stay, coherence unknown")
        assert math.isnan(found.across)
        assert found.sentence.endswith("whether they go together is not known: ttc@10 was not asked for.")
    assert verdict([OIL, SPORT, OIL], ["tts@10"]).verdict == "changes"


@pytest.mark.parametrize(
    "measure",
    ["ttc(coherence='uci')@10", "ttc(window=3)@10", "ttc(compat='authors')@10"],
)
def test_coherence_of_another_kind_is_not_taken_for_npmi_of_neighbours(measure):
    (found,) = judged(scores_of([OIL] * 4, [measure]))
    assert found.spec == ""
    assert found.topics[0].verdict == "stays"


def test_of_several_measures_the_fitting_one_is_taken_wherever_it_stands():
    (found,) = judged(scores_of([OIL] * 4, ["ttc(window=3)@10", "ttc(coherence='uci')@5", "ttc@5"]))
    assert found.spec == "ttc@5"
    assert found.lists[0] == [OIL[:5]]


def test_coherence_defined_in_fewer_than_half_of_the_steps_is_unknown():
    found = told([OIL] * 5, [0.4, None, None, None])
    assert (found.verdict, found.across) == ("stays", 0.4)
    assert "NPMI across slices is defined in 1 of 4 steps only" in found.sentence
    assert told([OIL] * 5, [0.4, 0.4, None, None]).verdict == "steady"


def test_a_break_of_unknown_coherence_is_not_one_subject():
    found = told([OIL] * 3 + [SPORT] * 3, [0.4, 0.4, None, 0.4, 0.4])
    assert (found.verdict, found.label) == ("changes", "Words change, coherence unknown")
    assert "from 2 to 3 none" in found.sentence


def test_a_topic_in_one_slice_in_none_or_never_twice_in_a_row_is_told_so():
    slices = [[OIL, None, None], [None, None, OIL], [SPORT, None, None]]
    model = tl.DynamicTopicModel.from_words(slices, name="m")
    (found,) = judged(tl.evaluate(model, CORPUS, measures=["tts@10"], ci=None))
    assert [topic.sentence for topic in found.topics] == [
        "It is in no two neighbouring slices.",
        "It is in no slice.",
        "It is in one slice only.",
    ]
    assert {topic.verdict for topic in found.topics} == {"gaps"}


def test_what_is_not_all_is_not_called_all():
    assert [percent(x) for x in (0.0, 0.994, 0.9951, 1.0)] == ["0%", "99%", "over 99%", "100%"]


# --- the numbers are those of the measures


words = st.sampled_from([f"w{i}" for i in range(8)])
histories = st.lists(
    st.one_of(st.just(None), st.lists(words, min_size=1, max_size=5, unique=True)), min_size=2, max_size=6
).filter(lambda slices: any(slices))
EVERY = tl.Corpus.from_tokens([[f"w{i}" for i in range(8) if (i * d + d) % 3] for d in range(1, 20)])


@settings(max_examples=40, deadline=None)
@given(histories, st.integers(2, 5))
def test_steps_are_tts_and_joins_are_ttc_without_self_pairs(slices, n):
    specs = [f"tts@{n}", f"ttc@{n}", f"ttc(self_pairs=False)@{n}"]
    scores = scores_of(slices, specs[:2], EVERY)
    (found,) = judged(scores)
    expected = scores_of(slices, specs, EVERY).frame.filter(level="window")
    for values, spec in ((found.topics[0].steps, specs[0]), (found.topics[0].joins, specs[2])):
        rows = expected.filter(measure=spec).sort("slice")
        np.testing.assert_allclose(values, rows["value"].to_numpy(), atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(histories)
def test_numbers_that_the_scores_do_not_keep_are_found_from_the_lists(slices):
    scores = scores_of(slices, ["ttc@4"], EVERY)
    kept = judged(scores)[0].topics[0].joins
    scores.details.companions.clear()
    np.testing.assert_allclose(judged(scores)[0].topics[0].joins, kept, atol=1e-9)


@given(st.lists(words, unique=True), st.lists(words, unique=True))
def test_what_two_lists_keep_is_the_same_either_way_round(a, b):
    np.testing.assert_equal(kept_by(a, b), kept_by(b, a))


# --- from outside


def test_verdicts_are_a_table_and_survive_saving(tmp_path):
    scores = scores_of([OIL] * 2 + [SPORT] * 2, ["ttc@10"])
    table = tl.temporal.verdicts(scores)
    assert table.drop("sentence").row(0) == (
        "m",
        0,
        "jumps",
        "Jumps subject (2001 → 2002)",
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
        1,
        "2001",
        "2002",
    )
    scores.save(tmp_path / "s")
    again = tl.load_scores(tmp_path / "s")
    assert tl.temporal.verdicts(again).equals(table)
    assert again.details.models["m"]["verdicts_over_time"][0]["label"] == "Jumps subject (2001 → 2002)"


def test_scores_of_static_models_have_no_verdicts_over_time():
    model = tl.TopicModel.from_words([OIL])
    scores = tl.evaluate(model, CORPUS, measures=["npmi@10"], ci=None)
    assert tl.temporal.verdicts(scores).height == 0


def test_every_verdict_has_a_label():
    assert set(LABELS) == {"jumps", "repeated", "changes", "drifts", "stays", "gaps", "steady"}


@pytest.mark.slow
def test_a_list_of_five_words_is_judged_by_five_words(data):
    """Topic 4 of D-LDA on UN debates is incoherent by five words: pairs of words with themselves hide it."""
    path = data / "un" / "un_debates_sample12.jsonl.gz"
    corpus = tl.read_corpus(path, text="text", time="date")
    model = tl.read_model(data / "dynamic_models" / "un_dlda_k10_top10_txt")
    scores = tl.evaluate(model, corpus, measures=["ttc@5", "tts@5"], ci=None)
    topic = judged(scores)[0].topics[4]
    assert topic.across == pytest.approx(0.034, abs=5e-4)
    assert topic.verdict == "repeated"
