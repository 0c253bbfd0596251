import json

import numpy as np
import polars as pl
import pytest

from report.fake import HOSTILE, fake_scores
from tealeaves.report.method import differences
from tealeaves.report.summary import summarize


@pytest.fixture(scope="module")
def summary():
    return summarize(fake_scores())


def model(summary, base):
    return next(m for m in summary["models"] if m["base"] == base)


def column(summary, spec):
    return next(c for c in summary["table"]["columns"] if c["spec"] == spec)


def test_every_verdict_is_reached_by_the_topic_made_for_it(summary):
    verdicts = {t["id"]: t["verdict"] for t in model(summary, "lda-8")["topics"]}
    assert verdicts == {
        0: "merge", 1: "keep", 2: "merge", 3: "split", 4: "drop", 5: "check", 6: "unknown", 7: "keep",
    }  # fmt: skip


def test_topics_keep_their_own_numbers_and_those_that_need_attention_come_first(summary):
    topics = model(summary, "lda-8")["topics"]
    assert [t["verdict"] for t in topics][:2] == ["drop", "unknown"]
    assert sorted(t["id"] for t in topics) == list(range(8))
    assert [t["rank"] for t in topics] == list(range(8))


def test_runs_of_one_model_are_one_row_with_the_lowest_and_the_highest(summary):
    assert [(m["name"], m["runs"]) for m in summary["table"]["models"]] == [
        ("lda-8", 3),
        ("nmf-8", 3),
        ("lists", 1),
    ]
    cell = column(summary, "npmi@10")["cells"]["lda-8"]
    values = fake_scores().frame.filter(
        pl.col("model").str.starts_with("lda")
        & (pl.col("measure") == "npmi@10")
        & (pl.col("level") == "model")
    )["value"]
    assert cell["points"] == values.to_list()
    assert (cell["value"], cell["low"], cell["high"]) == (
        pytest.approx(values.mean()),
        values.min(),
        values.max(),
    )


def test_about_best_needs_runs_of_both_and_a_corrected_p(summary):
    cells = column(summary, "npmi@10")["cells"]
    assert {n: c["tag"] for n, c in cells.items()} == {
        "nmf-8": "best",
        "lda-8": "≈ best",
        "lists": "needs more runs",
    }


def test_better_is_said_only_when_runs_settle_it():
    scores = fake_scores(models=("lda-8#1", "lda-8#2", "nmf-8#1", "nmf-8#2"))
    unsettled = json.dumps(summarize(scores)["answer"], ensure_ascii=False)
    assert "cannot be told apart" in unsettled
    assert "better (" not in unsettled
    scores.comparisons["npmi@10"][0]["p_holm"] = 0.04
    summary = summarize(scores)
    assert "nmf-8 is better (0.18), and that is real" in summary["answer"][0]["says"][0]
    assert [(r["name"], r["answer"]) for r in summary["real"]["rows"]] == [("lda-8", "Yes")]


def test_one_run_a_model_is_said_to_need_more():
    summary = summarize(fake_scores(models=("a", "b")))
    assert any("Whether that is more than a lucky start" in s for s in summary["answer"][0]["says"])
    assert any(w["title"] == "Every model was fitted once." for w in summary["warnings"])
    assert column(summary, "npmi@10")["cells"]["a"]["tag"] == "needs more runs"


def test_one_run_a_model_names_the_highest_and_at_most_three_that_may_be_as_good():
    says = summarize(fake_scores(models=("a", "b", "c", "d", "e", "f"), hostile=False))["answer"][0]["says"]
    assert "has the highest value (0." in says[0]
    assert "and 1 more cannot be ruled out without more runs." in says[0]
    assert "cannot be told apart" not in says[0]
    assert "f (0.16) has the same." in says[0]
    assert says[0].count("(0.") == 1 + 1 + 3


def partly(scores, model, topics):
    """The scores, with npmi@10 of ``model`` at 0.9 and defined for the first ``topics`` topics only."""
    of = (pl.col("model") == model) & (pl.col("measure") == "npmi@10")
    lost = of & (pl.col("level") == "topic") & (pl.col("topic") >= topics)
    value = pl.when(lost).then(float("nan")).when(of & (pl.col("level") == "model")).then(0.9)
    scores.frame = scores.frame.with_columns(value.otherwise(pl.col("value")).alias("value"))
    return scores


