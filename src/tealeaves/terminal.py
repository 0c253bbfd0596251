"""Scores as they stand in a terminal: the table of models, their worst topics, progress of long work."""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tealeaves.measures._table import BEST, parse

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from tealeaves.scores import Scores

ARROWS = {"high": "↑", "low": "↓", None: "·"}
ACROSS = 3  # up to so many models stand side by side, measures below each other; more go the other way
ABREAST = 4  # measures side by side then


class Cell(NamedTuple):
    """One value of the table."""

    value: float
    low: float
    high: float
    reason: str


def scores_table(scores: "Scores") -> "RenderableType":
    """Models against measures: values with their intervals, the best marked "best", a dash where undefined.

    Parameters
    ----------
    scores : Scores
        Its rows of level "model" are shown; rows of groups (``by=``) follow as models of their own.

    Returns
    -------
    rich renderable
        A table and, under it, what its marks mean and why a dash is one.
    """
    from rich.console import Group
    from rich.text import Text

    cells = _cells(scores)
    models = list(dict.fromkeys(model for model, _ in cells))
    specs = list(dict.fromkeys(spec for _, spec in cells))
    best = {spec: _best(cells, models, spec) for spec in specs}
    reasons: dict[str, str] = {}  # reason -> its letter; long ones would tear the table apart

    def cell(model: str, spec: str) -> Text:
        return _show(cells.get((model, spec)), model in best[spec], reasons)

    if len(models) <= ACROSS:
        rows = [[_heading(spec), *(cell(model, spec) for model in models)] for spec in specs]
        tables = [_table(["measure", *models], rows)]
    else:
        tables = []
        for start in range(0, len(specs), ABREAST):
            part = specs[start : start + ABREAST]
            rows = [[Text(model), *(cell(model, spec) for spec in part)] for model in models]
            tables.append(_table(["model", *(_heading(spec).plain for spec in part)], rows))
    under = [Text(_legend(scores, specs), style="dim")]
    under += [Text(f"—{letter} {reason}", style="dim") for reason, letter in reasons.items()]
    return Group(*tables, *under)


def worst_topics(scores: "Scores", n: int = 3, words: int = 10) -> "RenderableType":
    """The ``n`` topics of each model that need attention first, with their words, the verdict and why.

    Parameters
    ----------
    scores : Scores
        Verdicts and their order are the report's: those to drop first, the lowest coherence first.
    n : int
        Topics of each model.
    words : int
        Words of each topic.
    """
    from rich.console import Group
    from rich.text import Text

    from tealeaves.report.summary import summarize

    blocks: list[Any] = []
    for model in summarize(scores)["models"]:
        bad = [topic for topic in model["topics"] if topic["verdict"] != "keep"]
        rows = [
            [
                Text(str(topic["id"])),
                Text(number(_float(topic["npmi"]))),
                Text(topic["label"]),
                Text(" ".join(topic["words"][:words])),
                Text(topic["sentence"]),
            ]
            for topic in bad[:n]
        ]
        if rows:
            shown = f"{len(rows)} of the {len(bad)} topics" if len(bad) > len(rows) else f"{len(rows)} topics"
            blocks.append(Text(f"{model['name']}: {shown} to look at first", style="bold"))
            blocks.append(_table(["topic", "NPMI", "verdict", "words", "why"], rows))
    return Group(*blocks)


def number(value: float | None) -> str:
    """Three decimals; large numbers whole, with commas."""
    if value is None or math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value and abs(value) < 0.0005:
        return f"{value:.1e}"
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"


@contextmanager
def progress(what: str, *, quiet: bool = False) -> "Iterator[Callable[..., None]]":
    """Show on stderr how far long work is; into a file or a pipe, or when ``quiet``, show nothing.

    Parameters
    ----------
    what : str
        What is being done: "Counting".
    quiet : bool
        Show nothing at all.

    Yields
    ------
    callable
        ``advance(done, total, what=None)``: to be called now and then, from any thread.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda *_, **__: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"),
               TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: float, total: float | None = None, what: str | None = None) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield advance


def _cells(scores: "Scores") -> dict[tuple[str, str], Cell]:
    cells: dict[tuple[str, str], Cell] = {}
    for row in _rows(scores, "model"):
        model = row["model"] + (f" [{row['group']}]" if row["group"] else "")
        cell = Cell(_float(row["value"]), _float(row["low"]), _float(row["high"]), row["reason"] or "")
        cells.setdefault((model, row["measure"]), cell)
    return cells


def _rows(scores: "Scores", level: str, **where: str) -> list[dict[str, Any]]:
    frame = scores.frame.filter(scores.frame["level"] == level)
    for column, value in where.items():
        frame = frame.filter(frame[column] == value)
    rows: list[dict[str, Any]] = frame.to_dicts()
    return rows


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _best(cells: dict[tuple[str, str], Cell], models: list[str], spec: str) -> set[str]:
    end = parse(spec).best
    values = {
        m: cells[m, spec].value for m in models if (m, spec) in cells and not math.isnan(cells[m, spec].value)
    }
    if end is None or len(values) < 2:
        return set()
    top = (max if end == "high" else min)(values.values())
    winners = {model for model, value in values.items() if value == top}
    return winners if len(winners) < len(values) else set()


def _show(cell: Cell | None, best: bool, reasons: dict[str, str]) -> "Text":
    from rich.text import Text

    if cell is None:
        return Text("")
    if math.isnan(cell.value):
        reason = cell.reason or "undefined"
        letter = reasons.setdefault(reason, f"({chr(ord('a') + len(reasons) % 26)})")
        return Text(f"— {letter}")
    text = Text(number(cell.value), style="bold green" if best else "")
    if not math.isnan(cell.low):
        text.append(f" [{number(cell.low)}, {number(cell.high)}]", style="not bold dim")
    if best:
        text.append(" best", style="bold green")
    return text


def _heading(spec: str) -> "Text":
    from rich.text import Text

    return Text(f"{spec} {ARROWS[parse(spec).best]}")


def _legend(scores: "Scores", specs: list[str]) -> str:
    ends = {parse(spec).best for spec in specs}
    said = [f"{ARROWS[end]} {BEST[end]}" for end in ARROWS if end in ends]
    settings = scores.details.settings or {}
    if settings.get("ci") and scores.frame["low"].is_not_nan().any():
        said.append(f"[low, high] {float(settings['ci']):.0%} interval")
    return " · ".join(said)


def _table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
