"""Which items a rater gets."""

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from human.sets import extended
from study_client import new_study, word_items
from tealeaves.human import serving
from tealeaves.human.app import flow, tables
from tealeaves.human.app.progress import step
from tealeaves.human.app.store import Store
from tealeaves.human.forms import marks_of
from tealeaves.human.items import Item, ItemSet
from tealeaves.human.request import once
from tealeaves.human.serving import choose


def item(number, model="lda", topic=0, intruder=None, role="item"):
    hidden = {} if intruder is None else once(model, [topic], [intruder])
    return Item(f"i{number:04d}", "word_intrusion", model, topic, role, ("a", "b"), "a", {}, hidden)


items = st.lists(
    st.tuples(
        st.sampled_from(["lda", "nmf"]), st.integers(0, 4), st.sampled_from(["tax", "Tax", "goal", "rain"])
    ),
    max_size=15,
).map(lambda rows: [item(i, *row) for i, row in enumerate(rows)])


@given(items, st.integers(0, 20), st.lists(st.integers(0, 3), min_size=15, max_size=15))
def test_nobody_sees_a_topic_or_an_intruder_twice(candidates, n, taken):
    counts = {one.id: taken[i] for i, one in enumerate(candidates)}
    chosen = choose(candidates, n, counts)
    assert len(chosen) <= n
    assert len({(one.model, one.topic) for one in chosen}) == len(chosen)
    assert len({one.hidden["once"][1] for one in chosen}) == len(chosen)
    if len(chosen) < n:  # nothing else could have been chosen
        marks = {mark for one in chosen for mark in marks_of(one)}
        rest = [one for one in candidates if one not in chosen]
        assert not [one for one in rest if marks.isdisjoint(marks_of(one))]


def test_the_same_topic_number_of_another_model_is_another_topic():
    chosen = choose([item(0, "lda", 3, "tax"), item(1, "nmf", 3, "goal")], 2, {})
    assert len(chosen) == 2


def test_what_was_seen_before_counts_too():
    seen = [item(9, "lda", 0, "goal", role="control")]
    assert choose([item(0, "lda", 1, "goal"), item(1, "lda", 0, "tax")], 2, {}, seen) == []


def test_items_with_the_fewest_raters_go_first_and_models_in_turn():
    three = [item(i, model, i, f"w{i}") for i, model in enumerate(["a", "a", "a", "b", "b", "b"])]
    chosen = choose(three, 4, {"i0000": 1})
    assert "i0000" not in {one.id for one in chosen}
    assert Counter(one.model for one in chosen) == {"a": 2, "b": 2}


@pytest.fixture
def place(tmp_path, database):
    """Let raters begin in a new study, without pages."""
    opened = []

    def start(made, state="live", **settings):
        study = new_study(tmp_path, made, state, **settings)
        kept = Store.open(study, database)
        opened.append(kept)

        def begin():
            return flow.consent(study, kept, None, "keep")[0]

        return study, kept, begin

    yield start
    for kept in opened:
        kept.close()


def laid_out(kept, rater_id=None):
    a = tables.assignments
    query = select(a).order_by(a.c.rater_id, a.c.series, a.c.position)
    with kept.reading() as connection:
        return connection.execute(query if rater_id is None else query.where(a.c.rater_id == rater_id)).all()


