"""Documents as a person reads them, their words coloured by topic."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tealeaves.report.rows import Row, pick, whole
from tealeaves.runs import base_name
from tealeaves.verdicts import number

if TYPE_CHECKING:
    from tealeaves.scores import Scores

COLOURS = 6  # that people of every colour vision can tell apart; a document's other topics are grey
MODELS = 4  # of whose documents are shown: more would be a book


def documents(scores: "Scores", rows: list[Row], details: Row) -> Row | None:
    """What the section shows; None where nothing of it was measured."""
    pages: Mapping[str, Sequence[Row]] = details.get("documents") or {}
    firsts = {base_name(name): name for name in reversed(list(pages)) if pages[name]}
    names = [name for name in pages if name in firsts.values()][:MODELS]
    if not names:
        return None
    models = [_model(name, pages[name], rows, details) for name in names]
    return {
        "models": models,
        "heading": _heading(models),
        "switches": [s for s in (_switches(name, details) for name in names) if s],
        "left_out": len(firsts) - len(names),
    }


def _model(name: str, pages: Sequence[Row], rows: list[Row], details: Row) -> Row:
    lists = (details.get("models") or {}).get(name, {}).get("topics") or []
    colour = colours([[k for k, _ in page["topics"][:COLOURS]] for page in pages])
    values = {row["measure"].partition("(")[0]: row for row in whole(pick(rows, model=name, level="model"))}
    companions = (details.get("companions") or {}).get(name) or {}
    beside: Row = next(
        (numbers for spec, numbers in companions.items() if spec.startswith("consistency")), {}
    )
    return {
        "name": name,
        "consistency": (values.get("consistency") or {}).get("value"),
        "switch_p": (values.get("switch_p") or {}).get("value"),
        "chance": beside.get("chance"),
        "n_topics": (details.get("models") or {}).get(name, {}).get("n_topics"),
        "pages": [_page(page, colour, lists) for page in pages],
        "topics": {str(k): " ".join(words[:3]) for k, words in enumerate(lists)},
    }


def colours(documents: Sequence[Sequence[int]]) -> dict[int, int]:
    """A colour, 1 to 6, for each topic that is large somewhere: two topics of one document never share one.

    Examples
    --------
    >>> colours([[7, 3], [3, 9]])
    {3: 1, 7: 2, 9: 2}
    """
    often = Counter(k for topics in documents for k in topics)
    near: dict[int, set[int]] = {k: set() for k in often}
    for topics in documents:
        for k in topics:
            near[k].update(topics)
    found: dict[int, int] = {}
    for k, _ in sorted(often.items(), key=lambda item: (-item[1], item[0])):
        taken = {found[other] for other in near[k] if other in found}
        free = [c for c in range(1, COLOURS + 1) if c not in taken]
        if free:
            found[k] = free[0]
    return found


def _page(page: Row, colour: Mapping[int, int], lists: Sequence[Sequence[str]]) -> Row:
    def words(k: int) -> str:
        return " ".join(lists[k][:3]) if k < len(lists) else ""

    legend = [
        {"topic": k, "colour": colour.get(k, 0), "words": words(k), "share": share}
        for k, share in page["topics"][:COLOURS]
    ]
    own = {entry["topic"]: entry["colour"] for entry in legend}  # a seventh topic is grey
    strip = [own.get(k, 0) if k >= 0 else -1 for k in page["strip"]]
    return {**page, "legend": legend, "pieces": _pieces(page, own), "strip": strip}


def _pieces(page: Row, colour: Mapping[int, int]) -> list[Row]:
    """The text cut into words with a topic, words without one, and what stands between."""
    pieces: list[Row] = []
    text, at, before = page["text"], 0, None
    for start, end, topic, alternatives in page["tokens"]:
        if start < at:
            continue  # an n-gram's parts lie inside it
        if start > at:
            pieces.append({"text": text[at:start], "kind": "plain"})
        piece: Row = {"text": text[start:end], "kind": "word" if topic >= 0 else "unknown"}
        if topic >= 0:
            alike = " ".join(f"{k}:{p:.2f}" for k, p in alternatives)
            piece.update(topic=topic, colour=colour.get(topic, 0), new=topic != before, alike=alike)
            before = topic
        pieces.append(piece)
        at = end
    if at < len(text):
        pieces.append({"text": text[at:], "kind": "plain"})
    return pieces


def _heading(models: Sequence[Row]) -> str:
    switching = models[0]["switch_p"]
    if switching is None and models[0]["consistency"] is not None:
        switching = 1 - models[0]["consistency"]
    if switching is None:
        return "In the documents"
    of = f" in {models[0]['name']}" if len(models) > 1 else ""
    return (
        f"In the documents: neighbouring words change topic in {number(100 * switching, 0)} of 100 cases{of}"
    )


def _switches(name: str, details: Row) -> Row | None:
    """The pairs of topics that words change between most, of the details' switch matrix."""
    matrix: Any = (details.get("switches") or {}).get(name)
    if not matrix:
        return None
    lists = (details.get("models") or {}).get(name, {}).get("topics") or []
    total = sum(map(sum, matrix)) or 1
    pairs = [
        {"from": i, "to": j, "count": matrix[i][j] + matrix[j][i]}
        for i in range(len(matrix))
        for j in range(i)
        if matrix[i][j] + matrix[j][i]
    ]
    pairs.sort(key=lambda pair: -pair["count"])
    shown = [
        {
            "a": pair["to"],
            "b": pair["from"],
            "share": pair["count"] / total,
            "words": [" ".join(lists[k][:3]) if k < len(lists) else "" for k in (pair["to"], pair["from"])],
        }
        for pair in pairs[:8]
    ]
    return {"name": name, "pairs": shown} if shown else None
