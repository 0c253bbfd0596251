"""Held-out likelihood against exact values, by enumeration in rational arithmetic (golden/heldout.json)."""

import json
from fractions import Fraction
from math import lgamma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves._kernels.likelihood import ROUNDS, log_mean
from tealeaves.errors import InputError, MissingInput
from tealeaves.held_out import Documents, documents_of, score, split
from tealeaves.infer import exact, proportions
from tealeaves.measures.held_out import SETTINGS, bits_per_word, log_likelihood, perplexity

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "heldout.json").read_text("utf-8"))
CASES = GOLDEN["docs"] + GOLDEN["long"]
DEFAULTS = {name: perplexity.__kwdefaults__[name] for name in SETTINGS}
WORDS = [f"w{i}" for i in range(10)]
UNBIASED = {
    "chib": {"method": "chib"},
    "smc": {"method": "smc"},
    "left to right": {"method": "left_to_right", "moves": False},
    "left to right with moves": {"method": "left_to_right"},
    "importance": {"method": "importance"},
    "importance from the prior": {"method": "importance", "proposal": "prior"},
}


def arrays(name):
    phi, alpha = GOLDEN["models"][name]["phi"], GOLDEN["models"][name]["alpha"]
    return np.array([[float(Fraction(x)) for x in row] for row in phi]), np.array(
        [float(Fraction(a)) for a in alpha]
    )


def model_of(name):
    phi, alpha = arrays(name)
    return tl.TopicModel(WORDS[: phi.shape[1]], topic_word=phi, alpha=alpha, name=name)


def documents(*lists, **options):
    tokens = np.array([w for one in lists for w in one], np.int32)
    offsets = np.cumsum([0] + [len(one) for one in lists])
    return Documents(tokens, offsets, np.zeros(len(lists), np.int64), **options)


def corpus(*lists):
    return tl.Corpus.from_tokens([[WORDS[w] for w in one] for one in lists])


def exact_of(case):
    return -np.inf if case["log_p"] == "-inf" else float(case["log_p"])


def ident(case):
    return f"{case['model']}-{len(case['words'])}"


# --- from outside


@pytest.mark.parametrize("case", CASES, ids=ident)
def test_the_exact_sum_is_that_of_enumeration(case):
    log_p, mean = exact(
        np.array(case["words"], np.int32), np.array([0, len(case["words"])]), *arrays(case["model"])
    )
    assert log_p[0] == pytest.approx(exact_of(case), rel=1e-12)
    assert mean.sum() == pytest.approx(0 if np.isinf(log_p[0]) else 1)


@pytest.mark.parametrize("name", UNBIASED)
@pytest.mark.parametrize("case", [c for c in CASES if 5 <= len(c["words"]) <= 30][::6], ids=ident)
def test_an_unbiased_estimator_is_right_in_the_mean_over_many_seeds(case, name):
    if name == "importance" and len(case["words"]) > 10:
        pytest.skip(
            "so heavy a tail that no number of seeds shows its mean: see the test of importance below"
        )
    seeds = 2000
    many = documents(*[case["words"]] * seeds, seed=1)  # each document has a generator of its own
    found = score(*arrays(case["model"]), many, **DEFAULTS | UNBIASED[name] | {"samples": 40})
    ratio = np.exp(found.documents - exact_of(case))
    error = ratio.std() / np.sqrt(seeds)
    assert abs(ratio.mean() - 1) < 5 * error + 1e-9
    assert error < 0.15


@pytest.mark.parametrize("name", ["chib", "smc", "left to right with moves", "importance from the prior"])
@pytest.mark.parametrize(
    "case", [c for c in CASES if len(c["words"]) >= 30 or c["model"] == "K3V5asym"][-4:], ids=ident
)
def test_estimators_lie_within_their_monte_carlo_error_of_the_exact_value(case, name):
    samples = 400 if "moves" in name else 4000
    found = score(
        *arrays(case["model"]),
        documents(case["words"], seed=2),
        **DEFAULTS | UNBIASED[name] | {"samples": samples},
    )
    assert found.documents[0] == pytest.approx(exact_of(case), abs=5 * found.error[0] + 1e-9)
    assert found.error[0] < 0.5


