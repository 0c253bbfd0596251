"""Evaluate: specs → what they need → one counting pass for all models and measures → rows of scores."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tealeaves import __version__
from tealeaves.counts import PairCounts, Unit, count_pairs, refuse_without_order, window_unit
from tealeaves.errors import InputError, MissingInput
from tealeaves.intervals import (
    block_draws,
    block_weights,
    jackknife_error,
    mean_defined,
    normal_quantile,
    spread,
    topic_weights,
    weighted_mean,
)
from tealeaves.measures._table import GROUPS, Spec, Values, parse, parse_all
from tealeaves.vectors import WordVectors

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.index import Index
    from tealeaves.model import TopicModel
    from tealeaves.scores import Scores

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]
Progress = Callable[[str, int, int], None]
BLOCKS = 100  # of whole documents, for the bootstrap
MEMORY = 512 * 2**20  # bytes that counts of blocks may take; more models than that are counted in turns
JACKKNIFE_TOPICS = 200  # above, leaving each topic out in turn costs more than it tells
CHANCE_TOPICS = 200  # above, chance bands are made only when asked for
CHANCE_DRAWS = 200
READERS = {
    "topic_word": "weights of words (arrays, scikit-learn, gensim, a MALLET state); lists of words have none",
    "doc_topic": "topic proportions of documents (doc_topic=; a MALLET state or a saved model has them)",
    "background": "a corpus",
    "documents": "the corpus that it was trained on (corpus=; a MALLET state carries it)",
}


def evaluate(
    models: "TopicModel | Sequence[TopicModel] | Mapping[str, TopicModel | Sequence[TopicModel]]",
    corpus: "Corpus | None" = None,
    reference: "Corpus | Index | None" = None,
    *,
    vectors: Any = None,
    measures: "str | Spec | Sequence[str | Spec]" = "standard",
    by: str | None = None,
    ci: float | None = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    workers: int | None = None,
    chance: int | None = None,
    progress: Progress | None = None,
) -> "Scores":
    """Score topic models: every measure asked for, with intervals, reasons and signatures.

    Parameters
    ----------
    models : TopicModel, a sequence of them, or a mapping
        One model, several, or ``{name: model}``; ``{name: [run, run, …]}`` are runs of one model, shown as
        ``name#1``, ``name#2``, …
    corpus : Corpus, optional
        What the models were trained on. Without one, a model's own (a MALLET state carries it).
    reference : Corpus or index, optional
        Where words are counted; the corpus if not said. Never one of our choosing.
    vectors : mapping, pair or KeyedVectors, optional
        Word vectors for ``we_coherence``: ``{word: vector}``, ``(words, matrix)`` or what gensim loads.
    measures : str, or a sequence of str
        Specs such as ``"npmi@10"`` and groups such as ``"standard"``; ``tealeaves measures`` lists them.
    by : {"slice", "label"}, optional
        Also score coherence on each slice, or label, of the reference alone.
    ci : float or None
        Level of the intervals; None leaves them out, and the evidence for the report with them.
    resamples : int
        Resamples behind an interval.
    seed : int
        Of every draw: same seed, same numbers, on any number of ``workers``.
    workers : int, optional
        Threads; all cores if not said.
    chance : int, optional
        Random word lists behind each topic's chance band; 0 for none. By default 200, or none for
        more than 200 topics.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    Scores
        A tidy table; see ``Scores.frame``.

    Raises
    ------
    MissingInput
        If no model, or no corpus, gives what a measure needs.
    SpecError
        If a measure does not exist; the nearest is named.

    Examples
    --------
    >>> import tealeaves as tl
    >>> corpus = tl.Corpus.from_tokens([["oil", "gas"]] * 5 + [["tax", "law"]] * 5)
    >>> model = tl.TopicModel.from_words([["oil", "gas"], ["tax", "gas"]])
    >>> scores = tl.evaluate(model, corpus, measures=["npmi@2"], ci=None)
    >>> scores.topics("npmi@2")
    array([ 1., -1.])
    """
    named = name_models(models)
    specs = parse_all(measures)
    _check_options(ci, resamples, by, seed, workers)
    _check_corpora(corpus=corpus, reference=reference)
    counted_in = cast("Corpus | None", reference)  # an index answers to all that is asked of it
    reference = _reference(counted_in, corpus, named, specs)
    groups, draws = _groups(reference, by), _chance_draws(chance, ci, named)
    embedded = None if vectors is None else WordVectors(vectors)
    run = Run(named, specs, corpus, reference, ci, resamples, seed, workers, progress, embedded)
    rows = run.score("")
    for group, documents in groups.items():
        rows += run.on(reference.select(documents)).score(group)  # type: ignore[union-attr]
    from tealeaves.evidence import gather
    from tealeaves.scores import Scores

    details = gather(run, draws)
    units = {str(spec): run.drawn[spec] for spec in specs if spec in run.drawn}
    return Scores(frame=_frame(rows), details=details, draws=run.draws, units=units)


def name_models(
    models: "TopicModel | Sequence[TopicModel] | Mapping[str, TopicModel | Sequence[TopicModel]]",
) -> "dict[str, TopicModel]":
    """Models by distinct names; the runs of one model are ``name#1``, ``name#2``, …"""
    from tealeaves.model import TopicModel

    if isinstance(models, TopicModel):
        return {models.name: models}
    given: list[tuple[str, Any]] = []
    if isinstance(models, Mapping):
        for name, value in models.items():
            runs = list(value) if isinstance(value, Iterable) else [value]
            if not runs:
                raise InputError(f"model {name!r} has no runs: hand over a TopicModel or a list of them")
            given += [
                (str(name) if len(runs) == 1 else f"{name}#{i}", run) for i, run in enumerate(runs, start=1)
            ]
    else:
        models = list(models) if isinstance(models, Iterable) else [models]
        seen = Counter(getattr(model, "name", "") for model in models)
        count: Counter[str] = Counter()
        for model in models:
            name = getattr(model, "name", "")
            count[name] += 1
            given.append((name if seen[name] == 1 else f"{name}#{count[name]}", model))
    for _, model in given:
        if not isinstance(model, TopicModel):
            raise InputError(
                f"models must be TopicModel; got {type(model).__name__}: "
                "read it with tl.read_model(...), or make it with tl.TopicModel.from_words(...)"
            )
    if not given:
        raise InputError("no model was given to evaluate")
    twice = [name for name, times in Counter(name for name, _ in given).items() if times > 1]
    if twice:
        raise InputError(f"two models would be called {twice[0]!r}: give them other names")
    return dict(given)


