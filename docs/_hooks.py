"""What mkdocs does beside rendering: the reference pages are made from the code and cannot fall behind it."""

import inspect
import json
import re
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tealeaves
from tealeaves.measures._table import ALIASES, GROUPS, Measure, measures

MEASURES, NAMES = "<!-- the measures -->", "<!-- the names -->"

DOCS = Path(__file__).resolve().parent
BLOCK = re.compile(r"^```python\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)


def on_page_markdown(markdown: str, page: Any = None, **_: Any) -> str:
    """Put the generated part where a page asks for it, and under the tutorial's code what it printed."""
    if MEASURES in markdown:
        markdown = markdown.replace(MEASURES, measures_page(blind_spots(DOCS)))
    if NAMES in markdown:
        markdown = markdown.replace(NAMES, names_page())
    if page is not None and page.file.src_uri == "tutorial.md":
        markdown = with_outputs(
            markdown, Path(page.file.abs_src_path).parent / "notebooks" / "tutorial.ipynb"
        )
    return markdown


def with_outputs(markdown: str, notebook: Path) -> str:
    """The page with what the notebook's cells printed below its blocks."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    printed = {"".join(cell["source"]): cell["outputs"] for cell in cells if cell["cell_type"] == "code"}

    def below(block: re.Match[str]) -> str:
        return block[0] + "".join(shown_output(one) for one in printed.get(block[1].strip("\n"), ()))

    return BLOCK.sub(below, markdown)


def shown_output(output: dict[str, Any]) -> str:
    """One output of a cell: a table as it is, text as it stands."""
    data = output.get("data", {})
    if "text/html" in data:
        return f'\n<div class="output">{"".join(data["text/html"])}</div>\n'
    text = "".join(output.get("text") or data.get("text/plain", ()))
    return f"\n```text\n{text.rstrip()}\n```\n"


def blind_spots(docs: Path) -> dict[str, str]:
    """What each measure does not see."""
    return tomllib.loads((docs / "reference" / "blind.toml").read_text("utf-8"))


def measures_page(blind: Mapping[str, str]) -> str:
    """Every measure of the table, its groups and its other names."""
    parts = ["## Groups\n", "| group | measures |", "| --- | --- |"]
    parts += [
        f"| `{group}` | {', '.join(f'`{spec}`' for spec in specs)} |" for group, specs in GROUPS.items()
    ]
    parts += ["\n## Names of the literature\n", "| name | stands for |", "| --- | --- |"]
    parts += [f"| `{alias}` | `{expanded(alias)}` |" for alias in ALIASES]
    parts += [entry(measure, blind[measure.name]) for measure in measures()]
    return "\n".join(parts)


def expanded(alias: str) -> str:
    """What an alias stands for, as a spec without its number of words."""
    name, parameters = ALIASES[alias]
    inside = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    return f"{name}({inside})" if inside else name


def entry(measure: Measure, blind: str) -> str:
    """One measure: what it is, what it needs, what it does not see, its whole documentation."""
    about, _, details = measure.doc.partition("\nParameters\n")
    rows = [
        ("best", measure.direction),
        ("range", measure.range and f"`{measure.range}`"),
        ("needs", ", ".join(need.replace("_", " ") for need in measure.needs)),
        ("given for", " and ".join(measure.axes)),
        ("takes `@n`", "yes" if measure.takes_top else "no"),
        ("parameters", ", ".join(f"`{name}={default!r}`" for name, default in measure.defaults.items())),
        ("a test holds it to notice", "; ".join(claims(measure.name))),
        ("does not see", blind),
        ("source", source(measure)),
    ]
    table = ["| | |", "| --- | --- |", *(f"| {name} | {escape(value)} |" for name, value in rows if value)]
    examples = "Parameters\n" + details if details else ""
    folded = fold("Arguments, edge cases and an example", examples) if examples else ""
    return "\n".join([f"\n## `{measure.name}`\n", about.strip().replace("``", "`"), "", *table, "", folded])


def claims(name: str) -> list[str]:
    """The degradations that it is said to notice, each with the spec that was tried."""
    from tealeaves.experiments.degradations import CLAIMS

    found = []
    for spec, degradations in CLAIMS.items():
        if re.split(r"[(@]", spec)[0] == name:
            found.append(f"{', '.join(degradations)} (`{spec}`)")
    return found


def source(measure: Measure) -> str:
    """The reference as the documentation gives it."""
    found = re.search(r"^References\n-+\n(.*?)(?:\n\n|\Z)", measure.doc, re.DOTALL | re.MULTILINE)
    return " ".join(found[1].split()) if found else measure.source


def escape(value: str) -> str:
    """Text for a cell of a table."""
    return value.replace("|", "\\|")


def fold(title: str, text: str) -> str:
    """Text as it stands, under a title that opens it."""
    return f"<details><summary>{title}</summary><pre>{html(text.strip())}</pre></details>"


def html(text: str) -> str:
    """Text for the inside of an HTML element."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def names_page() -> str:
    """Every public name with its signature and documentation."""
    parts = []
    for name in tealeaves.__all__:
        value = getattr(tealeaves, name)
        if name.startswith("__") or inspect.ismodule(value):
            continue
        parts += [f"\n## `{name}`\n", f"```python\n{signature(name, value)}\n```\n", shown(value)]
        if inspect.isclass(value):
            for method, function in vars(value).items():
                call = inspect.unwrap(getattr(function, "__func__", function))
                if not method.startswith("_") and inspect.isfunction(call) and inspect.getdoc(call):
                    parts += [
                        f"\n### `{name}.{method}`\n",
                        f"```python\n{signature(method, call)}\n```\n",
                        shown(call),
                    ]
    return "\n".join(parts)


def signature(name: str, value: Any) -> str:
    """How it is called; the types stand in its documentation."""
    call = inspect.signature(value)
    shown = [p.replace(annotation=p.empty) for p in call.parameters.values() if p.name not in ("self", "cls")]
    line = f"{name}{call.replace(parameters=shown, return_annotation=call.empty)}"
    return textwrap.fill(line, 76, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def shown(value: Any) -> str:
    """The documentation: its first paragraph as text, the rest as it stands."""
    first, _, rest = (inspect.getdoc(value) or "").partition("\n\n")
    first = " ".join(first.replace("``", "`").split())
    return f"{first}\n\n{fold('More', rest)}\n" if rest.strip() else f"{first}\n"
