"""How many topics and raters a difference needs, what they cost, and a simulation to check the answer."""

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.human.answers import FIELDS, Answers
from tealeaves.human.scoring.data import TaskData
from tealeaves.human.scoring.tables import frame_of, schema_of
from tealeaves.stats.crossed import crossed

if TYPE_CHECKING:
    import polars

Floats = NDArray[np.float64]
MOST = 1_000_000  # topics of a model that a study can be thought to have


@dataclass(frozen=True)
class Spread:
    """Where answers differ: the standard deviations of what a score is made of.

    Parameters
    ----------
    mean : float
        The score itself, such as a model precision of 0.7.
    topics : float
        Of topics of one model: how much better some can be read than others. In word intrusion by Hoyle et
        al. (2021) it is 0.20 and 0.23; of ratings from 1 to 3, 0.39 and 0.46.
    answers : float
        Of single answers to one topic.
    raters : float
        Of raters, in how they judge one model rather than another: what all models share drops out of a
        difference.
    """

    mean: float = 0.7
    topics: float = 0.22
    answers: float = 0.4
    raters: float = 0.0

    def __post_init__(self) -> None:
        for name in ("topics", "answers", "raters"):
            if not getattr(self, name) >= 0:
                raise InputError(f"the spread of {name} must be at least 0; got {getattr(self, name)!r}")


def spread(answers: Answers, measure: str | None = None) -> Spread:
    """The spread of answers of an earlier study or a pilot, with which to plan the next.

    Parameters
    ----------
    answers : Answers
        To one task. Variances are of models' own topics, then averaged over models.
    measure : str, optional
        The number of an answer, as ``Answers.numbers`` takes it; by default the task's first.

    Raises
    ------
    InputError
        If there are several tasks, or too few topics or raters to tell.
    """
    if len(answers.tasks) != 1:
        raise InputError(f"the spread is of one task, but there are {', '.join(answers.tasks)}; use select")
    task = answers.tasks[0]
    parts: list[tuple[float, float, float]] = []
    for study in dict.fromkeys(answers.frame["study"]):
        frame = answers.frame.filter((answers.frame["study"] == study) & (answers.frame["role"] == "item"))
        for model in dict.fromkeys(frame["model"]):
            part = Answers(frame.filter(frame["model"] == model), answers.items)
            data = TaskData(part, task, part.numbers(measure or FIELDS[task][0]))
            counts = np.asarray(data.counts.sum(axis=0)).ravel()
            several = counts >= 2
            if several.sum() < 2:
                continue
            means = np.asarray(data.sums.sum(axis=0)).ravel() / counts
            values, unit = data.numbers[data.there], data.unit[data.there]
            within = np.bincount(unit, weights=(values - means[unit]) ** 2, minlength=len(counts))
            noise = within[several] / (counts[several] - 1)
            between = means[several].var(ddof=1) - (noise / counts[several]).mean()
            parts.append((float(means.mean()), max(0.0, float(between)), float(noise.mean())))
    if not parts:
        raise InputError("at least two topics of a model with two answers each are needed to see a spread")
    mean, between_topics, of_answers = (float(np.mean(column)) for column in zip(*parts, strict=True))
    return Spread(mean, between_topics**0.5, of_answers**0.5)


@dataclass(frozen=True)
class Design:
    """A study of two models or more: what it finds, and what it costs; `power` makes one.

    Attributes
    ----------
    topics, raters : int
        Topics of each model, and answers to each topic.
    difference : float
        The difference that is found with probability ``power``.
    power : float
        The probability of finding it: a test over such topics says so.
    these : float
        The difference that is found with this probability were only these very topics of interest.
    answers, people : int
        Of the whole study: answers, and raters of ``per_rater`` items each.
    hours, cost : float
        All raters' time together, and what it costs with the platform's fee.
    """

    topics: int
    raters: int
    difference: float
    power: float
    these: float
    answers: int
    people: int
    hours: float
    cost: float


