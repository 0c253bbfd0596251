import os
from pathlib import Path

import pytest
from hypothesis import settings

from browsing import browser, serve, visit  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("TEALEAVES_DATA", ROOT.parent / "shared" / "data"))

# The first call of a kernel compiles it. In CI the same examples are drawn each time: luck decides nothing.
settings.register_profile("tealeaves", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("tealeaves")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, which is not part of the repository."""
    if not DATA.is_dir():
        pytest.skip("no data folder: set TEALEAVES_DATA to where it is")
    return DATA


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that opens a browser is marked so."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
