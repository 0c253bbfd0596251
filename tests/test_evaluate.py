"""Evaluating models: the cases of the field's bug reports, what is missing, groups, draws, signatures."""

import math
import subprocess
import sys
import time

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.counts import DOCUMENT, count_pairs
from tealeaves.errors import InputError, MissingInput, SpecError, TealeavesError
from tealeaves.evaluate import name_models


def words(*topics, **options):
    return tl.TopicModel.from_words([t.split() if isinstance(t, str) else t for t in topics], **options)


def corpus(*texts, **options):
    return tl.Corpus.from_tokens([t.split() for t in texts], **options)


def scored(model, documents, *specs, **options):
    return tl.evaluate(model, documents, measures=list(specs), **({"ci": None} | options))


def row(scores, spec, level="topic", topic=None, model=None, group=""):
    frame = scores.frame
    found = [
        r
        for r in frame.rows(named=True)
        if r["measure"] == scores.spec(spec)
        and r["level"] == level
        and r["topic"] == topic
        and r["group"] == group
        and model in (None, r["model"])
    ]
    assert len(found) == 1
    return found[0]


@pytest.fixture(scope="module")
def world():
    """A corpus of two subjects with slices and labels, and models of it with every part there is."""
    rng = np.random.default_rng(1)
    subjects = [
        ["oil", "gas", "energy", "barrel", "opec", "crude"],
        ["bank", "rate", "money", "loan", "credit", "fund"],
    ]
    docs = [
        [str(w) for w in rng.choice(subjects[d % 2], 8)] + [str(rng.choice(subjects[1 - d % 2]))]
        for d in range(60)
    ]
    texts = tl.Corpus.from_tokens(
        docs,
        slices=[2000 + d // 20 for d in range(60)],
        labels=[("energy", "money")[d % 2] for d in range(60)],
    )
    topic_word = rng.dirichlet(np.full(12, 0.3), 3)
    theta = rng.dirichlet(np.full(3, 0.3), 60)
    full = tl.TopicModel(texts.vocabulary, topic_word=topic_word, doc_topic=theta, name="full")
    lists = words("oil gas energy barrel", "bank rate money loan", "oil bank crude fund", name="lists")
    return texts, full, lists


# --- the cases, by the numbers of their list


def test_case_1_a_repeated_word_does_not_empty_its_window():
    texts, model = corpus("a a b"), words("a b")
    assert scored(model, texts, "uci(window=2)@2").value("uci(window=2)@2") == pytest.approx(0, abs=1e-9)
    faulty = "uci(window=2, compat='gensim')@2"
    assert scored(model, texts, faulty).value(faulty) == pytest.approx(-26.2447, abs=5e-5)


def test_case_2_two_words_together_in_half_of_the_windows_have_pmi_log_2():
    spec = "uci(window=2)@2"
    assert scored(words("a b"), corpus("a b", "c d"), spec).value(spec) == pytest.approx(math.log(2))


def test_case_3_a_topic_scores_the_same_alone_among_others_and_in_any_order(world):
    texts, _full, lists = world
    specs = ["c_v@4", "npmi@4", "c_npmi@4", "umass@4", "uci@4", "c_p@4", "c_a@4"]
    topics = lists.top_words(4)
    together, turned = (scored(words(*order), texts, *specs) for order in (topics, topics[::-1]))
    for spec in specs:
        np.testing.assert_array_equal(turned.topics(spec)[::-1], together.topics(spec))
        alone = [scored(words(topic), texts, spec).value(spec) for topic in topics]
        np.testing.assert_array_equal(alone, together.topics(spec))


@pytest.mark.parametrize(
    "spec", ["npmi@3", "c_npmi@3", "umass@3", "u_mass@3", "uci@3", "c_v@3", "c_p@3", "c_a@3"]
)
def test_case_4_a_word_of_no_document_makes_its_topic_undefined_and_is_named(spec):
    texts = corpus("a b", "a c", vocabulary=["a", "b", "c", "z"])
    scores = scored(words("a b z"), texts, spec)
    found = row(scores, spec, topic=0)
    assert math.isnan(found["value"])
    assert found["reason"] == "absent word: z"
    assert found["n_terms"] == 3
    assert scores.details.unknown["model"]["0"]["absent"] == ["z"]


def test_case_5_u_mass_is_undefined_not_0_where_the_first_word_is_in_no_document():
    texts = corpus("a b", "a c", vocabulary=["a", "b", "c", "z"])
    for spec in ("u_mass@2", "umass@2"):
        assert math.isnan(scored(words("z a"), texts, spec).topics(spec)[0])
    faulty = "u_mass(compat='gensim')@2"
    assert scored(words("z a"), texts, faulty).topics(faulty)[0] == 0


def test_case_6_an_absent_word_is_dropped_on_request_and_the_share_found_is_told():
    texts = corpus("computer system", "system interface", "computer interface system", "other")
    model = words("human computer system interface")
    default, dropped = "npmi@4", "npmi(oov='drop')@4"
    scores = scored(model, texts, default, dropped, "npmi@3")
    assert math.isnan(scores.value(default))
    left = scored(words("computer system interface"), texts, "npmi@3").value("npmi@3")
    assert scores.value(dropped) == left
    assert row(scores, dropped, topic=0)["n_terms"] == 3
    assert scores.details.unknown["model"]["0"]["coverage"] == 3 / 4
    assert any("human is not in the reference" in warning for warning in scores.details.warnings)


@pytest.mark.parametrize("spec", ["npmi@2", "umass@2", "u_mass@2", "uci@2", "c_v@2", "c_p@2", "c_a@2"])
def test_case_7_a_topic_of_one_usable_word_is_undefined_with_the_reason(spec):
    scores = scored(words(["a"], "a b"), corpus("a b c", "a c", "b c", "c c c c c c"), spec)
    assert math.isnan(scores.topics(spec)[0])
    assert row(scores, spec, topic=0)["reason"] == "one word"
    assert row(scores, spec, level="model")["n_terms"] == 1
    name = spec.partition("@")[0]
    dropped = f"{name}(oov='drop')@2"
    assert row(scored(words("a zzz"), corpus("a b"), dropped), dropped, topic=0)["reason"] == "one word"


def test_case_7_gensim_s_c_v_of_one_word_is_1_on_request():
    spec = "c_v(compat='gensim')@2"
    assert scored(words(["a"]), corpus("a b", "b c"), spec).value(spec) == 1


def test_case_8_words_always_together_have_npmi_1():
    texts = corpus(*["a b"] * 5)
    for spec in ("npmi@2", "c_npmi@2"):
        assert scored(words("a b"), texts, spec).value(spec) == 1
    faulty = "c_npmi(compat='gensim')@2"
    assert scored(words("a b"), texts, faulty).value(faulty) == pytest.approx(-1)


@pytest.mark.parametrize("workers", [None, 1, 2, 5])
def test_case_9_empty_documents_and_any_number_of_workers_give_a_value(workers):
    texts = tl.Corpus.from_tokens([["a", "b"], [], ["b", "a"]])
    scores = scored(words("a b"), texts, "npmi@2", "c_v@2", ci=0.95, resamples=20, workers=workers)
    assert scores.value("npmi@2") == 1  # 2 of 3 documents hold both
    assert scores.value("c_v@2") == pytest.approx(1)


def test_case_10_texts_that_can_be_read_only_once_serve_two_measures():
    texts = ["oil gas", "", "oil tax", "gas oil"]
    forms = (
        [t.split() for t in texts],
        (t.split() for t in texts),
        filter(lambda d: True, [t.split() for t in texts]),
        map(str.split, texts),
    )
    found = [
        [scores.value(spec) for spec in ("npmi@2", "umass@2")]
        for form in forms
        for scores in [scored(words("oil gas"), tl.Corpus.from_tokens(form), "npmi@2", "umass@2")]
    ]
    assert found[1:] == found[:1] * 3
    assert not np.isnan(found).any()


def test_case_11_texts_where_lists_of_tokens_are_wanted_are_refused_with_the_fix():
    with pytest.raises(InputError, match="from_texts"):
        tl.Corpus.from_tokens(["a b c", "b c"])


@pytest.mark.parametrize(
    "topics",
    [
        {0: [("oil", 0.3), ("gas", 0.2)], 1: [("tax", 0.3), ("law", 0.1)]},
        [[("oil", 0.3), ("gas", 0.2)], [("tax", 0.3), ("law", 0.1)]],
        ['0.3*"oil" + 0.2*"gas"', '0.3*"tax" + 0.1*"law"'],
    ],
)
def test_case_12_every_form_of_topics_scores_alike(topics):
    texts = corpus("oil gas tax", "oil gas", "law tax", "law oil")
    plain = scored(words("oil gas", "tax law"), texts, "npmi@2").topics("npmi@2")
    assert (
        scored(tl.TopicModel.from_words(topics), texts, "npmi@2").topics("npmi@2").tolist() == plain.tolist()
    )


@pytest.mark.parametrize("separator", [" ", "_"])
def test_case_13_n_grams_are_matched_as_adjacent_tokens_or_listed_as_absent(separator):
    texts = corpus(
        "machine learning ai", "deep learning ai", "machine deep", "deep learning and machine learning"
    )
    topic = [f"machine{separator}learning", f"deep{separator}learning", "ai"]
    single = corpus("ml ai", "dl ai", "machine deep", "dl and ml")
    expected = scored(words("ml dl ai"), single, "npmi@3").value("npmi@3")
    assert scored(words(topic), texts, "npmi@3").value("npmi@3") == pytest.approx(expected)
    gone = scored(words([f"neural{separator}nets", "ai"]), texts, "npmi@2")
    assert row(gone, "npmi@2", topic=0)["reason"] == f"absent word: neural{separator}nets"


def test_case_14_blank_words_are_dropped_and_reported():
    texts = corpus("cat dog", "cat", "dog", "bird")
    scores = scored(words(["cat", "dog", "", "", ""]), texts, "npmi@5")
    assert scores.value("npmi@5") == scored(words("cat dog"), texts, "npmi@2").value("npmi@2")
    assert any("3 blank words dropped" in warning for warning in scores.details.warnings)


def test_case_15_bertopic_s_outlier_topic_is_left_out_and_said_so_unless_kept():
    topics = {-1: [("the", 0.1), ("of", 0.1)], 0: [("cat", 0.3), ("dog", 0.2)]}
    texts = corpus("cat dog", "the cat", "of dog")
    scores = scored(tl.TopicModel.from_words(topics), texts, "npmi@2")
    assert len(scores.topics("npmi@2")) == 1
    assert any("topic -1" in warning for warning in scores.details.warnings)
    kept = scored(tl.TopicModel.from_words(topics, outliers="keep"), texts, "npmi@2")
    assert len(kept.topics("npmi@2")) == 2


def test_case_16_every_topic_is_cut_to_its_own_first_words_before_unknown_ones_are_judged():
    known = [f"w{i}" for i in range(12)]
    texts = tl.Corpus.from_tokens([known[:6], known[4:], known[::2], known[::3]])
    first = ["x", "y", "z", *known[:9]]  # the first loses 3 to unknown words
    spec = "npmi(oov='drop')@10"
    scores = scored(words(first, known), texts, spec)
    assert row(scores, spec, topic=0)["n_terms"] == 7 * 6 // 2
    assert row(scores, spec, topic=1)["n_terms"] == 45
    seven = scored(words(known[:7]), texts, "npmi@7").value("npmi@7")
    assert scores.topics(spec)[0] == pytest.approx(seven, rel=1e-12)


def test_case_17_a_misspelt_measure_is_one_error_at_once_that_names_the_nearest():
    with pytest.raises(SpecError, match="did you mean 'c_npmi'"):
        tl.evaluate(words("a b"), corpus("a b"), measures=["npmi@2", "c_nmpi"])


def test_case_18_without_a_reference_corpus_nothing_is_counted_anywhere_else():
    with pytest.raises(
        MissingInput, match=r"npmi@2 count.* words in a reference corpus.*corpus=.*reference="
    ):
        tl.evaluate(words("a b"), measures=["npmi@2", "topic_diversity@2"])


def test_case_18_a_model_that_carries_its_corpus_is_counted_there_and_the_signature_says_so():
    texts = corpus("a b", "a c", "b")
    model = tl.TopicModel(texts.vocabulary, topic_word=[[0.5, 0.3, 0.2]], corpus=texts)
    scores = scored(model, None, "npmi@2")
    assert scores.value("npmi@2") == scored(model, texts, "npmi@2").value("npmi@2")
    assert f"reference:{texts.fingerprint[:8]}" in row(scores, "npmi@2", level="model")["signature"]
    other = tl.TopicModel(texts.vocabulary, topic_word=[[0.5, 0.3, 0.2]], corpus=corpus("a b c"))
    with pytest.raises(MissingInput, match="none was given"):  # two corpora: whose?
        scored([model, other], None, "npmi@2")


def test_case_19_and_20_short_topics_give_the_same_in_both_orders_and_rbo_stays_within_1():
    for topics in (("a b c", ["d"]), (["d"], "a b c")):
        scores = scored(words(*topics), None, "topic_diversity@3", "inverted_rbo@3", "average_jaccard@3")
        assert [scores.value(m) for m in scores.measures] == [1, 1, 0]
        assert any("1 word only" in warning for warning in scores.details.warnings)
    spec = "inverted_rbo(p=0.4)@3"
    assert scored(words("a b c", ["a"]), None, spec).value(spec) == pytest.approx(0, abs=1e-12)


def test_case_22_ten_words_are_45_pairs():
    ten = [f"w{i}" for i in range(10)]
    texts = tl.Corpus.from_tokens([ten, ten[:5], ten[5:]])
    for spec in ("npmi@10", "uci@10", "umass@10", "u_mass@10", "c_p@10"):
        assert row(scored(words(ten), texts, spec), spec, topic=0)["n_terms"] == 45


def test_case_23_documents_of_one_token_count():
    texts = corpus("a", "b", "a b")
    counts = count_pairs(texts, ["a", "b"], [[0, 1]], [DOCUMENT])[DOCUMENT]
    assert (counts.single(0), counts.single(1), counts.joint(0, 1), counts.n_units) == (2, 2, 1, 3)
    by_hand = math.log((1 / 3) / (2 / 3 * 2 / 3)) / math.log(3)
    assert scored(words("a b"), texts, "npmi@2").value("npmi@2") == pytest.approx(by_hand)


def test_case_24_topics_of_nine_and_eight_words_have_c_v_and_c_a():
    known = [f"w{i}" for i in range(12)]
    rng = np.random.default_rng(0)
    texts = tl.Corpus.from_tokens([[known[i] for i in rng.integers(0, 12, 30)] for _ in range(20)])
    scores = scored(words(known[:9], known[4:]), texts, "c_v@10", "c_a@10")
    for spec in ("c_v@10", "c_a@10"):
        assert np.isfinite(scores.topics(spec)).all()


def test_case_25_topics_of_many_words_take_time_that_grows_no_worse_than_their_square():
    rng = np.random.default_rng(0)
    known = [f"w{i}" for i in range(240)]
    texts = tl.Corpus(tuple(known), rng.integers(0, 240, 60_000).astype(np.int32), np.arange(0, 60_001, 60))

    def seconds(n):
        model = words(*[[known[i] for i in rng.permutation(240)[:n]] for _ in range(10)])
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            scores = scored(model, texts, f"c_p@{n}", f"c_v@{n}", workers=1)
            taken.append(time.perf_counter() - start)
        assert np.isfinite(scores.topics(f"c_p@{n}")).all()
        assert np.isfinite(scores.topics(f"c_v@{n}")).all()
        return min(taken)

    seconds(10)  # the kernels are compiled
    assert seconds(100) < 3 * 4 * seconds(50)  # beyond 64 words a topic is counted in parts; noise included


def test_case_26_rows_that_nearly_sum_to_1_are_normalised_and_the_empty_one_is_named():
    rows = np.array([[0.6, 0.300136, 0.1], [0, 0, 0], [0.2, 0.2, 0.5999]], dtype=np.float32)
    scores = scored(tl.TopicModel(["a", "b", "c"], topic_word=rows), None, "sig_uni")
    p = rows[0].astype(float) / rows[0].astype(float).sum()
    assert scores.topics("sig_uni")[0] == pytest.approx(math.log(3) + (p * np.log(p)).sum())
    assert row(scores, "sig_uni", topic=1)["reason"] == "empty topic"
    assert any("topic 1" in warning and "empty" in warning for warning in scores.details.warnings)


def test_case_27_a_result_says_which_end_is_better():
    scores = scored(words("a b", "a c"), corpus("a b", "a c", "b"), "npmi@2", "topic_overlap@2")
    shown = scores.to_markdown()
    assert "npmi@2" in shown
    assert {"↑", "↓"} <= set(shown) or ("higher" in shown and "lower" in shown)


def test_case_29_a_measure_that_does_not_apply_to_one_model_leaves_that_cell_empty_with_the_reason(world):
    texts, full, lists = world
    scores = scored([full, lists], texts, "npmi@4", "sig_uni", "sig_back", "topic_diversity@4")
    for spec, lacking in (("sig_uni", "weights of words"), ("sig_back", "topic proportions")):
        found = row(scores, spec, level="model", model="lists")
        assert math.isnan(found["value"])
        assert lacking in found["reason"]
        assert "'lists' has none" in found["reason"]
        assert np.isfinite(scores.value(spec, "full"))
    for spec in ("npmi@4", "topic_diversity@4"):
        assert np.isfinite([scores.value(spec, "full"), scores.value(spec, "lists")]).all()


def test_on_a_matrix_without_order_measures_by_windows_are_empty_with_the_reason_and_the_rest_is_scored():
    texts = tl.Corpus.from_matrix([[1, 1, 0], [0, 1, 1], [1, 1, 1]], ["a", "b", "c"])
    options = {"resamples": 20, "chance": 5}
    scores = tl.evaluate(
        words("a b", "b c"), texts, measures=["npmi@2", "c_v@2", "tq(coherence='c_v')@2"], **options
    )
    assert np.isfinite(scores.topics("npmi@2")).all()
    for spec in ("c_v@2", "tq(coherence='c_v')@2"):
        found = row(scores, spec, level="model")
        assert math.isnan(found["value"])
        assert "window:110 needs the order of tokens" in found["reason"]
    with pytest.raises(MissingInput, match="needs the order of tokens"):
        tl.evaluate(words("a b"), texts, measures=["c_v@2"], **options)


def test_case_30_words_with_blanks_at_their_ends_match_and_another_case_is_reported_with_a_hint():
    texts = corpus("de oil", "oil gas", "gas de")
    blanks = scored(words(["de ", " oil"]), texts, "npmi@2")
    assert blanks.value("npmi@2") == scored(words("de oil"), texts, "npmi@2").value("npmi@2")
    mixed = scored(words(["Oil", "gas"]), texts, "npmi@2")
    assert row(mixed, "npmi@2", topic=0)["reason"] == "absent word: Oil"
    assert mixed.details.unknown["model"]["0"]["hints"] == {"Oil": "oil"}


BIG = """
import pathlib, re, resource, time
import numpy as np, tealeaves as tl
rng = np.random.default_rng(0)
words = [f"w{i}" for i in range(5000)]
tokens = (rng.random(20_000_000, dtype=np.float32) ** 2 * 5000).astype(np.int32)
corpus = tl.Corpus(tuple(words), tokens, np.arange(0, 20_000_001, 500))
model = tl.TopicModel.from_words([[words[i] for i in rng.permutation(5000)[:10]] for _ in range(50)])
tl.evaluate(model, corpus.select(range(5)), measures=["c_v@10"], ci=None)  # the kernels are compiled
start = time.perf_counter()
scores = tl.evaluate(model, corpus, measures=["c_v@10"], ci=None, workers=2)
assert np.isfinite(scores.topics("c_v@10")).all()
status = pathlib.Path("/proc/self/status")  # getrusage would count what the parent had when it forked
own = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
peak = own[1] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(time.perf_counter() - start, peak)
"""


@pytest.mark.slow
def test_case_31_fifty_topics_over_20_million_tokens_take_under_10_seconds_and_1_gb():
    done = subprocess.run([sys.executable, "-c", BIG], capture_output=True, text=True, check=True)
    seconds, kilobytes = map(float, done.stdout.split())
    assert seconds < 10
    assert kilobytes < 1e6


# --- the names of models


def test_models_are_called_by_their_names_and_runs_by_numbers():
    a, b = words("a b", name="lda"), words("c d", name="nmf")
    assert list(name_models(a)) == ["lda"]
    assert list(name_models([a, b])) == ["lda", "nmf"]
    assert list(name_models([a, b, a])) == ["lda#1", "nmf", "lda#2"]
    assert list(name_models({"x": a, "y": [a, b], "z": [b]})) == ["x", "y#1", "y#2", "z"]
    assert name_models({"y": [a, b]})["y#2"] is b
    assert list(name_models(m for m in (a, b))) == ["lda", "nmf"]


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([], "no model was given"),
        ({}, "no model was given"),
        ({"a": []}, "'a' has no runs"),
        (5, "models must be TopicModel; got int: read it with"),
        ({"a": 5}, "models must be TopicModel; got int"),
        ("model.json", "models must be TopicModel; got str: read it with"),
        ([["oil", "gas"]], r"models must be TopicModel; got list: .*from_words"),
    ],
)
def test_what_is_no_model_is_told_with_the_fix(models, message):
    with pytest.raises(InputError, match=message):
        tl.evaluate(models, corpus("a b"))


