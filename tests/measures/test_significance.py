"""Significance against the values of other tools, by hand, and at its edges."""

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from golden import HERE, LEE
from tealeaves.measures.significance import kl_divergence, sig_back, sig_uni, sig_vac

MATRICES = np.load(HERE / "lee_lda_matrices.npz", allow_pickle=False)
BETA, THETA = MATRICES["beta"], MATRICES["theta"]
FOUND = {row["metric"]: row["value"] for row in LEE["diversity"] if row["metric"].startswith("octis.KL_")}


def distributions(n):
    return (
        st.lists(st.integers(0, 20), min_size=n, max_size=n).filter(any).map(lambda x: np.array([x]) / sum(x))
    )


# --- values from outside: OCTIS adds 1e-5 to every probability, so that it moves every value a little

EPSILON = 1e-5


def octis_mean(p, q):
    return kl_divergence(p + EPSILON, np.broadcast_to(q, p.shape) + EPSILON).mean()


def test_octis_finds_the_same_distances_once_its_epsilon_is_added():
    share = THETA.sum(0) / THETA.sum()
    columns = (THETA / THETA.sum(0)).T
    assert octis_mean(BETA, 1 / BETA.shape[1]) == pytest.approx(FOUND["octis.KL_uniform"], abs=1e-9)
    assert octis_mean(BETA, share @ BETA) == pytest.approx(FOUND["octis.KL_vacuous"], abs=1e-9)
    assert octis_mean(columns, 1 / len(THETA)) == pytest.approx(FOUND["octis.KL_background"], abs=1e-9)


def test_without_the_epsilon_the_measures_are_within_2_percent_of_octis():
    model = tl.TopicModel(MATRICES["vocab"].tolist(), topic_word=BETA, doc_topic=THETA)
    specs = {"sig_uni": "uniform", "sig_vac(variant='topics')": "vacuous", "sig_back": "background"}
    scores = tl.evaluate(model, measures=list(specs), ci=None)
    for spec, name in specs.items():
        assert scores.value(spec) == pytest.approx(FOUND[f"octis.KL_{name}"], rel=0.02)


def test_evaluate_hands_over_what_the_formula_needs():
    model = tl.TopicModel(MATRICES["vocab"].tolist(), topic_word=BETA, doc_topic=THETA)
    scores = tl.evaluate(model, measures=["sig_uni", "sig_vac(variant='topics')", "sig_back"], ci=None)
    background = (THETA.sum(0) / THETA.sum()) @ BETA
    assert scores.topics("sig_uni") == pytest.approx(sig_uni(BETA).value, rel=1e-12)
    assert scores.topics("sig_vac(variant='topics')") == pytest.approx(
        sig_vac(BETA, background).value, rel=1e-12
    )
    assert scores.topics("sig_back") == pytest.approx(sig_back(THETA).value, rel=1e-12)


def test_the_matrices_are_those_that_the_golden_values_were_computed_on():
    digest = hashlib.sha256((HERE / "lee_lda_matrices.npz").read_bytes()).hexdigest()
    assert digest == LEE["meta"]["sha256"]["lda_matrices.npz"]


# --- by hand


def test_one_word_is_log_v_from_uniform_and_equal_words_are_0():
    assert sig_uni(np.array([[1, 0, 0, 0], [0.25] * 4])).value == pytest.approx([math.log(4), 0])


def test_the_background_of_a_corpus_is_its_frequencies_among_the_words_of_the_model():
    corpus = tl.Corpus.from_tokens([["oil", "oil", "gas", "tax"], ["oil", "the", "the"], ["gas"]])
    model = tl.TopicModel(["gas", "oil"], topic_word=[[0.5, 0.5], [0.4, 0.6]])
    scores = tl.evaluate(model, corpus, measures=["sig_vac", "sig_vac(variant='document_mean')"], ci=None)
    p, q = 2 / 5, 3 / 5  # 2 gas and 3 oil among 5
    by_hand = [
        0.5 * math.log(0.5 / p) + 0.5 * math.log(0.5 / q),
        0.4 * math.log(0.4 / p) + 0.6 * math.log(0.6 / q),
    ]
    assert scores.topics("sig_vac") == pytest.approx(by_hand)
    # documents of two tokens or more: gas 1/4 and 0, oil 2/4 and 1/3
    p, q = (1 / 4) / (1 / 4 + 5 / 6), (5 / 6) / (1 / 4 + 5 / 6)
    by_hand = [
        0.5 * math.log(0.5 / p) + 0.5 * math.log(0.5 / q),
        0.4 * math.log(0.4 / p) + 0.6 * math.log(0.6 / q),
    ]
    assert scores.topics("sig_vac(variant='document_mean')") == pytest.approx(by_hand)


def test_a_topic_in_one_of_four_documents_is_log_4_from_background():
    assert sig_back(np.array([[1, 0.5], [0, 0.5], [0, 0.5], [0, 0.5]])).value == pytest.approx(
        [math.log(4), 0]
    )


# --- edges


def test_an_empty_topic_is_undefined():
    empty = np.array([[0.0, 0.0], [0.5, 0.5]])
    for result in (sig_uni(empty), sig_vac(empty, np.array([0.5, 0.5])), sig_back(empty.T)):
        assert np.isnan(result.value).tolist() == [True, False]
        assert result.reason.tolist() == ["empty topic", ""]
        assert result.n_terms.tolist() == [0, 2]


def test_a_word_that_the_background_has_not_is_named_as_the_reason_and_not_infinite():
    result = sig_vac(np.array([[0.5, 0.5], [1, 0]]), np.array([1.0, 0.0]))
    assert result.reason.tolist() == ["word absent from the background", ""]
    assert np.isnan(result.value[0])
    assert result.value[1] == 0


@given(distributions(5), distributions(5))
def test_the_distance_is_never_negative_and_0_only_to_itself(p, q):
    distance = kl_divergence(p, q[0])[0]
    assert distance >= 0
    assert kl_divergence(p, p[0])[0] == 0
    if not np.allclose(p, q):
        assert distance > 0


@given(distributions(6))
def test_a_word_without_weight_changes_only_the_number_of_words(p):
    wider = np.append(p, [[0.0]], axis=1)
    assert sig_uni(wider).value == pytest.approx(sig_uni(p).value + math.log(7 / 6), abs=1e-12)
    assert sig_vac(wider, np.append(p[0], 0.3)).value == pytest.approx(sig_vac(p, p[0]).value, abs=1e-12)
