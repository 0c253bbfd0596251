"""What people said, beside the automatic scores: a scatter, models, agreement, topics nobody could read."""

from collections.abc import Mapping, Sequence
from typing import Any

from tealeaves.report.people_plot import scatter
from tealeaves.report.rows import Row, count_of
from tealeaves.verdicts import number

FIRST, ROWS = 12, 400  # rows shown before "all", and at most
ALL = "all topics"
ALPHA = 0.05
STRONG, WEAK = 0.7, 0.3  # rank correlations from which people and a measure agree "mostly", and "in part"
MEASURES = {
    "rating": ("Rating", "1 not related, 3 very related"),
    "relatedness": ("Relatedness", "words of a slice: 1 to 3"),
    "smoothness": ("Smoothness", "from slice to slice: 1 to 3"),
    "model_precision": ("Intruder found", "share of answers that are right"),
    "share_matched": ("Own topic found", "share of words given to their topic"),
    "topic_log_odds": ("Log odds of the choice", "0 is best"),
    "match": ("Pairs that match", "0 no, 1 yes"),
    "named": ("Could be named", "share of answers with a label"),
}
TASKS = {
    "word_intrusion": "word intrusion",
    "topic_intrusion": "topic intrusion",
    "word_set_intrusion": "word set intrusion",
    "topic_word_matching": "matching of words and topics",
    "temporal_word_intrusion": "word intrusion over time",
    "word_set_rating": "rating of words",
    "temporal_rating": "rating over time",
    "topic_pair_matching": "matching of pairs",
    "topic_labelling": "labelling",
}


def said_of_topic(human: Mapping[str, Any], model: str, topic: int) -> str:
    """What people said of a topic, as sentences to put after a verdict; "" where nobody was asked.

    Examples
    --------
    >>> row = {"value": 2.71, "n": 15, "known": 0.4, "unreadable": False}
    >>> said_of_topic({"topics": {"lda": {"3": {"rating": row}}}}, "lda", 3)
    '15 people rate it 2.7 of 3; most of them did not know its words.'
    """
    rows = ((human.get("topics") or {}).get(model) or {}).get(str(topic)) or {}
    said = [text for name, row in rows.items() if (text := _said(name, row))]
    if not said:
        return ""
    unknown = any(row["known"] is not None and row["known"] < 0.5 for row in rows.values())
    return "; ".join([*said, *(["most of them did not know its words"] if unknown else [])]) + "."


def _said(name: str, row: Row) -> str:
    value, n = row.get("value"), int(row.get("n") or 0)
    if value is None or not n:
        return ""
    people = "one person" if n == 1 else f"{n} people"
    if name == "rating":
        verb, of = ("rates", "rate")[n != 1], " of 3" if value <= 3 else ""
        return f"{people} {verb} it {value:.1f}{of}"
    if name == "model_precision":
        return f"{round(value * n)} of {people} found the intruder"
    if name == "named":
        return f"{round(value * n)} of {people} could name it"
    return ""


def people(details: Row, models: Sequence[Row]) -> Row | None:
    """What the section shows; None where no people were asked."""
    human = details.get("human") or {}
    if not human.get("scores"):
        return None
    topics = _topics(human, models)
    plots = [plot for key in _keys(topics) if (plot := scatter(key, topics, _title(key)))]
    relations = _relations(human)
    unread = sorted(
        (t for t in topics if t["unreadable"]), key=lambda t: (t["verdict"] != "keep", -(t["x"] or -9.0))
    )
    return {
        "heading": _heading(relations, topics, plots, human),
        "who": [_who(row) for row in _studies(human["scores"])],
        "plots": plots,
        "x": plots[0]["x_name"] if plots else "",
        "topics": topics[:ROWS],
        "left_out": max(len(topics) - ROWS, 0),
        "unread": unread[:ROWS],
        "first": FIRST,
        "asked_unread": any(t["unreadable"] is not None for t in topics),
        "tables": _tables(human),
        "pairs": [_pair(row) for row in human.get("differences") or []],
        "agreement": human.get("agreement") or [],
        "apart": human.get("apart") or [],
        "relations": relations,
        "between": [_between(row) for row in human.get("relation_differences") or []],
        "notes": list(human.get("notes") or []),
        "level": (human.get("settings") or {}).get("level") or 0.95,
        "tasks": TASKS,
        "names": {name: title for name, (title, _) in MEASURES.items()},
    }


