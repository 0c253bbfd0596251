"""Local measures: the golden values of both readings, plain formulas beside the kernels, properties."""

import io
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score

import tealeaves as tl
from tealeaves.errors import InputError, MissingInput
from tealeaves.measures import _tokens
from tealeaves.measures.local import (
    TokenTopics,
    assignment_information,
    avg_rank,
    chance_consistency,
    consistency,
    shuffled_consistency,
    switch_p,
    switch_vi,
    window,
    word_div,
)

# The tokens of the golden vectors (seed 001): A A A B | B C | C | (empty), with their topics.
DOCS = [["A", "A", "A", "B"], ["B", "C"], ["C"], []]
LOC = TokenTopics([0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1, 0], [0, 4, 6, 7, 7], 2)
PHI = np.array([[1 / 2, 3 / 8, 1 / 8], [1 / 8, 5 / 8, 1 / 4]])
WD = TokenTopics([0, 0, 0, 1], [0, 0, 1, 1], [0, 2, 3, 4, 4], 2)
WD_PHI = np.array([[1 / 2, 1 / 2], [0, 1]])
WD_THETA = np.array([[1 / 2, 1 / 2], [0, 1], [0, 1], [1 / 2, 1 / 2]])
OF_PAIRS = (consistency, switch_p, switch_vi)


def of_model(levels):
    return float(levels.model.value)


def with_theta(tokens, theta):
    return TokenTopics(tokens.words, tokens.topics, tokens.offsets, tokens.n_topics, doc_topic=theta)


