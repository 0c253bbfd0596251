"""Places of raters whom the rules leave out are given out again, and quotas hold for those who count."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from study_client import new_study, word_items
from tealeaves.errors import InputError
from tealeaves.human.answers import Answers
from tealeaves.human.app import flow, replacing, tables
from tealeaves.human.app.organiser_actions import erase
from tealeaves.human.app.organiser_answers import judged
from tealeaves.human.app.organiser_data import load
from tealeaves.human.app.organiser_head import overview
from tealeaves.human.app.organiser_progress import progress
from tealeaves.human.app.organiser_raters import one_rater
from tealeaves.human.app.progress import step
from tealeaves.human.app.store import Store
from tealeaves.human.filters import Rules, filtered
from tealeaves.human.methods import methods
from tealeaves.human.record import record
from tealeaves.human.study import Settings

RULES = {"checks": 0.7}


@pytest.fixture
def place(tmp_path, database):
    """Let raters begin in a new study of items and two checks, without pages."""
    opened = []

    def start(n=4, state="live", **settings):
        given = {"rules": RULES, "replace_excluded": True, "answers_per_item": 1, **settings}
        study = new_study(tmp_path, word_items(n, checks=2), state, **given)
        kept = Store.open(study, database)
        opened.append(kept)
        return study, kept, lambda: flow.consent(study, kept, None, "keep")[0]

    yield start
    for kept in opened:
        kept.close()


def laid_out(kept, rater_id=None):
    query = select(tables.assignments).order_by(tables.assignments.c.id)
    with kept.reading() as connection:
        rows = connection.execute(query).all()
    return [row for row in rows if rater_id in (None, row.rater_id)]


def work(study, kept, rater, *, well=True):
    """Answer everything, checks rightly or wrongly, and come to the end."""
    flow.instructed(study, kept, rater)
    answer(study, kept, rater, laid_out(kept, rater), well=well)
    return flow.arrive(study, kept, rater).rater.ended


def answer(study, kept, rater, rows, *, well=True):
    for row in rows:
        item = study.items.by_id[row.item]
        wrong = next(option for option in item.options if option != item.key)
        choice = item.key if well or row.role != "check" else wrong
        flow.save(study, kept, rater, row.id, "k", {"choice": choice}, 9.0)


def kinds(kept):
    with kept.reading() as connection:
        rows = connection.execute(select(tables.events.c.rater_id, tables.events.c.kind)).all()
    return sorted((row.rater_id, row.kind) for row in rows)


def counting(kept):
    """How many answers of raters who count each item has."""
    out = {rater for rater, kind in kinds(kept) if kind == tables.REPLACED}
    rows = [row for row in laid_out(kept) if row.role == "item" and row.state == "done"]
    return Counter(row.item for row in rows if row.rater_id not in out)


def test_the_places_of_a_rater_whom_the_rules_leave_out_go_to_the_next(place):
    study, kept, begin = place()
    first = begin()
    assert work(study, kept, first, well=False) == "completed"  # with the code of all who finish
    assert work(study, kept, begin()) == "completed"
    assert kinds(kept) == [(1, "replaced"), (2, "counted")]
    assert counting(kept) == {f"i{i:04d}": 1 for i in range(4)}
    assert laid_out(kept, begin()) == []


@pytest.mark.parametrize("settings", [{"replace_excluded": False}, {"rules": {}, "replace_excluded": False}])
def test_without_the_setting_no_place_is_given_out_again(place, settings):
    study, kept, begin = place(**settings)
    work(study, kept, begin(), well=False)
    assert laid_out(kept, begin()) == []
    assert kinds(kept) == []


def test_in_a_pilot_nobody_is_replaced_as_its_rules_may_still_change(place):
    study, kept, begin = place(state="pilot")
    work(study, kept, begin(), well=False)
    assert laid_out(kept, begin()) == []
    assert kinds(kept) == []


def test_the_number_of_raters_who_may_begin_counts_those_who_count(place):
    study, kept, begin = place(answers_per_item=9, max_raters=1)
    work(study, kept, begin(), well=False)
    assert work(study, kept, begin()) == "completed"
    assert laid_out(kept, begin()) == []


def test_who_waits_while_a_rater_is_at_work_gets_the_places_if_the_rules_leave_him_out(place):
    study, kept, begin = place()
    first, second = begin(), begin()
    answer(study, kept, first, laid_out(kept, first)[:-1], well=False)
    assert step(study, flow.arrive(study, kept, second)).name == "wait"
    work(study, kept, first, well=False)
    assert step(study, flow.arrive(study, kept, second)).name == "instructions"


@pytest.mark.parametrize("settings", [{}, {"answers_per_item": 9, "max_raters": 1}])
@pytest.mark.parametrize("well", [False, True])
def test_nobody_is_told_that_a_study_is_full_before_the_rules_have_judged_who_came_to_an_end(
    place, monkeypatch, well, settings
):
    study, kept, begin = place(**settings)
    first = begin()
    with monkeypatch.context() as between:
        between.setattr(replacing, "judge_ended", lambda *_: 0)  # the moment before the verdict
        work(study, kept, first, well=well)
        second = begin()
        assert step(study, flow.arrive(study, kept, second)).name == "wait"
    here = flow.arrive(study, kept, second)
    assert here.rater.ended == ("full" if well else None)
    assert len(here.items) == (0 if well else 6)


def test_who_stops_early_and_leaves_wrong_checks_behind_is_replaced_too(place):
    study, kept, begin = place()
    first, second = begin(), begin()
    mine = laid_out(kept, first)
    answer(study, kept, first, [row for row in mine if row.role == "check"][:1] + mine[:1], well=False)
    flow.withdraw(study, kept, first, "keep")
    assert kinds(kept) == [(1, "replaced")]
    assert len(laid_out(kept, flow.arrive(study, kept, second).rater.id)) == 6


def test_what_a_killed_server_left_unjudged_is_judged_when_the_organiser_looks(place, monkeypatch):
    study, kept, begin = place()
    with monkeypatch.context() as broken:
        broken.setattr(replacing, "judge_ended", lambda *_: 0)
        work(study, kept, begin(), well=False)
    assert kinds(kept) == []
    for _ in range(2):
        flow.settle(study, kept)
    assert kinds(kept) == [(1, "replaced")]  # once
    assert len(laid_out(kept, begin())) == 6


def test_progress_counts_the_places_of_raters_who_count_and_methods_say_who_was_replaced(place):
    study, kept, begin = place(4, answers_per_item=1)
    work(study, kept, begin(), well=False)
    data = load(study, kept, time.time())
    page = progress(data, judged(data))
    assert page["heading"] == "No answer is in yet of a rater who counts"
    assert [strip["cells"] for strip in page["strips"]] == [[0, 0, 0, 0]]
    assert page["facts"][1]["note"].startswith("of about 2 needed, 1 of them instead of raters left out;")
    assert not [one for one in page["look"] if "too few answers" in one["title"]]
    work(study, kept, begin())
    data = load(study, kept, time.time())
    quality = judged(data)
    page = progress(data, quality)
    assert page["heading"] == "All answers are in"
    assert [strip["cells"] for strip in page["strips"]] == [[4, 4, 4, 4]]
    assert page["facts"][0]["note"] == "of 4 (100%)"
    row = overview(data, quality)
    assert (row["answers"], row["share"]) == ("4 of 4", 1.0)
    assert ("Places", "Given to others") in one_rater(data, quality, "R-001")["facts"]
    text = methods(data, quality)
    assert "There are 4 answers of 4, and 4 besides of raters whose places went to others" in text
    assert "the places of those left out were given to others: of 1 rater." in text


def test_nothing_is_left_of_the_verdict_on_who_has_everything_deleted(place):
    study, kept, begin = place()
    first = begin()
    flow.save(study, kept, first, laid_out(kept, first)[0].id, "k", {"choice": "x"}, 9.0)
    flow.withdraw(study, kept, first, "delete")
    assert replacing.judge_ended(study, kept) == 0
    assert kinds(kept) == []


def test_who_has_his_answers_deleted_leaves_his_place_to_another_whatever_the_rules_said(place):
    study, kept, begin = place(answers_per_item=9, max_raters=2)
    work(study, kept, begin(), well=False)  # replaced
    work(study, kept, begin())
    work(study, kept, begin())
    assert laid_out(kept, begin()) == []
    for name in ("R-001", "R-002"):
        assert erase(kept, name, answers=True)
    assert work(study, kept, begin()) == "completed"  # instead of the second; the first had no place any more
    assert laid_out(kept, begin()) == []


def test_quotas_are_exact_for_those_who_count_when_many_come_at_once_and_some_work_badly(place):
    study, kept, begin = place(6, answers_per_item=4, items_per_rater=3)
    draw = random.Random(3)
    plans = [draw.random() < 0.4 for _ in range(20)]

    def one(bad):
        rater = begin()
        if laid_out(kept, rater):
            work(study, kept, rater, well=not bad)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, plans))
    for _ in range(30):  # places that came back last
        rater = begin()
        if not laid_out(kept, rater):
            break
        work(study, kept, rater)
    assert counting(kept) == {f"i{i:04d}": 4 for i in range(6)}


def test_who_is_replaced_is_who_the_scores_leave_out(place):
    study, kept, begin = place(answers_per_item=2)
    for well in (True, False, False, True):
        work(study, kept, begin(), well=well)
    answers = Answers.from_rows(record(study, kept).answers, study.items)
    left = filtered(answers, Rules.from_dict(study.settings.rules)).raters
    out = {f"R-{rater:03d}" for rater, kind in kinds(kept) if kind == "replaced"}
    assert set(left.filter(~left["kept"])["rater"]) == out == {"R-002", "R-003"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"replace_excluded": True}, "needs rules"),
        (
            {"replace_excluded": True, "rules": {"speed": 0.3, "checks": 0.7}},
            "does not go with the rule speed",
        ),
        ({"replace_excluded": 1, "rules": RULES}, "is true or false; got 1"),
    ],
)
def test_a_setting_by_which_places_could_not_be_exact_is_refused(settings, said):
    with pytest.raises(InputError, match=said):
        Settings(**settings)
