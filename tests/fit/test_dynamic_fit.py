import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import tealeaves as tl
from tealeaves import synthetic
from tealeaves.errors import InputError

pytest.importorskip("topica")


def planted(drift=0.8, seed=1):
    return synthetic.drifting(k=3, documents=200, length=60, vocabulary=100, slices=5, drift=drift, seed=seed)


@pytest.fixture(scope="module")
def fitted():
    corpus, truth = planted()
    return corpus, truth, tl.fit("dlda", corpus, k=3, seed=1)


def matched(model, truth):
    """For each planted topic the one found that is most like it in all slices, and their mean cosine."""
    a, b = (
        m.topic_word / np.maximum(np.linalg.norm(m.topic_word, axis=2, keepdims=True), 1e-12)
        for m in (truth, model)
    )
    both = model.present.all(axis=1)
    cosine = np.einsum("tiv,tjv->ij", a[both], b[both]) / both.sum()
    rows, columns = linear_sum_assignment(-cosine)
    return columns, cosine[rows, columns]


def test_dlda_finds_planted_topics_that_drift_better_than_one_that_stands_still(fitted):
    corpus, truth, model = fitted
    _, cosine = matched(model, truth)
    assert cosine.min() > 0.97
    static = tl.fit("lda", corpus, k=3, seed=1, iterations=200)
    repeated = tl.DynamicTopicModel.from_slices([static] * 5)
    assert matched(repeated, truth)[1].max() < 0.95


def test_dlda_moves_words_as_the_planted_topics_move(fitted):
    _, truth, model = fitted
    columns, _ = matched(model, truth)
    true_change = truth.topic_word[-1] - truth.topic_word[0]
    change = (model.topic_word[-1] - model.topic_word[0])[columns]
    for k in range(3):
        assert np.corrcoef(true_change[k], change[k])[0, 1] > 0.9


def test_dlda_moves_little_where_nothing_moves():
    corpus, truth = planted(drift=0)
    model = tl.fit("dlda", corpus, k=3, seed=1)
    assert matched(model, truth)[1].min() > 0.99
    assert np.abs(model.topic_word[-1] - model.topic_word[0]).sum(axis=1).max() / 2 < 0.15


def test_a_larger_variance_lets_topics_move_further(fitted):
    corpus, _, model = fitted
    stiff = tl.fit("dlda", corpus, k=3, seed=1, chain_variance=0.005)
    moved = [np.abs(m.topic_word[-1] - m.topic_word[0]).sum() for m in (stiff, model)]
    assert moved[0] < 0.6 * moved[1]


def test_topics_of_documents_are_those_that_were_planted(fitted):
    corpus, truth, model = fitted
    columns, _ = matched(model, truth)
    assert model.doc_topic.shape == (200, 3)
    np.testing.assert_allclose(model.doc_topic.sum(axis=1), 1)
    assert np.abs(model.doc_topic[:, columns] - truth.doc_topic).mean() < 0.05
    assert model.corpus is corpus
    assert model.slice_labels == corpus.slice_labels
    np.testing.assert_array_equal(model.slice_of, corpus.slice_of)
    assert model.name == "dlda-3"


def test_the_order_of_documents_does_not_matter_to_which_slice_they_are_in(fitted):
    corpus, truth, _ = fitted
    order = np.random.default_rng(0).permutation(len(corpus))
    model = tl.fit("dlda", corpus.select(order), k=3, seed=1)
    columns, cosine = matched(model, truth)
    assert cosine.min() > 0.97
    assert np.abs(model.doc_topic[:, columns] - truth.doc_topic[order]).mean() < 0.05


@pytest.mark.parametrize(
    ("family", "options"), [("dlda", {"iterations": 3}), ("detm", {"iterations": 2, "restarts": 2})]
)
def test_the_same_seed_gives_the_same_model_to_the_last_bit_and_another_another(family, options):
    corpus, _ = planted()
    a, b, c = (tl.fit(family, corpus, k=3, seed=seed, **options) for seed in (7, 7, 8))
    np.testing.assert_array_equal(a.topic_word, b.topic_word)
    np.testing.assert_array_equal(a.doc_topic, b.doc_topic)
    assert not np.array_equal(a.topic_word, c.topic_word)


@pytest.mark.parametrize(("family", "options"), [("dlda", {}), ("detm", {"iterations": 1, "restarts": 1})])
def test_a_slice_without_documents_is_a_gap_and_a_document_without_words_keeps_its_row(family, options):
    corpus, _ = planted()
    kept = np.flatnonzero(corpus.slice_of != 2)
    texts = [[corpus.vocabulary[i] for i in corpus.document(d)] for d in kept]
    texts[5] = ["unknown"]
    slices = [corpus.slice_labels[t] for t in corpus.slice_of[kept]]
    empty = tl.Corpus.from_tokens([*texts, ["unknown"]], slices=[*slices, "2"], vocabulary=corpus.vocabulary)
    model = tl.fit(family, empty, k=3, seed=1, **options)
    assert model.slice_labels == ("0", "1", "2", "3", "4")
    assert model.present.tolist() == [[t != 2] * 3 for t in range(5)]
    assert model.doc_topic.shape == (len(texts) + 1, 3)
    np.testing.assert_allclose(model.doc_topic[[5, -1]], 1 / 3)


def test_detm_with_vectors_of_the_truth_finds_the_planted_topics():
    # each word's vector says how much it is of each topic: what embeddings would know at best
    corpus, truth = planted(drift=0.5)
    of_words = np.log(truth.topic_word[[0, -1]].reshape(6, -1).T + 1e-4)
    vectors = (corpus.vocabulary, of_words)
    model = tl.fit("detm", corpus, k=3, seed=1, vectors=vectors, iterations=60, restarts=3)
    assert matched(model, truth)[1].mean() > 0.8
    np.testing.assert_allclose(model.topic_word.sum(axis=2), 1)
    assert "vectors given" in model.source


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("dlda", {"chain_variance": 0}, "chain_variance must be a number above 0; got 0"),
        ("dlda", {"iterations": 0}, "iterations must be 1 or more; got 0"),
        ("dlda", {"k": 1}, "at least 2 topics here; got k=1"),
        ("dlda", {"chain": 1}, "dlda has no option 'chain'; did you mean 'chain_variance'"),
        ("detm", {"delta": -1.0}, "delta must be a number above 0; got -1.0"),
        ("detm", {"restarts": 0}, "restarts must be 1 or more; got 0"),
        ("detm", {"batch": 0}, "batch must be 1 or more; got 0"),
        ("detm", {"vectors": {"nothing": [1.0]}}, "fewer than 2 words of the corpus have a vector"),
        ("detm", {"vectors": "glove"}, "vectors must be a mapping"),
    ],
)
def test_a_wrong_setting_is_told(family, options, message):
    corpus, _ = planted()
    with pytest.raises(InputError, match=message):
        tl.fit(family, corpus, **({"k": 2} | options))


@pytest.mark.parametrize("family", ["dlda", "detm"])
def test_a_corpus_without_slices_or_words_is_refused(family):
    with pytest.raises(
        InputError, match=r"needs the slice of each document: read_corpus\(path, time=field\)"
    ):
        tl.fit(family, tl.Corpus.from_tokens([["oil", "gas"], ["tax", "law"]]), k=2)
    with pytest.raises(InputError, match="no token that is in its vocabulary"):
        tl.fit(family, tl.Corpus.from_tokens([["oil"]], vocabulary=["gas"], slices=[1]), k=2)
    with pytest.raises(InputError, match="fitted to a Corpus, not to list"):
        tl.fit(family, [["oil"]], k=2)
