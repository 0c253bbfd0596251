"""A cell of somebody's table as the value of an answer."""

import re
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, InputError
from tealeaves.human.answer_formats.files import number_or_none
from tealeaves.human.answers import FIELDS
from tealeaves.human.item_sets import CHOICES, TASKS, Item


def cell_value(path: Path, line: int, cell: Any, item: Item | None, task: str | None) -> dict[str, Any]:
    """A cell as the value of an answer: an option's text or place, or a number of the task's field."""
    kind = item.task if item else task
    if kind is None:
        raise FormatError(
            path, f"what was asked is not known: say task= one of {', '.join(TASKS)}, or items="
        )
    if kind not in TASKS:
        raise InputError(f"there is no task {kind!r}; there are {', '.join(TASKS)}")
    text = " ".join(str(cell).split())
    if kind in CHOICES:
        if item is None:
            return {"choice": text}
        alike = [option for option in item.options if folded(option) == folded(text)]
        if len(alike) == 1:
            return {"choice": alike[0]}
        place = number_or_none(text)
        if place is not None and place.is_integer() and 1 <= place <= len(item.options):
            return {"choice": item.options[int(place) - 1]}
        raise FormatError(
            path, f"{text!r} is no option of item {item.id}; there are {'; '.join(item.options)}", line=line
        )
    number = number_or_none(re.split(r"[ :=–-]", text)[0]) if text else None
    if number is None:
        raise FormatError(path, f"{text!r} is no number of {fields_of(kind)}", line=line)
    return {FIELDS[kind][0]: number}


def familiarity_of(text: str) -> str:
    """How well the words were known, by the sentences and numbers that surveys use."""
    said = text.casefold()
    if said in ("most", "sure", "unsure"):
        return said
    if said in ("1", "2", "3"):
        return ("most", "sure", "unsure")[int(said) - 1]
    if "not" not in said and "unfamiliar" not in said:
        return "most"
    return "unsure" if re.search(r"cannot|can't|not (answer|confident|sure)", said) else "sure"


def folded(text: str) -> str:
    """A text as two that mean the same are alike."""
    return " ".join(text.casefold().split())


def fields_of(task: str) -> str:
    """What answers to a task are scored by."""
    return " and ".join(FIELDS[task])
