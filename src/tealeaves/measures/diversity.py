"""Diversity: how much the topics of a model repeat each other."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.measures._table import Values, measure

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]
TOP = ("top_words",)
# topics that share a word, one by one
SHARED = "one topic"


def _scalar(value: float, n_terms: int, reason: str = "") -> Values:
    return Values(np.array(value if not reason else np.nan), np.array(n_terms), np.array(reason))


def _held_elsewhere(top_words: Ids) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each top word the number of other topics that hold it, and which places hold a word."""
    there = top_words >= 0
    held = np.bincount(top_words[there], minlength=1)
    return np.where(there, held[top_words] - 1, 0), there


def _per_topic(top_words: Ids, share: Floats, n_words: NDArray[np.int64]) -> Values:
    alone = len(top_words) < 2
    reason = np.where(n_words == 0, "no words", SHARED if alone else "")
    return Values(np.where(reason == "", share, np.nan), n_words, reason)


@measure("diversity", needs=TOP, axes=("topic",), best="high", source="burkhardt2019", range="[0, 1]")
def diversity(top_words: Ids) -> Values:
    """Diversity of each topic: how rarely its words are among those of other topics; higher is better.

    ``d_k = 1 - (1 / (len_k (K - 1))) * sum_i sum_{q != k} [w_i in q]``: 1 for words of its own, 0 for a
    topic whose every word is in every other topic.

    Parameters
    ----------
    top_words : int array of shape (K, N)
        Word ids of K topics, padded with -1 where a topic is shorter.

    Returns
    -------
    Values
        Of shape (K,), ``n_terms`` words each; nan for a model of one topic, or a topic without words.

    References
    ----------
    Burkhardt and Kramer (2019), JMLR 20(131), 1-27. The print lacks 1/len_k; its tables imply it.

    Examples
    --------
    >>> diversity(np.array([[0, 1], [0, 2], [3, 4]])).value
    array([0.75, 0.75, 1.  ])
    """
    others, there = _held_elsewhere(top_words)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = 1 - others.sum(1) / (there.sum(1) * (len(top_words) - 1))
    return _per_topic(top_words, share, there.sum(1))


@measure("topic_overlap", needs=TOP, axes=("topic",), best="low", source="gui2019", range="[0, 1]")
def topic_overlap(top_words: Ids) -> Values:
    """Topic overlap: the share of other topics that hold a word, averaged over words; lower is better.

    The mean over a topic's words of the number of other topics that hold the word, over K - 1: what
    ``diversity`` leaves to 1.

    Parameters
    ----------
    top_words : int array of shape (K, N)
        As for ``diversity``.

    Returns
    -------
    Values
        Of shape (K,); nan for a model of one topic, or a topic without words.

    References
    ----------
    Gui et al. (2019), EMNLP, 3478-3483.

    Examples
    --------
    >>> topic_overlap(np.array([[0, 1], [0, 2], [3, 4]])).value
    array([0.25, 0.25, 0.  ])
    """
    result = diversity(top_words)
    return Values(1 - result.value, result.n_terms, result.reason)


@measure("topic_diversity", needs=TOP, axes=(), best="high", source="dieng2020", range="(0, 1]")
def topic_diversity(top_words: Ids) -> Values:
    """Topic diversity: unique words over all words of the lists; higher is better.

    ``len(set of all top words) / sum of list lengths``. 1/K when all K topics are the same.

    Parameters
    ----------
    top_words : int array of shape (K, N)
        As for ``diversity``; a short list counts with its own length.

    Returns
    -------
    Values
        One value, ``n_terms`` the words of all lists; nan without any word.

    References
    ----------
    Dieng, Ruiz and Blei (2020), TACL 8, 439-453.

    Examples
    --------
    >>> topic_diversity(np.array([[0, 1, 2], [3, -1, -1]])).value
    array(1.)
    """
    words = top_words[top_words >= 0]
    if not len(words):
        return _scalar(np.nan, 0, "no words")
    return _scalar(len(np.unique(words)) / len(words), len(words))


