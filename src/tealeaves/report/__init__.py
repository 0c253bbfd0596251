"""The report: one HTML file that needs no network, made from `Scores`."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tealeaves.scores import Scores


def write_report(scores: "Scores", path: str | Path, against: "Scores | None" = None) -> Path:
    """Write the report on ``scores`` to ``path``, whole or not at all.

    Parameters
    ----------
    scores : Scores
        What `evaluate` returned.
    path : str or Path
        The HTML file; its folder is made if it is missing, a file of that name is replaced.
    against : Scores, optional
        Other scores: the report then says for each measure which part of the signatures differs.

    Returns
    -------
    Path
        The file.
    """
    from tealeaves.report.render import render
    from tealeaves.report.summary import summarize

    return write_page(Path(path), render(summarize(scores, against)))


def write_page(path: Path, page: str) -> Path:
    """Write a page of HTML, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        os.chmod(name, 0o644)  # mkstemp lets only the owner read
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path
