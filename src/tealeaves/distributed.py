"""Work over the partitions of a corpus on Dask: the same numbers as on one machine, to the last bit.

A cluster is named by ``local:N``, which starts N processes here, or by the address of a scheduler such as
``tcp://10.0.0.5:8786``. Workers open their partition where it lies, so they must see its path; a corpus that
is in memory is sent to them.
"""

import logging
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._optional import require
from tealeaves.corpus_store import open_part
from tealeaves.counts import Asked, Found, Job, PairCounts, TokenLists, Unit, added, jobs_of, scan
from tealeaves.errors import ClusterError, InputError
from tealeaves.remote import is_url, open_partition

Ints = NDArray[np.int64]
Progress = Callable[[int, int], None]
LOCAL = re.compile(r"local:([1-9][0-9]*)")
ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://\S+")
PARTS_A_WORKER = 4  # of a corpus in memory: so that a slow worker does not keep the others waiting
SILENT = logging.CRITICAL
PATIENCE = 60  # seconds that a scheduler or a new worker may take to answer


@dataclass(frozen=True)
class Stored:
    """A partition of a corpus on disk, which whoever counts it opens."""

    path: str
    number: int
    first: int  # document of the whole corpus
    expected: str  # its checksum, as whoever asks has seen it

    def open(self) -> TokenLists:
        """The partition, checked against its checksum."""
        if is_url(self.path):
            return open_partition(self.path, self.number, expected=self.expected)
        if not Path(self.path).exists():
            found = f"a worker does not see {self.path}"
            raise ClusterError(f"{found}: put the corpus where every worker can open it")
        tokens, offsets, ordered = open_part(Path(self.path), self.number, self.expected)
        return TokenLists(tokens, offsets, (), ordered)


@dataclass(frozen=True)
class Sent:
    """A run of documents of a corpus in memory, sent to whoever counts it."""

    tokens: NDArray[np.int32]
    offsets: Ints
    ordered: bool
    first: int

    def open(self) -> TokenLists:
        """The documents."""
        return TokenLists(self.tokens, self.offsets, (), self.ordered)


def _given(value: Any) -> Any:
    return value


def count_part(part: Stored | Sent, jobs: Sequence[Job], n_documents: int) -> list[Found]:
    """What one part of a corpus of so many documents adds to the counts of each job."""
    return scan(part.open(), jobs, 1, first=part.first, n_documents=n_documents)


class _OfTask(Exception):
    """Carries what a task raised past what explains errors of the connection."""


