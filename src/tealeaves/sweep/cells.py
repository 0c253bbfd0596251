"""The fits of a sweep: which there are, fitted in processes, kept on disk so that nothing is done twice."""

import hashlib
import inspect
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves import __version__
from tealeaves.errors import InputError, MissingExtra, TealeavesError
from tealeaves.folders import write_json

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

CUTS = ("min_df", "max_df")  # parameters of the corpus; all others are the trainer's
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Setting:
    """What runs have in common: the family, K, and every parameter that is not left to the trainer."""

    family: str
    k: int
    params: tuple[tuple[str, Any], ...] = ()

    @property
    def text(self) -> str:
        """The parameters as tables write them; "" where there are none."""
        return ", ".join(f"{name}={value!r}" for name, value in self.params)

    @property
    def name(self) -> str:
        """What the models are called; each run adds ``#1``, ``#2``, …"""
        return f"{self.family}-{self.k}" + (f" ({self.text})" if self.params else "")


@dataclass(frozen=True)
class Cell:
    """One fit: a setting and a seed."""

    setting: Setting
    seed: int

    def digest(self, fingerprint: str) -> str:
        """What it is kept under: everything that can change the model."""
        s = self.setting
        about = [s.family, s.k, [list(p) for p in s.params], self.seed, fingerprint, __version__]
        return hashlib.blake2b(json.dumps(about).encode(), digest_size=10).hexdigest()


@dataclass(frozen=True)
class Fitted:
    """What became of a cell: a saved model, or the reason why there is none."""

    cell: Cell
    path: Path
    seconds: float
    reason: str = ""

    def load(self) -> "TopicModel":
        """The model."""
        from tealeaves.model_store import load

        return load(self.path)


def settings_of(
    families: Sequence[str], k: Sequence[int], grid: Mapping[str, Sequence[Any]]
) -> list[Setting]:
    """Every setting of a sweep; a parameter that a family does not have leaves it with one setting fewer.

    Raises
    ------
    InputError
        If no family knows a parameter of the grid.
    """
    known = {family: options_of(family) for family in families}
    grid = {str(name): scalars(str(name), values) for name, values in grid.items()}
    for name in grid:
        if name not in CUTS and not any(name in options for options in known.values()):
            there = ", ".join(f"{family}: {', '.join(options)}" for family, options in known.items())
            raise InputError(
                f"grid: no family of {', '.join(families)} has a parameter {name!r}; "
                f"there are {', '.join(CUTS)} (of the corpus) and {there}"
            )
    found: dict[Setting, None] = {}
    for family, topics in product(families, k):
        mine = {name: values for name, values in grid.items() if name in CUTS or name in known[family]}
        for values in product(*mine.values()):
            found.setdefault(Setting(family, topics, tuple(zip(mine, values, strict=True))))
    return list(found)


def scalars(name: str, values: Any) -> list[Any]:
    """The values of one parameter of a grid: numbers, texts, True, False or None."""
    if isinstance(values, str | int | float | bool) or values is None:
        values = [values]
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    for value in plain:
        if value is not None and not isinstance(value, str | int | float | bool):
            raise InputError(
                f"grid: a value of {name} must be a number, a text, True, False or None; got {value!r}"
            )
    if not plain:
        raise InputError(f"grid: {name} has no values")
    return list(dict.fromkeys(plain))


def options_of(family: str) -> list[str]:
    """The parameters of a family's trainer, beyond corpus, k and seed."""
    from tealeaves.fit import FAMILIES, GIVEN, OVER_TIME

    static = [name for name in FAMILIES if name not in OVER_TIME]
    if family in OVER_TIME:
        raise InputError(f"{family} has topics over time; a sweep compares {', '.join(static)}")
    if family not in static:
        raise InputError(f"there is no family of models {family!r}; there are {', '.join(static)}")
    train = getattr(import_module(f"tealeaves.fit.{family}"), family)
    return [name for name in inspect.signature(train).parameters if name not in GIVEN]


def cut(corpus: "Corpus", min_df: int | float | None = None, max_df: int | float | None = None) -> "Corpus":
    """The corpus with only the words of so many documents; the others keep their place, without a name.

    A whole number counts documents, a number with a point is a share of them.
    """
    if min_df is None and max_df is None:
        return corpus
    frequency, n = corpus.document_frequency(), len(corpus)
    least = _documents("min_df", min_df, n, 0)
    most = _documents("max_df", max_df, n, n)
    kept = (frequency >= least) & (frequency <= most)
    if not kept.any():
        raise InputError(f"no word is in {least:g} to {most:g} of the {n} documents: the cut leaves none")
    new = np.full(len(kept) + 1, -1, dtype=np.int32)  # the last entry answers for -1
    new[:-1][kept] = np.arange(kept.sum(), dtype=np.int32)
    words = tuple(word for word, keep in zip(corpus.vocabulary, kept, strict=True) if keep)
    said = "; ".join(
        f"{name}={value}" for name, value in (("min_df", min_df), ("max_df", max_df)) if value is not None
    )
    choices = f"{corpus.preprocess}; {said}" if corpus.preprocess else said
    return replace(corpus, vocabulary=words, tokens=new[corpus.tokens], preprocess=choices)


