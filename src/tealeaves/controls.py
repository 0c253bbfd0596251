"""Does a measure react as it should? A model over time beside its shuffled, repeated and intruded selves."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import InputError
from tealeaves.measures._table import Spec, parse_all
from tealeaves.stats import Estimate, bootstrap, correlate
from tealeaves.temporal import highest_level, intrude, repeat_topic, shuffle_topics

if TYPE_CHECKING:
    import polars

    from tealeaves.corpus import Corpus
    from tealeaves.index import Index
    from tealeaves.scores import Scores

Floats = NDArray[np.float64]
MEASURES = ("npmi@10", "diversity@10", "tq@10", "ttc@10", "tts@10", "ttq@10", "dtq@10")
ROWS = ("original", "shuffled", "repeated")
LEVELS = 10


@dataclass(frozen=True)
class Controls:
    """What controls gave.

    Attributes
    ----------
    table : polars.DataFrame
        A row for each of "original", "shuffled", "repeated" and each measure: ``value`` (the mean over
        draws), ``least`` and ``most`` of the draws, how many ``draws``, of how many of them the measure is
        ``defined``, the fewest ``topics`` that have a score in any (None where topics have none) and the
        ``reason`` where none has a value; and ``chance``: what shuffling gives on average, where that is
        known exactly.
    intrusion : polars.DataFrame
        A row for each measure, level and topic: ``value``, and ``change`` from the topic's own at level 0.
    reactions : polars.DataFrame
        For each measure, Spearman's correlation of level and change over all topics and levels, ``rho``
        with ``low`` and ``high``, and the mean over topics of each topic's own, ``rho_of_topics``, with its
        interval. A topic that no level moves counts as 0. How many ``topics`` have scores, of how many that
        were ``intruded`` upon, and how many of them ``react`` at all.
    about : dict
        Model, seed, what was drawn, and ``warnings`` that whoever reads the numbers should see.
    """

    table: "polars.DataFrame"
    intrusion: "polars.DataFrame"
    reactions: "polars.DataFrame"
    about: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: strict JSON once nan is None."""
        frames = {"table": self.table, "intrusion": self.intrusion, "reactions": self.reactions}
        return {"about": self.about, **{name: frame.to_dicts() for name, frame in frames.items()}}

    def save(self, path: str | Path) -> None:
        """Write the three tables as CSV, ``controls.json`` and the page ``controls.html`` to a folder."""
        from tealeaves.scores_export import plain

        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        self.table.write_csv(folder / "table.csv")
        self.intrusion.write_csv(folder / "intrusion.csv")
        self.reactions.write_csv(folder / "reactions.csv")
        text = json.dumps(plain(self.to_dict()), indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "controls.json").write_text(text + "\n", "utf-8")
        self.report(folder / "controls.html")

    def report(self, path: str | Path) -> None:
        """Write one self-contained HTML page: the table, scores by level of intrusion, how to read both."""
        from tealeaves.report.controls import write_controls

        write_controls(self, Path(path))


