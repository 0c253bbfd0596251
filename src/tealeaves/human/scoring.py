"""Scores of people's answers: of models, topics, items, raters; each interval says what would be repeated."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.human.answers import FIELDS, MODEL, Answers, read_answers
from tealeaves.human.item_sets import CHOICES
from tealeaves.stats.bootstrap import bootstrap
from tealeaves.stats.crossed import CrossedEstimate, CrossedMeans, crossed, wilson
from tealeaves.stats.tests import holm

if TYPE_CHECKING:
    import polars

    from tealeaves.human.relate import Relations
    from tealeaves.scores import Scores

Floats = NDArray[np.float64]
# What a number of an answer is called as a score, and what such a number can be.
MEASURES = {
    "correct": "model_precision",
    "log_odds": "topic_log_odds",
    "rating": "rating",
    "relatedness": "relatedness",
    "smoothness": "smoothness",
    "label": "match",
    "named": "named",
}
BOUNDS = {
    "correct": (0.0, 1.0),
    "log_odds": (-np.inf, 0.0),
    "label": (0.0, 1.0),
    "named": (0.0, 1.0),
    **dict.fromkeys(("rating", "relatedness", "smoothness"), (1.0, 3.0)),
}
# Tasks whose items are documents, tokens or pairs: these, not topics, are what would be drawn again.
BY_ITEM = {"topic_intrusion": "documents", "topic_word_matching": "tokens", "topic_pair_matching": "pairs"}
GUESSING = 0.05  # a topic is told from guessing if so many would be right with a smaller chance than this
LEVELS = ("nominal", "ordinal", "interval")


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What people's answers come to: what `score` returns. Undefined is nan, and ``reason`` says why.

    Attributes
    ----------
    models : polars.DataFrame
        A row per study, task, measure and model: ``value``; ``low``, ``high`` (such topics, judged by such
        people: raters and topics drawn again); ``low_these``, ``high_these`` (these very topics: raters
        alone); ``binomial_low``, ``binomial_high`` (as if all answers were independent: too narrow);
        ``chance``, what guessing gives; ``n_answers``, ``n_raters``, ``n_units`` of ``unit`` ("topics", …).
    topics : polars.DataFrame
        A row per topic of a model: ``value``, ``low`` and ``high`` over such raters, ``n``, ``known`` (the
        share to whom its words were familiar), ``unreadable`` (people did no better than guessing, or most
        gave the lowest rating; null where that cannot be told).
    items, raters : polars.DataFrame
        A row per item, and per rater: values, numbers of answers, median seconds, familiarity; of raters
        also checks and agreement with the rest.
    agreement : polars.DataFrame
        A row per ``coefficient``, ``coding`` and ``level``. Coefficients of two codings do not compare.
    differences : polars.DataFrame
        A row per pair of models: ``difference``, both intervals, ``p`` and ``p_these``, and these by Holm.
    apart : polars.DataFrame
        A row per score of raters that are scored beside people, such as a model: ``value`` of all topics that
        this rater judged, ``people``'s of the same, the ``difference`` with ``low`` and ``high`` over topics,
        and ``agreement`` with what most people said (with their means, as Pearson's correlation).
    settings : dict
        ``resamples``, ``seed``, ``level``.
    notes : tuple of str
        What each interval is about, and what whoever reads the scores should know.
    """

    models: "polars.DataFrame"
    topics: "polars.DataFrame"
    items: "polars.DataFrame"
    raters: "polars.DataFrame"
    agreement: "polars.DataFrame"
    differences: "polars.DataFrame"
    apart: "polars.DataFrame"
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def value(self, measure: str | None = None, model: str | None = None, task: str | None = None) -> float:
        """The score of a model; what is left out must be unique.

        Raises
        ------
        InputError
            If there is none, or more than one.
        """
        rows = self.models
        for name, wanted in (("measure", measure), ("model", model), ("task", task)):
            rows = rows if wanted is None else rows.filter(rows[name] == wanted)
        if len(rows) != 1:
            found = [f"{row['task']}: {row['measure']} of {row['model']}" for row in rows.to_dicts()]
            there = ", ".join(f"{r['measure']} of {r['model']}" for r in self.models.to_dicts())
            raise InputError(
                f"name one score by measure=, model= and task=; there are {'; '.join(found) or there}"
            )
        return float(rows["value"][0])

    def of_topics(self, measure: str, model: str, study: str | None = None) -> Floats:
        """The score of each topic of a model, (K,); nan for a topic that nobody judged."""
        rows = self.topics.filter((self.topics["measure"] == measure) & (self.topics["model"] == model))
        rows = rows if study is None else rows.filter(rows["study"] == study)
        rows = rows.filter(rows["topic"].is_not_null())
        if not len(rows):
            there = ", ".join(
                sorted({f"{m} of {n}" for m, n in self.topics.select("measure", "model").rows()})
            )
            raise InputError(f"there is no {measure} of topics of {model!r}; there are {there}")
        if rows["topic"].n_unique() < len(rows):
            raise InputError(f"several studies have {measure} of {model!r}: name one with study=")
        topics = rows["topic"].to_numpy()
        found = np.full(int(topics.max()) + 1, np.nan)
        found[topics] = rows["value"].to_numpy()
        return found

    def details(self) -> dict[str, Any]:
        """Plain data for ``Scores.details.human``; no person is in it.

        ``scores``, ``differences``, ``agreement`` and ``apart`` are the rows of ``.models`` and of the
        tables of these names; ``topics`` is by model, topic (as text) and measure: ``value``, ``low``,
        ``high``, ``n``, ``known``, ``unreadable``, ``study``, ``task``; ``settings`` and ``notes`` as here.
        Undefined numbers are None.
        """
        topics: dict[str, dict[str, dict[str, Any]]] = {}
        for row in map(_plain, self.topics.to_dicts()):
            if row["topic"] is not None:
                place = topics.setdefault(row.pop("model"), {}).setdefault(str(row.pop("topic")), {})
                place.setdefault(row.pop("measure"), row)  # of several studies, the first
        return {
            "scores": [_plain(row) for row in self.models.to_dicts()],
            "differences": [_plain(row) for row in self.differences.to_dicts()],
            "apart": [_plain(row) for row in self.apart.to_dicts()],
            "agreement": [_plain(row) for row in self.agreement.to_dicts()],
            "topics": topics,
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }

    def beside(self, scores: "Scores", relations: "Relations | polars.DataFrame | None" = None) -> "Scores":
        """The scores with these in ``details.human``, and how the two go together.

        ``relations`` is what `tealeaves.human.relate` gave, or its table; if it is not handed over and some
        topics have both an automatic and a human score, it is made here.
        """
        if relations is None:
            from tealeaves.human.relate import relate

            try:
                relations = relate(scores, self)
            except InputError:  # no topic has both
                return replace(scores, details=replace(scores.details, human=self.details()))
        human = self.details()
        tables: dict[str, Any] = {"relations": getattr(relations, "frame", relations)}
        if hasattr(relations, "differences"):
            tables["relation_differences"] = relations.differences
        for name, table in tables.items():
            human[name] = [_plain(row) for row in table.to_dicts()]
        return replace(scores, details=replace(scores.details, human=human))

    def to_markdown(self, digits: int = 2) -> str:
        """The models as a table: value, both intervals, and the binomial one with its warning."""
        head = ["task", "measure", "model", "value", "such topics", "these topics", "binomial (too narrow)"]
        lines = [head, ["---"] * 3 + ["---:"] * 4]
        for row in self.models.to_dicts():
            ends = [
                _interval(row[low], row[high], digits)
                for low, high in (
                    ("low", "high"),
                    ("low_these", "high_these"),
                    ("binomial_low", "binomial_high"),
                )
            ]
            task = f"{row['study']}: {row['task']}" if row["study"] else row["task"]
            value = f"{row['value']:.{digits}f}" if np.isfinite(row["value"]) else f"– ({row['reason']})"
            lines.append([task, row["measure"], row["model"], value, *ends])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def __repr__(self) -> str:
        studies = ", ".join(dict.fromkeys(self.models["task"]))
        return f"<Result of {studies}: {len(self.models)} scores, {len(self.raters)} raters>"

    def __str__(self) -> str:
        return "\n".join([self.to_markdown(), *self.notes])


