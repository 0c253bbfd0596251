"""What the organiser's page says of results: every measure, and automatic ones beside people's."""

import re
import time
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("sqlalchemy")

from starlette.testclient import TestClient

import tealeaves as tl
from human import simulated
from human.sets import extended
from tealeaves.errors import InputError
from tealeaves.human.app import organiser_auth as auth
from tealeaves.human.app.organiser_answers import alpha, judged
from tealeaves.human.app.organiser_data import load, opened
from tealeaves.human.app.organiser_new import MODELS
from tealeaves.human.app.organiser_raters import raters
from tealeaves.human.app.organiser_results import results, scored
from tealeaves.human.app.server import create_app
from tealeaves.human.item_sets import Item, ItemSet
from tealeaves.human.measured import keep_scores, kept_scores, scores_name
from tealeaves.human.methods import methods

NAMES = ("lda", "nmf", "hdp", "etm", "stm")


def pages(folder):
    """A client that has signed in."""
    client = TestClient(create_app([folder]), follow_redirects=False)
    client.post("/organiser/login", data={"token": auth.mint([folder])})
    return client


def said(made, store, values, raters=4):
    for rater in range(1, raters + 1):
        simulated.say(
            made, store, rater, {item.id: values(item, rater) for item in made.items if item.role == "item"}
        )
    store.close()


def evaluated(seed=0, names=NAMES, topics=6):
    """Scores of models whose words are drawn."""
    rng = np.random.default_rng(seed)
    words = [f"w{i:02d}" for i in range(60)]
    models = {
        n: tl.TopicModel(words, topic_word=rng.dirichlet(np.full(60, 0.1), topics), name=n) for n in names
    }
    docs = [" ".join(rng.choice(words, 12)) for _ in range(200)]
    corpus = tl.Corpus.from_texts(docs, vocabulary=words)
    return tl.evaluate(
        list(models.values()), corpus, measures="npmi,umass,significance", resamples=50, chance=0
    )


@pytest.fixture(scope="module")
def scores():
    return evaluated()


def rated(folder, topics=6, models=NAMES):
    """A closed study of ratings of topics of three models."""
    items = [
        Item(f"i{n:04d}", "word_set_rating", model, k, shown={"words": [f"w{n}"]})
        for n, (model, k) in enumerate(((m, k) for m in models for k in range(topics)), start=1)
    ]
    made, store = simulated.study(folder, ItemSet("word_set_rating", items), state="live", rules={})
    rng = np.random.default_rng(1)
    said(made, store, lambda item, rater: {"rating": int(rng.integers(1, 4)), "familiarity": "most"})
    return made.move("closed")


def test_ratings_over_time_have_relatedness_and_smoothness(tmp_path):
    made, store = simulated.study(tmp_path / "s", extended("temporal_rating", n=4), state="live", rules={})
    said(made, store, lambda item, rater: {"relatedness": 1 + rater % 2, "smoothness": 3 - rater % 2})
    made.move("closed")
    with opened(made.folder) as (study, kept):
        data = load(study, kept, time.time())
    page = results(data, judged(data))
    assert [part["measure"] for part in page["parts"]] == [
        "Mean relatedness, 1 to 3",
        "Mean smoothness, 1 to 3",
    ]
    values = [part["models"][0]["value"] for part in page["parts"]]
    assert values == ["1.50", "2.50"]
    text = pages(made.folder).get("/organiser/s/").text
    assert "Mean smoothness, 1 to 3" in text
    assert text.count('class="plot"') == 2


def test_automatic_measures_stand_beside_people_s_scores_as_relate_has_them(tmp_path, scores):
    made = rated(tmp_path / "s")
    keep_scores(made, saved(scores, tmp_path))
    with opened(made.folder) as (study, kept):
        data = load(study, kept, time.time())
    from tealeaves.human import relate, score
    from tealeaves.human.answers import Answers

    page = results(data, judged(data), kept_scores(study))["automatic"]
    wanted = relate(
        scores, score(Answers.from_rows(data.latest, study.items)), resamples=100
    ).frame.to_dicts()
    [table] = page["tables"]
    assert table["n"] == 30
    for row in (one for one in wanted if one["topics"] == "all topics"):
        shown = next(one for one in table["rows"] if one["measure"] == row["measure"])
        if np.isnan(row["spearman"]):
            assert shown["why"] == row["reason"] != ""
            continue
        assert shown["spearman"].startswith(f"{row['spearman']:.2f}".replace("-", "−"))
        assert shown["pearson"].startswith(f"{row['pearson']:.2f}".replace("-", "−"))
        assert shown["r2"].startswith(f"{row['r2']:.2f}")
    defined = [row for row in table["rows"] if not row["why"]]
    strengths = [abs(float(row["spearman"].split()[0].replace("−", "-"))) for row in defined]
    assert strengths == sorted(strengths, reverse=True)
    assert defined[0]["behind"] == ""
    assert all("[" in row["behind"] for row in defined[1:])
    [models] = page["models"]
    assert models["n"] == 5
    assert any("[" in row["interval"] for row in models["rows"])
    text = pages(made.folder).get("/organiser/s/").text
    assert "Automatic measures beside people" in text
    assert "Spearman’s ρ" in text
    assert "over 5 models" in text


