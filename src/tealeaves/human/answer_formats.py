"""Files of answers, ours and others': which format a file is of, and what stands where in it.

``FORMATS`` names them; `read` is what `tealeaves.human.read_answers` calls.

=============  =====================================================================================
tealeaves      JSON lines, CSV or Parquet with ``rater``, ``item`` and ``value`` or ``correct``, or the folder
               of an export. Answers of a pilot (``form``) and of raters whom the study's rules leave out
               (``excluded``) are left out; ``pilot=True`` and ``all_raters=True`` keep them
model          JSON lines with ``id`` and ``answer``: what a model as rater said of exported prompts
qualtrics      Qualtrics' CSV: three rows of headings, a rater a row, a question a column
hoyle          JSON lines, a topic each, with ``ratings`` and ``intrusion_correct`` (Hoyle et al. 2021)
hoyle wide     their CSV: a rater a row, a topic a column, cells such as "6,7" (choice, familiarity)
lau baldwin    TSV of mean ratings by the number of words shown (Lau and Baldwin 2016)
oolong         the .RDS files that raters download from oolong's pages (R; needs the extra ``r``)
long           any table with a rater, an item and an answer a row
wide           any table of numbers, a rater a row and an item a column, or turned around
=============  =====================================================================================
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.errors import FormatError, InputError
from tealeaves.human.answers import FIELDS, MODEL, Answers, _by_id
from tealeaves.human.item_sets import CHOICES, TASKS, Item

if TYPE_CHECKING:
    import polars

RATER = ("rater", "rater_id", "worker", "workerid", "worker_id", "annotator", "coder", "participant", "user")
ITEM = ("item", "item_id", "question", "unit", "unit_id", "task_id", "hitid", "id")
ANSWER = ("answer", "choice", "response", "rating", "label", "correct", "score")
# Qualtrics' own columns: not questions, and some of them (addresses, places) not to be kept.
QUALTRICS = {
    "startdate", "enddate", "status", "ipaddress", "progress", "duration (in seconds)", "finished",
    "recordeddate", "responseid", "recipientlastname", "recipientfirstname", "recipientemail",
    "externalreference", "locationlatitude", "locationlongitude", "distributionchannel", "userlanguage",
    "prolific_pid", "study_id", "session_id", "prolific", "workerid", "assignmentid", "hitid",
}  # fmt: skip
IDENTITY = ("prolific_pid", "workerid", "prolific", "responseid")
NOT_ANSWERED = ("survey preview", "spam", "survey test")
NO_SUBMISSION = ("returned", "rejected", "timed-out", "timed out")
HOYLE_FAMILIARITY = {7: "most", 8: "sure", 9: "unsure", 4: "most", 5: "sure", 6: "unsure"}
Rows = tuple[list[dict[str, Any]], Any, list[str]]  # rows, items, notes


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
        names = _names(_table(path).columns)
        return "tealeaves" if {"rater", "item"} <= names and names & {"value", "correct"} else "long"
    if suffix in (".jsonl", ".json", ".ndjson"):
        first = next(iter(_lines(path)), (0, {}))[1]
        for kind, wanted in (("tealeaves", "rater"), ("hoyle", "intrusion_correct"), ("model", "id")):
            if wanted in first:
                return kind
        raise FormatError(path, f"a line has {', '.join(first) or 'nothing'}: {_wanted()}", line=1)
    if suffix not in (".csv", ".tsv", ".txt"):
        raise FormatError(path, f"is no file of answers by its name: {_wanted()}")
    header = _table(path).columns
    names = _names(header)
    if {"rater", "item"} <= names and names & {"value", "correct"}:
        return "tealeaves"
    if {"responseid", "finished"} <= names or "duration (in seconds)" in names:
        return "qualtrics"
    if {"domain", "topic", "top-5", "top-10"} <= names:
        return "lau baldwin"
    if sum(_topic_column(name) is not None for name in header) >= max(2, len(header) - 3):
        return "hoyle wide"
    if _one_of(header, RATER) and _one_of(header, ITEM) and _one_of(header, ANSWER):
        return "long"
    raise FormatError(path, f"has the columns {', '.join(header[:8])}: {_wanted()}", line=1)


def _wanted() -> str:
    return (
        "wanted are rater, item and value, or another format that must be named: "
        f"format= one of {', '.join(FORMATS)}"
    )


def _read_tealeaves(paths: list[Path], known: Any, pilot: bool = False, all_raters: bool = False) -> Rows:
    from tealeaves.human.export import plain_cell

    rows: list[dict[str, Any]] = []
    for path in paths:
        if path.suffix in (".jsonl", ".ndjson", ".json"):
            rows += [row for _, row in _lines(path)]
        elif path.suffix == ".parquet":
            rows += _table(path).to_dicts()
        else:  # a spreadsheet's apostrophe before what it would take for a formula
            table = _table(path).to_dicts()
            rows += [{k: plain_cell(v) if isinstance(v, str) else v for k, v in row.items()} for row in table]
    notes: list[str] = []
    if not pilot:
        rows = _without_pilots(rows, notes)
    if not all_raters:
        rows = _without_excluded(rows, notes, paths[0])
    return rows, None, notes


def _without_pilots(rows: list[dict[str, Any]], notes: list[str]) -> list[dict[str, Any]]:
    """The answers without those of the pilots of studies that have been live."""
    live = {row.get("study") for row in rows if row.get("form") == "live"}
    of_pilots = [row.get("form") == "pilot" for row in rows]
    kept = [
        row for row, tried in zip(rows, of_pilots, strict=True) if not tried or row.get("study") not in live
    ]
    if len(kept) < len(rows):
        notes.append(f"{len(rows) - len(kept)} answers of a pilot are left out (pilot=True keeps them)")
    if rows and all(of_pilots):
        notes.append("all answers are of a pilot: they count for nothing in the study itself")
    return kept


def _without_excluded(rows: list[dict[str, Any]], notes: list[str], path: Path) -> list[dict[str, Any]]:
    """The answers of the raters whom the rules of their study keep, as its export has written down."""
    kept = [row for row in rows if not row.get("excluded")]
    raters = sorted({str(row.get("rater")) for row in rows if row.get("excluded")})
    keeps = "(all_raters=True, or --all-raters, keeps them)"
    if rows and not kept:
        raise FormatError(path, f"all {len(raters)} raters are left out by the rules of the study {keeps}")
    if raters:
        shown = ", ".join(raters[:8]) + (", …" if len(raters) > 8 else "")
        notes.append(f"{len(raters)} raters are left out by the rules of the study: {shown} {keeps}")
    return kept


def _read_model(paths: list[Path], known: Any, rater: str | None = None, invalid: str = "error") -> Rows:
    if not known:
        raise FormatError(paths[0], "answers of a model need the items they are about: items=items.jsonl")
    if invalid not in ("error", "wrong", "missing"):
        raise InputError(f"invalid must be error, wrong or missing; got {invalid!r}")
    names: dict[str, Item] = {item.id: item for item in known.values()}
    rows, unread = [], 0
    for path in paths:
        name = rater or path.stem
        for line, record in _lines(path):
            item = names.get(str(record.get("id")))
            if item is None:
                raise FormatError(path, f"there is no item {record.get('id')!r}", line=line)
            value = _said(item, record)
            if value is None and invalid == "error":
                said = record.get("answer")
                wanted = f"one of {'; '.join(item.options)}" if item.options else _fields_of(item.task)
                raise FormatError(
                    path,
                    f"{said!r} is no answer to item {item.id}; wanted is {wanted} "
                    '(invalid="wrong" counts such answers as wrong, "missing" leaves them out)',
                    line=line,
                )
            row: dict[str, Any] = {"rater": name, "item": item.id, "task": item.task, "form": MODEL}
            row["value"] = value or {}
            if value is None:
                unread += 1
                if invalid == "missing":
                    continue
                row["correct"] = False if item.key is not None else None
            rows.append(row)
    treated = "counted as wrong" if invalid == "wrong" else "left out"
    notes = [f"{unread} answers of a model were none of the options: {treated}"] if unread else []
    return rows, None, notes


def _said(item: Item, record: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a model said of an item, as a value; None if it is no answer."""
    said = record.get("answer", record.get("value"))
    if isinstance(said, Mapping):
        said = dict(said)
        return said if item.task not in CHOICES or said.get("choice") in item.options else None
    if item.task in CHOICES:
        given = record.get("choice", said)
        text = " ".join(str(given if given is not None else "").split())
        alike = [option for option in item.options if _plain(option) == _plain(text)]
        if len(alike) == 1:
            return {"choice": alike[0]}
        letters = record.get("choices") or _letters(item)
        option = letters.get(text.strip(" .)(").upper()) if isinstance(letters, Mapping) else None
        return {"choice": option} if option in item.options else None
    wanted = [name for name in FIELDS[item.task] if name != "named"]
    numbers = {name: _numeric(record.get(name)) for name in wanted if record.get(name) is not None}
    if not numbers and len(wanted) == 1:
        numbers = {wanted[0]: _numeric(said)}
    if item.task == "topic_labelling" and said:
        return {"label": str(said)}
    return numbers if numbers and None not in numbers.values() and len(numbers) == len(wanted) else None


