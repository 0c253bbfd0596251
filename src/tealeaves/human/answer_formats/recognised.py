"""Which format a file of answers is of, and reading it."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError, InputError
from tealeaves.human.answer_formats.files import (
    ANSWER,
    ITEM,
    RATER,
    Rows,
    lines_of,
    lowered,
    one_of,
    table_of,
)
from tealeaves.human.answer_formats.hoyle import read_hoyle, read_hoyle_wide, topic_column
from tealeaves.human.answer_formats.lau_baldwin import read_lau_baldwin
from tealeaves.human.answer_formats.of_models import read_model_rater
from tealeaves.human.answer_formats.oolong import read_oolong
from tealeaves.human.answer_formats.ours import read_tealeaves
from tealeaves.human.answer_formats.plain_tables import read_long, read_wide
from tealeaves.human.answer_formats.qualtrics import read_qualtrics
from tealeaves.human.answers import Answers, _by_id


def read(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    items: Any,
    format: str | None,
    options: Mapping[str, Any],
) -> Answers:
    """Answers of one file or of several."""
    if format is not None and format not in FORMATS:
        raise InputError(f"there is no format of answers {format!r}; there are {', '.join(FORMATS)}")
    listed = [path] if isinstance(path, str | PathLike) else list(path)
    paths = [Path(one) for one in listed]
    if not paths:
        raise InputError("there is no file of answers: hand over at least one")
    if len(paths) == 1 and paths[0].is_dir():
        folder, paths = paths[0], in_folder(paths[0])
        if items is None and paths[0].suffix.lower() != ".rds" and (folder / "items.jsonl").is_file():
            items = folder / "items.jsonl"
    missing = [one for one in paths if not one.exists()]
    if missing:
        raise FileNotFoundError(f"there is no file {missing[0]}")
    kind = format or recognise(paths[0])
    known = _by_id(items)
    reader, taken = FORMATS[kind]
    unknown = sorted(set(options) - set(taken))
    if unknown:
        wants = f"takes {', '.join(taken)}" if taken else "takes no options"
        raise InputError(f"format {kind!r} has no option {unknown[0]!r}; it {wants}")
    rows, found, notes = reader(paths, known, **options)
    try:
        return Answers.from_rows(rows, found or known or None, notes)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(paths[0], str(error)) from None


def recognise(path: Path) -> str:
    """The format of a file, by its name and its first line.

    Raises
    ------
    FormatError
        If it is none that is known; the error says what to do.
    """
    suffix = path.suffix.lower()
    if suffix == ".rds":
        return "oolong"
    if suffix == ".parquet":
        names = lowered(table_of(path).columns)
        return "tealeaves" if {"rater", "item"} <= names and names & {"value", "correct"} else "long"
    if suffix in (".jsonl", ".json", ".ndjson"):
        first = next(iter(lines_of(path)), (0, {}))[1]
        for kind, wanted in (("tealeaves", "rater"), ("hoyle", "intrusion_correct"), ("model", "id")):
            if wanted in first:
                return kind
        raise FormatError(path, f"a line has {', '.join(first) or 'nothing'}: {_wanted()}", line=1)
    if suffix not in (".csv", ".tsv", ".txt"):
        raise FormatError(path, f"is no file of answers by its name: {_wanted()}")
    header = table_of(path).columns
    names = lowered(header)
    if {"rater", "item"} <= names and names & {"value", "correct"}:
        return "tealeaves"
    if {"responseid", "finished"} <= names or "duration (in seconds)" in names:
        return "qualtrics"
    if {"domain", "topic", "top-5", "top-10"} <= names:
        return "lau baldwin"
    if sum(topic_column(name) is not None for name in header) >= max(2, len(header) - 3):
        return "hoyle wide"
    if one_of(header, RATER) and one_of(header, ITEM) and one_of(header, ANSWER):
        return "long"
    raise FormatError(path, f"has the columns {', '.join(header[:8])}: {_wanted()}", line=1)


def _wanted() -> str:
    return (
        "wanted are rater, item and value, or another format that must be named: "
        f"format= one of {', '.join(FORMATS)}"
    )


FORMATS: dict[str, tuple[Callable[..., Rows], tuple[str, ...]]] = {
    "tealeaves": (read_tealeaves, ("pilot", "all_raters")),
    "model": (read_model_rater, ("rater", "invalid")),
    "qualtrics": (read_qualtrics, ("columns", "task", "prolific", "keep_ids")),
    "hoyle": (read_hoyle, ("dataset",)),
    "hoyle wide": (read_hoyle_wide, ()),
    "lau baldwin": (read_lau_baldwin, ("top",)),
    "oolong": (read_oolong, ("model",)),
    "long": (read_long, ("rater", "item", "answer", "task", "seconds", "model", "topic")),
    "wide": (read_wide, ("task", "field", "by")),
}


def in_folder(folder: Path) -> list[Path]:
    """The files of answers in the folder of an export, or those of oolong."""
    for name in ("answers.jsonl", "answers.parquet", "answers.csv"):  # what an export of ours holds
        if (folder / name).is_file():
            return [folder / name]
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".rds")
    if not found:
        raise FormatError(
            folder, "is neither a study nor an export: it holds no answers.jsonl, nor .RDS files of oolong"
        )
    return found
