"""Figures for papers: drawn without a network, as wide as asked for, and told apart without colour."""

import itertools
import json
import re
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import InputError
from tealeaves.plots.figure import GREYS, Figure, _grey
from tealeaves.scores import Details, Scores, score_frame

MM = 25.4 / 96
MODELS = ("lda-5#1", "lda-5#2", "nmf-10")


def made() -> Scores:
    """Scores of three models, one of them twice, with everything that can be drawn."""
    rng = np.random.default_rng(0)
    rows, details = [], Details()
    for shift, model in enumerate(MODELS):
        n = 10 if model.startswith("nmf") else 5
        values = rng.normal(0.2 + 0.05 * shift, 0.15, n)
        for spec, mine in (
            ("npmi@10", values),
            ("c_v@10", values + rng.normal(0, 0.1, n)),
            ("umass@10", -values),
        ):
            rows += [
                {
                    "model": model,
                    "measure": spec,
                    "level": "topic",
                    "topic": k,
                    "value": v,
                    "low": v - 0.1,
                    "high": v + 0.1,
                }
                for k, v in enumerate(mine)
            ]
            mean = float(mine.mean())
            rows.append(
                {
                    "model": model,
                    "measure": spec,
                    "level": "model",
                    "value": mean,
                    "low": mean - 0.05,
                    "high": mean + 0.05,
                }
            )
        words = [[f"word{k}{i}" for i in range(10)] for k in range(n)]
        details.models[model] = {"n_topics": n, "topics": words}
        details.chance[model] = {str(k): {"npmi@10": [-0.1, 0.0, 0.1]} for k in range(n)}
        details.human.setdefault("topics", {})
        details.human["topics"][model] = {
            str(k): {
                "rating": {
                    "value": 2 + v,
                    "low": 1.9 + v,
                    "high": 2.1 + v,
                    "n": 15,
                    "known": 0.3 if k == 1 else 0.9,
                },
                "model_precision": {"value": 0.5, "low": 0.2, "high": 0.8, "n": 26, "known": None},
            }
            for k, v in enumerate(values)
        }
    for model in MODELS[:2]:
        details.models[model]["matches"] = {str(k): [0.2 * k] for k in range(5)}
    curve = [min(1.0, i / 40) for i in range(51)]
    details.coverage["curve"] = {
        "lda-5": {"coverage": curve, "low": [max(0.0, v - 0.1) for v in curve], "high": curve},
        "nmf-10": {"coverage": [v**2 for v in curve]},
    }
    return Scores(score_frame(rows), details)


@pytest.fixture(scope="module")
def scores():
    return made()


@pytest.fixture(scope="module")
def over_time():
    slices = [[["oil", "gas", f"y{t}"], ["tea", "cup", "pot"]] for t in range(4)]
    labels = ["1990", "1991", "1992", "1993"]
    rows = [
        {
            "model": "d",
            "measure": "tts@3",
            "level": "window",
            "topic": k,
            "slice": a,
            "slice_end": b,
            "value": 0.5 + k / 4,
        }
        for k in range(2)
        for a, b in itertools.pairwise(labels)
    ]
    details = Details(models={"d": {"n_topics": 2, "slice_labels": labels, "slice_topics": slices}})
    return Scores(score_frame(rows), details)


def every(scores, over_time):
    return {
        "coherence of models": scores.plot.coherence(),
        "coherence of topics": scores.plot.coherence("npmi@10", model="nmf-10"),
        "sweep": scores.plot.sweep(["npmi@10", "c_v@10"]),
        "cd_curve": scores.plot.cd_curve(),
        "alignment": scores.plot.alignment(),
        "correlation": scores.plot.correlation(),
        "people": scores.plot.people(),
        "over_time": over_time.plot.over_time(),
        "timeline": over_time.plot.timeline(0),
    }


def test_every_figure_is_written_without_a_network(scores, over_time, tmp_path):
    for name, figure in every(scores, over_time).items():
        figure.save(tmp_path / f"{name}.svg")
        text = (tmp_path / f"{name}.svg").read_text("utf-8")
        assert text.startswith("<svg"), name
        assert "<text" in text, name
        assert not re.search(r"href=\"https?:|NaN|undefined", text), name


@pytest.mark.parametrize("wanted", [84, 174])
@pytest.mark.parametrize("name", ["coherence", "people", "cd_curve"])
def test_a_figure_is_as_wide_as_asked_for_and_its_letters_stay(scores, tmp_path, wanted, name):
    figure = getattr(scores.plot, name)()
    figure.save(tmp_path / "a.svg", width=wanted, size=8)
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert float(re.search(r'width="([\d.]+)mm"', text)[1]) == pytest.approx(wanted, abs=0.5)
    box = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
    assert box * MM == pytest.approx(wanted, abs=0.5)
    assert 'font-size="10.67px"' in text  # 8 points


def test_a_figure_that_cannot_be_so_narrow_says_how_narrow_it_can_be(scores, tmp_path):
    with pytest.raises(InputError, match=r"cannot be 20 mm wide: it needs about \d+ mm"):
        scores.plot.coherence().save(tmp_path / "a.svg", width=20)


def test_a_png_has_the_pixels_of_its_millimetres(scores, tmp_path):
    scores.plot.cd_curve().save(tmp_path / "a.png", width=84, ppi=300)
    head = (tmp_path / "a.png").read_bytes()[:24]
    assert head[1:4] == b"PNG"
    assert struct.unpack(">I", head[16:20])[0] == pytest.approx(84 / 25.4 * 300, rel=0.01)


