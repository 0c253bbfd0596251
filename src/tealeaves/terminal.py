"""Scores as they stand in a terminal: the table of models, the topics to look at, progress of long work."""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tealeaves.scores_export import ENDS, Cell, Wide, number, wide

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from tealeaves.scores import Scores

ARROWS = {"high": "↑", "low": "↓", None: "·"}
ACROSS = 3  # so many models at most stand side by side, with the measures below each other; more stand below
ABREAST = 4  # each other, with so many measures side by side


def scores_table(scores: "Scores") -> "RenderableType":
    """Models × measures: values with intervals, the best marked by the word, a dash where undefined.

    Parameters
    ----------
    scores : Scores
        Its scores of whole models are shown, and of groups of documents (``by=``) as "model [group]".

    Returns
    -------
    rich renderable
        The table and, under it, which end is best and why a dash is one.

    Examples
    --------
    >>> from rich.console import Console
    >>> from tealeaves.scores import Scores, score_frame
    >>> row = {"measure": "npmi@10", "level": "model"}
    >>> rows = [{"model": "a", "value": 0.1, **row}, {"model": "b", "value": 0.2, **row}]
    >>> Console(width=60).print(scores_table(Scores(score_frame(rows))))  # doctest: +NORMALIZE_WHITESPACE
    <BLANKLINE>
      measure     a       b
     ────────────────────────────────
      npmi@10 ↑   0.100   0.200 best
    <BLANKLINE>
    ↑ higher is better
    """
    from rich.console import Group
    from rich.text import Text

    table = wide(scores)
    headings = [Text(f"{spec} {ARROWS[table.best[spec]]}") for spec in table.specs]
    rows = [(Text(name), [_show(cell, table) for cell in line]) for name, line in table.rows]
    tables = []
    if len(rows) <= ACROSS:
        turned = [[heading, *(line[i] for _, line in rows)] for i, heading in enumerate(headings)]
        tables.append(_table([Text("measure"), *(name for name, _ in rows)], turned))
    else:
        for start in range(0, len(headings), ABREAST):
            part = slice(start, start + ABREAST)
            tables.append(
                _table([Text("model"), *headings[part]], [[name, *line[part]] for name, line in rows])
            )
    return Group(*tables, *(Text(line, style="dim") for line in _legend(table)))


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
                Text("—" if topic["npmi"] is None else number(topic["npmi"])),
                Text(topic["label"]),
                Text(" ".join(topic["words"][:words])),
                Text(topic["sentence"]),
            ]
            for topic in bad[:n]
        ]
        if rows:
            blocks.append(Text(f"{model['name']}: {len(rows)} of {len(bad)} topics to look at", style="bold"))
            blocks.append(_table([Text(name) for name in ("topic", "NPMI", "verdict", "words", "why")], rows))
    return Group(*blocks)


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[str, int, int], None]]:
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
        ``advance(what, done, total)``: to be called now and then, from any thread; a total of 0 is not known.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def advance(what: str, done: int, total: int) -> None:
            bar.update(task, description=what.capitalize(), completed=done, total=total or None)

        yield advance


def _show(cell: Cell | None, table: Wide) -> "Text":
    from rich.text import Text

    if cell is None:
        return Text("")
    if math.isnan(cell.value):
        return Text(f"— ({table.notes[cell.reason or 'undefined']})")
    text = Text(number(cell.value), style="bold green" if cell.best else "")
    if not math.isnan(cell.low):
        text.append(f" [{number(cell.low)}, {number(cell.high)}]", style="not bold dim")
    if cell.best:
        text.append(" best", style="bold green")
    return text


def _legend(table: Wide) -> list[str]:
    ends = set(table.best.values())
    said = [f"{arrow} {ENDS[end]}" for end, arrow in ARROWS.items() if end in ends]
    if table.ci:
        said.append(f"[low, high]: {100 * table.ci:g}% interval")
    return ["; ".join(said), *(f"— ({letter}) {reason}" for reason, letter in table.notes.items())]


def _table(headings: "Sequence[Text]", rows: "Sequence[Sequence[Text]]") -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
