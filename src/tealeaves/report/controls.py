"""The page of controls: what was made worse, what each measure made of it, and how to read that."""

import base64
import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves import __version__
from tealeaves.report import write_page
from tealeaves.report.render import environment, template_file
from tealeaves.report.rows import measure_facts

if TYPE_CHECKING:
    from tealeaves.controls import Controls

Row = dict[str, Any]
# As the source's Table 1 calls them: year by year, and over time.
SHORT = {"npmi": "TC", "diversity": "TD", "tq": "TQ", "ttc": "TTC", "tts": "TTS", "ttq": "TTQ", "dtq": "DTQ"}
OVER_TIME = ("ttc", "tts", "ttq", "dtq", "b_ts")  # what shuffling should bring down
KINDS = {
    "original": "the model as it is",
    "shuffled": "topics of each slice in random order",
    "repeated": "one topic in place of all",
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 340, 200, 62, 12, 12, 30  # the template's numbers, too
TICKS = 4


def write_controls(found: "Controls", path: Path) -> Path:
    """Write the page of controls, whole or not at all."""
    return write_page(path, render(found))


def render(found: "Controls") -> str:
    """The page as one HTML text."""
    script = template_file("figures.js") + "\n" + template_file("sweep.js")
    style = "\n".join(template_file(name) for name in ("report.css", "size.css", "sweep.css", "controls.css"))
    specs = list(found.table["measure"].unique(maintain_order=True))
    return (
        environment()
        .get_template("controls.html")
        .render(
            about=found.about,
            says=says(found),
            columns=[{**measure_facts(spec), "spec": spec, "short": short(spec)} for spec in specs],
            rows=_rows(found, specs),
            panels=[_panel(found, row) for row in found.reactions.iter_rows(named=True)],
            levels=range(found.about["levels"] + 1),
            reactions=_reactions(found),
            style=style,
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            version=__version__,
        )
    )


def shown(value: float | None) -> str:
    """Three decimals with a true minus; a dash for none.

    Examples
    --------
    >>> shown(-0.00019), shown(-0.25), shown(float("nan"))
    ('0.000', '−0.250', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:,.3f}"
    return text[1:] if not text.strip("-0.") and text.startswith("-") else text.replace("-", "−")


def short(spec: str) -> str:
    """What the source calls a measure, or its own name."""
    name = _name(spec)
    return SHORT.get(name, name)


def beside(row: Row, n_topics: int) -> list[str]:
    """What is said under a value of the table: the range of the draws, topics and draws left out, chance."""
    said = []
    if row["least"] < row["most"]:
        said.append(f"{shown(row['least'])} to {shown(row['most'])}")
    if row["defined"] < row["draws"] and row["defined"]:
        said.append(f"{row['defined']} of {row['draws']} draws")
    if row["topics"] is not None and 0 < row["topics"] < n_topics:
        said.append(f"over {row['topics']} of {n_topics} topics")
    if row["chance"] is not None and not math.isnan(row["chance"]):
        said.append(f"by chance {shown(row['chance'])}")
    return said


def says(found: "Controls") -> list[str]:
    """What the controls show, in sentences."""
    rows = {(row["model"], row["measure"]): row for row in found.table.iter_rows(named=True)}
    specs = list(found.table["measure"].unique(maintain_order=True))
    defined = [spec for spec in specs if not math.isnan(rows["original", spec]["value"])]
    within = [spec for spec in defined if _name(spec) not in OVER_TIME]
    over = [spec for spec in defined if _name(spec) in OVER_TIME]
    return [
        *_of_shuffling(rows, within, over),
        *_of_repeating(rows, within, over),
        *_of_intrusion(found),
        *[
            f"{spec} has no value: {rows['original', spec]['reason']}."
            for spec in specs
            if spec not in defined
        ],
    ]


def _of_shuffling(rows: dict[tuple[str, str], Row], within: Sequence[str], over: Sequence[str]) -> list[str]:
    said, same = [], []
    for spec in within:
        original, shuffled = rows["original", spec], rows["shuffled", spec]
        if original["value"] == shuffled["least"] == shuffled["most"]:
            same.append(spec)
    if same:
        verb = "are" if len(same) > 1 else "is"
        said.append(
            f"With the topics of each slice in random order {_listed(same)} {verb} the same to the last "
            "digit: measures within slices cannot see whether a topic goes on."
        )
    falling: list[str] = []
    level: list[str] = []
    for spec in over:
        original, shuffled = rows["original", spec]["value"], rows["shuffled", spec]
        if math.isnan(shuffled["value"]):
            continue
        chance = shuffled["chance"]
        by_chance = "" if chance is None or math.isnan(chance) else f", by chance {shown(chance)}"
        values = f"{spec} ({shown(original)}, shuffled {shown(shuffled['value'])}{by_chance})"
        (falling if original > shuffled["most"] else level).append(values)
    if falling:
        said.append(f"{_listed(falling)} {'fall, as they' if len(falling) > 1 else 'falls, as it'} should.")
    if level:
        verb = "are" if len(level) > 1 else "is"
        said.append(
            f"{_listed(level)} {verb} no better than where topics are shuffled: by this, topics do not go on "
            "from slice to slice."
        )
    return said


def _of_repeating(rows: dict[tuple[str, str], Row], within: Sequence[str], over: Sequence[str]) -> list[str]:
    zero = [
        spec for spec in within if _name(spec) in ("diversity", "tq") and rows["repeated", spec]["most"] == 0
    ]
    there = [s for s in over if _name(s) != "dtq" and not math.isnan(rows["repeated", s]["value"])]
    kept = [f"{spec} ({shown(rows['repeated', spec]['value'])})" for spec in there]
    said = []
    if zero:
        said.append(
            f"With one topic in place of all {_listed(zero)} {'fall' if len(zero) > 1 else 'falls'} to 0."
        )
    if kept:
        verb = "look" if len(kept) > 1 else "looks"
        said.append(
            f"{_listed(kept)} {verb} only along each topic, not at the others: a model that collapsed to one "
            "topic can score well by that alone. DTQ counts both."
        )
    return said


def _of_intrusion(found: "Controls") -> list[str]:
    rows = [row for row in found.reactions.iter_rows(named=True) if row["topics"]]
    groups: dict[str, list[str]] = {"falls": [], "does not fall": [], "stays": []}
    for row in rows:
        still = row["topics"] - row["react"]
        also = "" if not still else f", {still} of {row['topics']} topics unmoved"
        group = "stays" if not row["react"] else "falls" if row["rho_of_topics"] < 0 else "does not fall"
        groups[group].append(f"{row['measure']} (rho {shown(row['rho_of_topics'])}{also})")
    plural = {"falls": "fall", "does not fall": "do not fall", "stays": "stay as they are"}
    single = {"falls": "falls", "does not fall": "does not fall", "stays": "stays as it is"}
    return [
        f"{_listed(names)} {(plural if len(names) > 1 else single)[group]} with each word that intrudes."
        for group, names in groups.items()
        if names
    ]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _name(spec: str) -> str:
    return spec.partition("@")[0].partition("(")[0]


def _rows(found: "Controls", specs: Sequence[str]) -> list[Row]:
    rows = {(row["model"], row["measure"]): row for row in found.table.iter_rows(named=True)}
    lines = []
    for kind, what in KINDS.items():
        cells = [rows[kind, spec] for spec in specs]
        draws = max(cell["draws"] for cell in cells)
        lines.append(
            {
                "kind": kind,
                "what": what if kind == "original" else f"{what}, {draws} draw{'s' if draws != 1 else ''}",
                "cells": [
                    {
                        "value": cell["value"],
                        "shown": shown(cell["value"]),
                        "beside": beside(cell, found.about["topics"]),
                        "reason": cell["reason"],
                    }
                    for cell in cells
                ],
            }
        )
    return lines


def level_means(found: "Controls", spec: str) -> list[float]:
    """The mean score of the topics at each level, over those that have one; nan where none has."""
    frame = found.intrusion.filter(found.intrusion["measure"] == spec)
    means = []
    for level in range(found.about["levels"] + 1):
        mean = frame.filter(frame["level"] == level)["value"].drop_nans().mean()
        means.append(math.nan if mean is None else float(mean))  # type: ignore[arg-type]
    return means


def rho_words(row: Row) -> str:
    """Spearman's rho with its interval, and of how many topics it is the mean."""
    if not row["topics"]:
        return f"– (no score of {row['intruded']} topics)"
    interval = f" [{shown(row['low_of_topics'])}, {shown(row['high_of_topics'])}]"
    one = math.isnan(row["low_of_topics"])
    still = "" if row["react"] == row["topics"] else f", {row['topics'] - row['react']} unmoved"
    of = f"{row['topics']} of {row['intruded']} topics{still}"
    return f"{shown(row['rho_of_topics'])}{'' if one else interval} ({of})"


def _reactions(found: "Controls") -> list[Row]:
    return [
        {
            "measure": row["measure"],
            "short": short(row["measure"]),
            "means": [{"value": mean, "shown": shown(mean)} for mean in level_means(found, row["measure"])],
            "rho": row["rho_of_topics"],
            "said": rho_words(row),
        }
        for row in found.reactions.iter_rows(named=True)
    ]


def _panel(found: "Controls", row: Row) -> Row | None:
    """A measure by level: the mean over topics, and each topic's line moved to begin at the mean."""
    means = level_means(found, row["measure"])
    if math.isnan(means[0]) or not found.about["levels"]:
        return None
    frame = found.intrusion.filter(found.intrusion["measure"] == row["measure"])
    lines = [
        [means[0] + change for change in topic.sort("level")["change"] if not math.isnan(change)]
        for _, topic in frame.group_by("topic", maintain_order=True)
    ]
    ends = [v for v in [*means, *(v for line in lines for v in line)] if not math.isnan(v)]
    pad = 0.06 * (max(ends) - min(ends)) or abs(max(ends)) * 0.1 or 1.0
    low, high = min(ends) - pad, max(ends) + pad
    last = len(means) - 1

    def x(level: int) -> float:
        return round(LEFT + level / last * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        at: float = TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return round(at, 1)

    def points(values: Sequence[float]) -> str:
        return " ".join(f"{x(i)},{y(v)}" for i, v in enumerate(values) if not math.isnan(v))

    steps = [low + (high - low) * (i + 0.5) / TICKS for i in range(TICKS)]
    said = "; ".join(f"level {i}: {shown(v)}" for i, v in enumerate(means))
    return {
        "measure": row["measure"],
        "short": short(row["measure"]),
        "rho": rho_words(row),
        "topics": [points(line) for line in lines if len(line) > 1],
        "mean": points(means),
        "dots": [
            {"x": x(i), "y": y(v), "said": f"{i} words replaced: {shown(v)}"}
            for i, v in enumerate(means)
            if not math.isnan(v)
        ],
        "x": [{"at": x(i), "level": i} for i in range(last + 1)],
        "y": [{"at": y(v), "value": shown(v)} for v in steps],
        "said": f"{row['measure']} by words replaced, mean over topics. {said}",
    }
