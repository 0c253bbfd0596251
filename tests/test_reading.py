"""Documents to read: which are chosen, and that text, tokens and topics stay together."""

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.measures.local import TokenTopics
from tealeaves.reading import LEAST, MOST, PASSAGE, documents_to_read
from tealeaves.report.documents import COLOURS, colours, documents, of_document

WORDS = ["oil", "gas", "and", "tax", "law", "the", "oil"]


def planted(texts, topics, k=3):
    corpus = tl.Corpus.from_texts(texts, ids=[f"d{i}" for i in range(len(texts))])
    z = np.concatenate(topics).astype(np.int32)
    words = np.asarray(corpus.tokens)
    phi = np.full((k, len(corpus.vocabulary)), 1 / len(corpus.vocabulary))
    model = tl.TopicModel(corpus.vocabulary, phi, assignments=z)
    return model, corpus, TokenTopics(words, z, corpus.offsets, k)


def test_the_least_and_the_most_consistent_documents_are_chosen_in_that_order():
    texts = [" ".join(["oil gas tax law"] * 10)] * 12
    switching = [np.arange(40) % 2 if d < 3 else np.zeros(40) for d in range(12)]
    pages = documents_to_read(*planted(texts, switching))
    assert [page["end"] for page in pages] == ["least"] * LEAST + ["most"] * MOST
    assert [page["id"] for page in pages[:3]] == ["d0", "d1", "d2"]
    assert [page["consistency"] for page in pages] == [0, 0, 0, 1, 1, 1]


def test_a_passage_is_the_documents_own_text_and_every_token_stands_at_its_place():
    text = "Oil, GAS and\n\ttax-law: the Oil."
    model, corpus, found = planted([text] * 3, [np.arange(7) % 3] * 3)
    page = documents_to_read(model, corpus, found)[0]
    assert page["text"] == text
    assert page["original"]
    assert [text[s:e].lower() for s, e, _, _ in page["tokens"]] == [
        "oil",
        "gas",
        "and",
        "tax",
        "law",
        "the",
        "oil",
    ]
    assert [z for _, _, z, _ in page["tokens"]] == [0, 1, 2, 0, 1, 2, 0]


def test_the_likeliest_topics_of_a_word_are_those_of_its_document_and_its_weight():
    corpus = tl.Corpus.from_tokens([["a", "b", "a"]] * 2)
    z = np.array([0, 0, 1] * 2, np.int32)
    model = tl.TopicModel(["a", "b"], [[0.5, 0.5], [1.0, 0.0]], assignments=z)
    page = documents_to_read(model, corpus, TokenTopics(corpus.tokens, z, corpus.offsets, 2))[0]
    # p(0 | a) = 2/3 * 0.5 / (2/3 * 0.5 + 1/3 * 1) = 1/2
    assert page["tokens"][0][3] == [[0, 0.5], [1, 0.5]]
    assert page["tokens"][1][3] == [[0, 1.0]]
    assert not page["original"]
    assert page["text"] == "a b a"


def test_of_a_long_document_the_stretch_that_changes_topic_most_is_shown():
    n = 100_000
    z = np.zeros(n, np.int32)
    z[70_000:70_200] = np.arange(200) % 2
    corpus = tl.Corpus.from_tokens([["w"] * n])
    model = tl.TopicModel(["w"], [[1.0], [1.0]], assignments=z)
    (page,) = documents_to_read(model, corpus, TokenTopics(corpus.tokens, z, corpus.offsets, 2))
    assert page["shown"] == PASSAGE
    assert page["total"] == n
    assert len(page["tokens"]) == PASSAGE
    assert 69_899 <= page["first"] <= 70_000
    assert set(page["strip"]) == {0}


@pytest.mark.parametrize(
    "tokens", [[[]], [["a"]], [[], ["a"], []]], ids=["empty", "one token", "mostly empty"]
)
def test_documents_without_neighbours_give_nothing_to_read(tokens):
    corpus = tl.Corpus.from_tokens(tokens, vocabulary=["a"])
    z = np.zeros(corpus.n_tokens, np.int32)
    model = tl.TopicModel(["a"], [[1.0]], assignments=z)
    assert documents_to_read(model, corpus, TokenTopics(corpus.tokens, z, corpus.offsets, 1)) == []


def test_two_topics_of_one_document_never_share_a_colour():
    rng = np.random.default_rng(0)
    for _ in range(20):
        lists = [
            [(int(k), (8 - i) / 36) for i, k in enumerate(rng.permutation(12)[:8])]  # the largest first
            for _ in range(6)
        ]
        found = colours(lists)
        for topics in lists:
            own = of_document(topics, found)
            assert sorted(own) == sorted(k for k, _ in topics[:COLOURS])  # none of the largest is grey
            assert sorted(own.values()) == list(range(1, COLOURS + 1))
            kept = [own[k] == found[k] for k in own if k in found]
            assert all(kept)


def test_the_section_shows_a_seventh_topic_in_grey_and_escapes_nothing_twice():
    texts = ["<b>one</b> two three four five six seven eight"] * 2
    model, corpus, _found = planted(texts, [np.arange(10) % 8] * 2, k=8)
    scores = tl.evaluate(model, corpus, measures=["consistency"], resamples=10)
    section = documents(scores, [], vars(scores.details))
    page = section["models"][0]["pages"][0]
    assert len(page["legend"]) == COLOURS
    grey = {p["topic"] for p in page["pieces"] if p["kind"] == "word" and not p["colour"]}
    assert grey == set(range(8)) - {entry["topic"] for entry in page["legend"]}
    assert "".join(p["text"] for p in page["pieces"]) == texts[0]


def test_the_report_of_local_measures_holds_the_text_and_chance(tmp_path):
    texts = ["oil gas oil & gas", "tax <law> tax law"] * 5
    topics = [np.zeros(4), np.ones(4)] * 5
    model, corpus, _ = planted(texts, topics, k=2)
    tl.evaluate(model, corpus, measures=["local"], resamples=20).report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "In the documents: neighbouring words change topic in 0 of 100 cases" in page
    assert "&lt;" in page
    assert "<law>" not in page
    assert "would reach 0.50" in page
