"""Tables for papers: means over seeds with intervals, the best in bold, and which differ beyond chance."""

import html
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError, meant
from tealeaves.experiments.differences import ALIKE, Differences, same, told_apart
from tealeaves.scores_export import ENDS, _latex, _markdown, number
from tealeaves.sweep.words import _half, best_end

if TYPE_CHECKING:
    import polars

DIMENSIONS = ("corpus", "preprocessing", "family", "k", "options", "measure", "group")
COMPARED = ("family", "k", "options")  # models differ in these; others are other data, or another number
ARROWS = {"high": "↑", "low": "↓", None: ""}
Key = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One cell of a table: a mean over runs.

    ``of`` are all runs and ``n`` those that have a score, 0 where the runs are judged together;
    those that share one of ``letters`` cannot be told apart.
    """

    mean: float
    low: float
    high: float
    n: int
    of: int
    reason: str = ""
    best: bool = False
    near: bool = False
    letters: str = ""


@dataclass(frozen=True)
class Table:
    """Means by what stands in rows and columns, with what is to be said of them."""

    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    rows: list[Key]
    columns: list[Key]
    entries: dict[tuple[Key, Key], Entry]
    ends: list[str | None]
    fixed: dict[str, str]
    reasons: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    level: float | None = 0.95

    def to_markdown(self) -> str:
        """As Markdown has it."""
        lines = [
            [*map(_markdown, self.row_names), *(_markdown(head) for head in self._heads())],
            ["---"] * len(self.row_names) + ["---:"] * len(self.columns),
        ]
        for row in self.rows:
            shown = [
                self._show(row, column, "**{}**".format, "<sup>{}</sup>".format) for column in self.columns
            ]
            lines.append([*map(_markdown, row), *shown])
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join([text, " ".join(_markdown(line) for line in self.legend())])

    def to_latex(self) -> str:
        """As a LaTeX tabular, without packages, and a line of notes under it."""
        heads = [*self.row_names, *(head for head in self._heads())]
        lines = [" & ".join(_arrows(_latex(head)) for head in heads)]
        for row in self.rows:
            shown = [
                self._show(row, column, r"\textbf{{{}}}".format, "$^{{\\mathrm{{{}}}}}$".format, _latex)
                for column in self.columns
            ]
            lines.append(" & ".join([*map(_latex, row), *shown]))
        legend = " ".join(_arrows(_latex(line)) for line in self.legend())
        return "\n".join(
            [
                rf"\begin{{tabular}}{{{'l' * len(self.row_names)}{'r' * len(self.columns)}}}",
                r"\hline",
                lines[0] + r" \\",
                r"\hline",
                *(line + r" \\" for line in lines[1:]),
                r"\hline",
                r"\end{tabular}",
                rf"\par{{\footnotesize {legend}}}",
            ]
        )

    def to_html(self) -> str:
        """As one page of HTML."""
        heads = "".join(f'<th scope="col" class="row">{html.escape(head)}</th>' for head in self.row_names)
        heads += "".join(f'<th scope="col">{html.escape(head)}</th>' for head in self._heads())
        body = []
        for row in self.rows:
            named = "".join(f'<th scope="row">{html.escape(one)}</th>' for one in row)
            shown = (
                self._show(row, column, "<b>{}</b>".format, "<sup>{}</sup>".format, html.escape)
                for column in self.columns
            )
            body.append(f"<tr>{named}{''.join(f'<td>{one}</td>' for one in shown)}</tr>")
        legend = html.escape(" ".join(self.legend()))
        rows = "\n".join(body)
        return (
            '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Scores</title>\n'
            f"<style>{STYLE}</style>\n<table>\n<thead><tr>{heads}</tr></thead>\n"
            f"<tbody>\n{rows}\n</tbody>\n</table>\n<p>{legend}</p>\n</html>\n"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain rows, for JSON."""
        found = []
        for row in self.rows:
            for column in self.columns:
                entry = self.entries.get((row, column))
                if entry is not None:
                    of = dict(zip(self.row_names, row, strict=True)) | dict(
                        zip(self.column_names, column, strict=True)
                    )
                    found.append(self.fixed | of | vars(entry))
        return {"rows": found, "notes": self.legend()}

    def legend(self) -> list[str]:
        """What the marks of the table mean, a sentence each."""
        shown, said = list(self.entries.values()), []
        if self.fixed:
            fixed = ", ".join(f"{name} {value}" for name, value in self.fixed.items())
            said.append(fixed[0].upper() + fixed[1:] + ".")
        ends = [f"{ARROWS[end] or 'no arrow'} {ENDS[end]}" for end in ENDS if end in self.ends]
        said.append("; ".join(ends) + ".")
        if any(entry.best for entry in shown):
            of = (
                "of its corpus "
                if {"corpus", "preprocessing"} & {*self.row_names, *self.column_names}
                else ""
            )
            said.append(f"Best {of}in bold.")
        runs = {entry.of for entry in shown if entry.of}
        together = {self._measure(*place) for place, entry in self.entries.items() if not entry.of}
        if max(runs, default=1) > 1:
            several = f"{min(runs)} to {max(runs)}" if len(runs) > 1 else str(max(runs))
            within = (
                "" if self.level is None else f"; in brackets the {self.level:.0%} t interval of the mean"
            )
            said.append(f"Means over {several} runs{within}.")
        elif any(not math.isnan(entry.low) for entry in shown):
            said.append(
                f"In brackets the {self.level:.0%} interval of a single run, over documents or topics."
            )
        if together:
            within = "" if self.level is None else f", with a {self.level:.0%} interval over them"
            said.append(f"{', '.join(sorted(together))}: of all runs together{within}.")
        said += self.notes
        said += [f"({number}) {reason}." for reason, number in self.reasons.items()]
        return said

    def _measure(self, row: Key, column: Key) -> str:
        for names, values in ((self.row_names, row), (self.column_names, column)):
            if "measure" in names:
                return values[names.index("measure")]
        return self.fixed["measure"]

    def _heads(self) -> list[str]:
        return [
            f"{' · '.join(column)} {ARROWS[end]}".strip()
            for column, end in zip(self.columns, self.ends, strict=True)
        ]

    def _show(
        self,
        row: Key,
        column: Key,
        bold: Callable[[str], str],
        raised: Callable[[str], str],
        escaped: Callable[[str], str] = str,
    ) -> str:
        entry = self.entries.get((row, column))
        if entry is None:
            return ""
        if math.isnan(entry.mean):
            mark = f" ({self.reasons[entry.reason]})" if entry.reason in self.reasons else ""
            return f"–{mark}" if escaped is not _latex else f"--{mark}"
        mean = escaped(number(entry.mean))
        text = bold(mean) if entry.best else mean
        if entry.near:
            text = f"{_arrows('≈')}{text}" if escaped is _latex else f"≈{text}"
        text += raised(entry.letters) if entry.letters else ""
        if not math.isnan(entry.low):
            interval = escaped(f"[{number(entry.low)}, {number(entry.high)}]")
            text += f" {interval}"
        if entry.n < entry.of:
            text += f" ({entry.n} of {entry.of} runs)"
        return text.replace("|", "\\|") if escaped is str else text


