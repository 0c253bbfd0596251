"""Tables of scores: their columns, and means and medians of what is known."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.human.scoring.measures import Floats

if TYPE_CHECKING:
    import polars


def mean_of(values: Floats) -> float:
    """The mean of what is known; nan where nothing is."""
    given = values[np.isfinite(values)]
    return float(given.mean()) if len(given) else np.nan


def median_of(values: Floats) -> float:
    """The median of what is known; nan where nothing is."""
    given = values[np.isfinite(values)]
    return float(np.median(given)) if len(given) else np.nan


def frame_of(rows: list[dict[str, Any]], schema: Mapping[str, str]) -> "polars.DataFrame":
    """Rows as a typed table; what a row lacks is nan in a column of numbers, else null."""
    import polars as pl

    columns = {
        name: [row.get(name, np.nan if kind == "Float64" else None) for row in rows]
        for name, kind in schema.items()
    }
    return pl.DataFrame(columns, schema={name: getattr(pl, kind) for name, kind in schema.items()})


def schema_of(texts: str, numbers: str, whole: str = "") -> dict[str, str]:
    """Columns with their types: texts, numbers and whole numbers, names parted by spaces."""
    kinds = (("String", texts), ("Float64", numbers), ("Int64", whole))
    return {name: kind for kind, names in kinds for name in names.split()}


ENDS = "low high low_these high_these"
SCHEMAS = {
    "models": schema_of(
        "study task measure model",
        f"value {ENDS} binomial_low binomial_high chance",
        "n_answers n_raters n_units",
    )
    | schema_of("unit reason", ""),
    "topics": schema_of("study task measure model item", "value low high known", "topic n")
    | {"unreadable": "Boolean"},
    "items": schema_of("study task item model majority", "value known seconds majority_share", "topic n"),
    "raters": schema_of(
        "study task rater", "value agreement seconds known", "n checks checks_right same_position"
    ),
    "agreement": schema_of("study task coefficient coding level", "value sd", "n_items n_raters")
    | schema_of("reason", ""),
    "apart": schema_of(
        "study task measure rater model", "value people difference low high agreement", "n_units"
    ),
    "positions": schema_of("study task reason", "share expected value effect low high p", "position n"),
    "differences": schema_of("study task measure a b", f"difference {ENDS} p p_holm p_these p_these_holm")
    | schema_of("reason", ""),
}
