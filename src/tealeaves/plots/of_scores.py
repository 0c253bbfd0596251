"""The figures of `scores.plot`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError, meant
from tealeaves.plots import (
    COLOURS,
    DASHES,
    GRID,
    INK,
    SHAPES,
    WIDTH,
    _in_rows,
    _timeline,
    over_time_chart,
    theme,
)
from tealeaves.plots.figure import Figure
from tealeaves.report.chance import of_model
from tealeaves.report.size import kind_of
from tealeaves.runs import base_name

if TYPE_CHECKING:
    from tealeaves.scores import Scores

BAND = "#dfe5e3"
ORANGE, PALE, BLUE = "#b3430e", "#f1f3f2", "#1f62a5"
PEOPLE = {"rating": "rating", "model_precision": "share that found the intruder", "match": "share of matches"}
ALPHABET = 60  # topics at most, a row each


class Plots:
    """What `Scores.plot` is: the figures that these scores can be drawn as, each a `Figure`.

    Parameters
    ----------
    scores : Scores
        The scores.
    """

    def __init__(self, scores: "Scores") -> None:
        self._scores = scores

    def __repr__(self) -> str:
        names = ", ".join(f"{name}()" for name in dir(self) if not name.startswith("_"))
        return f"<figures of scores: {names}>"

    def coherence(self, spec: str | None = None, model: str | None = None) -> Figure:
        """Each topic with its interval and the band of random lists; of several models, all their topics.

        Of several models the band is that of a mean of as many random lists as the model has topics.

        Parameters
        ----------
        spec : str, optional
            The measure; NPMI, or the first that has topics, if not said.
        model : str, optional
            Draw one model, a row for each topic, where there are several.
        """
        import altair as alt

        spec = self._spec(spec)
        rows = self._topics(spec)
        if not rows:
            raise InputError(f"{spec} has no value for topics that could be drawn")
        names = list(dict.fromkeys(row["model"] for row in rows))
        if model is not None:
            rows, names = [r for r in rows if r["model"] == self._scores._model(model)], [model]
        if len(names) == 1:
            return Figure(lambda _: theme(_of_topics(alt, rows, spec)))
        means = self._means(spec, rows)
        return Figure(lambda _: theme(_of_models(alt, rows, names, spec, means)))

    def sweep(self, measures: Sequence[str] | None = None) -> Figure:
        """Measures against the number of topics; models whose names differ in a last number are one line."""
        import polars as pl

        from tealeaves.plots import sweep_chart
        from tealeaves.sweep.words import table

        frame = self._scores.frame
        frame = frame.filter((frame["level"] == "model") & (frame["group"] == "") & frame["slice"].is_null())
        known = {
            name: said["n_topics"]
            for name, said in self._scores.details.models.items()
            if said.get("n_topics")
        }
        if len(set(known.values())) < 2:
            raise InputError("a sweep needs models of at least two numbers of topics")
        rows = [
            {
                "family": kind_of(row["model"]),
                "setting": "",
                "k": known[row["model"]],
                "n_topics": known[row["model"]],
                "measure": row["measure"],
                "value": row["value"],
                "reason": row["reason"],
            }
            for row in frame.to_dicts()
            if row["model"] in known
        ]
        made = pl.DataFrame(rows, infer_schema_length=None)
        named = None if measures is None else [self._scores.spec(measure) for measure in measures]
        return Figure(lambda columns: sweep_chart(made, table(made), named, columns))

    def cd_curve(self, models: Sequence[str] | None = None) -> Figure:
        """Coverage of reference topics by the distance allowed, a curve for each model, bands where known."""
        import altair as alt

        curves = self._scores.details.coverage.get("curve") or {}
        if not curves:
            raise InputError("there is no coverage here: evaluate with reference_topics=")
        chosen = list(curves) if models is None else list(models)
        if unknown := [name for name in chosen if name not in curves]:
            raise InputError(f"there is no curve of {unknown[0]!r}; {meant(unknown[0], curves)}")
        return Figure(lambda _: theme(_curves(alt, {name: curves[name] for name in chosen})))

    def over_time(self, measures: Sequence[str] | None = None, model: str | None = None) -> Figure:
        """Measures of a dynamic model by slice: each topic thin, their mean."""
        return Figure(lambda columns: over_time_chart(self._scores, measures, model, columns))

    def timeline(self, topic: int, model: str | None = None, top: int = 10) -> Figure:
        """When each word is among a topic's top words, and how high."""
        import altair as alt

        name = self._scores._model(model)
        about = self._scores.details.models.get(name) or {}
        slices = about.get("slice_topics")
        if not slices:
            raise InputError(f"{name} has no slices: a timeline is of a model over time")
        n = len(slices[0])
        if not 0 <= topic < n:
            raise InputError(f"topic must be a number from 0 to {n - 1}; got {topic!r}")
        labels = [str(label) for label in about["slice_labels"]]
        cells = [
            {"slice": label, "word": word, "rank": rank}
            for label, topics in zip(labels, slices, strict=True)
            for rank, word in enumerate(topics[topic][:top], start=1)
        ]
        words = list(dict.fromkeys(str(cell["word"]) for cell in cells))
        return Figure(lambda _: _timeline(alt, cells, words, labels, top, f"{name}, topic {topic}"))

    def alignment(self, model: str | None = None) -> Figure:
        """Topics found again in other runs: a row a topic, a column a run, the cosine of the best match."""
        import altair as alt

        details = self._scores.details.models
        names = {base_name(name): name for name, said in reversed(details.items()) if said.get("matches")}
        names |= {base_name(name): name for name, said in details.items() if said.get("alignment")}
        if not names:
            raise InputError("no model has runs whose topics were matched: evaluate at least two runs of one")
        if model is None and len(names) > 1:
            raise InputError(f"there are {len(names)} models: name one, model={next(iter(names))!r}")
        base = base_name(model) if model is not None else next(iter(names))
        if base not in names:
            raise InputError(f"{model!r} has no matched runs; there are {', '.join(names)}")
        runs = [
            name
            for name, said in details.items()
            if base_name(name) == base and name != names[base] and said.get("matches")
        ]
        return Figure(lambda _: theme(_aligned(alt, base, details[names[base]], runs)))

    def correlation(
        self, measures: Sequence[str] | None = None, of: str = "topic", method: str = "spearman"
    ) -> Figure:
        """How measures go together over topics (or models, sets): rank correlations, with their number."""
        import altair as alt

        from tealeaves.stats.correlation_matrix import correlation_matrix

        named = None if measures is None else [self._scores.spec(measure) for measure in measures]
        found = correlation_matrix(self._scores, named, of=of, method=method, resamples=200)
        return Figure(lambda _: theme(_correlations(alt, found)))

    def people(self, spec: str | None = None, measures: Sequence[str] | None = None) -> Figure:
        """What people said of topics against a measure, with intervals; a panel for each thing they gave."""
        import altair as alt

        said = self._scores.details.human.get("topics") or {}
        if not said:
            raise InputError(
                "people said nothing here: result.beside(scores) puts what they said beside scores"
            )
        spec = self._spec(spec)
        automatic = {(row["model"], row["topic"]): row["value"] for row in self._topics(spec)}
        rows = [
            {"model": m, "topic": int(k), "measure": name, "x": automatic[m, int(k)], **_of_people(row)}
            for m, topics in said.items()
            for k, given in topics.items()
            for name, row in given.items()
            if (m, int(k)) in automatic and row.get("value") is not None
        ]
        there = list(dict.fromkeys(row["measure"] for row in rows))
        chosen = there if measures is None else list(measures)
        if unknown := [name for name in chosen if name not in there]:
            raise InputError(f"people gave no {unknown[0]!r}; they gave {', '.join(there) or 'nothing'}")
        if not chosen:
            raise InputError(f"no topic has both {spec} and what people said: do the names of models agree?")

        def draw(columns: int) -> Any:
            panels = [_scatter(alt, [r for r in rows if r["measure"] == name], name, spec) for name in chosen]
            return _in_rows(alt, panels, min(columns, 2))

        return Figure(draw)

    def _spec(self, spec: str | None) -> str:
        if spec is not None:
            return self._scores.spec(spec)
        frame = self._scores.frame
        there: list[str] = (
            frame.filter(frame["level"] == "topic")["measure"].unique(maintain_order=True).to_list()
        )
        if not there:
            raise InputError("no measure has values of topics here")
        return next((s for s in there if s.startswith("npmi")), there[0])

    def _topics(self, spec: str) -> list[dict[str, Any]]:
        frame = self._scores.frame
        mine = (frame["level"] == "topic") & (frame["measure"] == spec) & (frame["group"] == "")
        rows = frame.filter(mine & frame["slice"].is_null() & frame["value"].is_finite()).to_dicts()
        details = self._scores.details
        found = []
        for row in rows:
            k, name = int(row["topic"]), row["model"]
            words = (details.models.get(name) or {}).get("topics") or []
            band = ((details.chance.get(name) or {}).get(str(k)) or {}).get(spec) or [None] * 3
            words = " ".join(words[k][:3]) if k < len(words) else ""
            ends = {end: row[end] if np.isfinite(row[end]) else None for end in ("low", "high")}
            shown = {
                "name": f"{k}  {words}".strip(),
                "base": base_name(name),
                "random": band[0],
                "random_high": band[2],
            }
            found.append({"model": name, "topic": k, "value": row["value"], **ends, **shown})
        return found

    def _means(self, spec: str, topics: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Each model's value with its interval and the band of random lists, over the topics drawn."""
        frame = self._scores.frame
        mine = (frame["level"] == "model") & (frame["measure"] == spec) & (frame["group"] == "")
        rows = frame.filter(mine & frame["value"].is_finite()).to_dicts()
        bands = self._scores.details.chance
        found = []
        for row in rows:
            name = row["model"]
            drawn = [topic["topic"] for topic in topics if topic["model"] == name]
            chance = of_model(bands.get(name) or {}, drawn, spec)
            low, _, high = chance["band"] if chance else (None, None, None)
            ends = {end: row[end] if np.isfinite(row[end]) else None for end in ("low", "high")}
            found.append({"model": name, "value": row["value"], **ends, "random": low, "random_high": high})
        return found


def _of_topics(alt: Any, rows: list[dict[str, Any]], spec: str) -> Any:
    rows = sorted(rows, key=lambda row: -row["value"])[:ALPHABET]
    order = [row["name"] for row in rows]
    base = alt.Chart(alt.Data(values=rows))
    y = alt.Y("name:N", title=None, scale=alt.Scale(domain=order)).axis(
        labelLimit=260, ticks=False, domain=False
    )
    x = alt.X("value:Q", title=spec, scale=alt.Scale(zero=False))
    drawn = any(row["random"] is not None for row in rows)
    layers = [_bands(alt, base, y, spec)] if drawn else []
    if min(row["value"] for row in rows) < 0:
        zero = alt.Chart(alt.Data(values=[{"zero": 0}]))
        layers.append(zero.mark_rule(color=INK, strokeWidth=0.5).encode(x="zero:Q"))
    layers.append(base.mark_rule(color=INK, strokeWidth=1).encode(y=y, x=alt.X("low:Q"), x2="high:Q"))
    layers.append(base.mark_point(filled=True, size=28, color=COLOURS[0], opacity=1).encode(y=y, x=x))
    title = [rows[0]["model"], "grey: random lists of equally frequent words"] if drawn else rows[0]["model"]
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(14), title=title)


