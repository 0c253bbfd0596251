"""``tealeaves experiment`` as a user meets it: also killed, on several processes, on Dask, on real data."""

import json
import os
import subprocess
import sys
import time

import polars as pl
import pytest

from tealeaves.cli import run as tealeaves

SPEC = """
title = "A small one"
seeds = 2
k = [2, 3]
measures = ["npmi@3"]
ci = 0
[[corpora]]
name = "planted"
synthetic = {k = 3, documents = 60, length = 30, vocabulary = 40}
[[models]]
family = "plsa"
"""
SLOW = SPEC + '[[models]]\nfamily = "lda"\niterations = 3000\n'


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "spec.toml"
    path.write_text(SPEC, "utf-8")
    return path


def call(capsys, *arguments):
    status = tealeaves([str(one) for one in arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def command(*arguments):
    return [sys.executable, "-m", "tealeaves", "experiment", *map(str, arguments)]


def test_a_run_prints_its_table_and_status_and_table_go_on_from_it(spec, capsys):
    out = spec.parent / "out"
    status, said, _ = call(capsys, "experiment", "run", spec, "--out", out, "--workers", 1)
    assert status == 0
    assert "| k | npmi@3 ↑ |" in said
    status, said, _ = call(capsys, "experiment", "status", out)
    assert status == 0
    assert "A small one: 4 of 4 models made, 0 failed" in said
    assert "4 of 4 scores made" in said
    for form, sign in (("markdown", "| k |"), ("latex", r"\begin{tabular}"), ("html", "<table>")):
        status, said, _ = call(capsys, "experiment", "table", out, "--format", form)
        assert status == 0
        assert sign in said
    status, said, _ = call(
        capsys, "experiment", "table", out, "--measures", "npmi@3", "--rows", "family", "--columns", "k"
    )
    assert "| family | 2 ↑ | 3 ↑ |" in said
    assert (out / "figures" / "planted-over-k.svg").is_file()


def test_json_is_json_and_nothing_else(spec, capsys):
    out = spec.parent / "out"
    run = ("experiment", "run", spec, "--out", out, "--workers", 1, "--json", "--quiet", "--figures", "none")
    status, said, err = call(capsys, *run)
    assert (status, err) == (0, "")
    assert len(json.loads(said)["rows"]) == 2
    assert json.loads(call(capsys, "experiment", "status", out, "--json")[1])["finished"]
    assert json.loads(call(capsys, "experiment", "table", out, "--json")[1])["rows"][0]["k"] == "2"


def test_a_dry_run_says_what_there_is_to_do_and_makes_nothing(spec, capsys):
    out = spec.parent / "out"
    status, said, _ = call(capsys, "experiment", "run", spec, "--out", out, "--dry-run")
    assert status == 0
    assert "4 models, 4 to make; 4 scores" in said
    assert "more on disk" in said
    assert not list((out / "models").iterdir())
    assert "4 models are left" in call(capsys, "experiment", "status", out)[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "none.toml", "--out", "out"], "none.toml: no such file"),
        (["run", "spec.toml"], "say where its results are to be kept"),
        (["run", "bad.toml", "--out", "out"], "bad.toml: seed: wanted a whole number; found 'x'"),
        (["run", "spec.toml", "--out", "out", "--cluster", "here"], "cluster must be 'local:N'"),
        (["table", "."], "is no experiment"),
        (["status", "."], "is no experiment"),
        (["status", "none"], "no such file"),
        (["table", ".", "--where", "k"], "--where: wanted a name"),
    ],
)
def test_a_mistake_is_one_line(spec, capsys, monkeypatch, arguments, said):
    monkeypatch.chdir(spec.parent)
    (spec.parent / "bad.toml").write_text("seed = 'x'\n" + SPEC, "utf-8")
    status, out, err = call(capsys, "experiment", *arguments)
    assert (status, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1


def test_the_help_has_examples(capsys):
    for name in ("run", "status", "table"):
        status, said, _ = call(capsys, "experiment", name, "--help")
        assert status == 0
        assert f"tealeaves experiment {name}" in said.partition("Examples:")[2]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_after_kill_9_the_next_run_ends_with_the_same_bytes_on_any_workers(tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text(SLOW, "utf-8")
    out = tmp_path / "killed"
    killed = subprocess.Popen(
        command("run", spec, "--out", out, "--workers", 2, "--quiet"), stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and len(list(out.glob("models/*.json"))) < 3:
        time.sleep(0.02)
    assert killed.poll() is None, "it was over before it could be killed"
    killed.kill()
    killed.wait()
    time.sleep(2)  # its workers see that it is gone
    made = {path.name: path.stat().st_mtime_ns for path in out.glob("models/*.json")}
    assert 3 <= len(made) < 8
    assert not (out / "scores.parquet").exists()
    for folder, workers in ((out, 1), (tmp_path / "whole", 2)):
        subprocess.run(
            command("run", spec, "--out", folder, "--workers", workers, "--quiet"),
            check=True,
            stdout=subprocess.DEVNULL,
        )
    assert {p.name: p.stat().st_mtime_ns for p in out.glob("models/*.json") if p.name in made} == made
    for name in ("scores.parquet", "tables/scores.md", "manifest.json", "figures/planted-over-k.svg"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_bytes(tmp_path):
    pytest.importorskip("distributed")
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC, "utf-8")
    for folder, how in (("here", ("--workers", "1")), ("dask", ("--cluster", "local:2"))):
        run = command("run", spec, "--out", tmp_path / folder, *how, "--quiet", "--figures", "none")
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "dask" / "scores.parquet").read_bytes() == (
        tmp_path / "here" / "scores.parquet"
    ).read_bytes()


@pytest.mark.slow
def test_a_small_grid_on_reuters_is_sound(data, tmp_path):
    source = data / "reuters" / "reuters_apte.jsonl.gz"
    if not source.is_file():
        pytest.skip("no Reuters there")
    spec = f"""
    seeds = 2
    k = 10
    measures = ["npmi@10", "topic_diversity@10", "instance_stabil"]
    ci = 0
    [[corpora]]
    name = "reuters"
    path = {json.dumps(str(source))}
    text = "text"
    [[preprocessing]]
    name = "plain"
    stop_words = "english"
    min_length = 3
    min_df = 20
    max_df = 0.3
    [[models]]
    family = "lda"
    iterations = 40
    [[models]]
    family = "nmf"
    """
    (tmp_path / "spec.toml").write_text(spec, "utf-8")
    run = command("run", tmp_path / "spec.toml", "--out", tmp_path / "out", "--quiet")
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    frame = pl.read_parquet(tmp_path / "out" / "scores.parquet").filter(pl.col("level") == "model")
    # NMF is fitted once, whatever the seeds: one run has no stability
    assert frame.filter(~pl.col("value").is_finite())["measure"].to_list() == ["instance_stabil"]
    assert frame.filter(pl.col("measure") == "npmi@10")["value"].min() > 0.05
    assert (tmp_path / "out" / "figures" / "npmi-10-map.svg").is_file()
