"""OpenHTMM, SentenceLDA, CopulaLDA and the pickles of source 001's comparison, made as those programs do.

The formats were read in the sources: ``EM::SaveAll`` of OpenHTMM, ``lda_sentenceLayer.py`` and
``copulaLDA.py`` of balikasg/topicModelling, and ``dump_stuff`` of source 001's authors with ankura's records.
"""

import pickle
import sys
import types
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tealeaves.errors import FormatError, InputError
from tealeaves.model import read_model

WORDS = ["gas", "law", "oil", "tax"]
PHI = np.array([[0.6, 0.0, 0.4, 0.0], [0.1, 0.5, 0.0, 0.4]])
THETA = np.array([[0.9, 0.1], [0.2, 0.8]])
# Two documents of sentences, and p(topic drawn), p(topic stayed with) of each sentence.
DOCUMENTS = [[[2, 0, 2], [1, 3]], [[3]]]
LATENT = [[[0.9, 0.1, 0.0, 0.0], [0.1, 0.4, 0.2, 0.3]], [[0.7, 0.3, 0.0, 0.0]]]


def rows(matrix):
    """A matrix as OpenHTMM writes it: a tab after each number."""
    lines = ["".join(f"{x:g}\t" for x in row) for row in matrix]
    return "\n".join([f"{len(matrix)}\t{len(matrix[0])}", *lines, ""])


@pytest.fixture
def run(tmp_path):
    """The folder of a run, with its documents in another one."""
    folder, docs = tmp_path / "run", tmp_path / "run" / "docs"
    docs.mkdir(parents=True)
    (folder / "news.phi").write_text(rows(PHI))
    (folder / "news.theta").write_text(rows(THETA))
    (folder / "news.eps").write_text("0.25\n")
    (folder / "news.ll").write_text("-123.4\n")
    (folder / "news.cmd").write_text("./openhtmm 2 4 1.5 1.01 100 train.txt news docs/ \n")
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in WORDS))
    (folder / "train.txt").write_text("a.txt\nb.txt\n")
    latent = ["2\t2"]
    for name, sentences, of_document in zip("ab", DOCUMENTS, LATENT, strict=True):
        text = "".join(f"{len(s)} {' '.join(str(w + 1) for w in s)}\n" for s in sentences)
        (docs / f"{name}.txt").write_text(text)
        latent += [str(len(sentences)), *("".join(f"{p:g}\t" for p in row) for row in of_document), ""]
    (folder / "news.pdwz").write_text("\n".join([*latent, ""]))
    return folder


@pytest.mark.parametrize("target", ["", "news.phi"])
def test_a_run_of_openhtmm_is_read_with_its_documents(run, target):
    model = read_model(run / target)
    np.testing.assert_allclose(model.topic_word, PHI)
    np.testing.assert_allclose(model.doc_topic, THETA)
    assert model.vocabulary == tuple(WORDS)
    assert model.alpha.tolist() == [1.5, 1.5]
    assert model.eta == 1.01
    assert "epsilon 0.25" in model.source
    assert model.corpus.ids == ("a.txt", "b.txt")
    assert [model.corpus.document(d).tolist() for d in (0, 1)] == [[2, 0, 2, 1, 3], [3]]
    assert model.assignments.tolist() == [0, 0, 0, 1, 1, 0]  # .1 + .2 is less than .4 + .3


def test_the_older_form_of_probabilities_says_the_same(run):
    lines = []
    for d, of_document in enumerate(LATENT):
        lines.append(f"d = {d}")
        for i, row in enumerate(of_document):
            stars = "".join(f"{'*' * (z >= 2)}{p:g}\t" for z, p in enumerate(row))
            lines += [f"i = {i}", stars]
        lines.append("")
    (run / "news.pdwz").write_text("\n".join(lines))
    assert read_model(run).assignments.tolist() == [0, 0, 0, 1, 1, 0]


def test_without_its_documents_topics_of_sentences_are_left_out_and_it_says_so(run):
    (run / "train.txt").unlink()
    model = read_model(run)
    assert model.assignments is None
    assert any("news.pdwz was left out" in note for note in model.notes)
    (run / "news.cmd").unlink()
    assert read_model(run).alpha is None


