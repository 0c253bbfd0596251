"""Likeness of a topic's documents and of its words' vectors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import InputError, MissingInput, SpecError
from tealeaves.measures.document_coherence import doc_coherence, tf_idf, we_coherence
from tealeaves.vectors import WordVectors

COUNTS = np.array([[3, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0], [0, 2, 5, 1], [1, 0, 0, 1]])
ALL = np.ones((5, 1))


def corpus_of(counts=COUNTS):
    words = [f"w{i}" for i in range(counts.shape[1])]
    return tl.Corpus.from_tokens(
        [[w for w, n in zip(words, row, strict=True) for _ in range(n)] for row in counts], vocabulary=words
    )


def vectors_of(counts=COUNTS):
    corpus = corpus_of(counts)
    return tf_idf(corpus.tokens, corpus.offsets, len(corpus.vocabulary))


# --- against other programs and by hand


def test_tf_idf_is_that_of_scikit_learn_as_the_authors_set_it():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    theirs = text.TfidfTransformer(sublinear_tf=True).fit_transform(COUNTS)
    np.testing.assert_allclose(vectors_of().toarray(), theirs.toarray(), atol=1e-15)


def test_distances_to_the_centroid_are_those_of_scipy():
    distance = pytest.importorskip("scipy.spatial.distance")
    rows = vectors_of().toarray()[[0, 1, 3, 4]]
    theirs = -np.mean([distance.cosine(row, rows.mean(axis=0)) for row in rows])
    result = doc_coherence(ALL, vectors_of())
    assert result.value == pytest.approx([theirs], abs=1e-12)
    assert result.n_terms.tolist() == [4]  # a document without words is passed over


def test_three_documents_in_a_row_have_the_communicability_of_a_path():
    # Estrada and Rodríguez-Velázquez's centrality, averaged; eigenvalues of a path of three: 0 and ± sqrt(2)
    turn = np.pi / 3
    rows = np.array([[np.cos(a), np.sin(a)] for a in (0, turn, 2 * turn)])  # distances 1/2, 1/2, 3/2
    expected = (1 + 2 * math.cosh(math.sqrt(2))) / 3
    result = doc_coherence(np.ones((3, 1)), rows, variant="graph", threshold=0.75)
    assert result.value == pytest.approx([expected], rel=1e-12)


def test_communicability_of_documents_all_joined_or_none():
    joined, apart = np.ones((4, 2)), np.eye(4)
    whole = doc_coherence(np.ones((4, 1)), joined, variant="graph").value
    assert whole == pytest.approx([(math.exp(3) + 3 * math.exp(-1)) / 4], rel=1e-12)
    assert doc_coherence(np.ones((4, 1)), apart, variant="graph").value == pytest.approx([1.0])


def test_opposite_vectors_are_at_minus_one_and_equal_ones_at_one():  # case 21: OCTIS gave +.99
    vectors = np.array([[0.3, -0.2], [-0.3, 0.2], [0.6, -0.4]])
    result = we_coherence(np.array([[0, 1], [0, 2]]), vectors)
    assert result.value == pytest.approx([-1.0, 1.0], abs=1e-15)


def test_the_mean_over_pairs_by_hand():
    vectors = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    result = we_coherence(np.array([[0, 1, 2]]), vectors)
    assert result.value == pytest.approx([(0 + 2 * math.sqrt(0.5)) / 3])
    assert result.n_terms.tolist() == [3]


# --- edges


def test_a_topic_of_one_document_or_none_is_undefined():
    doc_topic = np.array([[1.0, 0.0, 0.5], [0.0, 0.0, 0.5], [1.0, 0, 0], [0, 0, 0], [0, 0, 0]])
    result = doc_coherence(doc_topic, vectors_of())  # document 2 has no words
    assert np.isnan(result.value).tolist() == [True, True, False]
    assert result.reason.tolist() == ["one document", "one document", ""]


def test_only_the_documents_with_most_of_a_topic_count_and_ties_go_by_their_order():
    doc_topic = np.array([[0.5], [0.9], [0.5], [0.1]])
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert doc_coherence(doc_topic, rows, documents=2).value == pytest.approx([0.0])
    assert doc_coherence(doc_topic, rows, documents=3).value[0] < -0.1


def test_a_graph_beyond_what_a_number_can_hold_is_undefined():
    result = doc_coherence(np.ones((800, 1)), np.ones((800, 1)), documents=800, variant="graph")
    assert np.isnan(result.value[0])
    assert result.reason[0] == "overflow"


def test_vectors_of_other_documents_are_refused():
    with pytest.raises(InputError, match="5 vectors, but topic proportions of 3 documents"):
        doc_coherence(np.ones((3, 1)), vectors_of())


def test_a_word_with_no_vector_or_one_of_zeros_leaves_its_topic_undefined_unless_dropped():
    vectors = np.array([[1.0, 0.0], [1.0, 1e-300], [0.0, 0.0], [np.nan, np.nan]])
    topics = np.array([[0, 1, -1], [0, 1, 2], [0, 1, 3], [0, 3, -1], [0, -1, -1]])
    result = we_coherence(topics, vectors)
    assert result.reason.tolist() == ["", "no vector", "no vector", "no vector", "one word"]
    dropped = we_coherence(topics, vectors, oov="drop")
    assert dropped.reason.tolist() == ["", "", "", "one word", "one word"]
    assert dropped.value[:3] == pytest.approx([1, 1, 1])
    assert dropped.n_terms[:3].tolist() == [1, 1, 1]


def test_tiny_and_huge_vectors_have_a_direction_too():
    vectors = np.array([[1e-200, 0.0], [1e200, 0.0]])
    assert we_coherence(np.array([[0, 1]]), vectors).value == pytest.approx([1.0])


# --- through evaluate


def model_of(theta=None):
    return tl.TopicModel(
        [f"w{i}" for i in range(4)], topic_word=[[4, 3, 2, 0], [0, 1, 2, 4]], doc_topic=theta, name="m"
    )


def test_evaluate_scores_documents_of_the_corpus_the_model_was_trained_on():
    theta = np.array([[0.9, 0.1], [0.8, 0.2], [0.5, 0.5], [0.2, 0.8], [0.1, 0.9]])
    spec = "doc_coherence(documents=2)"
    scores = tl.evaluate(model_of(theta), corpus_of(), measures=[spec], ci=None)
    expected = doc_coherence(theta, vectors_of(), documents=2).value
    assert scores.topics(spec) == pytest.approx(expected, abs=1e-12)
    assert f"corpus:{corpus_of().fingerprint[:8]}" in scores.frame["signature"][0]


def test_the_number_of_top_words_means_nothing_to_doc_coherence():
    with pytest.raises(SpecError, match="uses documents, not top words, of a topic, so it takes no @10"):
        tl.measure("doc_coherence@10")


@pytest.mark.parametrize(
    ("theta", "corpus", "message"),
    [
        (None, corpus_of(), "topic proportions of documents"),
        (np.ones((5, 2)), None, "the corpus that it was trained on"),
        (np.ones((3, 2)), corpus_of(), "topic proportions of 3, but the corpus has 5"),
    ],
)
def test_what_doc_coherence_lacks_is_said(theta, corpus, message):
    with pytest.raises(MissingInput, match=message):
        tl.evaluate(model_of(theta), corpus, measures="doc_coherence")


def test_an_index_has_no_documents_to_compare():
    index = tl.build_index(corpus_of())
    with pytest.raises(MissingInput, match="the corpus that it was trained on"):
        tl.evaluate(model_of(np.ones((5, 2))), index, measures="doc_coherence")


class KeyedVectors:
    """What of gensim's class is used."""

    def __init__(self, words, matrix):
        self.index_to_key, self.vectors = words, matrix


