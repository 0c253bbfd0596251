"""Every exception of tealeaves: each says what was wanted, what was found and where."""

from pathlib import Path


class TealeavesError(Exception):
    """The root: catch this to catch whatever tealeaves raises on purpose."""


class InputError(TealeavesError, ValueError):
    """An argument or its content is not what was wanted."""


class SpecError(InputError):
    """A measure's specification cannot be read, or names what does not exist."""


class MissingInput(InputError):
    """A measure needs something that was not handed over, such as a reference corpus."""


class FormatError(InputError):
    """A file is not what its reader expects; the message begins with the file and the line."""

    def __init__(self, path: str | Path, message: str, line: int | None = None) -> None:
        self.path, self.line = Path(path), line
        self._said = message
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")

    def __reduce__(self) -> tuple[type["FormatError"], tuple[str | Path, str, int | None]]:
        """As it comes back from another process."""
        return type(self), (self.path, self._said, self.line)


class MissingExtra(TealeavesError, ImportError):
    """A library that an optional part needs is not installed."""


class ClusterError(TealeavesError):
    """A cluster cannot be reached, was lost, or has no worker that survives a task."""
