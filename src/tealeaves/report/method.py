"""The report's last part: settings, signatures, how to repeat it, and what differs from other scores."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tealeaves.report import repeat
from tealeaves.report.rows import Row, measure_facts, pick, unique, whole
from tealeaves.verdicts import Thresholds, number


def method(rows: Sequence[Row], details: Row, runs: Mapping[str, Sequence[str]], t: Thresholds) -> Row:
    signatures = []
    for spec in unique(row["measure"] for row in rows):
        own = unique(row["signature"] for row in whole(pick(rows, measure=spec)) if row.get("signature"))
        signatures.append({**measure_facts(spec), "spec": spec, "signatures": own})
    settings = {k: v for k, v in (details.get("settings") or {}).items() if v is not None}
    specs = [s["spec"] for s in signatures]
    models = repeat.places(runs, details)
    return {
        "settings": {str(k): _say(v) for k, v in settings.items()},
        "thresholds": asdict(t),
        "signatures": signatures,
        "corpora": _texts(details.get("corpora") or {}),
        "command": repeat.command(models, specs, details),
        "python": repeat.python(models, specs, details),
    }


def _texts(corpora: Row) -> Row:
    """What is known of each text; the reference that is the corpus itself is told once."""
    found: dict[str, dict[str, str]] = {}
    role_of: dict[Any, str] = {}
    for role, corpus in corpora.items():
        if corpus:
            same = role_of.setdefault(corpus.get("fingerprint"), role)
            if same == role or corpus.get("fingerprint") is None:
                found[role] = {k: _say(v) for k, v in corpus.items() if k != "notes" and v not in (None, "")}
            else:
                found[role] = {"the same text as the": same}
    return {role.replace("_", " "): said for role, said in found.items()}


def _say(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def differences(one: str, other: str) -> list[tuple[str, str, str]]:
    """Return the parts in which two signatures differ, as (part, in this one, in the other).

    Examples
    --------
    >>> differences("npmi|top:10|docs:7769|v:0.1.0", "npmi|top:20|docs:7769|v:0.1.0")
    [('top', '10', '20')]
    """
    a, b = _parts(one), _parts(other)
    return [
        (key, a.get(key, "not said"), b.get(key, "not said"))
        for key in {**a, **b}
        if a.get(key) != b.get(key)
    ]


def _parts(signature: str) -> dict[str, str]:
    name, *rest = signature.split("|")
    found = {"measure": name}
    for part in rest:
        key, _, value = part.partition(":")
        found[key] = value
    return found


def against_other(rows: Sequence[Row], others: Sequence[Row]) -> Row:
    here, there = _signatures(rows), _signatures(others)
    values = {(r["model"], r["measure"]): r["value"] for r in whole(pick(others, level="model"))}
    topics = [_by_topic(rows), _by_topic(others)]
    said = []
    for spec in unique([*here, *there]):
        about = {**measure_facts(spec), "spec": spec}
        if spec not in here or spec not in there:
            where = "only in the other scores" if spec not in here else "only in these scores"
            said.append({**about, "differs": [], "only": where, "values": []})
            continue
        differs = unique(d for a in here[spec] for b in there[spec][:1] for d in differences(a, b))
        pairs = [
            {
                "model": r["model"],
                "here": r["value"],
                "there": values[r["model"], spec],
                "change": _change(r["value"], values[r["model"], spec]),
                "topics": _topics_changed(r["model"], topics[0].get(spec, {}), topics[1].get(spec, {})),
            }
            for r in whole(pick(rows, level="model", measure=spec))
            if (r["model"], spec) in values
        ]
        said.append({**about, "differs": differs, "only": "", "values": pairs})
    same = sum(not s["differs"] and not s["only"] for s in said)
    both = sum(not s["only"] for s in said)
    if same == len(said):
        heading = "All signatures agree: the numbers can be compared"
    else:
        heading = f"{same} of {both} measures in both have equal signatures; only those can be compared"
    mine, theirs = (unique(r["model"] for r in of) for of in (rows, others))
    return {
        "heading": heading,
        "measures": said,
        "only_here": [name for name in mine if name not in theirs],
        "only_there": [name for name in theirs if name not in mine],
    }


def _change(here: float | None, there: float | None) -> float | None:
    """There minus here; 0 where both are the same in all but rounding."""
    if here is None or there is None or math.isinf(here) or math.isinf(there):
        return 0.0 if here == there else None
    return 0.0 if math.isclose(here, there, rel_tol=1e-9, abs_tol=1e-12) else there - here


def _by_topic(rows: Sequence[Row]) -> dict[str, dict[tuple[str, int], float | None]]:
    found: dict[str, dict[tuple[str, int], float | None]] = {}
    for r in whole(pick(rows, level="topic")):
        if r.get("topic") is not None and not r.get("slice"):
            found.setdefault(r["measure"], {})[r["model"], int(r["topic"])] = r["value"]
    return found


def _topics_changed(
    model: str, here: dict[tuple[str, int], float | None], there: dict[tuple[str, int], float | None]
) -> str:
    """How many topics have another value there, and which changed most; "" where none has."""
    both = [key for key in here if key[0] == model and key in there]
    changes = {key: _change(here[key], there[key]) for key in both}
    other = [key for key, change in changes.items() if change != 0]
    if not other:
        return ""
    said = f"{len(other)} of {len(both)} topics differ"
    known = [key for key in other if changes[key] is not None]
    if not known:
        return said
    most = max(known, key=lambda key: abs(changes[key] or 0.0))
    return f"{said}, most topic {most[1]}: {number(here[most])} → {number(there[most])}"


def _signatures(rows: Sequence[Row]) -> dict[str, list[str]]:
    return {
        spec: unique(r["signature"] for r in whole(pick(rows, measure=spec)))
        for spec in unique(r["measure"] for r in rows)
    }
