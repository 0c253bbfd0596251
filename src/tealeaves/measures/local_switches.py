"""Local quality by what follows what: whether neighbouring tokens have one topic."""

from math import prod

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import MissingInput
from tealeaves.measures._table import Levels, Sums, measure
from tealeaves.measures._tokens import (
    ASSIGN,
    OF_TOKENS,
    TokenTopics,
    by_document,
    check,
    each_document,
    judged,
    mean_of_terms,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
GAPS = ("kept", "closed")
SENTENCES = ("all", "within", "across")  # in the order of the kernels' ANY, WITHIN, ACROSS
OF_PAIRS = {"assign": ASSIGN, "gaps": GAPS, "sentences": SENTENCES}
NO_PAIR = "no pair of neighbours with topics"


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
    check(OF_TOKENS, assign=assign)
    used, terms = _same_as_next(tokens, gaps, sentences)
    return mean_of_terms(used, terms, NO_PAIR)


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
    check(OF_TOKENS, assign=assign)
    used, terms = _same_as_next(tokens, gaps, sentences)
    return mean_of_terms(used, 1.0 - terms, NO_PAIR)


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

    check(OF_TOKENS, assign=assign)
    used, among = pairs_among(tokens, gaps, sentences)
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
    each_document(used, lambda a, b: variation_by_document(*args, a, b, value, count))
    return Levels(
        judged(sums.value(counts), table.sum(), NO_PAIR),
        topics=judged(sums.topics(counts), n_topic.astype(np.int64), NO_PAIR),
        documents=judged(value, count, NO_PAIR),
        sums=Sums(by_block, sums.value, sums.topics, reflect=True),
    )


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
    _, pairs = by_document(used, terms)
    value = np.empty(len(used))
    args = (used.topics, used.offsets, used.n_topics)
    each_document(used, lambda a, b: alike_by_document(*args, a, b, value))
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

    used, among = pairs_among(tokens, gaps, sentences)
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


def pairs_among(
    tokens: TokenTopics, gaps: str, sentences: str
) -> tuple[TokenTopics, tuple[NDArray[np.int32], int]]:
    """The tokens among which pairs are sought, and what the kernels ask of a pair."""
    check(OF_PAIRS, gaps=gaps, sentences=sentences)
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

    used, among = pairs_among(tokens, gaps, sentences)
    terms = np.empty(len(used.topics))
    each_document(used, lambda a, b: same_as_next(used.topics, used.offsets, *among, a, b, terms))
    return used, terms
