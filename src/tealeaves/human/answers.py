"""Answers: what people said of items, one row per rater and item, wherever it was saved."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.human.item_sets import CHOICES, ROLES, TASKS, Item, ItemSet

if TYPE_CHECKING:
    import polars

Floats = NDArray[np.float64]
Items = ItemSet | Sequence[ItemSet] | Mapping[tuple[str, str], Item] | str | PathLike[str] | None
# The columns of a file of answers, and their types.
COLUMNS = {
    "study": "String",
    "rater": "String",
    "item": "String",
    "task": "String",
    "model": "String",
    "topic": "Int64",
    "role": "String",
    "form": "String",
    "value": "String",
    "correct": "Boolean",
    "seconds": "Float64",
    "revision": "Int64",
    "saved_at": "String",
    "position": "Int64",
    "turned": "Boolean",
}
MAY_LACK = ("correct", "familiar", "seconds", "position", "turned", "log_odds")
MODEL = "model"  # the form of answers of a model as rater: scored beside people's, never among them
KNOWN = ("most", "sure")  # familiarity of who knew the words, or enough of them to be sure
# What people's answers to a task are scored by, each a number of an answer.
FIELDS = {
    **dict.fromkeys(CHOICES, ("correct",)),
    "topic_intrusion": ("correct", "log_odds"),
    "word_set_rating": ("rating",),
    "temporal_rating": ("relatedness", "smoothness"),
    "topic_pair_matching": ("label",),
    "topic_labelling": ("named",),
}


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """What raters said, a row per rater and item; `read_answers` and `Answers.from_rows` make one.

    Attributes
    ----------
    frame : polars.DataFrame
        The columns of ``COLUMNS``; ``value`` is JSON. Of several revisions of an answer the last is here.
        ``position`` is the place on the page (1, 2, …) of the option that was chosen, null where not known;
        ``turned`` whether the second topic of a pair stood before the first, null for other tasks.
    items : dict
        Each `Item` by (task, id), where they are known: options, keys, provenance.
    notes : tuple of str
        What whoever reads scores should know.
    """

    frame: "polars.DataFrame"
    items: Mapping[tuple[str, str], Item] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Mapping[str, Any]],
        items: "Items" = None,
        notes: Iterable[str] = (),
    ) -> "Answers":
        """Answers from rows that name ``rater`` and ``item``, and ``value`` or ``correct``.

        Parameters
        ----------
        rows : iterable of mappings
            Columns of ``COLUMNS``; those left out are taken from the item, or are unknown. ``value`` is a
            dict or its JSON.
        items : ItemSet, several, or a file, optional
            The items that were answered. With them, ``correct`` is found from the key.
        notes : iterable of str
            Kept in ``.notes``.

        Raises
        ------
        InputError
            If a row lacks its rater or item, its value is no JSON object, an item or option is not in
            ``items``, or the file says "right" where the key says "wrong".

        Examples
        --------
        >>> said = ["dividend"] * 7 + ["gulf"]
        >>> item = Item("i1", "word_intrusion", "lda", 0, options=("oil", "gulf", "dividend"), key="dividend")
        >>> rows = [{"rater": f"R{r}", "item": "i1", "value": {"choice": c}} for r, c in enumerate(said)]
        >>> answers = Answers.from_rows(rows, ItemSet("word_intrusion", [item]))
        >>> float(answers.matrix("correct").mean())
        0.875
        """
        known = _by_id(items)
        tasks_of: dict[str, list[Item]] = {}
        for item in known.values():
            tasks_of.setdefault(item.id, []).append(item)
        last: dict[tuple[str, str, str, str], dict[str, Any]] = {}
        for number, given in enumerate(rows, start=1):
            row = _row(given, number, known, tasks_of)
            place = (row["study"], row["rater"], row["task"], row["item"])
            before = last.get(place)
            if before is None or row["revision"] >= before["revision"]:
                last[place] = row
        if not last:
            raise InputError("there are no answers: at least one row with a rater and an item is wanted")
        import polars as pl

        columns = {name: [row[name] for row in last.values()] for name in COLUMNS}
        frame = pl.DataFrame(columns, schema={name: getattr(pl, kind) for name, kind in COLUMNS.items()})
        return cls(frame, known, tuple(notes))

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        tasks = ", ".join(self.tasks)
        return f"<Answers {len(self)} of {len(self.raters)} raters to {len(self.item_ids())} items: {tasks}>"

    @cached_property
    def raters(self) -> tuple[str, ...]:
        """The raters, in order of their first answer: the rows of every `matrix`."""
        return tuple(dict.fromkeys(self.frame["rater"]))

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The tasks there are answers to."""
        return tuple(dict.fromkeys(self.frame["task"]))

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models whose items count, in order of their first answer."""
        return tuple(dict.fromkeys(self.frame.filter(self.frame["role"] == "item")["model"]))

    @cached_property
    def values(self) -> tuple[dict[str, Any], ...]:
        """What was said, row by row."""
        return tuple(json.loads(text) for text in self.frame["value"])

    def item_ids(self, role: str | None = "item") -> tuple[str, ...]:
        """The items of a role (None: all), in order of their first answer: the columns of `matrix`."""
        frame = self.frame if role is None else self.frame.filter(self.frame["role"] == role)
        return tuple(dict.fromkeys(_keys(frame)))

    def select(
        self,
        task: str | None = None,
        model: str | None = None,
        role: str | None = None,
        raters: Iterable[str] | None = None,
    ) -> "Answers":
        """The answers to a task, of a model's items, in a role, by some raters."""
        frame = self.frame
        for name, wanted in (("task", task), ("model", model), ("role", role)):
            if wanted is not None:
                frame = frame.filter(frame[name] == wanted)
        if raters is not None:
            frame = frame.filter(frame["rater"].is_in(list(raters)))
        return Answers(frame, self.items, self.notes)

    def numbers(self, name: str) -> Floats:
        """A number of every answer, (n,); nan where it has none.

        Parameters
        ----------
        name : str
            "correct" (1 or 0), "familiar" (1 where the words were known), "seconds", "log_odds" (of a topic
            intrusion, `log_odds`), "named" (1 where a label was given), or a number in the value: "rating",
            "relatedness", "smoothness", "label", "sure".

        Raises
        ------
        InputError
            If no answer has such a number.
        """
        if name in ("correct", "seconds", "position", "turned"):
            found = self.frame[name].cast(float, strict=False).fill_null(np.nan).to_numpy()
        elif name == "familiar":
            found = np.array([_familiar(value) for value in self.values], np.float64)
        elif name == "log_odds":
            found = self._log_odds
        elif name == "named":
            found = np.array([_named(value) for value in self.values], np.float64)
        else:
            found = np.array([_number(value.get(name)) for value in self.values], np.float64)
        if name not in MAY_LACK and len(found) and np.isnan(found).all():
            fields = sorted({key for value in self.values for key in value})
            raise InputError(f"no answer has a number {name!r}; values have {', '.join(fields) or 'nothing'}")
        return np.asarray(found, np.float64)

    def matrix(self, name: str = "correct", role: str | None = "item") -> Floats:
        """A number of every answer as raters × items, nan where a rater did not answer an item.

        Rows are ``.raters``, columns ``.item_ids(role)``; ``name`` is as for `numbers`.
        """
        columns = {key: c for c, key in enumerate(self.item_ids(role))}
        rows = {rater: r for r, rater in enumerate(self.raters)}
        found = np.full((len(rows), len(columns)), np.nan)
        for rater, key, number in zip(
            self.frame["rater"], _keys(self.frame), self.numbers(name), strict=True
        ):
            if key in columns:
                found[rows[rater], columns[key]] = number
        return found

    def with_rater(self, others: "Answers") -> "Answers":
        """These answers and those of others, such as a model's, together.

        Answers that name no study belong to the one that is here, if it is one.

        Raises
        ------
        InputError
            If a rater is in both.
        """
        import polars as pl

        more, studies = others.frame, dict.fromkeys(self.frame["study"])
        if len(studies) == 1:
            [study] = studies
            named = pl.when(pl.col("study") == "").then(pl.lit(study)).otherwise(pl.col("study"))
            more = more.with_columns(named.alias("study"))
        who = [set(frame.select("study", "rater").iter_rows()) for frame in (self.frame, more)]
        if both := who[0] & who[1]:
            raise InputError(f"rater {min(both)[1]!r} is in both: give one of them another name")
        notes = dict.fromkeys((*self.notes, *others.notes))
        return Answers(pl.concat([self.frame, more]), {**others.items, **self.items}, tuple(notes))

    def save(self, path: str | PathLike[str]) -> None:
        """Write .jsonl, .csv (safe for a spreadsheet) or .parquet; `read_answers` reads each."""
        from tealeaves.writers._files import put

        target = Path(path)
        if target.suffix == ".parquet":
            import io

            buffer = io.BytesIO()
            self.frame.write_parquet(buffer)
            put(target, {"": buffer.getvalue()})
            return
        from tealeaves.human.export import csv_text, jsonl

        rows = [
            {**row, "value": value} for row, value in zip(self.frame.to_dicts(), self.values, strict=True)
        ]
        if target.suffix not in (".jsonl", ".csv"):
            raise InputError(f"{target}: answers are written as .jsonl, .csv or .parquet")
        text = csv_text(rows, tuple(COLUMNS)) if target.suffix == ".csv" else jsonl(rows)
        put(target, {"": text})

    @cached_property
    def _log_odds(self) -> Floats:
        found = np.full(len(self.frame), np.nan)
        for n, (task, name, value) in enumerate(
            zip(self.frame["task"], self.frame["item"], self.values, strict=True)
        ):
            item = self.items.get((task, name))
            if task == "topic_intrusion" and item is not None:
                found[n] = log_odds(item, value.get("choice"))
        return found


