import gzip
import json
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tealeaves.errors import FormatError, InputError, TealeavesError
from tealeaves.model import read_model

DATA = Path(os.environ.get("TEALEAVES_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
WORDS = [["oil", "gas"], ["tax", "law"]]
STATE = """#doc source pos typeindex type topic
#alpha : 0.5 0.25
#beta : 0.1
0 NA 0 0 oil 0
0 NA 1 1 gas 0
2 NA 0 3 new york 1
2 NA 1 0 oil 1
"""


@pytest.fixture
def formats():
    if not DATA.exists():
        pytest.skip("the project's data are not here: set TEALEAVES_DATA to their folder")
    return DATA / "formats"


def write(path, text):
    path.write_text(text, "utf-8")
    return path


FILES = {
    "lists.json": json.dumps(WORDS),
    "pairs.json": json.dumps([[["oil", 0.3], ["gas", 0.2]], [["tax", 0.3], ["law", 0.1]]]),
    "dict.json": json.dumps({"0": WORDS[0], "1": WORDS[1], "-1": ["the"]}),
    "octis.json": json.dumps({"topics": WORDS}),
    "wide.csv": "oil,gas\ntax,law\n",
    "semicolons.csv": "oil;gas\ntax;law\n",
    "frame.csv": ",0,1\n0,oil,gas\n1,tax,law\n",
    "ranks.csv": "topic,word 1,word 2\n1,oil,gas\n2,tax,law\n",
    "columns.csv": "Topic 1,Topic 2\noil,tax\ngas,law\n",
    "long.csv": "topic,term,beta\n1,gas,0.2\n2,tax,0.3\n1,oil,0.3\n2,law,0.1\n",
    "long.tsv": "word\ttopic\noil\t0\ngas\t0\ntax\t1\nlaw\t1\n",
    "plain.txt": "oil gas\n\ntax law\n",
    "numbered.txt": "Topic 0: oil gas\nTopic 1: tax law\n",
    "commas.txt": "oil, gas\ntax, law\n",
    "keys.txt": "0\t0.5\toil gas \n1\t0.25\ttax law \n",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_every_layout_of_word_lists_is_recognised(tmp_path, name, packed):
    path = write(tmp_path / name, FILES[name])
    if packed:
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress(FILES[name].encode()))
    model = read_model(path)
    assert model.top_words(2) == WORDS
    assert model.name == Path(name).stem


def test_n_grams_in_a_table_keep_their_blanks(tmp_path):
    assert read_model(write(tmp_path / "t.csv", "machine learning,ai\n")).top_words(2) == [
        ["machine learning", "ai"]
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '[["oil", "ga', r"a\.json:1: is not whole JSON"),
        ("a.json", '["oil", "gas"]', r"did you mean \[topics\]"),
        (
            "a.csv",
            "topic,word,weight\n0,oil,0.3\n0,gas,x\n",
            r"a\.csv:3: column weight must hold numbers.*'x'",
        ),
        ("a.csv", "topic,word\n0,oil,3\n", r"a\.csv:2: 2 cells were expected, but found 3"),
        ("a.csv", 'oil,"gas\n', "no whole table"),
        ("a.txt", "", "is empty"),
        ("a.txt", "0.1 0.2 0.3\n", r"a\.txt:1: .*mostly numbers"),
        ("a.txt", "<html><body>", "HTML or XML"),
        ("a.txt", "oil\x00gas", "binary file of an unknown kind"),
        ("keys.txt", "0\t0.5\toil\n2\t0.5\tgas\n", r"keys\.txt:2: topic 1 was expected, but found 2"),
        ("state", STATE.replace("gas 0", "gas"), r"state:5: .* found '0 NA 1 1 gas'"),
        ("state", STATE.replace("oil 1", "oil 7"), "topic 7 was found, but alpha says there are 2"),
        ("state", STATE.replace("0.25", "many"), r"state:2: numbers were expected"),
        ("state", STATE[:-1], r"state:7: is cut off"),
        ("state", STATE.replace("0 0 oil 0", "0 1 oil 0"), "typeindex 1 stands for two words"),
    ],
)
def test_a_wrong_file_is_one_error_that_says_what_was_expected_and_found(tmp_path, name, content, message):
    with pytest.raises(FormatError, match=message):
        read_model(write(tmp_path / name, content))


BROKEN = [
    b"PK",
    b"x",
    b"oil gas\n",
    b"oil,gas\ntax,law\n",
    b"\x80",
    b"\x93NUM",
    b"0\t0.5\toil gas\n",
    b'["oil"]',
]


