"""Libraries that need torch are stood in for: classes in modules of their names, with their attributes.

Names and shapes are those of Top2Vec 1.0.36, Turftopic 0.27, contextualized-topic-models 2.6, TopMost 1.0.2,
FASTopic 1.0.1 and OCTIS 1.14, read in their sources.
"""

import pickle
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import read_model

WORDS = ["gas", "law", "oil", "tax"]
WEIGHTS = np.array([[0.6, 0.0, 0.4, 0.0], [0.1, 0.5, 0.0, 0.4]])
SHARES = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])


def made(module, kind, methods=None, **attributes):
    """An object of a class of this name, in a module of this name."""
    results = {name: (lambda self, result=result: result) for name, result in (methods or {}).items()}
    thing = type(kind, (), {"__module__": module, **results})()
    vars(thing).update(attributes)
    return thing


class Tensor:
    """As torch's: on a device, with a gradient, and no array before both are put off."""

    def __init__(self, array, steps=()):
        self.array, self.steps = array, steps

    def detach(self):
        return Tensor(self.array, (*self.steps, "detach"))

    def cpu(self):
        return Tensor(self.array, (*self.steps, "cpu"))

    def numpy(self):
        if not {"detach", "cpu"} <= set(self.steps):
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.array


def top2vec(**other):
    parts = {
        "topic_words": np.array([["oil", "gas", "tax"], ["tax", "law", "oil"]]),
        "topic_word_scores": np.array([[0.9, 0.8, 0.1], [0.7, 0.6, 0.2]]),
        "topic_vectors": np.ones((2, 8), dtype=np.float32),
        "doc_top": np.array([0, 1, 1]),
        "doc_dist": np.array([0.5, 0.4, 0.6]),
        "topic_words_reduced": None,
    }
    return made("top2vec.top2vec", "Top2Vec", **(parts | other))


def test_topics_of_top2vec_are_its_nearest_words_and_documents_are_in_one_each():
    model = read_model(top2vec())
    assert model.top_words(2) == [["oil", "gas"], ["tax", "law"]]
    assert model.doc_topic.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert (model.topic_word, model.source) == (None, "Top2Vec")
    assert any("there are no probabilities" in note for note in model.notes)


def test_a_contextual_top2vec_has_its_distribution_and_reduced_topics_are_told_of():
    reduced = np.array([["oil", "gas", "tax"]])
    model = read_model(top2vec(doc_topic_distribution=SHARES, topic_words_reduced=reduced))
    np.testing.assert_array_equal(model.doc_topic, SHARES)
    assert any("hierarchical_topic_reduction" in note for note in model.notes)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"topic_words": None}, r"Top2Vec should have topic_words .* is it fitted\?"),
        ({"topic_vectors": np.ones((3, 8))}, "do not fit: 2 lists of words, 2 of scores and 3 vectors"),
        (
            {"topic_vectors": np.ones(3)},
            r"topic_vectors of Top2Vec must have shape any × any, but has \(3,\)",
        ),
        ({"topic_word_scores": np.ones((2, 2))}, "do not fit"),
        ({"doc_top": [0, 2, 1]}, "puts documents into topic 2, which it has not"),
        ({"doc_top": [0, 0.5, np.nan]}, r"puts documents into topic 0\.5, nan"),
        ({"topic_words": "oil"}, "must be a list for each topic"),
    ],
)
def test_a_top2vec_whose_parts_do_not_fit_is_told_what_was_expected(other, said):
    with pytest.raises(InputError, match=said):
        read_model(top2vec(**other))


def turftopic(kind="KeyNMF", module="turftopic.models.keynmf", vocab=WORDS, **attributes):
    sklearn = type("BaseEstimator", (), {"__module__": "sklearn.base"})
    methods = {"__module__": module, "get_vocab": lambda self: np.array(vocab)}
    thing = type(kind, (sklearn,), methods)()
    vars(thing).update({"components_": WEIGHTS} | attributes)
    return thing


def test_a_model_of_turftopic_is_not_taken_for_one_of_scikit_learn():
    model = read_model(turftopic(document_topic_matrix=SHARES))
    np.testing.assert_array_equal(model.topic_word, WEIGHTS)
    np.testing.assert_array_equal(model.doc_topic, SHARES)
    assert (model.vocabulary, model.topic_names) == (tuple(WORDS), None)
    assert model.source == "Turftopic's KeyNMF"
    assert "topic_word holds Turftopic's word importance, which is no probability" in model.notes


def test_names_given_in_turftopic_are_kept_and_topic_minus_one_is_left_out():
    clustering = turftopic(
        "ClusteringTopicModel",
        classes_=np.array([-1, 0]),
        topic_names_=["Outliers", "State"],
        document_topic_matrix=csr_matrix(SHARES),
    )
    model = read_model(clustering)
    assert (model.topic_names, model.top_words(1)) == (("State",), [["law"]])
    assert model.doc_topic.tolist() == [[0.1], [0.8], [0.5]]
    assert 'topic -1 (documents that fit no topic) was left out; outliers="keep" keeps it' in model.notes
    assert read_model(clustering, outliers="keep").topic_names == ("Outliers", "State")
    assert read_model(turftopic(classes_=np.array([3, 1]))).topic_names == ("3", "1")


