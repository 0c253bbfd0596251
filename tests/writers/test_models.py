import gzip
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tealeaves.cli import cli
from tealeaves.corpus import Corpus
from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.model import TopicModel, read_model
from tealeaves.writers.dynamic import write_dynamic
from tealeaves.writers.models import WRITERS, write_model

# Words with whatever a format may stumble over; blanks at ends a model strips itself.
anything = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=6)
words = anything.map(str.strip).filter(lambda w: w and "\0" not in w)
plain = st.text("abcdeäß01.,\"'+-=@{[#:;*", min_size=1, max_size=5).filter(lambda w: w.strip())
weights = st.floats(0, 1e6, allow_subnormal=False)


@st.composite
def models(draw, word=words, names=True):
    vocabulary = draw(st.lists(word, min_size=1, max_size=7, unique=True))
    k = draw(st.integers(1, 4))
    d = draw(st.integers(1, 5))
    topic_word = draw(arrays(np.float64, (k, len(vocabulary)), elements=weights))
    # where each word's weights sum to 1 over topics they are taken for CFDTM's
    assume(k == 1 or not np.allclose(topic_word.sum(axis=0), 1, atol=1e-2))
    assume(len(vocabulary) != k and d != k)  # else the axes are asked for, as another test shows
    optional = {
        "doc_topic": draw(st.none() | arrays(np.float64, (d, k), elements=weights)),
        "alpha": draw(st.none() | arrays(np.float64, (k,), elements=weights)),
        "eta": draw(st.none() | st.floats(0, 10)),
        "topic_names": draw(st.none() | st.lists(word, min_size=k, max_size=k)) if names else None,
    }
    return TopicModel(vocabulary, topic_word, **optional)


def same(ours, theirs, *parts):
    for part in parts:
        a, b = getattr(ours, part), getattr(theirs, part)
        if isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b, err_msg=part)
        else:
            assert a == b, part


MATRICES = ("vocabulary", "topic_word", "doc_topic", "alpha", "eta", "topic_names")


@settings(max_examples=60, deadline=None)
@given(models())
def test_json_of_weights_is_read_back_exactly(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("m") / "m.json"
    assert write_model(model, path, "json-weights") == ()
    back = read_model(path)
    counted = model.topic_names == tuple(str(i) for i in range(model.n_topics))
    same(model, back, *MATRICES[:-1], *([] if counted else ["topic_names"]))


@settings(max_examples=60, deadline=None)
@given(models(names=False))
@pytest.mark.parametrize("format", ["octis", "octis-json"])
def test_what_octis_takes_is_read_back_exactly_and_lies_as_octis_has_it(tmp_path_factory, format, model):
    path = tmp_path_factory.mktemp("m") / ("m.npz" if format == "octis" else "m.json")
    write_model(model, path, format)
    same(model, read_model(path), "vocabulary", "topic_word", "doc_topic")
    content = dict(np.load(path)) if format == "octis" else json.loads(path.read_text("utf-8"))
    assert len(content["topics"]) == model.n_topics
    if model.doc_topic is not None:
        assert np.shape(content["topic-document-matrix"]) == model.doc_topic.T.shape


@settings(max_examples=60, deadline=None)
@given(models())
def test_a_table_of_weights_is_read_back_exactly(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("m") / "m.csv"
    write_model(model, path, "csv-weights")
    same(model, read_model(path), "vocabulary", "topic_word")


@settings(max_examples=60, deadline=None)
@given(models(), st.integers(1, 4))
@pytest.mark.parametrize("ending", ["json", "csv"])
def test_lists_of_words_are_read_back_exactly(tmp_path_factory, ending, model, top):
    lists = model.top_words(top)
    assume(all(lists))
    path = tmp_path_factory.mktemp("m") / f"m.{ending}"
    write_model(model, path, top=top)
    # a topic called -1 is taken for BERTopic's outliers, and left out unless it is asked for
    assert read_model(path, outliers="keep").top_words(top) == lists


@settings(max_examples=60, deadline=None)
@given(models(plain, names=False))
def test_mallet_s_files_are_read_back_exactly(tmp_path_factory, model):
    assume(model.doc_topic is None or model.doc_topic.any(axis=1).all())
    assume(len(model.vocabulary) > 1)  # one word that is a number: its weights look like keys
    path = tmp_path_factory.mktemp("m") / "run"
    write_model(model, path, "mallet")
    back = read_model(path)
    same(model, back, "vocabulary", "topic_word", "alpha")
    if model.doc_topic is not None:
        shares = model.doc_topic / model.doc_topic.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(back.doc_topic, shares, rtol=1e-14)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.tuples(plain, st.integers(0, 2)), min_size=1, max_size=6), min_size=1, max_size=5)
)
def test_topics_of_tokens_come_back_from_a_state(tmp_path_factory, documents):
    corpus = Corpus.from_tokens([[word for word, _ in doc] for doc in documents])
    assume((corpus.tokens >= 0).all() and len(corpus.vocabulary) > 1)
    topics = np.array([topic for doc in documents for _, topic in doc])
    v = len(corpus.vocabulary)
    counts = np.bincount(topics * v + corpus.tokens, minlength=3 * v).reshape(3, v) + 0.1
    by_doc = np.array([np.bincount([t for _, t in doc], minlength=3) for doc in documents]) + 0.5
    model = TopicModel(
        corpus.vocabulary,
        counts / counts.sum(axis=1, keepdims=True),
        doc_topic=by_doc / by_doc.sum(axis=1, keepdims=True),
        assignments=topics,
        alpha=0.5,
        eta=0.1,
        corpus=corpus,
    )
    path = tmp_path_factory.mktemp("m") / "run"
    assert write_model(model, path, "mallet") == ()
    back = read_model(path)
    same(model, back, "vocabulary", "assignments", "alpha", "eta")
    np.testing.assert_allclose(back.topic_word, model.topic_word, rtol=1e-14)
    assert back.corpus.fingerprint == replace(corpus, gaps="closed").fingerprint


