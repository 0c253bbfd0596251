"""A corpus read in pieces is the corpus read at once, however it is cut, stopped and gone on with."""

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import zstandard
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves import building
from tealeaves.cli import cli
from tealeaves.corpus_store import Writer, open_corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.growing import exclusive

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
    write, n = building.write_piece, [0]

    def dying(*args):
        n[0] += 1
        if n[0] == 8:
            raise KeyboardInterrupt
        write(*args)

    with monkeypatch.context() as patch:
        patch.setattr(building, "write_piece", dying)
        with pytest.raises(KeyboardInterrupt):
            tl.build_corpus(news, tmp_path / "out", text="body", workers=2)
    left = sorted((tmp_path / ".out.pieces").glob("*.npz"))
    assert len(left) >= 5
    content = left[2].read_bytes()
    left[2].write_bytes(content[: len(content) // 2])
    again = []
    monkeypatch.setattr(building, "write_piece", lambda *args: (again.append(args[1].number), write(*args)))
    same(news, tmp_path / "out", {"text": "body"}, workers=2)
    assert 2 in again
    assert not {0, 1} & set(again)  # later ones may lack words that the torn one told


def test_pieces_of_other_choices_or_of_a_changed_file_are_not_used(news, tmp_path, small_pieces):
    fields = dict.fromkeys(("id", "time", "label")) | {"text": "body"}
    source = building.look(
        news, fields=fields, preprocess=None, tokenized=False, format=None, vocabulary=None
    )
    pieces = tmp_path / ".out.pieces"
    pieces.mkdir()
    other = pieces / "of another run"
    building._begin(pieces, source, 400, True)
    other.touch()
    building._begin(pieces, source, 400, True)
    assert other.exists()
    building._begin(pieces, source, 400, False)
    assert not other.exists()
    other.touch()
    os.utime(news, ns=(1, 1))
    building._begin(pieces, source, 400, False)
    assert not other.exists()


def test_a_function_that_was_edited_makes_other_pieces():
    def first(text):
        return text.split(",")

    def second(text):
        return text.split(";")

    assert building._code(first) != building._code(second)
    assert building._code(str.split) == []


def test_two_builds_of_one_corpus_do_not_run_at_once(news, tmp_path):
    pieces = tmp_path / ".out.pieces"
    pieces.mkdir()
    with exclusive(pieces), pytest.raises(InputError, match="another process is writing there"):
        tl.build_corpus(news, tmp_path / "out", text="body")
    pieces.rmdir()
    pieces.symlink_to(tmp_path)
    with pytest.raises(InputError, match="is a link"):
        tl.build_corpus(news, tmp_path / "out", text="body")
    assert news.exists()


@pytest.mark.parametrize("part", ["save", "rename"])
def test_a_full_disk_loses_nothing_that_was_read(news, tmp_path, small_pieces, monkeypatch, part):
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(*((np, "savez", full) if part == "save" else (Writer, "finish", full)))
        with pytest.raises(OSError, match=r"the disk is full; what was read is kept in .*make room"):
            tl.build_corpus(news, tmp_path / "out", text="body")
    assert sorted(file.name for file in tmp_path.iterdir()) == [".out.pieces", "news.jsonl.gz"]
    same(news, tmp_path / "out", {"text": "body"})


def test_what_a_process_killed_while_it_wrote_has_left_is_put_right(news, tmp_path):
    tl.build_corpus(news, tmp_path / "out", text="body")
    scratch = tmp_path / ".out-build"
    scratch.mkdir()
    (tmp_path / "out").rename(scratch / "old")  # killed between two renames
    (scratch / "new").mkdir()
    (scratch / "new" / "tokens.npy").write_bytes(b"half")
    with pytest.raises(FormatError):
        tl.build_corpus(news, tmp_path / "out", text="none")
    with pytest.raises(FileNotFoundError, match="a save was killed halfway"):
        tl.load_corpus(tmp_path / "out")
    same(news, tmp_path / "out", {"text": "body"})
    assert sorted(file.name for file in tmp_path.iterdir()) == ["news.jsonl.gz", "out"]


@pytest.mark.parametrize("content", [{}, {"about": np.zeros(3, np.uint8)}, {"about": np.array([b"{}"])}])
def test_a_piece_that_is_none_of_ours_is_cut_again(news, tmp_path, small_pieces, monkeypatch, content):
    with monkeypatch.context() as patch:
        patch.setattr(building, "assemble", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            tl.build_corpus(news, tmp_path / "out", text="body", workers=1)
    np.savez(tmp_path / ".out.pieces" / "00000001.npz", **content)
    same(news, tmp_path / "out", {"text": "body"}, workers=1)


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "jsonl.zst", "parquet"])
def test_progress_ends_when_all_is_read_however_it_is_packed(news, tmp_path, small_pieces, ending):
    import polars as pl

    text = gzip.decompress(news.read_bytes())
    path = tmp_path / f"t.{ending}"
    if ending == "parquet":
        pl.read_ndjson(text).select("body").write_parquet(path)
    else:
        pack = {"jsonl": bytes, "jsonl.gz": gzip.compress, "jsonl.zst": zstandard.compress}[ending]
        path.write_bytes(pack(text))
    seen = []
    tl.build_corpus(path, tmp_path / "out", text="body", progress=lambda *said: seen.append(said))
    read = [(done, whole) for what, done, whole in seen if what == "reading"]
    assert read == sorted(read)
    assert read[-1][0] == read[-1][1] == (300 if ending == "parquet" else path.stat().st_size)
    assert {what for what, _, _ in seen} == {"reading", "writing", "checking"}


def test_what_was_read_ahead_is_not_done_before_it_is_cut(news, tmp_path, small_pieces):
    cut, seen = [], []

    def by_hand(text):
        cut.append(text)
        return text.split()

    def watch(what, done, whole):
        if what == "reading":
            seen.append((len(cut) / 300, done / whole))

    path = tmp_path / "t.jsonl"
    path.write_bytes(gzip.decompress(news.read_bytes()))
    by_hand = tl.Preprocess(tokenizer=by_hand)
    tl.build_corpus(path, tmp_path / "out", text="body", preprocess=by_hand, workers=2, progress=watch)
    assert len(seen) > 5
    assert all(done <= documents + 0.1 for documents, done in seen)


def test_times_of_any_type_are_put_in_order_as_such(tmp_path, small_pieces):
    import datetime
    from decimal import Decimal

    import polars as pl

    day = datetime.datetime(2020, 1, 9)
    for i, times in enumerate(
        (
            [day, day.replace(day=10, hour=3), day],
            [Decimal("10.5"), Decimal("9.5"), Decimal("9.5")],
            [2, 10, 9],
        )
    ):
        frame = pl.DataFrame({"text": ["oil", "gas", "tin"] * 9, "when": times * 9})
        frame.write_parquet(tmp_path / f"{i}.parquet")
        same(tmp_path / f"{i}.parquet", tmp_path / f"{i}", {"time": "when"})
    for value in ("NaN", "null", "[1]", '""'):
        (tmp_path / "t.jsonl").write_text(
            f'{{"text": "oil", "when": 1}}\n{{"text": "gas", "when": {value}}}\n'
        )
        for make in (tl.read_corpus, lambda path, time: tl.build_corpus(path, tmp_path / "o", time=time)):
            with pytest.raises(FormatError, match=r"jsonl:2: field 'when'"):
                make(tmp_path / "t.jsonl", time="when")


def test_odd_corpora_are_built_as_they_are_read(tmp_path, small_pieces):
    (tmp_path / "nan.jsonl").write_text('{"text": "oil", "id": NaN}\n{"text": "\\ud83d gas", "id": 1}\n')
    assert "the field 'id' was not used" in same(tmp_path / "nan.jsonl", tmp_path / "o", {}).notes[0]
    (tmp_path / "one.jsonl").write_text(json.dumps({"text": "oil gas tin " * 20_000}) + "\n")
    assert same(tmp_path / "one.jsonl", tmp_path / "o", {}).n_tokens == 60_000
    blanks = tl.Preprocess(tokenizer=lambda text: [f" {word} " for word in text.split()] + ["  "])
    assert same(tmp_path / "one.jsonl", tmp_path / "o", {"preprocess": blanks}).vocabulary == (
        "gas",
        "oil",
        "tin",
    )
    (tmp_path / "none.jsonl").write_text("")
    with pytest.raises(FormatError, match="holds no documents"):
        tl.build_corpus(tmp_path / "none.jsonl", tmp_path / "n", format="jsonl")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.txt").write_text("oil")
    (tmp_path / "d" / "b.txt").symlink_to(tmp_path / "one.jsonl")
    assert "links out of the folder" in same(tmp_path / "d", tmp_path / "o", {}).notes[0]
    bare = tmp_path / "bare"
    tl.build_corpus(tmp_path / "nan.jsonl", bare, texts=False)
    assert tl.load_corpus(bare, verify=True).texts is None
    assert not (bare / "texts.utf8").exists()
    with pytest.raises(InputError, match="at least one partition"):
        tl.build_corpus(tmp_path / "nan.jsonl", bare, partitions=-1)


@pytest.mark.slow
def test_a_process_killed_while_it_builds_loses_nothing(news, tmp_path):
    code = (
        "import time, tealeaves as tl; from tealeaves import building; building.LARGEST = 400;"
        "w = building.write_piece;"
        "building.write_piece = lambda *a: (time.sleep(.02), w(*a));"
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
        ({"time": "topic"}, FormatError, "holds no one time"),
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
