"""What holds of every measure of the table, whatever it measures."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.counts import Unit, count_pairs, window_unit
from tealeaves.held_out import documents_of
from tealeaves.measures._table import NEEDS, Levels, Values, parse
from tealeaves.measures.distances import topic_distances
from tealeaves.measures.document_coherence import tf_idf
from tealeaves.measures.local import TokenTopics
from tealeaves.needs_coverage import COVERAGE_NEEDS, aligned
from tealeaves.word_pool import padded, unit_of

EVERY = tl.measures()
# of topics over time; test_temporal has what holds of those
OVER_TIME = [m for m in EVERY if not {"slice_words", "slice_coherence"}.isdisjoint(m.needs)]
# of several runs of a model; test_stability has what holds of those
OVER_RUNS = [m for m in EVERY if m.needs[0].startswith("runs")]
MEASURES = [m for m in EVERY if m not in OVER_TIME and m not in OVER_RUNS]
COUNTING = [m for m in MEASURES if unit_of(parse(m.name)) is not None]
LIMITS = {"log V": lambda k: math.log(k["V"]), "log D": lambda k: math.log(k["D"]), "n": lambda k: k["n"]}
LIMITS |= {"n(n-1)/2 log 2": lambda k: k["n"] * (k["n"] - 1) / 2 * math.log(2), "inf": lambda k: math.inf}
LIMITS |= {"V": lambda k: k["V"], "2 log K": lambda k: 2 * math.log(k["K"]), "log 2": lambda k: math.log(2)}
LIMITS |= {"-inf": lambda k: -math.inf, "log smoothing": lambda k: math.log(k["smoothing"])}
LIMITS |= {"log(1 + D smoothing)": lambda k: math.log1p(k["D"] * k["smoothing"])}
V, TOP = 8, 4
VOCABULARY = [f"w{i}" for i in range(V)]
# draws would differ with the order of topics, and what is impossible is infinite: test_held_out has those
EXACT = {
    name: f"{name}(method='exact', smoothing=0.01)"
    for name in ("perplexity", "log_likelihood", "bits_per_word")
}
VECTORS = dict(zip(VOCABULARY, np.random.default_rng(0).normal(size=(V, 3)), strict=True))

# topics that are looked for: words at the beginning, in the middle, and one that no model has
LOOKED_FOR = np.array([[3, 2, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 0, 0, 1]], float)


class Near:
    """Stands in for a trained matcher: topics match that are near by the cosine."""

    fingerprint = "near" * 4

    def matches(self, reference, model, cosines=True):
        return topic_distances(*aligned(reference, model)) < (0.5 if cosines else 0.4)


def looked_for(words=VOCABULARY, rows=None):
    rows = LOOKED_FOR if rows is None else rows
    named = [*sorted(words), "absent"][: rows.shape[1]]  # whatever order a model has them in
    return tl.ReferenceTopics(named, rows, [f"r{i}" for i in range(len(rows))])


every = pytest.mark.parametrize("measure", EVERY, ids=lambda m: m.name)
each = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.name)
each_counting = pytest.mark.parametrize("measure", COUNTING, ids=lambda m: m.name)


@st.composite
def worlds(draw, v=V):
    """A small corpus, a model of two to four topics with every part a model can have, and its seed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k, d = draw(st.integers(2, 4)), draw(st.integers(4, 20))
    documents = [rng.integers(0, v, rng.integers(0, 12)).tolist() for _ in range(d)]
    sparse = rng.random((k, v)) < draw(st.sampled_from([0.2, 0.6, 1.0]))
    weights = rng.dirichlet(np.full(v, 0.5), k) * sparse
    theta = rng.dirichlet(np.full(k, 0.3), d)
    return documents, weights, theta


def corpus_of(documents, words=VOCABULARY, labels=None):
    labels = [f"class {i % 2}" for i in range(len(documents))] if labels is None else labels
    return tl.Corpus.from_tokens([[words[w] for w in d] for d in documents], labels=labels, vocabulary=words)


def model_of(weights, theta, words=VOCABULARY, name="model", topics=None):
    parts = {"doc_topic": theta, "assignments": topics, "alpha": 0.3, "eta": 0.1}
    return tl.TopicModel(words, topic_word=weights, name=name, **parts)