def test_two_models_of_one_name_are_refused_and_not_lost():
    a = words("a b", name="a")
    for models in ({"a": [a, a], "a#1": a}, {1: a, "1": a}):
        with pytest.raises(InputError, match="two models would be called"):
            name_models(models)


# --- what is missing


def test_a_missing_input_is_one_clear_error_if_nothing_else_was_asked():
    with pytest.raises(
        MissingInput, match=r"sig_back needs topic proportions of documents .*; model 'm' has none"
    ):
        scored(words("a b", name="m"), corpus("a b"), "sig_back")
    with pytest.raises(MissingInput, match=r"topic_distance needs weights of words .*; model 'm' has none"):
        scored(words("a b", name="m"), None, "topic_distance")
    with pytest.raises(MissingInput, match=r"sig_vac needs a corpus"):
        scored(tl.TopicModel(["a", "b"], topic_word=[[0.5, 0.5]]), None, "sig_vac")


def test_negative_weights_are_no_probabilities_but_their_top_words_are_scored(world):
    texts, *_ = world
    lsi = tl.TopicModel(
        texts.vocabulary, topic_word=np.random.default_rng(0).normal(size=(3, 12)), name="lsi"
    )
    scores = scored(lsi, texts, "npmi@3", "sig_uni")
    assert np.isfinite(scores.topics("npmi@3")).all()
    assert "negative weights" in row(scores, "sig_uni", level="model")["reason"]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("documents", [[], [[]], [[], []]])
