"""What people's answers come to: tables, and how they stand beside automatic scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human.scoring.measures import Floats

if TYPE_CHECKING:
    import polars

    from tealeaves.human.relate import Relations
    from tealeaves.scores import Scores


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What people's answers come to: what `score` returns. Undefined is nan, and ``reason`` says why.

    Attributes
    ----------
    models : polars.DataFrame
        A row per study, task, measure and model: ``value``; ``low``, ``high`` (such topics, judged by such
        people: raters and topics drawn again); ``low_these``, ``high_these`` (these very topics: raters
        alone); ``binomial_low``, ``binomial_high`` (as if all answers were independent: too narrow);
        ``chance``, what guessing gives; ``n_answers``, ``n_raters``, ``n_units`` of ``unit`` ("topics", …).
    topics : polars.DataFrame
        A row per topic of a model: ``value``, ``low`` and ``high`` over such raters, ``n``, ``known`` (the
        share to whom its words were familiar), ``unreadable`` (people did no better than guessing, or most
        gave the lowest rating; null where that cannot be told).
    items, raters : polars.DataFrame
        A row per item, and per rater: values, numbers of answers, median seconds, familiarity; of raters
        also checks and agreement with the rest.
    agreement : polars.DataFrame
        A row per ``coefficient``, ``coding`` and ``level``. Coefficients of two codings do not compare.
    differences : polars.DataFrame
        A row per pair of models: ``difference``, both intervals, ``p`` and ``p_these``, and these by Holm.
    apart : polars.DataFrame
        A row per score of raters that are scored beside people, such as a model: ``value`` of all topics that
        this rater judged, ``people``'s of the same, the ``difference`` with ``low`` and ``high`` over topics,
        and ``agreement`` with what most people said (with their means, as Pearson's correlation).
    positions : polars.DataFrame
        A row per place on the page (1, 2, …) of studies that kept it: the ``share`` of the ``n`` answers
        that chose it, the share ``expected`` of an order drawn at random, their mean ``value``. Of pairs
        place 1 is of answers to which the item's first topic stood first. A row of no place has the test:
        ``p``, and of pairs the ``effect`` of the order on the label, with ``low`` and ``high`` over raters.
    settings : dict
        ``resamples``, ``seed``, ``level``.
    notes : tuple of str
        What each interval is about, and what whoever reads the scores should know.
    """

    models: "polars.DataFrame"
    topics: "polars.DataFrame"
    items: "polars.DataFrame"
    raters: "polars.DataFrame"
    agreement: "polars.DataFrame"
    differences: "polars.DataFrame"
    apart: "polars.DataFrame"
    positions: "polars.DataFrame"
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def value(self, measure: str | None = None, model: str | None = None, task: str | None = None) -> float:
        """The score of a model; what is left out must be unique.

        Raises
        ------
        InputError
            If there is none, or more than one.
        """
        rows = self.models
        for name, wanted in (("measure", measure), ("model", model), ("task", task)):
            rows = rows if wanted is None else rows.filter(rows[name] == wanted)
        if len(rows) != 1:
            found = [f"{row['task']}: {row['measure']} of {row['model']}" for row in rows.to_dicts()]
            there = ", ".join(f"{r['measure']} of {r['model']}" for r in self.models.to_dicts())
            raise InputError(
                f"name one score by measure=, model= and task=; there are {'; '.join(found) or there}"
            )
        return float(rows["value"][0])

    def of_topics(self, measure: str, model: str, study: str | None = None) -> Floats:
        """The score of each topic of a model, (K,); nan for a topic that nobody judged."""
        rows = self.topics.filter((self.topics["measure"] == measure) & (self.topics["model"] == model))
        rows = rows if study is None else rows.filter(rows["study"] == study)
        rows = rows.filter(rows["topic"].is_not_null())
        if not len(rows):
            there = ", ".join(
                sorted({f"{m} of {n}" for m, n in self.topics.select("measure", "model").rows()})
            )
            raise InputError(f"there is no {measure} of topics of {model!r}; there are {there}")
        if rows["topic"].n_unique() < len(rows):
            raise InputError(f"several studies have {measure} of {model!r}: name one with study=")
        topics = rows["topic"].to_numpy()
        found = np.full(int(topics.max()) + 1, np.nan)
        found[topics] = rows["value"].to_numpy()
        return found

    def details(self) -> dict[str, Any]:
        """Plain data for ``Scores.details.human``; no person is in it.

        ``scores``, ``differences``, ``agreement``, ``apart`` and ``positions`` are the rows of ``.models``
        and of the tables of these names; ``topics`` is by model, topic (as text) and measure: ``value``,
        ``low``, ``high``, ``n``, ``known``, ``unreadable``, ``study``, ``task``; ``settings`` and ``notes``
        as here.
        Undefined numbers are None.
        """
        topics: dict[str, dict[str, dict[str, Any]]] = {}
        for row in map(plain_row, self.topics.to_dicts()):
            if row["topic"] is not None:
                place = topics.setdefault(row.pop("model"), {}).setdefault(str(row.pop("topic")), {})
                place.setdefault(row.pop("measure"), row)  # of several studies, the first
        return {
            "scores": [plain_row(row) for row in self.models.to_dicts()],
            "differences": [plain_row(row) for row in self.differences.to_dicts()],
            "apart": [plain_row(row) for row in self.apart.to_dicts()],
            "agreement": [plain_row(row) for row in self.agreement.to_dicts()],
            "positions": [plain_row(row) for row in self.positions.to_dicts()],
            "topics": topics,
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }

    def beside(self, scores: "Scores", relations: "Relations | polars.DataFrame | None" = None) -> "Scores":
        """The scores with these in ``details.human``, and how the two go together.

        ``relations`` is what `tealeaves.human.relate` gave, or its table; if it is not handed over and some
        topics have both an automatic and a human score, it is made here.
        """
        if relations is None:
            from tealeaves.human.relate import relate

            try:
                relations = relate(scores, self)
            except InputError:  # no topic has both
                return replace(scores, details=replace(scores.details, human=self.details()))
        human = self.details()
        tables: dict[str, Any] = {"relations": getattr(relations, "frame", relations)}
        if hasattr(relations, "differences"):
            tables["relation_differences"] = relations.differences
        for name, table in tables.items():
            human[name] = [plain_row(row) for row in table.to_dicts()]
        return replace(scores, details=replace(scores.details, human=human))

    def to_markdown(self, digits: int = 2) -> str:
        """The models as a table: value, both intervals, and the binomial one with its warning."""
        head = ["task", "measure", "model", "value", "such topics", "these topics", "binomial (too narrow)"]
        lines = [head, ["---"] * 3 + ["---:"] * 4]
        for row in self.models.to_dicts():
            ends = [
                _interval(row[low], row[high], digits)
                for low, high in (
                    ("low", "high"),
                    ("low_these", "high_these"),
                    ("binomial_low", "binomial_high"),
                )
            ]
            task = f"{row['study']}: {row['task']}" if row["study"] else row["task"]
            value = f"{row['value']:.{digits}f}" if np.isfinite(row["value"]) else f"– ({row['reason']})"
            lines.append([task, row["measure"], row["model"], value, *ends])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def __repr__(self) -> str:
        studies = ", ".join(dict.fromkeys(self.models["task"]))
        return f"<Result of {studies}: {len(self.models)} scores, {len(self.raters)} raters>"

    def __str__(self) -> str:
        return "\n".join([self.to_markdown(), *self.notes])


def _interval(low: float, high: float, digits: int) -> str:
    return f"[{low:.{digits}f}, {high:.{digits}f}]" if np.isfinite(low) else "–"


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Undefined numbers as None, as JSON has it."""
    return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in row.items()}
