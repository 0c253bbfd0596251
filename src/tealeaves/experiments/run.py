"""Running an experiment: what is there is kept, what is missing is made, and all of it is written down."""

import errno
import glob
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tealeaves.distributed import check_cluster
from tealeaves.errors import FormatError, InputError
from tealeaves.experiments.cells import (
    RUNS,
    Ask,
    Settings,
    Told,
    frame_of,
    kept_scores,
    make,
    no_score,
    score,
)
from tealeaves.experiments.experiment import COLUMNS, MANIFEST, PLAN, SCORES, SPEC, Experiment, write_whole
from tealeaves.experiments.grid import Cell, cells_of, numbered, versions
from tealeaves.experiments.grounds import Ground, prepare
from tealeaves.experiments.spec import Spec, read_spec
from tealeaves.measures._table import parse
from tealeaves.sweep import store
from tealeaves.sweep.pool import Lost, run_all

Progress = Callable[[str, int, int], None]
MEMORY = 1 << 30  # bytes of models that are scored together: one counting pass for all of them
ROW = 60  # bytes of a score on disk, about
FOLDERS = ("models", "scores", "corpora")
PART = re.compile(r"[0-9a-f]{32}\.part")
BASE = re.compile(r"""^[ \t]*(?:base|"base"|'base')[ \t]*=.*$""", re.MULTILINE)


def run_experiment(
    spec: str | Path | Spec,
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    base: str | Path | None = None,
    retry_failed: bool = False,
    figures: Sequence[str] = ("svg",),
    dry_run: bool = False,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
) -> Experiment:
    """Fit and score every model of an experiment; what an earlier run left is not made again.

    However often it is stopped, and on however many workers, the end is the same, byte by byte.

    Parameters
    ----------
    spec : path or Spec
        The TOML file of the experiment, or the folder of one that was run.
    out : path, optional
        Where all is kept; without it the folder of the spec, if that is an experiment's.
    workers : int, optional
        Processes; all cores if not said.
    cluster : str, optional
        Dask instead: "local:N", or the address of a scheduler whose workers see the same files.
    base : path, optional
        The folder that paths in the spec are relative to.
    retry_failed : bool
        Make again what failed before, too.
    figures : sequence of str
        Formats of the figures: "svg", "png", "pdf"; none if empty.
    dry_run : bool
        Only say what there is to do and how much disk it takes: ``about`` of the result.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.
    note : callable, optional
        Called with what a user should know at once.

    Returns
    -------
    Experiment
        ``frame`` has every score; ``table(...)`` makes tables.

    Raises
    ------
    FormatError
        If the spec is wrong, or a corpus cannot be read.
    InputError
        If the disk is too small, or another run works in the folder.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> lines = ["k = 2", "measures = 'npmi@3'", "[[models]]", "family = 'plsa'", "[[corpora]]"]
    >>> lines.append("synthetic = {k = 2, documents = 30, length = 20, vocabulary = 20}")
    >>> _ = (folder / "spec.toml").write_text("\\n".join(lines))
    >>> done = run_experiment(folder / "spec.toml", folder / "out", workers=1, figures=())
    >>> done.frame.filter(done.frame["level"] == "model").select("corpus", "family", "k", "measure").row(0)
    ('planted', 'plsa', 2, 'npmi@3')
    """
    if cluster is not None:
        check_cluster(cluster)
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise InputError(f"workers must be a whole number of at least 1; got {workers!r}")
    asked = spec if isinstance(spec, Spec) else read_spec(spec, base)
    folder = _folder(asked, out).absolute()
    run = _Run(
        asked,
        folder,
        Settings(asked.ci, asked.resamples, asked.seed),
        workers or os.cpu_count() or 1,
        cluster,
        retry_failed,
        progress or (lambda what, done, of: None),
        note or (lambda message: None),
    )
    with _locked(folder):
        return run.plan() if dry_run else run.whole(figures)