def _check_corpora(**given: Any) -> None:
    from tealeaves.corpus import Corpus

    for role, corpus in given.items():
        if corpus is not None and not isinstance(corpus, Corpus) and not hasattr(corpus, "count_pairs"):
            raise InputError(
                f"{role} must be a Corpus; got {type(corpus).__name__}: make it with "
                "tl.Corpus.from_tokens(...) or .from_texts(...), or read a file with tl.read_corpus(...)"
            )


def _check_options(ci: float | None, resamples: int, by: str | None, seed: int, workers: int | None) -> None:
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0; got {seed!r}")
    if ci is not None and (not isinstance(ci, int | float | np.floating) or not 0 < ci < 1):
        raise InputError(f"ci must be between 0 and 1, such as 0.95, or None; got {ci!r}")
    if ci is not None and (not isinstance(resamples, int | np.integer) or resamples < 10):
        raise InputError(f"resamples must be a whole number of at least 10; got {resamples!r}")
    if workers is not None and (not isinstance(workers, int | np.integer) or workers < 1):
        raise InputError(
            f"workers must be a whole number of at least 1, or None for all cores; got {workers!r}"
        )
    if by not in (None, "slice", "label"):
        raise InputError(f"by must be 'slice' or 'label'; got {by!r}")


def _chance_draws(chance: int | None, ci: float | None, models: "Mapping[str, TopicModel]") -> int:
    if chance is not None:
        if type(chance) is not int or chance < 0:
            raise InputError(
                f"chance is the number of random word lists for each topic, 0 for none; got {chance!r}"
            )
        return chance
    few = sum(model.n_topics for model in models.values()) <= CHANCE_TOPICS
    return CHANCE_DRAWS if ci is not None and few else 0


