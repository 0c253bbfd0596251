"""The classifiers that could tell matching pairs, tried out on pairs they have not seen."""

import warnings
from collections.abc import Callable
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


def best(name: str, features: Floats, matching: Bools, seed: int, workers: int = 1) -> Any:
    """The classifier with the settings of the best mean F1 over five stratified folds, fitted to all."""
    require("sklearn", "fit")
    from sklearn.metrics import f1_score, make_scorer
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    scorer = make_scorer(f1_score, zero_division=0)
    classifier, grid = _candidates(name, seed)
    search = GridSearchCV(classifier, grid, scoring=scorer, cv=folds, n_jobs=workers)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # perceptrons that stop before they converge, as by the source's settings
        search.fit(features, matching)
    return search


def nested(
    name: str,
    features: Floats,
    matching: Bools,
    seed: int,
    *,
    workers: int = 1,
    advance: Callable[[], None] | None = None,
) -> list[float]:
    """F1 on each of five stratified folds, with the settings chosen each time on the other four alone."""
    require("sklearn", "fit")
    from sklearn.metrics import f1_score
    from sklearn.model_selection import StratifiedKFold

    scores = []
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(features, matching):
        found = best(name, features[train], matching[train], seed, workers).predict(features[test])
        scores.append(float(f1_score(matching[test], found, zero_division=0)))
        if advance is not None:
            advance()
    return scores


def logistic(features: Floats, matching: Bools, seed: int) -> dict[str, Any]:
    """The chosen logistic regression as numbers: coefficients, intercept, C, penalty."""
    search = best(LOGISTIC, features, matching, seed)
    chosen = search.best_params_
    norm = chosen.get("penalty") or ("l1" if chosen["l1_ratio"] else "l2")
    return {
        "coefficients": tuple(float(x) for x in search.best_estimator_.coef_[0]),
        "intercept": float(search.best_estimator_.intercept_[0]),
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
