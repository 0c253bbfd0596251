"""Thin trainers: one file for each family of models, on libraries that are well kept."""

import difflib
import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

# Each family: its name, which is its file's and its function's too, and what it is.
FAMILIES = {
    "lda": "latent Dirichlet allocation by Gibbs sampling (tomotopy)",
    "nmf": "non-negative matrix factorisation of tf-idf weights (scikit-learn)",
}


def fit(
    family: str, corpus: "Corpus", k: int, seed: int = 0, *, workers: int | None = None, **options: Any
) -> "TopicModel":
    """Fit a topic model of one family; the same arguments give the same model on the same kind of machine.

    Parameters
    ----------
    family : str
        "lda" or "nmf".
    corpus : Corpus
        At least one document with a word of the vocabulary.
    k : int
        The number of topics.
    seed : int
        Where random starts begin.
    workers : int, optional
        Threads, for families that can use them without changing the model; these two use one.
    **options
        What the family's own function takes, as ``tealeaves.fit.lda.lda`` and ``tealeaves.fit.nmf.nmf`` say.

    Returns
    -------
    TopicModel
        Named ``{family}-{k}``, with the topics of the corpus' documents.

    Raises
    ------
    InputError
        If there is no such family or option, or the corpus has no tokens.
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
        raise InputError(f"there is no family of models {family!r}; {_nearest(family, list(FAMILIES))}")
    train = getattr(import_module(f"tealeaves.fit.{family}"), family)
    known = list(inspect.signature(train).parameters)[3:]
    for option in options:
        if option not in known:
            raise InputError(f"{family} has no option {option!r}; {_nearest(option, known)}")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InputError(f"k must be a number of topics, 1 or more; got {k!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise InputError(f"seed must be a whole number from 0 to {2**32 - 1}; got {seed!r}")
    model: TopicModel = train(corpus, k, seed, **options)
    return model


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