class Cluster:
    """A Dask cluster that is connected to; made by `connect`."""

    def __init__(self, client: Any, name: str) -> None:
        self.client, self.name = client, name

    def map(
        self,
        function: Callable[..., Any],
        parts: Sequence[Any],
        *common: Any,
        progress: Progress | None = None,
        died: Any = None,
    ) -> Iterator[tuple[int, Any]]:
        """The number of each part and ``function(part, *common)``, in the order in which they are done.

        ``common`` is sent to each worker once. A part whose worker dies is done by another; ``died``, if
        given, stands for the result of one that every worker dies of. What the function raises is raised.

        Raises
        ------
        ClusterError
            If the scheduler is lost, or every worker that tries a part dies.
        """
        try:
            yield from self._map(function, parts, common, progress, died)
        except _OfTask as error:
            raise error.args[0] from None

    def _map(
        self,
        function: Callable[..., Any],
        parts: Sequence[Any],
        common: Sequence[Any],
        progress: Progress | None,
        died: Any,
    ) -> Iterator[tuple[int, Any]]:
        distributed = require("distributed", "cluster")
        with self._explained():
            self._refuse_lost()
            # A task that gives the value: a scattered value is gone with the workers that hold it.
            shared = [self.client.submit(_given, value, pure=False) for value in common]
            futures = [self.client.submit(function, part, *shared, pure=False) for part in parts]
            number = {future.key: i for i, future in enumerate(futures)}
            try:
                finished: SimpleQueue[Any] = SimpleQueue()
                for future in futures:
                    future.add_done_callback(finished.put)
                for done in range(1, len(futures) + 1):
                    future = self._next(finished)
                    error = future.exception()
                    if isinstance(error, distributed.scheduler.KilledWorker):
                        if died is None:
                            raise _OfTask(ClusterError(_deadly(self.name, error.task)))
                        found = died
                    elif error is not None:
                        raise _OfTask(error)
                    else:
                        found = future.result()
                    yield number[future.key], found
                    future.release()  # what was handed over need not stay with the worker
                    if progress is not None:
                        progress(done, len(futures))
            finally:
                with suppress(Exception):  # the scheduler may be what was lost
                    self.client.cancel(futures)

    def _next(self, finished: "SimpleQueue[Any]") -> Any:
        """The next future that is done; tasks that a scheduler took with it are never done."""
        while True:
            try:
                return finished.get(timeout=1)
            except Empty:
                self._refuse_lost()

    def _refuse_lost(self) -> None:
        if self.client.status != "running":
            raise OSError("the scheduler is gone")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        from concurrent.futures import CancelledError

        try:
            yield
        except (CancelledError, OSError, TimeoutError):
            raise ClusterError(
                f"the connection to the scheduler of {self.name} was lost; nothing was written: start it "
                "again and rerun"
            ) from None

    def count_pairs(
        self,
        source: Any,
        words: Sequence[str],
        topics: Sequence[Sequence[int]],
        units: Sequence[Unit],
        *,
        blocks: int = 0,
        progress: Progress | None = None,
    ) -> dict[Unit, PairCounts]:
        """Count as ``tealeaves.counts.count_pairs`` does: integers add up, so the counts are the same."""
        return self.count_all(source, [Asked(words, topics, units, blocks)], progress=progress)[0]

    def count_all(
        self, source: Any, asked: Sequence[Asked], *, progress: Progress | None = None
    ) -> list[dict[Unit, PairCounts]]:
        """Several counts, for which each part is opened once."""
        jobs = jobs_of(source, asked)
        n_documents = len(source) if hasattr(source, "stored") else len(source.offsets) - 1
        found = self.map(count_part, self.parts_of(source), jobs, n_documents, progress=progress)
        counted = added(part for _, part in found)
        return [job.counts(of_job) for job, of_job in zip(jobs, counted, strict=True)]

    def parts_of(self, corpus: Any) -> list[Stored | Sent]:
        """The partitions of a corpus on disk, or as many runs of documents as keep the workers busy."""
        stored = getattr(corpus, "stored", None)
        if stored is not None:
            places = enumerate(zip(stored.bounds[:-1], stored.digests, strict=True))
            return [Stored(str(stored.path), i, first, expected) for i, (first, expected) in places]
        workers = max(1, len(self.client.scheduler_info()["workers"]))
        offsets = np.asarray(corpus.offsets, dtype=np.int64)
        wanted = np.linspace(0, offsets[-1], PARTS_A_WORKER * workers + 1)[1:-1]
        bounds = np.unique([0, *np.searchsorted(offsets, wanted), len(offsets) - 1])
        if len(bounds) < 2:
            bounds = np.array([0, len(offsets) - 1])
        return [
            Sent(
                np.array(corpus.tokens[offsets[a] : offsets[b]]),
                offsets[a : b + 1] - offsets[a],
                corpus.ordered,
                int(a),
            )
            for a, b in pairwise(bounds)
        ]