TABLE = {"w0": [1.0, 0.0], "w1": [0.0, 1.0], "w2": [1.0, 1.0], "w3": [-1.0, 0.0]}


@pytest.mark.parametrize(
    "vectors",
    [
        TABLE,
        (list(TABLE), np.array(list(TABLE.values()))),
        KeyedVectors(list(TABLE), np.array([*TABLE.values()])),
    ],
    ids=["mapping", "pair", "gensim"],
)
def test_word_vectors_are_taken_in_every_form(vectors):
    scores = tl.evaluate(model_of(), vectors=vectors, measures="we_coherence@2", ci=None)
    assert scores.topics("we_coherence@2") == pytest.approx([0.0, -math.sqrt(0.5)])
    assert f"vectors:{WordVectors(TABLE).fingerprint[:8]}" in scores.frame["signature"][0]


def test_a_word_without_vector_is_named():
    few = {word: TABLE[word] for word in ("w0", "w2", "w3")} | {"w2": [0.0, 0.0]}
    scores = tl.evaluate(model_of(), vectors=few, measures="we_coherence@3", ci=None)
    reasons = scores.frame.filter(scores.frame["level"] == "topic")["reason"].to_list()
    assert reasons == ["no vector: w1, w2", "no vector: w2, w1"]


def test_we_coherence_without_vectors_says_what_to_hand_over():
    with pytest.raises(MissingInput, match=r"we_coherence@10 needs word vectors: hand over vectors="):
        tl.evaluate(model_of(), measures="we_coherence")


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (3, "vectors must be a mapping"),
        ((["a", "b"], np.eye(3)), "2 words and a matrix of shape"),
        ({"w0": [1.0], "w1": [1.0, 2.0]}, "'w0' has 1 numbers, 'w1' 2"),
        ({"w0": ["x"], "w1": [1.0]}, "'w0' is no list of numbers"),
        ({"w0": [math.inf], "w1": [1.0]}, "'w0' is no list of finite numbers"),
    ],
)
def test_wrong_vectors_are_one_clear_error(vectors, message):
    with pytest.raises(InputError, match=message):
        tl.evaluate(model_of(), vectors=vectors, measures="we_coherence@2")


# --- properties

counts = st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=12).map(np.array)


@given(counts, st.integers(0, 99))
def test_the_order_of_documents_does_not_matter(counts, seed):
    order = np.random.default_rng(seed).permutation(len(counts))
    theta = np.ones((len(counts), 1))
    for variant in ("centroid", "graph"):
        a = doc_coherence(theta, vectors_of(counts), variant=variant)
        b = doc_coherence(theta, vectors_of(counts[order]), variant=variant)
        assert a.value == pytest.approx(b.value, rel=1e-9, abs=1e-9, nan_ok=True)
        assert a.n_terms.tolist() == b.n_terms.tolist()


@given(counts, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_joined_documents_are_never_less_coherent(counts, one, other):
    theta = np.ones((len(counts), 1))
    low, high = (
        doc_coherence(theta, vectors_of(counts), variant="graph", threshold=t).value[0]
        for t in sorted([one, other])
    )
    assert math.isnan(low) or low <= high * (1 + 1e-12)


@given(
    st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=4, max_size=4),
    st.floats(0.01, 100),
    st.permutations(range(4)),
)
def test_length_of_vectors_and_order_of_words_do_not_matter(rows, factor, order):
    vectors, topic = np.array(rows), np.array([range(4)])
    before = we_coherence(topic, vectors, oov="drop")
    vectors[1] *= factor
    after = we_coherence(topic[:, order], vectors, oov="drop")
    if (before.n_terms == after.n_terms).all():  # nothing shrank to zero
        assert after.value == pytest.approx(before.value, abs=1e-9, nan_ok=True)
