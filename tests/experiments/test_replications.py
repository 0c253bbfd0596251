"""Replications: the article's Reuters table from its own models, and what the command says."""

import json

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.cli import run
from tealeaves.errors import InputError
from tealeaves.experiments.replications import Line, Replication, replicate
from tealeaves.experiments.replications.estimators import annealed, harmonic_mean
from tealeaves.experiments.replications.reuters import PRINTED, halves, stories
from tealeaves.held_out import completion


@pytest.fixture(scope="module")
def reuters(data):
    return stories(data)


@pytest.fixture(scope="module")
def stored(data):
    return np.load(data / "reuters" / "lda003_models.npz")


def test_the_corpus_is_the_article_s(reuters):
    train, test = reuters
    assert (len(train), len(test), len(train.vocabulary)) == (7769, 3019, 6855)
    assert (int((train.tokens >= 0).sum()), int((test.tokens >= 0).sum())) == (450_424, 155_783)
    frequency = train.document_frequency()
    assert [frequency[train.index[w]] for w in ("oil", "gas", "hughes")] == [730, 275, 19]


def test_the_halves_are_those_that_the_article_scored(reuters, stored):
    observed, scored = halves(reuters[1], np.random.default_rng(0))
    assert len(scored) == 3017
    assert scored.n_tokens == 78_587
    first = slice(*stored["h1_indptr"][:2])
    counts = np.bincount(observed.document(0), minlength=6855)
    assert np.flatnonzero(counts).tolist() == stored["h1_indices"][first].tolist()
    assert counts[counts > 0].tolist() == stored["h1_data"][first].tolist()


@pytest.mark.parametrize("k", [5, 20, 80])
def test_the_table_s_perplexity_and_coherence_come_out_to_every_printed_digit(reuters, stored, k):
    train, test = reuters
    components = stored[f"components_k{k}"]
    model = tl.TopicModel(train.vocabulary, components, alpha=[1 / k] * k, eta=1 / k)
    observed, scored = halves(test, np.random.default_rng(0))
    perplexity = completion(model, observed, scored, method="vb", topics="geometric").perplexity
    npmi = tl.evaluate(model, train, measures=["npmi@10"], ci=None).value("npmi@10")
    assert round(perplexity) == PRINTED[k][0]
    assert round(npmi, 3) == PRINTED[k][2]


def test_scikit_learn_s_perplexity_comes_out_and_its_rise_is_the_topic_term_s(reuters, stored):
    train, test = reuters
    found = {}
    for k in (5, 20):
        model = tl.TopicModel(train.vocabulary, stored[f"components_k{k}"], alpha=[1 / k] * k, eta=1 / k)
        specs = ["bound_sklearn", "bound_sklearn(part='documents')"]
        scores = tl.evaluate(model, train, held_out=test, measures=specs, ci=None)
        found[k] = [float(np.exp(-scores.value(spec))) for spec in specs]
    assert [round(found[k][0]) for k in (5, 20)] == [PRINTED[5][1], PRINTED[20][1]]
    assert found[20][0] > found[5][0]
    assert found[20][1] < found[5][1]


def test_a_line_agrees_when_it_rounds_to_what_was_printed():
    assert Line("a", 1517, 1516.54).agrees
    assert not Line("a", 1517, 1516.4).agrees
    assert Line("b", 0.203, 0.20349, 3).agrees


def test_a_replication_is_a_table_of_both_numbers():
    text = Replication(
        "x", (Line("a", 3, 3.2), Line("b", 3, 5.0)), {"More": [{"K": 5}]}, ("Said.",)
    ).to_markdown()
    assert "| a | 3 | 3.20 | the same |" in text
    assert "| b | 3 | 5.00 | differs by +2 |" in text
    assert "- Said." in text


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("reutres", {}, "no replication 'reutres'; did you mean 'reuters'?"),
        ("reuters", {"seeds": 0}, "seeds must be"),
        ("reuters", {}, "reuters_apte.jsonl.gz was expected there"),
    ],
)
def test_what_cannot_be_replicated_is_said(tmp_path, name, options, said):
    with pytest.raises(InputError, match=said):
        replicate(name, tmp_path, **options)


def test_estimators_in_common_use_are_shown_to_be_wrong_and_ours_right(monkeypatch):
    monkeypatch.setattr("tealeaves.experiments.replications.estimators.DOCUMENTS", 10)
    found = replicate("estimators", ".", seeds=1)
    (table,) = found.tables.values()
    error = {row["estimator"]: row["less exact"] for row in table}
    assert error["exact"] == 0
    assert abs(error["Chib"]) < 2
    assert abs(error["sequential Monte Carlo"]) < 2
    assert error["harmonic mean"] > 20
    assert error["annealed importance sampling"] < -2


def test_annealing_in_many_steps_and_one_topic_are_exact():
    words, rng = np.array([0, 1, 1]), np.random.default_rng(0)
    one = np.array([[0.25, 0.75]])
    for estimate in (annealed, harmonic_mean):
        assert estimate(words, one, 0.5, 20, rng) == pytest.approx(np.log(0.25 * 0.75**2))
    two = np.array([[0.5, 0.5], [0.1, 0.9]])
    exact = np.log(0.5 * (0.5 * 0.5) + 0.5 * (0.1 * 0.9) + 0)  # alpha -> 0: one topic a document
    many = np.mean([annealed(np.array([0, 1]), two, 1e-9, 4000, rng) for _ in range(60)])
    assert many == pytest.approx(exact, abs=0.15)


@pytest.mark.slow
def test_the_command_fits_and_prints(data, capsys, monkeypatch):
    from tealeaves.experiments.replications import reuters as module

    monkeypatch.setattr(module, "KS", (5,))
    monkeypatch.setattr(module.run, "__kwdefaults__", {**module.run.__kwdefaults__, "ks": (5,)})
    assert run(["replicate", "reuters", "--data", str(data), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(line["agrees"] for line in found["lines"])