def _reference(
    reference: "Corpus | None",
    corpus: "Corpus | None",
    models: "Mapping[str, TopicModel]",
    specs: Sequence[Spec],
) -> "Corpus | None":
    found = reference if reference is not None else corpus
    if found is None:
        own = [model.corpus for model in models.values() if model.corpus is not None]
        if len(own) == len(models) and len({corpus.fingerprint for corpus in own}) == 1:
            found = own[0]
    asked = [str(spec) for spec in specs if counts_words(spec)]
    if found is None and asked:
        raise MissingInput(
            f"{', '.join(asked[:3])}{' …' if len(asked) > 3 else ''} count words in a reference corpus, "
            "but none was given: hand over corpus= (what was trained on) or reference= (another), "
            f"or measure only {', '.join(GROUPS['diversity'][:2])}"
        )
    return found


def _groups(reference: "Corpus | None", by: str | None) -> dict[str, list[int]]:
    """The documents of each group: slices in their order, labels in that of the alphabet."""
    if by is None:
        return {}
    if reference is None:
        raise MissingInput(f"by={by!r} divides the reference corpus, but none was given")
    if not hasattr(reference, "select"):
        raise MissingInput(
            f"by={by!r} divides the reference, but an index has no parts: hand over the corpus"
        )
    members: dict[str, list[int]] = {}
    if by == "slice" and reference.slice_of is not None and reference.slice_labels is not None:
        for s, name in enumerate(reference.slice_labels):
            members[name] = np.flatnonzero(reference.slice_of == s).tolist()
    elif by == "label" and reference.labels is not None:
        for d, label in enumerate(reference.labels):
            for one in (label,) if isinstance(label, str) else label or ():
                members.setdefault(one, []).append(d)
        members = dict(sorted(members.items()))
    else:
        field_name = "time=" if by == "slice" else "label="
        raise MissingInput(
            f"by={by!r} needs a {by} for each document of the reference; read it with {field_name}"
        )
    # a slice without documents is a gap, and a document without a label is in no group
    found = {name: documents for name, documents in members.items() if name and documents}
    if not found:
        raise MissingInput(f"by={by!r}: no document of the reference has a {by}")
    return found


def unit_of(spec: Spec) -> Unit | None:
    """What a spec counts words in; None if it counts none."""
    settings = spec.settings
    compat = settings.get("compat") or ""
    if "pair_counts" not in spec.measure.needs:
        inner = inner_coherence(spec)
        return unit_of(inner) if inner else None
    if "distance" in settings:
        return Unit("context", settings["distance"], "palmetto" if compat == "palmetto" else "")
    return window_unit(settings["window"], "gensim" if compat == "gensim" else "")


def counts_words(spec: Spec) -> bool:
    """Whether a spec needs a reference corpus."""
    return unit_of(spec) is not None


def inner_coherence(spec: Spec) -> Spec | None:
    """The coherence measure under one such as tq, with the same top words."""
    if "coherence" not in spec.measure.needs:
        return None
    inner = parse(f"{spec.settings['coherence']}@{spec.top}")
    if "pair_counts" not in inner.measure.needs:
        raise InputError(
            f"{spec}: coherence must be a coherence measure such as 'npmi' or 'c_v'; got {inner.name!r}"
        )
    return inner


@dataclass(frozen=True)
class Row:
    """The scores of one model by one spec: its topics (if it has any by topic) and the model."""

    model: str
    spec: Spec
    group: str
    signature: str
    topics: Values | None
    total: Values
    low: Floats | None = None
    high: Floats | None = None
    total_low: float = float("nan")
    total_high: float = float("nan")


