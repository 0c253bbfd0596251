"""The summary as one HTML file: no network, no inline script but our own, words always escaped."""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tealeaves.report.rows import capital, fixed
from tealeaves.verdicts import number, visible

if TYPE_CHECKING:
    from jinja2 import Environment

Row = dict[str, Any]
STATIC_TOPICS = 400  # about 9 KB a topic with its matrix: with more, rows and matrices are made from JSON
EDGES = (-0.75, -0.45, -0.2, -0.05, 0.05, 0.2, 0.4, 0.6)  # of the nine colours of the pair matrix
# Those with a style and a script of their own, and the files these are in.
SECTIONS = {
    "balance": "size",
    "sweep": "size",
    "documents": "documents",
    "over_time": "over_time",
    "coverage": "coverage",
    "again": "stability",
    "people": "people",
}
STILL = ("size",)  # sections without a script of their own
DIGITS, BIG_DIGITS = 10, 6  # of the numbers in the page; scores.to_csv writes all
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
COLOURS = ("n4", "n3", "n2", "n1", "z0", "p1", "p2", "p3", "p4")


def render(summary: Row) -> str:
    """Return the page of what `summarize` gave."""
    models = [{**model, "slug": f"m{i}"} for i, model in enumerate(summary["models"])]
    big = sum(len(model["topics"]) for model in models) > STATIC_TOPICS
    shown = list(dict.fromkeys(["report", *(file for name, file in SECTIONS.items() if summary[name])]))
    style, script, digest = assets(shown, ["figures", *(name for name in shown if name not in STILL)])
    return (
        environment()
        .get_template("report.html")
        .render(
            **{**summary, "models": models},
            big=big,
            style=style,
            script=script,
            script_hash=digest,
            data=script_json({"big": big, "models": [_data(model, big) for model in models]}),
        )
    )


def render_reading(name: str, section: Row) -> str:
    """Return the page of documents alone, of what `tealeaves.report.documents` made of them."""
    style, script, digest = assets(["report", "documents"], scripts=["figures", "documents"])
    title = f"Documents under {name}"
    page = environment().get_template("reading.html")
    return page.render(title=title, documents=section, style=style, script=script, script_hash=digest)


def assets(styles: Sequence[str], scripts: Sequence[str] | None = None) -> tuple[str, str, str]:
    """The styles and scripts of parts of a page, and the digest of the scripts that lets them run."""
    style = "\n".join(template_file(f"{name}.css") for name in styles)
    script = "\n".join(template_file(f"{name}.js") for name in (styles if scripts is None else scripts))
    return style, script, base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def script_json(data: Any) -> str:
    """Write JSON that cannot end the script element it stands in.

    Examples
    --------
    >>> script_json({"word": "</script>"})
    '{"word":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _data(model: Row, big: bool) -> Row:
    """Numbers for the downloads; in a big report also what rows and matrices are drawn from."""
    keep = ["id", "label", "words", "npmi", "low", "high", "size", "band"]
    if big:
        keep += ["verdict", "sentence", "odd", "absent", "rank", "min", "max"]
    digits = BIG_DIGITS if big else DIGITS
    topics = []
    for topic in model["topics"]:
        row = {key: _short(topic[key], digits) for key in keep}
        row["scores"] = [
            [_short(s[k], digits) for k in ("value", "low", "high", "n_terms", "reason")]
            for s in topic["scores"]
        ]
        row["specs"] = [s["spec"] for s in topic["scores"]]
        if row["specs"] == model["specs"]:
            del row["specs"]
        if big:
            row["matrix"] = "".join(
                _two_letters(x) for i, line in enumerate(topic["matrix"]) for x in line[:i]
            )
            if topic["judged"] != topic["words"][: len(topic["judged"])]:
                row["judged"] = topic["judged"]
            else:
                row["judged"] = len(topic["judged"])
            row = {k: v for k, v in row.items() if v not in ([], "")}
        topics.append(row)
    return {"name": model["name"], "slug": model["slug"], "specs": model["specs"], "topics": topics}


def _short(value: Any, digits: int = 10) -> Any:
    if isinstance(value, list):
        return [_short(x, digits) for x in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def _two_letters(npmi: float | None) -> str:
    """A cell of the matrix, in hundredths above -1, base 36; only what is never together is 00.

    Examples
    --------
    >>> _two_letters(-1.0), _two_letters(-0.999), _two_letters(0.0), _two_letters(1.0), _two_letters(None)
    ('00', '01', '2s', '5k', '--')
    """
    if npmi is None:
        return "--"
    steps = 0 if npmi <= -0.9995 else max(1, round(100 * round(npmi, 2)) + 100)
    return LETTERS[steps // 36] + LETTERS[steps % 36]


@cache
def template_file(name: str) -> str:
    """The text of a template, a style or a script."""
    return files("tealeaves.report").joinpath("templates", name).read_text("utf-8")


@cache
def environment() -> "Environment":
    """Jinja with our templates and filters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("tealeaves.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters.update(number=number, fixed=fixed, percent=_percent, visible=visible, capital=capital)
    made.filters.update(bin=_bin, pair=_pair, css=_css, wide=_wide)
    return made


def _bin(npmi: float | None) -> str:
    return "na" if npmi is None else COLOURS[sum(npmi > edge for edge in EDGES)]


def _pair(npmi: float | None) -> str:
    """One cell of the matrix: two digits, a cross for "never together"."""
    if npmi is None:
        return "–"
    if npmi <= -0.9995:
        return "×"
    return number(round(npmi, 2)).replace("0.", ".", 1)


def _css(value: float) -> str:
    return f"{value:.5g}"


def _wide(fraction: float) -> str:
    """A bar's width in steps of 1 %, at least 1 so that it is seen."""
    return str(max(1, round(100 * fraction)))


def _percent(share: float) -> str:
    return "under 1%" if 0 < share < 0.005 else f"{100 * share:.0f}%"
