import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves import dynamic_store, synthetic
from tealeaves.errors import FormatError, InputError, MissingInput

V = ["gas", "law", "oil", "tax"]
RISING = np.array([[[1, 0, 3, 0], [0, 1, 0, 1]], [[3, 0, 1, 0], [0, 3, 0, 1]], [[1, 1, 1, 1], [0, 1, 0, 3]]])
LISTS = [[["oil", "gas"], ["tax", "law"]], [["oil", "tar"], ["law", "tax"]]]


def dynamic(array=RISING, axes="time topic word", **more):
    return tl.DynamicTopicModel(V, array, axes, **more)


def same(a, b):
    """Whether two models are one and the same to the last bit."""
    fields = [field.name for field in dataclasses.fields(a) if field.name not in ("_top", "corpus")]
    for name in fields:
        np.testing.assert_equal(getattr(a, name), getattr(b, name), err_msg=name)
    assert (a.corpus is None) == (b.corpus is None)
    assert a.corpus is None or a.corpus.fingerprint == b.corpus.fingerprint
    return True


def test_weights_become_probabilities_of_words_in_each_slice_and_the_notes_say_so():
    model = dynamic(slice_labels=[1990, 1991, 1992])
    np.testing.assert_array_equal(model.topic_word[0], [[0.25, 0, 0.75, 0], [0, 0.5, 0, 0.5]])
    np.testing.assert_allclose(model.probabilities().sum(axis=2), 1)
    assert model.top_words(2) == [
        [["oil", "gas"], ["law", "tax"]],
        [["gas", "oil"], ["law", "tax"]],
        [["gas", "law"], ["tax", "law"]],
    ]
    assert model.notes == ("the words of 6 of 6 rows do not sum to 1 (2 to 4): they were renormalised",)
    assert (model.n_slices, model.n_topics, model.slice_labels) == (3, 2, ("1990", "1991", "1992"))


@pytest.mark.parametrize("axes", ["time topic word", "topic time word", "word topic time", "topic word time"])
def test_axes_may_come_in_any_order(axes):
    names = ["time", "topic", "word"]
    turned = RISING.transpose([names.index(name) for name in axes.split()])
    np.testing.assert_array_equal(dynamic(turned, axes).topic_word, dynamic().topic_word)


def test_axes_need_not_be_said_where_words_and_labels_leave_one_reading():
    for turned in (RISING, RISING.transpose(1, 0, 2), RISING.transpose(2, 1, 0)):
        model = dynamic(turned, None, slice_labels="abc".__iter__())
        np.testing.assert_array_equal(model.topic_word, dynamic().topic_word)


@pytest.mark.parametrize(
    ("shape", "labels", "readings"),
    [
        ((2, 3, 4), None, 'axes="time topic word" or axes="topic time word"'),
        ((3, 3, 4), "abc", 'axes="time topic word" or axes="topic time word"'),
        ((3, 4, 4), "abc", 'axes="time topic word" or axes="time word topic"'),
    ],
)
def test_a_shape_that_can_be_read_in_two_ways_is_a_question(shape, labels, readings):
    labels = None if labels is None else list(labels)
    with pytest.raises(InputError, match="more than one way") as caught:
        tl.DynamicTopicModel(V, np.ones(shape), slice_labels=labels)
    assert readings in str(caught.value)


def test_a_row_of_zeros_or_nan_is_a_gap():
    array = RISING.astype(float)
    array[1, 0], array[2, 1] = 0, np.nan
    model = dynamic(array)
    assert model.present.tolist() == [[True, True], [False, True], [True, False]]
    assert [[len(words) for words in topics] for topics in model.top_words(2)] == [[2, 2], [0, 2], [2, 0]]
    assert not model.topic_word[~model.present].any()
    assert "2 of 6 topics in slices are missing: no word has a weight there" in model.notes
    static = model.slice(1)
    assert (static.n_topics, static.top_words(2)) == (2, [[], ["law", "tax"]])
    assert "missing in slice 1: topic 0" in static.notes


