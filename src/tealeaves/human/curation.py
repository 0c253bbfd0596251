"""Curation of reference topics: what somebody did, step by step, and what it comes to.

A curator looks at topics of models and makes reference topics of them, as Korenčić et al. (2021) do in
Appendix A: names what they are about, ticks the words and documents that tell it well, says whether words or
documents tell it better, and puts together or takes apart what the model did not. Each step is an event; a
log of events is only ever added to, undoing included, and says everything.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.errors import FormatError, InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.human.item_sets import Item
    from tealeaves.reference_topics import ReferenceTopics

TASK = "reference_topic_curation"
Event = dict[str, Any]
LABEL, TEXT, MANY = 120, 2000, 1000  # letters of a name and of a text; words or documents of one event
PREFERENCES = ("words", "documents", "")
VERDICTS = ("agree", "disagree", "")
CATEGORY = "category"  # the division of categories where none is named
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


class Refused(InputError):
    """A step that cannot be taken; ``kind`` says why in one word, for pages in other languages."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


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


class Curation:
    """The log of one curator, and the reference topics it comes to. Never changed: steps make a new one.

    Parameters
    ----------
    items : iterable of Item
        Topics of models, as ``items("reference_topic_curation", …)`` makes them.
    events : sequence of dict
        What was done, the first thing first. ``do`` says what, and of each the other fields are:

        ``make``
            topic (a new id), item, [label, words, documents]: a reference topic from a model's topic
        ``tick``
            topic, words, documents: by word or document, true for ticked and false for not
        ``name``, ``describe``, ``prefer``, ``categorise``
            topic, and label, text, preference ("words", "documents", ""), or value and [division]
        ``join``, ``leave``
            topic, item: one more model's topic is about the same, or is not after all
        ``merge``
            topic, into: both are one
        ``split``
            topic, new (an id), words, documents, [label]: these are another
        ``remove``
            topic
        ``discard``, ``reopen``
            item, and reason
        ``judge``
            curator, topic, verdict ("agree", "disagree", ""), remark, at: of another's topic
        ``undo``, ``redo``
            [of]: the number of the event that is meant
    curator : str
        Whose log it is.

    Raises
    ------
    Refused
        If an event is not one of these, or was not possible where it stands; the message says which.

    Examples
    --------
    >>> from tealeaves.human.item_sets import Item
    >>> shown = {"words": ["oil", "gas", "said", "opec"], "weights": None, "documents": []}
    >>> item = Item("i0001", "reference_topic_curation", "lda", 7, shown=shown)
    >>> curation = Curation([item]).do(
    ...     {"do": "make", "topic": "r1", "item": "i0001", "label": "energy"},
    ...     {"do": "tick", "topic": "r1", "words": {"oil": True, "gas": True, "said": True}},
    ...     {"do": "tick", "topic": "r1", "words": {"said": False}},
    ... )
    >>> curation.state.topics["r1"].words
    ('oil', 'gas')
    >>> curation.do({"do": "undo"}).state.topics["r1"].words
    ('oil', 'gas', 'said')
    >>> curation.reference_topics().top_words()
    [['gas', 'oil']]
    """

    def __init__(
        self, items: "Iterable[Item]", events: Sequence[Mapping[str, Any]] = (), curator: str = ""
    ) -> None:
        self.items: dict[str, Item] = {item.id: item for item in items}
        self.events = tuple(checked(event, number) for number, event in enumerate(events, start=1))
        self.curator = curator
        self.state = fold(self.items, self.events)

    def __repr__(self) -> str:
        done, all_ = len(self.state.done & self.items.keys()), len(self.items)
        return f"<Curation: {len(self.state.topics)} reference topics, {done} of {all_} model topics done>"

    def do(self, *events: Mapping[str, Any]) -> "Curation":
        """The same log with more events.

        Raises
        ------
        Refused
            If one of them is not possible; then none is done.
        """
        more = [checked(event, number) for number, event in enumerate(events, start=len(self.events) + 1)]
        return Curation.of_checked(self.items, (*self.events, *more), self.curator)

    @classmethod
    def of_checked(
        cls, items: "Mapping[str, Item]", events: Sequence[Event], curator: str = ""
    ) -> "Curation":
        """The same as a call, of events that were checked before: nothing is checked twice."""
        made = object.__new__(cls)
        made.items, made.events, made.curator = dict(items), tuple(events), curator
        made.state = fold(made.items, made.events)
        return made

    def documents_of(self, topic: CuratedTopic) -> dict[str, Mapping[str, Any]]:
        """The documents that the items of a topic show, by id."""
        return {str(d["id"]): d for item in topic.items for d in self.items[item].shown["documents"]}

    def reference_topics(
        self,
        corpus: "Corpus | None" = None,
        readers: "Sequence[Curation]" = (),
        *,
        agreed: bool = False,
        name: str = "curated",
    ) -> "ReferenceTopics":
        """The reference topics, weighed as in Appendix A of Korenčić et al. (2021).

        Parameters
        ----------
        corpus : Corpus, optional
            The documents. Words weigh .8, .2 or .5, as the words tell a topic better, the documents or both;
            the rest is the tf-idf rows of its documents. Without a corpus each ticked word weighs 1.
        readers : sequence of Curation
            Of second readers.
        agreed : bool
            Only topics that a second reader agreed to as they are now, and none disagreed to.

        Raises
        ------
        InputError
            If there is no topic with a name and with words or documents.
        """
        from tealeaves.human.curation_export import reference_topics

        return reference_topics(self, corpus, readers, agreed=agreed, name=name)

    def write(
        self,
        path: str | PathLike[str],
        corpus: "Corpus | None" = None,
        readers: "Sequence[Curation]" = (),
        *,
        agreed: bool = False,
    ) -> "ReferenceTopics":
        """Write the reference topics for `tealeaves.read_reference_topics`: .json, .csv or else a folder.

        JSON has descriptions, preferences, topics of models and judgements as well.
        """
        from tealeaves.human.curation_export import write

        return write(self, Path(path), corpus, readers, agreed=agreed)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the log, an event on each line."""
        lines = [json.dumps(event, ensure_ascii=False) + "\n" for event in self.events]
        Path(path).write_text("".join(lines), "utf-8", newline="\n")

    @classmethod
    def load(cls, path: str | PathLike[str], items: "Iterable[Item]", curator: str = "") -> "Curation":
        """Read back a log.

        Raises
        ------
        FormatError
            If a line is no event, or not possible where it stands.
        """
        events = []
        for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), start=1):
            try:
                events.append(json.loads(line))
            except ValueError as error:
                raise FormatError(Path(path), f"is no line of JSON: {error}", line=number) from None
        try:
            return cls(items, events, curator)
        except Refused as error:
            raise FormatError(Path(path), str(error)) from None


def judgements(curation: Curation, readers: Iterable[Curation]) -> dict[str, list[tuple[str, Judgement]]]:
    """What second readers say of each topic: by its id, pairs of the reader's name and the judgement."""
    found: dict[str, list[tuple[str, Judgement]]] = {topic: [] for topic in curation.state.topics}
    for reader in readers:
        for said in reader.state.judgements.values():
            if said.curator == curation.curator and said.topic in found:
                found[said.topic].append((reader.curator, said))
    return found