def test_words_are_handed_over_or_found_beside(run):
    (run / "vocab.txt").unlink()
    assert read_model(run, vocabulary=WORDS).top_words(1) == [["gas"], ["law"]]
    with pytest.raises(FormatError, match=r"no file with 4 words was found beside it .*vocabulary="):
        read_model(run)
    with pytest.raises(FormatError, match="has 4 words, but the vocabulary handed over has 2"):
        read_model(run, vocabulary=["a", "b"])


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("news.phi", rows(PHI)[:-12], r"2 × 4 numbers were expected, but there are \d; is it cut off\?"),
        (
            "news.phi",
            rows(PHI).replace("0.6", "oil"),
            r"news\.phi:2: could not convert string to float: 'oil'",
        ),
        ("news.phi", rows(PHI * 2), "row 0 is no distribution: it sums to 2"),
        ("news.phi", rows(PHI).replace("0.6", "nan"), "row 0 is no distribution"),
        ("news.theta", rows(np.full((2, 3), 1 / 3)), "has 3 topics, but news.phi has 2"),
        ("news.theta", "many\n", "the numbers of documents and topics were expected, but found 'many'"),
        ("news.pdwz", "1\t2\n1\n1\t0\t0\t0\n", "probabilities of 1 sentences, but the documents have 3"),
        ("news.pdwz", "1\t2\n1\n1\t0\t0\tx\n", "could not convert string to float: 'x'"),
        ("news.eps", "small\n", "a number was expected"),
        ("news.cmd", "./openhtmm 2 4\n", "topics, words, alpha, beta, iterations and files were expected"),
        ("docs/a.txt", "3 1 2\n", "its last sentence has 2 of 3 words: is it cut off"),
        ("docs/a.txt", "1 5\n", "words from 1 to 4 were expected, but found 5"),
        ("docs/a.txt", "1 oil\n", "whole numbers were expected"),
    ],
)
def test_a_damaged_part_is_named(run, file, content, message):
    (run / file).write_text(content)
    with pytest.raises(FormatError, match=message):
        read_model(run / "news.phi", format="htmm")


def test_another_part_of_the_run_names_the_topics(run):
    with pytest.raises(FormatError, match=r"is a part of a model of OpenHTMM: name the topics, news\.phi"):
        read_model(run / "news.theta")


def test_other_documents_than_those_of_theta_are_not_taken(run):
    (run / "train.txt").write_text("a.txt\n")
    model = read_model(run)
    assert model.corpus is None
    assert "the documents of news.cmd are others: 1, not 2" in model.notes


# --- SentenceLDA and CopulaLDA


def sentence_lda(kind="lda_gibbs_sampling1", module="lda_sentenceLayer", **other):
    """An object with the attributes of the program: alpha and beta are in the counts already."""
    thing = type(kind, (), {"__module__": module})()
    copula = kind.endswith("copula")
    ragged = np.empty(2, object)
    ragged[:] = [[np.array(s) for s in d] for d in DOCUMENTS]
    parts = {
        "K": 2,
        "V": 4,
        "alpha": 0.25,
        "beta": 0.5,
        "docs": ragged,
        "z_m_n": [np.array([[0, 1, 0], [1, 1]], object), np.array([[0]])]
        if copula
        else [np.array([0, 1]), np.array([0])],
        "n_m_z": np.array([[2.25, 3.25], [1.25, 0.25]]) if copula else np.array([[1.25, 1.25], [1.25, 0.25]]),
        "n_z_t": np.ones((2, 4)),  # which the program counts wrongly; read anew
        "n_z": np.ones(2),
    }
    vars(thing).update(parts | other)
    return thing


