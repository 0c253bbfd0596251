"""The matcher: drawing pairs, learning from labels, being asked, being kept."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves import matcher as matcher_module
from tealeaves import matcher_training
from tealeaves.cli import cli
from tealeaves.errors import FormatError, InputError, MissingInput
from tealeaves.matcher import Matcher
from tealeaves.matcher_drawing import _shares
from tealeaves.matcher_files import read_labels, read_pairs
from tealeaves.matcher_pairs import TopicPair, TopicPairs
from tealeaves.reference_topics import ReferenceTopics
from tealeaves.topic_pairs import distance_bins, pair_features

WORDS = [f"w{i}" for i in range(120)]


def planted(seed=0, documents=True):
    """Ten topics; ten noisy copies of them and five others."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(120, 0.05), 10)
    noise = rng.dirichlet(np.full(120, 0.1), 10)
    noisy = np.vstack(
        [(1 - s) * t + s * e for t, e, s in zip(truth, noise, np.linspace(0.1, 0.6, 10), strict=True)]
    )
    theta = rng.dirichlet(np.full(10, 0.1), 40)
    other = np.hstack([0.9 * theta + 0.01, rng.random((40, 5))])
    more = {"doc_topic": theta} if documents else {}
    a = tl.TopicModel(WORDS, truth, name="truth", **more)
    more = {"doc_topic": other} if documents else {}
    b = tl.TopicModel(WORDS, np.vstack([noisy, rng.dirichlet(np.full(120, 0.05), 5)]), name="noisy", **more)
    return a, b


@pytest.fixture(scope="module")
def pairs():
    return Matcher.sample(planted(), n=100, seed=1)


@pytest.fixture(scope="module")
def labels(pairs):
    same = [float(p.first.model != p.second.model and p.first.topic == p.second.topic) for p in pairs]
    doubting = np.array(same)
    doubting[:4] = 0.5
    return np.array([same, same, doubting])


@pytest.fixture(scope="module")
def matcher(pairs, labels):
    return Matcher.train(pairs, labels[0])


# --- pairs


def test_each_interval_gives_as_many_until_it_has_no_more():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.dirichlet(np.full(120, a), 30) for a in (0.02, 0.1, 0.5, 2.0, 50.0)])
    drawn = Matcher.sample(tl.TopicModel(WORDS, rows), n=100)
    counts = np.bincount(distance_bins([p.cosine_distance for p in drawn]), minlength=10)
    assert counts.sum() == 100
    assert counts.max() - counts.min() <= 1


@given(st.integers(1, 60), st.lists(st.integers(0, 12), min_size=1, max_size=10))
def test_shares_are_equal_but_for_what_there_is(n, available):
    have = np.array(available)
    shares = _shares(n, have)
    assert shares.sum() == min(n, have.sum())
    assert (shares <= have).all()
    full = shares < have  # an interval that could give more gives no less than any other, but for a rest of 1
    assert not full.any() or shares[full].min() >= shares.max() - 1


def test_identical_topics_are_left_out_and_it_is_said():
    rows = np.random.default_rng(0).dirichlet(np.full(120, 0.1), 4)
    drawn = Matcher.sample([tl.TopicModel(WORDS, rows), tl.TopicModel(WORDS, rows)], n=100)
    assert len(drawn) == 8 * 7 / 2 - 4
    assert "4 pairs of identical topics left out" in drawn.notes
    assert len({frozenset({(t.model, t.topic) for t in (p.first, p.second)}) for p in drawn}) == len(drawn)


def test_reference_topics_stand_in_the_pool_three_times():
    rows = np.ones((40, 120)) + 9 * np.eye(40, 120)  # every pair is equally far apart
    model = tl.TopicModel(WORDS, rows[:20])
    reference = ReferenceTopics(WORDS, rows[20:])
    drawn = [p for seed in range(20) for p in Matcher.sample(model, 20, seed, reference)]
    kinds = [sum(t.model == "reference" for t in (p.first, p.second)) for p in drawn]
    # 190 pairs within each, 400 between: weights 1, 3, 9
    assert kinds.count(2) / len(kinds) == pytest.approx(9 * 190 / (190 + 3 * 400 + 9 * 190), abs=0.08)


