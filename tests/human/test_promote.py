"""Test questions out of a pilot, by the command; the rules of Lund et al. (2019) go with them."""

import json

import pytest

pytest.importorskip("sqlalchemy")

from human import simulated
from tealeaves.cli import run
from tealeaves.human.study import Study


def promote(capsys, *arguments):
    status = run(["study", "promote", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def answer(item, right=True, familiarity="most"):
    wrong = next(option for option in item.options if option != item.key)
    return {"choice": item.key if right else wrong, "familiarity": familiarity}


@pytest.fixture
def pilot(tmp_path):
    """Three raters: all find the intruders of i0001 to i0004; of i0002 one is unsure; i0005 none finds."""
    made, store = simulated.study(tmp_path / "oil", simulated.word_items(topics=4), state="pilot")
    items = [item for item in made.items if item.role == "item"]
    for rater in range(3):
        said = {item.id: answer(item) for item in items[:4]}
        said[items[1].id] = answer(items[1], familiarity="unsure" if rater == 0 else "most")
        said[items[4].id] = answer(items[4], right=False)
        said[items[5].id] = answer(items[5], right=rater > 0)
        simulated.say(made, store, rater + 1, said)
    store.close()
    return made.folder


def test_items_on_which_all_agree_are_sure_and_right_are_named_with_what_is_left(capsys, pilot):
    status, out, _ = promote(capsys, pilot)
    assert status == 0
    assert "3 test questions out of a pilot of 3 raters" in out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  i0")] == [
        "i0001",
        "i0003",
        "i0004",
    ]
    assert "lda: 1 of 4 items still count; those left out were easy ones" in out
    assert f"Next: tealeaves study promote {pilot} --apply" in out
    assert Study.open(pilot).items.by_id["i0001"].role == "item"  # nothing is changed yet


def test_applied_they_are_checks_with_the_rules_of_001(capsys, pilot):
    status, out, _ = promote(capsys, pilot, "--apply")
    assert status == 0
    study = Study.open(pilot)
    assert {item.id for item in study.items if item.role == "check"} >= {"i0001", "i0003", "i0004"}
    assert study.settings.rules["checks"] == 0.7
    assert (study.settings.rules["page_seconds"], study.settings.rules["page_items"]) == (30, 10)
    assert study.settings.rules["position"] == 0.7  # others stay
    assert "lda: 1 of 4 items still count; those left out were easy ones" in out
    assert "fewer than 70% of the checks right" in out
    assert "a median time under 30 s a page of 10 items" in out
    assert any("what is left is harder than the models as a whole" in note for note in study.items.notes)


def test_at_most_so_many_are_taken_and_the_rules_may_stay(capsys, pilot):
    before = Study.open(pilot).settings.rules
    assert promote(capsys, pilot, "--most", "1", "--apply", "--keep-rules")[0] == 0
    study = Study.open(pilot)
    assert study.settings.rules == before
    assert study.items.settings["promoted"] == ["i0001"]


def test_json_says_which_and_what_is_left(capsys, pilot, tmp_path):
    out = promote(capsys, pilot, "--out", tmp_path / "checks.jsonl", "--json")[1]
    told = json.loads(out)
    assert told["promoted"] == ["i0001", "i0003", "i0004"]
    assert told["left"]["lda"] == [1, 4]
    assert (tmp_path / "checks.jsonl").is_file()


def test_less_than_all_of_them_may_be_enough(capsys, pilot):
    assert "i0002" in promote(capsys, pilot, "--sure", "0.6")[1]


def test_a_study_without_a_pilot_says_how_to_have_one(capsys, tmp_path):
    made, store = simulated.study(tmp_path / "new", state="draft")
    store.close()
    status, _, err = promote(capsys, made.folder)
    assert status == 1
    assert "nobody has answered in a pilot; first: tealeaves study status" in err


def test_where_nobody_agrees_nothing_is_applied_and_it_is_said_what_to_do(capsys, pilot):
    status, _, err = promote(capsys, pilot, "--fewest", "9", "--apply")
    assert (status, "no 9 raters or more agree on an item" in err) == (1, True)


def test_a_live_study_keeps_its_items(capsys, pilot):
    Study.open(pilot).move("live")
    status, _, err = promote(capsys, pilot, "--apply")
    assert (status, "frozen" in err) == (1, True)


def test_a_study_whose_items_were_replaced_goes_live_and_its_database_opens(capsys, pilot):
    from tealeaves.human.app.organiser_data import opened

    promote(capsys, pilot, "--apply")
    Study.open(pilot).move("live")
    with opened(pilot) as (study, _):
        assert study.state == "live"
