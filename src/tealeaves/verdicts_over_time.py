"""A verdict on each topic over time, by rules that are named; report, terminal and Python share them.

Two things decide: how many of its top words a topic keeps from slice to slice, and whether the words of
neighbouring slices go together. The second is NPMI across the two slices without pairs of a word with itself:
those are 1 by definition, so that with them any list that stays as it is would look coherent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import TealeavesError
from tealeaves.measures._table import Spec, parse

if TYPE_CHECKING:
    import polars

    from tealeaves.scores import Scores

Floats = NDArray[np.float64]
Row = Mapping[str, Any]
WORDS = 10  # of a list, where no measure over time says another number
KNOWN_WORDS = 20  # so many words of a list are kept beside the scores
LABELS = {
    "jumps": "Jumps subject",
    "repeated": "Repeated but incoherent",
    "changes": "Words change, coherence unknown",
    "drifts": "Vocabulary drifts within one subject",
    "stays": "Words stay, coherence unknown",
    "gaps": "Too few slices to say",
    "steady": "Steady and coherent",
}  # in the order in which topics need a look
LOOK = ("jumps", "repeated")  # such a topic should be looked at, however coherent it is in each slice


@dataclass(frozen=True)
class TimeThresholds:
    """Where a verdict over time changes. All are held against numbers as they are shown, with two decimals.

    Parameters
    ----------
    stays : float
        A topic whose lists keep at least this share of their words, from slice to slice, stays.
    broken : float
        A step that keeps at most this share is a break.
    together : float
        Words of neighbouring slices go together if their NPMI, a word with itself left out, is at least this.
    """

    stays: float = 0.6
    broken: float = 0.3
    together: float = 0.05


DEFAULTS = TimeThresholds()


class Break(NamedTuple):
    """A step from one slice to the next: what it keeps, the words that left and came."""

    topic: int
    start: str
    end: str
    kept: float
    across: float
    left: tuple[str, ...]
    came: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class TopicOverTime:
    """What one topic does over time.

    Attributes
    ----------
    topic : int
        Its number.
    verdict : str
        A key of `LABELS`.
    sentence : str
        Why.
    kept, across : float
        Mean share of words kept from slice to slice, and mean NPMI across neighbouring slices without pairs
        of a word with itself; nan where there is none.
    whole : float
        Share of words that its first list and its last have in common.
    steps, joins : float array of shape (T - 1,)
        What ``kept`` and ``across`` are the means of; nan in a gap.
    breaks : tuple of Break
        Steps that keep at most `TimeThresholds.broken`.
    jump : Break or None
        The break that decided that the topic jumps, if one did.
    """

    topic: int
    verdict: str
    sentence: str
    kept: float
    across: float
    whole: float
    steps: Floats
    joins: Floats
    breaks: tuple[Break, ...] = ()
    jump: Break | None = None

    @property
    def label(self) -> str:
        """The verdict in words, with the slices that a jump is between."""
        return LABELS[self.verdict] + (f" ({self.jump.start} → {self.jump.end})" if self.jump else "")


@dataclass(frozen=True, eq=False)
class OverTime:
    """What all topics of a model do over time.

    ``lists[t][k]`` are the words judged; ``spec`` is what coherence is from ("" if it is not known).
    """

    name: str
    labels: tuple[str, ...]
    lists: list[list[list[str]]]
    spec: str
    topics: tuple[TopicOverTime, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many topics have each verdict."""
        return {name: sum(topic.verdict == name for topic in self.topics) for name in LABELS}

    @property
    def kept(self) -> float:
        """The mean share of words kept, over topics."""
        known = [topic.kept for topic in self.topics if not np.isnan(topic.kept)]
        return float(np.mean(known)) if known else float("nan")

    def to_dicts(self) -> list[dict[str, Any]]:
        """A row of plain values for each topic, as `verdicts` shows them."""
        return [
            {
                "model": self.name,
                "topic": x.topic,
                "verdict": x.verdict,
                "label": x.label,
                "kept": x.kept,
                "npmi_across": x.across,
                "breaks": len(x.breaks),
                "start": x.jump.start if x.jump else None,
                "end": x.jump.end if x.jump else None,
                "sentence": x.sentence,
            }
            for x in self.topics
        ]

    @property
    def ranked(self) -> list[TopicOverTime]:
        """Topics that need a look first."""
        order = {name: i for i, name in enumerate(LABELS)}
        return sorted(self.topics, key=lambda x: (order[x.verdict], np.nan_to_num(x.kept), x.topic))


