"""Columns of a table as numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError, meant

Floats = NDArray[np.float64]


def as_numbers(values: Sequence[Any]) -> Floats | None:
    """A column as numbers, nan for what is missing; None if it holds anything else."""
    if any(isinstance(value, str | bool) for value in values):
        return None
    try:
        return np.array([np.nan if value is None else float(value) for value in values], np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def required_numbers(columns: Mapping[str, Sequence[Any]], name: str) -> Floats:
    """The numbers of a column.

    Raises
    ------
    InputError
        If there is no such column, or it holds something else; that is named.
    """
    if name not in columns:
        raise InputError(f"there is no column {name!r}; {meant(name, columns)}")
    found = as_numbers(columns[name])
    if found is None:
        raise InputError(f"column {name!r} must hold numbers, but holds {what_is_no_number(columns[name])!r}")
    return found


def what_is_no_number(values: Sequence[Any]) -> Any:
    """The first of a column that does not even read as a number: it made text of all the others."""
    return next((value for value in values if not _reads_as_number(value)), values[0])


def _reads_as_number(value: Any) -> bool:
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return as_numbers([value]) is not None