def _letters(item: Item) -> Mapping[str, str]:
    from tealeaves.human.prompts import prompts

    choices = prompts(item).get("choices")
    return choices if isinstance(choices, Mapping) else {}


def _read_qualtrics(
    paths: list[Path],
    known: Any,
    columns: Mapping[str, str] | None = None,
    task: str | None = None,
    prolific: str | PathLike[str] | None = None,
    keep_ids: bool = False,
) -> Rows:
    names = {item.id: item for item in known.values()}
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    pseudonyms: dict[str, str] = {}
    statuses = _prolific(Path(prolific)) if prolific else {}
    dropped = without = 0
    for path in paths:
        table = _table(path)
        lower = {name.casefold(): name for name in table.columns}
        about = {
            name: item for name in table.columns if (item := _question(name, columns, names)) is not None
        }
        if not about:
            there = ", ".join(name for name in table.columns if name.casefold() not in QUALTRICS)
            wanted = "name questions by the items' ids (i0001), or say columns={'Q12': 'i0001'}"
            raise FormatError(path, f"no column is an item: {wanted}; there are {there}", line=1)
        who = next(
            (lower[n] for n in ("prolific_pid", "workerid", "prolific", "responseid") if n in lower), None
        )
        for number, cells in enumerate(table.iter_rows(named=True), start=2):
            if number <= 3 and _is_heading(cells):
                continue
            if str(cells.get(lower.get("status", ""), "")).casefold() in NOT_ANSWERED:
                dropped += 1
                continue
            identity = str(cells[who] or f"row {number}") if who else f"row {number}"
            if statuses.get(identity, "") in NO_SUBMISSION:
                without += 1
                continue
            rater = identity if keep_ids else pseudonyms.setdefault(identity, f"R-{len(pseudonyms) + 1:03d}")
            answered = [name for name in about if cells[name] not in (None, "")]
            whole = _numeric(cells.get(lower.get("duration (in seconds)", "")))
            for name in answered:
                item = names.get(about[name])
                timed = _numeric(cells.get(f"{name}_Page Submit"))
                row: dict[str, Any] = {
                    "rater": rater,
                    "item": about[name],
                    "task": item.task if item else task,
                    "value": _cell_value(path, number, cells[name], item, task),
                    "seconds": timed if timed is not None else whole and whole / len(answered),
                }
                known_words = cells.get(f"{name}_familiarity")
                if known_words:
                    row["value"]["familiarity"] = _familiarity(str(known_words))
                rows.append(row)
    if dropped:
        notes.append(f"{dropped} rows of previews or spam were left out")
    if without:
        notes.append(f"{without} people whose submission was returned, rejected or timed out were left out")
    return rows, None, notes


