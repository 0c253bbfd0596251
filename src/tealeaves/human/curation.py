"""Curation of reference topics: what somebody did, step by step, and what it comes to.

A curator looks at topics of models and makes reference topics of them, as Korenčić et al. (2021) do in
Appendix A: names what they are about, ticks the words and documents that tell it well, says whether words or
documents tell it better, and puts together or takes apart what the model did not. Each step is an event; a
log of events is only ever added to, undoing included, and says everything.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.errors import FormatError
from tealeaves.human.curation_events import TASK as TASK
from tealeaves.human.curation_events import Event, checked
from tealeaves.human.curation_events import Refused as Refused
from tealeaves.human.curation_state import CuratedTopic, Judgement, fold

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.human.item_sets import Item
    from tealeaves.reference_topics import ReferenceTopics


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
        for number, line in enumerate(Path(path).read_text("utf-8").split("\n"), start=1):
            if not line:  # after the last
                continue
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