def _bands(alt: Any, base: Any, y: Any, spec: str) -> Any:
    """What random lists get, a light bar behind each row."""
    bars = base.mark_bar(color=BAND, height={"band": 0.9})
    return bars.encode(y=y, x=alt.X("random:Q", title=spec), x2="random_high:Q")


def _of_models(
    alt: Any, rows: list[dict[str, Any]], names: list[str], spec: str, means: list[dict[str, Any]]
) -> Any:
    y = alt.Y("model:N", title=None, scale=alt.Scale(domain=names)).axis(
        labelLimit=200, ticks=False, domain=False
    )
    x = alt.X("value:Q", title=spec, scale=alt.Scale(zero=False))
    topics = alt.Chart(alt.Data(values=rows)).mark_tick(
        color=INK, opacity=0.45, thickness=1, height={"band": 0.5}
    )
    mean = alt.Chart(alt.Data(values=means))
    ends = mean.mark_rule(color=COLOURS[0], strokeWidth=2.5).encode(
        y=y, x=alt.X("low:Q", title=spec), x2="high:Q"
    )
    dots = mean.mark_point(filled=True, size=60, color=COLOURS[0], opacity=1).encode(y=y, x=x)
    title = ["Topics (lines) and each model's mean", "with its interval"]
    layers = [topics.encode(y=y, x=x), ends, dots]
    if any(row["random"] is not None for row in means):
        title.append("grey: a mean of random lists of equally frequent words")
        layers.insert(0, _bands(alt, mean, y, spec))
    return alt.layer(*layers).properties(width=WIDTH * 1.6, height=alt.Step(22), title=title)


