"""Obvious subjects in English: items that nobody who reads them can get wrong, for checks and practice."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tealeaves.errors import InputError
from tealeaves.human.lots import Lots

SHOWN = 15  # the most words that a task shows of one subject
FRAMES = (
    "First came {a}, then {b}.",
    "Nobody spoke of {a} without {b}.",
    "The first page is about {a}, the last about {b} and {c}.",
    "Some asked for {a}, and others for {b}.",
    "There was more to say about {a} than about {b} or {c}.",
    "We saw {a}, {b} and {c} again.",
    "Here {a} goes with {b}, as everywhere.",
    "What is known of {a} is known of {b}, too.",
)
SUBJECTS = 8  # five stand beside a marked word, and some are near to each other


@dataclass(frozen=True)
class Subject:
    """Words that plainly go together, and a text of them with a word in it to be marked.

    Words of the subjects in ``near`` never intrude: an orange is a fruit and a colour.
    """

    name: str
    words: tuple[str, ...]
    text: str
    word: str
    near: tuple[str, ...] = ()
    frames: tuple[str, ...] = ("{a}, {b}, {c}.",)  # sentences for any of the words, where documents are shown


@cache
def english() -> tuple[Subject, ...]:
    """The subjects that come with tealeaves."""
    file = files("tealeaves.human").joinpath("obvious_en.toml")
    return _read(tomllib.loads(file.read_text("utf-8")), FRAMES)


def subjects(obvious: Mapping[str, Any] | None) -> tuple[Subject, ...]:
    """The subjects of a call: those above, or the caller's own words by the name of each.

    Raises
    ------
    InputError
        If there are too few, one has too few words, or its text does not hold its word.
    """
    return english() if obvious is None else _read(obvious)


def _read(obvious: Mapping[str, Any], frames: tuple[str, ...] = Subject.frames) -> tuple[Subject, ...]:
    made = []
    for name, given in obvious.items():
        parts: Mapping[str, Any] = given if isinstance(given, Mapping) else {"words": given}
        words = parts.get("words", ())
        if isinstance(words, str) or len(set(words)) < SHOWN:
            raise InputError(
                f"the obvious subject {name!r} needs {SHOWN} different words: obvious={{name: [words]}} or "
                '{name: {"words": […], "text": "a text of them", "word": "a word of the text"}}'
            )
        text, word = str(parts.get("text", "")), str(parts.get("word", ""))
        if word not in text:
            raise InputError(f"the text of the obvious subject {name!r} does not hold its word {word!r}")
        near = parts.get("near", ())
        different = tuple(dict.fromkeys(map(str, words)))
        made.append(Subject(str(name), different, text, word, tuple(map(str, near)), frames))
    if len(made) < SUBJECTS:
        raise InputError(f"at least {SUBJECTS} obvious subjects are needed; got {len(made)}")
    return tuple(made)


def others(subject: Subject, all_of_them: Sequence[Subject], lots: Lots) -> list[Subject]:
    """Subjects that nobody takes for this one, in random order."""
    names = {one.name: one for one in all_of_them}
    apart = [name for name in names if name != subject.name and name not in subject.near]
    return [names[name] for name in lots.order(apart)]