def test_a_run_of_mallet_is_written_as_one_and_read_back_as_the_same_model(data, tmp_path):
    run = data / "formats/mallet_bbc"
    done = CliRunner().invoke(cli, ["convert", str(run), str(tmp_path / "o"), "--to", "mallet"])
    assert done.exit_code == 0, done.output
    ours, back = read_model(run), read_model(tmp_path / "o")
    same(ours, back, "vocabulary", "topic_word", "assignments", "alpha", "eta")
    np.testing.assert_allclose(back.doc_topic, ours.doc_topic, rtol=1e-14)
    assert (back.corpus.fingerprint, back.corpus.ids) == (ours.corpus.fingerprint, ours.corpus.ids)
    theirs = weights_of(gzip.decompress((run / "topic-word-weights.txt.gz").read_bytes()))
    written = weights_of((tmp_path / "o/topic-word-weights.txt").read_bytes())
    assert set(written) <= set(theirs)  # MALLET's table also has words that no token is of
    shared = [theirs[pair] for pair in written]
    np.testing.assert_allclose(list(written.values()), shared, rtol=1e-12)


def weights_of(table):
    rows = (line.rpartition("\t") for line in table.decode().splitlines())
    return {pair: float(weight) for pair, _, weight in rows}


MODEL = TopicModel(
    ["gas", "law", "oil"],
    [[0.25, 0, 0.75], [0, 1, 0]],
    doc_topic=[[1, 0], [0.5, 0.5], [0.25, 0.75]],
    corpus=Corpus.from_tokens([["oil", "gas"], ["oil", "law"], ["law"]]),
)


def test_pyldavis_gets_its_five_arguments_by_their_names(tmp_path):
    assert write_model(MODEL, tmp_path / "v.json", "pyldavis") == ()
    content = json.loads((tmp_path / "v.json").read_text())
    assert content == {
        "topic_term_dists": [[0.25, 0, 0.75], [0, 1, 0]],
        "doc_topic_dists": [[1, 0], [0.5, 0.5], [0.25, 0.75]],
        "doc_lengths": [2, 2, 1],
        "vocab": ["gas", "law", "oil"],
        "term_frequency": [1, 2, 2],
    }
    same(MODEL, read_model(tmp_path / "v.json"), "vocabulary", "topic_word", "doc_topic")


