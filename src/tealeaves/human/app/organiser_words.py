"""How the organiser's pages say numbers, times and tasks."""

import math
import re
from datetime import datetime
from typing import Any

TASKS = {
    "word_intrusion": "Word intrusion",
    "topic_intrusion": "Topic intrusion",
    "word_set_intrusion": "Word-set intrusion",
    "topic_word_matching": "Topic-word matching",
    "temporal_word_intrusion": "Temporal word intrusion",
    "word_set_rating": "Word-set rating",
    "temporal_rating": "Temporal rating",
    "topic_pair_matching": "Topic pairs",
    "topic_labelling": "Topic labelling",
    "reference_topic_curation": "Reference-topic curation",
}
# What an answer is scored by: its name, its ends, and what guessing gives among so many options.
MEASURES = {
    "word_intrusion": "Model precision",
    "topic_intrusion": "Share who found the intruder",
    "word_set_intrusion": "Share who found the intruder",
    "topic_word_matching": "Share who found the topic",
    "temporal_word_intrusion": "Share who found the intruder",
    "word_set_rating": "Mean rating, 1 to 3",
    "temporal_rating": "Mean relatedness, 1 to 3",
    "topic_pair_matching": "Mean label, 0 to 1",
    "topic_labelling": "Share who found a label",
}
STATES = {
    "waiting": "without items yet",
    "working": "at work",
    "away": "away",
    "completed": "finished",
    "screened_out": "screened out",
    "quiz": "failed the quiz",
    "full": "came too late",
    "timed_out": "ran out of time",
    "withdrew": "withdrew",
    "closed": "stopped by the end",
}
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_MONEY = re.compile(r"^\s*(?P<before>[^\d\s.,-]*)\s*(?P<amount>\d+(?:[.,]\d{1,2})?)\s*(?P<after>[^\d\s]*)")


def signed(value: float, digits: int = 2) -> str:
    """A number with a true minus sign; a dash where there is none.

    Examples
    --------
    >>> signed(-0.031), signed(float("nan"))
    ('−0.03', '—')
    """
    return "—" if math.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def is_nan(value: float | None) -> bool:
    """Whether a number is undefined, or not there."""
    return value is None or math.isnan(value)


def interval(low: float, high: float) -> str:
    """An interval, or nothing where it is undefined.

    Examples
    --------
    >>> interval(-0.1, 0.25)
    '[−0.10, 0.25]'
    """
    return "" if math.isnan(low) or math.isnan(high) else f"[{signed(low)}, {signed(high)}]"


def seconds(value: float) -> str:
    """A time an answer took.

    Examples
    --------
    >>> seconds(9.24), seconds(133.0), seconds(float("nan"))
    ('9.2 s', '2 min 13 s', '—')
    """
    if math.isnan(value):
        return "—"
    if value < 99.95:
        return f"{value:.1f} s"
    return f"{int(value) // 60} min {int(value) % 60} s"


def moment(when: str | None) -> str:
    """A time of the exports as a sentence has it.

    Examples
    --------
    >>> moment("2026-11-12T14:03:22Z"), moment(None)
    ('12 November, 14:03 UTC', '')
    """
    if not when:
        return ""
    at = datetime.fromisoformat(when)
    return f"{at.day} {MONTHS[at.month - 1]}, {at:%H:%M} UTC"


def count(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun; small ones as words only where a sentence begins is left to the caller.

    Examples
    --------
    >>> count(1, "item"), count(3558, "answer")
    ('1 item', '3,558 answers')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def money(payment: str, times: float = 1.0) -> str | None:
    """A payment so many times, in the same currency; None where the payment is no amount.

    Examples
    --------
    >>> money("£2.00", 94), money("1,50 € an hour", 10), money("a voucher")
    ('£188', '15 €', None)
    """
    found = _MONEY.match(payment)
    if found is None:
        return None
    total = float(found["amount"].replace(",", ".")) * times
    shown = f"{total:,.2f}" if total < 20 and total % 1 else f"{total:,.0f}"
    after = f" {found['after']}" if found["after"] else ""
    return f"{found['before']}{shown}{after}"


def plain(value: Any) -> str:
    """An answer as a table shows it.

    Examples
    --------
    >>> plain({"choice": "dividend", "familiarity": "most"}), plain({"rating": 3})
    ('dividend; familiarity: most', 'rating: 3')
    """
    if not isinstance(value, dict):
        return str(value)
    parts = []
    for name, one in value.items():
        text = ", ".join(map(str, one)) if isinstance(one, list) else str(one)
        parts.append(text if name == "choice" else f"{name}: {text}")
    return "; ".join(parts)