@pytest.mark.parametrize("name", ["chib", "smc", "left to right"])
def test_the_error_that_is_told_is_the_spread_over_seeds(name):
    case = next(c for c in CASES if c["model"] == "K3V5asym" and len(c["words"]) == 7)
    many = documents(*[case["words"]] * 2000)
    found = score(*arrays(case["model"]), many, **DEFAULTS | UNBIASED[name] | {"samples": 400})
    assert np.sqrt((found.error**2).mean()) == pytest.approx(found.documents.std(), rel=0.25)


def long_documents(size, copies):
    """Six documents of so many words under three topics, ``copies`` times; and their exact log p, summed."""
    rng = np.random.default_rng(size)
    phi, alpha = rng.dirichlet(np.full(30, 0.3), 3), np.array([0.3, 0.5, 0.2])
    lists = [rng.choice(30, size, p=rng.dirichlet(alpha) @ phi).tolist() for _ in range(6)]
    truth = score(phi, alpha, documents(*lists), **DEFAULTS | {"method": "exact"})
    return phi, alpha, documents(*lists * copies, seed=5), truth.log_likelihood


@pytest.mark.parametrize("name", ["chib", "smc"])
@pytest.mark.parametrize(("size", "samples"), [(100, 100), (100, 300), (300, 200)])
def test_error_and_bias_that_are_told_of_long_documents_cover_what_other_seeds_give(name, size, samples):
    copies = 30  # each with generators of its own, so that they are as many seeds
    phi, alpha, many, truth = long_documents(size, copies)
    found = score(phi, alpha, many, **DEFAULTS | UNBIASED[name] | {"samples": samples})
    totals = found.documents.reshape(copies, -1).sum(axis=1)
    told = found.log_likelihood_error / np.sqrt(copies)
    assert totals.std(ddof=1) < 1.35 * told  # a spread of 30 is known to 13 percent
    assert told < 3 * totals.std(ddof=1)
    noise = totals.std(ddof=1) / np.sqrt(copies)
    assert truth - 2.5 * found.log_bias / copies - 4 * noise < totals.mean() < truth + 4 * noise


def test_a_bias_beyond_the_error_is_warned_of_and_more_samples_end_it():
    phi, alpha, many, _ = long_documents(100, 10)
    words = [f"w{i}" for i in range(30)]
    texts = tl.Corpus(tuple(words), many.tokens, many.offsets)
    model = tl.TopicModel(words, phi, alpha=alpha, name="m")
    few, more = "log_likelihood(samples=10)", "log_likelihood(samples=300)"
    scores = tl.evaluate(model, held_out=texts, measures=[few, more], ci=None)
    said = [warning for warning in scores.details.warnings if "Monte Carlo bias" in warning]
    assert len(said) == 1
    assert few in said[0]
    beside = scores.details.companions[model.name]
    assert beside[few]["mc_bias"] == -beside[few]["log_bias"] < -beside[few]["mc_error"]
    assert scores.value(few) < scores.value(more)
    words = beside[more]["words"]
    spec = "perplexity(method='chib', samples=300)"
    other = tl.evaluate(model, held_out=texts, measures=spec, ci=None)
    high = other.details.companions[model.name][spec]["mc_bias"]
    assert high == pytest.approx(other.value(spec) * beside[more]["log_bias"] / words, rel=1e-2)
    completed = tl.evaluate(model, held_out=texts, measures="perplexity", ci=None)
    assert completed.details.companions[model.name]["perplexity"]["mc_bias"] is None


