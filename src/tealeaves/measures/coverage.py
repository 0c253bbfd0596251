"""Coverage: whether a model finds the topics that an analyst is looking for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.measures._table import Levels, Values, measure
from tealeaves.measures.distances import IDENTICAL

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
SOURCE = "korencic2021"
NOTHING = "no reference topics"


def closest(distances: Floats) -> Floats:
    """The distance of each reference topic to the topic nearest to it, (R,); 1 where there is no topic."""
    result: Floats = distances.min(axis=1, initial=1.0)
    return result


def cd_curve(distances: Floats, thresholds: Floats | None = None) -> tuple[Floats, Floats]:
    """The share of reference topics with a topic at most so far away, at each threshold.

    Parameters
    ----------
    distances : float array of shape (R, K)
        Of each reference topic to each topic, 0 to 1.
    thresholds : float array, optional
        51 of them, from 0 to 1, if not said.

    Returns
    -------
    thresholds, coverage : float arrays
        Coverage never falls as the threshold grows.

    Examples
    --------
    >>> cd_curve(np.array([[0.0], [0.5]]), np.array([0.0, 0.25, 0.5]))[1]
    array([0.5, 0.5, 1. ])
    """
    points = np.linspace(0.0, 1.0, 51) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    nearest = np.sort(closest(distances))
    # a distance that should be exactly on a threshold is not put beyond it by rounding
    covered = np.searchsorted(nearest, points + IDENTICAL, side="right")
    return points, covered / max(len(nearest), 1)


def area_of(nearest: Floats, intervals: int | str = 50) -> Floats:
    """What each reference topic adds to the area under the curve, by how far its nearest topic is.

    With "exact" that is 1 - distance; on a grid the trapezoids make it 1 for distance 0, and 1 - k h + h / 2
    for one that is covered from threshold k h on. ``au_cdc`` is the mean.

    Examples
    --------
    >>> area_of(np.array([0.0, 1 / 13, 1.0]))
    array([1.  , 0.93, 0.01])
    """
    if intervals == "exact":
        exact: Floats = 1.0 - nearest
        return exact
    n = int(intervals)
    # a distance that should be exactly on a threshold is not put beyond it by rounding
    k = np.ceil(np.maximum(nearest - IDENTICAL, 0.0) * n)
    result: Floats = np.where(k == 0, 1.0, (n - k + 0.5) / n)
    return result


def threshold_of(distances: Floats, coverage: float) -> float:
    """The least threshold at which so large a share of reference topics is covered; nan if none is.

    Examples
    --------
    >>> threshold_of(np.array([[0.1], [0.3]]), 0.5)
    0.1
    """
    if not 0 <= coverage <= 1:
        raise InputError(f"coverage is a share from 0 to 1; got {coverage!r}")
    nearest = np.sort(closest(distances))
    if not len(nearest):
        return float("nan")
    return float(nearest[max(int(np.ceil(coverage * len(nearest) - 1e-9)) - 1, 0)])


@measure(
    "au_cdc",
    needs=("reference_distances",),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="[0, 1]",
    words={"intervals": ("exact",)},
)
def au_cdc(distances: Floats, *, intervals: Any = 50) -> Levels:
    """Area under the coverage-distance curve; higher is better.

    ``integral over t in [0, 1] of |{r : min_k d(r, k) <= t}| / R``, by trapezoids over equal intervals: 1 if
    every reference topic is a topic of the model, near 0 if none is like any.

    Parameters
    ----------
    distances : float array of shape (R, K)
        Cosine distance of each reference topic to each topic of the model.
    intervals : int or "exact"
        Into how many [0, 1] is cut; 49 is the authors' program, which has 50 points. "exact" is the integral
        of the step curve itself, ``1 - mean(min_k d(r, k))``.

    Returns
    -------
    Levels
        Of the model, ``n_terms`` reference topics; of topics, ``1 - min_r d(r, k)``: how near a reference
        topic is; of reference topics, ``1 - min_k d(r, k)``. nan without reference topics.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312.

    Examples
    --------
    >>> au_cdc(np.array([[0.0, 1.0], [0.9, 0.5]]), intervals="exact").model.value
    array(0.75)
    """
    n_reference, n_topics = distances.shape
    if not n_reference:
        nothing = Values(np.array(np.nan), np.array(0), np.array(NOTHING))
        empty = np.full(n_topics, np.nan), np.zeros(n_topics, np.int64), np.full(n_topics, NOTHING)
        return Levels(nothing, Values(*empty))
    nearest = closest(distances)
    value = area_of(nearest, intervals).mean()
    of_topics = 1.0 - distances.min(axis=0)
    return Levels(
        Values(np.array(value), np.array(n_reference), np.array("")),
        Values(of_topics, np.full(n_topics, n_reference), np.full(n_topics, "")),
        references=Values(1.0 - nearest, np.full(n_reference, n_topics), np.full(n_reference, "")),
    )


def _matched(matches: Bools) -> Levels:
    n_reference, n_topics = matches.shape
    if not n_reference:
        nothing = Values(np.array(np.nan), np.array(0), np.array(NOTHING))
        empty = np.full(n_topics, np.nan), np.zeros(n_topics, np.int64), np.full(n_topics, NOTHING)
        return Levels(nothing, Values(*empty))
    covered, useful = matches.any(axis=1), matches.any(axis=0)
    return Levels(
        Values(np.array(covered.mean()), np.array(n_reference), np.array("")),
        Values(useful.astype(float), np.full(n_topics, n_reference), np.full(n_topics, "")),
        references=Values(covered.astype(float), np.full(n_reference, n_topics), np.full(n_reference, "")),
    )


@measure(
    "sup_cov",
    needs=("reference_matches",),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="[0, 1]",
)
def sup_cov(matches: Bools) -> Levels:
    """Share of the reference topics that some topic of the model matches; higher is better.

    ``|{r : a topic k matches r}| / R``, where a matcher that was trained on people's judgements decides:
    recall.

    Parameters
    ----------
    matches : bool array of shape (R, K)
        Whether topic k matches reference topic r.

    Returns
    -------
    Levels
        Of the model, ``n_terms`` reference topics; of topics, 1 if it matches any, else 0; of reference
        topics, 1 if any matches it. nan without reference topics.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312.

    Examples
    --------
    >>> sup_cov(np.array([[True, True], [False, False]])).model.value
    array(0.5)
    """
    return _matched(matches)


@measure(
    "sup_cov_nocos",
    needs=("reference_matches_nocos",),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="[0, 1]",
)
def sup_cov_nocos(matches: Bools) -> Levels:
    """Share of the reference topics matched, by a matcher that sees no cosine distance; higher is better.

    ``|{r : a topic k matches r}| / R``; it shows that agreement of ``sup_cov`` with ``au_cdc`` does not come
    from the cosine that both would share.

    Parameters
    ----------
    matches : bool array of shape (R, K)
        Whether topic k matches reference topic r, by the other six features.

    Returns
    -------
    Levels
        As for ``sup_cov``.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312.

    Examples
    --------
    >>> sup_cov_nocos(np.array([[True, True], [False, False]])).model.value
    array(0.5)
    """
    return _matched(matches)


@measure(
    "precision",
    needs=("reference_matches",),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="[0, 1]",
    choices={"variant": ("any", "max_matching", "first_match")},
)
def precision(matches: Bools, *, variant: str = "any") -> Levels:
    """Share of the model's topics that match a reference topic; higher is better.

    ``|{k : k matches a reference topic}| / K``.

    Parameters
    ----------
    matches : bool array of shape (R, K)
        Whether topic k matches reference topic r.
    variant : {"any", "max_matching", "first_match"}
        Every topic that matches counts; or a reference topic counts once, for the largest one-to-one matching
        (the source's text); or once, for the first topic in the model's order that matches it (the authors'
        program, whose value depends on that order).

    Returns
    -------
    Levels
        Of the model, ``n_terms`` topics; of topics, 1 if it counts, else 0. nan for a model without topics or
        without reference topics.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312.

    Examples
    --------
    >>> precision(np.array([[True, True, False]])).model.value.round(3)
    np.float64(0.667)
    >>> precision(np.array([[True, True, False]]), variant="max_matching").model.value.round(3)
    np.float64(0.333)
    """
    n_reference, n_topics = matches.shape
    if not n_reference or not n_topics:
        reason = NOTHING if not n_reference else "no topics"
        nothing = Values(np.array(np.nan), np.array(0), np.array(reason))
        return Levels(
            nothing,
            Values(np.full(n_topics, np.nan), np.zeros(n_topics, np.int64), np.full(n_topics, reason)),
        )
    if variant == "any":
        counted = matches.any(axis=0)
    elif variant == "max_matching":
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import maximum_bipartite_matching

        counted = maximum_bipartite_matching(csr_matrix(matches.T), perm_type="column") >= 0
    else:
        counted = np.zeros(n_topics, dtype=bool)
        counted[np.argmax(matches, axis=1)[matches.any(axis=1)]] = True
    return Levels(
        Values(np.array(counted.mean()), np.array(n_topics), np.array("")),
        Values(counted.astype(float), np.full(n_topics, n_reference), np.full(n_topics, "")),
    )
