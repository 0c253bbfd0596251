"""Corpora of other tools on the command line."""

import json

import pytest

from tealeaves import load_corpus, read_corpus
from tealeaves.cli import run

UCI = "2\n3\n3\n1 1 2\n1 3 1\n2 2 1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a corpus of counts and one of OCTIS."""
    (tmp_path / "c.uci").write_text(UCI)
    (tmp_path / "terms").write_text("oil\ngas\ntin\n")
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "corpus.tsv").write_text("oil gas\ttrain\tx\ntin\ttest\ty\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *arguments):
    status = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_corpus_of_counts_is_built_with_words_that_are_handed_over(folder, capsys):
    status, out, _ = call(capsys, "corpus", "build", "c.uci", "saved", "--vocabulary", "terms", "--json")
    assert status == 0
    told = json.loads(out)
    saved = load_corpus("saved")
    assert told["bag_fingerprint"] == saved.bag_fingerprint
    assert saved.fingerprint == read_corpus("c.uci", vocabulary=["oil", "gas", "tin"]).fingerprint
    status, out, _ = call(capsys, "corpus", "info", "saved")
    assert saved.fingerprint in out
    assert f"of counts   {saved.bag_fingerprint}" in out
    assert "measures over windows are refused" in out


def test_words_that_are_not_found_are_one_message_and_status_1(folder, capsys):
    status, _, err = call(capsys, "corpus", "info", "c.uci")
    assert status == 1
    assert "c.uci" in err
    assert "no file with 3 words was found beside it" in err
    assert "Traceback" not in err


def test_inspect_knows_a_corpus_of_another_tool_from_a_model(folder, capsys):
    (folder / "c.uci.vocab").write_text("oil\ngas\ntin\n")
    (folder / "c.ldac").write_text("2 0:2 2:1\n1 1:1\n")
    (folder / "c.ldac.vocab").write_text("oil\ngas\ntin\n")
    (folder / "c.low").write_text("2\noil gas\ntin\n")
    for path in ("c.uci", "c.ldac", "c.low", "news"):
        status, out, _ = call(capsys, "inspect", path, "--json")
        assert status == 0
        assert (json.loads(out)["kind"], json.loads(out)["documents"]) == ("corpus", 2), path


def test_a_partition_is_chosen_and_the_help_lists_the_formats(folder, capsys):
    status, out, _ = call(capsys, "corpus", "info", "news", "--partition", "test", "--json")
    assert (status, json.loads(out)["labels"]) == (0, ["y"])
    status, _, err = call(capsys, "corpus", "info", "news", "--partition", "dev")
    assert status == 1
    assert "there are: 'test', 'train'" in err
    out = " ".join(call(capsys, "corpus", "info", "--help")[1].split())
    assert all(name in out for name in ("octis", "ldac", "svmlight", "mm", "uci", "arrow", "mallet", "npz"))