def test_a_sentence_lda_is_read_from_the_object():
    model = read_model(sentence_lda(), vocabulary=WORDS)
    assert model.assignments.tolist() == [0, 0, 0, 1, 1, 0]
    counts = np.array([[1, 0, 2, 1], [0, 1, 0, 1]]) + 0.5
    np.testing.assert_allclose(model.topic_word, counts / counts.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(model.doc_topic, [[0.5, 0.5], [1.25 / 1.5, 0.25 / 1.5]])
    assert (model.alpha.tolist(), model.eta, model.source) == ([0.25, 0.25], 0.5, "SentenceLDA")
    assert [model.corpus.document(d).tolist() for d in (0, 1)] == [[2, 0, 2, 1, 3], [3]]


def test_a_copula_lda_has_topics_of_single_tokens_wherever_its_class_was_written():
    for module in ("copulaLDA", "__main__"):
        model = read_model(sentence_lda("lda_gibbs_sampling_copula", module), vocabulary=WORDS)
        assert model.assignments.tolist() == [0, 1, 0, 1, 1, 0]
        assert model.source == "CopulaLDA"


@pytest.mark.parametrize(
    ("other", "vocabulary", "message"),
    [
        ({}, None, "SentenceLDA knows words by number alone: hand over vocabulary="),
        ({}, ["a", "b"], "SentenceLDA has 4 words, but the vocabulary has 2"),
        ({"n_m_z": None}, WORDS, r"SentenceLDA should have n_m_z .* is it fitted\?"),
        ({"n_m_z": np.ones(3)}, WORDS, "n_m_z of SentenceLDA must have shape any × any"),
        ({"z_m_n": [np.array([0, 1])]}, WORDS, "topics of 1 documents, but there are 2"),
        (
            {"z_m_n": [np.array([0]), np.array([0])]},
            WORDS,
            "document 0 of SentenceLDA has 2 sentences, but topics of 1",
        ),
    ],
)
def test_an_object_that_is_not_whole_is_refused(other, vocabulary, message):
    with pytest.raises(InputError, match=message):
        read_model(sentence_lda(**other), vocabulary=vocabulary)


@pytest.fixture
def pickled(monkeypatch):
    """Pickle an object of a class that nobody has: what such programs leave on disk."""

    def dump(thing, protocol):
        kind = type(thing)
        module = types.ModuleType(kind.__module__)
        setattr(module, kind.__name__, kind)
        kind.__qualname__ = kind.__name__
        monkeypatch.setitem(sys.modules, kind.__module__, module)
        content = pickle.dumps(thing, protocol=protocol)
        monkeypatch.delitem(sys.modules, kind.__module__)
        return content

    return dump


@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize("kind", ["lda_gibbs_sampling1", "lda_gibbs_sampling_copula"])
def test_a_pickle_is_read_without_the_program_and_without_trust(tmp_path, pickled, kind, protocol):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickled(sentence_lda(kind, "theirs"), protocol))
    again = read_model(path, vocabulary=WORDS)
    wanted = read_model(sentence_lda(kind), vocabulary=WORDS)
    np.testing.assert_array_equal(again.assignments, wanted.assignments)
    np.testing.assert_allclose(again.topic_word, wanted.topic_word)


def test_a_pickle_of_python_2_is_read(tmp_path):
    """Protocol 0 of an old-style class, as ``cPickle.dump(lda, file)`` wrote it: plain lists for arrays."""
    parts = {
        "V": 4,
        "alpha": 0.25,
        "beta": 0.5,
        "docs": DOCUMENTS,
        "z_m_n": [[0, 1], [0]],
        "n_m_z": [[1.25, 1.25], [1.25, 0.25]],
    }
    state = pickle.dumps(parts, protocol=0)[:-1].decode()
    path = tmp_path / "model.pkl"
    path.write_text(f"(ilda_sentenceLayer\nlda_gibbs_sampling1\n{state}b.")
    assert read_model(path, vocabulary=WORDS).assignments.tolist() == [0, 0, 0, 1, 1, 0]


# --- the pickles of source 001's comparison

TokenLoc = namedtuple("TokenLoc", "token loc")
Document = namedtuple("Document", "text tokens metadata")
AnkuraCorpus = namedtuple("Corpus", "documents vocabulary metadata")


@pytest.fixture
def comparison(tmp_path, monkeypatch):
    module = types.ModuleType("ankura.pipeline")
    for kind, name in ((TokenLoc, "TokenLoc"), (Document, "Document"), (AnkuraCorpus, "Corpus")):
        monkeypatch.setattr(kind, "__module__", "ankura.pipeline")
        setattr(module, name, kind)
    monkeypatch.setitem(sys.modules, "ankura", types.ModuleType("ankura"))
    monkeypatch.setitem(sys.modules, "ankura.pipeline", module)

    def tokens(*words):
        return [TokenLoc(word, (4 * i, 4 * i + 3)) for i, word in enumerate(words)]

    def known(z, theta):
        return {"news_copula_2_z": z, "news_copula_2_theta": np.array(theta)}

    documents = [
        Document("oil gas oil", tokens(2, 0, 2), known([0, 0, 1], [2 / 3, 1 / 3])),
        Document("tax", tokens(3), known([1], [0.0, 1.0])),
    ]
    corpus = AnkuraCorpus(documents, WORDS, {"name": "news"})
    (tmp_path / "news_copula_2.topics.pickle").write_bytes(pickle.dumps(PHI.T, protocol=3))
    (tmp_path / "news_copula_2.corpus.pickle").write_bytes(pickle.dumps(corpus, protocol=3))
    monkeypatch.delitem(sys.modules, "ankura.pipeline")
    monkeypatch.delitem(sys.modules, "ankura")
    return tmp_path / "news_copula_2.topics.pickle"


