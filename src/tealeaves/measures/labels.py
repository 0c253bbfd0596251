"""Labels: whether the topics of documents agree with the classes that somebody gave them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tealeaves.measures._table import Levels, Sums, Values, measure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
UNLABELLED, SEVERAL = -1, -2  # how a document without a class, or with more than one, is marked
ITERATIONS = 1000


def used_documents(doc_topic: Floats, labels: Ints) -> NDArray[np.bool_]:
    """The documents with exactly one label and with any topic: no other has a place in the table."""
    used: NDArray[np.bool_] = (labels >= 0) & (doc_topic.max(axis=1, initial=0) > 0)
    return used


def purity_of(table: Floats) -> Floats:
    """The share of documents in the class that most of their row is of; of a table or of many, (…, K, C)."""
    result: Floats = table.max(axis=-1).sum(axis=-1) / table.sum(axis=(-2, -1))
    return result


def nmi_of(table: Floats) -> Floats:
    """Mutual information of rows and columns over the mean of their entropies, (…, K, C)."""
    p = table / table.sum(axis=(-2, -1), keepdims=True)
    rows, columns = _entropy(p.sum(axis=-1)), _entropy(p.sum(axis=-2))
    joint = _entropy(p.reshape(*p.shape[:-2], -1))
    result: Floats = np.clip(rows + columns - joint, 0, None) / ((rows + columns) / 2)
    return np.clip(result, 0.0, 1.0)


def ari_of(table: Floats) -> Floats:
    """The adjusted Rand index of rows and columns, (…, K, C)."""
    n = table.sum(axis=(-2, -1))
    together = _pairs(table).sum(axis=(-2, -1))
    rows, columns = _pairs(table.sum(axis=-1)).sum(axis=-1), _pairs(table.sum(axis=-2)).sum(axis=-1)
    chance = rows * columns / _pairs(n)
    most = (rows + columns) / 2
    # Every document alone on both sides, or all together on both: the two agree.
    alike = most == chance
    result: Floats = np.where(alike, 1.0, (together - chance) / np.where(alike, 1.0, most - chance))
    return result


def macro_f1_of(table: Floats) -> Floats:
    """The mean over classes of F1, from tables of class by prediction, (…, C, C)."""
    right = np.diagonal(table, axis1=-2, axis2=-1)
    seen = table.sum(axis=-1) + table.sum(axis=-2)
    present = table.sum(axis=-1) > 0  # a class that no resample drew has no F1
    f1 = np.where(present, 2 * right / np.where(seen > 0, seen, 1), 0.0)
    result: Floats = f1.sum(axis=-1) / present.sum(axis=-1)
    return result


@measure("purity", needs=("doc_topic", "labels"), axes=(), best="high", source="zhao2001", range="[0, 1]")
def purity(doc_topic: Floats, labels: Ints) -> Levels:
    """The share of documents whose class is the commonest among those of the same topic; higher is better.

    ``sum_k max_c n_kc / n``, where n_kc counts the documents of class c whose largest topic is k. It
    grows with the number of topics, to 1 where every document has its own: compare equal K only.

    Parameters
    ----------
    doc_topic : float array of shape (D, K)
        Topic proportions of documents; a document belongs to its largest, the first of equals.
    labels : int array of shape (D,)
        The class of each document; below 0 where it has none, or several: it is left out then.

    Returns
    -------
    Levels
        The model's score; ``n_terms`` counts the documents used. nan if they are of fewer than two classes.

    References
    ----------
    Zhao and Karypis (2001), Criterion functions for document clustering, University of Minnesota, 01-40.

    Examples
    --------
    >>> theta = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.1, 0.9]])
    >>> purity(theta, np.array([0, 0, 1, 1])).model.value  # (2 + 1) / 4
    array(0.75)
    """
    return _scored(doc_topic, labels, purity_of)


@measure("nmi", needs=("doc_topic", "labels"), axes=(), best="high", source="strehl2002", range="[0, 1]")
def nmi(doc_topic: Floats, labels: Ints) -> Levels:
    """How much the largest topic of a document tells of its class, from 0 to 1; higher is better.

    ``I(topic; class) / ((H(topic) + H(class)) / 2)``, normalised by the arithmetic mean of the entropies,
    which is scikit-learn's default; by the geometric mean or the larger of them the value is another.

    Parameters
    ----------
    doc_topic : float array of shape (D, K)
        Topic proportions of documents; a document belongs to its largest, the first of equals.
    labels : int array of shape (D,)
        The class of each document; below 0 where it has none, or several: it is left out then.

    Returns
    -------
    Levels
        The model's score; ``n_terms`` counts the documents used. nan if they are of fewer than two classes.

    References
    ----------
    Strehl and Ghosh (2002), Journal of Machine Learning Research 3, 583-617.

    Examples
    --------
    >>> theta = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> nmi(theta, np.array([1, 1, 0, 0])).model.value
    array(1.)
    """
    return _scored(doc_topic, labels, nmi_of)


@measure("ari", needs=("doc_topic", "labels"), axes=(), best="high", source="hubert1985", range="[-0.5, 1]")
def ari(doc_topic: Floats, labels: Ints) -> Levels:
    """Pairs of documents that topics and classes both join or both part, beyond chance; higher is better.

    ``(sum_kc C(n_kc, 2) - E) / ((R + S) / 2 - E)``, where R and S sum ``C(n, 2)`` over topics and over
    classes, and ``E = R S / C(n, 2)`` is what chance gives: 0 for topics drawn at random, 1 for the classes.

    Parameters
    ----------
    doc_topic : float array of shape (D, K)
        Topic proportions of documents; a document belongs to its largest, the first of equals.
    labels : int array of shape (D,)
        The class of each document; below 0 where it has none, or several: it is left out then.

    Returns
    -------
    Levels
        The model's score; ``n_terms`` counts the documents used. nan if they are of fewer than two classes.

    References
    ----------
    Hubert and Arabie (1985), Journal of Classification 2, 193-218.

    Examples
    --------
    >>> theta = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    >>> ari(theta, np.array([0, 1, 0, 1])).model.value  # (0 - 2/3) / (2 - 2/3)
    array(-0.5)
    """
    return _scored(doc_topic, labels, ari_of)


@measure(
    "label_f1",
    needs=("doc_topic", "labels"),
    axes=(),
    best="high",
    source="phan2008",
    range="[0, 1]",
    conditions={"folds": (lambda folds: folds >= 2, "a whole number of at least 2")},
)
def label_f1(doc_topic: Floats, labels: Ints, *, folds: int = 5, seed: int = 1) -> Levels:
    """How well classes are predicted from topic proportions: macro F1, from 0 to 1; higher is better.

    ``mean over classes of 2 TP / (2 TP + FP + FN)``. Each document is predicted once, by a logistic
    regression (scikit-learn's, C=1) that was fitted to the other folds; TP, FP and FN are added up over all
    folds before F1 is taken.

    Parameters
    ----------
    doc_topic : float array of shape (D, K)
        Topic proportions of documents.
    labels : int array of shape (D,)
        The class of each document; below 0 where it has none, or several: it is left out then.
    folds : int
        Parts of equal class shares. A class of fewer documents is left out, with its documents.
    seed : int
        Of the division into folds.

    Returns
    -------
    Levels
        The model's score; ``n_terms`` counts the documents predicted. nan if they are of fewer than two
        classes.

    References
    ----------
    Phan, Nguyen and Horiguchi (2008), Proceedings of WWW, 91-100, for topics as features of a classifier.
    Forman and Scholz (2010), ACM SIGKDD Explorations 12(1), 49-57, for F1 over all folds at once.

    Examples
    --------
    >>> theta = np.repeat([[0.9, 0.1], [0.1, 0.9]], 5, axis=0)
    >>> label_f1(theta, np.repeat([0, 1], 5)).model.value
    array(1.)
    """
    used = used_documents(doc_topic, labels)
    sizes = np.bincount(labels[used], minlength=1)
    large = np.flatnonzero(sizes >= folds)
    used &= np.isin(labels, large)
    classes = np.searchsorted(large, labels[used]).astype(np.int64)
    if len(large) < 2:
        which = f" of {folds} documents or more" if (sizes > 0).sum() >= 2 else ""
        return _undefined(len(classes), labels, which)
    predicted = _predictions(doc_topic[used], classes, folds, seed)
    return _levels(classes, predicted, used, (len(large), len(large)), macro_f1_of)


def _predictions(theta: Floats, classes: Ints, folds: int, seed: int) -> Ints:
    """The class of each document, as the other folds predict it."""
    from tealeaves._optional import require

    divide = require("sklearn.model_selection", "fit").StratifiedKFold(folds, shuffle=True, random_state=seed)
    regression = require("sklearn.linear_model", "fit").LogisticRegression(max_iter=ITERATIONS)
    predicted = np.empty_like(classes)
    for rest, fold in divide.split(theta, classes):
        predicted[fold] = regression.fit(theta[rest], classes[rest]).predict(theta[fold])
    return predicted


def _scored(doc_topic: Floats, labels: Ints, of: Callable[[Floats], Floats]) -> Levels:
    """A score of the table of leading topics by classes."""
    used = used_documents(doc_topic, labels)
    topics = doc_topic[used].argmax(axis=1).astype(np.int64)  # the first of equals
    classes = labels[used].astype(np.int64)
    if len(np.unique(classes)) < 2:
        return _undefined(len(classes), labels)
    return _levels(topics, classes, used, (doc_topic.shape[1], int(classes.max()) + 1), of)


def _levels(
    rows: Ints,
    columns: Ints,
    used: NDArray[np.bool_],
    shape: tuple[int, int],
    of: Callable[[Floats], Floats],
) -> Levels:
    """A score of the table of rows by columns, with what is needed to draw documents again."""
    size = shape[0] * shape[1]
    cell = rows * shape[1] + columns

    def by_block(block_of: Ints, n_blocks: int) -> Floats:
        counted = np.bincount(block_of[used] * size + cell, minlength=n_blocks * size)
        return counted.reshape(n_blocks, size).astype(np.float64)

    def value(sums: Floats) -> Floats:
        return of(sums.reshape(*sums.shape[:-1], *shape))

    whole = value(by_block(np.zeros(len(used), np.int64), 1))[0]
    total = Values(np.asarray(whole), np.array(len(rows)), np.array(""))
    return Levels(total, sums=Sums(by_block, value, n_documents=len(used)))


def _undefined(n: int, labels: Ints, which: str = "") -> Levels:
    """No score: there are no two classes to tell apart."""
    several = int((labels == SEVERAL).sum())
    reason = f"fewer than two classes{which}" if n or which else "no document has exactly one label"
    reason += f" ({several} documents have several labels)" if several else ""
    return Levels(Values(np.array(np.nan), np.array(n), np.array(reason)))


def _entropy(p: Floats) -> Floats:
    """Along the last axis, in nats."""
    result: Floats = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(axis=-1)
    return result


def _pairs(n: Floats) -> Floats:
    result: Floats = n * (n - 1) / 2
    return result
