import numpy as np
import pytest

from tealeaves.errors import InputError
from tealeaves.model import read_model

decomposition = pytest.importorskip("sklearn.decomposition")
cluster = pytest.importorskip("sklearn.cluster")
text = pytest.importorskip("sklearn.feature_extraction.text")
selection = pytest.importorskip("sklearn.feature_selection")
search = pytest.importorskip("sklearn.model_selection")
pipeline = pytest.importorskip("sklearn.pipeline")
preprocessing = pytest.importorskip("sklearn.preprocessing")

TEXTS = ["oil gas oil", "gas oil tin", "tax law court", "law tax judge"] * 3
COUNTER = text.CountVectorizer().fit(TEXTS)
COUNTS = COUNTER.transform(TEXTS)
WORDS = tuple(COUNTER.get_feature_names_out())
LDA = decomposition.LatentDirichletAllocation


@pytest.mark.parametrize("method", ["batch", "online"])
def test_priors_of_lda_are_those_it_was_fitted_with(method):
    fitted = LDA(2, learning_method=method, doc_topic_prior=0.3, topic_word_prior=0.05, random_state=0)
    model = read_model(fitted.fit(COUNTS), vocabulary=COUNTER)
    assert model.alpha.tolist() == [0.3, 0.3]
    assert model.eta == 0.05
    np.testing.assert_allclose(model.probabilities().sum(axis=1), 1)
    default = read_model(LDA(2, learning_method=method).fit(COUNTS), vocabulary=COUNTER)
    assert (default.alpha.tolist(), default.eta) == ([0.5, 0.5], 0.5)


@pytest.mark.parametrize("vocabulary", [COUNTER, list(WORDS), np.array(WORDS), COUNTER.vocabulary_])
def test_words_come_from_a_vectorizer_a_list_or_a_dict(vocabulary):
    assert read_model(LDA(2).fit(COUNTS), vocabulary=vocabulary).vocabulary == WORDS


def test_words_go_through_every_step_of_a_pipeline():
    steps = (text.CountVectorizer(), selection.VarianceThreshold(0.2), decomposition.NMF(2, random_state=0))
    fitted = pipeline.make_pipeline(*steps).fit(TEXTS)
    model = read_model(fitted)
    assert set(model.vocabulary) < set(WORDS)
    assert model.topic_word.shape == (2, len(model.vocabulary))
    assert model.vocabulary == tuple(fitted[:-1].get_feature_names_out())


def test_the_model_need_not_be_the_last_step():
    steps = (
        text.TfidfVectorizer(),
        decomposition.TruncatedSVD(2, random_state=0),
        preprocessing.Normalizer(),
    )
    fitted = pipeline.make_pipeline(*steps).fit(TEXTS)
    model = read_model(fitted)
    assert model.source == "scikit-learn's TruncatedSVD"
    np.testing.assert_array_equal(model.topic_word, fitted[1].components_)
    assert "signed weights: top words are those of the largest positive weight" in model.notes
    with pytest.raises(InputError, match="negative weights"):
        model.probabilities()


def test_a_search_stands_for_its_best_model():
    found = search.GridSearchCV(LDA(random_state=0), {"n_components": [2]}, cv=2).fit(COUNTS)
    model = read_model(found, vocabulary=COUNTER)
    np.testing.assert_array_equal(model.topic_word, found.best_estimator_.components_)


def test_a_class_derived_from_scikit_learn_s_is_read_as_its_own():
    class MyNmf(decomposition.NMF):
        pass

    assert read_model(MyNmf(2).fit(COUNTS), vocabulary=COUNTER).source == "scikit-learn's NMF"


HASHED = text.HashingVectorizer(n_features=16, alternate_sign=False)


@pytest.mark.parametrize(
    ("thing", "vocabulary", "said"),
    [
        (LDA(2), COUNTER, "this LatentDirichletAllocation is not fitted"),
        (pipeline.make_pipeline(text.CountVectorizer(), LDA(2)), None, "is not fitted: call fit"),
        (LDA(2).fit(COUNTS), None, "does not know its words: hand over vocabulary="),
        (LDA(2).fit(COUNTS), text.CountVectorizer(), "this CountVectorizer cannot tell its words: .* fitted"),
        (LDA(2).fit(COUNTS), HASHED, "a HashingVectorizer keeps no words"),
        (pipeline.make_pipeline(HASHED, LDA(2)).fit(TEXTS), None, "a HashingVectorizer keeps no words"),
        (LDA(2).fit(COUNTS), 7, "vocabulary must be words in the order of columns, .*, not int"),
        (LDA(2).fit(COUNTS), WORDS[1:], "topic_word has 7 columns, but the vocabulary has 6 words"),
        (decomposition.FactorAnalysis(2).fit(COUNTS.toarray()), COUNTER, "FactorAnalysis is no topic model"),
        (cluster.KMeans(2), COUNTER, "scikit-learn's KMeans is no topic model; read are Latent"),
        (COUNTER, None, "scikit-learn's CountVectorizer is no topic model"),
        (pipeline.make_pipeline(text.CountVectorizer()).fit(TEXTS), None, "this holds CountVectorizer"),
    ],
)
def test_what_cannot_be_read_is_told_why(thing, vocabulary, said):
    with pytest.raises(InputError, match=said):
        read_model(thing, vocabulary=vocabulary)
