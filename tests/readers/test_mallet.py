import gzip
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from tealeaves.errors import FormatError
from tealeaves.measures.diagnostics import diagnostics
from tealeaves.model import read_model
from tealeaves.readers.mallet_tables import read_doc_topics

DATA = Path(os.environ.get("TEALEAVES_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


@pytest.fixture
def bbc():
    if not DATA.exists():
        pytest.skip("no data folder")
    return DATA / "formats" / "mallet_bbc"


@pytest.fixture
def run(bbc, tmp_path):
    """A folder of one run, to take files from and change them."""
    for file in bbc.iterdir():
        if not file.name.startswith(("test", "train")):
            shutil.copy(file, tmp_path / file.name)
            (tmp_path / file.name).chmod(0o644)
    return tmp_path


def change(path, old, new):
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
    assert old in text
    content = text.replace(old, new, 1).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def test_a_run_s_folder_is_one_model_with_the_names_of_its_documents(bbc):
    model = read_model(bbc)
    assert (model.n_topics, len(model.vocabulary), len(model.corpus)) == (20, 2949, 1556)
    assert model.corpus.ids[:2] == ("bbc_0000", "bbc_0001")
    assert "test-doc-topics.txt was left out: it is of other documents" in model.notes
    state = read_model(bbc / "topic-state.gz")
    np.testing.assert_array_equal(model.topic_word, state.topic_word)
    assert model.name == "mallet_bbc"


def test_every_file_of_a_run_says_the_same(bbc):
    state = read_model(bbc / "topic-state.gz")
    weights = read_model(bbc / "topic-word-weights.txt.gz")
    np.testing.assert_allclose(weights.probabilities(), state.topic_word, rtol=1e-12)
    counts = read_model(bbc / "word-topic-counts.txt")
    assert counts.topic_word.sum() == state.corpus.n_tokens
    np.testing.assert_allclose(counts.topic_word + state.eta, weights.topic_word)
    shares = read_doc_topics(bbc / "doc-topics.txt.gz")
    np.testing.assert_allclose(shares.shares, state.doc_topic, rtol=1e-12)
    assert shares.ids[-1] == read_model(bbc).corpus.ids[-1]
    keys = read_model(bbc / "topic-keys.txt").top_words(20)
    assert read_model(bbc / "topic-phrases.xml").top_words(20) == keys
    assert read_model(bbc / "diagnostics.xml").top_words(20) == keys
    alpha = read_model(bbc / "topic-phrases.xml").alpha
    np.testing.assert_array_equal(alpha, state.alpha)


def test_a_folder_without_a_state_has_weights_alpha_and_topics_of_documents(run):
    (run / "topic-state.gz").unlink()
    model = read_model(run)
    assert model.topic_word is not None
    assert model.doc_topic.shape == (1556, 20)
    assert model.alpha[0] == 0.07743072436280826  # of the XML: topic keys round it
    for name in ("topic-word-weights.txt.gz", "word-topic-counts.txt"):
        (run / name).unlink()
    assert read_model(run).word_lists is not None
    assert read_model(run).top_words(3) == model.top_words(3)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("topic-keys.txt", "play game", "oil gas", r"topic-keys\.txt: topic 0 begins with 'oil gas win"),
        ("topic-keys.txt", "0.07743", "0.5", "has alpha 0.5 for topic 0, but topic-state.gz has 0.07743"),
        ("topic-keys.txt", "19\t", "20\t", "topic 19 was expected, but found 20"),
        ("diagnostics.xml", "tokens='11145", "tokens='11146", "has 11146 tokens of topic 0, but .* 11145"),
        (
            "doc-topics.txt.gz",
            "0.014912559374520249",
            "0.024912559374520249",
            r"gives topic 0 0.024913 of document 0, but from topic-state.gz it is 0.014913",
        ),
        (
            "topic-word-weights.txt.gz",
            "0\tplay\t",
            "0\tplay\t9",
            "gives word 'play' 9334 tokens in topic 0, but .* 334",
        ),
    ],
)
def test_files_of_two_runs_are_told_apart_with_what_each_says(run, name, old, new, message):
    change(run / name, old, new)
    with pytest.raises(FormatError, match=message):
        read_model(run)


def test_fewer_documents_or_topics_are_told(run):
    content = gzip.decompress((run / "doc-topics.txt.gz").read_bytes())
    (run / "doc-topics.txt.gz").write_bytes(gzip.compress(content[: content.index(b"\n1500\t") + 1]))
    with pytest.raises(FormatError, match=r"has 1500 documents, but topic-state\.gz has 1556"):
        read_model(run)
    (run / "doc-topics.txt.gz").unlink()
    lines = (run / "topic-keys.txt").read_text().splitlines(keepends=True)
    (run / "topic-keys.txt").write_text("".join(lines[:19]))
    with pytest.raises(FormatError, match=r"has 19 topics, but topic-state\.gz has 20"):
        read_model(run)


def test_two_states_are_a_question_but_those_saved_on_the_way_are_not(run):
    shutil.copy(run / "topic-state.gz", run / "topic-state.gz.400")
    assert read_model(run).n_topics == 20
    shutil.copy(run / "topic-state.gz", run / "other.gz")
    with pytest.raises(
        FormatError, match=r"2 files of state \(other\.gz and topic-state\.gz\): which is meant"
    ):
        read_model(run)


