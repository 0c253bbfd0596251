"""Files that would keep a reader waiting, fill its memory, or lead it out of the folder it was given."""

import gzip
import io
import os
import resource
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from click.testing import CliRunner

from tealeaves import read_corpus, read_model
from tealeaves.cli import cli
from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.writers.corpora import write_corpus
from tealeaves.writers.models import write_model

MODEL = TopicModel(["gas", "oil"], [[0.25, 0.75]])
CORPUS = Corpus.from_tokens([["oil", "gas"], ["oil"]])
unix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices as files are of Unix")


def run(*arguments):
    """The command line in a process of its own, which may wait no more than a minute."""
    call = [sys.executable, "-m", "tealeaves", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, timeout=60)


@unix
@pytest.mark.parametrize("read", [read_model, read_corpus])
@pytest.mark.parametrize("name", ["m.json", "m.npz", "c.txt", "c.csv", "c.parquet", "m"])
def test_a_pipe_is_refused_before_anyone_waits_for_it(tmp_path, read, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(FormatError, match="is a pipe, not a file: write what comes out of it to a file"):
        read(tmp_path / name)


@unix
@pytest.mark.parametrize("format", ["text", "parquet", "npz", "uci"])
def test_a_device_is_refused_however_it_is_to_be_read(format):
    with pytest.raises(FormatError, match="/dev/zero: is a device, not a file"):
        read_corpus("/dev/zero", format=format)


@unix
def test_inspect_and_evaluate_refuse_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "f")
    for command in (["inspect", tmp_path / "f"], ["evaluate", tmp_path / "f"]):
        done = run(*command)
        assert done.returncode == 1
        assert "is a pipe, not a file" in done.stderr
        assert "Traceback" not in done.stderr


@unix
def test_pipes_in_a_folder_are_no_files_of_it(tmp_path):
    (tmp_path / "a.txt").write_text("oil gas\n")
    for name in ("b.txt", "model.json", "corpus.json", "topics.json", "state.json"):
        os.mkfifo(tmp_path / name)
    assert read_corpus(tmp_path, format="folder").ids == ("a",)
    with pytest.raises(FormatError):  # topics.json is no file
        read_model(tmp_path)


@unix
@pytest.mark.parametrize("ending", [".json", ".csv", ".npz", ".txt", ".jsonl", ".ldac", ".parquet"])
def test_a_pipe_or_device_is_never_replaced_by_a_file(tmp_path, ending):
    write, thing = (write_model, MODEL) if ending in (".json", ".csv", ".npz") else (write_corpus, CORPUS)
    path = tmp_path / f"out{ending}"
    os.mkfifo(path)
    with pytest.raises(InputError, match="is a device or a pipe, which a file would replace"):
        write(thing, path)
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


@unix
def test_convert_does_not_replace_a_device_reached_by_a_link(tmp_path):
    (tmp_path / "m.json").write_text('[["oil", "gas"]]')
    (tmp_path / "out.csv").symlink_to("/dev/full")
    done = CliRunner().invoke(cli, ["convert", str(tmp_path / "m.json"), str(tmp_path / "out.csv")])
    assert done.exit_code == 1
    assert (tmp_path / "out.csv").is_symlink()


def packed_npz(members, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in members.items():
            file = io.BytesIO()
            np.save(file, array)
            archive.writestr(f"{name}.npy", file.getvalue())


@pytest.mark.parametrize("read", [read_model, read_corpus])
def test_arrays_that_unpack_to_far_more_than_their_file_are_refused_unread(tmp_path, read):
    many = {name: np.zeros(3_000_000) for name in ("data", "indices", "indptr", "shape")}  # 96 MB together
    packed_npz(many, tmp_path / "c.npz")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FormatError, match="which is more than its file can hold: it is damaged, or meant to"):
        read(tmp_path / "c.npz")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB


def test_an_array_that_nobody_asks_for_is_not_unpacked(tmp_path):
    parts = {"data": [1, 1], "indices": [0, 1], "indptr": [0, 2], "shape": [1, 2], "vocab": ["gas", "oil"]}
    packed_npz({**parts, "thumbnails": np.zeros(20_000_000)}, tmp_path / "c.npz")
    assert read_corpus(tmp_path / "c.npz").vocabulary == ("gas", "oil")


FIRST_LINES = {
    ".txt": "oil",
    ".csv": "text",
    ".jsonl": '{"text": "oil"}',
    ".mallet": "a b c",
}


@pytest.mark.parametrize("ending", FIRST_LINES)
def test_a_line_that_memory_cannot_hold_is_refused(tmp_path, ending, monkeypatch):
    monkeypatch.setattr("tealeaves.readers._lines.LONGEST", 1 << 20)
    monkeypatch.setattr("tealeaves.readers._lines.BLOCK", 1 << 16)
    path = tmp_path / f"c{ending}.gz"
    path.write_bytes(gzip.compress(FIRST_LINES[ending].encode() + b"\n" + b"oil " * (1 << 19) + b"\n"))
    with pytest.raises(FormatError, match=":2: this line is longer than 1,048,576 bytes"):
        read_corpus(path)


