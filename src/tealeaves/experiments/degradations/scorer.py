"""Makes models worse and scores them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.matcher import Matcher
    from tealeaves.reference_topics import ReferenceTopics

Floats = NDArray[np.float64]


class Scorer:
    """Makes models worse and scores them, whatever part of them is at issue."""

    def __init__(
        self,
        of: str,
        corpus: "Corpus",
        held_out: "Corpus | None",
        reference_topics: "ReferenceTopics | None",
        matcher: "Matcher | None",
        specs: Sequence[str],
    ) -> None:
        self.of, self.corpus, self.specs = of, corpus, specs
        self.wanted: dict[str, Any] = {"reference_topics": reference_topics, "matcher": matcher}
        self.options: dict[str, Any] = {"held_out": held_out, **self.wanted}
        if any(spec.startswith("we_coherence") for spec in specs):
            self.options["vectors"] = word_vectors(corpus)
        found = dict(zip(corpus.vocabulary, corpus.document_frequency().tolist(), strict=True))
        self.frequencies: dict[str, float] = found

    def degraded(
        self, model: Any, worse: Callable[..., Any], strength: float, rng: np.random.Generator
    ) -> Any:
        """The model made worse, with documents' topics that go with it."""
        from tealeaves.model import TopicModel

        if self.of == "time":
            return worse(model, strength, rng)
        if self.of == "tokens":
            model = model if model.assignments is not None else self.refreshed(model)
            topics = np.asarray(model.assignments, dtype=np.int32)
            topics = worse(topics, self.corpus.offsets, model.n_topics, strength, rng)
            return TopicModel(
                model.vocabulary,
                model.probabilities(),
                assignments=topics,
                alpha=model.alpha,
                name=model.name,
            )
        frequency = np.array([self.frequencies.get(word, 0.0) for word in model.vocabulary])
        changed = worse(model.probabilities(), frequency, strength, rng)
        return self.refreshed(
            TopicModel(model.vocabulary, changed, alpha=model.alpha, eta=model.eta, name=model.name)
        )

    def refreshed(self, model: Any) -> Any:
        """The model with topics of the documents inferred by its own topics."""
        from tealeaves.infer import infer
        from tealeaves.model import TopicModel

        if self.of == "time":
            return model
        found = infer(model, self.corpus)
        return TopicModel(
            model.vocabulary,
            model.probabilities(),
            doc_topic=found.doc_topic,
            assignments=found.assignments,
            alpha=model.alpha,
            eta=model.eta,
            name=model.name,
        )

    def score(self, sets: Sequence[Sequence[Any]], degradation: str, strength: float) -> list[dict[str, Any]]:
        """A row for each set (a model, or its runs) and measure."""
        value_of = self._runs if self.of == "runs" else self._models
        return [
            {
                "degradation": degradation,
                "strength": float(strength),
                "draw": draw,
                "measure": spec,
                "value": float(value),
            }
            for draw, values in enumerate(value_of(sets, undamaged=not degradation))
            for spec, value in zip(self.specs, values, strict=True)
        ]

    def _runs(self, sets: Sequence[Sequence[Any]], undamaged: bool) -> list[list[float]]:
        """The values of each set of runs; topics of documents are inferred of undamaged ones, too."""
        from tealeaves.stability import stability

        if undamaged:
            sets = [[self.refreshed(model) for model in models] for models in sets]
        scores = [stability(models, measures=self.specs, ci=None, **self.wanted) for models in sets]
        return [[one.value(spec) for spec in self.specs] for one in scores]

    def _models(self, sets: Sequence[Sequence[Any]], undamaged: bool) -> list[list[float]]:
        """The values of the one model of each set, likewise; given topics of tokens are kept."""
        from tealeaves.evaluate import evaluate

        models = [models[0] for models in sets]
        if undamaged and self.of != "time":
            known = self.of == "tokens"
            models = [m if known and m.assignments is not None else self.refreshed(m) for m in models]
        named = {f"draw {i}": model for i, model in enumerate(models)}
        scores = evaluate(named, self.corpus, measures=self.specs, ci=None, chance=0, **self.options)
        return [[scores.value(spec, model=name) for spec in self.specs] for name in scores.models]


def word_vectors(corpus: "Corpus", dimensions: int = 50) -> tuple[list[str], Floats]:
    """Vectors of the corpus' words: a truncated SVD of positive PMI over documents."""
    from scipy import sparse
    from scipy.sparse.linalg import svds

    used = corpus.tokens >= 0
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))[used]
    shape = (len(corpus), len(corpus.vocabulary))
    x = sparse.csr_matrix((np.ones(len(document)), (document, corpus.tokens[used])), shape=shape)
    x.data[:] = 1.0
    joint = (x.T @ x).tocoo()
    alone = np.maximum(np.asarray(x.sum(axis=0)).ravel(), 1.0)
    pmi = np.log(joint.data * len(corpus) / (alone[joint.row] * alone[joint.col]))
    positive = sparse.csr_matrix((np.maximum(pmi, 0.0), (joint.row, joint.col)), shape=joint.shape)
    k = min(dimensions, len(corpus.vocabulary) - 1)
    start = np.random.default_rng(0).normal(size=len(corpus.vocabulary))
    vectors, values, _ = svds(positive, k=k, v0=start)
    return list(corpus.vocabulary), np.asarray(vectors * np.sqrt(values))
