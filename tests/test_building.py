"""A corpus read in pieces is the corpus read at once, however it is cut, stopped and gone on with."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves import building
from tealeaves.cli import cli
from tealeaves.corpus_store import open_corpus
from tealeaves.errors import FormatError, InputError

PARTS = ("vocabulary", "ids", "labels", "slice_labels", "ordered", "gaps", "preprocess", "notes")


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(building, "LARGEST", 400)


@pytest.fixture
def news(tmp_path):
    """Documents with everything that a file can say of them."""
    texts = ["Oil and gas.", "", "Häuser cafe\u0301 İstanbul don't", "GAS gas oil tin", "ΣΑΣ tax ﬁne"]
    with gzip.open(tmp_path / "news.jsonl.gz", "wt", encoding="utf-8") as file:
        for i in range(300):
            label = ["x", ["y", "z"], None][i % 3]
            record = {"id": i, "body": texts[i % 5] * (1 + i % 7) + f" word{i % 11}", "year": 1990 + i % 4}
            file.write(json.dumps({**record, "topic": label}) + "\n")
    return tmp_path / "news.jsonl.gz"


def same(path, out, how, **options):
    tl.build_corpus(path, out, **how, **options)
    built, read = tl.load_corpus(out, verify=True), tl.read_corpus(path, **how)
    for name in PARTS:
        assert getattr(built, name) == getattr(read, name), name
    assert built.fingerprint == read.fingerprint
    assert built.tokens.tolist() == read.tokens.tolist()
    assert (built.slice_of is None) == (read.slice_of is None)
    assert built.slice_of is None or built.slice_of.tolist() == read.slice_of.tolist()
    assert built.texts is None or list(built.texts) == list(read.texts)
    return built


CHOICES = [
    {},
    {"preprocess": tl.Preprocess(stop_words=["and", "don't"], min_length=3)},
    {"preprocess": tl.Preprocess(min_df=3, max_df=0.5, stem="english", lower=True)},
    {"preprocess": tl.Preprocess(pattern=r"\w+", lower=False)},
    {"preprocess": tl.Preprocess(tokenizer=str.split)},
    {"vocabulary": ["tin", "oil", "never"], "preprocess": tl.Preprocess(min_df=2)},
    {"id": "id", "time": "year", "label": "topic"},
    {"tokenized": True, "label": "topic"},
]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("workers", [1, 3])
def test_pieces_make_the_corpus_that_is_read_at_once(news, tmp_path, small_pieces, choice, workers):
    same(news, tmp_path / "out", {"text": "body", **choice}, workers=workers)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["news.jsonl.gz", "out"]


texts = st.lists(
    st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=30), max_size=30
)


@settings(max_examples=25, deadline=None)
@given(texts, st.integers(1, 4))
def test_any_text_comes_out_as_if_read_at_once(tmp_path_factory, texts, workers):
    folder = tmp_path_factory.mktemp("b")
    rows = [json.dumps({"text": text}) for text in [*texts, "oil"]]
    (folder / "t.jsonl").write_text("\n".join(rows), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "LARGEST", 50)
        same(folder / "t.jsonl", folder / "out", {}, workers=workers)


def test_tables_folders_and_plain_text_are_built_too(tmp_path, small_pieces):
    (tmp_path / "t.csv").write_text("id,text\na,oil and gas\nb,tax\n")
    (tmp_path / "t.txt").write_text("oil and gas\n\ntax law\n")
    (tmp_path / "d").mkdir()
    for name in "ab":
        (tmp_path / "d" / f"{name}.txt").write_text(f"the text {name}. Oil!")
    tl.Corpus.from_texts(["oil gas", "tax"]).save(tmp_path / "saved")
    for path in ("t.csv", "t.txt", "d"):
        same(tmp_path / path, tmp_path / f"{path}-out", {})
    same(tmp_path / "saved", tmp_path / "saved-out", {})


def test_a_killed_run_goes_on_with_its_pieces_and_a_torn_one_is_cut_again(
    news, tmp_path, small_pieces, monkeypatch
):
    write, n = building._write, [0]

    def dying(*args):
        n[0] += 1
        if n[0] == 8:
            raise KeyboardInterrupt
        write(*args)

    with monkeypatch.context() as patch:
        patch.setattr(building, "_write", dying)
        with pytest.raises(KeyboardInterrupt):
            tl.build_corpus(news, tmp_path / "out", text="body", workers=2)
    left = sorted((tmp_path / ".out.pieces").glob("*.npz"))
    assert len(left) >= 5
    content = left[2].read_bytes()
    left[2].write_bytes(content[: len(content) // 2])
    again = []
    monkeypatch.setattr(building, "_write", lambda *args: (again.append(args[1].number), write(*args)))
    same(news, tmp_path / "out", {"text": "body"}, workers=2)
    assert 2 in again
    assert not {0, 1, 3} & set(again)


def test_pieces_of_other_choices_or_of_a_changed_file_are_not_used(news, tmp_path, small_pieces):
    fields = dict.fromkeys(("id", "time", "label")) | {"text": "body"}
    source = building.look(
        news, fields=fields, preprocess=None, tokenized=False, format=None, vocabulary=None
    )
    building._begin(tmp_path / ".out.pieces", source, 400)
    other = tmp_path / ".out.pieces" / "of another run"
    other.touch()
    building._begin(tmp_path / ".out.pieces", source, 400)
    assert other.exists()
    os.utime(news, ns=(1, 1))
    building._begin(tmp_path / ".out.pieces", source, 400)
    assert not other.exists()


@pytest.mark.slow
def test_a_process_killed_while_it_builds_loses_nothing(news, tmp_path):
    code = (
        "import time, tealeaves as tl; from tealeaves import building; building.LARGEST = 400;"
        "w = building._write;"
        "building._write = lambda *a: (time.sleep(.02), w(*a));"
        f"tl.build_corpus({str(news)!r}, {str(tmp_path / 'out')!r}, text='body', workers=2)"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 60
    while len(list((tmp_path / ".out.pieces").glob("*.npz"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "out").exists()
    subprocess.run([sys.executable, "-c", code], check=True)
    built, read = open_corpus(tmp_path / "out", verify=True), tl.read_corpus(news, text="body")
    assert built.fingerprint == read.fingerprint


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"memory": "100MB"}, InputError, "memory must be at least"),
        ({"memory": "plenty"}, InputError, "memory must be a size such as '512MB'"),
        ({"preprocess": tl.Preprocess(ngrams=2)}, InputError, "n-grams are joined in memory"),
        ({"text": "none"}, FormatError, "no field 'none' for text="),
        ({"time": "topic"}, FormatError, "is empty"),
    ],
)
def test_what_cannot_be_built_is_one_error_and_leaves_no_corpus(news, tmp_path, how, error, message):
    with pytest.raises(error, match=message):
        tl.build_corpus(news, tmp_path / "out", **{"text": "body", **how})
    assert not (tmp_path / "out").exists()


def test_names_given_twice_are_said(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        "".join(json.dumps({"id": i % 3, "text": "oil"}) + "\n" for i in range(4))
    )
    with pytest.raises(FormatError, match="two documents have the id '0'"):
        tl.build_corpus(tmp_path / "t.jsonl", tmp_path / "out", id="id")
    same(tmp_path / "t.jsonl", tmp_path / "out", {})


def test_the_command_builds_in_pieces_and_adds_documents(news, tmp_path):
    def call(*arguments):
        return CliRunner().invoke(cli, ["corpus", *map(str, arguments)])

    how = ("--text", "body", "--id", "id", "--min-df", "2")
    done = call("build", news, tmp_path / "out", *how, "--memory", "1GB", "--workers", "2", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["documents"] == 300
    (tmp_path / "more.jsonl").write_text(json.dumps({"id": "new", "body": "Oil and tin"}) + "\n")
    assert call("append", tmp_path / "out", tmp_path / "more.jsonl", *how).exit_code == 0
    assert tl.load_corpus(tmp_path / "out", verify=True).ids[300] == "new"
    again = call("append", tmp_path / "out", tmp_path / "more.jsonl", *how)
    assert again.exit_code == 1
    assert "has a document 'new' already" in str(again.exception)
    assert call("verify", tmp_path / "out").exit_code == 0