@pytest.mark.parametrize("content", BROKEN)
@pytest.mark.parametrize(
    "ending", ["npz", "npy", "pkl", "RDS", "RData", "bin", "pkl.gz", "joblib", "parquet"]
)
def test_a_broken_binary_is_never_taken_for_text(tmp_path, ending, content):
    path = tmp_path / f"m.{ending}"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"its name says .*damaged or something else"):
        read_model(path)


@pytest.mark.parametrize("name", ["m.gz", "m.txt.gz", "m.bz2", "m.xz", "m.zst"])
@pytest.mark.parametrize("content", [b"x", b"oil gas\ntax law\n"])
def test_what_should_be_compressed_and_is_not_is_not_taken_for_text(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match="its name says that it is compressed"):
        read_model(tmp_path / name)


@pytest.mark.parametrize(
    "name", ["setup.py", "analysis.R", "run.sh", "pyproject.toml", "book.ipynb", "a.py.gz"]
)
@pytest.mark.parametrize("content", ["import os\nprint(os)\n", "a, b = 1, 2\n", '{"cells": []}'])
def test_source_code_is_no_list_of_topics(tmp_path, name, content):
    data = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises(FormatError, match="is source code or settings by its name, not topics"):
        read_model(tmp_path / name)


@pytest.mark.parametrize("name", ["topics", "topics.txt", "topics.words", "lda.k20", "TOPICS.TXT"])
def test_text_may_have_no_ending_or_one_that_means_nothing(tmp_path, name):
    assert read_model(write(tmp_path / name, "oil gas\ntax law\n")).top_words(2) == WORDS


def test_a_format_that_is_said_goes_before_the_name(tmp_path):
    path = write(tmp_path / "topics.py", "oil gas\ntax law\n")
    assert read_model(path, format="text").top_words(2) == WORDS


def test_a_missing_file_is_python_s_own_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.json"):
        read_model(tmp_path / "nothing.json")


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_refused_until_trusted(tmp_path, protocol):
    (tmp_path / "model.bin").write_bytes(pickle.dumps({"a": [1]}, protocol=protocol))
    with pytest.raises(FormatError, match="trust=True"):
        read_model(tmp_path / "model.bin")


def test_arrays_are_read_and_a_missing_one_is_told_with_those_there(tmp_path):
    np.savez(tmp_path / "m.npz", phi=[[0.5, 0.5, 0]], vocab=["a", "b", "c"], theta=[[1.0]])
    model = read_model(tmp_path / "m.npz")
    assert model.top_words(2) == [["a", "b"]]
    assert model.doc_topic.tolist() == [[1.0]]
    np.save(tmp_path / "m.npy", [[0.5, 0.5, 0]])
    assert read_model(tmp_path / "m.npy", vocabulary=["x", "y", "z"]).top_words(1) == [["x"]]
    with pytest.raises(FormatError, match=r"no array called vocabulary.*phi \(1, 3\)"):
        read_model(tmp_path / "m.npy")
    np.savez(tmp_path / "p.npz", phi=[[1.0]], vocab=np.array(["a"], dtype=object))
    with pytest.raises(FormatError, match=r"holds Python objects.*dtype=str"):
        read_model(tmp_path / "p.npz")


def test_a_state_gives_topics_tokens_and_documents_also_empty_ones(tmp_path):
    model = read_model(write(tmp_path / "state", STATE))
    assert model.vocabulary == ("oil", "gas", "new york")
    counts = np.array([[1, 1, 0], [1, 0, 1]])
    np.testing.assert_allclose(model.topic_word, (counts + 0.1) / 2.3)
    np.testing.assert_allclose(model.doc_topic[0], [2.5 / 2.75, 0.25 / 2.75])
    assert model.assignments.tolist() == [0, 0, 1, 1]
    assert [model.corpus.document(i).tolist() for i in range(3)] == [[0, 1], [], [2, 0]]


def test_mallet_s_own_weights_and_document_topics_are_those_of_its_state(formats):
    model = read_model(formats / "mallet_bbc" / "topic-state.gz")
    assert (model.n_topics, len(model.corpus)) == (20, 1556)
    weights = np.zeros_like(model.topic_word)
    index = {word: i for i, word in enumerate(model.vocabulary)}
    with gzip.open(formats / "mallet_bbc" / "topic-word-weights.txt.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, word, weight = line.rstrip("\n").split("\t")
            weights[int(topic), index[word]] = float(weight)
    np.testing.assert_allclose(model.topic_word, weights / weights.sum(axis=1, keepdims=True), rtol=1e-9)
    with gzip.open(formats / "mallet_bbc" / "doc-topics.txt.gz", "rt", encoding="utf-8") as lines:
        theirs = np.array([line.split("\t")[2:] for line in lines if not line.startswith("#")], dtype=float)
    np.testing.assert_allclose(model.doc_topic, theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "topics"),
    [
        ("mallet_bbc/topic-keys.txt", 20),
        ("ldac_reuters395", 10),
        ("bertopic_a", 10),
        ("tomotopy/lda.tomotopy.bin", 10),
        ("gensim_lda/lda.model", 10),
        ("r_objects/abstracts_stm_small.RDS", 4),
        ("r_objects/abstracts_topicmodels_small.RDS", None),
        ("r_objects/gadarianFit.RData", 3),
    ],
)
def test_real_files_open(formats, name, topics):
    needs = {"tomotopy": "tomotopy", "gensim_lda": "gensim", "r_objects": "rdata"}.get(name.split("/")[0])
    if needs:
        pytest.importorskip(needs)
    model = read_model(formats / name, trust=True)
    assert topics is None or model.n_topics == topics
    assert {len(words) for words in model.top_words(10)} == {10}


