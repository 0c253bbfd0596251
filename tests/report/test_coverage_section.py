"""The report's sections on coverage and on topics that come back."""

import re

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.cli import cli
from tealeaves.report.summary import summarize
from tealeaves.scores import load_scores

WORDS = ["oil", "gas", "court", "judge", "film", "music", "tax", "law"]
REFERENCE = tl.ReferenceTopics.from_words(
    {"energy": ["oil", "gas"], "justice": ["court", "judge"], "arts": ["film", "music"]}, name="themes"
)


class Same:
    """A matcher of topics that share a word of their two heaviest."""

    fingerprint = "0123456789abcdef"

    def matches(self, reference, model, *, cosines=True):
        theirs = [set(words[:2]) for words in model.top_words(2)]
        return np.array([[bool(set(own[:2]) & other) for other in theirs] for own in reference.top_words(2)])


def model(*topics, name="model", noise=0.0):
    weights = np.full((len(topics), len(WORDS)), noise)
    for row, words in zip(weights, topics, strict=True):
        for word in words:
            row[WORDS.index(word)] += 1.0
    return tl.TopicModel(WORDS, weights / weights.sum(1, keepdims=True), name=name)


ENERGY, JUSTICE, ARTS, TAX = ("oil", "gas"), ("court", "judge"), ("film", "music"), ("tax", "law")


@pytest.fixture(scope="module")
def scores():
    models = {
        "good": [model(ENERGY, JUSTICE, ARTS), model(ENERGY, JUSTICE, TAX)],
        "poor": [model(ENERGY, TAX, noise=0.05), model(TAX, ENERGY, noise=0.1)],
    }
    return tl.evaluate(models, reference_topics=REFERENCE, measures=["au_cdc"], resamples=200)


def of(scores, part="coverage"):
    return summarize(scores)[part]


def test_the_best_model_stands_first_with_the_mean_of_its_runs(scores):
    found = of(scores)
    assert [row["name"] for row in found["table"]] == ["good", "poor"]
    area, covered, precision = found["table"][0]["cells"]
    # of 50 intervals, a reference topic at distance 1 still has half of the last one
    assert area["value"] == pytest.approx((1 + (2 + 0.01) / 3) / 2)
    assert (covered["value"], covered["low"], covered["high"]) == pytest.approx((5 / 6, 2 / 3, 1))
    assert precision["value"] == pytest.approx((1 + 2 / 3) / 2)


def test_only_what_no_run_covers_is_said_to_be_missed_and_stands_beside_the_nearest_topic(scores):
    found = of(scores)
    assert found["heading"].startswith("What is not found? Nothing: good")
    missed = [(row["model"], row["label"], row["words"]) for row in found["uncovered"]]
    assert sorted(missed) == [("poor", "arts", "film music"), ("poor", "justice", "court judge")]
    assert all(row["distance"] > 0.5 and row["topic_words"] for row in found["uncovered"])


def test_a_model_that_misses_topics_is_told_so_in_the_heading():
    found = of(tl.evaluate(model(ENERGY, TAX), reference_topics=REFERENCE, measures=["au_cdc"], resamples=50))
    assert found["heading"] == (
        "What is not found? model has no topic for justice and arts, 2 of 3 reference topics"
    )
    assert found["over"].startswith("reference topics drawn again")


def test_curves_start_at_identity_and_end_with_everything(scores):
    lines = {line["name"]: line for line in of(scores)["plot"]["lines"]}
    first, last = lines["good"]["xy"][0], lines["good"]["xy"][-1]
    assert first == pytest.approx((42, 262 - 240 * 5 / 6), abs=0.1)
    assert last == pytest.approx((392, 22))
    assert lines["good"]["band"]
    assert lines["good"]["cls"] != lines["poor"]["cls"]


def test_labels_of_curves_do_not_overlap(scores):
    labels = [line["label"] for line in of(scores)["plot"]["lines"]]
    assert all(labels)
    (a, b) = labels
    assert abs(a["y"] - b["y"]) >= 12 or abs(a["x"] - b["x"]) >= 4 * 6


def test_relations_count_what_matches(scores):
    good = of(scores)["relations"][0]
    assert good["concepts"] == [2.5, 0, 0, 0.5]
    assert good["topics"] == [2.5, 0, 0.5]


def test_the_match_matrix_has_every_reference_topic_and_topic_once(scores):
    matrix = of(scores)["matrices"][0]
    assert sorted(row["label"] for row in matrix["rows"]) == ["arts", "energy", "justice"]
    assert sorted(column["id"] for column in matrix["columns"]) == [0, 1, 2]
    assert [[cell["match"] for cell in row["cells"]] for row in matrix["rows"]] == np.eye(
        3, dtype=bool
    ).tolist()


def test_categories_and_quarters_of_sizes_have_tables_of_their_own():
    reference = tl.ReferenceTopics(
        REFERENCE.vocabulary,
        REFERENCE.topic_word,
        REFERENCE.labels,
        sizes=[1, 2, 3],
        categories={"kind": ["a", "a", "b"]},
    )
    scores = tl.evaluate(model(ENERGY, TAX), reference_topics=reference, measures=["au_cdc"], resamples=50)
    divisions = {d["title"]: d for d in of(scores)["divisions"]}
    cells = divisions["kind"]["rows"][0]["cells"]
    assert [(c["category"], c["n"]) for c in cells] == [("a", 2), ("b", 1)]
    assert cells[0]["value"] == pytest.approx(0.5, abs=0.02)
    assert any(title.startswith("size") for title in divisions)


