"""Which of several models differ beyond chance: tests of all pairs, and letters that say it shortly."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.stats.tests import holm, smallest_p

Floats = NDArray[np.float64]
NOISE = 0.05
MOST = 40  # models of a block: more letters than these nobody reads
DRAWS = 20_000
ALIKE = 1e-9  # of a value: a smaller difference is rounding


@dataclass(frozen=True)
class Differences:
    """The letters of each model that was tested, and why others have none."""

    letters: Mapping[Any, str] = field(default_factory=dict)
    note: str = ""

    def alike(self, a: Any, b: Any) -> bool:
        """Whether two share a letter."""
        return bool(set(_split(self.letters.get(a, ""))) & set(_split(self.letters.get(b, ""))))


def told_apart(runs: Mapping[Any, Sequence[float]]) -> Differences:
    """Test every pair of models over their runs, by Holm's correction, and give letters.

    Parameters
    ----------
    runs : mapping
        The score of each run of each model, the best model first. Those with fewer than two runs, with an
        infinite score, or whose runs are all the same whatever the seed, are not tested.

    Returns
    -------
    Differences
        No letters where no difference could have shown: with so few runs that even the smallest p, times the
        number of pairs, is not below 0.05.

    Examples
    --------
    >>> told = told_apart({"a": [5.0, 5.1, 5.2, 5.3, 5.4], "b": [1.0, 1.1, 1.2, 1.3, 1.4]})
    >>> told.letters
    {'a': 'a', 'b': 'b'}
    """
    tested = {
        name: np.asarray(values, np.float64)
        for name, values in runs.items()
        if len(values) > 1 and np.isfinite(values).all() and not same(values)
    }
    fixed = [name for name, values in runs.items() if len(values) > 1 and same(values)]
    said = "A model whose runs are all the same, whatever the seed, is not tested." if fixed else ""
    if len(tested) < 2:
        alone = all(len(values) < 2 for values in runs.values())
        return Differences(note="One run of each cannot say which differ beyond chance." if alone else said)
    if len(tested) > MOST:
        return Differences(note=f"More than {MOST} models on one corpus get no letters.")
    pairs = list(combinations(tested, 2))
    floor = min(max(smallest_p(len(tested[a]), len(tested[b])), 1 / (DRAWS + 1)) for a, b in pairs)
    if floor * len(pairs) >= NOISE:
        few = min(len(values) for values in tested.values())
        return Differences(
            note=f"{few} runs are too few to tell {len(tested)} models apart: the smallest p of a pair is "
            f"{floor:.2g}, and there are {len(pairs)} pairs; so there are no letters."
        )
    p = holm(permutations([(tested[a], tested[b]) for a, b in pairs], DRAWS))
    different = [pair for pair, one in zip(pairs, p, strict=True) if one < NOISE]
    return Differences(compact_letters(list(tested), different), said)


def permutations(pairs: Sequence[tuple[Floats, Floats]], resamples: int = DRAWS, seed: int = 0) -> Floats:
    """p of `tealeaves.stats.tests.permutation` for many pairs: those of one size share their draws."""
    found = np.empty(len(pairs))
    sizes: dict[tuple[int, int], list[int]] = {}
    for place, (a, b) in enumerate(pairs):
        sizes.setdefault((len(a), len(b)), []).append(place)
    for (first, second), places in sizes.items():
        n = first + second
        exact = comb(n, first) <= resamples
        if exact:
            chosen = np.array(list(combinations(range(n), first)))
        else:
            order = np.broadcast_to(np.arange(n), (resamples, n))
            chosen = np.random.default_rng(seed).permuted(order, axis=1)[:, :first]
        of_first = np.zeros((n, len(chosen)))
        np.put_along_axis(of_first, chosen.T, 1.0, axis=0)
        for place in places:
            a, b = pairs[place]
            pooled = np.concatenate([a, b])
            sums = pooled @ of_first
            differences = sums / first - (pooled.sum() - sums) / second
            real = a.mean() - b.mean()
            slack = 1e-12 * (np.abs(pooled).max() + abs(real))  # sums in another order differ by rounding
            extreme = int((np.abs(differences) >= abs(real) - slack).sum())
            found[place] = extreme / len(chosen) if exact else (1 + extreme) / (1 + len(chosen))
    return found


def compact_letters(names: Sequence[Hashable], different: Iterable[tuple[Any, Any]]) -> dict[Any, str]:
    """Letters such that two share one if and only if they are not known to differ.

    Parameters
    ----------
    names : sequence
        The best first: it has the letter a.
    different : iterable of pairs
        Those that differ.

    References
    ----------
    Piepho (2004), Journal of Computational and Graphical Statistics 13, 456-466: insert and absorb.

    Examples
    --------
    >>> compact_letters(["x", "y", "z"], [("x", "z")])
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    groups: list[frozenset[Any]] = [frozenset(names)]
    for a, b in different:
        made: list[frozenset[Any]] = []
        for group in groups:
            made += [group - {a}, group - {b}] if a in group and b in group else [group]
        groups = []
        for group in sorted(dict.fromkeys(made), key=len, reverse=True):
            if not any(group <= other for other in groups):
                groups.append(group)
    place = {name: i for i, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    return {name: "".join(_letter(i) for i, group in enumerate(groups) if name in group) for name in names}


def same(values: ArrayLike) -> bool:
    """Whether all are one number, but for rounding."""
    given = np.asarray(values, np.float64)
    return bool(np.isfinite(given).all() and np.ptp(given) <= ALIKE * max(float(np.abs(given).max()), 1e-300))


def _letter(i: int) -> str:
    """a to z, then A to Z, then letters with a number."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return alphabet[i % 52] + (str(i // 52) if i >= 52 else "")


def _split(letters: str) -> list[str]:
    found: list[str] = []
    for sign in letters:
        if sign.isdigit():
            found[-1] += sign
        else:
            found.append(sign)
    return found
