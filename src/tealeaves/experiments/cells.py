"""The two kinds of work of an experiment, each in its own process: making a model, and scoring models."""

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import TealeavesError
from tealeaves.experiments.experiment import SAID, VALUES
from tealeaves.experiments.grid import Cell, versions
from tealeaves.experiments.grounds import Ground
from tealeaves.sweep import store

if TYPE_CHECKING:
    import polars

RUNS = {"runs", "runs_documents", "runs_matches"}  # needs of measures of several runs together
INTERVALS = "intervals of m"
LEVELS = ("model", "topic", "slice", "window")  # single documents are left to `evaluate`
# Of the store: the key of the score's cell, whether it failed, and the columns of scores.
COLUMNS = {
    "key": "String",
    "failed": "Boolean",
    **VALUES,
    **SAID,
}


def make(cell: Cell) -> store.Kept:
    """Fit or read the model of a cell and keep it, or the reason why there is none."""
    return store.keep(cell.path, lambda: _model(cell), family=cell.family, seed=cell.seed)


def _model(cell: Cell) -> Any:
    options = dict(cell.options)
    if cell.read is not None:
        from tealeaves.model import read_model

        return read_model(cell.read, **options)
    from tealeaves.corpus import load_corpus
    from tealeaves.fit import fit

    corpus = load_corpus(cell.ground.folder / "train", verify=False)
    model = fit(cell.trainer, corpus, k=cell.k or 0, seed=cell.seed or 0, **options)
    return replace(model, corpus=None)  # the corpus is kept once, not with every model


@dataclass(frozen=True)
class Settings:
    """How scores are made."""

    ci: float | None
    resamples: int
    seed: int

    def key(self, measure: str, ground: Ground, models: Sequence[str]) -> str:
        """What a score is kept under: everything that can change it."""
        how = [self.ci, self.resamples, self.seed] if self.ci is not None else [None, 0, self.seed]
        return store.digest("score", measure, ground.judged, list(models), how, versions())


@dataclass(frozen=True)
class Ask:
    """Models to be scored together on one ground: by each measure under its own key.

    Of single models ``models`` has one path a key; of runs judged together, several.
    """

    ground: Ground
    measures: tuple[str, ...]
    models: tuple[tuple[Path, ...], ...]
    runs: bool = False


@dataclass(frozen=True)
class Told:
    """What `evaluate` says of its progress, as that of the experiment: it names models m0, m1, …"""

    progress: Callable[[str, int, int], None]
    before: int
    total: int
    measures: int

    def __call__(self, what: str, done: int, total: int) -> None:
        """Hand it on."""
        if what.startswith(INTERVALS):
            model = int(what.removeprefix(INTERVALS))
            self.progress("scoring", self.before + model * self.measures, self.total)
        else:
            self.progress(what, done, total)


def score(ask: Ask, settings: Settings, threads: int | None, folder: Path, told: Told | None = None) -> int:
    """Score models, keep the scores in a file of ``folder``, and say how many failed."""
    rows = _runs(ask, settings) if ask.runs else _single(ask, settings, threads, told)
    keep_scores(rows, folder)
    return len({row["key"] for row in rows if row["failed"]})


def _single(ask: Ask, settings: Settings, threads: int | None, told: Told | None) -> list[dict[str, Any]]:
    """Scores of each model; one counting pass for all of them."""
    from tealeaves.model import load_model

    names = {f"m{place}": paths[0] for place, paths in enumerate(ask.models)}
    models = {name: load_model(path) for name, path in names.items()}
    given = ask.ground.load()
    keys = {
        (name, measure): settings.key(measure, ask.ground, [path.name])
        for name, path in names.items()
        for measure in ask.measures
    }
    given |= {"workers": threads, "progress": told}
    return _evaluated(models, ask.measures, given, settings, keys)


