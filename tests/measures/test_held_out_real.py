"""Held-out likelihood on real text: source 003's Reuters table, MALLET's left-to-right on BBC news."""

import gzip
import json
import re

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.held_out import PseudoCounts, bound_parts, documents_of, score
from tealeaves.measures.held_out import SETTINGS, perplexity

DEFAULTS = {name: perplexity.__kwdefaults__[name] for name in SETTINGS}
SIZES = (5, 10, 20, 40, 80)
# What inference with p(word | topic) gives where the source has exp(E log): up to 1 % more.
WITH_PHI = {5: 1517.56, 10: 1339.75, 20: 1177.72, 40: 1099.53, 80: 1073.60}


@pytest.fixture(scope="module")
def reuters(data):
    stored = np.load(data / "reuters" / "lda003_models.npz")
    return {name: stored[name] for name in stored.files}


@pytest.fixture(scope="module")
def expected(data):
    return json.loads((data / "reuters" / "expected_003.json").read_text("utf-8"))


def part(reuters, names):
    """The halves of the split as a corpus: one of them, or both together."""
    vocabulary = [str(w) for w in reuters["vocab"]]
    rows = [
        np.concatenate(
            [
                np.repeat(reuters[f"{n}_indices"][a:b].astype(np.int32), reuters[f"{n}_data"][a:b])
                for n in names
                for a, b in [reuters[f"{n}_indptr"][d : d + 2]]
            ]
        )
        for d in range(len(reuters["test_ids"]))
    ]
    offsets = np.cumsum([0, *map(len, rows)])
    return tl.Corpus(tuple(vocabulary), np.concatenate(rows), offsets, ordered=False)


def model_of(reuters, k):
    return tl.TopicModel(
        [str(w) for w in reuters["vocab"]], reuters[f"components_k{k}"], alpha=1 / k, eta=1 / k
    )


@pytest.mark.parametrize("k", SIZES)
def test_the_source_s_perplexities_to_every_printed_digit(reuters, expected, k):
    observed, scored = part(reuters, ["h1"]), part(reuters, ["h2"])
    found = tl.completion(model_of(reuters, k), observed, scored, topics="geometric")
    assert f"{found.perplexity:.0f}" == str(expected["seed_table"][str(k)][0])
    assert round(found.perplexity, 2) == expected["reproduced"][str(k)]["doc_completion_perplexity"]
    assert (found.total_words, found.left_out) == (78_587, 0)
    with_phi = tl.completion(model_of(reuters, k), observed, scored)
    assert with_phi.perplexity == pytest.approx(WITH_PHI[k], abs=0.01)


def test_how_a_half_tells_its_topics_moves_perplexity_by_percents(reuters):
    observed, scored = part(reuters, ["h1"]), part(reuters, ["h2"])
    model = model_of(reuters, 20)

    def found(method, **settings):
        return tl.completion(model, observed, scored, method, **settings).perplexity

    assert 1184 < found("em") < 1198
    assert found("em", iterations=1000, tolerance=1e-6) == pytest.approx(1196.8, abs=0.5)
    assert found("gibbs", samples=100) == pytest.approx(1152, abs=8)
    assert found("gibbs", samples=1) == pytest.approx(1220, abs=12)


def test_the_baselines_of_the_source(reuters, expected, data):
    scored = part(reuters, ["h2"])
    index, unigram = scored.index, np.ones(len(scored.vocabulary))
    with gzip.open(data / "reuters" / "reuters_apte.jsonl.gz", "rt", encoding="utf-8") as lines:
        for story in map(json.loads, lines):
            if story["split"] == "train":
                words = re.findall(r"\b[a-z]{3,}\b", story["text"].lower())
                np.add.at(unigram, [index[word] for word in words if word in index], 1)
    log_p = np.log(unigram / unigram.sum())[scored.tokens].mean()
    assert np.exp(-log_p) == pytest.approx(expected["baselines"]["unigram_add_one"], abs=0.01)
    assert len(reuters["vocab"]) == expected["baselines"]["uniform"]


def test_scikit_learn_s_perplexity_rises_with_k_because_of_a_term_without_documents(reuters):
    """On the 3,017 stories that could be split; its own figures are of all 3,019, which differ in 3 words."""
    printed = {5: 2158, 10: 2240, 20: 2376, 40: 2916, 80: 4319}
    alone = {5: 1637, 10: 1486, 20: 1346, 40: 1302, 80: 1340}
    terms = {5: 0.276, 10: 0.410, 20: 0.568, 40: 0.806, 80: 1.170}
    stories = part(reuters, ["h1", "h2"])
    for k in SIZES:
        model = model_of(reuters, k)
        documents = documents_of(model.vocabulary, stories)
        topics = PseudoCounts(model.topic_word, np.full(len(model.vocabulary), 1 / k))
        parts, term = bound_parts(topics, np.full(k, 1 / k), documents, iterations=100, tolerance=1e-3)
        words = documents.lengths.sum()
        assert np.exp(-(parts.sum() + term) / words) == pytest.approx(printed[k], abs=0.6)
        assert np.exp(-parts.sum() / words) == pytest.approx(alone[k], abs=0.6)
        assert -term / words == pytest.approx(terms[k], abs=6e-4)


def test_chib_and_smc_agree_on_reuters_and_importance_sampling_does_not(reuters):
    stories = part(reuters, ["h1", "h2"]).select(range(150))
    model = model_of(reuters, 20)
    documents = documents_of(model.vocabulary, stories, seed=1)
    found = {
        name: score(model.probabilities(), model.alpha, documents, **DEFAULTS | {"smoothing": 0.0} | settings)
        for name, settings in {
            "chib": {"method": "chib", "samples": 500},
            "smc": {"method": "smc", "samples": 200},
            "importance": {"method": "importance", "samples": 500},
            "prior": {"method": "importance", "proposal": "prior", "samples": 500},
        }.items()
    }
    assert found["chib"].perplexity == pytest.approx(found["smc"].perplexity, rel=0.004)
    assert found["importance"].perplexity > 1.004 * found["smc"].perplexity
    assert found["prior"].perplexity > 1.05 * found["smc"].perplexity


def test_mallet_s_left_to_right_on_its_own_topics(data):
    folder = data / "formats" / "mallet_bbc"
    model = tl.read_model(folder / "topic-state.gz")
    with gzip.open(folder / "test.txt.gz", "rt", encoding="utf-8") as lines:
        texts = [line.rstrip("\n").split("\t")[2].split() for line in lines]
    documents = documents_of(model.vocabulary, tl.Corpus.from_tokens(texts), seed=1)
    theirs = np.loadtxt(folder / "test-doc-probs.txt")
    settings = {"method": "left_to_right", "variant": "log_of_means", "moves": False, "samples": 20}
    ours = score(model.probabilities(), model.alpha, documents, **DEFAULTS | settings)
    error = np.sqrt(2) * ours.log_likelihood_error  # theirs is a draw of the same kind
    assert ours.log_likelihood == pytest.approx(theirs.sum(), abs=3 * error)
    assert theirs.sum() == pytest.approx(-271008.42587647494)
    standard = (ours.documents - theirs) / (np.sqrt(2) * ours.error)
    assert abs(standard.mean()) < 0.25
    assert 0.6 < standard.std() < 1.5
    chib = score(
        model.probabilities(), model.alpha, documents, **DEFAULTS | {"method": "chib", "samples": 300}
    )
    assert chib.log_likelihood > ours.log_likelihood + 500  # nats that log-of-means loses here
