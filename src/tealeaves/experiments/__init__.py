"""Experiments: many models on many corpora in one table; and published tables, computed again."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tealeaves.experiments.experiment import Experiment, load_experiment, status
    from tealeaves.experiments.run import run_experiment
    from tealeaves.experiments.spec import Spec, read_spec

_HOMES = {
    "Experiment": "experiment",
    "Spec": "spec",
    "load_experiment": "experiment",
    "read_spec": "spec",
    "run_experiment": "run",
    "status": "experiment",
}
__all__ = ["Experiment", "Spec", "load_experiment", "read_spec", "run_experiment", "status"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"tealeaves.experiments.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
