"""Import a library of an extra, or say which extra to install."""

from importlib import import_module
from types import ModuleType

from tealeaves.errors import MissingExtra


def require(module: str, extra: str | None = None) -> ModuleType:
    """The imported ``module``; without it, an error that says what to install: an extra, or the module."""
    try:
        return import_module(module)
    except ImportError as error:
        what = f'"tealeaves[{extra}]"' if extra else module
        needed = f"{module} is needed here but cannot be imported ({error}); pip install {what}"
        raise MissingExtra(needed) from error
