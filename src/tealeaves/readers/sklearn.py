"""Reader of fitted scikit-learn models; scikit-learn itself is not imported."""

from typing import Any

from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.readers._objects import called, kind_of, numbers, optional, words
from tealeaves.readers._vocabulary import hashes, no_words

KINDS = ("LatentDirichletAllocation", "NMF", "MiniBatchNMF", "TruncatedSVD")
SIGNED = "signed weights: top words are those of the largest positive weight"


def read_sklearn(estimator: Any, vocabulary: tuple[str, ...] | None = None) -> TopicModel:
    """Read a fitted LatentDirichletAllocation, NMF, MiniBatchNMF or TruncatedSVD, or a pipeline with one.

    In a pipeline the steps before the model give the words; else ``vocabulary`` does. ``components_`` stay
    as they are: pseudo-counts of LDA, weights of NMF, and of TruncatedSVD weights with a sign. A search
    (GridSearchCV) stands for its best model.

    Raises
    ------
    InputError
        If it is not fitted, is of another kind, or no vocabulary is at hand.
    """
    kind = kind_of(estimator, "sklearn")
    if hasattr(estimator, "named_steps"):
        return _pipeline(estimator, vocabulary)
    if optional(estimator, "best_estimator_") is not None:
        return read_sklearn(estimator.best_estimator_, vocabulary)
    if kind not in KINDS:
        known = ", ".join(KINDS)
        fix = "TopicModel(vocabulary, topic_word=weights) makes a model of any weights"
        raise InputError(f"scikit-learn's {kind} is no topic model; read are {known}, and pipelines; {fix}")
    owner = f"scikit-learn's {kind}"
    if not hasattr(estimator, "components_"):
        raise InputError(f"this {kind} is not fitted: call fit() first")
    components = numbers(estimator.components_, "components_", owner, (None, None))
    if vocabulary is None and hasattr(estimator, "feature_names_in_"):
        vocabulary = tuple(map(str, estimator.feature_names_in_))
    if vocabulary is None:
        fix = "vocabulary=vectorizer (fitted), or a list of words in the order of columns"
        raise InputError(f"a {kind} does not know its words: hand over {fix}")
    return TopicModel(
        vocabulary,
        components,
        alpha=optional(estimator, "doc_topic_prior_"),
        eta=optional(estimator, "topic_word_prior_"),
        source=owner,
        notes=[SIGNED] if (components < 0).any() else [],
    )


def _pipeline(pipeline: Any, vocabulary: tuple[str, ...] | None) -> TopicModel:
    """The model in a pipeline, with the names of the columns that the steps before it hand on."""
    steps = list(pipeline.named_steps.items())
    models = [i for i, (_, step) in enumerate(steps) if kind_of(step, "sklearn") in KINDS]
    if len(models) != 1:
        found = ", ".join(type(step).__name__ for _, step in steps)
        raise InputError(f"a pipeline must hold one of {', '.join(KINDS)}, but this holds {found}")
    before = steps[: models[0]]
    model = steps[models[0]][1]
    if vocabulary is None and before and hasattr(model, "components_"):
        for _, step in before:
            if hashes(step):
                raise InputError(no_words(step))
        owner = "the steps before the model in this pipeline"
        names = called(pipeline[: models[0]], "get_feature_names_out", "the words of the columns", owner)
        vocabulary = tuple(words(names, "get_feature_names_out()", owner))
    return read_sklearn(model, vocabulary)
