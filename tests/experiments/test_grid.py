"""A grid of experiments: what is made, kept, resumed, refused, and written."""

import json
import operator
import os
import shutil
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tealeaves as tl
from tealeaves.errors import FormatError, InputError
from tealeaves.experiments import load_experiment, run_experiment, status
from tealeaves.experiments.cells import kept_scores
from tealeaves.experiments.grid import cells_of
from tealeaves.sweep.pool import Lost, run_all

SPEC = """
seeds = 2
k = [2, 3]
measures = ["npmi@3", "topic_diversity@3"]
ci = 0

[[corpora]]
name = "a"
path = "a.txt"

[[corpora]]
name = "b"
path = "b.txt"

[[models]]
family = "plsa"
"""
A = ["oil gas coal steam"] * 15 + ["law tax court judge"] * 15 + ["sun rain wind snow"] * 15
B = ["cat dog cow horse"] * 20 + ["bread milk rice salt"] * 20


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, "a", A)
    write(tmp_path, "b", B)
    (tmp_path / "spec.toml").write_text(SPEC, "utf-8")
    return tmp_path


def write(folder, name, lines):
    (folder / f"{name}.txt").write_text("\n".join(lines), "utf-8")


def run(folder, spec=None, out="out", **options):
    path = folder / "spec.toml"
    if spec is not None:
        path = folder / "other.toml"
        path.write_text(spec, "utf-8")
    return run_experiment(path, folder / out, **({"workers": 1, "figures": ()} | options))


def models(folder, out="out"):
    return {path: path.stat().st_mtime_ns for path in (folder / out / "models").glob("*.json")}


# --- what is made


def test_every_corpus_has_every_model_and_every_measure(folder):
    found = run(folder).frame.filter(pl.col("level") == "model")
    assert found.height == 2 * 2 * 2 * 2
    assert set(found.select("corpus", "k", "seed", "measure").rows()) == {
        (corpus, k, seed, measure)
        for corpus in "ab"
        for k in (2, 3)
        for seed in (0, 1)
        for measure in ("npmi@3", "topic_diversity@3")
    }


def test_scores_are_those_of_models_fitted_and_evaluated_alone(folder):
    frame = run(folder, SPEC.replace("ci = 0", "")).frame
    corpus = tl.read_corpus(folder / "a.txt")
    model = tl.fit("plsa", corpus, k=3, seed=1)
    alone = tl.evaluate(model, corpus, measures=["npmi@3", "topic_diversity@3"], chance=0).frame
    columns = ["measure", "level", "topic", "value", "low", "high", "n_terms", "reason", "signature"]
    mine = frame.filter((pl.col("corpus") == "a") & (pl.col("k") == 3) & (pl.col("seed") == 1))
    assert mine.select(columns).equals(alone.select(columns))


def test_a_corpus_is_counted_once_for_all_its_models(folder, monkeypatch):
    from tealeaves import run as running

    calls = []
    counted = running.counted
    monkeypatch.setattr(running, "counted", lambda *a, **k: calls.append(1) or counted(*a, **k))
    run(folder)
    assert len(calls) == 2
    more = SPEC.replace('"npmi@3", ', '"npmi@3", "umass@3", ')
    made = models(folder)
    assert "umass@3" in set(run(folder, more).frame["measure"])
    assert len(calls) == 4
    assert models(folder) == made, "a new measure fitted models again"


def test_every_preprocessing_is_made_of_every_corpus_it_is_for(folder):
    spec = SPEC + '\n[[preprocessing]]\n[[preprocessing]]\nname = "few"\nmin_df = 16\ncorpora = ["b"]\n'
    frame = run(folder, spec).frame
    assert set(frame.select("corpus", "preprocessing").rows()) == {("a", ""), ("b", ""), ("b", "few")}
    about = json.loads((folder / "out" / "manifest.json").read_text("utf-8"))
    assert [one["words"] for one in about["corpora"]] == [12, 8, 8]


