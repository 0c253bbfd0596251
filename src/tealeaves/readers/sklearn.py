"""Reader of fitted scikit-learn models; scikit-learn itself is not imported."""

from typing import Any

from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.readers._vocabulary import words_of


def read_sklearn(estimator: Any, vocabulary: tuple[str, ...] | None = None) -> TopicModel:
    """Read a fitted LatentDirichletAllocation, NMF, MiniBatchNMF or TruncatedSVD, or a pipeline with one.

    Of a pipeline the vectorizer gives the words; else ``vocabulary`` does. ``components_`` are kept as
    they are: pseudo-counts of LDA, weights of NMF, and of TruncatedSVD weights with a sign.

    Raises
    ------
    InputError
        If it is not fitted, is of another kind, or no vocabulary is at hand.
    """
    kind = type(estimator).__name__
    if hasattr(estimator, "named_steps"):
        steps = list(estimator.named_steps.values())
        if vocabulary is None:
            vocabulary = next((words_of(s) for s in steps if hasattr(s, "vocabulary_")), None)
        return read_sklearn(steps[-1], vocabulary)
    if not hasattr(estimator, "components_"):
        if hasattr(estimator, "n_components"):
            raise InputError(f"this {kind} is not fitted: call fit() first")
        raise InputError(f"a {kind} is no topic model: it has no components_")
    if vocabulary is None and hasattr(estimator, "feature_names_in_"):
        vocabulary = tuple(map(str, estimator.feature_names_in_))
    if vocabulary is None:
        fix = "vocabulary=vectorizer (fitted), or a list of words in the order of columns"
        raise InputError(f"a {kind} does not know its words: hand over {fix}")
    return TopicModel(
        vocabulary,
        estimator.components_,
        alpha=getattr(estimator, "doc_topic_prior_", None),
        eta=getattr(estimator, "topic_word_prior_", None),
        source=f"scikit-learn's {kind}",
    )
