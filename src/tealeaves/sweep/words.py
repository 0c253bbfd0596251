"""What a sweep says in words: where each measure peaks, what is beyond noise, and why measures disagree."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import TealeavesError
from tealeaves.measures._table import parse
from tealeaves.stats.tests import Difference, holm, permutation
from tealeaves.verdicts import number

if TYPE_CHECKING:
    import polars

NOISE = 0.05
ALIKE = 1e-9  # of a value: a smaller difference is rounding
SHOWN = ("mean", "sd", "low", "high", "least", "most", "runs", "n_topics_least", "n_topics_most", "reason")
STABILITY, SECONDS = "instance_stabil", "seconds"
# What a measure is for, for the sentence on purposes; others are told by their own best end.
PURPOSE = {
    "prediction of new documents": ("perplexity", "log_likelihood", "bits_per_word"),
    "topics that people can read": ("npmi", "c_v", "umass", "u_mass", "uci", "c_p", "c_a"),
    "topics that do not repeat each other": ("topic_diversity", "diversity", "inverted_rbo", "exclusivity"),
    "topics that return in another run": (STABILITY,),
    "agreement with known classes": ("label_f1", "purity", "nmi", "ari"),
    "coverage of known topics": ("au_cdc", "sup_cov"),
}
WHY = {
    "perplexity": "more topics nearly always predict better until they overfit, readable or not",
    "npmi": "a few large topics have common words that share many documents",
    "topic_diversity": "more topics share more words, so it falls with K by itself",
    "sig_vac": "smaller topics are farther from the whole corpus by themselves",
    "sig_uni": "smaller topics are farther from a flat list by themselves",
    "sig_back": "smaller topics are in fewer documents by themselves",
    STABILITY: "more topics are harder to find again",
    "c_v": "it favours topics of a few strong associations, whose share changes with K",
    "arun2010": "it compares sizes of topics, which K itself sets",
    "label_f1": "more topics are more features for telling classes apart",
    "purity": "more topics are purer by themselves",
    "au_cdc": "more topics come near more reference topics",
    "cao2009": "the more topics there are, the less alike any two of them are",
    "deveaud2014": "the divergence of two topics is largest where they are few and sharp",
    "griffiths2004": "it is of the words that were fitted, so it rises while K can still fit them",
}


def table(frame: "polars.DataFrame") -> "polars.DataFrame":
    """What `Sweep.table` gives."""
    import polars as pl

    by = ["family", "k", "setting", "measure"]
    value = pl.col("value").fill_nan(None)
    found = frame.group_by(by, maintain_order=True).agg(
        mean=value.mean(),
        sd=value.std(),
        runs=value.count().cast(pl.Int64),
        n_topics_least=pl.col("n_topics").min(),
        n_topics_most=pl.col("n_topics").max(),
        least=value.min(),
        most=value.max(),
        reason=pl.col("reason").filter(pl.col("reason") != "").first().fill_null(""),
    )
    half = [_half(sd, runs) for sd, runs in zip(found["sd"], found["runs"], strict=True)]
    return found.with_columns(
        low=pl.col("mean") - pl.Series(half, dtype=pl.Float64),
        high=pl.col("mean") + pl.Series(half, dtype=pl.Float64),
    ).select(
        [
            *by,
            "mean",
            "sd",
            "low",
            "high",
            "least",
            "most",
            "runs",
            "n_topics_least",
            "n_topics_most",
            "reason",
        ]
    )


def _half(sd: float | None, runs: int, level: float = 0.95) -> float | None:
    """Half the t interval of a mean."""
    if sd is None or not np.isfinite(sd) or runs < 2:
        return None
    from scipy.special import stdtrit

    return float(stdtrit(runs - 1, (1 + level) / 2) * sd / np.sqrt(runs))


def best_end(measure: str) -> str | None:
    """Which end of a measure of a sweep is best; None where neither is, or it is not known."""
    if measure == SECONDS:
        return None
    try:
        return parse(measure).best
    except TealeavesError:
        return None


def peak(frame: "polars.DataFrame", family: str, setting: str, measure: str) -> dict[str, Any] | None:
    """Where a measure is best along K, and which K cannot be told from it over the runs.

    A K with an undefined run cannot be the best; an infinite run is the worst there is, and stays one. None
    where fewer than two K have values, or all K are equally good.
    """
    end = best_end(measure)
    rows = frame.filter(
        (frame["family"] == family) & (frame["setting"] == setting) & (frame["measure"] == measure)
    )
    runs: dict[int, list[float]] = {}
    for k, value in zip(rows["k"], rows["value"], strict=True):
        runs.setdefault(k, []).append(value)
    values = {k: v for k, v in sorted(runs.items()) if not np.isnan(v).any()}
    if end is None or len(values) < 2:
        return None
    sign = 1 if end == "high" else -1
    means = {k: float(np.mean(v)) for k, v in values.items()}
    best = max(sign * m for m in means.values())
    tied = [k for k, m in means.items() if sign * m >= best - ALIKE * max(abs(best), 1)]
    if not np.isfinite(best) or len(tied) == len(means):
        return None
    top, others = tied[0], [k for k in values if k not in tied]
    many, fixed = min(len(v) for v in values.values()), _fixed(values)
    p = {k: _test(values[top], values[k]) if many > 1 and not fixed else None for k in others}
    corrected = holm([test.p if test else np.nan for test in p.values()])
    near = [k for k, holms in zip(others, corrected, strict=True) if p[k] is not None and not holms < NOISE]
    return {
        "measure": measure,
        "k": top,
        "tied": tied[1:],
        "value": means[top],
        "near": near,
        "tested": any(p.values()),
        "fixed": fixed,
        "floor": min((test.smallest_p * len(others) for test in p.values() if test), default=None),
        "at_end": top in (min(values), max(values)),
        "largest": top == max(values),
        "seeds": _peaks_of_seeds(rows, sign),
        "runs": many,
    }


def _test(a: Sequence[float], b: Sequence[float]) -> Difference | None:
    return permutation(a, b) if np.isfinite([*a, *b]).all() else None


def _fixed(values: Mapping[int, Sequence[float]]) -> bool:
    """Whether the runs of every K are the same: of a trainer that its seed does not change."""
    finite = [v for v in values.values() if np.isfinite(v).all()]
    return min(map(len, finite), default=0) > 1 and all(
        np.ptp(v) <= ALIKE * max(float(np.abs(v).max()), 1) for v in finite
    )


def _peaks_of_seeds(rows: "polars.DataFrame", sign: int) -> dict[int, int]:
    """How many seeds would have chosen each K, had they been the only one."""
    known = rows.filter(rows["seed"].is_not_null() & rows["value"].is_not_nan())
    found: dict[int, int] = {}
    for _, group in groupby(known.sort("seed", "k").iter_rows(named=True), key=lambda row: row["seed"]):
        best = max(group, key=lambda row: sign * row["value"])
        if np.isfinite(best["value"]):
            found[best["k"]] = found.get(best["k"], 0) + 1
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def peaks(frame: "polars.DataFrame") -> "polars.DataFrame":
    """What `Sweep.peaks` gives."""
    import polars as pl

    rows = []
    for family, setting, found in _curves(frame):
        for p in found:
            rows.append(
                {
                    "family": family,
                    "setting": setting,
                    "measure": p["measure"],
                    "k": p["k"],
                    "value": p["value"],
                    "at_end": p["at_end"],
                    "near": [] if not p["tested"] else p["near"],
                    "smallest_p": p["floor"],
                    "runs": p["runs"],
                    "chosen": ", ".join(f"{k} by {n}" for k, n in p["seeds"].items()),
                }
            )
    kinds: dict[str, Any] = {
        "family": pl.String,
        "setting": pl.String,
        "measure": pl.String,
        "k": pl.Int64,
        "value": pl.Float64,
        "at_end": pl.Boolean,
        "near": pl.List(pl.Int64),
        "smallest_p": pl.Float64,
        "runs": pl.Int64,
        "chosen": pl.String,
    }
    return pl.DataFrame(rows, schema=kinds)


def _curves(frame: "polars.DataFrame") -> list[tuple[str, str, list[dict[str, Any]]]]:
    """The peaks of each family and setting."""
    curves = []
    for family, setting in dict.fromkeys(zip(frame["family"], frame["setting"], strict=True)):
        mine = frame.filter((frame["family"] == family) & (frame["setting"] == setting))
        measures = mine["measure"].unique(maintain_order=True)
        found = [p for measure in measures if (p := peak(mine, family, setting, measure))]
        curves.append((family, setting, found))
    return curves


def advice(frame: "polars.DataFrame") -> list[str]:
    """What `Sweep.advice` gives."""
    sentences: list[str] = []
    measures: dict[str, None] = {}  # of curves whose measures disagree
    for family, setting, found in _curves(frame):
        of = family.upper() + (f" with {setting}" if setting else "")
        parts = [_purposes(found), _noise(found), _edges(found), _votes(found), _disagreement(found)]
        said = [*parts, _found(frame, family, setting)]
        sentences += [f"{of}: {sentence}" for sentence in said if sentence]
        measures.update(dict.fromkeys(_name(p["measure"]) for p in found if len({q["k"] for q in found}) > 1))
    if reasons := [f"{name}: {WHY[name]}" for name in measures if name in WHY]:
        sentences.append(f"Why measures disagree about K: {'; '.join(reasons)}.")
    sentences += _missing(frame)
    failed = frame.filter((frame["measure"] == SECONDS) & (frame["reason"] != ""))
    for row in failed.iter_rows(named=True):
        sentences.append(
            f"{row['family']} with {row['k']} topics, seed {row['seed']} failed: {row['reason']}"
        )
    if frame["setting"].str.contains("min_df|max_df").any():
        sentences.append(
            "Settings with other words (min_df, max_df) are scored on other words: their perplexities and "
            "coherences are of different tasks, and cannot be compared with each other."
        )
    return sentences


def _missing(frame: "polars.DataFrame") -> list[str]:
    """The measures that have no finite value anywhere, each with the first reason."""
    said = []
    for measure in frame["measure"].unique(maintain_order=True):
        rows = frame.filter(frame["measure"] == measure)
        if measure != SECONDS and not rows["value"].is_finite().any():
            reason = next((r for r in rows["reason"] if r), "undefined")
            said.append(f"No value of {measure}: {reason.removeprefix(f'{measure}: ')}.")
    return said


def _found(frame: "polars.DataFrame", family: str, setting: str) -> str:
    """How many topics were found where that is not how many were asked for."""
    rows = frame.filter((frame["family"] == family) & (frame["setting"] == setting))
    rows = rows.filter(rows["n_topics"].is_not_null() & (rows["n_topics"] != rows["k"]))
    said = []
    for k in rows["k"].unique(maintain_order=True):
        found = rows.filter(rows["k"] == k)["n_topics"]
        least, most = min(found), max(found)
        span = str(least) if least == most else f"{least} to {most}"
        said.append(f"{span} of {k}")
    return f"K is the most topics there may be; it found {_listed(said, 'and')}." if said else ""


def _purposes(found: Sequence[dict[str, Any]]) -> str:
    names = {_name(p["measure"]): p for p in found}
    wishes = []
    for purpose, members in PURPOSE.items():
        p = next((names[m] for m in members if m in names), None)
        if p is not None:
            others = (
                f" (no worse, as far as the runs tell: {_listed(p['near'])})"
                if p["near"] and p["tested"]
                else ""
            )
            wishes.append(f"for {purpose}, K = {p['k']} by {p['measure']}{others}")
    if not wishes:
        return ""
    return "what the topics are for decides. " + wishes[0][0].upper() + "; ".join(wishes)[1:] + "."


def _noise(found: Sequence[dict[str, Any]]) -> str:
    tested = [p for p in found if p["tested"] and p["floor"] is not None]
    if (
        found
        and all(p["fixed"] for p in found if p["measure"] != STABILITY and p["runs"] > 1)
        and any(p["fixed"] for p in found)
    ):
        return "every run is the same, whatever the seed: there is no noise to tell differences from."
    if not tested:
        return "one run of each K cannot say which differences are more than chance." if found else ""
    if all(p["floor"] >= NOISE for p in tested):
        floor = number(min(p["floor"] for p in tested))
        runs = min(p["runs"] for p in tested)
        return f"{runs} runs are too few to tell any two K apart: the least p that can come out is {floor}."
    sure = [p["measure"] for p in tested if not p["near"]]
    open_ = [f"{p['measure']} ({_listed(p['near'])})" for p in tested if p["near"]]
    said = []
    if sure:
        said.append(f"beyond noise over the runs is the best K of {_listed(sure, 'and')}")
    if open_:
        said.append(f"within noise, so other K may be as good, is that of {_listed(open_, 'and')}")
    return "; ".join(said) + "."


def _edges(found: Sequence[dict[str, Any]]) -> str:
    said = []
    for largest, word in ((True, "largest"), (False, "smallest")):
        names = [p["measure"] for p in found if p["at_end"] and p["largest"] is largest]
        if names:
            k = next(p["k"] for p in found if p["at_end"] and p["largest"] is largest)
            verb = "is" if len(names) == 1 else "are"
            said.append(f"{_listed(names, 'and')} {verb} best at the {word} K that was tried, {k}")
    return "; ".join(said) + ": the best may lie beyond." if said else ""


def _votes(found: Sequence[dict[str, Any]]) -> str:
    """What a user with one run would have chosen."""
    split = [
        f"by {p['measure']} {_listed([f'K = {k} for {n}' for k, n in p['seeds'].items()], 'and')}"
        for p in found
        if len(p["seeds"]) > 1 and any(_name(p["measure"]) in members for members in PURPOSE.values())
    ]
    return f"a single run would have misled: of the runs, the best was {'; '.join(split)}." if split else ""


def _disagreement(found: Sequence[dict[str, Any]]) -> str:
    chosen = sorted({p["k"] for p in found})
    if len(found) < 2:
        return ""
    if len(chosen) == 1:
        return f"all measures are best at K = {chosen[0]}."
    return f"the measures disagree: the best is K = {_listed(chosen)}."


def _name(measure: str) -> str:
    return measure.partition("(")[0].partition("@")[0]


def _listed(items: Sequence[Any], last: str = "or") -> str:
    texts = [str(item) for item in items]
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + f" {last} " + texts[-1]


def markdown(rows: "polars.DataFrame") -> str:
    """What `Sweep.to_markdown` gives."""
    measures = [m for m in rows["measure"].unique(maintain_order=True) if m != SECONDS]
    arrows = {"high": " ↑", "low": " ↓", None: ""}
    head = ["family", "K", *(["setting"] if any(rows["setting"]) else [])]
    lines = [[*head, *(m + arrows[best_end(m)] for m in measures), "seconds"]]
    for (family, k, setting), group in rows.group_by(["family", "k", "setting"], maintain_order=True):
        cells = {row["measure"]: row for row in group.iter_rows(named=True)}
        n = next((c["n_topics_most"] for c in cells.values() if c["n_topics_most"] is not None), k)
        shown = str(k) if n == k else f"{k} (found {n})"
        line = [str(family), shown, *([str(setting)] if len(head) == 3 else [])]
        lines.append([*line, *(_cell(cells.get(m)) for m in [*measures, SECONDS])])
    lines.insert(1, ["---"] * 2 + ["---"] * (len(head) - 2) + ["---:"] * (len(measures) + 1))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _cell(row: dict[str, Any] | None) -> str:
    if row is None or row["mean"] is None:
        return "–"
    known = row["sd"] is not None and np.isfinite(row["sd"])
    spread = f" ± {number(row['sd'])}" if known else ""
    return number(row["mean"]) + spread
