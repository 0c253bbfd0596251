"""The report's section on topics over time: what it finds in lists of words by slice, and what it says."""

import pytest

import tealeaves as tl
from tealeaves.report.over_time import _lanes, _ticks, over_time

WORDS = [f"w{i}" for i in range(40)]


def scores_of(slices, labels=None, measures=("tts@5", "ttc@5", "ttq@5")):
    model = tl.DynamicTopicModel.from_words(slices, slice_labels=labels or list(range(len(slices))))
    documents = [[w for w in WORDS if (int(w[1:]) + d) % 5] for d in range(20)]
    return tl.evaluate(model, tl.Corpus.from_tokens(documents), measures=list(measures), ci=None)


def section(scores):
    rows = [dict(row) for row in scores.frame.to_dicts()]
    return over_time(scores, rows, vars(scores.details))


def test_a_static_model_has_no_such_section():
    model = tl.TopicModel.from_words([["w1", "w2"]])
    scores = tl.evaluate(model, tl.Corpus.from_tokens([["w1", "w2"]]), measures=["npmi@2"], ci=None)
    assert section(scores) is None


def test_a_break_is_named_with_the_words_that_left_and_came():
    lists = [
        [["w1", "w2", "w3", "w4", "w5"]],
        [["w1", "w2", "w3", "w4", "w6"]],
        [["w7", "w8", "w9", "w10", "w1"]],
    ]
    found = section(scores_of(lists, ["1991", "1992", "1993"]))["models"][0]
    (cut,) = found["breaks"]
    assert (cut["start"], cut["end"], cut["topic"]) == ("1992", "1993", 0)
    assert cut["left"] == ["w2", "w3", "w4", "w6"]
    assert cut["came"] == ["w7", "w8", "w9", "w10"]
    assert cut["kept"] == pytest.approx(0.2)
    assert found["heat"][0]["steps"] == [2, 0]  # four of five words kept; one of five


def test_a_gap_is_no_break_and_says_that_there_is_too_little():
    lists = [[["w1", "w2"]], [None], [["w3", "w4"]]]
    topic = section(scores_of(lists))["models"][0]["heat"][0]
    assert topic["steps"] == [None, None]
    assert topic["breaks"] == []
    assert topic["verdict"] == "gaps"


def test_lanes_tell_words_that_left_came_stayed_and_came_back():
    lanes = _lanes([["a", "b", "c"], ["a", "d"], ["a", "c", "d"]])
    assert {lane["word"]: lane["kind"] for lane in lanes} == {"a": "stay", "b": "out", "c": "back", "d": "in"}
    bars = {lane["word"]: [(round(b["left"]), round(b["width"])) for b in lane["bars"]] for lane in lanes}
    assert bars["c"] == [(0, 33), (67, 33)]
    assert bars["d"] == [(33, 67)]


def test_the_axis_names_the_first_and_the_last_slice():
    assert [t["label"] for t in _ticks([str(y) for y in range(1987, 2020)])][::4] == ["1987", "2019"]
    assert [t["label"] for t in _ticks(["a", "b"])] == ["a", "b"]


def test_a_topic_that_repeats_words_which_share_no_document_is_called_so(tmp_path):
    words = [f"x{i}" for i in range(10)]
    corpus = tl.Corpus.from_tokens([[word] for word in words] * 3)
    model = tl.DynamicTopicModel.from_words([[words]] * 3, slice_labels=["a", "b", "c"])
    scores = tl.evaluate(model, corpus, measures=["tts@10", "ttc@10"], ci=None)
    found = section(scores)["models"][0]["heat"][0]
    assert found["kept"] == 1
    assert found["across"] == pytest.approx(-1)
    assert found["verdict"] == "repeated"
    scores.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "Repeated but incoherent" in page
    assert "Over time: 10.0 of 10 words stay from one slice to the next, no topic breaks" in page


def test_hostile_words_and_labels_stay_text(tmp_path):
    bad = "<script>alert(1)</script>"
    scores = scores_of([[[bad, "w1"]], [[bad, "w2"]]], [bad, "b"], ["tts@2"])
    scores.report(tmp_path / "r.html")
    assert bad not in (tmp_path / "r.html").read_text("utf-8")
