"""The two layouts of the answers of Hoyle et al. (2021)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError
from tealeaves.human.answer_formats.files import Rows, lines_of, table_of
from tealeaves.human.item_sets import Item

HOYLE_FAMILIARITY = {7: "most", 8: "sure", 9: "unsure", 4: "most", 5: "sure", 6: "unsure"}


def read_hoyle(paths: list[Path], known: Any, dataset: str | None = None) -> Rows:
    """A topic a line, each with all ratings and whether its intruder was found."""
    rows: list[dict[str, Any]] = []
    for path in paths:
        for line, topic in lines_of(path):
            if dataset is not None and topic.get("dataset") != dataset:
                continue
            try:
                rows += _of_hoyle(topic)
            except (KeyError, TypeError, ValueError) as error:
                raise FormatError(path, f"a topic lacks {error}", line=line) from None
    note = "raters are not told apart across topics: each topic's are taken for people of its own"
    return rows, None, [note]


def _of_hoyle(topic: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    at = {"study": topic["dataset"], "model": topic["model"], "topic": topic["topic"], "item": topic["id"]}
    for r, (rating, sure) in enumerate(zip(topic["ratings"], topic["ratings_confident"], strict=True)):
        value = {"rating": rating, "familiarity": "sure" if sure else "unsure"}
        yield {**at, "rater": f"{topic['id']}#r{r:02d}", "task": "word_set_rating", "value": value}
    answers = zip(topic["intrusion_correct"], topic["intrusion_confident"], strict=True)
    for r, (right, sure) in enumerate(answers):
        value = {"familiarity": "sure" if sure else "unsure"}
        row = {**at, "rater": f"{topic['id']}#i{r:02d}", "task": "word_intrusion", "value": value}
        yield {**row, "correct": bool(right)}


def read_hoyle_wide(paths: list[Path], known: Any) -> Rows:
    """A rater a row, a topic a column; cells such as "6,7"."""
    rows: list[dict[str, Any]] = []
    items: dict[tuple[str, str], Item] = {}
    for path in paths:
        table = table_of(path)
        places = {name: found for name in table.columns if (found := topic_column(name)) is not None}
        for number, cells in enumerate(table.iter_rows(named=True)):
            for name, (dataset, model, topic) in places.items():
                if not cells[name]:
                    continue
                said = re.fullmatch(r"(\d),(\d)", str(cells[name]).strip())
                if said is None or int(said[2]) not in HOYLE_FAMILIARITY:
                    raise FormatError(
                        path,
                        f'{cells[name]!r} is no answer such as "6,7" (choice, familiarity)',
                        line=number + 2,
                    )
                choice, familiarity = said[1], HOYLE_FAMILIARITY[int(said[2])]
                item, value = f"{dataset}/{model}/{topic}", {"familiarity": familiarity}
                about: dict[str, Any] = {"role": "control" if model == "fake" else "item"}
                if int(said[2]) < 7:
                    about |= {"task": "word_set_rating"}
                    said_of: dict[str, Any] = {"rating": int(choice), **value}
                else:  # options are known by their number only, the intruder as the sixth
                    about |= {"task": "word_intrusion", "options": tuple("123456"), "key": "6"}
                    said_of = {"choice": choice, **value}
                items[about["task"], item] = Item(id=item, model=model, topic=topic, **about)
                who = f"{path.stem}-{number:03d}"
                row = {"study": dataset, "rater": who, "item": item, "task": about["task"], "value": said_of}
                rows.append(row)
    return rows, items, []


def topic_column(name: str) -> tuple[str, str, int] | None:
    """Data set, model and topic of a column such as "nytimes_mallet_12"."""
    found = re.fullmatch(r"([a-z0-9]+)_([a-z0-9-]+)_(\d+)", name)
    return (found[1], found[2], int(found[3])) if found else None
