import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tealeaves.errors import InputError, MissingInput
from tealeaves.model import TopicModel
from tealeaves.top_words import top_ids

WORDS = [["oil", "gas"], ["tax", "law"]]
PAIRS = [[("oil", 0.3), ("gas", 0.2)], [("tax", 0.3), ("law", 0.1)]]
FORMS = {
    "lists": WORDS,
    "tuples": tuple(map(tuple, WORDS)),
    "numpy array": np.array(WORDS),
    "padded": [["oil", "gas", ""], ["tax", "law", None]],
    "blanks at the ends": [["oil ", " gas"], ["tax\n", "law"]],
    "pairs": PAIRS,
    "pairs as JSON has them": [[["oil", 0.3], ["gas", 0.2]], [["tax", 0.3], ["law", 0.1]]],
    "dict of lists": dict(enumerate(WORDS)),
    "dict of pairs": dict(enumerate(PAIRS)),
    "dict of weights, in any order": {0: {"gas": 0.2, "oil": 0.3}, 1: {"tax": 0.3, "law": 0.1}},
    "dict of strings": {0: '0.3*"oil" + 0.2*"gas"', 1: '0.3*"tax" + 0.1*"law"'},
    "show_topics": [(0, '0.300*"oil" + 0.200*"gas"'), (1, '0.300*"tax" + 0.100*"law"')],
    "show_topics, not formatted": list(enumerate(PAIRS)),
    "print_topics of old gensim": ["0.300*oil + 0.200*gas", "0.300*tax + 0.100*law"],
    "top_topics": [([(0.3, "oil"), (0.2, "gas")], -1.5), ([(0.3, "tax"), (0.1, "law")], -2.5)],
    "with BERTopic's outliers": {-1: ["the", "of"], 0: WORDS[0], 1: WORDS[1]},
    "generator of generators": None,
    "long frame": pl.DataFrame(
        {"topic": [0, 1, 0, 1], "word": ["gas", "law", "oil", "tax"], "weight": [0.2, 0.1, 0.3, 0.3]}
    ),
    "frame of a column a topic": pl.DataFrame({"Topic 1": ["oil", "gas"], "Topic 2": ["tax", "law"]}),
    "get_topic_info": pl.DataFrame({"Topic": [-1, 0, 1], "Representation": [["the"], *WORDS]}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_topics_is_read(form):
    topics = ((word for word in topic) for topic in WORDS) if FORMS[form] is None else FORMS[form]
    assert TopicModel.from_words(topics).top_words(2) == WORDS


def test_a_pandas_frame_is_read():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"topic": [0, 0, 1, 1], "term": ["oil", "gas", "tax", "law"]})
    assert TopicModel.from_words(frame).top_words(2) == WORDS
    ragged = pd.DataFrame({"topic_0": ["oil", "gas"], "topic_1": ["tax", float("nan")]})
    assert TopicModel.from_words(ragged).top_words(2) == [["oil", "gas"], ["tax"]]


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        (["oil", "gas"], r"'oil' is a string; did you mean \[topics\] for one topic"),
        (["oil gas", "tax law"], r"did you mean \[t\.split\(\) for t in topics\]"),
        ("oil gas", r"one string; to read a file: tl\.read_model\(path\)"),
        ({0: "oil gas"}, r"topic 0 must be a list of words, but is 'oil gas'"),
        ({0: False}, "topic 0 must be a list of words, but is False"),
        ([("oil", 0.3), ("gas", 0.2)], r"one topic's pairs; did you mean \[topics\]"),
        ([[3, 5]], "holds 3 .*look them up in the vocabulary"),
        ([[("oil", 0.3), "gas"]], r"\(word, weight\) pairs, but holds 'gas'"),
        ([], "there is no topic"),
        ({-1: ["the"]}, "there is no topic"),
        (7, "not int"),
        (pl.DataFrame({"a": ["oil"]}), "must have columns topic and word .* has: a"),
    ],
)
def test_what_is_no_topics_is_told_with_the_fix(topics, message):
    with pytest.raises(InputError, match=message):
        TopicModel.from_words(topics)