def test_all_items_get_nearly_the_same_number_of_raters_at_any_time(place):
    _, kept, begin = place(word_items(10, models=("a", "b")), answers_per_item=9, items_per_rater=7)
    for _ in range(8):
        begin()
        counts = Counter({f"i{i:04d}": 0 for i in range(20)}) + Counter()
        counts = Counter(row.item for row in laid_out(kept))
        every = [counts[f"i{i:04d}"] for i in range(20)]
        assert max(every) - min(every) <= 1
    for rater in {row.rater_id for row in laid_out(kept)}:
        models = Counter("ab"[int(row.item[1:]) // 10] for row in laid_out(kept, rater))
        assert abs(models["a"] - models["b"]) <= 3


def test_checks_and_controls_are_spread_and_practice_comes_apart(place):
    made = word_items(12, checks=3, practice=2)
    _, kept, begin = place(made, answers_per_item=99, checks=2)
    places = []
    for _ in range(10):
        rows = laid_out(kept, begin())
        assert [row.role for row in rows if row.series == "practice"] == ["practice"] * 2
        order = [row.role for row in rows if row.series == "items"]
        assert Counter(order) == {"item": 12, "check": 2}
        where = [i for i, role in enumerate(order) if role == "check"]
        assert where[0] < 7 <= where[1]
        places.append(tuple(where))
    assert len(set(places)) > 2


def test_places_are_1_2_3_and_orders_are_drawn(place):
    _, kept, begin = place(word_items(6))
    rows = laid_out(kept, begin())
    assert [row.position for row in rows] == [1, 2, 3, 4, 5, 6]
    assert all(sorted(json.loads(row.order)) == list(range(6)) for row in rows)
    assert {row.state for row in rows} == {"open"}


def test_a_study_with_too_few_items_left_is_full_for_a_rater(place):
    study, kept, begin = place(word_items(5), answers_per_item=1, items_per_rater=3, fewest_items=3)
    assert len(laid_out(kept, begin())) == 3
    assert laid_out(kept, begin()) == []  # two are left, which are fewer than three
    assert ends(kept) == [None, None]  # the first may leave
    for row in laid_out(kept, 1):
        flow.save(study, kept, 1, row.id, "k", {"choice": "x"}, None)
    assert laid_out(kept, begin()) == []
    assert ends(kept) == [None, None, "full"]


def ends(kept):
    with kept.reading() as connection:
        return connection.execute(select(tables.raters.c.ended).order_by(tables.raters.c.id)).scalars().all()


def lapse(kept, rater):
    with kept.writing() as connection:
        past = update(tables.raters).where(tables.raters.c.id == rater).values(lease_until=time.time() - 1)
        connection.execute(past)


def test_who_finds_all_places_leased_waits_and_has_one_when_the_lease_has_run_out(place):
    study, kept, begin = place(word_items(4), answers_per_item=1)
    first, second = begin(), begin()
    here = flow.arrive(study, kept, second)
    assert (step(study, here).name, here.rater.ended, here.total) == ("wait", None, 0)
    assert flow.opens(study, kept, here.rater) == pytest.approx(time.time() + 1800, abs=5)
    lapse(kept, first)
    here = flow.arrive(study, kept, second)
    assert (step(study, here).name, here.total) == ("instructions", 4)


def test_who_waits_is_told_that_the_study_is_full_once_all_is_answered(place):
    study, kept, begin = place(word_items(4), answers_per_item=1)
    first, second = begin(), begin()
    for row in laid_out(kept, first):
        flow.save(study, kept, first, row.id, "k", {"choice": "x"}, None)
    assert flow.arrive(study, kept, second).rater.ended == "full"


def test_the_time_of_who_waited_begins_with_his_items(place):
    study, kept, begin = place(word_items(4), answers_per_item=1, time_limit_minutes=60, screening=[ASKED])
    first, second = begin(), begin()
    flow.screened(study, kept, first, {"s1": 0})
    flow.screened(study, kept, second, {"s1": 0})
    with kept.writing() as connection:
        long_ago = {"created_at": time.time() - 7200}
        connection.execute(update(tables.raters).where(tables.raters.c.id == second).values(long_ago))
    assert step(study, flow.arrive(study, kept, second)).name == "wait"
    lapse(kept, first)
    assert step(study, flow.arrive(study, kept, second)).name == "instructions"


ASKED = {"question": "How old?", "options": ["18 or older", "younger"], "accept": [0]}


def test_on_a_platform_nobody_waits_but_ends_with_the_code_of_a_full_study(place):
    _, kept, begin = place(word_items(4), answers_per_item=1, platform="prolific")
    begin(), begin()
    assert ends(kept) == [None, "full"]


def test_a_draft_can_be_tried_out_as_often_as_one_likes(place):
    _, kept, begin = place(word_items(4), "draft", answers_per_item=1, max_raters=1)
    lengths = [len(laid_out(kept, begin())) for _ in range(5)]
    assert lengths == [4] * 5
    assert ends(kept) == [None] * 5


@pytest.mark.parametrize("answers", [1, 3])
def test_who_begins_when_two_items_share_an_intruder_gets_about_as_many_as_the_others(place, answers):
    made = ItemSet("word_intrusion", [item(k, "lda", k, f"w{max(k, 1)}") for k in range(17)])
    study, kept, begin = place(made, answers_per_item=answers)
    lengths = [len(laid_out(kept, begin())) for _ in range(2 * answers)]
    assert (sum(lengths), max(lengths) - min(lengths)) == (17 * answers, 1)
    assert sorted(lengths) == sorted(serving.lengths(study.items, study.settings))
    assert max(lengths) == serving.most_items(study.items, study.settings)


def test_no_more_than_so_many_raters_begin_and_who_leaves_makes_room(place):
    study, kept, begin = place(word_items(4), answers_per_item=99, max_raters=2)
    first, _ = begin(), begin()
    assert laid_out(kept, begin()) == []
    flow.withdraw(study, kept, first, "keep")
    assert len(laid_out(kept, begin())) == 4


def test_leases_that_ran_out_return_what_was_not_answered(place):
    study, kept, begin = place(word_items(4), answers_per_item=1)
    first = begin()
    answered = laid_out(kept, first)[0]
    flow.save(study, kept, first, answered.id, "k", {"choice": "x"}, None)
    assert laid_out(kept, begin()) == []
    with kept.writing() as connection:
        connection.execute(
            update(tables.raters).where(tables.raters.c.id == first).values(lease_until=time.time() - 1)
        )
    second = begin()
    assert {row.item for row in laid_out(kept, second)} == {f"i{i:04d}" for i in range(4)} - {answered.item}
    states = Counter(row.state for row in laid_out(kept, first))
    assert states == {"done": 1, "returned": 3}


def test_quotas_hold_when_many_threads_begin_answer_and_leave_at_once(place):
    study, kept, begin = place(word_items(6), answers_per_item=5, items_per_rater=3)

    def one(i):
        rater = begin()
        for row in laid_out(kept, rater):
            if i % 4 == 0:  # leaves after consent; the places are free for others
                flow.withdraw(study, kept, rater, "delete")
                return
            flow.save(study, kept, rater, row.id, "k", {"choice": "x"}, None)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(one, range(24)))
    while laid_out(kept, begin()):  # places that came back late
        rater = laid_out(kept)[-1].rater_id
        for row in laid_out(kept, rater):
            flow.save(study, kept, rater, row.id, "k", {"choice": "x"}, None)
    done = Counter(row.item for row in laid_out(kept) if row.state == "done")
    assert done == {f"i{i:04d}": 5 for i in range(6)}
    with kept.reading() as connection:
        numbers = (
            connection.execute(select(tables.raters.c.number).order_by(tables.raters.c.id)).scalars().all()
        )
    assert all(b == a + 1 for a, b in pairwise(numbers))


def test_the_same_key_in_many_threads_is_one_answer(place):
    study, kept, begin = place(word_items(2))
    rater = begin()
    row = laid_out(kept, rater)[0]
    with ThreadPoolExecutor(8) as pool:
        saved = list(
            pool.map(lambda _: flow.save(study, kept, rater, row.id, "k", {"choice": "x"}, 1.0), range(16))
        )
    assert sum(not one.repeated for one in saved) == 1
    assert {one.revision for one in saved} == {1}


def test_answers_of_different_pages_at_once_are_revisions_without_a_gap(place):
    study, kept, begin = place(word_items(2))
    rater = begin()
    row = laid_out(kept, rater)[0]
    with ThreadPoolExecutor(8) as pool:
        saved = list(
            pool.map(
                lambda i: flow.save(study, kept, rater, row.id, f"k{i}", {"choice": str(i)}, 1.0), range(16)
            )
        )
    assert sorted(one.revision for one in saved) == list(range(1, 17))


def test_either_topic_of_a_pair_stands_first_for_about_half_of_the_raters(place):
    made = extended("topic_pair_matching")
    _, kept, begin = place(made, answers_per_item=12)
    orders = Counter(row.order for _ in range(12) for row in laid_out(kept, begin()) if row.role == "item")
    assert set(orders) == {"[0, 1]", "[1, 0]"}
    assert 12 <= orders["[0, 1]"] <= 48  # of 60


def test_an_item_set_of_one_topic_gives_a_rater_one_item(place):
    made = ItemSet("word_intrusion", [item(i, "lda", 0, f"w{i}") for i in range(3)])
    _, kept, begin = place(made)
    assert len(laid_out(kept, begin())) == 1
