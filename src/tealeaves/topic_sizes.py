"""How large reference topics are: in how many documents of a corpus each is found."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.infer import infer
from tealeaves.model import TopicModel
from tealeaves.reference_topics import ReferenceTopics

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Floats = NDArray[np.float64]
VARIANTS = ("authors", "printed")
SHARE = 0.1  # of a document that must be about a topic for the topic to be in it
QUARTILES = ("Q1", "Q2", "Q3", "Q4")


def documents_with(doc_topic: Floats, variant: str = "authors") -> NDArray[np.int64]:
    """In how many documents each topic is: where its share is above .1, or with "printed" at least .1.

    Examples
    --------
    >>> documents_with(np.array([[0.9, 0.1], [0.2, 0.8]])), documents_with(np.array([[0.9, 0.1]]), "printed")
    (array([2, 1]), array([1, 1]))
    """
    _check(variant)
    found: NDArray[np.int64] = (doc_topic > SHARE if variant == "authors" else doc_topic >= SHARE).sum(axis=0)
    return found


def with_sizes(
    reference: ReferenceTopics,
    corpus: "Corpus",
    *,
    variant: str = "authors",
    free_topics: int = 20,
    beta: float = 0.01,
    iterations: int = 1000,
    seed: int = 0,
) -> ReferenceTopics:
    """The same reference topics, with the number of documents of a corpus that each is in as its size.

    LDA by Gibbs sampling in which the reference topics stay as they are, and others are learnt beside them;
    a topic is in a document if more than a tenth of it, ``(n + alpha) / (N + alpha T)`` after the last
    iteration, is about it.

    Parameters
    ----------
    reference : ReferenceTopics
        Those without a word of the corpus get the size 0.
    corpus : Corpus
        The documents.
    variant : {"authors", "printed"}
        alpha = 50 / T and shares above .1, as the authors' program; or 1 / T and at least .1, as their
        article says. T counts the free topics, too.
    free_topics : int
        Topics that are learnt.
    beta : float
        Dirichlet prior of their words.
    iterations : int
        Of the sampler.
    seed : int
        Of the sampler.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312, section V.
    """
    _check(variant)
    known = [word for word in reference.vocabulary if word in corpus.index]
    column = {word: i for i, word in enumerate(reference.vocabulary)}
    topics = np.zeros((len(reference), len(corpus.vocabulary)))
    if known:
        mine = reference.topic_word[:, [column[word] for word in known]]
        topics[:, [corpus.index[word] for word in known]] = mine
    found = np.flatnonzero(topics.any(axis=1))
    if not len(found):
        raise InputError(
            "no word of the reference topics is in the corpus; were the texts stemmed or lowered?"
        )
    total = len(found) + free_topics
    theta = infer(
        TopicModel(corpus.vocabulary, topic_word=topics[found], normalized=False),
        corpus,
        "gibbs",
        alpha=(50 if variant == "authors" else 1) / total,
        free_topics=free_topics,
        beta=beta,
        burn_in=iterations - 1,
        samples=1,
        seed=seed,
    ).doc_topic
    sizes = np.zeros(len(reference))
    sizes[found] = documents_with(theta, variant)[: len(found)]
    return ReferenceTopics(
        reference.vocabulary,
        reference.topic_word,
        reference.labels,
        topic_document=reference.topic_document,
        document_ids=reference.document_ids,
        sizes=sizes,
        categories=reference.categories,
        name=reference.name,
        notes=reference.notes,
    )


def quartiles(sizes: Floats) -> tuple[str, ...]:
    """The quarter of each topic by size: Q1 are the smallest; "" where the size is unknown.

    Sizes that are equal stand in one quarter, so quarters may differ.

    Examples
    --------
    >>> quartiles(np.array([1.0, 2.0, 3.0, 4.0, np.nan]))
    ('Q1', 'Q2', 'Q3', 'Q4', '')
    """
    known = ~np.isnan(sizes)
    if not known.any():
        return ("",) * len(sizes)
    bounds = np.quantile(sizes[known], [0.25, 0.5, 0.75])
    place = np.searchsorted(bounds, np.where(known, sizes, 0.0), side="left")
    return tuple(QUARTILES[i] if there else "" for i, there in zip(place, known, strict=True))


def _check(variant: str) -> None:
    if variant not in VARIANTS:
        raise InputError(f"variant must be one of {', '.join(map(repr, VARIANTS))}; got {variant!r}")
