"""Word-set intrusion: sets of words of one topic and a set of another (Ying, Montgomery and Stewart 2022)."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from tealeaves.errors import InputError
from tealeaves.human import dressing
from tealeaves.human.intruders import Intruders, Rules
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import Subject
from tealeaves.human.request import One, Request, Stream, item, once
from tealeaves.model import TopicModel


def streams(
    request: Request,
    *,
    n_words: int = 4,
    n_sets: int = 3,
    top: int = 20,
    outside: int = 50,
    stemmer: str | None = "english",
    df_factor: float = 2.0,
    never: Sequence[str] = (),
) -> dict[str, Stream]:
    """``n_sets`` sets of ``n_words`` words, drawn from the topic's first ``top``, and one of another topic's.

    Every word of the intruding set is an intruder by the rules of `intruders.Rules`, with ``within=top``.
    """
    if n_sets < 2 or n_words < 1 or n_sets * n_words > top:
        raise InputError(f"{n_sets} sets of {n_words} words cannot be drawn from a topic's first {top}")
    rules = Rules(outside, top, stemmer, df_factor, never)

    def maker(name: str, model: TopicModel) -> One:
        intruders = Intruders(model, rules, request.corpus_of(model))
        tops = model.top_words(top)

        def one(topic: int, lots: Lots) -> Item | str:
            if len(tops[topic]) < n_sets * n_words:
                return f"{n_sets * n_words} words are to be shown, but the topic has {len(tops[topic])}"
            drawn = lots.of("words").order(tops[topic])[: n_sets * n_words]
            found = intruders.candidates(topic, drawn)
            if isinstance(found, str):
                return found
            by_topic: dict[int, list[str]] = defaultdict(list)
            for word in found:
                for _, other in intruders.places(word):
                    if other != topic:
                        by_topic[other].append(word)
            fresh = {k: words for k in by_topic if len(words := _unused(request, by_topic[k])) >= n_words}
            by_topic = fresh or by_topic
            enough = [other for other, words in by_topic.items() if len(words) >= n_words]
            if not enough:
                most = max(map(len, by_topic.values()))
                return f"no intruding set, since no other topic has more than {most} of {n_words} words"
            other = lots.of("topic").one(enough)
            foreign = lots.of("intruders").order(by_topic[other])[:n_words]
            request.use(foreign)
            sets = [" ".join(drawn[i : i + n_words]) for i in range(0, len(drawn), n_words)]
            key = " ".join(foreign)
            if len({*sets, key}) <= n_sets:
                return "two of the sets read alike"
            return item(
                request.task,
                name,
                topic,
                options=tuple(lots.of("options").order([*sets, key])),
                key=key,
                hidden={
                    "intruder": foreign,
                    "intruder_topic": other,
                    "intruder_documents": intruders.documents(foreign),
                    "shown_documents": intruders.documents(drawn),
                    "candidates": len(found),
                    **once(name, [topic], foreign),
                },
            )

        return one

    return request.per_topic(request.static(), maker)


def _unused(request: Request, words: Sequence[str]) -> list[str]:
    """Those that no item has so far."""
    least = request.least_used(words)
    return least if not request.used[f"intruder {least[0].casefold()}"] else []


def obvious(
    task: str,
    subject: Subject,
    rest: Sequence[Subject],
    lots: Lots,
    *,
    n_words: int = 4,
    n_sets: int = 3,
    **_: Any,
) -> Item:
    """Sets of an obvious subject and one of another."""
    drawn = dressing.words(subject, n_sets * n_words, lots.of("words"))
    sets = [" ".join(drawn[i : i + n_words]) for i in range(0, len(drawn), n_words)]
    key = " ".join(dressing.words(rest[0], n_words, lots.of("intruders")))
    return item(
        task,
        "",
        None,
        options=tuple(lots.of("options").order([*sets, key])),
        key=key,
        hidden={
            "subject": subject.name,
            "feedback": f"“{key}” does not belong: the other sets are about {subject.name}.",
        },
    )
