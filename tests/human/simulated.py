"""Studies with raters of known ability, written straight into the database, for tests of pages and files."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import insert, select, update

from tealeaves.human.app.assignment import end, place
from tealeaves.human.app.store import Store
from tealeaves.human.app.tables import answers, assignments, platform_ids, raters
from tealeaves.human.item_sets import Item, ItemSet
from tealeaves.human.study import Study

RULES = {"checks": 0.75, "speed": 0.33, "position": 0.7}
WORDS = (
    "oil gas crude barrel opec energy wheat corn grain export bank rate loan market money ship port strike"
)


@dataclass(frozen=True)
class Rater:
    """How one works: how often the odd word is found, how fast, at which place always, checks right."""

    ability: float = 0.8
    seconds: float = 11.0
    place: int | None = None
    checks: float = 1.0
    share: float = 1.0  # of the items that are answered before leaving
    leaves: str = "completed"


def word_items(models=("lda", "nmf"), topics=12, checks=4, seed=0, odd=()):
    """Items of word intrusion of plain words, with check items; ``odd`` replaces words of the first."""
    rng = np.random.default_rng(seed)
    words = WORDS.split()
    made = []
    for m, model in enumerate(models):
        for topic in range(topics):
            shown = [f"{word}{topic}" for word in rng.choice(words, 5, replace=False)]
            intruder = f"odd{m}x{topic}"
            if odd and not made:
                shown[: len(odd)] = odd
            options = [str(word) for word in rng.permutation([*shown, intruder])]
            hidden = {"intruder": intruder, "from_topic": int((topic + 1) % topics), "rank": 300 + topic}
            made.append(("item", model, topic, options, intruder, hidden))
    for c in range(checks):
        options = [
            str(w) for w in rng.permutation(["apple", "pear", "plum", "cherry", "grape", f"engine{c}"])
        ]
        made.append(("check", "", None, options, f"engine{c}", {"intruder": f"engine{c}"}))
    return ItemSet(
        "word_intrusion",
        [
            Item(f"i{n:04d}", "word_intrusion", model, topic, role, tuple(options), key, {}, hidden)
            for n, (role, model, topic, options, key, hidden) in enumerate(made, start=1)
        ],
        seed=seed,
        settings={"models": [{"name": name, "topics": topics, "fingerprint": "0" * 64} for name in models]},
        without=[(models[0], topics, "no word is outside its top 50 and in the top words of another topic")],
    )


def study(folder, items=None, people=(), state="live", seed=0, started=None, **settings):
    """A study with these raters; returns it and its store."""
    given = {
        "title": "Simulated topics",
        "answers_per_item": 13,
        "items_per_rater": 20,
        "rules": RULES,
        **settings,
    }
    made = Study.create(Path(folder), word_items() if items is None else items, **given)
    (made.folder / "secret").write_text(f"{seed + 7:064x}\n")  # the same raters get the same items each time
    if state != "draft":
        made = made.move("pilot" if state == "pilot" else "live")
    store = Store.open(made)
    answer(made, store, people, seed, started)
    if state in ("paused", "closed"):
        made = made.move(state)
    return made, store


def crowd(n=12, seed=0):
    """Good raters, one of them still at work and one who withdrew; and three whom rules should find."""
    rng = np.random.default_rng(seed)
    good = [Rater(float(rng.uniform(0.65, 0.95)), float(rng.uniform(7, 16))) for _ in range(n)]
    bad = [Rater(0.17, 9.0, checks=0.2), Rater(0.3, 1.5), Rater(0.17, 5.0, place=3, checks=0.9)]
    gone = [Rater(share=0.2, leaves="withdrew"), Rater(share=0.5, leaves="working")]
    return [*good[:4], *bad, *good[4:], *gone]


def answer(made, store, people, seed=0, started=None, first=1):
    """Let these people answer, one after the other."""
    rng = np.random.default_rng(seed)
    now = time.time() - 3600 * 5 if started is None else started
    by_id = made.items.by_id
    for number, person in enumerate(people, start=first):
        with store.writing() as connection:
            row = {
                "study_id": store.study_id, "number": number, "phase": made.phase,
                "resume_hash": f"{number:064d}", "stop": "keep", "created_at": now,
                "seen_at": now, "screened_at": now, "instructed_at": now,
                "quiz_tries": 1, "quiz_at": now, "lease_until": time.time() + 1800,
            }  # fmt: skip
            key = connection.execute(insert(raters).values(row)).inserted_primary_key[0]
            about = {
                "rater_id": key,
                "platform": "prolific",
                "external": f"person{number:08d}",
                "details": "{}",
            }
            connection.execute(insert(platform_ids).values(about))
            rater = connection.execute(select(raters).where(raters.c.id == key)).one()
            if not place(made, store, connection, rater, now):
                end(store, connection, key, "full", now, erase=False)
                continue
            given = connection.execute(
                select(assignments)
                .where(assignments.c.rater_id == key, assignments.c.series == "items")
                .order_by(assignments.c.position)
            ).all()
            at = now
            for one in given[: round(person.share * len(given))]:
                item, order = by_id[one.item], json.loads(one.order)
                took = float(person.seconds * rng.lognormal(0, 0.3))
                at += took
                value = {"choice": _choice(item, order, person, rng), "familiarity": "most"}
                saved = {
                    "assignment_id": one.id, "revision": 1, "key": f"k{one.id}", "change": 0,
                    "value": json.dumps(value), "seconds": took, "saved_at": at,
                }  # fmt: skip
                connection.execute(insert(answers).values(saved))
                connection.execute(
                    update(assignments).where(assignments.c.id == one.id).values(state="done", done_at=at)
                )
            if person.leaves != "working":
                end(store, connection, key, person.leaves, at, erase=False)
        now += 60


def say(made, store, number, values):
    """Let one rater say this of these items: values by item."""
    now = time.time()
    with store.writing() as connection:
        row = {
            "study_id": store.study_id, "number": number, "phase": made.phase,
            "resume_hash": f"{number:064d}", "stop": "keep", "created_at": now, "seen_at": now,
            "quiz_tries": 0, "lease_until": now, "ended": "completed", "ended_at": now,
        }  # fmt: skip
        rater = connection.execute(insert(raters).values(row)).inserted_primary_key[0]
        for position, (item, value) in enumerate(values.items(), start=1):
            given = {
                "study_id": store.study_id, "rater_id": rater, "phase": made.phase, "item": item,
                "role": "item", "series": "items", "position": position, "order": "[]",
                "state": "done", "given_at": now,
            }  # fmt: skip
            key = connection.execute(insert(assignments).values(given)).inserted_primary_key[0]
            saved = {
                "assignment_id": key, "revision": 1, "key": f"k{key}", "change": 0,
                "value": json.dumps(value), "seconds": 20.0, "saved_at": now,
            }  # fmt: skip
            connection.execute(insert(answers).values(saved))


def ease(item):
    """How much of a rater's ability an item leaves: every sixth topic is nearly guessing, etm is harder."""
    if item.role != "item":
        return 1.0
    return (0.25 if item.topic % 6 == 5 else 1.0) * {"etm": 0.8, "mallet": 0.95}.get(item.model, 1.0)


def _choice(item, order, person, rng):
    chance = person.checks if item.role == "check" else person.ability
    if person.place is not None and item.role == "item":
        return item.options[order[person.place - 1]]
    if rng.random() < chance * ease(item):
        return item.key
    return str(rng.choice([option for option in item.options if option != item.key]))