def test_importance_sampling_falls_short_where_it_does_not_draw_most_of_the_posterior():
    """30 words, three topics: 3,000 times 40 draws gave 0.53 of p. It is the tail, and no mistake.

    p(n | w) and q(n) of counts of topics n are exact sums. Over
    half of p comes from counts that q draws less than once in 100,000 times.
    """
    case = next(c for c in CASES if c["model"] == "K3V5sym" and len(c["words"]) == 30)
    phi, alpha = arrays("K3V5sym")
    likely = phi[:, case["words"]].T
    q = likely * alpha / (likely * alpha).sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        q = likely * (alpha + q.sum(axis=0) - q)
        q /= q.sum(axis=1, keepdims=True)

    def by_counts(weights):
        found = {(0, 0, 0): 1.0}
        for row in weights:
            longer = {}
            for n, value in found.items():
                for k in range(3):
                    at = (*n[:k], n[k] + 1, *n[k + 1 :])
                    longer[at] = longer.get(at, 0.0) + value * row[k]
            found = longer
        return found

    def dirichlet(n):
        parts = sum(lgamma(a + m) - lgamma(a) for a, m in zip(alpha, n, strict=True))
        return np.exp(lgamma(alpha.sum()) - lgamma(alpha.sum() + 30) + parts)

    drawn = by_counts(q)
    joint = {n: value * dirichlet(n) for n, value in by_counts(likely).items()}
    assert sum(joint.values()) == pytest.approx(np.exp(exact_of(case)))
    rare = sum(value for n, value in joint.items() if drawn[n] < 1e-5) / np.exp(exact_of(case))
    assert 0.5 < rare < 0.6
    many = documents(*[case["words"]] * 500, seed=1)
    found = score(phi, alpha, many, **DEFAULTS | {"method": "importance", "samples": 40})
    assert np.median(np.exp(found.documents - exact_of(case))) < 1 - rare


@settings(max_examples=50)
@given(st.lists(st.floats(-500, 500), min_size=2, max_size=20))
def test_the_error_of_a_log_mean_is_the_jackknife_s(logs):
    def log_mean_of(values):
        top = max(values)
        return top + np.log(np.exp(np.array(values) - top).mean())

    without = np.array([log_mean_of(logs[:i] + logs[i + 1 :]) for i in range(len(logs))])
    expected = np.sqrt((len(logs) - 1) * without.var())
    mean, error = log_mean(np.array(logs))
    assert mean == pytest.approx(log_mean_of(logs), abs=1e-9)
    assert error == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_usual_left_to_right_without_moves_leads_to_a_wrong_value():
    case = GOLDEN["long"][0]
    given = DEFAULTS | {
        "method": "left_to_right",
        "variant": "log_of_means",
        "moves": False,
        "samples": 20_000,
    }
    found = score(*arrays(case["model"]), documents(case["words"]), **given)
    assert abs(found.documents[0] - exact_of(case)) > 20 * found.error[0]
    assert "not consistent" in found.how


@pytest.mark.parametrize("case", GOLDEN["completion"], ids=lambda c: c["model"])
def test_completion_has_the_golden_proportions_and_values(case):
    phi, alpha = arrays(case["model"])
    tokens = np.array(case["observed"], np.int32)
    ends = np.array([0, len(tokens)])
    for method, tolerance in (("em", 1e-9), ("vb", 1e-9), ("posterior_mean", 1e-12)):
        theta = proportions(tokens, ends, phi, alpha, method, iterations=100_000, tolerance=1e-14)[0][0]
        expected = [float(Fraction(str(x))) for x in case[f"theta_{method}"]]
        np.testing.assert_allclose(theta, expected, rtol=tolerance, atol=1e-9, err_msg=method)
        found = tl.completion(
            model_of(case["model"]), corpus(case["observed"]), corpus(case["scored"]), method=method,
            iterations=100_000, tolerance=1e-14,
        )  # fmt: skip
        assert found.log_likelihood == pytest.approx(case[f"plug_in_{method}"], rel=1e-7), method
        assert found.perplexity == pytest.approx(np.exp(-found.log_likelihood / len(case["scored"])))