def score(
    answers: "Answers | str | PathLike[str]",
    resamples: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
    chance: float | None = None,
    apart: Iterable[str] | None = None,
) -> Result:
    """Score what people said of models, topics and items.

    Model precision is the share of answers that found the intruder or the model's own topic; topic log odds
    the mean of ``log(theta[d, intruder]) - log(theta[d, chosen])``. A topic's score is the mean of its
    answers, a model's the mean of its topics' (of documents', tokens' or pairs' in tasks about these).

    Parameters
    ----------
    answers : Answers, or a file of them
        Practice items and checks do not count; controls neither.
    resamples, seed, level
        As for `tealeaves.stats.crossed`: raters and topics are drawn again together.
    chance : float, optional
        What guessing gives, where the options are not known; by default one over their number.
    apart : iterable of str, optional
        Raters who are scored beside the others and not among them; by default, models whose answers were read
        as those of a model.

    Returns
    -------
    Result
        Tables of models, topics, items, raters, agreement and differences.

    Raises
    ------
    InputError
        If no answer counts: all are to practice, check or control items, or of a model as rater.

    References
    ----------
    Chang, Boyd-Graber, Gerrish, Wang and Blei (2009), NIPS, equations 1 and 2.

    Examples
    --------
    >>> rows = [{"rater": f"R{r}", "item": "i1", "task": "word_intrusion", "model": "lda", "topic": 0,
    ...          "correct": r > 0} for r in range(8)]
    >>> score(Answers.from_rows(rows)).value("model_precision")  # 7 of 8
    0.875
    """
    if not isinstance(answers, Answers):
        answers = read_answers(answers)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
    notes: list[str] = []
    whole_of, aside = answers, _apart(answers, apart)
    answers = answers.select(raters=[rater for rater in answers.raters if rater not in aside])
    counted = answers.select(role="item")
    if not len(counted):
        raise InputError(_why_none(aside, answers))
    studies = dict.fromkeys(zip(counted.frame["study"], counted.frame["task"], strict=True))
    for study, task in studies:
        frame = answers.frame.filter((answers.frame["study"] == study) & (answers.frame["task"] == task))
        whole = Answers(frame, answers.items)
        part = whole.select(role="item")
        if not len(part):
            continue
        for name in FIELDS.get(task, ()):
            if name == "log_odds" and np.isnan(part.numbers(name)).all():
                continue
            if name == "correct" and np.isnan(part.numbers(name)).all():
                raise InputError(
                    f"whether answers to {task} are right is not known: hand over the items with their keys"
                )
            found = _of_field(part, study, task, name, resamples, seed, level, chance, rows)
            notes += found
            rows["apart"] += _beside(whole_of, aside, part, study, task, name, resamples, seed, level)
        rows["items"] += _items(part, study, task)
        rows["raters"] += _raters(whole, study, task)
        rows["agreement"] += _agreement(part, study, task)
    tables = {name: _frame(rows[name], schema) for name, schema in SCHEMAS.items()}
    settings = {"resamples": resamples, "seed": seed, "level": level}
    return Result(**tables, settings=settings, notes=(*answers.notes, *dict.fromkeys(notes)))


