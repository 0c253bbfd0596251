"""What a maker of items is handed, and what it yields: an item, or why there is none."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError, MissingInput
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.model import TopicModel, read_model

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.matcher_pairs import TopicPairs

Model = TopicModel | DynamicTopicModel
T = TypeVar("T", str, int)
M = TypeVar("M", TopicModel, DynamicTopicModel)


@dataclass(frozen=True)
class Unmade:
    """Why no item is made of a topic; of a document or token, where ``topic`` is None."""

    topic: int | None
    reason: str


Stream = Iterator[Item | Unmade]
One = Callable[[int, Lots], Item | str]  # makes an item of a topic, or says why it cannot


@dataclass(frozen=True)
class Request:
    """One call of `items`: the models by name, and what goes with them."""

    task: str
    models: Mapping[str, Model]
    corpus: "Corpus | None"
    seed: int
    n: int | None = None
    pairs: "TopicPairs | None" = None
    used: Counter[str] = field(default_factory=Counter)  # how many items have an intruder already

    def least_used(self, intruders: Sequence[T]) -> list[T]:
        """Those that the fewest items have so far: two items with one intruder need twice the raters."""
        fewest = min(self.used[_intruder(one)] for one in intruders)
        return [one for one in intruders if self.used[_intruder(one)] == fewest]

    def use(self, intruders: Sequence[str]) -> None:
        """An item has these."""
        self.used.update(map(_intruder, intruders))

    def lots(self, *purpose: object) -> Lots:
        """Draws for one purpose under the seed and the task."""
        return Lots(self.seed, self.task, *purpose)

    def corpus_of(self, model: Model) -> "Corpus | None":
        """The corpus handed over, or else the one that the model carries."""
        return self.corpus if self.corpus is not None else model.corpus

    def static(self) -> dict[str, TopicModel]:
        """The models, all of which must be without slices."""
        return self._all(TopicModel, "the topics of one time: take a slice, model.slice(t)")

    def dynamic(self) -> dict[str, DynamicTopicModel]:
        """The models, all of which must be over time."""
        return self._all(DynamicTopicModel, "topics over time (a DynamicTopicModel)")

    def _all(self, kind: type[M], wanted: str) -> dict[str, M]:
        for name, model in self.models.items():
            if not isinstance(model, kind):
                raise InputError(f"{self.task} needs {wanted}; model {name!r} is a {type(model).__name__}")
        return {name: model for name, model in self.models.items() if isinstance(model, kind)}

    def texts(self, what: str) -> "Corpus":
        """The corpus, with texts to show."""
        from tealeaves.corpus import Corpus

        if not isinstance(self.corpus, Corpus):
            raise MissingInput(f"{self.task} shows {what}: hand over corpus= with the documents of the model")
        if self.corpus.texts is None:
            raise MissingInput(
                f"{self.task} shows {what}, but the corpus keeps no texts: make it from texts "
                "(read_corpus, or Corpus.from_texts with a list)"
            )
        return self.corpus

    def per_topic(self, models: Mapping[str, M], maker: Callable[[str, M], One]) -> dict[str, Stream]:
        """A stream of each model: an item of each topic, or why there is none, topics in random order."""

        def stream(name: str, model: M) -> Stream:
            one = maker(name, model)
            for topic in self.lots(name, "order").order(range(model.n_topics)):
                made = one(topic, self.lots(name, topic))
                yield Unmade(topic, made) if isinstance(made, str) else made

        return {name: stream(name, model) for name, model in models.items()}


def at_most(stream: Stream, n: int) -> Stream:
    """The stream up to its n-th item: where there are more documents than anyone wants items."""
    made = 0
    for one in stream:
        yield one
        made += isinstance(one, Item)
        if made >= n:
            return


def _intruder(name: object) -> str:
    return f"intruder {str(name).casefold()}"


def once(
    model: str, topics: Sequence[int], intruders: Sequence[str] = (), document: int | None = None
) -> dict[str, list[str]]:
    """What a rater is to see once only, as ``hidden`` keeps it: see `forms`."""
    seen = [f"topic {model} {topic}" for topic in topics] + [_intruder(word) for word in intruders]
    return {"once": seen if document is None else [*seen, f"document {document}"]}


def item(task: str, model: str, topic: int | None, **parts: Any) -> Item:
    """An item that has no number yet."""
    return Item("", task, model, topic, **parts)


def numbered(items: list[Item]) -> list[Item]:
    """The items with ids i0001, i0002, …"""
    return [replace(one, id=f"i{number:04d}") for number, one in enumerate(items, start=1)]


def named(models: Any, needed: bool = True) -> dict[str, Model]:
    """Models by distinct names, whatever they came in; what is no model yet is read.

    Raises
    ------
    InputError
        If there is none, though one is needed.
    """
    if isinstance(models, Mapping) and models:
        return {str(name): _model(model, str(name)) for name, model in models.items()}
    listed = models if isinstance(models, list | tuple) else [] if not models else [models]
    found: dict[str, Model] = {}
    for given in listed:
        model = _model(given, None)
        name, number = model.name, 2
        while name in found:
            name, number = f"{model.name}-{number}", number + 1
        found[name] = model
    if not found and needed:
        raise InputError("at least one model is needed to make items of")
    return found


def _model(given: Any, name: str | None) -> Model:
    return given if isinstance(given, TopicModel | DynamicTopicModel) else read_model(given, name=name)


def fingerprint(model: Model) -> str:
    """64 hexadecimal digits of a model's words and weights, or lists."""
    digest = hashlib.sha256()
    if model.topic_word is not None:
        digest.update("\0".join(model.vocabulary).encode("utf-8", "surrogatepass"))
        digest.update(repr(model.topic_word.shape).encode())
        digest.update(np.ascontiguousarray(model.topic_word, dtype="<f8").data)
    else:
        digest.update(repr(model.word_lists).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
