"""What the report says, as plain data: Scores in, one dictionary out, no HTML."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.report.alike import by_topic, related, twins
from tealeaves.report.answer import answers
from tealeaves.report.coverage import coverage
from tealeaves.report.documents import documents
from tealeaves.report.method import against_other, method
from tealeaves.report.models import leading, model_table, real_differences
from tealeaves.report.notices import notices
from tealeaves.report.over_time import over_time
from tealeaves.report.people import people
from tealeaves.report.predictive import predictive
from tealeaves.report.rows import Row, clean, count_of, pick, plain, runs_of
from tealeaves.report.size import balance, sweep
from tealeaves.report.stability import found_again
from tealeaves.report.topics import model_topics, opened_models
from tealeaves.verdicts import DEFAULTS, Thresholds

if TYPE_CHECKING:
    from tealeaves.scores import Scores


def summarize(scores: "Scores", against: "Scores | None" = None, thresholds: Thresholds = DEFAULTS) -> Row:
    """Everything the report shows, as a dictionary of plain values (nan is None).

    Parameters
    ----------
    scores : Scores
        What `evaluate` returned.
    against : Scores, optional
        Other scores; the summary says for each measure which part of the signatures differs.
    thresholds : Thresholds
        Of the verdicts.
    """
    rows = [clean(row) for row in scores.frame.filter(scores.frame["level"] != "document").to_dicts()]
    details = plain(scores.details)
    runs = runs_of(details.get("models") or {}, rows)
    table = model_table(scores, rows, runs, details)
    names = opened_models(runs, details)
    times = over_time(scores, rows, details)
    details["over_time"] = times["verdicts"] if times else {}
    pairs = related(details, names)
    details["neighbours"] = by_topic(pairs)
    models = [model_topics(name, rows, runs, details, thresholds) for name in names]
    lead = leading(table)
    opened = next((m for m in models if m["base"] == lead["name"]), models[0] if models else None)
    others = [clean(row) for row in against.frame.to_dicts()] if against is not None else []
    table["above"] = {m["base"]: (m["above"], len(m["topics"])) for m in models if m["above"] is not None}
    warnings = notices(details, models, table)
    said = people(details, models)
    return {
        "title": title_of(runs, models),
        "facts": facts_of(details, runs),
        "answer": answers(table, lead, opened, warnings, times, said),
        "table": table,
        "real": real_differences(scores, table, lead),
        "balance": balance(table),
        "sweep": sweep(table),
        "groups": groups(rows),
        "models": models,
        "opened": opened["name"] if opened else "",
        "twins": twins(pairs, thresholds),
        "documents": documents(scores, rows, details),
        "over_time": times,
        "predictive": predictive(scores, rows, details),
        "coverage": coverage(scores, rows, details),
        "again": found_again(details, runs, lead["name"], thresholds),
        "people": said,
        "warnings": warnings,
        "method": method(rows, details, runs, thresholds),
        "against": against_other(rows, others) if against is not None else None,
        "version": str((details.get("settings") or {}).get("version") or ""),
    }


def title_of(runs: Mapping[str, Any], models: Sequence[Row]) -> str:
    if len(runs) == 1:
        name = next(iter(runs))
        topics = len(models[0]["topics"])
        return f"{name}: which of its {topics} topics to trust?" if topics != 1 else f"{name}: one topic"
    count = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return f"Which of {count[len(runs) - 2] if len(runs) < 11 else len(runs)} topic models?"


def facts_of(details: Row, runs: Mapping[str, Sequence[str]]) -> list[str]:
    facts, seen = [], set()
    for role, corpus in (details.get("corpora") or {}).items():
        if corpus and corpus.get("fingerprint") not in seen:
            seen.add(corpus.get("fingerprint"))
            size = f"{count_of(corpus.get('docs'), 'document')}, {count_of(corpus.get('tokens'), 'word')}"
            facts.append(f"{role.replace('_', ' ').capitalize()}: {size}")
    fits = sum(len(g) for g in runs.values())
    facts.append(f"{count_of(fits, 'fit')} of {count_of(len(runs), 'model')}")
    settings = details.get("settings") or {}
    if settings.get("date"):
        facts.append(str(settings["date"])[:10])
    if settings.get("version"):
        facts.append(f"tealeaves {settings['version']}")
    return facts


def groups(rows: Sequence[Row]) -> list[Row]:
    """Return the model-level values of each group, where `by=` was given."""
    return [
        {k: r[k] for k in ("group", "model", "measure", "value", "low", "high", "reason")}
        for r in pick(rows, level="model")
        if r.get("group")
    ]
