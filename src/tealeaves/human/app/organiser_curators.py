"""What two curators' reference topics have in common, and where they differ, as the page shows it."""

from collections.abc import Mapping
from typing import Any

from tealeaves.human.app.organiser_words import count, is_nan, signed
from tealeaves.human.curation import Curation
from tealeaves.human.curation_alike import pairs_of
from tealeaves.human.curation_merge import Merged, merge_curations

PAIRS = 3  # of curators that are compared on the page
WORDS = 12  # of a cell
NAMES = {"reference topics": "Topics of both", "names": "Of these, named alike", "words": "Words",
         "documents": "Documents", "model topics": "Topics of models used"}  # fmt: skip


def differences(slug: str, logs: Mapping[str, Curation]) -> list[dict[str, Any]]:
    """A part of the page for every two curators; the first few, where there are many."""
    return [_pair(slug, merge_curations(one, two)) for one, two in pairs_of(logs)[:PAIRS]]


def _pair(slug: str, merged: Merged) -> dict[str, Any]:
    first, second = merged.curators
    both = sum(match.first is not None and match.second is not None for match in merged.matches)
    alone = len(merged.matches) - both
    out = f"tealeaves study export {slug} --reference-topics themes.json --corpus CORPUS"
    return {
        "first": first,
        "second": second,
        "heading": f"{first} and {second}: {count(both, 'topic')} of both, {alone} of one alone",
        "sub": "Topics of one name are one, and else those that are most alike in model topics, words and "
        "documents. The least alike come first.",
        "agreement": [(NAMES[row["of"]], _said(row)) for row in merged.agreement.to_dicts()],
        "command": f"{out} --curator {first} --curator {second}",
        "rows": [_row(row) for row in merged.differences.to_dicts()],
    }


def _said(row: Mapping[str, Any]) -> str:
    if is_nan(row["value"]):
        return f"none: {row['reason']}"
    if row["coefficient"] == "share":
        return f"{row['value']:.0%}"
    return (
        f"α {signed(row['value'])}, ticked or not, of {row['n']:,}"
        if row["of"] != "model topics"
        else (f"α {signed(row['value'])}, used or set aside, of {row['n']:,}")
    )


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    parts = [len(row[f"documents_{side}"]) for side in ("both", "first", "second")]
    return {
        "first": row["first"],
        "second": row["second"],
        "alike": signed(row["likeness"]),
        "both": _words(row["words_both"]),
        "only_first": _words(row["words_first"]),
        "only_second": _words(row["words_second"]),
        "documents": f"{parts[0]} of both, {parts[1]} and {parts[2]}" if any(parts) else "—",
    }


def _words(words: list[str]) -> str:
    more = f" and {len(words) - WORDS} more" if len(words) > WORDS else ""
    return ", ".join(words[:WORDS]) + more
