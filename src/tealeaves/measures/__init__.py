"""Every measure as a plain function of arrays, and the table they are entered in.

``tealeaves.measures.umass`` is a measure's function, ``tealeaves.measures()`` the table of all of them.
"""

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tealeaves.measures._table import Measure


def __getattr__(name: str) -> Any:
    # `from tealeaves.measures import coherence` asks here first: a module is the import system's to find.
    if not name.startswith("_") and find_spec(f"{__name__}.{name}") is None:
        from tealeaves.measures._table import table

        if name in table():
            return table()[name].function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Callable(ModuleType):
    """This package, which is called as ``tealeaves.measures()``."""

    def __call__(self) -> "tuple[Measure, ...]":
        """Every measure there is, in the order of the table."""
        from tealeaves.measures._table import measures

        return measures()


sys.modules[__name__].__class__ = _Callable
