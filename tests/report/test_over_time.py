"""The report's section on topics over time: what it finds in lists of words by slice, and what it says."""

import re

import pytest

import tealeaves as tl
from tealeaves.report.over_time import over_time
from tealeaves.report.over_time_marks import LANES, cells, lanes, line, scale, ticks
from tealeaves.report.summary import summarize

WORDS = [f"w{i}" for i in range(40)]
TABLE = ["npmi@5", "diversity@5", "tq@5", "ttc@5", "tts@5", "ttq@5", "dtq@5"]


def scores_of(slices, labels=None, measures=("tts@5", "ttc@5", "ttq@5"), **others):
    model = tl.DynamicTopicModel.from_words(
        slices, slice_labels=labels or list(range(len(slices))), name="first"
    )
    models = {"first": model} | {
        name: tl.DynamicTopicModel.from_words(lists, slice_labels=labels or list(range(len(lists))))
        for name, lists in others.items()
    }
    documents = [[w for w in WORDS if (int(w[1:]) + d) % 5] for d in range(20)]
    return tl.evaluate(models, tl.Corpus.from_tokens(documents), measures=list(measures), ci=None)


def section(scores):
    rows = [dict(row) for row in scores.frame.to_dicts()]
    return over_time(scores, rows, vars(scores.details))


def page_of(scores, tmp_path):
    scores.report(tmp_path / "r.html")
    return (tmp_path / "r.html").read_text("utf-8")


def text_of(page):
    """What a reader sees of the page."""
    body = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


# --- breaks


def test_a_static_model_has_no_such_section():
    model = tl.TopicModel.from_words([["w1", "w2"]])
    scores = tl.evaluate(model, tl.Corpus.from_tokens([["w1", "w2"]]), measures=["npmi@2"], ci=None)
    assert section(scores) is None


def test_a_break_is_named_with_the_words_that_left_and_came(tmp_path):
    lists = [
        [["w1", "w2", "w3", "w4", "w5"]],
        [["w1", "w2", "w3", "w4", "w6"]],
        [["w7", "w8", "w9", "w10", "w1"]],
    ]
    scores = scores_of(lists, ["1991", "1992", "1993"])
    found = section(scores)["models"][0]
    cut, change = found["breaks"]
    assert (cut["start"], cut["end"], cut["topic"], cut["cut"]) == ("1992", "1993", 0, True)
    assert cut["left"] == ("w2", "w3", "w4", "w6")
    assert cut["came"] == ("w7", "w8", "w9", "w10")
    assert cut["kept"] == pytest.approx(0.2)
    assert (change["start"], change["cut"]) == ("1991", False)
    assert found["n_breaks"] == 1
    said = text_of(page_of(scores, tmp_path))
    assert "1992 → 1993 , topic 0: w2, w3, w4, w6 left; w7, w8, w9, w10 came; TTS 0.20" in said


def test_the_largest_changes_are_named_where_nothing_breaks(tmp_path):
    lists = [[WORDS[:5]], [WORDS[:5]], [[*WORDS[:4], "w9"]]]
    scores = scores_of(lists)
    found = section(scores)["models"][0]
    assert [(b["start"], b["left"], b["came"]) for b in found["breaks"]] == [("1", ("w4",), ("w9",))]
    said = text_of(page_of(scores, tmp_path))
    assert "Largest changes, none of them a break" in said
    assert "no topic breaks" in said


def test_a_model_that_never_changes_is_said_to_lose_no_word(tmp_path):
    assert "No topic loses a word anywhere." in text_of(page_of(scores_of([[WORDS[:5]]] * 3), tmp_path))


def test_a_break_of_one_step_has_that_step_s_words_whatever_window_was_scored():
    a, b = WORDS[:5], WORDS[5:10]
    scores = scores_of([[a], [a], [b], [b]], measures=["tts(window=3)@5"])
    assert [x["kept"] for x in section(scores)["models"][0]["breaks"]] == [0.0]


def test_steps_of_unequal_lists_count_both_ways():
    scores = scores_of([[["w1", "w2"]], [["w1", "w3", "w4", "w5"]]], measures=["tts@4"])
    (change,) = section(scores)["models"][0]["breaks"]
    assert change["kept"] == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert change["kept"] == pytest.approx(scores.value("tts@4"))


def test_a_gap_is_no_break_and_says_that_there_is_too_little():
    lists = [[["w1", "w2"]], [None], [["w3", "w4"]]]
    model = section(scores_of(lists))["models"][0]
    assert model["all"][0]["cells"] == [None, None]
    assert model["breaks"] == []
    assert model["all"][0]["verdict"] == "gaps"


# --- pictures


def test_lanes_tell_words_that_left_came_stayed_and_came_back():
    found, more = lanes([["a", "b", "c"], ["a", "d"], ["a", "c", "d"]])
    kinds = {lane["word"]: lane["kind"] for lane in found}
    assert kinds == {"a": "stay", "b": "out", "c": "back", "d": "in"}
    bars = {lane["word"]: [(round(b["left"]), round(b["width"])) for b in lane["bars"]] for lane in found}
    assert bars["c"] == [(0, 33), (67, 33)]
    assert bars["d"] == [(33, 67)]
    assert more == 0