def _why_none(aside: set[str], others: Answers) -> str:
    if aside and not len(others):
        return (
            f"all answers are of {', '.join(sorted(aside))}, scored beside people: add these to people's, "
            "people.with_rater(these), or say apart=() to score them as people's are"
        )
    return "no answer is to an item that counts: all are to practice, checks or controls"


def _of_field(
    part: Answers,
    study: str,
    task: str,
    name: str,
    resamples: int,
    seed: int,
    level: float,
    chance: float | None,
    rows: dict[str, list[dict[str, Any]]],
) -> list[str]:
    """Rows of models, topics and differences of one number of the answers; notes."""
    numbers, notes = part.numbers(name), []
    infinite = np.isinf(numbers)
    lost = set(np.array(part.frame["model"])[infinite])
    if lost:
        notes.append(
            f"topic log odds of {', '.join(sorted(lost))} are not defined: an intruder has no share at all "
            f"in its document in {int(infinite.sum())} answers, and others were chosen"
        )
    data = _Data(part, task, numbers)
    if not len(data.units):
        return notes
    low, high = BOUNDS[name]
    if name in ("rating", "relatedness", "smoothness") and not _within(numbers, low, high):
        low, high = -np.inf, np.inf  # of another scale than ours
    means = crossed(data.sums, data.counts, data.models, resamples, seed, level, (low, high))
    measure = _measure(task, name)
    head = {"study": study, "task": task, "measure": measure}
    unit = BY_ITEM.get(task, "topics")
    guess = data.chance(chance) if name == "correct" else {}
    for model in means.groups:
        rows["models"].append(
            {**head, "model": model, **_model(data, means, model, name, unit, level, guess, model in lost)}
        )
    rows["topics"] += [{**head, **row} for row in _topics(data, name, level, guess)]
    rows["differences"] += [{**head, **row} for row in _differences(means, lost)]
    percent = f"{level:.0%}"
    notes.append(
        f"{task}, {measure}: low and high are of such {unit} (of a new fit, or another draw), judged by such "
        f"people: {percent} intervals with raters and {unit} drawn again; low_these and high_these are of "
        f"these very {unit}, judged by such people: raters alone drawn again"
    )
    if name in ("correct", "named"):
        notes.append(
            "binomial intervals take answers for independent, which those of one rater or to one topic are "
            "not: they are too narrow, and here only to compare with papers"
        )
    return notes