def test_words_that_are_cut_already_stay_as_they_are_under_any_preprocessing(tmp_path):
    write(tmp_path, "c", ["Oil-gas e.g. TAX", "Oil-gas e.g. law", "the TAX law"] * 5)
    spec = """
    k = 2
    measures = "topic_diversity@2"
    [[corpora]]
    path = "c.txt"
    tokenized = true
    [[preprocessing]]
    name = "without"
    stop_words = ["the", "e.g."]
    [[preprocessing]]
    name = "rare"
    min_df = 10
    [[models]]
    family = "plsa"
    """
    run(tmp_path, spec)
    about = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    words = {}
    for one in about["models"]:
        words[one["preprocessing"]] = tl.load_model(tmp_path / "out" / "models" / one["model"]).vocabulary
    assert set(words["without"]) == {"Oil-gas", "TAX", "law"}
    assert set(words["rare"]) == {"Oil-gas", "e.g.", "TAX", "law"}


def test_each_value_of_an_option_is_a_model_of_its_own(folder):
    spec = SPEC + '\n[[models]]\nfamily = "lda"\niterations = 10\nalpha = [0.1, 0.5]\nk = 2\nseeds = [7]\n'
    frame = run(folder, spec).frame
    mine = frame.filter(pl.col("family") == "lda")
    assert set(mine["options"]) == {"alpha=0.1, iterations=10", "alpha=0.5, iterations=10"}
    assert set(mine["seed"]) == {7}
    assert set(mine["k"]) == {2}


def test_files_of_other_tools_are_models_too_and_runs_of_one_family_are_numbered(folder):
    (folder / "runs").mkdir()
    for i in (1, 2):
        topics = {"topics": [["oil", "gas", "coal"], ["law", "tax", "court"]]}
        (folder / "runs" / f"mallet-2-run{i}.json").write_text(json.dumps(topics["topics"]))
    spec = SPEC + '\n[[models]]\nread = "runs/*.json"\ncorpora = ["a"]\n'
    frame = run(folder, spec).frame.filter((pl.col("family") == "mallet") & (pl.col("level") == "model"))
    assert set(frame.select("corpus", "k", "seed").rows()) == {("a", 2, 0), ("a", 2, 1)}
    assert frame.filter(pl.col("measure") == "npmi@3")["value"].to_list() == [1.0, 1.0]


def test_the_saved_models_are_those_that_were_scored(folder):
    run(folder)
    about = json.loads((folder / "out" / "manifest.json").read_text("utf-8"))
    one = about["models"][3]
    model = tl.load_model(folder / "out" / "models" / one["model"])
    corpus = tl.read_corpus(folder / f"{one['corpus']}.txt")
    again = tl.fit(one["family"], corpus, k=one["k"], seed=one["seed"])
    np.testing.assert_array_equal(model.topic_word, again.topic_word)


def test_planted_topics_held_out_documents_and_labels_are_judged_by(tmp_path):
    spec = """
    k = 3
    holdout = 0.25
    measures = ["perplexity", "au_cdc"]
    [[corpora]]
    synthetic = {k = 3, documents = 80, length = 30, vocabulary = 40}
    reference_topics = "planted"
    [[models]]
    family = "plsa"
    """
    frame = run(tmp_path, spec).frame.filter(pl.col("level") == "model")
    assert frame["value"].is_finite().all()
    about = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert (about["corpora"][0]["documents"], about["corpora"][0]["held_out"]) == (60, 20)


def test_labels_and_groups_of_documents_are_those_of_the_file(tmp_path):
    lines = [json.dumps({"text": text, "label": text.split()[0]}) for text in A]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), "utf-8")
    spec = 'k = 3\nmeasures = ["purity", "npmi@3"]\nby = "label"\n[[models]]\nfamily = "plsa"\n'
    frame = run(tmp_path, spec + '[[corpora]]\npath = "a.jsonl"\nlabel = "label"\n').frame
    assert frame.filter(pl.col("measure") == "purity")["value"].is_finite().any()
    assert set(frame["group"]) == {"", "law", "oil", "sun"}


def test_models_over_time_are_cells_as_others_are(tmp_path):
    spec = """
    k = 2
    measures = ["ttc", "npmi@5"]
    ci = 0
    [[corpora]]
    synthetic = {kind = "drifting", k = 2, documents = 60, length = 20, vocabulary = 30, slices = 3}
    [[models]]
    family = "dlda"
    """
    frame = run(tmp_path, spec).frame
    assert set(frame.filter(pl.col("level") == "model")["family"]) == {"dlda"}
    assert frame.filter(pl.col("level") == "model")["value"].is_finite().all()


