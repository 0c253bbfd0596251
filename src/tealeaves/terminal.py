"""Scores as they stand in a terminal: the table of models, the topics to look at, progress of long work."""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from tealeaves._watch import watched
from tealeaves.scores_export import ENDS, Cell, Wide, companion_lines, over_what, wide
from tealeaves.verdicts_over_time import LABELS, LOOK, percent

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table
    from rich.text import Text

    from tealeaves.scores import Scores
    from tealeaves.verdicts_over_time import OverTime

ARROWS = {"high": "↑", "low": "↓", None: "·"}
SHOWN = 6  # topics to look at, of all models together
NAMED = 10  # topics of one verdict over time
LOOK_EVERY = 0.2  # seconds

Advance = Callable[[str, int, int], None]
_BAR: ContextVar[Advance | None] = ContextVar("bar", default=None)  # that which is on the screen


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
    defined = [i for i in range(len(table.specs)) if any(_is_defined(line[i]) for _, line in table.rows)]
    headings = [Text(f"{table.specs[i]} {ARROWS[table.best[table.specs[i]]]}") for i in defined]
    rows = [(Text(name), [_show(line[i], table) for i in defined]) for name, line in table.rows]
    legend = [Text(line, style="dim") for line in [*_legend(table, defined), *companion_lines(scores)]]
    return Group(_Grid(headings, rows), *legend) if headings else Group(*legend)


def worst_topics(scores: "Scores", n: int | None = None, words: int = 10) -> "RenderableType":
    """The topics of each model that need attention first, with their words, the verdict and why.

    Parameters
    ----------
    scores : Scores
        Verdicts and their order are the report's: those to drop first, the lowest coherence first.
    n : int, optional
        Topics of each model; by default fewer where there are more models.
    words : int
        Words of each topic.
    """
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    from tealeaves.report.summary import summarize
    from tealeaves.verdicts_over_time import judged

    blocks: list[Any] = []
    models = summarize(scores)["models"]
    n = max(1, SHOWN // max(1, len(models))) if n is None else n
    over_time = {model.name: model for model in judged(scores)}
    for model in models:
        if model["name"] in over_time:
            blocks += _over_time(over_time[model["name"]], n if model["unasked"] else 0)
        bad = [topic for topic in model["topics"] if topic["verdict"] != "keep" and not model["unasked"]]
        if not bad:
            continue
        count = (
            f"{n} of {len(bad)} topics"
            if len(bad) > n
            else "1 topic"
            if len(bad) == 1
            else f"{len(bad)} topics"
        )
        blocks.append(Text(f"\n{model['name']}: {count} to look at", style="bold"))
        for topic in bad[:n]:
            npmi = "—" if topic["npmi"] is None else number(topic["npmi"])
            listed = " ".join(topic["words"][:words])
            head = Text(f"topic {topic['id']}, NPMI {npmi}, {topic['label'].lower()}: ")
            blocks.append(Padding(head.append(listed, style="bold"), (0, 0, 0, 2), expand=False))
            blocks.append(Padding(Text(topic["sentence"], style="dim"), (0, 0, 0, 4), expand=False))
    return Group(*blocks)


def _over_time(model: "OverTime", n: int) -> list[Any]:
    """What topics do over time, a line for each verdict; and why, of the n that need a look most."""
    from rich.padding import Padding
    from rich.text import Text

    if math.isnan(model.kept):
        return []
    kept = f"\n{model.name} over time: {percent(model.kept)} of words stay from slice to slice"
    lines: list[Any] = [Text(kept, style="bold")]
    for verdict, count in model.counts.items():
        if count:
            topics = [topic.topic for topic in model.topics if topic.verdict == verdict]
            named = ", ".join(map(str, topics[:NAMED])) + (" …" if count > NAMED else "")
            which = f" (topic{'s' if count > 1 else ''} {named})" if count < len(model.topics) else ""
            lines.append(
                Padding(Text(f"{count} {LABELS[verdict].lower()}{which}"), (0, 0, 0, 2), expand=False)
            )
    for topic in [topic for topic in model.ranked if topic.verdict in LOOK][:n]:
        said = Text(f"topic {topic.topic}: {topic.sentence}", style="dim")
        lines.append(Padding(said, (0, 0, 0, 4), expand=False))
    return lines


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Advance]:
    """Show on stderr how far long work is and how long it will take; nothing into a file or if ``quiet``.

    Until ``advance`` is called, and again where it says that the total is not known, what the work tells by
    `tealeaves._watch` is shown. There is one bar: inside another ``progress`` that one goes on.

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
    if (outer := _BAR.get()) is not None:
        yield outer
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[share]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    pace, over, told = Pace(), threading.Event(), False
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar, watched() as watch:
        task = bar.add_task(what, total=None, share="", left="")

        def show(what: str, done: int, total: int) -> None:
            pace.note(what, done, total)
            share, known = (f"{done / total:4.0%}", total) if total else ("", None)
            named = what[:1].upper() + what[1:]
            bar.update(task, description=named, completed=done, total=known, share=share, left=pace.left())

        def advance(step: str, done: int, total: int) -> None:
            nonlocal what, told
            if not total:
                watch.forget()
            what, told = step, total > 0
            show(what, done, total)

        def look() -> None:
            while not over.wait(LOOK_EVERY):
                if told:
                    bar.update(task, left=pace.left())  # it goes down meanwhile
                else:
                    show(what, *watch.look())

        threading.Thread(target=look, daemon=True).start()
        token = _BAR.set(advance)
        try:
            yield advance
        finally:
            _BAR.reset(token)
            over.set()


class Pace:
    """When a step of long work will be done, by how fast it has gone since it began.

    Examples
    --------
    >>> seconds = iter([0, 10, 15])
    >>> pace = Pace(lambda: next(seconds))
    >>> pace.note("fitting", 0, 4)
    >>> pace.note("fitting", 1, 4)  # after 10 s
    >>> pace.left()  # 5 s later
    'about 25 s left'
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._step = ("", 0)
        self._begun, self._done, self._end = 0.0, 0, math.nan
        self._first = 0

    def note(self, what: str, done: int, total: int) -> None:
        """So much is done of the step's whole; what was done when it is first heard of took no time."""
        now = self._clock()
        if (what, total) != self._step or done < self._done:
            self._step, self._begun, self._first = (what, total), now, done
            self._done, self._end = done, math.nan
        elif done > self._done:
            each = (now - self._begun) / (done - self._first)
            self._done, self._end = done, now + each * (total - done)

    def left(self) -> str:
        """How long it will take yet; nothing where that cannot be told."""
        return "" if math.isnan(self._end) else f"about {span(max(0.0, self._end - self._clock()))} left"