def topics_of(documents, weights, theta):
    """The most probable topic of each token; a word that no topic has goes with the document."""
    likely = [
        int(np.argmax(theta[d] * (weights[:, w] + 1e-3))) for d, doc in enumerate(documents) for w in doc
    ]
    return np.array(likely, np.int32)


def spec_of(measure, top=TOP):
    return f"{measure.name}@{top}" if measure.takes_top else EXACT.get(measure.name, measure.name)


def scored(measure, documents, weights, theta, words=VOCABULARY, **options):
    options = {"ci": None} | options
    specs = [spec_of(measure), "topic_diversity@1"]  # the other lets a missing input be a reason
    return tl.evaluate(
        model_of(weights, theta, words, topics=topics_of(documents, weights, theta)),
        corpus_of(documents, words),
        held_out=corpus_of(documents, words),
        vectors=VECTORS,
        reference_topics=looked_for(),
        matcher=Near(),
        measures=specs,
        **options,
    )


def values(scores, measure):
    """Value, terms and reason, of the topics in order and of the model."""
    rows = scores.frame.filter(scores.frame["measure"] == str(parse(spec_of(measure))))
    model, topics = (rows.filter(rows["level"] == level) for level in ("model", "topic"))
    return topics["value"].to_numpy(), topics, model["value"][0], model


def direct(measure, documents, weights, theta):
    """The plain function on arrays made here, not by ``evaluate``."""
    top = tl.TopicModel(VOCABULARY, topic_word=weights).top_words(TOP)
    ids = padded([[VOCABULARY.index(w) for w in topic] for topic in top], TOP)
    unit = unit_of(parse(measure.name))
    made = {"top_words": ids, "doc_topic": theta, "labels": np.arange(len(documents)) % 2}
    made["word_vectors"] = np.array([VECTORS[word] for word in VOCABULARY])
    source = corpus_of(documents)
    made["documents"] = tf_idf(source.tokens, source.offsets, V).toarray()
    made["topic_word"] = tl.TopicModel(VOCABULARY, topic_word=weights).probabilities()
    made["token_topics"] = TokenTopics(
        source.tokens, topics_of(documents, weights, theta), source.offsets, len(weights)
    )
    counts = np.bincount([w for d in documents for w in d], minlength=V) if documents else np.zeros(V)
    made["background"] = counts / max(counts.sum(), 1)
    made["prior"] = np.full(len(weights), 0.3)
    wide = np.pad(weights, ((0, 0), (0, 1)))
    made["reference_distances"] = topic_distances(LOOKED_FOR, wide)
    made["reference_matches"] = made["reference_distances"] < 0.5
    made["reference_matches_nocos"] = made["reference_distances"] < 0.4
    made["word_prior"] = np.full(V, 0.1)
    made["lengths"] = np.diff(source.offsets)
    made["held_out"] = documents_of(VOCABULARY, source)
    if unit is not None:
        made["pair_counts"] = count_pairs(source, VOCABULARY, [range(V)], [unit])[unit]
    if "coherence" in measure.needs:
        by_name = {m.name: m for m in MEASURES}
        parts = (direct(by_name[name], documents, weights, theta) for name in ("npmi", "diversity"))
        return measure.function(*parts)
    chosen = dict(parse(spec_of(measure)).params)
    return measure.function(*(made[need] for need in measure.needs), **chosen)


# --- what every measure says of itself


@every
def test_its_documentation_has_what_how_from_whom_and_an_example(measure):
    assert re.fullmatch(r"[^.]+\.|.+: .+\.|.+; (higher|lower) is better\.", measure.summary)
    if measure.best:
        assert measure.direction in measure.summary
    sections = re.findall(r"^([A-Z]\w+)\n-+$", measure.doc, flags=re.M)
    wanted = ["Parameters", "Returns", "References", "Examples"]
    assert [s for s in sections if s in wanted] == wanted
    before = measure.doc.partition("Parameters\n---")[0]
    assert "``" in before, "no formula before the parameters"
    assert f">>> {measure.name}(" in measure.doc or f"({measure.name}(" in measure.doc
    for name in measure.defaults:
        if name != "window":
            assert re.search(rf"^(\w+, )*{name}(, \w+)*( :|$)", measure.doc, flags=re.M), (
                f"{name} is not explained"
            )
    assert re.search(r"\(\d{4}\)", measure.doc.partition("References\n")[2])


