"""The library's figures, as Altair charts for papers: `chart.save("figure.svg")`, no network."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair
    import polars

WIDTH, HEIGHT, COLUMNS = 220, 130, 3
INK, GRID = "#15201e", "#d3dbd8"
# Told apart by every colour vision and in grey; a shape stands beside each.
COLOURS = ["#0a6761", "#b05a00", "#7a5fb5", "#0b5578", "#8a3018", "#dd3dbf"]


def theme(chart: Any) -> Any:
    """The look of every figure: black on white, hairline grid, no frame."""
    return (
        chart.configure(font="Helvetica, Arial, sans-serif", background="white")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=INK, gridColor=GRID, gridWidth=0.5, domainColor=INK, tickColor=INK
        )
        .configure_title(color=INK, fontSize=12, anchor="start")
        .configure_legend(labelColor=INK, titleColor=INK, orient="bottom")
    )


def sweep_chart(
    frame: "polars.DataFrame", table: "polars.DataFrame", measures: Sequence[str] | None = None
) -> "altair.VConcatChart":
    """Every measure of a sweep against K: runs as open circles, their mean as a line, its interval as a band.

    Parameters
    ----------
    frame, table : polars.DataFrame
        ``frame`` and ``table()`` of a `tealeaves.Sweep`.
    measures : sequence of str, optional
        Which to draw, in this order; all that have a value if not said.
    """
    import altair as alt

    from tealeaves.errors import InputError

    there = table.filter(table["mean"].is_not_null())["measure"].unique(maintain_order=True).to_list()
    chosen = there if measures is None else list(measures)
    if unknown := [m for m in chosen if m not in there]:
        raise InputError(f"the sweep has no values of {unknown[0]!r}; there are {', '.join(there)}")
    if not chosen:
        raise InputError("the sweep has no values to draw")
    line = [f"{f} {s}".strip() for f, s in zip(table["family"], table["setting"], strict=True)]
    means = table.with_columns(line=_series(line))
    line = [f"{f} {s}".strip() for f, s in zip(frame["family"], frame["setting"], strict=True)]
    runs = frame.with_columns(line=_series(line))
    panels = [_panel(alt, measure, means, runs) for measure in chosen]
    rows = [alt.hconcat(*panels[i : i + COLUMNS]) for i in range(0, len(panels), COLUMNS)]
    chart: altair.VConcatChart = theme(alt.vconcat(*rows))
    return chart


def _series(values: list[str]) -> Any:
    import polars

    return polars.Series(values, dtype=polars.String)


def _panel(alt: Any, measure: str, means: "polars.DataFrame", runs: "polars.DataFrame") -> Any:
    mine = means.filter((means["measure"] == measure) & means["mean"].is_not_null())
    single = runs.filter((runs["measure"] == measure) & runs["value"].is_finite())
    lines = mine["line"].unique(maintain_order=True).to_list()
    x = alt.X("k:Q", title="K", scale=alt.Scale(type="log"), axis=alt.Axis(values=sorted(set(mine["k"]))))
    colour = alt.Color(
        "line:N",
        title=None,
        scale=alt.Scale(domain=lines, range=[COLOURS[i % len(COLOURS)] for i in range(len(lines))]),
        legend=alt.Legend() if len(lines) > 1 else None,
    )
    y = alt.Y("mean:Q", title=None, scale=alt.Scale(zero=False))
    base = alt.Chart(alt.Data(values=mine.to_dicts())).encode(x=x, color=colour)
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=None), y2="high:Q")
    mean = base.mark_line(strokeWidth=1.5).encode(y=y)
    points = (
        alt.Chart(alt.Data(values=single.to_dicts()))
        .mark_point(size=18, filled=False, strokeWidth=0.8)
        .encode(x=x, y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)), color=colour)
    )
    return alt.layer(band, mean, points).properties(width=WIDTH, height=HEIGHT, title=measure)
