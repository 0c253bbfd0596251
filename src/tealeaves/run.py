"""One call of `evaluate` at work: count once for all models, score each by each measure, draw again."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves import __version__
from tealeaves.beside import Chance, Frequent, Pairs
from tealeaves.counting_plan import GROUP, ngram_parts
from tealeaves.counts import DOCUMENT, Asked, PairCounts, Unit
from tealeaves.errors import MissingInput
from tealeaves.intervals import (
    block_weights,
    document_draws,
    jackknife_error,
    mean_defined,
    normal_quantile,
    percentiles,
    spread,
    topic_weights,
    weighted_mean,
)
from tealeaves.measures._table import Levels, Spec, Sums, Values
from tealeaves.needs import Needs
from tealeaves.needs_coverage import COVERAGE_NEEDS, coverage_signature
from tealeaves.needs_held_out import signature_of
from tealeaves.needs_local import corpus_of_tokens, inference_of
from tealeaves.rows import Row, levels_of
from tealeaves.vectors import WordVectors
from tealeaves.word_pool import WordPool, counted, counts_words, inner_coherence, is_dynamic, unit_of

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.distributed import Cluster
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics

Floats = NDArray[np.float64]
Progress = Callable[[str, int, int], None]
BLOCKS = 100  # of whole documents, for the bootstrap
MEMORY = 512 * 2**20  # bytes that counts of blocks may take; more models than that are counted in turns
BY_TOPIC = {"top_words", "topic_word", "coherence", "diversity"}  # needs that are one row a topic
JACKKNIFE_TOPICS = 200  # above, leaving each topic out in turn costs more than it tells


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
    held_out: "Corpus | None" = None
    reference_topics: "ReferenceTopics | None" = None
    matcher: Any = None
    cluster: "Cluster | None" = None
    held_out_of: dict[str, Any] = field(default_factory=dict)  # its documents in the words of each model
    tf_idf_of: dict[str, Any] = field(default_factory=dict)  # of corpora, by fingerprint
    token_topics: dict[str, dict[Any, Any]] = field(default_factory=dict)  # of the model at hand
    draws: dict[tuple[str, str], Floats] = field(default_factory=dict)
    drawn: dict[Spec, str] = field(default_factory=dict)
    # by model, documents to read, how often topics follow each other, and intervals of that
    pages: dict[str, tuple[list[dict[str, Any]], list[list[int]], list[list[Any]]]] = field(
        default_factory=dict
    )
    # numbers that stand beside a score, by model and spec: what chance gives, baselines, Monte Carlo errors
    companions: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    whole: bool = True  # not a group of the reference
    chance: int = 0  # random lists behind each topic's band
    seen: set[str] = field(default_factory=set)  # top words that the reference has
    pairs: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    bands: dict[str, dict[str, dict[str, list[float | None]]]] = field(default_factory=dict)
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
            counts = self._count(pool, batch)
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
        if self.whole and self.chance:
            per_topic += GROUP**2 // 2 * units * 8 * (self.workers or os.cpu_count() or 1)
        batches: list[list[str]] = [[]]
        used = 0
        for name in names:
            need = self.models[name].n_topics * getattr(self.models[name], "n_slices", 1) * per_topic
            if batches[-1] and used + need > MEMORY:
                batches.append([])
                used = 0
            batches[-1].append(name)
            used += need
        return batches

    def _count(self, pool: "WordPool", batch: Sequence[str]) -> dict[Unit, PairCounts]:
        """One pass for all that is counted: for scores by block, and beside them for whoever reads them."""
        reference = self.reference
        if reference is None:
            return {}
        units = list(dict.fromkeys(unit for spec in self.specs if (unit := unit_of(spec)) is not None))
        units = [unit for unit in units if reference.ordered or not unit.ordered]
        blocks = BLOCKS if self.ci is not None else 0
        asked = [Asked(pool.words, pool.topics, units, blocks), Asked(*self._ngrams(pool, units))]
        beside = self._beside(batch)
        asked = [one for one in asked if one.units] + [one.asked for _, _, one in beside]
        step = partial(self.progress, "counting words") if self.progress else None
        with ThreadPoolExecutor(1) as aside:
            if units:  # signatures need it, and it takes about as long as the counting
                aside.submit(getattr, reference, "fingerprint")
            found = (
                counted(reference, asked, workers=self.workers, cluster=self.cluster, progress=step)
                if asked
                else []
            )
        scored = len(asked) - len(beside)
        for (kept, name, one), counts in zip(beside, found[scored:], strict=True):
            kept[name] = one.made(counts)
        self._see(pool, [(one.words, counts) for one, counts in zip(asked[:scored], found, strict=False)])
        return found[0] if units else {}

    def _ngrams(
        self, pool: "WordPool", units: Sequence[Unit]
    ) -> tuple[list[str], list[list[int]], list[Unit]]:
        """N-grams that are counted by windows alone, which may be too short to show that they are there."""
        reference = self.reference
        if reference is None or not units or not reference.ordered or DOCUMENT in units:
            return [], [], []
        index = reference.index
        words = [word for word in pool.words if word not in index and ngram_parts(word, index)]
        return words, [[i] for i in range(len(words))], [DOCUMENT] if words else []

    def _see(self, pool: "WordPool", counted: Sequence[tuple[Sequence[str], dict[Unit, PairCounts]]]) -> None:
        """Note which top words the reference has; in a bag no n-gram stands together."""
        if self.reference is None or not pool.words:
            return
        index = self.reference.index
        if not counted:
            counts = self.reference.word_counts()
            self.seen.update(word for word in pool.words if word in index and counts[index[word]])
        for words, by_unit in counted:
            singles = next(iter(by_unit.values())).singles.reshape(-1, len(words)).sum(axis=0)
            there = [word for word, n in zip(words, singles, strict=True) if n]
            self.seen.update(word for word in there if self.reference.ordered or word in index)

    def _beside(self, batch: Sequence[str]) -> list[tuple[dict[str, Any], str, Any]]:
        """What is counted in the same pass for each model, and where it is kept."""
        reference = self.reference
        if reference is None or self.ci is None or not self.whole:
            return []
        models = {name: self.models[name] for name in batch if not is_dynamic(self.models[name])}
        found: list[tuple[dict[str, Any], str, Any]] = [
            (self.pairs, name, Pairs(name, model)) for name, model in models.items()
        ]
        specs = [
            spec
            for spec in self.specs
            if "pair_counts" in spec.measure.needs
            and (unit := unit_of(spec)) is not None
            and (reference.ordered or not unit.ordered)
        ]
        if models and specs and self.chance:
            frequent = Frequent(reference)
            for name, model in models.items():
                chance = Chance(name, model, specs, frequent, self.chance, self.seed)
                found.append((self.bands, name, chance))
        return found

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
            return Row(name, spec, group, signature, Levels(nothing))
        row = Row(name, spec, group, signature, levels_of(result), *needs.names())
        if self.ci is None:
            return row
        if self.progress:
            self.progress(f"intervals of {name}", 0, 0)
        if row.levels.sums is not None:
            return self._over_documents(row, row.levels.sums)
        if COVERAGE_NEEDS.intersection(spec.measure.needs):
            return row  # its spread is over runs
        return self._with_interval(row, needs)

    def _over_documents(self, row: Row, sums: Sums) -> Row:
        documents = row.levels.documents
        n_documents = sums.n_documents if documents is None else len(documents.value)
        if (n_documents if documents is None else (documents.reason == "").sum()) < 2:
            return row  # one document tells nothing of others
        draws, of_topics = document_draws(sums, n_documents, self.resamples, self.seed)
        self.drawn[row.spec], self.draws[row.model, str(row.spec)] = "documents", draws
        low, high = _reaching(row, row.levels.model, *percentiles(draws[:, None], self.ci or 0.95))
        row = replace(row, total_low=float(low[0]), total_high=float(high[0]))
        if of_topics is None or row.levels.topics is None:
            return row
        low, high = _reaching(row, row.levels.topics, *percentiles(of_topics, self.ci or 0.95))
        return replace(row, low=low, high=high)

    def _with_interval(self, row: Row, needs: "Needs") -> Row:
        z = normal_quantile(self.ci or 0.95)
        topics = row.levels.topics
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
                if row.spec.name == "dtq":  # the mean of a half over slices and one over topics
                    again = topic_weights(needs.model.n_topics, self.resamples, self.seed)
                    draws = needs.draws_with_topics(block_weights(blocks, self.resamples, self.seed), again)
                return _around(row, float(spread(draws)), z)
            half = z * spread(draws)
            both = weighted_mean(
                held(draws, topics), topic_weights(draws.shape[1], self.resamples, self.seed)
            )
            low, high = _within(row, topics, topics.value - half, topics.value + half)
            row = replace(row, low=low, high=high)
            return _around(row, float(spread(both)), z)
        if blocks == 1 or needs.counts:
            return row  # one document tells nothing of others
        self.drawn[row.spec] = "topics"
        if topics is not None:
            return self._over_topics(row, topics)
        n_topics = self.models[row.model].n_topics
        if n_topics > JACKKNIFE_TOPICS or str(row.levels.model.reason):
            return row
        if not set(row.spec.measure.needs) <= BY_TOPIC:
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
        under, own = (inner.settings if inner else {}), spec.settings
        parts += [
            f"{f'coherence_{key}' if key in own else key}:{shown(key, value)}" for key, value in under.items()
        ]
        named = {"reference": "counted_in"}  # the reference itself comes below
        parts += [f"{named.get(key, key)}:{shown(key, value)}" for key, value in own.items()]
        counted, reference = counts_words(spec), self.reference
        if counted and reference is not None:
            parts += [f"gaps:{reference.gaps}", f"reference:{reference.fingerprint[:8]}"]
        elif "documents" in spec.measure.needs:
            reference = self.corpus_of(name)
            parts += [f"corpus:{reference.fingerprint[:8]}"] if reference is not None else []
        elif "token_topics" in spec.measure.needs:
            assign = spec.settings["assign"]
            inferred = inference_of(self.models[name], assign, self.seed)
            parts += [f"inferred:{inferred}"] if inferred else []
            reference = corpus_of_tokens(self.models[name], self.corpus, assign)
            parts += [f"corpus:{reference.fingerprint[:8]}"] if reference is not None else []
        elif "background" in spec.measure.needs and spec.settings["variant"] != "topics":
            reference = self.background_corpus(name)
            parts += [f"corpus:{reference.fingerprint[:8]}"] if reference is not None else []
        else:
            reference = None
        if reference is not None:
            parts += [f"docs:{len(reference)}", f"vocab:{len(reference.vocabulary)}"]
        parts += signature_of(self, spec, name) + coverage_signature(self, spec)
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


def _within(row: Row, values: Values, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Ends of intervals no farther out than the measure can be, unless its value is: of other parameters."""
    least, most = row.spec.measure.bounds
    return np.maximum(low, np.minimum(values.value, least)), np.minimum(high, np.maximum(values.value, most))


def _reaching(row: Row, values: Values, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Ends of intervals that hold the value, even if resampling moves the score away from it."""
    return _within(row, values, np.minimum(low, values.value), np.maximum(high, values.value))


def _around(row: Row, error: float, z: float) -> Row:
    if np.isnan(error):
        return row
    half = np.array(z * error)
    model = row.levels.model
    low, high = _within(row, model, model.value - half, model.value + half)
    return replace(row, total_low=float(low), total_high=float(high))


def shown(key: str, value: Any) -> str:
    """A setting as a signature writes it."""
    if value is None:
        return "document" if key == "window" else "none"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
