"""Regression of measures on people's judgement: the golden value, scipy beside it, edges, the command."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import linregress

import tealeaves as tl
from tealeaves.cli import run
from tealeaves.errors import InputError
from tealeaves.scores import Scores, score_frame
from tealeaves.stats import explained, regression


def models(n=13, seed=0, data="a"):
    """Models whose agreement with people follows one measure closely, another loosely and a third not."""
    rng = np.random.default_rng(seed)
    people = rng.uniform(0.2, 0.8, n)
    return {
        "model": [f"m{i}" for i in range(n)],
        "dataset": [data] * n,
        "switch_p": 1 - people + rng.normal(0, 0.02, n),
        "coherence": people + rng.normal(0, 0.15, n),
        "noise": rng.normal(size=n),
        "people": people,
    }


# --- values from outside


def test_the_golden_value_three_quarters_of_three_models():  # seed 001, `match_r2`
    assert regression([1 / 4, 1 / 2, 3 / 4], [1, 2, 2], resamples=10).r2.value == pytest.approx(
        3 / 4, abs=1e-12
    )


@given(st.integers(3, 40), st.integers(0, 1000))
def test_the_line_is_the_one_that_scipy_finds(n, seed):
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    ours, theirs = regression(x, y, resamples=1), linregress(x, y)
    assert ours.r2.value == pytest.approx(theirs.rvalue**2, abs=1e-10)
    assert ours.slope.value == pytest.approx(theirs.slope, rel=1e-9)
    assert ours.intercept.value == pytest.approx(theirs.intercept, rel=1e-9, abs=1e-12)


def test_its_draws_are_lines_through_resampled_pairs():
    x, y = np.random.default_rng(5).normal(size=(2, 12))
    found = regression(x, y, resamples=50, seed=9)
    again = np.random.default_rng(9).integers(12, size=(50, 12), dtype=np.int32)
    theirs = [linregress(x[i], y[i]) for i in again]
    np.testing.assert_allclose(found.slope.draws, [one.slope for one in theirs], rtol=1e-9)
    np.testing.assert_allclose(found.r2.draws, [one.rvalue**2 for one in theirs], atol=1e-10)


def test_an_interval_of_the_slope_holds_the_true_one_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    held = 0
    for seed in range(200):
        x = rng.normal(size=60)
        found = regression(x, 2 * x + rng.normal(size=60), resamples=400, seed=seed).slope
        held += found.low <= 2 <= found.high
    assert 0.88 <= held / 200 <= 0.99


# --- edges


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 2], [3, 4], "2 models: a line needs at least 3"),
        ([], [], "0 models: a line needs at least 3"),
        ([1, 1, 1], [1, 2, 3], "the measure is the same for all models"),
        ([1, 2, 3], [0.1, 0.1, 0.1], "the human score is the same for all models"),
    ],
)
def test_where_there_is_no_line_all_is_nan_with_the_reason(x, y, reason):
    found = regression(x, y, resamples=10)
    assert found.reason == reason
    assert np.isnan([found.r2.value, found.slope.value, found.intercept.value, found.r2.low]).all()


def test_pairs_with_a_nan_are_refused_and_counted():
    with pytest.raises(InputError, match=r"1 of 3 pairs have a nan or infinite value, the first at 1"):
        regression([1, np.nan, 3], [1, 2, 3])
    with pytest.raises(InputError, match=r"two arrays of one length"):
        regression([1, 2, 3], [1, 2])


def test_very_small_numbers_are_a_line_too():
    found = regression(np.array([1, 2, 3]) * 1e-200, np.array([1, 2, 3]) * 1e-180, resamples=10)
    assert found.r2.value == pytest.approx(1)
    assert found.slope.value == pytest.approx(1e20)


# --- the table of all measures


def test_one_call_gives_the_r2_of_all_measures_and_how_they_differ():
    found = explained(models(40), "people", resamples=2000)
    assert found.frame["measure"].to_list() == ["switch_p", "coherence", "noise"]
    best = found.frame.row(0, named=True)
    assert best["r2"] > 0.9
    assert best["low"] < best["r2"] < best["high"]
    assert best["slope"] < 0
    pair = {(row["a"], row["b"]): row for row in found.differences.iter_rows(named=True)}
    assert set(pair) == {("switch_p", "coherence"), ("switch_p", "noise"), ("coherence", "noise")}
    assert pair["switch_p", "noise"]["low"] > 0
    assert pair["switch_p", "noise"]["p_holm"] < 0.01
    whole = pair["switch_p", "coherence"]["difference"] + pair["coherence", "noise"]["difference"]
    assert whole == pytest.approx(pair["switch_p", "noise"]["difference"])


def test_differences_are_paired_so_that_a_measure_and_its_complement_never_differ():
    table = models(20)
    table["consistency"] = 1 - table["switch_p"]
    found = explained(table, "people", ["switch_p", "consistency"], resamples=500)
    only = found.differences.row(0, named=True)
    assert [only["difference"], only["low"], only["high"]] == pytest.approx([0, 0, 0], abs=1e-9)
    slopes = found.frame["slope"].to_list()
    assert slopes[0] == pytest.approx(-slopes[1])


def test_data_frames_and_mappings_give_the_same_table():
    table = models()
    pandas = pytest.importorskip("pandas")
    tables = [
        explained(t, "people", resamples=50).frame
        for t in (table, pl.DataFrame(table), pandas.DataFrame(table))
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_groups_are_judged_alone_and_printed_side_by_side():
    a, b = models(13, 1, "Amazon"), models(13, 2, "Newsgroups")
    both = {name: [*a[name], *b[name]] for name in a}
    found = explained(both, "people", by="dataset", resamples=200)
    alone = explained(a, "people", resamples=200).frame.drop("group")
    assert found.frame.filter(found.frame["group"] == "Amazon").drop("group").equals(alone)
    lines = found.to_markdown(2).splitlines()
    assert lines[0] == "| measure | Amazon | Newsgroups |"
    assert len(lines) == 2 + 3


def test_a_model_without_a_value_of_one_measure_is_left_out_of_that_measure_only():
    table = models(10)
    table["coherence"] = [None, float("nan"), *table["coherence"][2:]]
    found = explained(table, "people", resamples=50)
    assert dict(found.frame.select("measure", "n").iter_rows()) == {
        "switch_p": 10,
        "coherence": 8,
        "noise": 10,
    }
    assert set(found.differences["n"]) == {8, 10}


def test_a_constant_measure_has_no_r2_but_a_reason():
    found = explained(models(5) | {"flat": [1.0] * 5}, "people", resamples=50)
    row = found.frame.row(-1, named=True)
    assert (row["measure"], row["reason"]) == ("flat", "the measure is the same for all models")
    assert "| flat | – |" in found.to_markdown()
    last = found.differences.filter(found.differences["b"] == "flat")
    assert last["p"].is_nan().all()


@pytest.mark.parametrize(
    ("changes", "options", "match"),
    [
        ({}, {"human": "rating"}, r"no column 'rating'; there are model, dataset"),
        ({}, {"measures": ["npmi"]}, r"no column 'npmi'"),
        ({}, {"measures": ["model"]}, r"column 'model' must hold numbers, but holds 'm0'"),
        ({"people": ["high"] * 13}, {}, r"column 'people' must hold numbers, but holds 'high'"),
        ({"noise": [1.0]}, {}, r"columns must be of one length"),
        ({}, {"by": "corpus"}, r"no column 'corpus'"),
        ({}, {"resamples": 0}, r"resamples must be"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_what_there_is(changes, options, match):
    with pytest.raises(InputError, match=match):
        explained(models() | changes, **({"human": "people"} | options))


def test_a_table_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"a data frame or a mapping of columns is wanted, but this is int"):
        explained(3, "people")


def test_scores_of_models_are_a_table_too():
    topics = [
        [["oil", "gas"], ["tax", "law"]],
        [["oil", "gas"], ["oil", "law"]],
        [["oil", "gas"], ["gas", "oil"]],
    ]
    named = {f"m{i}": tl.TopicModel.from_words(t) for i, t in enumerate(topics)}
    scores = tl.evaluate(named, measures=["topic_diversity@2"], ci=None)
    found = explained(scores, {"m0": 0.9, "m1": 0.7, "m2": 0.5}, resamples=20)
    assert found.frame["measure"].to_list() == ["topic_diversity@2"]
    assert found.frame["r2"][0] == pytest.approx(1)
    with pytest.raises(InputError, match="no model 'm9'"):
        explained(scores, {"m9": 1.0})


def test_the_same_seed_gives_the_same_intervals():
    a, b, c = (explained(models(), "people", resamples=200, seed=s).frame for s in (3, 3, 4))
    assert a.equals(b)
    assert not a.equals(c)


# --- the command


def call(capsys, *arguments):
    status = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_prints_the_table_and_the_pairs_that_differ(capsys, tmp_path):
    path = tmp_path / "models.csv"
    pl.DataFrame(models(40)).write_csv(path)
    status, out, _ = call(capsys, "regress", path, "--human", "people", "--resamples", 500)
    assert status == 0
    assert "switch_p" in out
    assert "switch_p over noise by" in out
    status, out, _ = call(capsys, "regress", path, "--human", "people", "--resamples", 500, "--json")
    rows = json.loads(out)
    assert [row["measure"] for row in rows["r2"]] == ["switch_p", "coherence", "noise"]
    assert len(rows["differences"]) == 3


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_the_command_reads_tables_of_four_kinds(capsys, tmp_path, kind):
    frame, path = pl.DataFrame(models()), tmp_path / f"models.{kind}"
    if kind == "parquet":
        frame.write_parquet(path)
    elif kind == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="," if kind == "csv" else "\t")
    status, out, _ = call(
        capsys, "regress", path, "--human", "people", "--measures", "noise", "--resamples", 20, "--json"
    )
    assert status == 0
    assert [row["measure"] for row in json.loads(out)["r2"]] == ["noise"]


def test_a_mistake_is_one_message_and_status_1(capsys, tmp_path):
    (tmp_path / "models.csv").write_text("model,people\na,0.5\n", "utf-8")
    (tmp_path / "models.xls").write_text("", "utf-8")
    (tmp_path / "empty.csv").write_text("", "utf-8")
    (tmp_path / "header.csv").write_text("npmi,people\n", "utf-8")
    (tmp_path / "words.csv").write_text("npmi,people\n1,1\n2,high\n", "utf-8")
    for name, option, said in [
        ("models.csv", "rating", "no column 'rating'"),
        ("models.csv", "people", "no column but 'people' holds numbers"),
        ("models.xls", "people", "must be one of .csv"),
        ("empty.csv", "people", "cannot be read as a table"),
        ("absent.csv", "people", "no such file"),
        ("header.csv", "people", "the table has no rows"),
        ("words.csv", "people", "column 'people' must hold numbers, but holds 'high'"),
        (".", "people", "is a folder: scores need the human score of each model, --people TABLE"),
    ]:
        status, out, err = call(capsys, "regress", tmp_path / name, "--human", option)
        assert (status, out) == (1, "")
        assert said in err
        assert err.count("\n") == 1


def test_the_table_shows_intervals_of_r2_and_of_the_slope(capsys, tmp_path):
    path = tmp_path / "models.csv"
    pl.DataFrame(models(40)).write_csv(path)
    _, out, _ = call(capsys, "regress", path, "--human", "people", "--resamples", 200)
    row = explained(models(40), "people", resamples=200).frame.row(0, named=True)
    (line,) = [line for line in out.splitlines() if line.startswith(" switch_p ") and "over" not in line]
    assert f"{row['slope']:.4g}" in line
    assert f"[{row['slope_low']:.4g}, {row['slope_high']:.4g}]" in line
    assert f"[{row['low']:.4f}, {row['high']:.4f}]" in line


def test_what_a_table_writes_for_no_value_is_missing(capsys, tmp_path):
    path = tmp_path / "models.csv"
    path.write_text("npmi,people\n1,1\n2,3\nn/a,9\n3,2\n4,NA\n", "utf-8")
    _, out, _ = call(capsys, "regress", path, "--human", "people", "--resamples", 20, "--json")
    assert json.loads(out)["r2"][0]["n"] == 3


def test_scores_are_set_against_a_table_of_people(capsys, tmp_path):
    rows = [{"model": f"m{i}", "measure": "npmi@10", "level": "model", "value": float(i)} for i in range(4)]
    Scores(score_frame(rows)).save(tmp_path / "scores")
    people = tmp_path / "people.csv"
    people.write_text("model,agreement\nm0,0\nm1,1\nm2,4\nm3,9\n", "utf-8")
    options = ["--people", people, "--human", "agreement", "--resamples", 20, "--json"]
    status, out, _ = call(capsys, "regress", tmp_path / "scores", *options)
    assert status == 0
    (row,) = json.loads(out)["r2"]
    assert (row["measure"], row["n"], row["slope"]) == ("npmi@10", 4, pytest.approx(3))
    people.write_text("name,agreement\nm0,0\n", "utf-8")
    status, _, err = call(capsys, "regress", tmp_path / "scores", *options)
    assert (status, "there is no column 'model'" in err) == (1, True)
    people.write_text("model,agreement\nm0,0\nm0,1\n", "utf-8")
    _, _, err = call(capsys, "regress", tmp_path / "scores", *options)
    assert "model 'm0' has two rows" in err


def test_two_models_drawn_again_and_again_are_no_line():
    found = regression([1, 2, 3], [1, 3, 2])  # most resamples of three models have at most two of them
    assert found.r2.value == pytest.approx(0.25)
    assert np.isnan([found.r2.low, found.r2.high, found.slope.low]).all()
    assert np.isfinite(found.r2.draws).mean() == pytest.approx(6 / 27, abs=0.02)
    apart = explained({"a": [1, 2, 3], "b": [2, 1, 3], "people": [1, 3, 2]}, "people", resamples=50)
    assert np.isnan(apart.differences["p"][0])
    found = regression([1, 2, 3, 4], [1, 3, 2, 4])
    assert found.r2.low <= found.r2.value <= found.r2.high
    assert (
        regression([1, 1, 2, 2], [5, 5, 6, 6]).reason == "fewer than 3 models differ: a line would always fit"
    )
