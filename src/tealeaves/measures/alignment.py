"""Which topics of several runs are the same one: optimal pairs, and groups with one topic a run at most."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class Group(NamedTuple):
    """A topic that returns: its number in each run (-1 where it does not), and how alike these are.

    ``stability`` is the mean similarity over all pairs of runs, 0 for a pair that does not have it in both;
    ``similarity`` is the mean over those that do (nan for a topic of one run).
    """

    topics: tuple[int, ...]
    stability: float
    similarity: float

    @property
    def n_runs(self) -> int:
        """In how many runs it is."""
        return sum(topic >= 0 for topic in self.topics)


def present(group: Group) -> list[tuple[int, int]]:
    """The (run, topic) that a group has."""
    return [(run, topic) for run, topic in enumerate(group.topics) if topic >= 0]


def optimal_pairs(distances: Floats) -> tuple[Ints, Ints]:
    """The one-to-one pairs of topics of two runs, min(K_a, K_b) of them, with the least sum of distances.

    Examples
    --------
    >>> i, j = optimal_pairs(1 - np.array([[0.9, 0.8], [0.7, 0.1]]))
    >>> i.tolist(), j.tolist()
    ([0, 1], [1, 0])
    """
    from scipy.optimize import linear_sum_assignment

    i, j = linear_sum_assignment(distances)
    return i, j


def aligned_groups(
    distances: Mapping[tuple[int, int], Floats], n_topics: Sequence[int], threshold: float = 0.5
) -> list[Group]:
    """Topics of all runs in groups: every topic in one, and no two topics of a run together.

    The optimal pairs of every two runs are joined, the nearest first, where neither group has a topic of a
    run of the other, and the mean distance between the two is at most ``threshold``.

    Parameters
    ----------
    distances : mapping of (a, b), a < b, to float array of shape (K_a, K_b)
        For every two runs.
    n_topics : sequence of int
        Of each run.
    threshold : float
        Topics farther apart are not the same.

    Returns
    -------
    list of Group
        Those in most runs first, then the most alike, then by the numbers of their topics.

    Examples
    --------
    >>> [group.topics for group in aligned_groups({(0, 1): np.array([[0.1, 0.9]])}, [1, 2])]
    [(0, 0), (-1, 1)]
    """
    n_runs = len(n_topics)
    members: dict[tuple[int, int], dict[int, int]] = {
        (run, k): {run: k} for run, n in enumerate(n_topics) for k in range(n)
    }
    edges = []
    for (a, b), matrix in distances.items():
        i, j = optimal_pairs(matrix)
        near = matrix[i, j] <= threshold
        edges += [(matrix[p, q], a, p, b, q) for p, q in zip(i[near].tolist(), j[near].tolist(), strict=True)]
    for _, a, p, b, q in sorted(edges):
        one, other = members[a, p], members[b, q]
        if one is other or one.keys() & other.keys():
            continue
        if np.mean(_between(distances, one, other)) <= threshold:
            one.update(other)
            for node in other.items():
                members[node] = one
    found = {id(group): group for group in members.values()}.values()
    groups = [grouped(distances, group, n_runs) for group in found]
    return sorted(
        groups, key=lambda g: (-g.n_runs, -g.stability, [k if k >= 0 else np.inf for k in g.topics])
    )


def _between(
    distances: Mapping[tuple[int, int], Floats], one: Mapping[int, int], other: Mapping[int, int]
) -> list[float]:
    found = []
    for a, p in one.items():
        for b, q in other.items():
            found.append(float(distances[a, b][p, q] if a < b else distances[b, a][q, p]))
    return found


def grouped(distances: Mapping[tuple[int, int], Floats], members: Mapping[int, int], n_runs: int) -> Group:
    """The group of these topics, by run, with how alike they are."""
    runs = sorted(members)
    alike = [
        1.0 - float(distances[a, b][members[a], members[b]])
        for n, a in enumerate(runs)
        for b in runs[n + 1 :]
    ]
    pairs = n_runs * (n_runs - 1) // 2
    return Group(
        tuple(members.get(run, -1) for run in range(n_runs)),
        sum(alike) / pairs if pairs else float("nan"),
        float(np.mean(alike)) if alike else float("nan"),
    )
