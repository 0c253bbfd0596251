"""Scores for other programs, for papers and for notebooks."""

import html
import json
import math
import re
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Wide:
    """Models × measures. ``best`` is the end that is best by each spec; ``notes`` the reasons, lettered."""

    specs: list[str]
    best: dict[str, str | None]
    rows: list[tuple[str, list[Cell | None]]]
    ci: float | None = None
    notes: dict[str, str] = field(default_factory=dict)


def wide(scores: "Scores") -> Wide:
    """The model-level scores as a table of models (and groups of documents) × measures."""
    frame = scores.frame
    kept = frame.filter((frame["level"] == "model") & frame["slice"].is_null())
    cells: dict[tuple[str, str], dict[str, Cell]] = {}
    for row in kept.iter_rows(named=True):
        cell = Cell(row["value"], row["low"], row["high"], row["reason"])
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
    intervals = any(c is not None and not math.isnan(c.low) for _, line in rows for c in line)
    return Wide(specs, best, rows, scores.details.settings.get("ci") if intervals else None, notes)


def _best_end(spec: str) -> str | None:
    from tealeaves.measures._table import parse

    try:
        return parse(spec).best
    except SpecError:  # scores of a measure that this version does not have
        return None


def _marked(spec: str, of: dict[str, Cell], rivals: list[dict[str, Cell]], end: str | None) -> Cell | None:
    """The cell, marked if no other model's is better and at least one is worse."""
    cell = of.get(spec)
    values = [other[spec].value for other in rivals if spec in other and not math.isnan(other[spec].value)]
    if cell is None or end is None or len(set(values)) < 2:
        return cell
    top = max(values) if end == "high" else min(values)
    return Cell(cell.value, cell.low, cell.high, cell.reason, cell.value == top)


def _letter(n: int) -> str:
    return chr(ord("a") + n) if n < 26 else _letter(n // 26 - 1) + _letter(n % 26)


def number(value: float) -> str:
    """Three decimals, or two digits where those would show only zeros."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.3f}" if not value or abs(value) >= 0.0005 else f"{value:.1e}"


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
    return "\n".join([*text, "", "; ".join([*_legend(table, "↑", "↓"), *notes]) + "."])


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
    legend = "; ".join([*_legend(table, r"$\uparrow$", r"$\downarrow$"), *notes])
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
    legend = "; ".join([*_legend(table, "↑", "↓"), *notes])
    return f"<table><tr><th>model</th>{heads}</tr>{''.join(rows)}</table><p>{legend}.</p>"


def _interval(cell: Cell) -> str:
    return "" if math.isnan(cell.low) else f" [{number(cell.low)}, {number(cell.high)}]"


def _legend(table: Wide, up: str, down: str) -> list[str]:
    """What the marks of the table mean."""
    arrows, ends = {"high": f"{up} ", "low": f"{down} ", None: "no arrow: "}, set(table.best.values())
    said = [arrows[end] + ENDS[end] for end in ENDS if end in ends]
    if any(cell is not None and cell.best for _, line in table.rows for cell in line):
        said.append("best in bold")
    return [*said, f"in brackets the {_percent(table.ci)} interval"] if table.ci else said


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

    pd: Any = require("pandas", "dev")
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