@every
def test_its_row_of_the_table_is_one_that_the_house_understands(measure):
    assert measure.best in {"high", "low", None}
    assert set(measure.needs) <= set(NEEDS)
    assert set(measure.axes) <= {"topic", "document", "slice", "window"}
    assert measure.range
    assert re.search(r"\d{4}$", measure.source)
    for name, choices in measure.choices.items():
        assert measure.defaults[name] in choices


# --- invariance


@each
@settings(max_examples=12)
@given(worlds(), st.randoms())
def test_the_order_of_topics_moves_their_values_along_and_not_the_model_s(measure, world, random):
    documents, weights, theta = world
    order = list(range(len(weights)))
    random.shuffle(order)
    before, _, whole, _ = values(scored(measure, *world), measure)
    after, _, again, _ = values(scored(measure, documents, weights[order], theta[:, order]), measure)
    if len(before):
        # equal to the last digit where words are counted; sums over topics may differ in the last
        np.testing.assert_allclose(after, before[order], rtol=0 if measure in COUNTING else 1e-12, atol=0)
    np.testing.assert_allclose(again, whole, rtol=1e-12, atol=1e-15)


@each_counting
@settings(max_examples=12)
@given(worlds(), st.integers(0, 3))
def test_a_topic_alone_scores_as_among_others(measure, world, k):  # case 3
    if "diversity" in measure.needs:
        pytest.skip("it is about the other topics")
    documents, weights, theta = world
    k %= len(weights)
    together = values(scored(measure, *world), measure)[0]
    alone = values(scored(measure, documents, weights[[k]], theta[:, [k]]), measure)[0]
    np.testing.assert_array_equal(alone, together[[k]])