def curations(folder: str | PathLike[str], database: str | None = None) -> dict[str, Curation]:
    """What the curators of a study have done, by their names ("R-001").

    Parameters
    ----------
    folder : path
        Of the study. What was tried out while it was a draft does not count, unless it still is one.
    database : str, optional
        The URL of its database, if it is not the file in the folder.

    Raises
    ------
    InputError
        If the study is of another task.
    """
    from tealeaves.human.app import curation_log
    from tealeaves.human.app.organiser_data import opened

    with opened(Path(folder), database) as (study, store):
        return curation_log.curations(study, store, draft=study.phase == "draft")


# --- What an event looks like


def checked(event: Mapping[str, Any], number: int = 0) -> Event:
    """An event with every field it has, each of its kind.

    Raises
    ------
    Refused
        If it is none; the message begins with its number, if that is said.
    """
    where = f"event {number}: " if number else ""
    if not isinstance(event, Mapping):
        raise Refused("bad", f"{where}an event is an object, but found {event!r:.60}")
    what = event.get("do")
    if not isinstance(what, str) or what not in FIELDS:
        raise Refused("bad", f"{where}there is no event {what!r:.40}; there are {', '.join(FIELDS)}")
    fields = FIELDS[what]
    if unknown := sorted(set(event) - {"do", *fields}):
        raise Refused("bad", f"{where}{what} has no field {unknown[0]!r}; it has {', '.join(fields)}")
    found: Event = {"do": what}
    for name, (check, default) in fields.items():
        if name not in event and default is None:
            raise Refused("bad", f"{where}{what} needs {name}")
        try:
            found[name] = check(event.get(name, default))
        except Refused as error:
            raise Refused(error.kind, f"{where}{name} of {what} {error}") from None
    return found


