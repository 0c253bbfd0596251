"""Reference-topic curation: model topics to be inspected, cleaned and named (Korenčić et al. 2021)."""

from tealeaves.human.documents import TopDocuments
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.request import One, Request, Stream, item, once
from tealeaves.model import TopicModel


def streams(
    request: Request, *, n_words: int = 50, n_documents: int = 15, letters: int | None = None
) -> dict[str, Stream]:
    """Each topic with its first words and documents and their weights: what a curator ticks.

    Parameters
    ----------
    n_words, n_documents : int
        How many of each.
    letters : int or None
        How much of the text of each document is shown; by default all of it.
    """

    def maker(name: str, model: TopicModel) -> One:
        tops = model.top_words(n_words)
        index = {word: i for i, word in enumerate(model.vocabulary)}
        documents = TopDocuments(model, request.corpus, letters)

        def one(topic: int, lots: Lots) -> Item | str:
            words = tops[topic]
            if not words:
                return "the topic has no words"
            weights = None
            if model.topic_word is not None:
                row = model.topic_word[topic]
                total = float(row.sum()) if (row >= 0).all() else 1.0
                weights = [float(row[index[word]]) / (total or 1.0) for word in words]
            found = documents.first(topic, n_documents)
            return item(
                request.task,
                name,
                topic,
                shown={"words": words, "weights": weights, "documents": found},
                hidden={"no_documents": "" if found else documents.why_none(topic), **once(name, [topic])},
            )

        return one

    return request.per_topic(request.static(), maker)
