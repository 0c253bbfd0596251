"""What the events of a curator come to: reference topics, what was set aside, and judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tealeaves.human.curation_events import Event, Refused

if TYPE_CHECKING:
    from tealeaves.human.item_sets import Item


@dataclass(frozen=True)
class CuratedTopic:
    """One reference topic as it stands.

    Attributes
    ----------
    id, label, description : str
        ``label`` is "" until it has a name.
    items : tuple of str
        The items, that is topics of models, that it is made of.
    words, documents : tuple of str
        What was ticked, in the order of ticking.
    preference : {"words", "documents", ""}
        What tells the topic better; "" for both alike.
    categories : dict
        By the name of a division, the class of the topic in it.
    changed : int
        The event, counted from 1, that changed it last.
    """

    id: str
    label: str = ""
    description: str = ""
    items: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    preference: str = ""
    categories: Mapping[str, str] = field(default_factory=dict)
    changed: int = 0


@dataclass(frozen=True)
class Judgement:
    """What a second reader says of a reference topic of another curator.

    ``at`` is how many events that curator's topic had seen: if it changed later, the judgement is of an
    earlier version.
    """

    curator: str
    topic: str
    verdict: str
    remark: str
    at: int


@dataclass(frozen=True)
class State:
    """What a log comes to.

    Attributes
    ----------
    topics : dict of str to CuratedTopic
        Reference topics by id, in the order of making.
    discarded : dict
        By item, why the model's topic was set aside.
    judgements : dict
        By curator and topic id, what is said of others' topics.
    last, following : int or None
        The event that undoing takes back, and the one that redoing brings back.
    """

    topics: Mapping[str, CuratedTopic] = field(default_factory=dict)
    discarded: Mapping[str, str] = field(default_factory=dict)
    judgements: Mapping[tuple[str, str], Judgement] = field(default_factory=dict)
    last: int | None = field(default=None, compare=False)
    following: int | None = field(default=None, compare=False)

    def of(self, item: str) -> list[CuratedTopic]:
        """The reference topics that an item is part of."""
        return [topic for topic in self.topics.values() if item in topic.items]

    def named(self, label: str) -> CuratedTopic | None:
        """The reference topic of this name, however it is spelt."""
        wanted = label.casefold()
        return next((topic for topic in self.topics.values() if topic.label.casefold() == wanted), None)

    @cached_property
    def done(self) -> frozenset[str]:
        """Items that are part of a reference topic, or set aside."""
        return frozenset(self.discarded).union(*(topic.items for topic in self.topics.values()))


def fold(items: "Mapping[str, Item]", events: Sequence[Event]) -> State:
    """What checked events come to; the same for the same events, and nothing else is looked at.

    Raises
    ------
    Refused
        If an event was not possible where it stands.
    """
    lasting, undone = _lasting(events)
    found = Folding(items)
    for number in lasting:
        event = events[number - 1]
        try:
            getattr(found, event["do"])(number, **{k: v for k, v in event.items() if k != "do"})
        except Refused as error:
            raise Refused(error.kind, f"event {number} ({event['do']}): {error}") from None
    return State(
        found.topics,
        found.discarded,
        found.judged,
        last=lasting[-1] if lasting else None,
        following=undone[-1] if undone else None,
    )


def _lasting(events: Sequence[Event]) -> tuple[list[int], list[int]]:
    """The numbers of the events that last, and of those that were undone and can come back."""
    lasting: list[int] = []
    undone: list[int] = []
    for number, event in enumerate(events, start=1):
        if event["do"] not in ("undo", "redo"):
            lasting.append(number)
            undone.clear()
            continue
        here, there = (lasting, undone) if event["do"] == "undo" else (undone, lasting)
        if not here:
            raise Refused("nothing", f"event {number}: there is nothing to {event['do']}")
        if event["of"] not in (0, here[-1]):
            said = f"event {number}: {event['do']} is of event {event['of']}, but event {here[-1]} is next"
            raise Refused("moved", said)
        there.append(here.pop())
    return lasting, undone


class Folding:
    """The state while it is made: a method for each event."""

    def __init__(self, items: "Mapping[str, Item]") -> None:
        self.items = items
        self.topics: dict[str, CuratedTopic] = {}
        self.discarded: dict[str, str] = {}
        self.judged: dict[tuple[str, str], Judgement] = {}
        self.shown: dict[tuple[str, str], frozenset[str]] = {}

    def make(
        self, number: int, topic: str, item: str, label: str, words: Sequence[str], documents: Sequence[str]
    ) -> None:
        self._new(topic)
        self._item(item)
        self._free(label)
        self.discarded.pop(item, None)
        self.topics[topic] = CuratedTopic(topic, label, items=(item,), changed=number)
        self.tick(number, topic, dict.fromkeys(words, True), dict.fromkeys(documents, True))

    def tick(self, number: int, topic: str, words: Mapping[str, bool], documents: Mapping[str, bool]) -> None:
        here = self._topic(topic)
        found = {
            "words": self._ticked(here, "words", here.words, words),
            "documents": self._ticked(here, "documents", here.documents, documents),
        }
        self._change(number, topic, words=found["words"], documents=found["documents"])

    def _ticked(
        self, here: CuratedTopic, kind: str, held: tuple[str, ...], marks: Mapping[str, bool]
    ) -> tuple[str, ...]:
        if not marks:
            return held
        ticked = dict.fromkeys(held)
        for one, on in marks.items():
            if one not in ticked and not any(one in self._shown(item, kind) for item in here.items):
                said = f"no topic that {here.id} is made of shows {one!r} among its {kind}"
                raise Refused("gone", said)
            if on:
                ticked[one] = None
            else:
                ticked.pop(one, None)
        return tuple(ticked)

    def name(self, number: int, topic: str, label: str) -> None:
        self._topic(topic)
        self._free(label, topic)
        self._change(number, topic, label=label)

    def describe(self, number: int, topic: str, text: str) -> None:
        self._change(number, topic, description=text)

    def prefer(self, number: int, topic: str, preference: str) -> None:
        self._change(number, topic, preference=preference)

    def categorise(self, number: int, topic: str, value: str, division: str) -> None:
        categories = {**self._topic(topic).categories, division: value}
        self._change(number, topic, categories={k: v for k, v in categories.items() if v})

    def join(self, number: int, topic: str, item: str) -> None:
        here = self._topic(topic)
        self._item(item)
        if item in here.items:
            raise Refused("there", f"{topic} is made of {item} already")
        self.discarded.pop(item, None)
        self._change(number, topic, items=(*here.items, item))

    def leave(self, number: int, topic: str, item: str) -> None:
        here = self._topic(topic)
        if item not in here.items:
            raise Refused("gone", f"{topic} is not made of {item}")
        if len(here.items) == 1:
            raise Refused("only", f"{topic} is made of {item} alone: remove it instead")
        rest = tuple(one for one in here.items if one != item)
        kept = {
            kind: tuple(one for one in held if any(one in self._shown(i, kind) for i in rest))
            for kind, held in (("words", here.words), ("documents", here.documents))
        }
        self._change(number, topic, items=rest, **kept)

    def merge(self, number: int, topic: str, into: str) -> None:
        gone, here = self._topic(topic), self._topic(into)
        if topic == into:
            raise Refused("bad", f"{topic} cannot be merged with itself")
        del self.topics[topic]
        self._change(
            number,
            into,
            label=here.label or gone.label,
            description=here.description or gone.description,
            items=_union(here.items, gone.items),
            words=_union(here.words, gone.words),
            documents=_union(here.documents, gone.documents),
            categories={**gone.categories, **here.categories},
        )

    def split(
        self,
        number: int,
        topic: str,
        new: str,
        label: str,
        words: Sequence[str],
        documents: Sequence[str],
    ) -> None:
        here = self._topic(topic)
        self._new(new)
        self._free(label)
        for kind, moved, held in (("words", words, here.words), ("documents", documents, here.documents)):
            if lacking := [one for one in moved if one not in held]:
                raise Refused("gone", f"{lacking[0]!r} is not among the {kind} of {topic}")
        if not words and not documents:
            raise Refused("empty", f"nothing of {topic} is split off: name words or documents")
        staying = {
            "words": tuple(one for one in here.words if one not in words),
            "documents": tuple(one for one in here.documents if one not in documents),
        }
        going = {
            "words": tuple(one for one in here.words if one in words),
            "documents": tuple(one for one in here.documents if one in documents),
        }
        off = [item for item in here.items if self._holds(item, going)]
        stay = [item for item in here.items if self._holds(item, staying) or item not in off]
        self._change(number, topic, items=tuple(stay) or here.items, **staying)
        made = CuratedTopic(new, label, items=tuple(off) or here.items, changed=number)
        self.topics[new] = replace(made, words=going["words"], documents=going["documents"])

    def remove(self, number: int, topic: str) -> None:
        self._topic(topic)
        del self.topics[topic]

    def discard(self, number: int, item: str, reason: str) -> None:
        self._item(item)
        if held := [topic for topic in self.topics.values() if item in topic.items]:
            raise Refused("used", f"{item} is part of {held[0].id} ({held[0].label}): take it out first")
        self.discarded[item] = reason

    def reopen(self, number: int, item: str) -> None:
        if item not in self.discarded:
            raise Refused("gone", f"{item} was not discarded")
        del self.discarded[item]

    def judge(self, number: int, curator: str, topic: str, verdict: str, remark: str, at: int) -> None:
        self.judged.pop((curator, topic), None)
        if verdict or remark:
            self.judged[curator, topic] = Judgement(curator, topic, verdict, remark, at)

    def _topic(self, topic: str) -> CuratedTopic:
        if topic not in self.topics:
            raise Refused("gone", f"there is no reference topic {topic!r}")
        return self.topics[topic]

    def _item(self, item: str) -> None:
        if item not in self.items:
            raise Refused("gone", f"there is no item {item!r}")

    def _new(self, topic: str) -> None:
        if topic in self.topics:
            raise Refused("there", f"there is a reference topic {topic!r} already")

    def _free(self, label: str, own: str = "") -> None:
        wanted = label.casefold()
        for topic in self.topics.values():
            if wanted and topic.id != own and topic.label.casefold() == wanted:
                raise Refused(
                    "taken", f"{topic.id} is called {topic.label!r} already: merge both, or name it anew"
                )

    def _change(self, number: int, topic: str, **values: Any) -> None:
        self.topics[topic] = replace(self._topic(topic), changed=number, **values)

    def _shown(self, item: str, kind: str) -> frozenset[str]:
        if (item, kind) not in self.shown:
            shown = self.items[item].shown
            names = shown["words"] if kind == "words" else [str(one["id"]) for one in shown["documents"]]
            self.shown[item, kind] = frozenset(names)
        return self.shown[item, kind]

    def _holds(self, item: str, chosen: Mapping[str, Sequence[str]]) -> bool:
        return any(one in self._shown(item, kind) for kind, some in chosen.items() for one in some)


def _union(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
