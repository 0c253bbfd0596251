"""Every exception of tealeaves: each says what was wanted, what was found and where."""

from collections.abc import Iterable
from pathlib import Path

LISTED = 30  # names in a message


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


def meant(name: str, known: Iterable[object]) -> str:
    """What to say of a name that does not exist: the nearest that does, or else which there are.

    Examples
    --------
    >>> meant("nmpi", ["nmi", "npmi"])  # two letters changed places: nearer than one that is missing
    "did you mean 'npmi'?"
    >>> meant("people", ["c_v", "model name"])
    "there are c_v, 'model name'"
    """
    from difflib import get_close_matches  # what is needed after a mistake alone is imported then

    there = list(map(str, known))
    lower = {one.lower(): one for one in reversed(there)}
    said = name.lower()
    swapped = [
        one
        for one in lower
        if sorted(one) == sorted(said) and sum(a != b for a, b in zip(one, said, strict=True)) <= 2
    ]
    near = swapped or get_close_matches(said, lower, n=1, cutoff=0.5)
    if near:
        return f"did you mean {lower[near[0]]!r}?"
    shown = ", ".join(one if one and not set(one) & set(", ") else repr(one) for one in there[:LISTED])
    more = f" and {len(there) - LISTED:,} more" if len(there) > LISTED else ""
    return f"there are {shown or 'none'}{more}"