def test_topics_and_corpus_of_the_comparison_are_read_together(comparison):
    model = read_model(comparison)
    np.testing.assert_allclose(model.topic_word, PHI)
    np.testing.assert_allclose(model.doc_topic, [[2 / 3, 1 / 3], [0, 1]])
    assert model.assignments.tolist() == [0, 0, 1, 1]
    assert model.vocabulary == tuple(WORDS)
    assert list(model.corpus.texts) == ["oil gas oil", "tax"]
    assert model.name == "news_copula_2"


def test_topics_without_their_corpus_are_refused(comparison):
    (comparison.parent / "news_copula_2.corpus.pickle").unlink()
    with pytest.raises(FormatError, match=r"news_copula_2\.corpus\.pickle with the words is not beside it"):
        read_model(comparison)


def test_a_pickle_that_would_run_something_is_refused_and_runs_nothing(comparison, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    comparison.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(FormatError, match=r"it names \w+\.open, which is no plain data"):
        read_model(comparison)
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps({"lda_gibbs_sampling1": Evil()}))
    with pytest.raises(FormatError, match="which is no plain data"):
        read_model(path, vocabulary=WORDS, format="sentence-lda")
    assert not (tmp_path / "ran").exists()


def test_what_is_no_model_of_them_is_refused(comparison, tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(FormatError, match="holds a dict, not a fitted SentenceLDA or CopulaLDA"):
        read_model(path, vocabulary=WORDS, format="sentence-lda")
    comparison.write_bytes(pickle.dumps([1, 2]))
    with pytest.raises(FormatError, match="a matrix of words × topics was expected"):
        read_model(comparison)
    comparison.write_bytes(pickle.dumps(np.ones((3, 2))))
    with pytest.raises(FormatError, match=r"has 4 words, but news_copula_2\.topics\.pickle has 3"):
        read_model(comparison)


# --- objects whose values are damaged

DAMAGES = [
    ({"z_m_n": [np.array([0, -1]), np.array([0])]}, "topics of document 0 of SentenceLDA .* 0 to 1, .* -1"),
    ({"z_m_n": [np.array([0, 5]), np.array([0])]}, "must be from 0 to 1, but one is 5"),
    ({"z_m_n": [np.array([0.7, 1]), np.array([0])]}, "topics of document 0 .* must be whole numbers"),
    ({"z_m_n": [np.array([0, 1]), None]}, "z_m_n of document 1 of SentenceLDA must be a list, but is None"),
    ({"z_m_n": [np.array([[0, 0], [1, 1]]), np.array([0])]}, "a sentence of 3 words with 2 topics"),
    ({"z_m_n": None}, "should have z_m_n"),
    ({"docs": [[[2, 0, -1], [1, 3]], [[3]]]}, "words of document 0 of SentenceLDA .* 0 to 3, but one is -1"),
    ({"docs": [[[2, 0, 2], [1, 3]], [[9]]]}, "words of document 1 of SentenceLDA .* but one is 9"),
    ({"docs": [[["oil"], [1, 3]], [[3]]]}, "words of document 0 of SentenceLDA must be whole numbers"),
    ({"docs": 3}, "docs of SentenceLDA must be a list, but is 3"),
    ({"n_m_z": np.array([[-1.0, 3], [2, 1]])}, "n_m_z of document 0 of SentenceLDA .* but is -1, 3"),
    ({"n_m_z": np.full((2, 2), np.nan)}, "must be counts from 0, but is nan, nan"),
    ({"n_m_z": np.zeros((2, 2))}, "must be counts from 0, but is 0, 0"),
    ({"n_m_z": np.ones((5, 2))}, r"topics of 5 documents, but there are 2 \(n_m_z\)"),
    ({"beta": "x"}, "beta of SentenceLDA must be a number over 0, but is 'x'"),
    ({"beta": np.nan}, "must be a number over 0, but is nan"),
    ({"alpha": -5.0}, "alpha of SentenceLDA must be a number over 0, but is -5"),
    ({"V": "many"}, "V of SentenceLDA must be a whole number, but is 'many'"),
    ({"V": 4.5}, "V of SentenceLDA must be a whole number"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_a_damaged_value_is_told_with_its_document_and_no_id_counts_from_the_end(damage, message):
    with pytest.raises(InputError, match=message):
        read_model(sentence_lda(**damage), vocabulary=WORDS)


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_a_damaged_pickle_is_told_with_its_file(tmp_path, pickled, damage, message):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickled(sentence_lda("lda_gibbs_sampling1", "theirs", **damage), 2))
    with pytest.raises(FormatError, match=rf"model\.pkl: .*{message}"):
        read_model(path, vocabulary=WORDS)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.lists(st.one_of(st.integers(-3, 9), st.floats(), st.none(), st.text(max_size=2)), max_size=3),
    st.lists(st.lists(st.integers(-3, 9), max_size=3), max_size=3),
    st.dictionaries(st.integers(0, 2), st.integers(), max_size=2),
    st.sampled_from([np.ones(2), np.zeros((2, 2)), np.full((2, 3), np.inf), np.array(["a"]), 10**400, 1j]),
)


def with_one_part_replaced(parts, junk, places):
    """The parts with junk in place of one of them, at whatever depth."""
    if not places or not isinstance(parts, list | dict) or not parts:
        return junk
    keys = list(parts) if isinstance(parts, dict) else list(range(len(parts)))
    chosen = keys[places[0] % len(keys)]
    changed = parts.copy()
    changed[chosen] = with_one_part_replaced(parts[chosen], junk, places[1:])
    return changed


@given(JUNK, st.lists(st.integers(0, 5), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_whatever_value_stands_in_an_object_it_is_read_or_refused(junk, places):
    parts = {
        "V": 4,
        "alpha": 0.25,
        "beta": 0.5,
        "docs": DOCUMENTS,
        "z_m_n": [[0, 1], [0]],
        "n_m_z": [[1.25, 1.25], [1.25, 0.25]],
    }
    try:
        model = read_model(sentence_lda(**with_one_part_replaced(parts, junk, places)), vocabulary=WORDS)
    except InputError:
        return
    assert np.isfinite(model.topic_word).all()
    assert (model.doc_topic >= 0).all()
    assert ((model.assignments >= 0) & (model.assignments < model.n_topics)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"z": [0, -1, 1]}, "topics of document 0 must be from 0 to 1, but one is -1"),
        ({"z": [0, 0.5, 1]}, "topics of document 0 must be whole numbers"),
        ({"z": [0, 0]}, "assign"),
        ({"tokens": [-1, 0, 2]}, "words of document 0 must be from 0 to 3, but one is -1"),
        ({"tokens": ["oil", 0, 2]}, "words of document 0 must be whole numbers"),
        ({"theta": [1.0]}, "news_copula_2_theta of documents must"),
        ({"theta": "half"}, "news_copula_2_theta of documents must be an array of numbers"),
    ],
)
def test_damaged_values_of_the_comparison_are_told_with_the_corpus(comparison, monkeypatch, change, message):
    path = comparison.with_name("news_copula_2.corpus.pickle")
    module = types.ModuleType("ankura.pipeline")
    for kind in (TokenLoc, Document, AnkuraCorpus):
        setattr(module, kind.__name__, kind)
    monkeypatch.setitem(sys.modules, "ankura", types.ModuleType("ankura"))
    monkeypatch.setitem(sys.modules, "ankura.pipeline", module)
    corpus = pickle.loads(path.read_bytes())
    first = corpus.documents[0]
    tokens = [TokenLoc(word, (0, 1)) for word in change.get("tokens", [2, 0, 2])]
    metadata = first.metadata | {
        f"news_copula_2_{name}": change[name] for name in ("z", "theta") if name in change
    }
    corpus = corpus._replace(documents=[Document(first.text, tokens, metadata), corpus.documents[1]])
    path.write_bytes(pickle.dumps(corpus, protocol=3))
    with pytest.raises(FormatError, match=rf"news_copula_2\.corpus\.pickle: .*{message}"):
        read_model(comparison)
