"""Replications: one file for each published table, our numbers beside the printed ones."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, InputError, meant
from tealeaves.folders import write_text

EXACT, IN_KIND, BEYOND = "exact", "in kind", "beyond the print"
STATUSES = {
    EXACT: "the same data and steps: printed digits are expected to come out",
    IN_KIND: "other data, or stand-ins for what is not public: the pattern is expected, not the digits",
    BEYOND: "nothing like it was printed; it shows what the printed tables rest on",
}


@dataclass(frozen=True)
class Entry:
    """What can be replicated: whose tables, what they say, how far it goes, and why no further."""

    source: str
    what: str
    status: str
    why: str


KORENCIC, JAMES, LUND = "Korenčić et al. 2021", "James et al. 2024", "Lund et al. 2019"
OVERVIEW = "overview article on evaluating topic models"
# Each stands in the file of its name.
REPLICATIONS = {
    "two_topics": Entry(
        OVERVIEW,
        "The two examples worked by hand: coherence of two topics, perplexity of ten words",
        EXACT,
        "",
    ),
    "reuters": Entry(
        OVERVIEW, "Perplexity and coherence of LDA on Reuters-21578 against K, over several starts", EXACT, ""
    ),
    "estimators": Entry(
        "Wallach et al. 2009",
        "Estimators of held-out likelihood beside the exact value, those not to be used among them",
        BEYOND,
        "",
    ),
    "temporal": Entry(
        JAMES,
        "Tables 1, 2 and 8: a model over time beside its shuffled, intruded and repeated selves; rows of "
        "Tables 6, 7 and 9",
        IN_KIND,
        "the fitted models are not public; rows of Tables 6, 7 and 9 are from the printed words and exact",
    ),
    "local": Entry(
        LUND,
        "Tables 2 and 3: how much of people's matching of topics and words each measure explains",
        IN_KIND,
        "neither judgements nor models are public: simulated raters and planted truth stand in for people",
    ),
    "matching": Entry(
        KORENCIC,
        "Table II, its row of people, and the agreement of Appendix D: do two topics match?",
        EXACT,
        "",
    ),
    "matching_classifiers": Entry(
        KORENCIC,
        "Table II, its classifiers: do two topics match?",
        IN_KIND,
        "they see lists of words, as the topics' vectors were not released",
    ),
    "coverage": Entry(
        KORENCIC,
        "Tables III, IV, VI, VIII, IX and X, Figures 2 to 5: coverage of reference topics by model and size",
        IN_KIND,
        "neither corpus is public: one is drawn from the released biological reference topics, the other is "
        "Reuters with its categories",
    ),
    "planted_sizes": Entry(
        KORENCIC,
        "The pattern of Tables VI and IX where the truth is known: small topics, and stability",
        IN_KIND,
        "planted topics in place of the articles' corpora",
    ),
    "people": Entry(
        "Hoyle et al. 2021; Lau and Baldwin 2016",
        "Correlation of coherence with people's ratings and intrusion, ours beside the published scores",
        IN_KIND,
        "the reference corpora (Wikipedia, New York Times) are not here: words are counted in other text",
    ),
    "verdicts": Entry(
        "Hoyle et al. 2021; Lau and Baldwin 2016",
        "How often the verdicts of a report agree with people's ratings and intrusion",
        BEYOND,
        "the reference corpora (Wikipedia, New York Times) are not here: words are counted in other text",
    ),
}
# What was looked at and cannot be done, for the summary.
NOT_POSSIBLE = {
    f"{JAMES}, Table 3 and Figures 5, 7, 9": "ratings by people, never released",
    f"{JAMES}, rows of the New York Times": "the corpus is licensed",
    f"{LUND}, Tables 2 and 3 to the digit": "39 models and 195,000 judgements, never released",
    f"{LUND}, CopulaLDA": "no output of it and no implementation that runs here",
    f"{KORENCIC}, Table V": "sizes need the corpora, which are not in the released repository",
    f"{KORENCIC}, Table VII": "abstract and issue topics are of the news corpus, which is not public",
    f"{KORENCIC}, Table VIII, rows of Wikipedia": "no Wikipedia here",
    f"{KORENCIC}, Table XII": "seconds of another machine; ours stand in the decision on coverage",
    "Chang et al. 2009, Röder et al. 2015": "judgements and gold topics are in no public repository found",
}
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Line:
    """One number: what it is, what was printed and found, the digits printed, why it differs."""

    what: str
    printed: float
    found: float
    digits: int = 0
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether ours, rounded as it was printed, is the printed number."""
        return round(self.found, self.digits) == round(self.printed, self.digits)


