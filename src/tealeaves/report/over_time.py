"""Topics over time: verdicts, timelines, curves, breaks, a heat map, models compared, chance."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.report.over_time_marks import cells, lanes, line, scale, ticks
from tealeaves.report.over_time_slices import by_slice
from tealeaves.report.rows import Row, count_of, names_of, pick, unique, whole
from tealeaves.verdicts_over_time import (
    DEFAULTS,
    LABELS,
    OverTime,
    TimeThresholds,
    TopicOverTime,
    judge_model,
    parsed,
    percent,
    step_of,
)

if TYPE_CHECKING:
    from tealeaves.measures._table import Spec
    from tealeaves.scores import Scores

TIMELINES = 24  # topics of a model that are drawn in full; all are in the heat map
BREAKS = 6
STEPS = 1500  # rows of numbers
NAMED = 3  # models at most in one sentence
MORE = 0.05  # topics that keep no more than this above chance have no history
COHERENCE = ("npmi", "c_npmi", "uci", "c_uci", "umass", "u_mass", "c_v", "c_p", "c_a", "we_coherence")
TABLE = (
    (COHERENCE, "TC", "Coherence, slice by slice"),
    (("diversity",), "TD", "Diversity, slice by slice"),
    (("tq",), "TQ", "Their product, slice by slice"),
    (("ttc",), "TTC", "Coherence across slices"),
    (("tts",), "TTS", "Words kept from slice to slice"),
    (("ttq",), "TTQ", "Their product, across slices"),
    (("dtq",), "DTQ", "Mean of TQ and TTQ"),
    (("b_tc",), "B-TC", "Baseline of TTC: each slice alone"),
    (("b_ts",), "B-TS", "Baseline of TTS: any two slices"),
)


def over_time(
    scores: "Scores", rows: list[Row], details: Row, thresholds: TimeThresholds = DEFAULTS
) -> Row | None:
    """What the section shows; None where there is no model with topics in two slices."""
    dynamic = {
        name: about
        for name, about in (details.get("models") or {}).items()
        if about.get("slice_topics") and len(about["slice_labels"]) > 1
    }
    if not dynamic:
        return None
    rows = [row for row in whole(rows) if row["model"] in dynamic]
    specs = unique(row["measure"] for row in rows)
    beside = details.get("companions") or {}
    judged = [
        judge_model(name, about, rows, specs, beside.get(name) or {}, thresholds)
        for name, about in dynamic.items()
    ]
    columns = _columns(specs)
    curves = {m.name: _curves(m, rows, columns) for m in judged}
    heats = {m.name: _heat(m, curves[m.name]) for m in judged}
    same = len({name for name, _ in heats.values()}) == 1  # else each model has a scale of its own
    models = []
    for m in judged:
        others = list(heats.values()) if same else [heats[m.name]]
        ends = scale([v for _, values in others for v in values[np.isfinite(values)]])
        models.append(_model(m, dynamic[m.name], curves[m.name], heats[m.name], ends, thresholds))
    chance = {name: _chance(beside.get(name) or {}) for name in dynamic}
    return {
        "models": models,
        "columns": columns,
        "unasked": [short for _, short, _ in TABLE[:7] if short not in {c["short"] for c in columns}],
        "table": [
            {
                "name": name,
                "topics": about["n_topics"],
                "slices": len(about["slice_labels"]),
                "cells": [_cell(rows, name, c["spec"], beside.get(name) or {}) for c in columns],
            }
            for name, about in dynamic.items()
        ],
        "by_slice": by_slice(judged, rows, columns),
        "heading": _heading(judged),
        "verdicts": {(m.name, topic.topic): topic for m in judged for topic in m.topics},
        "answer": _answer(judged, chance, thresholds),
        "thresholds": thresholds,
        "labels": LABELS,
    }


def _columns(specs: Sequence[str]) -> list[Row]:
    """The measures to compare models by, in the order of the source's table; a column for each spec."""
    found = []
    for names, short, says in TABLE:
        for text in specs:
            spec = parsed(text)
            if spec is not None and spec.name in names:
                best = "↑" if spec.best == "high" else "↓" if spec.best == "low" else ""
                found.append({"spec": text, "short": short, "says": says, "arrow": best, "parsed": spec})
    return found


def _cell(rows: Sequence[Row], name: str, spec: str, beside: Row) -> Row:
    found = pick(rows, model=name, measure=spec, level="model")
    cell: Row = (
        dict(found[0]) if found else {"value": None, "low": None, "high": None, "reason": "not asked for"}
    )
    numbers = beside.get(spec) or {}
    cell["beside"] = [
        {"value": numbers[key], "says": says}
        for key, says in (("chance", "shuffled"), ("without_self_pairs", "without self-pairs"))
        if isinstance(numbers.get(key), int | float) and np.isfinite(numbers[key])
    ]
    return cell


