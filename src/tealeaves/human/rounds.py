"""Rounds of annotation of topic pairs: how well people agree after each, and which pairs to judge next.

The rounds are those of Korenčić, Ristov, Repar and Šnajder (2021), Appendix D: 15 pairs to make the
instructions clear, 50 to calibrate and talk about, 50 as a test, and another 250. The last two are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.matcher import Matcher
from tealeaves.matcher_pairs import ShownTopic, TopicPair, TopicPairs
from tealeaves.matcher_training import FEWEST

if TYPE_CHECKING:
    from tealeaves.human.item_sets import Item

Floats = NDArray[np.float64]
SIZES = {"pilot": 15, "calibration": 50, "test": 50, "final": 250}  # the source's rounds, in order
WORST = 5  # pairs to talk about after a round
Key = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Disagreement:
    """A pair that people judge differently: its place in the round, what each says, and how far apart."""

    index: int
    labels: Mapping[str, float]
    spread: float


@dataclass(frozen=True)
class Round:
    """What one round says: how many pairs have how many labels, how well people agree, what to talk about.

    ``alpha_nominal`` takes every difference alike, ``alpha_ordinal`` one of a half for less than one of 1;
    both are nan, with a ``reason``, where they are undefined. ``human_f1`` is nan with fewer than two raters.
    """

    name: str
    pairs: int
    raters: int
    complete: int
    alpha_nominal: float
    alpha_ordinal: float
    human_f1: float
    reason: str
    worst: tuple[Disagreement, ...]


def judge(name: str, labels: ArrayLike, raters: Sequence[str] | None = None, worst: int = WORST) -> Round:
    """How well people agree in a round.

    Parameters
    ----------
    name : str
        Of the round.
    labels : array of shape (raters, pairs)
        0, 0.5 or 1; nan where a rater did not judge a pair.
    raters : sequence of str, optional
        Their names, as disagreements show them.
    worst : int
        How many pairs to list, those with labels furthest apart first.

    Examples
    --------
    >>> found = judge("pilot", [[1, 0, 0.5, 1], [1, 0, 0, 0]])
    >>> round(found.alpha_ordinal, 3), [(one.index, one.spread) for one in found.worst]
    (0.338, [(3, 1.0), (2, 0.5)])
    """
    from tealeaves.human.agreement import human_f1
    from tealeaves.stats.agreement import krippendorff_alpha, why_no_alpha

    given = np.asarray(labels, dtype=np.float64)
    if given.ndim != 2:
        raise InputError(f"labels must be a matrix of raters × pairs; got the shape {given.shape}")
    names = [f"rater {r + 1}" for r in range(len(given))] if raters is None else list(raters)
    if len(names) != len(given):
        raise InputError(f"there are {len(given)} rows of labels, but {len(names)} names of raters")
    said = ~np.isnan(given)
    found = []
    for i in np.flatnonzero(said.sum(axis=0) >= 2):
        column = given[said[:, i], i]
        spread = float(column.max() - column.min())
        if spread > 0:
            by_rater = {names[r]: float(given[r, i]) for r in np.flatnonzero(said[:, i])}
            found.append((spread, round(float(column.var()), 9), int(i), by_rater))
    # As far apart as can be first; of those, the pair that divides people most evenly.
    found.sort(key=lambda one: (-one[0], -one[1], one[2]))
    working = said.any(axis=1)
    return Round(
        name=name,
        pairs=given.shape[1],
        raters=int(working.sum()),
        complete=int((said.sum(axis=0) >= max(1, int(working.sum()))).sum()),
        alpha_nominal=krippendorff_alpha(given, "nominal"),
        alpha_ordinal=krippendorff_alpha(given, "ordinal"),
        human_f1=human_f1(given[working]).mean if working.sum() > 1 else float("nan"),
        reason=why_no_alpha(given),
        worst=tuple(Disagreement(i, by, spread) for spread, _, i, by in found[:worst]),
    )


def next_size(done: int) -> tuple[str, int]:
    """The name and size of the round that follows ``done`` rounds.

    Examples
    --------
    >>> next_size(0), next_size(3)
    (('pilot', 15), ('final', 250))
    >>> next_size(4)
    ('further', 50)
    """
    return list(SIZES.items())[done] if done < len(SIZES) else ("further", 50)


def next_pairs(
    pool: TopicPairs,
    judged: Sequence[TopicPair] = (),
    labels: ArrayLike | None = None,
    n: int = 50,
    seed: int = 0,
    *,
    threshold: float = 0.75,
) -> TopicPairs:
    """The pairs to judge next: those a matcher, trained on the pairs judged so far, is least sure of.

    Parameters
    ----------
    pool : TopicPairs
        Many pairs, as `tealeaves.Matcher.sample` draws them; those judged already are left out.
    judged : sequence of TopicPair
        The pairs that have labels.
    labels : array of shape (raters, len(judged)), optional
        What people said of them. With fewer than seven pairs that match, or seven that do not, no matcher
        can be trained: the pool's next pairs are taken in its own (random) order, and a note says so.
    n : int
        How many.
    seed : int
        Same seed, same pairs.
    threshold : float
        A pair matches if the mean of its labels is at least this.

    Raises
    ------
    InputError
        If the pool has no pair that is new.
    """
    from tealeaves.human.agreement import aggregate, mean_label

    if n < 1:
        raise InputError(f"the number of pairs must be at least 1; got {n}")
    known = {pair_key(pair) for pair in judged}
    left = TopicPairs([pair for pair in pool if pair_key(pair) not in known], notes=pool.notes)
    if not len(left):
        raise InputError("every pair of the pool was judged before; draw a larger one (matcher sample -n)")
    given = np.empty((0, len(judged))) if labels is None else np.asarray(labels, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != len(judged):
        raise InputError(f"labels must be raters × {len(judged)} pairs; got the shape {given.shape}")
    means = mean_label(given)
    kept = np.flatnonzero(~np.isnan(means))
    yes = aggregate(given, threshold)[kept]
    if min(int(yes.sum()), int((~yes).sum())) < FEWEST:
        few = f"only {int(yes.sum())} pairs match and {int((~yes).sum())} do not"
        note = f"in random order: {few}, too few to train a matcher on ({FEWEST} of each)"
        return TopicPairs(left[:n], notes=(*left.notes, note))
    learned = Matcher.train([judged[int(i)] for i in kept], given[:, kept], seed, threshold=threshold)
    return learned.propose(left, n)


def pair_of(item: "Item") -> TopicPair:
    """The pair that an item of topic-pair matching shows, with where both topics are from."""
    sides = []
    for side in ("first", "second"):
        about, words = item.hidden[side], item.shown[side]["words"]
        documents = tuple(map(str, about["documents"]))
        sides.append(ShownTopic(about["model"], about["topic"], about["label"], tuple(words), documents))
    return TopicPair(sides[0], sides[1], tuple(map(float, item.hidden["features"])))


def merged(
    rounds: Sequence[Mapping[str, ArrayLike]], sizes: Sequence[int], *, same_raters: bool = False
) -> Floats:
    """The labels of all rounds as one matrix of raters × pairs; nan where a rater did not judge a pair.

    Parameters
    ----------
    rounds : sequence of mappings
        By rater, the label of each pair of a round.
    sizes : sequence of int
        How many pairs each round has.
    same_raters : bool
        Whether raters of one name are one person. By default they are not: a study numbers its raters as they
        come, so that R-001 of two studies are two people.

    Examples
    --------
    >>> rounds = [{"R-001": [1.0]}, {"R-001": [0.0], "R-002": [0.5]}]
    >>> merged(rounds, [1, 1]).shape, merged(rounds, [1, 1], same_raters=True).shape
    ((3, 2), (2, 2))
    """
    named = [
        {(0 if same_raters else r, name): row for name, row in labels.items()}
        for r, labels in enumerate(rounds)
    ]
    people = list(dict.fromkeys(person for labels in named for person in labels))
    found = np.full((len(people), sum(sizes)), np.nan)
    ends = np.cumsum(sizes)
    for labels, end, size in zip(named, ends, sizes, strict=True):
        for person, row in labels.items():
            found[people.index(person), end - size : end] = row
    return found


def pair_key(pair: TopicPair) -> Key:
    """By which a pair is known again, whichever of both topics stands first."""
    return frozenset((topic.model, topic.topic) for topic in (pair.first, pair.second))