def _question(name: str, columns: Mapping[str, str] | None, names: Mapping[str, Item]) -> str | None:
    if columns is not None:
        return columns.get(name)
    return name if name in names or (not names and re.fullmatch(r"i\d{4,}", name)) else None


def _is_heading(cells: Mapping[str, Any]) -> bool:
    """Whether a row is the second or third of Qualtrics' headings: texts of questions, or ImportIds."""
    lower = {name.casefold(): str(value or "") for name, value in cells.items()}
    texts = ("response id", "finished", "start date", "end date")
    return any("ImportId" in v for v in lower.values()) or any(
        lower.get(n, "").casefold() in texts for n in ("responseid", "finished", "startdate", "enddate")
    )


def _cell_value(path: Path, line: int, cell: Any, item: Item | None, task: str | None) -> dict[str, Any]:
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
        alike = [option for option in item.options if _plain(option) == _plain(text)]
        if len(alike) == 1:
            return {"choice": alike[0]}
        place = _numeric(text)
        if place is not None and place.is_integer() and 1 <= place <= len(item.options):
            return {"choice": item.options[int(place) - 1]}
        raise FormatError(
            path, f"{text!r} is no option of item {item.id}; there are {'; '.join(item.options)}", line=line
        )
    number = _numeric(re.split(r"[ :=–-]", text)[0]) if text else None
    if number is None:
        raise FormatError(path, f"{text!r} is no number of {_fields_of(kind)}", line=line)
    return {FIELDS[kind][0]: number}


