"""How the command line feels: help, completion, quiet and JSON of every command, Ctrl-C."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import click
import pytest

import tealeaves as tl
from tealeaves.cli import COMMANDS, cli, run

TOPICS = [["oil", "gas", "energy", "price"], ["tax", "law", "court", "judge"], ["cup", "goal", "team", "win"]]


def leaves(group, name="tealeaves"):
    """(words, command) of every command that does something."""
    for key in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), key)
        words = [*name.split()[1:], key]
        if isinstance(command, click.Group):
            yield from leaves(command, f"tealeaves {' '.join(words)}")
        else:
            yield " ".join(words), command


LEAVES = dict(leaves(cli))

# What a newcomer with a folder of own files would write for each command.
CALLS = {
    "evaluate": "evaluate lists.json m#1 --corpus corpus -m npmi@3 --resamples 20 --out {out}",
    "measures": "measures",
    "report": "report scores --out {out}.html",
    "inspect": "inspect lists.json",
    "convert": "convert lists.json {out}.csv",
    "corpus build": "corpus build docs.jsonl {out} --text body",
    "corpus append": "corpus append {out} more.jsonl --text body --id id --time year",
    "corpus info": "corpus info corpus",
    "corpus verify": "corpus verify corpus",
    "index": "index corpus {out}",
    "fit": "fit nmf corpus {out} -k 2",
    "infer": "infer m#1 --corpus corpus --out {out}",
    "read": "read m#1 --corpus corpus",
    "sweep": "sweep --workers 1 --corpus corpus --models nmf --k 2,3 --seeds 2 -m npmi@3 --out {out}",
    "matcher sample": "matcher sample m#1 m#2 -n 4 --out {out}.json",
    "matcher train": "matcher train pairs.jsonl --no-compare --words-only --out {out}.json",
    "matcher apply": "matcher apply m#1 --reference-topics themes.json --matcher matcher.json",
    "stability": "stability m#1 m#2",
    "regress": "regress table.csv --human rating --resamples 20",
    "correlate": "correlate table.csv --measures npmi,c_v,rating --resamples 20",
    "study create": "study create {out} --task word_set_rating --model long.json",
    "study status": "study status study",
    "study export": "study export study --out {out}",
    "study score": "study score answers.jsonl --items study/items.jsonl --resamples 100",
    "study rounds": "study rounds --pool pool.json --out {out}.json -n 2",
    "experiment run": "experiment run spec.toml --out {out} --workers 1 --figures none",
    "experiment status": "experiment status results",
    "experiment table": "experiment table results",
    "controls": "controls time.json --corpus corpus -m tts@3 --draws 1 --levels 1",
    "degrade": "degrade m#1 m#2 --corpus corpus --part topics -m npmi@3 --draws 1 --out {out}",
    "replicate": "replicate",
    "version": "version",
    "completion": "completion bash",
}
# Seconds each, or for ever, or of a closed study only: tests of their own.
ELSEWHERE = {"demo", "warmup", "study serve", "study forget", "study change", "study promote"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a newcomer has at hand, and what earlier commands left."""
    pytest.importorskip("sklearn")
    home = tmp_path_factory.mktemp("feel")
    lines = [{"id": i, "body": " ".join(TOPICS[i % 3] * 2), "year": str(1990 + i % 2)} for i in range(30)]
    (home / "docs.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (home / "more.jsonl").write_text(
        "\n".join(json.dumps({**line, "id": f"new-{line['id']}"}) for line in lines)
    )
    (home / "lists.json").write_text(json.dumps(TOPICS), "utf-8")
    (home / "time.json").write_text(json.dumps([TOPICS] * 2), "utf-8")
    (home / "long.json").write_text(json.dumps([[f"{a}{b}" for b in "abcdefghij"] for a in "xyz"]), "utf-8")
    words = [{"words": topic, "docs": []} for topic in TOPICS]
    pairs = [
        {"topics": [words[i % 3], words[j % 3]], "labels": [float(i % 3 == j % 3)] * 2}
        for i in range(6)
        for j in range(6)
    ]
    (home / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)), "utf-8")
    rows = [f"m{i},{i / 10},{i % 3},{i + i % 2}" for i in range(8)]
    (home / "table.csv").write_text("\n".join(["model,npmi,c_v,rating", *rows]), "utf-8")
    (home / "spec.toml").write_text(
        'k = [2]\nseeds = 2\nmeasures = ["npmi@3"]\n[[corpora]]\nname = "docs"\npath = "docs.jsonl"\n'
        'text = "body"\n[[models]]\nfamily = "nmf"\n',
        "utf-8",
    )
    return home


# Help and completion


