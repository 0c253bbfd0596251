"""The organiser's pages in a real browser: accessible, whole on a phone, by keyboard, without a script."""

import os
import re
import shutil
import socket
import threading
import time

import pytest

pytest.importorskip("starlette")
pytest.importorskip("sqlalchemy")

from human import simulated
from tealeaves.human.app import organiser_auth as auth
from tealeaves.human.app.organiser_data import load, opened
from tealeaves.human.study import Study

CHROMIUM = os.environ.get("TEALEAVES_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the PATH (or in TEALEAVES_CHROMIUM)"),
]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
HOSTILE = '<img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a server with two studies, and the link of its organiser."""
    import uvicorn

    from tealeaves.human.app.server import create_app

    root = tmp_path_factory.mktemp("studies")
    simulated.study(root / "news", people=simulated.crowd(), payment="£2")[1].close()
    odd = simulated.word_items(odd=(HOSTILE,))
    simulated.study(root / "draft", odd, state="draft", title=HOSTILE)[1].close()
    token = auth.mint(sorted(root.iterdir()))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(create_app([root]), log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield root, address, f"{address}/organiser/login?token={token}"
    server.should_exit = True
    thread.join(10)
    listening.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_every_page_is_accessible_and_no_wider_than_the_screen(browser, site, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    _, address, link = site
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if "Content Security" in said.text else None)
    options = {"runOnly": {"type": "tag", "values": WCAG}}
    page.goto(f"{address}/organiser/login")
    assert not axe.run(page, options=options).response["violations"]
    page.goto(link)
    page.wait_for_url("**/organiser/")
    for path in ("", "news/", "draft/", "news/items", "news/rater/R-006", "new"):
        page.goto(f"{address}/organiser/{path}")
        if path == "news/" and page.get_by_role("button", name="Open interim results").count():
            page.get_by_role("button", name="Open interim results").click()
            page.wait_for_url("**said=opened*")
        for folded in page.query_selector_all("summary"):
            folded.click()
        found = axe.run(page, options=options).response["violations"]
        assert not found, (path, [(one["id"], one["nodes"][0]["html"]) for one in found])
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wider) <= 0, path
    assert not problems
    context.close()


def test_without_javascript_a_study_is_piloted_paused_and_closed(browser, site):
    root, _, link = site
    folder = root / "third"
    simulated.study(folder, state="draft", title="Third study")[1].close()
    auth.share(Study.open(root / "news"), Study.open(folder))
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(link)
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
    context.close()


def test_keys_alone_open_results_and_the_time_is_kept(browser, site):
    root, address, link = site
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
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
    context.close()


def test_hostile_titles_run_nothing(browser, site):
    _, address, link = site
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.wait_for_url("**/organiser/")
    for path in ("", "draft/", "draft/items"):
        page.goto(f"{address}/organiser/{path}")
        assert page.query_selector("main img") is None
        assert page.title() != "1"
    assert page.get_by_text(HOSTILE).count()
    context.close()
