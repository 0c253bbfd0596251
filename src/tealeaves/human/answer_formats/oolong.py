"""The .RDS files that raters download from the pages of oolong, a package of R."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError
from tealeaves.human.answer_formats.files import Rows, number_or_none
from tealeaves.human.item_sets import Item


def read_oolong(paths: list[Path], known: Any, model: str = "oolong") -> Rows:
    """A file for each rater, all of one test."""
    rows: list[dict[str, Any]] = []
    items: dict[tuple[str, str], Item] = {}
    raters: list[str] = []
    tests: dict[str, Path] = {}
    for path in paths:
        test, who, digest = _rds(path)
        tests.setdefault(digest, path)
        if len(tests) > 1:
            one, other = list(tests.values())[:2]
            raise FormatError(other, f"is of another test than {one.name}: their hashes differ")
        raters.append(who if who and who not in raters else f"{who or 'rater'} {len(raters) + 1}")
        for number, row in enumerate(test.to_dict("records"), start=1):
            item = _oolong_item(row, number, model)
            items[item.task, item.id] = item
            choice = _oolong_answer(item, row)
            if choice is not None:
                value = {"choice": choice}
                rows.append({"rater": raters[-1], "item": item.id, "task": item.task, "value": value})
    return rows, items, []


def _rds(path: Path) -> tuple[Any, str, str]:
    """The table of a downloaded test, its rater and the hash of what was asked."""
    import warnings

    from tealeaves._optional import require
    from tealeaves.readers._files import read_bytes

    rdata = require("rdata", extra="r")
    read_bytes(path)  # a file that is cut off, or packed to do harm, is told here
    wanted = "wanted is what a rater downloads from oolong's page, a list with test_items, hash and userid"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes that it does not know and that are not needed
            found = rdata.conversion.convert(rdata.parser.parse_file(path))
    except Exception as error:  # a damaged file may raise anything there
        said = f"{type(error).__name__}: {str(error)[:100]}".rstrip(": ")
        raise FormatError(
            path, f"{wanted}; this cannot be read ({said}), nor can a whole oolong object"
        ) from None
    test = found.get("test_items") if isinstance(found, Mapping) else None
    if test is None or not hasattr(test, "columns"):
        raise FormatError(
            path, f"{wanted}; this has {', '.join(found) if isinstance(found, Mapping) else 'none'}"
        )
    if not {"candidates", "intruder", "answer"} <= set(test.columns):
        raise FormatError(path, "is a test that rates documents, not topics: there is no task for it here")
    text = [str(found[name][0]) if len(found.get(name, ())) else "" for name in ("userid", "hash")]
    return test, text[0].strip(), text[1]


def _oolong_item(row: Mapping[str, Any], number: int, model: str) -> Item:
    candidates = [_r_text(value) for value in row["candidates"]]
    intruder, name = _r_text(row["intruder"]), f"i{number:04d}"
    if "thetas" in row:
        labels = [str(label) for label in row["topic_labels"]]
        if len(set(labels)) < len(labels):
            labels = [f"{label} ({topic})" for label, topic in zip(labels, candidates, strict=True)]
        hidden = {"theta": [float(share) for share in row["thetas"]], "topics": candidates}
        key = labels[candidates.index(intruder)]
        return Item(name, "topic_intrusion", model, None, options=tuple(labels), key=key, hidden=hidden)
    task = "word_set_intrusion" if all(", " in option for option in candidates) else "word_intrusion"
    return Item(name, task, model, int(row["t"]) - 1, options=tuple(candidates), key=intruder)


def _oolong_answer(item: Item, row: Mapping[str, Any]) -> str | None:
    said = row["answer"]
    if said is None or said != said or str(said) in ("NA", "nan", "<NA>"):  # nan is not itself
        return None
    topics = item.hidden.get("topics")
    return item.options[topics.index(_r_text(said))] if topics else str(said)


def _r_text(value: Any) -> str:
    """An R value as text: 3.0 is 3."""
    number = number_or_none(value)
    return str(int(number)) if number is not None and number.is_integer() else str(value)
