"""Debian's Chromium (or TEALEAVES_CHROMIUM) for all tests that look at pages (see conftest.py).

A test that asks for `browser` or `visit` gets the mark ``browser``, and is skipped without a Chromium.
"""

import os
import shutil
import socket
import threading
from functools import cache
from pathlib import Path

import pytest

CHROMIUM = os.environ.get("TEALEAVES_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
DESK = {"viewport": {"width": 1440, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOUR = ["color-contrast", "link-in-text-block"]  # what may be right by day and wrong by night,
OF_SIZE = ["color-contrast", "scrollable-region-focusable", "target-size"]  # or on a desk and not on a phone
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")  # no wider: while it runs no test of this process can use asyncio.run
def browser():
    """One Chromium for the tests of a file."""
    if CHROMIUM is None:
        pytest.skip("no chromium on the PATH (or in TEALEAVES_CHROMIUM)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser):
    """Open a file or an address; ``page.faults`` is what it complains of, ``page.asked`` what it asks for."""
    contexts = []

    def go(where, width=1440, anchor="", **options):
        screen = {"viewport": {"width": width, "height": 900}}
        contexts.append(browser.new_context(**{**screen, **options}))
        page = contexts[-1].new_page()
        page.faults, page.asked = [], []
        page.on("console", lambda message: page.faults.append(message.text))
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto((where.as_uri() if isinstance(where, Path) else where) + anchor)
        return page

    yield go
    for context in contexts:
        context.close()


class Served:
    """An application that listens on a port of this machine until it is closed."""

    def __init__(self, app):
        import uvicorn

        self.app = app
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(100)  # who comes before the server is ready waits for it
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)
        self.thread.start()

    @property
    def state(self):
        return self.app.state

    def close(self):
        self.server.should_exit = True
        self.thread.join(10)
        self.socket.close()


@pytest.fixture
def serve():
    """Let an application listen until the test is over."""
    pytest.importorskip("uvicorn")
    running = []

    def go(app):
        running.append(Served(app))
        return running[-1]

    yield go
    for served in running:
        served.close()


@cache
def _axe():
    package = pytest.importorskip("axe_playwright_python")
    return (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")


def violations(page, rules=None):
    """What axe finds against WCAG 2.2 AA, or against some rules of axe alone."""
    if not page.evaluate("!!window.axe"):
        page.evaluate(_axe())
    wanted = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": WCAG}
    found = page.evaluate(
        "wanted => axe.run(document, {runOnly: wanted, resultTypes: ['violations']})", wanted
    )
    return [
        (broken["id"], node["html"][:160], node.get("failureSummary", "")[:300])
        for broken in found["violations"]
        for node in broken["nodes"]
    ]


def flaws(page):
    """What axe finds and what is wider than the screen: on a desk and on a phone, by day and by night."""
    found = []
    for size, scheme, rules in ((DESK, "light", None), (DESK, "dark", OF_COLOUR), (PHONE, "light", OF_SIZE)):
        page.set_viewport_size(size["viewport"])
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour halfway
        width = size["viewport"]["width"]
        found += [(scheme, width, *broken) for broken in violations(page, rules)]
        if (beyond := page.evaluate(TOO_WIDE)) > 0:
            found.append((width, "too wide by", beyond))
    return found
