"""Models that give a whole sentence one topic: against enumerated posteriors, and what was planted."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.special import betaln, gammaln

import tealeaves as tl
from tealeaves._kernels.draws import start
from tealeaves._kernels.sentences import one_topic_each, share_of_draws, stay_or_draw, whole_runs
from tealeaves.cli import run
from tealeaves.errors import InputError
from tealeaves.fit._sentences import Sentences
from tealeaves.tokens import sentence_ids

ALPHA, ETA, EPSILON = 0.4, 0.5, 0.3
SMALL = [[[0, 0], [1, 2], [0]], [[2, 1, 2], [0, 2]]]  # two documents of sentences of words


def log_joint(topics, new, n_words=3, k=2):
    """log p(words, topics, draws) of SMALL by hand, with words and shares of topics integrated out."""
    by_word, drawn = np.zeros((n_words, k)), np.zeros((len(SMALL), k))
    s, found = 0, 0.0
    for d, sentences in enumerate(SMALL):
        for place, words in enumerate(sentences):
            np.add.at(by_word[:, topics[s]], words, 1)
            if new[s]:
                drawn[d, topics[s]] += 1
            elif topics[s] != topics[s - 1]:
                return -np.inf
            if place:
                found += np.log(EPSILON if new[s] else 1 - EPSILON)
            s += 1
    found += gammaln(by_word + ETA).sum() - gammaln(by_word.sum(axis=0) + n_words * ETA).sum()
    return found + gammaln(drawn + ALPHA).sum() - gammaln(drawn.sum(axis=1) + k * ALPHA).sum()


def exact(of_runs):
    """The probability of each assignment of topics to the five sentences."""
    first = [0, 3]
    found = {}
    for topics in product(range(2), repeat=5):
        ways = product([0, 1], repeat=5) if of_runs else [(1,) * 5]
        logs = [log_joint(topics, new) for new in ways if all(new[s] for s in first)]
        found[topics] = np.exp(logs).sum()
    whole = sum(found.values())
    return {key: p / whole for key, p in found.items()}


def sampled(of_runs, sweeps):
    """How often the sampler was in each assignment."""
    tokens = np.array([w for d in SMALL for s in d for w in s])
    bounds = np.cumsum([0] + [len(s) for d in SMALL for s in d])
    docs = np.cumsum([0] + [len(d) for d in SMALL])
    topic, new = np.full(5, -1), np.ones(5, np.int64)
    drawn, by_word, by_topic = np.zeros((2, 2), int), np.zeros((3, 2), int), np.zeros(2, int)
    counts = (drawn, by_word, by_topic, ALPHA, ETA, 1.0)
    state = np.empty(2, np.uint64)
    start(state, 1, 0, 0)
    found = dict.fromkeys(product(range(2), repeat=5), 0)
    for i in range(sweeps):
        if of_runs:
            stay_or_draw(tokens, bounds, docs, topic, new, *counts, EPSILON, state)
            if i % 2:
                whole_runs(tokens, bounds, docs, topic, new, *counts, state)
        else:
            one_topic_each(tokens, bounds, docs, topic, *counts, state)
        found[tuple(topic.tolist())] += 1
    assert by_topic.sum() == len(tokens)
    assert (by_word >= 0).all()
    assert drawn.sum() == (new.sum() if of_runs else 5)
    return {key: n / sweeps for key, n in found.items()}


@pytest.mark.parametrize("of_runs", [False, True], ids=["sentence_lda", "htmm"])
def test_the_sampler_visits_assignments_as_often_as_the_exact_posterior_says(of_runs):
    wanted, found = exact(of_runs), sampled(of_runs, 60_000)
    assert max(abs(found[key] - wanted[key]) for key in wanted) < 0.012
    assert max(wanted.values()) > 0.05  # so that the above can fail


def test_epsilon_is_drawn_from_its_beta_posterior():
    docs, new = np.array([0, 4, 4, 6]), np.array([1, 0, 1, 0, 1, 0])  # one draw of four that are not first
    state = np.empty(2, np.uint64)
    start(state, 3, 0, 0)
    draws = np.array([share_of_draws(docs, new, state) for _ in range(20_000)])
    assert draws.mean() == pytest.approx(2 / 6, abs=0.005)  # Beta(1 + 1, 1 + 3)
    assert draws.var() == pytest.approx(2 * 4 / (36 * 7), rel=0.05)


def test_the_probability_by_which_starts_are_compared_is_that_of_the_joint_distribution():
    from tealeaves.fit._sentences import State

    words = [w for d in SMALL for s in d for w in s]
    offsets = np.cumsum([0] + [sum(map(len, d)) for d in SMALL])
    corpus = tl.Corpus(vocabulary=("a", "b", "c"), tokens=np.array(words), offsets=offsets)
    number = np.repeat(np.arange(5), [len(s) for d in SMALL for s in d])
    states = []
    for topics, new in (((0, 1, 1, 0, 0), (1, 1, 0, 1, 0)), ((0, 0, 1, 1, 0), (1, 0, 1, 1, 1))):
        at = State(Sentences(corpus, number), 3, 2, ALPHA, ETA, stays=True)
        at.topic[:], at.new[:] = topics, new
        for s, k in enumerate(topics):
            at.drawn[0 if s < 3 else 1, k] += new[s]
            np.add.at(at.by_word[:, k], at.cut.tokens[at.cut.bounds[s] : at.cut.bounds[s + 1]], 1)
        at.by_topic[:] = at.by_word.sum(axis=0)
        draws = new[1] + new[2] + new[4]
        fixed = draws * np.log(EPSILON) + (3 - draws) * np.log(1 - EPSILON)
        states.append((at.log_p(), log_joint(topics, new) - fixed + betaln(1 + draws, 4 - draws)))
    (a, by_hand_a), (b, by_hand_b) = states
    assert a - b == pytest.approx(by_hand_a - by_hand_b)


# --- what was planted is found


def recovered(model, truth):
    """Mean cosine of topics matched one to one, and the share of tokens with the right one."""
    a, b = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (truth.topic_word, model.topic_word))
    table = np.zeros((truth.n_topics, model.n_topics))
    np.add.at(table, (truth.assignments, model.assignments), 1)
    best = linear_sum_assignment(-(a @ b.T))
    return (a @ b.T)[best].mean(), table[best].sum() / len(truth.assignments)


@pytest.fixture(scope="module")
def planted():
    """Topics that overlap, and sentences of four words: a token alone says little of its topic."""
    return tl.synthetic.sentences(
        k=5, documents=150, length=15, vocabulary=200, words=4, switch=0.2, beta=0.2, seed=3
    )


@pytest.mark.parametrize("family", ["sentence_lda", "htmm"])
def test_planted_topics_and_those_of_tokens_are_recovered(family, planted):
    corpus, truth = planted
    cosine, tokens = recovered(tl.fit(family, corpus, k=5, seed=1, iterations=150), truth)
    assert cosine > 0.97
    assert tokens > 0.93


def test_tokens_of_sentences_are_told_apart_better_than_by_lda_and_best_with_their_order():
    corpus, truth = tl.synthetic.sentences(
        k=4, documents=150, length=20, vocabulary=150, words=2, switch=0.1, beta=0.2, seed=3
    )
    right = {}
    for family in ("lda", "sentence_lda", "htmm"):
        right[family] = recovered(tl.fit(family, corpus, k=4, seed=1, iterations=120), truth)[1]
    # 0.91, 0.96 and 0.99 with each of three seeds
    assert right["lda"] + 0.03 < right["sentence_lda"]
    assert right["sentence_lda"] + 0.01 < right["htmm"]


@pytest.mark.parametrize("switch", [0.1, 0.5, 1.0])
def test_epsilon_is_learnt(switch):
    corpus, _ = tl.synthetic.sentences(
        k=4, documents=150, length=15, vocabulary=200, switch=switch, alpha=1.0, seed=5
    )
    source = tl.fit("htmm", corpus, k=4, iterations=100, alpha=1.0, restarts=2).source
    assert float(source.rpartition("epsilon ")[2]) == pytest.approx(switch, abs=0.07)


def test_a_sentence_has_one_topic_so_local_measures_see_switches_between_sentences_only(planted):
    corpus, truth = planted
    models = {family: tl.fit(family, corpus, k=5, seed=1, iterations=60) for family in ("htmm", "lda")}
    specs = ["switch_p", "switch_p(sentences='within')", "consistency(sentences='across')"]
    scores = tl.evaluate({**models, "truth": truth}, corpus, measures=specs, ci=None)
    assert scores.value("switch_p(sentences='within')", "htmm") == 0
    assert scores.value("switch_p", "htmm") == pytest.approx(scores.value("switch_p", "truth"), abs=0.02)
    assert scores.value("switch_p", "lda") > 3 * scores.value("switch_p", "truth")
    assert scores.value("consistency(sentences='across')", "htmm") > 0.7


# --- where sentences end


def test_sentences_are_read_from_texts_or_handed_over_in_two_ways_that_agree():
    corpus = tl.Corpus.from_texts(["Oil gas. Law tax. Wheat corn.", "Tax law. Gas oil."] * 10)
    numbers = sentence_ids(corpus)
    models = [
        tl.fit("sentence_lda", corpus, k=2, iterations=20, sentences=given)
        for given in ("texts", numbers, 2, numbers % 7)
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.assignments, models[0].assignments)


def test_a_document_ends_a_sentence_and_unknown_tokens_end_none():
    corpus = tl.Corpus.from_tokens([["a", "b", "?", "a"], [], ["?"], ["a"]], vocabulary=["a", "b"])
    cut = Sentences(corpus, np.array([0, 0, 1, 0, 0, 0]))
    assert cut.bounds.tolist() == [0, 3, 4]
    assert cut.docs.tolist() == [0, 1, 1, 1, 2]
    assert cut.of_tokens(np.array([5, 6])).tolist() == [5, 5, -1, 5, -1, 6]


@pytest.mark.parametrize("family", ["sentence_lda", "htmm"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "where sentences end is read from texts, which this corpus has not: read it from texts, or"),
        ({"sentences": "lines"}, "sentences must be 'texts', a whole number or an array; got 'lines'"),
        ({"sentences": 0}, "a stretch has at least 1 token; got sentences=0"),
        ({"sentences": [0, 1]}, r"a whole number for each of the 8 tokens; got int64 of the shape \(2,\)"),
        ({"sentences": np.zeros(8)}, "got float64 of the shape"),
        ({"sentences": 2, "alpha": 0}, "alpha must be a number above 0; got 0"),
        ({"sentences": 2, "restarts": 0}, "restarts must be 1 or more; got 0"),
    ],
)
def test_what_does_not_say_where_sentences_end_is_refused(family, options, message):
    corpus = tl.Corpus.from_tokens([["oil", "gas"], ["law", "tax"]] * 2)
    with pytest.raises(InputError, match=message):
        tl.fit(family, corpus, k=2, **options)


def test_counts_have_no_sentences():
    corpus = tl.Corpus.from_matrix([[2, 1], [1, 3]], ["oil", "gas"])
    with pytest.raises(InputError, match="sentences need the order of tokens"):
        tl.fit("htmm", corpus, k=2, sentences=2)


def test_long_sentences_do_not_underflow():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(2000)]
    documents = [list(rng.choice(words[half * 1000 : half * 1000 + 1000], 900)) for half in (0, 1) * 5]
    model = tl.fit("sentence_lda", tl.Corpus.from_tokens(documents), k=2, sentences=900, iterations=10)
    topics = model.assignments.reshape(10, 900)
    assert (topics == topics[:, :1]).all()
    assert topics[0, 0] != topics[1, 0]
    assert len(set(topics[::2, 0])) == len(set(topics[1::2, 0])) == 1


def test_the_command_fits_sentences_of_a_file_of_texts_and_of_stretches_of_a_saved_corpus(tmp_path, capsys):
    docs = tmp_path / "docs.txt"
    docs.write_text("Oil gas. Law tax. Tax law.\nGas oil gas. Law law.\n" * 6)
    assert run(["fit", "htmm", str(docs), str(tmp_path / "m"), "-k", "2", "--set", "iterations=20"]) == 0
    model = tl.load_model(tmp_path / "m")
    assert "30 sentences" in model.source
    tl.Corpus.from_tokens([["oil", "gas", "law", "tax"]] * 4).save(tmp_path / "corpus")
    command = ["fit", "sentence_lda", str(tmp_path / "corpus"), str(tmp_path / "n"), "-k", "2"]
    assert run(command) == 1
    assert "hand over sentences=" in capsys.readouterr().err
    assert run([*command, "--set", "sentences=2", "--set", "iterations=5"]) == 0
    assert "8 sentences" in tl.load_model(tmp_path / "n").source
