"""The curators' workspace in a real browser: by keyboard, wide and on a phone, by day and night, offline."""

import os
import re
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("sqlalchemy")

from browsing import DESK, OF_COLOUR, PHONE, violations
from human.preview import BAKING, DOCUMENTS, GRAIN
from tealeaves.human import curations
from tealeaves.human.app.server import create_app
from tealeaves.human.item_sets import Item, ItemSet
from tealeaves.human.study import Study

SEA = [
    "harbour",
    "ship",
    "boat",
    "sea",
    "crew",
    "cargo",
    "port",
    "sail",
    "anchor",
    "wind",
    "coast",
    "captain",
]
NOISE = ["said", "year", "also", "new", "one", "last", "would", "time", "two", "first"]
SHOTS = os.environ.get("TEALEAVES_SHOTS")


def topic(number, words, documents):
    shown = {
        "words": words,
        "weights": [0.12 / (rank + 1) ** 0.7 for rank in range(len(words))],
        "documents": [{**one, "id": f"doc{i}", "weight": 0.5} for i, one in documents],
    }
    return Item(f"i{number:04d}", "reference_topic_curation", "lda-20", number - 1, shown=shown)


TOPICS = [
    topic(1, BAKING + GRAIN[6:] + ["<b>loaf</b>"], list(enumerate(DOCUMENTS))[:6]),
    topic(2, SEA, list(enumerate(DOCUMENTS))[6:12]),
    topic(3, GRAIN + BAKING[:5], list(enumerate(DOCUMENTS))[:4]),
    topic(4, NOISE, []),
]


@pytest.fixture
def themes(tmp_path, serve):
    """A study of curation that is live, and where it is served."""

    def go(**settings):
        folder = tmp_path / "themes"
        items = ItemSet("reference_topic_curation", TOPICS)
        about = {"title": "Themes in the village paper", "contact": "anna@example.org", **settings}
        Study.create(folder, items, **about).move("live")
        served = serve(create_app([folder]))
        served.folder = folder
        return served

    return go


def begin(page):
    """From consent to the workspace."""
    page.get_by_label("may be used").check(force=True)
    page.get_by_label("I am 18 or older").check()
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/curate")


def saved(page):
    page.wait_for_selector("#state[data-mark='✓']")


def ticked(page, n):
    from playwright.sync_api import expect

    expect(page.locator(".word :checked")).to_have_count(n)


def look(page, name):
    """Both as by day and by night: nothing that axe finds, and nothing wider than the window."""
    for scheme, rules in (("light", None), ("dark", OF_COLOUR)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour halfway
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"{name}-{scheme}.png"), full_page=True)
        assert violations(page, rules) == [], (name, scheme)
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "device"), [("desk", DESK), ("phone", PHONE)])
def test_two_topics_are_curated_by_keyboard_and_every_page_is_accessible(themes, visit, name, device):
    served = themes()
    page = visit(served.url, **device)
    look(page, f"{name}-0-consent")
    begin(page)
    look(page, f"{name}-1-empty")
    page.keyboard.press("o")
    page.wait_for_url("**/topic/1")
    page.keyboard.press("l")
    page.keyboard.type("baking")
    page.keyboard.press("Enter")  # to the first word
    page.keyboard.press("Space")
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("5")
    page.keyboard.press("w")
    saved(page)
    look(page, f"{name}-2-topic")
    page.keyboard.press("n")
    page.wait_for_url("**/topic/2")
    page.keyboard.press("l")
    page.keyboard.type("the sea")
    page.keyboard.press("Tab")
    for digit in "1234":
        page.keyboard.press(digit)
    saved(page)
    page.keyboard.press("u")
    ticked(page, 3)
    page.keyboard.press("r")
    ticked(page, 4)
    page.goto(f"{served.url}/s/themes/curate")
    look(page, f"{name}-3-overview")
    topics = {one.label: one for one in curations(served.folder)["R-001"].state.topics.values()}
    assert topics["baking"].words == ("bread", "oven", "baker")
    assert topics["baking"].preference == "words"
    assert topics["the sea"].words == ("harbour", "ship", "boat", "sea")
    page.goto(f"{served.url}/s/themes/curate/reference/{topics['baking'].id}")
    look(page, f"{name}-4-reference")
    page.goto(f"{served.url}/s/themes/curate/topic/3")
    page.locator("summary").first.click()
    look(page, f"{name}-5-document")
    page.goto(f"{served.url}/s/themes/curate/topic/4")
    look(page, f"{name}-6-none")
    assert page.faults == []


