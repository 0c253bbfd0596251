"""The documents of a topic that people look at: those in which it has the greatest share."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human import snippets
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


class TopDocuments:
    """Documents of one model's topics, with their texts.

    Parameters
    ----------
    model : TopicModel
        Its ``doc_topic`` says which documents.
    corpus : Corpus, optional
        The same documents, with their texts.
    letters : int, optional
        How much of each text is shown; all by default.
    """

    def __init__(self, model: TopicModel, corpus: "Corpus | None", letters: int | None = None) -> None:
        self.model, self.letters = model, letters
        self.corpus = corpus if corpus is not None else model.corpus
        self.lacking = ""
        if model.doc_topic is None:
            self.lacking = "the model has no topics of documents (doc_topic)"
        elif self.corpus is None or self.corpus.texts is None:
            self.lacking = "no corpus with texts was handed over"
        elif len(self.corpus) != len(model.doc_topic):
            raise InputError(
                f"doc_topic of model {model.name!r} has {len(model.doc_topic)} rows, but the corpus has "
                f"{len(self.corpus)} documents: hand over the corpus of those rows"
            )

    def first(self, topic: int, n: int) -> list[dict[str, Any]]:
        """``id``, ``weight``, ``title`` and ``text`` of the topic's first n documents, those with text."""
        if self.lacking or self.model.doc_topic is None:
            return []
        corpus: Any = self.corpus
        column = self.model.doc_topic[:, topic]
        found: list[dict[str, Any]] = []
        for d in np.argsort(-column, kind="stable").tolist():
            if len(found) == n or not column[d] > 0:
                break
            text = snippets.document(corpus.texts[d], self.letters)
            if text["text"]:
                name = corpus.ids[d] if corpus.ids is not None else str(d)
                found.append({"id": name, "weight": float(column[d]), **text})
        return found

    def why_none(self, topic: int) -> str:
        """Why a topic has no documents to show."""
        return self.lacking or "the topic has no share of a document with text"