def _familiarity(text: str) -> str:
    said = text.casefold()
    if said in ("most", "sure", "unsure"):
        return said
    if said in ("1", "2", "3"):
        return ("most", "sure", "unsure")[int(said) - 1]
    if "not" not in said and "unfamiliar" not in said:
        return "most"
    return "unsure" if re.search(r"cannot|can't|not (answer|confident|sure)", said) else "sure"


def _prolific(path: Path) -> dict[str, str]:
    """The status of each participant in Prolific's own export."""
    table = _table(path)
    lower = {name.casefold(): name for name in table.columns}
    who, status = (lower.get(name) for name in ("participant id", "status"))
    if who is None or status is None:
        raise FormatError(
            path,
            f"Prolific's export has Participant id and Status; here are {', '.join(table.columns)}",
            line=1,
        )
    return {str(row[who]): str(row[status]).casefold() for row in table.iter_rows(named=True)}


def _read_hoyle(paths: list[Path], known: Any, dataset: str | None = None) -> Rows:
    rows: list[dict[str, Any]] = []
    for path in paths:
        for line, topic in _lines(path):
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


def _read_hoyle_wide(paths: list[Path], known: Any) -> Rows:
    rows: list[dict[str, Any]] = []
    items: dict[tuple[str, str], Item] = {}
    for path in paths:
        table = _table(path)
        places = {name: found for name in table.columns if (found := _topic_column(name)) is not None}
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


def _topic_column(name: str) -> tuple[str, str, int] | None:
    found = re.fullmatch(r"([a-z0-9]+)_([a-z0-9-]+)_(\d+)", name)
    return (found[1], found[2], int(found[3])) if found else None


def _read_lau_baldwin(paths: list[Path], known: Any, top: int | None = None) -> Rows:
    rows: list[dict[str, Any]] = []
    for path in paths:
        table = _table(path)
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
                rating = _numeric(cells[name])
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


def _read_oolong(paths: list[Path], known: Any, model: str = "oolong") -> Rows:
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
    number = _numeric(value)
    return str(int(number)) if number is not None and number.is_integer() else str(value)


def _read_long(
    paths: list[Path],
    known: Any,
    rater: str | None = None,
    item: str | None = None,
    answer: str | None = None,
    task: str | None = None,
    seconds: str | None = None,
    model: str | None = None,
    topic: str | None = None,
) -> Rows:
    names = {one.id: one for one in known.values()}
    rows: list[dict[str, Any]] = []
    for path in paths:
        table = _table(path)
        who, what, said = (
            _column(path, table, given, options, name)
            for given, options, name in (
                (rater, RATER, "rater"),
                (item, ITEM, "item"),
                (answer, ANSWER, "answer"),
            )
        )
        for line, cells in enumerate(table.iter_rows(named=True), start=2):
            if cells[said] in (None, ""):
                continue
            one = names.get(str(cells[what]))
            if names and one is None:
                raise FormatError(path, f"there is no item {cells[what]!r}", line=line)
            row = {"rater": cells[who], "item": str(cells[what]), "task": one.task if one else task}
            if said.casefold() == "correct":
                row["correct"] = cells[said]
            else:
                row["value"] = _cell_value(path, line, cells[said], one, task)
            extras = (("seconds", seconds), ("model", model), ("topic", topic))
            for column, given in extras:
                name = given or next((n for n in table.columns if n.casefold() == column), None)
                if name is not None:
                    row[column] = cells[_column(path, table, name, (), column)]
            rows.append(row)
    return rows, None, []