def power(
    topics: int | None = None,
    raters: int = 8,
    difference: float | None = None,
    power: float | None = None,
    spread: Spread | None = None,
    models: int = 2,
    sided: int = 2,
    alpha: float = 0.05,
    per_rater: int = 40,
    seconds: float = 15.0,
    pay: float = 12.0,
    fee: float = 0.33,
) -> Design:
    """What a study of two models can find: of topics, difference and power, leave out the one that is sought.

    Topics of two models are different topics, judged by the same people. The variance of a difference is
    ``2 * (topics**2 / T + answers**2 / (T * R)) + 2 * raters**2 / people``: more raters help only the second
    part, more topics both.

    Parameters
    ----------
    topics, raters : int
        Topics of each model, and answers to each of them.
    difference : float, optional
        The difference between two models that is to be found. By default what is found is returned.
    power : float, optional
        The probability to find it; 0.8 where it is not what is sought.
    spread : Spread, optional
        Where answers differ; see `spread` for that of earlier answers.
    models : int
        How many models the study has: for the cost, and for Holm's correction of all their pairs.
    sided, alpha
        Of the test: 2 or 1 sides, and its level.
    per_rater : int
        How many items a rater answers.
    seconds, pay, fee : float
        Time an item, pay an hour, and the platform's share on top of it.

    Raises
    ------
    InputError
        If none or two of topics, difference and power are left out, or no number of topics is enough.

    Examples
    --------
    >>> round(power(topics=50, raters=26, sided=1).difference, 2)
    0.12
    >>> power(difference=0.1, raters=8).topics
    109
    """
    s = spread if spread is not None else Spread()
    for name, least, given in (("raters", 1, raters), ("models", 2, models), ("per_rater", 1, per_rater)):
        if given < least:
            raise InputError(f"{name} must be at least {least}; got {given!r}")
    if sided not in (1, 2):
        raise InputError(f"sided must be 1 or 2; got {sided!r}")
    if not 0 < alpha < 1 or (power is not None and not 0 < power < 1):
        raise InputError(f"alpha and power lie between 0 and 1; got {alpha!r} and {power!r}")
    if topics is not None and topics < 2:
        raise InputError(f"topics must be at least 2; got {topics!r}")
    if difference is not None and not difference > 0:
        raise InputError(f"difference must be above 0; got {difference!r}")
    if topics is None and difference is None:
        raise InputError("say how many topics there are, or which difference is sought")
    pairs = models * (models - 1) // 2  # Holm's first step, which the best of all pairs must pass
    tail, wanted = alpha / sided / pairs, 0.8 if power is None else power
    if topics is None:
        topics = _topics_for(float(difference or 0), raters, s, models, per_rater, tail, wanted)
    people = _people(topics, raters, models, per_rater)
    error = _error(topics, raters, s, people)
    if difference is None:
        difference = error * _reach(topics, tail, wanted)
    elif power is None:
        wanted = _found(topics, tail, difference / error)
    these = _reach(topics, tail, wanted) * _error(topics, raters, replace(s, topics=0.0), people)
    answers = topics * raters * models
    hours = answers * seconds / 3600
    cost = hours * pay * (1 + fee)
    return Design(topics, raters, float(difference), wanted, these, answers, people, hours, cost)


def power_table(
    topics: tuple[int, ...] = (20, 50, 100), raters: tuple[int, ...] = (5, 8, 15, 26), **options: Any
) -> "polars.DataFrame":
    """The smallest difference that each number of topics and raters finds; options as of `power`."""
    rows = [vars(power(topics=t, raters=r, **options)) for r in raters for t in topics]
    return frame_of(
        rows, schema_of("", "difference power these hours cost", "topics raters answers people")
    ).select("topics", "raters", "difference", "these", "power", "answers", "people", "hours", "cost")


def simulated_power(design: Design, spread: Spread | None = None, studies: int = 200, seed: int = 0) -> float:
    """The share of simulated studies of this design in which two models come out different at 5%, two-sided.

    Right and wrong answers: each topic's share right is drawn around its model's mean from a Beta
    distribution of the spread of topics; then every rater of a topic is right with that probability.
    ``design.people`` take turns, so that each judges topics of both models.

    Raises
    ------
    InputError
        If the spread of topics is larger than shares between 0 and 1 can have.
    """
    s = spread if spread is not None else Spread()
    rng = np.random.default_rng(seed)
    half, units = design.difference / 2, 2 * design.topics
    groups = ["a"] * design.topics + ["b"] * design.topics
    seats = np.arange(design.raters * units) % design.people  # people take turns
    unit = np.arange(design.raters * units) // design.raters
    found = 0
    for study in range(studies):
        shares = [_shares(s.mean + side, s.topics, design.topics, rng) for side in (half, -half)]
        order = rng.permutation(units)  # of topics, so that everybody judges both models
        asked = np.zeros((design.people, units))
        asked[seats, order[unit]] = 1
        right = (rng.random(asked.shape) < np.concatenate(shares)) * asked
        tested = crossed(right, asked, groups, resamples=400, seed=study, bounds=(0.0, 1.0))
        found += tested.difference("a", "b").p <= 0.05
    return found / studies


def _shares(mean: float, sd: float, n: int, rng: np.random.Generator) -> Floats:
    if not 0 < mean < 1 or sd**2 >= mean * (1 - mean):
        raise InputError(f"topics with a mean of {mean:.3g} cannot spread by {sd:.3g} between 0 and 1")
    if sd == 0:
        return np.full(n, mean)
    size = mean * (1 - mean) / sd**2 - 1
    return rng.beta(mean * size, (1 - mean) * size, n)


def _people(topics: int, raters: int, models: int, per_rater: int) -> int:
    return max(raters, ceil(topics * raters * models / per_rater))


def _error(topics: int, raters: int, s: Spread, people: int) -> float:
    """The standard error of a difference of two models."""
    of_topics = s.topics**2 / topics + s.answers**2 / (topics * raters)
    return float((2 * of_topics + 2 * s.raters**2 / people) ** 0.5)


def _reach(topics: int, tail: float, power: float) -> float:
    """How many standard errors a difference needs to be found, by Student's distribution."""
    from scipy.special import stdtrit

    freedom = 2.0 * (topics - 1)
    return float(stdtrit(freedom, 1 - tail) + stdtrit(freedom, power))


def _found(topics: int, tail: float, errors: float) -> float:
    """The probability that a difference of so many standard errors is found."""
    from scipy.special import stdtr, stdtrit

    freedom = 2.0 * (topics - 1)
    return float(stdtr(freedom, errors - stdtrit(freedom, 1 - tail)))


def _topics_for(
    difference: float, raters: int, s: Spread, models: int, per_rater: int, tail: float, power: float
) -> int:
    def enough(topics: int) -> bool:
        error = _error(topics, raters, s, _people(topics, raters, models, per_rater))
        return _reach(topics, tail, power) * error <= difference

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            raise InputError(f"no number of topics up to {MOST:,} finds a difference of {difference:g}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
