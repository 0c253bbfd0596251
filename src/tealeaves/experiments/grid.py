"""From a spec to its cells: every model of every corpus, and what it is kept under."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from tealeaves import __version__
from tealeaves.errors import FormatError
from tealeaves.experiments.grounds import Ground, file_digest_of
from tealeaves.experiments.spec import ModelSpec, Spec
from tealeaves.fit import STEADY
from tealeaves.sweep.store import digest

# Whose numbers a family's are, beside ours; all others are our own, on NumPy and Numba.
LIBRARIES = {
    "lda": ("tomotopy", "scikit-learn"),
    "alda": ("tomotopy",),
    "nmf": ("scikit-learn",),
    "lsi": ("scikit-learn",),
    "ctm": ("topica",),
    "dlda": ("topica",),
    "detm": ("topica",),
}
OURS = ("numpy", "scipy")
MOST = 100_000  # models of one experiment
PER_DOCUMENT, PER_TOKEN, SMALL = 8, 4, 40_000  # bytes: a share of a topic, the topic of a token, the rest


@dataclass(frozen=True)
class Cell:
    """One model of one corpus: fitted, or read from ``read``; its place on disk says all that can change it.

    ``k`` and ``seed`` of a model that is read are known once it is.
    """

    ground: Ground
    family: str
    trainer: str
    options: tuple[tuple[str, Any], ...]
    k: int | None
    seed: int | None
    path: Path
    read: Path | None = None

    @property
    def setting(self) -> str:
        """The options as tables write them; "" where there are none."""
        if self.read is not None:
            return ""
        return ", ".join(f"{name}={value!r}" for name, value in self.options)

    @property
    def size(self) -> int:
        """About how many bytes the model takes on disk."""
        if self.read is not None or self.k is None:
            found = self.read
            files = [] if found is None else [found] if found.is_file() else list(found.rglob("*"))
            return 4 * sum(one.stat().st_size for one in files if one.is_file()) + SMALL
        of_words = PER_DOCUMENT * self.k * self.ground.words
        return (
            of_words + PER_DOCUMENT * self.k * self.ground.documents + PER_TOKEN * self.ground.tokens + SMALL
        )


def cells_of(spec: Spec, grounds: Sequence[Ground], models: Path) -> list[Cell]:
    """Every cell, in the order of the spec; two that are the same in all are one.

    Raises
    ------
    FormatError
        If a model has more topics than its corpus has documents.
    """
    found: dict[tuple[Any, ...], Cell] = {}
    for ground, model in product(grounds, spec.models):
        if ground.corpus not in model.corpora:
            continue
        for cell in _files(model, ground, models) if model.read else _fits(spec, model, ground, models):
            found.setdefault((ground.corpus, ground.preprocessing, cell.family, cell.path), cell)
    if len(found) > MOST:
        raise FormatError(spec.path, f"asks for {len(found):,} models, but at most {MOST:,} make sense")
    if not found:
        raise FormatError(spec.path, "there is nothing to do: no model is for any corpus")
    return list(found.values())


def _fits(spec: Spec, model: ModelSpec, ground: Ground, models: Path) -> list[Cell]:
    most = max(model.k)
    if most > ground.documents:
        raise FormatError(
            spec.path, f"k: {most} topics are more than the {ground.documents} documents of {ground.name}"
        )
    fits = len(model.k) * len(model.seeds) * prod(map(len, model.options.values()))
    if fits > MOST:  # before they are listed
        raise FormatError(spec.path, f"asks for {fits:,} models of {model.name}; at most {MOST:,} make sense")
    made = versions(model.family)
    cells = []
    for k, *values in product(model.k, *model.options.values()):
        options = tuple(zip(model.options, values, strict=True))
        for seed in model.seeds[:1] if model.family in STEADY else model.seeds:
            key = digest("fit", model.family, k, [list(one) for one in options], seed, ground.content, made)
            path = models / f"{model.family}-{k}-seed{seed}-{key}"
            cells.append(Cell(ground, model.name, model.family, options, k, seed, path))
    return cells


def _files(model: ModelSpec, ground: Ground, models: Path) -> list[Cell]:
    options = tuple(model.options.items())
    said = [
        [name, file_digest_of(one) if isinstance(one, Path) else one] for name, one in model.options.items()
    ]
    cells = []
    for path, name in zip(model.read, _names(model.read), strict=True):
        key = digest("read", file_digest_of(path), said, __version__)
        kept = models / f"{re.sub(r'[^A-Za-z0-9._-]+', '_', name)[:40]}-{key}"
        cells.append(Cell(ground, model.name or _family(name), "", options, None, None, kept, path))
    return cells


def _names(paths: Sequence[Path]) -> list[str]:
    """What each file is called; where two are called alike, what their folders are."""
    names = [path.name.partition(".")[0] or path.name for path in paths]
    times = Counter(names)
    return [
        name if times[name] == 1 else path.resolve().parent.name
        for name, path in zip(names, paths, strict=True)
    ]


def _family(name: str) -> str:
    from tealeaves.sweep import family_of

    return family_of(name)


def versions(family: str = "") -> dict[str, str]:
    """Of all that can change the numbers of a family, or of scores if none is named."""
    names = (*OURS, *LIBRARIES.get(family, ("numba",)))
    return {"tealeaves": __version__} | {name: _version(name) for name in names}


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def numbered(cells: Sequence[Cell], n_topics: dict[Path, int | None]) -> list[tuple[Cell, int | None, int]]:
    """Each cell with its K and its seed; files of one family with as many topics are runs 0, 1, 2, …"""
    runs: Counter[tuple[Any, ...]] = Counter()
    found = []
    for cell in cells:
        if cell.read is None:
            found.append((cell, cell.k, cell.seed or 0))
            continue
        k = n_topics.get(cell.path)
        group = (cell.ground.corpus, cell.ground.preprocessing, cell.family, k)
        found.append((cell, k, runs[group]))
        runs[group] += 1
    return found
