"""Choosing K, or any other setting: fit each several times, measure all, and say how sure the answer is."""

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.distributed import check_cluster
from tealeaves.errors import InputError, MissingInput
from tealeaves.folders import write_json
from tealeaves.runs import base_name
from tealeaves.sweep.cells import CUTS, Cell, Fitted, Setting, cut, fit_all, settings_of

if TYPE_CHECKING:
    import altair
    import polars

    from tealeaves.corpus import Corpus
    from tealeaves.measures._table import Spec
    from tealeaves.model import TopicModel
    from tealeaves.plots.figure import Figure
    from tealeaves.reference_topics import ReferenceTopics

Progress = Callable[[str, int, int], None]
MEASURES = ("npmi@10", "c_v@10", "topic_diversity@10", "sig_vac", "sig_back", "ldatuning")
STABILITY = "instance_stabil"  # of the runs of a setting: a row of all seeds, not of each
SECONDS = "seconds"
COLUMNS = {
    "family": "String",
    "k": "Int64",
    "setting": "String",
    "seed": "Int64",
    "measure": "String",
    "value": "Float64",
    "n_topics": "Int64",
    "reason": "String",
    "signature": "String",
}


@dataclass(frozen=True, eq=False)
class Sweep:
    """The scores of every run of every setting, and what they say.

    Attributes
    ----------
    frame : polars.DataFrame
        A row for each run and measure: ``family``, ``k``, ``setting`` (other parameters, as text), ``seed``
        (null where a score is of all runs together), ``measure``, ``value`` (nan where undefined),
        ``n_topics`` (that the model has), ``reason``, ``signature``.
    about : dict
        What was swept: ``documents``, ``held_out``, ``fingerprint``, ``seeds``, ``version``, ``notes``, …
    """

    frame: "polars.DataFrame"
    about: dict[str, Any] = field(default_factory=dict)

    def table(self) -> "polars.DataFrame":
        """Mean, spread and interval over runs of each measure at each setting, in the order of K.

        ``low`` and ``high`` are the 95% t interval of the mean over ``runs``; null with one run.
        """
        from tealeaves.sweep.words import table

        return table(self.frame)

    def peaks(self) -> "polars.DataFrame":
        """Where each measure is best along K, a row for each curve and measure.

        ``near`` are the K that cannot be told from it over the runs (exact permutation, Holm's correction),
        ``smallest_p`` the least p that so many runs can give, ``chosen`` the K that single runs would have
        chosen, ``at_end`` whether it is the smallest or largest K that was tried.
        """
        from tealeaves.sweep.words import peaks

        return peaks(self.frame)

    def advice(self) -> list[str]:
        """Where each measure peaks, what is beyond noise, where measures disagree and why, in sentences."""
        from tealeaves.sweep.words import advice

        return advice(self.frame)

    def chart(self, measures: Sequence[str] | None = None) -> "altair.VConcatChart":
        """Every measure against K, a small panel each, as an Altair chart; ``.save("k.svg")`` for a paper."""
        from tealeaves.plots import sweep_chart

        return sweep_chart(self.frame, self.table(), measures)

    def plot(self, measures: Sequence[str] | None = None) -> "Figure":
        """`chart` as a `Figure`: ``.save("k.pdf", width=84, grey=True)`` writes it for a paper."""
        from tealeaves.plots import sweep_chart
        from tealeaves.plots.figure import Figure

        return Figure(lambda columns: sweep_chart(self.frame, self.table(), measures, columns))

    def to_markdown(self) -> str:
        """The table, a row for each setting and a column for each measure: mean ± standard deviation."""
        from tealeaves.sweep.words import markdown

        return markdown(self.table())

    def report(self, path: str | Path) -> None:
        """Write one self-contained HTML page: the answer, the curves, the table, and how to repeat it."""
        from tealeaves.report import write_page
        from tealeaves.sweep.page import render

        write_page(Path(path), render(self))

    def save(self, path: str | Path) -> None:
        """Write ``sweep.csv`` and ``sweep.json`` to a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        self.frame.write_csv(folder / "sweep.csv")
        write_json(folder / "sweep.json", self.about)


def sweep(
    corpus: "Corpus",
    models: "Sequence[str] | Sequence[TopicModel] | Mapping[str, Any]" = ("lda",),
    k: Sequence[int] = (5, 10, 20, 40, 80),
    seeds: int | Sequence[int] = 5,
    *,
    holdout: float = 0.2,
    held_out: "Corpus | None" = None,
    reference_topics: "ReferenceTopics | None" = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    measures: "str | Spec | Sequence[str | Spec] | None" = None,
    out: str | Path | None = None,
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Fit models over a range of K and of other parameters, several times each, and measure all of them.

    Parameters
    ----------
    corpus : Corpus
        What to fit to. A share of its documents is kept back for held-out measures.
    models : sequence of str, of TopicModel, or a mapping
        Families, such as ``["lda", "nmf"]`` (`tealeaves.fit` lists them). Or models that are fitted already,
        as `tealeaves.evaluate` takes them: then nothing is fitted and ``corpus`` is their training corpus.
    k : sequence of int
        Numbers of topics.
    seeds : int or sequence of int
        How many runs of each setting, or their seeds. The difference of two K out of five can be told from
        five runs on: the page says what p so many can give at best.
    holdout : float
        Share of the documents kept back; 0 for none, and no held-out measures.
    held_out : Corpus, optional
        Documents to score instead of a share of the corpus.
    reference_topics : ReferenceTopics, optional
        Topics that are looked for: their coverage (``au_cdc``) is measured, too.
    grid : mapping of str to sequence, optional
        Other parameters and their values, each with each: those of the trainers, and ``min_df`` and
        ``max_df`` of the corpus. A family without such a parameter is fitted without it.
    measures : str or sequence of str, optional
        What to measure; by default held-out perplexity, coherence, diversity, significance, what R's
        ldatuning draws, and agreement with labels where the corpus has them. Stability over the runs is
        always added.
    out : path, optional
        A folder that keeps every fit and score: a sweep that was stopped goes on from there, and one with
        more settings makes only those.
    seed : int
        Of the split.
    workers : int, optional
        Processes that fit; all cores if not said.
    cluster : str, optional
        Fit on Dask instead: "local:N" for N processes here, or the address of a scheduler, "tcp://host:port",
        whose workers must see the folder ``out``. What is fitted is measured here.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    Sweep
        ``frame``, ``table()``, ``advice()``, ``chart()``, ``report(path)``.

    Raises
    ------
    InputError
        If a family or parameter does not exist, or K, seeds or the share are no such thing.

    Examples
    --------
    >>> from tealeaves.corpus import Corpus
    >>> corpus = Corpus.from_tokens([["oil", "gas"], ["law", "tax"]] * 10)
    >>> found = sweep(corpus, ["nmf"], k=[2], seeds=1, measures=["npmi@2"], workers=1)
    >>> found.frame.filter(found.frame["measure"] == "npmi@2")["value"].to_list()
    [1.0]
    """
    if cluster is not None:
        check_cluster(cluster)
        if out is None and not cluster.startswith("local:"):
            raise InputError(
                "models fitted on other machines come by a folder that all of them see: name it by out="
            )
    families = _families(models)
    grid = dict(grid or {})
    train, test = (corpus, held_out) if held_out is not None else split(corpus, holdout, seed, families)
    if families is not None:
        train = cut(train, min_df=1)  # a word that no model can learn is unknown, not impossible
    specs = _specs(measures, train, test, reference_topics)
    on = Ground(train, test, reference_topics, specs, seed, workers)
    if families is None:
        return _of_fitted(models, on, progress)
    run_seeds = _seeds(seeds)
    settings = settings_of(families, _numbers_of_topics(k), grid)
    cells = [Cell(setting, one) for setting in settings for one in run_seeds]
    rows: list[dict[str, Any]] = []
    with _folder(out) as folder:
        fitted = _by_setting(fit_all(cells, train, folder, workers, progress, cluster), len(run_seeds))
        for done, (setting, runs) in enumerate(fitted, start=1):
            rows += _scores(setting, runs, on, folder)
            if progress:
                progress("measuring", done, len(settings))
    order = {setting: i for i, setting in enumerate(settings)}
    place = {(s.family, s.k, s.text): i for s, i in order.items()}
    rows.sort(key=lambda row: place[row["family"], row["k"], row["setting"]])
    about = on.about() | {"seeds": run_seeds, "grid": grid, "fitted_here": True}
    found = Sweep(_frame(rows), about)
    if out is not None:
        found.save(out)
    return found


