"""Automatic measures beside people: published correlations, familiarity, and what cannot be related."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import pearsonr, spearmanr

import tealeaves as tl
from human.people import ratings, right
from tealeaves.errors import InputError
from tealeaves.human import read_answers, relate, score
from tealeaves.human.relate import relate_models

MEASURES = ("c_npmi_10_full", "c_v_full", "c_uci_full", "u_mass_full")
# Spearman's correlations with mean rating and share of intruders found, as the data's README has them.
PUBLISHED = {
    "wikitext": ((0.430, 0.381), (0.415, 0.363), (0.393, 0.355), (0.086, 0.039)),
    "nytimes": ((0.378, 0.284), (0.415, 0.355), (0.390, 0.314), (0.106, 0.064)),
}


@pytest.fixture(scope="module")
def hoyle(data):
    path = data / "human" / "hoyle2021_topics.jsonl"
    topics = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    table = [
        {
            "study": t["dataset"],
            "model": t["model"],
            "topic": t["topic"],
            **{m: t["published"][m] for m in MEASURES},
        }
        for t in topics
    ]
    return relate(table, score(read_answers(path), resamples=2, chance=1 / 6), resamples=200)


@pytest.mark.parametrize("study", PUBLISHED)
def test_published_correlations_of_hoyle_2021(hoyle, study):
    for measure, (rating, found) in zip(MEASURES, PUBLISHED[study], strict=True):
        for human, wanted in (("rating", rating), ("model_precision", found)):
            [row] = hoyle.frame.filter(
                (pl.col("study") == study)
                & (pl.col("human") == human)
                & (pl.col("measure") == measure)
                & (pl.col("topics") == "all topics")
            ).to_dicts()
            assert row["spearman"] == pytest.approx(wanted, abs=6e-4)
            assert row["spearman_low"] < row["spearman"] < row["spearman_high"]
            assert row["r2"] == pytest.approx(row["pearson"] ** 2)
            assert row["n"] == 150


def test_without_the_13_topics_whose_words_most_did_not_know_npmi_goes_along_better(hoyle):
    rows = hoyle.frame.filter(
        (pl.col("study") == "nytimes") & (pl.col("human") == "rating") & (pl.col("measure") == MEASURES[0])
    )
    found = {row["topics"]: row for row in rows.to_dicts()}
    assert found["familiar topics"]["n"] == 150 - 13
    assert found["all topics"]["spearman"] == pytest.approx(0.38, abs=5e-3)
    assert found["familiar topics"]["spearman"] == pytest.approx(0.47, abs=5e-3)
    assert found["familiarity held constant"]["spearman"] > found["all topics"]["spearman"]


def test_the_table_has_a_row_per_measure_and_a_column_per_human_score(hoyle):
    lines = hoyle.to_markdown(digits=2).splitlines()
    heads = ("wikitext: rating", "wikitext: model_precision", "nytimes: rating", "nytimes: model_precision")
    assert lines[0] == f"| measure | {' | '.join(heads)} |"
    assert lines[2].startswith("| c_npmi_10_full | 0.43 [")
    assert len(lines) == 2 + len(MEASURES)
    with pytest.raises(InputError, match="method must be one of"):
        hoyle.to_markdown("kendall")


def made(n=40, seed=0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    people = ratings(np.clip(np.round(2 + 0.6 * quality + rng.normal(0, 0.5, (9, n))), 1, 3))
    table = {"model": ["lda"] * n, "topic": list(range(n)), "good": quality, "noise": rng.normal(size=n)}
    return table, score(people, resamples=2)


def test_a_measure_that_knows_more_goes_along_better_by_more_than_chance():
    table, result = made()
    found = relate(table, result, resamples=500)
    values = result.of_topics("rating", "lda")
    row = found.frame.filter(pl.col("measure") == "good").to_dicts()[0]
    assert row["spearman"] == pytest.approx(spearmanr(table["good"], values).statistic)
    assert row["pearson"] == pytest.approx(pearsonr(table["good"], values).statistic)
    [difference] = found.differences.to_dicts()
    assert difference["low"] > 0
    assert difference["p_holm"] < 0.05


def test_partial_correlation_is_that_of_what_familiarity_leaves_over():
    rng = np.random.default_rng(1)
    known = rng.random(60)
    x, y = known + rng.normal(0, 0.3, 60), known + rng.normal(0, 0.3, 60)
    rows = pl.DataFrame(
        {
            "study": "", "task": "t", "measure": "rating", "model": "lda", "topic": range(60), "item": "",
            "value": y, "low": np.nan, "high": np.nan, "known": known, "n": 1, "unreadable": None,
        }
    )  # fmt: skip
    result = made()[1]
    result = type(result)(**{**vars(result), "topics": rows})
    found = relate({"model": ["lda"] * 60, "topic": list(range(60)), "m": x}, result, resamples=50).frame
    rest = [side - np.polyval(np.polyfit(known, side, 1), known) for side in (x, y)]
    row = found.filter(pl.col("topics") == "familiarity held constant").to_dicts()[0]
    assert row["pearson"] == pytest.approx(pearsonr(*rest).statistic)


def test_topics_without_a_score_are_left_out_and_counted():
    table, result = made()
    table["good"][3] = np.nan
    rows = {row["measure"]: row["n"] for row in relate(table, result, resamples=10).frame.to_dicts()}
    assert rows == {"good": 39, "noise": 40}


def test_what_cannot_be_related_has_its_reason():
    table, result = made(5)
    table["flat"] = np.zeros(5)
    frame = relate(table, result, measures=["flat"], resamples=10).frame
    assert frame["reason"].to_list() == ["the measure is the same for all topics"]
    few = made(3)
    assert relate(*few, resamples=10).frame["reason"].unique().to_list() == ["fewer than 5 topics"]


def test_models_of_other_names_unknown_measures_and_tables_without_topics_are_refused():
    table, result = made(5)
    with pytest.raises(InputError, match="do the models' names agree\\? automatic: nmf; people: lda"):
        relate({**table, "model": ["nmf"] * 5}, result)
    with pytest.raises(InputError, match="there is no measure 'c_v'; there are good, noise"):
        relate(table, result, measures=["c_v"])
    with pytest.raises(InputError, match="there is no human measure 'fun'; there are rating"):
        relate(table, result, human=["fun"])
    with pytest.raises(InputError, match="needs a column 'topic'"):
        relate([{"model": "lda", "npmi": 1.0}], result)


def test_scores_of_tealeaves_are_related_topic_by_topic():
    topics = [["oil", "gas"], ["tea", "cup"], ["war", "army"], ["oil", "cup"], ["tea", "army"]]
    docs = tl.Corpus.from_tokens(
        [["oil", "gas"], ["tea", "cup", "oil"], ["war", "army"], ["army", "tea"]] * 3
    )
    model = {"lda": tl.TopicModel.from_words(topics)}
    scores = tl.evaluate(model, reference=docs, measures=["npmi@2"], ci=None)
    result = score(right([[1, 1, 1, 0, 1], [1, 0, 1, 0, 0]]), resamples=2)
    row = relate(scores, result, resamples=20).frame.to_dicts()[0]
    assert row["n"] == 5
    assert row["spearman"] == pytest.approx(spearmanr(scores.topics("npmi@2"), [1, 0.5, 1, 0, 0.5]).statistic)


def test_over_models_it_is_the_r2_that_001_prints():
    names = [f"m{n}" for n in range(5)]
    found = score(right(np.tril(np.ones((5, 5))), models=names), resamples=2)
    table = {"model": names, "switch_p": [0.9, 0.7, 0.65, 0.3, 0.2]}
    explained = relate_models(table, found, resamples=50).frame
    wanted = pearsonr(table["switch_p"], found.models["value"]).statistic ** 2
    assert explained["r2"].to_list() == pytest.approx([wanted])


def test_several_tokens_of_one_topic_are_averaged_by_their_answers():
    from tealeaves.human import Answers, relate, score

    shares = [(1, 0, 0), (1, 1, 0), (0, 0, 0), (1, 1, 1), (1, 0, 1), (0, 1, 0)]
    rows = [
        {"rater": f"R{r}", "item": f"t{k}x{n}", "task": "topic_word_matching", "model": "lda", "topic": k,
         "correct": bool(right)}
        for k, tokens in enumerate(shares) for n, right in enumerate(tokens) for r in range(n + 1)
    ]  # fmt: skip
    people = [sum(right * (n + 1) for n, right in enumerate(tokens)) / 6 for tokens in shares]
    table = {"model": ["lda"] * 6, "topic": list(range(6)), "same": people}
    found = relate(table, score(Answers.from_rows(rows), resamples=100), resamples=100).frame.to_dicts()[0]
    assert found["n"] == 6
    assert found["pearson"] == pytest.approx(1)
