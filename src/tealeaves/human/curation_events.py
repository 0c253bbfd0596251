"""The steps of a curator: what an event looks like, and how each of its fields is checked."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from tealeaves.errors import InputError

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