def split(
    corpus: "Corpus", holdout: float, seed: int, families: Sequence[str] | None = ()
) -> "tuple[Corpus, Corpus | None]":
    """The documents to fit to, and those kept back, drawn at random."""
    if families is None or holdout == 0:
        return corpus, None
    if isinstance(holdout, bool) or not isinstance(holdout, int | float) or not 0 < holdout < 1:
        raise InputError(
            f"holdout must be a share of the documents from 0 to 1, such as 0.2; got {holdout!r}"
        )
    n = round(holdout * len(corpus))
    if not 0 < n < len(corpus):
        raise InputError(
            f"holdout={holdout}: of {len(corpus)} documents that leaves {len(corpus) - n} to fit to and {n} "
            "to score; hand over more documents, or holdout=0"
        )
    order = np.random.default_rng(seed).permutation(len(corpus))
    return corpus.select(np.sort(order[n:])), corpus.select(np.sort(order[:n]))


def _families(models: Any) -> list[str] | None:
    """The families asked for; None where fitted models were handed over."""
    if isinstance(models, str):
        models = [models]
    if isinstance(models, Mapping):
        return None
    given = list(models) if isinstance(models, Sequence) else [models]
    if not given:
        raise InputError("models must name at least one family, such as 'lda'")
    if all(isinstance(one, str) for one in given):
        return list(dict.fromkeys(given))
    return None