@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_of_words_has_no_best_word_and_is_refused(kind):
    for topics in ([["tax"], kind({"oil", "gas"})], {0: ["tax"], 1: kind({"oil", "gas"})}):
        with pytest.raises(InputError, match=r"topic 1 is a set, .*list, best word first"):
            TopicModel.from_words(topics)
    with pytest.raises(InputError, match="a set has no order"):
        TopicModel.from_words(kind({("oil", "gas"), ("tax", "law")}))
    with pytest.raises(InputError, match="topic 0 of word_lists is a set"):
        TopicModel(word_lists=[kind({"oil", "gas"})])


def test_one_string_as_a_word_list_is_not_cut_into_letters():
    with pytest.raises(InputError, match="topic 0 of word_lists is one string"):
        TopicModel(word_lists=["oil gas"])


@pytest.mark.parametrize("topic", [{"oil": 1.0, "gas": np.nan}, [("oil", 1.0), ("gas", float("nan"))]])
def test_a_weight_that_is_nan_is_refused(topic):
    with pytest.raises(InputError, match="topic 0 has nan as the weight of 'gas'"):
        TopicModel.from_words([topic])


def test_a_model_without_words_is_refused():
    with pytest.raises(InputError, match="the vocabulary is empty"):
        TopicModel([], np.zeros((2, 0)))


def test_bertopic_s_outliers_are_left_out_and_said_so_unless_kept():
    topics = {-1: ["the", "of"], 0: ["oil", "gas"], 1: ["tax", "law"]}
    model = TopicModel.from_words(topics)
    assert (model.n_topics, model.topic_names) == (2, None)
    assert "topic -1" in model.notes[0]
    assert 'outliers="keep"' in model.notes[0]
    kept = TopicModel.from_words(topics, outliers="keep")
    assert (kept.n_topics, kept.topic_names, kept.notes) == (3, ("-1", "0", "1"), ())


def test_words_with_quotes_and_pluses_survive_gensim_s_strings():
    assert TopicModel.from_words(['0.3*"c++" + 0.2*"say "hi"" + -0.1*"1 + x"']).top_words(3) == [
        ["c++", 'say "hi"', "1 + x"]
    ]


def test_pairs_whose_weights_do_not_fall_keep_their_order_and_say_so():
    model = TopicModel.from_words([[("oil", 0.1), ("gas", 0.3)]])
    assert model.top_words(2) == [["oil", "gas"]]
    assert "weights of topic 0 do not fall" in model.notes[0]


def test_blank_words_are_dropped_and_repeated_ones_count_once_after_the_cut():
    model = TopicModel.from_words([["cat", "dog", "", "", "cow"], ["oil", "gas", "oil", "tax", "law"]])
    assert model.top_words(4) == [["cat", "dog"], ["oil", "gas", "tax"]]
    assert model.top_words_report(4) == [
        ["2 blank words dropped", "2 words only"],
        ["repeated: oil", "3 words only"],
    ]


def test_every_topic_is_cut_to_its_own_first_n():
    topics = [[f"a{i}" for i in range(12)], ["b0", "b1"], [f"c{i}" for i in range(12)]]
    assert TopicModel.from_words(topics).top_words(10) == [topics[0][:10], topics[1], topics[2][:10]]
    assert TopicModel.from_words(topics[::-1]).top_words(10) == [topics[2][:10], topics[1], topics[0][:10]]


def test_ties_go_by_the_smaller_word_id_also_at_the_cut():
    model = TopicModel(list("abcdef"), topic_word=[[1, 2, 1, 2, 1, 1], [0, 0, 5, 5, 0, 0]])
    assert model.top_words(4) == [["b", "d", "a", "c"], ["c", "d"]]
    assert model.top_words(6) == [["b", "d", "a", "c", "e", "f"], ["c", "d"]]
    assert model.top_words(1) == [["b"], ["c"]]


rows_of_weights = st.lists(st.lists(st.integers(-2, 4), min_size=7, max_size=7), min_size=1, max_size=4)


@given(rows_of_weights, st.integers(1, 9))
def test_top_words_are_those_of_a_full_sort(rows, n):
    for row, found in zip(rows, top_ids(np.array(rows, float), n).tolist(), strict=True):
        positive = [i for i in range(7) if row[i] > 0]
        wanted = sorted(positive, key=lambda i, row=row: (-row[i], i))[:n]
        assert found == wanted + [-1] * (n - len(wanted))


