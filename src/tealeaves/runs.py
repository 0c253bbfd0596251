"""Which models are runs of one: those whose names differ only in a last ``#`` and a number, as "lda#1"."""

import re

RUN = re.compile(r"(.+)#([0-9]+)", re.DOTALL)


def run_of(name: str) -> tuple[str, int | None]:
    """The name without its run, and the number of the run; None if the name says no run.

    Examples
    --------
    >>> run_of("lda#2"), run_of("C# a"), run_of("#1")
    (('lda', 2), ('C# a', None), ('#1', None))
    """
    found = RUN.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, None)


def base_name(name: str) -> str:
    """The name without its run: "lda" of "lda#2"."""
    return run_of(name)[0]
