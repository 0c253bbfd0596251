import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from tealeaves.errors import InputError
from tealeaves.scores import Details, Scores, score_frame
from tealeaves.stats import correlate, correlation_matrix

_ = np.nan


def drawn(n=40, seed=0):
    """Three measures of n things: two go together, and one goes its own way."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    return {
        "npmi": common + rng.normal(size=n),
        "c_v": common + rng.normal(size=n),
        "size": rng.normal(size=n).round(1),
    }


def test_the_matrix_is_scipy_s():
    table = drawn()
    wanted = spearmanr(np.stack(list(table.values()), axis=1)).statistic
    np.testing.assert_allclose(correlation_matrix(table, resamples=5).values, wanted, atol=1e-12)
    pearson = correlation_matrix(table, method="pearson", resamples=5).values
    np.testing.assert_allclose(pearson, np.corrcoef(np.stack(list(table.values()))), atol=1e-12)


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_each_cell_is_what_correlate_says_of_the_pair_alone_to_its_interval(method):
    table = drawn()
    found = correlation_matrix(table, method=method, resamples=300, seed=4)
    for a, b in (("npmi", "c_v"), ("size", "npmi")):
        alone = correlate(table[a], table[b], method, resamples=300, seed=4)
        cell = found.between(a, b)
        assert (cell.value, cell.low, cell.high) == pytest.approx((alone.value, alone.low, alone.high))
        np.testing.assert_allclose(cell.draws, alone.draws, atol=1e-12)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=4, max_size=12).map(np.array),
    st.lists(st.integers(0, 3), min_size=12, max_size=12),
    st.sampled_from(["spearman", "pearson"]),
)
def test_draws_are_correlations_of_the_rows_of_drawn_clusters(rows, labels, method):
    table = dict(zip("abc", rows.T.tolist(), strict=True))
    labels = labels[: len(rows)]
    found = correlation_matrix(table, method=method, clusters=labels, resamples=8, seed=3)
    names, code = np.unique([str(x) for x in labels], return_inverse=True)
    index = np.random.default_rng(3).integers(len(names), size=(8, len(names)), dtype=np.int32)
    for r, groups in enumerate(index):
        again = np.concatenate([rows[code == g] for g in groups]).astype(float)
        if method == "spearman":
            again = np.apply_along_axis(rankdata, 0, again)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if np.isnan(found.values[i, j]):
                continue
            draw = found.draws[r, i, j]
            if len(set(again[:, i])) == 1 or len(set(again[:, j])) == 1:
                assert np.isnan(draw)
            else:
                assert draw == pytest.approx(np.corrcoef(again[:, i], again[:, j])[0, 1], abs=1e-9)


def test_topics_of_a_model_that_vary_together_make_intervals_wider():
    rng = np.random.default_rng(1)
    model = np.repeat(np.arange(20), 30)
    level = rng.normal(size=(2, 20))[:, model] * 2
    a, b = level + rng.normal(size=(2, 600))
    table = {"a": a, "b": b, "model": [f"m{i}" for i in model]}
    alone = correlation_matrix(table, resamples=500).between("a", "b")
    together = correlation_matrix(table, clusters="model", resamples=500).between("a", "b")
    assert alone.value == together.value
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_a_difference_of_two_cells_is_paired_so_that_what_is_the_same_differs_by_nothing():
    table = drawn()
    table["npmi again"] = table["npmi"] * 2 + 1
    found = correlation_matrix(table, resamples=300)
    same = found.difference(("npmi", "c_v"), ("npmi again", "c_v"))
    assert (same.value, same.low, same.high) == (0, 0, 0)
    apart = found.difference(("npmi", "c_v"), ("npmi", "size"))
    assert apart.value == found.between("npmi", "c_v").value - found.between("npmi", "size").value
    assert apart.low < apart.value < apart.high


def test_partial_correlations_are_those_of_what_a_line_leaves():
    rng = np.random.default_rng(2)
    k = rng.normal(size=200)
    table = {"coverage": k + rng.normal(size=200), "stability": -k + rng.normal(size=200), "k": k}
    found = correlation_matrix(table, ["coverage", "stability"], given=["k"], method="pearson", resamples=200)
    rest = [y - np.polyval(np.polyfit(k, y, 1), k) for y in (table["coverage"], table["stability"])]
    assert found.between("coverage", "stability").value == pytest.approx(np.corrcoef(rest)[0, 1])
    assert correlation_matrix(table, method="pearson", resamples=5).values[0, 1] < -0.3
    cell = found.between("coverage", "stability")
    assert cell.low < 0 < cell.high
    assert found.given == ("k",)


def test_partial_ranks_are_the_formula_of_three_correlations():
    table = drawn(30, seed=5)
    r = correlation_matrix(table, resamples=2).values
    found = correlation_matrix(table, ["npmi", "c_v"], given=["size"], resamples=2).values[0, 1]
    by_hand = (r[0, 1] - r[0, 2] * r[1, 2]) / np.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2))
    assert found == pytest.approx(by_hand)


def test_what_is_given_may_explain_one_wholly():
    table = {"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5], "c": [2, 4, 6, 8, 10]}
    found = correlation_matrix(table, ["a", "b"], given=["c"], resamples=10)
    assert np.isnan(found.values[0, 1])
    assert "explains one of them wholly" in found.reasons["a", "b"]


def test_a_pair_is_correlated_over_what_both_are_known_of():
    table = {"a": [1, 2, 3, 4, _], "b": [1, 3, 2, 4, 9], "c": [_, _, 5, 4, 3], "d": [_, _, _, 1, 2]}
    found = correlation_matrix(table, resamples=50)
    assert found.n.tolist() == [[4, 4, 2, 1], [4, 5, 3, 2], [2, 3, 3, 2], [1, 2, 2, 2]]
    assert found.between("a", "b").value == pytest.approx(0.8)
    assert found.between("b", "c").value == pytest.approx(-1)
    assert np.isnan(found.between("a", "c").value)
    assert found.reasons["a", "c"] == "2 known of both: at least 3 are needed"
    assert "–" in found.to_markdown()


def test_a_constant_measure_correlates_with_nothing_and_says_so():
    found = correlation_matrix({"a": [1, 2, 3], "b": [5, 5, 5]}, resamples=20)
    assert np.isnan(found.values[0, 1])
    assert found.frame["reason"].to_list() == ["b is the same for all"]


@pytest.mark.parametrize("clusters", [None, ["m", "m", "n", "n", "o", "o"]])
def test_fewer_than_five_things_or_clusters_have_no_interval(clusters):
    n = 4 if clusters is None else 6
    table = {"a": range(n), "b": [1, 0, *range(2, n)]}
    found = correlation_matrix(table, clusters=clusters, resamples=20)
    assert found.values[0, 1] == pytest.approx(spearmanr(table["a"], table["b"]).statistic)
    assert np.isnan(found.low[0, 1])
    assert found.to_markdown().splitlines()[2] == f"| a | {found.values[0, 1]:.2f} |"


def test_data_frames_and_mappings_give_the_same_and_the_seed_decides():
    table = drawn()
    one = correlation_matrix(table, resamples=50)
    np.testing.assert_array_equal(one.low, correlation_matrix(pl.DataFrame(table), resamples=50).low)
    assert (one.low != correlation_matrix(table, resamples=50, seed=1).low).any()


def test_text_and_the_clusters_themselves_are_no_measures():
    table = {**drawn(6), "model": [1, 1, 2, 2, 3, 3], "name": list("uvwxyz")}
    assert correlation_matrix(table, clusters="model", resamples=5).measures == ("npmi", "c_v", "size")


# --- scores


def rows(model, measure, values, level):
    topics = values if level == "topic" else [None]
    return [
        {
            "model": model,
            "measure": measure,
            "level": level,
            "topic": k if level == "topic" else None,
            "value": value if level == "topic" else values,
        }
        for k, value in enumerate(topics)
    ]


@pytest.fixture
def scores():
    """Six models, the runs of three; npmi and c_v of their topics, and au_cdc of models."""
    rng = np.random.default_rng(0)
    found = []
    models = {}
    for i, name in enumerate(("a#1", "a#2", "b#1", "b#2", "c#1", "c#2")):
        npmi = rng.normal(size=4)
        found += rows(name, "npmi@10", npmi.tolist(), "topic")
        found += rows(name, "c_v@10", [*(2 * npmi[:3]).tolist(), _], "topic")
        for measure, value in (("npmi@10", i), ("au_cdc", i**2)):
            found += rows(name, measure, float(value), "model")
        models[name] = {"n_topics": 10 * (i // 2 + 1)}
    return Scores(score_frame(found), Details(models=models))


@pytest.fixture
def stable():
    found = [row for i, name in enumerate("abc") for row in rows(name, "instance_stabil", 3.0 - i, "model")]
    return Scores(score_frame(found), Details(models={name: {} for name in "abc"}))


def test_topics_of_scores_are_paired_by_model_and_number(scores):
    found = correlation_matrix(scores, of="topic", clusters="model", resamples=50)
    assert found.measures == ("npmi@10", "c_v@10")
    assert found.between("npmi@10", "c_v@10").value == pytest.approx(1)
    assert found.n[0, 1] == 18  # of 24 topics, for each model has one without c_v
    assert found.clusters == "model"


def test_models_of_scores_and_their_numbers_of_topics(scores):
    found = correlation_matrix(scores, resamples=50)
    assert found.measures == ("npmi@10", "au_cdc")
    assert found.between("npmi@10", "au_cdc").value == pytest.approx(1)
    size = correlation_matrix(scores, ["au_cdc", "n_topics"], resamples=50).between("au_cdc", "n_topics")
    assert size.value == pytest.approx(spearmanr(np.arange(6), [1, 1, 2, 2, 3, 3]).statistic)


def test_sets_are_means_over_runs_beside_their_stability(scores, stable):
    found = correlation_matrix([scores, stable], of="set", resamples=50)
    assert found.measures == ("npmi@10", "au_cdc", "instance_stabil")
    assert found.n[0, 2] == 3
    assert found.between("au_cdc", "instance_stabil").value == pytest.approx(-1)
    pearson = correlation_matrix([scores, stable], of="set", method="pearson", resamples=5)
    wanted = np.corrcoef([0.5, 6.5, 20.5], [3, 2, 1])[0, 1]  # means of 0 and 1, of 4 and 9, of 16 and 25
    assert pearson.between("au_cdc", "instance_stabil").value == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({"a": [1, 2]}, {}, "at least two measures are needed to correlate; got 'a'"),
        ({"a": [1], "b": [1, 2]}, {}, "columns must be of one length, a value per thing; got 'a' 1, 'b' 2"),
        ({"a": [1], "b": [2]}, {"measures": ["a", "c"]}, "there is no column 'c'; there are a, b"),
        ({"a": [1], "b": ["x"]}, {"measures": ["a", "b"]}, "column 'b' must hold numbers, but holds 'x'"),
        ({"a": [1], "b": [2]}, {"method": "kendall"}, "method must be one of spearman, pearson"),
        ({"a": [1], "b": [2]}, {"of": "word"}, "of must be one of topic, model, set; got 'word'"),
        ({"a": [1], "b": [2]}, {"clusters": "m"}, "there is no column 'm'"),
        ({"a": [1], "b": [2]}, {"clusters": ["x", "y"]}, "a label for each of the 1 rows; got 2"),
        ({"a": [1], "b": [2]}, {"resamples": 0}, "resamples must be a whole number of at least 1"),
        (3, {}, "a data frame, a mapping of columns, Scores or an Experiment is wanted, not int"),
    ],
)
def test_what_cannot_be_correlated_is_refused(table, options, message):
    with pytest.raises(InputError, match=message):
        correlation_matrix(table, **options)


def test_scores_refuse_other_clusters_and_unknown_measures(scores):
    with pytest.raises(InputError, match="of Scores, clusters can be 'model' or labels; got 'topic'"):
        correlation_matrix(scores, of="topic", clusters="topic")
    with pytest.raises(InputError, match="'umass' was not correlated; there are npmi@10, au_cdc"):
        correlation_matrix(scores, resamples=5).between("umass", "au_cdc")
