"""Answers of a model as rater to exported prompts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, InputError
from tealeaves.human.answer_formats.cells import fields_of, folded
from tealeaves.human.answer_formats.files import Rows, lines_of, number_or_none
from tealeaves.human.answers import FIELDS, MODEL
from tealeaves.human.item_sets import CHOICES, Item


def read_model_rater(paths: list[Path], known: Any, rater: str | None = None, invalid: str = "error") -> Rows:
    """A line for each prompt: what the model said, as the value of an answer."""
    if not known:
        raise FormatError(paths[0], "answers of a model need the items they are about: items=items.jsonl")
    if invalid not in ("error", "wrong", "missing"):
        raise InputError(f"invalid must be error, wrong or missing; got {invalid!r}")
    names: dict[str, Item] = {item.id: item for item in known.values()}
    rows, unread = [], dict.fromkeys(("counted as wrong", "left out"), 0)
    for path in paths:
        name = rater or path.stem
        for line, record in lines_of(path):
            item = names.get(str(record.get("id")))
            if item is None:
                raise FormatError(path, f"there is no item {record.get('id')!r}", line=line)
            value = _said(item, record)
            if value is None and invalid == "error":
                said = record.get("answer")
                wanted = f"one of {'; '.join(item.options)}" if item.options else fields_of(item.task)
                raise FormatError(
                    path,
                    f"{said!r} is no answer to item {item.id}; wanted is {wanted} "
                    '(invalid="wrong", --invalid wrong: it counts as wrong; "missing": it is left out)',
                    line=line,
                )
            row: dict[str, Any] = {"rater": name, "item": item.id, "task": item.task, "form": MODEL}
            row["value"] = value or {}
            if value is None and (invalid == "missing" or item.key is None):  # no answer is wrong there
                unread["left out"] += 1
                continue
            if value is None:
                unread["counted as wrong"] += 1
                row["correct"] = False
            rows.append(row)
    return rows, None, [_unread(n, treated) for treated, n in unread.items() if n]


def _unread(n: int, treated: str) -> str:
    were = "answer of a model was" if n == 1 else "answers of a model were"
    return f"{n} {were} none of the options: {treated}"


def _said(item: Item, record: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a model said of an item, as a value; None if it is no answer."""
    said = record.get("answer", record.get("value"))
    if isinstance(said, Mapping):
        said = dict(said)
        return said if item.task not in CHOICES or said.get("choice") in item.options else None
    if item.task in CHOICES:
        given = record.get("choice", said)
        text = " ".join(str(given if given is not None else "").split())
        alike = [option for option in item.options if folded(option) == folded(text)]
        if len(alike) == 1:
            return {"choice": alike[0]}
        letters = record.get("choices") or _letters(item)
        option = letters.get(text.strip(" .)(").upper()) if isinstance(letters, Mapping) else None
        return {"choice": option} if option in item.options else None
    wanted = [name for name in FIELDS[item.task] if name != "named"]
    numbers = {name: number_or_none(record.get(name)) for name in wanted if record.get(name) is not None}
    if not numbers and len(wanted) == 1:
        numbers = {wanted[0]: number_or_none(said)}
    if item.task == "topic_labelling" and said:
        return {"label": str(said)}
    return numbers if numbers and None not in numbers.values() and len(numbers) == len(wanted) else None


def _letters(item: Item) -> Mapping[str, str]:
    from tealeaves.human.prompts import prompts

    choices = prompts(item).get("choices")
    return choices if isinstance(choices, Mapping) else {}
