"""The organiser's pages in a real browser: accessible, whole on a phone, by keyboard, without a script."""

import re
import time

import pytest

pytest.importorskip("starlette")
pytest.importorskip("sqlalchemy")

from browsing import Served, flaws
from human import simulated
from tealeaves.human.app import organiser_auth as auth
from tealeaves.human.app.organiser_data import load, opened
from tealeaves.human.study import Study

HOSTILE = '<img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a server with two studies, and the link of its organiser."""
    pytest.importorskip("uvicorn")
    from tealeaves.human.app.server import create_app

    root = tmp_path_factory.mktemp("studies")
    simulated.study(root / "news", people=simulated.crowd(), payment="£2")[1].close()
    odd = simulated.word_items(odd=(HOSTILE,))
    simulated.study(root / "draft", odd, state="draft", title=HOSTILE)[1].close()
    token = auth.mint(sorted(root.iterdir()))
    served = Served(create_app([root]))
    yield root, served.url, f"{served.url}/organiser/login?token={token}"
    served.close()


def test_every_page_is_accessible_and_no_wider_than_the_screen(visit, site):
    _, address, link = site
    page = visit(f"{address}/organiser/login")
    assert flaws(page) == []
    page.goto(link)
    page.wait_for_url("**/organiser/")
    found = []
    for path in ("", "news/", "draft/", "news/items", "news/rater/R-006", "new"):
        assert page.goto(f"{address}/organiser/{path}").ok, path
        if path == "news/" and page.get_by_role("button", name="Open interim results").count():
            page.get_by_role("button", name="Open interim results").click()
            page.wait_for_url("**said=opened*")
        for folded in page.query_selector_all("summary"):
            folded.click()
        found += [(path, *flaw) for flaw in flaws(page)]
    assert found == []
    assert page.faults == []


def test_without_javascript_a_study_is_piloted_paused_and_closed(visit, site):
    root, _, link = site
    folder = root / "third"
    simulated.study(folder, state="draft", title="Third study")[1].close()
    auth.share(Study.open(root / "news"), Study.open(folder))
    page = visit(link, java_script_enabled=False)
    page.wait_for_url("**/organiser/")
    page.get_by_role("link", name="Third study").click()
    page.get_by_role("button", name="Start the pilot").click()
    assert page.get_by_role("status").inner_text() == "Done: the study is now pilot."
    page.get_by_role("button", name="Freeze and go live").click()
    assert Study.open(folder).frozen
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").click()
    page.get_by_label("I want no more answers").check()
    page.get_by_role("button", name="Close the study").click()
    assert Study.open(folder).state == "closed"


def test_keys_alone_open_results_and_the_time_is_kept(visit, site):
    root, address, link = site
    page = visit(link)
    page.wait_for_url("**/organiser/")
    page.goto(f"{address}/organiser/news/#results")
    hide = page.get_by_role("button", name="Hide until closed")
    if hide.count():
        hide.click()
        page.wait_for_url("**said=hidden*")
    with opened(root / "news") as (study, store):
        before = len(load(study, store, time.time()).looks)
    page.goto(f"{address}/organiser/news/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Open interim results":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**said=opened*")
    assert re.match("Results: ", page.inner_text("#h-results"))
    with opened(root / "news") as (study, store):
        assert len(load(study, store, time.time()).looks) == before + 1


def test_hostile_titles_run_nothing(visit, site):
    _, address, link = site
    page = visit(link)
    page.wait_for_url("**/organiser/")
    for path in ("", "draft/", "draft/items"):
        page.goto(f"{address}/organiser/{path}")
        assert page.query_selector("main img") is None
        assert page.title() != "1"
    assert page.get_by_text(HOSTILE).count()