def test_gibbs_sampling_leads_to_the_posterior_mean():
    for case in GOLDEN["completion"]:
        tokens = np.array(case["observed"], np.int32)
        theta = proportions(
            tokens, np.array([0, len(tokens)]), *arrays(case["model"]), "gibbs", burn_in=100, samples=40_000
        )[0][0]
        expected = [float(Fraction(x)) for x in case["theta_posterior_mean"]]
        np.testing.assert_allclose(theta, expected, atol=0.01)


def test_the_worked_table_of_five_terms():
    """Source 003: ship, boat, ocean, voyage, trip in six documents; uniform, unigram, pLSA, each its own."""
    example = GOLDEN["worked_example"]
    texts = tl.Corpus.from_tokens(example["docs"], vocabulary=example["terms"])
    phi = np.array([[float(Fraction(str(x))) for x in row] for row in example["plsa2_solution"]["phi"]])
    counts = np.zeros((6, 5))
    np.add.at(counts, (np.repeat(range(6), np.diff(texts.offsets)), texts.tokens), 1)
    topics = {
        "uniform": np.full((1, 5), 0.2),
        "unigram": counts.sum(0, keepdims=True) / 10,
        "plsa2": phi,
        "own": counts / counts.sum(1, keepdims=True),
    }
    for name, topic_word in topics.items():
        model = tl.TopicModel(example["terms"], topic_word)
        found = tl.completion(model, texts, texts, method="em", iterations=100_000, tolerance=1e-13)
        log_p, printed = example["seed_table"][name]
        assert found.log_likelihood == pytest.approx(log_p, abs=5e-4), name
        assert found.perplexity == pytest.approx(printed, abs=5e-4), name
        assert found.perplexity == pytest.approx(example["rows"][name]["perplexity"], rel=1e-6)


def test_the_variational_bound_lies_below_the_exact_value():
    from tealeaves.held_out import PseudoCounts, bound_parts

    sharp = 1e9  # pseudo-counts so many that the topics are as good as fixed
    for case in [c for c in CASES if c["model"] in ("K2V3sym", "K3V5asym", "K3V5sym")]:
        phi, alpha = arrays(case["model"])
        topics = PseudoCounts(phi * sharp, np.ones(phi.shape[1]))
        parts, _ = bound_parts(topics, alpha, documents(case["words"]), iterations=1000, tolerance=1e-9)
        assert parts[0] <= exact_of(case) + 1e-6


def test_bounds_are_those_of_scikit_learn_and_gensim():
    decomposition = pytest.importorskip("sklearn.decomposition")
    models = pytest.importorskip("gensim.models")
    texts, _ = tl.synthetic.lda(k=4, documents=120, length=30, vocabulary=80, seed=1)
    train, test = texts.select(range(90)), texts.select(range(90, 120))
    counts = np.zeros((120, 80))
    np.add.at(counts, (np.repeat(range(120), np.diff(texts.offsets)), texts.tokens), 1)
    fitted = decomposition.LatentDirichletAllocation(5, random_state=0, max_iter=5).fit(counts[:90])
    model = tl.read_model(fitted, vocabulary=list(texts.vocabulary), name="sk")
    specs = ["bound_sklearn", "bound_sklearn(part='documents')", "bound_sklearn(part='topics')"]
    scores = tl.evaluate(model, train, held_out=test, measures=specs, ci=None)
    whole, alone, term = (scores.value(spec) for spec in specs)
    assert np.exp(-whole) == pytest.approx(fitted.perplexity(counts[90:]), rel=1e-8)
    assert alone + term == pytest.approx(whole)
    assert term < 0
    beside = scores.details.companions["sk"]["bound_sklearn"]
    assert beside["perplexity"] == pytest.approx(np.exp(-whole))
    bags = [[(w, int(n)) for w, n in enumerate(row) if n] for row in counts]
    words = dict(enumerate(texts.vocabulary))
    fitted = models.LdaModel(bags[:90], id2word=words, num_topics=5, random_state=1, dtype=np.float64)
    model = tl.TopicModel(
        texts.vocabulary, fitted.state.get_lambda(), alpha=fitted.alpha, eta=fitted.eta, name="g"
    )
    scores = tl.evaluate(model, train, held_out=test, measures=["bound_gensim"], ci=None)
    assert scores.value("bound_gensim") == pytest.approx(fitted.log_perplexity(bags[90:]), rel=1e-6)
    assert scores.details.companions["g"]["bound_gensim"]["gensim_logs"] == pytest.approx(
        2 ** -scores.value("bound_gensim")
    )