def test_a_pdf_is_as_wide_as_asked_for(scores, tmp_path):
    scores.plot.cd_curve().save(tmp_path / "a.pdf", width=84)
    data = (tmp_path / "a.pdf").read_bytes()
    assert data[:5] == b"%PDF-"
    wide = float(re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+)", data)[1])
    assert wide == pytest.approx(84 / 25.4 * 72, rel=0.01)


def test_another_ending_is_refused(scores, tmp_path):
    with pytest.raises(InputError, match=r"written as \.svg, \.pdf, \.png, \.json; got the ending '\.gif'"):
        scores.plot.cd_curve().save(tmp_path / "a.gif")


def test_grey_has_no_colour_in_any_figure(scores, over_time):
    for name, figure in every(scores, over_time).items():
        marks = {k: v for k, v in figure.spec(grey=True).items() if k not in ("datasets", "data")}
        for colour in re.findall(r"#[0-9a-fA-F]{6}", json.dumps(marks)):
            assert len({colour[1:3], colour[3:5], colour[5:7]}) == 1, (name, colour)


def test_curves_are_told_apart_by_dashes_as_well(scores):
    text = json.dumps(scores.plot.cd_curve().to_dict())
    assert '"strokeDash": {"field": "model"' in text.replace("\\", "")


def test_greys_are_all_different():
    assert len(set(GREYS)) == len(GREYS)


@given(st.from_regex(r"#[0-9a-f]{6}", fullmatch=True))
def test_a_grey_is_between_the_darkest_and_the_lightest_part_of_its_colour(colour):
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    assert min(parts) - 1 <= int(_grey(colour)[1:3], 16) <= max(parts) + 1


@settings(max_examples=5, deadline=None)
@given(st.sampled_from(["Times New Roman", "Arial", "Latin Modern Roman"]))
def test_the_font_is_that_asked_for(font):
    assert made().plot.cd_curve().spec(font=font)["config"]["font"].startswith(font)


def test_coherence_of_one_model_has_its_band_of_random_lists(scores):
    text = json.dumps(scores.plot.coherence(model="nmf-10").to_dict())
    assert "random_high" in text
    assert "word90" in text


def test_coherence_of_several_models_has_the_band_of_a_mean_of_random_lists_behind_each(scores):
    spec = scores.plot.coherence("npmi@10").spec()
    bars, *_ = spec["layer"]
    assert bars["mark"]["type"] == "bar"
    bands = {row["model"]: (row["random"], row["random_high"]) for row in bars["data"]["values"]}
    widths = [bands[name][1] - bands[name][0] for name in MODELS]
    assert widths == pytest.approx([0.2 / 5**0.5, 0.2 / 5**0.5, 0.2 / 10**0.5], rel=1e-3)
    assert "grey" in spec["title"][-1]
    assert len(scores.plot.coherence("c_v@10").spec()["layer"]) == 3  # no lists were drawn for it


def test_people_are_drawn_with_their_intervals_and_what_they_did_not_know(scores):
    chart = scores.plot.people("npmi@10", ["rating"]).to_dict()
    text = json.dumps(chart)
    assert "most did not know the words" in text
    assert text.count('"low"') >= 20


def test_measures_that_go_against_each_other_have_a_negative_number(scores):
    values = json.dumps(scores.plot.correlation(["npmi@10", "umass@10"]).to_dict(), ensure_ascii=False)
    assert '"text": "−1.00"' in values


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda s: s.plot.cd_curve(["bad"]), "no curve of 'bad'; there are lda-5, nmf-10"),
        (lambda s: s.plot.timeline(0, model="nmf-10"), "has no slices"),
        (lambda s: s.plot.people("npmi@10", ["bad"]), "people gave no 'bad'"),
        (lambda s: s.plot.coherence("npmi@11"), "was not measured"),
        (lambda s: s.plot.alignment("nmf-10"), "has no matched runs; there are lda-5"),
        (lambda s: tl.Scores(s.frame).plot.people(), r"people said nothing here"),
        (lambda s: tl.Scores(s.frame).plot.cd_curve(), "no coverage here"),
        (lambda s: tl.Scores(s.frame).plot.sweep(), "at least two numbers of topics"),
        (lambda s: tl.Scores(s.frame).plot.alignment(), "no model has runs"),
    ],
)
def test_what_cannot_be_drawn_says_why(scores, draw, said):
    with pytest.raises(InputError, match=said):
        draw(scores)


def test_a_notebook_shows_the_chart(scores):
    assert scores.plot.cd_curve()._repr_svg_().startswith("<svg")


def test_the_figures_are_named_where_they_are_asked_for(scores):
    assert "cd_curve()" in repr(scores.plot)
    assert isinstance(scores.plot.cd_curve(), Figure)
    assert "width=84" in repr(scores.plot.cd_curve())


def test_each_topic_of_the_first_run_stands_beside_its_match_in_the_others(scores):
    cells = scores.plot.alignment().to_dict()["data"]["values"]
    assert {cell["run"] for cell in cells} == {"lda-5#2"}
    assert {(cell["topic"].split()[0], cell["text"]) for cell in cells} == {
        (str(k), f"{0.2 * k:.2f}") for k in range(5)
    }
