"""Local quality: whether the tokens of a document have topics that a reader would give them."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError, MissingInput
from tealeaves.measures._table import Levels, Sums, Values, measure
from tealeaves.measures._tokens import (
    OF_TOKENS,
    TokenTopics,
    check,
    check_words,
    each_document,
    judged,
    mean_of_terms,
    ratio,
    threads,
)
from tealeaves.measures.local_switches import (
    GAPS,
    SENTENCES,
    chance_consistency,
    consistency,
    pair_counts,
    shuffled_consistency,
    switch_p,
    switch_vi,
)

__all__ = [
    "GAPS",
    "SENTENCES",
    "Information",
    "TokenTopics",
    "assignment_information",
    "avg_rank",
    "chance_consistency",
    "consistency",
    "pair_counts",
    "shuffled_consistency",
    "switch_p",
    "switch_vi",
    "window",
    "word_div",
]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
OF_WINDOWS = {**OF_TOKENS, "variant": ("existing", "printed")}
OF_DOCUMENTS = {**OF_TOKENS, "theta": ("assignments", "model")}
NO_TOKEN = "no token with word and topic"


@measure(
    "avg_rank",
    needs=("token_topics", "topic_word"),
    axes=("topic", "document"),
    best="low",
    source="lund2019",
    range="[1, V]",
    choices=OF_TOKENS,
)
def avg_rank(tokens: TokenTopics, topic_word: Floats, *, assign: str = "model") -> Levels:
    """How far down its topic's list of words a token stands, on average; lower is better.

    The mean of ``1 + #{v : phi_zv > phi_zw}``: 1 if every token is the best word of its topic. Words that tie
    share the best rank. It grows with the vocabulary: compare models of one vocabulary only.

    Parameters
    ----------
    tokens : TokenTopics
        The word and topic of each token.
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    assign : {"model", "map", "gibbs"}
        Where ``evaluate`` takes the topics from: see ``consistency``.

    Returns
    -------
    Levels
        Of the model; of topics: over their tokens; of documents. nan without a token, which ``n_terms``
        counts.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, 788-796. The authors' program
    ranks topics, not words.

    Examples
    --------
    >>> tokens = TokenTopics([0, 1], [0, 0], [0, 2], 1)
    >>> float(avg_rank(tokens, np.array([[0.5, 0.3, 0.2]])).model.value)
    1.5
    """
    check(OF_TOKENS, assign=assign)
    check_words(tokens, topic_word)
    terms = np.full(len(tokens.topics), np.nan)
    small = tokens.n_topics <= np.iinfo(np.int16).max  # then numpy sorts in linear time
    topics = tokens.topics.astype(np.int16) if small else tokens.topics
    order = np.argsort(topics, kind="stable")
    bounds = np.searchsorted(topics[order], np.arange(tokens.n_topics + 1))

    def rank(k: int) -> None:
        mine = order[bounds[k] : bounds[k + 1]]
        mine = mine[tokens.words[mine] >= 0]
        if len(mine):
            weights = topic_word[k]
            lower_or_equal = np.searchsorted(np.sort(weights), weights[tokens.words[mine]], side="right")
            terms[mine] = 1 + len(weights) - lower_or_equal

    with ThreadPoolExecutor(threads(len(tokens.topics))) as pool:
        list(pool.map(rank, range(tokens.n_topics)))
    return mean_of_terms(tokens, terms, NO_TOKEN)


@measure(
    "window",
    needs=("token_topics", "topic_word"),
    axes=("topic", "document"),
    best="high",
    source="lund2019",
    range="[0, 1]",
    choices=OF_WINDOWS,
)
def window(
    tokens: TokenTopics,
    topic_word: Floats,
    *,
    s: int = 1,
    variant: str = "existing",
    assign: str = "model",
) -> Levels:
    """How probable a token is under the topics of the tokens around it, on average; higher is better.

    The mean over tokens of the mean of ``phi_{z_j, w_i}`` over ``j = i - s, ..., i + s``, itself included, as
    far as such neighbours exist in the document and have a topic.

    Parameters
    ----------
    tokens : TokenTopics
        The word and topic of each token, in order; tokens without a topic keep their place.
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    s : int
        How many tokens to each side; the source's 1 is a window of three.
    variant : {"existing", "printed"}
        Divide by the neighbours that exist; or, as the equation is printed, always by 2s + 1, so that tokens
        at the ends of documents count less.
    assign : {"model", "map", "gibbs"}
        Where ``evaluate`` takes the topics from: see ``consistency``.

    Returns
    -------
    Levels
        Of the model; of topics: over the tokens of the topic; of documents. nan without a token, which
        ``n_terms`` counts.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, 788-796.

    Examples
    --------
    >>> tokens = TokenTopics([0, 1], [0, 1], [0, 2], 2)
    >>> float(window(tokens, np.array([[1.0, 0.0], [0.0, 1.0]])).model.value)
    0.5
    """
    from tealeaves._kernels.local import window_terms

    check(OF_WINDOWS, assign=assign, variant=variant)
    if not isinstance(s, int | np.integer) or s < 1:
        raise InputError(f"s must be a whole number of tokens to each side, of at least 1; got {s!r}")
    check_words(tokens, topic_word)
    terms = np.empty(len(tokens.topics))
    word_topic = np.ascontiguousarray(topic_word.T)  # a word's neighbours lie in one row
    args = (tokens.words, tokens.topics, tokens.offsets, word_topic, s, variant == "printed")
    each_document(tokens, lambda a, b: window_terms(*args, a, b, terms))
    return mean_of_terms(tokens, terms, NO_TOKEN)


@measure(
    "word_div",
    needs=("token_topics", "topic_word"),
    axes=("topic", "document"),
    best="low",
    source="lund2019",
    range="[0, log 2]",
    choices=OF_DOCUMENTS,
)
def word_div(
    tokens: TokenTopics, topic_word: Floats, *, theta: str = "assignments", assign: str = "model"
) -> Levels:
    """How far the words of a document are from what its topics lead to expect, in nats; lower is better.

    The mean over documents of the Jensen-Shannon divergence ``JSD(theta_d . phi || psi_d)``, not its root,
    where ``psi_d`` are the shares of words among the document's tokens.

    Parameters
    ----------
    tokens : TokenTopics
        The word and topic of each token. Only tokens whose word the model has count.
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    theta : {"assignments", "model"}
        The shares of topics among the document's tokens (only tokens with a topic count); or the model's
        proportions, ``tokens.doc_topic``.
    assign : {"model", "map", "gibbs"}
        Where ``evaluate`` takes the topics from: see ``consistency``.

    Returns
    -------
    Levels
        Of the model, ``n_terms`` documents; of topics: the mean over documents weighted by the topic's share;
        of documents, ``n_terms`` tokens. nan for a document without a token, without proportions, or with
        some of an empty topic; the model's is over the others.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, 788-796.

    Examples
    --------
    >>> tokens = TokenTopics([0, 0], [0, 0], [0, 2], 1)
    >>> float(word_div(tokens, np.array([[0.5, 0.5]])).model.value.round(4))
    0.2158
    """
    from tealeaves._kernels.local import by_topic, divergence_by_document

    check(OF_DOCUMENTS, assign=assign, theta=theta)
    check_words(tokens, topic_word)
    own = theta == "assignments"
    given = np.zeros((0, tokens.n_topics)) if own else _proportions(tokens)
    value, whole = np.empty(len(tokens)), np.empty(len(tokens))
    count = np.zeros(len(tokens), np.int64)
    word_topic = np.ascontiguousarray(topic_word.T)
    args = (tokens.words, tokens.topics, tokens.offsets, word_topic, topic_word.sum(axis=1), given, own)
    each_document(tokens, lambda a, b: divergence_by_document(*args, a, b, value, count, whole))
    lacking = (count > 0) & ~(whole > 1 - 1e-6)  # a mixture that is no distribution
    reason = np.where(count == 0, NO_TOKEN if own else "no token with a word of the model", "")
    reason = np.where(lacking, np.where(whole > 0, "an empty topic has a share of it", "no topics"), reason)
    good = reason == ""
    value = np.where(good, value, np.nan)

    def shares(group_of: Ints, n_groups: int) -> Floats:
        """Sums of divergences and documents, and for each topic of divergences times shares, and shares."""
        total = np.zeros((n_groups, 2 + 2 * tokens.n_topics))
        np.add.at(total[:, 0], group_of[good], value[good])
        np.add.at(total[:, 1], group_of[good], 1.0)
        weighted, weights = np.zeros((2, n_groups, tokens.n_topics))
        if own:
            lengths = np.diff(tokens.offsets)
            usable = (tokens.words >= 0) & (tokens.topics >= 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                for each, out in ((value / count, weighted), (np.where(good, 1.0, np.nan) / count, weights)):
                    terms = np.where(usable, np.repeat(each, lengths), np.nan)
                    counted = np.zeros((n_groups, tokens.n_topics), np.int64)
                    by_topic(terms, tokens.topics, tokens.offsets, group_of, out, counted)
        else:
            np.add.at(weighted, group_of[good], given[good] * value[good, None])
            np.add.at(weights, group_of[good], given[good])
        total[:, 2 : 2 + tokens.n_topics], total[:, 2 + tokens.n_topics :] = weighted, weights
        return total

    def of_model(sums: Floats) -> Floats:
        return ratio(sums[..., 0], sums[..., 1])

    def of_topics(sums: Floats) -> Floats:
        parts = sums[..., 2:]
        return ratio(parts[..., : tokens.n_topics], parts[..., tokens.n_topics :])

    whole_corpus = shares(np.zeros(len(tokens), np.int64), 1)[0]
    by_topics = of_topics(whole_corpus)
    n_documents = int(good.sum())
    some = next((str(r) for r in reason if r), "no document")
    return Levels(
        Values(
            np.array(of_model(whole_corpus)),
            np.array(n_documents),
            np.array("" if n_documents else f"no document is defined: {some}"),
        ),
        topics=judged(by_topics, np.where(np.isnan(by_topics), 0, n_documents), "no document has it"),
        documents=Values(value, count, reason),
        sums=Sums(shares, of_model, of_topics),
    )


def _proportions(tokens: TokenTopics) -> Floats:
    if tokens.doc_topic is None:
        raise MissingInput("word_div(theta='model') needs topic proportions of documents (doc_topic)")
    theta = np.ascontiguousarray(tokens.doc_topic, np.float64)
    if theta.shape != (len(tokens), tokens.n_topics):
        raise InputError(
            f"doc_topic must be {len(tokens)} documents × {tokens.n_topics} topics; got shape {theta.shape}"
        )
    return theta


class Information(NamedTuple):
    """Mutual information of two labellings of the same tokens.

    ``nats`` is the information; ``normalised`` is its share of the mean of both entropies, 0 to 1, nan where
    both are constant; ``n`` tokens have both labels.
    """

    nats: float
    normalised: float
    n: int


def assignment_information(topics: ArrayLike, truth: ArrayLike) -> Information:
    """How much the topics of tokens tell of their true topics: of a corpus that was made with known topics.

    ``I(Z, T)`` over tokens, and ``2 I / (H(Z) + H(T))``. The numbers of topics and truths need not be the
    same, and what they are called does not matter.

    Parameters
    ----------
    topics, truth : int array of shape (N,)
        Two labels of each token; a token with -1 in either is left out.

    Returns
    -------
    Information
        nan without a token that has both.

    Raises
    ------
    InputError
        If they are not of as many tokens.

    References
    ----------
    Shi, Gerlach, Diersen, Downey and Amaral (2019), arXiv:1901.09848.

    Examples
    --------
    >>> assignment_information([0, 0, 1, 1], [5, 5, 3, 3]).normalised
    1.0
    """
    z, t = np.asarray(topics), np.asarray(truth)
    if z.ndim != 1 or z.shape != t.shape:
        raise InputError(
            f"topics and truth must be of the same tokens; got the shapes {z.shape} and {t.shape}"
        )
    if any(side.size and side.dtype.kind not in "iu" for side in (z, t)):
        raise InputError(f"topics and truth must be whole numbers; got {z.dtype} and {t.dtype}")
    both = (z >= 0) & (t >= 0)
    z, t = z[both], t[both]
    if not len(z):
        return Information(np.nan, np.nan, 0)
    _, a = np.unique(z, return_inverse=True)
    _, b = np.unique(t, return_inverse=True)
    of_z, of_t, of_both = (
        _entropy(np.unique(x, return_counts=True)[1]) for x in (a, b, a.astype(np.int64) * len(b) + b)
    )
    nats = max(of_z + of_t - of_both, 0.0)
    mean = (of_z + of_t) / 2
    return Information(nats, min(nats / mean, 1.0) if mean > 0 else np.nan, len(z))


def _x_log_x(x: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x > 0, x * np.log(x), 0.0)


def _entropy(counts: Ints) -> float:
    n = counts.sum()
    return float(np.log(n) - _x_log_x(counts.astype(np.float64)).sum() / n)