def random_tokens(seed, k=4, v=9, d=12, longest=15, absent=0.15):
    """Documents of any length, some tokens of which have no topic, or a word that the model has not."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, longest, d))])
    n = int(offsets[-1])
    topics, words = rng.integers(k, size=n), rng.integers(v, size=n)
    topics[rng.random(n) < absent] = -1
    words[rng.random(n) < absent] = -1
    return TokenTopics(words, topics, offsets, k), rng.dirichlet(np.ones(v), k)


tokens_and_topics = st.integers(0, 10**6).map(random_tokens)


def documents_of(tokens):
    """The words and topics of each document as lists."""
    bounds = list(zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True))
    return [(tokens.words[a:b].tolist(), tokens.topics[a:b].tolist()) for a, b in bounds]


def pairs_of(tokens):
    return [[p for p in pairwise(z) if min(p) >= 0] for _, z in documents_of(tokens)]


# --- values from outside


@pytest.mark.parametrize(
    ("found", "value"),
    [
        (lambda: switch_p(LOC), 1 / 4),
        (lambda: consistency(LOC), 3 / 4),
        (lambda: switch_vi(LOC), 3 / 4 * math.log(3)),
        (lambda: avg_rank(LOC, PHI), 10 / 7),
        (
            lambda: avg_rank(TokenTopics([0, 1, 2], [0, 0, 0], [0, 3], 1), np.array([[0.5, 0.25, 0.25]])),
            5 / 3,
        ),
        (lambda: window(LOC, PHI), 23 / 56),
        (lambda: window(LOC, PHI, variant="printed"), 13 / 42),
        (lambda: word_div(WD, WD_PHI), (3 / 4 * math.log(4 / 3) + math.log(2)) / 3),
        (
            lambda: word_div(with_theta(WD, WD_THETA), WD_PHI, theta="model"),
            (1 / 2 * (1 / 4 * math.log(2 / 5) + 3 / 4 * math.log(2) + math.log(8 / 5)) + math.log(2)) / 3,
        ),
    ],
)
def test_the_golden_values_of_both_readings(found, value):  # golden/temporal_local.json
    assert of_model(found()) == pytest.approx(value, abs=1e-12)


def test_evaluate_finds_the_golden_values_from_a_model_and_a_corpus():
    model = tl.TopicModel(["A", "B", "C"], topic_word=PHI, assignments=LOC.topics)
    specs = ["consistency", "switch_p", "switch_vi", "avg_rank", "window", "window(variant='printed')"]
    scores = tl.evaluate(model, tl.Corpus.from_tokens(DOCS), measures=specs, ci=None)
    wanted = [3 / 4, 1 / 4, 3 / 4 * math.log(3), 10 / 7, 23 / 56, 13 / 42]
    assert [scores.value(spec) for spec in specs] == pytest.approx(wanted, abs=1e-12)


def test_evaluate_takes_the_model_s_proportions_where_theta_is_the_model_s():
    model = tl.TopicModel(["A", "B"], topic_word=WD_PHI, assignments=WD.topics, doc_topic=WD_THETA)
    corpus = tl.Corpus.from_tokens([["A", "A"], ["A"], ["B"], []])
    specs = ["word_div", "word_div(theta='model')"]
    scores = tl.evaluate(model, corpus, measures=specs, ci=None)
    by_theta = (1 / 2 * (1 / 4 * math.log(2 / 5) + 3 / 4 * math.log(2) + math.log(8 / 5)) + math.log(2)) / 3
    wanted = [(3 / 4 * math.log(4 / 3) + math.log(2)) / 3, by_theta]
    assert [scores.value(spec) for spec in specs] == pytest.approx(wanted, abs=1e-12)


@given(st.integers(0, 10**6))
def test_mutual_information_is_what_scikit_learn_finds(seed):
    z, t = np.random.default_rng(seed).integers(0, 5, (2, 60))
    found = assignment_information(z, t)
    assert found.nats == pytest.approx(mutual_info_score(z, t), abs=1e-10)
    assert found.normalised == pytest.approx(normalized_mutual_info_score(z, t), abs=1e-10)


@given(tokens_and_topics)
def test_the_divergence_is_the_square_of_scipy_s_distance(world):
    from scipy.spatial.distance import jensenshannon

    tokens, phi = world
    values = word_div(tokens, phi).documents.value
    for d, (words, topics) in enumerate(documents_of(tokens)):
        usable = [(w, z) for w, z in zip(words, topics, strict=True) if w >= 0 and z >= 0]
        if not usable:
            assert np.isnan(values[d])
            continue
        psi = np.bincount([w for w, _ in usable], minlength=9) / len(usable)
        theta = np.bincount([z for _, z in usable], minlength=4) / len(usable)
        assert values[d] == pytest.approx(jensenshannon(theta @ phi, psi) ** 2, abs=1e-10)


# --- the formulas, plainly


@given(tokens_and_topics)
def test_switches_are_those_of_the_formula(world):
    tokens, _ = world
    by_document = pairs_of(tokens)
    pairs = [pair for pairs in by_document for pair in pairs]
    levels = switch_p(tokens)
    assert levels.model.n_terms == len(pairs)
    if pairs:
        assert of_model(levels) == pytest.approx(np.mean([a != b for a, b in pairs]))
    for k in range(4):
        mine = [a != b for a, b in pairs if a == k]
        assert levels.topics.value[k] == pytest.approx(np.mean(mine) if mine else np.nan, nan_ok=True)
    for d, mine in enumerate(by_document):
        wanted = np.mean([a != b for a, b in mine]) if mine else np.nan
        assert levels.documents.value[d] == pytest.approx(wanted, nan_ok=True)


def variation(pairs):
    """H(S) + H(T) - 2 I(S, T) of pairs, from tables of shares."""

    def entropy(labels):
        shares = np.unique(labels, axis=0, return_counts=True)[1] / len(labels)
        return -(shares * np.log(shares)).sum()

    table = np.array(pairs)
    s, t, both = entropy(table[:, 0]), entropy(table[:, 1]), entropy(table)
    return s + t - 2 * (s + t - both)


@given(tokens_and_topics)
def test_variation_of_information_is_that_of_the_formula(world):
    tokens, _ = world
    levels = switch_vi(tokens)
    by_document = pairs_of(tokens)
    pairs = [pair for pairs in by_document for pair in pairs]
    if pairs:
        assert of_model(levels) == pytest.approx(variation(pairs), abs=1e-10)
    for d, mine in enumerate(by_document):
        wanted = variation(mine) if mine else np.nan
        assert levels.documents.value[d] == pytest.approx(wanted, abs=1e-10, nan_ok=True)


@given(tokens_and_topics)
def test_variation_of_the_model_is_the_mean_of_both_sides_of_its_topics(world):
    tokens, _ = world
    pairs = np.array([pair for pairs in pairs_of(tokens) for pair in pairs]).reshape(-1, 2)
    if not len(pairs):
        return
    levels = switch_vi(tokens)
    total = 0.0
    for k in range(4):
        sides = [(pairs[pairs[:, 0] == k], 1), (pairs[pairs[:, 1] == k], 0)]
        parts = []
        for mine, other in sides:
            shares = np.unique(mine[:, other], return_counts=True)[1] / max(len(mine), 1)
            parts.append(-(shares * np.log(shares)).sum())
            total += len(mine) / len(pairs) * parts[-1]
        if any(len(mine) for mine, _ in sides):
            assert levels.topics.value[k] == pytest.approx(sum(parts), abs=1e-10)
        else:
            assert np.isnan(levels.topics.value[k])
    assert of_model(levels) == pytest.approx(total, abs=1e-10)


@given(tokens_and_topics, st.integers(1, 3), st.booleans())
def test_windows_are_those_of_the_formula(world, s, printed):
    tokens, phi = world
    terms = []
    for words, topics in documents_of(tokens):
        for i, (w, z) in enumerate(zip(words, topics, strict=True)):
            if w < 0 or z < 0:
                continue
            near = [topics[j] for j in range(max(i - s, 0), min(i + s + 1, len(topics))) if topics[j] >= 0]
            terms.append(sum(phi[k, w] for k in near) / (2 * s + 1 if printed else len(near)))
    found = window(tokens, phi, s=s, variant="printed" if printed else "existing")
    assert of_model(found) == pytest.approx(np.mean(terms) if terms else np.nan, nan_ok=True)


@given(tokens_and_topics)
def test_ranks_are_those_of_the_formula(world):
    tokens, phi = world
    phi = phi.round(1)  # with ties
    usable = [(w, z) for w, z in zip(tokens.words, tokens.topics, strict=True) if w >= 0 and z >= 0]
    ranks = [1 + (phi[z] > phi[z, w]).sum() for w, z in usable]
    levels = avg_rank(tokens, phi)
    assert of_model(levels) == pytest.approx(np.mean(ranks) if ranks else np.nan, nan_ok=True)
    assert levels.topics.n_terms.sum() == levels.documents.n_terms.sum() == len(ranks)


# --- edges


def test_a_token_without_a_topic_keeps_its_place_unless_gaps_are_closed():
    tokens = TokenTopics([0, 1, 2], [0, -1, 0], [0, 3], 2)
    assert switch_p(tokens).model.reason == "no pair of neighbours with topics"
    assert np.isnan(of_model(switch_p(tokens)))
    assert of_model(switch_p(tokens, gaps="closed")) == 0
    assert switch_p(tokens, gaps="closed").model.n_terms == 1


def test_documents_do_not_touch_even_where_gaps_are_closed():
    tokens = TokenTopics([0] * 4, [0, -1, 1, 1], [0, 2, 4], 2)
    assert of_model(consistency(tokens, gaps="closed")) == 1
    assert len(tokens.closed()) == 2


@pytest.mark.parametrize(
    ("words", "topics", "offsets"),
    [
        ([], [], [0]),
        ([], [], [0, 0, 0]),
        ([0], [0], [0, 1]),
        ([0, 0], [-1, -1], [0, 2]),
        ([0, 0], [0, 1], [0, 1, 2]),
    ],
)
def test_without_a_pair_there_is_no_switch_but_a_reason(words, topics, offsets):
    tokens = TokenTopics(words, topics, offsets, 2)
    for measure in OF_PAIRS:
        levels = measure(tokens)
        assert np.isnan(of_model(levels))
        assert levels.model.reason == "no pair of neighbours with topics"
        assert levels.model.n_terms == 0
        assert np.isnan(levels.topics.value).all()
        assert len(levels.documents.value) == len(offsets) - 1


def test_one_token_has_a_rank_a_window_and_a_divergence():
    tokens, phi = TokenTopics([1], [0], [0, 1], 1), np.array([[0.75, 0.25]])
    assert of_model(avg_rank(tokens, phi)) == 2
    assert of_model(window(tokens, phi)) == 0.25
    by_hand = 0.5 * (0.25 * math.log(0.25 / 0.625) + 0.75 * math.log(2) + math.log(1 / 0.625))
    assert of_model(word_div(tokens, phi)) == pytest.approx(by_hand)


def test_tokens_that_are_all_unknown_are_undefined_with_a_reason():
    tokens, phi = TokenTopics([-1, -1], [0, 1], [0, 2], 2), np.eye(2)
    for levels in (avg_rank(tokens, phi), window(tokens, phi)):
        assert levels.model.reason == "no token with word and topic"
        assert np.isnan(of_model(levels))
    levels = word_div(tokens, phi)
    assert levels.documents.reason.tolist() == ["no token with word and topic"]
    assert str(levels.model.reason) == "no document is defined: no token with word and topic"
    assert of_model(switch_p(tokens)) == 1  # a word that the model lacks may have a topic


def test_empty_documents_are_left_out_and_not_counted_as_0():
    levels = word_div(WD, WD_PHI)
    assert levels.model.n_terms == 3
    assert np.isnan(levels.documents.value).tolist() == [False, False, False, True]


def test_a_share_of_an_empty_topic_leaves_a_document_undefined():
    phi = np.array([[0.5, 0.5], [0.0, 0.0]])
    levels = word_div(TokenTopics([0, 1, 0], [0, 1, 0], [0, 2, 3], 2), phi)
    assert levels.documents.reason.tolist() == ["an empty topic has a share of it", ""]
    assert levels.model.n_terms == 1


def test_arrays_that_do_not_belong_together_are_refused():
    with pytest.raises(InputError, match="there are 2 words, but 1 topics"):
        TokenTopics([0, 1], [0], [0, 2], 1)
    with pytest.raises(InputError, match="the offsets end at 3, but there are 2 tokens"):
        TokenTopics([0, 1], [0, 0], [0, 3], 1)
    with pytest.raises(InputError, match=r"topics must be 0 to 1, or -1 for a token without one; got 0 to 2"):
        TokenTopics([0, 1], [0, 2], [0, 2], 2)
    with pytest.raises(InputError, match="words must be ids, or -1"):
        TokenTopics([-2], [0], [0, 1], 1)
    with pytest.raises(InputError, match="sentences has 1 numbers for 2 tokens"):
        TokenTopics([0, 1], [0, 0], [0, 2], 1, sentences=[0])
    with pytest.raises(
        InputError, match=r"topic_word has 1 topics of 2 words, but there are tokens of 2 topics"
    ):
        avg_rank(TokenTopics([0], [1], [0, 1], 2), np.array([[0.5, 0.5]]))
    with pytest.raises(InputError, match="doc_topic must be 4 documents × 2 topics"):
        word_div(with_theta(WD, np.eye(2)), WD_PHI, theta="model")
    with pytest.raises(InputError, match="must be of the same tokens"):
        assignment_information([0, 1], [0])
    with pytest.raises(MissingInput, match="needs the sentence of each token"):
        switch_p(LOC, sentences="within")


def test_topics_that_are_one_and_the_same_tell_nothing_and_have_no_share():
    assert assignment_information([0, 0], [3, 3]) == (0.0, pytest.approx(np.nan, nan_ok=True), 2)
    assert assignment_information([-1, 0], [0, -1]).n == 0


# --- sentences


def test_switches_within_and_across_sentences_make_up_all_switches():
    tokens = TokenTopics([0] * 6, [0, 0, 1, 1, 1, 0], [0, 4, 6], 2, sentences=[0, 0, 0, 1, 2, 2])
    within, across, every = (switch_p(tokens, sentences=s).model for s in ("within", "across", "all"))
    assert (float(within.value), int(within.n_terms)) == (2 / 3, 3)  # 00 01 | 10
    assert (float(across.value), int(across.n_terms)) == (0, 1)  # 1 1
    assert (float(every.value), int(every.n_terms)) == (0.5, 4)


# --- what is known beforehand


def test_alternation_costs_no_information_but_is_all_switches():
    tokens = TokenTopics([0] * 10, [0, 1] * 5, [0, 10], 2)
    assert of_model(switch_p(tokens)) == 1
    assert of_model(switch_vi(tokens)) == 0
    round_of_three = TokenTopics([0] * 12, [0, 1, 2] * 4, [0, 12], 3)
    assert of_model(switch_vi(round_of_three)) == 0


def test_topics_drawn_at_random_have_the_variation_of_chance_2_log_k():
    topics = np.random.default_rng(0).integers(4, size=200_000)
    tokens = TokenTopics(topics, topics, [0, len(topics)], 4)
    assert of_model(switch_vi(tokens)) == pytest.approx(2 * math.log(4), abs=1e-3)
    assert of_model(consistency(tokens)) == pytest.approx(chance_consistency(tokens), abs=5e-3)


def test_the_consistency_of_chance_is_that_of_shuffled_tokens():
    tokens, _ = random_tokens(3, d=40, absent=0)
    rng, found = np.random.default_rng(0), []
    for _ in range(400):
        topics = [rng.permutation(z) for _, z in documents_of(tokens)]
        again = TokenTopics(tokens.words, np.concatenate(topics), tokens.offsets, 4)
        found.append(of_model(consistency(again)))
    assert np.mean(found) == pytest.approx(shuffled_consistency(tokens), abs=0.01)


def test_a_document_of_one_topic_whose_words_are_as_expected_does_not_diverge():
    tokens = TokenTopics([0, 1, 1, 1], [0, 0, 0, 0], [0, 4], 1)
    assert of_model(word_div(tokens, np.array([[0.25, 0.75]]))) == pytest.approx(0, abs=1e-12)
    apart = TokenTopics([0, 0], [0, 0], [0, 2], 1)
    assert of_model(word_div(apart, np.array([[0.0, 1.0]]))) == pytest.approx(math.log(2))


# --- properties


@given(tokens_and_topics, st.permutations(range(4)))
def test_what_topics_are_called_moves_nothing(world, order):
    tokens, phi = world
    place = np.array([*order, -1])  # the new number of each topic; -1 stays
    again = TokenTopics(tokens.words, place[tokens.topics], tokens.offsets, 4)
    moved = np.empty_like(phi)
    moved[list(order)] = phi
    for measure, args in [(m, ()) for m in OF_PAIRS] + [(m, (1,)) for m in (avg_rank, window, word_div)]:
        a = measure(tokens, *(phi for _ in args))
        b = measure(again, *(moved for _ in args))
        np.testing.assert_allclose(b.model.value, a.model.value, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(b.documents.value, a.documents.value, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(b.topics.value[list(order)], a.topics.value, rtol=1e-10, atol=1e-12)


@given(tokens_and_topics)
def test_one_topic_is_consistent_and_consistency_and_switches_make_one(world):
    tokens, _ = world
    one = TokenTopics(tokens.words, np.minimum(tokens.topics, 0), tokens.offsets, 4)
    if consistency(one).model.n_terms:
        assert of_model(consistency(one)) == 1
        assert of_model(switch_vi(one)) == 0
    whole = np.array(consistency(tokens).model.value) + np.array(switch_p(tokens).model.value)
    assert whole == pytest.approx(1) or np.isnan(whole)


@given(tokens_and_topics)
def test_drawing_every_document_once_gives_the_score_itself(world):
    tokens, phi = world
    found = [measure(tokens) for measure in OF_PAIRS] + [m(tokens, phi) for m in (avg_rank, window, word_div)]
    theta = np.random.default_rng(0).dirichlet(np.ones(4), len(tokens))
    found.append(word_div(with_theta(tokens, theta), phi, theta="model"))
    for levels in found:
        blocks = np.arange(len(tokens)) % 5
        parts = levels.sums.by_block(blocks, 5)
        np.testing.assert_allclose(
            levels.sums.value(parts.sum(0)), levels.model.value, rtol=1e-10, atol=1e-12
        )
        np.testing.assert_allclose(
            levels.sums.topics(parts.sum(0)[None])[0], levels.topics.value, rtol=1e-10, atol=1e-12
        )


@given(tokens_and_topics, st.integers(1, 11))
def test_resamples_are_scores_of_the_documents_drawn(world, cut):
    tokens, phi = world
    bounds = tokens.offsets[[0, cut, len(tokens)]]
    halves = [
        TokenTopics(
            tokens.words[a:b], tokens.topics[a:b], tokens.offsets[first : last + 1] - tokens.offsets[first], 4
        )
        for (a, b), (first, last) in zip(
            [(bounds[0], bounds[1]), (bounds[1], bounds[2])], [(0, cut), (cut, len(tokens))], strict=True
        )
    ]
    block_of = (np.arange(len(tokens)) >= cut).astype(np.int64)
    for measure in (*OF_PAIRS, lambda t: avg_rank(t, phi), lambda t: word_div(t, phi)):
        parts = measure(tokens).sums.by_block(block_of, 2)
        alone = [of_model(measure(half)) for half in halves]
        np.testing.assert_allclose(measure(tokens).sums.value(parts), alone, rtol=1e-10, atol=1e-12)


def test_many_tokens_are_shared_among_threads_with_the_same_numbers(monkeypatch):
    tokens, phi = random_tokens(8, d=300, longest=60)
    once = [m(tokens).documents.value for m in OF_PAIRS] + [
        m(tokens, phi).documents.value for m in (avg_rank, window, word_div)
    ]
    monkeypatch.setattr(_tokens, "MANY", 10)
    monkeypatch.setattr(_tokens.os, "cpu_count", lambda: 7)
    again = [m(tokens).documents.value for m in OF_PAIRS] + [
        m(tokens, phi).documents.value for m in (avg_rank, window, word_div)
    ]
    for a, b in zip(once, again, strict=True):
        np.testing.assert_array_equal(a, b)


# --- a planted corpus, whose truth is known


def spoiled(z, share, k, seed=0):
    """The topics of tokens, a share of them drawn at random."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(z)) < share, rng.integers(k, size=len(z)), z).astype(np.int32)