def test_runs_are_judged_together_by_measures_of_several_runs(folder):
    spec = SPEC.replace('"npmi@3", ', '"instance_stabil", ')
    frame = run(folder, spec).frame.filter(pl.col("measure") == "instance_stabil")
    assert frame.height == 4
    assert frame["seed"].is_null().all()
    assert frame["value"].is_between(0, 1 + 1e-9).all()


# --- what is kept


def test_a_second_run_makes_nothing_and_ends_the_same(folder):
    run(folder)
    made, content = models(folder), (folder / "out" / "scores.parquet").read_bytes()
    said = []
    run(folder, note=said.append)
    assert models(folder) == made
    assert (folder / "out" / "scores.parquet").read_bytes() == content
    assert any("(0 to make)" in one for one in said)
    assert any("byte for byte" in one for one in said)


def test_a_changed_corpus_makes_only_its_own_cells_again(folder):
    before = run(folder).frame
    made = models(folder)
    write(folder, "b", [*B[:-1], "bread milk cat dog"])
    after = run(folder).frame
    assert {path for path, then in models(folder).items() if path in made} == set(made)
    assert len(models(folder)) == len(made) + 4
    of_a = pl.col("corpus") == "a"
    assert after.filter(of_a).equals(before.filter(of_a))
    assert not after.filter(~of_a).equals(before.filter(~of_a))


def test_other_words_beside_a_corpus_of_counts_are_another_corpus(tmp_path):
    (tmp_path / "c.ldac").write_text("\n".join(["2 0:1 1:2", "2 2:1 3:1"] * 10), "utf-8")
    spec = 'k = 2\nmeasures = "umass@2"\nci = 0\n[[corpora]]\npath = "c.ldac"\n[[models]]\nfamily = "plsa"\n'
    for words in ("oil gas law tax", "sun rain cow dog"):
        (tmp_path / "c.ldac.vocab").write_text("\n".join(words.split()), "utf-8")
        run(tmp_path, spec)
    assert len(models(tmp_path)) == 2


def test_what_is_torn_is_made_again_and_named(folder):
    whole = run(folder).frame
    out = folder / "out"
    model = min(path for path in (out / "models").iterdir() if path.is_dir())
    array = next(model.glob("*.npy"))
    array.write_bytes(array.read_bytes()[:-8])
    beside = max((out / "models").glob("*.json"))
    beside.write_text(beside.read_text()[:5])
    scores = min((out / "scores").glob("*.parquet"))
    scores.write_bytes(scores.read_bytes()[:-3])
    tokens = next((out / "corpora").glob("*/train/tokens.npy"))
    tokens.write_bytes(tokens.read_bytes()[:-4])
    said = []
    again = run(folder, note=said.append)
    assert again.frame.equals(whole)
    for name in (model.name, beside.name, scores.name, tokens.parent.parent.name):
        assert any(name in one and "made again" in one for one in said), name


@pytest.mark.slow
def test_the_spec_that_is_kept_makes_all_of_it_again_elsewhere(folder):
    deep = folder / "some" / "where"
    run(folder, out="some/where", figures=("svg",))
    kept = deep / "spec.toml"
    again = folder / "again"
    said = []
    run_experiment(kept, again, workers=1, note=said.append)
    for name in ("scores.parquet", "tables/scores.md", "manifest.json", "figures/a-over-k.svg"):
        assert (again / name).read_bytes() == (deep / name).read_bytes(), name
    assert any("byte for byte" in one for one in said)
    assert str(folder) not in (deep / "manifest.json").read_text()
    run_experiment(kept, workers=1, figures=())  # into its own folder


def test_another_base_is_where_its_files_are_looked_for(folder, tmp_path):
    run(folder)
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in "ab":
        shutil.move(folder / f"{name}.txt", moved / f"{name}.txt")
    with pytest.raises(FormatError, match=r"corpora\]\] 1, path: there is no file"):
        run_experiment(folder / "out" / "spec.toml", folder / "new", workers=1)
    run_experiment(folder / "out" / "spec.toml", folder / "new", workers=1, base=moved, figures=())
    assert (folder / "new" / "scores.parquet").read_bytes() == (
        folder / "out" / "scores.parquet"
    ).read_bytes()


