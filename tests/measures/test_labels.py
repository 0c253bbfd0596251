"""Topics against labels: scikit-learn's numbers, edges, and what evaluate makes of a corpus' labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, f1_score, normalized_mutual_info_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import tealeaves as tl
from tealeaves.measures.labels import ari, label_f1, nmi, purity

ALL = (purity, nmi, ari, label_f1)


@st.composite
def labelled(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d, k, c = draw(st.integers(4, 60)), draw(st.integers(1, 6)), draw(st.integers(2, 5))
    labels = np.concatenate([[0, 1], rng.integers(0, c, d - 2)])
    return rng.dirichlet(np.full(k, 0.4), d), labels


# --- values from outside


@given(labelled())
def test_ari_and_nmi_are_scikit_learn_s(world):
    theta, labels = world
    topics = theta.argmax(axis=1)
    assert ari(theta, labels).model.value == pytest.approx(adjusted_rand_score(labels, topics), abs=1e-12)
    expected = normalized_mutual_info_score(labels, topics)
    assert nmi(theta, labels).model.value == pytest.approx(expected, abs=1e-9)


def test_f1_is_scikit_learn_s_of_predictions_across_the_same_folds():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 4, 200)
    theta = rng.dirichlet(np.ones(6), 200) + np.eye(6)[labels] * 0.3
    theta /= theta.sum(axis=1, keepdims=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=7)
    predicted = cross_val_predict(LogisticRegression(max_iter=1000), theta, labels, cv=folds)
    result = label_f1(theta, labels, seed=7)
    assert result.model.value == pytest.approx(f1_score(labels, predicted, average="macro"), abs=1e-12)
    assert result.model.n_terms == 200


def test_purity_of_the_17_points_of_the_introduction_to_information_retrieval():
    # Manning, Raghavan and Schütze (2008), figure 16.4: (5 + 4 + 3) / 17, NMI 0.36, Rand 0.68
    table = np.array([[5, 1, 0], [1, 4, 1], [2, 0, 3]])
    topics, labels = (np.repeat(axis.ravel(), table.ravel()) for axis in np.indices(table.shape))
    theta = np.eye(3)[topics]
    assert purity(theta, labels).model.value == pytest.approx(0.71, abs=5e-3)
    assert nmi(theta, labels).model.value == pytest.approx(0.36, abs=5e-3)
    assert ari(theta, labels).model.value == pytest.approx(adjusted_rand_score(labels, topics))


# --- edges


@pytest.mark.parametrize("measure", ALL)
def test_topics_that_are_the_classes_score_1(measure):
    labels = np.repeat([0, 1, 2], 10)
    assert measure(np.eye(3)[labels], labels).model.value == pytest.approx(1.0)


@pytest.mark.parametrize("measure", ALL)
def test_documents_without_one_label_or_without_any_topic_are_left_out(measure):
    labels = np.repeat([0, 1, 2], 10)
    theta = np.random.default_rng(0).dirichlet(np.ones(3), 30) + np.eye(3)[labels]
    whole = measure(theta, labels).model
    more = np.vstack([theta, np.eye(3), [[0, 0, 0]]])
    result = measure(more, np.append(labels, [-1, -2, -1, 2])).model
    assert result.value == pytest.approx(whole.value)
    assert result.n_terms == whole.n_terms == 30


@pytest.mark.parametrize("measure", ALL)
def test_fewer_than_two_classes_are_undefined_and_the_reason_counts_those_of_several_labels(measure):
    theta = np.full((12, 2), 0.5)
    assert np.isnan(measure(theta, np.zeros(12, int)).model.value)
    assert str(measure(theta, np.zeros(12, int)).model.reason).startswith("fewer than two classes")
    none = measure(theta, np.array([-1] * 9 + [-2] * 3)).model
    assert str(none.reason) == "no document has exactly one label (3 documents have several labels)"
    assert none.n_terms == 0


def test_a_class_smaller_than_the_folds_is_left_out_of_f1_with_its_documents():
    labels = np.array([0] * 10 + [1] * 10 + [2] * 4)
    theta = np.eye(3)[labels]
    assert label_f1(theta, labels).model.n_terms == 20
    assert label_f1(theta, labels, folds=4).model.n_terms == 24
    too_small = label_f1(theta[17:], labels[17:]).model
    assert str(too_small.reason) == "fewer than two classes of 5 documents or more"


# --- properties


@given(labelled(), st.randoms())
def test_names_of_topics_and_classes_do_not_matter(world, random):
    theta, labels = world
    topics, classes = list(range(theta.shape[1])), list(range(labels.max() + 1))
    random.shuffle(topics)
    random.shuffle(classes)
    for measure in (purity, nmi, ari):
        moved = measure(theta[:, topics], np.array(classes)[labels]).model.value
        assert moved == pytest.approx(measure(theta, labels).model.value, abs=1e-12)


@given(labelled())
def test_the_sums_of_blocks_give_the_score(world):
    theta, labels = world
    for measure in (purity, nmi, ari):
        result = measure(theta, labels)
        blocks = result.sums.by_block(np.arange(len(labels)) % 3, 3)
        assert result.sums.value(blocks.sum(axis=0)) == pytest.approx(result.model.value, abs=1e-12)


# --- through evaluate


@pytest.fixture(scope="module")
def news() -> tuple[tl.Corpus, tl.TopicModel]:
    tokens = [["oil", "gas"]] * 8 + [["tax", "law"]] * 8 + [["oil", "tax"], ["gas"]]
    labels = ["energy"] * 8 + ["law"] * 8 + [("energy", "law"), ""]
    corpus = tl.Corpus.from_tokens(tokens, labels=labels)
    theta = np.array([[0.9, 0.1]] * 8 + [[0.2, 0.8]] * 8 + [[0.5, 0.5], [0.5, 0.5]])
    return corpus, tl.TopicModel(corpus.vocabulary, np.ones((2, 4)) / 4, doc_topic=theta, name="model")


def test_evaluate_scores_the_documents_with_exactly_one_label(news):
    corpus, model = news
    scores = tl.evaluate(model, corpus, measures="labels", ci=None)
    for name in ("label_f1", "purity", "nmi", "ari"):
        assert scores.value(name) == pytest.approx(1.0)
        assert scores.frame.filter(scores.frame["measure"] == name)["n_terms"].to_list() == [16]


def test_intervals_are_over_documents_drawn_again():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 200)
    theta = np.eye(3)[np.where(rng.random(200) < 0.7, labels, rng.integers(0, 3, 200))] + 0.01
    corpus = tl.Corpus.from_tokens([["oil", "gas"]] * 200, labels=[f"class {one}" for one in labels])
    model = tl.TopicModel(corpus.vocabulary, np.ones((3, 2)) / 2, doc_topic=theta)
    scores = tl.evaluate(model, corpus, measures=["purity"])
    value, low, high = scores.frame.select("value", "low", "high").row(0)
    error = np.sqrt(value * (1 - value) / 200)  # of a share
    assert low < value < high
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.2)


def test_a_corpus_without_labels_is_told(news):
    corpus, model = news
    plain = tl.Corpus.from_tokens([["oil", "gas"]] * 18, vocabulary=corpus.vocabulary)
    with pytest.raises(tl.errors.MissingInput, match=r"purity compares .* has none: read it with label="):
        tl.evaluate(model, plain, measures="purity")


def test_a_corpus_of_other_documents_is_told(news):
    corpus, model = news
    with pytest.raises(tl.errors.MissingInput, match="it has 18, but the corpus has 5"):
        tl.evaluate(model, corpus.select(range(5)), measures="purity")
