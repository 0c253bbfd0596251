"""Latent semantic indexing: the truncated SVD of tf-idf weights, by scikit-learn."""

from typing import TYPE_CHECKING

from tealeaves._optional import require
from tealeaves.errors import InputError
from tealeaves.fit._matrix import document_term, need_topics
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def lsi(corpus: "Corpus", k: int, seed: int = 0) -> TopicModel:
    """Take the k largest singular vectors of the tf-idf weights.

    Weights have signs and are no probabilities, so that only measures of top words, and those of them,
    can judge the model; a topic's top words are those of its largest positive weights.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics, at most the smaller of D and V.
    seed : int
        Of the randomised SVD, whose result depends on it very little.

    Returns
    -------
    TopicModel
        Right singular vectors as topics; left ones times the singular values for the documents.

    Raises
    ------
    InputError
        If k is more than there are documents or words.

    References
    ----------
    Deerwester, Dumais, Furnas, Landauer and Harshman (1990), JASIS 41, 391-407.
    """
    matrix = document_term(corpus)
    if k > min(matrix.shape):
        n_documents, n_words = matrix.shape
        raise InputError(
            "lsi can find at most as many topics as there are "
            f"documents ({n_documents}) and words ({n_words}); got k={k}"
        )
    need_topics(corpus, k)
    trainer = require("sklearn.decomposition", "fit").TruncatedSVD(k, n_iter=10, random_state=seed)
    weigh = require("sklearn.feature_extraction.text", "fit").TfidfTransformer(sublinear_tf=True)
    doc_topic = trainer.fit_transform(weigh.fit_transform(matrix))
    return TopicModel(
        corpus.vocabulary,
        topic_word=trainer.components_,
        doc_topic=doc_topic,
        name=f"lsi-{k}",
        corpus=corpus,
        normalized=False,
        source=f"tealeaves.fit: scikit-learn TruncatedSVD of tf-idf, k={k}, seed={seed}",
    )
