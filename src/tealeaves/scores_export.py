"""Scores for other programs, for papers and for notebooks."""

import html
import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import SpecError

if TYPE_CHECKING:
    import pandas

    from tealeaves.scores import Scores

ENDS = {"high": "higher is better", "low": "lower is better", None: "neither end is best"}


@dataclass(frozen=True)
class Cell:
    """A score in the wide table; ``reason`` is why it is undefined, if it is."""

    value: float
    low: float
    high: float
    reason: str
    best: bool = False
    some: str = ""  # "3 of 20 topics", where the value is a mean over these only
    share: float = 1.0  # of the topics that have a score


@dataclass(frozen=True)
class Wide:
    """Models × measures. ``best`` is the end that is best by each spec; ``notes`` the reasons, lettered."""

    specs: list[str]
    best: dict[str, str | None]
    rows: list[tuple[str, list[Cell | None]]]
    ci: float | None = None
    notes: dict[str, str] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)  # what the interval by each spec is over


def wide(scores: "Scores") -> Wide:
    """The model-level scores as a table of models (and groups of documents) × measures."""
    frame = scores.frame
    kept = frame.filter((frame["level"] == "model") & frame["slice"].is_null())
    cells: dict[tuple[str, str], dict[str, Cell]] = {}
    counts = topics_defined(scores)
    alike = _reasons_alike(kept.select("measure", "reason").unique(maintain_order=True).iter_rows())
    for row in kept.iter_rows(named=True):
        defined, topics = counts.get((row["model"], row["group"], row["measure"]), (0, 0))
        some = f"{defined} of {topics} topics" if defined < topics else ""
        share = defined / topics if topics else 1.0
        reason = alike.get(row["reason"], row["reason"])
        cell = Cell(row["value"], row["low"], row["high"], reason, some=some, share=share)
        cells.setdefault((row["model"], row["group"]), {})[row["measure"]] = cell
    specs = list(kept["measure"].unique(maintain_order=True))
    best = {spec: _best_end(spec) for spec in specs}
    notes: dict[str, str] = {}
    rows = []
    for (model, group), of in cells.items():
        rivals = [others for (_, other), others in cells.items() if other == group]
        line = [_marked(spec, of, rivals, best[spec]) for spec in specs]
        for shown in line:
            if shown is not None and math.isnan(shown.value):
                notes.setdefault(shown.reason or "undefined", _letter(len(notes)))
        rows.append((f"{model} [{group}]" if group else model, line))
    with_interval = {
        spec
        for _, line in rows
        for spec, c in zip(specs, line, strict=True)
        if c is not None and not math.isnan(c.value) and not math.isnan(c.low)
    }
    about = {spec: of for spec, of in resampled(scores).items() if spec in with_interval}
    ci = scores.details.settings.get("ci") if with_interval else None
    return Wide(specs, best, rows, ci, notes, about)


