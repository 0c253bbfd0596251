import os
from pathlib import Path

import numpy as np
import pytest

from r_files import Slots, matrix, rds
from tealeaves.errors import FormatError
from tealeaves.model import read_model

pytest.importorskip("rdata")
DATA = Path(os.environ.get("TEALEAVES_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
WORDS = ["oil", "gas", "tax"]
PHI = [[0.5, 0.375, 0.125], [0.125, 0.25, 0.625]]
THETA = [[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]]
LOGS = np.log(PHI)


def read(tmp_path, thing, name="m.rds"):
    (tmp_path / name).write_text(rds(thing))
    return read_model(tmp_path / name)


@pytest.mark.parametrize(
    ("thing", "package"),
    [
        ({"vocab": WORDS, "beta": {"logbeta": [LOGS]}, "theta": np.array(THETA), "settings": {}}, "stm"),
        (
            Slots(
                terms=WORDS, beta=LOGS, gamma=np.array(THETA), alpha=25.0, delta=0.1, **{"class": "LDA_Gibbs"}
            ),
            "topicmodels",
        ),
        (
            Slots(terms=WORDS, beta=LOGS, gamma=np.array(THETA), alpha=0.3, **{"class": "LDA_VEM"}),
            "topicmodels",
        ),
        (
            Slots(terms=WORDS, beta=LOGS, gamma=np.array(THETA), mu=np.zeros(1), **{"class": "CTM_VEM"}),
            "topicmodels",
        ),
        (
            {"terms": matrix(PHI, ["1", "2"], WORDS), "topics": matrix(THETA, None, ["1", "2"])},
            "topicmodels' posterior",
        ),
        (
            {"k": 2.0, "phi": matrix(PHI, ["topic1", "topic2"], WORDS), "theta": np.array(THETA)},
            "seededlda, keyATM or textmineR",
        ),
    ],
)
def test_models_of_each_package_are_read(tmp_path, thing, package):
    model = read(tmp_path, thing)
    np.testing.assert_allclose(model.topic_word, PHI, rtol=1e-12)
    np.testing.assert_array_equal(model.doc_topic, THETA)
    assert (model.vocabulary, model.topic_names) == (tuple(WORDS), None)
    assert model.source == f"m.rds (R {package})"
    if package == "topicmodels":
        slots = {"LDA_Gibbs": ([25.0, 25.0], 0.1), "LDA_VEM": ([0.3, 0.3], None), "CTM_VEM": (None, None)}
        alpha, eta = slots[thing["class"]]
        assert (None if model.alpha is None else model.alpha.tolist(), model.eta) == (alpha, eta)


def test_names_of_seeded_topics_are_kept(tmp_path):
    thing = {"phi": matrix(PHI, ["economy", "politics"], WORDS), "theta": np.array(THETA)}
    assert read(tmp_path, thing).topic_names == ("economy", "politics")


def test_counts_of_the_package_lda_and_its_topics_of_tokens(tmp_path):
    thing = {
        "assignments": [np.array([0, 1], np.int32), np.array([1], np.int32)],
        "topics": matrix(np.array([[1, 0, 0], [0, 1, 1]], np.int32), None, WORDS),
        "document_sums": np.array([[1, 0], [1, 1]], np.int32),
    }
    model = read(tmp_path, thing)
    assert model.topic_word.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert model.doc_topic.tolist() == [[1, 1], [0, 1]]  # documents × topics
    assert model.assignments.tolist() == [0, 1, 1]
    thing["document_sums"] = np.array([[2, 0], [1, 1]], np.int32)
    assert "assignments were left out" in read(tmp_path, thing).notes[1]


def test_a_matrix_of_probabilities_with_words_as_column_names_is_a_model(tmp_path):
    assert read(tmp_path, matrix(PHI, None, WORDS)).topic_word.tolist() == PHI


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (
            {"vocab": WORDS, "beta": {"logbeta": [LOGS, LOGS]}, "theta": np.array(THETA),
             "settings": {"covariates": {"yvarlevels": ["left", "right"]}}},
            r"content covariate of 2 levels \(left, right\).*choose one, fit\$beta\$logbeta\[\[i\]\]",
        ),
        ({"a": matrix(PHI, None, WORDS), "b": matrix(PHI, None, WORDS)}, r"holds 2 models, a \(matrix\), "),
        ({"x": 1.0, "y": WORDS}, r"there are: x \(1 values\), y \(3 values\)"),
        (matrix([[3.0, 4.0, 0.0], [1.0, 0.0, 7.0]], None, WORDS), "was expected, but it is 2 × 3 values"),
        ({"phi": np.array(PHI), "theta": np.array(THETA)}, "the columns of phi have no names"),
        ({"vocab": WORDS[:2], "beta": {"logbeta": [LOGS]}, "theta": np.array(THETA)}, "has 2 words"),
        ({"vocab": WORDS, "beta": {}, "theta": np.array(THETA)}, "KeyError: 'logbeta'"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_what_is_there_and_what_to_do(tmp_path, thing, message):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, thing)


def test_a_file_that_is_cut_off_is_told(tmp_path):
    content = rds({"vocab": WORDS, "beta": {"logbeta": [LOGS]}, "theta": np.array(THETA)})
    (tmp_path / "m.rds").write_text(content[:-40])
    with pytest.raises(FormatError, match="is no whole R file"):
        read_model(tmp_path / "m.rds")


def test_real_files_of_r_hold_what_their_description_says():
    if not DATA.exists():
        pytest.skip("no data folder")
    folder = DATA / "formats" / "r_objects"
    found = {
        name: read_model(folder / name)
        for name in ("abstracts_stm_small.RDS", "abstracts_topicmodels_small.RDS", "gadarianFit.RData")
    }
    shapes = [(m.n_topics, len(m.vocabulary), len(m.doc_topic)) for m in found.values()]
    assert shapes == [(4, 3998, 2500), (3, 3998, 2500), (3, 215, 341)]
    with pytest.raises(FormatError, match=r"there are: poliblog5k\.docs"):
        read_model(folder / "poliblog5k.RData")


# What write.csv of R writes: row names in the first column, words quoted, "" for a quote.
WRITE_CSV = '"","oil","natural ""gas""","tax"\n"1",0.5,0.375,0.125\n"2",1e-05,0.25,0.74999\n'


def test_the_line_of_r_that_writes_csv_is_read(tmp_path):
    (tmp_path / "topics.csv").write_text(WRITE_CSV)
    model = read_model(tmp_path / "topics.csv")
    assert model.vocabulary == ("oil", 'natural "gas"', "tax")
    assert model.topic_word.tolist() == [[0.5, 0.375, 0.125], [1e-05, 0.25, 0.74999]]
    bare = WRITE_CSV.replace('"",', "", 1).replace('"1",', "").replace('"2",', "")
    (tmp_path / "bare.csv").write_text(bare)  # row.names = FALSE
    assert read_model(tmp_path / "bare.csv").topic_word.tolist() == model.topic_word.tolist()
    turned = '"","economy","politics"\n"oil",0.5,1e-05\n"gas",0.375,0.25\n"tax",0.125,0.74999\n'
    (tmp_path / "turned.csv").write_text(turned)  # t(phi)
    model = read_model(tmp_path / "turned.csv")
    assert model.topic_names == ("economy", "politics")
    assert model.topic_word.tolist() == [[0.5, 0.375, 0.125], [1e-05, 0.25, 0.74999]]


# Of jsonlite::write_json, whose numbers are vectors.
JSON = """{"vocabulary":["oil","gas","tax"],"topic_word":[[0.5,0.375,0.125],[0.125,0.25,0.625]],
"doc_topic":[[0.75,0.25],[0.5,0.5],[0,1]],"alpha":[0.1]}"""


def test_the_line_of_r_that_writes_json_is_read(tmp_path):
    (tmp_path / "topics.json").write_text(JSON)
    model = read_model(tmp_path / "topics.json")
    assert (model.topic_word.tolist(), model.doc_topic.tolist()) == (PHI, THETA)
    assert model.alpha.tolist() == [0.1, 0.1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WRITE_CSV.replace("0.25", "NA"), r"topics\.csv:3: a weight was expected, but found 'NA'"),
        (WRITE_CSV.replace(',0.74999', ''), r"topics\.csv:3: 4 cells were expected, but found 3"),
        ('"","V1","V2","V3"\n"1",0.5,0.25,0.25\n"2",0.5,0.25,0.25\n', r"colnames\(m\) <- fit\$vocab"),
        ('"","oil","gas"\n"economy",0.5,0.5\n"politics",0.5,0.5\n', r"which are\? Say axes='topic word'"),
    ],
)  # fmt: skip
def test_a_table_of_weights_that_is_wrong_or_can_be_read_in_two_ways_is_told(tmp_path, content, message):
    (tmp_path / "topics.csv").write_text(content)
    with pytest.raises(FormatError, match=message):
        read_model(tmp_path / "topics.csv")


def test_axes_answer_the_question(tmp_path):
    (tmp_path / "topics.csv").write_text('"","oil","gas"\n"economy",0.5,0.5\n"politics",0.5,0.5\n')
    assert read_model(tmp_path / "topics.csv", axes="topic word").vocabulary == ("oil", "gas")
    assert read_model(tmp_path / "topics.csv", axes="word topic").vocabulary == ("economy", "politics")