def test_what_rules_change_and_how_raters_agree_is_said_of_both_ratings_over_time(tmp_path):
    items = extended("temporal_rating", n=4)
    made, store = simulated.study(tmp_path / "s", items, state="live", rules={"seconds": 1})
    high = {item.id: n for n, item in enumerate(made.items) if item.role == "item"}

    def alike(item, rater):
        return {"relatedness": 1 + high[item.id] % 3, "smoothness": 1 + (high[item.id] + rater) % 3}

    said(made, store, alike)
    made.move("closed")
    with opened(made.folder) as (study, kept):
        data = load(study, kept, time.time())
    value, text = alpha(data, data.latest)
    assert value == 1
    assert re.fullmatch(r"α 1\.00 relatedness, −?0\.\d\d smoothness, ordinal", text)
    quality = judged(data)
    out = [replace(one, excluded=("time",)) if one.rater == "R-002" else one for one in quality]
    rows = {row["name"]: row for row in raters(data, out)["change"]}
    model = made.items[0].model
    assert {f"{model}: relatedness", f"{model}: smoothness"} <= set(rows)
    assert all(row["before"] == row["after"] for name, row in rows.items() if "relatedness" in name)
    assert any(row["before"] != row["after"] for name, row in rows.items() if "smoothness" in name)
    text = methods(data, quality, scored(data, quality))
    assert "Results: mean relatedness, 1 to 3 is " in text
    assert " mean smoothness, 1 to 3 is " in text
    assert "temporal_rating" not in text
    assert text.count("raters and topics drawn again") == 1


def test_two_models_have_no_table_of_models_and_it_is_said_from_when(tmp_path):
    made = rated(tmp_path / "s", models=("lda", "nmf"))
    keep_scores(made, saved(evaluated(names=("lda", "nmf")), tmp_path))
    assert "there is a table from five models on" in pages(made.folder).get("/organiser/s/").text


def test_scores_that_cannot_be_read_any_more_are_told_and_the_page_has_all_else(tmp_path, scores):
    made = rated(tmp_path / "s")
    keep_scores(made, saved(scores, tmp_path))
    (made.folder / "scores" / "scores.json").write_text("torn", "utf-8")
    page = pages(made.folder).get("/organiser/s/")
    assert page.status_code == 200
    assert "The scores that the study keeps cannot be read" in page.text
    assert 'class="plot"' in page.text


def test_scores_of_other_models_are_refused_by_name(tmp_path):
    made = rated(tmp_path / "s", models=("other",))
    with pytest.raises(
        InputError, match=r"has scores of lda, nmf, hdp, etm, stm, but the study asks about other"
    ):
        keep_scores(made, saved(evaluated(), tmp_path))
    assert kept_scores(made) is None


def test_the_organiser_chooses_scores_that_are_served_and_no_others(tmp_path, scores, monkeypatch):
    made = rated(tmp_path / "s")
    saved(scores, tmp_path / "models")
    monkeypatch.setenv(MODELS, str(tmp_path / "models"))
    client = pages(made.folder)
    page = client.get("/organiser/s/").text
    assert "Set them beside" in page
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)[1]
    for wrong in ("../s", "nothing", ""):
        assert client.post("/organiser/s/scores", data={"csrf": csrf, "scores": wrong}).status_code == 404
    reply = client.post("/organiser/s/scores", data={"csrf": csrf, "scores": "scores"})
    assert reply.headers["location"] == "/organiser/s/?said=scores#results"
    assert scores_name(made) == "scores"
    assert "Now: scores." in client.get("/organiser/s/").text
    assert client.post("/organiser/s/scores", data={"scores": "scores"}).status_code == 403


def saved(scores, folder):
    scores.save(folder / "scores")
    return folder / "scores"
