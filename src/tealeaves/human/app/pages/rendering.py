"""Pages of raters as HTML: words always escaped, nothing inline, whole without JavaScript."""

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.human.app.pages.wording import Wording, wording
from tealeaves.verdicts import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

STATIC = Path(str(files("tealeaves.human.app").joinpath("static")))
# What a route may leave out. All else that a template names must be handed over: an oversight is an error.
LEFT_OUT: Mapping[str, Any] = {
    "study": None,
    "csrf": "",
    "static": "/static",
    "action": "",
    "hidden": {},
    "errors": {},
    "kept": {},
    "next": None,
    "back": None,
    "pause": None,
    "withdraw": None,
    "ahead": (),
    "saved_at": None,
    "until": None,
    "resume": None,
    "code": None,
    "return_url": None,
    "kept_answers": None,
    "pseudonym": None,
    "remark_sent": False,
    "again": False,
    "answer": None,
    "why": None,
    "wrong": {},
    "tries_left": None,
    "minutes": None,
    "payment": None,
    "hours": None,
    "checks": False,
    "platform": False,
    "more": (),
    "frozen": False,
    "practice": None,
    "kind": "server",
}
LONG = re.compile(r"\S{81,}")
MAIL = re.compile(r"(?<![\w.+…-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
STUDY: Mapping[str, Any] = {"title": "", "host": "", "contact": "", "words_language": None}


def render(name: str, context: Mapping[str, Any], language: str | Wording = "en") -> str:
    """One page; the names and what each wants stand in `tealeaves.human.app.pages`."""
    text = language if isinstance(language, Wording) else wording(language)
    study = context.get("study")
    known = {**LEFT_OUT, **context, "study": {**STUDY, **study} if study else None}
    if name == "feedback":
        known["frozen"] = True
    template = "ended" if name.startswith("ended-") else name
    return environment().get_template(f"{template}.html").render(**known, t=text, page=name)


def shown(text: str) -> str:
    """A text without what cannot be seen, and without words so long that they are none.

    Examples
    --------
    >>> shown("so " + 1000 * "w")
    'so wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww…wwwwwwwwww'
    >>> shown(" ")
    '␣'
    """
    return LONG.sub(lambda word: f"{word[0][:40]}…{word[0][-10:]}", visible(text)) if text.strip() else "␣"


def linked(text: str) -> "Markup":
    """A text whose mail addresses can be pressed.

    Examples
    --------
    >>> print(linked("<Anna> anna@example.org"))
    &lt;Anna&gt; <a href="mailto:anna@example.org">anna@example.org</a>
    """
    from markupsafe import Markup, escape

    link = Markup('<a href="mailto:{0}">{0}</a>')
    plain, mails = (found(shown(text)) for found in (MAIL.split, MAIL.findall))
    return Markup("").join(
        [escape(plain[0]), *(link.format(m) + p for m, p in zip(mails, plain[1:], strict=True))]
    )


@cache
def environment() -> "Environment":
    """Jinja with our templates and filters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("tealeaves.human.app"),
        autoescape=True,
        auto_reload=False,  # else each page asks the disk for the age of every template
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters["visible"] = shown
    made.filters["linked"] = linked
    made.globals["version"] = version
    return made


@cache
def version(name: str) -> str:
    """A few letters that change with a static file, so that browsers may keep it for long."""
    return hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