def test_groups_of_lanes_stay_together():
    found, _ = lanes([["a", "b", "x", "y"], ["c", "x"], ["a", "d", "x"], ["b", "d", "x"]])
    kinds = [lane["kind"] for lane in found]
    assert kinds == sorted(kinds, key=kinds.index)


def test_words_that_have_no_lane_are_counted(tmp_path):
    lists = [[WORDS[t * 10 : t * 10 + 10]] for t in range(4)]
    scores = scores_of(lists, measures=["tts@10"])
    assert section(scores)["models"][0]["topics"][0]["more_words"] == 40 - LANES
    assert f"{40 - LANES} more words were top words in fewer slices." in text_of(page_of(scores, tmp_path))


def test_the_axis_names_the_first_and_the_last_slice():
    assert [t["label"] for t in ticks([str(y) for y in range(1987, 2020)])][::4] == ["1987", "2019"]
    assert [t["label"] for t in ticks(["a", "b"])] == ["a", "b"]


def test_a_value_without_neighbours_is_a_dot_and_a_gap_ends_a_line():
    drawn = line({0.5: 0.2, 1.5: 0.4, 4.5: 1.0}, 6, (0.0, 1.0))
    assert drawn["lines"] == ["16.67,77.6 33.33,59.2"]
    assert drawn["dots"] == [("83.33", "4.0")]


def test_a_model_of_two_slices_has_something_to_see(tmp_path):
    page = page_of(scores_of([[WORDS[:5]], [WORDS[1:6]]]), tmp_path)
    assert '<line class="dot" x1="50.00" x2="50.00"' in page


def test_scales_hold_zero_and_have_some_height():
    assert scale([0.2, 0.4]) == (0.0, 0.4)
    assert scale([-0.3, -0.1]) == (-0.3, 0.0)
    assert scale([0.0]) == (0.0, 0.1)
    assert scale([0.2], share=True) == (0.0, 1.0)


def test_cells_are_as_strong_as_their_value_and_tell_gaps_signs_and_breaks():
    assert cells([0.4, -0.1, 0.0, float("nan")], [False, False, True, False], 0.4) == [
        {"strong": 100, "under": False, "cut": False},
        {"strong": 25, "under": True, "cut": False},
        {"strong": 0, "under": False, "cut": True},
        None,
    ]


def test_the_heat_map_is_of_ttq_where_it_was_asked_for_and_of_words_kept_elsewhere():
    lists = [[WORDS[:5], WORDS[5:10]]] * 3
    assert section(scores_of(lists))["models"][0]["heat"] == "ttq@5"
    kept = section(scores_of(lists, measures=["tts@5"]))["models"][0]
    assert kept["heat"] == "TTS"
    assert kept["all"][0]["cells"] == [{"strong": 100, "under": False, "cut": False}] * 2


def test_curves_have_a_scale_and_every_topic_a_small_picture(tmp_path):
    lists = [[WORDS[:5], WORDS[5:10]], [WORDS[1:6], WORDS[6:11]], [WORDS[2:7], WORDS[6:11]]]
    scores = scores_of(lists, measures=TABLE)
    page = page_of(scores, tmp_path)
    assert page.count('<a class="spark"') == 2
    curves = section(scores)["models"][0]["topics"][0]["curves"]
    assert [c["name"] for c in curves] == ["TTS", "TTC", "TTQ", "TC"]
    assert (curves[0]["low"], curves[0]["high"]) == (0.0, 1.0)
    assert page.count('class="hi"') == page.count('class="lo"') >= 8


# --- models compared


def test_slices_alone_stand_beside_slices_across_with_the_scores_own_numbers():
    lists = [[WORDS[:5], WORDS[5:10]], [WORDS[1:6], WORDS[6:11]], [WORDS[2:7], WORDS[6:11]]]
    scores = scores_of(lists, measures=TABLE)
    found = section(scores)["by_slice"]
    assert [p["short"] for p in found["panels"]] == ["TC", "TD", "TQ", "TTC", "TTS", "TTQ"]
    by_slice = scores.frame.filter(measure="npmi@5", level="slice")["value"].to_list()
    assert [row["cells"][0] for row in found["table"]] == by_slice
    windows = scores.frame.filter(measure="ttc@5", level="window", slice="1")["value"]
    assert found["table"][1]["cells"][3] == pytest.approx(windows.mean())
    assert found["table"][2]["cells"][3] is None


def test_the_heading_tells_every_model_in_percent():
    steady, broken = [[WORDS[:5]]] * 3, [[WORDS[t * 5 : t * 5 + 5]] for t in range(3)]
    assert section(scores_of(steady))["heading"] == (
        "Over time: 100% of words stay from one slice to the next, 100% from the first to the last; no topic "
        "breaks"
    )
    assert section(scores_of(steady, other=broken))["heading"] == (
        "Over time, words that stay from one slice to the next: 100% in first, no topic breaks; 0% in other, "
        "2 sharp breaks"
    )


