import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.measures.diagnostics import DIAGNOSTICS, diagnostics
from tealeaves.model import TopicModel, read_model

DATA = Path(os.environ.get("TEALEAVES_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
OF_WEIGHTS = {"word-length", "uniform_dist", "eff_num_words", "exclusivity"}


@pytest.fixture
def bbc():
    if not DATA.exists():
        pytest.skip("no data folder")
    return DATA / "formats" / "mallet_bbc"


def test_every_number_that_mallet_prints_comes_from_its_state_to_the_last_printed_digit(bbc):
    printed = diagnostics(bbc / "diagnostics.xml")
    ours = diagnostics(read_model(bbc / "topic-state.gz"))
    assert ours.columns == printed.columns == ["topic", *DIAGNOSTICS]
    for name in DIAGNOSTICS:
        assert [f"{value:.4f}" for value in ours[name]] == [f"{value:.4f}" for value in printed[name]], name


def test_weights_of_words_alone_give_what_needs_no_tokens(bbc):
    found = diagnostics(read_model(bbc / "topic-word-weights.txt.gz"))
    assert {name for name in DIAGNOSTICS if not found[name].is_nan().any()} == OF_WEIGHTS
    exact = diagnostics(read_model(bbc / "topic-state.gz"))
    counts = read_model(bbc / "word-topic-counts.txt")
    with_corpus = diagnostics(counts, read_model(bbc / "topic-state.gz").corpus)
    for name in ("uniform_dist", "eff_num_words", "corpus_dist"):
        np.testing.assert_allclose(with_corpus[name], exact[name], rtol=1e-9)


def model(assignments, documents, n_topics=2, alpha=0.5, eta=0.1):
    corpus = Corpus.from_tokens(documents)
    return TopicModel(
        corpus.vocabulary,
        np.ones((n_topics, len(corpus.vocabulary))),
        assignments=np.array(assignments, dtype=np.int32),
        alpha=alpha,
        eta=eta,
        corpus=corpus,
    )


def test_two_documents_worked_by_hand():
    row = diagnostics(model([0, 0, 0, 1], [["oil", "oil", "gas"], ["tax"]])).row(0, named=True)
    assert row["tokens"] == 3
    assert row["document_entropy"] == pytest.approx(0)  # all in one document
    assert row["uniform_dist"] == pytest.approx(2 / 3 * np.log(2) + 1 / 3 * np.log(1))
    assert row["corpus_dist"] == pytest.approx(np.log(4 / 3))
    assert row["eff_num_words"] == pytest.approx(9 / 5)
    assert row["coherence"] == pytest.approx(0)  # log((1 + .1) / (1 + .1))
    p, q, m = [2 / 3, 1 / 3], [1 / 2, 1 / 2], [7 / 12, 5 / 12]
    js = sum(0.5 * a * np.log(a / c) + 0.5 * b * np.log(b / c) for a, b, c in zip(p, q, m, strict=True))
    assert row["token-doc-diff"] == pytest.approx(js)
    assert (row["rank_1_docs"], row["allocation_ratio"], row["allocation_count"]) == (1, 1, 1)
    # p(word | topic) with beta .1 over 3 words: topic 0 has 3 tokens, topic 1 one
    first, other = (2.1 / 3.3) / (2.1 / 3.3 + 0.1 / 1.3), (1.1 / 3.3) / (1.1 / 3.3 + 0.1 / 1.3)
    assert row["exclusivity"] == pytest.approx((first + other) / 2)


def test_a_topic_without_tokens_is_nan_and_has_0_of_them():
    row = diagnostics(model([0, 0], [["oil", "gas"]])).row(1)
    assert row[:2] == (1, 0.0)
    assert all(np.isnan(value) for value in row[2:])


def test_what_the_model_does_not_know_is_nan():
    found = diagnostics(model([0, 1], [["oil"], ["gas"]], alpha=None, eta=None))
    missing = {"coherence", "exclusivity", "allocation_ratio", "allocation_count"}
    assert {name for name in DIAGNOSTICS if found[name].is_nan().any()} == missing
    given_beta = diagnostics(model([0, 1], [["oil"], ["gas"]], eta=None), beta=0.1)
    assert not given_beta["coherence"].is_nan().any()
    words = diagnostics(TopicModel.from_words([["oil", "gas"]]))
    assert {name for name in DIAGNOSTICS if not words[name].is_nan().any()} == {"word-length"}


def test_assignments_of_another_corpus_are_refused():
    other = Corpus.from_tokens([["oil"] * 5])
    with pytest.raises(InputError, match="not of the 5 tokens of the corpus"):
        diagnostics(model([0, 1], [["oil"], ["gas"]]), other)


def test_xml_of_another_kind_is_no_diagnostics(tmp_path):
    (tmp_path / "d.xml").write_text("<topics></topics>")
    with pytest.raises(FormatError, match=r"d\.xml:1: XML of MALLET with <model> was expected"):
        diagnostics(tmp_path / "d.xml")


tokens = st.lists(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 2)), max_size=8), min_size=1)


@settings(max_examples=60, deadline=None)
@given(tokens.filter(lambda docs: any(docs)))
def test_bounds_hold_and_the_order_of_documents_does_not_matter(documents):
    words = [[word for word, _ in doc] for doc in documents]
    topics = [topic for doc in documents for _, topic in doc]
    found = diagnostics(model(topics, words, n_topics=3))
    turned = diagnostics(model([t for doc in documents[::-1] for _, t in doc], words[::-1], n_topics=3))
    for name in DIAGNOSTICS:
        np.testing.assert_allclose(found[name], turned[name], atol=1e-12)
    there = found.filter(found["tokens"] > 0)
    assert found["tokens"].sum() == len(topics)
    assert (there["eff_num_words"] >= 1 - 1e-12).all()
    assert (there["document_entropy"] >= -1e-12).all()
    assert (there["document_entropy"] <= np.log(len(documents)) + 1e-12).all()
    for name in ("uniform_dist", "corpus_dist", "token-doc-diff"):
        assert (there[name] >= -1e-12).all()
    for name in ("rank_1_docs", "allocation_count", "exclusivity"):
        assert there[name].is_between(0, 1 + 1e-12).all()


def test_tokens_without_a_word_or_a_topic_take_no_part():
    whole = model([0, 0, 1], [["oil", "gas"], ["tax"]])
    part = replace(whole, assignments=np.array([0, -1, 1]))
    np.testing.assert_array_equal(diagnostics(part)["tokens"], [1, 1])
