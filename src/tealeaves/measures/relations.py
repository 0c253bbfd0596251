"""Relations of reference topics and topics of a model: resolved, fused, repeated, missing, junk."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
CONCEPTS = ("resolved", "fused", "repeated", "missing")
TOPICS = ("single", "fused", "junk")


class Relations(NamedTuple):
    """What each reference topic (``concepts``, (R,)) and each topic of the model (``topics``, (K,)) is."""

    concepts: tuple[str, ...]
    topics: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        """How many there are of each kind."""
        of_concepts = {f"{kind} reference topics": self.concepts.count(kind) for kind in CONCEPTS}
        return of_concepts | {f"{kind} topics": self.topics.count(kind) for kind in TOPICS}


def relations(matches: Bools) -> Relations:
    """Name each reference topic and each topic by what it matches.

    A topic is "junk" if it matches no reference topic, "fused" if it matches several, else "single". A
    reference topic is "missing" if no topic matches it, "repeated" if several do, "fused" if its one topic
    is, else "resolved".

    Parameters
    ----------
    matches : bool array of shape (R, K)
        Whether topic k matches reference topic r.

    References
    ----------
    Chuang, Gupta, Manning and Heer (2013), ICML, 612-620.

    Examples
    --------
    >>> found = relations(np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]], bool))
    >>> found.concepts
    ('resolved', 'fused', 'fused', 'missing')
    >>> found.topics
    ('single', 'fused', 'junk')
    """
    of_topic, of_reference = matches.sum(axis=0), matches.sum(axis=1)
    topics = np.array(["junk", "single", "fused"])[np.minimum(of_topic, 2)]
    concepts = []
    for row, n in zip(matches, of_reference, strict=True):
        if n == 1:
            concepts.append("fused" if of_topic[int(np.argmax(row))] > 1 else "resolved")
        else:
            concepts.append("missing" if n == 0 else "repeated")
    return Relations(tuple(concepts), tuple(map(str, topics)))


def match_counts(probabilities: Floats) -> Floats:
    """The distribution of how many of a row's matches are true, (n, m + 1), if they are independent.

    Of rows of reference topics, P(0) is that of "missing" and P(2 or more) of "repeated"; of the transposed
    matrix, of "junk" and of "fused".

    Parameters
    ----------
    probabilities : float array of shape (n, m)
        That row i matches column j.

    References
    ----------
    Chuang, Gupta, Manning and Heer (2013), ICML, 612-620.

    Examples
    --------
    >>> match_counts(np.array([[0.5, 0.0], [0.5, 1.0]]))
    array([[0.5, 0.5, 0. ],
           [0. , 0.5, 0.5]])
    """
    n, m = probabilities.shape
    found = np.zeros((n, m + 1))
    found[:, 0] = 1.0
    for j in range(m):
        p = probabilities[:, j : j + 1]
        found[:, 1:] = found[:, 1:] * (1 - p) + found[:, :-1] * p
        found[:, :1] *= 1 - p
    return found