def test_good_and_spoiled_assignments_are_ranked_rightly():
    corpus, truth = tl.synthetic.lda(k=8, documents=200, length=80, vocabulary=400, alpha=0.1, seed=4)
    shares = (0.0, 0.2, 0.5, 1.0)
    models = {
        f"{share}": tl.TopicModel(
            truth.vocabulary, topic_word=truth.topic_word, assignments=spoiled(truth.assignments, share, 8)
        )
        for share in shares
    }
    scores = tl.evaluate(models, corpus, measures="local", ci=None)
    truths = [assignment_information(m.assignments, truth.assignments).normalised for m in models.values()]
    assert truths == sorted(truths, reverse=True)
    assert truths[0] == 1
    assert truths[-1] < 0.01
    for spec, sign in {
        "consistency": -1,
        "switch_p": 1,
        "switch_vi": 1,
        "avg_rank": 1,
        "window": -1,
        "word_div": 1,
    }.items():
        values = [sign * scores.value(spec, model=f"{share}") for share in shares]
        assert values == sorted(values), spec
        assert values[-1] - values[0] > 0.01


def test_inferred_topics_of_tokens_come_near_the_truth_and_random_topics_do_not():
    corpus, truth = tl.synthetic.lda(k=5, documents=150, length=80, vocabulary=300, alpha=0.1, seed=2)
    bare = tl.TopicModel(truth.vocabulary, topic_word=truth.topic_word, name="bare")
    from tealeaves.needs_local import token_topics

    found = token_topics(bare, corpus, "map")
    assert found.how == "map"
    assert assignment_information(found.topics, truth.assignments).normalised > 0.6
    random = tl.TopicModel(
        truth.vocabulary, topic_word=np.random.default_rng(0).dirichlet(np.full(300, 0.05), 5)
    )
    other = token_topics(random, corpus, "map")
    assert assignment_information(other.topics, truth.assignments).normalised < 0.2


