"""What one measure needs of one model: the one place where each entry of the closed list is made."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.counts import PairCounts, Unit, refuse_without_order
from tealeaves.errors import InputError, MissingInput
from tealeaves.intervals import (
    block_draws,
)
from tealeaves.measures._table import Levels, Spec, Values
from tealeaves.needs_coverage import CoverageNeeds
from tealeaves.needs_held_out import HeldOutNeeds
from tealeaves.needs_labels import LabelNeeds
from tealeaves.needs_local import LocalNeeds, corpus_of_tokens
from tealeaves.needs_temporal import TemporalNeeds
from tealeaves.word_pool import WordPool, inner_coherence, padded, unit_of

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.run import Run

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]
READERS = {
    "topic_word": "weights of words (arrays, scikit-learn, gensim, a MALLET state); lists of words have none",
    "doc_topic": "topic proportions of documents (doc_topic=; a MALLET state or a saved model has them)",
    "background": "a corpus",
    "documents": "the corpus that it was trained on (corpus=; a MALLET state carries it)",
}


class Needs(LocalNeeds, HeldOutNeeds, LabelNeeds, TemporalNeeds, CoverageNeeds):
    """What one measure needs of one model: each entry of the list is made by the method of its name."""

    def __init__(
        self, run: "Run", name: str, spec: Spec, pool: WordPool, counts: dict[Unit, PairCounts]
    ) -> None:
        self.run, self.name, self.spec, self.pool = run, name, spec, pool
        self.model = run.models[name]
        unit = unit_of(spec)
        self.blocks = counts.get(unit) if unit is not None else None
        self.counts = self.blocks.total() if self.blocks is not None and run.ci is not None else self.blocks
        self.inner = inner_coherence(spec)
        if spec.settings.get("reference") == "slice":  # counted window by window, without blocks
            self.blocks = self.counts = None

    def measured(self) -> Values | Levels:
        """The measure of the model; reasons name the words."""
        return self._measured_over_time(self._whole) if self.over_time else self._whole()

    def _whole(self) -> Values | Levels:
        result = self._call(self.spec, self._arguments())
        return result if isinstance(result, Levels) else self._named(result)

    def names(self) -> tuple[tuple[str, ...], Sequence[str], tuple[str, ...]]:
        """What the slices, documents and reference topics are called that the levels of a score are of."""
        return self.slice_labels(), self.document_ids(), self.reference_labels()

    def slice_labels(self) -> tuple[str, ...]:
        """The names of the slices that the levels of a score are of."""
        labels: tuple[str, ...] = getattr(self.model, "slice_labels", None) or ()
        return labels

    def document_ids(self) -> Sequence[str]:
        """The names of the documents that the levels of a score are of; empty where they have none."""
        held_out = "held_out" in self.spec.measure.needs
        corpus = self.run.held_out if held_out else self.run.corpus_of(self.name)
        if "token_topics" in self.spec.measure.needs:
            corpus = corpus_of_tokens(self.model, self.run.corpus, self.spec.settings["assign"])
        return getattr(corpus, "ids", None) or ()

    def _arguments(self) -> dict[str, Any]:
        return {need: getattr(self, f"_{need}")() for need in self.spec.measure.needs}

    def _call(self, spec: Spec, made: Mapping[str, Any]) -> Values:
        settings = spec.arguments
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

    def _lengths(self) -> NDArray[np.int64]:
        corpus = self.run.corpus_of(self.name)
        if corpus is None or not hasattr(corpus, "offsets"):
            raise MissingInput(self._lacks("documents"))
        if len(corpus) != len(self._doc_topic()):
            raise MissingInput(
                f"{self.spec} needs the documents that model {self.name!r} was trained on: it has topic "
                f"proportions of {len(self._doc_topic())}, but the corpus has {len(corpus)}"
            )
        known = np.concatenate([[0], np.cumsum(corpus.tokens >= 0)])
        lengths: NDArray[np.int64] = known[corpus.offsets[1:]] - known[corpus.offsets[:-1]]
        return lengths

    def _word_prior(self) -> Floats:
        eta = self.model.eta
        if eta is None:
            raise MissingInput(
                f"{self.spec} needs the prior of words, eta, which model {self.name!r} does not have: "
                "hand it over as tl.TopicModel(…, eta=0.01)"
            )
        prior = np.broadcast_to(np.asarray(eta, dtype=np.float64), (len(self.model.vocabulary),))
        if not (prior > 0).all():
            raise MissingInput(f"{self.spec} needs a prior above 0 for every word")
        return prior

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
        if self.inner is None:
            raise InputError(f"{self.spec} names no coherence measure")
        unit = unit_of(self.inner)
        counts = {} if self.blocks is None or unit is None else {unit: self.blocks}
        return Needs(self.run, self.name, self.inner, self.pool, counts)._result()

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
        if self.over_time:
            return self._draws_over_time(weights)
        blocks = self.blocks
        spec = self.inner or self.spec
        settings = spec.arguments
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
        """The measure of the model with some of its topics only; nan for topics over time."""
        if self.over_time:
            return float("nan")
        made = self._arguments()
        return float(self._call(self.spec, {need: value[kept] for need, value in made.items()}).value)


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
