"""Stability: whether other runs of the same model find the same topics."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.measures._table import Levels, Values, measure
from tealeaves.measures.alignment import Group, aligned_groups, grouped, optimal_pairs, present
from tealeaves.measures.distances import DISTANCES, topic_distances

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Distances = Mapping[tuple[int, int], Floats]
SOURCE = "korencic2021"
ONE_RUN = "one run: others are needed to see what returns"


def matched_similarity(a: Floats, b: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """The best one-to-one matching of the topics of two runs: (topics of a, topics of b, their cosine).

    It maximises the sum of cosines over min(K_a, K_b) pairs.

    Parameters
    ----------
    a, b : float arrays of shape (K_a, V) and (K_b, V)
        Topics over the same words, whatever they sum to; an empty row is like nothing (cosine 0).

    Examples
    --------
    >>> i, j, cosine = matched_similarity(np.eye(2), np.eye(2)[::-1])
    >>> i.tolist(), j.tolist(), cosine.tolist()
    ([0, 1], [1, 0], [1.0, 1.0])
    """
    distances = topic_distances(a, b)
    i, j = optimal_pairs(distances)
    return i, j, 1.0 - distances[i, j]


def run_distances(
    runs: Sequence[Floats], distance: str = "cosine", top: int = 10
) -> dict[tuple[int, int], Floats]:
    """The distances of the topics of every two runs, (K_a, K_b) by (a, b) with a < b.

    Raises
    ------
    InputError
        If the runs are not over the same number of words.
    """
    if len({run.shape[1] for run in runs}) > 1:
        raise InputError("the runs must be over the same words, but their numbers of words differ")
    pairs = combinations(range(len(runs)), 2)
    return {(a, b): topic_distances(runs[a], runs[b], distance, top) for a, b in pairs}


def matched(distances: Floats) -> float:
    """The mean similarity of the optimal pairs of two runs' topics.

    Examples
    --------
    >>> round(matched(1 - np.array([[0.9, 0.2, 0.5], [0.8, 0.1, 0.3]])), 12)  # (0.5 + 0.8) / 2
    0.65
    """
    i, j = optimal_pairs(distances)
    return float((1.0 - distances[i, j]).mean())


def covers_each_other(distances: Floats, intervals: int | str = 50) -> float:
    """How well the topics of two runs cover each other: the mean of ``au_cdc`` in both directions.

    Examples
    --------
    >>> covers_each_other(np.array([[0.0, 1.0], [1.0, 0.0]]))
    1.0
    """
    from tealeaves.measures.coverage import area_of

    return float(
        (area_of(distances.min(axis=1), intervals).mean() + area_of(distances.min(axis=0), intervals).mean())
        / 2
    )


def both_cover(a: Bools, b: Bools) -> float:
    """Reference topics that both of two runs match, over the number of topics of the smaller.

    Examples
    --------
    >>> both_cover(np.eye(3, 4, dtype=bool), np.eye(3, 4, dtype=bool))
    0.75
    """
    shared = (a.any(axis=1) & b.any(axis=1)).sum()
    return float(shared / min(a.shape[1], b.shape[1]))


def over_pairs(values: Sequence[float] | Floats) -> Values:
    """The mean over pairs of runs; nan for one run alone."""
    if not len(values):
        return Values(np.array(np.nan), np.array(0), np.array(ONE_RUN))
    return Values(np.array(np.mean(values)), np.array(len(values)), np.array(""))


def over_groups(distances: Distances, n_topics: Sequence[int], threshold: float = 0.5) -> Values:
    """How stable each topic of a set of runs is, in the order of `aligned_groups`; 0 if one run has it."""
    if len(n_topics) < 2:
        n = sum(n_topics)
        return Values(np.full(n, np.nan), np.zeros(n, np.int64), np.full(n, ONE_RUN))
    return of_groups(distances, aligned_groups(distances, n_topics, threshold))


def of_groups(distances: Distances, groups: Sequence[Group]) -> Values:
    """How stable groups of topics are by these distances, which need not be those that made them."""
    runs = len(groups[0].topics)
    again = [grouped(distances, dict(present(group)), runs) for group in groups]
    return Values(
        np.array([group.stability for group in again]),
        np.array([group.n_runs for group in again]),
        np.full(len(again), ""),
    )


@measure(
    "instance_stabil",
    needs=("runs",),
    axes=("topic",),
    best="high",
    source=SOURCE,
    range="[0, 1]",
    choices={"distance": DISTANCES},
)
def instance_stabil(runs: Sequence[Floats], *, distance: str = "cosine", top: int = 10) -> Levels:
    """How alike the topics of the runs of a model are, paired one to one; higher is better.

    ``mean over pairs of runs of mean over matched topics of 1 - distance(a_i, b_j)``, where the matching is
    the one of all one-to-one matchings of min(K_a, K_b) topics with the highest sum.

    Parameters
    ----------
    runs : sequence of float arrays of shape (K, V)
        The topics of each run, over the same words; K may differ. An empty topic is like none.
    distance : str
        "cosine", "hellinger", "total_variation", "jensen_shannon", "rescaled_dot" or "average_jaccard": see
        `tealeaves.measures.distances.topic_distances`.
    top : int
        Words of a topic that "average_jaccard" looks at.

    Returns
    -------
    Levels
        Of the model, ``n_terms`` pairs of runs, nan for one run; of topics, those of all runs in groups with
        one topic a run at most: the mean over all pairs of runs of how alike they are, 0 for a pair that
        does not have it in both, and ``n_terms`` the runs that have it.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312; de Waal and Barnard (2008); with
    "average_jaccard" Greene, O'Callaghan and Cunningham (2014).

    Examples
    --------
    >>> runs = [np.eye(2), np.array([[5, 12], [12, 5]]), np.array([[1, 0], [1, 0]])]
    >>> instance_stabil(runs).model.value.round(4)  # (12/13 + 1/2 + (12/13 + 5/13) / 2) / 3
    np.float64(0.6923)
    """
    distances = run_distances(runs, distance, top)
    pairs = [matched(one) for one in distances.values()]
    return Levels(over_pairs(pairs), over_groups(distances, [len(run) for run in runs]))


@measure(
    "document_stabil",
    needs=("runs_documents",),
    axes=("topic",),
    best="high",
    source="belford2018",
    range="[0, 1]",
    choices={"distance": DISTANCES},
)
def document_stabil(runs: Sequence[Floats], *, distance: str = "cosine", top: int = 10) -> Levels:
    """How alike the topics of the runs of a model are by the documents they are in; higher is better.

    ``mean over pairs of runs of mean over matched topics of 1 - distance(a_i, b_j)``: ``instance_stabil`` of
    the weights of documents in topics instead of words.

    Parameters
    ----------
    runs : sequence of float arrays of shape (K, D)
        The weights of documents in the topics of each run; the same documents in all.
    distance : str
        As for ``instance_stabil``.
    top : int
        Documents of a topic that "average_jaccard" looks at.

    Returns
    -------
    Levels
        As for ``instance_stabil``.

    References
    ----------
    Belford, Mac Namee and Greene (2018), Expert Systems with Applications 91, 159-169.

    Examples
    --------
    >>> document_stabil([np.eye(2, 3), np.eye(2, 3)[::-1]]).model.value
    array(1.)
    """
    return instance_stabil(runs, distance=distance, top=top)


@measure(
    "aucdc_stabil",
    needs=("runs",),
    axes=(),
    best="high",
    source=SOURCE,
    range="[0, 1]",
    choices={"distance": DISTANCES},
    words={"intervals": ("exact",)},
)
def aucdc_stabil(
    runs: Sequence[Floats], *, distance: str = "cosine", intervals: int | str = 50, top: int = 10
) -> Values:
    """How well the topics of the runs of a model cover each other; higher is better.

    ``mean over pairs of runs of (au_cdc(a, b) + au_cdc(b, a)) / 2``: no matching is needed, so it is much
    faster than ``instance_stabil`` for many topics, and orders models nearly alike.

    Parameters
    ----------
    runs : sequence of float arrays of shape (K, V)
        As for ``instance_stabil``.
    distance : str
        As for ``instance_stabil``.
    intervals : int or "exact"
        As for ``au_cdc``.
    top : int
        Words of a topic that "average_jaccard" looks at.

    Returns
    -------
    Values
        One value over ``n_terms`` pairs of runs; nan for one run.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312.

    Examples
    --------
    >>> runs = [np.eye(2), np.array([[5, 12], [12, 5]]), np.array([[1, 0], [1, 0]])]
    >>> round(float(aucdc_stabil(runs, intervals="exact").value), 4)
    0.8205
    """
    distances = run_distances(runs, distance, top)
    return over_pairs([covers_each_other(one, intervals) for one in distances.values()])


@measure(
    "refset_stabil",
    needs=("runs_matches",),
    axes=(),
    best="high",
    source=SOURCE,
    range="[0, 1]",
    choices={"distance": ("matcher", *DISTANCES)},
)
def refset_stabil(
    runs: Sequence[Bools], *, distance: str = "matcher", threshold: float = 0.5, top: int = 10
) -> Values:
    """How many reference topics every two runs of a model both find; higher is better.

    ``mean over pairs of runs of |covered(a) & covered(b)| / min(K_a, K_b)``: 1 only if each topic of a run is
    a reference topic of its own, so it grows with the number of reference topics as well.

    Parameters
    ----------
    runs : sequence of bool arrays of shape (R, K)
        Whether each topic of a run matches each reference topic.
    distance : str
        What `tealeaves.stability` matches with: "matcher", the one that was trained, or a distance of
        ``instance_stabil`` that must be at most ``threshold``.
    threshold : float
        The largest distance of a match.
    top : int
        Words of a topic that "average_jaccard" looks at.

    Returns
    -------
    Values
        One value over ``n_terms`` pairs of runs; nan for one run or without reference topics.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312.

    Examples
    --------
    >>> a = np.array([[True, False, False], [False, False, False]])
    >>> round(float(refset_stabil([a, a]).value), 4)
    0.3333
    """
    if any(not len(run) for run in runs):
        return Values(np.array(np.nan), np.array(0), np.array("no reference topics"))
    return over_pairs([both_cover(a, b) for a, b in combinations(runs, 2)])
