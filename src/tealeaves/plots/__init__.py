"""The library's figures, as Altair charts for papers; `scores.plot` has them by name, no network."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair
    import polars

    from tealeaves.controls import Controls
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.scores import Scores

WIDTH, HEIGHT, COLUMNS = 220, 130, 3
INK, GRID = "#15201e", "#d3dbd8"
# Told apart by every colour vision; a dash or a shape stands beside each, since in grey some are alike.
DASHES: list[list[int]] = [[1, 0], [6, 3], [2, 3], [9, 3, 2, 3], [1, 2], [12, 4]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
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
    frame: "polars.DataFrame",
    table: "polars.DataFrame",
    measures: Sequence[str] | None = None,
    columns: int = COLUMNS,
) -> "altair.VConcatChart":
    """Every measure of a sweep against K: runs as open circles, their mean as a line, its interval as a band.

    Parameters
    ----------
    frame, table : polars.DataFrame
        ``frame`` and ``table()`` of a `tealeaves.Sweep`.
    measures : sequence of str, optional
        Which to draw, in this order; all that have a value if not said.
    columns : int
        Panels in a row.
    """
    import altair as alt

    from tealeaves.errors import InputError, meant

    there = table.filter(table["mean"].is_not_null())["measure"].unique(maintain_order=True).to_list()
    chosen = there if measures is None else list(measures)
    if unknown := [m for m in chosen if m not in there]:
        raise InputError(f"the sweep has no values of {unknown[0]!r}; {meant(unknown[0], there)}")
    if not chosen:
        raise InputError("the sweep has no values to draw")
    line = [f"{f} {s}".strip() for f, s in zip(table["family"], table["setting"], strict=True)]
    means = table.with_columns(line=_series(line))
    line = [f"{f} {s}".strip() for f, s in zip(frame["family"], frame["setting"], strict=True)]
    runs = frame.with_columns(line=_series(line))
    values: dict[str, Any] = {}
    panels = [_panel(alt, measure, means, runs, values) for measure in chosen]
    chart = _in_rows(alt, panels, columns)
    chart.datasets = values  # last of all: whatever is done to a chart copies every number in it
    return chart


def _series(values: list[str]) -> Any:
    import polars

    return polars.Series(values, dtype=polars.String)


def _panel(
    alt: Any, measure: str, means: "polars.DataFrame", runs: "polars.DataFrame", values: dict[str, Any]
) -> Any:
    mine = means.filter((means["measure"] == measure) & means["mean"].is_not_null())
    single = runs.filter((runs["measure"] == measure) & runs["value"].is_finite())
    lines = mine["line"].unique(maintain_order=True).to_list()
    scale = alt.Scale(type="log", nice=False, padding=8)  # a nice one would begin at 1
    x = alt.X("k:Q", title="K", scale=scale, axis=alt.Axis(values=sorted(set(mine["k"]))))
    stroke = {"symbolType": "stroke", "symbolOpacity": 1, "symbolSize": 400, "symbolStrokeWidth": 1.5}
    legend = alt.Legend(**stroke) if len(lines) > 1 else None
    colour = alt.Color(
        "line:N",
        title=None,
        scale=alt.Scale(domain=lines, range=[COLOURS[i % len(COLOURS)] for i in range(len(lines))]),
        legend=legend,
    )
    dash = alt.StrokeDash(
        "line:N",
        title=None,
        scale=alt.Scale(domain=lines, range=[DASHES[i % len(DASHES)] for i in range(len(lines))]),
        legend=legend,
    )
    y = alt.Y("mean:Q", title=None, scale=alt.Scale(zero=False))
    values |= {f"{measure}, means": mine.to_dicts(), f"{measure}, runs": single.to_dicts()}
    base = alt.Chart(alt.NamedData(name=f"{measure}, means")).encode(x=x, color=colour)
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=None), y2="high:Q")
    mean = base.mark_line(strokeWidth=1.5).encode(y=y, strokeDash=dash)
    points = (
        alt.Chart(alt.NamedData(name=f"{measure}, runs"))
        .mark_point(size=18, filled=False, strokeWidth=0.8)
        .encode(x=x, y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)), color=colour)
    )
    return alt.layer(band, mean, points).properties(width=WIDTH, height=HEIGHT, title=measure)


def controls_chart(
    found: "Controls",
    measures: Sequence[str] | None = None,
    topics: bool = True,
    columns: int = COLUMNS,
) -> "altair.VConcatChart":
    """Scores by how many words of other topics intruded: their mean over topics, and each topic's fall.

    Parameters
    ----------
    found : Controls
        What `tealeaves.controls.controls` gave.
    measures : sequence of str, optional
        Which to draw, in this order; all that have a value if not said.
    topics : bool
        Also draw single topics, thin, moved to begin at the mean.
    columns : int
        Panels in a row.
    """
    import altair as alt
    import polars

    frame = found.intrusion.filter(found.intrusion["change"].is_not_nan())
    x = alt.X("level:Q", title="words replaced", axis=alt.Axis(tickMinStep=1))
    panels = []
    for measure in _chosen(measures, frame["measure"].unique(maintain_order=True).to_list(), "the controls"):
        mine = frame.filter(frame["measure"] == measure)
        start = mine.filter(mine["level"] == 0)["value"].mean()
        lines = mine.select("level", "topic", value=polars.lit(start) + polars.col("change"))
        panels.append(_mean_of_lines(alt, lines, x, "level", thin=topics).properties(title=measure))
    return _in_rows(alt, panels, columns)


def over_time_chart(
    scores: "Scores",
    measures: Sequence[str] | None = None,
    model: str | None = None,
    columns: int = COLUMNS,
) -> "altair.VConcatChart":
    """Measures by slice: each topic's thin line and the mean over topics; a window is at its first slice.

    Parameters
    ----------
    scores : Scores
        Scores of a dynamic model.
    measures : sequence of str, optional
        Specs to draw, in this order; all that have values of topics in slices or windows if not said.
    model : str, optional
        Which model, where there are several.
    columns : int
        Panels in a row.
    """
    import altair as alt

    from tealeaves.errors import InputError, meant

    if model is None and len(scores.models) > 1:
        raise InputError(f"there are {len(scores.models)} models: name one, model={scores.models[0]!r}")
    name = model or scores.models[0]
    if name not in scores.models:
        raise InputError(f"there is no model {name!r}; {meant(name, scores.models)}")
    frame = scores.frame
    frame = frame.filter((frame["model"] == name) & (frame["level"] == "window") & (frame["group"] == ""))
    frame = frame.filter(frame["value"].is_finite())
    named = None if measures is None else [scores.spec(measure) for measure in measures]
    labels: Any = scores.details.models[name].get("slice_labels")
    x = alt.X("slice:N", title=None, scale=alt.Scale(domain=labels)).axis(labelOverlap=True, grid=False)
    panels = []
    for measure in _chosen(named, frame["measure"].unique(maintain_order=True).to_list(), "these scores"):
        lines = frame.filter(frame["measure"] == measure).select("slice", "topic", "value")
        panels.append(_mean_of_lines(alt, lines, x, "slice").properties(title=measure))
    return _in_rows(alt, panels, columns)


def timeline_chart(model: "DynamicTopicModel", topic: int, top: int = 10) -> "altair.Chart":
    """When each word is among a topic's top words, and how high: a row a word, a column a slice.

    Parameters
    ----------
    model : DynamicTopicModel
        The model.
    topic : int
        Which topic.
    top : int
        How many words of each slice count. Words stand in the order in which they enter.
    """
    import altair as alt

    from tealeaves.errors import InputError

    if not isinstance(topic, int) or not 0 <= topic < model.n_topics:
        raise InputError(f"topic must be a number from 0 to {model.n_topics - 1}; got {topic!r}")
    cells = [
        {"slice": label, "word": word, "rank": rank}
        for label, topics in zip(model.slice_labels, model.top_words(top), strict=True)
        for rank, word in enumerate(topics[topic], start=1)
    ]
    if not cells:
        raise InputError(f"topic {topic} is missing in every slice of model {model.name!r}")
    words = list(dict.fromkeys(str(cell["word"]) for cell in cells))
    return _timeline(alt, cells, words, list(model.slice_labels), top, f"{model.name}, topic {topic}")


def _timeline(
    alt: Any, cells: list[dict[str, Any]], words: list[str], labels: list[str], top: int, title: str
) -> "altair.Chart":
    x = alt.X("slice:N", title=None, scale=alt.Scale(domain=labels)).axis(labelOverlap=True, grid=False)
    y = alt.Y("word:N", title=None, scale=alt.Scale(domain=words))
    colour = (
        alt.Color("rank:Q", title="rank")
        .scale(domain=[1, top], range=[COLOURS[0], "#cfe4e1"])
        .legend(orient="bottom", tickMinStep=1)
    )
    chart = alt.Chart(alt.Data(values=cells)).mark_rect().encode(x=x, y=y, color=colour)
    drawn: altair.Chart = theme(chart.properties(width=alt.Step(12), height=alt.Step(14), title=title))
    return drawn


def _mean_of_lines(alt: Any, lines: "polars.DataFrame", x: Any, along: str, thin: bool = True) -> Any:
    """Each topic's thin line, and their mean."""
    import polars

    means = lines.group_by(along, maintain_order=True).agg(polars.col("value").mean())
    y = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False))
    single = alt.Chart(alt.Data(values=lines.to_dicts())).mark_line(strokeWidth=0.5, color=INK, opacity=0.3)
    mean = alt.Chart(alt.Data(values=means.to_dicts())).mark_line(strokeWidth=1.5, color=COLOURS[0])
    layers = [single.encode(x=x, y=y, detail="topic:N")] if thin else []
    return alt.layer(*layers, mean.encode(x=x, y=y)).properties(width=WIDTH, height=HEIGHT)


def _in_rows(alt: Any, panels: list[Any], columns: int = COLUMNS) -> "altair.VConcatChart":
    rows = [alt.hconcat(*panels[i : i + columns]) for i in range(0, len(panels), columns)]
    chart: altair.VConcatChart = theme(alt.vconcat(*rows))
    return chart


def _chosen(measures: Sequence[str] | None, there: Sequence[str], what: str) -> list[str]:
    """The measures to draw, all of which must be there."""
    from tealeaves.errors import InputError, meant

    chosen = list(there if measures is None else measures)
    if unknown := [m for m in chosen if m not in there]:
        raise InputError(f"{what} have no values of {unknown[0]!r}; {meant(unknown[0], there)}")
    if not chosen:
        raise InputError(f"{what} have no values to draw")
    return chosen