# --- evaluate


def planted(**parts):
    corpus, truth = tl.synthetic.lda(k=4, documents=60, length=40, vocabulary=120, alpha=0.2, seed=1)
    given = {"topic_word": truth.topic_word, "assignments": truth.assignments, "alpha": truth.alpha} | parts
    return corpus, tl.TopicModel(truth.vocabulary, **given)


def test_the_group_gives_models_topics_and_documents_with_intervals_over_documents():
    corpus, model = planted()
    scores = tl.evaluate(model, corpus, measures="local", resamples=200)
    frame = scores.frame.filter(scores.frame["measure"] == "consistency")
    whole = frame.filter(frame["level"] == "model").row(0, named=True)
    assert whole["low"] < whole["value"] < whole["high"]
    assert len(scores.topics("consistency")) == 4
    assert len(scores.documents("consistency")) == 60
    assert scores.units["consistency"] == "documents"
    topics = frame.filter(frame["level"] == "topic")
    assert (topics["low"] <= topics["value"]).all()
    assert (topics["value"] <= topics["high"]).all()


def test_beside_consistency_stand_k_and_chance():
    corpus, model = planted()
    scores = tl.evaluate(model, corpus, measures=["consistency", "switch_p"], ci=None)
    beside = scores.details.companions[model.name]
    shares = np.bincount(model.assignments, minlength=4) / len(model.assignments)
    assert beside["consistency"]["topics"] == 4
    assert beside["consistency"]["chance"] == pytest.approx((shares**2).sum())
    assert beside["consistency"]["shuffled"] == pytest.approx(scores.value("consistency"), abs=0.02)
    assert beside["switch_p"]["chance"] == pytest.approx(1 - beside["consistency"]["chance"])


