"""Anchor words: topics from the geometry of pairs of words, without sampling, with anchortopics."""

import warnings
from typing import TYPE_CHECKING

import numpy as np

from tealeaves._optional import require
from tealeaves.errors import InputError
from tealeaves.fit._matrix import document_term, need_at_least, need_topics, rows_to_one
from tealeaves.fit.plsa import fold_in
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def anchor(
    corpus: "Corpus", k: int, seed: int = 0, *, min_df: float = 0.01, iterations: int = 20
) -> TopicModel:
    """Find k words that are in one topic each, and the topics from the words they stand with.

    Rare words are left out of this, as they make bad anchors; they join the topics of the documents they
    are in.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics, at most the number of words that are frequent enough.
    seed : int
        Not used: nothing is drawn.
    min_df : float
        The least share of documents that a word must be in to help make topics.
    iterations : int
        Steps of rectifying the counts of pairs at most.

    Returns
    -------
    TopicModel
        Topics, and for the corpus' documents the most likely shares of these.

    Raises
    ------
    InputError
        If too few words are frequent enough, or no k topics explain their pairs.

    References
    ----------
    Arora et al. (2013), A practical algorithm for topic modeling with provable guarantees, ICML, 280-288.
    Lee, Cho, Dong, Mimno and Bindel (2021), On-the-fly rectification for robust large-vocabulary topic
    inference, ICML, 6087-6097.
    """
    if isinstance(min_df, bool) or not isinstance(min_df, int | float) or not 0 <= min_df < 1:
        raise InputError(f"min_df must be a share of documents from 0 to below 1; got {min_df!r}")
    need_at_least(iterations=(iterations, 1))
    need_topics(corpus, k)
    counts = document_term(corpus)
    in_documents = np.diff(counts.tocsc().indptr)
    n_documents = int((np.diff(counts.indptr) > 0).sum())
    frequent = np.flatnonzero(in_documents >= max(min_df * n_documents, 1))
    if len(frequent) <= k:
        raise InputError(
            f"anchor makes k={k} topics of more than {k} words, but only {len(frequent)} are in "
            f"{min_df:.2%} of the documents or more; set min_df lower, or k"
        )
    common = counts[:, frequent]
    trainer = require("anchortopics", "fit").OTFR(k, max_iter=iterations)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trainer.fit(common)
        topics = np.maximum(np.asarray(trainer.components_, dtype=np.float64), 0)
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        found = f"anchor words found no k={k} topics in this corpus ({error})"
        raise InputError(f"{found}; try a smaller k, or a larger min_df") from None
    if not np.isfinite(topics).all():
        raise InputError(f"anchor words found no k={k} topics in this corpus; try a smaller k")
    topics = rows_to_one(topics)
    doc_topic = fold_in(common, topics)
    topic_word = np.asarray((counts.T @ doc_topic).T)  # where a document's words go, if all went alike
    topic_word[:, frequent] = topics * topic_word[:, frequent].sum(axis=1, keepdims=True)
    names = [corpus.vocabulary[frequent[word]] for word in np.asarray(trainer.anchors_).tolist()]
    return TopicModel(
        corpus.vocabulary,
        topic_word=rows_to_one(topic_word),
        doc_topic=doc_topic,
        name=f"anchor-{k}",
        corpus=corpus,
        topic_names=names,
        source=f"tealeaves.fit: anchortopics OTFR, k={k}, min_df={min_df:g}, iterations={iterations}",
    )
