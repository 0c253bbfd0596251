"""A study on disk: what is asked, of whom and how often, and how far it has come."""

import hashlib
import json
import os
import re
import secrets
import string
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import tealeaves
from tealeaves.errors import FormatError, InputError
from tealeaves.growing import exclusive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tealeaves.human.items import ItemSet

FORMAT, VERSION = "tealeaves study", 1
STATES = ("draft", "pilot", "live", "paused", "closed")
# Where a study may go from where it is. Nothing leads back: what was closed stays closed.
NEXT = {
    "draft": ("pilot", "live"),
    "pilot": ("live", "paused", "closed"),
    "live": ("paused", "closed"),
    "paused": ("pilot", "live", "closed"),
    "closed": (),
}
ENDS = (
    "completed",
    "screened_out",
    "full",
    "timed_out",
    "withdrew",
)  # each with a completion code of its own
PLATFORMS = ("prolific", "mturk")
RETURN_LINKS = {"prolific": "https://app.prolific.com/submissions/complete?cc={code}"}
_LETTERS = (
    string.ascii_uppercase.replace("I", "").replace("O", "") + "23456789"
)  # none that is read as another

State = Literal["draft", "pilot", "live", "paused", "closed"]


@dataclass(frozen=True)
class Settings:
    """What an organiser decides before the start. Everything has a default.

    Parameters
    ----------
    title : str
        What raters read above the first page. `Study.create` names a study by its task, in its language.
    host, contact : str
        Who asks, and the mail address for questions.
    language, words_language : str
        The language of the pages, and of the words and documents shown on them.
    words : dict
        Sentences of the pages in the study's own words, as `tealeaves.human.app.pages.wording` takes them.
    more : tuple of str
        Further paragraphs of the consent page.
    minutes, payment : str
        How long most people need ("12") and what they get ("£2.00").
    answers_per_item : int
        How many raters answer each item. Never one more, however many come at once.
    items_per_rater : int
        How many items a rater gets at most, practice, checks and controls apart.
    fewest_items : int
        When fewer than these are left for a rater, the study is full for him. With 1 every item gets all its
        answers; where every rater is paid the same, a larger number spares the last ones' pay.
    checks, controls, practice : int or None
        How many check items, control items and practice items of the set each rater gets; None: all of them.
    max_raters : int or None
        How many raters may begin, besides what the items' quotas allow.
    pilot_raters : int
        The same while the study is a pilot. Answers of a pilot count for no quota of the study itself.
    screening : tuple of dict
        ``{"question": str, "options": [str], "accept": [int]}``: who chooses another option is screened out.
    quiz : bool
        Whether raters must show that they understood the task before they start.
    quiz_tries : int
        After how many failed tries a rater is screened out.
    familiarity : bool or None
        Ask how well the words are known; None: as is usual for the task.
    break_every : int
        Offer a break after so many items; 0 for none.
    lease_minutes : float
        After how long without an answer a rater's open items go to others.
    session_hours : float
        How long after their last answer raters may come back.
    time_limit_minutes : float or None
        How long after consent a rater's time is up; None: never.
    platform : {"prolific", "mturk"} or None
        Where raters come from; None: by a plain link.
    codes : dict
        Completion codes of ``ENDS``. Those that are not given are drawn.
    return_link : str or None
        Where raters go from the last page, with ``{code}`` in it; None: as is usual for the platform.
    rules : dict
        Who is left out of the scores, and by which threshold. Frozen with everything else before the first
        answer of the study is in.
    replace_excluded : bool
        Give the places of raters whom the rules leave out to others, so that each item gets its answers from
        raters who count. A rater is judged once, when he has come to an end; so it goes with rules that look
        at one rater alone. Whoever is left out is paid all the same, as his code says nothing of it.
    """

    title: str = "Word lists"
    host: str = ""
    contact: str = ""
    language: str = "en"
    words_language: str = "en"
    words: dict[str, Any] = field(default_factory=dict)
    more: tuple[str, ...] = ()
    minutes: str = ""
    payment: str = ""
    answers_per_item: int = 5
    items_per_rater: int = 40
    fewest_items: int = 1
    checks: int | None = None
    controls: int | None = None
    practice: int | None = None
    max_raters: int | None = None
    pilot_raters: int = 5
    screening: tuple[dict[str, Any], ...] = ()
    quiz: bool = True
    quiz_tries: int = 3
    familiarity: bool | None = None
    break_every: int = 15
    lease_minutes: float = 30.0
    session_hours: float = 24.0
    time_limit_minutes: float | None = None
    platform: str | None = None
    codes: dict[str, str] = field(default_factory=dict)
    return_link: str | None = None
    rules: dict[str, Any] = field(default_factory=dict)
    replace_excluded: bool = False

    def __post_init__(self) -> None:
        for name, value in _plain(self).items():
            object.__setattr__(self, name, value)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is None and name in _OPTIONAL:
                continue
            whole = name not in ("lease_minutes", "session_hours", "time_limit_minutes")
            right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
            if not right or value < least:
                kind = "a whole number" if whole else "a number"
                raise InputError(f"{name} must be {kind} from {least} on; got {value!r}")
        for name in ("title", "host", "contact", "language", "words_language", "minutes", "payment"):
            if not isinstance(getattr(self, name), str):
                raise InputError(f"{name} must be a text; got {getattr(self, name)!r}")
        if self.platform is not None and self.platform not in PLATFORMS:
            raise InputError(f"platform must be one of {', '.join(PLATFORMS)} or None; got {self.platform!r}")
        if unknown := sorted(set(self.codes) - set(ENDS)):
            raise InputError(f"codes are of {', '.join(ENDS)}; there is no {unknown[0]!r}")
        if len(set(self.codes.values())) < len(self.codes):
            raise InputError("two ends have the same completion code: each needs its own")
        for code in self.codes.values():
            if not re.fullmatch(r"[A-Za-z0-9_-]{3,40}", code):
                raise InputError(f"a completion code is 3 to 40 letters, digits, _ or -; got {code!r}")
        if self.return_link is not None and not re.match(r"https://[^\s\"'<>]+$", self.return_link):
            raise InputError(f"return_link must begin with https://; got {self.return_link!r}")
        for number, question in enumerate(self.screening, start=1):
            _check_question(number, question)
        # Both are judged here, as nothing else may go live: what is frozen cannot be mended.
        if self.rules:
            from tealeaves.human.filters import Rules

            Rules.from_dict(self.rules)
        self._check_replacing()
        if self.words or self.language != "en":
            from tealeaves.human.app.pages.wording import wording

            wording(self.language, self.words)

    def _check_replacing(self) -> None:
        if not isinstance(self.replace_excluded, bool):
            raise InputError(f"replace_excluded is true or false; got {self.replace_excluded!r}")
        if self.replace_excluded and not self.rules:
            raise InputError(
                "replace_excluded, by which places of raters who are left out go to others, needs rules that "
                "say who that is"
            )
        if self.replace_excluded and self.rules.get("speed") is not None:
            raise InputError(
                "replace_excluded, by which places of raters who are left out go to others, does not go with "
                "the rule speed, as a place would depend on all who come later: use seconds instead"
            )

    def link(self, code: str) -> str | None:
        """Where a rater with this code goes from the last page; None: nowhere."""
        link = self.return_link or RETURN_LINKS.get(self.platform or "")
        return link.replace("{code}", code) if link else None