def _overlaps(top_words: Ids) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """For each topic against those before it: sizes of both lists, and shared words at depths 1..n."""
    words, local = np.unique(top_words, return_inverse=True)
    local = local.reshape(top_words.shape)
    k, n = top_words.shape
    there = top_words >= 0
    lengths = there.sum(1)
    rank = np.full((k, len(words)), n, dtype=np.int64)  # n: not in this topic
    rows, places = np.nonzero(there)
    rank[rows, local[rows, places]] = places
    depths = np.arange(n)
    for a in range(1, k):
        deepest = np.maximum(depths, rank[:a][:, local[a]])  # where both lists hold the word
        deepest[:, ~there[a]] = n
        shared = (deepest[:, :, None] <= depths).sum(1)
        yield lengths[a], lengths[:a], shared


def _over_pairs(top_words: Ids, of_pairs: list[Floats]) -> Values:
    if len(top_words) < 2:
        return _scalar(np.nan, 0, SHARED)
    if (top_words < 0).all(1).any():
        return _scalar(np.nan, 0, "no words")
    values = np.concatenate(of_pairs)
    return _scalar(float(values.mean()), len(values))


@measure(
    "inverted_rbo",
    needs=TOP,
    axes=(),
    best="high",
    source="bianchi2021",
    range="[0, 1]",
    conditions={"p": (lambda p: 0 < p < 1, "between 0 and 1, both left out")},
)
def inverted_rbo(top_words: Ids, *, p: float = 0.9) -> Values:
    """Inverted rank-biased overlap: 1 - mean RBO of all pairs of topics; higher is better.

    RBO is the extrapolated form for lists of lengths s <= l (Webber, equation 32), which is at most 1:
    ``(1-p)/p * (sum_{d<=l} X_d/d p^d + sum_{s<d<=l} X_s (d-s)/(s d) p^d) + ((X_l-X_s)/l + X_s/s) p^l``,
    where X_d words are shared at depth d.

    Parameters
    ----------
    top_words : int array of shape (K, N)
        As for ``diversity``; the order matters.
    p : float
        Between 0 and 1: how fast the weight falls with the rank; near 1 all ranks weigh alike.

    Returns
    -------
    Values
        One value over ``n_terms`` pairs; nan for a model of one topic, or if a topic has no words.

    Raises
    ------
    InputError
        If p is not between 0 and 1.

    References
    ----------
    Webber, Moffat and Zobel (2010), ACM TOIS 28(4); Bianchi, Terragni and Hovy (2021), ACL, 759-766.

    Examples
    --------
    >>> round(float(inverted_rbo(np.array([[0, 1], [0, 1]])).value), 12)
    0.0
    """
    if not 0 < p < 1:
        raise InputError(f"inverted_rbo: p must be between 0 and 1, both left out; got {p}")
    values = []
    for length, lengths, shared in _overlaps(top_words):
        with np.errstate(invalid="ignore", divide="ignore"):
            values.append(1 - _rbo_ext(shared, np.minimum(length, lengths), np.maximum(length, lengths), p))
    return _over_pairs(top_words, values)


def _rbo_ext(shared: NDArray[np.int64], s: NDArray[np.int64], n: NDArray[np.int64], p: float) -> Floats:
    """Webber's equation 32 for rows of shared words by depth, lists of s and n words, s <= n."""
    depth = np.arange(1, shared.shape[1] + 1)
    rows = np.arange(len(shared))
    at_s, at_n = shared[rows, s - 1], shared[rows, n - 1]
    weight = np.where(depth <= n[:, None], p**depth / depth, 0.0)
    beyond = np.where(depth > s[:, None], depth - s[:, None], 0) * (at_s / s)[:, None]
    total = (weight * (shared + beyond)).sum(1)
    result: Floats = (1 - p) / p * total + ((at_n - at_s) / n + at_s / s) * p**n
    return np.minimum(result, 1.0)  # 1 for equal lists, but for rounding


@measure("average_jaccard", needs=TOP, axes=(), best="low", source="greene2014", range="[0, 1]")
def average_jaccard(top_words: Ids) -> Values:
    """Average Jaccard of all pairs of topics: how alike their lists are, depth by depth; lower is better.

    The mean over depths 1..N of ``|A_d & B_d| / |A_d | B_d|`` of the first d words of two lists, averaged
    over pairs; a list that has ended stays as it is.

    Parameters
    ----------
    top_words : int array of shape (K, N)
        As for ``diversity``; the order matters.

    Returns
    -------
    Values
        One value over ``n_terms`` pairs; nan for a model of one topic, or if a topic has no words.

    References
    ----------
    Greene, O'Callaghan and Cunningham (2014), ECML PKDD, 498-513.

    Examples
    --------
    >>> round(float(average_jaccard(np.array([[0, 1], [0, 2]])).value), 4)  # (1/1 + 1/3) / 2
    0.6667
    """
    values = []
    depth = np.arange(1, top_words.shape[1] + 1)
    for length, lengths, shared in _overlaps(top_words):
        union = np.minimum(depth, length) + np.minimum(depth, lengths[:, None]) - shared
        with np.errstate(invalid="ignore", divide="ignore"):
            values.append((shared / union).mean(1))
    return _over_pairs(top_words, values)


