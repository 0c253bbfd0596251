"""Posterior predictive checks: do the words of a topic spread over documents as the model says they do?"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.measures._table import Values, measure

if TYPE_CHECKING:
    from tealeaves.measures.local import TokenTopics

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class PredictiveCheck(NamedTuple):
    """What each of K topics holds, and what R corpora that the model made hold in its place.

    ``observed`` is the mutual information of words and groups among the tokens of the topic, in nats, (K,);
    ``replicates`` the same of tokens drawn again, (R, K); ``tokens`` how many there are. A topic without
    tokens, or whose row of ``topic_word`` is empty, is nan.
    """

    observed: Floats
    replicates: Floats
    tokens: Ints

    @property
    def z(self) -> Floats:
        """How many standard deviations of the replicates the observed lies above their mean, (K,)."""
        spread = self.replicates.std(axis=0, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            result: Floats = (self.observed - self.replicates.mean(axis=0)) / spread
        # What is left of a spread by rounding is none.
        return np.where(spread > 1e-9, result, np.nan)

    @property
    def tail(self) -> Floats:
        """The share of replicates at or above the observed, itself counted as one of them, (K,)."""
        above = (self.replicates >= self.observed).sum(axis=0)
        return np.where(np.isnan(self.z), np.nan, (above + 1) / (len(self.replicates) + 1))


def predictive_check(
    words: NDArray[np.int32],
    topics: NDArray[np.int32],
    groups: Ints,
    topic_word: Floats,
    *,
    replicates: int = 100,
    seed: int = 1,
    workers: int | None = None,
) -> PredictiveCheck:
    """Mutual information of words and groups in each topic, beside that of words drawn from the topic.

    Parameters
    ----------
    words, topics : int arrays of shape (N,)
        The word and the topic of each token; a token with either below 0 is left out.
    groups : int array of shape (N,)
        The group of each token: its document, or the label or time slice of its document.
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    replicates : int
        Times that all words are drawn again; the tokens keep their topics and groups.
    seed : int
        Of the draws; they are the same on any number of ``workers``.

    Returns
    -------
    PredictiveCheck

    Raises
    ------
    InputError
        If the arrays do not belong together, or there are fewer than 2 replicates.

    Examples
    --------
    Two words that never share a document say that the one topic is two:

    >>> words, documents = np.array([0, 0, 0, 1, 1, 1] * 20), np.repeat(np.arange(40), 3)
    >>> check = predictive_check(words, np.zeros(120, int), documents, np.array([[0.5, 0.5]]))
    >>> check.observed.round(3), bool(check.z[0] > 5)
    (array([0.693]), True)
    """
    if not len(words) == len(topics) == len(groups):
        raise InputError(
            f"words, topics and groups must be as long, but are {len(words)}, {len(topics)} and {len(groups)}"
        )
    if replicates < 2:
        raise InputError(f"replicates must be 2 or more; got {replicates!r}")
    from tealeaves._kernels.predictive import information, replicated

    n_topics, n_words = topic_word.shape
    kept = np.flatnonzero((words >= 0) & (topics >= 0))
    order = kept[np.lexsort((groups[kept], topics[kept]))]
    ends = np.searchsorted(topics[order], np.arange(n_topics + 1))
    observed, found = np.full(n_topics, np.nan), np.full((replicates, n_topics), np.nan)

    def check(k: int) -> None:
        mine = order[ends[k] : ends[k + 1]]
        # Which number a word has does not matter to the information, and so not to the draws.
        p = -np.sort(-np.asarray(topic_word[k], dtype=np.float64))
        p = p[p > 0]
        if not len(mine) or not len(p):
            return
        first = np.flatnonzero(np.diff(groups[mine], prepend=groups[mine[0]] - 1))
        bounds = np.append(first, len(mine)).astype(np.int64)
        scratch = np.zeros((2, n_words), np.int64)
        observed[k] = information(words[mine].astype(np.int64), bounds, *scratch)
        drawn = np.empty(replicates)
        replicated(p, bounds, seed, drawn)
        found[:, k] = drawn

    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        list(pool.map(check, range(n_topics)))
    return PredictiveCheck(observed, found, np.diff(ends).astype(np.int64))


@measure(
    "ppc",
    needs=("token_topics", "topic_word"),
    axes=("topic",),
    best=None,
    source="mimno2011",
    range="(-inf, inf)",
    choices={"score": ("z", "tail"), "assign": ("model", "map", "gibbs")},
    conditions={"replicates": (lambda n: n >= 2, "a whole number of at least 2")},
)
def ppc(
    tokens: "TokenTopics",
    topic_word: Floats,
    *,
    score: str = "z",
    assign: str = "model",
    replicates: int = 100,
    seed: int = 1,
) -> Values:
    """Posterior predictive check of each topic: words by documents; neither end is best.

    ``z = (MI - mean MI_rep) / sd MI_rep``. MI is the mutual information of words and documents among the
    tokens of the topic, ``sum n_wd / n log(n_wd n / (n_w n_d))``; MI_rep that of the same tokens with words
    drawn again from the topic. Near 0 where documents use the topic's words alike, as the model assumes;
    above 2 where documents have words of their own: the topic is several, or its words come in bursts.

    Parameters
    ----------
    tokens : TokenTopics
        The word and the topic of each token, document by document.
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    score : {"z", "tail"}
        Standard deviations; or the share of replicates at or above the observed.
    assign : {"model", "map", "gibbs"}
        Where ``evaluate`` takes the topics from: see ``consistency``. "map" gives all copies of a word in a
        document the same topic, which alone raises z: for models without topics of tokens take "gibbs".
    replicates : int
        Times that the words are drawn again, at least 2.
    seed : int
        Of the draws.

    Returns
    -------
    Values
        Of shape (K,), ``n_terms`` tokens; nan for a topic without tokens ("no token"), without words
        ("empty topic"), or whose tokens can only be one way ("one document or one word").

    References
    ----------
    Mimno and Blei (2011), Bayesian checking for topic models, EMNLP, 227-237.

    Examples
    --------
    >>> from tealeaves.measures.local import TokenTopics
    >>> words, offsets = np.array([0, 0, 0, 1, 1, 1] * 20, np.int32), np.arange(0, 121, 3)
    >>> tokens = TokenTopics(words, np.zeros(120, np.int32), offsets, 1)
    >>> bool(ppc(tokens, np.array([[0.5, 0.5]])).value[0] > 5)
    True
    """
    documents = np.repeat(np.arange(len(tokens.offsets) - 1), np.diff(tokens.offsets))
    check = predictive_check(
        tokens.words, tokens.topics, documents, topic_word, replicates=replicates, seed=seed
    )
    value = check.z if score == "z" else check.tail
    empty = topic_word.sum(axis=1) == 0
    undefined = np.where(np.isnan(value), "one document or one word", "")
    reason = np.where(empty, "empty topic", np.where(check.tokens == 0, "no token", undefined))
    return Values(np.where(reason == "", value, np.nan), check.tokens, reason)
