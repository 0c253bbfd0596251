"""Take docs/images/report.png, the picture in the README, of the report of `tealeaves demo`: make picture."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).resolve().parent / "images" / "report.png"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu"]


def take(report: Path, browser: str | None) -> None:
    """The top of the report as on a screen of 1280 × 1395 points."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 1395}, color_scheme="light")
        page.goto(report.resolve().as_uri())
        page.wait_for_timeout(1000)
        page.screenshot(path=PICTURE)
        chromium.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