@pytest.mark.parametrize("name", ["gensim_lda", "tomotopy"])
def test_the_top_words_of_a_save_are_those_its_library_shows(formats, name):
    pytest.importorskip(name.removesuffix("_lda"))
    about = json.loads((formats / name / "about.json").read_text("utf-8"))
    file = {"gensim_lda": "lda.model", "tomotopy": "lda.tomotopy.bin"}[name]
    model = read_model(formats / name / file, trust=True)
    key = next(key for key in about if re.match("top", key))
    shown = [[word if isinstance(word, str) else word[0] for word in topic] for topic in about[key]]
    for ours, theirs in zip(model.top_words(10), shown, strict=True):
        assert ours[0] == theirs[0]
        assert len(set(ours) & set(theirs)) >= 9  # they break ties otherwise


def test_fitted_scikit_learn_models_are_read():
    decomposition = pytest.importorskip("sklearn.decomposition")
    text = pytest.importorskip("sklearn.feature_extraction.text")
    pipeline = pytest.importorskip("sklearn.pipeline")
    texts = ["oil gas oil", "gas oil tin", "tax law court", "law tax judge"] * 3
    counter = text.CountVectorizer()
    counts = counter.fit_transform(texts)
    for kind in ("LatentDirichletAllocation", "NMF", "MiniBatchNMF", "TruncatedSVD"):
        fitted = getattr(decomposition, kind)(2, random_state=0).fit(counts)
        model = read_model(fitted, vocabulary=counter)
        assert (model.n_topics, model.name) == (2, kind)
        np.testing.assert_array_equal(model.topic_word, fitted.components_)
    with pytest.raises(InputError, match="does not know its words: hand over vocabulary="):
        read_model(fitted)
    with pytest.raises(InputError, match="is not fitted"):
        read_model(decomposition.NMF(2), vocabulary=counter)
    steps = pipeline.make_pipeline(text.CountVectorizer(), decomposition.LatentDirichletAllocation(2))
    assert read_model(steps.fit(texts)).vocabulary == tuple(counter.get_feature_names_out())


def test_fitted_gensim_models_are_read():
    models = pytest.importorskip("gensim.models")
    corpora = pytest.importorskip("gensim.corpora")
    docs = [["oil", "gas", "oil"], ["gas", "oil", "tin"], ["tax", "law", "court"]] * 4
    dictionary = corpora.Dictionary(docs)
    bags = [dictionary.doc2bow(doc) for doc in docs]
    for kind in ("LdaModel", "Nmf", "LsiModel"):
        fitted = getattr(models, kind)(bags, num_topics=2, id2word=dictionary)
        model = read_model(fitted)
        assert (model.n_topics, model.name) == (2, kind)
        rows = model.topic_word if kind == "LsiModel" else model.probabilities()
        np.testing.assert_allclose(rows, fitted.get_topics(), rtol=1e-5)
    assert read_model(models.HdpModel(bags, dictionary)).n_topics == 150
    with pytest.raises(InputError, match="no topic model"):
        read_model(dictionary)


def test_an_object_of_no_known_library_is_told_what_is_known():
    with pytest.raises(InputError, match=r"a fitted object of .*sklearn, .* but this is a builtins\.object"):
        read_model(object())


SAMPLES = [*FILES.values(), STATE]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SAMPLES), st.integers(0, 200), st.binary(max_size=4), st.integers(0, 5))
def test_a_damaged_file_is_read_or_told_never_a_traceback(tmp_path_factory, text, at, inserted, removed):
    content = text.encode()
    path = tmp_path_factory.mktemp("damaged") / "file"
    path.write_bytes(content[:at] + inserted + content[at + removed :])
    try:
        said = repr(read_model(path).n_topics)
    except TealeavesError as error:
        said = str(error).removeprefix(str(path))
    assert str(path) not in said
    assert said