def _documents(name: str, value: int | float | None, n: int, otherwise: int) -> float:
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise InputError(f"{name} must be a number of documents, or a share of them; got {value!r}")
    return value if isinstance(value, int) else value * n


def fit_all(
    cells: Sequence[Cell], corpus: "Corpus", folder: Path, workers: int | None, progress: Progress | None
) -> Iterator[Fitted]:
    """Fit every cell that ``folder`` does not hold yet, in other processes; those done come first.

    A cell whose trainer refuses its input is kept, too, with the reason; another failure is tried again.
    """
    fingerprint = corpus.fingerprint
    paths = {cell: folder / "models" / cell.digest(fingerprint) for cell in cells}
    waiting = []
    done = 0
    for cell in cells:
        kept = _kept(cell, paths[cell])
        if kept is None:
            waiting.append(cell)
        else:
            done += 1
            yield kept
    if not waiting:
        return
    source = folder / "corpus"
    corpus.save(source)
    threads = min(workers or os.cpu_count() or 1, len(waiting))
    if progress:
        progress("fitting", done, len(cells))
    todo = [(cell, paths[cell], source) for cell in waiting]
    made = _fit_here(todo) if threads == 1 else _fit_apart(todo, threads)
    for more, one in enumerate(made, start=1):
        if progress:
            progress("fitting", done + more, len(cells))
        yield one


Task = tuple[Cell, Path, Path]


def _fit_here(todo: Sequence[Task]) -> Iterator[Fitted]:
    for cell, path, source in todo:
        yield _fit(cell, path, source)


def _fit_apart(todo: Sequence[Task], processes: int) -> Iterator[Fitted]:
    """Fit in fresh processes: one that is forked after a kernel has run in threads may hang."""
    context = get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=_end_with, initargs=(os.getpid(),))
    running = {pool.submit(_fit, *task) for task in todo}
    try:
        while running:
            ready, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                yield future.result()
    except BrokenProcessPool:
        raise InputError(
            "the processes that fit ended at once. In a script, call sweep under `if __name__ == '__main__':`"
            ", for each of them reads the script again; or say workers=1. If one was killed, memory is short"
        ) from None
    finally:  # interrupted or not: what is fitted is on disk, and nothing goes on behind the caller's back
        for process in list((pool._processes or {}).values()) if running else ():
            process.terminate()
        pool.shutdown(wait=not running, cancel_futures=True)


def _end_with(parent: int) -> None:
    """End this process when the one that started it is gone, as after kill -9."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _about(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _kept(cell: Cell, path: Path) -> Fitted | None:
    """What an earlier call left of a cell, if it is whole."""
    try:
        about = json.loads(_about(path).read_text("utf-8"))
        found = Fitted(cell, path, float(about["seconds"]), str(about["reason"]))
        if found.reason and not about["final"]:
            return None  # not its input's fault: another call may do better
        if not found.reason:
            found.load()
    except (OSError, ValueError, KeyError, TypeError, TealeavesError):
        return None
    return found


def _fit(cell: Cell, path: Path, source: Path) -> Fitted:
    """Fit one cell and keep it; runs in a process of its own."""
    from tealeaves.corpus import load_corpus
    from tealeaves.fit import fit

    setting = cell.setting
    params = dict(setting.params)
    began = time.perf_counter()
    reason, final = "", True
    try:
        corpus = cut(load_corpus(source), **{name: params.pop(name) for name in CUTS if name in params})
        model = fit(setting.family, corpus, k=setting.k, seed=cell.seed, **params)
        replace(model, corpus=None).save(path)  # the corpus is kept once, not with every model
    except TealeavesError as error:
        reason, final = str(error), not isinstance(error, MissingExtra)
    except Exception as error:  # a trainer's own failure is a result, too: the others go on
        reason, final = f"{type(error).__name__}: {error}", False
    seconds = time.perf_counter() - began
    write_json(
        _about(path),
        {"seconds": seconds, "reason": reason, "final": final, "name": setting.name, "seed": cell.seed},
    )
    return Fitted(cell, path, seconds, reason)