def verdicts(scores: "Scores", thresholds: TimeThresholds = DEFAULTS) -> "polars.DataFrame":
    """Judge every topic of every model over time.

    Parameters
    ----------
    scores : Scores
        Of models of topics over time. Coherence is judged where ``ttc`` was asked for, by NPMI and
        neighbouring slices (``window=2``), of at most 20 words.
    thresholds : TimeThresholds
        Where one verdict ends and the next begins.

    Returns
    -------
    polars.DataFrame
        A row for each topic: ``model``, ``topic``, ``verdict`` (a key of `LABELS`), ``label``, ``kept``,
        ``npmi_across``, ``breaks`` (how many steps keep three words of ten or fewer), ``start`` and ``end``
        of the break that a jump is judged by, and a ``sentence``. What is undefined is nan or null.

    Examples
    --------
    >>> import tealeaves as tl
    >>> corpus = tl.Corpus.from_tokens([["oil", "gas"]] * 3 + [["cup", "goal"]] * 3)
    >>> lists = [[["oil", "gas"]], [["gas", "oil"]], [["cup", "goal"]]]
    >>> model = tl.DynamicTopicModel.from_words(lists, slice_labels=[2001, 2002, 2003])
    >>> scores = tl.evaluate(model, corpus, measures=["ttc@2"], ci=None)
    >>> tl.temporal.verdicts(scores)["label"].to_list()
    ['Jumps subject (2002 → 2003)']
    """
    import polars

    columns: dict[str, Any] = {
        "model": polars.String,
        "topic": polars.Int64,
        "verdict": polars.String,
        "label": polars.String,
        "kept": polars.Float64,
        "npmi_across": polars.Float64,
        "breaks": polars.Int64,
        "start": polars.String,
        "end": polars.String,
        "sentence": polars.String,
    }
    rows = [row for model in judged(scores, thresholds) for row in model.to_dicts()]
    return polars.DataFrame(rows, schema=columns)


def judged(scores: "Scores", thresholds: TimeThresholds = DEFAULTS) -> list[OverTime]:
    """Every model of topics over time in the scores, judged."""
    details: Any = scores.details
    about = details.models if hasattr(details, "models") else details.get("models") or {}
    beside = details.companions if hasattr(details, "companions") else details.get("companions") or {}
    over_time = {name: one for name, one in about.items() if one.get("slice_topics")}
    if not over_time:
        return []
    rows = scores.frame.filter((scores.frame["level"] == "window") & (scores.frame["group"] == "")).to_dicts()
    specs = scores.frame["measure"].unique(maintain_order=True).to_list()
    return [
        judge_model(name, one, rows, specs, beside.get(name) or {}, thresholds)
        for name, one in over_time.items()
    ]


def judge_model(
    name: str,
    about: Row,
    rows: Sequence[Row],
    specs: Sequence[str],
    beside: Row,
    thresholds: TimeThresholds = DEFAULTS,
) -> OverTime:
    """Judge the topics of one model.

    Parameters
    ----------
    name : str
        Of the model.
    about : mapping
        What details say of it: ``slice_labels``, ``slice_topics``.
    rows : sequence of rows
        Of scores, among them those of windows.
    specs : sequence of str
        All measures asked for.
    beside : mapping
        The companions of its scores, by spec.
    """
    labels = tuple(str(label) for label in about["slice_labels"])
    known = {text: one for text in specs if (one := parsed(text)) is not None}
    fitting = [text for text, one in known.items() if _is_fit(one)]
    measured = {r["measure"] for r in rows if r["model"] == name and r["level"] == "window"}
    fitting = sorted((t for t in fitting if t in measured), key=lambda t: _preference(known[t]))
    spec = fitting[0] if fitting else ""
    n = known[spec].top if spec else _length(known.values())
    lists = [[list(words)[: n or WORDS] for words in topics] for topics in about["slice_topics"]]
    why = "" if spec else f"ttc@{n or WORDS} was not asked for"
    n_topics = max((len(topics) for topics in lists), default=0)
    joins = np.full((n_topics, max(len(labels) - 1, 0)), np.nan)
    if spec:
        mine = [r for r in rows if r["model"] == name and r["measure"] == spec and r["level"] == "window"]
        joins = _across(mine, labels, lists, known[spec], beside.get(spec) or {}, joins)
    topics = tuple(
        _judge(k, labels, [topics[k] for topics in lists], joins[k], why, thresholds) for k in range(n_topics)
    )
    return OverTime(name, labels, lists, spec, topics)