def test_rows_that_sum_to_nearly_one_are_accepted_and_the_empty_row_is_named():
    rows = np.array([[0.500136, 0.5], [0.0, 0.0], [0.25, 0.75]])
    model = TopicModel(["a", "b"], topic_word=rows)
    assert model.normalized
    assert any("empty" in note and "topic 1" in note for note in model.notes)
    assert any("topic 0: 1.000136" in note for note in model.notes)
    np.testing.assert_allclose(model.probabilities().sum(axis=1), [1, 0, 1])
    np.testing.assert_array_equal(model.topic_word, rows)


def test_weights_become_probabilities_and_say_so():
    model = TopicModel(["a", "b"], topic_word=[[3, 1], [5, 5]])
    np.testing.assert_array_equal(model.probabilities(), [[0.75, 0.25], [0.5, 0.5]])
    assert not model.normalized
    assert "sums of 4 to 10" in model.notes[0]


def test_negative_weights_and_lists_of_words_have_no_probabilities():
    lsi = TopicModel(["a", "b"], topic_word=[[3, -1], [5, 5]], name="lsi")
    assert lsi.top_words(2) == [["a"], ["a", "b"]]
    with pytest.raises(InputError, match=r"'lsi' has negative weights in topic 0, as LSI"):
        lsi.probabilities()
    with pytest.raises(MissingInput, match="lists of words alone"):
        TopicModel.from_words([["a", "b"]]).probabilities()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vocabulary": ["a", "b", "a"]}, "more than once: a"),
        ({"vocabulary": ["a", "b", 3]}, r"entry 2 is 3 \(int\)"),
        ({"vocabulary": "abc"}, "one string"),
        ({"vocabulary": {"a": 0, "b": 1, "c": 2}}, "a dict"),
        ({"vocabulary": ["a", "b"]}, "3 columns, but the vocabulary has 2 words.*transposed"),
        ({"vocabulary": None}, "needs a vocabulary"),
        ({"topic_word": [[1, float("nan"), 1], [1, 1, 1]]}, "nan or infinite numbers, first in row 0"),
        ({"topic_word": [1, 2, 3]}, r"two dimensions, but has shape \(3,\)"),
        ({"topic_word": [["x", "y", "z"]]}, "must be an array of numbers"),
        ({"topic_word": np.zeros((0, 3))}, "at least one topic"),
        ({"topic_word": [[2, 2, 2]], "normalized": True}, "sums to 6, not 1"),
        ({"doc_topic": np.ones((2, 5))}, "documents × 2 topics.*transposed"),
        ({"doc_topic": np.ones((4, 3))}, r"shape \(4, 3\)"),
        ({"assignments": [0, 2]}, "0 to 1, or -1 for none, but are 0 to 2"),
        ({"assignments": [0.5]}, "one integer per token"),
        ({"alpha": [0.1, 0.1, 0.1]}, r"one number or 2 \(one per topic\)"),
        ({"alpha": "auto"}, "alpha must be numbers"),
        ({"eta": -1}, "not negative"),
        ({"topic_names": ["only one"]}, "1 names, but there are 2 topics"),
    ],
)
def test_arrays_that_do_not_fit_are_one_clear_error(arguments, message):
    given = {"vocabulary": ["a", "b", "c"], "topic_word": np.ones((2, 3)) / 3}
    with pytest.raises(InputError, match=message):
        TopicModel(**(given | arguments))


def test_vocabulary_is_stripped_unless_two_words_would_become_one():
    assert TopicModel(["a ", "b"], [[1, 0]]).vocabulary == ("a", "b")
    both = TopicModel(["de", "de ", " la"], [[0.5, 0.3, 0.2]])
    assert both.vocabulary == ("de", "de ", "la")
    assert "differ only by blanks" in both.notes[0]


def test_one_alpha_stands_for_equal_ones_and_arrays_cannot_be_changed():
    weights = np.ones((2, 1))
    model = TopicModel(["a"], weights, alpha=0.1)
    np.testing.assert_array_equal(model.alpha, [0.1, 0.1])
    with pytest.raises(ValueError, match="read-only"):
        model.topic_word[0, 0] = 2
    weights[0, 0] = 1  # the caller's own array stays theirs