def test_features_of_drawn_pairs_are_those_of_their_vectors(pairs):
    models = {model.name: model for model in planted()}
    for pair in pairs[:20]:
        (a, i), (b, j) = ((models[t.model], t.topic) for t in (pair.first, pair.second))
        expected = pair_features(a.topic_word[i], b.topic_word[j], a.doc_topic[:, i], b.doc_topic[:, j])
        np.testing.assert_allclose(pair.features, expected, atol=1e-12)
        assert pair.first.words == tuple(a.top_words(15)[i])
        assert pair.first.documents[0] == str(a.doc_topic[:, i].argmax())


def test_the_same_seed_draws_the_same_pairs():
    assert Matcher.sample(planted(), 30, 5).pairs == Matcher.sample(planted(), 30, 5).pairs
    assert Matcher.sample(planted(), 30, 5).pairs != Matcher.sample(planted(), 30, 6).pairs


def test_without_documents_pairs_have_words_alone_and_say_so():
    drawn = Matcher.sample(planted(documents=False), 20)
    assert drawn.feature_names == ("word_cosine", "word_hellinger", "word_l1", "word_l2")
    assert any(note.startswith("words only, no documents: 'truth'") for note in drawn.notes)


def test_word_lists_and_topics_without_words_can_be_drawn_from():
    model = tl.TopicModel(["a", "b", "c"], [[1, 2, 0], [2, 1, 0], [0, 0, 0], [0, 0, 1]])
    drawn = Matcher.sample([model, tl.TopicModel.from_words([["a", "c"], ["b"]])], 50)
    assert "1 topics without words left out" in drawn.notes
    assert "only 10 different pairs there are, fewer than 50" in drawn.notes


@pytest.mark.parametrize("name", ["pairs.json", "pairs.csv"])
def test_pairs_are_read_as_they_were_written(pairs, labels, tmp_path, name):
    written = TopicPairs(pairs.pairs, labels=np.where(labels == 0, np.nan, labels))
    written.save(tmp_path / name)
    read = TopicPairs.load(tmp_path / name)
    assert read.pairs == written.pairs
    np.testing.assert_array_equal(read.labels, written.labels)


@pytest.mark.parametrize("name", ["pairs.json", "pairs.csv"])
def test_names_with_ends_of_lines_in_them_stay_what_they_are(pairs, tmp_path, name):
    first = replace(pairs[0].first, label="oil,\nand gas", words=("a\u2028b", "c\x85d"))
    written = TopicPairs([replace(pairs[0], first=first), pairs[1]])
    written.save(tmp_path / name)
    assert TopicPairs.load(tmp_path / name).pairs == written.pairs


def test_a_sheet_shows_words_and_neither_models_nor_distances(pairs, tmp_path):
    pairs.save_sheet(tmp_path / "sheet.csv")
    head, first = (tmp_path / "sheet.csv").read_text("utf-8").splitlines()[:2]
    assert head == "pair,first_words,first_documents,second_words,second_documents,label"
    assert "noisy" not in first
    assert f"{pairs[0].cosine_distance}" not in first