def answer(section: Row) -> list[str]:
    """What the short answer says of people."""
    says = [f"{section['heading'].rstrip('.')}."]
    if section["unread"]:
        kept = sum(t["verdict"] == "keep" for t in section["unread"])
        some = f", {kept} of them with the verdict Keep" if kept else ""
        says[0] += f" People could not read {count_of(len(section['unread']), 'topic')}{some}."
    return says


def _title(measure: str) -> tuple[str, str]:
    return MEASURES.get(measure, (measure.replace("_", " "), ""))


def _keys(topics: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(t["measure"] for t in topics))


def _topics(human: Mapping[str, Any], models: Sequence[Row]) -> list[Row]:
    """A row per topic and human measure, with the automatic score and the verdict where there are any."""
    known = {(m["name"], t["id"]): (m, t) for m in models for t in m["topics"]}
    found = []
    for model, topics in (human.get("topics") or {}).items():
        for topic, measures in topics.items():
            m, t = known.get((model, int(topic)), ({}, {}))
            for measure, row in measures.items():
                found.append(
                    {
                        "model": model,
                        "topic": int(topic),
                        "words": " ".join(t.get("words", [])[:5]),
                        "verdict": t.get("verdict", ""),
                        "label": t.get("label", ""),
                        "x": t.get("npmi"),
                        "x_low": t.get("low"),
                        "x_high": t.get("high"),
                        "x_name": m.get("main", ""),
                        "measure": measure,
                        "title": _title(measure)[0],
                        **{k: row.get(k) for k in ("value", "low", "high", "n", "known", "unreadable")},
                    }
                )
    order = {name: i for i, name in enumerate(MEASURES)}
    return sorted((t for t in found if t["value"] is not None), key=lambda t: order.get(t["measure"], 99))


def _heading(relations: Sequence[Row], topics: Sequence[Row], plots: Sequence[Row], human: Row) -> str:
    """Do people agree with coherence? What the first measure people gave says."""
    name = plots[0]["x_name"] if plots else ""
    row = next(
        (r for r in relations if plots and r["measure"] == name and r["human"] == plots[0]["key"]), None
    )
    if row is None or row["spearman"] is None or row["low"] is None:
        rated = len({(t["model"], t["topic"]) for t in topics})
        return f"What people said of {count_of(rated, 'topic')}"
    rho = number(row["spearman"])
    if row["low"] <= 0 <= row["high"]:
        return f"Do people agree? That cannot be told from {count_of(row['n'], 'topic')}"
    if row["spearman"] < 0:
        return f"Do people agree? No: what coherence puts high they put low (rank correlation {rho})"
    how = "mostly" if row["low"] >= STRONG else "in part" if row["spearman"] >= WEAK else "only a little"
    return f"Do people agree with coherence? {how.capitalize()}: rank correlation {rho}"


def _studies(scores: Sequence[Row]) -> list[Row]:
    found: dict[tuple[str, str], Row] = {}
    for row in scores:
        one = found.setdefault((row["study"], row["task"]), {**row, "n_answers": 0, "models": {}})
        one["models"].setdefault(row["model"], row)
    for one in found.values():
        rows = one.pop("models").values()
        one["unnamed"] = all(row["n_raters"] == row["n_answers"] > 1 for row in rows)
        one["n_answers"] = sum(row["n_answers"] for row in rows)
        one["n_units"] = sum(row["n_units"] for row in rows)
        one["n_raters"] = max(row["n_raters"] for row in rows)
    return list(found.values())