_LEAST = {
    "answers_per_item": 1, "items_per_rater": 1, "fewest_items": 1, "checks": 0, "controls": 0, "practice": 0,
    "max_raters": 1, "pilot_raters": 1, "quiz_tries": 1, "break_every": 0, "lease_minutes": 0.01,
    "session_hours": 0.01, "time_limit_minutes": 0.01,
}  # fmt: skip
# Curators come back for weeks, and nothing is handed out to them that others wait for.
_CURATION = {"quiz": False, "break_every": 0, "session_hours": 24.0 * 60, "lease_minutes": 60.0 * 24 * 60}
_OPTIONAL = ("checks", "controls", "practice", "max_raters", "time_limit_minutes")


@dataclass(frozen=True, eq=False)
class Study:
    """A study in its folder. The object is what the folder said when it was read; `again` reads it anew.

    Attributes
    ----------
    folder : Path
        ``study.json``, ``items.jsonl`` (with keys), ``secret`` and, without another database, ``study.db``.
    name : str
        What stands in addresses and exports: the folder's name in small letters.
    settings : Settings
        What the organiser decided.
    state : {"draft", "pilot", "live", "paused", "closed"}
        In a draft everything can be tried out and what was answered is thrown away. Who is at work when a
        study is paused may finish; nobody else begins.
    phase : {"draft", "pilot", "live"}
        What answers given now belong to: the state, or what was paused or closed.
    frozen : dict or None
        ``at`` and ``digest`` of the settings, once the study was live. Changed later, it is refused.
    about : dict
        All of ``study.json``.

    Examples
    --------
    >>> import tempfile
    >>> from tealeaves.human.items import Item, ItemSet
    >>> item = Item("i0001", "word_intrusion", "lda", 0, options=("oil", "gas", "dividend"), key="dividend")
    >>> folder = Path(tempfile.mkdtemp()) / "Oil topics"
    >>> study = Study.create(folder, ItemSet("word_intrusion", [item]), answers_per_item=8)
    >>> study.name, study.state, study.settings.answers_per_item, len(study.items)
    ('oil-topics', 'draft', 8, 1)
    >>> live = study.move("live")
    >>> live.state, live.phase, live.frozen["digest"] == live.settings_digest
    ('live', 'live', True)
    """

    folder: Path
    about: dict[str, Any]

    @classmethod
    def create(cls, folder: str | Path, items: "ItemSet", **settings: Any) -> "Study":
        """Make the folder of a new study, as a draft.

        Parameters
        ----------
        folder : path
            A folder that is not there yet, or empty.
        items : ItemSet
            What is asked.
        **settings
            Fields of `Settings`. Completion codes that are not given are drawn, and the task names the title.

        Raises
        ------
        InputError
            If the folder holds something, a setting is unknown or not what was wanted, or no item counts.
        """
        folder = Path(folder)
        if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
            raise InputError(f"{folder} is there already: name another folder for the study")
        if items.task == "reference_topic_curation":
            if len(items) == 0:
                raise InputError("there is nothing to curate: the item set is empty")
            settings = {**_CURATION, "items_per_rater": len(items), **settings}
        elif not any(item.role == "item" for item in items):
            raise InputError(f"no item of the set counts, of {len(items)} there are: make a set with items")
        made = settings_of(settings)
        if "title" not in settings:
            made = replace(made, title=_title(items.task, made))
        made = replace(made, codes={end: made.codes.get(end) or _code() for end in ENDS})
        now = _now()
        about = {
            "format": FORMAT,
            "version": VERSION,
            "name": slug(folder.resolve().name),
            "created": now,
            "tealeaves": tealeaves.__version__,
            "task": items.task,
            "items": {"digest": items.digest, "n": len(items), "seed": items.seed},
            "settings": _plain(made),
            "state": "draft",
            "phase": "draft",
            "frozen": None,
            "history": [{"state": "draft", "at": now}],
        }
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(PermissionError):  # a folder that another made, and shares with us, stays as it is
            folder.chmod(0o700)  # the keys, and later who is who, are for the organiser
        items.save(folder / "items.jsonl")
        secret = os.open(folder / "secret", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(secret, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
        _write(folder, about)  # last: without it the folder is no study
        return cls(folder, about)

    @classmethod
    def open(cls, folder: str | Path) -> "Study":
        """Read a study's folder.

        Raises
        ------
        FormatError
            If it is none, of another version, or was changed after it was frozen.
        """
        folder = Path(folder)
        path = folder / "study.json"
        if not path.is_file():
            raise FormatError(folder, "is no study: a folder with study.json was expected")
        try:
            about = json.loads(path.read_bytes())
            if about["format"] != FORMAT:
                raise ValueError(f"its format is {about['format']!r}")
            if about["version"] != VERSION:
                raise FormatError(
                    path, f"is of version {about['version']!r}, but this release reads {VERSION}"
                )
            study = cls(folder, about)
            wanted = about["frozen"]["digest"] if about["frozen"] else None
            if wanted not in (None, study.settings_digest):
                raise FormatError(
                    path, "its settings were changed after they were frozen: make a new study instead"
                )
            if study.state not in STATES or study.phase not in ("draft", "pilot", "live"):
                raise ValueError(f"there is no state {study.state!r}")
            _ = study.name, study.task, study.settings
        except FormatError:
            raise
        except InputError as error:
            raise FormatError(path, f"cannot be used: {error}") from None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatError(path, f"cannot be read as a study: {error}") from None
        return study

    def again(self) -> "Study":
        """What the folder says now."""
        return type(self).open(self.folder)

    def move(self, state: str) -> "Study":
        """Go on to another state; what goes live is frozen.

        Raises
        ------
        InputError
            If there is no way from here to there.
        """
        with self._changing() as about:
            here = about["state"]
            if state not in STATES:
                raise InputError(f"there is no state {state!r}; there are {', '.join(STATES)}")
            ways = NEXT[here]
            if here == "paused":
                ways = (about["phase"], *(("live",) if about["phase"] == "pilot" else ()), "closed")
            if state not in ways:
                raise InputError(
                    f"a study that is {here} becomes {' or '.join(ways) or 'nothing else'}, not {state}"
                )
            if state in ("draft", "pilot", "live"):
                about["phase"] = state
            if state == "live" and about["frozen"] is None:
                about["frozen"] = {"at": _now(), "digest": _digest(about["settings"], about["items"])}
            about["state"] = state
            about["history"].append({"state": state, "at": _now()})
        return self.again()

    def change(self, **settings: Any) -> "Study":
        """Change settings of a draft or a pilot.

        Raises
        ------
        InputError
            If the study is frozen, or a setting is unknown or not what was wanted.
        """
        with self._changing() as about:
            _thawed(about)
            made = settings_of({**about["settings"], **settings})
            codes = {**about["settings"]["codes"], **made.codes}
            about["settings"] = _plain(replace(made, codes=codes))
            about["history"].append({"changed": sorted(settings), "at": _now()})
        return self.again()

    def replace_items(self, items: "ItemSet") -> "Study":
        """Take another item set, while the study is a draft or a pilot: such as one with promoted checks.

        Raises
        ------
        InputError
            If the study is frozen, or the items are of another task.
        """
        with self._changing() as about:
            _thawed(about)
            if items.task != about["task"]:
                raise InputError(f"this study asks {about['task']}, but the items are of {items.task}")
            items.save(self.folder / "items.jsonl")
            was = about["items"]["digest"]  # by which the database knows the study until it is opened again
            about["items"] = {"digest": items.digest, "n": len(items), "seed": items.seed}
            about["history"].append({"changed": ["items"], "was": was, "at": _now()})
        return self.again()

    @property
    def name(self) -> str:
        """What stands in addresses and exports."""
        return str(self.about["name"])

    @property
    def task(self) -> str:
        """The task of every item."""
        return str(self.about["task"])

    @property
    def state(self) -> str:
        """One of ``STATES``."""
        return str(self.about["state"])

    @property
    def phase(self) -> str:
        """What answers given now belong to."""
        return str(self.about["phase"])

    @property
    def frozen(self) -> dict[str, str] | None:
        """``at`` and ``digest``, once the study was live."""
        found = self.about["frozen"]
        return None if found is None else dict(found)

    @cached_property
    def settings(self) -> Settings:
        """What the organiser decided."""
        return settings_of(self.about["settings"])

    @property
    def settings_digest(self) -> str:
        """SHA-256 of the settings and of the items' digest: what freezing holds on to."""
        return _digest(self.about["settings"], self.about["items"])

    @cached_property
    def items(self) -> "ItemSet":
        """The items, with their keys.

        Raises
        ------
        FormatError
            If the file holds others than the study was made with.
        """
        from tealeaves.human.items import ItemSet

        path = self.folder / "items.jsonl"
        items = ItemSet.load(path)
        if items.digest != self.about["items"]["digest"]:
            raise FormatError(path, "holds other items than the study was made with")
        return items

    @cached_property
    def secret(self) -> bytes:
        """What tokens and orders are drawn from; raters see nothing of it.

        Raises
        ------
        FormatError
            If the file is not there or holds something else.
        """
        path = self.folder / "secret"
        try:
            secret = bytes.fromhex(path.read_text("ascii").strip())
        except (OSError, ValueError) as error:
            raise FormatError(path, f"the study's secret cannot be read: {error}") from None
        if len(secret) != 32:
            raise FormatError(path, f"the study's secret has {len(secret)} bytes, not 32")
        return secret

    @contextmanager
    def _changing(self) -> "Iterator[dict[str, Any]]":
        """What the folder says now, to be changed; nobody else changes it meanwhile."""
        with ExitStack() as alone:
            try:
                alone.enter_context(exclusive(self.folder))  # it goes with the process, however that ends
            except InputError:
                raise InputError("somebody else changes the study now; do it again in a moment") from None
            about = json.loads(json.dumps(self.again().about))
            yield about
            _write(self.folder, about)


def _title(task: str, settings: Settings) -> str:
    """What a study is called that was given no title: what raters do, not what is tested."""
    from tealeaves.human.app.pages.wording import wording

    return wording(settings.language, settings.words).plain(f"{task}.title")


def _thawed(about: Mapping[str, Any]) -> None:
    if about["frozen"]:
        raise InputError(f"the study was frozen at {about['frozen']['at']}: make a new one instead")


def settings_of(given: Mapping[str, Any]) -> Settings:
    """Settings as a file or ``study.json`` has them.

    Raises
    ------
    InputError
        If there is no such setting, or one is not what was wanted.
    """
    known = {f.name for f in fields(Settings)}
    if unknown := sorted(set(given) - known):
        raise InputError(f"there is no setting {unknown[0]!r}; there are {', '.join(sorted(known))}")
    try:
        values = {**given}
        for name in ("more", "screening"):
            if name in values:
                values[name] = tuple(values[name])
        return Settings(**values)
    except InputError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"the settings are not what was wanted: {error}") from None


def _check_question(number: int, question: Mapping[str, Any]) -> None:
    options, accept = question.get("options"), question.get("accept")
    if not isinstance(question.get("question"), str) or not isinstance(options, list) or len(options) < 2:
        raise InputError(f"screening question {number} needs a question and two or more options")
    if not accept or not isinstance(accept, list) or not all(i in range(len(options)) for i in accept):
        raise InputError(f"screening question {number}: accept lists which options let in, counted from 0")


def _plain(settings: Settings) -> dict[str, Any]:
    """As JSON has it, so that what was written and what is read are the same."""
    try:
        made: dict[str, Any] = json.loads(json.dumps(asdict(settings), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InputError(f"settings are made of JSON, but {error}") from None
    return {**made, "more": tuple(made["more"]), "screening": tuple(made["screening"])}


def _digest(settings: Mapping[str, Any], items: Mapping[str, Any]) -> str:
    text = json.dumps([settings, items["digest"]], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _write(folder: Path, about: Mapping[str, Any]) -> None:
    """Whole or not at all: the server reads this file while it is written."""
    part = folder / f".study.json.{secrets.token_hex(4)}"
    with part.open("w", encoding="utf-8") as file:
        json.dump(about, file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    part.replace(folder / "study.json")


def slug(name: str) -> str:
    """A name as it stands in addresses."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "study"


def _code() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(8))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
