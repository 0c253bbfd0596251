"""Topics over time: what temporal measures need, and what measures of static topics do slice by slice."""

import copy
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from os import cpu_count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.counts import Asked, PairCounts, Unit
from tealeaves.errors import MissingInput
from tealeaves.intervals import CHUNK, block_draws, mean_defined, weighted_mean
from tealeaves.measures import temporal
from tealeaves.measures._table import Levels, Spec, Values
from tealeaves.measures.coherence import usable_words
from tealeaves.measures.diversity import diversity
from tealeaves.word_pool import counted, groups_of, inner_coherence, is_dynamic, unit_of

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.needs import Needs
    from tealeaves.run import Run
    from tealeaves.word_pool import WordPool

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]
ORDERED = {"umass", "u_mass", "c_p"}  # coherence that the order of words moves
OVER_TIME = {"slice_words", "slice_counts", "slice_coherence", "slice_diversity"}
OF_DOCUMENTS = {"doc_topic", "documents", "labels", "lengths"}  # nothing of it is of one slice
OF_SLICES = {"pair_counts", "top_words", "topic_word", "coherence", "diversity", "background", "word_vectors"}


class SlicePool:
    """The words of one slice's topics, as a `WordPool` of a static model has them."""

    def __init__(self, pool: "WordPool", t: int, topics: NDArray[np.intp]) -> None:
        self._pool, self._t, self._topics = pool, t, topics

    @property
    def words(self) -> list[str]:
        """The word of each id."""
        return self._pool.words

    def top_words(self, name: str, n: int) -> Ids:
        """The first n words of the slice's topics as ids."""
        rows: Ids = self._pool.top_words(name, n)[self._t][self._topics]
        return rows