def test_two_runs_in_one_folder_do_not_meet(folder):
    fcntl = pytest.importorskip("fcntl")
    run(folder)
    with (folder / "out" / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another run is at work"):
            run(folder)


# --- failures


def test_a_family_that_fails_is_a_cell_with_its_reason_and_a_dash_in_the_table(folder):
    spec = SPEC + '\n[[models]]\nfamily = "lda"\nalpha = -1\n'
    said = []
    found = run(folder, spec, note=said.append)
    lost = found.frame.filter(pl.col("family") == "lda")
    assert lost["value"].is_nan().all()
    assert lost["reason"].str.contains("not fitted: alpha must be a number above 0").all()
    assert found.frame.filter(pl.col("family") == "plsa")["value"].is_finite().any()
    text = found.table().to_markdown()
    assert "– (1)" in text
    assert "(1) not fitted: alpha must be a number above 0; got -1" in text
    assert any("was not fitted" in one for one in said)
    assert {one["family"] for one in status(folder / "out")["failed"]} == {"lda"}


def test_a_failure_is_not_tried_again_unless_asked(folder, monkeypatch):
    from tealeaves.fit import plsa as module

    calls = []

    def broken(*_, **__):
        calls.append(1)
        raise ZeroDivisionError("on purpose")

    good = module.plsa
    monkeypatch.setattr(module, "plsa", broken)
    assert run(folder).frame["reason"].str.contains("ZeroDivisionError: on purpose").all()
    run(folder)
    assert len(calls) == 8
    monkeypatch.setattr(module, "plsa", good)
    assert run(folder).frame["value"].is_nan().all()
    assert run(folder, retry_failed=True).frame["value"].is_finite().any()
    assert not status(folder / "out")["failed"]


def test_a_measure_that_breaks_on_one_model_leaves_the_others_their_scores(folder, monkeypatch):
    module = import_module("tealeaves.evaluate")
    real = module.evaluate

    def broken(models, *args, measures, **options):
        if "npmi@3" in measures and any(model.n_topics == 3 for model in models.values()):
            raise ZeroDivisionError("on purpose")
        return real(models, *args, measures=measures, **options)

    monkeypatch.setattr(module, "evaluate", broken)
    frame = run(folder).frame.filter(pl.col("level") == "model")
    bad = (pl.col("k") == 3) & (pl.col("measure") == "npmi@3")
    assert frame.filter(bad)["reason"].str.contains("on purpose").all()
    assert frame.filter(~bad)["value"].is_finite().all()
    monkeypatch.setattr(module, "evaluate", real)
    assert run(folder).frame.filter(bad & (pl.col("level") == "model"))["value"].is_nan().all()
    again = run(folder, retry_failed=True).frame.filter(pl.col("level") == "model")
    assert again["value"].is_finite().all()


def test_a_disk_that_is_too_small_is_said_before_anything_is_fitted(folder, monkeypatch):
    usage = shutil.disk_usage(folder)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(InputError, match=r"needs about .* more on disk, but 1 KB are free"):
        run(folder)
    assert not models(folder)
    assert run(folder, dry_run=True).about["free"] == 1000


def test_a_disk_that_fills_up_ends_the_run_and_what_is_done_is_kept(folder, monkeypatch):
    save, saved = tl.TopicModel.save, []

    def full(model, path):
        if len(saved) == 3:
            raise OSError(28, "No space left on device", str(path))
        saved.append(path)
        save(model, path)

    monkeypatch.setattr(tl.TopicModel, "save", full)
    with pytest.raises(InputError, match="the disk is full; what is done is kept"):
        run(folder)
    assert len(models(folder)) == 3
    monkeypatch.setattr(tl.TopicModel, "save", save)
    assert run(folder).frame.equals(run(folder, out="fresh").frame)


def test_a_task_that_ends_its_process_takes_no_other_with_it():
    tasks = [(abs, -1), (os._exit, 3), (abs, -2), (abs, -3)]
    found = dict(run_all(operator.call, tasks, workers=2))
    assert {place: found[place] for place in (0, 2, 3)} == {0: 1, 2: 2, 3: 3}
    assert isinstance(found[1], Lost)


# --- what is refused


def spec_with(line, instead=""):
    return SPEC.replace(instead, line) if instead else f"{line}\n{SPEC}"


HOSTILE = [
    (spec_with("sedes = 3"), r"sedes: there is no such key; did you mean 'seeds'\?"),
    (spec_with("k = 0", "k = [2, 3]"), "k: wanted whole numbers of at least 1; found 0"),
    (spec_with("k = true", "k = [2, 3]"), "k: wanted a whole number or a list; found True"),
    (spec_with("k = []", "k = [2, 3]"), "k: wanted at least one number"),
    (spec_with("k = ['2']", "k = [2, 3]"), "k: wanted whole numbers"),
    (spec_with("", "k = [2, 3]"), "k: is missing"),
    (spec_with("k = [2, 3000]", "k = [2, 3]"), "k: 3000 topics are more than the 45 documents of a"),
    (spec_with("seeds = 0", "seeds = 2"), "seeds: wanted a number of runs"),
    (spec_with("seeds = [-1]", "seeds = 2"), "seeds: wanted whole numbers of at least 0"),
    (spec_with("seeds = 2.5", "seeds = 2"), "seeds: wanted a whole number or a list"),
    (spec_with('"npmy@3"', '"npmi@3"'), "measures: .*npmi"),
    (spec_with("holdout = 1.5"), "holdout: wanted a share"),
    (spec_with('by = "topic"'), "by: wanted 'slice' or 'label'"),
    (spec_with('by = "label"'), "corpus 'a': .*has no label for each document"),
    (spec_with("ci = 2", "ci = 0"), "ci: wanted a level"),
    (spec_with("resamples = 1"), "resamples: wanted a whole number of at least 10"),
    (spec_with('family = "plsi"', 'family = "plsa"'), r"\[\[models\]\] 1, family: .*did you mean 'lsi'\?"),
    (spec_with('famly = "plsa"', 'family = "plsa"'), "family: models are of a family"),
    (spec_with('family = "plsa"\nalhpa = 1', 'family = "plsa"'), "alhpa: there is no such key"),
    (spec_with('family = "plsa"\ncorpora = "c"', 'family = "plsa"'), "corpora: there is no corpus 'c'"),
    (spec_with('read = "none*.gz"', 'family = "plsa"'), "read: there is no file or folder"),
    (spec_with('path = "c.txt"', 'path = "a.txt"'), r"\[\[corpora\]\] 1, path: there is no file"),
    (spec_with('name = "b"', 'name = "a"'), "corpora: two are called 'b'"),
    (spec_with('path = "a.txt"\nlabell = "x"', 'path = "a.txt"'), "labell: .*did you mean 'label'"),
    (spec_with('path = "a.txt"\nreference_topics = "planted"', 'path = "a.txt"'), "only a synthetic corpus"),
    (spec_with("synthetic = {k = 2}", 'path = "a.txt"'), "documents: is missing"),
    (spec_with('synthetic = {kind = "lad"}', 'path = "a.txt"'), "kind: wanted 'lda'"),
    (spec_with("synthetic = 3", 'path = "a.txt"'), "synthetic: wanted a table; found 3"),
    (SPEC + '[[preprocessing]]\nmin_df = "many"\n', r"\[\[preprocessing\]\] 1, min_df: min_df must be"),
    (SPEC + '[[preprocessing]]\nstop_words = "klingon"\n', "stop_words: no stop words for 'klingon'"),
    (SPEC + "[[preprocessing]]\nstem = 3\n", "preprocessing"),
    (SPEC + "[preprocessing]\nmin_df = 2\n", "preprocessing: wanted a list"),
    ("k = 2\nmeasures = 'npmi'\n", r"corpora: an experiment needs at least one \[\[corpora\]\]"),
    ("k = = 2", r"is no TOML: .*line 1"),
    ("\ufeffk = 2 3", "is no TOML"),
    ("corpora = 3", "corpora: wanted a list; found 3"),
    ("corpora = [3]", r"\[\[corpora\]\] 1, : wanted a table|wanted a table of keys; found 3"),
]


@pytest.mark.parametrize(("spec", "said"), HOSTILE, ids=[said[:40] for _, said in HOSTILE])
def test_a_wrong_spec_is_one_line_that_names_file_and_key(folder, spec, said):
    with pytest.raises(FormatError, match=said) as error:
        run(folder, spec)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(folder / "other.toml"))