def test_two_models_are_compared_on_the_same_documents():
    corpus, model = planted()
    worse = tl.TopicModel(
        model.vocabulary, topic_word=model.topic_word, assignments=spoiled(model.assignments, 0.5, 4)
    )
    scores = tl.evaluate({"good": model, "bad": worse}, corpus, measures=["consistency"], resamples=200)
    row = scores.compare("consistency").row(0, named=True)
    assert (row["model_a"], row["model_b"], row["test"]) == ("good", "bad", "documents")
    apart = scores.value("consistency", "good") - scores.value("consistency", "bad")
    assert row["difference"] == pytest.approx(apart)
    assert 0 < row["low"] < apart < row["high"]
    assert row["p"] < 0.01


def test_the_report_says_whether_a_difference_holds_on_other_documents():
    from tealeaves.report.summary import summarize

    corpus, model = planted()
    worse = tl.TopicModel(
        model.vocabulary, topic_word=model.topic_word, assignments=spoiled(model.assignments, 0.5, 4)
    )
    scores = tl.evaluate({"good": model, "bad": worse}, corpus, measures=["switch_p"], resamples=200)
    real = summarize(scores)["real"]
    assert (real["top"], real["tests"]) == ("good", ["documents"])
    cell = real["rows"][0]["documents"]
    assert cell["value"] == pytest.approx(scores.value("switch_p", "bad") - scores.value("switch_p", "good"))
    assert 0 < cell["low"] < cell["value"] < cell["high"]


