"""What chance words would get beside a model's score: the band of a mean, from the bands of its topics."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tealeaves.report.rows import Row

MIDDLE, ENDS = 0.63, 0.185  # weights of the median and of either end, by Pearson and Tukey
NORMAL = 1.6449  # standard deviations from the mean to the 95th percentile


def of_mean(bands: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Percentiles 5, 50, 95 of the mean of one random list for each topic, from those of every topic.

    A model's coherence is the mean over its topics, so its band is that of the mean of as many random lists,
    which is much narrower than that of one: about a third of it for ten topics. Scores keep only three
    percentiles of each topic. Their mean and variance are those of the three values with the weights 0.185,
    0.63, 0.185 (Pearson and Tukey 1965; Keefer and Bodily 1983), and the mean of lists that are drawn
    independently is taken as normal. For two models of the demo and seven measures the ends come within 3%
    of the band's width of those of 2000 such means; where a list can take few values only, as of two or three
    words, they are rougher. One topic keeps its own band.

    Parameters
    ----------
    bands : sequence of (5th, 50th, 95th percentile)
        Of each topic that the model's value is a mean of.

    Examples
    --------
    >>> [round(end, 3) for end in of_mean([(-0.2, 0.0, 0.2)] * 4)]
    [-0.1, 0.0, 0.1]
    >>> of_mean([(-0.1, 0.0, 0.3)])
    (-0.1, 0.0, 0.3)
    """
    if len(bands) == 1:
        low, middle, high = bands[0]
        return low, middle, high
    given = np.asarray(bands, dtype=np.float64)
    weights = np.array([ENDS, MIDDLE, ENDS])
    means = given @ weights
    variances = (given - means[:, None]) ** 2 @ weights
    centre, half = float(means.mean()), NORMAL * float(np.sqrt(variances.sum())) / len(bands)
    return centre - half, centre, centre + half


def of_model(bands: Mapping[str, Any], topics: Collection[int], spec: str) -> Row | None:
    """The band of a model's value, which is a mean over ``topics``; None if none of them has a band.

    Returns ``band`` and, where some of the topics have none, ``some``, such as "8 of 10 topics".
    """
    found = [(bands.get(str(k)) or {}).get(spec) for k in topics]
    known = [band for band in found if band and None not in band]
    if not known:
        return None
    some = "" if len(known) == len(topics) else f"{len(known)} of {len(topics)} topics"
    return {"band": of_mean(known), "some": some}


def of_runs(runs: Sequence[Row | None]) -> Row | None:
    """The band of one run, where a value is a mean of several: the mean of the runs' ends.

    The mean of many runs of random lists would vary less, but every circle that is drawn is one run.
    """
    known = [run for run in runs if run]
    if not known:
        return None
    ends = np.mean([run["band"] for run in known], axis=0).tolist()
    return {"band": tuple(ends), "some": next((run["some"] for run in known if run["some"]), "")}
