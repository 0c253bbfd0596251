"""One answer out of many: by majority, weighted by trust, or by Dawid and Skene's model, as a check."""

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human.answers import FIELDS, Answers
from tealeaves.human.item_sets import CHOICES
from tealeaves.human.scoring.raters import checks_right
from tealeaves.human.scoring.tables import frame_of, schema_of

if TYPE_CHECKING:
    import polars

RATINGS = ("word_set_rating", "temporal_rating", "topic_pair_matching")
SCHEMA = {"task": "String", "item": "String", "model": "String", "topic": "Int64", "answer": "String"} | {
    "confidence": "Float64",
    "correct": "Float64",
    "n": "Int64",
    "reason": "String",
}


def majority(answers: Answers) -> "polars.DataFrame":
    """What most raters said of each item: ``answer``, its share as ``confidence``, ``correct``, ``n``.

    A tie has no answer and the reason "tie"; ``correct`` is then one over the number of those that tie if the
    right one is among them, so that no order of raters or options decides.

    Examples
    --------
    >>> rows = [{"rater": r, "item": "i1", "task": "word_intrusion", "value": {"choice": c},
    ...          "correct": c == "a"} for r, c in (("ana", "a"), ("ben", "a"), ("cy", "b"))]
    >>> majority(Answers.from_rows(rows)).select("answer", "confidence", "correct").rows()
    [('a', 0.6666666666666666, 1.0)]
    """
    return frame_of(list(_aggregated(answers, dict.fromkeys(answers.raters, 1.0))), SCHEMA)


def trusted(answers: Answers, trust: Mapping[str, float] | None = None) -> "polars.DataFrame":
    """What raters said of each item, each weighing as much as he is trusted; as `majority` otherwise.

    Parameters
    ----------
    answers : Answers
        With answers to check items, from which trust is found.
    trust : mapping of rater to number, optional
        How much each is trusted; by default `trust_of`: the share of test questions that was right (001).

    Raises
    ------
    InputError
        If there are no test questions, and no trust is given.

    References
    ----------
    Lund, Armstrong, Fearn, Cowley, Byun, Boyd-Graber and Seppi (2019), ACL, section 3.2.
    """
    weights = dict(trust_of(answers) if trust is None else trust)
    if lacking := [rater for rater in answers.raters if rater not in weights]:
        raise InputError(
            f"rater {lacking[0]!r} has no trust: give one for each of {len(answers.raters)} raters"
        )
    return frame_of(list(_aggregated(answers, weights)), SCHEMA)


def trust_of(answers: Answers) -> dict[str, float]:
    """The share of test questions (check and control items with a right answer) that each rater had right.

    A rater who had none gets the mean of the others'.

    Raises
    ------
    InputError
        If nobody answered a test question.
    """
    right = checks_right(answers)
    if not right:
        raise InputError(
            "trust is the accuracy on test questions, but no answer is to a check item with a key; "
            "give trust=, or use majority"
        )
    shares = {rater: passed / had for rater, (had, passed) in right.items()}
    rest = float(np.mean(list(shares.values())))
    return {rater: shares.get(rater, rest) for rater in answers.raters}


def dawid_skene(answers: Answers, iterations: int = 100) -> "polars.DataFrame":
    """What Dawid and Skene's model makes of the answers: a check of how far the scores hang on who answered.

    Ratings and labels have an error matrix per rater. Options of choices differ from item to item, so that
    there a rater has one error rate for all of them (the one-coin model). Needs the extra ``crowd``.

    Returns
    -------
    polars.DataFrame
        As `majority`; ``confidence`` is the probability of the answer.

    Raises
    ------
    MissingExtra
        If crowd-kit is not installed.

    References
    ----------
    Dawid and Skene (1979), Applied Statistics 28, 20-28; Zhang, Chen, Zhou and Jordan (2016), JMLR 17.
    """
    from tealeaves._optional import require

    require("crowdkit.aggregation", extra="crowd")
    import pandas
    from crowdkit.aggregation import DawidSkene, OneCoinDawidSkene

    rows: list[dict[str, Any]] = []
    for task, part, said in _by_task(answers):
        there = [n for n, answer in enumerate(said) if answer is not None]
        items, raters = list(part.frame["item"]), list(part.frame["rater"])
        codes, names = _codes(part, task, items, said)
        keys = _keys(part, task)
        table = pandas.DataFrame(
            {
                "task": [items[n] for n in there],
                "worker": [raters[n] for n in there],
                "label": [codes[n] for n in there],
            }
        )
        model = (OneCoinDawidSkene if task in CHOICES else DawidSkene)(n_iter=iterations)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pandas, at crowd-kit: nothing that a user could change
            found = model.fit_predict_proba(table)
        for row in _heads(part, task):
            known = row["item"] in found.index  # an item without an answer is not
            shares = (
                {str(code): float(p) for code, p in found.loc[row["item"]].items() if p > 0} if known else {}
            )
            votes = {names[row["item"]].get(code, ""): p for code, p in shares.items()}
            rows.append({**row, **_winner(keys.get(row["item"]), votes)})
    return frame_of(rows, SCHEMA)


