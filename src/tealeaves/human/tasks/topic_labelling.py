"""Topic labelling: what is this topic about, in the rater's own words?"""

from collections.abc import Sequence
from typing import Any

from tealeaves.human import dressing
from tealeaves.human.documents import TopDocuments
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.obvious import Subject
from tealeaves.human.request import One, Request, Stream, item, once
from tealeaves.model import TopicModel


def streams(
    request: Request, *, n_words: int = 10, n_documents: int = 5, letters: int | None = 600
) -> dict[str, Stream]:
    """The first words of each topic, and where texts and topics of documents are known, its first documents.

    Parameters
    ----------
    n_words : int
        Words shown; a topic with fewer is shown with those.
    n_documents : int
        Documents shown, those in which the topic has the greatest share first.
    letters : int or None
        How much of the text of each is shown; all if None.
    """

    def maker(name: str, model: TopicModel) -> One:
        tops = model.top_words(n_words)
        documents = TopDocuments(model, request.corpus, letters)

        def one(topic: int, lots: Lots) -> Item | str:
            if not tops[topic]:
                return "the topic has no words"
            found = documents.first(topic, n_documents)
            shown = {
                "words": tops[topic],
                "documents": [{"title": d["title"], "text": d["text"]} for d in found],
            }
            hidden = {
                "documents": [d["id"] for d in found],
                "no_documents": "" if found else documents.why_none(topic),
                **once(name, [topic]),
            }
            return item(request.task, name, topic, shown=shown, hidden=hidden)

        return one

    return request.per_topic(request.static(), maker)


def obvious(
    task: str, subject: Subject, rest: Sequence[Subject], lots: Lots, *, like: Item, **_: Any
) -> Item:
    """Words of an obvious subject, for which there is a name."""
    return item(
        task,
        "",
        None,
        shown={
            "words": dressing.words(subject, len(like.shown["words"]), lots.of("words")),
            "documents": dressing.documents(like.shown["documents"], subject, lots),
        },
        hidden={
            "subject": subject.name,
            "expected": {"none": [False]},
            "feedback": f"A good name is “{subject.name}”: it says what all the words share, and no more.",
        },
    )


def control(
    task: str,
    words: Sequence[str],
    lots: Lots,
    *,
    like: Item,
    request: Request,
    made: Sequence[Item],
    **_: Any,
) -> Item:
    """Random words and random documents, for which there is no name."""
    shown = {
        "words": list(words[: len(like.shown["words"])]),
        "documents": dressing.unshown(like.shown["documents"], request, made, lots.of("documents")),
    }
    return item(task, "", None, shown=shown, hidden={"expected": {"none": [True]}})


def control_words(*, n_words: int = 10, **_: Any) -> int:
    """How many random words a control takes."""
    return n_words
