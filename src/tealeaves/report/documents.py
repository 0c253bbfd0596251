"""Documents as a person reads them, their words coloured by topic."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tealeaves.report.rows import Row, clean, pick, unique, whole
from tealeaves.runs import base_name
from tealeaves.verdicts import number, visible

if TYPE_CHECKING:
    from tealeaves.measures._table import Spec
    from tealeaves.reading import Reading
    from tealeaves.scores import Scores

COLOURS = 6  # that people of every colour vision can tell apart; a document's other topics are grey
MODELS = 4  # of whose documents are shown: more would be a book
SWITCHES = 8  # shown of each model
BLANKS = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*){2,}")  # several empty lines show no more than one does
NO_INTERVALS = (
    "No document is shown: those to read are chosen where intervals are asked for (ci=0.95). "
    "tealeaves.read_documents(model, corpus) shows them at once."
)


def documents(scores: "Scores", rows: list[Row], details: Row) -> Row | None:
    """What the section shows; None where nothing of it was measured."""
    pages: Mapping[str, Sequence[Row]] = details.get("documents") or {}
    firsts = {base_name(name): name for name in reversed(list(pages)) if pages[name]}
    names = [name for name in pages if name in firsts.values()][:MODELS]
    measured = _measured(rows)
    if not names:
        asked = (details.get("settings") or {}).get("ci", 0.95) is not None
        return None if asked or not measured else section([], why=NO_INTERVALS)
    models = [_model(name, pages[name], rows, details) for name in names]
    return section(models, left_out=len({base_name(name) for name in measured} - set(map(base_name, names))))


def section(models: Sequence[Row], left_out: int = 0, why: str = "") -> Row:
    """The section of these models, in the shape that its template reads."""
    return {"models": models, "heading": _heading(models), "left_out": left_out, "why": why}


def reading_section(reading: "Reading") -> Row:
    """The same section of documents that were asked for."""
    numbers = dict(reading.numbers)
    value = numbers["consistency"]
    assign = reading.pages[0]["assign"] if reading.pages else "model"
    told = {
        **{key: numbers[key] for key in ("n_topics", "chance", "shuffled")},
        "consistency": {"value": value, "low": None, "high": None},
        "switch_p": {"value": None if value is None else 1 - value, "low": None, "high": None},
        "spec": None,
        "assign": assign,
    }
    most = [clean(s._asdict()) for s in reading.switches.most(SWITCHES)]
    topics = _topics(reading.switches.counts.tolist(), {}, reading.topics)
    return section([_shown(reading.name, reading.pages, reading.topics, told, most, topics)])


def write_reading(reading: "Reading", path: Path) -> Path:
    """Write one page of documents, whole or not at all."""
    from tealeaves.report import write_page
    from tealeaves.report.render import render_reading

    return write_page(path, render_reading(reading.name, reading_section(reading)))


def _model(name: str, pages: Sequence[Row], rows: list[Row], details: Row) -> Row:
    facts: Row = (details.get("models") or {}).get(name, {})
    lists = facts.get("topics") or []
    matrix: Any = (details.get("switches") or {}).get(name)
    assign = pages[0].get("assign", "model")
    told = {**_numbers(name, assign, rows, details, matrix), "n_topics": facts.get("n_topics")}
    told["assign"] = assign
    ends = {(a, b): (low, high) for a, b, low, high in (details.get("switch_intervals") or {}).get(name, ())}
    leaving = _leaving(name, assign, rows)
    most = []
    if matrix:
        import numpy as np

        from tealeaves.switches import Switches

        for one in Switches(np.array(matrix)).most(SWITCHES):
            low, high = ends.get((one.before, one.after), (None, None))
            most.append(clean({**one._asdict(), "low": low, "high": high}))
    return _shown(name, pages, lists, told, most, _topics(matrix, leaving, lists))


def _shown(
    name: str,
    pages: Sequence[Row],
    lists: Sequence[Sequence[str]],
    numbers: Row,
    most: Sequence[Row],
    topics: Sequence[Row],
) -> Row:
    colour = colours([page["topics"] for page in pages])
    words = [visible(" ".join(words[:3])) for words in lists]
    return {
        "name": name,
        **numbers,
        "pages": [_page(page, colour, words) for page in pages],
        "switches": [
            {**one, "words": [words[k] if k < len(words) else "" for k in (one["before"], one["after"])]}
            for one in most
        ],
        "left_most": topics,
    }


@cache
def _parsed(spec: str) -> "Spec | None":
    from tealeaves.errors import TealeavesError
    from tealeaves.measures._table import parse

    try:
        return parse(spec)
    except TealeavesError:  # a measure of another version
        return None


def _measured(rows: Iterable[Row]) -> list[str]:
    """The models that have a score of their tokens' topics."""
    local = {spec for spec in unique(row["measure"] for row in rows) if _of_tokens(spec)}
    return unique(
        row["model"]
        for row in rows
        if row["level"] == "model" and row["measure"] in local and row["value"] is not None
    )


