"""Word-set rating: how well the words of a topic go together (Newman et al. 2010; Hoyle et al. 2021)."""

from collections.abc import Sequence
from typing import Any

from tealeaves.human import dressing
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import Subject
from tealeaves.human.request import One, Request, Stream, item, once
from tealeaves.model import TopicModel


def streams(request: Request, *, n_words: int = 10) -> dict[str, Stream]:
    """The first ``n_words`` words of each topic, best first."""

    def maker(name: str, model: TopicModel) -> One:
        tops = model.top_words(n_words)

        def one(topic: int, lots: Lots) -> Item | str:
            if len(tops[topic]) < n_words:
                return f"{n_words} words are to be shown, but the topic has {len(tops[topic])}"
            hidden = once(name, [topic])
            return item(request.task, name, topic, shown={"words": tops[topic]}, hidden=hidden)

        return one

    return request.per_topic(request.static(), maker)


def obvious(
    task: str, subject: Subject, rest: Sequence[Subject], lots: Lots, *, n_words: int = 10, **_: Any
) -> Item:
    """Words of an obvious subject, which go together very well."""
    return item(
        task,
        "",
        None,
        shown={"words": dressing.words(subject, n_words, lots.of("words"))},
        hidden={
            "subject": subject.name,
            "expected": {"rating": [3]},
            "feedback": f"These words go together very well: all are about {subject.name}.",
        },
    )


def control(task: str, words: Sequence[str], lots: Lots, *, n_words: int = 10, **_: Any) -> Item:
    """Random words, which do not go together."""
    hidden = {"expected": {"rating": [1]}}
    return item(task, "", None, shown={"words": list(words[:n_words])}, hidden=hidden)


def control_words(*, n_words: int = 10, **_: Any) -> int:
    """How many random words a control takes."""
    return n_words
