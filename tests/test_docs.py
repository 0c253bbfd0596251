"""Every block of Python and every command in the documentation is run, page by page."""

import json
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def blocks(page: Path) -> list[tuple[int, str, str]]:
    """(line, language, text) of each block."""
    text = page.read_text("utf-8")
    return [(text.count("\n", 0, found.start()) + 2, found[1], found[2]) for found in BLOCK.finditer(text)]


def run_command(line: str) -> None:
    """Run a command as the reader would, with this interpreter."""
    name, *arguments = shlex.split(line)
    assert name == "tealeaves", line
    call = [sys.executable, "-m", "tealeaves", *arguments]
    done = subprocess.run(call, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=name_of)
def test_what_a_page_shows_runs(page, tmp_path, monkeypatch):
    pytest.importorskip("gensim")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for line, language, text in blocks(page):
        if language == "python":
            padded = "\n" * (line - 1) + text  # so that an error names the page's own line
            exec(compile(padded, str(page), "exec"), names)
        else:
            for command in text.splitlines():
                if command.startswith("$ "):
                    run_command(command[2:])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_links_only_to_files_that_exist(page):
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_stands_in_the_menu_and_every_decision_in_its_index():
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    decisions = ROOT / "docs" / "decisions"
    index = (decisions / "index.md").read_text("utf-8")
    for page in PAGES[1:]:
        if page.parent == decisions and page.name != "index.md":
            assert f"]({page.name})" in index
        else:
            assert page.relative_to(ROOT / "docs").as_posix() in menu


def hooks():
    """What mkdocs calls."""
    return runpy.run_path(str(ROOT / "docs" / "_hooks.py"))


def test_the_page_of_measures_names_every_measure_with_all_that_is_to_be_said():
    import tealeaves

    page = hooks()["on_page_markdown"]((ROOT / "docs" / "reference" / "measures.md").read_text("utf-8"))
    parts = page.split("\n## `")
    for measure in tealeaves.measures():
        (part,) = (part for part in parts if part.startswith(f"{measure.name}`"))
        assert f"| best | {measure.direction} |" in part
        assert "| range | " in part
        assert "| does not see | " in part
        assert "| source | " in part
        assert "&gt;&gt;&gt; " in part  # an example
    noticed = "| a test holds it to notice | random topics of tokens, flips within documents (`switch_p`) |"
    assert noticed in page


def test_blind_spots_are_of_measures_that_there_are():
    import tealeaves

    assert set(hooks()["blind_spots"](ROOT / "docs")) == {measure.name for measure in tealeaves.measures()}


def test_the_notebook_is_the_tutorial_and_has_been_run():
    maker = runpy.run_path(str(ROOT / "docs" / "_notebook.py"))
    saved = json.loads((ROOT / "docs" / "notebooks" / "tutorial.ipynb").read_text("utf-8"))
    wanted = maker["cells"]((ROOT / "docs" / "tutorial.md").read_text("utf-8"))
    assert [cell["source"] for cell in saved["cells"]] == [cell["source"] for cell in wanted]
    code = [cell for cell in saved["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} == {"stream", "execute_result"}
    for target in LINK.findall("".join("".join(cell["source"]) for cell in saved["cells"])):
        assert (ROOT / "docs" / "notebooks" / target).exists(), target


def test_a_cell_that_is_run_keeps_what_it_prints_and_its_last_value():
    maker = runpy.run_path(str(ROOT / "docs" / "_notebook.py"))
    cell = {"source": ["print(1)\n", "x = 2\n", "x"]}
    maker["run"](cell, {}, 7)
    printed, value = cell["outputs"]
    assert printed["text"] == ["1\n"]
    assert (value["data"], value["execution_count"]) == ({"text/plain": ["2"]}, 7)


def test_the_tutorial_shows_what_it_printed():
    file = SimpleNamespace(src_uri="tutorial.md", abs_src_path=str(ROOT / "docs" / "tutorial.md"))
    text = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    page = hooks()["on_page_markdown"](text, page=SimpleNamespace(file=file))
    assert page.count('<div class="output"><table>') == 3
    assert "lda-10 less nmf-10" in page
