import numpy as np
import pytest

from tealeaves.errors import FormatError, InputError
from tealeaves.model import read_model

tp = pytest.importorskip("tomotopy")

DOCS = [
    ["oil", "gas", "oil", "tin"],
    ["gas", "oil", "tin"],
    ["tax", "law", "court", "tax"],
    ["law", "judge"],
] * 6
KINDS = {
    "LDAModel": (lambda: tp.LDAModel(k=3, seed=1), {}),
    "HDPModel": (lambda: tp.HDPModel(initial_k=6, seed=1), {}),
    "HLDAModel": (lambda: tp.HLDAModel(depth=3, seed=1), {}),
    "CTModel": (lambda: tp.CTModel(k=3, seed=1), {}),
    "DMRModel": (lambda: tp.DMRModel(k=3, seed=1), {"metadata": lambda i: "ab"[i % 2]}),
    "GDMRModel": (lambda: tp.GDMRModel(k=3, degrees=[2], seed=1), {"numeric_metadata": lambda i: [float(i)]}),
    "PAModel": (lambda: tp.PAModel(k1=2, k2=4, seed=1), {}),
    "HPAModel": (lambda: tp.HPAModel(k1=2, k2=4, seed=1), {}),
    "LLDAModel": (lambda: tp.LLDAModel(seed=1), {"labels": lambda i: [["energy", "state"][i % 4 // 2]]}),
    "PLDAModel": (
        lambda: tp.PLDAModel(latent_topics=1, topics_per_label=2, seed=1),
        {"labels": lambda i: [["energy", "state"][i % 4 // 2]]},
    ),
    "SLDAModel": (lambda: tp.SLDAModel(k=3, vars="l", seed=1), {"y": lambda i: [float(i % 2)]}),
    "PTModel": (lambda: tp.PTModel(k=3, p=5, seed=1), {}),
    "MGLDAModel": (lambda: tp.MGLDAModel(seed=1), {}),
}


def trained(kind):
    make, about = KINDS[kind]
    model = make()
    for i, doc in enumerate(DOCS):
        model.add_doc(doc, **{name: value(i) for name, value in about.items()})
    model.train(30, workers=1, show_progress=False)
    return model


@pytest.fixture(scope="module", params=KINDS)
def pair(request):
    model = trained(request.param)
    return model, read_model(model)


def test_topics_are_tomotopy_s_own_and_documents_are_those_added(pair):
    theirs, model = pair
    assert model.source == f"tomotopy's {type(theirs).__name__}"
    assert set(model.vocabulary) == {word for doc in DOCS for word in doc}
    words = np.array(model.vocabulary)
    documents = [words[model.corpus.document(i)].tolist() for i in range(len(model.corpus))]
    assert documents == list(DOCS)
    counts = theirs.get_count_by_topics()
    alive = getattr(theirs, "is_live_topic", lambda k: True)
    kept = [k for k in range(len(counts)) if alive(k)]
    expected = np.array([theirs.get_topic_word_dist(k) for k in kept], dtype=np.float64)
    np.testing.assert_array_equal(model.topic_word, expected)
    if model.assignments is not None:
        assert np.bincount(model.assignments, minlength=len(kept)).tolist() == [counts[k] for k in kept]


def test_shares_of_topics_in_a_document_are_its_own(pair):
    theirs, model = pair
    if model.doc_topic is None:
        assert type(theirs).__name__ in {"HLDAModel", "HPAModel"}
        assert any(note.startswith("doc_topic was left out: ") for note in model.notes)
        return
    assert model.doc_topic.shape == (len(DOCS), model.n_topics)
    np.testing.assert_allclose(model.doc_topic.sum(axis=1), 1, atol=1e-5)
    if model.assignments is not None and type(theirs).__name__ in {
        "LDAModel",
        "HDPModel",
        "PAModel",
        "LLDAModel",
    }:
        ends = model.corpus.offsets
        for i in range(len(DOCS)):
            counts = np.bincount(model.assignments[ends[i] : ends[i + 1]], minlength=model.n_topics)
            assert counts[model.doc_topic[i].argmax()] == counts.max()


SLOW = ("MGLDAModel", "HPAModel", "PAModel")  # tried as other classes first, each in a process of its own


@pytest.mark.parametrize("kind", [pytest.param(k, marks=pytest.mark.slow) if k in SLOW else k for k in KINDS])
def test_a_save_is_the_object_again(kind, tmp_path):
    theirs = trained(kind)
    model = read_model(theirs)
    path = tmp_path / "model.bin"
    theirs.save(str(path))
    with pytest.raises(FormatError, match="trust=True"):
        read_model(path)
    saved = read_model(path, trust=True)
    np.testing.assert_array_equal(saved.topic_word, model.topic_word)
    np.testing.assert_equal((saved.alpha, saved.topic_names), (model.alpha, model.topic_names))
    assert saved.source == model.source


def test_dead_topics_of_an_hdp_are_left_out_and_said_so():
    theirs = trained("HDPModel")
    model = read_model(theirs)
    dead = theirs.k - theirs.live_k
    assert dead > 0
    assert model.n_topics == theirs.live_k
    assert f"{dead} topics without tokens were left out" in model.notes
    assert model.alpha is None


def test_labels_are_names_of_topics():
    assert set(read_model(trained("LLDAModel")).topic_names) == {"energy", "state"}
    names = read_model(trained("PLDAModel")).topic_names
    assert names == ("energy 0", "energy 1", "state 0", "state 1", "latent 0")


def test_a_topic_of_a_label_is_only_in_documents_with_the_label():
    model = read_model(trained("PLDAModel"))
    without = [i for i in range(len(DOCS)) if i % 4 >= 2]
    assert not model.doc_topic[without][:, :2].any()


def test_topics_of_several_levels_are_named_after_them():
    assert read_model(trained("HPAModel")).topic_names[:4] == ("root", "super 0", "super 1", "sub 0")
    names = read_model(trained("HLDAModel")).topic_names
    assert names[0] == "level 0: 0"
    assert {name.partition(":")[0] for name in names} == {"level 0", "level 1", "level 2"}
    assert read_model(trained("MGLDAModel")).topic_names == ("global 0", "local 0")


@pytest.mark.parametrize("kind", ["LDAModel", "SLDAModel"])
def test_a_prior_of_topics_is_kept_where_it_is_of_all_documents(kind):
    theirs = trained(kind)
    np.testing.assert_allclose(read_model(theirs).alpha, theirs.alpha)


@pytest.mark.parametrize("kind", ["CTModel", "DMRModel", "PLDAModel", "PAModel", "HLDAModel", "PTModel"])
def test_another_prior_is_none(kind):
    assert read_model(trained(kind)).alpha is None


def test_an_untrained_model_is_told_so():
    with pytest.raises(InputError, match="this LDAModel is not trained: it has no words"):
        read_model(tp.LDAModel(k=2))


def test_a_save_that_is_cut_off_is_one_error_and_does_not_end_the_process(tmp_path, monkeypatch):
    from tealeaves.readers import tomotopy

    monkeypatch.setattr(tomotopy, "PATIENCE", 3.0)  # tomotopy may never return from it
    path = tmp_path / "model.bin"
    trained("CTModel").save(str(path))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.9)])
    with pytest.raises(FormatError, match="is damaged"):
        read_model(path, trust=True)


def test_inspect_opens_a_save_that_is_trusted_and_says_what_it_is(tmp_path, capsys):
    from tealeaves.cli import run

    path = tmp_path / "model.bin"
    trained("SLDAModel").save(str(path))
    assert run(["inspect", str(path)]) == 1
    assert "is a model of tomotopy, which can run any code when opened" in capsys.readouterr().err
    assert run(["inspect", str(path), "--trust"]) == 0
    said = capsys.readouterr().out
    assert "source: tomotopy's SLDAModel" in said
    assert "holds: word weights, topics of documents, topics of tokens, corpus" in said