@pytest.mark.parametrize(
    ("model", "format", "message"),
    [
        (TopicModel.from_words([["oil"]]), "octis-json", None),
        (TopicModel.from_words([["oil"]]), "mallet", "needs word weights"),
        (TopicModel.from_words([["oil"]]), "json-weights", "needs word weights"),
        (replace(MODEL, corpus=None), "pyldavis", "needs the corpus it was trained on"),
        (replace(MODEL, doc_topic=None), "pyldavis", "needs topics of documents"),
        (replace(MODEL, topic_word=[[1, 0, 0], [0, 0, 0]]), "pyldavis", "topic 1 is empty"),
        (TopicModel(["a\tb"], [[1.0]]), "mallet", r"no place for the word 'a\\tb'"),
        (TopicModel(["new york"], [[1.0]], alpha=1), "mallet", "no place for a word with a blank"),
        (TopicModel(["a\ud800"], [[1.0]]), "json", "cannot be written as UTF-8"),
        (MODEL, "excel", "there is no format 'excel' to write; there are: tealeaves, json, "),
    ],
)
def test_what_a_format_cannot_hold_is_told(tmp_path, model, format, message):
    if message is None:
        write_model(model, tmp_path / "out", format)
        return
    with pytest.raises(InputError, match=message):
        write_model(model, tmp_path / "out", format)
    assert not list(tmp_path.iterdir())  # nothing half written is left


def test_what_is_left_out_is_told(tmp_path):
    named = replace(MODEL, topic_names=["energy", "law"], alpha=0.5)
    assert write_model(named, tmp_path / "m.csv") == (
        "CSV has no place for topics of documents and alpha and names of topics",
    )
    assert write_model(named, tmp_path / "m.json") == (
        "JSON of lists has no place for topics of documents and alpha",
    )
    assert read_model(tmp_path / "m.json").topic_names == ("energy", "law")


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "file").write_text("mine")
    for format in ("mallet", "tealeaves"):
        with pytest.raises(InputError, match="name a new folder"):
            write_model(MODEL, tmp_path, format)
    assert (tmp_path / "file").read_text() == "mine"


def test_every_writer_s_file_is_read_by_its_own_reader_without_being_named(tmp_path):
    for format in WRITERS:
        path = tmp_path / format
        write_model(replace(MODEL, alpha=0.5), path, format)
        assert read_model(path).top_words(2) == MODEL.top_words(2), format


over_time = st.lists(
    st.lists(st.none() | st.lists(plain, min_size=1, max_size=3, unique=True), min_size=2, max_size=2),
    min_size=2,
    max_size=4,
).filter(lambda slices: all(any(s[k] for s in slices) for k in range(2)))


@settings(max_examples=60, deadline=None)
@example([[["0*"], ["0*"]], [["1*a"], None]])  # words that look like weighted ones
@given(over_time)
def test_topics_over_time_come_back_from_json(tmp_path_factory, slices):
    model = DynamicTopicModel.from_words(slices, slice_labels=[str(1990 + t) for t in range(len(slices))])
    path = tmp_path_factory.mktemp("d") / "d.json"
    assert write_dynamic(model, path) == ()
    back = read_model(path)
    assert back.top_words(3) == model.top_words(3)
    assert back.slice_labels == model.slice_labels


def test_topics_over_time_come_back_from_csv(tmp_path):
    model = DynamicTopicModel.from_words(
        [[["oil", "gas"], ["tax"]], [["oil"], ["law"]]], slice_labels=["a", "b"]
    )
    write_dynamic(model, tmp_path / "d.csv")
    assert read_model(tmp_path / "d.csv").top_words(2) == model.top_words(2)
    with pytest.raises(InputError, match="to write topics over time; there are: tealeaves, json, csv"):
        write_dynamic(model, tmp_path / "d", "octis")
