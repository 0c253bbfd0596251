"""Many tasks at work at once: in this process, in others of this machine, or on a Dask cluster."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from tealeaves.distributed import connect, processes

Task = tuple[Any, ...]
Work = Callable[..., Any]
DIED = "the process that worked on it was ended from outside; if by the system, memory is short"


@dataclass(frozen=True)
class Lost:
    """What is left of a task whose process ended with it."""

    reason: str = DIED


def run_all(
    work: Work, tasks: Sequence[Task], workers: int = 1, cluster: str | None = None
) -> Iterator[tuple[int, Any]]:
    """Do all tasks; yield the place of each and its result, those done come first.

    A task that ends its process is tried once more alone, so that it takes no other with it; then its result
    is `Lost`. What ``work`` raises is raised.

    Parameters
    ----------
    work : callable
        A function of a module, called with the parts of a task.
    tasks : sequence of tuple
        What to do.
    workers : int
        Processes; with 1 all is done in this one.
    cluster : str, optional
        "local:N" for a Dask cluster of N processes here, or the address of a scheduler, "tcp://host:port".
    """
    if not tasks:
        return
    if cluster is not None:
        with connect(cluster) as connected:
            yield from connected.map(_call, tasks, work, died=Lost())  # type: ignore[union-attr]
    elif min(workers, len(tasks)) == 1:
        for place, task in enumerate(tasks):
            yield place, work(*task)
    else:
        yield from _apart(work, tasks, min(workers, len(tasks)))


def _apart(work: Work, tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, Any]]:
    """Work in fresh processes."""
    left = set(range(len(tasks)))
    try:
        with processes(workers) as pool:
            running = {pool.submit(work, *tasks[place]): place for place in sorted(left)}
            while running:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    place = running[future]
                    result = future.result()
                    del running[future]
                    left.discard(place)
                    yield place, result
    except BrokenProcessPool:
        pass
    for place in sorted(left):
        with processes(1) as pool:
            try:
                result = pool.submit(work, *tasks[place]).result()
            except BrokenProcessPool:
                result = Lost()
        yield place, result


def _call(task: Task, work: Work) -> Any:
    return work(*task)
