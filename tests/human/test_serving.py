"""What raters get of the sets that `items` makes, of every task, and what estimates say of it."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from human.sets import extended, static
from human.test_items_forms import ALL
from tealeaves.human import serving
from tealeaves.human.estimate import estimate_of, power_table_of
from tealeaves.human.forms import marks_of
from tealeaves.human.item_sets import Item, ItemSet
from tealeaves.human.study import Settings

SETTINGS = {"answers_per_item": 3, "items_per_rater": 40, "payment": "£2.00"}


def served(items, settings, seed):
    """The items of each rater, one after the other, with lots of their own."""
    draw, taken, found = random.Random(seed), Counter(), []
    counted = [item for item in items if item.role == "item"]
    quota, each = settings.answers_per_item, settings.items_per_rater
    most = serving.turn(counted, {}, quota, each).n
    while True:
        now = serving.turn(counted, taken, quota, each)
        lots = {item.id: draw.random() for item in counted}
        free = [item for item in counted if taken[item.id] < quota]
        args = (free, min(now.n, most), taken, (), lambda item, lots=lots: lots[item.id], now.pressing)
        if not (chosen := serving.choose(*args)):
            return found
        taken.update(item.id for item in chosen)
        found.append(chosen)


@pytest.fixture(scope="module", params=ALL)
def made(request):
    more = {} if request.param.startswith("temporal") else {"n": 20, "k": 20}
    return extended(request.param, checks=2, **more)


def test_every_item_says_what_is_to_be_seen_once(made):
    for item in made:
        assert item.role != "item" or item.hidden["once"]
    seen = {mark.split()[0] for item in made for mark in marks_of(item)}
    assert seen <= {"topic", "intruder", "document", "pair"}


@pytest.mark.parametrize("seed", range(5))
def test_nobody_sees_twice_what_is_to_be_seen_once_and_every_item_has_all_its_answers(made, seed):
    settings = Settings(**SETTINGS)
    raters = served(made, settings, seed)
    for chosen in raters:
        if made.task not in ("topic_pair_matching", "topic_intrusion", "topic_word_matching"):
            assert len({(item.model, item.topic) for item in chosen}) == len(chosen)
        for name in ("intruder", "intruder_topic" if made.task == "topic_intrusion" else "intruder"):
            hidden = [item.hidden[name] for item in chosen if isinstance(item.hidden.get(name), str | int)]
            assert len(set(hidden)) == len(hidden)
        words = [word for item in chosen for word in _listed(item.hidden.get("intruder"))]
        assert len(set(words)) == len(words)
        documents = [item.hidden["document"] for item in chosen if "document" in item.hidden]
        assert len(set(documents)) == len(documents)
    answers = Counter(item.id for chosen in raters for item in chosen)
    assert set(answers.values()) == {3}


@pytest.mark.parametrize("seed", range(5))
def test_the_estimate_is_what_comes_of_it(made, seed):
    settings = Settings(**SETTINGS)
    raters = served(made, settings, seed)
    said = estimate_of(made, settings)
    lengths = [len(chosen) for chosen in raters]
    assert abs(said.raters - len(raters)) <= 1
    assert said.answers == sum(lengths) == 3 * sum(item.role == "item" for item in made)
    assert said.cost == f"£{2 * said.raters}"
    assert max(lengths) <= serving.most_items(made, settings)
    assert 2 * min(lengths) >= max(lengths) - 1  # nobody is asked for an item or two


def _listed(value):
    return value if isinstance(value, list) else []


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 5), st.sampled_from("uvwxyz")),
        min_size=1,
        max_size=25,
    ),
    st.integers(1, 5),
    st.integers(1, 12),
)
def test_a_study_fills_up_with_hardly_more_raters_than_there_must_be(rows, quota, each):
    items = [
        Item(f"i{i}", "word_intrusion", m, k, hidden={"once": [f"topic {m} {k}", f"intruder {w}"]})
        for i, (m, k, w) in enumerate(rows)
    ]
    settings = Settings(answers_per_item=quota, items_per_rater=each)
    lengths = serving.lengths(ItemSet("word_intrusion", items), settings)
    marks = Counter(mark for item in items for mark in marks_of(item))
    least = max(-(-len(items) * quota // each), quota * max(marks.values()))
    assert sum(lengths) == len(items) * quota
    assert least <= len(lengths) <= least + max(2, least // 3)


def test_no_more_raters_than_may_begin_are_reckoned_and_what_will_be_lacking_is_told():
    items = tl.human.items("word_set_rating", static())
    said = estimate_of(items, Settings(answers_per_item=5, max_raters=2))
    assert (said.raters, said.answers) == (2, 24)
    assert "36 answers will be lacking: there are no raters for the last items" in said.lines


def test_why_more_raters_are_needed_than_the_numbers_say_is_told():
    words = ["find", "tax", "find", "law"]
    items = [
        Item(f"i{k}", "word_intrusion", "lda", k, hidden={"once": [f"topic lda {k}", f"intruder {word}"]})
        for k, word in enumerate(words)
    ]
    lines = estimate_of(ItemSet("word_intrusion", items), Settings(**SETTINGS)).lines
    assert lines[0].startswith("12 answers by about 6 raters, each with 2 items: about 2 minutes a rater")
    assert lines[1].startswith(
        "cost: about £12 (6 × £2.00), which is £48 an hour; not in it: a platform’s fee"
    )
    assert (
        "3 raters would do, but nobody is to see a thing twice, and 2 items share one (intruder find)"
        in lines
    )


def test_a_large_set_is_reckoned_at_once():
    items = [Item(f"i{i}", "word_set_rating", "m", i) for i in range(20_000)]
    settings = Settings(answers_per_item=5, items_per_rater=30)
    assert serving.raters_needed(ItemSet("word_set_rating", items), settings) == 3334


@pytest.mark.parametrize(
    ("task", "unit"),
    [("topic_word_matching", "tokens"), ("topic_intrusion", "documents"), ("word_intrusion", "topics")],
)
def test_what_a_study_finds_is_said_of_what_its_task_counts(task, unit):
    items, settings = extended(task, n=12, k=20), Settings(**SETTINGS)
    assert f"with twice the {unit} " in "".join(estimate_of(items, settings).lines)
    table = power_table_of(items, settings)
    assert table["columns"][1] == f"24 {unit} a model"
    others = {"tokens", "documents", "topics"} - {unit}
    assert not [word for word in others if word in table["read"] + table["heading"]]


def test_answers_that_are_all_alike_are_no_spread_by_which_anything_would_be_found():
    options = tuple("abcdef")
    items = ItemSet(
        "word_intrusion",
        [Item(f"i{k}", "word_intrusion", "lda", k, options=options, key="a") for k in range(4)],
    )
    rows = [
        {"rater": rater, "item": item.id, "task": item.task, "model": item.model, "topic": item.topic,
         "role": "item", "value": {"choice": "a"}, "correct": True}
        for rater in ("R-001", "R-002")
        for item in items
    ]  # fmt: skip
    table = power_table_of(items, Settings(answers_per_item=2), rows)
    assert "in Hoyle et al." in table["sub"]
    assert all(float(cell) > 0 for row in table["rows"] for cell in row["cells"])
