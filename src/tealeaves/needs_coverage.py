"""Reference topics held against a model's own, as measures of coverage need them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import MissingInput
from tealeaves.measures._table import Spec
from tealeaves.measures.distances import from_products, norms_of

if TYPE_CHECKING:
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics
    from tealeaves.run import Run

Floats = NDArray[np.float64]
COVERAGE_NEEDS = {"reference_distances", "reference_matches", "reference_matches_nocos"}


def table_of(model: "TopicModel", ranked: bool = False) -> tuple[tuple[str, ...], Floats]:
    """Words and weights of a model's topics; a word of a list weighs 1, or less with its rank."""
    if model.topic_word is not None:
        return model.vocabulary, np.asarray(model.topic_word)
    lists = model.top_words(10_000)
    words = tuple(dict.fromkeys(word for topic in lists for word in topic))
    place = {word: i for i, word in enumerate(words)}
    weights = np.zeros((len(lists), len(words)))
    for row, topic in zip(weights, lists, strict=True):
        row[[place[word] for word in topic]] = 1 / np.arange(1, len(topic) + 1) if ranked else 1.0
    return words, weights


def over_same_words(tables: Sequence[tuple[tuple[str, ...], Floats]]) -> list[Floats]:
    """The weights of several tables over the words of all of them; as they are where words are the same."""
    if len({words for words, _ in tables}) <= 1:
        return [weights for _, weights in tables]
    index = {word: i for i, word in enumerate(dict.fromkeys(w for words, _ in tables for w in words))}
    found = []
    for words, weights in tables:
        wide = np.zeros((len(weights), len(index)))
        wide[:, [index[word] for word in words]] = weights
        found.append(wide)
    return found


def aligned(reference: "ReferenceTopics", model: "TopicModel") -> tuple[Floats, Floats]:
    """Reference topics and topics over the words of both, (R, W) and (K, W); a word list weighs 1 a word."""
    a, b = over_same_words([(reference.vocabulary, reference.topic_word), table_of(model)])
    return a, b


def distances_to(reference: "ReferenceTopics", model: "TopicModel") -> Floats:
    """Cosine distance of each reference topic to each topic of a model, (R, K).

    Words that only one of both has count in its length.
    """
    words, weights = table_of(model)
    rows, lengths = reference.topic_word, (reference.lengths, norms_of(weights))
    if (few := reference.sparse) is not None:
        from scipy.sparse import csr_array

        places = reference.columns_in(words)[few.indices]
        parts = np.where(places >= 0, few.data, 0.0), np.maximum(places, 0), few.indptr
        return from_products(np.asarray(csr_array(parts, (len(rows), len(words))) @ weights.T), *lengths)
    return from_products(reference.over(words) @ weights.T, *lengths)


def known_words(reference: "ReferenceTopics", model: "TopicModel") -> NDArray[np.bool_]:
    """Which words of the reference topics the model has, too."""
    return reference.columns_in(table_of(model)[0]) >= 0


def shared_weight(reference: "ReferenceTopics", model: "TopicModel") -> float:
    """The share of the reference topics' weight that stands on words of the model."""
    weight = reference.of_words[0]
    total = weight.sum()
    return float(weight[known_words(reference, model)].sum() / total) if total else 0.0


def lost_words(reference: "ReferenceTopics", model: "TopicModel", n: int = 20) -> list[str]:
    """The heaviest words of the reference topics that the model does not have."""
    weight = np.where(known_words(reference, model), 0.0, reference.of_words[1])
    order = np.argsort(-weight, kind="stable")[:n]
    return [reference.vocabulary[i] for i in order if weight[i]]


def coverage_signature(run: "Run", spec: Spec) -> list[str]:
    """What of the reference topics and the matcher can change a score of coverage."""
    if run.reference_topics is None or not COVERAGE_NEEDS.intersection(spec.measure.needs):
        return []
    parts = [f"topics:{run.reference_topics.fingerprint[:8]}", f"n:{len(run.reference_topics)}"]
    if run.matcher is not None and "reference_distances" not in spec.measure.needs:
        parts.append(f"matcher:{run.matcher.fingerprint[:8]}")
    return parts


def refuse_negative(model: "TopicModel", name: str, what: str) -> None:
    """Refuse topics with negative weights: how near they are to others has no meaning here."""
    if hasattr(model, "n_slices"):
        raise MissingInput(f"{what} is of topics of one time: hand over a slice of {name!r}, model.slice(t)")
    if model.topic_word is not None and (model.topic_word < 0).any():
        raise MissingInput(f"{what}: model {name!r} has negative weights of words, as LSI has")


class CoverageNeeds:
    """Reference topics held against a model's own."""

    run: "Run"
    name: str
    spec: Spec
    model: "TopicModel"

    def reference_labels(self) -> tuple[str, ...]:
        """The names of the reference topics that the levels of a score are of."""
        reference = self.run.reference_topics
        return reference.labels if reference is not None else ()

    def _reference(self) -> "ReferenceTopics":
        if self.run.reference_topics is None:
            raise MissingInput(
                f"{self.spec} holds the topics against those that are looked for: hand over reference_topics="
            )
        return self.run.reference_topics

    def _reference_distances(self) -> Floats:
        reference = self._reference()
        refuse_negative(self.model, self.name, str(self.spec))
        share = shared_weight(reference, self.model)
        self.run.companions[self.name, str(self.spec)] = {
            "reference_topics": len(reference),
            "shared_weight": share,
        }
        if share < 1:
            self.run.companions[self.name, str(self.spec)]["lost_words"] = lost_words(reference, self.model)
        if share == 0:
            raise MissingInput(
                f"{self.spec}: no word of the reference topics is a word of model {self.name!r}; were the "
                "texts stemmed or lowered for one of them only?"
            )
        return distances_to(reference, self.model)

    def _runs(self) -> Any:
        raise MissingInput(
            f"{self.spec} compares several runs of a model: hand them to tl.stability([run, run, …]), or run "
            "`tealeaves stability RUN...`"
        )

    _runs_documents = _runs_matches = _runs

    def _reference_matches(self) -> Any:
        return self._matches(cosines=True)

    def _reference_matches_nocos(self) -> Any:
        return self._matches(cosines=False)

    def _matches(self, cosines: bool) -> Any:
        reference = self._reference()
        if self.run.matcher is None:
            raise MissingInput(
                f"{self.spec} needs a matcher that was trained on people's judgements: hand over matcher=, "
                "or measure au_cdc, which needs none"
            )
        return self.run.matcher.matches(reference, self.model, cosines=cosines)
