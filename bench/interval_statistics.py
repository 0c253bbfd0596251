"""Do intervals of `tealeaves.stats` cover? Samples of known distributions: how often 95 % holds the truth.

Run: `python -m bench.interval_statistics [samples]`; figures in docs/decisions/0021-statistics.md.
"""

import sys
from collections.abc import Callable, Iterator

import numpy as np

from tealeaves.stats import bootstrap, correlate, correlation_matrix, crossed, regression

RESAMPLES = 1000
Case = tuple[float, float, float]  # the ends of an interval, and the truth


def normal_pair(rng: np.random.Generator, n: int, r: float) -> tuple[np.ndarray, np.ndarray]:
    """Two normal numbers of each of n things, that correlate by r."""
    x = rng.normal(size=n)
    return x, r * x + np.sqrt(1 - r * r) * rng.normal(size=n)


def spearman_of(r: float) -> float:
    """Spearman's correlation of normal numbers whose Pearson's is r."""
    return float(6 / np.pi * np.arcsin(r / 2))


def mean(rng: np.random.Generator, seed: int, n: int, skewed: bool) -> Case:
    """The mean of n numbers."""
    values = rng.exponential(size=n) if skewed else rng.normal(size=n)
    found = bootstrap(values, np.mean, RESAMPLES, seed)
    return found.low, found.high, float(skewed)


def paired(rng: np.random.Generator, seed: int, n: int) -> Case:
    """The difference of the means of two measures of the same n things."""
    x, y = normal_pair(rng, n, 0.7)
    found = bootstrap(x - y + 0.3, np.mean, RESAMPLES, seed)
    return found.low, found.high, 0.3


def median(rng: np.random.Generator, seed: int, n: int) -> Case:
    """The median of n numbers."""
    found = bootstrap(rng.normal(size=n), np.median, RESAMPLES, seed)
    return found.low, found.high, 0.0


def clustered_mean(rng: np.random.Generator, seed: int, groups: int, each: int, known: bool) -> Case:
    """The mean of values that share half of their variance within groups, which are drawn, or are not."""
    group = np.repeat(np.arange(groups), each)
    values = rng.normal(size=groups)[group] + rng.normal(size=len(group))
    found = bootstrap(values, np.mean, RESAMPLES, seed, groups=group if known else None)
    return found.low, found.high, 0.0


def correlation(rng: np.random.Generator, seed: int, n: int, r: float, method: str) -> Case:
    """The correlation of n pairs."""
    found = correlate(*normal_pair(rng, n, r), method=method, resamples=RESAMPLES, seed=seed)
    return found.low, found.high, spearman_of(r) if method == "spearman" else r


def clustered_correlation(rng: np.random.Generator, seed: int, groups: int, each: int, known: bool) -> Case:
    """Spearman's over topics of models, which share half of their variance."""
    group = np.repeat(np.arange(groups), each)
    levels = normal_pair(rng, groups, 0.5)
    x, y = (level[group] + own for level, own in zip(levels, normal_pair(rng, len(group), 0.5), strict=True))
    labels = group if known else None
    found = correlation_matrix({"x": x, "y": y}, clusters=labels, resamples=RESAMPLES, seed=seed)
    return float(found.low[0, 1]), float(found.high[0, 1]), spearman_of(0.5)


def difference_of_correlations(rng: np.random.Generator, seed: int, n: int) -> Case:
    """How much more one of two measures correlates with a third, over the same n things."""
    z = rng.normal(size=n)
    x, y = z + rng.normal(size=n), z + 2 * rng.normal(size=n)
    table = {"x": x, "y": y, "z": z}
    found = correlation_matrix(table, resamples=RESAMPLES, seed=seed).difference(("x", "z"), ("y", "z"))
    return found.low, found.high, spearman_of(np.sqrt(1 / 2)) - spearman_of(np.sqrt(1 / 5))


def partial(rng: np.random.Generator, seed: int, n: int) -> Case:
    """The partial correlation of two measures that only a third one binds."""
    z = rng.normal(size=n)
    table = {"x": z + rng.normal(size=n), "y": z + rng.normal(size=n), "z": z}
    options = {"given": ["z"], "method": "pearson", "resamples": RESAMPLES, "seed": seed}
    found = correlation_matrix(table, ["x", "y"], **options)
    return float(found.low[0, 1]), float(found.high[0, 1]), 0.0


def slope(rng: np.random.Generator, seed: int, n: int) -> Case:
    """The slope of a line through n points."""
    x = rng.normal(size=n)
    found = regression(x, 0.5 * x + rng.normal(size=n), RESAMPLES, seed).slope
    return found.low, found.high, 0.5