def _folder(spec: Spec, out: str | Path | None) -> Path:
    if out is None:
        if (spec.path.parent / PLAN).is_file():
            return spec.path.parent
        raise InputError(f"{spec.path}: say where its results are to be kept, out='folder'")
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: name a folder for the experiment")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / PLAN).is_file():
        there = {one.name for one in folder.iterdir()} - {*FOLDERS, SPEC, ".lock"}
        there |= {name for name in ("models", "scores") if any((folder / name).glob("*"))}
        if there:
            raise InputError(f"{folder} holds something else ({min(there)}): name a new folder")
    return folder


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One run at a time; a lock of a process that is gone is none."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        yield
        return
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                yield  # a file system without locks
                return
            raise InputError(f"{folder}: another run is at work here; wait for it, or end it") from None
        yield


@dataclass
class _Run:
    """One run: its spec, and what it does step by step."""

    spec: Spec
    folder: Path
    settings: Settings
    workers: int
    cluster: str | None
    retry_failed: bool
    progress: Progress
    note: Callable[[str], None]
    grounds: list[Ground] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    kept: dict[Path, store.Kept] = field(default_factory=dict)

    def whole(self, figures: Sequence[str]) -> Experiment:
        """All of it."""
        try:
            self._prepare()
            self._check_disk()
            self._make()
            self._score()
            found = self._gathered()
            before = self._before()
            found.write(figures)
            self._compare(before, hashlib.sha256((self.folder / SCORES).read_bytes()).hexdigest(), found)
        except OSError as error:
            if error.errno in store.FULL:
                raise InputError(
                    f"{self.folder}: the disk is full; what is done is kept: make room and run it again"
                ) from None
            raise
        return found

    def plan(self) -> Experiment:
        """What there is to do."""
        self._prepare()
        return Experiment(self.folder, frame_of([], COLUMNS), self._plan() | self._disk())

    def _prepare(self) -> None:
        """Read corpora, list the cells, and see which are there."""
        spec, store_of = self.spec, self.folder / "corpora"
        pairs = [
            (corpus, choices)
            for corpus in spec.corpora
            for choices in spec.preprocessing
            if corpus.name in choices.corpora
        ]
        for done, (corpus, choices) in enumerate(pairs, start=1):
            self.progress(f"reading {corpus.name} ({done} of {len(pairs)})", 0, 0)  # readers tell how far
            ground, torn = prepare(spec, corpus, choices, store_of)
            if torn:
                self.note(f"{ground.folder}: was not whole and was made again")
            self.grounds.append(ground)
        models = self.folder / "models"
        self.cells = cells_of(spec, self.grounds, models)
        for left in self._left_over(models):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        self._look_up()
        write_whole(self.folder / PLAN, json.dumps(self._plan(), indent=1))
        self._copy_spec()

    def _left_over(self, models: Path) -> Iterator[Path]:
        """What a run that was killed left half written, told by our own names for it."""
        for path in {cell.path for cell in self.cells}:
            yield from models.glob(f".{glob.escape(path.name)}-*")
        yield from (one for one in (self.folder / "scores").glob("*.part") if PART.fullmatch(one.name))

    def _look_up(self) -> None:
        paths = list(dict.fromkeys(cell.path for cell in self.cells))
        for done, path in enumerate(paths):
            self.progress("looking through models", done, len(paths))
            try:
                found = store.kept(path)
            except FormatError as error:
                self.note(f"{error}; it is made again")
                continue
            if found is not None and not (found.reason and self.retry_failed):
                self.kept[path] = found

    def _copy_spec(self) -> None:
        """Keep the spec, with paths that hold from where it is kept."""
        target = self.folder / SPEC
        if self.spec.path.resolve() == target.resolve() and self.spec.base == self.folder:
            return
        here = Path(os.path.relpath(self.spec.base.resolve(), self.folder.resolve())).as_posix()
        text = self.spec.text
        line = f"base = {json.dumps(here, ensure_ascii=False)}"
        head = re.split(r"^[ \t]*\[", text, maxsplit=1, flags=re.MULTILINE)[0]
        text = BASE.sub(lambda _: line, text, count=1) if BASE.search(head) else f"{line}\n{text}"
        write_whole(target, text)

    def _waiting(self) -> list[Cell]:
        waiting = {cell.path: cell for cell in self.cells if cell.path not in self.kept}
        return list(waiting.values())

    def _plan(self) -> dict[str, Any]:
        made = {path: kept.n_topics for path, kept in self.kept.items()}
        return {
            "title": self.spec.title,
            "measures": list(self.spec.measures),
            "workers": self.workers,
            "cells": [
                {
                    "corpus": cell.ground.corpus,
                    "preprocessing": cell.ground.preprocessing,
                    "family": cell.family,
                    "k": k,
                    "options": cell.setting,
                    "seed": seed,
                    "model": cell.path.name,
                }
                for cell, k, seed in numbered(self.cells, made)
            ],
            "scores": [[key, measure] for key, measure in self._keys()],
        }

    def _disk(self) -> dict[str, int]:
        """Bytes that are missing on disk, and those that are free."""
        waiting = self._waiting()
        scored = sum(1 + (cell.k or 20) for cell in self.cells) * len(self.spec.measures)
        need = sum(cell.size for cell in waiting) + 2 * ROW * scored + (1 << 20)
        return {"fits": len(waiting), "needed": need, "free": shutil.disk_usage(self.folder).free}

    def _check_disk(self) -> None:
        found = self._disk()
        need, free = found["needed"], found["free"]
        there = len({cell.path for cell in self.cells})
        self.note(
            f"{there} models ({found['fits']} to make), {len(self._keys())} scores of them; "
            f"about {in_bytes(need)} more on disk, {in_bytes(free)} are free"
        )
        if need > free:
            raise InputError(
                f"{self.folder}: the experiment needs about {in_bytes(need)} more on disk, but "
                f"{in_bytes(free)} are free: make room, name another folder, or take fewer models"
            )

    def _make(self) -> None:
        waiting = self._waiting()
        if not waiting:
            return
        total, there = len(waiting), len({cell.path for cell in self.cells})
        self.progress("fitting", there - total, there)
        made = run_all(make, [(cell,) for cell in waiting], self.workers, self.cluster)
        for done, (place, found) in enumerate(made, start=1):
            path = waiting[place].path
            if isinstance(found, Lost):
                found = store.Kept(path, 0.0, found.reason, final=False)
                store.record(found, family=waiting[place].family, seed=waiting[place].seed)
            if found.reason:
                self.note(f"{_named(waiting[place])} was not fitted: {found.reason}")
            self.kept[path] = found
            self.progress("fitting", there - total + done, there)

    def _groups(self, measure: str) -> list[tuple[Ground, tuple[Path, ...]]]:
        """Which models are scored together by a measure: each alone, or the runs of each setting."""
        fitted = [cell for cell in self.cells if not self._reason(cell)]
        if not _of_runs(measure):
            return [(cell.ground, (cell.path,)) for cell in fitted]
        runs: dict[tuple[Any, ...], list[Cell]] = {}
        for cell, k, _ in numbered(fitted, self._n_topics()):
            runs.setdefault(_setting(cell, k), []).append(cell)
        return [(members[0].ground, tuple(cell.path for cell in members)) for members in runs.values()]

    def _reason(self, cell: Cell) -> str:
        found = self.kept.get(cell.path)
        if found is None:
            return ""  # not made yet: it may well be
        reason = found.reason
        for folder in (self.spec.base, self.folder):  # where it was run is nobody's business
            reason = reason.replace(f"{folder}{os.sep}", "")
        return reason

    def _n_topics(self) -> dict[Path, int | None]:
        return {path: kept.n_topics for path, kept in self.kept.items()}

    def _keys(self) -> dict[tuple[str, str], tuple[Ground, tuple[Path, ...]]]:
        """Every score that can be made, as its key and measure."""
        found = {}
        for measure in self.spec.measures:
            for ground, paths in self._groups(measure):
                key = self.settings.key(measure, ground, [path.name for path in paths])
                found[key, measure] = (ground, paths)
        return found

    def _score(self) -> None:
        folder = self.folder / "scores"
        there, torn = kept_scores(folder)
        for path in torn:
            self.note(f"{path}: was not whole; its scores are made again")
            path.unlink()
        if self.retry_failed:
            there = there.filter(~there["failed"])
        known = set(there["key"])
        missing: dict[Ground, dict[tuple[Path, ...], list[str]]] = {}
        wanted = self._keys()
        for (key, measure), (ground, paths) in wanted.items():
            if key not in known:
                missing.setdefault(ground, {}).setdefault(paths, []).append(measure)
        asks = [ask for ground, of in missing.items() for ask in _asks(ground, of)]
        if not asks:
            return
        here = self.cluster is None and min(self.workers, len(asks)) == 1
        threads = self.workers // len(asks) or 1 if self.cluster is None else None if len(asks) == 1 else 1
        total = sum(len(ask.models) * len(ask.measures) for ask in asks)
        done = len(wanted) - total
        self.progress("scoring", done, len(wanted))
        tasks: list[tuple[Any, ...]] = []
        begin = done
        for ask in asks:
            told = Told(self.progress, begin, len(wanted), len(ask.measures)) if here else None
            tasks.append((ask, self.settings, threads, folder, told))
            begin += len(ask.models) * len(ask.measures)
        for place, failed in run_all(score, tasks, self.workers, self.cluster):
            if isinstance(failed, Lost):
                raise InputError(
                    f"{self.folder}: the process that scored {len(asks[place].models)} models of "
                    f"{asks[place].ground.name} was ended; memory may be short. What is done is kept: "
                    "run it again"
                )
            if failed:
                self.note(
                    f"{failed} scores of models of {asks[place].ground.name} failed; the table says why"
                )
            done += len(asks[place].models) * len(asks[place].measures)
            self.progress("scoring", done, len(wanted))

    def _gathered(self) -> Experiment:
        """Every score in one table, in the order of the spec."""
        import polars as pl

        self.progress("writing", 0, 0)
        write_whole(self.folder / PLAN, json.dumps(self._plan(), indent=1))  # now K of what was read is known
        placed = []
        common = ("corpus", "preprocessing", "family", "k", "options", "seed", "n_topics")
        lost = []
        for order, (cell, k, seed, measure, paths) in enumerate(self._wanted()):
            n_topics = self._n_topics().get(paths[0]) if not self._reason(cell) else None
            row = dict(
                zip(
                    common,
                    (
                        cell.ground.corpus,
                        cell.ground.preprocessing,
                        cell.family,
                        k,
                        cell.setting,
                        seed,
                        n_topics,
                    ),
                    strict=True,
                )
            )
            key = self.settings.key(measure, cell.ground, [path.name for path in paths])
            if reason := self._reason(cell):
                lost.append({**no_score(measure, f"not fitted: {reason}"), **row, "order": order, "row": 0})
            else:
                placed.append({**row, "key": key, "order": order})
        kinds = {name: COLUMNS[name] for name in common} | {"key": "String", "order": "Int64"}
        scores, _ = kept_scores(self.folder / "scores")
        numbers = scores.with_columns(row=pl.int_range(pl.len()).over("key"))
        found = frame_of(placed, kinds).join(numbers, on="key", how="inner")
        columns = [*COLUMNS, "order", "row"]
        none = frame_of(lost, COLUMNS | {"order": "Int64", "row": "Int64"})
        frame = pl.concat([found.select(columns), none.select(columns)]).sort("order", "row")
        return Experiment(self.folder, frame.select(list(COLUMNS)), self._manifest())

    def _wanted(self) -> Iterator[tuple[Cell, int | None, int | None, str, tuple[Path, ...]]]:
        """Every row of the whole table that should be: cell, K, seed, measure, and the models it is of."""
        cells = numbered(self.cells, self._n_topics())
        runs: dict[tuple[Any, ...], list[Cell]] = {}
        for cell, k, _ in cells:
            runs.setdefault(_setting(cell, k), []).append(cell)
        together = [measure for measure in self.spec.measures if _of_runs(measure)]
        for cell, k, seed in cells:
            for measure in self.spec.measures:
                if measure not in together:
                    yield cell, k, seed, measure, (cell.path,)
            members = runs[_setting(cell, k)]
            if together and cell is members[-1]:
                fitted = [one for one in members if not self._reason(one)] or members
                for measure in together:
                    yield fitted[0], k, None, measure, tuple(one.path for one in fitted)

    def _before(self) -> dict[str, Any] | None:
        """The manifest beside the spec, or of an earlier run."""
        for folder in (self.spec.path.parent, self.folder):
            try:
                found = json.loads((folder / MANIFEST).read_text("utf-8"))
                return {"folder": folder, **{name: found[name] for name in ("scores", "spec", "versions")}}
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return None

    def _compare(self, before: dict[str, Any] | None, scores: str, found: Experiment) -> None:
        """Say whether the scores are those that were there; if the spec is the same, they should be."""
        if before is None or before["spec"] != found.about["spec"]:
            return
        if before["scores"] == scores:
            self.note(f"the scores are those of {before['folder']}, byte for byte")
            return
        was, now = before["versions"], found.about["versions"]
        other = [
            f"{name} {was.get(name, 'absent')} -> {now[name]}" for name in now if was.get(name) != now[name]
        ]
        why = ", ".join(other) or "data, or failures, are other than they were"
        self.note(f"the scores are not those of {before['folder']}: {why}")

    def _manifest(self) -> dict[str, Any]:
        """What another needs to make it again, and to see whether it is the same; nothing of this machine."""
        spec = self.spec
        families = sorted({cell.trainer for cell in self.cells if cell.trainer})
        made = versions() | {name: v for family in families for name, v in versions(family).items()}
        text = BASE.sub("", spec.text, count=1).strip() + "\n"
        return {
            "title": spec.title,
            "command": f"tealeaves experiment run {SPEC}",
            "versions": dict(sorted(made.items())),
            "spec": hashlib.sha256(text.encode()).hexdigest(),
            "measures": list(spec.measures),
            "settings": {"seed": spec.seed, "ci": spec.ci, "resamples": spec.resamples},
            "corpora": [
                {
                    name: getattr(ground, name)
                    for name in (
                        *("corpus", "preprocessing", "fingerprint", "bag_fingerprint", "documents", "tokens"),
                        *("words", "held_out", "choices"),
                    )
                }
                for ground in self.grounds
            ],
            "models": [
                {
                    "corpus": cell.ground.corpus,
                    "preprocessing": cell.ground.preprocessing,
                    "family": cell.family,
                    "k": k,
                    "options": cell.setting,
                    "seed": seed,
                    "model": cell.path.name,
                    "failed": self._reason(cell),
                }
                for cell, k, seed in numbered(self.cells, self._n_topics())
            ],
        }