@dataclass
class Run:
    """One call of ``evaluate``: its inputs, and the draws that comparisons need."""

    models: "Mapping[str, TopicModel]"
    specs: Sequence[Spec]
    corpus: "Corpus | None"
    reference: "Corpus | None"
    ci: float | None
    resamples: int
    seed: int
    workers: int | None
    progress: Progress | None
    vectors: WordVectors | None = None
    tf_idf_of: dict[str, Any] = field(default_factory=dict)  # of corpora, by fingerprint
    draws: dict[tuple[str, str], Floats] = field(default_factory=dict)
    drawn: dict[Spec, str] = field(default_factory=dict)
    whole: bool = True  # not a group of the reference
    topic_draws: dict[tuple[str, str], Floats] = field(default_factory=dict)  # of the model at hand, for tq

    def on(self, reference: "Corpus") -> "Run":
        """The same, counted on a part of the reference, and only what counts words."""
        specs = [spec for spec in self.specs if counts_words(spec)]
        return replace(
            self, reference=reference, specs=specs, draws={}, drawn={}, topic_draws={}, whole=False
        )

    def score(self, group: str) -> list[Row]:
        """Every spec of every model; the counting pass is shared by as many models as memory allows."""
        rows = []
        for batch in self._batches():
            pool = WordPool({name: self.models[name] for name in batch}, self.specs)
            counts = self._count(pool)
            for name in batch:
                self.topic_draws.clear()
                for spec in self.specs:
                    rows.append(self._row(name, spec, group, pool, counts))
        return rows

    def _batches(self) -> list[list[str]]:
        names = list(self.models)
        tops = [spec.top or 0 for spec in self.specs if counts_words(spec)]
        if self.ci is None or not tops:
            return [names]
        units = len({unit_of(spec) for spec in self.specs} - {None})
        per_topic = max(tops) ** 2 // 2 * units * BLOCKS * 8
        batches: list[list[str]] = [[]]
        used = 0
        for name in names:
            need = self.models[name].n_topics * per_topic
            if batches[-1] and used + need > MEMORY:
                batches.append([])
                used = 0
            batches[-1].append(name)
            used += need
        return batches

    def _count(self, pool: "WordPool") -> dict[Unit, PairCounts]:
        if self.reference is None:
            return {}
        units = list(dict.fromkeys(unit for spec in self.specs if (unit := unit_of(spec)) is not None))
        units = [unit for unit in units if self.reference.ordered or not unit.ordered]
        if not units:
            return {}
        step = partial(self.progress, "counting words") if self.progress else None
        blocks = BLOCKS if self.ci is not None else 0
        counter = getattr(self.reference, "count_pairs", None)  # an index counts by itself
        if counter is not None:
            counted: dict[Unit, PairCounts] = counter(
                pool.words, pool.topics, units, blocks=blocks, workers=self.workers
            )
            return counted
        return count_pairs(
            self.reference, pool.words, pool.topics, units, blocks=blocks, workers=self.workers, progress=step
        )

    def _row(
        self, name: str, spec: Spec, group: str, pool: "WordPool", counts: dict[Unit, PairCounts]
    ) -> Row:
        signature = self.signature(spec, name)
        try:
            needs = Needs(self, name, spec, pool, counts)
            result = needs.measured()
        except MissingInput as error:
            if len(self.models) == 1 and len(self.specs) == 1:
                raise
            nothing = Values(np.array(np.nan), np.array(0), np.array(str(error)))
            return Row(name, spec, group, signature, None, nothing)
        row = Row(name, spec, group, signature, *split_levels(result))
        if self.ci is None:
            return row
        if self.progress:
            self.progress(f"intervals of {name}", 0, 0)
        return self._with_interval(row, needs)

    def _with_interval(self, row: Row, needs: "Needs") -> Row:
        z = normal_quantile(self.ci or 0.95)
        topics = row.topics
        blocks = needs.n_blocks()
        if blocks > 1:
            draws = needs.draws(block_weights(blocks, self.resamples, self.seed))
            by_topic = draws.ndim == 2
            if self.whole:
                self.drawn[row.spec] = "blocks"
                self.draws[row.model, str(row.spec)] = (
                    mean_defined(held(draws, topics)) if by_topic else draws
                )
            if topics is None or not by_topic:
                return _around(row, float(spread(draws)), z)
            half = z * spread(draws)
            both = weighted_mean(
                held(draws, topics), topic_weights(draws.shape[1], self.resamples, self.seed)
            )
            least, most = row.spec.measure.bounds  # of the defaults: other parameters may lead beyond
            low = np.maximum(topics.value - half, np.minimum(topics.value, least))
            high = np.minimum(topics.value + half, np.maximum(topics.value, most))
            row = replace(row, low=low, high=high)
            return _around(row, float(spread(both)), z)
        if blocks == 1 or needs.counts:
            return row  # one document tells nothing of others
        self.drawn[row.spec] = "topics"
        if topics is not None:
            return self._over_topics(row, topics)
        n_topics = self.models[row.model].n_topics
        if n_topics > JACKKNIFE_TOPICS or str(row.total.reason):
            return row
        return _around(row, jackknife_error(needs.without, n_topics), z)

    def _over_topics(self, row: Row, topics: Values) -> Row:
        if (topics.reason == "").sum() < 2:
            return row
        means = weighted_mean(topics.value, topic_weights(len(topics.value), self.resamples, self.seed))
        tail = (1 - (self.ci or 0.95)) / 2
        low, high = np.nanquantile(means, [tail, 1 - tail])
        return replace(row, total_low=float(low), total_high=float(high))

    def signature(self, spec: Spec, name: str) -> str:
        """Everything that can change the score, defaults included."""
        parts = [spec.name] + ([f"top:{spec.top}"] if spec.top is not None else [])
        inner = inner_coherence(spec)
        settings = {**(inner.settings if inner else {}), **spec.settings}
        parts += [f"{key}:{shown(key, value)}" for key, value in settings.items()]
        counted, reference = counts_words(spec), self.reference
        if counted and reference is not None:
            parts += [f"gaps:{reference.gaps}", f"reference:{reference.fingerprint[:8]}"]
        elif "documents" in spec.measure.needs:
            reference = self.corpus_of(name)
            parts += [f"corpus:{reference.fingerprint[:8]}"] if reference is not None else []
        elif "background" in spec.measure.needs and spec.settings["variant"] != "topics":
            reference = self.background_corpus(name)
            parts += [f"corpus:{reference.fingerprint[:8]}"] if reference is not None else []
        else:
            reference = None
        if reference is not None:
            parts += [f"docs:{len(reference)}", f"vocab:{len(reference.vocabulary)}"]
        if "word_vectors" in spec.measure.needs and self.vectors is not None:
            parts += [f"vectors:{self.vectors.fingerprint[:8]}"]
        return "|".join([*parts, f"v:{__version__}"])

    def corpus_of(self, name: str) -> "Corpus | None":
        """The corpus whose documents the rows of a model's ``doc_topic`` are."""
        return self.corpus if self.corpus is not None else self.models[name].corpus

    def tf_idf(self, corpus: "Corpus") -> Any:
        """The documents as vectors, made once for all models of a corpus."""
        from tealeaves.measures.document_coherence import tf_idf

        if corpus.fingerprint not in self.tf_idf_of:
            self.tf_idf_of[corpus.fingerprint] = tf_idf(corpus.tokens, corpus.offsets, len(corpus.vocabulary))
        return self.tf_idf_of[corpus.fingerprint]

    def background_corpus(self, name: str) -> "Corpus | None":
        """The corpus whose word frequencies a vacuous topic has: that of training if it is known."""
        own = self.corpus_of(name)
        return own if own is not None else self.reference


