"""What the reader should be warned of, the most serious first."""

from collections.abc import Sequence

from tealeaves.report.rows import Row, capital, measure_facts, names_of, unique
from tealeaves.report.topics import MATRIX

LEVELS = ("Stop", "Look", "Note")
ABSENT = "topics are undefined or shortened"  # of the warning that a reference lacks words
NAMED = 3  # models at most in front of a warning
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
NO_BANDS_OVER_TIME = (
    "No random word lists are drawn for topics over time.",
    "Their verdicts compare with 0, which is independence.",
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
    judged = [m for m in models if not m["unasked"]]
    if judged and not any(m["band"] for m in judged):
        over_time = all(m["over_time"] for m in judged)
        found.append(("Note", *NO_BANDS_OVER_TIME) if over_time else ("Look", *NO_BANDS))
    if any(m["by_pairs"] for m in models):
        found.append(("Note", *BY_PAIRS))
    noted = {
        f"{name}: {note}"
        for name, m in (details.get("models") or {}).items()
        for note in m.get("notes") or []
    }
    told = [m["name"] for m in models if m["counts"]["unknown"] and not m["unasked"]]
    noted |= {text for text in map(str, details.get("warnings") or []) if _told(text, told)}
    given = [str(text) for text in details.get("warnings") or [] if str(text) not in noted]
    found += [_given(text) for text in said_once(given, list(details.get("models") or {}))]
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


def _told(text: str, names: Sequence[str]) -> bool:
    """Whether a warning says of one of these models only that words are absent, as `_unjudged` does."""
    return text.partition(":")[0] in names and ABSENT in text


def said_once(texts: Sequence[str], models: Sequence[str]) -> list[str]:
    """Warnings that say the same of several models, or of several measures, as one.

    Examples
    --------
    >>> said_once(["a: perplexity leaves out 2%", "b: perplexity leaves out 2%"], ["a", "b"])
    ['a and b: perplexity leaves out 2%']
    >>> said_once(["a: perplexity leaves out 2%", "a: bits_per_word leaves out 2%"], ["a"])
    ['a: perplexity leaves out 2%; so does bits_per_word']
    """
    of: dict[str, list[str]] = {}  # what is said, and of whom
    for text in texts:
        name, colon, rest = text.partition(": ")
        known = bool(colon) and name in models
        of.setdefault(rest if known else text, []).extend([name] if known else [])
    alike: dict[tuple[str, ...], list[str]] = {}  # whom, and what, with the measure: those that say it
    for said, names in of.items():
        measure, _, rest = said.partition(" ")
        about = measure if measure_facts(measure)["best"] is not None else ""
        alike.setdefault((*names, "", rest if about else said), []).append(about)
    found = []
    for (*names, _, said), measures in alike.items():
        first, *others = measures
        text = f"{first} {said}" if first else said
        if others:
            text += f"; so do{'es' if len(others) == 1 else ''} {names_of(others)}"
        found.append(f"{_whom(names)}: {text}" if names else text)
    return found


def _whom(names: Sequence[str]) -> str:
    if len(names) <= NAMED:
        return names_of(names)
    return names_of([*names[: NAMED - 1], f"{len(names) - NAMED + 1} more models"])


def _given(text: str) -> tuple[str, str, str]:
    """A warning of the scores; "Stop: …" carries its level."""
    level, colon, rest = text.partition(":")
    if colon and level.strip().capitalize() in LEVELS:
        return level.strip().capitalize(), "", rest.strip()
    return "Look", "", text
