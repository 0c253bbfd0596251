"""Non-negative matrix factorisation of tf-idf weights, fitted with scikit-learn."""

import warnings
from typing import TYPE_CHECKING

from tealeaves._optional import require
from tealeaves.errors import InputError
from tealeaves.fit._matrix import document_term, need_at_least, need_topics
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def nmf(corpus: "Corpus", k: int, seed: int = 0, *, iterations: int = 500) -> TopicModel:
    """Factor the tf-idf weights of the corpus, from a start (NNDSVD) that depends on the seed very little.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics, at most the smaller of D and V.
    seed : int
        Of the randomised SVD behind the start.
    iterations : int
        Steps of coordinate descent at most.

    Returns
    -------
    TopicModel
        Weights that are not probabilities, and the weights of topics in the corpus' documents.

    Raises
    ------
    InputError
        If k is more than there are documents or words.

    References
    ----------
    Lee and Seung (1999), Nature 401, 788-791.
    Boutsidis and Gallopoulos (2008), Pattern Recognition 41, 1350-1362.
    """
    need_at_least(iterations=(iterations, 1))
    matrix = document_term(corpus)
    if k > min(matrix.shape):
        n_documents, n_words = matrix.shape
        raise InputError(
            "nmf can find at most as many topics as there are "
            f"documents ({n_documents}) and words ({n_words}); got k={k}"
        )
    need_topics(corpus, k)
    trainer = require("sklearn.decomposition", "fit").NMF(
        n_components=k, init="nndsvd", solver="cd", max_iter=iterations, random_state=seed
    )
    weigh = require("sklearn.feature_extraction.text", "fit").TfidfTransformer(sublinear_tf=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged is said in the model's notes
        doc_topic = trainer.fit_transform(weigh.fit_transform(matrix))
    unfinished = f"the fit had not converged after {iterations} iterations; set iterations= higher"
    return TopicModel(
        corpus.vocabulary,
        topic_word=trainer.components_,
        doc_topic=doc_topic,
        name=f"nmf-{k}",
        corpus=corpus,
        normalized=False,
        notes=[unfinished] if trainer.n_iter_ >= iterations else [],
        source=f"tealeaves.fit: scikit-learn NMF on tf-idf, k={k}, seed={seed}, iterations={iterations}",
    )
