"""`tealeaves stability`, and coverage by `tealeaves evaluate`, from files to what is printed."""

import csv
import json

import pytest

from tealeaves.cli import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for i in (1, 2, 3):
        topics = [["oil", "gas", "well"], ["law", "tax", "court"], [f"w{i}", f"x{i}"]]
        (tmp_path / f"lda#{i}.json").write_text(json.dumps(topics), "utf-8")
    (tmp_path / "themes.csv").write_text("topic,words\nenergy,oil gas well\nfilm,film music\n", "utf-8")
    return tmp_path


def call(capsys, *arguments):
    status = run(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_runs_are_told_with_the_topics_that_return(folder, capsys):
    runs = [f"lda#{i}.json" for i in (1, 2, 3)]
    status, out, _ = call(capsys, "stability", *runs, "--reference-topics", "themes.csv", "--out", "stable")
    assert status == 0
    assert "2 topics return in all 3 runs, of 5" in out
    assert "refset_stabil(distance='cosine')" in out
    with (folder / "stable" / "alignment.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["runs"] for row in rows] == ["3", "3", "1", "1", "1"]
    assert rows[0]["words"] == "oil gas well"


def test_json_holds_scores_and_alignment(folder, capsys):
    status, out, err = call(capsys, "stability", "lda#1.json", "lda#2.json", "--json", "--quiet")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["scores"][0]["value"] == pytest.approx(2 / 3)
    assert found["alignment"]["lda"]["groups"][2]["topics"] == [2, None]


def test_one_run_is_undefined_and_says_why(folder, capsys):
    status, out, err = call(capsys, "stability", "lda#1.json")
    assert status == 0
    assert "others are needed" in err
    assert "—" in out


def test_evaluate_holds_models_against_reference_topics(folder, capsys):
    arguments = ["evaluate", "lda#1.json", "--reference-topics", "themes.csv", "-m", "au_cdc", "--json"]
    status, out, _ = call(capsys, *arguments)
    assert status == 0
    rows = next(value for value in json.loads(out).values() if isinstance(value, list))
    value = next(row["value"] for row in rows if row["level"] == "model")
    assert value == pytest.approx((1 + 0.01) / 2)


def test_mistakes_are_told_in_one_message(folder, capsys):
    status, _, err = call(capsys, "stability", "lda#1.json", "nothing.json")
    assert status == 1
    assert "nothing.json" in err
    status, _, err = call(capsys, "evaluate", "lda#1.json", "-m", "au_cdc")
    assert status == 1
    assert "--reference-topics" in err
