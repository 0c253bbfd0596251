import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel, load_model
from tealeaves.model_store import ARRAYS, TEXTS

words = st.text(max_size=6)
lists = st.lists(st.lists(words, max_size=5), min_size=1, max_size=4)
weights = st.floats(0, 1e300, allow_nan=False, allow_infinity=False)


def assert_same(a, b):
    for name in TEXTS:
        assert getattr(a, name) == getattr(b, name)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), strict=True)


@pytest.fixture
def full():
    return TopicModel(
        ["gas", "law", "oil"],
        topic_word=[[0.1, 0.2, 0.7], [0, 0, 0]],
        doc_topic=[[1 / 3, 2 / 3], [0, 1], [1, 0]],
        assignments=[0, 1, -1],
        alpha=[0.1, 0.3],
        eta=0.1,
        name="lda-2",
        source="by hand",
        topic_names=["energy", "nothing"],
        notes=["made for a test"],
    )


def test_a_model_with_everything_comes_back_the_same(full, tmp_path):
    full.save(tmp_path / "model")
    assert_same(full, load_model(tmp_path / "model"))
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_the_corpus_of_a_model_comes_back_with_it(full, tmp_path):
    corpus = Corpus.from_tokens([["oil", "gas"], [], ["law"]])
    model = replace(full, corpus=corpus)
    model.save(tmp_path / "model")
    back = load_model(tmp_path / "model")
    assert_same(model, back)
    assert back.corpus.fingerprint == corpus.fingerprint


@settings(max_examples=40)
@given(lists, st.text(max_size=5))
def test_lists_of_any_words_come_back_the_same(tmp_path_factory, topics, name):
    model = TopicModel(word_lists=topics, name=name)
    folder = tmp_path_factory.mktemp("models") / "model"
    model.save(folder)
    assert_same(model, load_model(folder))


@settings(max_examples=40)
@given(st.lists(st.lists(weights, min_size=3, max_size=3), min_size=1, max_size=3))
def test_weights_come_back_to_the_last_bit(tmp_path_factory, rows):
    model = TopicModel(["a", "b", "c"], topic_word=rows)
    folder = tmp_path_factory.mktemp("models") / "model"
    model.save(folder)
    assert_same(model, load_model(folder))


def test_a_saved_model_gives_way_to_a_new_one_but_nothing_else_does(full, tmp_path):
    full.save(tmp_path / "model")
    TopicModel.from_words([["oil"]]).save(tmp_path / "model")
    assert load_model(tmp_path / "model").top_words(1) == [["oil"]]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="no saved model: name another folder"):
        full.save(tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "precious"


def truncate(path):
    path.write_bytes(path.read_bytes()[:-5])


def flip(path):
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", [truncate, flip])
@pytest.mark.parametrize("name", ["model.json", "topic_word.npy", "doc_topic.npy", "assignments.npy"])
def test_a_damaged_file_is_named(full, tmp_path, name, damage):
    full.save(tmp_path / "model")
    damage(tmp_path / "model" / name)
    with pytest.raises(FormatError, match=name):
        load_model(tmp_path / "model")


def test_a_missing_array_a_newer_version_and_a_foreign_folder_are_told(full, tmp_path):
    full.save(tmp_path / "model")
    shutil.copytree(tmp_path / "model", tmp_path / "newer")
    (tmp_path / "model" / "doc_topic.npy").unlink()
    with pytest.raises(FormatError, match=r"doc_topic\.npy: is missing"):
        load_model(tmp_path / "model")
    manifest = json.loads((tmp_path / "newer" / "model.json").read_text())
    (tmp_path / "newer" / "model.json").write_text(json.dumps(manifest | {"version": 9}))
    with pytest.raises(FormatError, match="version 9 of the format, but this tealeaves reads 1"):
        load_model(tmp_path / "newer")
    (tmp_path / "newer" / "model.json").write_text('{"format": "another"}')
    with pytest.raises(FormatError, match="not written by tealeaves"):
        load_model(tmp_path / "newer")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match=r"a folder with model\.json was expected"):
        load_model(tmp_path / "empty")
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "nowhere")


def test_an_array_that_is_a_pickle_is_not_opened(full, tmp_path):
    full.save(tmp_path / "model")
    path = tmp_path / "model" / "alpha.npy"
    np.save(path, np.array([object()]), allow_pickle=True)
    with pytest.raises(FormatError, match=r"alpha\.npy"):
        load_model(tmp_path / "model")
