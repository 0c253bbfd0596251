"""What readers of texts hand over: a row for each document."""

import difflib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

Fields = Mapping[str, str | None]
ROLES = ("text", "id", "time", "label")
FIELDS = 20  # that an error names


class Row(NamedTuple):
    """A document as its file has it; ``line`` is 0 where the format has no lines."""

    line: int
    text: object
    id: object = None
    time: object = None
    label: object = None


def named(fields: Fields) -> dict[str, str]:
    """The field of each role; the text's and the id's have names by default."""
    names = {"text": "text", "id": "id"} | {role: name for role, name in fields.items() if name is not None}
    return {role: names[role] for role in ROLES if role in names}


def no_field(role: str, name: str, there: Iterable[str]) -> str:
    """What is wrong where a field is not there."""
    fields = list(map(str, there))
    near = difflib.get_close_matches(name, fields, n=1)
    more = f" and {len(fields) - FIELDS:,} more" if len(fields) > FIELDS else ""
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"no field {name!r} for {role}=; there are: {', '.join(map(repr, fields[:FIELDS]))}{more}{hint}"


def in_roles(record: Mapping[str, object], names: Mapping[str, str]) -> tuple[object, ...]:
    """The values of a record in the order of the roles, None where there is no field of one."""
    return tuple(record.get(names[role]) if role in names else None for role in ROLES)
