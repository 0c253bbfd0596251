"""What stands behind scores of coverage: curves, categories, what is missing, and how topics match."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.coverage import ALL, Coverage, coverage
from tealeaves.errors import MissingInput
from tealeaves.intervals import percentiles
from tealeaves.needs_coverage import COVERAGE_NEEDS, lost_words, refuse_negative, shared_weight
from tealeaves.stats.correlation import correlate

if TYPE_CHECKING:
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics
    from tealeaves.run import Run

LOW_WEIGHT = 0.9  # with less of the reference topics' weight on its words, a model is warned of
LARGEST = 40  # reference topics, and topics of a model, that a matrix of both is kept for
FEWEST_MODELS = 4  # that a correlation over models is told for
DECIMALS = 6


def of_coverage(run: "Run") -> tuple[dict[str, Any], list[str]]:
    """What the details say of coverage, and what to warn of; nothing where it was not asked for."""
    reference = run.reference_topics
    asked = any(COVERAGE_NEEDS.intersection(spec.measure.needs) for spec in run.specs)
    if reference is None or not len(reference) or not asked:
        return {}, []
    models, left_out, shares, warnings = {}, {}, {}, []
    for name, model in run.models.items():
        try:
            refuse_negative(model, name, "coverage")
        except MissingInput as error:
            left_out[name] = str(error)
            continue
        shares[name] = shared_weight(reference, model)
        if shares[name] < LOW_WEIGHT:
            warnings.append(_warning(name, shares[name], reference, model))
        if shares[name] > 0:
            models[name] = model
        else:
            left_out[name] = "no word of the reference topics is a word of the model"
    if not models:
        return {}, warnings
    found = coverage(
        models,
        reference,
        matcher=run.matcher,
        ci=run.ci or 0.95,
        resamples=run.resamples,
        seed=run.seed,
    )
    return _plain(found, left_out, shares, run.ci), warnings


def _warning(name: str, share: float, reference: "ReferenceTopics", model: "TopicModel") -> str:
    words = ", ".join(lost_words(reference, model, 5))
    told = f"{share:.0%}" if share >= 0.005 or share == 0 else "under 1%"
    return (
        f"{name}: only {told} of the reference topics' weight is on words it has, which lowers its "
        f"coverage; it lacks {words}. Were the texts cut into words in the same way?"
    )


def _plain(
    found: Coverage, left_out: dict[str, str], shares: dict[str, float], ci: float | None
) -> dict[str, Any]:
    reference = found.reference
    words, sizes = reference.top_words(10), reference.sizes
    table = found.table.to_dicts() + _precision(found)
    curve = {
        name: {
            "coverage": _short(rows["coverage"].to_numpy()),
            "low": _short(rows["low"].to_numpy()),
            "high": _short(rows["high"].to_numpy()),
        }
        for (name,), rows in found.curve.group_by("model", maintain_order=True)
    }
    if ci is None:
        for row in [*table, *curve.values()]:
            row["low"] = row["high"] = None
    nearest: dict[str, list[dict[str, Any]]] = {name: [] for name in found.runs}
    for row in found.references.iter_rows(named=True):
        kept = {k: row[k] for k in ("covered", "run", "topic", "distance", "topic_words")}
        nearest[row["model"]].append(kept)
    return {
        "by": found.by,
        "ci": ci,
        "runs": {name: list(runs) for name, runs in found.runs.items()},
        "topics": {name: [found.models[run].n_topics for run in runs] for name, runs in found.runs.items()},
        "reference": {
            "name": reference.name,
            "topics": [
                {
                    "label": label,
                    "words": " ".join(words[r]),
                    "size": None if sizes is None else float(sizes[r]),
                }
                for r, label in enumerate(reference.labels)
            ],
        },
        "shared_weight": shares,
        "left_out": left_out,
        "curve": curve,
        "table": table,
        "nearest": nearest,
        "relations": found.relation_counts.to_dicts(),
        "matrix": {
            name: _matrix(found, runs[0]) for name, runs in found.runs.items() if _small(found, runs[0])
        },
        "spearman": _spearman(found, ci),
    }


def _precision(found: Coverage) -> list[dict[str, Any]]:
    """The share of topics that match a reference topic, with an interval over runs, or topics of one."""
    rows = []
    for name, runs in found.runs.items():
        each: list[NDArray[np.float64]] = [
            np.asarray(found.matches[run].any(axis=0), np.float64) for run in runs
        ]
        drawn = np.array([topics.mean() for topics in each]) if len(runs) > 1 else each[0]
        low, high = _interval(drawn, found)
        rows.append(
            {
                "model": name,
                "measure": "precision",
                "division": ALL,
                "category": ALL,
                "n": sum(len(topics) for topics in each),
                "runs": len(runs),
                "value": float(np.mean([topics.mean() for topics in each])),
                "low": low,
                "high": high,
                "over": "" if np.isnan(low) else "runs" if len(runs) > 1 else "topics",
                "union": float(np.concatenate(each).mean()),
            }
        )
    return rows


def _interval(values: NDArray[np.float64], found: Coverage) -> tuple[float, float]:
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    rng = np.random.default_rng([found.seed, n])
    weights = rng.multinomial(n, np.full(n, 1 / n), size=found.resamples)
    low, high = percentiles((weights @ values / n)[:, None], found.ci)
    return float(low[0]), float(high[0])


def _small(found: Coverage, run: str) -> bool:
    return bool(max(found.matches[run].shape) <= LARGEST)


def _matrix(found: Coverage, run: str) -> dict[str, Any]:
    """How near each reference topic is to each topic of a run, and which match."""
    named = found.relations(run)
    return {
        "run": run,
        "cosine": [_short(row) for row in 1.0 - found.distances[run]],
        "matches": found.matches[run].astype(int).tolist(),
        "words": [" ".join(words) for words in found.models[run].top_words(5)],
        "concepts": list(named.concepts),
        "topics": list(named.topics),
    }


def _spearman(found: Coverage, ci: float | None) -> dict[str, Any] | None:
    """Do AuCDC and what the matcher finds put the models in the same order?"""
    if found.by != "sup_cov" or len(found.runs) < FEWEST_MODELS:
        return None
    values = {
        measure: [
            r["value"] for r in found.table.to_dicts() if (r["measure"], r["division"]) == (measure, ALL)
        ]
        for measure in ("au_cdc", found.by)
    }
    result = correlate(
        values["au_cdc"], values[found.by], resamples=found.resamples, seed=found.seed, level=found.ci
    )
    ends = (None, None) if ci is None or np.isnan(result.low) else (result.low, result.high)
    return {"value": result.value, "low": ends[0], "high": ends[1], "models": len(found.runs)}


def _short(values: NDArray[np.float64]) -> list[float]:
    return [float(v) for v in np.round(values, DECIMALS)]
