"""A verdict in plain words for each topic, by rules and thresholds that are named and printed.

A verdict is a reading aid, not a judge: it is made from numbers that the report shows beside it, and
the sentence says which of them decided.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

STRONG = 0.2  # two words with such an NPMI go together
NOISE = 1e-12  # of arithmetic: such a number is 0
NEVER = -1.0 + 1e-9  # the NPMI of two words that share no document is -1, its limit
DIGITS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
VERDICTS = ("keep", "check", "split", "merge", "drop", "unknown")
LABELS = {
    "keep": "Keep",
    "check": "Check",
    "split": "Split",
    "merge": "Merge",
    "drop": "Drop",
    "unknown": "Cannot say",
}


@dataclass(frozen=True)
class Thresholds:
    """Where one verdict ends and the next begins; the report prints them under Method.

    Parameters
    ----------
    shared_words : int
        Merge: another topic of the model shares at least so many of the top words.
    cosine : float
        Merge: or its words have weights of at least this cosine similarity.
    within, across : float
        Split: both groups of words have a mean NPMI of at least ``within`` and the pairs between
        them one of at most ``across``.
    gap : float
        Split: or the groups' mean NPMI is higher by ``gap`` inside than between.
    match : float
        Found again: the topic matched to it in another run has at least this cosine similarity.
    found : float
        Check: found again in fewer than this share of the other runs.
    min_runs : int
        Check: with fewer other runs than this, nothing is said about runs.
    odd_words : int
        At most so many words are named as not belonging and left out of the interval.
    chance : float
        What stands in for the random word lists where none were drawn: 0 is independence.
    """

    shared_words: int = 5
    cosine: float = 0.80
    within: float = 0.10
    across: float = 0.0
    gap: float = 0.30
    match: float = 0.70
    found: float = 0.5
    min_runs: int = 2
    odd_words: int = 2
    chance: float = 0.0


DEFAULTS = Thresholds()


class Neighbour(NamedTuple):
    """Another topic of the same model: its number, the top words in common, the cosine (or nan)."""

    topic: int
    shared: int
    cosine: float = float("nan")


@dataclass(frozen=True, eq=False)
class TopicFacts:
    """What is known of one topic.

    Parameters
    ----------
    words : sequence of str
        The n top words, best first.
    npmi, low, high : float
        Its coherence and the interval, nan where there is none.
    pairs : float array of shape (n, n)
        NPMI of each two words over documents, nan where undefined.
    chance : (float, float, float) or None
        5th, 50th and 95th percentile of random lists of equally frequent words.
    neighbours : sequence of Neighbour
        The other topics of the model that share words with it.
    absent : sequence of str
        Words that are in no document of the reference.
    runs : sequence of float
        For each other run of the model, the cosine of the topic matched to this one.
    reason : str
        Why ``npmi`` is undefined.
    people : str
        What people said of it, put after the sentence; it overrides nothing.
    """

    words: Sequence[str]
    npmi: float
    low: float = float("nan")
    high: float = float("nan")
    pairs: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    chance: tuple[float, float, float] | None = None
    neighbours: Sequence[Neighbour] = ()
    absent: Sequence[str] = ()
    runs: Sequence[float] = ()
    reason: str = ""
    people: str = ""


@dataclass(frozen=True)
class Verdict:
    """The verdict's name (one of ``VERDICTS``), its sentence, and the words that do not belong."""

    name: str
    sentence: str
    odd: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The word to show."""
        return LABELS[self.name]


def judge(facts: TopicFacts, thresholds: Thresholds = DEFAULTS) -> Verdict:
    """Judge one topic: the first rule that holds, and a sentence that says why.

    In this order: *unknown* (a top word is absent from the reference, or NPMI is undefined), *drop*
    (no better than the median random list), *merge* (says the same as another topic), *split* (two
    groups of words), *check* (the interval reaches what random lists reach, or other runs do not
    find it), otherwise *keep*.

    Examples
    --------
    >>> pairs = np.array([[1.0, 0.6, 0.5], [0.6, 1.0, -1.0], [0.5, -1.0, 1.0]])
    >>> facts = TopicFacts(("oil", "opec", "hughes"), npmi=0.03, low=-0.1, high=0.2, pairs=pairs)
    >>> verdict = judge(facts)
    >>> verdict.name
    'check'
    >>> verdict.sentence.rpartition(": ")[2]
    'oil and opec go together; opec shares no document with hughes.'
    """
    name, sentence, odd = _judge(facts, thresholds)
    return Verdict(name, f"{sentence} {facts.people}".strip(), odd)


def _judge(facts: TopicFacts, t: Thresholds) -> tuple[str, str, tuple[str, ...]]:
    if facts.absent or np.isnan(facts.npmi):
        return "unknown", _unknown(facts), ()
    drawn = facts.chance is not None
    c05, c50, c95 = facts.chance if facts.chance is not None else (t.chance,) * 3
    if facts.npmi <= c50:
        return "drop", _drop(facts, c05, c95, drawn), ()
    twin = _twin(facts, t)
    if twin is not None:
        return "merge", _merge(facts, twin, t), ()
    split = _split(facts, t)
    if split is not None:
        return "split", split, ()
    odd = odd_words(facts.pairs, min(0.0, c50), t.odd_words)
    rest = [i for i in range(len(facts.words)) if i not in odd]
    without = _mean_pair(facts.pairs, rest) if odd else facts.npmi
    half = facts.npmi - facts.low if not np.isnan(facts.low) else 0.0
    names = tuple(facts.words[i] for i in odd)
    together = f"NPMI {number(without)}" + (f" without {_list(names)}" if odd else "")
    ignore = f" Ignore {_list(names)}: {_odd_reason(facts, odd)}." if odd else ""
    if without - half <= c95:
        less = "random words of the same frequency reach" if drawn else "chance alone gives"
        if without > c95:
            weak = f"The words go together ({together}), but that may be as low as {number(without - half)}"
            weak += f", and {less} {number(c95)}"
        elif without >= STRONG:
            weak = f"The words go together ({together}), but {less} {number(c95)}"
        else:
            weak = f"The words go together only a little ({together}), and {less} {number(c95)}"
        return "check", f"{weak}: {evidence(facts)}.", names
    again = sum(cosine >= t.match for cosine in facts.runs)
    if len(facts.runs) >= t.min_runs and again < t.found * len(facts.runs):
        finds = "no other run finds" if not again else f"only {_of(again, len(facts.runs))} other runs find"
        best = number(max(facts.runs))
        accident = f"it (best match {best}): it may be an accident of this start."
        return "check", f"The words go together ({together}), but {finds} {accident}{ignore}", names
    reach = f"; random words reach {number(c95)}" if drawn else ""
    found = ""
    if len(facts.runs) >= t.min_runs:
        found = f" and {_of(again, len(facts.runs))} other runs find it again"
    more = "" if odd or not len(facts.pairs) else f" For example, {evidence(facts)}."
    return "keep", f"The words go together ({together}{reach}){found}.{ignore}{more}", names


def _unknown(facts: TopicFacts) -> str:
    if facts.absent:
        verb = "is" if len(facts.absent) == 1 else "are"
        return f"{_list(facts.absent)} {verb} in no document of the reference, so the topic cannot be judged."
    return f"The topic cannot be judged: {facts.reason or 'its coherence is undefined'}."


def _drop(facts: TopicFacts, c05: float, c95: float, drawn: bool) -> str:
    above = _upper(facts.pairs)
    never = int((above <= NEVER).sum())
    said = "In this text these words are not a subject."
    if drawn:
        as_well = f"random words of the same frequency score as well ({number(c05)} to {number(c95)})"
    else:
        as_well = f"they meet no more often than chance (NPMI {number(facts.npmi)})"
    if never:
        share = "shares" if never == 1 else "share"
        said += f" {never} of their {len(above)} pairs never {share} a document, and {as_well}."
    else:
        said += f" {_capital(as_well)}."
    strong = _strong(facts, 3)
    if strong:
        pairs = "; ".join(f"{_show(facts.words[i])} and {_show(facts.words[j])}" for i, j in strong)
        only = "Only one pair goes" if len(strong) == 1 else "Only a few pairs go"
        said += f" {only} together: {pairs}."
    return said


def _twin(facts: TopicFacts, t: Thresholds) -> Neighbour | None:
    alike = [n for n in facts.neighbours if n.shared >= t.shared_words or n.cosine >= t.cosine]
    return max(alike, key=lambda n: (n.shared, np.nan_to_num(n.cosine)), default=None)


def _merge(facts: TopicFacts, twin: Neighbour, t: Thresholds) -> str:
    if twin.shared >= t.shared_words:
        shared = f"{_of(twin.shared, len(facts.words))} words are shared"
    else:
        shared = f"their words have nearly the same weights (cosine {number(twin.cosine)})"
    return f"Says the same as topic {twin.topic}: {shared}."


def _split(facts: TopicFacts, t: Thresholds) -> str | None:
    groups = two_groups(facts.pairs)
    if groups is None:
        return None
    a, b = groups
    if min(len(a), len(b)) < 2:
        return None
    first, second = _mean_pair(facts.pairs, a), _mean_pair(facts.pairs, b)
    across = float(np.mean(facts.pairs[np.ix_(a, b)]))
    within = min(first, second)
    if not ((across <= t.across and within >= t.within) or within - across >= t.gap):
        return None
    one, other = (_list([facts.words[i] for i in group]) for group in (a, b))
    inside = f"Inside each list the words go together ({number(first)} and {number(second)})"
    return f"Two subjects in one: {one}; and {other}. {inside}, across them much less ({number(across)})."


def two_groups(pairs: NDArray[np.float64]) -> tuple[list[int], list[int]] | None:
    """Cut the words into two groups by average linkage on 1 - NPMI; None where that is undefined.

    The smaller group, the intruders, comes first.
    """
    n = len(pairs)
    if n < 4 or np.isnan(_upper(pairs)).any():
        return None
    from scipy.cluster.hierarchy import fcluster, linkage

    tree = linkage(1.0 - _upper(pairs), method="average")
    label = fcluster(tree, 2, criterion="maxclust")
    a = [i for i in range(n) if label[i] == label[0]]
    b = [i for i in range(n) if label[i] != label[0]]
    return (b, a) if len(b) <= len(a) else (a, b)


def odd_words(pairs: NDArray[np.float64], below: float, most: int) -> list[int]:
    """Return the ranks of the words whose mean NPMI with the others is under ``below``, worst first."""
    n = len(pairs)
    if n < 4 or np.isnan(_upper(pairs)).any():
        return []
    others = (pairs.sum(axis=1) - pairs.diagonal()) / (n - 1)
    order = np.argsort(others, kind="stable")
    return [int(i) for i in order[:most] if others[i] < below]


def evidence(facts: TopicFacts) -> str:
    """Say which two words go together most, and which least: the pairs behind the mean."""
    if not len(facts.pairs):
        return "pair counts were not made"
    said = []
    strong = _strong(facts, 1)
    for i, j in strong:
        said.append(f"{_show(facts.words[i])} and {_show(facts.words[j])} go together")
    first, second = np.triu_indices(len(facts.pairs), 1)
    above = _upper(facts.pairs)
    if len(above) and not np.isnan(above).all():
        worst = int(np.nanargmin(above))
        a, b = _show(facts.words[first[worst]]), _show(facts.words[second[worst]])
        if (first[worst], second[worst]) in strong:  # of two words there is one pair
            return said[0]
        if above[worst] <= NEVER:
            said.append(f"{a} shares no document with {b}")
        elif above[worst] < 0:
            said.append(f"{a} and {b} meet less often than chance")
        else:
            said.append(f"even {a} and {b} meet more often than chance")
    return "; ".join(said) or "no two of them can be judged"


def _strong(facts: TopicFacts, most: int) -> list[tuple[int, int]]:
    i, j = np.triu_indices(len(facts.pairs), 1)
    above = np.nan_to_num(_upper(facts.pairs), nan=-1.0)
    order = np.argsort(-above, kind="stable")[:most]
    return [(int(i[k]), int(j[k])) for k in order if above[k] >= STRONG]


def _odd_reason(facts: TopicFacts, odd: Sequence[int]) -> str:
    said = []
    for k in odd:
        rest = [i for i in range(len(facts.words)) if i != k]
        never = int((facts.pairs[k, rest] <= NEVER).sum())
        it = "it" if len(odd) == 1 else _show(facts.words[k])
        if never:
            said.append(f"{it} shares no document with {_of(never, len(rest))} others")
        else:
            said.append(f"{it} meets the others less often than chance")
    return "; ".join(said)


def _upper(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    return pairs[np.triu_indices(len(pairs), 1)]


def _mean_pair(pairs: NDArray[np.float64], words: Sequence[int]) -> float:
    inside = _upper(pairs[np.ix_(words, words)])
    return float(inside.mean()) if len(inside) else float("nan")


def number(value: float | None, digits: int = 2) -> str:
    """Write a number for people: a true minus, a comma at thousands, a dash for none.

    What two decimals would show as 0.00 gets two significant digits: a probability of a word is that small.

    Examples
    --------
    >>> number(-0.456), number(12345.6), number(float("nan"))
    ('−0.46', '12,346', '–')
    >>> number(0.00497), number(-0.0001), number(1e-15)
    ('0.0050', '−1.0e−04', '0.00')
    """
    if value is None or np.isnan(value):
        return "–"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if digits >= 2 and NOISE < size < 10.0**-digits:
        text = f"{value:.1e}" if size < 0.0005 else f"{value:.{1 - math.floor(math.log10(size))}f}"
    else:
        text = f"{value:,.0f}" if size >= 100 else f"{value:.{digits}f}"
    if text.startswith("-") and not text.strip("-0.,"):
        text = text[1:]
    return text.replace("-", "−")


def visible(word: str) -> str:
    """Show what cannot be seen: controls, and marks that turn the direction of writing.

    Examples
    --------
    >>> visible("oil\\u202egas")
    'oil�gas'
    """
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", "\ufffd", word)


def _show(word: str) -> str:
    """Fence a word that is written from right to left, so that it does not turn the sentence around."""
    word = visible(word)
    turns = any(unicodedata.bidirectional(c) in ("R", "AL") for c in word)
    return f"\u2068{word}\u2069" if turns else word


def _list(words: Sequence[str]) -> str:
    shown = [_show(w) for w in words]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]


def _of(some: int, whole: int) -> str:
    a, b = (DIGITS[x] if x < len(DIGITS) else str(x) for x in (some, whole))
    return f"{a} of {b}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
