import gzip
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import read_model

models = pytest.importorskip("gensim.models")
corpora = pytest.importorskip("gensim.corpora")

DOCS = [["oil", "gas", "oil"], ["gas", "oil", "tin"], ["tax", "law", "court"], ["law", "judge"]] * 6
DICTIONARY = corpora.Dictionary(DOCS)
BAGS = [DICTIONARY.doc2bow(doc) for doc in DOCS]
COMMON = {"corpus": BAGS, "id2word": DICTIONARY, "num_topics": 2}
AUTHORS = {"a": list(range(12)), "b": list(range(12, 24))}


def ensemble():
    return models.EnsembleLda(**COMMON, num_models=4, topic_model_class=models.LdaModel, random_state=1)


KINDS = {
    "LdaModel": lambda: models.LdaModel(**COMMON, alpha="asymmetric", random_state=1),
    "LdaMulticore": lambda: models.LdaMulticore(**COMMON, workers=1, random_state=1),
    "AuthorTopicModel": lambda: models.AuthorTopicModel(**COMMON, author2doc=AUTHORS, random_state=1),
    "EnsembleLda": ensemble,
    "HdpModel": lambda: models.HdpModel(BAGS, DICTIONARY, random_state=1, T=20),
    "Nmf": lambda: models.Nmf(**COMMON, random_state=1),
    "LsiModel": lambda: models.LsiModel(**COMMON, random_seed=1),
}


@pytest.fixture(scope="module", params=KINDS)
def fitted(request):
    return KINDS[request.param]()


def test_words_and_weights_are_gensim_s_own(fitted):
    model = read_model(fitted)
    if type(fitted).__name__ in ("LdaModel", "LdaMulticore"):  # pseudo-counts, from which bounds are made
        np.testing.assert_allclose(model.topic_word, fitted.state.get_lambda(), rtol=1e-6)
        np.testing.assert_allclose(model.probabilities(), fitted.get_topics(), rtol=1e-5)
    else:
        np.testing.assert_allclose(model.topic_word, fitted.get_topics(), rtol=1e-6)
    assert model.vocabulary == tuple(DICTIONARY[i] for i in range(len(DICTIONARY)))
    assert model.source == f"gensim's {type(fitted).__name__}"


def test_the_best_word_of_a_topic_is_the_one_gensim_shows_first(fitted):
    model = read_model(fitted)
    if (model.topic_word < 0).any():  # gensim ranks signed weights without their signs
        assert type(fitted).__name__ == "LsiModel"
        return
    for k, words in enumerate(model.top_words(3)):
        if type(fitted).__name__ == "HdpModel":
            first = fitted.show_topic(k, topn=1)[0][0]
        elif type(fitted).__name__ == "EnsembleLda":
            first = DICTIONARY[int(fitted.get_topics()[k].argmax())]
        else:
            first = fitted.show_topic(k, topn=1)[0][0]
        ids = {w: i for i, w in enumerate(model.vocabulary)}
        assert model.topic_word[k, ids[first]] == model.topic_word[k, ids[words[0]]]


def test_a_save_is_the_object_again(fitted, tmp_path):
    path = tmp_path / "saved.model"
    fitted.save(str(path))
    with pytest.raises(
        FormatError, match="which can run any code when opened: if you trust it, say trust=True"
    ):
        read_model(path)
    saved, model = read_model(path, trust=True), read_model(fitted)
    np.testing.assert_array_equal(saved.topic_word, model.topic_word)
    assert (saved.vocabulary, saved.name) == (model.vocabulary, "saved")
    np.testing.assert_equal((saved.alpha, saved.eta), (model.alpha, model.eta))


def test_priors_of_lda_are_kept_and_those_of_other_models_are_none():
    lda = KINDS["LdaModel"]()
    model = read_model(lda)
    np.testing.assert_allclose(model.alpha, lda.alpha)
    np.testing.assert_allclose(model.eta, lda.eta)
    nmf = read_model(KINDS["Nmf"]())
    assert (nmf.alpha, nmf.eta) == (None, None)


