"""Features of pairs of topics: worked cases, SciPy's distances, exact identity, words and documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import tealeaves as tl
from tealeaves.errors import InputError
from tealeaves.reference_topics import ReferenceTopics
from tealeaves.topic_pairs import (
    FEATURES,
    Topics,
    all_distances,
    all_features,
    distance_bins,
    pair_features,
    row_distances,
    why_no_documents,
)

# word_a, word_b, doc_a, doc_b, features: worked by hand, in the order of Korenčić et al. (2021)
WORKED = [
    (
        ([1, 1, 2], [2, 0, 2], [0, 3, 1], [0, 1, 3]),
        [
            0.1339745962155614,
            0.3826834323650898,
            0.5,
            0.3535533905932738,
            0.4,
            0.3660254037844387,
            1.0,
            0.7071067811865476,
        ],
    ),
    (([1, 0], [0, 5], [2, 0], [0, 1]), [1, 1, 2, 1.4142135623730951] * 2),
    (([1, 2, 3], [2, 4, 6], [1, 1], [7, 7]), [0] * 8),
]
seeds = st.integers(0, 2**32 - 1)


def topics(rows, name="model", **more):
    rows = np.array(rows, float)
    return tl.TopicModel([f"w{i}" for i in range(rows.shape[1])], rows, normalized=False, name=name, **more)


# --- values from outside


@pytest.mark.parametrize(("vectors", "expected"), WORKED)
def test_pairs_worked_by_hand(vectors, expected):
    word_a, word_b, doc_a, doc_b = (np.array(v, float) for v in vectors)
    np.testing.assert_allclose(pair_features(*vectors), expected, atol=1e-12)
    at_once = [all_distances(a[None], b[None])[0, 0] for a, b in ((word_a, word_b), (doc_a, doc_b))]
    np.testing.assert_allclose(np.concatenate(at_once), expected, atol=1e-12)


@given(seeds)
def test_all_pairs_at_once_are_scipy_s_distances(seed):
    rng = np.random.default_rng(seed)
    a = rng.gamma(0.1, size=(4, 60)) * (rng.random((4, 60)) < 0.2)
    a[:, 0] += 0.1
    b = rng.gamma(0.1, size=(3, 60)) + 1e-6
    p, q = a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
    expected = [
        cdist(a, b, "cosine"),
        cdist(np.sqrt(p), np.sqrt(q), "euclidean") / np.sqrt(2),
        cdist(p, q, "cityblock"),
        cdist(p, q, "euclidean"),
    ]
    np.testing.assert_allclose(all_distances(a, b), np.stack(expected, axis=2), atol=1e-12)


@pytest.mark.parametrize(
    ("distance", "bin_"), [(0.0, 0), (0.05, 0), (0.15, 1), (0.3, 3), (0.7, 7), (0.95, 9), (1.0, 9)]
)
def test_intervals_are_closed_below_and_the_last_above(distance, bin_):
    assert distance_bins([distance]).tolist() == [bin_]


# --- identity and emptiness


@given(seeds, st.floats(1e-3, 1e3))
def test_a_topic_and_a_multiple_of_it_are_at_distance_zero_exactly(seed, factor):
    rows = np.random.default_rng(seed).dirichlet(np.full(500, 0.05), 5) + 1e-9
    distances = all_distances(rows, factor * rows)
    assert (distances[range(5), range(5)] == 0).all()
    assert (distances[~np.eye(5, dtype=bool)] > 0.01).all()


@given(seeds)
def test_topics_that_nearly_agree_keep_their_digits(seed):
    rng = np.random.default_rng(seed)
    row = rng.dirichlet(np.ones(200))[None]
    near = row * (1 + 1e-5 * rng.standard_normal((3, 200)))
    expected = row_distances(np.repeat(row, 3, axis=0), near)
    np.testing.assert_allclose(all_distances(row, near)[0], expected, atol=1e-14, rtol=1e-9)


def test_an_empty_topic_is_at_cosine_distance_one_and_it_is_said():
    with pytest.warns(UserWarning, match="1 topic vectors have no weight"):
        found = pair_features([0, 0], [1, 3])
    assert found[0] == 1
    np.testing.assert_allclose(all_distances(np.zeros((1, 2)), np.array([[1.0, 3]]))[0, 0], found)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (([1], [1, 2]), "equally long"),
        (([1, -1], [1, 2]), "finite and at least 0"),
        (([1, np.nan], [1, 2]), "finite and at least 0"),
        (([1, 1], [1, 2], [1]), "of both topics of a pair, or of neither"),
    ],
)
def test_vectors_that_are_none_are_refused(vectors, message):
    with pytest.raises(InputError, match=message):
        pair_features(*vectors)


# --- what stands beside what


@given(seeds)
def test_the_order_of_words_and_documents_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    words, documents = rng.random((3, 6)), rng.random((3, 5))
    reference = ReferenceTopics(
        list("abcdef"), words, topic_document=documents, document_ids=["p", "q", "r", "s", "t"]
    )
    w, d = rng.permutation(6), rng.permutation(5)
    turned = ReferenceTopics(
        [list("abcdef")[i] for i in w],
        words[:, w],
        topic_document=documents[:, d],
        document_ids=[["p", "q", "r", "s", "t"][i] for i in d],
    )
    found = all_features(Topics.of(reference), Topics.of(turned))
    assert found.shape == (3, 3, len(FEATURES))
    assert (found[range(3), range(3)] == 0).all()


def test_words_of_one_side_alone_stay_in_its_topics():
    a, b = Topics.of(tl.TopicModel.from_words([["oil", "gas"]])), topics([[1, 1]])
    assert all_features(a, Topics.of(b), documents=False)[0, 0, 2] == 2  # L1 of disjoint topics


def test_documents_go_by_their_ids_or_their_number():
    theta = np.array([[1.0, 0], [0, 1], [1, 1]])
    rows = [[1, 0], [0, 1]]
    model = Topics.of(topics(rows, "lda", doc_topic=theta))
    named = Topics.of(
        ReferenceTopics(["w0", "w1"], rows, topic_document=theta.T, document_ids=["a", "b", "c"])
    )
    other = Topics.of(
        ReferenceTopics(["w0", "w1"], rows, topic_document=theta.T, document_ids=["x", "y", "z"])
    )
    fewer = Topics.of(topics(rows, "nmf", doc_topic=theta[:2]))
    assert (all_features(named, model)[range(2), range(2)] == 0).all()
    assert "no document in common" in why_no_documents(named, other)
    assert "'nmf' and 'lda' have 2 and 3 documents" in why_no_documents(fewer, model)
    assert "no documents" in why_no_documents(Topics.of(topics(rows)), model)
    with pytest.raises(InputError, match="2 and 3 documents"):
        all_features(fewer, model)


def test_negative_weights_have_no_distances():
    with pytest.raises(InputError, match="negative weights"):
        Topics.of(topics([[1, -1]]))
