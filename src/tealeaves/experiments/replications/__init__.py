"""Replications: one file for each published table, our numbers beside the printed ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from tealeaves.errors import InputError

# What can be replicated: the file of its name, and what it is.
REPLICATIONS = {
    "reuters": "Perplexity and coherence of LDA on Reuters-21578 against K, over several starts",
    "estimators": "Estimators of held-out likelihood beside the exact value, those not to be used among them",
}
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Line:
    """One number: what it is, what was printed, what we get, and how many digits were printed."""

    what: str
    printed: float
    found: float
    digits: int = 0

    @property
    def agrees(self) -> bool:
        """Whether ours, rounded as it was printed, is the printed number."""
        return round(self.found, self.digits) == round(self.printed, self.digits)


@dataclass(frozen=True)
class Replication:
    """Numbers beside printed ones, tables that go beyond the print, and what is to be said of them."""

    name: str
    lines: tuple[Line, ...]
    tables: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    says: tuple[str, ...] = ()

    def to_markdown(self) -> str:
        """Everything as Markdown."""
        rows = [] if not self.lines else ["| what | printed | found | |", "| --- | ---: | ---: | --- |"]
        for line in self.lines:
            shown = f"{line.found:,.{line.digits + 2}f}"
            verdict = "the same" if line.agrees else f"differs by {line.found - line.printed:+,.4g}"
            rows.append(f"| {line.what} | {line.printed:,.{line.digits}f} | {shown} | {verdict} |")
        parts = ["\n".join(rows)] if rows else []
        for title, table in self.tables.items():
            columns = list(table[0]) if table else []
            body = [f"| {' | '.join(columns)} |", "|" + " --- |" * len(columns)]
            body += [f"| {' | '.join(_cell(row[c]) for c in columns)} |" for row in table]
            parts.append(f"{title}\n\n" + "\n".join(body))
        parts += [f"- {sentence}" for sentence in self.says]
        return "\n\n".join(parts) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        lines = [
            {"what": x.what, "printed": x.printed, "found": x.found, "agrees": x.agrees} for x in self.lines
        ]
        return {"name": self.name, "lines": lines, "tables": dict(self.tables), "says": list(self.says)}


def _cell(value: Any) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def replicate(
    name: str, data: str | Path, *, seeds: int = 1, progress: Progress | None = None, **options: Any
) -> Replication:
    """Compute a published table again.

    Parameters
    ----------
    name : str
        One of ``REPLICATIONS``.
    data : path
        The folder of the data that the table is of.
    seeds : int
        How many random starts; the print is of the first.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Raises
    ------
    InputError
        If there is no such replication, or its data are not there.
    """
    if name not in REPLICATIONS:
        raise InputError(f"there is no replication {name!r}; there are {', '.join(REPLICATIONS)}")
    if isinstance(seeds, bool) or not isinstance(seeds, int) or seeds < 1:
        raise InputError(f"seeds must be a number of starts, 1 or more; got {seeds!r}")
    module = import_module(f"tealeaves.experiments.replications.{name}")
    found: Replication = module.run(Path(data), seeds=seeds, progress=progress, **options)
    return found