def kept_by(first: Sequence[str], last: Sequence[str]) -> float:
    """The mean of the shares of words of each list that are in the other, as `tts`; nan if one is empty.

    Examples
    --------
    >>> kept_by(["oil", "gas"], ["oil", "tax", "law", "act"])  # 1 of 2, and 1 of 4
    0.375
    """
    a, b = set(first), set(last)
    if not a or not b:
        return float("nan")
    return len(a & b) * (1 / len(a) + 1 / len(b)) / 2


def parsed(text: str) -> Spec | None:
    """The spec, or None if this version has no such measure."""
    try:
        return parse(text)
    except TealeavesError:
        return None


def _is_fit(spec: Spec) -> bool:
    """Whether verdicts can be judged by it: NPMI of neighbouring slices, of words that are known here."""
    said = spec.settings
    if spec.name != "ttc" or said.get("window") != 2 or said.get("compat") is not None:
        return False
    inner = parsed(str(said.get("coherence")))
    return inner is not None and inner.name == "npmi" and (spec.top or WORDS) <= KNOWN_WORDS


def _preference(spec: Spec) -> tuple[bool, bool, bool]:
    said = spec.settings
    return (spec.top != WORDS, said.get("coherence") != "npmi", said.get("reference") != "corpus")


def _length(specs: Any) -> int:
    """How many words are looked at where coherence is not known."""
    tops = [s.top for s in specs if s.name in ("tts", "ttq", "ttc", "dtq") and s.top]
    return WORDS if WORDS in tops or not tops else min(tops[0], KNOWN_WORDS)


def _across(
    rows: Sequence[Row],
    labels: Sequence[str],
    lists: Sequence[Sequence[Sequence[str]]],
    spec: Spec,
    beside: Row,
    joins: Floats,
) -> Floats:
    """NPMI of neighbouring slices without pairs of a word with itself, (K, T - 1)."""
    given = beside.get("without_self_pairs_by_window")
    if given is not None and np.shape(given) == joins.shape:
        return np.array([[np.nan if x is None else x for x in row] for row in given], dtype=np.float64)
    place = {label: t for t, label in enumerate(labels)}
    found = joins.copy()
    for row in rows:
        k, t, value = row["topic"], place.get(str(row["slice"])), row["value"]
        if k is None or t is None or t >= joins.shape[1] or k >= len(joins) or value is None:
            continue
        now, then = lists[t][k], lists[t + 1][k]
        pairs, same = len(now) * len(then), len(set(now) & set(then))
        if not spec.settings["self_pairs"]:
            found[k, t] = value
        elif row["n_terms"] == pairs and pairs > same:  # the mean of `same` ones and of all other pairs
            found[k, t] = (pairs * value - same) / (pairs - same)
    return found


def _judge(
    k: int, labels: Sequence[str], lists: Sequence[Sequence[str]], joins: Floats, why: str, t: TimeThresholds
) -> TopicOverTime:
    steps = np.array([kept_by(a, b) for a, b in pairwise(lists)], dtype=np.float64)
    there = [words for words in lists if words]
    whole = kept_by(there[0], there[-1]) if there else float("nan")
    joins = np.where(np.isnan(steps), np.nan, joins)
    breaks = tuple(
        step_of(k, i, labels, lists, float(steps[i]), float(joins[i]))
        for i in np.flatnonzero(np.round(steps, 2) <= t.broken).tolist()
    )
    found = TopicOverTime(k, "gaps", "", _mean(steps), _mean(joins), whole, steps, joins, breaks)
    if np.isnan(steps).all():
        few = "It is in one slice only." if len(there) == 1 else "It is in no two neighbouring slices."
        return replace(found, sentence=few if there else "It is in no slice.")
    if not why and 2 * np.isfinite(joins).sum() < np.isfinite(steps).sum():
        why = f"NPMI across slices is defined in {np.isfinite(joins).sum()} of {_steps(steps)} only"
    return _worded(found, why, t)