def held(draws: Floats, topics: Values | None) -> Floats:
    """Draws whose mean is always over the topics that are defined on the whole corpus.

    Where a rare word was not drawn, its topic keeps its own value: the mean of the others would be that of
    another set of topics.
    """
    if topics is None:
        return draws
    return np.where(topics.reason == "", np.where(np.isnan(draws), topics.value, draws), np.nan)


def _around(row: Row, error: float, z: float) -> Row:
    value, (least, most) = float(row.total.value), row.spec.measure.bounds
    low, high = value - z * error, value + z * error
    if np.isnan(error):
        return row
    return replace(row, total_low=max(low, min(value, least)), total_high=min(high, max(value, most)))


def shown(key: str, value: Any) -> str:
    """A setting as a signature writes it."""
    if value is None:
        return "document" if key == "window" else "none"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def split_levels(result: Values) -> tuple[Values | None, Values]:
    """A measure's values by topic, if it has any, and for the model: the mean over the defined topics."""
    if np.ndim(result.value) == 0:
        return None, result
    defined = result.reason == ""
    value = mean_defined(np.where(defined, result.value, np.nan))
    if defined.any():
        return result, Values(value, np.array(defined.sum()), np.array(""))
    reason = Counter(map(str, result.reason)).most_common(1)[0][0] if len(result.reason) else "no topics"
    return result, Values(np.array(np.nan), np.array(0), np.array(f"no topic is defined: {reason}"))