def test_a_corpus_without_documents_or_words_leaves_every_coherence_undefined(documents):
    scores = tl.evaluate(
        words("a b"), tl.Corpus.from_tokens(documents), measures="coherence", resamples=20, chance=5
    )
    assert np.isnan(scores.frame["value"].to_numpy()).all()
    assert set(scores.frame.filter(scores.frame["level"] == "topic")["reason"]) == {"absent word: a, b"}


def test_documents_without_any_topic_have_no_background():
    model = tl.TopicModel(["a", "b"], topic_word=np.eye(2), doc_topic=np.zeros((3, 2)))
    scores = scored(model, None, "sig_back", "sig_vac(variant='topics')")
    assert row(scores, "sig_back", topic=0)["reason"] == "empty topic"
    assert "no document" in row(scores, "sig_vac(variant='topics')", level="model")["reason"]


def test_a_corpus_without_any_word_of_the_model_is_told():
    model = tl.TopicModel(["a", "b"], topic_word=[[0.5, 0.5]])
    with pytest.raises(MissingInput, match="is it the right one"):
        scored(model, corpus("x y"), "sig_vac")


def test_texts_in_the_place_of_a_corpus_are_refused_with_the_fix():
    for wrong in ([["a", "b"]], "docs.txt"):
        with pytest.raises(InputError, match=r"corpus must be a Corpus; got (list|str): make it"):
            tl.evaluate(words("a b"), wrong, measures=["npmi@2"])
        with pytest.raises(InputError, match="reference must be a Corpus"):
            tl.evaluate(words("a b"), reference=wrong, measures=["npmi@2"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ci": 95}, "ci must be between 0 and 1, such as 0.95, or None; got 95"),
        ({"resamples": 3}, "resamples must be a whole number of at least 10; got 3"),
        ({"by": "year"}, "by must be 'slice' or 'label'; got 'year'"),
        ({"by": "slice"}, "by='slice' needs a slice for each document of the reference; read it with time="),
        ({"by": "label"}, "by='label' needs a label for each document of the reference; read it with label="),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        ({"chance": -1}, "chance is the number of random word lists for each topic, 0 for none; got -1"),
        ({"measures": ["tq(coherence='diversity')@2"]}, "coherence must be a coherence measure"),
        ({"measures": ["npmi(window=5)@2"], "reference": "matrix"}, "needs the order of tokens"),
    ],
)
def test_an_option_out_of_its_range_is_one_clear_error(options, message):
    if options.get("reference") == "matrix":
        options = options | {"reference": tl.Corpus.from_matrix([[1, 1], [1, 0]], ["a", "b"])}
    with pytest.raises(TealeavesError, match=message):
        tl.evaluate(words("a b"), corpus("a b", "a"), **({"measures": ["npmi@2"]} | options))