def test_labels_of_several_files_columns_and_raters_are_put_together(tmp_path):
    (tmp_path / "a.csv").write_text("pair,label\n1,1\n0,0.5\n", "utf-8")
    (tmp_path / "b.csv").write_text("pair,label_x,label_y\n0,1,0\n1,,1\n", "utf-8")
    (tmp_path / "c.csv").write_text("pair,rater,label\n0,ana,1\n0,ben,0\n1,ana,1\n", "utf-8")
    (tmp_path / "d.json").write_text("[1, null]", "utf-8")
    found = read_labels([tmp_path / name for name in ("a.csv", "b.csv", "c.csv", "d.json")], 2)
    nan = np.nan
    np.testing.assert_array_equal(found, [[0.5, 1], [1, nan], [0, 1], [1, 1], [0, nan], [1, nan]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair,label\n7,1\n", ":2: pair '7' is none of 0 to 1"),
        ("pair,label\n0,yes\n", ":2: label 'yes' is no number from 0 to 1"),
        ("pair,label\n0,1\n0,1\n", ":3: pair 0 has a second label"),
        ("topic,label\n0,1\n", "needs the columns 'pair' and 'label'"),
    ],
)
def test_a_sheet_filled_in_wrongly_is_refused_with_its_line(tmp_path, text, message):
    (tmp_path / "a.csv").write_text(text, "utf-8")
    with pytest.raises(FormatError, match=message):
        read_labels([tmp_path / "a.csv"], 2)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "tealeaves topic pairs"}', "nan", "[" * 5000])
def test_a_file_that_holds_no_pairs_is_refused(tmp_path, text):
    for name in ("x.json", "x.csv", "x.jsonl"):
        (tmp_path / name).write_text(text, "utf-8")
        with pytest.raises(FormatError, match="x"):
            read_pairs(tmp_path / name)


# --- learning


def test_a_trained_matcher_knows_copies_of_topics(matcher):
    truth, noisy = planted(seed=7)
    found = matcher.matches(truth, noisy)
    same = np.eye(10, 15, dtype=bool)
    assert (found[same]).mean() >= 0.8
    assert not found[~same].any()
    assert (matcher.matches(truth, noisy, cosines=False) == found).mean() > 0.95
    p = matcher.probabilities(truth, noisy)
    np.testing.assert_array_equal(p > 0.5, found)


def test_the_kept_regression_is_scikit_learn_s(matcher, pairs, labels):
    from sklearn.linear_model import LogisticRegression

    one = matcher.classifiers["all"]
    newer = LogisticRegression().get_params()["penalty"] not in ("l1", "l2")
    norm = {"l1_ratio": float(one.penalty == "l1")} if newer else {"penalty": one.penalty}
    theirs = LogisticRegression(solver="liblinear", C=one.C, random_state=0, **norm)
    theirs.fit(pairs.features, labels[0] > 0)
    np.testing.assert_allclose(
        matcher.of_pairs(pairs), theirs.predict_proba(pairs.features)[:, 1], atol=1e-12
    )


