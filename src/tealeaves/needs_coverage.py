"""Reference topics held against a model's own, as measures of coverage need them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import MissingInput
from tealeaves.measures._table import Spec
from tealeaves.measures.coverage import cosine_distances

if TYPE_CHECKING:
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics
    from tealeaves.run import Run

Floats = NDArray[np.float64]
COVERAGE_NEEDS = {"reference_distances", "reference_matches", "reference_matches_nocos"}


def aligned(reference: "ReferenceTopics", model: "TopicModel") -> tuple[Floats, Floats]:
    """Reference topics and topics over the words of both, (R, W) and (K, W); a word list weighs 1 a word."""
    if model.topic_word is None:
        lists = model.top_words(10_000)
        mine = list(dict.fromkeys(word for words in lists for word in words))
        weights = np.zeros((len(lists), len(mine)))
        place = {word: i for i, word in enumerate(mine)}
        for row, words in zip(weights, lists, strict=True):
            row[[place[word] for word in words]] = 1.0
    else:
        mine, weights = list(model.vocabulary), np.asarray(model.topic_word)
    index = {word: i for i, word in enumerate(dict.fromkeys([*reference.vocabulary, *mine]))}
    a, b = np.zeros((len(reference), len(index))), np.zeros((len(weights), len(index)))
    a[:, : len(reference.vocabulary)] = reference.topic_word
    b[:, [index[word] for word in mine]] = weights
    return a, b


def shared_weight(reference: "ReferenceTopics", model: "TopicModel") -> float:
    """The share of the reference topics' weight that stands on words of the model."""
    own = (
        set(model.vocabulary)
        if model.topic_word is not None
        else {word for words in model.top_words(10_000) for word in words}
    )
    known = np.array([word in own for word in reference.vocabulary], dtype=bool)
    total = reference.topic_word.sum()
    return float(reference.topic_word[:, known].sum() / total) if total else 0.0


def coverage_signature(run: "Run", spec: Spec) -> list[str]:
    """What of the reference topics and the matcher can change a score of coverage."""
    if run.reference_topics is None or not COVERAGE_NEEDS.intersection(spec.measure.needs):
        return []
    parts = [f"topics:{run.reference_topics.fingerprint[:8]}", f"n:{len(run.reference_topics)}"]
    if run.matcher is not None and "reference_distances" not in spec.measure.needs:
        parts.append(f"matcher:{run.matcher.fingerprint[:8]}")
    return parts


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
        rows = self.model.topic_word
        if rows is not None and (rows < 0).any():
            raise MissingInput(f"{self.spec}: model {self.name!r} has negative weights of words, as LSI has")
        share = shared_weight(reference, self.model)
        self.run.companions[self.name, str(self.spec)] = {
            "reference_topics": len(reference),
            "shared_weight": share,
        }
        if share == 0:
            raise MissingInput(
                f"{self.spec}: no word of the reference topics is a word of model {self.name!r}; were the "
                "texts stemmed or lowered for one of them only?"
            )
        return cosine_distances(*aligned(reference, self.model))

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
