"""Temporal word intrusion: a foreign word in one slice (Karakkaparambil James et al. 2024)."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.human import dressing
from tealeaves.human.intruders import Intruders, Rules
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import SHOWN, Subject
from tealeaves.human.request import One, Request, Stream, item, once
from tealeaves.human.tasks import temporal


def streams(
    request: Request,
    *,
    n_slices: int = 5,
    n_words: int = 8,
    slices: Sequence[Any] | None = None,
    outside: int = 50,
    within: int = 10,
    stemmer: str | None = "english",
    df_factor: float = 2.0,
    never: Sequence[str] = (),
) -> dict[str, Stream]:
    """The first ``n_words`` words of each topic in ``n_slices`` slices, one of them replaced in one slice.

    The slice, the word that goes and the word that comes are drawn. The intruder obeys `intruders.Rules` in
    its slice, and neither it nor a word of its stem is among the topic's first ``outside`` in any slice.
    """
    rules = Rules(outside, within, stemmer, df_factor, never)

    def maker(name: str, model: DynamicTopicModel) -> One:
        chosen = temporal.places(model, n_slices, slices)
        labels = [model.slice_labels[t] for t in chosen]
        tops = model.top_words(n_words)
        near = model.top_words(outside)
        corpus = request.corpus_of(model)
        intruders = cache(lambda t: Intruders(model.slice(t), rules, corpus))

        def one(topic: int, lots: Lots) -> Item | str:
            lists = temporal.words_of(model, tops, chosen, topic, n_words)
            if isinstance(lists, str):
                return lists
            at = lots.of("slice").one(range(len(chosen)))
            place = lots.of("place").one(range(n_words))
            shown = sorted({word for words in lists for word in words})
            avoid = sorted({word for slice_ in near for word in slice_[topic]})
            drawn = intruders(chosen[at]).draw(
                topic, lists[at], lots.of("intruder"), request, [*avoid, *shown]
            )
            if isinstance(drawn, str):
                return f"in slice {labels[at]} {drawn}"
            replaced, lists[at][place] = lists[at][place], drawn.word
            options = {word for words in lists for word in words}
            hidden = {
                **drawn.hidden(),
                "slice": labels[at],
                "replaced": replaced,
                "others_in_one_slice": _in_one(lists) - 1,
                **once(name, [topic], [drawn.word]),
            }
            return item(
                request.task,
                name,
                topic,
                options=tuple(lots.of("options").order(options)),
                key=drawn.word,
                shown=temporal.shown(labels, lists),
                hidden=hidden,
            )

        return one

    return request.per_topic(request.dynamic(), maker)


def notes(items: Sequence[Item]) -> list[str]:
    """How many items can be solved without knowing a word: the intruder alone stands in a single slice."""
    alone = sum(item.hidden.get("others_in_one_slice") == 0 for item in items)
    if not alone:
        return []
    return [
        f"in {alone} of {len(items)} items the intruder is the only word that stands in a single slice, "
        "which tells it without its meaning: topics that hardly change are rather for temporal_rating"
    ]


def _in_one(lists: Sequence[Sequence[str]]) -> int:
    """How many words stand in one of the lists only."""
    return sum(n == 1 for n in Counter(word for words in lists for word in set(words)).values())


def patterns(items: Sequence[Item]) -> Sequence[Item]:
    """Those with the fewest different words, of which an obvious subject has not so many."""
    fewest = sorted(items, key=lambda one: len(one.options))
    return [one for one in fewest if len(one.options) <= SHOWN + 1] or fewest[:1]


def obvious(
    task: str,
    subject: Subject,
    rest: Sequence[Subject],
    lots: Lots,
    *,
    like: Item,
    **_: Any,
) -> Item:
    """Words of an obvious subject in every slice, and one of another in one of them.

    Each word stands for one of another item, so that as many come back from slice to slice.
    """
    slices = like.shown["slices"]
    known = dressing.words(subject, len(subject.words), lots.of("words"))
    mine = {w: known[i % len(known)] for i, w in enumerate(w for w in like.options if w != like.key)}
    word = mine[str(like.key)] = lots.of("intruder").one(rest[0].words)
    lists = []
    for part in slices:
        words = list(dict.fromkeys(mine[each] for each in part["words"]))
        lists.append([*words, *(each for each in known if each not in words)][: len(part["words"])])
    labels = [part["label"] for part in slices]
    options = {each for words in lists for each in words}
    return item(
        task,
        "",
        None,
        options=tuple(lots.of("options").order(options)),
        key=word,
        shown=temporal.shown(labels, lists),
        hidden={
            "subject": subject.name,
            "intruder": word,
            "feedback": f"“{word}” does not belong: the other words are about {subject.name}.",
        },
    )