# --- groups of the reference


@pytest.mark.parametrize("by", ["slice", "label"])
def test_a_group_scores_as_its_documents_alone(world, by):
    texts, _full, lists = world
    scores = scored(lists, texts, "npmi@4", "topic_diversity@4", by=by)
    names = {"slice": ["2000", "2001", "2002"], "label": ["energy", "money"]}[by]
    frame = scores.frame
    assert [g for g in dict.fromkeys(frame["group"]) if g] == names
    for name in names:
        of = {"slice": lambda d: texts.slice_labels[texts.slice_of[d]], "label": lambda d: texts.labels[d]}[
            by
        ]
        part = texts.select([d for d in range(len(texts)) if of(d) == name])
        alone = scored(lists, part, "npmi@4")
        np.testing.assert_array_equal(scores.topics("npmi@4", group=name), alone.topics("npmi@4"))
        assert (
            row(scores, "npmi@4", level="model", group=name)["signature"]
            == (row(alone, "npmi@4", level="model")["signature"])
        )
    whole = scored(lists, texts, "npmi@4")
    np.testing.assert_array_equal(scores.topics("npmi@4"), whole.topics("npmi@4"))
    # what counts no words is the same in every group, and stands once
    assert set(frame.filter(frame["measure"] == "topic_diversity@4")["group"]) == {""}


