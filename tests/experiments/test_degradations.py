"""Models made worse in known ways: what each does, and that measures notice what they claim to."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tealeaves.cli import run
from tealeaves.errors import InputError
from tealeaves.experiments import degradations
from tealeaves.experiments.degradations import CLAIMS, PARTS, Degradations, degrade, planted
from tealeaves.experiments.degradations.reactions import (
    BLIND,
    DETECTS,
    UNDEFINED,
    UNSTEADY,
    WRONG,
    reactions_of,
)
from tealeaves.experiments.degradations.reactions import reaction as judged
from tealeaves.experiments.degradations.ways import TOKENS, TOPICS

RNG = np.random.default_rng(0)
PHI = RNG.dirichlet(np.full(60, 0.1), 8)
FREQUENCY = RNG.integers(1, 40, 60).astype(float)


def worse(name, strength, seed=0, phi=PHI):
    return TOPICS[name](phi, FREQUENCY, strength, np.random.default_rng(seed))


# --- what is done to topics


@settings(max_examples=40)
@given(st.sampled_from(list(TOPICS)), st.floats(0.01, 1), st.integers(0, 99))
def test_topics_made_worse_are_topics_still(name, strength, seed):
    found = worse(name, strength, seed)
    assert found.shape == PHI.shape
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(PHI, np.random.default_rng(0).dirichlet(np.full(60, 0.1), 8))  # not touched


def test_shuffled_words_trade_probabilities_and_a_quarter_moves_a_quarter_at_most():
    found = worse("shuffled words", 0.25)
    np.testing.assert_allclose(np.sort(found, axis=1), np.sort(PHI, axis=1))
    assert ((found != PHI).sum(axis=1) <= 15).all()
    assert (found != PHI).any()


def test_mixed_topics_are_half_another_at_the_most():
    found = worse("mixed topics", 1.0)
    for row, own in zip(found, PHI, strict=True):
        assert any(np.allclose(row, (own + other) / 2) for other in PHI if other is not own)


@pytest.mark.parametrize(("strength", "different"), [(0.25, 6), (0.5, 5), (1.0, 2)])
def test_duplicated_topics_leave_so_many_different_ones(strength, different):
    assert len(np.unique(worse("duplicated topics", strength), axis=0)) == different


@pytest.mark.parametrize("name", ["random topics", "stop-word topics", "rare-word topics"])
def test_a_share_of_the_topics_is_replaced(name):
    assert (worse(name, 0.5) != PHI).any(axis=1).sum() == 4


def test_lists_of_stop_words_are_frequent_and_those_of_rare_words_rare():
    for name, compare in (("stop-word topics", np.greater_equal), ("rare-word topics", np.less_equal)):
        tops = np.argsort(-worse(name, 1.0), axis=1)[:, :10]
        assert compare(FREQUENCY[tops].mean(axis=1), np.median(FREQUENCY)).all()


@settings(max_examples=20)
@given(st.sampled_from(list(TOPICS)), st.integers(0, 99))
def test_the_same_seed_makes_the_same_worse(name, seed):
    np.testing.assert_array_equal(worse(name, 0.5, seed), worse(name, 0.5, seed))


# --- what is done to topics of tokens

Z = np.array([0, 0, 1, 2, 2, 2, 1, 1, 0, 0], dtype=np.int32)
OFFSETS = np.array([0, 4, 10])


def test_flips_keep_the_shares_of_each_document():
    found = TOKENS["flips within documents"](Z, OFFSETS, 3, 1.0, np.random.default_rng(1))
    for first, last in ((0, 4), (4, 10)):
        assert sorted(found[first:last]) == sorted(Z[first:last])
    assert (found != Z).any()


def test_a_document_of_one_topic_has_its_commonest():
    found = TOKENS["one topic a document"](Z, OFFSETS, 3, 1.0, np.random.default_rng(1))
    assert found[:4].tolist() == [0] * 4
    assert len(set(found[4:].tolist())) == 1


def test_random_topics_of_tokens_stay_below_k():
    found = TOKENS["random topics of tokens"](np.zeros(500, np.int32), np.array([0, 500]), 4, 0.5, RNG)
    assert set(found.tolist()) == {0, 1, 2, 3}
    assert 0.5 < (found == 0).mean() < 0.75


# --- how a reaction is judged


def reaction(values, start=(1.0, 0.9, 1.1), strengths=(0.5, 1.0)):
    rows = [(s, v) for s, of in zip(strengths, values, strict=True) for v in of]
    return judged(np.array(start), pl.DataFrame(rows, ["strength", "value"], orient="row"))


def test_a_fall_beyond_what_luck_does_is_detected_from_where_it_stays():
    found = reaction([(0.9, 0.9), (0.2, 0.2)])
    assert (found["verdict"], found["noticed"]) == (DETECTS, 1.0)
    assert found["rho"] == pytest.approx(-1, abs=0.06)
    assert found["change"] == pytest.approx(-8)
    assert reaction([(0.5, 0.5), (0.2, 0.2)])["noticed"] == 0.5


def test_what_moves_and_comes_back_is_not_blind_and_its_way_is_told():
    """As frex@10 on topics of rare words: far better at a half and three quarters, back at all."""
    found = reaction([(1.1, 1.1), (5.2, 5.4), (7.1, 7.3), (0.9, 0.9)], strengths=(0.25, 0.5, 0.75, 1.0))
    assert (found["verdict"], found["noticed"]) == (UNSTEADY, 0.75)
    assert found["change"] == pytest.approx(62)
    rows = [{"measure": "m", "degradation": "d", "claimed": False, **found}]
    shown = Degradations(pl.DataFrame(), pl.DataFrame(rows), {})
    assert "| m | not steady (better at 0.75) |" in shown.to_markdown()
    assert '"text": "0.75!"' in json.dumps(shown.chart().to_dict())
    worse_before = reaction([(0.2, 0.2), (1.0, 1.0)])
    assert (worse_before["verdict"], worse_before["noticed"]) == (UNSTEADY, 0.5)
    assert worse_before["change"] == pytest.approx(-8)


@pytest.mark.parametrize(
    ("measure", "verdict"),
    [("npmi", WRONG), ("switch_p", DETECTS), ("ppc", DETECTS)],  # best high, low, at 0
)
def test_a_rise_is_the_wrong_way_unless_low_is_best_or_the_middle(measure, verdict):
    rows = [("", 0.0, v) for v in (1.0, 0.9, 1.1)] + [("worse", s, v) for s, v in ((0.5, 1.5), (1.0, 2.0))]
    frame = pl.DataFrame(rows, ["degradation", "strength", "value"], orient="row")
    (row,) = reactions_of(frame.with_columns(measure=pl.lit(measure)), [measure], ["worse"]).to_dicts()
    assert row["verdict"] == verdict


def test_what_luck_does_or_draws_disagree_on_is_not_noticed():
    assert reaction([(0.95, 0.95), (0.9, 0.9)])["verdict"] == BLIND
    assert reaction([(1.0, 1.0), (3.0, -0.5)])["verdict"] == BLIND
    assert reaction([(1.0,), (np.nan,)], start=(np.nan, 1.0, 1.0))["verdict"] == UNDEFINED


# --- claims


def test_claims_are_about_measures_and_degradations_that_there_are():
    for spec, names in CLAIMS.items():
        for name in names:
            part = [of for of, specs in PARTS.items() if spec in specs[1] and name in specs[0]]
            assert part, f"{spec} cannot be tried on {name}"


@pytest.mark.slow
@pytest.mark.parametrize("part", list(PARTS))
def test_each_measure_moves_as_declared_under_what_it_claims_to_detect(part):
    there, specs = PARTS[part]
    claimed = [spec for spec in specs if any(name in there for name in CLAIMS.get(spec, ()))]
    bench = planted(part, fits=4, documents=300, iterations=100)
    found = degrade(
        bench.models,
        bench.corpus,
        of=part,
        held_out=bench.held_out,
        reference_topics=bench.reference_topics,
        matcher=bench.matcher,
        measures=claimed,
        degradations=[name for name in there if any(name in CLAIMS[spec] for spec in claimed)],
        strengths=(0.5, 1.0),
        draws=2,
    )
    claims = found.reactions.filter(found.reactions["claimed"])
    assert len(claims) > 5 or part == "runs"
    broken = claims.filter((claims["verdict"] != DETECTS) | (claims["rho"] > -0.5))
    assert broken.rows() == []


# --- what cannot be, and the command


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"of": "words"}, "of must be one of topics, runs, tokens, time"),
        ({"degradations": ["frozen topics"]}, "no degradation 'frozen topics' of topics; "),
        ({"models": [None]}, "two fits or more with different seeds"),
        ({"strengths": (0.0,)}, "strengths are above 0"),
    ],
)
def test_what_cannot_be_degraded_is_said(options, said):
    given_ = {"models": [None, None], "corpus": None, **options}
    with pytest.raises(InputError, match=said):
        degrade(given_.pop("models"), given_.pop("corpus"), **given_)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(
        degradations.planted, "__kwdefaults__", {"fits": 3, "documents": 60, "iterations": 20}
    )
    monkeypatch.setattr(
        degradations.degrade, "__kwdefaults__", {**degrade.__kwdefaults__, "strengths": (1.0,)}
    )


def test_consistency_likes_documents_of_one_topic_and_the_command_says_so(small, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = [
        "degrade",
        "--part",
        "tokens",
        "-m",
        "consistency,avg_rank",
        "--draws",
        "1",
        "--out",
        str(out),
    ]
    assert run(arguments) == 0
    assert "wrong way" in capsys.readouterr().out
    assert (out / "tokens.svg").read_text("utf-8").startswith("<svg")
    assert "| consistency |" in (out / "tokens.md").read_text("utf-8")
    frame = pl.read_csv(out / "tokens.csv")
    assert set(frame["degradation"]) == set(TOKENS)
    assert run([*arguments[:-2], "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["about"]["of"] == "tokens"


def test_models_of_one_s_own_need_their_documents(tmp_path, capsys):
    (tmp_path / "a.json").write_text("[]")
    assert run(["degrade", str(tmp_path / "a.json")]) == 1
    assert "--corpus PATH" in capsys.readouterr().err
