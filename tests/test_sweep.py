"""A sweep over K and other parameters: what is fitted, kept, measured and said."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tealeaves as tl
from tealeaves.errors import InputError, SpecError
from tealeaves.sweep import Sweep, _frame, family_of
from tealeaves.sweep.cells import Cell, Setting, cut, settings_of
from tealeaves.sweep.words import peak

MEASURES = ["npmi@5", "topic_diversity@5"]


@pytest.fixture(scope="module")
def corpus():
    corpus, _ = tl.synthetic.lda(k=4, documents=120, length=40, vocabulary=80, seed=1)
    return corpus


def made(values, family="lda", measure="npmi@10", setting=""):
    """A frame from {k: [value of each seed]}."""
    rows = [
        {
            "family": family,
            "k": k,
            "setting": setting,
            "seed": seed,
            "measure": measure,
            "value": value,
            "n_topics": k,
            "reason": "",
            "signature": measure,
        }
        for k, of_seeds in values.items()
        for seed, value in enumerate(of_seeds)
    ]
    return rows


# --- the grid


def test_every_setting_is_each_value_with_each_and_foreign_parameters_are_left_out():
    found = settings_of(["lda", "nmf"], [5, 10], {"alpha": [0.1, 0.5], "min_df": [2]})
    lda = [s for s in found if s.family == "lda"]
    assert len(lda) == 4
    assert {dict(s.params)["alpha"] for s in lda} == {0.1, 0.5}
    assert [s.text for s in found if s.family == "nmf"] == ["min_df=2", "min_df=2"]


def test_a_parameter_that_no_family_has_is_named_with_those_there_are():
    with pytest.raises(InputError, match=r"no family of nmf has a parameter 'alpha'; there are min_df"):
        settings_of(["nmf"], [5], {"alpha": [0.1]})


def test_a_cut_leaves_words_their_places_and_takes_their_names():
    corpus = tl.Corpus.from_tokens([["a", "b"], ["b", "c"], ["b"]])
    less = cut(corpus, min_df=1, max_df=2)
    assert less.vocabulary == ("a", "c")
    assert less.tokens.tolist() == [0, -1, -1, 1, -1]
    assert cut(corpus, max_df=0.34).vocabulary == ("a", "c")
    with pytest.raises(InputError, match="leaves none"):
        cut(corpus, min_df=9)


def test_what_a_fit_is_kept_under_changes_with_all_that_can_change_it():
    cell = Cell(Setting("lda", 5, (("alpha", 0.1),)), 0)
    others = [
        Cell(Setting("lda", 6, (("alpha", 0.1),)), 0),
        Cell(Setting("lda", 5, (("alpha", 0.2),)), 0),
        Cell(Setting("nmf", 5, (("alpha", 0.1),)), 0),
        Cell(Setting("lda", 5, (("alpha", 0.1),)), 1),
    ]
    digests = {c.digest("f") for c in [cell, *others]} | {cell.digest("g")}
    assert len(digests) == 6


# --- fitting and keeping


def test_a_sweep_measures_every_run_and_its_runs_together(corpus):
    found = tl.sweep(corpus, ["nmf"], k=[2, 4], seeds=2, measures=MEASURES, workers=1)
    frame = found.frame
    assert set(zip(frame["k"], frame["measure"], strict=True)) >= {(k, m) for k in (2, 4) for m in MEASURES}
    assert frame.filter(pl.col("measure") == "npmi@5").height == 4
    alike = frame.filter(pl.col("measure") == "instance_stabil")
    assert alike["seed"].is_null().all()
    assert (alike["value"] <= 1 + 1e-12).all()
    table = found.table()
    npmi = table.filter((pl.col("measure") == "npmi@5") & (pl.col("k") == 4))
    mine = frame.filter((pl.col("measure") == "npmi@5") & (pl.col("k") == 4))["value"]
    assert npmi["mean"][0] == pytest.approx(mine.mean())
    assert npmi["runs"][0] == 2


def test_the_scores_are_those_of_the_models_fitted_alone(corpus):
    found = tl.sweep(corpus, ["nmf"], k=[3], seeds=[7], holdout=0, measures=MEASURES, workers=1)
    alone = tl.evaluate(tl.fit("nmf", corpus, k=3, seed=7), corpus, measures=MEASURES, ci=None)
    for spec in MEASURES:
        value = found.frame.filter(pl.col("measure") == spec)["value"][0]
        assert value == pytest.approx(alone.value(spec), abs=1e-12)


def test_a_sweep_that_was_stopped_goes_on_and_ends_with_the_same_numbers(corpus, tmp_path):
    whole = tl.sweep(corpus, ["nmf"], k=[2, 3], seeds=2, measures=MEASURES, out=tmp_path / "a", workers=1)

    class Stopped(Exception):
        pass

    def stop(what, done, of):
        if what == "fitting" and done == 2:
            raise Stopped

    with pytest.raises(Stopped):
        tl.sweep(
            corpus,
            ["nmf"],
            k=[2, 3],
            seeds=2,
            measures=MEASURES,
            out=tmp_path / "b",
            workers=1,
            progress=stop,
        )
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "b" / "models").iterdir()}
    assert 0 < len(before) < 8
    again = tl.sweep(corpus, ["nmf"], k=[2, 3], seeds=2, measures=MEASURES, out=tmp_path / "b", workers=1)
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "b" / "models").iterdir()}
    kept = [name for name in before if name.endswith(".json")]
    assert kept
    assert all(after[name] == before[name] for name in kept), "what was fitted was fitted again"
    columns = ["family", "k", "seed", "measure", "value"]
    no_time = pl.col("measure") != "seconds"
    assert again.frame.filter(no_time).select(columns).equals(whole.frame.filter(no_time).select(columns))


def test_more_settings_make_only_those_that_are_new(corpus, tmp_path):
    tl.sweep(corpus, ["nmf"], k=[2], seeds=1, measures=MEASURES, out=tmp_path, workers=1)
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "models").glob("*.json")}
    found = tl.sweep(corpus, ["nmf"], k=[2, 3], seeds=1, measures=MEASURES, out=tmp_path, workers=1)
    assert set(found.frame["k"]) == {2, 3}
    assert all(p.stat().st_mtime_ns == then for p, then in before.items())


def test_a_fit_that_fails_is_a_cell_with_its_reason_and_the_rest_is_measured(corpus):
    small = corpus.select(range(6))
    found = tl.sweep(
        small,
        ["nmf"],
        k=[2],
        seeds=1,
        grid={"min_df": [1, 1000]},
        holdout=0,
        measures=MEASURES,
        workers=1,
    )
    bad = found.frame.filter(pl.col("setting") == "min_df=1000")
    assert bad["value"].is_nan().all()
    assert bad["reason"].str.contains("leaves none").all()
    assert found.frame.filter(pl.col("setting") == "min_df=1")["value"].is_finite().any()
    assert any("failed" in sentence for sentence in found.advice())


def test_models_that_are_fitted_already_are_swept_by_the_number_of_their_topics(corpus):
    models = [tl.fit("nmf", corpus, k=k, seed=s) for k in (2, 3) for s in (0, 1)]
    found = tl.sweep(corpus, models, measures=MEASURES)
    assert set(found.frame["family"]) == {"nmf"}
    assert set(found.frame["k"]) == {2, 3}
    assert found.frame.filter(pl.col("measure") == "npmi@5").height == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": [0]}, "k must be numbers of topics"),
        ({"k": []}, "at least one number of topics"),
        ({"seeds": 0}, "seeds must be a number of runs"),
        ({"seeds": [-1]}, "a seed must be"),
        ({"holdout": 1.5}, "holdout must be a share"),
        ({"models": ["lad"]}, "no family of models 'lad'"),
        ({"models": []}, "at least one family"),
        ({"grid": {"alhpa": [1]}}, "no family of"),
    ],
)
def test_what_cannot_be_swept_is_said_at_once(corpus, options, said):
    with pytest.raises(InputError, match=said):
        tl.sweep(corpus, **({"models": ["nmf"], "k": [2], "seeds": 1, "measures": MEASURES} | options))


def test_a_misspelt_measure_is_said_before_anything_is_fitted(corpus):
    with pytest.raises(SpecError, match="topic_diversity"):
        tl.sweep(corpus, ["nmf"], k=[2], measures=["topic_diversty"])


def test_a_word_that_only_held_out_documents_have_is_unknown_and_not_impossible():
    train = tl.Corpus.from_tokens([["a", "b"], ["c", "d"]] * 20)
    test = tl.Corpus.from_tokens([["a", "b", "a", "new"], ["c", "d", "c", "new"]] * 3)
    whole = tl.Corpus.from_tokens([["a", "b"], ["c", "d"]] * 20, vocabulary=["a", "b", "c", "d", "new"])
    for corpus in (train, whole):
        found = tl.sweep(corpus, ["nmf"], k=[2], seeds=1, held_out=test, measures=["perplexity"], workers=1)
        assert found.frame.filter(pl.col("measure") == "perplexity")["value"].is_finite().all()


def test_scores_are_not_taken_from_a_corpus_with_other_labels(tmp_path, corpus):
    labels = ["a", "b"] * (len(corpus) // 2)
    values = []
    for given in (labels, labels[1:] + labels[:1][::-1], ["a"] * 60 + ["b"] * 60):
        labelled = replace(corpus, labels=tuple(given))
        found = tl.sweep(
            labelled, ["nmf"], k=[4], seeds=1, holdout=0, measures=["purity"], out=tmp_path, workers=1
        )
        values.append(found.frame.filter(pl.col("measure") == "purity")["value"][0])
    assert len(list((tmp_path / "scores").iterdir())) == 3


def test_without_a_folder_a_first_fit_that_fails_is_a_cell_too(corpus):
    small = corpus.select(range(4))
    found = tl.sweep(small, ["nmf"], k=[50], seeds=1, holdout=0, measures=MEASURES, workers=1)
    assert found.frame["value"].is_nan().all()
    assert found.frame["reason"].ne("").any()


def test_a_failure_that_is_not_its_input_s_is_tried_again(tmp_path, corpus, monkeypatch):
    from tealeaves.fit import nmf as module

    def broken(*_, **__):
        raise MemoryError

    good = module.nmf
    for train, works in ((broken, False), (good, True)):
        monkeypatch.setattr(module, "nmf", train)
        found = tl.sweep(corpus, ["nmf"], k=[2], seeds=1, measures=MEASURES, out=tmp_path, workers=1)
        assert found.frame.filter(pl.col("measure") == "npmi@5")["value"].is_finite().all() == works


def test_reference_topics_are_covered_in_a_sweep(corpus):
    looked_for = tl.ReferenceTopics.from_words({"a": list(corpus.vocabulary[:5])})
    found = tl.sweep(
        corpus, ["nmf"], k=[2], seeds=1, reference_topics=looked_for, measures=["au_cdc"], workers=1
    )
    assert found.frame.filter(pl.col("measure") == "au_cdc")["value"].is_finite().all()


@pytest.mark.parametrize("name", ["lda-10-seed1", "run0/lda-10", "lda_k10#2", "lda10_run3"])
def test_names_of_runs_are_of_one_family(name):
    assert family_of(name) == "lda"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_nothing_goes_on_after_kill_9_and_the_next_call_ends_with_the_same_numbers(tmp_path):
    (tmp_path / "docs.txt").write_text(
        "\n".join(["oil gas tax law"] * 40 + ["sun rain wind snow"] * 40), "utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "tealeaves",
        "sweep",
        "--corpus",
        str(tmp_path / "docs.txt"),
        "--k",
        "2,3",
    ]
    command += ["--seeds", "2", "--grid", "iterations=2000", "-m", "npmi@3", "--workers", "2", "--quiet"]
    killed = subprocess.Popen([*command, "--out", str(tmp_path / "a")], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not list(tmp_path.glob("a/models/*.json")):
        time.sleep(0.05)
    children = _children(killed.pid)
    killed.kill()
    killed.wait()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and any(Path(f"/proc/{child}").exists() for child in children):
        time.sleep(0.2)
    assert not any(Path(f"/proc/{child}").exists() for child in children)
    for name in ("a", "b"):
        subprocess.run([*command, "--out", str(tmp_path / name)], check=True, stdout=subprocess.DEVNULL)
    a, b = (pl.read_csv(tmp_path / name / "sweep.csv") for name in ("a", "b"))
    kept = pl.col("measure") != "seconds"
    assert a.filter(kept).equals(b.filter(kept))


def _children(pid):
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if f"PPid:\t{pid}\n" in status.read_text():
                found.append(int(status.parent.name))
        except OSError:
            continue
    return found


# --- what it says


def test_an_infinite_run_is_the_worst_and_stays_one():
    frame = _frame(made({5: [905.0, 905.1], 10: [np.inf, 850.0]}, measure="perplexity"))
    found = peak(frame, "lda", "", "perplexity")
    assert found["k"] == 5
    assert found["near"] == []
    assert "±" not in Sweep(frame).to_markdown().splitlines()[3].partition("∞")[2].partition("|")[0]


def test_a_measure_that_is_infinite_everywhere_is_said_to_have_no_value():
    rows = made({5: [np.inf], 10: [np.inf]}, measure="perplexity")
    for row in rows:
        row["reason"] = "a word of probability 0"
    assert "No value of perplexity: a word of probability 0." in Sweep(_frame(rows)).advice()


def test_a_k_with_an_undefined_run_is_never_the_best():
    frame = _frame(made({5: [0.1, 0.1], 10: [0.9, np.nan], 20: [0.2, 0.2]}))
    assert peak(frame, "lda", "", "npmi@10")["k"] == 20


def test_runs_that_a_seed_does_not_change_are_tested_against_nothing():
    frame = _frame(made({5: [0.1] * 5, 10: [0.4] * 5}))
    assert not peak(frame, "lda", "", "npmi@10")["tested"]
    assert any("every run is the same, whatever the seed" in s for s in Sweep(frame).advice())


def test_equally_good_k_make_no_peak():
    assert peak(_frame(made({5: [1.0], 10: [1.0]})), "lda", "", "npmi@10") is None


def test_a_family_that_finds_its_number_of_topics_says_how_many():
    rows = made({8: [0.1, 0.2], 16: [0.3, 0.4]}, family="hdp")
    for row in rows:
        row["n_topics"] = 5 + row["seed"]
    found = Sweep(_frame(rows))
    assert any("it found 5 to 6 of 8 and 5 to 6 of 16" in s for s in found.advice())
    assert "8 (found 6)" in found.to_markdown()


def test_a_peak_that_is_beyond_noise_is_told_from_one_that_is_not():
    clear = _frame(made({5: [0.1, 0.11, 0.12, 0.1, 0.11], 20: [0.5, 0.51, 0.52, 0.5, 0.51]}))
    found = peak(clear, "lda", "", "npmi@10")
    assert found["k"] == 20
    assert found["near"] == []
    noisy = _frame(made({5: [0.1, 0.5, 0.3, 0.2, 0.4], 20: [0.2, 0.5, 0.3, 0.2, 0.4]}))
    assert peak(noisy, "lda", "", "npmi@10")["near"] == [5]


def test_of_a_measure_whose_low_end_is_best_the_lowest_is_the_peak():
    frame = _frame(made({5: [1500.0, 1510.0], 20: [1200.0, 1210.0], 80: [1300.0, 1310.0]}, measure="cao2009"))
    found = peak(frame, "lda", "", "cao2009")
    assert (found["k"], found["at_end"]) == (20, False)


def test_what_single_runs_would_have_chosen_is_counted():
    frame = _frame(made({10: [0.3, 0.1, 0.3], 20: [0.2, 0.4, 0.2]}))
    assert peak(frame, "lda", "", "npmi@10")["seeds"] == {10: 2, 20: 1}
    assert any("K = 10 for 2 and K = 20 for 1" in s for s in Sweep(frame).advice())


def test_few_runs_are_said_to_be_too_few():
    frame = _frame(made({5: [0.1, 0.1], 10: [0.4, 0.5], 20: [0.2, 0.2]}))
    assert any("2 runs are too few" in sentence for sentence in Sweep(frame).advice())
    one = _frame(made({5: [0.1], 10: [0.4]}))
    assert any("one run of each K cannot say" in sentence for sentence in Sweep(one).advice())


def test_measures_that_disagree_are_said_to_and_purposes_decide():
    frame = pl.concat(
        [
            _frame(made({5: [0.5] * 5, 20: [0.1] * 5})),
            _frame(made({5: [0.6] * 5, 20: [0.9] * 5}, measure="topic_diversity@10")),
        ]
    )
    said = " ".join(Sweep(frame).advice())
    assert "the measures disagree: the best is K = 5 or 20" in said
    assert "For topics that people can read, K = 5 by npmi@10" in said
    assert "for topics that do not repeat each other, K = 20 by topic_diversity@10" in said


def test_undefined_values_are_no_part_of_a_mean_and_an_empty_cell_says_why():
    rows = made({5: [0.1, np.nan]})
    rows[1]["reason"] = "absent word"
    table = Sweep(_frame(rows)).table()
    assert table["mean"][0] == pytest.approx(0.1)
    assert table["runs"][0] == 1
    assert table["reason"][0] == "absent word"
    assert "–" in Sweep(_frame([{**rows[1]}])).to_markdown()


# --- what people see


def test_the_page_holds_every_curve_and_no_foreign_markup(corpus, tmp_path):
    rows = made({5: [0.1, 0.2], 10: [0.4, 0.5]}, family="<script>alert(1)</script>")
    found = Sweep(
        _frame(rows), {"documents": 3, "held_out": 0, "words": 2, "version": "0", "fingerprint": "f" * 64}
    )
    found.about.update(seed=0, seeds=[0, 1], grid={}, measures=["npmi@10"], preprocess="", fitted_here=True)
    found.report(tmp_path / "s.html")
    page = (tmp_path / "s.html").read_text("utf-8")
    assert page.count("<circle cx=") >= 4
    assert "<script>alert" not in page.lower()


def test_the_chart_is_written_as_svg_without_a_network(tmp_path):
    frame = _frame(made({5: [0.1, 0.2], 10: [0.4, 0.5]}) + made({5: [0.2], 10: [0.1]}, family="nmf"))
    Sweep(frame).chart().save(str(tmp_path / "k.svg"))
    assert "npmi@10" in (tmp_path / "k.svg").read_text("utf-8")
    with pytest.raises(InputError, match="no values of 'c_v@10'"):
        Sweep(frame).chart(["c_v@10"])


def test_the_command_sweeps_keeps_and_says(corpus, tmp_path, capsys):
    from tealeaves.cli import run

    words = [" ".join(corpus.vocabulary[w] for w in corpus.document(d)) for d in range(len(corpus))]
    (tmp_path / "docs.txt").write_text("\n".join(words), "utf-8")
    command = [
        "sweep",
        "--corpus",
        str(tmp_path / "docs.txt"),
        "--tokenized",
        "--models",
        "nmf",
        "--k",
        "2,3",
        "--seeds",
        "2",
    ]
    command += ["-m", "npmi@5", "--out", str(tmp_path / "out"), "--json", "--quiet", "--grid", "min_df=1;2"]
    assert run(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["k"] for row in found["table"]} == {2, 3}
    assert found["advice"]
    for name in ("sweep.html", "sweep.csv", "sweep.svg", "sweep.json"):
        assert (tmp_path / "out" / name).stat().st_size > 0


def test_a_sweep_in_which_every_fit_fails_ends_with_a_page_that_says_so(tmp_path, capsys):
    from tealeaves.cli import run

    (tmp_path / "docs.txt").write_text("a b\nb c\na c\n" * 5, "utf-8")
    command = ["sweep", "--corpus", str(tmp_path / "docs.txt"), "--models", "nmf", "--k", "2", "--seeds", "1"]
    assert run([*command, "--grid", "min_df=99", "-m", "npmi@5", "--out", str(tmp_path / "out")]) == 0
    assert "leaves none" in capsys.readouterr().out
    assert "leaves none" in (tmp_path / "out" / "sweep.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("wrong", "status", "said"),
    [
        (["--k", "a"], 2, "no list of whole numbers"),
        (["--grid", "alpha"], 2, "is no grid"),
        (["--models", "lad"], 1, "no family of models"),
    ],
)
def test_the_command_says_what_was_wrong(tmp_path, capsys, wrong, status, said):
    from tealeaves.cli import run

    (tmp_path / "docs.txt").write_text("a b\nb c\na c\n" * 5, "utf-8")
    assert run(["sweep", "--corpus", str(tmp_path / "docs.txt"), *wrong, "-m", "npmi@5"]) == status
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_fits_on_a_cluster_are_those_of_this_process(corpus, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    how = {"k": [2, 3], "seeds": 1, "measures": ["npmi@5"]}
    here, there = (
        tl.sweep(corpus, ["nmf"], **how, out=name, **where).frame.filter(pl.col("measure") == "npmi@5")
        for name, where in (("here", {"workers": 1}), ("there", {"cluster": "local:2"}))
    )
    assert there.equals(here)


@pytest.mark.parametrize(
    ("cluster", "message"), [("here", "cluster must be 'local:N'"), ("tcp://x:1", "name it by out=")]
)
def test_a_cluster_that_cannot_fit_is_refused_at_once(corpus, cluster, message):
    with pytest.raises(InputError, match=message):
        tl.sweep(corpus, ["nmf"], k=[2], cluster=cluster)
