"""Coverage: golden values by hand, planted topics, real classes, then edges and properties."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import tealeaves as tl
from tealeaves.errors import InputError, MissingInput
from tealeaves.measures.coverage import (
    area_of,
    au_cdc,
    cd_curve,
    precision,
    sup_cov,
    threshold_of,
)
from tealeaves.measures.distances import topic_distances
from tealeaves.measures.relations import match_counts, relations
from tealeaves.topic_sizes import documents_with, quartiles

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "coverage.json").read_text("utf-8"))
RNG = np.random.default_rng(0)
AREAS = {"aucdc_paper_50_intervals_le": 50, "aucdc_code_50_points_le": 49, "aucdc_exact": "exact"}


class Within:
    """Stands in for a trained matcher: topics within a distance match."""

    fingerprint = "0123456789abcdef"

    def __init__(self, threshold=0.3):
        self.threshold = threshold

    def matches(self, reference, model, *, cosines=True):
        return topic_distances(reference.topic_word, model.topic_word) <= self.threshold


def model(rows, name="model"):
    rows = np.array(rows, float)
    return tl.TopicModel([f"w{i}" for i in range(rows.shape[1])], rows, normalized=False, name=name)


def reference(rows, **parts):
    rows = np.array(rows, float)
    return tl.ReferenceTopics([f"w{i}" for i in range(rows.shape[1])], rows, **parts)


# --- from outside


@pytest.mark.parametrize("case", GOLDEN["cd_curve"], ids=lambda case: case["name"])
def test_the_curve_and_its_area_are_those_computed_by_hand(case):
    closest = np.array(case.get("closest"), float)
    distances = closest[:, None]
    if "reference" in case:
        distances = topic_distances(np.array(case["reference"], float), np.array(case["model"], float))
        np.testing.assert_allclose(distances, case["distance_matrix"], atol=1e-12)
    points = np.array([float(t) for t in case["points"]])
    np.testing.assert_allclose(cd_curve(distances, points)[1], list(case["points"].values()), atol=1e-12)
    for key, intervals in AREAS.items():
        if key in case:
            found = au_cdc(distances, intervals=intervals)
            assert found.model.value == pytest.approx(case[key], abs=1e-12), key
            if intervals != "exact":  # the area by trapezoids under the curve itself
                x, y = cd_curve(distances, np.linspace(0, 1, intervals + 1))
                assert np.trapezoid(y, x) == pytest.approx(case[key], abs=1e-12)


def test_shares_that_match_are_those_computed_by_hand():
    for case in GOLDEN["coverage_precision"]:
        matches = np.array(case["match"], bool)
        assert sup_cov(matches).model.value == pytest.approx(case["recall"])
        for key, variant in (
            ("any", "any"),
            ("max_matching", "max_matching"),
            ("authors_first_match", "first_match"),
        ):
            value = precision(matches, variant=variant).model.value
            assert value == pytest.approx(case[f"precision_{key}"]), variant


def test_scores_of_topics_are_those_computed_by_hand():
    by_match, by_distance = GOLDEN["topic_level_scores"]
    assert sup_cov(np.array(by_match["match"], bool)).topics.value.tolist() == by_match["supcov_topic_score"]
    found = au_cdc(np.array(by_distance["distance_matrix"])).topics.value
    np.testing.assert_allclose(found, by_distance["aucdc_topic_score"], atol=1e-12)


@pytest.mark.parametrize("case", GOLDEN["relations"], ids=["several", "repeated"])
def test_relations_are_chuangs(case):
    found = relations(np.array(case["match"], bool))
    for kind, members in case["concepts"].items():
        assert [r for r, k in enumerate(found.concepts) if k == kind] == members
    for kind, members in case["topics"].items():
        assert [k for k, name in enumerate(found.topics) if name == kind] == members
    missing = found.counts()["missing reference topics"]
    assert 1 - missing / len(case["match"]) == case["covered"]


def test_probabilities_of_relations_are_those_computed_by_hand():
    case = GOLDEN["relations_probabilistic"][0]
    p = np.array(case["p"])
    np.testing.assert_allclose(match_counts(p), case["concept_count_distribution"])
    np.testing.assert_allclose(match_counts(p.T), case["topic_count_distribution"])


def test_sizes_and_their_quarters_are_the_source_s():
    case = GOLDEN["topic_size"][0]
    counts = np.array(case["doc_topic_counts"])
    theta = (counts + case["alpha"]) / (counts.sum(1, keepdims=True) + 3 * case["alpha"])
    np.testing.assert_allclose(theta, case["theta"])
    assert documents_with(theta).tolist() == case["sizes"]
    assert documents_with(np.array([[0.9, 0.1]]), "printed").tolist() == [1, 1]
    quarters = quartiles(RNG.permutation(133).astype(float))  # Table V: 34, 33, 33, 33 of the news topics
    assert [quarters.count(q) for q in ("Q1", "Q2", "Q3", "Q4")] == [34, 33, 33, 33]


# --- tl.coverage


def test_categories_have_intervals_over_runs_and_the_union_of_runs():
    wanted = reference(np.eye(4), sizes=[1, 2, 3, 4], categories={"kind": ["a", "a", "b", ""]})
    runs = [model(np.eye(4)[:2]), model(np.eye(4)[1:3])]
    found = tl.coverage({"lda": runs}, wanted, intervals="exact", resamples=200)
    rows = {(r["measure"], r["division"], r["category"]): r for r in found.table.iter_rows(named=True)}
    whole = rows["au_cdc", "all", "all"]
    assert (whole["value"], whole["union"], whole["over"], whole["runs"]) == (0.5, 0.75, "runs", 2)
    assert (whole["low"], whole["high"]) == (0.5, 0.5)
    assert rows["au_cdc", "kind", "a"]["value"] == 0.75
    assert (rows["au_cdc", "kind", "a"]["low"], rows["au_cdc", "kind", "a"]["high"]) == (0.5, 1.0)
    assert rows["covered(threshold=0.5)", "kind", "b"]["value"] == 0.5
    assert [rows["au_cdc", "size", q]["value"] for q in ("Q1", "Q2", "Q3", "Q4")] == [0.5, 1, 0.5, 0]
    assert found.uncovered()["reference_topic"].to_list() == ["3"]
    assert found.at(0.0) == 0.5
    assert (found.value("au_cdc"), found.value("covered(threshold=0.5)", "lda")) == (0.5, 0.5)
    with pytest.raises(InputError, match=r"there is no coverage by 'sup_cov'; there is 'au_cdc', 'covered"):
        found.value("sup_cov")
    assert "[0.50, 1.00]" in found.to_markdown("kind")
    assert found.topics["relation"].to_list() == ["single"] * 4


def test_a_single_run_has_intervals_over_reference_topics():
    found = tl.coverage(model(np.eye(4)[:2]), reference(np.eye(4)), resamples=200)
    row = found.table.row(0, named=True)
    assert row["over"] == "reference topics"
    assert row["low"] < row["value"] < row["high"]
    curve = found.curve
    assert curve["coverage"].is_sorted()
    assert (curve["low"] <= curve["coverage"]).all()


def test_what_is_not_covered_stands_with_the_topic_nearest_to_it():
    wanted = tl.ReferenceTopics.from_words({"law": ["court", "judge"], "film": ["film", "actor"]})
    lists = tl.TopicModel.from_words(
        [["oil", "gas"], ["film", "actor", "music", "oil", "gas", "tv", "dvd", "cd"]]
    )
    found = tl.coverage(lists, wanted)
    assert found.uncovered().select("reference_topic", "topic", "distance").rows() == [("law", 0, 1.0)]
    film = found.references.row(1, named=True)
    assert (film["topic"], film["covered"]) == (1, 1)  # at 0.5, within the threshold
    assert film["topic_words"].startswith("film actor music")
    assert found.threshold(0.5) == pytest.approx(0.5)
    assert "court" in found.warnings[0]


def test_a_matcher_decides_where_there_is_one_and_counts_go_with_its_probabilities():
    wanted, own = reference(np.eye(3)), model([[1, 1, 0], [0, 0, 1]])
    found = tl.coverage(own, wanted, matcher=Within(0.3))
    assert found.by == "sup_cov"
    assert found.relations().concepts == ("fused", "fused", "resolved")
    assert found.relation_counts["fused topics"].to_list() == [1]
    with pytest.raises(MissingInput, match="matcher"):
        tl.coverage(own, wanted).match_counts()


# --- evaluate


def test_evaluate_tells_models_topics_and_reference_topics_and_what_words_are_lost():
    wanted = tl.ReferenceTopics.from_words({"energy": ["oil", "gas"], "law": ["court", "law"]})
    own = tl.TopicModel(["gas", "law", "oil"], [[0.5, 0, 0.5], [0, 1, 0]])
    scores = tl.evaluate(own, reference_topics=wanted, matcher=None, measures="au_cdc(intervals='exact')")
    assert scores.value("au_cdc(intervals='exact')") == pytest.approx((1 + 0.5**0.5) / 2)
    np.testing.assert_allclose(scores.topics("au_cdc(intervals='exact')"), [1, 0.5**0.5])
    rows = scores.frame.filter(scores.frame["level"] == "reference_topic")
    assert rows["reference_topic"].to_list() == ["energy", "law"]
    beside = scores.details.companions["model"]["au_cdc(intervals='exact')"]
    assert beside["shared_weight"] == 0.75
    assert beside["lost_words"] == ["court"]
    assert "topics:" in scores.frame["signature"][0]


def test_a_matcher_counts_reference_topics_and_topics():
    scores = tl.evaluate(
        model(np.eye(3)[:2]),
        reference_topics=reference(np.eye(3)),
        matcher=Within(),
        measures=["sup_cov", "precision", "recall"],
        ci=None,
    )
    assert scores.value("sup_cov") == pytest.approx(2 / 3)
    assert scores.value("precision") == 1
    assert "matcher:01234567" in scores.frame["signature"][0]


def test_models_that_share_no_word_with_the_reference_topics_are_told():
    wanted = tl.ReferenceTopics.from_words({"law": ["court"]})
    with pytest.raises(MissingInput, match="no word of the reference topics"):
        tl.evaluate(model(np.eye(2)), reference_topics=wanted, measures="au_cdc")
    with pytest.raises(InputError, match="no word of the reference topics"):
        tl.coverage(model(np.eye(2)), wanted)


# --- edges


def test_identical_topics_are_covered_exactly():
    rows = RNG.dirichlet(np.full(500, 0.05), 40)
    for intervals in (50, 49, "exact", 7):
        assert au_cdc(topic_distances(rows, rows[::-1]), intervals=intervals).model.value == 1
    found = tl.coverage(model(rows[::-1] * 3), reference(rows))
    assert found.at(0.0) == 1
    assert found.threshold(1.0) == 0


def test_disjoint_and_empty_topics_are_at_1_and_cover_nothing():
    distances = topic_distances(np.array([[1.0, 0, 0], [0, 0, 0]]), np.array([[0, 1.0, 0], [0, 0, 0]]))
    assert (distances == 1).all()
    assert au_cdc(distances, intervals="exact").model.value == 0
    assert au_cdc(distances).model.value == pytest.approx(0.01)  # at threshold 1 everything is covered


def test_without_reference_topics_there_is_no_coverage_and_it_says_so():
    for found in (
        au_cdc(np.empty((0, 2))),
        sup_cov(np.empty((0, 2), bool)),
        precision(np.empty((0, 2), bool)),
    ):
        assert np.isnan(found.model.value)
        assert found.model.reason == "no reference topics"
    with pytest.raises(InputError, match="no reference topics"):
        tl.ReferenceTopics(["a"], np.empty((0, 1)))


def test_numbers_that_are_none_are_refused():
    with pytest.raises(InputError, match=r"nan|finite"):
        reference([[1.0, np.nan]])
    with pytest.raises(MissingInput, match="negative"):
        tl.evaluate(model([[1, -1]]), reference_topics=reference([[1, 1]]), measures="au_cdc")
    with pytest.raises(InputError, match="from 0 to 1"):
        threshold_of(np.array([[0.5]]), 1.5)


# --- properties


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 7, 49, 50]))
def test_more_topics_never_cover_less_and_the_grid_is_within_half_a_step(seed, intervals):
    rng = np.random.default_rng(seed)
    a, b = (rng.dirichlet(np.full(12, 0.3), k) for k in (6, 5))
    distances = topic_distances(a, b)
    values = [float(au_cdc(distances[:, : k + 1], intervals=intervals).model.value) for k in range(5)]
    assert (np.diff(values) >= -1e-12).all()
    exact = float(au_cdc(distances, intervals="exact").model.value)
    assert abs(values[-1] - exact) <= 0.5 / intervals + 1e-9
    assert area_of(distances.min(1), intervals).mean() == pytest.approx(values[-1])


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_words_that_only_one_side_has_make_topics_longer_and_nothing_else(seed):
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(12)])
    mine, theirs = rng.permutation(12)[:8], rng.permutation(12)[:7]
    own = tl.TopicModel(words[mine].tolist(), rng.dirichlet(np.full(8, 0.5), 3))
    wanted = tl.ReferenceTopics(words[theirs].tolist(), rng.dirichlet(np.full(7, 0.5), 4))
    wide = np.zeros((3, 12)), np.zeros((4, 12))
    wide[0][:, mine], wide[1][:, theirs] = own.topic_word, wanted.topic_word
    found = tl.coverage(own, wanted).distances["model"]
    np.testing.assert_allclose(found, topic_distances(wide[1], wide[0]), atol=1e-12)


# --- planted and real topics


def test_coverage_of_planted_topics_rises_with_k_and_small_topics_are_missed_by_small_models():
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(400, 0.03), 12)
    sizes = np.array([160, 130, 100, 80, 60, 50, 40, 30, 24, 20, 16, 12])
    documents = [rng.choice(400, 40, p=topics[k]) for k in np.repeat(np.arange(12), sizes)]
    corpus = tl.Corpus.from_tokens([[f"w{w:03}" for w in d] for d in documents])
    wanted = tl.ReferenceTopics([f"w{i:03}" for i in range(400)], topics, sizes=sizes)
    models = [tl.fit("nmf", corpus, k=k, seed=0) for k in (3, 6, 12)]
    found = tl.coverage({f"k{m.n_topics}": m for m in models}, wanted, resamples=50)
    rows = {
        (r["model"], r["category"]): r["value"] for r in found.table.to_dicts() if r["measure"] == "au_cdc"
    }
    whole = [rows[f"k{k}", "all"] for k in (3, 6, 12)]
    assert whole[0] < whole[1] - 0.1 < whole[2] - 0.2
    assert rows["k3", "Q1"] < 0.5 < 0.8 < rows["k3", "Q4"]
    assert rows["k12", "Q1"] > 0.8
    # stability parts ways: few topics return as surely as many, though they cover less
    again = {k: [tl.fit("nmf", corpus, k=k, seed=s) for s in range(2)] for k in (3, 12)}
    stable = {k: tl.stability(runs, ci=None).value("instance_stabil") for k, runs in again.items()}
    assert stable[3] > 0.95


def test_reference_topics_of_the_released_biological_matrices_cover_themselves(data):
    folder = data / "coverage"
    words = [
        line.split("\t")[1] for line in (folder / "bio_vocabulary.tsv").read_text("utf-8").splitlines()[1:]
    ]
    weights = sparse.load_npz(folder / "bio_reference_topic_words.npz")
    documents = sparse.load_npz(folder / "bio_reference_topic_docs.npz")
    wanted = tl.ReferenceTopics(words, weights, topic_document=documents, name="phenotypes")
    assert len(wanted) == 112
    assert wanted.top_words(4)[0] == ["secondari", "metabolit", "mycelium", "antibiot"]
    own = tl.TopicModel(words, weights.toarray()[::2])
    found = tl.coverage(own, wanted, resamples=50)
    nearest = found.distances["model"].min(axis=1)
    assert (nearest[::2] == 0).all()
    assert found.at(0.0) == pytest.approx(0.5, abs=0.02)


@pytest.mark.slow
def test_models_of_half_of_the_newsgroups_cover_these_better_than_the_other_half(data):
    import gzip

    with gzip.open(data / "20newsgroups" / "20newsgroups.jsonl.gz", "rt", encoding="utf-8") as lines:
        posts = [json.loads(line) for i, line in enumerate(lines) if i % 16 == 0]
    corpus = tl.Corpus.from_texts(
        [post["text"] for post in posts],
        tl.Preprocess(stop_words="english", min_length=3, min_df=5, max_df=0.2),
        labels=[post["label"] for post in posts],
    )
    half = {label: "ab"[label.startswith(("comp", "sci", "misc"))] for label in set(corpus.labels)}
    found = tl.ReferenceTopics.from_labels(corpus, "tf_idf")
    wanted = tl.ReferenceTopics(
        found.vocabulary, found.topic_word, found.labels, categories={"half": [half[x] for x in found.labels]}
    )
    assert len(wanted) == 20
    models = {
        one: tl.fit(
            "lda",
            corpus.select([d for d, x in enumerate(corpus.labels) if half[x] == one]),
            k=10,
            seed=0,
            iterations=100,
        )
        for one in "ab"
    }
    table = tl.coverage(models, wanted, resamples=100).table
    value = {(r["model"], r["category"]): r["value"] for r in table.to_dicts() if r["measure"] == "au_cdc"}
    assert value["a", "a"] > value["b", "a"] + 0.05
    assert value["b", "b"] > value["a", "b"] + 0.05
