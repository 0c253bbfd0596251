"""Balanced forms, checks, controls and practice, and prompts."""

import json
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from human.sets import extended, static
from tealeaves.errors import InputError
from tealeaves.human.forms import balanced_forms, marks_of
from tealeaves.human.item_sets import CHOICES, Item, ItemSet
from tealeaves.human.obvious import english

ALL = [*CHOICES, "word_set_rating", "temporal_rating", "topic_pair_matching", "topic_labelling"]
SUBJECTS = {f"s{i}": [f"{letter}{i}word" for letter in "abcdefghijklmno"] for i in range(8)}


def made_up(rows, extras=()):
    """Items of (model, topic, intruder)."""
    items = [
        Item(
            f"i{number}",
            "word_intrusion",
            model,
            topic,
            hidden={"once": [f"topic {model} {topic}", f"intruder {word}"]},
        )
        for number, (model, topic, word) in enumerate(rows)
    ]
    more = [Item(f"x{i}", "word_intrusion", "", None, role=role) for i, role in enumerate(extras)]
    return ItemSet("word_intrusion", [*items, *more])


# Forms


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 5), st.sampled_from("uvwxyz")),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 12),
    st.integers(0, 9),
)
def test_every_item_stands_in_one_form_and_nobody_sees_a_topic_or_an_intruder_twice(rows, size, seed):
    items = made_up(rows)
    forms = balanced_forms(items, size, answers=3, seed=seed)
    assert sorted(name for form in forms for name in form.items) == sorted(item.id for item in items)
    sizes = [len(form.items) for form in forms]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= size
    assert forms.raters == 3 * len(forms)
    for form in forms:
        seen = Counter(mark for name in form.items for mark in marks_of(items.by_id[name]))
        assert not seen or max(seen.values()) == 1
    by_model = defaultdict(list)
    for form in forms:
        for model in "ab":
            by_model[model].append(sum(items.by_id[name].model == model for name in form.items))
    assert all(max(counts) - min(counts) <= 1 for counts in by_model.values())
    fewest = max(Counter(mark for item in items for mark in marks_of(item)).values())
    # as many forms as the commonest topic or intruder has items are always enough for one model (König)
    if len({model for model, _, _ in rows}) == 1:
        assert len(forms) == max(fewest, -(-len(rows) // size))


def test_a_number_of_forms_that_cannot_be_is_refused_with_one_that_can():
    items = made_up([("a", k, word) for k in range(3) for word in ("tax", "law")])
    with pytest.raises(InputError) as caught:
        balanced_forms(items, n_forms=2)
    assert str(caught.value) == (
        "2 forms of 3 items would show somebody a topic or an intruder twice (3 items share intruder tax); "
        "3 forms of at most 2 items do not"
    )
    assert len(balanced_forms(items, n_forms=3)) == 3


def test_checks_and_controls_are_in_every_form_but_not_at_its_beginning_and_practice_in_none():
    items = made_up([("a", k, f"w{k}") for k in range(12)], ["check", "check", "control", "practice"])
    for form in balanced_forms(items, 6):
        places = [i for i, name in enumerate(form.items) if name.startswith("x")]
        assert {form.items[i] for i in places} == {"x0", "x1", "x2"}
        assert min(places) > 0
        assert min(np.diff(places)) > 1


def test_forms_are_those_of_their_seed():
    items = made_up([("a", k, f"w{k}") for k in range(12)])
    assert balanced_forms(items, 4, seed=1) == balanced_forms(items, 4, seed=1)
    assert balanced_forms(items, 4, seed=1) != balanced_forms(items, 4, seed=2)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "say either how many"),
        ({"size": 2, "n_forms": 2}, "say either how many"),
        ({"size": 0}, "must be at least 1"),
        ({"n_forms": 9}, "9 forms need as many items; there are 2"),
    ],
)
def test_a_mistake_about_forms_is_told(given, reason):
    with pytest.raises(InputError, match=reason):
        balanced_forms(made_up([("a", 0, "x"), ("a", 1, "y")]), **given)


def test_items_of_a_real_set_are_parted_by_topic_and_intruder():
    made = tl.human.items("word_intrusion", [static(20), static(14)], checks=2, seed=1)
    forms = tl.human.balanced_forms(made, 10)
    assert len(forms) >= 4
    for form in forms:
        keys = [made.by_id[name].key for name in form.items if made.by_id[name].role == "item"]
        assert len(set(keys)) == len(keys)


# Checks, controls, practice


