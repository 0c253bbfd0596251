"""Stability: whether the runs of a model find the same topics, measured over all pairs of runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves import __version__
from tealeaves.alignment import THRESHOLD, Alignment, tables
from tealeaves.errors import InputError, MissingInput
from tealeaves.evaluate import name_models
from tealeaves.intervals import percentiles
from tealeaves.measures._table import Levels, Spec, Values, parse, parse_all
from tealeaves.measures.alignment import aligned_groups
from tealeaves.measures.distances import IDENTICAL, topic_distances
from tealeaves.measures.stability import (
    ONE_RUN,
    Distances,
    both_cover,
    covers_each_other,
    matched,
    of_groups,
    over_groups,
    over_pairs,
    run_distances,
)
from tealeaves.needs_coverage import aligned, distances_to, refuse_negative
from tealeaves.rows import Row, table
from tealeaves.run import shown
from tealeaves.scores import Details, Scores

if TYPE_CHECKING:
    from tealeaves.matcher import Matcher
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics

Floats = NDArray[np.float64]
Progress = Callable[[str, int, int], None]
SHOWN_WORDS = 20
MEASURES = ("instance_stabil", "aucdc_stabil")  # of any runs; others where their input is there


def stability(
    runs: "Sequence[TopicModel] | Mapping[str, Sequence[TopicModel]]",
    reference_topics: "ReferenceTopics | None" = None,
    matcher: "Matcher | None" = None,
    *,
    measures: "str | Spec | Sequence[str | Spec] | None" = None,
    threshold: float = THRESHOLD,
    ci: float | None = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Scores:
    """Measure how stable a model is: whether its runs, fitted with other seeds, find the same topics.

    Parameters
    ----------
    runs : sequence of TopicModel, or mapping of str to such sequences
        The runs of one model, or of several, each by its name. Vocabularies may differ.
    reference_topics : ReferenceTopics, optional
        For ``refset_stabil``: topics that are looked for.
    matcher : Matcher, optional
        What decides whether a topic is a reference topic; without one ``refset_stabil`` takes a distance.
    measures : str or sequence of str, optional
        By default ``instance_stabil`` and ``aucdc_stabil``, ``document_stabil`` where the runs have topics of
        the same documents, and ``refset_stabil`` where there are reference topics.
    threshold : float
        Topics farther apart are not the same: for the groups that the level of topics is of.
    ci : float or None
        Level of the intervals, which need three runs; None for none.
    resamples, seed : int
        Of the bootstrap: whole runs are drawn again, and a pair of a run with itself takes no part.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    Scores
        A model for each set of runs. Its topics are the groups of `tealeaves.align`, the ones that return in
        most runs first; ``details.companions`` has the value of every pair of runs, and how many topics
        return in all of them. One run alone is nan.

    Raises
    ------
    MissingInput
        If a measure was asked for that the runs have no input for, and no other.
    InputError
        If these are no models, or there are none.

    Examples
    --------
    >>> from tealeaves.model import TopicModel
    >>> a = TopicModel(["oil", "law"], topic_word=[[1, 0], [0, 1]])
    >>> b = TopicModel(["oil", "law"], topic_word=[[12, 5], [5, 12]], normalized=False)
    >>> scores = stability([a, b], ci=None)
    >>> round(scores.value("instance_stabil"), 4), scores.topics("instance_stabil").round(4)
    (0.9231, array([0.9231, 0.9231]))
    """
    sets = _sets(runs)
    if reference_topics is None and matcher is not None:
        raise MissingInput("a matcher matches with reference topics: hand over reference_topics= too")
    rows: list[Row] = []
    details = Details(settings={"seed": seed, "resamples": resamples, "ci": ci, "version": __version__})
    draws: dict[tuple[str, str], Floats] = {}
    units: dict[str, str] = {}
    for done, (name, models) in enumerate(sets.items(), start=1):
        at_work = _Set(name, models, reference_topics, matcher, threshold)
        specs = parse_all(measures) if measures is not None else at_work.usual()
        for spec in specs:
            if "runs" not in spec.measure.needs[0]:
                raise InputError(f"{spec} is of one model: hand its runs to tl.evaluate")
            try:
                values, levels = at_work.measured(spec)
            except MissingInput as error:
                if len(sets) == 1 and len(specs) == 1:
                    raise
                nothing = Levels(Values(np.array(np.nan), np.array(0), np.array(str(error))))
                rows.append(Row(name, spec, "", at_work.signature(spec), nothing))
                continue
            row = Row(name, spec, "", at_work.signature(spec), levels)
            if ci is not None and len(models) > 2:
                drawn = drawn_again(values, len(models), resamples, seed)
                draws[name, str(spec)], units[str(spec)] = drawn, "runs"
                low, high = percentiles(drawn[:, None], ci)
                row = replace(row, total_low=float(low[0]), total_high=float(high[0]))
            rows.append(row)
            details.companions.setdefault(name, {})[str(spec)] = {
                "runs": len(models),
                "pairs": values.tolist(),
            }
        _describe(details, at_work)
        if progress:
            progress("comparing runs", done, len(sets))
    details.settings["measures"] = list(dict.fromkeys(str(row.spec) for row in rows))
    return Scores(frame=table(rows), details=details, draws=draws, units=units)


def drawn_again(values: Floats, n_runs: int, resamples: int, seed: int) -> Floats:
    """The mean over pairs of different runs, of runs drawn again with replacement, (resamples,).

    A pair of a run with itself is no pair of runs: its similarity would be 1 by nature. A draw of one run
    only is nan.

    Examples
    --------
    >>> np.nanmax(drawn_again(np.array([0.25, 0.5, 0.75]), 3, 100, seed=1))
    np.float64(0.75)
    """
    counts = np.random.default_rng(seed).multinomial(n_runs, np.full(n_runs, 1 / n_runs), size=resamples)
    a, b = np.triu_indices(n_runs, 1)  # in the order of itertools.combinations
    weights = (counts[:, a] * counts[:, b]).astype(np.float64)
    total = weights.sum(axis=1)
    result: Floats = np.divide(weights @ values, total, out=np.full(resamples, np.nan), where=total > 0)
    return result


class _Set:
    """The runs of one model; distances are made once for all measures of them."""

    def __init__(
        self,
        name: str,
        models: "Sequence[TopicModel]",
        reference: "ReferenceTopics | None",
        matcher: "Matcher | None",
        threshold: float,
    ) -> None:
        self.name, self.models = name, models
        self.reference, self.matcher, self.threshold = reference, matcher, threshold
        self.made: dict[tuple[Any, ...], Distances] = {}
        self._aligned: Alignment | None = None

    def usual(self) -> list[Spec]:
        specs = [*MEASURES]
        if self._lacks_documents() is None:
            specs.append("document_stabil")
        if self.reference is not None:
            specs.append("refset_stabil" if self.matcher is not None else "refset_stabil(distance='cosine')")
        return [parse(spec) for spec in specs]

    def measured(self, spec: Spec) -> tuple[Floats, Levels]:
        """The value of each pair of runs, and the levels of the score."""
        given = spec.arguments
        if spec.name == "refset_stabil":
            if not len(self._reference(spec)):
                return np.empty(0), Levels(
                    Values(np.array(np.nan), np.array(0), np.array("no reference topics"))
                )
            covered = self._covered(spec)
            values = np.array([both_cover(covered[a], covered[b]) for a, b in self._pairs()])
            return values, Levels(over_pairs(values))
        by_documents = spec.name == "document_stabil"
        distances = self._distances(spec, by_documents)
        if spec.name == "aucdc_stabil":
            values = np.array([covers_each_other(one, given["intervals"]) for one in distances.values()])
            return values, Levels(over_pairs(values))
        values = np.array([matched(one) for one in distances.values()])
        aligned = self.alignment()
        if aligned is None:  # by documents alone, or one run
            sizes = [model.n_topics for model in self.models]
            return values, Levels(over_pairs(values), over_groups(distances, sizes, self.threshold))
        return values, Levels(over_pairs(values), of_groups(distances, aligned.groups))

    def alignment(self) -> Alignment | None:
        """The groups that the level of topics is of: by the cosine of words, for every measure the same."""
        if self._aligned is None and len(self.models) > 1:
            try:
                distances = self._distances(parse("instance_stabil"), by_documents=False)
            except MissingInput:
                return None
            groups = aligned_groups(distances, [model.n_topics for model in self.models], self.threshold)
            names = tuple(f"{self.name}#{i}" for i in range(1, len(self.models) + 1))
            words, weights = tables(self.models)
            self._aligned = Alignment(names, groups, distances, "cosine", self.threshold, words, weights)
        return self._aligned

    def signature(self, spec: Spec) -> str:
        parts = [spec.name, *(f"{key}:{shown(key, value)}" for key, value in spec.settings.items())]
        parts.append(f"runs:{len(self.models)}")
        if "topic" in spec.measure.axes:
            parts.append(f"same_within:{self.threshold:g}")
        if spec.name == "refset_stabil" and self.reference is not None:
            parts.append(f"topics:{self.reference.fingerprint[:8]}")
            if self.matcher is not None and spec.settings["distance"] == "matcher":
                parts.append(f"matcher:{self.matcher.fingerprint[:8]}")
        return "|".join([*parts, f"v:{__version__}"])

    def _pairs(self) -> list[tuple[int, int]]:
        a, b = np.triu_indices(len(self.models), 1)
        return list(zip(a.tolist(), b.tolist(), strict=True))

    def _distances(self, spec: Spec, by_documents: bool) -> Distances:
        distance, top = spec.settings["distance"], spec.settings["top"]
        key = (by_documents, distance, top if distance == "average_jaccard" else None)
        if key not in self.made:
            self.made[key] = run_distances(self._tables(spec, by_documents), distance, top)
        return self.made[key]

    def _tables(self, spec: Spec, by_documents: bool) -> list[Floats]:
        if by_documents:
            if lack := self._lacks_documents():
                raise MissingInput(f"{spec} {lack}")
            return [np.ascontiguousarray(np.asarray(model.doc_topic).T) for model in self.models]
        for model in self.models:
            refuse_negative(model, self.name, str(spec))
        return tables(self.models, ranked=spec.settings["distance"] == "average_jaccard")[1]

    def _lacks_documents(self) -> str | None:
        thetas = [model.doc_topic for model in self.models]
        if any(theta is None for theta in thetas):
            return f"needs topic proportions of documents; a run of {self.name!r} has none"
        documents = sorted({len(theta) for theta in thetas if theta is not None})
        if len(documents) > 1:
            return f"needs runs over the same documents; those of {self.name!r} have {documents}"
        if any((theta < 0).any() for theta in thetas if theta is not None):
            return f"needs topic proportions, but a run of {self.name!r} has negative ones"
        return None

    def _reference(self, spec: Spec) -> "ReferenceTopics":
        if self.reference is None:
            raise MissingInput(f"{spec} counts reference topics that runs find: hand over reference_topics=")
        return self.reference

    def _covered(self, spec: Spec) -> list[NDArray[np.bool_]]:
        """Which reference topics each run's topics match, (R, K) each."""
        reference, settings = self._reference(spec), spec.settings
        if settings["distance"] == "matcher":
            if self.matcher is None:
                raise MissingInput(
                    f"{spec} needs a matcher that was trained on people's judgements: hand over matcher=, "
                    "or measure refset_stabil(distance='cosine')"
                )
            return [self.matcher.matches(reference, model, cosines=True) for model in self.models]
        found = []
        for model in self.models:
            refuse_negative(model, self.name, str(spec))
            if settings["distance"] == "cosine":
                distances = distances_to(reference, model)
            else:
                distances = topic_distances(*aligned(reference, model), settings["distance"], settings["top"])
            found.append(distances <= settings["threshold"] + IDENTICAL)
        return found