def _reasons_alike(reasons: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Reasons that differ only in the measure that they begin with, each as one that names all of these."""
    specs: dict[str, list[tuple[str, str]]] = {}
    for spec, reason in reasons:
        if reason.startswith(f"{spec} "):
            specs.setdefault(reason.removeprefix(f"{spec} "), []).append((spec, reason))
    return {
        reason: f"{', '.join(spec for spec, _ in alike)} {re.sub('^needs ', 'need ', rest)}"
        for rest, alike in specs.items()
        for _, reason in alike
        if len(alike) > 1
    }


def topics_defined(scores: "Scores") -> dict[tuple[str, str, str], tuple[int, int]]:
    """For each model, group and spec that scores topics: how many have a score, and how many there are."""
    frame = scores.frame
    rows = frame.filter((frame["level"] == "topic") & frame["slice"].is_null())
    found: dict[tuple[str, str, str], tuple[int, int]] = {}
    for model, group, spec, value in rows.select("model", "group", "measure", "value").iter_rows():
        defined, topics = found.get((model, group, spec), (0, 0))
        is_defined = value is not None and not math.isnan(value)
        found[model, group, spec] = (defined + is_defined, topics + 1)
    return found


def resampled(scores: "Scores") -> dict[str, str]:
    """What the intervals of whole models are over, by spec, in words."""
    frame = scores.frame
    by_topic = set(frame.filter(frame["level"] == "topic")["measure"])
    by_topic |= {spec for spec in scores.units if spec.partition("(")[0].partition("@")[0] == "dtq"}
    said = {
        ("blocks", True): "documents and topics",
        ("blocks", False): "documents",
        ("topics", False): "topics, by jackknife",
    }
    return {spec: said.get((unit, spec in by_topic), unit) for spec, unit in scores.units.items()}


def _best_end(spec: str) -> str | None:
    from tealeaves.measures._table import parse

    try:
        return parse(spec).best
    except SpecError:  # scores of a measure that this version does not have
        return None


def _marked(spec: str, of: dict[str, Cell], rivals: list[dict[str, Cell]], end: str | None) -> Cell | None:
    """The cell, marked if no other model's is better and at least one is worse.

    Only those that have a score for the largest share of their topics are compared: a model gains nothing
    by topics that could not be scored.
    """
    cell = of.get(spec)
    others = [other[spec] for other in rivals if spec in other]
    others = [other for other in others if not math.isnan(other.value)]
    most = max((other.share for other in others), default=1.0)
    values = [other.value for other in others if other.share == most]
    if cell is None or end is None or cell.share < most or len(set(values)) < 2:
        return cell
    top = max(values) if end == "high" else min(values)
    return replace(cell, best=cell.value == top)


def _letter(n: int) -> str:
    return chr(ord("a") + n) if n < 26 else _letter(n // 26 - 1) + _letter(n % 26)


def number(value: float) -> str:
    """Three decimals, or two digits where those would show only zeros."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.3f}" if not value or abs(value) >= 0.0005 else f"{value:.1e}"


# Numbers that stand beside a score, and what a reader is told that they are.
BESIDE = {
    "topics": "number of topics",
    "chance": "by chance",
    "shuffled": "tokens shuffled within documents",
    "uniform": "every word alike",
    "unigram": "frequencies of words alone",
    "mc_error": "Monte Carlo error",
    "mc_bias": "Monte Carlo bias",
    "without_self_pairs": "without pairs of a word with itself",
    "documents_part": "document part",
    "topic_term": "topic term",
}


def companion_lines(scores: "Scores") -> list[str]:
    """What stands beside each score, a sentence each: chance, baselines, errors."""
    by_spec: dict[str, dict[str, dict[str, float]]] = {}
    for model, specs in scores.details.companions.items():
        for spec, numbers in specs.items():
            for key, value in numbers.items():
                if key in BESIDE and isinstance(value, int | float) and math.isfinite(value):
                    by_spec.setdefault(spec, {}).setdefault(key, {})[model] = value
    lines = []
    for spec, keys in by_spec.items():
        said = []
        for key, of_models in keys.items():
            shown = {model: _short(v) for model, v in of_models.items()}
            alike = set(shown.values())
            each = alike.pop() if len(alike) == 1 else ", ".join(f"{v} ({m})" for m, v in shown.items())
            said.append(f"{BESIDE[key]} {each}")
        lines.append(f"beside {spec}: {'; '.join(said)}")
    return lines


def _short(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}"


def to_markdown(scores: "Scores") -> str:
    """A Markdown table of the model-level scores."""
    table, arrows = wide(scores), {"high": " ↑", "low": " ↓", None: ""}

    def show(cell: Cell) -> str:
        if math.isnan(cell.value):
            return f"– ({table.notes[cell.reason or 'undefined']})"
        shown = f"**{number(cell.value)}**" if cell.best else number(cell.value)
        return shown + _interval(cell)

    heads = ["model", *(_markdown(spec) + arrows[table.best[spec]] for spec in table.specs)]
    lines = [heads, ["---", *("---:" for _ in table.specs)]]
    lines += [[_markdown(name), *("" if c is None else show(c) for c in line)] for name, line in table.rows]
    notes = [f"({letter}) {_markdown(reason)}" for reason, letter in table.notes.items()]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    beside = [f"\n{_markdown(line)}." for line in companion_lines(scores)]
    return "\n".join([*text, "", "; ".join([*_legend(table, "↑", "↓", _markdown), *notes]) + ".", *beside])


def to_latex(scores: "Scores") -> str:
    """A LaTeX tabular of the model-level scores, and a line of notes under it."""
    table = wide(scores)
    arrows = {"high": r" $\uparrow$", "low": r" $\downarrow$", None: ""}

    def show(cell: Cell) -> str:
        if math.isnan(cell.value):
            return f"--$^{{{table.notes[cell.reason or 'undefined']}}}$"
        shown = _latex(number(cell.value))
        bold = rf"\textbf{{{shown}}}" if cell.best else shown
        return f"{bold} {_latex(_interval(cell))}".rstrip()

    heads = ["model", *(_latex(spec) + arrows[table.best[spec]] for spec in table.specs)]
    body = [[_latex(name), *("" if c is None else show(c) for c in line)] for name, line in table.rows]
    notes = [f"$^{{{letter}}}$ {_latex(reason)}" for reason, letter in table.notes.items()]
    legend = "; ".join([*_legend(table, r"$\uparrow$", r"$\downarrow$", _latex), *notes])
    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * len(table.specs)}}}",
            r"\hline",
            " & ".join(heads) + r" \\",
            r"\hline",
            *(" & ".join(line) + r" \\" for line in body),
            r"\hline",
            r"\end{tabular}",
            rf"\par{{\footnotesize {legend}.}}",
        ]
    )