def _of_tokens(spec: str) -> bool:
    parsed = _parsed(spec)
    return parsed is not None and "token_topics" in parsed.measure.needs


def _is_plain(spec: str, measure: str, assign: str) -> bool:
    """Whether a spec is a measure of tokens' topics as the pages show them, with nothing else changed."""
    parsed, plain = _parsed(spec), _parsed(measure)
    return (
        parsed is not None
        and plain is not None
        and parsed.name == measure
        and dict(parsed.settings) == {**plain.settings, "assign": assign}
    )


def _numbers(name: str, assign: str, rows: Iterable[Row], details: Row, matrix: Any) -> Row:
    """Consistency and what stands beside it: of the spec that the pages are of, or of all pairs counted."""
    found = list(whole(pick(rows, model=name, level="model")))
    beside = (details.get("companions") or {}).get(name) or {}
    values: Row = {}
    chance: Row = {}
    specs = []
    for measure in ("consistency", "switch_p"):
        row = next((row for row in found if _is_plain(row["measure"], measure, assign)), None)
        values[measure] = {key: None if row is None else row.get(key) for key in ("value", "low", "high")}
        if row is not None:
            specs.append(row["measure"])
            for key in ("chance", "shuffled"):
                one = (beside.get(row["measure"]) or {}).get(key)
                turned = one if measure == "consistency" or one is None else 1 - one
                chance.setdefault(key, turned)
    total = sum(map(sum, matrix)) if matrix else 0
    for measure, other in (("consistency", "switch_p"), ("switch_p", "consistency")):
        if values[measure]["value"] is None and values[other]["value"] is not None:
            turn = {"value": "value", "low": "high", "high": "low"}
            ends = {a: values[other][b] for a, b in turn.items()}
            values[measure] = {key: None if x is None else 1 - x for key, x in ends.items()}
    if values["consistency"]["value"] is None and total:
        same = sum(matrix[k][k] for k in range(len(matrix))) / total
        values["consistency"] = {"value": same, "low": None, "high": None}
        values["switch_p"] = {"value": 1 - same, "low": None, "high": None}
    specs += [row["measure"] for row in found if _of_tokens(row["measure"])]
    return {
        **values,
        "chance": chance.get("chance"),
        "shuffled": chance.get("shuffled"),
        "spec": specs[0] if specs else None,
    }


def _leaving(name: str, assign: str, rows: Iterable[Row]) -> dict[int, tuple[float | None, float | None]]:
    """By topic, the interval of how often it is left."""
    ends: dict[int, tuple[float | None, float | None]] = {}
    for row in whole(pick(rows, model=name, level="topic")):
        low, high = row.get("low"), row.get("high")
        if low is None or high is None:
            continue
        if _is_plain(row["measure"], "switch_p", assign):
            ends[row["topic"]] = (low, high)
        elif _is_plain(row["measure"], "consistency", assign):
            ends.setdefault(row["topic"], (1 - high, 1 - low))
    return ends


def _topics(
    matrix: Any, intervals: Mapping[int, tuple[Any, Any]], lists: Sequence[Sequence[str]]
) -> list[Row]:
    """How often each topic is left and reached by a change of topic; the ones left by most words first."""
    if not matrix:
        return []
    import numpy as np

    from tealeaves.switches import Switches

    found = Switches(np.array(matrix))
    away = found.counts.sum(axis=1) - np.diag(found.counts)
    order = [int(k) for k in np.argsort(-away, kind="stable") if away[k] > 0][:SWITCHES]
    return [
        {
            "topic": k,
            "words": visible(" ".join(lists[k][:3])) if k < len(lists) else "",
            "leaving": float(found.leaving[k]),
            "low": intervals.get(k, (None, None))[0],
            "high": intervals.get(k, (None, None))[1],
            "arriving": None if np.isnan(found.arriving[k]) else float(found.arriving[k]),
            "times": int(away[k]),
        }
        for k in order
    ]


