"""Gibbs sampling with tomotopy: a corpus in, a model with token topics out."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.fit._matrix import Progress, in_all_documents, word_texts
from tealeaves.model import TopicModel
from tealeaves.scaling import rows_to_one

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

STEP = 10  # sweeps between two calls of a progress callback


def train(trainer: Any, corpus: "Corpus", iterations: int, name: str, progress: Progress | None) -> list[int]:
    """Hand the corpus over and sweep over it; the documents that tomotopy took (those with words)."""
    given, texts = word_texts(corpus)
    for text in texts:
        trainer.add_doc(text)
    callback = {}
    if progress is not None:
        said = progress

        def tell(_: Any, done: int, total: int) -> None:
            said(f"fitting {name}", done, total)

        callback = {"callback": tell, "callback_interval": STEP}
    # One thread: with more, the same seed would give another model each time.
    trainer.train(iterations, workers=1, show_progress=False, **callback)
    return given


def fitted(
    trainer: Any,
    corpus: "Corpus",
    given: list[int],
    *,
    name: str,
    alpha: float | None,
    eta: float,
    source: str,
) -> TopicModel:
    """The last state of an LDA: topics, those of documents and of tokens, and both priors.

    Without ``alpha`` the prior of topics is what the trainer learnt.
    """
    topic_word = np.zeros((trainer.k, len(corpus.vocabulary)))
    columns = [int(word) for word in trainer.used_vocabs]
    topic_word[:, columns] = [trainer.get_topic_word_dist(topic) for topic in range(trainer.k)]
    # a word that no document has is as likely as its prior says, not impossible
    unused = np.setdiff1d(np.arange(topic_word.shape[1]), columns)
    counts = np.asarray(trainer.get_count_by_topics(), dtype=np.float64)
    topic_word[:, unused] = (eta / (counts + eta * len(columns)))[:, None]
    prior = np.asarray(trainer.alpha if alpha is None else [alpha] * trainer.k, dtype=np.float64)
    rows = np.array([document.get_topic_dist() for document in trainer.docs], dtype=np.float64)
    known = corpus.tokens >= 0
    assignments = np.full(len(corpus.tokens), -1, dtype=np.int32)
    assignments[known] = np.concatenate([document.topics for document in trainer.docs])
    return TopicModel(
        corpus.vocabulary,
        topic_word=rows_to_one(topic_word),  # tomotopy counts in float32
        doc_topic=rows_to_one(in_all_documents(rows, given, len(corpus), prior / prior.sum())),
        assignments=assignments,
        alpha=prior,
        eta=eta,
        name=name,
        corpus=corpus,
        source=source,
    )