def to_html(scores: "Scores") -> str:
    """An HTML table of the model-level scores, as notebooks show it."""
    table, arrows = wide(scores), {"high": " ↑", "low": " ↓", None: ""}

    def show(cell: Cell | None) -> str:
        if cell is None:
            return "<td></td>"
        if math.isnan(cell.value):
            return f"<td>– ({table.notes[cell.reason or 'undefined']})</td>"
        shown = number(cell.value)
        return f"<td>{f'<b>{shown}</b>' if cell.best else shown}{_interval(cell)}</td>"

    heads = "".join(f"<th>{html.escape(spec)}{arrows[table.best[spec]]}</th>" for spec in table.specs)
    rows = [f"<tr><th>{html.escape(name)}</th>{''.join(map(show, line))}</tr>" for name, line in table.rows]
    notes = [f"({letter}) {html.escape(reason)}" for reason, letter in table.notes.items()]
    legend = "; ".join([*_legend(table, "↑", "↓", html.escape), *notes])
    return f"<table><tr><th>model</th>{heads}</tr>{''.join(rows)}</table><p>{legend}.</p>"


def _interval(cell: Cell) -> str:
    interval = "" if math.isnan(cell.low) else f" [{number(cell.low)}, {number(cell.high)}]"
    return interval + (f" over {cell.some}" if cell.some else "")


def _legend(table: Wide, up: str, down: str, escaped: Callable[[str], str]) -> list[str]:
    """What the marks of the table mean."""
    arrows, ends = {"high": f"{up} ", "low": f"{down} ", None: "no arrow: "}, set(table.best.values())
    said = [arrows[end] + ENDS[end] for end in ENDS if end in ends]
    if any(cell is not None and cell.best for _, line in table.rows for cell in line):
        said.append("best in bold")
    if any(cell is not None and cell.some for _, line in table.rows for cell in line):
        said.append("a mean over fewer of its topics than another's is never best")
    if table.ci:
        said.append(escaped(f"in brackets the {_percent(table.ci)} interval{over_what(table)}"))
    return said


def over_what(table: Wide) -> str:
    """What the intervals are over: " over topics", with the measures where they differ in it."""
    kinds: dict[str, list[str]] = {}
    for spec, of in table.about.items():
        kinds.setdefault(of, []).append(spec)
    if len(kinds) < 2:
        return "".join(f" over {of}" for of in kinds)
    return " over " + ", ".join(f"{of} ({', '.join(specs)})" for of, specs in kinds.items())


def _percent(share: float) -> str:
    return f"{100 * share:g} percent"


def _markdown(text: str) -> str:
    one_line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", one_line)


LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$",
    "∞": r"$\infty$", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "]": "{]}",
    '"': "''", **{sign: "\\" + sign for sign in "&%$#_{}"},
}  # fmt: skip


def _latex(text: str) -> str:
    one_line = " ".join(text.split())
    signed = re.sub(r"(?<![\w.])-(?=\d)", "−", one_line)  # a minus, not a hyphen
    return "".join(LATEX.get(sign, sign) for sign in signed)


def to_pandas(scores: "Scores") -> "pandas.DataFrame":
    """The frame as pandas has it; whole numbers that may be absent are its nullable ones."""
    from tealeaves._optional import require

    pd: Any = require("pandas")
    frame = scores.frame
    nullable = {"topic", "n_terms"}
    columns = {
        name: pd.array(frame[name].to_list(), dtype="Int64") if name in nullable else frame[name].to_list()
        for name in frame.columns
    }
    return pd.DataFrame(columns)


def to_csv(scores: "Scores", path: Path) -> None:
    """Every row and all digits; undefined numbers are empty."""
    import polars

    numbers = polars.selectors.float()
    scores.frame.with_columns(numbers.fill_nan(None)).write_csv(path)


def to_json(scores: "Scores", indent: int | None) -> str:
    """Rows and details as strict JSON."""
    whole = {"scores": plain(scores.frame.to_dicts()), "details": scores.details.to_dict()}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=indent)


def plain(value: Any) -> Any:
    """Only what strict JSON can hold: nan becomes None, an infinite number a text, an array a list."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple | set | frozenset):
        return [plain(item) for item in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
