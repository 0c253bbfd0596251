"""What to try degradations on: models to make worse, with all that measures need."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.matcher import Matcher
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics


@dataclass(frozen=True)
class Bench:
    """Models to make worse, with all that measures need."""

    models: "list[Any]"
    corpus: "Corpus"
    held_out: "Corpus | None" = None
    reference_topics: "ReferenceTopics | None" = None
    matcher: "Matcher | None" = None


def shipped(of: str = "topics", *, fits: int = 5, iterations: int = 300) -> Bench:
    """Fits of news that come with gensim, for the demo; a fifth of the stories is held out."""
    from tealeaves.corpus import Corpus
    from tealeaves.demo import demo_corpus
    from tealeaves.fit import fit

    if of == "time":
        raise InputError(
            "the news that come along have no dates: take planted topics, or a model of your own"
        )
    stories = demo_corpus()
    texts = [[stories.vocabulary[w] for w in stories.document(d) if w >= 0] for d in range(len(stories))]
    trained = len(texts) * 4 // 5
    corpus = Corpus.from_tokens(texts[:trained])
    held_out = Corpus.from_tokens(texts[trained:], vocabulary=corpus.vocabulary)
    return Bench(
        [fit("lda", corpus, k=10, seed=s, iterations=iterations) for s in range(fits)], corpus, held_out
    )


def planted(of: str = "topics", *, fits: int = 5, documents: int = 500, iterations: int = 200) -> Bench:
    """Fits of planted topics: ten and common words, in runs for topics of tokens; or drifting ones."""
    from tealeaves.fit import fit

    if of == "time":
        from tealeaves.synthetic import drifting

        corpus, _ = drifting(k=8, documents=documents, length=60, vocabulary=300, slices=8, beta=0.03)
        return Bench([fit("dlda", corpus, k=8, seed=seed, iterations=10) for seed in range(fits)], corpus)
    from tealeaves.corpus import Corpus

    texts, labels, topics, wanted = _planted_texts(documents, of == "tokens")
    trained = documents * 4 // 5
    corpus = Corpus.from_tokens(texts[:trained], labels=labels[:trained])  # no word that no document has
    held_out = Corpus.from_tokens(texts[trained:], vocabulary=corpus.vocabulary)
    models = [fit("lda", corpus, k=11, seed=seed, iterations=iterations) for seed in range(fits)]
    matcher = None if of == "tokens" else _matcher(models, topics, wanted)
    return Bench(models, corpus, held_out, wanted, matcher)


def _planted_texts(
    documents: int, in_runs: bool
) -> "tuple[list[list[str]], list[str], NDArray[np.int32], ReferenceTopics]":
    """Documents, the planted topic that each is most about, that of each token, and the topics themselves."""
    from tealeaves.reference_topics import ReferenceTopics
    from tealeaves.synthetic import lda

    alpha = [0.1] * 10 + [0.5]  # the last topic is of words that most documents hold
    drawn, truth = lda(k=11, documents=documents, length=80, vocabulary=500, alpha=alpha, beta=0.05)
    topics, tokens = np.asarray(truth.assignments), drawn.tokens.copy()
    if in_runs:
        order = np.lexsort((topics, np.repeat(np.arange(len(drawn)), np.diff(drawn.offsets))))
        tokens, topics = tokens[order], topics[order]
    texts = [
        [drawn.vocabulary[w] for w in tokens[first:last]]
        for first, last in zip(drawn.offsets[:-1], drawn.offsets[1:], strict=True)
    ]
    labels = [f"t{k}" for k in np.asarray(truth.doc_topic)[:, :10].argmax(axis=1)]
    return texts, labels, topics, ReferenceTopics.from_model(truth)


def _matcher(
    models: "Sequence[TopicModel]", truth: NDArray[np.int32], wanted: "ReferenceTopics"
) -> "Matcher":
    """A matcher that learnt from the truth: two topics match if most tokens of both are of one true topic."""
    from tealeaves.matcher import Matcher

    of: dict[str, NDArray[np.int64]] = {wanted.name: np.arange(len(wanted))}
    for i, model in enumerate(models):
        table = np.zeros((model.n_topics, len(wanted)))
        found = np.asarray(model.assignments)
        np.add.at(table, (found, truth[: len(found)]), 1.0)
        most = table.max(axis=1) > table.sum(axis=1) / 2
        of[f"fit {i}"] = np.where(most, table.argmax(axis=1), -1)  # -1: of none
    pairs = Matcher.sample({f"fit {i}": model for i, model in enumerate(models)}, reference_topics=wanted)
    sides = [[of[shown.model][shown.topic] for shown in (pair.first, pair.second)] for pair in pairs]
    return Matcher.train(pairs, [float(a == b >= 0) for a, b in sides])