def _numbers_of_topics(k: Any) -> list[int]:
    given = [k] if isinstance(k, int) else list(k)
    for one in given:
        if isinstance(one, bool) or not isinstance(one, int | np.integer) or one < 1:
            raise InputError(f"k must be numbers of topics, 1 or more; got {one!r}")
    if not given:
        raise InputError("k must hold at least one number of topics, such as [5, 10, 20]")
    return sorted({int(one) for one in given})


def _seeds(seeds: Any) -> list[int]:
    given = list(range(seeds)) if isinstance(seeds, int) and not isinstance(seeds, bool) else seeds
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise InputError(f"seeds must be a number of runs, 1 or more, or a list of seeds; got {seeds!r}")
    for one in given:
        if isinstance(one, bool) or not isinstance(one, int) or one < 0:
            raise InputError(f"a seed must be a whole number of at least 0; got {one!r}")
    return list(dict.fromkeys(given))


def _specs(
    measures: Any, train: "Corpus", test: "Corpus | None", reference: "ReferenceTopics | None"
) -> "tuple[Spec, ...]":
    from tealeaves.measures._table import parse_all

    if measures is not None:
        return parse_all(measures)
    asked = [*(["perplexity"] if test is not None else []), *MEASURES]
    asked += ["labels"] if train.labels is not None else []
    asked += ["au_cdc"] if reference is not None else []
    specs = parse_all(asked)
    return specs if train.ordered else tuple(s for s in specs if s.settings.get("window") is None)


