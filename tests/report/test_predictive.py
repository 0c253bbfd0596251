"""The report's section on held-out likelihood, and what stands beside scores elsewhere."""

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.report.predictive import predictive
from tealeaves.scores_export import companion_lines


@pytest.fixture(scope="module")
def scores():
    train = tl.Corpus.from_tokens([["a", "b"] * 5, ["c", "d"] * 5] * 5)
    test = tl.Corpus.from_tokens([["a", "b"] * 4, ["c", "d"] * 4] * 3)
    phi = [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]
    sharp = tl.TopicModel(["a", "b", "c", "d"], phi, alpha=0.1, name="sharp")
    flat = tl.TopicModel(["a", "b", "c", "d"], np.full((2, 4), 0.25), alpha=0.1, name="flat")
    return tl.evaluate([sharp, flat], train, held_out=test, measures=["perplexity"], resamples=20)


def section(scores):
    return predictive(scores, [dict(row) for row in scores.frame.to_dicts()], vars(scores.details))


def test_the_lowest_is_named_without_a_verdict_and_baselines_stand_beside_each(scores):
    found = section(scores)
    assert found["heading"].startswith("On new documents: held-out perplexity is lowest for sharp (")
    assert not found["tables"][0]["unlike"]
    rows = {row["model"]: row for row in found["tables"][0]["rows"]}
    assert rows["flat"]["value"] == pytest.approx(4)
    assert rows["flat"]["uniform"] == pytest.approx(4)
    assert rows["sharp"]["unigram"] == pytest.approx(4)
    assert rows["sharp"]["value"] < 2.5


def test_without_held_out_measures_there_is_no_section():
    corpus = tl.Corpus.from_tokens([["a", "b"]] * 3)
    found = tl.evaluate(tl.TopicModel.from_words([["a", "b"]]), corpus, measures=["npmi@2"], ci=None)
    assert section(found) is None


def test_the_page_shows_the_section_and_its_menu_entry(scores, tmp_path):
    scores.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert 'href="#predictive"' in page
    assert "Word frequencies alone" in page


def test_models_that_were_not_scored_alike_are_said_to_be(scores, tmp_path):
    test = tl.Corpus.from_tokens([["a", "b"] * 4])
    models = [
        tl.TopicModel(["a", "b"], [[0.6, 0.4], [0.3, 0.7]], alpha=0.1, name="lda"),
        tl.TopicModel(["a", "b"], [[0.6, 0.4], [0.3, 0.7]], name="nmf"),
    ]
    found = tl.evaluate(models, held_out=test, measures=["perplexity"], ci=None)
    (table,) = section(found)["tables"]
    assert table["unlike"] == "lda: completion by vb, 5 random splits; nmf: completion by em, 5 random splits"
    found.report(tmp_path / "r.html")
    assert "Not scored alike" in (tmp_path / "r.html").read_text("utf-8")


def test_a_bias_stands_under_the_error_and_a_reason_in_one_wide_cell(tmp_path):
    test = tl.Corpus.from_tokens([["a", "b", "a", "a"]])
    models = [
        tl.TopicModel(["a", "b"], [[0.6, 0.4], [0.3, 0.7]], alpha=0.1, name="lda"),
        tl.TopicModel(["a", "b"], [[0.6, 0.4], [0.3, 0.7]], name="nmf"),
    ]
    found = tl.evaluate(models, held_out=test, measures=["log_likelihood(samples=20)"], ci=None)
    found.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert '<span class="rng">bias ' in page
    assert '<td class="na" colspan="6"' in page


def test_tables_say_what_stands_beside_a_score_once_where_models_share_it(scores):
    (line,) = companion_lines(scores)
    assert line.startswith("beside perplexity: ")
    assert "every word alike 4.000" in line
    assert "(sharp)" not in line.partition("every word alike")[2]
    assert line in scores.to_markdown()


def test_a_mean_over_fewer_runs_than_there_are_says_so_and_why():
    train, test = (tl.Corpus.from_tokens([["a", "b"] * 4] * 3) for _ in range(2))
    phi = tl.TopicModel(["a", "b"], [[0.6, 0.4], [0.3, 0.7]], alpha=0.1)
    lists = tl.TopicModel.from_words([["a", "b"]])
    asked = {"measures": ["perplexity"], "ci": None}
    found = tl.evaluate({"lda": [phi, lists]}, train, held_out=test, **asked)
    rows = [{k: None if v != v else v for k, v in row.items()} for row in found.frame.to_dicts()]
    [row] = predictive(found, rows, vars(found.details))["tables"][0]["rows"]
    assert row["value"] == pytest.approx(found.value("perplexity", model="lda#1"))
    assert row["reason"].startswith("1 of 2 runs have a value: ")
    assert len(row["reason"]) > len("1 of 2 runs have a value: ")