def r_squared(rng: np.random.Generator, seed: int, n: int, r: float) -> Case:
    """r² of n points."""
    found = regression(*normal_pair(rng, n, r), RESAMPLES, seed).r2
    return found.low, found.high, r * r


def crossed_mean(rng: np.random.Generator, seed: int, raters: int, units: int) -> Case:
    """The mean of what raters say of units, with noise of raters, units and answers."""
    labels = 0.5 * rng.normal(size=(raters, 1)) + rng.normal(size=units) + rng.normal(size=(raters, units))
    found = crossed(labels, np.ones_like(labels), resamples=RESAMPLES, seed=seed).estimate("").such
    return found.low, found.high, 0.0


CASES: dict[str, Callable[[np.random.Generator, int], Case]] = {
    "mean, normal, n = 20": lambda rng, seed: mean(rng, seed, 20, False),
    "mean, normal, n = 60": lambda rng, seed: mean(rng, seed, 60, False),
    "mean, normal, n = 200": lambda rng, seed: mean(rng, seed, 200, False),
    "mean, exponential, n = 60": lambda rng, seed: mean(rng, seed, 60, True),
    "mean, exponential, n = 200": lambda rng, seed: mean(rng, seed, 200, True),
    "median, normal, n = 60": lambda rng, seed: median(rng, seed, 60),
    "paired difference of means, n = 60": lambda rng, seed: paired(rng, seed, 60),
    "mean of 40 groups of 5, drawn as groups": lambda rng, seed: clustered_mean(rng, seed, 40, 5, True),
    "mean of 10 groups of 5, drawn as groups": lambda rng, seed: clustered_mean(rng, seed, 10, 5, True),
    "mean of 40 groups of 5, drawn one by one": lambda rng, seed: clustered_mean(rng, seed, 40, 5, False),
    "Spearman, 0.5, n = 20": lambda rng, seed: correlation(rng, seed, 20, 0.5, "spearman"),
    "Spearman, 0.5, n = 60": lambda rng, seed: correlation(rng, seed, 60, 0.5, "spearman"),
    "Spearman, 0.5, n = 200": lambda rng, seed: correlation(rng, seed, 200, 0.5, "spearman"),
    "Spearman, 0.95, n = 60": lambda rng, seed: correlation(rng, seed, 60, 0.95, "spearman"),
    "Pearson, 0.5, n = 60": lambda rng, seed: correlation(rng, seed, 60, 0.5, "pearson"),
    "Pearson, 0.5, n = 200": lambda rng, seed: correlation(rng, seed, 200, 0.5, "pearson"),
    "Spearman of 40 models of 20 topics, drawn as models": (
        lambda rng, seed: clustered_correlation(rng, seed, 40, 20, True)
    ),
    "Spearman of 10 models of 20 topics, drawn as models": (
        lambda rng, seed: clustered_correlation(rng, seed, 10, 20, True)
    ),
    "Spearman of 40 models of 20 topics, drawn one by one": (
        lambda rng, seed: clustered_correlation(rng, seed, 40, 20, False)
    ),
    "difference of two Spearman's, n = 60": lambda rng, seed: difference_of_correlations(rng, seed, 60),
    "partial Pearson, n = 60": lambda rng, seed: partial(rng, seed, 60),
    "slope, n = 60": lambda rng, seed: slope(rng, seed, 60),
    "r², 0.5, n = 60": lambda rng, seed: r_squared(rng, seed, 60, np.sqrt(0.5)),
    "r², 0.01, n = 60": lambda rng, seed: r_squared(rng, seed, 60, 0.1),
    "mean of 20 raters × 50 units, both drawn": lambda rng, seed: crossed_mean(rng, seed, 20, 50),
}


def coverage(case: Callable[[np.random.Generator, int], Case], samples: int, seed: int = 0) -> float:
    """How often the interval holds the truth."""

    def hits() -> Iterator[bool]:
        rng = np.random.default_rng(seed)
        for i in range(samples):
            low, high, truth = case(rng, i)
            yield low <= truth <= high

    return float(np.mean(list(hits())))


def main(samples: int = 1000) -> None:
    """Print the share of intervals that hold the truth, for each case."""
    print(
        f"| interval of 95 % ({samples} samples, {RESAMPLES} resamples) | holds the truth |\n| --- | ---: |"
    )
    for name, case in CASES.items():
        print(f"| {name} | {coverage(case, samples):.3f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