class WordPool:
    """The words of many models with one id each, and their topics as ids: what a counting pass counts."""

    def __init__(self, models: "Mapping[str, TopicModel]", specs: Iterable[Spec]) -> None:
        self._models = models
        self._ids: dict[str, int] = {}
        self._lists: dict[tuple[str, int], Ids] = {}
        longest = max((spec.top for spec in specs if spec.top and counts_words(spec)), default=0)
        self.topics: list[list[int]] = []
        if longest:
            for name in models:
                rows = self.top_words(name, longest)
                self.topics += [[int(w) for w in row if w >= 0] for row in rows]

    @property
    def words(self) -> list[str]:
        """The word of each id."""
        return list(self._ids)

    def top_words(self, name: str, n: int) -> Ids:
        """The first n words of a model's topics as ids, (K, n), padded with -1."""
        if (name, n) not in self._lists:
            self._lists[name, n] = padded(
                [
                    [self._ids.setdefault(word, len(self._ids)) for word in topic]
                    for topic in self._models[name].top_words(n)
                ],
                n,
            )
        return self._lists[name, n]


def padded(lists: Sequence[Sequence[int]], n: int) -> Ids:
    """Lists of ids as rows of n, with -1 behind."""
    rows = np.full((len(lists), n), -1, dtype=np.int32)
    for row, items in zip(rows, lists, strict=True):
        row[: len(items)] = items
    return rows


