"""A study as files: what is in them, what is not, and that a spreadsheet runs nothing."""

import csv
import io
import json
import os
import time

import pytest

pytest.importorskip("sqlalchemy")

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from human import simulated
from tealeaves.errors import InputError
from tealeaves.human import score
from tealeaves.human.answers import COLUMNS, Answers, read_answers
from tealeaves.human.app import flow, organiser_answers, tables
from tealeaves.human.app.organiser_actions import erase, look, move
from tealeaves.human.app.organiser_data import load, opened
from tealeaves.human.export import ANSWERS, FILES, csv_text, export, plain_cell, safe_cell
from tealeaves.human.item_sets import ItemSet
from tealeaves.human.record import record

FORMULAS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x")', "'=1", "''@x"]
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made, store = simulated.study(
        tmp_path_factory.mktemp("s") / "oil", people=simulated.crowd(), title="Oil *topics* | x", payment="£2"
    )
    store.close()
    return made


@pytest.fixture(scope="module")
def files(study, tmp_path_factory):
    with opened(study.folder) as (made, store):
        paths = export(record(made, store), tmp_path_factory.mktemp("out") / "new")
    return {path.name: path for path in paths}


def test_all_files_are_written_and_nothing_else(files):
    assert set(files) == set(FILES)
    assert {path.name for path in next(iter(files.values())).parent.iterdir()} == set(FILES)


def test_the_three_files_of_answers_say_the_same(files):
    lines = [json.loads(line) for line in files["answers.jsonl"].read_text("utf-8").splitlines()]
    table = list(csv.DictReader(io.StringIO(files["answers.csv"].read_text("utf-8"))))
    frame = pl.read_parquet(files["answers.parquet"])
    assert list(lines[0]) == list(table[0]) == frame.columns == list(ANSWERS)
    assert (*COLUMNS, "excluded") == ANSWERS
    assert len(lines) == len(table) == len(frame) > 300
    for line, row, typed in zip(lines, table, frame.to_dicts(), strict=True):
        assert line["value"] == json.loads(row["value"]) == json.loads(typed["value"])
        assert line["correct"] == {"true": True, "false": False, "": None}[row["correct"]] == typed["correct"]
        assert line["seconds"] == float(row["seconds"]) == typed["seconds"]


@pytest.mark.parametrize("name", ["answers.jsonl", "answers.csv", "answers.parquet"])
def test_an_export_is_read_back_and_scored_the_same(study, files, name):
    items = ItemSet.load(files["items.jsonl"])
    assert items == study.items
    found = score(read_answers(files[name], items), resamples=100)
    jsonl = score(read_answers(files["answers.jsonl"], items), resamples=100)
    assert found.models.equals(jsonl.models)


def test_no_token_code_or_platform_number_is_in_any_file(study, files):
    secrets = [study.secret.hex(), *study.settings.codes.values(), "person0000", "resume"]
    for path in files.values():
        text = path.read_bytes()
        assert not [one for one in secrets if one.encode() in text], path.name


def test_the_key_is_in_one_file_only(study, files):
    assert study.items[0].key.encode() in files["items.jsonl"].read_bytes()
    for name in ("raters.csv", "design.json", "methods.md"):
        assert not any(item.key in files[name].read_text("utf-8") for item in study.items)


def test_raters_are_listed_with_their_work_and_why_they_are_left_out(files):
    rows = {row["rater"]: row for row in csv.DictReader(io.StringIO(files["raters.csv"].read_text("utf-8")))}
    assert len(rows) == 17
    assert {name: row["excluded"] for name, row in rows.items() if row["excluded"]} == {
        "R-005": "checks", "R-006": "time", "R-007": "position",
    }  # fmt: skip
    assert rows["R-001"]["checks_right"] == "4"
    assert rows["R-016"]["state"] == "withdrew"


def test_the_methods_say_what_was_done(study, files):
    text = files["methods.md"].read_text("utf-8")
    for wanted in (
        "(Chang et al. 2009)",
        "24 items (12 of lda, 12 of nmf), drawn with seed 0",
        study.items.digest,
        "fewer than 75% of the checks right",
        "They leave out 3 of 17 (checks: 1, time: 1, position: 1).",
        "Results have not been looked at so far; the study is not closed.",
        "right/wrong coding",
        "Each was paid £2.",
        r"Oil \*topics\* \| x",
    ):
        assert wanted in text, wanted
    assert "Results: model precision" not in text  # not while they are hidden


def test_once_results_were_opened_the_methods_say_when_and_what(tmp_path):
    made, store = simulated.study(tmp_path / "oil", people=simulated.crowd(6))
    look(store, True)
    first = record(made, store).methods
    made = move(made, store, "closed")
    closed = record(made, store)
    store.close()
    assert "Results were looked at before the study was closed: on" in first
    assert "Results: model precision is" in first
    assert "Results: model precision is" in closed.methods
    assert closed.design["results_opened"][0]["show"] is True
    assert "codes" not in closed.design["settings"]


def test_a_study_that_nobody_has_answered_can_be_exported(tmp_path):
    made, store = simulated.study(tmp_path / "oil")
    written = export(record(made, store), tmp_path / "out")
    store.close()
    assert len(written) == len(FILES)
    assert pl.read_parquet(tmp_path / "out" / "answers.parquet").height == 0