def test_hdp_keeps_every_topic_and_says_how_many_it_uses():
    hdp = KINDS["HdpModel"]()
    model = read_model(hdp)
    assert model.n_topics == 20
    np.testing.assert_allclose(model.alpha, hdp.hdp_to_lda()[0])
    shares = np.sort(model.alpha / model.alpha.sum())[::-1].cumsum()
    used = 1 + int((shares < 0.99).sum())
    assert model.notes[0] == (f"all 20 topics HdpModel allows for; {used} hold 99% of its stick weights")


def test_lsi_keeps_signs_ranks_by_the_positive_side_and_has_no_probabilities():
    lsi = KINDS["LsiModel"]()
    model = read_model(lsi)
    assert (model.topic_word < 0).any()
    row = lsi.get_topics()[1]
    positive = [DICTIONARY[i] for i in np.argsort(-row, kind="stable") if row[i] > 0]
    assert model.top_words(10)[1] == positive
    assert any("signed weights" in note for note in model.notes)
    with pytest.raises(InputError, match="negative weights"):
        model.probabilities()


def test_a_row_of_nmf_without_weight_is_empty_and_not_nan():
    nmf = KINDS["Nmf"]()
    nmf._W[:, 1] = 0
    with np.errstate(invalid="ignore"):
        model = read_model(nmf)
    assert not model.topic_word[1].any()
    assert "empty, no word has any weight: topic 1" in model.notes


def test_weights_of_an_nmf_that_does_not_normalise_are_told_to_be_weights():
    model = read_model(models.Nmf(**COMMON, normalize=False, random_state=1))
    assert not model.normalized
    assert any("topic_word holds weights" in note for note in model.notes)


@pytest.mark.parametrize("gaps", [False, True])
def test_words_may_come_from_a_plain_dict_with_gaps(gaps):
    plain = dict(DICTIONARY.items())
    lda = models.LdaModel(BAGS, id2word=dict(plain), num_topics=2)
    if gaps:
        del lda.id2word[2]
    model = read_model(lda)
    assert [word == plain[i] for i, word in enumerate(model.vocabulary)].count(False) == gaps
    assert (model.vocabulary[2] == "#2") is gaps
    assert ("1 of 7 ids have no word in id2word; they are called #0, #1, …" in model.notes) is gaps


def test_a_model_without_id2word_has_numbers_for_words_and_says_so():
    model = read_model(models.LdaModel(BAGS, num_topics=2))
    assert model.vocabulary == tuple(map(str, range(len(DICTIONARY))))
    assert any("trained without id2word" in note for note in model.notes)


def test_a_vocabulary_handed_over_goes_before_id2word():
    words = [f"w{i}" for i in range(len(DICTIONARY))]
    assert read_model(KINDS["LdaModel"](), vocabulary=words).vocabulary == tuple(words)


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (DICTIONARY, "is no topic model: it has no get_topics"),
        (models.LsiModel(id2word=DICTIONARY, num_topics=2), "is not fitted: it has seen no documents"),
        (models.TfidfModel(BAGS), "is no topic model"),
    ],
)
def test_what_is_no_fitted_topic_model_is_told_so(thing, said):
    with pytest.raises(InputError, match=said):
        read_model(thing)


def test_an_ensemble_without_stable_topics_is_told_so():
    fitted = ensemble()
    fitted.stable_topics = np.zeros((0, 7))
    with pytest.raises(InputError, match="found no stable topic"):
        read_model(fitted)


def test_a_class_derived_from_gensim_s_is_read_as_its_own():
    class MyLda(models.LdaModel):
        pass

    assert read_model(MyLda(**COMMON)).source == "gensim's LdaModel"


