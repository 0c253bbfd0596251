"""Models made worse in a known way, the command that scores them, and real models with their controls."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.cli import run
from tealeaves.controls import controls
from tealeaves.errors import InputError

SUBJECTS = [
    ["oil", "gas", "well", "rig", "pipe"],
    ["tax", "law", "court", "fine", "judge"],
    ["cup", "goal", "team", "win", "ball"],
]
STILL = tl.DynamicTopicModel.from_words([SUBJECTS] * 5, slice_labels=range(2001, 2006), name="still")
CORPUS = tl.Corpus.from_tokens([words[:4] for words in SUBJECTS * 4] + [words[1:] for words in SUBJECTS * 4])


@st.composite
def models(draw):
    """A dynamic model with weights or with lists, and gaps."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    t, k = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    if draw(st.booleans()):
        weights = rng.dirichlet(np.ones(12), (t, k)) * (rng.random((t, k, 1)) > 0.2)
        weights[0, 0] = 1 / 12
        return tl.DynamicTopicModel([f"w{i:02}" for i in range(12)], weights, "time topic word")
    lists = [
        [[f"w{i:02}" for i in rng.permutation(40)[:5]] if rng.random() > 0.2 else None for _ in range(k)]
        for _ in range(t)
    ]
    lists[0][0] = ["w00", "w01"]
    return tl.DynamicTopicModel.from_words(lists)


def words_of(model, n=5):
    return model.top_words(n)


# --- shuffling


@given(models(), st.integers(0, 2**31))
def test_shuffling_keeps_each_slice_s_topics_and_the_gaps(model, seed):
    shuffled = tl.temporal.shuffle_topics(model, seed)
    np.testing.assert_array_equal(shuffled.present, model.present)
    for before, after in zip(words_of(model), words_of(shuffled), strict=True):
        assert sorted(before) == sorted(after)
    assert words_of(shuffled) == words_of(tl.temporal.shuffle_topics(model, seed))


def test_shuffling_breaks_what_goes_on_from_slice_to_slice():
    found = {str(words_of(tl.temporal.shuffle_topics(STILL, seed))) for seed in range(20)}
    assert len(found) > 15
    scores = tl.evaluate(tl.temporal.shuffle_topics(STILL, 0), CORPUS, measures=["tts@5"], ci=None)
    assert scores.value("tts@5") < 0.7


# --- repeating


@given(models(), st.integers(0, 2**31))
def test_a_repeated_topic_stands_in_every_place(model, seed):
    repeated = tl.temporal.repeat_topic(model, seed=seed)
    assert repeated.n_topics == model.n_topics
    for topics in words_of(repeated):
        assert topics == [topics[0]] * model.n_topics
    assert any(
        [topics[0] for topics in words_of(repeated)] == [topics[k] for topics in words_of(model)]
        for k in range(model.n_topics)
    )


def test_a_topic_that_does_not_exist_cannot_be_repeated():
    with pytest.raises(InputError, match="topic must be a number from 0 to 2; got 3"):
        tl.temporal.repeat_topic(STILL, 3)
    gap = tl.DynamicTopicModel.from_words([[["a"], None]] * 2)
    with pytest.raises(InputError, match="topic 1 is missing in every slice"):
        tl.temporal.repeat_topic(gap, 1)
    assert words_of(tl.temporal.repeat_topic(gap, seed=3), 1) == [[["a"], ["a"]]] * 2  # never the missing one


# --- intrusion


def changed(model, other):
    """By topic and slice, how many words of a list are new."""
    return np.array(
        [
            [len(set(b) - set(a)) for a, b in zip(x, y, strict=True)]
            for x, y in zip(words_of(model), words_of(other), strict=True)
        ]
    )


@pytest.mark.parametrize("level", range(6))
def test_so_many_words_of_one_slice_of_each_topic_are_replaced_by_those_of_others(level):
    intruded = tl.temporal.intrude(STILL, level, seed=1, top=5)
    new = changed(STILL, intruded)
    assert sorted(new.ravel().tolist()) == [0] * 12 + [level] * 3 if level else not new.any()
    assert (new.sum(0) == level).all()  # each topic in one slice
    for topics in words_of(intruded):
        for k, words in enumerate(topics):
            strangers = set(words) - set(SUBJECTS[k])
            assert strangers <= {w for q in range(3) if q != k for w in SUBJECTS[q]}
            assert len(set(words)) == 5


@settings(max_examples=30)
@given(st.integers(0, 2**31), st.integers(1, 4))
def test_what_intrudes_at_a_level_intrudes_at_the_next(seed, level):
    low, high = (tl.temporal.intrude(STILL, n, seed, top=5) for n in (level, level + 1))
    low, high = (np.array(words_of(model)) for model in (low, high))
    assert (low != high).sum() == 3  # one more word of each of three topics