def test_a_spec_in_another_encoding_is_said_to_be_none(folder):
    (folder / "spec.toml").write_bytes(SPEC.encode("utf-16"))
    with pytest.raises(FormatError, match=r"is no UTF-8|is no TOML"):
        run(folder)


def test_a_folder_that_holds_something_else_is_left_alone(folder):
    with pytest.raises(InputError, match="holds something else"):
        run_experiment(folder / "spec.toml", folder, workers=1)
    with pytest.raises(InputError, match="is a file"):
        run_experiment(folder / "spec.toml", folder / "a.txt", workers=1)
    with pytest.raises(InputError, match="say where its results are to be kept"):
        run_experiment(folder / "spec.toml", workers=1)


@pytest.mark.parametrize("cluster", ["local", "local:0", "local:x", "http://x", ""])
def test_a_cluster_that_is_none_is_said_before_anything_is_read(folder, cluster):
    with pytest.raises(InputError, match=r"cluster must be .local:N"):
        run(folder, cluster=cluster)
    assert not (folder / "out").exists()


def test_scores_that_were_changed_are_not_read(folder):
    run(folder)
    path = folder / "out" / "scores.parquet"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(FormatError, match="is torn or was changed"):
        load_experiment(folder / "out")
    with pytest.raises(FormatError, match="is no experiment"):
        load_experiment(folder)
    with pytest.raises(FileNotFoundError):
        load_experiment(folder / "nowhere")


