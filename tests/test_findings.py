"""Faults that were found by trying to break the core, each with what must hold instead."""

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.errors import MissingInput, SpecError

W = tl.TopicModel.from_words


def test_a_topic_that_drops_out_of_a_resample_does_not_change_what_the_mean_is_over():
    docs = [["a", "b"]] * 60 + [["c"], ["d"]] * 69 + [["rare", "c"], ["c", "d"]]
    scores = tl.evaluate(
        W([["a", "b"], ["rare", "d"]]), tl.Corpus.from_tokens(docs), measures=["npmi@2"], chance=0
    )
    draws = scores.draws["model", "npmi@2"]
    assert scores.value("npmi@2") == 0
    assert np.abs(draws).max() < 0.2  # 1 and -1, or 1 and the value of the topic that was not drawn


def test_documents_shorter_than_a_context_leave_c_a_undefined():
    corpus = tl.Corpus.from_tokens([["oil", "gas", "price"], ["tax", "law", "court"]] * 50)
    scores = tl.evaluate(W([["oil", "gas", "price"]]), corpus, measures=["c_a@3"], ci=None)
    assert np.isnan(scores.value("c_a@3"))
    assert scores.frame["reason"].to_list() == ["no topic is defined: no context", "no context"]


def test_a_vacuous_topic_is_that_of_the_model_s_own_corpus_and_the_signature_says_which():
    own, other = (tl.Corpus.from_tokens([d]) for d in (["a", "a", "b"], ["a", "b", "b", "b"]))
    model = tl.TopicModel(["a", "b"], topic_word=[[0.5, 0.5]], corpus=own)
    alone = tl.evaluate(model, measures=["sig_vac"], ci=None)
    beside = tl.evaluate(model, reference=other, measures=["sig_vac", "npmi@2"], ci=None)
    assert alone.value("sig_vac") == beside.value("sig_vac")
    for scores in (alone, beside):
        signature = scores.frame.filter(scores.frame["measure"] == "sig_vac")["signature"][0]
        assert f"corpus:{own.fingerprint[:8]}" in signature


def test_random_lists_hold_no_word_twice_and_none_of_the_topic():
    from tealeaves.beside import random_candidates, random_lists

    rng = np.random.default_rng(0)
    topic = list(range(3, 13))
    candidates = random_candidates(topic, 500, 10, rng)
    lists = random_lists(candidates, 200, rng)
    assert all(len(set(row)) == 10 for row in lists.tolist())
    assert not set(lists.ravel().tolist()) & set(topic)


def test_a_reference_with_too_few_words_gives_no_band():
    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(12)]
    corpus = tl.Corpus.from_tokens([rng.choice(words, 5, replace=False).tolist() for _ in range(60)])
    scores = tl.evaluate(W([words[:10]]), corpus, measures=["npmi@10"], resamples=20, chance=20)
    assert scores.details.chance["model"]["0"]["npmi@10"] == [None, None, None]


def test_more_top_words_for_diversity_do_not_widen_what_is_counted():
    from tealeaves.measures._table import parse_all
    from tealeaves.word_pool import WordPool

    model = W([[f"w{i}" for i in range(100)]])
    pool = WordPool({"model": model}, parse_all("npmi@3,topic_diversity@100"))
    assert [len(topic) for topic in pool.topics] == [3]


def test_topic_proportions_count_whatever_their_documents_sum_to():
    raw = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 10.0]])
    values = [
        tl.evaluate(tl.TopicModel(["a", "b"], np.eye(2), doc_topic=theta), measures=["sig_back"], ci=None)
        for theta in (raw, raw / raw.sum(1, keepdims=True))
    ]
    assert values[0].value("sig_back") == pytest.approx(values[1].value("sig_back"), abs=1e-15)


def test_an_n_gram_whose_parts_never_stand_side_by_side_is_listed_as_absent():
    corpus = tl.Corpus.from_tokens([["learning", "machine", "ai"]] * 5)
    scores = tl.evaluate(W([["machine learning", "ai"]]), corpus, measures=["npmi@2"], ci=None)
    assert scores.details.unknown["model"]["0"]["absent"] == ["machine learning"]


def test_average_jaccard_is_over_all_depths_also_where_lists_have_ended():
    model = W([["a"], ["b", "a"]])
    assert tl.evaluate(model, measures=["average_jaccard@5"], ci=None).value("average_jaccard@5") == 0.4


def test_the_product_of_means_is_over_the_topics_that_have_both():
    corpus = tl.Corpus.from_tokens([["a", "b"], ["a", "c"], ["b", "c"]] * 4)
    scores = tl.evaluate(
        W([["a", "b"], ["a", "c"], ["zz", "a"]]), corpus, measures=["tq(variant='authors')@2"], ci=None
    )
    assert scores.frame["n_terms"].to_list() == [2]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("umass(window=10)", "window must be one of None"),
        ("inverted_rbo(p=2)", "p must be between 0 and 1"),
        ("frex(w=3)", "w must be from 0 to 1"),
        ("tq(coherence='npmi@5')", "without @n"),
        ("tq(coherence=5)", "without @n"),
        ("tq(coherence='diversity')", "a coherence measure"),
        ("coherence", "is a group of measures"),
    ],
)
def test_a_wrong_parameter_is_told_before_anything_is_read(spec, message):
    with pytest.raises(SpecError, match=message):
        tl.measure(spec)


def test_a_measure_inside_another_has_one_spelling():
    specs = ["tq(coherence='c_npmi')@2", "tq(coherence='npmi(window=10, smoothing=1e-12)')@2"]
    assert len({str(tl.measure(spec)) for spec in specs}) == 1


def test_a_group_takes_a_number_of_top_words():
    from tealeaves.measures._table import parse_all

    assert {spec.top for spec in parse_all("coherence@20")} == {20}


def test_labels_that_no_document_has_are_one_error():
    corpus = tl.Corpus.from_tokens([["a", "b"], ["a"]], labels=["", ""])
    with pytest.raises(MissingInput, match="no document of the reference has a label"):
        tl.evaluate(W([["a", "b"]]), corpus, measures=["npmi@2"], by="label", ci=None)


@pytest.mark.parametrize("option", [{"workers": "2"}, {"ci": "0.95"}, {"resamples": 2.5}, {"chance": True}])
def test_a_wrong_option_is_an_input_error(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        tl.evaluate(W([["a", "b"]]), tl.Corpus.from_tokens([["a", "b"]]), measures=["npmi@2"], **option)