def test_a_comparison_is_of_the_score_not_of_the_mean_of_documents():
    words = [["oil"] * 1500] + [["oil"] * 6] * 30
    corpus = tl.Corpus.from_tokens(words)
    steady = [0] * 1500 + [0, 1] * 90  # consistent in the long document, and never in the thirty short ones
    turns = [0, 1] * 750 + [0] * 180
    models = {
        name: tl.TopicModel(["oil"], topic_word=[[1.0], [1.0]], assignments=z)
        for name, z in (("steady", steady), ("turns", turns))
    }
    scores = tl.evaluate(models, corpus, measures=["consistency", "switch_vi"], resamples=400)
    row = scores.compare("consistency").row(0, named=True)
    of_documents = [scores.documents("consistency", name).mean() for name in models]
    assert of_documents[0] < of_documents[1]  # by documents, the other one is ahead
    assert row["difference"] == pytest.approx(
        scores.value("consistency", "steady") - scores.value("consistency", "turns")
    )
    assert row["difference"] > 0.8
    assert row["low"] < 0 < row["high"]  # a third of all draws have no long document
    assert row["p"] > 0.3
    assert scores.compare("switch_vi").row(0, named=True)["test"] == "documents"
    assert scores.compare("consistency", "topics").row(0, named=True)["test"] == "none"


def chain(n_documents, seed, n_topics=30, length=60):
    """Documents whose topics follow each other as rows of one matrix say, most of them rare."""
    follow = np.random.default_rng(0).dirichlet(np.full(n_topics, 0.3), n_topics).cumsum(axis=1)
    rng = np.random.default_rng(seed)
    z = np.empty((n_documents, length), int)
    z[:, 0] = rng.integers(n_topics, size=n_documents)
    for i in range(1, length):
        z[:, i] = (follow[z[:, i - 1]] < rng.random((n_documents, 1))).sum(axis=1)
    offsets = np.arange(n_documents + 1) * length
    return TokenTopics(np.zeros(z.size, int), np.minimum(z, n_topics - 1).ravel(), offsets, n_topics)


def test_the_interval_of_switch_vi_holds_its_value_and_mostly_that_of_far_more_documents():
    truth = float(switch_vi(chain(20_000, 99)).model.value)
    held = 0
    for seed in range(10):
        tokens = chain(300, seed)
        docs = [list(map(str, tokens.topics[a:b])) for a, b in pairwise(tokens.offsets)]
        corpus = tl.Corpus.from_tokens(docs)
        model = tl.TopicModel(corpus.vocabulary, np.eye(30)[:, : len(corpus.vocabulary)] + 0.01,
                              assignments=tokens.topics)  # fmt: skip
        frame = tl.evaluate(model, corpus, measures=["switch_vi"], resamples=200).frame
        frame = frame.filter(frame["level"].is_in(["model", "topic"]))
        assert (frame["low"] <= frame["value"]).all()
        assert (frame["value"] <= frame["high"]).all()
        assert frame["value"][0] < truth  # it grows with the corpus
        held += frame["low"][0] <= truth <= frame["high"][0]
    assert held >= 8  # percentiles held it in none


def test_a_model_without_topics_of_tokens_is_told_of_inference():
    corpus, model = planted(assignments=None)
    with pytest.raises(MissingInput, match=r"has no topics of tokens \(assignments\).*assign='map'"):
        tl.evaluate(model, corpus, measures=["consistency"], ci=None)
    scores = tl.evaluate(
        model, corpus, measures=["consistency(assign='map')", "switch_p(assign='gibbs')"], ci=None
    )
    assert scores.value("consistency(assign='map')") > 0.3
    first, second = scores.frame.filter(scores.frame["level"] == "model")["signature"].to_list()
    assert "|assign:map|" in first
    assert "|inferred:vb,iterations=100" in first
    assert "|inferred:gibbs," in second
    assert "seed=0" in second


def test_without_a_prior_topics_are_folded_in_and_gibbs_is_refused():
    corpus, model = planted(assignments=None, alpha=None)
    specs = ["consistency(assign='map')", "consistency(assign='gibbs')"]
    scores = tl.evaluate(model, corpus, measures=specs, ci=None)
    rows = scores.frame.filter(scores.frame["level"] == "model")
    assert "|inferred:em," in rows["signature"][0]
    assert not np.isnan(rows["value"][0])
    assert "needs a Dirichlet prior" in rows["reason"][1]


