"""Stability and alignment: golden values by hand, then edges, then properties."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import tealeaves as tl
from tealeaves.errors import InputError, MissingInput
from tealeaves.measures.alignment import optimal_pairs
from tealeaves.measures.distances import DISTANCES, topic_distances
from tealeaves.measures.diversity import average_jaccard
from tealeaves.measures.stability import (
    aucdc_stabil,
    document_stabil,
    instance_stabil,
    matched,
    refset_stabil,
)

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "coverage.json").read_text("utf-8"))
RUNS = [np.array(run, float) for run in GOLDEN["aucdc_stabil"][0]["instances"]]


def model(rows, name="run", **parts):
    rows = np.array(rows, float)
    words = [f"w{i}" for i in range(rows.shape[1])]
    return tl.TopicModel(words, topic_word=rows, normalized=False, name=name, **parts)


@st.composite
def matrices(draw, n=2):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sparse = draw(st.sampled_from([0.2, 0.7, 1.0]))
    return [rng.dirichlet(np.full(9, 0.4), k) * (rng.random((k, 9)) < sparse) for k in rng.integers(1, 6, n)]


# --- from outside


@pytest.mark.parametrize("case", GOLDEN["instance_stabil"], ids=lambda case: case["name"][:20])
def test_topics_are_paired_for_the_highest_sum_not_greedily(case):
    if "similarity" in case:
        assert matched(1 - np.array(case["similarity"])) == pytest.approx(case["value"], abs=1e-12)
        if "optimal_pairs" in case:
            pairs = optimal_pairs(1 - np.array(case["similarity"]))
            assert [list(pair) for pair in zip(*pairs, strict=True)] == case["optimal_pairs"]


def test_runs_cover_each_other_as_computed_by_hand():
    case = GOLDEN["aucdc_stabil"][0]
    pairs = [float(aucdc_stabil([a, b]).value) for a, b in combinations(RUNS, 2)]
    np.testing.assert_allclose(pairs, case["pair_values_50_intervals_le"], atol=1e-12)
    assert aucdc_stabil(RUNS).value == pytest.approx(case["value_50_intervals_le"], abs=1e-12)
    assert aucdc_stabil(RUNS, intervals="exact").value == pytest.approx(case["value_exact"], abs=1e-12)


@pytest.mark.parametrize("case", GOLDEN["refset_stabil"], ids=lambda case: case["name"][:12])
def test_reference_topics_that_both_runs_find_over_the_topics_of_the_smaller(case):
    runs = []
    for covered, k in zip(case["covered"], case["n_topics"], strict=True):
        matches = np.zeros((case["n_reference"], k), bool)
        matches[covered, 0] = True  # whichever topic it is
        runs.append(matches)
    assert refset_stabil(runs).value == pytest.approx(case["value"])


def test_the_rescaled_dot_product_is_chuangs():
    case = GOLDEN["rescaled_dot"][0]
    found = topic_distances(np.array([case["p"]]), np.array([case["q"]]), "rescaled_dot")
    assert 1 - found[0, 0] == pytest.approx(case["value"], abs=1e-12)


def test_average_jaccard_is_greenes():
    case = GOLDEN["average_jaccard"][0]
    words = sorted({*case["a"], *case["b"]})
    a, b = (
        np.array([[3 - t.index(w) if w in t else 0 for w in words]], float) for t in (case["a"], case["b"])
    )
    assert 1 - topic_distances(a, b, "average_jaccard", top=3)[0, 0] == pytest.approx(case["value"])


@settings(max_examples=20)
@given(matrices())
def test_distances_are_scipys_and_the_measures_of_diversity_of_the_house(pair):
    a, b = (rows[rows.any(axis=1)] for rows in pair)
    if not len(a) or not len(b):
        return
    p, q = a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
    np.testing.assert_allclose(topic_distances(a, b), cdist(a, b, "cosine"), atol=1e-9)
    js = cdist(p, q, lambda x, y: np.sqrt(max(_divergence(x, y), 0)))
    np.testing.assert_allclose(topic_distances(a, b, "jensen_shannon"), js, atol=1e-6)
    np.testing.assert_allclose(
        topic_distances(a, b, "hellinger"), cdist(p**0.5, q**0.5) / np.sqrt(2), atol=1e-7
    )
    tops = [[np.argsort(-row, kind="stable")[: min(3, (row > 0).sum())] for row in rows] for rows in (a, b)]
    for i, j in ((i, j) for i in range(len(a)) for j in range(len(b))):
        both = np.full((2, 3), -1, np.int32)
        both[0, : len(tops[0][i])], both[1, : len(tops[1][j])] = tops[0][i], tops[1][j]
        expected = float(average_jaccard(both).value)
        assert 1 - topic_distances(a, b, "average_jaccard", 3)[i, j] == pytest.approx(expected)


def _divergence(p, q):
    m = (p + q) / 2
    parts = [np.where(x > 0, x * np.log2(np.where(x > 0, x, 1) / np.where(m > 0, m, 1)), 0) for x in (p, q)]
    return sum(part.sum() for part in parts) / 2


# --- tl.stability


def test_stability_of_runs_by_hand_with_an_interval_over_runs():
    scores = tl.stability([model(run) for run in RUNS], resamples=500)
    assert scores.value("instance_stabil") == pytest.approx(9 / 13)
    row = scores.frame.row(0, named=True)
    assert row["model"] == "run"
    assert row["n_terms"] == 3
    assert 0.5 <= row["low"] <= 9 / 13 <= row["high"] <= 12 / 13
    assert scores.units["instance_stabil"] == "runs"
    assert scores.details.companions["run"]["instance_stabil"]["pairs"] == pytest.approx(
        [12 / 13, 0.5, 17 / 26]
    )


def test_the_vocabularies_of_runs_are_put_together_by_word():
    a = tl.TopicModel(["oil", "gas", "tax"], topic_word=[[0.6, 0.4, 0], [0, 0, 1]])
    b = tl.TopicModel(["tax", "oil", "gas"], topic_word=[[1, 0, 0], [0, 0.6, 0.4]])
    assert tl.stability([a, b]).value("instance_stabil") == 1
    c = tl.TopicModel(["law", "court"], topic_word=[[0.5, 0.5]])
    assert tl.stability([a, c]).value("instance_stabil") == 0


def test_topics_that_return_in_all_runs_come_first_and_a_topic_of_one_run_is_0():
    one = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    two = [[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    runs = [model(one), model(two), model(one)]
    scores = tl.stability(runs, ci=None)
    np.testing.assert_allclose(scores.topics("instance_stabil"), [1, 1, 1 / 3, 0], atol=1e-12)
    frame = scores.frame.filter(scores.frame["level"] == "topic")
    assert frame["n_terms"].to_list()[:4] == [3, 3, 2, 1]
    assert scores.details.models["run"]["topics"][0] == ["w0"]
    found = tl.align(runs)
    assert found.in_all == [0, 1]
    assert found.matrix.tolist() == [[0, 1, 0], [2, 0, 2], [1, -1, 1], [-1, 2, -1]]
    assert found.pairs(0, 2) == [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]
    returning = found.reference_topics()
    assert returning.top_words() == [["w0"], ["w2"]]
    assert len(found.reference_topics(2)) == 3


def test_one_run_tells_nothing_and_says_so():
    scores = tl.stability([model(RUNS[0])])
    assert np.isnan(scores.value("instance_stabil"))
    assert "others are needed" in scores.frame["reason"][0]
    assert np.isnan(scores.topics("instance_stabil")).all()


def test_documents_tell_stability_where_runs_have_the_same_ones():
    theta = np.array([[1.0, 0], [0, 1], [0.5, 0.5]])
    runs = [model(np.eye(2), doc_topic=theta), model(np.eye(2), doc_topic=theta[:, ::-1])]
    scores = tl.stability(runs, ci=None)
    assert scores.value("document_stabil") == pytest.approx(1)
    np.testing.assert_allclose(scores.topics("document_stabil"), [0.2, 0.2])  # of the same word topics
    assert document_stabil([theta.T, theta.T[::-1]]).model.value == pytest.approx(1)
    shorter = model(np.eye(2), doc_topic=theta[:2])
    with pytest.raises(MissingInput, match="same documents"):
        tl.stability([runs[0], shorter], measures="document_stabil")


def test_reference_topics_found_by_two_runs_need_a_matcher_or_a_distance():
    reference = tl.ReferenceTopics([f"w{i}" for i in range(2)], np.eye(2))
    runs = [model(run) for run in RUNS]
    scores = tl.stability(runs, reference, ci=None)
    # run 1 finds both, run 2 both within 1/13, run 3 the first twice
    assert scores.value("refset_stabil(distance='cosine')") == pytest.approx((1 + 0.5 + 0.5) / 3)
    strict = "refset_stabil(distance='cosine', threshold=0.05)"
    found = tl.stability(runs, reference, measures=strict, ci=None)
    assert found.value(strict) == pytest.approx(0.5 / 3)
    with pytest.raises(MissingInput, match="matcher"):
        tl.stability(runs, reference, measures="refset_stabil")
    with pytest.raises(MissingInput, match="reference_topics"):
        tl.stability(runs, measures="refset_stabil")


def test_several_models_stand_in_one_table_each_with_its_runs():
    scores = tl.stability({"a": [model(RUNS[0])] * 2, "b": [model(RUNS[0]), model(RUNS[2])]}, ci=None)
    assert scores.models == ["a", "b"]
    assert scores.value("instance_stabil", model="a") == 1
    assert scores.value("instance_stabil", model="b") == 0.5


def test_measures_of_runs_are_refused_for_one_model_and_name_the_way():
    with pytest.raises(MissingInput, match=r"tl\.stability"):
        tl.evaluate(model(np.eye(2)), measures="instance_stabil")
    with pytest.raises(InputError, match=r"tl\.evaluate"):
        tl.stability([model(np.eye(2))] * 2, measures="au_cdc")


def test_topics_with_signs_or_over_time_are_refused():
    with pytest.raises(MissingInput, match="negative"):
        tl.stability([model([[1, -1]])] * 2, measures="instance_stabil")
    dynamic = tl.DynamicTopicModel.from_words([[["oil", "gas"]], [["oil", "gas"]]], slice_labels=[1, 2])
    with pytest.raises(MissingInput, match="slice"):
        tl.align([dynamic, dynamic])


# --- properties


@pytest.mark.parametrize("distance", DISTANCES)
@settings(max_examples=15)
@given(matrices(3))
def test_stability_does_not_depend_on_the_order_of_topics_runs_or_scale(distance, runs):
    before = instance_stabil(runs, distance=distance, top=4)
    moved = instance_stabil([3 * runs[2][::-1], runs[0], runs[1]], distance=distance, top=4)
    assert moved.model.value == pytest.approx(float(before.model.value), abs=1e-9)
    assert 0 <= before.model.value <= 1
    a, b = aucdc_stabil(runs, distance=distance).value, aucdc_stabil(runs[::-1], distance=distance).value
    assert a == pytest.approx(float(b), abs=1e-9)


@settings(max_examples=25)
@given(matrices(3))
def test_every_topic_is_in_one_group_and_no_group_has_two_of_a_run(runs):
    found = tl.align([model(run, name=str(i)) for i, run in enumerate(runs)], threshold=0.7)
    for run, rows in enumerate(runs):
        numbers = [k for k in found.matrix[:, run].tolist() if k >= 0]
        assert sorted(numbers) == list(range(len(rows)))
    assert (np.diff([g.n_runs for g in found.groups]) <= 0).all()


@settings(max_examples=15)
@given(matrices(1))
def test_identical_runs_are_exactly_stable(runs):
    rows = runs[0][runs[0].any(axis=1)]
    if len(rows):
        assert instance_stabil([rows, rows[::-1]]).model.value == 1
        assert aucdc_stabil([rows, rows[::-1]]).value == 1