class Needs:
    """What one measure needs of one model: each entry of the list is made by the method of its name."""

    def __init__(
        self, run: Run, name: str, spec: Spec, pool: WordPool, counts: dict[Unit, PairCounts]
    ) -> None:
        self.run, self.name, self.spec, self.pool = run, name, spec, pool
        self.model = run.models[name]
        unit = unit_of(spec)
        self.blocks = counts.get(unit) if unit is not None else None
        self.counts = self.blocks.total() if self.blocks is not None and run.ci is not None else self.blocks
        self.inner = inner_coherence(spec)

    def measured(self) -> Values:
        """The measure of the model; reasons name the words."""
        return self._named(self._call(self.spec, self._arguments()))

    def _arguments(self) -> dict[str, Any]:
        return {need: getattr(self, f"_{need}")() for need in self.spec.measure.needs}

    def _call(self, spec: Spec, made: Mapping[str, Any]) -> Values:
        settings = {key: value for key, value in spec.settings.items() if key != "window"}
        order = [
            made[need] for need in spec.measure.needs if not (need == "top_words" and "coherence" in made)
        ]
        result: Values = spec.measure.function(*order, **settings)
        return result

    def _pair_counts(self) -> PairCounts:
        if self.counts is None:
            unit = unit_of(self.spec)
            if self.run.reference is not None and unit is not None:
                refuse_without_order(self.run.reference.ordered, [unit])
            raise MissingInput(f"{self.spec} counts words in a reference corpus, but none was given")
        return self.counts

    def _top_words(self) -> Ids:
        top = self.spec.top or 10
        if "topic_word" in self.spec.measure.needs:
            column = {word: i for i, word in enumerate(self.model.vocabulary)}
            return padded([[column[word] for word in topic] for topic in self.model.top_words(top)], top)
        words = self.pool.top_words(self.name, top)
        return self._known(words) if self.spec.settings.get("compat") == "gensim" else words

    def _known(self, top_words: Ids) -> Ids:
        """gensim drops what its dictionary does not know."""
        from tealeaves.measures.coherence import pack

        index = self.run.reference.index if self.run.reference is not None else {}
        unknown = np.array([word not in index for word in self.pool.words] + [True])
        return pack(np.where(unknown[top_words], -1, top_words))

    def _topic_word(self) -> Floats:
        if self.model.topic_word is None:
            raise MissingInput(self._lacks("topic_word"))
        try:
            return self.model.probabilities()
        except InputError as error:
            raise MissingInput(f"{self.spec} needs probabilities of words: {error}") from None

    def _doc_topic(self) -> Floats:
        theta = self.model.doc_topic
        if theta is None:
            raise MissingInput(self._lacks("doc_topic"))
        if (theta < 0).any():
            raise MissingInput(
                f"{self.spec} needs topic proportions, but model {self.name!r} has negative ones"
            )
        total = theta.sum(axis=1, keepdims=True)  # counts, or weights of NMF, are proportions up to a factor
        proportions: Floats = np.divide(theta, total, out=np.zeros_like(theta, dtype=float), where=total > 0)
        return proportions

    def _documents(self) -> Any:
        corpus = self.run.corpus_of(self.name)
        if corpus is None or not hasattr(corpus, "tokens"):  # an index has places, and no documents
            raise MissingInput(self._lacks("documents"))
        if len(corpus) != len(self._doc_topic()):
            raise MissingInput(
                f"{self.spec} needs the documents that model {self.name!r} was trained on: it has topic "
                f"proportions of {len(self._doc_topic())}, but the corpus has {len(corpus)}"
            )
        return self.run.tf_idf(corpus)

    def _word_vectors(self) -> Floats:
        if self.run.vectors is None:
            raise MissingInput(f"{self.spec} needs word vectors: hand over vectors={{word: vector}}")
        return self.run.vectors.rows(self.pool.words)

    def _background(self) -> Floats:
        variant = self.spec.settings["variant"]
        if variant == "topics":
            share = self._doc_topic().sum(0)
            if not share.sum():
                raise MissingInput(f"{self.spec}: no document of model {self.name!r} has any topic")
            background: Floats = (share / share.sum()) @ self._topic_word()
            return background
        corpus = self.run.background_corpus(self.name)
        if corpus is None:
            raise MissingInput(self._lacks("background"))
        counts = corpus.word_counts() if variant == "corpus" else _mean_frequencies(corpus)
        index = corpus.index
        mine = np.array([counts[index[w]] if w in index else 0 for w in self.model.vocabulary], dtype=float)
        if not mine.sum():
            raise MissingInput(
                f"{self.spec}: no word of model {self.name!r} is in the corpus; is it the right one?"
            )
        frequencies: Floats = mine / mine.sum()
        return frequencies

    def _coherence(self) -> Values:
        inner = self.inner
        assert_inner(inner, self.spec)
        return Needs(self.run, self.name, inner, self.pool, {unit_of(inner): self.blocks})._result()  # type: ignore[arg-type,dict-item]

    def _result(self) -> Values:
        return self._call(self.spec, self._arguments())

    def _diversity(self) -> Values:
        from tealeaves.measures.diversity import diversity

        return diversity(self.pool.top_words(self.name, self.spec.top or 10))

    def _lacks(self, need: str) -> str:
        return f"{self.spec} needs {READERS[need]}; model {self.name!r} has none"

    def _named(self, result: Values) -> Values:
        """Reasons with the words in them that are absent or have no vector."""
        reasons = np.asarray(result.reason)
        label = next((label for label in ("absent word", "no vector") if (reasons == label).any()), None)
        if label is None or (label == "absent word" and self.counts is None):
            return result
        words = self.pool.words
        top_words = self.pool.top_words(self.name, self.spec.top or 10)
        if self.counts is not None:
            lost = self.counts.single(top_words) == 0
        else:
            known = np.abs(self._word_vectors()).sum(axis=1) > 0  # neither nan nor zeros
            lost = ~known[top_words]
        named = [
            f"{label}: {', '.join(words[w] for w in row[gone])}" if reason == label else str(reason)
            for reason, row, gone in zip(reasons, top_words, (top_words >= 0) & lost, strict=True)
        ]
        return Values(result.value, result.n_terms, np.array(named))

    def n_blocks(self) -> int:
        """Blocks of documents behind the counts; 0 where none are kept."""
        return len(self.blocks.n_units) if self.blocks is not None and self.run.ci is not None else 0

    def draws(self, weights: NDArray[np.int64]) -> Floats:
        """The measure of each topic on each resample of blocks, (R, K); or of the model, (R,)."""
        blocks = self.blocks
        spec = self.inner or self.spec
        settings = {key: value for key, value in spec.settings.items() if key != "window"}
        top_words = (
            Needs(self.run, self.name, spec, self.pool, {})._top_words() if self.inner else self._top_words()
        )
        if (
            settings["oov"] == "drop" and self.counts is not None
        ):  # absent from the whole, not from a resample
            from tealeaves.measures.coherence import usable_words

            top_words, settings["oov"] = usable_words(self.counts, top_words, "drop")[0], "undefined"
        if blocks is None:
            raise MissingInput(f"{self.spec} has no blocks of documents to draw")
        found = self.run.topic_draws.get((self.name, str(spec)))
        if found is None:
            function = partial(spec.measure.function, **settings)
            found = block_draws(function, blocks, top_words, weights, self.run.workers)
        self.run.topic_draws[self.name, str(spec)] = found
        if self.inner is None:
            return found
        reason = np.where(np.isnan(found), "undefined", "")
        of_coherence = Values(found, np.ones(found.shape, np.int64), reason)
        return np.asarray(
            self._call(self.spec, {"coherence": of_coherence, "diversity": self._diversity()}).value
        )

    def without(self, kept: NDArray[np.intp]) -> float:
        """The measure of the model with some of its topics only."""
        made = self._arguments()
        return float(self._call(self.spec, {need: value[kept] for need, value in made.items()}).value)


