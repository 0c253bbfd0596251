"""Local quality: whether the tokens of a document have topics that a reader would give them."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError, MissingInput
from tealeaves.measures._table import Levels, Sums, Values, measure

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
ASSIGN = ("model", "map", "gibbs")
GAPS = ("kept", "closed")
SENTENCES = ("all", "within", "across")  # in the order of the kernels' ANY, WITHIN, ACROSS
OF_PAIRS = {"assign": ASSIGN, "gaps": GAPS, "sentences": SENTENCES}
OF_TOKENS = {"assign": ASSIGN}
OF_WINDOWS = {**OF_TOKENS, "variant": ("existing", "printed")}
OF_DOCUMENTS = {**OF_TOKENS, "theta": ("assignments", "model")}
MANY = 200_000  # tokens, below which threads cost more than they save
NO_PAIR, NO_TOKEN = "no pair of neighbours with topics", "no token with word and topic"


@dataclass(frozen=True, eq=False)
class TokenTopics:
    """The topic of each of N tokens in D documents, in order: what local measures judge.

    Attributes
    ----------
    words : int32 array of shape (N,)
        Ids of the model's vocabulary; -1 for a word that the model does not have.
    topics : int32 array of shape (N,)
        The topic of each token; -1 for a token without one, which keeps its place.
    offsets : int64 array of shape (D + 1,)
        Document i is ``topics[offsets[i]:offsets[i + 1]]``.
    n_topics : int
        K.
    how : "model", "map" or "gibbs"
        Where the topics come from.
    sentences : int32 array of shape (N,), optional
        A number for each token, the same for all of one sentence: see `tealeaves.tokens.sentence_ids`.
    doc_topic : float array of shape (D, K), optional
        Topic proportions of the documents, for ``word_div(theta="model")``.

    Raises
    ------
    InputError
        If the arrays do not belong together.

    Examples
    --------
    >>> tokens = TokenTopics([0, 0, 1], [1, 1, 0], [0, 3], 2)
    >>> float(consistency(tokens).model.value)
    0.5
    """

    words: Ids
    topics: Ids
    offsets: Ints
    n_topics: int
    how: str = "model"
    sentences: Ids | None = None
    doc_topic: Floats | None = None

    def __post_init__(self) -> None:
        words, topics = _whole("words", self.words, np.int32), _whole("topics", self.topics, np.int32)
        offsets = _whole("offsets", self.offsets, np.int64)
        if words.ndim != 1 or words.shape != topics.shape:
            raise InputError(f"there are {words.size} words, but {topics.size} topics: one is wanted of each")
        if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or (np.diff(offsets) < 0).any():
            raise InputError("offsets must begin with 0 and never fall: one more of them than documents")
        if offsets[-1] != len(words):
            raise InputError(f"the offsets end at {offsets[-1]}, but there are {len(words)} tokens")
        if len(topics) and not -1 <= int(topics.min()) <= int(topics.max()) < self.n_topics:
            found = f"{topics.min()} to {topics.max()}"
            raise InputError(
                f"topics must be 0 to {self.n_topics - 1}, or -1 for a token without one; got {found}"
            )
        if len(words) and int(words.min()) < -1:
            raise InputError(f"words must be ids, or -1 for one that the model lacks; got {words.min()}")
        sentences = self.sentences
        if sentences is not None:
            sentences = _whole("sentences", sentences, np.int32)
            if sentences.shape != words.shape:
                raise InputError(f"sentences has {sentences.size} numbers for {len(words)} tokens")
        given = {"words": words, "topics": topics, "offsets": offsets, "sentences": sentences}
        for name, value in given.items():
            object.__setattr__(self, name, value)  # frozen for everyone else

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def closed(self) -> "TokenTopics":
        """The same without the tokens that have no topic: those around them become neighbours."""
        keep = self.topics >= 0
        if keep.all():
            return self
        offsets = np.concatenate([[0], np.cumsum(keep)])[self.offsets]
        sentences = None if self.sentences is None else self.sentences[keep]
        return replace(
            self, words=self.words[keep], topics=self.topics[keep], offsets=offsets, sentences=sentences
        )


@measure(
    "consistency",
    needs=("token_topics",),
    axes=("topic", "document"),
    best="high",
    source="lund2019",
    range="[0, 1]",
    choices=OF_PAIRS,
)
def consistency(
    tokens: TokenTopics, *, assign: str = "model", gaps: str = "kept", sentences: str = "all"
) -> Levels:
    """How often a token has the topic of the token before it; higher is better.

    ``sum of [z_i = z_{i+1}] / number of pairs`` over pairs of neighbours within a document. It is 1 for a
    model that gives a document one topic, whatever it says: read it beside the number of topics and the
    consistency of chance, ``sum_k p_k^2``.

    Parameters
    ----------
    tokens : TokenTopics
        The topic of each token, in order.
    assign : {"model", "map", "gibbs"}
        Where ``evaluate`` takes the topics from: the model's own, or inferred with its topics fixed, as the
        most probable one of each token (``argmax_k theta_dk phi_kw``, so that all copies of a word in a
        document share it) or as a draw. It moves the score.
    gaps : {"kept", "closed"}
        A token without a topic keeps its place, so that its neighbours are no pair; or it is taken out first.
    sentences : {"all", "within", "across"}
        All pairs, only those of one sentence, or only those of two; then ``tokens.sentences`` is needed.

    Returns
    -------
    Levels
        Of the model; of topics: the share among pairs that begin with the topic; of documents. nan without
        a pair, which ``n_terms`` counts.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, 788-796.

    Examples
    --------
    >>> tokens = TokenTopics([0, 0, 1, 1], [0, 0, 1, 1], [0, 3, 4], 2)
    >>> float(consistency(tokens).model.value)  # of the pairs 00 and 01
    0.5
    """
    _check(OF_TOKENS, assign=assign)
    used, terms = _same_as_next(tokens, gaps, sentences)
    return _mean_of_terms(used, terms, NO_PAIR)


@measure(
    "switch_p",
    needs=("token_topics",),
    axes=("topic", "document"),
    best="low",
    source="lund2019",
    range="[0, 1]",
    choices=OF_PAIRS,
)
def switch_p(
    tokens: TokenTopics, *, assign: str = "model", gaps: str = "kept", sentences: str = "all"
) -> Levels:
    """How often the topic changes from one token to the next; lower is better.

    ``sum of [z_i != z_{i+1}] / number of pairs`` over pairs of neighbours within a document, ``1 -
    consistency``. The source prints a sum of equalities under this name; its text and its tables are of
    switches.

    Parameters
    ----------
    tokens : TokenTopics
        The topic of each token, in order.
    assign : {"model", "map", "gibbs"}
        Where ``evaluate`` takes the topics from: see ``consistency``.
    gaps : {"kept", "closed"}
        What a token without a topic is: a place, or nothing.
    sentences : {"all", "within", "across"}
        All pairs, only those of one sentence, or only those of two.

    Returns
    -------
    Levels
        Of the model; of topics: the share among pairs that begin with the topic; of documents. nan without
        a pair, which ``n_terms`` counts.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, 788-796.

    Examples
    --------
    >>> tokens = TokenTopics([0, 0, 1, 1], [0, 0, 1, 1], [0, 4], 2)
    >>> float(switch_p(tokens).model.value.round(3))  # one of 00, 01, 11
    0.333
    """
    _check(OF_TOKENS, assign=assign)
    used, terms = _same_as_next(tokens, gaps, sentences)
    return _mean_of_terms(used, 1.0 - terms, NO_PAIR)


@measure(
    "switch_vi",
    needs=("token_topics",),
    axes=("topic", "document"),
    best="low",
    source="lund2019",
    range="[0, 2 log K]",
    choices=OF_PAIRS,
)
def switch_vi(
    tokens: TokenTopics, *, assign: str = "model", gaps: str = "kept", sentences: str = "all"
) -> Levels:
    """How little a token's topic tells of the next one's, and the other way round, in nats; lower is better.

    Variation of information ``H(S) + H(T) - 2 I(S, T)`` of the pairs ``(z_i, z_{i+1})`` within documents. It
    is 0 where every topic has one follower and one forerunner: itself, or always the same other one. So a
    model that switches between the same topics is punished less than by ``switch_p``. It grows with the
    corpus, as long as more documents show more pairs of topics: compare on the same documents only.

    Parameters
    ----------
    tokens : TokenTopics
        The topic of each token, in order.
    assign : {"model", "map", "gibbs"}
        Where ``evaluate`` takes the topics from: see ``consistency``.
    gaps : {"kept", "closed"}
        What a token without a topic is: a place, or nothing.
    sentences : {"all", "within", "across"}
        All pairs, only those of one sentence, or only those of two.

    Returns
    -------
    Levels
        Of the model; of topics: ``H(T | S = k) + H(S | T = k)``, how open it is what follows and what
        precedes the topic; of documents, each by its own pairs. nan without a pair, which ``n_terms`` counts.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, 788-796.

    Examples
    --------
    >>> back_and_forth = TokenTopics([0, 1, 0, 1], [0, 1, 0, 1], [0, 4], 2)
    >>> float(switch_vi(back_and_forth).model.value)
    0.0
    """
    from tealeaves._kernels.local import pair_table, pairs_by_group, variation_by_document

    _check(OF_TOKENS, assign=assign)
    used, among = _pairs(tokens, gaps, sentences)
    k = used.n_topics
    args = (used.topics, used.offsets, *among, k)
    table = pair_table(*args)
    before, after = np.nonzero(table)  # the cells that occur: most of a large table do not
    cell_of = np.full(k * k, -1, np.int64)
    cell_of[before * k + after] = np.arange(len(before))
    sums = _Variation(before, after, k)

    def by_block(block_of: Ints, n_blocks: int) -> Floats:
        counts = np.zeros((n_blocks, len(before)))
        pairs_by_group(*args, cell_of, block_of, counts)
        return counts

    counts = table[before, after].astype(np.float64)
    n_topic = np.bincount(before, counts, k) + np.bincount(after, counts, k)
    value, count = np.empty(len(used)), np.zeros(len(used), np.int64)
    _each_document(used, lambda a, b: variation_by_document(*args, a, b, value, count))
    return Levels(
        _judged(sums.value(counts), table.sum(), NO_PAIR),
        topics=_judged(sums.topics(counts), n_topic.astype(np.int64), NO_PAIR),
        documents=_judged(value, count, NO_PAIR),
        sums=Sums(by_block, sums.value, sums.topics, reflect=True),
    )


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
    _check(OF_TOKENS, assign=assign)
    _check_words(tokens, topic_word)
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

    with ThreadPoolExecutor(_threads(len(tokens.topics))) as pool:
        list(pool.map(rank, range(tokens.n_topics)))
    return _mean_of_terms(tokens, terms, NO_TOKEN)


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

    _check(OF_WINDOWS, assign=assign, variant=variant)
    if not isinstance(s, int | np.integer) or s < 1:
        raise InputError(f"s must be a whole number of tokens to each side, of at least 1; got {s!r}")
    _check_words(tokens, topic_word)
    terms = np.empty(len(tokens.topics))
    word_topic = np.ascontiguousarray(topic_word.T)  # a word's neighbours lie in one row
    args = (tokens.words, tokens.topics, tokens.offsets, word_topic, s, variant == "printed")
    _each_document(tokens, lambda a, b: window_terms(*args, a, b, terms))
    return _mean_of_terms(tokens, terms, NO_TOKEN)


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

    _check(OF_DOCUMENTS, assign=assign, theta=theta)
    _check_words(tokens, topic_word)
    own = theta == "assignments"
    given = np.zeros((0, tokens.n_topics)) if own else _proportions(tokens)
    value, whole = np.empty(len(tokens)), np.empty(len(tokens))
    count = np.zeros(len(tokens), np.int64)
    word_topic = np.ascontiguousarray(topic_word.T)
    args = (tokens.words, tokens.topics, tokens.offsets, word_topic, topic_word.sum(axis=1), given, own)
    _each_document(tokens, lambda a, b: divergence_by_document(*args, a, b, value, count, whole))
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
        return _ratio(sums[..., 0], sums[..., 1])

    def of_topics(sums: Floats) -> Floats:
        parts = sums[..., 2:]
        return _ratio(parts[..., : tokens.n_topics], parts[..., tokens.n_topics :])

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
        topics=_judged(by_topics, np.where(np.isnan(by_topics), 0, n_documents), "no document has it"),
        documents=Values(value, count, reason),
        sums=Sums(shares, of_model, of_topics),
    )


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


def chance_consistency(tokens: TokenTopics) -> float:
    """The consistency of tokens whose topics are drawn alike everywhere: ``sum_k p_k^2``; nan without topics.

    Examples
    --------
    >>> chance_consistency(TokenTopics([0, 0, 0, 0], [0, 0, 0, 1], [0, 4], 2))
    0.625
    """
    counts = np.bincount(tokens.topics[tokens.topics >= 0], minlength=tokens.n_topics)
    return float(((counts / counts.sum()) ** 2).sum()) if counts.sum() else float("nan")


def shuffled_consistency(tokens: TokenTopics, *, gaps: str = "kept", sentences: str = "all") -> float:
    """The consistency to expect if the tokens of each document changed places: what order does not explain.

    Examples
    --------
    >>> round(shuffled_consistency(TokenTopics([0, 0, 0, 0], [0, 0, 1, 1], [0, 4], 2)), 3)
    0.333
    """
    from tealeaves._kernels.local import alike_by_document

    used, terms = _same_as_next(tokens, gaps, sentences)
    _, pairs = _by_document(used, terms)
    value = np.empty(len(used))
    args = (used.topics, used.offsets, used.n_topics)
    _each_document(used, lambda a, b: alike_by_document(*args, a, b, value))
    total = pairs.sum()
    return float(np.where(pairs > 0, value * pairs, 0.0).sum() / total) if total else float("nan")


def pair_counts(tokens: TokenTopics, *, gaps: str = "kept", sentences: str = "all") -> Ints:
    """How often each topic is followed by each in neighbouring tokens, (K, K); as ``switches`` shows them.

    Examples
    --------
    >>> pair_counts(TokenTopics([0, 0, 0], [0, 0, 1], [0, 3], 2))
    array([[1, 1],
           [0, 0]])
    """
    from tealeaves._kernels.local import pair_table

    used, among = _pairs(tokens, gaps, sentences)
    table: Ints = pair_table(used.topics, used.offsets, *among, used.n_topics)
    return table


class _Variation:
    """Variation of information from counts of the pairs that occur: the model's, and its topics'."""

    def __init__(self, before: NDArray[np.intp], after: NDArray[np.intp], n_topics: int) -> None:
        self._cells, self._n_topics = (before, after), n_topics
        self._last: tuple[Floats, Floats, Floats] | None = None  # counts, and what was found for them

    def value(self, counts: Floats) -> Floats:
        """Of the model: (..., cells) to (...)."""
        return self._found(counts)[1].reshape(counts.shape[:-1])

    def topics(self, counts: Floats) -> Floats:
        """Of topics: (..., cells) to (..., K)."""
        return self._found(counts)[2].reshape(*counts.shape[:-1], self._n_topics)

    def _found(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        from tealeaves._kernels.local import variation

        if self._last is None or self._last[0] is not counts:  # both are asked of the same counts
            rows = np.ascontiguousarray(counts.reshape(prod(counts.shape[:-1]), counts.shape[-1]))
            value, topics = np.empty(len(rows)), np.empty((len(rows), self._n_topics))
            variation(rows, *self._cells, value, topics)
            self._last = (counts, value, topics)
        return self._last


def _pairs(
    tokens: TokenTopics, gaps: str, sentences: str
) -> tuple[TokenTopics, tuple[NDArray[np.int32], int]]:
    """The tokens among which pairs are sought, and what the kernels ask of a pair."""
    _check(OF_PAIRS, gaps=gaps, sentences=sentences)
    if sentences != "all" and tokens.sentences is None:
        raise MissingInput(
            f"sentences={sentences!r} needs the sentence of each token: TokenTopics(..., sentences=...), "
            "as tealeaves.tokens.sentence_ids(corpus) finds them"
        )
    used = tokens.closed() if gaps == "closed" else tokens
    ids = used.sentences if used.sentences is not None else np.empty(0, np.int32)
    return used, (ids, SENTENCES.index(sentences))


def _same_as_next(tokens: TokenTopics, gaps: str, sentences: str) -> tuple[TokenTopics, Floats]:
    from tealeaves._kernels.local import same_as_next

    used, among = _pairs(tokens, gaps, sentences)
    terms = np.empty(len(used.topics))
    _each_document(used, lambda a, b: same_as_next(used.topics, used.offsets, *among, a, b, terms))
    return used, terms


def _mean_of_terms(tokens: TokenTopics, terms: Floats, nothing: str) -> Levels:
    """The mean of a number of each token, over the model's tokens, each topic's and each document's."""
    from tealeaves._kernels.local import by_topic

    k = tokens.n_topics

    def by_block(group_of: Ints, n_groups: int) -> Floats:
        total, count = np.zeros((n_groups, k)), np.zeros((n_groups, k), np.int64)
        by_topic(terms, tokens.topics, tokens.offsets, group_of, total, count)
        return np.concatenate([total, count], axis=1)

    def of_model(sums: Floats) -> Floats:
        return _ratio(sums[..., :k].sum(-1), sums[..., k:].sum(-1))

    def of_topics(sums: Floats) -> Floats:
        return _ratio(sums[..., :k], sums[..., k:])

    whole = by_block(np.zeros(len(tokens), np.int64), 1)[0]
    counts = whole[k:].astype(np.int64)
    total, count = _by_document(tokens, terms)
    return Levels(
        _judged(of_model(whole), counts.sum(), nothing),
        topics=_judged(of_topics(whole), counts, nothing),
        documents=_judged(_ratio(total, count), count, nothing),
        sums=Sums(by_block, of_model, of_topics),
    )