def test_empty_documents_at_the_end_which_a_state_cannot_hold_are_known_from_the_table(tmp_path):
    (tmp_path / "state").write_text(
        "#doc source pos typeindex type topic\n#alpha : 1.0 3.0 \n#beta : 0.1\n0 NA 0 0 oil 0\n"
    )
    (tmp_path / "topics.txt").write_text("0\ta\t0.4\t0.6\n1\tb\t0.25\t0.75\n")
    model = read_model(tmp_path)
    assert len(model.corpus) == 2
    assert model.corpus.ids == ("a", "b")
    assert model.doc_topic.tolist() == [[0.4, 0.6], [0.25, 0.75]]


OLD = "#doc source topic proportion ...\n0 file:/a.txt 1 0.75 0 0.25 \n1 file:/b.txt 0 0.9 1 0.1 \n"


def test_pairs_of_older_releases_are_read_and_what_a_threshold_left_out_is_said(tmp_path):
    (tmp_path / "old.txt").write_text(OLD)
    found = read_doc_topics(tmp_path / "old.txt")
    assert found.shares.tolist() == [[0.25, 0.75], [0.9, 0.1]]
    assert found.ids == ("file:/a.txt", "file:/b.txt")
    (tmp_path / "few.txt").write_text("0\tx\t2\t0.6\t\n1\ty\t0\t0.9\t1\t0.1\t\n")
    few = read_doc_topics(tmp_path / "few.txt", n_topics=4)
    assert few.shares.tolist() == [[0, 0, 0.6, 0], [0.9, 0.1, 0, 0]]
    assert "few.txt leaves topics of 1 documents out" in few.notes[0]
    alone = read_model(tmp_path / "few.txt")
    assert (alone.n_topics, alone.doc_topic.shape) == (3, (2, 3))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.txt", "0\ta\t0.5\t0.5\n2\tb\t0.5\t0.5\n", r"d\.txt:2: document 1, its name and topics were"),
        ("d.txt", "0\ta\t0.5\t0.5\n1\tb\t0.5\t0.4\t0.1\n", r"d\.txt:2: 3 topics were found, but .* has 2"),
        ("d.txt", "0\ta\t0.5\t0.1\n", r"d\.txt:1: the proportions of all topics sum to 0.6"),
        ("d.txt", "0\ta\t0.5\t0.5\n1\tb\t0.5", r"d\.txt:2: is cut off"),
        ("d.txt", "#doc name topic proportion ...\n0\ta\t0\t0.5\t0\t0.5\n", r"d\.txt:2: a topic comes twice"),
        ("d.txt", "#doc name topic proportion ...\n", "holds no documents"),
        (
            "d.txt",
            "#doc name topic proportion ...\n0\ta\t999999999\t0.5\n",
            "topics numbered up to 999999999, but only 1",
        ),
        ("w.txt", "0\ta\t0.5\n0\tb\t0.5\n1\ta\t0.5\n", r"w\.txt:3: is cut off: topic 1 has 1 of 2 words"),
        ("w.txt", "0\ta\t0.5\n0\tb\t0.5\n1\tb\t0.5\n1\ta\t1.0\n", r"w\.txt:3: topic 1 and word 'a' were"),
        ("w.txt", "0\ta\t0.5\n0\tb\t0.5\n1\ta\t0.5\n1\tb\t0.", None),
        ("c.txt", "0 oil 1:3 0:2\n2 gas 1:1\n", r"c\.txt:2: word 1 and its counts .* but found '2 gas 1:1'"),
        ("c.txt", "0 oil 1:3\n1 gas 999999999:1\n", "topics numbered up to 999999999"),
        ("x.xml", "<?xml version='1.0'?>\n<model>\n<topic id='0' tokens='1'>", r"x\.xml:3: is no whole XML"),
        (
            "x.xml",
            "<model><topic id='1'></topic></model>",
            "<topic id='0'> was expected, but found <topic id='1'>",
        ),
        ("x.xml", "<model></model>", "holds no topics"),
        ("x.xml", '<!DOCTYPE model [<!ENTITY a "x">]>\n<model></model>', "has a document type.*refused"),
        ("x.xml", "<html><body/></html>", "HTML or XML"),
        ("p.xml", "<topics><topic id='0'><word>oil</word></topic></topics>", "topic 0 must have .* alpha"),
    ],
)
def test_a_damaged_file_is_one_error_with_its_line(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError, match=message):
        read_model(tmp_path / name)


BOMB = '<!DOCTYPE model [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><model>&b;</model>'
OUTSIDE = '<!DOCTYPE model [<!ENTITY a SYSTEM "file:///etc/hostname">]><model>&a;</model>'


@pytest.mark.parametrize("content", [BOMB, OUTSIDE])
def test_no_entity_is_expanded_and_no_file_outside_is_opened(tmp_path, content):
    (tmp_path / "x.xml").write_text(content)
    with pytest.raises(FormatError, match="document type"):
        diagnostics(tmp_path / "x.xml")


def test_a_file_that_unpacks_to_far_more_than_text_ever_does_is_refused(tmp_path):
    (tmp_path / "state.gz").write_bytes(gzip.compress(b"\n" * (200 << 20), 9))
    with pytest.raises(FormatError, match="unpacks to more than 67,108,864 bytes"):
        read_model(tmp_path / "state.gz", format="mallet-state")


def test_a_folder_without_anything_of_mallet_says_what_was_looked_for(tmp_path):
    (tmp_path / "readme").write_text("hello")
    with pytest.raises(FormatError, match=r"is a folder with readme, but .* MALLET's output was expected"):
        read_model(tmp_path)