class TemporalNeeds:
    """Words, counts, coherence and diversity of each slice of a dynamic model."""

    run: "Run"
    name: str
    spec: Spec
    pool: "WordPool"
    model: Any
    inner: Spec | None
    blocks: PairCounts | None
    counts: PairCounts | None

    @property
    def over_time(self) -> bool:
        """Whether the model has topics over time."""
        return is_dynamic(self.model)

    def _measured_over_time(self, call: Callable[[], Values | Levels]) -> Levels | Values:
        """A measure of a dynamic model: one over time as it is, any other slice by slice."""
        needs = set(self.spec.measure.needs)
        if needs & OVER_TIME:
            found = call()
            if self.run.whole:
                self.run.companions[self.name, str(self.spec)] = self._beside()
            return self._worded(found) if isinstance(found, Levels) else found
        if needs <= OF_DOCUMENTS or "held_out" in needs:  # held-out documents know their slices
            return call()
        if not needs <= OF_SLICES | OF_DOCUMENTS:
            raise MissingInput(
                f"{self.spec} looks at single tokens or documents, but model {self.name!r} has topics over "
                "time: evaluate one slice of it, model.slice(…), on the documents of that slice"
            )
        return self._yearly()

    # --- what temporal measures need

    def _slice_words(self) -> Ids:
        self._refuse_static()
        return self.pool.top_words(self.name, self.spec.top or 10)

    def _slice_counts(self) -> Any:
        self._refuse_static()
        if self.spec.settings["reference"] == "slice":
            return self._counts_of_windows(self.spec.settings["window"])
        return self._pair_counts()  # type: ignore[attr-defined]

    def _slice_coherence(self) -> Values:
        self._refuse_static()
        apart = self.spec.settings["reference"] == "slice"
        counts = self._counts_of_windows(1) if apart else None
        found = _empty(self.model)
        for t, topics in self._slices():
            part = self._of_slice(t, topics, self.inner or self.spec)
            if counts is not None:
                part.counts = counts[t]
                if part.counts is None:
                    found.reason[t, topics] = f"no documents in slice {self.model.slice_labels[t]}"
                    continue
            _put(found, t, topics, part.measured())
        return found

    def _slice_diversity(self) -> Values:
        self._refuse_static()
        found = _empty(self.model)
        words = self._slice_words()
        for t, topics in self._slices():
            _put(found, t, topics, diversity(words[t][topics]))
        return found

    def _refuse_static(self) -> None:
        if not self.over_time:
            raise MissingInput(
                f"{self.spec} needs topics over time, but model {self.name!r} has none: "
                "tl.DynamicTopicModel, or a file that `tealeaves inspect` calls a dynamic model"
            )

    def _counts_of_windows(self, span: int) -> list[PairCounts | None]:
        """Counts of the documents of each window of slices; None where there are none."""
        unit = unit_of(self.spec)
        key = (self.name, span, self.spec.top, unit)
        if key not in self.pool.kept:
            self.pool.kept[key] = self._counted_windows(span, unit)
        found: list[PairCounts | None] = self.pool.kept[key]
        return found

    def _counted_windows(self, span: int, unit: Unit | None) -> list[PairCounts | None]:
        model, rows = self.model, self.pool.top_words(self.name, self.spec.top or 10)
        documents = documents_of_slices(model, self.run.reference, str(self.spec))
        reference: Any = self.run.reference
        found: list[PairCounts | None] = []
        for t in range(model.n_slices - span + 1):
            inside = np.concatenate(documents[t : t + span])
            ends = rows[[t, t + span - 1]]
            groups = groups_of(ends, [2] if span > 1 else [])
            if not len(inside) or unit is None:
                found.append(None)
                continue
            part = reference.select(np.sort(inside))
            asked = Asked(self.pool.words, groups, [unit])
            found.append(counted(part, [asked], workers=self.run.workers)[0][unit])
        return found

    def _beside(self) -> dict[str, Any]:
        """What stands beside a score over time: without pairs of a word with itself, chance, the halves."""
        settings, needs = self.spec.settings, self.spec.measure.needs
        words = self._slice_words()
        if "slice_counts" not in needs:
            if "slice_words" not in needs:
                return {}
            window = settings.get("window", self.model.n_slices)
            return {"chance": temporal.chance_smoothness(words, window)}
        arguments = self.spec.arguments
        if "slice_coherence" not in needs:
            arguments["self_pairs"] = False
            without = self.spec.measure.function(self._slice_counts(), words, **arguments)
            found: dict[str, Any] = {}
            if settings["self_pairs"]:
                found["without_self_pairs"] = float(without.model.value)
            if (
                self.spec.name == "ttc"
                and temporal.pairs_of(settings["coherence"], settings["compat"])[0] == "npmi"
            ):
                found["without_self_pairs_by_topic"] = _listed(without.topics.value)
                found["without_self_pairs_by_window"] = _listed(without.windows.value)
            return found
        within, over = temporal.dtq_halves(
            self._slice_counts(),
            words,
            self._slice_coherence(),
            self._slice_diversity(),
            window=settings["window"],
            pairs=temporal.pairs_of(settings["coherence"], settings["compat"]),
            variant=settings["variant"],
        )
        return {
            "tq": float(temporal.mean_over(within, "").value),
            "ttq": float(temporal.mean_over(over, "").value),
        }

    # --- slice by slice

    def _slices(self) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Each slice and its topics, in the order of their words.

        In an order of their own, sums over topics are the same to the last digit, however the topics of
        each slice are numbered.
        """
        if "slices" not in self.pool.kept.setdefault(self.name, {}):
            first = self.model.top_words(max(self.spec.top or 10, 10))
            self.pool.kept[self.name]["slices"] = [
                np.array(sorted(np.flatnonzero(here), key=lambda k: (first[t][k], k)), dtype=np.intp)
                for t, here in enumerate(self.model.present)
            ]
        for t, topics in enumerate(self.pool.kept[self.name]["slices"]):
            if len(topics):
                yield t, topics

    def _of_slice(self, t: int, topics: NDArray[np.intp], spec: Spec) -> "Needs":
        """The needs of a measure of the topics of one slice alone."""
        part: Any = copy.copy(self)
        part.spec, part.inner = spec, inner_coherence(spec)
        kept = self.pool.kept[self.name]
        if t not in kept:
            kept[t] = _static(self.model, t, topics)
        part.model = kept[t]
        part.pool = SlicePool(self.pool, t, topics)
        return part  # type: ignore[no-any-return]

    def _yearly(self) -> Levels:
        """A measure of static topics: of each topic in each slice, or of each slice."""
        model = self.model
        cells, slices = _empty(model), _empty(model, per_slice=True)
        by_topic = False
        for t, topics in self._slices():
            result: Any = self._of_slice(t, topics, self.spec).measured()
            if np.ndim(result.value) == 0:
                of_slice = result
            else:
                by_topic = True
                _put(cells, t, topics, result)
                of_slice = temporal.mean_over(result, "topic")
            for whole, value in zip(slices, of_slice, strict=True):
                whole[t] = value
        levels = Levels(temporal.mean_over(slices, "slice"), slices=slices)
        if not by_topic:
            return levels
        windows = Values(cells.value.T, cells.n_terms.T, cells.reason.T)
        levels = levels._replace(topics=temporal.over_windows(windows), windows=windows)
        return self._told_of_missing(levels)

    # --- words for what is undefined

    def _told_of_missing(self, levels: Levels) -> Levels:
        """Topics that are in no slice at all are said to be so."""
        nowhere = ~self.model.present.any(0)
        for level, missing in (("topics", nowhere), ("windows", nowhere[:, None])):
            values = getattr(levels, level)
            if values is not None and nowhere.any():
                reasons = np.where(missing, temporal.NOWHERE, values.reason)
                levels = levels._replace(**{level: values._replace(reason=reasons)})
        return levels

    def _worded(self, levels: Levels) -> Levels:
        """Reasons that name the slice and the words."""
        levels = self._told_of_missing(levels)
        if levels.windows is None or not (levels.windows.reason != "").any():
            return levels
        words, span, labels = self.pool.words, levels.span, self.model.slice_labels
        rows, reason = (
            self.pool.top_words(self.name, self.spec.top or 10),
            levels.windows.reason.astype(object),
        )
        for k, t in np.argwhere(levels.windows.reason == temporal.GAP):
            gaps = [labels[s] for s in (t, t + span - 1) if not self.model.present[s, k]]
            reason[k, t] = f"missing in slice {', '.join(gaps)}"
        for k, t in np.argwhere(levels.windows.reason == "no documents"):
            reason[k, t] = f"no documents in slices {labels[t]} to {labels[t + span - 1]}"
        for k, t in np.argwhere(levels.windows.reason == "absent word"):
            apart = self.spec.settings["reference"] == "slice"
            counts = self._counts_of_windows(span)[t] if apart else self.counts
            if counts is not None:
                both = np.unique(rows[[t, t + span - 1], k])
                gone = both[(both >= 0) & (counts.single(both) == 0)]
                reason[k, t] = f"absent word: {', '.join(words[w] for w in gone)}"
        return levels._replace(windows=levels.windows._replace(reason=reason.astype(str)))

    # --- intervals

    def _draws_over_time(self, weights: NDArray[np.int64]) -> Floats:
        """The measure of each topic on each resample of blocks, (R, K); or of the model, (R,)."""
        needs = set(self.spec.measure.needs)
        if "slice_counts" in needs and "slice_coherence" not in needs:
            return np.stack(list(self._window_draws(weights)), axis=1)
        return self._cell_draws(weights)

    def _window_draws(self, weights: NDArray[np.int64]) -> Iterator[Floats]:
        """`ttc` or `ttq` of each topic on each resample, (R,)."""
        settings = self.spec.settings
        words = self.pool.top_words(self.name, self.spec.top or 10)
        smooth = temporal.overlaps(words, settings["window"]) if "variant" in settings else None
        for k, (there, draws) in enumerate(self._coherence_draws(words, weights)):
            if not there.any():
                yield np.full(len(weights), np.nan)
            elif smooth is None:
                yield np.asarray(draws.mean(-1))
            elif settings["variant"] == "authors":
                yield np.asarray(draws.mean(-1) * smooth.value[k, there].mean())
            else:
                yield np.asarray((draws * smooth.value[k, there]).mean(-1))

    def _coherence_draws(self, words: Ids, weights: NDArray[np.int64]) -> list[Any]:
        """By topic, the windows that `ttc` is defined in and its values there on each resample.

        A window undefined on a resample, as a rare word was not drawn, keeps the value that it has.
        """
        settings, blocks = self.spec.settings, self.blocks
        pairs = temporal.pairs_of(settings["coherence"], settings["compat"])
        span, self_pairs = settings["window"], settings.get("self_pairs", True)
        key = (self.name, pairs, span, self_pairs, self.spec.top, str(self.inner))
        if self.pool.kept.get("windows", (None,))[0] == key:  # ttq and dtq follow upon ttc
            return self.pool.kept["windows"][1]  # type: ignore[no-any-return]
        first, last = temporal.ends(np.sort(words, axis=-1), span)  # their order does not matter
        whole = temporal.window_values(self.counts, first, last, pairs, self_pairs=self_pairs)  # type: ignore[arg-type]
        n = first.shape[-1]

        def of_topic(k: int) -> tuple[NDArray[np.bool_], Floats]:
            there: NDArray[np.bool_] = whole.reason[k] == ""
            if blocks is None or not there.any():
                return there, np.empty((len(weights), 0))
            both = np.concatenate([first[k, there], last[k, there]], axis=1)
            rows, place = np.unique(both, axis=0, return_inverse=True)
            found = _pair_draws(blocks, rows[:, :n], rows[:, n:], weights, pairs, self_pairs)
            draws = found[:, place.ravel()]
            return there, np.where(np.isnan(draws), whole.value[k, there], draws)

        with ThreadPoolExecutor(max(1, self.run.workers or cpu_count() or 1)) as threads:
            found = list(threads.map(of_topic, range(len(first))))
        self.pool.kept["windows"] = (key, found)
        return found

    def draws_with_topics(self, weights: NDArray[np.int64], drawn: NDArray[np.int64]) -> Floats:
        """`dtq` where topics are drawn again with the documents, (R,); ``drawn`` is how often, (R, K)."""
        return self._cell_draws(weights, drawn)

    def _cell_draws(self, weights: NDArray[np.int64], drawn: NDArray[np.int64] | None = None) -> Floats:
        """A measure of slices on each resample: of each topic's mean over slices, or of the model."""
        spec, names = self.inner or self.spec, set(self.spec.measure.needs)
        whole = self._cells(spec)
        known = whole.reason == ""
        diverse = self._slice_diversity() if names & {"diversity", "slice_diversity"} else None
        used = known if diverse is None else known & (diverse.reason == "")
        n_topics = used.shape[1]
        by_topic = np.full((len(weights), n_topics), np.nan)
        products, coherence = np.zeros((2, len(weights), len(used)))  # sums over the topics of each slice
        for k in range(n_topics):
            if not used[:, k].any():
                continue
            at = np.flatnonzero(known[:, k])
            cells = self._draws_of_topic(spec, k, at, whole.value[at, k], weights)[:, used[at, k]]
            at = np.flatnonzero(used[:, k])
            times = cells if diverse is None else cells * diverse.value[at, k]
            by_topic[:, k] = times.mean(-1)
            often = np.ones((1, 1)) if drawn is None else drawn[:, [k]]
            coherence[:, at] += cells * often
            products[:, at] += times * often
        authors = self.spec.settings.get("variant") == "authors"
        if diverse is None or not (authors or "slice_counts" in names):
            return by_topic
        if not used.any():
            return np.full(len(weights), np.nan)
        often = np.ones((1, n_topics)) if drawn is None else drawn.astype(np.float64)
        n = often @ used.T  # a slice of whose topics none is drawn takes no part
        with np.errstate(invalid="ignore", divide="ignore"):
            if authors:
                means = often @ np.where(used, diverse.value, 0.0).T / n
                of_slices = coherence / n * means
            else:
                of_slices = products / n
        within = mean_defined(of_slices)
        if "slice_counts" not in names:
            return np.asarray(within)
        over = np.stack(list(self._window_draws(weights)), axis=1)
        if drawn is None:
            drawn = np.ones((1, n_topics), np.int64)
        return np.asarray((within + weighted_mean(over, drawn)) / 2)

    def _cells(self, spec: Spec) -> Values:
        """A coherence measure of each topic in each slice of the whole reference, (T, K)."""
        found = _empty(self.model)
        for t, topics in self._slices():
            _put(found, t, topics, self._of_slice(t, topics, spec).measured())
        return found

    def _draws_of_topic(
        self, spec: Spec, k: int, slices: NDArray[np.intp], values: Floats, weights: NDArray[np.int64]
    ) -> Floats:
        """A coherence measure of one topic in some slices on each resample; equal lists are scored once."""
        key = (self.name, str(spec), k)
        lists = self.pool.top_words(self.name, spec.top or 10)[slices, k]
        if spec.name not in ORDERED:
            lists = np.sort(lists, axis=1)[:, ::-1]  # -1 stays behind
        rows, place = np.unique(lists, axis=0, return_inverse=True)
        kept = self.pool.kept.setdefault("draws", {})
        if kept.get("of") != (self.name, str(spec)):
            kept.clear()  # one measure of one model at a time: tq, b_tc and dtq follow upon it
            kept["of"] = (self.name, str(spec))
        if key not in kept and spec.name in temporal.PAIRED and not spec.settings["compat"]:
            # the mean over pairs i < j is that over all ordered pairs of different words
            pairs = temporal.pairs_of(str(replace(spec, top=None)))
            kept[key] = _pair_draws(self.blocks, rows, rows, weights, pairs, False)  # type: ignore[arg-type]
        if key not in kept:
            settings = spec.arguments
            if settings["oov"] == "drop" and self.counts is not None:
                rows, settings["oov"] = usable_words(self.counts, rows, "drop")[0], "undefined"
            function = partial(spec.measure.function, **settings)
            kept[key] = block_draws(function, self.blocks, rows, weights, self.run.workers)  # type: ignore[arg-type]
        draws = kept[key][:, place.ravel()]
        return np.where(np.isnan(draws), values, draws)