def aggregates(answers: Answers, with_dawid_skene: bool = False) -> "polars.DataFrame":
    """The share of items that a model has right by each way of making one answer out of many.

    A row per task and model: ``mean`` of the answers, ``majority``, ``trusted`` (nan without test questions)
    and ``dawid_skene`` (nan unless asked for). Where these order models differently, who answered matters.
    """
    ways: dict[str, Any] = {"majority": majority(answers)}
    if checks_right(answers):
        ways["trusted"] = trusted(answers)
    if with_dawid_skene:
        ways["dawid_skene"] = dawid_skene(answers)
    rows = []
    for task, part, _ in _by_task(answers):
        if task not in CHOICES:
            continue
        right = part.numbers("correct")
        models = np.array(part.frame["model"])
        for model in dict.fromkeys(models):
            row = {"task": task, "model": model, "mean": float(np.nanmean(right[models == model]))}
            for way, table in ways.items():
                mine = table.filter((table["task"] == task) & (table["model"] == model))["correct"].to_numpy()
                row[way] = float(np.nanmean(mine)) if np.isfinite(mine).any() else np.nan
            rows.append(row)
    return frame_of(rows, schema_of("task model", "mean majority trusted dawid_skene"))


def _by_task(answers: Answers) -> Iterable[tuple[str, Answers, list[str | None]]]:
    """Each task, its answers to items that count, and what was said in each as text."""
    for task in answers.tasks:
        part = answers.select(task=task, role="item")
        if not len(part) or (task not in CHOICES and task not in RATINGS):
            continue
        name = FIELDS[task][0]
        if task in CHOICES:
            said = [value.get("choice") for value in part.values]
            if all(choice is None for choice in said):  # only whether it was right is known
                right = part.numbers("correct")
                said = [None if np.isnan(r) else ("right" if r else "wrong") for r in right]
        else:
            said = [None if np.isnan(number) else f"{number:g}" for number in part.numbers(name)]
        yield task, part, said


def _aggregated(answers: Answers, weights: Mapping[str, float]) -> Iterable[dict[str, Any]]:
    for task, part, said in _by_task(answers):
        votes: dict[str, dict[str, float]] = {}
        for item, rater, answer in zip(part.frame["item"], part.frame["rater"], said, strict=True):
            if answer is not None:
                of_item = votes.setdefault(item, {})
                of_item[answer] = of_item.get(answer, 0.0) + weights[rater]
        keys = _keys(part, task)
        for row in _heads(part, task):
            yield {**row, **_winner(keys.get(row["item"]), votes.get(row["item"], {}))}


def _heads(part: Answers, task: str) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for item, model, topic in part.frame.select("item", "model", "topic").iter_rows():
        row = rows.setdefault(item, {"task": task, "item": item, "model": model, "topic": topic, "n": 0})
        row["n"] += 1
    return list(rows.values())


def _winner(key: str | None, votes: Mapping[str, float]) -> dict[str, Any]:
    """What most of the votes are for, and whether it is the key."""
    total = sum(votes.values())
    if not votes or total <= 0:
        reason = "nobody who answered is trusted" if votes else "no answer"
        return {"answer": None, "confidence": np.nan, "correct": np.nan, "reason": reason}
    most = max(votes.values())
    first = [answer for answer, weight in votes.items() if weight >= most - 1e-9 * total]
    correct = np.nan if key is None else float(key in first) / len(first)
    answer = first[0] if len(first) == 1 else None
    reason = "" if answer is not None else "tie"
    return {"answer": answer, "confidence": most / total, "correct": correct, "reason": reason}


def _keys(part: Answers, task: str) -> dict[str, str | None]:
    """The right answer by item, "" where nobody found it; None where it is not known.

    It is the item's, or else what was right in the file; "right" where what was chosen is not known.
    """
    found: dict[str, str | None] = {}
    if task not in CHOICES:
        return found
    for item, right, value in zip(part.frame["item"], part.frame["correct"], part.values, strict=True):
        known = part.items.get((task, item))
        if known is not None and known.key is not None:
            found[item] = known.key
        elif right:
            found[item] = value.get("choice") or "right"
        elif right is not None and found.get(item) is None:
            found[item] = ""
    return found


def _codes(
    part: Answers, task: str, items: list[str], said: list[str | None]
) -> tuple[list[str], dict[str, dict[str, str]]]:
    """A code for each answer, alike for all items, and what each code stands for by item."""
    names: dict[str, dict[str, str]] = {item: {} for item in items}
    places: dict[str, dict[str, str]] = {item: {} for item in items}
    codes = []
    for item, answer in zip(items, said, strict=True):
        if answer is None:
            codes.append("")
            continue
        known = part.items.get((task, item))
        if task not in CHOICES:
            code = answer
        elif known is not None and answer in known.options:
            code = str(known.options.index(answer))
        else:
            code = places[item].setdefault(answer, str(len(places[item])))
        names[item][code] = answer
        codes.append(code)
    return codes, names
