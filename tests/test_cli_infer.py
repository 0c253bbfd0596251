"""`tealeaves infer` and `tealeaves evaluate --held-out`, as a user calls them."""

import json

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.cli import run


@pytest.fixture
def folder(tmp_path):
    model = tl.TopicModel(["gas", "law", "oil", "tax"], [[4, 0, 5, 1], [0, 5, 1, 4]], alpha=0.1, name="two")
    model.save(tmp_path / "two")
    (tmp_path / "new.txt").write_text("oil gas oil zebra\ntax law law\n", "utf-8")
    (tmp_path / "old.txt").write_text("oil gas\nlaw tax\n", "utf-8")
    return tmp_path


def call(capsys, *arguments):
    status = run([str(argument) for argument in arguments])
    return status, *capsys.readouterr()


def test_infer_writes_a_model_of_the_documents(folder, capsys):
    status, out, err = call(
        capsys, "infer", folder / "two", "--corpus", folder / "new.txt", "--out", folder / "out", "--json"
    )
    assert status == 0, err
    made = tl.load_model(folder / "out")
    assert made.doc_topic.argmax(1).tolist() == [0, 1]
    assert made.assignments.tolist() == [0, 0, 0, -1, 1, 1, 1]
    printed = json.loads(out)
    assert printed["unknown_tokens"] == 1
    assert printed["topics"] == pytest.approx(made.doc_topic.mean(0))
    assert "1 of 7 tokens are words that the model does not have" in err


def test_free_topics_are_learnt_beside_the_model_s(folder, capsys):
    status, _, err = call(capsys,
        "infer", folder / "two", "--corpus", folder / "new.txt", "--out", folder / "out", "--method", "gibbs",
        "--free-topics", 1, "--seed", 3,
    )  # fmt: skip
    assert status == 0, err
    made = tl.load_model(folder / "out")
    assert made.n_topics == 3
    np.testing.assert_allclose(made.probabilities()[0], [0.4, 0, 0.5, 0.1])


def test_what_cannot_be_inferred_is_one_message_and_status_1(folder, capsys):
    (folder / "lists.json").write_text('[["oil", "gas"], ["tax", "law"]]', "utf-8")
    status, _, err = call(
        capsys, "infer", folder / "lists.json", "--corpus", folder / "new.txt", "--out", folder / "out"
    )
    assert status == 1
    assert "lists of words alone" in err
    assert not (folder / "out").exists()


def test_held_out_documents_are_scored(folder, capsys):
    given = "evaluate", folder / "two", "--corpus", folder / "old.txt", "--measures", "held_out", "--no-ci"
    status, _, err = call(capsys, *given, "--held-out", folder / "new.txt", "--json")
    assert status == 0, err
    status, _, err = call(capsys, *given[:4], "--measures", "perplexity")
    assert status == 1
    assert "--held-out" in err