def _who(row: Row) -> str:
    study = f"{row['study']}: " if row["study"] else ""
    task = TASKS.get(row["task"], row["task"])
    said = f"{row['n_answers']:,} answers about {row['n_units']:,} {row['unit']}"
    if (
        not row["n_raters"] or row["unnamed"]
    ):  # each answer has a rater of its own: who gave several is not known
        return f"{study}{task}, {said}"
    people = "one person" if row["n_raters"] == 1 else f"up to {row['n_raters']} people a model"
    return f"{study}{task}, {people}, {said}"


def _tables(human: Row) -> list[Row]:
    """A table for each study and task: models by measures."""
    found: dict[tuple[str, str], Row] = {}
    for row in human["scores"]:
        table = found.setdefault(
            (row["study"], row["task"]), {"study": row["study"], "task": row["task"], "rows": []}
        )
        title, says = _title(row["measure"])
        table["rows"].append({**row, "title": title, "says": says})
    for table in found.values():
        for name in dict.fromkeys(row["measure"] for row in table["rows"]):
            mine = [row for row in table["rows"] if row["measure"] == name]
            low, high = _ends(mine)
            for row in mine:
                row["min"], row["max"] = low, high
    return list(found.values())


def _ends(rows: Sequence[Row]) -> tuple[float | None, float | None]:
    """Of the strips: what the measure can be, or what there is."""
    known = [row[k] for row in rows for k in ("value", "low", "high") if row[k] is not None]
    if not known:
        return None, None
    name = rows[0]["measure"]
    if name in ("model_precision", "share_matched", "match", "named"):
        return 0.0, 1.0
    if name in ("rating", "relatedness", "smoothness") and min(known) >= 1 and max(known) <= 3:
        return 1.0, 3.0
    low, high = min(known), max(known)
    return low - 0.05 * (high - low or 1.0), high + 0.05 * (high - low or 1.0)


def _pair(row: Row) -> Row:
    real = row["p_holm"] is not None and row["p_holm"] < ALPHA
    these = row["p_these_holm"] is not None and row["p_these_holm"] < ALPHA
    if real:
        answer = "Yes"
    elif these:
        answer = "For these topics"
    else:
        answer = "Cannot be told apart" if row["p_holm"] is not None else row.get("reason") or "–"
    return {**row, "title": _title(row["measure"])[0], "answer": answer}


def _relations(human: Row) -> list[Row]:
    """Rank correlations over topics, strongest measure first, the kinds of topics beside each other."""
    found: dict[tuple[str, str, str], Row] = {}
    for row in human.get("relations") or []:
        if row["topics"] == ALL:
            found[row["study"], row["human"], row["measure"]] = {
                "study": row["study"],
                "human": row["human"],
                "title": _title(row["human"])[0],
                "measure": row["measure"],
                "n": row["n"],
                "spearman": row["spearman"],
                "low": row["spearman_low"],
                "high": row["spearman_high"],
                "pearson": row["pearson"],
                "reason": row["reason"],
                "others": [],
            }
    for row in human.get("relations") or []:
        place = found.get((row["study"], row["human"], row["measure"]))
        if place is not None and row["topics"] != ALL:
            ends = {"low": row["spearman_low"], "high": row["spearman_high"]}
            place["others"].append(
                {"topics": row["topics"], "n": row["n"], "spearman": row["spearman"], **ends}
            )
    return sorted(found.values(), key=lambda r: (r["study"], r["human"], -(r["spearman"] or -2.0)))


def _between(row: Row) -> Row:
    told = row["p_holm"] is not None and row["p_holm"] < ALPHA
    more, less = (row["a"], row["b"]) if (row["difference"] or 0.0) > 0 else (row["b"], row["a"])
    said = f"{more} goes along with people more than {less}" if told else "cannot be told apart"
    return {**row, "title": _title(row["human"])[0], "said": said}