def controls(
    model: DynamicTopicModel,
    corpus: "Corpus | None" = None,
    reference: "Corpus | Index | None" = None,
    *,
    measures: "str | Spec | Sequence[str | Spec]" = MEASURES,
    draws: int = 5,
    levels: int = LEVELS,
    topics: int = 50,
    resamples: int = 2000,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Controls:
    """Score a model over time beside versions of it that are worse in a known way.

    Parameters
    ----------
    model : DynamicTopicModel
        The model.
    corpus, reference
        As for ``evaluate``.
    measures
        Specs. Those that score topics over time are put to intrusion, too.
    draws : int
        How often topics are shuffled within slices, and how many topics are repeated in place of all.
    levels : int
        Temporal word intrusion replaces 1, 2, … up to so many words of a topic in one slice, and no more
        than its lists have.
    topics : int
        Topics that are intruded upon; drawn at random where the model has more.
    resamples : int
        Resamples behind the intervals of correlations.
    seed : int
        Of every draw.
    workers : int, optional
        Threads that count.
    progress : callable, optional
        Called with what is done, how much of it is, and of how much.

    Raises
    ------
    InputError
        If the model has no topics over time, or a number is too small.

    Examples
    --------
    >>> from tealeaves import Corpus
    >>> subjects = ["oil gas well rig".split(), "tax law court fine".split(), "cup goal team win".split()]
    >>> model = DynamicTopicModel.from_words([subjects] * 4)
    >>> found = controls(model, Corpus.from_tokens(subjects * 3), measures=["tts@4", "tq@4"], levels=3)
    >>> found.table.filter(found.table["measure"] == "tts@4")["value"].round(2).to_list()
    [1.0, 0.2, 1.0]
    >>> found.reactions["rho_of_topics"].round(2).to_list()
    [-1.0]
    """
    from tealeaves.evaluate import evaluate

    if not isinstance(model, DynamicTopicModel):
        raise InputError(f"controls need topics over time; {getattr(model, 'name', model)!r} has none")
    for name, number in {"draws": draws, "levels": levels, "topics": topics}.items():
        if not isinstance(number, int | np.integer) or number < 1:
            raise InputError(f"{name} must be a whole number of at least 1; got {number!r}")
    specs = parse_all(measures)
    rng = np.random.default_rng(seed)
    there = np.flatnonzero(model.present.any(0))
    repeated = rng.permutation(there)[:draws].tolist()
    models: dict[str, Any] = {
        "original": model,
        "shuffled": [shuffle_topics(model, seed + i) for i in range(draws)],
        "repeated": [repeat_topic(model, topic) for topic in repeated],
    }
    options: dict[str, Any] = {"ci": None, "seed": seed, "workers": workers, "chance": 0}
    options["progress"] = progress
    scores = evaluate(models, corpus, reference, measures=specs, **options)
    over_time = [spec for spec in specs if _scores_topics(spec)]
    top = max((spec.top or 0 for spec in over_time), default=0)
    chosen = np.sort(rng.permutation(there)[:topics])
    intruded: dict[str, Any] = {}
    warnings = [
        f"{model.name}{text.removeprefix('original')}"
        for text in scores.details.warnings
        if text.startswith("original: ")
    ]
    if over_time and len(there) > 1:
        highest = highest_level(model, chosen.tolist(), top)
        if highest < min(levels, top):
            upto = f"up to {highest} words intrude" if highest else "no words intrude"
            warnings.append(
                f"{model.name}: {upto}, not {min(levels, top)}: a topic has no more of them in a slice, or "
                "others have no more that are not its own"
            )
        levels = min(levels, highest)
    if over_time and len(there) > 1 and levels:
        intruded = {
            f"level {level}": intrude(model, level, seed, topics=chosen.tolist(), top=top)
            for level in range(levels + 1)
        }
    of_levels = evaluate(intruded, corpus, reference, measures=over_time, **options) if intruded else None
    intrusion = _intrusion(of_levels, over_time, chosen, levels)
    return Controls(
        _table(scores, specs),
        intrusion,
        _reactions(intrusion, over_time, resamples, seed),
        {
            "model": model.name,
            "topics": model.n_topics,
            "slices": model.n_slices,
            "seed": seed,
            "shuffled": list(range(seed, seed + draws)),
            "repeated": repeated,
            "intruded": chosen.tolist() if intruded else [],
            "levels": levels if intruded else 0,
            "warnings": warnings,
        },
    )


def _scores_topics(spec: Spec) -> bool:
    return "slice_words" in spec.measure.needs and "topic" in spec.measure.axes


def _table(scores: "Scores", specs: Sequence[Spec]) -> "polars.DataFrame":
    import polars

    from tealeaves.scores_export import topics_defined

    rows, defined = [], topics_defined(scores)
    for kind in ROWS:
        names = [name for name in scores.models if name.partition("#")[0] == kind]
        for spec in specs:
            values = np.array([scores.value(spec, model=name) for name in names])
            known = values[~np.isnan(values)]
            beside = scores.details.companions.get("original", {}).get(str(spec), {})
            rows.append(
                {
                    "model": kind,
                    "measure": str(spec),
                    "value": float(np.sort(known).mean()) if len(known) else float("nan"),
                    "least": float(known.min(initial=np.inf)) if len(known) else float("nan"),
                    "most": float(known.max(initial=-np.inf)) if len(known) else float("nan"),
                    "draws": len(names),
                    "defined": len(known),
                    "topics": min(
                        (defined[key][0] for name in names if (key := (name, "", str(spec))) in defined),
                        default=None,
                    ),
                    "reason": "" if len(known) else _reason(scores, spec, names[0]),
                    "chance": beside.get("chance") if kind == "shuffled" else None,
                }
            )
    kinds = {"chance": polars.Float64, "topics": polars.Int64}
    return polars.DataFrame(rows, schema_overrides=kinds)


def _reason(scores: "Scores", spec: Spec, name: str) -> str:
    """Why a model has no score."""
    frame = scores.frame
    mine = frame.filter((frame["model"] == name) & (frame["measure"] == str(spec)))
    found = mine.filter((mine["level"] == "model") & mine["slice"].is_null())["reason"].to_list()
    return str(found[0]) if found and found[0] else "undefined"


def _intrusion(
    scores: "Scores | None", specs: Sequence[Spec], topics: NDArray[np.intp], levels: int
) -> "polars.DataFrame":
    import polars

    columns: dict[str, list[Any]] = {name: [] for name in ("measure", "level", "topic", "value", "change")}
    for spec in specs if scores is not None else ():
        before = scores.topics(spec, model="level 0")[topics]  # type: ignore[union-attr]
        for level in range(levels + 1):
            after = scores.topics(spec, model=f"level {level}")[topics]  # type: ignore[union-attr]
            columns["measure"] += [str(spec)] * len(topics)
            columns["level"] += [level] * len(topics)
            columns["topic"] += topics.tolist()
            columns["value"] += after.tolist()
            columns["change"] += (after - before).tolist()
    kinds = (polars.String, polars.Int64, polars.Int64, polars.Float64, polars.Float64)
    return polars.DataFrame(columns, schema=dict(zip(columns, kinds, strict=True)))


def _reactions(
    intrusion: "polars.DataFrame", specs: Sequence[Spec], resamples: int, seed: int
) -> "polars.DataFrame":
    import polars

    rows: list[Mapping[str, Any]] = []
    for spec in specs if len(intrusion) else ():
        of_spec = intrusion.filter(intrusion["measure"] == str(spec))
        level, topic, change = (of_spec[c].to_numpy() for c in ("level", "topic", "change"))
        known = np.isfinite(change) & np.isfinite(level)
        pooled = correlate(level[known], change[known], resamples=resamples, seed=seed)
        if known.any() and np.isnan(pooled.value):
            pooled = Estimate(0.0, 0.0, 0.0)  # nothing moves it
        single = [
            correlate(level[mine], change[mine], resamples=1).value
            for k in np.unique(topic)
            if (mine := known & (topic == k)).sum() > 1
        ]
        each = np.nan_to_num(np.array(single))  # undefined: the score is the same at every level
        mean = bootstrap(each, np.mean, resamples, seed) if len(each) else Estimate(np.nan, np.nan, np.nan)
        rows.append(
            {
                "measure": str(spec),
                "rho": pooled.value,
                "low": pooled.low,
                "high": pooled.high,
                "rho_of_topics": mean.value,
                "low_of_topics": mean.low,
                "high_of_topics": mean.high,
                "topics": len(each),
                "intruded": len(np.unique(topic)),
                "react": int((each != 0).sum()),
            }
        )
    names = ("rho", "low", "high", "rho_of_topics", "low_of_topics", "high_of_topics")
    counts = ("topics", "intruded", "react")
    kinds = {
        "measure": polars.String,
        **dict.fromkeys(names, polars.Float64),
        **dict.fromkeys(counts, polars.Int64),
    }
    return polars.DataFrame(rows, schema=kinds)