def test_a_few_nan_in_a_row_or_an_infinite_number_is_told_with_its_place():
    array = RISING.astype(float)
    array[1, 0, 2] = np.nan
    with pytest.raises(InputError, match="topic 0 in slice 1991 has infinite numbers, or nan beside"):
        dynamic(array, slice_labels=[1990, 1991, 1992])
    array[1, 0, 2] = np.inf
    with pytest.raises(InputError, match="infinite numbers"):
        dynamic(array)


def test_rows_that_lost_their_rare_words_are_renormalised_with_the_range_they_had():
    array = dynamic().topic_word * np.array([0.95, 0.96, 0.97])[:, None, None]
    model = dynamic(array)
    np.testing.assert_allclose(model.topic_word, dynamic().topic_word, rtol=1e-15)
    assert model.notes == ("the words of 6 of 6 rows do not sum to 1 (0.95 to 0.97): they were renormalised",)


def test_weights_that_sum_to_one_over_the_topics_are_renormalised_with_a_warning():
    # CFDTM of TopMost takes the softmax over topics
    weights = np.random.default_rng(0).random((3, 5, 4))
    over_topics = weights / weights.sum(axis=1, keepdims=True)
    model = dynamic(over_topics)
    np.testing.assert_allclose(model.topic_word.sum(axis=2), 1)
    assert model.notes[0].startswith("WARNING: weights of each word sum to 1 over the topics")


def test_negative_weights_give_top_words_but_no_probabilities():
    model = dynamic(RISING - 1.5)
    assert model.top_words(2)[0] == [["oil"], []]
    with pytest.raises(InputError, match="negative weights"):
        model.probabilities()


def test_lists_of_words_have_no_probabilities():
    with pytest.raises(MissingInput, match="lists of words alone"):
        tl.DynamicTopicModel.from_words(LISTS).probabilities()


def test_none_marks_a_gap_or_a_whole_slice_that_is_missing():
    model = tl.DynamicTopicModel.from_words(
        [[["oil"], None], None, [["gas"], ["law"]]], slice_labels="abc"[:3].__iter__()
    )
    assert model.present.tolist() == [[True, False], [False, False], [True, True]]
    assert model.top_words(1) == [[["oil"], []], [[], []], [["gas"], ["law"]]]


@pytest.mark.parametrize(
    "slices",
    [
        {"1990": [["oil", "gas"], ["tax", "law"]], "1991": [["oil", "tar"], ["law", "tax"]]},
        {
            1990: {0: [("oil", 0.4), ("gas", 0.2)], 1: ["tax", "law"]},
            1991: {1: ["law", "tax"], 0: ["oil", "tar"]},
        },
    ],
)
def test_a_dict_by_slice_is_read_and_its_keys_are_the_labels(slices):
    model = tl.DynamicTopicModel.from_words(slices)
    assert (model.slice_labels, model.top_words(2), model.topic_names) == (("1990", "1991"), LISTS, None)