# --- the parts


def test_a_score_that_failed_gives_way_to_one_that_was_made_later(tmp_path):
    from tealeaves.experiments.cells import COLUMNS, keep_scores, no_score

    row = dict.fromkeys(COLUMNS) | no_score("npmi@3", "why") | {"key": "x"}
    keep_scores([row | {"failed": True}], tmp_path)
    keep_scores([row | {"value": 1.0, "reason": ""}], tmp_path)
    found, torn = kept_scores(tmp_path)
    assert found["value"].to_list() == [1.0]
    assert not torn


def test_two_entries_that_are_the_same_model_are_one_cell(folder):
    from tealeaves.experiments import read_spec
    from tealeaves.experiments.grounds import prepare

    path = folder / "twice.toml"
    path.write_text(SPEC + '[[models]]\nfamily = "plsa"\n', "utf-8")
    spec = read_spec(path)
    ground, _ = prepare(spec, spec.corpora[0], spec.preprocessing[0], folder / "corpora")
    assert len(cells_of(spec, [ground], Path("models"))) == 4


def test_a_folder_of_ones_own_is_neither_taken_nor_cleaned(folder):
    mine = folder / "mine"
    (mine / "models" / ".git").mkdir(parents=True)
    (mine / "scores").mkdir()
    (mine / "scores" / "draft.part").touch()
    with pytest.raises(InputError, match=r"holds something else \(models\)"):
        run(folder, out="mine")
    run(folder)
    (folder / "out" / "models" / ".keep").touch()
    (folder / "out" / "scores" / "draft.part").touch()
    run(folder)
    assert (folder / "out" / "models" / ".keep").exists()
    assert (folder / "out" / "scores" / "draft.part").exists()
    assert (mine / "models" / ".git").exists()


def test_one_name_for_two_families_is_refused(folder):
    both = '[[models]]\nfamily = "plsa"\nname = "Mine"\n[[models]]\nfamily = "lsi"\nname = "Mine"\n'
    with pytest.raises(FormatError, match="plsa and lsi are both called 'Mine'"):
        run(folder, SPEC.replace('[[models]]\nfamily = "plsa"\n', both))


def test_a_family_that_seeds_do_not_change_is_fitted_once(folder):
    found = run(
        folder,
        SPEC.replace('"plsa"', '"lsi"').replace('name = "b"\npath = "b.txt"', 'name = "c"\npath = "a.txt"'),
    )
    assert found.frame["seed"].unique().to_list() == [0]


def test_more_models_than_make_sense_are_refused_before_they_are_listed(folder):
    with pytest.raises(FormatError, match="asks for 6,000,000 models of plsa"):
        run(folder, SPEC.replace("seeds = 2", "seeds = 3_000_000"))


def test_an_experiment_with_a_new_measure_is_not_finished(folder):
    run(folder)
    assert status(folder / "out")["finished"]
    run(folder, SPEC.replace('"npmi@3"', '"npmi@3", "umass@3"'), dry_run=True)
    assert not status(folder / "out")["finished"]
