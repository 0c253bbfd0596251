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
# The measures by which topics are called bad, the first that was computed: the most used, in this order.
JUDGES = ("npmi", "c_v", "uci", "u_mass", "umass", "c_p", "c_a")


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
    """The ``n`` worst topics of each model, with their words and why: undefined first, then the lowest.

    Parameters
    ----------
    scores : Scores
        The first of `JUDGES` among its measures decides; without one of them there is nothing to show.
    n : int
        Topics of each model.
    words : int
        Words of each topic.
    """
    from rich.console import Group
    from rich.text import Text

    spec = judge(scores)
    if spec is None:
        return Group()
    blocks: list[Any] = []
    for model in _models(scores):
        rows = []
        for topic, value, reason in bad_topics(scores, model, spec)[:n]:
            shown = "—" if math.isnan(value) else number(value)
            rows.append([Text(str(topic)), Text(shown), Text(" ".join(_words(scores, model, topic)[:words])),
                         Text(reason or why(scores, model, topic))])  # fmt: skip
        if rows:
            blocks.append(Text(f"\nWorst topics of {model}", style="bold"))
            blocks.append(_table(["topic", spec, "words", "why"], rows))
    return Group(*blocks)


def judge(scores: "Scores") -> str | None:
    """The measure by which topics are called bad: the first of `JUDGES` that was computed for topics."""
    by_topic = scores.frame.filter(scores.frame["level"] == "topic")["measure"].unique(maintain_order=True)
    specs = by_topic.to_list()
    return next((spec for name in JUDGES for spec in specs if parse(spec).name == name), None)


def bad_topics(scores: "Scores", model: str, spec: str) -> list[tuple[int, float, str]]:
    """Topics of a model from the worst on: (topic, value, reason); undefined ones come first."""
    rows = _rows(scores, "topic", model=model, measure=spec)
    found = [(row["topic"], _float(row["value"]), row["reason"] or "") for row in rows if not row["group"]]
    return sorted(found, key=lambda row: (not math.isnan(row[1]), row[1], row[0]))


def why(scores: "Scores", model: str, topic: int) -> str:
    """Why a topic scores low, from its pairs of words; "" where they were not kept."""
    pairs = (scores.details.pairs or {}).get(model, {}).get(str(topic))
    if not pairs:
        return ""
    words, joint = pairs["words"], pairs["joint"]
    apart = [(i, j) for j in range(len(words)) for i in range(j) if joint[i][j] == 0]
    total = len(words) * (len(words) - 1) // 2
    if not apart:
        npmi = pairs["npmi"]
        met = [(npmi[i][j], i, j) for j in range(len(words)) for i in range(j) if npmi[i][j] is not None]
        if not met:
            return ""
        _, i, j = min(met)
        return f"weakest pair: {words[i]} and {words[j]}"
    times = {i: sum(i in pair for pair in apart) for i in range(len(words))}
    loner = max(times, key=lambda i: (times[i], -i))
    some = f"{len(apart)} of {total} pairs of words share no document"
    return f"{some}; {words[loner]} meets {len(words) - 1 - times[loner]} of the other {len(words) - 1} words"


def number(value: float) -> str:
    """Three decimals; large numbers whole, with commas."""
    if math.isnan(value):
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


def _models(scores: "Scores") -> list[str]:
    names: list[str] = scores.frame["model"].unique(maintain_order=True).to_list()
    return names


def _words(scores: "Scores", model: str, topic: int) -> Sequence[str]:
    topics = (scores.details.models or {}).get(model, {}).get("topics") or []
    return topics[topic] if topic < len(topics) else ()


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