def test_a_saved_matcher_is_plain_json_and_decides_the_same(matcher, pairs, tmp_path):
    matcher.save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert content["scaler"] is None
    assert content["features"][:2] == ["word_cosine", "word_hellinger"]
    read = Matcher.load(tmp_path / "m.json")
    assert read.fingerprint == matcher.fingerprint
    np.testing.assert_array_equal(read.of_pairs(pairs), matcher.of_pairs(pairs))
    assert str(read) == str(matcher)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(version=9), "version 9"),
        (lambda c: c.update(format="x"), "is no matcher"),
        (lambda c: c.pop("classifiers"), "is damaged"),
        (lambda c: c["classifiers"]["all"]["coefficients"].pop(), "do not fit together"),
        (lambda c: c["classifiers"]["all"].update(intercept="much"), "is damaged"),
        (lambda c: c["report"].pop("f1"), "is damaged"),
    ],
)
def test_a_changed_file_is_refused(matcher, tmp_path, change, message):
    matcher.save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text("utf-8"))
    change(content)
    (tmp_path / "m.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(FormatError, match=message):
        Matcher.load(tmp_path / "m.json")


def test_the_pairs_it_is_least_sure_of_are_proposed_first(matcher, pairs):
    proposed = matcher.propose(pairs, 10)
    doubt = np.abs(matcher.of_pairs(proposed) - 0.5)
    assert (np.diff(doubt) >= 0).all()
    assert doubt.max() <= np.sort(np.abs(matcher.of_pairs(pairs) - 0.5))[9]


def test_a_matcher_with_documents_refuses_models_without(matcher):
    truth, noisy = planted(documents=False)
    with pytest.raises(MissingInput, match=r"trained with documents, but 'truth' .* documents=False"):
        matcher.matches(truth, noisy)
    words = Matcher.sample((truth, noisy), 5)
    with pytest.raises(MissingInput, match="the pairs have words alone"):
        matcher.of_pairs(words)


def test_evaluate_measures_with_it(matcher):
    truth, noisy = planted(seed=7)
    reference = ReferenceTopics(WORDS, truth.topic_word, topic_document=truth.doc_topic.T)
    scores = tl.evaluate(noisy, reference_topics=reference, matcher=matcher, measures=["sup_cov"], ci=None)
    assert scores.value("sup_cov") == matcher.matches(reference, noisy).any(axis=1).mean()


def test_one_call_computes_the_features_of_two_sets_of_topics_once(matcher, monkeypatch):
    (truth, model), calls = planted(seed=3), []
    features = matcher_module.all_features
    monkeypatch.setattr(matcher_module, "all_features", lambda *a, **k: calls.append(1) or features(*a, **k))
    reference = ReferenceTopics(WORDS, truth.topic_word, topic_document=truth.doc_topic.T)
    measures = ["sup_cov", "sup_cov_nocos", "precision"]
    tl.evaluate(model, reference_topics=reference, matcher=matcher, measures=measures)
    assert len(calls) == 1
    other = ReferenceTopics(WORDS, truth.topic_word[:2], topic_document=truth.doc_topic.T[:2])
    assert matcher.probabilities(other, model).shape == (2, model.n_topics)
    assert len(calls) == 2
    assert pickle.loads(pickle.dumps(matcher)) == matcher


def test_words_alone_and_four_classifiers_beside_people(pairs, labels, monkeypatch):
    whole = matcher_training._candidates

    def first_settings(name, seed):
        classifier, grid = whole(name, seed)
        return classifier, {key: values[:1] for key, values in grid.items()}

    monkeypatch.setattr(matcher_training, "_candidates", first_settings)
    done = []
    found = Matcher.train(
        pairs, labels, compare=True, documents=False, progress=lambda i, n: done.append((i, n))
    )
    assert found.words_only
    assert list(found.report["f1"]) == [*matcher_training.CLASSIFIERS, "without cosines"]
    assert done == [(i, 25) for i in range(1, 26)]
    assert found.report["raters"]["human_f1"] == tl.human.human_f1(labels).mean
    assert "words only, no documents" in str(found)
    assert len(found.classifiers["no_cosine"].features) == 3


def test_the_grids_are_those_of_the_paper():
    grids = {name: matcher_training._candidates(name, 0)[1] for name in matcher_training.CLASSIFIERS}
    sizes = [int(np.prod([len(values) for values in grid.values()])) for grid in grids.values()]
    assert sizes == [7 * 2, 7 * 8, 4 * 3 * 3, 3 * 5]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros(100), "all labelled pairs do not match"),
        (np.r_[np.ones(3), np.zeros(97)], "3 of 100 .* 7 of each .* draw more pairs of near topics"),
        (np.r_[np.ones(3), np.zeros(6), np.full(91, np.nan)], "label more pairs"),
        (np.full(100, np.nan), "0 of 0|all labelled pairs"),
        (np.zeros(99), r"one for each pair, or raters × 100; got \(1, 99\)"),
        (np.zeros((100, 3)), "look transposed"),
        (np.full(100, 2.0), "one is 2"),
        (["yes"] * 100, "numbers from 0 to 1"),
        (None, "have no labels yet"),
    ],
)
def test_labels_nothing_can_be_learnt_from_are_refused(pairs, labels, message):
    with pytest.raises(InputError, match=message):
        Matcher.train(pairs, labels)


