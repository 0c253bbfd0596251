import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.fake import fake_scores
from report.people import fake_people
from tealeaves.report.people import people, said_of_topic
from tealeaves.report.people_plot import BOTTOM, LEFT, RIGHT, TOP, scatter, ticks
from tealeaves.report.render import render
from tealeaves.report.summary import summarize


@pytest.fixture(scope="module")
def scores():
    made = fake_scores()
    made.details["human"] = fake_people()
    return made


@pytest.fixture(scope="module")
def section(scores):
    return summarize(scores)["people"]


def test_a_report_without_people_has_no_such_section():
    assert summarize(fake_scores())["people"] is None
    assert 'id="people"' not in render(summarize(fake_scores()))


def test_what_people_said_stands_after_the_verdict_and_overrides_nothing(scores):
    with_people, without = summarize(scores)["models"][0], summarize(fake_scores())["models"][0]
    assert [t["verdict"] for t in with_people["topics"]] == [t["verdict"] for t in without["topics"]]
    before = {t["id"]: t["sentence"] for t in without["topics"]}
    for topic in with_people["topics"]:
        assert topic["sentence"].startswith(before[topic["id"]])
        assert "15 people rate it " in topic["sentence"]
    assert "15 people rate it 1.2 of 3; 3 of 15 people found the intruder." in next(
        t["sentence"] for t in with_people["topics"] if t["id"] == 4
    )


@pytest.mark.parametrize(
    ("measure", "row", "said"),
    [
        ("rating", {"value": 2.7, "n": 15, "known": None}, "15 people rate it 2.7 of 3."),
        ("rating", {"value": 2.0, "n": 1, "known": 1.0}, "one person rates it 2.0 of 3."),
        ("rating", {"value": 4.2, "n": 9, "known": 1.0}, "9 people rate it 4.2."),
        ("model_precision", {"value": 0.5, "n": 26, "known": 1.0}, "13 of 26 people found the intruder."),
        ("topic_log_odds", {"value": -1.0, "n": 26, "known": 1.0}, ""),
        ("rating", {"value": None, "n": 0, "known": None}, ""),
    ],
)
def test_a_sentence_for_each_thing_people_can_say(measure, row, said):
    assert said_of_topic({"topics": {"m": {"0": {measure: row}}}}, "m", 0) == said


def test_unknown_words_are_told():
    row = {"value": 2.0, "n": 15, "known": 0.3}
    said = said_of_topic({"topics": {"m": {"0": {"rating": row}}}}, "m", 0)
    assert said.endswith("; most of them did not know its words.")


@pytest.mark.parametrize(
    ("rho", "low", "high", "said"),
    [
        (0.9, 0.8, 0.95, "Mostly: rank correlation 0.90"),
        (0.45, 0.1, 0.7, "In part: rank correlation 0.45"),
        (0.2, 0.1, 0.3, "Only a little"),
        (0.2, -0.1, 0.5, "That cannot be told from 16 topics"),
        (-0.4, -0.6, -0.1, "No: what coherence puts high they put low"),
    ],
)
def test_the_heading_says_no_more_than_the_interval_does(rho, low, high, said):
    made = fake_scores()
    made.details["human"] = copy.deepcopy(fake_people())
    made.details["human"]["relations"][0] |= {"spearman": rho, "spearman_low": low, "spearman_high": high}
    assert said in summarize(made)["people"]["heading"]


def test_topics_that_were_kept_and_not_read_come_first(section):
    assert {t["topic"] for t in section["unread"]} == {4}
    made = fake_scores()
    made.details["human"] = copy.deepcopy(fake_people())
    made.details["human"]["topics"]["lists"]["1"]["rating"]["unreadable"] = True
    unread = summarize(made)["people"]["unread"]
    assert (unread[0]["topic"], unread[0]["verdict"]) == (1, "keep")


def test_models_that_differ_only_in_these_topics_are_called_so(section):
    assert [row["answer"] for row in section["pairs"]] == ["For these topics"]


def test_no_topic_without_both_numbers_is_drawn_and_all_are_inside(section):
    plot = section["plots"][0]
    assert (plot["key"], plot["n"]) == ("rating", 14)  # the topic with an absent word has no NPMI
    assert all(LEFT <= m["x"] <= RIGHT and TOP <= m["y"] <= BOTTOM for m in plot["marks"])
    assert {m["kind"] for m in plot["marks"]} == {"read", "strange", "unread"}
    assert scatter("rating", section["topics"][:2], ("Rating", "")) is None


def test_a_higher_rating_is_higher_up(section):
    marks = section["plots"][0]["marks"]
    topics = [t for t in section["topics"] if t["measure"] == "rating" and t["x"] is not None]
    order = sorted(range(len(marks)), key=lambda i: topics[i]["value"])
    heights = [marks[i]["y"] for i in order]
    assert heights == sorted(heights, reverse=True)


def test_the_page_names_codings_intervals_and_the_call(scores):
    page = render(summarize(scores))
    for said in (
        "right or wrong", "scores.plot.people(", "Such topics, such people", "goes along with people more",
        "What do people say?", "Topics that people could not read", "familiar topics",
    ):  # fmt: skip
        assert said.lower() in page.lower(), said


def test_hostile_names_are_escaped():
    made = fake_scores()
    made.details["human"] = copy.deepcopy(fake_people())
    for row in made.details["human"]["scores"]:
        row["study"] = "<script>alert(2)</script>"
    page = render(summarize(made))
    assert "<script>alert(2)" not in page
    assert "&lt;script&gt;alert(2)" in page


def test_scores_of_models_alone_need_no_topics():
    human = {**fake_people(), "topics": {}, "relations": [], "relation_differences": [], "differences": []}
    found = people({"human": human}, [])
    assert found["plots"] == []
    assert found["unread"] == []
    assert found["heading"] == "What people said of 0 topics"


def test_undefined_numbers_of_people_are_dashes_and_break_nothing():
    """A human study so small that nothing but the means is known."""

    def emptied(value):
        if isinstance(value, dict):
            return {k: emptied(v) for k, v in value.items()}
        if isinstance(value, list):
            return [emptied(v) for v in value]
        return None if isinstance(value, float) else value

    made = fake_scores()
    made.details["human"] = {**emptied(fake_people()), "settings": {}}
    page = render(summarize(made))
    assert "What people said of 0 topics" in page
    assert "nan" not in page.lower().split("<main>")[1].split("<script")[0].replace("finance", "")


@given(st.floats(-1e13, 1e13), st.floats(0, 1e13))
def test_an_axis_has_a_few_ticks_that_differ_around_its_values(low, reach):
    found = ticks(low, low + reach)
    assert 2 <= len(found) <= 7
    assert len(set(found)) == len(found)
    slack = 1e-5 * (found[1] - found[0])
    assert found[0] <= low + slack
    assert found[-1] >= low + reach - slack
