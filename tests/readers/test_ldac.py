import gzip
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from tealeaves.errors import FormatError
from tealeaves.model import read_model
from tealeaves.readers._vocabulary import words_of

DATA = Path(os.environ.get("TEALEAVES_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


@pytest.fixture
def reuters():
    if not DATA.exists():
        pytest.skip("no data folder")
    return DATA / "formats" / "ldac_reuters395"


def test_a_run_of_lda_c_has_its_corpus_topics_of_documents_and_of_tokens(reuters):
    model = read_model(reuters)
    assert (model.n_topics, len(model.vocabulary)) == (10, 4258)
    assert (len(model.corpus), model.corpus.n_tokens) == (395, 84010)
    assert model.doc_topic.shape == (395, 10)
    assert model.alpha[0] == 0.0198112509
    assert model.corpus.ids[0].endswith("royal revolution. LONDON 1996-08-20")
    doc = np.repeat(np.arange(395), np.diff(model.corpus.offsets))
    assert (model.doc_topic[doc].argmax(axis=1) == model.assignments).mean() > 0.9
    # gamma less alpha counts the tokens of each document
    gamma = np.loadtxt(reuters / "final.gamma") - np.loadtxt(reuters / "final.gamma").min()
    np.testing.assert_allclose(gamma.sum(axis=1), np.diff(model.corpus.offsets), rtol=1e-4)


@pytest.fixture
def run(tmp_path):
    """Two topics, three words, two documents."""
    files = {
        "final.beta": "-0.693147 -0.693147 -300\n-300 -0.693147 -0.693147\n",
        "final.gamma": "2.1 0.1\n0.1 2.1\n",
        "final.other": "num_topics 2\nnum_terms 3\nalpha 0.1\n",
        "word-assignments.dat": "002 0000:00 0001:00\n001 0002:01\n",
        "docs.ldac": "2 0:1 1:1\n1 2:2\n",
        "docs.vocab": "oil\ngas\ntax\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("odd", ["ga\x85s", "ga\u2028s", "ga\x1cs", "ga\x0bs", "ga\rs"])
def test_only_line_feeds_end_the_words_of_a_vocabulary(run, odd, end):
    (run / "docs.vocab").write_bytes(f"oil{end}{odd}{end}tax{end}".encode())
    assert read_model(run).vocabulary == words_of(run / "docs.vocab") == ("oil", odd, "tax")


def test_an_empty_vocabulary_has_no_words_and_the_last_line_may_lack_its_end(tmp_path):
    for content, words in (("", ()), ("oil", ("oil",)), ("oil\n\n", ("oil", ""))):
        (tmp_path / "v.txt").write_text(content)
        assert words_of(tmp_path / "v.txt") == words


def test_a_small_run_by_hand(run):
    model = read_model(run)
    assert model.topic_word.tolist() == [[0.5, 0.5, 0], [0, 0.5, 0.5]]
    assert model.vocabulary == ("oil", "gas", "tax")
    assert model.assignments.tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(model.doc_topic[0], [2.1 / 2.2, 0.1 / 2.2])
    for packed in ("final.beta", "word-assignments.dat"):
        (run / f"{packed}.gz").write_bytes(gzip.compress((run / packed).read_bytes()))
        (run / packed).unlink()
    assert read_model(run).assignments.tolist() == [0, 0, 1, 1]


def test_what_lda_inf_wrote_stands_in_for_a_missing_gamma_and_that_is_said(run):
    (run / "final.gamma").rename(run / "new-gamma.dat")
    model = read_model(run)
    np.testing.assert_allclose(model.doc_topic[0], [2.1 / 2.2, 0.1 / 2.2])
    assert model.notes == ("there is no final.gamma: topics of documents are those of new-gamma.dat",)


def test_assignments_without_their_corpus_are_left_out_and_that_is_said(run):
    (run / "docs.ldac").unlink()
    model = read_model(run)
    assert model.assignments is None
    assert "word-assignments.dat was left out: the corpus whose tokens" in model.notes[0]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "final.other",
            "num_topics 3\nnum_terms 3\nalpha 1\n",
            "says 3 topics and 3 words, but final.beta has 2",
        ),
        ("final.other", "alpha 1\n", "num_topics, num_terms and alpha were expected"),
        ("final.gamma", "1 1 1\n1 1 1\n", "has 3 topics, but final.beta has 2"),
        ("final.gamma", "1 1\n0 0\n", r"final\.gamma:2: positive numbers were expected"),
        ("final.gamma", "1 1\n", r"docs\.ldac: has 2 documents, but the model has topics of 1"),
        ("final.beta", "-0.69 -0.69\n-0.69 -0.69\n", "probabilities sum to 1.00"),
        ("final.beta", "-0.693147 -0.693147\n", "a file of 2 words, one a line, was expected"),
        ("final.beta", "-1 -1\n-1\n", r"final\.beta:2: 1 numbers were found, but the first line has 2"),
        ("docs.vocab", "oil\ngas\n", "a file of 3 words, one a line, was expected beside final.beta"),
        ("docs.ldac", "2 0:1 9:1\n1 2:2\n", "docs.ldac"),
        ("word-assignments.dat", "002 0000:00 0001:00\n", "has 1 documents, but the corpus has 2"),
        (
            "word-assignments.dat",
            "002 0000:00 0001:00\n001 0001:01\n",
            r":2: its words are not those of document 1",
        ),
        (
            "word-assignments.dat",
            "002 0000:00 0001:00\n001 0002:07\n",
            r":2: topic 7 was found, but .* has 2",
        ),
        ("word-assignments.dat", "002 0000:00\n001 0002:01\n", r":1: the number of words and word:topic"),
    ],
)
def test_every_mismatch_of_topics_words_or_documents_is_named(run, name, content, message):
    (run / name).write_text(content)
    with pytest.raises(FormatError, match=message):
        read_model(run)


def test_two_corpora_are_told_by_their_number_of_documents(run):
    (run / "more.ldac").write_text("1 0:1\n1 1:1\n1 2:1\n")
    assert read_model(run).assignments.tolist() == [0, 0, 1, 1]
    shutil.copy(run / "docs.ldac", run / "again.ldac")
    assert read_model(run).corpus is None