def _pair_draws(
    blocks: PairCounts,
    first: Ids,
    last: Ids,
    weights: NDArray[np.int64],
    pairs: temporal.Pairs,
    self_pairs: bool,
) -> Floats:
    """`window_draws` on each resample of blocks, in chunks of resamples: (R, W)."""
    part, local = blocks.restricted(np.concatenate([first, last], axis=1))
    at_once = max(1, CHUNK // max(len(part.keys), 1))
    a, b = local[:, : first.shape[1]], local[:, first.shape[1] :]
    chunks = [weights[r : r + at_once] for r in range(0, len(weights), at_once)]
    return np.concatenate(
        [temporal.window_draws(part.resampled(w), a, b, pairs, self_pairs=self_pairs) for w in chunks]
    )


def documents_of_slices(
    model: "DynamicTopicModel", reference: "Corpus | Any", spec: str
) -> list[NDArray[np.intp]]:
    """The documents of the reference in each slice of a model, found by the slices' names."""
    if not hasattr(reference, "select"):
        raise MissingInput(
            f"{spec} counts in the documents of each slice, but an index has none: use a corpus"
        )
    if reference.slice_of is None or reference.slice_labels is None:
        raise MissingInput(f"{spec} counts in the documents of each slice: read the reference with time=")
    number = {label: s for s, label in enumerate(reference.slice_labels)}
    if number.keys().isdisjoint(model.slice_labels):
        raise MissingInput(
            f"{spec}: the slices of model {model.name!r} ({', '.join(model.slice_labels[:3])}, …) are none "
            f"of the reference's ({', '.join(reference.slice_labels[:3])}, …)"
        )
    return [np.flatnonzero(reference.slice_of == number.get(label, -9)) for label in model.slice_labels]


def _listed(values: Floats) -> Any:
    """Numbers as lists; None where there is none."""
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    return plain.tolist()


def _empty(model: "DynamicTopicModel", *, per_slice: bool = False) -> Values:
    """Values of topics in slices, (T, K), or of slices, (T,), all missing yet."""
    shape = (model.n_slices,) if per_slice else (model.n_slices, model.n_topics)
    why = np.full(shape, temporal.GAP if not per_slice else "no topics", dtype=object)
    return Values(np.full(shape, np.nan), np.zeros(shape, np.int64), why)


def _put(whole: Values, t: int, topics: NDArray[np.intp], of_slice: Any) -> None:
    """Write the values of a slice's topics in their places."""
    for part, values in zip(whole, of_slice, strict=True):
        part[t, topics] = values


def _static(model: "DynamicTopicModel", t: int, topics: NDArray[np.intp]) -> Any:
    """The topics of one slice that are there, as a static model."""
    from tealeaves.model import TopicModel

    of_slice = None if model.slice_of is None else np.flatnonzero(model.slice_of == t)
    theta = None if model.doc_topic is None or of_slice is None else model.doc_topic[of_slice][:, topics]
    if model.topic_word is None:
        lists = (model.word_lists or ())[t]
        return TopicModel(word_lists=[lists[k] for k in topics], doc_topic=theta, name=model.name)
    return TopicModel(
        model.vocabulary, topic_word=model.topic_word[t][topics], doc_topic=theta, name=model.name
    )
