"""Scores: what `evaluate` hands back, a tidy table with everything needed to read, compare and show it."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError, meant

if TYPE_CHECKING:
    import pandas
    import polars

    from tealeaves.measures._table import Spec
    from tealeaves.plots.of_scores import Plots

# Every column of the frame and its type, in order. Undefined numbers are nan; what does not apply is null.
COLUMNS = {
    "model": "String",
    "measure": "String",
    "level": "String",
    "group": "String",
    "slice": "String",
    "slice_end": "String",
    "topic": "Int64",
    "reference_topic": "String",
    "document": "String",
    "value": "Float64",
    "low": "Float64",
    "high": "Float64",
    "n_terms": "Int64",
    "reason": "String",
    "signature": "String",
}
ABSENT = {
    "value": np.nan,
    "low": np.nan,
    "high": np.nan,
    "group": "",
    "reason": "",
    "signature": "",
    "n_terms": 0,
}


@dataclass(frozen=True)
class Details:
    """What a report needs beside the numbers; every field is plain and survives JSON.

    Attributes
    ----------
    models
        By model: ``n_topics``, ``topics`` (its first 20 top words each), ``notes``, ``source``, ``weights``
        of those words (or None) and ``size``, each topic's share of the tokens (or None). Of topics over time
        also ``slice_labels``, ``slice_topics`` (top words by slice) and ``verdicts_over_time``.
    corpora
        "corpus" and "reference": ``fingerprint``, ``docs``, ``tokens``, ``vocab``, ``preprocess``, ``notes``.
    settings
        ``seed``, ``resamples``, ``ci``, ``version`` and whatever else the run was told.
    pairs
        By model and topic (as text): ``words``, their matrices ``npmi`` and ``joint``, and ``single``; None
        where a number is undefined.
    unknown
        By model and topic: ``absent`` words, ``coverage`` and ``hints``.
    similar
        Nearly equal topics: ``model_a``, ``topic_a``, ``model_b``, ``topic_b``, ``shared``, ``cosine``.
    chance
        By model, topic and spec: percentiles 5, 50 and 95 of the measure for random words as frequent.
    companions
        By model and spec, numbers that stand beside a score: chance, baselines, Monte Carlo errors.
    documents
        By model, documents to read with the topic of every word: see `tealeaves.reading`.
    switches
        By model, how often the next word of a document has topic j after one of topic i.
    switch_intervals
        By model, of the most frequent changes of topic: from, to, and the interval of the share that such
        changes are of all from that topic.
    coverage
        Where reference topics were looked for, what `tealeaves.coverage` finds: ``curve``, ``table``,
        ``nearest`` (the nearest topic of each model to each reference topic), ``relations``, ``matrix``.
    human
        What people said, as `tealeaves.human.score` found it: ``scores``, ``differences``, ``agreement``,
        ``topics``, ``settings``, ``notes`` and perhaps ``relations`` and ``relation_differences``, how
        automatic scores go along with them; see its ``Result.details`` and ``Result.beside``.
    warnings
        Sentences that whoever reads the scores should see.
    """

    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    corpora: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    pairs: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    unknown: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    similar: list[dict[str, Any]] = field(default_factory=list)
    chance: dict[str, dict[str, dict[str, list[float | None]]]] = field(default_factory=dict)
    companions: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    documents: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    switches: dict[str, list[list[int]]] = field(default_factory=dict)
    switch_intervals: dict[str, list[list[Any]]] = field(default_factory=dict)
    coverage: dict[str, Any] = field(default_factory=dict)
    human: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Only what strict JSON can hold: nan as None, keys as text."""
        from tealeaves.scores_export import plain

        return {name: plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Details":
        """The reverse of `to_dict`; what a later version may have added is left out.

        Raises
        ------
        TypeError
            If a field, or what is said of a model, is of the wrong type.
        """
        known = cls(**{f.name: given[f.name] for f in fields(cls) if f.name in given})
        for f in fields(cls):
            wanted = list if f.name in ("similar", "warnings") else dict
            if not isinstance(getattr(known, f.name), wanted):
                raise TypeError(f"{f.name} of the details is not a {wanted.__name__}")
        for name, model in known.models.items():
            if not isinstance(model, dict):
                raise TypeError(f"models of the details has not a dict for {name!r}")
        return known


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one or several models, a row each, and what is needed to read them.

    Parameters
    ----------
    frame : polars.DataFrame
        The columns of `COLUMNS`; a row per model, measure and whatever is scored (``level``: "model",
        "topic", "slice", "window" or "document"). ``score_frame`` makes one.
    details : Details
        What a report needs beside the numbers.
    draws : dict of (model, spec) to float array of shape (resamples,)
        Model-level bootstrap draws; draw r of two models is of the same blocks if ``units`` says "blocks".
    units : dict of spec to text
        What the draws resampled: "blocks", "topics" or "documents".

    Examples
    --------
    >>> rows = [{"model": "a", "measure": "npmi@10", "level": "topic", "topic": k, "value": v}
    ...         for k, v in enumerate([0.1, 0.3])]
    >>> rows.append({"model": "a", "measure": "npmi@10", "level": "model", "value": 0.2})
    >>> scores = Scores(score_frame(rows))
    >>> scores.value("npmi"), scores.topics("npmi")
    (0.2, array([0.1, 0.3]))
    """

    frame: "polars.DataFrame"
    details: Details = field(default_factory=Details)
    draws: dict[tuple[str, str], NDArray[np.float64]] = field(default_factory=dict, repr=False)
    units: dict[str, str] = field(default_factory=dict)

    @property
    def models(self) -> list[str]:
        """The names of the models, in order."""
        return list(self.frame["model"].unique(maintain_order=True))

    @property
    def measures(self) -> list[str]:
        """The canonical specs that were measured, in order."""
        return list(self.frame["measure"].unique(maintain_order=True))

    def value(self, spec: "str | Spec", model: str | None = None, group: str = "") -> float:
        """The score of a whole model; nan where undefined.

        Raises
        ------
        InputError
            If the measure was not computed, there are several models and none is named, or no such model.
        """
        rows = self._rows(spec, model, group, "model")
        if not len(rows):
            raise InputError(
                f"{self.spec(spec)} has no value for a whole model here; scores.frame has all rows"
            )
        return float(rows["value"][0])

    def topics(self, spec: "str | Spec", model: str | None = None, group: str = "") -> NDArray[np.float64]:
        """The score of each topic, of shape (K,); nan where undefined.

        Raises
        ------
        InputError
            As for `value`, or if the measure scores whole models only.
        """
        rows = self._rows(spec, model, group, "topic")
        if not len(rows):
            raise InputError(f"{self.spec(spec)} has no value for single topics here; use scores.value")
        topic = rows["topic"].to_numpy()
        known = self.details.models.get(rows["model"][0], {}).get("n_topics", 0)
        values = np.full(max(int(topic.max()) + 1, known), np.nan)
        values[topic] = rows["value"].to_numpy()
        return values

    def documents(self, spec: "str | Spec", model: str | None = None, group: str = "") -> NDArray[np.float64]:
        """The score of each document, of shape (D,); nan where undefined.

        Raises
        ------
        InputError
            As for `value`, or if the measure scores no documents.
        """
        rows = self._rows(spec, model, group, "document")
        if not len(rows):
            raise InputError(f"{self.spec(spec)} has no value for single documents here")
        return rows["value"].to_numpy()

    def spec(self, spec: "str | Spec") -> str:
        """The canonical spelling of a measure that was computed, from any spelling."""
        from tealeaves.measures._table import parse

        measured = self.measures
        if str(spec) in measured:
            return str(spec)
        wanted = str(parse(spec))
        if wanted in measured:
            return wanted
        raise InputError(f"{wanted!r} was not measured; {meant(wanted, measured)}")

    def compare(self, spec: "str | Spec", test: str | None = None) -> "polars.DataFrame":
        """Every pair of models by one measure, with the test that fits; see `tealeaves.comparison`."""
        from tealeaves.comparison import compare

        return compare(self, self.spec(spec), test)

    @property
    def plot(self) -> "Plots":
        """Figures for a paper: ``scores.plot.coherence().save("figure.pdf", width=84)``; see `Plots`."""
        from tealeaves.plots.of_scores import Plots

        return Plots(self)

    def save(self, path: str | Path) -> None:
        """Write to a folder, which may hold earlier scores; `load_scores` reads them back.

        Whenever it is interrupted, the folder holds either the earlier scores or these, whole.
        """
        from tealeaves.scores_store import save

        save(self, Path(path))

    def report(self, path: str | Path) -> None:
        """Write one self-contained HTML page."""
        from tealeaves.report import write_report

        write_report(self, path)

    def to_pandas(self) -> "pandas.DataFrame":
        """The frame for pandas, which must be installed."""
        from tealeaves.scores_export import to_pandas

        return to_pandas(self)

    def to_csv(self, path: str | Path) -> None:
        """Write every row with all digits; undefined numbers are empty, and ``reason`` says why.

        It is for programs: a name that begins with =, +, - or @ is written as it is. Do not open names
        that you do not trust in a spreadsheet, which would take them for formulas.
        """
        from tealeaves.scores_export import to_csv

        to_csv(self, Path(path))

    def to_json(self, indent: int | None = 2) -> str:
        """Rows and details as strict JSON; an undefined number is null, an infinite one "Infinity"."""
        from tealeaves.scores_export import to_json

        return to_json(self, indent)

    def to_markdown(self) -> str:
        """A table of models × measures: the best in bold, intervals, and why a score is undefined."""
        from tealeaves.scores_export import to_markdown

        return to_markdown(self)

    def to_latex(self) -> str:
        """The table of `to_markdown` for LaTeX, without packages."""
        from tealeaves.scores_export import to_latex

        return to_latex(self)

    def __repr__(self) -> str:
        n = len(self.models)
        return f"<Scores: {', '.join(self.measures)} of {n} {'model' if n == 1 else 'models'}>"

    def _repr_html_(self) -> str:
        from tealeaves.scores_export import to_html

        return to_html(self)

    def _rows(self, spec: "str | Spec", model: str | None, group: str, level: str) -> "polars.DataFrame":
        wanted, frame = self.spec(spec), self.frame
        rows = frame.filter((frame["measure"] == wanted) & (frame["model"] == self._model(model)))
        found = rows.filter((rows["group"] == group) & (rows["level"] == level) & rows["slice"].is_null())
        if not len(found) and group not in set(rows["group"]):
            groups = ", ".join(repr(name) for name in rows["group"].unique(maintain_order=True))
            raise InputError(f"{wanted} has no group {group!r} here; there are {groups or 'none'}")
        return found

    def _model(self, name: str | None) -> str:
        names = self.models
        if name is None and len(names) == 1:
            return names[0]
        if name is None:
            raise InputError(f"there are {len(names)} models, so name one with model=: {', '.join(names)}")
        if name not in names:
            raise InputError(f"there is no model {name!r} here; {meant(name, names)}")
        return name


def score_frame(rows: Iterable[Mapping[str, Any]]) -> "polars.DataFrame":
    """The frame of `Scores` from rows that name only the columns they need.

    Raises
    ------
    InputError
        If a row names a column that does not exist, or lacks its model, measure or level.
    """
    import polars

    given = [dict(row) for row in rows]
    for row in given:
        wrong = [name for name in row if name not in COLUMNS] or [
            n for n in list(COLUMNS)[:3] if n not in row
        ]
        if wrong:
            raise InputError(f"a row of scores has a wrong or missing column {wrong[0]!r}: {row}")
    columns = {name: [row.get(name, ABSENT.get(name)) for row in given] for name in COLUMNS}
    return polars.DataFrame(columns, schema={name: getattr(polars, kind) for name, kind in COLUMNS.items()})


def load_scores(path: str | Path) -> Scores:
    """Read the folder that `Scores.save` wrote.

    Raises
    ------
    FormatError
        If it is no such folder, or a file of it is missing or changed.
    """
    from tealeaves.scores_store import load

    return load(Path(path))
