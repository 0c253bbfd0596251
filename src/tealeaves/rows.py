"""Rows of scores: what a measure gave one model, level by level, as the tidy table has it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.intervals import mean_defined
from tealeaves.measures._table import Levels, Spec, Values

if TYPE_CHECKING:
    import polars

Floats = NDArray[np.float64]
Columns = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """The scores of one model by one spec, on every level that the measure has, with their intervals."""

    model: str
    spec: Spec
    group: str
    signature: str
    levels: Levels
    slice_labels: tuple[str, ...] = ()
    document_ids: Sequence[str] = ()
    reference_labels: Sequence[str] = ()
    low: Floats | None = None  # of the topics
    high: Floats | None = None
    total_low: float = float("nan")
    total_high: float = float("nan")


def levels_of(result: Values | Levels) -> Levels:
    """A measure's values by level; a model's score is the mean over the topics that have one."""
    if isinstance(result, Levels):
        return result
    if np.ndim(result.value) == 0:
        return Levels(result)
    defined = result.reason == ""
    value = mean_defined(np.where(defined, result.value, np.nan))
    if defined.any():
        return Levels(Values(value, np.array(defined.sum()), np.array("")), result)
    reason = Counter(map(str, result.reason)).most_common(1)[0][0] if len(result.reason) else "no topics"
    nothing = Values(np.array(np.nan), np.array(0), np.array(f"no topic is defined: {reason}"))
    return Levels(nothing, result)


def table(rows: Sequence[Row]) -> "polars.DataFrame":
    """The tidy table of `Scores`."""
    import polars

    from tealeaves.scores import COLUMNS, score_frame

    kinds = {name: getattr(polars, kind) for name, kind in COLUMNS.items()}
    parts = [polars.DataFrame(columns, schema_overrides=kinds) for row in rows for columns in _parts(row)]
    if not parts:
        return score_frame([])
    whole = polars.concat(parts, how="diagonal")
    absent = [polars.lit(None, kinds[name]).alias(name) for name in COLUMNS if name not in whole.columns]
    return whole.with_columns(absent).select(list(COLUMNS))


def _parts(row: Row) -> Iterator[Columns]:
    """The rows of one score: the model's, then those of its parts, each as columns."""
    levels = row.levels
    yield _part(row, "model", levels.model, low=[row.total_low], high=[row.total_high])
    if levels.topics is not None:
        numbers = np.arange(len(levels.topics.value))
        nothing = np.full(len(numbers), np.nan)
        low, high = (nothing if end is None else end for end in (row.low, row.high))
        yield _part(row, "topic", levels.topics, topic=numbers, low=low, high=high)
    if levels.slices is not None:
        yield _part(row, "slice", levels.slices, slice=list(row.slice_labels))
    if levels.windows is not None:
        k, t = np.indices(levels.windows.value.shape).reshape(2, -1)
        starts = [row.slice_labels[i] for i in t]
        ends = [row.slice_labels[i + levels.span - 1] for i in t]
        yield _part(row, "window", levels.windows, topic=k, slice=starts, slice_end=ends)
    if levels.references is not None:
        yield _part(row, "reference_topic", levels.references, reference_topic=list(row.reference_labels))
    if levels.documents is not None:
        n = len(levels.documents.value)
        names = list(row.document_ids) if len(row.document_ids) == n else [str(d) for d in range(n)]
        yield _part(row, "document", levels.documents, document=names)


def _part(row: Row, level: str, values: Values, **columns: Any) -> Columns:
    value = np.atleast_1d(np.asarray(values.value, dtype=np.float64)).ravel()
    n = len(value)
    nothing = np.full(n, np.nan)
    return {
        "model": [row.model] * n,
        "measure": [str(row.spec)] * n,
        "level": [level] * n,
        "group": [row.group] * n,
        "value": value,
        "low": nothing,
        "high": nothing,
        "n_terms": np.atleast_1d(values.n_terms).astype(np.int64).ravel(),
        "reason": np.atleast_1d(values.reason).astype(str).ravel().tolist(),
        "signature": [row.signature] * n,
        **columns,
    }
