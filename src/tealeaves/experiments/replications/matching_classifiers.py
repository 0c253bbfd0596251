"""Do two topics match? Classifiers on what was released of the pairs: Table II, in kind.

Released are the labels of 600 pairs of topics and the top words of each topic, for news top documents, too.
The vectors of the topics were not: classifiers see distances of lists and fall short of the printed ones.
"""

from pathlib import Path
from typing import Any

import numpy as np

from tealeaves.experiments.replications import Line, Progress, Replication, data_file
from tealeaves.experiments.replications.matching import SETS

SEEDS = {False: 1, True: 5}  # folds drawn again
# F1 and its standard deviation over folds.
CLASSIFIERS = {
    "logistic regression": {"news": (0.835, 0.079), "bio": (0.787, 0.080)},
    "support vector machine": {"news": (0.830, 0.077), "bio": (0.784, 0.080)},
    "random forest": {"news": (0.804, 0.110), "bio": (0.776, 0.057)},
    "multilayer perceptron": {"news": (0.814, 0.106), "bio": (0.723, 0.062)},
}
LISTS = "distances of lists of 15 words (news: and documents) in place of whole topics"


def run(data: Path, *, seeds: int = 1, full: bool = False, progress: Progress | None = None) -> Replication:
    """The logistic regression alone, or all four classifiers if full."""
    from tealeaves.matcher import Matcher
    from tealeaves.matcher_files import read_pairs

    lines: list[Line] = []
    rows: list[dict[str, Any]] = []
    for done, (key, name) in enumerate(SETS.items()):
        pairs = read_pairs(data_file(data, "coverage", f"{key}_pairs.jsonl"))
        scores: dict[str, list[float]] = {}
        for seed in range(seeds):
            if progress:
                progress(f"learning from pairs of {name}", done * seeds + seed, len(SETS) * seeds)
            for classifier, found in Matcher.train(pairs, seed=seed, compare=full).report["f1"].items():
                scores.setdefault(classifier, []).append(found["mean"])
        for classifier, values in scores.items():
            mean = float(np.mean(values))
            if classifier in CLASSIFIERS:
                printed, deviation = CLASSIFIERS[classifier][key]
                note = f"{LISTS}; printed sd over folds {deviation}"
                lines.append(Line(f"{name}: F1 of the {classifier}", printed, mean, 3, note))
            spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
            rows.append(
                {"pairs": name, "classifier": classifier, "F1": mean, "over folds drawn again": spread}
            )
    return Replication(
        "matching_classifiers",
        tuple(lines),
        {"Classifiers": rows},
        (
            "People agree with each other better than any classifier with them, as printed, on both sets.",
            "What classifiers lose here is what was not released: the weights of words and documents.",
        ),
        settings={"seeds": seeds, "full": full},
    )