def test_all_copies_of_a_word_in_a_document_share_their_likeliest_topic():
    corpus, model = planted(assignments=None)
    from tealeaves.needs_local import token_topics

    tokens = token_topics(model, corpus, "map")
    for words, topics in documents_of(tokens):
        assert len(set(zip(words, topics, strict=True))) == len(set(words))


def test_lists_of_words_are_refused_with_the_reason_but_serve_if_tokens_have_topics():
    corpus = tl.Corpus.from_tokens([["oil", "gas", "tax"], ["tax", "oil"]])
    lists = tl.TopicModel.from_words([["oil", "gas"], ["tax", "law"]])
    scores = tl.evaluate(
        lists, corpus, measures=["consistency", "consistency(assign='map')", "avg_rank"], ci=None
    )
    reasons = scores.frame.filter(scores.frame["level"] == "model")["reason"].to_list()
    assert "lists of words alone do not tell them" in reasons[0]
    assert "do not say how probable a word is" in reasons[1]
    given = tl.TopicModel(word_lists=[["oil", "gas"], ["tax", "law"]], assignments=[0, 0, 1, 1, 0])
    assert tl.evaluate(given, corpus, measures=["consistency"], ci=None).value("consistency") == 1 / 3


def test_topics_of_another_number_of_tokens_than_the_corpus_are_refused():
    corpus, model = planted()
    shorter = corpus.select(range(10))
    with pytest.raises(
        MissingInput, match=rf"has topics of {corpus.n_tokens} tokens, but the corpus has {shorter.n_tokens}"
    ):
        tl.evaluate(model, shorter, measures=["consistency"], ci=None)


def test_a_model_that_carries_its_corpus_is_judged_by_it():
    corpus, _ = planted()
    model = planted(corpus=corpus)[1]
    other = tl.Corpus.from_tokens([["w0", "w1"]])
    scores = tl.evaluate(model, other, measures=["consistency", "switch_p(assign='map')"], ci=None)
    assert scores.value("consistency") == of_model(
        consistency(TokenTopics(corpus.tokens, model.assignments, corpus.offsets, 4))
    )
    assert len(scores.documents("consistency")) == 60
    assert len(scores.documents("switch_p(assign='map')")) == 1
    signatures = scores.frame.filter(scores.frame["level"] == "model")["signature"]
    assert corpus.fingerprint[:8] in signatures[0]
    assert other.fingerprint[:8] in signatures[1]


def test_a_corpus_without_order_or_with_other_words_is_refused():
    _, model = planted()
    bags = tl.Corpus.from_matrix([[1, 1], [2, 0]], ["w0", "w1"])
    with pytest.raises(MissingInput, match="need the order of tokens"):
        tl.evaluate(model, bags, measures=["consistency(assign='map')"], ci=None)
    with pytest.raises(MissingInput, match="no word of model 'model' is in the corpus"):
        tl.evaluate(
            model, tl.Corpus.from_tokens([["x", "y"]]), measures=["consistency(assign='map')"], ci=None
        )
    with pytest.raises(MissingInput, match=r"need the documents that they stand in"):
        tl.evaluate(model, measures=["consistency"], ci=None)


def test_weights_below_0_leave_the_cell_empty_with_the_reason():
    corpus, _ = planted()
    lsi = tl.TopicModel(corpus.vocabulary, topic_word=np.random.default_rng(0).normal(size=(4, 120)))
    scores = tl.evaluate(lsi, corpus, measures=["consistency(assign='map')", "topic_diversity@5"], ci=None)
    row = scores.frame.filter(scores.frame["measure"] == "consistency(assign='map')").row(0, named=True)
    assert "negative weights" in row["reason"]


def test_sentences_of_a_corpus_with_texts_divide_its_pairs():
    texts = ["Oil gas. Tax law.", "Gas oil gas. Oil tax."]
    corpus = tl.Corpus.from_texts(texts)
    z = [0 if corpus.vocabulary[w] in ("gas", "oil") else 1 for w in corpus.tokens]
    phi = np.array([[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]])
    model = tl.TopicModel(corpus.vocabulary, topic_word=phi, assignments=z)
    specs = ["switch_p", "switch_p(sentences='within')", "switch_p(sentences='across')"]
    scores = tl.evaluate(model, corpus, measures=specs, ci=None)
    rows = scores.frame.filter(scores.frame["level"] == "model")
    assert rows["n_terms"].to_list() == [7, 5, 2]
    assert rows["value"].to_list() == pytest.approx([2 / 7, 1 / 5, 1 / 2])
    bare = tl.Corpus.from_tokens([["oil", "gas"]])
    given = tl.TopicModel(["oil", "gas"], topic_word=[[0.5, 0.5]], assignments=[0, 0])
    with pytest.raises(MissingInput, match="where sentences end is read from the texts"):
        tl.evaluate(given, bare, measures=["switch_p(sentences='within')"], ci=None)