def _sets(runs: Any) -> "dict[str, list[TopicModel]]":
    """The runs of each model, by the model's name."""
    from tealeaves.runs import base_name

    if isinstance(runs, Mapping):
        given = {str(name): list(name_models(models).values()) for name, models in runs.items()}
        if not given:
            raise InputError("no model was given: hand over its runs, [run, run, …]")
        return given
    named = name_models(runs)
    bases = {base_name(name) for name in named}
    return {bases.pop() if len(bases) == 1 else "runs": list(named.values())}


def _describe(details: Details, at_work: _Set) -> None:
    """What a report shows of the topics that the runs share: the words of each group, and how many return."""
    name, models = at_work.name, at_work.models
    found = at_work.alignment()
    words = found.top_words(SHOWN_WORDS) if found else models[0].top_words(SHOWN_WORDS)
    details.models[name] = {
        "n_topics": len(words),
        "topics": words,
        "notes": [f"{len(models)} runs" if found else ONE_RUN],
        "source": "",
        "weights": None,
        "size": None,
        "reports": [[] for _ in words],
    }
    if found is not None:
        details.models[name]["alignment"] = found.to_dict()
        details.companions.setdefault(name, {}).setdefault("instance_stabil", {})["topics_in_all_runs"] = len(
            found.in_all
        )