def test_topics_and_slices_may_be_named():
    intruded = tl.temporal.intrude(STILL, 2, topics=1, slices=["2002", 3], top=5)
    assert changed(STILL, intruded).tolist() == [[0, 0, 0], [0, 2, 0], [0, 0, 0], [0, 2, 0], [0, 0, 0]]
    alone = tl.temporal.intrude(STILL, 2, seed=5, topics=[1], top=5)
    assert [t[1] for t in words_of(alone)] == [
        t[1] for t in words_of(tl.temporal.intrude(STILL, 2, seed=5, top=5))
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"level": 11}, "level must be a whole number of words from 0 to 10; got 11"),
        ({"level": -1}, "got -1"),
        ({"level": 1, "topics": 3}, "topics must be numbers from 0 to 2; got 3"),
        ({"level": 1, "slices": "1999"}, "there is no slice '1999': number one from 0 to 4, or name one"),
        ({"level": 1, "seed": -1}, "seed must be a whole number of at least 0"),
    ],
)
def test_what_cannot_be_intruded_is_told(arguments, said):
    with pytest.raises(InputError, match=said):
        tl.temporal.intrude(STILL, **arguments)


def test_too_few_strangers_are_told():
    two = tl.DynamicTopicModel.from_words([[["a", "b"], ["a", "c"]]], slice_labels=["x"])
    with pytest.raises(
        InputError, match="topic 0 in slice x: 2 words of other topics are wanted, but they have only 1"
    ):
        tl.temporal.intrude(two, 2, top=2, topics=0)


def test_a_static_model_has_nothing_to_shuffle():
    static = tl.TopicModel.from_words(SUBJECTS)
    for control in (tl.temporal.shuffle_topics, tl.temporal.repeat_topic):
        with pytest.raises(InputError, match="a DynamicTopicModel was wanted; got TopicModel"):
            control(static)
    with pytest.raises(InputError, match="controls need topics over time"):
        controls(static, CORPUS)


# --- the table


@pytest.fixture(scope="module")
def found():
    return controls(
        STILL, CORPUS, measures="tq@5,npmi@5,ttc@5,tts@5,ttq@5,dtq@5", draws=3, levels=5, resamples=200
    )


def cell(found, model, spec):
    rows = found.table.filter((found.table["model"] == model) & (found.table["measure"] == spec))
    return rows.row(0, named=True)


def test_what_stands_within_slices_stays_and_what_goes_over_time_falls(found):
    for spec in ("tq@5", "npmi@5"):
        assert cell(found, "shuffled", spec)["value"] == cell(found, "original", spec)["value"]
    for spec in ("ttc@5", "tts@5", "ttq@5", "dtq@5"):
        assert cell(found, "shuffled", spec)["value"] < cell(found, "original", spec)["value"]
    assert cell(found, "shuffled", "tts@5")["chance"] == pytest.approx(1 / 3)
    assert cell(found, "original", "tts@5")["chance"] is None


def test_a_repeated_topic_has_no_quality_within_slices_and_all_over_time(found):
    assert cell(found, "repeated", "tq@5")["value"] == 0
    assert cell(found, "repeated", "tts@5")["value"] == 1
    ttq, dtq = (cell(found, "repeated", spec)["value"] for spec in ("ttq@5", "dtq@5"))
    assert dtq == pytest.approx(ttq / 2)
    assert found.about["repeated"] == sorted(found.about["repeated"], key=found.about["repeated"].index)
    assert set(found.about["repeated"]) == {0, 1, 2}


def test_each_intruder_lowers_scores_over_time(found):
    assert set(found.intrusion["level"]) == set(range(6))
    assert found.reactions["measure"].to_list() == ["ttc@5", "tts@5", "ttq@5"]
    by_measure = {row["measure"]: row for row in found.reactions.iter_rows(named=True)}
    assert by_measure["tts@5"]["rho_of_topics"] == pytest.approx(-1)
    assert by_measure["ttc@5"]["rho_of_topics"] < -0.5
    assert by_measure["tts@5"]["low"] <= by_measure["tts@5"]["rho"] <= by_measure["tts@5"]["high"]
    zero = found.intrusion.filter(found.intrusion["level"] == 0)
    assert (zero["change"].to_numpy() == 0).all()


def test_the_same_seed_gives_the_same_controls():
    a, b = (
        controls(STILL, CORPUS, measures="tts@5", draws=2, levels=2, resamples=50, workers=n) for n in (1, 2)
    )
    assert a.to_dict() == b.to_dict()


def test_a_model_of_one_topic_has_no_words_of_others():
    alone = tl.DynamicTopicModel.from_words([[SUBJECTS[0]]] * 3)
    found = controls(alone, CORPUS, measures="tts@5,ttc@5", draws=2)
    assert len(found.intrusion) == len(found.reactions) == 0
    assert found.about["intruded"] == []


