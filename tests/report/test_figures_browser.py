"""Pictures and data that leave the page, what axe finds, paper, and size: in a real browser."""

import csv
import io
import time
import xml.etree.ElementTree as ET

import pytest

from browsing import violations
from report.fake import fake_scores
from report.people import fake_people
from report.test_over_time import scores_of
from tealeaves.report import write_report

SVG = "{http://www.w3.org/2000/svg}"
SLICES = [[["w0", "w1", "w2", "w3", f"w{10 + t}"], ["w4", "w5", "w6", "w7", "w8"]] for t in range(6)]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of two models with people, against other scores."""
    made = fake_scores(models=("lda-8#1", "lda-8#2", "lists"))
    made.details["human"] = fake_people()
    return write_report(
        made, tmp_path_factory.mktemp("people") / "report.html", fake_scores(models=("lists",))
    )


@pytest.fixture(scope="module")
def over_time(tmp_path_factory):
    path = tmp_path_factory.mktemp("time") / "report.html"
    scores_of(SLICES).report(path)
    return path


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    made = fake_scores(models=tuple(f"model-{i}" for i in range(10)), copies=63, hostile=False)
    return write_report(made, tmp_path_factory.mktemp("big") / "report.html")


def downloaded(page, button):
    with page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, download.value.path().read_text("utf-8-sig")


def standing_alone(text):
    """A picture that needs nothing of the page: no class, no variable, no script, no address."""
    root = ET.fromstring(text)
    for el in root.iter():
        assert "class" not in el.attrib, el.attrib
        assert "var(" not in "".join(el.attrib.values())
        assert "color(" not in "".join(el.attrib.values())
        assert el.tag not in (f"{SVG}script", f"{SVG}foreignObject", f"{SVG}use")
        assert not any(value.startswith("http") for key, value in el.attrib.items() if key != "xmlns")
    return root


@pytest.mark.parametrize("which", ["report", "over_time"])
def test_every_figure_is_a_picture_that_stands_alone_by_day_even_at_night(visit, request, which):
    page = visit(request.getfixturevalue(which), color_scheme="dark")
    page.evaluate("document.querySelectorAll('details:not(.topic)').forEach(d => { d.open = true; })")
    page.locator("details.topic:visible summary").first.click()
    page.wait_for_timeout(50)
    names = page.eval_on_selector_all(
        "[data-svg]", "all => all.filter(b => b.checkVisibility()).map(b => b.dataset.svg)"
    )
    assert len(names) == len(set(names))
    wanted = {
        "report": {"models", "people", "people-relations"},
        "over_time": {"slices", "steps-1", "timeline-0"},
    }
    assert wanted[which] <= set(names)
    for name in names:
        file, text = downloaded(page, page.locator(f"[data-svg='{name}']"))
        root = standing_alone(text)
        assert file == f"{name}.svg"
        assert root.find(f"{SVG}title").text.strip()
        assert root.findall(f".//{SVG}text"), name
        assert "rgb(17, 24, 23)" not in text  # the ground of night
    assert page.faults == []
    assert page.evaluate("document.documentElement.dataset.theme") is None


@pytest.mark.parametrize("which", ["report", "over_time"])
def test_every_figure_has_its_data_beside_it(visit, request, which):
    page = visit(request.getfixturevalue(which))
    page.evaluate("document.querySelectorAll('details:not(.topic)').forEach(d => { d.open = true; })")
    for footer in page.locator("p.src:visible:has([data-svg])").all():
        button = footer.get_by_role("button", name="CSV").first
        _, text = downloaded(page, button)
        rows = list(csv.reader(io.StringIO(text)))
        assert len(rows) > 1
        assert len({len(row) for row in rows}) == 1


def test_the_scatter_has_every_topic_and_its_call(visit, report):
    page = visit(report)
    _, text = downloaded(page, page.locator("[data-svg='people']"))
    assert text.count("<circle") + text.count("<path") > 14
    assert 'scores.plot.people("npmi@10")' in page.locator("#people .src").first.inner_text()


def test_a_matrix_in_a_big_report_has_the_numbers_of_a_small_one(visit, tmp_path):
    small = write_report(fake_scores(models=("lists",)), tmp_path / "small.html")
    large = write_report(fake_scores(models=("lists",), copies=51), tmp_path / "large.html")
    cells = []
    for path in (small, large):
        page = visit(path)
        for k in range(8):
            page.evaluate(f"document.getElementById('m0-{k}').open = true")
        page.wait_for_timeout(100)
        cells.append([page.locator(f"#m0-{k} table.pm tbody td").all_inner_texts() for k in range(8)])
    assert cells[0] == cells[1]


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit, report, over_time, scheme, width):
    paths = [report, over_time] if (width, scheme) in ((1440, "light"), (390, "dark")) else [report]
    for path in paths:
        page = visit(path, width, color_scheme=scheme)
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.wait_for_timeout(50)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_picture_is_reached_and_saved_by_keyboard(visit, report):
    page = visit(report)
    page.locator("[data-svg='people']").focus()
    with page.expect_download():
        page.keyboard.press("Enter")
    assert page.locator("#status").inner_text() == "Saved people.svg"


def test_paper_has_every_topic_that_needs_a_look_and_no_buttons(visit, report, tmp_path):
    page = visit(report)
    page.pdf(path=tmp_path / "a.pdf", format="A4")
    data = (tmp_path / "a.pdf").read_bytes()
    assert data[:5] == b"%PDF-"
    assert 5 <= data.count(b"/Type /Page\n") + data.count(b"/Type /Page>") + data.count(b"/Type /Page ") <= 40
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".btn:visible").count() == 0
    shut = page.eval_on_selector_all(
        ".model:not(.hide) .topic", "all => all.filter(d => !d.open && d.dataset.verdict !== 'keep').length"
    )
    assert shut == 0


@pytest.mark.slow
def test_ten_models_of_five_hundred_topics_are_five_megabytes_and_open_soon(visit, big):
    assert big.stat().st_size < 5_000_000
    start = time.monotonic()
    page = visit(big)
    page.locator("details.topic:visible").first.wait_for()
    assert time.monotonic() - start < 20  # 2 s on a machine that does nothing else
    assert page.locator("details.topic:visible").count() == 504
    page.locator("#model").select_option(label="model-7")
    assert page.locator("details.topic:visible").count() == 504
    assert page.faults == []
