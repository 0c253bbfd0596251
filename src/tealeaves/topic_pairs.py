"""How far two topics are apart, by their words and by their documents: what a matcher sees of a pair.

Eight features: cosine, Hellinger, L1 and L2 distance of the words, then of the documents.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.reference_topics import ReferenceTopics
from tealeaves.scaling import rows_to_one

Floats = NDArray[np.float64]
DISTANCES = ("cosine", "hellinger", "l1", "l2")
WORD_FEATURES = tuple(f"word_{name}" for name in DISTANCES)
FEATURES = WORD_FEATURES + tuple(f"doc_{name}" for name in DISTANCES)
SAME = 1e-12  # a distance below is rounding: the topics are the same
NEAR = 1e-3  # sums of products lose digits below: such pairs are computed again, difference by difference
FEW = 0.5  # of the columns: where fewer have any weight, only those are multiplied
BINS = 10


@dataclass(frozen=True)
class Topics:
    """Topics of one model, or reference topics, as a matcher sees them.

    ``weights`` is (K, V) over ``words``; ``documents`` is (K, D), by ``document_ids`` where they are named.
    """

    name: str
    words: tuple[str, ...]
    weights: Floats
    labels: tuple[str, ...]
    documents: Floats | None = None
    document_ids: Sequence[str] | None = None

    @classmethod
    def of(cls, source: Any, name: str | None = None) -> "Topics":
        """Those of a model, or reference topics. A list of words alone weighs 1 a word."""
        if isinstance(source, ReferenceTopics):
            return cls(
                name or source.name,
                source.vocabulary,
                source.topic_word,
                source.labels,
                source.topic_document,
                source.document_ids,
            )
        if not isinstance(source, TopicModel):
            found = type(source).__name__
            raise InputError(f"a topic model or reference topics are wanted; got {found}")
        name = name or source.name
        labels = source.topic_names or tuple(str(k) for k in range(source.n_topics))
        theta = source.doc_topic
        documents = None if theta is None else np.ascontiguousarray(theta.T)
        ids = None if documents is None or source.corpus is None else source.corpus.ids
        if source.topic_word is not None:
            if (source.topic_word < 0).any():
                raise InputError(
                    f"model {name!r} has negative weights of words, as LSI has: its topics have no distances"
                )
            return cls(name, source.vocabulary, source.topic_word, labels, documents, ids)
        lists = source.top_words(10_000)
        place = {word: i for i, word in enumerate(dict.fromkeys(w for words in lists for w in words))}
        weights = np.zeros((len(lists), len(place)))
        for row, words in zip(weights, lists, strict=True):
            row[[place[word] for word in words]] = 1.0
        return cls(name, tuple(place), weights, labels, documents, ids)

    def __len__(self) -> int:
        return len(self.weights)


def pair_features(
    word_a: ArrayLike, word_b: ArrayLike, doc_a: ArrayLike | None = None, doc_b: ArrayLike | None = None
) -> Floats:
    """The features of one pair, or of each row of two arrays: 4 of words and, if handed over, 4 of documents.

    The cosine distance is of the vectors as they are, the others are of vectors scaled to sum 1: Hellinger is
    ``|sqrt(p) - sqrt(q)| / sqrt(2)``, L1 the sum of ``|p - q|``, L2 the root of the sum of its squares.

    Returns
    -------
    float array
        (4,) or (8,), in the order of ``FEATURES``; of rows, (n, 4) or (n, 8). A vector without any weight is
        at cosine distance 1 from every other one, and a warning says so.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312, Appendix E.

    Examples
    --------
    >>> pair_features([1, 1, 2], [2, 0, 2]).round(3)
    array([0.134, 0.383, 0.5  , 0.354])
    """
    if (doc_a is None) != (doc_b is None):
        raise InputError("documents are wanted of both topics of a pair, or of neither")
    vectors = [(word_a, word_b)] if doc_a is None or doc_b is None else [(word_a, word_b), (doc_a, doc_b)]
    parts, empty = [], 0
    for first, second in vectors:
        a, b = (np.asarray(x, dtype=np.float64) for x in (first, second))
        if a.shape != b.shape or a.ndim not in (1, 2):
            raise InputError(f"vectors of a pair must be equally long; they are {a.shape} and {b.shape}")
        if (a < 0).any() or (b < 0).any() or not (np.isfinite(a).all() and np.isfinite(b).all()):
            raise InputError("weights of words and documents must be finite and at least 0")
        empty += int((~a.any(axis=-1)).sum() + (~b.any(axis=-1)).sum())
        parts.append(row_distances(np.atleast_2d(a), np.atleast_2d(b)).reshape(*a.shape[:-1], 4))
    if empty:
        warnings.warn(f"{empty} topic vectors have no weight: their cosine distance is 1", stacklevel=2)
    return np.concatenate(parts, axis=-1)


def row_distances(a: Floats, b: Floats) -> Floats:
    """The four distances of each row of ``a`` to the same row of ``b``, (n, 4), difference by difference."""
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    cosine = np.divide((a * b).sum(axis=1), norms, out=np.zeros(len(a)), where=norms > 0)
    p, q = rows_to_one(a), rows_to_one(b)
    difference = p - q
    result = np.stack(
        [
            np.clip(1 - cosine, 0.0, 1.0),
            np.linalg.norm(np.sqrt(p) - np.sqrt(q), axis=1) / np.sqrt(2),
            np.abs(difference).sum(axis=1),
            np.linalg.norm(difference, axis=1),
        ],
        axis=1,
    )
    return _snapped(result)


def all_distances(a: Floats, b: Floats) -> Floats:
    """The four distances of every row of ``a`` to every row of ``b``, (R, K, 4).

    Cosine, Hellinger and L2 are products of matrices; L1 goes along what is not 0 in ``a``, so hand over the
    sparser topics first. What comes out near 0, where products lose digits, is computed again by differences:
    the same topics are at distance 0 exactly.

    Examples
    --------
    >>> all_distances(np.array([[1.0, 1.0, 2.0]]), np.array([[2.0, 0.0, 2.0], [3.0, 3.0, 6.0]])).round(3)
    array([[[0.134, 0.383, 0.5  , 0.354],
            [0.   , 0.   , 0.   , 0.   ]]])
    """
    from tealeaves._kernels.distances import l1_from_sparse

    p, q = rows_to_one(a), rows_to_one(b)
    squares = np.einsum("rv,rv->r", p, p)[:, None], np.einsum("kv,kv->k", q, q)[None, :]
    totals = q.sum(axis=1)
    halves = (p.sum(axis=1)[:, None] + totals[None, :]) / 2
    used = p.any(axis=0)  # what only q has is in its sums
    if used.mean() < FEW:
        p, q = p[:, used], q[:, used]
    dot = p @ q.T
    norms = np.sqrt(squares[0] * squares[1])
    result = np.empty((len(a), len(b), 4))
    result[..., 0] = np.clip(1 - np.divide(dot, norms, out=np.zeros(dot.shape), where=norms > 0), 0.0, 1.0)
    result[..., 1] = np.sqrt(np.maximum(halves - np.sqrt(p) @ np.sqrt(q).T, 0.0))
    rows, columns = np.nonzero(p)
    indptr = np.searchsorted(rows, np.arange(len(p) + 1))
    l1 = np.empty(dot.shape)
    l1_from_sparse(indptr, columns, p[rows, columns], np.ascontiguousarray(q.T), totals, l1)
    result[..., 2] = l1
    result[..., 3] = np.sqrt(np.maximum(squares[0] + squares[1] - 2 * dot, 0.0))
    scale = np.sqrt(squares[0] + squares[1])
    near = (result[..., 1] < NEAR) | (result[..., 2] < NEAR) | (result[..., 3] < NEAR * scale)
    for r in np.flatnonzero(near.any(axis=1)):
        ks = np.flatnonzero(near[r])
        result[r, ks] = row_distances(np.broadcast_to(a[r], (len(ks), a.shape[1])), b[ks])
    return _snapped(result)


def all_features(first: Topics, second: Topics, *, documents: bool = True) -> Floats:
    """Features of every pair of topics, (R, K, 8), or (R, K, 4) of words alone.

    Raises
    ------
    InputError
        If documents are wanted, but they are not there or are other ones; it says which.
    """
    words = all_distances(*on_same_words(first, second))
    if not documents:
        return words
    if lacking := why_no_documents(first, second):
        raise InputError(lacking)
    return np.concatenate([words, all_distances(*on_same_documents(first, second))], axis=2)


def on_same_words(a: Topics, b: Topics) -> tuple[Floats, Floats]:
    """Weights of both over the words of either, (R, W) and (K, W)."""
    return _union(a.words, a.weights, b.words, b.weights)


def on_same_documents(a: Topics, b: Topics) -> tuple[Floats, Floats]:
    """Weights of both over the documents of either: by their ids, or by their order where they have none."""
    if a.documents is None or b.documents is None:
        raise InputError(why_no_documents(a, b))
    if a.document_ids is None or b.document_ids is None:
        return a.documents, b.documents
    return _union(a.document_ids, a.documents, b.document_ids, b.documents)


def why_no_documents(a: Topics, b: Topics) -> str:
    """Why the documents of two sets of topics cannot be compared; "" where they can."""
    for topics in (a, b):
        if topics.documents is None:
            return f"{topics.name!r} has words of its topics, but no documents (doc_topic, topic_document)"
    if a.document_ids is not None and b.document_ids is not None:
        if not set(a.document_ids).intersection(b.document_ids):
            return f"{a.name!r} and {b.name!r} have no document in common: their ids differ"
    elif (counts := [t.documents.shape[1] for t in (a, b) if t.documents is not None])[0] != counts[1]:
        return (
            f"{a.name!r} and {b.name!r} have {counts[0]} and {counts[1]} documents, and not both name them: "
            "which is which is unknown"
        )
    return ""


def distance_bins(distances: ArrayLike, n: int = BINS) -> NDArray[np.int64]:
    """Which of ``n`` equal intervals of [0, 1] each distance lies in; the last has 1, too.

    Examples
    --------
    >>> distance_bins([0.0, 0.05, 0.15, 0.95, 1.0]).tolist()
    [0, 0, 1, 9, 9]
    """
    edges = np.arange(1, n) / n
    return np.searchsorted(edges, np.asarray(distances, dtype=np.float64), side="right").astype(np.int64)


def _union(names_a: Sequence[str], a: Floats, names_b: Sequence[str], b: Floats) -> tuple[Floats, Floats]:
    if tuple(names_a) == tuple(names_b):
        return a, b
    index = {name: i for i, name in enumerate(dict.fromkeys([*names_a, *names_b]))}
    first, second = np.zeros((len(a), len(index))), np.zeros((len(b), len(index)))
    first[:, [index[name] for name in names_a]] = a
    second[:, [index[name] for name in names_b]] = b
    return first, second


def _snapped(distances: Floats) -> Floats:
    distances[distances < SAME] = 0.0
    return distances
