"""Reader of JSON Lines: an object for each document."""

import json
from collections.abc import Iterator
from pathlib import Path

from tealeaves.errors import FormatError
from tealeaves.readers._lines import lines
from tealeaves.readers._rows import Fields, Row, in_roles, named, no_field


def read_jsonl_rows(path: Path, fields: Fields) -> Iterator[Row]:
    """A JSON object a line; blank lines are none."""
    names = named(fields)
    for number, line in lines(path):
        if not line or line.isspace():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(path, f"is no JSON: {error}", number) from None
        if not isinstance(record, dict):
            hint = "; is the file one JSON array rather than JSONL?" if number == 1 else ""
            raise FormatError(path, f"a JSON object was expected, not {type(record).__name__}{hint}", number)
        for role, name in names.items():
            if name not in record and not (role == "id" and fields.get("id") is None):
                raise FormatError(path, no_field(role, name, record), number)
        yield Row(number, *in_roles(record, names))