def test_what_raters_told_is_exported_under_their_pseudonyms_and_safe_for_a_spreadsheet(tmp_path):
    question = {"question": "=Your age?", "options": ["under 40", "=40 or over"], "accept": [0, 1]}
    made, store = simulated.study(
        tmp_path / "oil", people=simulated.crowd(2), screening=(question,), quiz=True
    )
    with store.reading() as connection:
        keys = dict(connection.execute(select(tables.raters.c.number, tables.raters.c.id)).all())
    flow.remark(made, store, keys[2], '=HYPERLINK("http://x")\nmy name is Bob')
    with store.writing() as connection:
        store.note(connection, "screening", {"s1": 1}, keys[2])
        store.note(connection, "quiz", {"given": {}, "right": False}, keys[2])
        store.note(connection, "quiz", {"given": {}, "right": True}, keys[2])
    export(record(made, store), tmp_path / "out")
    [remark] = csv.DictReader(io.StringIO((tmp_path / "out" / "remarks.csv").read_text("utf-8")))
    assert (remark["rater"], remark["form"]) == ("R-002", "live")
    assert remark["remark"].startswith("'=HYPERLINK")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "raters.csv").read_text("utf-8"))))
    assert [row["screening: =Your age?"] for row in rows[:3]] == ["", "'=40 or over", ""]
    assert [row["quiz_tries"] for row in rows[:3]] == ["0", "2", "0"]
    assert erase(store, "R-002", answers=False)
    after = record(made, store)
    assert after.remarks == []
    assert [row["screening: =Your age?"] for row in after.raters[:2]] == ["", ""]
    assert any(row["rater"] == "R-002" for row in after.answers)
    raw = b"".join(path.read_bytes() for path in made.folder.glob("study.db*"))
    assert b"my name is Bob" not in raw
    store.close()


def test_answers_of_a_pilot_and_of_raters_left_out_are_exported_and_not_scored(tmp_path):
    made, store = simulated.study(tmp_path / "oil", state="pilot", people=[simulated.Rater(0.1)] * 2)
    made = move(made, store, "live")
    simulated.answer(made, store, simulated.crowd(6), first=3)
    kept = record(made, store)
    export(kept, tmp_path / "out")
    data = load(made, store, time.time())
    left = organiser_answers.kept(data, organiser_answers.judged(data))
    wanted = score(Answers.from_rows(left, made.items), resamples=100)
    store.close()
    assert {row["form"] for row in kept.answers} == {"pilot", "live"}
    assert {row["rater"] for row in kept.answers if row["excluded"]}
    for path in ("answers.jsonl", "answers.csv", "answers.parquet", ""):
        given = () if path == "" else (tmp_path / "out" / "items.jsonl",)
        answers = read_answers(tmp_path / "out" / path, *given)
        found = score(answers, resamples=100)
        assert found.models.equals(wanted.models), path
        assert found.notes[0].endswith("answers of a pilot are left out (pilot=True keeps them)")
        assert "raters are left out by the rules of the study: R-" in found.notes[1]
    everything = read_answers(tmp_path / "out", pilot=True, all_raters=True)
    assert len(everything) == len(kept.answers)
    assert everything.notes == ()


def test_a_pilot_alone_is_read_and_a_note_says_what_it_is(tmp_path):
    made, store = simulated.study(tmp_path / "oil", state="pilot", people=[simulated.Rater(0.9)] * 2)
    export(record(made, store), tmp_path / "out")
    store.close()
    answers = read_answers(tmp_path / "out")
    assert set(answers.frame["form"]) == {"pilot"}
    assert answers.notes == ("all answers are of a pilot: they count for nothing in the study itself",)


def test_raters_who_are_all_left_out_are_an_error_that_says_so(tmp_path):
    made, store = simulated.study(tmp_path / "oil", people=[simulated.Rater(0.2, checks=0.1)] * 2)
    export(record(made, store), tmp_path / "out")
    store.close()
    with pytest.raises(InputError, match=r"all 2 raters are left out by the rules.*all_raters=True"):
        read_answers(tmp_path / "out")


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_begins_as_a_formula(text):
    made = csv_text([{"a": text}], ["a"])
    cell = next(csv.DictReader(io.StringIO(made, newline="")))["a"]
    assert cell.startswith("'")
    assert plain_cell(cell) == text


@given(texts)
def test_every_text_comes_back_from_a_safe_cell(text):
    assert plain_cell(safe_cell(text)) == text
    assert safe_cell(text)[:1] not in tuple("=+-@\t\r\n")


def test_numbers_are_left_alone():
    assert csv_text([{"a": -1.5, "b": True, "c": None, "d": [1]}], "abcd") == "a,b,c,d\r\n-1.5,true,,[1]\r\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_what_is_exported_is_for_the_organiser_alone_even_in_a_folder_that_others_see(study, tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o777)
    for name in ("answers.csv", "answers.csv.part"):  # of an earlier export, and of one that was killed
        (folder / name).write_text("old")
        (folder / name).chmod(0o666)
    before = os.umask(0)
    try:
        with opened(study.folder) as (made, store):
            written = export(record(made, store), folder)
    finally:
        os.umask(before)
    assert {oct(path.stat().st_mode & 0o777) for path in written} == {"0o600"}
    assert set(folder.iterdir()) == set(written)


def test_an_unknown_file_and_a_folder_that_is_a_file_are_refused(study, tmp_path):
    with opened(study.folder) as (made, store):
        kept = record(made, store)
    with pytest.raises(InputError, match=r"there is no export 'all\.zip'; there are answers\.jsonl"):
        export(kept, tmp_path, ["all.zip"])
    (tmp_path / "x").write_text("mine")
    with pytest.raises(InputError, match="is a file, but an export needs a folder"):
        export(kept, tmp_path / "x")
    assert (tmp_path / "x").read_text() == "mine"