def test_a_document_with_several_labels_is_in_each_of_their_groups():
    texts = corpus("a b", "a", "b a", "c", labels=[["x", "y"], "x", ["y"], []])
    scores = scored(words("a b"), texts, "npmi@2", by="label")
    both, one = (
        scored(words("a b"), texts.select(docs), "npmi@2").value("npmi@2") for docs in ([0, 1], [0, 2])
    )
    assert scores.value("npmi@2", group="x") == pytest.approx(both)
    assert scores.value("npmi@2", group="y") == pytest.approx(one)


def test_slices_come_in_their_own_order_and_one_without_documents_is_left_out():
    texts = corpus("a b", "a", "b", "a b", slices=[10, 9, 9, 8])
    scores = scored(words("a b"), texts.select([0, 1, 2]), "npmi@2", by="slice")
    assert list(dict.fromkeys(scores.frame["group"])) == ["", "9", "10"]


def test_a_mistake_is_told_before_anything_is_counted(world):
    texts, full, _lists = world
    plain = corpus("a b")
    for documents, options in ((plain, {"by": "slice"}), (texts, {"chance": -1}), (texts, {"seed": -1})):
        told = []
        with pytest.raises(TealeavesError):
            scored(full, documents, "npmi@4", **options, progress=lambda *step, to=told: to.append(step))
        assert told == []