@each
@settings(max_examples=12)
@given(worlds(), st.permutations(range(V)))
def test_what_numbers_words_have_does_not_matter(measure, world, order):
    documents, weights, theta = world
    weights = weights + np.arange(V) * 1e-6 * (weights > 0)  # without ties, which go by the smaller id
    words = [VOCABULARY[i] for i in order]
    place = np.argsort(order)
    before, _, whole, _ = values(scored(measure, documents, weights, theta), measure)
    moved = [[int(place[w]) for w in d] for d in documents]
    after, _, again, _ = values(scored(measure, moved, weights[:, order], theta, words), measure)
    np.testing.assert_allclose(after, before, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(again, whole, rtol=1e-12, atol=1e-15)


# --- values


@each
@settings(max_examples=25)
@given(worlds())
def test_values_lie_in_the_declared_range(measure, world):
    documents, *_ = world
    known = {
        "V": V,
        "K": len(world[1]),
        "D": len(documents),
        "n": TOP,
        "smoothing": measure.defaults.get("smoothing", 0),
    }
    text = "[-1, 1]" if measure.range == "that of the coherence" else measure.range
    low, high = (LIMITS[x](known) if x in LIMITS else float(x) for x in text[1:-1].split(", "))
    topics, _, whole, _ = values(scored(measure, *world), measure)
    found = np.array([x for x in [*topics, whole] if not np.isnan(x)])
    assert ((found >= low - 1e-9) & (found <= high + 1e-9)).all(), (text, found)


@each
@settings(max_examples=25)
@given(worlds())
def test_undefined_is_nan_with_a_reason_and_nothing_else_is(measure, world):
    scores = scored(measure, *world)
    for value, n_terms, reason in scores.frame.select("value", "n_terms", "reason").rows():
        assert not math.isinf(value)
        assert math.isnan(value) == (reason != "")
        assert n_terms > 0 or math.isnan(value)


@each
@settings(max_examples=10)
@given(worlds())
def test_its_function_on_plain_arrays_gives_what_evaluate_gives(measure, world):
    if "pseudo_counts" in measure.needs:
        pytest.skip("its topics are no probabilities: test_held_out has it beside scikit-learn and gensim")
    result = direct(measure, *world)
    if isinstance(result, Levels):
        topics, _, whole, _ = values(scored(measure, *world), measure)
        np.testing.assert_allclose(whole, result.model.value, rtol=1e-12)
        if result.topics is not None:
            np.testing.assert_allclose(topics, result.topics.value, rtol=1e-12)
        return
    assert isinstance(result, Values)
    assert result.value.shape == result.n_terms.shape == result.reason.shape
    topics, _, whole, _ = values(scored(measure, *world), measure)
    if result.value.shape:
        np.testing.assert_allclose(topics, result.value, rtol=1e-12, atol=1e-15)
        known = result.value[result.reason == ""]
        np.testing.assert_allclose(whole, known.mean() if len(known) else np.nan, rtol=1e-12, atol=1e-15)
    else:
        np.testing.assert_allclose(whole, result.value, rtol=1e-12)


@each_counting
@settings(max_examples=10)
@given(worlds(), st.integers(0, 20))
def test_counts_of_a_corpus_cut_in_two_add_up_to_its_score(measure, world, cut):
    if "coherence" in measure.needs:
        pytest.skip("its coherence is another row of the table")
    documents, weights, _ = world
    unit = unit_of(parse(measure.name))
    top = tl.TopicModel(VOCABULARY, topic_word=weights).top_words(TOP)
    ids = padded([[VOCABULARY.index(w) for w in topic] for topic in top], TOP)
    a, b, whole = (
        count_pairs(corpus_of(part), VOCABULARY, [range(V)], [unit])[unit]
        for part in (documents[:cut], documents[cut:], documents)
    )
    np.testing.assert_equal(measure.function(a + b, ids), measure.function(whole, ids))


@each
@settings(max_examples=3)
@given(worlds())
def test_the_same_seed_gives_the_same_numbers_on_one_thread_and_two(measure, world):
    one, two, again = (
        scored(measure, *world, ci=0.95, resamples=20, seed=3, workers=workers, chance=5)
        for workers in (1, 2, 2)
    )
    assert one.frame.equals(two.frame, null_equal=True)
    assert two.frame.equals(again.frame, null_equal=True)
    assert one.details.to_dict() == two.details.to_dict()
    assert one.draws.keys() == two.draws.keys()
    for key, draws in one.draws.items():
        np.testing.assert_array_equal(draws, two.draws[key])


@each
def test_topics_without_words_are_undefined(measure):
    weights = np.array([[0.5, 0.5, 0, 0, 0, 0, 0, 0], [0] * 8, [0, 0, 0, 0.4, 0.6, 0, 0, 0]])
    theta = np.array([[1.0, 0, 0], [0.5, 0, 0.5]] * 3)
    topics, rows, whole, model = values(
        scored(measure, [[0, 1] * 3, [3, 4] * 3] * 3, weights, theta), measure
    )
    if COVERAGE_NEEDS & {*measure.needs}:
        assert topics[1] == 0  # it is at 1 from every reference topic, and of no use
    elif len(topics):
        assert np.isnan(topics[1])
        assert rows["reason"][1] != ""
        assert not np.isnan(topics[[0, 2]]).any()
        if "token_topics" in measure.needs:  # the model's is over tokens or documents, not over topics
            return
        assert model["n_terms"][0] == 2  # a mean says over how many
        assert whole == pytest.approx(topics[[0, 2]].mean())
    elif measure.name != "topic_diversity" and not {"labels", "held_out", "word_prior"} & {*measure.needs}:
        # the others need no word of each topic
        assert np.isnan(whole)
        assert model["reason"][0] != ""


# --- direction


def planted(seed=0):
    """Three subjects of eight words; each document is about one of them, with some noise."""
    rng = np.random.default_rng(seed)
    documents = [
        [int(w) if rng.random() < 0.9 else int(rng.integers(24)) for w in rng.integers(8 * s, 8 * s + 8, 12)]
        for s in np.repeat(range(3), 100)
    ]
    good = np.kron(np.eye(3), np.arange(8, 0, -1)) + 1e-3
    return documents, good / good.sum(1, keepdims=True), rng


def degraded(kind):
    """A corpus with a good model and one that is worse in one way: weights and proportions of each."""
    documents, good, rng = planted()
    theta = np.repeat(np.eye(3), 100, axis=0) * 0.94 + 0.02
    if kind == "random words":
        return documents, (good, theta), (good[:, rng.permutation(24)], theta)
    if kind == "repeated":
        return documents, (good, theta), (good[[0, 0, 1]] + np.eye(3, 24) * 1e-6, theta)
    if kind == "led by the same words":
        return documents, (good, theta), (0.1 * good + 0.9 * good[0], theta)
    if kind == "flat":
        return documents, (good, theta), (0.1 * good + 0.9 / 24, theta)
    if kind == "everywhere":
        return documents, (good, theta), (good, 0.1 * theta + 0.3)
    if kind == "topics of tokens at random":
        z = topics_of(documents, good, theta)
        return documents, (good, theta, z), (good, theta, rng.permutation(z))
    if kind == "other documents":
        return documents, (good, theta), (good, theta[rng.permutation(300)])
    raise AssertionError(kind)


WORSE = {
    "random words": "umass u_mass uci npmi c_v c_p c_a tq we_coherence "
    "au_cdc sup_cov sup_cov_nocos precision "
    "perplexity log_likelihood bits_per_word",
    "repeated": "diversity topic_diversity topic_overlap inverted_rbo average_jaccard topic_distance tq",
    "led by the same words": "diversity topic_overlap inverted_rbo average_jaccard exclusivity frex",
    "flat": "sig_uni sig_vac exclusivity topic_distance cao2009 deveaud2014 arun2010",
    "everywhere": "sig_back",
    "other documents": "doc_coherence label_f1 purity nmi ari",
    "topics of tokens at random": "consistency switch_p switch_vi avg_rank window word_div griffiths2004",
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in WORSE.items() for name in names.split()]
)
def test_a_worse_model_scores_worse(kind, name):
    measure = next(m for m in MEASURES if m.name == name)
    words = [f"w{i:02}" for i in range(24)]
    documents, good, bad = degraded(kind)
    corpus = corpus_of(documents, words, np.repeat(["a", "b", "c"], 100))
    models = [
        model_of(*good[:2], words, "good", *good[2:]),
        model_of(*bad[:2], words, "bad", *bad[2:]),
    ]
    spec = spec_of(measure, 8)
    vectors = {word: np.eye(3)[i // 8] + 0.1 for i, word in enumerate(words)}
    scores = tl.evaluate(
        models,
        corpus,
        held_out=corpus,
        vectors=vectors,
        reference_topics=looked_for(words, np.kron(np.eye(3), np.ones(8))),
        matcher=Near(),
        measures=[spec],
        ci=None,
    )
    better = scores.value(spec, "good") - scores.value(spec, "bad")
    assert better > 1e-3 if measure.best == "high" else better < -1e-3


WORSE_OVER_TIME = {
    "shuffled": "ttc tts ttq dtq b_ts",
    "random words": "ttc ttq dtq b_tc",
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in WORSE_OVER_TIME.items() for name in names.split()]
)
def test_worse_topics_over_time_score_worse(kind, name):
    words = [f"w{i:02}" for i in range(24)]
    documents, good, rng = planted()
    slices = np.stack([good] * 4)
    if kind == "random words":
        bad = slices[:, :, rng.permutation(24)]
    else:
        bad = np.stack([good[[t % 3, (t + 1) % 3, (t + 2) % 3]] for t in range(4)])
    models = [
        tl.DynamicTopicModel(words, weights, "time topic word", name=called)
        for weights, called in ((slices, "good"), (bad, "bad"))
    ]
    scores = tl.evaluate(models, corpus_of(documents, words), measures=[f"{name}@8"], ci=None)
    assert scores.value(f"{name}@8", "good") - scores.value(f"{name}@8", "bad") > 1e-3


WORSE_OVER_RUNS = "instance_stabil aucdc_stabil document_stabil refset_stabil"


@pytest.mark.parametrize("name", WORSE_OVER_RUNS.split())
def test_runs_that_differ_are_less_stable(name):
    words = [f"w{i:02}" for i in range(24)]
    _, good, rng = planted()
    theta = np.repeat(np.eye(3), 100, axis=0)
    other = model_of(good[:, rng.permutation(24)], theta[rng.permutation(300)], words)
    same = model_of(good[::-1], theta[:, ::-1], words)
    runs = {"good": [model_of(good, theta, words), same], "bad": [same, other]}
    wanted = looked_for(words, np.kron(np.eye(3), np.ones(8)))
    scores = tl.stability(runs, wanted, Near(), measures=name, ci=None)
    assert scores.value(name, "good") - scores.value(name, "bad") > 0.1


def test_every_measure_with_a_best_end_is_moved_by_some_degradation():
    moved = " ".join([*WORSE.values(), *WORSE_OVER_TIME.values(), WORSE_OVER_RUNS]).split()
    assert {m.name for m in EVERY if m.best} == set(moved)


def test_measures_that_count_by_documents_windows_and_contexts_are_among_these():
    assert {unit_of(parse(m.name)) for m in COUNTING} >= {
        window_unit(None),
        window_unit(10),
        Unit("context", 5),
    }