def _curves(alt: Any, curves: dict[str, dict[str, Any]]) -> Any:
    values = []
    for name, curve in curves.items():
        last = max(len(curve["coverage"]) - 1, 1)
        ends = [curve.get(end) or [None] * len(curve["coverage"]) for end in ("low", "high")]
        for i, (v, low, high) in enumerate(zip(curve["coverage"], *ends, strict=True)):
            values.append({"model": name, "distance": i / last, "coverage": v, "low": low, "high": high})
    names = list(curves)
    base = alt.Chart(alt.Data(values=values))
    x = alt.X("distance:Q", title="distance allowed", scale=alt.Scale(domain=[0, 1])).axis(tickCount=5)
    y = alt.Y("coverage:Q", title="reference topics covered", scale=alt.Scale(domain=[0, 1])).axis(format="%")
    colour, dash = _told_apart(alt, "model:N", names)
    band = base.mark_area(opacity=0.14).encode(
        x=x, y=alt.Y("low:Q", title="reference topics covered"), y2="high:Q", color=colour
    )
    line = base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, strokeDash=dash)
    return alt.layer(band, line).properties(width=WIDTH * 1.4, height=WIDTH)


def _told_apart(alt: Any, field: str, names: list[str]) -> tuple[Any, Any]:
    """A colour and a dash for each name, in one legend."""
    legend = alt.Legend(
        orient="bottom",
        symbolType="stroke",
        symbolOpacity=1,
        symbolSize=400,
        columns=3,
        symbolStrokeWidth=1.5,
    )
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    dashes = [DASHES[i % len(DASHES)] for i in range(len(names))]
    colour = alt.Color(field, title=None, scale=alt.Scale(domain=names, range=colours), legend=legend)
    return colour, alt.StrokeDash(
        field, title=None, scale=alt.Scale(domain=names, range=dashes), legend=legend
    )