STYLE = (
    "body{font:15px/1.5 Helvetica,Arial,sans-serif;color:#15201e;margin:2rem}table{border-collapse:collapse}"
    "th,td{padding:.3rem .8rem;text-align:right;border-bottom:1px solid #d3dbd8;white-space:nowrap}"
    "th[scope=row],th.row{text-align:left}p{max-width:70ch}"
)
SIGNS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "≈": r"$\approx$"}


def _arrows(text: str) -> str:
    for sign, latex in SIGNS.items():
        text = text.replace(sign, latex)
    return text.replace("·", r"$\cdot$").replace("–", "--")


def table(
    frame: "polars.DataFrame",
    measures: Sequence[str] | None = None,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] = ("measure",),
    where: Mapping[str, str] | None = None,
    level: float | None = 0.95,
) -> Table:
    """What `Experiment.table` gives.

    Raises
    ------
    InputError
        If there is no such measure, column or value.
    """
    import polars as pl

    rows, columns, where = list(rows or ()), list(columns), dict(where or {})
    for name in (*rows, *columns, *where):
        _known(name, DIMENSIONS, "part of a table")
    if twice := sorted({*rows} & {*columns}):
        raise InputError(f"{twice[0]} can stand in rows or in columns, not in both")
    models = frame.filter((pl.col("level") == "model") & pl.col("slice").is_null())
    models = models.with_columns([pl.col(name).cast(pl.String).fill_null("") for name in DIMENSIONS])
    if "group" not in (*rows, *columns, *where):
        models = models.filter(pl.col("group") == "")
    there = models["measure"].unique(maintain_order=True).to_list()
    chosen = there if measures is None else [_measure(one, there) for one in measures]
    models = models.filter(pl.col("measure").is_in(chosen))
    for name, value in where.items():
        _known(str(value), models[name].unique(maintain_order=True).to_list(), name)
        models = models.filter(pl.col(name) == str(value))
    varying = [name for name in DIMENSIONS if models[name].n_unique() > 1]
    rows += [name for name in varying if name not in (*rows, *columns)]
    rows = rows or ["family"]
    fixed = {
        name: models[name][0]
        for name in DIMENSIONS
        if name not in (*rows, *columns) and len(models) and models[name][0]
    }
    entries, notes = _entries(models, level)
    keys = {
        name: {value: i for i, value in enumerate(_in_order(name, models, chosen))} for name in DIMENSIONS
    }

    def places(names: Sequence[str]) -> list[Key]:
        found = {tuple(key[DIMENSIONS.index(name)] for name in names) for key in entries}
        return sorted(found, key=lambda one: [keys[n][v] for n, v in zip(names, one, strict=True)])

    def part(key: Key, names: Sequence[str]) -> Key:
        return tuple(key[DIMENSIONS.index(name)] for name in names)

    where_measure = columns.index("measure") if "measure" in columns else None
    only = {best_end(one) for one in models["measure"].unique()}
    across = places(columns)
    ends = [
        best_end(one[where_measure])
        if where_measure is not None
        else (only.copy().pop() if len(only) == 1 else None)
        for one in across
    ]
    reasons: dict[str, int] = {}
    for entry in entries.values():
        if math.isnan(entry.mean):
            reasons.setdefault(entry.reason or "undefined", len(reasons) + 1)
    shown = {
        (part(key, rows), part(key, columns)): entry
        if not math.isnan(entry.mean) or entry.reason
        else replace(entry, reason="undefined")
        for key, entry in entries.items()
    }
    return Table(tuple(rows), tuple(columns), places(rows), across, shown, ends, fixed, reasons, notes, level)