def test_topics_over_time_become_a_dynamic_model(tmp_path):
    fitted = models.LdaSeqModel(**COMMON, time_slice=[12, 12], chunksize=10, random_state=1)
    model = read_model(fitted)
    assert isinstance(model, DynamicTopicModel)
    fitted.save(str(tmp_path / "seq"))
    assert read_model(tmp_path / "seq", trust=True).n_slices == 2


def test_every_file_that_is_missing_beside_a_save_is_named_in_one_error(tmp_path):
    KINDS["LdaModel"]().save(str(tmp_path / "lda.model"))
    for name in ("state", "id2word", "expElogbeta.npy"):
        (tmp_path / f"lda.model.{name}").unlink()
    with pytest.raises(FormatError) as caught:
        read_model(tmp_path / "lda.model", trust=True)
    assert "there is no lda.model.state and no lda.model.id2word and no lda.model.expElogbeta.npy" in str(
        caught.value
    )


@pytest.mark.parametrize("missing", ["state", "id2word", "expElogbeta.npy"])
def test_a_real_save_without_one_of_its_files_is_told_which(data, tmp_path, missing):
    for file in (data / "formats" / "gensim_lda").glob("lda.model*"):
        if not file.name.endswith(missing):
            shutil.copy(file, tmp_path)
    with pytest.raises(
        FormatError, match=rf"there is no lda\.model\.{missing}; gensim's save\(\) writes them"
    ):
        read_model(tmp_path / "lda.model", trust=True)
    if missing == "id2word":
        words = [f"w{i}" for i in range(2092)]
        assert read_model(tmp_path / "lda.model", trust=True, vocabulary=words).n_topics == 10


def test_large_arrays_saved_apart_are_looked_for_too(tmp_path):
    nmf = KINDS["Nmf"]()
    nmf.save(str(tmp_path / "nmf"), separately=["_W"])
    assert read_model(tmp_path / "nmf", trust=True).n_topics == 2
    (tmp_path / "nmf._W.npy").unlink()
    with pytest.raises(FormatError, match=r"there is no nmf\._W\.npy"):
        read_model(tmp_path / "nmf", trust=True)


@pytest.mark.parametrize("beside", ["", ".state", ".id2word", ".expElogbeta.npy"])
def test_a_damaged_save_is_one_error(tmp_path, beside):
    path = tmp_path / "lda.model"
    KINDS["LdaModel"]().save(str(path))
    damaged = Path(f"{path}{beside}")
    damaged.write_bytes(damaged.read_bytes()[: damaged.stat().st_size // 2])
    said = "lda.model: cannot be opened|lda.model: gensim cannot open it|is damaged: gensim cannot open it"
    with pytest.raises(FormatError, match=said):
        read_model(path, trust=True)


def test_pickles_of_other_libraries_models_are_read_by_their_own_reader(tmp_path):
    decomposition = pytest.importorskip("sklearn.decomposition")
    joblib = pytest.importorskip("joblib")
    fitted = decomposition.NMF(2, random_state=0).fit(np.eye(4))
    (tmp_path / "nmf.pkl").write_bytes(pickle.dumps(fitted))
    (tmp_path / "nmf.pkl.gz").write_bytes(gzip.compress(pickle.dumps(fitted)))
    joblib.dump(fitted, tmp_path / "nmf.joblib")
    for name in ("nmf.pkl", "nmf.pkl.gz", "nmf.joblib"):
        model = read_model(tmp_path / name, trust=True, vocabulary=list("abcd"))
        np.testing.assert_array_equal(model.topic_word, fitted.components_)


def test_a_pickle_of_something_else_is_told_what_it_holds(tmp_path):
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(slice(1)))
    with pytest.raises(FormatError, match="holds a slice; hand over the object itself"):
        read_model(tmp_path / "x.pkl", trust=True)
    (tmp_path / "y.pkl").write_bytes(b"cnowhere_at_all\nThing\n.")
    with pytest.raises(FormatError, match="nowhere_at_all, which is not installed"):
        read_model(tmp_path / "y.pkl", format="gensim", trust=True)