def test_the_help_costs_under_three_tenths_of_a_second_of_work():
    def used():
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    call, times = [sys.executable, "-m", "tealeaves", "--help"], []
    for _ in range(3):  # the first may have to compile the files
        start = used()
        subprocess.run(call, check=True, capture_output=True, timeout=60)
        times.append(used() - start)
    assert min(times) < 0.3


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_asks_tealeaves(shell, capsys):
    assert run(["completion", shell]) == 0
    assert f"_TEALEAVES_COMPLETE={shell}_complete" in capsys.readouterr().out


def completed(line):
    """What Tab offers at the end of a line of bash."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_TEALEAVES_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-c", "from tealeaves.cli import main; main()"],
        env={**os.environ, **asked}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return [offer.partition(",")[2] for offer in done.stdout.splitlines()]


def test_tab_completes_commands_sub_commands_options_and_measures():
    assert completed("tealeaves ") == list(COMMANDS)
    assert completed("tealeaves ev") == ["evaluate"]
    assert completed("tealeaves corpus ver") == ["verify"]
    assert completed("tealeaves evaluate --fail") == ["--fail-under"]
    assert completed("tealeaves measures topic_") == ["topic_overlap", "topic_diversity", "topic_distance"]
    assert completed("tealeaves evaluate m -m npmi@10,topic_div") == ["npmi@10,topic_diversity"]
    assert completed("tealeaves fit sent") == ["sentence_lda"]
    assert completed("tealeaves study create s --task word_in") == ["word_intrusion"]


# Quiet and JSON


def test_every_command_is_tried_here_or_named_as_tried_elsewhere():
    assert set(LEAVES) <= set(CALLS) | ELSEWHERE


@pytest.fixture(scope="module")
def prepared(folder):
    """The folder after the commands that others build on."""
    from tealeaves.human.items import items
    from tealeaves.human.study import Study
    from tealeaves.matcher import Logistic, Matcher
    from tealeaves.topic_pairs import WORD_FEATURES

    corpus = tl.read_corpus(folder / "docs.jsonl", text="body", id="id", time="year")
    corpus.save(folder / "corpus")
    for seed in (1, 2):
        tl.fit("nmf", corpus, k=3, seed=seed).save(folder / f"m#{seed}")
    tl.evaluate(tl.load_model(folder / "m#1"), corpus, measures=["npmi@3"], ci=None, chance=0).save(
        folder / "scores"
    )
    named = dict(zip("abc", TOPICS, strict=True))
    (folder / "themes.json").write_text(json.dumps(named), "utf-8")
    one = Logistic(WORD_FEATURES, (-1.0,) * 4, 1.0, 1.0, "l2")
    Matcher(WORD_FEATURES, {"all": one, "no_cosine": one}, {}, ()).save(folder / "matcher.json")
    long = tl.TopicModel.from_words(json.loads((folder / "long.json").read_text("utf-8")))
    study = items("word_set_rating", long)
    Study.create(folder / "study", study, title="Which words belong together?")
    rows = [
        {
            "study": "study", "rater": f"R-{r}", "item": item.id, "task": item.task, "model": item.model,
            "topic": item.topic, "role": item.role, "form": 1, "value": {"rating": 1 + (r + i) % 3},
            "correct": None, "seconds": 3.0, "revision": 0, "saved_at": "2026-01-01T00:00:00Z",
        }
        for r in range(3)
        for i, item in enumerate(study)
    ]  # fmt: skip
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    here = os.getcwd()
    os.chdir(folder)
    try:
        for line in (
            "matcher sample m#1 m#2 -n 4 --out pool.json --quiet",
            "experiment run spec.toml --out results --workers 1 --figures none --quiet",
        ):
            assert run(line.split()) == 0, line
    finally:
        os.chdir(here)
    return folder


def call(capsys, folder, monkeypatch, words, out, *options):
    monkeypatch.chdir(folder)
    if words == "corpus append":
        shutil.copytree("corpus", out)
    capsys.readouterr()
    status = run([*CALLS[words].format(out=out).split(), *options])
    printed, said = capsys.readouterr()
    return status, printed, said


@pytest.mark.parametrize("words", CALLS)
def test_with_json_and_quiet_a_command_prints_strict_json_and_says_nothing(
    words, prepared, tmp_path, capsys, monkeypatch
):
    status, printed, said = call(capsys, prepared, monkeypatch, words, tmp_path / "o", "--json", "--quiet")
    assert status == 0, said
    assert said == ""
    assert json.loads(printed, parse_constant=lambda c: pytest.fail(f"{c} is not JSON"))


@pytest.mark.parametrize("words", CALLS)
def test_with_quiet_a_command_says_nothing_on_stderr(words, prepared, tmp_path, capsys, monkeypatch):
    status, _, said = call(capsys, prepared, monkeypatch, words, tmp_path / "o", "--quiet")
    assert (status, said) == (0, "")


# Ctrl-C


def interrupted(folder, line, when):
    """Start a command, press Ctrl-C as soon as ``when`` is true, and say how it ended."""
    # A process group of its own with the signal as a terminal has it, however the tests were started.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"from tealeaves.cli import main; main({line.split()})"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not when() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_fit_that_is_interrupted_leaves_no_half_model(prepared, tmp_path):
    out = tmp_path / "lda"
    pytest.importorskip("tomotopy")
    started = time.monotonic()
    line = f"fit lda corpus {out} -k 3 --set iterations=10000000"
    status, said = interrupted(prepared, line, lambda: time.monotonic() - started > 5)
    assert (status, said.split()) == (130, ["Interrupted."])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_sweep_that_is_interrupted_goes_on_where_it_was(prepared, tmp_path, capsys, monkeypatch):
    out = tmp_path / "sweep"
    line = (
        f"sweep --corpus corpus --models nmf --k 2,3 --seeds 10 --holdout 0 -m npmi@3 --workers 1 --out {out}"
    )
    status, said = interrupted(prepared, line, lambda: len(list(out.rglob("model.json"))) > 2)
    assert (status, said.split()) == (130, ["Interrupted."])
    fits = {path: path.stat().st_mtime_ns for path in out.rglob("model.json")}
    monkeypatch.chdir(prepared)
    assert run([*line.split(), "--quiet"]) == 0
    again = [path for path, made in fits.items() if path.stat().st_mtime_ns != made]
    assert len(fits) > 2
    assert len(again) <= 1  # the one that was in hand
    assert len(list(out.rglob("model.json"))) == 20


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("evaluate lists.json --corpus corpus --resamples 500000 --out {out}/scores", 8),
        ("matcher train many.jsonl --words-only --workers 2 --out {out}/matcher.json", 8),
        ("replicate planted_sizes --seeds 500 --out {out}/sizes.md", 8),
        ("demo --out {out}/demo", 6),
    ],
)
def test_long_work_that_is_interrupted_ends_with_one_word_and_leaves_nothing(
    prepared, tmp_path, line, seconds
):
    pytest.importorskip("gensim")
    many = (prepared / "pairs.jsonl").read_text("utf-8")
    (prepared / "many.jsonl").write_text("\n".join([many] * 30), "utf-8")
    started = time.monotonic()
    status, said = interrupted(
        prepared, line.format(out=tmp_path), lambda: time.monotonic() - started > seconds
    )
    assert (status, said.split()) == (130, ["Interrupted."])
    assert list(tmp_path.iterdir()) == []


# What a newcomer does wrong


def test_a_file_that_is_nearly_there_is_named(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    assert run(["evaluate", "list.json", "--corpus", "docs.jsonl"]) == 1
    assert capsys.readouterr().err == "Error: list.json: no such file or folder; did you mean lists.json?\n"
    assert run(["evaluate", "lists.json", "--corpus", "elsewhere/docs.jsonl"]) == 1
    assert "did you mean" not in capsys.readouterr().err


def test_documents_where_a_model_is_wanted_are_pointed_to_corpus(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "stories.txt").write_text('"Oil" is up, he said, "and gas"\n"Tax" is up, too', "utf-8")
    assert run(["evaluate", "lists.json", "stories.txt"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("Error: stories.txt:")
    assert "write --corpus stories.txt" in said


def test_a_word_that_is_there_in_other_letters_is_told(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(folder)
    (tmp_path / "upper.json").write_text('[["Oil", "gas", "energy"]]', "utf-8")
    upper = str(tmp_path / "upper.json")
    assert run(["evaluate", upper, "--corpus", "docs.jsonl", "--text", "body", "-m", "npmi@3"]) == 0
    said = capsys.readouterr().err
    assert "npmi(oov='drop')@10 scores the words that are left" in said
    assert "the reference has 'oil' where the topic has 'Oil'" in said


def test_a_corpus_without_a_word_of_the_model_is_refused_and_says_why(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(folder)
    (tmp_path / "french.json").write_text('[["bonjour", "monde"]]', "utf-8")
    (tmp_path / "blank.txt").write_text("\n\n", "utf-8")
    assert run(["evaluate", str(tmp_path / "french.json"), "--corpus", "docs.jsonl", "--text", "body"]) == 1
    said = capsys.readouterr().err
    assert "no word of the models ('bonjour', 'monde' …) is in the corpus ('court', 'cup', " in said
    assert run(["evaluate", "lists.json", "--corpus", str(tmp_path / "blank.txt")]) == 1
    assert "the corpus holds no words: is it empty" in capsys.readouterr().err


def test_a_model_of_phrases_alone_is_counted_in_their_words(folder, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(folder)
    (tmp_path / "phrases.json").write_text('[["oil gas", "energy price"]]', "utf-8")
    phrases = str(tmp_path / "phrases.json")
    assert run(["evaluate", phrases, "--corpus", "docs.jsonl", "--text", "body", "-m", "npmi@2"]) == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evaluate m#1 --corpus m#1", "m#1: holds a model that tealeaves saved, not a corpus"),
        ("evaluate corpus --corpus corpus", "corpus: holds a corpus that tealeaves saved, not a model"),
        ("evaluate m#1 --corpus corpus --out m#1", "m#1: holds a model; name a new folder for the scores"),
        ("report corpus", "corpus: holds a corpus that tealeaves saved, not scores"),
        ("report score", "score: no such file or folder; did you mean scores?"),
        (
            "evaluate m#1 --corpus corpus -m npmi(oov=drop)@5",
            "True, False or None: write oov='drop', and in a",
        ),
    ],
)
def test_what_is_of_another_kind_is_named(prepared, capsys, monkeypatch, line, said):
    monkeypatch.chdir(prepared)
    assert run(line.split()) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("regress table.csv --human ratng", "there is no column 'ratng'; did you mean 'rating'?"),
        (
            "regress table.csv --human people",
            "there is no column 'people'; there are model, npmi, c_v, rating",
        ),
        ("regress table.csv --human rating --by modle", "did you mean 'model'?"),
        ("correlate table.csv --measures npmi,c_w", "there is no column 'c_w'; did you mean 'c_v'?"),
        ("correlate table.csv --rows npmi --columns ratings", "did you mean 'rating'?"),
        ("correlate table.csv --measures npmi,c_v --clusters Modell", "did you mean 'model'?"),
        ("replicate reutres", "there is no replication 'reutres'; did you mean 'reuters'?"),
        ("sweep --corpus corpus --models lad", "there is no family of models 'lad'; did you mean 'lda'?"),
        (
            "sweep --corpus corpus --models nmf --grid min_fd=2",
            "a parameter 'min_fd'; did you mean 'min_df'?",
        ),
        ("study create s --task word_intrusoin", "there is no task 'word_intrusoin'; did you mean 'word_"),
        ("study create s", "name a task with --task; there are word_intrusion, "),
    ],
)
def test_a_name_that_is_nearly_there_is_named(prepared, capsys, monkeypatch, line, said):
    monkeypatch.chdir(prepared)
    assert run(line.split()) == 1
    assert said in capsys.readouterr().err


def test_of_many_fields_an_error_names_some_and_the_nearest(tmp_path, capsys):
    (tmp_path / "wide.csv").write_text(",".join([f"c{i}" for i in range(500)] + ["body"]) + "\n", "utf-8")
    wide, topics = str(tmp_path / "wide.csv"), tmp_path / "topics.json"
    topics.write_text('[["oil", "gas"]]', "utf-8")
    assert run(["evaluate", str(topics), "--corpus", wide, "--text", "boddy"]) == 1
    said = capsys.readouterr().err
    assert "'c19' and 481 more; did you mean 'body'?" in said
    assert "c20" not in said


def test_a_table_of_markdown_is_drawn_on_a_terminal_and_stays_as_it_is_in_a_pipe(monkeypatch, capsys):
    from tealeaves.commands._common import print_markdown

    table = "| model | npmi |\n| --- | ---: |\n| lda | 0.1 |"
    print_markdown(table)
    assert capsys.readouterr().out == f"{table}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_markdown(table)
    drawn = capsys.readouterr().out
    assert "lda" in drawn
    assert "|" not in drawn


# In a notebook


def test_models_and_corpora_show_as_tables_in_a_notebook():
    corpus = tl.Corpus.from_tokens([["oil", "<b>"], ["gas"]], slices=["1990", "1991"])
    assert "<th>documents</th><td>2</td>" in corpus._repr_html_()
    assert "1990 to 1991 (2)" in corpus._repr_html_()
    model = tl.TopicModel.from_words([["oil", "<b>"], ["gas"]], name="mine")
    assert "<th>0</th><td>oil &lt;b&gt;</td>" in model._repr_html_()
    over_time = tl.DynamicTopicModel.from_words([[["oil", "gas"]], [["gas", "sun"]]], slice_labels=["a", "b"])
    assert "<th>0</th><td>oil gas</td><td>gas sun</td>" in over_time._repr_html_()


def test_short_words_are_left_out_on_demand(tmp_path, capsys):
    (tmp_path / "docs.txt").write_text("the court's law\na judge's tax\n", "utf-8")
    out = tmp_path / "out"
    assert run(["corpus", "build", str(tmp_path / "docs.txt"), str(out), "--min-length", "2", "--quiet"]) == 0
    assert tl.load_corpus(out).vocabulary == ("court", "judge", "law", "tax", "the")  # no "s", no "a"