@pytest.mark.parametrize("task", ALL)
def test_checks_and_practice_items_are_like_the_others_and_told_by_nothing_that_is_shown(task):
    made = extended(task, checks=4, practice=2)
    roles = [item.role for item in made]
    assert roles == ["item"] * (len(made) - 6) + ["check"] * 4 + ["practice"] * 2
    plain = made[0]
    subjects = [item.hidden["subject"] for item in made if item.role != "item"]
    assert len(set(subjects)) == 6
    for item in made[-6:]:
        assert set(item.shown) == set(plain.shown)
        assert bool(item.options) == bool(plain.options)
        assert item.key is not None or item.hidden["expected"]
        assert item.hidden["feedback"]
        assert (item.model, item.topic) == ("", None)
    if task in CHOICES:
        assert all(item.key in item.options for item in made)


def shape(item):
    """What of an item can be counted or measured, whatever it says: by name, numbers."""
    found = {"options": [len(item.options)]}
    for option in item.options:
        found.setdefault("words of an option", []).append(len(option.replace(",", "").split()))

    def walk(name, value):
        if isinstance(value, dict):
            for key, part in value.items():
                walk(f"{name} {key}", part)
        elif isinstance(value, list):
            found.setdefault(f"number of {name}", []).append(len(value))
            for part in value:
                walk(name, part)
        elif not name.endswith(("words", "word", "label")):
            found.setdefault(f"letters of {name}", []).append(len(value))
            found.setdefault(f"paragraphs of {name}", []).append(value.count("\n\n"))
            found.setdefault(f"goes on: {name}", []).append(value.startswith("…") + 2 * value.endswith("…"))

    walk("shown", item.shown)
    return found


CONTROLLED = ("word_set_rating", "temporal_rating", "topic_labelling")


@pytest.mark.parametrize("task", ALL)
def test_checks_controls_and_practice_are_as_many_and_as_long_in_everything_as_what_counts(task):
    few = {"n_slices": 3, "n_words": 4}  # else an item of this model has 40 words, and a subject 15
    more = few if task == "temporal_word_intrusion" else {}
    made = extended(task, checks=6, practice=3, controls=3 if task in CONTROLLED else 0, **more)
    counted = [shape(item) for item in made if item.role == "item"]
    assert len(counted) >= 4
    low, high = {}, {}
    for name in set().union(*counted):
        every = [number for one in counted for number in one.get(name, [])]
        low[name], high[name] = min(every), max(every)
    for item in made:
        if item.role == "item":
            continue
        mine = shape(item)
        assert set(mine) <= set(low), item.role
        for name, numbers in mine.items():
            a_word = 15 if name.startswith("letters") else 0  # texts are cut between words
            assert low[name] - a_word <= min(numbers), (item.role, name)
            assert max(numbers) <= high[name] + a_word, (item.role, name)


def test_checks_that_can_be_told_by_their_number_of_words_are_noted():
    many, few = (
        extended("temporal_word_intrusion", checks=1),
        extended("temporal_word_intrusion", n_words=3, checks=1),
    )
    assert [
        note for note in many.notes if note.startswith("checks and practice items show 16 different words")
    ]
    assert not [note for note in few.notes if note.startswith("checks")]


def test_a_check_of_topics_with_documents_has_documents_of_its_subject():
    check = next(item for item in extended("topic_labelling", checks=1) if item.role == "check")
    subject = next(one for one in english() if one.name == check.hidden["subject"])
    texts = [part["text"] for part in check.shown["documents"]]
    assert len(set(texts)) == len(texts) == 5
    assert all(any(word in text.lower() for word in subject.words) for text in texts)


def test_without_documents_neither_items_nor_checks_have_any():
    made = tl.human.items("topic_labelling", static(), checks=2, controls=2)
    assert {len(item.shown["documents"]) for item in made} == {0}


def test_a_control_has_documents_that_no_item_shows():
    made = extended("topic_labelling", controls=2)
    of_items = {part["text"] for item in made if item.role == "item" for part in item.shown["documents"]}
    for control in made[-2:]:
        texts = {part["text"] for part in control.shown["documents"]}
        assert len(texts) == 5
        assert not texts & of_items


def test_the_text_of_a_check_names_every_subject_that_it_is_said_to_be_about():
    words = {one.name: one.words for one in english()}
    for check in extended("topic_intrusion", checks=8)[-8:]:
        assert check.role == "check"
        about, _, foreign = check.hidden["feedback"].partition(". Nothing in it is about ")
        text = check.shown["text"].lower()
        for name in about.removeprefix("The text is about ").split(", "):
            assert any(word in text for word in words[name])
        assert not any(f" {word} " in text for word in words[foreign.rstrip(".")])


def test_subjects_with_too_few_words_for_a_task_are_refused():
    with pytest.raises(InputError, match=r"20 words of a topic, but the obvious subject .* has 15"):
        tl.human.items("word_set_rating", static(), n_words=20, checks=1)


