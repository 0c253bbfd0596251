import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("TEALEAVES_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, which is not part of the repository."""
    if not DATA.is_dir():
        pytest.skip("no data folder: set TEALEAVES_DATA to where it is")
    return DATA