# --- edges


def test_held_out_documents_must_be_handed_over():
    with pytest.raises(MissingInput, match=r"perplexity scores documents that the model was not trained on"):
        tl.evaluate(model_of("K2V3sym"), corpus([0, 1]), measures=["perplexity"])


def test_a_model_without_a_prior_is_completed_by_em_and_has_no_estimate():
    model = tl.TopicModel(WORDS[:3], arrays("K2V3sym")[0], name="nmf")
    scores = tl.evaluate(
        [model, model_of("K2V3sym")],
        held_out=corpus([0, 1, 2, 2]),
        measures=["perplexity", "log_likelihood"],
        ci=None,
    )
    assert "folded_in:em" in scores.frame.filter(scores.frame["model"] == "nmf")["signature"][0]
    assert "folded_in:vb" in scores.frame.filter(scores.frame["model"] == "K2V3sym")["signature"][0]
    assert scores.value("perplexity", "nmf") > 1
    assert np.isnan(scores.value("log_likelihood", "nmf"))
    with pytest.raises(MissingInput, match="needs a Dirichlet prior"):
        tl.evaluate(model, held_out=corpus([0, 1]), measures=["log_likelihood"])


def test_what_is_no_distribution_over_words_is_refused_with_the_reason():
    negative = tl.TopicModel(["a", "b"], [[0.5, -0.5]], name="lsi")
    with pytest.raises(MissingInput, match="negative"):
        tl.evaluate(negative, held_out=corpus([0]), measures=["perplexity"])
    with pytest.raises(MissingInput, match="weights of words"):
        tl.evaluate(tl.TopicModel.from_words([["a", "b"]]), held_out=corpus([0]), measures=["perplexity"])


def test_an_impossible_word_is_infinite_and_named_unless_smoothed():
    model = model_of("K2V3unseen")
    specs = ["log_likelihood", "perplexity(split='even_odd')", "perplexity(smoothing=0.01)"]
    scores = tl.evaluate(model, held_out=corpus([2, 0, 1], [0, 1]), measures=specs, ci=None)
    assert scores.value("log_likelihood") == -np.inf
    assert scores.value(specs[1]) == np.inf
    assert np.isfinite(scores.value(specs[2]))
    rows = scores.frame.filter(scores.frame["measure"] == "log_likelihood")
    assert rows["reason"].to_list() == ["probability 0: w2 of no topic", "probability 0: w2 of no topic", ""]


def test_a_word_that_only_an_uninferred_topic_has_is_impossible_by_em_and_not_by_a_prior():
    model = tl.TopicModel(["a", "b"], np.eye(2), alpha=0.5)
    texts = tl.Corpus.from_tokens([["a", "a"]]), tl.Corpus.from_tokens([["b"]])
    by_em = tl.completion(model, *texts, method="em")
    assert by_em.log_likelihood == -np.inf
    assert by_em.reason[0] == "probability 0: a word that none of the document's inferred topics has"
    assert np.exp(tl.completion(model, *texts, method="posterior_mean").log_likelihood) == pytest.approx(
        1 / 6
    )
    for method in ("chib", "smc", "left_to_right", "importance"):
        found = score(*both(model), documents([0, 0, 1]), **DEFAULTS | {"method": method})
        assert found.documents[0] == pytest.approx(np.log(1 / 16), abs=6 * found.error[0] + 1e-9), method


