"""Inference with fixed topics: against plain loops, scikit-learn and tomotopy, and what must hold anyhow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma as scipy_digamma

import tealeaves as tl
from tealeaves._kernels.draws import below, log_gamma_draw, normal, shuffle, start, uniform
from tealeaves._kernels.inference import digamma
from tealeaves.errors import InputError, MissingInput
from tealeaves.infer import over_documents

WORDS = [f"w{i}" for i in range(8)]


def plain_em(counts, phi, iterations, tolerance):
    theta = np.full(len(phi), 1 / len(phi))
    for _ in range(iterations):
        responsible = theta[:, None] * phi
        responsible /= responsible.sum(0)
        new = (responsible * counts).sum(1) / counts.sum()
        change = np.abs(new - theta).mean() * counts.sum()
        theta = new
        if change < tolerance:
            break
    return theta


def plain_vb(counts, phi, alpha, iterations, tolerance):
    gamma = np.ones(len(phi))
    for _ in range(iterations):
        responsible = np.exp(scipy_digamma(gamma))[:, None] * phi
        responsible /= responsible.sum(0)
        new = alpha + (responsible * counts).sum(1)
        change = np.abs(new - gamma).mean()
        gamma = new
        if change < tolerance:
            break
    return gamma / gamma.sum()


@st.composite
def worlds(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(1, 5))
    docs = [rng.integers(0, 8, rng.integers(0, 12)).tolist() for _ in range(draw(st.integers(1, 6)))]
    return docs, rng.dirichlet(np.full(8, 0.5), k) + 1e-9, rng.uniform(0.05, 2, k)


def made(docs, phi, alpha=None):
    model = tl.TopicModel(WORDS, phi / phi.sum(1, keepdims=True), alpha=alpha)
    return model, tl.Corpus.from_tokens([[WORDS[w] for w in d] for d in docs])


# --- against others


@settings(max_examples=30)
@given(worlds(), st.sampled_from([1, 7, 100]))
def test_em_and_vb_are_those_of_plain_loops(world, iterations):
    docs, phi, alpha = world
    model, corpus = made(docs, phi, alpha)
    found = {m: tl.infer(model, corpus, m, iterations=iterations) for m in ("em", "vb")}
    for d, words in enumerate(docs):
        counts = np.bincount(words, minlength=8)
        if len(words):
            expected = plain_em(counts, model.probabilities(), iterations, 1e-3)
            np.testing.assert_allclose(found["em"].doc_topic[d], expected, rtol=1e-9, atol=1e-12)
        expected = plain_vb(counts, model.probabilities(), alpha, iterations, 1e-3)
        np.testing.assert_allclose(found["vb"].doc_topic[d], expected, rtol=1e-9)


def test_geometric_topics_give_scikit_learn_s_transform():
    decomposition = pytest.importorskip("sklearn.decomposition")
    corpus, _ = tl.synthetic.lda(k=4, documents=60, length=40, vocabulary=50, seed=1)
    counts = np.zeros((60, 50))
    np.add.at(counts, (np.repeat(range(60), np.diff(corpus.offsets)), corpus.tokens), 1)
    fitted = decomposition.LatentDirichletAllocation(6, random_state=0, max_iter=5).fit(counts)
    model = tl.read_model(fitted, vocabulary=list(corpus.vocabulary))
    found = tl.infer(model, corpus, "vb", topics="geometric")
    np.testing.assert_allclose(found.doc_topic, fitted.transform(counts), atol=1e-6)  # its digamma is rounder
    with pytest.raises(InputError, match="geometric"):
        tl.infer(model, corpus, "em", topics="geometric")
    with pytest.raises(MissingInput, match="pseudo-counts"):
        tl.infer(tl.TopicModel(WORDS, np.full((1, 8), 1 / 8), alpha=1), corpus, topics="geometric")


def test_gibbs_sampling_agrees_with_tomotopy_s_inference():
    tomotopy = pytest.importorskip("tomotopy")
    corpus, _ = tl.synthetic.lda(k=3, documents=200, length=60, vocabulary=60, seed=2)
    texts = [[corpus.vocabulary[w] for w in corpus.document(d)] for d in range(len(corpus))]
    fitted = tomotopy.LDAModel(k=3, seed=1, alpha=0.1, eta=0.05)
    for text in texts[:150]:
        fitted.add_doc(text)
    fitted.train(300, workers=1)
    model = tl.read_model(fitted)
    theirs = np.array([fitted.infer(fitted.make_doc(text), iterations=300)[0] for text in texts[150:]])
    ours = tl.infer(model, corpus.select(range(150, 200)), "gibbs", samples=300).doc_topic
    assert np.abs(ours - theirs).mean() < 0.03  # theirs is one state, ours a mean of many


def test_the_digamma_function_is_scipy_s():
    x = np.concatenate([np.geomspace(1e-6, 1e6, 500), [1.0, 6.0, 5.999999]])
    np.testing.assert_allclose([digamma(v) for v in x], scipy_digamma(x), rtol=1e-11, atol=1e-11)


def test_draws_have_the_moments_they_should_have():
    state = np.empty(2, np.uint64)
    start(state, np.uint64(1), 2, 3)
    u = np.array([uniform(state) for _ in range(50_000)])
    assert u.min() >= 0
    assert u.max() < 1
    assert u.mean() == pytest.approx(0.5, abs=0.01)
    assert np.corrcoef(u[:-1], u[1:])[0, 1] == pytest.approx(0, abs=0.02)
    n = np.array([normal(state) for _ in range(50_000)])
    assert (n.mean(), n.std()) == pytest.approx((0, 1), abs=0.02)
    assert np.bincount([below(state, 5) for _ in range(50_000)]) == pytest.approx(10_000, rel=0.05)
    for shape in (0.05, 0.7, 1.0, 4.2):
        g = np.exp([log_gamma_draw(state, shape) for _ in range(40_000)])
        assert g.mean() == pytest.approx(shape, rel=0.1)
        assert g.var() == pytest.approx(shape, rel=0.25)
    orders = np.array([_shuffled(state) for _ in range(20_000)])
    assert np.array([np.bincount(orders[:, i]) for i in range(4)]) == pytest.approx(5000, rel=0.06)


def _shuffled(state):
    values = np.arange(4)
    shuffle(state, values)
    return values


def test_documents_and_purposes_have_streams_of_their_own():
    state, seen = np.empty(2, np.uint64), set()
    for seed in range(4):
        for purpose in range(4):
            for document in range(50):
                start(state, np.uint64(seed), purpose, document)
                seen.add(tuple(state.tolist()))
    assert len(seen) == 4 * 4 * 50


def test_planted_topics_of_documents_and_tokens_are_found_again():
    corpus, truth = tl.synthetic.lda(k=5, documents=200, length=100, vocabulary=300, seed=5)
    for method in ("vb", "em", "gibbs"):
        found = tl.infer(truth, corpus, method)
        assert np.abs(found.doc_topic - truth.doc_topic).mean() < 0.02
        assert (found.assignments == truth.assignments).mean() > 0.9


# --- free topics


def test_how_far_a_chain_with_free_topics_is_is_told_after_each_sweep():
    from importlib import import_module

    said = []
    model = tl.TopicModel(["gas", "law"], [[0.5, 0.5]], alpha=0.1)
    corpus = tl.Corpus.from_tokens([["gas", "law"]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            import_module("tealeaves.infer"), "tell", lambda done, whole: said.append((done, whole))
        )
        tl.infer(model, corpus, free_topics=1, burn_in=3, samples=4)
    assert said == [(sweep, 8) for sweep in range(8)]


def test_free_topics_learn_what_the_fixed_ones_do_not_have():
    corpus, truth = tl.synthetic.lda(k=5, documents=300, length=80, vocabulary=200, alpha=0.2, seed=6)
    known = tl.TopicModel(truth.vocabulary, truth.probabilities()[:3], alpha=0.2)
    found = tl.infer(known, corpus, "gibbs", free_topics=2, beta=0.01, burn_in=150, samples=50, seed=1)
    assert found.doc_topic.shape == (300, 5)
    np.testing.assert_array_equal(found.topic_word[:3], known.probabilities())
    overlap = found.topic_word[3:] @ truth.probabilities()[3:].T
    learnt = overlap / np.linalg.norm(found.topic_word[3:], axis=1)[:, None]
    learnt /= np.linalg.norm(truth.probabilities()[3:], axis=1)
    assert (learnt.max(1) > 0.95).all()
    assert set(learnt.argmax(1)) == {0, 1}
    again = tl.infer(known, corpus, free_topics=2, beta=0.01, burn_in=150, samples=50, seed=1)
    np.testing.assert_array_equal(found.assignments, again.assignments)
    model = found.model(corpus, name="mixed")
    assert model.n_topics == 5
    assert "free_topics=2" in model.source
    with pytest.raises(InputError, match="free_topics"):
        tl.infer(known, corpus, "vb", free_topics=2)


# --- edges


def test_words_outside_the_model_take_no_part_and_are_counted():
    model = tl.TopicModel(["oil", "gas"], [[0.5, 0.5], [0.9, 0.1]], alpha=[0.2, 0.6])
    corpus = tl.Corpus.from_tokens([["tin", "oil", "tin"], [], ["tin"]])
    for method in ("vb", "em", "gibbs"):
        found = tl.infer(model, corpus, method)
        assert found.unknown.tolist() == [2, 0, 1]
        assert (found.assignments == -1).tolist() == [True, False, True, True]
        prior = [0.5, 0.5] if method == "em" else [0.25, 0.75]
        np.testing.assert_allclose(found.doc_topic[1:], [prior, prior])


def test_a_word_that_no_topic_has_takes_no_part():
    model = tl.TopicModel(["oil", "gas"], [[1, 0], [1, 0]], alpha=1)
    for method in ("vb", "em", "gibbs"):
        found = tl.infer(model, tl.Corpus.from_tokens([["gas", "oil", "gas"]]), method)
        assert (found.assignments == -1).tolist() == [True, False, True]
        np.testing.assert_allclose(found.doc_topic, [[0.5, 0.5]], atol=0.2)


def test_models_without_topics_over_words_are_refused_with_the_reason():
    corpus = tl.Corpus.from_tokens([["a"]])
    with pytest.raises(InputError, match="negative weights"):
        tl.infer(tl.TopicModel(["a", "b"], [[1, -1]], name="lsi"), corpus)
    with pytest.raises(MissingInput, match="lists of words alone"):
        tl.infer(tl.TopicModel.from_words([["a", "b"]]), corpus)
    over_time = tl.DynamicTopicModel(["a", "b"], [[[1, 1]], [[1, 2]]], "time topic word", ["x", "y"])
    with pytest.raises(InputError, match=r"model\.slice"):
        tl.infer(over_time, corpus)


def test_without_a_prior_em_is_done_and_the_others_say_what_is_missing():
    model, corpus = made([[0, 1, 2]], np.full((2, 8), 1 / 8))
    assert tl.infer(model, corpus).method.startswith("em(")
    assert tl.infer(model, corpus, alpha=0.5).method.startswith("vb(")
    for method in ("vb", "gibbs"):
        with pytest.raises(MissingInput, match="alpha="):
            tl.infer(model, corpus, method)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "mcmc"}, "method must be one of 'vb', 'em', 'gibbs'"),
        ({"iterations": 0}, "iterations must be"),
        ({"samples": 0}, "samples must be"),
        ({"burn_in": -1}, "burn_in must be"),
        ({"tolerance": -1}, "tolerance must be"),
        ({"alpha": [1, 2, 3]}, "alpha must be one number above 0, or 2"),
        ({"alpha": 0}, "alpha must be"),
        ({"topics": "median"}, "topics must be"),
    ],
)
def test_settings_that_mean_nothing_are_refused(options, message):
    model, corpus = made([[0, 1]], np.full((2, 8), 1 / 8), [1, 1])
    with pytest.raises(InputError, match=message):
        tl.infer(model, corpus, **options)


# --- properties


@pytest.mark.parametrize("method", ["vb", "em", "gibbs"])
@settings(max_examples=15)
@given(worlds())
def test_proportions_sum_to_one_and_copies_of_a_document_agree(method, world):
    docs, phi, alpha = world
    model, corpus = made([*docs, docs[0][::-1]], phi, alpha)
    found = tl.infer(model, corpus, method, samples=5)
    np.testing.assert_allclose(found.doc_topic.sum(1), 1)
    assert (found.doc_topic >= 0).all()
    if method != "gibbs":
        np.testing.assert_array_equal(
            found.doc_topic[0], found.doc_topic[-1]
        )  # their order is nothing to them


@pytest.mark.parametrize("method", ["vb", "em", "gibbs"])
def test_neither_threads_nor_other_documents_change_a_document(method):
    corpus, model = tl.synthetic.lda(k=4, documents=600, length=100, vocabulary=60, seed=4)
    one, two = (tl.infer(model, corpus, method, samples=3, seed=9, workers=n) for n in (1, 3))
    np.testing.assert_array_equal(one.doc_topic, two.doc_topic)
    np.testing.assert_array_equal(one.assignments, two.assignments)
    first = tl.infer(model, corpus.select(range(5)), method, samples=3, seed=9)
    np.testing.assert_array_equal(first.doc_topic, one.doc_topic[:5])
    if method == "gibbs":
        assert (tl.infer(model, corpus, method, samples=3, seed=10).assignments != one.assignments).any()


@given(st.lists(st.integers(0, 60_000), max_size=30), st.integers(1, 4))
def test_stretches_of_documents_cover_each_once(lengths, workers):
    offsets = np.cumsum([0, *lengths]).astype(np.int64)
    seen = []
    over_documents(lambda first, last: seen.extend(range(first, last)), offsets, workers)
    assert sorted(seen) == list(range(len(lengths)))
