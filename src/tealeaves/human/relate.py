"""How automatic measures go along with people's scores: correlations over topics, r² over models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._watch import tell
from tealeaves.errors import InputError
from tealeaves.human.scoring.result import Result
from tealeaves.human.scoring.tables import frame_of, schema_of
from tealeaves.stats.bootstrap import Estimate, check_draws, interval
from tealeaves.stats.correlation import correlate
from tealeaves.stats.regression import Explained, explained
from tealeaves.stats.tests import holm

if TYPE_CHECKING:
    import polars

Floats = NDArray[np.float64]
Row = dict[str, Any]
METHODS = ("spearman", "pearson", "r2")
ALL, FAMILIAR, HELD = "all topics", "familiar topics", "familiarity held constant"
FEWEST = 5  # topics, for a correlation with an interval, as in `tealeaves.stats`


@dataclass(frozen=True, eq=False, repr=False)
class Relations:
    """Correlations of automatic measures with people's scores: what `relate` returns.

    Attributes
    ----------
    frame : polars.DataFrame
        A row per study, human measure, automatic measure and choice of ``topics`` ("all topics", "familiar
        topics", "familiarity held constant"): ``n`` topics, ``spearman``, ``pearson`` and ``r2``, each with
        ``_low`` and ``_high``, and the ``reason`` where undefined.
    differences : polars.DataFrame
        A row per pair of measures ``a`` and ``b``, over all topics that have both: the ``difference`` of
        Spearman's correlations, ``low`` and ``high``, ``p`` and ``p_holm`` (of all pairs of a study and
        human measure).
    notes : tuple of str
        What the intervals are about.
    """

    frame: "polars.DataFrame"
    differences: "polars.DataFrame"
    notes: tuple[str, ...] = ()

    def to_markdown(self, method: str = "spearman", digits: int = 3, topics: str = ALL) -> str:
        """A table of automatic measures by human ones, as Table 3 of James et al. 2024 has it."""
        if method not in METHODS:
            raise InputError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
        rows = self.frame.filter(self.frame["topics"] == topics).to_dicts()
        heads = list(dict.fromkeys((row["study"], row["human"]) for row in rows))
        names = [f"{study}: {human}" if study else human for study, human in heads]
        lines = [["measure", *names], ["---", *["---:"] * len(heads)]]
        cells = {(row["study"], row["human"], row["measure"]): row for row in rows}
        for measure in dict.fromkeys(row["measure"] for row in rows):
            line = [measure]
            for study, human in heads:
                row = cells.get((study, human, measure))
                line.append("–" if row is None else _cell(row, method, digits))
            lines.append(line)
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def __repr__(self) -> str:
        return f"<Relations of {self.frame['measure'].n_unique()} measures with people's scores>"


def relate(
    automatic: Any,
    people: Result,
    measures: Sequence[str] | None = None,
    human: Sequence[str] | None = None,
    familiar: float = 0.5,
    resamples: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
) -> Relations:
    """Correlate every automatic measure with every human one, over topics.

    Parameters
    ----------
    automatic : Scores, or a table
        Topic scores. A table (data frame, mapping of columns or list of rows) has ``model`` and ``topic``,
        ``study`` where people answered in several, and a column for each measure; nan or None is left out.
    people : Result
        What `score` made of the answers.
    measures, human : sequence of str, optional
        The measures to correlate; by default all.
    familiar : float
        A topic is familiar if at least so large a share of people knew its words.
    resamples, seed, level
        Of the bootstrap over topics. All measures are judged on the same resamples of the same topics.

    Returns
    -------
    Relations
        For all topics; and where familiarity was asked and not all topics are familiar, for these alone, and
        with familiarity held constant (the partial correlation; of ranks for Spearman's).

    Raises
    ------
    InputError
        If a measure does not exist, or no topic has both an automatic and a human score.

    References
    ----------
    James, Nagda, Haji Ghassemi, Kloft and Fellenz (2024), ACL, Table 3.
    Hoyle, Goel, Hian-Cheong, Peskov, Boyd-Graber and Resnik (2021), NeurIPS.

    Examples
    --------
    >>> from tealeaves.human.answers import Answers
    >>> from tealeaves.human.scoring import score
    >>> rows = [{"rater": f"R{r}", "item": f"i{k}", "task": "word_set_rating", "model": "lda", "topic": k,
    ...          "value": {"rating": 1 + (k + r) // 3}} for k in range(5) for r in range(3)]
    >>> table = {"model": ["lda"] * 5, "topic": range(5), "npmi": [0.1, 0.2, 0.1, 0.3, 0.4]}
    >>> found = relate(table, score(Answers.from_rows(rows)))
    >>> found.frame.select("measure", "n", "spearman").rows()
    [('npmi', 5, 0.8207826816681233)]
    """
    check_draws(resamples, level)
    table = _table(automatic)
    names = [name for name in table[0] if name not in ("study", "model", "topic")] if table else []
    wanted = _chosen(names, measures, "measure")
    judged = people.topics.filter(people.topics["topic"].is_not_null()).to_dicts()
    humans = _chosen(list(dict.fromkeys(row["measure"] for row in judged)), human, "human measure")
    rows: list[Row] = []
    differences: list[Row] = []
    for study in dict.fromkeys(row["study"] for row in judged):
        for name in humans:
            mine = _joined(table, [r for r in judged if r["study"] == study and r["measure"] == name], wanted)
            if not len(mine["people"]):
                continue
            head = {"study": study, "human": name}
            choices = _choices(mine["known"], familiar)
            for done, measure in enumerate(wanted):
                tell(done, len(wanted))
                for topics, kept in choices:
                    found = _related(mine, measure, topics, kept, resamples, seed, level)
                    rows.append({**head, "measure": measure, "topics": topics, **found})
            differences += _differences(head, mine, wanted, resamples, seed, level)
    if not rows:
        raise InputError(
            "no topic has both an automatic and a human score: do the models' names agree? "
            f"automatic: {_models(table)}; people: {_models(judged)}"
        )
    ends = " ".join(f"{name} {name}_low {name}_high" for name in METHODS)
    schema = schema_of("study human measure topics", ends, "n") | {"reason": "String"}
    apart = schema_of("study human a b", "difference low high p p_holm", "n")
    notes = (
        "intervals are over topics drawn again: of such topics, with these people's scores of them",
        "topics of one model are taken for independent",
    )
    return Relations(frame_of(rows, schema), frame_of(differences, apart), notes)


def relate_models(
    automatic: Any,
    people: Result,
    human: str | None = None,
    resamples: int = 20_000,
    seed: int = 0,
    level: float = 0.95,
    measures: Sequence[str] | None = None,
) -> Explained:
    """The r² of every automatic measure with people's score of whole models, as Table 3 of 001 has it.

    Parameters
    ----------
    automatic : Scores, mapping of study to Scores, or a table
        Scores of models; a table has ``model``, ``study`` where there are several, and a column per measure.
    people : Result
        What `score` made of the answers.
    human : str, optional
        The human measure, where there are several.
    resamples, seed, level
        Of the bootstrap over models.
    measures : sequence of str, optional
        The measures to judge; by default all.

    Returns
    -------
    Explained
        As of `tealeaves.stats.explained`, a group for each study; its ``to_markdown()`` is the table.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, Table 3.
    """
    found = list(dict.fromkeys(people.models["measure"]))
    if human is None and len(found) != 1:
        raise InputError(f"name one human measure with human=: {', '.join(found)}")
    [name] = _chosen(found, None if human is None else [human], "human measure")
    scored = people.models.filter(people.models["measure"] == name).to_dicts()
    table = _table(automatic, level="model")
    there = [key for key in table[0] if key not in ("study", "model", "topic")] if table else []
    wanted = _chosen(there, measures, "measure")
    columns: dict[str, list[Any]] = {key: [] for key in ("study", *wanted, "people")}
    for row in table:
        mine = [
            s for s in scored if s["model"] == row["model"] and row.get("study") in (None, "", s["study"])
        ]
        for one in mine:
            for measure in wanted:
                columns[measure].append(row.get(measure))
            columns["study"].append(one["study"])
            columns["people"].append(one["value"])
    if not columns["people"]:
        raise InputError(f"no model has both scores; automatic: {_models(table)}; people: {_models(scored)}")
    return explained(columns, "people", wanted, "study", resamples, seed, level)


def _related(
    mine: Mapping[str, Floats],
    measure: str,
    topics: str,
    kept: NDArray[np.bool_],
    resamples: int,
    seed: int,
    level: float,
) -> Row:
    """One row: correlations of a measure with people's scores over some topics."""
    there = kept & np.isfinite(mine[measure]) & np.isfinite(mine["people"])
    held = topics == HELD
    if held:
        there &= np.isfinite(mine["known"])
    x, y, z = (mine[name][there] for name in (measure, "people", "known"))
    row: Row = {"n": int(there.sum()), "reason": ""}
    for side, what in (
        (x, "the measure is"),
        (y, "people's scores are"),
        *(((z, "familiarity is"),) if held else ()),
    ):
        if len(side) < FEWEST:
            row["reason"] = f"fewer than {FEWEST} topics"
        elif (side == side[0]).all():
            row["reason"] = f"{what} the same for all topics"
    if row["reason"]:
        return row
    for method in ("spearman", "pearson"):
        found = _correlation(x, y, z if held else None, method, resamples, seed, level)
        row |= {method: found.value, f"{method}_low": found.low, f"{method}_high": found.high}
        if method == "pearson":
            square = interval(found.value**2, found.draws**2, level)
            row |= {"r2": square.value, "r2_low": square.low, "r2_high": square.high}
    return row


def _correlation(
    x: Floats, y: Floats, z: Floats | None, method: str, resamples: int, seed: int, level: float
) -> Estimate:
    """The correlation of x and y; with z, the partial one, on the same resamples of all three."""
    both = correlate(x, y, method, resamples, seed, level)
    if z is None:
        return both
    first, second = (correlate(side, z, method, resamples, seed, level) for side in (x, y))
    value = _partial(both.value, first.value, second.value)
    return interval(float(value), np.asarray(_partial(both.draws, first.draws, second.draws)), level)


def _partial(xy: Any, xz: Any, yz: Any) -> Any:
    left = (1 - np.square(xz)) * (1 - np.square(yz))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > 1e-12, (xy - xz * yz) / np.sqrt(np.maximum(left, 1e-300)), np.nan)


def _differences(
    head: Row, mine: Mapping[str, Floats], wanted: Sequence[str], resamples: int, seed: int, level: float
) -> list[Row]:
    rows: list[Row] = []
    found_before: dict[tuple[str, bytes], Estimate] = {}

    def correlated(name: str, there: NDArray[np.bool_]) -> Estimate:
        """Most measures have the same topics, and the correlation over these is made once."""
        key = name, there.tobytes()
        if key not in found_before:
            sides = mine[name][there], mine["people"][there]
            found_before[key] = correlate(*sides, "spearman", resamples, seed, level)
        return found_before[key]

    for a, b in combinations(wanted, 2):
        there = np.isfinite(mine[a]) & np.isfinite(mine[b]) & np.isfinite(mine["people"])
        if there.sum() < FEWEST:
            continue
        one, two = correlated(a, there), correlated(b, there)
        found = interval(one.value - two.value, one.draws - two.draws, level)
        draws = found.draws[np.isfinite(found.draws)]
        tail = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
        p = min(1.0, 2 * (1 + tail) / (1 + len(draws))) if np.isfinite(found.low) else np.nan
        ends = {"difference": found.value, "low": found.low, "high": found.high, "p": p}
        rows.append({**head, "a": a, "b": b, "n": int(there.sum()), **ends})
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = float(p)
    return rows


def _choices(known: Floats, familiar: float) -> list[tuple[str, NDArray[np.bool_]]]:
    everywhere = np.ones(len(known), np.bool_)
    found = [(ALL, everywhere)]
    if np.isfinite(known).any():
        enough = ~(known < familiar)
        if not enough.all():
            found.append((FAMILIAR, enough))
        found.append((HELD, everywhere))
    return found


def _joined(table: Iterable[Row], judged: Sequence[Row], wanted: Sequence[str]) -> dict[str, Floats]:
    """Columns of the topics that have a human score and a row of automatic ones, in the same order."""
    people = _by_topic(judged)
    study = judged[0]["study"] if judged else ""
    columns: dict[str, list[float]] = {name: [] for name in (*wanted, "people", "known")}
    for row in table:
        one = people.get((row["model"], row["topic"]))
        if one is None or row.get("study") not in (None, "", study):
            continue
        for name in wanted:
            columns[name].append(_float(row.get(name)))
        columns["people"].append(_float(one["value"]))
        columns["known"].append(_float(one["known"]))
    return {name: np.array(values, np.float64) for name, values in columns.items()}


def _by_topic(judged: Sequence[Row]) -> dict[tuple[str, int], Row]:
    """People's score of each topic; of several documents or tokens of one, the mean of their answers."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in judged:
        found.setdefault((row["model"], row["topic"]), []).append(row)
    means: dict[tuple[str, int], Row] = {}
    for key, rows in found.items():
        n, value, known = (
            np.array([row[name] for row in rows], np.float64) for name in ("n", "value", "known")
        )
        there = np.isfinite(known)
        sure = float(np.average(known[there], weights=n[there])) if there.any() else np.nan
        means[key] = {"value": float(np.average(value, weights=n)), "known": sure}
    return means


def _table(automatic: Any, level: str = "topic") -> list[Row]:
    """Rows of study, model, topic and a number per measure, whatever they came in."""
    if hasattr(automatic, "details") and hasattr(automatic, "frame"):
        return _of_scores(automatic, level)
    if (
        isinstance(automatic, Mapping)
        and automatic
        and all(hasattr(v, "details") for v in automatic.values())
    ):
        return [
            {"study": str(study), **{k: v for k, v in row.items() if k != "study"}}
            for study, scores in automatic.items()
            for row in _of_scores(scores, level)
        ]
    if isinstance(automatic, Mapping) or hasattr(automatic, "columns"):
        names = list(automatic) if isinstance(automatic, Mapping) else list(automatic.columns)
        columns = [list(automatic[name]) for name in names]
        if len({len(column) for column in columns}) > 1:
            raise InputError("columns of the table must be of one length")
        rows = [dict(zip(map(str, names), cells, strict=True)) for cells in zip(*columns, strict=True)]
    else:
        rows = [dict(row) for row in automatic]
    needed = ("model", "topic") if level == "topic" else ("model",)
    for row in rows:
        if missing := [name for name in needed if name not in row]:
            raise InputError(f"the table needs a column {missing[0]!r}; there are {', '.join(map(str, row))}")
    return rows


def _of_scores(scores: Any, level: str) -> list[Row]:
    frame = scores.frame
    frame = frame.filter((frame["level"] == level) & (frame["group"] == "") & frame["slice"].is_null())
    rows: dict[tuple[str, Any], Row] = {}
    measures = list(dict.fromkeys(frame["measure"]))
    for model, topic, measure, value in frame.select("model", "topic", "measure", "value").iter_rows():
        row = rows.setdefault((model, topic), {"model": model, "topic": topic, **dict.fromkeys(measures)})
        row[measure] = value
    return list(rows.values())


def _chosen(there: Sequence[str], wanted: Sequence[str] | None, what: str) -> list[str]:
    if wanted is None:
        return list(there)
    if unknown := [name for name in wanted if name not in there]:
        raise InputError(f"there is no {what} {unknown[0]!r}; there are {', '.join(there) or 'none'}")
    return list(wanted)


def _models(rows: Iterable[Row]) -> str:
    return ", ".join(dict.fromkeys(str(row["model"]) for row in rows)) or "none"


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _cell(row: Row, method: str, digits: int) -> str:
    value, low, high = (row[method], row[f"{method}_low"], row[f"{method}_high"])
    if not np.isfinite(value):
        return f"– ({row['reason']})"
    ends = f" [{low:.{digits}f}, {high:.{digits}f}]" if np.isfinite(low) else ""
    return f"{value:.{digits}f}{ends}"