def both(model):
    return model.probabilities(), model.alpha


def test_short_and_unknown_documents_are_left_out_and_counted():
    texts = tl.Corpus.from_tokens([["w0", "w1"], ["w2"], [], ["x", "y", "w0"], ["x"], ["w1", "x", "w1"]])
    scores = tl.evaluate(
        model_of("K2V3sym"), held_out=texts, measures=["perplexity", "log_likelihood"], ci=None
    )
    beside = scores.details.companions["K2V3sym"]
    assert beside["perplexity"]["left_out"] == 4
    assert beside["log_likelihood"]["left_out"] == 2
    assert beside["perplexity"]["unknown_share"] == pytest.approx(0.4)
    assert np.isnan(scores.documents("perplexity")).tolist() == [False, True, True, True, True, False]
    assert any("leaves out 40% of the held-out words" in warning for warning in scores.details.warnings)
    assert scores.documents("log_likelihood")[1] == pytest.approx(np.log(0.35))
    with pytest.raises(MissingInput, match="none of the words"):
        tl.evaluate(model_of("K2V3sym"), held_out=tl.Corpus.from_tokens([["x"]]), measures=["perplexity"])


def test_nothing_but_single_words_is_undefined():
    scores = tl.evaluate(model_of("K2V3sym"), held_out=corpus([0], [1]), measures=["perplexity"], ci=None)
    row = scores.frame.row(0, named=True)
    assert np.isnan(row["value"])
    assert row["reason"] == "no document has enough words that the model knows"


def test_the_training_documents_are_warned_of():
    texts = corpus([0, 1, 2], [2, 1])
    scores = tl.evaluate(model_of("K2V3sym"), texts, held_out=texts, measures=["perplexity"], ci=None)
    assert any("scored on the training documents" in warning for warning in scores.details.warnings)


def test_baselines_are_of_the_same_words():
    texts, train = corpus([0, 1, 2, 0], [1, 2]), corpus([0, 0, 0, 1])
    specs = ["perplexity(method='exact')", "bits_per_word(method='exact')", "log_likelihood(method='exact')"]
    scores = tl.evaluate(model_of("K2V3sym"), train, held_out=texts, measures=specs, ci=None)
    log_p = 2 * np.log(4 / 7) + 2 * np.log(2 / 7) + 2 * np.log(1 / 7)
    beside = [scores.details.companions["K2V3sym"][spec] for spec in specs]
    assert [b["uniform"] for b in beside] == pytest.approx([3, np.log2(3), 6 * np.log(1 / 3)])
    assert [b["unigram"] for b in beside] == pytest.approx(
        [np.exp(-log_p / 6), -log_p / 6 / np.log(2), log_p]
    )
    alone = tl.evaluate(model_of("K2V3sym"), held_out=texts, measures=specs[0], ci=None)
    assert alone.details.companions["K2V3sym"][specs[0]]["unigram"] is None


def test_too_long_a_document_for_an_exact_sum_is_refused():
    model = tl.TopicModel(["a", "b"], np.full((8, 2), 0.5), alpha=0.1)
    long = tl.Corpus.from_tokens([["a"] * 100])
    with pytest.raises(MissingInput, match=r"100 words and 8 topics have .* count vectors.*chib"):
        tl.evaluate(model, held_out=long, measures=["log_likelihood(method='exact')"])


def test_two_parts_of_other_numbers_of_documents_are_refused():
    with pytest.raises(InputError, match="observed has 1 documents, but scored has 2"):
        tl.completion(model_of("K2V3sym"), corpus([0]), corpus([0], [1]))