def test_with_a_matcher_and_four_models_the_order_of_both_scores_is_correlated():
    models = {
        "one": model(ENERGY),
        "two": model(ENERGY, JUSTICE),
        "three": model(ENERGY, JUSTICE, ARTS),
        "none": model(TAX),
    }
    four = tl.evaluate(
        models, reference_topics=REFERENCE, matcher=Same(), measures=["coverage"], resamples=200
    )
    found = of(four)
    assert found["spearman"]["value"] == pytest.approx(1)
    assert found["columns"][1]["title"] == "SupCov"
    assert {row["name"]: row["cells"][1]["value"] for row in found["table"]} == pytest.approx(
        {"three": 1, "two": 2 / 3, "one": 1 / 3, "none": 0}
    )
    del models["two"]
    three = tl.evaluate(
        models, reference_topics=REFERENCE, matcher=Same(), measures=["coverage"], resamples=50
    )
    assert of(three)["spearman"] is None


def test_without_reference_topics_or_runs_there_is_no_section():
    found = tl.evaluate(model(ENERGY, TAX), measures=["topic_diversity@2"], ci=None)
    assert of(found) is None
    assert of(found, "again") is None


def test_without_intervals_there_are_none_but_the_curves_stay():
    found = tl.evaluate(model(ENERGY, TAX), reference_topics=REFERENCE, measures=["au_cdc"], ci=None)
    assert of(found)["plot"]["lines"][0]["band"] == ""
    assert all(cell["low"] is None for cell in of(found)["table"][0]["cells"])


def test_a_model_without_most_of_the_words_is_warned_of_and_one_without_all_is_left_out():
    few = tl.TopicModel(["oil", "gas", "tax"], [[0.5, 0.4, 0.1]], name="few")
    none = tl.TopicModel(["öl", "gas_"], [[0.5, 0.5]], name="none")
    scores = tl.evaluate([few, none], reference_topics=REFERENCE, measures=["au_cdc"], resamples=50)
    told = [w for w in scores.details.warnings if "reference topics' weight" in w]
    assert [w.split(":")[0] for w in told] == ["few", "none"]
    assert "only 33%" in told[0]
    assert "court" in told[0]
    assert [row["name"] for row in of(scores)["left_out"]] == ["none"]


def test_topics_that_come_back_are_counted_and_sorted(scores):
    found = of(scores, "again")
    assert found["heading"] == "Found again? 2 of 3 topics of good come back in the other run"
    good = found["models"][0]
    assert [row["id"] for row in good["rows"]] == [0, 1, 2]
    assert [row["cells"][0]["value"] for row in good["rows"]] == pytest.approx([1, 1, 0])
    assert [row["cells"][0]["q"] for row in good["rows"]] == [3, 3, 0]


def test_the_topics_of_aligned_runs_show_their_number_in_each_run(tmp_path):
    runs = [model(ENERGY, JUSTICE), model(JUSTICE, ENERGY), model(ARTS, ENERGY)]
    scores = tl.stability(runs, resamples=50)
    found = of(scores, "again")
    assert found["heading"] == "Found again? 1 of 3 topics are in all 3 runs"
    texts = [[cell["text"] for cell in row["cells"]] for row in found["models"][0]["rows"]]
    assert texts == [["0", "1", "1"], ["1", "0", "–"], ["–", "–", "0"]]
    scores.report(tmp_path / "report.html")
    assert 'id="again"' in (tmp_path / "report.html").read_text("utf-8")


def test_the_page_has_the_sections_and_a_hostile_label_does_nothing(tmp_path):
    bad = "</script><script>alert(1)</script>"
    reference = tl.ReferenceTopics.from_words({bad: ["film", "music"], "energy": ["oil", "gas"]}, name=bad)
    scores = tl.evaluate(
        {"m": [model(ENERGY, TAX), model(TAX, ENERGY)]},
        reference_topics=reference,
        measures=["au_cdc"],
        resamples=50,
    )
    scores.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert 'id="coverage"' in page
    assert 'id="again"' in page
    assert 'data-csv="t-uncovered"' in page
    assert "<script>alert" not in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_saved_scores_show_the_same_sections(scores, tmp_path):
    scores.save(tmp_path / "scores")
    again = load_scores(tmp_path / "scores")
    assert of(again)["table"] == of(scores)["table"]
    assert of(again)["plot"] == of(scores)["plot"]


def test_one_command_makes_the_table_and_the_curves(tmp_path):
    from click.testing import CliRunner

    REFERENCE.save(tmp_path / "themes")
    for name, topics in {"a#1": (ENERGY, TAX), "a#2": (JUSTICE, TAX), "b": (ENERGY, JUSTICE)}.items():
        model(*topics, name=name).save(tmp_path / name)
    paths = [str(tmp_path / name) for name in ("a#1", "a#2", "b")]
    options = ["--reference-topics", str(tmp_path / "themes"), "--measures", "coverage"]
    result = CliRunner().invoke(
        cli, ["evaluate", *paths, *options, "--out", str(tmp_path / "out"), "--quiet"]
    )
    assert result.exit_code == 0, result.output
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "a has no topic for" in page or "b has no topic for arts" in page
    assert page.count("<polyline") >= 2


def test_all_numbers_stand_in_tables_with_their_intervals(scores, tmp_path):
    found = of(scores)
    assert [row["model"] for row in found["all"]][:3] == ["good"] * 3
    assert len(found["thresholds"]) == len(found["curves"][0]["values"]) == 51
    assert found["curves"][0]["values"][0] == pytest.approx([5 / 6, 2 / 3, 1], abs=1e-5)
    scores.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert 'data-csv="t-coverage-all"' in page
    assert 'data-csv="t-curves"' in page
