"""Which items the next rater gets, and how many raters that makes: pure, for the server and for estimates."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tealeaves.human.forms import marks_of

if TYPE_CHECKING:
    from tealeaves.human.item_sets import Item, ItemSet
    from tealeaves.human.study import Settings

PATIENCE = 3_000_000  # items looked at while raters are tried out: seconds; beyond that they are reckoned

# What no rater meets twice, as methods and the organiser's page say it.
ONCE = {
    "word_intrusion": "never one topic nor one intruder twice",
    "word_set_intrusion": "never one topic nor one intruding word twice",
    "temporal_word_intrusion": "never one topic nor one intruder twice",
    "topic_intrusion": "never one document nor one intruding topic twice",
    "topic_word_matching": "never one document twice",
    "word_set_rating": "never one topic twice",
    "temporal_rating": "never one topic twice",
    "topic_labelling": "never one topic twice",
    "topic_pair_matching": "never one pair twice, while a topic may come back in another pair",
}


class Turn(NamedTuple):
    """What the next rater is to get: how many items at most, and which marks must be among them."""

    n: int
    pressing: frozenset[str]
    raters: int


def turn(items: Iterable["Item"], taken: Mapping[str, int], quota: int, each: int) -> Turn:
    """How many items the next rater gets, so that as few raters as can be are needed, all of about as many.

    Nobody may see two items of one mark (a topic, an intruder, a document), so that as many raters are
    needed as the commonest mark still wants answers. What every rater to come must take is pressing.

    Examples
    --------
    >>> from tealeaves.human.item_sets import Item
    >>> items = [
    ...     Item(f"i{k}", "word_intrusion", "lda", k, hidden={"once": [f"topic {k}", f"intruder {word}"]})
    ...     for k, word in enumerate(["find", "tax", "find", "law", "goal"])
    ... ]
    >>> turn(items, {}, quota=3, each=40)
    Turn(n=3, pressing=frozenset({'intruder find'}), raters=6)
    """
    lacking, total = Counter[str](), 0
    for item in items:
        if (wanted := quota - taken.get(item.id, 0)) > 0:
            total += wanted
            lacking.update(dict.fromkeys((*marks_of(item), item.id), wanted))
    if not total:
        return Turn(0, frozenset(), 0)
    raters = max(-(-total // each), *lacking.values())
    return Turn(-(-total // raters), frozenset(m for m, n in lacking.items() if n >= raters), raters)


def choose(
    candidates: Iterable["Item"],
    n: int,
    taken: Mapping[str, int],
    seen: Iterable["Item"] = (),
    lot: "Callable[[Item], float]" = lambda _: 0.0,
    pressing: Collection[str] = (),
) -> list["Item"]:
    """At most n items: those with the fewest raters first, models in turn, and no mark twice.

    Parameters
    ----------
    candidates : iterable of Item
        What may be chosen.
    n : int
        How many are wanted.
    taken : mapping
        How many raters have each item, by id.
    seen : iterable of Item
        What the rater has seen: nothing with a mark of these (`forms.marks_of`) is chosen.
    lot : callable
        Decides between items that are equal otherwise.
    pressing : collection of str
        Marks, or ids, of items that go before all others: see `turn`.

    Examples
    --------
    >>> from tealeaves.human.item_sets import Item
    >>> a, b, c = (Item(f"i{i}", "word_intrusion", "lda", topic, hidden={"once": [f"topic lda {topic}"]})
    ...            for i, topic in enumerate([0, 0, 1]))
    >>> [item.id for item in choose([a, b, c], 3, {"i0": 2, "i1": 1, "i2": 1})]
    ['i1', 'i2']
    """
    marks = {mark for item in seen for mark in marks_of(item)}
    waiting: dict[tuple[bool, int], dict[str, list[tuple[float, Item]]]] = {}
    for item in candidates:
        later = item.id not in pressing and marks_of(item).isdisjoint(pressing)
        models = waiting.setdefault((later, taken.get(item.id, 0)), {})
        models.setdefault(item.model, []).append((lot(item), item))
    had: Counter[str] = Counter()
    chosen: list[Item] = []
    for _, models in sorted(waiting.items()):
        queues = {model: sorted(some, key=lambda pair: pair[0])[::-1] for model, some in models.items()}
        while queues and len(chosen) < n:
            model = min(queues, key=lambda name: (had[name], queues[name][-1][0]))
            _, item = queues[model].pop()
            if not queues[model]:
                del queues[model]
            if marks.isdisjoint(marks_of(item)):
                chosen.append(item)
                had[model] += 1
                marks |= marks_of(item)
    return chosen


def extras(items: Iterable["Item"], settings: "Settings") -> list["Item"]:
    """Practice, check and control items: each rater gets the same number."""
    found: list[Item] = []
    for role, most in (
        ("practice", settings.practice),
        ("check", settings.checks),
        ("control", settings.controls),
    ):
        found += [item for item in items if item.role == role][:most]
    return found


def most_items(items: "ItemSet", settings: "Settings") -> int:
    """How many counted items any rater gets at most: what may be promised before the first one begins."""
    return turn(_counted(items), {}, settings.answers_per_item, settings.items_per_rater).n


def lengths(items: "ItemSet", settings: "Settings") -> tuple[int, ...]:
    """How many counted items each rater gets, one after the other, until the study is full: by trying it out.

    All of them finish; who leaves gives his items to others, who come on top.
    """
    seen = tuple(item.id for item in extras(items, settings) if item.role != "practice" and marks_of(item))
    quota, each, fewest = settings.answers_per_item, settings.items_per_rater, settings.fewest_items
    found = _lengths(items, seen, quota, each, fewest)
    return found[: settings.max_raters]


def raters_needed(items: "ItemSet", settings: "Settings") -> int:
    """How many raters it takes if all of them finish."""
    return len(lengths(items, settings))


def shared(items: "ItemSet") -> tuple[str, int]:
    """What most items share that nobody may see twice, and how many do."""
    times = Counter(mark for item in _counted(items) for mark in marks_of(item))
    return max(times.items(), key=lambda one: (one[1], one[0]), default=("", 0))


@lru_cache(maxsize=64)
def _lengths(items: "ItemSet", seen: tuple[str, ...], quota: int, each: int, fewest: int) -> tuple[int, ...]:
    counted = _counted(items)
    first = turn(counted, {}, quota, each)
    if len(counted) * first.raters > PATIENCE:
        return tuple(_even(len(counted) * quota, first.raters))
    draw = random.Random(0)
    taken: Counter[str] = Counter()
    found: list[int] = []
    while True:
        now = turn(counted, taken, quota, each)
        lots = {item.id: draw.random() for item in counted}
        chosen = choose(
            [item for item in counted if taken[item.id] < quota],
            min(now.n, first.n),
            taken,
            [items.by_id[name] for name in seen],
            lambda item, lots=lots: lots[item.id],  # type: ignore[misc]
            now.pressing,
        )
        if len(chosen) < max(1, min(fewest, first.n)):
            return tuple(found)
        taken.update(item.id for item in chosen)
        found.append(len(chosen))


def _counted(items: Iterable["Item"]) -> Sequence["Item"]:
    return [item for item in items if item.role == "item"]


def _even(total: int, raters: int) -> list[int]:
    return [total // raters + (i < total % raters) for i in range(raters)]
