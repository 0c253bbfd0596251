"""Held-out measures: how well a model predicts documents that it was not trained on."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.held_out import (
    ESTIMATORS,
    INFERENCE,
    Documents,
    PseudoCounts,
    Scored,
    bound_parts,
    score,
)
from tealeaves.measures._table import Levels, Values, document_sums, measure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NOTHING = "no document has enough words that the model knows"
CHOICES: dict[str, tuple[Any, ...]] = {
    "method": ("completion", *ESTIMATORS),
    "split": ("random", "even_odd"),
    "inference": INFERENCE,
    "variant": ("mean_of_products", "log_of_means"),
    "proposal": ("pseudo_counts", "prior"),
}
PARTS = {"part": ("all", "documents", "topics")}
NEEDED = ("topic_word", "prior", "held_out")


@measure(
    "perplexity",
    needs=NEEDED,
    axes=("document",),
    best="low",
    source="blei2003",
    range="[1, inf]",
    choices=CHOICES,
)
def perplexity(
    topic_word: Floats,
    prior: Floats | None,
    documents: Documents,
    *,
    method: str = "completion",
    split: str = "random",
    splits: int = 5,
    inference: str = "auto",
    iterations: int = 100,
    tolerance: float = 1e-3,
    samples: int = 1000,
    smoothing: float = 0.0,
    variant: str = "mean_of_products",
    moves: bool = True,
    proposal: str = "pseudo_counts",
) -> Levels:
    """Perplexity of held-out documents: among how many words each is as good as guessed; lower is better.

    ``exp(-sum_d log p(w_d) / sum_d N_d)`` over the words that are scored. With ``method="completion"`` one
    half of a document tells its topics, and ``p(w) = sum_k theta_k phi_kw`` scores the words of the other;
    the estimators give p of all its words, the topic proportions integrated out.

    Parameters
    ----------
    topic_word : array of shape (K, V), or (T, K, V)
        p(word | topic); with slices, a document is scored by the topics of its own.
    prior : array of shape (K,), or None
        The Dirichlet prior of topics in a document. None: completion by EM only.
    documents : Documents
        What is scored, in the model's words. Others are not scored: their share is told.
    method : {"completion", "chib", "smc", "left_to_right", "importance", "exact"}
        ``chib`` (Murray and Salakhutdinov 2009) and ``smc`` (particles drawn again and moved) are unbiased
        for p and cheap; ``left_to_right`` is Wallach and others' and, by ``variant``, MALLET's;
        ``importance`` samples topics independently; ``exact`` sums over counts of topics: few topics and
        short documents only.
    split : {"random", "even_odd"}
        Completion: floor(N/2) tokens drawn at random tell the topics; or those at the places 1, 3, … from 0.
    splits : int
        How many random splits are averaged; their spread is the Monte Carlo error.
    inference : {"auto", "vb", "em", "gibbs", "posterior_mean"}
        How a half tells theta. ``auto``: vb with a prior, else em. It moves the value by some percent.
    iterations, tolerance : int, float
        Rounds of vb and em at most; they end when expected tokens of topics change by less, in the mean.
    samples : int
        Draws of the estimators: particles, or states of a chain; with ``inference="gibbs"`` the sweeps that
        count, after a tenth as many that do not, but at least 50.
    smoothing : float
        Added to every p(word | topic), rows scaled to sum to 1 again: no word is then impossible.
    variant : {"mean_of_products", "log_of_means"}
        ``left_to_right``: ``log_of_means`` is the usual one, MALLET's, and is not consistent: more particles
        lead to a wrong value without moves, and with moves few particles are biased.
    moves : bool
        ``smc``: some earlier topics are drawn again before each word; ``left_to_right``: all of them, which
        takes time as the square of a document's length (MALLET: ``--use-resampling``, by default not).
    proposal : {"pseudo_counts", "prior"}
        What ``importance`` draws topics from.

    Returns
    -------
    Levels
        The model, each document, and each slice if there are any; ``n_terms`` counts scored words. nan: a
        document with fewer than two known words (completion), or none. inf, with the word as the reason: a
        word that no topic has, unless ``smoothing``.

    Raises
    ------
    MissingInput
        If the method needs a prior and there is none, or documents are too long for an exact sum.

    References
    ----------
    Blei, Ng and Jordan (2003), JMLR 3, section 7.1; Wallach, Murray, Salakhutdinov and Mimno (2009), ICML,
    1105-1112; Murray and Salakhutdinov (2009), NIPS 21, 1137-1144.

    Examples
    --------
    >>> oil = Documents(np.array([0, 0], np.int32), np.array([0, 2]), np.array([0]))
    >>> topics = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> round(float(perplexity(topics, np.ones(2), oil, method="exact").model.value), 3)  # 1 / sqrt(0.28)
    1.89
    """
    given = {key: value for key, value in locals().items() if key in SETTINGS}
    return _levels(score(topic_word, prior, documents, **given), documents, topic_word, _perplexity)


SETTINGS = tuple(perplexity.__kwdefaults__ or ())


@measure(
    "log_likelihood",
    needs=NEEDED,
    axes=("document",),
    best="high",
    source="wallach2009",
    range="[-inf, 0]",
    choices=CHOICES,
)
def log_likelihood(
    topic_word: Floats,
    prior: Floats | None,
    documents: Documents,
    *,
    method: str = "chib",
    split: str = "random",
    splits: int = 5,
    inference: str = "auto",
    iterations: int = 100,
    tolerance: float = 1e-3,
    samples: int = 1000,
    smoothing: float = 0.0,
    variant: str = "mean_of_products",
    moves: bool = True,
    proposal: str = "pseudo_counts",
) -> Levels:
    """Log likelihood of held-out documents in nats, as a sum; higher is better.

    ``sum_d log p(w_d | phi, alpha)`` of the words in their sequence, without a multinomial coefficient. A
    sum: compare models on the same documents only.

    Parameters
    ----------
    topic_word, prior, documents
        As for `perplexity`.
    method : str
        As for `perplexity`; here ``chib`` if not said.
    split, splits, inference, iterations
        As for `perplexity`.
    tolerance, samples, smoothing, variant
        As for `perplexity`.
    moves, proposal
        As for `perplexity`.

    Returns
    -------
    Levels
        As for `perplexity`; -inf where a word is impossible.

    Raises
    ------
    MissingInput
        As for `perplexity`.

    References
    ----------
    Wallach, Murray, Salakhutdinov and Mimno (2009), ICML, 1105-1112; Murray and Salakhutdinov (2009).

    Examples
    --------
    >>> oil = Documents(np.array([0, 0], np.int32), np.array([0, 2]), np.array([0]))
    >>> topics = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> round(float(log_likelihood(topics, np.ones(2), oil, method="exact").model.value), 3)  # log 0.28
    -1.273
    """
    given = {key: value for key, value in locals().items() if key in SETTINGS}
    return _levels(score(topic_word, prior, documents, **given), documents, topic_word, _log_likelihood)


@measure(
    "bits_per_word",
    needs=NEEDED,
    axes=("document",),
    best="low",
    source="wallach2009",
    range="[0, inf]",
    choices=CHOICES,
)
def bits_per_word(
    topic_word: Floats,
    prior: Floats | None,
    documents: Documents,
    *,
    method: str = "completion",
    split: str = "random",
    splits: int = 5,
    inference: str = "auto",
    iterations: int = 100,
    tolerance: float = 1e-3,
    samples: int = 1000,
    smoothing: float = 0.0,
    variant: str = "mean_of_products",
    moves: bool = True,
    proposal: str = "pseudo_counts",
) -> Levels:
    """Bits that a word of held-out documents costs; lower is better.

    ``-sum_d log2 p(w_d) / sum_d N_d``: the binary logarithm of the perplexity.

    Parameters
    ----------
    topic_word, prior, documents
        As for `perplexity`.
    method, split, splits, inference, iterations
        As for `perplexity`.
    tolerance, samples, smoothing, variant
        As for `perplexity`.
    moves, proposal
        As for `perplexity`.

    Returns
    -------
    Levels
        As for `perplexity`.

    Raises
    ------
    MissingInput
        As for `perplexity`.

    References
    ----------
    Wallach, Murray, Salakhutdinov and Mimno (2009), ICML, 1105-1112.

    Examples
    --------
    >>> oil = Documents(np.array([0, 0], np.int32), np.array([0, 2]), np.array([0]))
    >>> topics = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> round(float(bits_per_word(topics, np.ones(2), oil, method="exact").model.value), 3)
    0.918
    """
    given = {key: value for key, value in locals().items() if key in SETTINGS}
    return _levels(score(topic_word, prior, documents, **given), documents, topic_word, _bits)


@measure(
    "bound_sklearn",
    needs=("pseudo_counts", "prior", "held_out"),
    axes=("document",),
    best=None,
    source="hoffman2010",
    range="[-inf, inf]",
    choices=PARTS,
)
def bound_sklearn(
    pseudo_counts: PseudoCounts,
    prior: Floats,
    documents: Documents,
    *,
    part: str = "all",
    iterations: int = 100,
    tolerance: float = 1e-3,
) -> Levels:
    """Variational bound of scikit-learn, in nats a word.

    ``(sum_d bound_d + topic term) / sum_d N_d``; scikit-learn's ``perplexity`` is exp of minus it. The topic
    term, -KL of the topics' Dirichlets from their prior, depends on no document, falls with each topic more,
    and is divided by the words of whatever is scored: so perplexity rises with K where prediction improves.

    Parameters
    ----------
    pseudo_counts : PseudoCounts
        Dirichlet parameters of the topics, scikit-learn's ``components_``, and of their prior.
    prior : array of shape (K,)
        Dirichlet prior of topics in a document.
    documents : Documents
        What is scored.
    part : {"all", "documents", "topics"}
        The whole, or one of its two parts alone, divided by the same words.
    iterations, tolerance : int, float
        Rounds of variational inference at most, and the mean change of gamma at which it ends.

    Returns
    -------
    Levels
        The model, and the document parts; ``n_terms`` counts words.

    References
    ----------
    Hoffman, Blei and Bach (2010), NIPS 23, 856-864, as scikit-learn has it.

    Examples
    --------
    >>> oil = Documents(np.array([0, 0], np.int32), np.array([0, 2]), np.array([0]))
    >>> topics = PseudoCounts(np.array([[8.0, 2.0]]), np.array([1.0, 1.0]))
    >>> bound_sklearn(topics, np.ones(1), oil, part="documents").model.value.round(3)
    np.float64(-0.236)
    >>> bound_sklearn(topics, np.ones(1), oil).model.value.round(3)
    np.float64(-0.634)
    """
    return _bound(pseudo_counts, prior, documents, part, iterations, tolerance)


@measure(
    "bound_gensim",
    needs=("pseudo_counts", "prior", "held_out"),
    axes=("document",),
    best=None,
    source="hoffman2010",
    range="[-inf, inf]",
    choices=PARTS,
)
def bound_gensim(
    pseudo_counts: PseudoCounts,
    prior: Floats,
    documents: Documents,
    *,
    part: str = "all",
    iterations: int = 50,
    tolerance: float = 1e-3,
) -> Levels:
    """Variational bound of gensim's ``log_perplexity``, in nats a word.

    ``(sum_d bound_d + topic term) / sum_d N_d``. The perplexity it stands for is exp of minus this; gensim
    itself logs ``2^-bound``, which is another number. As `bound_sklearn`, with gensim's number of rounds;
    gensim begins them at random and works in float32, so that its last digits differ.

    Parameters
    ----------
    pseudo_counts : PseudoCounts
        Dirichlet parameters of the topics, gensim's lambda, and of their prior.
    prior, documents
        As for `bound_sklearn`.
    part : {"all", "documents", "topics"}
        As for `bound_sklearn`.
    iterations, tolerance : int, float
        As for `bound_sklearn`.

    Returns
    -------
    Levels
        As for `bound_sklearn`.

    References
    ----------
    Hoffman, Blei and Bach (2010), NIPS 23, 856-864, as gensim has it.

    Examples
    --------
    >>> oil = Documents(np.array([0, 0], np.int32), np.array([0, 2]), np.array([0]))
    >>> topics = PseudoCounts(np.array([[8.0, 2.0]]), np.array([1.0, 1.0]))
    >>> round(float(bound_gensim(topics, np.ones(1), oil).model.value), 3)
    -0.634
    """
    return _bound(pseudo_counts, prior, documents, part, iterations, tolerance)


def _bound(
    topics: PseudoCounts, prior: Floats, documents: Documents, part: str, iterations: int, tolerance: float
) -> Levels:
    parts, term = bound_parts(topics, prior, documents, iterations=iterations, tolerance=tolerance)
    parts, term = parts * (part != "topics"), term * (part != "documents")
    n_words = documents.lengths

    def per_word(sums: Floats) -> Floats:
        return np.asarray((sums[..., 0] + term) / sums[..., 1])

    total = np.array([parts.sum(), n_words.sum()])
    empty = not n_words.sum()
    whole = Values(
        np.array(np.nan) if empty else per_word(total), n_words.sum(), np.array(NOTHING if empty else "")
    )
    each = Values(
        np.divide(parts, n_words, out=np.full(len(parts), np.nan), where=n_words > 0),
        n_words,
        np.where(n_words > 0, "", "no word"),
    )
    sums = document_sums(np.column_stack([parts, n_words]).astype(np.float64), per_word)
    return Levels(whole, documents=each if part != "topics" else None, sums=sums)


def _perplexity(log_p: Floats, n_words: Floats) -> Floats:
    return np.asarray(np.exp(-log_p / n_words))


def _log_likelihood(log_p: Floats, n_words: Floats) -> Floats:
    return np.asarray(log_p * 1.0)


def _bits(log_p: Floats, n_words: Floats) -> Floats:
    return np.asarray(-log_p / n_words / np.log(2))


def _levels(
    scored: Scored, documents: Documents, topic_word: Floats, make: Callable[[Floats, Floats], Floats]
) -> Levels:
    """A score of sums of log p and words, for the model, each document and each slice."""
    kept = scored.kept
    log_p, n_words = np.where(kept, scored.documents, 0.0), np.where(kept, scored.n_words, 0)

    def of(log_p: NDArray[Any], n_words: NDArray[Any]) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(n_words > 0, make(log_p, n_words.astype(np.float64)), np.nan)

    total, words = log_p.sum(keepdims=True), n_words.sum(keepdims=True)
    impossible = np.isneginf(log_p)
    reason = NOTHING if not words[0] else ""
    if impossible.any():
        others = impossible.sum() - 1
        reason = str(scored.reason[impossible][0]) + (f"; and {others} documents more" if others else "")
    slices = None
    if topic_word.ndim == 3 and documents.slice_of is not None:
        t = len(topic_word)
        sums = np.bincount(documents.slice_of, log_p, t)
        counts = np.bincount(documents.slice_of, n_words, t).astype(np.int64)
        why = np.where(counts > 0, np.where(np.isneginf(sums), "probability 0", ""), "no document")
        slices = Values(of(sums, counts), counts, why)
    return Levels(
        model=Values(of(total, words)[0], words[0], np.array(reason)),
        documents=Values(of(log_p, n_words), n_words, scored.reason),
        slices=slices,
        sums=document_sums(
            np.column_stack([log_p, n_words]).astype(np.float64), lambda s: make(s[..., 0], s[..., 1])
        ),
    )
