"""Forms of the curators' pages, as events.

Of the sheet of a topic the script sends only what was changed, and a browser without script the whole form,
with ``whole``: boxes that do not come are not ticked. Words and documents are named by their place among
those that the item shows.
"""

import hashlib
import json
from collections.abc import Mapping

from tealeaves.human.curation import Curation
from tealeaves.human.curation_events import CATEGORY, Event, Refused
from tealeaves.human.curation_state import CuratedTopic

Form = Mapping[str, str]
NOT_SAID = ("csrf", "idempotency", "back")
SIDES = {"words": "words", "documents": "documents", "both": ""}


def key_of(form: Form) -> str:
    """What a request is known by: its page's key and what it says, so that a changed form is another."""
    said = sorted((name, value) for name, value in form.items() if name not in NOT_SAID)
    text = json.dumps([form.get("idempotency", "")[:64], said])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def events_of(curation: Curation, form: Form) -> list[Event]:
    """The events that a form stands for; none where it changes nothing.

    Raises
    ------
    Refused
        If the form is none of our pages', or what it was made for has changed since.
    """
    what = form.get("do", "")
    if what == "sheet":
        return _sheet(curation, form)
    if what == "split":
        return _split(curation, form)
    if what in ("undo", "redo"):
        return [{"do": what, "of": _whole_number(form.get("of", ""))}]
    if what == "judge":
        return _judge(curation, form)
    fields = {"join": ("topic", "item"), "leave": ("topic", "item"), "merge": ("topic", "into"),
              "remove": ("topic",), "discard": ("item", "reason"), "reopen": ("item",)}.get(what)  # fmt: skip
    if fields is None:
        raise Refused("bad", "there is no such step")
    return [{"do": what, **{name: form.get(name, "") for name in fields}}]


def _sheet(curation: Curation, form: Form) -> list[Event]:
    item, name, whole = form.get("item", ""), form.get("topic", ""), form.get("whole") == "1"
    if item not in curation.items:
        raise Refused("gone", "there is no such topic")
    topic = curation.state.topics.get(name)
    if topic is not None and item not in topic.items:
        raise Refused("moved", "the topic was taken out of this reference topic")
    if topic is None and form.get("seen", "0") != "0":
        raise Refused("moved", "the reference topic is not there any more")
    if topic is not None and whole and form.get("seen") != str(topic.changed):
        raise Refused("moved", "the reference topic was changed elsewhere")
    shown = curation.items[item].shown
    words = _marks(form, "w", shown["words"], whole)
    documents = _marks(form, "d", [str(d["id"]) for d in shown["documents"]], whole)
    old = topic or CuratedTopic(name)
    label = " ".join(form.get("label", old.label).split())
    events: list[Event] = []
    if topic is None:
        chosen = {
            "label": label,
            "words": [one for one, on in words.items() if on],
            "documents": [one for one, on in documents.items() if on],
        }
        events.append({"do": "make", "topic": name, "item": item, **chosen})
    elif label != old.label:
        events.append({"do": "name", "topic": name, "label": label})
    text = form.get("text", old.description).replace("\r\n", "\n").strip()
    category = " ".join(form.get("category", old.categories.get(CATEGORY, "")).split())
    side = SIDES.get(form["preference"], old.preference) if "preference" in form else old.preference
    if text != old.description:
        events.append({"do": "describe", "topic": name, "text": text})
    if category != old.categories.get(CATEGORY, ""):
        events.append({"do": "categorise", "topic": name, "value": category, "division": CATEGORY})
    if side != old.preference:
        events.append({"do": "prefer", "topic": name, "preference": side})
    if topic is not None:
        new_words = {one: on for one, on in words.items() if on != (one in topic.words)}
        new_documents = {one: on for one, on in documents.items() if on != (one in topic.documents)}
        if new_words or new_documents:
            events.append({"do": "tick", "topic": name, "words": new_words, "documents": new_documents})
    elif len(events) == 1 and not any(chosen.values()):
        return []  # an empty sheet makes nothing
    return events


def _marks(form: Form, letter: str, names: list[str], whole: bool) -> dict[str, bool]:
    """Which of the names are ticked and which not, as far as the form says."""
    found = {}
    for place, name in enumerate(names, start=1):
        said = form.get(f"{letter}{place}")
        if said is not None or whole:
            found[name] = said == "1"
    return found


def _split(curation: Curation, form: Form) -> list[Event]:
    topic = curation.state.topics.get(form.get("topic", ""))
    if topic is None or form.get("seen") != str(topic.changed):
        raise Refused("moved", "the reference topic was changed elsewhere")
    words = [one for one, on in _marks(form, "w", list(topic.words), True).items() if on]
    documents = [one for one, on in _marks(form, "d", list(topic.documents), True).items() if on]
    chosen = {"label": form.get("label", ""), "words": words, "documents": documents}
    return [{"do": "split", "topic": topic.id, "new": form.get("new", ""), **chosen}]


def _judge(curation: Curation, form: Form) -> list[Event]:
    event: Event = {
        "do": "judge",
        "curator": form.get("curator", ""),
        "topic": form.get("topic", ""),
        "verdict": form.get("verdict", ""),
        "remark": form.get("remark", "").replace("\r\n", "\n").strip(),
        "at": _whole_number(form.get("at", "")),
    }
    old = curation.state.judgements.get((event["curator"], event["topic"]))
    if old is not None and (old.verdict, old.remark, old.at) == (
        event["verdict"],
        event["remark"],
        event["at"],
    ):
        return []
    return [event]


def _whole_number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise Refused("bad", "a number was expected")
    return int(text)
