"""The fits of a sweep: which there are, fitted in processes, kept on disk so that nothing is done twice."""

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves import __version__
from tealeaves.errors import FormatError, InputError, meant
from tealeaves.sweep import store
from tealeaves.sweep.pool import Lost, run_all

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
        return store.digest(s.family, s.k, [list(p) for p in s.params], self.seed, fingerprint, __version__)


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
            there = [*CUTS, *(option for options in known.values() for option in options)]
            raise InputError(
                f"grid: no family of {', '.join(families)} has a parameter {name!r}; "
                f"{meant(name, dict.fromkeys(there))}"
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


def options_of(family: str, over_time: bool = False) -> list[str]:
    """The parameters of a family's trainer, beyond corpus, k and seed."""
    from tealeaves.fit import FAMILIES, GIVEN, OVER_TIME

    static = [name for name in FAMILIES if name not in OVER_TIME]
    static += OVER_TIME if over_time else ()
    if family in OVER_TIME and not over_time:
        raise InputError(f"{family} has topics over time; a sweep compares {', '.join(static)}")
    if family not in static:
        raise InputError(f"there is no family of models {family!r}; {meant(family, static)}")
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
    cells: Sequence[Cell],
    corpus: "Corpus",
    folder: Path,
    workers: int | None,
    progress: Progress | None,
    cluster: str | None = None,
) -> Iterator[Fitted]:
    """Fit every cell that ``folder`` does not hold yet, in other processes; those done come first.

    A cell whose trainer refuses its input is kept, too, with the reason; another failure is tried again.
    """
    fingerprint, folder = corpus.fingerprint, folder.absolute()  # processes elsewhere have another place
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
    if progress:
        progress("fitting", done, len(cells))
    tasks = [(cell, paths[cell], source) for cell in waiting]
    made = run_all(_fit, tasks, workers or os.cpu_count() or 1, cluster)
    for more, (place, one) in enumerate(made, start=1):
        if progress:
            progress("fitting", done + more, len(cells))
        cell = waiting[place]
        yield Fitted(cell, paths[cell], 0.0, one.reason) if isinstance(one, Lost) else one


def _kept(cell: Cell, path: Path) -> Fitted | None:
    """What an earlier call left of a cell, if it is whole."""
    try:
        found = store.kept(path)
    except FormatError:
        return None
    if found is None or (found.reason and not found.final):
        return None  # not its input's fault: another call may do better
    return Fitted(cell, path, found.seconds, found.reason)


def _fit(cell: Cell, path: Path, source: Path) -> Fitted:
    """Fit one cell and keep it; runs in a process of its own."""

    def make() -> Any:
        from tealeaves.corpus import load_corpus
        from tealeaves.fit import fit

        params = dict(cell.setting.params)
        corpus = cut(load_corpus(source), **{name: params.pop(name) for name in CUTS if name in params})
        model = fit(cell.setting.family, corpus, k=cell.setting.k, seed=cell.seed, **params)
        return replace(model, corpus=None)  # the corpus is kept once, not with every model

    found = store.keep(path, make, name=cell.setting.name, seed=cell.seed)
    return Fitted(cell, path, found.seconds, found.reason)