@pytest.mark.parametrize("name", ["draws", "levels", "topics"])
def test_numbers_of_controls_are_at_least_one(name):
    with pytest.raises(InputError, match=f"{name} must be a whole number of at least 1; got 0"):
        controls(STILL, CORPUS, **{name: 0})


# --- the command


@pytest.fixture
def files(tmp_path):
    STILL.save(tmp_path / "still")
    (tmp_path / "docs.txt").write_text("\n".join(" ".join(words) for words in SUBJECTS * 4))
    return tmp_path


def command(capsys, *arguments):
    status = run(["controls", *map(str, arguments)])
    return status, *capsys.readouterr()


def test_the_command_prints_the_tables(files, capsys):
    status, out, _ = command(
        capsys, files / "still", "--corpus", files / "docs.txt", "-m", "tts@5,ttc@5", "--levels", 3
    )
    assert status == 0
    for text in (
        "original",
        "shuffled",
        "repeated",
        "chance",
        "0.333",
        "Words of other topics",
        "Spearman's rho",
    ):
        assert text in out


def test_the_command_saves_and_prints_json(files, capsys):
    out = files / "out"
    status, text, _ = command(
        capsys, files / "still", "--corpus", files / "docs.txt", "--draws", 2, "--out", out, "--json", "-q"
    )
    assert status == 0
    said = json.loads(text)
    assert said == json.loads((out / "controls.json").read_text())
    assert {row["model"] for row in said["table"]} == {"original", "shuffled", "repeated"}
    with (out / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 7
    assert (out / "intrusion.csv").exists()
    assert (out / "reactions.csv").exists()


def test_the_command_tells_mistakes_in_one_line(files, capsys):
    (files / "static.json").write_text(json.dumps(SUBJECTS))
    status, out, err = command(capsys, files / "static.json", "--corpus", files / "docs.txt")
    assert (status, out) == (1, "")
    assert "has no topics over time, which controls are about" in err
    status, _, err = command(capsys, files / "still", "--corpus", files / "docs.txt", "-m", "tss")
    assert status == 1
    assert "did you mean 'tts'" in err
    status, _, err = command(capsys, files / "nowhere", "--corpus", files / "docs.txt")
    assert status == 1
    assert "nowhere" in err
    (files / "taken").write_text("")
    status, _, err = command(
        capsys, files / "still", "--corpus", files / "docs.txt", "--out", files / "taken"
    )
    assert status == 1
    assert "is a file" in err


# --- real models


@pytest.fixture(scope="module")
def neurips(data):
    path = data / "neurips" / "neurips_abstracts_1987_2019.jsonl.gz"
    return tl.read_corpus(path, text="text", time="date")


@pytest.fixture(scope="module")
def un(data):
    path = data / "un" / "un_debates_sample12.jsonl.gz"
    return tl.read_corpus(path, text="text", time="date")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kept"), [("neurips_dlda_k10", 0.983), ("un_dlda_k10", 0.980)])
def test_d_lda_of_real_documents_is_smooth_and_its_shuffled_self_is_chance(name, kept, data, request):
    corpus = request.getfixturevalue(name.partition("_")[0])
    model = tl.read_model(data / "dynamic_models" / f"{name}_top10_txt")
    found = controls(model, corpus, draws=5)
    smooth, broken = cell(found, "original", "tts@10"), cell(found, "shuffled", "tts@10")
    assert smooth["value"] == pytest.approx(kept, abs=6e-4)
    assert abs(broken["value"] - broken["chance"]) < 0.02
    for spec in ("npmi@10", "diversity@10", "tq@10"):
        original, shuffled = (cell(found, model, spec) for model in ("original", "shuffled"))
        assert original["value"] == shuffled["least"] == shuffled["most"]
    assert cell(found, "repeated", "tq@10")["value"] == 0
    assert abs(cell(found, "shuffled", "ttq@10")["value"]) < 0.25 * cell(found, "original", "ttq@10")["value"]
    assert (found.reactions["high_of_topics"].to_numpy() < -0.9).all()
    tc, ttc = (cell(found, "original", spec)["value"] for spec in ("npmi@10", "ttc@10"))
    assert ttc == pytest.approx(smooth["value"] / 10 + (1 - smooth["value"] / 10) * tc, abs=0.01)


@pytest.mark.slow
def test_a_badly_fitted_model_is_as_smooth_as_its_shuffled_self(neurips, data):
    model = tl.read_model(data / "dynamic_models" / "neurips_dtm_k20_top10_txt")
    found = controls(model, neurips, measures="tts@10", draws=5, levels=1)
    smooth, broken = cell(found, "original", "tts@10"), cell(found, "shuffled", "tts@10")
    assert smooth["value"] == pytest.approx(0.317, abs=5e-4)
    assert broken["chance"] == pytest.approx(0.3176, abs=5e-5)
    assert broken["least"] <= smooth["value"] + 0.01
