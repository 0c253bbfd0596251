"""The matrix of switches: counted by hand, consistent with the measures, refused where it cannot be."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import InputError, MissingInput
from tealeaves.measures.local import TokenTopics, switch_p
from tealeaves.switches import Switch, Switches

lists = st.lists(st.lists(st.integers(-1, 3), max_size=10), min_size=1, max_size=6)


def tokens_of(documents, **options):
    topics = [z for doc in documents for z in doc]
    offsets = np.cumsum([0] + [len(doc) for doc in documents])
    return TokenTopics(np.zeros(len(topics), int), topics, offsets, 4, **options)


def test_the_matrix_of_a_small_corpus_is_the_one_counted_by_hand():
    found = tl.switches(tokens_of([[0, 0, 1, 0, 2], [2, 2, -1, 1]]))
    assert found.counts.tolist() == [[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert found.n_pairs == 5
    assert found.shares[0].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert found.leaving[:3].tolist() == pytest.approx([2 / 3, 1, 0])
    assert found.arriving[:3].tolist() == pytest.approx([1 / 2, 1, 1 / 2])
    assert np.isnan(found.shares[3]).all()


@given(lists)
def test_what_leaves_each_topic_is_switch_p_of_the_topic_and_the_whole_is_the_model_s(documents):
    tokens = tokens_of(documents)
    found, levels = tl.switches(tokens), switch_p(tokens)
    np.testing.assert_allclose(found.leaving, levels.topics.value)
    off = found.n_pairs - np.trace(found.counts)
    if found.n_pairs:
        assert levels.model.value == pytest.approx(off / found.n_pairs)
    plain = [pair for doc in documents for pair in pairwise(doc) if min(pair) >= 0]
    assert found.counts.sum() == len(plain)


@given(lists)
def test_the_reversed_documents_have_the_transposed_matrix(documents):
    there = tl.switches(tokens_of(documents)).counts
    back = tl.switches(tokens_of([doc[::-1] for doc in documents])).counts
    assert (back == there.T).all()


def test_the_most_frequent_switches_come_first_and_a_topic_s_own_on_demand():
    found = tl.switches(tokens_of([[0, 1, 0, 1, 0, 2, 2], [1, 0]]))
    assert [(s.before, s.after, s.times) for s in found.most()] == [(1, 0, 3), (0, 1, 2), (0, 2, 1)]
    assert found.most(1, topic=0) == [Switch(0, 1, 2, pytest.approx(2 / 3), pytest.approx(2 / 3 * 3 / 2))]
    assert found.most(5, topic=3) == []
    with pytest.raises(InputError, match="topic must be 0 to 3; got 7"):
        found.most(topic=7)


def test_switches_that_are_no_more_frequent_than_by_chance_have_a_lift_near_1():
    topics = np.random.default_rng(0).integers(4, size=100_000)
    found = tl.switches(TokenTopics(topics, topics, [0, len(topics)], 4))
    assert [s.lift for s in found.most(12)] == pytest.approx([1] * 12, abs=0.05)


def test_intervals_of_shares_hold_the_share_and_narrow_with_documents():
    rng = np.random.default_rng(1)
    widths = []
    for n in (40, 400):
        found = tl.switches(tokens_of(rng.integers(4, size=(n, 50)).tolist()), ci=0.95, resamples=400)
        most = found.most(5)
        assert [s.share for s in most] == [s.share for s in Switches(found.counts).most(5)]
        assert all(s.low < s.share < s.high for s in most)
        widths.append(np.mean([s.high - s.low for s in most]))
    assert widths[1] == pytest.approx(widths[0] / 10**0.5, rel=0.25)  # as square roots of documents do


def test_a_share_that_every_document_has_alike_has_no_width():
    found = tl.switches(tokens_of([[0, 1, 0, 2, 0, 1]] * 9), ci=0.9, resamples=50)
    assert [(s.before, s.after, s.share, s.low, s.high) for s in found.most(topic=0)] == [
        (0, 1, pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3)),
        (0, 2, pytest.approx(1 / 3), pytest.approx(1 / 3), pytest.approx(1 / 3)),
    ]


def test_of_one_document_no_interval_is_made():
    (one, *_) = tl.switches(tokens_of([[0, 1, 0]]), ci=0.95).most()
    assert np.isnan([one.low, one.high]).all()
    with pytest.raises(InputError, match="ci must be between 0 and 1"):
        tl.switches(tokens_of([[0, 1]]), ci=95)


def test_sentences_divide_the_switches():
    corpus = tl.Corpus.from_texts(["Oil gas. Tax law. Oil!"])
    z = [0, 0, 1, 1, 0]
    model = tl.TopicModel(corpus.vocabulary, topic_word=np.full((2, 4), 0.25), assignments=z)
    within, across, every = (
        tl.switches(model, corpus, sentences=s).counts for s in ("within", "across", "all")
    )
    assert within.tolist() == [[1, 0], [0, 1]]
    assert across.tolist() == [[0, 1], [1, 0]]
    assert (within + across == every).all()


def test_gaps_can_be_closed():
    assert tl.switches(tokens_of([[0, -1, 1]])).n_pairs == 0
    assert tl.switches(tokens_of([[0, -1, 1]]), gaps="closed").counts[0, 1] == 1


def test_mistakes_are_told():
    model = tl.TopicModel(["a", "b"], topic_word=[[0.5, 0.5]])
    corpus = tl.Corpus.from_tokens([["a", "b"]])
    with pytest.raises(InputError, match="sentences must be one of 'all', 'within', 'across'; got 'every'"):
        tl.switches(model, corpus, sentences="every")
    with pytest.raises(MissingInput, match="assign='map'"):
        tl.switches(model, corpus)
    with pytest.raises(InputError, match="assign must be one of 'model', 'map', 'gibbs'"):
        tl.switches(model, corpus, assign="vb")
    assert tl.switches(model, corpus, assign="map").counts.tolist() == [[1]]


def test_the_topics_of_a_real_state_switch_most_between_each_other_s_neighbours(data):
    model = tl.read_model(data / "formats" / "mallet_bbc" / "topic-state.gz")
    found = tl.switches(model)
    assert found.n_pairs == model.corpus.n_tokens - (np.diff(model.corpus.offsets) > 0).sum()
    first = found.most(1)[0]
    assert first.times == (found.counts * (1 - np.eye(20, dtype=int))).max()