def test_signed_axes_of_turftopic_have_only_a_positive_side():
    model = read_model(turftopic("SemanticSignalSeparation", components_=WEIGHTS - 0.2))
    assert model.top_words(4)[0] == ["gas", "oil"]
    assert any("the negative side is left out" in note for note in model.notes)


def test_weights_of_a_decoder_become_probabilities_by_softmax():
    logs = np.log(np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.1, 0.1, 0.7]])) + 3
    model = read_model(turftopic("AutoEncodingTopicModel", components_=logs.astype(np.float32)))
    np.testing.assert_allclose(model.topic_word[0], [0.5, 0.2, 0.2, 0.1], rtol=1e-5)
    assert model.normalized


def test_a_turftopic_model_over_time_becomes_a_dynamic_model():
    assert isinstance(
        read_model(turftopic(temporal_components_=np.array([WEIGHTS, WEIGHTS]))), DynamicTopicModel
    )


class Unfitted:
    __module__ = "turftopic.models.cluster"

    @property
    def components_(self):
        raise AttributeError("Model has not been fitted yet, and doesn't have components_")


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (Unfitted(), r"Turftopic's Unfitted should have components_ \(topics × words\), but has none"),
        (turftopic(components_=WEIGHTS[:, :3]), r"must have shape any × 4, but has \(2, 3\)"),
        (turftopic(document_topic_matrix=SHARES.T), r"must have shape any × 2, but has \(2, 3\)"),
        (turftopic(classes_=[0]), "classes_ of Turftopic's KeyNMF must name 2 topics, but names 1"),
    ],
)
def test_a_turftopic_model_whose_parts_do_not_fit_is_told_what_was_expected(thing, said):
    with pytest.raises(InputError, match=said):
        read_model(thing)


class Stubborn:
    def detach(self):
        raise RuntimeError("on another device")


def ctm(kind="CombinedTM", matrix=None, **attributes):
    parts = {
        "best_components": Tensor(np.log(np.array([[4.0, 1, 4, 1], [1, 5, 1, 3]])).astype(np.float32)),
        "idx2token": dict(enumerate(WORDS)),
        "model_type": "prodLDA",
        "training_doc_topic_distributions": SHARES,
    }
    methods = {} if matrix is None else {"get_topic_word_matrix": matrix}
    return made("contextualized_topic_models.models.ctm", kind, methods, **(parts | attributes))


@pytest.mark.parametrize("kind", ["CombinedTM", "ZeroShotTM"])
def test_weights_of_a_contextualized_model_become_probabilities_by_softmax(kind):
    model = read_model(ctm(kind))
    np.testing.assert_allclose(
        model.topic_word, np.array([[0.4, 0.1, 0.4, 0.1], [0.1, 0.5, 0.1, 0.3]]), rtol=1e-6
    )
    np.testing.assert_array_equal(model.doc_topic, SHARES)
    assert model.normalized
    assert any("softmax" in note for note in model.notes)


def test_probabilities_of_its_lda_are_taken_as_they_are():
    model = read_model(ctm(model_type="LDA", matrix=WEIGHTS.astype(np.float32)))
    np.testing.assert_allclose(model.topic_word, WEIGHTS, rtol=1e-6)


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (ctm(best_components=None), "models' CombinedTM should have best_components .* is it fitted"),
        (ctm(idx2token={0: "gas"}), r"best_components of .* must have shape any × 1, but has \(2, 4\)"),
        (ctm(idx2token={0: "gas", 2: "oil"}), "2 words, but none with the id 1"),
        (ctm(idx2token={"gas": "oil"}), "ids whole numbers"),
        (ctm(training_doc_topic_distributions=SHARES[:, :1]), r"must have shape any × 2, but has \(3, 1\)"),
        (ctm(model_type="LDA"), r"should have get_topic_word_matrix"),
        (ctm(best_components=Stubborn()), "best_components of .* cannot be made an array: on another device"),
    ],
)
def test_a_contextualized_model_whose_parts_do_not_fit_is_told_what_was_expected(thing, said):
    with pytest.raises(InputError, match=said):
        read_model(thing)


DATASET = made("topmost.data", "BasicDataset", vocab=WORDS)


def trainer(beta, kind="BasicTrainer", method="get_beta", **attributes):
    return made("topmost.trainers.basic", kind, {method: beta}, **({"dataset": DATASET} | attributes))


@pytest.mark.parametrize("method", ["get_beta", "export_beta"])
def test_a_trainer_of_topmost_is_its_beta_over_the_words_of_its_data(method):
    model = read_model(trainer(WEIGHTS, method=method))
    np.testing.assert_array_equal(model.topic_word, WEIGHTS)
    assert model.source == "TopMost's BasicTrainer"