def _differences(means: CrossedMeans, lost: set[str]) -> list[dict[str, Any]]:
    """A row per pair of models whose scores are defined, with p as it is and by Holm over all pairs."""
    rows: list[dict[str, Any]] = []
    for a, b in combinations(means.groups, 2):
        if a in lost or b in lost:
            continue
        found = means.difference(a, b)
        row = {"a": a, "b": b, "difference": found.such.value, **_ends(found)}
        rows.append({**row, "p": found.p, "p_these": found.p_these, "reason": found.reason})
    for of in ("p", "p_these"):
        for row, p in zip(rows, holm([row[of] for row in rows]), strict=True):
            row[f"{of}_holm"] = float(p)
    return rows


def _ends(found: CrossedEstimate) -> dict[str, float]:
    """Both intervals, as tables have them."""
    such, these = found.such, found.these
    return {"low": such.low, "high": such.high, "low_these": these.low, "high_these": these.high}


def _apart(answers: Answers, given: Iterable[str] | None) -> set[str]:
    if given is None:
        return set(answers.frame.filter(answers.frame["form"] == MODEL)["rater"])
    named = set(given)
    if unknown := named - set(answers.raters):
        raise InputError(f"there is no rater {min(unknown)!r} to score apart")
    return named


def _beside(
    answers: Answers,
    aside: set[str],
    people: Answers,
    study: str,
    task: str,
    name: str,
    resamples: int,
    seed: int,
    level: float,
) -> Iterable[dict[str, Any]]:
    """Rows of raters scored beside people: on the units that both judged."""
    of_people = _Data(people, task, people.numbers(name))
    counts = np.asarray(of_people.counts.sum(axis=0)).ravel()
    means = dict(zip(of_people.units, np.asarray(of_people.sums.sum(axis=0)).ravel() / counts, strict=True))
    for rater in sorted(aside):
        frame = answers.frame.filter(
            (answers.frame["rater"] == rater)
            & (answers.frame["task"] == task)
            & (answers.frame["study"].is_in([study, ""]))
            & (answers.frame["role"] == "item")
        )
        if not len(frame):
            continue
        own = Answers(frame, answers.items)
        data = _Data(own, task, own.numbers(name))
        agrees = agreement_with_rest(people.with_rater(own), task).get(rater, np.nan)
        values = dict(zip(data.units, np.asarray(data.sums.sum(axis=0)).ravel(), strict=True))
        given = dict(zip(data.units, np.asarray(data.counts.sum(axis=0)).ravel(), strict=True))
        for model in dict.fromkeys(unit[0] for unit in data.units):
            both = [unit for unit in data.units if unit[0] == model and unit in means]
            if not both:
                continue
            mine = np.array([values[unit] / given[unit] for unit in both])
            theirs = np.array([means[unit] for unit in both])
            found = bootstrap(mine - theirs, np.mean, resamples, seed, level)
            yield {
                "study": study,
                "task": task,
                "measure": _measure(task, name),
                "rater": rater,
                "model": model,
                "value": float(mine.mean()),
                "people": float(theirs.mean()),
                "difference": found.value,
                "low": found.low,
                "high": found.high,
                "agreement": agrees,
                "n_units": len(both),
            }


def _measure(task: str, name: str) -> str:
    return "share_matched" if task == "topic_word_matching" and name == "correct" else MEASURES[name]


