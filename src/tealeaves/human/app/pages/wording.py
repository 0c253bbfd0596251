"""The sentences raters read: one file a language, in the study's own words."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from markupsafe import Markup

PLACE = re.compile(r"\{(\w+)\}")
LIKED = re.compile(r"([A-Za-z]{1,8})(?:-[\w-]{0,80})?(?:\s*;\s*q=([01](?:\.\d{1,3})?))?(?:,|$)", re.ASCII)


class Wording:
    """The sentences of one language, by dotted names.

    Called, it gives HTML: what is filled in is escaped, and ``*so*`` is stressed. `plain` gives text.

    Parameters
    ----------
    language : str
        What ``lang`` says of the page.
    sentences : dict
        Nested tables of sentences; ``{name}`` is filled in, from the table ``words`` or from what the call
        hands over. A table of ``one`` and ``other`` is chosen from by the call's ``n``.
    """

    def __init__(self, language: str, sentences: dict[str, Any]) -> None:
        self.language, self.sentences = language, sentences
        self._made: dict[str, Markup] = {}  # what nothing is filled in, and so the same on every page

    def get(self, name: str) -> Any:
        """The entry as it stands in the file: a sentence, a list or a table.

        Raises
        ------
        InputError
            If there is none.
        """
        found: Any = self.sentences
        for part in name.split("."):
            if not isinstance(found, dict) or part not in found:
                raise InputError(f"no sentence {name!r} in the texts of {self.language!r}")
            found = found[part]
        return found

    def plain(self, name: str, /, **values: object) -> str:
        """The sentence as text, for attributes and JSON."""
        return self.fill(self._sentence(name, values).replace("*", ""), **values)

    def __call__(self, name: str, /, **values: object) -> "Markup":
        """The sentence as HTML."""
        return self.html(self._sentence(name, values), **values)

    def html(self, sentence: str, /, **values: object) -> "Markup":
        """A sentence from a list of the file as HTML."""
        if not values and sentence in self._made:
            return self._made[sentence]
        from markupsafe import Markup, escape

        stressed = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", str(escape(sentence)))
        filled = PLACE.sub(lambda place: str(escape(self._value(place[1], values, sentence))), stressed)
        made = Markup(filled)  # the sentence and every value were escaped above
        if not values:
            self._made[sentence] = made
        return made

    def fill(self, sentence: str, /, **values: object) -> str:
        """A sentence from a list of the file as text."""
        return PLACE.sub(lambda place: str(self._value(place[1], values, sentence)), sentence)

    def _sentence(self, name: str, values: Mapping[str, object]) -> str:
        found = self.get(name)
        if isinstance(found, dict) and "other" in found:
            found = found["one" if values.get("n") == 1 else "other"]
        if not isinstance(found, str):
            raise InputError(f"{name!r} in the texts of {self.language!r} is not one sentence")
        return found

    def _value(self, name: str, values: Mapping[str, object], sentence: str) -> object:
        words = self.sentences["words"]
        if name not in values and name not in words:
            raise InputError(
                f"the sentence {sentence!r} ({self.language}) wants {name!r}, which nothing fills in"
            )
        return values[name] if name in values else words[name]


def languages() -> list[str]:
    """The languages there is a file for."""
    return sorted(file.name[:-5] for file in _folder().iterdir() if file.name.endswith(".toml"))


def preferred(accept: str) -> str:
    """Of the languages there is a file for, the one a browser asks for (``Accept-Language``); or English.

    Examples
    --------
    >>> preferred("fr, de-AT;q=0.9, en;q=0.8")
    'de'
    """
    asked = LIKED.findall(accept)
    by_liking = sorted(asked, key=lambda found: -float(found[1] or 1))
    return next((base.lower() for base, _ in by_liking if base.lower() in languages()), "en")


def wording(language: str, changes: Mapping[str, str | Sequence[str]] | None = None) -> Wording:
    """The sentences of a language as a study words them.

    Parameters
    ----------
    language : str
        Such as "en"; of "de-AT" the part before the hyphen is looked for.
    changes : mapping, optional
        Sentences, or lists of sentences, of the study's own by dotted name. A name without a dot is one of
        the table ``words``, which others are made with: ``{"document": "story", "documents": "stories"}``.

    Raises
    ------
    InputError
        If there is no such language or sentence, or a changed one wants what nothing fills in.

    Examples
    --------
    >>> wording("en", {"document": "story"}).plain("topic_intrusion.question")
    'Which list of words does not fit this story?'
    """
    base = language.partition("-")[0].lower()
    if base not in languages():
        raise InputError(
            f"texts are there in {', '.join(languages())}, but the study's language is {language!r}"
        )
    own = {name: said if isinstance(said, str) else tuple(said) for name, said in (changes or {}).items()}
    return _wording(language, base, tuple(sorted(own.items())))


@cache
def _wording(language: str, base: str, changes: tuple[tuple[str, str | tuple[str, ...]], ...]) -> Wording:
    sentences = tomllib.loads(_folder().joinpath(f"{base}.toml").read_text("utf-8"))
    for name, said in changes:
        _change(sentences, name if "." in name else f"words.{name}", said, base)
    words = sentences["words"]
    plain = {name: word for name, word in words.items() if not PLACE.search(word)}
    for name, word in words.items():  # forms of a word are made with it: "this {document}"
        words[name] = PLACE.sub(lambda place: plain.get(place[1], place[0]), word)
    return Wording(language, sentences)


def _change(sentences: dict[str, Any], name: str, said: str | tuple[str, ...], language: str) -> None:
    *tables, last = name.split(".")
    table: Any = sentences
    for part in tables:
        table = table.get(part) if isinstance(table, dict) else None
    found = table.get(last) if isinstance(table, dict) else None
    new, old = ([entry] if isinstance(entry, str) else list(entry or ()) for entry in (said, found))
    if (
        not old
        or isinstance(said, str) != isinstance(found, str)
        or not all(isinstance(o, str) for o in new + old)
    ):
        raise InputError(
            f"the study words {name!r} anew, but the texts of {language!r} have no such sentence"
        )
    unknown = (
        set(PLACE.findall(" ".join(new))) - set(PLACE.findall(" ".join(old))) - sentences["words"].keys()
    )
    if unknown:
        wants = ", ".join(sorted(unknown))
        raise InputError(f"the study's sentence {name!r} wants {wants} in braces, which nothing fills in")
    table[last] = said


def _folder() -> Any:
    return files("tealeaves.human.app").joinpath("texts")
