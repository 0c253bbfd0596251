import gzip
import random

import numpy as np
import pytest

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError, TealeavesError
from tealeaves.model import read_model

topica = pytest.importorskip("topica")

DOCS = [
    ["oil", "gas", "oil", "tin"],
    ["gas", "oil", "tin"],
    ["tax", "law", "court", "tax"],
    ["law", "judge"],
] * 6
LABELS = [["energy"], ["energy"], ["state"], ["state"]] * 6
KINDS = {
    "LDA": lambda: topica.LDA(2),
    "OnlineLDA": lambda: topica.OnlineLDA(2),
    "HDP": lambda: topica.HDP(),
    "CTM": lambda: topica.CTM(2),
    "NMF": lambda: topica.NMF(2),
    "LSA": lambda: topica.LSA(2),
    "GSDMM": lambda: topica.GSDMM(num_topics=4),
    "BTM": lambda: topica.BTM(2),
    "PA": lambda: topica.PA(num_super=2, num_sub=3),
    "PT": lambda: topica.PT(num_topics=2, num_pseudo=5),
    "HLDA": lambda: topica.HLDA(),
    "ProdLDA": lambda: topica.ProdLDA(2),
    "SeededLDA": lambda: topica.SeededLDA({"energy": ["oil"], "state": ["law"]}),
    "CorEx": lambda: topica.CorEx(2),
    "AnchorLDA": lambda: topica.AnchorLDA(2),
}


@pytest.fixture(scope="module", params=KINDS)
def fitted(request):
    model = KINDS[request.param]()
    model.fit(DOCS)
    return model


def test_words_topics_and_documents_are_topica_s_own(fitted):
    model = read_model(fitted)
    np.testing.assert_array_equal(model.topic_word, fitted.topic_word)
    assert model.vocabulary == tuple(fitted.vocabulary)
    assert model.source == f"topica's {type(fitted).__name__}"
    theirs = getattr(fitted, "doc_topic", None)
    assert (model.doc_topic is None) == (theirs is None)
    if theirs is not None:
        np.testing.assert_array_equal(model.doc_topic, theirs)


def test_a_save_is_the_object_again(fitted, tmp_path):
    fitted.save(str(tmp_path / "model.bin"))
    path = next(tmp_path.iterdir())  # AnchorLDA adds .npz
    saved, model = read_model(path), read_model(fitted)
    np.testing.assert_array_equal(saved.topic_word, model.topic_word)
    np.testing.assert_equal((saved.alpha, saved.vocabulary), (model.alpha, model.vocabulary))
    assert saved.topic_names == model.topic_names


def test_priors_are_kept():
    model = topica.LDA(2)
    model.fit(DOCS)
    read = read_model(model)
    np.testing.assert_array_equal(read.alpha, model.alpha)
    assert read.eta == pytest.approx(model.beta)


def test_names_of_topics_are_those_given_and_not_their_numbers():
    plain = topica.LDA(2)
    plain.fit(DOCS)
    assert read_model(plain).topic_names is None
    plain.topic_names = ["one", "two"]
    assert read_model(plain).topic_names == ("one", "two")
    labelled = topica.LabeledLDA()
    labelled.fit(DOCS, labels=LABELS)
    assert read_model(labelled).topic_names == tuple(labelled.labels)
    seeded = KINDS["SeededLDA"]()
    seeded.fit(DOCS)
    assert read_model(seeded).topic_names == ("energy", "state")


def test_the_state_that_an_lda_saves_has_the_topics_of_its_tokens(tmp_path):
    lda = topica.LDA(2)
    lda.fit(DOCS)
    lda.save_state(str(tmp_path / "state.gz"))
    model = read_model(tmp_path / "state.gz")
    assert len(model.assignments) == sum(map(len, DOCS))
    lines = gzip.decompress((tmp_path / "state.gz").read_bytes()).decode().splitlines()[3:]
    assert model.assignments.tolist() == [int(line.split(" ")[-1]) for line in lines]


def test_topics_over_time_become_a_dynamic_model(tmp_path):
    fitted = topica.DTM(2)
    fitted.fit(DOCS, times=[0, 1] * 12)
    assert isinstance(read_model(fitted), DynamicTopicModel)
    fitted.save(str(tmp_path / "model.bin"))
    assert read_model(tmp_path / "model.bin").n_slices == 2


@pytest.mark.parametrize("kind", ["LDA", "NMF", "HDP", "CTM"])
def test_an_unfitted_model_is_told_so(kind):
    with pytest.raises(InputError, match=rf"topica's {kind} should have topic_word .* is it fitted\?"):
        read_model(KINDS[kind]())


def test_topics_in_several_languages_are_refused():
    model = topica.PolylingualLDA(2)
    model.fit({"en": DOCS, "de": [[word + "e" for word in doc] for doc in DOCS]})
    with pytest.raises(InputError, match="topics in several languages"):
        read_model(model)


def test_what_has_no_topics_of_words_is_told_so():
    with pytest.raises(InputError, match="should have topic_word"):
        read_model(topica.Corpus.from_documents(DOCS))


def test_a_damaged_save_is_one_error(tmp_path):
    fitted = topica.NMF(2)
    fitted.fit(DOCS)
    path = tmp_path / "model.bin"
    fitted.save(str(path))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match="is damaged or of another version: topica said"):
        read_model(path)
    rng = random.Random(1)
    for _ in range(100):
        content = bytearray(whole)
        for _ in range(3):
            content[rng.randrange(7, len(content))] = rng.choice((0, 127, 255, rng.randrange(256)))
        path.write_bytes(content)
        try:
            said = repr(read_model(path).n_topics)
        except TealeavesError as error:
            said = str(error)
        assert said


def test_inspect_says_what_a_save_is(tmp_path, capsys):
    from tealeaves.cli import run

    fitted = topica.NMF(2)
    fitted.fit(DOCS)
    fitted.save(str(tmp_path / "model.bin"))
    assert run(["inspect", str(tmp_path / "model.bin")]) == 0
    said = capsys.readouterr().out
    assert "model.bin: a model" in said
    assert "source: topica's NMF" in said
