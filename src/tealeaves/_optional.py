"""Import a library of an extra, or say which extra to install."""

from importlib import import_module
from types import ModuleType

from tealeaves.errors import MissingExtra


def require(module: str, extra: str) -> ModuleType:
    """The imported ``module``; without it, an error that names the extra which brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        needed = f'{module} is needed here but cannot be imported ({error}); pip install "tealeaves[{extra}]"'
        raise MissingExtra(needed) from error