class _Data:
    """Answers to one task as sums and counts, raters × units."""

    def __init__(self, part: Answers, task: str, numbers: Floats) -> None:
        from scipy import sparse

        frame = part.frame
        there = np.isfinite(numbers)
        self.part, self.numbers, self.there = part, numbers, there
        models, topics, items = (list(frame[name]) for name in ("model", "topic", "item"))
        by_item = task in BY_ITEM
        keys = [
            (model, None if by_item else topic, item if by_item or topic is None else "")
            for model, topic, item in zip(models, topics, items, strict=True)
        ]
        self.units = list(dict.fromkeys(key for key, kept in zip(keys, there, strict=True) if kept))
        place = {key: n for n, key in enumerate(self.units)}
        raters = {name: n for n, name in enumerate(part.raters)}
        self.rater = np.array([raters[name] for name in frame["rater"]])
        self.unit = np.array([place.get(key, -1) for key in keys])
        self.models = [unit[0] for unit in self.units]
        shape = (len(raters), len(self.units))
        at = (self.rater[there], self.unit[there])
        self.sums = sparse.csr_matrix((numbers[there], at), shape=shape)
        self.counts = sparse.csr_matrix((np.ones(int(there.sum())), at), shape=shape)

    def chance(self, given: float | None) -> dict[str, float]:
        """What guessing gives, by item: one over the number of its options."""
        found = {}
        for task, name in zip(self.part.frame["task"], self.part.frame["item"], strict=True):
            item = self.part.items.get((task, name))
            share = 1 / len(item.options) if item is not None and item.options else np.nan
            found[name] = share if given is None else given
        return found


def _model(
    data: _Data,
    means: CrossedMeans,
    model: str,
    name: str,
    unit: str,
    level: float,
    guess: Mapping[str, float],
    lost: bool,
) -> dict[str, Any]:
    mine = data.there & (np.array(data.part.frame["model"]) == model)
    found = means.estimate(model)
    row: dict[str, Any] = {
        "value": found.such.value,
        **_ends(found),
        "n_answers": int(mine.sum()),
        "n_raters": len(set(data.rater[mine])),
        "n_units": len(set(data.unit[mine])),
        "unit": unit,
        "reason": found.reason,
    }
    if name in ("correct", "named"):
        low, high = wilson(data.numbers[mine].sum(), mine.sum(), level)
        row |= {"binomial_low": float(low), "binomial_high": float(high)}
    if guess:
        items = {item for item, kept in zip(data.part.frame["item"], mine, strict=True) if kept}
        row["chance"] = float(np.mean([guess[item] for item in items]))
    if lost:
        numbers = dict.fromkeys(("value", "low", "high", "low_these", "high_these"), np.nan)
        row |= {**numbers, "reason": "an intruder has no share of its document"}
    return row


def _topics(data: _Data, name: str, level: float, guess: Mapping[str, float]) -> Iterable[dict[str, Any]]:
    familiar = data.part.numbers("familiar")
    order = np.argsort(data.unit, kind="stable")
    cuts = np.searchsorted(data.unit[order], np.arange(len(data.units) + 1))
    items = list(data.part.frame["item"])
    topics = list(data.part.frame["topic"])
    for u, (model, _, _) in enumerate(data.units):
        mine = order[cuts[u] : cuts[u + 1]]
        given = mine[data.there[mine]]
        values = data.numbers[given]
        by_rater = np.bincount(data.rater[given])
        once = by_rater.max() == 1
        if name in ("correct", "named") and once:
            low, high = (float(end) for end in wilson(values.sum(), len(values), level))
        else:
            low, high = _mean_interval(values, data.rater[given], level, BOUNDS[name])
        known = familiar[mine][~np.isnan(familiar[mine])]
        names = {items[n] for n in given}
        yield {
            "model": model,
            "topic": topics[given[0]],
            "item": items[given[0]] if len(names) == 1 else "",
            "value": float(values.mean()),
            "low": low,
            "high": high,
            "n": len(values),
            "known": float(known.mean()) if len(known) else np.nan,
            "unreadable": _unreadable(values, name, [guess[item] for item in names if item in guess]),
        }