def colours(documents: Sequence[Sequence[tuple[int, float]]]) -> dict[int, int]:
    """A colour, 1 to 6, for topics that are large somewhere: two large ones of one document never share one.

    Each document is its topics with their shares, the largest first. Topics that are largest in all are
    coloured first; one for which no colour is left has none here, and gets one of its document's own.

    Examples
    --------
    >>> colours([[(7, 0.9), (3, 0.1)], [(3, 0.6), (9, 0.4)]])
    {7: 1, 3: 2, 9: 1}
    """
    weight: dict[int, float] = {}
    near: dict[int, set[int]] = {}
    for topics in documents:
        large = [k for k, _ in topics[:COLOURS]]
        for k, share in topics[:COLOURS]:
            weight[k] = weight.get(k, 0.0) + share
            near.setdefault(k, set()).update(large)
    found: dict[int, int] = {}
    for k, _ in sorted(weight.items(), key=lambda item: (-item[1], item[0])):
        taken = {found[other] for other in near[k] if other in found}
        free = [c for c in range(1, COLOURS + 1) if c not in taken]
        if free:
            found[k] = free[0]
    return found


def of_document(topics: Sequence[tuple[int, float]], colour: Mapping[int, int]) -> dict[int, int]:
    """The colours of a document's six largest topics, no two the same: also where all documents left none.

    Examples
    --------
    >>> of_document([(4, 0.5), (2, 0.3)], {2: 1})
    {2: 1, 4: 2}
    """
    large = [k for k, _ in topics[:COLOURS]]
    own = {k: colour[k] for k in large if k in colour}
    free = [c for c in range(1, COLOURS + 1) if c not in own.values()]
    own.update(zip([k for k in large if k not in own], free, strict=False))
    return own


def _page(page: Row, colour: Mapping[int, int], words: Sequence[str]) -> Row:
    own = of_document(page["topics"], colour)
    legend = [
        {"topic": k, "colour": own[k], "words": words[k] if k < len(words) else "", "share": share}
        for k, share in page["topics"][:COLOURS]
    ]
    others = page["topics"][COLOURS:]
    strip = [own.get(k, 0) if k >= 0 else -1 for k in page["strip"]]
    return {
        **page,
        "why": page.get("why", "" if page["original"] else "the corpus keeps no text"),
        "legend": legend,
        "others": {"n": len(others), "share": sum(share for _, share in others)},
        "pieces": _pieces(page, own),
        "strip": strip,
        "names": {str(k): words[k] for k in _named(page) if k < len(words)},
    }


def _named(page: Row) -> list[int]:
    """Every topic that a word of the passage has or could have."""
    tokens = page["tokens"]
    return sorted({int(k) for _, _, z, others in tokens for k in (z, *(k for k, _ in others)) if k >= 0})


def _pieces(page: Row, colour: Mapping[int, int]) -> list[Row]:
    """The text cut into words with a topic, words without one, and what stands between."""
    pieces: list[Row] = []
    text, at, before = page["text"], 0, None
    for start, end, topic, alternatives in page["tokens"]:
        if start < at:
            continue  # an n-gram's parts lie inside it
        if start > at:
            pieces.append({"text": BLANKS.sub("\n\n", text[at:start]), "kind": "plain"})
        piece: Row = {"text": text[start:end], "kind": "word" if topic >= 0 else "unknown"}
        if topic >= 0:
            alike = " ".join(f"{k}:{p:.2f}" for k, p in alternatives)
            piece.update(topic=topic, colour=colour.get(topic, 0), new=topic != before, alike=alike)
            before = topic
        pieces.append(piece)
        at = end
    if at < len(text):
        pieces.append({"text": BLANKS.sub("\n\n", text[at:]), "kind": "plain"})
    return pieces


def _heading(models: Sequence[Row]) -> str:
    switching = models[0]["switch_p"]["value"] if models else None
    if switching is None:
        return "In the documents"
    of = f" in {models[0]['name']}" if len(models) > 1 else ""
    return (
        f"In the documents: neighbouring words change topic in {number(100 * switching, 0)} of 100 cases{of}"
    )
