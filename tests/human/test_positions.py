"""Where something stood on the page: kept with each answer, and looked for as a reason of what was said."""

import numpy as np
import pytest

from human.people import items
from tealeaves.human import Answers, Item, ItemSet, score


def pairs(rng, effect, n_items=30, n_raters=8):
    """Labels of pairs that are one higher by ``effect`` where the first topic of the pair stands first."""
    side = {"words": ["oil"], "documents": []}
    made = [
        Item(f"p{k}", "topic_pair_matching", "lda", k, shown={"first": side, "second": side})
        for k in range(n_items)
    ]
    rows = []
    for item in made:
        mean = rng.uniform(0.2, 0.6)
        for r in range(n_raters):
            turned = bool(rng.random() < 0.5)
            high = rng.random() < mean + (0 if turned else effect)
            rows.append(
                {"rater": f"R{r}", "item": item.id, "value": {"label": float(high)}, "turned": turned}
            )
    return Answers.from_rows(rows, ItemSet("topic_pair_matching", made))


def choices(rng, favourite=None, n_items=40, n_raters=10):
    made = items(n_items)
    rows = []
    for item in made:
        for r in range(n_raters):
            order = rng.permutation(6)
            place = (
                favourite
                if favourite is not None and rng.random() < 0.3
                else int(np.flatnonzero(order == 5)[0]) + 1
            )
            choice = item.options[order[place - 1]]
            rows.append({"rater": f"R{r}", "item": item.id, "value": {"choice": choice}, "position": place})
    return Answers.from_rows(rows, made)


def whole(answers, **more):
    found = score(answers, resamples=300, **more).positions
    return found.filter(found["position"].is_null()).to_dicts()[0]


def test_an_effect_of_the_order_of_a_pair_that_was_put_in_comes_out():
    row = whole(pairs(np.random.default_rng(1), 0.3))
    assert row["low"] < 0.3 < row["high"]
    assert row["effect"] == pytest.approx(0.3, abs=0.12)
    assert row["p"] < 0.01


def test_without_an_effect_one_study_in_twenty_finds_one():
    ps = [whole(pairs(np.random.default_rng(seed), 0.0, 12, 5))["p"] for seed in range(60)]
    assert np.mean(np.array(ps) <= 0.05) <= 0.12


def test_a_favourite_place_is_found_and_a_note_says_so():
    answers = choices(np.random.default_rng(2), favourite=3)
    assert whole(answers)["p"] < 0.001
    assert any("some places on the page are chosen more often" in note for note in score(answers, 100).notes)
    rows = score(answers, resamples=100).positions.drop_nulls("position").to_dicts()
    assert max(rows, key=lambda row: row["share"])["position"] == 3
    assert [row["expected"] for row in rows] == pytest.approx([1 / 6] * 6)
    assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_places_drawn_at_random_are_no_finding():
    assert whole(choices(np.random.default_rng(3)))["p"] > 0.01


def test_answers_without_places_have_no_rows():
    rows = [{"rater": "a", "item": "i1", "task": "word_intrusion", "model": "m", "topic": 0, "correct": True}]
    assert len(score(Answers.from_rows(rows), resamples=100).positions) == 0


def test_too_few_answers_are_no_test_and_the_reason_is_said():
    row = whole(choices(np.random.default_rng(4), n_items=2, n_raters=2))
    assert np.isnan(row["p"])
    assert row["reason"] == "fewer than 5 answers are expected at a place"


def test_pairs_that_all_saw_in_one_order_have_no_effect():
    rows = [
        {
            "rater": r,
            "item": "p0",
            "task": "topic_pair_matching",
            "model": "m",
            "value": {"label": 1},
            "turned": False,
        }
        for r in "ab"
    ]
    assert whole(Answers.from_rows(rows))["reason"] == "no pair was shown in both orders"


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_the_order_of_a_pair_comes_back_from_every_file(tmp_path, suffix):
    from tealeaves.human import read_answers

    answers = pairs(np.random.default_rng(5), 0.0, 4, 3)
    answers.save(tmp_path / f"answers{suffix}")
    assert (
        read_answers(tmp_path / f"answers{suffix}").frame["turned"].to_list()
        == answers.frame["turned"].to_list()
    )


def test_the_place_of_a_choice_is_no_side_of_a_pair():
    """A rule about places, or a favourite place, is of choices alone."""
    from tealeaves.human.filters import facts

    told = facts(pairs(np.random.default_rng(6), 0.0, 12, 3))
    assert all(np.isnan(one["position"]) for one in told.values())
