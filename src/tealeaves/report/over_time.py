"""Topics over time: timelines, curves, breaks, a heat map, and what chance gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tealeaves.report.rows import Row, pick, whole
from tealeaves.verdicts import number

if TYPE_CHECKING:
    from tealeaves.scores import Scores

WORDS = 10  # whose coming and going a timeline draws
LANES = 24  # words of a timeline; those that stay longest first
TIMELINES = 24  # topics of a model that are drawn in full; all are in the heat map
BREAKS = 6
TABLE = (
    ("npmi", "TC", "Coherence, slice by slice"),
    ("diversity", "TD", "Diversity, slice by slice"),
    ("tq", "TQ", "Their product, slice by slice"),
    ("ttc", "TTC", "Coherence across neighbouring slices"),
    ("tts", "TTS", "Words kept from slice to slice"),
    ("ttq", "TTQ", "Their product, across slices"),
    ("dtq", "DTQ", "Mean of TQ and TTQ"),
)
VERDICTS = {
    "steady": "Steady and coherent",
    "drifts": "Vocabulary drifts within one subject",
    "repeated": "Repeated but incoherent",
    "jumps": "Jumps subject",
    "gaps": "Too few slices to say",
}


@dataclass(frozen=True)
class TimeThresholds:
    """Where a verdict over time changes: shares of words kept, and NPMI across slices without self-pairs."""

    stays: float = 0.6  # a topic keeps at least so many of its words from slice to slice
    broken: float = 0.3  # at most so many words are kept: a break
    together: float = 0.05  # words of neighbouring slices share documents more than chance


DEFAULTS = TimeThresholds()


def over_time(
    scores: "Scores", rows: list[Row], details: Row, thresholds: TimeThresholds = DEFAULTS
) -> Row | None:
    """What the section shows; None where nothing of it was measured."""
    dynamic = {
        name: about
        for name, about in (details.get("models") or {}).items()
        if about.get("slice_labels") and len(about["slice_labels"]) > 1
    }
    if not dynamic:
        return None
    models = [_model(name, about, rows, details, thresholds) for name, about in dynamic.items()]
    return {
        "models": models,
        "columns": [{"name": n, "short": short, "says": says} for n, short, says in TABLE],
        "table": [_table_row(name, about, rows, details) for name, about in dynamic.items()],
        "heading": _heading(models),
        "thresholds": thresholds,
        "labels": VERDICTS,
    }


def _heading(models: Sequence[Row]) -> str:
    m = models[0]
    if m["kept"] is None:
        return "Over time"
    kept = f"{number(WORDS * m['kept'], 1)} of {WORDS} words stay from one slice to the next"
    n = m["n_breaks"]
    return f"Over time: {kept}, {'no topic breaks' if not n else f'{n} sharp break' + ('s' if n > 1 else '')}"


def _values(rows: Sequence[Row], name: str, measure: str, level: str) -> list[Row]:
    """The rows of one measure of a model, whatever its parameters: the first spec of that name."""
    mine = [
        row
        for row in whole(pick(rows, model=name, level=level))
        if row["measure"].partition("@")[0].partition("(")[0] == measure
    ]
    first = mine[0]["measure"] if mine else None
    return [row for row in mine if row["measure"] == first]


def _table_row(name: str, about: Row, rows: Sequence[Row], details: Row) -> Row:
    companions = (details.get("companions") or {}).get(name) or {}
    chance = next((c.get("chance") for spec, c in companions.items() if spec.startswith("tts")), None)
    cells = []
    for measure, _, _ in TABLE:
        found = _values(rows, name, measure, "model")
        cells.append(
            found[0] if found else {"value": None, "low": None, "high": None, "reason": "not asked for"}
        )
    return {"name": name, "topics": about["n_topics"], "slices": len(about["slice_labels"]), "cells": cells,
            "chance": chance}  # fmt: skip


def _model(name: str, about: Row, rows: Sequence[Row], details: Row, t: TimeThresholds) -> Row:
    labels, lists = about["slice_labels"], about["slice_topics"]
    curves = {m: _by_step(_values(rows, name, m, "window"), labels) for m in ("tts", "ttc", "ttq")}
    topics = [
        _topic(k, labels, [topics[k][:WORDS] for topics in lists], curves, about, t)
        for k in range(about["n_topics"])
    ]
    breaks = sorted((b for topic in topics for b in topic["breaks"]), key=lambda b: (b["kept"], b["start"]))
    known = [topic["kept"] for topic in topics if topic["kept"] is not None]
    order = {verdict: i for i, verdict in enumerate(("jumps", "repeated", "drifts", "gaps", "steady"))}
    ranked = sorted(topics, key=lambda topic: (order[topic["verdict"]], topic["kept"] or 0.0, topic["id"]))
    return {
        "name": name,
        "labels": labels,
        "ticks": _ticks(labels),
        "topics": ranked[:TIMELINES],
        "left_out": max(len(ranked) - TIMELINES, 0),
        "heat": topics,
        "kept": sum(known) / len(known) if known else None,
        "n_breaks": len(breaks),
        "breaks": breaks[:BREAKS],
        "counts": {v: sum(topic["verdict"] == v for topic in topics) for v in VERDICTS},
        "rare": len(about.get("rare") or []),
    }


def _by_step(rows: Sequence[Row], labels: Sequence[str]) -> dict[tuple[int, int], float]:
    """Values of windows by (topic, place of the slice that they begin at)."""
    place = {label: i for i, label in enumerate(labels)}
    return {
        (int(row["topic"]), place[row["slice"]]): row["value"]
        for row in rows
        if row["value"] is not None and row["slice"] in place
    }


def _topic(
    k: int,
    labels: Sequence[str],
    lists: Sequence[Sequence[str]],
    curves: Mapping[str, Mapping[tuple[int, int], float]],
    about: Row,
    t: TimeThresholds,
) -> Row:
    steps: list[float | None] = []
    for i in range(len(labels) - 1):
        now, then = lists[i], lists[i + 1]
        if not now or not then:
            steps.append(None)
            continue
        steps.append(len(set(now) & set(then)) / max(len(now), 1))
    known = [s for s in steps if s is not None]
    kept = sum(known) / len(known) if known else None
    across = _across(k, steps, curves["ttc"], lists)
    breaks = [
        _break(k, i, labels, lists, curves["tts"].get((k, i), kept_here))
        for i, kept_here in enumerate(steps)
        if kept_here is not None and kept_here <= t.broken
    ]
    return {
        "id": k,
        "words": list(about["topics"][k][:5]),
        "lanes": _lanes(lists),
        "steps": [
            None if s is None else (3 if s > 0.8 else 2 if s > 0.6 else 1 if s > t.broken else 0)
            for s in steps
        ],
        "kept": kept,
        "across": across,
        "curves": [
            _curve(name, k, curves[name], len(labels)) for name in ("tts", "ttc", "ttq") if curves[name]
        ],
        "breaks": breaks,
        "verdict": _verdict(kept, across, breaks, known, t),
    }


def _across(
    k: int,
    steps: Sequence[float | None],
    ttc: Mapping[tuple[int, int], float],
    lists: Sequence[Sequence[str]],
) -> float | None:
    """NPMI across slices without pairs of equal words: TTC is o + (1 - o) times it, o the share kept / n."""
    found = []
    for i, kept in enumerate(steps):
        if kept is not None and (k, i) in ttc:
            o = kept / max(len(lists[i]), 1)
            found.append((ttc[k, i] - o) / (1 - o) if o < 1 else 1.0)
    return sum(found) / len(found) if found else None


def _verdict(
    kept: float | None, across: float | None, breaks: Sequence[Row], known: Sequence[float], t: TimeThresholds
) -> str:
    if kept is None or not known:
        return "gaps"
    coherent = across is None or across >= t.together
    if kept >= t.stays:
        return "steady" if coherent else "repeated"
    return "drifts" if coherent else "jumps"


def _break(k: int, i: int, labels: Sequence[str], lists: Sequence[Sequence[str]], tts: float) -> Row:
    now, then = lists[i], lists[i + 1]
    return {
        "topic": k,
        "start": labels[i],
        "end": labels[i + 1],
        "kept": tts,
        "left": [w for w in now if w not in then],
        "came": [w for w in then if w not in now],
    }


def _lanes(lists: Sequence[Sequence[str]]) -> list[Row]:
    """For each word the slices in which it is among the top words, as runs of percent of the whole time."""
    n = len(lists)
    there: dict[str, list[int]] = {}
    for i, words in enumerate(lists):
        for word in dict.fromkeys(words):
            there.setdefault(word, []).append(i)
    present = [i for i, words in enumerate(lists) if words]
    first, last = (present[0], present[-1]) if present else (0, 0)
    lanes: list[Row] = []
    for word, slices in there.items():
        runs: list[list[int]] = []
        for i in slices:
            if runs and runs[-1][1] == i - 1:
                runs[-1][1] = i
            else:
                runs.append([i, i])
        kind = "stay" if len(slices) == len(present) else "in" if slices[-1] == last else "out"
        if kind == "in" and slices[0] == first:
            kind = "back"
        bars = [{"left": 100 * a / n, "width": 100 * (b - a + 1) / n} for a, b in runs]
        lanes.append({"word": word, "kind": kind, "slices": len(slices), "since": slices[0], "bars": bars})
    lanes.sort(key=lambda lane: (-lane["slices"], lane["since"], lane["word"]))
    groups = {"out": 0, "back": 1, "in": 1, "stay": 2}
    return sorted(lanes[:LANES], key=lambda lane: (groups[lane["kind"]], lane["since"], lane["word"]))


def _curve(name: str, k: int, values: Mapping[tuple[int, int], float], n: int) -> Row:
    """A strip of one measure, drawn over the whole time; steps stand between the slices they join."""
    low = min(0.0, *values.values())
    high = 1.0 if name == "tts" else max([*values.values(), 0.1])
    points: list[list[str]] = [[]]
    for i in range(n - 1):
        if (k, i) in values:
            x, y = 100 * (i + 1) / n, 100 - 4 - 92 * (values[k, i] - low) / (high - low)
            points[-1].append(f"{x:.2f},{y:.1f}")
        elif points[-1]:
            points.append([])
    mine = [v for (topic, _), v in values.items() if topic == k]
    mean = sum(mine) / len(mine) if mine else None
    return {
        "name": name.upper(),
        "lines": [" ".join(p) for p in points if len(p) > 1],
        "dots": [p[0].split(",") for p in points if len(p) == 1],
        "mean": mean,
        "zero": 100 - 4 - 92 * (0 - low) / (high - low) if low < 0 else None,
    }


def _ticks(labels: Sequence[str]) -> list[Row]:
    n = len(labels)
    places = sorted({round(i * (n - 1) / min(4, n - 1)) for i in range(min(5, n))})
    return [{"left": 100 * (i + 0.5) / n, "label": labels[i]} for i in places]
