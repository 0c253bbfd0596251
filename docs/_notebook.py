"""Make docs/notebooks/tutorial.ipynb of docs/tutorial.md: ``python docs/_notebook.py``.

The page is the source. Its text becomes cells of text, its blocks of Python cells of code, which are run
here, in an empty folder, and keep what they printed. No Jupyter is needed, and nothing of this machine gets
into the file.
"""

import ast
import contextlib
import io
import json
import os
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
PAGE, NOTEBOOK = DOCS / "tutorial.md", DOCS / "notebooks" / "tutorial.ipynb"
BLOCK = re.compile(r"^```python\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")


def cells(page: str) -> list[dict[str, Any]]:
    """Text and code of the page, in order, not run yet."""
    made: list[dict[str, Any]] = []
    for i, part in enumerate(BLOCK.split(page)):
        text = part.strip("\n")
        if i % 2:
            made.append({"cell_type": "code", "source": lines(text), "outputs": [], "execution_count": None})
        elif text:
            text = LINK.sub(r"](../\1)", text)  # the notebook lies a folder deeper
            made.append({"cell_type": "markdown", "source": lines(text)})
    return [{"id": f"cell-{i}", "metadata": {}, **cell} for i, cell in enumerate(made)]


def lines(text: str) -> list[str]:
    """Text as notebooks keep it."""
    return text.splitlines(keepends=True)


def run(cell: dict[str, Any], names: dict[str, Any], number: int) -> None:
    """Run a cell of code as a notebook does: what is printed, and the value of a last expression."""
    body = ast.parse("".join(cell["source"])).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(last, "<cell>", "eval"), names)
    cell["execution_count"], cell["outputs"] = number, []
    if printed.getvalue():
        text = lines(printed.getvalue())
        cell["outputs"].append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        result = {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": number}
        cell["outputs"].append(result)


def notebook() -> dict[str, Any]:
    """The page as a notebook that has been run."""
    made = cells(PAGE.read_text("utf-8"))
    names: dict[str, Any] = {}
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            code = [cell for cell in made if cell["cell_type"] == "code"]
            for number, cell in enumerate(code, start=1):
                run(cell, names, number)
        finally:
            os.chdir(before)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


if __name__ == "__main__":
    NOTEBOOK.parent.mkdir(exist_ok=True)
    NOTEBOOK.write_text(json.dumps(notebook(), ensure_ascii=False, indent=1) + "\n", "utf-8")