def _chance(beside: Row) -> float | None:
    """What topics in random order would keep from slice to slice."""
    for text, numbers in beside.items():
        spec = parsed(text)
        if spec is not None and spec.name == "tts" and spec.settings["window"] == 2 and numbers.get("chance"):
            return float(numbers["chance"])
    return None


def _heading(models: Sequence[OverTime]) -> str:
    known = [m for m in models if not np.isnan(m.kept)]
    if not known:
        return "Over time: no topic is in two neighbouring slices"
    if len(known) == 1:
        m = known[0]
        first = [t.whole for t in m.topics if not np.isnan(t.whole)]
        far = f", {percent(float(np.mean(first)))} from the first to the last" if len(m.labels) > 2 else ""
        return f"Over time: {percent(m.kept)} of words stay from one slice to the next{far}; {_cuts(m)}"
    said = "; ".join(f"{percent(m.kept)} in {m.name}, {_cuts(m)}" for m in known[:NAMED])
    more = f"; {len(known) - NAMED} more below" if len(known) > NAMED else ""
    return f"Over time, words that stay from one slice to the next: {said}{more}"


def _cuts(m: OverTime) -> str:
    n = sum(len(topic.breaks) for topic in m.topics)
    return "no topic breaks" if not n else f"{n} sharp break" + ("" if n == 1 else "s")


def _answer(models: Sequence[OverTime], chance: Mapping[str, float | None], t: TimeThresholds) -> list[str]:
    """The line of the short answer, a sentence or two a model."""
    says = []
    for m in models[:NAMED]:
        if np.isnan(m.kept):
            says.append(f"{m.name} has no topic in two neighbouring slices.")
            continue
        said = f"{m.name} keeps {percent(m.kept)} of its words from one slice to the next"
        shuffled = chance.get(m.name)
        if shuffled is not None and len(m.topics) > 1:
            alike = (
                shuffled < t.stays and m.kept <= shuffled + MORE
            )  # topics of the same words stay in any order
            no_history = ", so they have no history" if alike else ""
            said += f" (topics put in random order: {percent(shuffled)}{no_history})"
        counts = [(v, n) for v, n in m.counts.items() if n]
        listed = ", ".join(f"{LABELS[v].lower()} {n}{_which(m, v, n)}" for v, n in counts)
        says.append(f"{said}. Of {count_of(len(m.topics), 'topic')}: {listed}.")
    if len(models) > NAMED:
        says.append(f"{len(models) - NAMED} more models over time are compared below.")
    return says


def _which(m: OverTime, verdict: str, n: int) -> str:
    """The numbers of the topics, where they are few and need a look."""
    if verdict not in ("jumps", "repeated", "drifts") or n > NAMED:
        return ""
    named = [str(t.topic) for t in m.topics if t.verdict == verdict]
    return f" (topic{'s' if n > 1 else ''} {names_of(named)})"


def _curves(m: OverTime, rows: Sequence[Row], columns: Sequence[Row]) -> dict[str, Row]:
    """Values of topics by place, for each measure of windows: by the spec nearest to the verdicts'."""
    place = {label: i for i, label in enumerate(m.labels)}
    n = max((len(words) for topics in m.lists for words in topics), default=0)
    found: dict[str, Row] = {}
    for short in ("TC", "TTC", "TTQ"):
        mine = [c for c in columns if c["short"] == short]
        mine.sort(key=lambda c: (c["spec"] != m.spec, c["parsed"].top != n, _span(c["parsed"]) != 2))
        for column in mine[:1]:
            by_topic: dict[int, dict[float, float]] = {}
            for row in pick(rows, model=m.name, measure=column["spec"], level="window"):
                if row["value"] is not None and row["slice"] in place and row["slice_end"] in place:
                    at = (place[row["slice"]] + place[row["slice_end"]]) / 2
                    by_topic.setdefault(int(row["topic"]), {})[at] = row["value"]
            if by_topic:
                found[short] = {**column, "by_topic": by_topic}
    return found


def _span(spec: "Spec") -> int:
    return int(spec.settings.get("window") or 1) if spec.name in ("ttc", "tts", "ttq", "dtq") else 1


def _heat(m: OverTime, curves: Mapping[str, Row]) -> tuple[str, Any]:
    """What the heat map shows: TTQ of neighbouring slices where it is known, else the words kept."""
    quality = curves.get("TTQ")
    if quality is None or _span(quality["parsed"]) != 2:
        return "TTS", np.array([topic.steps for topic in m.topics])
    values = np.full((len(m.topics), len(m.labels) - 1), np.nan)
    for k, points in quality["by_topic"].items():
        for at, value in points.items():
            values[k, int(at)] = value
    return str(quality["spec"]), values