def test_topics_of_dicts_are_matched_by_key_and_one_that_a_slice_lacks_is_a_gap():
    model = tl.DynamicTopicModel.from_words({"a": {10: ["x"], -1: ["the"]}, "b": {2: ["y"], 10: ["z"]}})
    assert model.topic_names == ("2", "10")
    assert model.top_words(1) == [[[], ["x"]], [["y"], ["z"]]]
    assert any("topic -1" in note for note in model.notes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tl.DynamicTopicModel.from_words([]), "there is no slice: slices of topics of words"),
        (lambda: tl.DynamicTopicModel.from_words([[], []]), "no topic in any slice"),
        (
            lambda: tl.DynamicTopicModel.from_words([[["a"], None]] * 2, slice_labels=[1, "1"]),
            "more than once: label 1",
        ),
        (
            lambda: tl.DynamicTopicModel.from_words([[["a"]]] * 2, slice_labels=[1, None]),
            "slice 1 has an empty label",
        ),
        (
            lambda: tl.DynamicTopicModel.from_words([[["a"]]] * 2, slice_labels=[1]),
            "1 slice_labels, but 2 slices",
        ),
        (
            lambda: tl.DynamicTopicModel.from_words([[["a"]]], slice_labels="1"),
            "must be a list with a name for each",
        ),
        (
            lambda: tl.DynamicTopicModel.from_words([[["a"]]], slice_labels={1}),
            "must be a list in order, not a set",
        ),
        (
            lambda: tl.DynamicTopicModel.from_words([[["a"], ["b"]], [["a"]]], slice_labels=["x", "y"]),
            "slice x has 2 topics, but slice y has 1: put None where a topic is missing",
        ),
        (lambda: tl.DynamicTopicModel.from_words([["a", "b"]]), "slice 0: topics must be one list of words"),
        (lambda: tl.DynamicTopicModel.from_words("abc"), "must be slices of topics of words"),
        (lambda: tl.DynamicTopicModel(word_lists=[[None], [None]]), "no topic has a word in any slice"),
        (lambda: tl.DynamicTopicModel(word_lists=[["ab"]]), "slice 0: topic 0 of word_lists is one string"),
        (lambda: tl.DynamicTopicModel(V), "needs topic_word .* or word_lists"),
        (lambda: tl.DynamicTopicModel(None, RISING), "needs a vocabulary"),
        (lambda: tl.DynamicTopicModel(V, RISING, word_lists=LISTS), "not both"),
        (lambda: dynamic(RISING[0]), "must have three axes"),
        (lambda: dynamic(np.ones((0, 2, 4))), "topic_word is empty"),
        (lambda: dynamic([[["a"]]]), "must be an array of numbers"),
        (lambda: dynamic([[[1], [1, 2]]]), "must be an array of numbers"),
        (lambda: dynamic(axes="time topic"), 'must name time, topic and word, such as "time topic word"'),
        (lambda: dynamic(axes="word topic time"), r'does not fit axes="word topic time": .* \(3, 2, 4\)'),
        (lambda: dynamic(axes=None, slice_labels=[1, 2, 3, 4]), "topic_word does not fit: there are shape"),
        (
            lambda: tl.DynamicTopicModel(["a", "a"], np.ones((1, 1, 2)), "time topic word"),
            "more than once: a",
        ),
        (lambda: dynamic(doc_topic=np.ones((5, 3))), r"must be documents × 2 topics"),
        (lambda: dynamic(doc_topic=np.ones((5, 2)), slice_of=[0, 1]), "of 2 documents, but doc_topic of 5"),
        (lambda: dynamic(slice_of=[0, 3]), "must be slices 0 to 2, but goes from 0 to 3"),
        (lambda: dynamic(slice_of=[0.5]), "must be the number of the slice"),
        (lambda: dynamic(topic_names=["a"]), "topic_names has 1 names"),
        (lambda: dynamic().slice(3), "slice 3 was asked for, but there are 3"),
        (lambda: dynamic().slice("x"), "there is no slice 'x'; there are slices 0, 1, 2"),
        (lambda: dynamic().top_words(0), "at least 1"),
        (lambda: dynamic(np.full((1, 1, 4), 1e308)), "too large to be summed"),
    ],
)
def test_what_cannot_be_is_told_in_one_message(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_one_slice_is_allowed():
    assert tl.DynamicTopicModel.from_words([[["oil", "gas"]]], slice_labels=[1990]).n_slices == 1
    assert dynamic(RISING[:1]).n_slices == 1


def test_labels_are_text_and_years_beside_gaps_stay_years():
    model = tl.DynamicTopicModel.from_words([[["a"]]] * 3, slice_labels=[1990.0, np.int64(1991), "late "])
    assert model.slice_labels == ("1990", "1991", "late")


def test_a_slice_is_a_static_model_with_its_documents():
    corpus, truth = synthetic.drifting(k=3, documents=12, length=20, vocabulary=30, slices=4, seed=2)
    model = dataclasses.replace(truth, corpus=corpus, topic_names=("x", "y", "z"))
    static = model.slice("2")
    np.testing.assert_array_equal(static.topic_word, truth.topic_word[2])
    np.testing.assert_array_equal(static.doc_topic, truth.doc_topic[6:9])
    assert static.topic_names == ("x", "y", "z")
    assert static.corpus.fingerprint == corpus.select([6, 7, 8]).fingerprint


def test_the_slices_of_documents_are_the_corpus_s_if_they_are_the_same():
    corpus = tl.Corpus.from_tokens([["oil"], ["gas"]], slices=["b", "a"])
    labels = [str(label) for label in corpus.slice_labels][::-1]
    array = np.ones((2, 1, 2))
    model = tl.DynamicTopicModel(["gas", "oil"], array, "time topic word", slice_labels=labels, corpus=corpus)
    assert [labels[t] for t in model.slice_of] == ["b", "a"]
    other = tl.DynamicTopicModel(
        ["gas", "oil"], array, "time topic word", slice_labels="xy".__iter__(), corpus=corpus
    )
    assert other.slice_of is None


def test_static_models_of_slices_become_one_over_the_union_of_their_words():
    models = [
        tl.TopicModel(["gas", "oil"], [[1, 3], [1, 0]]),
        None,
        tl.TopicModel(["oil", "tar"], [[1, 1], [0, 2]]),
    ]
    model = tl.DynamicTopicModel.from_slices(models, slice_labels=[1, 2, 3])
    assert model.vocabulary == ("gas", "oil", "tar")
    np.testing.assert_array_equal(model.topic_word[2], [[0, 0.5, 0.5], [0, 0, 1]])
    assert model.present.tolist() == [[True, True], [False, False], [True, True]]


def test_slices_of_word_lists_and_weights_become_word_lists():
    model = tl.DynamicTopicModel.from_slices([tl.TopicModel(["gas", "oil"], [[1, 3]]), [["law", "tax"]]])
    assert model.top_words(2) == [[["oil", "gas"]], [["law", "tax"]]]
    with pytest.raises(InputError, match="slice 0 has 1 topic, but slice 1 has 2"):
        tl.DynamicTopicModel.from_slices([[["a"]], [["a"], ["b"]]])
    with pytest.raises(InputError, match="slice 0 has topics over time itself"):
        tl.DynamicTopicModel.from_slices([model])


def test_nothing_changes_a_model():
    model = dynamic()
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.name = "x"
    with pytest.raises(ValueError, match="read-only"):
        model.topic_word[0] = 0
    assert dataclasses.replace(model, name="x").top_words(1) == model.top_words(1)


MODELS = {
    "arrays": lambda: dynamic(slice_labels=["a", "b", "ü"], name="m", source="s", notes=["n"]),
    "gaps": lambda: dynamic(np.where(np.arange(3)[:, None, None] == 1, np.nan, RISING)),
    "lists": lambda: tl.DynamicTopicModel.from_words([[["oil", "", "gas"], None], [["x"], ["y"]]]),
    "documents": lambda: dataclasses.replace(
        synthetic.drifting(2, 10, 5, 9, 3)[1], corpus=synthetic.drifting(2, 10, 5, 9, 3)[0]
    ),
    "negative": lambda: dynamic(RISING - 1.5),
}


@pytest.mark.parametrize("kind", MODELS)
def test_what_is_saved_is_read_back_to_the_last_bit(tmp_path, kind):
    model = MODELS[kind]()
    model.save(tmp_path / "m")
    assert same(tl.load_model(tmp_path / "m"), model)
    read = tl.read_model(tmp_path / "m")
    assert same(dataclasses.replace(read, name=model.name, source=model.source), model)


@settings(max_examples=30)
@given(st.data())
def test_any_model_is_read_back_to_the_last_bit(tmp_path_factory, data):
    shape = tuple(data.draw(st.tuples(*[st.integers(1, 4)] * 3)))
    numbers = st.one_of(st.just(0.0), st.floats(1e-300, 1e6))
    size = int(np.prod(shape))
    array = np.array(data.draw(st.lists(numbers, min_size=size, max_size=size))).reshape(shape)
    if not array.any():
        array[0, 0, 0] = 1.0
    model = tl.DynamicTopicModel([f"w{i}" for i in range(shape[2])], array, "time topic word")
    folder = tmp_path_factory.mktemp("any")
    model.save(folder / "m")
    assert same(tl.load_model(folder / "m"), model)


@pytest.mark.parametrize("part", ["dynamic.json", "topic_word.npy"])
def test_a_folder_that_is_torn_is_told(tmp_path, part):
    dynamic().save(tmp_path / "m")
    path = tmp_path / "m" / part
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(FormatError, match=part):
        tl.load_model(tmp_path / "m")
    path.unlink()
    with pytest.raises(FormatError):
        dynamic_store.load(tmp_path / "m")


def test_a_manifest_without_its_parts_is_no_traceback(tmp_path):
    dynamic().save(tmp_path / "m")
    about = json.loads((tmp_path / "m" / "dynamic.json").read_text())
    from tealeaves.folders import write_manifest

    for key in ("model", "arrays", "corpus"):
        left = {k: v for k, v in about.items() if k not in (key, "format", "version", "checksum")}
        write_manifest(tmp_path / "m", dynamic_store.DYNAMIC, left)
        with pytest.raises(FormatError):
            tl.load_model(tmp_path / "m")


def test_a_folder_with_something_else_is_not_overwritten(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="is no saved dynamic"):
        dynamic().save(tmp_path / "m")
    tl.TopicModel.from_words([["a"]]).save(tmp_path / "static")
    with pytest.raises(InputError, match="is no saved dynamic"):
        dynamic().save(tmp_path / "static")


def test_planted_topics_without_drift_are_the_same_in_each_slice():
    _, truth = synthetic.drifting(k=3, documents=20, length=10, vocabulary=30, slices=5, drift=0)
    for t in range(1, 5):
        np.testing.assert_array_equal(truth.topic_word[t], truth.topic_word[0])


def test_planted_topics_go_by_equal_steps_and_as_far_as_was_said():
    _, truth = synthetic.drifting(k=3, documents=20, length=10, vocabulary=30, slices=5, drift=0.4, seed=1)
    _, full = synthetic.drifting(k=3, documents=20, length=10, vocabulary=30, slices=5, drift=1, seed=1)
    steps = np.diff(truth.topic_word, axis=0)
    np.testing.assert_allclose(steps[1:], np.broadcast_to(steps[0], (3, 3, 30)), atol=1e-12)
    first, last = full.topic_word[0], full.topic_word[-1]
    np.testing.assert_allclose(truth.topic_word[-1], 0.6 * first + 0.4 * last, atol=1e-12)


def test_words_of_a_slice_are_as_frequent_as_its_topics_and_documents_say():
    corpus, truth = synthetic.drifting(
        k=3, documents=300, length=200, vocabulary=20, slices=3, drift=1, beta=0.5
    )
    lengths = np.diff(corpus.offsets)
    for t in range(3):
        mine = np.flatnonzero(corpus.slice_of == t)
        drawn = np.bincount(corpus.select(mine).tokens, minlength=20)
        expected = (truth.doc_topic[mine] * lengths[mine, None]).sum(axis=0) @ truth.topic_word[t]
        assert np.abs(drawn - expected).max() / drawn.sum() < 0.01
        others = [np.abs(drawn - expected.sum() * truth.topic_word[s].mean(axis=0)).sum() for s in range(3)]
        assert np.argmin(others) == t


def test_planted_documents_are_spread_evenly_and_a_seed_gives_one_corpus():
    prints = [synthetic.drifting(2, 10, 20, 30, 4, seed=seed)[0] for seed in (1, 1, 2)]
    assert prints[0].fingerprint == prints[1].fingerprint != prints[2].fingerprint
    assert np.bincount(prints[0].slice_of).tolist() == [3, 2, 3, 2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"slices": 0}, "slices must be a whole number, at least 1; got 0"),
        ({"drift": 1.5}, "drift must be a number from 0 to 1; got 1.5"),
        ({"beta": 0}, "above 0"),
    ],
)
def test_planted_corpora_that_make_no_sense_are_refused(wrong, message):
    sizes = {"k": 2, "documents": 4, "length": 5, "vocabulary": 6, "slices": 2}
    with pytest.raises(InputError, match=message):
        synthetic.drifting(**(sizes | wrong))
