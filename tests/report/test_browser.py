"""The report in a real browser: nothing fails, nothing is fetched, everything can be reached."""

import pytest

from report.fake import fake_scores
from tealeaves.report import write_report


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_report(fake_scores(), tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def big_report(tmp_path_factory):
    return write_report(fake_scores(copies=20), tmp_path_factory.mktemp("big") / "report.html")


def shown(page):
    return page.locator("details.topic:visible")


@pytest.mark.parametrize("width", [1440, 800, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_opens_without_a_fault_a_request_or_a_sideways_scroll(visit, report, width, scheme):
    page = visit(report, width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert page.faults == []
    assert [url for url in page.asked if not url.startswith("file:")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_words_run_nothing(visit, report):
    page = visit(report)
    alerts = []
    page.on("dialog", lambda d: (alerts.append(d.message), d.dismiss()))
    page.get_by_role("button", name="Open all").click()
    assert alerts == []
    assert page.locator("script").count() == 2


def test_verdict_search_and_order_choose_the_rows(visit, report):
    page = visit(report)
    assert shown(page).count() == 8
    page.locator(".model:visible label").get_by_text("Merge 2").click()
    assert {row.get_attribute("data-verdict") for row in shown(page).all()} == {"merge"}
    page.locator(".model:visible label").get_by_text("All 8").click()
    page.locator("#q").fill("PIANO")
    assert [row.get_attribute("data-id") for row in shown(page).all()] == ["3"]
    page.locator("#q").fill("no such word")
    assert page.get_by_text("No topic fits the filter.").locator("visible=true").count() == 1
    page.locator("#q").fill("")
    page.locator("#order").select_option("id")
    assert [row.get_attribute("data-id") for row in shown(page).all()] == [str(k) for k in range(8)]


def test_another_model_can_be_chosen(visit, report):
    page = visit(report)
    page.locator("#model").select_option(label="lists")
    assert page.locator(".model:visible").get_attribute("id") == "topics-m2"
    assert shown(page).count() == 8


def test_a_link_to_a_topic_opens_it_in_its_model(visit, report):
    page = visit(report, anchor="#m0-5")
    assert page.locator("#m0-5").evaluate("d => d.open")
    assert page.locator("#m0-5").is_visible()


def test_without_script_every_topic_is_there_and_verdicts_still_filter(visit, report):
    page = visit(report, java_script_enabled=False)
    assert shown(page).count() == 24
    page.locator("#topics-m0 label").get_by_text("Drop 1").click()
    assert shown(page).count() == 17
    assert page.locator("#q").is_hidden()


def test_a_topic_opens_with_the_keyboard(visit, report):
    page = visit(report)
    page.locator("details.topic:visible summary").first.focus()
    page.keyboard.press("Enter")
    assert shown(page).first.evaluate("d => d.open")


def test_the_numbers_can_be_downloaded_in_full(visit, report):
    page = visit(report)
    with page.expect_download() as download:
        page.locator(".model:visible").get_by_role("button", name="CSV of all topics").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert len(lines) == 9
    assert '"npmi@10","npmi@10 low","npmi@10 high"' in lines[0]
    assert "absent word" in next(line for line in lines if '"Cannot say"' in line)


def test_a_big_report_draws_the_rows_and_matrices_of_every_model(visit, big_report):
    page = visit(big_report)
    page.locator("#model").select_option(label="lists")
    assert shown(page).count() == 160
    row = shown(page).first
    row.locator("summary").click()
    assert row.locator("table.pm td:not(:first-child)").count() > 0
    page.wait_for_timeout(50)
    assert row.locator("table.pm tbody td").count() == 45
    assert page.faults == []


def test_the_print_button_opens_what_needs_a_look_and_shuts_it_again(visit, report):
    page = visit(report)
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Print").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("window.printed")
    opened = "document.querySelectorAll('details.topic[open]').length"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(opened) == 6
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(opened) == 0


def test_the_keyboard_skips_to_the_answer_searches_orders_and_filters(visit, report):
    page = visit(report)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answer"
    page.locator("#q").focus()
    page.keyboard.type("piano")
    assert page.locator("#status").inner_text() == "1 of 8 topics shown"
    page.keyboard.press("Escape")  # empties a field for searches
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.locator("#order").input_value() == "npmi"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator("details.topic[open]:visible").count() == 8
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.locator("#status").inner_text() == "1 of 8 topics shown"
    assert shown(page).get_attribute("data-verdict") == "drop"