def test_a_cell_over_many_lines_is_bounded_as_a_line_is(tmp_path, monkeypatch):
    monkeypatch.setattr("tealeaves.readers.corpus_csv.LONGEST", 1 << 20)
    (tmp_path / "c.csv").write_bytes(b'text\n"' + b"oil\n" * (1 << 19) + b'"\n')
    with pytest.raises(FormatError, match="field larger than field limit"):
        read_corpus(tmp_path / "c.csv")


@pytest.mark.parametrize("ending", [".txt.gz", ".jsonl.gz"])
def test_lines_that_unpack_to_far_more_than_text_does_are_refused(tmp_path, ending, monkeypatch):
    monkeypatch.setattr("tealeaves.readers._files.SMALL", 1 << 20)
    path = tmp_path / f"c{ending}"
    path.write_bytes(gzip.compress(b'{"text": "oil"}\n' * (1 << 18)))
    with pytest.raises(
        FormatError, match=r"unpacks to more than .* bytes: it is damaged, or meant to do harm"
    ):
        read_corpus(path)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 64])
def test_lines_are_the_same_wherever_the_blocks_end(tmp_path, monkeypatch, size):
    texts = ["oil gas", "", "tax", "über law", "x" * 20, ""]
    (tmp_path / "c.txt").write_bytes("\n".join(texts).encode() + b"\r\n\nlast")
    monkeypatch.setattr("tealeaves.readers._lines.BLOCK", size)
    corpus = read_corpus(tmp_path / "c.txt")
    assert [*corpus.texts] == [*texts, "", "last"]


def test_links_out_of_a_folder_are_left_out_and_told(tmp_path):
    (tmp_path / "secret.txt").write_text("nobody may read this")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("oil gas")
    (docs / "b.txt").symlink_to(tmp_path / "secret.txt")
    (docs / "c.txt").symlink_to(docs / "a.txt")
    corpus = read_corpus(docs)
    assert corpus.ids == ("a", "c")
    assert corpus.notes == ("1 links out of the folder are left out (b): copy what they lead to",)
    for name in ("a.txt", "c.txt"):
        (docs / name).unlink()
    with pytest.raises(FormatError, match=r"no \.txt files; .*: 1 \.txt files are links out of it; copy"):
        read_corpus(docs)


def test_a_link_to_the_folder_itself_is_followed(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.txt").write_text("oil gas")
    (tmp_path / "here").symlink_to(tmp_path / "docs")
    assert read_corpus(tmp_path / "here").ids == ("a",)


def test_links_to_the_files_of_a_model_are_followed_as_caches_need(tmp_path):
    corpus = Corpus.from_tokens([["oil", "gas"], ["gas"]])
    weights = np.array([[2.5, 0.5], [0.5, 1.5]]) / [[3], [2]]
    model = TopicModel(corpus.vocabulary, weights, assignments=[1, 0, 0], alpha=1, eta=0.5, corpus=corpus)
    write_model(model, tmp_path / "run", "mallet")
    (tmp_path / "run/topic-state.gz").rename(tmp_path / "blob")
    (tmp_path / "run/topic-state.gz").symlink_to(tmp_path / "blob")
    assert read_model(tmp_path / "run").assignments.tolist() == [1, 0, 0]


def test_a_bare_square_matrix_is_a_question(tmp_path):
    np.save(tmp_path / "sq.npy", np.full((4, 4), 0.25) + np.eye(4))
    words = ["a", "b", "c", "d"]
    with pytest.raises(FormatError, match="rows and columns are as many; which are which"):
        read_model(tmp_path / "sq.npy", vocabulary=words)
    assert read_model(tmp_path / "sq.npy", vocabulary=words, axes="topic word").n_topics == 4


@pytest.mark.parametrize("cells", ["-1.5,-2\n2,-0.1,-9", "-1.5,-Inf\n2,-0.1,-9"])
def test_logarithms_of_weights_are_told(tmp_path, cells):
    (tmp_path / "m.csv").write_text(f'"","oil","gas"\n1,{cells}\n')
    with pytest.raises(FormatError, match=r"are they logarithms\? Write exp"):
        read_model(tmp_path / "m.csv")


def test_an_array_of_logarithms_is_told(tmp_path):
    np.savez(tmp_path / "m.npz", beta=np.log([[0.5, 0.3, 0.2]]), vocab=["a", "b", "c"])
    with pytest.raises(FormatError, match="all its weights are negative: are they logarithms"):
        read_model(tmp_path / "m.npz")


def test_a_header_that_promises_more_than_there_is_takes_no_memory(tmp_path):
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}\n"
    (tmp_path / "m.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
    with pytest.raises(FormatError, match="is cut off: 8,000,000,000,000 bytes were expected"):
        read_model(tmp_path / "m.npy", vocabulary=["a"])
