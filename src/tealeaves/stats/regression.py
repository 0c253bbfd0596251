"""How much of people's judgement a measure explains: r² over models, and how measures differ in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError, meant
from tealeaves.stats._columns import as_numbers, required_numbers
from tealeaves.stats.bootstrap import FEWEST, Estimate, check_draws, interval, resampled
from tealeaves.stats.tests import holm

if TYPE_CHECKING:
    import polars

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Regression:
    """The least-squares line ``y = intercept + slope * x`` and its r², each with a percentile interval.

    ``n`` points; all are nan, with the ``reason``, where there is no line or every line would fit.
    """

    r2: Estimate
    slope: Estimate
    intercept: Estimate
    n: int
    reason: str = ""


def regression(
    x: ArrayLike, y: ArrayLike, resamples: int = 20_000, seed: int = 0, level: float = 0.95
) -> Regression:
    """The least-squares line of ``y`` on ``x``, such as of human agreement on a measure, over models.

    Parameters
    ----------
    x, y : array of shape (n,)
        A measure, and what people said, of each of n models, in the same order.
    resamples, seed : int
        How many times n pairs are drawn again, and what draws them.
    level : float
        The share of the draws that an interval holds.

    Returns
    -------
    Regression
        r² is Pearson's correlation squared: it does not tell which way the line runs, the slope does. nan
        with fewer than three different pairs, through which there is always a line, or where ``x`` or ``y``
        has one value only. Resamples in which that happens take no part in the intervals, and where it
        happens in most, as with three pairs, there is no interval.

    Raises
    ------
    InputError
        If the shapes differ, or a value is nan or infinite (which to leave out is for the caller to say).

    Examples
    --------
    >>> found = regression([0.25, 0.5, 0.75], [1, 2, 2], resamples=100)
    >>> round(found.r2.value, 2), round(found.slope.value, 2), round(found.intercept.value, 2)
    (0.75, 2.0, 0.67)
    """
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(f"regression needs two arrays of one length; got the shapes {a.shape} and {b.shape}")
    check_draws(resamples, level)
    missing = ~(np.isfinite(a) & np.isfinite(b))
    if missing.any():
        found = f"{missing.sum()} of {len(a)} pairs have a nan or infinite value, the first at "
        raise InputError(f"{found}{missing.argmax()}; leave them out first: x[np.isfinite(x + y)]")
    reason = _why_no_line(a, b)
    draws = np.full((3, resamples), np.nan)
    values = np.full(3, np.nan)
    if not reason:
        values = _lines(a, b, np.arange(len(a), dtype=np.int32)[None])[:, 0]
        rng = np.random.default_rng(seed)
        draws = np.concatenate([_lines(a, b, index) for index in resampled(len(a), resamples, rng)], axis=1)
    r2, slope, intercept = (_interval(float(v), d, level) for v, d in zip(values, draws, strict=True))
    return Regression(r2, slope, intercept, len(a), reason)


@dataclass(frozen=True, eq=False)
class Explained:
    """The r² of measures with a human score, and how they differ: what `explained` returns.

    Attributes
    ----------
    frame : polars.DataFrame
        A row per group and measure: ``n`` models, ``r2`` with ``low`` and ``high``, ``slope`` and
        ``intercept`` with theirs, ``reason`` where undefined; within a group, the highest r² first.
    differences : polars.DataFrame
        A row per group and pair of measures: ``difference`` of their r² with ``low`` and ``high``, ``p`` and
        ``p_holm``.
    """

    frame: "polars.DataFrame"
    differences: "polars.DataFrame"

    def to_markdown(self, digits: int = 4) -> str:
        """A table of measures by groups, as the source prints it: r² and its interval.

        Examples
        --------
        >>> table = {"npmi": [1, 2, 3, 5], "people": [1, 2, 3, 4]}
        >>> print(explained(table, "people", resamples=100).to_markdown(2).splitlines()[0])
        | measure | r² |
        """
        groups = list(dict.fromkeys(self.frame["group"]))
        cells = {(row["group"], row["measure"]): row for row in self.frame.iter_rows(named=True)}
        lines = [["measure", *(group or "r²" for group in groups)], ["---", *["---:"] * len(groups)]]
        for measure in dict.fromkeys(self.frame["measure"]):
            found = [cells.get((group, measure)) for group in groups]
            lines.append([measure, *(_cell(row, digits) for row in found)])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def explained(
    table: Any,
    human: str | Mapping[str, float],
    measures: Sequence[str] | None = None,
    by: str | None = None,
    resamples: int = 20_000,
    seed: int = 0,
    level: float = 0.95,
) -> Explained:
    """How much of a human score each measure explains over models, and whether two measures differ in that.

    Parameters
    ----------
    table : data frame, mapping of columns, or Scores
        A row per model, with columns of measures and of the human score. Of ``Scores``, the scores of models.
    human : str, or mapping
        The column of the human score; or, for ``Scores``, the score of each model by its name.
    measures : sequence of str, optional
        The columns to judge; by default every other column of numbers.
    by : str, optional
        A column that groups models, such as by data set: each group is judged alone.
    resamples, seed, level
        As for `regression`. All measures of a group are judged on the same resamples of its models.

    Returns
    -------
    Explained
        ``frame`` and ``differences``. A model without a value of a measure is left out of that measure's row,
        and of its differences. ``p`` of a difference is twice the share of resamples on the other side of 0,
        at least ``2 / (resamples + 1)``; ``p_holm`` holds for all pairs of a group together.

    Raises
    ------
    InputError
        If a column does not exist or does not hold numbers; the error names those that do.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, 788-796: tables 2 and 3.

    Examples
    --------
    >>> table = {"npmi": [1, 2, 3, 5], "c_v": [4, 1, 3, 2], "people": [1, 2, 3, 4]}
    >>> found = explained(table, "people", resamples=100)
    >>> [(measure, round(r2, 2)) for measure, r2 in found.frame.select("measure", "r2").rows()]
    [('npmi', 0.97), ('c_v', 0.16)]
    """
    import polars as pl

    check_draws(resamples, level)
    columns, score = _columns(table, human)
    for name in [score, *([by] if by is not None else []), *(measures or [])]:
        if name not in columns:
            raise InputError(f"there is no column {name!r}; {meant(name, columns)}")
    if measures is None:
        asked = [
            name for name in columns if name not in (score, by) and as_numbers(columns[name]) is not None
        ]
    else:
        asked = list(dict.fromkeys(measures))
    if not columns[score]:
        raise InputError("the table has no rows: a row is wanted for each model")
    if not asked:
        raise InputError(f"no column but {score!r} holds numbers: nothing to compare it with")
    numbers = {name: required_numbers(columns, name) for name in [*asked, score]}
    groups = [""] * len(numbers[score]) if by is None else ["" if g is None else str(g) for g in columns[by]]
    rows: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    for group in dict.fromkeys(groups):
        mine = np.array([g == group for g in groups])
        y = numbers[score][mine]
        xs = {name: numbers[name][mine] for name in asked}
        rows += sorted(
            (_row(group, name, x, y, resamples, seed, level) for name, x in xs.items()),
            key=lambda row: -row["r2"] if np.isfinite(row["r2"]) else np.inf,
        )
        order = [row["measure"] for row in rows if row["group"] == group]
        of_group = [
            {"group": group, "a": a, "b": b, **_difference(xs[a], xs[b], y, resamples, seed, level)}
            for a, b in combinations(order, 2)
        ]
        for row, p in zip(of_group, holm([row["p"] for row in of_group]), strict=True):
            pairs.append({**row, "p_holm": float(p)})
    text, real = pl.String, pl.Float64
    ends = dict.fromkeys(("r2", "low", "high", "slope", "slope_low", "slope_high"), real)
    ends |= dict.fromkeys(("intercept", "intercept_low", "intercept_high"), real)
    schema = {"group": text, "measure": text, "n": pl.Int64, **ends, "reason": text}
    apart = dict.fromkeys(("difference", "low", "high", "p", "p_holm"), real)
    return Explained(
        pl.DataFrame(rows, schema=schema),
        pl.DataFrame(pairs, schema={"group": text, "a": text, "b": text, "n": pl.Int64, **apart}),
    )


def _why_no_line(x: Floats, y: Floats) -> str:
    if len(x) < FEWEST:
        return f"{len(x)} models: a line needs at least {FEWEST}"
    sides = (("the measure", x), ("the human score", y))
    constant = [name for name, side in sides if (side == side[0]).all()]
    if constant:
        return f"{constant[0]} is the same for all models"
    few = np.unique(np.stack([x, y]), axis=1).shape[1] < FEWEST
    return f"fewer than {FEWEST} models differ: a line would always fit" if few else ""


def _interval(value: float, draws: Floats, level: float) -> Estimate:
    """The percentile interval, if at least half of the draws have a line."""
    if 2 * np.isfinite(draws).sum() < len(draws):
        return Estimate(value, np.nan, np.nan, level, draws)
    return interval(value, draws, level)


def _lines(x: Floats, y: Floats, index: NDArray[np.int32]) -> Floats:
    """r², slope and intercept of each resample, (3, R); nan if x or y is constant, or a line always fits."""
    _, pair = np.unique(np.stack([x, y]), axis=1, return_inverse=True)
    drawn = np.sort(pair.reshape(-1)[index], axis=1)
    few = 1 + (drawn[:, 1:] != drawn[:, :-1]).sum(axis=1) < FEWEST
    a, b = x[index], y[index]
    mean_a, mean_b = a.mean(axis=1), b.mean(axis=1)
    constant = (a == a[:, :1]).all(axis=1) | (b == b[:, :1]).all(axis=1)  # rounding would hide it below
    a, b = a - mean_a[:, None], b - mean_b[:, None]
    scale_a, scale_b = np.abs(a).max(axis=1), np.abs(b).max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        a /= scale_a[:, None]  # squares of very small numbers would be 0
        b /= scale_b[:, None]
        both, of_a, of_b = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (a, a), (b, b)))
        r2 = np.clip(both * both / (of_a * of_b), 0, 1)
        slope = both / of_a * (scale_b / scale_a)
        lines = np.stack([r2, slope, mean_b - slope * mean_a])
    return np.where(constant | few, np.nan, lines)


def _row(
    group: str, name: str, x: Floats, y: Floats, resamples: int, seed: int, level: float
) -> dict[str, Any]:
    there = np.isfinite(x) & np.isfinite(y)
    found = regression(x[there], y[there], resamples, seed, level)
    row: dict[str, Any] = {"group": group, "measure": name, "n": found.n, "reason": found.reason}
    for prefix, estimate in (("", found.r2), ("slope_", found.slope), ("intercept_", found.intercept)):
        row[prefix.rstrip("_") or "r2"] = estimate.value
        row[f"{prefix}low"], row[f"{prefix}high"] = estimate.low, estimate.high
    return row


def _difference(a: Floats, b: Floats, y: Floats, resamples: int, seed: int, level: float) -> dict[str, Any]:
    """The r² of one measure less that of the other, over the models that have both."""
    there = np.isfinite(a) & np.isfinite(b) & np.isfinite(y)
    one, two = (regression(x[there], y[there], resamples, seed, level).r2 for x in (a, b))
    found = _interval(one.value - two.value, one.draws - two.draws, level)
    kept = found.draws[np.isfinite(found.draws)]
    tail = min((kept <= 0).sum(), (kept >= 0).sum())
    p = min(1.0, 2 * (1 + tail) / (1 + len(kept))) if np.isfinite(found.low) else np.nan
    n = int(there.sum())
    return {"n": n, "difference": found.value, "low": found.low, "high": found.high, "p": float(p)}


def _columns(table: Any, human: str | Mapping[str, float]) -> tuple[dict[str, list[Any]], str]:
    """Columns by name, and the name of the human score."""
    if hasattr(table, "details") and hasattr(table, "frame"):  # Scores, which lie above this layer
        return _of_scores(table, human)
    if not isinstance(human, str):
        raise InputError("human= must name a column of the table; a mapping of models goes with Scores")
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        raise InputError(
            f"a data frame or a mapping of columns is wanted, but this is {type(table).__name__}"
        )
    names = list(table) if isinstance(table, Mapping) else list(table.columns)
    columns = {str(name): list(table[name]) for name in names}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name!r} {n}" for name, n in lengths.items())
        raise InputError(f"columns must be of one length, a value per model; got {found}")
    return columns, human


def _of_scores(scores: Any, human: str | Mapping[str, float]) -> tuple[dict[str, list[Any]], str]:
    if not isinstance(human, Mapping):
        raise InputError("with Scores, human= must be the score of each model: {'lda-20': 0.61, ...}")
    rows = scores.frame.filter((scores.frame["level"] == "model") & (scores.frame["group"] == ""))
    models = list(dict.fromkeys(rows["model"]))
    lost = [name for name in human if name not in models]
    if lost:
        raise InputError(f"there is no model {lost[0]!r}; {meant(lost[0], models)}")
    values = {(m, spec): value for m, spec, value in rows.select("model", "measure", "value").iter_rows()}
    columns: dict[str, list[Any]] = {
        spec: [values.get((model, spec)) for model in models] for spec in dict.fromkeys(rows["measure"])
    }
    return {**columns, "people": [human.get(model) for model in models]}, "people"


def _cell(row: dict[str, Any] | None, digits: int) -> str:
    if row is None or not np.isfinite(row["r2"]):
        return "–"
    if not np.isfinite(row["low"]):
        return f"{row['r2']:.{digits}f}"
    return f"{row['r2']:.{digits}f} [{row['low']:.{digits}f}, {row['high']:.{digits}f}]"