# --- draws and intervals

FEW = {"ci": 0.95, "resamples": 60, "chance": 0}


def test_equal_models_have_equal_draws_and_a_difference_of_0(world):
    texts, full, lists = world
    scores = tl.evaluate(
        {"a": full, "b": full, "c": lists}, texts, measures=["npmi@4", "c_v@4", "tq@4"], **FEW
    )
    for spec in ("npmi@4", "c_v@4", "tq@4"):
        assert scores.units[spec] == "blocks"
        a, b, c = (scores.draws[name, spec] for name in "abc")
        np.testing.assert_array_equal(a, b)
        assert np.std(a) > 0
        assert np.abs(a - c).max() > 0
    first = scores.compare("npmi@4").row(0, named=True)
    assert {first["model_a"], first["model_b"]} == {"a", "b"}
    assert first["difference"] == 0
    assert np.isnan(first["p"])  # the same on every resample: there is no spread to judge by


def test_draws_of_a_model_do_not_depend_on_which_others_are_evaluated(world):
    texts, full, lists = world
    alone = tl.evaluate(full, texts, measures=["npmi@4"], **FEW)
    among = tl.evaluate([lists, full], texts, measures=["umass@3", "npmi@4"], **FEW)
    np.testing.assert_array_equal(among.draws["full", "npmi@4"], alone.draws["full", "npmi@4"])
    assert row(among, "npmi@4", "model", model="full") == row(alone, "npmi@4", "model")