@contextmanager
def _folder(out: str | Path | None) -> Iterator[Path]:
    if out is None:
        with tempfile.TemporaryDirectory() as scratch:
            (Path(scratch) / "models").mkdir()
            yield Path(scratch)
        return
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: name a folder for the sweep")
    for name in ("models", "scores"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    yield folder


def _by_setting(fitted: Iterator[Fitted], runs: int) -> Iterator[tuple[Setting, list[Fitted]]]:
    """The runs of each setting, as soon as its last one is fitted, in the order of their seeds."""
    waiting: dict[Setting, list[Fitted]] = {}
    for one in fitted:
        group = waiting.setdefault(one.cell.setting, [])
        group.append(one)
        if len(group) == runs:
            yield one.cell.setting, sorted(group, key=lambda f: f.cell.seed)


@dataclass(frozen=True)
class Ground:
    """What every setting is measured on, and by what."""

    train: "Corpus"
    test: "Corpus | None"
    reference_topics: "ReferenceTopics | None"
    specs: "tuple[Spec, ...]"
    seed: int
    workers: int | None

    @cached_property
    def digest(self) -> str:
        """Of everything that scores depend on beside the models: labels and slices are in no fingerprint."""
        parts: list[Any] = [[str(spec) for spec in self.specs], self.seed]
        for corpus in (self.train, self.test):
            if corpus is not None:
                slices = None if corpus.slice_of is None else corpus.slice_of.tolist()
                labels = None if corpus.labels is None else tuple(corpus.labels)
                parts.append([corpus.fingerprint, labels, slices, corpus.slice_labels])
        parts.append(self.reference_topics.fingerprint if self.reference_topics is not None else "")
        return hashlib.blake2b(json.dumps(parts).encode(), digest_size=10).hexdigest()

    def about(self) -> dict[str, Any]:
        """What the page says of it."""
        from tealeaves import __version__

        return {
            "documents": len(self.train),
            "tokens": self.train.n_tokens,
            "words": len(self.train.vocabulary),
            "held_out": len(self.test) if self.test is not None else 0,
            "fingerprint": self.train.fingerprint,
            "preprocess": self.train.preprocess,
            "measures": [str(spec) for spec in self.specs],
            "seed": self.seed,
            "version": __version__,
        }


def _scores(setting: Setting, runs: Sequence[Fitted], on: Ground, folder: Path) -> list[dict[str, Any]]:
    """The rows of one setting; kept on disk, so that what was measured is not measured again."""
    key = [sorted(one.path.name for one in runs), [one.reason for one in runs], on.digest]
    name = hashlib.blake2b(json.dumps(key).encode(), digest_size=10).hexdigest()
    kept = folder / "scores" / f"{name}.json"
    try:
        found = json.loads(kept.read_text("utf-8"))
        return [{**row, "value": np.nan if row["value"] is None else float(row["value"])} for row in found]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    rows = _measured(setting, runs, on)
    kept.parent.mkdir(parents=True, exist_ok=True)
    scratch = kept.with_suffix(".new")
    write_json(scratch, [{**row, "value": _plain(row["value"])} for row in rows])
    scratch.replace(kept)
    return rows


def _plain(value: float) -> float | str | None:
    return None if np.isnan(value) else str(value) if np.isinf(value) else value


def _measured(setting: Setting, runs: Sequence[Fitted], on: Ground) -> list[dict[str, Any]]:
    common = {"family": setting.family, "k": setting.k, "setting": setting.text}
    rows = []
    models = {}
    for one in runs:
        row = {**common, "seed": one.cell.seed, "n_topics": None, "signature": "", "reason": one.reason}
        rows.append({**row, "measure": SECONDS, "value": one.seconds if not one.reason else np.nan})
        if one.reason:
            rows += [{**row, "measure": str(spec), "value": np.nan} for spec in on.specs]
        else:
            models[one.cell.seed] = one.load()
    if models:
        cuts = {name: value for name, value in setting.params if name in CUTS}
        rows += _rows(common, models, replace(on, train=cut(on.train, **cuts)))
    return rows


def _rows(common: Mapping[str, Any], models: "Mapping[int, TopicModel]", on: Ground) -> list[dict[str, Any]]:
    """The scores of the runs of one setting, by seed, and how alike the runs are."""
    from tealeaves.evaluate import evaluate
    from tealeaves.measures._table import parse

    names = {f"run-{one}": one for one in models}
    by_name = {name: models[one] for name, one in names.items()}
    # one model that lacks what one measure needs is an error; beside another measure it is an empty cell
    asked = [*on.specs, parse("topic_diversity@10")] if len(on.specs) == 1 else list(on.specs)
    scores = evaluate(
        by_name,
        on.train,
        held_out=on.test,
        reference_topics=on.reference_topics,
        measures=asked,
        ci=None,
        seed=on.seed,
        workers=on.workers,
    )
    wanted = {str(spec) for spec in on.specs}
    frame = scores.frame.filter((scores.frame["level"] == "model") & scores.frame["measure"].is_in(wanted))
    rows = [
        {
            **common,
            "seed": names[row["model"]],
            "measure": row["measure"],
            "value": row["value"],
            "n_topics": by_name[row["model"]].n_topics,
            "reason": str(row["reason"]).replace(f"model {row['model']!r}", "the model"),
            "signature": row["signature"],
        }
        for row in frame.iter_rows(named=True)
    ]
    return [*rows, _stability_row(common, list(models.values()))]


def _stability_row(common: Mapping[str, Any], runs: "Sequence[TopicModel]") -> dict[str, Any]:
    from tealeaves.stability import stability

    row = {**common, "seed": None, "measure": STABILITY, "n_topics": runs[0].n_topics}
    try:
        frame = stability(runs, measures=[STABILITY], ci=None).frame
    except MissingInput as error:
        return {**row, "value": np.nan, "reason": str(error), "signature": STABILITY}
    found = frame.row(0, named=True)
    return {**row, "value": found["value"], "reason": found["reason"], "signature": found["signature"]}


RUN = re.compile(r"[-_ .]*(?:seed|run|rep|fold)[-_ .]*\d+$|#\d+$", re.IGNORECASE)
NUMBER = re.compile(r"[-_ .]*k?[-_ .]*\d+$", re.IGNORECASE)


def family_of(name: str) -> str:
    """What a fitted model's name says of its family: all but its run and its number of topics.

    Examples
    --------
    >>> [family_of(name) for name in ("lda-20", "lda-20-seed3", "runs/nmf_k10#2", "40")]
    ['lda', 'lda', 'nmf', 'model']
    """
    last = re.split(r"[/\\]", base_name(name))[-1]
    return NUMBER.sub("", RUN.sub("", last)) or "model"


def _of_fitted(models: Any, on: Ground, progress: Progress | None) -> Sweep:
    """A sweep over models that are fitted already: a family is a name without its K, runs have the same K."""
    from tealeaves.evaluate import name_models

    groups: dict[tuple[str, int], dict[int, TopicModel]] = {}
    for name, model in name_models(models).items():
        group = groups.setdefault((family_of(name), model.n_topics), {})
        group[len(group)] = model
    rows: list[dict[str, Any]] = []
    ordered = sorted(groups.items())
    for done, ((family, k), runs) in enumerate(ordered, start=1):
        rows += _rows({"family": family, "k": k, "setting": ""}, runs, on)
        if progress:
            progress("measuring", done, len(ordered))
    return Sweep(_frame(rows), on.about() | {"fitted_here": False})


def _frame(rows: Sequence[Mapping[str, Any]]) -> "polars.DataFrame":
    import polars

    kinds = {name: getattr(polars, kind) for name, kind in COLUMNS.items()}
    if not rows:
        raise MissingInput("there is nothing to sweep over: no model and no setting")
    return polars.DataFrame({name: [row[name] for row in rows] for name in COLUMNS}, schema=kinds)
