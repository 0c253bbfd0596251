"""Thin trainers: one file for each family of models, on libraries that are well kept."""

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError, meant
from tealeaves.fit._matrix import Progress

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

# Each family: its name, which is its file's and its function's too, and what it is.
FAMILIES = {
    "lda": "latent Dirichlet allocation, by Gibbs sampling (tomotopy) or variational (scikit-learn)",
    "alda": "LDA that learns which topics are large and which small (tomotopy)",
    "hdp": "hierarchical Dirichlet process, which finds its number of topics (our own sampler)",
    "pyp": "hierarchical Pitman-Yor process: as hdp, with more small topics (our own sampler)",
    "ctm": "correlated topic model (topica)",
    "plsa": "probabilistic latent semantic analysis, with restarts (our own EM)",
    "nmf": "non-negative matrix factorisation of tf-idf weights (scikit-learn)",
    "lsi": "latent semantic indexing: truncated SVD of tf-idf weights (scikit-learn)",
    "anchor": "anchor words: topics from the geometry of pairs of words, without sampling (our own)",
    "sentence_lda": "LDA with one topic for each sentence (our own sampler)",
    "htmm": "hidden topic Markov model: a sentence often keeps the topic of the one before (our own sampler)",
    "dlda": "D-LDA, topics that drift over slices of time (topica)",
    "detm": "D-ETM, topics that drift among word vectors (topica)",
}
OVER_TIME = ("dlda", "detm")  # whose corpus has slices, and whose model is dynamic
STEADY = ("nmf", "lsi", "anchor")  # whose start decides nothing but last digits: one run says it all
GIVEN = ("corpus", "k", "seed", "workers", "progress")  # what fit itself hands over


def fit(
    family: str,
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Any:
    """Fit a topic model of one family; the same arguments give the same model on the same kind of machine.

    Parameters
    ----------
    family : str
        One of "lda", "alda", "hdp", "pyp", "ctm", "plsa", "nmf", "lsi", "anchor", "sentence_lda", "htmm";
        over time "dlda", "detm".
    corpus : Corpus
        At least two documents with a word of the vocabulary; over time, each in a slice.
    k : int
        The number of topics; the most there can be for "hdp" and "pyp", which find their number.
    seed : int
        Where random starts begin.
    workers : int, optional
        Threads, for families that can use them without changing the model ("plsa", "ctm").
    progress : callable, optional
        Called with what is being done, how much is done, and of how much; families that cannot tell do
        not call it.
    **options
        What the family's own function takes: ``tealeaves.fit.lda.lda`` and so on say it.

    Returns
    -------
    TopicModel, or DynamicTopicModel of a family over time
        Named ``{family}-{number of topics}``, with the topics of the corpus' documents, and those of its
        tokens where the family has them (lda by Gibbs sampling, alda, hdp, pyp, sentence_lda, htmm).

    Raises
    ------
    InputError
        If there is no such family or option, or the corpus is too small for k topics.
    MissingExtra
        If the library behind the family is not installed.

    Examples
    --------
    >>> from tealeaves.corpus import Corpus
    >>> corpus = Corpus.from_tokens([["oil", "gas"], ["law", "tax"]] * 5)
    >>> sorted(sorted(words) for words in fit("nmf", corpus, k=2).top_words(2))
    [['gas', 'oil'], ['law', 'tax']]
    """
    if family not in FAMILIES:
        raise InputError(f"there is no family of models {family!r}; {meant(family, FAMILIES)}")
    train = getattr(import_module(f"tealeaves.fit.{family}"), family)
    takes = list(inspect.signature(train).parameters)
    known = [name for name in takes if name not in GIVEN]
    for option in options:
        if option not in known:
            there_is = meant(option, known) if known else "it has none"
            raise InputError(f"{family} has no option {option!r}; {there_is}")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InputError(f"k must be a number of topics, 1 or more; got {k!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise InputError(f"seed must be a whole number from 0 to {2**32 - 1}; got {seed!r}")
    for name, value in (("workers", workers), ("progress", progress)):
        if name in takes:
            options[name] = value
    return train(corpus, k, seed, **options)