def _read_wide(
    paths: list[Path], known: Any, task: str | None = None, field: str | None = None, by: str = "rater"
) -> Rows:
    if task not in TASKS:
        raise InputError(f"a wide table needs task= one of {', '.join(TASKS)}; got {task!r}")
    if by not in ("rater", "item"):
        raise InputError(f"by must be rater (a row each) or item; got {by!r}")
    name = field or FIELDS[task][0]
    rows = []
    for path in paths:
        table = _table(path)
        head, *others = table.columns
        numbered = head.strip() == "" or head.casefold() in (*RATER, *ITEM)
        columns = others if numbered else table.columns
        for line, cells in enumerate(table.iter_rows(named=True), start=2):
            row = str(cells[head]) if numbered else str(line - 1)
            for column in columns:
                if cells[column] in (None, "", "NA"):
                    continue
                number = _numeric(cells[column])
                if number is None:
                    raise FormatError(path, f"{cells[column]!r} in column {column!r} is no number", line=line)
                who, what = (row, column) if by == "rater" else (column, row)
                said = {"correct": bool(number)} if name == "correct" else {"value": {name: number}}
                rows.append({"rater": who, "item": what, "task": task, **said})
    return rows, None, []


FORMATS: dict[str, tuple[Callable[..., Rows], tuple[str, ...]]] = {
    "tealeaves": (_read_tealeaves, ("pilot", "all_raters")),
    "model": (_read_model, ("rater", "invalid")),
    "qualtrics": (_read_qualtrics, ("columns", "task", "prolific", "keep_ids")),
    "hoyle": (_read_hoyle, ("dataset",)),
    "hoyle wide": (_read_hoyle_wide, ()),
    "lau baldwin": (_read_lau_baldwin, ("top",)),
    "oolong": (_read_oolong, ("model",)),
    "long": (_read_long, ("rater", "item", "answer", "task", "seconds", "model", "topic")),
    "wide": (_read_wide, ("task", "field", "by")),
}


def in_folder(folder: Path) -> list[Path]:
    for name in ("answers.jsonl", "answers.parquet", "answers.csv"):  # what an export of ours holds
        if (folder / name).is_file():
            return [folder / name]
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".rds")
    if not found:
        raise FormatError(
            folder, "is neither a study nor an export: it holds no answers.jsonl, nor .RDS files of oolong"
        )
    return found


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, with the number of their line."""
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, f"is not UTF-8: {error.reason}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(path, f"is no JSON: {error}", line=number) from None
        if not isinstance(record, dict):
            raise FormatError(path, f"wanted is a JSON object; got {line:.40}", line=number)
        yield number, record


def _table(path: Path) -> "polars.DataFrame":
    import polars as pl

    try:
        if path.suffix.lower() == ".parquet":
            return pl.read_parquet(path)
        tabs = path.suffix.lower() in (".tsv", ".txt")
        # Lau and Baldwin's words hold lone quotes: a table parted by tabs has none that mean anything.
        return pl.read_csv(
            path, separator="\t" if tabs else ",", quote_char=None if tabs else '"', infer_schema_length=0
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(path, f"is no table: {str(error).splitlines()[0]}") from None


def _names(columns: Sequence[str]) -> set[str]:
    return {name.casefold() for name in columns}


def _one_of(columns: Sequence[str], wanted: Sequence[str]) -> str | None:
    lower = {name.casefold(): name for name in columns}
    return next((lower[name] for name in wanted if name in lower), None)


def _column(
    path: Path, table: "polars.DataFrame", given: str | None, wanted: Sequence[str], what: str
) -> str:
    name = given if given is not None else _one_of(table.columns, wanted)
    if name is None or name not in table.columns:
        there = ", ".join(table.columns)
        raise FormatError(path, f"which column is the {what}? say {what}= one of {there}", line=1)
    return name


def _numeric(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if number == number else None  # nan is not itself


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _fields_of(task: str) -> str:
    return " and ".join(FIELDS[task])
