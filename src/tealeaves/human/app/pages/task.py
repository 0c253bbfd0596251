"""What every task of raters shares: its question, its answer, and what is asked beside it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tealeaves.errors import InputError
from tealeaves.human.app.pages.wording import Wording

FAMILIARITY = ("most", "sure", "unsure")
STEPS = ("1", "2", "3")
LONGEST = 120  # letters of a name that a rater gives
FIRST = 1100  # letters of a document that are shown at once; the rest is one press away
# Controls, marks of direction, halves of letters; then what has no width, and what has only beside letters.
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")
WIDTHLESS = re.compile(r"[\u00ad\u180e\u200b\u2060-\u2065\ufeff\ufff0-\ufffb]")
BESIDE_LETTERS = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u200c\u200d\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
Row = dict[str, Any]


class Shown(Protocol):
    """The part of an item that a page may know."""

    @property
    def options(self) -> Sequence[str]: ...
    @property
    def shown(self) -> Mapping[str, Any]: ...


class AnswerError(InputError):
    """An answer cannot be read; ``fields`` names the sentence to be shown at each field."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self.fields = dict(fields)
        super().__init__("the answer lacks " + ", ".join(f"{field} ({why})" for field, why in fields.items()))

    def messages(self, text: Wording) -> dict[str, str]:
        """The sentences by field."""
        return {field: text.plain(f"errors.{why}") for field, why in self.fields.items()}


class Task:
    """One task: `context` makes the question, `parse` reads the answer, `form` fills it in again.

    Parameters
    ----------
    name : str
        As in ``Item.task``; also the template's.
    familiarity : bool
        Whether raters are asked how well they know the words, unless a study says otherwise.
    """

    def __init__(self, name: str, familiarity: bool = False) -> None:
        self.name, self.familiarity = name, familiarity

    def context(
        self, item: Shown, order: Sequence[int], text: Wording, familiarity: bool | None = None
    ) -> Row:
        """What the template shows: nothing that tells the key, the role or the source."""
        return {**self.question(item, order, text), "familiarity": self._asks(familiarity)}

    def parse(
        self, form: Mapping[str, str], item: Shown, order: Sequence[int], familiarity: bool | None = None
    ) -> Row:
        """The value of an answer.

        Raises
        ------
        AnswerError
            If a field is missing or not what the page offers.
        """
        wrong: dict[str, str] = {}
        value = self.answer(form, item, order, wrong)
        if self._asks(familiarity):
            value["familiarity"] = one_of(form, "familiarity", FAMILIARITY, wrong)
        if wrong:
            raise AnswerError(wrong)
        return value

    def form(self, value: Mapping[str, Any], item: Shown, order: Sequence[int]) -> dict[str, str]:
        """The fields that `parse` would read the value from."""
        fields = self.fields(value, item, order)
        return {**fields, **({"familiarity": value["familiarity"]} if "familiarity" in value else {})}

    def question(self, item: Shown, order: Sequence[int], text: Wording) -> Row:
        """The task's own part of `context`."""
        raise NotImplementedError

    def answer(
        self, form: Mapping[str, str], item: Shown, order: Sequence[int], wrong: dict[str, str]
    ) -> Row:
        """The task's own part of `parse`; enters in ``wrong`` what is."""
        raise NotImplementedError

    def fields(self, value: Mapping[str, Any], item: Shown, order: Sequence[int]) -> dict[str, str]:
        """The task's own part of `form`."""
        raise NotImplementedError

    def _asks(self, familiarity: bool | None) -> bool:
        return self.familiarity if familiarity is None else familiarity


def one_of(form: Mapping[str, str], field: str, values: Sequence[str], wrong: dict[str, str]) -> str:
    """A field that must be one of some values."""
    value = form.get(field, "")
    if value not in values:
        wrong[field] = field
    return value


def step_of(form: Mapping[str, str], field: str, wrong: dict[str, str]) -> int:
    """A field of three steps; 0 where it is wrong."""
    value = one_of(form, field, STEPS, wrong)
    return int(value) if value in STEPS else 0


def words_of(form: Mapping[str, str], field: str, wrong: dict[str, str]) -> str:
    """A field of some words of the rater's own, in one line, without what cannot be seen."""
    given = form.get(field, "")
    plain = WIDTHLESS.sub("", UNSEEN.sub(" ", given)) if isinstance(given, str) else ""  # or a file was sent
    value = " ".join(plain.split())
    if not BESIDE_LETTERS.sub("", value).strip():
        wrong[field] = "name"
    elif len(value) > LONGEST:
        wrong[field] = "long"
    return value


def document(shown: Mapping[str, Any]) -> Row:
    """A document's title, the paragraphs shown at once, and the rest.

    Examples
    --------
    >>> document({"title": "Rain", "text": "It rained. It stopped."})
    {'title': 'Rain', 'start': ['It rained. It stopped.'], 'rest': [], 'more': 0}
    """
    text = str(shown.get("text") or "").strip()
    cut = len(text) if len(text) <= 1.3 * FIRST else _cut(text)
    rest = text[cut:].strip()
    title = " ".join(str(shown.get("title") or "").split())
    return {
        "title": title,
        "start": paragraphs(text[:cut]),
        "rest": paragraphs(rest),
        "more": len(rest.split()),
    }


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a plain text: parted by empty lines, or by lines where none is empty."""
    parts = re.split(r"\n\s*\n", text) if re.search(r"\n\s*\n", text) else text.split("\n")
    return [part for part in (" ".join(part.split()) for part in parts) if part]


def _cut(text: str) -> int:
    """Where the first part ends: at a paragraph, else a sentence, else a word, else in the middle of one."""
    for end in ("\n", ". ", " "):
        at = text.rfind(end, FIRST // 2, FIRST)
        if at > 0:
            return at + len(end)
    return FIRST