def test_models_of_which_no_item_can_be_made_have_no_checks():
    why = r"no topic has a valid item of word_set_rating, such as .* 0: 10 words are"
    with pytest.raises(InputError, match=why):
        tl.human.items("word_set_rating", tl.TopicModel.from_words([["a", "b"]]), checks=1)


@pytest.mark.parametrize("task", ["word_set_rating", "temporal_rating", "topic_labelling"])
def test_controls_are_random_words_of_the_models_without_one_stem_twice(task):
    made = extended(task, controls=3)
    words = set(static().vocabulary)
    for item in made[-3:]:
        assert item.role == "control"
        shown = [word for part in item.shown.get("slices", [item.shown]) for word in part["words"]]
        assert set(shown) <= words
        assert len(set(shown)) == len(shown)
        assert set(item.hidden["expected"]) <= {"rating", "relatedness", "smoothness", "none"}
    assert made[-1].shown != made[-2].shown


def test_a_random_topic_takes_at_most_one_word_more_of_one_topic_than_of_another():
    lists = [[f"{a}{b}" for b in "klmnopqrstuv"] for a in "abcde"]
    control = tl.human.items("word_set_rating", tl.TopicModel.from_words(lists), controls=1)[-1]
    assert Counter(word[0] for word in control.shown["words"]) == dict.fromkeys("abcde", 2)


def test_what_is_obvious_may_be_in_another_language():
    made = tl.human.items("word_intrusion", static(), checks=3, obvious=SUBJECTS)
    words = {word for words in SUBJECTS.values() for word in words}
    assert all(set(item.options) <= words for item in made[-3:])


@pytest.mark.parametrize(
    ("task", "obvious", "reason"),
    [
        ("word_intrusion", {"a": ["b"]}, "'a' needs 15 different words"),
        ("word_intrusion", {"a": SUBJECTS["s0"]}, "at least 8 obvious subjects are needed; got 1"),
        (
            "word_intrusion",
            {**SUBJECTS, "s0": {"words": SUBJECTS["s0"], "text": "x", "word": "y"}},
            "does not hold",
        ),
        (
            "word_intrusion",
            {name: {"words": words, "near": [*SUBJECTS][:6]} for name, words in SUBJECTS.items()},
            "4 obvious subjects must not be near",
        ),
        ("topic_word_matching", SUBJECTS, "shows texts, which obvious= needs"),
    ],
)
def test_subjects_that_are_not_obvious_are_refused(task, obvious, reason):
    with pytest.raises(InputError, match=reason):
        extended(task, checks=1, obvious=obvious)


def test_no_word_of_the_english_subjects_is_of_two_of_them():
    words = Counter(word for subject in english() for word in subject.words)
    assert max(words.values()) == 1
    names = {subject.name for subject in english()}
    assert all(set(subject.near) <= names for subject in english())
    for subject in english():  # a text says nothing of a subject that may intrude upon it
        others = {w for s in english() if s.name not in (subject.name, *subject.near) for w in s.words}
        assert not others & set(subject.text.lower().replace(".", "").replace(",", "").split())


# Prompts


def test_prompts_show_what_a_person_sees_and_neither_key_nor_source(tmp_path):
    for task in (
        "word_intrusion",
        "topic_intrusion",
        "topic_pair_matching",
        "topic_labelling",
        "temporal_rating",
    ):
        made = extended(task, checks=2, practice=1)
        prompts = made.prompts(tmp_path / "prompts.jsonl")
        assert [
            json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text("utf-8").splitlines()
        ] == prompts
        assert [one["id"] for one in prompts] == [item.id for item in made if item.role != "practice"]
        for one, item in zip(prompts, made, strict=False):
            assert set(one) == {"id", "prompt", "choices" if item.options else "answer_form"}
            if item.options:
                assert tuple(one["choices"].values()) == item.options
            for word in [*item.options, *item.shown.get("words", ())]:
                assert word in one["prompt"]
            assert "lda" not in one["prompt"]


def test_a_prompt_marks_the_word_and_numbers_the_slices():
    item = Item(
        "i1",
        "topic_word_matching",
        "m",
        0,
        options=("a, b", "c, d"),
        shown={"before": "the ", "word": "oil", "after": " price"},
    )
    assert "the *oil* price" in ItemSet("topic_word_matching", [item]).prompts()[0]["prompt"]
    shown = {
        "slices": [{"label": "1990", "words": ["oil", "gas"]}, {"label": "1991", "words": ["oil", "tax"]}]
    }
    item = Item("i1", "temporal_rating", "m", 0, shown=shown)
    assert "1990: oil, gas\n1991: oil, tax" in ItemSet("temporal_rating", [item]).prompts()[0]["prompt"]