def read_answers(
    path: "str | PathLike[str] | Sequence[str | PathLike[str]]",
    items: "Items" = None,
    format: str | None = None,
    **options: Any,
) -> Answers:
    """Read answers from a file or several, of tealeaves or of others; see `tealeaves.human.answer_formats`.

    Parameters
    ----------
    path : path, or several
        Several files (a rater each, as oolong saves them) are read together. Of the folder of an export the
        answers are read, with the items.
    items : ItemSet, several, or a file, optional
        The items that were answered, which brings keys, options and provenance.
    format : str, optional
        One of ``answer_formats.FORMATS``, where it cannot be told from the file.
    options
        What the format takes, such as ``rater="me"`` for answers of a model. Of exports of a study answers
        of its pilot are left out, and those of raters whom its rules leave out, with a note: ``pilot=True``
        and ``all_raters=True`` keep them.

    Raises
    ------
    FormatError
        If the file is of no known format, or not what it should be; it names the line.
    """
    from tealeaves.human.answer_formats import read

    return read(path, items, format, options)


def log_odds(item: Item, choice: str | None) -> float:
    """log theta of the intruding topic less that of the chosen one, in the item's document; 0 if it is found.

    ``item.hidden["theta"]`` has the share of each option in the document, in the order of the options. nan
    without it; -inf where the intruder has no share at all.

    References
    ----------
    Chang, Boyd-Graber, Gerrish, Wang and Blei (2009), NIPS, equation 2.

    Examples
    --------
    >>> item = Item("i1", "topic_intrusion", "lda", 3, options=("oil", "tea"), key="tea",
    ...             hidden={"theta": [0.5, 0.05]})
    >>> round(log_odds(item, "oil"), 3), log_odds(item, "tea")
    (-2.303, 0.0)
    """
    theta = item.hidden.get("theta")
    if theta is None or item.key is None or choice not in item.options:
        return float("nan")
    if choice == item.key:
        return 0.0
    shares = [theta[o] for o in item.options] if isinstance(theta, Mapping) else list(theta)
    true, chosen = (float(shares[item.options.index(option)]) for option in (item.key, choice))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.log(true) - np.log(chosen))