def _known(name: str, there: Sequence[str], what: str) -> None:
    if name not in there:
        raise InputError(f"there is no {what} {name!r}; {meant(name, there)}")


def _measure(name: str, there: Sequence[str]) -> str:
    from tealeaves.measures._table import parse

    spec = name if name in there else str(parse(name))
    _known(spec, there, "measure that was scored:")
    return spec


def _in_order(name: str, models: "polars.DataFrame", measures: Sequence[str]) -> list[str]:
    values: list[str] = models[name].unique(maintain_order=True).to_list()
    if name == "k":
        return sorted(values, key=lambda one: int(one or 0))
    return list(measures) if name == "measure" else values


def _entries(models: "polars.DataFrame", level: float | None) -> tuple[dict[Key, Entry], tuple[str, ...]]:
    """The mean of the runs of each setting, and of each block of models that are compared, who is best."""
    runs: dict[Key, list[dict[str, Any]]] = {}
    for row in models.iter_rows(named=True):
        runs.setdefault(tuple(row[name] for name in DIMENSIONS), []).append(row)
    entries = {key: _entry(rows, level) for key, rows in runs.items()}
    blocks: dict[Key, list[Key]] = {}
    for key in entries:
        data = tuple(v for name, v in zip(DIMENSIONS, key, strict=True) if name not in COMPARED)
        blocks.setdefault(data, []).append(key)
    found: list[tuple[str, Differences]] = []
    for members in blocks.values():
        end = best_end(members[0][DIMENSIONS.index("measure")])
        whole = [
            key for key in members if entries[key].n == entries[key].of and not math.isnan(entries[key].mean)
        ]
        means = {key: entries[key].mean for key in whole}
        if end is None or len(set(means.values())) < 2:
            continue
        top = max(means.values()) if end == "high" else min(means.values())
        best = [key for key in whole if abs(means[key] - top) <= ALIKE * max(abs(top), 1)]
        if not math.isfinite(top) or len(best) == len(whole):
            continue
        order = sorted(whole, key=lambda key: means[key], reverse=end == "high")
        if not entries[members[0]].of:  # of all runs together: there are none to test over
            entries |= {key: replace(entries[key], best=True) for key in best}
            continue
        told = told_apart({key: [row["value"] for row in runs[key]] for key in order})
        found.append((members[0][DIMENSIONS.index("measure")], told))
        near = {key for key in told.letters if any(told.alike(key, one) for one in best)} - set(best)
        for key in whole:
            entries[key] = replace(
                entries[key], best=key in best, near=key in near, letters=told.letters.get(key, "")
            )
    return entries, _notes(found)


def _entry(rows: Sequence[Mapping[str, Any]], level: float | None) -> Entry:
    values = np.array([row["value"] for row in rows], np.float64)
    defined = values[~np.isnan(values)]
    reason = next((row["reason"] for row in rows if row["reason"]), "")
    of = 0 if rows[0]["seed"] is None else len(rows)
    if not len(defined):
        return Entry(math.nan, math.nan, math.nan, 0, of, reason)
    mean = float(defined.mean())
    low, high = math.nan, math.nan
    if level is None:
        pass  # no intervals were asked for
    elif len(rows) == 1:
        low, high = float(rows[0]["low"]), float(rows[0]["high"])
    elif len(defined) > 1 and np.isfinite(defined).all() and not same(defined):
        half = _half(float(defined.std(ddof=1)), len(defined), level) or 0.0
        low, high = mean - half, mean + half
    return Entry(mean, low, high, min(len(defined), of), of, reason)


def _notes(found: Sequence[tuple[str, Differences]]) -> tuple[str, ...]:
    said = []
    if any(told.letters for _, told in found):
        said.append(
            "Models that share a letter cannot be told apart over their runs (permutation tests of all pairs "
            "on one corpus by one measure, Holm, p < 0.05); ≈ cannot be told from the best."
        )
    of: dict[str, dict[str, None]] = {}
    for measure, told in found:
        if told.note:
            of.setdefault(told.note, {})[measure] = None
    everywhere = {measure for measure, _ in found}
    for note, measures in of.items():
        said.append(note if set(measures) == everywhere else f"{', '.join(measures)}: {note}")
    return tuple(said)
