"""Models made worse in a known way, the command that scores them, and real models with their controls."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves import plots
from tealeaves.cli import run
from tealeaves.controls import controls
from tealeaves.errors import InputError
from tealeaves.report.controls import beside, rho_words, says

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


SHORT = tl.DynamicTopicModel.from_words(
    [[["a", "b", "c"], ["x", "y", "z", "u", "v"]], [["a", "b", "d"], ["x", "y", "z", "u", "w"]]]
)


def test_no_more_words_can_go_than_a_list_has():
    assert changed(SHORT, tl.temporal.intrude(SHORT, 3)).sum(0).tolist() == [3, 3]
    with pytest.raises(InputError, match=r"topic 0 in slice \d: 4 words are to go, but it has only 3"):
        tl.temporal.intrude(SHORT, 4)


@given(models(), st.integers(1, 6))
def test_the_highest_level_can_be_had_everywhere_and_the_next_one_cannot(model, top):
    level = tl.temporal.highest_level(model, top=top)
    everywhere = list(range(model.n_slices))
    tl.temporal.intrude(model, level, slices=everywhere, top=top)
    if level < top:
        with pytest.raises(InputError, match=f"{level + 1} words"):
            tl.temporal.intrude(model, level + 1, slices=everywhere, top=top)


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


def test_lists_shorter_than_the_levels_end_the_curve_where_they_end():
    found = controls(STILL, CORPUS, measures="ttc@10,tts@10,ttq@10", draws=1, resamples=50)
    assert found.about["levels"] == 5
    assert set(found.intrusion["level"]) == set(range(6))
    assert any("up to 5 words intrude, not 10" in text for text in found.about["warnings"])
    rho = dict(zip(found.reactions["measure"], found.reactions["rho_of_topics"], strict=True))
    assert rho["ttc@10"] == rho["tts@10"] == pytest.approx(-1)  # a flat end would give -0.917


NEVER = tl.DynamicTopicModel.from_words([[SUBJECTS[0], [f"x{t}{i}" for i in range(5)]] for t in range(4)])


def test_a_topic_that_does_not_react_counts_as_0():
    corpus = tl.Corpus.from_tokens([words for topics in words_of(NEVER) for words in topics])
    found = controls(NEVER, corpus, measures="tts@5", draws=1, levels=3, resamples=200)
    (row,) = found.reactions.to_dicts()
    assert found.intrusion.filter(found.intrusion["topic"] == 1)["value"].to_list() == [0, 0, 0, 0]
    assert (row["rho_of_topics"], row["topics"], row["intruded"], row["react"]) == (-0.5, 2, 2, 1)
    assert (row["low_of_topics"], row["high_of_topics"]) == (-1, 0)
    assert "−0.500 [−1.000, 0.000] (2 of 2 topics, 1 unmoved)" in rho_words(row)


def test_topics_that_only_change_react_to_nothing():
    fleeting = tl.DynamicTopicModel.from_words(
        [[[f"{k}{t}{i}" for i in range(5)] for k in "ab"] for t in range(3)]
    )
    found = controls(fleeting, CORPUS, measures="tts@5", draws=1, levels=2, resamples=50)
    (row,) = found.reactions.to_dicts()
    assert (row["rho"], row["rho_of_topics"], row["react"]) == (0, 0, 0)
    assert any(text.startswith("tts@5 (rho 0.000, 2 of 2 topics unmoved) stays") for text in says(found))


def test_what_has_no_value_says_why():
    one = tl.DynamicTopicModel.from_words([SUBJECTS])
    found = controls(one, CORPUS, measures="diversity@5,tts@5", draws=2)
    assert cell(found, "original", "tts@5")["reason"] == "no topic is defined: no window"
    assert cell(found, "original", "diversity@5")["reason"] == ""
    assert "tts@5 has no value: no topic is defined: no window." in says(found)


def test_a_topic_in_no_slice_is_left_out_and_said_to_be():
    gone = tl.DynamicTopicModel.from_words([[*SUBJECTS, None]] * 3, name="gone")
    found = controls(gone, CORPUS, measures="tts@5", draws=2, levels=2, resamples=50)
    row = cell(found, "original", "tts@5")
    assert row["topics"] == 3
    assert beside(row, found.about["topics"]) == ["over 3 of 4 topics"]
    scores = tl.evaluate(gone, CORPUS, measures=["tts@5", "npmi@5", "b_ts@5"], ci=None)
    frame = scores.frame.filter((scores.frame["topic"] == 3) & (scores.frame["level"] == "topic"))
    assert frame["reason"].to_list() == ["missing in every slice"] * 3


def test_warnings_name_the_model():
    short = tl.DynamicTopicModel.from_words([[["oil"], ["tax", "law"]]] * 2, name="mine")
    found = controls(short, CORPUS, measures="tts@2", draws=1, resamples=50)
    assert found.about["warnings"]
    assert all(text.startswith("mine: ") for text in found.about["warnings"])


def test_sentences_say_what_the_controls_show(found):
    said = " ".join(says(found))
    for text in (
        "in random order tq@5 and npmi@5 are the same to the last digit",
        "dtq@5 (",
        "fall, as they should.",
        "With one topic in place of all tq@5 falls to 0.",
        "fall with each word that intrudes.",
    ):
        assert text in said
    assert "no better" not in said


def test_a_model_like_its_shuffled_self_is_said_to_be():
    shuffled = tl.temporal.shuffle_topics(tl.DynamicTopicModel.from_words([SUBJECTS] * 40), seed=5)
    found = controls(shuffled, CORPUS, measures="tts@5", draws=20, levels=1, resamples=50)
    assert any("no better than where topics are shuffled" in text for text in says(found))


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
        "by chance",
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
    page = (out / "controls.html").read_text("utf-8")
    bare = page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    assert "http" not in bare
    assert page.count('<svg class="panel"') == 3  # TTC, TTS, TTQ
    heads = page[page.index('id="t-controls"') :].split("</thead>")[0]
    assert [heads.index(f">{short} <") for short in ("TC", "TD", "TQ", "TTC", "TTS", "TTQ", "DTQ")] == sorted(
        heads.index(f">{short} <") for short in ("TC", "TD", "TQ", "TTC", "TTS", "TTQ", "DTQ")
    )
    body = page[page.index('id="t-controls"') :].split("</table>")[0]
    assert body.index('row">original') < body.index('row">shuffled') < body.index('row">repeated')


def test_a_page_escapes_what_it_is_given(tmp_path):
    odd = tl.DynamicTopicModel.from_words([SUBJECTS] * 2, name="<b>&")
    controls(odd, CORPUS, measures="tts@5", draws=1, levels=1, resamples=50).report(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text("utf-8")
    assert "&lt;b&gt;&amp;" in page
    assert "<b>&" not in page


def test_a_page_of_one_slice_has_no_figure_and_says_why(tmp_path):
    one = tl.DynamicTopicModel.from_words([SUBJECTS])
    controls(one, CORPUS, measures="tts@5", draws=1).report(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text("utf-8")
    assert '<svg class="panel"' not in page
    assert "measures over time take two slices" in page


def test_figures_are_written_without_a_network(found, tmp_path):
    plots.controls_chart(found).save(str(tmp_path / "a.svg"))
    plots.timeline_chart(STILL, 1).save(str(tmp_path / "b.svg"))
    scores = tl.evaluate(STILL, CORPUS, measures=["npmi@5", "tts@5"], ci=None)
    plots.over_time_chart(scores).save(str(tmp_path / "c.svg"))
    a, b, c = ((tmp_path / f"{name}.svg").read_text("utf-8") for name in "abc")
    assert all(text in a for text in ("ttc@5", "tts@5", "ttq@5", "words replaced"))
    assert all(text in b for text in ("court", "2001", "still, topic 1"))
    assert all(text in c for text in ("npmi@5", "tts@5", "2005"))


def test_what_cannot_be_drawn_is_told(found):
    with pytest.raises(InputError, match="no values of 'npmi@5'; there are ttc@5, tts@5, ttq@5"):
        plots.controls_chart(found, ["npmi@5"])
    with pytest.raises(InputError, match="topic must be a number from 0 to 2; got 3"):
        plots.timeline_chart(STILL, 3)
    scores = tl.evaluate({"a": STILL, "b": STILL}, CORPUS, measures=["tts@5"], ci=None)
    with pytest.raises(InputError, match="there are 2 models: name one, model='a'"):
        plots.over_time_chart(scores)


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
    assert broken["least"] - 0.01 <= smooth["value"] <= broken["most"] + 0.01