def span(seconds: float) -> str:
    """A span of time in words.

    Examples
    --------
    >>> span(50), span(400), span(7300)
    ('50 s', '7 min', '2.0 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class _Grid:
    """The table as it fits: measures below each other if the models stand side by side, else models below
    each other in as few blocks as there must be."""

    def __init__(self, headings: "Sequence[Text]", rows: "Sequence[tuple[Text, Sequence[Text]]]") -> None:
        self.headings, self.rows = headings, rows

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.text import Text

        turned = [[heading, *(line[i] for _, line in self.rows)] for i, heading in enumerate(self.headings)]
        whole = _table([Text("measure"), *(name for name, _ in self.rows)], turned)
        if len(self.rows) == 1 or _fits(whole, console, options):
            yield whole
            return
        start = 0
        while start < len(self.headings):
            for end in range(len(self.headings), start, -1):
                lines = [[name, *line[start:end]] for name, line in self.rows]
                block = _table([Text("model"), *self.headings[start:end]], lines)
                if _fits(block, console, options):
                    break
            yield block
            start = end


def _fits(table: "Table", console: "Console", options: "ConsoleOptions") -> bool:
    from rich.measure import Measurement

    wide = options.update(width=10_000)
    return Measurement.get(console, wide, table).maximum <= options.max_width


def _show(cell: Cell | None, table: Wide) -> "Text":
    from rich.text import Text

    if cell is None:
        return Text("")
    if math.isnan(cell.value):
        return Text(f"— ({table.notes[cell.reason or 'undefined']})")
    text = Text(number(cell.value))
    if cell.best:
        text = Text(f"{number(cell.value)} best", style="bold green")
    if not math.isnan(cell.low):
        text.append(f"\n[{number(cell.low)}, {number(cell.high)}]", style="not bold dim")
    if cell.some:
        text.append(f"\nover {cell.some}", style="not bold")
    return text


def _legend(table: Wide, defined: Sequence[int]) -> list[str]:
    """Which end is best, what the brackets are, why a dash is one, and the measures without any value."""
    ends = {table.best[table.specs[i]] for i in defined}
    said = [f"{arrow} {ENDS[end]}" for end, arrow in ARROWS.items() if end in ends]
    if table.ci:
        said.append(f"[low, high]: {100 * table.ci:g}% interval{over_what(table)}")
    lines = ["; ".join(said)] if said else []
    shown = [line[i] for _, line in table.rows for i in defined]
    undefined = {cell.reason or "undefined" for cell in shown if cell is not None and not _is_defined(cell)}
    lines += [f"— ({letter}) {reason}" for reason, letter in table.notes.items() if reason in undefined]
    without: dict[str, list[str]] = {}  # measures by why they have no value
    for i, spec in enumerate(table.specs):
        if i not in defined:
            reasons = [cell.reason for _, line in table.rows if (cell := line[i]) is not None]
            without.setdefault(reasons[0] or "undefined", []).append(spec)
    for why, specs in without.items():
        names_one = any(why.startswith(spec) for spec in table.specs)
        lines.append(f"— {why}" if names_one else f"— {', '.join(specs)}: {why}")
    return list(dict.fromkeys(lines))


def _is_defined(cell: Cell | None) -> bool:
    return cell is not None and not math.isnan(cell.value)


def number(value: float) -> str:
    """Four or five digits, as many as one reads: 0.123, 12.35, 123.5, 12,346.

    Examples
    --------
    >>> number(-0.12345), number(12.345), number(-123.45), number(12345.6), number(0.00012)
    ('-0.123', '12.35', '-123.5', '12,346', '1.2e-04')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    if 0 < size < 0.0005:
        return f"{value:.1e}"
    return f"{value:,.{3 if size < 10 else 2 if size < 100 else 1 if size < 1000 else 0}f}"


def _table(headings: "Sequence[Text]", rows: "Sequence[Sequence[Text]]") -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
