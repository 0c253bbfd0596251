import json
import subprocess
import sys

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.cli import COMMANDS, explain, run

DOCS = ["oil gas energy", "oil gas tax", "tax law court", "law court judge", "oil energy", "tax law judge"]
TOPICS = [["oil", "gas", "energy"], ["tax", "law", "court"]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with docs.txt and topics.json, as a newcomer has them."""
    (tmp_path / "docs.txt").write_text("\n".join(DOCS), "utf-8")
    (tmp_path / "topics.json").write_text(json.dumps(TOPICS), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *arguments):
    """Run the command line in this process: (status, stdout, stderr)."""
    status = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def strict(text):
    return json.loads(text, parse_constant=lambda c: pytest.fail(f"{c} is not JSON"))


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, **options
    )


# Help and wrong usage


def test_help_and_no_arguments_list_every_command(capsys):
    for arguments in ([], ["--help"], ["-h"]):
        status, out, _ = call(capsys, *arguments)
        assert status == 0
        assert all(f"\n  {name} " in out for name in COMMANDS)


def test_the_help_imports_neither_numpy_nor_a_sub_command():
    code = (
        "import sys; from tealeaves.cli import run; run(['--help'])\n"
        "print([m for m in sys.modules if m in ('numpy', 'rich') or m.startswith('tealeaves.commands')])"
    )
    assert python("-c", code).stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_that_name_it_and_takes_json_and_quiet(capsys, name):
    groups = {
        "corpus": ["build", "append", "info", "verify"],
        "matcher": ["sample", "train", "apply"],
        "experiment": ["run", "status", "table"],
        "study": ["create", "serve", "status", "change", "promote", "export", "score", "rounds", "forget"],
    }
    for sub in groups.get(name, [None]):
        status, out, _ = call(capsys, name, *([sub] if sub else []), "--help")
        assert status == 0
        examples = out.partition("Examples:")[2]
        assert f"tealeaves {name}{f' {sub}' if sub else ''}" in examples
        assert "--json" in out
        assert "--quiet" in out


def test_an_unknown_command_is_status_2_and_names_the_nearest(capsys):
    status, out, err = call(capsys, "evalute")
    assert (status, out) == (2, "")
    assert "did you mean 'evaluate'?" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate"],
        ["evaluate", "--no-such-option"],
        ["evaluate", "m", "--workers", "0"],
        ["evaluate", "m", "--min-df", "many"],
        ["evaluate", "m", "--max-df", "1.5"],
        ["evaluate", "m", "--fail-under", "npmi@10"],
        ["evaluate", "m", "--fail-under", "npmi@10=nan"],
        ["corpus", "bild"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_status_2_with_one_message(capsys, arguments):
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.count("Error:") == 1


# Mistakes


def test_a_mistake_that_python_finds_is_told_without_its_number():
    assert (
        explain(FileNotFoundError(2, "No such file or directory", "a.json"))
        == "a.json: no such file or folder"
    )
    assert explain(PermissionError(13, "Permission denied", "a")) == "a: no permission"
    assert explain(OSError(28, "No space left on device", "a")) == "a: no space left on device"
    assert explain(MemoryError()) == "not enough memory"


def test_python_m_tealeaves_runs_and_ends_with_the_status_of_the_command():
    done = python("-m", "tealeaves", "evaluate", "nothing.json")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: nothing.json")
    assert "Traceback" not in done.stderr


# measures


def test_measures_lists_them_with_the_better_end_and_json_is_strict(capsys):
    status, out, _ = call(capsys, "measures", "--json")
    listed = {row["name"]: row for row in strict(out)["measures"]}
    assert status == 0
    assert listed["npmi"]["direction"] == "higher is better"
    assert strict(out)["aliases"]["c_npmi"] == "npmi(smoothing=1e-12, window=10)"


def test_a_measure_is_explained_under_any_spelling(capsys):
    status, out, _ = call(capsys, "measures", "c_npmi@5")
    assert status == 0
    assert out.startswith("npmi(smoothing=1e-12, window=10)@5: higher is better")


def test_a_misspelt_measure_is_one_error_that_names_the_nearest(capsys):
    for arguments in (["measures", "c_nmpi"], ["evaluate", "nothing.json", "--measures", "c_nmpi@10"]):
        status, out, err = call(capsys, *arguments)
        assert (status, out) == (1, "")
        assert err.startswith("Error:")
        assert "'c_npmi'" in err


# evaluate


def test_evaluate_prints_the_table_on_stdout_with_which_end_is_best(folder, capsys):
    status, out, _ = call(
        capsys, "evaluate", "topics.json", "--corpus", "docs.txt", "-m", "npmi@3,topic_overlap@3"
    )
    assert status == 0
    assert "npmi@3 ↑" in out
    assert "topic_overlap@3 ↓" in out
    assert "higher is better" in out
    assert "lower is better" in out


def test_with_json_stdout_is_strict_json_and_nothing_else(folder, capsys):
    (folder / "topics.json").write_text('[["oil", "gas", "absent"], ["tax", "law", "court"]]', "utf-8")
    status, out, err = call(
        capsys, "evaluate", "topics.json", "--corpus", "docs.txt", "-m", "npmi@3", "--json"
    )
    assert status == 0
    rows = strict(out)
    assert "absent" in json.dumps(rows)
    assert "null" in out
    assert "Traceback" not in err


def test_out_keeps_the_scores_and_the_report(folder, capsys):
    from tealeaves.scores import load_scores

    arguments = ["evaluate", "topics.json", "--corpus", "docs.txt", "-m", "npmi@3", "--no-ci", "--out", "out"]
    assert call(capsys, *arguments)[0] == 0
    assert load_scores(folder / "out").value("npmi@3") == pytest.approx(0.2, abs=1)
    assert "<html" in (folder / "out" / "report.html").read_text("utf-8")
    assert call(capsys, *arguments, "--seed", "1")[0] == 0  # scores may give way to scores
    status, out, _ = call(capsys, "report", "out", "--against", "out")
    assert status == 0
    assert "npmi@3: comparable" in out
    assert "measure by measure" in (folder / "out" / "report.html").read_text("utf-8")  # and the page says so


def test_commas_inside_parentheses_belong_to_the_spec(folder, capsys):
    specs = "npmi(window=2, oov='drop')@3, umass@3"
    status, out, _ = call(capsys, "evaluate", "topics.json", "--corpus", "docs.txt", "-m", specs)
    assert status == 0
    assert "npmi(oov='drop', window=2)@3 ↑" in out
    assert "umass@3 ↑" in out


def test_fail_under_is_status_1_where_a_model_is_worse_or_undefined(folder, capsys):
    base = ["evaluate", "topics.json", "--corpus", "docs.txt", "-m", "npmi@3", "--quiet", "--fail-under"]
    assert call(capsys, *base, "npmi@3=-1")[0] == 0
    status, _, err = call(capsys, *base, "npmi@3=0.99")
    assert status == 1
    assert err.startswith("Failed: npmi@3 of topics is ")
    assert "under 0.99" in err
    status, _, err = call(capsys, *base, "topic_overlap@3=-1")  # lower is better; not among --measures
    assert status == 1
    assert "above -1 (lower is better)" in err
    (folder / "topics.json").write_text('[["oil", "absent"]]', "utf-8")
    status, _, err = call(capsys, *base, "npmi@3=-1")
    assert status == 1
    assert "is undefined" in err


def test_models_of_one_file_stem_get_distinct_names(folder, capsys):
    for run_folder in ("a", "b"):
        (folder / run_folder).mkdir()
        (folder / run_folder / "topics.json").write_text(json.dumps(TOPICS), "utf-8")
    arguments = [
        "a/topics.json",
        "b/topics.json",
        "topics.json",
        "--corpus",
        "docs.txt",
        "-m",
        "npmi@3",
        "--json",
    ]
    status, out, _ = call(capsys, "evaluate", *arguments)
    assert status == 0
    assert all(f'"{name}"' in out for name in ("a/topics", "b/topics", f"{folder.name}/topics"))


def test_a_path_that_is_given_twice_gives_two_names():
    from pathlib import Path

    from tealeaves.commands._common import distinct_names

    assert distinct_names([Path("m.json"), Path("m.json")])[1].endswith("/m-2")
    assert distinct_names([Path("x/lda.csv.gz"), Path("y/nmf")]) == ["lda", "nmf"]


def hostile(folder):
    (folder / "empty.json").write_bytes(b"")
    (folder / "binary.json").write_bytes(bytes(range(256)) * 4)
    (folder / "wrong.json").write_text('{"topics": 7}', "utf-8")
    (folder / "torn.json").write_text('[["oil", "gas"', "utf-8")
    (folder / "plain").mkdir()
    (folder / "theirs").mkdir()
    (folder / "theirs" / "report.html").write_text("mine", "utf-8")
    (folder / "latin.txt").write_bytes("caf\xe9 au lait\n".encode("latin-1"))
    (folder / "empty.txt").write_bytes(b"")
    (folder / "file").write_text("x", "utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "nothing.json", "--corpus", "docs.txt"], "nothing.json"),
        (["evaluate", "topics.json", "--corpus", "nothing.txt"], "nothing.txt"),
        (["evaluate", "topics.json"], "corpus"),
        (["evaluate", "empty.json", "--corpus", "docs.txt"], "empty.json"),
        (["evaluate", "binary.json", "--corpus", "docs.txt"], "binary.json"),
        (["evaluate", "wrong.json", "--corpus", "docs.txt"], "wrong.json"),
        (["evaluate", "torn.json", "--corpus", "docs.txt"], "torn.json"),
        (["evaluate", "plain", "--corpus", "docs.txt"], "plain"),
        (["evaluate", "topics.json", "--corpus", "latin.txt"], "UTF-8"),
        (["evaluate", "topics.json", "--corpus", "plain"], "plain"),
        (["evaluate", "topics.json", "--corpus", "docs.txt", "--stop-words", "klingon"], "klingon"),
        (["evaluate", "topics.json", "--corpus", "docs.txt", "--out", "file"], "file"),
        (["evaluate", "topics.json", "--corpus", "docs.txt", "--out", "theirs"], "would be lost"),
        (
            ["evaluate", "topics.json", "--corpus", "docs.txt", "--by", "party"],
            "docs.txt: text has no fields",
        ),
        (["inspect", "binary.json"], "binary.json"),
        (["inspect", "nothing"], "nothing"),
        (["report", "plain"], "plain"),
        (["report", "nothing"], "nothing"),
        (["corpus", "verify", "docs.txt"], "docs.txt"),
        (["corpus", "info", "nothing.jsonl"], "nothing.jsonl"),
        (["convert", "topics.json", "topics.json"], "topics.json"),
        (["convert", "topics.json", "topics.xls"], ".xls"),
        (["fit", "ldaa", "docs.txt", "m", "-k", "2"], "'lda'"),
        (["fit", "lda", "empty.txt", "m", "-k", "2"], "empty.txt"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_is_status_1_and_one_message_that_names_it(folder, capsys, arguments, said):
    hostile(folder)
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (1, "")
    assert err.count("Error:") == 1
    assert said in err.partition("Error:")[2]


@pytest.mark.skipif(
    not hasattr(__import__("os"), "geteuid") or __import__("os").geteuid() == 0, reason="root may"
)
def test_a_file_without_permission_is_told(folder, capsys):
    (folder / "topics.json").chmod(0)
    status, _, err = call(capsys, "evaluate", "topics.json", "--corpus", "docs.txt")
    assert (status, err) == (1, "Error: topics.json: no permission\n")


# the other commands


def test_a_corpus_is_built_told_and_verified_and_counts_as_its_text(folder, capsys):
    build = ["corpus", "build", "docs.txt", "saved", "--stop-words", "english", "--json"]
    status, out, _ = call(capsys, *build)
    assert status == 0
    assert strict(out)["documents"] == len(DOCS)
    status, out, _ = call(capsys, "corpus", "info", "saved", "--json")
    assert strict(out)["tokens"] == 17
    assert call(capsys, "corpus", "verify", "saved")[0] == 0
    values = []
    for corpus in ("saved", "docs.txt"):
        _, out, _ = call(
            capsys, "evaluate", "topics.json", "--corpus", corpus, "-m", "npmi@3", "--json", "--no-ci"
        )
        values.append([row["value"] for row in strict(out)["scores"]])
    assert values[0] == values[1]


def test_a_damaged_corpus_does_not_verify(folder, capsys):
    call(capsys, "corpus", "build", "docs.txt", "saved")
    victim = max((p for p in (folder / "saved").rglob("*.npy")), key=lambda p: p.stat().st_size)
    content = bytearray(victim.read_bytes())
    content[-1] ^= 1
    victim.write_bytes(content)
    status, _, err = call(capsys, "corpus", "verify", "saved")
    assert status == 1
    assert err.startswith("Error:")


def test_an_index_takes_the_place_of_its_corpus(folder, capsys):
    pytest.importorskip("tealeaves.index")
    assert call(capsys, "index", "docs.txt", "idx")[0] == 0
    assert strict(call(capsys, "inspect", "idx", "--json")[1])["kind"] == "index"
    values = []
    for reference in (["--reference", "idx"], ["--reference", "docs.txt"]):
        status, out, _ = call(
            capsys, "evaluate", "topics.json", *reference, "-m", "npmi@3", "--json", "--no-ci"
        )
        assert status == 0
        values.append([row["value"] for row in strict(out)["scores"]])
    assert values[0] == values[1]


def test_a_model_goes_to_a_folder_json_and_csv_and_comes_back_the_same(folder, capsys):
    from tealeaves.model import read_model

    for source, target in (("topics.json", "m"), ("m", "m.json"), ("m", "m.csv")):
        status, out, _ = call(capsys, "convert", source, target, "--json")
        assert status == 0
        assert strict(out)["topics"] == 2
    assert [read_model(p).top_words(3) for p in ("m", "m.json", "m.csv")] == [TOPICS] * 3


def test_inspect_knows_what_else_is_saved(tmp_path, capsys):
    from tealeaves.human.items import items
    from tealeaves.human.study import Study
    from tealeaves.matcher import Logistic, Matcher
    from tealeaves.topic_pairs import WORD_FEATURES

    model = tl.TopicModel.from_words([[f"{letter}{i}" for i in range(10)] for letter in "ab"])
    tl.ReferenceTopics.from_words({"energy": ["oil", "gas"]}, sizes={"energy": 3}).save(tmp_path / "themes")
    one = Logistic(WORD_FEATURES, (-1.0,) * 4, 1.0, 1.0, "l2")
    Matcher(WORD_FEATURES, {"all": one, "no_cosine": one}, {}, ()).save(tmp_path / "m.json")
    Study.create(tmp_path / "study", items("word_set_rating", model), title="Which words?")
    told = {}
    for name in ("themes", "m.json", "study"):
        assert run(["inspect", str(tmp_path / name), "--json"]) == 0
        told[name] = json.loads(capsys.readouterr().out)
        assert run(["inspect", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out.startswith(f"{tmp_path / name}: ")
    assert (told["themes"]["kind"], told["themes"]["n_topics"]) == ("reference topics", 1)
    assert told["m.json"]["kind"] == "matcher"
    assert (told["study"]["kind"], told["study"]["items"]) == ("study", 2)


def test_inspect_says_what_each_thing_is(folder, capsys):
    call(capsys, "corpus", "build", "docs.txt", "saved")
    call(capsys, "evaluate", "topics.json", "--corpus", "docs.txt", "-m", "npmi@3", "--out", "out")
    kinds = {"topics.json": "model", "docs.txt": "corpus", "saved": "corpus", "out": "scores"}
    for path, kind in kinds.items():
        status, out, _ = call(capsys, "inspect", path, "--json")
        assert status == 0
        assert strict(out)["kind"] == kind
        assert f" {kind}" in call(capsys, "inspect", path)[1].splitlines()[0]


def test_fit_saves_a_model_that_evaluate_reads(folder, capsys):
    pytest.importorskip("sklearn")
    status, out, _ = call(capsys, "fit", "nmf", "docs.txt", "nmf-2", "-k", "2", "--json")
    assert status == 0
    assert len(strict(out)["topics"]) == 2
    assert call(capsys, "evaluate", "nmf-2", "--corpus", "docs.txt", "-m", "npmi@3")[0] == 0


def test_warmup_compiles_without_a_word_on_stderr(capsys):
    status, out, err = call(capsys, "warmup", "--json")
    assert (status, err) == (0, "")
    assert strict(out)["seconds"] > 0


def test_output_into_a_closed_pipe_is_no_error(folder):
    command = f"{sys.executable} -m tealeaves measures | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"


def test_an_interrupt_is_status_130_and_no_traceback(capsys, monkeypatch):
    from tealeaves.commands import version

    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(version.command, "callback", interrupted)
    status, _, err = call(capsys, "version")
    assert (status, err.split()) == (130, ["Interrupted."])


def test_a_vocabulary_goes_to_the_matrices_among_the_models_alone(capsys, tmp_path):
    np.save(tmp_path / "matrix.npy", [[3.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 3.0]])
    (tmp_path / "words.txt").write_text("oil\ngas\nlaw\ntax\n", "utf-8")
    (tmp_path / "lists.json").write_text('[["oil", "gas"], ["tax", "law"]]', "utf-8")
    options = ["--vocabulary", tmp_path / "words.txt", "-m", "diversity", "--no-ci", "--json"]
    status, out, err = call(capsys, "evaluate", tmp_path / "matrix.npy", tmp_path / "lists.json", *options)
    assert status == 0, err
    assert {"matrix", "lists"} <= {row["model"] for row in strict(out)["scores"]}
    status, _, err = call(capsys, "evaluate", tmp_path / "lists.json", *options)
    assert status == 1
    assert "words of their own: no --vocabulary" in err


def test_where_a_killed_save_left_a_model_is_told(capsys, tmp_path):
    left = tmp_path / ".lda-20-abc" / "old"
    left.mkdir(parents=True)
    for arguments in (["inspect", tmp_path / "lda-20"], ["evaluate", tmp_path / "lda-20"]):
        status, _, err = call(capsys, *arguments)
        assert status == 1
        assert f"no such file or folder (a save was killed halfway; what was there is in {left}" in err