def _by_document(tokens: TokenTopics, terms: Floats) -> tuple[Floats, Ints]:
    from tealeaves._kernels.local import by_document

    total, count = np.zeros(len(tokens)), np.zeros(len(tokens), np.int64)
    _each_document(tokens, lambda a, b: by_document(terms, tokens.offsets, a, b, total, count))
    return total, count


def _each_document(tokens: TokenTopics, work: Callable[[int, int], Any]) -> None:
    """Let threads share the documents, about as many tokens each; what they write does not overlap."""
    threads = _threads(len(tokens.topics))
    cuts = np.searchsorted(tokens.offsets[1:], np.linspace(0, len(tokens.topics), threads + 1)[1:-1])
    bounds = [0, *cuts.tolist(), len(tokens)]
    if threads == 1:
        work(0, len(tokens))
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, bounds[:-1], bounds[1:]))


def _threads(n_tokens: int) -> int:
    return 1 if n_tokens < MANY else os.cpu_count() or 1


def _whole(name: str, values: Any, dtype: Any) -> NDArray[Any]:
    """Whole numbers of one type: others would be cut to it without a word."""
    try:
        found = np.asarray(values)
    except ValueError:
        raise InputError(f"{name} must be one array of whole numbers; got lists of unequal length") from None
    if found.size and found.dtype.kind not in "iuf":
        raise InputError(f"{name} must be whole numbers; got {found.dtype}")
    if found.size and found.dtype.kind == "f" and not (good := found == np.floor(found)).all():
        raise InputError(f"{name} must be whole numbers; got {found[~good].flat[0]}")
    limits = np.iinfo(dtype)
    if found.size and not limits.min <= found.min() <= found.max() <= limits.max:
        raise InputError(f"{name} must be at most {limits.max}; got {found.min()} to {found.max()}")
    return np.ascontiguousarray(found, dtype)