def test_a_model_without_a_score_for_every_topic_does_not_lead():
    summary = summarize(partly(fake_scores(models=("a", "b", "c")), "a", 3))
    cells = column(summary, "npmi@10")["cells"]
    assert (cells["a"]["tag"], cells["a"]["partial"]) == ("", "over 3 of 8 topics")
    assert cells["c"]["tag"] == "best"
    says = summary["answer"][0]["says"][0]
    assert "c has the highest value" in says
    assert "a (0.90) is a mean over 3 of 8 topics only and is not compared." in says
    two = summarize(partly(fake_scores(models=("a", "b")), "a", 3))
    assert {c["tag"] for c in column(two, "npmi@10")["cells"].values()} == {""}
    assert "no model can be compared with b" in two["answer"][0]["says"][0]


def test_the_report_says_what_intervals_are_over(summary):
    assert column(summary, "npmi@10")["unit"] == "documents and topics"


def test_a_difference_is_the_models_value_minus_the_leading_one(summary):
    runs = summary["real"]["rows"][0]["runs"]
    assert (summary["real"]["top"], runs["value"], runs["low"], runs["high"]) == ("nmf-8", 0.03, 0.0, 0.06)


def test_a_measure_without_any_value_becomes_a_reason_instead_of_a_column(summary):
    assert summary["table"]["missing"] == [
        {"title": "Held-out perplexity", "spec": "perplexity", "reason": "no held-out documents were given"}
    ]
    assert "perplexity" not in {c["spec"] for c in summary["table"]["columns"]}


def test_an_undefined_cell_keeps_its_reason_and_is_never_zero(summary):
    cell = column(summary, "sig_uni")["cells"]["lists"]
    assert (cell["value"], cell["reason"], cell["tag"]) == (None, "word lists have no weights", "")


def test_word_lists_lose_size_and_weights_with_the_reason(summary):
    lists = model(summary, "lists")
    assert not lists["sizes"]
    assert lists["why"] == "No size and no weights of topics: the model is word lists only."
    assert model(summary, "lda-8")["why"] == ""


def test_unknown_words_come_with_their_hints(summary):
    topic = next(t for t in model(summary, "lda-8")["topics"] if t["id"] == 6)
    assert topic["absent"] == ["<img src=x onerror=alert(1)>"]
    assert topic["hints"] == {"<img src=x onerror=alert(1)>": "did you mean “saucers”?"}


def test_near_duplicates_list_the_words_they_share(summary):
    first = summary["twins"]["rows"][0]
    assert (first["topic_a"], first["topic_b"], first["merge"]) == (0, 2, True)
    assert first["words"] == ["harbour", "ship", "port", "cargo", "dock", "vessel"]


def test_topics_that_share_words_are_related_though_the_scores_do_not_say_so():
    scores = fake_scores(models=("a",), hostile=False)
    scores.details["similar"] = []
    scores.details["models"]["a"]["topics"][4][:2] = ["rain", "cloud"]
    rows = summarize(scores)["twins"]["rows"]
    assert [(r["topic_a"], r["topic_b"], r["shared"], r["merge"]) for r in rows] == [
        (0, 2, 6, True),
        (4, 5, 2, False),
    ]


def test_one_model_is_drawn_on_the_measures_own_scale_or_not_at_all():
    table = summarize(fake_scores(models=("a",)))["table"]
    cells = {c["spec"]: c["cells"]["a"] for c in table["columns"]}
    assert (cells["npmi@10"]["min"], cells["npmi@10"]["max"]) == (-1, 1)
    assert cells["umass@10"]["min"] is None


def test_a_value_further_from_the_best_than_both_intervals_needs_no_more_runs():
    scores = fake_scores(models=("a", "b"))
    far = pl.when((pl.col("model") == "a") & (pl.col("level") == "model") & (pl.col("measure") == "npmi@10"))
    moved = [far.then(pl.col(c) - 0.07).otherwise(pl.col(c)).alias(c) for c in ("value", "low", "high")]
    scores.frame = scores.frame.with_columns(moved)
    cells = column(summarize(scores), "npmi@10")["cells"]
    assert (cells["a"]["tag"], cells["b"]["tag"]) == ("", "best")


def test_without_random_lists_a_warning_says_what_stands_in():
    summary = summarize(fake_scores(models=("a",), chance=False))
    assert "No random word lists were drawn." in {w["title"] for w in summary["warnings"]}
    assert summary["models"][0]["above"] is None


def test_warnings_are_ordered_and_a_level_in_the_text_is_used(summary):
    levels = [w["level"] for w in summary["warnings"]]
    assert levels == sorted(levels, key=("Stop", "Look", "Note").index)
    assert summary["warnings"][0]["says"] == "the reference has few documents"


def test_the_summary_is_strict_json(summary):
    assert HOSTILE in json.dumps(summary, allow_nan=False, ensure_ascii=False)