def _model(
    m: OverTime,
    about: Row,
    curves: Mapping[str, Row],
    heat: tuple[str, Any],
    ends: tuple[float, float],
    t: TimeThresholds,
) -> Row:
    what, values = heat
    most = max(-ends[0], ends[1])
    joins = [float(v) for topic in m.topics for v in topic.joins[np.isfinite(topic.joins)]]
    axes = {"joins": scale(joins)} | {
        short: scale([v for points in c["by_topic"].values() for v in points.values()])
        for short, c in curves.items()
    }
    drawn = {x.topic for x in m.ranked[:TIMELINES]}
    topics = {x.topic: {**_topic(m, x, curves, axes), "drawn": x.topic in drawn} for x in m.topics}
    for x in m.topics:
        cut = [bool(round(s, 2) <= t.broken) for s in x.steps]
        topics[x.topic]["cells"] = cells([float(v) for v in values[x.topic]], cut, most)
        known = values[x.topic][np.isfinite(values[x.topic])]
        topics[x.topic]["heat_mean"] = float(known.mean()) if len(known) else None
    steps = [
        {
            "topic": x.topic,
            "start": m.labels[i],
            "end": m.labels[i + 1],
            "kept": None if np.isnan(s) else round(float(s), 6),
            "across": None if np.isnan(x.joins[i]) else round(float(x.joins[i]), 6),
        }
        for x in m.topics
        for i, s in enumerate(x.steps)
    ]
    changes = [
        step_of(x.topic, i, m.labels, [topics_[x.topic] for topics_ in m.lists], float(s), float(x.joins[i]))
        for x in m.topics
        for i, s in enumerate(x.steps)
        if s < 1
    ]
    changes.sort(key=lambda b: (round(b.kept, 6), np.nan_to_num(b.across, nan=0.0), b.start, b.topic))
    n_breaks = sum(len(x.breaks) for x in m.topics)
    return {
        "name": m.name,
        "labels": m.labels,
        "ticks": ticks(m.labels),
        "spec": m.spec,
        "topics": [topics[x.topic] for x in m.ranked[:TIMELINES]],
        "left_out": max(len(m.topics) - TIMELINES, 0),
        "all": [topics[x.topic] for x in m.topics],
        "heat": what,
        "quality": what != "TTS",
        "low": ends[0],
        "high": ends[1],
        "joined": bool(joins),
        "axis": axes["joins"],
        "n_breaks": n_breaks,
        "breaks": [
            {
                **b._asdict(),
                "across": None if np.isnan(b.across) else round(b.across, 2),
                "cut": round(b.kept, 2) <= t.broken,
            }
            for b in changes[:BREAKS]
        ],
        "n_changes": len(changes),
        "counts": {verdict: n for verdict, n in m.counts.items() if n},
        "steps": steps[:STEPS],
        "more_steps": max(len(steps) - STEPS, 0),
        "rare": len(about.get("rare") or []),
        "words": max((len(words) for topics_ in m.lists for words in topics_), default=0),
    }


def _topic(
    m: OverTime, x: TopicOverTime, curves: Mapping[str, Row], axes: Mapping[str, tuple[float, float]]
) -> Row:
    n, lists = len(m.labels), [topics[x.topic] for topics in m.lists]
    kept = {i + 0.5: float(s) for i, s in enumerate(x.steps) if np.isfinite(s)}
    joins = {i + 0.5: float(s) for i, s in enumerate(x.joins) if np.isfinite(s)}
    shown, more = lanes(lists)
    strips = [{"name": "TTS", "spec": "", **line(kept, n, (0.0, 1.0))}] if kept else []
    for short, curve in curves.items():
        points = curve["by_topic"].get(x.topic)
        if points:
            plain = curve["spec"] in (f"{curve['parsed'].name}@{max(map(len, lists))}", "npmi@10")
            spec = "" if plain else curve["spec"]
            strips.append({"name": short, "spec": spec, **line(points, n, axes[short])})
    order = ("TTS", "TTC", "TTQ", "TC")
    return {
        "id": x.topic,
        "words": _leading(lists)[:5],
        "verdict": x.verdict,
        "label": x.label,
        "sentence": x.sentence,
        "kept": None if np.isnan(x.kept) else percent(x.kept),
        "across": None if np.isnan(x.across) else round(x.across, 2),
        "lanes": shown,
        "more_words": more,
        "curves": sorted(strips, key=lambda strip: order.index(strip["name"])),
        "spark": {"kept": line(kept, n, (0.0, 1.0)), "joins": line(joins, n, axes["joins"])},
    }


def _leading(lists: Sequence[Sequence[str]]) -> list[str]:
    """The words that are top words longest."""
    slices: dict[str, float] = {}
    for words in lists:
        for rank, word in enumerate(words):
            slices[word] = slices.get(word, 0.0) + 1 / (1 + rank)
    return sorted(slices, key=lambda word: -slices[word])
