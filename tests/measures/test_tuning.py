"""What R's ldatuning computes, from its formulas, and what holds of any topics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.measures._table import parse_all
from tealeaves.measures.tuning import arun2010

THETA = np.array([[0.7, 0.3], [0.2, 0.8], [0.5, 0.5]])
PHI = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
LENGTHS = np.array([10, 4, 6])


def in_r(phi, theta, lengths):
    """sum(cm1 * log(cm1 / cm2)) + sum(cm2 * log(cm2 / cm1)), cm2 = lengths %*% theta / max(lengths)."""
    cm1 = np.sqrt(np.linalg.eigvalsh(phi @ phi.T))[::-1]
    cm2 = lengths @ theta / lengths.max()
    return (cm1 * np.log(cm1 / cm2)).sum() + (cm2 * np.log(cm2 / cm1)).sum()


def test_the_group_gives_r_s_arun():
    texts, truth = tl.synthetic.lda(k=3, documents=30, length=40, vocabulary=50, seed=1)
    model = tl.TopicModel(
        truth.vocabulary, truth.probabilities(), doc_topic=np.full((30, 3), 1 / 3), corpus=texts, name="m"
    )
    (spec,) = [str(one) for one in parse_all("ldatuning") if one.name == "arun2010"]
    scores = tl.evaluate(model, texts, measures=[spec], ci=None)
    lengths = np.diff(texts.offsets)
    assert scores.value(spec) == pytest.approx(in_r(truth.probabilities(), np.full((30, 3), 1 / 3), lengths))


def test_the_two_readings_of_arun_differ():
    assert arun2010(PHI, THETA, LENGTHS, variant="ldatuning").value == pytest.approx(
        in_r(PHI, THETA, LENGTHS)
    )
    assert arun2010(PHI, THETA, LENGTHS).value != pytest.approx(in_r(PHI, THETA, LENGTHS), rel=0.01)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from(["sorted", "ldatuning"]))
def test_arun_is_never_below_0(seed, k, variant):
    rng = np.random.default_rng(seed)
    phi, theta = rng.dirichlet(np.ones(8), k), rng.dirichlet(np.ones(k), 6)
    found = arun2010(phi, theta, rng.integers(1, 50, 6), variant=variant)
    assert found.value >= 0