def assert_inner(inner: Spec | None, spec: Spec) -> None:
    """A measure of another measure names which."""
    if inner is None:
        raise InputError(f"{spec} names no coherence measure")


def _mean_frequencies(corpus: "Corpus") -> Floats:
    """The mean over documents of two tokens or more of their word frequencies."""
    own = getattr(corpus, "mean_frequencies", None)  # an index has no documents to go through
    if own is not None:
        frequencies: Floats = own()
        return frequencies
    total = np.zeros(len(corpus.vocabulary))
    for d in range(len(corpus)):
        tokens = corpus.document(d)
        tokens = tokens[tokens >= 0]
        if len(tokens) >= 2:
            np.add.at(total, tokens, 1 / len(tokens))
    return total


def _frame(rows: Sequence[Row]) -> Any:
    """The tidy table of ``Scores``."""
    from tealeaves.scores import score_frame

    return score_frame(_records(rows))


def _records(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for row in rows:
        common = {
            "model": row.model,
            "measure": str(row.spec),
            "group": row.group,
            "signature": row.signature,
        }
        yield {
            **common,
            "level": "model",
            "topic": None,
            "value": float(row.total.value),
            "low": row.total_low,
            "high": row.total_high,
            "n_terms": int(row.total.n_terms),
            "reason": str(row.total.reason),
        }
        if row.topics is None:
            continue
        low = row.low if row.low is not None else np.full(len(row.topics.value), np.nan)
        high = row.high if row.high is not None else low
        for k, value in enumerate(row.topics.value):
            yield {
                **common,
                "level": "topic",
                "topic": k,
                "value": float(value),
                "low": float(low[k]),
                "high": float(high[k]),
                "n_terms": int(row.topics.n_terms[k]),
                "reason": str(row.topics.reason[k]),
            }