@settings(max_examples=20)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=8, max_size=8))
def test_probabilities_are_between_zero_and_one_and_fall_with_distance(features):
    one = matcher_training_free(features)
    assert ((one >= 0) & (one <= 1)).all()
    assert one[0] >= one[1]


def matcher_training_free(features):
    """What a matcher made by hand says of a pair, and of one farther apart."""
    from tealeaves.matcher import Logistic
    from tealeaves.topic_pairs import FEATURES

    by_hand = Matcher(FEATURES, {"all": Logistic(FEATURES, (-500.0,) * 8, 100.0, 1.0, "l2")})
    shown = planted_topic()
    pairs = [
        TopicPair(shown, shown, tuple(features)),
        TopicPair(shown, shown, tuple(x + 0.1 for x in features)),
    ]
    return by_hand.of_pairs(pairs)


def planted_topic():
    from tealeaves.matcher_pairs import ShownTopic

    return ShownTopic("m", 0, "0", ("a",))


# --- the released labels


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_features", "paper", "least"), [("bio", 4, 0.787, 0.70), ("news", 8, 0.835, 0.68)]
)
def test_released_lists_alone_come_near_the_paper(data, name, n_features, paper, least):
    pairs = read_pairs(data / "coverage" / f"{name}_pairs.jsonl")
    found = Matcher.train(pairs)
    f1 = found.report["f1"]["logistic regression"]["mean"]
    assert len(pairs.feature_names) == n_features
    assert least < f1 < paper  # what lists of 15 words lose
    assert any("not of whole topics" in note for note in found.notes)


# --- the command line


def call(*arguments):
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def test_the_command_line_samples_trains_and_applies(tmp_path):
    truth, noisy = planted(documents=False)
    truth.save(tmp_path / "truth")
    noisy.save(tmp_path / "noisy")
    models = tmp_path / "truth", tmp_path / "noisy"
    out = tmp_path / "pairs.json"
    done = call(
        "matcher", "sample", *models, "-n", 100, "--out", out, "--sheet", tmp_path / "ana.csv", "--json"
    )
    assert sum(json.loads(done.stdout)["bins"]) == 100
    same = [f"{i},{int(p.cosine_distance < 0.3)}" for i, p in enumerate(read_pairs(out))]
    (tmp_path / "labels.csv").write_text("\n".join(["pair,label", *same]), "utf-8")
    kept = tmp_path / "m.json"
    done = call("matcher", "train", out, "--labels", tmp_path / "labels.csv", "--no-compare", "--out", kept)
    assert "logistic regression" in done.stdout
    assert "words only, no documents" in done.stdout
    more = tmp_path / "next.json"
    call("matcher", "sample", *models, "-n", 9, "--matcher", kept, "--except", out, "--out", more)
    assert len(read_pairs(more)) == 9
    assert not {(p.first, p.second) for p in read_pairs(out)} & {
        (p.first, p.second) for p in read_pairs(more)
    }
    (tmp_path / "themes.json").write_text(json.dumps({"one": truth.top_words(5)[0]}), "utf-8")
    done = call("matcher", "apply", models[1], "--reference-topics", tmp_path / "themes.json",
                "--matcher", kept, "--out", tmp_path / "found.csv", "--json")  # fmt: skip
    assert json.loads(done.stdout)["topics"][0]["topic"] == 0
    assert (tmp_path / "found.csv").read_text("utf-8").startswith("model,reference_topic,label,topic")


def test_a_sheet_that_may_hold_labels_is_not_overwritten(tmp_path):
    planted()[0].save(tmp_path / "m")
    (tmp_path / "ana.csv").write_text("pair,label\n", "utf-8")
    arguments = [
        "matcher",
        "sample",
        tmp_path / "m",
        "--out",
        tmp_path / "p.json",
        "--sheet",
        tmp_path / "ana.csv",
    ]
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    assert done.exit_code == 1
    assert "is there already" in str(done.exception)
