"""Do two topics match? People's agreement to the digit, and classifiers on what was released of the pairs.

Released are the labels of 600 pairs of topics and the top words of each topic, for news top documents, too.
The vectors of the topics were not: classifiers see distances of lists and fall short of the printed ones.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from tealeaves.experiments.replications import Line, Progress, Replication, data_file

SEEDS = {False: 1, True: 5}  # folds drawn again
SETS = {"news": "news", "bio": "biology"}
# Alpha, nominal and ordinal, of all pairs and of the test round; F1 of people and its standard deviation.
ALPHA = {"news": (0.689, 0.865), "bio": (0.648, 0.797)}
ALPHA_TEST = {"news": (0.663, 0.862), "bio": (0.599, 0.782)}
SEMANTIC = {"abstract": 0.67, "issue": 0.44}
PEOPLE = {"news": (0.854, 0.034), "bio": (0.817, 0.032)}
CLASSIFIERS = {
    "logistic regression": {"news": (0.835, 0.079), "bio": (0.787, 0.080)},
    "support vector machine": {"news": (0.830, 0.077), "bio": (0.784, 0.080)},
    "random forest": {"news": (0.804, 0.110), "bio": (0.776, 0.057)},
    "multilayer perceptron": {"news": (0.814, 0.106), "bio": (0.723, 0.062)},
}
CUT = "printed lower by up to .0014: digits cut off, or another program's alpha"
LISTS = "distances of lists of 15 words (news: and documents) in place of whole topics"


def run(data: Path, *, seeds: int = 1, full: bool = False, progress: Progress | None = None) -> Replication:
    """Agreement of people, then classifiers: the logistic regression alone, or all four if full."""
    from tealeaves.matcher import Matcher
    from tealeaves.matcher_pairs import read_pairs

    lines: list[Line] = []
    later: list[Line] = []
    rows: list[dict[str, Any]] = []
    for done, (key, name) in enumerate(SETS.items()):
        path = data_file(data, "coverage", f"{key}_pairs.jsonl")
        lines += agreement(path, key, name)
        pairs = read_pairs(path)
        scores: dict[str, list[float]] = {}
        for seed in range(seeds):
            if progress:
                progress(f"learning from pairs of {name}", done * seeds + seed, len(SETS) * seeds)
            report = Matcher.train(pairs, seed=seed, compare=full).report
            for classifier, found in report["f1"].items():
                scores.setdefault(classifier, []).append(found["mean"])
            if seed == 0:
                people = report["raters"]
                lines += [
                    Line(f"{name}: F1 of people", PEOPLE[key][0], people["human_f1"], 3),
                    Line(f"{name}: its standard deviation", PEOPLE[key][1], people["human_f1_sd"], 3),
                ]
        for classifier, values in scores.items():
            if classifier in CLASSIFIERS:
                printed, deviation = CLASSIFIERS[classifier][key]
                note = f"{LISTS}; printed sd over folds {deviation}"
                later.append(
                    Line(f"{name}: F1 of the {classifier}", printed, float(np.mean(values)), 3, note)
                )
            spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
            rows.append(
                {
                    "pairs": name,
                    "classifier": classifier,
                    "F1": float(np.mean(values)),
                    "over folds drawn again": spread,
                }
            )
    lines += semantic(data)
    says = (
        "People agree with each other better than any classifier with them, as printed, on both sets.",
        "What classifiers lose here is what was not released: the weights of words and documents.",
    )
    return Replication(
        "matching", (*lines, *later), {"Classifiers": rows}, says, settings={"seeds": seeds, "full": full}
    )


def agreement(path: Path, key: str, name: str) -> list[Line]:
    """Krippendorff's alpha of the three raters, of all pairs and of the test round."""
    from tealeaves.stats import krippendorff_alpha

    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines = []
    for which, printed in (("all pairs", ALPHA[key]), ("test round", ALPHA_TEST[key])):
        labels = np.array([x["labels"] for x in records if which == "all pairs" or x["round"] == "test"]).T
        for level, value in zip(("nominal", "ordinal"), printed, strict=True):
            found = krippendorff_alpha(labels, level)
            lines.append(Line(f"{name}, {which}: {level} alpha", value, found, 3, CUT))
    return lines


def semantic(data: Path) -> list[Line]:
    """Agreement of two people on what kind of topic 30 topics of the news are."""
    from tealeaves.stats import krippendorff_alpha

    path = data_file(data, "coverage", "news_semantic_agreement_sample.tsv")
    head, *body = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    lines = []
    for kind, printed in SEMANTIC.items():
        columns = [i for i, title in enumerate(head) if kind in title]
        labels = np.array([[float(row[i] in ("1", "true", "True")) for row in body] for i in columns])
        lines.append(Line(f"news topics: nominal alpha of {kind!r}", printed, krippendorff_alpha(labels), 2))
    return lines