def test_a_second_reader_reads_and_agrees_by_keyboard(themes, visit):
    served = themes()
    first, second = visit(served.url), visit(served.url)
    begin(first)
    first.goto(f"{served.url}/s/themes/curate/topic/1")
    first.get_by_label("What is it about?").fill("baking")
    first.keyboard.press("Enter")
    first.keyboard.press("Space")
    first.locator(".reads input").first.check()
    saved(first)
    begin(second)
    second.get_by_role("link", name="Read the work of others").first.click()
    look(second, "second-1-others")
    second.get_by_role("link", name="R-001").click()
    look(second, "second-2-list")
    second.get_by_role("link", name="baking").click()
    look(second, "second-3-read")
    second.keyboard.press("2")
    second.locator("#remark").fill("flour is lacking")
    second.get_by_role("button", name="Save").click()
    second.wait_for_load_state()
    first.goto(f"{served.url}/s/themes/curate")
    first.get_by_role("link", name="baking").last.click()
    assert "R-002 disagrees: flour is lacking" in re.sub(r"\s+", " ", first.locator(".said").inner_text())
    look(first, "second-4-said")
    assert first.faults == second.faults == []


def test_ticks_made_without_a_network_wait_and_are_saved_when_it_is_back(themes, visit):
    served = themes()
    page = visit(served.url)
    begin(page)
    page.goto(f"{served.url}/s/themes/curate/topic/2")
    page.keyboard.press("1")
    saved(page)
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.wait_for_selector("#state.waits:has-text('2 answers wait')")
    page.context.set_offline(False)
    saved(page)
    (made,) = curations(served.folder)["R-001"].state.topics.values()
    assert made.words == ("harbour", "ship", "boat")


def test_without_a_script_the_same_is_done_by_forms(themes, browser):
    served = themes()
    context = browser.new_context(java_script_enabled=False, **PHONE)
    page = context.new_page()
    page.goto(served.url)
    begin(page)
    page.goto(f"{served.url}/s/themes/curate/topic/2")
    page.get_by_label("What is it about?").fill("the sea")
    for word in ("harbour", "ship"):
        page.locator(".word", has_text=word).locator("input").check()
    page.get_by_role("button", name="Save").click()
    page.goto(f"{served.url}/s/themes/curate/topic/4")
    page.get_by_label("Why?").fill("words of any text")
    page.get_by_role("button", name="Set aside").click()
    log = curations(served.folder)["R-001"]
    assert [(one.label, one.words) for one in log.state.topics.values()] == [("the sea", ("harbour", "ship"))]
    assert log.state.discarded == {"i0004": "words of any text"}
    context.close()


def test_an_error_is_said_at_its_field_and_nothing_else_is_lost(themes, visit):
    served = themes()
    page = visit(served.url)
    begin(page)
    for n in (1, 2):
        page.goto(f"{served.url}/s/themes/curate/topic/{n}")
        page.keyboard.press("1")
        saved(page)
        page.get_by_label("What is it about?").fill("baking")
        page.keyboard.press("Enter")
        page.wait_for_selector("#state[data-mark]")
    page.wait_for_selector("#error-label:has-text('of this name')")
    assert page.locator("#label").get_attribute("aria-invalid") == "true"
    look(page, "error")
    assert len(curations(served.folder)["R-001"].state.topics) == 2
