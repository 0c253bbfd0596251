"""The mean ratings of Lau and Baldwin (2016)."""

import re
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, InputError
from tealeaves.human.answer_formats.files import Rows, number_or_none, table_of


def read_lau_baldwin(paths: list[Path], known: Any, top: int | None = None) -> Rows:
    """A topic a row, and a mean rating by how many of its words were shown."""
    rows: list[dict[str, Any]] = []
    for path in paths:
        table = table_of(path)
        counts: dict[str, int] = {}
        shown = {name: int(name[4:]) for name in table.columns if re.fullmatch(r"top-\d+", name)}
        if top is not None and top not in shown.values():
            sizes = ", ".join(map(str, shown.values()))
            raise InputError(f"there are ratings of the top {sizes} words, none of the top {top}")
        for line, cells in enumerate(table.iter_rows(named=True), start=2):
            domain = str(cells["domain"])
            topic = counts[domain] = counts.get(domain, -1) + 1
            for name, size in shown.items():
                if top is not None and size != top:
                    continue
                rating = number_or_none(cells[name])
                if rating is None:
                    raise FormatError(path, f"{cells[name]!r} is no mean rating", line=line)
                rows.append(
                    {
                        "study": domain,
                        "rater": "mean",
                        "item": f"{domain}/{topic}/{name}",
                        "task": "word_set_rating",
                        "model": name,
                        "topic": topic,
                        "value": {"rating": rating, "words": str(cells["topic"]).split()[:size]},
                    }
                )
    return rows, None, ["ratings are means over raters: how these differed is not known"]
