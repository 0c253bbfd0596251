"""How measures go together: their correlations over topics, models or sets of runs, with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError, meant
from tealeaves.runs import base_name
from tealeaves.stats._columns import as_numbers, required_numbers, what_is_no_number
from tealeaves.stats.bootstrap import ENOUGH, FEWEST, Estimate, check_draws, interval, resampled
from tealeaves.stats.correlation import METHODS

if TYPE_CHECKING:
    import polars

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
OF = ("topic", "model", "set")
SIZE = "n_topics"  # a column that Scores of models have, too
CELL = ("corpus", "preprocessing", "family", "k", "options")  # what runs of an Experiment have in common


@dataclass(frozen=True, eq=False)
class Correlations:
    """The correlations of m measures, from one set of resamples: what `correlation_matrix` returns.

    Attributes
    ----------
    measures : tuple of str
        The m columns.
    values, low, high : float arrays of shape (m, m)
        The correlations and the ends of their intervals; nan where undefined.
    n : int array of shape (m, m)
        How many things both of a pair were known of.
    reasons : dict of (str, str) to str
        Why a pair has no correlation.
    draws : float array of shape (resamples, m, m)
        The correlations in each resample: the same things for all pairs.
    method, of, clusters, given
        What was asked for.
    left_out : dict of str
        Columns that were not asked for and hold no numbers, each with the first value that is none.
    """

    measures: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    n: Ints
    reasons: dict[tuple[str, str], str]
    draws: Floats = field(repr=False)
    method: str = "spearman"
    of: str = "model"
    clusters: str = ""
    given: tuple[str, ...] = ()
    level: float = 0.95
    left_out: dict[str, Any] = field(default_factory=dict)

    @property
    def frame(self) -> "polars.DataFrame":
        """A row per pair: ``a``, ``b``, ``n``, ``value``, ``low``, ``high``, and the ``reason`` of a nan."""
        import polars as pl

        rows = [
            {
                "a": a,
                "b": b,
                "n": int(self.n[i, j]),
                "value": float(self.values[i, j]),
                "low": float(self.low[i, j]),
                "high": float(self.high[i, j]),
                "reason": self.reasons.get((a, b), ""),
            }
            for i, a in enumerate(self.measures)
            for j, b in enumerate(self.measures)
            if i < j
        ]
        real = dict.fromkeys(("value", "low", "high"), pl.Float64)
        schema = {"a": pl.String, "b": pl.String, "n": pl.Int64, **real, "reason": pl.String}
        return pl.DataFrame(rows, schema=schema)

    def between(self, a: str, b: str) -> Estimate:
        """The correlation of two measures, with its interval and draws.

        Raises
        ------
        InputError
            If one of them was not correlated.
        """
        i, j = self._place(a), self._place(b)
        ends = (float(self.values[i, j]), float(self.low[i, j]), float(self.high[i, j]))
        return Estimate(*ends, self.level, self.draws[:, i, j])

    def difference(self, first: tuple[str, str], second: tuple[str, str]) -> Estimate:
        """How much more one pair correlates than another; paired, for both are of the same resamples.

        An interval without 0 tells two correlations apart that lie in each other's own intervals.
        """
        one, two = self.between(*first), self.between(*second)
        return interval(one.value - two.value, one.draws - two.draws, self.level)

    def to_markdown(
        self, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None, digits: int = 2
    ) -> str:
        """The table as the source prints it: correlations with their intervals.

        Parameters
        ----------
        rows, columns : sequences of str, optional
            Such as measures of coherence by measures of coverage; by default all by all, each pair once.
        digits : int
            Behind the point.

        Examples
        --------
        >>> table = {"npmi": [1, 2, 3, 4, 5], "c_v": [1, 3, 2, 4, 5], "au_cdc": [5, 4, 3, 2, 1]}
        >>> found = correlation_matrix(table, resamples=100)
        >>> print(found.to_markdown(["npmi"], ["au_cdc"]).splitlines()[2])
        | npmi | -1.00 [-1.00, -1.00] |
        """
        down = list(self.measures[:-1] if rows is None else rows)
        across = list(self.measures[1:] if columns is None else columns)
        whole = rows is None and columns is None
        lines = [["", *across], ["---", *["---:"] * len(across)]]
        for a in down:
            cells = [
                "" if whole and self._place(b) <= self._place(a) else self._cell(a, b, digits) for b in across
            ]
            lines.append([a, *cells])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _cell(self, a: str, b: str, digits: int) -> str:
        found = self.between(a, b)
        if np.isnan(found.value):
            return "–"
        if np.isnan(found.low):
            return f"{found.value:.{digits}f}"
        return f"{found.value:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}]"

    def _place(self, measure: str) -> int:
        if measure not in self.measures:
            raise InputError(f"{measure!r} was not correlated; {meant(measure, self.measures)}")
        return self.measures.index(measure)


def correlation_matrix(
    table: Any,
    measures: Sequence[str] | None = None,
    *,
    of: str = "model",
    method: str = "spearman",
    clusters: str | ArrayLike | None = None,
    given: Sequence[str] = (),
    resamples: int = 20_000,
    seed: int = 0,
    level: float = 0.95,
) -> Correlations:
    """The correlations of all pairs of measures, each with a percentile interval over the same resamples.

    Parameters
    ----------
    table : data frame, mapping of columns, Scores, Experiment, or a sequence of the last two
        A row per thing. Of ``Scores`` and of an ``Experiment``, what ``of`` says; several are put together by
        the names of models.
    measures : sequence of str, optional
        The columns; by default all of numbers, and ``left_out`` says which are none. Of Scores also
        "n_topics", where ``of`` is "model" or "set".
    of : "topic", "model" or "set"
        What is correlated over. A set is the runs "x#1", "x#2", … of one model, or the seeds of one cell of
        an experiment: its scores are the means of theirs, and those of its stability.
    method : "spearman" or "pearson"
        Of the ranks or of the values.
    clusters : str or array, optional
        What is drawn again as a whole: a column of the table, labels of its rows, or "model" for the topics
        of Scores. Topics of one model are alike, so that drawing them one by one, as the source does, makes
        intervals narrower than they are when other models are meant, too.
    given : sequence of str
        Columns whose part in both is taken out first: partial correlations, such as with "n_topics", which
        coverage rises and stability falls with.
    resamples, seed : int
        How many times things (or clusters) are drawn again, and what draws them.
    level : float
        The share of the draws that an interval holds.

    Returns
    -------
    Correlations
        A pair is correlated over the things that both measures are known of; with ``given``, over those that
        all are known of. It has no interval with fewer than five of them (or of clusters), or where fewer
        than half of the resamples have a correlation. Below twenty an interval is too narrow.

    Raises
    ------
    InputError
        If there are fewer than two measures, a column does not exist or holds no numbers, or an argument is
        unknown.

    References
    ----------
    Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312, Tables III, VIII, IX and X.

    Examples
    --------
    >>> table = {"npmi": [1, 2, 3, 4], "c_v": [1, 3, 2, 4], "au_cdc": [4, 3, 2, 1]}
    >>> correlation_matrix(table, resamples=100).values
    array([[ 1. ,  0.8, -1. ],
           [ 0.8,  1. , -0.8],
           [-1. , -0.8,  1. ]])
    """
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    if of not in OF:
        raise InputError(f"of must be one of {', '.join(OF)}; got {of!r}")
    check_draws(resamples, level)
    columns, models = _columns(table, of)
    labels, named = _labels(clusters, columns, models)
    names = _asked(columns, measures, clusters if isinstance(clusters, str) and models is None else None)
    wanted = list(dict.fromkeys([*names, *given]))
    x = np.stack([required_numbers(columns, name) for name in wanted], axis=1)
    if labels is not None and len(labels) != len(x):
        raise InputError(f"clusters must be a label for each of the {len(x)} rows; got {len(labels)}")
    group = np.arange(len(x)) if labels is None else np.unique(labels, return_inverse=True)[1].reshape(-1)
    draw = _Drawn(x, group, method == "spearman", resamples, seed)
    if given:
        values, draws, n, reasons = draw.partial(len(names), wanted)
    else:
        values, draws, n, reasons = draw.pairs(wanted)
    low, high = np.full_like(values, np.nan), np.full_like(values, np.nan)
    for i, j in np.ndindex(values.shape):
        enough = 2 * np.isfinite(draws[:, i, j]).sum() >= resamples
        if enough and min(draw.n_groups, int(n[i, j])) >= ENOUGH:
            found = interval(float(values[i, j]), draws[:, i, j], level)
            low[i, j], high[i, j] = found.low, found.high
    asked = {"method": method, "of": of, "clusters": named, "given": tuple(given), "level": level}
    if measures is None:
        left = [name for name in columns if as_numbers(columns[name]) is None and name != clusters]
        asked["left_out"] = {name: what_is_no_number(columns[name]) for name in left}
    return Correlations(tuple(names), values, low, high, n, reasons, draws, **asked)  # type: ignore[arg-type]


class _Drawn:
    """Correlations of columns, and of the same resamples of groups of rows for any of them."""

    def __init__(self, x: Floats, group: Ints, ranked: bool, resamples: int, seed: int) -> None:
        self.x, self.group, self.ranked, self.resamples, self.seed = x, group, ranked, resamples, seed
        self.n_groups = int(group.max(initial=-1)) + 1

    def pairs(self, names: Sequence[str]) -> tuple[Floats, Floats, Ints, dict[tuple[str, str], str]]:
        """Each pair over the rows that both have a value of."""
        m = self.x.shape[1]
        there = np.isfinite(self.x)
        n = (there.T.astype(np.int64)) @ there.astype(np.int64)
        values, draws = np.full((m, m), np.nan), np.full((self.resamples, m, m), np.nan)
        complete = np.asarray(there.all(axis=1))
        if (complete | ~there.any(axis=1)).all():
            values, draws = self.whole(np.arange(m), complete)
        else:
            for a in range(m):
                for b in range(a):
                    both, cell = np.array([a, b]), np.ix_([a, b], [a, b])
                    values[cell], drawn = self.whole(both, there[:, a] & there[:, b])
                    draws[:, a, b] = draws[:, b, a] = drawn[:, 0, 1]
            np.fill_diagonal(values, 1.0)
            draws[:, np.arange(m), np.arange(m)] = 1.0
        reasons: dict[tuple[str, str], str] = {}
        for a, b in np.argwhere(np.isnan(values) | (n < FEWEST)):
            values[a, b] = np.nan
            draws[:, a, b] = np.nan
            reasons[names[a], names[b]] = self._why(n[a, b], names, [a, b], there[:, a] & there[:, b])
        return values, draws, n, reasons

    def partial(
        self, m: int, names: Sequence[str]
    ) -> tuple[Floats, Floats, Ints, dict[tuple[str, str], str]]:
        """The first m columns without what the others explain of them, by the inverse of the correlations."""
        rows = np.asarray(np.isfinite(self.x).all(axis=1))
        values, draws = self.whole(np.arange(self.x.shape[1]), rows)
        n = np.full((m, m), int(rows.sum()))
        found = _without(np.concatenate([values[None], draws]), m)
        if rows.sum() < FEWEST + self.x.shape[1] - m:
            found[:] = np.nan
        reasons = {
            (names[a], names[b]): self._why(n[a, b], names, [a, b], rows)
            for a, b in np.argwhere(np.isnan(found[0]))
        }
        return found[0], found[1:], n, reasons

    def whole(self, columns: Ints, rows: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """The correlations of some columns over some rows, and those of each resample."""
        from tealeaves._kernels.ranks import correlation_draws

        x = np.ascontiguousarray(self.x[np.ix_(rows, columns)])
        draws = np.full((self.resamples, len(columns), len(columns)), np.nan)
        values = np.full((1, len(columns), len(columns)), np.nan)
        if not len(x):
            return values[0], draws
        if not self.ranked:  # squares of very small or very large numbers would be lost
            with np.errstate(divide="ignore", invalid="ignore"):
                x -= x.mean(axis=0)
                x = np.nan_to_num(x / np.abs(x).max(axis=0))
        places = np.empty(x.shape, np.int64)
        n_places = np.empty(len(columns), np.int64)
        given = self.x[np.ix_(rows, columns)]
        for j in range(len(columns)):
            distinct, inverse = np.unique(given[:, j], return_inverse=True)
            places[:, j], n_places[j] = inverse.reshape(-1), len(distinct)
        where = (x, places, n_places, self.group[rows], self.n_groups)
        correlation_draws(*where, np.arange(self.n_groups, dtype=np.int32)[None], self.ranked, values)
        rng, at = np.random.default_rng(self.seed), 0
        for index in resampled(self.n_groups, self.resamples, rng):
            correlation_draws(*where, index, self.ranked, draws[at : at + len(index)])
            at += len(index)
        return values[0], draws

    def _why(self, n: int, names: Sequence[str], pair: Sequence[int], rows: NDArray[np.bool_]) -> str:
        if n < FEWEST:
            return f"{n} known of both: at least {FEWEST} are needed"
        constant = [names[j] for j in pair if len(np.unique(self.x[rows, j])) < 2]
        if constant:
            return f"{constant[0]} is the same for all"
        return "what is given explains one of them wholly, or there are too few to tell"


def _without(matrices: Floats, m: int) -> Floats:
    """Partial correlations of the first m of each matrix (B, m + g, m + g) given the last g."""
    result = np.full((len(matrices), m, m), np.nan)
    fine = np.isfinite(matrices).all(axis=(1, 2))
    if not fine.any():
        return result
    whole = matrices[fine]
    own, cross, rest = whole[:, :m, :m], whole[:, :m, m:], whole[:, m:, m:]
    left = own - cross @ np.linalg.pinv(rest, hermitian=True) @ np.swapaxes(cross, 1, 2)
    spread = np.einsum("bii->bi", left).copy()
    spread[spread < 1e-10] = np.nan  # explained wholly
    scale = np.sqrt(spread)
    result[fine] = np.clip(left / (scale[:, :, None] * scale[:, None, :]), -1, 1)
    return result


def _labels(
    clusters: Any, columns: Mapping[str, Sequence[Any]], models: list[str] | None
) -> tuple[NDArray[Any] | None, str]:
    """A label for each row, and what clusters are called."""
    if clusters is None:
        return None, ""
    if not isinstance(clusters, str):
        return np.array([str(label) for label in clusters]), "labels"
    if models is not None:
        if clusters != "model":
            raise InputError(f"of Scores, clusters can be 'model' or labels; got {clusters!r}")
        return np.array(models), clusters
    if clusters not in columns:
        raise InputError(f"there is no column {clusters!r}; {meant(clusters, columns)}")
    return np.array([str(label) for label in columns[clusters]]), clusters


def _asked(
    columns: Mapping[str, Sequence[Any]], measures: Sequence[str] | None, clusters: str | None
) -> list[str]:
    if measures is None:
        skipped = (clusters, SIZE)
        names = [name for name in columns if name not in skipped and as_numbers(columns[name]) is not None]
    else:
        names = list(dict.fromkeys(measures))
    if len(names) < 2:
        found = ", ".join(map(repr, names)) or "none"
        raise InputError(f"at least two measures are needed to correlate; got {found}")
    return names


def _columns(table: Any, of: str) -> tuple[dict[str, list[Any]], list[str] | None]:
    """Columns by name, and of Scores the model of each row."""
    several = list(table) if isinstance(table, list | tuple) else [table]
    if several and all(hasattr(one, "frame") and _kept(one) is not None for one in several):
        return _of_scores(several, of)
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        kind = type(table).__name__
        raise InputError(f"a data frame, a mapping of columns, Scores or an Experiment is wanted, not {kind}")
    names = list(table) if isinstance(table, Mapping) else list(table.columns)
    columns = {str(name): list(table[name]) for name in names}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name!r} {n}" for name, n in lengths.items())
        raise InputError(f"columns must be of one length, a value per thing; got {found}")
    if {"measure", "value"} <= set(columns) and any(isinstance(one, str) for one in columns["measure"]):
        raise InputError(
            "this table has a row for each score, with the columns 'measure' and 'value', but a column for "
            "each measure is wanted: hand over the scores, or the folder, that it is of"
        )
    return columns, None


def _kept(thing: Any) -> Any:
    """What Scores or an Experiment, which lie above this layer, keep beside their frame; else None."""
    return getattr(thing, "details", None) or getattr(thing, "about", None)


def _of_scores(several: list[Any], of: str) -> tuple[dict[str, list[Any]], list[str]]:
    """A column for each measure, over topics, models or sets, in the order they are met."""
    found: dict[str, dict[tuple[str, Any], list[float]]] = {}
    things: dict[tuple[str, Any], None] = {}
    level = "topic" if of == "topic" else "model"
    for scores in several:
        rows, sizes = _scores_of_models(scores, level)
        for model, measure, topic, value in rows:
            thing = (base_name(model) if of == "set" else model, topic if of == "topic" else None)
            things[thing] = None
            found.setdefault(measure, {}).setdefault(thing, []).append(value)
        if of != "topic":
            for model, size in sizes.items():
                thing = (base_name(model) if of == "set" else model, None)
                if thing in things:
                    found.setdefault(SIZE, {}).setdefault(thing, []).append(size)
    columns = {name: [_mean(of_thing.get(thing, [])) for thing in things] for name, of_thing in found.items()}
    if not things:
        raise InputError(f"these scores have no values of {level}s")
    return columns, [model for model, _ in things]


def _scores_of_models(scores: Any, level: str) -> tuple[list[tuple[Any, ...]], dict[str, float]]:
    """Model, measure, topic and value of each score of a level, and the numbers of topics of models."""
    frame = scores.frame
    frame = frame.filter((frame["level"] == level) & (frame["group"] == "") & frame["slice"].is_null())
    if hasattr(scores, "details"):
        models = list(frame["model"])
        known = scores.details.models.items()
        sizes = {model: float(said["n_topics"]) for model, said in known if "n_topics" in said}
    else:  # an experiment: a model is a cell of its grid; what is of all seeds together has no run
        models = []
        for *cell, seed in frame.select(*CELL, "seed").iter_rows():
            name = " ".join(str(part) for part in cell if part not in ("", None))
            models.append(name if seed is None else f"{name}#{seed}")
        pairs = zip(models, frame["n_topics"], strict=True)
        sizes = {model: float(size) for model, size in pairs if size is not None}
    return list(zip(models, frame["measure"], frame["topic"], frame["value"], strict=True)), sizes


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None and np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")
