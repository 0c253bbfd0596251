"""Items as the organiser looks at them: what raters see, the key, and where everything is from."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tealeaves.human.item_sets import Item, ItemSet

SHOWN, PAGE = 6, 50
LONG = 160  # letters of a document that a table shows
UNSAID = ("once", "intruder", "features")  # of provenance: said elsewhere in the row, or long
WITHOUT = 8  # topics without an item that are named one by one
_COUNTED = re.compile(r"none of the \d+ candidates is|the one candidate is not")


def preview(items: "ItemSet", page: int | None = None) -> dict[str, Any]:
    """The first few items, or one page of all; and what is to be known of the whole set.

    Parameters
    ----------
    items : ItemSet
        With keys: this is for organisers only.
    page : int, optional
        From 1; None: the first of each role.
    """
    total = len(items)
    if page is None:
        chosen = _first(items)
        first = 1
    else:
        page = min(max(page, 1), max(1, -(-total // PAGE)))
        first = (page - 1) * PAGE + 1
        chosen = list(items)[first - 1 : first - 1 + PAGE]
    roles = {
        role: sum(item.role == role for item in items) for role in ("item", "practice", "check", "control")
    }
    kinds = [f"{n} {_ROLES[role]}" for role, n in roles.items() if n]
    has_key = any(item.key is not None for item in items)
    return {
        "rows": [_row(item) for item in chosen],
        "sub": f"{', '.join(kinds)}." if kinds else "No items.",
        "has_key": has_key,
        "key_name": "Key" if has_key else "Right answer",
        "notes": [*items.notes, *without(items)],
        "total": total,
        "more": page is None and total > len(chosen),
        "first": first,
        "last": first + len(chosen) - 1,
        "before": page - 1 if page is not None and page > 1 else None,
        "after": page + 1 if page is not None and page * PAGE < total else None,
        "rule": _RULES.get(items.task, ""),
    }


_ROLES = {"item": "that count", "practice": "for practice", "check": "checks", "control": "controls"}
_RULES = {
    "word_intrusion": "the intruder is among the top words of another topic, outside the top 50 and in the "
    "lower half here, shares no word stem, and is about as frequent as the topic’s words.",
    "topic_intrusion": "three topics that the document has most of, and one it has least of.",
    "topic_word_matching": "the topic the word is assigned to, the three most probable others in the "
    "document, and one drawn at random; none twice.",
    "temporal_word_intrusion": "five slices evenly apart; the intruder is a top word of another topic.",
}


def without(items: "ItemSet") -> list[str]:
    """Which topics have no valid item, and why: a sentence for each rule; its counts stay with the items."""
    reasons: dict[str, list[str]] = {}
    for model, topic, why in items.without:
        rule = _COUNTED.sub("no candidate is", why)
        reasons.setdefault(rule, []).append(f"{model} {topic}" if topic is not None else model)
    said = []
    for why, topics in reasons.items():
        named = ", ".join(topics[:WITHOUT]) + (
            f" and {len(topics) - WITHOUT} more" if len(topics) > WITHOUT else ""
        )
        what = "topic has" if len(topics) == 1 else "topics have"
        said.append(f"{len(topics)} {what} no valid item ({named}): {why}")
    return said


def _first(items: "Sequence[Item]") -> "list[Item]":
    """A few that count and one of each other role, so that every kind is seen before the start."""
    counting = [item for item in items if item.role == "item"][:SHOWN]
    others = [
        next((item for item in items if item.role == role), None) for role in ("practice", "check", "control")
    ]
    return [*counting, *(item for item in others if item is not None)]


def _row(item: "Item") -> dict[str, Any]:
    return {
        "id": item.id,
        "model": item.model,
        "topic": item.topic,
        "role": item.role,
        "lines": _lines(item),
        "key": item.key,
        "source": _source(item.hidden),
    }


def _lines(item: "Item") -> list[dict[str, str]]:
    """What a rater sees, cut where it is long."""
    shown, lines = item.shown, []
    if "slices" in shown:
        lines += [{"name": str(one["label"]), "text": ", ".join(one["words"])} for one in shown["slices"]]
    for name in ("first", "second"):
        if name in shown:
            documents = len(shown[name].get("documents", ()))
            beside = f" (and {documents} documents)" if documents else ""
            lines.append({"name": name, "text": ", ".join(shown[name]["words"]) + beside})
    if "before" in shown:
        before, after = str(shown["before"])[-LONG // 2 :], str(shown["after"])[: LONG // 2]
        lines.append({"name": "text", "text": f"…{before}[{shown['word']}]{after}…"})
    if "text" in shown:
        title = str(shown.get("title") or "").strip()
        stop = "" if not title or title[-1] in ".!?…:" else "."
        lines.append({"name": "document", "text": _cut(f"{title}{stop} {shown['text']}".strip())})
    if "words" in shown:
        lines.append({"name": "", "text": ", ".join(shown["words"])})
    if any(" " in option for option in item.options):  # each is words: a line of its own
        lines += [{"name": "option", "text": option} for option in item.options]
    elif item.options:
        lines.append({"name": "options", "text": ", ".join(item.options)})
    return lines


def _source(hidden: dict[str, Any]) -> str:
    """Provenance in one line; long lists stay in the file."""
    parts = []
    for name, value in hidden.items():
        if name in UNSAID:
            continue
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            shown = f"{value:.3g}" if isinstance(value, float) else _cut(str(value), 60)
            parts.append(f"{name.replace('_', ' ')} {shown}")
        elif isinstance(value, list) and value and all(isinstance(one, (str, int)) for one in value):
            parts.append(f"{name.replace('_', ' ')} {_cut(', '.join(map(str, value)), 60)}")
    return "; ".join(parts)


def _cut(text: str, most: int = LONG) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