def test_models_that_do_not_fit_into_memory_together_are_counted_in_turns_alike(world, monkeypatch):
    texts, full, lists = world
    models = {"a": full, "b": [lists, full]}
    together = tl.evaluate(models, texts, measures=["npmi@4", "tq@4"], **FEW)
    monkeypatch.setitem(tl.evaluate.__globals__, "MEMORY", 1)
    in_turns = tl.evaluate(models, texts, measures=["npmi@4", "tq@4"], **FEW)
    assert in_turns.frame.equals(together.frame, null_equal=True)


@pytest.mark.parametrize("spec", ["npmi@4", "c_v@4", "umass@4", "tq@4", "topic_diversity@4"])
def test_an_interval_holds_its_value_and_moves_with_the_seed_which_the_value_does_not(world, spec):
    texts, full, _lists = world
    one, other = (tl.evaluate(full, texts, measures=[spec], **FEW, seed=seed) for seed in (0, 1))
    a, b = (row(scores, spec, level="model") for scores in (one, other))
    assert a["low"] < a["value"] < a["high"]
    assert a["value"] == b["value"]
    if spec != "topic_diversity@4":  # a jackknife draws nothing
        assert a["low"] != b["low"]


def test_an_interval_ends_at_the_range_but_never_shuts_its_value_out():
    texts = corpus("a b", "a", "b c", "a c", "b")
    specs = ["npmi@2", "npmi(smoothing=1)@2"]  # so much smoothing leads beyond [-1, 1]
    scores = tl.evaluate(words("a b", "b c"), texts, measures=specs, **FEW)
    for value, low, high in scores.frame.select("value", "low", "high").rows():
        assert low <= value <= high
    ends = scores.frame.filter(scores.frame["measure"] == "npmi@2").select("low", "high").to_numpy()
    assert np.abs(ends).max() <= 1
    assert scores.value(specs[1]) < -1


def test_a_wider_level_gives_a_wider_interval(world):
    texts, full, _lists = world
    narrow, wide = (tl.evaluate(full, texts, measures=["npmi@4"], **(FEW | {"ci": ci})) for ci in (0.5, 0.99))
    for level, topic in (("model", None), ("topic", 0)):
        a, b = (row(scores, "npmi@4", level, topic) for scores in (narrow, wide))
        assert b["low"] <= a["low"] < a["high"] <= b["high"]
        assert b["high"] - b["low"] > a["high"] - a["low"]


def test_a_topic_with_an_absent_word_has_an_interval_where_it_is_dropped(world):
    texts, *_ = world
    spec = "npmi(oov='drop')@4"
    scores = tl.evaluate(words("oil gas zzz energy", "bank rate money loan"), texts, measures=[spec], **FEW)
    without = tl.evaluate(words("oil gas energy", "bank rate money loan"), texts, measures=[spec], **FEW)
    for topic in (0, 1):
        found, same = (row(s, spec, topic=topic) for s in (scores, without))
        assert found["low"] < found["value"] < found["high"]
        assert (found["low"], found["value"], found["high"]) == (same["low"], same["value"], same["high"])


