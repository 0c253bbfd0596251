"""The report's second part: the topics of each model with their verdicts, and those that repeat another."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from tealeaves.errors import TealeavesError
from tealeaves.measures._table import parse
from tealeaves.report.people import said_of_topic
from tealeaves.report.rows import Row, count_of, measure_facts, pick, unique, whole
from tealeaves.runs import base_name
from tealeaves.verdicts import LABELS, VERDICTS, Neighbour, Thresholds, TopicFacts, Verdict, judge, number
from tealeaves.verdicts_over_time import LABELS as OVER_TIME
from tealeaves.verdicts_over_time import LOOK, TopicOverTime

ORDER = ("drop", "unknown", "split", "merge", "check", "keep")  # what needs attention first
MATRIX = 10  # the pair matrix is of so many top words


def opened_models(runs: Mapping[str, Sequence[str]], details: Row) -> list[str]:
    known = details.get("models") or {}
    return [next((r for r in group if r in known), group[0]) for group in runs.values()]


def model_topics(name: str, rows: list[Row], runs: dict[str, list[str]], details: Row, t: Thresholds) -> Row:
    detail = (details.get("models") or {}).get(name, {})
    own = whole(pick(rows, model=name, level="topic"))
    specs = unique(row["measure"] for row in own)
    by_topic: dict[int, list[Row]] = {}
    for row in own:
        if row.get("topic") is not None and not row.get("slice"):
            by_topic.setdefault(int(row["topic"]), []).append(row)
    lists = detail.get("topics") or []
    main = main_spec(specs, bool((details.get("pairs") or {}).get(name)))
    count = int(detail.get("n_topics") or max(len(lists), len(by_topic)))
    topics = [_topic(name, k, by_topic.get(k, []), lists, main, details, t) for k in range(count)]
    _scale(topics)
    order = {v: i for i, v in enumerate(ORDER)}
    ranked = sorted(
        topics, key=lambda x: (order[x["verdict"]], x["npmi"] if x["npmi"] is not None else -9.0, x["id"])
    )
    for rank, topic in enumerate(ranked):
        topic["rank"] = rank
    counts = {v: sum(x["verdict"] == v for x in topics) for v in VERDICTS}
    band = any(x["band"] for x in topics)
    unasked = main is None and all(x["npmi"] is None and not x["absent"] for x in topics)
    base = base_name(name)
    shown = name if name == base else f"{base}, first run"
    return {
        "name": name,
        "base": base,
        "shown": shown,
        "run": "" if name == base else f"first of {len(runs[base])} runs",
        "topics": ranked,
        "specs": specs,
        "main": main or "NPMI of the pair matrix",
        "by_pairs": main is None and any(x["npmi"] is not None for x in topics),
        "counts": counts,
        "labels": LABELS,
        "above": sum(x["above"] for x in topics) if band else None,
        "judged": sum(x["npmi"] is not None for x in topics),
        "sizes": any(x["size"] is not None for x in topics),
        "weights": any(x["weights"] for x in topics),
        "band": band,
        "notes": list(detail.get("notes") or []),
        "source": str(detail.get("source") or ""),
        "over_time": bool(detail.get("slice_topics")),
        "unasked": unasked,
        "heading": _not_judged(shown, len(topics)) if unasked else _model_heading(shown, counts, len(topics)),
        "why": _why_no_columns(topics),
    }


def main_spec(specs: Sequence[str], pairs: bool) -> str | None:
    """The measure that verdicts are judged by: NPMI by documents, which is what the pair matrix holds.

    Where there is a matrix, it must be of no more words than the matrix is; None if there is no such spec.
    """
    fitting = [s for s in specs if (n := _document_npmi(s)) is not None and (n <= MATRIX or not pairs)]
    return "npmi@10" if "npmi@10" in fitting else next(iter(fitting), None)


@cache
def _document_npmi(spec: str) -> int | None:
    """The number of top words, if the measure is NPMI over documents without smoothing; otherwise None."""
    try:
        parsed = parse(spec)
    except TealeavesError:  # a measure of another version
        return None
    said = parsed.settings
    plain = said.get("window") is None and not said.get("smoothing") and said.get("compat") is None
    if parsed.name != "npmi" or not plain or said.get("oov") not in ("undefined", "drop"):
        return None
    return parsed.top


def _why_no_columns(topics: Sequence[Row]) -> str:
    missing = [word for word in ("size", "weights") if not any(t[word] for t in topics)]
    if not missing:
        return ""
    why = "the model is word lists only" if len(missing) == 2 else "the model does not say it"
    return f"No {' and no '.join(missing)} of topics: {why}."


def _not_judged(name: str, total: int) -> str:
    return f"{name}: {count_of(total, 'topic')}, not judged, since NPMI by documents was not asked for"


def _model_heading(name: str, counts: Mapping[str, int], total: int) -> str:
    if total == 1:
        verdict = next(v for v in VERDICTS if counts[v])
        said = "nothing can be said of" if verdict == "unknown" else LABELS[verdict].lower()
        return f"{name}: {said} its one topic"
    if counts["keep"] == total:
        return f"{name}: keep all {total} topics"
    rest = [f"{LABELS[v].lower()} {counts[v]}" for v in ORDER if v not in ("keep", "unknown") and counts[v]]
    if counts["unknown"]:
        rest.append(f"{counts['unknown']} cannot be judged")
    return f"{name}: keep {counts['keep']} of {total} topics, {', '.join(rest)}"


def _topic(
    model: str,
    k: int,
    rows: list[Row],
    lists: Sequence[Sequence[str]],
    main: str | None,
    details: Row,
    t: Thresholds,
) -> Row:
    pairs = _of_topic(details, "pairs", model, k)
    unknown = _of_topic(details, "unknown", model, k)
    chance = _of_topic(details, "chance", model, k)
    detail = (details.get("models") or {}).get(model, {})
    words = [str(w) for w in (lists[k] if k < len(lists) else pairs.get("words") or [])]
    judged = [str(w) for w in (pairs.get("words") or words[:MATRIX])]
    matrix = _matrix(pairs.get("npmi"), len(judged))
    top = (_document_npmi(main) if main else None) or MATRIX
    absent = [str(w) for w in unknown.get("absent") or []]
    if top < len(judged):  # the pairs of the words that were scored, and of no others
        absent = [w for w in absent if w not in judged[top:]]
        judged, matrix = judged[:top], matrix[:top, :top]
    row = next((r for r in rows if r["measure"] == main), None)
    npmi, low, high, reason = (
        (row["value"], row["low"], row["high"], row["reason"]) if row else (None, None, None, "")
    )
    if row is None and len(matrix) > 1 and not np.isnan(matrix).any():
        npmi = float(matrix[np.triu_indices(len(matrix), 1)].mean())
    band = chance.get(main) if main else None
    facts = TopicFacts(
        judged,
        _nan(npmi),
        _nan(low),
        _nan(high),
        matrix,
        tuple(map(float, band)) if band and None not in band else None,  # type: ignore[arg-type]
        _neighbours(details, model, k),
        absent,
        [float(x) for x in ((detail.get("matches") or {}).get(str(k)) or [])],
        reason=reason or ("there is no NPMI of its words by documents" if row is None else ""),
    )
    over_time = (details.get("over_time") or {}).get((model, k))
    verdict = _with_time(judge(facts, t), over_time, npmi)
    people = said_of_topic(details.get("human") or {}, model, k)
    weights = detail.get("weights") or []
    sizes = detail.get("size") or []
    return {
        "id": k,
        "verdict": verdict.name,
        "label": verdict.label,
        "sentence": f"{verdict.sentence} {people}".strip(),
        "odd": list(verdict.odd),
        "words": words,
        "judged": judged,
        "npmi": npmi,
        "low": low,
        "high": high,
        "reason": reason,
        "band": list(facts.chance) if facts.chance else None,
        "above": facts.chance is not None
        and npmi is not None
        and (low if low is not None else npmi) > facts.chance[2],
        "matrix": [[None if math.isnan(x) else round(float(x), 3) for x in line] for line in matrix.tolist()],
        "joint": pairs.get("joint"),
        "single": pairs.get("single"),
        "weights": [float(x) for x in weights[k][: len(words)]] if k < len(weights) and weights[k] else None,
        "size": float(sizes[k]) if k < len(sizes) and sizes[k] is not None else None,
        "scores": [
            {**_score(r), "band": list(chance[r["measure"]]) if r["measure"] in chance else None}
            for r in rows
        ],
        "absent": facts.absent,
        "coverage": unknown.get("coverage"),
        "hints": {str(w): _hint(h) for w, h in (unknown.get("hints") or {}).items()},
        "nearest": _nearest(details, model, k),
    }


def _with_time(alone: Verdict, over_time: TopicOverTime | None, npmi: float | None) -> Verdict:
    """The verdict on a topic over time: what each slice says alone, and what becomes of it."""
    if over_time is None:
        return alone
    if alone.name == "merge":
        return replace(alone, sentence=f"{alone.sentence.rstrip('.')} in at least half of the slices.")
    if alone.name == "keep" and over_time.verdict in LOOK:
        by_slice = "" if npmi is None else f" Each slice alone has NPMI {number(round(npmi, 2))} on average."
        said = f"{OVER_TIME[over_time.verdict]}: {over_time.sentence}{by_slice}"
        return Verdict("check", said, alone.odd)
    return alone


def _score(row: Row) -> Row:
    about = measure_facts(row["measure"])
    kept = {key: row[key] for key in ("value", "low", "high", "n_terms", "reason")}
    return {"spec": row["measure"], "title": about["title"], "arrow": about["arrow"], **kept}


def _hint(hint: Any) -> str:
    if isinstance(hint, str):
        return hint
    return ", ".join(map(str, hint)) if isinstance(hint, Sequence) else str(hint)


def _nan(x: float | None) -> float:
    return float("nan") if x is None else float(x)


def _matrix(npmi: Any, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    if not npmi or len(npmi) != n:
        return np.full((0, 0), np.nan)
    return np.array([[_nan(x) for x in line] for line in npmi], dtype=np.float64)


def _of_topic(details: Row, part: str, model: str, k: int) -> Row:
    topics = (details.get(part) or {}).get(model) or {}
    found = topics.get(str(k), topics.get(k))
    return dict(found) if found else {}


def _alike(details: Row, model: str, k: int) -> list[tuple[int, Row]]:
    found: list[tuple[int, Row]] = (details.get("neighbours") or {}).get((model, k), [])
    return found


def _neighbours(details: Row, model: str, k: int) -> list[Neighbour]:
    return [Neighbour(q, int(p["shared"]), _nan(p.get("cosine"))) for q, p in _alike(details, model, k)]


def _nearest(details: Row, model: str, k: int) -> Row | None:
    found = max(
        _alike(details, model, k), key=lambda x: (x[1]["shared"], _nan(x[1].get("cosine"))), default=None
    )
    return (
        {"topic": found[0], "shared": found[1]["shared"], "cosine": found[1].get("cosine")} if found else None
    )


def _scale(topics: Sequence[Row]) -> None:
    ends = [x for t in topics for x in (t["npmi"], t["low"], t["high"], *(t["band"] or ())) if x is not None]
    low, high = min([*ends, 0.0]), max([*ends, 0.1])
    low, high = math.floor(low * 10 - 0.3) / 10, math.ceil(high * 10 + 0.3) / 10
    for t in topics:
        t["min"], t["max"] = max(low, -1.05), min(high, 1.05)
