"""Item and ItemSet: what people are shown, frozen with the seed it was drawn with."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, overload

import tealeaves
from tealeaves.errors import FormatError, InputError

KIND, VERSION = "tealeaves items", 1
CHOICES = (
    "word_intrusion",
    "topic_intrusion",
    "word_set_intrusion",
    "topic_word_matching",
    "temporal_word_intrusion",
)  # tasks in which one option is chosen
TASKS = (
    *CHOICES,
    "word_set_rating",
    "temporal_rating",
    "topic_pair_matching",
    "topic_labelling",
    "reference_topic_curation",
)
ROLES = ("item", "practice", "check", "control")


@dataclass(frozen=True)
class Item:
    """One thing to judge, with its right answer, if there is one, and where everything in it is from.

    Parameters
    ----------
    id : str
        "i0001", …: for organisers; raters see tokens of their own.
    task : str
        One of ``TASKS``.
    model : str
        The name of the model it was made from; "" for one that was made from none.
    topic : int or None
        The topic that is judged, counted from 0.
    role : {"item", "practice", "check", "control"}
        Whether it counts ("item"), is shown with its solution before ("practice"), or tells who pays
        attention: a "check" is an item with an obvious answer, a "control" a synthetic topic of random words.
    options : tuple of str
        What is chosen among, in the order drawn when it was made; empty where nothing is chosen.
    key : str or None
        The right option; None where there is none.
    shown : dict
        JSON: all else that a page needs. Nothing in it tells key, role or source.
    hidden : dict
        JSON: provenance, what checks expect, feedback of practice items.

    Raises
    ------
    InputError
        If task or role is unknown, an option stands twice, or the key is none of the options.
    """

    id: str
    task: str
    model: str
    topic: int | None
    role: str = "item"
    options: tuple[str, ...] = ()
    key: str | None = None
    shown: dict[str, Any] = field(default_factory=dict)
    hidden: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InputError(f"there is no task {self.task!r}; there are {', '.join(TASKS)}")
        if self.role not in ROLES:
            raise InputError(f"an item's role must be one of {', '.join(ROLES)}; got {self.role!r}")
        options = tuple(map(str, self.options))
        if len(set(options)) < len(options):
            raise InputError(f"the options of item {self.id} are not all different: {', '.join(options)}")
        if self.key is not None and self.key not in options:
            raise InputError(f"the key {self.key!r} of item {self.id} is none of its options")
        object.__setattr__(self, "options", options)
        for name in ("shown", "hidden"):  # as they come back from a file: plain JSON of their own
            object.__setattr__(self, name, json.loads(_canonical(getattr(self, name))))

    @property
    def places(self) -> int:
        """How many things stand in an order drawn for each rater: options, or the two topics of a pair."""
        return 2 if self.task == "topic_pair_matching" else len(self.options)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {**vars(self), "options": list(self.options)}


@dataclass(frozen=True, eq=False, repr=False)
class ItemSet(Sequence[Item]):
    """Items of one task, with all that made them.

    Attributes
    ----------
    task : str
        The task of every item.
    items : tuple of Item
        In the order drawn: the first n are what would have been drawn for n.
    seed : int
        The seed of every draw.
    settings : dict
        Options of the task, and models and corpus with their fingerprints.
    notes : tuple of str
        What whoever reads results should know.
    without : tuple of (model, topic, reason)
        Topics from which no valid item can be made, and why.
    version : str
        The tealeaves that made them.

    Examples
    --------
    >>> item = Item("i0001", "word_intrusion", "lda", 0, options=("oil", "dividend"), key="dividend")
    >>> one = ItemSet("word_intrusion", [item], seed=1)
    >>> len(one), one[0].key, one.digest[:8]
    (1, 'dividend', '911fc0e6')
    """

    task: str
    items: tuple[Item, ...]
    seed: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    without: tuple[tuple[str, int | None, str], ...] = ()
    version: str = tealeaves.__version__

    def __init__(
        self,
        task: str,
        items: Iterable[Item],
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        notes: Iterable[str] = (),
        without: Iterable[Sequence[Any]] = (),
        version: str = tealeaves.__version__,
    ) -> None:
        given = tuple(items)
        if others := {item.task for item in given} - {task}:
            raise InputError(f"items of {task} were wanted, but some are of {', '.join(sorted(others))}")
        ids = [item.id for item in given]
        if len(set(ids)) < len(ids):
            twice = sorted({name for name in ids if ids.count(name) > 1})
            raise InputError(f"ids of items must be different, but twice there are {', '.join(twice[:5])}")
        values: dict[str, Any] = {
            "task": task,
            "items": given,
            "seed": int(seed),
            "settings": json.loads(_canonical(dict(settings or {}))),
            "notes": tuple(map(str, notes)),
            "without": tuple((str(m), None if k is None else int(k), str(why)) for m, k, why in without),
            "version": str(version),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything but ``version``: the same items have the same digest."""
        return hashlib.sha256(
            _canonical([self._head, [i.to_dict() for i in self.items]]).encode()
        ).hexdigest()

    @property
    def _head(self) -> dict[str, Any]:
        names = ("task", "seed", "settings", "notes", "without")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """Each item by its id."""
        return {item.id: item for item in self.items}

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        """One item, or several, by place."""
        return self.items[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ItemSet) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        roles = [f"{n} {role}" for role in ROLES if (n := sum(i.role == role for i in self.items))]
        lacking = f", {len(self.without)} topics without" if self.without else ""
        return f"<ItemSet {self.task}: {', '.join(roles) or 'no item'}{lacking}, {self.digest[:12]}>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything, keys included, to a file of JSON lines: what the set is, then an item a line."""
        from tealeaves.writers._files import put

        head = {
            "format": KIND,
            "version": VERSION,
            "tealeaves": self.version,
            "digest": self.digest,
            **self._head,
        }
        lines = [_line({**head, "n": len(self)}), *(_line(item.to_dict()) for item in self.items)]
        put(Path(path), {"": "".join(lines)})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "ItemSet":
        """Read what `save` wrote.

        Raises
        ------
        FormatError
            If it is no such file, or was changed since: its digest is another one.
        """
        path = Path(path)
        try:
            lines = path.read_bytes().decode("utf-8").split("\n")
            head = json.loads(lines[0])
            if head["format"] != KIND or head["version"] != VERSION:
                raise ValueError(f"{head['format']}, version {head['version']}")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatError(
                path, f"is no file of items that tealeaves writes (version {VERSION}): {error}"
            ) from None
        items = []
        for number, line in enumerate(lines[1:], start=2):
            if not line.strip():
                continue
            try:
                items.append(Item(**{**(record := json.loads(line)), "options": tuple(record["options"])}))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise FormatError(path, f"is no item: {error}", line=number) from None
        try:
            told = {name: head[name] for name in ("task", "seed", "settings", "notes", "without")}
            made = cls(items=items, version=head["tealeaves"], **told)
            digest, n = head["digest"], head["n"]
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(path, f"the first line is not whole: {error}", line=1) from None
        if len(made) != n:
            raise FormatError(path, f"{n} items were written, but {len(made)} are there")
        if made.digest != digest:
            raise FormatError(
                path,
                f"was changed since it was written: its digest is {made.digest[:12]}, not {str(digest)[:12]}",
            )
        return made

    def prompts(self, path: str | PathLike[str] | None = None) -> list[dict[str, Any]]:
        """Items as prompts for a model as rater, without key, role or source.

        Parameters
        ----------
        path : path, optional
            Where to write them as JSON lines.

        Returns
        -------
        list of dict
            ``id``, ``prompt``, and ``choices`` or ``answer_form``: see `tealeaves.human.prompts.prompts`.
        """
        from tealeaves.human.prompts import prompts

        made = [prompts(item) for item in self.items if item.role != "practice"]
        if path is not None:
            from tealeaves.writers._files import put

            put(Path(path), {"": "".join(map(_line, made))})
        return made


def _canonical(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"items are made of JSON, but {error}") from None


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
