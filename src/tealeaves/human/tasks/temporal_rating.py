"""Temporal rating: how related words are, how smoothly they change (Karakkaparambil James et al. 2024)."""

from collections.abc import Sequence
from typing import Any

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.human import dressing
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import Subject
from tealeaves.human.request import One, Request, Stream, item, once
from tealeaves.human.tasks import temporal


def streams(
    request: Request, *, n_slices: int = 5, n_words: int = 10, slices: Sequence[Any] | None = None
) -> dict[str, Stream]:
    """The first ``n_words`` words of each topic in ``n_slices`` evenly spaced slices, or in those named."""

    def maker(name: str, model: DynamicTopicModel) -> One:
        chosen = temporal.places(model, n_slices, slices)
        tops = model.top_words(n_words)
        labels = [model.slice_labels[t] for t in chosen]

        def one(topic: int, lots: Lots) -> Item | str:
            lists = temporal.words_of(model, tops, chosen, topic, n_words)
            if isinstance(lists, str):
                return lists
            hidden = once(name, [topic])
            return item(request.task, name, topic, shown=temporal.shown(labels, lists), hidden=hidden)

        return one

    return request.per_topic(request.dynamic(), maker)


def obvious(
    task: str,
    subject: Subject,
    rest: Sequence[Subject],
    lots: Lots,
    *,
    n_words: int = 10,
    labels: Sequence[str] = (),
    **_: Any,
) -> Item:
    """Words of an obvious subject that hardly change: one goes and one comes from slice to slice."""
    words = 2 * dressing.words(subject, len(subject.words), lots.of("words"))
    dressing.words(subject, n_words, lots)
    starts = [t % len(subject.words) for t in range(len(labels))]
    lists = [words[start : start + n_words] for start in starts]
    return item(
        task,
        "",
        None,
        shown=temporal.shown(labels, lists),
        hidden={
            "subject": subject.name,
            "expected": {"relatedness": [3], "smoothness": [3]},
            "feedback": f"All the words are about {subject.name}, and only one changes from time to time.",
        },
    )


def control(
    task: str, words: Sequence[str], lots: Lots, *, n_words: int = 10, labels: Sequence[str] = (), **_: Any
) -> Item:
    """Random words, others in each slice: neither related nor smooth."""
    lists = [words[t * n_words : (t + 1) * n_words] for t in range(len(labels))]
    hidden = {"expected": {"relatedness": [1], "smoothness": [1]}}
    return item(task, "", None, shown=temporal.shown(labels, lists), hidden=hidden)


def control_words(*, n_words: int = 10, labels: Sequence[str] = (), **_: Any) -> int:
    """How many random words a control takes."""
    return n_words * len(labels)