def _aligned(alt: Any, base: str, about: dict[str, Any], runs: list[str]) -> Any:
    cells: list[dict[str, Any]] = []
    if about.get("alignment"):
        runs = list(about["alignment"]["runs"])
        for group in about["alignment"]["groups"]:
            row = " ".join(group["words"][:3])
            for run, topic in zip(runs, group["topics"], strict=True):
                cosine = None if topic is None else group["stability"]
                cells.append(
                    {"topic": row, "run": run, "cosine": cosine, "text": "–" if topic is None else str(topic)}
                )
    else:
        for topic, cosines in about["matches"].items():
            row = f"{topic}  " + " ".join(about["topics"][int(topic)][:3])
            for run, cosine in zip(runs, cosines, strict=False):
                text = "–" if cosine is None else f"{cosine:.2f}"
                cells.append({"topic": row, "run": run, "cosine": cosine, "text": text})
    means: dict[str, list[float]] = {}
    for cell in cells:
        means.setdefault(cell["topic"], []).append(cell["cosine"] or 0.0)
    order = sorted(means, key=lambda topic: -float(np.mean(means[topic])))[:ALPHABET]
    cells = [cell for cell in cells if cell["topic"] in order]
    x = alt.X("run:N", title=None, scale=alt.Scale(domain=runs)).axis(
        orient="top", labelAngle=0, labelLimit=80, domain=False, ticks=False
    )
    y = alt.Y("topic:N", title=None, scale=alt.Scale(domain=order)).axis(
        labelLimit=260, domain=False, ticks=False
    )
    what = "stability" if about.get("alignment") else "cosine"
    colour = alt.Color(
        "cosine:Q",
        title=what,
        scale=alt.Scale(domain=[0, 1], range=["#ffffff", "#5e98cb"], interpolate="rgb"),
    )
    drawn = alt.Chart(alt.Data(values=cells))
    box = drawn.mark_rect(stroke=GRID, strokeWidth=0.5).encode(x=x, y=y, color=colour)
    return alt.layer(box, drawn.mark_text(color=INK).encode(x=x, y=y, text="text:N")).properties(
        width=alt.Step(56), height=alt.Step(15), title=f"{base}: topics in other runs"
    )