@dataclass(frozen=True)
class Replication:
    """Numbers beside printed ones, tables beyond the print, figures, and what is to be said."""

    name: str
    lines: tuple[Line, ...] = ()
    tables: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)  # Altair charts by their caption
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_markdown(self, images: str = "") -> str:
        """Everything as Markdown; figures as they are called by ``save``, in the folder ``images``."""
        rows = [] if not self.lines else ["| what | printed | found | |", "| --- | ---: | ---: | --- |"]
        for line in self.lines:
            shown = f"{line.found:,.{line.digits + 2}f}"
            verdict = "the same" if line.agrees else f"differs by {line.found - line.printed:+,.4g}"
            told = f"{verdict}: {line.note}" if line.note and not line.agrees else verdict
            rows.append(f"| {line.what} | {line.printed:,.{line.digits}f} | {shown} | {told} |")
        parts = ["\n".join(rows)] if rows else []
        for title, table in self.tables.items():
            columns = list(table[0]) if table else []
            body = [f"| {' | '.join(columns)} |", "|" + " --- |" * len(columns)]
            body += [f"| {' | '.join(_cell(row[c]) for c in columns)} |" for row in table]
            parts.append(f"{title}\n\n" + "\n".join(body))
        parts += [
            f"![{caption}]({images}{file})" for caption, file in zip(self.figures, self.files(), strict=True)
        ]
        parts += ["\n".join(f"- {sentence}" for sentence in self.says)] if self.says else []
        if self.settings:
            told = ", ".join(f"{name} {value}" for name, value in self.settings.items())
            parts.append(f"Settings: {told}.")
        return "\n\n".join(parts) + "\n"

    def files(self) -> list[str]:
        """What the files of its figures are called."""
        return [f"{self.name}-{number}.svg" for number in range(1, len(self.figures) + 1)]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the drawings as plain data."""
        lines = [
            {
                "what": x.what,
                "printed": x.printed,
                "found": x.found,
                "digits": x.digits,
                "agrees": x.agrees,
                "note": x.note,
            }
            for x in self.lines
        ]
        return {
            "name": self.name,
            "lines": lines,
            "tables": dict(self.tables),
            "says": list(self.says),
            "figures": list(self.figures),
            "settings": dict(self.settings),
        }

    def save(self, folder: str | Path) -> None:
        """Write NAME.json, and each figure as NAME-1.svg, NAME-2.svg, …, to a folder."""
        from tealeaves.scores_export import plain

        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for chart, file in zip(self.figures.values(), self.files(), strict=True):
            chart.save(str(place / file))
        text = json.dumps(plain(self.to_dict()), indent=1, ensure_ascii=False, allow_nan=False)
        write_text(place / f"{self.name}.json", text + "\n")

    @classmethod
    def load(cls, path: str | Path) -> "Replication":
        """What ``save`` wrote; of figures, their captions."""
        path = Path(path)
        try:
            found = json.loads(path.read_text("utf-8"))
            lines = tuple(
                Line(x["what"], x["printed"], _number(x["found"]), x["digits"], x["note"])
                for x in found["lines"]
            )
            return cls(
                found["name"],
                lines,
                found["tables"],
                tuple(found["says"]),
                dict.fromkeys(found["figures"]),
                found["settings"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(path, f"is no saved replication: {error}") from None


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _cell(value: Any) -> str:
    if value is None or value != value:  # nan, and what it is in JSON
        return "–"
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def replicate(
    name: str,
    data: str | Path,
    *,
    seeds: int | None = None,
    full: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Replication:
    """Compute a published table again.

    Parameters
    ----------
    name : str
        One of ``REPLICATIONS``.
    data : path
        The folder of the data that the table is of.
    seeds : int, optional
        How many random starts; the print is of the first. Each replication has its own default, more if full.
    full : bool
        Whether to take all the models, starts and resamples that the source did, as far as they can be had.
        Else minutes have to do.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Raises
    ------
    InputError
        If there is no such replication, or its data are not there.
    """
    if name not in REPLICATIONS:
        raise InputError(f"there is no replication {name!r}; {meant(name, REPLICATIONS)}")
    if seeds is not None and (isinstance(seeds, bool) or not isinstance(seeds, int) or seeds < 1):
        raise InputError(f"seeds must be a number of starts, 1 or more; got {seeds!r}")
    module = import_module(f"tealeaves.experiments.replications.{name}")
    starts = seeds if seeds is not None else module.SEEDS[full]
    found: Replication = module.run(Path(data), seeds=starts, full=full, progress=progress, **options)
    return found


def data_file(data: Path, *names: str) -> Path:
    """The file in the folder of the data or in one of its own; what was expected where it is not."""
    *folders, name = names
    places = [data.joinpath(*folders, name), data / name]
    for path in places:
        if path.exists():
            return path
    raise InputError(f"{data}: {'/'.join(names)} was expected there; say where the data are with --data")