def _asks(ground: Ground, missing: dict[tuple[Path, ...], list[str]]) -> Iterator[Ask]:
    """Models that lack the same measures, as many together as memory may hold."""
    alike: dict[tuple[bool, tuple[str, ...]], list[tuple[Path, ...]]] = {}
    for paths, lacking in missing.items():
        for runs in (False, True):
            mine = tuple(measure for measure in lacking if _of_runs(measure) == runs)
            if mine:
                alike.setdefault((runs, mine), []).append(paths)
    for (runs, measures), models in alike.items():
        batch: list[tuple[Path, ...]] = []
        used = 0
        for paths in models:
            size = sum(one.stat().st_size for path in paths for one in path.iterdir())
            if batch and used + size > MEMORY:
                yield Ask(ground, measures, tuple(batch), runs)
                batch, used = [], 0
            batch.append(paths)
            used += size
        yield Ask(ground, measures, tuple(batch), runs)


def _setting(cell: Cell, k: int | None) -> tuple[Any, ...]:
    return (cell.ground.corpus, cell.ground.preprocessing, cell.family, k, cell.setting)


@cache
def _of_runs(measure: str) -> bool:
    return not RUNS.isdisjoint(parse(measure).measure.needs)


def _named(cell: Cell) -> str:
    name = cell.read.name if cell.read is not None else f"{cell.family} of {cell.k} topics, seed {cell.seed}"
    return f"{name} ({cell.setting})" if cell.setting else name


def in_bytes(n: int) -> str:
    """A size in words.

    Examples
    --------
    >>> in_bytes(900), in_bytes(34_500_000)
    ('900 bytes', '34 MB')
    """
    size = float(n)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