def test_a_trainer_over_time_becomes_a_dynamic_model():
    model = read_model(trainer(np.array([WEIGHTS, WEIGHTS[::-1], WEIGHTS]), "DynamicTrainer"))
    assert isinstance(model, DynamicTopicModel)
    assert (model.n_slices, model.top_words(1)[1]) == (3, [["law"], ["gas"]])


def test_a_trainer_of_another_library_s_model_has_that_model_s_words():
    inner = made("fastopic.FASTopic", "FASTopic", vocab=["a", "b"], beta=np.eye(2), train_theta=None)
    model = read_model(trainer(WEIGHTS, "FASTopicTrainer", model=inner))
    assert (model.vocabulary, model.source) == (("a", "b"), "FASTopic")


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (trainer([WEIGHTS, WEIGHTS], "HierarchicalTrainer"), "has matrices of topics × words for each level"),
        (trainer(np.array([WEIGHTS, 3], dtype=object)), "has matrices of topics × words for each level"),
        (trainer(WEIGHTS[:, :2]), r"get_beta\(\) of TopMost's BasicTrainer must have shape any × 4"),
        (trainer(WEIGHTS, dataset=None), "should have dataset"),
        (made("topmost.trainers", "Trainer"), r"should have export_beta \(topics × words\)"),
    ],
)
def test_a_trainer_whose_parts_do_not_fit_is_told_what_was_expected(thing, said):
    with pytest.raises(InputError, match=said):
        read_model(thing)


def test_what_a_trainer_returns_is_strings_of_words():
    top_words = ["oil gas", "tax law"]
    assert read_model([words.split() for words in top_words]).top_words(2) == [["oil", "gas"], ["tax", "law"]]
    with pytest.raises(InputError, match=r"did you mean \[t\.split\(\) for t in topics\]"):
        read_model(top_words)


def test_a_fastopic_has_beta_vocab_and_theta():
    fitted = made("fastopic", "FASTopic", vocab=WORDS, beta=WEIGHTS.astype(np.float32), train_theta=SHARES)
    model = read_model(fitted)
    np.testing.assert_allclose(model.topic_word, WEIGHTS, rtol=1e-6)
    np.testing.assert_array_equal(model.doc_topic, SHARES)
    with pytest.raises(InputError, match=r"FASTopic should have beta \(topics × words\)"):
        read_model(made("fastopic", "FASTopic", vocab=WORDS, beta=None))


OUTPUT = {
    "topics": [["gas", "oil"], ["law", "tax"]],
    "topic-word-matrix": WEIGHTS,
    "topic-document-matrix": SHARES.T,
}


def test_the_dict_that_octis_returns_has_documents_the_other_way_round():
    lists = read_model(OUTPUT)
    assert lists.top_words(2) == OUTPUT["topics"]
    np.testing.assert_array_equal(lists.doc_topic, SHARES)
    assert any("hand over vocabulary=" in note for note in lists.notes)
    model = read_model(OUTPUT, vocabulary=WORDS)
    np.testing.assert_array_equal(model.topic_word, WEIGHTS)
    np.testing.assert_array_equal(model.doc_topic, SHARES)


def test_words_in_another_order_than_octis_s_lists_bear_out_are_refused():
    with pytest.raises(InputError, match="the vocabulary is not in the order of the columns"):
        read_model(OUTPUT, vocabulary=["law", "oil", "tax", "gas"])


def test_rows_of_float32_that_miss_one_are_normalised_and_told_of():
    rough = WEIGHTS.astype(np.float32) * np.float32(1.0002)
    model = read_model(made("fastopic", "FASTopic", vocab=WORDS, beta=rough, train_theta=None))
    assert any("sum to 1 only roughly in topics 0, 1" in note for note in model.notes)
    np.testing.assert_allclose(model.probabilities().sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("thing", [top2vec(), turftopic(), ctm(), trainer(WEIGHTS)])
def test_no_library_is_imported_for_its_object_and_its_words_are_its_own(thing):
    before = set(sys.modules)
    read_model(thing)
    libraries = {"top2vec", "turftopic", "contextualized_topic_models", "topmost", "torch", "fastopic"}
    assert not libraries & (set(sys.modules) - before)
    with pytest.raises(InputError, match="has its own words: no vocabulary="):
        read_model(thing, vocabulary=WORDS)


def test_a_pickle_of_a_library_that_is_not_here_is_told_which(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(b"\x80\x04" + b"ctop2vec.top2vec\nTop2Vec\n" + b".")
    assert "top2vec" not in sys.modules
    with pytest.raises(FormatError, match="can be opened only with top2vec, which is not installed"):
        read_model(path, trust=True)
    path.write_bytes(pickle.dumps([["oil", "gas"]]))
    assert read_model(path, trust=True).top_words(2) == [["oil", "gas"]]