def _unreadable(values: Floats, name: str, guess: list[float]) -> bool | None:
    """Whether people could not read a topic; None where that cannot be told."""
    if name == "correct":
        share = float(np.mean(guess)) if guess else np.nan
        if np.isnan(share):
            return None
        from scipy.special import bdtrc

        right = int(values.sum())
        return bool(right == 0 or bdtrc(right - 1, len(values), share) > GUESSING)
    if name in ("rating", "relatedness", "smoothness") and _within(values, 1.0, 3.0):
        return bool((values == 1).mean() > 0.5)
    return None


def _mean_interval(
    values: Floats, raters: NDArray[np.intp], level: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Student's interval of a mean, over the raters' own means."""
    from scipy.special import stdtrit

    counts = np.bincount(raters)
    means = np.bincount(raters, weights=values)[counts > 0] / counts[counts > 0]
    n = len(means)
    if n < 2 or means.std() == 0:
        return np.nan, np.nan
    half = float(stdtrit(n - 1, (1 + level) / 2)) * means.std(ddof=1) / np.sqrt(n)
    low, high = bounds if _within(values, *bounds) else (-np.inf, np.inf)
    return max(low, float(values.mean() - half)), min(high, float(values.mean() + half))


def _within(values: Floats, low: float, high: float) -> bool:
    given = values[~np.isnan(values)]
    return bool(((given >= low) & (given <= high)).all())


def _items(part: Answers, study: str, task: str) -> Iterable[dict[str, Any]]:
    """A row per item: how many said what."""
    numbers = {name: part.numbers(name) for name in ("correct", "familiar", "seconds")}
    if task not in CHOICES:
        numbers["value"] = part.numbers(FIELDS[task][0])
    else:
        numbers["value"] = numbers["correct"]
    places: dict[str, list[int]] = {}
    for n, item in enumerate(part.frame["item"]):
        places.setdefault(item, []).append(n)
    models, topics = list(part.frame["model"]), list(part.frame["topic"])
    for item, mine in places.items():
        said = Counter(str(c) for n in mine if (c := part.values[n].get("choice")) is not None)
        top = said.most_common(2)
        tie = len(top) == 2 and top[0][1] == top[1][1]
        yield {
            "study": study,
            "task": task,
            "item": item,
            "model": models[mine[0]],
            "topic": topics[mine[0]],
            "n": len(mine),
            "value": _mean(numbers["value"][mine]),
            "known": _mean(numbers["familiar"][mine]),
            "seconds": _median(numbers["seconds"][mine]),
            "majority": None if tie or not top else top[0][0],
            "majority_share": top[0][1] / sum(said.values()) if top else np.nan,
        }


def _raters(whole: Answers, study: str, task: str) -> Iterable[dict[str, Any]]:
    """A row per rater: checks are of ``whole``, all else of items that count."""
    part = whole.select(role="item")
    numbers = {name: part.numbers(name) for name in ("familiar", "seconds", "position")}
    numbers["value"] = part.numbers(FIELDS[task][0])
    agrees = agreement_with_rest(part, task)
    places: dict[str, list[int]] = {}
    for n, rater in enumerate(part.frame["rater"]):
        places.setdefault(rater, []).append(n)
    right = checks_right(whole)
    for rater in whole.raters:
        mine = places.get(rater, [])
        checks, passed = right.get(rater, (0, 0))
        yield {
            "study": study,
            "task": task,
            "rater": rater,
            "n": len(mine),
            "value": _mean(numbers["value"][mine]),
            "checks": checks,
            "checks_right": passed,
            "agreement": agrees.get(rater, np.nan),
            "seconds": _median(numbers["seconds"][mine]),
            "known": _mean(numbers["familiar"][mine]),
            "same_position": same_position(numbers["position"][mine]),
        }


def checks_right(answers: Answers) -> dict[str, tuple[int, int]]:
    """How many check and control items with a right answer each rater had, and how many were right."""
    frame = answers.frame.filter(answers.frame["role"].is_in(["check", "control"]))
    frame = frame.filter(frame["correct"].is_not_null())
    found: dict[str, tuple[int, int]] = {}
    for rater, right in zip(frame["rater"], frame["correct"], strict=True):
        had, passed = found.get(rater, (0, 0))
        found[rater] = had + 1, passed + int(right)
    return found


def same_position(positions: Floats) -> int | None:
    """How often a rater chose the place chosen most often; None where places are not known."""
    given = positions[~np.isnan(positions)].astype(int)
    return int(np.bincount(given).max()) if len(given) else None


def agreement_with_rest(part: Answers, task: str) -> dict[str, float]:
    """How well each rater agrees with the others.

    The share of items where the rater chose what most of the others did (half where these tie); of ratings
    and labels, Pearson's correlation with the mean of the others. nan where there are none, or no variation.
    """
    numbers = part.numbers(FIELDS[task][0])
    items, raters = list(part.frame["item"]), list(part.frame["rater"])
    if task not in CHOICES:
        return _correlations(items, raters, numbers)
    said = [
        value.get("choice", None if np.isnan(c) else c) for value, c in zip(part.values, numbers, strict=True)
    ]
    counts: dict[str, Counter[Any]] = {}
    for item, choice in zip(items, said, strict=True):
        if choice is not None:
            counts.setdefault(item, Counter())[choice] += 1
    shares: dict[str, list[float]] = {}
    for item, rater, choice in zip(items, raters, said, strict=True):
        if choice is None:
            continue
        others = counts[item].copy()
        others[choice] -= 1
        most = max(others.values())
        if most > 0:
            first = [option for option, n in others.items() if n == most]
            shares.setdefault(rater, []).append(float(choice in first) / len(first))
    return {rater: float(np.mean(given)) for rater, given in shares.items()}


def _correlations(items: list[str], raters: list[str], numbers: Floats) -> dict[str, float]:
    there = ~np.isnan(numbers)
    _, code = np.unique(items, return_inverse=True)
    sums = np.bincount(code[there], weights=numbers[there], minlength=code.max() + 1)
    counts = np.bincount(code[there], minlength=code.max() + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = (sums[code] - np.where(there, numbers, 0)) / (counts[code] - 1)
    found: dict[str, float] = {}
    names = np.array(raters)
    for rater in dict.fromkeys(raters):
        mine = (names == rater) & there & np.isfinite(others)
        own, rest = numbers[mine], others[mine]
        varied = len(own) > 2 and own.std() > 0 and rest.std() > 0
        found[rater] = float(np.corrcoef(own, rest)[0, 1]) if varied else np.nan
    return found


def _agreement(part: Answers, study: str, task: str) -> Iterable[dict[str, Any]]:
    from tealeaves.human.codings import agreement

    for row in agreement(part, task):
        yield {"study": study, "task": task, **row}


def _mean(values: Floats) -> float:
    given = values[np.isfinite(values)]
    return float(given.mean()) if len(given) else np.nan


def _median(values: Floats) -> float:
    given = values[np.isfinite(values)]
    return float(np.median(given)) if len(given) else np.nan


def _interval(low: float, high: float, digits: int) -> str:
    return f"[{low:.{digits}f}, {high:.{digits}f}]" if np.isfinite(low) else "–"


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Undefined numbers as None, as JSON has it."""
    return {k: None if isinstance(v, float) and not np.isfinite(v) else v for k, v in row.items()}


def _frame(rows: list[dict[str, Any]], schema: Mapping[str, str]) -> "polars.DataFrame":
    import polars as pl

    columns = {
        name: [row.get(name, np.nan if kind == "Float64" else None) for row in rows]
        for name, kind in schema.items()
    }
    return pl.DataFrame(columns, schema={name: getattr(pl, kind) for name, kind in schema.items()})


def _schema(texts: str, numbers: str, whole: str = "") -> dict[str, str]:
    kinds = (("String", texts), ("Float64", numbers), ("Int64", whole))
    return {name: kind for kind, names in kinds for name in names.split()}


_ENDS = "low high low_these high_these"
SCHEMAS = {
    "models": _schema(
        "study task measure model",
        f"value {_ENDS} binomial_low binomial_high chance",
        "n_answers n_raters n_units",
    )
    | _schema("unit reason", ""),
    "topics": _schema("study task measure model item", "value low high known", "topic n")
    | {"unreadable": "Boolean"},
    "items": _schema("study task item model majority", "value known seconds majority_share", "topic n"),
    "raters": _schema(
        "study task rater", "value agreement seconds known", "n checks checks_right same_position"
    ),
    "agreement": _schema("study task coefficient coding level", "value sd", "n_items n_raters")
    | _schema("reason", ""),
    "apart": _schema(
        "study task measure rater model", "value people difference low high agreement", "n_units"
    ),
    "differences": _schema("study task measure a b", f"difference {_ENDS} p p_holm p_these p_these_holm")
    | _schema("reason", ""),
}
