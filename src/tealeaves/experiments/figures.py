"""Figures of an experiment: measures against K with seeds as points, and heat maps of models."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError

if TYPE_CHECKING:
    import altair
    import polars

    from tealeaves.experiments.experiment import Experiment

FORMATS = ("svg", "png", "pdf")


def write_figures(found: "Experiment", formats: Sequence[str] = ("svg",)) -> list[Path]:
    """Write, into ``figures/``, curves of each corpus over K, and a heat map of each measure.

    Raises
    ------
    InputError
        If there is no such format.
    """
    for name in formats:
        if name not in FORMATS:
            raise InputError(f"a figure is saved as {', '.join(FORMATS)}; got {name!r}")
    charts: dict[str, Any] = {}
    scores = _scores(found.frame)
    for (corpus, choices), mine in _by_corpus(scores):
        if len(mine) and mine["k"].n_unique() > 1:
            charts[_slug(f"{corpus}-{choices}-over-k")] = curves(mine)
    for measure in scores["measure"].unique(maintain_order=True):
        mine = scores.filter(scores["measure"] == measure)
        if mine.select("family", "k", "options").n_unique() > 1:
            charts[_slug(f"{measure}-map")] = heat_map(found.frame, measure)
    written = []
    for name, chart in charts.items():
        for ending in formats:
            path = found.folder / "figures" / f"{name}.{ending}"
            path.parent.mkdir(exist_ok=True)
            part = path.with_name(f".part.{path.name}")
            chart.save(str(part))
            part.replace(path)
            written.append(path)
    return written


def curves(frame: "polars.DataFrame", measures: Sequence[str] | None = None) -> "altair.VConcatChart":
    """Every measure against K: a line for each family and its options, its runs as points.

    Parameters
    ----------
    frame : polars.DataFrame
        ``frame`` of an `Experiment`, rows of one corpus.
    measures : sequence of str, optional
        Which, in this order; all that have a value if not said.
    """
    from tealeaves.plots import sweep_chart
    from tealeaves.sweep.words import table

    runs = _scores(frame).rename({"options": "setting"})
    return sweep_chart(runs, table(runs), measures)


def heat_map(frame: "polars.DataFrame", measure: str) -> Any:
    """One measure of every model: K across, families and their options down, a panel for each corpus.

    Raises
    ------
    InputError
        If no model has a finite value of it.
    """
    import altair
    import polars as pl

    from tealeaves.plots import COLOURS, theme

    alt: Any = altair
    mine = _scores(frame).filter(pl.col("measure") == measure)
    by = ["corpus", "preprocessing", "family", "options", "k"]
    means = mine.group_by(by, maintain_order=True).agg(pl.col("value").mean())
    if not len(means):
        raise InputError(f"no model has a value of {measure!r} to draw")
    means = means.with_columns(
        model=pl.concat_str(["family", "options"], separator=" ").str.strip_chars(),
        where=pl.concat_str(["corpus", "preprocessing"], separator=" ").str.strip_chars(),
        shown=pl.col("value").map_elements(lambda value: f"{value:.3g}", return_dtype=pl.String),
        dark=pl.col("value") > (means["value"].max() + means["value"].min()) / 2,  # type: ignore[operator]
    )
    panels, values = [], {}
    for where in means["where"].unique(maintain_order=True):
        rows = means.filter(pl.col("where") == where)
        x = alt.X("k:O", title="K", sort=sorted(set(rows["k"])), axis=alt.Axis(labelAngle=0))
        y = alt.Y("model:N", title=None, sort=rows["model"].unique(maintain_order=True).to_list())
        values[where] = rows.to_dicts()
        base = alt.Chart(alt.NamedData(name=where)).encode(x=x, y=y)
        colour = alt.Color("value:Q", title=measure, scale=alt.Scale(range=["#e4f1ef", COLOURS[0]]))
        ink = alt.condition("datum.dark", alt.value("white"), alt.value("#15201e"))
        cells = base.mark_rect().encode(color=colour)
        text = base.mark_text(fontSize=10).encode(text="shown:N", color=ink)
        size = {"width": alt.Step(52), "height": alt.Step(24)}
        panels.append(alt.layer(cells, text).properties(title=where, **size))
    chart = theme(alt.vconcat(*panels))
    chart.datasets = values  # last of all: whatever is done to a chart copies every number in it
    return chart


def _scores(frame: "polars.DataFrame") -> "polars.DataFrame":
    """The rows that figures show: finite scores of whole models on all documents."""
    import polars as pl

    whole = (pl.col("level") == "model") & pl.col("slice").is_null() & (pl.col("group") == "")
    return frame.filter(whole & pl.col("value").is_finite() & pl.col("k").is_not_null())


def _by_corpus(frame: "polars.DataFrame") -> list[tuple[tuple[str, str], "polars.DataFrame"]]:
    pairs = frame.select("corpus", "preprocessing").unique(maintain_order=True).rows()
    return [
        ((corpus, choices), frame.filter((frame["corpus"] == corpus) & (frame["preprocessing"] == choices)))
        for corpus, choices in pairs
    ]


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "figure"
