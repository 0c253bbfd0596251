"""Word intrusion: five words of a topic and one that is not of it (Chang et al. 2009)."""

from collections.abc import Sequence
from typing import Any

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
    n_words: int = 5,
    outside: int = 50,
    within: int = 10,
    stemmer: str | None = "english",
    df_factor: float = 2.0,
    never: Sequence[str] = (),
) -> dict[str, Stream]:
    """The ``n_words`` first words of each topic and an intruder, which is the key; see `intruders.Rules`."""
    rules = Rules(outside, within, stemmer, df_factor, never)

    def maker(name: str, model: TopicModel) -> One:
        intruders = Intruders(model, rules, request.corpus_of(model))
        tops = model.top_words(n_words)

        def one(topic: int, lots: Lots) -> Item | str:
            shown = tops[topic]
            if len(shown) < n_words:
                return f"{n_words} words are to be shown, but the topic has {len(shown)}"
            drawn = intruders.draw(topic, shown, lots.of("intruder"), request)
            if isinstance(drawn, str):
                return drawn
            options = lots.of("options").order([*shown, drawn.word])
            hidden = {**drawn.hidden(), **once(name, [topic], [drawn.word])}
            return item(request.task, name, topic, options=tuple(options), key=drawn.word, hidden=hidden)

        return one

    return request.per_topic(request.static(), maker)


def obvious(
    task: str, subject: Subject, rest: Sequence[Subject], lots: Lots, *, n_words: int = 5, **_: Any
) -> Item:
    """Words of an obvious subject and one of another."""
    shown = dressing.words(subject, n_words, lots.of("words"))
    word = lots.of("intruder").one(rest[0].words)
    feedback = f"“{word}” does not belong: the other words are about {subject.name}."
    return item(
        task,
        "",
        None,
        options=tuple(lots.of("options").order([*shown, word])),
        key=word,
        hidden={"subject": subject.name, "intruder": word, "feedback": feedback},
    )