def test_each_measure_asked_for_has_its_column_with_chance_beside_tts():
    lists = [[WORDS[:5], WORDS[5:10]]] * 3
    found = section(scores_of(lists, measures=["ttc@5", "ttc(window=3)@5", "tts@5"]))
    assert [c["spec"] for c in found["columns"]] == ["ttc@5", "ttc(window=3)@5", "tts@5"]
    assert found["unasked"] == ["TC", "TD", "TQ", "TTQ", "DTQ"]
    beside = {b["says"]: b["value"] for b in found["table"][0]["cells"][2]["beside"]}
    assert beside == {"shuffled": pytest.approx(0.5)}


# --- verdicts, in the section and elsewhere


def test_a_topic_that_repeats_words_which_share_no_document_is_called_so(tmp_path):
    words = [f"x{i}" for i in range(10)]
    corpus = tl.Corpus.from_tokens([[word] for word in words] * 3)
    model = tl.DynamicTopicModel.from_words([[words]] * 3, slice_labels=["a", "b", "c"])
    scores = tl.evaluate(model, corpus, measures=["tts@10", "ttc@10"], ci=None)
    found = section(scores)["models"][0]["all"][0]
    assert (found["kept"], found["across"], found["verdict"]) == ("100%", -1.0, "repeated")
    assert "Repeated but incoherent" in page_of(scores, tmp_path)


def test_without_coherence_across_slices_no_topic_is_called_coherent(tmp_path):
    for measures in (["tts@5"], ["npmi@5"]):
        said = text_of(page_of(scores_of([[WORDS[:5]]] * 3, measures=measures), tmp_path))
        assert "Steady and coherent" not in said
        assert "Words stay, coherence unknown" in said


def test_the_short_answer_and_the_topic_s_verdict_tell_what_time_does(tmp_path):
    oil, cup = ["w0", "w5", "w10"], ["x0", "x1", "x2"]
    corpus = tl.Corpus.from_tokens([oil] * 5 + [cup] * 5)
    model = tl.DynamicTopicModel.from_words([[oil], [oil], [cup], [cup]], name="jumper")
    scores = tl.evaluate(model, corpus, measures=["npmi@3", "ttc@3", "tts@3"], ci=None)
    found = summarize(scores)
    asked = {a["asks"]: a["says"] for a in found["answer"]}
    assert asked["What do topics do over time?"] == [
        "jumper keeps 67% of its words from one slice to the next. Of 1 topic: jumps subject 1 (topic 0)."
    ]
    (topic,) = found["models"][0]["topics"]
    assert (topic["npmi"], topic["verdict"]) == (1.0, "check")
    assert topic["sentence"].startswith("Jumps subject: From 1 to 2 none of its words stay")
    assert "a blend that no slice need have" in text_of(page_of(scores, tmp_path))


def test_the_short_answer_holds_topics_against_their_shuffled_selves():
    lists = [[WORDS[i : i + 5] for i in order] for order in ((0, 5, 10, 15), (5, 10, 15, 0), (10, 15, 0, 5))]
    (said,) = section(scores_of(lists, measures=["tts@5"]))["answer"]
    assert said.startswith("first keeps 0% of its words from one slice to the next (topics put in random ")
    assert "order: 25%, so they have no history)" in said
    (steady,) = section(scores_of([lists[0]] * 3, measures=["tts@5"]))["answer"]
    assert "(topics put in random order: 25%)" in steady


def test_topics_over_time_are_twins_in_the_same_slices_only():
    a, b = WORDS[:10], WORDS[10:20]
    swapped = summarize(scores_of([[a, b], [b, a]] * 2, measures=["npmi@10"]))["twins"]
    assert (swapped["rows"], swapped["heading"]) == ([], "No near-duplicate topics")
    alike = summarize(scores_of([[a, a], [b, a], [a, [*a[:7], *b[:3]]]], measures=["npmi@10"]))["twins"]
    (pair,) = alike["rows"]
    assert (pair["shared"], pair["slices"], pair["merge"]) == (7, 3, True)


def test_topics_are_not_listed_as_unknown_where_npmi_was_not_asked_for(tmp_path):
    found = summarize(scores_of([[WORDS[:5]]] * 3, measures=["ttc@5"]))
    assert found["models"][0]["heading"] == (
        "first: 1 topic, not judged, since NPMI by documents was not asked for"
    )
    assert not any("cannot be judged" in w["title"] for w in found["warnings"])


def test_hostile_words_and_labels_stay_text(tmp_path):
    bad = "<script>alert(1)</script>"
    scores = scores_of([[[bad, "w1"]], [[bad, "w2"]]], [bad, "b"], ["tts@2", "ttc@2"])
    assert bad not in page_of(scores, tmp_path)
