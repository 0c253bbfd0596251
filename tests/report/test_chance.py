"""The band of chance beside a model's coherence: what a mean of random lists gets, told from its topics'."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.fake import fake_scores
from tealeaves.report.chance import of_mean, of_model, of_runs
from tealeaves.report.render import render
from tealeaves.report.summary import summarize

MODELS = ("lda-8#1", "lda-8#2", "lists")
BAND = (-0.15, -0.02, 0.12)  # of every topic of the fake scores, seven of which have a score
SHAPES = {
    "symmetric": lambda rng, size: rng.normal(0, 1, size),
    "skewed": lambda rng, size: rng.gamma(2, 1, size),
    "bounded": lambda rng, size: rng.beta(1, 4, size),
}


def cell(scores, name, spec="npmi@10"):
    columns = summarize(scores)["table"]["columns"]
    return next(c for c in columns if c["spec"] == spec)["cells"][name]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("topics", [5, 20, 100])
def test_the_band_is_that_of_means_of_lists_drawn_for_every_topic(shape, topics):
    rng = np.random.default_rng(topics)
    lists = SHAPES[shape](rng, (20_000, topics)) + rng.normal(0, 1, topics)
    wanted = np.percentile(lists.mean(axis=1), [5, 50, 95])
    found = of_mean(np.percentile(lists, [5, 50, 95], axis=0).T)
    assert found == pytest.approx(wanted, abs=0.08 * (wanted[2] - wanted[0]))


@given(
    st.lists(
        st.lists(st.floats(-1, 1), min_size=3, max_size=3).map(sorted).map(tuple), min_size=1, max_size=30
    )
)
def test_a_band_lies_between_the_ends_of_its_topics_and_is_no_wider_than_the_widest(bands):
    low, middle, high = of_mean(bands)
    assert low <= middle <= high
    assert min(b[0] for b in bands) - 1e-9 <= middle <= max(b[2] for b in bands) + 1e-9
    assert high - low <= 1.2 * max(b[2] - b[0] for b in bands) + 1e-9


def test_equal_topics_have_a_band_narrower_by_the_root_of_their_number():
    widths = [np.ptp(of_mean([(-0.2, 0.0, 0.2)] * n)) for n in (4, 16, 64)]
    assert widths == pytest.approx([0.2, 0.1, 0.05], rel=1e-3)


def test_only_topics_that_have_a_score_count_and_those_without_a_band_are_told():
    bands = {"0": {"npmi@10": [0, 1, 2]}, "1": {"npmi@10": [None] * 3}, "2": {"npmi@10": [9, 9, 9]}}
    assert of_model(bands, [0], "npmi@10") == {"band": (0, 1, 2), "some": ""}
    assert of_model(bands, [0, 1], "npmi@10") == {"band": (0, 1, 2), "some": "1 of 2 topics"}
    assert of_model(bands, [1], "npmi@10") is None
    assert of_model(bands, [0], "topic_diversity@10") is None


def test_a_model_of_several_runs_has_the_band_of_one_run():
    one = of_model({"0": {"s": list(BAND)}}, [0], "s")
    assert of_runs([one, one, None]) == {"band": pytest.approx(BAND), "some": ""}
    assert of_runs([None, None]) is None


def test_the_table_of_models_has_the_band_over_the_topics_that_were_scored():
    found = cell(fake_scores(), "lda-8")
    assert found["chance"] == pytest.approx(of_mean([BAND] * 7))
    assert found["min"] < found["chance"][0] < found["chance"][2] < found["value"] < found["max"]
    fewer = fake_scores()
    fewer.details["chance"] = {
        m: {k: b for k, b in t.items() if k != "0"} for m, t in fewer.details["chance"].items()
    }
    assert cell(fewer, "lda-8")["by_chance"].endswith(", over 6 of 7 topics")


def test_what_is_no_coherence_or_was_never_drawn_has_no_band():
    assert cell(fake_scores(), "lda-8", "topic_diversity@10")["chance"] is None
    without = summarize(fake_scores(chance=False))
    assert not without["table"]["chance"]
    assert "chance words" not in render(without)


@pytest.mark.parametrize(
    ("shift", "said"),
    [(0.0, "Random lists of equally frequent words would get −0.07 to 0.03."), (2.0, "no better")],
)
@pytest.mark.parametrize("models", [("lists",), ("lda-8", "nmf-8")])
def test_the_short_answer_says_whether_a_model_does_better_than_chance(models, shift, said):
    scores = fake_scores(models=models)
    for topics in scores.details["chance"].values():
        for bands in topics.values():
            bands["npmi@10"] = [end + shift for end in BAND]
    assert said in summarize(scores)["answer"][0]["says"][0]


def downloaded(page, name):
    with page.expect_download() as download:
        page.locator(f"[data-{name}]").first.click()
    return download.value.path().read_text("utf-8-sig")


@pytest.mark.parametrize("models", [MODELS, ("lists",)])
def test_the_band_is_in_the_picture_and_in_the_data(visit, tmp_path, models):
    path = tmp_path / "report.html"
    path.write_text(render(summarize(fake_scores(models=models))), "utf-8")
    page = visit(path)
    bands = page.locator("#t-models .iv > .band")
    assert bands.count() == len({name.partition("#")[0] for name in models})
    colour = bands.first.evaluate("band => getComputedStyle(band).backgroundColor")
    assert f'fill="{colour}"' in downloaded(page, "svg='models'")
    rows = list(csv.reader(io.StringIO(downloaded(page, "csv='t-models'"))))
    assert len({len(row) for row in rows}) == 1
    prefix = "npmi@10 " if len(models) > 1 else ""
    at = rows[0].index(f"{prefix}chance_05")
    low, _, high = of_mean([BAND] * 7)
    assert [float(x) for x in rows[1][at : at + 2]] == pytest.approx([low, high])
    value, low, high = (float(rows[1][i]) for i in (at - 3 if prefix else 2, at - 2, at - 1))
    assert low < value < high