@measure(
    "exclusivity",
    needs=("topic_word", "top_words"),
    axes=("topic",),
    best="high",
    source="bischof2012",
    range="(0, 1]",
)
def exclusivity(topic_word: Floats, top_words: Ids) -> Values:
    """Exclusivity: how much of its top words' probability a topic has to itself; higher is better.

    The mean over top words w of ``phi_kw / sum_j phi_jw``; 1/K where all topics are the same.

    Parameters
    ----------
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    top_words : int array of shape (K, N)
        Columns of ``topic_word``, padded with -1.

    Returns
    -------
    Values
        Of shape (K,); nan for a topic without words.

    References
    ----------
    Bischof and Airoldi (2012), ICML, 201-208.

    Examples
    --------
    >>> exclusivity(np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([[0], [1]])).value
    array([0.8, 0.8])
    """
    rows, there = np.arange(len(top_words))[:, None], top_words >= 0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = topic_word[rows, top_words] / topic_word.sum(0)[top_words]
        value = np.where(there, share, 0.0).sum(1) / there.sum(1)
    return Values(value, there.sum(1), np.where(there.any(1), "", "no words"))


def _midranks(rows: Floats) -> Floats:
    """Ranks 1..V along each row, ties sharing the mean of theirs."""
    result = np.empty(rows.shape)
    for row, out in zip(rows, result, strict=True):
        _, inverse, counts = np.unique(row, return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        out[:] = (last - (counts - 1) / 2)[inverse]
    return result


@measure(
    "frex",
    needs=("topic_word", "top_words"),
    axes=("topic",),
    best="high",
    source="bischof2012",
    range="(0, n]",
    conditions={"w": (lambda w: 0 <= w <= 1, "from 0 to 1")},
)
def frex(topic_word: Floats, top_words: Ids, *, w: float = 0.7) -> Values:
    """FREX of a topic as R's stm sums it: frequent and exclusive top words; higher is better.

    The sum over top words of ``1 / (w / E + (1 - w) / F)``: E and F are the ranks (over V, from 0 to 1) of
    a word's exclusivity ``phi_kw / sum_j phi_jw`` and of its probability within the topic.

    Parameters
    ----------
    topic_word, top_words
        As for ``exclusivity``.
    w : float
        Weight of exclusivity, from 0 to 1.

    Returns
    -------
    Values
        Of shape (K,); a sum, so it grows with N; nan for a topic without words.

    Raises
    ------
    InputError
        If w is not from 0 to 1.

    References
    ----------
    Bischof and Airoldi (2012), ICML, 201-208; Roberts, Stewart and Tingley (2019), JSS 91(2).

    Examples
    --------
    >>> frex(np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([[0], [1]])).value
    array([1., 1.])
    """
    if not 0 <= w <= 1:
        raise InputError(f"frex: w must be from 0 to 1; got {w}")
    used = topic_word.sum(0) > 0
    share = np.divide(topic_word, topic_word.sum(0), out=np.zeros_like(topic_word), where=used)
    n_words = topic_word.shape[1]
    score = 1 / (w / (_midranks(share) / n_words) + (1 - w) / (_midranks(topic_word) / n_words))
    there = top_words >= 0
    value = np.where(there, score[np.arange(len(top_words))[:, None], top_words], 0.0).sum(1)
    return Values(np.where(there.any(1), value, np.nan), there.sum(1), np.where(there.any(1), "", "no words"))


KINDS = ("cosine", "jensen_shannon", "hellinger", "l1")


def _plogp(p: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(p > 0, p * np.log(p), 0.0)
    return result


def pairwise_distances(topic_word: Floats, kind: str) -> Floats:
    """The distance of every two rows (K, K): 1 - cosine, JSD in nats, Hellinger, or L1."""
    if kind not in KINDS:
        raise InputError(f"topic_distance: kind must be one of {', '.join(KINDS)}; got {kind!r}")
    if kind == "cosine":
        unit = topic_word / np.linalg.norm(topic_word, axis=1, keepdims=True)
        cosine: Floats = np.clip(1 - unit @ unit.T, 0, None)
        return cosine
    if kind == "hellinger":
        root = np.sqrt(topic_word)
        hellinger: Floats = np.sqrt(np.clip(1 - root @ root.T, 0, None))
        return hellinger
    result = np.zeros((len(topic_word), len(topic_word)))
    entropy = -_plogp(topic_word).sum(1)
    for a in range(1, len(topic_word)):
        row, rest = topic_word[a], topic_word[:a]
        if kind == "l1":
            values = np.abs(rest - row).sum(1)
        else:
            values = np.clip(-_plogp((rest + row) / 2).sum(1) - (entropy[:a] + entropy[a]) / 2, 0, None)
        result[a, :a] = result[:a, a] = values
    return result


@measure(
    "topic_distance",
    needs=("topic_word",),
    axes=(),
    best="high",
    source="cao2009",
    range="[0, 2]",
    choices={"kind": KINDS},
)
def topic_distance(topic_word: Floats, *, kind: str = "cosine") -> Values:
    """Mean distance of all pairs of topics over the whole vocabulary; higher is better.

    The mean over pairs j < k of ``distance(phi_j, phi_k)``: by default ``1 - cos(phi_j, phi_k)``.

    Parameters
    ----------
    topic_word : float array of shape (K, V)
        Topics as rows that sum to 1.
    kind : {"cosine", "jensen_shannon", "hellinger", "l1"}
        1 - cosine (0 to 1); Jensen-Shannon divergence in nats, not its root (0 to log 2); Hellinger
        (0 to 1); the sum of absolute differences (0 to 2).

    Returns
    -------
    Values
        One value over ``n_terms`` pairs; nan for a model of one topic, or with an empty row ("empty topic").

    References
    ----------
    Cao et al. (2009), Neurocomputing 72, 1775-1781 (cosine).

    Examples
    --------
    >>> topic_distance(np.eye(3), kind="l1").value
    array(2.)
    """
    if len(topic_word) < 2:
        return _scalar(np.nan, 0, SHARED)
    if (topic_word.sum(1) == 0).any():
        return _scalar(np.nan, 0, "empty topic")
    values = pairwise_distances(topic_word, kind)[np.tril_indices(len(topic_word), k=-1)]
    return _scalar(float(values.mean()), len(values))


def _mean_defined(values: Floats) -> Floats:
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(defined, values, 0.0).sum(-1) / defined.sum(-1)
    return result


@measure(
    "tq",
    needs=("coherence", "diversity", "top_words"),
    axes=("topic",),
    best="high",
    source="dieng2020",
    range="that of the coherence",
    choices={"variant": ("product", "authors")},
)
def tq(
    of_coherence: Values, of_diversity: Values, *, coherence: str = "npmi", variant: str = "product"
) -> Values:
    """Topic quality: coherence times diversity; higher is better.

    The mean over topics of ``coherence_k * d_k`` (``diversity``), both of the same top words.

    Parameters
    ----------
    of_coherence, of_diversity : Values of shape (K,)
        The two measures of K topics.
    coherence : str
        The coherence measure, as a spec without ``@n``: ``"npmi"``, ``"c_v"``, ``"npmi(window=10)"``.
    variant : {"product", "authors"}
        "authors": the product of the two means, one value for the model.

    Returns
    -------
    Values
        Of shape (K,), or one value for ``variant="authors"``; nan where either is.

    References
    ----------
    Dieng, Ruiz and Blei (2020), TACL 8, 439-453; Karakkaparambil James et al. (2024), NAACL.

    Examples
    --------
    >>> half = Values(np.array([0.5, 0.2]), np.array([1, 1]), np.array(["", ""]))
    >>> tq(half, half).value
    array([0.25, 0.04])
    """
    c, d = of_coherence, of_diversity
    if variant == "authors":
        both = ~np.isnan(c.value) & ~np.isnan(d.value)
        value = _mean_defined(np.where(both, c.value, np.nan)) * _mean_defined(
            np.where(both, d.value, np.nan)
        )
        return Values(value, both.sum(-1), np.where(np.isnan(value), "no topic has both", ""))
    reason = np.where(c.reason != "", c.reason, d.reason)
    return Values(np.where(reason == "", c.value * d.value, np.nan), c.n_terms, reason)