def _by_id(items: Any) -> dict[tuple[str, str], Item]:
    if items is None:
        return {}
    if isinstance(items, Mapping):
        return dict(items)
    if isinstance(items, str | PathLike):
        items = ItemSet.load(items)
    sets = [items] if isinstance(items, ItemSet) else list(items)
    found: dict[tuple[str, str], Item] = {}
    for given in sets:
        one = ItemSet.load(given) if isinstance(given, str | PathLike) else given
        for item in one:
            if found.setdefault((item.task, item.id), item) != item:
                raise InputError(f"two different items of {item.task} are called {item.id}: which is meant?")
    return found


def _row(
    given: Mapping[str, Any],
    number: int,
    known: Mapping[tuple[str, str], Item],
    tasks_of: Mapping[str, list[Item]],
) -> dict[str, Any]:
    """One row of the frame, whole and checked."""
    where = f"answer {number}"
    for name in ("rater", "item"):
        if given.get(name) in (None, ""):
            raise InputError(f"{where} has no {name}: {dict(given)}")
    name, task = str(given["item"]), str(given.get("task") or "")
    item = _item(name, task, where, known, tasks_of)
    task = item.task if item else task
    if task not in TASKS:
        raise InputError(f"{where}: there is no task {task!r}; there are {', '.join(TASKS)}")
    value = _value(given.get("value"), where)
    role = str(given.get("role") or (item.role if item else "item"))
    if role not in ROLES:
        raise InputError(f"{where}: role must be one of {', '.join(ROLES)}; got {role!r}")
    topic = given.get("topic")
    topic = item.topic if item and topic in (None, "") else topic
    try:
        row = {
            "study": str(given.get("study") or ""),
            "rater": str(given["rater"]),
            "item": name,
            "task": task,
            "model": str(given.get("model") or (item.model if item else "")),
            "topic": None if topic in (None, "") else int(str(topic)),
            "role": role,
            "form": str(given.get("form") or ""),
            "value": json.dumps(value, ensure_ascii=False),
            "seconds": _optional(given.get("seconds")),
            "revision": int(given.get("revision") or 0),
            "saved_at": str(given.get("saved_at") or ""),
            "position": None if (at := _optional(given.get("position"))) is None else int(at),
            "turned": _truth(given.get("turned")),
        }
    except (TypeError, ValueError) as error:
        raise InputError(f"{where} (rater {given['rater']}, item {name}): {error}") from None
    row["correct"] = _correct(value, given.get("correct"), item, where)
    return row


