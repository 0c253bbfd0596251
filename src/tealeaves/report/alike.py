"""Pairs of topics of one model that share top words or weights; over time, in the same slices."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from tealeaves.report.rows import Row
from tealeaves.verdicts import Thresholds

TOP = 10  # words compared
RELATED = 2  # from so many shared words on, a pair is shown as related
SHOWN = 200
SIMILAR = 0.8  # of pairs that share fewer than half of their words, the scores hold cosines from here on


def related(details: Row, names: Sequence[str]) -> list[Row]:
    """Return the pairs of topics that share words, or that the scores call similar, the most alike first.

    Each is ``model_a``, ``topic_a``, ``model_b``, ``topic_b``, ``shared``, ``words``, and ``cosine``, None
    for the reason ``without``. Topics over time are held against each other slice by slice: ``shared`` is
    what they share in at least half of the ``slices`` that both are in (None for other models), ``words``
    what they share most often.
    """
    given = {}
    for pair in details.get("similar") or []:
        given[pair["model_a"], pair["topic_a"], pair["model_b"], pair["topic_b"]] = pair
    found = []
    for name in names:
        about = (details.get("models") or {}).get(name) or {}
        if about.get("slice_topics"):
            found += _related_over_time(name, about["slice_topics"])
            continue
        topics = about.get("topics") or []
        lists = [list(dict.fromkeys(topic[:TOP])) for topic in topics]
        shared = _shared(lists)
        own = {(a, b): p for (m, a, n, b), p in given.items() if m == n == name}
        for a, b in {**dict.fromkeys(own), **dict.fromkeys(k for k, n in shared.items() if n >= RELATED)}:
            second = set(lists[b])
            words = [word for word in lists[a] if word in second]
            cosine = (own.get((a, b)) or {}).get("cosine")
            pair = {"model_a": name, "topic_a": a, "model_b": name, "topic_b": b, "words": words}
            without = f"under {SIMILAR:.2f}" if about.get("weights") else "no weights"
            found.append({**pair, "shared": len(words), "cosine": cosine, "without": without, "slices": None})
    return sorted(found, key=lambda p: (-p["shared"], -(p["cosine"] or 0.0)))


def _related_over_time(name: str, slices: Sequence[Sequence[Sequence[str]]]) -> list[Row]:
    shared: dict[tuple[int, int], list[int]] = {}
    words: dict[tuple[int, int], Counter[str]] = {}
    both: Counter[tuple[int, int]] = Counter()
    for topics in slices:
        lists = [list(dict.fromkeys(topic[:TOP])) for topic in topics]
        both.update(combinations([k for k, topic in enumerate(lists) if topic], 2))
        for (a, b), n in _shared(lists).items():
            shared.setdefault((a, b), []).append(n)
            words.setdefault((a, b), Counter()).update(w for w in lists[a] if w in lists[b])
    found = []
    for (a, b), counts in shared.items():
        half = (both[a, b] + 1) // 2
        usual = sorted(counts, reverse=True)[half - 1] if len(counts) >= half else 0
        if usual >= RELATED:
            often = [word for word, _ in words[a, b].most_common(usual)]
            pair = {"model_a": name, "topic_a": a, "model_b": name, "topic_b": b}
            pair |= {"words": often, "without": "not over time"}
            found.append({**pair, "shared": usual, "cosine": None, "slices": both[a, b]})
    return found


def by_topic(pairs: Sequence[Row]) -> dict[tuple[str, int], list[tuple[int, Row]]]:
    """Index pairs by model and topic: the other topic, and the pair."""
    found: dict[tuple[str, int], list[tuple[int, Row]]] = {}
    for p in pairs:
        found.setdefault((p["model_a"], p["topic_a"]), []).append((p["topic_b"], p))
        found.setdefault((p["model_a"], p["topic_b"]), []).append((p["topic_a"], p))
    return found


def _shared(lists: Sequence[Sequence[str]]) -> Counter[tuple[int, int]]:
    """How many words each two topics share; found by word, since most topics share none."""
    holders: dict[str, list[int]] = {}
    for k, words in enumerate(lists):
        for word in words:
            holders.setdefault(word, []).append(k)
    return Counter(pair for topics in holders.values() for pair in combinations(topics, 2))


def twins(pairs: Sequence[Row], t: Thresholds) -> Row:
    """Return the table of near-duplicates and related topics."""
    rows = [
        {**p, "merge": p["shared"] >= t.shared_words or (p["cosine"] or 0.0) >= t.cosine}
        for p in pairs[:SHOWN]
    ]
    merges = sum(row["merge"] for row in rows)
    if not merges:
        heading = "No near-duplicate topics"
    elif merges == 1:
        heading = "One near-duplicate pair of topics"
    else:
        heading = f"{merges} near-duplicate pairs of topics"
    return {"heading": heading, "rows": rows, "left_out": max(0, len(pairs) - SHOWN)}
