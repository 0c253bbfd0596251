"""Held-out likelihood beside its baselines."""

from typing import TYPE_CHECKING

from tealeaves.report.rows import Row

if TYPE_CHECKING:
    from tealeaves.scores import Scores


def predictive(scores: "Scores", rows: list[Row], details: Row) -> Row | None:
    """What the section shows; None where nothing of it was measured."""
    return None
