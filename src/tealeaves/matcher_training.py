"""The classifiers that could tell matching pairs, tried out on pairs they have not seen."""

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves._optional import require
from tealeaves.errors import InputError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
FOLDS = 5
FEWEST = 7  # of each class: the least from which four of five folds keep one for each fold inside
POWERS = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
LOGISTIC = "logistic regression"
CLASSIFIERS = (LOGISTIC, "support vector machine", "random forest", "multilayer perceptron")


def _candidates(name: str, seed: int) -> tuple[Any, dict[str, Any]]:
    """A classifier and the settings to choose from: Table XI of the source."""
    if name == LOGISTIC:
        require("sklearn.linear_model", "fit")
        from sklearn.linear_model import LogisticRegression

        # newer releases name the norm by l1_ratio, older ones by penalty, with the same meaning
        newer = LogisticRegression().get_params()["penalty"] not in ("l2", "l1")
        norms: dict[str, Any] = {"l1_ratio": [0.0, 1.0]} if newer else {"penalty": ["l2", "l1"]}
        return LogisticRegression(solver="liblinear", random_state=seed), {"C": POWERS, **norms}
    if name == "support vector machine":
        from sklearn.svm import SVC

        return SVC(kernel="rbf"), {"C": POWERS, "gamma": [*POWERS, "auto"]}
    if name == "random forest":
        from sklearn.ensemble import RandomForestClassifier

        depths: list[Any] = [2, 3, None]
        grid = {"n_estimators": [10, 20, 50, 100], "max_features": [2, 0.5, None], "max_depth": depths}
        return RandomForestClassifier(random_state=seed), grid
    from sklearn.neural_network import MLPClassifier

    widths = [(3,), (5,), (10,)]
    grid = {"hidden_layer_sizes": widths, "alpha": [0.00001, 0.0001, 0.001, 0.01, 0.1]}
    return MLPClassifier(random_state=seed), grid


def best(
    name: str, features: Floats, matching: Bools, seed: int, each: Callable[..., Iterable[float]] = map
) -> tuple[Any, dict[str, Any]]:
    """The classifier with the settings of the best mean F1 over five stratified folds, fitted to all pairs.

    Returns it and those settings; of equally good ones, the first of the table. ``each`` is `map`, or that of
    processes.
    """
    require("sklearn", "fit")
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid, StratifiedKFold

    classifier, grid = _candidates(name, seed)
    settings = list(ParameterGrid(grid))
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(features, matching))
    tried = [clone(classifier).set_params(**one) for one in settings]
    means = list(each(partial(_mean_f1, features=features, matching=matching, folds=folds), tried))
    chosen = settings[int(np.argmax(means))]
    return _fitted(clone(classifier).set_params(**chosen), features, matching), chosen


def _mean_f1(classifier: Any, features: Floats, matching: Bools, folds: list[Any]) -> float:
    from sklearn.base import clone

    scores = []
    for train, test in folds:
        fitted = _fitted(clone(classifier), features[train], matching[train])
        scores.append(f1(fitted.predict(features[test]), matching[test]))
    return float(np.mean(scores))


def _fitted(classifier: Any, features: Floats, matching: Bools) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # perceptrons that stop before they converge, by the source's settings
        return classifier.fit(features, matching)


def f1(found: Bools, true: Bools) -> float:
    """2 TP / (2 TP + FP + FN); 0 where nothing is found and nothing is there.

    Examples
    --------
    >>> f1(np.array([True, True, False]), np.array([True, False, True]))
    0.5
    """
    said = int(found.sum()) + int(true.sum())
    return 2 * int((found & true).sum()) / said if said else 0.0


def nested(
    name: str,
    features: Floats,
    matching: Bools,
    seed: int,
    *,
    each: Callable[..., Iterable[float]] = map,
    advance: Callable[[], None] | None = None,
) -> list[float]:
    """F1 on each of five stratified folds, with the settings chosen each time on the other four alone."""
    require("sklearn", "fit")
    from sklearn.model_selection import StratifiedKFold

    scores = []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(features, matching):
        classifier, _ = best(name, features[train], matching[train], seed, each)
        scores.append(f1(classifier.predict(features[test]), matching[test]))
        if advance is not None:
            advance()
    return scores


def logistic(features: Floats, matching: Bools, seed: int) -> dict[str, Any]:
    """The chosen logistic regression as numbers: coefficients, intercept, C, penalty."""
    classifier, chosen = best(LOGISTIC, features, matching, seed)
    norm = chosen.get("penalty") or ("l1" if chosen["l1_ratio"] else "l2")
    return {
        "coefficients": tuple(float(x) for x in classifier.coef_[0]),
        "intercept": float(classifier.intercept_[0]),
        "C": float(chosen["C"]),
        "penalty": str(norm),
    }


def check_enough(matching: Bools) -> None:
    """Refuse labels of one class, or too few to be tried out in five folds."""
    yes, no = int(matching.sum()), int((~matching).sum())
    if min(yes, no) >= FEWEST:
        return
    what = f"{yes} of {yes + no} labelled pairs match and {no} do not, but {FEWEST} of each are needed"
    advice = "label more pairs" if yes + no < 50 else "draw more pairs of near topics"
    if yes and no:
        raise InputError(f"{what} to try a matcher out in {FOLDS} folds: {advice}")
    raise InputError(
        f"all labelled pairs {'match' if yes else 'do not match'}: nothing can be learnt; {what}"
    )