def test_splits_are_floor_of_half_and_the_rest():
    given = documents([0, 1, 2, 3, 4], [5], [], [6, 7])
    seen, rest = split(given, "even_odd")
    assert seen.tokens.tolist() == [1, 3, 7]
    assert rest.tokens.tolist() == [0, 2, 4, 5, 6]
    seen, rest = split(given, "random")
    assert seen.lengths.tolist() == [2, 0, 0, 1]
    assert sorted([*seen.tokens, *rest.tokens]) == list(range(8))
    other = split(given, "random", 1)[0]
    assert any(split(given, "random", r)[0].tokens.tolist() != other.tokens.tolist() for r in range(2, 6))


def test_several_splits_are_averaged_and_their_spread_is_told():
    texts, model = tl.synthetic.lda(k=3, documents=40, length=20, vocabulary=30, seed=2)
    documents = documents_of(model.vocabulary, texts)
    found = score(model.probabilities(), model.alpha, documents, **DEFAULTS | {"splits": 8})
    assert len(found.splits) == 8
    assert found.log_likelihood == pytest.approx(found.splits.mean())
    assert found.log_likelihood_error == pytest.approx(found.splits.std(ddof=1) / np.sqrt(8))
    one = score(model.probabilities(), model.alpha, documents, **DEFAULTS | {"splits": 1})
    assert np.isnan(one.log_likelihood_error)
    assert one.log_likelihood == pytest.approx(found.splits[0])


def test_topics_over_time_score_each_document_in_its_slice():
    phi = np.array([[[0.9, 0.1], [0.5, 0.5]], [[0.1, 0.9], [0, 0]]])
    model = tl.DynamicTopicModel(["a", "b"], phi, "time topic word", ["1990", "1991"], name="d")
    texts = tl.Corpus.from_tokens([["a", "a"], ["a", "a"], ["b", "b", "b"]], slices=["1990", "1991", "1991"])
    spec = "perplexity(split='even_odd', inference='em', iterations=10000)"
    scores = tl.evaluate(model, held_out=texts, measures=[spec], ci=None)
    of = scores.documents(spec)
    assert of == pytest.approx([1 / 0.9, 1 / 0.1, 1 / 0.9], rel=1e-2)
    rows = scores.frame.filter(scores.frame["level"] == "slice")
    assert rows["slice"].to_list() == ["1990", "1991"]
    assert rows["value"].to_list() == pytest.approx(
        [1 / 0.9, np.exp(-(np.log(0.1) + 2 * np.log(0.9)) / 3)], rel=1e-2
    )
    with pytest.raises(MissingInput, match="time="):
        tl.evaluate(model, held_out=tl.Corpus.from_tokens([["a", "b"]]), measures=["perplexity"])
    other = tl.Corpus.from_tokens([["a", "b"]], slices=["2001"])
    with pytest.raises(MissingInput, match="'2001'"):
        tl.evaluate(model, held_out=other, measures=["perplexity"])


# --- properties


