"""What the reader should be warned of, the most serious first."""

from collections.abc import Sequence

from tealeaves.report.rows import Row, capital, unique
from tealeaves.report.topics import MATRIX

LEVELS = ("Stop", "Look", "Note")
PREPARE = "Give a reference that was prepared like the model's text, or judge without such words: "
ONCE = (
    "Every model was fitted once.",
    "Another random start can reverse a ranking. Fit each at least five times and pass the runs together.",
)
NO_BANDS = (
    "No random word lists were drawn.",
    "Verdicts compare with 0, which is independence, instead of what lists of equally frequent words reach. "
    "Evaluate with chance=200.",
)
BY_PAIRS = (
    "Verdicts are judged by the pair matrix alone.",
    f"NPMI by documents of at most {MATRIX} words was not measured: what decides is the mean of the "
    "pairs, without an interval or random lists.",
)


def notices(details: Row, models: Sequence[Row], table: Row) -> list[Row]:
    """Return warnings as ``level`` (one of ``LEVELS``), ``title`` and ``says``."""
    found = [
        (
            "Look",
            f"{c['title']} ({c['spec']}) {'have' if 'measures' in c else 'has'} no value.",
            f"{capital(c['reason'])}.",
        )
        for c in table["missing"]
    ]
    found += [_unjudged(m) for m in models if m["counts"]["unknown"] and not m["unasked"]]
    if table["most_runs"] < 2 and len(table["models"]) > 1:
        found.append(("Look", *ONCE))
    if models and not any(m["band"] for m in models):
        found.append(("Look", *NO_BANDS))
    if any(m["by_pairs"] for m in models):
        found.append(("Note", *BY_PAIRS))
    noted = {
        f"{name}: {note}"
        for name, m in (details.get("models") or {}).items()
        for note in m.get("notes") or []
    }
    found += [_given(str(text)) for text in details.get("warnings") or [] if str(text) not in noted]
    for role, corpus in (details.get("corpora") or {}).items():
        found += [("Note", f"{role.capitalize()}.", str(note)) for note in (corpus or {}).get("notes") or []]
    found += [("Note", f"{model['shown']}.", str(note)) for model in models for note in model["notes"]]
    rows = [{"level": level, "title": title, "says": says} for level, title, says in unique(found)]
    return sorted(rows, key=lambda row: LEVELS.index(row["level"]))


def _unjudged(model: Row) -> tuple[str, str, str]:
    unknown, total = model["counts"]["unknown"], len(model["topics"])
    absent = unique(w for t in model["topics"] for w in t["absent"])
    says = ""
    if absent:
        more = " …" if len(absent) > 8 else ""
        says = f'Absent from the reference: {", ".join(absent[:8])}{more}. {PREPARE}npmi(oov="drop")@10.'
    title = f"{model['shown']}: {unknown} of {total} topics cannot be judged."
    return ("Stop" if unknown > total / 2 else "Look"), title, says


def _given(text: str) -> tuple[str, str, str]:
    """A warning of the scores; "Stop: …" carries its level."""
    level, colon, rest = text.partition(":")
    if colon and level.strip().capitalize() in LEVELS:
        return level.strip().capitalize(), "", rest.strip()
    return "Look", "", text