def _worded(found: TopicOverTime, why: str, t: TimeThresholds) -> TopicOverTime:
    """The first rule that holds, and a sentence that says why."""
    apart = [b for b in found.breaks if round(b.across, 2) < t.together]
    staying = round(found.kept, 2) >= t.stays
    stay = f"{percent(found.kept)} of its words stay from slice to slice"
    npmi = f"NPMI {_two(found.across)}"
    if apart:
        jump = min(apart, key=lambda b: (b.kept, b.across))
        n = len(apart) - 1
        more = f" {n} more step{'s are' if n > 1 else ' is'} like that." if n else ""
        said = f"From {jump.start} to {jump.end} {_share(jump.kept)} of its words stay, and the old words do "
        said += f"not go with the new ones (NPMI {_two(jump.across)}): {_changed(jump)}.{more}"
        return replace(found, verdict="jumps", sentence=said, jump=jump)
    if why:
        ends = (
            "whether they go together is not known" if staying else "whether it is one subject is not known"
        )
        name = "stays" if staying and not found.breaks else "changes"
        return replace(found, verdict=name, sentence=_capital(f"{stay}; {ends}: {why}."))
    together = round(found.across, 2) >= t.together
    if not together and staying:
        said = f"{stay}, but they do not go together ({npmi} across slices): a list repeated, not a subject."
        return replace(found, verdict="repeated", sentence=_capital(said))
    if not together:
        said = f"Only {stay}, and words of neighbouring slices do not go together ({npmi})."
        return replace(found, verdict="jumps", sentence=said)
    unknown = [b for b in found.breaks if np.isnan(b.across)]
    if unknown:
        b = unknown[0]
        said = (
            f"{stay}, but from {b.start} to {b.end} {_share(b.kept)}; whether the new words are of the same "
        )
        return replace(
            found, verdict="changes", sentence=_capital(said) + "subject is not known: NPMI is undefined."
        )
    if staying and not found.breaks:
        little = round(found.whole, 2) < t.stays
        left = f" Yet its first and its last list share only {_share(found.whole)}." if little else ""
        said = f"{stay}, and they go together across slices ({npmi}).{left}"
        return replace(found, verdict="steady", sentence=_capital(said))
    only = "Only " if not staying else ""
    broken = ""
    if found.breaks and staying:
        first = found.breaks[0]
        broken = f", and {_share(first.kept)} from {first.start} to {first.end}"
    said = f"{only}{stay}{broken}, yet old and new words go together ({npmi})"
    return replace(found, verdict="drifts", sentence=_capital(f"{said}: one subject in other words."))


def step_of(
    k: int, i: int, labels: Sequence[str], lists: Sequence[Sequence[str]], kept: float, across: float
) -> Break:
    """The step of a topic from slice i to the next, with the words that change."""
    now, then = lists[i], lists[i + 1]
    left, came = (tuple(w for w in a if w not in b) for a, b in ((now, then), (then, now)))
    return Break(k, labels[i], labels[i + 1], kept, across, left, came)


def _changed(step: Break) -> str:
    def few(words: Sequence[str]) -> str:
        return ", ".join(words[:3]) + (" …" if len(words) > 3 else "")

    return f"{few(step.left)} left; {few(step.came)} came"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _two(value: float) -> str:
    return f"{value:.2f}".replace("-", "−") if round(value, 2) else "0.00"


def percent(share: float) -> str:
    """A share as a whole percentage; what is not all is not called 100%.

    Examples
    --------
    >>> percent(0.98), percent(0.997), percent(1.0)
    ('98%', 'over 99%', '100%')
    """
    return "over 99%" if 0.995 <= share < 1 - 1e-9 else f"{100 * share:.0f}%"


def _share(kept: float) -> str:
    return percent(kept) if kept else "none"


def _steps(steps: Floats) -> str:
    n = int(np.isfinite(steps).sum())
    return f"{n} step" + ("" if n == 1 else "s")
