"""``tealeaves read`` from outside: what stands on the terminal, in JSON and in the page."""

import json

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.cli import run


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A model with topics of its own tokens, and the texts of its documents."""
    texts = ["The oil rose. GAS fell!", "A tax, a law; the tax."] * 3
    (tmp_path / "docs.jsonl").write_text(
        "".join(json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(texts)), "utf-8"
    )
    own = tl.Corpus.from_tokens([["oil", "rose", "gas", "fell"], ["tax", "law", "tax"]] * 3)
    topics = [0, 0, 1, 1, 1, 0, 1] * 3
    tl.TopicModel(own.vocabulary, np.full((2, 6), 1 / 6), assignments=topics, corpus=own).save(tmp_path / "m")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *arguments):
    status = run(["read", *map(str, arguments)])
    found = capsys.readouterr()
    return status, found.out, found.err


def test_a_document_is_printed_with_the_topic_where_it_changes(files, capsys):
    status, out, err = call(capsys, "m", "--corpus", "docs.jsonl", "--document", "d0")
    assert status == 0, err
    assert "The [0]oil rose. [1]GAS fell!" in out
    assert "consistency 0.40 (by chance 0.51, shuffled 0.33), switch_p 0.60, 2 topics" in out
    assert "Changes of topic" not in out


def test_the_most_frequent_changes_are_listed_on_demand(files, capsys):
    status, out, _ = call(capsys, "m", "--corpus", "docs.jsonl", "--switches", "--json")
    found = json.loads(out)
    assert status == 0
    assert [(s["before"], s["after"], s["times"]) for s in found["switches"]] == [(0, 1, 6), (1, 0, 3)]
    assert all(s["low"] <= s["share"] <= s["high"] for s in found["switches"])
    assert found["documents"][0]["text"] == "The oil rose. GAS fell!"
    _, out, _ = call(capsys, "m", "--corpus", "docs.jsonl", "--switches")
    assert "Changes of topic" in out


def test_a_page_is_written_and_a_wrong_id_is_told(files, capsys):
    assert call(capsys, "m", "--corpus", "docs.jsonl", "-d", "d1", "--out", "read.html")[0] == 0
    page = (files / "read.html").read_text("utf-8")
    assert page.count('<article class="doc"') == 1
    status, _, err = call(capsys, "m", "--corpus", "docs.jsonl", "-d", "d7")
    assert status == 1
    assert "no document of the corpus is called 'd7'; did you mean 'd" in err


def test_words_alone_are_told_with_the_reason(files, capsys):
    status, out, err = call(capsys, "m", "-d", "0")
    assert status == 0
    assert "[0]oil rose [1]gas fell" in out
    assert "words alone are shown, not the text: the corpus keeps no text" in err


def test_topics_are_inferred_where_the_model_has_none(files, capsys):
    phi = [[0.499, 0.499, 0.001, 0.001], [0.001, 0.001, 0.499, 0.499]]
    tl.TopicModel(["oil", "gas", "tax", "law"], phi).save(files / "bare")
    status, out, err = call(capsys, "bare", "--corpus", "docs.jsonl", "-d", "d0", "-d", "d1")
    assert status == 0
    assert "The [0]oil rose. GAS fell!" in out
    assert "A [1]tax, a law; the tax." in out
    assert "inferred with its topics fixed (map)" in err