def test_an_undefined_topic_has_no_interval_and_the_mean_is_over_the_others(world):
    texts, *_ = world
    scores = tl.evaluate(words("oil gas zzz", "bank rate money"), texts, measures=["npmi@3"], **FEW)
    gone, whole = row(scores, "npmi@3", topic=0), row(scores, "npmi@3", level="model")
    assert np.isnan([gone["value"], gone["low"], gone["high"]]).all()
    assert whole["value"] == scores.topics("npmi@3")[1]
    assert whole["n_terms"] == 1


def test_without_ci_there_are_no_intervals_draws_or_chance_bands(world):
    texts, full, _lists = world
    scores = tl.evaluate(full, texts, measures=["npmi@4", "sig_uni", "topic_diversity@4"], ci=None)
    assert np.isnan(scores.frame["low"].to_numpy()).all()
    assert np.isnan(scores.frame["high"].to_numpy()).all()
    assert (scores.draws, scores.units, scores.details.chance, scores.details.pairs) == ({}, {}, {}, {})


def test_chance_bands_are_the_same_for_the_same_seed_and_ordered():
    texts, full = tl.synthetic.lda(k=3, documents=80, length=40, vocabulary=200, beta=0.5, seed=1)
    options = {"measures": ["npmi@4", "c_v@4"], "ci": 0.95, "resamples": 20}
    one, two, three, none = (
        tl.evaluate(full, texts, **options, seed=seed, chance=chance, workers=workers)
        for seed, chance, workers in ((0, 30, 1), (0, 30, 2), (1, 30, 1), (0, 0, 1))
    )
    assert one.details.chance == two.details.chance
    assert one.details.chance != three.details.chance
    assert none.details.chance == {}
    for topic in range(3):
        for spec in ("npmi@4", "c_v@4"):
            low, middle, high = one.details.chance["truth-3"][str(topic)][spec]
            assert low <= middle <= high


def test_a_coherent_topic_lies_above_its_chance_band_and_a_random_one_within():
    rng = np.random.default_rng(0)
    subjects = [[f"w{s}.{i}" for i in range(10)] for s in range(8)]
    texts = tl.Corpus.from_tokens([rng.choice(subjects[d % 8], 8).tolist() for d in range(400)])
    mixed = [subjects[s][0] for s in range(4)]
    scores = tl.evaluate(words(subjects[0][:4], mixed), texts, measures=["npmi@4"], resamples=20, chance=200)
    low, _, high = scores.details.chance["model"]["0"]["npmi@4"]
    assert scores.topics("npmi@4")[0] > high
    low, _, high = scores.details.chance["model"]["1"]["npmi@4"]
    assert low <= scores.topics("npmi@4")[1] <= high


# --- signatures


def test_a_signature_says_everything_that_can_change_the_score(world):
    texts, full, _lists = world

    def signature(spec, documents=texts):
        return row(scored(full, documents, spec), spec, level="model")["signature"]

    print_of = texts.fingerprint[:8]
    assert signature("npmi(window=10)@10") == (
        f"npmi|top:10|window:10|smoothing:0|oov:undefined|compat:none|gaps:kept|reference:{print_of}|docs:60|vocab:12|"
        f"v:{tl.__version__}"
    )
    variants = "npmi@4|npmi@3|npmi(window=5)@4|npmi(smoothing=0.1)@4|npmi(smoothing=0.1000000001)@4"
    variants += (
        "|npmi(oov='drop')@4|npmi(compat='palmetto')@4|tq@4|tq(coherence='c_v')@4|tq(variant='authors')@4"
    )
    variants += "|c_a(distance=3)@4|c_a@4|c_v(gamma=2)@4|c_v@4|sig_vac|sig_vac(variant='document_mean')"
    variants = [*variants.split("|"), "inverted_rbo(p=0.5)@4", "inverted_rbo@4"]
    assert len({signature(spec) for spec in variants}) == len(variants)
    assert signature("npmi@4", texts.select(range(30))) != signature("npmi@4")
    assert signature("c_npmi@4") == signature("npmi(window=10, smoothing=1e-12)@4")


def test_a_measure_that_counts_no_words_names_no_corpus(world):
    texts, full, _lists = world
    found = {row(scored(full, c, "sig_uni"), "sig_uni", level="model")["signature"] for c in (texts, None)}
    assert found == {f"sig_uni|v:{tl.__version__}"}


# --- progress


def test_progress_is_told_while_counting_and_never_beyond_the_end(world):
    texts, full, _lists = world
    told = []
    tl.evaluate(
        full, texts, measures=["npmi@4"], **(FEW | {"chance": 5}), progress=lambda *step: told.append(step)
    )
    assert ("counting words", 60, 60) in told
    assert {what.partition(" ")[0] for what, *_ in told} >= {"counting", "intervals"}
    assert all(done <= of for _, done, of in told)
