"""A positional index gives the numbers of its corpus, and nothing else."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.counts import DOCUMENT, Unit, count_pairs
from tealeaves.errors import FormatError, InputError, MissingInput

LETTERS = ["a", "b", "c", "d"]
WORDS = [*LETTERS, "a b", "b_a", "a_b", "a a", "a b c", "c_d_a_b", "zzz", "a zzz"]
UNITS = [
    DOCUMENT,
    Unit("window", 1),
    Unit("window", 3),
    Unit("window", 3, "gensim"),
    Unit("window", 50),
    Unit("context", 2),
    Unit("context", 5, "palmetto"),
]
DOCS = [["oil", "gas", "oil"], [], ["gas"], ["tax", "law", "oil", "law"], ["law", "tax"]]

documents = st.lists(st.lists(st.sampled_from([*LETTERS, "other"]), max_size=14), max_size=9)
topics = st.lists(st.lists(st.integers(0, len(WORDS) - 1), max_size=6), max_size=4)


def corpus_of(docs=DOCS, vocabulary=None):
    return tl.Corpus.from_tokens(docs, vocabulary=vocabulary)


def assert_same_counts(index, corpus, words, topics, units, blocks=0):
    mine = index.count_pairs(words, topics, units, blocks=blocks)
    theirs = count_pairs(corpus, words, topics, units, blocks=blocks)
    assert list(mine) == list(theirs)
    for unit in units:
        for part in ("unit", "n_units", "singles", "keys", "joints"):
            np.testing.assert_array_equal(
                getattr(mine[unit], part), getattr(theirs[unit], part), err_msg=f"{unit} {part}"
            )


# --- places


def test_the_places_of_words_and_of_adjacent_tokens_by_hand():
    index = tl.build_index(corpus_of())
    # 0 oil 1 gas 2 oil | | 3 gas | 4 tax 5 law 6 oil 7 law | 8 law 9 tax
    assert index.places("oil").tolist() == [0, 2, 6]
    assert index.places("tax law").tolist() == [4]
    assert index.places("law_oil_law").tolist() == [5]
    assert index.places("law law").tolist() == []  # 7 and 8 are in two documents
    assert index.places("tin").tolist() == index.places("tin oil").tolist() == []


def test_it_takes_four_bytes_a_token():
    index = tl.build_index(corpus_of())
    assert index.positions.nbytes == 4 * index.n_tokens


# --- it takes a corpus's place


@given(documents, topics, st.sampled_from([0, 1, 3]))
@settings(max_examples=150)
def test_it_counts_what_the_corpus_counts(docs, topics, blocks):
    corpus = corpus_of(docs, LETTERS)
    assert_same_counts(tl.build_index(corpus), corpus, WORDS, topics, UNITS, blocks)


def test_it_counts_what_the_corpus_counts_where_documents_are_many_and_words_repeat():
    rng = np.random.default_rng(5)
    docs = [["abcdefgh"[i] for i in rng.integers(0, 8, rng.integers(0, 60))] for _ in range(400)]
    corpus = corpus_of(docs)
    words = [*"abcdefgh", "a b", "b a", "a a b"]
    for blocks in (0, 7, 1000):
        assert_same_counts(tl.build_index(corpus), corpus, words, [range(8), [8, 9, 10, 0]], UNITS, blocks)


def test_runs_of_documents_that_end_anywhere_change_nothing(monkeypatch):
    monkeypatch.setattr("tealeaves.index.CHUNK", 1)
    rng = np.random.default_rng(6)
    docs = [["abcd"[i] for i in rng.integers(0, 4, rng.integers(0, 40))] for _ in range(60)]
    corpus = corpus_of(docs, LETTERS)
    assert_same_counts(tl.build_index(corpus), corpus, WORDS, [range(len(WORDS))], UNITS, 3)


@given(documents)
def test_it_knows_of_its_words_what_the_corpus_knows(docs):
    corpus = corpus_of(docs, LETTERS)
    index = tl.build_index(corpus)
    np.testing.assert_array_equal(index.word_counts(), corpus.word_counts())
    np.testing.assert_array_equal(index.document_frequency(), corpus.document_frequency())
    assert (len(index), index.n_tokens, index.index) == (len(corpus), corpus.n_tokens, corpus.index)
    assert index.fingerprint == corpus.fingerprint
    expected = np.zeros(4)
    for doc in ([w for w in doc if w in LETTERS] for doc in docs):
        if len(doc) >= 2:
            expected += [doc.count(w) / len(doc) for w in LETTERS]
    np.testing.assert_allclose(index.mean_frequencies(), expected, atol=1e-12)


def test_every_score_interval_and_detail_is_that_of_the_corpus():
    rng = np.random.default_rng(7)
    words = [f"w{i}" for i in range(30)]
    corpus = corpus_of([[words[w] for w in rng.integers(0, 30, 20)] for _ in range(150)])
    model = tl.TopicModel(words, topic_word=rng.dirichlet(np.full(30, 0.2), 3), name="m")
    options = {"measures": ["standard", "coherence"], "resamples": 50, "seed": 1}
    of_index = tl.evaluate(model, reference=tl.build_index(corpus), **options)
    of_corpus = tl.evaluate(model, reference=corpus, **options)
    assert of_index.frame.equals(of_corpus.frame, null_equal=True)
    assert of_index.details.to_dict() == of_corpus.details.to_dict()


def test_an_edited_topic_is_scored_from_the_index_alone():
    index = tl.build_index(corpus_of([["oil", "gas"]] * 5 + [["tax", "law"]] * 5))
    scores = [
        tl.evaluate(tl.TopicModel.from_words([topic]), reference=index, measures="npmi@2", ci=None)
        for topic in (["oil", "law"], ["oil", "gas"])
    ]
    assert [score.value("npmi@2") for score in scores] == [-1, 1]


# --- refusals


def test_windows_of_a_corpus_without_order_are_refused_and_documents_are_not():
    corpus = tl.Corpus.from_matrix(np.array([[2, 1, 0], [0, 1, 1]]), ["a", "b", "c"])
    index = tl.build_index(corpus)
    assert_same_counts(index, corpus, ["a", "b", "c"], [range(3)], [DOCUMENT])
    with pytest.raises(InputError, match=r"window:10 needs the order of tokens"):
        index.count_pairs(["a", "b"], [[0, 1]], [Unit("window", 10)])


def test_groups_of_an_index_are_refused():
    model = tl.TopicModel.from_words([["oil", "gas"]])
    with pytest.raises(MissingInput, match="an index has no parts: hand over the corpus"):
        tl.evaluate(model, reference=tl.build_index(corpus_of()), measures="npmi@2", by="slice")


def test_more_tokens_than_four_bytes_can_count_are_refused(monkeypatch):
    monkeypatch.setattr("tealeaves.index.MOST_TOKENS", 9)
    with pytest.raises(InputError, match="holds at most 9 tokens, but this corpus has 10"):
        tl.build_index(corpus_of())


# --- a vocabulary


def test_an_index_of_some_words_is_that_of_the_corpus_with_all_others_outside():
    corpus = corpus_of()
    index = tl.build_index(corpus, vocabulary=["tax law", "gas", "tin"])
    smaller = corpus_of(vocabulary=["gas", "law", "tax"])
    assert index.vocabulary == ("gas", "law", "tax")
    assert index.fingerprint == smaller.fingerprint
    assert "tin" in index.notes[-1]
    assert_same_counts(index, smaller, ["gas", "tax law", "oil"], [[0, 1, 2]], UNITS)


@pytest.mark.parametrize("vocabulary", [["tin", "zinc"], []])
def test_a_vocabulary_without_a_word_of_the_corpus_is_refused(vocabulary):
    with pytest.raises(InputError, match="none of the"):
        tl.build_index(corpus_of(), vocabulary=vocabulary)


# --- on disk


@pytest.mark.parametrize("docs", [DOCS, [], [[]]], ids=["some", "none", "empty"])
def test_a_saved_index_comes_back_whole_and_mapped(docs, tmp_path):
    corpus = corpus_of(docs, ["oil", "gas", "tax", "law"])
    index = tl.build_index(corpus)
    index.save(tmp_path / "index")
    again = tl.load_index(tmp_path / "index")
    for name in ("vocabulary", "fingerprint", "ordered", "gaps", "preprocess", "notes"):
        assert getattr(again, name) == getattr(index, name)
    assert_same_counts(again, corpus, ["oil", "gas", "tax law"], [[0, 1, 2]], UNITS, blocks=2)
    assert not docs or not any(docs) or isinstance(again.positions.base, np.memmap)


def test_saving_again_replaces_the_index_and_nothing_else(tmp_path):
    tl.build_index(corpus_of()).save(tmp_path / "index")
    tl.build_index(corpus_of([["tin"]])).save(tmp_path / "index")
    assert tl.load_index(tmp_path / "index").vocabulary == ("tin",)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years", "utf-8")
    with pytest.raises(InputError, match="is no saved index: name another folder"):
        tl.build_index(corpus_of()).save(tmp_path / "mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index", "mine"]


FILES = [
    "vocabulary.json",
    "positions.npy",
    "bounds.npy",
    "offsets.npy",
    "document_frequency.npy",
    "index.json",
]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_a_torn_changed_or_missing_file_is_one_clear_error(name, damage, tmp_path):
    tl.build_index(corpus_of()).save(tmp_path / "index")
    path = tmp_path / "index" / name
    content = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    else:
        content[-2] ^= 1
        path.write_bytes(content)
    with pytest.raises(
        FormatError, match=name if (name, damage) != ("index.json", "gone") else "no saved index"
    ):
        tl.load_index(tmp_path / "index")


def test_a_folder_of_something_else_is_said_to_be_none(tmp_path):
    corpus_of().save(tmp_path / "corpus")
    with pytest.raises(FormatError, match=r"is no saved index: a folder with index\.json was expected"):
        tl.load_index(tmp_path / "corpus")
    (tmp_path / "corpus" / "index.json").write_text(json.dumps({"pages": 3}), "utf-8")
    with pytest.raises(FormatError, match="was not written by tealeaves"):
        tl.load_index(tmp_path / "corpus")
    with pytest.raises(FileNotFoundError):
        tl.load_index(tmp_path / "nowhere")


def test_an_index_made_a_few_tokens_at_a_time_is_the_same(monkeypatch):
    corpus = tl.Corpus.from_tokens([["a", "b", "a"], [], ["c", "a", "b", "b"], ["d"]])
    whole = tl.build_index(corpus)
    monkeypatch.setattr("tealeaves.index.CHUNK", 3)
    parts = tl.build_index(corpus)
    for word in "abcd":
        assert parts.places(word).tolist() == whole.places(word).tolist()
    assert whole.places("b").tolist() == [1, 5, 6]