def _evaluated(
    models: Mapping[str, Any],
    measures: Sequence[str],
    given: Mapping[str, Any],
    settings: Settings,
    keys: Mapping[tuple[str, str], str],
) -> list[dict[str, Any]]:
    from tealeaves.evaluate import evaluate

    # one model that lacks what one measure needs is an error; beside another measure it is an empty cell
    asked = [*measures, "topic_diversity@10"] if len(measures) == 1 else list(measures)
    how: dict[str, Any] = {"ci": settings.ci, "resamples": settings.resamples, "seed": settings.seed}
    try:
        with store.one_thread():
            frame = evaluate(dict(models), measures=asked, **given, **how, chance=0).frame
    except Exception as error:
        if isinstance(error, OSError) and error.errno in store.FULL:
            raise
        if len(measures) > 1:  # whose fault is it? the others are not to suffer
            apart = [_evaluated(models, [one], given, settings, keys) for one in measures]
            return [row for rows in apart for row in rows]
        if len(models) > 1:
            alone = [
                _evaluated({name: model}, measures, given, settings, keys) for name, model in models.items()
            ]
            return [row for rows in alone for row in rows]
        (name,) = models
        return [_failed(keys[name, measures[0]], measures[0], error)]
    kept = frame.filter(frame["level"].is_in(LEVELS) & frame["measure"].is_in(list(measures)))
    return [
        {
            **{column: row.get(column) for column in COLUMNS},
            "key": keys[row["model"], row["measure"]],
            "failed": False,
            "reason": str(row["reason"]).replace(f"model {row['model']!r}", "the model"),
        }
        for row in kept.iter_rows(named=True)
    ]


def _runs(ask: Ask, settings: Settings) -> list[dict[str, Any]]:
    """Scores of the runs of each setting together."""
    from tealeaves.model import load_model
    from tealeaves.stability import stability

    given = ask.ground.load()
    extra = {name: given[name] for name in ("reference_topics", "matcher") if name in given}
    found = []
    for paths in ask.models:
        models: Any = [load_model(path) for path in paths]
        for measure in ask.measures:
            key = settings.key(measure, ask.ground, [path.name for path in paths])
            how: dict[str, Any] = {
                "ci": settings.ci,
                "resamples": settings.resamples,
                "seed": settings.seed,
            }
            try:
                frame = stability({"model": models}, measures=[measure], **extra, **how).frame
            except Exception as error:
                found.append(_failed(key, measure, error))
                continue
            row = frame.filter((frame["level"] == "model") & (frame["measure"] == measure)).row(0, named=True)
            found.append({**{column: row.get(column) for column in COLUMNS}, "key": key, "failed": False})
    return found


def _failed(key: str, measure: str, error: Exception) -> dict[str, Any]:
    reason = str(error) if isinstance(error, TealeavesError) else f"{type(error).__name__}: {error}"
    return no_score(measure, reason.rstrip(": ")) | {"key": key, "failed": True}


def no_score(measure: str, reason: str) -> dict[str, Any]:
    """The row of a score that there is none of."""
    nothing = {"value": np.nan, "low": np.nan, "high": np.nan, "n_terms": 0, "group": "", "signature": ""}
    columns = dict.fromkeys(COLUMNS, None)
    return columns | nothing | {"measure": measure, "level": "model", "reason": reason, "failed": False}


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> "polars.DataFrame":
    """Rows as a table with columns of these types."""
    import polars

    given = list(rows)
    kinds = {name: getattr(polars, kind) for name, kind in columns.items()}
    return polars.DataFrame({name: [row[name] for row in given] for name in columns}, schema=kinds)


def keep_scores(rows: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Write scores to a file that is called after its content, whole or not at all."""
    content = io.BytesIO()
    frame_of(rows, COLUMNS).write_parquet(content)
    name = hashlib.sha256(content.getvalue()).hexdigest()[:32]
    part = folder / f"{name}.part"
    part.write_bytes(content.getvalue())
    part.replace(folder / f"{name}.parquet")


def kept_scores(folder: Path) -> "tuple[polars.DataFrame, list[Path]]":
    """All scores that are kept, those of each key from one file, and the files that are not whole.

    Where a score failed and was made again, the later one counts.
    """
    import polars

    parts, torn = [], []
    for number, path in enumerate(sorted(folder.glob("*.parquet"))):
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest()[:32] != path.stem:
            torn.append(path)
            continue
        part = polars.read_parquet(io.BytesIO(content))
        parts.append(part.with_columns(file=polars.lit(number), row=polars.int_range(part.height)))
    if not parts:
        return frame_of([], COLUMNS), torn
    whole = polars.concat(parts)
    first = whole.group_by("key", "file").agg(polars.col("failed").any()).sort("key", "failed", "file")
    chosen = first.unique("key", keep="first", maintain_order=True).select("key", "file")
    found = whole.join(chosen, on=["key", "file"], how="semi").sort("key", "row")
    return found.select(list(COLUMNS)), torn