def test_a_report_without_npmi_judges_by_the_pair_matrix():
    scores = fake_scores(models=("a",))
    scores.frame = scores.frame.filter(pl.col("measure") == "topic_diversity@10")
    topic = next(t for t in summarize(scores)["models"][0]["topics"] if t["id"] == 4)
    matrix = np.array(topic["matrix"])
    assert topic["npmi"] == pytest.approx(matrix[np.triu_indices(10, 1)].mean(), abs=1e-3)
    assert topic["verdict"] == "drop"


@pytest.mark.parametrize(
    "spec",
    [
        "npmi(window=10)@10",
        "npmi(smoothing=1e-12, window=10)@10",
        "npmi(smoothing=0.5)@10",
        "npmi(compat='gensim')@10",
        "npmi(oov='smooth')@10",
        "npmi@20",
    ],
)
def test_no_other_npmi_decides_beside_the_matrix_of_documents(spec):
    scores = fake_scores(models=("a",))
    renamed = pl.col("measure").str.replace("npmi@10", spec, literal=True)
    scores.frame = scores.frame.with_columns(renamed)
    summary = summarize(scores)
    topic = next(t for t in summary["models"][0]["topics"] if t["id"] == 0)
    mean = np.array(topic["matrix"])[np.triu_indices(10, 1)].mean()
    assert (topic["npmi"], topic["low"], topic["band"]) == (pytest.approx(mean, abs=1e-3), None, None)
    assert "Verdicts are judged by the pair matrix alone." in {w["title"] for w in summary["warnings"]}


@pytest.mark.parametrize("spec", ["npmi@5", "npmi(oov='drop')@5"])
def test_the_matrix_is_of_the_words_that_the_measure_scored(spec):
    scores = fake_scores(models=("a",))
    renamed = pl.col("measure").str.replace("npmi@10", spec, literal=True)
    scores.frame = scores.frame.with_columns(renamed)
    (found,) = summarize(scores)["models"]
    assert found["main"] == spec
    assert not found["by_pairs"]
    topic = next(t for t in found["topics"] if t["id"] == 3)
    assert (len(topic["matrix"]), len(topic["judged"])) == (5, 5)
    assert topic["verdict"] != "split", "the second subject is beyond the five words"


def test_signatures_are_told_apart_part_by_part():
    assert differences("npmi|top:10|docs:7", "npmi|top:20|docs:7|gaps:kept") == [
        ("top", "10", "20"),
        ("gaps", "not said", "kept"),
    ]


def test_against_other_scores_says_which_part_differs():
    here, other = fake_scores(models=("a",)), fake_scores(models=("a",))
    other.frame = other.frame.with_columns(pl.col("signature").str.replace("docs:7769", "docs:99"))
    other.frame = other.frame.filter(pl.col("measure") != "umass@10")
    against = summarize(here, other)["against"]
    said = {m["spec"]: (m["differs"], m["only"]) for m in against["measures"]}
    assert said["npmi@10"] == ([("docs", "7769", "99")], "")
    assert said["umass@10"] == ([], "only in these scores")
    assert summarize(here, here)["against"]["heading"] == "All signatures agree: the numbers can be compared"


def test_how_to_reproduce_names_every_run_and_measure(summary):
    python = summary["method"]["python"]
    compile(python, "report", "exec")
    for part in (
        '"lda-8": [',
        'tl.read_model("lda-8-3.npz")',
        '"lists": tl.read_model("lists.npz")',
        '"umass@10"',
    ):
        assert part in python
    assert "lda-8-1.npz lda-8-2.npz" in summary["method"]["command"]


def test_against_other_scores_says_how_values_and_topics_differ():
    here, other = fake_scores(models=("a", "b")), fake_scores(models=("a", "c"))
    moved = (pl.col("model") == "a") & (pl.col("measure") == "npmi@10") & (pl.col("topic") == 3)
    other.frame = other.frame.with_columns(
        value=pl.when(moved).then(pl.col("value") + 0.25).otherwise(pl.col("value"))
    )
    against = summarize(here, other)["against"]
    npmi = next(m for m in against["measures"] if m["spec"] == "npmi@10")
    assert [(v["model"], v["change"]) for v in npmi["values"]] == [("a", 0.0)]
    assert npmi["values"][0]["topics"].startswith("1 of 8 topics differ, most topic 3: ")
    assert (against["only_here"], against["only_there"]) == (["b"], ["c"])


def test_a_difference_in_rounding_is_none():
    here, other = fake_scores(models=("a",)), fake_scores(models=("a",))
    other.frame = other.frame.with_columns(pl.col("value") * (1 + 1e-12))
    against = summarize(here, other)["against"]
    assert {v["change"] for m in against["measures"] for v in m["values"]} == {0.0}
    assert not any(v["topics"] for m in against["measures"] for v in m["values"])