@contextmanager
def connect(cluster: "str | Cluster | None") -> Iterator[Cluster | None]:
    """The cluster that ``cluster`` names, for as long as it is needed; what was started here is stopped.

    Parameters
    ----------
    cluster : str, Cluster or None
        ``"local:N"`` starts N processes on this machine, an address such as ``"tcp://10.0.0.5:8786"`` is that
        of a scheduler. A Cluster is taken as it is, and None gives None.

    Raises
    ------
    InputError
        If it is neither.
    ClusterError
        If the scheduler does not answer.
    """
    if cluster is None or isinstance(cluster, Cluster):
        yield cluster
        return
    check_cluster(cluster)
    distributed = require("distributed", "cluster")
    local = LOCAL.fullmatch(cluster)
    opened = _started(distributed, int(local[1])) if local else _reached(distributed, cluster)
    with _quiet(), opened as client:
        yield Cluster(client, cluster)


def check_cluster(cluster: object) -> None:
    """Refuse what names no cluster, before anything is done.

    Raises
    ------
    InputError
        If it is neither "local:N" nor an address.
    MissingExtra
        If Dask is not installed.
    """
    if not isinstance(cluster, str) or not (LOCAL.fullmatch(cluster) or ADDRESS.fullmatch(cluster)):
        raise InputError(
            "cluster must be 'local:N', with a number of processes, or the address of a Dask scheduler such "
            f"as 'tcp://10.0.0.5:8786'; got {cluster!r}"
        )
    require("distributed", "cluster")


def end_with(parent: int) -> None:
    """End this process when the one that started it is gone, as after kill -9."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def processes(n: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes that end with this one, and at once if what they are for is given up.

    One that is forked after a kernel has run in threads may hang.

    Raises
    ------
    InputError
        If there can be none.
    """
    pool = ProcessPoolExecutor(n, get_context("spawn"), initializer=_serve, initargs=(os.getpid(),))
    whole = False
    try:
        try:
            pool.submit(os.getpid).result()
        except BrokenProcessPool:
            raise InputError(
                "the processes that were started ended at once. In a script, call it under "
                "`if __name__ == '__main__':`, for each of them reads the script again; or say workers=1"
            ) from None
        yield pool
        whole = True
    finally:  # interrupted or not: nothing goes on behind the caller's back
        for process in () if whole else list((pool._processes or {}).values()):
            process.terminate()
        pool.shutdown(cancel_futures=True)


def _serve(parent: int) -> None:
    """Leave Ctrl-C, which a terminal sends to all, to the one that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)


def _deadly(name: str, task: str) -> str:
    return (
        f"every worker of {name} that tried one part died ({task}); nothing was written. "
        "Was there too little memory? More partitions make smaller parts"
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what libraries log of lost connections: an error of ours says it."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado.application")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(SILENT)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _started(distributed: Any, n: int) -> Iterator[Any]:
    """Processes which, unlike those of multiprocessing, do not run the caller's script again."""
    here = distributed.SubprocessCluster(
        host="127.0.0.1",
        n_workers=n,
        threads_per_worker=1,
        dashboard_address=None,
        scheduler_kwargs={"dashboard": False},
        worker_kwargs={"silence_logs": SILENT},
        silence_logs=SILENT,
    )
    with distributed.Client(here, set_as_default=False, timeout=PATIENCE) as client:
        try:
            try:
                client.wait_for_workers(n, timeout=PATIENCE)
            except TimeoutError:
                raise ClusterError(f"{n} processes did not start within {PATIENCE} s: try fewer") from None
            client.run_on_scheduler(end_with, os.getpid())  # and its workers with it
            yield client
        finally:
            with suppress(Exception):  # whatever is left of them
                client.shutdown()


@contextmanager
def _reached(distributed: Any, address: str) -> Iterator[Any]:
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        if not client.scheduler_info()["workers"]:
            with suppress(TimeoutError):
                client.wait_for_workers(1, timeout=PATIENCE)
        if not client.scheduler_info()["workers"]:
            raise ClusterError(f"the Dask scheduler at {address} has no workers: start some first")
        yield client


def in_order(found: Iterable[tuple[int, Any]]) -> list[Any]:
    """What `Cluster.map` gives, by the number of the part."""
    return [result for _, result in sorted(found, key=lambda pair: pair[0])]