def test_a_real_mallet_state_is_more_consistent_than_its_shuffled_documents(data):
    model = tl.read_model(data / "formats" / "mallet_bbc" / "topic-state.gz")
    scores = tl.evaluate(model, measures="local", ci=None)
    beside = scores.details.companions[model.name]["consistency"]
    assert beside["chance"] < beside["shuffled"] < scores.value("consistency")
    assert scores.value("consistency") + scores.value("switch_p") == pytest.approx(1)
    assert 0 < scores.value("switch_vi") < 2 * math.log(20)
    assert 1 < scores.value("avg_rank") < len(model.vocabulary) / 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: consistency(LOC, gaps="xx"), r"gaps must be one of 'kept', 'closed'; got 'xx'"),
        (lambda: switch_p(LOC, sentences="xx"), r"sentences must be one of 'all', 'within', 'across'"),
        (lambda: switch_vi(LOC, assign="xx"), r"assign must be one of 'model', 'map', 'gibbs'; got 'xx'"),
        (lambda: avg_rank(LOC, PHI, assign="xx"), r"assign must be one of"),
        (lambda: window(LOC, PHI, variant="xx"), r"variant must be one of 'existing', 'printed'"),
        (lambda: window(LOC, PHI, s=-1), r"s must be a whole number of tokens .* got -1"),
        (lambda: word_div(LOC, PHI, theta="xx"), r"theta must be one of 'assignments', 'model'"),
        (lambda: window(LOC, np.full((2, 3), np.nan)), r"topic_word must be finite .* got nan"),
        (lambda: avg_rank(LOC, np.ones(3)), r"topic_word must be .* got shape \(3,\)"),
        (lambda: shuffled_consistency(LOC, gaps="xx"), r"gaps must be one of"),
        (lambda: TokenTopics([0, 0], [0.7, 1], [0, 2], 2), r"topics must be whole numbers; got 0.7"),
        (lambda: TokenTopics([0, math.nan], [0, 1], [0, 2], 2), r"words must be whole numbers; got nan"),
        (lambda: TokenTopics([0, 2**32], [0, 1], [0, 2], 2), r"words must be at most 2147483647"),
        (lambda: TokenTopics(["a", "b"], [0, 1], [0, 2], 2), r"words must be whole numbers; got <U1"),
        (lambda: TokenTopics([0, math.inf], [0, 1], [0, 2], 2), r"words must be at most 2147483647"),
        (lambda: TokenTopics([[0], [0, 1]], [0, 1], [0, 2], 2), r"words .* lists of unequal length"),
        (lambda: tl.switches("x"), r"switches needs a TopicModel, or TokenTopics; got str"),
        (
            lambda: tl.TopicModel(["a"], [[1.0], [1.0]], assignments=[[0, 1], [0]]),
            r"one integer per token, documents one after another, not a list for each document",
        ),
    ],
)
def test_what_is_misspelt_or_no_whole_number_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_another_corpus_than_the_model_s_own_documents_is_told_of():
    corpus, model = planted()
    own = replace(model, corpus=corpus)
    other = tl.Corpus.from_tokens([list(corpus.vocabulary[:2])] * 9)
    (said,) = [w for w in warned(own, other) if "topics of tokens" in w]
    assert f"those of the {len(corpus)} documents that the model carries" in said
    assert "are not the 9 of the corpus" in said
    assert not warned(own, corpus)
    assert not warned(own, other, ["consistency(assign='map')"])


def warned(model, corpus, measures=("consistency",)):
    return tl.evaluate(model, corpus, measures=list(measures), ci=None).details.warnings


def test_models_without_topics_of_tokens_share_one_reason_which_names_the_group():
    from tealeaves.terminal import scores_table

    corpus, model = planted()
    bare = tl.TopicModel(model.vocabulary, topic_word=model.topic_word, name="bare")
    scores = tl.evaluate({"bare": bare, "states": model}, corpus, measures="local", ci=None)
    rows = scores.frame.filter((scores.frame["level"] == "model") & (scores.frame["model"] == "bare"))
    reasons = {reason for reason in rows["reason"] if "topics of tokens" in reason}
    assert len(reasons) == 1
    assert "as the group local_map does for all models alike (--measures local_map)" in reasons.pop()
    alone = tl.evaluate(bare, corpus, measures="local", ci=None)
    console = Console(width=400, file=io.StringIO())
    console.print(scores_table(alone))
    said = console.file.getvalue()
    assert said.count("has no topics of tokens") == 1
    assert "consistency, switch_p, switch_vi, avg_rank, window, word_div: " in said
    from tealeaves.report.summary import summarize

    summary = summarize(alone)
    (found,) = [one for one in summary["table"]["missing"] if "topics of tokens" in one["reason"]]
    assert (found["title"], found["measures"]) == ("6 measures", 6)
    assert sum("topics of tokens" in notice["says"] for notice in summary["warnings"]) == 1


def test_groups_of_documents_have_local_and_held_out_scores_of_their_own():
    corpus, model = planted()
    labels = ["odd" if d % 2 else "even" for d in range(len(corpus))]
    labelled = replace(corpus, labels=tuple(labels))
    names = ["consistency", "switch_vi", "word_div", "perplexity"]
    scores = tl.evaluate(model, labelled, held_out=labelled, by="label", measures=names, ci=None)
    for label in ("odd", "even"):
        part = labelled.select([d for d, one in enumerate(labels) if one == label])
        at = np.repeat(labels, np.diff(corpus.offsets)) == label
        alone = tl.TopicModel(
            model.vocabulary,
            topic_word=model.topic_word,
            assignments=model.assignments[at],
            alpha=model.alpha,
        )
        wanted = tl.evaluate(alone, part, measures=names[:3], ci=None)
        for spec in names[:3]:
            assert scores.value(spec, group=label) == pytest.approx(wanted.value(spec))
        each, at = scores.documents("perplexity"), np.array(labels) == label
        assert each[at].min() < scores.value("perplexity", group=label) < each[at].max()
