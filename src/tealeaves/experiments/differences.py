"""Which of several models differ beyond chance: tests of all pairs, and letters that say it shortly."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tealeaves.stats.letters import significance_letters
from tealeaves.stats.tests import holm, permutations, smallest_p

NOISE = 0.05
LETTER = re.compile(r"[A-Za-z]|\(\d+\)")
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
        mine, theirs = (set(LETTER.findall(self.letters.get(name, ""))) for name in (a, b))
        return bool(mine & theirs)


def told_apart(runs: Mapping[Any, Sequence[float]]) -> Differences:
    """Test every pair of models over their runs, by Holm's correction, and give letters.

    Parameters
    ----------
    runs : mapping
        The score of each run of each model, the best model first. Those with fewer than two runs, or with
        an infinite score, are not tested.

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
        if len(values) > 1 and np.isfinite(values).all()
    }
    single = any(len(values) == 1 for values in runs.values())
    said = "A model with one run is not tested." if single and tested else ""
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
    tests = permutations([(tested[a], tested[b]) for a, b in pairs], DRAWS)
    p = holm([test.p for test in tests])
    names = {str(i): name for i, name in enumerate(tested)}
    place = {name: i for i, name in enumerate(tested)}
    matrix = np.ones((len(tested), len(tested)))
    for (a, b), one in zip(pairs, p, strict=True):
        matrix[place[a], place[b]] = matrix[place[b], place[a]] = one
    letters = significance_letters(list(names), matrix, NOISE)
    return Differences({names[i]: those for i, those in letters.items()}, said)


def same(values: ArrayLike) -> bool:
    """Whether all are one number, but for rounding."""
    given = np.asarray(values, np.float64)
    return bool(np.isfinite(given).all() and np.ptp(given) <= ALIKE * max(float(np.abs(given).max()), 1e-300))