def _item(name: str, task: str, where: str, known: Mapping[Any, Item], tasks_of: Any) -> Item | None:
    if not known:
        return None
    if task:
        item = known.get((task, name))
    else:
        several = tasks_of.get(name, [])
        if len(several) > 1:
            tasks = ", ".join(item.task for item in several)
            raise InputError(f"{where}: item {name} is of {tasks}: name the task of the answer")
        item = several[0] if several else None
    if item is None:
        raise InputError(
            f"{where}: item {name!r} is not among the {len(known)} items; are they of another study?"
        )
    return item


def _value(given: Any, where: str) -> dict[str, Any]:
    if given is None or given == "":
        return {}
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise InputError(f"{where}: value must be a JSON object; got {given!r:.60}") from None
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: value must be a JSON object; got {given!r:.60}")
    return dict(given)


def _correct(value: Mapping[str, Any], said: Any, item: Item | None, where: str) -> bool | None:
    told = _truth(said)
    choice = value.get("choice")
    if item is None:
        return told
    if choice is not None and item.options and choice not in item.options:
        options = "; ".join(item.options)
        raise InputError(f"{where}: {choice!r} is no option of item {item.id}; there are {options}")
    right = _right(item, value)
    if told is not None and right is not None and told != right:
        words = {True: "right", False: "wrong"}
        raise InputError(
            f"{where}: the file says {words[told]}, but by the key of item {item.id} {value} is "
            f"{words[right]}; are these the items of another study?"
        )
    return told if right is None else right


def _right(item: Item, value: Mapping[str, Any]) -> bool | None:
    """Whether an answer is right: by the key, or by what is expected of a check that is rated."""
    if item.key is not None:
        return None if value.get("choice") is None else bool(value["choice"] == item.key)
    expected = item.hidden.get("expected")
    if not isinstance(expected, Mapping) or not value:
        return None
    return all(value.get(name) in allowed for name, allowed in expected.items())


def _truth(said: Any) -> bool | None:
    if said is None or isinstance(said, bool):
        return said
    text = str(said).strip().casefold()
    return {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}.get(text)


def _optional(value: Any) -> float | None:
    if value is None or value == "":
        return None
    number = float(value)
    return None if np.isnan(number) else number


def _number(value: Any) -> float:
    if isinstance(value, bool | int | float):
        return float(value)
    return float("nan")


def _familiar(value: Mapping[str, Any]) -> float:
    said = value.get("familiarity")
    return float("nan") if said in (None, "") else float(said in KNOWN)


def _named(value: Mapping[str, Any]) -> float:
    if "label" not in value and "none" not in value:
        return float("nan")
    return float(not value.get("none") and str(value.get("label") or "").strip() != "")


def _keys(frame: "polars.DataFrame") -> list[str]:
    """A name of each row's item: with its task and study where there are several."""
    names = list(frame["item"])
    for column in ("task", "study"):
        if frame[column].n_unique() > 1:
            names = [f"{part}/{name}" for part, name in zip(frame[column], names, strict=True)]
    return names