def _check(choices: Mapping[str, tuple[str, ...]], **given: str) -> None:
    """Refuse a misspelt choice, which would be taken for another one."""
    for name, value in given.items():
        if value not in choices[name]:
            wanted = ", ".join(map(repr, choices[name]))
            raise InputError(f"{name} must be one of {wanted}; got {value!r}")


def _check_words(tokens: TokenTopics, topic_word: Floats) -> None:
    if np.ndim(topic_word) != 2 or not np.isfinite(topic_word).all():
        found = "nan or infinite weights" if np.ndim(topic_word) == 2 else f"shape {np.shape(topic_word)}"
        raise InputError(f"topic_word must be finite weights of topics × words; got {found}")
    k, v = topic_word.shape
    if k != tokens.n_topics or (len(tokens.words) and int(tokens.words.max()) >= v):
        found = f"tokens of {tokens.n_topics} topics and words up to {tokens.words.max(initial=-1)}"
        raise InputError(f"topic_word has {k} topics of {v} words, but there are {found}")


def _proportions(tokens: TokenTopics) -> Floats:
    if tokens.doc_topic is None:
        raise MissingInput("word_div(theta='model') needs topic proportions of documents (doc_topic)")
    theta = np.ascontiguousarray(tokens.doc_topic, np.float64)
    if theta.shape != (len(tokens), tokens.n_topics):
        raise InputError(
            f"doc_topic must be {len(tokens)} documents × {tokens.n_topics} topics; got shape {theta.shape}"
        )
    return theta


def _judged(value: ArrayLike, count: Any, nothing: str) -> Values:
    counts = np.asarray(count)
    found = np.where(counts > 0, value, np.nan)
    return Values(found, counts, np.where(counts > 0, "", nothing))


def _ratio(total: Any, count: Any) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.asarray(count) > 0, total / np.asarray(count, np.float64), np.nan))


def _x_log_x(x: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x > 0, x * np.log(x), 0.0)


def _entropy(counts: Ints) -> float:
    n = counts.sum()
    return float(np.log(n) - _x_log_x(counts.astype(np.float64)).sum() / n)