@st.composite
def worlds(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k, d = draw(st.integers(1, 4)), draw(st.integers(1, 8))
    lists = [rng.integers(0, 6, rng.integers(0, 9)).tolist() for _ in range(d)]
    return lists, rng.dirichlet(np.full(6, 0.4), k), rng.uniform(0.05, 2, k)


METHODS = [{"method": "completion"}, *UNBIASED.values()]


@pytest.mark.parametrize("method", METHODS, ids=str)
@settings(max_examples=10)
@given(worlds())
def test_a_document_more_adds_its_log_probability(method, world):
    lists, phi, alpha = world
    given = DEFAULTS | method | {"samples": 20}
    fewer, more = (score(phi, alpha, documents(*part), **given) for part in (lists, [*lists, [0, 1, 2]]))
    np.testing.assert_array_equal(more.documents[:-1], fewer.documents)
    total = fewer.log_likelihood if fewer.total_words else 0.0
    assert more.log_likelihood == pytest.approx(total + more.documents[-1])


@settings(max_examples=20)
@given(worlds(), st.randoms())
def test_the_order_of_topics_and_of_words_changes_nothing(world, random):
    lists, phi, alpha = world
    order = list(range(len(phi)))
    random.shuffle(order)
    turned = [one[::-1] for one in lists]
    for settings_, other in (({"method": "exact"}, turned), ({"method": "completion"}, lists)):
        one = score(phi, alpha, documents(*lists), **DEFAULTS | settings_)
        two = score(phi[order], alpha[order], documents(*other), **DEFAULTS | settings_)
        np.testing.assert_allclose(one.documents, two.documents, rtol=1e-6)


@settings(max_examples=20)
@given(worlds())
def test_estimators_are_near_the_exact_value(world):
    lists, phi, alpha = world
    truth = score(phi, alpha, documents(*lists), **DEFAULTS | {"method": "exact"})
    for method in ("chib", "smc"):
        found = score(phi, alpha, documents(*lists), **DEFAULTS | {"method": method, "samples": 4000})
        np.testing.assert_allclose(found.documents, truth.documents, atol=0.35)


@pytest.mark.parametrize("method", [*METHODS, {"inference": "gibbs"}], ids=str)
def test_the_number_of_threads_changes_nothing(method):
    texts, model = tl.synthetic.lda(k=4, documents=400, length=120, vocabulary=60, seed=4)
    given = DEFAULTS | method | {"samples": 3, "splits": 2}
    one, two = (
        score(
            model.probabilities(),
            model.alpha,
            documents_of(model.vocabulary, texts, seed=7, workers=n),
            **given,
        )
        for n in (1, 3)
    )
    np.testing.assert_array_equal(one.documents, two.documents)
    np.testing.assert_array_equal(one.error, two.error)


def test_uniform_topics_have_the_perplexity_of_the_vocabulary():
    model = tl.TopicModel(WORDS, np.full((3, 10), 0.1), alpha=0.3)
    texts = corpus([0, 1, 2], [5] * 7)
    specs = [
        "perplexity",
        "perplexity(method='smc')",
        "perplexity(method='exact')",
    ]
    scores = tl.evaluate(model, held_out=texts, measures=specs, ci=None)
    assert [scores.value(spec) for spec in specs] == pytest.approx([10] * 3)
    assert tl.evaluate(model, held_out=texts, measures="bits_per_word").value(
        "bits_per_word"
    ) == pytest.approx(np.log2(10))


def test_copies_of_documents_leave_perplexity_and_double_the_likelihood():
    phi, alpha = arrays("K3V5asym")
    lists = [[0, 1, 2, 3], [4, 4]]
    once, twice = (documents(*lists, *more) for more in ([], lists))
    assert perplexity(phi, alpha, twice, method="exact").model.value == pytest.approx(
        float(perplexity(phi, alpha, once, method="exact").model.value)
    )
    assert log_likelihood(phi, alpha, twice, method="exact").model.value == pytest.approx(
        2 * float(log_likelihood(phi, alpha, once, method="exact").model.value)
    )
    assert bits_per_word(phi, alpha, once, method="exact").model.value == pytest.approx(
        np.log2(float(perplexity(phi, alpha, once, method="exact").model.value))
    )


def test_the_true_model_beats_a_worse_one_over_documents_drawn_again():
    texts, truth = tl.synthetic.lda(k=4, documents=300, length=60, vocabulary=100, seed=3)
    blurred = 0.5 * truth.probabilities() + 0.5 / 100
    worse = tl.TopicModel(truth.vocabulary, blurred, alpha=truth.alpha, name="worse")
    specs = ["perplexity", "log_likelihood(samples=100)"]
    scores = tl.evaluate([truth, worse], held_out=texts, measures=specs, resamples=200)
    for spec in specs:
        rows = scores.frame.filter((scores.frame["measure"] == spec) & (scores.frame["level"] == "model"))
        assert all(low < value < high for low, value, high in rows.select("low", "value", "high").rows())
    assert scores.value("perplexity", truth.name) < scores.value("perplexity", "worse")
