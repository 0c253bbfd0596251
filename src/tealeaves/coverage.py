"""Coverage: which reference topics models find, how near, by size and category, and what they miss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError, MissingInput
from tealeaves.evaluate import name_models
from tealeaves.intervals import percentiles
from tealeaves.measures.coverage import area_of, cd_curve, closest, threshold_of
from tealeaves.measures.distances import IDENTICAL
from tealeaves.measures.relations import Relations, match_counts, relations
from tealeaves.needs_coverage import distances_to, lost_words, refuse_negative, shared_weight
from tealeaves.runs import base_name
from tealeaves.topic_sizes import QUARTILES, quartiles

if TYPE_CHECKING:
    import polars

    from tealeaves.matcher import Matcher
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
THRESHOLD = 0.5
ALL, SIZE = "all", "size"
SHOWN_WORDS = 10
THRESHOLDS = np.linspace(0.0, 1.0, 51)


@dataclass(frozen=True, eq=False, repr=False)
class Coverage:
    """What models find of reference topics; the runs of a model stand together.

    Attributes
    ----------
    reference : ReferenceTopics
        What was looked for.
    runs : dict of str to tuple of str
        By model, the names of its runs; one that has none is its own.
    distances : dict of str to float array of shape (R, K)
        By run, the cosine distance of each reference topic to each topic.
    matches : dict of str to bool array of shape (R, K)
        By run, which topics match: by the matcher, or within ``threshold`` of distance.
    chances : dict of str to float array of shape (R, K)
        By run, the matcher's probability of a match; empty without one.
    by : str
        What matched: "sup_cov" (a matcher) or "covered(threshold=0.5)".
    warnings : list of str
        Words of the reference topics that a model does not have, and topics without words.
    """

    reference: "ReferenceTopics"
    runs: dict[str, tuple[str, ...]]
    distances: dict[str, Floats]
    matches: dict[str, Bools]
    chances: dict[str, Floats]
    models: "dict[str, TopicModel]"
    by: str
    intervals: int | str
    ci: float
    resamples: int
    seed: int
    warnings: list[str]

    def __repr__(self) -> str:
        return f"<Coverage: {len(self.reference)} reference topics, {len(self.runs)} models>"

    @property
    def curve(self) -> "polars.DataFrame":
        """The CD-curves: ``model``, ``threshold``, ``coverage``, ``low``, ``high``, ``over``.

        The share of reference topics with a topic at most so far away: the mean over the runs, with a
        percentile interval over runs drawn again; over reference topics drawn again where there is one run.
        """
        import polars

        parts = []
        for model, runs in self.runs.items():
            covered = [closest(self.distances[run])[:, None] <= THRESHOLDS + IDENTICAL for run in runs]
            low, high, over = self._interval(np.array(covered, dtype=np.float64))
            parts.append(
                polars.DataFrame(
                    {
                        "model": [model] * len(THRESHOLDS),
                        "threshold": THRESHOLDS,
                        "coverage": np.mean([cd_curve(self.distances[run])[1] for run in runs], axis=0),
                        "low": low,
                        "high": high,
                        "over": [over] * len(THRESHOLDS),
                    }
                )
            )
        return polars.concat(parts)

    def at(self, threshold: float, model: str | None = None) -> float:
        """The share of reference topics with a topic at most so far away, the mean over the runs."""
        if not 0 <= threshold <= 1:
            raise InputError(f"a threshold is a distance from 0 to 1; got {threshold!r}")
        points = np.array([threshold])
        runs = self.runs[self._model(model)]
        return float(np.mean([cd_curve(self.distances[run], points)[1][0] for run in runs]))

    def threshold(self, coverage: float, model: str | None = None) -> float:
        """The least distance within which so large a share is covered, the mean over the runs."""
        runs = self.runs[self._model(model)]
        return float(np.mean([threshold_of(self.distances[run], coverage) for run in runs]))

    def value(self, measure: str, model: str | None = None) -> float:
        """The coverage of all reference topics by a measure of ``table``, such as "au_cdc".

        Raises
        ------
        InputError
            If there is no such measure or model, or there are several models and none is named.
        """
        found = {name: scores for name, scores, _ in self._scores(self.runs[self._model(model)])}
        if measure not in found:
            raise InputError(f"there is no coverage by {measure!r}; there is {', '.join(map(repr, found))}")
        return float(found[measure].mean())

    @property
    def table(self) -> "polars.DataFrame":
        """Coverage of all reference topics and of each category, a row for each model and measure.

        ``division`` is "all", "size" (quarters, Q1 the smallest) or the name of a user's; ``category`` the
        class; ``n`` its reference topics; ``value`` the mean over ``runs`` runs; ``low`` and ``high`` the
        percentile interval over what ``over`` says: "runs" drawn again, as the source does, or "reference
        topics" where there is one run; ``union`` is the value of all topics of all runs as one model.
        """
        import polars

        rows = []
        for model, runs in self.runs.items():
            for measure, scores, pooled in self._scores(runs):
                for division, category, members in self._classes():
                    of_class = scores[:, members]
                    low, high, over = self._interval(of_class[:, :, None])
                    rows.append(
                        {
                            "model": model,
                            "measure": measure,
                            "division": division,
                            "category": category,
                            "n": len(members),
                            "runs": len(runs),
                            "value": float(of_class.mean()) if len(members) else float("nan"),
                            "low": float(low[0]),
                            "high": float(high[0]),
                            "over": over,
                            "union": float(pooled[members].mean()) if len(members) else float("nan"),
                        }
                    )
        return polars.DataFrame(rows)

    @property
    def references(self) -> "polars.DataFrame":
        """A row for each model and reference topic: how near its nearest topic is, and which that is.

        ``covered`` is in how many of the ``runs`` a topic matches it; ``run``, ``topic``, ``distance`` and
        ``topic_words`` are of the topic nearest to it in any run.
        """
        import polars

        own = self.reference.top_words(SHOWN_WORDS)
        theirs = {run: model.top_words(SHOWN_WORDS) for run, model in self.models.items()}
        rows = []
        for model, runs in self.runs.items():
            covered = self._covered(runs)
            nearest = np.array([closest(self.distances[run]) for run in runs])
            for r, label in enumerate(self.reference.labels):
                run = runs[int(np.argmin(nearest[:, r]))]
                topic = int(np.argmin(self.distances[run][r]))
                rows.append(
                    {
                        "model": model,
                        "reference_topic": label,
                        "words": " ".join(own[r]),
                        "covered": int(covered[:, r].sum()),
                        "runs": len(runs),
                        "run": run,
                        "topic": topic,
                        "distance": float(nearest[:, r].min()),
                        "topic_words": " ".join(theirs[run][topic]),
                    }
                )
        return polars.DataFrame(rows, schema=REFERENCES)

    def uncovered(self, model: str | None = None, runs: int = 0) -> "polars.DataFrame":
        """The rows of ``references`` that no run covers (or ``runs`` runs at most), the farthest first."""
        found = self.references
        if model is not None:
            found = found.filter(found["model"] == self._model(model))
        return found.filter(found["covered"] <= runs).sort("distance", descending=True, maintain_order=True)

    @property
    def topics(self) -> "polars.DataFrame":
        """A row for each topic of each run: its scores, the reference topic nearest to it, and what it is.

        ``au_cdc`` is 1 - the distance, ``matched`` whether it matches any, ``relation`` "single", "fused" or
        "junk".
        """
        import polars

        rows = []
        for model, runs in self.runs.items():
            for run in runs:
                kinds = relations(self.matches[run]).topics
                for k, column in enumerate(self.distances[run].T if len(self.reference) else []):
                    rows.append(
                        {
                            "model": model,
                            "run": run,
                            "topic": k,
                            "au_cdc": 1.0 - float(column.min()),
                            "matched": bool(self.matches[run][:, k].any()),
                            "reference_topic": self.reference.labels[int(np.argmin(column))],
                            "relation": kinds[k],
                        }
                    )
        return polars.DataFrame(rows)

    def relations(self, run: str | None = None) -> Relations:
        """What each reference topic and each topic of a run is, after Chuang et al. (2013)."""
        return relations(self.matches[self._run(run)])

    def match_counts(self, run: str | None = None) -> tuple[Floats, Floats]:
        """Probabilities of how many matches each reference topic, (R, K + 1), and topic, (K, R + 1), has.

        Of a reference topic, the first column is that it is missing; of a topic, that it is junk. By the
        probabilities of the matcher, taken for independent.
        """
        if not self.chances:
            raise MissingInput("probabilities of matches need a matcher: hand over matcher= to tl.coverage")
        chances = self.chances[self._run(run)]
        return match_counts(chances), match_counts(chances.T)

    @property
    def relation_counts(self) -> "polars.DataFrame":
        """For each model, the mean over its runs of how many are resolved, fused, repeated, missing, junk."""
        import polars

        rows = []
        for model, runs in self.runs.items():
            counts = [relations(self.matches[run]).counts() for run in runs]
            rows.append({"model": model} | {kind: np.mean([c[kind] for c in counts]) for kind in counts[0]})
        return polars.DataFrame(rows)

    def to_markdown(self, division: str = ALL) -> str:
        """A table of models × measures, or with a division of models × its classes, with intervals."""
        frame = self.table
        frame = frame.filter(frame["division"] == division)
        if not len(frame):
            known = ", ".join(dict.fromkeys(name for name, _, _ in self._classes()))
            raise InputError(f"there is no division {division!r}; there are {known}")
        measures = list(dict.fromkeys(frame["measure"]))
        classes = list(dict.fromkeys(frame["category"]))
        headings = [
            measure if division == ALL else f"{measure} {name}" for measure in measures for name in classes
        ]
        lines = ["| model | " + " | ".join(headings) + " |", "| --- |" + " ---: |" * len(headings)]
        cells = {(row["model"], row["measure"], row["category"]): row for row in frame.iter_rows(named=True)}
        for model in self.runs:
            found = [cells[model, measure, name] for measure in measures for name in classes]
            lines.append(f"| {model} | " + " | ".join(map(_cell, found)) + " |")
        over = ", ".join(dict.fromkeys(name for name in frame["over"] if name))
        told = f"\n\n{self.ci:.0%} intervals over {over}." if over else ""
        return "\n".join(lines) + told

    def to_dict(self) -> dict[str, Any]:
        """Every table, plain."""
        names = ("table", "curve", "references", "topics", "relation_counts")
        return {"by": self.by, "warnings": self.warnings} | {n: getattr(self, n).to_dicts() for n in names}

    def _covered(self, runs: Sequence[str]) -> Bools:
        return np.array([self.matches[run].any(axis=1) for run in runs])

    def _scores(self, runs: Sequence[str]) -> list[tuple[str, Floats, Floats]]:
        """By measure, what each reference topic adds in each run, (M, R), and in all pooled, (R,)."""
        nearest: Floats = np.array([closest(self.distances[run]) for run in runs])
        pooled: Floats = np.asarray(nearest.min(axis=0))
        covered = self._covered(runs)
        area, of_pooled = area_of(nearest, self.intervals), area_of(pooled, self.intervals)
        in_any: Floats = np.asarray(covered.any(axis=0), dtype=np.float64)
        return [
            ("au_cdc", area, of_pooled),
            (self.by, covered.astype(np.float64), in_any),
        ]

    def _classes(self) -> list[tuple[str, str, NDArray[np.intp]]]:
        """Every division and class with the reference topics in it."""
        divisions: dict[str, Sequence[str]] = {ALL: [ALL] * len(self.reference)}
        if self.reference.sizes is not None:
            divisions[SIZE] = quartiles(self.reference.sizes)
        divisions |= self.reference.categories
        found = []
        for division, classes in divisions.items():
            named = QUARTILES if division == SIZE else tuple(dict.fromkeys(c for c in classes if c)) or (ALL,)
            labels = np.array(classes)
            found += [(division, name, np.flatnonzero(labels == name)) for name in named]
        return found

    def _interval(self, scores: Floats) -> tuple[Floats, Floats, str]:
        """The interval of the mean over runs and reference topics, (M, R, n) to (n,), and over what it is."""
        n_runs, n_topics, n = scores.shape
        nothing = np.full(n, np.nan)
        means, over = (
            (scores.mean(axis=1), "runs") if n_runs > 1 and n_topics else (scores[0], "reference topics")
        )
        if len(means) < 2:
            return nothing, nothing, ""
        rng = np.random.default_rng([self.seed, len(means)])
        weights = rng.multinomial(len(means), np.full(len(means), 1 / len(means)), size=self.resamples)
        low, high = percentiles(weights @ means / len(means), self.ci)
        return low, high, over

    def _run(self, run: str | None) -> str:
        names = [name for runs in self.runs.values() for name in runs]
        if run is None and len(names) == 1:
            return names[0]
        if run not in names:
            raise InputError(f"name one of the runs with run=: {', '.join(names)}; got {run!r}")
        return run

    def _model(self, model: str | None) -> str:
        if model is None and len(self.runs) == 1:
            return next(iter(self.runs))
        if model not in self.runs:
            raise InputError(f"name one of the models with model=: {', '.join(self.runs)}; got {model!r}")
        return model


REFERENCES = {
    "model": str,
    "reference_topic": str,
    "words": str,
    "covered": int,
    "runs": int,
    "run": str,
    "topic": int,
    "distance": float,
    "topic_words": str,
}


def coverage(
    models: "TopicModel | Sequence[TopicModel] | Mapping[str, TopicModel | Sequence[TopicModel]]",
    reference: "ReferenceTopics",
    *,
    matcher: "Matcher | None" = None,
    threshold: float = THRESHOLD,
    intervals: int | str = 50,
    ci: float = 0.95,
    resamples: int = 20_000,
    seed: int = 0,
) -> Coverage:
    """Find which reference topics models cover: curves, categories, what is missing, and what is nearest.

    Parameters
    ----------
    models : TopicModel, a sequence of them, or a mapping
        As for `tealeaves.evaluate`; ``{name: [run, run, …]}`` are runs of one model.
    reference : ReferenceTopics
        What is looked for. Its ``sizes`` and ``categories`` are what coverage is told by.
    matcher : Matcher, optional
        Decides which topics match; without one, a cosine distance of at most ``threshold`` does.
    threshold : float
        That distance.
    intervals : int or "exact"
        As for ``au_cdc``.
    ci : float
        Level of the intervals.
    resamples, seed : int
        Of the bootstrap.

    Returns
    -------
    Coverage
        ``curve``, ``table``, ``references``, ``uncovered()``, ``topics``, ``relations()``, ``at(threshold)``.

    Raises
    ------
    InputError
        If a model and the reference topics share no word, or the model has negative weights.

    Examples
    --------
    >>> from tealeaves.model import TopicModel
    >>> from tealeaves.reference_topics import ReferenceTopics
    >>> reference = ReferenceTopics.from_words({"energy": ["oil", "gas"], "law": ["court", "judge"]})
    >>> found = coverage(TopicModel.from_words([["oil", "gas"], ["law", "court", "film"]]), reference)
    >>> found.at(0.5), round(found.threshold(1.0), 2)
    (0.5, 0.59)
    >>> found.uncovered().select("reference_topic", "topic_words").rows()
    [('law', 'law court film')]
    >>> found.relations().concepts
    ('resolved', 'missing')
    """
    named = name_models(models)
    if not 0 < ci < 1 or resamples < 10 or not 0 <= threshold <= 1:
        raise InputError("ci and threshold are between 0 and 1, and resamples are 10 or more")
    distances: dict[str, Floats] = {}
    matches: dict[str, Bools] = {}
    chances: dict[str, Floats] = {}
    warnings = []
    runs: dict[str, list[str]] = {}
    for name, model in named.items():
        refuse_negative(model, name, "coverage")
        share = shared_weight(reference, model)
        if len(reference) and share == 0:
            raise InputError(
                f"no word of the reference topics is a word of model {name!r}; were the texts stemmed or "
                "lowered for one of them only?"
            )
        if share < 1:
            lost = ", ".join(lost_words(reference, model, 5))
            warnings.append(
                f"{name}: {1 - share:.1%} of the reference topics' weight is on words it lacks: {lost}"
            )
        runs.setdefault(base_name(name), []).append(name)
        distances[name] = distances_to(reference, model)
        found = (
            distances[name] <= threshold + IDENTICAL
            if matcher is None
            else matcher.matches(reference, model, cosines=True)
        )
        matches[name] = np.asarray(found, dtype=bool)
        if matcher is not None and hasattr(matcher, "probabilities"):
            chances[name] = matcher.probabilities(reference, model)
    by = f"covered(threshold={threshold:g})" if matcher is None else "sup_cov"
    grouped = {base: tuple(names) for base, names in runs.items()}
    return Coverage(
        reference, grouped, distances, matches, chances, named, by, intervals, ci, resamples, seed, warnings
    )


def _cell(row: Mapping[str, Any]) -> str:
    if np.isnan(row["value"]):
        return "—"
    text = f"{row['value']:.2f}"
    return text if np.isnan(row["low"]) else f"{text} [{row['low']:.2f}, {row['high']:.2f}]"
