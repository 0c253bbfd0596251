"""Every block of Python and every command in the documentation is run, page by page."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

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


def test_the_page_of_measures_names_every_measure():
    import tealeaves

    hooks: dict[str, object] = {}
    exec((ROOT / "docs" / "_hooks.py").read_text("utf-8"), hooks)
    page = hooks["on_page_markdown"]((ROOT / "docs" / "reference" / "measures.md").read_text("utf-8"))
    for measure in tealeaves.measures():
        assert f"## `{measure.name}`" in page
        assert measure.direction in page