def _correlations(alt: Any, found: Any) -> Any:
    names = list(found.measures)
    cells = []
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            value = found.values[i, j]
            text = "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−").replace("0.", ".", 1)
            cells.append({"a": a, "b": b, "value": None if np.isnan(value) else float(value), "text": text})
    x = alt.X("b:N", title=None, scale=alt.Scale(domain=names[:-1])).axis(
        labelAngle=-40, labelLimit=160, domain=False, ticks=False
    )
    y = alt.Y("a:N", title=None, scale=alt.Scale(domain=names[1:])).axis(
        labelLimit=200, domain=False, ticks=False
    )
    scale = alt.Scale(domain=[-1, 0, 1], range=[ORANGE, PALE, BLUE], interpolate="rgb")
    drawn = alt.Chart(alt.Data(values=cells))
    box = drawn.mark_rect(stroke="white").encode(
        x=x, y=y, color=alt.Color("value:Q", scale=scale, legend=None)
    )
    text = drawn.mark_text().encode(
        x=x, y=y, text="text:N",
        color=alt.condition("abs(datum.value) > 0.6", alt.value("#ffffff"), alt.value(INK)),
    )  # fmt: skip
    title = f"{found.method.capitalize()}'s correlations over {found.of}s"
    return alt.layer(box, text).properties(width=alt.Step(40), height=alt.Step(22), title=title)


def _of_people(row: dict[str, Any]) -> dict[str, Any]:
    strange = row.get("known") is not None and row["known"] < 0.5
    words = "most knew the words" if not strange else "most did not know the words"
    return {"value": row["value"], "low": row.get("low"), "high": row.get("high"), "words": words}


def _scatter(alt: Any, rows: list[dict[str, Any]], name: str, spec: str) -> Any:
    base = alt.Chart(alt.Data(values=rows))
    kinds = ["most knew the words", "most did not know the words"]
    kinds = [kind for kind in kinds if any(row["words"] == kind for row in rows)]
    x = alt.X("x:Q", title=spec, scale=alt.Scale(zero=False)).axis(tickCount=5)
    y = alt.Y("value:Q", title=PEOPLE.get(name, name), scale=alt.Scale(zero=False))
    colours = alt.Scale(domain=kinds, range=[COLOURS[0], COLOURS[1]][: len(kinds)])
    shapes = alt.Scale(domain=kinds, range=SHAPES[: len(kinds)])
    legend = alt.Legend(orient="bottom", columns=1) if len(kinds) > 1 else None
    ends = base.mark_rule(color=INK, opacity=0.18, strokeWidth=0.8).encode(
        x=x, y=alt.Y("low:Q", title=PEOPLE.get(name, name)), y2="high:Q"
    )
    dots = base.mark_point(size=24, strokeWidth=1.2, opacity=0.9).encode(
        x=x, y=y,
        color=alt.Color("words:N", title=None, scale=colours, legend=legend),
        shape=alt.Shape("words:N", title=None, scale=shapes, legend=legend),
    )  # fmt: skip
    return alt.layer(ends, dots).properties(width=WIDTH * 1.25, height=WIDTH)
