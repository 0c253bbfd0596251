"""How to repeat a report: nothing that changed a number is left out, and it is Python."""

import pytest

import tealeaves as tl
from tealeaves.report.notices import said_once
from tealeaves.report.repeat import given
from tealeaves.report.summary import summarize

DOCS = [["oil", "gas", "price"], ["law", "court", "judge"], ["oil", "law", "tea"]] * 5
LISTS = [["oil", "gas", "price"], ["law", "court", "judge"]]


@pytest.fixture(scope="module")
def corpus():
    return tl.Corpus.from_tokens(DOCS, slices=["a", "b", "a"] * 5)


def told(scores):
    method = summarize(scores)["method"]
    compile(method["python"], "report", "exec")
    return method["command"], method["python"]


def test_a_reference_alone_is_told_as_a_reference(corpus):
    model = tl.TopicModel.from_words(LISTS, name="lists")
    command, python = told(tl.evaluate(model, reference=corpus, measures=["npmi@3"], resamples=20, chance=5))
    assert "--reference REFERENCE" in command
    assert "--corpus" not in command
    assert "models, reference=reference," in python
    assert "resamples=20, seed=0, chance=5," in python


def test_held_out_text_groups_and_no_intervals_are_told(corpus):
    held_out = tl.Corpus.from_tokens([["oil", "court"]] * 3)
    model = tl.TopicModel(["court", "gas", "oil"], [[0.1, 0.4, 0.5], [0.8, 0.1, 0.1]], alpha=0.1, name="phi")
    asked = {"measures": ["npmi@2", "perplexity"], "ci": None, "by": "slice"}
    command, python = told(tl.evaluate(model, corpus, held_out=held_out, **asked))
    assert "--held-out HELD_OUT" in command
    assert "--by slice" in command
    assert "--no-ci" in command
    assert "models, corpus, held_out=held_out," in python
    assert "by='slice', ci=None," in python


def test_word_vectors_and_a_matcher_are_places_to_fill_in_like_texts(corpus):
    model = tl.TopicModel.from_words(LISTS, name="lists")
    vectors = {word: [i, 1.0] for i, word in enumerate(corpus.vocabulary)}
    scores = tl.evaluate(model, corpus, measures=["we_coherence@3", "npmi@3"], vectors=vectors, ci=None)
    command, python = told(scores)
    assert "--vectors VECTORS" in command
    assert 'vectors = read_vectors("VECTORS")' in python
    assert "from tealeaves.readers.vectors import read_vectors" in python
    assert "models, corpus, vectors=vectors," in python
    details = {"coverage": {"lists": {}}}
    assert given(details, ["au_cdc"]) == ["reference_topics"]
    assert given(details, ["sup_cov"]) == ["reference_topics", "matcher"]


def test_what_a_model_is_stands_beside_it_and_not_in_its_path(corpus):
    runs = [tl.TopicModel.from_words(LISTS, source=f"tealeaves.fit: LDA, k=2, seed={i}") for i in range(2)]
    file = tl.TopicModel.from_words(LISTS, source="topics.txt (a list of words)")
    _, python = told(tl.evaluate({"lda": runs, "file": file}, corpus, measures=["npmi@2"], resamples=20))
    assert 'tl.read_model("LDA-1"),  # tealeaves.fit: LDA, k=2, seed=0' in python
    assert '"file": tl.read_model("topics.txt"),  # a list of words' in python


def test_the_same_text_is_described_once(corpus):
    model = tl.TopicModel.from_words(LISTS)
    texts = summarize(tl.evaluate(model, corpus, measures=["npmi@3"], ci=None))["method"]["corpora"]
    assert texts["reference"] == {"the same text as the": "corpus"}


def test_a_warning_of_many_runs_and_measures_is_said_once():
    runs = [f"lda#{i}" for i in range(1, 6)]
    texts = [
        f"{run}: {m} leaves out 2% of the words" for run in runs for m in ("perplexity", "bits_per_word")
    ]
    assert said_once(texts, runs) == [
        "lda#1, lda#2 and 3 more models: perplexity leaves out 2% of the words; so does bits_per_word"
    ]


def test_warnings_that_differ_are_all_said():
    texts = ["a: perplexity leaves out 2%", "b: perplexity leaves out 3%", "Stop: few documents"]
    assert said_once(texts, ["a", "b"]) == texts