def _id(value: Any) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise Refused("bad", f"must be up to 40 letters, digits, _, . or -; found {value!r:.60}")
    return value


def _text(most: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise Refused("bad", f"must be a text; found {value!r:.60}")
        kept = "".join(c for c in value if c.isprintable() or c in "\n\t").strip()
        if most == LABEL:
            kept = " ".join(kept.split())
        if len(kept) > most:
            raise Refused("long", f"has {len(kept):,} letters, but at most {most:,} are kept")
        return kept

    return check


def _one_of(*wanted: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in wanted:
            raise Refused("bad", f"must be one of {', '.join(map(repr, wanted))}; found {value!r:.40}")
        return str(value)

    return check


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Refused("bad", f"must be a whole number, at least 0; found {value!r:.40}")
    return value


def _names(value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise Refused("bad", f"must be a list of texts; found {value!r:.60}")
    if len(value) > MANY:
        raise Refused("long", f"are {len(value):,}, but at most {MANY:,} in one step")
    return list(dict.fromkeys(value))


def _marks(value: Any) -> dict[str, bool]:
    if not isinstance(value, Mapping) or not all(
        isinstance(k, str) and isinstance(v, bool) for k, v in value.items()
    ):
        raise Refused("bad", f"must be true or false by name; found {value!r:.60}")
    _names([*value])
    return dict(value)


# By event, its fields: how each is checked, and what stands for it if it is left out; None: it must be there.
_TOPIC: dict[str, tuple[Callable[[Any], Any], Any]] = {"topic": (_id, None)}
_ITEM: dict[str, tuple[Callable[[Any], Any], Any]] = {"item": (_id, None)}
_CHOSEN: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "label": (_text(LABEL), ""),
    "words": (_names, ()),
    "documents": (_names, ()),
}
FIELDS: Mapping[str, Mapping[str, tuple[Callable[[Any], Any], Any]]] = {
    "make": {**_TOPIC, **_ITEM, **_CHOSEN},
    "tick": {**_TOPIC, "words": (_marks, {}), "documents": (_marks, {})},
    "name": {**_TOPIC, "label": (_text(LABEL), None)},
    "describe": {**_TOPIC, "text": (_text(TEXT), None)},
    "prefer": {**_TOPIC, "preference": (_one_of(*PREFERENCES), None)},
    "categorise": {**_TOPIC, "value": (_text(LABEL), None), "division": (_text(LABEL), CATEGORY)},
    "join": {**_TOPIC, **_ITEM},
    "leave": {**_TOPIC, **_ITEM},
    "merge": {**_TOPIC, "into": (_id, None)},
    "split": {**_TOPIC, "new": (_id, None), **_CHOSEN},
    "remove": _TOPIC,
    "discard": {**_ITEM, "reason": (_text(TEXT), "")},
    "reopen": _ITEM,
    "judge": {
        "curator": (_id, None), **_TOPIC, "verdict": (_one_of(*VERDICTS), None),
        "remark": (_text(TEXT), ""), "at": (_number, 0),
    },
    "undo": {"of": (_number, 0)},
    "redo": {"of": (_number, 0)},
}  # fmt: skip


# --- What a log comes to


def fold(items: "Mapping[str, Item]", events: Sequence[Event]) -> State:
    """What checked events come to; the same for the same events, and nothing else is looked at.

    Raises
    ------
    Refused
        If an event was not possible where it stands.
    """
    lasting, undone = _lasting(events)
    found = _Fold(items)
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


class _Fold:
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
