"""The settings of a study as a form, for as long as they can be changed.

What is rarely set (leases, time limits) is changed by ``tealeaves study change``.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tealeaves.errors import InputError
from tealeaves.human import own_texts, screening
from tealeaves.human.study import ENDS, PLATFORMS

if TYPE_CHECKING:
    from tealeaves.human.study import Settings, Study

TEXTS = (
    ("title", "Title", "raters see it above the first page"),
    ("host", "Who asks", "such as your group; on the first page"),
    ("contact", "Mail address for questions", "raters see it on the first and the last page"),
    ("minutes", "Minutes", "how long most people need, such as 12"),
    ("payment", "Payment of a rater", "such as £2.00; raters see it, and it gives the cost"),
    (
        "return_link",
        "Link back",
        "where raters go from the last page, with {code} in it; empty: the platform’s",
    ),
)
# Name, label, least, and what it is; those of ``OPEN`` may be empty.
NUMBERS = (
    ("answers_per_item", "Raters an item", 1, "answers to each item; never one more"),
    ("items_per_rater", "Items a rater", 1, "at most; checks come on top"),
    ("fewest_items", "Fewest items a rater", 1, "with fewer left nobody begins"),
    ("pilot_raters", "Raters of the pilot", 1, "at most"),
    ("max_raters", "Raters", 1, "at most; empty: as many as the items need"),
    ("checks", "Checks a rater", 0, "empty: all of the set"),
    ("controls", "Controls a rater", 0, "empty: all of the set"),
    ("practice", "Practice items", 0, "empty: all of the set"),
    ("break_every", "A break after", 0, "so many items; 0: none"),
)
# Longer texts, each with how a setting is read from it, and how it is written into it.
LONG: dict[str, tuple[str, str, Callable[[str], Any], Callable[[Any], str]]] = {
    "screening": (
        "Who may take part",
        "questions before the start, an empty line between two: the question, and below it its options, with "
        "+ before those that let in and - before the others",
        screening.questions,
        screening.written,
    ),
    "more": (
        "Further paragraphs of the first page",
        "such as of your ethics board; an empty line between two",
        own_texts.paragraphs,
        "\n\n".join,
    ),
    "words": (
        "Texts of your own",
        "a line each, such as “document = story” or “topic_intrusion.question = Which list does not fit?”; "
        "the names are those of tealeaves/human/app/texts/en.toml",
        own_texts.own_texts,
        own_texts.written,
    ),
}
MOST = 10_000  # letters of such a text
OPEN = ("max_raters", "checks", "controls", "practice")


def languages() -> list[str]:
    """In which languages the pages are there."""
    from tealeaves.human.app.pages.wording import languages as known

    return list(known())


def form(settings: "Settings") -> dict[str, Any]:
    """What the form shows."""
    known = languages()
    return {
        "texts": [_field(settings, name, label, hint) for name, label, hint in TEXTS],
        "numbers": [
            {**_field(settings, name, label, hint), "min": least, "required": name not in OPEN}
            for name, label, least, hint in NUMBERS
        ],
        "platforms": PLATFORMS,
        "platform": settings.platform or "",
        "languages": known if settings.language in known else [settings.language, *known],
        "language": settings.language,
        "words_language": settings.words_language,
        "quiz": settings.quiz,
        "replace_excluded": settings.replace_excluded,
        "long": long_fields({name: getattr(settings, name) for name in LONG}),
        "codes": [
            {"name": f"code_{end}", "label": end.replace("_", " ").capitalize(), "value": code}
            for end, code in settings.codes.items()
        ],
    }


def long_fields(values: Mapping[str, Any], written: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """The longer texts of a form: what is set, or what was written into it last."""
    return [
        {
            "name": name,
            "label": label,
            "hint": hint,
            "value": (written or {}).get(name) or write(values[name]),
        }
        for name, (label, hint, _, write) in LONG.items()
    ]


def long_settings(given: Mapping[str, str]) -> dict[str, Any]:
    """The settings that the longer texts of a form say.

    Raises
    ------
    InputError
        If one cannot be read; it says which.
    """
    found = {}
    for name, (label, _, read, _) in LONG.items():
        if name in given:
            text = given[name].strip()
            if len(text) > MOST:
                raise InputError(f"{label.lower()}: at most {MOST:,} letters; got {len(text):,}")
            found[name] = read(text)
    return found


def change(study: "Study", given: Mapping[str, str]) -> "Study":
    """Take what was filled in.

    Raises
    ------
    InputError
        If something is not what was wanted, or the study is frozen.
    """
    wanted: dict[str, Any] = {}
    for name, label, _ in TEXTS:
        if name in given:
            wanted[name] = _text(given, name) or (None if name == "return_link" else "")
            if name == "title" and not wanted[name]:
                raise InputError(f"{label.lower()} must not be empty")
    for name, label, *_ in NUMBERS:
        if name in given:
            wanted[name] = _number(_text(given, name), label, empty=name in OPEN)
    for name in ("language", "words_language"):
        if name in given:
            wanted[name] = _text(given, name)
    if "platform" in given:
        wanted["platform"] = _text(given, "platform") or None
    if "language" in given:  # the whole form was sent, and a box that is not ticked says nothing
        wanted["quiz"] = given.get("quiz") == "yes"
        wanted["replace_excluded"] = given.get("replace_excluded") == "yes"
    wanted |= long_settings(given)
    codes = {end: _text(given, f"code_{end}") for end in ENDS if _text(given, f"code_{end}")}
    if codes:
        wanted["codes"] = {**study.settings.codes, **codes}
    return study.change(**wanted)


def _field(settings: "Settings", name: str, label: str, hint: str) -> dict[str, Any]:
    value = getattr(settings, name)
    return {"name": name, "label": label, "hint": hint, "value": "" if value is None else value}


def _text(given: Mapping[str, str], name: str) -> str:
    return given.get(name, "").strip()[:300]


def _number(text: str, label: str, *, empty: bool) -> int | None:
    if not text and empty:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise InputError(f"{label} must be a whole number; got {text!r}")
    return int(text)
